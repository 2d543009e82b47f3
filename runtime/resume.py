"""Going on with a run that another process has begun: which runs may, and what is known of them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from .judge.errors import ConfigurationError, NotResumableError
from .run import CALLS
from .store.records import StepRecord, Tern
from .store.terns import Store

RESUMABLE = ("paused", "abandoned", "cancelled")
"""It waits for a person; its process died; it was stopped."""


def claimed(store: Store, run: str, tenant: str, config: str | None) -> Tern:
    """The run as it was left, now running here: of two who ask at once only one gets it.

    To be called within one transaction. Raises `NotResumableError`, `ConfigurationError` where the program is another
    one by now, and `StoreError` for a run that is not there.
    """
    tern = store.get(run, tenant=tenant)
    check_resumable(tern)
    if config != tern.versions.config:
        raise ConfigurationError(
            f"run {tern.id}: the program has changed since, so what was done and approved then may not be what would "
            f"be done now; `jrun rerun {tern.id[:8]}` runs it anew",
            code="resume.changed",
        )
    store.begin(
        msgspec.structs.replace(tern, status="running", code=None, reason=None, answer=None, ended=None)
    )
    return tern


def check_resumable(tern: Tern) -> None:
    """Raises `NotResumableError`."""
    if tern.status == "running":
        raise NotResumableError(f"run {tern.id} is under way in another process")
    if tern.status not in RESUMABLE:
        raise NotResumableError(f"run {tern.id} is {tern.status}: there is nothing to go on with")


def past_of(tern: Tern) -> Mapping[str, StepRecord]:
    """Its steps by id; those that are over are not done again."""
    return {step.id: step for step in tern.steps}


def in_flight(tern: Tern) -> tuple[StepRecord, ...]:
    """The steps that its process was waiting for when it died: nobody knows what became of them."""
    return tuple(step for step in tern.steps if step.status == "running" and step.kind in (*CALLS, "gate"))


def warning_of(step: StepRecord) -> str:
    return f"{step.name} was under way when its process died: it is asked again, and what that call cost is not known"
