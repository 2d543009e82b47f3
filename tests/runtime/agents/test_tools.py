"""An agent's tools: offered, validated, bounded, run, and masked in the record but not for judges."""

from __future__ import annotations

import json
import textwrap
import traceback
from pathlib import Path
from typing import Any

import pytest
import trio

from judgeflow.runtime.agents.tool_use import MASK, masked, unmasked
from judgeflow.runtime.judge.protocol import Message
from judgeflow.runtime.run import events

from ..helpers import Model, Tools, program, run, step

SOURCE = """
model small "fake/small"
type Order { id: text  status: text }
tool get_order(id: text, part: int(1..9)?, card: json = null) -> Order "Looks an order up" {
  python "hooks.py:get_order"
  timeout 5s
  secret [id, card]
}
tool ping { python "hooks.py:ping" }
agent clerk { model small  prompt "Help."  tools [get_order, ping]  judges [looked_up]  retries 1 }
code judge looked_up {
  let found = [call for call in calls(get_order) if call.status == "succeeded"]
  require some call in found: reply contains call.output.status
  else "State the status that the order lookup returned."
  metrics { all: [call.tool for call in calls()], ids: [call.input.id for call in calls(get_order)] }
}
flow main(question: text) -> text { return clerk(question) }
"""
HOOKS = """
    import trio
    async def get_order(id, part=None, card=None):
        if id == "slow":
            await trio.sleep(60)
        if id == "none":
            raise LookupError(f"there is no order {id}")
        if id == "odd":
            return {"id": id}
        if id == "large":
            return {"id": id, "status": "x" * 1_000_001}
        return {"id": id, "status": "shipped"}
    def ping():
        return "pong"
"""


def made(folder: Path) -> Any:
    (folder / "hooks.py").write_text(textwrap.dedent(HOOKS), encoding="utf-8")
    return program(SOURCE, folder / "test.judge")


async def asked(folder: Path, *replies: Any, **options: Any) -> tuple[Any, Model]:
    clerk = Model(*replies)
    return await run(made(folder), "Where is it?", models={"small": clerk}, **options), clerk


async def test_a_call_is_offered_validated_run_and_answered_in_the_conversation(tmp_path: Path) -> None:
    result, clerk = await asked(tmp_path, Tools(("get_order", {"id": "A-7"}), text="Wait."), "It is shipped.")
    assert result.answer == "It is shipped."
    offered = {tool.name: tool.parameters for tool in clerk.requests[0].tools}
    assert sorted(offered) == ["get_order", "ping"]
    assert offered["get_order"]["required"] == ["id"]
    assert clerk.requests[0].tool_choice is None
    call, answer = clerk.requests[1].messages[-2:]
    assert (call.role, call.content, call.tool_calls[0].name) == ("assistant", "Wait.", "get_order")
    assert answer == Message("tool", '{"id":"A-7","status":"shipped"}', tool_call_id="call_0")


async def test_b41_b43_b44_an_answer_without_a_lookup_behind_it_goes_back(tmp_path: Path) -> None:
    result, _ = await asked(
        tmp_path, Tools(("ping", {})), "Soon.", Tools(("get_order", {"id": "A-7"})), "It is shipped."
    )
    first, second = step(result, "clerk").verdicts
    assert (first.passed, first.metrics) == (False, {"all": ["ping"], "ids": []})
    # Every attempt's calls, in order, with their real values.
    assert (second.passed, second.metrics) == (True, {"all": ["ping", "get_order"], "ids": ["A-7"]})


async def test_b42_secrets_are_masked_in_the_record_wherever_they_stand(tmp_path: Path) -> None:
    result, _ = await asked(
        tmp_path,
        Tools(("get_order", {"id": "none", "card": {"no": 4711, "holder": ["Ada"]}})),
        "It is shipped.",
        "It is shipped.",
    )
    [record] = step(result, "clerk").tool_calls
    assert record.input == {"id": MASK, "card": {"no": MASK, "holder": [MASK]}}
    assert record.error == f"LookupError: there is no order {MASK}"


async def test_secrets_are_masked_in_captured_prompts_too(tmp_path: Path) -> None:
    result, clerk = await asked(tmp_path, Tools(("get_order", {"id": "A-7"})), "It is shipped.", capture=True)
    assert "A-7" in str(clerk.requests[1].messages)
    kept = json.dumps(step(result, "clerk").attempts[0].prompt)
    assert "A-7" not in kept
    assert "shipped" in kept


@pytest.mark.parametrize(
    ("call", "status", "told"),
    [
        (("get_order", {"id": "none"}), "failed", "LookupError: there is no order none"),
        (("get_order", {"id": "odd"}), "failed", "the result has the wrong shape: $.status: is missing"),
        (("get_order", {"id": "large"}), "failed", "the result is larger than 1,000,000 characters"),
        (("get_order", {"part": 0}), "refused", "id: is missing; part: must be at least 1, is 0"),
        (("get_order", {"id": "x", "more": 1}), "refused", "more: get_order has no such parameter"),
        (("get_order", {"arguments": {"id": "x"}}), "refused", "arguments: get_order has no such parameter"),
        (("get_order", '{"id": "A-'), "refused", "the arguments are not JSON"),
        (("get_order", "[1]"), "refused", "the arguments must be one object"),
        (("open_door", {}), "refused", "there is no tool open_door; there are: get_order, ping"),
    ],
)
async def test_whatever_goes_wrong_is_a_result_that_the_model_reads(
    tmp_path: Path, call: tuple[str, Any], status: str, told: str
) -> None:
    result, clerk = await asked(tmp_path, Tools(call), "It is shipped.", "It is shipped.")
    assert clerk.requests[1].messages[-1].content.startswith(f"error ({status}): {told}")
    assert step(result, "clerk").tool_calls[0].status == status
    assert result.record.code == "step.agent.quality-gate"


async def test_arguments_that_cannot_be_read_are_secret_as_a_whole(tmp_path: Path) -> None:
    result, _ = await asked(tmp_path, Tools(("get_order", '{"id": "A-7')), "It is shipped.", "Shipped.")
    assert step(result, "clerk").tool_calls[0].input == MASK


async def test_a_tool_that_takes_too_long_times_out(tmp_path: Path, autojump_clock: Any) -> None:
    result, clerk = await asked(tmp_path, Tools(("get_order", {"id": "slow"})), "It is shipped.", "No.")
    assert clerk.requests[1].messages[-1].content == "error (timed_out): no result within 5 s"
    assert step(result, "clerk").tool_calls[0].status == "timed_out"


async def test_a_tool_call_that_is_cancelled_is_in_the_record(tmp_path: Path, autojump_clock: Any) -> None:
    seen: list[events.Event] = []
    with trio.move_on_after(1):
        await asked(tmp_path, Tools(("get_order", {"id": "slow"})), hooks=[seen.append])
    [ended] = [event for event in seen if isinstance(event, events.RunEnded)]
    [record] = ended.tern.steps
    assert (ended.tern.status, record.status) == ("cancelled", "cancelled")
    assert [(call.tool, call.status) for call in record.tool_calls] == [("get_order", "cancelled")]
    assert [attempt.outcome for attempt in record.attempts] == ["cancelled"]


async def test_several_calls_run_in_order_and_an_answer_beside_them_waits(tmp_path: Path) -> None:
    source = SOURCE.replace("agent clerk {", "agent clerk -> Order {").replace("-> text {", "-> Order {")
    source = source.replace("looked_up {", "looked_up(reply: Order) {").replace(
        "reply contains call.output.status", "reply.status == call.output.status"
    )
    (tmp_path / "hooks.py").write_text(textwrap.dedent(HOOKS), encoding="utf-8")
    order = {"id": "A-7", "status": "shipped"}
    clerk = Model(
        Tools(("ping", {}), ("answer", order), ("get_order", {"id": "A-7"})), Tools(("answer", order))
    )
    result = await run(program(source, tmp_path / "test.judge"), "Where?", models={"small": clerk})
    assert result.answer == order
    assert [(m.tool_call_id, m.content[:9]) for m in clerk.requests[1].messages[-3:]] == [
        ("call_0", "pong"),
        ("call_2", '{"id":"A-'),
        ("call_1", "Not taken"),
    ]
    assert clerk.requests[0].tool_choice == "required"


async def test_a_model_that_never_stops_calling_tools_is_stopped(tmp_path: Path) -> None:
    result, clerk = await asked(tmp_path, Tools(("ping", {})))
    assert (result.record.code, len(clerk.requests)) == ("step.agent.no-answer", 24)


def test_masking_takes_the_longest_secret_first_and_leaves_the_rest_alone() -> None:
    secrets = ("A-7", "A-77", "5")
    assert masked({"A-7": ["x A-77 y", 5, 5.5, True, None]}, secrets) == {
        MASK: [f"x {MASK} y", MASK, 5.5, True, None]
    }
    assert unmasked({"id": f"x {MASK}"}, ("A-7",)) == {"id": "x A-7"}
    assert unmasked([MASK], secrets) == [MASK]


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        (
            "return object()",
            "failed",
            "the result is no JSON: it holds a value of type object",
        ),
        ("return {'a': [float('nan')]}", "failed", "the result is no JSON: $.a[0]"),
        ("return b'abc'", "failed", "the result is no JSON: bytes are no text: decode them first"),
        ("return {'a': [bytearray(b'')]}", "failed", "the result is no JSON: bytes are no text"),
        ("return {b'key': 1}", "failed", "the result is no JSON: bytes are no text"),
        ("return chr(0xD800)", "failed", "the result is no JSON: $"),
        ("return 2**80", "failed", "the result is no JSON: $"),
        ("loop = []; loop.append(loop); return loop", "failed", "the result is no JSON: it contains itself"),
        ("raise SystemExit(3)", "failed", "RuntimeError: it called sys.exit(3)"),
        (
            "raise BaseExceptionGroup('', [SystemExit(3)])",
            "failed",
            "RuntimeError: it called sys.exit() in a task of its own",
        ),
        ("import datetime; return datetime.date(2026, 3, 1)", "succeeded", None),
        ("return ('a', {'b': None})", "succeeded", None),
    ],
)
@pytest.mark.parametrize("kind", ["def", "async def"])
async def test_what_a_function_returns_is_json_or_a_failed_call(
    tmp_path: Path, kind: str, body: str, status: str, told: str | None
) -> None:
    (tmp_path / "hooks.py").write_text(f"{kind} odd():\n    {body}\n", encoding="utf-8")
    source = program(
        'model small "fake/small"\ntool odd { python "hooks.py:odd" }\n'
        "flow main(text: text) -> json { got = try odd()  return got.ok }",
        tmp_path / "test.judge",
    )
    result = await run(source, "x", models={"small": Model("")})
    [call] = step(result, "odd").tool_calls
    assert (call.status, result.answer) == (status, status == "succeeded")
    assert (call.error or "").startswith(told or "")


async def test_a_cancellation_of_asyncios_ends_its_call_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "hooks.py").write_text(
        "import asyncio\n\n"
        "async def main():\n    raise asyncio.CancelledError\n\n"
        "def odd():\n    asyncio.run(main())\n",
        encoding="utf-8",
    )
    source = 'tool odd { python "hooks.py:odd" }\nflow main() -> json { return odd() }'
    result = await run(program(source, tmp_path / "test.judge"))
    assert str(result.error).startswith("odd: RuntimeError: it raised CancelledError (hooks.py:")


WRAPPED = """
import functools
import trio

def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper

@logged
async def wrapped():
    await trio.lowlevel.checkpoint()
    return "wrapped"

class Called:
    async def __call__(self):
        await trio.lowlevel.checkpoint()
        return "called"

called = Called()
given = lambda: wrapped()
written_in_c = dict
"""


@pytest.mark.parametrize(
    ("name", "answer"),
    [("wrapped", "wrapped"), ("called", "called"), ("given", "wrapped"), ("written_in_c", {})],
)
async def test_what_gives_something_to_await_is_awaited(tmp_path: Path, name: str, answer: Any) -> None:
    (tmp_path / "hooks.py").write_text(WRAPPED, encoding="utf-8")
    source = f'tool odd {{ python "hooks.py:{name}" }}\nflow main() -> json {{ return odd() }}'
    assert (await run(program(source, tmp_path / "test.judge"))).raised().answer == answer


GROUP = """
import trio

async def fails():
    raise LookupError("not there")

async def both(id):
    async with trio.open_nursery() as nursery:
        nursery.start_soon(fails)

def plainly(id):
    raise LookupError(f"no {id}")

def silently(id):
    raise LookupError
"""


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("both", "LookupError: not there (hooks.py:5)"),
        ("plainly", "LookupError: no 7 (hooks.py:12)"),
        ("silently", "LookupError (hooks.py:15)"),
    ],
)
async def test_what_a_tool_raises_is_told_and_chained(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "hooks.py").write_text(GROUP, encoding="utf-8")
    source = (
        f'tool {name}(id: text) {{ python "hooks.py:{name}" }}\n'
        f"flow main(id: text) -> json {{ return {name}(id) }}"
    )
    result = await run(program(source, tmp_path / "test.judge"), "7")
    assert str(result.error) == f"{name}: {told}"
    assert result.error is not None
    cause = result.error.__cause__
    while isinstance(cause, ExceptionGroup):
        cause = cause.exceptions[0]
    assert isinstance(cause, LookupError)
    trace = [frame.filename for frame in traceback.extract_tb(cause.__traceback__)]
    assert str(tmp_path / "hooks.py") in trace


async def test_what_a_tool_raises_is_not_chained_where_it_may_tell_a_secret(tmp_path: Path) -> None:
    (tmp_path / "hooks.py").write_text(GROUP, encoding="utf-8")
    source = (
        'tool plainly(id: text) { python "hooks.py:plainly"  secret [id] }\n'
        "flow main(id: text) -> json { return plainly(id) }"
    )
    result = await run(program(source, tmp_path / "test.judge"), "hunter2")
    assert result.error is not None
    assert (str(result.error), result.error.__cause__) == (
        f"plainly: LookupError: no {MASK} (hooks.py:12)",
        None,
    )
