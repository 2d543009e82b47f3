"""Results per second of each pure scorer, on texts of 500 characters: `python benchmarks/scorers.py` (five seconds).

Texts that pass and texts that fail, apart: a failure says why. Medians of several rounds, by the process's own time,
so that a busy machine counts little; the floor is a Python function that looks for a word in the text.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable

from judgeflow.dsl.scorer_spec import ScorerSpec
from judgeflow.runtime.judge.scorers import compile_scorer

TEXTS, SIZE, ROUNDS, SECONDS = 200, 500, 7, 0.05
PROSE = "Terns are seabirds found worldwide near the sea, rivers and wetlands. They eat fish. "
SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "name": {"type": "string", "maxLength": 480},
        "status": {"enum": ["active", "away"]},
    },
    "required": ["id", "name", "status"],
}


def prose(number: int) -> str:
    """Every other one, from 1, ends with what is looked for."""
    text = f"{number:04} " + PROSE * 7
    return text[: SIZE - 8] + (" HTTP 200" if number % 2 else " nothing.")[:8]


def document(number: int) -> str:
    """A JSON object; every other one has a status that the schema does not know."""
    value = {"id": number, "name": "", "status": "active" if number % 2 else "gone"}
    value["name"] = (PROSE * 7)[: SIZE - len(json.dumps(value))]
    return json.dumps(value)


def scorers() -> list[tuple[str, ScorerSpec, Callable[[int], str]]]:
    last = prose(1)
    return [
        ("contains", ScorerSpec("contains", value="HTTP 20"), prose),
        ("not contains", ScorerSpec("contains", negated=True, value="HTTP 20"), prose),
        ("equals", ScorerSpec("equals", value=last), lambda number: last if number % 2 else prose(number)),
        ("regex", ScorerSpec("regex", pattern=r"HTTP \d{2}"), prose),
        ("length", ScorerSpec("length", minimum=SIZE, maximum=SIZE + 1), lambda n: prose(n)[(n + 1) % 2 :]),
        ("schema", ScorerSpec("schema", schema=SCHEMA), document),
        (
            "compiles json",
            ScorerSpec("compiles", language="json"),
            lambda n: document(n)[: SIZE - (n + 1) % 2],
        ),
    ]


def rate(run: Callable[[str], object], texts: list[str]) -> float:
    """Results per second, for about `SECONDS`."""
    done = 0
    start = time.process_time()
    while (now := time.process_time()) - start < SECONDS:
        for text in texts:
            run(text)
        done += len(texts)
    return done / (now - start)


def main() -> None:
    cases: dict[str, tuple[Callable[[str], object], list[str], list[str]]] = {}
    for name, spec, make in scorers():
        run = compile_scorer(spec, 1).run
        good, bad = ([make(number) for number in range(first, TEXTS, 2)] for first in (1, 0))
        good, bad = (bad, good) if spec.negated else (good, bad)
        assert all(run(text).passed for text in good), name
        assert not any(run(text).passed for text in bad), name
        cases[name] = run, good, bad
    floor = cases["contains"]
    cases = {"floor: a function, `in`": (lambda text: "HTTP 20" in text, floor[1], floor[2]), **cases}
    passing: dict[str, list[float]] = {name: [] for name in cases}
    failing: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(ROUNDS):  # interleaved, so that what else goes on meets all of them
        for name, (run, good, bad) in cases.items():
            passing[name].append(rate(run, good))
            failing[name].append(rate(run, bad))
    print(f"{'':26} {'results/s that pass':>20} {'that fail':>14}")
    for name in cases:
        print(
            f"{name:26} {statistics.median(passing[name]):20,.0f} {statistics.median(failing[name]):14,.0f}"
        )


if __name__ == "__main__":
    main()
