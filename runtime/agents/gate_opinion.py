"""What a gate makes of whom it asked: an agent's reply that has to be read, or a judge's verdict."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import attrs

from ...dsl.plan import GatePlan
from ..judge.reading import read_gate_judge, read_json, read_verdict
from ..store.records import GateJudgeRecord
from .gate_report import exact
from .messages import Verdict


@attrs.frozen
class Opinion:
    """`passed` holds the gate's policy already where the reply could not be read; `score` is None where none was
    given."""

    passed: bool
    score: Fraction | None
    record: GateJudgeRecord


def opinion_of_reply(plan: GatePlan, party: str, reply: str) -> Opinion:
    """An `ask` is read for its verdict alone, a judge for its score as well."""
    reason = _reason(reply)
    if plan.judge is None:
        said = read_verdict(reply)
        return _opinion(plan, party, said.verdict if said.readable else None, None, reason)
    judged = read_gate_judge(reply)
    verdict = judged.verdict if judged.readable else None
    if plan.judge.weight is not None and judged.score is None:
        # Its own score cannot be read, and the sum needs one.
        verdict = None
    return _opinion(plan, party, verdict, judged.score, reason)


def opinion_of_judge(plan: GatePlan, party: str, verdict: Verdict) -> Opinion:
    """A declared judge's verdict; a rating's score joins a weighted sum as it is. A rating that cannot be read is a
    failed one whatever the gate's policy says of replies: it never passes."""
    if not verdict.readable:
        record = GateJudgeRecord(party=party, readable=False, reason=verdict.reason)
        return Opinion(False, None, record)
    score = Fraction(verdict.score) if verdict.score is not None else None
    return _opinion(plan, party, "pass" if verdict.passed else "block", score, verdict.reason)


def _opinion(
    plan: GatePlan,
    party: str,
    verdict: Literal["pass", "block"] | None,
    score: Fraction | None,
    reason: str | None,
) -> Opinion:
    """`verdict` is None where it could not be read: then the gate's policy stands in its place."""
    readable = verdict is not None
    score = score if readable else None
    record = GateJudgeRecord(
        party=party, verdict=verdict, score=exact(score), readable=readable, reason=reason
    )
    return Opinion((verdict or plan.unreadable) == "pass", score, record)


def _reason(reply: str) -> str | None:
    """What a reply in JSON gives as its reason."""
    reading = read_json(reply)
    reason = reading.value.get("reason") if reading.ok and isinstance(reading.value, dict) else None
    return reason if isinstance(reason, str) and reason.strip() else None
