from __future__ import annotations

import pytest

HEAD = """\
model small "openai/gpt-6-mini"
type Report { score: int  text: text }
agent reviewer { model small }
agent scorer_agent -> Report { model small }
agent pair(a: text, b: text) { model small }
agent critic(draft: text) { model small }
judge polite { model small  rate "politeness" }
judge tongue(reply: text, name: text) { model small  rate "{{ name }}" }
judge asks { model small  ask "PASS?" }
code judge scored(reply: Report) { require reply.score > 1 else "x" }
scorer has_x contains "x"
scorer no_y not contains "y"
"""


def gate(*clauses: str, head: str = "(input)") -> str:
    return f"{HEAD}gate it{head} {{ {'  '.join(clauses)} }}\n"


@pytest.mark.parametrize(
    "clauses",
    [
        pytest.param(("scorers { has_x  no_y }",), id="a45_all_is_the_default"),
        pytest.param(("scorers { has_x  no_y }", "combine any"), id="any"),
        pytest.param(
            ('scorers { has_x weight 0.2  regex r"ok" as okay weight 0.3 }', "combine weighted at least 0.5"),
            id="weighted",
        ),
        pytest.param(
            ('scorers { has_x weight 0.2  regex r"ok" as okay weight 0.3 }', "combine weighted"),
            id="u51_the_bar_may_be_left_out",
        ),
        pytest.param(
            (
                "scorers { has_x weight 0.2 }",
                "combine weighted at least 0.5",
                'judge reviewer "ok?" weight 0.25',
                "unreadable block",
            ),
            id="a47_the_judge_has_its_weight",
        ),
        pytest.param(("scorers { has_x }", 'judge tongue("German")'), id="a_declared_judge"),
        pytest.param(("scorers { has_x }", "judge always polite", "unreadable block"), id="always"),
        pytest.param(("scorers { has_x }", 'ask reviewer "PASS?"', "unreadable pass"), id="ask"),
        pytest.param(("scorers { has_x }", 'ask critic "PASS?"', "unreadable block"), id="one_parameter"),
        pytest.param(('pass when input contains "x"',), id="pass_when_alone"),
        pytest.param(
            ("pass when len(input) > 3", "scorers { has_x }", 'ask reviewer "PASS?"', "unreadable block"),
            id="a48_all_three",
        ),
        pytest.param(("target json(input).response", "scorers { not has_x }"), id="a_target"),
        pytest.param(("target input.text", "scorers { has_x }", "judge polite"), id="a_target_of_a_type"),
    ],
)
def test_a_sound_gate_is_accepted(check, clauses) -> None:
    head = "(input: Report)" if "target input.text" in clauses else "(input)"
    assert check(gate(*clauses, head=head)).short == []


@pytest.mark.parametrize(
    ("clauses", "at", "message"),
    [
        pytest.param(
            ("scorers { has_x weight 0.2  no_y }", "combine weighted at least 0.5"),
            "no_y",
            "`it` is weighted, so each scorer and the judge carry a weight, and `no_y` has none",
            id="a46_one_without",
        ),
        pytest.param(
            ('scorers { has_x  not contains "z" }', "combine weighted at least 0.5"),
            "has_x",
            "`it` is weighted, so each scorer and the judge carry a weight, and `has_x` and `not contains` have none",
            id="a46_all_without",
        ),
        pytest.param(
            (
                "scorers { has_x weight 0.2 }",
                "combine weighted at least 0.5",
                'judge reviewer "ok?"',
                "unreadable block",
            ),
            "reviewer",
            "`it` is weighted, so each scorer and the judge carry a weight, and `reviewer` has none",
            id="a47_the_judge_without",
        ),
        pytest.param(
            ("scorers { has_x weight 0.2  no_y weight 0.3 }",),
            "0.2",
            "`it` combines with `all`, which counts no weights",
            id="u51_weights_under_all",
        ),
        pytest.param(
            ("scorers { has_x }", "combine any", 'judge reviewer "ok?" weight 1', "unreadable block"),
            "1",
            "`it` combines with `any`, which counts no weights",
            id="u51_a_judges_weight_under_any",
        ),
        pytest.param(
            ("scorers { has_x weight 0  no_y weight 0.0 }", "combine weighted at least 0.5"),
            "0",
            "Every weight of `it` is 0, so there is nothing to weigh",
            id="u51_no_weight_at_all",
        ),
        pytest.param(
            (
                "scorers { has_x weight 1 }",
                "combine weighted at least 0.5",
                'judge reviewer "ok?" weight 0',
                "unreadable block",
            ),
            "0",
            "The weight of `reviewer` is 0, so asking it changes nothing",
            id="u51_a_judge_that_does_not_count",
        ),
        pytest.param(
            ("scorers { has_x weight -0.5  no_y weight 1 }", "combine weighted at least 0.5"),
            "-0.5",
            "The weight of `has_x` is -0.5, and a weight is 0 or more",
            id="u51_a_negative_weight",
        ),
    ],
)
def test_x03_weights_stand_where_they_count(check, clauses, at, message) -> None:
    only = check(gate(*clauses)).only
    assert (only.code, only.at, only.message) == ("gate.weights", at, message)


def test_a_scorer_may_weigh_nothing_where_another_does(check) -> None:
    clauses = ("scorers { has_x weight 0  no_y weight 1 }", "combine weighted at least 0.5")
    assert check(gate(*clauses)).short == []


@pytest.mark.parametrize("bar", ["0", "-0.1", "1.0001", "70"])
def test_u51_x10_a_bar_lies_above_0_up_to_1(check, bar) -> None:
    only = check(gate("scorers { has_x weight 1 }", f"combine weighted at least {bar}")).only
    assert (only.code, only.at) == ("gate.threshold", bar)
    assert only.message == f"A weighted gate passes from a bar above 0 up to 1, and {bar} is not one"


@pytest.mark.parametrize(
    "clauses",
    [
        pytest.param(("scorers { has_x  not has_x as without }",), id="opposites"),
        pytest.param(('scorers { contains "a"  not contains "a" }',), id="opposite_texts"),
        pytest.param(('scorers { equals "PASS"  length 10.. }',), id="equals_and_length"),
        pytest.param(('scorers { equals "PASS"  contains "FAIL" }',), id="equals_and_contains"),
        pytest.param(('scorers { equals "PASS"  regex r"^F" }',), id="equals_and_regex"),
        pytest.param(('scorers { equals "a"  equals "b" }',), id="two_equals"),
        pytest.param(("scorers { length 1..5  length 6.. }",), id="lengths_apart"),
        pytest.param(('scorers { length ..3  contains "long" }',), id="too_long_for_its_length"),
        pytest.param(('scorers { not contains ""  has_x }',), id="never_holds"),
        pytest.param(('scorers { not contains "" }', "combine any"), id="none_ever_holds"),
        pytest.param(
            (
                "scorers { has_x weight 0.5  not has_x as without weight 0.5 }",
                "combine weighted at least 0.500001",
            ),
            id="just_under_the_bar",
        ),
        pytest.param(
            (
                "scorers { has_x weight 0.1  not has_x as without weight 0.1 }",
                "combine weighted at least 0.9",
                'judge reviewer "ok?" weight 0.1',
                "unreadable block",
            ),
            id="not_even_with_the_judge",
        ),
    ],
)
def test_a_gate_that_can_never_pass_is_found(check, clauses) -> None:
    assert [code for code, _ in check(gate(*clauses)).short] == ["gate.cannot-pass"]


@pytest.mark.parametrize(
    "clauses",
    [
        pytest.param(("scorers { length 0.. }",), id="length_from_0"),
        pytest.param(('scorers { contains ""  regex r".*" }',), id="all_hold"),
        pytest.param(('scorers { has_x  contains "" }', "combine any"), id="one_holds"),
        pytest.param(("scorers { has_x  not has_x as without }", "combine any"), id="one_of_two_opposites"),
        pytest.param(
            (
                "scorers { has_x weight 0.5  not has_x as without weight 0.5 }",
                "combine weighted at least 0.5",
            ),
            id="exactly_the_bar",
        ),
        pytest.param(
            (
                'scorers { contains "" weight 0.7  has_x weight 0.1 }',
                "combine weighted at least 0.7",
                'judge reviewer "ok?" weight 0.2',
                "unreadable block",
            ),
            id="whatever_the_judge_says",
        ),
        pytest.param(("pass when true", "scorers { has_x }"), id="pass_when_true"),
        pytest.param(("pass when true",), id="only_pass_when_true"),
    ],
)
def test_a_gate_that_always_passes_is_found(check, clauses) -> None:
    assert [code for code, _ in check(gate(*clauses)).short] == ["gate.always-passes"]


@pytest.mark.parametrize(
    "clauses",
    [
        pytest.param(
            ("scorers { has_x  not has_x as without }", 'ask reviewer "ok?"', "unreadable block"),
            id="somebody_is_asked",
        ),
        pytest.param(("scorers { has_x  not has_x as without }", "judge polite"), id="a_judge_decides"),
        pytest.param(
            ("scorers { has_x  not has_x as without }", "pass when len(input) > 9"), id="a_condition_passes"
        ),
        pytest.param(("scorers { length 0.. }", "judge always polite"), id="the_judge_is_always_asked"),
        pytest.param(
            (
                "scorers { has_x weight 0.35  no_y weight 0.35 }",
                "combine weighted at least 0.7",
                'judge reviewer "ok?" weight 0.3',
                "unreadable block",
            ),
            id="reaching_the_bar_exactly_is_possible",
        ),
        pytest.param(('scorers { contains "{{ input }}"  not contains "{{ input }}" }',), id="templates"),
        pytest.param(('scorers { equals "PASS"  length 4..4  contains "AS" }',), id="they_agree"),
    ],
)
def test_a_gate_that_may_pass_or_block_is_accepted(check, clauses) -> None:
    assert check(gate(*clauses)).short == []


def test_weights_are_compared_as_they_were_written(check) -> None:
    # In binary floating point 0.1 + 0.2 is not 0.3.
    clauses = ('scorers { contains "" weight 0.1  regex r"" weight 0.2  has_x weight 0.7 }',)
    assert check(gate(*clauses, "combine weighted at least 0.3")).only.code == "gate.always-passes"
    assert check(gate(*clauses, "combine weighted at least 0.3000000000000000000001")).short == []


def test_the_reason_names_what_always_holds(check) -> None:
    only = check(gate("scorers { length 0.. as sized }", 'ask reviewer "ok?"', "unreadable block")).only
    assert only.message == "`it` passes always and nobody is ever asked: `sized` holds for every text"


@pytest.mark.parametrize("asked", ['judge reviewer "ok?"', 'ask reviewer "ok?"'])
def test_x04_a_gate_that_fails_open_without_saying_so_is_a_hint(check, asked) -> None:
    only = check(gate("scorers { has_x }", asked)).only
    assert (only.code, only.severity, only.at) == ("gate.fails-open", "hint", "reviewer")
    assert only.message == "`it` passes when the verdict of `reviewer` cannot be read"
    assert check(gate("scorers { has_x }", asked, "unreadable pass")).short == []


@pytest.mark.parametrize("judge", ["polite", "asks"])
def test_x01_a_declared_judge_never_passes_what_cannot_be_read(check, judge) -> None:
    only = check(gate("scorers { has_x }", f"judge {judge}", "unreadable pass")).only
    assert (only.code, only.at) == ("judge.fail-open", "unreadable pass")


@pytest.mark.parametrize(
    ("clauses", "code", "at"),
    [
        ((), "clause.missing", "it"),
        (("scorers { }",), "clause.missing", "it"),
        (("scorers { has_z }",), "name.unknown", "has_z"),
        (("scorers { polite }",), "name.unknown", "polite"),
        (("scorers { has_x  has_x }",), "name.duplicate", "has_x"),
        (("scorers { has_x as a  no_y as a }",), "name.duplicate", "a"),
        (("scorers { length 5..1 }",), "scorer.empty-range", "5..1"),
        (('scorers { contains "{{ inptu }}" }',), "name.unknown", "inptu"),
        (("target json(inptu).x", "scorers { has_x }"), "name.unknown", "inptu"),
        (("pass when input", "scorers { has_x }"), "shape.mismatch", "input"),
        (("combine any", "judge polite"), "clause.misplaced", "combine"),
        (("scorers { has_x }", "unreadable block"), "clause.misplaced", "unreadable"),
        (("scorers { has_x }", 'ask reviewer "x"', "unreadable maybe"), "value.range", "maybe"),
        (("scorers { has_x }", "judge polite", 'ask reviewer "x"'), "clause.misplaced", "ask"),
        (("scorers { has_x }", "judge has_x"), "judge.not-a-judge", "has_x"),
        (("scorers { has_x }", "judge nobody"), "name.unknown", "nobody"),
        (("scorers { has_x }", 'judge polite "why?"'), "clause.misplaced", '"why?"'),
        (("scorers { has_x }", "judge reviewer", "unreadable block"), "clause.missing", "reviewer"),
        (("scorers { has_x }", 'judge reviewer " "', "unreadable block"), "value.range", '" "'),
        (("scorers { has_x }", 'judge reviewer(3) "x"', "unreadable block"), "judge.wrong-arguments", "3"),
        (("scorers { has_x }", "judge tongue"), "judge.wrong-arguments", "tongue"),
        (("scorers { has_x }", "judge scored"), "judge.wrong-reply", "scored"),
        (("scorers { has_x }", 'ask polite "x"'), "name.unknown", "polite"),
        (("scorers { has_x }", 'ask nobody "x"'), "name.unknown", "nobody"),
        (("scorers { has_x }", 'ask pair "x"', "unreadable block"), "flow.wrong-arguments", "pair"),
        (("scorers { has_x }", 'ask scorer_agent "x"', "unreadable block"), "shape.mismatch", "scorer_agent"),
        (("scorers { has_x }", 'ask reviewer "{{ draft }}"', "unreadable block"), "name.unknown", "draft"),
        (("scorers { has_x }", "scorers { no_y }"), "clause.duplicate", "scorers"),
    ],
)
def test_u50_u52_clauses_of_a_gate(check, clauses, code, at) -> None:
    assert check(gate(*clauses)).short == [(code, at)]


def test_a_gate_needs_something_to_check(check) -> None:
    only = check(gate("scorers { has_x }", head="")).only
    assert (only.code, only.message) == ("clause.missing", "`it` has no parameter for what it checks")


def test_what_a_gates_judge_judges_is_its_target(check) -> None:
    assert check(gate("judge scored", head="(input: Report)")).short == []
    only = check(gate("judge scored", "target input.text", head="(input: Report)")).only
    assert only.message == "`it` checks text, but its judge `scored` judges Report"
    assert only.help == (
        "Give the gate that shape, or let the judge judge text:\n"
        "gate it(input: Report)\ncode judge scored(reply: text)"
    )


@pytest.mark.parametrize(
    ("sure", "other", "codes"),
    [("0.5", "0.5", ["gate.always-passes"]), ("0.4", "0.5", [])],
)
def test_u51_without_a_bar_a_weighted_gate_is_held_against_half(check, sure: str, other: str, codes) -> None:
    found = check(gate(f"scorers {{ length 0.. weight {sure}  has_x weight {other} }}", "combine weighted"))
    assert [code for code, *_ in found.short] == codes
