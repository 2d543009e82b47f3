"""Answers of decision services: whatever they are made of, they are used whole or not at all."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeflow.runtime.judge.confidence import accepts
from judgeflow.runtime.judge.contract import decisions_of, validated
from judgeflow.runtime.judge.decisions import Refused, check_question, check_questions
from judgeflow.runtime.judge.errors import ConfigurationError, ProviderContractError
from judgeflow.runtime.judge.protocol import (
    ChoiceAnswer,
    ConditionAnswer,
    DecisionQuestion,
    DecisionReply,
    RefusedAnswer,
    ScaleAnswer,
)

YES = DecisionQuestion("q", "condition", "Is it?")
WHICH = DecisionQuestion("q", "choice", "Which?", ("a", "b"))
HOW = DecisionQuestion("q", "scale", "How?", ("low", "mid", "high"))

anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.floats(), max_size=4),
    st.dictionaries(
        st.sampled_from(["a", "b", "c", 1, None]), st.one_of(st.floats(), st.none(), st.text()), max_size=3
    ),
    st.just(10**400),
)


def is_share(value: Any) -> bool:
    return type(value) is float and 0 <= value <= 1


@settings(max_examples=50, deadline=None)
@given(anything, anything, anything)
def test_c05_a_condition_is_used_whole_or_not_at_all(share: Any, confidence: Any, value: Any) -> None:
    reply = DecisionReply({"q": ConditionAnswer(share, confidence, value)})
    try:
        decision = validated(YES, reply)
    except ProviderContractError:
        return
    assert isinstance(decision.value, bool)
    assert is_share(decision.probabilities["yes"])
    assert is_share(decision.confidence)


@settings(max_examples=50, deadline=None)
@given(anything, anything, anything, st.sampled_from([None, 2]))
def test_c07_c08_c09_c10_c11_c12_a_choice_is_used_whole_or_not_at_all(
    choice: Any, shares: Any, confidence: Any, rounding: int | None
) -> None:
    reply = DecisionReply({"q": ChoiceAnswer(choice, shares, confidence)}, rounding=rounding)
    try:
        decision = validated(WHICH, reply)
    except ProviderContractError:
        return
    assert decision.value in WHICH.choices
    assert tuple(decision.probabilities) == WHICH.choices
    assert all(is_share(share) for share in decision.probabilities.values())
    assert math.isclose(math.fsum(decision.probabilities.values()), 1, abs_tol=1.1e-6)


@settings(max_examples=50, deadline=None)
@given(anything, anything, anything)
def test_c14_c15_a_score_is_used_whole_or_not_at_all(score: Any, shares: Any, confidence: Any) -> None:
    try:
        decision = validated(HOW, DecisionReply({"q": ScaleAnswer(score, shares, confidence)}))
    except ProviderContractError:
        return
    assert isinstance(decision.value, float)
    assert 0 <= decision.value <= 2
    assert decision.label in HOW.choices


@pytest.mark.parametrize("total", [0.98, 0.985, 0.99, 1.0, 1.01])
def test_x17_case_193_a_declared_rounding_scales_what_rounding_can_explain(total: float) -> None:
    shares = {"a": 0.5, "b": total - 0.5}
    reply = DecisionReply({"q": ChoiceAnswer("a", shares)}, rounding=2)
    if abs(total - 1) > 2 * 0.005 + 1e-9:
        with pytest.raises(ProviderContractError, match="rounding to 2 decimals"):
            validated(WHICH, reply)
        return
    decision = validated(WHICH, reply)
    assert math.isclose(math.fsum(decision.probabilities.values()), 1)
    assert decision.normalized is (total != 1.0)


@pytest.mark.parametrize(
    ("score", "shares", "rounding", "fits"),
    [
        (1.33, (0.33, 0.0, 0.67), None, False),
        (1.33, (0.33, 0.0, 0.67), 2, True),
        (1.34, (0.33, 0.33, 0.33), 2, False),
        (1.0, (0.33, 0.33, 0.33), 2, True),
        (0.99, (0.33, 0.33, 0.33), 2, True),
        (2.0, (0.9, 0.05, 0.05), 2, False),
    ],
)
def test_u37_what_rounding_can_explain_of_a_score(
    score: float, shares: tuple[float, ...], rounding: int | None, fits: bool
) -> None:
    reply = DecisionReply({"q": ScaleAnswer(score, shares)}, rounding=rounding)
    if fits:
        assert validated(HOW, reply).value == score
        return
    with pytest.raises(ProviderContractError, match="have their mean at"):
        validated(HOW, reply)


@pytest.mark.parametrize("hundredths", range(101))
def test_c27_x08_a_confidence_that_is_worked_out_reaches_the_bar_that_it_is_written_as(
    hundredths: int,
) -> None:
    probability, other = hundredths / 100, (100 - hundredths) / 100
    decision = validated(YES, DecisionReply({"q": ConditionAnswer(probability)}))
    assert decision.confidence == max(probability, other)
    assert decision.probabilities == {"yes": probability, "no": other}
    assert accepts(decision.confidence, str(max(probability, other)))


def test_c05_a_number_a_little_out_of_range_is_told_as_it_is() -> None:
    with pytest.raises(ProviderContractError, match=r"probability 1\.0000001, which is not between 0 and 1"):
        validated(YES, DecisionReply({"q": ConditionAnswer(1.0000001)}))


def test_case_192_one_refusal_of_several() -> None:
    questions = (DecisionQuestion("a", "condition", "A?"), DecisionQuestion("b", "choice", "B?", ("x", "y")))
    found = decisions_of(questions, DecisionReply({"a": ConditionAnswer(0.9), "b": RefusedAnswer("no")}))
    assert (list(found), len(found), list(found.refused)) == (["a", "b"], 2, ["b"])
    assert found["a"].value is True
    with pytest.raises(Refused, match="refused to answer `b`: no"):
        found["b"]
    values = found.as_values()
    assert values["a"]["value"] is True
    for read in (
        lambda: values["b"]["choice"],
        lambda: values["b"].get("choice"),
        lambda: "probability" in values["b"],
    ):
        with pytest.raises(Refused):
            read()
    with pytest.raises(KeyError):
        found["c"]


def test_an_answer_that_was_not_asked_for_breaks_the_contract() -> None:
    reply = DecisionReply({"q": ConditionAnswer(0.9), "z": ConditionAnswer(0.9)})
    with pytest.raises(ProviderContractError, match="not asked: z"):
        decisions_of((YES,), reply)


@pytest.mark.parametrize(
    "question",
    [
        DecisionQuestion("q", "condition", ""),
        DecisionQuestion("q", "condition", " \n"),
        DecisionQuestion("q", "choice", "Which?"),
        DecisionQuestion("q", "choice", "Which?", ("a", "a")),
        DecisionQuestion("q", "choice", "Which?", ("a", " ")),
        DecisionQuestion("q", "scale", "How?", ("low",)),
        DecisionQuestion("q", "scale", "How?", ("low", "low")),
    ],
)
def test_a50_a52_a53_what_cannot_be_asked_is_refused(question: DecisionQuestion) -> None:
    with pytest.raises(ConfigurationError):
        check_question(question)
    with pytest.raises(ConfigurationError):
        check_questions((YES, question))


def test_a_call_takes_at_most_two_hundred_questions() -> None:
    check_questions([YES] * 200)
    with pytest.raises(ConfigurationError, match="at most 200 questions, this asks 201"):
        check_questions([YES] * 201)
    with pytest.raises(ConfigurationError, match="no question"):
        check_questions(())
