"""The findings of one file's declarations, each kept as long as everything that it was read from stays the
same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..check.base import Finding, Report, Scope, Surface
from ..check.declaration import check_declaration
from ..check.entry import Entry
from ..check.files import Files
from ..check.lacking import still_so
from ..check.python_source import HookInfo

MOST = 200
"""Findings of one declaration; whoever has more of them sees the rest when these are mended."""


class _Asked(NamedTuple):
    """What a declaration was checked with: names, whether all names, and other files."""

    names: tuple[str, ...]
    all_names: bool
    files: tuple[str, ...]


class KeptFindings:
    """Findings by declaration. `readers` says which declarations asked for a name, so that a change of what the name
    stands for costs those alone; `name_readers` asked for all names, `file_readers` for another file. What is known of
    a declaration goes when it goes."""

    def __init__(self) -> None:
        self.loud: set[Entry] = set()
        """Those with findings, of the parser or of a check; most have none."""
        self.findings: dict[Entry, tuple[Finding, ...]] = {}
        self.hooks: dict[Entry, HookInfo] = {}
        self._present: dict[Entry, int] = {}
        """How often each declaration stands in the file."""
        self._waiting: dict[Entry, None] = {}
        """Those that are to be checked, maybe again."""
        self._asked: dict[Entry, _Asked] = {}
        self._readers: dict[str, set[Entry]] = {}
        self._name_readers: set[Entry] = set()
        self._file_readers: dict[str, set[Entry]] = {}

    def add(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            count = self._present.get(entry, 0)
            self._present[entry] = count + 1
            if not count:
                self._waiting[entry] = None
                if entry.diagnostics:
                    self.loud.add(entry)

    def remove(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._present[entry] -= 1
            if not self._present[entry]:
                del self._present[entry]
                self._forget(entry)
                self._waiting.pop(entry, None)
                self.loud.discard(entry)

    def names_changed(self, changed: Iterable[str], *, appeared: bool) -> None:
        """What these names stand for is new; with `appeared`, some of them are new or gone, or of another kind."""
        for name in changed:
            self._waiting.update(dict.fromkeys(self._readers.get(name, ())))
        if appeared:
            self._waiting.update(dict.fromkeys(self._name_readers))

    def file_changed(self, path: str) -> None:
        self._waiting.update(dict.fromkeys(self._file_readers.get(path, ())))

    def reads_file(self, path: str) -> bool:
        return path in self._file_readers

    def check(
        self,
        find: Callable[[str], Surface | None],
        names: Callable[[], Iterable[str]],
        files: Callable[[], Files],
    ) -> None:
        """Checks the declarations that were not checked yet, or with something else."""
        while self._waiting:
            entry, _ = self._waiting.popitem()
            self._forget(entry)
            if entry.node is not None and (entry.lacking or not entry.broken):
                self._check(entry, Scope(find, names), files())

    def _check(self, entry: Entry, scope: Scope, files: Files) -> None:
        assert entry.node is not None
        report = Report()
        hook = check_declaration(entry.node, scope, report, files)
        findings = still_so(entry.node, report.findings) if entry.lacking else report.findings
        if findings:
            self.findings[entry] = tuple(findings[:MOST])
            self.loud.add(entry)
        if hook is not None:
            self.hooks[entry] = hook
        self._asked[entry] = _Asked(tuple(scope.asked), scope.asked_names, tuple(files.asked))
        for name in scope.asked:
            self._readers.setdefault(name, set()).add(entry)
        if scope.asked_names:
            self._name_readers.add(entry)
        for path in files.asked:
            self._file_readers.setdefault(path, set()).add(entry)

    def _forget(self, entry: Entry) -> None:
        """Forgets what a check has found."""
        if self.findings.pop(entry, None) and not entry.diagnostics:
            self.loud.discard(entry)
        self.hooks.pop(entry, None)
        asked = self._asked.pop(entry, None)
        if asked is not None:
            _take_out(entry, self._readers, asked.names)
            _take_out(entry, self._file_readers, asked.files)
            self._name_readers.discard(entry)


def _take_out(entry: Entry, readers: dict[str, set[Entry]], asked: Iterable[str]) -> None:
    for name in asked:
        readers[name].remove(entry)
        if not readers[name]:
            del readers[name]
