"""A real `jrun lsp` under pytest-lsp's client, with the capabilities that real editors send.

pytest-lsp's client lives on asyncio. These tests are plain functions that run that loop themselves, so that
pytest-trio, which takes every `async def test_…` of this repository, has no part in them.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

pytestmark = pytest.mark.slow
EDITORS = ("visual-studio-code", "neovim", "emacs")
COMMAND = (sys.executable, "-m", "judgeflow.lsp")
URI = "file:///w/main.judge"
TEXT = """\
model small "openai/gpt-6-mini" { price $1 in, $2 out }
type Offer { salary: int }
agent writer(topic: text) -> Offer { model smal  prompt "Write about {{ topic }}." }
flow f(topic: text) -> Offer {
  offer = writer(topic)
  return offer
}
"""

Scenario = Callable[[LanguageClient], Awaitable[None]]


def converse(editor: str, scenario: Scenario) -> None:
    """Run a conversation with a server process of its own, as one editor would have it."""

    async def run() -> None:
        client = make_test_lsp_client()
        await client.start_io(*COMMAND)
        params = types.InitializeParams(
            capabilities=client_capabilities(editor), process_id=None, root_uri="file:///w"
        )
        await client.initialize_session(params)
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(URI, "judge", 1, TEXT))
        )
        await scenario(client)
        await client.shutdown_session()
        await client.stop()

    asyncio.run(asyncio.wait_for(run(), 20))


@pytest.mark.parametrize("editor", EDITORS)
def test_diagnostics_on_open_and_on_every_change(editor: str) -> None:
    async def scenario(client: LanguageClient) -> None:
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        [found] = client.diagnostics[URI]
        assert (found.code, found.severity) == ("name.unknown", types.DiagnosticSeverity.Error)
        assert (found.range.start.line, found.range.start.character) == (2, 43)
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(2, URI),
                [
                    types.TextDocumentContentChangePartial(
                        types.Range(types.Position(2, 47), types.Position(2, 47)), "l"
                    )
                ],
            )
        )
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        assert not client.diagnostics[URI]

    converse(editor, scenario)


@pytest.mark.parametrize("editor", EDITORS)
def test_what_an_editor_asks_while_someone_writes(editor: str) -> None:
    document = types.TextDocumentIdentifier(URI)

    async def scenario(client: LanguageClient) -> None:
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        place = types.Position(4, 12)
        hover = await client.text_document_hover_async(types.HoverParams(document, place))
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        assert "agent writer" in hover.contents.value
        completion = await client.text_document_completion_async(types.CompletionParams(document, place))
        assert isinstance(completion, types.CompletionList)
        assert "writer" in [item.label for item in completion.items]
        places = await client.text_document_definition_async(types.DefinitionParams(document, place))
        assert isinstance(places, list)
        assert places[0].range.start.line == 2
        symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
        assert symbols is not None
        assert [symbol.name for symbol in symbols] == ["small", "Offer", "writer", "f"]
        wrong = types.Range(types.Position(2, 44), types.Position(2, 44))
        actions = await client.text_document_code_action_async(
            types.CodeActionParams(document, wrong, types.CodeActionContext([]))
        )
        assert actions
        assert actions[0].title == "Replace with `small`"
        tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
        assert tokens is not None
        assert len(tokens.data) % 5 == 0
        renamed = await client.text_document_rename_async(types.RenameParams(document, place, "author"))
        assert renamed is not None

    converse(editor, scenario)


@pytest.mark.parametrize("editor", EDITORS)
def test_a_fix_a_refactoring_and_the_layout_while_typing(editor: str) -> None:
    document = types.TextDocumentIdentifier(URI)
    options = types.FormattingOptions(tab_size=2, insert_spaces=True)

    async def scenario(client: LanguageClient) -> None:
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        [found] = client.diagnostics[URI]
        actions = await client.text_document_code_action_async(
            types.CodeActionParams(document, found.range, types.CodeActionContext([found]))
        )
        assert [one.title for one in actions or ()] == ["Replace with `small`", "Declare the model `smal`"]
        first = (actions or [])[0]
        assert isinstance(first, types.CodeAction)
        assert first.edit is not None
        assert first.edit.document_changes or first.edit.changes
        slug = "".join(f"{line}\n" for line in TEXT.splitlines()).replace("model smal ", 'model "openai/x" ')
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(2, URI),
                [types.TextDocumentContentChangeWholeDocument(slug)],
            )
        )
        place = types.Position(2, 46)
        kinds = [types.CodeActionKind.Refactor]
        asked = types.CodeActionParams(
            document, types.Range(place, place), types.CodeActionContext([], only=kinds)
        )
        [refactoring] = await client.text_document_code_action_async(asked) or []
        assert refactoring.title == 'Declare "openai/x" as a model of its own'
        typed = types.DocumentOnTypeFormattingParams(document, types.Position(4, 0), "\n", options)
        assert not await client.text_document_on_type_formatting_async(typed)

    converse(editor, scenario)
