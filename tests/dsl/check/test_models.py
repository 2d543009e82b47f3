from __future__ import annotations

import pytest

HEAD = """\
model kimi "moonshotai/kimi-k2.6"
model jev  "typesafe/jev-1.13" { kind decision }
provider proxy { api openai  url env PROXY_URL  key env PROXY_KEY }
"""


@pytest.mark.parametrize(
    "text",
    [
        'model small "openai/gpt-6-mini" { temperature 0.2  max_tokens 200  price $0.25 in, $2 out  fallback [kimi] }',
        'model small "v/m" via openrouter { timeout 60s  retries 4  concurrency 16 }',
        'model small "v/m" via proxy { rounding 2  temperature 0 }',
        'model two "typesafe/two" { kind decision  fallback [jev] }',
        'provider mine { api anthropic  url "https://host/v1"  headers { "X-Team": "judges", Other: env OTHER } }',
        "provider ones { api systemone  url env URL  rounding 0 }",
    ],
)
def test_a_sound_model_or_provider_is_accepted(check, text) -> None:
    assert check(f"{HEAD}{text}\n").short == []


def test_a_slip_in_a_provider_means_a_provider_and_nothing_else(check) -> None:
    own = "provider own_host { api openai  url env URL }\nprovider others { api openai  url env URL }\n"
    assert check(f'{HEAD}{own}model it "v/m" via own_hots\n').only.help == "Did you mean `own_host`?"
    assert check(f'{HEAD}model it "v/m" via openruter\n').only.help == "Did you mean `openrouter`?"
    assert check(f'{HEAD}model own_host "v/n"\nmodel it "v/m" via own_hots\n').only.help.startswith(
        "Declare it"
    )


@pytest.mark.parametrize(
    ("text", "code", "at", "message"),
    [
        ('model it ""', "clause.missing", '""', "`it` names no model: its slug is blank"),
        (
            'model it "v/{{ m }}"',
            "text.not-a-template",
            "m",
            "A model's slug is not a template, so `{{ }}` cannot stand in it",
        ),
        ('model it "v/m" via nowhere', "model.unknown-provider", "nowhere", "There is no provider `nowhere`"),
        ('model it "v/m" via kimi', "model.unknown-provider", "kimi", "`kimi` is a model, not a provider"),
        ('model it "v/m" { kind decison }', "value.range", "decison", "There is no kind of model `decison`"),
        (
            'model it "v/m" { temperature 2.5 }',
            "value.range",
            "2.5",
            "`temperature` takes a number from 0 to 2, not 2.5",
        ),
        (
            'model it "v/m" { temperature -1 }',
            "value.range",
            "-1",
            "`temperature` takes a number from 0 to 2, not -1",
        ),
        (
            'model it "v/m" { max_tokens 0 }',
            "value.range",
            "0",
            "`max_tokens` takes a whole number from 1 to 1_000_000_000, not 0",
        ),
        (
            'model it "v/m" { max_tokens 1.5 }',
            "value.range",
            "1.5",
            "`max_tokens` takes a whole number from 1 to 1_000_000_000, not 1.5",
        ),
        (
            'model it "v/m" { concurrency 0 }',
            "value.range",
            "0",
            "`concurrency` takes a whole number from 1 to 1_000_000_000, not 0",
        ),
        (
            'model it "v/m" { retries 1e99 }',
            "value.range",
            "1e99",
            "`retries` takes a whole number from 0 to 100, not 1e99",
        ),
        (
            'model it "v/m" { timeout 0ms }',
            "value.range",
            "0ms",
            "`timeout` takes a time that is more than nothing",
        ),
        (
            'model it "v/m" { rounding 16 }',
            "value.range",
            "16",
            "`rounding` takes a whole number from 0 to 15, not 16",
        ),
        ('model it "v/m" { kind chat  kind chat }', "clause.duplicate", "kind", "`kind` stands twice"),
        ('model it "v/m" { fallback [it] }', "name.duplicate", "it", "`it` falls back on itself"),
        (
            'model it "v/m" { fallback [kimi, kimi] }',
            "name.duplicate",
            "kimi",
            "`it` falls back twice on `kimi`",
        ),
        ('model it "v/m" { fallback [kim] }', "name.unknown", "kim", "There is no model `kim`"),
        (
            'model it "v/m" { fallback [proxy] }',
            "name.unknown",
            "proxy",
            "`proxy` is a provider, not a model",
        ),
        (
            'model it "v/m" { fallback [jev] }',
            "model.wrong-kind",
            "jev",
            "`it` is a chat model and cannot fall back on jev, a decision model",
        ),
        (
            'model it "v/m" { kind decision  fallback ["v/n"] }',
            "model.wrong-kind",
            '"v/n"',
            "`it` is a decision model and cannot fall back on v/n, a chat model (a slug in quotes is one)",
        ),
        ("provider it { api opnai }", "model.unknown-provider", "opnai", "There is no interface `opnai`"),
        ("provider it { url env URL }", "clause.missing", "it", "`it` has no `api`"),
        (
            'provider it { api openai  url "host:8000" }',
            "value.range",
            '"host:8000"',
            "A URL starts with http:// or https://",
        ),
        (
            'provider it { api openai  headers { a: "x", A: "y" } }',
            "name.duplicate",
            'A: "y"',
            "The header `A` stands twice",
        ),
    ],
)
def test_what_is_wrong_with_a_model_or_provider(check, text, code, at, message) -> None:
    only = check(f"{HEAD}{text}\n").only
    assert (only.code, only.at, only.message) == (code, at, message)


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ('model it "v/m" via openruter', 'model it "v/m" via openrouter'),
        ('model it "v/m" via prxy', 'model it "v/m" via proxy'),
        ('model it "v/m" { kind decison }', 'model it "v/m" { kind decision }'),
        ("provider it { api opnai }", "provider it { api openai }"),
        ('model it "v/m" { fallback [kim] }', 'model it "v/m" { fallback [kimi] }'),
    ],
)
def test_a_slip_has_a_fix(check, text, fixed) -> None:
    assert check(HEAD + text).only.fixed == HEAD + fixed


def test_an_unknown_provider_is_shown_as_it_is_declared(check) -> None:
    assert check(f'{HEAD}model it "v/m" via acme\n').only.help == (
        'Declare it:\nprovider acme { api openai  url "https://…/v1"  key env ACME_API_KEY }'
    )
