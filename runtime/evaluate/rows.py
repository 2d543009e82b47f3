"""Files of cases as rows: JSON lines, JSON, CSV and YAML, each row with the line on which it begins.

Pure: bytes in, rows and faults out. What cannot be read is named with its line; what can be read is kept.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import attrs

from ...dsl.printable import clean
from ..store.records import Json


@attrs.frozen
class Row:
    """One entry of a file. `line` counts from 1."""

    line: int
    value: Json


@attrs.frozen
class Fault:
    """What is wrong with one line of a file and what to write instead. `file` is as the user named it."""

    file: str
    line: int
    mistake: str
    fix: str

    def __str__(self) -> str:
        text = f"{self.file}:{self.line}: {self.mistake}; {self.fix}"
        return text if text.isprintable() else clean(" ".join(text.splitlines()))


@attrs.frozen
class Broken:
    """A row that cannot be read. `fatal`: nothing after it can be read either."""

    line: int
    mistake: str
    fix: str
    fatal: bool = False


Entries = Iterator[Row | Broken]


def rows_of(data: bytes, kind: str) -> tuple[list[Row], list[Broken]]:
    """The rows of a file of the given kind (`.jsonl`, `.json`, `.csv`, `.yaml`, `.yml`) and what is broken in it."""
    found: list[Row] = []
    broken: list[Broken] = []
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return [], [Broken(line, "this is not UTF-8", "save the file as UTF-8", fatal=True)]
    for entry in _READERS[kind](text):
        if isinstance(entry, Broken):
            broken.append(entry)
        else:
            found.append(entry)
    return found, broken


# --- JSON ---------------------------------------------------------------------------------------------------


def _json_lines(text: str) -> Entries:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield Row(number, _decoder.decode(line))
        except ValueError as error:
            yield _broken_json(error, number)
        except RecursionError:
            yield Broken(number, "this is nested too deeply", "keep cases flat")


def _json(text: str) -> Entries:
    """A list of cases, or an object with the list under `cases`. Read one by one, so that each has its line."""
    head = re.match(r'\s*\{\s*"cases"\s*:\s*\[|\s*\[', text)
    if head is None:
        yield Broken(
            1, "this is no list of cases", 'write [{"input": "…"}, …], or one case a line as .jsonl', True
        )
        return
    at = head.end()
    while True:
        at = _blank(text, at)
        line = text.count("\n", 0, at) + 1
        if text[at : at + 1] == "]":
            if not _is_json(('{"cases": []' if "{" in head[0] else "[]") + text[at + 1 :]):
                yield Broken(line, "something stands behind the list of cases", "one file holds one list")
            return
        try:
            value, at = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield (
                _broken_json(error, None, fatal=True)
                if isinstance(error, ValueError)
                else Broken(line, "this is nested too deeply", "keep cases flat", True)
            )
            return
        yield Row(line, value)
        at = _blank(text, at)
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != "]":
            line = text.count("\n", 0, at) + 1
            yield Broken(line, "a `,` or the closing `]` is missing here", "nothing after it was read", True)
            return


def _is_json(text: str) -> bool:
    try:
        _decoder.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _blank(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\n", "\r"):
        at += 1
    return at


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _NotJsonError(f"`{twice}` is there twice", "keep one of the two")
    return found


class _NotJsonError(ValueError):
    def __init__(self, mistake: str, fix: str) -> None:
        super().__init__(mistake)
        self.mistake = mistake
        self.fix = fix


def _constant(name: str) -> None:
    """NaN is how some programs write that a value is missing; an infinite number is a mistake."""
    if name != "NaN":
        raise _NotJsonError(f"{name} is no number", "write a number, or null where there is none")


_MOST_DIGITS = 4_000
"""Python reads no whole number of more than 4,300."""


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise _NotJsonError(f"a number of {len(digits):,} digits", "write it as a text")
    return int(digits)


def _decimal(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _NotJsonError(f"{digits[:20]} is past the range of numbers", "write it as a text")
    return value


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_int=_whole, parse_float=_decimal
)


def json_value(text: str) -> Json:
    """The value that a text holds. Raises ValueError and RecursionError."""
    value: Json = _decoder.decode(text)
    return value


def _broken_json(error: ValueError, line: int | None, *, fatal: bool = False) -> Broken:
    if isinstance(error, json.JSONDecodeError):
        # Python's own words for it differ from one version to the next.
        where = f"this is not JSON (column {error.colno})"
        return Broken(line or error.lineno, where, _json_fix(error), fatal)
    mistake, fix = (
        (error.mistake, error.fix) if isinstance(error, _NotJsonError) else (str(error), "write JSON")
    )
    return Broken(line or 1, mistake, fix, fatal)


def _json_fix(error: json.JSONDecodeError) -> str:
    here = error.doc[error.pos : error.pos + 1]
    if here == "'":
        return 'texts stand in double quotes: {"input": "…"}'
    before = error.doc[: error.pos].rstrip()
    if before.endswith(",") and here in ("}", "]", ""):
        return "take the last comma away"
    if here == "," and error.doc[error.pos + 1 :].lstrip()[:1] in ("}", "]"):
        return "take the last comma away"
    return 'a case is an object such as {"input": "…", "expected": "…"}'


# --- CSV ----------------------------------------------------------------------------------------------------


def _csv(text: str) -> Entries:
    """Columns are named by the first row. An empty cell is a missing value."""
    head_line = next((line for line in text.split("\n") if line.strip()), "")
    delimiter = max(",;\t", key=head_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            fix = "double every quote inside quotes"
            if "field limit" in str(error):
                fix = "write cases with texts as long as that as .jsonl"
            yield Broken(line, f"this row cannot be read ({error})", fix, True)
            return
        if not any(cell.strip() for cell in cells):
            continue
        if not names:
            names = [cell.strip() for cell in cells]
            wrong = _wrong_names(names)
            if wrong:
                yield Broken(line, wrong, "name each column once, in the first row", True)
                return
        elif len(cells) > len(names):
            yield Broken(
                line,
                f"this row has {len(cells)} cells and there are {len(names)} columns",
                f"put a cell that holds {_named(delimiter)} in quotes",
            )
        elif len(cells) < len(names):
            missing = ", ".join(names[len(cells) :])
            yield Broken(
                line, f"this row ends before {missing}", "leave a cell empty where there is no value"
            )
        else:
            yield Row(line, {name: cell or None for name, cell in zip(names, cells, strict=True)})


def _named(delimiter: str) -> str:
    return {",": "a comma", ";": "a semicolon"}.get(delimiter, "a tab")


def _wrong_names(names: list[str]) -> str | None:
    if "" in names:
        return f"column {names.index('') + 1} has no name"
    twice = next((name for name in names if names.count(name) > 1), None)
    return None if twice is None else f"two columns are named {twice}"


# --- YAML ---------------------------------------------------------------------------------------------------


def _yaml(text: str) -> Entries:
    """A list of cases, or a mapping with the list under `cases`. Values are those of JSON: a plain `no` or a date is
    a text."""
    import yaml  # noqa: PLC0415  # fifteen milliseconds that only this kind of file needs

    try:
        top = yaml.compose(text, Loader=yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it cannot be read"
        line = mark.line + 1 if mark is not None else 1
        yield Broken(line, f"this is not YAML ({problem})", "check the indentation and the quotes", True)
        return
    if top is None:
        return
    if top.id == "mapping":
        top = next((value for key, value in top.value if key.value == "cases"), top)
    if top.id != "sequence":
        line = top.start_mark.line + 1
        yield Broken(line, "this is no list of cases", 'write a list: - input: "…"', True)
        return
    for node in top.value:
        line = node.start_mark.line + 1
        try:
            yield Row(line, _node(node, 0, [_MOST_NODES]))
        except _NotJsonError as error:
            yield Broken(line, error.mistake, error.fix)


_PLAIN: tuple[tuple[re.Pattern[str], Callable[[str], Json]], ...] = (
    (re.compile(r"~|null|Null|NULL|\.nan|\.NaN|\.NAN|"), lambda text: None),
    (re.compile(r"true|True|TRUE"), lambda text: True),
    (re.compile(r"false|False|FALSE"), lambda text: False),
    (re.compile(r"[-+]?[0-9]+"), _whole),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), _decimal),
)
_TAGS = frozenset(
    f"tag:yaml.org,2002:{kind}"
    for kind in ("str", "int", "float", "bool", "null", "timestamp", "merge", "value", "seq", "map")
)
_MOST_DEEP = 50
_MOST_NODES = 20_000
"""Values in one case. References may make a few lines as large as one likes."""


def _node(node: Any, depth: int, left: list[int]) -> Json:
    left[0] -= 1
    if depth > _MOST_DEEP or left[0] < 0:
        raise _NotJsonError("this is nested too deeply", "keep cases flat")
    if node.tag not in _TAGS:
        shown = node.tag.replace("tag:yaml.org,2002:", "!!")
        raise _NotJsonError(
            f"a value of the type {shown}, which JSON has not", "write it as a text or a number"
        )
    if node.id == "sequence":
        return [_node(item, depth + 1, left) for item in node.value]
    if node.id == "mapping":
        return _object([(str(key.value), _node(value, depth + 1, left)) for key, value in node.value])
    if node.style:
        return str(node.value)
    for pattern, value_of in _PLAIN:
        if pattern.fullmatch(node.value):
            return value_of(node.value)
    return str(node.value)


_READERS: dict[str, Callable[[str], Entries]] = {
    ".jsonl": _json_lines,
    ".json": _json,
    ".csv": _csv,
    ".yaml": _yaml,
    ".yml": _yaml,
}
KINDS = tuple(_READERS)
