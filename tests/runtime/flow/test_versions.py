"""Versions: the same program has the same hashes wherever and however it is written down, and any change shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgeflow.dsl.format import format_source
from judgeflow.runtime.flow.versions import versions_of
from judgeflow.runtime.store.records import Versions

from ..helpers import program

SOURCE = """\
workflow desk version "3"
provider house { api openai  url "http://localhost:1/v1"  key env HOUSE_KEY }
model small "fake/small" via house
model sure "fake/sure" { kind decision }
agent start(topic: text) { model small  prompt "Answer {{topic}}." }
agent picker(topic: text) { model small }
judge useful { model small  rate "Is it useful?" }
condition urgent(text: text) { model sure  ask "Urgent?" }
gate ready(text: text) { scorers { contains "x" }  ask picker "Good?" }
flow main(text: text) -> text {
  origin = best of 2: start(text) picked by picker "Which is better?"
  ready(origin)
  return origin
}
"""


def versions(text: str = SOURCE, path: Path = Path("test.judge")) -> Versions:
    return versions_of(program(text, path).plan)


def changed(old: str, new: str) -> set[str]:
    """Which hashes another text has."""
    assert old in SOURCE
    before, after = versions(), versions(SOURCE.replace(old, new))
    return {name for name in ("prompt", "model", "config") if getattr(before, name) != getattr(after, name)}


def test_f43_where_and_how_a_program_is_written_makes_no_version(tmp_path: Path) -> None:
    moved = "# a comment\n\n" + SOURCE.replace("agent picker", "\n# another\nagent picker")
    assert versions(moved) == versions()
    assert versions(SOURCE, tmp_path / "elsewhere.judge") == versions()
    assert versions(format_source(SOURCE)) == versions()
    raw = SOURCE.replace('"Urgent?"', 'r"Urgent?"')
    assert versions(raw) == versions()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Answer {{topic}}.", "Answer {{topic}}!"),
        ("Answer {{topic}}.", "Answer {{ topic + topic }}."),
        ("Is it useful?", "Is it right?"),
        ("Urgent?", "In a hurry?"),
        ("Good?", "Fine?"),
        ("Which is better?", "Which is best?"),
    ],
)
def test_f18_every_text_that_a_model_reads_makes_another_prompt_version(old: str, new: str) -> None:
    assert changed(old, new) == {"prompt", "config"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fake/small", "fake/smaller"),
        ("via house\n", "via house { temperature 0.5 }\n"),
        ("localhost:1", "localhost:2"),
    ],
)
def test_f19_every_setting_of_a_model_makes_another_model_version(old: str, new: str) -> None:
    assert changed(old, new) == {"model", "config"}


def test_u27_what_is_no_text_and_no_model_changes_the_config_alone() -> None:
    assert changed("best of 2", "best of 3") == {"config"}
    assert changed('contains "x"', 'contains "y"') == {"config"}


def test_a_name_that_positions_have_too_is_part_of_the_program() -> None:
    assert changed("Answer {{topic}}.", "Say.") == {"prompt", "config"}
    assert changed("origin", "result") == {"config"}


def test_a_key_is_in_no_hash_and_a_test_makes_no_version() -> None:
    assert changed("HOUSE_KEY", "OTHER_KEY") == set()
    tested = (
        SOURCE
        + 'test "t" for main { given { text: "x" }  start replies "a"  picker replies "1"  expect fails }\n'
    )
    assert versions(tested.replace("expect fails", 'expect result == "a"')) == versions()


def test_f50_hashes_are_whole() -> None:
    found = versions()
    assert found.workflow == "3"
    assert {len(digest or "") for digest in (found.prompt, found.model, found.config)} == {64}
