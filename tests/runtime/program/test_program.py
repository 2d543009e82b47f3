"""A program from Python: loading, input, threads, profiles, services, results."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

import judgeflow as jf
from judgeflow.runtime.run import events
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, connected, opened, program, run, unchecked

SOURCE = """
model small "script/answers"
type Ticket { title: text  size: int? }
agent writer(topic: text) { model small }
flow main(text: text) -> text { return writer(text) }
flow typed(ticket: Ticket, times: int = 2, note: text?) -> json { return [ticket.title, times, note] }
flow nothing() -> text { return "nothing" }
flow free(style: text = "plain", text: text = "none") -> json { return [style, text] }
test "answers" for main { given { text: "x" }  writer replies "An answer."  expect result == "An answer." }
"""


def written(folder: Path, text: str = SOURCE) -> Path:
    path = folder / "demo.judge"
    path.write_text(text, encoding="utf-8")
    return path


# --- loading and running


def test_run_sync_runs_a_file_and_gives_a_result(tmp_path: Path) -> None:
    result = jf.load(written(tmp_path)).run_sync("Hello?")
    assert (result.answer, result.status, result.cost.total) == ("An answer.", "answered", "0")
    assert len(result.thread) == 32
    assert result.raised() is result


async def test_run_sync_inside_a_loop_says_what_to_do_instead(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"await program\.run"):
        jf.load(written(tmp_path)).run_sync("Hello?")


def test_asyncio_is_told_how_to_run_it_and_can(tmp_path: Path) -> None:
    program = jf.load(written(tmp_path))

    async def main() -> str:
        with pytest.raises(RuntimeError, match=r"needs Trio: call program\.run_sync.*asyncio\.to_thread"):
            await program.run("Hello?")
        result = await asyncio.to_thread(program.run_sync, "Hello?")
        return str(result.answer)

    assert asyncio.run(main()) == "An answer."


def test_a_store_may_be_a_text(tmp_path: Path) -> None:
    path = str(tmp_path / "terns.sqlite")
    result = jf.load(written(tmp_path)).run_sync("Hello?", store=path)
    with Store.read(Path(path)) as store:
        assert store.get(result.record.id).answer == "An answer."


async def test_run_tells_events_and_keeps_the_run_in_a_store(tmp_path: Path) -> None:
    seen: list[events.Event] = []
    path = tmp_path / "terns.sqlite"
    result = await jf.load(written(tmp_path)).run("Hello?", events=seen.append, store=path)
    assert isinstance(seen[0], events.RunStarted)
    assert seen[0].scripted == ("small",)
    with Store.read(path) as store:
        assert store.get(result.record.id).answer == "An answer."


def test_a_file_with_errors_is_not_loaded(tmp_path: Path) -> None:
    with pytest.raises(jf.CheckError, match="nobody") as caught:
        jf.load(written(tmp_path, SOURCE.replace("return writer(text)", "return nobody(text)")))
    assert [found.code for found in caught.value.diagnostics if found.severity == "error"] == ["name.unknown"]
    with pytest.raises(FileNotFoundError):
        jf.load(tmp_path / "none.judge")


# --- which flow, which input


async def test_the_entry_flow_is_main_or_the_only_one() -> None:
    assert (await run(SOURCE, "x")).record.flow == "main"
    assert (await run('flow other() -> text { return "x" }')).record.flow == "other"


@pytest.mark.parametrize(
    ("source", "flow", "told"),
    [
        (SOURCE, "mian", "no flow `mian`; there are: main, typed, nothing, free"),
        (
            'flow a() -> text { return "a" }\nflow b() -> text { return "b" }',
            None,
            "say which flow to run; there are: a, b",
        ),
    ],
)
async def test_an_unknown_flow_is_an_error_that_lists_them(source: str, flow: str | None, told: str) -> None:
    with pytest.raises(jf.ConfigurationError, match=told) as caught:
        await run(source, flow=flow)
    assert caught.value.code == "flow.unknown-entry"


@pytest.mark.parametrize(
    ("flow", "input", "answer"),
    [
        ("typed", {"ticket": {"title": "Fire"}}, ["Fire", 2, None]),
        ("typed", {"ticket": {"title": "Fire"}, "times": 3.0, "note": "x"}, ["Fire", 3, "x"]),
        ("typed", {"ticket": {"title": "Fire"}, "note": [1]}, ["Fire", 2, "[1]"]),
        ("free", {"text": "t"}, ["plain", "t"]),
        ("free", "t", ["t", "none"]),
        ("free", None, ["plain", "none"]),
    ],
)
async def test_input_is_a_text_or_the_parameters_by_name(flow: str, input: Any, answer: Any) -> None:
    assert (await run(SOURCE, input, flow=flow)).answer == answer


@pytest.mark.parametrize(
    ("flow", "input", "told"),
    [
        ("typed", {"ticket": {"size": "x"}, "other": 1, "times": "y"}, "other: typed has no such parameter"),
        (
            "typed",
            {"ticket": {"size": "x"}},
            r"ticket\.title: is missing; ticket\.size: must be a whole number",
        ),
        ("typed", None, "ticket: is missing"),
        ("nothing", "x", "nothing takes no input"),
        ("main", {"txet": "x"}, r"txet: main has no such parameter: did you mean `text`\?; text: is missing"),
        ("main", {1: "x"}, "main: 1 is no name of a parameter"),
        ("main", {"q": "x"}, "q: main has no such parameter: it takes text"),
        ("main", {"text": None}, "text: is missing"),
    ],
)
async def test_input_that_does_not_fit_names_every_fault_before_anything_runs(
    flow: str, input: Any, told: str
) -> None:
    with pytest.raises(jf.ConfigurationError, match=told) as caught:
        await run(SOURCE, input, flow=flow)
    assert caught.value.code == "flow.wrong-arguments"


@pytest.mark.parametrize(
    ("flow", "input", "task"),
    [
        ("main", "x", "x"),
        ("main", {"text": "x"}, "x"),
        ("free", {"text": "x"}, {"text": "x"}),
        ("free", {"style": "x"}, "x"),
        ("typed", {"ticket": {"title": "Fire"}}, {"ticket": {"title": "Fire"}}),
        ("nothing", None, None),
    ],
)
async def test_the_record_keeps_the_input_so_that_it_can_be_given_again(
    flow: str, input: Any, task: Any
) -> None:
    result = await run(SOURCE, input, flow=flow)
    assert result.record.task == task
    assert (await run(SOURCE, result.record.task, flow=flow)).answer == result.answer


# --- threads


async def test_f02_f03_f04_a_run_without_a_thread_begins_one_and_an_unknown_one_is_refused_before_any_call() -> (
    None
):
    small = Model("one", "two")
    source = SOURCE.replace("script/answers", "fake/small")
    async with opened(source, {"small": small}) as session:
        first = await session.run("a")
        second = await session.run("b", thread=first.thread)
        with pytest.raises(jf.UnknownThreadError, match="there is no thread nowhere"):
            await session.run("c", thread="nowhere")
        with pytest.raises(jf.UnknownThreadError):
            await session.run("c", thread=first.thread, tenant="other")
    assert (first.thread == second.thread, first.record.id == second.record.id) == (True, False)
    assert small.prompts == ["a", "Previous turns:\nQ: a\nA: one\n\nTask:\nb"]


async def test_f05_f07_an_agent_sees_the_last_turns_oldest_first_with_how_they_ended() -> None:
    source = SOURCE.replace("script/answers", "fake/small") + "memory { history 2 }\n"
    small = Model("one", RuntimeError("bug"), "three", "four")
    async with opened(source, {"small": small}) as session:
        thread = (await session.run("a")).thread
        for task in ("b", "c", "d"):
            await session.run(task, thread=thread)
    assert small.prompts[3] == "Previous turns:\nQ: b\nA: [failed]\nQ: c\nA: three\n\nTask:\nd"


async def test_a_thread_goes_on_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "terns.sqlite"
    source = SOURCE.replace("script/answers", "fake/small")
    small = Model("one", "two")
    first = await run(source, "a", models={"small": small}, store=path)
    second = await run(source, "b", models={"small": small}, store=path, thread=first.thread)
    assert (first.record.turn, second.record.turn) == (1, 2)
    assert small.prompts[1].startswith("Previous turns:\nQ: a\nA: one")


# --- profiles and services


PROFILED = """
model small "fake/small"
model big "other/big"
agent writer(topic: text) { model small  prompt "Short." }
flow main(text: text) -> text { return writer(text) }
profile rich { agent writer { model big  prompt "Long." } }
"""


async def test_a_profile_changes_what_it_names_and_the_versions_with_it() -> None:
    small, big = Model("small"), Model("big")
    plain = await run(PROFILED, "x", models={"small": small, "big": big})
    async with opened(PROFILED, {"small": small, "big": big}, profile="rich") as session:
        rich = await session.run("x")
    assert (plain.answer, rich.answer, rich.record.profile) == ("small", "big", "rich")
    assert big.requests[0].messages[0].content == "Long."
    assert plain.record.versions.prompt != rich.record.versions.prompt
    with pytest.raises(jf.ConfigurationError, match="there is no profile `poor`; there are: rich"):
        await opened(PROFILED, {"small": small, "big": big}, profile="poor").__aenter__()


KEYS = """
model here "fake/here"
model gone "nobody/gone"
agent one(topic: text) { model here }
agent two(topic: text) { model gone }
agent judged(topic: text) { model here  judges [rated] }
judge rated { model gone  rate quality }
gate asked(text) { ask two "Good?" }
condition sure(text: text) { model decides  ask "Sure?" }
model decides "nobody/decides" { kind decision }
flow fine(text: text) -> json { return one(text) }
flow direct(text: text) -> json { return two(text) }
flow by_judge(text: text) -> json { return judged(text) }
flow by_gate(text: text) -> json { asked(text)  return 1 }
flow by_decision(text: text) -> json { return sure(text) }
flow by_subflow(text: text) -> json { return direct(text) }
flow by_picker(text: text) -> json { best = best of 2: one(text) picked by two  return best }
"""


@pytest.mark.parametrize("flow", ["direct", "by_judge", "by_gate", "by_decision", "by_subflow", "by_picker"])
async def test_a_model_without_a_service_stops_the_flows_that_may_call_it_before_any_call(flow: str) -> None:
    here = Model("x")

    def connect(plan: Any) -> Any:
        if plan.slug.startswith("nobody/"):
            raise jf.ConfigurationError(f"{plan.slug}: no key was found", code="model.unknown-provider")
        return connected({plan.name: here})(plan)

    async with program(KEYS).opened(connect=connect) as session:
        with pytest.raises(jf.ConfigurationError, match="no key was found"):
            await session.run("x", flow=flow)
        assert here.requests == []
        assert (await session.run("x", flow="fine")).answer == "x"


async def test_a_model_that_no_run_asks_is_not_opened() -> None:
    models = {name: Model("x") for name in ("here", "there")}
    source = """
        model here "fake/here"
        model there "fake/there"
        agent one { model here }
        agent two { model there }
        flow main(text: text) -> text { return one(text) }
        flow other(text: text) -> text { return two(text) }
    """
    async with opened(source, models) as session:
        await session.run("x", flow="main")
        assert (models["here"].opened, models["there"].opened) == (1, 0)
        await session.run("x", flow="other")
        await session.run("x", flow="other")
        assert (models["here"].opened, models["there"].opened) == (1, 1)


async def test_a_model_that_cannot_be_opened_is_told_to_all_who_ask_it() -> None:
    def connect(plan: Any) -> Any:
        def broken() -> Any:
            raise OSError("no such library")

        return attrs.evolve(connected({plan.name: Model("x")})(plan), open=broken)

    async with program(KEYS).opened(connect=connect) as session:
        for _ in range(2):
            result = await session.run("x", flow="direct")
            assert (result.status, result.record.code) == ("failed", "step.agent")
            assert "fake cannot be started: OSError: no such library" in (result.record.reason or "")


async def test_runs_that_are_kept_in_memory_have_their_turn_in_the_thread_too() -> None:
    async with opened(SOURCE) as session:
        first = await session.run("a", flow="main")
        again = [await session.run(word, flow="main", thread=first.thread) for word in "bc"]
    assert [result.record.turn for result in (first, *again)] == [1, 2, 3]


async def test_many_runs_share_the_actors(autojump_clock: Any) -> None:
    small = Model("x", seconds=1)
    source = SOURCE.replace("script/answers", "fake/small")
    async with opened(source, {"small": small}) as session, trio.open_nursery() as nursery:
        for number in range(50):
            nursery.start_soon(session.run, f"task {number}")
    assert (trio.current_time(), small.most, small.opened) == (1, 50, 1)


async def test_a_flow_that_calls_itself_is_stopped() -> None:
    source = "flow main(n: int) -> json { return main(n + 1) }"
    result = await run(unchecked(source), {"n": 1})
    assert (result.status, result.record.code) == ("failed", "flow.too-deep")
