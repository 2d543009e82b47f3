"""What can be tested where TypeScript's compiler is installed."""

from __future__ import annotations

import shutil

collect_ignore = [] if shutil.which("tsc") else ["test_typescript.py"]
