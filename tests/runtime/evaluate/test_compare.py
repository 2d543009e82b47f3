"""`jrun compare`: sides over the same cases, and a judge that goes by the order is found out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from judgeflow.dsl.plan import UsePlan
from judgeflow.runtime.evaluate.account import EvalAccount
from judgeflow.runtime.evaluate.cases import Case
from judgeflow.runtime.evaluate.checks import Checks
from judgeflow.runtime.evaluate.compare import CompareReport, Side, compare, compared
from judgeflow.runtime.evaluate.differences import differences
from judgeflow.runtime.evaluate.measure import PREFERS, added_name, with_judge
from judgeflow.runtime.evaluate.pace import Pace
from judgeflow.runtime.evaluate.pairwise import Ballot, Pairwise, pairwise_report, picked
from judgeflow.runtime.evaluate.render_comparison import pairwise_lines, render_comparison
from judgeflow.runtime.evaluate.suites import CaseResult, SuiteRun
from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import ChoiceAnswer, Usage
from judgeflow.runtime.program import Program
from judgeflow.runtime.store.query import TernFilter
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, opened, program

DESK = """
workflow desk version "1"
model small "a/small" { price $1 in, $1 out }
model big "a/big" { price $10 in, $10 out }
model jev "b/decider" { kind decision  price $1 in, $1 out }
agent writer { model small  prompt "Answer."  retries 1 }
code judge right(reply: text, expected: text) { require reply == expected else "it is {{ expected }}" }
flow main(question: text) -> text { return writer(question) }
profile large { agent writer { model big  prompt "Answer at length." } }
profile same { agent writer { retries 1 } }
"""
USE = """
suite golden for main { cases "golden.jsonl"  checks [right(case.expected)] }
"""


def knows(share: float, seconds: float = 0.0, cost: str = "0.001") -> Model:
    """Right on a share of all questions, always the same ones."""

    def answer(request: Any) -> str:
        question = request.messages[-1].content
        return "right" if random.Random(question).random() < share else "wrong"

    return Model(answer, seconds=seconds, usage=Usage(10, 5, cost=cost))


def golden(tmp_path: Path) -> Program:
    (tmp_path / "golden.jsonl").write_text('{"input": "q", "expected": "right"}')
    return program(DESK + USE, tmp_path / "test.judge")


async def comparing(
    made: Program,
    models: dict[str, Model],
    cases: Sequence[Case],
    *,
    profiles: Sequence[str | None] = (None, "large"),
    pairwise: bool = False,
    store: Path | None = None,
    at_once: int = 8,
    repeats: int = 1,
) -> CompareReport:
    models = {"small": knows(0.5), "big": knows(0.8), "jev": Model("unused"), **models}
    name = added_name(made.plan, PREFERS)
    async with AsyncExitStack() as stack:

        def extend(plan: Any) -> Any:
            return with_judge(plan, PREFERS, made.plan.models["jev"])

        bench = await stack.enter_async_context(opened(made, models, extend=extend, booked=False))
        sides = [
            Side(
                profile or "base",
                await stack.enter_async_context(
                    opened(made, models, profile=profile, store=store, booked=False)
                ),
            )
            for profile in profiles
        ]
        account = EvalAccount("desk:eval", "", (), bench.writer, bench.stamp)
        checks = Checks(bench, made.plan.suites["golden"].checks, account)
        use = UsePlan(name)
        run = SuiteRun(name="golden", file="golden.jsonl", flow="main", cases=cases, repeats=repeats)
        vote = Pairwise(Checks(bench, (use,), account), use) if pairwise else None
        return await compare(sides, run, checks, Pace(account, at_once), vote, "jev")


def cases(n: int) -> list[Case]:
    return [
        Case(id=str(at), input=f"question {at}", expected="right", fields={"expected": "right"})
        for at in range(n)
    ]


async def test_f38_u24_the_same_cases_through_two_profiles(tmp_path: Path) -> None:
    report = await comparing(golden(tmp_path), {}, cases(120))
    base, large = report.sides
    assert (base.mean.value, large.mean.value) == (pytest.approx(0.5, abs=0.1), pytest.approx(0.8, abs=0.1))
    assert (base.passed + base.failed, base.missing) == (120, 0)
    [against] = report.against
    assert (against.paired.n, against.paired.worse) == (120, 0)
    assert against.paired.conclusion == "better"
    text = render_comparison(report).text()
    assert "large is better than base: the interval is above 0" in text
    assert "differs: agent writer: model small → big" in text
    assert 'differs: agent writer: prompt "Answer." → "Answer at length."' in text


async def test_cost_in_all_and_per_task(tmp_path: Path) -> None:
    report = await comparing(
        golden(tmp_path), {"small": knows(1, cost="0.001"), "big": knows(1, cost="0.02")}, cases(4)
    )
    assert [(side.cost.total, side.cost_per_task) for side in report.sides] == [
        ("0.004", "0.001"),
        ("0.08", "0.02"),
    ]


async def test_latency_in_the_middle_and_at_the_slow_end(tmp_path: Path, autojump_clock: Any) -> None:
    report = await comparing(
        golden(tmp_path), {"small": knows(1, seconds=1), "big": knows(1, seconds=3)}, cases(3)
    )
    assert [(side.p50, side.p95) for side in report.sides] == [(1.0, 1.0), (3.0, 3.0)]


async def test_failures_are_counted_by_cause_and_left_out_of_pairs(tmp_path: Path) -> None:
    def fails_on_1(request: Any) -> Any:
        return ProviderError("down") if request.messages[-1].content == "question 1" else "right"

    report = await comparing(golden(tmp_path), {"small": knows(1), "big": Model(fails_on_1)}, cases(3))
    assert [(side.passed, side.missing) for side in report.sides] == [(3, 0), (2, 1)]
    assert (report.against[0].paired.n, report.against[0].unpaired) == (2, 1)
    text = render_comparison(report).text()
    assert "1 case left out: a result on one side only" in text
    assert "large: no result\n  1 × failed step.agent: writer: down  (1)" in text


async def test_two_sides_of_one_program_differ_by_chance(tmp_path: Path) -> None:
    report = await comparing(golden(tmp_path), {}, cases(2), profiles=(None, "same"))
    assert report.against[0].differences == ()
    assert "what differs is chance" in render_comparison(report).text()
    assert "too few to tell: 2 cases" in render_comparison(report).text()


async def test_several_comparisons_at_once_are_told_to_be_that(tmp_path: Path) -> None:
    one = await comparing(golden(tmp_path), {}, cases(1))
    two = await comparing(golden(tmp_path), {}, cases(1), profiles=(None, "large", "same"))
    assert "comparisons" not in render_comparison(one).text()
    assert "2 comparisons: where nothing differs, one of them looks as if it did 10% of the time" in (
        render_comparison(two).text()
    )


async def test_every_side_keeps_runs_that_say_what_they_were_for(tmp_path: Path) -> None:
    store = tmp_path / "terns.sqlite"
    await comparing(golden(tmp_path), {}, cases(1), store=store)
    with Store.read(store) as kept:
        found = {(head.evaluation, head.profile) for head in kept.list_terns(TernFilter())}
    assert found == {("compare base", None), ("compare large", "large")}


async def test_repeats_of_a_case_are_one_pair(tmp_path: Path) -> None:
    report = await comparing(golden(tmp_path), {}, cases(2), repeats=3)
    assert (len(report.sides[0].cases), report.against[0].paired.n, report.sides[0].mean.n) == (6, 2, 2)


def test_items_in_one_run_alone_are_left_out() -> None:
    def result(name: str, score: float | None) -> CaseResult:
        return CaseResult(
            id=name, task="t", state="passed" if score is not None else "no result", score=score
        )

    found = compared(
        [result("a", 1), result("b", None), result("c", 0)], [result("a", 1), result("b", 1), result("c", 1)]
    )
    assert (found.n, found.better, found.same) == (2, 1, 1)


# --- pairwise


def prefers(which: Any) -> Model:
    def answer(request: Any) -> Any:
        chosen = which(request.state)
        return {
            "better": ChoiceAnswer(
                chosen,
                {"first": 0.9 if chosen == "first" else 0.1, "second": 0.1 if chosen == "first" else 0.9},
            )
        }

    return Model(answer)


async def test_a_fair_judge_prefers_the_same_answer_in_both_orders(tmp_path: Path) -> None:
    judge = prefers(lambda state: "first" if state["first"] == "long" else "second")
    report = await comparing(
        golden(tmp_path),
        {"small": Model("short"), "big": Model("long"), "jev": judge},
        cases(6),
        pairwise=True,
    )
    found = report.against[0].pairwise
    assert found is not None
    assert (found.wins, found.losses, found.ties, found.consistent) == (6, 0, 0, 6)
    assert found.first_shown.value == 0.5
    assert not found.biased
    assert found.cost.known != "0"
    assert len(judge.requests) == 12
    assert judge.requests[0].state.keys() == {"task", "first", "second"}


async def test_a_judge_that_takes_the_first_decides_nothing_and_is_found_out(tmp_path: Path) -> None:
    judge = prefers(lambda state: "first")
    report = await comparing(golden(tmp_path), {"jev": judge}, cases(6), pairwise=True)
    found = report.against[0].pairwise
    assert found is not None
    assert (found.wins, found.losses, found.ties, found.consistent) == (0, 0, 6, 0)
    assert found.biased
    text = render_comparison(report).text()
    assert "shown first wins 1.000" in text
    assert "both orders agree on 0/6" in text
    assert "the judge goes by the order" in text
    assert "two calls a case, one in each order" in text


def test_the_share_of_first_shown_wins_and_the_consistency_are_told() -> None:
    """17 of 20 choices for what is shown first, 9 of 20 cases the same in both orders."""
    same = [Ballot(case=f"s{at}", forward="second", backward="first") for at in range(3)]
    first = [Ballot(case=f"f{at}", forward="first", backward="first") for at in range(7)]
    report = pairwise_report("jev", [*same, *first], 0)
    assert report.first_shown.value == pytest.approx(17 / 20)
    assert (report.consistent, report.cases) == (3, 10)
    assert "shown first wins 0.850" in "\n".join(pairwise_lines(report, "large"))


@pytest.mark.parametrize(
    ("metrics", "error", "expected"),
    [
        ({"better": "first", "confidence": 0.6}, None, "first"),
        ({"better": "second", "confidence": 0.9}, None, "second"),
        ({"better": "first", "confidence": 0.59}, None, "tie"),
        ({}, "provider: down", "tie"),
    ],
)
def test_u25_an_unsure_or_failed_judge_has_chosen_nothing(
    metrics: dict[str, Any], error: str | None, expected: str
) -> None:
    assert picked(metrics, error)[0] == expected


@pytest.mark.parametrize("reply", [ProviderError("down"), {"better": "nonsense"}])
async def test_u25_a_judge_that_gives_no_choice_agrees_with_nobody(tmp_path: Path, reply: Any) -> None:
    report = await comparing(golden(tmp_path), {"jev": Model(reply)}, cases(2), pairwise=True)
    found = report.against[0].pairwise
    assert found is not None
    assert (found.ties, found.no_choice, found.consistent) == (2, 2, 0)
    assert [cause.count for cause in found.causes] == [2]
    text = render_comparison(report).text()
    assert "both orders agree on 0/0" in text
    assert "2 of the ties are none that the judge chose" in text


async def test_u25_a_case_with_a_missing_answer_is_not_compared(tmp_path: Path) -> None:
    judge = prefers(lambda state: "first")
    models = {"big": Model(ProviderError("down")), "jev": judge}
    report = await comparing(golden(tmp_path), models, cases(2), pairwise=True)
    found = report.against[0].pairwise
    assert found is not None
    assert (found.cases, found.not_compared, len(judge.requests)) == (0, 2, 0)


# --- differences


def test_differences_are_told_as_their_author_would() -> None:
    before = program(DESK)
    after = program(
        DESK.replace('"Answer."', '"Think."')
        .replace("retries 1", "retries 3", 1)
        .replace('"a/small"', '"a/tiny"')
        .replace("require reply == expected", "require reply != expected")
        + "scorer short length 1..20\nlimits { calls 3 per run }"
    )
    assert differences(before.plan, after.plan) == (
        "model small: slug a/small → a/tiny",
        'agent writer: prompt "Answer." → "Think."',
        "agent writer: retries 1 → 3",
        "judge right: rules changed",
        "scorer short: new",
        "limits changed",
    )
    assert differences(before.plan, before.plan) == ()
