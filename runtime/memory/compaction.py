"""Summing turns up, right after an answer. Whatever becomes of it, the turn stays as it ended."""

from __future__ import annotations

import attrs

from ...dsl.plan import MemoryPlan
from ..agents.gateway import Gateway
from ..agents.messages import ChatCall
from ..core import StepFailure
from ..judge.errors import JudgeflowError, StepError
from ..judge.reading.text import strip_blanks
from ..run import Run, Step
from ..store.errors import StoreError
from ..store.records import Summary, TernHead
from ..store.summaries import put_summary, read_memory
from ..store.terns import Store
from ..store.writer import StoreWriter
from .prompt import messages_for
from .windows import Window, next_window

PARTY = NAME = "memory"
MOST_TOKENS = 1024
"""Of a summary, unless its model is declared otherwise."""
REMEMBERED = ("answered", "guarded", "failed")
"""Turns after which a thread is summed up: whoever stopped a run wants no more calls, and one that waits goes on."""


@attrs.frozen(eq=False)
class Compaction:
    """Sums up the turns of a thread, `memory.compact_every` at a time."""

    memory: MemoryPlan
    gateway: Gateway
    writer: StoreWriter

    async def __call__(self, run: Run, tern: TernHead) -> None:
        """Sums up whatever is due in the thread of a run that has just ended; every try is a step of the run.

        A failure ends it, and the next turn tries the same turns again.
        """
        every = self.memory.compact_every
        if every is None or tern.status not in REMEMBERED or tern.limits:
            return
        while True:
            window = await self.writer.read(
                lambda store: next_window(store, tern.thread, every, tenant=tern.tenant)
            )
            if window is None or not await self._tried(run, tern, window):
                return

    async def _tried(self, run: Run, tern: TernHead, window: Window) -> bool:
        step = run.begin_step(f"memory/{window.first}-{window.last}", "memory", NAME)
        step.answer = told = {"first": window.first, "last": window.last}
        try:
            text = await self._ask(run, step, window)
            kept = await self._keep(tern, Summary(first=window.first, last=window.last, text=text))
        except (StepFailure, StoreError) as error:
            code = error.code if isinstance(error, JudgeflowError | StoreError) else NAME
            run.end_step(step, "failed", code=code, reason=str(error))
            return False
        step.answer = {**told, "kept": kept, "keep": self.memory.keep, "text": text}
        run.end_step(step, "succeeded")
        return True

    async def _ask(self, run: Run, step: Step, window: Window) -> str:
        assert self.memory.model is not None
        # No tools: a model that may call one could answer with a call and no text.
        reply = await self.gateway.chat(
            ChatCall(
                run=run,
                step=step,
                party=PARTY,
                name=NAME,
                model=self.memory.model,
                messages=messages_for(window),
                temperature=0.0,
                max_tokens=MOST_TOKENS,
            )
        )
        step.answer = {**step.answer, "text": reply.text}
        await run.proceed()
        text = strip_blanks(reply.text)
        if not text:
            raise StepError("the model gave no text", code="memory.empty", step=NAME)
        return text

    async def _keep(self, tern: TernHead, summary: Summary) -> int:
        """Keeps a summary; how many of them readers now see. Another process may have been faster: then that one's
        stays."""
        keep = self.memory.keep or 0

        def work(store: Store) -> int:
            put_summary(store, tern.thread, summary, tenant=tern.tenant)
            return min(read_memory(store, tern.thread, keep=keep, tenant=tern.tenant).count, keep)

        return await self.writer.transact(work)
