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


def check_cases(
    node: ast.Judge, cases: Sequence[ast.Case], env: Env, form: str, scope: Scope, report: Report
) -> None:
    """Each type has one case, and nothing else has one. `env` is what the rules before them know."""
    if not cases:
        return
    judged = env.shape("reply")
    if isinstance(judged, Unknown):
        return
    if isinstance(judged, ListOf):
        _report_list(cases[0], judged, report)
        return
    types = [option.name for option in options_of(judged) if isinstance(option, Record)]
    if not types:
        report.add(
            "judge.extra-case",
            cases[0].type,
            f"`{node.name.text}` judges {describe(judged)}, which has no types to tell apart",
            label="never applies",
            help="Write the rules without `case`, or let the judge judge a union of types.",
        )
        return
    seen: dict[str, ast.Ident] = {}
    for case in cases:
        if _check_case(node, case, types, seen, scope, report):
            inner = env
            for name in env.judged:
                inner = inner.narrow(name, Record(case.type.text))
            check_rules(case.rules, inner, form, scope, report)
    missing = [name for name in types if name not in seen]
    if missing:
        _report_missing(node, cases, judged, missing, report)


def _check_case(
    node: ast.Judge,
    case: ast.Case,
    types: Sequence[str],
    seen: dict[str, ast.Ident],
    scope: Scope,
    report: Report,
) -> bool:
    name = case.type
    first = seen.setdefault(name.text, name)
    if first is not name:
        report.add(
            "judge.extra-case",
            name,
            f"`{name.text}` has a case already",
            label="again",
            labels=(Label(first.start, first.end, "the first one"),),
            help="Put the rules of both into one.",
        )
        return True
    if name.text in types:
        return True
    found = scope.find(name.text)
    guess = closest(name.text, types)
    if found is None and not guess:
        report_not_a(name, "type", found, scope, report)
        return False
    alias = isinstance(found, TypeSurface) and found.alias is not None
    help = f"Did you mean `{guess}`?" if guess else f"It judges {listed(types, 'or')}."
    if alias and isinstance(found, TypeSurface) and found.alias is not None:
        help = f"`{name.text}` is a name for {describe(found.alias)}: write a case for each of its types."
    if guess:
        seen.setdefault(guess, name)
    report.add(
        "judge.extra-case",
        name,
        f"`{node.name.text}` never judges {name.text}",
        label="never applies",
        help=help,
        fixes=(replace_fix(name, guess),) if guess else (),
    )
    return False


def _report_list(case: ast.Case, judged: ListOf, report: Report) -> None:
    item = judged.item
    name = item.options[0] if isinstance(item, Variant) else case.type.text
    report.add(
        "judge.extra-case",
        case.type,
        "A list has no one type, so a judge of a list has no cases",
        label="never applies",
        help=f"Go through the items: `every item in reply: item is not {name} or …`.",
    )


def _report_missing(
    node: ast.Judge,
    cases: Sequence[ast.Case],
    judged: Shape,
    missing: Sequence[str],
    report: Report,
) -> None:
    has = "has no case" if len(missing) == 1 else "have no cases"
    lines = "\n".join(f"case {name} {{ }}" for name in missing)
    report.add(
        "judge.missing-case",
        node.name,
        f"`{node.name.text}` judges {describe(judged)}, but {listed(missing)} {has}",
        label=f"a reply may be {listed(missing, 'or')}",
        labels=tuple(Label(case.type.start, case.type.end, "has a case") for case in cases[:3]),
        help=f"Add {'it' if len(missing) == 1 else 'them'}, empty if every such reply is fine:\n{lines}",
    )
