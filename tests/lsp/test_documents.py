"""The text model against a naive re-read: the same text, lines and positions after any edits."""

from __future__ import annotations

import random

import pytest

from judgeflow.lsp import lines as line_index
from judgeflow.lsp.documents import Document
from judgeflow.lsp.lines import BLOCK, Lines, line_lengths
from judgeflow.lsp.positions import Encoding, choose_encoding
from judgeflow.lsp.wire import Change, Position, Range

PIECES = [
    "a",
    "judge x {",
    "\n",
    "\r\n",
    "\r",
    "\u2028",
    "\x85",
    "\x0c",
    "😋",
    "é",
    "日本",
    "\t",
    "  ",
    '"""',
    "\n\n",
]
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
UNIT = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def document(text: str, encoding: Encoding = "utf-16") -> Document:
    return Document("file:///a.judge", "/a.judge", 1, text, encoding)


def edit(at: tuple[int, int], to: tuple[int, int], text: str) -> Change:
    return Change(text, Range(Position(*at), Position(*to)))


def naive_lines(text: str) -> list[tuple[str, str]]:
    """Every line's text and its end, one character at a time."""
    lines, line, at = [], "", 0
    while at < len(text):
        if text[at] not in "\r\n":
            line += text[at]
            at += 1
            continue
        end = "\r\n" if text.startswith("\r\n", at) else text[at]
        lines.append((line, end))
        line = ""
        at += len(end)
    return [*lines, (line, "")]


def naive_offset(text: str, place: Position, encoding: Encoding) -> int:
    lines = naive_lines(text)
    if place.line >= len(lines):
        return len(text)
    codec, size = UNIT[encoding]
    before = sum(len(line) + len(end) for line, end in lines[: place.line])
    encoded = lines[place.line][0].encode(codec)[: place.character * size]
    return before + len(encoded.decode(codec, "ignore"))


def check_random_edits(seed: int, edits: int, encoding: Encoding) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choices(PIECES, k=rng.randrange(60)))
    live = document(text, encoding)
    for _ in range(edits):
        here = Position(rng.randrange(live.line_count + 2), rng.randrange(12))
        there = Position(max(0, here.line + rng.randrange(-1, 3)), rng.randrange(12))
        new = "".join(rng.choices(PIECES, k=rng.choice((0, 0, 1, 1, 2, 9))))
        live.apply(Change(new, Range(here, there)))
        start, end = sorted(naive_offset(text, place, encoding) for place in (here, there))
        text = text[:start] + new + text[end:]
        assert live.text == text
        fresh = document(text, encoding)
        assert live.line_count == fresh.line_count == len(naive_lines(text))
        offset = rng.randrange(len(text) + 1)
        other = rng.randrange(len(text) + 1)
        assert live.position(offset) == fresh.position(offset)
        assert live.range(offset, other) == Range(fresh.position(offset), fresh.position(other))
        assert live.offset(here) == naive_offset(text, here, encoding)
    assert [live.line_span(line) for line in range(live.line_count)] == [
        document(text).line_span(line) for line in range(live.line_count)
    ]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_random_edits_equal_a_full_re_read(encoding: Encoding) -> None:
    for seed in range(10):
        check_random_edits(seed, 50, encoding)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_ten_thousand_random_edits_equal_a_full_re_read(encoding: Encoding) -> None:
    for seed in range(100):
        check_random_edits(1000 + seed, 100, encoding)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_text_that_grows_and_shrinks_past_its_blocks_stays_right(end: str) -> None:
    rng = random.Random(7)
    text = end * (3 * BLOCK - 1) + "x"
    lines = Lines(text)
    for _ in range(150):
        start = rng.randrange(len(text) + 1)
        stop = min(len(text), start + rng.choice((0, 0, 1, 2, BLOCK, 3 * BLOCK)))
        new = "".join(rng.choices((end, "a", "\r", "\n", "bc"), k=rng.choice((0, 1, 2, BLOCK, 3 * BLOCK))))
        earlier, before = lines.snapshot, text
        lines.splice(start, stop, new)
        text = text[:start] + new + text[stop:]
        assert lines.snapshot.text == text
        assert earlier.text == before
        assert lines.length == len(text)
        spans = naive_spans(text)
        assert lines.starts() == [span[0] for span in spans]
        for line in {0, len(spans) - 1, *rng.choices(range(len(spans)), k=5)}:
            assert lines.span(line) == spans[line]
            assert lines.at(spans[line][0]) == (line, *spans[line])
        some = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        assert lines.slice(*some) == text[slice(*some)]


def test_an_edit_may_join_or_part_line_ends_where_blocks_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_index, "BLOCK", 2)
    rng = random.Random(11)
    ends = ("\n", "\r", "\r\n", "a", "\u2028")
    for _ in range(60):
        text = "".join(rng.choices(ends, k=rng.randrange(40)))
        lines = Lines(text)
        for _ in range(20):
            start = rng.randrange(len(text) + 1)
            stop = min(len(text), start + rng.choice((0, 0, 1, 2, 9)))
            new = "".join(rng.choices(ends, k=rng.choice((0, 1, 2, 9))))
            lines.splice(start, stop, new)
            text = text[:start] + new + text[stop:]
            spans = naive_spans(text)
            assert lines.snapshot.text == text
            assert [lines.span(line) for line in range(lines.count)] == spans
            assert [lines.at(span[0]) for span in spans] == [(line, *span) for line, span in enumerate(spans)]


def test_an_offset_before_or_behind_the_text_is_on_its_first_or_last_line() -> None:
    for text, last in (("", (0, 0, 0, 0)), ("a\nb", (1, 2, 3, 3))):
        assert Lines(text).at(-1) == Lines(text).at(0)
        assert Lines(text).at(len(text) + 1) == last


def naive_spans(text: str) -> list[tuple[int, int, int]]:
    spans, start = [], 0
    for line, end in naive_lines(text):
        spans.append((start, start + len(line), start + len(line) + len(end)))
        start += len(line) + len(end)
    return spans


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_only_line_feed_and_carriage_return_end_a_line(mark: str) -> None:
    live = document(f"a{mark}b\nc")
    assert live.line_count == 2
    assert live.offset(Position(1, 0)) == 4


@pytest.mark.parametrize("text", ["", "\n", "\r", "\r\n", "a\r\n\rb\n\n", "\n\r", "a"])
def test_line_lengths_agree_with_a_naive_reading(text: str) -> None:
    assert line_lengths(text) == [len(line) + len(end) for line, end in naive_lines(text)]


def test_positions_past_a_line_or_the_text_are_clamped() -> None:
    live = document("ab\r\ncd\n")
    assert live.offset(Position(0, 99)) == 2
    assert live.offset(Position(1, 99)) == 6
    assert live.offset(Position(99, 99)) == 7
    assert live.offset(Position(0, -3)) == 0
    assert live.offset(Position(-1, 5)) == 0
    assert live.position(3) == Position(0, 2)
    assert live.position(999) == Position(2, 0)


def test_a_range_the_wrong_way_round_is_the_same_range() -> None:
    live = document("one two")
    live.apply(edit((0, 7), (0, 4), "three"))
    assert live.text == "one three"


def test_two_halves_of_a_line_end_that_meet_become_one() -> None:
    live = document("a\rb\nc")
    assert live.line_count == 3
    live.apply(edit((1, 0), (1, 1), ""))
    assert live.text == "a\r\nc"
    assert live.line_count == 2
    assert live.offset(Position(1, 0)) == 3


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 15), ("utf-16", 13), ("utf-32", 12)])
def test_case_298_columns_after_a_character_outside_the_bmp(encoding: Encoding, column: int) -> None:
    text = 'judge x "😋" unknownKey'
    live = document(text, encoding)
    offset = text.index("unknownKey")
    assert offset == 12
    assert live.position(offset) == Position(0, column)
    assert live.offset(Position(0, column)) == offset


def test_a_column_inside_a_character_stands_for_its_start() -> None:
    assert document("a😋b", "utf-16").offset(Position(0, 2)) == 1
    assert document("a😋b", "utf-8").offset(Position(0, 3)) == 1


def test_half_a_surrogate_pair_becomes_a_replacement_of_the_same_width() -> None:
    live = document("a\ud83db")
    assert live.text == "a\ufffdb"
    live.apply(edit((0, 1), (0, 2), "\ude0a"))
    assert live.text == "a\ufffdb"


def test_the_first_known_encoding_of_the_client_is_taken() -> None:
    assert choose_encoding(["utf-7", "utf-32", "utf-8"]) == "utf-32"
    assert choose_encoding(["utf-8", "utf-16"]) == "utf-8"
    assert choose_encoding([]) == "utf-16"
    assert choose_encoding(None) == "utf-16"
