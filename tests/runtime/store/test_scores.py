from __future__ import annotations

import pytest

from judgeflow.runtime.store.errors import UnknownRunError
from judgeflow.runtime.store.query import TernFilter
from judgeflow.runtime.store.scores import (
    Label,
    Score,
    labels,
    put_label,
    put_score,
    remove_label,
    scores,
    unlabelled,
    unscored,
)
from judgeflow.runtime.store.terns import Store

AT = "2026-03-01T12:00:00.000Z"


def score(run: str, value: float | None, judge: str = "adequate") -> Score:
    return Score(run=run, judge=judge, score=value, reason="because", cost="0.0001", scored=AT)


def label(run: str, said: str, labeller: str = "", note: str | None = None) -> Label:
    return Label(run=run, label=said, labeller=labeller, note=note, labelled=AT)  # type: ignore[arg-type]


def at(minute: int) -> str:
    return f"2026-03-01T11:{minute:02}:00.000Z"


@pytest.fixture
def filled(store: Store, make_tern) -> Store:
    for n, status in enumerate(("answered", "failed", "answered", "answered")):
        store.finish(make_tern(f"r{n}", status=status, started=at(n)))
    return store


def test_u17_a_score_is_kept_as_it_is_and_a_judges_last_one_counts(filled: Store) -> None:
    put_score(filled, score("r0", 0.25))
    put_score(filled, score("r0", 0.5))
    put_score(filled, score("r0", 0.75, judge="strict"))
    assert scores(filled) == (score("r0", 0.5), score("r0", 0.75, judge="strict"))


def test_f26_f27_unscored_are_answered_runs_without_a_readable_score_oldest_first(filled: Store) -> None:
    put_score(filled, score("r2", 0.5))
    put_score(filled, score("r3", None))
    assert [head.id for head in unscored(filled, "adequate")] == ["r0", "r3"]
    assert [head.id for head in unscored(filled, "strict")] == ["r0", "r2", "r3"]


def test_f28_the_limit_counts_what_is_left_to_score_newest(filled: Store) -> None:
    put_score(filled, score("r3", 0.5))
    assert [head.id for head in unscored(filled, "adequate", TernFilter(limit=1))] == ["r2"]


def test_f36_a_persons_last_word_counts_and_can_be_taken_back(filled: Store) -> None:
    put_label(filled, label("r0", "pass", "ann"))
    put_label(filled, label("r0", "fail", "ann", "no source"))
    put_label(filled, label("r0", "pass", "bob"))
    assert labels(filled) == (label("r0", "fail", "ann", "no source"), label("r0", "pass", "bob"))
    remove_label(filled, "r0", "ann")
    assert labels(filled) == (label("r0", "pass", "bob"),)


def test_what_one_person_has_labelled_is_still_to_be_labelled_by_another(filled: Store) -> None:
    put_label(filled, label("r0", "pass", "ann"))
    assert [head.id for head in unlabelled(filled, "ann")] == ["r2", "r3"]
    assert [head.id for head in unlabelled(filled, "bob")] == ["r0", "r2", "r3"]


def test_tenants_are_kept_apart(filled: Store, make_tern) -> None:
    with pytest.raises(UnknownRunError):
        put_score(filled, score("r0", 0.5), tenant="acme")
    with pytest.raises(UnknownRunError):
        put_label(filled, label("r0", "pass"), tenant="acme")
    filled.finish(make_tern("x", tenant="acme"))
    put_label(filled, label("x", "pass"), tenant="acme")
    assert labels(filled) == ()
    assert [one.run for one in labels(filled, TernFilter(tenant="acme"))] == ["x"]
    assert unscored(filled, "adequate", TernFilter(tenant="acme"))[0].id == "x"


def test_a_label_goes_with_its_run(filled: Store) -> None:
    put_label(filled, label("r0", "pass"))
    filled.prune(keep=1)
    assert labels(filled) == ()


def test_half_a_character_in_a_note_costs_no_label(filled: Store) -> None:
    put_label(filled, label("r0", "fail", note="bad \ud83d"))
    assert labels(filled)[0].note == "bad \ufffd"
