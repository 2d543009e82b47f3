"""Functions, methods and words of other languages, and what is written here instead."""

from __future__ import annotations

_COUNT = "Write `len({0})`."
_LIST = "Write `[x for x in {0} if …]`, `every x in {0}: …` or `some x in {0}: …`."
_JOINED = 'Write `join({0}, ", ")`, or put values into a text: "{{ a }} and {{ b }}".'
_READ = "Write `json({0})`, which reads a number, true or false from a text."
_SHOWN = "What a flow returns is its answer, and every step is in its record: `jrun show`."
_REPEATED = (
    "A list is gone through with `each x in xs: …`, a step repeated with `loop at most 5 times { … }`."
)
_PARSED = "Write `json({0})`, and take what is in it with a dot: `json({0}).status`."

FUNCTIONS = {
    **dict.fromkeys(("length", "size", "strlen", "count_of"), _COUNT),
    **dict.fromkeys(("str", "string", "to_string", "tostring", "repr"), "Write `text({0})`, or \"{{ {0} }}\"."),
    **dict.fromkeys(("parse", "loads", "from_json", "parse_json", "json_parse"), _PARSED),
    **dict.fromkeys(("dumps", "to_json", "stringify"), "Write `text({0})`."),
    **dict.fromkeys(("int", "float", "number", "bool"), _READ),
    **dict.fromkeys(("sorted", "order"), "Write `sort({0})`."),
    **dict.fromkeys(("set", "distinct", "uniq"), "Write `unique({0})`."),
    **dict.fromkeys(("avg", "average"), "Write `mean({0})`."),
    **dict.fromkeys(("strip", "trimmed"), "Write `trim({0})`."),
    **dict.fromkeys(("any", "all", "filter", "map", "foreach", "reduce", "find"), _LIST),
    **dict.fromkeys(("concat", "format", "sprintf"), _JOINED),
    **dict.fromkeys(("append", "push", "extend"), "Write `{0} + [x]`."),
    **dict.fromkeys(("includes", "contains", "has"), "Write `{0} contains …`."),
    **dict.fromkeys(("startswith", "starts_with"), "Write `{0} starts with …`."),
    **dict.fromkeys(("endswith", "ends_with"), "Write `{0} ends with …`."),
    **dict.fromkeys(("match", "search", "test", "regex"), 'Write `{0} matches r"…"`.'),
    **dict.fromkeys(("coalesce", "or_else", "get"), "Write `default({0}, …)`."),
    **dict.fromkeys(("print", "log", "puts", "echo", "console"), _SHOWN),
    **dict.fromkeys(("range", "enumerate", "zip"), _REPEATED),
    **dict.fromkeys(("raise", "throw", "fail", "exit", "error"), 'A flow ends early with `stop "why"`.'),
    **dict.fromkeys(("sleep", "wait", "delay"), "Nothing waits in a flow; a model's `retries` wait by themselves."),
    **dict.fromkeys(("isinstance", "typeof", "type"), "Write `{0} is Type`."),
}  # fmt: skip
"""By name; `{0}` is the first argument."""

METHODS = {
    "length": "length", "size": "size", "count": "length", "strip": "strip", "sort": "sorted",
    "toLowerCase": "lower", "toUpperCase": "upper", "toString": "str", "includes": "includes",
    "contains": "contains", "startswith": "startswith", "startsWith": "startswith", "endswith": "endswith",
    "endsWith": "endswith", "map": "map", "filter": "filter", "forEach": "foreach", "every": "all", "some": "any",
    "find": "find", "append": "append", "push": "push", "extend": "extend", "concat": "concat",
    "format": "format", "match": "match",
    "test": "test", "get": "get", "json": "parse",
}  # fmt: skip
"""Methods by the function that says what to write; `{0}` is what stands before the dot."""

WORDS = {
    "await": "Calls wait for their answers by themselves: `draft = writer(task)`.",
    "self": "There are no objects with methods; write the name itself.",
    "this": "There are no objects with methods; write the name itself.",
    "None": "Write `null`.",
}
"""Words that stand for a value elsewhere."""


def function_help(name: str, first: str) -> str:
    """What to write instead of a function of another language; empty where nobody knows."""
    return FUNCTIONS.get(name, "").replace("{0}", first)


def method_help(target: str, method: str) -> str:
    """What to write instead of a method."""
    return function_help(METHODS.get(method, ""), target)
