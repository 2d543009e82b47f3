"""What a caller gives as a flow's input, as values of the flow's parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..dsl.plan import ParamPlan
from ..dsl.shapes import Json, Nullable, Record, Shape, Text, Union
from ..dsl.suggest import closest
from .agents.classes import json_data
from .agents.decode import Decoder
from .expr import to_json
from .flow.binding import compiled_defaults, fill_defaults
from .flow.system import System
from .judge.errors import ConfigurationError, SerializationError


class FlowInput:
    """The input of one flow. Made once, read for every run."""

    def __init__(self, system: System, flow: str) -> None:
        plan = system.plan.flows[flow]
        self._flow = flow
        self._params = plan.params
        self._names = [param.name for param in plan.params]
        self._needed = [param for param in plan.params if param.default is None and not param.optional]
        self._decoder = Decoder(system.plan.types)
        self._defaults = compiled_defaults(plan.params, system.compiler, plan.origin)

    def values(self, input: Any) -> dict[str, Any]:
        """One text for a flow of one parameter, else an object with a value for each parameter.

        Raises `ConfigurationError`, which names every fault at once: what is no JSON data among them.
        """
        given = self._by_name(input)
        faults = [
            unknown_parameter(self._flow, name, self._names) for name in given if name not in self._names
        ]
        values: dict[str, Any] = {}
        for param in self._params:
            if given.get(param.name) is not None:
                value, wrong = self._decoded(param, given[param.name])
                faults.extend(f"{param.name}{fault[1:]}" if fault[0] == "$" else fault for fault in wrong)
                values[param.name] = value
            elif param in self._needed:
                faults.append(f"{param.name}: is missing")
        if faults:
            raise ConfigurationError(f"{self._flow}: {'; '.join(faults)}", code="flow.wrong-arguments")
        fill_defaults(values, self._params, self._defaults)
        return values

    def task(self, input: Any) -> Any:
        """What the record keeps as the question: a text where the input is the flow's first parameter and nothing
        else, so that the same input can be given again."""
        if isinstance(input, str):
            return input
        if isinstance(input, Mapping) and len(input) == 1 and self._params:
            value = input.get(self._names[0])
            return value if isinstance(value, str) else json_data(input)
        return json_data(input)

    def _by_name(self, input: Any) -> dict[str, Any]:
        if input is None:
            return {}
        if isinstance(input, Mapping) and not self._is_a_value(input):
            for name in input:
                if not isinstance(name, str):
                    raise ConfigurationError(
                        f"{self._flow}: {name!r} is no name of a parameter", code="flow.wrong-arguments"
                    )
            return dict(input)
        if self._params and len(self._needed) <= 1:
            return {(self._needed or self._params)[0].name: input}
        raise ConfigurationError(
            f"{self._flow} takes {', '.join(self._names)}: give each by name"
            if self._names
            else f"{self._flow} takes no input",
            code="flow.wrong-arguments",
        )

    def _is_a_value(self, input: Mapping[str, Any]) -> bool:
        """Whether an object is the one parameter itself: it names no parameter, and the parameter can be an object. A
        text never is one, so that a misspelt name does not become the task."""
        return (
            len(self._params) == 1
            and not set(input) <= set(self._names)
            and _holds_object(self._params[0].shape)
        )

    def _decoded(self, param: ParamPlan, given: Any) -> tuple[Any, list[str]]:
        """A text parameter takes other JSON data as its text."""
        try:
            raw = json_data(given, param.name)
        except SerializationError as error:
            return None, [str(error)]
        value, wrong = self._decoder.decode(param.shape, raw)
        if wrong and isinstance(param.shape, Text) and not isinstance(raw, str):
            return self._decoder.decode(param.shape, to_json(raw))
        return value, wrong


def unknown_parameter(flow: str, name: str, known: Sequence[str]) -> str:
    """Why a name that was given is refused, with the one that was probably meant."""
    near = closest(name, known)
    meant = f"did you mean `{near}`?" if near else f"it takes {', '.join(known) or 'no input'}"
    return f"{name}: {flow} has no such parameter: {meant}"


def _holds_object(shape: Shape) -> bool:
    match shape:
        case Json() | Record():
            return True
        case Nullable(item):
            return _holds_object(item)
        case Union(options):
            return any(map(_holds_object, options))
    return False
