"""OpenAI's decisions (`POST /v1/decisions`): predicates, choices and scores by name; any question may be
refused."""

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
from .usage import token_counts

PATH = "/decisions"

_FIELDS = {"probability", "choice", "score"}
_TYPE = {"condition": "predicate", "choice": "choice", "scale": "score"}
_FIELD = {"condition": "probability", "choice": "choice", "scale": "score"}


def body(request: DecisionRequest, model: str) -> bytes:
    state = request.state if isinstance(request.state, str) else msgspec.json.encode(request.state).decode()
    return msgspec.json.encode(
        {"model": model, "input": state, "questions": [_question(question) for question in request.questions]}
    )


def reply(data: Any, request: DecisionRequest, provider: str) -> DecisionReply:
    """Answers are matched by name, whatever their order. Raises `ProviderContractError` as System One's
    does."""
    root = Path(provider, "$")
    told = record(data, root)
    listed = told.get("answers")
    if not isinstance(listed, list):
        raise (root / "answers").error("is no list")
    asked = {question.id: question for question in request.questions}
    answers: dict[str, Answer] = {}
    for index, item in enumerate(listed):
        path = root / "answers" / index
        answer = record(item, path)
        name = text(answer.get("name"), path / "name")
        if name not in asked or name in answers:
            raise path.error(
                f"answers {name!r}, which was {'answered before' if name in answers else 'not asked'}"
            )
        answers[name] = _answer(asked[name], answer, path)
    missing = [name for name in asked if name not in answers]
    if missing:
        raise ProviderContractError(f"{provider}: no answer to {missing[0]!r}")
    model = told.get("model")
    return DecisionReply(answers, token_counts(told.get("usage")), model if isinstance(model, str) else "")


def _question(question: DecisionQuestion) -> dict[str, Any]:
    asked: dict[str, Any] = {"type": _TYPE[question.kind], "name": question.id, "instructions": question.text}
    if question.kind == "condition":
        return asked
    described = question.descriptions or (None,) * len(question.choices)
    key, each = ("choices", "value") if question.kind == "choice" else ("levels", "label")
    asked[key] = [
        {each: choice, "description": told} if told else {each: choice}
        for choice, told in zip(question.choices, described, strict=False)
    ]
    return asked


def _answer(question: DecisionQuestion, answer: dict[str, Any], path: Path) -> Answer:
    if answer.get("type") == "refusal" or answer.get("refusal"):
        return RefusedAnswer(str(answer.get("refusal") or ""))
    kind = _TYPE[question.kind]
    if answer.get("type") != kind:
        raise (path / "type").error(f"is {answer.get('type')!r} and was asked as {kind!r}")
    only(answer, {_FIELD[question.kind]}, _FIELDS, path)
    if kind == "predicate":
        return ConditionAnswer(number(answer.get("probability"), path / "probability"))
    confidence = answer.get("confidence")
    sure = None if confidence is None else number(confidence, path / "confidence")
    listed = answer.get("probabilities")
    if not isinstance(listed, list):
        raise (path / "probabilities").error("is no list")
    if kind == "choice":
        values = dict(
            _share(item, "value", path / "probabilities" / index) for index, item in enumerate(listed)
        )
        return ChoiceAnswer(text(answer.get("choice"), path / "choice"), values, sure)
    return ScaleAnswer(
        number(answer.get("score"), path / "score"), _levels(question, listed, path / "probabilities"), sure
    )


def _levels(question: DecisionQuestion, listed: list[Any], path: Path) -> tuple[float, ...]:
    values = [_share(item, "label", path / index) for index, item in enumerate(listed)]
    if [label for label, _ in values] != list(question.choices):
        raise path.error(
            f"are for {[label for label, _ in values]!r}, the levels are {list(question.choices)!r}"
        )
    return tuple(value for _, value in values)


def _share(item: Any, name: str, path: Path) -> tuple[str, float]:
    share = record(item, path)
    return text(share.get(name), path / name), number(share.get("probability"), path / "probability")
