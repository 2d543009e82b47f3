"""What a decision is, from a provider and to an application. Frozen; made by hand they are not validated."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

import attrs

from ..judge.protocol import Usage

K_co = TypeVar("K_co", bound=str, covariant=True)

Origin = Literal["reported", "derived", "logprobs", "json", "scripted"]


@attrs.frozen
class ProviderMetadata:
    """Who answered. `origin` is where the confidence comes from: the service's own, derived from the probabilities
    here, a chat model's log-probabilities, numbers that it stated in JSON, or a script."""

    provider: str
    gateway: str | None = None
    """Who passed the question on, where that is another one."""
    model: str | None = None
    usage: Usage | None = None
    """Tokens of the call; None where nobody says."""
    origin: Origin = "reported"
    normalized: bool = False
    """Its service rounds: the probabilities did not add up to 1 and were scaled."""


@attrs.frozen
class BooleanDecision:
    """Yes or no. `probability_true` and `confidence` are finite and within 0 … 1; the confidence is the provider's
    own number, not a probability of being right."""

    value: bool
    probability_true: float
    confidence: float
    metadata: ProviderMetadata | None = None
    raw: Any = attrs.field(default=None, repr=False)
    """What the service sent, where capturing is on."""
    kind: Literal["boolean"] = attrs.field(default="boolean", init=False)


@attrs.frozen
class ChoiceDecision(Generic[K_co]):
    """One of the options. `probabilities` has every option once and adds up to 1."""

    value: K_co
    probabilities: dict[K_co, float]
    confidence: float
    metadata: ProviderMetadata | None = None
    raw: Any = attrs.field(default=None, repr=False)
    kind: Literal["choice"] = attrs.field(default="choice", init=False)


@attrs.frozen
class ScoreDecision(Generic[K_co]):
    """A place on a scale. `score` is the probability-weighted position, from 0 to the number of levels - 1;
    `probabilities` are in the order of `levels`, lowest first, and add up to 1."""

    score: float
    levels: tuple[K_co, ...]
    probabilities: tuple[float, ...]
    confidence: float
    metadata: ProviderMetadata | None = None
    raw: Any = attrs.field(default=None, repr=False)
    kind: Literal["score"] = attrs.field(default="score", init=False)

    @property
    def level(self) -> int:
        """The index of the likeliest level, the lower one on a tie."""
        return max(range(len(self.levels)), key=lambda at: (self.probabilities[at], -at))

    @property
    def label(self) -> K_co:
        """The likeliest level."""
        return self.levels[self.level]


AnyDecision = BooleanDecision | ChoiceDecision[str] | ScoreDecision[str]
