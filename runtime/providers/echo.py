"""`echo/…`: answers with the last thing the user said. Deterministic, free, and without a network."""

from __future__ import annotations

from ..judge.errors import ModelKindError
from ..judge.protocol import ChatReply, ChatRequest, DecisionReply, DecisionRequest, Usage


class Echo:
    def __init__(self, name: str = "echo", concurrency: int = 64) -> None:
        self.name = name
        self.concurrency = concurrency

    async def chat(self, request: ChatRequest) -> ChatReply:
        said = [message.content for message in request.messages if message.role == "user"]
        return ChatReply(
            text=said[-1] if said else "",
            usage=Usage(input_tokens=0, output_tokens=0, cost="0"),
            model=request.model,
        )

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        raise ModelKindError(
            f"{request.caller.party}: {request.model} only repeats what it is told, it cannot decide"
        )

    async def aclose(self) -> None:
        pass
