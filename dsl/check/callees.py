"""Calls that cannot be: of what is no function, of what costs where it may not run, of methods."""

from __future__ import annotations

from .. import ast
from ..suggest import Names, closest
from .base import CallableSurface, Report, Scope, Surface
from .builtins import FUNCTIONS, JUDGE_FUNCTIONS, TEST_FUNCTIONS
from .env import Env
from .foreign import METHODS, function_help, method_help
from .names import CALLABLES, a, kind_of, listed, nearest, report_unknown, ticked

ELSEWHERE = {
    **dict.fromkeys(JUDGE_FUNCTIONS, "in judges"),
    **dict.fromkeys(TEST_FUNCTIONS, "in `expect` of a test"),
}
"""Functions that stand in some places only."""
_FUNCTION_NAMES = Names(FUNCTIONS)


def report_hidden_call(node: ast.Call, callee: CallableSurface, env: Env, report: Report) -> None:
    report.add(
        "flow.hidden-call",
        node.callee,
        f"`{callee.name}` is {a(callee.kind)} and may not be called {env.where}",
        label="calls stand in flows",
        help="Call it in a statement of a flow, and hand its result over as an argument.",
    )


def check_member(node: ast.Call, callee: CallableSurface, member: str, report: Report) -> None:
    """`browse.open(…)`: a function of an MCP tool, whose parameters only its server knows."""
    known = callee.functions
    if not known:
        _report_method(node, report)
    elif not member:
        offers = (
            "" if known == ("*",) else f": {listed(ticked(f'{callee.name}.{name}' for name in known), 'or')}"
        )
        report.add(
            "flow.wrong-arguments",
            node.callee,
            f"`{callee.name}` is an MCP server, and its functions are called by name",
            label="which function?",
            help=f"Call one of its functions{offers}." if offers else f"Write `{callee.name}.function(…)`.",
        )
    elif member not in known and known != ("*",):
        offered = [f"{callee.name}.{name}" for name in known]
        guess = closest(node.callee.text, offered)
        report_unknown(report, node.callee, node.callee.text, guess, what="function")


def report_not_callable(
    node: ast.Call, found: Surface | None, env: Env, scope: Scope, report: Report
) -> None:
    name = node.callee.text
    if "." in name:
        _report_method(node, report)
        return
    if name in env.names or found is not None:
        what = a(kind_of(found)) if found is not None else "a value"
        report.add(
            "shape.mismatch",
            node.callee,
            f"`{name}` is {what} and cannot be called",
            label="not callable",
        )
        return
    if name in ELSEWHERE:
        report.add("name.unknown", node.callee, f"`{name}` stands {ELSEWHERE[name]} only", label="not here")
        return
    first = node.args[0].value if node.args else None
    foreign = function_help(name, first.id if isinstance(first, ast.Name) else "x")
    if foreign:
        message = f"There is no function, agent or tool `{name}`"
        report.add("name.unknown", node.callee, message, label="not declared", help=foreign)
        return
    guess = nearest(name, scope, CALLABLES, env.functions, _FUNCTION_NAMES)
    report_unknown(report, node.callee, name, guess, what="function, agent or tool")


def _report_method(node: ast.Call, report: Report) -> None:
    target, _, method = node.callee.text.rpartition(".")
    function = METHODS.get(method, method)
    help = method_help(target, method)
    if not help and function in FUNCTIONS:
        help = f"Write `{function}({target}{', …' if node.args else ''})`."
    help = help or "Functions are called by their own name: `len(x)`, not `x.len()`."
    report.add(
        "name.unknown",
        node.callee,
        f"There are no methods, so `{node.callee.text}` cannot be called",
        label="not a function",
        help=help,
    )


def report_no_value(node: ast.Name, name: str, found: Surface, report: Report) -> None:
    callable_ = isinstance(found, CallableSurface)
    report.add(
        "shape.mismatch",
        node,
        f"`{name}` is {a(kind_of(found))}, not a value",
        label="not a value",
        help=f"Call it in a flow: `{name}(…)`." if callable_ else "",
    )
