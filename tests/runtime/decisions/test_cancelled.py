"""A decision that is cancelled: at its three checks, in between, and wherever it can be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio
from trio.testing import MockClock

import judgeflow as jf
from judgeflow.runtime.testing.cancellations import every_cancellation
from judgeflow.runtime.testing.watched import Watch

from .by_hand import BILLING, QUESTION, WHICH_TEAM, YES, ByHand, Calls, judge


class Shielded(ByHand):
    """A service that finishes what it began, whatever happens."""

    async def boolean(self, input: Any) -> Any:
        with trio.CancelScope(shield=True):
            return await self._next(input)


class Fetch:
    def __init__(self, then: Callable[[], object] = lambda: None) -> None:
        self.asked = 0
        self.then = then

    async def __call__(self, args: jf.GetContextArgs[Any]) -> dict[str, Any]:
        self.asked += 1
        await trio.sleep(1)
        self.then()
        return {}


async def test_c63_what_was_cancelled_before_fetches_and_asks_nothing() -> None:
    asks, provider = judge(YES)
    fetch, calls, signal = Fetch(), Calls(), jf.CancelHandle()
    signal.cancel("the user left")
    preset = jf.BooleanPreset[int](condition=QUESTION, get_context=fetch)
    with pytest.raises(jf.AbortError, match="the user left") as caught:
        await asks.judge_if(condition=preset, input=1, signal=signal, **calls.branches)
    assert (fetch.asked, provider.inputs, calls.names, caught.value.code) == (0, [], [], "abort")


async def test_c64_what_is_cancelled_while_it_fetches_asks_nothing(autojump_clock: Any) -> None:
    asks, provider = judge(YES)
    calls, signal = Calls(), jf.CancelHandle()
    # Synchronous work at the end of the context: nothing is awaited after it, so a check alone can see it.
    fetch = Fetch(then=signal.cancel)
    preset = jf.BooleanPreset[int](condition=QUESTION, get_context=fetch)
    with pytest.raises(jf.AbortError):
        await asks.judge_if(condition=preset, input=1, signal=signal, **calls.branches)
    assert (fetch.asked, provider.inputs, calls.names) == (1, [], [])


async def test_c64_a_plain_function_that_cancels_is_seen_too() -> None:
    asks, provider = judge(YES)
    signal = jf.CancelHandle()

    def fetch(args: jf.GetContextArgs[int]) -> dict[str, Any]:
        signal.cancel()
        return {}

    preset = jf.BooleanPreset[int](condition=QUESTION, get_context=fetch)
    with pytest.raises(jf.AbortError):
        await asks.boolean(condition=preset, input=1, signal=signal)
    assert provider.inputs == []


async def test_c65_c67_a_decision_that_came_back_all_the_same_runs_no_callback(autojump_clock: Any) -> None:
    seen: list[jf.DecisionEvent] = []
    provider = Shielded(YES, seconds=2)
    asks = jf.create_judge(provider, on_decision=seen.append)
    calls, signal = Calls(), jf.CancelHandle()
    async with trio.open_nursery() as nursery:

        async def use() -> None:
            with pytest.raises(jf.AbortError):
                await asks.judge_if(condition=QUESTION, signal=signal, **calls.branches)

        nursery.start_soon(use)
        await trio.sleep(1)
        signal.cancel()
    assert (provider.finished, calls.names) == (1, [])
    # It was paid for, so it is told.
    assert [event.selected for event in seen] == [True]


async def test_c65_a_provider_that_can_be_ended_is_ended_at_once(autojump_clock: Any) -> None:
    asks, provider = judge(YES, seconds=1000)
    signal = jf.CancelHandle()
    async with trio.open_nursery() as nursery:

        async def use() -> None:
            with pytest.raises(jf.AbortError):
                await asks.boolean(condition=QUESTION, signal=signal)

        nursery.start_soon(use)
        await trio.sleep(1)
        signal.cancel()
    assert (provider.finished, trio.current_time()) == (0, 1.0)


async def test_c66_the_same_signal_reaches_the_context_and_the_provider() -> None:
    asks, provider = judge(YES)
    got: list[Any] = []
    preset = jf.BooleanPreset[int](condition=QUESTION, get_context=lambda args: got.append(args.signal) or {})
    signal = jf.CancelHandle()
    await asks.boolean(condition=preset, input=1, signal=signal)
    assert got == [signal]
    assert provider.inputs[0].signal is signal


async def test_c67_a_hook_that_cancels_is_seen_before_the_callback() -> None:
    signal = jf.CancelHandle()
    asks, _ = judge(YES, on_decision=lambda event: signal.cancel("seen enough"))
    calls = Calls()
    with pytest.raises(jf.AbortError, match="seen enough"):
        await asks.judge_if(condition=QUESTION, signal=signal, **calls.branches)
    assert calls.names == []


async def test_c67_a_deadline_that_passed_during_synchronous_work_is_seen(autojump_clock: MockClock) -> None:
    asks, _ = judge(YES, on_decision=lambda event: autojump_clock.jump(2))
    calls = Calls()
    with trio.move_on_after(1) as scope:
        await asks.judge_if(condition=QUESTION, **calls.branches)
    assert (scope.cancelled_caught, calls.names) == (True, [])


async def test_c70_a_callers_own_scope_sees_its_own_cancellation(autojump_clock: Any) -> None:
    asks, _ = judge(YES, seconds=5)
    calls, signal = Calls(), jf.CancelHandle()
    with trio.move_on_after(1) as scope:
        await asks.judge_if(condition=QUESTION, signal=signal, **calls.branches)
    assert (scope.cancelled_caught, calls.names) == (True, [])


async def test_a_provider_that_fails_because_it_is_ended_is_ended_not_failed(autojump_clock: Any) -> None:
    class Wraps(ByHand):
        async def boolean(self, input: Any) -> Any:
            try:
                await trio.sleep(10)
            except trio.Cancelled:
                raise OSError("closed") from None

    asks = jf.create_judge(Wraps())
    signal = jf.CancelHandle()
    async with trio.open_nursery() as nursery:

        async def use() -> None:
            with pytest.raises(jf.AbortError):
                await asks.boolean(condition=QUESTION, signal=signal)

        nursery.start_soon(use)
        await trio.sleep(1)
        signal.cancel()


async def test_one_handle_ends_all_that_were_given_it_and_the_first_reason_stands(
    autojump_clock: Any,
) -> None:
    asks, provider = judge(YES, seconds=5)
    signal = jf.CancelHandle()
    reasons: list[str] = []

    async def use() -> None:
        with pytest.raises(jf.AbortError) as caught:
            await asks.boolean(condition=QUESTION, signal=signal)
        reasons.append(str(caught.value))

    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(use)
        await trio.sleep(1)
        signal.cancel("first")
        signal.cancel("second")
        await asks.boolean(condition=QUESTION)
    assert reasons == ["cancelled: first"] * 5
    assert (provider.finished, signal.reason, signal.cancelled) == (1, "first", True)


async def test_a_callback_that_has_begun_is_the_applications_own(autojump_clock: Any) -> None:
    asks, _ = judge(YES)
    signal = jf.CancelHandle()

    async def then(meta: object) -> str:
        signal.cancel()
        await trio.sleep(1)
        return "done"

    result = await asks.judge_if(condition=QUESTION, then=then, otherwise=then, signal=signal)
    assert result == "done"


# --- wherever it is cut


class Scenario:
    """Three decisions at once over one cache: one branches, one switches, one only decides."""

    def __init__(self, how: str, provider: type[ByHand]) -> None:
        self.how = how
        self.provider = provider
        self.begun: list[ByHand] = []
        self.events: list[jf.DecisionEvent] = []
        self.called: list[str] = []
        self.ended: list[str] = []

    async def __call__(self, watch: Watch) -> None:
        self.events, self.called, self.ended = [], [], []
        signal = jf.CancelHandle()
        if self.how == "signal":
            watch.cut_by(signal.cancel)
        self.begun = [self.provider(YES, seconds=0.1), ByHand(BILLING, seconds=0.1)]
        boolean, choice = (self.judge(provider, watch) for provider in self.begun)

        async def fetch(args: object) -> dict[str, Any]:
            watch.starts("a context")
            await trio.sleep(0.1)
            return {"n": 1}

        async def callback(meta: Any) -> None:
            watch.calls_back(f"the callback of {meta.invocation_id}")
            self.called.append(meta.invocation_id)
            await trio.sleep(0.1)

        cache = jf.ContextCache(60, str, now=trio.current_time)
        urgent = jf.BooleanPreset[int](condition=QUESTION, get_context=fetch, cache=cache)
        cases = {"billing": callback, "technical": callback}
        uses: list[Callable[[], Awaitable[object]]] = [
            lambda: boolean.judge_if(
                condition=urgent, input=1, then=callback, otherwise=callback, signal=signal
            ),
            lambda: choice.judge_switch(question=WHICH_TEAM, cases=cases, signal=signal),
            lambda: boolean.boolean(condition=urgent, input=1, signal=signal),
        ]
        async with trio.open_nursery() as nursery:
            for use in uses:
                nursery.start_soon(self.use, use)

    def judge(self, provider: ByHand, watch: Watch) -> jf.Judge:
        class Shows:
            """Says when it is asked."""

            def __getattr__(self, name: str) -> Any:
                def method(input: Any) -> Any:
                    watch.starts("a provider")
                    return getattr(provider, name)(input)

                return method

        return jf.create_judge(Shows(), on_decision=self.events.append)

    async def use(self, use: Callable[[], Awaitable[object]]) -> None:
        try:
            await use()
        except jf.AbortError:
            self.ended.append("aborted")
        except trio.Cancelled:
            self.ended.append("cancelled")
            raise
        else:
            self.ended.append("done")

    def check(self, watch: Watch) -> None:
        assert len(self.ended) in (3, 0), "every use settles"
        assert set(self.ended) <= {"done", "aborted" if self.how == "signal" else "cancelled"}
        # What came back from a provider was told, before anything was made of it.
        assert len(self.events) == sum(provider.finished for provider in self.begun)
        assert set(self.called) <= {event.id for event in self.events}
        assert watch.is_cut or (self.ended, len(self.called)) == (["done"] * 3, 2)


@pytest.mark.parametrize("provider", [ByHand, Shielded])
@pytest.mark.parametrize("how", ["scope", "signal"])
async def test_c63_to_c67_wherever_it_is_cut_nothing_begins_and_what_was_paid_for_is_told(
    how: str, provider: type[ByHand], autojump_clock: Any
) -> None:
    scenario = Scenario(how, provider)
    done = await every_cancellation(scenario, scenario.check)
    assert done.cuts > 100
