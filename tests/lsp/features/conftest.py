"""Files for the feature tests: a text with a cursor in it becomes an analysis and an offset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import pytest

from judgeflow.dsl.workspace.analysis import Analysis, Workspace

CURSOR = "‸"
MAIN = "/w/main.judge"


class Scene(NamedTuple):
    """One file under the cursor, and the others beside it by path."""

    analysis: Analysis
    offset: int
    workspace: Workspace

    def analysis_of(self, path: str) -> Analysis | None:
        try:
            return self.workspace.analyse(path)
        except FileNotFoundError:
            return None

    @property
    def text(self) -> str:
        return self.analysis.source.text

    def others(self) -> list[Analysis]:
        affected = self.workspace.affected(self.analysis.path)
        return [self.workspace.analyse(path) for path in affected if path != self.analysis.path]


SceneOf = Callable[..., Scene]


@pytest.fixture
def scene() -> SceneOf:
    def build(text: str, files: Mapping[str, str] | None = None) -> Scene:
        found = {path: other.encode() for path, other in (files or {}).items()}
        workspace = Workspace(found.get, found.__contains__)
        offset = text.find(CURSOR)
        workspace.update(MAIN, text.replace(CURSOR, ""))
        for path in found:
            if path.endswith(".judge"):
                workspace.analyse(path)
        return Scene(workspace.analyse(MAIN), max(offset, 0), workspace)

    return build
