"""Who judges in an evaluation: a declared judge, or a decision model that is asked if an answer is adequate."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from ...dsl.plan import Plan, UsePlan
from ..judge.errors import ConfigurationError
from .measure import ADEQUATE, added_name, decision_model, key_of, with_judge


@attrs.frozen(kw_only=True)
class Chosen:
    """`key` is the judge's name in the store, `shown` for people; `extend` adds it to a plan."""

    use: UsePlan
    key: str
    shown: str
    extend: Callable[[Plan], Plan]


def choose_judge(plan: Plan, wanted: str | None) -> Chosen:
    """The judge of that name, else `adequate` of the model of that name, else of the only decision model.

    `ConfigurationError` lists what there is.
    """
    if wanted is not None and wanted in plan.judges:
        judge = plan.judges[wanted]
        needed = [param.name for param in judge.params[1:] if param.default is None and not param.optional]
        if needed:
            raise ConfigurationError(
                f"{wanted} needs {', '.join(needed)}, which nothing gives here; "
                f"name it with its arguments in a suite's checks, or give them defaults",
                code="eval.judge-arguments",
            )
        return Chosen(
            use=UsePlan(wanted), key=key_of(plan, judge, wanted), shown=wanted, extend=lambda found: found
        )
    model = decision_model(plan, wanted)
    name = added_name(plan, ADEQUATE)
    extended = with_judge(plan, ADEQUATE, model)
    return Chosen(
        use=UsePlan(name),
        key=key_of(extended, extended.judges[name], ADEQUATE),
        shown=f"{ADEQUATE} ({model.slug})",
        extend=lambda found: with_judge(found, ADEQUATE, model),
    )
