"""What a caller gives as a flow's input, as values of the flow's parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..dsl.plan import ParamPlan
from ..dsl.shapes import Text
from .agents.classes import plain
from .agents.decode import Decoder
from .expr import to_json
from .flow.binding import compiled_defaults, fill_defaults
from .flow.system import System
from .judge.errors import ConfigurationError


def input_values(system: System, flow: str, input: Any) -> dict[str, Any]:
    """One text for a flow of one parameter, else an object with a value for each parameter.

    Raises `ConfigurationError`, which names every fault at once.
    """
    params = system.plan.flows[flow].params
    given = _by_name(params, flow, input)
    names = [param.name for param in params]
    faults = [f"{name}: {flow} has no such parameter" for name in given if name not in names]
    decoder = Decoder(system.plan.types)
    values: dict[str, Any] = {}
    for param in params:
        if given.get(param.name) is not None:
            value, wrong = _decoded(decoder, param, given[param.name])
            faults.extend(f"{param.name}{fault.removeprefix('$')}" for fault in wrong)
            values[param.name] = value
        elif param.default is None and not param.optional:
            faults.append(f"{param.name}: is missing")
    if faults:
        raise ConfigurationError(f"{flow}: {'; '.join(faults)}", code="flow.wrong-arguments")
    origin = system.plan.flows[flow].origin
    fill_defaults(values, params, compiled_defaults(params, system.compiler, origin))
    return values


def task_of(system: System, flow: str, input: Any) -> Any:
    """What the record keeps as the question: a text where the input is the flow's first parameter and nothing else,
    so that the same input can be given again."""
    params = system.plan.flows[flow].params
    if isinstance(input, Mapping) and len(input) == 1 and params:
        value = input.get(params[0].name)
        return value if isinstance(value, str) else plain(dict(input))
    return plain(input)


def _by_name(params: Sequence[ParamPlan], flow: str, input: Any) -> dict[str, Any]:
    names = [param.name for param in params]
    if input is None:
        return {}
    if isinstance(input, Mapping) and (len(params) != 1 or set(input) <= set(names)):
        return dict(input)
    needed = [param for param in params if param.default is None and not param.optional]
    if params and len(needed) <= 1:
        return {(needed or params)[0].name: input}
    raise ConfigurationError(
        f"{flow} takes {', '.join(names) or 'no input'}: give each by name", code="flow.wrong-arguments"
    )


def _decoded(decoder: Decoder, param: ParamPlan, given: Any) -> tuple[Any, list[str]]:
    """A text parameter takes other JSON data as its text."""
    raw = plain(given)
    value, wrong = decoder.decode(param.shape, raw)
    if wrong and isinstance(param.shape, Text) and not isinstance(raw, str):
        return decoder.decode(param.shape, to_json(raw))
    return value, wrong
