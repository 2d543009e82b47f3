"""What may stand inside of quotes: paths, functions of a Python file, model slugs, languages, options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from ...dsl import ast
from ...dsl.check.fit import options_of, resolve, without_null
from ...dsl.check.python_source import PythonFile
from ...dsl.graph import target_of
from ...dsl.parse import Module
from ...dsl.scorer_spec import LANGUAGES
from ...dsl.shapes import Literal as LiteralShape
from ...dsl.workspace.analysis import Analysis
from ..cursor import Cursor, Tried
from ..seen import scope_of
from ..tree import walk
from .named import switch_labels

TextKind = Literal["file", "function", "module", "value"]
Offer = tuple[str, TextKind, int, str, str]
"""Label, kind, where the replaced text starts (a file offset), what is inserted, detail."""


class Listing:
    """The files around a file: `names` gives what is in a folder (folders end in `/`), `python` reads a
    Python file, `slugs` are the model slugs of the other files of the workspace."""

    def __init__(
        self,
        names: Callable[[str], Iterable[str]],
        python: Callable[[str], PythonFile | None],
        slugs: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self.names = names
        self.python = python
        self.slugs = slugs


def text_items(reading: Tried, cursor: Cursor, analysis: Analysis, listing: Listing) -> Iterator[Offer]:
    text, parent = reading.here, reading.parent
    assert isinstance(text, ast.Text)
    begin = text.start + (2 if text.raw else 1)
    written = cursor.text[begin : cursor.offset - cursor.base]
    start = cursor.base + begin
    match parent:
        case ast.Import():
            yield from _paths(written, cursor, analysis, listing, (".judge",))
        case ast.Clause(keyword="python"):
            yield from _python(written, cursor, analysis, listing)
        case ast.Clause(keyword="cases" | "labels"):
            yield from _paths(
                written, cursor, analysis, listing, (".jsonl", ".json", ".csv", ".yaml", ".yml")
            )
        case ast.Model():
            yield from (
                (slug, "module", start, slug, "a slug used elsewhere")
                for slug in slugs(written, analysis, listing)
            )
        case ast.Check(kind="compiles"):
            yield from ((language, "value", start, language, "") for language in LANGUAGES)
        case ast.SwitchCase():
            yield from _cases(reading, start, analysis)
        case ast.Binary(left=left, right=right):
            yield from _values(left if right is text else right, reading, start, analysis)
        case ast.ListExpr() if len(reading.path) > 2 and isinstance(reading.path[-3], ast.Binary):
            yield from _values(reading.path[-3].left, reading, start, analysis)


def model_slugs(module: Module) -> Iterator[str]:
    """The slugs that a file writes in quotes."""
    for item in module.items:
        for node in walk(item.node) if item.node is not None else ():
            if isinstance(node, ast.Model) and node.slug.plain:
                yield node.slug.plain
            elif isinstance(node, ast.ModelRef) and node.quoted:
                yield node.text


def slugs(written: str, analysis: Analysis, listing: Listing) -> list[str]:
    """Every model slug that this file or another of the workspace has in quotes, except what is being written."""
    return sorted({*model_slugs(analysis.module), *listing.slugs()} - {written, ""})


def _paths(
    written: str, cursor: Cursor, analysis: Analysis, listing: Listing, suffixes: tuple[str, ...]
) -> Iterator[Offer]:
    folder = written.rpartition("/")[0]
    for name in sorted(listing.names(target_of(analysis.path, folder or "."))):
        if name.endswith("/") or name.endswith(suffixes):
            yield name, "file", cursor.offset - len(written.rpartition("/")[2]), name, ""


def _python(written: str, cursor: Cursor, analysis: Analysis, listing: Listing) -> Iterator[Offer]:
    path, colon, name = written.rpartition(":")
    if not colon:
        yield from _paths(written, cursor, analysis, listing, (".py",))
        return
    file = listing.python(target_of(analysis.path, path))
    for function in file.functions.values() if file is not None else ():
        if function.signature:
            arguments = ", ".join((*function.parameters, *function.keyword_only))
            yield function.name, "function", cursor.offset - len(name), function.name, f"({arguments})"


def _cases(reading: Tried, start: int, analysis: Analysis) -> Iterator[Offer]:
    switch = reading.inside(ast.Switch)
    if switch is not None:
        taken = {case.label.text for case in switch.cases}
        for label, detail in switch_labels(switch, reading, analysis):
            if label not in taken:
                yield label, "value", start, label, detail


def _values(other: ast.Expr, reading: Tried, start: int, analysis: Analysis) -> Iterator[Offer]:
    """The texts that the other side of a comparison can be."""
    shape = reading.seen.shape(other)
    if shape is None:
        return
    for option in options_of(without_null(resolve(shape, scope_of(analysis)))):
        if isinstance(option, LiteralShape):
            yield option.value, "value", start, option.value, ""
