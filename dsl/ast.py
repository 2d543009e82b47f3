"""The syntax tree of a `.judge` file, exactly as it was written.

One class per construct, all frozen `msgspec.Struct`s: cheap to define, cheap to compare, plain data when encoded.
`start` and `end` are offsets in code points from the start of the *declaration's* text (its chunk), so that a
declaration that moves in its file is still the same value; `dsl.parse.Item.offset` turns them into file offsets.
Nothing here is resolved or checked: names are text, and clauses stand in the order in which they were typed.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Node(msgspec.Struct, frozen=True, tag_field="node", gc=False):
    start: int
    end: int


class Ident(Node, tag="ident", frozen=True):
    """A name where it is declared or mentioned, dotted where the language allows it (`browse.open`)."""

    text: str


# --- expressions -----------------------------------------------------------------------------------------------


class Null(Node, tag="null", frozen=True):
    pass


class Bool(Node, tag="bool", frozen=True):
    value: bool


class Number(Node, tag="number", frozen=True):
    """`text` is the literal without underscores: bars and weights are compared exactly, never through a float."""

    text: str

    @property
    def value(self) -> int | float:
        return float(self.text) if any(mark in self.text for mark in ".eE") else int(self.text)


class Money(Node, tag="money", frozen=True):
    """`text` is the decimal amount in US dollars, without the sign."""

    text: str


class Duration(Node, tag="duration", frozen=True):
    seconds: float


class Text(Node, tag="text", frozen=True):
    """A text literal. `parts` alternates literal stretches and `{{ … }}` expressions; escapes are decoded and text
    blocks dedented. `raw` texts have one literal part at the most."""

    parts: tuple[str | Expr, ...]
    raw: bool = False
    block: bool = False

    @property
    def plain(self) -> str | None:
        """The whole text where it holds no template, else None."""
        return "".join(self.parts) if all(isinstance(part, str) for part in self.parts) else None  # type: ignore[arg-type]


class Name(Node, tag="name", frozen=True):
    id: str


class Field(Node, tag="field", frozen=True):
    target: Expr
    name: Ident


class Index(Node, tag="index", frozen=True):
    target: Expr
    index: Expr


class Arg(Node, tag="arg", frozen=True):
    name: Ident | None
    value: Expr


class Call(Node, tag="call", frozen=True):
    callee: Ident
    args: tuple[Arg, ...]


class Unary(Node, tag="unary", frozen=True):
    op: Literal["-", "not"]
    operand: Expr


class Binary(Node, tag="binary", frozen=True):
    """`op` is spelled as in the language: `and or == != < <= > >= in`, `not in`, `contains`, `starts with`,
    `ends with`, `matches`, `+ - * / %`."""

    op: str
    left: Expr
    right: Expr


class Is(Node, tag="is", frozen=True):
    operand: Expr
    type: Ident
    negated: bool


class IfExpr(Node, tag="if_expr", frozen=True):
    condition: Expr
    then: Expr
    otherwise: Expr


class Quantified(Node, tag="quantified", frozen=True):
    kind: Literal["every", "some"]
    name: Ident
    source: Expr
    body: Expr


class ListExpr(Node, tag="list", frozen=True):
    items: tuple[Expr, ...]


class Comprehension(Node, tag="comprehension", frozen=True):
    body: Expr
    name: Ident
    source: Expr
    condition: Expr | None


class Pair(Node, tag="pair", frozen=True):
    key: Ident
    value: Expr


class Object(Node, tag="object", frozen=True):
    pairs: tuple[Pair, ...]


Expr = (
    Null | Bool | Number | Money | Duration | Text | Name | Field | Index | Call | Unary | Binary | Is | IfExpr
    | Quantified | ListExpr | Comprehension | Object
)  # fmt: skip


# --- shapes as written -----------------------------------------------------------------------------------------


class Bounds(Node, tag="bounds", frozen=True):
    """`low..high`, each a signed decimal literal or open."""

    low: str | None
    high: str | None


class TypeRef(Node, tag="type_ref", frozen=True):
    name: str


class Primitive(Node, tag="primitive", frozen=True):
    name: Literal["text", "int", "float", "bool", "json"]
    bounds: Bounds | None


class LiteralShape(Node, tag="literal_shape", frozen=True):
    value: Text


class ListShape(Node, tag="list_shape", frozen=True):
    item: ShapeNode
    bounds: Bounds | None


class UnionShape(Node, tag="union_shape", frozen=True):
    options: tuple[ShapeNode, ...]


ShapeNode = TypeRef | Primitive | LiteralShape | ListShape | UnionShape


class Param(Node, tag="param", frozen=True):
    name: Ident
    shape: ShapeNode | None
    optional: bool
    default: Expr | None
    hidden: bool = False


# --- what stands in clauses ------------------------------------------------------------------------------------


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


# --- declarations ----------------------------------------------------------------------------------------------


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


# --- flows -----------------------------------------------------------------------------------------------------


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
