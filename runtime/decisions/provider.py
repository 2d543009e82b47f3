"""What a decision provider is asked. It answers, and knows nothing of callbacks, layers or confidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import attrs

from ..judge.errors import ConfigurationError
from .cancel import CancelHandle
from .decision import BooleanDecision, ChoiceDecision, ScoreDecision


@attrs.frozen(kw_only=True)
class _Input:
    context: Mapping[str, Any] = attrs.field(repr=False)
    """The resolved context: JSON data, the provider's own copy."""
    invocation_id: str
    signal: CancelHandle | None = None
    """The caller's handle. A cancelled call is ended by Trio; nothing needs to look at it."""
    capture: bool = False
    """Whether the decision may carry `raw`."""


@attrs.frozen(kw_only=True)
class BooleanInput(_Input):
    """What a provider is asked yes or no."""

    condition: str


@attrs.frozen(kw_only=True)
class ChoiceInput(_Input):
    """What a provider is to choose one option for."""

    question: str
    options: tuple[str, ...]
    descriptions: tuple[str | None, ...] = ()
    """One for each option, or none at all."""


@attrs.frozen(kw_only=True)
class ScoreInput(_Input):
    """What a provider is to place on a scale."""

    question: str
    levels: tuple[str, ...]
    """Lowest first."""


class DecisionProvider(Protocol):
    """Raises `ProviderError` for everything that is no whole answer, with code `decision.refused` for a question that
    the service refused. A `name` of its own stands in events; an `aclose()` is called when the judge is closed."""

    async def boolean(self, input: BooleanInput, /) -> BooleanDecision: ...

    async def choice(self, input: ChoiceInput, /) -> ChoiceDecision[str]: ...

    async def score(self, input: ScoreInput, /) -> ScoreDecision[str]: ...


def check_provider(provider: object) -> None:
    """Raises `ConfigurationError` for what cannot decide."""
    if provider is None or isinstance(provider, type):
        raise _no_provider(
            "there is none" if provider is None else f"{provider.__name__} is a class, not an object"
        )
    lacking = [name for name in ("boolean", "choice", "score") if not _has(provider, name)]
    if lacking:
        raise _no_provider(f"{type(provider).__name__} lacks {', '.join(lacking)}")


def name_of(provider: object) -> str:
    try:
        name = getattr(provider, "name", None)
    except Exception:
        name = None
    return name if isinstance(name, str) and name else type(provider).__name__


def _has(provider: object, name: str) -> bool:
    try:
        return callable(getattr(provider, name, None))
    except Exception:
        return False


def _no_provider(what: str) -> ConfigurationError:
    return ConfigurationError(
        f"a judge needs a provider with async boolean(), choice() and score(): {what}; "
        "judgeflow.providers has some, such as judgeflow.providers.system_one()",
        code="decision.provider",
    )
