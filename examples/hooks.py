"""Python rules and tools of the examples. Nothing here is run by `jrun check` or by an editor."""

from __future__ import annotations

from typing import Any

import judgeflow as jf

# A stand-in for a job board: the pages that exist today.
POSTED = {"https://harbour.example/7", "https://harbour.example/9"}


def exists(url: str) -> bool:
    return url in POSTED


def posted(input: jf.JudgeInput[Any]) -> jf.Verdict:
    """The first job of a report must still be posted."""
    jobs = input.reply.jobs
    if jobs and exists(jobs[0].url):
        return jf.Verdict.passed(metrics={"jobs": len(jobs)})
    return jf.Verdict.failed("the first job does not exist")


async def all_posted(input: jf.JudgeInput[Any]) -> jf.Verdict:
    """Every job of a list must still be posted."""
    found = [exists(job.url) for job in input.reply]
    if found and all(found):
        return jf.Verdict.passed(metrics={"jobs": len(found)})
    return jf.Verdict.failed("every job must still be posted")


def get_order(id: str) -> dict[str, str]:
    """Looks an order up."""
    orders = {"A-7": "shipped", "A-8": "being packed"}
    if id not in orders:
        raise LookupError(f"there is no order {id}")
    return {"id": id, "status": orders[id]}


def page(message: str) -> str:
    """Wakes somebody; here it only says so."""
    return f"paged: {message}"
