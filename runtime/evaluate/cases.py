"""Cases: what a flow is asked in an evaluation, and what people think of the answers.

A file of cases is JSON lines, JSON, CSV or YAML. Each case has

    input      what the flow is asked: a text, or its parameters by name (also `task`)
    expected   what a good answer is or has in it, if that is known (also `target`)
    answer     an answer that somebody has labelled
    label      what a person thinks of it: pass or fail, yes or no, true or false, 1 or 0
    id         a name of its own; without one it is named by what is in it, so that it keeps its name in any order

Without `input`, all other columns are the flow's parameters by name. Whatever else stands there is kept in `fields`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from ..judge.errors import ConfigurationError
from ..store.canonical import NonJsonValueError, canonical_hash
from ..store.records import Json
from .rows import KINDS, Broken, Fault, Row, rows_of

INPUT, EXPECTED = ("input", "task"), ("expected", "target")
OWN = (*INPUT, *EXPECTED, "answer", "label", "id")
_SHORT = 8
_GOOD = ("pass", "yes", "true", "1", "good", "adequate")
_BAD = ("fail", "no", "false", "0", "bad", "inadequate")


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One case. `line` is where it begins in its file, from 1; 0 where it comes from no file."""

    id: str
    input: Json
    line: int = 0
    expected: Json = None
    answer: Json = None
    label: bool | None = None
    fields: dict[str, Json] = {}
    """Every column as it was written, for checks that read `case.…`."""


class CaseFile(msgspec.Struct, frozen=True):
    """The cases of a file in its order, and what could not be read."""

    name: str
    cases: tuple[Case, ...]
    faults: tuple[Fault, ...] = ()


def read_cases(path: Path, *, strict: bool = False, name: str | None = None) -> CaseFile:
    """The cases of a file. `name` is how messages call it; the path, unless given.

    Raises `ConfigurationError` where the file cannot be read, holds no case, or, if `strict`, has a broken line.
    """
    called = name or str(path)
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise ConfigurationError(
            f"{called}: cases are read from {', '.join(KINDS)}; save it as one of these", code="cases.kind"
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"{called}: the cases cannot be read ({error.strerror or error})", code="cases.missing"
        ) from None
    found = parse_cases(data, kind, called)
    if found.faults and (strict or not found.cases):
        raise broken_cases(found.faults)
    if not found.cases:
        raise ConfigurationError(
            f'{called}: there is no case in it; write one a line, such as {{"input": "…"}}', code="cases.none"
        )
    return found


def parse_cases(data: bytes, kind: str, name: str) -> CaseFile:
    """The cases in the bytes of a file of this kind (`.jsonl`, `.json`, `.csv`, `.yaml`). Never raises."""
    rows, broken = rows_of(data, kind)
    found: list[Case] = []
    for row in rows:
        case = _case(row)
        if isinstance(case, Broken):
            broken.append(case)
        else:
            found.append(case)
    cases, twice = _named_once(found)
    broken.extend(twice)
    faults = [Fault(name, each.line, each.mistake, each.fix) for each in broken]
    return CaseFile(name, tuple(cases), tuple(sorted(faults, key=lambda fault: fault.line)))


def broken_cases(faults: Iterable[Fault]) -> ConfigurationError:
    """One error that names every broken line."""
    return ConfigurationError("\n".join(map(str, faults)), code="cases.broken")


def case_line(case: Case) -> str:
    """A case as a line of a JSON-lines file, without the line break. Reading it gives the same case."""
    found: dict[str, Json] = {"id": case.id, "input": case.input}
    for key, value in (("expected", case.expected), ("answer", case.answer)):
        if value is not None:
            found[key] = value
    if case.label is not None:
        found["label"] = "pass" if case.label else "fail"
    found.update((key, value) for key, value in case.fields.items() if key not in OWN)
    return msgspec.json.encode(found).decode()


def label_of(value: Json) -> bool | None:
    """A person's label as they may write it; None where it is none."""
    if isinstance(value, bool):
        return value
    text = str(value).strip().casefold() if isinstance(value, str | int | float) else ""
    text = text.removesuffix(".0")
    return True if text in _GOOD else False if text in _BAD else None


def _case(row: Row) -> Case | Broken:
    value = row.value
    if isinstance(value, str):
        value = {"input": value}
    if not isinstance(value, dict):
        return Broken(row.line, "this is no case", 'a case is an object such as {"input": "…"}')
    label = _first(value, ("label",))
    read = label_of(label)
    if label is not None and read is None:
        return Broken(row.line, f"the label {label!r} is none", "write pass or fail")
    given = _first(value, INPUT)
    rest = {key: item for key, item in value.items() if key not in OWN}
    if given is None and not any(key in value for key in INPUT):
        # Missing data stays missing: an empty cell is no value of a parameter.
        given = {key: item for key, item in rest.items() if item is not None} or None
    if given is None:
        return Broken(row.line, "this case has no input", 'say what is asked: {"input": "…"}')
    expected = _first(value, EXPECTED)
    name = value.get("id")
    if name is not None and (not isinstance(name, str | int) or isinstance(name, bool) or name == ""):
        return Broken(row.line, f"the id {name!r} is none", "an id is a text or a number")
    try:
        content_name({"input": given, "expected": expected, "answer": value.get("answer")})
    except NonJsonValueError as error:
        return Broken(row.line, str(error).removesuffix("; write it as text"), "write it as a text")
    return Case(
        id="" if name is None else str(name),
        input=given,
        line=row.line,
        expected=expected,
        answer=value.get("answer"),
        label=read,
        fields=value,
    )


def content_name(value: Json) -> str:
    """A short name for what is in a case or a task, the same wherever it stands."""
    return canonical_hash(value)[:_SHORT]


def _named_once(cases: list[Case]) -> tuple[list[Case], list[Broken]]:
    """The cases with a name each, and those whose name another has already."""
    kept: list[Case] = []
    broken: list[Broken] = []
    lines: dict[str, int] = {}
    for case in cases:
        name = case.id or _free(_own_name(case), lines)
        if name in lines:
            broken.append(
                Broken(
                    case.line,
                    f"duplicate id {name} (lines {lines[name]} and {case.line})",
                    "give each case an id of its own, or none",
                )
            )
            continue
        lines[name] = case.line
        kept.append(msgspec.structs.replace(case, id=name))
    return kept, broken


def _own_name(case: Case) -> str:
    """By what is asked and expected; labelled answers to one question are different cases."""
    what = {"input": case.input, "expected": case.expected}
    return content_name(what if case.answer is None else {**what, "answer": case.answer})


def _free(own: str, taken: Mapping[str, int]) -> str:
    """The same case written twice is two cases: the second is called `…-2`."""
    number, name = 1, own
    while name in taken:
        number += 1
        name = f"{own}-{number}"
    return name


def _first(value: Mapping[str, Json], keys: Iterable[str]) -> Json:
    return next((value[key] for key in keys if value.get(key) is not None), None)
