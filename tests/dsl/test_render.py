"""How a diagnostic looks: frames, labels, long lines, wide and dangerous characters."""

from __future__ import annotations

import pytest

from judgeflow.dsl.diagnostics import Diagnostic, Label
from judgeflow.dsl.printable import clean, displayed, measure
from judgeflow.dsl.render import render
from judgeflow.dsl.source import Source

ESCAPE = "\x1b"


def shown(text: str, *places: tuple[str, str], help: str = "", color: bool = False) -> list[str]:
    """A message about the first of the places (a stretch of the text, and what is said there), its head left out."""
    spans = [(text.index(part), text.index(part) + len(part), words) for part, words in places]
    start, end, label = spans[0]
    found = Diagnostic(
        "a.b", "error", "Wrong", start, end, "x.judge", label, tuple(Label(*span) for span in spans[1:]), help
    )
    return render(found, {"x.judge": Source("x.judge", text)}, color=color).split("\n")[1:]


def test_the_head_says_what_and_where() -> None:
    found = Diagnostic("flow.unbound", "error", "`x` has no value", 4, 5, "main.judge")
    lines = render(found, {"main.judge": Source("main.judge", "abc\nxyz")}).split("\n")
    assert lines[0] == "error[flow.unbound]: `x` has no value"
    assert lines[1] == "   ╭─ main.judge:2:1"


def test_one_place_is_underlined_with_its_words() -> None:
    assert shown("let a = b", ("b", "here")) == ["   ╭─ x.judge:1:9", " 1 │ let a = b", "   │         ^ here"]


def test_two_places_of_one_line_are_joined_by_strokes() -> None:
    assert shown("alpha beta gamma", ("alpha", "one"), ("gamma", "three"), ("beta", "two"))[1:] == [
        " 1 │ alpha beta gamma",
        "   │ ^^^^^ ──── ───── three",
        "   │ │     two",
        "   │ one",
    ]


def test_lines_between_are_left_out_but_never_a_single_one() -> None:
    lines = shown("a\n2\nb\n4\n5\n6\nc", ("a", ""), ("b", ""), ("c", ""))
    assert [line[:4].strip(" │") for line in lines[1:]] == ["1", "", "2", "3", "", "·", "7", ""]


def test_a_place_over_several_lines_has_a_bar() -> None:
    text = "loop {\n  a\n  b\n}\n"
    assert shown(text, ("loop {\n  a\n  b\n}", "all of it"))[1:] == [
        " 1 │ ╭ loop {",
        " 2 │ │   a",
        " 3 │ │   b",
        " 4 │ ╰ }",
        "   │   ^ all of it",
    ]


def test_a_long_place_shows_its_ends() -> None:
    text = "\n".join(f"line{number}" for number in range(30))
    lines = shown(text, (text, "long"))
    assert [line.split("│")[0].strip() for line in lines[1:]] == ["1", "2", "·", "29", "30", ""]


def test_a_place_in_another_file_has_a_frame_of_its_own() -> None:
    found = Diagnostic("a.b", "error", "Wrong", 0, 1, "x.judge", "", (Label(2, 3, "there", "y.judge"),))
    sources = {"x.judge": Source("x.judge", "a"), "y.judge": Source("y.judge", "\n\nb")}
    assert render(found, sources).split("\n")[3:] == [
        "   │ ^",
        "   ├─ y.judge:3:1",
        " 3 │ b",
        "   │ ─ there",
    ]
    assert "   ├─ y.judge" in render(found, {"x.judge": sources["x.judge"]}).split("\n")


def test_an_empty_place_and_one_past_the_end_are_still_marked() -> None:
    found = Diagnostic("a.b", "error", "Wrong", 3, 3, "x.judge", "end")
    assert render(found, {"x.judge": Source("x.judge", "abc")}).endswith("\n   │    ^ end")
    assert "^" in render(
        Diagnostic("a.b", "error", "Wrong", 99, 120, "x.judge"), {"x.judge": Source("x.judge", "")}
    )


def test_numbers_of_lines_are_as_wide_as_the_widest() -> None:
    text = "first\n" * 99 + "last"
    lines = shown(text, ("last", ""), ("first", ""))
    assert lines[0] == "     ╭─ x.judge:100:1"
    assert lines[1] == "   1 │ first"


def test_help_stands_below_and_long_lines_of_it_are_broken_but_code_is_not() -> None:
    help = f"{'word ' * 30}\n  {'code ' * 30}".rstrip()
    lines = shown("a", ("a", ""), help=help)
    assert lines[3:5] == ["   │", f"   = {('word ' * 19).strip()}"]
    assert lines[-1] == f"       {('code ' * 30).strip()}"


def test_tabs_are_spaces_and_wide_characters_count_twice() -> None:
    assert shown("\ta\tb", ("b", "here"))[1:] == [" 1 │     a   b", "   │         ^ here"]
    assert shown("漢字 = é\u0301x", ("x", "here"))[1:] == [" 1 │ 漢字 = é\u0301x", "   │         ^ here"]
    assert shown("漢字", ("字", "here"))[2] == "   │   ^^ here"


def test_a_very_long_line_is_shown_around_its_place() -> None:
    lines = shown("a" * 5000 + "XYZ" + "b" * 5000, ("XYZ", "here"))
    assert max(map(len, lines)) < 140
    assert lines[1].startswith(" 1 │ …aaa")
    assert lines[1].endswith("bbb…")
    assert lines[1].index("XYZ") == lines[2].index("^^^")


def test_what_could_move_the_cursor_is_shown_and_never_sent() -> None:
    text = f"a{ESCAPE}[31m\u202eb\x9bc\x07\x7f"
    rendered = "\n".join(shown(text, ("b", f"a{ESCAPE}label"), help=f"help{ESCAPE}[2J"))
    assert not any(character in rendered for character in (ESCAPE, "\u202e", "\x9b", "\x07", "\x7f"))
    assert "a␛[31m<U+202E>b<U+009B>c␇␡" in rendered


def test_every_line_is_in_color_only_where_it_was_asked_for() -> None:
    text = "let a = b"
    assert not any(ESCAPE in line for line in shown(text, ("b", "here"), ("a", "there")))
    colored = render(Diagnostic("a.b", "warning", "W", 0, 1, "x"), {"x": Source("x", "a")}, color=True)
    assert f"{ESCAPE}[1;33mwarning[a.b]{ESCAPE}[0m" in colored


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("abc", 3),
        ("\t", 4),
        ("a\tb", 5),
        ("漢", 2),
        ("e\u0301", 1),
        ("\u200b", 8),
        ("👍", 2),
        ("", 0),
        ("\x00", 1),
    ],
)
def test_a_text_is_as_wide_as_it_is_displayed(text: str, columns: int) -> None:
    assert measure(text) == columns


def test_line_separators_of_other_alphabets_do_not_break_a_line() -> None:
    assert displayed("a\u2028b\x85c\x0cd") == "a<U+2028>b<U+0085>c␌d"
    assert clean("two\nlines") == "two\nlines"
