"""The statements and steps of flows."""

from __future__ import annotations

from .expressions import Call, Expr, Number, Object, Text
from .nodes import Ident, Node


class Try(Node, tag="try", frozen=True):
    call: Call
    otherwise: Expr | None


class Approve(Node, tag="approve", frozen=True):
    question: Text
    showing: Expr | None


class Each(Node, tag="each", frozen=True):
    name: Ident
    source: Expr
    at_most: Number | None
    body: Call | Try


class Best(Node, tag="best", frozen=True):
    """`best of 3: call` (`count`, one call) or `best of { … }` (`count` is None)."""

    count: Number | None
    calls: tuple[Call, ...]
    picker: Ident
    question: Text | None


class Race(Node, tag="race", frozen=True):
    calls: tuple[Call, ...]


Step = Expr | Try | Approve | Each | Best | Race


class Bind(Node, tag="bind", frozen=True):
    name: Ident
    step: Step


class Do(Node, tag="do", frozen=True):
    """A call or a `try` that stands alone; its value is dropped (a gate's block still ends the flow)."""

    step: Call | Try | Approve


class Return(Node, tag="return", frozen=True):
    value: Expr


class Stop(Node, tag="stop", frozen=True):
    reason: Text


class Block(Node, tag="block", frozen=True):
    body: tuple[Statement, ...]


class Uncertain(Node, tag="uncertain", frozen=True):
    below: Number | None
    block: Block


class If(Node, tag="if", frozen=True):
    condition: Expr
    then: Block
    uncertain: Uncertain | None
    otherwise: Block | If | None


class SwitchCase(Node, tag="switch_case", frozen=True):
    """`label` is an option or type as a bare word (`quoted` False) or a literal in quotes."""

    label: Ident
    quoted: bool
    block: Block


class Switch(Node, tag="switch", frozen=True):
    subject: Expr
    cases: tuple[SwitchCase, ...]
    uncertain: Uncertain | None


class Parallel(Node, tag="parallel", frozen=True):
    tasks: tuple[Bind | Do, ...]


class Loop(Node, tag="loop", frozen=True):
    at_most: Number
    until: Expr | None
    body: Block
    otherwise: Block | None


class WithContext(Node, tag="with_context", frozen=True):
    value: Object
    body: Block


Statement = Bind | Do | Return | Stop | If | Switch | Parallel | Loop | WithContext
