"""MCP servers as tools: real processes, started by the test, that speak the protocol over their standard streams."""

from __future__ import annotations

import os
import shlex
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
import trio

from judgeflow.dsl.plan import EnvPlan, ProviderPlan
from judgeflow.runtime.agents import mcp_server
from judgeflow.runtime.agents.mcp_actor import faults_of
from judgeflow.runtime.agents.mcp_environ import server_environ
from judgeflow.runtime.agents.mcp_server import McpFunction
from judgeflow.runtime.agents.tool_use import callable_name
from judgeflow.runtime.judge.protocol import Message
from judgeflow.runtime.program import Program
from judgeflow.runtime.run import Stamp
from judgeflow.runtime.testing.blocks import run_block

from ..helpers import Model, Tools, opened, program, run, step, unchecked

SERVER = Path(__file__).with_name("tiny_mcp_server.py")
SHELL = """
model small "fake/small"
tool tiny {{ mcp "{command}"{more} }}
agent clerk {{ model small  prompt "Help."  tools [tiny]  judges [looked]  retries 0 }}
code judge looked {{
  metrics {{ all: [[call.tool, call.status] for call in calls(tiny)] }}
  require len(calls(tiny)) >= 0 else "never"
}}
flow main(text: text) -> text {{ return clerk(text) }}
flow direct(text: text) -> json {{ {body} }}
"""


def made(
    body: str = "return 1", more: str = "", *words: str, command: str = "", check: bool = True
) -> Program:
    command = command or shlex.join([sys.executable, "-I", "-S", str(SERVER), *words])
    return (program if check else unchecked)(SHELL.format(command=command, more=more, body=body))


async def direct(call: str, more: str = "", *words: str, **options: Any) -> Any:
    source = made(f"got = {call}  return got", more, *words, **options)
    return await run(source, "hi", models={"small": Model("")}, flow="direct")


async def test_a_flow_calls_a_function_by_name_and_gets_its_result() -> None:
    result = await direct("tiny.add(a: 2, b: 40)")
    assert (result.status, result.answer) == ("answered", 42)
    [found] = result.record.steps
    assert (found.kind, found.name, found.cost.total) == ("tool", "tiny.add", "0")
    [call] = found.tool_calls
    assert (call.tool, call.input, call.output, call.status) == (
        "tiny.add",
        {"a": 2, "b": 40},
        42,
        "succeeded",
    )


async def test_a_text_is_the_result_where_there_is_no_structure_and_what_is_no_text_is_named() -> None:
    assert (await direct("tiny.shout(text: text)")).answer == "HI"
    assert (await direct("tiny.picture()")).answer == "[image: image/png]\na tern"


async def test_a_server_that_prints_and_asks_things_of_its_own_is_understood() -> None:
    assert (await direct("tiny.noise()")).answer == "[{}, -32601]"


@pytest.mark.parametrize(
    ("call", "more", "code", "told"),
    [
        ("tiny.fail()", "", "failed", "tiny.fail: the disk is full"),
        ("tiny.large()", "", "failed", "the result is larger than 1,000,000 characters"),
        ("tiny.shout(text: 7)", "", "refused", '$.text: 7 is not of type "string"'),
        ("tiny.shout(arguments: 7)", "", "refused", "'arguments' was unexpected"),
        ("tiny.shuot(text: text)", "", "refused", "tiny has no function `shuot`: did you mean `shout`?"),
        ("tiny.add(a: 1, b: 2)", " only [shout]", "refused", "tiny has no function `add`: it has shout"),
        ("tiny.wait()", "  timeout 100ms", "timed_out", "no result within 0.1 s"),
    ],
)
async def test_whatever_goes_wrong_is_told(call: str, more: str, code: str, told: str) -> None:
    result = await direct(call, more, check="add" not in call)
    assert (result.status, result.record.code) == ("failed", f"step.tool.{code}")
    assert told in result.record.reason


@pytest.mark.parametrize(
    ("command", "words", "told"),
    [
        ("no-such-server --fast", (), "cannot be started: there is no command `no-such-server`"),
        ("'", (), "cannot be started: the command cannot be read"),
        ("", ("rude",), "has ended (exit status 1): no licence"),
    ],
)
@pytest.mark.parametrize("flow", ["main", "direct"])
async def test_a_server_that_cannot_be_started_fails_the_run_with_file_line_and_reason(
    command: str, words: tuple[str, ...], told: str, flow: str
) -> None:
    source = made("got = tiny.pid()  return got", "", *words, command=command)
    result = await run(source, "hi", models={"small": Model("Hello")}, flow=flow)
    assert (result.status, result.record.code) == ("failed", "step.tool.failed")
    assert f"test.judge:3: the MCP server of tiny {told}" in result.record.reason


async def test_a_server_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_server, "START_WITHIN", 0.1)
    result = await direct("tiny.pid()", "", "mute")
    assert "the MCP server of tiny did not answer within 0.1 s" in result.record.reason


@pytest.mark.slow
async def test_a_server_that_never_lists_its_functions_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_server, "START_WITHIN", 1.0)
    result = await direct("tiny.pid()", "  timeout 100ms", str(tmp_path / "told"), "listless")
    assert "the MCP server of tiny did not list its tools within 1 s" in result.record.reason


async def test_case_252_an_answer_that_is_no_utf8_is_read_and_shows_it() -> None:
    assert (await direct("tiny.latin()")).answer == "caf\ufffd"


@pytest.mark.slow
async def test_a_line_that_is_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_server, "MOST_BYTES", 100_000)
    result = await direct("tiny.large()")
    assert "the MCP server of tiny sent a line of more than 100,000 bytes" in result.record.reason


async def test_a_process_that_dies_is_renewed_and_harms_nobody_else() -> None:
    source = made(
        "one = tiny.pid()  got = try tiny.die()  two = try tiny.pid()  return [one, got.reason, two.value]"
    )
    async with opened(source, {"small": Model("")}) as session:
        one, reason, two = (await session.run("hi", flow="direct")).answer
        assert "the MCP server of tiny has ended (exit status 3): out of memory" in reason
        assert one != two
        assert (await session.run("hi", flow="direct")).answer[0] == two


async def test_the_process_is_shared_by_all_runs_and_gone_with_the_program() -> None:
    source = made("got = tiny.pid()  return got")
    async with opened(source, {"small": Model("")}) as session:
        pids = {(await session.run("hi", flow="direct")).answer for _ in range(3)}
        [pid] = map(int, pids)
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_program_that_never_calls_it_starts_no_process(tmp_path: Path) -> None:
    mark = tmp_path / "started"
    command = f"touch {mark}"
    assert (
        await run(made("return text", command=command), "hi", models={"small": Model("")}, flow="direct")
    ).answer
    assert not mark.exists()


async def test_a_cancelled_call_is_told_to_the_server(tmp_path: Path) -> None:
    mark = tmp_path / "told"
    source = made("got = try tiny.wait()  again = tiny.pid()  return got.code", "  timeout 50ms", str(mark))
    result = await run(source, "hi", models={"small": Model("")}, flow="direct")
    assert result.answer == "step.tool.timed_out"
    assert mark.read_text(encoding="utf-8") == "cancelled"


async def test_a_run_that_is_cancelled_waits_for_no_server() -> None:
    source = made("got = tiny.wait()  return got")
    async with opened(source, {"small": Model("")}) as session:
        with trio.move_on_after(0.1) as scope:
            await session.run("hi", flow="direct")
    assert scope.cancelled_caught


# --- an agent's


async def test_an_agents_model_is_offered_the_servers_functions_and_its_calls_are_recorded() -> None:
    clerk = Model(Tools(("tiny__add", {"a": 2, "b": 3}), ("tiny__fail", {})), "It is five.")
    result = await run(made(), "How much?", models={"small": clerk}, flow="main")
    assert result.answer == "It is five."
    offered = {tool.name: tool for tool in clerk.requests[0].tools}
    assert "tiny__add" in offered
    assert offered["tiny__add"].description == "does add"
    assert offered["tiny__add"].parameters["required"] == ["a", "b"]
    assert clerk.requests[1].messages[-2:] == (
        Message("tool", "5", tool_call_id="call_0"),
        Message("tool", "error (failed): the disk is full", tool_call_id="call_1"),
    )
    found = step(result, "clerk")
    assert [call.tool for call in found.tool_calls] == ["tiny.add", "tiny.fail"]
    assert found.verdicts[0].metrics == {"all": [["tiny.add", "succeeded"], ["tiny.fail", "failed"]]}


async def test_only_what_the_file_allows_is_offered() -> None:
    clerk = Model(Tools(("tiny__pid", {})), "Done.")
    result = await run(made("return 1", " only [add, shout]"), "x", models={"small": clerk}, flow="main")
    assert [tool.name for tool in clerk.requests[0].tools] == ["tiny__add", "tiny__shout"]
    assert step(result, "clerk").tool_calls[0].error == (
        "there is no tool tiny__pid; there are: tiny__add, tiny__shout"
    )


async def test_a_function_that_the_server_has_not_fails_the_visit_before_any_call() -> None:
    clerk = Model("Done.")
    result = await run(made("return 1", " only [shuot]"), "x", models={"small": clerk}, flow="main")
    assert (result.status, clerk.requests) == ("failed", [])
    assert "tiny has no function `shuot`: did you mean `shout`?" in result.record.reason


async def test_a_server_that_died_between_two_visits_is_there_again() -> None:
    clerk = Model(Tools(("tiny__die", {})), Tools(("tiny__add", {"a": 1, "b": 1})), "Two.")
    result = await run(made(), "x", models={"small": clerk}, flow="main")
    first, second = step(result, "clerk").tool_calls
    assert (first.status, second.status, second.output) == ("failed", "succeeded", 2)
    assert "has ended (exit status 3)" in (first.error or "")


SCRIPTED = """
model small "fake/small"
tool browse { mcp "no-such-server" only [open, click] }
agent clerk { model small  tools [browse]  judges [clicked]  retries 0 }
code judge clicked { require calls(browse)[0].tool == "browse.click" else "no click" }
flow main(url: text) -> json { page = browse.open(url: url)  answer = clerk(url)  return [page, answer] }
test "t" for main {
  given { url: "u" }
  browse returns { title: "Terns" }
  clerk  replies [{ call: "browse.click", input: { at: 3 } }, "done"]
  expect result == [{ title: "Terns" }, "done"]
  expect len(verdicts(clerk)) == 1
  expect verdicts(clerk)[0].passed
}
"""


async def test_a_test_block_stands_in_for_a_server_and_starts_none() -> None:
    source = program(SCRIPTED)
    outcome = await run_block(source, source.plan.tests[0], Stamp(lambda: 0.0))
    assert (outcome.passed, outcome.failures) == (True, ())


async def test_a_judge_in_python_calls_a_servers_function(tmp_path: Path) -> None:
    (tmp_path / "hooks.py").write_text(
        "import judgeflow as jf\n"
        "async def rule(input, *, tiny):\n"
        "    total = await tiny.add(a=1, b=int(input.reply))\n"
        "    return jf.Verdict.passed(metrics={'total': total})\n",
        encoding="utf-8",
    )
    command = shlex.join([sys.executable, "-I", "-S", str(SERVER)])
    source = program(
        f"""
        model small "fake/small"
        tool tiny {{ mcp "{command}" }}
        code judge sums {{ python "hooks.py:rule" }}
        agent clerk {{ model small  judges [sums] }}
        flow main(text: text) -> text {{ return clerk(text) }}
        """,
        tmp_path / "test.judge",
    )
    result = await run(source, "x", models={"small": Model("41")})
    assert step(result, "clerk").verdicts[0].metrics == {"total": 42}


def test_a_server_sees_no_key_of_a_model_service() -> None:
    declared = ProviderPlan("mine", "openai", key=EnvPlan("MY_KEY"))
    seen = server_environ(
        {"OPENAI_API_KEY": "1", "MY_KEY": "2", "GITHUB_TOKEN": "3", "PATH": "/bin"}, [declared]
    )
    assert seen == {"GITHUB_TOKEN": "3", "PATH": "/bin"}


def test_names_are_such_that_every_service_takes_them() -> None:
    taken = {"tiny__a_b"}
    assert callable_name("tiny__a.b", taken) == "tiny__a_b_2"
    long = callable_name("x" * 80, taken)
    assert long == "x" * 64
    assert callable_name("x" * 80, {long}) == "x" * 62 + "_2"


NESTED: list[Any] = []
for _ in range(300):
    NESTED = [NESTED]


@pytest.mark.parametrize(
    ("schema", "faults"),
    [
        ({"required": ["b"]}, ['$: "b" is a required property']),
        ({"type": 7}, []),
        ({"properties": {"a": {"$ref": "#/nowhere"}}}, []),
        ({"properties": {"a": {"$ref": "file:///etc/hostname"}}}, []),
    ],
)
def test_a_schema_of_a_server_is_held_against_arguments_and_fetches_nothing(
    schema: dict[str, Any], faults: list[str]
) -> None:
    assert faults_of(McpFunction("f", "", schema), {"a": 1}) == faults


def test_arguments_that_nest_too_deeply_are_refused_and_end_no_actor() -> None:
    found = faults_of(McpFunction("f", "", {"required": ["b"]}), {"a": NESTED})
    assert found == ["$: is nested too deeply to be checked"]


def test_a_schema_that_lies_elsewhere_is_not_fetched() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listening.setblocking(False)
        place = f"http://127.0.0.1:{listening.getsockname()[1]}/schema.json"
        assert faults_of(McpFunction("f", "", {"$ref": place}), {"a": 1}) == []
        with pytest.raises(BlockingIOError):
            listening.accept()
