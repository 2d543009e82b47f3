"""Scorers: checks that cost nothing. Compiled once, run many times; they never raise."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema_rs
import msgspec
import re2

from ...dsl.scorer_check import check_scorer, refuse_remote
from ...dsl.scorer_spec import ScorerSpec
from .compilers import compile_code
from .reading.lenient_json import read_json

MOST_VIOLATIONS = 8


class ScorerResult(msgspec.Struct, frozen=True):
    """`score` is 1 or 0; `detail` says why not, and is None where it passed."""

    name: str
    passed: bool
    score: int
    detail: str | None = None


Fault = Callable[[str], str | None]
"""What is wrong with a target, or None."""


class Scorer:
    """One check with its name. `needs_process`: it runs a compiler, so only `run_async` can run it."""

    __slots__ = ("_denied", "_fault", "_good", "_language", "_negated", "name", "needs_process")

    def __init__(
        self, name: str, fault: Fault, *, negated: bool, denied: str, language: str | None = None
    ) -> None:
        self.name = name
        self.needs_process = language is not None
        self._fault = fault
        self._negated = negated
        self._denied = denied
        self._language = language
        self._good = ScorerResult(name, True, 1)

    def run(self, target: str) -> ScorerResult:
        """Scores a text, in this process."""
        return self._result(self._fault(target))

    async def run_async(self, target: str) -> ScorerResult:
        """Scores a text, with a compiler where the scorer needs one."""
        if self._language is None:
            return self.run(target)
        return self._result(await compile_code(self._language, target))

    def _result(self, fault: str | None) -> ScorerResult:
        if (fault is None) is not self._negated:
            return self._good
        return ScorerResult(self.name, False, 0, self._denied if self._negated else fault)


def compile_scorer(spec: ScorerSpec, index: int) -> Scorer:
    """A scorer ready to run. A specification that cannot work gives one that always fails and says why, also under
    `not`. Its name is its own, else `<kind>-<index>`."""
    name = spec.name or f"{spec.kind}-{index}"
    wrong = check_scorer(spec)
    if wrong is not None:
        label = "invalid pattern" if wrong.code == "scorer.bad-pattern" else "invalid scorer"
        reason = f"{label}: {wrong.message}"
        if spec.negated:
            return Scorer(name, lambda target: None, negated=True, denied=reason)
        return Scorer(name, lambda target: reason, negated=False, denied="")
    fault, denied = _MAKERS[spec.kind](spec)
    language = spec.language if spec.kind == "compiles" else None
    return Scorer(name, fault, negated=spec.negated, denied=denied, language=language)


def _contains(spec: ScorerSpec) -> tuple[Fault, str]:
    wanted = spec.value or ""
    shown = _short(wanted)
    missing = f"does not contain {shown}"
    return lambda target: None if wanted in target else missing, f"contains {shown}"


def _equals(spec: ScorerSpec) -> tuple[Fault, str]:
    wanted = spec.value or ""
    shown = _short(wanted)
    other = f"is not {shown}"
    return lambda target: None if target == wanted else other, f"is {shown}"


def _regex(spec: ScorerSpec) -> tuple[Fault, str]:
    options = re2.Options()
    options.log_errors = False
    search = re2.compile(spec.pattern or "", options=options).search
    missing = f"does not match {_short(spec.pattern or '')}"

    def fault(target: str) -> str | None:
        try:
            return None if search(target) is not None else missing
        except UnicodeEncodeError:
            return "is not Unicode text: it holds half of a surrogate pair"

    return fault, f"matches {_short(spec.pattern or '')}"


def _length(spec: ScorerSpec) -> tuple[Fault, str]:
    low = spec.minimum if spec.minimum is not None else 0
    high = spec.maximum

    def fault(target: str) -> str | None:
        size = len(target)
        if size < low:
            return f"has {size} characters, fewer than {low}"
        if high is not None and size > high:
            return f"has {size} characters, more than {high}"
        return None

    return fault, f"its length is within {low}..{'' if high is None else high}"


def _schema(spec: ScorerSpec) -> tuple[Fault, str]:
    validator = jsonschema_rs.Draft202012Validator(spec.schema, retriever=refuse_remote)
    is_valid, decode = validator.is_valid, msgspec.json.Decoder().decode

    def fault(target: str) -> str | None:
        try:
            # msgspec keeps the last of two equal keys, so a text that may have some goes the careful way.
            value = (
                decode(target)
                if target.count('"') < 2000 and not _repeats_a_key(target)
                else _careful(target)
            )
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            value = _careful(target)
        if value is _NO_JSON:
            return "is not JSON"
        try:
            return None if is_valid(value) else _violations(validator, value)
        except (ValueError, RecursionError) as error:
            return f"cannot be checked: {error}"

    return fault, "fits the schema"


_NO_JSON = object()


def _careful(target: str) -> Any:
    reading = read_json(target)
    return reading.value if reading.ok else _NO_JSON


def _repeats_a_key(target: str) -> bool:
    """Whether some object might hold one key twice: never wrong where it says no."""
    seen: set[str] = set()
    for part in target.split('":')[:-1]:
        key = part[part.rfind('"') + 1 :]
        if key in seen:
            return True
        seen.add(key)
    return False


def _violations(validator: Any, value: Any) -> str:
    found = []
    for error in validator.iter_errors(value):
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.instance_path)
        found.append(f"${path}: {error.message}")
        if len(found) == MOST_VIOLATIONS:
            break
    return "; ".join(found) or "does not fit the schema"


def _compiles(spec: ScorerSpec) -> tuple[Fault, str]:
    return lambda target: "needs a compiler: it is run with run_async", f"compiles as {spec.language}"


_MAKERS: dict[str, Callable[[ScorerSpec], tuple[Fault, str]]] = {
    "contains": _contains,
    "equals": _equals,
    "regex": _regex,
    "length": _length,
    "schema": _schema,
    "compiles": _compiles,
}


def _short(text: str) -> str:
    """A value as it is shown in a detail: quoted, on one line, at most 60 characters."""
    shown = json.dumps(text, ensure_ascii=False)
    return shown if len(shown) <= 60 else f'{shown[:57]}…"'
