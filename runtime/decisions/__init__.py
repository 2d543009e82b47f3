"""The decision core from Python: boolean, choice and score, and an application's own code on what they decide."""

# General layout, in reading order:
#
#   decision      what a decision is; provider: what a provider is asked
#   confidence    the bar, and what callbacks get; questions: conditions, choice questions, presets, their cache
#   judge         the methods; scoped: the same for a type checker, about one type of context
#   use           one use checked, before anything of the application runs
#   evaluation    context → provider → validation → event, and the three checks; contract: the validation
#   events, cancel
#   models        any decision model of the rest of the runtime as a provider

from .cancel import CancelHandle
from .confidence import BranchMeta, Confidence, UncertainMeta
from .decision import BooleanDecision, ChoiceDecision, ProviderMetadata, ScoreDecision
from .events import Captured, DecisionEvent
from .judge import Judge, create_judge
from .models import ModelDecisions
from .provider import BooleanInput, ChoiceInput, DecisionProvider, ScoreInput
from .questions import (
    BooleanPreset,
    ChoicePreset,
    ChoiceQuestion,
    Condition,
    ContextCache,
    GetContextArgs,
    ScaleQuestion,
    named_question,
)
from .scoped import ScopedJudge

__all__ = [
    "BooleanDecision", "BooleanInput", "BooleanPreset", "BranchMeta", "CancelHandle", "Captured",
    "ChoiceDecision", "ChoiceInput", "ChoicePreset", "ChoiceQuestion", "Condition", "Confidence",
    "ContextCache", "DecisionEvent", "DecisionProvider", "GetContextArgs", "Judge", "ModelDecisions",
    "ProviderMetadata", "ScaleQuestion", "ScopedJudge", "ScoreDecision", "ScoreInput", "UncertainMeta",
    "create_judge", "named_question",
]  # fmt: skip
