"""A mistake costs one message in the user's words, and everything around it is still read."""

import random
from pathlib import Path

import pytest

from judgeflow.dsl import ast
from judgeflow.dsl.diagnostics import Diagnostic
from judgeflow.dsl.parse import parse, parse_chunk
from judgeflow.dsl.source import Source

PROGRAMS = [
    path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "programs").glob("*.judge"))
]


def found_in(text: str) -> list[Diagnostic]:
    return list(parse_chunk(text)[1])


def one(text: str) -> Diagnostic:
    (found,) = found_in(text)
    return found


def place(text: str) -> str:
    """What the one message for a text points at."""
    found = one(text)
    return text[found.start : found.end]


def fixed(text: str) -> str:
    """The text with the fixes of its messages applied, the last first."""
    edits = [edit for found in found_in(text) for fix in found.fixes for edit in fix.edits]
    for edit in sorted(edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def agent(body: str) -> str:
    lines = body.replace("\n", "\n  ")
    return f"agent a {{\n  {lines}\n}}"


def flow(body: str) -> str:
    lines = body.replace("\n", "\n  ")
    return f"flow f(x: text) -> text {{\n  {lines}\n}}"


# --- words ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "where", "says"),
    [
        (agent("modle b"), "clause.unknown", "modle", "Did you mean `model`?"),
        (agent('model b\npromt "x"'), "clause.unknown", "promt", "Did you mean `prompt`?"),
        (agent("model b\nflavour 3"), "clause.unknown", "flavour", "no clause `flavour` in an agent"),
        (agent("threshold 0.5"), "clause.misplaced", "threshold", "belongs to a judge"),
        (agent("fallback [b]"), "clause.misplaced", "fallback", "belongs to a model"),
        ('model a "b" { temprature 0 }', "clause.unknown", "temprature", "`temperature`"),
        ("limits { cots $5 per day }", "clause.unknown", "cots", "`cost`"),
        ("memory { histroy 3 }", "clause.unknown", "histroy", "`history`"),
        ("provider a { apl b }", "clause.unknown", "apl", "`api`"),
        ("suite a for b { chekcs [c] }", "clause.unknown", "chekcs", "`checks`"),
        ("gate a(b) { combin all }", "clause.unknown", "combin", "`combine`"),
        ("gate a(b) { scorers { contian \"x\" } }", "clause.unknown", "contian", "`contains`"),
        ('test "a" for b { exepct c == 1 }', "clause.unknown", "exepct", "`expect`"),
        ('test "a" for b { writer reply "x" }', "syntax.unexpected", "reply", "`replies`"),
        (flow("retrun x"), "syntax.unknown-statement", "retrun", "Did you mean `return`?"),
        (flow("swtich x { }"), "syntax.unknown-statement", "swtich", "`switch`"),
        (flow("paralell { a() }"), "syntax.unknown-statement", "paralell", "`parallel`"),
        (flow("lopp at most 3 times { a() }"), "syntax.unknown-statement", "lopp", "`loop`"),
        (flow("a = best of 3: b() pickd by c"), "syntax.unexpected", "pickd", "`picked`"),
        (flow("if a { } esle { }"), "syntax.unknown-statement", "esle", "`else`"),
        (flow("for a in b { }"), "syntax.unknown-statement", "for", "no statement `for`"),
        (flow("while a { }"), "syntax.unknown-statement", "while", "no statement `while`"),
        (flow("if a { } elif b { }"), "syntax.unknown-statement", "elif", "no statement `elif`"),
        (flow("let a = b()"), "syntax.unknown-statement", "let", "no statement `let`"),
        (flow("writer"), "syntax.unknown-statement", "writer", "alone is no step"),
        ("agnet a { }", "syntax.unknown-declaration", "agnet", "Did you mean `agent`?"),
        ("nonsense a { }", "syntax.unknown-declaration", "nonsense", "no declaration `nonsense`"),
        ("prompt \"x\"", "syntax.unindented", "prompt", "belongs inside an agent"),
        ("scorer a contians \"x\"", "syntax.unexpected", "contians", "`contains`"),
        ("type A { b: string }", "name.unknown", "string", "Did you mean `text`?"),
        ("type A { b: integer }", "name.unknown", "integer", "`int`"),
        ("type a { }", "syntax.name-case", "a", "`A`"),
        ("type A { b: other_type }", "syntax.name-case", "other_type", "`OtherType`"),
        ("agent JobFinder { }", "syntax.name-case", "JobFinder", "`job_finder`"),
        ("agent each { }", "name.reserved", "each", "word of the language"),
    ],
)  # fmt: skip
def test_a_word_that_is_wrong_is_named_with_what_was_meant(
    text: str, code: str, where: str, says: str
) -> None:
    found = one(text)
    assert (found.code, place(text)) == (code, where)
    assert says in f"{found.message}. {found.help}"


@pytest.mark.parametrize(
    "text",
    [
        agent("modle b"),
        'model a "b" { temprature 0 }',
        flow("retrun x"),
        "agnet a { }",
        "type A { b: string }",
        flow("if x = 3 { return x }"),
        flow("a = b (x)"),
        flow("a = b [0]"),
        flow("a = b -c"),
        agent("model: b"),
        agent("model = b"),
        agent("timeout 30"),
        "type A { b: text, c: int }",
        "let a = [1 2]",
        "let a = f(b",
        "let a = [b",
        'let a = "x" && b || !c;',
        "let a = 'b'",
        flow("loop at most 3 { a() }"),
        "let a = b.\n  c",
        "let a =\n  b",
        agent("model\n b"),
        "agent a {\nmodel b\n}",
        "  let a = 1",
        flow("a = each x in xs f(x)"),
    ],
)
def test_a_fix_is_safe_to_apply(text: str) -> None:
    assert found_in(text)
    assert found_in(fixed(text)) == []


# --- values ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "where", "says"),
    [
        (agent("model"), "syntax.missing-value", "model", "I expected a model's name, or a slug"),
        (agent("model\nprompt \"x\""), "syntax.missing-value", "model", "but the line ends there"),
        (agent("retries\n3"), "syntax.missing-value", "retries", "but the line ends there"),
        ("agent a { model }", "syntax.missing-value", "model", "I expected a model's name"),
        ("let a =", "syntax.missing-value", "=", "I expected a value after `=`"),
        ("let a = b.", "syntax.missing-value", ".", "I expected a name after `.`"),
        ("let a = 1 +", "syntax.missing-value", "+", "I expected a value after `+`"),
        ("agent a(b: ) { }", "syntax.missing-value", ":", "I expected a type after `:`"),
        ("agent a -> { }", "syntax.unexpected", "{", "I expected a type after `->`"),
        ("model a", "syntax.missing-value", "a", "I expected a text in quotes after `a`"),
        ("import", "syntax.missing-value", "import", "I expected a text in quotes after `import`"),
        (flow("return"), "syntax.missing-value", "return", "I expected a value after `return`"),
        (agent('retries "3"'), "syntax.unexpected", '"3"', "`retries` takes a number, not a text"),
        (agent("judges b"), "syntax.unexpected", "b", "`judges` takes a list of judges"),
        (agent("timeout 30"), "syntax.unexpected", "30", "A duration needs a unit"),
        ('provider a { key "sk-1" }', "syntax.unexpected", '"sk-1"', "A key never stands in the file"),
        ("code judge a { require b }", "syntax.missing-value", "b", "says what to tell the model"),
        ("agent { }", "syntax.unexpected", "{", "I expected a name after `agent`"),
        ("agent a", "syntax.missing-block", "a", "An agent needs a block"),
        (flow("loop 5 times { }"), "syntax.unexpected", "5", "I expected `at` after `loop`"),
        ("let a = b == c == d", "syntax.unexpected", "==", "Comparisons do not chain"),
        (flow("if x = 3 { }"), "syntax.unexpected", "=", "`==` compares"),
    ],
)  # fmt: skip
def test_a_value_that_is_missing_or_wrong_is_asked_for(text: str, code: str, where: str, says: str) -> None:
    found = one(text)
    assert (found.code, place(text)) == (code, where)
    assert says in f"{found.message}. {found.help}"


@pytest.mark.parametrize("before", ["", 'writer replies "a"\n  '])
@pytest.mark.parametrize(
    ("line", "word"), [("model small", "model"), ("case billing { }", "case"), ("scorers {\n  }", "scorers")]
)
def test_a_clause_of_another_block_in_a_test_is_named_wherever_it_stands(
    before: str, line: str, word: str
) -> None:
    text = f'test "t" for main {{\n  {before}{line}\n  expect result == "a"\n}}'
    found = found_in(text)[0]
    assert (found.code, text[found.start : found.end]) == ("clause.misplaced", word)
    assert found.message.startswith(f"`{word}` cannot stand in a test")


@pytest.mark.parametrize("before", ["", "x = g(a)\n  "])
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('model m "a/b"', "A model cannot stand in a flow"),
        ("tool t(x: text)", "A tool cannot stand in a flow"),
        (
            "parallel {\n    y = g(a)\n    loop at most 3 { z = g(a) }\n  }",
            "`loop` cannot stand in `parallel`: only calls and bindings run at once",
        ),
        ("words here", "`words` alone is no step"),
    ],
)
def test_what_is_no_step_is_named_and_not_the_word_behind_it(before: str, line: str, says: str) -> None:
    text = f"flow main(a: text) -> text {{\n  {before}{line}\n  return a\n}}"
    assert found_in(text)[0].message == says


def test_an_example_comes_along() -> None:
    assert one(agent("retries x")).help == "For example: retries 2"


@pytest.mark.parametrize(
    "text",
    [
        agent("model\n b"),
        "let a =\n b",
        "let a = b.\n c",
        "let a = if b then\n c else d",
        "let a = every b in c: not\n d",
        flow("x = try\n a()"),
        "context\n {}",
        'code judge a { require b else\n "c" }',
    ],
)
def test_what_asks_for_more_does_not_end_its_line(text: str) -> None:
    node, found = parse_chunk(text)
    assert [error.code for error in found] == ["syntax.missing-value"]
    assert node is not None
    assert node.end == len(text)


# --- brackets and quotes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (agent("model b")[:-2], "{"),
        ("let a = f(b", "("),
        ("let a = [b, c", "["),
        (flow("a = f(x\nreturn a"), "("),
        ("agent a(b: text -> text { model c }", "("),
        (agent('prompt "x'), '"'),
        (agent('prompt """\n  x\nmodel b'), '"""'),
        (agent('prompt "a {{ b }"'), "{{"),
    ],
)
def test_what_is_never_closed_is_named_at_its_opening(text: str, where: str) -> None:
    assert (one(text).code, place(text)) == ("syntax.unclosed", where)


def test_the_brace_without_a_partner_is_told_by_the_indentation() -> None:
    text = "flow f(x: text) -> text {\n  if a {\n    b = c()\n  return b\n}"
    assert one(text).start == text.index("{\n    b")


def test_a_brace_too_many_closes_nothing() -> None:
    assert "closes nothing" in one("agent a { model b }\n}").message
    assert "closes nothing" in one("}").message


def test_a_statement_that_cannot_stand_is_dropped_with_its_block() -> None:
    node, found = parse_chunk(flow("parallel {\n  if a { }\n  b = c()\n}\nreturn b"))
    assert ["`if` cannot stand in `parallel`" in error.message for error in found] == [True]
    assert isinstance(node, ast.Flow)
    assert [type(statement).__name__ for statement in node.body] == ["Parallel", "Return"]


def test_two_declarations_on_a_line_are_told_apart() -> None:
    node, found = parse_chunk("agent a { model b } agent c { model d }")
    assert [error.code for error in found] == ["syntax.indented"]
    assert isinstance(node, ast.Agent)
    assert len(node.clauses) == 1


def test_an_open_text_hurts_its_own_line_only() -> None:
    text = 'agent a {\n  model b\n  prompt "open\n  retries 3\n}'
    node, found = parse_chunk(text)
    assert [error.code for error in found] == ["syntax.unclosed"]
    assert isinstance(node, ast.Agent)
    assert [clause.keyword for clause in node.clauses] == ["model", "prompt", "retries"]


def test_an_open_text_block_ends_where_the_indentation_says() -> None:
    node, found = parse_chunk('agent a {\n  prompt """\n    open\n  model b\n  retries 3\n}')
    assert [error.code for error in found] == ["syntax.unclosed"]
    assert isinstance(node, ast.Agent)
    assert [clause.keyword for clause in node.clauses] == ["prompt", "model", "retries"]


@pytest.mark.parametrize(
    "broken", ['agent b { prompt "open }', "agent b {\n  tools [c\n", "flow b( {", 'let b = """\n  x']
)
def test_a_broken_declaration_leaves_its_neighbours_alone(broken: str) -> None:
    module = parse(Source("x", f"let a = 1\n{broken}\nlet c = 2\n"))
    assert [len(item.diagnostics) for item in module.items] == [0, 1, 0]
    assert all(item.node for item in module.items)


# --- what is kept ---------------------------------------------------------------------------------------


def test_every_line_gets_its_own_message_and_the_others_are_read() -> None:
    text = agent('model b\nthreshold 0.5\nretries "3"\nprompt "x"\ntimeout 30\njudges c\ntools [d]')
    node, found = parse_chunk(text)
    assert [error.code for error in found] == ["clause.misplaced", *["syntax.unexpected"] * 3]
    assert isinstance(node, ast.Agent)
    assert [clause.keyword for clause in node.clauses] == ["model", "prompt", "tools"]


def test_one_message_a_line() -> None:
    assert len(found_in(agent("model = = b c d e ( [\nretries 3"))) == 1


def test_a_misspelt_clause_is_taken_for_what_was_meant() -> None:
    node, _ = parse_chunk(agent('modle b\npromt "x"'))
    assert isinstance(node, ast.Agent)
    assert [clause.keyword for clause in node.clauses] == ["model", "prompt"]


def test_a_clause_that_is_only_begun_takes_nothing_from_the_next_line() -> None:
    text = 'condition urgent(t: text) "Is it?" {\n  model m\n  mode\n  confidence at least 0.8\n}\n'
    assert place(text) == "mode"
    node = parse_chunk(text)[0]
    assert isinstance(node, ast.Decision)
    assert [clause.keyword for clause in node.clauses] == ["model", "confidence"]


def test_statements_around_a_mistake_are_kept() -> None:
    node, found = parse_chunk(flow("a = b(x)\nc = = d(x)\nif e {\n  f = ) g()\n  h = i()\n}\nreturn a"))
    assert len(found) == 2
    assert isinstance(node, ast.Flow)
    assert [type(statement).__name__ for statement in node.body] == ["Bind", "Bind", "If", "Return"]
    assert isinstance(node.body[2], ast.If)
    assert len(node.body[2].then.body) == 2


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("agent a", "a"),
        ("agent a(", "a"),
        ("agent a(b: text", "a"),
        ("agent a -> ", "a"),
        ("flow a(b: ) -> C {\n  return b\n}", "a"),
        ("tool a(b: text) -> {", "a"),
        ("gate a(", "a"),
        ("judge a(b: B", "a"),
        ("code judge a(b: B) {", "a"),
        ("type A {", "A"),
        ("type A = ", "A"),
        ("let a = ", "a"),
        ("let a", "a"),
        ("model a", "a"),
        ('model a "b" {', "a"),
        ("scorer a", "a"),
        ("condition a(", "a"),
        ("suite a", "a"),
        ("profile a", "a"),
        ("provider a {", "a"),
        ("agent Big(", "Big"),
        ("type small = ", "small"),
    ],
)
def test_a_head_alone_still_declares_its_name(text: str, name: str) -> None:
    node, found = parse_chunk(text)
    assert found
    assert node is not None
    assert getattr(node, "name").text == name  # noqa: B009  # not every declaration has one


def test_parameters_survive_a_broken_body_and_an_open_bracket() -> None:
    node, _ = parse_chunk("agent a(b: text, c: int {\n  model d\n}")
    assert isinstance(node, ast.Agent)
    assert [param.name.text for param in node.params] == ["b", "c"]
    assert len(node.clauses) == 1


# --- layout and characters ------------------------------------------------------------------------------


def test_unindented_lines_are_one_message_with_one_fix() -> None:
    text = "agent a {\nmodel b\n  retries 3\ntimeout 30s\n}"
    node, found = parse_chunk(text)
    assert [error.code for error in found] == ["syntax.unindented"]
    assert fixed(text) == "agent a {\n  model b\n  retries 3\n  timeout 30s\n}"
    assert isinstance(node, ast.Agent)
    assert len(node.clauses) == 3


def test_an_indented_declaration_is_moved_to_column_0() -> None:
    assert one("  let a = 1").code == "syntax.indented"
    assert fixed("  let a = 1") == "let a = 1"
    assert one("# c\n  let a = 1").code == "syntax.indented"


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("let a = 1e400", "syntax.number", "`1e400` is past the largest number"),
        ("let a = -1" + "0" * 5000, "syntax.number", "`10000000000000000000…` is past"),
        ("limits { cost $1" + "0" * 400 + " per run }", "syntax.number", "is past the largest number"),
        ("agent a { timeout 1" + "0" * 400 + "s }", "syntax.number", "is past the largest number"),
        ("let a = 5x", "syntax.number", "`5x` is no number"),
        ("let a = 1.", "syntax.number", "`1.`"),
        ("let a = \u00a0b", "syntax.character", "a space"),
        ("let a = b\u2028", "syntax.character", "a space"),
        ("let a = b;", "syntax.character", "`;`"),
        ("let a = 'b'", "syntax.character", "double quotes"),
        ("let a = “b”", "syntax.character", "double quotes"),
        ("let a = b ≤ c", "syntax.character", "`<=`"),
        ("let é = 1", "syntax.character", "`é`"),
        ("let a = b @ c", "syntax.character", "`@`"),
        ("let a = b \x00", "syntax.character", "U+0000"),
    ],
)
def test_characters_that_mean_nothing_are_named(text: str, code: str, says: str) -> None:
    found = found_in(text)[0]
    assert found.code == code
    assert says in found.message + found.help


# --- what nobody should send ----------------------------------------------------------------------------

DEEP = 5_000


@pytest.mark.parametrize(
    "text",
    [
        "let a = " + "(" * DEEP + "b" + ")" * DEEP,
        "let a = " + "[" * DEEP,
        "let a = " + "f(" * DEEP + "b" + ")" * DEEP,
        "let a = " + "not " * DEEP + "b",
        "let a = " + "- " * DEEP + "b",
        "let a = " + "b + " * DEEP + "b",
        "let a = b" + ".c" * DEEP,
        "let a = b" + "[0]" * DEEP,
        "let a = " + "if b then c else " * DEEP + "d",
        "let a = " + "every b in c: " * DEEP + "d",
        "type A = B" + "[]" * DEEP,
        "flow f(x: text) { " + "if a { " * DEEP + "}" * DEEP + " }",
        "flow f(x: text) { " + "if a { } else " * DEEP + "{ } }",
        'let a = "' + '{{ "' * DEEP + '"',
        'let a = "{{ ' + "-" * DEEP + ' b }}"',
    ],
    ids=lambda text: text[:24],
)
def test_nesting_too_deep_is_an_error_and_no_crash(text: str) -> None:
    node, found = parse_chunk(text)
    assert [error.code for error in found] == ["syntax.too-deep"]
    assert node is not None


@pytest.mark.parametrize(
    "text",
    [
        "code judge j {\n" + '  require reply.a != "x" and not reply.b else "y"\n' * 300 + "}",
        "flow f(x: text) -> text {\n" + '  f(x)\n  if not x.a { stop "no" }\n' * 300 + "  return x\n}",
        "gate g(x: text) {\n  scorers {\n" + "    schema T weight -1 + 2\n" * 300 + "  }\n}",
    ],
)
def test_what_stands_under_each_other_is_not_nested(text: str) -> None:
    assert "syntax.too-deep" not in [error.code for error in parse_chunk(text)[1]]


def test_what_is_long_but_not_deep_is_read() -> None:
    for text in (
        "let a = [" + "b.c + 1, " * 3000 + "]",
        "type A = B" + " | C" * 3000,
        flow("a = b(c.d + 1)\n" * 1500),
    ):
        assert found_in(text) == []


@pytest.mark.parametrize("seed", range(8))
def test_a_slip_of_one_character_has_two_causes_at_most(seed: int) -> None:
    rng = random.Random(seed)
    alphabet = "abcxyz_ABZ0159\"'{}()[]:,.=#\n\t -+|?\\`“é"
    counts = []
    for _ in range(60):
        text = rng.choice(PROGRAMS)
        at = rng.randrange(len(text))
        inserted = rng.choice(["", rng.choice(alphabet)])
        kept = at + rng.choice([0, 1]) if inserted else at + 1
        counts.append(len(parse(Source("x", text[:at] + inserted + text[kept:])).diagnostics))
    assert sum(count <= 2 for count in counts) >= 0.95 * len(counts)


@pytest.mark.parametrize("seed", range(8))
def test_no_cut_and_no_shuffle_of_a_program_crashes(seed: int) -> None:
    rng = random.Random(seed)
    text = rng.choice(PROGRAMS)
    cut = text[: rng.randrange(len(text))]
    lines = text.splitlines(keepends=True)
    rng.shuffle(lines)
    for broken in (cut, "".join(lines), text.replace("{", "", 3), text.replace('"', "", 5)):
        module = parse(Source("x", broken))
        for found in module.diagnostics:
            assert 0 <= found.start <= found.end <= len(broken) + 2
            assert found.message


def test_messages_speak_of_no_terminal() -> None:
    rng = random.Random(1)
    words = []
    for _ in range(150):
        text = rng.choice(PROGRAMS)
        at = rng.randrange(len(text))
        for found in parse(Source("x", text[:at] + text[at + 1 :])).diagnostics:
            words += [found.message, found.help, found.label]
    shouting = {
        "NAME",
        "WORD",
        "TYPENAME",
        "TEXT",
        "NUMBER",
        "TLP",
        "TLSQB",
        "LBRACE",
        "PRIM",
        "$END",
        "ENVNAME",
        "NEG",
    }
    assert not [text for text in words if shouting & set(text.replace("`", " ").split())]
