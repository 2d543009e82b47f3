"""Real editors. A test file whose editor is not on this machine is not collected: Neovim comes with the `test`
extra where its wheel runs, Emacs with Eglot is the machine's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

_PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


def has_eglot() -> bool:
    """Whether there is an Emacs that knows Eglot, which is part of it from 29 on."""
    emacs = shutil.which("emacs", path=_PATH)
    if emacs is None:
        return False
    asked = [emacs, "--batch", "--no-init-file", "--eval", "(require 'eglot)"]
    return subprocess.run(asked, capture_output=True, check=False, timeout=60).returncode == 0


collect_ignore = [
    *([] if shutil.which("nvim", path=_PATH) else ["test_neovim.py"]),
    *([] if has_eglot() else ["test_emacs.py"]),
]
