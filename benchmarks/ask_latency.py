"""What an ask costs, beside bare Trio in the same run: `python benchmarks/ask_latency.py` (about ten seconds)."""

import gc
import math
import resource
import statistics
import time
from collections.abc import Awaitable, Callable

import trio
import trio.testing

from judgeflow.runtime.core import (
    ActorCrashed,
    ActorRef,
    ActorSpec,
    Backoff,
    Intensity,
    SupervisorSpec,
    open_supervisor,
    stateless,
)

RUNS = 7
ASKS = 4_000
ACTORS = 4_000
SLEEPERS = 10_000
PATIENT = SupervisorSpec(name="root", intensity=Intensity(10**6), backoff=Backoff(first=0.0))
IMPATIENT = SupervisorSpec(name="root", grace=0)

Once = Callable[[], Awaitable[object]]


async def echo(message: int) -> int:
    return message


async def bare_round_trip(nursery: trio.Nursery) -> int:
    """The floor: a task for the call, a channel there and a channel back."""
    there, receive = trio.open_memory_channel[int](0)
    send, back = trio.open_memory_channel[int](0)

    async def child() -> None:
        await send.send(await receive.receive())

    nursery.start_soon(child)
    await there.send(1)
    return await back.receive()


async def timed(once: Once) -> list[float]:
    """Microseconds of each of `ASKS` calls, one after the other."""
    clock = time.perf_counter_ns
    times = []
    for _ in range(ASKS):
        start = clock()
        await once()
        times.append((clock() - start) / 1000)
    return times


async def concurrently(ref: ActorRef[int, int], askers: int) -> float:
    """Microseconds an ask, with `askers` at once."""

    async def ask_on() -> None:
        for number in range(ASKS // askers):
            await ref.ask(number)

    start = time.perf_counter()
    async with trio.open_nursery() as nursery:
        for _ in range(askers):
            nursery.start_soon(ask_on)
    return (time.perf_counter() - start) / ASKS * 1e6


async def latency() -> None:
    floor, asked, within, many, queued = [], [], [], [], []
    async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
        ref = supervisor.start(ActorSpec(name="free", behaviour=stateless(echo), concurrency=math.inf))
        narrow = supervisor.start(ActorSpec(name="narrow", behaviour=stateless(echo), mailbox=100))
        await ref.ask(0)
        for _ in range(RUNS):  # interleaved, so that a busy machine slows all of them
            floor.append(await timed(lambda: bare_round_trip(nursery)))
            asked.append(await timed(lambda: ref.ask(1)))
            within.append(await timed(lambda: ref.ask(1, within=60)))
            many.append(await concurrently(ref, 100))
            queued.append(await concurrently(narrow, 100))
    base = report("bare trio: spawn and two hops", floor)
    report("ask", asked, base)
    report("ask(within=60)", within, base)
    print(f"{'ask, 100 at once':32} {statistics.median(many):6.1f} µs each")
    print(f"{'ask, 100 at once, concurrency 1':32} {statistics.median(queued):6.1f} µs each")


def report(name: str, runs: list[list[float]], base: float | None = None) -> float:
    cuts = [statistics.quantiles(run, n=100) for run in runs]
    p50, p99 = statistics.median(cut[49] for cut in cuts), statistics.median(cut[98] for cut in cuts)
    ratio = f"   {p50 / base:.2f} × bare" if base else ""
    print(f"{name:32} p50 {p50:6.1f} µs   p99 {p99:6.1f} µs{ratio}")
    return p50


async def cancelled_bare() -> float:
    async def sleeper() -> None:
        async with trio.open_nursery() as nursery:
            nursery.cancel_scope.deadline = trio.current_time() + 3600
            nursery.start_soon(trio.sleep_forever)

    async with trio.open_nursery() as nursery:
        for _ in range(SLEEPERS):
            nursery.start_soon(sleeper)
        await trio.testing.wait_all_tasks_blocked()
        start = time.perf_counter()
        nursery.cancel_scope.cancel()
    return time.perf_counter() - start


async def cancelled_asks() -> float:
    async def sleep(message: int) -> None:
        await trio.sleep_forever()

    async with open_supervisor() as supervisor:
        ref = supervisor.start(ActorSpec(name="sleep", behaviour=stateless(sleep), concurrency=math.inf))
        async with trio.open_nursery() as nursery:
            nursery.cancel_scope.deadline = trio.current_time() + 3600
            for number in range(SLEEPERS):
                nursery.start_soon(ref.ask, number)
            await trio.testing.wait_all_tasks_blocked()
            start = time.perf_counter()
            nursery.cancel_scope.cancel()
        return time.perf_counter() - start


async def cancellation() -> None:
    bare = statistics.median([await cancelled_bare() for _ in range(3)])
    asks = statistics.median([await cancelled_asks() for _ in range(3)])
    name = f"{SLEEPERS:,} sleepers cancelled"
    print(
        f"{name:32} asks {asks:.2f} s   bare nursery and deadline each {bare:.2f} s   {asks / bare:.2f} × bare"
    )


async def restart() -> None:
    async def crash(message: int) -> int:
        return 1 // message

    times = []
    async with open_supervisor(PATIENT) as supervisor:
        ref = supervisor.start(ActorSpec(name="crash", behaviour=stateless(crash)))
        for _ in range(500):
            start = time.perf_counter()
            try:
                await ref.ask(0)
            except ActorCrashed:
                await ref.ask(1)
            times.append((time.perf_counter() - start) * 1e6)
    print(f"{'crash to the next reply':32} p50 {statistics.median(times):6.1f} µs, backoff 0")


async def memory() -> None:
    async with open_supervisor(IMPATIENT) as supervisor:
        gc.collect()
        before = resident()
        for number in range(ACTORS):
            supervisor.start(ActorSpec(name=f"actor {number}", behaviour=stateless(echo)))
        await trio.testing.wait_all_tasks_blocked()
        each = (resident() - before) / ACTORS
    print(f"{'an idle actor':32} {each / 1024:6.1f} KiB, {2**30 / each:,.0f} in a GiB")


def resident() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


async def main() -> None:
    await memory()
    await latency()
    await cancellation()
    await restart()


if __name__ == "__main__":
    trio.run(main)
