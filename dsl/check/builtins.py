"""What the language itself brings: names, their fields, and functions. The checker, completion and hover
read the same tables."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ..shapes import (
    Bool,
    Duration,
    Float,
    Int,
    Json,
    ListOf,
    Literal,
    Nullable,
    Object,
    Shape,
    Text,
    Union,
    Unknown,
)


class Builtin(msgspec.Struct, frozen=True):
    """A name that is there without being declared, and one line about it."""

    name: str
    shape: Shape
    about: str


class Parameter(msgspec.Struct, frozen=True):
    """`takes` says what an argument may be: `text`, `number`, `list`, `numbers` (a list of them), `texts`,
    `object`, `text or list`, `sized` (text, list or object), `any`, `tool` or `judged` (names of
    declarations, not values)."""

    name: str
    takes: str = "any"
    optional: bool = False


class Function(msgspec.Struct, frozen=True):
    """A built-in function. `gives` is the shape of its result; where that depends on the arguments, `rule`
    names how (see `functions.py`). `variadic` repeats the last parameter."""

    name: str
    params: tuple[Parameter, ...]
    gives: Shape
    about: str
    rule: str = ""
    variadic: bool = False
    needed: int = 0
    """How many of its parameters may not be left out."""
    by_name: bool = False
    """Whether some of them take the name of a declaration instead of a value."""

    @property
    def signature(self) -> str:
        """As a user reads it: `join(list, by?)`."""
        params = [f"{param.name}{'?' if param.optional else ''}" for param in self.params]
        return f"{self.name}({', '.join(params)}{', …' if self.variadic else ''})"


NAMES = frozenset(("tool", "judged"))
"""What a parameter takes that is the name of a declaration instead of a value."""
TEXT, INT, FLOAT, BOOL = Text(), Int(), Float(), Bool()
UNKNOWN, JSON = Unknown(), Json()
TEXTS = ListOf(TEXT)


def _function(
    name: str, params: str, gives: Shape, about: str, rule: str = "", *, variadic: bool = False
) -> tuple[str, Function]:
    """`params` is a list of `name: takes`, with `?` after the name of one that may be left out."""
    found = []
    for part in params.split(", ") if params else ():
        word, _, takes = part.partition(": ")
        found.append(Parameter(word.rstrip("?"), takes or "any", word.endswith("?")))
    needed = sum(not param.optional for param in found)
    by_name = any(param.takes in NAMES for param in found)
    return name, Function(name, tuple(found), gives, about, rule, variadic, needed, by_name)


FUNCTIONS: Mapping[str, Function] = dict(
    (
        _function("len", "of: sized", INT, "How many characters, items or keys there are."),
        _function("count", "in: text or list, of", INT, "How often a text or an item occurs."),
        _function("trim", "text: text", TEXT, "The text without white space around it."),
        _function("lower", "text: text", TEXT, "The text in small letters."),
        _function("upper", "text: text", TEXT, "The text in capitals."),
        _function("words", "text: text", TEXTS, "The text's words, split at white space."),
        _function("lines", "text: text", TEXTS, "The text's lines."),
        _function("sentences", "text: text", TEXTS, "The text's sentences, each up to its `.`, `!` or `?`."),
        _function("first", "of: text or list", UNKNOWN, "The first item, null where there is none.", "item"),
        _function("last", "of: text or list", UNKNOWN, "The last item, null where there is none.", "item"),
        _function("sum", "numbers: numbers", FLOAT, "The numbers added up.", "number"),
        _function("min", "numbers: extremes", FLOAT, "The smallest number.", "number", variadic=True),
        _function("max", "numbers: extremes", FLOAT, "The largest number.", "number", variadic=True),
        _function("mean", "numbers: numbers", Nullable(FLOAT), "The average, null for an empty list."),
        _function("round", "number: number, digits?: number", FLOAT, "The number, rounded.", "rounded"),
        _function("json", "text", JSON, "The JSON value of a text, null where it is none."),
        _function("text", "value", TEXT, "The value as a text; what is no text as JSON."),
        _function("keys", "of: object", TEXTS, "The names of an object's fields."),
        _function("values", "of: object", ListOf(UNKNOWN), "The values of an object's fields."),
        _function("unique", "list: list", UNKNOWN, "The list without repetitions.", "same"),
        _function("sort", "list: list", UNKNOWN, "The numbers or texts in ascending order.", "same"),
        _function("join", "list: list, by?: text", TEXT, "The items as one text."),
        _function("split", "text: text, by?: text", TEXTS, "The text's parts; without `by`, its words."),
        _function(
            "replace", "text: text, old: text, new: text", TEXT, "The text with `new` for every `old`."
        ),
        _function("abs", "number: number", FLOAT, "The number without its sign.", "number"),
        _function("similarity", "a: text, b: text", FLOAT, "How alike two texts are, from 0 to 1."),
        _function("today", "", TEXT, "The date, as in `2026-01-31`."),
        _function("now", "", TEXT, "The date and time, as in `2026-01-31T12:00:00+00:00`."),
        _function("default", "value, other", UNKNOWN, "The value, or the other where it is null.", "default"),
        _function("flat", "lists: list", UNKNOWN, "The items of a list of lists as one list.", "flat"),
    )
)
"""Callable in every expression."""

CALL_STATUSES = ("succeeded", "failed", "timed_out", "refused", "cancelled")


def literals(values: tuple[str, ...]) -> Shape:
    """The shape of one of several fixed texts."""
    options = tuple(Literal(value) for value in dict.fromkeys(values))
    if not options:
        return TEXT
    return options[0] if len(options) == 1 else Union(options)


def tool_call(output: Shape = UNKNOWN) -> Object:
    """One call of a tool as a judge reads it."""
    return Object(
        "a tool call",
        (
            ("tool", TEXT),
            ("input", JSON),
            ("output", output),
            ("error", Nullable(TEXT)),
            ("status", literals(CALL_STATUSES)),
        ),
    )


JUDGE_FUNCTIONS: Mapping[str, Function] = dict(
    (
        _function(
            "calls",
            "tool?: tool",
            UNKNOWN,
            "The agent's tool calls of this visit, in order; of one tool if named.",
            "calls",
        ),
    )
)
"""Callable in judges."""

RUN = Object(
    "the run", (("id", TEXT), ("thread", TEXT), ("flow", TEXT), ("tenant", TEXT), ("agent", Nullable(TEXT)))
)
RUN_NAME = Builtin("run", RUN, "The run: its id, thread, flow, tenant and the agent that is judged.")

JUDGE_NAMES: tuple[Builtin, ...] = (
    Builtin("variant", TEXT, "The name of the type that the agent answered with."),
    Builtin("task", UNKNOWN, "What the agent was sent."),
    Builtin("attempt", INT, "How often the answer was sent back before, from 0."),
    RUN_NAME,
)
"""In every judge, beside what is judged (`reply`, or the first parameter's own name)."""

FORM_NAMES: Mapping[str, Builtin] = {
    "ask": Builtin("answer", TEXT, "What the judge's model answered, trimmed."),
    "rate": Builtin("score", FLOAT, "The rating, from 0 to 1."),
}
"""What the form of a judge adds to its rules; `decide` adds its questions by name."""

GATE_VALUE = Object(
    "a gate's value",
    (
        ("passed", BOOL),
        ("verdict", literals(("pass", "block"))),
        ("combined", Nullable(FLOAT)),
        (
            "results",
            ListOf(
                Object(
                    "a scorer's result",
                    (("name", TEXT), ("passed", BOOL), ("score", FLOAT), ("detail", Nullable(TEXT))),
                )
            ),
        ),
        ("report", TEXT),
        (
            "judge",
            Nullable(
                Object(
                    "the opinion of a gate's judge",
                    (
                        ("party", TEXT),
                        ("verdict", Nullable(literals(("pass", "block")))),
                        ("score", Nullable(FLOAT)),
                        ("readable", BOOL),
                        ("reason", Nullable(TEXT)),
                    ),
                )
            ),
        ),
    ),
)
"""What a gate gives to a flow."""

ATTEMPT = "the outcome of `try`"


def attempt(value: Shape) -> Object:
    """What `try` gives to a flow for a call that is no gate."""
    return Object(
        ATTEMPT,
        (("ok", BOOL), ("value", Nullable(value)), ("code", Nullable(TEXT)), ("reason", Nullable(TEXT))),
    )


VERDICT = Object(
    "a judge's verdict",
    (("passed", BOOL), ("reason", Nullable(TEXT)), ("metrics", JSON), ("readable", BOOL)),
)
"""What a judge gives to a flow that calls it."""

STATUSES = ("answered", "guarded", "failed", "paused", "cancelled")
TEST_NAMES: tuple[Builtin, ...] = (
    Builtin("result", UNKNOWN, "What the flow answered."),
    Builtin("status", literals(STATUSES), "How the run ended."),
    Builtin("reason", Nullable(TEXT), "Why it ended like that; null where it was answered."),
)
"""What `expect` in a test may mention; `result` has the flow's shape."""

TEST_FUNCTIONS: Mapping[str, Function] = dict(
    (
        _function(
            "verdicts",
            "of: judged",
            ListOf(
                Object(
                    "a verdict",
                    (
                        ("judge", TEXT),
                        ("attempt", INT),
                        ("passed", BOOL),
                        ("reason", Nullable(TEXT)),
                        ("metrics", JSON),
                        ("readable", BOOL),
                    ),
                )
            ),
            "The verdicts on an agent's answers, attempt by attempt.",
        ),
    )
)
"""Callable in `expect` of a test."""

CONDITION = "the answer of a condition"


def decision_shape(kind: str, options: tuple[str, ...], *, declared: bool) -> Object:
    """The answer to a condition, choice or scale. A declared one, asked by a flow, also has its `id`."""
    own: tuple[tuple[str, Shape], ...]
    if kind == "condition":
        what, own = CONDITION, (("probability", FLOAT), ("value", BOOL), ("confidence", FLOAT))
    elif kind == "choice":
        chosen = literals(options)
        shares = Object("the probabilities of a choice", tuple((option, FLOAT) for option in options))
        what = "the answer of a choice"
        own = (("choice", chosen), ("value", chosen), ("probabilities", shares), ("confidence", FLOAT))
    else:
        what = "the answer of a scale"
        own = (
            ("score", FLOAT),
            ("level", INT),
            ("label", literals(options)),
            ("levels", TEXTS),
            ("probabilities", ListOf(FLOAT)),
            ("confidence", FLOAT),
        )
    return Object(what, (("id", TEXT), *own) if declared else own)


RUBRICS = ("quality", "factuality", "safety", "tone")
"""What `rate` knows by name."""

MODEL_KINDS = ("chat", "decision")
APIS = ("openai", "anthropic", "systemone", "decisions")
"""How a declared provider may be spoken to."""

PROVIDERS = (
    "openai",
    "anthropic",
    "openrouter",
    "typesafe",
    "ollama",
    "vllm",
    "llamacpp",
    "local",
    "echo",
    "script",
)
"""What `via` knows without a declaration."""

REFUSED_KEYS = frozenset(
    (
        "__proto__",
        "prototype",
        "constructor",
        "__class__",
        "__dict__",
        "__init__",
        "__globals__",
        "__builtins__",
    )
)
"""Keys that no context may have."""
MOST_QUESTIONS = 200
DURATION = Duration()
