from __future__ import annotations

import os

import pytest

from judgeflow.lsp.uris import to_path, to_uri


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/a/x.judge", "/home/a/x.judge"),
        ("file://localhost/home/a/x.judge", "/home/a/x.judge"),
        ("file:///a/b/../c%20d%23%3F.judge", "/a/c d#?.judge"),
        ("file:///caf%C3%A9.judge", "/café.judge"),
        ("file:///a/%F0%9F%98%8B.judge", "/a/😋.judge"),
        ("file:///c%3A/x.judge", "C:/x.judge"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
        ("http://[::1/x.judge", "http://[::1/x.judge"),
    ],
)
def test_a_uri_names_a_path(uri: str, path: str) -> None:
    assert to_path(uri) == path


@pytest.mark.parametrize(
    "path",
    [
        "C:/a/x.judge",
        "//server/share/x.judge",
        "/a b/#1?.judge",
        "/café/😋.judge",
        "/a/%41.judge",
        "/bad\udcff.judge",
    ],
)
def test_a_path_survives_its_uri(path: str) -> None:
    assert to_path(to_uri(path)) == path


def test_a_text_in_no_file_keeps_its_uri() -> None:
    assert to_uri("untitled:Untitled-1") == "untitled:Untitled-1"


def test_a_file_that_a_text_in_no_file_imports_has_a_uri() -> None:
    assert to_uri("models.judge") == to_uri(f"{os.getcwd()}/models.judge")
