"""`compiles`: what compilers say, and that the code gets at nothing: no project, no network, no time, no trace."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from judgeflow.runtime.judge.compilers import (
    MOST_OUTPUT,
    Compilation,
    Compilers,
    check_json,
    code_of,
    compile_code,
)

NODE = shutil.which("node")
"""Where there is no node, there is nothing of it to test; what is said then is tested below."""
LANGUAGES = ("python", "javascript") if NODE else ("python",)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place where the folders of compilers are made, which is empty when they are gone."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A trusted folder for compilers that a test writes itself."""
    place = tmp_path / "tools"
    place.mkdir()
    return place


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    return place


def fake(tools: Path, name: str, script: str) -> None:
    path = tools / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def compilers(project: Path, *more: Path, limit: float = 20.0) -> Compilers:
    path = os.pathsep.join([*map(str, more), os.environ["PATH"]])
    return Compilers(path, project, limit)


async def fails(language: str, code: str, made: Compilers) -> str:
    said = await compile_code(language, code, made)
    assert said.ok is False, said
    return said.detail or ""


# --- what compilers say -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "def f(x: int) -> int:\n    return x + 1\n"),
        ("python", "# café\nprint('😀')"),
        ("python", ""),
        ("json", '{"a": [1, 2.5e3, null]}'),
        ("json", '  "text"\n'),
    ],
)
async def test_code_that_is_right_compiles(folders, project, language, code) -> None:
    assert await compile_code(language, code, compilers(project)) == Compilation(True)


@pytest.mark.parametrize(
    ("language", "code", "said"),
    [
        ("python", "def f(:\n    pass", "SyntaxError"),
        ("python", "x = 1\n y = 2", "IndentationError"),
        ("python", "return 1", "'return' outside function"),
        ("python", "x = '\x00'", "null bytes"),
        ("json", "{'a': 1}", "is not JSON"),
        ("json", '{"a": 1, "a": 2}', "is not JSON"),
        ("json", "{", "is not JSON"),
        ("json", "NaN", "is not JSON"),
        ("json", '{"a": 1} {"b": 2}', "is not JSON"),
    ],
)
async def test_code_that_is_wrong_says_what_is_wrong(folders, project, language, code, said) -> None:
    assert said in await fails(language, code, compilers(project))


if NODE:

    @pytest.mark.parametrize(
        "code",
        [
            "const x = 1;",
            "return 1;",
            "import fs from 'fs'; export const x = await fs.promises.readFile('y');",
            "export default class { #private = 1 }",
            "module.exports = require('nowhere');",
            "const a = b?.c ?? `${d}`;",
        ],
    )
    async def test_javascript_may_be_a_script_or_a_module(folders, project, code) -> None:
        assert await compile_code("javascript", code, compilers(project)) == Compilation(True)

    @pytest.mark.parametrize("code", ["const = 1;", "import x from;", "function (", "let x; let x;"])
    async def test_javascript_that_is_wrong_says_so_without_the_folder_in_it(folders, project, code) -> None:
        said = await fails("javascript", code, compilers(project))
        assert "SyntaxError" in said
        assert "judgeflow-" not in said
        assert "node:internal" not in said


async def test_d16_typescript_is_checked_by_rules_of_ours_alone(folders, tools, project) -> None:
    fake(tools, "tsc", 'echo "args: $*"; echo "files: $(ls | tr "\\n" " ")"; cat tsconfig.json; exit 1')
    said = await fails("typescript", "const x: number = 1", compilers(project, tools))
    assert "args: -p tsconfig.json" in said
    assert "files: code.ts tsconfig.json " in said
    for setting in ('"noEmit": true', '"skipLibCheck": true', '"types": []', '"noResolve": true'):
        assert setting in said


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = 1", "x = 1"),
        ("Here:\n```python\nx = 1\n```\nDone.", "x = 1"),
        ("```\nx = 1\n```", "x = 1"),
        ("```\na\n```\n```\nb\n```", "```\na\n```\n```\nb\n```"),
        ("```python\nx = 1", "```python\nx = 1"),
    ],
)
def test_d18_exactly_one_fence_is_taken_for_its_body(text, code) -> None:
    assert code_of(text).strip() == code


def test_json_needs_no_process() -> None:
    assert check_json("```json\n[1]\n```") == Compilation(True)


@pytest.mark.parametrize("language", ["javascript", "typescript"])
async def test_d17_d21_without_a_compiler_nothing_is_said_of_the_code(folders, project, language) -> None:
    said = await compile_code(language, "x", Compilers("/nowhere", project))
    assert said.ok is None
    assert "on this machine to check" in (said.detail or "")
    assert not any(folders.iterdir())


async def test_a_language_that_nobody_knows_has_no_compiler(project) -> None:
    assert await compile_code("cobol", "x", compilers(project)) == Compilation(
        None, "there is no compiler for cobol"
    )


# --- isolation ----------------------------------------------------------------------------------------------

HARM = {
    "python": "open({file!r}, 'w')\nimport urllib.request\nurllib.request.urlopen({url!r})",
    "javascript": "require('fs').writeFileSync({file!r}, 'x'); require('http').get({url!r});",
}


@pytest.fixture
def listener() -> Iterator[tuple[str, list[object]]]:
    """An address on this machine, and whoever came to it."""
    came: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    came.append(server.accept())
                except OSError:
                    return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/x.js", came
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize("language", LANGUAGES)
async def test_d15_nothing_of_the_code_is_run_and_nobody_is_called(
    folders, project, listener, language
) -> None:
    url, came = listener
    harm = HARM[language].format(file=str(project / "harm"), url=url)
    imported = f"import x from {url!r};" if language == "javascript" else "import harm_of_the_project"
    (project / "harm_of_the_project.py").write_text(f"open({str(project / 'harm')!r}, 'w')")
    for code in (harm, f"{imported}\n"):
        assert (await compile_code(language, code, compilers(project))).ok
    await trio.sleep(0.05)
    assert came == []
    assert not (project / "harm").exists()


async def test_d19_the_folder_is_fresh_private_and_the_working_directory(folders, tools, project) -> None:
    fake(tools, "node", 'echo "at: $(pwd)"; echo "mode: $(stat -c %a .)"; ls -a; exit 1')
    (project / "secret.txt").write_text("the project")
    said = await fails("javascript", "x", compilers(project, tools))
    lines = said.split("\n")
    assert lines[1] == "mode: 700"
    assert lines[2:] == [".", "..", "code.cjs"]
    assert lines[0].startswith("at: ")
    assert str(project) not in said


async def test_d21_the_environment_is_cleared(folders, tools, project, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("NODE_OPTIONS", "--require /tmp/harm.js")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    monkeypatch.setenv("npm_config_registry", "http://registry")
    fake(tools, "node", "env | cut -d= -f1 | sort; exit 1")
    names = (await fails("javascript", "x", compilers(project, tools))).split()
    assert set(names) - {"_", "PWD", "SHLVL", "OLDPWD"} == {"HOME", "LC_ALL", "PATH", "TMPDIR"}


async def test_d20_a_compiler_that_the_project_brings_is_never_started(folders, project, monkeypatch) -> None:
    for place in (project / "bin", project / "node_modules" / ".bin"):
        place.mkdir(parents=True)
        fake(place, "tsc", f"touch {project}/harm")
    link = project.parent / "link"
    link.symlink_to(project / "bin")
    monkeypatch.chdir(project)
    path = os.pathsep.join(
        ["bin", ".", "", str(project / "bin"), str(link), str(project / "node_modules/.bin")]
    )
    said = await compile_code("typescript", "x", Compilers(path, project))
    assert said.ok is None
    assert not (project / "harm").exists()


@pytest.mark.parametrize("code", ["exit 0", "exit 1", "kill -9 $$", "rm -rf ../*; exit 1"])
async def test_d23_the_folder_is_gone_however_the_compiler_ended(folders, tools, project, code) -> None:
    fake(tools, "node", code)
    await compile_code("javascript", "x", compilers(project, tools))
    assert not any(folders.iterdir())


async def test_d24_a_compiler_that_cannot_be_started_says_nothing_of_the_code(
    folders, tools, project
) -> None:
    (tools / "node").write_text("#!/nowhere/at/all\n")
    (tools / "node").chmod(stat.S_IRWXU)
    said = await compile_code("javascript", "x", Compilers(str(tools), project))
    assert said.ok is None
    assert "could not be started" in (said.detail or "")
    assert not any(folders.iterdir())


def is_gone(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except OSError:
            return True
        time.sleep(0.01)
    return False


HANGS = "sleep 600 & echo $! > {file}; echo $$ >> {file}; wait"
LEAVES = "sleep 600 & echo $! > {file}; echo $$ >> {file}; exit 0"


def pids(file: Path) -> list[int]:
    return [int(line) for line in file.read_text().split()]


@pytest.mark.slow
async def test_d22_at_the_time_limit_the_whole_group_is_killed_and_the_folder_gone(
    folders, tools, project
) -> None:
    fake(tools, "node", HANGS.format(file=tools / "pids"))
    said = await compile_code("javascript", "x", compilers(project, tools, limit=2.0))
    assert said == Compilation(None, "the javascript compiler did not end within 2 s and was killed")
    assert all(map(is_gone, pids(tools / "pids")))
    assert not any(folders.iterdir())


async def test_a_cancelled_run_leaves_no_process_and_no_folder(folders, tools, project) -> None:
    fake(tools, "node", HANGS.format(file=tools / "pids"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(compile_code, "javascript", "x", compilers(project, tools))
        with trio.fail_after(20):
            while not (tools / "pids").exists() or len(pids(tools / "pids")) < 2:  # noqa: ASYNC110
                await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
    assert all(map(is_gone, pids(tools / "pids")))
    assert not any(folders.iterdir())


async def test_what_a_compiler_leaves_running_is_killed_with_it(folders, tools, project) -> None:
    fake(tools, "node", LEAVES.format(file=tools / "pids"))
    with trio.fail_after(5):
        assert (await compile_code("javascript", "x", compilers(project, tools))).ok
    assert all(map(is_gone, pids(tools / "pids")))


async def test_what_a_compiler_says_without_end_is_bounded(folders, tools, project) -> None:
    fake(tools, "node", "yes complaint | head -c 5000000; exit 1")
    assert len(await fails("javascript", "x", compilers(project, tools))) <= MOST_OUTPUT + 1


async def test_case_252_what_is_no_utf8_is_shown_all_the_same(folders, tools, project) -> None:
    fake(tools, "node", r"printf '\303\050ok'; exit 1")
    assert await fails("javascript", "x", compilers(project, tools)) == "�(ok"


async def test_half_a_character_in_the_code_is_no_crash(folders, project) -> None:
    assert (await compile_code("python", "x = '\ud83d'", compilers(project))).ok is not None


@pytest.mark.parametrize("code", ["(" * 5000, "x = " + "-" * 100_000 + "1", "1" * 10_000 + " +", "\x00" * 10])
async def test_python_that_would_break_the_compiler_is_a_failed_check(folders, project, code) -> None:
    assert (await compile_code("python", code, compilers(project))).ok is False


async def test_many_at_once_get_folders_of_their_own(folders, tools, project) -> None:
    fake(tools, "node", "pwd; exit 1")
    said: list[str] = []

    async def one() -> None:
        said.append(await fails("javascript", "x", compilers(project, tools)))

    async with trio.open_nursery() as nursery:
        for _ in range(8):
            nursery.start_soon(one)
    assert len(set(said)) == 8
