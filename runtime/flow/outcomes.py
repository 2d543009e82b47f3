"""How a flow can end other than by an answer or a failed step. These pass through the flow and never reach an actor."""

from __future__ import annotations

from typing import Any

import attrs


class Guarded(Exception):
    """A gate's block, a `stop`, a refused approval or a spent loop. `value` is a gate's own value."""

    def __init__(self, reason: str, *, code: str, value: Any = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code
        self.value = value


class Paused(Exception):
    """A person has to answer before the run can go on."""

    def __init__(self, step: str, question: str, showing: Any) -> None:
        super().__init__(question)
        self.step = step
        self.question = question
        self.showing = showing


@attrs.frozen
class Returned:
    """A statement that ended its flow, with the flow's value."""

    value: Any


STOP = "flow.stop"
BLOCK = "gate.block"
REFUSED = "approve.refused"
SPENT = "loop.spent"
NO_REASON = "stopped without a reason"
"""Where the text of a `stop` came out blank."""
