"""Every request and notification that is understood: the table of contents of the language server."""

from __future__ import annotations

from importlib.util import find_spec

from .handlers import editing, navigation, outline, texts
from .judge_server import Feature, JudgeServer


def build_server(version: str) -> JudgeServer:
    """A server for one client. `version` is what the client is told."""
    return JudgeServer(version, features())


def features() -> tuple[Feature, ...]:
    found = (*texts.FEATURES, *navigation.FEATURES, *editing.FEATURES, *outline.FEATURES)
    return (*found, *editing.FORMATTING) if find_spec("judgeflow.dsl.format") else found
