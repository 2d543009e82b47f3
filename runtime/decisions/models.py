"""Any decision model as a provider: what a service rounds is scaled here, so that the core can be strict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import attrs

from ..judge.contract import decisions_of
from ..judge.decisions import Decision
from ..judge.protocol import Caller, DecisionModel, DecisionQuestion, DecisionReply, DecisionRequest
from .contract import decision_from
from .decision import AnyDecision, BooleanDecision, ChoiceDecision, ProviderMetadata, ScoreDecision
from .provider import BooleanInput, ChoiceInput, ScoreInput
from .questions import ID


@attrs.frozen(eq=False)
class ModelDecisions:
    """`model` answers for `slug`, its name at the service. `name` and `gateway` stand in events."""

    model: DecisionModel
    slug: str
    name: str
    gateway: str | None = None
    timeout: float | None = None
    """Seconds for a whole call, retries included."""

    async def boolean(self, input: BooleanInput, /) -> BooleanDecision:
        question = DecisionQuestion(ID, "condition", input.condition)
        return cast(BooleanDecision, await self._decide(question, input))

    async def choice(self, input: ChoiceInput, /) -> ChoiceDecision[str]:
        question = DecisionQuestion(ID, "choice", input.question, input.options, input.descriptions)
        return cast("ChoiceDecision[str]", await self._decide(question, input))

    async def score(self, input: ScoreInput, /) -> ScoreDecision[str]:
        question = DecisionQuestion(ID, "scale", input.question, input.levels)
        return cast("ScoreDecision[str]", await self._decide(question, input))

    async def aclose(self) -> None:
        close: Callable[[], Any] | None = getattr(self.model, "aclose", None)
        if close is not None:
            await close()

    async def _decide(
        self, question: DecisionQuestion, input: BooleanInput | ChoiceInput | ScoreInput
    ) -> AnyDecision:
        caller = Caller(party="decision", name=question.text)
        request = DecisionRequest(self.slug, input.context, (question,), caller, self.timeout)
        reply = await self.model.decide(request)
        decision = decisions_of((question,), reply)[ID]
        return decision_from(decision, self._metadata(reply, decision), reply if input.capture else None)

    def _metadata(self, reply: DecisionReply, decision: Decision) -> ProviderMetadata:
        origin = "derived" if decision.derived and reply.origin == "reported" else reply.origin
        return ProviderMetadata(
            provider=self.name,
            gateway=self.gateway,
            model=reply.model or self.slug,
            usage=reply.usage,
            origin=origin,
            normalized=decision.normalized,
        )
