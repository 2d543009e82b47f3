"""Names of declarations: found, or reported with what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from .. import ast
from ..diagnostics import Edit, Fix
from ..shapes import CallableKind
from ..suggest import closest
from .base import (
    CallableSurface,
    ConstantSurface,
    ModelSurface,
    NamedSurface,
    Related,
    Report,
    Scope,
    Surface,
    TypeSurface,
)


def a(noun: str) -> str:
    """The noun with its article."""
    return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"


def listed(words: Iterable[str], last: str = "and") -> str:
    """`a, b and c`."""
    found = list(words)
    if len(found) < 2:
        return "".join(found)
    return f"{', '.join(found[:-1])} {last} {found[-1]}"


def ticked(words: Iterable[str]) -> list[str]:
    return [f"`{word}`" for word in words]


_KINDS = {ModelSurface: "model", TypeSurface: "type", ConstantSurface: "constant"}


def kind_of(surface: Surface) -> str:
    """What a user calls a declaration of this kind."""
    if isinstance(surface, CallableSurface):
        return "code judge" if surface.code else surface.kind
    if isinstance(surface, NamedSurface):
        return surface.kind
    return _KINDS[type(surface)]


JUDGES = frozenset({"judge", "code judge"})
CALLABLES: frozenset[str] = JUDGES.union(get_args(CallableKind))
"""What can be called, by `kind_of`."""


def replace_fix(at: ast.Node, text: str) -> Fix:
    return Fix(f"Replace with `{text}`", (Edit(at.start, at.end, text),))


def report_unknown(
    report: Report,
    at: ast.Node,
    name: str,
    guess: str | None,
    *,
    what: str = "",
    help: str = "",
) -> None:
    """`There is no judge `postd``, with what was probably meant."""
    report.add(
        "name.unknown",
        at,
        f"There is no {what} `{name}`" if what else f"`{name}` is not known here",
        label="not declared",
        help=f"Did you mean `{guess}`?" if guess else help,
        fixes=(replace_fix(at, guess),) if guess else (),
    )


def nearest(name: str, scope: Scope, kinds: frozenset[str], *others: Iterable[str]) -> str | None:
    """The name of a declaration of one of these kinds, or of the others, that was probably meant."""
    return closest(name, scope.names_of(kinds, kind_of), *others)


def find_callable(
    at: ast.Ident, kind: str, scope: Scope, report: Report, *, code: str = "name.unknown"
) -> CallableSurface | None:
    """The agent, judge, tool, … of that name; None, and a finding, where there is none. `code` is for a
    name that stands for something else."""
    found = scope.find(at.text)
    if isinstance(found, CallableSurface) and found.kind == kind:
        return found
    report_not_a(at, kind, found, scope, report, code=code)
    return None


def report_not_a(
    at: ast.Ident,
    kind: str,
    found: Surface | None,
    scope: Scope,
    report: Report,
    *,
    code: str = "name.unknown",
    help: str = "",
) -> None:
    """Reports a name that should be of a kind and is unknown, or of another."""
    if found is None:
        guess = nearest(at.text, scope, JUDGES if kind == "judge" else frozenset({kind}))
        report_unknown(report, at, at.text, guess, what=kind, help=help or f"Declare {a(kind)} of that name.")
        return
    report.add(
        code,
        at,
        f"`{at.text}` is {a(kind_of(found))}, not {a(kind)}",
        label=f"not {a(kind)}",
        related=(Related(at.text, "declared here"),),
        help=help or f"Name {a(kind)} here.",
    )
