"""`jrun replay FILE --version V`: old tasks under today's file, before and after on the same tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from ...dsl.plan import UsePlan
from ..judge.errors import ConfigurationError
from ..session import Session
from ..store.canonical import canonical_hash
from ..store.history import as_text
from ..store.money import Cost, merge
from ..store.query import TernFilter
from ..store.records import TernHead, Versions, head_of
from ..store.scores import scores
from ..store.terns import Store
from ..store.writer import StoreWriter
from .checks import Checks
from .pace import Pace
from .results import Cause, gathered
from .statistics import Paired, paired, per_item
from .terns import TernQuery, keep_score, score_of
from .versions import known_versions

_ENDED = ("answered", "failed", "guarded")


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """One old run and what its task came to today. A score is None where there was no answer or no judgement."""

    original: str
    run: str | None = None
    task: str
    status_before: str
    status_after: str | None = None
    before: float | None = None
    after: float | None = None
    cause: str | None = None
    """Why there is nothing to compare."""
    cost_before: Cost = Cost()
    cost_after: Cost = Cost()
    later_turn: bool = False
    """The original saw the turns before it, and the replay begins a new thread."""


class ReplayReport(msgspec.Struct, frozen=True, kw_only=True):
    schema: int = 1
    kind: str = "replay"
    workflow: str
    version: str
    """As it was asked for."""
    judge: str
    before: tuple[Versions, ...]
    """Of the originals: one, unless a declared version was several plans."""
    after: Versions
    profile: str | None = None
    paired: Paired
    """Over different tasks that have a score on both sides; several runs of a task count once."""
    tasks: tuple[Replayed, ...]
    causes: tuple[Cause, ...] = ()
    lost: int = 0
    """Answered before, not any more."""
    won: int = 0
    """Answered now, not before."""
    unanswered: int = 0
    """Neither before nor now, and for the same reason: nothing that changed."""
    later_turns: int = 0
    left: int = 0
    stopped: str | None = None
    account: str
    cost_before: Cost = Cost()
    cost_after: Cost = Cost()
    judging: Cost = Cost()


async def replay(
    session: Session, judge: UsePlan, key: str, shown: str, pace: Pace, query: TernQuery
) -> ReplayReport:
    """Runs the tasks of a version's original runs again, oldest first, each in a new thread, and scores both sides.

    `ConfigurationError` where there is no such run.
    """
    writer = session.writer
    assert isinstance(writer, StoreWriter)
    workflow = session.plan.workflow
    originals, known = await writer.read(lambda store: _originals(store, query, workflow))
    if not originals:
        raise ConfigurationError(
            f"{workflow}: no run of version {query.version} can be replayed; "
            f"there are {', '.join(known) or 'no runs'}",
            code="replay.no-runs",
        )
    kept = await writer.read(lambda store: _kept_scores(store, query, key))
    work = _Replay(session, judge, key, pace, kept)
    await pace.through(originals, work.one)
    found = tuple(work.found[head.id] for head in originals if head.id in work.found)
    return ReplayReport(
        workflow=workflow,
        version=query.version or "",
        judge=shown,
        before=tuple(dict.fromkeys(head.versions for head in originals)),
        after=session.versions,
        profile=session.profile,
        paired=compared(found),
        tasks=found,
        causes=gathered((each.original[:8], each.cause) for each in found if each.cause is not None),
        lost=sum(each.status_before == "answered" != each.status_after for each in found),
        won=sum(each.status_before != "answered" == each.status_after for each in found),
        unanswered=sum(_unchanged(each) for each in found),
        later_turns=sum(each.later_turn for each in found),
        left=len(originals) - len(found),
        stopped=pace.stopped,
        account=pace.account.name,
        cost_before=merge(each.cost_before for each in found),
        cost_after=merge(each.cost_after for each in found),
        judging=merge(work.judging),
    )


def _unchanged(each: Replayed) -> bool:
    return each.cause is None and "answered" not in (each.status_before, each.status_after)


def compared(found: Sequence[Replayed]) -> Paired:
    """Before and after over the tasks that have both; runs of the same task are averaged first."""
    both = [each for each in found if each.before is not None and each.after is not None]
    before = per_item((canonical_hash(each.task), each.before or 0.0) for each in both)
    after = per_item((canonical_hash(each.task), each.after or 0.0) for each in both)
    return paired(list(before.values()), list(after.values()))


class _Replay:
    def __init__(
        self, session: Session, judge: UsePlan, key: str, pace: Pace, kept: Mapping[str, float]
    ) -> None:
        self.session = session
        self.judge = judge
        self.key = key
        self.pace = pace
        self.kept = kept
        self.checks = Checks(session, (judge,), pace.account)
        self.found: dict[str, Replayed] = {}
        self.judging: list[Cost] = []

    async def one(self, head: TernHead) -> str:
        about = Replayed(
            original=head.id,
            task=as_text(head.task),
            status_before=head.status,
            cost_before=head.cost,
            later_turn=head.turn > 1,
        )
        limits = self.pace.account.limited(self.session.plan.limits)
        try:
            result = await self.session.run(
                head.task, flow=head.flow, tenant=head.tenant, replay_of=head.id, limits=limits
            )
        except ConfigurationError as error:
            # The flow is not there any more, or does not take this task.
            self.found[head.id] = msgspec.structs.replace(about, cause=f"{error.code}: {error.message}")
            return f"{head.id[:8]}  cannot be run"
        record = head_of(result.record)
        self.pace.account.check(result.record)
        about = msgspec.structs.replace(
            about, run=record.id, status_after=record.status, cost_after=record.cost
        )
        before, cause_before = await self._score(head)
        after, cause_after = await self._score(record)
        self.found[head.id] = msgspec.structs.replace(
            about, before=before, after=after, cause=_cause(head, record) or cause_before or cause_after
        )
        shown = "–" if after is None else f"{after:.2f}"
        return f"{head.id[:8]}  {'–' if before is None else f'{before:.2f}'} → {shown}"

    async def _score(self, head: TernHead) -> tuple[float | None, str | None]:
        """The score that the judge gave or gives, and why there is none."""
        if head.status != "answered":
            return None, None
        if head.id in self.kept:
            return self.kept[head.id], None
        result = await score_of(self.checks, self.judge, head)
        self.judging.append(result.cost)
        await keep_score(self.session, head, self.key, result)
        if result.score is not None:
            return result.score, None
        return None, result.error or f"{result.check}: its model's reply could not be read"


def _kept_scores(store: Store, query: TernQuery, key: str) -> dict[str, float]:
    """What the judge said of the version's runs before. Read at once: one read a run would go through the store each
    time."""
    found = scores(store, TernFilter(tenant=query.tenant, version=query.version))
    return {score.run: score.score for score in found if score.judge == key and score.score is not None}


def _cause(head: TernHead, record: TernHead) -> str | None:
    """Why the two cannot be compared; None where they can, and where the run ended as it had before."""
    if record.status == "answered":
        return None if head.status == "answered" else f"it was {head.status} before, and is answered now"
    if (head.status, head.code) == (record.status, record.code):
        return None
    return f"now {record.status} {record.code}: {record.reason or ''}".rstrip(": ")


def _originals(store: Store, query: TernQuery, workflow: str) -> tuple[list[TernHead], list[str]]:
    """The newest runs of the version that are no replays, oldest first; and which versions there are."""
    everything = [
        head
        for head in store.list_terns(TernFilter(tenant=query.tenant, version=query.version))
        if head.workflow == workflow
        and head.replay_of is None
        and head.evaluation is None
        and head.status in _ENDED
    ]
    chosen = everything[: query.limit] if query.limit is not None else everything
    known = known_versions(store, query.tenant, workflow) if not chosen else []
    return chosen[::-1], known
