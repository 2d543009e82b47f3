"""Cancels a scenario everywhere, and checks what must be true of it wherever that was."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, Literal

import attrs
import trio
from trio.testing import MockClock

from .watched import Watch

Way = Literal["before", "after", "meanwhile"]
Scenario = Callable[[Watch], Awaitable[object]]
Check = Callable[[Watch], object]


_A_LONG_TIME = 2.0**20
"""Seconds; twelve days more until floating-point numbers become coarser again."""


@attrs.frozen
class Cut:
    """Where a scenario is cut: `before` or `after` its `number`-th step of the scheduler, or `meanwhile`, at the
    `number`-th thing that it shows of itself. `seed` is the order of its tasks.

    Meanwhile, it is by a deadline that passes in the middle of a step, in synchronous work: Trio notices at the next
    full checkpoint, and not at `checkpoint_if_cancelled`.
    """

    way: Way
    number: int
    seed: int = 0

    def __str__(self) -> str:
        what = "at what it showed as number" if self.way == "meanwhile" else f"{self.way} step"
        return f"{what} {self.number}, seed {self.seed}"


@attrs.frozen
class Cancellations:
    """How often a scenario was cut. `missed` are cuts that it never came to: it does not repeat itself exactly."""

    cuts: int
    missed: int
    steps: int
    """Of the scheduler, in a run that was not cut."""


async def every_cancellation(
    scenario: Scenario,
    check: Check | None = None,
    *,
    seeds: Iterable[int] = range(3),
    every: int = 1,
    within: float = 600.0,
    only: Cut | None = None,
) -> Cancellations:
    """Runs the scenario once whole, then once for every place at which it can be cancelled, under every seed: before
    and after each step of the scheduler, and in the middle of steps (see `Cut`).

    Whatever the place: no phase starts after the cancellation, every ask settles, no message is handled twice, what
    was set up is torn down, every step that was started has its line in the record, every mailbox is closed, and no
    function of the application is called twice. The scenario shows this to its `Watch`; `check` looks for more, once
    the scenario is over.

    `every` takes a sample: each so-many-th place. A scenario that is not over `within` seconds of Trio's clock hangs;
    use a mock clock that jumps, so that waiting takes no time. `only` repeats one cut.
    Raises `AssertionError` with everything that is wrong, and the `Cut`; `ValueError` where nothing would be cut.
    """
    cuts = missed = steps = 0
    orders = list(seeds) if only is None else [only.seed]
    if not orders or every < 1:
        raise ValueError("nothing would be cut: give at least one of `seeds`, and `every` from 1")
    for seed in orders:
        whole = await _once(scenario, check, Cut("before", 0, seed), within)
        steps = max(steps, whole.steps)
        for cut in _places(whole, seed, every) if only is None else [only]:
            knife = await _once(scenario, check, cut, within, late=whole.is_late)
            cuts += knife.has_cut
            missed += not knife.has_cut
    return Cancellations(cuts, missed, steps)


def _places(whole: _Knife, seed: int, every: int) -> Iterator[Cut]:
    # After a step that the next one follows at once is before the next one.
    afters = set(whole.last_in_batch)
    for number in range(0, whole.steps + 1, every):
        if number > 0:
            yield Cut("before", number, seed)
        if number in afters:
            yield Cut("after", number, seed)
    for number in range(1, whole.shown + 1, every):
        yield Cut("meanwhile", number, seed)


async def _once(
    scenario: Scenario, check: Check | None, cut: Cut, within: float, *, late: bool = False
) -> _Knife:
    _to_a_round_time()
    scope = trio.CancelScope()
    knife = _Knife(cut, scope, late)
    watch = knife.watch
    trio.lowlevel.add_instrument(knife)
    try:
        with trio.move_on_after(within) as limit, _order(cut.seed), scope:
            await trio.lowlevel.cancel_shielded_checkpoint()  # its first step is one as well
            await scenario(watch)
        knife.stop()
        found = watch.found()
        if limit.cancelled_caught:
            found.append(f"it hangs: it was not over within {within:g} s")
        if check is not None:
            check(watch)
    except BaseException as error:
        error.add_note(f"the scenario was cut {cut}" if knife.has_cut else "the scenario was not cut")
        raise
    finally:
        knife.stop()
        trio.lowlevel.remove_instrument(knife)
    if found:
        where = f"cut {cut}" if knife.has_cut else "without a cut"
        raise AssertionError(
            "\n".join([f"{where}:", *(f"- {each}" for each in found), f"again: only={cut!r}"])
        )
    return knife


def _to_a_round_time() -> None:
    """Under a mock clock all runs begin at whole seconds of a like size: sums of times are rounded alike in all of
    them, and deadlines that coincide in one coincide in every one."""
    clock = trio.lowlevel.current_clock()
    if isinstance(clock, MockClock):
        now = trio.current_time()
        clock.jump(max(math.floor(now) + 1, _A_LONG_TIME) - now)


@contextmanager
def _order(seed: int) -> Iterator[None]:
    """The tasks that can run at a time do so in an order that depends on the seed alone."""
    # Trio has no public name for this; Hypothesis and pytest-trio seed it in the same way.
    run: Any = trio._core._run
    before = run._ALLOW_DETERMINISTIC_SCHEDULING, run._r
    run._ALLOW_DETERMINISTIC_SCHEDULING, run._r = True, Random(seed)
    try:
        yield
    finally:
        run._ALLOW_DETERMINISTIC_SCHEDULING, run._r = before


class _Knife(trio.abc.Instrument):
    """Counts the steps of the scenario's tasks and what it shows, and cuts when the number has come."""

    def __init__(self, cut: Cut, scope: trio.CancelScope, late: bool) -> None:
        self.watch = Watch(self._show, self._begin, self._is_excused)
        self.has_cut = False
        self.is_late = False
        """The scenario says itself from where on it is cut."""
        self.steps = self.shown = 0
        self.last_in_batch: list[int] = []
        self._cut = cut
        self._scope = scope
        self._by: Callable[[], None] = scope.cancel
        self._is_on = self._is_ours = not late
        self._tasks = {trio.lowlevel.current_task()}
        self._batch = 0
        self._cut_during: tuple[int, int] | None = None

    def task_spawned(self, task: trio.lowlevel.Task) -> None:
        nursery = task.parent_nursery
        if nursery is not None and nursery.parent_task in self._tasks:
            self._tasks.add(task)

    def task_exited(self, task: trio.lowlevel.Task) -> None:
        self._tasks.discard(task)

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self._is_ours = self._is_on and task in self._tasks
        if self._is_ours:
            self.steps += 1
            self._reach("before", self.steps)

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        if self._is_ours:  # it may have exited
            self._reach("after", self.steps)

    def before_io_wait(self, timeout: float) -> None:
        self._batch += 1
        if self._is_on and self.last_in_batch[-1:] != [self.steps]:
            self.last_in_batch.append(self.steps)

    def stop(self) -> None:
        self._is_on = False

    def _begin(self, cut: Callable[[], None]) -> None:
        self._by = cut
        if not self._is_on or not self.is_late:
            self.steps = self.shown = 0
            self.last_in_batch.clear()
        self._is_on = self._is_ours = self.is_late = True

    def _show(self) -> None:
        if self._is_on:
            self.shown += 1
            self._reach("meanwhile", self.shown)

    def _reach(self, way: Way, number: int) -> None:
        if self.has_cut or (way, number) != (self._cut.way, self._cut.number):
            return
        self.has_cut = True
        self.watch.cut_at = trio.current_time()
        if way == "meanwhile":
            self._cut_during = self._batch, self.steps
        if way == "meanwhile" and self._by == self._scope.cancel:
            self._scope.deadline = trio.current_time()
        else:
            self._by()

    def _is_excused(self, beside: bool) -> bool:
        """A deadline that passed in a step is unknown to the steps that were to run right after it."""
        if self._cut_during is None:
            return False
        batch, step = self._cut_during
        if step == self.steps:
            return beside
        return batch == self._batch and self._by == self._scope.cancel
