"""What a model turns out not to take, so that it is asked without it from then on: services of one format differ, and
a model that thinks takes no temperature. Whatever is left out is told with the reply.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from ..judge.protocol import ChatReply, ChatRequest

_LACKS: Mapping[str, str] = {
    "provider.no-temperature": "temperature",
    "provider.no-max-tokens": "max_tokens",
    "provider.no-stream-options": "stream_options",
}


class Habits:
    """By the models of one service. Learnt from refusals, which cost nothing."""

    def __init__(self) -> None:
        self._lacks: dict[str, frozenset[str]] = {}

    def lacks(self, model: str) -> frozenset[str]:
        return self._lacks.get(model, frozenset())

    def learn(self, model: str, code: str, lacked: Collection[str]) -> bool:
        """Whether a refusal says something that was not known when the request was made (`lacked`)."""
        setting = _LACKS.get(code)
        if setting is None or setting in lacked:
            return False
        self._lacks[model] = self.lacks(model) | {setting}
        return True


def without(request: ChatRequest, lacks: Collection[str]) -> ChatRequest:
    if "temperature" in lacks and request.temperature is not None:
        return msgspec.structs.replace(request, temperature=None)
    return request


def told(reply: ChatReply, request: ChatRequest, lacks: Collection[str]) -> ChatReply:
    """The reply, saying what of the request was left out."""
    if "temperature" in lacks and request.temperature is not None:
        return msgspec.structs.replace(reply, left_out=("temperature",))
    return reply
