"""From findings about declarations to diagnostics about a file: places that may have moved, and what is left out
because something else says it already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from ..check.base import Finding
from ..check.document import Document
from ..diagnostics import Diagnostic, Label
from ..graph import Reach
from .workfile import WorkFile


class Doubts:
    """What is reported already: imports that cannot be read, and declarations with a syntax error. Findings that may
    only follow from these are left out."""

    def __init__(self, files: Sequence[WorkFile], seen: Reach) -> None:
        self.everything = seen.broken or any(file.document.diagnostics for file in files)
        names = [name for file in files if file.facts.broken for name in file.document.doubtful_names]
        self.names = frozenset(names)
        self.mentions = tuple(f"`{name}`" for name in self.names)

    def cover(self, finding: Finding, text: str) -> bool:
        diagnostic = finding.diagnostic
        if diagnostic.code == "name.unknown" and self.everything:
            return True
        if not self.names:
            return False
        if text[diagnostic.start : diagnostic.end] in self.names:
            return True
        return any(mention in diagnostic.message for mention in self.mentions)


def without_meant(
    whole: Iterable[Diagnostic], found: list[Diagnostic], document: Document
) -> Iterator[Diagnostic]:
    """The findings about the file, except that what a misspelt name probably meant is not called unused."""
    helps = [each.help for each in found if each.code == "name.unknown" and each.help]
    for each in whole:
        if each.code != "name.unused" or not helps:
            yield each
            continue
        name = f"`{document.slice(each.start, each.end)}`"
        if not any(name in help for help in helps):
            yield each


def assembled(finding: Finding, offset: int, path: str, files: Sequence[WorkFile]) -> Diagnostic:
    diagnostic = finding.diagnostic.moved(offset, path)
    if not finding.related:
        return diagnostic
    labels = list(diagnostic.labels)
    for related in finding.related:
        for file in files:
            place = file.document.place(related.name)
            if place is not None:
                other = file.document.path
                labels.append(Label(*place, related.text, None if other == path else other))
                break
    return replace(diagnostic, labels=tuple(labels))
