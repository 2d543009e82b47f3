"""The command was called wrongly."""

from __future__ import annotations


class WrongUse(Exception):
    """The message says how to call it."""
