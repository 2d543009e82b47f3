"""The whole compiler on one page. Read this first.

    bytes ─ decode ─▸ text ─ split ─▸ chunks ─ parse_chunk ─▸ declarations ─ surface_of ─▸ what others rely on
                                                                  │                             │
                                                                  └──────── check_declaration ──┘
                                                                                  │
                    imports (graph) ─▸ rules about whole programs (whole) ─▸ diagnostics ─ render ─▸ a screen
                                                                                  │
                                                        no error ─ lower ─▸ Plan, which the runtime runs

`source` decodes, `chunks` splits at column 0, `parse` builds one tree per declaration (`ast`), `surface` says
what a declaration offers to others, `check` holds each declaration against its own text and those surfaces,
`graph` follows imports, `whole` has the rules about names that clash or that nobody uses, `analysis` keeps
all of it up to date, and `lower` turns a program without errors into a `Plan`. Everything here is pure: files
come from the `read` that is passed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from .diagnostics import Diagnostic
from .files import read_bytes
from .graph import normal
from .parse import Module
from .render import render
from .source import Source
from .workspace.analysis import Analysis, Read, Workspace

STRICT = frozenset({"judge.same-model-family"})
"""Warnings that `--strict` makes errors."""


class Checked:
    """A program and everything that was found in its files. `modules` are the file that runs and then what it
    imports; `diagnostics` are those of all of them, file by file."""

    def __init__(
        self, analysis: Analysis, diagnostics: tuple[Diagnostic, ...], sources: dict[str, Source]
    ) -> None:
        self.analysis = analysis
        self.diagnostics = diagnostics
        self.sources = sources

    @property
    def modules(self) -> tuple[Module, ...]:
        return self.analysis.modules

    def rendered(self, *, color: bool = False, hints: bool = False) -> str:
        """The findings as a person reads them, a blank line between two."""
        shown = [found for found in self.diagnostics if hints or found.severity != "hint"]
        return "\n\n".join(render(found, self.sources, color=color) for found in shown)


def read_file(path: str) -> bytes | None:
    """The bytes of a file on disk, None where there is none that can be read."""
    try:
        return read_bytes(path)
    except OSError:
        return None


def load(path: str, read: Read = read_file, *, strict: bool = False) -> Checked:
    """The program of a file with all that it imports, checked. `OSError` where the file cannot be read."""
    workspace = open_workspace(read)
    try:
        analysis = workspace.analyse(path)
    except FileNotFoundError:
        if read is read_file:
            # It may be there and still not be read: a folder, or a file of somebody else.
            read_bytes(path)
        raise
    diagnostics, sources = _together(workspace, analysis.reach.files, strict)
    return Checked(analysis, diagnostics, sources)


def check_files(
    paths: Sequence[str], read: Read = read_file, *, strict: bool = False
) -> tuple[tuple[Diagnostic, ...], dict[str, Source]]:
    """Everything that is wrong in some files and in what they import, file by file, and the sources to show
    it with. All files are read before the first is judged, so that one that another imports is known to be
    used."""
    workspace = open_workspace(read)
    return check_again(workspace, paths, strict=strict)


def check_again(
    workspace: Workspace, paths: Iterable[str], *, strict: bool = False
) -> tuple[tuple[Diagnostic, ...], dict[str, Source]]:
    """`check_files` with a workspace that has seen them before: only what changed is looked at."""
    found: dict[str, None] = {}
    for path in paths:
        found |= dict.fromkeys(workspace.reach(path))
    return _together(workspace, found, strict)


def open_workspace(read: Read = read_file, exists: Callable[[str], bool] | None = None) -> Workspace:
    return Workspace(read, exists or (os.path.isfile if read is read_file else None))


def _together(
    workspace: Workspace, paths: Iterable[str], strict: bool
) -> tuple[tuple[Diagnostic, ...], dict[str, Source]]:
    diagnostics: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    for path in map(normal, paths):
        if path in sources:
            continue
        try:
            analysis = workspace.analyse(path)
        except FileNotFoundError:
            continue
        sources[path] = analysis.source
        diagnostics += (stricter(found) if strict else found for found in analysis.diagnostics)
    return tuple(diagnostics), sources


def stricter(found: Diagnostic) -> Diagnostic:
    """The finding as `--strict` sees it."""
    if found.code not in STRICT or found.severity != "warning":
        return found
    return replace(found, severity="error")
