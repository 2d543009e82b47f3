"""A judge whose contexts must be of one type: for a type checker alone, nothing of it runs.

`judge.scope(Ticket)` is the judge itself; what differs is what a type checker lets it be asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar, overload

from .cancel import CancelHandle
from .confidence import BranchMeta, Confidence
from .decision import BooleanDecision, ChoiceDecision, ScoreDecision
from .questions import ChoiceQuestion, Condition, ScaleQuestion

C = TypeVar("C")
K = TypeVar("K", bound=str)
T = TypeVar("T")
E = TypeVar("E")
U = TypeVar("U")

Branch: TypeAlias = Callable[[BranchMeta[BooleanDecision]], T]
AsyncBranch: TypeAlias = Callable[[BranchMeta[BooleanDecision]], Coroutine[Any, Any, T]]
Case: TypeAlias = Callable[[BranchMeta[ChoiceDecision[K]]], T]
AsyncCase: TypeAlias = Callable[[BranchMeta[ChoiceDecision[K]]], Coroutine[Any, Any, T]]


class ScopedJudge(Protocol[C]):
    """As `Judge`, without presets, which bring a context of their own."""

    async def boolean(
        self, *, condition: str | Condition[C], context: C, signal: CancelHandle | None = ...
    ) -> BooleanDecision: ...

    @overload
    async def choice(
        self,
        *,
        question: str,
        options: Sequence[K] | Mapping[K, str | None],
        context: C,
        signal: CancelHandle | None = ...,
    ) -> ChoiceDecision[K]: ...

    @overload
    async def choice(
        self, *, question: ChoiceQuestion[C, K], context: C, signal: CancelHandle | None = ...
    ) -> ChoiceDecision[K]: ...

    @overload
    async def score(
        self, *, question: ScaleQuestion[C, K], context: C, signal: CancelHandle | None = ...
    ) -> ScoreDecision[K]: ...

    @overload
    async def score(
        self, *, question: str, levels: Sequence[K], context: C, signal: CancelHandle | None = ...
    ) -> ScoreDecision[K]: ...

    @overload
    async def judge_if(
        self,
        *,
        condition: str | Condition[C],
        then: AsyncBranch[T],
        otherwise: AsyncBranch[E],
        context: C,
        confidence: Confidence[U] | None = ...,
        signal: CancelHandle | None = ...,
    ) -> T | E | U: ...

    @overload
    async def judge_if(
        self,
        *,
        condition: str | Condition[C],
        then: AsyncBranch[T],
        otherwise: Branch[E],
        context: C,
        confidence: Confidence[U] | None = ...,
        signal: CancelHandle | None = ...,
    ) -> T | E | U: ...

    @overload
    async def judge_if(
        self,
        *,
        condition: str | Condition[C],
        then: Branch[T],
        otherwise: AsyncBranch[E],
        context: C,
        confidence: Confidence[U] | None = ...,
        signal: CancelHandle | None = ...,
    ) -> T | E | U: ...

    @overload
    async def judge_if(
        self,
        *,
        condition: str | Condition[C],
        then: Branch[T],
        otherwise: Branch[E],
        context: C,
        confidence: Confidence[U] | None = ...,
        signal: CancelHandle | None = ...,
    ) -> T | E | U: ...

    @overload
    async def judge_switch(
        self,
        *,
        question: str | ChoiceQuestion[C, K],
        cases: Mapping[K, AsyncCase[K, T]],
        context: C,
        confidence: Confidence[U] | None = ...,
        signal: CancelHandle | None = ...,
    ) -> T | U: ...

    @overload
    async def judge_switch(
        self,
        *,
        question: str | ChoiceQuestion[C, K],
        cases: Mapping[K, Case[K, T]],
        context: C,
        confidence: Confidence[U] | None = ...,
        signal: CancelHandle | None = ...,
    ) -> T | U: ...

    def with_context(self, context: Mapping[str, Any]) -> ScopedJudge[C]: ...
