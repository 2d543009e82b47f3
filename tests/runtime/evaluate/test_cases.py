from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeflow.runtime.evaluate.cases import (
    Case,
    CaseFile,
    case_line,
    label_of,
    parse_cases,
    read_cases,
)
from judgeflow.runtime.evaluate.rows import KINDS
from judgeflow.runtime.judge.errors import ConfigurationError

SAME = {
    ".jsonl": '{"input": "q", "expected": "a", "label": "pass"}\n\n{"input": "r"}\n',
    ".json": '[\n  {"input": "q", "expected": "a", "label": true},\n  {"input": "r"}\n]\n',
    ".csv": "input,expected,label\nq,a,pass\nr,,\n",
    ".yaml": "- input: q\n  expected: a\n  label: yes\n- input: r\n",
}


def parse(text: str | bytes, kind: str = ".jsonl") -> CaseFile:
    return parse_cases(text if isinstance(text, bytes) else text.encode(), kind, f"golden{kind}")


def faults(text: str | bytes, kind: str = ".jsonl") -> list[str]:
    return [str(fault) for fault in parse(text, kind).faults]


@pytest.mark.parametrize("kind", SAME)
def test_every_kind_of_file_gives_the_same_cases(kind: str) -> None:
    found = parse(SAME[kind], kind)
    assert found.faults == ()
    assert [(case.id, case.input, case.expected, case.label) for case in found.cases] == [
        ("bc5fbe0d", "q", "a", True),
        ("5d8c0c7f", "r", None, None),
    ]


@pytest.mark.parametrize("kind", SAME)
def test_a_byte_order_mark_is_no_part_of_the_first_name(kind: str) -> None:
    assert parse(b"\xef\xbb\xbf" + SAME[kind].encode(), kind).cases == parse(SAME[kind], kind).cases


@pytest.mark.parametrize(
    ("kind", "text", "lines"),
    [
        (".jsonl", '\n{"input": "q"}\n\n{"input": "r"}', [2, 4]),
        (".json", '{"cases": [\n{"input": "q"},\n\n{"input": "r"}]}', [2, 4]),
        (".csv", 'input,expected\n"two\nlines",a\nr,b\n', [2, 4]),
        (".yaml", "cases:\n- input: q\n\n- input: r\n", [2, 4]),
    ],
)
def test_every_case_knows_its_line(kind: str, text: str, lines: list[int]) -> None:
    assert [case.line for case in parse(text, kind).cases] == lines


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (
            ".jsonl",
            '{"input": "a"}\n{"input": \'b\'}\n',
            'golden.jsonl:2: this is not JSON (column 11); texts stand in double quotes: {"input": "…"}',
        ),
        (
            ".jsonl",
            '{"input": "a", "input": "b"}',
            "golden.jsonl:1: `input` is there twice; keep one of the two",
        ),
        (".jsonl", "[1]", 'golden.jsonl:1: this is no case; a case is an object such as {"input": "…"}'),
        (
            ".jsonl",
            '{"id": "x"}',
            'golden.jsonl:1: this case has no input; say what is asked: {"input": "…"}',
        ),
        (
            ".jsonl",
            '{"input": "a", "label": "maybe"}',
            "golden.jsonl:1: the label 'maybe' is none; write pass or fail",
        ),
        (
            ".jsonl",
            '{"input": "a", "expected": Infinity}',
            "golden.jsonl:1: Infinity is no number; write a number, or null where there is none",
        ),
        (
            ".json",
            '[{"input": "a"}\n {"input": "b"}]',
            "golden.json:2: a `,` or the closing `]` is missing here; nothing after it was read",
        ),
        (
            ".json",
            '[{"input": "a"}]\n[{"input": "b"}]',
            "golden.json:1: something stands behind the list of cases; one file holds one list",
        ),
        (
            ".json",
            '{"cases": [{"input": "a"}], "more": 1} }',
            "golden.json:1: something stands behind the list of cases; one file holds one list",
        ),
        (
            ".jsonl",
            '{"input": "a", "expected": 12345678901234567890}',
            "golden.jsonl:1: $.expected: a whole number beyond 2^53 - 1, which other machines would round; "
            "write it as a text",
        ),
        (
            ".jsonl",
            '{"input": "a", "label": "\\u001b[31m"}\n',
            "golden.jsonl:1: the label '\\x1b[31m' is none; write pass or fail",
        ),
        (
            ".csv",
            'input,"a\n::error::b"\n1\n',
            "golden.csv:3: this row ends before a ::error::b; leave a cell empty where there is no value",
        ),
        (
            ".json",
            '{"input": "a"}',
            'golden.json:1: this is no list of cases; write [{"input": "…"}, …], or one case a line as .jsonl',
        ),
        (
            ".csv",
            "input,expected\na,b,c\n",
            "golden.csv:2: this row has 3 cells and there are 2 columns; put a cell that holds a comma in quotes",
        ),
        (
            ".csv",
            "input,expected\na\n",
            "golden.csv:2: this row ends before expected; leave a cell empty where there is no value",
        ),
        (
            ".csv",
            "input,input\na,b\n",
            "golden.csv:1: two columns are named input; name each column once, in the first row",
        ),
        (
            ".yaml",
            "- input: a\n- input: [b\n",
            "golden.yaml:3: this is not YAML (did not find expected ',' or ']'); "
            "check the indentation and the quotes",
        ),
        (
            ".yaml",
            "input: a\n",
            'golden.yaml:1: this is no list of cases; write a list: - input: "…"',
        ),
    ],
)
def test_u22_a_broken_line_is_named_with_its_mistake_and_the_fix(kind: str, text: str, expected: str) -> None:
    # A key that nobody knows is no mistake: checks read it as a field of the case.
    assert faults(text, kind)[:1] == [expected]


def test_a_comma_too_many_is_told_as_what_it_is() -> None:
    [fault] = parse('{"input": "a",}\n').faults
    assert fault.fix == "take the last comma away"


def test_bytes_that_are_not_utf_8_are_named_with_their_line() -> None:
    assert faults(b'{"input": "a"}\n{"input": "\xff"}') == [
        "golden.jsonl:2: this is not UTF-8; save the file as UTF-8"
    ]


def test_the_lines_beside_a_broken_one_are_kept_unless_strict(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_text('{"input": "a"}\nnonsense\n{"input": "b"}\n')
    assert [case.input for case in read_cases(path).cases] == ["a", "b"]
    with pytest.raises(ConfigurationError, match=r"golden.jsonl:2: this is not JSON"):
        read_cases(path, strict=True)


@pytest.mark.parametrize(("name", "text"), [("x.txt", "a"), ("x.jsonl", "\n"), ("x.csv", "input\n")])
def test_u22_a_file_without_cases_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigurationError, match=name):
        read_cases(tmp_path / name)


LAUGHS = "- input: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"- input: &{now} [{', '.join([f'*{last}'] * 9)}]\n"
    for last, now in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("kind", "text", "mistake"),
    [
        (".yaml", LAUGHS, "this is nested too deeply"),
        (".yaml", "- &a [*a]\n", "this is nested too deeply"),
        (".yaml", "- input: " + "[" * 5000 + "\n", "this is"),
        (".json", "[" * 100_000, "this is nested too deeply"),
        (".jsonl", '{"input": ' + "[" * 100_000, "this is nested too deeply"),
        (".csv", f"input\n{'x' * 200_000}\n", "this row cannot be read"),
        (".jsonl", '{"input": "q", "must": 1e999}', "1e999 is past the range of numbers"),
        (".yaml", "- input: q\n  must: -1e999\n", "-1e999 is past the range of numbers"),
        (".jsonl", '{"input": "q", "must": ' + "9" * 5000 + "}", "a number of 5,000 digits"),
        (".yaml", "- input: " + "9" * 5000 + "\n", "a number of 5,000 digits"),
        (".yaml", "- input: !!binary aGk=\n", "a value of the type !!binary, which JSON has not"),
        (".yaml", "- input: !money 3\n", "a value of the type !money, which JSON has not"),
        (".jsonl", '{"input": 123456789012345678901234567890}', "$"),
        (".jsonl", '{"input": "\\ud800"}', "$"),
    ],
)
def test_hostile_files_are_told_and_harm_nobody(kind: str, text: str, mistake: str) -> None:
    found = parse(text, kind)
    assert any(fault.mistake.startswith(mistake) for fault in found.faults), found.faults


@given(data=st.binary(max_size=300), kind=st.sampled_from(KINDS))
def test_no_bytes_break_the_reader(data: bytes, kind: str) -> None:
    found = parse_cases(data, kind, "x")
    lines = data.count(b"\n") + data.count(b"\r") + 1
    assert all(1 <= fault.line <= lines + 1 for fault in found.faults)
    assert len({case.id for case in found.cases}) == len(found.cases)


ITEMS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=50)
@given(value=ITEMS.filter(lambda item: item is not None), expected=ITEMS)
def test_every_case_reads_back_from_its_line(value: object, expected: object) -> None:
    found = parse(case_line(Case(id="a", input=value, expected=expected)))
    assert found.faults == ()
    assert (found.cases[0].input, found.cases[0].expected) == (value, expected)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"gone\.jsonl: the cases cannot be read"):
        read_cases(Path("gone.jsonl"))


def test_a_case_keeps_its_name_in_any_order_and_beside_new_ones() -> None:
    few = parse('{"input": "a"}\n{"input": "b"}\n')
    more = parse('{"input": "new"}\n{"input": "b"}\n{"input": "a"}\n')
    assert {case.input: case.id for case in few.cases}.items() <= {
        case.input: case.id for case in more.cases
    }.items()


def test_the_same_case_twice_is_two_cases() -> None:
    first, second = parse('{"input": "a"}\n{"input": "a"}\n').cases
    assert second.id == f"{first.id}-2"


def test_a_duplicate_id_is_named_with_both_lines() -> None:
    found = parse('{"id": "a", "input": "1"}\n{"id": "b", "input": "2"}\n{"id": "a", "input": "3"}\n')
    assert [fault.mistake for fault in found.faults] == ["duplicate id a (lines 1 and 3)"]
    assert [case.id for case in found.cases] == ["a", "b"]


def test_names_that_look_alike_stay_apart() -> None:
    found = parse('{"id": "A B.pdf", "input": "1"}\n{"id": "A_B.pdf", "input": "2"}\n')
    assert [case.id for case in found.cases] == ["A B.pdf", "A_B.pdf"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (".jsonl", '{"input": "q", "target": NaN}'),
        (".json", '[{"input": "q", "target": NaN}]'),
        (".csv", "input,target\nq,\n"),
        (".yaml", "- {input: q, target: .nan}\n"),
    ],
)
def test_a_missing_target_is_missing_and_no_text(kind: str, text: str) -> None:
    [case] = parse(text, kind).cases
    assert case.expected is None


def test_without_input_the_columns_are_the_flows_parameters() -> None:
    [case] = parse("id,ticket,language,expected\n1,Broken,German,Kaputt\n", ".csv").cases
    assert case.input == {"ticket": "Broken", "language": "German"}
    assert (case.id, case.expected) == ("1", "Kaputt")


def test_beside_an_input_other_columns_are_kept_for_checks() -> None:
    [case] = parse('{"input": "q", "must": ["a", "b"]}').cases
    assert (case.input, case.fields["must"]) == ("q", ["a", "b"])


def test_csv_may_be_parted_by_semicolons_or_tabs() -> None:
    assert parse("input;expected\na;b,c\n", ".csv").cases[0].expected == "b,c"
    assert parse("input\texpected\na\tb\n", ".csv").cases[0].expected == "b"


def test_plain_yaml_words_and_dates_stay_texts() -> None:
    [case] = parse('- input: no\n  expected: 2026-03-01\n  n: 3\n  f: 1.5\n  t: "3"\n', ".yaml").cases
    assert (case.input, case.expected) == ("no", "2026-03-01")
    assert (case.fields["n"], case.fields["f"], case.fields["t"]) == (3, 1.5, "3")


def test_a_case_written_as_a_line_reads_as_the_same_case() -> None:
    case = Case(id="a", input={"x": 1}, expected="b", answer="c", label=False, fields={"must": ["a"]})
    [read] = parse(case_line(case)).cases
    assert (read.id, read.input, read.expected, read.answer, read.label) == ("a", {"x": 1}, "b", "c", False)
    assert read.fields["must"] == ["a"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        *[("PASS", True), ("Yes", True), (1, True), (1.0, True), ("fail", False), (0, False), ("no", False)],
        *[("", None), (2, None), ("maybe", None), ([], None), (None, None)],
    ],
)
def test_labels_are_read_as_people_write_them(written: object, expected: bool | None) -> None:
    assert label_of(written) is expected


@pytest.mark.parametrize(
    "text",
    ['[{"input": "a"}]\n\n', '{"cases": [{"input": "a"}], "about": {"by": "us"}}', '[{"input": "a"},]'],
)
def test_what_may_stand_behind_the_list_of_cases(text: str) -> None:
    assert faults(text, ".json") == []
