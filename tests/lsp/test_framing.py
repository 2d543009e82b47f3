from __future__ import annotations

import random

from judgeflow.lsp.framing import MAX_HEADER, Frames, frame


def bodies(*pieces: bytes) -> list[bytes]:
    frames = Frames()
    return [body for piece in pieces for body in frames.feed(piece)]


def test_messages_cut_anywhere_come_out_whole_and_in_order() -> None:
    rng = random.Random(3)
    sent = [bytes(rng.choices(b'{}"\r\n abc\xc3', k=rng.randrange(40))) for _ in range(50)]
    stream = b"".join(map(frame, sent))
    cuts = sorted(rng.sample(range(len(stream)), 120))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert bodies(*pieces) == sent


def test_other_headers_capitals_and_bare_line_feeds_are_understood() -> None:
    stream = (
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH : 2\r\n\r\n{}"
        b"content-length:2\n\n[]"
    )
    assert bodies(stream) == [b"{}", b"[]"]


def test_a_header_without_a_usable_length_is_dropped() -> None:
    for damage in (b"Content-Length: x", b"Content-Length: -4", b"hello", b""):
        assert bodies(damage + b"\r\n\r\n", frame(b"{}")) == [b"{}"]


def test_a_length_past_all_reason_does_not_wait_for_its_bytes() -> None:
    assert bodies(b"Content-Length: 99999999999999999999\r\n\r\n", frame(b"{}")) == [b"{}"]


def test_reading_goes_on_after_any_amount_of_noise() -> None:
    noise = b"npm warn something\n" * 5000
    assert len(noise) > 3 * MAX_HEADER
    assert bodies(*(noise[at : at + 999] for at in range(0, len(noise), 999)), frame(b"{}")) == [b"{}"]


def test_noise_without_a_line_end_is_not_kept() -> None:
    frames = Frames()
    for _ in range(100):
        assert list(frames.feed(b"x" * 4096)) == []
    assert len(frames._buffer) <= MAX_HEADER + 4096
    assert list(frames.feed(b"\r\n\r\n" + frame(b"{}"))) == [b"{}"]
