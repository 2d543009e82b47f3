"""Judges in Python: what they get, what they may return, and what a bug in one of them costs."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest
import trio

import judgeflow as jf
from judgeflow.runtime.core import ActorCrashed
from judgeflow.runtime.judge.protocol import ChoiceAnswer, ConditionAnswer, RefusedAnswer, ScaleAnswer
from judgeflow.runtime.program import Program
from judgeflow.runtime.report.tern_tree import render_tree
from judgeflow.runtime.run import events

from ..helpers import Model, Tools, opened, program, run, step, steps, unchecked

SHELL = """
model small "fake/small"
model grader "fake/grader" {settings}
type Offer {{ salary: int  class: text? }}
tool find(id: text) -> json {{ python "hooks.py:find"  secret [id] }}
agent writer{answers} {{ model small  tools [find]  judges [{use}]  retries 0 }}
{judge}
flow main(task: text) -> text {{ answer = writer(task)  return text(answer) }}
"""
CODE = 'code judge rule(reply: text) { python "hooks.py:rule" }'
FIND = """
    def find(id):
        if id == "bad":
            raise LookupError("no " + id)
        return {"id": id, "status": "found"}
"""


def written(
    folder: Path,
    body: str,
    *,
    judge: str = CODE,
    answers: str = "",
    settings: str = "",
    use: str = "rule",
    check: bool = True,
) -> Program:
    """A program whose judge `rule` is in a file of its own."""
    hooks = "import judgeflow as jf\n" + textwrap.dedent(FIND) + textwrap.dedent(body)
    (folder / "hooks.py").write_text(hooks, encoding="utf-8")
    source = SHELL.format(judge=judge, answers=answers, settings=settings, use=use)
    return (program if check else unchecked)(source, folder / "test.judge")


async def judged(made: Program, reply: Any = "Hi", *grades: Any) -> tuple[Any, Model]:
    grader = Model(*grades)
    return await run(made, "Say hi", models={"small": Model(reply), "grader": grader}), grader


async def test_b13_b16_a_judge_gets_five_things_and_returns_a_verdict(tmp_path: Path) -> None:
    made = written(
        tmp_path,
        """
        def rule(input):
            names = sorted(name for name in dir(input) if not name.startswith("_"))
            metrics = {"names": names, "reply": input.reply, "task": input.task, "attempt": input.attempt}
            return jf.Verdict.failed("no", metrics=metrics)
        """,
    )
    result, _ = await judged(made)
    [verdict] = step(result, "writer").verdicts
    assert (verdict.passed, verdict.reason) == (False, "no")
    assert verdict.metrics == {
        "names": ["attempt", "reply", "task", "tool_calls", "variant"],
        "reply": "Hi",
        "task": "Say hi",
        "attempt": 0,
    }


async def test_b12_a_judge_has_its_own_copy_of_typed_data(tmp_path: Path) -> None:
    made = written(
        tmp_path,
        """
        async def rule(input):
            assert type(input.reply) is input.variant
            before = input.reply.salary
            input.reply.salary = 0
            input.reply.class_ = "changed"
            return jf.Verdict.passed(metrics={"salary": before, "type": input.variant.__name__})
        """,
        judge='code judge rule(reply: Offer) { python "hooks.py:rule" }',
        answers=" -> Offer",
    )
    result, _ = await judged(made, Tools(("answer", {"salary": 7})))
    assert result.answer == '{"salary":7,"class":null}'
    assert step(result, "writer").verdicts[0].metrics == {"salary": 7, "type": "Offer"}


@pytest.mark.parametrize("returned", ["True", "None", '{"ok": True}', '"PASS"'])
async def test_a32_nothing_else_is_a_verdict(tmp_path: Path, returned: str) -> None:
    made = written(tmp_path, f"def rule(input): return {returned}")
    result, _ = await judged(made)
    assert (result.status, result.record.code) == ("failed", "step.agent")
    assert "return Verdict.passed() or Verdict.failed(reason)" in result.record.reason


@pytest.mark.parametrize("reason", ["", "  \n", "\u200b"])
def test_b17_a_failed_verdict_needs_a_reason(reason: str) -> None:
    with pytest.raises(jf.StepError, match="needs a reason") as caught:
        jf.Verdict.failed(reason)
    assert caught.value.code == "judge.no-reason"


async def test_metrics_that_are_no_json_are_told_and_are_no_crash(tmp_path: Path) -> None:
    made = written(tmp_path, 'def rule(input): return jf.Verdict.passed(metrics={"raw": b"x"})')
    result, _ = await judged(made)
    assert "rule: its metrics are no JSON: bytes are no text" in (result.record.reason or "")


def test_b16_a_verdict_has_two_constructors() -> None:
    with pytest.raises(TypeError, match=r"write Verdict.passed\(\) or Verdict.failed\(reason\)"):
        jf.Verdict(object(), True, None, None)
    assert repr(jf.Verdict.failed(" no ", metrics={"n": 1})) == "Verdict.failed('no', metrics={'n': 1})"


ASKS = 'judge rule(reply: text, bar: float) { model grader  python "hooks.py:rule" }'


async def test_a01_b18_b19_b30_b32_b33_what_a_judge_names_by_keyword_is_injected(tmp_path: Path) -> None:
    made = written(
        tmp_path,
        """
        async def rule(input, *, model, run, find, bar):
            said = await model.invoke(f"Is this {bar}? {input.reply}")
            found = await find(id="A-7")
            return jf.Verdict.passed(metrics={"said": said, "agent": run.agent, "found": found["status"]})
        """,
        judge=ASKS,
        use="rule(bar: 0.5)",
        settings="{ price $1 in, $1 out }",
    )
    result, grader = await judged(made, "Hi", "Yes.")
    assert grader.prompts == ["Is this 0.5? Hi"]
    assert step(result, "writer").verdicts[0].metrics == {"said": "Yes.", "agent": "writer", "found": "found"}
    assert result.cost.parties["judge:rule"] == "0.000015"


async def test_b34_a_model_judge_need_not_call_its_model(tmp_path: Path) -> None:
    made = written(
        tmp_path,
        "def rule(input): return jf.Verdict.passed()",
        judge='judge rule(reply: text) { model grader  python "hooks.py:rule" }',
    )
    result, grader = await judged(made)
    assert (result.status, grader.requests) == ("answered", [])


async def test_b28_b29_the_wrong_kind_of_model_breaks_the_judge(tmp_path: Path) -> None:
    decides = """
        from judgeflow.runtime.judge.protocol import DecisionQuestion
        async def rule(input, *, model):
            await model.decide(state={}, questions={"a": DecisionQuestion("", "condition", "Is it?")})
    """
    invokes = """
        async def rule(input, *, model):
            await model.invoke("Is it?")
    """
    judge = 'judge rule(reply: text) { model grader  python "hooks.py:rule" }'
    for body, settings in ((decides, ""), (invokes, "{ kind decision }")):
        result, grader = await judged(written(tmp_path, body, judge=judge, settings=settings))
        assert (result.record.code, grader.requests) == ("step.agent", [])
        assert isinstance(result.error.__cause__, jf.ModelKindError)
        assert result.error.__cause__.code == "model.wrong-kind"


async def test_b24_a_judge_asks_typed_questions_by_name(tmp_path: Path) -> None:
    made = written(
        tmp_path,
        """
        async def rule(input, *, model):
            team = jf.ChoiceQuestion({"billing": "Payments", "technical": None}, ask="Whose?")
            mood = jf.ScaleQuestion(["calm", "furious"], ask="What mood?")
            found = await model.decide(
                state={"reply": input.reply},
                questions={
                    "fine": "Is it fine?",
                    "late": jf.Condition("Late?"),
                    "team": team,
                    "mood": mood,
                    "odd": "Odd?",
                },
            )
            told = [found["fine"].value, found["late"].value, found["team"].value, found["mood"].label]
            try:
                found["odd"]
            except jf.ProviderError as refused:
                told.append(refused.code)
            return jf.Verdict.passed(metrics={"told": told})
        """,
        judge='judge rule(reply: text) { model grader  python "hooks.py:rule" }',
        settings="{ kind decision }",
    )
    answers = {
        "fine": ConditionAnswer(0.9),
        "late": ConditionAnswer(0.1),
        "team": ChoiceAnswer("billing", {"billing": 1.0, "technical": 0.0}),
        "mood": ScaleAnswer(1.0, (0.0, 1.0)),
        "odd": RefusedAnswer("no"),
    }
    result, grader = await judged(made, "Hi", answers)
    [verdict] = step(result, "writer").verdicts
    assert verdict.metrics == {"told": [True, False, "billing", "furious", "decision.refused"]}
    [request] = grader.requests
    assert request.state == {"reply": "Hi"}
    assert [(q.id, q.kind, q.choices) for q in request.questions] == [
        ("fine", "condition", ()),
        ("late", "condition", ()),
        ("team", "choice", ("billing", "technical")),
        ("mood", "scale", ("calm", "furious")),
        ("odd", "condition", ()),
    ]


async def test_b20_a_judges_model_works_while_that_judge_runs_and_not_after(tmp_path: Path) -> None:
    made = written(
        tmp_path,
        """
        kept = []
        async def rule(input, *, model):
            kept.append(model)
            if len(kept) > 1:
                await kept[0].invoke("Still there?")
            return jf.Verdict.failed("again")
        """,
        judge='judge rule(reply: text) { model grader  python "hooks.py:rule" }',
    )
    models = {"small": Model("Hi"), "grader": Model("Yes")}
    async with opened(made, models) as session:
        await session.run("one")
        result = await session.run("two")
    assert result.record.code == "step.agent"
    cause = result.error.__cause__ if result.error else None
    assert isinstance(cause, jf.ConfigurationError)
    assert cause.code == "judge.model-outside-judge"
    assert models["grader"].requests == []


async def test_b21_a_code_judge_that_uses_a_model_fails_when_it_calls(tmp_path: Path) -> None:
    body = """
        async def rule(input, *, model):
            await model.invoke("Is it?")
    """
    result, grader = await judged(written(tmp_path, body, check=False))
    cause = result.error.__cause__
    assert (result.record.code, cause.code) == ("step.agent", "judge.model-on-code-judge")
    assert grader.requests == []


async def test_a_tool_that_fails_in_a_judge_does_not_tell_its_secrets(tmp_path: Path) -> None:
    body = """
        async def rule(input, *, find):
            await find(id="bad")
    """
    result, _ = await judged(written(tmp_path, body))
    assert result.record.reason == "writer: rule: find: LookupError: no •••"


async def test_what_a_judge_does_with_a_tool_is_in_the_record_and_is_none_of_the_agents_calls(
    tmp_path: Path,
) -> None:
    body = """
        async def rule(input, *, find):
            found = await find(id="A-7")
            try:
                await find(id="bad")
            except jf.JudgeflowError:
                pass
            return jf.Verdict.passed(metrics={"found": found["status"], "calls": len(input.tool_calls)})
    """
    seen: list[Any] = []
    made = written(tmp_path, body)
    small = Model(Tools(("find", {"id": "B-8"})), "Hi")
    result = await run(made, "go", models={"small": small, "grader": Model("")}, hooks=[seen.append])
    found = step(result, "writer")
    assert found.verdicts[0].metrics == {"found": "found", "calls": 1}
    assert [(call.by, call.status, call.input) for call in found.tool_calls] == [
        (None, "succeeded", {"id": "•••"}),
        ("rule", "succeeded", {"id": "•••"}),
        ("rule", "failed", {"id": "•••"}),
    ]
    assert found.tool_calls[1].output == {"id": "•••", "status": "found"}
    assert found.tool_calls[2].error == "LookupError: no •••"
    told = [event.status for event in seen if isinstance(event, events.ToolCalled)]
    assert told == ["succeeded", "succeeded", "failed"]
    shown = render_tree(result.record)
    told = ('→ {"id":"•••","status":"found"}', "→ Hi", "no •••  by rule")
    assert [shown.index(text) for text in told] == sorted(shown.index(text) for text in told)


async def test_a_judge_may_give_a_tool_what_it_judges_and_nothing_that_is_no_json(tmp_path: Path) -> None:
    body = """
        async def rule(input, *, find):
            await find(id=input.reply.class_)
            await find(id=object())
    """
    made = written(
        tmp_path, body, judge='code judge rule(reply: Offer) { python "hooks.py:rule" }', answers=" -> Offer"
    )
    answer = Tools(("answer", {"salary": 1, "class": "x"}))
    result, _ = await judged(made, answer)
    assert "rule: find: the arguments are no JSON" in (result.record.reason or "")
    assert [(call.status, call.input) for call in step(result, "writer").tool_calls] == [
        ("succeeded", {"id": "•••"}),
        ("refused", {"id": None}),
    ]


async def test_a_bug_ends_only_the_run_that_met_it_and_renews_only_that_judge(
    tmp_path: Path, autojump_clock: Any
) -> None:
    made = written(
        tmp_path,
        """
        seen = 0
        async def rule(input):
            global seen
            seen += 1
            if input.task == "bad":
                raise KeyError("jobs")
            import trio
            await trio.sleep(3)
            return jf.Verdict.passed(metrics={"seen": seen})
        """,
    )
    results: dict[str, Any] = {}
    async with opened(made, {"small": Model("Hi"), "grader": Model("")}) as session:

        async def one(task: str) -> None:
            results[task] = await session.run(task)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(one, "good")
            await trio.sleep(1)
            nursery.start_soon(one, "bad")
            await trio.sleep(1)
            nursery.start_soon(one, "after")
    assert results["good"].status == "answered", "it was being judged when the other one met the bug"
    assert results["after"].status == "answered"
    assert step(results["after"], "writer").verdicts[0].metrics == {"seen": 1}, "the module is a new one"
    bad = results["bad"]
    assert (bad.status, bad.record.code) == ("failed", "step.agent")
    assert bad.record.reason == "writer: 'rule' crashed over this message (KeyError): 'jobs' (hooks.py:13)"
    assert isinstance(bad.error.__cause__, ActorCrashed)
    assert isinstance(bad.error.__cause__.__cause__, KeyError)


async def test_a_program_does_not_give_up_on_a_judge_that_keeps_crashing(
    tmp_path: Path, autojump_clock: Any
) -> None:
    made = written(tmp_path, "def rule(input): raise KeyError(input.task)")
    async with opened(made, {"small": Model("Hi"), "grader": Model("")}) as session:
        results = [await session.run(f"task {number}") for number in range(20)]
    assert [result.record.reason for result in results] == [
        f"writer: 'rule' crashed over this message (KeyError): 'task {number}' (hooks.py:7)"
        for number in range(20)
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "import nowhere_to_be_found\ndef rule(input): ...",
            "hooks.py:7: it cannot be imported (ModuleNotFoundError: No module named 'nowhere_to_be_found'): "
            "install what provides `nowhere_to_be_found`, or correct the import",
        ),
        (
            "1 / 0\ndef rule(input): ...",
            "hooks.py:7: it cannot be imported (ZeroDivisionError: division by zero)",
        ),
        ("def rule(input:", "hooks.py:7: it cannot be imported (SyntaxError: "),
        (
            "import sys\nsys.exit(3)",
            "hooks.py:8: it cannot be imported (SystemExit: 3): what is to run only by itself",
        ),
        ("def rules(input): ...", "there is no function `rule`: did you mean `rules`?"),
    ],
)
async def test_a_file_that_cannot_be_loaded_fails_every_run_that_needs_it_with_the_reason(
    tmp_path: Path, body: str, expected: str
) -> None:
    made = written(tmp_path, body, check=False)
    async with opened(made, {"small": Model("Hi"), "grader": Model("")}) as session:
        for _ in range(2):
            result = await session.run("go")
            assert (result.status, result.record.code) == ("failed", "step.agent")
            assert expected in (result.record.reason or "")


async def test_a_keyword_that_nothing_provides_is_an_error_that_names_what_there_is(tmp_path: Path) -> None:
    made = written(tmp_path, "def rule(input, *, database): ...", check=False)
    result, _ = await judged(made)
    assert "nothing provides the keyword-only parameter `database`; there are find, model, run" in (
        result.record.reason
    )


async def test_what_fails_in_a_nursery_of_the_hook_is_the_failure_itself(tmp_path: Path) -> None:
    made = written(
        tmp_path,
        """
        import trio
        async def rule(input, *, find):
            async def look(id):
                await find(id=id)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(look, "bad")
                nursery.start_soon(look, "A-7")
        """,
    )
    result, _ = await judged(made)
    assert (result.record.code, result.record.reason) == (
        "step.agent",
        "writer: rule: find: LookupError: no •••",
    )


async def test_a_sync_judge_that_blocks_holds_up_nobody_and_is_left_behind(tmp_path: Path) -> None:
    made = written(
        tmp_path,
        """
        import threading
        release = threading.Event()
        def rule(input):
            release.wait(5)
        """,
    )
    with trio.move_on_after(0.1) as scope:
        await judged(made)
    assert scope.cancelled_caught
    assert trio.current_time() < scope.deadline + 1


async def test_b41_b42_a_judge_reads_the_real_values_of_the_visits_tool_calls(tmp_path: Path) -> None:
    made = written(
        tmp_path,
        """
        def rule(input):
            return jf.Verdict.passed(metrics={"calls": [dict(call) for call in input.tool_calls]})
        """,
    )
    small = Model(Tools(("find", {"id": "A-7"})), "Hi")
    result = await run(made, "go", models={"small": small, "grader": Model("")})
    assert step(result, "writer").verdicts[0].metrics == {
        "calls": [
            {
                "tool": "find",
                "input": {"id": "A-7"},
                "output": {"id": "A-7", "status": "found"},
                "error": None,
                "status": "succeeded",
            }
        ]
    }
    [record] = steps(result, "writer")[0].tool_calls
    assert (record.input, record.output) == ({"id": "•••"}, {"id": "•••", "status": "found"})


async def test_a_judge_may_be_what_gives_something_to_await(tmp_path: Path) -> None:
    made = written(
        tmp_path,
        """
        class Rule:
            async def __call__(self, input):
                return jf.Verdict.failed("no")
        rule = Rule()
        """,
    )
    result, _ = await judged(made)
    assert step(result, "writer").verdicts[0].reason == "no"


async def test_a_keyword_with_a_default_that_nothing_provides_keeps_it(tmp_path: Path) -> None:
    made = written(
        tmp_path,
        """
        def rule(input, *, run, limit=3):
            return jf.Verdict.passed(metrics={"limit": limit, "run": run.id})
        """,
    )
    result, _ = await judged(made)
    assert step(result, "writer").verdicts[0].metrics == {"limit": 3, "run": result.record.id}


@pytest.mark.parametrize(
    ("metrics", "told"),
    [
        ({"a": float("nan")}, r"its metrics are no JSON: \$\.a is nan"),
        ({"a": object()}, "no JSON: it holds a value of type object"),
        ({1: 2}, "is an object with a key that is no text"),
        ([1], "metrics are an object"),
    ],
)
def test_metrics_that_no_record_can_keep_are_refused_where_they_are_given(metrics: Any, told: str) -> None:
    for give in (jf.Verdict.passed, lambda **rest: jf.Verdict.failed("no", **rest)):
        with pytest.raises(jf.SerializationError, match=told):
            give(metrics=metrics)


async def test_metrics_that_were_changed_afterwards_are_looked_at_as_well(tmp_path: Path) -> None:
    made = written(
        tmp_path,
        """
        def rule(input):
            verdict = jf.Verdict.passed(metrics={"a": 1})
            verdict.metrics["b"] = float("nan")
            return verdict
        """,
    )
    result, _ = await judged(made)
    assert "rule: its metrics are no JSON: $.b is nan" in str(result.error)


def test_a_reason_that_cannot_be_sent_is_refused() -> None:
    with pytest.raises(jf.SerializationError, match="reason is a text with a lone surrogate"):
        jf.Verdict.failed("\ud800")


def test_verdicts_are_compared_by_what_they_say() -> None:
    assert repr(jf.Verdict.passed(metrics={"a": 1})) == "Verdict.passed(metrics={'a': 1})"
    assert repr(jf.Verdict.failed("no")) == "Verdict.failed('no', metrics={})"
    assert jf.Verdict.failed("no", metrics={"a": (1,)}) == jf.Verdict.failed(" no ", metrics={"a": [1]})
    assert jf.Verdict.failed("no") != jf.Verdict.passed()
    assert jf.Verdict.passed() != True  # noqa: E712
    with pytest.raises(TypeError, match=r"write Verdict\.passed\(\)"):
        jf.Verdict(True)
