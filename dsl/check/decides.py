"""What a test lets a decision, or a judge's questions, answer."""

from __future__ import annotations

from collections.abc import Sequence

from .. import ast
from ..suggest import closest
from .base import CallableSurface, Report, Scope
from .env import Env

_TOLERANCE = 1e-6


def check_decides(answer: ast.Expr, found: CallableSurface, env: Env, scope: Scope, report: Report) -> None:
    """A condition decides a probability, a choice an option or shares, a scale a level or its index; a judge
    an object of these by question."""
    if found.kind == "judge":
        _check_questions(answer, found, report)
    else:
        check_answer(answer, found.kind, found.options, f"`{found.name}`", report)


def _check_questions(answer: ast.Expr, found: CallableSurface, report: Report) -> None:
    if not isinstance(answer, ast.Object):
        _report(answer, f"`{found.name}` decides its questions by name", "expected an object", report)
        return
    if found.form != "decide":
        return
    questions = {question.name: question for question in found.questions}
    for pair in answer.pairs:
        question = questions.get(pair.key.text)
        if question is None:
            guess = closest(pair.key.text, questions)
            listed = ", ".join(f"`{name}`" for name in questions)
            report.add(
                "test.wrong-shape",
                pair.key,
                f"`{found.name}` asks no question `{pair.key.text}`",
                label="no such question",
                help=f"Did you mean `{guess}`?" if guess else f"It asks {listed}.",
            )
        else:
            check_answer(pair.value, question.kind, question.options, f"`{question.name}`", report)
    missing = [name for name in questions if name not in {pair.key.text for pair in answer.pairs}]
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing)
        _report(answer, f"`{found.name}` also asks {listed}", f"{listed} has no answer", report)


def check_answer(answer: ast.Expr, kind: str, options: Sequence[str], what: str, report: Report) -> None:
    match answer:
        case ast.Number() if kind == "condition":
            _check_number(answer, 1, f"{what} decides the probability of a yes", report)
        case ast.Number() if kind == "scale":
            _check_number(answer, max(0, len(options) - 1), f"{what} decides a level", report)
        case ast.Text(plain=str() as label) if kind != "condition":
            _check_label(answer, label, options, what, report)
        case ast.Object() if kind == "choice":
            _check_shares(answer, options, what, report)
        case ast.Name() | ast.Field() | ast.Index() | ast.Call() | ast.IfExpr() | ast.Binary():
            return
        case _:
            _report(answer, f"{what} is a {kind}: {_EXPECTED[kind]}", "nothing that it can decide", report)


_EXPECTED = {
    "condition": "it decides a number from 0 to 1, the probability of a yes",
    "choice": "it decides one of its options, or a share for each",
    "scale": "it decides one of its levels, or the place of one from 0",
}


def _check_number(number: ast.Number, high: int, what: str, report: Report) -> None:
    if not 0 <= number.value <= high:
        _report(number, f"{what}, from 0 to {high}", f"not from 0 to {high}", report)


def _check_label(at: ast.Node, label: str, options: Sequence[str], what: str, report: Report) -> None:
    if label in options:
        return
    guess = closest(label, options)
    listed = ", ".join(f'"{option}"' for option in options)
    report.add(
        "test.wrong-shape",
        at,
        f'{what} never decides "{label}"',
        label="not one of its answers",
        help=f'Did you mean "{guess}"?' if guess else f"It decides {listed}.",
    )


def _check_shares(answer: ast.Object, options: Sequence[str], what: str, report: Report) -> None:
    total = 0.0
    plain = True
    for pair in answer.pairs:
        _check_label(pair.key, pair.key.text, options, what, report)
        if isinstance(pair.value, ast.Number):
            total += pair.value.value
        else:
            plain = False
    missing = [option for option in options if option not in {pair.key.text for pair in answer.pairs}]
    if missing:
        listed = ", ".join(f"`{option}`" for option in missing)
        _report(
            answer, f"{what} gives every answer a share, and {listed} has none", "not all of them", report
        )
    elif plain and abs(total - 1) > _TOLERANCE:
        _report(answer, f"The shares of {what} add up to {total:g}, not to 1", f"{total:g} in all", report)


def _report(at: ast.Node, message: str, label: str, report: Report) -> None:
    report.add("test.wrong-shape", at, message, label=label)
