"""For those who come from elsewhere."""

from __future__ import annotations

import trio


def require_trio(what: str, how: str, call: str) -> None:
    """`RuntimeError` where no Trio loop is running. It says `what` needs one and `how` to have it; `call` is what a
    thread of asyncio's calls."""
    if not trio.lowlevel.in_trio_run():
        raise RuntimeError(f"{what} needs Trio: {how}, from asyncio as `await asyncio.to_thread({call})`")
