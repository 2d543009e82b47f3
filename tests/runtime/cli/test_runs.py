from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from judgeflow.runtime.cli import main
from judgeflow.runtime.cli.runs import moment_before
from judgeflow.runtime.cli.wrong_use import WrongUse
from judgeflow.runtime.store.clock import timestamp
from judgeflow.runtime.store.records import StepRecord, Tern
from judgeflow.runtime.store.terns import Store

NOW = datetime.now(UTC)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "terns.sqlite"
    monkeypatch.setenv("TERN_DB", str(path))
    return path


def tern(id: str, *, days: int = 0, **fields: Any) -> Tern:
    started = timestamp(NOW - timedelta(days=days))
    step = StepRecord(id="s", kind="agent", name="writer", status="succeeded", started=started)
    defaults: dict[str, Any] = {
        "thread": f"t{id}",
        "flow": "answer",
        "workflow": "support",
        "status": "answered",
        "task": f"task of {id}",
        "started": started,
        "ended": started,
        "steps": (step,),
    }
    return Tern(id=id, **(defaults | fields))


@pytest.fixture
def filled(path: Path) -> Path:
    with Store.open(path) as store:
        store.finish(tern("aa11", days=40))
        store.finish(tern("ab22", days=2, status="failed", reason="no"))
        store.finish(tern("cc33", flow="other"))
        store.finish(tern("dd44", tenant="acme"))
    return path


@pytest.mark.usefixtures("filled")
def test_runs_lists_the_newest_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["run", "cc33", "ab22", "aa11"]


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--flow", "other"], ["cc33"]),
        (["--status", "failed"], ["ab22"]),
        (["--since", "3d"], ["cc33", "ab22"]),
        (["--thread", "taa11"], ["aa11"]),
        (["--text", "TASK OF C"], ["cc33"]),
        (["--limit", "1"], ["cc33"]),
        (["--tenant", "acme"], ["dd44"]),
        (["--version", "9"], []),
    ],
)
def test_runs_json_is_an_array_of_what_fits(
    capsys: pytest.CaptureFixture[str], arguments: list[str], expected: list[str]
) -> None:
    assert main(["runs", *arguments, "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)
    assert [run["id"] for run in runs] == expected
    assert all(run["schema"] == 1 and "steps" not in run for run in runs)


@pytest.mark.usefixtures("path")
def test_before_the_first_run_there_are_none(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    assert main(["runs"]) == 0
    assert "no runs yet" in capsys.readouterr().out
    assert main(["runs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert not path.exists()


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    "arguments",
    [
        ["runs", "--since", "soon"],
        ["runs", "--status", "great"],
        ["runs", "--limit", "-1"],
        ["runs", "--limit", "99999999999999999999"],
        ["runs", "prune", "--keep", "99999999999999999999"],
        ["runs", "shred"],
        ["runs", "prune"],
        ["runs", "prune", "--older", "soon"],
        ["runs", "--flow", "other", "prune", "--keep", "0"],
        ["runs", "export"],
        ["show"],
    ],
)
def test_a_wrong_use_is_exit_code_2_and_changes_nothing(filled: Path, arguments: list[str]) -> None:
    assert main(arguments) == 2
    with Store.read(filled) as store:
        assert store.count_terns() == 3


def test_a_file_that_is_no_store_is_exit_code_1(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_text("buy milk\n" * 100)
    for arguments in (["runs"], ["show", "aa"], ["runs", "prune", "--keep", "1"], ["runs", "export", "-"]):
        assert main(arguments) == 1
        assert "this is not a store" in capsys.readouterr().err


@pytest.mark.usefixtures("filled")
def test_export_writes_whole_runs_oldest_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.jsonl"
    assert main(["runs", "export", str(file)]) == 0
    runs = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(run["id"], len(run["steps"])) for run in runs] == [("aa11", 1), ("ab22", 1), ("cc33", 1)]
    assert capsys.readouterr() == ("", f"3 runs written to {file}\n")
    assert oct(file.stat().st_mode)[-3:] == "600"
    assert list(tmp_path.glob("*.part")) == []


@pytest.mark.usefixtures("filled")
def test_export_takes_conditions_before_and_after_its_name(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    for arguments in (
        ["runs", "--status", "failed", "export", "-"],
        ["runs", "export", "-", "--status", "failed"],
        ["runs", "--status", "failed", "--limit", "1", "export", "-"],
    ):
        assert main(arguments) == 0
        assert [json.loads(line)["id"] for line in capsysbinary.readouterr().out.splitlines()] == ["ab22"]


@pytest.mark.usefixtures("filled")
def test_export_to_a_folder_that_is_not_there_is_a_wrong_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", "export", str(tmp_path / "nowhere" / "out.jsonl")]) == 2
    assert "choose another file" in capsys.readouterr().err


def test_prune_removes_what_is_old_and_says_how_much(
    filled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", "prune", "--older", "30d", "--dry-run"]) == 0
    assert capsys.readouterr().out == "would remove 1 run and 1 thread\n"
    assert main(["runs", "prune", "--older", "30d"]) == 0
    assert capsys.readouterr().out == "removed 1 run and 1 thread\n"
    assert main(["runs", "prune", "--keep", "1"]) == 0
    with Store.read(filled) as store:
        assert [head.id for head in store.list_terns()] == ["cc33"]


def test_prune_before_the_first_run_makes_no_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "prune", "--keep", "1"]) == 0
    assert capsys.readouterr().out == "no runs yet\n"
    assert not path.exists()


@pytest.mark.usefixtures("filled")
def test_show_draws_a_run_by_the_beginning_of_its_id(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "c"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("✔ answered  support · other")
    assert "└─ ✔ writer" in out


@pytest.mark.usefixtures("filled")
def test_show_json_is_the_whole_record(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "cc33", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["schema"], record["id"], record["steps"][0]["name"]) == (1, "cc33", "writer")


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("a", "'a' begins the id of more than one run: ab22, aa11"),
        ("cc34", "did you mean cc33?"),
        ("zz", "there is no run 'zz'; `jrun runs` lists them"),
        ("dd44", "there is no run 'dd44'"),
    ],
)
def test_show_of_an_unknown_id_is_exit_code_2_with_a_hint(
    capsys: pytest.CaptureFixture[str], typed: str, said: str
) -> None:
    assert main(["show", typed]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


@pytest.mark.usefixtures("path")
def test_show_before_the_first_run_knows_no_id(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "aa"]) == 2
    assert "there is no run 'aa'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2h", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("30d", datetime(2026, 1, 30, 12, tzinfo=UTC)),
        ("2026-02-01", datetime(2026, 2, 1, tzinfo=UTC)),
        ("2026-02-01T10:00+02:00", datetime(2026, 2, 1, 8, tzinfo=UTC)),
    ],
)
def test_a_time_is_so_long_ago_or_a_date(text: str, expected: datetime) -> None:
    assert moment_before(text, datetime(2026, 3, 1, 12, tzinfo=UTC)) == expected


@pytest.mark.parametrize("text", ["soon", "", "9999999d", "2026-13-01"])
def test_what_is_no_time_is_named(text: str) -> None:
    with pytest.raises(WrongUse):
        moment_before(text, datetime(2026, 3, 1, 12, tzinfo=UTC))


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "ascii"])
def test_case_249_case_250_a_console_that_cannot_show_a_mark_ends_no_command(encoding: str) -> None:
    program = "import sys; from judgeflow.runtime.cli import main; sys.exit(main(sys.argv[1:]))"
    for words in (["runs"], ["show", "ab22"], ["threads"], ["threads", "tab22"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *words],
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": encoding},
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"failed" in done.stdout
