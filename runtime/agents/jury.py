"""A jury: several models judge the same answer, each for itself and all at once, and their votes make one verdict.

What is needed is more than half of all members (`agree majority`) or every one (`agree all`). A member that could not
be read or did not answer has no vote; it is never counted as one. Where the missing votes could still turn the
verdict there is none: the failed call is raised, or the verdict is unreadable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import msgspec
import trio

from ..judge.errors import JudgeflowError, ProviderError
from .judge_form import Form, JudgeParts
from .messages import Draw, JudgeTask, Verdict

Said = Verdict | JudgeflowError


class Jury:
    """`parts.plan.jury` names the members' models; each member is the judge with that model alone."""

    def __init__(self, parts: JudgeParts, make: Callable[[JudgeParts], Form]) -> None:
        plan = parts.plan
        self.name = plan.name
        self.needed = len(plan.jury) if plan.agree == "all" else len(plan.jury) // 2 + 1
        self.members: list[tuple[str, Form]] = []
        for model in plan.jury:
            alone = msgspec.structs.replace(plan, model=model, jury=())
            self.members.append((model, make(attrs.evolve(parts, plan=alone))))

    async def handle(self, task: JudgeTask) -> Verdict:
        said = await self._ask(task)
        for model, one in said.items():
            if isinstance(one, JudgeflowError):
                task.run.warnings.append(
                    f"judge:{self.name}: {model} did not judge: {one.message} ({one.code})"
                )
        return self._verdict(said)

    async def _ask(self, task: JudgeTask) -> dict[str, Said]:
        found: dict[str, Said] = {}
        broken: list[Exception] = []
        size = len(self.members)
        first = max(task.draw.number - 1, 0) * size

        async def one(at: int, model: str, member: Form) -> None:
            # A place of its own, so that a script's list is taken in the order of the members.
            draw = Draw(first + at + 1, max(task.draw.of, 1) * size)
            try:
                found[model] = await member.handle(msgspec.structs.replace(task, draw=draw))
            except JudgeflowError as error:
                if isinstance(error, ProviderError) or error.code == "judge.blank":
                    found[model] = error
                    return
                broken.append(error)
                nursery.cancel_scope.cancel()
            except Exception as error:
                broken.append(error)
                nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            for at, (model, member) in enumerate(self.members):
                nursery.start_soon(one, at, model, member)
                # Tasks that are started together run in any order; members are asked in theirs.
                await trio.lowlevel.checkpoint()
        if broken:
            raise broken[0]
        return {model: found[model] for model, _ in self.members}

    def _verdict(self, said: Mapping[str, Said]) -> Verdict:
        votes = {model: _vote(one) for model, one in said.items()}
        passed = sum(vote is True for vote in votes.values())
        failed = sum(vote is False for vote in votes.values())
        missing = len(votes) - passed - failed
        metrics: dict[str, Any] = {
            "jury": {
                "votes": votes,
                "passed": passed,
                "failed": failed,
                "missing": missing,
                "tie": passed == failed,
            }
        }
        readable = [one for one in said.values() if isinstance(one, Verdict) and one.readable]
        score = _mean(readable)
        if score is not None:
            metrics["score"] = float(score)
        own = {
            model: dict(one.metrics)
            for model, one in said.items()
            if isinstance(one, Verdict) and one.metrics
        }
        if own:
            metrics["members"] = own
        if passed < self.needed <= passed + missing:
            return self._none(said, passed, failed, metrics)
        text = None if score is None else str(score)
        if passed >= self.needed:
            return Verdict(True, metrics=metrics, score=text)
        return Verdict(False, self._reason(readable, failed), metrics, field=_field(readable), score=text)

    def _reason(self, readable: Sequence[Verdict], failed: int) -> str:
        reasons = dict.fromkeys(one.reason for one in readable if not one.passed and one.reason)
        return f"{failed} of {len(self.members)}: {'; '.join(reasons)}"

    def _none(self, said: Mapping[str, Said], passed: int, failed: int, metrics: dict[str, Any]) -> Verdict:
        """The members that are left cannot decide: a failed call is no opinion, and neither is what cannot be read."""
        for one in said.values():
            if isinstance(one, JudgeflowError):
                raise one
        return Verdict(
            False,
            f"{self.name} has no verdict: {passed} for and {failed} against of {len(self.members)} members, "
            "the others could not be read",
            metrics,
            readable=False,
            field="llm_response",
        )


def _vote(said: Said) -> bool | None:
    return said.passed if isinstance(said, Verdict) and said.readable else None


def _mean(readable: Sequence[Verdict]) -> Fraction | None:
    """The mean of the ratings that could be read; None where the members do not rate."""
    scores = [Fraction(one.score) for one in readable if one.score is not None]
    return sum(scores, Fraction(0)) / len(scores) if scores else None


def _field(readable: Sequence[Verdict]) -> str | None:
    return next((one.field for one in readable if one.field is not None), None)
