"""Conditions, questions and presets: made once, used again, with a context that is fetched right before the call."""

from __future__ import annotations

from typing import Any

import pytest
import trio

import judgeflow as jf

from .by_hand import BILLING, LEVELS, QUESTION, SEVERE, TEAMS, WHICH_TEAM, YES, Calls, judge


class Crm:
    """A `get_context` that counts its calls and takes a second."""

    def __init__(self, *, fails: bool = False) -> None:
        self.args: list[jf.GetContextArgs[Any]] = []
        self.fails = fails

    async def __call__(self, args: jf.GetContextArgs[Any]) -> dict[str, Any]:
        self.args.append(args)
        await trio.sleep(1)
        if self.fails:
            raise LookupError("nobody")
        return {"crm": len(self.args)}


def preset(get_context: Any, **more: Any) -> jf.BooleanPreset[Any]:
    return jf.BooleanPreset(condition=QUESTION, get_context=get_context, **more)


async def test_c51_a_condition_is_used_again() -> None:
    asks, provider = judge(YES)
    urgent = asks.condition(QUESTION)
    assert urgent == jf.Condition[Any](QUESTION)
    for _ in range(2):
        await asks.boolean(condition=urgent)
    assert [input.condition for input in provider.inputs] == [QUESTION, QUESTION]


async def test_c52_a_choice_question_keeps_its_keys_and_a_description_for_each() -> None:
    asks, provider = judge(BILLING)
    given = dict(TEAMS)
    team = asks.choice_question(given, ask=WHICH_TEAM)
    given["sales"] = None
    for _ in range(2):
        await asks.choice(question=team)
    assert [(input.question, input.options, input.descriptions) for input in provider.inputs] == [
        (WHICH_TEAM, ("billing", "technical"), ("Payments, invoices, refunds", None))
    ] * 2
    with pytest.raises(TypeError):
        team.options["sales"] = None  # type: ignore[index]


async def test_c52_without_words_of_its_own_it_asks_which_fits_best() -> None:
    asks, provider = judge(BILLING)
    await asks.choice(question=asks.choice_question(TEAMS))
    assert provider.inputs[0].question == "Which of these fits best?"


async def test_a_scale_is_asked_again_too() -> None:
    asks, provider = judge(SEVERE)
    bad = jf.ScaleQuestion[Any, str](["low", "medium", "high"], ask="How bad?")
    assert (await asks.score(question=bad)).label == "high"
    assert (provider.inputs[0].question, provider.inputs[0].levels) == ("How bad?", LEVELS)
    for wrong, told in (
        (asks.score(question=bad, levels=["a", "b"]), "leave `levels` out"),  # type: ignore[call-overload]
        (asks.score(question="How bad?"), "needs its `levels`"),  # type: ignore[call-overload]
    ):
        with pytest.raises(jf.ConfigurationError, match=told):
            await wrong
    with pytest.raises(jf.ConfigurationError, match="at least 2 levels"):
        jf.ScaleQuestion[Any, str](["one"])


async def test_c53_what_a_boolean_preset_holds(autojump_clock: Any) -> None:
    cache, crm = jf.ContextCache(60, str), Crm()
    made = jf.BooleanPreset[Any](
        name="urgent",
        condition=jf.Condition[Any](QUESTION),
        get_context=crm,
        confidence=jf.Confidence(0.8),
        cache=cache,
    )
    assert (made.kind, made.name, made.get_context, made.cache) == ("boolean", "urgent", crm, cache)
    assert made.confidence is not None
    assert made.confidence.minimum == 0.8
    calls = Calls()
    asks, provider = judge(YES)
    bar = jf.Confidence(uncertain=calls["uncertain"])
    assert await asks.judge_if(condition=made, input=1, confidence=bar, **calls.branches) == "then"
    assert provider.inputs[0].condition == QUESTION


async def test_c54_what_a_choice_preset_holds() -> None:
    made = jf.ChoicePreset[Any, str](
        name="team",
        question=jf.ChoiceQuestion[Any, str](TEAMS, ask=WHICH_TEAM),
        get_context=lambda args: {"ticket": args.input},
        confidence=jf.Confidence(0.8),
    )
    assert made.kind == "choice"
    calls = Calls()
    asks, provider = judge(BILLING)
    bar = jf.Confidence(uncertain=calls["uncertain"])
    went = await asks.judge_switch(question=made, input="t1", confidence=bar, cases=calls.cases)
    assert (went, calls.meta.minimum) == ("uncertain", 0.8)
    assert (provider.inputs[0].question, provider.context) == (WHICH_TEAM, {"ticket": "t1"})
    # By itself it decides without a bar.
    assert (await asks.choice(question=made, input="t2")).value == "billing"


async def test_c55_c56_c58_the_context_is_fetched_once_right_before_the_call(autojump_clock: Any) -> None:
    crm = Crm()
    asks, provider = judge(YES, context={"crm": 0, "app": "shop"})
    signal = jf.CancelHandle()
    await asks.boolean(condition=preset(crm), input="Ada", context={"own": True}, signal=signal)
    [args] = crm.args
    assert (args.input, args.signal) == ("Ada", signal)
    assert args.invocation_id == provider.inputs[0].invocation_id
    assert provider.context == {"crm": 1, "app": "shop", "own": True}
    await asks.boolean(condition=preset(crm), input="Ada")
    assert len(crm.args) == 2


async def test_c57_a_presets_input_is_the_applications_own_and_never_sent() -> None:
    secret = object()
    asks, provider = judge(YES)
    await asks.boolean(condition=preset(lambda args: {"known": args.input is secret}), input=secret)
    assert provider.context == {"known": True}


async def test_c59_where_the_context_fails_nobody_is_asked_and_nothing_runs(autojump_clock: Any) -> None:
    asks, provider = judge(YES)
    calls = Calls()
    with pytest.raises(LookupError, match="nobody"):
        await asks.judge_if(condition=preset(Crm(fails=True)), input=1, **calls.branches)
    assert (provider.inputs, calls.names) == ([], [])


async def test_c60_without_a_cache_each_evaluation_fetches(autojump_clock: Any) -> None:
    crm = Crm()
    asks, _ = judge(YES)
    for _ in range(3):
        await asks.boolean(condition=preset(crm), input=1)
    assert len(crm.args) == 3


async def test_c61_c62_a_cache_keeps_the_context_for_its_time_and_never_the_answer(
    autojump_clock: Any,
) -> None:
    crm = Crm()
    kept = preset(crm, cache=jf.ContextCache(60, lambda ticket: ticket, now=trio.current_time))
    asks, provider = judge(YES)
    other, others_provider = judge(YES)
    for name in ("Ada", "Bob", "Ada", "Ada"):
        await asks.boolean(condition=kept, input=name)
    await other.boolean(condition=kept, input="Ada")
    await trio.sleep(57.9)
    await asks.boolean(condition=kept, input="Ada")
    await trio.sleep(1.1)
    await asks.boolean(condition=kept, input="Ada")
    assert [args.input for args in crm.args] == ["Ada", "Bob", "Ada"]
    assert [input.context["crm"] for input in provider.inputs] == [1, 2, 1, 1, 1, 3]
    # It belongs to the preset, whoever asks.
    assert others_provider.context == {"crm": 1}


async def test_c61_several_who_miss_at_once_fetch_once(autojump_clock: Any) -> None:
    crm = Crm()
    kept = preset(crm, cache=jf.ContextCache(60, str))
    asks, provider = judge(YES)
    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(lambda: asks.boolean(condition=kept, input=1))
    assert (len(crm.args), len(provider.inputs)) == (1, 20)


async def test_c61_a_failure_is_not_kept_and_who_waited_tries_again(autojump_clock: Any) -> None:
    crm = Crm(fails=True)
    kept = preset(crm, cache=jf.ContextCache(60, str))
    asks, _ = judge(YES)
    for _ in range(2):
        with pytest.raises(LookupError):
            await asks.boolean(condition=kept, input=1)
    crm.fails = False
    await asks.boolean(condition=kept, input=1)
    assert len(crm.args) == 3


async def test_c61_who_waits_for_one_that_is_cancelled_fetches_itself(autojump_clock: Any) -> None:
    crm = Crm()
    kept = preset(crm, cache=jf.ContextCache(60, str))
    asks, provider = judge(YES)
    signal = jf.CancelHandle()

    async def first() -> None:
        with pytest.raises(jf.AbortError):
            await asks.boolean(condition=kept, input=1, signal=signal)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(first)
        await trio.sleep(0.25)
        nursery.start_soon(lambda: asks.boolean(condition=kept, input=1))
        await trio.sleep(0.25)
        signal.cancel("gone")
    assert [args.signal for args in crm.args] == [signal, None]
    assert len(provider.inputs) == 1


async def test_c61_keys_are_told_apart_by_their_type_and_must_be_plain(autojump_clock: Any) -> None:
    crm = Crm()
    kept = preset(crm, cache=jf.ContextCache(60, lambda key: key))
    asks, _ = judge(YES)
    for key in (1, True, 1.0, "1", (1,)):
        await asks.boolean(condition=kept, input=key)
    assert len(crm.args) == 5
    with pytest.raises(jf.ConfigurationError, match="must be hashable, this one is a list"):
        await asks.boolean(condition=kept, input=[1])

    async def later(input: object) -> str:
        return "key"

    asked_later: Any = jf.ContextCache(60, later)
    with pytest.raises(jf.ConfigurationError, match="not an async one"):
        await asks.boolean(condition=preset(crm, cache=asked_later), input=1)


async def test_c62_what_is_kept_is_nobodys_to_change(autojump_clock: Any) -> None:
    found = {"list": [1]}
    kept = preset(lambda args: found, cache=jf.ContextCache(60, str))
    asks, provider = judge(YES)
    await asks.boolean(condition=kept, input=1)
    found["list"].append(2)
    provider.inputs[0].context["list"].append(3)
    await asks.boolean(condition=kept, input=1)
    assert provider.inputs[1].context == {"list": [1]}


def test_c62_a_cache_outlives_an_event_loop() -> None:
    calls: list[Any] = []

    def get_context(args: Any) -> dict[str, Any]:
        calls.append(args)
        return {"n": 1}

    kept = preset(get_context, cache=jf.ContextCache(60, str))
    asks, provider = judge(YES)

    async def main() -> None:
        await asks.boolean(condition=kept, input=1)

    trio.run(main)
    trio.run(main)
    assert (len(calls), len(provider.inputs)) == (1, 2)
