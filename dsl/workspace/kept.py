"""The findings of one file's declarations, each kept as long as everything that it was read from stays the
same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..check.base import Finding, Report, Scope, Surface
from ..check.declaration import check_declaration
from ..check.document import Entry
from ..check.files import Files
from ..check.lacking import still_so
from ..check.python_source import HookInfo

MOST = 200
"""Findings of one declaration; whoever has more of them sees the rest when these are mended."""


class KeptFindings:
    """Findings by the text of their declaration. `readers` says which texts asked for a name, so that a
    change of what the name stands for costs those alone; `name_readers` asked for all names, `file_readers`
    for another file."""

    def __init__(self) -> None:
        self.checked: set[str] = set()
        self.noisy: dict[str, tuple[Finding, ...]] = {}
        """The texts with findings; most have none."""
        self.hooks: dict[str, HookInfo] = {}
        self._readers: dict[str, set[str]] = {}
        self._name_readers: set[str] = set()
        self._file_readers: dict[str, set[str]] = {}

    def names_changed(self, changed: Iterable[str], *, appeared: bool) -> None:
        """What these names stand for is new; with `appeared`, some of them are new or gone."""
        for name in changed:
            self._forget(self._readers.pop(name, ()))
        if appeared:
            self._forget(self._name_readers)
            self._name_readers = set()

    def file_changed(self, path: str) -> None:
        self._forget(self._file_readers.get(path, ()))

    def reads_file(self, path: str) -> bool:
        return path in self._file_readers

    def check(
        self,
        entries: Sequence[Entry],
        find: Callable[[str], Surface | None],
        names: Callable[[], tuple[str, ...]],
        files: Callable[[], Files],
    ) -> None:
        """Checks the declarations that were not checked yet."""
        checked = self.checked
        for entry in [entry for entry in entries if entry.text not in checked]:
            checked.add(entry.text)
            if entry.node is None or (entry.broken and not entry.lacking):
                continue
            self._check(entry, Scope(find, names), files())

    def _check(self, entry: Entry, scope: Scope, files: Files) -> None:
        assert entry.node is not None
        text = entry.text
        report = Report()
        hook = check_declaration(entry.node, scope, report, files)
        findings = still_so(entry.node, report.findings) if entry.lacking else report.findings
        if findings:
            self.noisy[text] = tuple(findings[:MOST])
        if hook is not None:
            self.hooks[text] = hook
        for name in scope.asked:
            self._readers.setdefault(name, set()).add(text)
        if scope.asked_names:
            self._name_readers.add(text)
        for path in files.asked:
            self._file_readers.setdefault(path, set()).add(text)

    def _forget(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.checked.discard(text)
            self.noisy.pop(text, None)
            self.hooks.pop(text, None)
