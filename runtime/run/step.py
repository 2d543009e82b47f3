"""One step of a run while it runs: collects what its record will hold."""

from __future__ import annotations

from typing import Any

from ..store.money import Cost
from ..store.records import (
    ApprovalRecord,
    AttemptRecord,
    DecisionRecord,
    GateRecord,
    PickRecord,
    StepKind,
    StepRecord,
    StepStatus,
    ToolCallRecord,
    Usage,
    VerdictRecord,
)
from .ledger import Ledger

_FREE, _UNUSED = Cost(), Usage()


class Step:
    """Everything of a step that its record needs, in the order in which it happens."""

    __slots__ = (
        "_ledger",
        "_record",
        "answer",
        "approval",
        "attempts",
        "binding",
        "code",
        "decision",
        "ended",
        "gate",
        "id",
        "kind",
        "name",
        "parent",
        "pick",
        "place",
        "reason",
        "started",
        "status",
        "tool_calls",
        "verdicts",
    )

    def __init__(
        self, id: str, kind: StepKind, name: str, started: str, parent: str | None, binding: str | None
    ) -> None:
        self.id = id
        self.kind: StepKind = kind
        self.name = name
        self.started = started
        self.parent = parent
        self.binding = binding
        self.place = 0
        self.status: StepStatus = "running"
        self.code: str | None = None
        self.reason: str | None = None
        self.answer: Any = None
        self.attempts: list[AttemptRecord] = []
        self.verdicts: list[VerdictRecord] = []
        self.tool_calls: list[ToolCallRecord] = []
        self.decision: DecisionRecord | None = None
        self.gate: GateRecord | None = None
        self.pick: PickRecord | None = None
        self.approval: ApprovalRecord | None = None
        self._ledger: Ledger | None = None
        self.ended: str | None = None
        self._record: StepRecord | None = None

    @property
    def ledger(self) -> Ledger:
        """What the step has paid; made when something is: many steps are free."""
        if self._ledger is None:
            self._ledger = Ledger()
        return self._ledger

    @classmethod
    def ended_as(cls, record: StepRecord) -> Step:
        """A step that has ended in an earlier process."""
        step = cls(record.id, record.kind, record.name, record.started, record.parent, record.binding)
        step.status, step.ended, step._record = record.status, record.ended, record
        return step

    def record(self) -> StepRecord:
        """The step as it stands; once it has ended, always the same record."""
        if self._record is not None:
            return self._record
        record = StepRecord(
            id=self.id,
            parent=self.parent,
            kind=self.kind,
            name=self.name,
            binding=self.binding,
            status=self.status,
            code=self.code,
            reason=self.reason,
            answer=self.answer,
            attempts=tuple(self.attempts),
            verdicts=tuple(self.verdicts),
            tool_calls=tuple(self.tool_calls),
            decision=self.decision,
            gate=self.gate,
            pick=self.pick,
            approval=self.approval,
            cost=_FREE if self._ledger is None else self._ledger.cost(),
            usage=_UNUSED if self._ledger is None else self._ledger.usage(),
            started=self.started,
            ended=self.ended,
        )
        if self.ended is not None:
            self._record = record
            # The record has it all now, and a run may have 100,000 steps.
            del self.attempts, self.verdicts, self.tool_calls, self._ledger
        return record
