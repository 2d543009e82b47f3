"""What may stand in which block: one table for the parser's messages, the checker, completion and the
formatter.

`CLAUSES` is keyed by the kind of block: a declaration's keyword, or the word before the braces inside one
(`case`, `decide`, `scorers`, `parallel`, `switch`). A test holds the table against the grammar.
"""

from __future__ import annotations

import msgspec


class Clause(msgspec.Struct, frozen=True):
    keyword: str
    """As in `ast.Clause.keyword`: `pass when` is two words."""
    value: str
    """What stands after it, as a message says it."""
    example: str
    about: str
    required: bool = False
    repeatable: bool = False


TEXT = "a text in quotes"
NUMBER = "a number"
DURATION = "a duration such as `30s`"
NAME = "a name"
NAMES = "a list of names such as `[a, b]`"
VALUE = "a value"
MODEL = "a model's name, or a slug in quotes"
OBJECT = "an object such as `{ key: value }`"


def _model(example: str = "model small", required: bool = False) -> Clause:
    return Clause("model", MODEL, example, "The model that is asked.", required=required)


_PYTHON = Clause("python", TEXT, 'python "checks.py:posted"', "The Python function, as `file.py:function`.")
_TIMEOUT = Clause("timeout", DURATION, "timeout 30s", "How long one call may take.")
_ROUNDING = Clause(
    "rounding", NUMBER, "rounding 2", "To how many decimals the service rounds its probabilities."
)
_LET = Clause(
    "let", "a name, `=` and a value", "let words = words(reply)", "A name for a value.", repeatable=True
)
_REQUIRE = Clause(
    "require",
    "a condition",
    'require len(reply) > 0 else "Say something."',
    "What must hold, and the reason where it does not.",
    repeatable=True,
)
_DECISION = (
    _model("model jev", required=True),
    Clause("ask", TEXT, 'ask "Is it urgent?"', "The question.", required=True),
    Clause(
        "context", OBJECT, "context { customer: crm(ticket.customer) }", "What is sent beside the arguments."
    ),
    Clause(
        "confidence",
        "`at least` and a number",
        "confidence at least 0.8",
        "How sure an answer must be to count.",
    ),
    Clause(
        "cache",
        "a duration, `by` and a value",
        "cache 5m by ticket.id",
        "How long an answer is kept, and for what.",
    ),
)

AGENT: tuple[Clause, ...] = (
    _model(required=True),
    Clause("prompt", TEXT, 'prompt "Answer in one sentence."', "The instructions that the model gets."),
    Clause("tools", NAMES, "tools [search]", "What the agent may call."),
    Clause(
        "judges",
        "a list of judges such as `[correct, useful]`",
        "judges [correct]",
        "Who checks every answer.",
    ),
    Clause("retries", NUMBER, "retries 2", "How often a rejected answer goes back with the reasons."),
    _TIMEOUT,
)
JUDGE: tuple[Clause, ...] = (
    Clause(
        "model",
        "a model's name, a slug in quotes, or a list of them for a jury",
        "model small",
        "The model that is asked, or the models of a jury.",
    ),
    Clause("agree", "`majority` or `all`", "agree majority", "How many of a jury must pass an answer."),
    _LET,
    _REQUIRE,
    Clause("metrics", OBJECT, "metrics { jobs: len(reply.jobs) }", "Numbers for the record."),
    _PYTHON,
    Clause(
        "ask", TEXT, 'ask "Is the reply correct? PASS, or what is wrong."', "The question to a chat model."
    ),
    Clause(
        "rate",
        "a text in quotes, or `quality`, `factuality`, `safety` or `tone`",
        'rate "clarity"',
        "What a number from 0 to 1 is asked for.",
    ),
    Clause("threshold", "a number from 0 to 1", "threshold 0.7", "The lowest score that passes."),
    Clause("state", OBJECT, "state { reply: reply }", "What the decision model sees."),
    Clause(
        "decide",
        "a block of questions",
        'decide { grounded: condition "…" }',
        "Typed questions to a decision model.",
    ),
    Clause(
        "case",
        "a type and its rules",
        'case Offer { require reply.salary > 0 else "…" }',
        "Rules for one type of a union.",
        repeatable=True,
    ),
)
LIMITS: tuple[Clause, ...] = (
    Clause(
        "cost",
        "an amount such as `$0.50`, then `per run` or `per day`",
        "cost $0.50 per run",
        "Money.",
        repeatable=True,
    ),
    Clause(
        "tokens",
        "a number, then `per run` or `per day`",
        "tokens 200_000 per run",
        "Tokens.",
        repeatable=True,
    ),
    Clause(
        "calls", "a number, then `per run` or `per day`", "calls 200 per run", "Model calls.", repeatable=True
    ),
    Clause(
        "time",
        "a duration such as `5m`, then `per run` or `per day`",
        "time 5m per run",
        "Time.",
        repeatable=True,
    ),
)

CLAUSES: dict[str, tuple[Clause, ...]] = {
    "provider": (
        Clause(
            "api",
            "the name of an interface, such as `openai`",
            "api openai",
            "How the service is spoken to.",
            required=True,
        ),
        Clause(
            "url",
            "a text in quotes, or `env NAME`",
            'url "http://localhost:8000/v1"',
            "Where the service is.",
        ),
        Clause("key", "`env NAME`", "key env LOCAL_API_KEY", "The environment variable that holds the key."),
        Clause(
            "headers",
            'an object such as `{ "X-Team": "judges" }`',
            'headers { "X-Team": "judges" }',
            "Headers for every call.",
        ),
        _ROUNDING,
    ),
    "model": (
        Clause("kind", "`chat` or `decision`", "kind decision", "What the model can be asked."),
        Clause("temperature", NUMBER, "temperature 0.2", "How freely the model words its answers."),
        Clause("max_tokens", NUMBER, "max_tokens 2000", "The longest answer."),
        _TIMEOUT,
        Clause("retries", NUMBER, "retries 4", "How often a failed call is made again."),
        Clause(
            "price",
            "two amounts, such as `$0.25 in, $2.00 out`",
            "price $0.25 in, $2.00 out",
            "What a million tokens cost.",
        ),
        Clause(
            "fallback",
            "a list of models such as `[kimi]`",
            "fallback [kimi]",
            "Who answers where this one fails.",
        ),
        Clause("concurrency", NUMBER, "concurrency 16", "How many calls may run at once."),
        _ROUNDING,
    ),
    "tool": (
        _PYTHON,
        Clause(
            "mcp",
            "a command in quotes",
            'mcp "npx -y @acme/browser" only [open, click]',
            "The MCP server that offers the tool.",
        ),
        _TIMEOUT,
        Clause("secret", NAMES, "secret [id]", "Arguments that the record masks."),
    ),
    "agent": AGENT,
    "judge": JUDGE,
    "case": (_LET, _REQUIRE),
    "gate": (
        Clause("target", VALUE, "target json(input).response", "What is checked, if not the input itself."),
        Clause(
            "pass when", "a condition", 'pass when input contains "ok"', "Where it holds, nothing else runs."
        ),
        Clause("scorers", "a block of scorers", "scorers { length 1..5000 }", "Checks that cost no tokens."),
        Clause(
            "combine",
            "`all`, `any`, or `weighted`, with `at least` and a number where 0.5 is not meant",
            "combine weighted at least 0.7",
            "When the scorers pass.",
        ),
        Clause(
            "judge",
            "an agent or a judge",
            'judge reviewer "Is it good enough?"',
            "Who decides where the scorers do not.",
        ),
        Clause(
            "ask",
            "an agent and a question",
            'ask reviewer "PASS or BLOCK?"',
            "Who says pass or block where the scorers do not.",
        ),
        Clause(
            "unreadable", "`pass` or `block`", "unreadable block", "What a verdict means that cannot be read."
        ),
    ),
    "scorers": (),
    "condition": _DECISION,
    "choice": (
        *_DECISION,
        Clause(
            "options", "a block of options", 'options { billing "Payments" }', "The answers.", required=True
        ),
    ),
    "scale": (
        *_DECISION,
        Clause(
            "levels", "a list of texts", 'levels ["low", "high"]', "The levels, lowest first.", required=True
        ),
    ),
    "limits": LIMITS,
    "memory": (
        Clause("history", NUMBER, "history 10", "How many turns are sent along."),
        Clause(
            "compact",
            "`every` and a number",
            "compact every 5 keep 10 with small",
            "When old turns are summed up, and by whom.",
        ),
    ),
    "profile": (
        Clause(
            "agent",
            "an agent and what differs",
            "agent writer { model small }",
            "What differs in an agent.",
            repeatable=True,
        ),
        Clause(
            "judge",
            "a judge and what differs",
            "judge useful { threshold 0.5 }",
            "What differs in a judge.",
            repeatable=True,
        ),
        Clause(
            "model",
            "a model and another slug",
            'model small "openai/gpt-6-nano"',
            "Another slug for a model.",
            repeatable=True,
        ),
    ),
    "suite": (
        Clause(
            "cases", "a file's name in quotes", 'cases "golden.jsonl"', "The cases: jsonl, json, csv or yaml."
        ),
        Clause(
            "checks", "a list of judges and scorers", "checks [correct]", "What every answer is held against."
        ),
        Clause("limits", "a block of limits", "limits { cost $2 per day }", "What the suite may cost."),
        Clause("labels", "a file's name in quotes", 'labels "labels.jsonl"', "Human labels."),
        Clause("cascade", "`stop` or `all`", "cascade stop", "Whether the first failed check ends a case."),
    ),
    "test": (
        Clause("given", OBJECT, 'given { task: "x" }', "The flow's arguments."),
        Clause(
            "expect",
            "a condition, or `fails with` and a code",
            'expect result == "x"',
            "What must come out.",
            required=True,
            repeatable=True,
        ),
    ),
}
"""By block, in the order in which the formatter and completion offer them. What is named freely there (a
field, a question, a scorer, a scripted agent) has no entry."""

ONE_OF: dict[str, tuple[tuple[str, ...], ...]] = {"tool": (("python", "mcp"),)}
"""Clauses of which a declaration needs one and takes one."""

STATEMENTS: tuple[Clause, ...] = (
    Clause("return", VALUE, "return reply", "Ends the flow with a value."),
    Clause("stop", TEXT, 'stop "too severe to answer"', "Ends the run as guarded."),
    Clause("if", "a condition", "if urgent(ticket) { … }", "Goes one way or the other."),
    Clause("switch", VALUE, "switch team(ticket) { case billing { … } }", "Goes one of several ways."),
    Clause("parallel", "a block of steps", "parallel { de = translator(text) }", "Runs steps at once."),
    Clause("loop", "`at most` and a number", "loop at most 5 times until done { … }", "Repeats."),
    Clause(
        "with", "`context` and an object", "with context { tenant: id } { … }", "Adds context for decisions."
    ),
    Clause("approve", TEXT, 'yes = approve "Publish?" showing draft', "Asks a person."),
)
STEPS: tuple[Clause, ...] = (
    Clause("try", "a call", "try writer(task) else later", "A failed step is replaced, not fatal."),
    Clause(
        "each",
        "a name, `in` and a list",
        "each x in xs at most 8 at once: writer(x)",
        "A call for every item.",
    ),
    Clause(
        "best",
        "`of` and a number or calls",
        "best of 3: writer(task) picked by critic",
        "The best of several answers.",
    ),
    Clause("race", "a block of calls", "race { fast(task)  slow(task) }", "The first answer wins."),
    Clause("approve", TEXT, 'approve "Publish?" showing draft', "Asks a person."),
)


def find(block: str, keyword: str) -> Clause | None:
    """The clause that a keyword, or the first word of one, begins in a block."""
    for clause in CLAUSES.get(block, ()):
        if keyword in (clause.keyword, clause.keyword.split()[0]):
            return clause
    return None


def homes(keyword: str) -> tuple[str, ...]:
    """The declarations in which a clause of that name may stand."""
    return tuple(block for block in CLAUSES if find(block, keyword) is not None)
