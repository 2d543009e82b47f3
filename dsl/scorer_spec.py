"""A scorer as plain data: what the checker looks at and the runtime compiles."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

ScorerKind = Literal["contains", "equals", "regex", "schema", "length", "compiles"]
LANGUAGES = ("javascript", "typescript", "python", "json")
DEFAULT_BAR = "0.5"
"""From which share of its weights a weighted gate passes, where it does not say."""


class ScorerSpec(msgspec.Struct, frozen=True):
    """Only the fields of its kind count: `value` for contains and equals, `pattern` for regex (RE2), `schema` for
    schema (JSON Schema 2020-12 as plain data), `minimum` and `maximum` for length (code points, both included),
    `language` for compiles."""

    kind: ScorerKind
    negated: bool = False
    name: str | None = None
    value: str | None = None
    pattern: str | None = None
    schema: Any = None
    minimum: int | None = None
    maximum: int | None = None
    language: str | None = None
