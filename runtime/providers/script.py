"""`script/…`: models whose answers are written down, in a `test` block or a JSON-lines file.

A list of replies gives one a call, and running out is an error; one value answers every call. The first line that fits
the caller decides: `when` reads the call's parameters, `task` and `attempt`. What runs at once takes the list in the
order in which it was written (`best of 3`, `each`), not in the order in which it happens to be scheduled. A recorded
line (`recording.py`) says in which step it was asked for, and answers there alone.
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
from . import recording

MOST_RUNS = 10_000
"""Runs whose place in their lists is remembered."""


@attrs.frozen(eq=False)
class Line:
    """What one name answers. `several` says that `value` is a list with one reply a call."""

    name: str
    value: Any
    several: bool
    fits: Callable[[Scope], bool] | None = None
    step: str | None = None
    """The step that it was recorded in."""
    asked: str | None = None
    """The digest of what was asked, where several runs were recorded."""


class _Taken:
    """How far one run has come in one list."""

    __slots__ = ("_bases", "_drawn", "_free")

    def __init__(self) -> None:
        self._free = 0
        self._bases: dict[str, int] = {}
        self._drawn: set[tuple[str, int]] = set()

    def next(self, caller: Caller) -> int:
        """The place of the next answer.

        What draws at once (`best of 3`, `each`) gets the list in the order in which it is written, however it is
        scheduled: the first call of each has its place kept. What it asks for later, a retry or a turn after a tool,
        takes the first place that is nobody's.
        """
        site = caller.step.rpartition("[")[0] + caller.step.rpartition("]")[2]
        if caller.draws and (site, caller.sample) not in self._drawn:
            self._drawn.add((site, caller.sample))
            if site not in self._bases:
                self._bases[site] = self._take(caller.draws)
            return self._bases[site] + caller.sample - 1
        return self._take(1)

    def _take(self, places: int) -> int:
        first = self._free
        self._free += places
        return first


class Script:
    """The lines of one script and how far each run has come in them."""

    def __init__(self, lines: Iterable[Line], source: str) -> None:
        self._lines: dict[str, list[Line]] = {}
        self._recorded: dict[tuple[str, str, str | None], Line] = {}
        for line in lines:
            if line.step is not None:
                self._recorded[line.name, line.step, line.asked] = line
            else:
                self._lines.setdefault(line.name, []).append(line)
        self._names = sorted({*self._lines, *(name for name, _, _ in self._recorded)})
        self.several = any(asked is not None for _, _, asked in self._recorded)
        """Whether several runs were recorded: what is asked tells them apart."""
        self._source = source
        self._taken: OrderedDict[tuple[str, int], _Taken] = OrderedDict()

    def answer(self, caller: Caller) -> Any:
        """The next answer for whoever calls. `TestSetupError` where there is none."""
        return self.answer_to(caller, None)

    def answer_to(self, caller: Caller, asked: str | None) -> Any:
        """The same, where what is `asked` tells recorded runs apart."""
        name = caller.name
        recorded = self._recorded.get((name, caller.step, asked))
        if recorded is not None:
            return self._next(recorded, msgspec.structs.replace(caller, draws=0))
        for line in self._lines.get(name, ()):
            if line.fits is None or line.fits(Scope({"attempt": caller.attempt, **caller.values})):
                return self._next(line, caller) if line.several else line.value
        if name in self._lines:
            raise TestSetupError(f"{self._source}: no line for {name} fits this call", code="test.no-line")
        if name in self._names:
            raise TestSetupError(
                f"{self._source}: no reply of {name} was recorded in step {caller.step}; the flow took another way "
                "than when it was recorded",
                code="test.no-line",
            )
        known = ", ".join(self._names) or "nobody"
        raise TestSetupError(
            f"{self._source}: {name} is asked, but the script has no line for it (it has lines for {known})",
            code="test.unscripted-model",
        )

    def has(self, name: str) -> bool:
        return name in self._names

    def _next(self, line: Line, caller: Caller) -> Any:
        key = (caller.run, id(line))
        taken = self._taken.get(key)
        if taken is None:
            taken = self._taken[key] = _Taken()
            if len(self._taken) > MOST_RUNS:
                self._taken.popitem(last=False)
        # A line that only fits some calls cannot know which of the draws are its own.
        at = taken.next(caller if line.fits is None else msgspec.structs.replace(caller, draws=0))
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
    """A JSON-lines file: one object a line with a `name` and its `reply`, in the order of the calls, or what
    `--record` wrote.

    `ConfigurationError` names the file and line of whatever cannot be read.
    """
    replies: dict[tuple[str, str | None, str | None], list[Any]] = {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = f"{path}: the script cannot be read ({error.strerror})"
        raise ConfigurationError(reason, code="script.missing") from None
    except UnicodeDecodeError as error:
        reason = f"{path}: the script is not UTF-8 ({error.reason})"
        raise ConfigurationError(reason, code="script.broken") from None
    for number, row in enumerate(text.split("\n"), 1):
        if row.strip():
            try:
                entry = _decode_entry(row)
                value = entry.value()
            except (msgspec.DecodeError, ValueError) as error:
                example = '{"name": "writer", "reply": "Short."}'
                reason = f"{path}:{number}: a line is an object such as {example} ({error})"
                raise ConfigurationError(reason, code="script.broken") from None
            replies.setdefault((entry.name, entry.step, entry.asked), []).append(value)
    lines = (
        Line(name, values, True, step=step, asked=asked) for (name, step, asked), values in replies.items()
    )
    return Script(lines, str(path))


_decode_entry = msgspec.json.Decoder(recording.Line).decode


class ScriptProvider:
    """Answers from a script: no network, no key, no cost."""

    concurrency = 10_000

    def __init__(self, script: Script, name: str = "script") -> None:
        self.name = name
        self._script = script

    async def chat(self, request: ChatRequest) -> ChatReply:
        value = self._answer(request)
        if isinstance(value, recording.RecordedMessage):
            return value.reply(request.model)
        tools = {tool.name: tool for tool in request.tools}
        calls = _tool_calls(value, tools)
        if calls:
            return ChatReply("", calls, Usage(0, 0), request.model, scripted=True)
        return ChatReply(to_text(value), (), Usage(0, 0), request.model, scripted=True)

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        value = self._answer(request)
        if isinstance(value, recording.RecordedAnswers):
            return value.reply(request.model)
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

    async def aclose(self) -> None:
        return None

    def _answer(self, request: ChatRequest | DecisionRequest) -> Any:
        if self._script.several:
            value = self._script.answer_to(request.caller, recording.digest(request))
        else:
            value = self._script.answer(request.caller)
        if isinstance(value, recording.RecordedError):
            raise value.error()
        return value


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
    """The value as the tool takes it: what is no record stands under a name of its own."""
    properties: Sequence[str] = list(tool.parameters.get("properties", {}))
    if tool.name != "answer" or properties not in (["items"], ["value"]) or _fits(tool, value):
        return value
    wrapped = {properties[0]: value}
    return wrapped if not isinstance(value, dict) or _fits(tool, wrapped) else value


def _fits(tool: ToolSpec, arguments: Any) -> bool:
    return jsonschema_rs.is_valid(tool.parameters, arguments)


def _call(name: str, arguments: Any) -> ToolCall:
    return ToolCall(f"scripted_{name}", name, msgspec.json.encode(arguments).decode())
