"""Which plans ran under which declared version: a version that means two things is worth a warning."""

from __future__ import annotations

from .canonical import drifted, short_hash
from .clock import milliseconds, parse_timestamp
from .query import storable
from .records import TernHead
from .terns import Store


def note_version(store: Store, tern: TernHead) -> str | None:
    """Remembers the plan that `tern` runs under its declared version.

    Gives a warning if that version was last another plan. Hashes made in an older way are never compared.
    """
    version, config = tern.versions.workflow, tern.versions.config
    if version is None or config is None:
        return None
    place = [storable(text) for text in (tern.tenant, tern.workflow, version)]
    with store.database.transaction():
        last = store.database.rows(
            "SELECT config FROM config_versions WHERE tenant = ? AND workflow = ? AND version = ? "
            "ORDER BY seen DESC LIMIT 1",
            place,
        )
        store.database.execute(
            "INSERT INTO config_versions (tenant, workflow, version, config, seen) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (tenant, workflow, version, config) DO UPDATE SET seen = max(seen, excluded.seen)",
            [*place, config, milliseconds(parse_timestamp(tern.started))],
        )
    if not last or not drifted(last[0][0], config):
        return None
    was, now = short_hash(last[0][0]), short_hash(config)
    return (
        f'{tern.workflow} changed from {was} to {now} under the same version "{version}"; give it a new one'
    )
