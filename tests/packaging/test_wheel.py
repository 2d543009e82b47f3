"""What is shipped: the wheel holds every package and data file, and nothing else of the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from judgeflow import __version__

ROOT = Path(__file__).parents[2]
LEFT_OUT = {"tests", "benchmarks", "examples", "docs", "build", "dist", "editors"}


def folders_with_code() -> set[str]:
    found = set()
    for folder, below, files in os.walk(ROOT):
        below[:] = [name for name in below if name not in LEFT_OUT and not name.startswith((".", "_"))]
        if "__init__.py" in files:
            parts = Path(folder).relative_to(ROOT).parts
            found.add(".".join(("judgeflow", *parts)))
    return found


def test_every_folder_with_code_is_a_listed_package() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(settings["tool"]["setuptools"]["packages"]) == folders_with_code()


def test_versions_agree() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["version"] == __version__


@pytest.mark.slow
def test_the_wheel_and_the_sdist_hold_what_is_needed(tmp_path: Path) -> None:
    source, out = tmp_path / "source", tmp_path / "out"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "__pycache__", "node_modules"))
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = out.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for wanted in (
        "judgeflow/__init__.py",
        "judgeflow/py.typed",
        "judgeflow/dsl/syntax/grammar.lark",
        "judgeflow/dsl/syntax/grammar.json",
        "judgeflow/dsl/explain/judge.wrong-reply.md",
        "judgeflow/runtime/cli/run.py",
        "judgeflow/lsp/server.py",
    ):
        assert wanted in names
    top = {name.split("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {"judgeflow"}
    assert not [name for name in names if "/tests/" in name or "/benchmarks/" in name]
    assert list(out.glob("*.tar.gz"))
