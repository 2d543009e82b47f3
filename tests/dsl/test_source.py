"""Where a file's lines end, and what bytes that are no text are told."""

from judgeflow.dsl.diagnostics import Diagnostic
from judgeflow.dsl.source import Source, decode


def test_lines_end_at_every_newline_style_and_nowhere_else() -> None:
    source = Source("x", "a\nb\r\nc\rd\u2028e\x0cf\x0bg\x85h")
    assert [source.line_text(number) for number in range(1, 6)] == [
        "a",
        "b",
        "c",
        "d\u2028e\x0cf\x0bg\x85h",
        "",
    ]
    assert source.position(source.text.index("e")) == (4, 3)


def test_positions_count_code_points_from_one_and_stay_inside_the_text() -> None:
    source = Source("x", "😀b\nc")
    assert source.position(1) == (1, 2)
    assert source.position(3) == (2, 1)
    assert source.position(-5) == (1, 1)
    assert source.position(99) == (2, 2)


def test_a_byte_order_mark_is_removed() -> None:
    source = decode("x", "\ufefflet a = 1".encode())
    assert isinstance(source, Source)
    assert source.text == "let a = 1"


def test_newlines_are_kept_as_typed() -> None:
    source = decode("x", b"a\r\nb\rc\n")
    assert isinstance(source, Source)
    assert source.text == "a\r\nb\rc\n"


def test_invalid_utf8_is_an_error_with_the_bytes_position() -> None:
    found = decode("bad.judge", 'let a = "é"\nlet b = "'.encode() + b"\xff\xfe")
    assert isinstance(found, Diagnostic)
    assert (found.code, found.severity, found.path) == ("syntax.encoding", "error", "bad.judge")
    assert "Byte 22" in found.message
    assert "line 2, column 10" in found.message
    assert found.start == 21


def test_utf16_is_named() -> None:
    found = decode("x", "let a = 1".encode("utf-16"))
    assert isinstance(found, Diagnostic)
    assert "UTF-16" in found.help
