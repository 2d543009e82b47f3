"""Declared types as Python classes: a `msgspec.Struct` per type, so that hooks read fields as attributes."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from numbers import Integral, Real
from os import PathLike, fspath
from typing import Any

import msgspec

from ...dsl.json_schema import all_fields
from ...dsl.shapes import TypeInfo
from ..expr.values import Record, Value
from ..judge.errors import SerializationError
from ..judge.serialise import sendable

_BYTES = (bytes, bytearray, memoryview)


class Classes:
    """The classes of a program's types. A field whose name is a Python keyword gets a trailing underscore."""

    def __init__(self, types: Mapping[str, TypeInfo]) -> None:
        self._types = types
        self._made: dict[str, type[msgspec.Struct]] = {}

    def of(self, name: str) -> type[msgspec.Struct]:
        """The class of a declared type; a type that extends another one subclasses its class. `KeyError` if there is
        no such type."""
        if name not in self._made:
            info = self._types[name]
            parent = self._types.get(info.extends or "")
            inherited = {field.name for field in all_fields(parent, self._types)} if parent else set()
            fields: list[Any] = [
                (_attribute(field.name), Any, None) if field.optional else (_attribute(field.name), Any)
                for field in info.fields
                if field.name not in inherited
            ]
            renamed = {_attribute(f.name): f.name for f in info.fields if _attribute(f.name) != f.name}
            self._made[name] = msgspec.defstruct(
                name,
                fields,
                bases=(self.of(parent.name),) if parent else None,
                rename=renamed or None,
                kw_only=True,
                module=__name__,
            )
        return self._made[name]

    def built(self, value: Value) -> Any:
        """A copy of a run-time value with records as instances of their classes: what a hook gets as its own."""
        if isinstance(value, Record):
            fields = {_attribute(key): self.built(item) for key, item in value.items()}
            return self.of(value.variant)(**fields)
        if isinstance(value, dict):
            return {key: self.built(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.built(item) for item in value]
        return value


def json_data(value: Any, name: str = "") -> Any:
    """A copy of a value of Python's as JSON data and nothing else. `SerializationError` for what is none; `name` is
    what the message calls the whole of it."""
    try:
        return sendable(plain(value))
    except SerializationError as error:
        where = name or "$"
        message = f"{where}{str(error).removeprefix('$')}"
        raise SerializationError(message, path=f"{where}{error.path.removeprefix('$')}") from None
    except RecursionError:
        what = "it contains itself"
    except TypeError as error:
        what = str(error)
    raise SerializationError(f"{name}: {what}" if name else what)


def plain(value: Any) -> Value:
    """A hook's result as JSON data: structs, attrs and dataclasses become objects. `TypeError` for what is no JSON:
    bytes among it, of which nobody knows which text they are."""
    data = msgspec.to_builtins(value, builtin_types=_BYTES, enc_hook=_converted)
    waiting = [data]
    while waiting:
        at = waiting.pop()
        if isinstance(at, dict):
            waiting.extend(at)
            waiting.extend(at.values())
        elif isinstance(at, list | tuple):
            waiting.extend(at)
        elif isinstance(at, _BYTES):
            raise TypeError("bytes are no text: decode them first, as in `data.decode()`")
    return data


def _converted(value: Any) -> Any:
    """What says itself how it is written in JSON: numbers and arrays of numpy and its like, models of pydantic's,
    paths, and subclasses of what JSON has."""
    for way in ("tolist", "model_dump"):
        if not isinstance(value, type) and callable(getattr(value, way, None)):
            return getattr(value, way)()
    match value:
        case str():
            return str.__str__(value)
        case Integral():
            return int(value)
        case Real():
            return float(value)
        case PathLike():
            return fspath(value)
        case Mapping():
            return dict(value)
    kind = (
        f"the class {value.__name__}"
        if isinstance(value, type)
        else f"a value of type {type(value).__name__}"
    )
    raise TypeError(f"it holds {kind}: make a text, number, list or object of that first")


def _attribute(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name
