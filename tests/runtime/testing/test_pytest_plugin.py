"""`pytest flow.judge`, as a user runs it: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

PLUGIN = "judgeflow.runtime.testing.pytest_plugin"
GOOD = """
model small "openai/some"
agent writer { model small  prompt "Write." }
flow main(question: text) -> text { return writer(question) }

# how it should be
test "one" for main {
  given  { question: "x" }
  writer replies "a"
  expect result == "a"
  expect len(result) == 2
}
test "two" for main { given { question: "x" }  writer replies "b"  expect result == "b" }
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", PLUGIN, "-p", "no:cacheprovider", *words]
    environ = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_file_that_is_named_is_collected_and_a_failing_block_reads_well(tmp_path: Path) -> None:
    (tmp_path / "flow.judge").write_text(GOOD, encoding="utf-8")
    done = run(tmp_path, "flow.judge")
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    told = done.stdout[done.stdout.index("flow.judge:11:") :]
    assert told.startswith(
        "flow.judge:11: expected len(result) == 2\n"
        "  len(result) is 1\n"
        "\n"
        "    # how it should be\n"
        '    test "one" for main {\n'
        '      given  { question: "x" }\n'
        '      writer replies "a"\n'
        '      expect result == "a"\n'
        ">     expect len(result) == 2\n"
        "    }\n"
    )
    assert "FAILED flow.judge::one - flow.judge:11: expected len(result) == 2" in done.stdout


@pytest.mark.slow
def test_below_a_folder_only_files_that_are_named_as_tests_are_collected(tmp_path: Path) -> None:
    (tmp_path / "flow.judge").write_text("nonsense", encoding="utf-8")
    (tmp_path / "test_flow.judge").write_text(GOOD.replace("== 2", "== 1"), encoding="utf-8")
    (tmp_path / "pair.judge").write_text(GOOD.replace("== 2", "== 1"), encoding="utf-8")
    done = run(tmp_path)
    assert "2 passed" in done.stdout
    done = run(tmp_path, "-o", "judge_files=p*.judge")
    assert "2 passed" in done.stdout
    assert "pair.judge" in done.stdout
    assert run(tmp_path, "test_flow.judge", "-k", "two").stdout.count("passed") == 1


@pytest.mark.slow
def test_a_file_with_errors_shows_its_findings(tmp_path: Path) -> None:
    (tmp_path / "flow.judge").write_text(GOOD.replace("return writer", "return wrtier"), encoding="utf-8")
    done = run(tmp_path, "flow.judge")
    assert done.returncode == 2
    assert "error[name.unknown]" in done.stdout
    assert "Did you mean `writer`?" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.slow
def test_nothing_is_imported_before_there_is_such_a_file(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import sys\ndef test_lazy():\n    assert 'trio' not in sys.modules and 'lark' not in sys.modules\n",
        encoding="utf-8",
    )
    assert "1 passed" in run(tmp_path).stdout


@pytest.mark.slow
def test_blocks_live_beside_the_plugins_of_others(tmp_path: Path) -> None:
    (tmp_path / "flow.judge").write_text(GOOD.replace("== 2", "== 1"), encoding="utf-8")
    (tmp_path / "test_it.py").write_text("async def test_it():\n    assert True\n", encoding="utf-8")
    others = [
        word for name in ("pytest_trio.plugin", "pytest_lsp.plugin", "xdist.plugin") for word in ("-p", name)
    ]
    done = run(
        tmp_path, *others, "-n", "1", "-o", "trio_mode=true", "--junitxml=out.xml", "flow.judge", "test_it.py"
    )
    assert "3 passed" in done.stdout
    assert 'classname="flow.judge" name="two"' in (tmp_path / "out.xml").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_bug_in_a_hook_is_shown_with_its_line(tmp_path: Path) -> None:
    judged = GOOD.replace('prompt "Write."', 'prompt "Write."  judges [rule]')
    judged += '\ncode judge rule(reply: text) { python "checks.py:rule" }\n'
    (tmp_path / "flow.judge").write_text(judged, encoding="utf-8")
    (tmp_path / "checks.py").write_text("def rule(input):\n    return {}['nope']\n", encoding="utf-8")
    done = run(tmp_path, "flow.judge", "-k", "two")
    assert "'rule' crashed over this message (KeyError): 'nope' (checks.py:2)" in done.stdout


def test_it_is_an_entry_point_of_the_package() -> None:
    settings = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["entry-points"]["pytest11"] == {"judgeflow": PLUGIN}
    assert import_module(PLUGIN).pytest_collect_file
