"""What other declarations may rely on: a declaration's surface.

Pure and without positions, so that a declaration whose body changes keeps its surface. Shapes stand as they
were written: a type's name is a `Record` of that name until a scope says what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from .. import ast
from .. import shapes as s
from ..mentions import Caller, Reading, callers_in
from ..shapes import FieldInfo, ParamInfo, Shape, TypeInfo
from .base import (
    CallableSurface,
    ConstantSurface,
    ModelSurface,
    NamedSurface,
    QuestionSurface,
    SuiteSurface,
    Surface,
    TypeSurface,
)
from .builtins import GATE_VALUE, VERDICT, decision_shape

_LONGEST_BOUND = 30
_PRIMITIVES: dict[str, Shape] = {
    "text": s.Text(),
    "int": s.Int(),
    "float": s.Float(),
    "bool": s.Bool(),
    "json": s.Json(),
}
_TEXT = s.Text()
_UNKNOWN = s.Unknown()
REPLY = ParamInfo("reply", _TEXT)


def surface_of(node: ast.Declaration, reading: Reading) -> Surface | None:
    """The surface of a declaration that has a name; None for the others (`limits`, `memory`, tests, …). `reading` is
    what was read in it."""
    kind = type(node)
    if kind in _READERS:
        return _READERS[kind](node, reading)
    build = _BUILDERS.get(kind)
    return build(node) if build is not None else None


def shape_of(node: ast.ShapeNode) -> Shape:
    """A shape as it was written."""
    match node:
        case ast.TypeRef(name=name):
            return s.Record(name)
        case ast.Primitive(name=name, bounds=bounds):
            return _PRIMITIVES[name] if bounds is None else _bounded(name, bounds)
        case ast.LiteralShape(value=value):
            return s.Literal(value.plain or "")
        case ast.ListShape(item=item, bounds=bounds):
            low, high = whole_bounds(bounds)
            return s.ListOf(shape_of(item), low, high)
        case ast.UnionShape(options=options):
            return s.Union(tuple(shape_of(option) for option in options))


def params_of(params: Iterable[ast.Param]) -> tuple[ParamInfo, ...]:
    """Parameters; one without a shape takes a text."""
    return tuple(
        ParamInfo(
            param.name.text,
            shape_of(param.shape) if param.shape is not None else _TEXT,
            param.optional,
            param.default is not None,
            param.hidden,
        )
        for param in params
    )


def whole_bounds(bounds: ast.Bounds | None) -> tuple[int | None, int | None]:
    """Bounds that count something. What is no whole number is open: the checker reports it where it
    stands."""
    if bounds is None:
        return None, None
    return _whole(bounds.low), _whole(bounds.high)


def _whole(text: str | None) -> int | None:
    if text is None or len(text) > _LONGEST_BOUND:
        return None
    try:
        return int(text)
    except ValueError:
        number = float(text)
        return int(number) if number.is_integer() and abs(number) < 2**53 else None


def _bounded(name: str, bounds: ast.Bounds) -> Shape:
    if name == "text":
        return s.Text(*whole_bounds(bounds))
    if name == "int":
        return s.Int(*whole_bounds(bounds))
    if name == "float":
        return s.Float(bounds.low, bounds.high)
    return _PRIMITIVES[name]


def constant_shape(value: ast.Expr) -> Shape:
    """What a constant's text alone tells of its shape. Texts are not told apart: a constant is not its one
    value."""
    match value:
        case ast.Text():
            return _TEXT
        case ast.Number(text=text):
            return _PRIMITIVES["float" if any(mark in text for mark in ".eE") else "int"]
        case ast.Bool() | ast.Is() | ast.Quantified() | ast.Unary(op="not"):
            return _PRIMITIVES["bool"]
        case ast.Money():
            return s.Money()
        case ast.Duration():
            return s.Duration()
        case ast.Null():
            return s.Null()
        case ast.Unary(operand=operand):
            return constant_shape(operand)
        case ast.ListExpr(items=items):
            shapes = list(dict.fromkeys(map(constant_shape, items)))
            return s.ListOf(shapes[0] if len(shapes) == 1 else _UNKNOWN)
        case ast.Object(pairs=pairs):
            return s.Object("an object", tuple((pair.key.text, constant_shape(pair.value)) for pair in pairs))
    return _UNKNOWN


def clause_of(clauses: Iterable[Any], keyword: str) -> Any:
    """The value of the first clause of that keyword, or None."""
    for clause in clauses:
        if type(clause) is ast.Clause and clause.keyword == keyword:
            return clause.value
    return None


def choices_of(options: ast.Options | ast.Texts | None) -> tuple[str, ...]:
    """The options of a choice, or the levels of a scale."""
    if isinstance(options, ast.Options):
        return tuple(item.name.text for item in options.items)
    return tuple(item.plain or "" for item in options.items) if isinstance(options, ast.Texts) else ()


def judge_form(node: ast.Judge) -> str:
    """How a judge comes to its verdict: code, python, ask, rate or decide."""
    keywords = {clause.keyword for clause in node.clauses if type(clause) is ast.Clause}
    return next((form for form in ("python", "decide", "rate", "ask") if form in keywords), "code")


def _plain(text: ast.Text | None) -> str | None:
    return text.plain if text is not None else None


def _models(clauses: Iterable[Any]) -> tuple[str, ...]:
    model = clause_of(clauses, "model")
    refs = model.items if isinstance(model, ast.Models) else (model,)
    return tuple(ref.text for ref in refs if isinstance(ref, ast.ModelRef) and ref.text.strip())


# --- what is called inside --------------------------------------------------------------------------------

_CALLEES: dict[type, Callable[[Any], str]] = {
    ast.Call: attrgetter("callee.text"),
    ast.Best: attrgetter("picker.text"),
    ast.Ask: attrgetter("agent.text"),
    ast.GateJudge: attrgetter("use.name.text"),
}


def _callees(callers: Iterable[Caller]) -> tuple[str, ...]:
    """The names of everything that is called, asked or picks, each once, in order."""
    return tuple(dict.fromkeys([_CALLEES[type(node)](node) for node in callers]))


def _tools_read(callers: Iterable[Caller]) -> tuple[str, ...]:
    """The tools whose calls a judge reads: `calls(get_order)`."""
    read = [
        dotted(node.args[0].value)
        for node in callers
        if type(node) is ast.Call and node.callee.text == "calls" and node.args
    ]
    return tuple(dict.fromkeys(tool for tool in read if tool))


def dotted(expr: ast.Expr) -> str | None:
    """The text of a name or of a chain of fields on one; None for anything else."""
    parts: list[str] = []
    while type(expr) is ast.Field:
        parts.append(expr.name.text)
        expr = expr.target
    return ".".join((expr.id, *reversed(parts))) if type(expr) is ast.Name else None


# --- one builder per kind of declaration ------------------------------------------------------------------


def _constant(node: ast.Constant, reading: Reading) -> Surface:
    return ConstantSurface(node.name.text, constant_shape(node.value), tuple(sorted(reading.names)))


def _model(node: ast.Model) -> Surface:
    kind = clause_of(node.clauses, "kind")
    fallback = clause_of(node.clauses, "fallback")
    return ModelSurface(
        name=node.name.text,
        slug=node.slug.plain or "",
        kind="decision" if isinstance(kind, ast.Ident) and kind.text == "decision" else "chat",
        via=node.via.text if node.via is not None else None,
        priced=clause_of(node.clauses, "price") is not None,
        fallback=tuple(ref.text for ref in fallback.items) if isinstance(fallback, ast.Models) else (),
    )


def _type(node: ast.Type) -> Surface:
    if node.alias is not None:
        return TypeSurface(node.name.text, alias=shape_of(node.alias))
    fields = tuple(
        FieldInfo(field.name.text, shape_of(field.shape), field.optional, _plain(field.description))
        for field in node.fields
    )
    extends = node.extends.text if node.extends is not None else None
    info = TypeInfo(node.name.text, fields, extends, _plain(node.description))
    return TypeSurface(node.name.text, info=info)


def _tool(node: ast.Tool) -> Surface:
    mcp = clause_of(node.clauses, "mcp")
    functions: tuple[str, ...] = ()
    if isinstance(mcp, ast.Mcp):
        functions = tuple(name.text for name in mcp.only.items) if mcp.only is not None else ("*",)
    return CallableSurface(
        kind="tool",
        name=node.name.text,
        params=params_of(node.params),
        result=shape_of(node.shape) if node.shape is not None else _UNKNOWN,
        description=_plain(node.description),
        functions=functions,
    )


def _agent(node: ast.Agent) -> Surface:
    judges = clause_of(node.clauses, "judges")
    return CallableSurface(
        kind="agent",
        name=node.name.text,
        params=params_of(node.params),
        result=shape_of(node.shape) if node.shape is not None else _TEXT,
        description=_plain(node.description),
        models=_models(node.clauses),
        judges=tuple(use.name.text for use in judges.items) if isinstance(judges, ast.Uses) else (),
    )


def _judge(node: ast.Judge, reading: Reading) -> Surface:
    return CallableSurface(
        kind="judge",
        name=node.name.text,
        params=(REPLY,) if node.params is None else params_of(node.params),
        result=VERDICT,
        description=_plain(node.description),
        models=_models(node.clauses),
        calls=_tools_read(reading.callers),
        code=node.code,
        form=judge_form(node),
        questions=_questions(clause_of(node.clauses, "decide")),
    )


def _questions(asked: Any) -> tuple[QuestionSurface, ...]:
    if not isinstance(asked, ast.Questions):
        return ()
    return tuple(QuestionSurface(q.name.text, q.kind, choices_of(q.options)) for q in asked.items)


def _gate(node: ast.Gate, reading: Reading) -> Surface:
    return CallableSurface(
        kind="gate",
        name=node.name.text,
        params=params_of(node.params),
        result=GATE_VALUE,
        description=_plain(node.description),
        calls=_callees(reading.callers),
    )


def _decision(node: ast.Decision) -> Surface:
    options = choices_of(clause_of(node.clauses, "options" if node.kind == "choice" else "levels"))
    if node.kind == "condition":
        options = ()
    return CallableSurface(
        kind=node.kind,
        name=node.name.text,
        params=params_of(node.params),
        result=decision_shape(node.kind, options, declared=True),
        description=_plain(node.description),
        models=_models(node.clauses),
        options=options,
        confident=clause_of(node.clauses, "confidence") is not None,
        calls=_callees(callers_in(clause_of(node.clauses, "context"))),
    )


def _flow(node: ast.Flow, reading: Reading) -> Surface:
    return CallableSurface(
        kind="flow",
        name=node.name.text,
        params=params_of(node.params),
        result=shape_of(node.shape) if node.shape is not None else _UNKNOWN,
        description=_plain(node.description),
        calls=_callees(reading.callers),
    )


def _named(node: Any) -> Surface:
    return NamedSurface(type(node).__struct_config__.tag, node.name.text)


def _suite(node: ast.Suite) -> Surface:
    checks = clause_of(node.clauses, "checks")
    uses = checks.items if isinstance(checks, ast.Uses) else ()
    return SuiteSurface("suite", node.name.text, node.flow.text, tuple(use.name.text for use in uses))


_BUILDERS: dict[type, Callable[[Any], Surface]] = {
    ast.Model: _model,
    ast.Type: _type,
    ast.Tool: _tool,
    ast.Agent: _agent,
    ast.Decision: _decision,
    ast.Provider: _named,
    ast.Scorer: _named,
    ast.Profile: _named,
    ast.Suite: _suite,
}
_READERS: dict[type, Callable[[Any, Reading], Surface]] = {
    ast.Constant: _constant,
    ast.Judge: _judge,
    ast.Gate: _gate,
    ast.Flow: _flow,
}
"""Those of what others rely on for what it calls or mentions."""


def with_defaults(shape: Shape, optional: bool) -> Shape:
    """The shape of a parameter or field as a name for it sees it."""
    return s.Nullable(shape) if optional and not isinstance(shape, s.Nullable | s.Unknown | s.Json) else shape


__all__ = [
    "clause_of",
    "constant_shape",
    "judge_form",
    "params_of",
    "shape_of",
    "surface_of",
    "with_defaults",
]
