"""Decisions: context in layers, one call, validation, an event, and exactly one branch."""

from __future__ import annotations

import textwrap
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

from judgeflow.dsl.plan import ModelPlan
from judgeflow.runtime.flow.system import Connection
from judgeflow.runtime.judge.errors import (
    ConfigurationError,
    ObservabilityError,
    ProviderContractError,
    ProviderError,
    SerializationError,
)
from judgeflow.runtime.judge.protocol import (
    ChoiceAnswer,
    ConditionAnswer,
    DecisionReply,
    RefusedAnswer,
    ScaleAnswer,
)
from judgeflow.runtime.run import events
from judgeflow.runtime.store.records import Tern
from judgeflow.runtime.testing.cancellations import every_cancellation
from judgeflow.runtime.testing.watched import Watch

from ..helpers import Model, connected, opened, program, run, step, steps, unchecked

SHELL = """
model decider "fake/decider" {{ kind decision  price $1 in, $1 out }}
{more}
condition urgent(ticket: json) {{
  model decider
  ask   "Is {{{{ ticket.title }}}} urgent?"
  {clauses}
}}
choice team(ticket: json) {{
  model decider  ask "Whose?"
  options {{ billing "Payments"  technical "Defects" }}
  {clauses}
}}
scale severity(ticket: json) {{ model decider  ask "How bad?"  levels ["low", "medium", "high"] }}
flow main(ticket: json) -> json {{
  {body}
}}
"""
TICKET = {"title": "Fire"}
BRANCHES = """
  if urgent(ticket) { return { went: "then", decision: decision } }
  uncertain         { return { went: "uncertain", decision: decision } }
  else              { return { went: "else", decision: decision } }
"""
AT_LEAST = "confidence at least 0.8"


def source(body: str, clauses: str = "", more: str = "") -> str:
    return SHELL.format(body=body, clauses=clauses, more=more)


async def decided(
    answer: Any, body: str = BRANCHES, clauses: str = AT_LEAST, more: str = "", **options: Any
) -> tuple[Any, Model]:
    reply = answer if isinstance(answer, DecisionReply | Exception) else {"decision": answer}
    decider = Model(reply)
    text = source(body, clauses, more)
    return await run(text, {"ticket": TICKET}, models={"decider": decider}, **options), decider


# --- branches


@pytest.mark.parametrize(
    ("answer", "went"),
    [
        (ConditionAnswer(0.9), "then"),
        (ConditionAnswer(0.1), "else"),
        (ConditionAnswer(0.5, 0.9), "then"),
        (ConditionAnswer(0.49, 0.9), "else"),
        (ConditionAnswer(0.7), "uncertain"),
        (ConditionAnswer(0.9, 0.79), "uncertain"),
        (ConditionAnswer(0.8), "then"),
        (ConditionAnswer(0.2), "else"),
    ],
)
async def test_c20_to_c23_c27_exactly_one_branch_runs_and_the_bar_itself_is_reached(
    answer: ConditionAnswer, went: str
) -> None:
    result, _ = await decided(answer)
    assert result.answer["went"] == went
    outcome = step(result, "urgent").decision.outcome
    assert outcome == ("uncertain" if went == "uncertain" else "accepted")


async def test_c28_without_a_minimum_the_chosen_branch_runs_whatever_the_confidence() -> None:
    body = 'if urgent(ticket) { return "then" }\n  return "else"'
    result, _ = await decided(ConditionAnswer(0.51), body, "")
    assert result.answer == "then"


@pytest.mark.parametrize(
    ("minimum", "confidence", "went"), [("0", 0.0, "then"), ("1", 1.0, "then"), ("1", 0.999, "uncertain")]
)
async def test_c32_a_minimum_of_zero_accepts_all_and_of_one_only_certainty(
    minimum: str, confidence: float, went: str
) -> None:
    result, _ = await decided(ConditionAnswer(0.9, confidence), BRANCHES, f"confidence at least {minimum}")
    assert result.answer["went"] == went


async def test_c30_c31_the_uses_own_minimum_overrides_the_declarations() -> None:
    body = BRANCHES.replace("uncertain         {", "uncertain below 0.95 {")
    assert (await decided(ConditionAnswer(0.9), body))[0].answer["went"] == "uncertain"
    assert (await decided(ConditionAnswer(0.9)))[0].answer["went"] == "then"
    assert (await decided(ConditionAnswer(0.9), body, ""))[0].answer["went"] == "uncertain"


async def test_c71_c72_c73_a_branch_sees_its_decision_and_never_the_context() -> None:
    result, _ = await decided(ConditionAnswer(0.9))
    assert result.answer["decision"] == {
        "id": f"{result.record.id}/1",
        "probability": 0.9,
        "value": True,
        "confidence": 0.9,
    }
    result, _ = await decided(ConditionAnswer(0.7))
    assert result.answer["decision"]["minimum"] == 0.8


async def test_a_branchs_decision_is_its_own_again_after_one_inside_it() -> None:
    body = """
      if urgent(ticket) {
        if urgent(ticket) { inner = decision.id }
        uncertain         { inner = "" }
        else              { inner = "" }
        return { inner: inner, outer: decision.id }
      }
      uncertain { return null }
      return null
    """
    decider = Model({"decision": ConditionAnswer(0.9)})
    result = await run(unchecked(source(body, AT_LEAST)), {"ticket": TICKET}, models={"decider": decider})
    assert [result.answer["outer"][-2:], result.answer["inner"][-2:]] == ["/1", "/2"]


async def test_c24_c25_a_switch_runs_the_chosen_case_alone() -> None:
    body = """
      switch team(ticket) {
        case billing   { return { went: "billing", decision: decision } }
        case technical { return { went: "technical", decision: decision } }
        uncertain      { return { went: "uncertain", decision: decision } }
      }
    """
    shares = {"billing": 0.1, "technical": 0.9}
    result, _ = await decided(ChoiceAnswer("technical", shares), body)
    assert result.answer["went"] == "technical"
    assert result.answer["decision"]["choice"] == "technical"
    assert result.answer["decision"]["probabilities"] == shares
    result, _ = await decided(ChoiceAnswer("technical", {"billing": 0.4, "technical": 0.6}), body)
    assert (result.answer["went"], result.answer["decision"]["minimum"]) == ("uncertain", 0.8)


async def test_c16_c19_as_a_value_a_decision_has_no_bar() -> None:
    body = "a = urgent(ticket)\n  c = severity(ticket)\n  return { a: a, c: c }"
    decider = Model({"decision": ConditionAnswer(0.6)}, {"decision": ScaleAnswer(1.25, (0.25, 0.25, 0.5))})
    result = await run(source(body, AT_LEAST), {"ticket": TICKET}, models={"decider": decider})
    assert (result.answer["a"]["value"], result.answer["a"]["confidence"]) == (True, 0.6)
    assert result.answer["c"]["label"] == "high"
    assert (result.answer["c"]["score"], result.answer["c"]["levels"]) == (1.25, ["low", "medium", "high"])
    assert step(result, "urgent").decision.outcome == "accepted"


@pytest.mark.parametrize(
    ("body", "clauses", "code"),
    [
        ('if urgent(ticket) { return "x" }\n  return "y"', AT_LEAST, "decision.no-uncertain"),
        (BRANCHES, "", "decision.uncertain-unreachable"),
    ],
)
async def test_a58_a59_a_bar_without_an_uncertain_branch_or_the_reverse_is_refused_before_anything_runs(
    body: str, clauses: str, code: str
) -> None:
    decider = Model({"decision": ConditionAnswer(0.9)})
    with pytest.raises(ConfigurationError) as caught:
        await run(unchecked(source(body, clauses)), {"ticket": TICKET}, models={"decider": decider})
    assert caught.value.code == code
    assert decider.requests == []


async def test_c68_c69_x18_a_step_that_fails_in_a_branch_fails_as_itself_and_no_other_branch_runs() -> None:
    body = """
      if urgent(ticket) { stop "in then" }
      else { stop "in else" }
    """
    result, decider = await decided(ConditionAnswer(0.9), body, "")
    assert (result.record.code, result.record.reason, len(decider.requests)) == ("flow.stop", "in then", 1)


# --- validation


@pytest.mark.parametrize(
    "reply",
    [
        DecisionReply({}),
        DecisionReply({"decision": ConditionAnswer(0.9), "other": ConditionAnswer(0.9)}),
        DecisionReply({"decision": ChoiceAnswer("a", {"a": 1.0})}),
        DecisionReply({"decision": ConditionAnswer(1.1)}),
        DecisionReply({"decision": ConditionAnswer(float("nan"))}),
        DecisionReply({"decision": ConditionAnswer(0.9, float("inf"))}),
    ],
)
async def test_c03_c05_c70_u39_a_broken_contract_runs_no_branch_and_was_paid_for(
    reply: DecisionReply,
) -> None:
    result, _ = await decided(reply)
    assert (result.status, result.record.code) == ("failed", "step.decision")
    assert isinstance(result.error.__cause__, ProviderContractError)
    assert step(result, "urgent").decision is None
    assert result.record.usage.calls == 1


async def test_c77_u12_a_failed_call_runs_no_branch() -> None:
    result, _ = await decided(ProviderError("it is down", code="provider.down"))
    assert (result.status, result.answer) == ("failed", None)
    assert (result.record.code, result.record.reason) == ("step.decision", "urgent: it is down")


async def test_a_refused_question_takes_the_uncertain_branch_where_there_is_one() -> None:
    result, _ = await decided(RefusedAnswer("not that"))
    assert result.answer == {
        "went": "uncertain",
        "decision": {"id": f"{result.record.id}/1", "minimum": 0.8},
    }
    assert step(result, "urgent").decision.outcome == "refused"


@pytest.mark.parametrize("body", ['if urgent(ticket) { return "x" }\n  return "y"', "return urgent(ticket)"])
async def test_a_refused_question_without_one_is_the_refusal_itself(body: str) -> None:
    result, _ = await decided(RefusedAnswer("not that"), body, "")
    assert (result.status, result.record.code) == ("failed", "decision.refused")
    assert step(result, "urgent").status == "failed"
    assert "not that" in result.record.reason


# --- context


LAYERS = """
context { application: "shop", place: { city: "Kiel", zip: "24103" }, tags: ["a"], keep: 1 }
"""


async def test_c33_to_c37_layers_merge_from_global_to_the_arguments() -> None:
    body = """
      with context { place: { city: "Bonn" }, tags: ["b"], keep: null } {
        with context { scoped: true } { return urgent(ticket) }
      }
    """
    clauses = 'context { application: "desk", own: upper(ticket.title) }'
    result, decider = await decided(ConditionAnswer(0.9), body, clauses, LAYERS)
    assert result.status == "answered"
    assert decider.requests[0].state == {
        "application": "desk",
        "place": {"city": "Bonn", "zip": "24103"},
        "tags": ["b"],
        "keep": None,
        "scoped": True,
        "own": "FIRE",
        "ticket": {"title": "Fire"},
    }


async def test_a_scoped_context_ends_with_its_block_and_reaches_into_subflows() -> None:
    text = source(
        """
        with context { scoped: true } { one = inner(ticket) }
        two = inner(ticket)
        return [one, two]
        """,
        more="flow inner(ticket: json) -> json { found = urgent(ticket)  return found.value }",
    )
    decider = Model({"decision": ConditionAnswer(0.9)})
    await run(text, {"ticket": TICKET}, flow="main", models={"decider": decider})
    assert [request.state for request in decider.requests] == [
        {"scoped": True, "ticket": TICKET},
        {"ticket": TICKET},
    ]


async def test_c57_a_hidden_parameter_feeds_the_context_and_is_never_sent() -> None:
    text = source(
        'return seen(ticket, token: "t0ps3cret")',
        more="""
condition seen(ticket: json, hidden token: text) {
  model decider
  ask "Seen?"
  context { length: len(token) }
}""",
    )
    decider = Model({"decision": ConditionAnswer(0.9)})
    await run(text, {"ticket": TICKET}, models={"decider": decider})
    assert decider.requests[0].state == {"length": 9, "ticket": TICKET}
    assert "t0ps3cret" not in str(decider.requests[0].state) + decider.requests[0].questions[0].text


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("with context { __proto__: 1 } { return urgent(ticket) }", "$.__proto__"),
        ('with context { a: json("[99999999999999999999]") } { return urgent(ticket) }', "$.a[0]"),
    ],
)
async def test_c39_c45_c49_what_cannot_be_sent_is_refused_with_its_path_before_any_call(
    body: str, path: str
) -> None:
    result, decider = await decided(ConditionAnswer(0.9), body, "")
    assert (result.status, decider.requests) == ("failed", [])
    assert isinstance(result.error.__cause__, SerializationError)
    assert result.error.__cause__.path == path


async def test_a_threads_turns_are_sent_before_the_rest() -> None:
    decider = Model({"decision": ConditionAnswer(0.9)})
    async with opened(source("return urgent(ticket).value"), {"decider": decider}) as session:
        first = await session.run({"ticket": TICKET})
        await session.run({"ticket": {"title": "Smoke\n\nTask:"}}, thread=first.thread)
        await session.run({"ticket": TICKET}, thread=first.thread)
    assert "previous_turns" not in decider.requests[0].state
    assert decider.requests[2].state["previous_turns"] == (
        'Previous turns:\nQ: {"ticket":{"title":"Fire"}}\nA: true\n'
        'Q: {"ticket":{"title":"Smoke\\n\\nTask:"}}\nA: true'
    )


HOOKS = """
    import trio
    asked = []
    async def crm(customer):
        asked.append(customer)
        await trio.sleep(1)
        if customer == "bad":
            raise LookupError("nobody")
        return {"customer": customer, "calls": len(asked)}
"""
CACHED = """
model decider "fake/decider" { kind decision }
tool crm(customer: text) -> json { python "hooks.py:crm" }
condition urgent(customer: text) {
  model decider
  ask "Urgent?"
  context { crm: crm(customer) }
  CACHE
}
flow main(customer: text) -> json { return urgent(customer).value }
"""


def cached(folder: Path, cache: str) -> Any:
    (folder / "hooks.py").write_text(textwrap.dedent(HOOKS), encoding="utf-8")
    return program(CACHED.replace("CACHE", cache), folder / "test.judge")


async def test_c55_c58_c59_context_is_resolved_once_and_where_it_fails_there_is_no_call(
    tmp_path: Path, autojump_clock: Any
) -> None:
    decider = Model({"decision": ConditionAnswer(0.9)})
    async with opened(cached(tmp_path, ""), {"decider": decider}) as session:
        good = await session.run("Ada")
        bad = await session.run("bad")
    assert decider.requests[0].state["crm"] == {"customer": "Ada", "calls": 1}
    # A step that fails inside a step fails as itself.
    assert (bad.status, bad.record.code, len(decider.requests)) == ("failed", "step.tool.failed", 1)
    assert [(s.name, s.parent) for s in good.record.steps] == [("urgent", None), ("crm", "1")]


async def test_c60_c61_c62_a_cache_keeps_the_context_for_its_time_and_tenant_and_never_the_answer(
    tmp_path: Path, autojump_clock: Any
) -> None:
    decider = Model({"decision": ConditionAnswer(0.9)})
    made = cached(tmp_path, "cache 1m by customer")
    async with opened(made, {"decider": decider}) as session:
        async with trio.open_nursery() as nursery:
            for _ in range(5):
                nursery.start_soon(session.run, "Ada")
        await session.run("Bob")
        await session.run("Ada", tenant="other")
        await trio.sleep(61)
        await session.run("Ada")
    calls = [request.state["crm"]["calls"] for request in decider.requests]
    assert calls == [1, 1, 1, 1, 1, 2, 3, 4], "who miss at once resolve once"


async def test_a_failed_context_is_not_kept(tmp_path: Path, autojump_clock: Any) -> None:
    made = cached(tmp_path, "cache 1m by customer")
    async with opened(made, {"decider": Model({"decision": ConditionAnswer(0.9)})}) as session:
        results = [await session.run("bad") for _ in range(2)]
    assert [len(steps(result, "crm")) for result in results] == [1, 1]


# --- events and records


async def test_c78_c79_c80_c83_the_event_comes_before_the_branch_and_holds_no_context() -> None:
    seen: list[events.Event] = []
    body = 'if urgent(ticket) { stop "yes" }\n  uncertain { stop "who knows" }\n  return "no"'
    result, _ = await decided(ConditionAnswer(0.9), body, hooks=[seen.append])
    kinds = [type(event).__name__ for event in seen]
    assert kinds == ["RunStarted", "StepStarted", "Decided", "StepEnded", "RunEnded"]
    event = seen[2]
    assert isinstance(event, events.Decided)
    assert (event.id, event.kind, event.name) == (f"{result.record.id}/1", "boolean", "urgent")
    assert (event.selected, event.confidence, event.outcome) == (True, 0.9, "accepted")
    assert (event.provider, event.gateway, event.model, event.input_tokens, event.output_tokens) == (
        "fake",
        None,
        "fake/decider",
        10,
        5,
    )
    assert "Fire" not in str(event)


async def test_c78_a_gateway_stands_beside_whoever_answers_in_the_event_and_the_record() -> None:
    seen: list[events.Event] = []
    made = program(source(BRANCHES, clauses=AT_LEAST))
    by_hand = connected({"decider": Model({"decision": ConditionAnswer(0.9)}, name="openrouter")})

    def connect(model: ModelPlan) -> Connection:
        return attrs.evolve(by_hand(model), vendor="typesafe")

    async with made.opened(connect=connect) as session:
        result = await session.run({"ticket": TICKET}, hooks=[seen.append])
    [told] = [event for event in seen if isinstance(event, events.Decided)]
    [step] = [step for step in result.record.steps if step.decision is not None]
    assert (told.provider, told.gateway) == ("typesafe", "openrouter")
    assert (step.decision.provider, step.decision.gateway) == ("typesafe", "openrouter")


async def test_c85_x20_events_of_choices_and_scales_name_their_labels() -> None:
    seen: list[events.Event] = []
    body = "a = team(ticket)\n  b = severity(ticket)\n  return [a.choice, b.label]"
    decider = Model(
        {"decision": ChoiceAnswer("billing", {"billing": 1.0, "technical": 0.0})},
        {"decision": ScaleAnswer(2.0, (0.0, 0.0, 1.0))},
    )
    await run(source(body), {"ticket": TICKET}, models={"decider": decider}, hooks=[seen.append])
    told = [(e.kind, e.selected) for e in seen if isinstance(e, events.Decided)]
    assert told == [("choice", "billing"), ("score", "high")]


async def test_c81_c82_u32_a_hook_that_raises_changes_nothing_and_reaches_on_error() -> None:
    failures: list[ObservabilityError] = []

    def hook(event: events.Event) -> None:
        raise RuntimeError(type(event).__name__)

    result, _ = await decided(ConditionAnswer(0.9), hooks=[hook], on_error=failures.append)
    assert result.answer["went"] == "then"
    assert {str(failure) for failure in failures} == {"a hook failed (RuntimeError)"}
    assert {failure.id for failure in failures} == {result.record.id}
    assert [str(failure.__cause__) for failure in failures] == [
        "RunStarted",
        "StepStarted",
        "Decided",
        "StepEnded",
        "RunEnded",
    ]


async def test_the_record_says_where_a_confidence_came_from_and_that_it_was_normalised() -> None:
    reply = DecisionReply(
        {"decision": ChoiceAnswer("billing", {"billing": 0.66, "technical": 0.33})}, rounding=2
    )
    result, _ = await decided(reply, "return team(ticket).choice", "")
    record = step(result, "team").decision
    assert (record.selected, record.normalized, record.origin) == ("billing", True, "derived")
    assert round(sum(record.probabilities.values()), 9) == 1
    assert (record.provider, result.cost.parties) == ("fake", {"decision:team": "unknown"})


# --- what decision services really answer


async def test_case_184_185_a_broken_distribution_is_told_with_its_field_and_runs_no_branch() -> None:
    body = "switch team(ticket) { case billing { return 1 } case technical { return 2 } }"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"billing": 1.0}, "has no probability for 'technical'"),
        ({"billing": 1.2, "technical": -0.2}, "has probabilities.billing 1.2, which is not between 0 and 1"),
        ({"billing": float("nan"), "technical": 0.5}, "has probabilities.billing nan"),
        ({"billing": 0.66, "technical": 0.33}, "add up to 0.99, off from 1 by more than 1e-06"),
    ]
    for shares, told in wrong:
        result, _ = await decided(ChoiceAnswer("billing", shares), body, "")
        assert (result.status, result.answer) == ("failed", None)
        assert told in result.record.reason


@pytest.mark.parametrize(("bar", "went"), [("0.6", "uncertain"), ("0.5", "then")])
async def test_x08_case_188_one_half_is_yes_and_no_surer_than_one_half(bar: str, went: str) -> None:
    result, decider = await decided(ConditionAnswer(0.5), BRANCHES, f"confidence at least {bar}")
    assert (result.answer["went"], len(decider.requests)) == (went, 1)


async def test_case_192_a_refused_question_spoils_no_other_one_of_the_same_call() -> None:
    text = source(
        "a = try first(ticket)\n  b = try second(ticket)\n  return null",
        more="""
judge first(reply: json) {
  model decider
  decide { a: condition "A?"  b: choice "B?" { x  y } }
  require a.value else "no"
}
judge second(reply: json) {
  model decider
  decide { a: condition "A?"  b: choice "B?" { x  y } }
  require b.choice == "x" else "no"
}""",
    )
    decider = Model({"a": ConditionAnswer(0.9), "b": RefusedAnswer("cannot answer")})
    result = await run(text, {"ticket": TICKET}, models={"decider": decider})
    usable, refused = steps(result, "first")[0], steps(result, "second")[0]
    assert (usable.status, usable.verdicts[0].passed) == ("succeeded", True)
    assert refused.status == "failed"
    assert "the model refused to answer `b`: cannot answer" in (refused.reason or "")


# --- clauses


async def test_a50_a_condition_that_is_blank_when_it_is_asked_is_refused_before_its_context(
    tmp_path: Path,
) -> None:
    source_text = CACHED.replace('ask "Urgent?"', 'ask "{{ customer }}"').replace("CACHE", "")
    (tmp_path / "hooks.py").write_text(textwrap.dedent(HOOKS), encoding="utf-8")
    decider = Model({"decision": ConditionAnswer(0.9)})
    made = program(source_text, tmp_path / "test.judge")
    result = await run(made, {"customer": "  "}, models={"decider": decider})
    assert (result.status, decider.requests, steps(result, "crm")) == ("failed", [], [])
    assert "the condition is empty" in result.record.reason


async def test_c30_a_bar_below_which_an_answer_is_uncertain_stands_in_switches_too() -> None:
    body = """
      switch team(ticket) {
        case billing        { return "billing" }
        case technical      { return "technical" }
        uncertain below 0.9 { return decision.minimum }
      }
    """
    answer = ChoiceAnswer("billing", {"billing": 0.85, "technical": 0.15})
    assert (await decided(answer, body))[0].answer == 0.9
    assert (await decided(ChoiceAnswer("billing", {"billing": 0.9, "technical": 0.1}), body))[
        0
    ].answer == "billing"


async def test_c17_a_scale_is_read_as_a_value_and_compared() -> None:
    body = "s = severity(ticket)\n  return [s.level >= 2, s.score > 1.2, s.label, s.probabilities]"
    result, _ = await decided(ScaleAnswer(1.25, (0.25, 0.25, 0.5)), body, "")
    assert result.answer == [True, True, "high", [0.25, 0.25, 0.5]]
    tie, _ = await decided(ScaleAnswer(1.0, (0.5, 0.0, 0.5)), body, "")
    assert tie.answer[2] == "low"


async def test_c35_c37_c42_a_branch_sees_its_arguments_as_they_were() -> None:
    body = """
      facts = { place: { city: "Kiel" }, tags: ["a"] }
      with context { facts: facts } {
        with context { facts: { place: { city: null }, tags: ["b"] } } { d = urgent(ticket) }
      }
      return [d.value, facts]
    """
    result, decider = await decided(ConditionAnswer(0.9), body, "")
    assert result.answer == [True, {"place": {"city": "Kiel"}, "tags": ["a"]}]
    assert decider.requests[0].state["facts"] == {"place": {"city": None}, "tags": ["b"]}


# --- cancellation


@pytest.mark.slow
async def test_c64_who_waits_for_anothers_context_fetches_none_once_it_is_cancelled(
    tmp_path: Path, autojump_clock: Any
) -> None:
    made = cached(tmp_path, "cache 1m by customer")

    async def scenario(watch: Watch) -> None:
        decider = Model({"decision": ConditionAnswer(0.9)}, seconds=0.1)
        async with opened(made, {"decider": decider}, trace=watch.trace) as session:
            watch.tree(session.system.supervisor)
            async with trio.open_nursery() as nursery:
                for _ in range(2):
                    nursery.start_soon(partial(session.run, "Ada", hooks=[watch.hook]))
        assert watch.is_cut or [len(steps_of(tern)) for tern in watch.terns].count(2) == 1

    def steps_of(tern: Tern) -> list[str]:
        return [found.name for found in tern.steps]

    done = await every_cancellation(scenario, seeds=range(2))
    assert done.cuts > 100
