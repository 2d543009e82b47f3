"""Findings of `jrun check` as a person, a script, a pull request or a code scanner reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from ...dsl.diagnostics import Diagnostic, Fix
from ...dsl.printable import clean
from ...dsl.render import render
from ...dsl.source import Source
from ..version import __version__

Format = Literal["text", "json", "github", "sarif"]
Sources = Mapping[str, Source]


def as_text(findings: Sequence[Diagnostic], sources: Sources, *, color: bool = False) -> str:
    """Each finding with its source, and a line that counts them."""
    parts = [render(found, sources, color=color) for found in findings]
    return "\n\n".join([*parts, summary(findings, len(sources))]) + "\n"


def summary(findings: Sequence[Diagnostic], files: int) -> str:
    """`2 errors, 1 warning in 3 files`."""
    counted = []
    for severity in ("error", "warning", "hint"):
        count = sum(found.severity == severity for found in findings)
        if count:
            counted.append(_counted(count, severity))
    return f"{', '.join(counted) or 'no errors'} in {_counted(files, 'file')}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def as_json(findings: Sequence[Diagnostic], sources: Sources, *, color: bool = False) -> str:
    """An array of `{code, severity, file, line, column, end_line, end_column, message, help, fixes}`; lines
    and columns count from 1 and columns are code points. An edit of a fix replaces `line:column` up to
    `end_line:end_column`."""
    rows = [
        {
            "code": found.code,
            "severity": found.severity,
            "file": found.path,
            **_range(found.start, found.end, sources.get(found.path)),
            "message": found.message,
            "help": found.help,
            "fixes": [_fix(fix, sources.get(found.path)) for fix in found.fixes],
        }
        for found in findings
    ]
    return msgspec.json.format(msgspec.json.encode(rows), indent=2).decode() + "\n"


def _range(start: int, end: int, source: Source | None) -> dict[str, int]:
    line, column = source.position(start) if source else (1, 1)
    end_line, end_column = source.position(end) if source else (1, 1)
    return {"line": line, "column": column, "end_line": end_line, "end_column": end_column}


def _fix(fix: Fix, source: Source | None) -> dict[str, Any]:
    edits = [{**_range(edit.start, edit.end, source), "text": edit.text} for edit in fix.edits]
    return {"title": fix.title, "edits": edits}


_GITHUB = {"error": "error", "warning": "warning", "hint": "notice"}


def as_github(findings: Sequence[Diagnostic], sources: Sources, *, color: bool = False) -> str:
    """Workflow commands, which GitHub shows beside the lines of a pull request."""
    lines = []
    for found in findings:
        place = _range(found.start, found.end, sources.get(found.path))
        properties = f"file={_property(found.path)},line={place['line']},col={place['column']}"
        if place["end_line"] == place["line"]:
            properties += f",endLine={place['end_line']},endColumn={place['end_column']}"
        text = f"{found.message}\n{found.help}" if found.help else found.message
        lines.append(
            f"::{_GITHUB[found.severity]} {properties},title={_property(found.code)}::{_data(text)}\n"
        )
    return "".join(lines)


def _data(text: str) -> str:
    """`clean` keeps line ends; a text that came from a file must not start a command of its own."""
    return clean(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


_LEVELS = {"error": "error", "warning": "warning", "hint": "note"}


def as_sarif(findings: Sequence[Diagnostic], sources: Sources, *, color: bool = False) -> str:
    """SARIF 2.1.0, for code scanners."""
    codes = sorted({found.code for found in findings})
    rules = [{"id": code, "help": {"text": f"jrun explain {code}"}} for code in codes]
    results = [_sarif_result(found, codes.index(found.code), sources) for found in findings]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "jrun", "version": __version__, "rules": rules}},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def _sarif_result(found: Diagnostic, rule: int, sources: Sources) -> dict[str, Any]:
    text = f"{found.message}\n{found.help}" if found.help else found.message
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": rule,
        "level": _LEVELS[found.severity],
        "message": {"text": text},
        "locations": [_location(found.path, found.start, found.end, sources)],
    }
    if found.labels:
        result["relatedLocations"] = [
            {
                "id": number,
                **_location(label.path or found.path, label.start, label.end, sources),
                "message": {"text": label.text},
            }
            for number, label in enumerate(found.labels)
        ]
    if found.fixes:
        result["fixes"] = [_sarif_fix(fix, found.path, sources) for fix in found.fixes]
    return result


def _location(path: str, start: int, end: int, sources: Sources) -> dict[str, Any]:
    artifact = {"uri": path}
    return {
        "physicalLocation": {"artifactLocation": artifact, "region": _region(start, end, sources.get(path))}
    }


def _region(start: int, end: int, source: Source | None) -> dict[str, int]:
    place = _range(start, end, source)
    return {
        "startLine": place["line"],
        "startColumn": place["column"],
        "endLine": place["end_line"],
        "endColumn": place["end_column"],
    }


def _sarif_fix(fix: Fix, path: str, sources: Sources) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": _region(edit.start, edit.end, sources.get(path)),
            "insertedContent": {"text": edit.text},
        }
        for edit in fix.edits
    ]
    changes = [{"artifactLocation": {"uri": path}, "replacements": replacements}]
    return {"description": {"text": fix.title}, "artifactChanges": changes}


WRITERS: dict[str, Callable[..., str]] = {
    "text": as_text,
    "json": as_json,
    "github": as_github,
    "sarif": as_sarif,
}
