"""The root of a tree with settings of its own."""

from typing import Any

import attrs

from judgeflow.runtime.core import SupervisorSpec
from judgeflow.runtime.core.supervisor import ROOT


def rooted(**settings: Any) -> SupervisorSpec:
    return attrs.evolve(ROOT, **settings)
