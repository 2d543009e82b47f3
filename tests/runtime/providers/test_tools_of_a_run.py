"""What is wrong with a tool call goes back to the model over the wire, and no tool is run for it; permits on a wire."""

from __future__ import annotations

import pytest
import trio

from judgeflow.runtime.judge.errors import ProviderError

from ..helpers import program, step

SOURCE = """
provider own { api openai  url env OWN_URL }
model small "m" via own { retries 0 }
tool run_command(command: text) -> text "Runs a command" { python "tools.py:run_command" }
agent worker(task_text: text) { model small  tools [run_command] }
flow main(task_text: text) -> text { return worker(task_text) }
"""
TOOLS = """
from pathlib import Path

def run_command(command: str) -> str:
    (Path(__file__).parent / "ran").write_text(command)
    return f"ran {command}"
"""


def calls(kit, *parts: tuple[str, str], finish: str = "tool_calls"):
    """A reply that calls tools: pairs of a name and the text of its arguments."""
    made = [
        {"index": at, "id": f"c{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for at, (name, arguments) in enumerate(parts)
    ]
    return kit.streams(kit.delta(tool_calls=made), kit.delta(None, finish))


@pytest.fixture
def place(tmp_path):
    (tmp_path / "tools.py").write_text(TOOLS)
    return tmp_path


async def outcome(kit, place, monkeypatch, *plays):
    """The result of a run against these replies, and the requests that it made."""
    async with kit.serving(*plays) as server:
        monkeypatch.setenv("OWN_URL", server.url)
        async with program(SOURCE, place / "test.judge").opened() as session:
            result = await session.run("list")
    return result, [request.json["messages"] for request in server.requests]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("run_command", '{"arguments": {"command": "ls"}}', "run_command has no such parameter"),
        ("run_command", "{}", "command: is missing"),
        ("run_command", '{"command": 5}', "command"),
        ("run_command", "{command: ls}", "the arguments are not JSON"),
        ("run_command", '["ls"]', "the arguments must be one object"),
        ("remove_all", '{"command": "ls"}', "there is no tool remove_all; there are: run_command"),
        ("", '{"command": "ls"}', "there is no tool"),
    ],
)
async def test_case_111_a_call_that_does_not_fit_is_told_and_not_run(
    kit, place, monkeypatch, name, arguments, told
) -> None:
    plays = (calls(kit, (name, arguments)), kit.answers(kit.said("done")))
    result, asked = await outcome(kit, place, monkeypatch, *plays)
    assert result.answer == "done"
    assert not (place / "ran").exists()
    answer = asked[1][-1]
    assert (answer["role"], answer["tool_call_id"]) == ("tool", "c0")
    assert answer["content"].startswith("error (refused): ")
    assert told in answer["content"]
    [call] = step(result, "worker").tool_calls
    assert call.status == "refused"


async def test_several_calls_of_one_reply_are_all_answered(kit, place, monkeypatch) -> None:
    made = calls(
        kit, ("run_command", '{"command": "a"}'), ("nope", "{}"), ("run_command", '{"command": "b"}')
    )
    result, asked = await outcome(kit, place, monkeypatch, made, kit.answers(kit.said("done")))
    assert result.answer == "done"
    assert [message["tool_call_id"] for message in asked[1][-3:]] == ["c0", "c1", "c2"]
    assert [message["content"] for message in asked[1][-3::2]] == ["ran a", "ran b"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ('{"command": "rm -rf', "provider.cut-arguments"),
        ('{"command": "ls"}{"command": "ls"}', "provider.doubled-arguments"),
    ],
)
@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
async def test_case_115_arguments_that_are_cut_or_doubled_run_no_tool(
    kit, place, monkeypatch, arguments, code, finish
) -> None:
    made = calls(kit, ("run_command", arguments), finish=finish)
    result, asked = await outcome(kit, place, monkeypatch, made)
    assert result.status == "failed"
    assert isinstance(result.error.__cause__, ProviderError)
    assert result.error.__cause__.code == code
    assert not (place / "ran").exists()
    assert len(asked) == 1


async def test_a_call_that_the_token_limit_cut_runs_no_tool(kit, place, monkeypatch) -> None:
    made = calls(kit, ("run_command", '{"command": "ls"}'), finish="length")
    result, _ = await outcome(kit, place, monkeypatch, made)
    assert result.error.__cause__.code == "provider.length"
    assert not (place / "ran").exists()


async def test_a_service_that_says_slow_down_gets_fewer_at_once(kit) -> None:
    """Above eight at once it refuses: the calls all come through, and the last ones no longer crowd it."""
    crowd: list[int] = []

    async def play(_, wire) -> None:
        if server.at_once > 8:
            await wire.send(kit.http({"error": {"message": "slow down"}}, 429, headers={"retry-after": "0"}))
            return
        crowd.append(server.at_once)
        await wire.sleep(0.02)
        await wire.send(kit.http(kit.said("ok")))

    texts: list[str] = []
    async with kit.provider(play, retries=9) as (provider, server):

        async def call() -> None:
            texts.append((await provider.chat(kit.asks())).text)

        async with trio.open_nursery() as nursery:
            for _ in range(80):
                nursery.start_soon(call)
        permits = provider._service._permits
        assert 1 <= permits.at_once < 16
    assert texts == ["ok"] * 80
    assert server.most_at_once <= 16
