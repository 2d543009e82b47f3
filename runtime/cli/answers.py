"""Answers to what a run waits for, given on the command line: `--yes`, `--no`, `--answer NAME=yes`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Any

from ..expr import to_json
from ..flow.frame import Approver
from ..store.records import StepRecord, Tern
from .person import ANSWERS
from .wrong_use import WrongUse


def approver_of(tern: Tern, one: bool | None, named: Sequence[str]) -> Approver:
    """Answers each question that the run waits with once, exactly as it was shown; whatever is asked after it has been
    shown to nobody yet. `one` answers the only question, `named` those that it names. Raises `WrongUse`."""
    waiting = [step for step in tern.steps if step.kind == "approve" and step.status == "paused"]
    if one is not None and len(waiting) != 1:
        raise WrongUse(_not_one(tern, waiting))
    given = dict(_answers(tern, waiting, named)) if one is None else {waiting[0].id: one}
    left = {key: list(answers) for key, answers in _by_question(waiting, given)}

    async def approve(question: str, showing: Any) -> bool | None:
        answers = left.get((question, to_json(showing)))
        return answers.pop() if answers else None

    return approve


def _answers(tern: Tern, waiting: Sequence[StepRecord], named: Sequence[str]) -> Iterator[tuple[str, bool]]:
    seen: set[str] = set()
    for text in named:
        name, _, word = text.rpartition("=")
        answer = ANSWERS.get(word.strip().lower())
        if not name or answer is None:
            raise WrongUse(f"--answer {text}: write NAME=yes or NAME=no")
        found = [step for step in waiting if name in (step.name, step.id, _question(step))]
        if not found:
            raise WrongUse(f"--answer {text}: {_waits(tern, waiting)}")
        if len(found) > 1:
            raise WrongUse(f"--answer {text}: which one? {_waits(tern, waiting)}")
        if found[0].id in seen:
            raise WrongUse(f"--answer {text}: it is answered twice")
        seen.add(found[0].id)
        yield found[0].id, answer


def _by_question(
    waiting: Sequence[StepRecord], given: dict[str, bool]
) -> Iterator[tuple[tuple[str, str], list[bool]]]:
    """The answers of each question as it is shown. Whoever asks is known by that alone."""
    asked: dict[tuple[str, str], list[StepRecord]] = {}
    for step in waiting:
        if step.approval is not None:
            key = (step.approval.question, to_json(step.approval.showing))
            asked.setdefault(key, []).append(step)
    for key, steps in asked.items():
        answers = [given.get(step.id) for step in steps]
        if len(set(answers)) > 1:
            raise WrongUse(
                f'"{key[0]}" is asked {len(steps)} times with nothing to tell them apart: answer all alike'
            )
        yield key, [answer for answer in answers if answer is not None]


def _not_one(tern: Tern, waiting: Sequence[StepRecord]) -> str:
    if not waiting:
        return f"run {tern.id} waits for no answer: leave --yes and --no out"
    return (
        f"{_waits(tern, waiting)}: answer each, as in `--answer {quote(f'{_name(waiting[0], waiting)}=yes')}`"
    )


def _waits(tern: Tern, waiting: Sequence[StepRecord]) -> str:
    if not waiting:
        return f"run {tern.id} waits for no answer"
    names = [(_name(step, waiting), _question(step)) for step in waiting]
    asked = ", ".join(
        f'"{name}"' if name == question else f'{name} ("{question}")' for name, question in names
    )
    return f"run {tern.id} waits for {asked}"


def _name(step: StepRecord, waiting: Sequence[StepRecord]) -> str:
    """What tells it from the others that wait: its name, its question, or its id."""
    if sum(other.name == step.name for other in waiting) == 1:
        return step.name
    question = _question(step)
    return question if sum(_question(other) == question for other in waiting) == 1 else step.id


def _question(step: StepRecord) -> str:
    return step.approval.question if step.approval is not None else ""
