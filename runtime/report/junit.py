"""JUnit XML, well-formed whatever a model wrote: control characters are taken out."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

import attrs


@attrs.frozen
class Case:
    """One test. `failure` says what went wrong, `error` why it could not be told; both None where it passed."""

    suite: str
    name: str
    seconds: float
    failure: str | None
    error: str | None = None


def junit_xml(name: str, cases: Sequence[Case]) -> str:
    failures = sum(case.failure is not None for case in cases)
    errors = sum(case.error is not None for case in cases)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuite name={_attribute(name)} tests="{len(cases)}" failures="{failures}" errors="{errors}">',
    ]
    for case in cases:
        head = (
            f"  <testcase classname={_attribute(case.suite)} name={_attribute(case.name)}"
            f' time="{case.seconds:.3f}"'
        )
        tag, told = ("failure", case.failure) if case.failure is not None else ("error", case.error)
        if told is None:
            lines.append(head + "/>")
            continue
        first = (told.splitlines() or [""])[0]
        lines.append(head + ">")
        lines.append(f"    <{tag} message={_attribute(first)}>{escape(_legal(told))}</{tag}>")
        lines.append("  </testcase>")
    return "\n".join([*lines, "</testsuite>", ""])


def _attribute(text: str) -> str:
    return quoteattr(_legal(text))


def _legal(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold."""
    return "".join(
        mark
        for mark in text
        if mark in "\t\n\r"
        or "\x20" <= mark <= "\ud7ff"
        or "\ue000" <= mark <= "\ufffd"
        or mark >= "\U00010000"
    )
