from __future__ import annotations

import pytest

from judgeflow.dsl.check.families import flow_reaching

HEAD = """\
model small "openai/gpt-6-mini"
model other "anthropic/claude-haiku-5"
model jev   "typesafe/jev-1.13" { kind decision }
type Offer { salary: int }
type Refusal { why: text }
type Job { title: text }
type Senior extends Job { team: int }
type JobReport { jobs: Job[] }
type Outcome = Offer | Refusal
code judge any_text { require len(reply) > 0 else "x" }
code judge report(reply: JobReport) { require len(reply.jobs) > 0 else "x" }
code judge offer(reply: Offer) { require reply.salary > 0 else "x" }
code judge fair(reply: Outcome) { require reply is Offer else "x" }
code judge job(reply: Job) { require reply.title != "" else "x" }
code judge jobs(reply: Job[]) { require len(reply) > 0 else "x" }
code judge offers(reply: Offer[], least: int) { require len(reply) > least else "x" }
code judge decisions(reply: (Offer | Refusal)[]) { require len(reply) > 0 else "x" }
code judge anything(reply: json) { require reply != null else "x" }
judge language(reply: text, language: text, bar: float = 0.8) { model other  rate "x"  require score > bar else "x" }
tool search(query: text) -> text { python "a.py:search" }
tool browse { mcp "browser" only [open, click] }
scorer has_x contains "x"
gate checked(input) { scorers { has_x } }
"""


def agent(head: str, *clauses: str) -> str:
    return f"{HEAD}agent writer{head} {{ {'  '.join(clauses or ('model small',))} }}\n"


@pytest.mark.parametrize(
    ("head", "judges"),
    [
        pytest.param(" -> JobReport", "report", id="a08_one_type"),
        pytest.param(" -> Offer | Refusal", "fair", id="a09_the_same_union"),
        pytest.param(" -> Outcome", "fair", id="a09_the_union_by_its_name"),
        pytest.param(" -> Offer", "fair", id="a10_only_a"),
        pytest.param(" -> Refusal", "fair", id="a10_only_b"),
        pytest.param(" -> Job[]", "jobs", id="a11_a_list"),
        pytest.param(" -> Job[](1..5)", "jobs", id="a11_a_bounded_list"),
        pytest.param(" -> (Offer | Refusal)[]", "decisions", id="a12_a_list_of_unions"),
        pytest.param(" -> Outcome[]", "decisions", id="a12_a_list_of_a_named_union"),
        pytest.param("", "any_text", id="a13_a_text"),
        pytest.param(" -> text(1..10)", "any_text", id="a13_a_bounded_text"),
        pytest.param(" -> Senior", "job", id="a14_a_type_that_extends"),
        pytest.param(" -> Senior[]", "jobs", id="a14_a_list_of_it"),
        pytest.param(" -> JobReport", "anything", id="json_judges_anything"),
    ],
)
def test_a_judge_of_what_is_answered_is_accepted(check, head, judges) -> None:
    assert check(agent(head, "model small", f"judges [{judges}]")).short == []


@pytest.mark.parametrize(
    ("head", "use", "message", "help"),
    [
        pytest.param(
            "",
            "report",
            "`writer` answers with text, but its judge `report` judges JobReport",
            "Give the agent that shape, or let the judge judge text:\n"
            "agent writer -> JobReport\ncode judge report(reply: text)",
            id="a15_text_with_a_judge_of_a_type",
        ),
        pytest.param(
            " -> Offer",
            "report",
            "`writer` answers with Offer, but its judge `report` judges JobReport: it does not judge Offer",
            "Let the judge judge what is answered:\ncode judge report(reply: Offer)",
            id="a16_an_unrelated_type",
        ),
        pytest.param(
            " -> Job",
            "any_text",
            "`writer` answers with Job, but its judge `any_text` judges text: it does not judge Job",
            "Let the judge judge what is answered:\ncode judge any_text(reply: Job)",
            id="a17_a_type_with_a_judge_of_text",
        ),
        pytest.param(
            " -> Offer | Refusal",
            "offer",
            "`writer` may answer with Refusal, but its judge `offer` judges Offer only: it does not judge Refusal",
            "Let the judge judge it too:\ncode judge offer(reply: Offer | Refusal)",
            id="a18_a_union_not_covered",
        ),
        pytest.param(
            " -> Offer[]",
            "offer",
            "`writer` answers with a list, Offer[], but its judge `offer` judges one value, Offer",
            "Let the judge judge the list:\ncode judge offer(reply: Offer[])",
            id="a19_a_list_with_a_judge_of_one_value",
        ),
        pytest.param(
            " -> Job",
            "jobs",
            "`writer` answers with one value, Job, but its judge `jobs` judges a list, Job[]",
            "Let the judge judge one value, or make it a list:\n"
            "code judge jobs(reply: Job)\nagent writer -> Job[]",
            id="a20_one_value_with_a_judge_of_a_list",
        ),
        pytest.param(
            " -> (Offer | Refusal)[]",
            "offers(3)",
            "`writer` may answer with Refusal, but its judge `offers` judges Offer[] only: it does not judge Refusal",
            "Let the judge judge it too:\ncode judge offers(reply: (Offer | Refusal)[], least: int)",
            id="a_list_of_unions_not_covered",
        ),
        pytest.param(
            " -> Job",
            "fair",
            "`writer` answers with Job, but its judge `fair` judges Outcome: it does not judge Job",
            "Let the judge judge what is answered:\ncode judge fair(reply: Job)",
            id="none_of_a_named_union",
        ),
        pytest.param(
            " -> json",
            "offer",
            "`writer` answers with json, but its judge `offer` judges Offer: it does not judge json",
            "Let the judge judge what is answered:\ncode judge offer(reply: json)",
            id="json_may_be_anything",
        ),
    ],
)
def test_a_judge_of_something_else_is_refused(check, head, use, message, help) -> None:
    only = check(agent(head, "model small", f"judges [{use}]")).only
    name = use.partition("(")[0]
    assert (only.code, only.at, only.related) == ("judge.wrong-reply", name, (name,))
    assert (only.message, only.help) == (message, help)


def test_a_type_that_is_extended_is_not_judged_by_a_judge_of_the_narrower_one(check) -> None:
    text = agent(" -> Job", "model small", "judges [team]")
    text += 'code judge team(reply: Senior) { require reply.team > 0 else "x" }\n'
    assert check(text).only.code == "judge.wrong-reply"


@pytest.mark.parametrize(
    ("use", "code", "at", "message"),
    [
        ("small", "judge.not-a-judge", "small", "`small` is a model, not a judge"),
        ("has_x", "judge.not-a-judge", "has_x", "`has_x` is a scorer, not a judge"),
        ("checked", "judge.not-a-judge", "checked", "`checked` is a gate, not a judge"),
        ("search", "judge.not-a-judge", "search", "`search` is a tool, not a judge"),
        ("any_txt", "name.unknown", "any_txt", "There is no judge `any_txt`"),
        ("any_text, any_text", "name.duplicate", "any_text", "`any_text` is listed twice"),
        (
            "language",
            "judge.wrong-arguments",
            "language",
            "`language` needs `language`, which is not given",
        ),
        (
            'language("German", 0.9, 3)',
            "judge.wrong-arguments",
            "3",
            "`language` takes 2 arguments beside what it judges, and is given more",
        ),
        (
            "any_text(3)",
            "judge.wrong-arguments",
            "3",
            "`any_text` takes no arguments here: what it judges is filled in",
        ),
        (
            'language("German", bra: 0.9)',
            "judge.wrong-arguments",
            "bra",
            "`language` has no parameter `bra`",
        ),
        (
            'language(reply: "x", language: "German")',
            "judge.wrong-arguments",
            "reply",
            "`reply` is what `language` judges: it is filled in",
        ),
        (
            'language("German", bar: "high")',
            "judge.wrong-arguments",
            '"high"',
            '`language` takes float for `bar`, but this is "high"',
        ),
        ("language(tongue)", "name.unknown", "tongue", "`tongue` is not known here"),
    ],
)
def test_u02_a_listed_judge_is_a_judge_and_gets_what_it_needs(check, use, code, at, message) -> None:
    only = check(agent("(source: text)", "model small", f"judges [{use}]")).only
    assert (only.code, only.at, only.message) == (code, at, message)


def test_one_judge_may_be_used_twice_with_other_arguments(check) -> None:
    uses = 'judges [language("German"), language(tongue, bar: 0.9)]'
    assert check(agent("(tongue: text)", "model small", uses)).short == []


FAMILY = """\
model big   "openai/gpt-6"
model small "openai/gpt-6-mini" { fallback [kimi] }
model kimi  "moonshotai/kimi-k2.6"
model plain "gpt-6"
model local "local/smollm2"
model late  "typesafe/one" { fallback ["openai/gpt-6-mini"] }
"""


def families(judge: str, agent: str) -> str:
    judged = f"agent writer {{ model {agent}  judges [correct] }}"
    return f'{FAMILY}judge correct {{ model {judge}  ask "PASS?" }}\n{judged}\n'


def test_a22_a29_a_judge_of_the_agents_family_is_a_warning_that_names_everything(check) -> None:
    only = check(families("big", "small")).only
    assert (only.code, only.severity, only.at, only.related) == (
        "judge.same-model-family",
        "warning",
        "correct",
        ("correct",),
    )
    pair = (
        "`correct` (openai/gpt-6) judges `writer`, whose model openai/gpt-6-mini is of the same family (openai): "
        "give the judge a model of another vendor"
    )
    assert only.message == pair
    assert only.help.startswith("A model judges its own family's answers too kindly.")
    flows = (
        "flow other(x: text) -> text { return writer(x) }\nflow main(x: text) -> text { return other(x) }\n"
    )
    assert check(families("big", "small") + flows).only.message == f"In `main`, {pair}"
    assert (
        check(families("big", "small") + flows.replace("main", "late")).only.message == f"In `other`, {pair}"
    )


def test_the_flow_that_a_warning_names_is_found_past_others_and_depends_on_no_agent_apart(program) -> None:
    known = program(
        families("big", "small")
        + "agent bystander { model local }\n"
        + "flow shared(x: text) -> text { return x }\n"
        + "flow first(x: text) -> text { return shared(x) }\n"
        + "flow second(x: text) -> text { return shared(writer(shared(x))) }\n"
        + "flow third(x: text) -> text { return second(x) }\n"
    )
    scope = known.scope
    assert flow_reaching("writer", scope) == "second"
    assert flow_reaching("bystander", scope) is None
    assert scope.asked_names
    assert scope.asked.keys() == {"shared", "first", "second", "third", "writer", "correct"}


@pytest.mark.parametrize(
    ("judge", "agent", "slugs"),
    [
        pytest.param("kimi", "small", "(moonshotai/kimi-k2.6)", id="the_agents_fallback"),
        pytest.param("late", "big", "(openai/gpt-6-mini)", id="the_judges_fallback"),
        pytest.param('"openai/gpt-6"', '"openai/gpt-5"', "(openai/gpt-6)", id="slugs_in_quotes"),
    ],
)
def test_a24_fallbacks_and_slugs_count(check, judge, agent, slugs) -> None:
    only = check(families(judge, agent)).only
    assert only.code == "judge.same-model-family"
    assert slugs in only.message


@pytest.mark.parametrize(
    ("judge", "agent"),
    [
        ("plain", "plain"),
        ("local", "local"),
        ('"script/a"', '"script/b"'),
        ("kimi", "big"),
        ('"gpt-6"', "big"),
    ],
)
def test_a25_what_has_no_vendor_is_not_compared(check, judge, agent) -> None:
    assert check(families(judge, agent)).short == []


def test_a26_a_code_judge_is_not_compared(check) -> None:
    text = f'{FAMILY}code judge short {{ require len(reply) < 9 else "x" }}\nagent a {{ model big  judges [short] }}\n'
    assert check(text).short == []


def test_a27_judges_are_compared_with_their_own_agent_only(check) -> None:
    text = families("kimi", "big") + "agent other { model kimi }\n"
    assert check(text).short == []


def test_a_judge_used_twice_is_compared_once(check) -> None:
    text = f"""{FAMILY}judge tongue(reply: text, name: text) {{ model big  rate "{{{{ name }}}}" }}
agent writer {{ model small  judges [tongue("German"), tongue("Polish")] }}
"""
    assert [code for code, _ in check(text).short] == ["judge.same-model-family"]


@pytest.mark.parametrize(
    ("clauses", "code", "at"),
    [
        (('prompt "x"',), "clause.missing", "writer"),
        (('model ""',), "clause.missing", '""'),
        (("model smal",), "name.unknown", "smal"),
        (("model search",), "name.unknown", "search"),
        (("model jev",), "model.wrong-kind", "jev"),
        (("model small", "model other"), "clause.duplicate", "model"),
        (("model small", "retries -1"), "value.range", "-1"),
        (("model small", "retries 1.5"), "value.range", "1.5"),
        (("model small", "retries 101"), "value.range", "101"),
        (("model small", "timeout 0s"), "value.range", "0s"),
        (("model small", "tools [serch]"), "name.unknown", "serch"),
        (("model small", "tools [offer]"), "name.unknown", "offer"),
        (("model small", "tools [search, search]"), "name.duplicate", "search"),
        (("model small", "tools [search.all]"), "name.unknown", "search.all"),
        (("model small", "tools [browse.opn]"), "name.unknown", "browse.opn"),
        (("model small", 'prompt "{{ sorce }}"'), "name.unknown", "sorce"),
        (("model small", 'prompt "{{ search(source) }}"'), "flow.hidden-call", "search"),
    ],
)
def test_clauses_of_an_agent(check, clauses, code, at) -> None:
    assert check(agent("(source: text)", *clauses)).short == [(code, at)]


@pytest.mark.parametrize(
    ("head", "code", "at"),
    [
        ("(a: text, a: text)", "name.duplicate", "a"),
        ("(a: Joob)", "name.unknown", "Joob"),
        ('(a: int = "x")', "shape.mismatch", '"x"'),
        ("(hidden a: text)", "clause.misplaced", "hidden"),
        (" -> Joob", "name.unknown", "Joob"),
        (" -> String", "name.unknown", "String"),
        (' "about {{ x }}"', "text.not-a-template", "x"),
    ],
)
def test_heads_of_an_agent(check, head, code, at) -> None:
    assert check(agent(head)).short == [(code, at)]


def test_a_built_in_shape_is_written_small(check) -> None:
    only = check(agent(" -> String")).only
    assert only.help == "What is built in is written small: `text`."
    assert only.fixed == agent(" -> text")


def test_a_sound_agent_with_everything(check) -> None:
    text = agent(
        '(source: text, language: text = "German", note: text?) -> Outcome "Decides"',
        'model "openai/gpt-6"',
        'prompt "{{ source }} {{ language }} {{ note }} {{ task }} {{ run.id }}"',
        "tools [search, browse.open, browse]",
        "judges [fair]",
        "retries 0",
        "timeout 90s",
    )
    assert check(text).short == []


READS = 'code judge looked { require len(calls(search)) > 0 else "x" }\n'


def test_a_judge_that_reads_the_calls_of_a_tool_the_agent_lacks_is_a_warning(check) -> None:
    only = check(agent("", "model small", "tools [browse]", "judges [looked]") + READS).only
    assert (only.code, only.severity) == ("judge.wrong-arguments", "warning")
    assert only.message == "`looked` reads the calls of `search`, which `writer` does not have"
    assert only.help == "Give it to the agent: `tools [browse, search]`."


@pytest.mark.parametrize(
    ("tools", "reads", "sound"),
    [
        ("search", "search", True),
        ("browse", "browse.open", True),
        ("browse.open", "browse", True),
        ("browse.open", "browse.open", True),
        ("browse.click", "browse.open", False),
    ],
)
def test_an_mcp_tool_stands_for_its_functions(check, tools, reads, sound) -> None:
    judge = READS.replace("search", reads)
    found = check(agent("", "model small", f"tools [{tools}]", "judges [looked]") + judge)
    assert found.short == ([] if sound else [("judge.wrong-arguments", "looked")])
