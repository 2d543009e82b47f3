"""Typed answers: one answer tool per variant, and what its arguments become.

The variant is the tool that was used, never guessed from the answer's shape.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs

from ...dsl import shapes
from ...dsl.json_schema import record_schema, schema_of
from ...dsl.shapes import Shape, TypeInfo
from ..judge.protocol import ToolCall, ToolSpec
from ..judge.reading.strict_json import NotJson, parse, plain
from .decode import Decoder


@attrs.frozen
class TypedAnswer:
    value: Any
    variant: str | None


class AnswerReader:
    """How an agent is asked for answers of its shape. `tools` is empty for a text agent."""

    def __init__(self, shape: Shape, types: Mapping[str, TypeInfo]) -> None:
        self._types = types
        self._decoder = Decoder(types)
        self._shapes: dict[str, Shape] = {}
        self.is_text = isinstance(shape, shapes.Text)
        self.tools = () if self.is_text else tuple(self._tools(shape))

    def owns(self, call: ToolCall) -> bool:
        """Whether a tool call is an answer."""
        return call.name in self._shapes

    def read(self, call: ToolCall) -> tuple[TypedAnswer | None, list[str]]:
        """The answer in a call, or everything that is wrong with it."""
        try:
            data = plain(parse(call.arguments))
        except NotJson as error:
            return None, [f"$: the arguments are not JSON ({error})"]
        shape = self._shapes[call.name]
        if not isinstance(shape, shapes.Record):
            key = "items" if isinstance(shape, shapes.ListOf) else "value"
            if not isinstance(data, dict) or key not in data:
                return None, [f"$.{key}: is missing"]
            data = data[key]
        if isinstance(shape, shapes.ListOf) and _tagged(shape):
            value, violations = self._tagged_items(shape, data)
        else:
            value, violations = self._decoder.decode(shape, data)
        if violations:
            return None, violations
        return TypedAnswer(value, _variant(shape)), violations

    def _tools(self, shape: Shape) -> list[ToolSpec]:
        options = shape.options if isinstance(shape, shapes.Union) else (shape,)
        records = [option for option in options if isinstance(option, shapes.Record)]
        if len(records) == len(options):
            several = len(records) > 1
            return [self._record_tool(record, several) for record in records]
        self._shapes["answer"] = shape
        key = "items" if isinstance(shape, shapes.ListOf) else "value"
        inner = self._tagged_schema(shape) if _tagged(shape) else schema_of(shape, self._types)
        definitions = inner.pop("$defs", None)
        parameters = {
            "type": "object",
            "properties": {key: inner},
            "required": [key],
            "additionalProperties": False,
        }
        if definitions:
            parameters["$defs"] = definitions
        return [ToolSpec("answer", "Gives the answer.", parameters)]

    def _record_tool(self, record: shapes.Record, several: bool) -> ToolSpec:
        info = self._types[record.name]
        name = f"answer_{_snake(record.name)}" if several else "answer"
        self._shapes[name] = record
        described = info.description or f"a {record.name}"
        return ToolSpec(name, f"Gives the answer: {described}.", record_schema(info, self._types))

    def _tagged_schema(self, shape: Shape) -> dict[str, Any]:
        assert isinstance(shape, shapes.ListOf)
        assert isinstance(shape.item, shapes.Union)
        definitions: dict[str, Any] = {}
        items = []
        for option in shape.item.options:
            assert isinstance(option, shapes.Record)
            value = schema_of(option, self._types)
            definitions.update(value.pop("$defs", {}))
            items.append(
                {
                    "type": "object",
                    "properties": {"variant": {"const": option.name}, "value": value},
                    "required": ["variant", "value"],
                    "additionalProperties": False,
                }
            )
        schema: dict[str, Any] = {"type": "array", "items": {"anyOf": items}, "$defs": definitions}
        if shape.low is not None:
            schema["minItems"] = shape.low
        if shape.high is not None:
            schema["maxItems"] = shape.high
        return schema

    def _tagged_items(self, shape: shapes.ListOf, data: Any) -> tuple[Any, list[str]]:
        assert isinstance(shape.item, shapes.Union)
        names = [option.name for option in shape.item.options if isinstance(option, shapes.Record)]
        listed, violations = self._decoder.decode(shapes.ListOf(shapes.Json(), shape.low, shape.high), data)
        items = []
        for at, item in enumerate(listed or ()):
            variant = item.get("variant") if isinstance(item, dict) else None
            if variant not in names:
                violations.append(f"$[{at}].variant: must be one of {', '.join(names)}")
                continue
            value, wrong = self._decoder.decode(shapes.Record(variant), item.get("value"))
            violations.extend(f"$[{at}].value{fault.removeprefix('$')}" for fault in wrong)
            items.append({"variant": variant, "value": value})
        return items, violations


def _tagged(shape: Shape) -> bool:
    return (
        isinstance(shape, shapes.ListOf)
        and isinstance(shape.item, shapes.Union)
        and all(isinstance(option, shapes.Record) for option in shape.item.options)
    )


def _variant(shape: Shape) -> str | None:
    match shape:
        case shapes.Record(name) | shapes.ListOf(shapes.Record(name)):
            return name
    return None


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
