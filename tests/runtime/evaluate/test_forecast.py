"""What an evaluation would ask at most, told without asking."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgeflow.dsl.plan import UsePlan
from judgeflow.runtime.cli import main
from judgeflow.runtime.evaluate.forecast import Bench, forecast, render_forecast
from judgeflow.runtime.flow.profiles import with_profile

from ..helpers import program

DESK = """
workflow desk
model a "a/one" { max_tokens 1000  price $1 in, $2 out }
model b "b/two" { max_tokens 1000  price $1 in, $4 out }
model c "c/three" { price $1 in, $1 out }
model d "d/judge" { max_tokens 100  price $1 in, $1 out }
agent writer { model a  retries 0 }
judge good { model d  ask "Good?" }
judge short { model d  ask "Short?" }
flow main(question: text) -> text { return writer(question) }
profile two { agent writer { model b } }
profile three { agent writer { model c } }
"""


def test_calls_and_cost_of_three_sides_and_two_judges() -> None:
    plan = program(DESK).plan
    sides = [("base", plan), *((name, with_profile(plan, name)) for name in ("two", "three"))]
    bench = Bench(plan=plan, uses=(UsePlan("good"), UsePlan("short")), times=3)
    found = forecast(sides, "main", 100, [bench])
    assert sum(line.calls for line in found.lines if line.party == "agent writer") == 300
    assert sum(line.calls for line in found.lines if line.side == "checks") == 600
    assert [line.output for line in found.lines] == ["0.2", "0.4", None, "0.03", "0.03"]
    text = render_forecast(found, "desk").text()
    assert "at most 900 calls over 100 cases; the cost is not known: a model has no price" in text
    assert "three   agent writer  c/three    100  unknown" in text


def test_a_known_cost_is_told() -> None:
    plan = program(DESK).plan
    found = forecast([("base", plan)], "main", 10, [Bench(plan=plan, uses=(UsePlan("good"),))])
    assert "output up to $0.0210, and the input on top" in render_forecast(found, "desk").text()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    (tmp_path / "desk.judge").write_text(
        DESK + 'suite golden for main { cases "c.jsonl"  checks [good, short] }'
    )
    (tmp_path / "c.jsonl").write_text('{"input": "a"}\n{"input": "b"}\n')
    return tmp_path


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        (["eval", "desk.judge", "--suite", "golden"], 6),
        (["eval", "desk.judge", "--suite", "golden", "--repeat", "3"], 18),
        (["eval", "desk.judge", "--judge", "good"], 0),
        (["compare", "desk.judge", "--profiles", "base,two", "--suite", "golden"], 12),
        (["compare", "desk.judge", "--profiles", "base,two", "--suite", "golden", "--pairwise", "d"], 16),
    ],
)
def test_a_dry_run_asks_nobody(
    folder: Path, words: list[str], calls: int, capsys: pytest.CaptureFixture[str]
) -> None:
    # No key and no service: a call would fail.
    assert main([*words, "--dry-run", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["kind"], report["calls"]) == ("forecast", calls)
    assert not (folder / "terns.sqlite").exists()
