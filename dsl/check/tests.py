"""Tests: what is given, what the scripts say, and what is expected has the shapes of the real thing."""

from __future__ import annotations

from .. import ast
from ..shapes import ParamInfo
from ..suggest import closest
from .base import CallableSurface, Report, Scope
from .builtins import TEST_FUNCTIONS, TEST_NAMES
from .env import Env
from .expressions import check_condition
from .fit import answered
from .names import listed, ticked
from .scripted_values import Values
from .scripts import check_scripts, report_no_parameter
from .suites import find_flow
from .texts import check_not_blank, check_plain


def check_test(node: ast.Test, scope: Scope, report: Report) -> None:
    flow = find_flow(node.flow, scope, report)
    check_plain(node.name, "a test's name", report)
    constants = Env(where="in a test")
    _check_given(node, flow, constants, scope, report)
    check_scripts(node, flow, constants, scope, report)
    if not node.expects:
        _report_nothing_expected(node, report)
    for expect in node.expects:
        _check_expect(expect, flow, scope, report)


def _check_given(
    node: ast.Test, flow: CallableSurface | None, env: Env, scope: Scope, report: Report
) -> None:
    if flow is None:
        return
    params = {param.name: param for param in flow.params}
    pairs = node.given.pairs if node.given is not None else ()
    given = {pair.key.text: closest(pair.key.text, params) for pair in pairs}
    meant = {guess for name, guess in given.items() if name not in params}
    for pair in pairs:
        param = params.get(pair.key.text)
        if param is None:
            report_no_parameter(pair.key, flow, report)
        elif not (param.optional and isinstance(pair.value, ast.Null)):
            Values(env, scope, report).check(pair.value, param.shape, f"`{param.name}` of `{flow.name}`")
    missing = [
        name
        for name, param in params.items()
        if name not in given and name not in meant and not may_be_left_out(param)
    ]
    if missing:
        names = listed(ticked(missing))
        report.add(
            "flow.wrong-arguments",
            node.given if node.given is not None else node.flow,
            f"`{flow.name}` also takes {names}",
            label=f"{names} {'is' if len(missing) == 1 else 'are'} not given",
            help=f"given {{ {', '.join(f'{name}: …' for name in (*given, *missing))} }}",
        )


def may_be_left_out(param: ParamInfo) -> bool:
    return param.optional or param.has_default or param.hidden


def expectation_env(flow: CallableSurface | None, scope: Scope) -> Env:
    """What `expect` may mention: how the run of that flow ended."""
    names = {builtin.name: builtin.shape for builtin in TEST_NAMES}
    if flow is not None:
        names["result"] = answered(flow.result, scope)
    return Env(names, functions=TEST_FUNCTIONS, where="in a test")


def _report_nothing_expected(node: ast.Test, report: Report) -> None:
    report.add(
        "clause.missing",
        node.name,
        "This test expects nothing, so it can only fail by accident",
        label="what must come out?",
        help='expect result == "…"\nexpect fails with "flow.stop"',
    )


def _check_expect(expect: ast.Expect, flow: CallableSurface | None, scope: Scope, report: Report) -> None:
    if expect.condition is not None:
        env = expectation_env(flow, scope)
        check_condition(expect.condition, env, scope, report)
    elif expect.code is not None and check_plain(expect.code, "a code", report) is not None:
        check_not_blank(expect.code, "a code", report, 'expect fails with "step.agent.quality-gate"')
