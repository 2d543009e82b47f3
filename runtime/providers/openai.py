"""Chat completions as OpenAI words them, and OpenRouter, Ollama, vLLM and llama.cpp after it: a request's
body."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from ..judge.protocol import ChatRequest, Message
from .settings import Target

PATH = "/chat/completions"


def auth(target: Target) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {target.key.reveal()}"),) if target.key else ()


def body(
    request: ChatRequest, model: str, schema: dict[str, Any] | None = None, lacks: Collection[str] = ()
) -> bytes:
    """`schema`: what the answer must fit, for a service that knows such a thing. `lacks`: what the model does
    not take (`habits.py`)."""
    sent: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
        "stream": True,
    }
    if "stream_options" not in lacks:
        sent["stream_options"] = {"include_usage": True}
    if request.tools:
        sent["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in request.tools
        ]
    if request.tool_choice in ("auto", "required"):
        sent["tool_choice"] = request.tool_choice
    elif request.tool_choice is not None:
        sent["tool_choice"] = {"type": "function", "function": {"name": request.tool_choice}}
    if schema is not None:
        sent["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    if request.temperature is not None:
        sent["temperature"] = request.temperature
    if request.max_tokens is not None:
        sent["max_completion_tokens" if "max_tokens" in lacks else "max_tokens"] = request.max_tokens
    if request.top_logprobs:
        sent["logprobs"] = True
        sent["top_logprobs"] = request.top_logprobs
    return msgspec.json.encode(sent)


def _message(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        # Strict servers want the key even where there is nothing to say.
        sent["content"] = message.content or None
        sent["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        sent["tool_call_id"] = message.tool_call_id
    return sent
