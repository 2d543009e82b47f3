"""Every way in which a service can fail, on a real socket: its name, and whether it is asked again."""

from __future__ import annotations

import gzip
import socket
import traceback
from pathlib import Path

import pytest
import trio

from judgeflow.runtime.judge.errors import ConfigurationError, ProviderError
from judgeflow.runtime.judge.protocol import DecisionQuestion
from judgeflow.runtime.providers.failures import FAILURES, Again, Failures
from judgeflow.runtime.providers.open import open_provider
from judgeflow.runtime.providers.settings import Secret, Timing


async def failing(provider, request) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await provider.chat(request)
    return caught.value


async def fault(kit, *plays, retries: int = 2, **more):
    """The error that comes of it, and how many requests were sent."""
    async with kit.provider(*plays, retries=retries, **more) as (provider, server):
        error = await failing(provider, kit.asks())
        assert error.attempts == len(server.requests)
        return error, len(server.requests)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


async def test_a_service_that_is_not_there_is_refused_and_asked_again(kit) -> None:
    target = kit.target(f"http://127.0.0.1:{free_port()}/v1", retries=2)
    async with open_provider(target, kit.clockwork()) as provider:
        error = await failing(provider, kit.asks())
    assert (error.code, error.attempts, error.retryable) == ("provider.refused", 3, True)
    assert "nothing listens at its address" in error.message


async def test_an_unknown_host_is_named_and_not_asked_again(kit) -> None:
    async with open_provider(kit.target("http://no-such-host.invalid/v1"), kit.clockwork()) as provider:
        error = await failing(provider, kit.asks())
    assert error.code in ("provider.dns", "provider.dns-busy")
    assert "no-such-host.invalid" in error.message


async def test_a_server_without_tls_behind_https_is_a_tls_failure(kit) -> None:
    async with kit.serving(kit.answers({})) as server:
        target = kit.target(f"https://127.0.0.1:{server.port}/v1", retries=0)
        async with open_provider(target, kit.clockwork()) as provider:
            error = await failing(provider, kit.asks())
    assert (error.code, error.attempts, error.retryable) == ("provider.tls", 1, False)


async def test_a_server_that_never_shakes_hands_is_no_connection_in_time(kit) -> None:
    async def deaf(_) -> None:
        await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, deaf, listeners)
        url = f"https://127.0.0.1:{listeners[0].socket.getsockname()[1]}/v1"
        clock = kit.clockwork(timing=Timing(connect=0.1))
        async with open_provider(kit.target(url, retries=0), clock) as provider:
            error = await failing(provider, kit.asks())
            # A call that is cancelled in the middle of it leaves nothing behind.
            with trio.move_on_after(0.03) as scope:
                await provider.chat(kit.asks())
        nursery.cancel_scope.cancel()
    assert (error.code, error.retryable, scope.cancelled_caught) == ("provider.connect-timeout", True, True)
    assert "0.1 s" in error.message


async def test_an_address_that_is_none_is_an_error_before_any_call(kit) -> None:
    with pytest.raises(ConfigurationError) as caught:
        async with open_provider(kit.target("http://1.2.3.400/v1"), kit.clockwork()):
            pass
    assert caught.value.code == "model.bad-url"


async def test_a_header_that_cannot_be_sent_is_named_and_never_shown(kit) -> None:
    own = (("x-team", Secret("team\nsecret")),)
    async with kit.provider(kit.answers(kit.said("ok")), headers=own) as (provider, server):
        error = await failing(provider, kit.asks())
    assert (error.code, error.attempts, server.requests) == ("provider.bad-request", 1, [])
    assert "secret" not in "".join(traceback.format_exception(error))


async def test_a_reset_before_an_answer_is_asked_again(kit) -> None:
    async def reset(_, wire) -> None:
        wire.reset()

    async with kit.provider(reset, kit.answers(kit.said("ok"))) as (provider, server):
        reply = await provider.chat(kit.asks())
    assert (reply.text, len(server.requests), reply.usage.incomplete) == ("ok", 2, True)


async def test_no_first_byte_in_time_is_a_slow_start(kit) -> None:
    async def silent(_, wire) -> None:
        await wire.sleep(5)

    error, sent = await fault(kit, silent, retries=1, clock=kit.impatient())
    assert (error.code, sent) == ("provider.slow-start", 2)
    assert "0.15 s" in error.message


async def test_a_stalled_stream_is_given_up_after_the_idle_time(kit) -> None:
    async def stall(_, wire) -> None:
        await wire.send(kit.HEAD_OF_A_STREAM + kit.chunk(kit.event(kit.delta("half an"))))
        await wire.sleep(5)

    error, sent = await fault(kit, stall, retries=1, clock=kit.impatient())
    assert (error.code, sent) == ("provider.stalled", 2)
    assert error.usage.incomplete


async def test_between_two_parts_of_a_stream_the_idle_time_counts(kit) -> None:
    async def stall(_, wire) -> None:
        await wire.sleep(0.15)
        await wire.send(kit.HEAD_OF_A_STREAM + kit.chunk(kit.event(kit.delta("half an"))))
        await wire.until_closed()

    clock = kit.clockwork(timing=Timing(first_byte=5, idle=0.1))
    with trio.fail_after(20):
        error, _ = await fault(kit, stall, retries=0, clock=clock)
    assert error.code == "provider.stalled"
    assert "0.1 s" in error.message


async def test_an_error_within_a_stream_that_goes_on_is_told_at_once(kit) -> None:
    async def told(_, wire) -> None:
        error = kit.event({"error": {"message": "no", "code": 400}})
        await wire.send(kit.HEAD_OF_A_STREAM + kit.chunk(error))
        await wire.until_closed()

    with trio.fail_after(20):
        error, _ = await fault(kit, told, retries=0)
    assert error.code == "provider.bad-request"


async def test_case_107_a_long_stream_that_keeps_coming_is_never_too_slow(kit) -> None:
    async def slow(_, wire) -> None:
        await wire.send(kit.HEAD_OF_A_STREAM)
        for _ in range(5):
            await wire.sleep(0.09)
            await wire.send(kit.chunk(kit.event(kit.delta("a"))))
        await wire.send(kit.chunk(kit.event(kit.delta("", "stop"))) + b"0\r\n\r\n")

    clock = kit.clockwork(timing=Timing(first_byte=0.4, idle=0.4))
    async with kit.provider(slow, clock=clock) as (provider, _):
        assert (await provider.chat(kit.asks())).text == "aaaaa"


async def test_a_stream_cut_before_its_finish_reason_is_asked_again(kit) -> None:
    cut = kit.streams(kit.delta("half an"), done=False, end=False)
    async with kit.provider(cut, kit.answers(kit.said("whole"))) as (provider, server):
        reply = await provider.chat(kit.asks())
    assert (reply.text, len(server.requests)) == ("whole", 2)


async def test_a_stream_that_ends_cleanly_without_a_finish_reason_is_cut_too(kit) -> None:
    error, sent = await fault(kit, kit.streams(kit.delta("half an"), done=False))
    assert (error.code, sent) == ("provider.cut", 3)


async def test_a_stream_cut_after_its_finish_reason_is_whole(kit) -> None:
    cut = kit.streams(kit.delta("whole"), kit.delta(None, "stop"), done=False, end=False)
    async with kit.provider(cut) as (provider, server):
        reply = await provider.chat(kit.asks())
    assert (reply.text, reply.usage.output_tokens, len(server.requests)) == ("whole", None, 1)


async def test_case_084_a_body_that_stops_early_is_a_connection_fault_and_its_cost_is_incomplete(kit) -> None:
    async def early(_, wire) -> None:
        await wire.send(kit.http(b'{"choices":[{"mess', declared=500))
        wire.close()

    async with kit.provider(early, kit.answers(kit.said("ok"))) as (provider, server):
        reply = await provider.chat(kit.asks())
    assert (reply.text, len(server.requests)) == ("ok", 2)
    assert (reply.usage.input_tokens, reply.usage.incomplete) == (3, True)


async def test_json_that_ends_too_soon_is_asked_for_once_more(kit) -> None:
    error, sent = await fault(kit, kit.answers('{"choices": [{"mess'))
    assert (error.code, sent) == ("provider.not-json", 2)


async def test_a_page_instead_of_json_is_named_with_its_first_words(kit) -> None:
    error, sent = await fault(kit, kit.answers("<html><title>Welcome</title></html>", type="text/html"))
    assert (error.code, sent) == ("provider.not-json", 2)
    assert "<html><title>Welcome" in error.message


async def test_case_082_a_page_with_502_is_a_502(kit) -> None:
    page = kit.answers("<html><title>502 Bad Gateway</title></html>" + "x" * 900, 502, type="text/html")
    async with kit.provider(page, kit.answers(kit.said("ok"))) as (provider, _):
        assert (await provider.chat(kit.asks())).text == "ok"
    error, sent = await fault(kit, page)
    assert (error.status, error.code, sent) == (502, "provider.upstream", 3)
    assert "502 Bad Gateway" in error.message
    assert len(error.message) < 320


async def test_what_is_not_http_is_said_to_be_none(kit) -> None:
    async def ssh(_, wire) -> None:
        await wire.send(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")

    error, sent = await fault(kit, ssh)
    assert (error.code, sent) == ("provider.not-http", 1)


async def test_case_072_an_error_inside_a_200_has_the_status_of_its_code(kit) -> None:
    limited = kit.answers({"error": {"code": 429, "message": "Rate limit exceeded: free-models-per-day"}})
    inner = {
        "finish_reason": "error",
        "error": {"code": 502, "message": "upstream"},
        "message": {"content": ""},
    }
    error, sent = await fault(kit, limited)
    assert (error.code, error.status, sent) == ("provider.rate-limited", 429, 3)
    assert "free-models-per-day" in error.message
    error, sent = await fault(kit, kit.answers({"choices": [inner]}))
    assert (error.code, error.status, sent) == ("provider.upstream", 502, 3)


async def test_case_073_an_error_inside_a_stream_waits_for_the_reset_it_names(kit) -> None:
    reset = {"headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000000100"}}
    told = {"error": {"message": "Rate limit exceeded", "code": 429, "metadata": reset}}
    waits: list[float] = []
    clock = kit.clockwork(on_retry=lambda _, delay, __: waits.append(delay))
    async with kit.provider(kit.streams(told), kit.answers(kit.said("ok")), clock=clock) as (provider, _):
        assert (await provider.chat(kit.asks())).text == "ok"
    assert 0.1 <= waits[0] < 0.12


@pytest.mark.parametrize(
    ("body", "code", "sent"),
    [
        ({"choices": []}, "provider.no-choices", 2),
        ({}, "provider.no-choices", 2),
        ({"choices": [{"finish_reason": "stop", "message": {"content": None}}]}, "provider.no-content", 2),
        (
            {"choices": [{"finish_reason": "content_filter", "message": {"content": "x"}}]},
            "provider.content-filter",
            1,
        ),
        ({"choices": [{"finish_reason": "length", "message": {"content": "half an"}}]}, "provider.length", 1),
        ({"choices": [{"message": {"content": "half an"}}]}, "provider.cut", 3),
    ],
)
async def test_an_answer_that_is_none_is_named(kit, body, code, sent) -> None:
    error, requests = await fault(kit, kit.answers(body))
    assert (error.code, requests) == (code, sent)


@pytest.mark.parametrize("content", ["", None])
async def test_cases_091_and_092_a_refusal_is_a_refusal_whatever_stands_beside_it(kit, content) -> None:
    refused = kit.said(content, message={"refusal": "I can't help with that."})
    error, sent = await fault(kit, kit.answers(refused))
    assert (error.code, sent) == ("provider.refusal", 1)
    assert "I can't help with that." in error.message
    assert (error.usage.input_tokens, error.usage.output_tokens) == (3, 1)


@pytest.mark.parametrize(
    ("status", "body", "code", "sent"),
    [
        (400, {"error": {"message": "bad", "type": "invalid_request_error"}}, "provider.bad-request", 1),
        (400, {"error": {"message": "m", "code": "context_length_exceeded"}}, "provider.context-limit", 1),
        (400, {"error": {"message": "maximum context length is 8192 tokens"}}, "provider.context-limit", 1),
        (400, {"error": {"type": "exceed_context_size_error", "message": "m"}}, "provider.context-limit", 1),
        (400, {"error": {"code": "content_filter", "message": "m"}}, "provider.content-filter", 1),
        (401, {"error": {"message": "no"}}, "provider.authentication", 1),
        (402, {"error": {"message": "pay"}}, "provider.quota", 1),
        (403, {"error": {"message": "no"}}, "provider.forbidden", 1),
        (404, {"error": {"message": "The model `m` does not exist"}}, "provider.no-model", 1),
        (408, {}, "provider.request-timeout", 3),
        (409, {}, "provider.conflict", 3),
        (413, {}, "provider.request-too-large", 1),
        (422, {"detail": "no"}, "provider.bad-request", 1),
        (429, {"error": {"message": "slow down"}}, "provider.rate-limited", 3),
        (500, {}, "provider.server-error", 3),
        (502, {}, "provider.upstream", 3),
        (503, {}, "provider.overloaded", 3),
        (504, {}, "provider.upstream", 3),
        (529, {}, "provider.overloaded", 3),
    ],
)
async def test_a_status_is_named_and_asked_again_only_where_that_may_help(
    kit, status, body, code, sent
) -> None:
    error, requests = await fault(kit, kit.answers(body, status))
    assert (error.code, error.status, requests) == (code, status, sent)
    assert error.retryable == (sent > 1)


async def test_case_080_an_account_without_credit_is_asked_once_and_then_left_alone(kit) -> None:
    told = {
        "message": "You have no credits remaining",
        "type": "insufficient_quota",
        "code": "credit_balance_exhausted",
    }
    async with kit.provider(kit.answers({"error": told}, 429), retries=4) as (provider, server):
        error = await failing(provider, kit.asks())
        assert (error.code, len(server.requests)) == ("provider.quota", 1)
        assert "quota or billing" in error.message
        error = await failing(provider, kit.asks())
        assert (error.code, len(server.requests)) == ("provider.circuit-open", 1)
        assert "no credits remaining" in error.message


async def test_case_087_an_overload_is_waited_out(kit) -> None:
    told = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    overloaded = kit.answers(told, 529)
    attempts: list[int] = []
    clock = kit.clockwork(on_retry=lambda _, __, error: attempts.append(error.attempts))
    plays = (overloaded, overloaded, overloaded, kit.answers(kit.said("ok")))
    async with kit.provider(*plays, clock=clock, retries=4) as (provider, server):
        assert (await provider.chat(kit.asks())).text == "ok"
    assert (attempts, len(server.requests)) == ([1, 2, 3], 4)


async def test_a_wait_that_the_head_asks_for_is_kept_though_the_rest_never_comes(kit) -> None:
    async def limited(_, wire) -> None:
        await wire.send(kit.http(b"", 429, headers={"retry-after": "900"}, declared=50))
        await wire.until_closed()

    error, sent = await fault(kit, limited, clock=kit.impatient())
    assert (error.code, error.retry_after, sent) == ("provider.rate-limited", 900.0, 1)


async def test_a_redirect_is_never_followed_and_the_key_goes_nowhere(kit) -> None:
    async with kit.serving(kit.answers(kit.said("stolen"))) as other:
        moved = kit.answers("", 307, headers={"location": f"{other.url}/chat/completions?token=t"})
        error, sent = await fault(kit, moved)
    assert (error.code, error.status, sent, other.requests) == ("provider.redirect", 307, 1, [])
    assert "set the url to that" in error.message
    assert "token" not in error.message


async def test_u42_a_gzip_bomb_is_stopped_as_it_unfolds(kit) -> None:
    bomb = gzip.compress(b" " * 9_000_000)
    async with kit.provider(kit.answers(bomb, headers={"content-encoding": "gzip"}), api="systemone") as (
        provider,
        server,
    ):
        with pytest.raises(ProviderError) as caught:
            await provider.decide(kit.decides(DecisionQuestion("q", "condition", "Is it?")))
    assert (caught.value.code, len(server.requests)) == ("provider.too-large", 1)
    assert "8,388,608 bytes" in caught.value.message


async def test_a_compressed_answer_is_read_all_the_same(kit) -> None:
    packed = gzip.compress(b'{"choices":[{"finish_reason":"stop","message":{"content":"ok"}}]}')
    async with kit.provider(kit.answers(packed, headers={"content-encoding": "gzip"})) as (provider, _):
        assert (await provider.chat(kit.asks())).text == "ok"


async def test_an_encoding_that_nobody_asked_for_is_named(kit) -> None:
    error, sent = await fault(kit, kit.answers(b"\x1b\x00", headers={"content-encoding": "br"}))
    assert (error.code, sent) == ("provider.bad-encoding", 1)


async def test_u44_the_time_allowed_covers_every_attempt(kit) -> None:
    async def silent(_, wire) -> None:
        await wire.sleep(5)

    async with kit.provider(silent, retries=9, clock=kit.impatient()) as (provider, server):
        started = trio.current_time()
        error = await failing(provider, kit.asks(timeout=0.3))
    assert error.code == "provider.timeout"
    # Ten attempts would take a second and more.
    assert 1 <= len(server.requests) < 5
    assert trio.current_time() - started < 0.9


async def test_u44_a_caller_who_cancelled_sees_the_cancellation_and_nothing_is_sent_again(kit) -> None:
    async def silent(_, wire) -> None:
        await wire.until_closed()

    async with kit.provider(silent) as (provider, server):
        with trio.move_on_after(0.05) as scope:
            await provider.chat(kit.asks(timeout=5))
        await trio.sleep(0.05)
        assert (scope.cancelled_caught, len(server.requests), server.open) == (True, 1, 0)


@pytest.mark.parametrize(
    ("status", "value", "least", "most"),
    [
        (429, "0.2", 0.2, 0.3),
        (503, "0.2", 0.2, 0.3),
        (529, "0.2", 0.2, 0.3),
        (408, "0.2", 0.2, 0.3),
        (409, "0.2", 0.2, 0.3),
        # The clock of these tests stands at 22:13:20.
        (429, "Tue, 14 Nov 2023 22:13:21 GMT", 1.0, 1.2),
        (429, "Tuesday, 14-Nov-23 22:13:21 GMT", 1.0, 1.2),
        (429, "Tue, 14 Nov 2023 22:00:00 GMT", 0.0, 0.02),
        (429, "soon", 0.0, 0.02),
        (429, "-5", 0.0, 0.02),
        (429, "", 0.0, 0.02),
        (429, "1e9", 0.0, 0.02),
        (429, "nan", 0.0, 0.02),
        (429, "99999999999999999999999", 0.0, 0.02),
        (500, "0", 0.0, 0.02),
    ],
)
async def test_cases_075_076_what_retry_after_asks_for_on_a_socket(kit, status, value, least, most) -> None:
    waits: list[float] = []
    clock = kit.clockwork(on_retry=lambda _, delay, __: waits.append(delay))
    limited = kit.answers({"error": {"message": "m"}}, status, headers={"retry-after": value})
    async with kit.provider(limited, kit.answers(kit.said("ok")), clock=clock) as (provider, server):
        with trio.move_on_after(10 if most < 0.4 else 0.2):
            await provider.chat(kit.asks())
    assert len(waits) == 1
    assert least <= waits[0] <= most
    assert len(server.requests) == (2 if most < 0.4 else 1)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("999999", "11.6 days"),
        ("3600", "3600 s"),
        ("Wed, 15 Nov 2023 22:13:20 GMT", "24.0 hours"),
        ("Thu, 31 Dec 2099 23:59:59 GMT", "days"),
    ],
)
async def test_case_077_a_huge_retry_after_is_told_and_not_slept_through(kit, value, said) -> None:
    limited = kit.answers({"error": {"message": "m"}}, 429, headers={"retry-after": value})
    with trio.fail_after(20):
        error, sent = await fault(kit, limited)
    assert (error.code, sent) == ("provider.rate-limited", 1)
    assert said in error.message
    assert "the limit is 300 s" in error.message


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "You exceeded your current quota", "type": "insufficient_quota"}},
        {"error": {"message": "m", "code": "billing_hard_limit_reached"}},
        {"error": {"message": "Your credit balance is too low to access the API"}},
    ],
)
@pytest.mark.parametrize("status", [400, 402, 403, 429])
async def test_a_spent_quota_is_no_rate_limit_whatever_status_it_comes_with(kit, body, status) -> None:
    error, sent = await fault(kit, kit.answers(body, status, headers={"retry-after": "1"}))
    assert (error.code, error.retryable, sent) == ("provider.quota", False, 1)


async def test_a_reset_within_a_stream_is_a_cut_answer_and_asked_again(kit) -> None:
    async def reset(_, wire) -> None:
        await wire.send(kit.HEAD_OF_A_STREAM + kit.chunk(kit.event(kit.delta("half an"))))
        await wire.sleep(0.02)
        wire.reset()

    async with kit.provider(reset, kit.answers(kit.said("whole"))) as (provider, server):
        reply = await provider.chat(kit.asks())
    assert (reply.text, len(server.requests), reply.usage.incomplete) == ("whole", 2, True)


async def test_a_redirect_to_what_is_no_address_is_told_like_any_other(kit) -> None:
    error, _ = await fault(kit, kit.answers("", 307, headers={"location": "http://[::1"}))
    assert (error.code, error.status) == ("provider.redirect", 307)
    assert "to no address" in error.message


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed_not_even_to_the_same_host(kit, status) -> None:
    moved = kit.answers("", status, headers={"location": "/v2/chat/completions"})
    error, sent = await fault(kit, moved)
    assert (error.code, error.status, sent) == ("provider.redirect", status, 1)
    assert "/v2/chat/completions" in error.message


@pytest.mark.parametrize("code", sorted(FAILURES))
def test_every_failure_has_a_class_a_code_and_a_message_of_its_own(code) -> None:
    others = [failure.text for name, failure in FAILURES.items() if name != code]
    error = Failures("p").make(code)
    assert (type(error), error.code) == (ProviderError, code)
    assert error.message == f"p: {FAILURES[code].text}"
    assert FAILURES[code].text not in others


def test_every_code_stands_in_the_guide_with_what_it_means() -> None:
    guide = (Path(__file__).parents[3] / "docs/guides/providers.md").read_text(encoding="utf-8")
    again = {Again.NEVER: "no", Again.ONCE: "once", Again.LATER: "yes"}
    for code, failure in FAILURES.items():
        assert f"| `{code}` | {failure.text} | {again[failure.again]} |" in guide
