"""The guide to evaluation is run from top to bottom: what its consoles show is what is printed."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "evaluation.md"
FENCE = re.compile(r"^```(\w+) (.+)\n((?:(?!```).*\n)*)^```$", re.MULTILINE)


def same(text: str) -> str:
    """Without what differs from one run to the next: ids of runs, hashes of versions, times."""
    return re.sub(r"\b[0-9a-f]{8}\b", "········", re.sub(r"\b\d\.\d\d s\b", "0.00 s", text))


def printed(command: str, code: int) -> tuple[str, int]:
    """What a line of the console prints on standard output, and its exit code."""
    words = shlex.split(command)
    if words == ["echo", "$?"]:
        return f"{code}\n", 0
    assert words[0] == "jrun"
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = main(words[1:])
    return out.getvalue(), code


def play(console: str) -> str:
    """The console with what is printed under each of its commands."""
    shown, code = "", 0
    for line in console.splitlines(keepends=True):
        if line.startswith("$ "):
            text, code = printed(line[2:].strip(), code)
            shown += line + text
    return shown


@pytest.mark.slow
def test_the_guide_shows_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    blocks = FENCE.findall(GUIDE.read_text(encoding="utf-8"))
    for _, info, text in blocks:
        if info != "run":
            (tmp_path / info.split()[-1]).write_text(text, encoding="utf-8")
    consoles = [text for language, info, text in blocks if (language, info) == ("console", "run")]
    assert len(consoles) == 6
    assert [same(play(console)) for console in consoles] == [same(console) for console in consoles]
