"""How a run ended, as Python sees it."""

from __future__ import annotations

from typing import Any

import attrs

from .store.money import Cost
from .store.records import Tern


@attrs.frozen
class Result:
    """`answer` is a text or JSON data; `status` is answered, guarded, failed, paused or cancelled."""

    answer: Any
    record: Tern
    error: Exception | None = attrs.field(default=None, repr=False)

    @property
    def status(self) -> str:
        return self.record.status

    @property
    def cost(self) -> Cost:
        return self.record.cost

    @property
    def thread(self) -> str:
        return self.record.thread

    def raised(self) -> Result:
        """Itself where the run was answered; raises what ended it otherwise."""
        if self.error is not None:
            raise self.error
        return self
