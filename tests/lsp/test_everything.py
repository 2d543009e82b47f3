"""Every request at random places of a text that keeps changing: each is answered, and none fails."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from judgeflow.lsp.testing import Message, RefusedError, replacing

URI = "file:///w/main.judge"
DOCUMENT = {"textDocument": {"uri": URI}}
OPTIONS = {"options": {"tabSize": 2, "insertSpaces": True}}
PIECES = [
    "\n",
    "  ",
    "}",
    "{",
    '"',
    '"""',
    "#",
    "model ",
    "small",
    "{{",
    "}}",
    "😋",
    "judges [",
    "x",
    "(",
    ".",
    "\r\n",
]
EXAMPLE = Path(__file__).parents[2] / "examples" / "support.judge"


def asked(rng: random.Random, lines: int) -> list[tuple[str, Message]]:
    place = {"line": rng.randrange(lines), "character": rng.randrange(60)}
    other = {"line": rng.randrange(lines), "character": rng.randrange(60)}
    here, stretch = {**DOCUMENT, "position": place}, {**DOCUMENT, "range": {"start": place, "end": other}}
    return [
        ("textDocument/hover", here),
        ("textDocument/completion", here),
        ("textDocument/signatureHelp", here),
        ("textDocument/definition", here),
        ("textDocument/typeDefinition", here),
        ("textDocument/references", {**here, "context": {"includeDeclaration": True}}),
        ("textDocument/documentHighlight", here),
        ("textDocument/prepareRename", here),
        ("textDocument/rename", {**here, "newName": "renamed"}),
        ("textDocument/codeAction", {**stretch, "context": {"diagnostics": []}}),
        ("textDocument/codeAction", {**stretch, "context": {"diagnostics": [], "only": ["source.fixAll"]}}),
        ("textDocument/onTypeFormatting", {**here, **OPTIONS, "ch": rng.choice(["\n", "}"])}),
        ("textDocument/rangeFormatting", {**stretch, **OPTIONS}),
        ("textDocument/formatting", {**DOCUMENT, **OPTIONS}),
        ("textDocument/documentSymbol", DOCUMENT),
        ("textDocument/foldingRange", DOCUMENT),
        ("textDocument/selectionRange", {**DOCUMENT, "positions": [place]}),
        ("textDocument/documentLink", DOCUMENT),
        ("textDocument/inlayHint", stretch),
        ("textDocument/codeLens", DOCUMENT),
        ("textDocument/semanticTokens/full", DOCUMENT),
        ("textDocument/semanticTokens/range", stretch),
        ("textDocument/prepareCallHierarchy", here),
        ("workspace/symbol", {"query": "e"}),
    ]


async def check(connected: Any, seed: int, steps: int) -> None:
    rng = random.Random(seed)
    text = EXAMPLE.read_text(encoding="utf-8")
    lines = text.count("\n")
    refused: list[object] = []
    async with connected() as (_, client):
        await client.open(URI, text)
        for version in range(2, steps + 2):
            place = (rng.randrange(lines), rng.randrange(60))
            end = (place[0] + rng.choice((0, 0, 0, 1)), rng.randrange(60))
            change = replacing(place, max(place, end) if rng.random() < 0.4 else place, rng.choice(PIECES))
            await client.change(URI, version, change)
            for method, params in rng.sample(asked(rng, lines), 6):
                try:
                    await client.request(method, params)
                except RefusedError as error:
                    refused.append((seed, version, method, params, str(error)))
        failed = [one for one in client.received if one.get("method") == "window/logMessage"]
        assert failed == []
    # A name that must not be changed is no failure.
    assert [one for one in refused if "textDocument/rename" not in one] == []


async def test_every_request_is_answered_whatever_the_text_is(connected) -> None:
    await check(connected, 1, 15)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
async def test_thousands_of_requests_are_answered_whatever_the_text_is(connected, seed: int) -> None:
    await check(connected, 100 + seed, 40)
