"""Results per second of each pure scorer, on texts of 500 characters: `python benchmarks/scorers.py` (12 seconds).

Texts that pass and texts that fail, apart. What a failure says is put into words when it is read, so failures whose
`detail` is read stand in a column of their own. Medians of several rounds, by the process's own time, so that a busy
machine counts little; the floor is a Python function that looks for a word in the text.
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


def document(number: int, size: int = SIZE) -> str:
    """A JSON object; every other one has a status that the schema does not know."""
    value = {"id": number, "name": "", "status": "active" if number % 2 else "gone"}
    value["name"] = (PROSE * 7)[: size - len(json.dumps(value))]
    return json.dumps(value)


def fenced(number: int) -> str:
    """As a model likes to send it; every other one does not fit."""
    return f"```json\n{document(number, SIZE - 12)}\n```"


def in_prose(number: int) -> str:
    return f"Here it is: {document(number, SIZE - 27)} Anything else?"


def cut(number: int) -> str:
    """Every other one is cut, as a reply that met its limit."""
    return document(number | 1)[: SIZE - (number + 1) % 2]


def scorers() -> list[tuple[str, ScorerSpec, Callable[[int], str]]]:
    last = prose(1)
    return [
        ("contains", ScorerSpec("contains", value="HTTP 20"), prose),
        ("not contains", ScorerSpec("contains", negated=True, value="HTTP 20"), prose),
        ("equals", ScorerSpec("equals", value=last), lambda number: last if number % 2 else prose(number)),
        ("regex", ScorerSpec("regex", pattern=r"HTTP \d{2}"), prose),
        ("length", ScorerSpec("length", minimum=SIZE, maximum=SIZE + 1), lambda n: prose(n)[(n + 1) % 2 :]),
        ("schema", ScorerSpec("schema", schema=SCHEMA), document),
        ("schema, in a fence", ScorerSpec("schema", schema=SCHEMA), fenced),
        ("schema, in prose", ScorerSpec("schema", schema=SCHEMA), in_prose),
        ("schema, cut", ScorerSpec("schema", schema=SCHEMA), cut),
        (
            "schema, prose alone",
            ScorerSpec("schema", schema=SCHEMA),
            lambda n: (prose if n % 2 == 0 else document)(n),
        ),
        ("compiles json", ScorerSpec("compiles", language="json"), cut),
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


def read(run: Callable[[str], object]) -> Callable[[str], object]:
    """As whoever writes a record does."""
    return lambda text: getattr(run(text), "detail", None)


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
    rates: dict[str, list[tuple[float, ...]]] = {name: [] for name in cases}
    for _ in range(ROUNDS):  # interleaved, so that what else goes on meets all of them
        for name, (run, good, bad) in cases.items():
            rates[name].append((rate(run, good), rate(run, bad), rate(read(run), bad)))
    print(f"{'':26} {'results/s that pass':>20} {'that fail':>14} {'and say why':>14}")
    for name, measured in rates.items():
        passing, failing, told = (statistics.median(column) for column in zip(*measured, strict=True))
        print(f"{name:26} {passing:20,.0f} {failing:14,.0f} {told:14,.0f}")


if __name__ == "__main__":
    main()
