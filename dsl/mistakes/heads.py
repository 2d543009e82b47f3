"""The head of a declaration whose rest cannot be read: its name is known, so that nobody who uses it is
blamed."""

from __future__ import annotations

from typing import cast

from .. import ast
from ..syntax.lalr import Grammar, Stack, drive
from ..syntax.lexer import LINE_END, Lexed

_ENDS: dict[str, tuple[str, ...]] = {
    "let": ("=", "null"),
    "model": ("TEXT",),
    "scorer": ("contains", "TEXT"),
    "suite": ("for", "NAME", "{", "}"),
    "workflow": (),
}
"""What a head still needs to be a declaration; most kinds need a block."""


def bare_head(grammar: Grammar, lexed: Lexed) -> ast.Declaration | None:
    """A declaration with nothing but its name, from its first tokens; None where they have none."""
    literals = grammar.ids
    code = 1 if lexed.kinds[:1] == [literals["code"]] else 0
    kinds, values = [kind % LINE_END for kind in lexed.kinds[: 2 + code]], lexed.values[: 2 + code]
    if len(kinds) < 2 + code:
        return None
    word, name_token = values[code], values[-1]
    if isinstance(word, ast.Node) or isinstance(name_token, ast.Node):
        return None
    if kinds[-1] in grammar.readings:
        kinds[-1] = literals["TYPENAME" if word[2] == "type" else "NAME"]
    end = name_token[1]
    for name in _ENDS.get(word[2], ("{", "}")):
        kinds.append(literals[name])
        values.append(
            ast.Text(end, end, ()) if name == "TEXT" else (end, end, "" if name == "NAME" else name)
        )
    stack = Stack([grammar.tables.starts["declaration"]], [])
    done = drive(grammar, Lexed([*kinds, 0], [*values, (end, end, "")], [], [], []), stack)
    return cast(ast.Declaration, stack.values[0]) if done else None
