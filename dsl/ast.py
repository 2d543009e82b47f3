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


class Ident(Node, tag="ident"):
    """A name where it is declared or mentioned, dotted where the language allows it (`browse.open`)."""

    text: str


# --- expressions -----------------------------------------------------------------------------------------------


class Null(Node, tag="null"):
    pass


class Bool(Node, tag="bool"):
    value: bool


class Number(Node, tag="number"):
    """`text` is the literal without underscores: bars and weights are compared exactly, never through a float."""

    text: str

    @property
    def value(self) -> int | float:
        return float(self.text) if any(mark in self.text for mark in ".eE") else int(self.text)


class Money(Node, tag="money"):
    """`text` is the decimal amount in US dollars, without the sign."""

    text: str


class Duration(Node, tag="duration"):
    seconds: float


class Text(Node, tag="text"):
    """A text literal. `parts` alternates literal stretches and `{{ … }}` expressions; escapes are decoded and text
    blocks dedented. `raw` texts have one literal part at the most."""

    parts: tuple[str | Expr, ...]
    raw: bool = False
    block: bool = False

    @property
    def plain(self) -> str | None:
        """The whole text where it holds no template, else None."""
        return "".join(self.parts) if all(isinstance(part, str) for part in self.parts) else None  # type: ignore[arg-type]


class Name(Node, tag="name"):
    id: str


class Field(Node, tag="field"):
    target: Expr
    name: Ident


class Index(Node, tag="index"):
    target: Expr
    index: Expr


class Arg(Node, tag="arg"):
    name: Ident | None
    value: Expr


class Call(Node, tag="call"):
    callee: Ident
    args: tuple[Arg, ...]


class Unary(Node, tag="unary"):
    op: Literal["-", "not"]
    operand: Expr


class Binary(Node, tag="binary"):
    """`op` is spelled as in the language: `and or == != < <= > >= in`, `not in`, `contains`, `starts with`,
    `ends with`, `matches`, `+ - * / %`."""

    op: str
    left: Expr
    right: Expr


class Is(Node, tag="is"):
    operand: Expr
    type: Ident
    negated: bool


class IfExpr(Node, tag="if_expr"):
    condition: Expr
    then: Expr
    otherwise: Expr


class Quantified(Node, tag="quantified"):
    kind: Literal["every", "some"]
    name: Ident
    source: Expr
    body: Expr


class ListExpr(Node, tag="list"):
    items: tuple[Expr, ...]


class Comprehension(Node, tag="comprehension"):
    body: Expr
    name: Ident
    source: Expr
    condition: Expr | None


class Pair(Node, tag="pair"):
    key: Ident
    value: Expr


class Object(Node, tag="object"):
    pairs: tuple[Pair, ...]


Expr = (
    Null | Bool | Number | Money | Duration | Text | Name | Field | Index | Call | Unary | Binary | Is | IfExpr
    | Quantified | ListExpr | Comprehension | Object
)  # fmt: skip


# --- shapes as written -----------------------------------------------------------------------------------------


class Bounds(Node, tag="bounds"):
    """`low..high`, each a signed decimal literal or open."""

    low: str | None
    high: str | None


class TypeRef(Node, tag="type_ref"):
    name: str


class Primitive(Node, tag="primitive"):
    name: Literal["text", "int", "float", "bool", "json"]
    bounds: Bounds | None


class LiteralShape(Node, tag="literal_shape"):
    value: Text


class ListShape(Node, tag="list_shape"):
    item: ShapeNode
    bounds: Bounds | None


class UnionShape(Node, tag="union_shape"):
    options: tuple[ShapeNode, ...]


ShapeNode = TypeRef | Primitive | LiteralShape | ListShape | UnionShape


class Param(Node, tag="param"):
    name: Ident
    shape: ShapeNode | None
    optional: bool
    default: Expr | None
    hidden: bool = False


# --- what stands in clauses ------------------------------------------------------------------------------------


class ModelRef(Node, tag="model_ref"):
    """A declared model's name, or a slug in quotes (`quoted`)."""

    text: str
    quoted: bool


class Models(Node, tag="models"):
    items: tuple[ModelRef, ...]


class Names(Node, tag="names"):
    items: tuple[Ident, ...]


class Use(Node, tag="use"):
    """A judge or scorer mentioned with the arguments that follow what is judged: `in_language(language, bar: 0.8)`."""

    name: Ident
    args: tuple[Arg, ...]


class Uses(Node, tag="uses"):
    items: tuple[Use, ...]


class Env(Node, tag="env"):
    """`env NAME`: a setting read from the environment at run time."""

    name: str


class Header(Node, tag="header"):
    name: str
    value: Text | Env


class Headers(Node, tag="headers"):
    items: tuple[Header, ...]


class Price(Node, tag="price"):
    input: Money
    output: Money


class Mcp(Node, tag="mcp"):
    command: Text
    only: Names | None


class Option(Node, tag="option"):
    name: Ident
    description: Text | None


class Options(Node, tag="options"):
    items: tuple[Option, ...]


class Texts(Node, tag="texts"):
    items: tuple[Text, ...]


class Cache(Node, tag="cache"):
    ttl: Duration
    key: Expr


class Compact(Node, tag="compact"):
    every: Number
    keep: Number
    model: ModelRef


class Combine(Node, tag="combine"):
    mode: Literal["all", "any", "weighted"]
    at_least: Number | None


class Ask(Node, tag="ask"):
    """A gate's `ask reviewer "…"`."""

    agent: Ident
    question: Text


class GateJudge(Node, tag="gate_judge"):
    always: bool
    use: Use
    question: Text | None
    weight: Number | None


class Check(Node, tag="check"):
    """An unnamed scorer: `contains "x"`, `regex r"…"`, `schema T`, `length 1..5`, `equals "x"`, `compiles "python"`."""

    kind: Literal["contains", "equals", "regex", "schema", "length", "compiles"]
    value: Text | TypeRef | Bounds


class ScorerEntry(Node, tag="scorer_entry"):
    negated: bool
    scorer: Ident | Check
    alias: Ident | None
    weight: Number | None


class ScorerEntries(Node, tag="scorer_entries"):
    items: tuple[ScorerEntry, ...]


class Question(Node, tag="question"):
    """One typed question of a `decide` block."""

    name: Ident
    kind: Literal["condition", "choice", "scale"]
    text: Text
    options: Options | Texts | None


class Questions(Node, tag="questions"):
    items: tuple[Question, ...]


class Limit(Node, tag="limit"):
    what: Literal["cost", "calls", "time", "tokens"]
    amount: Money | Number | Duration
    per: Literal["run", "day"]


class Limits(Node, tag="limits_value"):
    items: tuple[Limit, ...]


ClauseValue = (
    Text | Number | Duration | Ident | ModelRef | Models | Names | Uses | Env | Headers | Price | Mcp | Options | Texts
    | Cache | Compact | Combine | Ask | GateJudge | ScorerEntries | Questions | Limits | Object | Null | Bool | Money
    | Name | Field | Index | Call | Unary | Binary | Is | IfExpr | Quantified | ListExpr | Comprehension
)  # fmt: skip


class Clause(Node, tag="clause"):
    """A keyword and its value. `keyword` is the first word or words as listed in `dsl.clauses` (`pass when`,
    `confidence` for `confidence at least 0.8`, …); its own span is `start .. start+len` of the first word."""

    keyword: str
    value: ClauseValue


class Let(Node, tag="let"):
    name: Ident
    value: Expr


class Require(Node, tag="require"):
    condition: Expr
    reason: Expr


class Case(Node, tag="case"):
    """`case Offer { … }` of a judge."""

    type: Ident
    rules: tuple[Let | Require, ...]


JudgeClause = Clause | Let | Require | Case


# --- declarations ----------------------------------------------------------------------------------------------


class Workflow(Node, tag="workflow"):
    name: Ident
    description: Text | None
    version: Text | None


class Import(Node, tag="import"):
    path: Text


class Constant(Node, tag="constant"):
    name: Ident
    value: Expr


class Provider(Node, tag="provider"):
    name: Ident
    clauses: tuple[Clause, ...]


class Model(Node, tag="model"):
    name: Ident
    slug: Text
    via: Ident | None
    clauses: tuple[Clause, ...]


class TypeField(Node, tag="type_field"):
    name: Ident
    shape: ShapeNode
    optional: bool
    description: Text | None


class Type(Node, tag="type"):
    """A record (`fields`, maybe `extends`) or a name for a shape (`alias`)."""

    name: Ident
    extends: Ident | None
    description: Text | None
    fields: tuple[TypeField, ...]
    alias: ShapeNode | None


class Tool(Node, tag="tool"):
    name: Ident
    params: tuple[Param, ...]
    shape: ShapeNode | None
    description: Text | None
    clauses: tuple[Clause, ...]


class Agent(Node, tag="agent"):
    name: Ident
    params: tuple[Param, ...]
    shape: ShapeNode | None
    description: Text | None
    clauses: tuple[Clause, ...]


class Judge(Node, tag="judge"):
    """`params is None` where no signature was written: `(reply: text)`."""

    name: Ident
    code: bool
    params: tuple[Param, ...] | None
    description: Text | None
    clauses: tuple[JudgeClause, ...]


class Scorer(Node, tag="scorer"):
    name: Ident
    negated: bool
    check: Check


class Gate(Node, tag="gate"):
    name: Ident
    params: tuple[Param, ...]
    description: Text | None
    clauses: tuple[Clause, ...]


class Decision(Node, tag="decision"):
    """A `condition`, `choice` or `scale` at the top level."""

    kind: Literal["condition", "choice", "scale"]
    name: Ident
    params: tuple[Param, ...]
    description: Text | None
    clauses: tuple[Clause, ...]


class Context(Node, tag="context"):
    value: Object


class LimitsDecl(Node, tag="limits"):
    limits: Limits


class Memory(Node, tag="memory"):
    clauses: tuple[Clause, ...]


class Flow(Node, tag="flow"):
    name: Ident
    params: tuple[Param, ...]
    shape: ShapeNode | None
    description: Text | None
    body: tuple[Statement, ...]


class Override(Node, tag="override"):
    kind: Literal["agent", "judge", "model"]
    name: Ident
    clauses: tuple[JudgeClause, ...]
    slug: Text | None


class Profile(Node, tag="profile"):
    name: Ident
    description: Text | None
    overrides: tuple[Override, ...]


class Suite(Node, tag="suite"):
    name: Ident
    flow: Ident
    description: Text | None
    clauses: tuple[Clause, ...]


class Script(Node, tag="script"):
    """`writer replies [...] when …` in a test; `verb` is replies, decides or returns."""

    name: Ident
    verb: Literal["replies", "decides", "returns"]
    value: Expr
    when: Expr | None


class Expect(Node, tag="expect"):
    """`expect EXPR`, or `expect fails with "code"` (then `condition` is None)."""

    condition: Expr | None
    code: Text | None


class Test(Node, tag="test"):
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


class Try(Node, tag="try"):
    call: Call
    otherwise: Expr | None


class Approve(Node, tag="approve"):
    question: Text
    showing: Expr | None


class Each(Node, tag="each"):
    name: Ident
    source: Expr
    at_most: Number | None
    body: Call | Try


class Best(Node, tag="best"):
    """`best of 3: call` (`count`, one call) or `best of { … }` (`count` is None)."""

    count: Number | None
    calls: tuple[Call, ...]
    picker: Ident
    question: Text | None


class Race(Node, tag="race"):
    calls: tuple[Call, ...]


Step = Expr | Try | Approve | Each | Best | Race


class Bind(Node, tag="bind"):
    name: Ident
    step: Step


class Do(Node, tag="do"):
    """A call or a `try` that stands alone; its value is dropped (a gate's block still ends the flow)."""

    step: Call | Try | Approve


class Return(Node, tag="return"):
    value: Expr


class Stop(Node, tag="stop"):
    reason: Text


class Block(Node, tag="block"):
    body: tuple[Statement, ...]


class Uncertain(Node, tag="uncertain"):
    below: Number | None
    block: Block


class If(Node, tag="if"):
    condition: Expr
    then: Block
    uncertain: Uncertain | None
    otherwise: Block | If | None


class SwitchCase(Node, tag="switch_case"):
    """`label` is an option or type as a bare word (`quoted` False) or a literal in quotes."""

    label: Ident
    quoted: bool
    block: Block


class Switch(Node, tag="switch"):
    subject: Expr
    cases: tuple[SwitchCase, ...]
    uncertain: Uncertain | None


class Parallel(Node, tag="parallel"):
    tasks: tuple[Bind | Do, ...]


class Loop(Node, tag="loop"):
    at_most: Number
    until: Expr | None
    body: Block
    otherwise: Block | None


class WithContext(Node, tag="with_context"):
    value: Object
    body: Block


Statement = Bind | Do | Return | Stop | If | Switch | Parallel | Loop | WithContext
