from __future__ import annotations

from collections.abc import Callable

import pytest

from judgeflow.dsl.check.python_source import PythonFile, read_python
from judgeflow.lsp.features.completion import Item, completions
from judgeflow.lsp.features.texts import Listing

BASE = """\
model small "openai/gpt-6-mini" { price $1 in, $2 out }
model jev "typesafe/jev-1" { kind decision }
type Offer { salary: int  title: text }
type Refusal { why: text }
type Outcome = Offer | Refusal
let style = "Plain."
tool search(query: text) -> Offer { python "tools.py:search" }
tool browse { mcp "x" only [open, click] }
scorer ok contains "ok"
judge fair(reply: text, bar: float, language: text = "en") {
  model small
  rate "fair"
  require score >= bar else "Fairer."
}
code judge short { require len(reply) < 400 else "Shorter." }
agent writer(topic: text, tone: text = "dry") -> Offer { model small  prompt "Write." }
agent critic { model small  prompt "Pick." }
choice team(ticket: Offer) { model jev  ask "Whose?"  options { billing "Money"  technical } }
condition urgent(ticket: Offer) { model jev  ask "Urgent?"  confidence at least 0.8 }
gate good(draft) { scorers { ok } }
"""
FOLDERS = {
    "/w": ["models.judge", "tools.py", "golden.jsonl", "shared/", "notes.txt"],
    "/w/shared": ["more.judge"],
}
PYTHON = b"def search(query): ...\nasync def posted(reply, *, task): ...\nx = 3\n"

Labels = Callable[[str], list[str]]


@pytest.fixture
def offered(scene) -> Callable[[str], dict[str, Item]]:
    def python(path: str) -> PythonFile | None:
        return read_python(PYTHON) if path == "/w/tools.py" else None

    def offer(text: str) -> dict[str, Item]:
        seen = scene(BASE + text)
        listing = Listing(lambda folder: FOLDERS.get(folder, []), python, lambda: ["acme/other"])
        return {item.label: item for item in completions(seen.analysis, seen.offset, listing)}

    return offer


def test_declarations_stand_at_column_zero(offered) -> None:
    found = offered("ag‸")
    assert {"agent", "code judge", "flow", "test", "import"} <= set(found)
    assert "model" in found
    assert found["agent"].snippet
    assert "prompt" in found["agent"].insert


def test_clauses_that_are_not_there_yet(offered) -> None:
    found = offered("agent a {\n  model small\n  ‸\n}")
    assert {"prompt", "tools", "judges", "retries", "timeout"} == set(found)
    assert found["retries"].insert == "retries ${0:2}"
    assert found["prompt"].insert.startswith('prompt """')


def test_clauses_while_the_word_is_typed_and_the_block_is_open(offered) -> None:
    assert "retries" in offered("agent a {\n  model small\n  ret‸\n")
    assert "require" in offered('code judge j {\n  require true else "x"\n  ‸')
    assert "ask" in offered('judge j {\n  model small\n  ‸\n  require true else "x"\n}')


def test_the_clauses_of_a_gate_and_its_scorers(offered) -> None:
    assert {"combine", "judge", "unreadable", "target", "pass when"} <= set(
        offered("gate g(input) {\n  scorers { ok }\n  ‸\n}")
    )
    inner = offered("gate g(input) {\n  scorers {\n    ‸\n  }\n}")
    assert {"ok", "contains", "regex", "schema", "length", "not"} <= set(inner)
    assert "combine" not in inner


def test_models_tools_and_judges_where_they_stand(offered) -> None:
    assert {"small", "jev"} == set(offered("agent a {\n  model ‸\n}"))
    assert {"search", "browse"} <= set(offered("agent a {\n  model small\n  tools [‸]\n}"))
    assert "short" not in offered("agent a {\n  model small\n  tools [s‸]\n}")
    judges = offered("agent a {\n  model small\n  judges [short, ‸]\n}")
    assert {"fair", "short"} <= set(judges)
    assert "search" not in judges


def test_types_and_primitives_where_a_shape_stands(offered) -> None:
    for text in ("agent a -> ‸ { model small }", "agent a -> O‸ { model small }", "type T {\n  x: ‸\n}"):
        found = offered(text)
        assert {"Offer", "Outcome", "text", "json"} <= set(found), text


def test_fields_after_a_dot(offered) -> None:
    assert {"salary", "title"} == set(offered('code judge j(reply: Offer) { require reply.‸ else "x" }'))
    assert {"salary", "title"} == set(
        offered('code judge j(reply: Offer) {\n  require reply.sal‸ > 3 else "x"\n}')
    )
    flow = "flow f(topic: text) -> text {\n  draft = writer(topic)\n  return draft.‸\n}"
    assert {"salary", "title"} == set(offered(flow))
    assert {"open", "click"} == set(offered("flow f(topic: text) {\n  page = browse.‸\n}"))


def test_values_in_sight_in_a_flow(offered) -> None:
    found = offered("flow f(topic: text) -> text {\n  draft = writer(topic)\n  return ‸\n}")
    assert {"topic", "draft", "style", "len", "writer", "search", "urgent"} <= set(found)
    assert found["draft"].detail == "Offer"
    assert found["writer"].insert == "writer(${1:topic})$0"
    assert "small" not in found


def test_calls_that_cost_are_not_offered_in_a_template(offered) -> None:
    found = offered('agent a(who: text) {\n  model small\n  prompt "Hello {{ ‸ }}"\n}')
    assert {"who", "style", "upper"} <= set(found)
    assert "writer" not in found


def test_a_template_that_is_not_closed_yet(offered) -> None:
    assert {"who", "style"} <= set(offered('agent a(who: text) {\n  model small\n  prompt "Hello {{ w‸"\n}'))
    block = 'agent a(who: text) {\n  model small\n  prompt """\n    Hello {{ ‸\n    """\n}'
    assert {"who", "style"} <= set(offered(block))


def test_nothing_is_offered_in_plain_text_or_a_comment(offered) -> None:
    assert offered('agent a {\n  model small\n  prompt "Hello wor‸ld"\n}') == {}
    assert offered("agent a {\n  model small  # a co‸mment\n}") == {}


def test_statements_and_steps_of_a_flow(offered) -> None:
    found = offered("flow f(topic: text) -> text {\n  ‸\n}")
    assert {"return", "if", "switch", "parallel", "loop", "stop", "with"} <= set(found)
    step = offered("flow f(topic: text) -> text {\n  draft = ‸\n}")
    assert {"try", "each", "best", "race", "approve", "writer", "topic"} <= set(step)


def test_a_call_stands_as_a_statement_and_keeps_its_arguments(offered) -> None:
    found = offered("flow f(topic: text) -> text {\n  wri‸\n  return topic\n}")
    assert found["writer"].insert == "writer(${1:topic})$0"
    again = offered("flow f(topic: text) -> text {\n  draft = wri‸(topic)\n  return topic\n}")
    assert again["writer"].insert == ""


def test_arguments_by_name(offered) -> None:
    found = offered("flow f(topic: text) -> text {\n  draft = writer(topic, ‸)\n}")
    assert "tone: " in found
    judges = offered("agent a {\n  model small\n  judges [fair(0.5, ‸)]\n}")
    assert "language: " in judges
    assert "reply: " not in judges


def test_options_of_a_switch_that_have_no_case(offered) -> None:
    switch = 'switch team(ticket) {\n    case billing { stop "b" }\n    case ‸ { stop "t" }\n  }'
    found = offered(f"flow f(ticket: Offer) -> text {{\n  {switch}\n}}")
    assert "technical" in found
    assert "billing" not in found


def test_types_of_a_union_in_the_cases_of_a_judge(offered) -> None:
    found = offered('code judge j(reply: Outcome) {\n  case ‸ { require true else "x" }\n}')
    assert {"Offer", "Refusal"} == set(found)


def test_paths_functions_and_slugs_in_quotes(offered) -> None:
    assert {"models.judge", "shared/"} == set(offered('import "‸"'))
    assert {"more.judge"} == set(offered('import "shared/mo‸"'))
    assert {"tools.py", "shared/"} == set(offered('tool t(x: text) -> text { python "to‸" }'))
    assert {"search", "posted"} == set(offered('tool t(x: text) -> text { python "tools.py:se‸" }'))
    slugs = offered('model other "‸"')
    assert {"openai/gpt-6-mini", "typesafe/jev-1", "acme/other"} <= set(slugs)
    assert {"golden.jsonl", "shared/"} == set(offered('suite s for main {\n  cases "g‸"\n}'))


def test_the_texts_that_a_value_can_be(offered) -> None:
    found = offered(
        'flow f(kind: "junior" | "senior") -> text {\n  if kind == "‸" { return "x" }\n  return "y"\n}'
    )
    assert {"junior", "senior"} == set(found)


def test_the_words_of_a_clause(offered) -> None:
    assert {"chat", "decision"} == set(offered('model m "a/b" {\n  kind ‸\n}'))
    assert {"pass", "block"} <= set(offered("gate g(input) {\n  scorers { ok }\n  unreadable ‸\n}"))
    assert {"at"} <= set(offered('condition c(x: text) {\n  model jev\n  ask "?"\n  confidence ‸\n}'))


def test_what_a_test_may_script_and_give(offered) -> None:
    base = 'flow f(ticket: Offer, tone: text) -> text { return "x" }\n'
    assert {"ticket", "tone"} == set(offered(base + 'test "t" for f {\n  given { ‸ }\n  expect true\n}'))
    assert {"f"} == set(offered(base + 'test "t" for ‸ {\n  expect true\n}'))
    assert {"writer", "urgent", "given", "expect"} <= set(offered(base + 'test "t" for f {\n  ‸\n}'))


def test_what_is_typed_is_what_is_replaced(offered, scene) -> None:
    text = "agent a {\n  model small\n  judges [sho‸]\n}"
    item = offered(text)["short"]
    whole = (BASE + text).replace("‸", "")
    assert whole[item.start : item.end] == "sho"


def test_every_place_of_a_file_can_be_completed_without_a_mishap(scene) -> None:
    text = (
        BASE
        + 'flow f(ticket: Offer) -> text {\n  if urgent(ticket) { return "a" } uncertain { return "b" }\n}\n'
    )
    seen = scene(text)
    listing = Listing(lambda folder: [], lambda path: None)
    for offset in range(0, len(text), 7):
        for item in completions(seen.analysis, offset, listing):
            assert item.start <= offset == item.end


def test_a_decision_is_offered_the_clauses_of_its_own_kind(offered) -> None:
    assert set(offered("condition c(t: text) {\n  model jev\n  ‸\n}")) == {
        "ask",
        "context",
        "confidence",
        "cache",
    }
    assert "options" in offered("choice c(t: text) {\n  model jev\n  ‸\n}")


@pytest.mark.parametrize(
    "rule",
    [
        "require reply.‸\n}",
        "require reply.sal‸\n}",
        "require len(reply.‸) > 0\n}",
        'require reply.‸\n  require true else "x"\n}',
        "case Offer { require reply.‸ }\n}",
        'require reply.‸\n    else "Say so."\n}',
    ],
)
def test_a_rule_is_completed_before_its_reason_is_written(offered, rule: str) -> None:
    assert {"salary", "title"} == set(offered(f"code judge j(reply: Offer) {{\n  {rule}"))


def test_values_in_a_rule_that_has_just_begun(offered) -> None:
    found = offered("code judge j(reply: Offer) {\n  require ‸\n}")
    assert {"reply", "task", "calls", "len"} <= set(found)


def test_the_questions_of_a_judge_in_its_rule(offered) -> None:
    judge = 'judge j {\n  model jev\n  decide {\n    ok: condition "Is it?"\n  }\n  require ok.‸\n}'
    assert {"probability", "value", "confidence"} == set(offered(judge))


def test_calls_are_those_of_a_tool(offered) -> None:
    rule = 'require some call in calls(‸): call.status == "failed" else "x"'
    found = offered(f"code judge j {{\n  {rule}\n}}")
    assert {"search", "browse"} <= set(found)
    assert "fair" not in found


@pytest.mark.parametrize("clause", ['model "‸"', 'model "acme/o‸"', 'model "‸', 'model "o‸"'])
def test_a_slug_in_quotes_where_a_model_is_named(offered, clause: str) -> None:
    text = f"agent a {{\n  {clause}\n}}"
    found = offered(text)
    assert {"openai/gpt-6-mini", "typesafe/jev-1", "acme/other"} == set(found)
    whole = (BASE + text).replace("‸", "")
    assert {whole[item.start - 1] for item in found.values()} == {'"'}


def test_an_argument_that_is_given_by_its_place_is_not_offered_by_name(offered) -> None:
    found = offered("flow f(topic: text) -> text {\n  draft = writer(topic, ‸)\n}")
    assert "topic: " not in found
    first = offered('agent a {\n  model small\n  judges [fair(‸, language: "de")]\n}')
    assert "bar: " in first


@pytest.mark.parametrize("step", ["each one in ‸", "each one in ‸: writer(one)", "each one in to‸"])
def test_what_is_gone_through_is_a_value_in_sight(offered, step: str) -> None:
    assert {"topic", "search"} <= set(offered(f"flow f(topic: text) -> text {{\n  xs = {step}\n}}"))


def test_what_the_best_is_chosen_from_is_a_call(offered) -> None:
    found = offered("flow f(topic: text) -> text {\n  x = best of 3: ‸\n}")
    assert "writer" in found
    assert "topic" not in found


def test_nothing_is_offered_to_itself(offered) -> None:
    assert "other" not in offered("let other = ‸")
    assert "other" not in offered('model other "a/b" { fallback [‸] }')


@pytest.mark.parametrize(
    "text",
    [
        'test "t" for f {\n  writer replies { ‸ }\n}',
        'test "t" for f {\n  writer replies [{ sal‸ }]\n}',
        "flow f(x: text) {\n  y = urgent({ ‸ })\n}",
        "flow f(x: text) -> Offer {\n  return { ‸ }\n}",
        "flow f(x: text) -> Offer {\n  return { ti‸: 1 }\n}",
    ],
)
def test_the_fields_of_an_object_that_stands_for_a_type(offered, text: str) -> None:
    assert {"salary", "title"} <= set(offered(text))


def test_the_fields_of_that_of_several_types_which_an_object_fits(offered) -> None:
    found = offered("flow f(x: text) -> Outcome {\n  return { salary: 1, ti‸: 2 }\n}")
    assert "title" in found
    assert "why" not in found


def test_a_field_that_an_object_has_is_not_offered_again(offered) -> None:
    assert "title" not in offered('test "t" for f {\n  writer replies { title: "x", ‸ }\n}')
    assert "salary" not in offered('test "t" for f {\n  team decides { ‸ }\n}')


@pytest.mark.parametrize(
    "text",
    [
        "code judge j(reply: Offer) {\n  require len(sentences(reply.‸\n}",
        "code judge j(reply: Offer) {\n  require len(sentences(reply.‸))\n}",
        "code judge j(reply: Outcome) {\n  case Offer { require lower(reply.‸\n}",
        "code judge j(reply: Offer) {\n  let x = [lower(reply.‸\n}",
        'agent a(reply: Offer) { model small  prompt "{{ lower(reply.‸',
        "flow f(reply: Offer) -> text {\n  if len(lower(reply.‸\n  return reply.title\n}",
    ],
)
def test_brackets_on_the_line_need_not_be_closed_yet(offered, text: str) -> None:
    assert {"salary", "title"} == set(offered(text))


def test_lists_and_arguments_need_not_be_closed_yet(offered) -> None:
    assert {"fair", "short"} <= set(offered("agent a {\n  model small\n  judges [short, ‸\n}"))
    assert "bar: " in offered("agent a {\n  model small\n  judges [short, fair(‸\n}")
    assert {"ok", "short"} <= set(offered('suite s for main {\n  cases "g.jsonl"\n  checks [‸\n}'))


@pytest.mark.parametrize("rest", [")", ") == []", "", "[0].‸".replace("‸", "passed")])
def test_verdicts_are_those_on_an_agent(offered, rest: str) -> None:
    found = offered(f'test "t" for f {{\n  expect len(verdicts(‸{rest}\n}}')
    assert {"writer", "critic"} <= set(found)
    assert "search" not in found


def test_people_can_be_scripted(offered) -> None:
    assert "approve" in offered('test "t" for f {\n  ‸\n}')
