"""Code actions as an editor gets them: sure fixes first, all of those at once, and refactorings."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from judgeflow.dsl.diagnostics import Edit
from judgeflow.lsp.features.actions import Action, extractions, fix_all, quick_fixes, rewrites

MAIN = "/w/main.judge"
TEXT = """\
model small "openai/gpt-6-mini" { price $1 in, $2 out }
agent writer { model smal  prompt "Write." }
agent critic { model smll  prompt "Pick." }
"""


def apply(text: str, edits: Iterable[Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def after(scene, text: str, action: Action) -> str:
    return apply(text, action.edits[MAIN])


def test_a_finding_is_fixed_where_it_stands(scene) -> None:
    seen = scene(TEXT)
    at = TEXT.index("smal ")
    fix, other = quick_fixes(seen.analysis, at, at)
    assert (fix.preferred, other.preferred) == (True, False)
    assert fix.diagnostics[0].code == "name.unknown"
    assert after(scene, TEXT, fix) == TEXT.replace("smal ", "small ")
    assert other.title == "Declare the model `smal`"
    assert quick_fixes(seen.analysis, 0, 3) == []


def test_everything_with_one_sure_fix_is_fixed_at_once(scene) -> None:
    action = fix_all(scene(TEXT).analysis)
    assert action is not None
    assert after(scene, TEXT, action) == TEXT.replace("smal ", "small ").replace("smll", "small")
    assert fix_all(scene('model small "a/b"\n').analysis) is None


def extracted(scene, text: str) -> dict[str, str]:
    """By title, the text after each extraction at the cursor, or of what stands between two cursors."""
    start = text.index("‸")
    plain = text.replace("‸", "")
    end = text.index("‸", start + 1) - 1 if text.count("‸") == 2 else start
    seen = scene(plain)
    return {one.title: after(scene, plain, one) for one in extractions(seen.analysis, start, end)}


GATE = 'gate good(input) {\n  scorers { length 50..5000  not contains "TO‸DO" as unfinished }\n}\n'


def test_a_scorer_gets_a_name_that_it_had_in_its_gate(scene) -> None:
    [(title, text)] = extracted(scene, GATE).items()
    assert title == "Extract this scorer as `unfinished`"
    assert text == (
        'scorer unfinished contains "TODO"\n\n'
        "gate good(input) {\n  scorers { length 50..5000  not unfinished }\n}\n"
    )
    assert not scene(text).analysis.diagnostics


def test_a_scorer_without_a_name_is_named_after_what_it_checks(scene) -> None:
    [(title, text)] = extracted(scene, GATE.replace("‸", "").replace("length", "len‸gth")).items()
    assert title == "Extract this scorer as `length_50_5000`"
    assert text.startswith("scorer length_50_5000 length 50..5000\n\ngate good")


@pytest.mark.parametrize(
    ("text", "title", "wanted"),
    [
        (
            'code judge a { require reply contains "once upon‸ a time" else "No." }\n',
            'Extract `"once upon a time"` as a constant',
            'let once_upon_a_time = "once upon a time"\n\n'
            'code judge a { require reply contains once_upon_a_time else "No." }\n',
        ),
        (
            'code judge a { require len(reply) < 4‸00 else "Shorter." }\n',
            "Extract `400` as a constant",
            'let value = 400\n\ncode judge a { require len(reply) < value else "Shorter." }\n',
        ),
        (
            'let a = 1\n# why\ncode judge b { require reply in ‸["x", "y"]‸ else "No." }\n',
            'Extract `["x", "y"]` as a constant',
            'let a = 1\nlet value = ["x", "y"]\n\n# why\ncode judge b { require reply in value else "No." }\n',
        ),
    ],
)
def test_a_literal_gets_a_name_before_its_declaration(scene, text: str, title: str, wanted: str) -> None:
    found = extracted(scene, text)
    assert found == {title: wanted}
    assert not [one for one in scene(wanted).analysis.diagnostics if one.severity == "error"]


@pytest.mark.parametrize(
    "text",
    [
        'agent a { model small  prompt "Wri‸te." }\n',
        "agent a { model small  retries 2‸ }\n",
        "let a = 1‸0\n",
        'code judge a { require reply != "{{ ta‸sk }}" else "No." }\n',
        'code judge a { require len(rep‸ly) > 3 else "No." }\n',
        "‸\n",
    ],
)
def test_what_is_no_literal_value_is_not_extracted(scene, text: str) -> None:
    assert extracted(scene, text) == {}


def test_a_name_that_is_taken_is_not_taken_again(scene) -> None:
    text = 'let value = 1\ncode judge a { require len(reply) < 40‸0 else "Shorter." }\n'
    assert "let value_2 = 400\n" in next(iter(extracted(scene, text).values()))


def rewritten(scene, text: str) -> dict[str, str]:
    plain, at = text.replace("‸", ""), text.index("‸")
    seen = scene(plain)
    return {one.title: after(scene, plain, one) for one in rewrites(seen.analysis, at, at)}


def test_a_slug_becomes_a_declared_model_wherever_the_file_names_it(scene) -> None:
    text = 'agent a { model "openai/gp‸t-6"  prompt "x" }\nagent b { model "openai/gpt-6"  prompt "y" }\n'
    assert rewritten(scene, text) == {
        'Declare "openai/gpt-6" as a model of its own': 'model gpt_6 "openai/gpt-6"\n\n'
        'agent a { model gpt_6  prompt "x" }\nagent b { model gpt_6  prompt "y" }\n'
    }


def test_a_model_goes_below_the_models_and_a_declared_one_is_used(scene) -> None:
    text = 'model big "a/big"\nagent a { model "a/sma‸ll"  prompt "x" }\n'
    [found] = rewritten(scene, text).values()
    assert found == 'model big "a/big"\nmodel small "a/small"\nagent a { model small  prompt "x" }\n'
    assert rewritten(scene, text.replace("a/sma‸ll", "a/b‸ig")) == {
        "Use `big`, which is declared": 'model big "a/big"\nagent a { model big  prompt "x" }\n'
    }
    assert rewritten(scene, 'model big "a/bi‸g"\n') == {}


def test_a_question_needs_its_model_declared_as_one_that_decides(scene) -> None:
    text = 'condition c(t: text) { model "a/j‸ev"  ask "Is it?" }\n'
    [found] = rewritten(scene, text).values()
    assert found.startswith('model jev "a/jev" { kind decision }\n\n')


def test_a_finding_that_the_editor_names_is_fixed_though_the_cursor_is_beside_it(scene) -> None:
    seen = scene(TEXT)
    at = TEXT.index("smal ")
    assert quick_fixes(seen.analysis, 0, 0, meant=[at])[0].title == "Replace with `small`"


@pytest.mark.parametrize("literal", ['"Offer"', "{ salary: 4 }", '"find"'])
def test_a_name_in_quotes_and_an_object_of_a_type_are_no_values_to_extract(scene, literal: str) -> None:
    text = """\
type Offer { salary: int }
type Refusal { why: text }
tool find(query: text) -> text { python "x.py:find" }
agent writer -> Offer | Refusal { model "acme/small"  tools [find] }
flow main(x: text) { y = writer(x) }
test "t" for main {
  writer replies [{ variant: "Offer", value: { salary: 4 } }, { call: "find", input: { query: "q" } }]
  expect true
}
"""
    seen = scene(text)
    at = text.index(literal)
    assert extractions(seen.analysis, at, at + len(literal)) == []
    inner = text.index('"q"')
    assert len(extractions(seen.analysis, inner, inner)) == 1
