"""Cases as inputs of a flow: what does not fit is found before anything is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from ...dsl import ast
from ...dsl.plan import FlowPlan, UsePlan
from ...dsl.shapes import Json as JsonShape
from ...dsl.shapes import Literal, Text, Union
from ..inputs import FlowInput
from ..judge.errors import ConfigurationError
from ..session import Session
from ..store.records import Json
from .cases import INPUT, Case
from .rows import Fault, json_value


def fitting(
    session: Session, flow: str, cases: Sequence[Case], name: str, uses: Sequence[UsePlan] = ()
) -> tuple[tuple[Case, ...], tuple[Fault, ...]]:
    """The cases that the flow can take, with their inputs in the flow's shapes, and what is wrong with the others.
    A column that a check reads need be no parameter."""
    plan = session.plan.flows[flow]
    names = [param.name for param in plan.params]
    read = columns_read(uses) - {*names}
    takes = (
        f"{flow} takes {', '.join(names) or 'no input'}; a column for checks is one that they read (case.…)"
    )
    reader = FlowInput(session.system, flow)
    kept: list[Case] = []
    faults: list[Fault] = []
    for case in cases:
        given = typed(_parameters(case, read), plan)
        try:
            reader.values(given)
        except ConfigurationError as error:
            faults.append(Fault(name, case.line, error.message, takes))
        else:
            kept.append(msgspec.structs.replace(case, input=given))
    return tuple(kept), tuple(faults)


def columns_read(uses: Sequence[UsePlan]) -> frozenset[str]:
    """The columns that the arguments of checks read: `case.must`."""
    found: set[str] = set()
    waiting: list[Any] = [use.args for use in uses]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting += node
        elif isinstance(node, ast.Node):
            if isinstance(node, ast.Field) and isinstance(node.target, ast.Name) and node.target.id == "case":
                found.add(node.name.text)
            waiting += (getattr(node, field) for field in node.__struct_fields__)
    return frozenset(found)


def _parameters(case: Case, read: frozenset[str]) -> Json:
    """The input of a case; where its columns are the input, without those that only checks read."""
    if not isinstance(case.input, dict) or any(key in case.fields for key in INPUT):
        return case.input
    return {key: value for key, value in case.input.items() if key not in read}


def typed(given: Json, flow: FlowPlan) -> Json:
    """Cells of a table are texts; where the flow wants another shape they are read as JSON."""
    shapes = {param.name: param.shape for param in flow.params}
    if isinstance(given, str) and not _is_input(list(shapes.values())):
        given = _parsed(given)
    if not isinstance(given, dict):
        return given
    return {
        name: _parsed(value) if isinstance(value, str) and not _takes_text(shapes.get(name)) else value
        for name, value in given.items()
    }


def _is_input(shapes: Sequence[Any]) -> bool:
    """Whether a text may be the input as it is: of a flow that takes one text, or anything."""
    return not shapes or (len(shapes) == 1 and (isinstance(shapes[0], JsonShape) or _takes_text(shapes[0])))


def _takes_text(shape: Any) -> bool:
    if isinstance(shape, Union):
        return any(_takes_text(option) for option in shape.options)
    return shape is None or isinstance(shape, Text | Literal)


def _parsed(text: str) -> Json:
    try:
        return json_value(text)
    except (ValueError, RecursionError):
        return text
