"""What an expression cannot do with the values that it was given."""

from __future__ import annotations

from ..judge.errors import JudgeflowError


class ExpressionError(JudgeflowError):
    """A value has the wrong type, or a bound was crossed. `start` and `end` are offsets in the declaration that
    `origin` (its file and line) names; the message carries the file and the line."""

    code = "expression"

    def __init__(self, message: str, *, start: int, end: int) -> None:
        super().__init__(message)
        self.start = start
        self.end = end
