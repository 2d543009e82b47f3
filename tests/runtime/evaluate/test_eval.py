"""`jrun eval` over past runs: what is scored, what is not, and what is paid from where."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from judgeflow.runtime.evaluate.account import EvalAccount, day_limits
from judgeflow.runtime.evaluate.checks import CheckResult
from judgeflow.runtime.evaluate.judges import Chosen, choose_judge
from judgeflow.runtime.evaluate.pace import Pace
from judgeflow.runtime.evaluate.render import render_eval
from judgeflow.runtime.evaluate.terns import EvalReport, TernQuery, eval_terns
from judgeflow.runtime.judge.errors import ConfigurationError, ProviderError
from judgeflow.runtime.judge.protocol import ConditionAnswer, Usage
from judgeflow.runtime.program import Program, Session
from judgeflow.runtime.store.accounts import balance, book
from judgeflow.runtime.store.scores import scores
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, opened, program

DESK = """
workflow desk version "1"
model m "a/writer" { price $1 in, $1 out }
model jev "b/decider" { kind decision  price $1 in, $1 out }
agent writer { model m  prompt "Answer." }
flow main(question: text) -> text { return writer(question) }
"""
PAID = Usage(input_tokens=1_000_000, output_tokens=0, cost="0.5")


def desk(more: str = "", version: str = "1", prompt: str = "Answer.") -> Program:
    return program(DESK.replace('"1"', f'"{version}"').replace("Answer.", prompt) + more)


def decides(*shares: float | Exception, usage: Usage = PAID) -> Model:
    return Model(
        *[one if isinstance(one, Exception) else {"adequate": ConditionAnswer(one)} for one in shares],
        usage=usage,
    )


async def answered(made: Program, store: Path, *questions: str) -> None:
    """Past runs, one for each question."""
    async with opened(made, {"m": Model("yes"), "jev": decides(0.5)}, store=store) as session:
        for question in questions:
            await session.run(question)


@asynccontextmanager
async def judging(
    made: Program, judge: Model, store: Path, wanted: str | None = None
) -> AsyncIterator[tuple[Session, Chosen, Pace]]:
    chosen = choose_judge(made.plan, wanted)
    models = {"m": Model("yes"), "jev": judge}
    async with opened(made, models, store=store, extend=chosen.extend) as session:
        account = EvalAccount("desk:eval", "", day_limits(session.plan, None), session.writer, session.stamp)
        yield session, chosen, Pace(account, at_once=1)


async def evaluate(
    made: Program, judge: Model, store: Path, wanted: str | None = None, **query: Any
) -> EvalReport:
    async with judging(made, judge, store, wanted) as (session, chosen, pace):
        return await eval_terns(session, chosen.use, chosen.key, chosen.shown, pace, TernQuery(**query))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "terns.sqlite"


async def test_f23_every_answered_run_without_a_score_gets_the_probability_that_it_is_adequate(
    store: Path,
) -> None:
    await answered(desk(), store, "a", "b")
    report = await evaluate(desk(), decides(0.9, 0.3), store)
    assert [(each.task, each.result.score) for each in report.scored] == [("a", 0.9), ("b", 0.3)]
    [row] = report.versions
    assert (row.version, row.terns, row.scored, row.unreadable) == ("1", 2, 2, 0)
    assert row.mean.value == pytest.approx(0.6)


async def test_u18_x09_the_score_is_the_probability_and_never_the_confidence(store: Path) -> None:
    # A confidence says how sure a judge is of its choice and is never read as the probability that the answer is good.
    await answered(desk(), store, "a")
    judge = Model({"adequate": ConditionAnswer(0.2, confidence=0.97)})
    report = await evaluate(desk(), judge, store)
    assert report.scored[0].result.score == 0.2


async def test_the_judge_sees_the_task_and_the_answer(store: Path) -> None:
    await answered(desk(), store, "what?")
    judge = decides(0.9)
    await evaluate(desk(), judge, store)
    assert judge.requests[0].state == {"task": "what?", "reply": "yes"}


async def test_f27_scored_runs_and_those_without_an_answer_are_not_judged(store: Path) -> None:
    await answered(desk(), store, "a")
    async with opened(desk(), {"m": Model(ProviderError("no")), "jev": decides(1)}, store=store) as session:
        await session.run("b")
    first = decides(0.9)
    await evaluate(desk(), first, store)
    again = decides(0.1)
    report = await evaluate(desk(), again, store)
    assert (len(first.requests), len(again.requests)) == (1, 0)
    assert report.versions[0].mean.value == 0.9


async def test_f26_a_judge_that_fails_leaves_the_run_unscored_and_counted(store: Path) -> None:
    await answered(desk(), store, "a", "b", "c")
    report = await evaluate(desk(), decides(ProviderError("no answer", code="provider.timeout"), 0.8), store)
    assert report.unscored == 1
    assert [(cause.cause, cause.count) for cause in report.causes] == [("provider.timeout: no answer", 1)]
    assert report.versions[0].mean.value == 0.8
    # the next evaluation asks again
    report = await evaluate(desk(), decides(0.5), store)
    assert (report.unscored, len(report.scored)) == (0, 1)


async def test_an_unreadable_judgement_is_no_score_and_is_counted_apart(store: Path) -> None:
    made = desk('judge good { model m  rate "good"  }')
    await answered(made, store, "a")
    report = await evaluate(made, decides(0.5), store, "good")
    assert report.scored[0].result == CheckResult(
        check="good",
        readable=False,
        reason="no rating between 0 and 1 could be read in its model's reply",
        usage=report.scored[0].result.usage,
        cost=report.scored[0].result.cost,
    )
    assert (report.versions[0].unreadable, report.unscored) == (1, 1)
    assert report.mean is None
    with Store.read(store) as kept:
        assert [score.score for score in scores(kept)] == [None]


async def test_all_judge_calls_failing_gives_no_mean(store: Path) -> None:
    await answered(desk(), store, *"abcd")
    report = await evaluate(desk(), decides(ProviderError("down")), store)
    assert (report.mean, report.unscored, report.causes[0].count) == (None, 4, 4)
    assert "nan" not in render_eval(report).text().lower()


async def test_f25_each_version_of_the_prompts_has_its_row(store: Path) -> None:
    await answered(desk(), store, "a", "b")
    await answered(desk(version="2", prompt="Answer well."), store, "a")
    report = await evaluate(desk(), decides(0.2, 0.4, 0.9), store)
    assert [(row.version, row.terns, row.mean.value) for row in report.versions] == [
        ("1", 2, pytest.approx(0.3)),
        ("2", 1, 0.9),
    ]
    assert report.versions[0].prompt != report.versions[1].prompt


async def test_f28_a_version_and_a_limit_choose_the_runs(store: Path) -> None:
    await answered(desk(), store, "a", "b", "c")
    await answered(desk(version="2"), store, "d")
    report = await evaluate(desk(), decides(0.5), store, version="1", limit=2)
    assert [each.task for each in report.scored] == ["b", "c"]
    assert report.unscored == 1


async def test_several_runs_of_one_task_are_one_observation(store: Path) -> None:
    await answered(desk(), store, "a", "a", "a", "b")
    report = await evaluate(desk(), decides(1.0, 1.0, 1.0, 0.0), store)
    [row] = report.versions
    assert (row.scored, row.tasks, row.mean.value) == (4, 2, 0.5)


async def test_a_changed_judge_scores_again(store: Path) -> None:
    first, second = desk('judge good { model m  rate "good" }'), desk('judge good { model m  rate "better" }')
    await answered(first, store, "a")
    async with opened(first, {"m": Model("0.5"), "jev": decides(1)}, store=store) as session:
        chosen = choose_judge(first.plan, "good")
        other = choose_judge(second.plan, "good")
        assert session.plan.judges.keys() == {"good"}
    assert chosen.key != other.key
    assert chosen.key.startswith("good@")


@pytest.mark.parametrize(
    ("more", "wanted", "expected"),
    [
        ('model two "b/two" { kind decision }', None, "there are jev, two"),
        ("", "nobody", "there is no judge and no model of that name; there are m, jev"),
        ('judge j(reply: text, x: text) { model m  ask "{{ x }}" }', "j", "j needs x"),
    ],
)
def test_f24_who_judges_is_said_or_the_only_decision_model(
    more: str, wanted: str | None, expected: str
) -> None:
    with pytest.raises(ConfigurationError, match=expected):
        choose_judge(desk(more).plan, wanted)


def test_a_chat_model_or_a_slug_may_be_asked_as_well() -> None:
    plan = desk().plan
    extended = choose_judge(plan, "m").extend(plan)
    assert [model.kind for model in extended.models.values() if model.slug == "a/writer"] == [
        "chat",
        "decision",
    ]
    assert choose_judge(plan, "c/new").extend(plan).models["c/new"].kind == "decision"


def test_a_judge_that_the_file_calls_adequate_stays_what_it_is() -> None:
    made = desk("code judge adequate { require true else reply }")
    extended = choose_judge(made.plan, "jev").extend(made.plan)
    assert extended.judges["adequate"].form == "code"
    assert extended.judges["adequate_"].form == "decide"


# --- what is paid from where


async def test_f32_judging_pays_from_the_accounts_own_day(store: Path) -> None:
    await answered(desk(), store, "a", "b")
    async with judging(desk(), decides(0.5), store) as (session, chosen, pace):
        report = await eval_terns(session, chosen.use, chosen.key, chosen.shown, pace, TernQuery())
        day = pace.account.day
    assert (report.account, report.cost.total) == ("desk:eval", "1")
    with Store.read(store) as kept:
        assert balance(kept, "desk:eval", day).known == "1"


LIMITED = "limits { cost $1 per day }"


async def test_f35_u19_a_spent_budget_ends_it_well_with_what_there_is(store: Path) -> None:
    made = desk(LIMITED)
    await answered(made, store, *"abcd")
    judge = decides(0.5)
    report = await evaluate(made, judge, store)
    assert report.stopped == "eval budget exhausted: 1 US dollars per day from desk:eval"
    assert (len(judge.requests), len(report.scored), report.unscored) == (2, 2, 2)
    assert "eval budget exhausted" in render_eval(report).text()


async def test_f33_without_a_limit_there_is_no_cap(store: Path) -> None:
    await answered(desk(), store, *"abcd")
    report = await evaluate(desk(), decides(0.5), store)
    assert (report.stopped, len(report.scored)) == (None, 4)


async def test_f34_what_other_accounts_have_spent_does_not_count(store: Path) -> None:
    made = desk(LIMITED)
    await answered(made, store, "a")
    async with judging(made, decides(0.5), store) as (session, chosen, pace):
        day = pace.account.day
        await session.writer.transact(lambda kept: book(kept, "desk", day, cost="99", tokens=1))  # type: ignore[attr-defined]
        report = await eval_terns(session, chosen.use, chosen.key, chosen.shown, pace, TernQuery())
    assert report.stopped is None


async def test_what_another_process_has_spent_today_counts(store: Path) -> None:
    made = desk(LIMITED)
    await answered(made, store, "a")
    async with judging(made, decides(0.5), store) as (session, chosen, pace):
        day = pace.account.day
        with Store.open(store) as other:
            book(other, "desk:eval", day, cost="1", tokens=1)
        report = await eval_terns(session, chosen.use, chosen.key, chosen.shown, pace, TernQuery())
    assert report.stopped is not None
    assert report.scored == ()


async def test_a_judge_without_a_price_is_refused_where_a_limit_on_cost_could_not_be_kept(
    store: Path,
) -> None:
    made = desk(LIMITED)
    await answered(made, store, "a")
    chosen = choose_judge(made.plan, "c/unknown")
    models = {"m": Model("yes"), "jev": decides(0.5), "c/unknown": decides(0.5)}
    async with opened(made, models, store=store, extend=chosen.extend, booked=False) as session:
        account = EvalAccount("desk:eval", "", day_limits(made.plan, None), session.writer, session.stamp)
        with pytest.raises(ConfigurationError, match="c/unknown has no price"):
            await eval_terns(session, chosen.use, chosen.key, chosen.shown, Pace(account), TernQuery())
    assert models["c/unknown"].requests == []


async def test_a_call_of_unknown_price_is_booked_as_unknown(store: Path) -> None:
    await answered(desk(), store, "a")
    async with judging(desk(), decides(0.5, usage=Usage(None, None)), store) as (session, chosen, pace):
        report = await eval_terns(session, chosen.use, chosen.key, chosen.shown, pace, TernQuery())
        day = pace.account.day
    assert report.cost.total == "unknown"
    with Store.read(store) as kept:
        assert (balance(kept, "desk:eval", day).cost, balance(kept, "desk:eval", day).calls) == ("unknown", 1)


# --- the report


async def test_the_report_says_that_a_few_runs_are_too_few_to_tell(store: Path) -> None:
    await answered(desk(), store, "a")
    text = render_eval(await evaluate(desk(), decides(0.5), store)).text()
    assert "too few to tell: 1 different task; below 100" in text
    assert "judging cost $0.5000, paid by desk:eval" in text
