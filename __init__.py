"""judgeflow: agents, the judges that check them and the flow between them.

Names are imported when they are first used, so that `import judgeflow.dsl` needs no event loop.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .runtime.version import __version__

if TYPE_CHECKING:
    from .runtime.agents.hooks import JudgeInput, JudgeModel, Tool, Verdict
    from .runtime.judge.errors import (
        AbortError,
        ConfigurationError,
        JudgeflowError,
        ModelKindError,
        NotResumableError,
        ProviderContractError,
        ProviderError,
        QualityGateError,
        SerializationError,
        StepError,
        UnknownThreadError,
        ValidationError,
    )
    from .runtime.program import CheckError, Program, Result, load
    from .runtime.run import RunInfo

_HOME = {
    "AbortError": "runtime.judge.errors",
    "CheckError": "runtime.program",
    "ConfigurationError": "runtime.judge.errors",
    "JudgeInput": "runtime.agents.hooks",
    "JudgeModel": "runtime.agents.hooks",
    "JudgeflowError": "runtime.judge.errors",
    "ModelKindError": "runtime.judge.errors",
    "NotResumableError": "runtime.judge.errors",
    "Program": "runtime.program",
    "ProviderContractError": "runtime.judge.errors",
    "ProviderError": "runtime.judge.errors",
    "QualityGateError": "runtime.judge.errors",
    "Result": "runtime.program",
    "RunInfo": "runtime.run",
    "SerializationError": "runtime.judge.errors",
    "StepError": "runtime.judge.errors",
    "Tool": "runtime.agents.hooks",
    "UnknownThreadError": "runtime.judge.errors",
    "ValidationError": "runtime.judge.errors",
    "Verdict": "runtime.agents.hooks",
    "load": "runtime.program",
}

__all__ = [
    "AbortError",
    "CheckError",
    "ConfigurationError",
    "JudgeInput",
    "JudgeModel",
    "JudgeflowError",
    "ModelKindError",
    "NotResumableError",
    "Program",
    "ProviderContractError",
    "ProviderError",
    "QualityGateError",
    "Result",
    "RunInfo",
    "SerializationError",
    "StepError",
    "Tool",
    "UnknownThreadError",
    "ValidationError",
    "Verdict",
    "__version__",
    "load",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
