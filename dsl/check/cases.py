"""`case Offer { … }`: a judge of a union has rules for each of its types."""

from __future__ import annotations

from collections.abc import Sequence

from .. import ast
from ..diagnostics import Label
from ..shapes import ListOf, Record, Shape, Unknown, Variant
from ..suggest import closest
from .base import Report, Scope, TypeSurface
from .env import Env
from .fit import describe, options_of
from .names import listed, replace_fix, report_not_a
from .rules import check_rules


def check_cases(node: ast.Judge, cases: Sequence[ast.Case], env: Env, scope: Scope, report: Report) -> None:
    """Each type has one case, and nothing else has one. `env` is what the rules before them know."""
    judged = env.shape("reply")
    if not cases or isinstance(judged, Unknown):
        return
    types = [option.name for option in options_of(judged) if isinstance(option, Record)]
    if not types:
        _report_no_types(node, cases[0], judged, report)
        return
    seen: dict[str, ast.Ident] = {}
    for case in cases:
        name = case.type
        found = _meant(node, name, types, scope, report)
        if name.text in seen:
            _report_again(name, seen[name.text], report)
        if found is not None:
            seen.setdefault(found, name)
        if found == name.text:
            inner = env
            for judged_name in env.judged:
                inner = inner.narrow(judged_name, Record(found))
            check_rules(case.rules, inner, scope, report)
    missing = [name for name in types if name not in seen]
    if missing:
        _report_missing(node, judged, missing, list(seen.values()), report)


def _report_no_types(node: ast.Judge, case: ast.Case, judged: Shape, report: Report) -> None:
    message = f"`{node.name.text}` judges {describe(judged)}, which has no types to tell apart"
    help = "Write the rules without `case`, or let the judge judge a union of types."
    if isinstance(judged, ListOf):
        item = judged.item.options[0] if isinstance(judged.item, Variant) else case.type.text
        message = "A list has no one type, so a judge of a list has no cases"
        help = f"Go through the items: `every item in reply: item is not {item} or …`."
    report.add("judge.extra-case", case.type, message, label="never applies", help=help)


def _report_again(name: ast.Ident, first: ast.Ident, report: Report) -> None:
    report.add(
        "judge.extra-case",
        name,
        f"`{name.text}` has a case already",
        label="again",
        labels=(Label(first.start, first.end, "the first one"),),
        help="Put the rules of both into one.",
    )


def _meant(
    node: ast.Judge, name: ast.Ident, types: Sequence[str], scope: Scope, report: Report
) -> str | None:
    """The type that a case is for, or was probably meant for; None, and a finding, where it is for none."""
    if name.text in types:
        return name.text
    found = scope.find(name.text)
    guess = closest(name.text, types)
    if found is None and not guess:
        report_not_a(name, "type", found, scope, report)
        return None
    help = f"Did you mean `{guess}`?" if guess else f"It judges {listed(types, 'or')}."
    if isinstance(found, TypeSurface) and found.alias is not None:
        help = f"`{name.text}` is a name for {describe(found.alias)}: write a case for each of its types."
    report.add(
        "judge.extra-case",
        name,
        f"`{node.name.text}` never judges {name.text}",
        label="never applies",
        help=help,
        fixes=(replace_fix(name, guess),) if guess else (),
    )
    return guess


def _report_missing(
    node: ast.Judge, judged: Shape, missing: Sequence[str], there: Sequence[ast.Ident], report: Report
) -> None:
    has = "has no case" if len(missing) == 1 else "have no cases"
    lines = "\n".join(f"case {name} {{ }}" for name in missing)
    report.add(
        "judge.missing-case",
        node.name,
        f"`{node.name.text}` judges {describe(judged)}, but {listed(missing)} {has}",
        label=f"a reply may be {listed(missing, 'or')}",
        labels=tuple(Label(name.start, name.end, "has a case") for name in there[:3]),
        help=f"Add {'it' if len(missing) == 1 else 'them'}, empty if every such reply is fine:\n{lines}",
    )
