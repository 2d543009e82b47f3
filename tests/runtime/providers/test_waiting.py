"""How long a service asks to wait, and what is done about it."""

from __future__ import annotations

from random import Random

import pytest

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.providers.failures import Failures
from judgeflow.runtime.providers.retry import Retries, RetryBudget, RetryPolicy
from judgeflow.runtime.providers.waiting import spoken, wait_asked

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "20"}, 20.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT"}, 30.0),
        ({"retry-after": "999999"}, 999_999.0),
        ({"retry-after-ms": "76"}, 0.076),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "0"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": "٣"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
        ({"x-ratelimit-reset-requests": "76ms", "x-ratelimit-reset-tokens": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-requests": "1h2m3.5s"}, 3723.5),
        ({"x-ratelimit-reset-requests": "1m30s", "retry-after": "2"}, 2.0),
        ({"x-ratelimit-reset-requests": "later"}, None),
        ({}, None),
    ],
)
def test_cases_075_to_078_what_a_service_asks_for(headers, seconds) -> None:
    assert wait_asked(headers, NOW) == seconds


def test_case_073_a_reset_inside_the_body_is_a_moment_in_milliseconds() -> None:
    told = {"headers": {"X-RateLimit-Reset": "1700000012000"}}
    assert wait_asked({}, NOW, told) == 12.0


@pytest.mark.parametrize(("seconds", "text"), [(300, "300 s"), (9000, "2.5 hours"), (999_999, "11.6 days")])
def test_a_wait_is_spoken_as_people_do(seconds, text) -> None:
    assert spoken(seconds) == text


def limited(retry_after=None, code="provider.rate-limited") -> ProviderError:
    return Failures("openai").make(code, status=429, retry_after=retry_after)


def retries(policy=None, budget=None) -> Retries:
    return Retries(policy or RetryPolicy(), budget or RetryBudget(), Failures("openai"), Random(3))


def test_case_075_nothing_is_sent_before_the_time_that_was_asked_for() -> None:
    delays = [retries().delay(limited(20.0), 1) for _ in range(50)]
    assert all(20.0 < delay <= 22.05 for delay in delays)


def test_case_076_without_a_usable_time_the_wait_grows_and_is_never_zero() -> None:
    several = retries(RetryPolicy(retries=9, base=0.5, cap=4.0))
    delays = [several.delay(limited(), attempt) for attempt in range(1, 7)]
    ceilings = [0.5, 1.0, 2.0, 4.0, 4.0, 4.0]
    assert all(ceiling / 2 <= delay <= ceiling for delay, ceiling in zip(delays, ceilings, strict=True))
    assert len(set(delays)) == len(delays)


def test_case_077_a_wait_of_days_fails_at_once_and_says_so() -> None:
    with pytest.raises(ProviderError, match=r"it asks to wait 11\.6 days, the limit is 300 s"):
        retries().delay(limited(999_999.0), 1)


def test_the_last_attempt_is_the_last() -> None:
    with pytest.raises(ProviderError) as caught:
        retries(RetryPolicy(retries=2)).delay(limited(), 3)
    assert caught.value.attempts == 3


def test_nonsense_is_asked_for_once_more_and_no_oftener() -> None:
    assert retries().delay(limited(code="provider.not-json"), 1) > 0
    with pytest.raises(ProviderError):
        retries().delay(limited(code="provider.not-json"), 2)


def test_a_spent_budget_ends_the_retries_of_all_calls() -> None:
    budget = RetryBudget(size=2)
    several = retries(budget=budget)
    assert [several.delay(limited(), 1) > 0 for _ in range(2)] == [True, True]
    with pytest.raises(ProviderError):
        several.delay(limited(), 1)
    for _ in range(5):
        budget.earn()
    assert several.delay(limited(), 1)
