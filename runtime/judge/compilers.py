"""`compiles`: a real compiler on a model's code, without running it and without any way to the project.

The code is written into a fresh private folder that is also the compiler's working directory; the environment is
empty but for a search path; the compiler is the leader of a process group of its own, which is killed as a whole at
the time limit or when the run is cancelled. Nothing is downloaded: a compiler that is not there is a failed check.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import attrs
import trio

from .reading.fences import find_fences
from .reading.lenient_json import read_json

LIMIT = 30.0
"""Seconds that a compiler has."""
MOST_OUTPUT = 4000
"""Characters of a compiler's output that a detail shows."""
_KILL_WITHIN = 2.0

# Compiles without executing anything: -I keeps the environment and the working directory out of the search path.
_PYTHON = (
    "import sys; compile(open(sys.argv[1], encoding='utf-8').read(), 'code.py', 'exec', dont_inherit=True)"
)


@attrs.frozen
class Compiler:
    """How a language is checked: the program, its arguments before the file, and the file's name."""

    program: str
    arguments: tuple[str, ...]
    file: str


_COMPILERS: Mapping[str, Compiler] = {
    "javascript": Compiler("node", ("--check",), "code.js"),
    "typescript": Compiler(
        "tsc", ("--noEmit", "--skipLibCheck", "--pretty", "false", "--target", "es2022"), "code.ts"
    ),
    "python": Compiler(sys.executable, ("-I", "-S", "-c", _PYTHON), "code.py"),
}


async def compile_code(
    language: str, target: str, *, limit: float = LIMIT, path: str | None = None
) -> str | None:
    """What is wrong with the code in a reply, or None. Exactly one fence: its body; else the whole text."""
    if language == "json":
        return None if read_json(target).ok else "is not JSON"
    compiler = _COMPILERS[language]
    search = path if path is not None else os.environ.get("PATH", os.defpath)
    program = shutil.which(compiler.program, path=_absolute(search))
    if program is None:
        return f"there is no {compiler.program} on this machine to check {language} with"
    folder = Path(tempfile.mkdtemp(prefix="judgeflow-"))
    try:
        code = folder / compiler.file
        code.write_text(code_of(target), encoding="utf-8", errors="surrogatepass")
        return await _check([program, *compiler.arguments, str(code)], folder, search, limit)
    except (OSError, UnicodeEncodeError) as error:
        return f"the compiler could not be started: {error}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def code_of(target: str) -> str:
    """The body of the one fence of a text; the text itself where there is none or several."""
    fences = find_fences(target)
    return target[fences[0].body_start : fences[0].body_end] if len(fences) == 1 else target


async def _check(command: list[str], folder: Path, search: str, limit: float) -> str | None:
    environment = {"PATH": _absolute(search), "HOME": str(folder), "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}
    process = await trio.lowlevel.open_process(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    output = bytearray()
    try:
        with trio.move_on_after(limit) as scope:
            assert process.stdout is not None
            async for chunk in process.stdout:
                if len(output) < MOST_OUTPUT * 4:
                    output += chunk
            await process.wait()
    finally:
        await _killed(process)
    if scope.cancelled_caught:
        return f"the compiler did not end within {limit:g} s and was killed"
    if process.returncode == 0:
        return None
    return _readable(bytes(output), str(folder)) or f"the compiler ended with {process.returncode}"


async def _killed(process: trio.Process) -> None:
    """Ends the whole group, whatever the compiler has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with trio.move_on_after(_KILL_WITHIN, shield=True):
        await process.wait()
        if process.stdout is not None:
            await process.stdout.aclose()


def _absolute(search: str) -> str:
    """Without relative entries, which would point into the compiler's own folder or the project."""
    return os.pathsep.join(entry for entry in search.split(os.pathsep) if os.path.isabs(entry))


def _readable(output: bytes, folder: str) -> str:
    text = output.decode("utf-8", errors="replace").replace(folder + os.sep, "").strip()
    return text if len(text) <= MOST_OUTPUT else f"{text[:MOST_OUTPUT]}…"
