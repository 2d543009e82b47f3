"""Asking the person at the terminal: only yes and no are answers."""

from __future__ import annotations

import io
from typing import Any

import pytest
import trio

from judgeflow.runtime.cli.person import ask_on_terminal


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts what is typed into the terminal; gives what the screen shows."""
    monkeypatch.setenv("TERM", "xterm")

    def types(text: str) -> Terminal:
        screen = Terminal()
        monkeypatch.setattr("sys.stdin", Terminal(text))
        monkeypatch.setattr("sys.stderr", screen)
        return screen

    return types


@pytest.mark.parametrize(
    ("text", "answer", "asked"),
    [
        ("y\n", True, 1),
        (" YES \n", True, 1),
        ("no\n", False, 1),
        ("edit\nmaybe\nn\n", False, 3),
        ("", None, 1),
    ],
)
async def test_anything_but_yes_and_no_is_asked_again_and_the_end_of_the_input_leaves_it_waiting(
    typed: Any, text: str, answer: bool | None, asked: int
) -> None:
    screen = typed(text)
    approve = ask_on_terminal()
    assert approve is not None
    assert await approve("Pay \x1b[2Jit?", {"amount": 9}) is answer
    shown = screen.getvalue()
    assert shown.startswith('\r\x1b[2K{"amount":9}\nPay [2Jit? [y/n] ')
    assert shown.count("[y/n]") == asked


async def test_two_questions_at_once_are_asked_one_after_the_other(typed: Any) -> None:
    typed("y\nn\n")
    approve = ask_on_terminal()
    assert approve is not None
    answers: dict[str, bool | None] = {}

    async def ask(question: str) -> None:
        answers[question] = await approve(question, None)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask, "one")
        nursery.start_soon(ask, "two")
    assert sorted(answers.values(), key=str) == [False, True]


class Closing(Terminal):
    """A terminal that gives what is wrong with it instead of a line."""

    def __init__(self, *lines: str | Exception) -> None:
        super().__init__()
        self.lines = list(lines)

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        line = self.lines.pop(0)
        if isinstance(line, Exception):
            raise line
        return line


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        ((OSError(5, "Input/output error"),), None),
        ((UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "y\n"), True),
    ],
)
async def test_a_terminal_that_was_closed_leaves_it_waiting_and_what_is_no_text_is_no_answer(
    typed: Any, monkeypatch: pytest.MonkeyPatch, lines: tuple[str | Exception, ...], answer: bool | None
) -> None:
    screen = typed("")
    monkeypatch.setattr("sys.stdin", Closing(*lines))
    approve = ask_on_terminal()
    assert approve is not None
    assert await approve("Pay it?", None) is answer
    assert screen.getvalue().count("[y/n]") == len(lines)


def test_without_a_terminal_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert ask_on_terminal() is None
