"""A server and a bare client in one process, over memory streams.

Tests with pytest-lsp's own client, which needs an asyncio event loop, are plain functions in `clients/`:
they run that loop themselves, so pytest-trio's `trio_mode` and pytest-asyncio never meet.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
import trio
import trio.testing

from judgeflow.lsp.judge_server import JudgeServer
from judgeflow.lsp.server import build_server
from judgeflow.lsp.testing import BareClient, Message
from judgeflow.lsp.transport import serve

Connected = Callable[..., AbstractAsyncContextManager[tuple[JudgeServer, BareClient]]]
FULL: Message = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "publishDiagnostics": {
            "relatedInformation": True,
            "tagSupport": {"valueSet": [1]},
            "codeDescriptionSupport": True,
        },
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "completion": {"completionItem": {"snippetSupport": True, "documentationFormat": ["markdown"]}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "rename": {"prepareSupport": True},
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}
"""What an editor with everything says about itself."""


@pytest.fixture(scope="session")
def connected() -> Connected:
    @asynccontextmanager
    async def connect(
        capabilities: Message | None = None, **more: object
    ) -> AsyncIterator[tuple[JudgeServer, BareClient]]:
        server = build_server("0")
        to_server, from_client = trio.testing.memory_stream_one_way_pair()
        to_client, from_server = trio.testing.memory_stream_one_way_pair()
        client = BareClient(to_server, from_server)

        async def run() -> None:
            await serve(server, from_client, to_client, lambda: False)
            await to_client.aclose()

        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(run)
                nursery.start_soon(client.run)
                client.offered = await client.initialize(
                    FULL if capabilities is None else capabilities, **more
                )
                yield server, client
                await client.leave()

    return connect
