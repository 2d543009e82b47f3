"""The command as a whole: its help, its version, and what it says to a word that is no verb."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib import import_module

import pytest

from judgeflow.runtime.cli import GROUPS, VERBS, main
from judgeflow.runtime.version import __version__


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_the_module_of_its_name_and_has_a_help(verb: str) -> None:
    parser = argparse.ArgumentParser()
    module = import_module(f"judgeflow.runtime.cli.{verb}")
    verbs = parser.add_subparsers()
    module.add_parser(verbs)
    # What it does in a line is said in GROUPS alone; its own help says more.
    assert verbs.choices[verb].description
    assert not verbs._choices_actions
    with pytest.raises(SystemExit) as left:
        parser.parse_args([verb, "--help"])
    assert left.value.code == 0


def test_help_shows_every_verb_once_in_its_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(len(group) for group in GROUPS.values()) == len(VERBS)
    for title, group in GROUPS.items():
        at = lines.index(title)
        assert [line.split()[0] for line in lines[at + 1 : at + 1 + len(group)]] == list(group)


def test_without_a_word_the_help_is_shown_as_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "jrun FILE.judge [TASK]" in capsys.readouterr().out


def test_an_interrupt_while_a_verb_is_still_being_loaded_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(name: str, package: str) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("importlib.import_module", interrupted)
    assert main(["check", "."]) == 130


def test_the_command_is_had_from_the_package_as_well() -> None:
    command = [sys.executable, "-m", "judgeflow", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("jrun ")


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"jrun {__version__}\n"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("chekc", "there is no verb `chekc`. Did you mean `jrun check`?"),
        ("zzzzzz", "A file ends in `.judge`; `jrun --help` lists the verbs."),
    ],
)
def test_an_unknown_word_is_told_what_was_meant(
    word: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word]) == 2
    assert said in capsys.readouterr().err
