"""What people write out of habit: each gets one message that says what to write instead, and a fix where it is safe."""

from __future__ import annotations

import pytest

from judgeflow.dsl.check.foreign import FUNCTIONS, METHODS
from judgeflow.dsl.diagnostics import Diagnostic
from judgeflow.dsl.mistakes.habits import DECLARATIONS
from judgeflow.dsl.workspace.analysis import Workspace

AROUND = '\nmodel small "openai/some" { price $1 in, $1 out }\nagent w { model small  prompt "x" }\n'


def errors(text: str) -> list[Diagnostic]:
    workspace = Workspace({}.get)
    workspace.update("main.judge", text + AROUND)
    return [found for found in workspace.analyse("main.judge").diagnostics if found.severity == "error"]


def fixed(text: str, found: Diagnostic) -> str:
    for edit in sorted(found.fixes[0].edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def flow(line: str) -> str:
    return f"flow main(x: text, xs: text[]) -> json {{\n  {line}\n  return x\n}}\n"


def judge(line: str) -> str:
    return f"code judge j {{\n  {line}\n}}\n"


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        (
            "agent a {\n  model: small\n}\n",
            "syntax.unexpected",
            "A clause has no `:`: its value follows the keyword",
        ),
        ("agent a {\n  model = small\n}\n", "syntax.unexpected", "A clause has no `=`"),
        ('model m = "a/b"\n', "syntax.unexpected", "There is no `=` here: what follows the name"),
        ('model m: "a/b"\n', "syntax.unexpected", "There is no `:` here"),
        ("agent a:\n  model small\n", "syntax.missing-block", "Write `{` here, and `}` after the last line"),
        ("gate g(x) {\n  scorers:\n    - contains\n}\n", "syntax.missing-block", "stands in braces"),
        ("model m 'a/b'\n", "syntax.character", "straight double quotes"),
        ("model m “a/b”\n", "syntax.character", "straight double quotes"),
        ('agent a { model small  prompt f"Write {x}." }\n', "syntax.unexpected", "double braces"),
        ("agent a { model small  timeout 30 }\n", "syntax.unexpected", "`30s` is 30 seconds"),
        ("agent a { model small  judges j }\n", "syntax.unexpected", "`judges` takes a list of judges"),
        ("agent a { model small  temperature 0.2 }\n", "clause.misplaced", "it belongs to a model"),
        ('agent a { model small  prompt "x"; }\n', "syntax.character", "the end of the line is enough"),
        ("judge j { model small  rate tone  threshold 70% }\n", "syntax.unexpected", "`70%` is 0.7"),
        ('model m "a/b" { price 0.25 in, 2.00 out }\n', "syntax.unexpected", "$0.25 in, $2.00 out"),
        (judge('require len(reply) > 0 && true else "no"'), "syntax.character", "write `and` instead"),
        (judge('require !true else "no"'), "syntax.character", "write `not` instead"),
        (judge("require len(reply) < 100"), "syntax.missing-value", "what to tell the model"),
        (judge('require reply.length > 0 else "no"'), "shape.no-field", "Write `len(reply)`"),
        (judge('require reply.contains("x") else "no"'), "name.unknown", "Write `reply contains …`"),
        (judge('require reply.startswith("x") else "no"'), "name.unknown", "Write `reply starts with …`"),
        (judge('require reply.toLowerCase() == "x" else "no"'), "name.unknown", "Write `lower(reply)`"),
        (flow("for y in xs { w(y) }"), "syntax.unknown-statement", "y = each x in xs: f(x)"),
        (flow("while true { w(x) }"), "syntax.unknown-statement", "loop at most 5 times until done"),
        (flow("if true { w(x) } elif false { w(x) }"), "syntax.unknown-statement", "Write `else if`"),
        (flow("let y = w(x)"), "syntax.unknown-statement", "a name gets its value with `=` alone"),
        (flow("const y = w(x)"), "syntax.unknown-statement", "A name gets its value with `=` alone"),
        (flow("y = await w(x)"), "name.unknown", "Calls wait for their answers by themselves"),
        (flow('y = x == "a" ? "b" : "c"'), "syntax.unexpected", "For example: if score > 0.5 then"),
        (flow("y = xs.filter(y => true)"), "syntax.unexpected", "There are no functions without a name"),
        (flow('if x == None { stop "no" }'), "name.unknown", "Did you mean `null`?"),
        (flow("y = True"), "name.unknown", "Did you mean `true`?"),
        (flow("print(x)"), "name.unknown", "`jrun show`"),
        (flow("y = length(xs)"), "name.unknown", "Write `len(xs)`"),
        (flow("y = sorted(xs)"), "name.unknown", "Write `sort(xs)`"),
        (flow('y = xs.append("a")'), "name.unknown", "Write `xs + [x]`"),
        ("type T { a: string }\n", "name.unknown", "Did you mean `text`?"),
        ("import models\n", "syntax.unexpected", 'For example: import "shared/models.judge"'),
        ("```judge\n", "syntax.character", "without the fences of a Markdown page"),
        ("agent a {\nmodel small\n}\n", "syntax.unindented", "must be indented"),
        ("type job { a: text }\n", "syntax.name-case", "`Job`, not `job`"),
    ],
)
def test_a_habit_gets_one_message_that_says_what_to_write(text: str, code: str, says: str) -> None:
    (found,) = errors(text)
    assert found.code == code
    assert says in f"{found.message}. {found.help}"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('model m = "a/b"\n', 'model m "a/b"'),
        ("judge j { model small  rate tone  threshold 70% }\n", "threshold 0.7 }"),
        (flow("y = True"), "y = true"),
        ('agent a { model small  prompt f"Write." }\n', 'prompt "Write."'),
        ("agent a {\n  model: small\n}\n", "model small"),
    ],
)
def test_what_can_be_put_right_safely_has_a_fix(text: str, meant: str) -> None:
    (found,) = errors(text)
    again = fixed(text, found)
    assert " ".join(meant.split()) in " ".join(again.split())
    assert found.code not in {each.code for each in errors(again)}


@pytest.mark.parametrize("word", DECLARATIONS)
def test_a_declaration_of_another_language_is_shown_as_it_is_written_here(word: str) -> None:
    found = errors(f"{word} thing {{ }}\n")[0]
    assert (found.code, found.message) == (
        "syntax.unknown-declaration",
        f"There is no declaration `{word}`",
    )
    assert found.help == DECLARATIONS[word]


def test_every_method_leads_to_something_to_write() -> None:
    for name, function in METHODS.items():
        assert function in FUNCTIONS or function in ("lower", "upper"), name


def test_runs_of_one_character_are_one_mistake() -> None:
    assert [found.code for found in errors(flow("y = x @@@@ x"))] == ["syntax.character"]
