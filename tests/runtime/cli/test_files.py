"""What a command says of a file that it cannot read or write, and what it leaves of one that it could not write."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main, whole_file
from judgeflow.runtime.cli.whole_file import write_whole

Told = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    Path("folder.judge").mkdir()
    Path("empty.judge").touch()
    Path("notes.txt").write_text("let   x = 1\n", encoding="utf-8")
    Path("latin.judge").write_bytes(b'let x = "\xff"\n')
    Path("untidy.judge").write_text("let   x = 1\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("run folder.judge hi", 2, "folder.judge: Is a directory"),
        ("test folder.judge", 2, "folder.judge: Is a directory"),
        ("graph folder.judge", 2, "folder.judge: Is a directory"),
        ("describe folder.judge", 2, "folder.judge: Is a directory"),
        ("doctor folder.judge", 2, "jrun doctor: folder.judge: Is a directory"),
        ("doctor gone.judge", 2, "jrun doctor: gone.judge: No such file or directory"),
        ("run gone.judge hi", 2, "there is no file gone.judge"),
        ("run empty.judge hi", 2, "empty: there is no flow in it to run: write `flow main("),
        ("fmt notes.txt", 2, "notes.txt: it is no .judge file"),
        ("fmt - untidy.judge", 2, "-: standard input goes with no other file"),
        ("fmt latin.judge", 3, "latin.judge: byte 9 is not valid UTF-8, so it is left as it is"),
        ("new .", 2, "'.' is no name for a file"),
        ("new sub/", 2, "'sub/' is no name for a file"),
        ("new nowhere/first", 2, "there is no folder nowhere"),
    ],
)
def test_what_cannot_be_read_or_written_is_told(words: str, code: int, said: str, capsys: Told) -> None:
    assert main(words.split()) == code
    assert said in capsys.readouterr().err


def test_a_file_that_may_not_be_read_is_not_passed_over(
    here: Path, capsys: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "untidy" not in str(path) and access(path, mode))
    assert main(["check", "."]) == 2
    assert "untidy.judge cannot be read: permission denied" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["check", "fmt"])
def test_a_folder_that_may_not_be_looked_into_is_not_passed_over(
    here: Path, verb: str, capsys: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir = os.scandir

    def refused(path: str) -> object:
        if path.endswith("folder.judge"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    assert main([verb, str(here)]) == 2
    assert "folder.judge cannot be read: permission denied" in capsys.readouterr().err


@pytest.mark.parametrize(
    "verb", ["check", "fmt", "run", "test", "graph", "describe", "doctor", "eval", "batch"]
)
def test_a_named_pipe_is_not_waited_for(verb: str, capsys: Told) -> None:
    os.mkfifo("pipe.judge")
    more = ["--cases", "none.jsonl"] if verb == "batch" else []
    assert main([verb, "pipe.judge", *more]) == 2
    assert "a pipe or a device is no file" in capsys.readouterr().err.lower()


def test_results_and_cases_are_not_gone_on_with_in_a_named_pipe(capsys: Told) -> None:
    Path("flow.judge").write_text("flow main(x: text) -> text { return x }\n", encoding="utf-8")
    Path("cases.jsonl").write_text('{"input": "a"}\n', encoding="utf-8")
    os.mkfifo("pipe.jsonl")
    assert main(["batch", "flow.judge", "--cases", "cases.jsonl", "--out", "pipe.jsonl", "--fresh"]) == 2
    assert main(["run", "flow.judge", "a", "--quiet"]) == 0
    assert main(["golden", "add", "pipe.jsonl", "--from-last", "1"]) == 2
    assert capsys.readouterr().err.count("pipe.jsonl: A pipe or a device is no file") == 2


def test_what_imports_a_named_pipe_is_told_that_there_is_no_such_file(capsys: Told) -> None:
    os.mkfifo("pipe.judge")
    Path("main.judge").write_text('import "pipe.judge"\n', encoding="utf-8")
    assert main(["check", "main.judge"]) == 3
    assert "import" in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["check", "fmt"])
def test_pipes_and_the_locks_of_editors_in_a_folder_are_no_files_of_it(verb: str, capsys: Told) -> None:
    Path("latin.judge").unlink()
    assert main([verb, "."]) == 0
    told = capsys.readouterr()
    os.mkfifo("pipe.judge")
    Path(".#untidy.judge").symlink_to("somebody@somewhere.1234")
    assert main([verb, "."]) == 0
    assert "2 file" in told.out + told.err
    assert "2 file" in "".join(capsys.readouterr())


def test_a_program_that_a_shell_passes_on_is_read(capsys: Told) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"let x = 1\n")
    os.close(writing)
    assert main(["check", f"/dev/fd/{reading}"]) == 0
    os.close(reading)
    assert "in 1 file" in capsys.readouterr().out


def test_one_file_that_cannot_be_read_keeps_no_other_from_its_layout(capsys: Told) -> None:
    Path("latin.judge").unlink()
    Path("a.judge").symlink_to("nowhere")
    assert main(["fmt", "."]) == 2
    told = capsys.readouterr().err
    assert "a.judge: No such file or directory" in told
    assert "1 of 3 files changed" in told
    assert Path("untidy.judge").read_text(encoding="utf-8") == "let x = 1\n"


def test_one_file_that_is_no_text_keeps_no_other_from_its_layout(here: Path) -> None:
    assert main(["fmt", "."]) == 3
    assert Path("untidy.judge").read_text(encoding="utf-8") == "let x = 1\n"


def test_the_first_file_is_laid_out_as_fmt_lays_it_out(here: Path) -> None:
    assert main(["new", "another"]) == 0
    assert main(["fmt", "--check", "another.judge"]) == 0


def test_the_command_that_is_suggested_can_be_pasted(capsys: Told) -> None:
    assert main(["new", "my first"]) == 0
    assert "  jrun 'my first.judge' \"What are terns?\"" in capsys.readouterr().out


def test_a_file_is_rewritten_whole_or_not_at_all(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str, text: str, mode: int) -> None:
        Path(path).write_text(text[:3], encoding="utf-8")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(whole_file, "_write", full)
    before = sorted(path.name for path in here.iterdir())
    assert main(["fmt", "untidy.judge"]) == 2
    assert Path("untidy.judge").read_text(encoding="utf-8") == "let   x = 1\n"
    assert sorted(path.name for path in here.iterdir()) == before


def test_a_rewritten_file_keeps_its_mode_and_the_link_to_it(here: Path) -> None:
    Path("untidy.judge").chmod(0o640)
    Path("link.judge").symlink_to("untidy.judge")
    write_whole("link.judge", "let x = 2\n")
    assert Path("link.judge").is_symlink()
    assert Path("untidy.judge").read_text(encoding="utf-8") == "let x = 2\n"
    assert stat.S_IMODE(Path("untidy.judge").stat().st_mode) == 0o640


def test_a_file_that_may_not_be_written_stays(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(PermissionError, match=r"untidy\.judge"):
        write_whole("untidy.judge", "")


@pytest.mark.parametrize(
    "words",
    [
        "graph first.judge --output first.judge",
        "test first.judge --junit first.judge",
        "view --export first.judge",
        "runs export first.judge",
    ],
)
def test_no_output_is_written_over_a_program(words: str, capsys: Told) -> None:
    main(["new", "first"])
    main(["first.judge", "What are terns?"])
    before = Path("first.judge").read_bytes()
    assert main(words.split()) == 2
    assert "first.judge: it is a program, and would be written over" in capsys.readouterr().err
    assert Path("first.judge").read_bytes() == before


def test_a_report_that_cannot_be_written_is_told(capsys: Told) -> None:
    main(["new", "first"])
    assert main(["test", "first.judge", "--junit", "nowhere/out.xml"]) == 2
    assert "--junit nowhere/out.xml: No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--input", "t={'n': 1}"], "--input t: not JSON: "),
        (['{"n": 1e400}'], "the task: not JSON: "),
        (["one"], "t: must be an object (T), is text"),
    ],
)
def test_a_value_that_was_meant_as_json_says_why_it_is_none(
    words: list[str], said: str, capsys: Told
) -> None:
    Path("typed.judge").write_text(
        "type T { n: int }\nflow main(t: T) -> T { return t }\nflow any(j: json) -> json { return j }\n",
        encoding="utf-8",
    )
    assert main(["typed.judge", "--flow", "main", *words]) == 2
    assert said in capsys.readouterr().err
    assert main(["typed.judge", "--flow", "any", "{oops"]) == 0
