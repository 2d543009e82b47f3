"""A headless Neovim with the set-up of `docs/editors.md`, driven by `neovim.lua`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
SETUP = ROOT / "lsp" / "editors" / "neovim"
DRIVER = Path(__file__).with_name("neovim.lua")
TEXT = """\
model small "openai/gpt-6-mini" { price $1 in, $2 out }
agent writer {
  model    smal
  prompt "Write."
}
flow main(task: text) -> text { return writer(task) }
"""


@pytest.mark.slow
def test_neovim_shows_diagnostics_applies_a_fix_and_takes_a_completion(tmp_path: Path) -> None:
    said = drive(tmp_path)
    assert said["filetype"] == "judge"
    assert said["diagnostic"] == ["name.unknown", 2, 11]
    assert said["fixed"] == "  model    small"
    assert said["completions"][0] == "judges"
    assert "judges" in said["completed"]
    assert said["text"][2:6] == ["agent writer {", "  model  small", '  prompt "Write."', "}"]
    assert "▶ Run" in said["lenses"]
    assert said["messages"].strip() == ""


def drive(folder: Path) -> dict[str, Any]:
    """What the driver says, by its first word."""
    file = folder / "main.judge"
    file.write_text(TEXT, encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    program = shutil.which("nvim", path=path)
    assert program is not None
    (folder / "init.lua").write_text(
        f"vim.opt.runtimepath:append({json.dumps(str(SETUP))})\n"
        f"vim.lsp.config('judgeflow', {{ cmd = {{ {json.dumps(sys.executable)}, '-m', 'judgeflow.lsp' }} }})\n"
        "vim.lsp.enable('judgeflow')\n",
        encoding="utf-8",
    )
    homes = {
        name: str(folder / "home") for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    }
    done = subprocess.run(
        [program, "--headless", "-n", "-u", str(folder / "init.lua"), "-c", f"luafile {DRIVER}"],
        env={**os.environ, **homes, "JUDGE_FILE": str(file)},
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    said = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    assert done.returncode == 0, (said, done.stderr)
    return said
