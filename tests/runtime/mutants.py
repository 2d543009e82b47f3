"""The program with one line that is not there, or weaker: what a test must notice."""

from __future__ import annotations

import inspect
import sys
import textwrap
from typing import Any

import pytest


def mutate(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, line: str, instead: str) -> None:
    source = textwrap.dedent(inspect.getsource(getattr(owner, name)))
    assert line in source
    scope: dict[str, Any] = {}
    exec(
        compile(source.replace(line, instead), "<mutant>", "exec"), vars(sys.modules[owner.__module__]), scope
    )
    monkeypatch.setattr(owner, name, scope[name])
