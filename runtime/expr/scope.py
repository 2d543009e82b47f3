"""Where an expression finds its names, and how much work it may do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

DEFAULT_STEPS = 1_000_000
LETTERS_A_STEP = 1000
"""Characters that cost as much as one turn: a text that is made again in every turn spends the budget too."""
MAX_TEXT = 10_000_000
MAX_ITEMS = 1_000_000


class Scope:
    """Names and their values for one evaluation. `functions` are those that only stand in some places (`calls` in a
    judge, `verdicts` in a test). `steps` is what is left of the budget; an expression that spends it is an error."""

    __slots__ = ("functions", "steps", "values")

    def __init__(
        self,
        values: dict[str, Any],
        functions: Mapping[str, Callable[..., Any]] | None = None,
        steps: int = DEFAULT_STEPS,
    ) -> None:
        self.values = values
        self.functions = functions
        self.steps = steps

    def renew(self) -> None:
        """A new budget: every statement of a flow has its own."""
        self.steps = DEFAULT_STEPS
