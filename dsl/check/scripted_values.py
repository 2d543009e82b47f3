"""Values written into a test, held against the shapes of what they stand for.

A literal is looked into, so that the finding is about the field that is wrong and not about the whole value.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import ast
from ..diagnostics import Edit, Fix
from ..shapes import Json, ListOf, Nullable, Record, Shape, Union, Unknown
from ..suggest import closest
from .base import Report, Scope
from .env import Env
from .expressions import infer
from .fit import describe, fits, record_fields, resolve


class Values:
    """Holds the values that stand at one place against shapes. `env` is what they may mention."""

    def __init__(self, env: Env, scope: Scope, report: Report) -> None:
        self.env = env
        self.scope = scope
        self.report = report

    def check(self, value: ast.Expr, wanted: Shape, what: str) -> None:
        """Reports `test.wrong-shape` where `value` is not `wanted`; `what` says whose value it is."""
        shape = resolve(wanted, self.scope)
        if isinstance(shape, Nullable):
            if isinstance(value, ast.Null):
                return
            shape = resolve(shape.item, self.scope)
        if isinstance(shape, Union) and isinstance(value, ast.Object):
            self._check_union(value, shape, what)
        elif isinstance(shape, Record) and isinstance(value, ast.Object):
            self._check_record(value, shape, what)
        elif isinstance(shape, ListOf) and isinstance(value, ast.ListExpr):
            for item in value.items:
                self.check(item, shape.item, f"an item of {what}")
            self._check_size(value, shape, what)
        else:
            found = infer(value, self.env, self.scope, self.report)
            if not fits(found, wanted, self.scope):
                self.report.add(
                    "test.wrong-shape",
                    value,
                    f"{_capital(what)} is {describe(wanted)}, but this is {describe(found)}",
                    label=f"expected {describe(wanted)}",
                )

    def _check_size(self, value: ast.ListExpr, shape: ListOf, what: str) -> None:
        size = len(value.items)
        if (shape.low is not None and size < shape.low) or (shape.high is not None and size > shape.high):
            self.report.add(
                "test.wrong-shape",
                value,
                f"{_capital(what)} has {_counted(shape)}, but this has {size}",
                label=f"{size} item{'s' if size != 1 else ''}",
            )

    def _check_record(self, value: ast.Object, shape: Record, what: str) -> None:
        fields = record_fields(shape.name, self.scope)
        given = {pair.key.text for pair in value.pairs}
        meant = {closest(name, fields) for name in given if name not in fields}
        for pair in value.pairs:
            field = fields.get(pair.key.text)
            if field is None:
                _report_unknown(pair, shape.name, tuple(fields), self.report)
            else:
                self.check(pair.value, field, f"`{pair.key.text}` of {shape.name}")
        missing = [
            name
            for name, field in fields.items()
            if not _may_be_left_out(field) and name not in given and name not in meant
        ]
        if missing:
            names = ", ".join(f"`{name}`" for name in missing)
            self.report.add(
                "test.wrong-shape",
                value,
                f"{_capital(what)} is {shape.name}, which also has {names}",
                label=f"{names} {'is' if len(missing) == 1 else 'are'} missing",
                help=f"Add `{', '.join(f'{name}: …' for name in missing)}`.",
            )

    def _report_no_value(self, value: ast.Object) -> None:
        other = next((pair.key for pair in value.pairs if pair.key.text != "variant"), None)
        self.report.add(
            "test.wrong-shape",
            other or value,
            "Beside `variant` stands `value`, what the answer of that type is",
            label="expected `value`",
            help='{ variant: "…", value: { … } }',
        )

    def _check_union(self, value: ast.Object, shape: Union, what: str) -> None:
        """An object stands for the type whose fields it has; `{ variant, value }` says which."""
        records = [
            option
            for option in (resolve(each, self.scope) for each in shape.options)
            if isinstance(option, Record)
        ]
        named = (
            None if any("variant" in record_fields(r.name, self.scope) for r in records) else tagged(value)
        )
        if named is not None:
            name, inner = named
            if inner is None:
                self._report_no_value(value)
                return
            record = next((option for option in records if option.name == name.plain), None)
            if record is None:
                listed = ", ".join(option.name for option in records)
                self.report.add(
                    "test.wrong-shape",
                    name,
                    f"{_capital(what)} is one of {listed}, not {name.plain}",
                    label="not one of its types",
                )
            else:
                self.check(inner, record, what)
            return
        if any(isinstance(resolve(option, self.scope), Json | Unknown) for option in shape.options):
            return
        best = min(records, key=lambda record: misfit(value, record, self.scope), default=None)
        if best is None:
            self.report.add(
                "test.wrong-shape",
                value,
                f"{_capital(what)} is {describe(shape)}, but this is an object",
                label=f"expected {describe(shape)}",
            )
        else:
            self._check_record(value, best, what)


def _report_unknown(pair: ast.Pair, type_name: str, known: Sequence[str], report: Report) -> None:
    guess = closest(pair.key.text, known)
    fix = Fix(f"Replace with `{guess}`", (Edit(pair.key.start, pair.key.end, guess),)) if guess else None
    report.add(
        "test.wrong-shape",
        pair.key,
        f"{type_name} has no field `{pair.key.text}`",
        label="no such field",
        help=f"Did you mean `{guess}`?" if guess else f"It has {', '.join(f'`{name}`' for name in known)}.",
        fixes=(fix,) if fix else (),
    )


def tagged(value: ast.Object) -> tuple[ast.Text, ast.Expr | None] | None:
    """`{ variant, value }` says which type is meant. The value is None where something else stands beside the type."""
    pairs = {pair.key.text: pair.value for pair in value.pairs}
    variant = pairs.get("variant")
    if not isinstance(variant, ast.Text) or len(pairs) > 2:
        return None
    return variant, pairs.get("value")


def misfit(value: ast.Object, record: Record, scope: Scope) -> int:
    """How many fields an object has too many, or too few, to be of a type."""
    fields = record_fields(record.name, scope)
    given = {pair.key.text for pair in value.pairs}
    missing = {name for name, field in fields.items() if not _may_be_left_out(field)} - given
    return len(given - fields.keys()) + len(missing)


def _may_be_left_out(shape: Shape) -> bool:
    return isinstance(shape, Nullable | Json | Unknown)


def _counted(shape: ListOf) -> str:
    """How many items a bounded list has, in words."""
    if shape.low == shape.high:
        return f"{shape.low} item{'s' if shape.low != 1 else ''}"
    if shape.low is None:
        return f"at most {shape.high} item{'s' if shape.high != 1 else ''}"
    if shape.high is None:
        return f"at least {shape.low} item{'s' if shape.low != 1 else ''}"
    return f"{shape.low} to {shape.high} items"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
