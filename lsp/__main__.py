"""`python -m judgeflow.lsp` is `jrun lsp` without the command."""

import sys
from importlib.metadata import version

from .process import main

sys.exit(main(version("judgeflow")))
