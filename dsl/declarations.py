"""The kinds of declarations, for messages, completion and hover."""

from __future__ import annotations

import msgspec


class Declaration(msgspec.Struct, frozen=True):
    keyword: str
    article: str
    example: str
    about: str


DECLARATIONS: tuple[Declaration, ...] = (
    Declaration(
        "workflow",
        "a workflow",
        'workflow support "Routes tickets" version "1"',
        "Names the file's workflow.",
    ),
    Declaration(
        "import", "an import", 'import "shared/models.judge"', "Brings in the declarations of another file."
    ),
    Declaration(
        "let", "a constant", 'let languages = ["German", "French"]', "A constant for texts and expressions."
    ),
    Declaration(
        "provider",
        "a provider",
        "provider local { api openai  url env LOCAL_URL }",
        "Where models are called.",
    ),
    Declaration(
        "model",
        "a model",
        'model small "openai/gpt-6-mini" { temperature 0.2 }',
        "A model and how it is called.",
    ),
    Declaration("type", "a type", "type Offer { salary: int }", "A shape of data."),
    Declaration(
        "tool",
        "a tool",
        'tool get_order(id: text) -> Order { python "shop.py:get_order" }',
        "A function that agents call.",
    ),
    Declaration("agent", "an agent", 'agent writer { model small  prompt "Write." }', "A model with a job."),
    Declaration(
        "judge",
        "a judge",
        'judge useful { model small  rate "helpfulness"  threshold 0.7 }',
        "Says whether a reply is good enough.",
    ),
    Declaration(
        "code judge",
        "a code judge",
        'code judge short { require len(reply) < 400 else "Shorter." }',
        "A judge without a model.",
    ),
    Declaration("scorer", "a scorer", 'scorer has_status contains "status"', "A check that costs no tokens."),
    Declaration(
        "gate",
        "a gate",
        "gate publishable(draft) { scorers { length 1..5000 } }",
        "Lets a text through, or blocks it.",
    ),
    Declaration(
        "condition",
        "a condition",
        'condition urgent(ticket: Ticket) { model jev  ask "Is it urgent?" }',
        "A yes-or-no question to a decision model.",
    ),
    Declaration(
        "choice",
        "a choice",
        'choice team(ticket: Ticket) { model jev  ask "Whose is it?"  options { billing technical } }',
        "A question with options.",
    ),
    Declaration(
        "scale",
        "a scale",
        'scale risk(answer: text) { model jev  ask "How risky is it?"  levels ["low", "high"] }',
        "A question with levels, lowest first.",
    ),
    Declaration("context", "the context", 'context { application: "shop" }', "What every decision is told."),
    Declaration("limits", "limits", "limits { cost $0.50 per run }", "What a run or a day may cost."),
    Declaration("memory", "memory", "memory { history 10 }", "What a thread remembers."),
    Declaration(
        "flow", "a flow", "flow main(task: text) -> text { return writer(task) }", "The steps of a run."
    ),
    Declaration(
        "profile",
        "a profile",
        "profile cheap { agent writer { model small } }",
        "Differences for another run.",
    ),
    Declaration(
        "suite",
        "a suite",
        'suite golden for main { cases "golden.jsonl"  checks [correct] }',
        "Cases to evaluate a flow on.",
    ),
    Declaration(
        "test",
        "a test",
        'test "it answers" for main { given { task: "x" }  expect result == "y" }',
        "A run with scripted models.",
    ),
)


def declaration(keyword: str) -> Declaration | None:
    return next((found for found in DECLARATIONS if found.keyword == keyword), None)
