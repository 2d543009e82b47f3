"""The input of a run from the command line: the task, `--input`, `--input-file`, or standard input."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from ...dsl.plan import FlowPlan
from ...dsl.shapes import Json, Literal, Shape, Text, Union
from ..inputs import unknown_parameter
from ..judge.reading.strict_json import NotJson, parse, plain
from .wrong_use import WrongUse


def input_of(arguments: argparse.Namespace, flow: FlowPlan) -> Any:
    """What the flow is given; only one way of giving it may be used at a time.

    Raises `WrongUse`, which says how to give it: nothing is run on an empty task.
    """
    given: dict[str, Any] = {}
    if arguments.input_file:
        given.update(_from_file(arguments.input_file))
    given.update(_by_name(arguments.input, flow))
    if given and arguments.task is not None:
        raise WrongUse("give the task as text or the input by name, not both")
    if given:
        return given
    if arguments.task is not None:
        task = _whole(arguments.task, "the task")
        return _typed(_some(task, flow, arguments, "the task is empty"), flow)
    if not any(param.default is None and not param.optional for param in flow.params):
        return None
    if sys.stdin.isatty():
        raise WrongUse(f"{flow.name} needs a task: {_how(flow, arguments)}")
    return _typed(_some(_read_input(), flow, arguments, "standard input is empty"), flow)


def _read_input() -> str:
    try:
        return _whole(sys.stdin.read(), "standard input").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise WrongUse("standard input is no UTF-8 text") from None


def _whole(text: str, what: str) -> str:
    """A text of the command line. What Python could not decode, as in a locale without UTF-8, is read as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        try:
            return os.fsencode(text).decode()
        except UnicodeError:
            raise WrongUse(f"{what} is no UTF-8 text") from None
    return text


def _typed(task: str, flow: FlowPlan) -> Any:
    """The task as what its parameter holds."""
    needed = [param for param in flow.params if param.default is None and not param.optional]
    params = needed or flow.params
    return _json(task, params[0].shape, "the task") if params and not _is_text(params[0].shape) else task


def _some(task: str, flow: FlowPlan, arguments: argparse.Namespace, otherwise: str) -> str:
    if flow.params and not task.strip():
        raise WrongUse(f"{otherwise}, and {flow.name} needs a task: {_how(flow, arguments)}")
    return task


def _how(flow: FlowPlan, arguments: argparse.Namespace) -> str:
    """The command that would work."""
    needed = [param.name for param in flow.params if param.default is None and not param.optional]
    named = " ".join(f"--input {name}=…" for name in needed)
    command = f"jrun {arguments.file}" + (f" --flow {arguments.flow}" if arguments.flow else "")
    if len(needed) == 1:
        return f'write `{command} "…"`, or `{named}`, or pipe it in'
    return f"write `{command} {named}`, or `--input-file input.json`"


def _by_name(pairs: list[str], flow: FlowPlan) -> dict[str, Any]:
    """Values from the command line are texts; where the flow wants another shape they are read as JSON."""
    shapes = {param.name: param.shape for param in flow.params}
    given: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise WrongUse(f"--input {pair}: write NAME=VALUE")
        if name not in shapes:
            raise WrongUse(f"--input {unknown_parameter(flow.name, name, list(shapes))}")
        if name in given:
            raise WrongUse(f"--input {name}: it is given twice")
        value = _whole(value, f"--input {name}")
        shape = shapes[name]
        given[name] = value if _is_text(shape) else _json(value, shape, f"--input {name}")
    return given


def _is_text(shape: Shape) -> bool:
    match shape:
        case Text() | Literal():
            return True
        case Union(options):
            return all(map(_is_text, options))
    return False


def _json(value: str, shape: Shape, what: str) -> Any:
    """The JSON value that a text holds, else the text: whoever wants anything takes that, too."""
    try:
        return plain(parse(value))
    except NotJson as error:
        if value.lstrip().startswith(("{", "[")) and not isinstance(shape, Json):
            raise WrongUse(f"{what}: not JSON: {error}") from None
        return value


def _from_file(path: str) -> dict[str, Any]:
    try:
        data = plain(parse(Path(path).read_bytes().decode("utf-8-sig")))
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise WrongUse(f"{path}: byte {error.start} is not valid UTF-8: save it again as UTF-8") from None
    except NotJson as error:
        raise WrongUse(f"{path}: not JSON: {error}") from None
    if not isinstance(data, dict):
        raise WrongUse(f"{path}: must hold a JSON object with the flow's parameters")
    return data
