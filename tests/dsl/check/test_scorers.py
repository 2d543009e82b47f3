from __future__ import annotations

import pytest

TYPE = 'type ApiResponse { status: text }\nlet word = "x"\n'


@pytest.mark.parametrize(
    "scorer",
    [
        'contains "\\"status\\""',
        'not contains "{{ word }}"',
        'equals "PASS"',
        'regex r\'"status"\\s*:\\s*"success"\'',
        'not regex r"(?i)error"',
        'regex "{{ word }}("',
        "schema ApiResponse",
        'schema r\'{"type": "object", "required": ["status"]}\'',
        "schema r'true'",
        "length 50..5000",
        "length ..80",
        "length 1..",
        "length 0..0",
        'compiles "python"',
        'compiles "typescript"',
    ],
)
def test_a39_the_six_kinds_of_scorers(check, scorer) -> None:
    assert check(f"{TYPE}scorer it {scorer}\n").short == []


@pytest.mark.parametrize(
    ("scorer", "code", "at", "message"),
    [
        (
            'regex r"(?<=a)b"',
            "scorer.bad-pattern",
            'r"(?<=a)b"',
            "This pattern cannot be used: invalid perl operator: (?<=",
        ),
        ('not regex r"a("', "scorer.bad-pattern", 'r"a("', "This pattern cannot be used: missing ): a("),
        ("schema ApiRespnse", "name.unknown", "ApiRespnse", "There is no type `ApiRespnse`"),
        (
            "schema r'{\"type\": '",
            "scorer.bad-schema",
            "r'{\"type\": '",
            "This schema is not JSON: Expecting value: line 1 column 10 (char 9)",
        ),
        ("schema r'3'", "scorer.bad-schema", "r'3'", "A schema is an object, `true` or `false`"),
        (
            "length 10..5",
            "scorer.empty-range",
            "10..5",
            "No text has at least 10 and at most 5 characters",
        ),
        ("length -1..5", "scorer.empty-range", "-1..5", "A text never has -1 characters"),
        ("length ..", "scorer.empty-range", "..", "A length has at least one end"),
        (
            "length 1.5..",
            "scorer.empty-range",
            "1.5..",
            "Characters are counted in whole numbers, not 1.5",
        ),
        ('compiles "ruby"', "scorer.bad-language", '"ruby"', 'There is no compiler for "ruby" here'),
        ('contains "{{ wrod }}"', "name.unknown", "wrod", "`wrod` is not known here"),
    ],
)
def test_a41_a42_a43_a44_what_can_never_score_is_found(check, scorer, code, at, message) -> None:
    only = check(f"{TYPE}scorer it {scorer}\n").only
    assert (only.code, only.at, only.message) == (code, at, message)


def test_a_schema_is_held_against_the_meta_schema_and_nothing_is_fetched(check) -> None:
    for schema in ('{"type": 3}', '{"$ref": "https://example.com/schema.json"}'):
        assert [code for code, _ in check(f"scorer it schema r'{schema}'\n").short] == ["scorer.bad-schema"]


def test_looking_around_is_named(check) -> None:
    only = check('scorer it regex r"(?!a)b"\n').only
    assert only.help == (
        "Patterns are matched in linear time, and looking ahead (`(?!`) cannot be. "
        "Use two rules or scorers, one of them with `not`."
    )


@pytest.mark.parametrize(
    ("written", "meant"), [("js", "javascript"), ("pyton", "python"), ("ts", "typescript")]
)
def test_a_slip_of_a_language_has_a_fix(check, written, meant) -> None:
    assert check(f'scorer it compiles "{written}"\n').only.fixed == f'scorer it compiles "{meant}"\n'
