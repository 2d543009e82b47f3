"""Texts: which are templates, and which may not be blank."""

from __future__ import annotations

from .. import ast
from .base import Report


def check_plain(text: ast.Text | None, what: str, report: Report) -> str | None:
    """The text of what is no template (`a name`, `a path`, …); `{{` in it is reported. None where there is
    none."""
    if text is None:
        return None
    plain = text.plain
    if plain is None:
        part = next(part for part in text.parts if not isinstance(part, str))
        report.add(
            "text.not-a-template",
            part,
            f"{what[:1].upper()}{what[1:]} is not a template, so `{{{{ }}}}` cannot stand in it",
            label="is not filled in here",
            help="Only texts that are sent are templates. Write the value out; a literal `{{` is `\\{{`.",
        )
    return plain


def is_blank(text: ast.Text) -> bool:
    plain = text.plain
    return plain is not None and not plain.strip()


def check_not_blank(text: ast.Text, what: str, report: Report, help: str, code: str = "value.range") -> bool:
    """Whether the text says something; what is blank is reported."""
    if not is_blank(text):
        return True
    report.add(code, text, f"{what[:1].upper()}{what[1:]} is blank", label="says nothing", help=help)
    return False
