"""pygls's language server protocol on trio: who is asked what, who is answered when.

Notifications are handled where they are read. A request becomes a task with a cancel scope of its own,
and before a notification is handled every request read earlier has begun on the text as it was then: a
handler that does not await sees one consistent text, one that does takes what it needs first.
"""

from __future__ import annotations

import inspect
import json
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeVar

import attrs
import msgspec
import trio
from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol

from .capabilities import structure_initialize
from .outbox import Outbox
from .positions import choose_encoding

MessageId = int | str | None
Phase = Literal["new", "running", "shut"]
T = TypeVar("T")


class RemoteError(Exception):
    """The client answered a request with an error."""


@attrs.define(eq=False)
class _Asked:
    """A request from the client that is not answered yet."""

    method: str
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)


@attrs.define(eq=False)
class _Asking:
    """A request to the client that is not answered yet."""

    answered: trio.Event = attrs.field(factory=trio.Event)
    message: dict[str, Any] = attrs.field(factory=dict)


class TrioProtocol(LanguageServerProtocol):
    """One connection. `attach` gives it the nursery and the way out before the first message."""

    plain: Mapping[str, type[msgspec.Struct]] = {}
    """Methods whose parameters are read as a class of msgspec's instead of pygls's."""

    limit: Callable[[types.ServerCapabilities], None] | None = None
    """Takes back what this server can do but should not offer to the client that connects."""

    _nursery: trio.Nursery
    _outbox: Outbox

    def attach(self, nursery: trio.Nursery, outbox: Outbox) -> None:
        self._nursery = nursery
        self._outbox = outbox
        self.phase: Phase = "new"
        self.exit_code: int | None = None
        """Set by `exit`: the connection is over."""
        self._asked: dict[MessageId, _Asked] = {}
        self._beginning = 0
        self._asking: dict[MessageId, _Asking] = {}
        self._next_id = 0

    # --- what is read --------------------------------------------------------------------------------------

    async def receive(self, bodies: list[bytes]) -> None:
        """Handle messages that were read at once, in order. A request whose cancellation came with it is
        not begun."""
        messages = [message for body in bodies if (message := self._decode(body)) is not None]
        doomed = {id(asked) for asked in _cancelled_at_once(messages)}
        for message in messages:
            if id(message) in doomed:
                self._refuse(message["id"], types.LSPErrorCodes.RequestCancelled, "cancelled before it began")
            elif "method" not in message:
                self._answered(message)
            elif "id" in message:
                self._request(message)
            else:
                await self.begun()
                self._notification(message)
            if self.exit_code is not None:
                return

    async def begun(self) -> None:
        """Every request that was read has begun."""
        while self._beginning:
            await trio.lowlevel.checkpoint()

    def _decode(self, body: bytes) -> dict[str, Any] | None:
        try:
            message = _loads(body)
        except (ValueError, RecursionError):
            self._refuse(None, types.ErrorCodes.ParseError, "not JSON")
            return None
        if isinstance(message, dict) and message.get("jsonrpc") == "2.0":
            if isinstance(message.get("method", ""), str) and _is_id(message.get("id", 0)):
                return message
            if "method" not in message:
                return None
        self._refuse(None, types.ErrorCodes.InvalidRequest, "not a JSON-RPC 2.0 message")
        return None

    def _request(self, message: dict[str, Any]) -> None:
        method, msg_id = message["method"], message["id"]
        if self.phase == "shut":
            return self._refuse(msg_id, types.ErrorCodes.InvalidRequest, "the server is shutting down")
        if self.phase == "new" and method != types.INITIALIZE:
            return self._refuse(
                msg_id, types.ErrorCodes.ServerNotInitialized, "the first request is `initialize`"
            )
        if self.phase == "running" and method == types.INITIALIZE:
            return self._refuse(msg_id, types.ErrorCodes.InvalidRequest, "already initialized")
        handler = self._handler(method)
        if handler is None:
            return self._refuse(msg_id, types.ErrorCodes.MethodNotFound, f"no such method: {method}")
        try:
            params = self._params(message)
        except JsonRpcException as error:
            return self._refuse(msg_id, error.code, error.message)
        asked = self._asked[msg_id] = _Asked(method)
        self._beginning += 1
        self._nursery.start_soon(self._answer, msg_id, asked, handler, params, name=f"{method} {msg_id}")
        return None

    def _notification(self, message: dict[str, Any]) -> None:
        method = message["method"]
        if method == types.EXIT:
            self.exit_code = 0 if self.phase == "shut" else 1
            return
        handler = self._handler(method)
        if self.phase != "running" or handler is None:
            return
        try:
            handler(self._params(message))
        except JsonRpcException as error:
            self.log(f"{method}: {error.message}")
        except Exception:
            self.log(f"{method}: {traceback.format_exc()}")

    def _handler(self, method: str) -> Callable[[Any], Any] | None:
        return self.fm.builtin_features.get(method) or self.fm.features.get(method)

    def _params(self, message: dict[str, Any]) -> Any:
        """The message's parameters as its method's type has them. JsonRpcInvalidParams where they do not
        fit."""
        message.setdefault("params", None)
        plain = self.plain.get(message["method"])
        if plain is not None:
            try:
                return msgspec.convert(message["params"], plain)
            except (msgspec.ValidationError, UnicodeError) as error:
                # Half a surrogate pair is no text outside of texts.
                raise JsonRpcInvalidParams(str(error)) from None
        if message["method"] == types.INITIALIZE:
            return structure_initialize(self._converter, message)
        try:
            return self.structure_message(message).params
        except JsonRpcException:
            raise
        except Exception as error:
            raise JsonRpcInvalidParams(str(error)) from None

    # --- what is answered ----------------------------------------------------------------------------------

    async def _answer(
        self, msg_id: MessageId, asked: _Asked, handler: Callable[[Any], Any], params: Any
    ) -> None:
        try:
            with asked.scope:
                self._reply(msg_id, await self._result(handler, params))
            if asked.scope.cancelled_caught:
                self._refuse(msg_id, types.LSPErrorCodes.RequestCancelled, "cancelled")
        except JsonRpcException as error:
            self._refuse(msg_id, error.code, error.message)
        except Exception as error:
            self._refuse(msg_id, types.ErrorCodes.InternalError, f"{type(error).__name__}: {error}")
            self.log(f"{asked.method}: {traceback.format_exc()}")
        finally:
            if self._asked.get(msg_id) is asked:
                del self._asked[msg_id]

    async def _result(self, handler: Callable[[Any], Any], params: Any) -> Any:
        try:
            await trio.lowlevel.checkpoint()
            result = handler(params)
        finally:
            self._beginning -= 1
        return await result if inspect.isawaitable(result) else result

    def _reply(self, msg_id: MessageId, result: Any) -> None:
        self._send_data({"jsonrpc": "2.0", "id": msg_id, "result": self._plain(result)})

    def _refuse(self, msg_id: MessageId, code: int, message: str) -> None:
        self._send_data({"jsonrpc": "2.0", "id": msg_id, "error": {"code": int(code), "message": message}})

    # --- what is said without being asked ------------------------------------------------------------------

    def notify(self, method: str, params: Any | None = None) -> None:
        self._send_data({"jsonrpc": "2.0", "method": method, "params": self._plain(params)})

    def log(self, text: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """A line in the editor's log of this server: standard error stays empty."""
        self.notify(types.WINDOW_LOG_MESSAGE, types.LogMessageParams(type=kind, message=text))

    async def ask(self, method: str, params: Any) -> Any:
        """A request to the client: its result as plain data. RemoteError where it refuses."""
        self._next_id += 1
        msg_id = f"judgeflow/{self._next_id}"
        asking = self._asking[msg_id] = _Asking()
        self._send_data({"jsonrpc": "2.0", "id": msg_id, "method": method, "params": self._plain(params)})
        try:
            await asking.answered.wait()
        finally:
            del self._asking[msg_id]
        if "error" in asking.message:
            raise RemoteError(str(asking.message["error"]))
        return asking.message.get("result")

    def begin(self, work: Callable[..., Awaitable[Any]], *args: Any) -> None:
        """Start work that no request waits for. What it raises is logged."""
        self._nursery.start_soon(self._in_background, work, args)

    def leave(self, code: int) -> None:
        """End the connection from this side."""
        self.exit_code = code
        self._nursery.cancel_scope.cancel()

    async def _in_background(self, work: Callable[..., Awaitable[Any]], args: tuple[Any, ...]) -> None:
        try:
            await work(*args)
        except Exception:
            self.log(traceback.format_exc())

    def _answered(self, message: dict[str, Any]) -> None:
        asking = self._asking.get(message.get("id"))
        if asking is not None:
            asking.message = message
            asking.answered.set()

    def _plain(self, data: Any) -> Any:
        first = data[0] if isinstance(data, list) and data else data
        return data if isinstance(first, msgspec.Struct) else self._converter.unstructure(data)

    def structured(self, data: msgspec.Struct, kind: type[T]) -> T:
        """What is plain already as pygls has it, to be part of something larger."""
        return self._converter.structure(msgspec.to_builtins(data), kind)

    # --- in place of pygls's own text model and event loop -------------------------------------------------

    def _register_builtin_features(self) -> None:
        self.fm.add_builtin_feature(types.INITIALIZE, self._initialize)
        self.fm.add_builtin_feature(types.SHUTDOWN, self._shut_down)
        self.fm.add_builtin_feature(types.CANCEL_REQUEST, self._cancel)

    def _send_data(self, data: Any) -> None:
        try:
            body = msgspec.json.encode(data)
        except UnicodeEncodeError:
            # Half a surrogate pair, from a file name for instance. The standard encoder escapes it.
            body = json.dumps(msgspec.to_builtins(data)).encode("ascii")
        self._outbox.put(body)

    def _initialize(self, params: types.InitializeParams) -> types.InitializeResult:
        self.client_capabilities = params.capabilities
        self._server.process_id = params.process_id
        prepare = self.fm.features.get(types.INITIALIZE)
        if prepare is not None:
            prepare(params)
        general = params.capabilities.general
        self.server_capabilities = ServerCapabilitiesBuilder(
            self.client_capabilities,
            {*self.fm.features, *self.fm.builtin_features},
            self.fm.feature_options,
            list(self.fm.commands),
            self._server._text_document_sync_kind,
            None,
            choose_encoding(general.position_encodings if general else None),
        ).build()  # type: ignore[no-untyped-call]
        if not self.fm.commands:
            self.server_capabilities.execute_command_provider = None
        if self.limit is not None:
            self.limit(self.server_capabilities)
        self.phase = "running"
        return types.InitializeResult(capabilities=self.server_capabilities, server_info=self.server_info)

    def _shut_down(self, params: object) -> None:
        self.phase = "shut"
        for asked in self._asked.values():
            if asked.method != types.SHUTDOWN:
                asked.scope.cancel()

    def _cancel(self, params: types.CancelParams) -> None:
        asked = self._asked.get(params.id) if isinstance(params.id, int | str) else None
        if asked is not None:
            asked.scope.cancel()


def _loads(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeError):
        # The standard decoder takes what a sloppy client may send: half a surrogate pair, a byte order mark.
        return json.loads(body.decode("utf-8-sig", "replace"))


def _is_id(value: object) -> bool:
    return value is None or (isinstance(value, int | str) and not isinstance(value, bool))


def _cancelled_at_once(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The requests of a batch that a later message of the same batch cancels."""
    cancelled: set[MessageId] = set()
    found = []
    for message in reversed(messages):
        if message.get("method") == types.CANCEL_REQUEST:
            params = message.get("params")
            if isinstance(params, dict) and isinstance(params.get("id"), int | str):
                cancelled.add(params["id"])
        elif cancelled and "method" in message and message.get("id") in cancelled:
            found.append(message)
    return found
