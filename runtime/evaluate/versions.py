"""Which versions have run: one that never did is a mistake of whoever typed it."""

from __future__ import annotations

from ..judge.errors import ConfigurationError
from ..report.text import one_line
from ..store.canonical import SHORT_LENGTH, short_hash
from ..store.query import TernFilter
from ..store.records import TernHead, Versions
from ..store.terns import Store


def known_versions(store: Store, tenant: str, workflow: str | None = None) -> list[str]:
    """The versions of all runs, or of a workflow's: as declared, with the hash of the prompts."""
    heads = store.list_terns(TernFilter(tenant=tenant))
    return sorted({_named(head) for head in heads if workflow in (None, head.workflow)} - {""})


def check_version(store: Store, version: str | None, tenant: str, workflow: str, own: Versions) -> None:
    """`ConfigurationError` for a version that no run of the workflow has, nor the file itself (`own`)."""
    if version is None or _is(own, version):
        return
    wrong = unknown_version(store, version, tenant, workflow)
    if wrong is not None:
        raise ConfigurationError(f"{workflow}: {wrong}", code="eval.no-version")


def unknown_version(store: Store, version: str, tenant: str, workflow: str | None = None) -> str | None:
    """What to say of a version that no run has; None where one has it."""
    heads = store.list_terns(TernFilter(tenant=tenant, version=version))
    if any(workflow in (None, head.workflow) for head in heads):
        return None
    known = ", ".join(known_versions(store, tenant, workflow))
    return f"no run has version {version}; {f'there are {known}' if known else 'none has one yet'}"


def _is(versions: Versions, typed: str) -> bool:
    hashes = (versions.prompt, versions.model, versions.config)
    return typed == versions.workflow or (
        len(typed) >= SHORT_LENGTH and any(each is not None and each.startswith(typed) for each in hashes)
    )


def _named(head: TernHead) -> str:
    prompt = short_hash(head.versions.prompt or "")
    return f"{one_line(head.versions.workflow, 40)} ({prompt})" if head.versions.workflow else prompt
