"""Typed questions to a decision model: at the top level (`condition`, `choice`, `scale`) and in a judge's
`decide`."""

from __future__ import annotations

from .. import ast
from ..diagnostics import Label
from .base import Report
from .texts import check_not_blank, check_plain


def check_question_text(text: ast.Text, kind: str, report: Report) -> None:
    """A question says something."""
    examples = {
        "condition": '"Does this need attention today?"',
        "choice": '"Which team should handle this?"',
        "scale": '"How severe is this?"',
    }
    check_not_blank(
        text, f"the question of this {kind}", report, f"Ask it: {examples[kind]}", "decision.blank"
    )


def check_options(options: ast.Options, report: Report) -> None:
    """The options of a choice: at least one, each once."""
    if not options.items:
        report.add(
            "decision.options",
            options,
            "A choice without options has no answer",
            label="empty",
            help='options { billing "Payments"  other "Anything else" }',
        )
    seen: dict[str, ast.Ident] = {}
    for option in options.items:
        check_plain(option.description, "an option's description", report)
        first = seen.setdefault(option.name.text, option.name)
        if first is not option.name:
            _again(
                "decision.options",
                option.name,
                first,
                f"The option `{option.name.text}` stands twice",
                report,
            )


def check_levels(levels: ast.Texts, report: Report) -> None:
    """The levels of a scale: at least two, different, neither blank nor padded."""
    if len(levels.items) < 2:
        count = "one level" if levels.items else "no levels"
        report.add(
            "decision.levels",
            levels,
            f"A scale with {count} tells nothing apart",
            label="at least two, the lowest first",
            help='levels ["low", "high"]',
        )
    seen: dict[str, ast.Text] = {}
    for level in levels.items:
        plain = check_plain(level, "a level", report)
        if plain is None:
            continue
        if not plain.strip():
            report.add("decision.levels", level, "This level is blank", label="says nothing", help="Name it.")
        elif plain != plain.strip():
            report.add(
                "decision.levels",
                level,
                "This level has white space around it, which no answer would repeat",
                label="not trimmed",
                help=f'Write "{plain.strip()}".',
            )
        elif plain in seen:
            _again("decision.levels", level, seen[plain], f'The level "{plain}" stands twice', report)
        seen.setdefault(plain, level)


def _again(code: str, at: ast.Node, first: ast.Node, message: str, report: Report) -> None:
    report.add(
        code,
        at,
        message,
        label="again",
        labels=(Label(first.start, first.end, "the first one"),),
        help="Remove one of the two.",
    )
