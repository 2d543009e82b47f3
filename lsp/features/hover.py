"""What a name, a keyword or a value is, in Markdown."""

from __future__ import annotations

from typing import NamedTuple

from ...dsl import ast, clauses
from ...dsl.check.base import CallableSurface, ConstantSurface, ModelSurface, Surface, TypeSurface
from ...dsl.check.builtins import (
    FORM_NAMES,
    FUNCTIONS,
    JUDGE_FUNCTIONS,
    JUDGE_NAMES,
    TEST_FUNCTIONS,
    TEST_NAMES,
)
from ...dsl.check.fit import describe, record_of
from ...dsl.declarations import declaration
from ...dsl.parse import Item
from ...dsl.prices import list_price, price_list
from ...dsl.shapes import Unknown
from ...dsl.workspace.analysis import Analysis
from ..meaning import Named, named_at
from ..seen import look, scope_of
from ..tree import Spot, spot_at
from ..words import code, head, signature, value
from .definition import AnalysisOf
from .keywords import block_of


class Hover(NamedTuple):
    start: int
    end: int
    markdown: str


def hover(analysis: Analysis, offset: int, analysis_of: AnalysisOf) -> Hover | None:
    named = named_at(analysis, offset)
    if named is not None:
        text = _about(named, analysis, analysis_of)
        if text:
            return Hover(named.start, named.end, text)
    spot = spot_at(analysis, offset)
    return None if spot is None else _slug(spot, analysis) or _part_of_value(spot, analysis) or _keyword(spot)


def _slug(spot: Spot, analysis: Analysis) -> Hover | None:
    """A model in quotes, which is declared nowhere."""
    ref = next((node for node in spot.path if isinstance(node, ast.ModelRef) and node.quoted), None)
    if ref is None:
        return None
    start, end = spot.item.offset + ref.start, spot.item.offset + ref.end
    return Hover(start, end, model_facts(ModelSurface(ref.text, ref.text), analysis))


def _part_of_value(spot: Spot, analysis: Analysis) -> Hover | None:
    """A field that no type declares: of an object, of what a decision or a gate gives."""
    name, selection = spot.path[-1:], spot.path[-2:-1]
    if not selection or not isinstance(selection[0], ast.Field) or name[0] is not selection[0].name:
        return None
    field, item = selection[0], spot.item
    shape = look(item.node, analysis).shape(field) if item.node is not None else None
    if shape is None or isinstance(shape, Unknown):
        return None
    text = code(value(field.name.text, shape))
    return Hover(item.offset + field.name.start, item.offset + field.name.end, text)


def _about(named: Named, analysis: Analysis, analysis_of: AnalysisOf) -> str:
    target = named.target
    match target.kind:
        case "declaration":
            return about_declaration(target.name, analysis, analysis_of)
        case "builtin":
            return _builtin(target.name) or _local(named, analysis)
        case "field":
            return _field(target.owner, target.name, analysis)
        case "option" | "question":
            return _part(target.owner, target.name, analysis)
        case _:
            return _local(named, analysis)


# --- declarations ------------------------------------------------------------------------------------------


def about_declaration(name: str, analysis: Analysis, analysis_of: AnalysisOf) -> str:
    """Everything that is known about a declaration in sight, empty where there is none."""
    surface = analysis.surface(name)
    place = analysis.declaration(name)
    if surface is None or place is None:
        return ""
    path, item = place
    parts = [code(_declared(surface, item))]
    about = _description(surface)
    if about:
        parts.append(about)
    parts += _facts(surface, analysis, item)
    if path != analysis.path:
        parts.append(f"*From {path.rpartition('/')[2]}*")
    return "\n\n".join(parts)


def _description(surface: Surface) -> str | None:
    if isinstance(surface, TypeSurface):
        return surface.info.description if surface.info else None
    return surface.description if isinstance(surface, CallableSurface) else None


def _declared(surface: Surface, item: Item) -> str:
    """Types, constants and scorers as they were written, others by their head."""
    if item.node is not None and isinstance(item.node, ast.Type | ast.Constant | ast.Scorer | ast.Model):
        return head(item.text, item.node)
    return signature(surface)


def _facts(surface: Surface, analysis: Analysis, item: Item) -> list[str]:
    match surface:
        case ModelSurface():
            return [model_facts(surface, analysis)]
        case CallableSurface(kind="judge"):
            return [_judges(surface, analysis), *_models(surface, analysis)]
        case CallableSurface(kind="agent"):
            facts = _models(surface, analysis)
            if surface.judges:
                facts.append("Judged by " + ", ".join(f"`{name}`" for name in surface.judges))
            return facts
        case CallableSurface(kind="choice" | "scale"):
            kind = "Options" if surface.kind == "choice" else "Levels"
            return [
                f"{kind}: " + ", ".join(f"`{option}`" for option in surface.options),
                *_models(surface, analysis),
            ]
        case CallableSurface():
            return [f"Gives {describe(surface.result)}", *_models(surface, analysis)]
        case ConstantSurface():
            return [describe(surface.shape)]
        case _:
            return []


def model_facts(surface: ModelSurface, analysis: Analysis) -> str:
    """`A chat model of openai, $1 in and $2 out per million tokens`."""
    family = f" of `{surface.family}`" if surface.family else ""
    return f"A {surface.kind} model{family}, {_price(surface, analysis)}"


def _price(surface: ModelSurface, analysis: Analysis) -> str:
    """What its declaration says, else its vendor's list."""
    place = analysis.declaration(surface.name) if surface.priced else None
    for clause in getattr(place[1].node, "clauses", ()) if place is not None else ():
        if isinstance(clause, ast.Clause) and isinstance(clause.value, ast.Price):
            return f"${clause.value.input.text} in and ${clause.value.output.text} out per million tokens"
    listed = list_price(surface.slug, surface.via)
    if listed is None:
        return "without a price"
    return (
        f"${listed.input} in and ${listed.output} out per million tokens by its vendor's list of "
        f"{price_list().date}"
    )


def _models(surface: CallableSurface, analysis: Analysis) -> list[str]:
    lines = []
    for name in surface.models:
        model = analysis.surface(name)
        if isinstance(model, ModelSurface):
            facts = model_facts(model, analysis)
            lines.append(f"Asks `{name}` (`{model.slug}`): {facts[0].lower()}{facts[1:]}")
        else:
            lines.append(f"Asks `{name}`")
    return lines


def _judges(surface: CallableSurface, analysis: Analysis) -> str:
    shape = describe(surface.params[0].shape) if surface.params else "text"
    users = [
        name
        for name in analysis.names
        if isinstance(agent := analysis.surface(name), CallableSurface) and surface.name in agent.judges
    ]
    used = f", for {', '.join(f'`{name}`' for name in users)}" if users else ""
    return f"Judges {shape}{used}"


# --- parts and values --------------------------------------------------------------------------------------


def _field(owner: str, name: str, analysis: Analysis) -> str:
    info = record_of(owner, scope_of(analysis))
    for field in info.fields if info else ():
        if field.name == name:
            optional = "?" if field.optional else ""
            text = code(f"{owner}.{name}: {describe(field.shape)}{optional}")
            return f"{text}\n\n{field.description}" if field.description else text
    return ""


def _part(owner: str, name: str, analysis: Analysis) -> str:
    """An option of a choice, or a question of a judge."""
    place = analysis.declaration(owner)
    node = place[1].node if place else None
    for clause in getattr(node, "clauses", ()):
        items = getattr(getattr(clause, "value", None), "items", ())
        for one in items:
            if isinstance(one, ast.Option) and one.name.text == name:
                about = one.description.plain if one.description else None
                return code(f"{owner}: {name}") + (f"\n\n{about}" if about else "")
            if isinstance(one, ast.Question) and one.name.text == name:
                return code(f"{name}: {one.kind}") + f"\n\n{one.text.plain or ''}"
    return ""


def _builtin(name: str) -> str:
    function = FUNCTIONS.get(name) or JUDGE_FUNCTIONS.get(name) or TEST_FUNCTIONS.get(name)
    if function is not None:
        return f"{code(function.signature)}\n\n{function.about}"
    for builtin in (*JUDGE_NAMES, *FORM_NAMES.values(), *TEST_NAMES):
        if builtin.name == name:
            return f"{code(value(name, builtin.shape))}\n\n{builtin.about}"
    return ""


def _local(named: Named, analysis: Analysis) -> str:
    """A parameter or a local name, with its shape as the checker sees it there."""
    if named.item.node is None:
        return ""
    name = named.target.name
    at = named.start - named.item.offset
    seen = look(named.item.node, analysis)
    best = None
    for view in seen:
        if isinstance(view.expr, ast.Name) and view.expr.id == name:
            if view.expr.start == at:
                return code(value(name, view.shape))
            best = best or view.shape
        elif best is None and name in view.env.names:
            best = view.env.names[name]
    if best is None and named.target.kind == "param":
        surface = analysis.surface(named.target.owner)
        for param in surface.params if isinstance(surface, CallableSurface) else ():
            if param.name == name:
                best = param.shape
    return code(value(name, best)) if best is not None else ""


# --- keywords ----------------------------------------------------------------------------------------------


_WORDS = {one.keyword: one for one in (*clauses.STEPS, *clauses.STATEMENTS, *clauses.CLAUSES["test"])}
_BEGUN_BY_A_WORD = (
    ast.Try, ast.Approve, ast.Each, ast.Best, ast.Race, ast.Return, ast.Stop, ast.If, ast.Switch, ast.Parallel,
    ast.Loop, ast.WithContext, ast.Expect,
)  # fmt: skip


def _keyword(spot: Spot) -> Hover | None:
    """The keyword of a clause, statement or declaration: what it says, with an example."""
    item = spot.item
    for node in reversed(spot.path):
        if isinstance(node, _BEGUN_BY_A_WORD):
            begun = item.text[node.start :].split(None, 1)[0]
            if begun in _WORDS and spot.at <= node.start + len(begun):
                start, known = item.offset + node.start, _WORDS[begun]
                return Hover(start, start + len(begun), f"{code(known.example)}\n\n{known.about}")
        if isinstance(node, ast.Clause):
            word = node.keyword
            if spot.at > node.start + len(word.split()[0]):
                continue
            found = clauses.find(block_of(spot.path), word)
            if found is not None:
                start = item.offset + node.start
                return Hover(start, start + len(word.split()[0]), f"{code(found.example)}\n\n{found.about}")
    if item.node is None:
        return None
    keyword = item.text[item.node.start :].split(None, 1)[0]
    kind = declaration("code judge" if keyword == "code" else keyword)
    if kind is None or not item.node.start <= spot.at <= item.node.start + len(keyword):
        return None
    start = item.offset + item.node.start
    return Hover(start, start + len(keyword), f"{code(kind.example)}\n\n{kind.about}")
