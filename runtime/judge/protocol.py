"""What a model provider is asked and what it answers: the only thing judging and agents know of a service.

A provider translates; it runs no callback, merges no context, applies no policy and retries only what its own module
retries. Everything it returns is validated by the caller before application code sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import msgspec


class ToolCall(msgspec.Struct, frozen=True, gc=False):
    """A call that a model asked for. `arguments` is the JSON text exactly as it came."""

    id: str
    name: str
    arguments: str


class Message(msgspec.Struct, frozen=True, gc=False):
    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


class ToolSpec(msgspec.Struct, frozen=True, gc=False):
    """`parameters` is a JSON Schema (2020-12) of an object."""

    name: str
    description: str
    parameters: dict[str, Any]


class Turn(Protocol):
    """A call's place among those that its run has under way. A provider that makes the call wait, for a permit or
    before it sends it again, gives the place up and takes it again right before it sends."""

    def give(self) -> None: ...

    async def try_take(self) -> bool:
        """False where the run was stopped meanwhile."""

    async def take(self) -> None:
        """A run that was stopped meanwhile ends here."""

    def waits(self, seconds: float, reason: str, attempt: int) -> None:
        """Tells that the call will be sent again after so many seconds, why, and the how-manieth time that will be."""


class Caller(msgspec.Struct, frozen=True):
    """Who asks: for booking, scripts, caches and events; never sent to a service. Its turn leads to the run and to
    whoever listens to that, so the garbage collector has to see it, and requests."""

    party: str
    """Who pays: `agent:writer`, `judge:useful`, `gate:api_response`, `decision:urgent`, `memory`."""
    name: str = ""
    """The agent, judge or decision that asks, as declared; a judge that a gate asks is not its party."""
    run: str = ""
    step: str = ""
    """The id of the step of the run that the call is for."""
    attempt: int = 0
    """Retries so far, from 0."""
    sample: int = 0
    """Which of several draws at once this is, from 1 (`best of 3`, `each`); 0 where there is only one."""
    draws: int = 0
    """How many draws there are."""
    values: Mapping[str, Any] = {}
    """The parameters of the call, for a script's `when`."""
    turn: Turn | None = None
    """None where nobody counts: a provider that is used by itself."""


class ChatRequest(msgspec.Struct, frozen=True):
    model: str
    """The slug as the service knows it."""
    messages: tuple[Message, ...]
    caller: Caller
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: str | None = None
    """`auto`, `required`, the name of one tool, or None for the service's default."""
    temperature: float | None = None
    max_tokens: int | None = None
    top_logprobs: int = 0
    """How many alternatives per token to report; 0 for none."""
    timeout: float | None = None
    """Seconds for the whole call, retries included."""


class Usage(msgspec.Struct, frozen=True, gc=False):
    """Tokens of one call. `cached_tokens` and `cache_write_tokens` are parts of the input count, `reasoning_tokens` of
    the output count. `incomplete`: an attempt that broke off may have cost more than is known."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost: str | None = None
    """The service's own figure in US dollars, a decimal text, where it gave one: it wins over any price table."""
    cache_write_tokens: int = 0
    incomplete: bool = False


class TokenLogprob(msgspec.Struct, frozen=True, gc=False):
    token: str
    logprob: float


class ChatReply(msgspec.Struct, frozen=True, gc=False):
    """A complete answer. Anything cut, refused, filtered or malformed is a `ProviderError` instead."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    model: str = ""
    """The model that answered, as the service names it."""
    reasoning: str = ""
    logprobs: tuple[tuple[TokenLogprob, ...], ...] = ()
    """For each token of the text the likeliest alternatives, the sampled one included."""
    scripted: bool = False
    cached: bool = False
    form: Literal["tools", "schema", "words"] = "tools"
    """How tool calls were asked for: a service without tools answers in JSON that fits a schema, or is told to."""
    left_out: tuple[str, ...] = ()
    """Settings that the model does not take, so that it was asked without them: `temperature`."""


class DecisionQuestion(msgspec.Struct, frozen=True, gc=False):
    """`choices` are a choice's options in declared order or a scale's levels, lowest first; empty for a condition."""

    id: str
    kind: Literal["condition", "choice", "scale"]
    text: str
    choices: tuple[str, ...] = ()
    descriptions: tuple[str | None, ...] = ()


class DecisionRequest(msgspec.Struct, frozen=True):
    model: str
    state: Any
    """JSON data: what the questions are about."""
    questions: tuple[DecisionQuestion, ...]
    caller: Caller
    timeout: float | None = None


class ConditionAnswer(msgspec.Struct, frozen=True, tag="condition", gc=False):
    probability: float
    """Of yes."""
    confidence: float | None = None
    """As the service reported it; None where it did not."""
    value: bool | None = None
    """As the service decided; None where it did not: then one half and more is yes."""


class ChoiceAnswer(msgspec.Struct, frozen=True, tag="choice", gc=False):
    choice: str
    probabilities: dict[str, float]
    confidence: float | None = None


class ScaleAnswer(msgspec.Struct, frozen=True, tag="scale", gc=False):
    """`score` is the probability-weighted position, 0 … levels - 1."""

    score: float
    probabilities: tuple[float, ...]
    confidence: float | None = None


class RefusedAnswer(msgspec.Struct, frozen=True, tag="refused", gc=False):
    reason: str = ""


Answer = ConditionAnswer | ChoiceAnswer | ScaleAnswer | RefusedAnswer


class DecisionReply(msgspec.Struct, frozen=True, gc=False):
    answers: dict[str, Answer]
    usage: Usage = Usage()
    model: str = ""
    provider: str = ""
    """Who was asked; filled in by whoever asks."""
    gateway: str | None = None
    """Who passed the question on to them."""
    origin: Literal["reported", "logprobs", "json", "scripted"] = "reported"
    """Where probabilities and confidences came from."""
    rounding: int | None = None
    """Decimals to which the service rounds, where the provider or model says so: sums are then renormalised."""
    cached: bool = False


class ChatModel(Protocol):
    """Raises `ProviderError` (see `runtime.judge.errors`) for everything that is not a whole answer."""

    async def chat(self, request: ChatRequest) -> ChatReply: ...


class DecisionModel(Protocol):
    async def decide(self, request: DecisionRequest) -> DecisionReply: ...


class Provider(ChatModel, DecisionModel, Protocol):
    """A service, shared by a program's runs. `concurrency` is how many calls it takes at once at the most."""

    name: str
    concurrency: int

    async def aclose(self) -> None: ...
