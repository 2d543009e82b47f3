"""Which process a running record belongs to, and whether that process still lives.

A process that is killed cannot say so. Its records stay `running` in the file; whoever looks next asks here
and shows them as `abandoned`.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import msgspec

UNSEEN_MS = 24 * 60 * 60 * 1000
"""A process on another machine cannot be asked; after a day without an end its run counts as abandoned."""


class Owner(msgspec.Struct, frozen=True, gc=False):
    """A process: its id, its machine, and what tells it from a later process with the same id."""

    pid: int
    host: str
    born: str
    """When the process began, in the system's own units; empty where the system does not tell."""


def this_process() -> Owner:
    pid = os.getpid()
    return Owner(pid, socket.gethostname(), _born(pid) or "")


def is_alive(owner: Owner, *, here: str, age_ms: int) -> bool:
    """Whether `owner` may still be at work. `here` is this machine, `age_ms` how long ago the run started."""
    if owner.host != here:
        return age_ms < UNSEEN_MS
    if not _exists(owner.pid):
        return False
    born = _born(owner.pid)
    return not owner.born or born is None or born == owner.born


def _born(pid: int) -> str | None:
    """Linux: clock ticks from boot to the start of the process, and which boot. None: it cannot be known."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    except OSError:
        return None
    # The second field is the program's name in parentheses and may hold blanks; the start is the 22nd field.
    after_name = stat.rpartition(")")[2].split()
    if after_name[0] in "ZX":
        return "ended"  # dead, and its parent has not noticed yet
    return f"{after_name[19]}@{boot[:8]}"


if sys.platform == "win32":

    def _exists(pid: int) -> bool:
        import ctypes  # os.kill would end the process here  # noqa: PLC0415

        query_limited_information, still_active = 0x1000, 259
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(query_limited_information, False, pid)
        if not handle:
            return False
        code = ctypes.c_ulong()
        kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        kernel.CloseHandle(handle)
        return code.value == still_active

else:

    def _exists(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True  # it is somebody else's
        return True
