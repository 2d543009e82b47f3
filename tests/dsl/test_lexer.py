"""Words are read whole, numbers and texts become nodes, and white space counts in four places only."""

import pytest

from judgeflow.dsl import ast
from judgeflow.dsl.syntax.lalr import load_grammar
from judgeflow.dsl.syntax.lexer import LINE_END, RESERVED, Lexed


def lex(text: str) -> Lexed:
    return load_grammar().lexer.lex(text)


def names(text: str) -> list[str]:
    terminals = load_grammar().tables.terminals
    return [terminals[kind % LINE_END] for kind in lex(text).kinds[:-1]]


def spellings(text: str) -> list[str]:
    spans = [(v.start, v.end) if isinstance(v, ast.Node) else v[:2] for v in lex(text).values[:-1]]
    return [text[start:end] for start, end in spans]


def test_words_are_whole() -> None:
    assert names("retries3 retries modelled model") == ["NAME", "RETRIES", "NAME", "MODEL"]
    assert names("Model text texts json") == ["TYPENAME", "PRIM", "NAME", "PRIM"]


def test_marks_and_their_places() -> None:
    text = "a->b == [] .. {x:1} != <= >= | ?"
    assert spellings(text) == [
        "a",
        "->",
        "b",
        "==",
        "[]",
        "..",
        "{",
        "x",
        ":",
        "1",
        "}",
        "!=",
        "<=",
        ">=",
        "|",
        "?",
    ]


def test_a_bracket_that_touches_calls_or_indexes() -> None:
    assert names("f(x)") == ["NAME", "TLP", "NAME", "RPAR"]
    assert names("f (x)") == ["NAME", "LPAR", "NAME", "RPAR"]
    assert names("xs[0]")[1] == names("f()[0]")[3] == names("xs[0][1]")[4] == "TLSQB"
    assert names("xs [0]")[1] == "LSQB"
    assert names("Job[]")[1] == "EMPTY"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a - b", ["NAME", "MINUS", "NAME"]),
        ("a-b", ["NAME", "MINUS", "NAME"]),
        ("a -b", ["NAME", "NEG", "NAME"]),
        ("a- b", ["NAME", "MINUS", "NAME"]),
        ("-b", ["NEG", "NAME"]),
    ],
)
def test_a_minus_is_a_sign_where_only_its_left_is_blank(text: str, kinds: list[str]) -> None:
    assert names(text) == kinds


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("3", ast.Number(0, 1, "3")),
        ("200_000", ast.Number(0, 7, "200000")),
        ("0.25", ast.Number(0, 4, "0.25")),
        ("1e-3", ast.Number(0, 4, "1e-3")),
        ("$0.50", ast.Money(0, 5, "0.50")),
        ("$1_000", ast.Money(0, 6, "1000")),
        ("200ms", ast.Duration(0, 5, 0.2)),
        ("700ms", ast.Duration(0, 5, 0.7)),
        ("30s", ast.Duration(0, 3, 30)),
        ("1.5m", ast.Duration(0, 4, 90)),
        ("2h", ast.Duration(0, 2, 7200)),
        ("1d", ast.Duration(0, 2, 86400)),
        ('"a b"', ast.Text(0, 5, ("a b",))),
        ('""', ast.Text(0, 2, ())),
        ('"{ a }"', ast.Text(0, 7, ("{ a }",))),
        ('r"\\d{{"', ast.Text(0, 7, ("\\d{{",), raw=True)),
        ("r'\"'", ast.Text(0, 4, ('"',), raw=True)),
        ('r""', ast.Text(0, 3, (), raw=True)),
    ],
)
def test_literals_become_nodes(text: str, node: ast.Node) -> None:
    assert lex(text).values[0] == node


def test_a_range_is_no_decimal() -> None:
    assert spellings("1..120 ..5 0..") == ["1", "..", "120", "..", "5", "0", ".."]


@pytest.mark.parametrize(
    "text", ["5x", "1.", "1_000_x", "$5x", "3.4.5", "§", "@", "'", "\u00a0", "\u2028", "\x00"]
)
def test_what_no_token_starts_with_is_kept_aside(text: str) -> None:
    assert [token[2] for token in lex(f"a {text} b").others] == [text]


@pytest.mark.parametrize(
    ("text", "kind"), [("a && b", "AND"), ("a || b", "OR"), ("'a'", "TEXT"), ("“a”", "TEXT")]
)
def test_what_another_language_writes_is_understood(text: str, kind: str) -> None:
    assert kind in names(text)
    assert len(lex(text).others) == 1


def test_comments_and_line_ends_are_gaps() -> None:
    text = "a # one\n  # two\r\n\r b # three"
    lexed = lex(text)
    assert spellings(text) == ["a", "b"]
    assert [text[start:end] for start, end in lexed.gaps] == ["# one\n  # two\r\n\r ", "# three"]


def test_a_hash_in_a_text_is_no_comment() -> None:
    assert names('"a # b" c') == ["TEXT", "NAME"]


def test_a_keyword_that_ends_its_line_is_marked() -> None:
    kinds = lex("model\n x =\n y.\n z and\n true\n").kinds
    assert [kind >= LINE_END for kind in kinds] == [
        True,
        False,
        True,
        False,
        True,
        False,
        False,
        False,
        False,
    ]


def test_a_text_with_escapes_or_templates_is_scanned() -> None:
    text = r'a "x \" {{ f("}}") }} y" b'
    lexed = lex(text)
    ((index, scan),) = lexed.scans
    assert (index, text[scan.start : scan.end]) == (1, r'"x \" {{ f("}}") }} y"')
    assert [text[start:end] for start, end in scan.templates] == [' f("}}") ']
    assert names(text) == ["NAME", "TEXT", "NAME"]


def test_part_of_a_text_is_lexed_with_its_own_offsets() -> None:
    lexed = load_grammar().lexer.lex('"{{ a.b }}"', 3, 8)
    assert lexed.values == [(4, 5, "a"), (5, 6, "."), (6, 7, "b"), (8, 8, "")]


def test_the_reserved_words_are_the_32_of_the_language() -> None:
    assert len(RESERVED) == 32
    assert {"always", "stop", "weight", "matches"} <= RESERVED
    assert set(load_grammar().lexer.vocabulary.words) >= RESERVED
