"""Answers about a whole text, put together from parts that were kept: those of a server that has just read it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from judgeflow.dsl.parse import Item, parse
from judgeflow.dsl.source import Source
from judgeflow.lsp.documents import Document
from judgeflow.lsp.pieces import Pieces
from judgeflow.lsp.testing import BareClient, changing, replacing
from judgeflow.lsp.wire import Fold

URI = "file:///w/main.judge"
DOCUMENT = {"textDocument": {"uri": URI}}
LAYOUT = {**DOCUMENT, "options": {"tabSize": 2, "insertSpaces": True}}
ASKED = (
    ("textDocument/documentSymbol", DOCUMENT),
    ("textDocument/foldingRange", DOCUMENT),
    ("textDocument/documentLink", DOCUMENT),
    ("textDocument/codeLens", DOCUMENT),
    ("textDocument/semanticTokens/full", DOCUMENT),
    ("textDocument/formatting", LAYOUT),
)
PARTS = ["\n", "\n\n", "x", "  ", "# c\n", "😋", '"', "}", "\r\n", 'import "a.judge"\n', "let z = 1\n"]
EXAMPLE = Path(__file__).parents[2] / "examples" / "support.judge"


async def answers(client: BareClient) -> list[object]:
    found = [await client.request(method, params) for method, params in ASKED]
    found[4].pop("resultId")
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.slow
async def test_after_any_edits_the_answers_are_those_of_a_fresh_reading(connected, encoding: str) -> None:
    rng = random.Random(encoding)
    text = EXAMPLE.read_text(encoding="utf-8")
    capabilities = {
        "general": {"positionEncodings": [encoding]},
        "textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}},
    }
    async with connected(capabilities) as (server, client):
        await client.open(URI, text, 1)
        for version in range(2, 32):
            [document] = server.session.documents
            line = rng.randrange(document.line_count)
            start = (line, rng.randrange(30))
            end = rng.choice((start, start, (line + rng.choice((0, 1, 3)), rng.randrange(30))))
            await client.send(changing(URI, version, replacing(start, end, rng.choice(PARTS))))
            if version % 3:
                await client.request("textDocument/foldingRange", DOCUMENT)
                continue
            found = await answers(client)
            async with connected(capabilities) as (_, other):
                await other.open(URI, document.text)
                assert found == await answers(other), document.text


def test_a_declaration_that_moves_is_not_made_again() -> None:
    counted: list[str] = []

    def lines_of(item: Item, document: Document) -> Sequence[Fold]:
        counted.append(item.text)
        return [Fold(0, document.line_count - 1, "region")]

    pieces = Pieces(lines_of, 10)
    [item] = parse(Source("", "type T {\n  a: text\n}\n")).items
    assert pieces.of(item, 4, "utf-16") == [Fold(4, 6, "region")]
    assert pieces.of(item, 1, "utf-16") == [Fold(1, 3, "region")]
    assert pieces.of(item, 1, "utf-16") == [Fold(1, 3, "region")]
    assert counted == [item.text]
    [first] = parse(Source("", "let a = 1\n")).items
    for _ in range(2):
        assert pieces.of(first, 0, "utf-16") == [Fold(0, 0, "region")]
    assert counted == [item.text, first.text]
