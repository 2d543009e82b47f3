"""Declarations and their clauses."""

from __future__ import annotations

from typing import Literal

from .expressions import Expr, Object, Text
from .flows import Statement
from .nodes import Ident, Node
from .values import Check, Clause, JudgeClause, Limits
from .written_shapes import Param, ShapeNode


class Workflow(Node, tag="workflow", frozen=True):
    name: Ident
    description: Text | None
    version: Text | None


class Import(Node, tag="import", frozen=True):
    path: Text


class Constant(Node, tag="constant", frozen=True):
    name: Ident
    value: Expr


class Provider(Node, tag="provider", frozen=True):
    name: Ident
    clauses: tuple[Clause, ...]


class Model(Node, tag="model", frozen=True):
    name: Ident
    slug: Text
    via: Ident | None
    clauses: tuple[Clause, ...]


class TypeField(Node, tag="type_field", frozen=True):
    name: Ident
    shape: ShapeNode
    optional: bool
    description: Text | None


class Type(Node, tag="type", frozen=True):
    """A record (`fields`, maybe `extends`) or a name for a shape (`alias`)."""

    name: Ident
    extends: Ident | None
    description: Text | None
    fields: tuple[TypeField, ...]
    alias: ShapeNode | None


class Tool(Node, tag="tool", frozen=True):
    name: Ident
    params: tuple[Param, ...]
    shape: ShapeNode | None
    description: Text | None
    clauses: tuple[Clause, ...]


class Agent(Node, tag="agent", frozen=True):
    name: Ident
    params: tuple[Param, ...]
    shape: ShapeNode | None
    description: Text | None
    clauses: tuple[Clause, ...]


class Judge(Node, tag="judge", frozen=True):
    """`params is None` where no signature was written: `(reply: text)`."""

    name: Ident
    code: bool
    params: tuple[Param, ...] | None
    description: Text | None
    clauses: tuple[JudgeClause, ...]


class Scorer(Node, tag="scorer", frozen=True):
    name: Ident
    negated: bool
    check: Check


class Gate(Node, tag="gate", frozen=True):
    name: Ident
    params: tuple[Param, ...]
    description: Text | None
    clauses: tuple[Clause, ...]


class Decision(Node, tag="decision", frozen=True):
    """A `condition`, `choice` or `scale` at the top level."""

    kind: Literal["condition", "choice", "scale"]
    name: Ident
    params: tuple[Param, ...]
    description: Text | None
    clauses: tuple[Clause, ...]


class Context(Node, tag="context", frozen=True):
    value: Object


class LimitsDecl(Node, tag="limits", frozen=True):
    limits: Limits


class Memory(Node, tag="memory", frozen=True):
    clauses: tuple[Clause, ...]


class Flow(Node, tag="flow", frozen=True):
    name: Ident
    params: tuple[Param, ...]
    shape: ShapeNode | None
    description: Text | None
    body: tuple[Statement, ...]


class Override(Node, tag="override", frozen=True):
    kind: Literal["agent", "judge", "model"]
    name: Ident
    clauses: tuple[JudgeClause, ...]
    slug: Text | None


class Profile(Node, tag="profile", frozen=True):
    name: Ident
    description: Text | None
    overrides: tuple[Override, ...]


class Suite(Node, tag="suite", frozen=True):
    name: Ident
    flow: Ident
    description: Text | None
    clauses: tuple[Clause, ...]


class Script(Node, tag="script", frozen=True):
    """`writer replies [...] when …` in a test; `verb` is replies, decides or returns."""

    name: Ident
    verb: Literal["replies", "decides", "returns"]
    value: Expr
    when: Expr | None


class Expect(Node, tag="expect", frozen=True):
    """`expect EXPR`, or `expect fails with "code"` (then `condition` is None)."""

    condition: Expr | None
    code: Text | None


class Test(Node, tag="test", frozen=True):
    name: Text
    flow: Ident
    given: Object | None
    scripts: tuple[Script, ...]
    expects: tuple[Expect, ...]


Declaration = (
    Workflow | Import | Constant | Provider | Model | Type | Tool | Agent | Judge | Scorer | Gate | Decision | Context
    | LimitsDecl | Memory | Flow | Profile | Suite | Test
)  # fmt: skip
