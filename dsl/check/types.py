"""Types: their fields, what they extend, and what an alias stands for."""

from __future__ import annotations

from .. import ast
from ..shapes import ListOf, Nullable, Record, Shape, Union
from .base import Related, Report, Scope, TypeSurface
from .fit import describe, record_of
from .params import report_duplicate
from .shapes import check_shape, check_type_name
from .surface import shape_of
from .texts import check_plain


def check_type(node: ast.Type, scope: Scope, report: Report) -> None:
    check_plain(node.description, "a description", report)
    if node.alias is not None:
        check_shape(node.alias, scope, report)
        _check_alias(node, node.alias, scope, report)
        return
    inherited = _check_base(node, node.extends, scope, report) if node.extends is not None else {}
    seen: dict[str, ast.Ident] = {}
    for field in node.fields:
        name = field.name
        first = seen.setdefault(name.text, name)
        if first is not name:
            report_duplicate(name, first, "field", report)
        elif name.text in inherited:
            base = inherited[name.text]
            report.add(
                "name.duplicate",
                name,
                f"`{name.text}` is a field of {base} already, which {node.name.text} extends",
                label="inherited",
                related=(Related(base, "declared here"),),
                help="Remove it, or give it another name.",
            )
        check_shape(field.shape, scope, report)
        check_plain(field.description, "a description", report)
    _check_endless(node, scope, report)


def _check_base(node: ast.Type, base: ast.Ident, scope: Scope, report: Report) -> dict[str, str]:
    """The fields that are inherited, each with the type that declares it."""
    found = check_type_name(base, base.text, scope, report)
    if found is None:
        return {}
    if found.alias is not None:
        report.add(
            "shape.mismatch",
            base,
            f"`{base.text}` is a name for {describe(found.alias)}, and only types with fields are extended",
            label="has no fields of its own",
            related=(Related(base.text, "declared here"),),
        )
        return {}
    fields: dict[str, str] = {}
    way = [node.name.text]
    current: str | None = base.text
    while current is not None:
        if current in way:
            _report_circle(node, base, [*way, current], report)
            return {}
        way.append(current)
        info = record_of(current, scope)
        if info is None:
            break
        for field in info.fields:
            fields.setdefault(field.name, current)
        current = info.extends
    return fields


def _report_circle(node: ast.Type, base: ast.Ident, way: list[str], report: Report) -> None:
    if way[-1] != node.name.text or min(way) != node.name.text:
        return
    chain = " extends ".join(way)
    report.add(
        "shape.mismatch",
        base,
        f"`{node.name.text}` extends itself" if len(way) == 2 else f"These types extend each other: {chain}",
        label="the circle closes here",
        help="Let one of them extend nothing.",
    )


def _check_alias(node: ast.Type, alias: ast.ShapeNode, scope: Scope, report: Report) -> None:
    """A name for a shape leads to a shape, not back to itself."""
    name = node.name.text
    waiting: list[tuple[Shape, tuple[str, ...]]] = [(shape_of(alias), (name,))]
    while waiting:
        shape, way = waiting.pop()
        match shape:
            case Record(name=other):
                found = scope.find(other)
                if other == name:
                    if min(way) == name:
                        chain = " = … ".join((*way, name))
                        help = "Give it a shape of its own, or make it a type with fields."
                        message = f"`{name}` stands for itself: {chain}"
                        report.add("shape.mismatch", alias, message, label="leads back", help=help)
                    return
                if isinstance(found, TypeSurface) and found.alias is not None and other not in way:
                    waiting.append((found.alias, (*way, other)))
            case ListOf(item=item) | Nullable(item=item):
                waiting.append((item, way))
            case Union(options=options):
                waiting.extend((option, way) for option in options)


def _check_endless(node: ast.Type, scope: Scope, report: Report) -> None:
    """A type that needs a value of itself has none: somewhere the chain must be able to end."""
    name = node.name.text
    for field in node.fields:
        if not field.optional and _needs(shape_of(field.shape), name, scope, (name,)):
            report.add(
                "shape.mismatch",
                field.shape,
                f"No {name} can be written: each needs another one in `{field.name.text}`",
                label="never ends",
                help=f"Let it be absent, `{field.name.text}: {describe(shape_of(field.shape))}?`, or a list.",
            )
            return


def _needs(shape: Shape, wanted: str, scope: Scope, way: tuple[str, ...]) -> bool:
    if isinstance(shape, Union):
        return all(_needs(option, wanted, scope, way) for option in shape.options)
    if isinstance(shape, ListOf):
        return bool(shape.low) and _needs(shape.item, wanted, scope, way)
    if not isinstance(shape, Record):
        return False
    if shape.name == wanted:
        return True
    found = scope.find(shape.name)
    if shape.name in way or not isinstance(found, TypeSurface):
        return False
    inner = (*way, shape.name)
    if found.info is None:
        return found.alias is not None and _needs(found.alias, wanted, scope, inner)
    return any(
        not field.optional and _needs(field.shape, wanted, scope, inner) for field in found.info.fields
    )
