"""Arguments against parameters: how many, which names, which shapes."""

from __future__ import annotations

from collections.abc import Sequence

from .. import ast
from ..diagnostics import Label
from ..shapes import Nullable, ParamInfo, Shape, Unknown
from ..suggest import closest
from .base import CallableSurface, Related, Report, Scope
from .fit import describe, fits, resolve
from .names import listed, replace_fix, ticked

TASK = ParamInfo("task", Unknown(), optional=True)
"""What a flow that calls a judge may say beside the judge's own parameters."""


def signature_of(callee: CallableSurface, first: str | None = None) -> str:
    """`translator(source: text, language: text = …)`. `first` replaces the shape of the first parameter."""
    params = [_param(param, first if index == 0 else None) for index, param in enumerate(callee.params)]
    return f"{callee.name}({', '.join(params)})" if params else callee.name


def _param(param: ParamInfo, shape: str | None) -> str:
    hidden = "hidden " if param.hidden else ""
    optional = "?" if param.optional else ""
    default = " = …" if param.has_default else ""
    return f"{hidden}{param.name}: {shape or describe(param.shape)}{optional}{default}"


class Matching:
    """One list of arguments held against a callable's parameters. `skip` parameters are filled in by the
    language: the reply that a judge judges."""

    def __init__(
        self, at: ast.Ident, callee: CallableSurface, scope: Scope, report: Report, *, code: str, skip: int
    ) -> None:
        self.at = at
        self.callee = callee
        self.scope = scope
        self.report = report
        self.code = code
        self.skip = skip
        self.given: dict[str, ast.Arg] = {}
        self.position = 0

    def check(self, args: Sequence[ast.Arg], shapes: Sequence[Shape]) -> None:
        if self.callee.functions:
            return
        if self.callee.kind == "agent" and not self.callee.params:
            self._one_task(args)
            return
        params = self.callee.params[self.skip :]
        if self.callee.kind == "judge" and not self.skip:
            params = (*params, TASK)
        for arg, shape in zip(args, shapes, strict=True):
            param = self._param_of(arg, params)
            if param is None:
                return
            self._check_shape(arg, shape, param)
        self._check_missing(params)

    def _add(self, at: ast.Node, message: str, label: str, help: str = "", **more: object) -> None:
        self.report.add(
            self.code,
            at,
            message,
            label=label,
            help=help or f"It is declared as `{signature_of(self.callee)}`.",
            related=(Related(self.callee.name, "declared here"),),
            **more,  # type: ignore[arg-type]
        )

    def _one_task(self, args: Sequence[ast.Arg]) -> None:
        if len(args) == 1 and args[0].name is None:
            return
        name = self.callee.name
        named = next((arg.name for arg in args if arg.name is not None), None)
        given = "none" if not args else f"{len(args)}" if named is None else f"one called `{named.text}`"
        self._add(
            named or (args[1] if len(args) > 1 else self.at),
            f"`{name}` declares no parameters, so it takes one value, its task, and is given {given}",
            "not its task" if args else "what is its task?",
            f"Write `{name}(task)`, or give it parameters: `agent {name}(…)`.",
        )

    def _param_of(self, arg: ast.Arg, params: Sequence[ParamInfo]) -> ParamInfo | None:
        """The parameter that an argument is for; None, and a finding, where there is none."""
        name = self.callee.name
        if arg.name is None:
            if any(other.name is not None for other in self.given.values()):
                self._add(
                    arg,
                    f"An argument by position comes after one by name in the call of `{name}`",
                    "this one has no name",
                    "Give it a name too, or write it before the named ones.",
                )
                return None
            if self.position >= len(params) or params[self.position] is TASK:
                self._add(arg, self._too_many(params), "one too many")
                return None
            param = params[self.position]
            self.position += 1
        else:
            found = next((param for param in params if param.name == arg.name.text), None)
            if found is None:
                self._report_unknown(arg.name, params)
                return None
            param = found
        first = self.given.get(param.name)
        if first is not None:
            self._add(
                arg,
                f"`{param.name}` is given twice to `{name}`",
                "given again",
                "Remove one of the two.",
                labels=(Label(first.start, first.end, "the first one"),),
            )
            return None
        self.given[param.name] = arg
        return param

    def _too_many(self, params: Sequence[ParamInfo]) -> str:
        count = sum(param is not TASK for param in params)
        if self.skip and not count:
            return f"`{self.callee.name}` takes no arguments here: what it judges is filled in"
        rest = " beside what it judges" if self.skip else ""
        takes = "no arguments" if not count else f"{count} argument{'' if count == 1 else 's'}"
        return f"`{self.callee.name}` takes {takes}{rest}, and is given more"

    def _report_unknown(self, name: ast.Ident, params: Sequence[ParamInfo]) -> None:
        if self.skip and self.callee.params and name.text == self.callee.params[0].name:
            self._add(
                name, f"`{name.text}` is what `{self.callee.name}` judges: it is filled in", "remove it"
            )
            return
        guess = closest(name.text, [param.name for param in params])
        self._add(
            name,
            f"`{self.callee.name}` has no parameter `{name.text}`",
            "no such parameter",
            f"Did you mean `{guess}`?" if guess else "",
            fixes=(replace_fix(name, guess),) if guess else (),
        )

    def _check_shape(self, arg: ast.Arg, shape: Shape, param: ParamInfo) -> None:
        if fits(shape, Nullable(param.shape) if param.optional else param.shape, self.scope):
            return
        known, name = resolve(shape, self.scope), self.callee.name
        if isinstance(known, Nullable) and fits(known.item, param.shape, self.scope):
            self._add(
                arg.value,
                f"`{name}` takes {describe(param.shape)} for `{param.name}`, and this may be null",
                f"this is {describe(shape)}",
                f"Replace null with `default(…, …)`, or declare `{param.name}: {describe(param.shape)}?`.",
                severity="hint",
            )
            return
        self._add(
            arg.value,
            f"`{name}` takes {describe(param.shape)} for `{param.name}`, but this is {describe(shape)}",
            f"this is {describe(shape)}",
        )

    def _check_missing(self, params: Sequence[ParamInfo]) -> None:
        missing = [
            param.name
            for param in params
            if param.name not in self.given and not param.optional and not param.has_default
        ]
        if missing:
            what = listed(ticked(missing))
            self._add(
                self.at,
                f"`{self.callee.name}` needs {what}, which {'is' if len(missing) == 1 else 'are'} not given",
                f"{what} {'is' if len(missing) == 1 else 'are'} missing",
            )
