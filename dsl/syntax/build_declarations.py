"""What each rule of a declaration builds: one function per action of `grammar.lark`."""

from __future__ import annotations

from .. import ast
from .lexer import Token

Params = tuple[ast.Param, ...]


# --- heads --------------------------------------------------------------------------------------------------


def workflow(
    word: Token, name: ast.Ident, description: ast.Text | None, version: ast.Text | None
) -> ast.Workflow:
    return ast.Workflow(word[0], (version or description or name).end, name, description, version)


def import_(word: Token, path: ast.Text) -> ast.Import:
    return ast.Import(word[0], path.end, path)


def constant(word: Token, name: ast.Ident, _equals: Token, value: ast.Expr) -> ast.Constant:
    return ast.Constant(word[0], value.end, name, value)


def provider(
    word: Token, name: ast.Ident, _open: Token, clauses: list[ast.Clause], close: Token
) -> ast.Provider:
    return ast.Provider(word[0], close[1], name, tuple(clauses))


def model_bare(word: Token, name: ast.Ident, slug: ast.Text, via: ast.Ident | None) -> ast.Model:
    return ast.Model(word[0], (via or slug).end, name, slug, via, ())


def model_block(
    word: Token,
    name: ast.Ident,
    slug: ast.Text,
    via: ast.Ident | None,
    _open: Token,
    clauses: list[ast.Clause],
    close: Token,
) -> ast.Model:
    return ast.Model(word[0], close[1], name, slug, via, tuple(clauses))


def field(
    name: ast.Ident,
    _colon: Token,
    shape: ast.ShapeNode,
    question: Token | None,
    description: ast.Text | None,
) -> ast.TypeField:
    end = description.end if description else question[1] if question else shape.end
    return ast.TypeField(name.start, end, name, shape, question is not None, description)


def type_record(
    word: Token,
    name: ast.Ident,
    description: ast.Text | None,
    _open: Token,
    fields: list[ast.TypeField],
    close: Token,
) -> ast.Type:
    return ast.Type(word[0], close[1], name, None, description, tuple(fields), None)


def type_extended(
    word: Token,
    name: ast.Ident,
    _extends: Token,
    base: ast.Ident,
    description: ast.Text | None,
    _open: Token,
    fields: list[ast.TypeField],
    close: Token,
) -> ast.Type:
    return ast.Type(word[0], close[1], name, base, description, tuple(fields), None)


def type_alias(
    word: Token, name: ast.Ident, description: ast.Text | None, _equals: Token, shape: ast.ShapeNode
) -> ast.Type:
    return ast.Type(word[0], shape.end, name, None, description, (), shape)


def tool(
    word: Token,
    name: ast.Ident,
    params: Params | None,
    shape: ast.ShapeNode | None,
    description: ast.Text | None,
    _open: Token,
    clauses: list[ast.Clause],
    close: Token,
) -> ast.Tool:
    return ast.Tool(word[0], close[1], name, params or (), shape, description, tuple(clauses))


def agent(
    word: Token,
    name: ast.Ident,
    params: Params | None,
    shape: ast.ShapeNode | None,
    description: ast.Text | None,
    _open: Token,
    clauses: list[ast.Clause],
    close: Token,
) -> ast.Agent:
    return ast.Agent(word[0], close[1], name, params or (), shape, description, tuple(clauses))


# --- judges -------------------------------------------------------------------------------------------------


def judge(
    word: Token,
    name: ast.Ident,
    params: Params | None,
    description: ast.Text | None,
    _open: Token,
    clauses: list[ast.JudgeClause],
    close: Token,
) -> ast.Judge:
    return ast.Judge(word[0], close[1], name, False, params, description, tuple(clauses))


def code_judge(
    code: Token,
    _judge: Token,
    name: ast.Ident,
    params: Params | None,
    description: ast.Text | None,
    _open: Token,
    clauses: list[ast.JudgeClause],
    close: Token,
) -> ast.Judge:
    return ast.Judge(code[0], close[1], name, True, params, description, tuple(clauses))


def judge_case(
    word: Token, name: ast.Ident, _open: Token, rules: list[ast.Let | ast.Require], close: Token
) -> ast.Case:
    return ast.Case(word[0], close[1], name, tuple(rules))


def let(word: Token, name: ast.Ident, _equals: Token, value: ast.Expr) -> ast.Let:
    return ast.Let(word[0], value.end, name, value)


def require(word: Token, condition: ast.Expr, _else: Token, reason: ast.Expr) -> ast.Require:
    return ast.Require(word[0], reason.end, condition, reason)


def questions(opening: Token, items: list[ast.Question], close: Token) -> ast.Questions:
    return ast.Questions(opening[0], close[1], tuple(items))


def question_condition(name: ast.Ident, _colon: Token, _kind: Token, text: ast.Text) -> ast.Question:
    return ast.Question(name.start, text.end, name, "condition", text, None)


def question_listed(
    name: ast.Ident, _colon: Token, kind: Token, text: ast.Text, options: ast.Options | ast.Texts
) -> ast.Question:
    return ast.Question(name.start, options.end, name, kind[2], text, options)  # type: ignore[arg-type]


# --- scorers and gates -------------------------------------------------------------------------------------


def scorer(word: Token, name: ast.Ident, negation: Token | None, check: ast.Check) -> ast.Scorer:
    return ast.Scorer(word[0], check.end, name, negation is not None, check)


def gate(
    word: Token,
    name: ast.Ident,
    params: Params | None,
    description: ast.Text | None,
    _open: Token,
    clauses: list[ast.Clause],
    close: Token,
) -> ast.Gate:
    return ast.Gate(word[0], close[1], name, params or (), description, tuple(clauses))


# --- decisions, context, limits, memory ---------------------------------------------------------------------


def decision(
    kind: Token,
    name: ast.Ident,
    params: Params | None,
    description: ast.Text | None,
    _open: Token,
    clauses: list[ast.Clause],
    close: Token,
) -> ast.Decision:
    return ast.Decision(kind[0], close[1], kind[2], name, params or (), description, tuple(clauses))  # type: ignore[arg-type]


def confidence(word: Token, _at: Token, _least: Token, bar: ast.Number) -> ast.Clause:
    return ast.Clause(word[0], bar.end, word[2], bar)


def cache(word: Token, ttl: ast.Duration, _by: Token, key: ast.Expr) -> ast.Clause:
    return ast.Clause(word[0], key.end, word[2], ast.Cache(ttl.start, key.end, ttl, key))


def context(word: Token, value: ast.Object) -> ast.Context:
    return ast.Context(word[0], value.end, value)


def limit(what: Token, amount: ast.Money | ast.Number | ast.Duration, per: Token) -> ast.Limit:
    return ast.Limit(what[0], per[1], what[2], amount, per[2])  # type: ignore[arg-type]


def limits(opening: Token, items: list[ast.Limit], close: Token) -> ast.Limits:
    return ast.Limits(opening[0], close[1], tuple(items))


def limits_declaration(word: Token, limits: ast.Limits) -> ast.LimitsDecl:
    return ast.LimitsDecl(word[0], limits.end, limits)


def memory(word: Token, _open: Token, clauses: list[ast.Clause], close: Token) -> ast.Memory:
    return ast.Memory(word[0], close[1], tuple(clauses))


def compact(
    word: Token, every: ast.Number, _keep: Token, keep: ast.Number, _with: Token, model: ast.ModelRef
) -> ast.Compact:
    return ast.Compact(word[0], model.end, every, keep, model)


# --- profiles, suites, tests --------------------------------------------------------------------------------


def override_block(
    kind: Token, name: ast.Ident, _open: Token, clauses: list[ast.JudgeClause], close: Token
) -> ast.Override:
    return ast.Override(kind[0], close[1], kind[2], name, tuple(clauses), None)  # type: ignore[arg-type]


def override_model(kind: Token, name: ast.Ident, slug: ast.Text) -> ast.Override:
    return ast.Override(kind[0], slug.end, "model", name, (), slug)


def profile(
    word: Token,
    name: ast.Ident,
    description: ast.Text | None,
    _open: Token,
    overrides: list[ast.Override],
    close: Token,
) -> ast.Profile:
    return ast.Profile(word[0], close[1], name, description, tuple(overrides))


def suite(
    word: Token,
    name: ast.Ident,
    _for: Token,
    flow: ast.Ident,
    description: ast.Text | None,
    _open: Token,
    clauses: list[ast.Clause],
    close: Token,
) -> ast.Suite:
    return ast.Suite(word[0], close[1], name, flow, description, tuple(clauses))


def agree(word: Token, how: Token) -> ast.Clause:
    return ast.Clause(word[0], how[1], word[2], ast.Ident(*how))


def cascade(word: Token, mode: Token) -> ast.Clause:
    return ast.Clause(word[0], mode[1], word[2], ast.Ident(*mode))


def given(_word: Token, value: ast.Object) -> ast.Object:
    return value


def script(name: ast.Ident, verb: Token, value: ast.Expr, when: ast.Expr | None) -> ast.Script:
    return ast.Script(name.start, (when or value).end, name, verb[2], value, when)  # type: ignore[arg-type]


def expect_failure(word: Token, _fails: Token, _with: Token, code: ast.Text) -> ast.Expect:
    return ast.Expect(word[0], code.end, None, code)


def expect_value(word: Token, condition: ast.Expr) -> ast.Expect:
    return ast.Expect(word[0], condition.end, condition, None)


def test(
    word: Token,
    name: ast.Text,
    _for: Token,
    flow: ast.Ident,
    _open: Token,
    clauses: list[ast.Object | ast.Script | ast.Expect],
    close: Token,
) -> ast.Test:
    return ast.Test(
        word[0],
        close[1],
        name,
        flow,
        next((item for item in clauses if isinstance(item, ast.Object)), None),
        tuple(item for item in clauses if isinstance(item, ast.Script)),
        tuple(item for item in clauses if isinstance(item, ast.Expect)),
    )
