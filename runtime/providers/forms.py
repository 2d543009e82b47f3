"""Tool calls without tools: for a service that has none, a JSON schema that its answer must fit, and for
one that has neither, the same said in words. The reply says which it was (`form`)."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ..judge.protocol import ChatReply, ChatRequest, Message, ToolCall, ToolSpec
from ..judge.reading.lenient_json import read_json

Form = Literal["tools", "schema", "words"]

_REPLY = "reply"


def weaker(form: Form, code: str) -> Form | None:
    """What to try where a service refuses a form; None where that is not why it refused."""
    if form == "tools" and code == "provider.no-tools":
        return "schema"
    return "words" if form == "schema" and code == "provider.no-schema" else None


def shaped(request: ChatRequest, form: Form) -> tuple[ChatRequest, dict[str, Any] | None]:
    """The request in this form, and the schema that its answer must fit."""
    if form == "tools" or not request.tools:
        return request, None
    schema = _schema(request)
    told = "" if form == "schema" and _only(request) is not None else _told(request, schema)
    plain = msgspec.structs.replace(
        request, messages=_plain(request.messages, told), tools=(), tool_choice=None
    )
    return plain, closed(schema) if form == "schema" else None


def called(reply: ChatReply, request: ChatRequest, form: Form) -> ChatReply:
    """The reply with the calls that its JSON stands for. A text that holds none stays a text."""
    if form == "tools" or not request.tools:
        return reply
    read = read_json(reply.text)
    value = read.value if read.ok else None
    only = _only(request)
    reply = msgspec.structs.replace(reply, form=form)
    if not isinstance(value, dict):
        return reply
    if only is not None:
        return _calling(reply, only.name, _given(value, only))
    name, arguments = value.get("tool"), value.get("arguments")
    if name == _REPLY and isinstance(arguments, dict) and isinstance(arguments.get("text"), str):
        return msgspec.structs.replace(reply, text=arguments["text"])
    asked = next((tool for tool in request.tools if tool.name == name), None)
    if asked is not None and isinstance(arguments, dict):
        arguments = _given(arguments, asked)
    return _calling(reply, name, arguments or {}) if isinstance(name, str) else reply


def closed(schema: Any) -> Any:
    """The schema as the strictest services want it: every object names all its properties as required and takes no
    other; what could be left out may be null instead."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: value if key in ("const", "enum") else closed(value) for key, value in schema.items()}
    properties = inner.get("properties")
    if schema.get("type") != "object" or not isinstance(properties, dict):
        return inner
    required = schema.get("required", ())
    inner["properties"] = {
        name: value if name in required or _takes_null(value) else {"anyOf": [value, {"type": "null"}]}
        for name, value in properties.items()
    }
    return {"additionalProperties": False, **inner, "required": list(properties)}


def _takes_null(schema: Any) -> bool:
    return isinstance(schema, dict) and {"type": "null"} in schema.get("anyOf", ())


def _given(arguments: dict[str, Any], tool: ToolSpec) -> dict[str, Any]:
    """The arguments without what was only null because everything had to be named."""
    required = tool.parameters.get("required", ())
    return {name: value for name, value in arguments.items() if value is not None or name in required}


def _calling(reply: ChatReply, name: str, arguments: Any) -> ChatReply:
    call = ToolCall("call_0", name, msgspec.json.encode(arguments).decode())
    return msgspec.structs.replace(reply, text="", tool_calls=(call,))


def _only(request: ChatRequest) -> ToolSpec | None:
    """The one tool that must be called: its arguments are then the whole answer."""
    named = [tool for tool in request.tools if tool.name == request.tool_choice]
    if named:
        return named[0]
    return request.tools[0] if request.tool_choice == "required" and len(request.tools) == 1 else None


def _schema(request: ChatRequest) -> dict[str, Any]:
    only = _only(request)
    if only is not None:
        return only.parameters
    variants = [_variant(tool.name, tool.parameters) for tool in request.tools]
    if request.tool_choice != "required":
        text = {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": False,
        }
        variants.append(_variant(_REPLY, text))
    return {"anyOf": variants}


def _variant(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"tool": {"const": name}, "arguments": arguments},
        "required": ["tool", "arguments"],
        "additionalProperties": False,
    }


def _told(request: ChatRequest, schema: dict[str, Any]) -> str:
    tools = "\n".join(f"- {tool.name}: {tool.description}" for tool in request.tools)
    shape = msgspec.json.encode(schema).decode()
    last = f"\n- {_REPLY}: the answer itself" if request.tool_choice != "required" else ""
    return f"Answer with one JSON object and nothing else. It fits this JSON schema:\n{shape}\n{tools}{last}"


def _plain(messages: tuple[Message, ...], told: str) -> tuple[Message, ...]:
    plain = [_as_text(message) for message in messages]
    if not told:
        return tuple(plain)
    if plain and plain[0].role == "system":
        plain[0] = Message("system", f"{plain[0].content}\n\n{told}")
    else:
        plain.insert(0, Message("system", told))
    return tuple(plain)


def _as_text(message: Message) -> Message:
    """Calls and results of earlier turns, for a service whose messages have no place for them."""
    if message.role == "tool":
        return Message("user", f"Result of the tool:\n{message.content}")
    if not message.tool_calls:
        return message
    calls = "\n".join(
        f'{{"tool": "{call.name}", "arguments": {call.arguments}}}' for call in message.tool_calls
    )
    return Message("assistant", f"{message.content}\n{calls}".strip())
