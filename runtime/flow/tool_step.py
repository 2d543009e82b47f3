"""A use of a tool by a flow itself, as a step of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from ...dsl.plan import Plan
from ..agents.messages import ToolRef, ToolTask
from ..agents.tool_use import masked, recorded, secrets_of
from ..judge.errors import StepError
from ..judge.hook_place import place_in_hook
from .frame import Frame
from .recall import Recall
from .within import begin, within


@attrs.frozen(eq=False)
class ToolSteps:
    plan: Plan
    refs: Mapping[str, ToolRef]
    recall: Recall

    async def use(
        self, frame: Frame, site: str, function: str, given: Mapping[str, Any], binding: str | None
    ) -> Any:
        """The tool's result with its real values; in the record secrets are masked. `StepError` where it failed."""
        run, tool = frame.run, self.plan.tools[function.partition(".")[0]]
        arguments = dict(given)
        secrets = secrets_of(tool, arguments)
        past = run.past.get(frame.path + site)
        if past is not None and self.recall.knows(tool, past, secrets):
            run.recall(past.id, "tool", function)
            return self.recall.tool(tool, past, secrets)
        step = begin(frame, site, "tool", function, binding)
        output = await within(frame, step, self._ask(ToolTask(run, step, function, arguments), secrets))
        step.answer = masked(output, secrets)
        run.end_step(step, "succeeded")
        await run.proceed()
        return output

    async def _ask(self, task: ToolTask, secrets: tuple[str, ...]) -> Any:
        function = task.function
        with recorded(task.run, task.step, function, task.values, secrets) as record:
            record(await self.refs[function.partition(".")[0]].ask(task))
        result = record.result
        if result.status != "succeeded":
            raise StepError(
                f"{function}: {masked(result.error, secrets)}{place_in_hook(result.cause)}",
                code=f"step.tool.{result.status}",
                step=function,
            ) from (None if secrets else result.cause)  # which may tell them
        return result.output
