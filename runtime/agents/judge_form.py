"""What all forms of a judge share: what their rules see, and how rules become a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from ...dsl import ast
from ...dsl.plan import JudgePlan
from ..expr import Compiler, Evaluate, Scope, to_text
from ..judge.errors import StepError
from ..judge.reading.text import strip_blanks
from .gateway import Gateway
from .hooks import JudgeHook
from .messages import JudgeTask, Verdict
from .rules import Ruling, compile_rules


@attrs.frozen(eq=False)
class JudgeParts:
    plan: JudgePlan
    compiler: Compiler
    gateway: Gateway
    hook: JudgeHook | None = None


class Form:
    """A judge whose rules see the answer alone: no model, no cost. The other forms add what a model says."""

    def __init__(self, parts: JudgeParts) -> None:
        self.parts = parts
        self.plan = parts.plan
        self.reply_name = parts.plan.params[0].name
        compiler, origin = parts.compiler, parts.plan.origin
        self.ruling: Ruling = compile_rules(parts.plan.rules, compiler, origin)
        self.metrics: Evaluate | None = (
            compiler.compile(parts.plan.metrics, origin) if parts.plan.metrics else None
        )
        self.has_rules = any(not isinstance(rule, ast.Let) for rule in parts.plan.rules)
        self.defaults = [
            (param.name, compiler.compile(param.default, origin))
            for param in parts.plan.params[1:]
            if param.default is not None
        ]

    async def handle(self, task: JudgeTask) -> Verdict:
        return self.rule(self.scope(task))

    def scope(self, task: JudgeTask) -> Scope:
        values: dict[str, Any] = {
            "reply": task.reply,
            "variant": task.variant,
            "task": task.task,
            "attempt": task.attempt,
            "run": task.run.value(task.agent),
            **task.values,
            self.reply_name: task.reply,
        }
        scope = Scope(values, {"calls": lambda tool=None: _calls(task, tool)})
        for name, default in self.defaults:
            if name not in values:
                values[name] = default(scope)
        return scope

    def rule(self, scope: Scope, otherwise: str | None = None) -> Verdict:
        """The verdict of the rules; where there are none, `otherwise` is the reason against the answer, if any."""
        reason = self.ruling(scope)
        if not self.has_rules:
            reason = otherwise
        metrics: Mapping[str, Any] = self.metrics(scope) if self.metrics is not None else {}
        if reason is None:
            return Verdict(True, metrics=metrics)
        text = strip_blanks(to_text(reason))
        if not text:
            raise StepError(
                f"{self.plan.name}: a rule failed with a blank reason, and the agent would learn nothing from it",
                code="judge.no-reason",
                step=self.plan.name,
            )
        return Verdict(False, text, metrics)

    def party(self, task: JudgeTask) -> str:
        return task.party or f"judge:{self.plan.name}"

    def model(self) -> str:
        if self.plan.model is None:
            raise StepError(f"{self.plan.name} has no model", code="judge.no-model", step=self.plan.name)
        return self.plan.model


def _calls(task: JudgeTask, tool: str | None) -> list[Any]:
    """`calls()` and `calls(tool)`: an MCP tool's name stands for all its functions."""
    if tool is None:
        return list(task.calls)
    return [call for call in task.calls if call["tool"] == tool or call["tool"].startswith(f"{tool}.")]
