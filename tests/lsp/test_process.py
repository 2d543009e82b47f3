"""The server as the process that an editor starts: what stands on its streams, and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from judgeflow.lsp.framing import frame
from judgeflow.lsp.testing import COMMAND, changing, replacing, started
from judgeflow.lsp.uris import to_uri

pytestmark = pytest.mark.slow
JRUN = (sys.executable, "-c", "import sys; from judgeflow.runtime.cli import main; sys.exit(main())", "lsp")
URI = "file:///w/main.judge"


async def drained(process: trio.Process) -> bytes:
    assert process.stderr is not None
    return b"".join([chunk async for chunk in process.stderr])


@pytest.mark.parametrize("command", [COMMAND, JRUN, (*JRUN, "--stdio", "--clientProcessId", "1")])
async def test_jrun_lsp_publishes_diagnostics_and_leaves_quietly(command: tuple[str, ...]) -> None:
    with trio.fail_after(20):
        async with started(command) as (process, client):
            await client.initialize()
            found = await client.open(URI, 'agent a {\n  model smal\n}\nmodel small "a/b"\n')
            assert [one["code"] for one in found["diagnostics"] if one["severity"] == 1] == ["name.unknown"]
            found = await client.change(URI, 2, replacing((1, 12), (1, 12), "l"))
            assert [one for one in found["diagnostics"] if one["severity"] == 1] == []
            await client.leave()
            assert await process.wait() == 0
            assert await drained(process) == b""


async def test_leaving_in_the_middle_of_work_is_quiet() -> None:
    with trio.fail_after(20):
        async with started() as (process, client):
            await client.initialize()
            big = "".join(f'model m{number} "a/b"\n' for number in range(20_000))
            document = {"uri": URI, "languageId": "judge", "version": 1, "text": big}
            place = {"textDocument": {"uri": URI}}
            await client.send(
                {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}},
                client.asking("textDocument/semanticTokens/full", place),
                client.asking("workspace/symbol", {"query": ""}),
                changing(URI, 2, replacing((0, 0), (0, 0), "#")),
                {"jsonrpc": "2.0", "id": "last", "method": "shutdown"},
                {"jsonrpc": "2.0", "method": "exit"},
            )
            assert await process.wait() == 0
            assert await drained(process) == b""


async def test_exit_without_shutdown_and_a_closed_pipe_fail_quietly() -> None:
    with trio.fail_after(20):
        async with started() as (process, client):
            await client.initialize()
            await client.notify("exit")
            assert await process.wait() == 1
            assert await drained(process) == b""
        async with started() as (process, client):
            await client.initialize()
            await client.outgoing.aclose()
            assert await process.wait() == 1
            assert await drained(process) == b""


async def test_damage_on_the_wire_does_not_end_it() -> None:
    with trio.fail_after(20):
        async with started() as (process, client):
            await client.outgoing.send_all(
                b"npm warn\nContent-Length: oops\r\n\r\n" + frame(b"{") + b"\r\n\r\n"
            )
            await client.initialize()
            await client.leave()
            assert await process.wait() == 0
            assert await drained(process) == b""


async def test_what_is_printed_does_not_reach_the_client() -> None:
    """A hook that would print and exit when imported: it is read, never run."""
    script = (
        "import sys; from judgeflow.lsp import process; import judgeflow.lsp.handlers.texts as t\n"
        "before = t.initialize\n"
        "def noisy(ls, params):\n    print('NOISE'); before(ls, params)\n"
        "t.FEATURES = tuple((m, noisy if h is before else h, o) for m, h, o in t.FEATURES)\n"
        "sys.exit(process.main('0'))"
    )
    with trio.fail_after(20):
        async with started((sys.executable, "-c", script)) as (process, client):
            await client.initialize()
            await client.leave()
            assert await process.wait() == 0
            assert await drained(process) == b"NOISE\n"


async def test_nothing_in_a_file_is_run_or_fetched(tmp_path: Path) -> None:
    """Hooks, servers, slugs and imports that would leave a trace are opened and asked about in every way."""
    marker, visits = tmp_path / "ran", 0

    async def visited(stream: trio.SocketStream) -> None:
        nonlocal visits
        visits += 1
        await stream.aclose()

    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, visited, listeners)
        port = listeners[0].socket.getsockname()[1]
        await trio.Path(tmp_path / "hooks.py").write_text(
            f"open({str(marker)!r}, 'w')\nimport urllib.request\n"
            f"urllib.request.urlopen('http://127.0.0.1:{port}')\ndef check(reply): ...\n"
        )
        text = (
            f'import "http://127.0.0.1:{port}/models.judge"\n'
            f'provider p {{ api openai  url "http://127.0.0.1:{port}/v1"  key env SECRET }}\n'
            'model m "openai/gpt-6" via p\n'
            'code judge j { python "hooks.py:check" }\n'
            f'tool t {{ mcp "touch {marker}" }}\n'
            f'tool u {{ mcp "http://127.0.0.1:{port}/mcp" only [x] }}\n'
            'agent a { model m  tools [t]  judges [j]  prompt "x" }\n'
            "flow f(t: text) -> text { return a(t) }\n"
            'suite s for f { cases "cases.jsonl"  checks [j] }\n'
        )
        with trio.fail_after(20):
            await open_and_ask(tmp_path, text)
        nursery.cancel_scope.cancel()
    assert not await trio.Path(marker).exists()
    assert visits == 0


async def open_and_ask(folder: Path, text: str) -> None:
    uri = to_uri(str(folder / "main.judge"))
    document = {"textDocument": {"uri": uri}}
    async with started() as (process, client):
        await client.initialize(rootUri=to_uri(str(folder)))
        await client.open(uri, text)
        for line, written in enumerate(text.splitlines()):
            for character in (0, written.find('"') + 2, len(written) - 3):
                place = {**document, "position": {"line": line, "character": character}}
                for method in ("hover", "completion", "definition", "signatureHelp"):
                    await client.request(f"textDocument/{method}", place)
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        await client.request(
            "textDocument/codeAction", {**document, "range": whole, "context": {"diagnostics": []}}
        )
        for method in ("documentLink", "codeLens", "documentSymbol", "semanticTokens/full"):
            await client.request(f"textDocument/{method}", document)
        await client.request("textDocument/inlayHint", {**document, "range": whole})
        await client.leave()
        await process.wait()


async def test_the_same_process_can_be_asked_again_after_a_restart() -> None:
    with trio.fail_after(20):
        for _ in range(2):
            async with started() as (process, client):
                await client.initialize()
                assert (await client.open(URI, "agent a {\n}\n"))["diagnostics"]
                await client.leave()
                assert await process.wait() == 0


def test_only_jrun_lsp_imports_the_protocol_library() -> None:
    code = (
        "import sys, contextlib, io\n"
        "from judgeflow.runtime.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        "    for words in (['--help'], ['check', '--help'], ['lsp', '--help']):\n"
        "        main(words)\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('pygls', 'lsprotocol', 'cattrs')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == "[]"


def test_the_language_server_needs_neither_the_runtime_nor_a_client_library() -> None:
    code = (
        "import sys, judgeflow.lsp.server, judgeflow.lsp.process, judgeflow.lsp.transport\n"
        "bad = ('httpx', 'sqlite3', 'judgeflow.runtime')\n"
        "print([n for n in sys.modules if n.startswith(bad) and n not in "
        "('judgeflow.runtime', 'judgeflow.runtime.version')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30, cwd=os.sep
    )
    assert done.stdout.strip() == "[]"
