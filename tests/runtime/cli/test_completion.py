"""`jrun completion`: what a shell completes with it."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from judgeflow.runtime.cli import VERBS, main

SHELLS = [name for name in ("bash", "zsh", "fish") if shutil.which(name)]


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def completed(text: str, *words: str) -> set[str]:
    """What bash offers for the last of the words."""
    typed = " ".join(f"'{word}'" for word in words)
    asked = f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _jrun; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    told = subprocess.run(["bash", "-c", f"{text}\n{asked}"], capture_output=True, text=True, check=True)
    return set(told.stdout.split())


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_one_that_its_shell_reads(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    read = subprocess.run(
        [shell, "-n"], input=script(shell, capsys), capture_output=True, text=True, check=False
    )
    assert (read.returncode, read.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_verb_and_its_options_are_in_it(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = script(shell, capsys)
    assert all(verb in text for verb in VERBS)
    assert "max-cost" in text
    assert "fail-under" in text


@pytest.mark.parametrize("shell", [name for name in SHELLS if name == "bash"])
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("jrun", "che"), {"check"}),
        (("jrun", "check", "--str"), {"--strict"}),
        (("jrun", "flow.judge", "--max"), {"--max-cost"}),
        (("jrun", "cal"), {"calibrate"}),
    ],
)
def test_bash_offers_verbs_then_the_verbs_options(
    shell: str, words: tuple[str, ...], offered: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert completed(script(shell, capsys), *words) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_help_has_a_line_to_paste_for_each_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "--help"]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if f"jrun completion {shell}" in line)
    assert line.startswith(shell)
    assert line.count("jrun completion") == 1
