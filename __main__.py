"""`python -m judgeflow` is `jrun`."""

import sys

from .runtime.cli import main

if __name__ == "__main__":
    sys.exit(main())
