"""What `jrun describe` does: reads the file, looks into the store, makes no call."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime

import msgspec

from ...dsl.plan import Plan
from ..flow.profiles import with_profile
from ..flow.versions import versions_of
from ..report.description import describe, render_description
from ..report.exit_codes import ANSWERED
from ..store.accounts import DayAccount, balance, day_of
from ..store.records import Versions
from ..store.versions import Drift, find_drift
from .evaluating import loaded
from .run_flow import answering
from .runs import read_store, width_of


def run_describe(arguments: argparse.Namespace) -> int:
    """The handler of `jrun describe`."""
    return answering(lambda: _describe(arguments))


def _describe(arguments: argparse.Namespace) -> int:
    plan = with_profile(loaded(arguments.file).plan, arguments.profile)
    versions = versions_of(plan)
    drift, today = _from_store(plan, versions, arguments)
    found = describe(plan, versions, profile=arguments.profile, drift=drift, today=today)
    if arguments.json:
        print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    else:
        print(render_description(found, width_of(sys.stdout)), end="")
    return ANSWERED


def _from_store(
    plan: Plan, versions: Versions, arguments: argparse.Namespace
) -> tuple[Drift | None, DayAccount | None]:
    limited = any(limit.per == "day" for limit in plan.limits)
    with read_store() as store:
        if store is None:
            return None, DayAccount() if limited else None
        drift = None
        if versions.workflow is not None and versions.config is not None:
            drift = find_drift(
                store,
                plan.workflow,
                versions.workflow,
                versions.config,
                tenant=arguments.tenant,
                profile=arguments.profile,
            )
        if not limited:
            return drift, None
        today = day_of(datetime.now(UTC))
        return drift, balance(store, plan.workflow, today, tenant=arguments.tenant)
