"""Python functions named by `python "file.py:function"`: loaded when their actor starts, renewed when it restarts."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import trio

from ...dsl.plan import HookPlan
from ..judge.errors import ConfigurationError


@attrs.frozen(eq=False)
class PythonFunction:
    """A loaded hook. `injected` are its keyword-only parameters."""

    function: Callable[..., Any]
    is_async: bool
    injected: tuple[str, ...]

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Awaits an async function; a sync one runs in a worker thread, which a cancelled run leaves behind."""
        if self.is_async:
            return await self.function(*args, **kwargs)
        call = partial(self.function, *args, **kwargs)
        result = await trio.to_thread.run_sync(call, abandon_on_cancel=True)
        return await result if inspect.isawaitable(result) else result


def load_function(hook: HookPlan, root: Path) -> PythonFunction:
    """Executes the file as a fresh module and takes the function. `ConfigurationError` names what is missing."""
    path = root / hook.file
    function = getattr(_module(path), hook.function, None)
    if not callable(function):
        raise ConfigurationError(f"{path}: there is no function `{hook.function}`", code="python.missing")
    injected = tuple(
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    )
    return PythonFunction(function, inspect.iscoroutinefunction(function), injected)


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"judgeflow_hook_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ConfigurationError(f"{path}: there is no such Python file", code="python.missing")
    folder = str(path.parent)
    if folder not in sys.path:
        # A hook's file imports its neighbours as it would when run by itself.
        sys.path.append(folder)
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and pickles look their module up by name while it is being executed.
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ConfigurationError(
            f"{path}: it cannot be imported ({type(error).__name__}: {error})", code="python.import"
        ) from error
    return module


def arguments_for(
    function: PythonFunction, available: Mapping[str, Callable[[], Any]], where: str
) -> dict[str, Any]:
    """What the keyword-only parameters get. `ConfigurationError` for one that nothing provides."""
    given = {}
    for name in function.injected:
        if name not in available:
            known = ", ".join(sorted(available))
            raise ConfigurationError(
                f"{where}: nothing provides the keyword-only parameter `{name}`; there are {known}",
                code="python.signature",
            )
        given[name] = available[name]()
    return given
