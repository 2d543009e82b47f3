"""The protocol on trio with a server of the test's own: order, cancellation, damage, the end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
import trio.testing
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from judgeflow.lsp.framing import frame
from judgeflow.lsp.protocol import TrioProtocol
from judgeflow.lsp.testing import BareClient, RefusedError, changing, replacing, telling
from judgeflow.lsp.transport import serve
from judgeflow.lsp.wire import DidChange, Published

URI = "file:///a.judge"
HERE = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}


class Echo(LanguageServer):
    protocol: TrioProtocol

    def __init__(self) -> None:
        super().__init__("echo", "0", protocol_cls=TrioProtocol)
        self.changes = 0
        self.drains: list[int] = []
        self.begun: list[str] = []
        self.exit_code: int | None = None

    def drained(self) -> None:
        self.drains.append(self.changes)


def echo() -> Echo:
    """A server that answers a hover with how many changes it has seen, and a definition never."""
    server = Echo()

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        if params.text_document.version == 13:
            raise ValueError("unlucky")
        server.changes += 1

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover:
        server.begun.append("hover")
        return types.Hover(str(server.changes))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> None:
        server.begun.append("definition")
        await trio.sleep_forever()

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        raise KeyError("a bug")

    return server


@asynccontextmanager
async def connected(*, initialize: bool = True) -> AsyncIterator[tuple[Echo, BareClient]]:
    server = echo()
    to_server, from_client = trio.testing.memory_stream_one_way_pair()
    to_client, from_server = trio.testing.memory_stream_one_way_pair()
    client = BareClient(to_server, from_server)

    async def run() -> None:
        server.exit_code = await serve(server, from_client, to_client, lambda: False)
        await to_client.aclose()

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            nursery.start_soon(client.run)
            if initialize:
                await client.initialize()
            yield server, client
            await to_server.aclose()


def change(version: int) -> dict[str, Any]:
    return changing(URI, version, replacing((0, 0), (0, 0), "x"))


async def refused(client: BareClient, method: str, params: object = None) -> int:
    with pytest.raises(RefusedError) as caught:
        await client.request(method, params)
    return caught.value.code


async def test_a_request_is_answered_for_the_text_as_it_was_when_it_was_sent() -> None:
    async with connected() as (_, client):
        first, second = client.asking("textDocument/hover", HERE), client.asking("textDocument/hover", HERE)
        await client.send(change(1), first, change(2), change(3), second)
        assert (await client.answer(first["id"]))["result"]["contents"] == "1"
        assert (await client.answer(second["id"]))["result"]["contents"] == "3"


async def test_a_burst_in_one_write_is_drained_once() -> None:
    async with connected() as (server, client):
        await client.send(*(change(version) for version in range(20, 220)))
        await client.request("textDocument/hover", HERE)
        assert set(server.drains) <= {0, 200}
        assert server.changes == 200


async def test_a_cancelled_request_is_answered_as_cancelled() -> None:
    async with connected() as (server, client):
        asked = client.asking("textDocument/definition", HERE)
        await client.send(asked)
        await client.request("textDocument/hover", HERE)
        assert "definition" in server.begun
        await client.notify("$/cancelRequest", {"id": asked["id"]})
        answer = await client.answer(asked["id"])
        assert answer["error"]["code"] == types.LSPErrorCodes.RequestCancelled


async def test_a_request_whose_cancellation_came_with_it_is_never_begun() -> None:
    async with connected() as (server, client):
        asked = client.asking("textDocument/hover", HERE)
        await client.send(asked, change(1), telling("$/cancelRequest", {"id": asked["id"]}))
        answer = await client.answer(asked["id"])
        assert answer["error"]["code"] == types.LSPErrorCodes.RequestCancelled
        assert server.begun == []


async def test_cancelling_what_is_answered_or_unknown_is_quiet() -> None:
    async with connected() as (_, client):
        await client.request("textDocument/hover", HERE)
        await client.notify("$/cancelRequest", {"id": 2})
        await client.notify("$/cancelRequest", {"id": "never"})
        await client.notify("$/cancelRequest", {"wrong": 1})
        await client.request("textDocument/hover", HERE)
        assert [message for message in client.received if "error" in message] == []


async def test_every_unknown_request_is_answered_and_every_unknown_notification_ignored() -> None:
    async with connected() as (_, client):
        await client.notify("$/somethingNew", {"a": 1})
        await client.notify("acme/notification", [1, 2])
        for method in ("acme/request", "textDocument/moniker", "$/strange", "workspace/executeCommand"):
            assert await refused(client, method, {"x": 1}) == types.ErrorCodes.MethodNotFound


async def test_parameters_that_do_not_fit_are_refused() -> None:
    async with connected() as (_, client):
        for params in (
            None,
            {},
            [],
            {"textDocument": 3},
            {"textDocument": {"uri": URI}, "position": {"line": "x"}},
        ):
            assert await refused(client, "textDocument/hover", params) == types.ErrorCodes.InvalidParams


async def test_a_handler_that_fails_is_answered_and_logged_and_the_server_lives() -> None:
    async with connected() as (_, client):
        await client.send(change(13))
        params = {**HERE, "context": {"includeDeclaration": True}}
        assert await refused(client, "textDocument/references", params) == types.ErrorCodes.InternalError
        logged = [m["params"]["message"] for m in client.received if m.get("method") == "window/logMessage"]
        assert ["unlucky" in logged[0], "a bug" in logged[1]] == [True, True]
        assert (await client.request("textDocument/hover", HERE))["contents"] == "0"


async def test_damaged_input_is_refused_and_never_ends_the_server() -> None:
    async with connected() as (_, client):
        for damage in (
            frame(b"{not json"),
            frame(b""),
            frame(b"[1, 2]"),
            frame(b'"text"'),
            frame(b"null"),
            frame(b'{"jsonrpc": "1.0", "id": 1, "method": "x"}'),
            frame(b'{"jsonrpc": "2.0", "id": 1, "method": 5}'),
            frame(b'{"jsonrpc": "2.0", "id": {}, "method": "x"}'),
            frame(b"[" * 100_000),
            frame(b"\xff\xfe\x00"),
            b"Content-Length: 7\r\nnonsense\r\n\r\n1234567",
            b"GET / HTTP/1.1\r\n\r\n",
        ):
            await client.outgoing.send_all(damage)
        assert (await client.request("textDocument/hover", HERE))["contents"] == "0"
        refusals = [message["error"]["code"] for message in client.received if "error" in message]
        assert set(refusals) == {types.ErrorCodes.ParseError, types.ErrorCodes.InvalidRequest}
        assert len(refusals) == 11


async def test_half_a_surrogate_pair_in_diagnostics_is_sent_as_it_is() -> None:
    async with connected() as (server, client):
        server.protocol.notify("textDocument/publishDiagnostics", Published("file:///bad\udcff", []))
        found = await client.wait_for(lambda message: message.get("method") is not None)
        assert found["params"] == {"uri": "file:///bad\udcff", "diagnostics": []}


async def test_half_a_surrogate_pair_in_a_message_is_read() -> None:
    async with connected() as (_, client):
        body = rb'{"jsonrpc": "2.0", "id": "\ud83d", "method": "acme/x", "params": {}}'
        await client.outgoing.send_all(frame(body))
        await client.wait_for(
            lambda message: message.get("error", {}).get("code") == types.ErrorCodes.MethodNotFound
        )


async def test_parameters_that_cannot_be_are_refused_and_the_connection_goes_on() -> None:
    async with connected() as (server, client):
        server.protocol.plain = {types.TEXT_DOCUMENT_DID_CHANGE: DidChange}
        body = rb'{"jsonrpc": "2.0", "id": "odd", "method": "textDocument/didChange", "params": {"%s": 1}}'
        await client.outgoing.send_all(frame(body % rb"\ud83d"))
        assert (await client.answer("odd"))["error"]["code"] == types.ErrorCodes.InvalidParams
        await client.notify("$/cancelRequest", {"id": {"not": "an id"}})
        assert (await client.request("textDocument/hover", HERE))["contents"] == "0"
        assert [one for one in client.received if one.get("method") == "window/logMessage"] == []


async def test_requests_before_initialize_and_after_shutdown_are_refused() -> None:
    async with connected(initialize=False) as (server, client):
        assert await refused(client, "textDocument/hover", HERE) == types.ErrorCodes.ServerNotInitialized
        await client.initialize()
        assert await refused(client, "initialize", {"capabilities": {}}) == types.ErrorCodes.InvalidRequest
        assert await client.request("shutdown") is None
        assert await refused(client, "textDocument/hover", HERE) == types.ErrorCodes.InvalidRequest
        await client.send(change(1))
        await client.notify("exit")
    assert (server.exit_code, server.changes) == (0, 0)


async def test_exit_without_shutdown_is_a_failure() -> None:
    async with connected() as (server, client):
        await client.notify("exit")
    assert server.exit_code == 1


async def test_a_client_that_goes_away_ends_the_server() -> None:
    async with connected() as (server, client):
        await client.outgoing.aclose()
    assert server.exit_code == 1


async def test_a_client_whose_last_word_is_shutdown_has_left_in_order() -> None:
    async with connected() as (server, client):
        await client.send(client.asking("shutdown"))
        await client.outgoing.aclose()
    assert server.exit_code == 0


async def test_leaving_with_work_pending_cancels_it_and_is_no_failure() -> None:
    async with connected() as (server, client):
        asked = client.asking("textDocument/definition", HERE)
        await client.send(asked)
        await client.leave()
        answer = await client.answer(asked["id"])
        assert answer["error"]["code"] == types.LSPErrorCodes.RequestCancelled
    assert server.exit_code == 0


async def test_a_capability_that_is_not_known_yet_does_not_keep_a_client_out() -> None:
    async with connected(initialize=False) as (server, client):
        await client.initialize(
            {
                "textDocument": {
                    "hover": {"contentFormat": ["markdown"]},
                    "completion": {"completionItem": {"insertTextModeSupport": {"valueSet": ["later"]}}},
                    "foldingRange": {"rangeLimit": "many"},
                },
                "general": {"positionEncodings": ["utf-8"]},
                "later": 4,
            }
        )
        known = server.client_capabilities.text_document
        assert known is not None
        assert known.hover is not None
        assert known.folding_range is None


async def test_answers_larger_than_a_pipe_arrive_whole_and_in_order() -> None:
    async with connected() as (server, client):
        for number in range(20):
            server.protocol.notify("acme/big", {"number": number, "text": "é" * 50_000})
        await client.wait_for(lambda message: message.get("params", {}).get("number") == 19)
        numbers = [m["params"]["number"] for m in client.received if m.get("method") == "acme/big"]
        assert numbers == list(range(20))


async def test_the_server_asks_the_client_and_hears_the_answer() -> None:
    async with connected() as (server, client):
        heard: list[object] = []

        async def ask() -> None:
            heard.append(await server.protocol.ask("workspace/configuration", {"items": [{}]}))
            await server.protocol.ask("client/registerCapability", {"registrations": []})

        server.protocol.begin(ask)
        asked = await client.wait_for(lambda message: message.get("method") == "workspace/configuration")
        await client.send({"jsonrpc": "2.0", "id": asked["id"], "result": [None]})
        asked = await client.wait_for(lambda message: message.get("method") == "client/registerCapability")
        await client.send({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -1, "message": "no"}})
        await client.send({"jsonrpc": "2.0", "id": "stray", "result": None})
        log = await client.wait_for(lambda message: message.get("method") == "window/logMessage")
        assert heard == [[None]]
        assert "RemoteError" in log["params"]["message"]
