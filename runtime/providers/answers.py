"""Values taken from a decision service's answer, each with its path, so that an error can point at it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import attrs

from ..judge.errors import ProviderContractError


@attrs.frozen
class Path:
    """Where a value stands: `$.answers.q.probabilities.a`."""

    provider: str
    at: str

    def __truediv__(self, key: str | int) -> Path:
        return Path(self.provider, f"{self.at}[{key}]" if isinstance(key, int) else f"{self.at}.{key}")

    def error(self, why: str) -> ProviderContractError:
        return ProviderContractError(f"{self.provider}: {self.at}: {why}")


def number(value: Any, path: Path) -> float:
    """A JSON number; whether it is one that can be is checked by the caller, for every provider alike."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise path.error("is missing" if value is None else f"is no number: {_shown(value)}")
    return float(value)


def text(value: Any, path: Path) -> str:
    if not isinstance(value, str):
        raise path.error("is missing" if value is None else f"is no text: {_shown(value)}")
    return value


def record(value: Any, path: Path) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise path.error("is missing" if value is None else f"is no object: {_shown(value)}")
    return value


def only(value: dict[str, Any], own: set[str], others: set[str], path: Path) -> None:
    """Refuses an answer that also carries the fields of another kind: nobody may pick one of them in
    silence."""
    foreign = sorted((others - own) & value.keys())
    if foreign:
        raise path.error(f"holds the fields of two kinds of question ({', '.join(foreign)} besides its own)")


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:59] + "…"
