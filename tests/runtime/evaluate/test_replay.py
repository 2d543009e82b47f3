"""`jrun replay`: a planted change of a prompt that helps, one that does nothing and one that hurts are told apart."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from judgeflow.runtime.evaluate.account import EvalAccount, day_limits
from judgeflow.runtime.evaluate.judges import choose_judge
from judgeflow.runtime.evaluate.pace import Pace
from judgeflow.runtime.evaluate.render_pairs import render_replay
from judgeflow.runtime.evaluate.replay import ReplayReport, replay
from judgeflow.runtime.evaluate.terns import TernQuery
from judgeflow.runtime.judge.errors import ConfigurationError, ProviderError
from judgeflow.runtime.program import Program
from judgeflow.runtime.store.query import TernFilter
from judgeflow.runtime.store.scores import scores
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, opened, program

DESK = """
workflow desk version "VERSION"
model m "a/writer"
agent writer { model m  prompt "PROMPT" }
code judge right { require reply == "right" else "wrong" }
flow main(question: text) -> text { return writer(question) }
"""
HOW_OFTEN = {"Answer.": 0.6, "Answer carefully.": 0.8, "Answer, please.": 0.6, "Guess.": 0.4}
"""How often the model is right under each prompt."""


def desk(prompt: str, version: str, more: str = "") -> Program:
    return program(DESK.replace("VERSION", version).replace("PROMPT", prompt) + more)


def writer() -> Model:
    """Right as often as its prompt makes it; a task is as hard under one prompt as under another, but for luck."""

    def answer(request: Any) -> str:
        prompt, task = request.messages[0].content, request.messages[-1].content
        hard, luck = random.Random(task).random(), random.Random(prompt + task).gauss(0, 0.15)
        return "right" if hard + luck < HOW_OFTEN[prompt] else "wrong"

    return Model(answer)


async def asked(made: Program, store: Path, questions: Sequence[str], model: Model | None = None) -> None:
    async with opened(made, {"m": model or writer()}, store=store) as session:
        for question in questions:
            await session.run(question)


async def replayed(
    made: Program, store: Path, model: Model | None = None, *, at_once: int = 8, **query: Any
) -> ReplayReport:
    chosen = choose_judge(made.plan, "right")
    async with opened(made, {"m": model or writer()}, store=store, extend=chosen.extend) as session:
        limits = day_limits(session.plan, None)
        account = EvalAccount("desk:eval", "", limits, session.writer, session.stamp)
        return await replay(
            session, chosen.use, chosen.key, chosen.shown, Pace(account, at_once), TernQuery(**query)
        )


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "terns.sqlite"


QUESTIONS = [f"question {at}" for at in range(120)]


@pytest.mark.parametrize(
    ("prompt", "conclusion", "said", "truth"),
    [
        ("Answer carefully.", "better", "the change helps", 0.2),
        ("Answer, please.", "no difference shown", "no difference shown", 0.0),
        ("Guess.", "worse", "the change hurts", -0.2),
    ],
)
async def test_f30_a_change_that_helps_does_nothing_or_hurts_is_told_as_that(
    store: Path, prompt: str, conclusion: str, said: str, truth: float
) -> None:
    await asked(desk("Answer.", "1"), store, QUESTIONS)
    report = await replayed(desk(prompt, "2"), store, version="1", limit=None)
    assert report.paired.n == 120
    assert report.paired.conclusion == conclusion
    assert report.paired.interval is not None
    assert report.paired.interval.low <= truth <= report.paired.interval.high
    assert said in render_replay(report).text()


async def test_f29_old_tasks_run_again_in_new_threads_under_todays_file(store: Path) -> None:
    await asked(desk("Answer.", "1"), store, ["a", "b"])
    report = await replayed(desk("Guess.", "2"), store, at_once=1, version="1")
    with Store.read(store) as kept:
        heads = kept.list_terns(TernFilter())
    originals = [head for head in heads if head.replay_of is None]
    replays = [head for head in heads if head.replay_of is not None]
    assert [(head.task, head.replay_of) for head in replays] == [(head.task, head.id) for head in originals]
    assert len({head.thread for head in heads}) == 4
    assert {head.versions.workflow for head in replays} == {"2"}
    assert [each.task for each in report.tasks] == ["a", "b"]


async def test_f30_both_sides_are_scored_once_and_kept(store: Path) -> None:
    await asked(desk("Answer.", "1"), store, ["a"])
    await replayed(desk("Guess.", "2"), store, version="1")
    with Store.read(store) as kept:
        assert [score.judge.split("@")[0] for score in scores(kept)] == ["right", "right"]


async def test_u20_replays_are_not_replayed_again(store: Path) -> None:
    await asked(desk("Answer.", "1"), store, ["a"])
    await replayed(desk("Answer.", "1"), store, version="1")
    report = await replayed(desk("Answer.", "1"), store, version="1")
    assert len(report.tasks) == 1
    assert "nothing in the file has changed since" in render_replay(report).text()


async def test_failures_are_listed_and_not_dropped(store: Path) -> None:
    await asked(desk("Answer.", "1"), store, ["a", "b", "c"])

    def fails_on_b(request: Any) -> Any:
        return ProviderError("down", code="provider.down") if request.messages[-1].content == "b" else "right"

    report = await replayed(desk("Guess.", "2"), store, Model(fails_on_b), version="1")
    assert (report.paired.n, report.lost, report.won) == (2, 1, 0)
    [cause] = report.causes
    assert cause.cause == "now failed step.agent: writer: down"
    text = render_replay(report).text()
    assert "1 answered before and not now" in text
    assert cause.cause in text


async def test_what_failed_before_and_is_answered_now_is_told(store: Path) -> None:
    await asked(desk("Answer.", "1"), store, ["a"], Model(ProviderError("down")))
    report = await replayed(desk("Guess.", "2"), store, version="1")
    assert (report.paired.n, report.won) == (0, 1)
    assert [cause.cause for cause in report.causes] == ["it was failed before, and is answered now"]


GUARDED = """
workflow desk version "VERSION"
model m "a/writer"
agent writer { model m  prompt "PROMPT" }
code judge right { require reply == "right" else "wrong" }
flow main(question: text) -> text {
  answer = writer(question)
  if answer contains "bad" { stop "no such words" }
  return answer
}
"""


def guarded(prompt: str, version: str) -> Program:
    return program(GUARDED.replace("VERSION", version).replace("PROMPT", prompt))


async def test_what_ended_before_as_it_ends_now_is_counted_and_no_change(store: Path) -> None:
    await asked(guarded("Answer.", "1"), store, ["a", "b"], Model("bad words"))
    report = await replayed(guarded("Guess.", "2"), store, Model("bad words again"), version="1")
    assert {(each.status_before, each.status_after) for each in report.tasks} == {("guarded", "guarded")}
    assert (report.causes, report.unanswered, report.lost, report.won) == ((), 2, 0, 0)
    assert "2 tasks ended as before, without an answer" in render_replay(report).text()


async def test_what_ends_otherwise_than_before_is_a_change(store: Path) -> None:
    await asked(guarded("Answer.", "1"), store, ["a"], Model("bad words"))
    report = await replayed(guarded("Guess.", "2"), store, Model(ProviderError("down")), version="1")
    assert (len(report.causes), report.unanswered) == (1, 0)
    assert report.causes[0].cause.startswith("now failed step.agent")


async def test_a_task_that_the_flow_no_longer_takes_is_listed(store: Path) -> None:
    await asked(desk("Answer.", "1"), store, ["a"])
    made = program(DESK.replace("VERSION", "2").replace("PROMPT", "Guess.").replace("main(", "other("))
    report = await replayed(made, store, version="1")
    assert [cause.cause for cause in report.causes] == [
        "flow.unknown-entry: desk: no flow `main`; there are: other"
    ]


async def test_runs_of_one_task_are_one_pair(store: Path) -> None:
    await asked(desk("Answer.", "1"), store, ["a", "a", "a", "b"])
    report = await replayed(desk("Guess.", "2"), store, version="1")
    assert (len(report.tasks), report.paired.n) == (4, 2)


async def test_later_turns_of_a_thread_are_told(store: Path) -> None:
    async with opened(desk("Answer.", "1"), {"m": writer()}, store=store) as session:
        first = await session.run("a")
        await session.run("b", thread=first.thread)
    report = await replayed(desk("Guess.", "2"), store, version="1")
    assert report.later_turns == 1
    assert "1 task stood later in a thread" in render_replay(report).text()


async def test_f35_a_spent_budget_ends_it_with_what_there_is(store: Path) -> None:
    await asked(desk("Answer.", "1"), store, ["a", "b", "c"])
    made = desk("Guess.", "2", "limits { calls 2 per day }")
    report = await replayed(made, store, version="1", at_once=1)
    assert report.stopped == "eval budget exhausted: 2 calls per day from desk:eval"
    assert (len(report.tasks), report.left, report.paired.n) == (2, 1, 2)


async def test_a_version_that_never_ran_is_refused_with_those_that_did(store: Path) -> None:
    await asked(desk("Answer.", "1"), store, ["a"])
    with pytest.raises(
        ConfigurationError, match=r"no run of version 9 can be replayed; there are 1 \(\w{8}\)"
    ):
        await replayed(desk("Answer.", "1"), store, version="9")


async def test_a_few_tasks_are_too_few_to_tell(store: Path) -> None:
    await asked(desk("Answer.", "1"), store, ["a", "b"])
    report = await replayed(desk("Guess.", "2"), store, version="1")
    text = render_replay(report).text()
    assert "too few to tell: 2 different tasks" in text
    assert "helps" not in text
    assert msgspec.json.decode(msgspec.json.encode(report))["paired"]["n"] == 2
