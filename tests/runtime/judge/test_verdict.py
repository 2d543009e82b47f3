"""A gate's verdict: JSON fields, else the last marker in the judge's own words."""

from __future__ import annotations

import pytest

from judgeflow.runtime.judge.reading import VerdictReading, read_verdict

PASS_WORDS = ("pass", "passed", "ok")
BLOCK_WORDS = ("block", "blocked", "fail", "failed", "stop", "reject", "rejected", "halt")


def said(text: str) -> str | None:
    reading = read_verdict(text)
    assert reading.readable is (reading.verdict is not None)
    return reading.verdict


@pytest.mark.parametrize("word", PASS_WORDS)
def test_d55_words_that_pass(word: str) -> None:
    assert said(f"VERDICT: {word.upper()}") == "pass"
    assert said(f'{{"verdict": "{word.title()}"}}') == "pass"


@pytest.mark.parametrize("word", BLOCK_WORDS)
def test_d56_words_that_block(word: str) -> None:
    assert said(f"verdict: {word}") == "block"
    assert said(f'{{"verdict": " {word.upper()}. "}}') == "block"


@pytest.mark.parametrize(
    "word",
    ["okay", "passing", "halted", "blocker", "no", "deny", "PASSBLOCK", "O\u212a", "PA\u017fS", "\uff30ASS"],
)
def test_x05_any_other_word_is_unreadable(word: str) -> None:
    assert read_verdict(f"VERDICT: {word}") == VerdictReading(False)
    assert read_verdict(f'{{"verdict": "{word}"}}') == VerdictReading(False)


# --- JSON -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('{"continue": true}', "pass"),
        ('{"continue": false, "why": "thin"}', "block"),
        ('{"pass": true}', "pass"),
        ('{"pass": false}', "block"),
        ('{"verdict": "pass"}', "pass"),
        ('{"verdict": "BLOCK"}', "block"),
    ],
)
def test_d51_d52_d53_fields_say_the_verdict(text: str, verdict: str) -> None:
    assert said(text) == verdict
    assert said(f"I looked.\n```json\n{text}\n```\nDone.") == verdict
    assert said(f"I looked: {text} Done.") == verdict


@pytest.mark.parametrize(
    "shown", ["**pass**", "`pass`", "'pass'", "(pass)", "\u201cpass\u201d", "pass!", "\u200bpass\\n"]
)
def test_blanks_emphasis_and_punctuation_come_off_a_json_verdict(shown: str) -> None:
    assert said(f'{{"verdict": "{shown}"}}') == "pass"


@pytest.mark.parametrize(
    "shown", ["pass with care", "pass/fail", "no-pass", "not ok", "~~pass~~", "$pass", "p a s s", "...", ""]
)
def test_a_json_verdict_is_one_word(shown: str) -> None:
    assert said(f'{{"verdict": "{shown}"}}') is None


@pytest.mark.parametrize(
    "text",
    [
        '{"continue": true, "pass": false}',
        '{"pass": true, "verdict": "stop"}',
        '{"continue": false, "verdict": "ok"}',
    ],
)
def test_fields_that_contradict_each_other_are_unreadable(text: str) -> None:
    assert said(text) is None


def test_a_boolean_decides_beside_an_unknown_word() -> None:
    assert said('{"pass": false, "verdict": "could be better"}') == "block"
    assert said('{"continue": true, "verdict": "fine"}') == "pass"


@pytest.mark.parametrize("value", ["null", "0", "1", "[]", "true", '{"a": "block"}'])
def test_a_null_or_a_verdict_that_is_no_text_is_not_there(value: str) -> None:
    assert said(f'{{"verdict": {value}}}') is None
    assert said(f'{{"verdict": {value}}}\nVERDICT: HALT') == "block"


@pytest.mark.parametrize("value", ["1", "0", '"true"', "null"])
def test_only_true_and_false_are_booleans(value: str) -> None:
    assert said(f'{{"pass": {value}}}\nVERDICT: STOP') == "block"


def test_a_field_that_is_there_decides_readable_or_not() -> None:
    assert said('{"verdict": "perhaps"}\nVERDICT: PASS') is None
    assert said('{"verdict": "block"}\nVERDICT: PASS') == "block"
    assert said('{"note": "x"}\nVERDICT: PASS') == "pass"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('{"result": {"pass": true}}', None),
        ('{"Verdict": "pass"}', None),
        ('[{"verdict": "pass"}]', None),
        ('{"verdict": "pass"} {"verdict": "block"}', None),
        ('{"verdict": "pass"} {"verdict": "block"}\nVERDICT: BLOCK', "block"),
        ('{"verdict": "pass", "verdict": "block"}', None),
        ('{"verdict": "pass", "n": NaN}', None),
        ('{"verdict": "pass"', None),
    ],
)
def test_only_one_whole_object_has_fields(text: str, verdict: str | None) -> None:
    assert said(text) == verdict


# --- markers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "VERDICT: PASS",
        "verdict = Pass",
        "VERDICT=PASS",
        "VERDICT\uff1aPASS",
        "VERDICT : PASS",
        "VERDICT:\n\n  PASS",
        "VERDICT:\ufeff\u00a0PASS",
        "VERDICT: PASS.",
        "VERDICT: PASS - clean",
        "(VERDICT: PASS)",
        "VERDICT: PASS\u2014fine",
        "- VERDICT: PASS",
        "# VERDICT: PASS",
        "| VERDICT: PASS |",
        "<b>VERDICT: PASS</b>",
        "1) VERDICT: PASS\r\n",
    ],
)
def test_d58_colon_and_equals_separate_and_blanks_do_not_matter(text: str) -> None:
    assert said(text) == "pass"


@pytest.mark.parametrize(
    "text",
    [
        "VERDICT: **PASS**",
        "**VERDICT:** PASS",
        "**VERDICT**: __PASS__",
        "VERDICT: *_PASS_*",
        "VERDICT:**PASS",
        "VERDICT: `PASS`",
        'VERDICT: "PASS"',
        "VERDICT: 'PASS'",
        "VERDICT: \u201cPASS\u201d",
        "VERDICT: (PASS)",
        "VERDICT: [**PASS**]",
    ],
)
def test_u57_emphasis_and_one_pair_around_the_word_are_tolerated(text: str) -> None:
    assert said(text) == "pass"


@pytest.mark.parametrize(
    "text",
    [
        "VERDICT - PASS",
        "VERDICT is PASS",
        "VERDICT:: PASS",
        "VERDICT==PASS",
        "VERDICT\n: PASS",
        "VERDICT; PASS",
        "PASS",
        "PRE-VERDICT: PASS",
        "OVERDICT: PASS",
        "MY_VERDICT: PASS",
        "VERDICTS: PASS",
        "VERDICT's: PASS",
        "VERD\u0131CT: PASS",
        "VERDICT: NOT PASS",
        "VERDICT: <PASS>",
        "VERDICT: {PASS}",
        "VERDICT: ((PASS))",
        "VERDICT: (PASS",
        "VERDICT: # PASS",
        "VERDICT: PASS-ish",
        "VERDICT: PASS\u2011ish",
        "VERDICT: OK'd",
        "VERDICT: PASS**ED**",
        "VERDICT: PASS\u0301",
        "VERDICT: PASS\u6ca1",
        "VERDICT:",
        "VERDICT: PA\u200bSS",
        "",
        " \n",
        "Fine, I think.",
    ],
)
def test_d59_what_is_no_marker_is_unreadable(text: str) -> None:
    assert said(text) is None


def test_d57_the_last_marker_wins() -> None:
    assert said("VERDICT: PASS\nVERDICT: halt") == "block"
    assert said("verdict: block VERDICT=ok") == "pass"


def test_the_last_label_decides_even_where_nothing_can_be_read() -> None:
    assert said("VERDICT: PASS\nVERDICT: undecided") is None
    assert said("VERDICT: PASS\nVERDICT:") is None
    assert said("VERDICT: undecided\nVERDICT: PASS") == "pass"


@pytest.mark.parametrize(
    "text",
    [
        "PASS or BLOCK",
        "PASS/BLOCK",
        "PASS | FAIL",
        "**PASS** or **BLOCK**",
        "BLOCK, PASS",
        "PASS and BLOCK",
        "PASS -> STOP",
        '"PASS" or "BLOCK"',
        "PASS or OK or BLOCK",
        "PASS (or BLOCK)",
        "PASS vs. BLOCK",
        "PASS--BLOCK",
    ],
)
def test_two_words_are_no_choice(text: str) -> None:
    assert said(f"VERDICT: {text}") is None


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("BLOCK/FAIL", "block"),
        ("OK or PASSED", "pass"),
        ("BLOCK or rewrite it", "block"),
        ("BLOCK - pass rate is too low", "block"),
        ("PASS and block nothing", "pass"),
        ("PASS, not BLOCK", "pass"),
    ],
)
def test_a_second_word_that_is_no_other_choice_changes_nothing(text: str, verdict: str) -> None:
    assert said(f"VERDICT: {text}") == verdict
