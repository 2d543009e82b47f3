"""The rules that no declaration can be held to alone: names that clash, names that nobody uses, imports that
lead nowhere, models without a price.

Each rule answers with `Placed` findings: the place of a declaration among its file's chunks, and a diagnostic
relative to it. They are about the file that is looked at; what it imports is only read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set

import msgspec

from .. import ast
from ..diagnostics import Diagnostic, Label, Severity
from ..graph import SUFFIX, Import, Reach, shown
from .document import Document
from .facts import ONCE


class Placed(msgspec.Struct, frozen=True):
    index: int
    diagnostic: Diagnostic


def _placed(
    index: int,
    code: str,
    at: ast.Node,
    message: str,
    *,
    label: str = "",
    labels: tuple[Label, ...] = (),
    help: str = "",
    severity: Severity = "error",
) -> Placed:
    return Placed(
        index,
        Diagnostic(
            code=code,
            severity=severity,
            message=message,
            start=at.start,
            end=at.end,
            label=label,
            labels=labels,
            help=help,
        ),
    )


# --- imports ------------------------------------------------------------------------------------------------


def import_findings(
    reach: Reach, imports: Sequence[Import], found_at: dict[str, str], offset_of: Callable[[int], int]
) -> Iterator[Placed]:
    """Imports that lead nowhere or back, or stand twice. `found_at` gives, for a missing path, one nearby that is
    there."""
    path = reach.files[0]
    first: dict[str, Import] = {}
    for item in imports:
        other = first.setdefault(item.path, item)
        if other is not item:
            offset = offset_of(other.index) - offset_of(item.index)
            at = other.node.path
            yield _placed(
                item.index,
                "name.duplicate",
                item.node.path,
                f"{shown(item.path, path)} is imported twice",
                label="again",
                labels=(Label(at.start + offset, at.end + offset, "the first time"),),
                help="Remove one of the two.",
            )
    for item in reach.missing:
        near = found_at.get(item.path)
        yield _placed(
            item.index,
            "import.missing",
            item.node.path,
            f"There is no file {shown(item.path, path)}"
            if item.path.endswith(SUFFIX)
            else f"{shown(item.path, path)} is no .judge file",
            label="looked for beside this file" if item.path.endswith(SUFFIX) else "cannot be imported",
            help=f'Did you mean "{shown(near, path)}"?'
            if near
            else "A path is relative to the folder of the file that it stands in.",
        )
    for item, way in reach.circles:
        files = " → ".join(shown(step, path) for step in (path, *way))
        myself = len(way) == 1
        yield _placed(
            item.index,
            "import.cycle",
            item.node.path,
            "This file imports itself" if myself else f"These files import each other in a circle: {files}",
            label="closes the circle",
            help="Remove it."
            if myself
            else "Move what both need into a third file, and import that from each of them.",
        )


# --- names --------------------------------------------------------------------------------------------------


def duplicate_findings(
    own: Document, imported: Sequence[Document], clashes: Sequence[str]
) -> Iterator[Placed]:
    """`clashes` are the names that have more than one declaration in sight. Imported ones that clash with
    each other are reported at the first import."""
    path = own.path
    names = frozenset(clashes)
    firsts = _first_places(own, imported, names)
    here: dict[str, list[int]] = {}
    for name, index in own.entries.named_any(names):
        here.setdefault(name, []).append(index)
    for name in clashes:
        places, first = here.get(name, []), firsts.get(name)
        others = places if first is not None and first.path is not None else places[1:]
        for index in others:
            ident = own.entries[index].name
            if ident is None or first is None:
                continue
            labels = (_relative(first, own.start(index)),)
            yield _placed(
                index,
                "name.duplicate",
                ident,
                f"`{name}` is declared twice",
                label="declared again",
                labels=labels,
                help="A name stands for one thing in a file and all that it imports: rename one of the two.",
            )
        if not places:
            yield from _imported_clash(own, imported, name, path)


def _first_places(own: Document, imported: Sequence[Document], names: Set[str]) -> dict[str, Label]:
    """Where names are declared first: in an imported file, else here."""
    found: dict[str, Label] = {}
    for document in (*imported, own):
        path = None if document is own else document.path
        for name, index in document.entries.named_any(names):
            ident = document.entries[index].name
            if ident is not None and name not in found:
                offset = document.start(index)
                found[name] = Label(ident.start + offset, ident.end + offset, "declared first here", path)
    return found


def _relative(label: Label, offset: int) -> Label:
    """A label in the same file counts from the chunk that the diagnostic is in."""
    if label.path is not None:
        return label
    return Label(label.start - offset, label.end - offset, label.text)


def _imported_clash(own: Document, imported: Sequence[Document], name: str, path: str) -> Iterator[Placed]:
    index = next(own.entries.of_kind(ast.Import), None)
    if index is None:
        return
    labels = [
        Label(*place, "declared here", document.path)
        for document in imported
        if (place := document.place(name)) is not None
    ]
    node = own.entries[index].node
    assert isinstance(node, ast.Import)
    yield _placed(
        index,
        "name.duplicate",
        node.path,
        f"The imported files declare `{name}` twice",
        label="imported from here on",
        labels=tuple(labels),
        help="Rename one of the two, or import only one of the files.",
    )


def once_findings(own: Document, imported: Sequence[Document]) -> Iterator[Placed]:
    """A second `workflow`, `context`, `limits` or `memory`. A workflow's header counts for its own file
    only."""
    for kind, word in ONCE.items():
        seen: Label | None = None
        if kind is not ast.Workflow:
            seen = next((place for document in imported if (place := _place_of(document, kind, False))), None)
        for index in own.entries.of_kind(kind):
            start, offset = _start(own, index), own.start(index)
            at = (start, start + len(word))
            if seen is not None:
                yield _placed(
                    index,
                    "name.duplicate",
                    ast.Ident(*at, word),
                    f"There is a second `{word}`",
                    label="the second one",
                    labels=(_relative(seen, offset),),
                    help="A program has one at most: put everything into one of them.",
                )
            else:
                seen = Label(at[0] + offset, at[1] + offset, "the first one")


def _place_of(document: Document, kind: type, own: bool) -> Label | None:
    for index in document.entries.of_kind(kind):
        start = document.start(index) + _start(document, index)
        path = None if own else document.path
        return Label(start, start + len(ONCE[kind]), "the first one", path)
    return None


def _start(document: Document, index: int) -> int:
    """Where a declaration begins in its chunk, behind the comments."""
    node = document.entries[index].node
    return node.start if node is not None else 0


def test_findings(own: Document) -> Iterator[Placed]:
    """Tests of one name: `jrun test -k` and reports could not tell them apart."""
    seen: dict[str, Label] = {}
    for index in own.entries.of_kind(ast.Test):
        node, offset = own.entries[index].node, own.start(index)
        if not isinstance(node, ast.Test) or node.name.plain is None:
            continue
        name = node.name
        first = seen.setdefault(
            node.name.plain, Label(name.start + offset, name.end + offset, "the first one")
        )
        if first.start != name.start + offset:
            yield _placed(
                index,
                "name.duplicate",
                name,
                f'There is a second test "{name.plain}"',
                label="the second one",
                labels=(_relative(first, offset),),
                help="Say what it tests in words of its own.",
            )


def unused_findings(own: Document, unused: Set[str]) -> Iterator[Placed]:
    """Declarations that nothing mentions."""
    for name, index in own.entries.named_any(unused):
        entry = own.entries[index]
        if entry.name is not None:
            yield _placed(
                index,
                "name.unused",
                entry.name,
                f"Nothing uses `{name}`",
                label="declared, and never mentioned",
                help="Use it, or remove it.",
                severity="hint",
            )


def unused_import_findings(own: Document, useless: Iterable[Import]) -> Iterator[Placed]:
    for item in useless:
        yield _placed(
            item.index,
            "name.unused",
            item.node.path,
            f"Nothing from {shown(item.path, own.path)} is used here",
            label="imported, and never mentioned",
            help="Remove the import.",
            severity="hint",
        )
