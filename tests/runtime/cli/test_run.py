"""`jrun FILE`: input, output, exit codes and interruption."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judgeflow.runtime.cli import main
from judgeflow.runtime.cli.run_flow import with_models
from judgeflow.runtime.store.terns import Store

from ..helpers import program

FLOW = """
model small "script/answers"
type Pair { left: text  right: int }
agent writer(question: text) { model small  prompt "Answer."  judges [short]  retries 1 }
code judge short(reply: text) { require len(reply) < 40 else "Shorter." }
gate clean(draft) { scorers { not contains "TODO" } }

flow main(question: text) -> text {
  draft = writer(question)
  clean(draft)
  return draft
}
flow pair(left: text, right: int = 3) -> Pair { return { left: left, right: right } }
flow halted(question: text) -> text { stop "Not today: {{ question }}" }
flow asks(question: text) -> text {
  approve "Go on?" showing question
  return "went on"
}

test "answers" for main {
  given  { question: "x" }
  writer replies "Terns are seabirds." when question == "What are terns?"
  writer replies "TODO" when question == "later"
  writer replies "A very long answer that no judge of this file will ever let pass."
  expect result == "x"
}
"""

Jrun = Callable[..., tuple[int, str, str]]


@pytest.fixture
def jrun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Jrun:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    Path("flow.judge").write_text(FLOW, encoding="utf-8")

    def run(*words: str) -> tuple[int, str, str]:
        code = main(list(words))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_the_answer_alone_is_on_standard_output(jrun: Jrun) -> None:
    code, out, err = jrun("flow.judge", "What are terns?")
    assert (code, out) == (0, "Terns are seabirds.\n")
    assert "scripted answers" in err


def test_i04_every_run_prints_its_whole_thread_even_when_quiet(jrun: Jrun) -> None:
    code, out, err = jrun("flow.judge", "What are terns?", "--quiet")
    assert (code, out) == (0, "Terns are seabirds.\n")
    assert len(err.removeprefix("thread: ").strip()) == 32


def test_d60_a_gate_that_blocks_ends_the_run_with_exit_code_4(jrun: Jrun) -> None:
    code, out, err = jrun("flow.judge", "later")
    assert code == 4
    assert "clean blocked" in out
    assert "[gate.block]" in err


def test_b06_a_spent_quality_gate_is_a_failed_run_with_exit_code_4(jrun: Jrun) -> None:
    code, out, _ = jrun("flow.judge", "anything", "--json")
    record = json.loads(out)
    assert (code, record["status"], record["code"]) == (4, "failed", "step.agent.quality-gate")
    assert record["schema"] == 1


def test_a_stop_is_guarded_and_its_text_is_the_answer(jrun: Jrun) -> None:
    code, out, _ = jrun("flow.judge", "go", "--flow", "halted")
    assert (code, out) == (4, "Not today: go\n")


def test_an_approval_without_a_terminal_pauses_the_run(jrun: Jrun) -> None:
    code, _, err = jrun("flow.judge", "go", "--flow", "asks")
    assert code == 5
    assert "Go on?" in err


def test_typed_answers_are_json_and_input_comes_by_name(jrun: Jrun) -> None:
    code, out, _ = jrun("flow.judge", "--flow", "pair", "--input", "left=a", "--input", "right=7")
    assert (code, json.loads(out)) == (0, {"left": "a", "right": 7})


def test_input_comes_from_a_file(jrun: Jrun) -> None:
    Path("in.json").write_text('{"left": "b"}', encoding="utf-8")
    _, out, _ = jrun("flow.judge", "--flow", "pair", "--input-file", "in.json")
    assert json.loads(out) == {"left": "b", "right": 3}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gone.judge",), "there is no file gone.judge"),
        (("flow.judge", "x", "--flow", "nope"), "no flow `nope`; there are: main, pair, halted, asks"),
        (("flow.judge", "--flow", "pair", "--input", "right=x"), "left: is missing"),
        (("flow.judge", "--flow", "pair", "--input", "wrong"), "write NAME=VALUE"),
        (("flow.judge", "x", "--thread", "0" * 32), "there is no thread"),
        (("flow.judge", "x", "--no-store", "--thread", "1"), "--thread needs the store"),
        (("flow.judge", "x", "--timeout", "soon"), "write a time such as"),
        (("flow.judge", "x", "--max-cost", "much"), "write an amount in US dollars such as 0.50"),
        (("flow.judge", "x", "--max-cost", "-1"), "write an amount in US dollars"),
        (("flow.judge", "x", "--model", "writre=a/b"), "did you mean `writer`?"),
        (("flow.judge", "x", "--model", "short=a/b"), "short is a code judge, which asks no model"),
        (("flow.judge", "x", "--model", "writer="), "write AGENT=SLUG with one of: writer"),
        (
            ("flow.judge", "--input", "qestion=x"),
            "qestion: main has no such parameter: did you mean `question`?",
        ),
        (("flow.judge", "--input", "question=x", "--input", "question=y"), "question: it is given twice"),
        (("flow.judge", " "), "the task is empty, and main needs a task"),
        (("flow.judge", "x", "--profile", "cheap"), "there is no profile `cheap`"),
        (("flow.judge", "x", "--model", "nobody=a/b"), "write AGENT=SLUG"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(jrun: Jrun, words: tuple[str, ...], said: str) -> None:
    code, out, err = jrun(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_f04_an_unknown_thread_is_refused_before_any_call(jrun: Jrun, tmp_path: Path) -> None:
    jrun("flow.judge", "What are terns?", "--thread", "f" * 32)
    assert not (tmp_path / "terns.sqlite").exists()
    jrun("flow.judge", "What are terns?", "--quiet")
    jrun("flow.judge", "What are terns?", "--thread", "f" * 32)
    assert len(Store.read(tmp_path / "terns.sqlite").list_terns()) == 1


def test_f03_i03_a_thread_is_continued(jrun: Jrun, tmp_path: Path) -> None:
    _, _, err = jrun("flow.judge", "What are terns?", "--quiet")
    thread = err.removeprefix("thread: ").strip()
    code, _, again = jrun("flow.judge", "What are terns?", "--quiet", "--thread", thread)
    assert (code, again) == (0, err)
    assert [tern.turn for tern in Store.read(tmp_path / "terns.sqlite").list_terns()] == [2, 1]


def test_errors_in_the_file_are_exit_code_3_and_nothing_runs(jrun: Jrun, tmp_path: Path) -> None:
    Path("flow.judge").write_text(FLOW.replace("judges [short]", "judges [shrot]"), encoding="utf-8")
    code, out, err = jrun("flow.judge", "x")
    assert (code, out) == (3, "")
    assert "error[" in err
    assert "short" in err
    assert not (tmp_path / "terns.sqlite").exists()


def test_no_store_keeps_no_record(jrun: Jrun, tmp_path: Path) -> None:
    assert jrun("flow.judge", "What are terns?", "--no-store")[0] == 0
    assert not (tmp_path / "terns.sqlite").exists()


def test_events_are_json_lines_in_order(jrun: Jrun) -> None:
    _, out, _ = jrun("flow.judge", "What are terns?", "--events", "--quiet")
    events = [json.loads(line)["event"] for line in out.splitlines()]
    assert events[0] == "run.started"
    assert events[-1] == "run.ended"
    assert events.index("judge.start") < events.index("judge.end")


def test_a_dry_run_makes_no_call_and_names_the_models(jrun: Jrun, tmp_path: Path) -> None:
    code, out, _ = jrun("flow.judge", "x", "--dry-run")
    assert code == 0
    assert out.splitlines() == [
        "flow: flow main",
        "  agent writer  script/answers  at most 2 calls  (2 answers a visit; judges: short)",
        "at most 2 calls in all",
    ]
    assert not (tmp_path / "terns.sqlite").exists()


PRICED = """
model big   "vendor/big"   { price $1 in, $10 out  max_tokens 1000  fallback [small] }
model small "vendor/small" { price $1 in, $1 out  max_tokens 1000 }
limits { cost $0.50 per run  calls 30 per run  cost $9 per day }
agent writer(topic: text) { model big  prompt "Write."  retries 0 }
agent other(topic: text)  { model small  prompt "Write." }
flow main(topics: text[]) -> text[] { found = each topic in topics: writer(topic)  return found }
flow unused(topic: text) -> text { return other(topic) }
profile cheap { agent writer { model small } }
"""


def test_a_dry_run_shows_what_the_flow_reaches_under_the_profile_and_what_it_may_cost(jrun: Jrun) -> None:
    Path("priced.judge").write_text(PRICED, encoding="utf-8")
    _, out, _ = jrun("priced.judge", "--flow", "main", "--dry-run")
    assert out.splitlines() == [
        "priced: flow main",
        "  agent writer  vendor/big  at most 1 call, output up to $0.0100",
        "at most 1 call in all; output up to $0.0100, and the input on top",
        "for one item of each topic; every other item costs as much again",
        "a failed call of big may be made again by its fallbacks",
        "a run is ended at $0.50, 30 calls",
    ]
    _, out, _ = jrun("priced.judge", "--flow", "main", "--dry-run", "--profile", "cheap", "--json")
    plan = json.loads(out)
    assert (plan["calls"], plan["output"], plan["per_item"]) == (1, "0.001", ["topic"])
    assert [party["model"] for party in plan["parties"]] == ["small"]


@pytest.mark.parametrize(
    "words",
    [
        ("flow.judge", "--flow", "halted", "later"),
        ("--flow", "halted", "flow.judge", "later"),
        ("run", "--quiet", "flow.judge", "--flow", "halted", "later"),
    ],
)
def test_the_task_may_stand_anywhere(jrun: Jrun, words: tuple[str, ...]) -> None:
    assert jrun(*words)[:2] == (4, "Not today: later\n")


class Piped(io.StringIO):
    def isatty(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("piped", "words", "code", "said"),
    [
        ("later", ("flow.judge", "--flow", "halted"), 4, "Not today: later"),
        (
            "",
            ("flow.judge",),
            2,
            'standard input is empty, and main needs a task: write `jrun flow.judge "…"`',
        ),
        (
            " \n",
            ("flow.judge", "--flow", "pair"),
            2,
            'write `jrun flow.judge --flow pair "…"`, or `--input left=…`, or pipe it in',
        ),
    ],
)
def test_an_empty_task_is_told_how_to_give_one(
    jrun: Jrun, monkeypatch: pytest.MonkeyPatch, piped: str, words: tuple[str, ...], code: int, said: str
) -> None:
    monkeypatch.setattr("sys.stdin", Piped(piped))
    found, out, err = jrun(*words)
    assert found == code
    assert said in out + err


def test_a_task_is_read_as_what_its_parameter_holds(jrun: Jrun) -> None:
    Path("count.judge").write_text("flow main(n: int) -> int { return n + 1 }", encoding="utf-8")
    assert jrun("count.judge", "4")[:2] == (0, "5\n")
    code, _, err = jrun("count.judge", "four")
    assert (code, "n: must be a whole number" in err) == (2, True)


def test_what_a_hook_prints_does_not_spoil_the_answer(jrun: Jrun) -> None:
    Path("noisy.py").write_text(
        "def shout(text):\n    print('noise')\n    return text.upper()\n", encoding="utf-8"
    )
    Path("noisy.judge").write_text(
        'tool shout(text: text) -> text { python "noisy.py:shout" }\n'
        "flow main(text: text) -> text { loud = shout(text)  return loud }",
        encoding="utf-8",
    )
    code, out, err = jrun("noisy.judge", "hi")
    assert (code, out) == (0, "HI\n")
    assert "noise" in err


def test_another_model_for_a_decision_or_a_deciding_judge_is_a_decision_model() -> None:
    plan = program(
        'model jev "v/jev" { kind decision }\nmodel two "v/two" { kind decision }\n'
        'condition urgent(text: text) { model jev  ask "Urgent?" }\n'
        'judge good { model jev  decide { fine: condition "Fine?" }  require fine.value else "no" }\n'
        'agent writer { model "v/small"  judges [good] }\n'
        "flow main(text: text) -> text { found = urgent(text)  return writer(text) }"
    ).plan
    changed = with_models(plan, ["urgent=x/other", "good=two", "writer=x/small"])
    assert (changed.decisions["urgent"].model, changed.models["x/other"].kind) == ("x/other", "decision")
    assert (changed.judges["good"].model, changed.models["two"]) == ("two", plan.models["two"])
    assert (changed.agents["writer"].model, changed.models["x/small"].kind) == ("x/small", "chat")


SLOW = """
model small "script/answers"
tool wait(seconds: float) { python "slow.py:wait" }
agent writer(question: text) { model small  prompt "Answer." }

flow main(question: text) -> text {
  draft = writer(question)
  late  = wait(30)
  again = writer(question)
  return again
}
test "answers" for main { given { question: "x" }  writer replies "paid"  wait returns null  expect result == "paid" }
"""


def started(tmp_path: Path) -> subprocess.Popen[str]:
    (tmp_path / "slow.judge").write_text(SLOW, encoding="utf-8")
    (tmp_path / "slow.py").write_text(
        "import sys, trio\n\nasync def wait(seconds):\n"
        "    print('waiting', file=sys.stderr, flush=True)\n    await trio.sleep(seconds)\n",
        encoding="utf-8",
    )
    command = "import sys; from judgeflow.runtime.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "slow.judge", "go"],
        cwd=tmp_path,
        env={**os.environ, "TERN_DB": str(tmp_path / "terns.sqlite")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    while "waiting" not in process.stderr.readline():
        assert process.poll() is None
    return process


def record_of(tmp_path: Path) -> Any:
    with Store.read(tmp_path / "terns.sqlite") as store:
        (head,) = store.list_terns()
        return store.get(head.id)


@pytest.mark.slow
def test_a_second_interrupt_ends_the_run_at_once_and_keeps_the_record(tmp_path: Path) -> None:
    process = started(tmp_path)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "stopping, 1 call in flight" not in process.stderr.readline():
        assert process.poll() is None
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    assert time.monotonic() - began < 2
    process.communicate()
    tern = record_of(tmp_path)
    assert tern.status == "cancelled"
    assert [(step.name, step.status) for step in tern.steps] == [
        ("writer", "succeeded"),
        ("wait", "cancelled"),
    ]
    assert tern.usage.calls == 1


@pytest.mark.slow
def test_sigterm_is_the_first_interrupt(tmp_path: Path) -> None:
    process = started(tmp_path)
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    while "stopping" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 130
    process.communicate()
    assert record_of(tmp_path).status == "cancelled"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'\xef\xbb\xbf{"question": "go"}', ""),
        (b'{"question": "a", "question": "b"}', "in.json: not JSON: "),
        (b'{"question": NaN}', "in.json: not JSON: "),
        (b'{"question": "\xff"}', "in.json: byte 14 is not valid UTF-8: save it again as UTF-8"),
        (b"[1]", "in.json: must hold a JSON object"),
    ],
)
def test_a_file_of_input_holds_one_value_a_name_in_utf_8(jrun: Jrun, data: bytes, said: str) -> None:
    Path("in.json").write_bytes(data)
    code, _, err = jrun("flow.judge", "--flow", "halted", "--input-file", "in.json")
    assert (code, said in err) == (2 if said else 4, True)


@pytest.mark.parametrize("words", [("go\udcff",), ("--input", "question=go\udcff")])
def test_a_task_that_is_no_text_is_wrong_use(jrun: Jrun, words: tuple[str, ...]) -> None:
    code, out, err = jrun("flow.judge", "--flow", "halted", *words)
    assert (code, out) == (2, "")
    assert "is no UTF-8 text" in err


def test_a_task_in_a_locale_without_utf_8_is_read_as_utf_8(jrun: Jrun) -> None:
    assert jrun("flow.judge", "--flow", "halted", "W\udcc3\udca4s?")[1] == "Not today: Wäs?\n"
