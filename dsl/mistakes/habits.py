"""What people write out of habit from Python, JavaScript, YAML or another language for prompts, and what to write
here instead."""

from __future__ import annotations

from ..diagnostics import Diagnostic
from .mistake import Mistake, fix

_FLOW = "Steps are written as a flow: flow main(task: text) -> text { return writer(task) }"
_TYPE = "Write a type: type Job { title: text  pay: int? }"
DECLARATIONS = {
    **dict.fromkeys(("def", "fn", "func", "function", "fun", "async", "main", "pipeline", "steps"), _FLOW),
    **dict.fromkeys(("class", "struct", "interface", "record", "schema", "dataclass"), _TYPE),
    "enum": 'Write a type of texts: type Color = "red" | "green"',
    **dict.fromkeys(
        ("const", "var", "set", "define"), 'A constant is written: let house_style = "Plain English."'
    ),
    **dict.fromkeys(("from", "include", "use"), 'Other files are read with: import "shared/models.judge"'),
    **dict.fromkeys(
        ("client", "llm"), 'A model is written: model small "openai/gpt-6-mini" { temperature 0.2 }'
    ),
    **dict.fromkeys(
        ("function_tool", "plugin"),
        'A tool is written: tool search(query: text) { python "tools.py:search" }',
    ),
    **dict.fromkeys(
        ("metric", "grader", "evaluator", "assert", "check", "rubric"),
        'Write a judge: code judge short { require len(reply) < 80 else "Be brief." }',
    ),
    **dict.fromkeys(("guard", "guardrail"), "Write a judge, which agents list, or a gate, which flows call."),
}
"""What a declaration of another language is here, by its first word."""


def habit(mistake: Mistake) -> Diagnostic | None:
    for explain in (
        _lambda,
        _ternary,
        _percent,
        _prefixed_text,
        _foreign_value,
        _python_block,
        _head_mark,
        _negated,
        _stray_weight,
    ):
        diagnostic = explain(mistake)
        if diagnostic is not None:
            return diagnostic
    return None


def _follows(mistake: Mistake, mark: str) -> bool:
    """Whether the token after this one is `mark` and touches it."""
    text, end = mistake.tokens.text, mistake.span[1]
    return text[end : end + len(mark)] == mark


def _lambda(mistake: Mistake) -> Diagnostic | None:
    """`x => …`"""
    if not mistake.is_a("=") or not _follows(mistake, ">"):
        return None
    start, end = mistake.span
    return mistake.error(
        "syntax.unexpected",
        "There are no functions without a name",
        span=(start, end + 1),
        help='A list is gone through with `[x for x in xs if x != ""]`, `every x in xs: …` or `some x in xs: …`.',
    )


def _ternary(mistake: Mistake) -> Diagnostic | None:
    """`a ? b : c`"""
    if not mistake.is_a("?") or not mistake.expects("and"):
        return None
    message = "A value that depends on a condition is written with `if`"
    return mistake.error(
        "syntax.unexpected", message, help='For example: if score > 0.5 then "good" else "bad"'
    )


def _percent(mistake: Mistake) -> Diagnostic | None:
    """`70%`"""
    before = mistake.tokens.spelling(mistake.index - 1) if mistake.index else ""
    if not mistake.is_a("%") or not before.replace(".", "", 1).isdigit():
        return None
    start = mistake.tokens.span(mistake.index - 1)[0]
    share = f"{float(before) / 100:g}"
    return mistake.error(
        "syntax.unexpected",
        f"A share is a number from 0 to 1: `{before}%` is {share}",
        span=(start, mistake.span[1]),
        fixes=fix(f"Write `{share}`", start, mistake.span[1], share),
    )


def _prefixed_text(mistake: Mistake) -> Diagnostic | None:
    """`f"…"`, `b"…"`, `u"…"`"""
    word, (start, end) = mistake.spelling, mistake.span
    if word.lower() not in ("f", "b", "u", "rf", "fr", "br") or not _follows(mistake, '"'):
        return None
    return mistake.error(
        "syntax.unexpected",
        f"A text has no `{word}` before it",
        help='Values are put into a text with double braces: "Write about {{ topic }}."',
        fixes=fix(f"Remove the `{word}`", start, end, ""),
    )


_VALUES = {
    "None": "null",
    "nil": "null",
    "undefined": "null",
    "True": "true",
    "False": "false",
    "NULL": "null",
}


def _foreign_value(mistake: Mistake) -> Diagnostic | None:
    """`None`, `True`"""
    word, (start, end) = mistake.spelling, mistake.span
    meant = _VALUES.get(word)
    if meant is None or not mistake.expects("NUMBER"):
        return None
    message = f"There is no value `{word}`"
    return mistake.error(
        "name.unknown",
        message,
        help=f"Did you mean `{meant}`?",
        fixes=fix(f"Write `{meant}`", start, end, meant),
    )


def _python_block(mistake: Mistake) -> Diagnostic | None:
    """`agent writer:` with an indented block below"""
    end = mistake.span[1]
    rest = mistake.tokens.text[end:].partition("\n")[0].partition("#")[0]
    if not mistake.is_a(":") or not mistake.expects("{") or rest.strip():
        return None
    message = "What belongs together stands in braces, not behind a colon"
    return mistake.error("syntax.missing-block", message, help="Write `{` here, and `}` after the last line.")


def _head_mark(mistake: Mistake) -> Diagnostic | None:
    """`model small = "…"`"""
    if (
        mistake.place.block
        or mistake.in_template
        or not mistake.is_a(":", "=")
        or not mistake.expects("TEXT")
    ):
        return None
    start, end = mistake.span
    message = f"There is no `{mistake.spelling}` here: what follows the name stands behind it as it is"
    return mistake.error(
        "syntax.unexpected", message, help=mistake.example, fixes=fix("Remove it", start, end, "")
    )


_NEGATIONS = frozenset({"negate", "negated", "invert", "inverted", "negative"})


def _negated(mistake: Mistake) -> Diagnostic | None:
    """`contains "x" negate true`: the word itself, or what stands behind it where it was taken for a scorer."""
    if mistake.in_template or mistake.place.block not in ("", "scorers"):
        return None
    tokens = mistake.tokens
    for index in (mistake.index, mistake.index - 1):
        word = tokens.spelling(index) if index > 0 else ""
        if word in _NEGATIONS and tokens.spelling(0) in ("scorer", "gate"):
            advice = '`not` stands before what it turns around: not contains "ERROR"'
            message = f"A scorer has no `{word}`"
            return mistake.error("syntax.unexpected", message, span=tokens.span(index), help=advice)
    return None


def _stray_weight(mistake: Mistake) -> Diagnostic | None:
    """A second weight, or one that stands alone."""
    if not mistake.is_a("weight") or mistake.place.block != "scorers":
        return None
    message = "This weight belongs to no scorer: each has one, behind it"
    return mistake.error(
        "gate.weights", message, help='scorers { contains "a" weight 0.6  length 1..50 weight 0.4 }'
    )
