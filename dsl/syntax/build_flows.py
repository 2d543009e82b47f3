"""What each rule of a flow builds: one function per action of `grammar.lark`."""

from __future__ import annotations

from .. import ast
from .lexer import Token


def flow(
    word: Token,
    name: ast.Ident,
    params: tuple[ast.Param, ...] | None,
    shape: ast.ShapeNode | None,
    description: ast.Text | None,
    body: ast.Block,
) -> ast.Flow:
    return ast.Flow(word[0], body.end, name, params or (), shape, description, body.body)


def block(opening: Token, statements: list[ast.Statement], close: Token) -> ast.Block:
    return ast.Block(opening[0], close[1], tuple(statements))


# --- statements ---------------------------------------------------------------------------------------------


def return_(word: Token, value: ast.Expr) -> ast.Return:
    return ast.Return(word[0], value.end, value)


def stop(word: Token, reason: ast.Text) -> ast.Stop:
    return ast.Stop(word[0], reason.end, reason)


def do(step: ast.Call | ast.Try | ast.Approve) -> ast.Do:
    return ast.Do(step.start, step.end, step)


def bind(name: Token, _equals: Token, step: ast.Step) -> ast.Bind:
    return ast.Bind(name[0], step.end, ast.Ident(*name), step)


def if_(
    word: Token,
    condition: ast.Expr,
    then: ast.Block,
    uncertain: ast.Uncertain | None,
    otherwise: ast.Block | ast.If | None,
) -> ast.If:
    return ast.If(word[0], (otherwise or uncertain or then).end, condition, then, uncertain, otherwise)


def uncertain_plain(word: Token, block: ast.Block) -> ast.Uncertain:
    return ast.Uncertain(word[0], block.end, None, block)


def uncertain_below(word: Token, _below: Token, bar: ast.Number, block: ast.Block) -> ast.Uncertain:
    return ast.Uncertain(word[0], block.end, bar, block)


def case_word(word: Token, label: ast.Ident, block: ast.Block) -> ast.SwitchCase:
    return ast.SwitchCase(word[0], block.end, label, False, block)


def case_text(word: Token, label: ast.Text, block: ast.Block) -> ast.SwitchCase:
    name = ast.Ident(label.start, label.end, label.plain or "")
    return ast.SwitchCase(word[0], block.end, name, True, block)


def switch_certain(
    word: Token, subject: ast.Expr, _open: Token, cases: list[ast.SwitchCase], close: Token
) -> ast.Switch:
    return ast.Switch(word[0], close[1], subject, tuple(cases), None)


def switch_uncertain(
    word: Token,
    subject: ast.Expr,
    _open: Token,
    cases: list[ast.SwitchCase],
    uncertain: ast.Uncertain,
    close: Token,
) -> ast.Switch:
    return ast.Switch(word[0], close[1], subject, tuple(cases), uncertain)


def parallel(word: Token, _open: Token, tasks: list[ast.Bind | ast.Do], close: Token) -> ast.Parallel:
    return ast.Parallel(word[0], close[1], tuple(tasks))


def loop(
    word: Token,
    _at: Token,
    _most: Token,
    turns: ast.Number,
    _times: Token,
    until: ast.Expr | None,
    body: ast.Block,
    otherwise: ast.Block | None,
) -> ast.Loop:
    return ast.Loop(word[0], (otherwise or body).end, turns, until, body, otherwise)


def with_context(word: Token, _context: Token, value: ast.Object, body: ast.Block) -> ast.WithContext:
    return ast.WithContext(word[0], body.end, value, body)


# --- steps --------------------------------------------------------------------------------------------------


def try_plain(word: Token, call: ast.Call) -> ast.Try:
    return ast.Try(word[0], call.end, call, None)


def try_else(word: Token, call: ast.Call, _else: Token, otherwise: ast.Expr) -> ast.Try:
    return ast.Try(word[0], otherwise.end, call, otherwise)


def approve_plain(word: Token, question: ast.Text) -> ast.Approve:
    return ast.Approve(word[0], question.end, question, None)


def approve_showing(word: Token, question: ast.Text, _showing: Token, value: ast.Expr) -> ast.Approve:
    return ast.Approve(word[0], value.end, question, value)


def each(
    word: Token,
    name: ast.Ident,
    _in: Token,
    source: ast.Expr,
    at_most: ast.Number | None,
    _colon: Token,
    body: ast.Call | ast.Try,
) -> ast.Each:
    return ast.Each(word[0], body.end, name, source, at_most, body)


Picked = tuple[ast.Ident, ast.Text | None]


def picked(_picked: Token, _by: Token, picker: ast.Ident, question: ast.Text | None) -> Picked:
    return picker, question


def best_count(
    word: Token, _of: Token, count: ast.Number, _colon: Token, call: ast.Call, picked: Picked
) -> ast.Best:
    picker, question = picked
    return ast.Best(word[0], (question or picker).end, count, (call,), picker, question)


def best_calls(word: Token, _of: Token, calls: ast.Race, picked: Picked) -> ast.Best:
    picker, question = picked
    return ast.Best(word[0], (question or picker).end, None, calls.calls, picker, question)


def calls(opening: Token, items: list[ast.Call], close: Token) -> ast.Race:
    """The calls in braces; `best of` and `race` take them from here."""
    return ast.Race(opening[0], close[1], tuple(items))


def race(word: Token, calls: ast.Race) -> ast.Race:
    return ast.Race(word[0], calls.end, calls.calls)
