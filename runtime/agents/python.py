"""Python functions named by `python "file.py:function"`: loaded when their actor starts, renewed when it restarts."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import trio

from ...dsl.plan import HookPlan
from ...dsl.suggest import closest
from ..judge.errors import ConfigurationError
from ..judge.hook_place import HOOK_MODULE
from .neighbours import at_home

_KNOWN = (Exception, BaseExceptionGroup, KeyboardInterrupt, SystemExit, trio.Cancelled)
"""What may leave a thread as it is."""

THREADS = 40
"""Threads that one sync function may be in at once."""


@attrs.frozen(eq=False)
class PythonFunction:
    """A loaded hook. `injected` are its keyword-only parameters, each with whether it must be given."""

    function: Callable[..., Any]
    is_async: bool
    injected: Mapping[str, bool]
    threads: trio.CapacityLimiter = attrs.field(factory=lambda: trio.CapacityLimiter(THREADS))
    """Its own: threads that it was left in and never came back from are no other function's loss."""

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Awaits an async function; a sync one runs in a worker thread, which a cancelled run leaves behind."""
        try:
            return await self._called(*args, **kwargs)
        except SystemExit as stop:
            # A function that ends its own process would end ours, and every other run with it.
            raise RuntimeError(f"it called sys.exit({stop.code!r})") from stop
        except BaseExceptionGroup as group:
            stops, others = group.split(SystemExit)
            if stops is None or others is not None:
                raise
            raise RuntimeError("it called sys.exit() in a task of its own") from group

    async def _called(self, *args: Any, **kwargs: Any) -> Any:
        if self.is_async:
            return await self.function(*args, **kwargs)

        def call() -> tuple[Any]:
            try:
                # Boxed: Trio takes no coroutine out of a thread, and a decorated or called object may well give one.
                return (self.function(*args, **kwargs),)
            except _KNOWN:
                raise
            except BaseException as stop:
                # A cancellation of asyncio's, say: nobody above knows it, and it would end every other run.
                raise RuntimeError(f"it raised {type(stop).__name__}") from stop

        (result,) = await trio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=self.threads)
        return await result if inspect.isawaitable(result) else result


def load_function(hook: HookPlan, root: Path) -> PythonFunction:
    """Executes the file as a fresh module and takes the function. `ConfigurationError` names what is missing."""
    path = root / hook.file
    module = _module(path)
    function = getattr(module, hook.function, None)
    if not callable(function):
        near = closest(hook.function, vars(module))
        meant = f"did you mean `{near}`?" if near else f"define it: `def {hook.function}(…):`"
        raise ConfigurationError(
            f"{path}: there is no function `{hook.function}`: {meant}", code="python.missing"
        )
    return PythonFunction(function, inspect.iscoroutinefunction(function), _injected(function))


def _injected(function: Callable[..., Any]) -> dict[str, bool]:
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # written in C, it may have none
        return {}
    return {
        name: parameter.default is inspect.Parameter.empty
        for name, parameter in parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{HOOK_MODULE}{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ConfigurationError(
            f"{path}: there is no such Python file: its path is relative to the .judge file that names it",
            code="python.missing",
        )
    module = importlib.util.module_from_spec(spec)
    with at_home(path.parent):
        # Dataclasses and pickles look their module up by name while it is being executed.
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            raise ConfigurationError(_import_fault(path, error), code="python.import") from error
    return module


def _import_fault(path: Path, error: BaseException) -> str:
    """Where the file stops when it is imported, why, and what to do about it."""
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == str(path) else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    place = f"{path}:{line}" if line is not None else str(path)
    if isinstance(error, ModuleNotFoundError):
        fix = f"install what provides `{error.name}`, or correct the import"
    elif isinstance(error, SystemExit):
        fix = 'what is to run only by itself belongs under `if __name__ == "__main__":`'
    else:
        fix = f"correct it; `python {path}` shows the same error"
    what = error.msg if isinstance(error, SyntaxError) else error
    return f"{place}: it cannot be imported ({type(error).__name__}: {what}): {fix}"


def arguments_for(
    function: PythonFunction, available: Mapping[str, Callable[[], Any]], where: str
) -> dict[str, Any]:
    """What the keyword-only parameters get. `ConfigurationError` for one that nothing provides."""
    given = {}
    for name, needed in function.injected.items():
        if name not in available:
            if not needed:
                continue
            known = ", ".join(sorted(available))
            raise ConfigurationError(
                f"{where}: nothing provides the keyword-only parameter `{name}`; there are {known}",
                code="python.signature",
            )
        given[name] = available[name]()
    return given
