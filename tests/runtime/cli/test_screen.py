"""What a command shows of a run: the answer as soon as it is kept, once."""

from __future__ import annotations

import argparse
import io
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judgeflow.runtime.cli.screen import Screen
from judgeflow.runtime.program import Result
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, opened

SOURCE = """
model big "fake/big"
model small "fake/small"
memory { history 10  compact every 1 keep 2 with small }
agent writer(topic: text) { model big }
flow main(text: text) -> text { return writer(text) }
"""


def arguments(**given: Any) -> argparse.Namespace:
    plain = dict.fromkeys(("json", "events", "quiet", "cache"), False)
    return argparse.Namespace(**{**plain, "model": [], **given})


async def shown(path: Path, screen: Screen, small: Model) -> Result:
    async with opened(SOURCE, {"big": Model("hello"), "small": small}, store=path) as session:
        result = await session.run("a", hooks=screen.hooks("test", None))
    screen.result(result)
    return result


@pytest.mark.parametrize(
    ("given", "before"), [({}, "hello\n"), ({"quiet": True}, "hello\n"), ({"json": True}, "")]
)
async def test_the_answer_is_there_before_its_thread_is_summed_up(
    tmp_path: Path, given: dict[str, bool], before: str
) -> None:
    out = io.StringIO()
    seen: list[str] = []

    def summary(request: Any) -> str:
        seen.append(out.getvalue())
        return "They greeted."

    await shown(tmp_path / "terns.sqlite", Screen(arguments(**given), out), Model(summary))
    assert seen == [before]
    assert out.getvalue().count("\n") == 1


async def test_a_summary_that_fails_loses_no_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = io.StringIO()
    result = await shown(tmp_path / "terns.sqlite", Screen(arguments(), out), Model(""))
    assert (result.status, out.getvalue()) == ("answered", "hello\n")
    assert capsys.readouterr().err.splitlines()[-2].startswith("memory: ")


async def test_an_answer_that_could_not_be_printed_is_tried_again_at_the_end(tmp_path: Path) -> None:
    class Full(io.StringIO):
        full = True

        def write(self, text: str) -> int:
            if self.full:
                self.full = False
                raise OSError(28, "No space left on device")
            return super().write(text)

    out = Full()
    await shown(tmp_path / "terns.sqlite", Screen(arguments(), out), Model("They greeted."))
    assert out.getvalue() == "hello\n"


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupt_while_it_sums_up_keeps_the_answer_and_the_record(tmp_path: Path, times: int) -> None:
    command = "import sys; from judgeflow.runtime.cli import main; sys.exit(main())"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(20)
        (tmp_path / "chat.judge").write_text(
            f"""
provider silent {{ api openai  url "http://127.0.0.1:{silent.getsockname()[1]}/v1" }}
model big "echo/big"
model small "vendor/small" via silent {{ price $1 in, $1 out }}
memory {{ history 10  compact every 1 keep 2 with small }}
agent writer(topic: text) {{ model big }}
flow main(text: text) -> text {{ return writer(text) }}
""",
            encoding="utf-8",
        )
        with subprocess.Popen(
            [sys.executable, "-c", command, "chat.judge", "hello", "--grace", "100ms"],
            cwd=tmp_path,
            env={**os.environ, "TERN_DB": str(tmp_path / "terns.sqlite")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            asked, _ = silent.accept()
            assert process.stdout is not None
            assert process.stdout.readline() == "hello\n"
            for _ in range(times):
                process.send_signal(signal.SIGINT)
            assert process.wait(10) == 0
            _, err = process.communicate()
            asked.close()
    assert "memory: " in err
    with Store.read(tmp_path / "terns.sqlite") as store:
        (head,) = store.list_terns()
        tern = store.get(head.id)
    assert (tern.status, tern.answer) == ("answered", "hello")
    assert (tern.steps[-1].kind, tern.steps[-1].status) == ("memory", "cancelled")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environ", "codes"), [({}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1", "TERM": "dumb"}, False)]
)
async def test_a_terminal_that_knows_no_codes_gets_none(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], codes: bool
) -> None:
    for name, value in {"TERM": "xterm", "NO_COLOR": "", **environ}.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    screen = Screen(arguments(), io.StringIO())
    async with opened(SOURCE, {"big": Model("hello"), "small": Model("x")}) as session:
        await session.run("a", hooks=screen.hooks("test", None))
    assert ("\x1b[" in terminal.getvalue()) is codes
