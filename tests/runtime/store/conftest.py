from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from judgeflow.runtime.store.records import StepRecord, Tern
from judgeflow.runtime.store.terns import Store

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
STARTED = "2026-03-01T11:59:00.000Z"
ENDED = "2026-03-01T11:59:04.200Z"

MakeTern = Callable[..., Tern]
MakeStep = Callable[..., StepRecord]


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture
def make_step() -> MakeStep:
    def make(id: str = "s1", **fields: Any) -> StepRecord:
        defaults = {
            "kind": "agent",
            "name": "writer",
            "status": "succeeded",
            "started": STARTED,
            "ended": ENDED,
        }
        return StepRecord(id=id, **(defaults | fields))

    return make


@pytest.fixture
def make_tern() -> MakeTern:
    def make(id: str = "a1", **fields: Any) -> Tern:
        defaults: dict[str, Any] = {
            "thread": "t1",
            "flow": "answer",
            "workflow": "support",
            "status": "answered",
            "task": "My name is Pavel",
            "answer": "Nice to meet you, Pavel.",
            "started": STARTED,
            "ended": ENDED,
        }
        return Tern(id=id, **(defaults | fields))

    return make


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "terns.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path, clock=lambda: NOW) as opened:
        yield opened
