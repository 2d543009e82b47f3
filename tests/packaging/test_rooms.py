"""The core knows no service: neither by what it imports nor by what its types hold."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import attrs
import msgspec
import pytest

import judgeflow
from judgeflow.runtime.decisions import decision, provider
from judgeflow.runtime.judge import protocol

ROOT = Path(__file__).parents[2]
CORE = ("core", "judge", "decisions", "agents", "flow", "expr")
VENDORS = re.compile(
    r"openai|anthropic|openrouter|typesafe|systemone|system_one|ollama|llama|gemini|\bjev\b", re.I
)


def imported(path: Path) -> set[str]:
    """Every module that a file imports, wherever in it, by its whole name."""
    package = ("judgeflow", *path.parent.relative_to(ROOT).parts)
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return names


@pytest.mark.parametrize("room", CORE)
def test_a62_the_core_imports_no_service(room: str) -> None:
    files = sorted((ROOT / "runtime" / room).rglob("*.py"))
    assert files
    for path in files:
        for name in imported(path):
            assert not name.startswith(("judgeflow.runtime.providers", "judgeflow.runtime.cli")), (path, name)
            assert name.partition(".")[0] not in {"httpx", "h11", "openai", "anthropic"}, (path, name)


def fields(kind: type) -> list[str]:
    if issubclass(kind, msgspec.Struct):
        return [field.name for field in msgspec.structs.fields(kind)]
    return [field.name for field in attrs.fields(kind)] if attrs.has(kind) else []


def test_a63_no_type_of_the_core_has_an_option_of_one_service() -> None:
    kinds = [
        kind
        for module in (protocol, decision, provider, judgeflow)
        for kind in (getattr(module, name) for name in dir(module))
        if isinstance(kind, type) and fields(kind)
    ]
    assert {"ChatRequest", "DecisionRequest", "BooleanDecision"} <= {kind.__name__ for kind in kinds}
    assert [(kind, name) for kind in kinds for name in fields(kind) if VENDORS.search(name)] == []
