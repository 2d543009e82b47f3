"""What a type checker knows of decisions. It is checked by mypy and never run.

A line that ends with `# error` must be one; no other line may be.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, assert_never, assert_type

import judgeflow as jf

Team = Literal["billing", "technical"]


class Ticket(TypedDict):
    title: str


class Order(TypedDict):
    number: int


ticket: Ticket = {"title": "Fire"}
order: Order = {"number": 7}

judge = jf.create_judge(jf.providers.scripted({}))
team: jf.ChoiceQuestion[Ticket, Team] = jf.ChoiceQuestion({"billing": "Payments", "technical": None})
urgent = jf.Condition[Ticket]("Is it urgent?")
late = jf.Condition[Order]("Is it late?")


def number(meta: object) -> int:
    return 1


async def text(meta: object) -> str:
    return ""


def data(meta: object) -> bytes:
    return b""


def wrong(meta: int) -> int:
    return meta


async def nothing(meta: object) -> None: ...


async def a_choice_is_one_of_its_options() -> str:
    decision = await judge.choice(question=team, context=ticket)
    assert_type(decision, jf.ChoiceDecision[Team])
    match decision.value:
        case "billing":
            return "money"
        case "technical":
            return "machines"
        case _:
            assert_never(decision.value)


async def a_forgotten_option_is_found() -> str:
    decision = await judge.choice(question=team, context=ticket)
    match decision.value:
        case "billing":
            return "money"
        case _:
            assert_never(decision.value)  # error


async def options_in_words_are_literals_where_it_is_said() -> None:
    said: jf.ChoiceDecision[Team] = await judge.choice(
        question="Which team?", options=("billing", "technical")
    )
    assert_type(said.value, Team)
    other: jf.ChoiceDecision[Team] = await judge.choice(
        question="Which team?",
        options=("billing", "sales"),  # error
    )
    assert_type((await judge.choice(question="Which team?", options=("a", "b"))).value, str)
    assert_type(other.value, Team)
    levels: tuple[Literal["low", "high"], ...] = ("low", "high")
    assert_type((await judge.score(question="How bad?", levels=levels)).label, Literal["low", "high"])


async def c26_the_result_is_what_any_callback_gives() -> None:
    both = await judge.judge_if(condition="Is it?", then=number, otherwise=text)
    assert_type(both, int | str)
    three = await judge.judge_if(
        condition="Is it?", then=text, otherwise=number, confidence=jf.Confidence(0.8, uncertain=data)
    )
    assert_type(three, str | int | bytes)
    awaited = await judge.judge_if(
        condition="Is it?", then=text, otherwise=text, confidence=jf.Confidence(0.8, uncertain=nothing)
    )
    assert_type(awaited, str | None)
    inline = await judge.judge_if(condition="Is it?", then=lambda meta: 1, otherwise=lambda meta: "x")
    assert_type(inline, int | str)
    switched = await judge.judge_switch(
        question=team,
        cases={"billing": text, "technical": text},
        confidence=jf.Confidence(0.8, uncertain=number),
    )
    assert_type(switched, str | int)


def on_yes(meta: jf.BranchMeta[jf.BooleanDecision]) -> bool:
    return meta.decision.value


def on_billing(meta: jf.BranchMeta[jf.ChoiceDecision[Team]]) -> dict[Team, float]:
    return meta.decision.probabilities


def on_doubt(meta: jf.UncertainMeta[jf.BooleanDecision]) -> float:
    return meta.decision.confidence if meta.decision is not None else meta.minimum


async def what_callbacks_get() -> None:
    doubt = jf.Confidence(0.8, uncertain=on_doubt)
    went = await judge.judge_if(condition="Is it?", then=on_yes, otherwise=text, confidence=doubt)
    assert_type(went, bool | str | float)
    shares = await judge.judge_switch(question=team, cases={"billing": on_billing, "technical": on_billing})
    assert_type(shares, dict[Team, float])
    await judge.judge_if(condition="Is it?", then=wrong, otherwise=number)  # error


async def a56_an_extra_case_is_found() -> None:
    await judge.judge_switch(
        question=team,
        cases={"billing": number, "technical": number, "sales": number},  # error
    )


async def a56_an_extra_option_of_a_question_is_found() -> None:
    more: jf.ChoiceQuestion[Ticket, Team] = judge.choice_question(
        {"billing": None, "technical": None, "sales": None}  # error
    )
    assert_type(more, jf.ChoiceQuestion[Ticket, Team])


async def a51_c51_a_condition_is_about_its_own_context() -> None:
    await judge.boolean(condition=urgent, context=ticket)
    await judge.boolean(condition=urgent, context=order)  # error
    await judge.judge_if(condition=late, context=order, then=number, otherwise=number)
    await judge.boolean(condition=late, context=ticket)  # error
    assert_type(judge.condition("Is it urgent?", Ticket), jf.Condition[Ticket])
    assert_type(judge.condition("Is it urgent?"), jf.Condition[Any])


async def c52_so_is_a_choice_question() -> None:
    await judge.choice(question=team, context=ticket)
    await judge.choice(question=team, context=order)  # error
    typed = judge.choice_question({"a": None, "b": None}, context=Ticket)
    assert_type(typed, jf.ChoiceQuestion[Ticket, str])


async def c41_a_scope_is_about_one_type_of_context() -> None:
    tickets = judge.scope(Ticket)
    assert_type(tickets, jf.ScopedJudge[Ticket])
    await tickets.boolean(condition="Is it?", context={"title": "Fire"})
    await tickets.boolean(condition=urgent, context=ticket)
    await tickets.boolean(condition=late, context=ticket)  # error
    await tickets.boolean(condition="Is it?", context={"number": 7})  # error
    await tickets.boolean(condition="Is it?")  # error
    both = await tickets.with_context({"a": 1}).judge_if(
        condition=urgent, context=ticket, then=number, otherwise=text
    )
    assert_type(both, int | str)
    await tickets.judge_switch(question=team, context=ticket, cases={"billing": number, "technical": text})


def fetch(args: jf.GetContextArgs[int]) -> dict[str, int]:
    return {"customer": args.input}


async def a60_c53_c54_presets_are_about_their_input() -> None:
    boolean = jf.BooleanPreset(condition=urgent, get_context=fetch)
    assert_type(boolean, jf.BooleanPreset[int])
    choice = jf.ChoicePreset(question=team, get_context=fetch)
    assert_type(choice, jf.ChoicePreset[int, Team])
    await judge.boolean(condition=boolean, input=7)
    await judge.boolean(condition=boolean, input="seven")  # error
    assert_type((await judge.choice(question=choice, input=7)).value, Team)
    await judge.judge_switch(question=choice, input=7, cases={"billing": number, "technical": number})
    await judge.judge_switch(question=boolean, input=7, cases={"billing": number})  # error
    await judge.judge_if(condition=choice, input=7, then=number, otherwise=number)  # error
    jf.BooleanPreset(condition=urgent, get_context=fetch, cache=jf.ContextCache(60, key=len))  # error


class Provider:
    """What an application writes to bring its own service."""

    async def boolean(self, input: jf.BooleanInput) -> jf.BooleanDecision:
        return jf.BooleanDecision(True, 0.9, 0.9)

    async def choice(self, input: jf.ChoiceInput) -> jf.ChoiceDecision[str]:
        shares = {option: 1 / len(input.options) for option in input.options}
        return jf.ChoiceDecision(input.options[0], shares, 0.5)

    async def score(self, input: jf.ScoreInput) -> jf.ScoreDecision[str]:
        shares = (1.0, *(0.0 for _ in input.levels[1:]))
        return jf.ScoreDecision(0.0, input.levels, shares, 1.0)


class Lacking:
    async def boolean(self, input: jf.BooleanInput) -> jf.BooleanDecision:
        return jf.BooleanDecision(True, 0.9, 0.9)


def a49_a_provider_has_all_three() -> None:
    jf.create_judge(Provider(), on_decision=print, on_error=print, context={"a": 1})
    jf.create_judge(Lacking())  # error
