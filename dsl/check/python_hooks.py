"""`python "file.py:function"`: the function is there, and it can be called the way the runtime calls it.

A tool's function gets the tool's parameters by name. A judge's function gets one input by place and, by name,
what its keyword-only parameters ask for: `model`, `run`, a declared tool, or one of the judge's further
parameters."""

from __future__ import annotations

from collections.abc import Sequence

from .. import ast
from ..diagnostics import Edit, Fix
from ..suggest import closest
from .base import CallableSurface, Report, Scope
from .files import Files
from .names import listed, nearest, ticked
from .python_source import HookInfo, PythonFile


def check_hook(node: ast.Tool | ast.Judge, scope: Scope, report: Report, files: Files) -> HookInfo | None:
    """What is known of the function that a tool or judge names; None where it names none that is there."""
    clause = next((c for c in node.clauses if isinstance(c, ast.Clause) and c.keyword == "python"), None)
    if clause is None or not isinstance(clause.value, ast.Text):
        return None
    text = clause.value
    hook = _find(text, report, files)
    if hook is None or not hook.signature:
        return hook
    if isinstance(node, ast.Tool):
        _check_tool(node, text, hook, report)
    else:
        _check_judge(node, text, hook, scope, report)
    return hook


def _find(text: ast.Text, report: Report, files: Files) -> HookInfo | None:
    written = text.plain
    if written is None:
        return None
    path, colon, function = written.rpartition(":")
    if not colon or not path or not function.isidentifier():
        report.add(
            "python.missing",
            text,
            "A Python function is named by its file and its name",
            label="expected `file.py:function`",
            help='python "checks.py:posted"',
        )
        return None
    file = files.python(path)
    if file is None:
        report.add(
            "python.missing",
            text,
            f"There is no Python file {path}",
            label="looked for beside this file",
            help="The path is relative to the folder of the file that it stands in.",
        )
        return None
    if file.problem:
        report.add(
            "python.missing",
            text,
            f"{path} cannot be read as Python: {file.problem}",
            label=f"`{function}` is looked for there",
        )
        return None
    found = file.functions.get(function)
    if found is None:
        _report_no_function(text, path, function, file, report)
    return found


def _report_no_function(text: ast.Text, path: str, function: str, file: PythonFile, report: Report) -> None:
    plain = [name for name, hook in file.functions.items() if hook.signature]
    guess = closest(function, list(file.functions))
    if guess:
        help = f"Did you mean `{guess}`?"
    elif plain:
        help = f"It defines {_listed(plain)}."
    else:
        help = f"Write `def {function}(…)` there."
    # The literal's own spelling is kept: only the function's name, which ends it, is replaced.
    end = text.end - 1
    fix = (
        Fix(f"Replace with `{guess}`", (Edit(end - len(function), end, guess),))
        if guess and not text.block
        else None
    )
    report.add(
        "python.missing",
        text,
        f"{path} has no function `{function}`",
        label="not defined there",
        help=help,
        fixes=(fix,) if fix else (),
    )


def _check_tool(node: ast.Tool, text: ast.Text, hook: HookInfo, report: Report) -> None:
    given = [param.name.text for param in node.params]
    named = [name for name in (*hook.parameters, *hook.keyword_only) if name not in hook.positional_only]
    unknown = [name for name in given if name not in named and not hook.takes_any_name]
    unfilled = [
        name for name in (*hook.parameters, *hook.keyword_only) if name in hook.required and name not in given
    ]
    if hook.positional_only and not unfilled:
        unfilled = [name for name in hook.positional_only if name in hook.required]
    if not unknown and not unfilled:
        return
    _report_signature(
        text,
        report,
        f"`{hook.name}` does not take the parameters of the tool `{node.name.text}`",
        _difference(unknown, unfilled),
        f"Write it as `def {hook.name}({', '.join(given)}):`.",
    )


def _check_judge(node: ast.Judge, text: ast.Text, hook: HookInfo, scope: Scope, report: Report) -> None:
    required = [name for name in hook.parameters if name in hook.required]
    if len(required) > 1 or (not hook.parameters and not hook.takes_any):
        label = (
            f"{len(required)} parameters are to be filled by place" if required else "takes nothing by place"
        )
        extra = ", ".join(required[1:])
        _report_signature(
            text,
            report,
            f"`{hook.name}` must take one input, and everything else after a `*`",
            label,
            f"Write it as `def {hook.name}({required[0] if required else 'input'}"
            f"{f', *, {extra}' if extra else ''}):`.",
        )
    if node.code and "model" in hook.keyword_only:
        report.add(
            "judge.model-on-code-judge",
            text,
            f"`{node.name.text}` is a code judge, but `{hook.name}` asks for a model",
            label="its function has a parameter `model`",
            help=f"Write `judge {node.name.text}` with a `model`, or leave the parameter out.",
        )
    params = [param.name.text for param in (node.params or ())[1:]]
    for name in hook.keyword_only:
        if name in ("model", "run") or name in params or name not in hook.required:
            continue
        if not _is_tool(name, scope):
            others = ["model", "run", *params]
            guess = nearest(name, scope, frozenset({"tool"}), others)
            _report_signature(
                text,
                report,
                f"Nothing provides the parameter `{name}` of `{hook.name}`",
                "no tool and no parameter of the judge has this name",
                f"Did you mean `{guess}`?"
                if guess
                else f"There are {_listed(others)}, and every declared tool.",
            )


def _is_tool(name: str, scope: Scope) -> bool:
    found = scope.find(name)
    return isinstance(found, CallableSurface) and found.kind == "tool"


def _report_signature(text: ast.Text, report: Report, message: str, label: str, help: str) -> None:
    report.add("python.signature", text, message, label=label, help=help)


def _difference(unknown: Sequence[str], unfilled: Sequence[str]) -> str:
    parts = []
    if unknown:
        parts.append(f"it has no {_listed(unknown)}")
    if unfilled:
        parts.append(f"nothing fills its {_listed(unfilled)}")
    return ", and ".join(parts)


def _listed(names: Sequence[str]) -> str:
    return listed(ticked(names))
