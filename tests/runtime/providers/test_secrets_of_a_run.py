"""A whole run against services that repeat the key wherever they can: it reaches no record, log, error, report or
event, and no file."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trio

from judgeflow.runtime.cli import main

FLOW = """
provider own { api openai  url env OWN_URL  key env OWN_KEY  headers { "X-Api-Token": env OWN_TOKEN } }
provider sure { api systemone  url env OWN_URL  key env OWN_KEY }
model small "m" via own { retries 2  price $1 in, $1 out }
model jev "j" via sure { kind decision  price $1 in, $1 out }
type Title { title: text }
condition urgent(text: text) { model jev  ask "Is it urgent?" }
tool look(city: text) -> text "Looks." { python "tools.py:look" }
agent writer(topic: text) { model small  tools [look]  judges [rated]  retries 1 }
agent typed(topic: text) -> Title { model small }
judge rated { model small  rate quality }
flow main(topic: text) -> json {
  hot = try urgent(topic) else null
  draft = writer(topic)
  title = try typed(topic) else null
  return { draft: draft, title: title, hot: hot }
}
flow breaks(topic: text) -> text { return writer(topic) }
"""
TOKEN = "team-token-0123456789"


class Echoing:
    """Answers with the key in every place that an answer has."""

    def __init__(self, kit) -> None:
        self._kit = kit
        self._asked = 0

    async def __call__(self, request, wire) -> None:
        kit = self._kit
        both = f"{kit.KEY} {TOKEN}"
        if request.target.endswith("/systemone"):
            answer = {"type": "refusal", "refusal": f"not for {kit.KEY}"}
            await wire.send(kit.http({"answers": {"decision": answer}, "model": kit.KEY}))
            return
        self._asked += 1
        tools = {tool["function"]["name"] for tool in request.json.get("tools", ())}
        told = request.json["messages"]
        if self._asked == 1:
            error = {"error": {"message": f"Bearer {both} is too busy", "code": both}}
            await wire.send(kit.http(error, 500, headers={"x-request-key": both}))
        elif "answer" in tools:
            await wire.send(kit.http(f"<html>{both}</html>", type="text/html"))
        elif "look" in tools and told[-1]["role"] != "tool":
            call = {
                "index": 0,
                "id": f"call {both}",
                "function": {"name": "look", "arguments": json.dumps({"city": both})},
            }
            await kit.streams(kit.delta(tool_calls=[call]), kit.delta(None, "tool_calls"))(request, wire)
        elif "look" in tools:
            half = len(kit.KEY) // 2
            parts = ("You sent ", kit.KEY[:half], kit.KEY[half:], f" and {TOKEN}.")
            spoken = [kit.delta(part, reasoning_content=both) for part in parts]
            await kit.streams(*spoken, {**kit.delta(None, "stop"), "model": both})(request, wire)
        else:
            await wire.send(kit.http(kit.said("0.9", model=both)))


@contextmanager
def in_a_thread(kit, *plays) -> Iterator[str]:
    """A server for a command that starts Trio itself; gives its url."""
    started, ready = threading.Event(), {}

    async def serve() -> None:
        async with kit.serving(*plays) as server:
            with trio.CancelScope() as scope:
                ready.update(url=server.url, token=trio.lowlevel.current_trio_token(), scope=scope)
                started.set()
                await trio.sleep_forever()

    thread = threading.Thread(target=trio.run, args=(serve,))
    thread.start()
    started.wait()
    try:
        yield ready["url"]
    finally:
        ready["token"].run_sync_soon(ready["scope"].cancel)
        thread.join()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    monkeypatch.setenv("JUDGEFLOW_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "TYPESAFE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    Path("flow.judge").write_text(FLOW, encoding="utf-8")
    Path("tools.py").write_text("def look(city: str) -> str:\n    return 'seen ' + city\n")
    return tmp_path


def leaks(kit, place: Path, *texts: str) -> list[str]:
    """Where the key stands, or any half of it that is long enough to be told from chance."""
    secrets = [part.encode() for part in (kit.KEY, TOKEN, kit.KEY[6:], kit.KEY[:-6])]
    found = []
    for text in texts:
        at = [text.encode().find(secret) for secret in secrets if secret in text.encode()]
        found += [f"text: …{text[max(at[0] - 60, 0) : at[0] + 60]}"] if at else []
    for path in sorted(place.rglob("*")):
        if path.is_file() and any(secret in path.read_bytes() for secret in secrets):
            found.append(str(path))
    return found


@pytest.mark.slow
def test_no_key_is_in_anything_that_a_run_leaves_behind(kit, place, monkeypatch, capsys, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OWN_KEY", kit.KEY)
    monkeypatch.setenv("OWN_TOKEN", TOKEN)
    shown: list[str] = []

    def jrun(*words: str) -> int:
        code = main(list(words))
        said = capsys.readouterr()
        shown.extend((said.out, said.err))
        return code

    with in_a_thread(kit, Echoing(kit)) as url:
        monkeypatch.setenv("OWN_URL", url)
        options = ("--capture", "--cache", "--record", "run.jsonl")
        assert jrun("flow.judge", "terns", "--flow", "main", *options) == 0
        assert jrun("flow.judge", "terns", "--flow", "main", *options, "--events") == 0
        assert jrun("flow.judge", "terns", "--flow", "main", *options, "--json") == 0
        run = json.loads(shown[-2])
        assert jrun("doctor", "flow.judge", "--call") in (0, 1)
    refused = kit.answers({"error": {"message": f"Incorrect API key provided: {kit.KEY}"}}, 401)
    garbled = kit.answers(f"key={kit.KEY}", 503, headers={"location": f"http://{TOKEN}/{kit.KEY}"})
    moved = kit.answers("", 302, headers={"location": f"http://h/{kit.KEY}?k={TOKEN}"})

    async def not_http(_, wire) -> None:
        await wire.send(f"HTTP/9 {kit.KEY} {TOKEN}\r\n\r\n".encode())
        wire.close()

    for play in (refused, garbled, moved, not_http):
        with in_a_thread(kit, play) as url:
            monkeypatch.setenv("OWN_URL", url)
            assert jrun("flow.judge", "terns", "--flow", "breaks", "--json") == 1
    assert jrun("show", run["id"]) == 0
    assert jrun("show", run["id"], "--json") == 0
    assert jrun("runs") == 0
    assert jrun("runs", "--json") == 0
    assert jrun("runs", "export", "-") == 0
    assert Path("run.jsonl").exists()
    assert list((place / "cache").rglob("*.json"))
    assert any("<key>" in text for text in shown)
    assert any("call.retrying" in text for text in shown)
    assert leaks(kit, place, *shown, caplog.text) == []


def test_the_search_finds_a_key_where_there_is_one(kit, tmp_path) -> None:
    (tmp_path / "file").write_bytes(b"x" + kit.KEY.encode())
    assert len(leaks(kit, tmp_path, kit.KEY, "nothing")) == 2
