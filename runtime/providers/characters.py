"""Characters that a service cut in half. JSON writes 😀 as two halves, `\\ud83d\\ude00`; a proxy that counts those may
send the first in one part of a stream and the second in the next, or lose it. Neither is JSON that a strict reader
takes, and an answer is not thrown away for it."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.S
)
_FIRST_HALF = 0xD800
_KEPT_AT = 0x10D800
"""Where halves are kept until the parts are put together: characters of the last plane, which nobody uses."""
_KEPT = re.compile("[\U0010d800-\U0010dfff]")


def keep_halves(data: bytes) -> bytes:
    """JSON in which every half that stands alone is a character of its own."""
    return _ESCAPE.sub(_kept, data)


def join_halves(text: str) -> str:
    """The text of all parts, halves joined again; one whose other half never came is `�`."""
    halves = _KEPT.sub(lambda found: chr(ord(found[0]) - _KEPT_AT + _FIRST_HALF), text)
    return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _kept(found: re.Match[bytes]) -> bytes:
    half = found[1]
    return found[0] if half is None else chr(int(half, 16) - _FIRST_HALF + _KEPT_AT).encode()
