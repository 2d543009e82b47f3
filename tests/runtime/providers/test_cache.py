"""Replies that are kept: the same request is answered without a service, and nothing else is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest
import trio

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import Caller, ChatReply, DecisionQuestion
from judgeflow.runtime.providers.cache import CachedProvider, ReplyCache, cache_folder
from judgeflow.runtime.providers.settings import Target

from ..helpers import program

SAMPLED = """
model small "m" via own { price $1 in, $1 out }
provider own { api openai  url env OWN_URL  key env OWN_KEY }
agent writer(topic: text) { model small }
agent picker { model small  prompt "Pick." }
flow main(topic: text) -> text {
  best = best of 3: writer(topic) picked by picker
  return best
}
"""


def numbered(kit):
    """A service that never gives the same answer twice."""
    count = 0

    async def play(_, wire) -> None:
        nonlocal count
        count += 1
        await wire.send(kit.http(kit.said(f"answer {count}")))

    return play


def by(run: str, *, sample: int = 0, attempt: int = 0) -> Caller:
    return Caller("agent:writer", "writer", run=run, sample=sample, attempt=attempt)


class Cached:
    """A provider with a cache in front of a server, for as many runs as a test likes."""

    def __init__(self, provider, folder: Path, target: Target) -> None:
        self._made = (provider, folder, target)

    async def ask(self, kit, text: str = "hi", caller: Caller | None = None, **more):
        provider, folder, target = self._made
        cached = CachedProvider(provider, ReplyCache(folder), target)
        request = msgspec.structs.replace(kit.asks(text, **more), caller=caller or by("a run"))
        return await cached.chat(request)


@pytest.fixture
async def cached(kit, tmp_path):
    async with kit.provider(numbered(kit)) as (provider, server):
        target = kit.target(server.url)
        yield Cached(provider, tmp_path / "cache", target), server


async def test_the_same_request_of_a_later_run_is_answered_without_a_service(kit, cached) -> None:
    service, server = cached
    first = await service.ask(kit)
    again = await service.ask(kit, caller=by("another run"))
    assert (first.text, again.text, len(server.requests)) == ("answer 1", "answer 1", 1)
    assert (first.cached, again.cached) == (False, True)
    assert (again.usage.input_tokens, again.usage.output_tokens, again.usage.cost) == (0, 0, None)


@pytest.mark.parametrize(
    "changed",
    [
        {"text": "hi!"},
        {"temperature": 0.5},
        {"max_tokens": 7},
        {"top_logprobs": 3},
        {"tool_choice": "required"},
    ],
)
async def test_whatever_is_asked_otherwise_is_another_request(kit, cached, changed) -> None:
    service, server = cached
    await service.ask(kit)
    assert not (await service.ask(kit, **changed)).cached
    assert len(server.requests) == 2


async def test_another_model_or_another_service_is_another_request(kit, tmp_path) -> None:
    async with kit.provider(numbered(kit)) as (provider, server):
        for target in (kit.target(server.url), kit.target("http://elsewhere/v1")):
            for model in ("m", "n"):
                cache = CachedProvider(provider, ReplyCache(tmp_path), target)
                await cache.chat(msgspec.structs.replace(kit.asks(), model=model))
        assert len(server.requests) == 4


async def test_a_time_limit_and_a_key_are_no_part_of_the_request(kit, cached) -> None:
    service, server = cached
    await service.ask(kit)
    assert (await service.ask(kit, timeout=9.0)).cached
    kept = "".join(path.read_text() for path in service._made[1].rglob("*.json"))
    assert kit.KEY not in kept
    assert len(server.requests) == 1


async def test_case_155_each_attempt_has_a_reply_of_its_own(kit, cached) -> None:
    service, server = cached
    for run in ("one", "two"):
        texts = [(await service.ask(kit, caller=by(run, attempt=attempt))).text for attempt in range(3)]
        assert texts == ["answer 1", "answer 2", "answer 3"]
    assert len(server.requests) == 3


async def test_samples_stay_apart_and_come_back_in_their_places(kit, tmp_path) -> None:
    async with kit.provider(numbered(kit)) as (provider, server):
        texts: dict[str, dict[int, str]] = {"one": {}, "two": {}}

        async def draw(run: str, sample: int, cache: CachedProvider) -> None:
            request = msgspec.structs.replace(kit.asks(), caller=by(run, sample=sample))
            texts[run][sample] = (await cache.chat(request)).text

        for run in ("one", "two"):
            cache = CachedProvider(provider, ReplyCache(tmp_path), kit.target(server.url))
            async with trio.open_nursery() as nursery:
                for sample in (3, 1, 2):
                    nursery.start_soon(draw, run, sample, cache)
        assert len(server.requests) == 3
    assert texts["one"] == texts["two"]
    assert len(set(texts["one"].values())) == 3


async def test_within_a_run_no_reply_is_given_twice(kit, tmp_path) -> None:
    async with kit.provider(numbered(kit)) as (provider, server):
        for run in ("one", "two"):
            cache = CachedProvider(provider, ReplyCache(tmp_path), kit.target(server.url))
            request = msgspec.structs.replace(kit.asks(), caller=by(run))
            texts = [(await cache.chat(request)).text for _ in range(3)]
            assert texts == ["answer 1", "answer 2", "answer 3"]
        assert len(server.requests) == 3


async def test_an_item_that_moved_in_its_list_finds_its_reply(kit, cached) -> None:
    service, server = cached
    await service.ask(kit, caller=by("one", sample=1))
    assert (await service.ask(kit, caller=by("two", sample=2))).cached
    assert len(server.requests) == 1


async def test_failures_are_not_kept(kit, tmp_path) -> None:
    refused = kit.answers({"error": {"message": "no"}}, 400)
    async with kit.provider(refused, kit.answers(kit.said("ok"))) as (provider, server):
        cache = CachedProvider(provider, ReplyCache(tmp_path), kit.target(server.url))
        with pytest.raises(ProviderError):
            await cache.chat(kit.asks())
        assert (await cache.chat(kit.asks())).text == "ok"
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ({"type": "noul", "noul": 0.75}, True),
        ({"type": "noul", "noul": 1.75}, False),
        ({"type": "refusal", "refusal": "no"}, False),
    ],
)
async def test_decisions_are_kept_where_they_keep_their_contract(kit, tmp_path, answer, kept) -> None:
    request = kit.decides(DecisionQuestion("q", "condition", "Is it?"))
    async with kit.provider(kit.answers({"answers": {"q": answer}}), api="systemone") as (provider, server):
        for run in ("one", "two"):
            cache = CachedProvider(provider, ReplyCache(tmp_path), kit.target(server.url, "systemone"))
            asked = msgspec.structs.replace(request, caller=Caller("decision:d", "d", run=run))
            reply = await cache.decide(asked)
        assert (reply.cached, len(server.requests)) == (kept, 1 if kept else 2)


async def test_a_file_that_cannot_be_read_is_written_anew(kit, cached) -> None:
    service, server = cached
    await service.ask(kit)
    [path] = service._made[1].rglob("*.json")
    path.write_text("{")
    assert (await service.ask(kit)).text == "answer 2"
    assert (await service.ask(kit, caller=by("b"))).text == "answer 2"
    assert len(server.requests) == 2


async def test_a_folder_that_cannot_be_written_costs_no_answer_and_says_so(kit, tmp_path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = ReplyCache(blocked)
    async with kit.provider(numbered(kit)) as (provider, server):
        cached = CachedProvider(provider, cache, kit.target(server.url))
        assert (await cached.chat(kit.asks())).text == "answer 1"
    assert cache.trouble is not None
    assert str(blocked) in cache.trouble


async def test_replies_are_for_the_user_alone(kit, cached) -> None:
    service, _ = cached
    await service.ask(kit)
    [path] = service._made[1].rglob("*.json")
    assert os.stat(path.parent).st_mode & 0o077 == 0


async def test_best_of_three_stays_three_in_a_run_and_costs_nothing_the_second_time(
    kit, tmp_path, monkeypatch
) -> None:
    async with kit.serving(numbered(kit)) as server:
        monkeypatch.setenv("OWN_URL", server.url)
        monkeypatch.setenv("OWN_KEY", kit.KEY)
        results = []
        for _ in range(2):
            made = program(SAMPLED)
            async with made.opened(cache=ReplyCache(tmp_path)) as session:
                results.append((await session.run("terns")).record)
    first, second = results
    assert (first.status, second.status) == ("answered", "answered")
    assert second.answer == first.answer
    assert len(server.requests) == 4
    texts = [step.answer for step in first.steps if step.name == "writer"]
    assert len(set(texts)) == 3
    assert (first.usage.from_cache, second.usage.from_cache, second.usage.calls) == (0, 4, 4)
    assert first.cost.total not in ("0", "unknown")
    assert (second.cost.total, second.usage.input_tokens) == ("0", 0)
    assert all(step.usage.from_cache == step.usage.calls for step in second.steps)


async def test_without_the_option_nothing_is_kept(kit, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("JUDGEFLOW_CACHE", str(tmp_path / "cache"))
    async with kit.serving(numbered(kit)) as server:
        monkeypatch.setenv("OWN_URL", server.url)
        monkeypatch.setenv("OWN_KEY", kit.KEY)
        for _ in range(2):
            async with program(SAMPLED).opened() as session:
                await session.run("terns")
    assert len(server.requests) == 8
    assert not (tmp_path / "cache").exists()


def test_the_folder_is_the_users_own() -> None:
    home = Path("/home/u")
    assert cache_folder({}, platform="linux", home=home) == home / ".cache/judgeflow"
    assert cache_folder({"XDG_CACHE_HOME": "/x"}, platform="linux", home=home) == Path("/x/judgeflow")
    assert cache_folder({"JUDGEFLOW_CACHE": "~/c"}, platform="linux", home=home) == home / "c"
    assert cache_folder({}, platform="darwin", home=home) == home / "Library/Caches/judgeflow"
    windows = cache_folder({"LOCALAPPDATA": "/l"}, platform="win32", home=home)
    assert windows == Path("/l/judgeflow/Cache")


def test_a_kept_reply_is_plain_json(tmp_path) -> None:
    ReplyCache(tmp_path).keep("run", "ab12", 0, ChatReply("text"))
    [path] = tmp_path.rglob("*.json")
    assert json.loads(path.read_text())["text"] == "text"
