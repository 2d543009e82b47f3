"""Document URIs and the paths that `dsl` works with.

A path is absolute and normalised. A text that is in no file (`untitled:…`) has its URI for a path.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

from ..dsl.graph import normal

_DRIVE = re.compile(r"/[A-Za-z]:")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


@lru_cache(maxsize=1024)  # The same few come with every key.
def to_path(uri: str) -> str:
    try:
        parts = urlsplit(uri)
    except ValueError:  # Half an IPv6 address.
        return uri
    if parts.scheme != "file":
        return uri
    path = unquote(parts.path, errors="surrogateescape")
    if parts.netloc and parts.netloc != "localhost":
        path = f"//{parts.netloc}{path}"
    elif _DRIVE.match(path):
        path = path[1].upper() + path[2:]
    return normal(path)


def to_uri(path: str) -> str:
    """What a text in no file imports is looked for where the server was started."""
    if _SCHEME.match(path) or not path:
        return path
    if not os.path.isabs(path) and not _DRIVE.match(f"/{path}"):
        path = normal(os.path.join(os.getcwd(), path))
    if path.startswith("//"):
        return "file:" + quote(path, errors="surrogateescape")
    return "file://" + quote(path if path.startswith("/") else "/" + path, errors="surrogateescape")
