"""How declarations and shapes read: the one-line forms that hover, completion and signature help share."""

from __future__ import annotations

from ..dsl import ast
from ..dsl.check.base import (
    CallableSurface,
    ConstantSurface,
    ModelSurface,
    NamedSurface,
    Surface,
    TypeSurface,
)
from ..dsl.check.fit import describe
from ..dsl.check.names import kind_of
from ..dsl.shapes import ParamInfo, Shape


def parameter(param: ParamInfo) -> str:
    """`language?: text`, with ` = …` where there is a default."""
    hidden = "hidden " if param.hidden else ""
    optional = "?" if param.optional else ""
    default = " = …" if param.has_default else ""
    return f"{hidden}{param.name}: {describe(param.shape)}{optional}{default}"


def signature(surface: Surface) -> str:
    """A declaration's head: `agent translator(source: text) -> text`."""
    match surface:
        case CallableSurface():
            params = ", ".join(map(parameter, surface.params))
            result = f" -> {describe(surface.result)}" if surface.kind in ("agent", "flow", "tool") else ""
            return f"{kind_of(surface)} {surface.name}{f'({params})' if params else ''}{result}"
        case ModelSurface():
            via = f" via {surface.via}" if surface.via else ""
            return f'model {surface.name} "{surface.slug}"{via}'
        case TypeSurface(info=None, alias=alias):
            return f"type {surface.name} = {describe(alias)}" if alias is not None else f"type {surface.name}"
        case TypeSurface(info=info):
            extends = f" extends {info.extends}" if info and info.extends else ""
            return f"type {surface.name}{extends}"
        case ConstantSurface():
            return f"let {surface.name}: {describe(surface.shape)}"
        case NamedSurface():
            return f"{surface.kind} {surface.name}"


def value(name: str, shape: Shape) -> str:
    return f"{name}: {describe(shape)}"


def code(text: str) -> str:
    """A stretch of the language in Markdown."""
    return f"```judge\n{text}\n```"


def head(text: str, node: ast.Declaration) -> str:
    """A declaration as it was written, without the comments before it; of a long one only its first lines."""
    lines = text[node.start : node.end].splitlines()
    return "\n".join(lines) if len(lines) <= _MOST_LINES else "\n".join([*lines[: _MOST_LINES - 1], "  …"])


_MOST_LINES = 16
