from __future__ import annotations

import ast
from pathlib import Path

import pytest

import judgeflow.runtime.store as package

FILES = sorted(Path(package.__path__[0]).glob("*.py"))
ALLOWED = {"msgspec", "rfc8785"}


def imported(file: Path) -> list[tuple[int, str]]:
    """(dots before the name, first part of the name) of each import in `file`."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(0, alias.name.split(".")[0]) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.level, (node.module or "").split(".")[0]))
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_f22_the_store_imports_nothing_else_of_the_project(file: Path) -> None:
    levels = {level for level, _ in imported(file)}
    names = {name for level, name in imported(file) if level == 0}
    assert levels <= {0, 1}
    assert "judgeflow" not in names


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_only_what_records_for_tasks_knows_trio(file: Path) -> None:
    outside = {
        name for level, name in imported(file) if level == 0 and name in {"trio", "attrs", "httpx", "lark"}
    }
    assert outside == ({"trio"} if file.stem in {"recorder", "writer"} else set())
