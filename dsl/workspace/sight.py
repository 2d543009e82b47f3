"""Which file sees which, through imports, as far as files were read."""

from __future__ import annotations

from collections.abc import Callable

from ..graph import Import, Reach, reach


class Sight:
    """`imports` gives a file's own, and None where there is no such file; it reads what was not read yet, and tells of
    it (`read`)."""

    def __init__(self, imports: Callable[[str], tuple[Import, ...] | None]) -> None:
        self._imports = imports
        self._reaches: dict[str, Reach] = {}
        self._own: dict[str, tuple[Import, ...]] = {}
        """The imports of the files that were read."""
        self._importers: dict[str, set[str]] = {}
        """The files among these that import a file themselves."""
        self._unfollowed: set[str] = set()
        """Files that may import one that was not read."""
        self._turned: set[str] = set()

    def read(self, path: str, imports: tuple[Import, ...]) -> None:
        """A file was read for the first time."""
        self._own[path] = imports
        for item in imports:
            was = self.is_imported(item.path)
            self._importers.setdefault(item.path, set()).add(path)
            self._note(item.path, was)
        self._unfollowed.add(path)

    def changed(self, path: str, imports: tuple[Import, ...] | None) -> None:
        """A file has other imports than before, or came or went."""
        for item in self._own.pop(path, ()):
            was = self.is_imported(item.path)
            self._importers[item.path].discard(path)
            self._note(item.path, was)
        self._reaches.clear()
        self._unfollowed |= self._importers.get(path, set())
        self._unfollowed.discard(path)
        if imports is not None:
            self.read(path, imports)

    def reach(self, path: str) -> Reach:
        found = self._reaches.get(path)
        if found is None:
            found = self._reaches[path] = reach(path, self._imports)
        return found

    def is_imported(self, path: str) -> bool:
        """Whether a file other than itself imports it."""
        return not self._importers.get(path, set()) <= {path}

    def turned(self) -> set[str]:
        """The files of which another answer to `is_imported` is right than when this was asked last."""
        turned, self._turned = self._turned, set()
        return turned

    def _note(self, path: str, was_imported: bool) -> None:
        if self.is_imported(path) != was_imported:
            self._turned ^= {path}

    def importers(self, path: str) -> list[str]:
        """The files that import a file, directly or not, whether it is there or not."""
        while self._unfollowed:
            self.reach(self._unfollowed.pop())
        if path not in self._importers:
            return []
        found = {path: None}
        waiting = [path]
        for other in waiting:
            new = sorted(self._importers.get(other, set()) - found.keys())
            found.update(dict.fromkeys(new))
            waiting += new
        return waiting[1:]
