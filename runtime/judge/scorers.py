"""Scorers: checks that cost no tokens. Compiled once, run many times; they never raise."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import islice
from typing import Any, final

import attrs
import jsonschema_rs
import msgspec

from ...dsl.scorer_check import check_scorer, compile_pattern, compile_schema
from ...dsl.scorer_spec import ScorerSpec
from .compilers import Compilers, code_of, compile_code, why_no_json
from .reading.lenient_json import find_json
from .reading.quick_json import NO_JSON, UNSURE, NoValue, quick
from .reading.text import strip_blanks

MOST_VIOLATIONS = 8
MOST_NESTED = 1_000
"""Lists and objects in one another that a schema is held against: the validator recurses, and has no limit itself."""
_HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]")
_LONGEST_SHOWN = 60
_LONGEST_MESSAGE = 200


@final
class Why(msgspec.Struct, frozen=True):
    """Why a check does not hold, where the words cost more than the check: `say` finds them in what was `seen`."""

    say: Callable[[Any], str | None]
    seen: Any


class ScorerResult(msgspec.Struct, frozen=True):
    """`score` is 1 or 0; `why` says why not, and is None where it passed."""

    name: str
    passed: bool
    score: int
    why: str | Why | None = None

    @property
    def detail(self) -> str | None:
        """`why` in words."""
        why = self.why
        return why.say(why.seen) if type(why) is Why else why


@final
class CannotTell(msgspec.Struct, frozen=True):
    """Why a check could not be made. Such a scorer fails, under `not` too."""

    reason: str


Finding = str | Why | CannotTell | None
"""None: the check holds; a text or what gives one: it does not, and why."""
Check = Callable[[str], Finding]


@attrs.frozen
class Scorer:
    """One check with its name. `needs_process`: it runs a compiler, so only `run_async` can run it."""

    name: str
    run: Callable[[str], ScorerResult]
    """Scores a text in this process."""
    run_async: Callable[[str], Awaitable[ScorerResult]]
    """Scores a text, with a compiler where the scorer needs one."""
    needs_process: bool = False


def compile_scorer(spec: ScorerSpec, index: int, compilers: Compilers | None = None) -> Scorer:
    """A scorer ready to run, named by itself or `<kind>-<index>`.

    A specification that cannot work gives a scorer that always fails and says why, also under `not`. `compilers` says
    where `compiles` finds its programs; None: on this process's search path.
    """
    name = spec.name or f"{spec.kind}-{index}"
    wrong = check_scorer(spec)
    if wrong is not None:
        kind = {"scorer.bad-pattern": "pattern", "scorer.bad-schema": "schema"}.get(wrong.code, "scorer")
        return _pure(name, _broken(name, f"invalid {kind}: {wrong.message}"))
    if spec.kind == "compiles" and spec.language != "json":
        return _compiling(spec, name, compilers or Compilers.here())
    check, held = _CHECKS[spec.kind](spec)
    return _pure(name, _run(name, check, held if spec.negated else None))


def _pure(name: str, run: Callable[[str], ScorerResult]) -> Scorer:
    async def run_async(target: str) -> ScorerResult:
        return run(target)

    return Scorer(name, run, run_async)


def _broken(name: str, reason: str) -> Callable[[str], ScorerResult]:
    result = ScorerResult(name, False, 0, reason)
    return lambda target: result


def _run(name: str, check: Check, held: str | None) -> Callable[[str], ScorerResult]:
    """`held` says what a negated check holds against a text; None where the check is not negated."""
    good = ScorerResult(name, True, 1)
    if held is None:

        def run(target: str) -> ScorerResult:
            finding = check(target)
            if finding is None:
                return good
            return ScorerResult(name, False, 0, finding.reason if type(finding) is CannotTell else finding)

        return run

    bad = ScorerResult(name, False, 0, held)

    def run_negated(target: str) -> ScorerResult:
        finding = check(target)
        if finding is None:
            return bad
        return ScorerResult(name, False, 0, finding.reason) if type(finding) is CannotTell else good

    return run_negated


def _contains(spec: ScorerSpec) -> tuple[Check, str]:
    wanted = spec.value or ""
    missing = f"does not contain {_short(wanted)}"
    return lambda target: None if wanted in target else missing, f"contains {_short(wanted)}"


def _equals(spec: ScorerSpec) -> tuple[Check, str]:
    wanted = spec.value or ""
    other = f"is not {_short(wanted)}"
    return lambda target: None if target == wanted else other, f"is {_short(wanted)}"


def _regex(spec: ScorerSpec) -> tuple[Check, str]:
    pattern = spec.pattern or ""
    search = compile_pattern(pattern).search
    missing = f"does not match {_short(pattern)}"

    def check(target: str) -> Finding:
        # On bytes: on texts the library counts characters for offsets that nobody asks for.
        try:
            found = search(target.encode())
        except UnicodeEncodeError:
            found = search(_HALF_OF_A_PAIR.sub("\ufffd", target).encode())
        return missing if found is None else None

    return check, f"matches {_short(pattern)}"


def _length(spec: ScorerSpec) -> tuple[Check, str]:
    low, high = spec.minimum or 0, spec.maximum

    def check(target: str) -> Finding:
        size = len(target)
        if size < low:
            return f"has {size} characters, fewer than {low}"
        if high is not None and size > high:
            return f"has {size} characters, more than {high}"
        return None

    return check, f"its length is within {low}..{'' if high is None else high}"


def _schema(spec: ScorerSpec) -> tuple[Check, str]:
    validator = compile_schema(spec.schema)
    is_valid = validator.is_valid
    violations = partial(_violations, validator)

    def check(target: str) -> Finding:
        value = find_json(target)
        if value is NO_JSON:
            return "is not JSON"
        if len(target) > 2 * MOST_NESTED and _nests_deeper(value, MOST_NESTED):
            return CannotTell(f"cannot be checked: it nests deeper than {MOST_NESTED}")
        try:
            return None if is_valid(value) else Why(violations, value)
        except (ValueError, RecursionError) as error:
            return CannotTell(f"cannot be checked: {str(error)[:_LONGEST_MESSAGE]}")

    return check, "fits the schema"


def _compiles_json(spec: ScorerSpec) -> tuple[Check, str]:
    def check(target: str) -> Finding:
        code = strip_blanks(code_of(target))
        value = quick(code)
        if value is UNSURE:
            return why_no_json(code)
        return Why(why_no_json, code) if isinstance(value, NoValue) else None

    return check, "compiles as json"


_CHECKS: dict[str, Callable[[ScorerSpec], tuple[Check, str]]] = {
    "contains": _contains,
    "equals": _equals,
    "regex": _regex,
    "length": _length,
    "schema": _schema,
    "compiles": _compiles_json,
}


def _compiling(spec: ScorerSpec, name: str, compilers: Compilers) -> Scorer:
    language = spec.language or ""
    held = f"compiles as {language}"

    async def run_async(target: str) -> ScorerResult:
        said = await compile_code(language, target, compilers)
        if said.ok is None or said.ok is spec.negated:
            return ScorerResult(name, False, 0, held if said.ok else said.detail)
        return ScorerResult(name, True, 1)

    return Scorer(
        name, _broken(name, "runs a compiler: it is run with run_async"), run_async, needs_process=True
    )


def _nests_deeper(value: Any, most: int) -> bool:
    level = [value]
    for _ in range(most):
        holders = [item for item in level if isinstance(item, dict | list)]
        level = [
            item for holder in holders for item in (holder.values() if isinstance(holder, dict) else holder)
        ]
        if not level:
            return False
    return any(isinstance(item, dict | list) for item in level)


def _violations(validator: jsonschema_rs.Draft202012Validator, value: Any) -> str:
    try:
        errors = list(islice(validator.iter_errors(value), MOST_VIOLATIONS))
    except (ValueError, RecursionError):
        # The value nests too deep to be gone through; that it does not fit is known.
        return "does not fit the schema"
    return "; ".join([_violation(error) for error in errors]) or "does not fit the schema"


def _violation(error: jsonschema_rs.ValidationError) -> str:
    path = "$"
    for part in error.instance_path:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return _cut(f"{path}: {error.message}", _LONGEST_MESSAGE)


def _short(text: str) -> str:
    """A value as it is shown in a detail: quoted and on one line."""
    return _cut(json.dumps(text, ensure_ascii=False), _LONGEST_SHOWN)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
