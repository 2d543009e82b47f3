"""What the steps gave that an earlier process of the same run has ended: from their records back to values."""

from __future__ import annotations

from typing import Any

from ...dsl import shapes
from ...dsl.plan import DecisionPlan, Plan, ToolPlan
from ...dsl.shapes import Shape
from ..agents.decision_actor import Decided
from ..agents.decode import Decoder
from ..agents.gate_report import value_of
from ..agents.tool_use import MASK, unmasked
from ..expr import to_json
from ..judge.decisions import Decision, Refused
from ..judge.errors import ConfigurationError, StepError
from ..run import is_over
from ..store.records import StepRecord
from .outcomes import BLOCK, Guarded


def raise_failure(record: StepRecord) -> None:
    """A step that failed then fails now: what it cost has been paid."""
    if record.status == "failed":
        raise StepError(record.reason or "", code=record.code or "step", step=record.name)


class Recall:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._decoder = Decoder(plan.types)

    def agent(self, record: StepRecord) -> Any:
        raise_failure(record)
        variant = record.attempts[-1].variant if record.attempts else None
        return self._typed(self._plan.agents[record.name].result, record.answer, variant, record)

    def knows(self, plan: ToolPlan, record: StepRecord, secrets: tuple[str, ...]) -> bool:
        """Whether the record holds a tool's real result, or lets it be told: masked secrets are not guessed at."""
        if not is_over(record):
            return False
        value = unmasked(record.answer, secrets)
        fits = plan.result is None or not self._decoder.decode(plan.result, value)[1]
        return record.status != "succeeded" or (MASK not in to_json(value) and fits)

    def tool(self, plan: ToolPlan, record: StepRecord, secrets: tuple[str, ...]) -> Any:
        """The real value: the record holds secrets masked, and the arguments say what they were."""
        raise_failure(record)
        value = unmasked(record.answer, secrets)
        return value if plan.result is None else self._typed(plan.result, value, None, record)

    def gate(self, record: StepRecord) -> dict[str, Any]:
        raise_failure(record)
        assert record.gate is not None
        value = value_of(record.gate)
        if record.status == "blocked":
            raise Guarded(record.reason or "", code=BLOCK, value=value)
        return value

    def judge(self, record: StepRecord) -> dict[str, Any]:
        raise_failure(record)
        verdict = record.verdicts[0]
        return {
            "passed": verdict.passed,
            "reason": verdict.reason,
            "metrics": dict(verdict.metrics),
            "readable": verdict.readable,
        }

    def decision(self, plan: DecisionPlan, run: str, record: StepRecord) -> Decided:
        raise_failure(record)
        kept = record.decision
        assert kept is not None
        id = f"{run}/{record.id}"
        if kept.outcome == "refused" or kept.value is None:
            refused = Refused(f"the model refused to answer {record.name}")
            return Decided(None, True, kept.minimum, id, refused)
        decision = Decision(
            kind=plan.kind,
            value=kept.value,
            label=kept.selected,
            probabilities=kept.probabilities,
            confidence=kept.confidence or 0.0,
            derived=kept.origin == "derived",
            normalized=kept.normalized,
            levels=plan.choices if plan.kind == "scale" else (),
            level=plan.choices.index(kept.selected) if plan.kind == "scale" else 0,
        )
        return Decided(decision, kept.outcome == "uncertain", kept.minimum, id)

    def _typed(self, shape: Shape, answer: Any, variant: str | None, record: StepRecord) -> Any:
        if variant is not None and not isinstance(shape, shapes.ListOf):
            shape = shapes.Record(variant)
        if isinstance(shape, shapes.ListOf) and isinstance(shape.item, shapes.Union) and _is_tagged(answer):
            return [
                {
                    "variant": item["variant"],
                    "value": self._typed(shapes.Record(item["variant"]), item["value"], None, record),
                }
                for item in answer
            ]
        value, violations = self._decoder.decode(shape, answer)
        if violations:
            raise ConfigurationError(
                f"step {record.id} ({record.name}) cannot be taken from the record: {'; '.join(violations)}",
                code="resume.unreadable",
            )
        return value


def _is_tagged(answer: Any) -> bool:
    return isinstance(answer, list) and all(
        isinstance(item, dict) and item.keys() == {"variant", "value"} for item in answer
    )
