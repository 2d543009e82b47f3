"""Which check looks at which kind of declaration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ast
from .agents import check_agent
from .base import Report, Scope
from .constants import check_constant
from .context import check_context
from .decisions import check_decision
from .files import Files
from .flows import check_flow
from .gates import check_gate
from .judges import check_judge
from .models import check_model, check_provider
from .profiles import check_profile
from .python_hooks import check_hook
from .python_source import HookInfo
from .scorers import check_scorer
from .settings import check_import, check_limits, check_memory, check_workflow
from .suites import check_suite
from .tests import check_test
from .tools import check_tool
from .types import check_type

_CHECKS: dict[type, Callable[[Any, Scope, Report], None]] = {
    ast.Workflow: check_workflow,
    ast.Import: check_import,
    ast.Constant: check_constant,
    ast.Provider: check_provider,
    ast.Model: check_model,
    ast.Type: check_type,
    ast.Tool: check_tool,
    ast.Agent: check_agent,
    ast.Judge: check_judge,
    ast.Scorer: check_scorer,
    ast.Gate: check_gate,
    ast.Decision: check_decision,
    ast.Context: check_context,
    ast.LimitsDecl: check_limits,
    ast.Memory: check_memory,
    ast.Flow: check_flow,
    ast.Profile: check_profile,
    ast.Test: check_test,
}


def check_declaration(node: ast.Declaration, scope: Scope, report: Report, files: Files) -> HookInfo | None:
    """Everything that one declaration's text, and what it may rely on of others, tells. The answer is what is
    known of its Python function, if it has one."""
    check = _CHECKS.get(type(node))
    if check is not None:
        check(node, scope, report)
    elif type(node) is ast.Suite:
        check_suite(node, scope, report, files)
    if type(node) is ast.Tool or type(node) is ast.Judge:
        return check_hook(node, scope, report, files)
    return None
