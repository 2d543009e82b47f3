"""A declared judge as an actor: from one answer to one verdict.

Each form adds its own values to what every judge sees (`reply`, `variant`, `task`, `attempt`, `calls()`, `run`):
`ask` adds `answer`, `rate` adds `score`, `decide` adds its questions by name.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from .judge_form import Form, JudgeParts
from .judge_models import AskForm, DecideForm, RateForm
from .jury import Jury
from .messages import JudgeTask, Verdict

JudgeHandler = Callable[[JudgeTask], Awaitable[Verdict]]

_FORMS: dict[str, Callable[[JudgeParts], Form]] = {
    "code": Form,
    "ask": AskForm,
    "rate": RateForm,
    "decide": DecideForm,
}


@asynccontextmanager
async def judge_behaviour(parts: JudgeParts) -> AsyncIterator[JudgeHandler]:
    """A judge as an actor. What a Python judge keeps in its module is renewed with it."""
    if parts.hook is not None:
        async with parts.hook.opened(parts.gateway) as decide:
            yield decide
        return
    form = _FORMS[parts.plan.form]
    yield Jury(parts, form).handle if parts.plan.jury else form(parts).handle
