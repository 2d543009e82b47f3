"""A decision provider by hand, and what tests of decisions are written with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import trio

import judgeflow as jf
from judgeflow.runtime.judge.protocol import Usage

YES = jf.BooleanDecision(True, 0.9, 0.9)
NO = jf.BooleanDecision(False, 0.1, 0.9)
UNSURE = jf.BooleanDecision(True, 0.6, 0.6)
TEAMS = {"billing": "Payments, invoices, refunds", "technical": None}
BILLING = jf.ChoiceDecision("billing", {"billing": 0.75, "technical": 0.25}, 0.75)
LEVELS = ("low", "medium", "high")
SEVERE = jf.ScoreDecision(1.25, LEVELS, (0.25, 0.25, 0.5), 0.5)
TOLD = jf.ProviderMetadata("vendor", "gateway", "model-1", Usage(input_tokens=7, output_tokens=0))
"""What a provider may tell of itself."""

QUESTION = "Is it urgent?"
WHICH_TEAM = "Which team?"


class ByHand:
    """Each call takes the next of `answers`, and the last one for ever: an exception is raised, a function is called
    with the input. `inputs` is what was asked. A call takes `seconds`."""

    name = "hand"

    def __init__(self, *answers: Any, seconds: float = 0.0) -> None:
        self.answers = answers
        self.seconds = seconds
        self.inputs: list[Any] = []
        self.finished = 0
        self.closed = 0

    async def boolean(self, input: Any) -> Any:
        return await self._next(input)

    async def choice(self, input: Any) -> Any:
        return await self._next(input)

    async def score(self, input: Any) -> Any:
        return await self._next(input)

    async def aclose(self) -> None:
        self.closed += 1

    async def _next(self, input: Any) -> Any:
        at = min(len(self.inputs), len(self.answers) - 1)
        self.inputs.append(input)
        await trio.sleep(self.seconds)
        self.finished += 1
        answer = self.answers[at]
        if callable(answer) and not isinstance(answer, type):
            answer = answer(input)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    @property
    def context(self) -> Any:
        """The context of the only question."""
        [input] = self.inputs
        return input.context


class Calls:
    """Callbacks that are counted: `calls["then"]` is a function that notes that it was called, and with what."""

    def __init__(self) -> None:
        self.made: list[tuple[str, Any]] = []

    def __getitem__(self, name: str) -> Callable[[Any], str]:
        def callback(meta: Any) -> str:
            self.made.append((name, meta))
            return name

        return callback

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.made]

    @property
    def meta(self) -> Any:
        [(_, meta)] = self.made
        return meta

    @property
    def branches(self) -> Mapping[str, Any]:
        """The arguments of `judge_if` that call them."""
        return {"then": self["then"], "otherwise": self["otherwise"]}

    @property
    def cases(self) -> dict[str, Any]:
        return {"billing": self["billing"], "technical": self["technical"]}


def judge(*answers: Any, seconds: float = 0.0, **settings: Any) -> tuple[jf.Judge, ByHand]:
    provider = ByHand(*answers, seconds=seconds)
    return jf.create_judge(provider, **settings), provider
