"""What may be written at the cursor, and what it would insert.

Keywords come from the grammar (`dsl.expected`), clauses from `dsl.clauses`, names from what the checker
saw at the cursor. Everything offered would be taken: a judge where judges stand, a field that the value
has, a clause that is not there yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from ...dsl import ast, clauses
from ...dsl.check.base import CallableSurface, ConstantSurface, TypeSurface
from ...dsl.check.builtins import FUNCTIONS, Function
from ...dsl.check.env import Env
from ...dsl.check.fit import describe, fields_of, resolve
from ...dsl.declarations import DECLARATIONS
from ...dsl.parse import parse_chunk
from ...dsl.shapes import Shape
from ...dsl.syntax.lexer import PRIMITIVES
from ...dsl.workspace.analysis import Analysis
from ..cursor import Cursor, Tried, cursor_at, tries
from ..occurrences import name_of
from ..seen import scope_of
from ..tree import path_to
from ..words import parameter, signature
from . import snippets
from .keywords import block_of
from .named import NAMED_IN, names_for
from .texts import Listing, slugs, text_items

ItemKind = Literal[
    "keyword", "snippet", "function", "method", "class", "variable", "constant", "field", "module", "value",
    "property", "file",
]  # fmt: skip


class Item(NamedTuple):
    """`insert` goes in place of `start .. end`, in file offsets; with `snippet` it has places to fill in.
    `rank` says which come first; `name` is the declaration that documents it."""

    label: str
    kind: ItemKind
    start: int
    end: int
    insert: str = ""
    detail: str = ""
    documentation: str = ""
    snippet: bool = False
    rank: int = 5
    name: str = ""


def completions(analysis: Analysis, offset: int, listing: Listing) -> Iterator[Item]:
    """What may be written at an offset, each label once. `listing` gives the files of a folder, for imports and
    hooks."""
    labels: set[str] = set()
    for item in _items(analysis, offset, listing):
        if item.label not in labels:
            labels.add(item.label)
            yield item


def _items(analysis: Analysis, offset: int, listing: Listing) -> Iterator[Item]:
    cursor = cursor_at(analysis, offset)
    if cursor.begins_line:
        yield from _declarations(cursor)
        return
    tried = tries(cursor, analysis)
    if tried and isinstance(tried[0].here, ast.Text):
        for label, kind, start, insert, detail in text_items(tried[0], cursor, analysis, listing):
            yield Item(label, kind, start, offset, insert, detail)
        return
    if tried and isinstance(tried[0].here, ast.ModelRef) and tried[0].here.quoted:
        yield from _slugs(tried[0].here, cursor, analysis, listing)
        return
    expected = cursor.expected()
    fields = list(_fields(tried, cursor, analysis))
    yield from fields
    if fields or cursor.before.endswith("."):
        return
    yield from _clauses(expected, cursor)
    has_types = False
    for item in _names(tried, cursor, analysis):
        has_types = has_types or item.kind == "class"
        yield item
    if "TYPENAME" in expected and not has_types:
        yield from _types(cursor, analysis, primitives="text" in expected)


# --- declarations and clauses ------------------------------------------------------------------------------


def _declarations(cursor: Cursor) -> Iterator[Item]:
    for kind in DECLARATIONS:
        insert = snippets.DECLARATIONS[kind.keyword]
        yield Item(
            kind.keyword,
            "snippet",
            cursor.start,
            cursor.offset,
            insert,
            kind.about,
            kind.example,
            snippet=True,
            rank=1,
        )


def _clauses(expected: frozenset[str], cursor: Cursor) -> Iterator[Item]:
    """The keywords that can come next: clauses that are not there yet with their values, others bare."""
    path, used = _around(cursor)
    block = block_of(path)
    in_flow = any(isinstance(node, ast.Flow) for node in path)
    for word in sorted(expected):
        if not word[0].islower() or word in PRIMITIVES:
            continue
        clause = clauses.find(block, word) if "}" in expected else None
        if clause is None and "}" in expected and word in _CLAUSES and block in clauses.CLAUSES:
            continue
        if clause is not None:
            if clause.keyword not in used or clause.repeatable:
                insert = snippets.clause_snippet(clause, block)
                yield Item(
                    clause.keyword, "keyword", cursor.start, cursor.offset, insert, clause.value, clause.about,
                    snippet=True, rank=1 if clause.required else 2,
                )  # fmt: skip
        elif in_flow and word in snippets.STATEMENTS:
            about = next(
                (one.about for one in (*clauses.STATEMENTS, *clauses.STEPS) if one.keyword == word), ""
            )
            insert = snippets.STATEMENTS[word]
            yield Item(word, "keyword", cursor.start, cursor.offset, insert, "", about, snippet=True, rank=4)
        else:
            yield Item(word, "keyword", cursor.start, cursor.offset, rank=6)


_CLAUSES = frozenset(one.keyword.split()[0] for block in clauses.CLAUSES.values() for one in block)
"""The grammar takes some of them in blocks of another kind, which the checker then refuses."""


def _around(cursor: Cursor) -> tuple[tuple[ast.Node, ...], frozenset[str]]:
    """The nodes around the cursor and the clauses that its block has, read with the word at the cursor
    left out."""
    node, _ = parse_chunk(cursor.before + " " + cursor.text[cursor.offset - cursor.base :])
    if node is None:
        return (), frozenset()
    path = path_to(node, cursor.at)
    while path and isinstance(path[-1], ast.Clause):
        path = path[:-1]
    if len(path) == 1 and not path[0].start <= cursor.at <= path[0].end:
        path = (node,)
    here = next((one for one in reversed(path) if hasattr(one, "clauses")), None)
    return path, frozenset(one.keyword for one in getattr(here, "clauses", ()) if isinstance(one, ast.Clause))


# --- values ------------------------------------------------------------------------------------------------


def _slugs(ref: ast.ModelRef, cursor: Cursor, analysis: Analysis, listing: Listing) -> Iterator[Item]:
    """What may stand in quotes in place of a declared model."""
    written = cursor.text[ref.start + 1 : cursor.offset - cursor.base]
    start = cursor.offset - len(written)
    for slug in slugs(written, analysis, listing):
        yield Item(slug, "module", start, cursor.offset, slug, "a slug used elsewhere")


def _fields(tried: list[Tried], cursor: Cursor, analysis: Analysis) -> Iterator[Item]:
    """The fields of the value before a dot, or the functions of a tool."""
    for reading in tried:
        selection = reading.inside(ast.Field)
        if selection is None or reading.here is not selection.name:
            continue
        shape = reading.seen.shape(selection.target)
        tool = analysis.surface(selection.target.id) if isinstance(selection.target, ast.Name) else None
        if isinstance(tool, CallableSurface) and tool.functions:
            for name in tool.functions:
                yield Item(name, "function", cursor.start, cursor.offset, detail=f"a function of {tool.name}")
        elif shape is not None:
            yield from shape_fields(shape, cursor, analysis)
        return


def shape_fields(shape: Shape, cursor: Cursor, analysis: Analysis) -> Iterator[Item]:
    scope = scope_of(analysis)
    for name, field in (fields_of(resolve(shape, scope), scope) or {}).items():
        yield Item(name, "field", cursor.start, cursor.offset, detail=describe(field), rank=1)


def _names(tried: list[Tried], cursor: Cursor, analysis: Analysis) -> Iterator[Item]:
    """What the stand-in could be: names of the kind that stands there, values in sight, arguments by name."""
    for reading in tried:
        if reading.called is not None:
            view = reading.seen.view(reading.called)
            if view is not None:
                yield from _values(view.env, reading, cursor, analysis, calls_only=True)
            continue
        if not isinstance(reading.here, ast.Name):
            for name, detail, kind in names_for(reading, analysis):
                yield Item(name, kind, cursor.start, cursor.offset, detail=detail, rank=1, name=name)
            continue
        if (offers := NAMED_IN.get(_called(reading))) is not None:
            for name, detail, kind in offers(analysis):
                yield Item(name, kind, cursor.start, cursor.offset, detail=detail, rank=1, name=name)
            continue
        view = reading.seen.view(reading.here)
        yield from _arguments(reading, cursor, analysis)
        if view is not None:
            yield from _values(view.env, reading, cursor, analysis)


def _called(reading: Tried) -> str:
    """What is called with the stand-in as an argument of its own."""
    call = reading.path[-3] if len(reading.path) > 2 and isinstance(reading.parent, ast.Arg) else None
    return call.callee.text if isinstance(call, ast.Call) else ""


def _values(
    env: Env, reading: Tried, cursor: Cursor, analysis: Analysis, *, calls_only: bool = False
) -> Iterator[Item]:
    start, end = cursor.start, cursor.offset
    for name, shape in env.names.items() if not calls_only else ():
        yield Item(name, "variable", start, end, detail=describe(shape), rank=2)
    for function in (*FUNCTIONS.values(), *env.functions.values()) if not calls_only or cursor.calls else ():
        yield _function(function, cursor)
    own, calls = name_of(reading.node), cursor.calls
    for name in analysis.names:
        surface = analysis.surface(name)
        if isinstance(surface, ConstantSurface) and not calls_only and name != own:
            yield Item(name, "constant", start, end, detail=describe(surface.shape), rank=3, name=name)
        elif env.calls_allowed and isinstance(surface, CallableSurface) and name != own:
            needed = [param.name for param in surface.params if not param.has_default and not param.hidden]
            called = snippets.call_snippet(name, needed or (["task"] if surface.kind == "agent" else []))
            insert = "" if calls else called
            detail = signature(surface)
            yield Item(name, "function", start, end, insert, detail, snippet=insert != "", rank=3, name=name)


def _function(function: Function, cursor: Cursor) -> Item:
    needed = [param.name for param in function.params if not param.optional]
    insert = "" if cursor.calls else snippets.call_snippet(function.name, needed)
    start, end, detail = cursor.start, cursor.offset, function.signature
    return Item(function.name, "function", start, end, insert, detail, function.about, snippet=insert != "")


def _arguments(reading: Tried, cursor: Cursor, analysis: Analysis) -> Iterator[Item]:
    """The parameters of the call that the cursor stands in that are not given yet, by name."""
    arg = reading.parent
    call = reading.path[-3] if len(reading.path) > 2 else None
    if (
        not isinstance(arg, ast.Arg)
        or arg.value is not reading.here
        or not isinstance(call, ast.Call | ast.Use)
    ):
        return
    surface = analysis.surface((call.callee if isinstance(call, ast.Call) else call.name).text)
    if not isinstance(surface, CallableSurface):
        return
    given = {one.name.text for one in call.args if one.name is not None}
    by_place = sum(one.name is None for one in call.args if one is not arg and one.start < arg.start)
    first = by_place + (1 if isinstance(call, ast.Use) else 0)
    for param in surface.params[first:]:
        if param.name not in given and not param.hidden:
            label = f"{param.name}: "
            yield Item(label, "property", cursor.start, cursor.offset, detail=parameter(param), rank=1)


def _types(cursor: Cursor, analysis: Analysis, *, primitives: bool) -> Iterator[Item]:
    for name in analysis.names:
        surface = analysis.surface(name)
        if isinstance(surface, TypeSurface):
            yield Item(
                name, "class", cursor.start, cursor.offset, detail=signature(surface), rank=1, name=name
            )
    for name in PRIMITIVES if primitives else ():
        yield Item(name, "class", cursor.start, cursor.offset, detail="a shape of the language", rank=2)
