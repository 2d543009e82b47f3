"""What a declaration mentions, and what it calls, found in one walk over its tree.

What it mentions are the names that keep other declarations from being unused, and models by their slugs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from . import ast

Caller = ast.Call | ast.Best | ast.Ask | ast.GateJudge
"""What calls something, asks it or lets it pick."""

_OWN_NAMES: dict[type, tuple[str, ...]] = {
    ast.Field: ("name",),
    ast.Arg: ("name",),
    ast.Pair: ("key",),
    ast.Param: ("name",),
    ast.TypeField: ("name",),
    ast.Quantified: ("name",),
    ast.Comprehension: ("name",),
    ast.Let: ("name",),
    ast.Bind: ("name",),
    ast.Each: ("name",),
    ast.Option: ("name",),
    ast.Question: ("name",),
    ast.ScorerEntry: ("alias",),
}
"""Identifiers that introduce or select a name of their own instead of mentioning a declaration."""
_DECLARATIONS = frozenset(
    kind for kind in ast.Declaration.__args__ if "name" in kind.__struct_fields__ and kind is not ast.Workflow
)
_NAMELESS = frozenset({"None", "Number", "Money", "Duration", "Bounds", "bool", "float", "str", "tuple"})
"""Words of a field's annotation, if there are no others, that say that it holds no name."""


def _parts(kind: type) -> list[str]:
    """Where a node of that class may hold names, the last field first; `callee.text` where that is a name itself."""
    own = (*_OWN_NAMES.get(kind, ()), *(("name",) if kind in _DECLARATIONS else ()))
    return [
        f"{field}.text" if written == "Ident" else field
        for field, written in reversed(kind.__annotations__.items())
        if field not in own
        and not written.startswith("Literal[")
        and not _NAMELESS.issuperset(re.findall(r"\w+", written))
    ]


_PARTS: dict[type, list[str]] = {
    kind: _parts(kind)
    for kind in vars(ast).values()
    if isinstance(kind, type)
    and issubclass(kind, ast.Node)
    and kind not in (ast.Node, ast.Text, ast.ModelRef)
} | {ast.Ident: ["text"], ast.Name: ["id"], ast.TypeRef: ["name"]}
_PART: dict[type, Callable[[Any], Any]] = {
    kind: attrgetter(*fields) for kind, fields in _PARTS.items() if len(fields) == 1
}
"""The one part of a node that has no other: a node, a tuple of nodes, a name, or None."""
_ALL_PARTS: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    kind: attrgetter(*fields) for kind, fields in _PARTS.items() if len(fields) > 1
}
"""The parts of a node that has several, the last first: what is laid on a stack first comes last."""
_CALLERS = frozenset(Caller.__args__)
_BODY = object()
"""Stands before the body: the callers so far are none of it."""


class Reading(NamedTuple):
    """`names` may stand for other declarations. A local name that happens to be called like one counts too: the hint
    that depends on this would rather be silent than wrong. `callers` are those of the body or the clauses, in order
    (not those in the defaults of parameters)."""

    names: frozenset[str]
    callers: list[Caller]


def read(node: ast.Declaration) -> Reading:
    """What a declaration mentions and calls. What it does is the last part of its tree, its body or its clauses."""
    parts = _ALL_PARTS.get(type(node))
    if parts is None:
        return _walk([node])
    body, *head = parts(node)
    return _walk([body, _BODY, *head])


def mentions(node: ast.Declaration) -> frozenset[str]:
    """Every name in a declaration that may stand for another one."""
    return read(node).names


def callers_in(tree: object) -> list[Caller]:
    """Every caller in a tree, in order."""
    return _walk([tree]).callers


def _walk(waiting: list[Any]) -> Reading:
    """What is mentioned and called in the trees that wait, the last one first. A key stroke waits for this, too: a name
    is no node of its own here, a node with one part is looked through, and nothing is looked at twice."""
    callers: list[Caller] = []
    names: list[str] = []
    words: list[str] = []
    part_of, parts_of = _PART.get, _ALL_PARTS.get
    while waiting:
        node = waiting.pop()
        while (part := part_of(type(node))) is not None:
            node = part(node)
        kind = type(node)
        if kind is str:
            words.append(node)
        elif kind is tuple:
            waiting += node[::-1]
        elif (parts := parts_of(kind)) is not None:
            waiting += parts(node)
            if kind in _CALLERS:
                callers.append(node)
        elif kind is ast.Text:
            for piece in reversed(node.parts):
                if type(piece) is not str:
                    waiting.append(piece)
        elif kind is ast.ModelRef:
            names.append(node.text)
        elif node is _BODY:
            callers.clear()
    names += [word.partition(".")[0] if "." in word else word for word in words]
    return Reading(frozenset(names), callers)


def quoted_models(node: object) -> Iterator[ast.ModelRef]:
    """The models that a declaration's clauses name by a slug in quotes."""
    for clause in getattr(node, "clauses", ()):
        value = getattr(clause, "value", None)
        refs: tuple[ast.ModelRef, ...] = ()
        match value:
            case ast.ModelRef():
                refs = (value,)
            case ast.Models(items=items):
                refs = items
            case ast.Compact(model=model):
                refs = (model,)
        yield from (ref for ref in refs if ref.quoted)
