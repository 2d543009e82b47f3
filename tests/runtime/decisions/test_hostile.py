"""Providers, contexts and callbacks that mean harm, or are merely broken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

import judgeflow as jf

from .by_hand import BILLING, LEVELS, QUESTION, SEVERE, TEAMS, WHICH_TEAM, YES, ByHand, Calls, judge


class Everything(str):
    """A text that equals every other one."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("billing")


async def test_what_only_claims_to_equal_an_option_is_none() -> None:
    asks, _ = judge(jf.ChoiceDecision(Everything("drop"), {"billing": 1.0, "technical": 0.0}, 1.0))
    calls = Calls()
    with pytest.raises(jf.ProviderContractError, match="not on offer"):
        await asks.judge_switch(question=WHICH_TEAM, cases=calls.cases)
    assert calls.names == []


async def test_what_only_claims_to_be_a_level_is_none() -> None:
    levels = (Everything("low"), "medium", "high")
    asks, _ = judge(attrs.evolve(SEVERE, levels=levels))
    with pytest.raises(jf.ProviderContractError, match="other levels"):
        await asks.score(question="How bad?", levels=LEVELS)


class Twice(jf.BooleanDecision):
    """Says one thing to whoever looks first, and another to whoever uses it."""

    looks = 0

    def __getattribute__(self, name: str) -> Any:
        if name in ("value", "probability_true", "confidence"):
            Twice.looks += 1
            return {"value": True, "probability_true": 0.9, "confidence": 0.9 if Twice.looks < 4 else 7.0}[
                name
            ]
        return super().__getattribute__(name)


async def test_a_decision_that_changes_between_two_looks_is_looked_at_once() -> None:
    Twice.looks = 0
    asks, _ = judge(Twice(True, 0.9, 0.9))
    calls = Calls()
    await asks.judge_if(condition=QUESTION, **calls.branches)
    decision = calls.meta.decision
    assert (type(decision), decision.confidence, Twice.looks) == (jf.BooleanDecision, 0.9, 3)


class Shares(Mapping[str, Any]):
    """Probabilities that are code."""

    def __init__(self, items: Any) -> None:
        self._items = items

    def __getitem__(self, key: str) -> Any:
        raise OSError("sk-secret")

    def __iter__(self) -> Iterator[str]:
        return iter(["billing", "technical"])

    def __len__(self) -> int:
        return 2


async def test_probabilities_that_raise_when_they_are_read_break_the_contract() -> None:
    asks, _ = judge(jf.ChoiceDecision("billing", Shares(None), 1.0))  # type: ignore[arg-type]
    with pytest.raises(jf.ProviderContractError, match=r"cannot be read \(OSError\)") as caught:
        await asks.choice(question=WHICH_TEAM, options=TEAMS)
    assert "secret" not in str(caught.value)


async def test_a_decision_that_its_provider_changes_later_stays_what_it_was() -> None:
    shares = {"billing": 0.75, "technical": 0.25}
    asks, _ = judge(jf.ChoiceDecision("billing", shares, 0.75))
    decision = await asks.choice(question=WHICH_TEAM, options=TEAMS)
    shares["billing"] = 0.0
    assert decision.probabilities["billing"] == 0.75
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        decision.value = "technical"  # type: ignore[misc]


class Kelvin(float):
    """A number of another library: its value counts, not its class."""

    def __repr__(self) -> str:
        return "Kelvin(…)"


async def test_numbers_of_other_libraries_become_plain_ones() -> None:
    asks, _ = judge(jf.BooleanDecision(True, Kelvin(0.75), Kelvin(0.75)))
    calls = Calls()
    bar = jf.Confidence(0.75, uncertain=calls["uncertain"])
    await asks.judge_if(condition=QUESTION, confidence=bar, **calls.branches)
    assert calls.names == ["then"]
    assert type(calls.meta.decision.confidence) is float


anything = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(),
    st.integers(),
    st.text(max_size=2),
    st.dictionaries(
        st.sampled_from(["billing", "technical", "sales"]), st.floats(0, 1) | st.none(), max_size=3
    ),
    st.lists(st.floats(), max_size=3),
)
options = st.sampled_from(["billing", "technical"])
distributions = st.floats(0, 1).map(lambda share: {"billing": share, "technical": 1 - share})


@settings(max_examples=80, deadline=None)
@given(options | anything, distributions | anything, st.floats(0, 1) | anything, st.none() | st.floats(0, 1))
def test_c23_c70_whatever_is_answered_one_function_runs_or_none_with_an_error(
    value: Any, probabilities: Any, confidence: Any, minimum: float | None
) -> None:
    calls, seen = Calls(), list[jf.DecisionEvent]()
    asks, _ = judge(jf.ChoiceDecision(value, probabilities, confidence), on_decision=seen.append)
    bar = None if minimum is None else jf.Confidence(minimum, uncertain=calls["uncertain"])
    failed = False

    async def main() -> None:
        nonlocal failed
        try:
            await asks.judge_switch(question=WHICH_TEAM, cases=calls.cases, confidence=bar)
        except jf.ProviderContractError:
            failed = True

    trio.run(main)
    assert (len(calls.names), len(seen)) == ((0, 0) if failed else (1, 1))
    if not failed:
        assert calls.names == [value if seen[0].outcome == "accepted" else "uncertain"]
        assert (seen[0].outcome == "accepted") is (minimum is None or confidence >= minimum)


class Cases(Mapping[str, Any]):
    """Cases that are others each time they are read."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self.reads = 0

    def __getitem__(self, key: str) -> Any:
        self.reads += 1
        return self.calls[f"{key}-{self.reads}"]

    def __iter__(self) -> Iterator[str]:
        return iter(["billing", "technical"])

    def __len__(self) -> int:
        return 2


async def test_cases_are_read_once() -> None:
    asks, _ = judge(BILLING)
    calls = Calls()
    cases = Cases(calls)
    await asks.judge_switch(question=WHICH_TEAM, cases=cases)
    assert (calls.names, cases.reads) == (["billing-1"], 2)


async def test_a_provider_that_never_answers_is_ended_by_its_callers_deadline(autojump_clock: Any) -> None:
    asks, _ = judge(YES, seconds=1e9)
    calls = Calls()
    with trio.move_on_after(3) as scope:
        await asks.judge_if(condition=QUESTION, **calls.branches)
    assert (scope.cancelled_caught, calls.names, trio.current_time()) == (True, [], 3.0)


async def test_a_callback_that_never_returns_is_ended_by_its_callers_deadline(autojump_clock: Any) -> None:
    async def waits(meta: object) -> None:
        await trio.sleep_forever()

    asks, _ = judge(YES)
    with trio.move_on_after(3) as scope:
        await asks.judge_if(condition=QUESTION, then=waits, otherwise=waits)
    assert scope.cancelled_caught


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
async def test_what_ends_a_program_is_nobodys_provider_error(error: type[BaseException]) -> None:
    asks, _ = judge(error())
    caught: list[BaseException] = []
    try:
        await asks.boolean(condition=QUESTION)
    except BaseException as raised:
        caught.append(raised)
    assert [type(raised) for raised in caught] == [error]


@pytest.mark.parametrize(
    "error",
    [RecursionError(), MemoryError(), StopAsyncIteration(), ExceptionGroup("two", [OSError(), OSError()])],
)
async def test_whatever_a_provider_raises_is_a_provider_error(error: Exception) -> None:
    asks, _ = judge(error)
    with pytest.raises(jf.ProviderError, match=f"hand failed: {type(error).__name__}"):
        await asks.boolean(condition=QUESTION)


class Loud(ByHand):
    """Its name is code, and the code fails."""

    @property
    def name(self) -> str:  # type: ignore[override]
        raise OSError("sk-secret")


async def test_a_name_that_raises_is_no_name() -> None:
    seen: list[jf.DecisionEvent] = []
    asks = jf.create_judge(Loud(YES), on_decision=seen.append)
    await asks.boolean(condition=QUESTION)
    assert seen[0].provider == "Loud"


class Meta(jf.ProviderMetadata):
    @property
    def usage(self) -> Any:  # type: ignore[override]
        raise OSError("sk-secret")


async def test_metadata_that_raises_is_none() -> None:
    failures: list[jf.ObservabilityError] = []
    asks, _ = judge(attrs.evolve(YES, metadata=object.__new__(Meta)), on_error=failures.append)
    decision = await asks.boolean(condition=QUESTION)
    assert (decision.metadata, len(failures)) == (None, 1)


async def test_a_judge_can_be_asked_inside_a_callback_and_inside_a_context() -> None:
    asks, provider = judge(YES)

    async def fetch(args: jf.GetContextArgs[int]) -> dict[str, Any]:
        return {"inner": (await asks.boolean(condition="inner?")).value}

    async def then(meta: jf.BranchMeta[jf.BooleanDecision]) -> bool:
        return (await asks.boolean(condition="after?")).value

    preset = jf.BooleanPreset[int](condition=QUESTION, get_context=fetch)
    assert await asks.judge_if(condition=preset, input=1, then=then, otherwise=then) is True
    assert [input.condition for input in provider.inputs] == ["inner?", QUESTION, "after?"]


async def test_a_thousand_at_once_are_told_apart() -> None:
    def echo(input: Any) -> Any:
        share = input.context["n"] / 1000
        return jf.BooleanDecision(share >= 0.5, share, share)

    asks, _ = judge(echo)
    found: dict[int, float] = {}

    async def use(n: int) -> None:
        decision = await asks.boolean(condition=QUESTION, context={"n": n})
        found[n] = decision.probability_true

    async with trio.open_nursery() as nursery:
        for n in range(1000):
            nursery.start_soon(use, n)
    assert found == {n: n / 1000 for n in range(1000)}
