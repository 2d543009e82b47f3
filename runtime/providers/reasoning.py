"""Reasoning that a model wrote into its text, kept apart from the answer."""

from __future__ import annotations

_OPEN, _CLOSE = "<think>", "</think>"


def split_reasoning(text: str) -> tuple[str, str]:
    """Reasoning and answer. Only a block at the very start counts, or text up to a closing tag whose
    opening one the model's template wrote into the prompt; tags within prose or code are text. A block
    that never closes is all there is: no answer."""
    start = text.lstrip()
    if start.startswith(_OPEN):
        inner, closed, rest = start[len(_OPEN) :].partition(_CLOSE)
        return inner.strip(), rest.lstrip() if closed else ""
    before, closed, rest = text.partition(_CLOSE)
    if closed and _OPEN not in before and not before.endswith("`"):
        return before.strip(), rest.lstrip()
    return "", text
