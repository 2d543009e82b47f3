"""Reasoning that a model left in its reply: `<think> … </think>` before the answer is none of the answer."""

from __future__ import annotations

import re

from .text import strip_blanks

_OPEN = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)
_CLOSE = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)


def strip_reasoning(text: str) -> str:
    """The reply without the reasoning before it. Reasoning that never ends leaves nothing: a draft is no answer.

    A closing tag without an opening one ends reasoning that the prompt began, unless it stands in inline code.
    """
    opened = _OPEN.match(text)
    if opened is not None:
        closed = _CLOSE.search(text, opened.end())
        return strip_blanks(text[closed.end() :]) if closed is not None else ""
    closed = _CLOSE.search(text)
    if closed is None or "<think" in text[: closed.start()].lower() or text[: closed.start()].count("`") % 2:
        return text
    return strip_blanks(text[closed.end() :])
