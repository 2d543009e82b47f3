"""Judges that are rules: no model, no cost, the first rule that does not hold gives the reason."""

from __future__ import annotations

from typing import Any

from ..helpers import Model, Tools, program, run, step, unchecked

SHELL = """
model small "fake/small"
type Offer   {{ salary: int }}
type Senior extends Offer {{ team: int }}
type Refusal {{ why: text }}
agent writer{answers} {{ model small  judges [rule]  retries 0 }}
{judge}
flow main(task: text) -> text {{ answer = writer(task)  return text(answer) }}
"""


async def judged(judge: str, reply: Any, answers: str = "") -> Any:
    source = SHELL.format(judge=judge, answers=answers)
    models = {"small": Model(reply)}
    return await run(source, "go", models=models)


async def verdict(judge: str, reply: Any, answers: str = "") -> Any:
    [found] = step(await judged(judge, reply, answers), "writer").verdicts
    return found


async def test_the_first_rule_that_does_not_hold_gives_the_reason() -> None:
    rule = """code judge rule {
      require len(reply) > 2 else "longer than {{ len(reply) }}"
      require reply starts with "T" else "start with T"
    }"""
    assert (await verdict(rule, "x")).reason == "longer than 1"
    assert (await verdict(rule, "xyz")).reason == "start with T"
    assert (await verdict(rule, "Txyz")).passed


async def test_b31_b37_a_code_judge_costs_nothing_and_its_variant_is_what_was_answered() -> None:
    rule = """code judge rule(reply: Offer) {
      require reply.salary > 0 else "x"
      metrics { variant: variant, salary: reply.salary }
    }"""
    result = await judged(rule, Tools(("answer", {"salary": 3, "team": 4})), " -> Senior")
    assert step(result, "writer").verdicts[0].metrics == {"variant": "Senior", "salary": 3}
    assert list(result.cost.parties) == ["agent:writer"]


async def test_b36_a_union_is_narrowed_by_the_answer_tool_that_was_used() -> None:
    rule = """code judge rule(reply: Offer | Refusal) {
      case Offer   { require reply.salary > 0 else "an offer pays something" }
      case Refusal { require trim(reply.why) != "" else "a refusal says why" }
      metrics { variant: variant }
    }"""
    answers = " -> Offer | Refusal"
    offer = await verdict(rule, Tools(("answer_offer", {"salary": 0})), answers)
    refusal = await verdict(rule, Tools(("answer_refusal", {"why": " "})), answers)
    assert (offer.reason, offer.metrics) == ("an offer pays something", {"variant": "Offer"})
    assert (refusal.reason, refusal.metrics) == ("a refusal says why", {"variant": "Refusal"})
    assert (await verdict(rule, Tools(("answer_offer", {"salary": 1})), answers)).passed


async def test_a_case_of_a_type_takes_what_extends_it() -> None:
    rule = """code judge rule(reply: Offer | Refusal) {
      case Offer   { require reply.salary > 5 else "more" }
      case Refusal { require false else "never" }
    }"""
    senior = await verdict(rule, Tools(("answer_senior", {"salary": 1, "team": 2})), " -> Senior | Refusal")
    assert senior.reason == "more"


async def test_b38_the_reply_of_a_text_agent_is_the_text_and_has_no_variant() -> None:
    rule = 'code judge rule { require task != "" else "x"  metrics { reply: reply, variant: variant } }'
    assert (await verdict(rule, "Hello")).metrics == {"reply": "Hello", "variant": None}


async def test_b39_b40_lists_have_the_items_type_or_items_of_their_own_variants() -> None:
    offers = """code judge rule(reply: Offer[]) {
      require len(reply) > 0 else "x"
      metrics { variant: variant, sum: sum([o.salary for o in reply]) }
    }"""
    found = await verdict(offers, Tools(("answer", {"items": [{"salary": 1}, {"salary": 2}]})), " -> Offer[]")
    assert found.metrics == {"variant": "Offer", "sum": 3}
    both = """code judge rule(reply: (Offer | Refusal)[]) {
      require len(reply) > 0 else "x"
      metrics {
        offers: [i.value.salary for i in reply if i is Offer],
        whys: [i.value.why for i in reply if i is Refusal]
      }
    }"""
    items = [
        {"variant": "Refusal", "value": {"why": "no"}},
        {"variant": "Offer", "value": {"salary": 9}},
    ]
    found = await verdict(both, Tools(("answer", {"items": items})), " -> (Offer | Refusal)[]")
    assert found.metrics == {"offers": [9], "whys": ["no"]}


async def test_metrics_may_read_a_value_that_stands_after_the_rule_that_failed() -> None:
    rule = """code judge rule {
      require reply != "x" else "not x"
      let size = len(reply)
      require size > 5 else "longer"
      metrics { size: size }
    }"""
    assert (await verdict(rule, "x")).metrics == {"size": 1}


async def test_b17_a_rule_that_fails_with_a_blank_reason_breaks_the_judge() -> None:
    result = await judged('code judge rule { require false else "{{ trim(reply) }}" }', "  ")
    assert (result.status, result.record.code) == ("failed", "judge.no-reason")
    assert step(result, "writer").verdicts == ()


async def test_a_rule_that_cannot_be_evaluated_breaks_the_judge_and_names_its_place() -> None:
    result = await judged('code judge rule { require json(reply).n > 1 else "more" }', '{"n": "a"}')
    assert (result.record.code, result.record.reason) == (
        "step.agent",
        "writer: rule: test.judge:7: `>` compares two numbers or two texts, not text and int",
    )


async def test_a_missing_case_that_the_checker_never_saw_breaks_the_judge() -> None:
    source = SHELL.format(
        judge='code judge rule(reply: Offer | Refusal) { case Offer { require true else "x" } }',
        answers=" -> Offer | Refusal",
    )
    models = {"small": Model(Tools(("answer_refusal", {"why": "x"})))}
    result = await run(unchecked(source), "go", models=models)
    assert (result.record.code, result.record.reason) == (
        "step.agent",
        "writer: rule: no case fits a reply of type Refusal",
    )


async def test_b32_a_judge_sees_the_run_and_the_judged_agent() -> None:
    rule = """code judge rule {
      require task != "" else "x"
      metrics { tenant: run.tenant, agent: run.agent }
    }"""
    source = program(SHELL.format(judge=rule, answers=""))
    result = await run(source, "go", models={"small": Model("x")}, tenant="acme")
    assert step(result, "writer").verdicts[0].metrics == {"tenant": "acme", "agent": "writer"}
