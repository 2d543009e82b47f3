"""What stands in clauses."""

from __future__ import annotations

from typing import Literal

from .expressions import (
    Arg,
    Binary,
    Bool,
    Call,
    Comprehension,
    Duration,
    Expr,
    Field,
    IfExpr,
    Index,
    Is,
    ListExpr,
    Money,
    Name,
    Null,
    Number,
    Object,
    Quantified,
    Text,
    Unary,
)
from .nodes import Ident, Node
from .written_shapes import Bounds, TypeRef


class ModelRef(Node, tag="model_ref", frozen=True):
    """A declared model's name, or a slug in quotes (`quoted`)."""

    text: str
    quoted: bool


class Models(Node, tag="models", frozen=True):
    items: tuple[ModelRef, ...]


class Names(Node, tag="names", frozen=True):
    items: tuple[Ident, ...]


class Use(Node, tag="use", frozen=True):
    """A judge or scorer mentioned with the arguments that follow what is judged: `in_language(language, bar: 0.8)`."""

    name: Ident
    args: tuple[Arg, ...]


class Uses(Node, tag="uses", frozen=True):
    items: tuple[Use, ...]


class Env(Node, tag="env", frozen=True):
    """`env NAME`: a setting read from the environment at run time."""

    name: str


class Header(Node, tag="header", frozen=True):
    name: str
    value: Text | Env


class Headers(Node, tag="headers", frozen=True):
    items: tuple[Header, ...]


class Price(Node, tag="price", frozen=True):
    input: Money
    output: Money


class Mcp(Node, tag="mcp", frozen=True):
    command: Text
    only: Names | None


class Option(Node, tag="option", frozen=True):
    name: Ident
    description: Text | None


class Options(Node, tag="options", frozen=True):
    items: tuple[Option, ...]


class Texts(Node, tag="texts", frozen=True):
    items: tuple[Text, ...]


class Cache(Node, tag="cache", frozen=True):
    ttl: Duration
    key: Expr


class Compact(Node, tag="compact", frozen=True):
    every: Number
    keep: Number
    model: ModelRef


class Combine(Node, tag="combine", frozen=True):
    mode: Literal["all", "any", "weighted"]
    at_least: Number | None


class Ask(Node, tag="ask", frozen=True):
    """A gate's `ask reviewer "…"`."""

    agent: Ident
    question: Text


class GateJudge(Node, tag="gate_judge", frozen=True):
    always: bool
    use: Use
    question: Text | None
    weight: Number | None


class Check(Node, tag="check", frozen=True):
    """An unnamed scorer: `contains "x"`, `regex r"…"`, `schema T`, `length 1..5`, `equals "x"`, `compiles "python"`."""

    kind: Literal["contains", "equals", "regex", "schema", "length", "compiles"]
    value: Text | TypeRef | Bounds


class ScorerEntry(Node, tag="scorer_entry", frozen=True):
    negated: bool
    scorer: Ident | Check
    alias: Ident | None
    weight: Number | None


class ScorerEntries(Node, tag="scorer_entries", frozen=True):
    items: tuple[ScorerEntry, ...]


class Question(Node, tag="question", frozen=True):
    """One typed question of a `decide` block."""

    name: Ident
    kind: Literal["condition", "choice", "scale"]
    text: Text
    options: Options | Texts | None


class Questions(Node, tag="questions", frozen=True):
    items: tuple[Question, ...]


class Limit(Node, tag="limit", frozen=True):
    what: Literal["cost", "calls", "time", "tokens"]
    amount: Money | Number | Duration
    per: Literal["run", "day"]


class Limits(Node, tag="limits_value", frozen=True):
    items: tuple[Limit, ...]


ClauseValue = (
    Text | Number | Duration | Ident | ModelRef | Models | Names | Uses | Env | Headers | Price | Mcp | Options | Texts
    | Cache | Compact | Combine | Ask | GateJudge | ScorerEntries | Questions | Limits | Object | Null | Bool | Money
    | Name | Field | Index | Call | Unary | Binary | Is | IfExpr | Quantified | ListExpr | Comprehension
)  # fmt: skip


class Clause(Node, tag="clause", frozen=True):
    """A keyword and its value. `keyword` is the first word or words as listed in `dsl.clauses` (`pass when`,
    `confidence` for `confidence at least 0.8`, …); its own span is `start .. start+len` of the first word."""

    keyword: str
    value: ClauseValue


class Let(Node, tag="let", frozen=True):
    name: Ident
    value: Expr


class Require(Node, tag="require", frozen=True):
    condition: Expr
    reason: Expr


class Case(Node, tag="case", frozen=True):
    """`case Offer { … }` of a judge."""

    type: Ident
    rules: tuple[Let | Require, ...]


JudgeClause = Clause | Let | Require | Case
