"""What Python programs give and get: inputs of every kind, errors that travel, what is printed of a program."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import enum
import inspect
import pickle
from collections import UserDict, namedtuple
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

import judgeflow as jf
from judgeflow.runtime.core import ActorCrashed
from judgeflow.runtime.store.money import Cost
from judgeflow.runtime.store.records import Usage

from ..helpers import opened, run

SOURCE = """
flow main(value: json) -> json { return value }
flow words(value: text[]) -> int { return len(value) }
flow number(value: float) -> float { return value }
flow told(value: text) -> text { return value }
"""


class Float(float):
    """As numpy's float64 is."""


class Array:
    """As numpy's arrays, and its numbers that are no Python numbers."""

    def tolist(self) -> list[int]:
        return [1, 2]


class Model:
    """As pydantic's."""

    def model_dump(self) -> dict[str, Any]:
        return {"when": date(2026, 3, 1)}


class Colour(enum.StrEnum):
    RED = "red"


class Word(str):
    __slots__ = ()


Pair = namedtuple("Pair", "left right")


@dataclasses.dataclass
class Ticket:
    title: str


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        (Ticket("Fire"), {"title": "Fire"}),
        (Float(1.5), 1.5),
        (Array(), [1, 2]),
        ({"value": [Array(), Float(0.5)]}, [[1, 2], 0.5]),
        (Model(), {"when": "2026-03-01"}),
        (Colour.RED, "red"),
        ([Colour.RED, Word("blue")], ["red", "blue"]),
        (Word("blue"), "blue"),
        (Pair(1, (2, 3)), [1, [2, 3]]),
        (Path("a") / "b", str(Path("a/b"))),
        (UserDict({"a": 1}), {"a": 1}),
    ],
)
async def test_values_of_python_arrive_as_json_data(given: Any, answer: Any) -> None:
    result = await run(SOURCE, given)
    assert msgspec.json.encode(result.answer) == msgspec.json.encode(answer)
    assert type(result.answer) is type(answer)
    assert result.record.task == (answer if not isinstance(given, dict) else {"value": answer})


async def test_a_tuple_is_a_list_and_a_number_of_numpys_a_number() -> None:
    assert (await run(SOURCE, ("a", "b"), flow="words")).answer == 2
    assert (await run(SOURCE, Float(1.5), flow="number")).answer == 1.5


LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (object(), "value: it holds a value of type object: make a text, number, list or object of that"),
        (Ticket, "value: it holds the class Ticket"),
        ({"value": {"a": [b"x"]}}, r"value: bytes are no text: decode them first"),
        (float("nan"), "value is nan"),
        ({"value": {"a": [float("inf")]}}, r"value\.a\[0\] is inf"),
        ("\ud800", "value is a text with a lone surrogate"),
        ({1: "x"}, "an object with a key that is no text"),
        (2**60, "value is a whole number past"),
        (LOOP, "value: it contains itself"),
        ((each for each in "ab"), "value: it holds a value of type generator"),
    ],
    ids=lambda given: type(given).__name__,
)
async def test_what_is_no_json_is_refused_by_name_before_anything_runs(given: Any, told: str) -> None:
    with pytest.raises(jf.ConfigurationError, match=told) as caught:
        await run(SOURCE, given)
    assert caught.value.code == "flow.wrong-arguments"


# --- errors that travel

USAGE = Usage()
ERRORS = [
    jf.ConfigurationError("m", code="flow.wrong-arguments"),
    jf.SerializationError("m", path="$.a"),
    jf.ProviderError("m", code="provider.status", status=500, retryable=True, attempts=3),
    jf.ProviderContractError("m"),
    jf.ObservabilityError("m", id="1"),
    jf.ValidationError("m", field="threshold"),
    jf.StepError("m", code="step.agent", step="writer"),
    jf.QualityGateError("writer", (("short", "too long"),), 2, USAGE, Cost("0", "0", {})),
    jf.CheckError((), "rendered"),
    jf.GuardedError("m", code="gate.block", value={"ok": False}),
    jf.PausedError("Go on?", showing="it"),
    jf.LimitReached("m", what="cost", per="run", allowed="1", spent="2"),
    ActorCrashed("judge", ValueError("boom")),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("way", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
def test_every_error_is_copied_and_pickled_as_it_is(
    error: Exception, way: Callable[[Exception], Exception]
) -> None:
    again = way(error)
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


async def test_a_failed_result_goes_to_another_process_and_back() -> None:
    result = await run('flow main() -> text { stop "enough" }')
    again = pickle.loads(pickle.dumps(result))
    assert again.record == result.record
    assert (type(again.error), str(again.error)) == (type(result.error), str(result.error))


async def test_what_guards_a_run_is_raised_as_an_error_of_ours() -> None:
    with pytest.raises(jf.JudgeflowError, match="enough") as stopped:
        (await run('flow main() -> text { stop "enough" }')).raised()
    assert isinstance(stopped.value, jf.GuardedError)
    assert stopped.value.code == "flow.stop"

    with pytest.raises(jf.PausedError, match=r"a person has to answer first: Go on\?") as paused:
        (await run(APPROVED)).raised()
    assert (paused.value.code, paused.value.question, paused.value.showing) == (
        "approve.waiting",
        "Go on?",
        "it",
    )


# --- what is printed


def written(folder: Path, source: str = SOURCE) -> Path:
    path = folder / "demo.judge"
    path.write_text(source, encoding="utf-8")
    return path


def test_a_program_and_a_result_are_short_and_tell_no_task(tmp_path: Path) -> None:
    program = jf.load(written(tmp_path, 'flow main(secret: text) -> text { return "done" }'))
    assert repr(program) == f"Program(path={program.path!r}, warnings=<0>)"
    result = program.run_sync("my secret")
    assert repr(result) == f"Result(answer='done', record=<answered run {result.record.id}>)"


# --- where it runs


def test_a_notebook_runs_a_program_beside_its_own_loop(tmp_path: Path) -> None:
    program = jf.load(written(tmp_path))

    async def cell() -> Any:
        return program.run_sync("x").answer

    assert asyncio.run(cell()) == "x"


def test_a_program_is_at_home_where_it_was_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "tools.py").write_text("def name():\n    return 'found'\n", encoding="utf-8")
    written(tmp_path, 'tool name { python "tools.py:name" }\nflow main() -> json { return name() }')
    monkeypatch.chdir(tmp_path)
    program = jf.load("demo.judge")
    assert program.root == Path()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert pickle.loads(pickle.dumps(program)).run_sync().raised().answer == "found"


def test_a_program_needs_no_folder_to_work_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path)
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert jf.load(path).run_sync("x").answer == "x"


def test_a_store_may_be_named_by_a_text(tmp_path: Path) -> None:
    program = jf.load(written(tmp_path))
    store = str(tmp_path / "runs.sqlite")
    first = program.run_sync("x", store=store)
    assert program.run_sync("y", store=store, thread=first.thread).record.turn == 2


async def nobody(*_: object) -> None:
    return None


@pytest.mark.parametrize("events", [[], "seen", nobody], ids=["list", "text", "async"])
async def test_events_that_nobody_would_hear_are_refused(tmp_path: Path, events: Any) -> None:
    with pytest.raises(jf.ConfigurationError, match="`events` is a plain function") as caught:
        await jf.load(written(tmp_path)).run("x", events=events)
    assert caught.value.code == "run.events"


async def test_what_a_function_of_events_raises_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def events(event: object) -> None:
        raise LookupError("my own bug")

    result = await jf.load(written(tmp_path)).run("x", events=events)
    assert result.answer == "x"
    [record] = caplog.records
    assert record.getMessage() == f"run {result.record.id}: `events` raised; the run goes on"
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "my own bug"


APPROVED = 'flow main() -> text { approve "Go on?" showing "it"  return "done" }'


async def test_an_approver_that_cannot_be_awaited_fails_the_step(tmp_path: Path) -> None:
    program = jf.load(written(tmp_path, APPROVED))
    with pytest.raises(jf.ConfigurationError, match="`approver` is an async function"):
        await program.run(approver=True)  # type: ignore[arg-type]
    answered: Any = lambda question, showing: True  # noqa: E731
    result = await program.run(approver=answered)
    assert (result.status, result.record.code) == ("failed", "approve.invalid")
    assert "write `async def approver(question, showing)`" in str(result.error)


async def test_a_run_that_cannot_be_recorded_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("no store" * 1000, encoding="utf-8")
    with pytest.raises(jf.StoreError) as caught:
        await jf.load(written(tmp_path)).run("x", store=tmp_path / "letter.txt")
    assert caught.value.code == "store.not-a-store"


async def test_a_run_that_was_stopped_raises_as_well() -> None:
    async with opened('flow main() -> text { return "done" }') as session:
        result = await session.run(started=lambda execution: execution.stop())
    assert (result.status, result.error) == ("cancelled", None)
    with pytest.raises(jf.AbortError, match="the run was cancelled before its end"):
        result.raised()


async def test_a_program_that_is_closed_says_so(tmp_path: Path) -> None:
    async with jf.load(written(tmp_path)).opened() as session:
        assert (await session.run("x")).answer == "x"
    for again in (session.run("x"), session.resume("1")):
        with pytest.raises(jf.ConfigurationError, match=r"closed: run it inside `async with") as caught:
            await again
        assert caught.value.code == "run.closed"


def test_programs_with_neighbours_of_one_name_get_each_their_own(tmp_path: Path) -> None:
    programs = {}
    for name in ("first", "second"):
        folder = tmp_path / name
        (folder / "parts").mkdir(parents=True)
        (folder / "parts" / "__init__.py").touch()
        (folder / "parts" / "deep.py").write_text(f"NAME = 'deep {name}'\n", encoding="utf-8")
        (folder / "neighbour.py").write_text(f"NAME = '{name}'\n", encoding="utf-8")
        (folder / "hooks.py").write_text(
            "import neighbour\nfrom parts import deep\n\n"
            "def name():\n    return [neighbour.NAME, deep.NAME]\n",
            encoding="utf-8",
        )
        path = written(folder, 'tool name { python "hooks.py:name" }\nflow main() -> json { return name() }')
        programs[name] = jf.load(path)
    for name in ("first", "second", "first"):
        assert programs[name].run_sync().raised().answer == [name, f"deep {name}"]
    names = ["first", "second"] * 10
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda name: programs[name].run_sync().raised().answer, names))
    assert answers == [[name, f"deep {name}"] for name in names]


@pytest.mark.parametrize("module", [jf, jf.testing, jf.providers], ids=lambda module: str(module.__name__))
def test_every_public_name_tells_what_it_is(module: Any) -> None:
    silent = []
    for name in module.__all__:
        each = getattr(module, name)
        if inspect.isfunction(each) and not each.__doc__:
            silent.append(name)
        if inspect.isclass(each):
            silent += [name] if not vars(each).get("__doc__") else []
            silent += [
                f"{name}.{part}"
                for part, value in vars(each).items()
                if inspect.isfunction(value) or isinstance(value, property | classmethod)
                if not part.startswith("_") and not inspect.getdoc(getattr(each, part))
            ]
    assert [name for name in silent if name.partition(".")[0] not in PROTOCOLS] == []


PROTOCOLS = ("DecisionProvider", "ScopedJudge")
"""Their methods are told where they are implemented."""
