"""How often the 95 % interval of an evaluation holds the truth, in simulated experiments.

`python benchmarks/coverage.py`: 2,000 experiments of 100 cases in each world, about a minute a world on two cores.

Each world draws what a change does to a case; each experiment draws 100 cases and asks `jrun`'s own bootstrap, with its
2,000 resamples, for the interval of the mean. Beside it: how often `jrun replay` says that the change helps, that it
hurts, or that no difference is shown.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing import Pool

from judgeflow.runtime.evaluate.statistics import RESAMPLES, bootstrap

Draw = Callable[[random.Random], float]


def _changes(better: float, worse: float) -> Draw:
    def draw(rng: random.Random) -> float:
        chance = rng.random()
        return 1.0 if chance < better else -1.0 if chance < better + worse else 0.0

    return draw


WORLDS: dict[str, tuple[float, Draw]] = {
    "helps: 15 % better, 5 % worse": (0.10, _changes(0.15, 0.05)),
    "does nothing: 5 % better, 5 % worse": (0.0, _changes(0.05, 0.05)),
    "hurts: 2 % better, 8 % worse": (-0.06, _changes(0.02, 0.08)),
    "ratings rise by 0.1": (0.10, lambda rng: rng.uniform(-0.3, 0.5)),
    "ratings in tenths, nothing": (
        0.0,
        lambda rng: round(rng.betavariate(8, 2), 1) - round(rng.betavariate(8, 2), 1),
    ),
    "P(adequate), most near 1": (0.8, lambda rng: rng.betavariate(4, 1)),
}


def experiment(job: tuple[str, int, int, int]) -> tuple[bool, str]:
    """Whether the interval holds the truth, and what the report would say."""
    world, cases, resamples, seed = job
    truth, draw = WORLDS[world]
    rng = random.Random(seed)
    interval = bootstrap([draw(rng) for _ in range(cases)], resamples=resamples, seed=seed)
    said = "helps" if interval.low > 0 else "hurts" if interval.high < 0 else "no difference"
    return interval.low - 1e-9 <= truth <= interval.high + 1e-9, said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=2000)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    options = parser.parse_args()
    print(f"{options.experiments} experiments of {options.cases} cases, {options.resamples} resamples each")
    with Pool() as pool:
        for world in WORLDS:
            began = time.perf_counter()
            jobs = [(world, options.cases, options.resamples, seed) for seed in range(options.experiments)]
            found = pool.map(experiment, jobs, chunksize=25)
            covered = sum(held for held, _ in found) / len(found)
            said = Counter(word for _, word in found)
            words = ", ".join(f"{word} {count / len(found):.1%}" for word, count in said.most_common())
            print(
                f"{world:<36} holds the truth {covered:.1%}   says: {words}   ({time.perf_counter() - began:.0f} s)"
            )


if __name__ == "__main__":
    main()
