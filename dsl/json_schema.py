"""JSON Schema (2020-12) of declared shapes: for answer tools, tool parameters and `schema` scorers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import shapes
from .shapes import FieldInfo, Shape, TypeInfo

Schema = dict[str, Any]


def all_fields(info: TypeInfo, types: Mapping[str, TypeInfo]) -> tuple[FieldInfo, ...]:
    """Inherited fields first, then its own; an own field replaces an inherited one of the same name."""
    chain, seen = [info], {info.name}
    while (parent := types.get(chain[-1].extends or "")) is not None and parent.name not in seen:
        chain.append(parent)
        seen.add(parent.name)
    fields = {item.name: item for link in reversed(chain) for item in link.fields}
    return tuple(fields.values())


def schema_of(shape: Shape, types: Mapping[str, TypeInfo]) -> Schema:
    """A self-contained schema: declared types stand under `$defs`, so that recursive types work."""
    used: dict[str, Schema] = {}
    schema = _schema(shape, types, used)
    return {**schema, "$defs": used} if used else schema


def record_schema(info: TypeInfo, types: Mapping[str, TypeInfo]) -> Schema:
    """The schema of one declared type with its own fields at the root, as a tool's parameters need it."""
    used: dict[str, Schema] = {}
    schema = _object(
        ((f.name, f.shape, f.optional, f.description) for f in all_fields(info, types)), types, used
    )
    if info.description:
        schema["description"] = info.description
    return {**schema, "$defs": used} if used else schema


def params_schema(
    params: Iterable[tuple[str, Shape, bool, str | None]], types: Mapping[str, TypeInfo]
) -> Schema:
    """The schema of named parameters: (name, shape, optional, description) each."""
    used: dict[str, Schema] = {}
    schema = _object(params, types, used)
    return {**schema, "$defs": used} if used else schema


def _object(
    fields: Iterable[tuple[str, Shape, bool, str | None]],
    types: Mapping[str, TypeInfo],
    used: dict[str, Schema],
) -> Schema:
    properties: dict[str, Any] = {}
    required = []
    for name, shape, optional, description in fields:
        schema = _schema(shape, types, used)
        if optional:
            schema = {"anyOf": [schema, {"type": "null"}]}
        else:
            required.append(name)
        properties[name] = {**schema, "description": description} if description else schema
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _schema(shape: Shape, types: Mapping[str, TypeInfo], used: dict[str, Schema]) -> Schema:
    match shape:
        case shapes.Text(low, high):
            return _bounded({"type": "string"}, "minLength", low, "maxLength", high)
        case shapes.Int(low, high):
            return _bounded({"type": "integer"}, "minimum", low, "maximum", high)
        case shapes.Float(low, high):
            return _bounded({"type": "number"}, "minimum", _float(low), "maximum", _float(high))
        case shapes.Bool():
            return {"type": "boolean"}
        case shapes.Literal(value):
            return {"const": value}
        case shapes.ListOf(item, low, high):
            return _bounded(
                {"type": "array", "items": _schema(item, types, used)}, "minItems", low, "maxItems", high
            )
        case shapes.Nullable(item):
            return {"anyOf": [_schema(item, types, used), {"type": "null"}]}
        case shapes.Union(options):
            literals = [option.value for option in options if isinstance(option, shapes.Literal)]
            if len(literals) == len(options):
                return {"enum": literals}
            return {"anyOf": [_schema(option, types, used) for option in options]}
        case shapes.Record(name):
            return _reference(name, types, used)
        case _:
            return {}


def _reference(name: str, types: Mapping[str, TypeInfo], used: dict[str, Schema]) -> Schema:
    if name not in used and name in types:
        used[name] = {}
        info = types[name]
        used[name] = _object(
            ((f.name, f.shape, f.optional, f.description) for f in all_fields(info, types)), types, used
        )
    return {"$ref": f"#/$defs/{name}"}


def _bounded(schema: Schema, low_key: str, low: Any, high_key: str, high: Any) -> Schema:
    if low is not None:
        schema[low_key] = low
    if high is not None:
        schema[high_key] = high
    return schema


def _float(bound: str | None) -> float | None:
    return None if bound is None else float(bound)
