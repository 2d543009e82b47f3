"""What the trees look like: every construct once, spans that hold, soft keywords."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from judgeflow.dsl import ast
from judgeflow.dsl.diagnostics import Diagnostic
from judgeflow.dsl.parse import parse, parse_chunk
from judgeflow.dsl.source import Source
from judgeflow.dsl.syntax.lalr import load_grammar
from judgeflow.dsl.syntax.lexer import PRIMITIVES, RESERVED

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.judge"))
WORDS = sorted(load_grammar().lexer.vocabulary.words)
FREE = [word for word in WORDS if word not in RESERVED]


def clean(text: str) -> ast.Declaration:
    node, found = parse_chunk(text)
    assert found == ()
    assert node is not None
    return node


def expression(text: str) -> ast.Expr:
    node = clean(f"let a = {text}")
    assert isinstance(node, ast.Constant)
    return node.value


def shown(node: object) -> str:
    """An expression with every pair of brackets that it stands for."""
    match node:
        case ast.Binary(op=op, left=left, right=right):
            return f"({shown(left)} {op} {shown(right)})"
        case ast.Unary(op=op, operand=operand):
            return f"({op} {shown(operand)})"
        case ast.Is(operand=operand, type=name, negated=negated):
            return f"({shown(operand)} is {'not ' if negated else ''}{name.text})"
        case ast.IfExpr(condition=condition, then=then, otherwise=otherwise):
            return f"(if {shown(condition)} then {shown(then)} else {shown(otherwise)})"
        case ast.Quantified(kind=kind, name=name, source=source, body=body):
            return f"({kind} {name.text} in {shown(source)}: {shown(body)})"
        case ast.Name(id=name):
            return name
        case ast.Number(text=text):
            return text
        case ast.Field(target=target, name=name):
            return f"{shown(target)}.{name.text}"
        case ast.Index(target=target, index=index):
            return f"{shown(target)}[{shown(index)}]"
        case ast.Call(callee=callee, args=args):
            return f"{callee.text}({', '.join(shown(arg.value) for arg in args)})"
    raise AssertionError(node)


def statements(body: str) -> tuple[ast.Statement, ...]:
    lines = body.replace("\n", "\n  ")
    node = clean(f"flow f(x: text) {{\n  {lines}\n}}")
    assert isinstance(node, ast.Flow)
    return node.body


def walk(node: object, parent: ast.Node | None = None) -> Iterator[tuple[ast.Node, ast.Node | None]]:
    if isinstance(node, tuple):
        for item in node:
            yield from walk(item, parent)
    elif isinstance(node, msgspec.Struct):
        assert isinstance(node, ast.Node)
        yield node, parent
        for name in node.__struct_fields__:
            yield from walk(getattr(node, name), node)


# --- spans ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_child_lies_within_its_parent_and_a_name_spells_itself(program: Path) -> None:
    for item in parse(Source("x", program.read_text(encoding="utf-8"))).items:
        for node, parent in walk(item.node):
            assert 0 <= node.start <= node.end <= len(item.text)
            if parent is not None:
                assert parent.start <= node.start, (parent, node)
                assert node.end <= parent.end, (parent, node)
            spelling = item.text[node.start : node.end]
            if isinstance(node, ast.Ident):
                assert spelling.strip('"') == node.text
            if isinstance(node, ast.Name):
                assert spelling == node.id
            if isinstance(node, ast.Clause):
                assert spelling.startswith(node.keyword.split()[0])


def test_spans_count_from_the_comments_before_a_declaration() -> None:
    text = "# why 😀\nlet a = b"
    node = clean(text)
    assert (node.start, node.end) == (text.index("let"), len(text))


def test_a_declaration_ends_with_its_last_mark() -> None:
    for text in (
        'model a "b" via c',
        "type A = B[](1..2)",
        'workflow a "b" version "1"',
        "let a = [1]",
        "memory { }",
    ):
        node = clean(f"{text} # comment")
        assert (node.start, node.end) == (0, len(text))


# --- expressions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("a or b and c", "(a or (b and c))"),
        ("a and b or c", "((a and b) or c)"),
        ("not a and b", "((not a) and b)"),
        ("not a == b", "(not (a == b))"),
        ("not not a", "(not (not a))"),
        ("a + b * c - d", "((a + (b * c)) - d)"),
        ("a - b - c", "((a - b) - c)"),
        ("a-b", "(a - b)"),
        ("-a * -b", "((- a) * (- b))"),
        ("2 - -3", "(2 - (- 3))"),
        ("a / b % c", "((a / b) % c)"),
        ("a < b + 1", "(a < (b + 1))"),
        ("a in b or c not in d", "((a in b) or (c not in d))"),
        ("a contains b and c matches d", "((a contains b) and (c matches d))"),
        ("a starts with b", "(a starts with b)"),
        ("a ends with b + c", "(a ends with (b + c))"),
        ("a is B and c is not D", "((a is B) and (c is not D))"),
        ("(a or b) and c", "((a or b) and c)"),
        ("a.b.c[0].d", "a.b.c[0].d"),
        ("f(a, g(b)).c[1]", "f(a, g(b)).c[1]"),
        ("browse.open(url).title", "browse.open(url).title"),
        ("if a then b else c or d", "(if a then b else (c or d))"),
        ("if a then if b then c else d else e", "(if a then (if b then c else d) else e)"),
        ("a and if b then c else d", "(a and (if b then c else d))"),
        ("a or every x in xs: x and y", "(a or (every x in xs: (x and y)))"),
        ("every x in a or b: some y in x: y", "(every x in (a or b): (some y in x: y))"),
        ("not every x in xs: x", "(not (every x in xs: x))"),
        ("a and not some x in xs: x", "(a and (not (some x in xs: x)))"),
    ],
)
def test_operators_bind_as_the_language_says(text: str, grouped: str) -> None:
    assert shown(expression(text)) == grouped


@pytest.mark.parametrize("text", ["every x in xs: x and y == 1", "if a then b else c"])
def test_what_runs_to_the_right_starts_no_conjunction(text: str) -> None:
    assert shown(expression(f"{text} or z")).endswith("or z))")


def test_arguments_may_be_named() -> None:
    call = expression("f(a, b: c,)")
    assert isinstance(call, ast.Call)
    assert [(arg.name.text if arg.name else None, shown(arg.value)) for arg in call.args] == [
        (None, "a"),
        ("b", "c"),
    ]


def test_a_comprehension_may_have_a_condition() -> None:
    plain, filtered = expression("[x.y for x in xs]"), expression("[x for x in xs if x > 1]")
    assert isinstance(plain, ast.Comprehension)
    assert isinstance(filtered, ast.Comprehension)
    assert plain.condition is None
    assert shown(filtered.condition) == "(x > 1)"


def test_objects_and_lists_take_a_trailing_comma() -> None:
    value = expression('{ a: [1, 2,], "b c": { }, in: [], }')
    assert isinstance(value, ast.Object)
    assert [pair.key.text for pair in value.pairs] == ["a", "b c", "in"]


def test_literals() -> None:
    values = expression("[null, true, false, $1.50, 30s, 2.5]")
    assert isinstance(values, ast.ListExpr)
    assert [type(item).__name__ for item in values.items] == [
        "Null",
        "Bool",
        "Bool",
        "Money",
        "Duration",
        "Number",
    ]


# --- declarations ---------------------------------------------------------------------------------------


def test_an_agents_head() -> None:
    node = clean(
        'agent a(b: text[](1..2)?, hidden c: B | "d", e = 1, f: text? = null) -> G[] "H" { model i }'
    )
    assert isinstance(node, ast.Agent)
    assert [(p.name.text, p.optional, p.hidden, p.default is not None) for p in node.params] == [
        ("b", True, False, False),
        ("c", False, True, False),
        ("e", False, False, True),
        ("f", True, False, True),
    ]
    assert isinstance(node.params[1].shape, ast.UnionShape)
    assert node.params[2].shape is None
    assert isinstance(node.shape, ast.ListShape)
    assert node.description is not None
    assert node.description.plain == "H"


def test_a_judge_without_a_signature_has_no_parameters_at_all() -> None:
    bare, empty = clean("judge a { }"), clean("code judge a() { }")
    assert isinstance(bare, ast.Judge)
    assert isinstance(empty, ast.Judge)
    assert (bare.params, bare.code) == (None, False)
    assert (empty.params, empty.code) == ((), True)


def test_types() -> None:
    record, extended, alias = (
        clean("type A { b: int(0..)? }"),
        clean('type A extends B "c" { }'),
        clean("type A = (B | C)[]"),
    )
    assert isinstance(record, ast.Type)
    assert isinstance(extended, ast.Type)
    assert isinstance(alias, ast.Type)
    (field,) = record.fields
    assert isinstance(field.shape, ast.Primitive)
    assert field.shape.bounds is not None
    assert (field.optional, field.shape.bounds.low, field.shape.bounds.high) == (True, "0", None)
    assert extended.extends is not None
    assert extended.extends.text == "B"
    assert isinstance(alias.alias, ast.ListShape)
    assert isinstance(alias.alias.item, ast.UnionShape)


def test_bounds_keep_their_signs() -> None:
    node = clean("type A { b: float(-1..-0.5) }")
    assert isinstance(node, ast.Type)
    shape = node.fields[0].shape
    assert isinstance(shape, ast.Primitive)
    assert shape.bounds == ast.Bounds(18, 26, "-1", "-0.5")


@pytest.mark.parametrize(
    ("combine", "bar"),
    [
        ("weighted", None),
        ("weighted  ", None),
        ("weighted at least 0.7", "0.7"),
        ("weighted\n  at least 0.7", "0.7"),
    ],
)
def test_u51_a_weighted_gate_may_leave_its_bar_out(combine: str, bar: str | None) -> None:
    node = clean(f"gate g(x) {{\n  scorers {{ a weight 1 }}\n  combine {combine}\n  unreadable block\n}}")
    assert isinstance(node, ast.Gate)
    value = node.clauses[1].value
    assert isinstance(value, ast.Combine)
    assert value.mode == "weighted"
    assert (value.at_least.text if value.at_least is not None else None) == bar


def test_clauses_carry_their_keyword_and_value() -> None:
    node = clean(
        "gate g(x) { target x  pass when y  scorers { a weight 0.2  not length 1..2 as b }  "
        'combine weighted at least 0.7  judge always c(d) "e" weight 0.1  unreadable pass }'
    )
    assert isinstance(node, ast.Gate)
    assert [(clause.keyword, type(clause.value).__name__) for clause in node.clauses] == [
        ("target", "Name"),
        ("pass when", "Name"),
        ("scorers", "ScorerEntries"),
        ("combine", "Combine"),
        ("judge", "GateJudge"),
        ("unreadable", "Ident"),
    ]
    entries = node.clauses[2].value
    assert isinstance(entries, ast.ScorerEntries)
    first, second = entries.items
    assert isinstance(first.scorer, ast.Ident)
    assert isinstance(second.scorer, ast.Check)
    assert (
        first.weight.text if first.weight else None,
        second.negated,
        second.alias.text if second.alias else None,
    ) == (
        "0.2",
        True,
        "b",
    )


def test_a_clause_keeps_a_number_below_zero_for_the_checker() -> None:
    node = clean('model a "b" { temperature -0.5 }')
    assert isinstance(node, ast.Model)
    assert node.clauses[0].value == ast.Number(26, 30, "-0.5")


def test_tools_may_be_dotted() -> None:
    node = clean("agent a { tools [b.c, d] }")
    assert isinstance(node, ast.Agent)
    names = node.clauses[0].value
    assert isinstance(names, ast.Names)
    assert [name.text for name in names.items] == ["b.c", "d"]


def test_a_test_block() -> None:
    node = clean(
        'test "t" for f { given { a: 1 }  w replies ["x"] when y  b.o returns 1 '
        'expect c  expect fails with "d" }'
    )
    assert isinstance(node, ast.Test)
    assert [(script.name.text, script.verb) for script in node.scripts] == [
        ("w", "replies"),
        ("b.o", "returns"),
    ]
    assert [
        (expect.condition is None, expect.code.plain if expect.code else None) for expect in node.expects
    ] == [
        (False, None),
        (True, "d"),
    ]


def test_a_test_is_given_once() -> None:
    _, found = parse_chunk('test "t" for f { given { a: 1 }  given { b: 2 } }')
    assert [error.code for error in found] == ["clause.duplicate"]


# --- flows ----------------------------------------------------------------------------------------------


def test_an_if_has_its_uncertain_and_its_else() -> None:
    (node,) = statements("if a { } uncertain below 0.9 { b() } else if c { } uncertain { } else { return d }")
    assert isinstance(node, ast.If)
    assert node.uncertain is not None
    assert node.uncertain.below is not None
    assert isinstance(node.otherwise, ast.If)
    assert isinstance(node.otherwise.otherwise, ast.Block)


def test_a_call_and_an_approval_may_stand_alone_and_be_bound() -> None:
    kinds = [
        type(node.step).__name__
        for node in statements('a()\nb.c()\ntry d()\napprove "e"\nf = approve "g" showing h')
    ]  # type: ignore[union-attr]
    assert kinds == ["Call", "Call", "Try", "Approve", "Approve"]


def test_steps() -> None:
    nodes = statements(
        "a = each x in xs at most 8 at once: f(x)\n"
        "b = each x in xs: try f(x) else []\n"
        'c = best of 3: f(x) picked by p "q"\n'
        "d = best of { f(x) g(x) } picked by p\n"
        "e = race { f(x) g(x) }\n"
        "h = try f(x) else { a: 1 }"
    )
    assert [type(node.step).__name__ for node in nodes] == ["Each", "Each", "Best", "Best", "Race", "Try"]  # type: ignore[union-attr]
    best = nodes[2].step  # type: ignore[union-attr]
    assert isinstance(best, ast.Best)
    assert best.count is not None
    assert len(best.calls) == 1


def test_a_switch_takes_words_and_texts() -> None:
    (node,) = statements('switch a(b).c { case in { } case Offer { } case "two words" { } uncertain { } }')
    assert isinstance(node, ast.Switch)
    assert [(case.label.text, case.quoted) for case in node.cases] == [
        ("in", False),
        ("Offer", False),
        ("two words", True),
    ]
    assert node.uncertain is not None


def test_a_loop_and_a_context() -> None:
    loop, scope = statements(
        'loop at most 5 times until a.b { c() } else { stop "d" }\nwith context { e: f } { g() }'
    )
    assert isinstance(loop, ast.Loop)
    assert isinstance(scope, ast.WithContext)
    assert (loop.at_most.text, loop.otherwise is not None, len(scope.value.pairs)) == ("5", True, 1)


# --- soft keywords --------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", [*WORDS, "Status", "If", "camelCase", "_x"])
def test_every_word_is_a_field_an_option_a_key_and_a_case(word: str) -> None:
    field = clean(f'type A {{ {word}: text "x" {word}: int {word}: "a" }}')
    assert isinstance(field, ast.Type)
    assert [item.name.text for item in field.fields] == [word] * 3
    options = clean(f'choice a(b) {{ options {{ {word} "x" {word} {word} }} }}')
    assert isinstance(options, ast.Decision)
    value = expression(f"{{ {word}: a.{word}, {word}: f(b).{word}, x: c.{word} }}")
    assert isinstance(value, ast.Object)
    assert [pair.key.text for pair in value.pairs] == [word, word, "x"]
    assert clean(f'provider p {{ headers {{ {word}: "x" }}  key env {word} }}')
    assert clean(f"flow f(x: text) {{ switch x {{ case {word} {{ }} }} }}")


FORMS = [
    "agent @ { model @  tools [@]  judges [@, @(@)] }",
    "agent a(@) { }",
    "agent a(hidden @: text, @: text) { }",
    "flow @(@: text = @, b: text) { }",
    "let @ = @ + [@ for @ in @ if @][@] and @.@ == @(@: @)",
    'let a = "{{ @ }} {{ @.x }}"',
    "flow f(x: text) { @ = @(@)\n  @.@()\n  @(@)\n  @ = @\n  @ = try @() }",
    "flow f(x: text) { a = each @ in @: @() b = best of { @() } picked by @\n  return @ }",
    "flow f(x: text) { parallel { @ = @()\n  @() } if @ { } switch @ { } }",
    "gate @(@) { target @  scorers { @  not @ as @ weight 1  @ }  judge @ }",
    'test "a" for @ { given { }  @ replies @  @ decides @ when @  expect @ }',
    "code judge @ { let @ = @  require @ else @  metrics { a: @ } }",
    'judge a { rate @  decide { @: condition "x" } }',
    'scorer @ equals "x"',
    'model @ "x" via @ { kind @  fallback [@] }',
    "suite @ for @ { checks [@] }",
]


@pytest.mark.parametrize("word", FREE)
def test_every_word_but_the_reserved_ones_is_a_name(word: str) -> None:
    found = {text: parse_chunk(text)[1] for text in (form.replace("@", word) for form in FORMS)}
    assert {text: errors for text, errors in found.items() if errors} == {}


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_a_reserved_word_is_no_name_and_the_message_offers_another(word: str) -> None:
    for text in (f"agent {word} {{ model a }}", f"flow f({word}: text) {{ }}", f"let {word} = 1"):
        node, found = parse_chunk(text)
        assert [error.code for error in found] == ["name.reserved"]
        assert f"`{word}`" in found[0].message
        assert found[0].help
        assert node is not None


@pytest.mark.parametrize("word", PRIMITIVES)
def test_a_shapes_word_is_a_name_as_well(word: str) -> None:
    node = clean(f"flow f({word}: {word}) -> {word} {{ {word} = {word}({word}) return {word} }}")
    assert isinstance(node, ast.Flow)
    assert isinstance(node.params[0].shape, ast.Primitive)


def test_a_keyword_ends_an_expression_where_a_clause_begins() -> None:
    node = clean("gate g(x) {\n  target x.target\n  pass when pass\n  combine any\n  unreadable pass\n}")
    assert isinstance(node, ast.Gate)
    assert [clause.keyword for clause in node.clauses] == ["target", "pass when", "combine", "unreadable"]


def test_a_name_that_is_a_statement_word_is_bound_and_called() -> None:
    nodes = statements(
        "loop = a()\nloop()\nloop at most 2 times { }\nparallel = b\nparallel { }\nrace = race { c() }"
    )
    assert [type(node).__name__ for node in nodes] == ["Bind", "Do", "Loop", "Bind", "Parallel", "Bind"]


# --- layout ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_newline_styles_change_nothing_but_offsets(program: Path, newline: str) -> None:
    text = program.read_text(encoding="utf-8")
    module = parse(Source("x", text.replace("\n", newline)))
    assert module.diagnostics == ()
    plain = parse(Source("x", text))
    assert [type(node) for item in module.items for node, _ in walk(item.node)] == [
        type(node) for item in plain.items for node, _ in walk(item.node)
    ]
    texts = [
        node.parts
        for item in module.items
        for node, _ in walk(item.node)
        if isinstance(node, ast.Text) and node.plain
    ]
    assert texts == [
        node.parts
        for item in plain.items
        for node, _ in walk(item.node)
        if isinstance(node, ast.Text) and node.plain
    ]


def test_tabs_are_white_space() -> None:
    assert clean('agent a {\n\tmodel\tb\n\tprompt\t"c"\n}\t')


@pytest.mark.parametrize("text", ["é😀\u2028\u2029\x0c\x85", "\u200b\u202e"])
def test_any_character_may_stand_in_texts_and_comments(text: str) -> None:
    node = clean(f'let a = "{text}" # {text}\n')
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, ast.Text)
    assert node.value.plain == text


def test_lines_may_break_where_nothing_asks_for_more() -> None:
    clean('agent a(\n  b: text,\n  c: text\n  )\n  -> D\n  "e"\n  {\n  tools [\n    f,\n    g,\n  ]\n}')
    clean("let a = b and\n  c\n  + d in\n  e\n  or f is not\n  G\n  or h\n  starts with\n  i")
    clean('code judge a {\n  require b\n    else "c"\n}')


def test_comments_alone_are_nothing() -> None:
    assert parse_chunk("# one\n\n  # two\n") == (None, ())


# --- modules --------------------------------------------------------------------------------------------


def test_a_modules_items_say_where_they_are() -> None:
    text = "# c\nlet a = 1\n\nlet b = = 2\n"
    module = parse(Source("x.judge", text))
    assert [(item.offset, item.text) for item in module.items] == [(0, "# c\nlet a = 1"), (15, "let b = = 2")]
    (found,) = module.diagnostics
    assert isinstance(found, Diagnostic)
    assert (found.path, text[found.start : found.end]) == ("x.judge", "=")
    assert found.start == text.rindex("=")


def test_a_parse_imports_neither_lark_nor_attrs() -> None:
    code = (
        "import sys; from judgeflow.dsl.parse import parse; from judgeflow.dsl.source import Source;"
        "parse(Source('x', 'let a = \"b {{ c }}\"'));"
        "heavy = ('lark', 'attrs', 'attr', 'trio', 'hashlib', 'judgeflow.dsl.mistakes.recover');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "text",
    [
        'let a = b not\n  in ["x"]',
        "let a = b is not\n  Job",
        'let a = b starts with\n  "x"',
        'let a = b ends with\n  "x"',
        'suite s for main {\n  cascade stop\n  cases "a.csv"\n}',
    ],
)
def test_a_word_that_is_a_part_of_another_may_end_its_line(text: str) -> None:
    assert clean(text) == clean(text.replace("\n", " "))


@pytest.mark.parametrize(
    "text",
    [
        "let a = not\n  b",
        "let a =\n  b",
        "let a = b.\n  c",
        'flow f() -> text {\n  stop\n    "x"\n}',
        "flow f() -> text {\n  x = with\n    context { turns 1 }\n}",
    ],
)
def test_a_word_that_needs_what_follows_may_not(text: str) -> None:
    _, found = parse_chunk(text)
    assert [error.severity for error in found][:1] == ["error"]
