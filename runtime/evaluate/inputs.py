"""Cases as inputs of a flow: what does not fit is found before anything is run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from ...dsl.plan import FlowPlan
from ...dsl.shapes import Literal, Text, Union
from ..inputs import FlowInput
from ..judge.errors import ConfigurationError
from ..session import Session
from ..store.records import Json
from .cases import Case
from .rows import Fault


def fitting(
    session: Session, flow: str, cases: Sequence[Case], name: str
) -> tuple[tuple[Case, ...], tuple[Fault, ...]]:
    """The cases that the flow can take, with their inputs in the flow's shapes, and what is wrong with the others."""
    plan = session.plan.flows[flow]
    reader = FlowInput(session.system, flow)
    kept: list[Case] = []
    faults: list[Fault] = []
    for case in cases:
        given = typed(case.input, plan)
        try:
            reader.values(given)
        except ConfigurationError as error:
            fix = f"{flow} takes {', '.join(param.name for param in plan.params) or 'no input'}"
            faults.append(Fault(name, case.line, error.message, fix))
        else:
            kept.append(msgspec.structs.replace(case, input=given))
    return tuple(kept), tuple(faults)


def typed(given: Json, flow: FlowPlan) -> Json:
    """Cells of a table are texts; where the flow wants another shape they are read as JSON."""
    if not isinstance(given, dict):
        return given
    shapes = {param.name: param.shape for param in flow.params}
    return {
        name: _parsed(value) if isinstance(value, str) and not _takes_text(shapes.get(name)) else value
        for name, value in given.items()
    }


def _takes_text(shape: Any) -> bool:
    if isinstance(shape, Union):
        return any(_takes_text(option) for option in shape.options)
    return shape is None or isinstance(shape, Text | Literal)


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return text
