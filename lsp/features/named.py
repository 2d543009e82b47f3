"""Names by kind: what a declaration's name may be in a place that names one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from ...dsl import ast
from ...dsl.check.base import (
    CallableSurface,
    ConstantSurface,
    ModelSurface,
    NamedSurface,
    Surface,
    TypeSurface,
)
from ...dsl.check.builtins import APIS, MODEL_KINDS, PROVIDERS, RUBRICS
from ...dsl.check.fit import describe, options_of, record_fields, resolve, without_null
from ...dsl.check.scripts import PEOPLE
from ...dsl.shapes import Literal as LiteralShape
from ...dsl.shapes import Object, Record, Variant
from ...dsl.workspace.analysis import Analysis
from ..cursor import Tried
from ..seen import scope_of
from ..words import parameter, signature
from ..written import filled_at
from .hover import model_facts

NameKind = Literal["function", "method", "module", "class", "value", "variable", "property"]
Offer = tuple[str, str, NameKind]
"""A name, what it is, and how an editor shows it."""

_WORDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("model", "kind"): MODEL_KINDS,
    ("provider", "api"): APIS,
    ("gate", "unreadable"): ("pass", "block"),
    ("judge", "rate"): RUBRICS,
}


def names_for(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    """The names that fit where the stand-in is; none where a new name is written."""
    here, parent = reading.here, reading.parent
    if isinstance(here, ast.ModelRef):
        own = reading.node.name.text if isinstance(reading.node, ast.Model) else ""
        yield from _declared(
            analysis, lambda surface: isinstance(surface, ModelSurface) and surface.name != own
        )
    elif isinstance(here, ast.Ident) and parent is not None:
        offers = _OFFERS.get(type(parent))
        if offers is not None:
            yield from offers(reading, analysis)


def _declared(analysis: Analysis, wanted: Callable[[Surface], bool]) -> Iterator[Offer]:
    for name in analysis.names:
        surface = analysis.surface(name)
        if surface is not None and wanted(surface):
            yield name, _detail(surface, analysis), _kind(surface)


def _callable(*kinds: str) -> Callable[[Surface], bool]:
    return lambda surface: isinstance(surface, CallableSurface) and surface.kind in kinds


def _detail(surface: Surface, analysis: Analysis) -> str:
    return model_facts(surface, analysis) if isinstance(surface, ModelSurface) else signature(surface)


def _kind(surface: Surface) -> NameKind:
    match surface:
        case CallableSurface(kind="judge") | NamedSurface():
            return "method"
        case CallableSurface():
            return "function"
        case TypeSurface():
            return "class"
        case ConstantSurface():
            return "variable"
        case _:
            return "module"


# --- by the node around the name ---------------------------------------------------------------------------


def _names(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    clause = reading.inside(ast.Clause)
    if clause is not None and clause.keyword == "secret":
        for param in getattr(reading.node, "params", ()):
            yield param.name.text, "an argument of this tool", "variable"
    elif reading.inside(ast.Mcp) is None:
        yield from tools(analysis)


def tools(analysis: Analysis) -> Iterator[Offer]:
    yield from _declared(analysis, _callable("tool"))


def judged(analysis: Analysis) -> Iterator[Offer]:
    """Those whose answers have verdicts."""
    yield from _declared(analysis, _callable("agent"))


NAMED_IN = {"calls": tools, "verdicts": judged}
"""What the functions that take the name of a declaration are about."""


def _uses(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    if reading.inside(ast.GateJudge) is not None:
        yield from _declared(analysis, _callable("agent", "judge"))
        return
    yield from _declared(analysis, _callable("judge"))
    if isinstance(reading.node, ast.Suite):
        yield from _scorers(reading, analysis)


def _scorers(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    yield from _declared(
        analysis, lambda surface: isinstance(surface, NamedSurface) and surface.kind == "scorer"
    )


def _flows(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    parent = reading.parent
    if isinstance(parent, ast.Suite | ast.Test) and parent.flow is reading.here:
        yield from _declared(analysis, _callable("flow"))


def _agents(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    yield from _declared(analysis, _callable("agent"))


def _providers(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    parent = reading.parent
    if isinstance(parent, ast.Model) and parent.via is reading.here:
        yield from _declared(
            analysis, lambda surface: isinstance(surface, NamedSurface) and surface.kind == "provider"
        )
        for name in PROVIDERS:
            yield name, "a provider that needs no declaration", "module"


def _overridden(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    parent = reading.parent
    assert isinstance(parent, ast.Override)
    if parent.kind == "model":
        yield from _declared(analysis, lambda surface: isinstance(surface, ModelSurface))
    else:
        yield from _declared(analysis, _callable(parent.kind))


def _scripted(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    yield from _declared(analysis, _callable("agent", "judge", "tool", "condition", "choice", "scale"))
    yield PEOPLE, "the people who are asked", "function"


def _types(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    """A type that the value may be; any type where its shape is not known."""
    judged = reading.node.params if isinstance(reading.node, ast.Judge) and reading.node.params else ()
    surface = analysis.surface(reading.node.name.text) if isinstance(reading.node, ast.Judge) else None
    options: Iterable[str] = ()
    if judged and isinstance(surface, CallableSurface):
        known = without_null(resolve(surface.params[0].shape, scope_of(analysis)))
        options = [option.name for option in options_of(known) if isinstance(option, Record)]
    wanted = set(options)
    yield from _declared(
        analysis,
        lambda found: isinstance(found, TypeSurface) and (not wanted or found.name in wanted),
    )


def _tested(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    parent = reading.parent
    shape = reading.seen.shape(parent.operand) if isinstance(parent, ast.Is) else None
    known = without_null(resolve(shape, scope_of(analysis))) if shape is not None else None
    options = {option.name for option in options_of(known) if isinstance(option, Record)} if known else set()
    yield from _declared(
        analysis, lambda found: isinstance(found, TypeSurface) and (not options or found.name in options)
    )


def _labels(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    """The options or types of a `switch` that have no case yet."""
    switch = reading.inside(ast.Switch)
    if switch is None:
        return
    taken = {case.label.text for case in switch.cases}
    for label, detail in switch_labels(switch, reading, analysis):
        if label not in taken:
            yield label, detail, "value"


def switch_labels(switch: ast.Switch, reading: Tried, analysis: Analysis) -> Iterator[tuple[str, str]]:
    subject = switch.subject
    asked = analysis.surface(subject.callee.text) if isinstance(subject, ast.Call) else None
    if isinstance(asked, CallableSurface) and asked.options:
        yield from ((option, f"an option of {asked.name}") for option in asked.options)
        return
    shape = reading.seen.shape(subject)
    if shape is None:
        return
    known = without_null(resolve(shape, scope_of(analysis)))
    if isinstance(known, Object):
        known = dict(known.fields).get("value", known)
    for option in options_of(known):
        if isinstance(option, Record):
            yield option.name, describe(option)
        elif isinstance(option, LiteralShape):
            yield option.value, describe(option)
    if isinstance(known, Variant):
        yield from ((name, name) for name in known.options)


def _words(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    clause = reading.parent
    assert isinstance(clause, ast.Clause)
    kind = {ast.Model: "model", ast.Provider: "provider", ast.Gate: "gate"}.get(type(reading.node), "judge")
    for word in _WORDS.get((kind, clause.keyword), ()):
        yield word, "", "value"


def _given(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    """The arguments of the flow that a test has not given yet."""
    test = reading.node
    if not isinstance(test, ast.Test) or test.given is None or reading.parent not in test.given.pairs:
        yield from _keys(reading, analysis)
        return
    flow = analysis.surface(test.flow.text)
    taken = {pair.key.text for pair in test.given.pairs}
    for param in flow.params if isinstance(flow, CallableSurface) else ():
        if param.name not in taken:
            yield param.name, parameter(param), "property"


def _keys(reading: Tried, analysis: Analysis) -> Iterator[Offer]:
    """The fields that an object lacks to be of the type that is wanted there."""
    scope = scope_of(analysis)
    filled = filled_at(reading.node, scope, reading.here)
    taken = {pair.key.text for pair in filled.value.pairs} if filled is not None else ()
    for name, shape in record_fields(filled.record, scope).items() if filled is not None else ():
        if name not in taken:
            yield name, describe(shape), "property"


_OFFERS: dict[type, Callable[[Tried, Analysis], Iterator[Offer]]] = {
    ast.Names: _names,
    ast.Use: _uses,
    ast.ScorerEntry: _scorers,
    ast.Suite: _flows,
    ast.Test: _flows,
    ast.Ask: _agents,
    ast.Best: _agents,
    ast.Model: _providers,
    ast.Override: _overridden,
    ast.Script: _scripted,
    ast.Case: _types,
    ast.Is: _tested,
    ast.SwitchCase: _labels,
    ast.Clause: _words,
    ast.Pair: _given,
}
