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
        ('scorer s contains "x" negate true\n', "syntax.unexpected", "not contains"),
        (
            'gate g(x) { scorers { contains "a" weight 1  weight 2 }  combine weighted at least 0.5 }\n',
            "gate.weights",
            "This weight belongs to no scorer",
        ),
        ("```judge\n", "syntax.character", "without the fences of a Markdown page"),
        ("agent a {\nmodel small\n}\n", "syntax.unindented", "must be indented"),
        ("type job { a: text }\n", "syntax.name-case", "`Job`, not `job`"),
        ("type T { a: text | null }\n", "name.unknown", "a `?` behind its shape, such as `text?`"),
        ("type T = int | none\n", "name.unknown", "a `?` behind its shape, such as `text?`"),
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
        ("flowmain(x: text) -> text { return x }", "flow main(x: text) -> text { return x }"),
        ("typeJob { title: text }", "type Job { title: text }"),
        ('agent a {\n  modelsmall\n  prompt "x"\n}', 'agent a {\n  model small\n  prompt "x"\n}'),
        ('agent a { model "a/b"  retries3 }', 'agent a { model "a/b"  retries 3 }'),
        ('agents a { model "a/b" }', 'agent a { model "a/b" }'),
        (
            "flow f(x: text) {\n  y = [\n    [1]\n    [2]\n  ]\n}",
            "flow f(x: text) {\n  y = [\n    [1],\n    [2]\n  ]\n}",
        ),
    ],
)
def test_what_can_be_put_right_safely_has_a_fix(text: str, meant: str) -> None:
    (found,) = errors(text)
    again = fixed(text, found)
    assert " ".join(meant.split()) in " ".join(again.split())
    assert found.code not in {each.code for each in errors(again)}


@pytest.mark.parametrize("body", ['y = x "a"', "if x y { return x }", "y = [x x]"])
def test_which_operator_is_missing_between_two_values_is_not_guessed(body: str) -> None:
    found = errors(flow(body))[0]
    assert "`in`" not in found.message
    assert all("in" not in edit.text for each in found.fixes for edit in each.edits)


@pytest.mark.parametrize("body", ["y = [v for v [x]]", "y = each v [x]: a(v)"])
def test_the_word_between_a_name_and_what_it_goes_through_is_known(body: str) -> None:
    assert errors(flow(body))[0].fixes[0].title == "Insert `in`"


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


def test_case_291_a_scorer_is_turned_around_by_not_and_by_nothing_else() -> None:
    for line in (
        'scorer s contains "x" negate true\n',
        'gate g(x) { scorers { contains "x" negate true } }\n',
    ):
        assert [found.code for found in errors(line)] == ["syntax.unexpected"]
    assert errors('scorer s not contains "x"\n') == []


@pytest.mark.parametrize("weights", [("0", "0"), ("-1", "2"), ("1", None), ("0.5", "0.5", "1")])
def test_case_292_weights_that_make_no_total_are_refused(weights: tuple[str | None, ...]) -> None:
    first, second = 'contains "a"', 'contains "b"'
    parts = [f"{first} weight {weights[0]}", f"{second} weight {weights[1]}" if weights[1] else second]
    extra = f"weight {weights[2]}" if len(weights) > 2 else ""
    text = f"gate g(x) {{ scorers {{ {' '.join(parts)} {extra} }}  combine weighted at least 0.5 }}\n"
    assert [found.code for found in errors(text)] == ["gate.weights"]


@pytest.mark.parametrize(
    ("clause", "code"),
    [("1.5", "value.range"), ("-0.5", "value.range"), ("nan", "syntax.unexpected"), ("0.8", "")],
)
def test_case_282_a_threshold_that_nothing_reaches_is_refused_before_any_call(clause: str, code: str) -> None:
    found = errors(f"judge j {{ model small  rate tone  threshold {clause} }}\n")
    assert [each.code for each in found] == ([code] if code else [])


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("limits { perday { cots 5 } }\n", "perday"),
        ("limits { cots $5 per day }\n", "cots"),
        ('agent a { model small  retry { max 2 backof "1s" } }\n', "retry"),
        ("provider p { api openai  headers { } timeot 3s }\n", "timeot"),
        ("memory { histroy 3 }\n", "histroy"),
    ],
)
def test_case_294_case_295_a_typo_is_an_error_at_every_depth(text: str, at: str) -> None:
    found = errors(text)[0]
    assert (found.code, text[found.start : found.end]) == ("clause.unknown", at)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("list<text>", "text[]"),
        ("List[str]", "text[]"),
        ("Array<Job>", "Job[]"),
        ("[int]", "int[]"),
        ("list of Job", "Job[]"),
        ("Optional[text]", "text?"),
        ("optional(Job)", "Job?"),
        ('enum("a", "b")', '"a" | "b"'),
        ('Literal["a","b"]', '"a" | "b"'),
    ],
)
def test_a_list_and_its_kin_are_written_as_here(written: str, meant: str) -> None:
    text = f"type Job {{\n  title: text\n  more: {written}\n}}\n"
    [found] = errors(text)
    assert found.code == "syntax.unexpected"
    assert f"`{meant}`" in found.message
    assert fixed(text, found) == text.replace(written, meant)
    assert errors(fixed(text, found)) == []


@pytest.mark.parametrize("written", ["list", "array", "list<list<text>>"])
def test_a_list_of_who_knows_what_is_told_without_a_fix(written: str) -> None:
    [found] = errors(f"flow main(x: {written}) {{ return x }}\n")
    assert "`text[]` or `Job[]`" in found.message
    assert found.fixes == ()
