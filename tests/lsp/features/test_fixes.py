"""Every code that can be repaired has a repair, and every repair leaves less to repair than before.

The programs are the examples of `tests/dsl/diagnostics`, so a new code fails here until it is said whether an
editor can help with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from judgeflow.dsl.diagnostics import Edit
from judgeflow.dsl.passes import open_workspace
from judgeflow.dsl.workspace.analysis import Analysis
from judgeflow.lsp.features.actions import Action, quick_fixes

PAGES = sorted((Path(__file__).parents[2] / "dsl" / "diagnostics").glob("*.md"))
FENCE = re.compile(r"^```(\w+)(?: (\S+))?(?: (\S+))?\n(.*?)^```$", re.M | re.S)
MAIN = "main.judge"

AUTHOR_ALONE = {
    "decision.blank": "what to ask",
    "flow.hidden-call": "where the call's result goes",
    "flow.no-return": "what to answer",
    "flow.race-binding": "two names",
    "flow.recursive": "where to stop",
    "flow.unbound": "the value on the other paths",
    "gate.always-passes": "which bar is meant",
    "gate.cannot-pass": "which bar is meant",
    "import.cycle": "which file comes first",
    "judge.no-reason": "the reason",
    "name.reserved": "another name",
    "python.signature": "the Python file is not ours to change",
    "scorer.bad-pattern": "another pattern",
    "scorer.bad-schema": "another schema",
    "syntax.encoding": "the bytes are no text",
    "syntax.indented": "what the line was meant to be",
    "syntax.too-deep": "how to split it",
}
"""What only the author knows, by code."""

Files = Mapping[str, str]


def programs(page: Path) -> Iterator[dict[str, str]]:
    files: dict[str, str] = {}
    for language, name, encoding, text in (
        fence.groups() for fence in FENCE.finditer(page.read_text(encoding="utf-8"))
    ):
        if language == "text":
            yield files
            files = {}
        elif encoding is None:
            files[name or MAIN] = text


def analysed(files: Files) -> Analysis:
    return open_workspace({path: text.encode() for path, text in files.items()}.get).analyse(MAIN)


def changed(files: Files, action: Action) -> dict[str, str]:
    return {**files, **{path: applied(files[path], edits) for path, edits in action.edits.items()}}


def applied(text: str, edits: tuple[Edit, ...]) -> str:
    for edit in sorted(edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def repairs(files: Files, code: str) -> list[Action]:
    analysis = analysed(files)
    return [
        action
        for found in analysis.diagnostics
        if found.code == code
        for action in quick_fixes(analysis, found.start, found.end)
        if found in action.diagnostics
    ]


# Pages whose own programs declare nothing to choose from; they are repaired below.
ELSEWHERE = {"decision.levels", "judge.same-model-family", "name.duplicate"}


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_what_can_be_repaired_is(page: Path) -> None:
    offered = [action for files in programs(page) if files for action in repairs(files, page.stem)]
    known = bool(offered) != (page.stem in AUTHOR_ALONE) or page.stem in ELSEWHERE
    assert known, (
        "a repair belongs into lsp/features/fixes/offers.py, what only the author knows into AUTHOR_ALONE"
    )


# These say what comes next (a file of cases, a price, a third juror), so a finding of the code stays.
LEADING_ON = {
    "suite.no-cases",
    "model.no-price",
    "model.wrong-kind",
    "test.unscripted-model",
    "judge.jury",
}


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_repair_leaves_less_to_repair_and_breaks_no_syntax(page: Path) -> None:
    for files in filter(None, programs(page)):
        before = [found.code for found in analysed(files).diagnostics]
        for action in repairs(files, page.stem):
            after = [found.code for found in analysed(changed(files, action)).diagnostics]
            less = before.count(page.stem) > after.count(page.stem)
            assert less or page.stem in LEADING_ON, (action.title, after)
            assert [c for c in after if c.startswith("syntax") and c not in before] == [], action.title


def one(files: Files | str, code: str, title: str) -> dict[str, str]:
    """The files after the repair of that title."""
    files = {MAIN: files} if isinstance(files, str) else files
    found = {action.title: action for action in repairs(files, code)}
    assert title in found, list(found)
    return changed(files, found[title])


MODELS = """\
model big    "openai/gpt-6" { price $2 in, $10 out }
model small  "openai/gpt-6-mini" { price $1 in, $2 out }
model claude "anthropic/claude-haiku-5" { price $1 in, $5 out }
model kimi   "moonshotai/kimi-k2.6" { price $1 in, $2 out }
model decider "typesafe/jev-1.13" { kind decision }
"""


def test_a_judge_of_the_same_family_gets_each_model_of_another_vendor() -> None:
    judge = 'judge correct { model big  ask "Correct? PASS, or what is wrong." }\n'
    agent = 'agent writer { model small  prompt "Write."  judges [correct] }\n'
    found = {action.title for action in repairs({MAIN: MODELS + judge + agent}, "judge.same-model-family")}
    assert found == {"Let `correct` judge with `claude`", "Let `correct` judge with `kimi`"}
    fixed = one(MODELS + judge + agent, "judge.same-model-family", "Let `correct` judge with `kimi`")
    assert "judge correct { model kimi  ask" in fixed[MAIN]
    assert not [found for found in analysed(fixed).diagnostics if found.code == "judge.same-model-family"]


def test_of_a_jury_the_member_of_the_same_family_is_replaced() -> None:
    judge = 'judge correct { model [kimi, big, claude]  ask "Correct? PASS, or what is wrong." }\n'
    agent = 'agent writer { model small  prompt "Write."  judges [correct] }\n'
    grok = 'model grok "xai/grok-5" { price $1 in, $2 out }\n'
    files = {MAIN: MODELS + grok + judge + agent}
    assert {action.title for action in repairs(files, "judge.same-model-family")} == {
        "Let `correct` judge with `grok`"
    }
    fixed = one(files, "judge.same-model-family", "Let `correct` judge with `grok`")
    assert "model [kimi, grok, claude]" in fixed[MAIN]


def test_the_judge_may_stand_in_another_file() -> None:
    files = {
        MAIN: 'import "judges.judge"\nagent writer { model small  prompt "Write."  judges [correct] }\n',
        "judges.judge": MODELS + 'judge correct { model big  ask "Correct?" }\n',
    }
    fixed = one(files, "judge.same-model-family", "Let `correct` judge with `claude`")
    assert fixed[MAIN] == files[MAIN]
    assert fixed["judges.judge"].endswith('judge correct { model claude  ask "Correct?" }\n')


def test_in_a_suite_every_agent_of_its_flow_counts() -> None:
    text = (
        MODELS
        + 'judge correct { model big  ask "Correct?" }\nagent a { model small  prompt "x" }\n'
        + 'agent b { model kimi  prompt "y" }\n'
        + "flow f(task: text) -> text {\n  x = a(task)\n  return b(x)\n}\n"
        + 'suite s for f { cases "c.jsonl"  checks [correct] }\n'
    )
    titles = {action.title for action in repairs({MAIN: text}, "judge.same-model-family")}
    assert titles == {"Let `correct` judge with `claude`"}


def test_a_judge_without_a_model_is_offered_those_of_other_vendors_first() -> None:
    text = MODELS + 'judge j { ask "Correct?" }\nagent a { model small  prompt "x"  judges [j] }\n'
    titles = [action.title for action in repairs({MAIN: text}, "judge.no-model")]
    assert titles == ["Add `model claude`", "Add `model kimi`", "Add `model big`", "Add `model small`"]


WRONG = """\
type Offer { salary: int }
type Refusal { why: text }
code judge fair(reply: Offer, bar: int = 3) {
  require reply.salary > bar else "An offer pays something."
}
agent recruiter(task: text) { model small  prompt "Decide."  judges [fair] }
"""


def test_a_wrong_reply_is_put_right_on_either_side() -> None:
    fixed = one(WRONG, "judge.wrong-reply", "Let `recruiter` answer with Offer")
    assert "agent recruiter(task: text) -> Offer { model" in fixed[MAIN]
    fixed = one(WRONG, "judge.wrong-reply", "Let `fair` judge text")
    assert "code judge fair(reply: text, bar: int = 3) {" in fixed[MAIN]


def test_missing_cases_go_before_uncertain_in_the_layout_of_their_switch() -> None:
    text = (
        MODELS
        + 'choice team(t: text) { model decider  ask "Whose?"  options { a  b  c }  confidence at least 0.8 }\n'
        "flow f(t: text) -> text {\n  switch team(t) {\n    case a { return t }\n    uncertain { return t }\n  }\n"
        "  return t\n}\n"
    )
    fixed = one(text, "switch.missing-case", "Add the 2 missing cases")
    assert (
        "    case a { return t }\n    case b { }\n    case c { }\n    uncertain { return t }\n  }\n"
        in fixed[MAIN]
    )


def test_an_option_that_is_missing_is_added_to_its_choice() -> None:
    text = (
        MODELS + 'choice team(t: text) { model decider  ask "Whose?"  options { a  b } }\n'
        "flow f(t: text) -> text {\n  switch team(t) {\n    case a { return t }\n    case b { return t }\n"
        "    case refunds { return t }\n  }\n}\n"
    )
    fixed = one(text, "switch.extra-case", "Add the option `refunds` to `team`")
    assert "options { a  b  refunds }" in fixed[MAIN]


def test_an_unknown_name_is_imported_from_the_file_that_declares_it(scene) -> None:
    text = '# about\nagent a { model smart  prompt "x" }\n'
    seen = scene(
        text, {"/w/shared/models.judge": 'model smart "a/b"\n', "/w/other.judge": "let smart_2 = 1\n"}
    )
    at = text.index("smart")
    paths = ("/w/shared/models.judge", "/w/other.judge")

    def declaring(name: str) -> list[str]:
        return [path for path in paths if seen.workspace.declares(path, name)]

    found = {action.title: action for action in quick_fixes(seen.analysis, at, at, declaring)}
    action = found['Import `smart` from "shared/models.judge"']
    assert applied(text, action.edits["/w/main.judge"]) == f'import "shared/models.judge"\n\n{text}'


def test_an_argument_that_has_the_name_of_a_value_in_sight_is_passed() -> None:
    text = (
        'model small "a/b"\nagent tr(source: text, language: text) { model small  prompt "To {{ language }}." }\n'
        "flow f(source: text, language: text) -> text { return tr(source) }\n"
    )
    fixed = one(text, "flow.wrong-arguments", "Add `language: language`")
    assert "tr(source, language: language)" in fixed[MAIN]


def test_repairs_keep_the_line_ends_of_the_file() -> None:
    text = 'agent a {\r\n  prompt "x"\r\n}\r\nmodel small "a/b"\r\n'
    fixed = one(text, "clause.missing", "Add `model small`")
    assert fixed[MAIN].startswith('agent a {\r\n  prompt "x"\r\n  model small\r\n}\r\n')


def test_prompt_lines_that_are_not_indented_are_all_indented() -> None:
    text = 'model small "a/b"\nagent a {\n  model small\n  prompt """\nOne.\nTwo.\n    """\n}\n'
    fixed = one(text, "syntax.unindented", "Indent the 2 lines")
    assert "    One.\n    Two.\n" in fixed[MAIN]


@pytest.mark.parametrize(
    ("code", "text", "title", "wanted"),
    [
        (
            "name.duplicate",
            'code judge j { require len(reply) > 1 else "x" }\n'
            'agent a { model "a/b"  prompt "x"  judges [j, j] }\n',
            "Remove `j`",
            "judges [j]",
        ),
        (
            "decision.levels",
            'scale s(t: text) { model "a/b"  ask "How?"  levels ["low", "high", "low"] }\n',
            'Remove `"low"`',
            'levels ["low", "high"]',
        ),
        (
            "test.wrong-shape",
            'model m "a/b"\nagent a { model m  prompt "x" }\nflow f(t: text) -> text { return a(t) }\n'
            'test "t" for f {\n  given { t: "x" }\n  a returns "y"\n  expect result == "y"\n}\n',
            "Write `replies`",
            '  a replies "y"\n',
        ),
        (
            "syntax.missing-block",
            'agent a:\n  model "x/y"\n  prompt "z"\n',
            "Write braces",
            'agent a {\n  model "x/y"\n  prompt "z"\n}',
        ),
        (
            "syntax.missing-value",
            "code judge j {\n  require len(reply) > 3\n}\n",
            "Add the reason",
            '  require len(reply) > 3 else "Say what is wrong."\n',
        ),
    ],
)
def test_smaller_repairs(code: str, text: str, title: str, wanted: str) -> None:
    assert wanted in one(text, code, title)[MAIN]


def test_where_a_block_behind_a_colon_ends_is_not_guessed() -> None:
    text = 'flow main(t: text) -> text {\n  if t == "a":\n    return t\n  return t\n}\n'
    assert repairs({MAIN: text}, "syntax.missing-block") == []
