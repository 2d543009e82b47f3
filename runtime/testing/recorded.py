"""`jrun test --record`: a block is run once with the real models, and what they answered is written into it.

Tools and people answer as the block scripts them, so nothing but models is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ...dsl import ast
from ...dsl.format import format_declaration
from ...dsl.parse import parse_chunk
from ...dsl.plan import Plan, TestPlan
from ..connect import Connections
from ..expr import Compiler, Scope
from ..flow.constants import constants_of
from ..judge.errors import ConfigurationError, ProviderError
from ..judge.protocol import (
    Answer,
    ChatReply,
    ChatRequest,
    ChoiceAnswer,
    ConditionAnswer,
    DecisionReply,
    DecisionRequest,
    RefusedAnswer,
)
from ..program import Program
from ..providers.recording import Recorder
from ..providers.script import script_of_test
from ..run import Stamp
from ..scripted import PEOPLE, approver_of, tool_answers

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class Answers(Recorder):
    """What each name answered, in the order of its calls, as a script says it."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.replies: dict[str, list[Any]] = {}
        self._plan = plan

    def chat(self, request: ChatRequest, reply: ChatReply) -> None:
        self._add(request.caller.name, _said(reply))

    def decided(self, request: DecisionRequest, reply: DecisionReply) -> None:
        answers = {name: _decided(answer, request, name) for name, answer in reply.answers.items()}
        alone = set(answers) == {"decision"} and request.caller.name in self._plan.decisions
        self._add(request.caller.name, answers["decision"] if alone else answers)

    def failed(self, request: ChatRequest | DecisionRequest, error: ProviderError) -> None:
        """A call that failed has no line: a script cannot fail, and a fallback may have answered."""

    def _add(self, name: str, value: Any) -> None:  # type: ignore[override]
        self.replies.setdefault(name, []).append(value)


async def record_block(program: Program, test: TestPlan, stamp: Stamp, environ: Mapping[str, str]) -> str:
    """The declaration's text with the answers of its models in it, in the canonical layout.

    Raises `ConfigurationError` where the run cannot be made at all, or ended before it was answered or stopped by one
    of its own rules: then nothing is worth keeping.
    """
    plan = program.plan
    compiler = Compiler(plan.types, constants_of(plan, stamp), stamp.moment)
    script = script_of_test(test, compiler)
    given = compiler.compile(test.given, test.origin)(Scope({})) if test.given is not None else None
    answers = Answers(plan)
    connections = Connections(plan, program.root, environ, recorder=answers)
    async with program.opened(connect=connections, stamp=stamp, tool_answers=tool_answers(script)) as session:
        result = await session.run(given, flow=test.flow, approver=approver_of(script))
    if result.status not in ("answered", "guarded") and not answers.replies:
        raise ConfigurationError(
            f"{test.name}: nothing was recorded: {result.record.reason}", code=result.record.code or "step"
        )
    return rewritten(test.origin.text, plan, answers.replies)


def rewritten(text: str, plan: Plan, replies: Mapping[str, Sequence[Any]]) -> str:
    """A test's text whose lines for models are those of `replies`; the lines for tools and people stay."""
    node, _ = parse_chunk(text)
    assert isinstance(node, ast.Test)
    lines = "\n  ".join(_line(name, values, plan) for name, values in replies.items())
    replaced = [script for script in node.scripts if not _stays(script, plan)]
    for script in reversed(replaced[1:]):
        text = text[: script.start].rstrip() + text[script.end :]
    if replaced:
        text = text[: replaced[0].start] + lines + text[replaced[0].end :]
    else:
        at = next((part.start for part in (*node.scripts, *node.expects)), node.end - 1)
        text = f"{text[:at]}{lines}\n  {text[at:]}"
    return format_declaration(text)


def _stays(script: ast.Script, plan: Plan) -> bool:
    name = script.name.text.partition(".")[0]
    return name == PEOPLE or name in plan.tools


def _line(name: str, values: Sequence[Any], plan: Plan) -> str:
    judge = plan.judges.get(name)
    decides = name in plan.decisions or (judge is not None and judge.form == "decide")
    return f"{name} {'decides' if decides else 'replies'} [{', '.join(map(literal, values))}]"


def _said(reply: ChatReply) -> Any:
    """A chat reply as a script says it: a text, a use of a tool, or the value of an answer tool."""
    if not reply.tool_calls:
        return reply.text
    call = reply.tool_calls[0]
    try:
        arguments = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, RecursionError):
        arguments = {}
    if call.name == "answer" and isinstance(arguments, dict) and len(arguments) == 1:
        only = next(iter(arguments))
        return arguments[only] if only in ("items", "value") else arguments
    if call.name == "answer":
        return arguments
    if call.name.startswith("answer_"):
        variant = "".join(part.capitalize() for part in call.name.removeprefix("answer_").split("_"))
        return {"variant": variant, "value": arguments}
    return {"call": call.name, "input": arguments}


def _decided(answer: Answer, request: DecisionRequest, name: str) -> Any:
    if isinstance(answer, ConditionAnswer):
        return answer.probability
    if isinstance(answer, ChoiceAnswer):
        return dict(answer.probabilities)
    if isinstance(answer, RefusedAnswer):
        return None
    levels = next(question.choices for question in request.questions if question.id == name)
    return levels[max(range(len(levels)), key=lambda at: answer.probabilities[at])]


def literal(value: Any) -> str:
    """JSON data as the language writes it."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(_pairs(value)) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    return msgspec.json.encode(value).decode()


def _pairs(value: Mapping[str, Any]) -> Iterator[str]:
    for key, item in value.items():
        yield f"{key if _WORD.match(key) else _text(key)}: {literal(item)}"


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _text(value: str) -> str:
    escaped = "".join(
        _ESCAPES.get(char) or (char if char.isprintable() else f"\\u{{{ord(char):X}}}") for char in value
    )
    return '"' + escaped.replace("{{", "\\{{") + '"'
