"""Tools: a Python function, or the functions of an MCP server."""

from __future__ import annotations

from .. import ast
from ..diagnostics import Label
from ..suggest import closest
from .base import Report, Scope
from .clauses import check_clauses, report_misplaced
from .names import listed, replace_fix, ticked
from .params import check_params
from .shapes import check_shape
from .texts import check_not_blank, check_plain


def check_tool(node: ast.Tool, scope: Scope, report: Report) -> None:
    check_plain(node.description, "a description", report)
    check_params(node.params, scope, report)
    if node.shape is not None:
        check_shape(node.shape, scope, report)
    found = check_clauses("tool", node.name, node.clauses, report)
    python, mcp, secret = found.get("python"), found.get("mcp"), found.get("secret")
    if python is not None and isinstance(python.value, ast.Text):
        check_plain(python.value, "the name of a Python function", report)
    if mcp is not None and isinstance(mcp.value, ast.Mcp):
        _check_mcp(node, mcp.value, report)
    if secret is not None and isinstance(secret.value, ast.Names):
        if mcp is not None:
            message = f"`{node.name.text}` is an MCP server, whose functions have their own parameters"
            report_misplaced(secret, message, "Remove `secret`.", report)
        else:
            _check_secret(node, secret.value, report)


def _check_mcp(node: ast.Tool, mcp: ast.Mcp, report: Report) -> None:
    check_plain(mcp.command, "a command", report)
    check_not_blank(mcp.command, "the command", report, 'mcp "npx -y @acme/browser"')
    if node.params or node.shape is not None:
        at = node.params[0] if node.params else node.shape
        report.add(
            "clause.misplaced",
            at or node.name,
            f"`{node.name.text}` is an MCP server, whose functions have their own parameters and shapes",
            label="has no effect here",
            help=f'tool {node.name.text} {{ mcp "…" }}',
        )
    seen: dict[str, ast.Ident] = {}
    for name in mcp.only.items if mcp.only is not None else ():
        first = seen.setdefault(name.text, name)
        if first is not name:
            report.add(
                "name.duplicate",
                name,
                f"`{name.text}` is listed twice",
                label="again",
                labels=(Label(first.start, first.end, "the first one"),),
                help="Remove one of the two.",
            )


def _check_secret(node: ast.Tool, names: ast.Names, report: Report) -> None:
    params = [param.name.text for param in node.params]
    for name in names.items:
        if name.text in params:
            continue
        guess = closest(name.text, params)
        help = f"Did you mean `{guess}`?" if guess else f"It has {listed(ticked(params))}." if params else ""
        report.add(
            "name.unknown",
            name,
            f"`{node.name.text}` has no parameter `{name.text}`",
            label="nothing to mask",
            help=help,
            fixes=(replace_fix(name, guess),) if guess else (),
        )
