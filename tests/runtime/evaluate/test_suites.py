"""A suite's cases through its flow: checks in order, what has no result, budgets and interruptions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import trio

from judgeflow.runtime.evaluate.account import EvalAccount, day_limits
from judgeflow.runtime.evaluate.cases import Case, parse_cases
from judgeflow.runtime.evaluate.checks import Checks
from judgeflow.runtime.evaluate.document import Document, Lines, Table
from judgeflow.runtime.evaluate.inputs import fitting
from judgeflow.runtime.evaluate.pace import INTERRUPTED, Pace
from judgeflow.runtime.evaluate.render import render_suite
from judgeflow.runtime.evaluate.suites import SuiteReport, SuiteRun, run_suite
from judgeflow.runtime.judge.errors import ConfigurationError, ProviderError
from judgeflow.runtime.judge.protocol import Usage
from judgeflow.runtime.program import Program
from judgeflow.runtime.store.accounts import balance, day_of
from judgeflow.runtime.store.query import TernFilter
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, connected, opened, program

DESK = """
workflow desk version "1"
model m "a/writer" { price $1 in, $1 out }
model j "b/judge" { price $1 in, $1 out }
agent writer { model m }
scorer short length 1..20
code judge right(reply: text, expected: text) { require reply == expected else "it is {{ expected }}" }
judge polite { model j  rate "polite" }
type Order { id: int  gift: bool }
flow main(question: text) -> text { return writer(question) }
flow ordered(order: Order) -> text { return writer("order {{ order.id }}") }
flow gated(question: text) -> text { stop "no" }
flow asks(question: text) -> text { ok = approve "Go?"  if not ok { stop "no" }  return question }
suite all for main { cases "c.jsonl"  checks [short, right(case.expected), polite]  MORE }
suite stopping for main { cases "c.jsonl"  checks [short, right(case.expected), polite]  cascade stop }
suite refused for gated { cases "c.jsonl"  checks [short] }
suite paused for asks { cases "c.jsonl"  checks [short] }
suite orders for ordered { cases "c.jsonl"  checks [short] }
"""


def desk(tmp_path: Path, more: str = "") -> Program:
    (tmp_path / "c.jsonl").write_text('{"input": "q"}')
    return program(DESK.replace("MORE", more), tmp_path / "test.judge")


def case(name: str, expected: str = "right", **more: Any) -> Case:
    return Case(id=name, input=name, expected=expected, fields={"expected": expected}, **more)


async def suite(
    made: Program,
    name: str,
    cases: Sequence[Case],
    models: dict[str, Model] | None = None,
    *,
    store: Path | None = None,
    at_once: int = 1,
    repeats: int = 1,
    interrupt_after: int | None = None,
) -> SuiteReport:
    everything = {"m": Model("right"), "j": Model("0.9"), **(models or {})}
    plan = made.plan.suites[name]
    async with opened(made, everything, store=store, booked=False) as session:
        account = EvalAccount("desk:eval", "", day_limits(session.plan, name), session.writer, session.stamp)
        pace = Pace(account, at_once)
        if interrupt_after is not None:

            def tell(done: int, of: int, what: str) -> None:
                if done == interrupt_after:
                    pace.interrupt()

            pace.tell = tell
        run = SuiteRun(
            name=name, file="c.jsonl", flow=plan.flow, cases=cases, limits=plan.limits, repeats=repeats
        )
        return await run_suite(session, run, Checks(session, plan.checks, account, plan.cascade), pace)


async def test_b50_u29_all_checks_are_made_in_their_order(tmp_path: Path) -> None:
    report = await suite(desk(tmp_path), "all", [case("a", "other")])
    [found] = report.cases
    assert [(check.check, check.state) for check in found.checks] == [
        ("short", "passed"),
        ("right", "failed"),
        ("polite", "passed"),
    ]
    assert (found.state, found.cause, found.score) == ("failed", "right: it is other", pytest.approx(1.9 / 3))


async def test_u29_x19_cascade_stop_ends_a_case_at_its_first_failure(tmp_path: Path) -> None:
    judge = Model("0.9")
    report = await suite(desk(tmp_path), "stopping", [case("a", "other"), case("b")], {"j": judge})
    assert [check.state for check in report.cases[0].checks] == ["passed", "failed", "skipped"]
    assert [check.state for check in report.cases[1].checks] == ["passed", "passed", "passed"]
    assert (len(judge.requests), report.cases[0].score) == (1, pytest.approx(1 / 3))
    assert dict(report.checks)["polite"].n == 1


async def test_a_rating_counts_as_it_is(tmp_path: Path) -> None:
    report = await suite(desk(tmp_path), "all", [case("a")], {"j": Model("0.4")})
    assert (report.cases[0].state, report.cases[0].score) == ("failed", pytest.approx(2.4 / 3))


async def test_a_check_that_cannot_be_read_leaves_the_case_without_a_result(tmp_path: Path) -> None:
    report = await suite(desk(tmp_path), "all", [case("a"), case("b")], {"j": Model("lots", "0.9")})
    assert [(each.state, each.score) for each in report.cases] == [
        ("no result", None),
        ("passed", pytest.approx(2.9 / 3)),
    ]
    assert (report.missing, report.mean.n) == (1, 1)
    assert report.causes[0].cause == "polite: its model's reply could not be read"
    assert "? a  polite: its model's reply could not be read" in render_suite(report).text()


async def test_a_broken_provider_gives_no_result_and_a_refusal_is_a_failure(tmp_path: Path) -> None:
    made = desk(tmp_path)
    broken = await suite(made, "all", [case("a")], {"m": Model(ProviderError("down"))})
    assert (broken.cases[0].state, broken.cases[0].cause) == ("no result", "failed step.agent: writer: down")
    refused = await suite(made, "refused", [case("a")])
    assert (refused.cases[0].state, refused.cases[0].score) == ("failed", 0.0)
    assert (refused.cases[0].cause or "").startswith("guarded")
    paused = await suite(made, "paused", [case("a")])
    assert paused.cases[0].state == "no result"
    assert (paused.cases[0].cause or "").startswith("paused approve.waiting")


async def test_a_missing_target_is_told_as_that_and_not_as_a_mismatch(tmp_path: Path) -> None:
    report = await suite(desk(tmp_path), "all", [Case(id="a", input="q")])
    assert report.cases[0].cause == "case.no-value: the case has no `expected`"


async def test_repeats_are_averaged_before_anything_else(tmp_path: Path) -> None:
    writer = Model("right", "wrong", "right", "right", "right", "right")
    report = await suite(desk(tmp_path), "stopping", [case("a"), case("b")], {"m": writer}, repeats=3)
    assert (len(report.cases), report.mean.n) == (6, 2)
    assert [(each.id, each.repeat) for each in report.cases[:3]] == [("a", 0), ("b", 0), ("a", 1)]


async def test_cases_run_at_once_and_are_told_in_their_order(tmp_path: Path, autojump_clock: Any) -> None:
    slow_first = Model(lambda request: "right", seconds=1)
    report = await suite(desk(tmp_path), "all", [case(name) for name in "abcd"], {"m": slow_first}, at_once=4)
    assert slow_first.most == 4
    assert [each.id for each in report.cases] == ["a", "b", "c", "d"]
    assert [each.seconds for each in report.cases] == [1.0] * 4


async def test_runs_say_which_suite_they_were_for_and_pay_from_its_account(tmp_path: Path) -> None:
    store = tmp_path / "terns.sqlite"
    paid = Usage(10, 10, cost="0.25")
    models = {"m": Model("right", usage=paid), "j": Model("0.9", usage=paid)}
    report = await suite(desk(tmp_path), "all", [case("a")], models, store=store)
    assert (report.cost.total, report.checking.total) == ("0.25", "0.25")
    with Store.read(store) as kept:
        [head] = kept.list_terns(TernFilter())
        assert head.evaluation == "suite all"
        day = day_of(datetime.fromisoformat(head.started))
        assert balance(kept, "desk:eval", day).known == "0.5"
        assert balance(kept, "desk", day).known == "0"


async def test_f35_the_suites_own_day_ends_it_between_cases(tmp_path: Path) -> None:
    made = desk(tmp_path, "limits { calls 4 per day }")
    report = await suite(made, "all", [case(name) for name in "abcd"])
    assert report.stopped == "eval budget exhausted: 4 calls per day from desk:eval"
    assert ([each.id for each in report.cases], report.left) == (["a", "b"], 2)
    assert "2 cases not begun" in render_suite(report).text()


async def test_f35_a_call_that_does_not_fit_leaves_no_half_result(tmp_path: Path) -> None:
    made = desk(tmp_path, "limits { calls 3 per day }")
    models = {"m": Model("right"), "j": Model("0.9")}
    report = await suite(made, "all", [case(name) for name in "abcd"], models)
    assert (len(models["m"].requests) + len(models["j"].requests), len(report.cases)) == (3, 1)
    assert report.stopped is not None


async def test_an_interruption_begins_nothing_more_and_keeps_what_there_is(tmp_path: Path) -> None:
    report = await suite(desk(tmp_path), "all", [case(name) for name in "abcd"], interrupt_after=2)
    assert (report.stopped, report.left) == (INTERRUPTED, 2)
    assert [each.state for each in report.cases] == ["passed", "passed"]


async def test_a_judge_that_nobody_serves_is_told_before_anything_is_paid(tmp_path: Path) -> None:
    made = desk(tmp_path)

    def nobody(plan: Any) -> Any:
        if plan.name == "j":
            raise ConfigurationError("no key for b/judge", code="model.no-provider")
        return connect(plan)

    writer = Model("right")
    connect = connected({"m": writer})
    async with made.opened(connect=nobody) as session:
        account = EvalAccount("desk:eval", "", (), session.writer, session.stamp)
        with pytest.raises(ConfigurationError, match="no key for b/judge"):
            Checks(session, made.plan.suites["all"].checks, account)
    assert writer.requests == []


async def test_cells_of_a_table_are_read_as_the_flow_wants_them(tmp_path: Path) -> None:
    made = desk(tmp_path)
    async with opened(made, {"m": Model("x"), "j": Model("1")}) as session:
        good = Case(id="a", input={"order": '{"id": 7, "gift": true}'}, line=2)
        bad = Case(id="b", input={"order": '{"id": "seven"}'}, line=3)
        kept, faults = fitting(session, "ordered", [good, bad], "c.csv")
    assert [each.input for each in kept] == [{"order": {"id": 7, "gift": True}}]
    assert [fault.line for fault in faults] == [3]
    assert str(faults[0]).startswith("c.csv:3: ordered: order.id")


TYPED = """
workflow typed
flow whole(n: int) -> int { return n }
flow part(f: float) -> float { return f }
flow two(q: text, r: int) -> text { return q }
flow anything(x: json) -> json { return x }
flow word(w: text) -> text { return w }
"""


@pytest.mark.parametrize(
    ("flow", "given", "taken"),
    [
        ("whole", "5", 5),
        ("whole", "five", None),
        ("whole", {"n": "[" * 100_000}, None),
        ("whole", {"n": "9" * 5000}, None),
        ("part", {"f": "2.5"}, {"f": 2.5}),
        ("part", {"f": "1e400"}, None),
        ("part", {"f": "-Infinity"}, None),
        ("part", {"f": "NaN"}, None),
        ("two", '{"q": "a", "r": 5}', {"q": "a", "r": 5}),
        ("two", "just a text", None),
        ("anything", "5", "5"),
        ("word", "5", "5"),
    ],
)
async def test_what_a_cell_holds_is_read_as_json_where_the_flow_wants_no_text(
    flow: str, given: Any, taken: Any
) -> None:
    async with opened(program(TYPED), {}) as session:
        kept, faults = fitting(session, flow, [Case(id="a", input=given, line=2)], "c.csv")
    assert [each.input for each in kept] == ([] if taken is None else [taken])
    assert len(faults) == (taken is None)


async def test_a_column_that_a_check_reads_need_be_no_parameter(tmp_path: Path) -> None:
    made = desk(tmp_path)
    table = b"question,expected,must\nq,a,b\n"
    cases = parse_cases(table.replace(b"expected", b"other"), ".csv", "c.csv").cases
    reads = program(
        DESK.replace("MORE", "").replace("case.expected", "case.other + case.must"), tmp_path / "test.judge"
    )
    async with opened(made, {"m": Model("x"), "j": Model("1")}) as session:
        kept, faults = fitting(session, "main", cases, "c.csv", reads.plan.suites["all"].checks)
        _, wrong = fitting(session, "main", cases, "c.csv")
    assert ([each.input for each in kept], faults) == ([{"question": "q"}], ())
    assert "other: main has no such parameter" in wrong[0].mistake


async def test_a_check_that_hangs_is_cut_with_its_caller(tmp_path: Path, autojump_clock: Any) -> None:
    made = desk(tmp_path)
    with trio.move_on_after(5) as scope:
        await suite(made, "all", [case("a")], {"j": Model("0.9", seconds=60)})
    assert scope.cancelled_caught


def test_a_page_holds_no_markup_of_a_models() -> None:
    page = Document("<b>", [Lines(["<script>alert(1)</script>"]), Table(("a", "b"), [("<i>", "&")])]).html()
    assert "<script>" not in page
    assert "<i>" not in page
    assert "&lt;i&gt;" in page
    assert "default-src 'none'" in page
