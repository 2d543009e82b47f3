"""`jrun eval FILE`: P(adequate), or a judge's score, for each answered run that has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import msgspec

from ...dsl.plan import UsePlan
from ...dsl.shapes import Json as JsonShape
from ..judge.errors import ConfigurationError
from ..session import Session
from ..store.canonical import canonical_hash
from ..store.history import as_text
from ..store.money import Cost, merge
from ..store.query import TernFilter
from ..store.records import TernHead
from ..store.scores import Score, put_score, scores
from ..store.terns import Store
from ..store.writer import StoreWriter
from .checks import CheckResult, Checks, Subject, answer_of
from .pace import Pace
from .results import Cause, causes_of, juries_of
from .statistics import Kappa, Mean, mean_of, per_item
from .versions import check_version


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """A run that was judged now."""

    run: str
    task: str
    version: str | None
    prompt: str | None
    result: CheckResult


class VersionRow(msgspec.Struct, frozen=True, kw_only=True):
    """The answered runs of one prompt version."""

    version: str | None
    """As declared."""
    prompt: str | None
    """Hash of the prompts."""
    terns: int
    scored: int
    unreadable: int
    """Of those without a score: the judge's reply could not be read."""
    tasks: int
    """Different tasks among the scored: several runs of one task count once, with their mean."""
    mean: Mean
    cost: Cost
    """Of the runs themselves."""


class EvalReport(msgspec.Struct, frozen=True, kw_only=True):
    schema: int = 1
    kind: str = "eval"
    workflow: str
    judge: str
    versions: tuple[VersionRow, ...]
    scored: tuple[Scored, ...] = ()
    """Those that were judged now, in the order of the runs."""
    unscored: int = 0
    """Answered runs that still have no score."""
    causes: tuple[Cause, ...] = ()
    """Why, for those that were judged now and have none."""
    stopped: str | None = None
    juries: tuple[tuple[str, Kappa], ...] = ()
    account: str
    cost: Cost = Cost()
    """Of judging."""

    @property
    def mean(self) -> float | None:
        """Over all versions shown: what `--fail-under` looks at."""
        values = [(row.mean.value, row.tasks) for row in self.versions if row.mean.value is not None]
        total = sum(tasks for _, tasks in values)
        return sum(value * tasks for value, tasks in values) / total if total else None


@attrs.frozen(kw_only=True)
class TernQuery:
    """Which runs are judged: of one version, the newest `limit` of those that have no score."""

    tenant: str = ""
    version: str | None = None
    limit: int | None = 100

    def filter(self) -> TernFilter:
        return TernFilter(tenant=self.tenant, version=self.version, status="answered")


async def eval_terns(
    session: Session, judge: UsePlan, key: str, shown: str, pace: Pace, query: TernQuery
) -> EvalReport:
    """Judges what has no score yet and keeps each score at once. `key` is the judge's name in the store, `shown` for
    people. A judge that fails leaves a run unscored. `ConfigurationError` where nothing has such a version."""
    writer = session.writer
    assert isinstance(writer, StoreWriter)
    workflow = session.plan.workflow
    await writer.read(
        lambda store: check_version(store, query.version, query.tenant, workflow, session.versions)
    )
    heads, found = await writer.read(lambda store: _answered(store, query, workflow, key))
    chosen = _waiting(heads, found, query.limit)
    checks = Checks(session, (judge,), pace.account)
    judged: dict[str, Scored] = {}

    async def one(head: TernHead) -> str:
        result = await score_of(checks, judge, head)
        await keep_score(session, head, key, result)
        judged[head.id] = Scored(
            run=head.id,
            task=as_text(head.task),
            version=head.versions.workflow,
            prompt=head.versions.prompt,
            result=result,
        )
        return (
            f"{head.id[:8]}  {result.score:.2f}"
            if result.score is not None
            else f"{head.id[:8]}  {result.state}"
        )

    await pace.through(chosen, one)
    _, found = await writer.read(lambda store: _answered(store, query, workflow, key))
    by_run = {score.run: score for score in found}
    now = tuple(judged[head.id] for head in chosen if head.id in judged)
    return EvalReport(
        workflow=workflow,
        judge=shown,
        versions=version_rows(heads, by_run),
        scored=now,
        unscored=sum(by_run.get(head.id, _NONE).score is None for head in heads),
        causes=causes_of((each.run[:8], each.result) for each in now),
        stopped=pace.stopped,
        juries=juries_of(each.result for each in now),
        account=pace.account.name,
        cost=merge(each.result.cost for each in now),
    )


def waiting_runs(store: Store, query: TernQuery, workflow: str, key: str) -> list[TernHead]:
    """The runs that would be judged, oldest first."""
    return _waiting(*_answered(store, query, workflow, key), query.limit)


def _waiting(heads: list[TernHead], found: Sequence[Score], limit: int | None) -> list[TernHead]:
    done = {score.run for score in found if score.score is not None}
    waiting = [head for head in heads if head.id not in done]
    return waiting if limit is None else waiting[max(len(waiting) - limit, 0) :]


_JSON = JsonShape()
_NONE = Score(run="", judge="", score=None, scored="")


async def score_of(checks: Checks, judge: UsePlan, head: TernHead) -> CheckResult:
    """What the judge says of a recorded answer."""
    plan = checks.session.plan
    answer = head.answer
    if plan.judges[judge.judge].params[0].shape != _JSON:
        try:
            answer = answer_of(checks.session, head.flow, head.answer)
        except ConfigurationError as error:
            return CheckResult(check=judge.judge, readable=False, error=f"{error.code}: {error.message}")
    subject = Subject(
        flow=head.flow, task=as_text(head.task), answer=answer, thread=head.thread, tenant=head.tenant
    )
    return await checks.one(judge, subject)


async def keep_score(session: Session, head: TernHead, key: str, result: CheckResult) -> None:
    """Keeps a score as soon as it is there. A judge that did not answer leaves nothing behind."""
    writer = session.writer
    if result.error is not None or not isinstance(writer, StoreWriter):
        return
    score = Score(
        run=head.id,
        judge=key,
        score=result.score,
        reason=result.reason,
        cost=result.cost.total,
        scored=session.stamp(),
    )
    await writer.transact(lambda store: put_score(store, score, tenant=head.tenant))


def version_rows(heads: Sequence[TernHead], by_run: Mapping[str, Score]) -> tuple[VersionRow, ...]:
    """A row for each prompt version, the oldest first."""
    groups: dict[tuple[str | None, str | None], list[TernHead]] = {}
    for head in heads:
        groups.setdefault((head.versions.workflow, head.versions.prompt), []).append(head)
    rows = []
    for (version, prompt), members in groups.items():
        values = [
            (canonical_hash(head.task), score.score)
            for head in members
            if (score := by_run.get(head.id)) is not None and score.score is not None
        ]
        items = per_item(values)
        rows.append(
            VersionRow(
                version=version,
                prompt=prompt,
                terns=len(members),
                scored=len(values),
                unreadable=sum(head.id in by_run and by_run[head.id].score is None for head in members),
                tasks=len(items),
                mean=mean_of(list(items.values())),
                cost=merge(head.cost for head in members),
            )
        )
    return tuple(rows)


def _answered(store: Store, query: TernQuery, workflow: str, key: str) -> tuple[list[TernHead], list[Score]]:
    """The workflow's answered runs, oldest first, and this judge's scores of them."""
    heads = [
        head
        for head in reversed(store.list_terns(query.filter()))
        # What suites and comparisons ask says nothing of what users do.
        if head.workflow == workflow and head.evaluation is None
    ]
    return heads, [score for score in scores(store, query.filter()) if score.judge == key]
