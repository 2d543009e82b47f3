"""Which repairs there are for which code."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ....dsl.diagnostics import Diagnostic
from ....dsl.workspace.analysis import Analysis
from . import branches, clauses, models, names, replies, values
from .place import Declaring, Offer, Place, place_of

Offers = Callable[[Place], Iterator[Offer]]

OFFERS: dict[str, Offers] = {
    "clause.duplicate": clauses.duplicate_clause,
    "clause.misplaced": clauses.misplaced_clause,
    "clause.missing": clauses.missing_clause,
    "decision.cache": clauses.remove_clause,
    "decision.confidence": values.as_a_share,
    "decision.levels": clauses.option_twice,
    "decision.no-uncertain": branches.no_uncertain,
    "decision.options": clauses.option_twice,
    "decision.uncertain-unreachable": branches.never_uncertain,
    "flow.unreachable": branches.unreachable,
    "flow.wrong-arguments": names.missing_argument,
    "gate.fails-open": clauses.unreadable,
    "gate.threshold": values.as_a_share,
    "gate.weights": clauses.gate_weights,
    "import.missing": names.near_import,
    "judge.extra-case": branches.extra_case,
    "judge.fail-open": clauses.fails_open,
    "judge.jury": clauses.jury,
    "judge.missing-case": branches.missing_cases,
    "judge.model-on-code-judge": clauses.remove_clause,
    "judge.no-model": clauses.no_model,
    "judge.no-rule": clauses.add_shown_line,
    "judge.not-a-judge": clauses.listed_twice,
    "judge.same-model-family": models.same_family,
    "judge.wrong-arguments": names.judge_arguments,
    "judge.wrong-reply": replies.wrong_reply,
    "model.no-price": models.declare_slug,
    "model.wrong-kind": models.wrong_kind,
    "name.duplicate": names.twice,
    "name.unknown": names.unknown_name,
    "name.unused": names.unused_name,
    "scorer.empty-range": values.out_of_range,
    "shape.mismatch": values.may_be_null,
    "suite.no-cases": clauses.add_shown_line,
    "switch.extra-case": branches.extra_case,
    "switch.missing-case": branches.missing_cases,
    "syntax.escape": values.wrong_escape,
    "syntax.missing-block": values.missing_block,
    "syntax.missing-value": values.missing_value,
    "syntax.name-case": names.type_case,
    "syntax.number": values.wrong_number,
    "syntax.unclosed": values.unclosed,
    "test.code-judge-scripted": branches.remove_script,
    "test.unscripted-model": branches.unscripted,
    "test.wrong-shape": branches.wrong_verb,
    "text.not-a-template": values.no_template,
    "text.single-braces": values.single_braces,
    "value.range": values.out_of_range,
}
"""By code; a code that is not here has a fix of the checker's own, or needs words that only its author has."""


def offers_for(analysis: Analysis, found: Diagnostic, declaring: Declaring) -> Iterator[Offer]:
    repair = OFFERS.get(found.code)
    place = place_of(analysis, found, declaring) if repair is not None else None
    if repair is not None and place is not None:
        yield from repair(place)
