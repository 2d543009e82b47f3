from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main
from judgeflow.runtime.store.accounts import book, day_of
from judgeflow.runtime.store.terns import Store

SOURCE = """
workflow desk "Answers tickets" version "3"
model small "echo/small" { max_tokens 100 }
model sure "echo/sure" { kind decision }
agent writer(topic: text) { model small  prompt "Short."  judges [brief, useful]  retries 1 }
code judge brief(reply: text) { require len(reply) < 500 else "Too long." }
judge useful { model small  rate quality }
condition urgent(text: text) { model sure  ask "Urgent?" }
gate ready(text: text) { scorers { contains "x" }  ask writer "Good?" }
limits { cost $0.5 per run  calls 100 per day }
memory { history 10  compact every 5 keep 10 with small }
flow main(text: text) -> text { return writer(text) }
flow loud(text: text) -> text { return writer(text) }
profile terse { agent writer { prompt "One word." } }
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "terns.sqlite"
    monkeypatch.setenv("TERN_DB", str(path))
    return path


@pytest.fixture
def file(path: Path, tmp_path: Path) -> Path:
    file = tmp_path / "desk.judge"
    file.write_text(SOURCE)
    return file


def described(file: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["describe", str(file), *words]) == 0
    return capsys.readouterr().out


def test_f50_i07_versions_are_shown_with_8_of_64_characters(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = json.loads(described(file, capsys, "--json"))["versions"]
    assert {len(whole[name]) for name in ("prompt", "model", "config")} == {64}
    shown = described(file, capsys)
    assert shown.startswith('desk  version "3"\n  Answers tickets\n')
    assert (
        f"  prompt {whole['prompt'][:8]}  model {whole['model'][:8]}  config {whole['config'][:8]}\n" in shown
    )


def test_it_says_who_is_in_the_file_and_what_a_run_comes_to(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = described(file, capsys)
    for line in (
        "  main  at most 4 model calls  (runs where none is named)",
        "  writer  echo/small  2 answers a visit; judged by brief, useful",
        "  brief   –           rules, no model",
        "  useful  echo/small  rates",
        "  urgent  echo/sure  condition",
        "  ready  writer  1 scorer",
        "limits    $0.5000 a run",
        "per day   100 calls a day; today so far $0.00, 0 calls, 0 tokens",
        "memory    every 5 turns summed up by small; the latest 10 summaries and all turns since are read",
        "profiles  terse",
    ):
        assert f"\n{line}\n" in shown


def test_f51_drift_names_the_version_and_both_short_hashes(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(file), "hello", "--quiet"]) == 4
    capsys.readouterr()
    before = json.loads(described(file, capsys, "--json"))
    file.write_text(SOURCE.replace("Short.", "Shorter."))
    after = json.loads(described(file, capsys, "--json"))
    assert before["drift"] is None
    assert after["drift"] == {
        "workflow": "desk", "version": "3",
        "was": before["versions"]["config"], "now": after["versions"]["config"],
    }  # fmt: skip
    old, new = before["versions"]["config"][:8], after["versions"]["config"][:8]
    told = f'  ! desk changed from {old} to {new} under the same version "3"; give it a new one\n'
    assert told in described(file, capsys)


def test_i08_a_run_of_a_changed_program_is_warned_with_both_short_hashes(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run() -> str:
        main(["run", str(file), "hello"])
        return capsys.readouterr().err

    old = json.loads(described(file, capsys, "--json"))["versions"]["config"][:8]
    assert "changed from" not in run()
    file.write_text(SOURCE.replace("Short.", "Shorter."))
    new = json.loads(described(file, capsys, "--json"))["versions"]["config"][:8]
    assert f'desk changed from {old} to {new} under the same version "3"; give it a new one' in run()


def test_what_the_day_has_cost_is_read_from_the_store(
    file: Path, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open(path) as store:
        book(store, "desk", day_of(datetime.now(UTC)), cost="0.25", tokens=1200, calls=3)
    assert "today so far $0.2500, 3 calls, 1,200 tokens" in described(file, capsys)


def test_a_profile_is_described_as_it_is(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, terse = (
        json.loads(described(file, capsys, "--json", *more)) for more in ([], ["--profile", "terse"])
    )
    assert terse["profile"] == "terse"
    assert plain["versions"]["prompt"] != terse["versions"]["prompt"]


def test_looking_makes_no_store(file: Path, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described(file, capsys)
    assert not path.exists()


def test_a_file_with_errors_is_exit_code_3(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("agent a { model nowhere }\n")
    assert main(["describe", str(file)]) == 3
    assert main(["describe", str(file.with_name("gone.judge"))]) == 2


def test_a_run_with_another_model_is_no_run_of_the_declared_version(
    file: Path, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", str(file), "hello", "--json", "--model", "writer=echo/other"])
    main(["run", str(file), "hello", "--json"])
    with Store.read(path) as store:
        plain, other = store.list_terns()
    assert (plain.versions.workflow, other.versions.workflow) == ("3", None)
    assert plain.versions.config != other.versions.config
    assert (plain.warnings, other.warnings) == ((), ())
    capsys.readouterr()
