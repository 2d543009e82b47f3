"""Emacs with Eglot and the set-up of `docs/editors.md`, driven by `emacs.el`."""

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
SETUP = ROOT / "lsp" / "editors" / "emacs"
DRIVER = Path(__file__).with_name("emacs.el")
TEXT = """\
model small "openai/gpt-6-mini" { price $1 in, $2 out }
agent writer {
  model    smal
  prompt "Write."
}
flow main(task: text) -> text { return writer(task) }
"""


def emacs(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("emacs")
    assert program is not None
    return subprocess.run(
        [program, "--batch", "--no-init-file", "--load", str(SETUP / "judge-mode.el"), *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def drive(folder: Path) -> dict[str, Any]:
    """What the driver says, by its first word."""
    file = folder / "main.judge"
    file.write_text(TEXT, encoding="utf-8")
    command = f'(setq judge-command \'({json.dumps(sys.executable)} "-m" "judgeflow.lsp"))'
    done = emacs("--eval", command, "--load", str(DRIVER), JUDGE_FILE=str(file), HOME=str(folder))
    said = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    assert done.returncode == 0, (said, done.stderr)
    return said


@pytest.mark.slow
def test_emacs_shows_diagnostics_applies_a_fix_and_takes_a_completion(tmp_path: Path) -> None:
    said = drive(tmp_path)
    assert said["mode"] == "judge-mode"
    assert said["diagnostic"][1] == 3
    assert "There is no model `smal`" in said["diagnostic"][0]
    assert said["offered"] == "Replace with `small`"
    assert said["fixed"] == "  model    small"
    assert '  model  small\n  prompt "Write."\n' in said["text"]
    assert said["completed"].startswith("  retries")
    assert "agent writer" in said["hover"]
    assert said["end"] == ""


@pytest.mark.slow
def test_the_mode_compiles_without_a_warning_and_indents(tmp_path: Path) -> None:
    copy = tmp_path / "judge-mode.el"
    copy.write_text((SETUP / "judge-mode.el").read_text(encoding="utf-8"), encoding="utf-8")
    strict = "(setq byte-compile-error-on-warn t)"
    done = emacs("--eval", strict, "--funcall", "batch-byte-compile", str(copy))
    assert done.returncode == 0, done.stderr
    text = 'agent a {\nmodel small\nprompt """\n{ "quoted"\nmore\n"""\njudges [\nx,\n]\n}\nlet b = 1\n'
    file = tmp_path / "a.judge"
    file.write_text(text, encoding="utf-8")
    indent = '(progn (find-file (getenv "JUDGE_FILE")) (indent-region (point-min) (point-max)) (princ (buffer-string)))'
    shown = emacs("--eval", indent, JUDGE_FILE=str(file)).stdout
    assert shown == (
        'agent a {\n  model small\n  prompt """\n    { "quoted"\n    more\n    """\n'
        "  judges [\n    x,\n  ]\n}\nlet b = 1\n"
    )
