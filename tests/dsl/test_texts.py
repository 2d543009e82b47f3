"""What a text is worth: escapes, dedenting, templates; and what is said about one that has no end."""

import random

import pytest

from judgeflow.dsl import ast
from judgeflow.dsl.parse import parse_chunk, read_path
from judgeflow.dsl.syntax.lalr import Stack, drive, load_grammar
from judgeflow.dsl.syntax.lexer import RESERVED
from judgeflow.dsl.syntax.texts import scan_block, scan_line, skip_template


def text_of(literal: str) -> ast.Text:
    node, found = parse_chunk(f"let a = {literal}")
    assert isinstance(node, ast.Constant)
    assert not found
    assert isinstance(node.value, ast.Text)
    return node.value


def problems(literal: str) -> list[str]:
    return [found.code for found in parse_chunk(f"let a = {literal}")[1]]


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        (r'"a\"b"', 'a"b'),
        (r'"\\ \n \t \r"', "\\ \n \t \r"),
        (r'"\u{1F600}\u{e9}\u{10FFFF}"', "😀é\U0010ffff"),
        (r'"\{ \{{ x }}"', "{ {{ x }}"),
        (r'"a { b } c"', "a { b } c"),
        ('"\t\u2028é😀"', "\t\u2028é😀"),
        (r'r"\n{{ x }}"', r"\n{{ x }}"),
        ("r'say \"x\"'", 'say "x"'),
        ('r"""\n  {"a": "\\d"}\n  """', '{"a": "\\d"}\n'),
    ],
)
def test_escapes(literal: str, value: str) -> None:
    assert text_of(literal).plain == value


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ('"""\n    a\n      b\n\n    c\n    """', "a\n  b\n\nc\n"),
        ('"""\n    a\n    b"""', "a\nb"),
        ('"""\n      a\n    b\n  """', "    a\n  b\n"),
        ('"""\n  a\n    """', "a\n"),
        ('"""one line"""', "one line"),
        ('"""first\n  second\n  """', "first\nsecond\n"),
        ('"""   \n  a\n  """', "a\n"),
        ('"""\n  a\n\n\n  """', "a\n\n\n"),
        ('"""\n  a  \n   \n  b\n  """', "a  \n\nb\n"),
        ('"""\n\ta\n\t\tb\n\t"""', "a\n\tb\n"),
        ('"""\n  say "hi" or ""\n  """', 'say "hi" or ""\n'),
        ('"""\n  a\\nb \\{{ c\n  """', "a\nb {{ c\n"),
        ('""""""', ""),
        ('"""\n  """', ""),
        ('"""\r\n  a\r\n  b\r\n  """', "a\nb\n"),
        ('"""\r  a\r  b\r  """', "a\nb\n"),
    ],
)
def test_a_block_loses_its_first_line_end_and_the_closing_lines_indent(literal: str, value: str) -> None:
    text = text_of(literal)
    assert text.plain == value
    assert text.block


def test_parts_alternate_between_literals_and_expressions() -> None:
    text = text_of(r'"to {{ a }}{{ b.c }}\n"')
    assert text.parts == (
        "to ",
        ast.Name(15, 16, "a"),
        ast.Field(22, 25, ast.Name(22, 23, "b"), ast.Ident(24, 25, "c")),
        "\n",
    )
    assert text.plain is None


def test_quotes_objects_and_texts_stand_in_a_template() -> None:
    text = text_of(
        '"{{ join(xs, ", ") }} {{ {a: {b: "}}"}} }} {{ upper("in {{ x }}") }} {{ f(r"\\}}", r\'"\') }}"'
    )
    assert [type(part).__name__ for part in text.parts] == [
        "Call",
        "str",
        "Object",
        "str",
        "Call",
        "str",
        "Call",
    ]


def test_a_template_in_a_block_may_span_lines_and_is_not_dedented() -> None:
    text = text_of(
        '"""\n    a {{ join(\n      xs,\n      "\n") }}\n    b {{ c }}\n    """'.replace('"\n"', '", "')
    )
    assert [part for part in text.parts if isinstance(part, str)] == ["a ", "\nb ", "\n"]


def test_spans_in_templates_count_from_the_declarations_start() -> None:
    source = 'let a = """\n  x {{ reply.name }}\n  """'
    node, _ = parse_chunk(source)
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, ast.Text)
    field = node.value.parts[1]
    assert isinstance(field, ast.Field)
    assert source[field.start : field.end] == "reply.name"


@pytest.mark.parametrize(
    "literal",
    [r'"\q"', r'"\u{110000}"', r'"\u{D800}"', r'"\u{}"', r'"\u41"', '"""\n  \\x\n  """', r'"\}"', r'"\/"'],
)
def test_an_unknown_escape_is_an_error_with_help(literal: str) -> None:
    _, found = parse_chunk(f"let a = {literal}")
    assert [error.code for error in found] == ["syntax.escape"]
    assert found[0].help


@pytest.mark.parametrize(
    ("literal", "start"),
    [
        ('"open', 8),
        ('"open \\', 8),
        ('"""\n  open', 8),
        ('r"""\n  open', 8),
        ('"x {{ a', 11),
        ('"x {{ a }', 11),
        ('"x {{ f("a) }}"', 11),
        ('"""\n  x {{ a\n  """', 16),
    ],
)
def test_what_is_never_closed_is_told_once_at_its_opening(literal: str, start: int) -> None:
    _, found = parse_chunk(f"let a = {literal}")
    assert [(error.code, error.start) for error in found] == [("syntax.unclosed", start)]


def test_an_empty_template_is_an_error() -> None:
    assert problems('"{{ }}"') == problems('"{{}}"') == ["syntax.missing-value"]


def test_a_mistake_in_a_template_is_told_like_one_in_code() -> None:
    _, found = parse_chunk('let a = "x {{ b c }} {{ (d }} {{ e. }}"')
    assert [error.code for error in found] == ["syntax.unexpected", "syntax.unclosed", "syntax.missing-value"]


@pytest.mark.parametrize(
    "declaration",
    [
        'let a = { "x {{ y }}": 1 }',
        'agent a { model "x/{{ y }}" }',
        'model a "b" { fallback ["x/{{ y }}"] }',
        'provider a { api b  headers { "X-{{ y }}": "z" } }',
        'flow f(x: text) { switch x { case "a {{ b }}" { } } }',
    ],
)
def test_a_template_that_names_something_is_not_lost_silently(declaration: str) -> None:
    assert [error.code for error in parse_chunk(declaration)[1]] == ["text.not-a-template"]


def test_lines_of_a_block_at_column_0_get_an_indenting_fix() -> None:
    source = 'agent a {\n  prompt """\nFind.\n# Title\n}\n  """\n  model b\n}'
    node, found = parse_chunk(source)
    assert [error.code for error in found] == ["syntax.unindented"]
    (fix,) = found[0].fixes
    for edit in reversed(fix.edits):
        source = source[: edit.start] + edit.text + source[edit.end :]
    assert source == 'agent a {\n  prompt """\n    Find.\n    # Title\n    }\n  """\n  model b\n}'
    assert isinstance(node, ast.Agent)
    assert len(node.clauses) == 2
    assert parse_chunk(source)[1] == ()


@pytest.mark.parametrize("seed", range(10))
def test_a_path_is_read_from_a_template_as_the_parser_reads_it(seed: int) -> None:
    chance = random.Random(seed)
    grammar = load_grammar()
    words = [
        *sorted(RESERVED),
        "x",
        "model",
        "text",
        "best",
        "_a1",
        "Thing",
        "r",
        "at",
        "é",
        "3",
        ".",
        ".",
        ".",
        " ",
        "\t",
        "\n",
    ]
    read = 0
    for _ in range(300):
        text = "".join(chance.choice([*words, "."]) for _ in range(chance.randrange(1, 6)))
        text = f"<{chance.choice(['', ' '])}{text}{chance.choice(['', ' '])}.x"
        stop = len(text) - 2
        path = read_path(text, 1, stop)
        if path is not None:
            read += 1
            stack = Stack([grammar.tables.starts["expression"]], [])
            assert drive(grammar, grammar.lexer.lex(text, 1, stop), stack), text
            assert stack.values[0] == path, text
    assert read > 10


@pytest.mark.parametrize("fields", [1, 20, 21, 199])
def test_a_chain_of_fields_in_a_template_may_be_long(fields: int) -> None:
    node = text_of(f'"{{{{ a{".b" * fields} }}}}"').parts[0]
    for _ in range(fields):
        assert isinstance(node, ast.Field)
        node = node.target
    assert node == ast.Name(12, 13, "a")


def test_a_chain_of_fields_in_a_template_that_is_too_long_is_an_error() -> None:
    assert problems(f'"{{{{ a{".b" * 201} }}}}"') == ["syntax.too-deep"]


@pytest.mark.parametrize("block", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_a_template_ends_where_stepping_over_all_that_is_in_it_ends(seed: int, block: bool) -> None:
    chance = random.Random(seed)
    marks = ["{{", "}}", "{", "}", '"', "'", "r'", "\\", "x", " ", "\n", "{{ x }}", "{{ f(x.y) }}"]
    found = 0
    for _ in range(300):
        mark = '"""' if block else '"'
        text = f"{mark}{''.join(chance.choices(marks, k=8))}{mark}"
        scan = scan_block(text, 0) if block else scan_line(text, 0)
        found += len(scan.templates)
        for start, end in scan.templates:
            assert skip_template(text, start - 2, 0, block) == end + 2, text
    assert found > 50
