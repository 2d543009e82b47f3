"""A declared version that has become another program is told to whoever runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgeflow.runtime.store.canonical import short_hash
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, opened, program

SOURCE = """
workflow desk version "3"
model small "fake/small"
agent writer(topic: text) { model small  prompt "Short." }
flow main(text: text) -> text { return writer(text) }
profile terse { agent writer { prompt "One word." } }
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "terns.sqlite"


async def warnings(path: Path, source: str = SOURCE, runs: int = 1, **options: str) -> list[tuple[str, ...]]:
    profile, tenant = options.get("profile"), options.get("tenant", "")
    async with opened(source, {"small": Model("x")}, store=path, profile=profile) as session:
        return [(await session.run("a", tenant=tenant)).record.warnings for _ in range(runs)]


async def test_f51_i08_another_plan_under_the_same_version_warns_with_both_short_hashes(path: Path) -> None:
    changed = SOURCE.replace("Short.", "Long.")
    assert await warnings(path) == [()]
    was, now = (short_hash(program(text).versions.config or "") for text in (SOURCE, changed))
    told = f'desk changed from {was} to {now} under the same version "3"; give it a new one'
    assert await warnings(path, changed, runs=2) == [(told,), (told,)]
    assert await warnings(path, SOURCE) == [()]
    assert await warnings(path, changed.replace('"3"', '"4"')) == [()]


async def test_a_profile_and_a_tenant_have_versions_of_their_own(path: Path) -> None:
    await warnings(path)
    assert await warnings(path, profile="terse") == [()]
    assert await warnings(path, SOURCE.replace("Short.", "Long."), tenant="acme") == [()]


async def test_f52_a_hash_of_another_length_is_legacy_and_never_compared(path: Path) -> None:
    await warnings(path)
    with Store.open(path) as store:
        store.database.execute("UPDATE config_versions SET config = substr(config, 1, 12)")
    assert await warnings(path, SOURCE.replace("Short.", "Long.")) == [()]


async def test_a_program_without_a_version_has_none_to_drift_from(path: Path) -> None:
    bare = SOURCE.replace(' version "3"', "")
    await warnings(path, bare)
    assert await warnings(path, bare.replace("Short.", "Long.")) == [()]
