"""Server-sent events from bytes cut anywhere, and bodies that may not grow without end."""

from __future__ import annotations

import gzip
import zlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeflow.runtime.providers.wire import EncodingError, Event, EventParser, Inflater, TooLargeError

STREAM = (
    b"\xef\xbb\xbf: comment\n\nevent: ping\ndata: {}\n\ndata:one\r\ndata: two\r\n\r\n"
    b"id: 7\nretry: 5\ndata: a\xe2\x80\xa8b\r\rdata: last"
)
EVENTS = [Event(b"{}", b"ping"), Event(b"one\ntwo"), Event(b"a\xe2\x80\xa8b"), Event(b"last")]


def parsed(chunks: list[bytes]) -> list[Event]:
    parser = EventParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return events + parser.end()


def test_comments_names_and_every_line_end_are_read() -> None:
    assert parsed([STREAM]) == EVENTS


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_case_101_where_the_bytes_are_cut_changes_nothing(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    assert parsed([STREAM[a:b] for a, b in pairwise(places)]) == EVENTS


def test_case_101_byte_by_byte() -> None:
    assert parsed([bytes([byte]) for byte in STREAM]) == EVENTS


def test_an_event_without_data_is_none() -> None:
    assert parsed([b"event: ping\n\n\n\ndata\n\n"]) == []


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_compressed_bodies_are_read_in_pieces(pack) -> None:
    packed = pack(b"hello " * 1000)
    inflater = Inflater("gzip" if pack is gzip.compress else "deflate", 6000)
    assert b"".join(inflater.feed(packed[at : at + 5]) for at in range(0, len(packed), 5)) == b"hello " * 1000


def test_u42_a_bomb_never_unfolds_past_the_limit() -> None:
    inflater = Inflater("gzip", 1000)
    with pytest.raises(TooLargeError):
        inflater.feed(gzip.compress(b"x" * 10_000_000))


def test_a_plain_body_is_counted_too() -> None:
    inflater = Inflater("", 10)
    assert inflater.feed(b"x" * 10) == b"x" * 10
    with pytest.raises(TooLargeError):
        inflater.feed(b"x")


def test_bytes_that_are_not_what_they_say_are_refused() -> None:
    with pytest.raises(EncodingError):
        Inflater("gzip", 10).feed(b"not gzip at all")
    with pytest.raises(EncodingError):
        Inflater("br", 10)
