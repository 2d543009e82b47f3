"""Findings as text, JSON, GitHub commands and SARIF."""

from __future__ import annotations

import json

import jsonschema_rs
import pytest

from judgeflow.dsl.diagnostics import Diagnostic, Edit, Fix, Label
from judgeflow.dsl.source import Source
from judgeflow.runtime.report.findings import as_github, as_json, as_sarif, as_text, summary

TEXT = "let a = b\nlet c = 😀d\n"
SOURCES = {"x.judge": Source("x.judge", TEXT), "y.judge": Source("y.judge", "let d = 1\n")}
AT = TEXT.index("d\n")
FOUND = Diagnostic(
    "name.unknown",
    "error",
    "`d` is not known here",
    AT,
    AT + 1,
    "x.judge",
    "not declared",
    (Label(4, 5, "there", "y.judge"),),
    "Did you mean `a`?",
    (Fix("Replace with `a`", (Edit(AT, AT + 1, "a"),)),),
)
WARNING = Diagnostic("judge.same-model-family", "warning", "100% the same:\nfamily", 0, 3, "x.judge")
HINT = Diagnostic("name.unused", "hint", "Nothing uses `a`", 4, 5, "x.judge")


@pytest.mark.parametrize(
    ("findings", "files", "expected"),
    [
        ([], 1, "no errors in 1 file"),
        ([FOUND, FOUND, WARNING], 3, "2 errors, 1 warning in 3 files"),
        ([HINT, HINT], 2, "2 hints in 2 files"),
        ([FOUND, WARNING, HINT], 1, "1 error, 1 warning, 1 hint in 1 file"),
    ],
)
def test_the_last_line_counts_what_was_found(findings: list[Diagnostic], files: int, expected: str) -> None:
    assert summary(findings, files) == expected


def test_text_shows_each_finding_and_the_count() -> None:
    text = as_text([FOUND, HINT], SOURCES)
    assert text.startswith("error[name.unknown]: `d` is not known here\n")
    assert "\n\nhint[name.unused]" in text
    assert text.endswith("\n\n1 error, 1 hint in 2 files\n")


def test_json_counts_lines_and_columns_from_one_in_code_points() -> None:
    (row,) = json.loads(as_json([FOUND], SOURCES))
    assert row == {
        "code": "name.unknown",
        "severity": "error",
        "file": "x.judge",
        "line": 2,
        "column": 10,
        "end_line": 2,
        "end_column": 11,
        "message": "`d` is not known here",
        "help": "Did you mean `a`?",
        "fixes": [
            {
                "title": "Replace with `a`",
                "edits": [{"line": 2, "column": 10, "end_line": 2, "end_column": 11, "text": "a"}],
            }
        ],
    }


def test_json_of_nothing_is_an_empty_array() -> None:
    assert json.loads(as_json([], SOURCES)) == []


def test_a_line_for_github_is_one_command_whatever_the_text_holds() -> None:
    assert as_github([WARNING], SOURCES) == (
        "::warning file=x.judge,line=1,col=1,endLine=1,endColumn=4,title=judge.same-model-family::"
        "100%25 the same:%0Afamily\n"
    )
    evil = Diagnostic("a.b", "error", "x\n::set-output name=a::b\x1b[31m", 0, 1, "a,b:c.judge")
    (line,) = as_github([evil], SOURCES).splitlines()
    assert (
        line
        == "::error file=a%2Cb%3Ac.judge,line=1,col=1,endLine=1,endColumn=1,title=a.b::x%0A::set-output name=a::b␛[31m"
    )
    assert as_github([HINT], SOURCES).startswith("::notice ")


SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "items": {
                "required": ["tool", "results"],
                "properties": {
                    "results": {
                        "items": {
                            "required": ["message", "ruleId", "level"],
                            "properties": {
                                "level": {"enum": ["error", "warning", "note", "none"]},
                                "fixes": {"items": {"required": ["artifactChanges"]}},
                                "locations": {
                                    "items": {
                                        "properties": {
                                            "physicalLocation": {
                                                "required": ["artifactLocation", "region"],
                                                "properties": {
                                                    "region": {
                                                        "additionalProperties": {
                                                            "type": "integer",
                                                            "minimum": 1,
                                                        }
                                                    }
                                                },
                                            }
                                        }
                                    }
                                },
                            },
                        }
                    }
                },
            }
        },
    },
}


def test_sarif_holds_rules_places_related_places_and_fixes() -> None:
    log = json.loads(as_sarif([FOUND, WARNING, HINT], SOURCES))
    assert jsonschema_rs.is_valid(SARIF, log)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted(rules)
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [r["ruleId"] for r in run["results"]]
    first = run["results"][0]
    assert first["locations"][0]["physicalLocation"]["region"]["startColumn"] == 10
    assert first["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "y.judge"
    assert first["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"] == "a"
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]
    assert run["columnKind"] == "unicodeCodePoints"
