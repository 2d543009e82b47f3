"""What is put together wrongly is refused before any context is resolved, with what to write instead."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
import trio

import judgeflow as jf
from judgeflow.runtime.decisions import create_judge

from .by_hand import BILLING, QUESTION, TEAMS, WHICH_TEAM, YES, ByHand, Calls, judge


class Counting:
    """A `get_context` that knows how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, args: object) -> dict[str, Any]:
        self.asked += 1
        return {}


class Sly:
    boolean = choice = None

    @property
    def score(self) -> Any:
        raise OSError("no")


def test_a_decision_under_asyncio_says_how_to_make_it_and_can_be_made() -> None:
    async def ask() -> bool:
        return bool((await create_judge(ByHand(YES)).boolean(condition=QUESTION)).value)

    async def main() -> bool:
        with pytest.raises(RuntimeError, match=r"a decision needs Trio.*asyncio\.to_thread"):
            await ask()
        return await asyncio.to_thread(trio.run, ask)

    assert asyncio.run(main()) is True


@pytest.mark.parametrize(
    ("provider", "told"),
    [
        (None, "there is none"),
        (object(), "object lacks boolean, choice, score"),
        (ByHand, "ByHand is a class, not an object"),
        (Sly(), "Sly lacks boolean, choice, score"),
        ({"boolean": len, "choice": len, "score": len}, "dict lacks"),
    ],
)
def test_a49_a_provider_that_cannot_decide_is_refused(provider: Any, told: str) -> None:
    with pytest.raises(jf.ConfigurationError, match=told) as caught:
        jf.create_judge(provider)
    assert caught.value.code == "decision.provider"
    assert "judgeflow.providers.system_one()" in caught.value.message


@pytest.mark.parametrize("lacking", ["boolean", "choice", "score"])
def test_a49_each_of_the_three_is_needed(lacking: str) -> None:
    class Lacks(ByHand):
        pass

    setattr(Lacks, lacking, None)
    with pytest.raises(jf.ConfigurationError, match=f"Lacks lacks {lacking}"):
        jf.create_judge(Lacks())


@pytest.mark.parametrize("text", ["", " ", "\n\t", None, 1, b"x", ["Is it?"], "half \ud83d"])
async def test_a50_a_blank_condition_or_question_is_refused(text: Any) -> None:
    asks, provider = judge(YES)
    calls = Calls()
    for use in (
        asks.boolean(condition=text),
        asks.judge_if(condition=text, **calls.branches),
        asks.choice(question=text, options=["a"]),
        asks.judge_switch(question=text, cases=calls.cases),
        asks.score(question=text, levels=["a", "b"]),
    ):
        with pytest.raises(jf.ConfigurationError):
            await use
    for make in (jf.Condition[Any], asks.condition):
        with pytest.raises(jf.ConfigurationError):
            make(text)
    with pytest.raises(jf.ConfigurationError):
        jf.ChoiceQuestion[Any, Any](TEAMS, ask=text)
    assert (provider.inputs, calls.names) == ([], [])


@pytest.mark.parametrize(
    "options",
    [
        [],
        (),
        {},
        "ab",
        None,
        3,
        ["a", "a"],
        ["a", ""],
        ["a", " "],
        ["a", "b "],
        ["\na"],
        [1, 2],
        ["a", None],
        {"a", "b"},
        ["a", "\ud83d"],
    ],
)
async def test_a52_u36_options_that_are_none_or_no_texts_of_their_own_are_refused(options: Any) -> None:
    asks, provider = judge(BILLING)
    with pytest.raises(jf.ConfigurationError):
        await asks.choice(question=WHICH_TEAM, options=options)
    assert provider.inputs == []


async def test_a52_one_option_is_enough() -> None:
    asks, _ = judge(jf.ChoiceDecision("only", {"only": 1.0}, 1.0))
    assert (await asks.choice(question=WHICH_TEAM, options=["only"])).value == "only"


@pytest.mark.parametrize(
    "levels", [[], ["low"], "ab", None, ["low", "low"], ["low", ""], ["low", " high"], ["low", 2]]
)
async def test_a53_u36_a_scale_has_at_least_two_levels(levels: Any) -> None:
    asks, provider = judge(YES)
    with pytest.raises(jf.ConfigurationError):
        await asks.score(question="How bad?", levels=levels)
    assert provider.inputs == []


async def test_a54_the_keys_of_the_cases_are_what_is_sent() -> None:
    asks, provider = judge(jf.ChoiceDecision("z", {"b": 0.0, "z": 1.0, "a": 0.0}, 1.0))
    calls = Calls()
    cases = {name: calls[name] for name in ("z", "a", "b")}
    await asks.judge_switch(question=WHICH_TEAM, cases=cases)
    assert (provider.inputs[0].options, calls.names) == (("z", "a", "b"), ["z"])


@pytest.mark.parametrize(
    "cases", [{}, None, [], [("billing", print)], {1: print}, {"": print}, {"a ": print}]
)
async def test_a54_cases_that_are_no_cases_are_refused(cases: Any) -> None:
    asks, provider = judge(BILLING)
    with pytest.raises(jf.ConfigurationError):
        await asks.judge_switch(question=WHICH_TEAM, cases=cases)
    assert provider.inputs == []


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["billing"], "no case for 'technical'$"),
        (["billing", "technical", "sales"], "no option for the case 'sales'$"),
        (["Billing", "technical"], "no case for 'billing' and no option for the case 'Billing'$"),
    ],
)
async def test_a55_a56_a_missing_or_extra_case_is_refused_before_the_context(
    names: list[str], told: str
) -> None:
    asks, provider = judge(BILLING)
    calls, context = Calls(), Counting()
    team = jf.ChoiceQuestion[Any, str](TEAMS)
    preset = jf.ChoicePreset[int, str](question=team, get_context=context)
    cases = {name: calls[name] for name in names}
    with pytest.raises(jf.ConfigurationError, match=told) as caught:
        await asks.judge_switch(question=team, cases=cases)
    assert caught.value.code == "decision.cases"
    with pytest.raises(jf.ConfigurationError, match=told):
        await asks.judge_switch(question=preset, input=1, cases=cases)
    assert (provider.inputs, calls.names, context.asked) == ([], [], 0)


@pytest.mark.parametrize("minimum", [math.nan, math.inf, -math.inf, -0.01, 1.01, 2, -1, True, "0.8", 10**400])
def test_a57_a_minimum_that_is_no_number_between_zero_and_one_is_refused(minimum: Any) -> None:
    for more in ({}, {"uncertain": print}):
        with pytest.raises(jf.ConfigurationError, match="between 0 and 1") as caught:
            jf.Confidence(minimum, **more)
        assert caught.value.code == "decision.confidence"


async def test_a58_a_bar_without_uncertain_is_refused_before_the_context() -> None:
    asks, provider = judge(YES)
    calls, context = Calls(), Counting()
    urgent = jf.BooleanPreset[int](
        name="urgent", condition=QUESTION, get_context=context, confidence=jf.Confidence(0.8)
    )
    with pytest.raises(jf.ConfigurationError, match="urgent has a confidence to reach") as caught:
        await asks.judge_if(condition=urgent, input=1, **calls.branches)
    assert caught.value.code == "decision.no-uncertain"
    with pytest.raises(jf.ConfigurationError, match="has a confidence to reach"):
        await asks.judge_if(condition=urgent, input=1, confidence=jf.Confidence(0.9), **calls.branches)
    with pytest.raises(jf.ConfigurationError, match="has a confidence to reach"):
        await asks.judge_if(condition=QUESTION, confidence=jf.Confidence(0.9), **calls.branches)
    assert (context.asked, provider.inputs, calls.names) == (0, [], [])


async def test_a59_uncertain_without_a_bar_is_refused_before_the_context() -> None:
    asks, provider = judge(YES)
    calls, context = Calls(), Counting()
    urgent = jf.BooleanPreset[int](condition=QUESTION, get_context=context)
    handled = jf.Confidence(uncertain=calls["uncertain"])
    with pytest.raises(jf.ConfigurationError, match="could never run") as caught:
        await asks.judge_if(condition=urgent, input=1, confidence=handled, **calls.branches)
    assert caught.value.code == "decision.uncertain-unreachable"
    with pytest.raises(jf.ConfigurationError, match="could never run"):
        await asks.judge_switch(question=WHICH_TEAM, confidence=handled, cases=calls.cases)
    assert (context.asked, provider.inputs, calls.names) == (0, [], [])


async def test_a60_a_preset_of_the_other_kind_is_refused() -> None:
    asks, provider = judge(YES)
    calls = Calls()
    team: Any = jf.ChoiceQuestion[Any, str](TEAMS)
    for wrong in (jf.ChoicePreset[Any, str](question=team), team):
        for use in (asks.boolean(condition=wrong), asks.judge_if(condition=wrong, **calls.branches)):
            with pytest.raises(jf.ConfigurationError, match="use judge_switch or choice"):
                await use
    urgent: Any = jf.Condition[Any](QUESTION)
    for wrong in (jf.BooleanPreset[Any](condition=urgent), urgent):
        for use in (asks.choice(question=wrong), asks.judge_switch(question=wrong, cases=calls.cases)):
            with pytest.raises(jf.ConfigurationError, match="use judge_if or boolean"):
                await use
    assert (provider.inputs, calls.names) == ([], [])


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"ttl": 60},
        {"key": str},
        {"ttl": 0, "key": str},
        {"ttl": -1, "key": str},
        {"ttl": math.nan, "key": str},
        {"ttl": math.inf, "key": str},
        {"ttl": True, "key": str},
        {"ttl": "5m", "key": str},
        {"ttl": 60, "key": "id"},
    ],
)
def test_a61_a_cache_needs_its_time_and_its_key(settings: dict[str, Any]) -> None:
    with pytest.raises(jf.ConfigurationError, match="a context cache needs a"):
        jf.ContextCache(**settings)


# --- the rest of what can be put together wrongly


@pytest.mark.parametrize("wrong", [None, "then", 1, {}])
async def test_a_callback_that_is_no_function_is_refused_before_anything_runs(wrong: Any) -> None:
    asks, provider = judge(YES)
    with pytest.raises(jf.ConfigurationError, match="`then` must be a function"):
        await asks.judge_if(condition=QUESTION, then=wrong, otherwise=print)
    with pytest.raises(jf.ConfigurationError, match="`otherwise` must be a function"):
        await asks.judge_if(condition=QUESTION, then=print, otherwise=wrong)
    with pytest.raises(jf.ConfigurationError, match="the case 'b' must be a function"):
        await asks.judge_switch(question=WHICH_TEAM, cases={"a": print, "b": wrong})
    if wrong is not None:
        with pytest.raises(jf.ConfigurationError, match="`uncertain` must be a function"):
            jf.Confidence(0.8, uncertain=wrong)
    assert provider.inputs == []


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: jf.BooleanPreset[Any](condition=" "), "the condition is empty"),
        (lambda: jf.BooleanPreset[Any](condition=QUESTION, get_context="crm"), "`get_context` must be"),  # type: ignore[arg-type]
        (lambda: jf.BooleanPreset[Any](condition=QUESTION, cache=60), "`cache` must be a ContextCache"),  # type: ignore[arg-type]
        (lambda: jf.BooleanPreset[Any](condition=QUESTION, confidence=0.8), "must be a Confidence"),  # type: ignore[arg-type]
        (
            lambda: jf.BooleanPreset[Any](condition=QUESTION, cache=jf.ContextCache(1, str)),
            "there is nothing to cache",
        ),
        (
            lambda: jf.BooleanPreset[Any](condition=QUESTION, confidence=jf.Confidence(0.8, uncertain=print)),
            "the minimum alone",
        ),
        (lambda: jf.ChoicePreset[Any, str](question=WHICH_TEAM), "must be a ChoiceQuestion"),  # type: ignore[arg-type]
        (lambda: jf.ChoiceQuestion[Any, str](["a", "b"]), "are an object"),  # type: ignore[arg-type]
        (lambda: jf.ChoiceQuestion[Any, str]({}), "at least 1 option"),
        (lambda: jf.ChoiceQuestion[Any, str]({"a": 1}), "description of 'a' must be"),  # type: ignore[dict-item]
        (jf.Confidence, "needs a minimum"),
    ],
)
def test_what_cannot_be_used_is_refused_where_it_is_made(made: Any, told: str) -> None:
    with pytest.raises(jf.ConfigurationError, match=told):
        made()


async def test_a_use_that_leaves_something_open_is_refused() -> None:
    asks, provider = judge(YES)
    fetches = jf.BooleanPreset[Any](condition=QUESTION, get_context=lambda args: {})
    team: Any = jf.ChoiceQuestion[Any, str](TEAMS)
    calls = Calls()
    uses: list[tuple[Any, str]] = [
        (asks.boolean(condition=fetches), "needs an `input`"),
        (asks.boolean(condition=QUESTION, input=1), "there is none here"),
        (asks.choice(question=WHICH_TEAM), "needs its `options`"),  # type: ignore[call-overload]
        (asks.choice(question=team, options=["a"]), "leave `options` out"),
        (asks.boolean(condition=QUESTION, signal=object()), "must be a CancelHandle"),  # type: ignore[arg-type]
        (
            asks.judge_if(condition=QUESTION, confidence=0.8, **calls.branches),  # type: ignore[call-overload]
            "must be a Confidence",
        ),
    ]
    for use, told in uses:
        with pytest.raises(jf.ConfigurationError, match=told):
            await use
    assert (provider.inputs, calls.names) == ([], [])


@pytest.mark.parametrize("hook", ["on_decision", "on_error"])
def test_a_hook_that_cannot_be_called_is_refused(hook: str) -> None:
    async def later(event: object) -> None: ...

    with pytest.raises(jf.ConfigurationError, match=f"`{hook}` must be a function"):
        judge(YES, **{hook: "print"})
    with pytest.raises(jf.ConfigurationError, match="must be a plain function"):
        judge(YES, **{hook: later})


async def test_closing_a_judge_closes_its_provider_where_it_can_be_closed() -> None:
    asks, provider = judge(YES)
    async with asks as same:
        assert same is asks
    assert provider.closed == 1

    class Bare:
        boolean = choice = score = ByHand(YES).boolean

    await create_judge(Bare()).aclose()
