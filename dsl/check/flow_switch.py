"""`switch`: every option, type or literal has its case, and nothing else has one."""

from __future__ import annotations

from collections.abc import Container, Sequence

import msgspec

from .. import ast
from ..diagnostics import Edit, Fix, Label
from ..shapes import Literal, Nullable, Record, Shape, Union, Unknown, Variant
from ..suggest import closest
from .base import CallableSurface, Related
from .expressions import narrowed
from .fit import describe, resolve
from .flow_branches import check_uncertain, deciding, decision_of, report_not_a_decision, with_minimum
from .flow_names import State
from .flow_walk import Walk


class Choices(msgspec.Struct, frozen=True):
    """What a `switch` may meet. `kind` names one of them; `quoted` says whether its case is a text in
    quotes."""

    kind: str
    labels: tuple[str, ...]
    quoted: bool
    related: tuple[Related, ...] = ()


def check_switch(walk: Walk, node: ast.Switch, state: State) -> State | None:
    decision = decision_of(node.subject, walk.scope)
    shape = walk.value(node.subject, state)
    if decision is not None and decision.kind != "condition":
        check_uncertain(walk, node.subject, decision, node.uncertain)
        choices: Choices | None = _options(decision)
        branch, unsure = deciding(state, shape), deciding(state, with_minimum(shape))
    else:
        if node.uncertain is not None:
            report_not_a_decision(walk, node.uncertain, "value")
        choices = _closed_set(walk, node, shape, decision)
        branch = unsure = state
    complete = choices is not None and _check_cases(walk, node, choices)
    ends: list[State | None] = []
    for case in node.cases:
        known = _narrow(walk, node.subject, case, branch) if choices and choices.kind == "type" else branch
        ends.append(walk.check_block(walk, case.block.body, known))
    if node.uncertain is not None:
        ends.append(walk.check_block(walk, node.uncertain.block.body, unsure))
    after = walk.meet(ends, state)
    if after is None and not complete:
        walk.unsure = True
        return branch
    return after


def _options(decision: CallableSurface) -> Choices:
    kind = "option" if decision.kind == "choice" else "level"
    related = (Related(decision.name, f"its {kind}s are declared here"),)
    return Choices(kind, decision.options, decision.kind == "scale", related)


def _closed_set(
    walk: Walk, node: ast.Switch, shape: Shape, decision: CallableSurface | None
) -> Choices | None:
    """What a computed value may be; None, and a finding, where there is no end of it."""
    known = resolve(shape, walk.scope)
    help = 'Compare with `if … == "…"`, or give the value a type with the literals that it may be.'
    if isinstance(known, Nullable) and _labels(walk, known.item):
        help = "It may be null, which no case can say: replace that first, as in `switch default(x, …)`."
    elif labels := _labels(walk, known):
        return labels
    elif decision is not None:
        help = f"Use `if {decision.name}(…) {{ }} else {{ }}`."
    if not isinstance(known, Unknown):
        walk.report.add(
            "shape.mismatch",
            node.subject,
            f"`switch` goes through options, types or literals, but this is {describe(shape)}",
            label=f"this is {describe(shape)}",
            help=help,
        )
    return None


def _labels(walk: Walk, shape: Shape) -> Choices | None:
    options = shape.options if isinstance(shape, Union) else (shape,)
    known = [resolve(option, walk.scope) for option in options]
    if isinstance(shape, Variant):
        return Choices("type", shape.options, False)
    if all(isinstance(option, Record) for option in known):
        return Choices("type", tuple(option.name for option in known if isinstance(option, Record)), False)
    if all(isinstance(option, Literal) for option in known):
        return Choices(
            "literal", tuple(option.value for option in known if isinstance(option, Literal)), True
        )
    return None


def _check_cases(walk: Walk, node: ast.Switch, choices: Choices) -> bool:
    """Whether everything that may come has its case."""
    seen: dict[str, ast.Ident] = {}
    for case in node.cases:
        label = case.label
        if label.text in seen:
            first = seen[label.text]
            walk.report.add(
                "switch.extra-case",
                label,
                f"`{label.text}` has a case already",
                label="never reached",
                labels=(Label(first.start, first.end, "the first one"),),
                help="Remove one of the two.",
            )
        elif label.text not in choices.labels:
            _report_extra(walk, label, choices, {other.label.text for other in node.cases})
        elif case.quoted is not choices.quoted and (choices.kind != "level" or choices.quoted):
            _report_quotes(walk, label, choices)
        seen.setdefault(label.text, label)
    missing = [label for label in choices.labels if label not in seen]
    if missing:
        _report_missing(walk, node, choices, missing)
    return not missing


def _report_extra(walk: Walk, label: ast.Ident, choices: Choices, taken: Container[str]) -> None:
    guess = closest(label.text, choices.labels)
    listed = ", ".join(written(choice, choices) for choice in choices.labels)
    walk.report.add(
        "switch.extra-case",
        label,
        f"`{label.text}` is no {choices.kind} of what is switched on",
        label="never reached",
        related=choices.related,
        help=f"Did you mean `{written(guess, choices)}`?" if guess else f"There are {listed}.",
        fixes=(_replace(label, written(guess, choices)),) if guess and guess not in taken else (),
    )


def _report_quotes(walk: Walk, label: ast.Ident, choices: Choices) -> None:
    right = written(label.text, choices)
    walk.report.add(
        "switch.extra-case",
        label,
        f"The case of a {choices.kind} is written `{right}`",
        label="in quotes" if choices.quoted else "without quotes",
        help=f"Write `case {right}`.",
        fixes=(_replace(label, right),),
    )


def _report_missing(walk: Walk, node: ast.Switch, choices: Choices, missing: Sequence[str]) -> None:
    names = [f"`{name}`" for name in missing]
    text = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    has = "has" if len(names) == 1 else "have"
    lines = "\n".join(f"case {written(label, choices)} {{ }}" for label in missing)
    walk.report.add(
        "switch.missing-case",
        node.subject,
        f"{text} {has} no case in this `switch`",
        label="may also be " + " or ".join(written(label, choices) for label in missing),
        related=choices.related,
        help=f"Add what is missing:\n{lines}",
    )


def written(label: str, choices: Choices) -> str:
    return f'"{label}"' if choices.quoted else label


def _replace(label: ast.Ident, text: str) -> Fix:
    return Fix(f"Replace with {text}", (Edit(label.start, label.end, text),))


def _narrow(walk: Walk, subject: ast.Expr, case: ast.SwitchCase, state: State) -> State:
    """In the case of a type, what is switched on is of that type."""
    test = ast.Is(subject.start, subject.end, subject, case.label, False)
    return state.narrowed_to(narrowed(test, state.env, walk.scope)[0])
