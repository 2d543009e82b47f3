"""Which plans ran under which declared version: a version that means two things is worth a warning."""

from __future__ import annotations

import msgspec

from .canonical import HASH_LENGTH, drifted, short_hash
from .clock import milliseconds, parse_timestamp
from .query import storable
from .records import TernHead
from .terns import Store


class Drift(msgspec.Struct, frozen=True):
    """A declared version that was one plan when it first ran and is another one now. Hashes are whole."""

    workflow: str
    version: str
    was: str
    now: str

    def __str__(self) -> str:
        was, now = short_hash(self.was), short_hash(self.now)
        return (
            f'{self.workflow} changed from {was} to {now} under the same version "{self.version}"; '
            "give it a new one"
        )


def find_drift(
    store: Store, workflow: str, version: str, config: str, *, tenant: str = "", profile: str | None = None
) -> Drift | None:
    """Whether `version` of a workflow (under a profile) ran as another plan at first.

    Hashes made in an older way are never compared.
    """
    first = store.database.rows(
        "SELECT config FROM config_versions WHERE tenant = ? AND workflow = ? AND profile = ? "
        "AND version = ? AND length(config) = ? ORDER BY first LIMIT 1",
        [*_place(tenant, workflow, profile, version), HASH_LENGTH],
    )
    if not first or not drifted(first[0][0], config):
        return None
    return Drift(workflow, version, first[0][0], config)


def note_version(store: Store, tern: TernHead) -> str | None:
    """Remembers the plan that `tern` runs under its declared version.

    Gives a warning for as long as that version was another plan when it first ran.
    """
    version, config = tern.versions.workflow, tern.versions.config
    if version is None or config is None:
        return None
    moment = milliseconds(parse_timestamp(tern.started))
    with store.database.transaction():
        store.database.execute(
            "INSERT INTO config_versions (tenant, workflow, profile, version, config, first, seen) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, workflow, profile, version, config) "
            "DO UPDATE SET first = min(first, excluded.first), seen = max(seen, excluded.seen)",
            [*_place(tern.tenant, tern.workflow, tern.profile, version), config, moment, moment],
        )
        drift = find_drift(store, tern.workflow, version, config, tenant=tern.tenant, profile=tern.profile)
    return None if drift is None else str(drift)


def _place(tenant: str, workflow: str, profile: str | None, version: str) -> list[str]:
    return [storable(text) for text in (tenant, workflow, profile or "", version)]
