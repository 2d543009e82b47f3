"""Suites, tests, profiles, limits and memory."""

from __future__ import annotations

import pytest

from judgeflow.dsl.diagnostics import Diagnostic
from judgeflow.dsl.workspace.analysis import Workspace

PRICE = "price $1 in, $2 out"
AROUND = f"""
model small "openai/gpt-6-mini" {{ {PRICE} }}
model big "openai/gpt-6" {{ {PRICE} }}
model other "anthropic/claude" {{ {PRICE} }}
model mixed "moonshotai/kimi" {{ {PRICE}  fallback [big] }}
model bare "gpt-6" {{ {PRICE} }}
model jev "typesafe/jev" {{ kind decision  {PRICE} }}
type Job {{ title: text  pay: int?  tags: text[] }}
type Senior extends Job {{ team: int }}
type Offer {{ salary: int }}
type Refusal {{ why: text }}
tool look(id: text) -> Job {{ python "ops.py:look" }}
agent writer(task: text, language: text = "German") {{ model small  prompt "Write."  judges [clear, short] }}
agent hirer -> Offer | Refusal {{ model small  prompt "Decide." }}
agent lister -> (Offer | Refusal)[] {{ model small  prompt "Decide."  tools [look] }}
agent finder -> Senior {{ model small  prompt "Find." }}
judge clear {{ model other  ask "Is it clear? {{{{ reply }}}}" }}
judge grounded {{
  model jev
  decide {{
    grounded: condition "It follows."
    tone:     choice "Whose?" {{ formal casual }}
    quality:  scale "Useful?" ["useless", "complete"]
  }}
  require grounded.value else "Say less."
}}
code judge short {{ require len(reply) < 400 else "Shorter." }}
scorer polite contains "please"
gate fine(input) {{ scorers {{ contains "ok" }}  ask writer2 "VERDICT?"  unreadable block }}
agent writer2 {{ model small  prompt "Write." }}
condition urgent(ticket: text) {{ model jev  ask "Urgent?" }}
choice team(ticket: text) {{ model jev  ask "Whose?"  options {{ billing technical }} }}
scale risk(answer: text) {{ model jev  ask "Risky?"  levels ["low", "high"] }}
flow main(task: text) -> text {{ x = writer(task)  return x }}
flow hire(task: text) -> Offer | Refusal {{ return hirer(task) }}
flow typed(job: Job, note: text?) -> text {{ return job.title }}
flow inner(task: text) -> text {{ return main(task) }}
flow quiet(task: text) -> text {{ return task }}
"""


def findings(text: str, *, hints: bool = False) -> list[Diagnostic]:
    there = {"ops.py": b"def look(id): ...", "cases.jsonl": b"{}"}
    workspace = Workspace(there.get)
    workspace.update("main.judge", text + AROUND)
    found = workspace.analyse("main.judge").diagnostics
    return [each for each in found if each.start < len(text) and (hints or each.severity != "hint")]


def codes(text: str, *, hints: bool = False) -> list[str]:
    return [found.code for found in findings(text, hints=hints)]


def in_test(line: str, flow: str = "quiet", given: str = '{ task: "x" }') -> str:
    return f'test "t" for {flow} {{\n  given {given}\n  {line}\n  expect status == "answered"\n}}\n'


# --- suites ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suite", "expected"),
    [
        ('suite s for main { cases "cases.jsonl"  checks [short, clear, polite] }', []),
        ('suite s for main { cases "cases.jsonl"  cascade stop  limits { cost $2 per day } }', []),
        ("suite s for main { checks [short] }", ["suite.no-cases"]),
        ('suite s for main { cases "none.jsonl" }', ["suite.no-cases"]),
        ('suite s for main { cases "cases.txt" }', ["suite.no-cases"]),
        ('suite s for main { cases "cases.jsonl"  labels "none.jsonl" }', ["suite.no-cases"]),
        ('suite s for mian { cases "cases.jsonl" }', ["flow.unknown-entry"]),
        ('suite s for writer { cases "cases.jsonl" }', ["flow.unknown-entry"]),
        ('suite s for main { cases "cases.jsonl"  checks [shrot] }', ["name.unknown"]),
        ('suite s for main { cases "cases.jsonl"  checks [writer] }', ["judge.not-a-judge"]),
        ('suite s for main { cases "cases.jsonl"  checks [fine] }', ["judge.not-a-judge"]),
        ('suite s for main { cases "cases.jsonl"  checks [polite("x")] }', ["judge.wrong-arguments"]),
        ('suite s for main { cases "cases.jsonl"  checks [short("x")] }', ["judge.wrong-arguments"]),
        ('suite s for hire { cases "cases.jsonl"  checks [short] }', ["judge.wrong-reply"]),
        ('suite s for main { cases "cases.jsonl"  limits { cost $0 per day } }', ["value.range"]),
        ('suite s for main { cases "cases.jsonl"  cases "cases.jsonl" }', ["clause.duplicate"]),
    ],
)
def test_a_suite_has_a_flow_cases_and_checks_that_fit(suite: str, expected: list[str]) -> None:
    assert codes(suite + "\n") == expected


def test_a28_a_suites_judges_are_held_against_every_agent_that_the_flow_reaches() -> None:
    judge = 'judge own { model big  ask "Is it clear? {{ reply }}" }\n'
    (found,) = findings(judge + 'suite s for inner { cases "cases.jsonl"  checks [own] }\n')
    assert (found.code, found.severity) == ("judge.same-model-family", "warning")
    for part in ("`inner`", "`own` (openai/gpt-6)", "`writer`", "openai/gpt-6-mini", "(openai)"):
        assert part in found.message
    assert codes(judge + 'suite s for quiet { cases "cases.jsonl"  checks [own] }\n') == []


TWO = """
model one "openai/gpt-6" { price $1 in, $1 out }
model two "anthropic/claude" { price $1 in, $1 out }
judge fair { model one  ask "{{ reply }}" }
agent writer { model "openai/gpt-6-mini"  prompt "Write." }
agent critic { model two  prompt "Say what is wrong." }
flow main(x: text) -> text { a = writer(x)  b = critic(a)  return b }
suite s for main { cases "cases.jsonl"  checks [fair] }
"""


def clashes(text: str) -> list[str]:
    """What the finding says up to the reason why."""
    workspace = Workspace({"cases.jsonl": b"{}"}.get)
    workspace.update("main.judge", text)
    found = workspace.analyse("main.judge").diagnostics
    return [each.message.partition(", whose")[0] for each in found if "family" in each.code]


def test_a28_every_agent_that_the_flow_reaches_is_told_under_every_profile() -> None:
    first = "In `main`, `fair` (openai/gpt-6) judges `writer`"
    assert clashes(TWO) == [first]
    both = [first, "In `main`, `fair` (openai/gpt-6) judges `critic`"]
    assert clashes(TWO.replace("anthropic/claude", "openai/gpt-5")) == both
    for profile in ("agent critic { model one }", 'model two "openai/gpt-7"'):
        found = clashes(TWO + f"profile cheap {{ {profile} }}\n")
        assert found == [first, "In `main` under `cheap`, `fair` (openai/gpt-6) judges `critic`"]
    assert clashes(TWO + "profile cheap { judge fair { model two } }\n") == [
        first,
        "In `main` under `cheap`, `fair` (anthropic/claude) judges `critic`",
    ]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("other", []),
        ("mixed", ["judge.same-model-family"]),
        ("bare", []),
        ('"openai/gpt-6"', ["judge.same-model-family"]),
        ('"script/a"', []),
        ('"gpt-6"', []),
    ],
)
def test_a24_a25_fallbacks_count_and_a_slug_without_a_vendor_has_no_family(
    model: str, expected: list[str]
) -> None:
    judge = f'judge own {{ model {model}  ask "Is it clear? {{{{ reply }}}}" }}\n'
    assert codes(judge + 'suite s for main { cases "cases.jsonl"  checks [own] }\n') == expected


def test_a26_a_code_judge_in_a_suite_is_never_compared() -> None:
    assert codes('suite s for main { cases "cases.jsonl"  checks [short] }\n') == []


# --- given -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flow", "given", "expected"),
    [
        ("quiet", '{ task: "x" }', []),
        ("quiet", "{ }", ["flow.wrong-arguments"]),
        ("quiet", "{ task: 3 }", ["test.wrong-shape"]),
        ("quiet", '{ task: "x", more: 1 }', ["flow.wrong-arguments"]),
        ("quiet", '{ taks: "x" }', ["flow.wrong-arguments"]),
        ("typed", '{ job: { title: "a", tags: [] } }', []),
        ("typed", '{ job: { title: "a", tags: ["b"], pay: null }, note: null }', []),
        ("typed", '{ job: { title: "a" } }', ["test.wrong-shape"]),
        ("typed", '{ job: { title: "a", tags: [1] } }', ["test.wrong-shape"]),
        ("typed", '{ job: { title: 1, tags: "b" } }', ["test.wrong-shape", "test.wrong-shape"]),
        ("typed", '{ job: { titel: "a", tags: [] } }', ["test.wrong-shape"]),
        ("typed", '{ job: "a" }', ["test.wrong-shape"]),
        ("nothing", '{ task: "x" }', ["flow.unknown-entry"]),
    ],
)
def test_what_is_given_fits_the_flows_parameters(flow: str, given: str, expected: list[str]) -> None:
    assert codes(in_test("", flow, given)) == expected


def test_a_test_expects_something() -> None:
    assert codes('test "t" for quiet { given { task: "x" } }\n') == ["clause.missing"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('expect result == "x"', []),
        ("expect result == 3", ["shape.mismatch"]),
        ("expect result.title", ["shape.no-field"]),
        ("expect len(verdicts(writer)) == 2", []),
        ("expect every v in verdicts(writer): v.passed and v.readable", []),
        ("expect len(verdicts(wrtier)) == 2", ["name.unknown"]),
        ('expect status == "answerd"', ["shape.mismatch"]),
        ("expect reason == null", []),
        ("expect task == 1", ["name.unknown"]),
        ("expect len(result)", ["shape.mismatch"]),
        ('expect fails with "flow.stop"', []),
        ('expect fails with " "', ["value.range"]),
    ],
)
def test_what_is_expected_is_checked_like_code(line: str, expected: list[str]) -> None:
    assert codes(in_test(line)) == expected


# --- scripts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('hirer replies { salary: 1 }', []),
        ('hirer replies { why: "no" }', []),
        ('hirer replies [{ salary: 1 }, { why: "no" }]', []),
        ('hirer replies { variant: "Offer", value: { salary: 1 } }', []),
        ('hirer replies { variant: "Offer", value: { why: "no" } }', ["test.wrong-shape", "test.wrong-shape"]),
        ('hirer replies { variant: "Job", value: { } }', ["test.wrong-shape"]),
        ('hirer replies { salary: "much" }', ["test.wrong-shape"]),
        ('hirer replies "yes"', ["test.wrong-shape"]),
        ('lister replies [[{ salary: 1 }], []]', []),
        ('lister replies [{ salary: 1 }]', ["test.wrong-shape"]),
        ('lister replies [{ call: "look", input: { id: "a" } }, []]', []),
        ('lister replies [{ call: "lok", input: { id: "a" } }, []]', ["test.wrong-shape"]),
        ('lister replies [{ call: "look", input: { key: "a" } }, []]', ["test.wrong-shape"]),
        ('lister replies [{ call: "look", input: { id: 3 } }, []]', ["test.wrong-shape"]),
        ('finder replies { title: "a", tags: [], team: 3 }', []),
        ('finder replies { title: "a", tags: [] }', ["test.wrong-shape"]),
        ('writer2 replies "x" when attempt == 0', []),
        ('writer2 replies "x" when attempt', ["shape.mismatch"]),
        ('writer replies "x" when language == "German"\n  clear replies "PASS"', []),
        ('writer replies "x" when langauge == "German"\n  clear replies "PASS"', ["name.unknown"]),
        ('writer2 decides 0.5', ["test.wrong-shape"]),
        ('grounded decides { grounded: 0.9, tone: "formal", quality: 1 }', []),
        ('grounded decides { grounded: 0.9, tone: { formal: 0.5, casual: 0.5 }, quality: "useless" }', []),
        ('grounded decides { grounded: 1.9, tone: "formal", quality: 1 }', ["test.wrong-shape"]),
        ('grounded decides { grounded: 0.9, tone: "formel", quality: 1 }', ["test.wrong-shape"]),
        ('grounded decides { grounded: 0.9, tone: "formal", quality: 2 }', ["test.wrong-shape"]),
        ('grounded decides { grounded: 0.9, tone: "formal" }', ["test.wrong-shape"]),
        ('grounded decides { grounded: 0.9, tone: "formal", quality: 1, more: 1 }', ["test.wrong-shape"]),
        ('grounded decides 0.9', ["test.wrong-shape"]),
        ('grounded replies "PASS"', ["test.wrong-shape"]),
        ('clear replies ["PASS", "no"]', []),
        ('clear replies 3', ["test.wrong-shape"]),
        ('short replies "PASS"', ["test.code-judge-scripted"]),
        ('urgent decides 0.95', []),
        ('urgent decides [0.95, 0.1]', []),
        ('urgent decides true', ["test.wrong-shape"]),
        ('urgent decides "yes"', ["test.wrong-shape"]),
        ('urgent decides 95', ["test.wrong-shape"]),
        ('team decides "billing"', []),
        ('team decides { billing: 0.6, technical: 0.4 }', []),
        ('team decides { billing: 0.6 }', ["test.wrong-shape"]),
        ('team decides { billing: 0.6, technical: 0.5 }', ["test.wrong-shape"]),
        ('team decides 1', ["test.wrong-shape"]),
        ('risk decides "high"', []),
        ('risk decides 1', []),
        ('risk decides "higher"', ["test.wrong-shape"]),
        ('look returns { title: "a", tags: [] }', []),
        ('look returns { title: "a" }', ["test.wrong-shape"]),
        ('look replies "x"', ["test.wrong-shape"]),
        ('approve replies true', []),
        ('approve replies "yes"', ["test.wrong-shape"]),
        ('approve decides 1', ["test.wrong-shape", "test.wrong-shape"]),
        ('writer2 replies "x"\n  writer2 replies "y"', ["clause.duplicate"]),
        ('writer2 replies "x" when attempt == 0\n  writer2 replies "y"', []),
        ('wrtier2 replies "x"', ["name.unknown"]),
        ('fine replies "x"', ["test.wrong-shape"]),
        ('small replies "x"', ["test.wrong-shape"]),
    ],
)  # fmt: skip
def test_a36_a_script_says_what_its_owner_could(line: str, expected: list[str]) -> None:
    assert codes(in_test(line)) == expected


@pytest.mark.parametrize(
    ("line", "help"),
    [
        ('wrtier2 replies "x"', "Did you mean `writer2`?"),
        ("aprove replies true", "Did you mean `approve`?"),
        ('smal replies "x"', ""),
        ('writer2 replies { call: "lok", input: {} }', "Did you mean `look`?"),
        ('writer2 replies { call: "writer", input: {} }', ""),
    ],
)
def test_a_slip_in_a_script_means_what_can_be_scripted_there(line: str, help: str) -> None:
    assert [found.help for found in findings(in_test(line))] == [help]


def test_a_slip_in_a_suite_means_a_flow_and_without_a_near_one_all_are_named() -> None:
    near, far = (
        [found.help for found in findings(f'suite s for {name} {{ cases "cases.jsonl" }}')]
        for name in ("quite", "xyzzy")
    )
    assert near == ["Did you mean `quiet`?"]
    assert far[0].startswith("There are `")
    assert "`quiet`" in far[0]
    assert "`writer`" not in far[0]


def test_a_scripted_agent_needs_its_model_judges_scripted_too() -> None:
    (found,) = findings(in_test('writer replies "x"', "main"))
    assert (found.code, found.severity) == ("test.unscripted-model", "error")
    assert "`clear`" in found.message
    assert codes(in_test('writer replies "x"\n  clear replies "PASS"', "main"), hints=True) == []


def test_what_a_flow_may_reach_without_a_script_is_one_hint() -> None:
    (found,) = findings(in_test("", "inner"), hints=True)
    assert (found.code, found.severity) == ("test.unscripted-model", "hint")
    assert found.message == "This test has no script for `writer`"


def test_two_tests_have_two_names() -> None:
    assert codes(in_test("") + in_test("")) == ["name.duplicate"]


# --- profiles ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("agent writer { retries 3  timeout 5s }", []),
        ('agent writer { prompt "In {{ language }}." }', []),
        ('agent writer { prompt "In {{ langauge }}." }', ["name.unknown"]),
        ("agent wrtier { retries 3 }", ["name.unknown"]),
        ("agent short { retries 3 }", ["name.unknown"]),
        ("agent writer { retries -1 }", ["value.range"]),
        ("agent writer { retries 1  retries 2 }", ["clause.duplicate"]),
        ("agent writer { model jev }", ["model.wrong-kind"]),
        ("agent writer { model nothing }", ["name.unknown"]),
        ("agent writer { judges [grounded] }", []),
        ("agent hirer { judges [short] }", ["judge.wrong-reply"]),
        ("agent writer { tools [look] }", []),
        ("agent writer { tools [lok] }", ["name.unknown"]),
        ("agent writer { retries 1 } agent writer { timeout 1s }", ["clause.duplicate"]),
        ('judge clear { ask "Clear? {{ reply }}" }', []),
        ('judge clear { ask "Clear? {{ rely }}" }', ["name.unknown"]),
        ("judge clear { model jev }", ["model.wrong-kind"]),
        ("judge grounded { model small }", ["model.wrong-kind"]),
        ('judge grounded { require tone.choice == "formal" else "Formal." }', []),
        ('judge grounded { require mood.choice == "formal" else "Formal." }', ["name.unknown"]),
        ("judge short { model small }", ["judge.model-on-code-judge"]),
        ('judge short { require len(reply) < 9 else "" }', ["judge.no-reason"]),
        ('model small "openai/gpt-6-nano"', []),
        ('model smal "openai/gpt-6-nano"', ["name.unknown"]),
        ('model small " "', ["value.range"]),
        ("agent writer { model other }", ["judge.same-model-family"]),
        ('model other "openai/gpt-6-nano"', ["judge.same-model-family"]),
        ('model small "anthropic/claude-haiku"', ["judge.same-model-family"]),
        ("judge clear { model big }", ["judge.same-model-family"]),
        ("judge clear { model big } agent writer { model other }", []),
    ],
)
def test_u23_a_profile_changes_what_is_there_in_ways_that_work(profile: str, expected: list[str]) -> None:
    assert codes(f"profile p {{ {profile} }}\n") == expected


# --- limits, memory, prices --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("limits { cost $1 per run  cost $10 per day  tokens 200_000 per run  calls 9 per run time 5m per run }", []),
        ("limits { cost $0 per run }", ["value.range"]),
        ("limits { calls 1.5 per run }", ["value.range"]),
        ("limits { cost $1 per run  cost $2 per run }", ["clause.duplicate"]),
        ("memory { history 10  compact every 5 keep 10 with small }", []),
        ("memory { history 0 }", []),
        ("memory { history 1.5 }", ["value.range"]),
        ("memory { history -1 }", ["value.range"]),
        ("memory { history 1  history 2 }", ["clause.duplicate"]),
        ("memory { compact every 0 keep 10 with small }", ["value.range"]),
        ("memory { compact every 5 keep 0 with small }", ["value.range"]),
        ("memory { compact every 5 keep 10 with jev }", ["model.wrong-kind"]),
        ("memory { compact every 5 keep 10 with smal }", ["name.unknown"]),
        ('workflow w "What" version "1"', []),
        ('workflow w version " "', ["value.range"]),
        ('workflow w version "{{ x }}"', ["text.not-a-template"]),
        ("limits { calls 1 per run }\nlimits { cost $1 per day }", ["name.duplicate"]),
        ("memory { history 1 }\nmemory { history 1 }", ["name.duplicate"]),
        ("context { a: 1 }\ncontext { b: 1 }", ["name.duplicate"]),
        ("workflow a\nworkflow b", ["name.duplicate"]),
    ],
)  # fmt: skip
def test_limits_memory_and_the_header_make_sense(text: str, expected: list[str]) -> None:
    assert codes(text + "\n") == expected


def test_an_unknown_limit_is_an_error_and_never_no_limit() -> None:
    (found,) = findings("limits { cots $1 per day }\n")
    assert found.code == "clause.unknown"
    assert "limits" in found.message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('model x "openai/x"\nagent a { model x  prompt "x" }', "error"),
        ('model x "openai/x"', None),
        ('agent a { model "openai/x"  prompt "x" }', "error"),
        ('model x "script/x"\nagent a { model x  prompt "x" }', None),
        ('model x "local/x"\nagent a { model x  prompt "x" }', None),
        (
            f'model x "openai/x" {{ {PRICE}  fallback ["openai/y"] }}\nagent a {{ model x  prompt "x" }}',
            "error",
        ),
        ('model x "openai/x"\nmemory { compact every 5 keep 10 with x }', "error"),
        ('model x "openai/x"\njudge j { model x  ask "{{ reply }}" }', "error"),
        ('agent a { model nothing  prompt "x" }', None),
    ],
)
@pytest.mark.parametrize("limit", [True, False])
def test_a_model_that_is_asked_needs_a_price_where_a_cost_limit_stands(
    text: str, code: str | None, limit: bool
) -> None:
    whole = f"{text}\nlimits {{ cost $1 per run }}\n" if limit else f"{text}\n"
    found = [each.severity for each in findings(whole, hints=True) if each.code == "model.no-price"]
    assert found == ([] if code is None else [code] if limit else ["hint"])


def test_other_limits_need_no_price() -> None:
    text = 'model x "openai/x"\nagent a { model x  prompt "x" }\nlimits { calls 3 per run }\n'
    assert "model.no-price" not in codes(text)


@pytest.mark.parametrize(
    ("bounds", "told"),
    [("2..3", "2 to 3 items"), ("2..", "at least 2 items"), ("..0", "at most 0 items"), ("2..2", "2 items")],
)
def test_a_scripted_list_of_the_wrong_size_is_told_with_its_bounds(bounds: str, told: str) -> None:
    text = f"""
model small "openai/some"
agent lister -> text[]({bounds}) {{ model small }}
flow main(x: text) -> text[] {{ return lister(x) }}
test "t" for main {{ given {{ x: "a" }}  lister replies [["a"]]  expect status == "answered" }}
"""
    workspace = Workspace({}.get)
    workspace.update("main.judge", text)
    (found,) = [each for each in workspace.analyse("main.judge").diagnostics if each.severity == "error"]
    assert (found.code, found.message) == (
        "test.wrong-shape",
        f"The answer of `lister` has {told}, but this has 1",
    )
