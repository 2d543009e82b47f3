"""Real editors. A test file whose editor is not on this machine is not collected: Neovim comes with the `test`
extra where its wheel runs, Emacs and a browser are the machine's."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

_PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
_NEEDED = {"test_neovim.py": ("nvim",), "test_emacs.py": ("emacs",)}

collect_ignore = [
    file
    for file, programs in _NEEDED.items()
    if not all(shutil.which(program, path=_PATH) for program in programs)
]
