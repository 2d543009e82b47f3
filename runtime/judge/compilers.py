"""`compiles`: a real compiler on a model's code, without running it and without any way to the project.

The code is written into a fresh private folder that is also the compiler's working directory; the environment is empty
but for a search path; the compiler leads a process group of its own, which is killed as a whole at the time limit,
when the run is cancelled, and when the compiler has ended. Nothing is downloaded: a compiler that is not there is a
failed check.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import attrs
import msgspec
import trio

from .reading.fences import find_fences, one_fence
from .reading.strict_json import NotJson, parse
from .reading.text import one_line_end, strip_blanks

LIMIT = 30.0
"""Seconds that the check of one reply may take."""
MOST_OUTPUT = 1000
"""Characters of a compiler's output that a detail shows."""
_MOST_BYTES = 65_536
_KILL_WITHIN = 5.0

_PYTHON = """
import sys, traceback
try:
    compile(open(sys.argv[1], encoding="utf-8").read(), "code.py", "exec", dont_inherit=True)
except Exception as error:
    sys.exit("".join(traceback.format_exception_only(error)))
"""
_TSCONFIG = """{"compilerOptions": {"noEmit": true, "skipLibCheck": true, "target": "es2022", "module": "es2022",
"moduleDetection": "force", "types": [], "noResolve": true, "pretty": false}, "files": ["code.ts"]}"""
_NOISE = re.compile(r"^(?: +at .*\(node:.*\)|Node\.js v.*|\(.*node .*\)|\(node:.*)\n?", re.MULTILINE)
"""What node says of itself rather than of the code."""
_MODULE = re.compile(r"^[ \t]*(?:import|export)\b", re.MULTILINE)


class Compilation(msgspec.Struct, frozen=True):
    """`ok` is None where nothing can be said of the code: no compiler, none that starts, none that ends in time."""

    ok: bool | None
    detail: str | None = None


@attrs.frozen
class Compilers:
    """Where compilers are looked for, and how long they may take.

    `path` is a search path; of it only absolute folders count that lie outside `project` and in no `node_modules`, so
    that nothing planted beside the flow is ever started. `limit` is in seconds.
    """

    path: str
    project: Path
    limit: float = LIMIT

    @classmethod
    def here(cls) -> Compilers:
        """This process's own search path; the project is its working directory."""
        return cls(os.environ.get("PATH", os.defpath), Path.cwd())

    def search_path(self) -> str:
        return os.pathsep.join(entry for entry in self.path.split(os.pathsep) if self._is_trusted(entry))

    def _is_trusted(self, entry: str) -> bool:
        if not os.path.isabs(entry):
            return False
        folder, project = Path(os.path.realpath(entry)), Path(os.path.realpath(self.project))
        if "node_modules" in folder.parts or "node_modules" in Path(entry).parts:
            return False
        # A home or the root holds everything, the user's own compilers too: that is no project.
        return project in (Path.home(), Path(project.anchor)) or not folder.is_relative_to(project)


@attrs.frozen
class _Attempt:
    """One command: the program, its arguments, and the files that it finds in its folder."""

    program: str
    arguments: tuple[str, ...]
    files: Mapping[str, str]


async def compile_code(language: str, target: str, compilers: Compilers) -> Compilation:
    """What a compiler makes of the code in a text: the body of its one fence, else the whole text."""
    if language == "json":
        return check_json(target)
    attempts = _attempts(language, code_of(target))
    if not attempts:
        return Compilation(None, f"there is no compiler for {language}")
    with trio.move_on_after(compilers.limit):
        first = said = await _compile(language, attempts[0], compilers)
        for attempt in attempts[1:]:
            if said.ok is not False:
                break
            said = await _compile(language, attempt, compilers)
        return first if said.ok is False else said
    return Compilation(
        None, f"the {language} compiler did not end within {compilers.limit:g} s and was killed"
    )


def check_json(target: str) -> Compilation:
    """What strict JSON makes of a text; no process is needed."""
    why = why_no_json(strip_blanks(code_of(target)))
    return Compilation(why is None, why)


def why_no_json(code: str) -> str | None:
    """Why a text without blanks around it is not strict JSON; None where it is."""
    try:
        parse(code)
    except NotJson as error:
        return f"is not JSON: {error}"
    return None


def code_of(target: str) -> str:
    """The body of the one fence of a text; the text itself where there is none, several, or one that never ends."""
    if "`" not in target and "~" not in target:
        return target
    text = one_line_end(target)
    body = one_fence(text)
    if body is not None:
        return body
    fences = find_fences(text)
    return fences[0].body(text) if len(fences) == 1 and fences[0].closed else target


def _attempts(language: str, code: str) -> tuple[_Attempt, ...]:
    """The commands for a language, in order; the first that accepts the code decides, else what the first one says."""
    if language == "python":
        options = ("-I", "-S", "-B", "-W", "ignore", "-c", _PYTHON, "code.py")
        return (_Attempt(sys.executable, options, {"code.py": code}),)
    if language == "typescript":
        return (_Attempt("tsc", ("-p", "tsconfig.json"), {"code.ts": code, "tsconfig.json": _TSCONFIG}),)
    if language == "javascript":
        # A script may return at its top, a module may import and await there. The endings say which, whatever a
        # package.json above the folder says.
        script, module = (
            _Attempt("node", ("--check", name), {name: code}) for name in ("code.cjs", "code.mjs")
        )
        return (module, script) if _MODULE.search(code) else (script, module)
    return ()


async def _compile(language: str, attempt: _Attempt, compilers: Compilers) -> Compilation:
    search = compilers.search_path()
    program = shutil.which(attempt.program, path=search)
    if program is None:
        return Compilation(None, f"there is no {attempt.program} on this machine to check {language} with")
    try:
        folder = Path(tempfile.mkdtemp(prefix="judgeflow-"))
    except OSError as error:
        return Compilation(None, f"the compiler has no folder: {error.strerror}")
    try:
        for name, content in attempt.files.items():
            (folder / name).write_bytes(content.encode("utf-8", errors="replace"))
        code, output = await _run([program, *attempt.arguments], folder, search)
    except OSError as error:
        return Compilation(None, f"the compiler could not be started: {error.strerror}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if code == 0:
        return Compilation(True)
    return Compilation(False, _shown(output, folder) or f"the compiler ended with {code}")


async def _run(command: list[str], folder: Path, search: str) -> tuple[int, bytes]:
    environment = {"PATH": search, "HOME": str(folder), "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}
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
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_collect, process, output)
            code = await process.wait()
            # What the compiler has left running holds the pipe open, so its end would never be seen.
            _kill(process)
    finally:
        _kill(process)
        with trio.move_on_after(_KILL_WITHIN, shield=True):
            await process.wait()
            if process.stdout is not None:
                await process.stdout.aclose()
    return code, bytes(output)


async def _collect(process: trio.Process, output: bytearray) -> None:
    if process.stdout is None:
        return
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        async for chunk in process.stdout:
            output += chunk[: max(0, _MOST_BYTES - len(output))]


def _kill(process: trio.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _shown(output: bytes, folder: Path) -> str:
    text = output.decode("utf-8", errors="replace")
    for name in {str(folder), os.path.realpath(folder)}:
        text = text.replace(name + os.sep, "")
    text = _NOISE.sub("", text).strip()
    return text if len(text) <= MOST_OUTPUT else f"{text[:MOST_OUTPUT]}…"
