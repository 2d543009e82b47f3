"""Where the file is: `$TERN_DB`, else the user's data folder. Never inside a project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

VARIABLE = "TERN_DB"
FILE_NAME = "terns.sqlite"


def store_path(environ: Mapping[str, str], *, platform: str, home: Path) -> Path:
    """The file that `environ` names. `platform` as in `sys.platform`; `home` is the user's home folder."""
    named = environ.get(VARIABLE, "").strip()
    if named:
        return home / named[2:] if named.startswith("~/") else Path(named)
    return _data_folder(environ, platform, home) / "judgeflow" / FILE_NAME


def _data_folder(environ: Mapping[str, str], platform: str, home: Path) -> Path:
    # The XDG rules tell to ignore a relative path: it would depend on where the command was typed.
    xdg = Path(environ.get("XDG_DATA_HOME", ""))
    if xdg.is_absolute():
        return xdg
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        local = environ.get("LOCALAPPDATA", "")
        return Path(local) if local else home / "AppData" / "Local"
    return home / ".local" / "share"
