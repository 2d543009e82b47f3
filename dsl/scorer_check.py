"""What is wrong with a scorer before anything is scored.

The libraries that know (RE2, JSON Schema) are imported when a scorer of their kind is looked at, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from .scorer_spec import LANGUAGES, ScorerSpec
from .suggest import closest

if TYPE_CHECKING:
    import jsonschema_rs


class BadPattern(ValueError):
    """A pattern that RE2 cannot compile; the message says why."""


class Pattern(Protocol):
    """A compiled pattern. Searching takes linear time; on UTF-8 bytes it is three times as fast as on a text."""

    def search(self, text: str | bytes, /) -> object | None: ...


class ScorerFault(msgspec.Struct, frozen=True):
    """A diagnostic's code, its sentence, and what to write instead."""

    code: str
    message: str
    help: str


def check_scorer(spec: ScorerSpec) -> ScorerFault | None:
    """The first thing that is wrong with a scorer, or None."""
    if spec.kind == "regex":
        return _check_pattern(spec.pattern or "")
    if spec.kind == "schema":
        return check_schema(spec.schema)
    if spec.kind == "length":
        return _check_range(spec.minimum, spec.maximum)
    if spec.kind == "compiles" and spec.language not in LANGUAGES:
        near = closest(spec.language or "", LANGUAGES)
        hint = f"Did you mean `{near}`? " if near else ""
        return ScorerFault(
            "scorer.bad-language",
            f"There is no compiler for `{spec.language}`",
            f"{hint}The languages are {', '.join(LANGUAGES)}.",
        )
    return None


def compile_pattern(pattern: str) -> Pattern:
    """A pattern in RE2 syntax, ready to search with. Raises BadPattern; nothing is logged."""
    import re2  # noqa: PLC0415

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        compiled: Pattern = re2.compile(pattern, options=options)
    except re2.error as error:
        reason = error.args[0] if error.args else "it is not understood"
        raise BadPattern(
            reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        ) from None
    except UnicodeEncodeError:
        raise BadPattern("it holds half of a surrogate pair") from None
    return compiled


def compile_schema(schema: Any) -> jsonschema_rs.Draft202012Validator:
    """A validator for JSON Schema 2020-12, whatever `$schema` says; a `format` is a note and no rule. Raises what
    `check_schema` explains. Nothing is ever fetched."""
    import jsonschema_rs  # noqa: PLC0415

    return jsonschema_rs.Draft202012Validator(schema, retriever=refuse_remote, validate_formats=False)


def _check_pattern(pattern: str) -> ScorerFault | None:
    try:
        compile_pattern(pattern)
    except BadPattern as error:
        return ScorerFault(
            "scorer.bad-pattern",
            f"This pattern cannot be used: {error}",
            "Patterns are RE2, which takes linear time and has no look-around, no back-references and no possessive "
            "repetition.",
        )
    return None


def check_schema(schema: Any) -> ScorerFault | None:
    """A schema is an object or a boolean, and holds against the 2020-12 meta-schema."""
    import jsonschema_rs  # noqa: PLC0415

    advice = 'A schema is JSON Schema 2020-12, for example {"type": "object", "required": ["status"]}.'
    if not isinstance(schema, dict | bool):
        return ScorerFault("scorer.bad-schema", "A schema is an object, `true` or `false`", advice)
    try:
        compile_schema(schema)
    except jsonschema_rs.ValidationError as error:
        path = "/".join(str(part) for part in error.instance_path)
        where = f" at {path}" if path else ""
        return ScorerFault("scorer.bad-schema", f"This schema is not valid{where}: {error.message}", advice)
    except (jsonschema_rs.ReferencingError, ValueError, RecursionError) as error:
        return ScorerFault("scorer.bad-schema", f"This schema cannot be used: {error}", advice)
    return None


def refuse_remote(uri: str) -> Any:
    """A `$ref` to another place is never fetched: a check needs no network, and a run must not depend on one."""
    raise ValueError(f"{uri} is not in the schema itself, and nothing is fetched")


def _check_range(low: int | None, high: int | None) -> ScorerFault | None:
    advice = "Write the smallest and the largest length, both included: `length 50..5000`, `length 1..`, `length ..80`."
    if low is None and high is None:
        return ScorerFault("scorer.empty-range", "This range has no bound, so it fits every text", advice)
    if (low is not None and low < 0) or (high is not None and high < 0):
        return ScorerFault("scorer.empty-range", "A length is never negative", advice)
    if low is not None and high is not None and low > high:
        return ScorerFault("scorer.empty-range", f"No text is at least {low} and at most {high} long", advice)
    return None
