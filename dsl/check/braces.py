"""`{topic}` in a text that is sent: a template of another language, which is taken as it stands here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import ast
from .base import Report
from .env import Env

_SINGLE = re.compile(r"(?<![{\w])(\$?)\{([a-z_][a-z0-9_]*)((?:\.[a-z_][a-z0-9_]*)*)\}(?!\})")
_NEVER = frozenset({"run"})
"""Names that are there whatever was declared, and so may stand in braces by chance."""


def check_braces(text: ast.Text, env: Env, report: Report) -> None:
    """A hint where a name that is known here stands in single braces."""
    if text.raw:
        return
    for part in text.parts:
        found = next(_known(part, env), None) if isinstance(part, str) and "{" in part else None
        if found is not None:
            path = f"{found[2]}{found[3]}"
            report.add(
                "text.single-braces",
                text,
                f"`{found[0]}` is sent as it stands, with its braces",
                label=f"not the value of `{path}`",
                help=f"Write `{{{{ {path} }}}}` for its value.",
                severity="hint",
            )
            return


def _known(part: str, env: Env) -> Iterator[re.Match[str]]:
    return (match for match in _SINGLE.finditer(part) if match[2] in env.names and match[2] not in _NEVER)
