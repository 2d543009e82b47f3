"""Tool calls gathered from the parts in which services send them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import msgspec

from ..judge.protocol import ChatReply, ToolCall
from .failures import Failures


@attrs.define(eq=False)
class _Part:
    id: str
    name: str
    arguments: list[str] = attrs.field(factory=list)


class ToolCalls:
    """Fragments by index; a service that sends no index says that a new call starts by sending a new id."""

    def __init__(self) -> None:
        self._parts: dict[int, _Part] = {}

    def __bool__(self) -> bool:
        return bool(self._parts)

    def add(self, index: int | None, id: str | None, name: str | None, arguments: Any) -> None:
        part = self._part(index, id)
        if id:
            part.id = id
        if name and name != part.name:
            part.name += name
        if isinstance(arguments, str):
            part.arguments.append(arguments)
        elif arguments is not None:
            part.arguments.append(msgspec.json.encode(arguments).decode())

    def _part(self, index: int | None, id: str | None) -> _Part:
        if index is None:
            last = max(self._parts, default=-1)
            new = last < 0 or (id is not None and self._parts[last].id not in ("", id))
            index = last + 1 if new else last
        return self._parts.setdefault(index, _Part("", ""))

    def gathered(self, failures: Failures) -> tuple[ToolCall, ...]:
        """The calls in order. Whether arguments fit their tool is for whoever runs it to say; arguments
        that are cut or came twice are no arguments at all."""
        calls: list[ToolCall] = []
        for index, part in sorted(self._parts.items()):
            text = "".join(part.arguments) or "{}"
            flaw = _flaw(text)
            if flaw is not None:
                raise failures.make(flaw, part.name)
            calls.append(ToolCall(part.id or f"call_{index}", part.name, text))
        if len({call.id for call in calls}) < len(calls):
            raise failures.make("provider.doubled-call", ", ".join(call.name for call in calls))
        return tuple(calls)


def with_texts(reply: ChatReply, change: Callable[[str], str]) -> ChatReply:
    """The reply with each of its texts changed."""
    return msgspec.structs.replace(
        reply,
        text=change(reply.text),
        reasoning=change(reply.reasoning),
        model=change(reply.model),
        tool_calls=tuple(
            ToolCall(change(call.id), change(call.name), change(call.arguments)) for call in reply.tool_calls
        ),
    )


def _flaw(text: str) -> str | None:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        half = len(text) // 2
        if len(text) % 2 == 0 and text[:half] == text[half:]:
            return "provider.doubled-arguments"
        return "provider.cut-arguments" if _is_open(text) else None
    return None


def _is_open(text: str) -> bool:
    """Whether a bracket or a string is still open where the text ends."""
    depth, quoted, escaped = 0, False, False
    for character in text:
        if escaped:
            escaped = False
        elif quoted:
            escaped = character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        else:
            depth += (character in "{[") - (character in "}]")
    return quoted or depth > 0
