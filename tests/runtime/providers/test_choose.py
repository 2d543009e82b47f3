"""Which service serves a model."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import judgeflow.runtime.providers as package
from judgeflow.runtime.judge.errors import ConfigurationError
from judgeflow.runtime.providers.choose import choose, survey
from judgeflow.runtime.providers.settings import FromEnv, ModelChoice, ProviderSettings

ALL = {
    "OPENAI_API_KEY": "sk-o",
    "ANTHROPIC_API_KEY": "sk-a",
    "OPENROUTER_API_KEY": "sk-r",
    "TYPESAFE_API_KEY": "sk-t",
}


@pytest.mark.parametrize(
    ("slug", "via", "found"),
    [
        ("openai/gpt-6", None, ("openai", "openai", "https://api.openai.com/v1", "gpt-6", "sk-o")),
        (
            "anthropic/claude",
            None,
            ("anthropic", "anthropic", "https://api.anthropic.com/v1", "claude", "sk-a"),
        ),
        (
            "typesafe/jev-1.13",
            None,
            ("typesafe", "systemone", "https://api.typesafe.ai/v1", "jev-1.13", "sk-t"),
        ),
        (
            "moonshotai/kimi",
            None,
            ("openrouter", "openai", "https://openrouter.ai/api/v1", "moonshotai/kimi", "sk-r"),
        ),
        (
            "openai/gpt-6",
            "openrouter",
            ("openrouter", "openai", "https://openrouter.ai/api/v1", "openai/gpt-6", "sk-r"),
        ),
        ("gpt-6", "openai", ("openai", "openai", "https://api.openai.com/v1", "gpt-6", "sk-o")),
        (
            "openai/luna",
            "openai_decisions",
            ("openai_decisions", "decisions", "https://api.openai.com/v1", "luna", "sk-o"),
        ),
        ("ollama/qwen3:4b", None, ("ollama", "openai", "http://127.0.0.1:11434/v1", "qwen3:4b", None)),
        ("vllm/org/model", None, ("vllm", "openai", "http://127.0.0.1:8000/v1", "org/model", None)),
        ("llamacpp/m", None, ("llamacpp", "openai", "http://127.0.0.1:8080/v1", "m", None)),
        ("echo/x", None, ("echo", "echo", "", "x", None)),
        ("local/smollm2", None, ("local", "local", "", "smollm2", None)),
        ("script/a test", None, ("script", "script", "", "a test", None)),
    ],
)
def test_u45_a_slug_finds_its_service(slug, via, found) -> None:
    # A key in the environment is what most people have; it is the last place that is looked at.
    chosen = choose(ModelChoice(slug, via), ALL)
    target = chosen.target
    key = target.key.reveal() if target.key else None
    assert (target.name, target.api, target.url, chosen.model, key) == found


def test_a_vendor_without_a_key_is_served_by_openrouter() -> None:
    chosen = choose(ModelChoice("openai/gpt-6"), {"OPENROUTER_API_KEY": "sk-r"})
    assert (chosen.target.name, chosen.model, chosen.vendor) == ("openrouter", "openai/gpt-6", "openai")


@pytest.mark.parametrize(
    ("slug", "via"), [("openai/gpt-6", None), ("openrouter/auto", "openrouter"), ("echo/x", None)]
)
def test_a_service_that_answers_itself_is_no_gateway(slug, via) -> None:
    assert choose(ModelChoice(slug, via), ALL).vendor is None


def test_a_decision_model_without_a_key_of_its_own_is_asked_in_its_own_format_there() -> None:
    chosen = choose(ModelChoice("typesafe/jev", kind="decision"), {"OPENROUTER_API_KEY": "sk-r"})
    assert (chosen.target.name, chosen.target.api, chosen.target.rounding) == ("openrouter", "systemone", 2)


@pytest.mark.parametrize(
    ("slug", "via", "why"),
    [
        ("openai/gpt-6", None, "looked for OPENAI_API_KEY and OPENROUTER_API_KEY"),
        ("moonshotai/kimi", None, r"looked for OPENROUTER_API_KEY\)"),
        ("openai/gpt-6", "openai", "set OPENAI_API_KEY"),
        ("openai/gpt-6", "opnai", "there is no provider 'opnai'"),
        ("gpt-6", None, "names no vendor"),
    ],
)
def test_u34_what_was_looked_for_is_said(slug, via, why) -> None:
    with pytest.raises(ConfigurationError, match=why) as caught:
        choose(ModelChoice(slug, via), {"OPENAI_API_KEY": "  "})
    assert caught.value.code == "model.unknown-provider"


def declared(**more) -> ProviderSettings:
    return ProviderSettings(**{"name": "mine", "api": "openai", "url": "http://localhost:8000/v1/", **more})


def test_a_declared_provider_wins_and_knows_the_slug_as_it_stands() -> None:
    settings = declared(
        key=FromEnv("MY_KEY"), headers=(("x-team", FromEnv("TEAM")), ("x-app", "judge")), rounding=3
    )
    chosen = choose(ModelChoice("org/model", "mine", provider=settings), {"MY_KEY": "k", "TEAM": "t"})
    target = chosen.target
    assert (target.name, target.url, chosen.model, target.rounding) == (
        "mine",
        "http://localhost:8000/v1",
        "org/model",
        3,
    )
    assert target.key.reveal() == "k"
    assert [(name, value.reveal()) for name, value in target.headers] == [("x-team", "t"), ("x-app", "judge")]


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(ConfigurationError, match="its url is read from LOCAL_URL, which is not set"):
        choose(ModelChoice("m", "mine", provider=declared(url=FromEnv("LOCAL_URL"))), {})


def test_an_unknown_api_is_named_with_those_there_are() -> None:
    with pytest.raises(
        ConfigurationError, match="no api 'grpc'; one of openai, anthropic, systemone, decisions"
    ):
        choose(ModelChoice("m", "mine", provider=declared(api="grpc")), {})


@pytest.mark.parametrize(
    "url",
    [
        "http://user:pass@host/v1",
        "http://host/v1?key=1",
        "http://host/v1#x",
        "ftp://host/v1",
        "host/v1",
        "",
        "http://host:99999/v1",
        "http:///v1",
        "http://host/v1?",
    ],
)
def test_u42_an_address_that_could_hold_a_key_or_is_none_is_refused(url) -> None:
    with pytest.raises(ConfigurationError, match="provider mine: its url") as caught:
        choose(ModelChoice("m", "mine", provider=declared(url=url)), {})
    assert caught.value.code == "model.bad-url"
    assert "pass" not in caught.value.message


@pytest.mark.parametrize("key", ["sk with space", "sk-\nnewline", "schlüssel"])
def test_a_key_that_cannot_be_one_is_refused_and_not_shown(key) -> None:
    with pytest.raises(ConfigurationError) as caught:
        choose(ModelChoice("m", "mine", provider=declared(key=key)), {})
    assert caught.value.code == "model.bad-key"
    assert key not in caught.value.message


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:1234", "http://127.0.0.1:1234/v1"),
        ("box:1234", "http://box:1234/v1"),
        ("https://box", "https://box/v1"),
        ("http://box:1/ollama/v1/", "http://box:1/ollama/v1"),
        ("[::1]:5", "http://[::1]:5/v1"),
    ],
)
def test_ollamas_variable_is_read_as_ollama_does(host, url) -> None:
    assert choose(ModelChoice("ollama/m"), {"OLLAMA_HOST": host}).target.url == url


@pytest.mark.parametrize(
    "host", ["[::1", "http://[::1", "127.0.0.1:99999", "http://127.0.0.1:abc", "ftp://x"]
)
def test_a_variable_that_holds_no_address_is_named_and_hides_no_other_service(host: str) -> None:
    environ = {"OLLAMA_HOST": host}
    with pytest.raises(ConfigurationError, match=r"ollama: its url \(OLLAMA_HOST\) is no http\(s\) address"):
        choose(ModelChoice("ollama/m"), environ)
    assert {found.name for found in survey(environ)} >= {"ollama", "openai"}


def test_the_models_settings_go_with_the_target() -> None:
    target = choose(ModelChoice("typesafe/j", retries=0, concurrency=3, timeout=9.0), ALL).target
    assert (target.retries, target.concurrency, target.timeout, target.rounding) == (0, 3, 9.0, 2)
    assert choose(ModelChoice("typesafe/j", rounding=4), ALL).target.rounding == 4


def test_equal_models_share_a_target() -> None:
    one, two = (choose(ModelChoice(f"openai/{model}"), ALL).target for model in "ab")
    assert one == two
    assert hash(one) == hash(two)
    assert choose(ModelChoice("openai/a", retries=1), ALL).target != one


def test_doctor_sees_what_is_there_and_what_would_open_the_rest() -> None:
    found = {service.name: service.missing for service in survey({"OPENAI_API_KEY": "k"})}
    assert (found["openai"], found["anthropic"], found["ollama"]) == (None, "ANTHROPIC_API_KEY", None)


def test_http_is_imported_only_where_a_service_is_opened() -> None:
    code = (
        "import sys, trio, judgeflow.runtime.connect, judgeflow.runtime.providers.script\n"
        "from judgeflow.runtime.providers.choose import choose\n"
        "from judgeflow.runtime.providers.open import open_provider\n"
        "from judgeflow.runtime.providers.settings import ModelChoice\n"
        "async def main(slug):\n"
        "    async with open_provider(choose(ModelChoice(slug), {}).target): pass\n"
        "    print(*sorted({'httpx', 'httpcore', 'h11'} & set(sys.modules)))\n"
        "trio.run(main, 'echo/x'); trio.run(main, 'ollama/x')"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines() == ["", "h11 httpcore httpx"]


def test_one_module_alone_knows_httpx() -> None:
    files = Path(package.__path__[0]).glob("*.py")
    knowing = {
        file.name
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if (
            isinstance(node, ast.Import | ast.ImportFrom)
            and {alias.name.partition(".")[0] for alias in node.names} & {"httpx", "httpcore", "h11"}
        )
        or (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").partition(".")[0] in {"httpx", "httpcore", "h11"}
        )
    }
    assert knowing == {"pool.py"}
