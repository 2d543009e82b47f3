"""On-type formatting: what a new line and a closing brace do."""

from __future__ import annotations

import pytest

from judgeflow.dsl.diagnostics import Edit
from judgeflow.lsp.features.keystrokes import on_type


def applied(text: str, edits: list[Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def typed(scene, text: str, key: str) -> str:
    seen = scene(text)
    return applied(seen.text, on_type(seen.analysis, seen.offset, key))


@pytest.mark.parametrize(
    ("text", "indent"),
    [
        ("agent a {\n‸\n}\n", "  "),
        ("agent a {\n      ‸\n}\n", "  "),
        ("agent a {\n  model small\n‸", "  "),
        ("flow f(t: text) -> text {\n  if len(t) > 3 {\n‸\n  }\n}\n", "    "),
        ("flow f(t: text) -> text {\n  if len(t) > 3 {\n    ‸}\n}\n", "  "),
        ("flow f(t: text) -> text {\n  x = g(\n‸\n", "    "),
        ("agent a {\n  judges [\n‸\n", "    "),
        ("agent a {\n}\n  ‸", ""),
        ('agent a {\n  prompt """\n‸\n', "    "),
        ('agent a {\n  prompt """\n      Deep.\n\n‸\n', "      "),
        ('agent a {\n  prompt "a { brace"\n‸\n', "  "),
        ("agent a { # a { comment\n‸\n", "  "),
        ("# a comment\n   ‸", ""),
        ("agent a {\n  tool(\n‸)\n", "  "),
    ],
)
def test_a_new_line_is_indented_as_its_block_is(scene, text: str, indent: str) -> None:
    lines = typed(scene, text, "\n").split("\n")
    number = text[: text.index("‸")].count("\n")
    rest = text.split("\n")[number].partition("‸")[2]
    assert lines[number] == indent + rest


def test_a_new_line_before_everything_stays(scene) -> None:
    assert typed(scene, "  \n  ‸\nagent a { }\n", "\n") == "  \n  \nagent a { }\n"


def test_a_brace_goes_below_the_line_that_opened_it(scene) -> None:
    text = "flow f(t: text) -> text {\n  if len(t) > 3 {\n    return t\n    }‸\n"
    assert typed(scene, text, "}").endswith("    return t\n  }\n")


def test_the_last_brace_lays_the_declaration_out(scene) -> None:
    text = 'let  b = 2\n\nagent a {\nmodel    small\n  prompt  "Hi."\n}‸\n\nlet  c = 3\n'
    laid = typed(scene, text.replace("\nmodel", "\n    model"), "}")
    assert laid == 'let  b = 2\n\nagent a {\n  model  small\n  prompt "Hi."\n}\n\nlet  c = 3\n'


def test_line_ends_stay_what_they_are(scene) -> None:
    text = "agent a {\r\n    model    small\r\n}‸\r\n"
    assert typed(scene, text, "}") == "agent a {\r\n  model small\r\n}\r\n"


@pytest.mark.parametrize(
    "text",
    [
        'agent a {\n  prompt """\n    }‸\n    """\n}\n',
        "agent a {\n  model small }‸\n",
        "agent a {\n    model ?\n}‸\n",
        "}‸\n",
        "x‸\n",
    ],
)
def test_in_texts_and_where_something_is_wrong_a_brace_changes_nothing(scene, text: str) -> None:
    assert typed(scene, text, "}") == text.replace("‸", "")
