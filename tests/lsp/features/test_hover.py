from __future__ import annotations

from collections.abc import Callable

import pytest

from judgeflow.lsp.features.hover import hover

BASE = """\
model small "openai/gpt-6-mini" { price $1 in, $2 out }
model big "anthropic/opus" via openrouter
type Offer {
  salary: int(0..)? "yearly pay in euros"
  title: text
}
let style = "Plain."
judge fair(reply: Offer) "Is it fair?" { model big  rate "fair" }
agent writer(topic: text, tone: text = "dry") -> Offer "Writes offers" { model small  judges [fair] }
choice team(x: text) { model small  ask "Whose?"  options { billing "Payments" technical } }
gate good(draft) { scorers { length 1..9 } }
"""

Shown = Callable[[str], str]


@pytest.fixture
def shown(scene) -> Shown:
    def show(text: str) -> str:
        seen = scene(BASE + text)
        found = hover(seen.analysis, seen.offset, seen.analysis_of)
        if found is None:
            return ""
        assert found.start <= seen.offset <= found.end
        return found.markdown

    return show


def test_an_agent_with_its_signature_model_and_judges(shown) -> None:
    text = shown("flow f(t: text) -> Offer { return wri‸ter(t) }")
    assert "agent writer(topic: text, tone: text = …) -> Offer" in text
    assert "Writes offers" in text
    assert "openai/gpt-6-mini" in text
    assert "`openai`" in text
    assert "Judged by `fair`" in text


def test_a_judge_with_what_it_judges(shown) -> None:
    text = shown("agent a -> Offer { model small  judges [fa‸ir] }")
    assert "Judges Offer, for" in text
    assert "`writer`" in text
    assert "without a price" in text


def test_a_type_and_a_model_as_they_were_written(shown) -> None:
    assert 'salary: int(0..)? "yearly pay in euros"' in shown("agent a -> Of‸fer { model small }")
    text = shown("agent a { model bi‸g }")
    assert 'model big "anthropic/opus" via openrouter' in text
    assert "A chat model of `anthropic`, without a price" in text


def test_fields_locals_parameters_and_options(shown) -> None:
    judge = 'code judge j(reply: Offer) { require reply.sal‸ary != null else "x" }'
    assert "Offer.salary: int?" in shown(judge)
    assert "yearly pay in euros" in shown(judge)
    flow = "flow f(topic: text) -> text {\n  offer = writer(topic)\n  return of‸fer.title\n}"
    assert "offer: Offer" in shown(flow)
    assert "offer: Offer" in shown(flow.replace("‸", "").replace("  offer", "  of‸fer"))
    assert "topic: text" in shown("flow f(to‸pic: text) -> text { return topic }")
    switch = 'flow f(t: text) -> text { switch team(t) { case bil‸ling { return "a" } case technical { return "b" } } }'
    assert "Payments" in shown(switch)


def test_what_the_language_brings(shown) -> None:
    assert "len(of)" in shown('code judge j { require l‸en(reply) > 0 else "x" }')
    assert "How often the answer was sent back" in shown('code judge j { require att‸empt < 3 else "x" }')
    assert "reply: text" in shown('code judge j { require len(rep‸ly) > 0 else "x" }')


def test_keywords_with_an_example(shown) -> None:
    assert "How often a rejected answer goes back" in shown("agent a {\n  model small\n  ret‸ries 2\n}")
    assert "A model with a job." in shown("ag‸ent a { model small }")
    assert "A judge without a model." in shown('co‸de judge j { require true else "x" }')


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("ret‸urn t", "Ends the flow with a value."),
        ('sto‸p "no"', "Ends the run as guarded."),
        (
            "sw‸itch team(t) { case billing { return t } case technical { return t } }",
            "Goes one of several ways.",
        ),
        ("paral‸lel { a = writer(t) }", "Runs steps at once."),
        ("x = t‸ry writer(t)", "A failed step is replaced, not fatal."),
        ("x = bes‸t of 3: writer(t) picked by writer", "The best of several answers."),
        ('app‸rove "Go on?"', "Asks a person."),
    ],
)
def test_statements_and_steps_with_an_example(shown, body: str, said: str) -> None:
    assert said in shown(f"flow f(t: text) -> text {{\n  {body}\n}}")


def test_what_a_test_expects(shown) -> None:
    assert "What must come out." in shown('test "t" for f {\n  exp‸ect result == "x"\n}')


def test_a_field_that_no_type_declares(shown) -> None:
    flow = "flow f(t: text) -> text {\n  d = team(t)\n  return d.cho‸ice\n}"
    assert 'choice: "billing" | "technical"' in shown(flow)
    made = "flow f(t: text) -> int {\n  d = { a: 1 }\n  return d.‸a\n}"
    assert "a: int" in shown(made)


def test_names_in_templates(shown) -> None:
    assert "let style" in shown('agent a { model small  prompt "Be {{ sty‸le }}" }')


def test_nothing_to_say(shown) -> None:
    assert shown("\n‸\n") == ""
    assert shown('agent a { model small  prompt "some wor‸ds" }') == ""
    assert shown("# a com‸ment\nagent a { model small }") == ""


def test_a_declaration_of_another_file_says_where_it_is_from(scene) -> None:
    seen = scene('import "m.judge"\nagent a { model sm‸all }', {"/w/m.judge": 'model small "a/b"\n'})
    found = hover(seen.analysis, seen.offset, seen.analysis_of)
    assert found is not None
    assert "From m.judge" in found.markdown


def test_every_place_of_a_file_can_be_hovered_without_a_mishap(scene) -> None:
    seen = scene(
        BASE
        + 'flow f(t: text) -> Offer { return writer(t) }\ntest "t" for f { given { t: "x" } expect true }'
    )
    found = [hover(seen.analysis, offset, seen.analysis_of) for offset in range(len(seen.text))]
    assert sum(one is not None for one in found) > len(found) // 3


def test_what_a_model_costs_by_its_declaration_or_its_vendors_list(shown) -> None:
    assert "A chat model of `openai`, $1 in and $2 out per million tokens" in shown(
        "agent a { model sm‸all }"
    )
    text = shown('agent a { model "anthropic/claude‸-haiku-4-5" }')
    assert text.startswith(
        "A chat model of `anthropic`, $1 in and $5 out per million tokens by its vendor's list of 20"
    )
    assert shown('agent a { model "acme/un‸known" }') == "A chat model of `acme`, without a price"


SHADOWS = """\
tool count(words: text) -> int "Mine" { python "a.py:count" }
let score = 7
let task = "mine"
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # Where declarations may be called, one wins over a function of its name; elsewhere it cannot be meant.
        ("flow f(t: text) -> int { n = cou‸nt(t)  return n }", "count(words: text) -> int"),
        (
            'condition c(t: text) { model small  ask "Is it?"  context { n: cou‸nt(t) } }',
            "count(words: text) -> int",
        ),
        ('condition c(t: text) { model small  ask "{{ cou‸nt(t) }}?" }', "count(in, of)"),
        ('code judge j { require cou‸nt(reply) > 0 else "x" }', "count(in, of)"),
        # What a declaration is given wins over a constant of that name.
        ('judge j { model small  rate "fair"  require sco‸re > 0.5 else "x" }', "The rating, from 0 to 1."),
        ('judge j { model small  ask "{{ ta‸sk }}" }', "What the agent was sent."),
        ('code judge j { require sco‸re > 0 else "x" }', "let score = 7"),
        ("flow f(t: text) -> text { return ta‸sk }", "let task"),
        ("flow f(score: int) -> int { return sco‸re }", "score: int"),
        (
            'flow f(t: text) -> text { return t }\ntest "t" for f { given { t: "x" }  expect sta‸tus == "x" }',
            "How the run ended.",
        ),
        (
            "flow f(t: text) -> Offer { return writer(t) }\n"
            'test "t" for f { given { t: "x" }  expect len(verd‸icts(writer)) == 1 }',
            "The verdicts on an agent's answers",
        ),
    ],
)
def test_what_counts_there_is_shown_where_one_name_stands_for_two_things(shown, text: str, said: str) -> None:
    assert said in shown(SHADOWS + text)
