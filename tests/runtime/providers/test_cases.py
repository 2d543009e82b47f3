"""Faults that were reported of others, through a whole run: decisions, tools beside a guard, consoles and files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judgeflow.runtime.judge.protocol import ConditionAnswer, DecisionReply, RefusedAnswer

from ..helpers import Model, Tools, program, run, step

DECIDES = """
model jev "fake/jev" { kind decision }
condition urgent(text: text) { model jev  ask "Is it urgent?" }
flow main(text: text) -> text {
  seen = "nothing"
  BODY
  return seen
}
"""
BARRED = 'if urgent(text) { seen = "yes" } uncertain below 0.6 { seen = "unsure" } else { seen = "no" }'
OPEN = 'if urgent(text) { seen = "yes" } else { seen = "no" }'


async def decided(body: str, answer: Any) -> Any:
    model = Model({"decision": answer})
    return await run(program(DECIDES.replace("BODY", body)), "t", models={"jev": model}), model


async def test_case_188_one_half_is_below_the_bar_and_the_uncertain_branch_runs_once() -> None:
    result, model = await decided(BARRED, ConditionAnswer(0.5))
    assert (result.answer, len(model.requests)) == ("unsure", 1)
    record = step(result, "urgent").decision
    assert (record.outcome, record.confidence, record.origin) == ("uncertain", 0.5, "derived")


async def test_case_188_without_a_bar_one_half_is_yes() -> None:
    result, _ = await decided(OPEN, ConditionAnswer(0.5))
    assert result.answer == "yes"
    result, _ = await decided(OPEN, ConditionAnswer(0.4999999))
    assert result.answer == "no"


async def test_case_192_a_refused_question_takes_the_uncertain_branch_where_there_is_one() -> None:
    result, _ = await decided(BARRED, RefusedAnswer("cannot answer"))
    assert result.answer == "unsure"
    result, _ = await decided(OPEN, RefusedAnswer("cannot answer"))
    assert (result.status, result.answer) == ("failed", None)
    assert "refused" in result.record.reason


GUARDED = """
model slow "fake/slow" { price $1 in, $1 out }
model checks "fake/checks" { price $1 in, $1 out }
tool look(city: text) -> text { python "tools.py:look" }
agent guide(question: text) { model slow  tools [look] }
agent guard(question: text) { model checks }
gate clean(text) { scorers { contains "fine" } }
flow blocking(question: text) -> json {
  said = guard(question)
  clean(said)
  return guide(question)
}
flow beside(question: text) -> json {
  parallel {
    answer = guide(question)
    checked = checking(question)
  }
  return answer
}
flow checking(question: text) -> text {
  said = guard(question)
  clean(said)
  return said
}
"""


@pytest.mark.parametrize(
    ("flow", "tool_seconds", "asked", "used"), [("blocking", 0, 0, []), ("beside", 60, 1, ["cancelled"])]
)
async def test_case_119_after_a_guard_has_tripped_no_tool_runs_on(
    autojump_clock: Any, tmp_path: Path, flow: str, tool_seconds: int, asked: int, used: list[str]
) -> None:
    """In front of the agent the guard keeps it from starting; beside it, the tool that runs is cancelled."""
    (tmp_path / "tools.py").write_text(
        f"import trio\n\nasync def look(city: str) -> str:\n    await trio.sleep({tool_seconds})\n    return 'x'\n"
    )
    guide = Model(Tools(("look", {"city": "Kiel"})), "answer", seconds=2)
    guard = Model("bad", seconds=3)
    made = program(GUARDED, tmp_path / "test.judge")
    result = await run(made, "q", models={"slow": guide, "checks": guard}, flow=flow)
    assert result.status == "guarded"
    assert len(guide.requests) == asked
    calls = [call.status for step in result.record.steps for call in step.tool_calls]
    assert calls == used
    # What was asked until then is paid for and in the record.
    assert result.record.usage.calls == 1 + asked
    assert result.record.cost.total not in ("0", "unknown")


WRITES = """
flow main(text: text) -> text { return "✅ passed → 4 ⚠ {{ text }}" }
"""


def jrun(
    place: Path, encoding: str, *words: str, to: Any = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    environ = {
        **os.environ,
        "PYTHONIOENCODING": encoding,
        "TERN_DB": str(place / "t.sqlite"),
        "PYTHONUTF8": "0",
    }
    command = [sys.executable, "-c", "import sys; from judgeflow.runtime.cli import main; sys.exit(main())"]
    return subprocess.run(
        [*command, *words], cwd=place, env=environ, stdout=to, stderr=subprocess.PIPE, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "ascii", "utf-8"])
def test_cases_249_250_a_legacy_console_or_file_ends_no_run(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "f.judge").write_text(WRITES, encoding="utf-8")
    done = jrun(tmp_path, encoding, "f.judge", "x")
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    said = done.stdout.decode(encoding)
    assert "passed" in said
    with (tmp_path / "out.txt").open("wb") as file:
        done = jrun(tmp_path, encoding, "f.judge", "x", to=file)
    assert (done.returncode, "passed" in (tmp_path / "out.txt").read_bytes().decode(encoding)) == (0, True)


@pytest.mark.slow
def test_case_250_files_that_we_write_are_utf8_whatever_the_console_is(tmp_path: Path) -> None:
    (tmp_path / "f.judge").write_text(
        'model m "echo/x"\nagent a(t: text) { model m  prompt "→" }\nflow main(t: text) -> text { return a(t) }\n',
        encoding="utf-8",
    )
    done = jrun(tmp_path, "gbk", "f.judge", "é → 😀", "--record", "r.jsonl")
    assert done.returncode == 0
    assert "é → 😀" in (tmp_path / "r.jsonl").read_text(encoding="utf-8")
    assert jrun(tmp_path, "gbk", "runs", "export", "runs.jsonl").returncode == 0
    assert "é → 😀" in (tmp_path / "runs.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "confidence", "origin"),
    [
        ({"origin": "reported"}, None, "derived"),
        ({"origin": "reported"}, 0.7, "reported"),
        ({"origin": "logprobs"}, None, "logprobs"),
        ({"origin": "json", "rounding": 2}, None, "json"),
        ({"origin": "scripted"}, None, "scripted"),
    ],
)
async def test_where_a_confidence_came_from_is_in_the_record(given, confidence, origin) -> None:
    model = Model(DecisionReply({"decision": ConditionAnswer(0.8, confidence)}, **given))
    result = await run(program(DECIDES.replace("BODY", OPEN)), "t", models={"jev": model})
    record = step(result, "urgent").decision
    assert (record.origin, record.confidence) == (origin, 0.8 if confidence is None else confidence)
