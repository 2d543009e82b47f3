"""mypy agrees with every line of `typed.py`: it narrows what is right and finds what is wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TYPED = Path(__file__).with_name("typed.py")


def expected() -> set[int]:
    lines = TYPED.read_text(encoding="utf-8").splitlines()
    return {at for at, line in enumerate(lines, 1) if line.endswith("# error")}


def found(folder: Path, cache: Path) -> set[int]:
    """Under its own name, wherever the checkout is."""
    (folder / "judgeflow").symlink_to(ROOT)
    (folder / "typed.py").write_text(TYPED.read_text(encoding="utf-8"), encoding="utf-8")
    config = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(cache)]
    told = subprocess.run(
        [sys.executable, "-m", "mypy", *config, "--follow-imports=silent", "typed.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1, told.stderr
    return {int(line) for line in re.findall(r"^typed\.py:(\d+): error:", told.stdout, re.MULTILINE)}


@pytest.mark.slow
def test_a49_a51_a55_a56_a60_c26_c41_c51_c52_a_type_checker_narrows_and_finds(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert found(tmp_path, tmp_path_factory.mktemp("mypy")) == expected()
