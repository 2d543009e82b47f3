"""The results of a batch: kept as they come, and read again by whoever goes on."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from judgeflow.runtime.batch.results_file import BatchResult, ResultsError, ResultsFile, input_hash
from judgeflow.runtime.judge.errors import ConfigurationError


def result(case: str, exit: int = 0, *, asked: object = "x", config: str = "c1") -> BatchResult:
    return BatchResult(
        case=case,
        line=1,
        run="r",
        thread="t",
        status="answered",
        code=None,
        reason=None,
        answer="a",
        exit=exit,
        cost="0",
        known="0",
        tokens=0,
        seconds=0.0,
        unreadable=0,
        input=input_hash(asked),
        config=config,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def written(path: Path, *results: BatchResult) -> None:
    with ResultsFile.opened(path, resume=False, fresh=True) as file:
        for each in results:
            file.add(each)


def resumed(path: Path, *cases: str, config: str = "c1") -> set[str]:
    with ResultsFile.opened(path, resume=True, fresh=False) as file:
        return file.done([(case, input_hash("x")) for case in cases], config)


def test_a_result_is_on_disk_before_anything_else_happens(path: Path) -> None:
    with ResultsFile.opened(path, resume=False, fresh=False) as file:
        file.add(result("one"))
        assert msgspec.json.decode(path.read_bytes(), type=BatchResult).case == "one"


def test_errors_are_run_again_and_verdicts_are_not(path: Path) -> None:
    codes = {"pass": 0, "fail": 4, "paused": 5, "error": 1, "limit": 6}
    written(path, *(result(case, exit) for case, exit in codes.items()))
    assert resumed(path, *codes) == {"pass", "fail", "paused"}


def test_the_last_result_of_a_case_counts(path: Path) -> None:
    written(path, result("one", 1), result("one", 0))
    assert resumed(path, "one", "two") == {"one"}


def test_a_case_that_is_asked_something_else_by_now_is_run_again(path: Path) -> None:
    written(path, result("one", asked="y"), result("two"))
    assert resumed(path, "one", "two") == {"two"}


def test_a_torn_line_is_cut_off_before_anything_is_added(path: Path) -> None:
    written(path, result("one"))
    with path.open("ab") as file:
        file.write(b'{"schema":1,"case":"two","li')
    with ResultsFile.opened(path, resume=True, fresh=False) as results:
        assert results.torn
        results.add(result("three"))
    lines = path.read_bytes().splitlines()
    assert [msgspec.json.decode(line)["case"] for line in lines] == ["one", "three"]
    assert resumed(path, "one", "two", "three") == {"one", "three"}


def test_results_that_are_there_are_neither_mixed_up_nor_thrown_away_unasked(path: Path) -> None:
    written(path, result("one"))
    with pytest.raises(ConfigurationError, match="--resume goes on with them, --fresh begins anew"):
        ResultsFile.opened(path, resume=False, fresh=False)
    assert path.read_bytes()
    with ResultsFile.opened(path, resume=False, fresh=True) as file:
        assert file.past == {}
    assert path.read_bytes() == b""


def test_results_of_another_program_are_refused(path: Path) -> None:
    written(path, result("one", config="a" * 64))
    with pytest.raises(
        ConfigurationError, match="another version of the program \\(aaaaaaaa, now bbbbbbbb\\)"
    ):
        resumed(path, "one", config="b" * 64)


def test_a_file_of_something_else_is_named_with_its_line(path: Path) -> None:
    written(path, result("one"))
    with path.open("ab") as file:
        file.write(b'\n{"id": 1}\n')
    with pytest.raises(ConfigurationError, match=r"out\.jsonl:3: this is no result of a batch"):
        resumed(path)
    with pytest.raises(ConfigurationError, match="Is a directory"):
        ResultsFile.opened(path.parent, resume=False, fresh=True)


def test_a_result_that_cannot_be_written_is_told_with_its_file(path: Path) -> None:
    full = open("/dev/full", "wb")  # noqa: SIM115  # closed by the results
    told = pytest.raises(ResultsError, match=r"out\.jsonl: .*No space left on device.*--resume")
    with told, ResultsFile(path, full, {}, torn=False) as results:
        results.add(result("a"))
    assert full.closed
