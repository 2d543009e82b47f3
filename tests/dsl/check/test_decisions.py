from __future__ import annotations

import pytest

HEAD = """\
model small "openai/gpt-6-mini"
model jev   "typesafe/jev-1.13" { kind decision }
type Ticket { id: text  title: text  customer: text? }
tool crm(customer: text?) -> json { python "crm.py:get" }
agent writer { model small }
"""


def condition(*clauses: str, params: str = "(ticket: Ticket)", model: str = "model jev") -> str:
    return f"{HEAD}condition urgent{params} {{ {'  '.join((model, *clauses))} }}\n"


@pytest.mark.parametrize(
    "text",
    [
        'condition urgent(ticket: Ticket) { model jev  ask "Is {{ ticket.title }} urgent?"  confidence at least 0.8 }',
        'choice team(ticket: Ticket) { model jev  ask "Whose?"  options { billing "Payments"  technical } }',
        'scale risk(answer: text) { model jev  ask "How risky?"  levels ["none", "low"]  confidence at least 0 }',
        'condition open { model jev  ask "Is the shop open?" }',
        """condition known(ticket: Ticket, hidden key: text) {
  model jev  ask "Is it known?"
  context { customer: crm(ticket.customer), by: writer(key), run: run.id }
  cache 5m by "{{ ticket.id }}/{{ key }}"
  confidence at least 1
}""",
        'context { application: "checkout", limits: [1, 2], nested: { a: null } }',
    ],
)
def test_a_sound_decision_is_accepted(check, text) -> None:
    assert check(f"{HEAD}{text}\n").short == []


@pytest.mark.parametrize("ask", ['""', '"  "', '"""\n  """'])
def test_a50_a_blank_question_is_refused(check, ask) -> None:
    only = check(condition(f"ask {ask}")).only
    assert (only.code, only.at) == ("decision.blank", ask)
    assert only.message == "The question of this condition is blank"


@pytest.mark.parametrize(
    ("options", "at", "message"),
    [
        ("{ }", "{ }", "A choice without options has no answer"),
        ("{ a  b  a }", "a", "The option `a` stands twice"),
    ],
)
def test_a52_u36_options(check, options, at, message) -> None:
    only = check(f'{HEAD}choice team {{ model jev  ask "Whose?"  options {options} }}\n').only
    assert (only.code, only.at, only.message) == ("decision.options", at, message)


@pytest.mark.parametrize(
    ("levels", "at", "message"),
    [
        ("[]", "[]", "A scale with no levels tells nothing apart"),
        ('["low"]', '["low"]', "A scale with one level tells nothing apart"),
        ('["low", "high", "low"]', '"low"', 'The level "low" stands twice'),
        ('["low", " "]', '" "', "This level is blank"),
        ('["low", "high "]', '"high "', "This level has white space around it, which no answer would repeat"),
    ],
)
def test_a53_u36_levels(check, levels, at, message) -> None:
    only = check(f'{HEAD}scale risk {{ model jev  ask "How?"  levels {levels} }}\n').only
    assert (only.code, only.at, only.message) == ("decision.levels", at, message)


@pytest.mark.parametrize("bar", ["1.01", "-0.1", "80", "1.0000000000000000000001"])
def test_a57_a_confidence_lies_between_0_and_1(check, bar) -> None:
    only = check(condition('ask "Is it?"', f"confidence at least {bar}")).only
    assert (only.code, only.at) == ("decision.confidence", bar)
    assert only.message == f"A confidence lies between 0 and 1, and {bar} does not"


@pytest.mark.parametrize(
    ("clauses", "at", "message"),
    [
        (
            ("cache 5m by ticket.id",),
            "cache",
            "`urgent` has no `context`, and that is all a cache keeps: answers are asked anew",
        ),
        (
            ("context { a: crm(null) }", "cache 0s by ticket.id"),
            "0s",
            "A cache keeps its context for some time, and this is none",
        ),
        (
            ("context { a: crm(null) }", 'cache 5m by "all"'),
            '"all"',
            "The key of this cache is always the same, so every call would get the first one's context",
        ),
    ],
)
def test_a61_a_cache_has_something_to_keep_a_time_and_a_key(check, clauses, at, message) -> None:
    only = check(condition('ask "Is it?"', *clauses)).only
    assert (only.code, only.at, only.message) == ("decision.cache", at, message)


@pytest.mark.parametrize(
    ("clauses", "code", "at"),
    [
        ((), "clause.missing", "urgent"),
        (('ask "Is it?"', "options { a  b }"), "clause.misplaced", "options"),
        (('ask "Is it?"', 'levels ["a", "b"]'), "clause.misplaced", "levels"),
        (('ask "Is it?"', 'ask "Is it?"'), "clause.duplicate", "ask"),
        (('ask "{{ tickt.id }}"',), "name.unknown", "tickt"),
        (('ask "{{ crm(ticket.id) }}"',), "flow.hidden-call", "crm"),
        (('ask "Is it?"', "context { a: crm(3) }"), "flow.wrong-arguments", "3"),
        (('ask "Is it?"', "context { constructor: 3 }"), "name.reserved", "constructor"),
        (('ask "Is it?"', 'context { a: [{ "__class__": 3 }] }'), "name.reserved", '"__class__"'),
        (('ask "Is it?"', "context { a: 1 }", "cache 5m by crm(ticket.id)"), "flow.hidden-call", "crm"),
    ],
)
def test_u13_clauses_of_a_condition(check, clauses, code, at) -> None:
    assert check(condition(*clauses)).short == [(code, at)]


@pytest.mark.parametrize(
    ("model", "code", "message"),
    [
        ("model small", "model.wrong-kind", "but `small` is a chat model"),
        ('model "typesafe/jev-1.13"', "model.wrong-kind", "is a chat model, as every slug in quotes is"),
        ('model ""', "clause.missing", "`urgent` has no model: its slug is blank"),
        ("model jevv", "name.unknown", "There is no model `jevv`"),
    ],
)
def test_a_decision_asks_a_decision_model(check, model, code, message) -> None:
    only = check(condition('ask "Is it?"', model=model)).only
    assert only.code == code
    assert message in only.message


def test_what_is_hidden_cannot_be_in_the_question(check) -> None:
    only = check(condition('ask "Is {{ key }} valid?"', params="(ticket: Ticket, hidden key: text)")).only
    assert (only.code, only.at) == ("name.unknown", "key")
    assert only.message == "`key` is hidden: it is for `context` alone, and a question is sent"


def test_a_choice_needs_options_and_a_scale_levels(check) -> None:
    assert (
        check(f'{HEAD}choice team {{ model jev  ask "Whose?" }}\n').only.message == "`team` has no `options`"
    )
    assert check(f'{HEAD}scale risk {{ model jev  ask "How?" }}\n').only.message == "`risk` has no `levels`"


@pytest.mark.parametrize(
    ("context", "code", "at"),
    [
        ("{ a: writer(1) }", "flow.hidden-call", "writer"),
        ("{ a: nowhere }", "name.unknown", "nowhere"),
        ("{ a: 1, a: 2 }", "name.duplicate", "a"),
        ("{ __proto__: 1 }", "name.reserved", "__proto__"),
    ],
)
def test_the_global_context(check, context, code, at) -> None:
    assert check(f"{HEAD}context {context}\n").short == [(code, at)]
