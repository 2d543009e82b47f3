"""`script/…`: models whose answers are written down, in a `test` block or a JSON-lines file.

A list of replies gives one a call, and running out is an error; one value answers every call. The first line that fits
the caller decides: `when` reads the call's parameters, `task` and `attempt`. What runs at once takes the list in the
order in which it was written (`best of 3`, `each`), not in the order in which it happens to be scheduled.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import jsonschema_rs
import msgspec

from ...dsl.plan import TestPlan
from ..expr import Compiler, Scope, to_text
from ..judge.errors import ConfigurationError, TestSetupError
from ..judge.protocol import (
    Answer,
    Caller,
    ChatReply,
    ChatRequest,
    ChoiceAnswer,
    ConditionAnswer,
    DecisionQuestion,
    DecisionReply,
    DecisionRequest,
    ScaleAnswer,
    ToolCall,
    ToolSpec,
    Usage,
)

MOST_RUNS = 10_000
"""Runs whose place in their lists is remembered."""


@attrs.frozen(eq=False)
class Line:
    """What one name answers. `several` says that `value` is a list with one reply a call."""

    name: str
    value: Any
    several: bool
    fits: Callable[[Scope], bool] | None = None


class Script:
    """The lines of one script and how far each run has come in them."""

    def __init__(self, lines: Iterable[Line], source: str) -> None:
        self._lines: dict[str, list[Line]] = {}
        for line in lines:
            self._lines.setdefault(line.name, []).append(line)
        self._source = source
        self._used: OrderedDict[tuple[str, int], int] = OrderedDict()

    def answer(self, name: str, run: str, values: Mapping[str, Any], draw: int = 0) -> Any:
        """The next answer of `name` in this run, or that of a draw (from 1). `TestSetupError` where there is none."""
        for line in self._lines.get(name, ()):
            if line.fits is None or line.fits(Scope(dict(values))):
                return self._next(line, run, draw) if line.several else line.value
        if name in self._lines:
            raise TestSetupError(f"{self._source}: no line for {name} fits this call", code="test.no-line")
        known = ", ".join(sorted(self._lines)) or "nobody"
        raise TestSetupError(
            f"{self._source}: {name} is asked, but the script has no line for it (it has lines for {known})",
            code="test.unscripted-model",
        )

    def has(self, name: str) -> bool:
        return name in self._lines

    def _next(self, line: Line, run: str, draw: int) -> Any:
        key = (run, id(line))
        if key not in self._used:
            self._used[key] = 0
            if len(self._used) > MOST_RUNS:
                self._used.popitem(last=False)
        at = draw - 1 if draw else self._used[key]
        self._used[key] = max(self._used[key], at + 1)
        if at >= len(line.value):
            raise TestSetupError(
                f"{self._source}: {line.name} is asked for answer {at + 1}, but the script has {len(line.value)}",
                code="test.script-exhausted",
            )
        return line.value[at]


def script_of_test(test: TestPlan, compiler: Compiler) -> Script:
    """The script that a `test` block writes down."""
    lines = []
    for script in test.scripts:
        value = compiler.compile(script.value, test.origin)(Scope({}))
        fits = compiler.condition(script.when, test.origin) if script.when is not None else None
        lines.append(
            Line(script.name.text, value, script.verb != "returns" and isinstance(value, list), fits)
        )
    return Script(lines, f'test "{test.name}"')


def script_of_file(path: Path) -> Script:
    """A JSON-lines file: one object a line with `name` and `reply` (or `decide`), in the order of the calls.

    `ConfigurationError` names the file and line of whatever cannot be read.
    """
    replies: dict[str, list[Any]] = {}
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"{path}: the script cannot be read ({error.strerror})", code="script.missing"
        ) from None
    for number, row in enumerate(text.splitlines(), 1):
        if not row.strip():
            continue
        try:
            entry = msgspec.json.decode(row)
            replies.setdefault(entry["name"], []).append(entry["reply"])
        except (msgspec.DecodeError, KeyError, TypeError):
            raise ConfigurationError(
                f'{path}:{number}: a line is an object such as {{"name": "writer", "reply": "Short."}}',
                code="script.broken",
            ) from None
    return Script((Line(name, values, True) for name, values in replies.items()), str(path))


class ScriptProvider:
    """Answers from a script: no network, no key, no cost."""

    concurrency = 10_000

    def __init__(self, script: Script, name: str = "script") -> None:
        self.name = name
        self._script = script

    async def chat(self, request: ChatRequest) -> ChatReply:
        value = self._answer(request.caller)
        tools = {tool.name: tool for tool in request.tools}
        calls = _tool_calls(value, tools)
        if calls:
            return ChatReply("", calls, Usage(0, 0), request.model, scripted=True)
        return ChatReply(to_text(value), (), Usage(0, 0), request.model, scripted=True)

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        value = self._answer(request.caller)
        alone = len(request.questions) == 1 and request.questions[0].id == "decision"
        answers: dict[str, Answer] = {}
        for question in request.questions:
            if not alone and (not isinstance(value, dict) or question.id not in value):
                raise TestSetupError(
                    f"{request.caller.name}: the script does not answer the question `{question.id}`",
                    code="test.wrong-shape",
                )
            answers[question.id] = decision_answer(question, value if alone else value[question.id])
        return DecisionReply(answers, Usage(0, 0), request.model, origin="scripted")

    def _answer(self, caller: Caller) -> Any:
        # A retry is no draw of its own: it takes what nobody has taken yet.
        draw = caller.sample if caller.attempt == 0 else 0
        return self._script.answer(
            caller.name, caller.run, {"attempt": caller.attempt, **caller.values}, draw
        )

    async def aclose(self) -> None:
        return None


def decision_answer(question: DecisionQuestion, value: Any) -> Answer:
    """A scripted value as an answer: P(yes) for a condition, an option or a distribution for a choice, a label or an
    index for a scale."""
    if question.kind == "condition" and isinstance(value, int | float):
        return ConditionAnswer(float(value))
    if question.kind == "choice":
        if isinstance(value, dict) and value:
            shares = {name: float(share) for name, share in value.items()}
            return ChoiceAnswer(max(shares, key=lambda name: shares[name]), shares)
        if value in question.choices:
            return ChoiceAnswer(value, {name: float(name == value) for name in question.choices})
    if question.kind == "scale":
        level = question.choices.index(value) if value in question.choices else value
        if isinstance(level, int) and not isinstance(level, bool) and 0 <= level < len(question.choices):
            shares_by_level = tuple(float(at == level) for at in range(len(question.choices)))
            return ScaleAnswer(float(level), shares_by_level)
    raise TestSetupError(
        f"the {question.kind} `{question.id}` cannot be decided as {value!r}", code="test.wrong-shape"
    )


def _tool_calls(value: Any, tools: Mapping[str, ToolSpec]) -> tuple[ToolCall, ...]:
    """A scripted value as tool calls: `{ call: "tool", input: … }` uses a tool, any other value where answers are
    typed goes through the answer tool that it fits."""
    if isinstance(value, dict) and set(value) <= {"call", "input"} and "call" in value:
        return (_call(value["call"], value.get("input") or {}),)
    answers = [tool for tool in tools.values() if tool.name == "answer" or tool.name.startswith("answer_")]
    if not answers:
        return ()
    if isinstance(value, dict) and set(value) == {"variant", "value"}:
        wanted = f"answer_{value['variant']}".replace("_", "").lower()
        answers = [tool for tool in answers if tool.name.replace("_", "").lower() == wanted] or answers
        value = value["value"]
    for tool in answers:
        arguments = _arguments(tool, value)
        if len(answers) == 1 or _fits(tool, arguments):
            return (_call(tool.name, arguments),)
    return (_call(answers[0].name, _arguments(answers[0], value)),)


def _arguments(tool: ToolSpec, value: Any) -> Any:
    properties: Sequence[str] = list(tool.parameters.get("properties", {}))
    wrapped = tool.name == "answer" and properties in (["items"], ["value"])
    return {properties[0]: value} if wrapped and not isinstance(value, dict) else value


def _fits(tool: ToolSpec, arguments: Any) -> bool:
    return jsonschema_rs.is_valid(tool.parameters, arguments)


def _call(name: str, arguments: Any) -> ToolCall:
    return ToolCall(f"scripted_{name}", name, msgspec.json.encode(arguments).decode())
