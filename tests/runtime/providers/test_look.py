"""What `jrun doctor` sees: nothing is said to be there that was not looked at."""

from __future__ import annotations

import re
import socket
import textwrap
from pathlib import Path

import pytest
import trio

from judgeflow.runtime.cli import doctor_look, main
from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.providers.choose import choose
from judgeflow.runtime.providers.look import cheapest, look
from judgeflow.runtime.providers.open import open_provider
from judgeflow.runtime.providers.settings import ModelChoice

FILE = """
provider rack { api openai  url env RACK_URL }
model own "m" via rack
model lost "nobody/knows"
agent a(x: text) { model own }
agent b(x: text) { model lost }
flow main(x: text) -> text { return a(x) }
"""
MODELS = {"object": "list", "data": [{"id": "text-embedding-9"}, {"id": "gpt-5"}, {"id": "gpt-5-nano"}]}


def nobody() -> str:
    """Addresses of local servers at which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


def environ(**more: str) -> dict[str, str]:
    return {"OLLAMA_HOST": nobody(), "VLLM_HOST": nobody(), "LLAMACPP_HOST": nobody(), **more}


async def seen(kit, name: str, environ: dict[str, str], *, call: bool = False):
    [found] = [service for service in await look(environ, kit.clockwork(), call=call) if service.name == name]
    return found


async def test_a_service_without_a_key_says_what_to_set(kit) -> None:
    found = await seen(kit, "anthropic", environ())
    assert (found.state, found.said, found.is_well) == ("shut", "set ANTHROPIC_API_KEY", False)


async def test_a_local_server_that_does_not_run_is_not_said_to_be_ready(kit) -> None:
    found = await seen(kit, "ollama", environ())
    assert (found.state, found.said) == ("absent", "not running; start it, or set OLLAMA_HOST")


async def test_a_local_server_that_runs_names_its_models(kit) -> None:
    async with kit.serving(kit.answers(MODELS)) as server:
        found = await seen(kit, "vllm", environ(VLLM_HOST=server.url))
    assert (found.state, found.said) == ("open", "running: text-embedding-9, gpt-5, gpt-5-nano")
    assert [request.target for request in server.requests] == ["/v1/models"]


@pytest.mark.parametrize(
    "play",
    [("<html>", 200, "text/html"), ("not here", 404, "text/plain"), ("[1]", 200, "application/json")],
)
async def test_something_else_at_the_usual_port_is_no_model_server(kit, play) -> None:
    body, status, kind = play
    async with kit.serving(kit.answers(body, status, type=kind)) as server:
        found = await seen(kit, "llamacpp", environ(LLAMACPP_HOST=server.url))
    assert found.state == "absent"
    assert found.said == "something else answers there; LLAMACPP_HOST says where llamacpp is"


async def test_a_local_server_without_a_model_says_so(kit) -> None:
    async with kit.serving(kit.answers({"data": []})) as server:
        found = await seen(kit, "ollama", environ(OLLAMA_HOST=server.url))
    assert (found.state, found.said) == ("open", "running: it has no model yet")


async def test_a_service_with_a_key_is_not_asked_unless_that_was_asked_for(kit) -> None:
    async with kit.serving(kit.answers(MODELS)) as server:
        opened = environ(OPENAI_API_KEY=kit.KEY, OPENAI_BASE_URL=server.url)
        found = await seen(kit, "openai", opened)
    assert (found.state, found.said, server.requests) == ("open", "OPENAI_API_KEY is set; not asked", [])


async def test_one_tiny_call_goes_to_its_cheapest_model(kit) -> None:
    async with kit.serving(kit.answers(MODELS), kit.answers(kit.said("hi"))) as server:
        opened = environ(OPENAI_API_KEY=kit.KEY, OPENAI_BASE_URL=server.url)
        found = await seen(kit, "openai", opened, call=True)
    assert found.state == "answered"
    assert re.fullmatch(r"gpt-5-nano answered in \d+\.\d s", found.said)
    listed, asked = server.requests
    assert listed.headers["authorization"] == f"Bearer {kit.KEY}"
    assert (asked.json["model"], asked.json["max_tokens"]) == ("gpt-5-nano", 16)


async def test_an_answer_that_is_cut_was_an_answer(kit) -> None:
    async with kit.serving(kit.answers(MODELS), kit.answers(kit.said("hi", "length"))) as server:
        opened = environ(OPENAI_API_KEY=kit.KEY, OPENAI_BASE_URL=server.url)
        assert (await seen(kit, "openai", opened, call=True)).state == "answered"


async def test_a_key_that_is_refused_is_told_and_not_shown(kit) -> None:
    told = {"error": {"message": f"Incorrect API key provided: {kit.KEY}"}}
    async with kit.serving(kit.answers(told, 401)) as server:
        opened = environ(OPENAI_API_KEY=kit.KEY, OPENAI_BASE_URL=server.url)
        found = await seen(kit, "openai", opened, call=True)
    assert found.state == "failed"
    assert "it does not accept the key (HTTP 401)" in found.said
    assert "provider.authentication" in found.said
    assert kit.KEY not in repr(found)


async def test_a_service_that_hangs_is_given_up(kit, monkeypatch) -> None:
    async def hang(_, wire) -> None:
        await wire.until_closed()

    async with kit.serving(hang) as server:
        monkeypatch.setattr("judgeflow.runtime.providers.look.QUICK", kit.impatient().timing)
        with trio.fail_after(20):
            found = await seen(kit, "ollama", environ(OLLAMA_HOST=server.url))
    assert (found.state, "provider.slow-start" in found.said) == ("failed", True)


async def test_an_address_that_is_none_is_told(kit) -> None:
    found = await seen(kit, "ollama", environ(OLLAMA_HOST="http://h:1/?x=1"))
    assert found.state in ("absent", "failed")


def test_the_cheapest_model_is_one_that_chats() -> None:
    assert cheapest("openai", ["whisper-1", "gpt-4o", "gpt-4o-mini", "gpt-99"]) == "gpt-4o-mini"
    assert cheapest("ollama", ["nomic-embed-text", "qwen3:4b"]) == "qwen3:4b"
    assert cheapest("openai", []) is None


async def looked(tmp_path: Path, *, call: bool):
    (tmp_path / "f.judge").write_text(FILE)
    program = doctor_look._loaded(str(tmp_path / "f.judge"))
    return await doctor_look._looked(program, call)


async def test_the_models_of_a_file_are_shown_with_who_serves_them(kit, tmp_path, monkeypatch) -> None:
    for name, value in environ().items():
        monkeypatch.setenv(name, value)
    async with kit.serving(kit.answers(kit.said("hi"))) as server:
        monkeypatch.setenv("RACK_URL", server.url)
        sections, well = await looked(tmp_path, call=False)
        own, lost = sections["models of f.judge"]
        assert (own.well, own.said, well) == (True, "m of rack", False)
        assert "no key for it in the environment" in lost.said
        assert server.requests == []


async def test_a_files_model_on_a_server_that_does_not_run_or_does_not_have_it_is_told(
    kit, tmp_path, monkeypatch
) -> None:
    source = """
    model here "ollama/qwen3"
    model there "ollama/other"
    model off "vllm/m"
    agent a(x: text) { model here }
    flow main(x: text) -> text { return a(x) }
    """
    (tmp_path / "f.judge").write_text(textwrap.dedent(source))
    async with kit.serving(kit.answers({"data": [{"id": "qwen3:latest"}]})) as server:
        for name, value in environ(OLLAMA_HOST=server.url).items():
            monkeypatch.setenv(name, value)
        sections, well = await doctor_look._looked(doctor_look._loaded(str(tmp_path / "f.judge")), False)
    here, there, off = sections["models of f.judge"]
    assert (here.well, there.well, off.well, well) == (True, False, False, False)
    assert there.said == "ollama has no model other; it has qwen3:latest"
    assert off.said == "m of vllm, which is not running; start it, or set VLLM_HOST"


async def test_a_call_to_a_local_server_that_does_not_run_says_what_to_do(kit, monkeypatch) -> None:
    chosen = choose(ModelChoice("ollama/qwen3", retries=0), {"OLLAMA_HOST": nobody()})
    async with open_provider(chosen.target, kit.clockwork()) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert caught.value.message.endswith("Connection refused; start it, or set OLLAMA_HOST")


async def test_a_file_that_cannot_be_read_is_wrong_use(tmp_path, monkeypatch) -> None:
    with pytest.raises(SystemExit) as caught:
        doctor_look._loaded(str(tmp_path / "none.judge"))
    assert caught.value.code == 2


def test_doctor_prints_sections_and_no_key(kit, monkeypatch, capsys) -> None:
    for name, value in environ(OPENAI_API_KEY=kit.KEY).items():
        monkeypatch.setenv(name, value)
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "✔ openai" in out
    assert "OPENAI_API_KEY is set; not asked" in out
    assert "✖ ollama" in out
    assert "as listed on 20" in out
    assert kit.KEY not in out
