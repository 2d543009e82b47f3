"""How sure a decision must be, and what happens below that."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar, overload

import attrs

from ..judge.confidence import checked_minimum
from ..judge.errors import ConfigurationError

D_co = TypeVar("D_co", covariant=True)
U = TypeVar("U")
U_co = TypeVar("U_co", covariant=True)


@attrs.frozen
class BranchMeta(Generic[D_co]):
    """What a callback gets of the accepted decision; never the context."""

    invocation_id: str
    decision: D_co


@attrs.frozen
class UncertainMeta(Generic[D_co]):
    """What `uncertain` gets: the decision that was not sure enough, and the bar. Where the service refused the
    question there is no decision, and `refusal` is what it said."""

    invocation_id: str
    decision: D_co | None
    minimum: float
    refusal: str | None = None


@attrs.frozen(init=False, eq=False, repr=False)
class Confidence(Generic[U_co]):
    """A bar: `confidence >= minimum` is accepted, and below it `uncertain` is called instead of any branch.

    A preset carries the minimum alone. A use of such a preset may leave the minimum out, or override it.
    Raises `ConfigurationError` for a minimum that is not between 0 and 1.
    """

    minimum: float | None
    uncertain: Callable[[UncertainMeta[Any]], Any] | None

    @overload
    def __init__(self: Confidence[Any], minimum: float) -> None: ...

    @overload
    def __init__(
        self: Confidence[U],
        minimum: float | None = None,
        *,
        uncertain: Callable[[UncertainMeta[Any]], Coroutine[Any, Any, U]],
    ) -> None: ...

    @overload
    def __init__(
        self: Confidence[U], minimum: float | None = None, *, uncertain: Callable[[UncertainMeta[Any]], U]
    ) -> None: ...

    def __init__(
        self,
        minimum: float | None = None,
        *,
        uncertain: Callable[[UncertainMeta[Any]], Any] | None = None,
    ) -> None:
        minimum = None if minimum is None else checked_minimum(minimum)
        if uncertain is not None and not callable(uncertain):
            raise ConfigurationError("`uncertain` must be a function", code="decision.callback")
        if minimum is None and uncertain is None:
            raise ConfigurationError(
                "a Confidence needs a minimum, or what happens below one", code="decision.confidence"
            )
        self.__attrs_init__(minimum, uncertain)

    def __repr__(self) -> str:
        handled = ", uncertain=…" if self.uncertain is not None else ""
        return f"Confidence({self.minimum}{handled})"
