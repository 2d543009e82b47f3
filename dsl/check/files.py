"""Other files that a declaration names: Python hooks, cases, labels. What was asked is kept, so that a
finding is looked at again when such a file changes."""

from __future__ import annotations

from collections.abc import Callable

from ..graph import target_of
from .python_source import PythonFile


class Files:
    """The files around one `.judge` file; paths are written relative to it."""

    def __init__(
        self, importer: str, python: Callable[[str], PythonFile | None], exists: Callable[[str], bool]
    ) -> None:
        self._importer = importer
        self._python = python
        self._exists = exists
        self.asked: set[str] = set()

    def python(self, written: str) -> PythonFile | None:
        """The functions of a Python file, or None where there is no such file."""
        return self._python(self._target(written))

    def exists(self, written: str) -> bool:
        return self._exists(self._target(written))

    def _target(self, written: str) -> str:
        path = target_of(self._importer, written)
        self.asked.add(path)
        return path
