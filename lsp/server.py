"""Every request and notification that is understood: the table of contents of the language server."""

from __future__ import annotations

from .handlers import editing, navigation, outline, texts
from .judge_server import Feature, JudgeServer


def build_server(version: str) -> JudgeServer:
    """A server for one client. `version` is what the client is told."""
    return JudgeServer(version, FEATURES)


FEATURES: tuple[Feature, ...] = (
    *texts.FEATURES,
    *navigation.FEATURES,
    *editing.FEATURES,
    *outline.FEATURES,
)
