"""System One (`POST /v1/systemone`): a state and typed questions by id, an answer per question."""

from __future__ import annotations

from typing import Any

import msgspec

from ..judge.errors import ProviderContractError
from ..judge.protocol import (
    Answer,
    ChoiceAnswer,
    ConditionAnswer,
    DecisionQuestion,
    DecisionReply,
    DecisionRequest,
    RefusedAnswer,
    ScaleAnswer,
)
from .answers import Path, number, only, record, text
from .settings import Target
from .usage import token_counts

PATH = "/systemone"
MOST = 8 * 2**20
"""Bytes of an answer: a larger one is refused before it is parsed."""

_FIELDS = {"noul", "choice", "score"}


def auth(target: Target) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {target.key.reveal()}"),) if target.key else ()


def body(request: DecisionRequest, model: str) -> bytes:
    return msgspec.json.encode(
        {
            "model": model,
            "state": request.state,
            "questions": {question.id: _question(question) for question in request.questions},
        }
    )


def reply(data: Any, request: DecisionRequest, provider: str) -> DecisionReply:
    """Raises `ProviderContractError` for an answer that is missing, not asked for, or of another kind.
    Whether the numbers make sense is checked by the caller."""
    root = Path(provider, "$")
    told = record(data, root)
    answers = record(told.get("answers"), root / "answers")
    asked = {question.id for question in request.questions}
    extra = sorted(answers.keys() - asked)
    if extra:
        raise ProviderContractError(f"{provider}: an answer to {extra[0]!r}, which was not asked")
    return DecisionReply(
        answers={
            question.id: _answer(question, answers.get(question.id), root / "answers" / question.id)
            for question in request.questions
        },
        usage=token_counts(told.get("usage")),
        model=told["model"] if isinstance(told.get("model"), str) else "",
    )


def _question(question: DecisionQuestion) -> dict[str, Any]:
    if question.kind == "condition":
        return {"type": "noul", "instructions": question.text}
    described = question.descriptions or (None,) * len(question.choices)
    if question.kind == "choice":
        return {
            "type": "choice",
            "instructions": question.text,
            "criteria": dict(zip(question.choices, described, strict=False)),
        }
    return {"type": "score", "instructions": question.text, "criteria": list(question.choices)}


def _answer(question: DecisionQuestion, told: Any, path: Path) -> Answer:
    answer = record(told, path)
    if answer.get("type") == "refusal" or "refusal" in answer:
        return RefusedAnswer(str(answer.get("refusal") or ""))
    kind = {"condition": "noul", "choice": "choice", "scale": "score"}[question.kind]
    if answer.get("type", kind) != kind:
        raise (path / "type").error(f"is {answer['type']!r} and was asked as {kind!r}")
    only(answer, {kind}, _FIELDS, path)
    confidence = answer.get("confidence")
    sure = None if confidence is None else number(confidence, path / "confidence")
    if kind == "noul":
        return ConditionAnswer(number(answer.get("noul"), path / "noul"), sure)
    shares = record(answer.get("probabilities"), path / "probabilities")
    values = {key: number(value, path / "probabilities" / key) for key, value in shares.items()}
    if kind == "choice":
        return ChoiceAnswer(text(answer.get("choice"), path / "choice"), values, sure)
    _check_legend(question, answer.get("legend"), path / "legend")
    return ScaleAnswer(
        number(answer.get("score"), path / "score"), _by_level(question, values, path / "probabilities"), sure
    )


def _check_legend(question: DecisionQuestion, legend: Any, path: Path) -> None:
    """Where the service says which level is which, it must be the order that was asked for."""
    if legend is None:
        return
    levels = list(legend) if isinstance(legend, list) else _in_order(record(legend, path), path)
    if levels != list(question.choices):
        raise path.error(f"is {levels!r}, the levels are {list(question.choices)!r}")


def _by_level(question: DecisionQuestion, values: dict[str, float], path: Path) -> tuple[float, ...]:
    levels = _in_order(values, path)
    if len(levels) != len(question.choices):
        raise path.error(f"{len(levels)} of them for {len(question.choices)} levels")
    return tuple(levels)


def _in_order(by_index: dict[str, Any], path: Path) -> list[Any]:
    try:
        return [by_index[str(index)] for index in range(len(by_index))]
    except KeyError as error:
        raise path.error(f"level {error.args[0]} is missing") from None
