"""`jrun calibrate`: a judge held against what people said of the same answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ...dsl.plan import UsePlan
from ..judge.errors import ConfigurationError
from ..session import Session
from ..store.history import as_text
from ..store.money import Cost, merge
from ..store.query import TernFilter
from ..store.records import Json
from ..store.scores import labels
from ..store.terns import Store
from .cases import Case
from .checks import CheckResult, Checks, Subject, answer_of
from .measure import SHARE
from .pace import Pace
from .results import Cause, causes_of, juries_of
from .rows import Fault
from .statistics import Kappa, Mean, cohens_kappa, mean_of
from .versions import check_version

BINS = 5
"""Of the reliability curve."""
_STEPS = 20
Table = Mapping[tuple[bool, bool], int]
"""How often which pair was said: the person's word, then the judge's."""


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """An answer and what a person said of it."""

    id: str
    line: int = 0
    flow: str
    task: str
    answer: Any
    label: bool
    fields: dict[str, Json] = {}


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One labelled answer as the judge sees it. `measures` are numbers between 0 and 1 that a bar could be set on."""

    id: str
    line: int = 0
    task: str
    label: bool
    result: CheckResult
    measures: dict[str, float] = {}


class Confusion(msgspec.Struct, frozen=True, kw_only=True):
    """Counts: what the person said first, what the judge said second."""

    pass_pass: int = 0
    pass_fail: int = 0
    fail_pass: int = 0
    fail_fail: int = 0

    @property
    def n(self) -> int:
        return self.pass_pass + self.pass_fail + self.fail_pass + self.fail_fail

    @property
    def table(self) -> Table:
        return {
            (True, True): self.pass_pass,
            (True, False): self.pass_fail,
            (False, True): self.fail_pass,
            (False, False): self.fail_fail,
        }


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """What the judge would be with this bar: at or above it passes."""

    bar: float
    agreement: float
    kappa: float | None
    confusion: Confusion


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """The answers whose measure lies in low … high: what the judge said on average, and how many people passed."""

    low: float
    high: float
    said: float
    passed: Mean


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """A number of the judge over all labelled answers."""

    name: str
    n: int
    bars: tuple[Bar, ...]
    best: Bar | None
    """The bar with the highest kappa: found on the labels that it is measured on, so it looks better than it is."""
    bins: tuple[Bin, ...]
    brier: float
    """Mean squared distance to what people said, 0 the best; always saying the base rate gives `base_brier`."""
    base_brier: float


class CalibrationReport(msgspec.Struct, frozen=True, kw_only=True):
    schema: int = 1
    kind: str = "calibrate"
    workflow: str
    judge: str
    source: str
    """Where the labels come from."""
    labelled: int
    judged: int
    agreement: Mean
    kappa: Kappa
    confusion: Confusion
    base_rate: float | None
    """The share that people passed."""
    constant: float | None
    """The agreement of a judge that always says what people said most."""
    measures: tuple[Measure, ...] = ()
    items: tuple[Judged, ...] = ()
    """Every answer that was looked at."""
    causes: tuple[Cause, ...] = ()
    disputed: int = 0
    """Answers on which people disagree: left out."""
    faults: tuple[str, ...] = ()
    juries: tuple[tuple[str, Kappa], ...] = ()
    left: int = 0
    stopped: str | None = None
    account: str
    cost: Cost = Cost()

    @property
    def disagreements(self) -> tuple[Judged, ...]:
        return tuple(each for each in self.items if each.result.passed not in (None, each.label))


async def calibrate(
    session: Session,
    judge: UsePlan,
    shown: str,
    labelled: Sequence[Labelled],
    pace: Pace,
    *,
    source: str,
    disputed: int = 0,
    faults: Sequence[Fault] = (),
) -> CalibrationReport:
    """Asks the judge about every labelled answer. What it could not judge counts neither as agreement nor against."""
    checks = Checks(session, (judge,), pace.account)
    # By place: the short ids of two runs may be the same.
    found: dict[int, Judged] = {}

    async def one(place: tuple[int, Labelled]) -> str:
        at, item = place
        subject = Subject(flow=item.flow, task=item.task, answer=item.answer, case=item.fields)
        result = await checks.one(judge, subject)
        found[at] = Judged(
            id=item.id,
            line=item.line,
            task=item.task,
            label=item.label,
            result=result,
            measures=measures_of(result),
        )
        return f"{result.state:<10}  {item.id}"

    await pace.through([*enumerate(labelled)], one)
    results = [judged for _, judged in sorted(found.items())]
    return report_of(
        session.plan.workflow,
        shown,
        results,
        labelled=len(labelled),
        source=source,
        disputed=disputed,
        faults=tuple(map(str, faults)),
        stopped=pace.stopped,
        account=pace.account.name,
    )


def report_of(
    workflow: str, judge: str, results: Sequence[Judged], *, labelled: int, source: str, **more: Any
) -> CalibrationReport:
    """What the judgements come to. Pure: no model is asked here."""
    said = [(each, each.result.passed) for each in results if each.result.passed is not None]
    confusion = confusion_of([(each.label, passed) for each, passed in said])
    base = (confusion.pass_pass + confusion.pass_fail) / confusion.n if confusion.n else None
    return CalibrationReport(
        workflow=workflow,
        judge=judge,
        source=source,
        labelled=labelled,
        judged=len(said),
        agreement=mean_of([float(each.label == passed) for each, passed in said]),
        kappa=cohens_kappa(confusion.table),
        confusion=confusion,
        base_rate=base,
        constant=max(base, 1 - base) if base is not None else None,
        measures=_measures([each for each, _ in said]),
        items=tuple(results),
        causes=causes_of((each.id, each.result) for each in results),
        juries=juries_of(each.result for each in results),
        left=labelled - len(results),
        cost=merge(each.result.cost for each in results),
        **more,
    )


def measures_of(result: CheckResult) -> dict[str, float]:
    """The numbers of a verdict that a bar could be set on, between 0 and 1."""
    found: dict[str, float] = {}
    if not result.readable:
        return found
    shares = result.metrics.get(SHARE)
    if isinstance(shares, Mapping):
        found.update((str(name), float(share)) for name, share in shares.items())
    score = result.metrics.get("score")
    if isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1:
        found["score"] = float(score)
    jury = result.metrics.get("jury")
    if isinstance(jury, Mapping) and jury["passed"] + jury["failed"]:
        found["votes for"] = jury["passed"] / (jury["passed"] + jury["failed"])
    return found


def confusion_of(pairs: Sequence[tuple[bool, bool]]) -> Confusion:
    return Confusion(
        pass_pass=pairs.count((True, True)),
        pass_fail=pairs.count((True, False)),
        fail_pass=pairs.count((False, True)),
        fail_fail=pairs.count((False, False)),
    )


def _measures(said: Sequence[Judged]) -> tuple[Measure, ...]:
    names = dict.fromkeys(name for each in said for name in each.measures)
    return tuple(
        measure_of(name, [(each.measures[name], each.label) for each in said if name in each.measures])
        for name in names
    )


def measure_of(name: str, values: Sequence[tuple[float, bool]]) -> Measure:
    """The sweep of bars, and the reliability curve."""
    bars = tuple(_bar(step / _STEPS, values) for step in range(1, _STEPS + 1))
    known = [bar for bar in bars if bar.kappa is not None]
    base = sum(label for _, label in values) / len(values)
    return Measure(
        name=name,
        n=len(values),
        bars=bars,
        best=max(known, key=lambda bar: (bar.kappa or 0.0, bar.agreement)) if known else None,
        bins=_bins(values),
        brier=math.fsum((value - label) ** 2 for value, label in values) / len(values),
        base_brier=base * (1 - base),
    )


def _bar(bar: float, values: Sequence[tuple[float, bool]]) -> Bar:
    confusion = confusion_of([(label, value >= bar) for value, label in values])
    agreed = (confusion.pass_pass + confusion.fail_fail) / confusion.n
    kappa = cohens_kappa(confusion.table).value
    return Bar(bar=bar, agreement=agreed, kappa=kappa, confusion=confusion)


def _bins(values: Sequence[tuple[float, bool]]) -> tuple[Bin, ...]:
    """Bins of equal width, those without an answer left out; 1 belongs to the last."""
    members: dict[int, list[tuple[float, bool]]] = {}
    for value, label in values:
        members.setdefault(min(int(value * BINS), BINS - 1), []).append((value, label))
    return tuple(
        Bin(
            low=at / BINS,
            high=(at + 1) / BINS,
            said=math.fsum(value for value, _ in each) / len(each),
            passed=mean_of([float(label) for _, label in each]),
        )
        for at, each in sorted(members.items())
    )


# --- where labels come from ---------------------------------------------------------------------------------


def labelled_cases(
    session: Session, flow: str, cases: Sequence[Case], name: str
) -> tuple[list[Labelled], list[Fault]]:
    """The cases of a file that hold an answer and a label; what the others lack."""
    found: list[Labelled] = []
    faults: list[Fault] = []
    for case in cases:
        if case.label is None or case.answer is None:
            lacks = "label" if case.label is None else "answer"
            fix = 'a labelled case is {"input": "…", "answer": "…", "label": "pass"}'
            faults.append(Fault(name, case.line, f"this case has no {lacks}", fix))
            continue
        try:
            answer = answer_of(session, flow, case.answer)
        except ConfigurationError as error:
            faults.append(Fault(name, case.line, error.message, f"write it as {flow} answers"))
            continue
        found.append(
            Labelled(
                id=case.id,
                line=case.line,
                flow=flow,
                task=as_text(case.input),
                answer=answer,
                label=case.label,
                fields={"id": case.id, **case.fields, "input": case.input, "expected": case.expected},
            )
        )
    return found, faults


def labelled_runs(
    session: Session, store: Store, tenant: str, version: str | None
) -> tuple[list[Labelled], int]:
    """The runs that people have labelled, oldest first, and on how many of them they disagree. `ConfigurationError`
    where nothing has such a version."""
    check_version(store, version, tenant, session.plan.workflow, session.versions)
    query = TernFilter(tenant=tenant, version=version, status="answered")
    said: dict[str, set[str]] = {}
    for label in labels(store, query):
        said.setdefault(label.run, set()).add(label.label)
    found: list[Labelled] = []
    disputed = 0
    for head in reversed(store.list_terns(query)):
        words = said.get(head.id, set())
        if head.workflow != session.plan.workflow or not words:
            continue
        if len(words) > 1:
            disputed += 1
            continue
        try:
            answer = answer_of(session, head.flow, head.answer)
        except ConfigurationError:
            answer = head.answer  # a judge that reads it as it is can still judge it
        found.append(
            Labelled(
                id=head.id[:8],
                flow=head.flow,
                task=as_text(head.task),
                answer=answer,
                label=words == {"pass"},
            )
        )
    return found, disputed
