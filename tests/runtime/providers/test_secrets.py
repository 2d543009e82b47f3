"""A key reaches the service and nobody else."""

from __future__ import annotations

import logging
import traceback

import pytest

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.providers.choose import choose, survey
from judgeflow.runtime.providers.failures import Failures
from judgeflow.runtime.providers.settings import FromEnv, ModelChoice, ProviderSettings, Secret


def everything(error: BaseException) -> str:
    return "\n".join([repr(error), str(error), repr(vars(error)), "".join(traceback.format_exception(error))])


@pytest.mark.parametrize("api", ["openai", "anthropic"])
@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
async def test_a_key_that_a_service_repeats_reaches_no_error_event_or_log(kit, api, status, caplog) -> None:
    echoed = {
        "error": {
            "message": f"Incorrect API key provided: {kit.KEY}, header Bearer {kit.KEY}",
            "code": status,
        }
    }
    told: list[str] = []
    clock = kit.clockwork(on_retry=lambda *what: told.append(repr(what) + everything(what[2])))
    caplog.set_level(logging.DEBUG)
    own = (("x-team", Secret("team-secret-1")),)
    async with kit.provider(kit.answers(echoed, status), api=api, clock=clock, headers=own) as (
        provider,
        server,
    ):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    sent = server.requests[0].headers
    assert sent["x-team"] == "team-secret-1"
    assert kit.KEY in (sent.get("authorization", "") + sent.get("x-api-key", ""))
    shown = everything(caught.value) + "".join(told) + caplog.text + repr(provider) + repr(clock)
    assert kit.KEY not in shown
    assert "team-secret-1" not in shown


async def test_a_page_that_repeats_the_key_does_not_show_it(kit) -> None:
    async with kit.provider(kit.answers(f"<html>{kit.KEY}</html>", type="text/html"), retries=0) as (
        provider,
        _,
    ):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert "<html><key></html>" in caught.value.message
    assert kit.KEY not in everything(caught.value)


@pytest.mark.parametrize("before", range(150, 210, 3))
@pytest.mark.parametrize("blank", ["x", " "])
async def test_a_key_is_not_shown_by_half_where_a_text_is_shortened(kit, before, blank) -> None:
    for status in (200, 400):
        page = kit.answers(f"<{blank * before}{kit.KEY}" + "y" * 300, status, type="text/html")
        async with kit.provider(page, retries=0) as (provider, _):
            with pytest.raises(ProviderError) as caught:
                await provider.chat(kit.asks())
        assert kit.KEY[:11] not in everything(caught.value)


def test_keys_that_are_not_ours_are_hidden_too() -> None:
    hidden = Failures("openai").redact(
        "Incorrect API key provided: sk-proj-****abcd. Authorization: Bearer abc.def"
    )
    assert hidden == "Incorrect API key provided: <key>. Authorization: <key>"


def test_settings_and_targets_show_no_key(kit) -> None:
    settings = ProviderSettings("p", "openai", "http://h/v1", kit.KEY, (("x", kit.KEY),))
    chosen = choose(ModelChoice("m", via="p", provider=settings), {})
    found = choose(ModelChoice("openai/m"), {"OPENAI_API_KEY": kit.KEY})
    assert chosen.target.key.reveal() == kit.KEY
    shown = repr(settings) + repr(chosen) + repr(found) + repr(survey({"OPENAI_API_KEY": kit.KEY}))
    assert kit.KEY not in shown + repr(ModelChoice("m", provider=settings)) + str(Secret(kit.KEY))
    assert FromEnv("KEY").name == "KEY"


async def test_a_prompt_reaches_no_error(kit) -> None:
    async with kit.provider(kit.answers({"error": {"message": "no"}}, 400)) as (provider, _):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks("the secret plan"))
    assert "the secret plan" not in repr(caught.value) + str(caught.value) + repr(vars(caught.value))
