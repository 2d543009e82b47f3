"""`jrun calibrate`: how far a judge agrees with people, and what that is worth."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from judgeflow.dsl.plan import Plan
from judgeflow.runtime.evaluate.account import EvalAccount
from judgeflow.runtime.evaluate.calibrate import (
    CalibrationReport,
    Confusion,
    Judged,
    Labelled,
    calibrate,
    labelled_cases,
    labelled_runs,
    measure_of,
    report_of,
)
from judgeflow.runtime.evaluate.cases import parse_cases
from judgeflow.runtime.evaluate.checks import CheckResult
from judgeflow.runtime.evaluate.judges import choose_judge
from judgeflow.runtime.evaluate.measure import with_measurements
from judgeflow.runtime.evaluate.pace import Pace
from judgeflow.runtime.evaluate.render_calibration import render_calibration
from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import ChoiceAnswer, ConditionAnswer, ScaleAnswer
from judgeflow.runtime.store.scores import Label, put_label
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, opened, program

DESK = """
workflow desk
model m "a/writer"
model j "b/judge" { price $1 in, $1 out }
model jev "c/decider" { kind decision  price $1 in, $1 out }
agent writer { model m }
judge opinion { model j  ask "Good? {{ reply }}" }
judge rated { model j  rate "good"  threshold 0.7 }
judge typed { model jev  decide {
    good: condition "Is it good?"
    use: scale "How useful?" ["no", "some", "very"]
    tone: choice "Which tone?" { formal  casual }
  }
  require good.value else "bad"
  metrics { own: 1 }
}
flow main(question: text) -> text { return writer(question) }
"""


def judged(pairs: Sequence[tuple[bool, bool | None]], **more: Any) -> CalibrationReport:
    results = [
        Judged(
            id=str(at),
            task="t",
            label=label,
            result=CheckResult(check="it", passed=passed, readable=passed is not None),
        )
        for at, (label, passed) in enumerate(pairs)
    ]
    return report_of(
        "desk", "it", results, labelled=len(pairs), source="labels.jsonl", account="desk:eval", **more
    )


def test_without_variation_kappa_is_null_and_says_why() -> None:
    report = judged([(True, True)] * 3)
    assert (report.agreement.value, report.agreement.n, report.kappa.value) == (1.0, 3, None)
    assert msgspec.json.decode(msgspec.json.encode(report))["kappa"] == {
        "value": None,
        "interval": None,
        "reason": "no variation: both said the same of everything",
    }
    text = render_calibration(report).text()
    assert "Cohen's kappa –: no variation" in text
    assert "people said the same of everything" in text


def test_f36_high_agreement_does_not_hide_a_useless_judge() -> None:
    report = judged([(True, True)] * 90 + [(False, True)] * 10)
    assert report.agreement.value == 0.9
    assert report.kappa.value == pytest.approx(0.0)
    assert (report.base_rate, report.constant) == (0.9, 0.9)
    assert (report.confusion.fail_fail, report.confusion.fail_pass) == (0, 10)
    text = render_calibration(report).text()
    assert "of what they failed it fails 0/10" in text
    assert "the judge passes everything: it tells nothing apart" in text
    assert "base rate 0.900: always saying pass would agree 0.900" in text


def test_a_judge_that_is_worse_than_a_constant_one_is_told_so() -> None:
    report = judged([(True, True)] * 70 + [(True, False)] * 20 + [(False, True)] * 9 + [(False, False)])
    text = render_calibration(report).text()
    assert "it agrees no better than a judge that always says the same" in text


def test_20_labels_are_too_few_to_tell() -> None:
    text = render_calibration(judged([(True, True)] * 10 + [(False, False)] * 10)).text()
    assert "too few to tell: 20 labels; below 100" in text
    many = render_calibration(judged([(True, True)] * 50 + [(False, False)] * 50)).text()
    assert "too few" not in many


def test_what_could_not_be_judged_counts_neither_way() -> None:
    report = judged([(True, True), (False, None), (True, None)])
    assert (report.labelled, report.judged, report.agreement.value) == (3, 1, 1.0)
    assert report.causes[0].count == 2
    assert "2 answers without a judgement" in render_calibration(report).text()


def test_disagreements_are_shown() -> None:
    report = judged([(True, False), (False, True), (True, True)])
    assert [each.id for each in report.disagreements] == ["0", "1"]
    assert report.confusion == Confusion(pass_pass=1, pass_fail=1, fail_pass=1, fail_fail=0)


# --- bars and the reliability curve


def test_the_best_bar_is_found() -> None:
    values = [(at / 100, at >= 60) for at in range(100)]
    measure = measure_of("score", values)
    assert measure.best is not None
    assert (measure.best.bar, measure.best.agreement, measure.best.kappa) == (0.6, 1.0, 1.0)
    assert [bar.bar for bar in measure.bars][:3] == [0.05, 0.1, 0.15]


def test_a_value_at_the_bar_passes() -> None:
    [bar] = [bar for bar in measure_of("score", [(0.7, True), (0.6999, False)]).bars if bar.bar == 0.7]
    assert bar.agreement == 1.0


def test_the_curve_shows_what_people_said_where_the_judge_said_so_much() -> None:
    rng = random.Random(1)
    values = [(p, rng.random() < p) for p in (rng.random() for _ in range(2000))]
    measure = measure_of("good", values)
    assert [each.low for each in measure.bins] == [0.0, 0.2, 0.4, 0.6, 0.8]
    assert sum(each.passed.n for each in measure.bins) == 2000
    for each in measure.bins:
        assert each.passed.value == pytest.approx(each.said, abs=0.07)
    assert measure.brier < measure.base_brier


def test_one_belongs_to_the_last_bin() -> None:
    assert [(each.low, each.passed.n) for each in measure_of("p", [(1.0, True), (0.0, False)]).bins] == [
        (0.0, 1),
        (0.8, 1),
    ]


def test_a_number_that_says_nothing_is_told_so() -> None:
    report = report_of(
        "desk",
        "it",
        [
            Judged(
                id=str(at),
                task="t",
                label=at % 2 == 0,
                result=CheckResult(check="it", passed=True),
                measures={"score": 0.5},
            )
            for at in range(10)
        ],
        labelled=10,
        source="labels.jsonl",
        account="desk:eval",
    )
    assert "no bar on score tells good from bad better than chance" in render_calibration(report).text()


# --- with judges


async def run(
    judge: str,
    models: dict[str, Model],
    labels: Sequence[tuple[str, bool]],
    store: Path | None = None,
    name: str | None = None,
) -> CalibrationReport:
    made = program(DESK)
    chosen = choose_judge(made.plan, judge)

    def extend(plan: Plan) -> Plan:
        return with_measurements(chosen.extend(plan), chosen.use.judge)

    everything = {"m": Model("Hi"), "j": Model("PASS"), "jev": Model("unused"), **models}
    async with opened(made, everything, store=store, extend=extend) as session:
        account = EvalAccount("desk:eval", "", (), session.writer, session.stamp)
        items = [
            Labelled(id=name or str(at), flow="main", task="q", answer=answer, label=label)
            for at, (answer, label) in enumerate(labels)
        ]
        return await calibrate(session, chosen.use, chosen.shown, items, Pace(account, 1), source="labels")


async def test_an_opinion_is_held_against_labels() -> None:
    judge = Model(lambda request: "PASS" if "fine" in request.messages[-1].content else "no")
    report = await run("opinion", {"j": judge}, [("fine", True), ("bad", False), ("fine too", False)])
    assert report.confusion == Confusion(pass_pass=1, fail_fail=1, fail_pass=1)
    assert report.measures == ()
    assert report.cost.known != "0"


async def test_answers_whose_short_ids_are_the_same_stay_apart() -> None:
    judge = Model(lambda request: "PASS" if "fine" in request.messages[-1].content else "no")
    report = await run(
        "opinion", {"j": judge}, [("fine", True), ("bad", False), ("bad", True)], name="0a1b2c3d"
    )
    assert report.confusion == Confusion(pass_pass=1, fail_fail=1, pass_fail=1)


async def test_u66_a_rating_has_a_sweep_over_its_score() -> None:
    # What other bars would have said is worked out from what was kept, without a call.
    report = await run("rated", {"j": Model("0.9", "0.8", "0.3")}, [("a", True), ("b", True), ("c", False)])
    [measure] = report.measures
    assert (measure.name, measure.n) == ("score", 3)
    text = render_calibration(report).text()
    assert "bar on score" in text
    assert "people passed" in text


async def test_decided_questions_have_a_sweep_each_and_keep_their_own_metrics() -> None:
    answers = {
        "good": ConditionAnswer(0.9),
        "use": ScaleAnswer(1.0, (0.25, 0.5, 0.25)),
        "tone": ChoiceAnswer("formal", {"formal": 1.0, "casual": 0.0}),
    }
    report = await run("typed", {"jev": Model(answers)}, [("a", True), ("b", False)])
    assert {measure.name: measure.bins[0].said for measure in report.measures} == {"good": 0.9, "use": 0.5}


async def test_p_adequate_has_a_sweep() -> None:
    judge = Model({"adequate": ConditionAnswer(0.9)}, {"adequate": ConditionAnswer(0.2)})
    report = await run("jev", {"jev": judge}, [("a", True), ("b", False)])
    assert [measure.name for measure in report.measures] == ["adequate"]
    assert report.kappa.value == 1.0


async def test_a_judge_that_breaks_on_one_answer_judges_the_others() -> None:
    report = await run("opinion", {"j": Model(ProviderError("down"), "PASS")}, [("a", True), ("b", True)])
    assert (report.judged, report.causes[0].cause) == (1, "provider: down")


async def test_labels_of_a_file_need_an_answer_and_a_label() -> None:
    lines = '{"input": "q", "answer": "a", "label": "pass"}\n{"input": "q", "answer": "b"}\n'
    lines += '{"input": "q", "label": 0}\n'
    async with opened(program(DESK), dict.fromkeys(("m", "j", "jev"), Model("x"))) as session:
        found, faults = labelled_cases(session, "main", parse_cases(lines.encode(), ".jsonl", "l").cases, "l")
    assert [(each.answer, each.label) for each in found] == [("a", True)]
    assert [fault.mistake for fault in faults] == ["this case has no label", "this case has no answer"]


async def test_labels_of_past_runs_leave_out_what_people_disagree_about(tmp_path: Path) -> None:
    path = tmp_path / "terns.sqlite"
    models = dict.fromkeys(("m", "j", "jev"), Model("Hi"))
    async with opened(program(DESK), models, store=path) as session:
        runs = [(await session.run(question)).record.id for question in "abc"]
        with Store.open(path) as store:
            for run_id, label, who in [
                (runs[0], "pass", "ann"),
                (runs[0], "pass", "bob"),
                (runs[1], "pass", "ann"),
                (runs[1], "fail", "bob"),
                (runs[2], "fail", "ann"),
            ]:
                put_label(
                    store,
                    Label(run=run_id, label=label, labeller=who, labelled="2026-03-01T12:00:00.000Z"),
                )
            found, disputed = labelled_runs(session, store, "", None)
    assert [(each.task, each.label) for each in found] == [("a", True), ("c", False)]
    assert disputed == 1


async def test_a_jurys_votes_are_a_measure_and_its_agreement_is_told() -> None:
    source = """
    workflow desk
    model a "a/one"
    model b "b/two"
    model c "c/three"
    judge panel { model [a, b, c]  ask "Good? {{ reply }}" }
    flow main(question: text) -> text { return question }
    """
    made = program(source)

    def says(*good: str) -> Model:
        return Model(lambda request: "PASS" if request.messages[-1].content.split()[-1] in good else "no")

    models = {"a": says("x", "y"), "b": says("x", "y"), "c": says("x")}
    async with opened(made, models) as session:
        account = EvalAccount("desk:eval", "", (), session.writer, session.stamp)
        items = [
            Labelled(id=answer, flow="main", task="q", answer=answer, label=answer != "z") for answer in "xyz"
        ]
        chosen = choose_judge(made.plan, "panel")
        report = await calibrate(session, chosen.use, "panel", items, Pace(account), source="labels")
    assert report.kappa.value == 1.0
    [measure] = report.measures
    assert (measure.name, [each.said for each in measure.bins]) == (
        "votes for",
        [0.0, pytest.approx(2 / 3), 1.0],
    )
    [(name, kappa)] = report.juries
    # 3:0, 2:1, 0:3: mean agreement 7/9, chance (5/9)² + (4/9)²
    assert (name, kappa.value) == ("panel", pytest.approx((7 / 9 - 41 / 81) / (1 - 41 / 81)))
    assert "jury panel: Fleiss' kappa 0.55" in render_calibration(report).text()
