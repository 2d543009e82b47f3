"""Files that nobody should send, through everything that reads them: findings come back, no crash and no hang."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from judgeflow.dsl.format import format_source
from judgeflow.dsl.passes import load
from judgeflow.dsl.render import render

MEGABYTE = 1_000_000
DEEP = 5_000
SECONDS = 20.0
"""What a hang would exceed; the slowest of these takes less than two."""


def codes(data: bytes | str) -> list[str]:
    """The errors of a file, each of which can be shown."""
    encoded = data.encode() if isinstance(data, str) else data
    began = time.monotonic()
    checked = load("main.judge", lambda path: encoded if path.endswith("main.judge") else None)
    for found in checked.diagnostics[:20]:
        assert render(found, checked.sources)
    assert time.monotonic() - began < SECONDS
    return [found.code for found in checked.diagnostics if found.severity == "error"]


def agent(number: int) -> str:
    return f'agent a{number} {{ model "openai/some"  prompt "Write {number}." }}\n'


LARGE: dict[str, Callable[[int], str]] = {
    "many_declarations": lambda size: "".join(map(agent, range(size // 55))),
    "one_long_text_block": lambda size: 'let a = """\n' + "  line\n" * (size // 7) + '  """\n',
    "one_long_line": lambda size: f'let a = "{"x" * size}"\n',
    "comments": lambda size: "# a comment\n" * (size // 12),
    "white_space": lambda size: " \n" * (size // 2),
    "one_long_list": lambda size: "let a = [" + "1, " * (size // 3) + "]\n",
    "templates": lambda size: 'let a = "' + "{{ b }}" * (size // 7) + '"\nlet b = "x"\n',
}
LARGE_AND_WRONG: dict[str, Callable[[int], str]] = {
    "brackets": lambda size: "(" * size,
    "quotes": lambda size: '"' * size,
    "one_word": lambda size: "x" * size,
    "one_long_sum": lambda size: "let a = " + "1 + " * (size // 4) + "1\n",
    "open_braces": lambda size: "let a = " + "{{ " * (size // 3),
    "broken_declarations": lambda size: "agent {\n" * (size // 8),
    "blocks_at_column_0": lambda size: "agent a {\n" + '  prompt """\nx\n"""\n' * (size // 19) + "}\n",
    "one_wide_union": lambda size: "type A { a: " + "B | " * (size // 4) + "int }\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LARGE)
def test_a_megabyte_is_read(kind: str) -> None:
    assert codes(LARGE[kind](MEGABYTE)) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", LARGE_AND_WRONG)
def test_a_megabyte_of_nonsense_is_told_in_few_findings(kind: str) -> None:
    assert 0 < len(codes(LARGE_AND_WRONG[kind](MEGABYTE))) <= 300


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*LARGE, *LARGE_AND_WRONG])
def test_what_is_long_is_laid_out(kind: str) -> None:
    text = (LARGE | LARGE_AND_WRONG)[kind](MEGABYTE // 10)
    formatted = format_source(text)
    assert format_source(formatted) == formatted


@pytest.mark.parametrize(
    "text",
    [
        "let a = " + "(" * DEEP + "1" + ")" * DEEP,
        "let a = " + "[" * DEEP + "]" * DEEP,
        "let a = " + "{ b: " * DEEP + "1" + " }" * DEEP,
        "flow main(x: text) { " + "if true { " * DEEP + "}" * DEEP + " }",
        "flow main(x: text) { " + "with context { a: 1 } { " * DEEP + "}" * DEEP + " }",
        'let a = "' + '{{ "' * DEEP + "x" + '" }}' * DEEP + '"',
        "type A = " + "(" * DEEP + "text" + ")[]" * DEEP,
        "agent " * DEEP,
    ],
    ids=lambda text: text[:24],
)
def test_five_thousand_levels_are_an_error_and_no_crash(text: str) -> None:
    assert codes(text + "\n")
    assert format_source(text)


@pytest.mark.parametrize(
    ("data", "position"),
    [
        (b'let a = "\xff"\n', "Byte 9 of this file (line 1, column 10)"),
        (b'let a = "x"\nlet b = "\xc3("\n', "Byte 21 of this file (line 2, column 10)"),
        ("let a = \"ü\"\n".encode("latin-1"), "Byte 9 of this file (line 1, column 10)"),
        ("let a = 1\n".encode("utf-16"), "Byte 0 of this file (line 1, column 1)"),
    ],
)  # fmt: skip
def test_bytes_that_are_no_utf8_are_told_with_their_place(data: bytes, position: str) -> None:
    checked = load("main.judge", lambda path: data if path.endswith("main.judge") else None)
    (found,) = checked.diagnostics
    assert (found.code, found.severity) == ("syntax.encoding", "error")
    assert found.message == f"{position} is not valid UTF-8"
    assert "UTF-8" in found.help


PROGRAM = """\
# ein Kommentar mit Umlauten: äöü, 日本語, 😀
model small "openai/some"

agent writer {
\tmodel small
\tprompt "\u2028 stands in a text, as \x85 and \x0c do: 😀"
}
flow main(x: text) -> text { return writer("{{ x }} \u2029") }
test "t" for main { given { x: "😀" }  writer replies "日本"  expect len(result) == 2 }
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_every_newline_a_mark_tabs_and_any_character_are_read(newline: str, mark: str) -> None:
    text = mark + PROGRAM.replace("\n", newline)
    assert codes(text) == []
    formatted = format_source(text.removeprefix("\ufeff"))
    assert format_source(formatted) == formatted
    assert "\u2028 stands in a text, as \x85 and \x0c do: 😀" in formatted


def test_places_after_wide_characters_are_right() -> None:
    checked = load(
        "main.judge", lambda path: b'let a = "\xf0\x9f\x98\x80" + nope\n' if "main" in path else None
    )
    (found,) = [each for each in checked.diagnostics if each.code == "name.unknown"]
    assert checked.sources[found.path].position(found.start) == (1, 15)


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"\x00", b"\x00" * 1000, b"\r", b"\t"])
def test_next_to_nothing_is_read(data: bytes) -> None:
    assert set(codes(data)) <= {"syntax.character", "syntax.unknown-declaration"}
