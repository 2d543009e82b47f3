"""What judges and people said of runs after they had ended: scores of evaluations, labels by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from .clock import milliseconds, moment_of, parse_timestamp, timestamp
from .errors import UnknownRunError
from .money import ZERO, Money
from .query import TernFilter, storable, where
from .records import TernHead
from .terns import Store

Said: TypeAlias = Literal["pass", "fail"]


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """A judge's score of one run. Each judge has one per run, its last."""

    run: str
    judge: str
    score: float | None
    """0 … 1; None: the judgement could not be read, and the run counts as not scored."""
    reason: str | None = None
    cost: Money = ZERO
    scored: str
    """When, as records write it."""


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """What a person said of one run. Each person has one word on it, the last."""

    run: str
    label: Said
    labeller: str = ""
    note: str | None = None
    labelled: str
    """When, as records write it."""


def put_score(store: Store, score: Score, *, tenant: str = "") -> None:
    """Keeps a score, in place of the same judge's earlier one. `UnknownRunError` if the tenant has no such run."""
    values = (storable(score.judge), score.score, _kept(score.reason), score.cost, _moment(score.scored))
    _put(
        store,
        "INSERT INTO scores (tern, judge, score, reason, cost, scored) SELECT id, ?, ?, ?, ?, ? FROM terns "
        "WHERE id = ? AND tenant = ? ON CONFLICT (tern, judge) DO UPDATE SET score = excluded.score, "
        "reason = excluded.reason, cost = excluded.cost, scored = excluded.scored",
        (*values, storable(score.run), storable(tenant)),
        score.run,
    )


def put_label(store: Store, label: Label, *, tenant: str = "") -> None:
    """Keeps a label, in place of the same person's earlier one. `UnknownRunError` if the tenant has no such run."""
    values = (storable(label.labeller), label.label, _kept(label.note), _moment(label.labelled))
    _put(
        store,
        "INSERT INTO labels (tern, labeller, label, note, labelled) SELECT id, ?, ?, ?, ? FROM terns "
        "WHERE id = ? AND tenant = ? ON CONFLICT (tern, labeller) DO UPDATE SET label = excluded.label, "
        "note = excluded.note, labelled = excluded.labelled",
        (*values, storable(label.run), storable(tenant)),
        label.run,
    )


def remove_label(store: Store, run: str, labeller: str = "") -> None:
    """Takes a label back."""
    store.database.execute(
        "DELETE FROM labels WHERE tern = ? AND labeller = ?", [storable(run), storable(labeller)]
    )


def scores(store: Store, query: TernFilter | None = None) -> tuple[Score, ...]:
    """The scores of the runs that fit, oldest run first."""
    condition, values = where(query or TernFilter())
    rows = store.database.rows(
        "SELECT tern, judge, score, reason, cost, scored FROM scores JOIN terns ON terns.id = tern "
        f"WHERE {condition} ORDER BY started, seq, judge",
        values,
    )
    return tuple(
        Score(run=run, judge=judge, score=score, reason=reason, cost=cost, scored=_text(scored))
        for run, judge, score, reason, cost, scored in rows
    )


def labels(store: Store, query: TernFilter | None = None) -> tuple[Label, ...]:
    """The labels of the runs that fit, oldest run first."""
    condition, values = where(query or TernFilter())
    rows = store.database.rows(
        "SELECT tern, label, labeller, note, labelled FROM labels JOIN terns ON terns.id = tern "
        f"WHERE {condition} ORDER BY started, seq, labeller",
        values,
    )
    return tuple(
        Label(run=run, label=label, labeller=labeller, note=note, labelled=_text(labelled))
        for run, label, labeller, note, labelled in rows
    )


def unscored(store: Store, judge: str, query: TernFilter | None = None) -> tuple[TernHead, ...]:
    """The answered runs that fit and that `judge` has given no score that could be read, oldest first.

    The limit counts these alone: the newest of them.
    """
    scored = {score.run for score in scores(store, query) if score.judge == judge and score.score is not None}
    return _without(store, query, lambda run: run in scored)


def unlabelled(store: Store, labeller: str, query: TernFilter | None = None) -> tuple[TernHead, ...]:
    """The answered runs that fit and that this person has not labelled, oldest first; limited like `unscored`."""
    done = {label.run for label in labels(store, query) if label.labeller == labeller}
    return _without(store, query, lambda run: run in done)


def _without(store: Store, query: TernFilter | None, is_done: Callable[[str], bool]) -> tuple[TernHead, ...]:
    query = query or TernFilter()
    answered = msgspec.structs.replace(query, status="answered", limit=None)
    left = [head for head in store.list_terns(answered) if not is_done(head.id)]
    return tuple(reversed(left[: query.limit]))


def _put(store: Store, sql: str, values: tuple[str | float | None, ...], run: str) -> None:
    if store.database.execute(sql, values) == 0:
        raise UnknownRunError(run)


def _kept(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _moment(text: str) -> int:
    return milliseconds(parse_timestamp(text))


def _text(ms: int) -> str:
    return timestamp(moment_of(ms))
