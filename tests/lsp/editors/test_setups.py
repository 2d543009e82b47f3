"""The set-ups for editors that no test can start here, as far as their files can be read."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]
EDITORS = ROOT / "lsp" / "editors"
DOCS = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")


def toml(path: str) -> dict[str, object]:
    return tomllib.loads((EDITORS / path).read_text(encoding="utf-8"))


def test_helix_starts_the_server_for_judge_files() -> None:
    found = tomllib.loads((EDITORS / "helix" / "languages.toml").read_text(encoding="utf-8"))
    [language] = found["language"]
    assert language["file-types"] == ["judge"]
    server = found["language-server"][language["language-servers"][0]]
    assert [server["command"], *server["args"]] == ["jrun", "lsp"]


def test_zed_names_one_language_and_its_server() -> None:
    extension, language = toml("zed/extension.toml"), toml("zed/languages/judge/config.toml")
    servers = extension["language_servers"]
    assert isinstance(servers, dict)
    assert servers["judgeflow"]["languages"] == [language["name"]]
    assert language["path_suffixes"] == ["judge"]


def test_the_page_shows_every_set_up_as_it_is() -> None:
    assert (EDITORS / "helix" / "languages.toml").read_text(encoding="utf-8").split("\n\n", 1)[1] in DOCS
    for folder in sorted(path.name for path in EDITORS.iterdir() if path.is_dir()):
        assert f"lsp/editors/{folder}" in DOCS, folder
