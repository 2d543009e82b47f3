"""judgeflow: agents, the judges that check them and the flow between them.

Names are imported when they are first used, so that `import judgeflow.dsl` needs no event loop.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .runtime.version import __version__

if TYPE_CHECKING:
    from . import providers, testing
    from .runtime.agents.hooks import JudgeInput, JudgeModel, Tool, Verdict
    from .runtime.decisions import (
        BooleanDecision,
        BooleanInput,
        BooleanPreset,
        BranchMeta,
        CancelHandle,
        ChoiceDecision,
        ChoiceInput,
        ChoicePreset,
        ChoiceQuestion,
        Condition,
        Confidence,
        ContextCache,
        DecisionEvent,
        DecisionProvider,
        GetContextArgs,
        Judge,
        ProviderMetadata,
        ScaleQuestion,
        ScopedJudge,
        ScoreDecision,
        ScoreInput,
        UncertainMeta,
        create_judge,
    )
    from .runtime.judge.errors import (
        AbortError,
        ConfigurationError,
        GuardedError,
        JudgeflowError,
        LimitReached,
        ModelKindError,
        NotResumableError,
        ObservabilityError,
        PausedError,
        ProviderContractError,
        ProviderError,
        QualityGateError,
        SerializationError,
        StepError,
        UnknownThreadError,
        ValidationError,
    )
    from .runtime.judge.protocol import Usage
    from .runtime.program import CheckError, Program, Result, load
    from .runtime.run import RunInfo
    from .runtime.store.canonical import UNSET
    from .runtime.store.errors import StoreError

_HOME = {
    "AbortError": "runtime.judge.errors",
    "BooleanDecision": "runtime.decisions",
    "BooleanInput": "runtime.decisions",
    "BooleanPreset": "runtime.decisions",
    "BranchMeta": "runtime.decisions",
    "CancelHandle": "runtime.decisions",
    "CheckError": "runtime.program",
    "ChoiceDecision": "runtime.decisions",
    "ChoiceInput": "runtime.decisions",
    "ChoicePreset": "runtime.decisions",
    "ChoiceQuestion": "runtime.decisions",
    "Condition": "runtime.decisions",
    "Confidence": "runtime.decisions",
    "ConfigurationError": "runtime.judge.errors",
    "ContextCache": "runtime.decisions",
    "DecisionEvent": "runtime.decisions",
    "DecisionProvider": "runtime.decisions",
    "GetContextArgs": "runtime.decisions",
    "GuardedError": "runtime.judge.errors",
    "Judge": "runtime.decisions",
    "JudgeInput": "runtime.agents.hooks",
    "JudgeModel": "runtime.agents.hooks",
    "JudgeflowError": "runtime.judge.errors",
    "LimitReached": "runtime.judge.errors",
    "ModelKindError": "runtime.judge.errors",
    "NotResumableError": "runtime.judge.errors",
    "ObservabilityError": "runtime.judge.errors",
    "PausedError": "runtime.judge.errors",
    "Program": "runtime.program",
    "ProviderContractError": "runtime.judge.errors",
    "ProviderError": "runtime.judge.errors",
    "ProviderMetadata": "runtime.decisions",
    "QualityGateError": "runtime.judge.errors",
    "Result": "runtime.program",
    "RunInfo": "runtime.run",
    "ScaleQuestion": "runtime.decisions",
    "ScopedJudge": "runtime.decisions",
    "ScoreDecision": "runtime.decisions",
    "ScoreInput": "runtime.decisions",
    "SerializationError": "runtime.judge.errors",
    "StepError": "runtime.judge.errors",
    "StoreError": "runtime.store.errors",
    "Tool": "runtime.agents.hooks",
    "UNSET": "runtime.store.canonical",
    "UncertainMeta": "runtime.decisions",
    "UnknownThreadError": "runtime.judge.errors",
    "Usage": "runtime.judge.protocol",
    "ValidationError": "runtime.judge.errors",
    "Verdict": "runtime.agents.hooks",
    "create_judge": "runtime.decisions",
    "load": "runtime.program",
}

__all__ = [
    "UNSET",
    "AbortError",
    "BooleanDecision",
    "BooleanInput",
    "BooleanPreset",
    "BranchMeta",
    "CancelHandle",
    "CheckError",
    "ChoiceDecision",
    "ChoiceInput",
    "ChoicePreset",
    "ChoiceQuestion",
    "Condition",
    "Confidence",
    "ConfigurationError",
    "ContextCache",
    "DecisionEvent",
    "DecisionProvider",
    "GetContextArgs",
    "GuardedError",
    "Judge",
    "JudgeInput",
    "JudgeModel",
    "JudgeflowError",
    "LimitReached",
    "ModelKindError",
    "NotResumableError",
    "ObservabilityError",
    "PausedError",
    "Program",
    "ProviderContractError",
    "ProviderError",
    "ProviderMetadata",
    "QualityGateError",
    "Result",
    "RunInfo",
    "ScaleQuestion",
    "ScopedJudge",
    "ScoreDecision",
    "ScoreInput",
    "SerializationError",
    "StepError",
    "StoreError",
    "Tool",
    "UncertainMeta",
    "UnknownThreadError",
    "Usage",
    "ValidationError",
    "Verdict",
    "__version__",
    "create_judge",
    "load",
    "providers",
    "testing",
]


def __getattr__(name: str) -> Any:
    if name in ("providers", "testing"):
        return import_module(f".{name}", __name__)
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
