"""How fast a language server is on a long file, ours beside ruff's and BAML's in the same run.

    python benchmarks/editor.py [--lines 10000] [--keys 500] [--long 100000] [--only judge]

Each server is a process that a bare client talks to over two pipes. Every key stroke is a text that was never there
before; the next one follows when the diagnostics of the last have come. Words are typed into a text and into a
statement, a name is misspelt, so that one of hundreds is suggested, a declaration is named otherwise, so that others
miss it, and a new line is written. Behind a word it is taken back, unmeasured, and the next is typed in another
declaration. Peers are left out where they are not installed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from editor_client import Message, NoAnswerError, PipeClient
from editor_texts import Place, Sample, Typing, baml_sample, judge_sample, python_sample

from judgeflow.lsp.testing import COMMAND, changing, replacing
from judgeflow.lsp.uris import to_uri

PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
BURST = 200
LONGEST = 120.0
"""Seconds after which a server is given up."""
PAUSE = 0.002
"""Seconds between two keys."""


class Server(NamedTuple):
    name: str
    command: Sequence[str]
    language: str
    file: str
    sample: Callable[[int], Sample]
    quick: bool = True
    """Whether it is worth waiting for hundreds of its answers."""


class Session:
    """One server with one file open. A server that takes whole texts alone is sent whole texts."""

    def __init__(self, client: PipeClient, uri: str, text: str, *, whole: bool) -> None:
        self.client = client
        self.uri = uri
        self.version = 1
        self.lines = text.split("\n")
        self.whole = whole

    def diagnosed(self, message: Message) -> bool:
        """Whether these are the diagnostics of the text; of this version, where the server says which."""
        return (
            message.get("method") == "textDocument/publishDiagnostics"
            and message["params"]["uri"] == self.uri
            and message["params"].get("version") in (None, self.version)
        )

    def open(self, language: str) -> float:
        document = {"uri": self.uri, "languageId": language, "version": 1, "text": "\n".join(self.lines)}
        began = time.perf_counter()
        self.client.notify("textDocument/didOpen", {"textDocument": document})
        self.client.wait_for(self.diagnosed)
        return time.perf_counter() - began

    def change(self, message: Message) -> float:
        """Seconds from an edit to its diagnostics."""
        self.client.drop()
        began = time.perf_counter()
        self.client.send(message)
        self.client.wait_for(self.diagnosed)
        return time.perf_counter() - began

    def edited(self, start: Place, end: Place, text: str) -> Message:
        """The message that puts a text in place of what stands between two places."""
        self.version += 1
        before, behind = self.lines[start[0]][: start[1]], self.lines[end[0]][end[1] :]
        self.lines[start[0] : end[0] + 1] = f"{before}{text}{behind}".split("\n")
        change = {"text": "\n".join(self.lines)} if self.whole else replacing(start, end, text)
        return changing(self.uri, self.version, change)

    def type(self, typing: Typing, count: int) -> list[float]:
        """Seconds from each key to its diagnostics. What was typed at a place is taken back, unmeasured."""
        took: list[float] = []
        for start in typing.places:
            at = start
            for key in typing.keys:
                took.append(self.change(self.edited(at, at, key)))
                at = (at[0] + 1, 0) if key == "\n" else (at[0], at[1] + 1)
                time.sleep(PAUSE)
                if len(took) == count:
                    return took
            self.change(self.edited(start, at, ""))
        return took

    def round_trip(self, count: int) -> float:
        """Seconds of a request that asks nothing, at the median: what the streams and the client take."""
        took: list[float] = []
        for _ in range(count):
            began = time.perf_counter()
            self.client.request("judgeflow/nothing", {})
            took.append(time.perf_counter() - began)
            time.sleep(PAUSE)
        return statistics.median(took)

    def burst(self, place: Place) -> float:
        """Seconds from the first of many keys that nobody waits for to the diagnostics of the last."""
        line, column = place
        places = [(line, column + number) for number in range(BURST)]
        strokes = [self.edited(at, at, "x") for at in places]
        self.client.drop()
        began = time.perf_counter()
        for stroke in strokes:
            self.client.send(stroke)
        self.client.wait_for(
            lambda message: self.diagnosed(message) and message["params"].get("version") == self.version
        )
        return time.perf_counter() - began


def servers(folder: Path) -> Iterator[Server]:
    yield Server("judgeflow", COMMAND, "judge", "main.judge", judge_sample)
    ruff = shutil.which("ruff", path=PATH)
    if ruff is not None:
        yield Server("ruff", (ruff, "server"), "python", "main.py", python_sample)
    baml = shutil.which("baml-cli", path=PATH)
    if baml is not None:
        (folder / "baml_src").mkdir(exist_ok=True)
        yield Server(
            "BAML", (sys.executable, baml, "lsp"), "baml", "baml_src/main.baml", baml_sample, quick=False
        )


def measure(server: Server, folder: Path, lines: int, keys: int, *, long: bool) -> None:
    sample = server.sample(lines)
    file = folder / server.file
    file.write_text(sample.text, encoding="utf-8")
    uri, root = to_uri(str(file)), to_uri(str(folder))
    count = keys if server.quick else min(keys, 30)
    began = time.perf_counter()
    with PipeClient(server.command, began + LONGEST) as client:
        answer = client.request(
            "initialize",
            {
                "processId": None,
                "rootUri": root,
                "workspaceFolders": [{"uri": root, "name": "bench"}],
                "capabilities": {"workspace": {"workspaceFolders": True}},
            },
        )
        ready = time.perf_counter() - began
        client.notify("initialized", {})
        offered = answer["result"]["capabilities"]
        session = Session(client, uri, sample.text, whole=takes_whole_texts(offered))
        opened = session.open(server.language)
        print(f"{server.name}: {len(session.lines):,} lines")
        print(f"  started in {ready * 1e3:.0f} ms, opened in {opened * 1e3:.0f} ms")
        if server.quick:
            print(
                f"  round trip          p50 {session.round_trip(50) * 1e3:7.2f} ms   a request that asks nothing"
            )
        every: list[float] = []
        for typing in sample.typings[: 1 if long else None]:
            took = session.type(typing, count)
            every += took
            show(typing.what, took)
        if not long:
            show("all keys", every)
        if not long and server.quick:
            print(
                f"  burst of {BURST} keys   settled in {session.burst(sample.typings[0].places[-1]) * 1e3:.0f} ms"
            )
        print(f"  memory              {resident(client.process.pid):.0f} MB", flush=True)


def takes_whole_texts(offered: dict[str, Any]) -> bool:
    sync = offered.get("textDocumentSync")
    return (sync.get("change") if isinstance(sync, dict) else sync) == 1


def show(what: str, took: list[float]) -> None:
    found = sorted(one * 1e3 for one in took)
    p50, p99 = found[len(found) // 2], found[min(len(found) - 1, int(len(found) * 0.99))]
    print(f"  {what:<19} p50 {p50:7.2f} ms   p99 {p99:7.2f} ms   max {found[-1]:7.2f} ms   {len(found)} keys")


def resident(pid: int) -> float:
    """Megabytes of a process and of what it started; 0 where the system does not tell."""
    total = 0.0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            told = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:
            continue
        if pid in (int(told.get("Pid", 0)), int(told.get("PPid", 0))) and "VmRSS" in told:
            total += int(told["VmRSS"].split()[0]) / 1024
    return total


def run(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for server in servers(folder):
            if options.only and server.name != options.only:
                continue
            try:
                measure(server, folder, options.lines, options.keys, long=False)
            except (NoAnswerError, BrokenPipeError) as error:
                print(f"{server.name}: {error}")
        if options.long:
            ours = next(servers(folder))
            measure(ours, folder, options.long, min(options.keys, 200), long=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="language servers on long files")
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--keys", type=int, default=500)
    parser.add_argument("--long", type=int, default=100_000, help="lines of the longest file, 0 for none")
    parser.add_argument("--only", help="one server alone: judgeflow, ruff or BAML")
    run(parser.parse_args())


if __name__ == "__main__":
    main()
