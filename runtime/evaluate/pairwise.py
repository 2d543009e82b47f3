"""Which of two answers is better, asked in both orders: a judge that goes by the order is found out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import attrs
import msgspec

from ...dsl.plan import UsePlan
from ..expr import to_text
from ..store.money import Cost, merge
from ..store.records import Json, Usage
from .checks import Checks, Subject
from .results import Cause, gathered
from .statistics import Mean, mean_of, sign_test

SURE = 0.6
"""A choice with less confidence is a tie."""
Pick = Literal["first", "second", "tie"]


class Ballot(msgspec.Struct, frozen=True, kw_only=True):
    """The two answers to one case, shown in both orders. `forward` had the baseline first."""

    case: str
    forward: Pick
    backward: Pick
    cause: str | None = None
    """Why one of them is no real choice."""
    cost: Cost = Cost()
    usage: Usage = Usage()

    @property
    def winner(self) -> Literal["before", "after", "tie"]:
        """Only what wins from both places wins."""
        if (self.forward, self.backward) == ("second", "first"):
            return "after"
        return "before" if (self.forward, self.backward) == ("first", "second") else "tie"

    @property
    def consistent(self) -> bool:
        """Both orders say the same of the same answers."""
        return self.cause is None and (self.winner != "tie" or self.forward == self.backward == "tie")


class PairwiseReport(msgspec.Struct, frozen=True, kw_only=True):
    """Wins are the side's over the baseline."""

    judge: str
    cases: int
    wins: int
    losses: int
    ties: int
    """Those without a choice among them."""
    p: float
    """Of the exact sign test over the cases that are no tie."""
    first_shown: Mean
    """How often what was shown first won, of all choices that were made; a fair judge is at a half."""
    consistent: int
    """Cases of which both orders say the same, of those with a choice in both."""
    no_choice: int = 0
    """Cases where the judge failed, or could not be read, in one of the orders."""
    not_compared: int = 0
    """Cases without an answer on one side."""
    causes: tuple[Cause, ...] = ()
    cost: Cost = Cost()
    """Of two calls a case."""

    @property
    def biased(self) -> bool:
        """Whether the interval of a half is left: it goes by the order."""
        interval = self.first_shown.interval
        return interval is not None and not interval.low <= 0.5 <= interval.high


@attrs.frozen(eq=False)
class Pairwise:
    checks: Checks
    use: UsePlan

    async def ballot(self, case: str, flow: str, task: str, before: Json, after: Json) -> Ballot:
        forward = await self._pick(flow, task, before, after)
        backward = await self._pick(flow, task, after, before)
        return Ballot(
            case=case,
            forward=forward[0],
            backward=backward[0],
            cause=forward[1] or backward[1],
            cost=merge([forward[2], backward[2]]),
            usage=forward[3].plus(backward[3]),
        )

    async def _pick(
        self, flow: str, task: str, first: Json, second: Json
    ) -> tuple[Pick, str | None, Cost, Usage]:
        answers = {"task": task, "first": to_text(first), "second": to_text(second)}
        result = await self.checks.one(self.use, Subject(flow=flow, task=task, answer=answers))
        error = result.error
        if error is None and not result.readable:
            error = f"{result.check}: its model's reply could not be read"
        pick, cause = picked(result.metrics, error)
        return pick, cause, result.cost, result.usage


def picked(metrics: Mapping[str, Json], error: str | None) -> tuple[Pick, str | None]:
    """What was chosen. A judge that failed, could not be read or is not sure has chosen nothing."""
    if error is not None:
        return "tie", error
    better, confidence = metrics.get("better"), metrics.get("confidence")
    if not isinstance(confidence, int | float) or confidence < SURE:
        return "tie", None
    return ("first" if better == "first" else "second"), None


def pairwise_report(judge: str, ballots: Sequence[Ballot], not_compared: int) -> PairwiseReport:
    wins = sum(ballot.winner == "after" for ballot in ballots)
    losses = sum(ballot.winner == "before" for ballot in ballots)
    picks = [pick for ballot in ballots for pick in (ballot.forward, ballot.backward) if pick != "tie"]
    return PairwiseReport(
        judge=judge,
        cases=len(ballots),
        wins=wins,
        losses=losses,
        ties=len(ballots) - wins - losses,
        p=sign_test(wins, losses),
        first_shown=mean_of([float(pick == "first") for pick in picks]),
        consistent=sum(ballot.consistent for ballot in ballots),
        no_choice=sum(ballot.cause is not None for ballot in ballots),
        not_compared=not_compared,
        causes=gathered((ballot.case, ballot.cause) for ballot in ballots if ballot.cause is not None),
        cost=merge(ballot.cost for ballot in ballots),
    )
