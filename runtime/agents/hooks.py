"""Judges in Python: what such a function gets, and what it may return."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import attrs
import msgspec

from ...dsl.plan import HookPlan, ToolPlan
from ..core import StepFailure
from ..decisions import ChoiceQuestion, Condition, ScaleQuestion, named_question
from ..judge.contract import decisions_of
from ..judge.decisions import Decision, check_questions
from ..judge.errors import ConfigurationError, EndsRun, JudgeflowError, SerializationError, StepError
from ..judge.protocol import DecisionQuestion, Message
from ..judge.reading.text import strip_blanks
from ..judge.serialise import sendable
from ..run import RunInfo
from . import messages
from .classes import Classes, json_data
from .gateway import Gateway
from .messages import ChatCall, DecideCall, JudgeTask, ToolRef, ToolResult, ToolTask
from .python import arguments_for, load_function
from .tool_use import masked, recorded, secrets_of

T = TypeVar("T")
Question = str | Condition[Any] | ChoiceQuestion[Any, Any] | ScaleQuestion[Any, Any] | DecisionQuestion


@attrs.frozen
class JudgeInput(Generic[T]):
    """What a judge in Python sees: exactly this, and its own copy of it.

    `variant` is the class of the type that was answered (None for a text), `task` what the agent was sent, `attempt`
    the retries so far from 0, `tool_calls` the agent's calls of this visit with their real values.
    """

    variant: type | None
    reply: T
    task: str
    attempt: int
    tool_calls: tuple[Mapping[str, Any], ...]


def _metrics(given: Any) -> dict[str, Any]:
    try:
        data = json_data(given)
    except SerializationError as error:
        raise SerializationError(f"its metrics are no JSON: {error}", path=error.path) from None
    if not isinstance(data, dict):
        raise SerializationError(f"metrics are an object, as in {{'words': 12}}, not {type(given).__name__}")
    return data


class Verdict:
    """A judge's verdict: `Verdict.passed()` or `Verdict.failed(reason)`, and nothing else is one."""

    __slots__ = ("metrics", "ok", "reason")

    ok: bool
    reason: str | None
    """None where it passed."""
    metrics: Mapping[str, Any]

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("write Verdict.passed() or Verdict.failed(reason)")

    @classmethod
    def passed(cls, *, metrics: Mapping[str, Any] | None = None) -> Verdict:
        """The answer is good. `metrics` are kept in the record: JSON data by name, else a `SerializationError`."""
        return cls._made(True, None, metrics)

    @classmethod
    def failed(cls, reason: str, *, metrics: Mapping[str, Any] | None = None) -> Verdict:
        """The answer is not good. `reason` is what the agent reads before its retry; it may not be blank."""
        if not isinstance(reason, str) or not strip_blanks(reason):
            raise StepError("a failed verdict needs a reason", code="judge.no-reason", step="judge")
        return cls._made(False, strip_blanks(json_data(reason, "reason")), metrics)

    @classmethod
    def _made(cls, ok: bool, reason: str | None, metrics: Mapping[str, Any] | None) -> Verdict:
        verdict = cls.__new__(cls)
        verdict.ok = ok
        verdict.reason = reason
        verdict.metrics = _metrics({} if metrics is None else metrics)
        return verdict

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Verdict):
            return NotImplemented
        return (self.ok, self.reason, self.metrics) == (other.ok, other.reason, other.metrics)

    __hash__ = None  # type: ignore[assignment]  # its metrics may be changed

    def __repr__(self) -> str:
        reason = "" if self.ok else f"{self.reason!r}, "
        return f"Verdict.{'passed' if self.ok else 'failed'}({reason}metrics={self.metrics!r})"


class JudgeModel:
    """The running judge's own model. Outside its judge's call it is an error, never another judge's model."""

    def __init__(self, gateway: Gateway, judge: str, model: str | None) -> None:
        self._gateway = gateway
        self._judge = judge
        self._model = model
        self._task: JudgeTask | None = None

    def _running(self, task: JudgeTask) -> None:
        self._task = task

    def _ended(self) -> None:
        self._task = None

    def _own(self) -> tuple[JudgeTask, str]:
        if self._task is None:
            raise ConfigurationError(
                f"the model of {self._judge} was used outside that judge", code="judge.model-outside-judge"
            )
        if self._model is None:
            raise ConfigurationError(
                f"{self._judge} is a code judge: it has no model", code="judge.model-on-code-judge"
            )
        return self._task, self._model

    async def invoke(self, text: str) -> str:
        """Sends one text to the judge's chat model and gives its reply. `ModelKindError` on a decision model."""
        task, model = self._own()
        reply = await self._gateway.chat(
            ChatCall(
                run=task.run,
                step=task.step,
                party=task.party or f"judge:{self._judge}",
                name=self._judge,
                model=model,
                messages=(Message("user", text),),
                attempt=task.attempt,
                draw=task.draw,
                values=task.visible,
            )
        )
        await task.run.proceed()
        return reply.text

    async def decide(self, *, state: Any, questions: Mapping[str, Question]) -> Mapping[str, Decision]:
        """Asks a decision model typed questions in one call, at most 200; a text is a condition.

        `ModelKindError` on a chat model. Reading the answer to a question that was refused raises a `ProviderError`,
        code `decision.refused`.
        """
        task, model = self._own()
        asked = tuple(named_question(name, question) for name, question in questions.items())
        check_questions(asked)
        sent = sendable(state)
        reply = await self._gateway.decide(
            DecideCall(
                run=task.run,
                step=task.step,
                party=task.party or f"judge:{self._judge}",
                name=self._judge,
                model=model,
                state=sent,
                questions=asked,
                attempt=task.attempt,
                draw=task.draw,
                values=task.visible,
            )
        )
        await task.run.proceed()
        return decisions_of(asked, reply)


class Tool:
    """A declared tool, callable from a hook: `await search(query="…")`, `await browser.open(url="…")`."""

    def __init__(
        self, judge: str, plan: ToolPlan, ref: ToolRef, task: JudgeTask, function: str | None = None
    ) -> None:
        self._judge = judge
        self._plan = plan
        self._ref = ref
        self._task = task
        self._function = function or plan.name

    def __getattr__(self, name: str) -> Tool:
        """A function of an MCP server."""
        if self._plan.mcp is None or name.startswith("_"):
            raise AttributeError(f"{self._plan.name} is a function and has no `{name}`")
        return Tool(self._judge, self._plan, self._ref, self._task, f"{self._plan.name}.{name}")

    async def __call__(self, **values: Any) -> Any:
        """The tool's output. `JudgeflowError` with code `step.tool.<status>` if it fails. The use is in the record."""
        name, task = self._function, self._task
        given, refusal = _given(values)
        secrets = secrets_of(self._plan, given)
        with recorded(task.run, task.step, name, given, secrets, task.attempt, by=self._judge) as record:
            record(refusal or await self._ref.ask(ToolTask(task.run, task.step, name, given, task.attempt)))
        result = record.result
        if result.status != "succeeded":
            told = masked(result.error, secrets)
            raise JudgeflowError(f"{name}: {told}", code=f"step.tool.{result.status}")
        return result.output


def _given(values: Mapping[str, Any]) -> tuple[dict[str, Any], ToolResult | None]:
    """Arguments as JSON data, and the refusal of what is none: its values are left out of the record."""
    try:
        return json_data(values), None
    except SerializationError as error:
        return dict.fromkeys(values), ToolResult("refused", error=f"the arguments are no JSON: {error}")


@attrs.frozen(eq=False)
class JudgeHook:
    """A judge's Python function before it is loaded."""

    judge: str
    model: str | None
    hook: HookPlan
    root: Path
    parameters: Sequence[str]
    """The judge's parameters after the first."""
    classes: Classes
    tools: Mapping[str, tuple[ToolPlan, ToolRef]]

    @asynccontextmanager
    async def opened(
        self, gateway: Gateway
    ) -> AsyncIterator[Callable[[JudgeTask], Awaitable[messages.Verdict]]]:
        function = load_function(self.hook, self.root)

        async def decide(task: JudgeTask) -> messages.Verdict:
            model = JudgeModel(gateway, self.judge, self.model)
            available: dict[str, Callable[[], Any]] = {
                "model": lambda: model,
                "run": lambda: msgspec.structs.replace(task.run.info, agent=task.agent),
                **{name: _tool(self.judge, plan, ref, task) for name, (plan, ref) in self.tools.items()},
                **{name: _value(task.values.get(name)) for name in self.parameters},
            }
            keywords = arguments_for(function, available, self.judge)
            model._running(task)
            try:
                verdict = await function(self._input(task), **keywords)
            except ExceptionGroup as group:
                raise _alone(group) from group
            finally:
                model._ended()
            if not isinstance(verdict, Verdict):
                raise JudgeflowError(
                    f"{self.judge}: it returned {type(verdict).__name__}: "
                    "return Verdict.passed() or Verdict.failed(reason)",
                    code="judge.no-verdict",
                )
            return messages.Verdict(verdict.ok, verdict.reason, _metrics(verdict.metrics))

        yield decide

    def _input(self, task: JudgeTask) -> JudgeInput[Any]:
        variant = self.classes.of(task.variant) if task.variant is not None else None
        calls = tuple(self.classes.built(dict(call)) for call in task.calls)
        return JudgeInput(variant, self.classes.built(task.reply), task.task, task.attempt, calls)


def _alone(group: ExceptionGroup[Exception]) -> Exception:
    """What a hook with tasks of its own failed of: a bug first, then what ends the run, then the first failure."""
    bugs, ends = group.split(StepFailure)[1], group.subgroup(EndsRun)
    found: Exception = bugs or ends or group
    while isinstance(found, ExceptionGroup):
        found = found.exceptions[0]
    return found


def _tool(judge: str, plan: ToolPlan, ref: ToolRef, task: JudgeTask) -> Callable[[], Tool]:
    return lambda: Tool(judge, plan, ref, task)


def _value(value: Any) -> Callable[[], Any]:
    return lambda: value


__all__ = ["JudgeHook", "JudgeInput", "JudgeModel", "RunInfo", "Tool", "Verdict"]
