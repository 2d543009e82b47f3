from __future__ import annotations

from pathlib import Path

import pytest

from judgeflow.runtime.store.place import store_path

HOME = Path("/home/ada")


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({"TERN_DB": "/srv/t.db", "XDG_DATA_HOME": "/x"}, "linux", "/srv/t.db"),
        ({"TERN_DB": "~/t.db"}, "linux", "/home/ada/t.db"),
        ({"TERN_DB": " "}, "linux", "/home/ada/.local/share/judgeflow/terns.sqlite"),
        ({"XDG_DATA_HOME": "/data"}, "linux", "/data/judgeflow/terns.sqlite"),
        ({"XDG_DATA_HOME": "here"}, "linux", "/home/ada/.local/share/judgeflow/terns.sqlite"),
        ({}, "linux", "/home/ada/.local/share/judgeflow/terns.sqlite"),
        ({}, "darwin", "/home/ada/Library/Application Support/judgeflow/terns.sqlite"),
        ({}, "win32", "/home/ada/AppData/Local/judgeflow/terns.sqlite"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/judgeflow/terns.sqlite"),
    ],
)
def test_f20_the_file_is_where_tern_db_says_or_in_the_users_data_folder(
    environ: dict[str, str], platform: str, expected: str
) -> None:
    assert store_path(environ, platform=platform, home=HOME) == Path(expected)
