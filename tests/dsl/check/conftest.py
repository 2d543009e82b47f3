"""Checks one text at a time, each declaration against the surfaces of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from judgeflow.dsl import ast
from judgeflow.dsl.check.agents import check_agent
from judgeflow.dsl.check.base import Report, Scope, Surface
from judgeflow.dsl.check.constants import check_constant
from judgeflow.dsl.check.context import check_context
from judgeflow.dsl.check.decisions import check_decision
from judgeflow.dsl.check.env import Env
from judgeflow.dsl.check.expressions import infer
from judgeflow.dsl.check.fit import describe
from judgeflow.dsl.check.gates import check_gate
from judgeflow.dsl.check.judges import check_judge
from judgeflow.dsl.check.models import check_model, check_provider
from judgeflow.dsl.check.scorers import check_scorer
from judgeflow.dsl.check.surface import surface_of
from judgeflow.dsl.check.tools import check_tool
from judgeflow.dsl.check.types import check_type
from judgeflow.dsl.diagnostics import Fix
from judgeflow.dsl.mentions import read
from judgeflow.dsl.parse import parse
from judgeflow.dsl.source import Source

CHECKS: dict[type, Callable[[Any, Scope, Report], None]] = {
    ast.Agent: check_agent,
    ast.Constant: check_constant,
    ast.Context: check_context,
    ast.Decision: check_decision,
    ast.Gate: check_gate,
    ast.Judge: check_judge,
    ast.Model: check_model,
    ast.Provider: check_provider,
    ast.Scorer: check_scorer,
    ast.Tool: check_tool,
    ast.Type: check_type,
}


class Found(msgspec.Struct, frozen=True):
    """A finding as a test looks at it; `at` is the text under it, `fixed` the whole text with its first
    fix."""

    code: str
    at: str
    message: str
    help: str
    severity: str
    related: tuple[str, ...]
    fixed: str | None


class Findings:
    def __init__(self, text: str, found: list[Found]) -> None:
        self.text = text
        self.all = found

    @property
    def short(self) -> list[tuple[str, str]]:
        """Codes and the texts under them."""
        return [(each.code, each.at) for each in self.all]

    @property
    def only(self) -> Found:
        assert len(self.all) == 1, self.short
        return self.all[0]


def apply(text: str, fix: Fix, offset: int) -> str:
    for edit in sorted(fix.edits, key=lambda each: each.start, reverse=True):
        text = text[: offset + edit.start] + edit.text + text[offset + edit.end :]
    return text


class Program:
    """Some declarations, and what expressions among them are."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.items = parse(Source("main.judge", text)).items
        self.surfaces: dict[str, Surface] = {}
        for item in self.items:
            assert not item.diagnostics, item.diagnostics
            surface = surface_of(item.node, read(item.node)) if item.node is not None else None
            if surface is not None:
                self.surfaces.setdefault(surface.name, surface)

    @property
    def scope(self) -> Scope:
        return Scope(self.surfaces.get, lambda: tuple(self.surfaces))

    def check(self) -> Findings:
        found: list[Found] = []
        for item in self.items:
            report = Report()
            check = CHECKS.get(type(item.node))
            if check is not None:
                check(item.node, self.scope, report)
            found += _shown(self.text, report, item.offset)
        return Findings(self.text, found)

    def infer(self, written: str, env: Env) -> tuple[str, Findings]:
        """The shape of an expression in words, and what is wrong in it."""
        text = f"let it = {written}"
        (item,) = parse(Source("main.judge", text)).items
        assert isinstance(item.node, ast.Constant), item.diagnostics
        report = Report()
        shape = infer(item.node.value, env, self.scope, report)
        return describe(shape), Findings(text, _shown(text, report, 0))


def _shown(text: str, report: Report, offset: int) -> list[Found]:
    shown = []
    for finding in report.findings:
        said = finding.diagnostic
        shown.append(
            Found(
                said.code,
                text[offset + said.start : offset + said.end],
                said.message,
                said.help,
                said.severity,
                tuple(related.name for related in finding.related),
                apply(text, said.fixes[0], offset) if said.fixes else None,
            )
        )
    return shown


@pytest.fixture
def program() -> Callable[[str], Program]:
    return Program


@pytest.fixture
def check() -> Callable[[str], Findings]:
    """What is wrong with a text."""
    return lambda text: Program(text).check()
