"""What a call takes, while it is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...dsl import ast
from ...dsl.check.base import CallableSurface
from ...dsl.check.fit import describe
from ...dsl.workspace.analysis import Analysis
from ..cursor import Tried, cursor_at, tries
from ..shadows import function_called, may_call
from ..words import parameter


class Signature(NamedTuple):
    """`parameters` are stretches of the label, in code points; `active` is the one being written, if any."""

    label: str
    documentation: str
    parameters: tuple[tuple[int, int], ...]
    active: int | None


def signature_help(analysis: Analysis, offset: int) -> Signature | None:
    """The signature of the innermost call, or use of a judge, whose arguments the cursor is in."""
    for reading in tries(cursor_at(analysis, offset), analysis):
        for depth in range(len(reading.path) - 2, -1, -1):
            node = reading.path[depth]
            if isinstance(node, ast.Call | ast.Use) and isinstance(reading.path[depth + 1], ast.Arg):
                return _signature(node, reading.path[depth + 1], reading, analysis)
    return None


def _signature(
    call: ast.Call | ast.Use, arg: ast.Node, reading: Tried, analysis: Analysis
) -> Signature | None:
    name = (call.callee if isinstance(call, ast.Call) else call.name).text
    clause = reading.inside(ast.Clause)
    calls = may_call(reading.node, clause.keyword if clause is not None else "")
    function = function_called(name, reading.node, analysis.surface, calls=calls)
    surface = analysis.surface(name.partition(".")[0])
    index = next(place for place, one in enumerate(call.args) if one is arg)
    if index and "," not in reading.text[call.args[index - 1].end : arg.start]:
        index -= 1  # Behind an argument, and no comma yet.
    if isinstance(call, ast.Call) and function is not None:
        words = [f"{param.name}{'?' if param.optional else ''}" for param in function.params]
        last = len(words) - 1
        active = min(index, last) if function.variadic else index
        return _build(name, words, "", function.about, active if 0 <= active <= last else None)
    if not isinstance(surface, CallableSurface):
        return None
    params = [param for param in surface.params if not param.hidden]
    if isinstance(call, ast.Use):
        # What is judged is filled in; the arguments that are written follow it.
        params = params[1:]
    given = arg.name.text if isinstance(arg, ast.Arg) and arg.name is not None else None
    names = [param.name for param in params]
    by_name = {one.name.text for one in call.args if one.name is not None}
    free = [place for place, name in enumerate(names) if name not in by_name]
    by_place = sum(one.name is None for one in call.args[:index])
    place = names.index(given) if given in names else free[by_place] if by_place < len(free) else len(names)
    result = f" -> {describe(surface.result)}"
    words = [parameter(param) for param in params] or (["task"] if surface.kind == "agent" else [])
    return _build(name, words, result, surface.description or "", place if place < len(words) else None)


def _build(name: str, words: Iterable[str], result: str, documentation: str, active: int | None) -> Signature:
    label, spans = f"{name}(", []
    for index, word in enumerate(words):
        label += ", " if index else ""
        spans.append((len(label), len(label) + len(word)))
        label += word
    return Signature(f"{label}){result}", documentation, tuple(spans), active)
