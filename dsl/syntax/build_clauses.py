"""What each rule of a clause's value builds: one function per action of `grammar.lark`."""

from __future__ import annotations

from .. import ast
from .lexer import Token

# --- clauses and their values -------------------------------------------------------------------------------


def clause(keyword: Token, value: ast.ClauseValue) -> ast.Clause:
    return ast.Clause(keyword[0], value.end, keyword[2], value)


def env(word: Token, name: Token) -> ast.Env:
    return ast.Env(word[0], name[1], name[2])


def headers_empty(opening: Token, close: Token) -> ast.Headers:
    return ast.Headers(opening[0], close[1], ())


def headers_some(opening: Token, headers: list[ast.Header], *closing: Token) -> ast.Headers:
    return ast.Headers(opening[0], closing[-1][1], tuple(headers))


def header_word(name: ast.Ident, _colon: Token, value: ast.Text | ast.Env) -> ast.Header:
    return ast.Header(name.start, value.end, name.text, value)


def header_text(name: ast.Text, _colon: Token, value: ast.Text | ast.Env) -> ast.Header:
    return ast.Header(name.start, value.end, name.plain or "", value)


def price(incoming: ast.Money, _in: Token, _comma: Token, outgoing: ast.Money, out: Token) -> ast.Price:
    return ast.Price(incoming.start, out[1], incoming, outgoing)


def model_name(name: ast.Ident) -> ast.ModelRef:
    return ast.ModelRef(name.start, name.end, name.text, quoted=False)


def model_slug(slug: ast.Text) -> ast.ModelRef:
    return ast.ModelRef(slug.start, slug.end, slug.plain or "", quoted=True)


def models_empty(brackets: Token) -> ast.Models:
    return ast.Models(brackets[0], brackets[1], ())


def models_some(opening: Token, models: list[ast.ModelRef], *closing: Token) -> ast.Models:
    return ast.Models(opening[0], closing[-1][1], tuple(models))


def mcp_all(command: ast.Text) -> ast.Mcp:
    return ast.Mcp(command.start, command.end, command, None)


def mcp_only(command: ast.Text, _only: Token, names: ast.Names) -> ast.Mcp:
    return ast.Mcp(command.start, names.end, command, names)


def names_empty(brackets: Token) -> ast.Names:
    return ast.Names(brackets[0], brackets[1], ())


def names_some(opening: Token, names: list[ast.Ident], *closing: Token) -> ast.Names:
    return ast.Names(opening[0], closing[-1][1], tuple(names))


def use_bare(name: ast.Ident) -> ast.Use:
    return ast.Use(name.start, name.end, name, ())


def use_empty(name: ast.Ident, _open: Token, close: Token) -> ast.Use:
    return ast.Use(name.start, close[1], name, ())


def use_args(name: ast.Ident, _open: Token, args: list[ast.Arg], *closing: Token) -> ast.Use:
    return ast.Use(name.start, closing[-1][1], name, tuple(args))


def uses_empty(brackets: Token) -> ast.Uses:
    return ast.Uses(brackets[0], brackets[1], ())


def uses_some(opening: Token, uses: list[ast.Use], *closing: Token) -> ast.Uses:
    return ast.Uses(opening[0], closing[-1][1], tuple(uses))


def texts_empty(brackets: Token) -> ast.Texts:
    return ast.Texts(brackets[0], brackets[1], ())


def texts_some(opening: Token, texts: list[ast.Text], *closing: Token) -> ast.Texts:
    return ast.Texts(opening[0], closing[-1][1], tuple(texts))


def option(name: ast.Ident, description: ast.Text | None) -> ast.Option:
    return ast.Option(name.start, (description or name).end, name, description)


def options(opening: Token, items: list[ast.Option], close: Token) -> ast.Options:
    return ast.Options(opening[0], close[1], tuple(items))


# --- scorers and gates --------------------------------------------------------------------------------------


def check(kind: Token, value: ast.Text | ast.Bounds) -> ast.Check:
    return ast.Check(kind[0], value.end, kind[2], value)  # type: ignore[arg-type]


def check_type(kind: Token, name: Token) -> ast.Check:
    return ast.Check(kind[0], name[1], "schema", ast.TypeRef(*name))


def pass_when(word: Token, _when: Token, condition: ast.Expr) -> ast.Clause:
    return ast.Clause(word[0], condition.end, "pass when", condition)


def gate_judge(
    word: Token, always: Token | None, use: ast.Use, question: ast.Text | None, weight: ast.Number | None
) -> ast.Clause:
    end = (weight or question or use).end
    value = ast.GateJudge(always[0] if always else use.start, end, always is not None, use, question, weight)
    return ast.Clause(word[0], end, word[2], value)


def gate_ask(word: Token, agent: ast.Ident, question: ast.Text) -> ast.Clause:
    return ast.Clause(word[0], question.end, word[2], ast.Ask(agent.start, question.end, agent, question))


def entry(
    negation: Token | None,
    scorer: ast.Ident | ast.Check,
    alias: ast.Ident | None,
    weight: ast.Number | None,
) -> ast.ScorerEntry:
    start = negation[0] if negation else scorer.start
    return ast.ScorerEntry(
        start, (weight or alias or scorer).end, negation is not None, scorer, alias, weight
    )


def entries(opening: Token, items: list[ast.ScorerEntry], close: Token) -> ast.ScorerEntries:
    return ast.ScorerEntries(opening[0], close[1], tuple(items))


def combine_plain(mode: Token) -> ast.Combine:
    return ast.Combine(mode[0], mode[1], mode[2], None)  # type: ignore[arg-type]


def combine_weighted(mode: Token, bar: ast.Number | None) -> ast.Combine:
    return ast.Combine(mode[0], mode[1] if bar is None else bar.end, "weighted", bar)
