"""`jrun check` and `jrun explain`: what they print and how they end."""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from judgeflow.dsl.explain import codes
from judgeflow.runtime.cli import main
from judgeflow.runtime.cli.check import Watched, found_files, watch

GOOD = 'agent writer { model "script/a"  prompt "Write." }\nflow main(x: text) -> text { return writer(x) }\n'
BAD = GOOD.replace("return writer(x)", "return wrtier(x)")
SAME = (
    'judge correct { model "openai/gpt-6"  ask "{{ reply }}" }\n'
    'agent writer { model "openai/gpt-6-mini"  prompt "Write."  judges [correct] }\n'
    "flow main(x: text) -> text { return writer(x) }\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.judge").write_text(GOOD)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def test_a_file_without_a_mistake_exits_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "check", "good.judge") == (0, "no errors in 1 file\n", "")


def test_a_file_with_a_mistake_exits_3_and_shows_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.judge").write_text(BAD)
    code, out, _ = run(capsys, "check", "bad.judge")
    assert code == 3
    assert "╭─ bad.judge:2:37" in out
    assert "Did you mean `writer`?" in out
    assert out.endswith("\n1 error in 1 file\n")


def test_folders_are_searched_and_every_file_counts_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "sub" / ".hidden").mkdir(parents=True)
    (folder / "sub" / "bad.judge").write_text(BAD)
    (folder / "sub" / ".hidden" / "bad.judge").write_text(BAD)
    (folder / "sub" / "notes.txt").write_text("")
    assert list(found_files([".", "good.judge"])) == ["./good.judge", "./sub/bad.judge"]
    code, out, _ = run(capsys, "check", ".", "good.judge")
    assert code == 3
    assert out.endswith("1 error in 2 files\n")


def test_imported_files_are_checked_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "models.judge").write_text('model small "script/a" { temperature 9 }\n')
    (folder / "main.judge").write_text('import "models.judge"\n' + GOOD.replace('"script/a"', "small"))
    code, out, _ = run(capsys, "check", "main.judge")
    assert code == 3
    assert "models.judge:1" in out
    assert out.endswith("1 error in 2 files\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.judge"], "there is no file or folder nowhere.judge"),
        (["notes.txt"], "notes.txt is no .judge file"),
        (["empty"], "there is no .judge file in empty"),
    ],
)
def test_wrong_use_exits_2_and_says_why(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    (folder / "notes.txt").write_text("")
    (folder / "empty").mkdir()
    assert run(capsys, "check", *words) == (2, "", f"jrun check: {message}\n")


def test_an_unknown_format_and_no_path_are_wrong_use(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "check", "--format", "xml", "good.judge")[0] == 2
    assert run(capsys, "check")[0] == 2


def test_a22_a23_i02_strict_makes_a_judge_of_the_same_family_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "same.judge").write_text(SAME)
    code, out, _ = run(capsys, "check", "same.judge")
    assert (code, out.count("warning[judge.same-model-family]")) == (0, 1)
    code, out, _ = run(capsys, "check", "--strict", "same.judge")
    assert (code, out.count("error[judge.same-model-family]")) == (3, 1)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('judge j { ask "{{ reply }}" }', "judge.no-model"),
        ('code judge j { model m  require len(reply) > 1 else "x" }', "judge.model-on-code-judge"),
        ('type T { n: int }\ncode judge j(reply: T) { require reply.n > 1 else "x" }', "judge.wrong-reply"),
        ('judge j { model m  rate "x"  threshold 2 }', "value.range"),
        ('gate g(x) { scorers { contains "x" weight 1 } }', "gate.weights"),
        ('scorer s regex r"("', "scorer.bad-pattern"),
        ('choice c(x: text) { model d  ask "Which?"  options { } }', "decision.options"),
        ('tool t(x: text) -> text { python "hooks.py:gone" }', "python.missing"),
    ],
)
def test_i01_what_cannot_run_is_found_without_running_anything(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str, code: str
) -> None:
    (folder / "hooks.py").write_text("open('ran', 'w')\ndef posted(input): return 1\n")
    judges = "[posted, j]" if " judge j" in f" {line}" else "[posted]"
    text = (
        'model m "openai/x"\nmodel d "typesafe/x" { kind decision }\n'
        'code judge posted { python "hooks.py:posted" }\n'
        f'agent writer {{ model m  prompt "x"  judges {judges} }}\n'
        "flow main(x: text) -> text { return writer(x) }\n"
    )
    (folder / "it.judge").write_text(f"{text}{line}\n")
    exit_code, out, _ = run(capsys, "check", "it.judge")
    assert (exit_code, out.count("error["), f"error[{code}]" in out) == (3, 1, True), out
    assert not (folder / "ran").exists()


def test_machine_formats_have_standard_output_to_themselves(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.judge").write_text(BAD)
    code, out, _ = run(capsys, "check", "--format", "json", "bad.judge", "good.judge")
    (row,) = json.loads(out)
    assert (code, row["code"], row["file"], row["line"]) == (3, "name.unknown", "bad.judge", 2)
    _, out, err = run(capsys, "check", "--format", "github", "bad.judge")
    assert out.startswith("::error file=bad.judge,line=2,")
    assert err == "1 error in 1 file\n"
    _, out, _ = run(capsys, "check", "--format", "sarif", "bad.judge")
    assert json.loads(out)["runs"][0]["results"][0]["ruleId"] == "name.unknown"


def test_a_file_that_is_no_utf8_is_an_error_with_its_place(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "latin.judge").write_bytes(b'let city = "Z\xfcrich"\n')
    code, out, _ = run(capsys, "check", "latin.judge")
    assert code == 3
    assert "error[syntax.encoding]" in out


def test_checking_imports_none_of_the_heavy_libraries(folder: Path) -> None:
    program = (
        "import sys; from judgeflow.runtime.cli import main; main(['check', 'good.judge']);"
        "print([name for name in ('trio', 'httpx', 'attrs', 'lark', 'rich', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["no errors in 1 file", "[]"]


# --- watching ----------------------------------------------------------------------------------------------


class Stopped(Exception):
    """Ends the watching where a user would press Ctrl-C."""


def watched(*steps: Callable[[], object]) -> str:
    """What is written when these things happen between two looks, one after the other."""
    waiting = list(steps)
    out = StringIO()

    def pause() -> None:
        if not waiting:
            raise Stopped
        waiting.pop(0)()

    with pytest.raises(Stopped):
        watch(Namespace(paths=["."], strict=False, format="text"), out, pause)
    return out.getvalue()


def test_a_watched_file_is_checked_again_when_it_changes(folder: Path) -> None:
    written = watched(
        lambda: (folder / "good.judge").write_text(BAD + "# longer\n"),
        lambda: (folder / "good.judge").write_text(GOOD),
    )
    assert [line for line in written.splitlines() if line.endswith(("file", "files"))] == [
        "no errors in 1 file",
        "1 error in 1 file",
        "no errors in 1 file",
    ]


def test_a_file_that_comes_or_goes_is_noticed(folder: Path) -> None:
    written = watched(
        lambda: (folder / "new.judge").write_text(GOOD),
        (folder / "new.judge").unlink,
    )
    counts = [line for line in written.splitlines() if line.startswith("no errors")]
    assert counts == ["no errors in 1 file", "no errors in 2 files", "no errors in 1 file"]


def test_a_missing_file_that_was_looked_for_is_watched_too(folder: Path) -> None:
    files = Watched()
    assert files.read("shop.py") is None
    assert files.changed([]) == []
    (folder / "shop.py").write_text("")
    assert files.changed([]) == ["shop.py"]


# --- explain -----------------------------------------------------------------------------------------------


def test_explain_prints_the_page_of_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "explain", "flow.unbound")
    assert code == 0
    assert out.startswith("# `flow.unbound`: ")
    assert run(capsys, "explain", "[flow.unbound]")[1] == out


def test_explain_without_a_code_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "explain")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(codes())


def test_an_unknown_code_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "explain", "flow.unbond")
    assert code == 2
    assert "Did you mean `flow.unbound`?" in err
