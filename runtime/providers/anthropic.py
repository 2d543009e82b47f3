"""Anthropic's messages API: a request's body."""

from __future__ import annotations

from typing import Any

import msgspec

from ..judge.protocol import ChatRequest, Message
from .settings import Target

PATH = "/messages"
VERSION = "2023-06-01"
MAX_TOKENS = 8192
"""The API wants a limit; this one stands where the model declares none."""


def auth(target: Target) -> tuple[tuple[str, str], ...]:
    key = (("x-api-key", target.key.reveal()),) if target.key else ()
    return (*key, ("anthropic-version", VERSION))


def body(request: ChatRequest, model: str) -> bytes:
    sent: dict[str, Any] = {
        "model": model,
        "messages": _messages(request.messages),
        "max_tokens": request.max_tokens if request.max_tokens is not None else MAX_TOKENS,
        "stream": True,
    }
    system = "\n\n".join(message.content for message in request.messages if message.role == "system")
    if system.strip():
        sent["system"] = system
    if request.tools:
        sent["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
    if request.tool_choice is not None:
        sent["tool_choice"] = _choice(request.tool_choice)
    if request.temperature is not None:
        sent["temperature"] = request.temperature
    return msgspec.json.encode(sent)


def _choice(choice: str) -> dict[str, str]:
    if choice == "auto":
        return {"type": "auto"}
    return {"type": "any"} if choice == "required" else {"type": "tool", "name": choice}


def _messages(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    """User and assistant in turn: what one side says in several messages becomes the blocks of one."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content}]
    # A blank text block is refused by the service; it says nothing anyway.
    text = [{"type": "text", "text": message.content}] if message.content.strip() else []
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": msgspec.Raw(_object(call.arguments))}
        for call in message.tool_calls
    ]
    return [*text, *calls]


def _object(arguments: str) -> bytes:
    """The arguments as they came, where they are an object; the API takes nothing else back."""
    try:
        if isinstance(msgspec.json.decode(arguments), dict):
            return arguments.encode()
    except (msgspec.DecodeError, RecursionError):
        pass
    return b"{}"
