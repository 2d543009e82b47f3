"""What an editor sees of the server, message by message."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgeflow.lsp.files import read_file
from judgeflow.lsp.handlers.texts import read_folder
from judgeflow.lsp.testing import BareClient, RefusedError, changing, replacing, telling
from judgeflow.lsp.uris import to_path, to_uri

URI = "file:///w/main.judge"
DOCUMENT = {"textDocument": {"uri": URI}}
TEXT = """\
model small "openai/gpt-6-mini" { price $1 in, $2 out }
# 😋
type Offer { salary: int }
judge fair(reply: Offer) { model small  rate "fair"  threshold 0.5 }
agent writer(topic: text) -> Offer { model smal  judges [fair] }
flow f(topic: text) -> Offer {
  offer = writer(topic)
  return offer
}
test "works" for f { given { topic: "x" }  expect true }
"""


def at(text: str, needle: str, nth: int = 0, shift: int = 0) -> dict[str, int]:
    """The position of a needle, for a text without characters outside of the BMP before it on its line."""
    place = -1
    for _ in range(nth + 1):
        place = text.index(needle, place + 1)
    place += shift
    line = text.count("\n", 0, place)
    return {"line": line, "character": place - (text.rfind("\n", 0, place) + 1)}


def here(needle: str, nth: int = 0, shift: int = 0) -> dict[str, object]:
    return {**DOCUMENT, "position": at(TEXT, needle, nth, shift)}


def cut(text: str, span: dict[str, dict[str, int]]) -> str:
    lines = text.split("\n")
    assert span["start"]["line"] == span["end"]["line"]
    return lines[span["start"]["line"]][span["start"]["character"] : span["end"]["character"]]


# --- diagnostics -----------------------------------------------------------------------------------------------


async def test_diagnostics_come_on_open_and_with_every_version(connected) -> None:
    async with connected() as (_, client):
        found = await client.open(URI, TEXT, version=7)
        assert found["version"] == 7
        [wrong] = [one for one in found["diagnostics"] if one["severity"] == 1]
        assert (wrong["code"], cut(TEXT, wrong["range"]), wrong["source"]) == (
            "name.unknown",
            "smal",
            "judgeflow",
        )
        assert "Did you mean `small`?" in wrong["message"]
        end = at(TEXT, "smal ", shift=4)
        place = (end["line"], end["character"])
        found = await client.change(URI, 8, replacing(place, place, "l"))
        assert found["version"] == 8
        assert [one for one in found["diagnostics"] if one["severity"] == 1] == []


async def test_case_302_only_the_newest_version_of_a_burst_is_published(connected) -> None:
    async with connected() as (_, client):
        await client.open(URI, TEXT)
        since = len(client.received)
        await client.send(
            *(changing(URI, version, replacing((0, 0), (0, 0), " ")) for version in range(2, 40))
        )
        await client.published(URI, 39, since)
        versions = [
            message["params"]["version"] for message in client.received[since:] if "params" in message
        ]
        assert versions == sorted(versions)
        assert versions[-1] == 39


async def test_related_places_pages_and_faded_text(connected) -> None:
    async with connected() as (_, client):
        text = 'let a = "x"\nlet a = "y"\n'
        found = (await client.open(URI, text))["diagnostics"]
        duplicate = next(one for one in found if one["code"] == "name.duplicate")
        related = duplicate["relatedInformation"][0]
        assert related["location"]["uri"] == URI
        assert cut(text, related["location"]["range"]) == "a"
        text = 'let b = "x"\nflow f(t: text) -> text { return t }\n'
        found = (await client.open("file:///w/b.judge", text))["diagnostics"]
        unused = next(one for one in found if one["code"] == "name.unused")
        assert (unused["tags"], unused["severity"]) == ([1], 4)


async def test_a_code_leads_to_its_page_without_a_network(connected) -> None:
    async with connected() as (_, client):
        [found] = (await client.open(URI, 'agent a {\n  prompt "x"\n}\n'))["diagnostics"]
        assert found["code"] == "clause.missing"
        page = found["codeDescription"]["href"]
        assert page.startswith("file:///")
        assert read_file(to_path(page))


async def test_a_client_that_knows_nothing_of_extras_gets_none(connected) -> None:
    async with connected({}) as (_, client):
        found = (await client.open(URI, 'let a = "x"\nlet a = "y"\n'))["diagnostics"]
        assert found
        assert {key for one in found for key in one} == {"range", "severity", "code", "source", "message"}


async def test_an_edit_reports_every_open_file_that_it_reaches(connected) -> None:
    models, user = "file:///w/models.judge", "file:///w/user.judge"
    async with connected() as (_, client):
        await client.open(models, 'model small "a/b"\n')
        found = await client.open(user, 'import "models.judge"\nagent a { model small  prompt "x" }\n')
        assert [one["code"] for one in found["diagnostics"] if one["severity"] == 1] == []
        since = len(client.received)
        await client.change(models, 2, replacing((0, 6), (0, 11), "large"))
        found = await client.published(user, 1, since)
        assert [one["code"] for one in found["diagnostics"] if one["severity"] == 1] == ["name.unknown"]


async def test_an_edit_that_reaches_nobody_reports_nobody_else(connected) -> None:
    other = "file:///w/other.judge"
    async with connected() as (_, client):
        await client.open(other, 'model small "a/b"\n')
        await client.open(URI, TEXT)
        since = len(client.received)
        await client.change(URI, 2, replacing((0, 0), (0, 0), "# a\n"))
        assert {m["params"]["uri"] for m in client.received[since:]} == {URI}


async def test_a_text_that_is_imported_from_now_on_is_reported_anew(connected, tmp_path: Path) -> None:
    """What nothing uses in an imported file is no remark: its importers may use it."""
    library, main = to_uri(str(tmp_path / "library.judge")), to_uri(str(tmp_path / "main.judge"))
    text = "let spare = 1\nflow f(x: text) -> text { return x }\n"
    async with connected() as (_, client):
        found = await client.open(library, text)
        assert [one["code"] for one in found["diagnostics"]] == ["name.unused"]
        since = len(client.received)
        await client.open(main, 'import "library.judge"\n')
        assert (await client.published(library, 1, since))["diagnostics"] == []
        since = len(client.received)
        await client.change(main, 2, {"text": "\n"})
        found = await client.published(library, 1, since)
        assert [one["code"] for one in found["diagnostics"]] == ["name.unused"]


async def test_a_text_that_a_file_of_the_folder_imports_is_reported_anew(connected, tmp_path: Path) -> None:
    library = tmp_path / "library.judge"
    library.write_text("let spare = 1\nflow f(x: text) -> text { return x }\n")
    (tmp_path / "main.judge").write_text('import "library.judge"\n')
    async with connected() as (server, client):
        await client.open(to_uri(str(library)), library.read_text())
        since = len(client.received)
        server.protocol.begin(read_folder, server, str(tmp_path))
        assert (await client.published(to_uri(str(library)), 1, since))["diagnostics"] == []


async def test_a_closed_text_has_no_findings_and_the_file_on_disk_counts(connected, tmp_path: Path) -> None:
    models, user = tmp_path / "models.judge", to_uri(str(tmp_path / "user.judge"))
    models.write_text('model small "a/b"\n')
    uri = to_uri(str(models))
    async with connected() as (_, client):
        await client.open(uri, 'model large "a/b"\n')
        found = await client.open(user, 'import "models.judge"\nagent a { model small  prompt "x" }\n')
        assert "name.unknown" in [one["code"] for one in found["diagnostics"]]
        since = len(client.received)
        await client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        cleared = await client.wait_for(lambda m: m.get("params", {}).get("uri") == uri, since)
        assert cleared["params"]["diagnostics"] == []
        found = await client.published(user, 1, since)
        assert "name.unknown" not in [one["code"] for one in found["diagnostics"]]


async def test_a_file_that_changes_on_disk_is_read_again(connected, tmp_path: Path) -> None:
    models, user = tmp_path / "models.judge", to_uri(str(tmp_path / "user.judge"))
    async with connected() as (_, client):
        found = await client.open(user, 'import "models.judge"\nagent a { model small  prompt "x" }\n')
        assert "import.missing" in [one["code"] for one in found["diagnostics"]]
        since = len(client.received)
        models.write_text('model small "a/b"\n')
        changes = {"changes": [{"uri": to_uri(str(models)), "type": 1}]}
        await client.notify("workspace/didChangeWatchedFiles", changes)
        found = await client.published(user, 1, since)
        assert [one for one in found["diagnostics"] if one["severity"] == 1] == []


async def test_a_python_hook_that_changes_on_disk_is_read_again(connected, tmp_path: Path) -> None:
    hooks, user = tmp_path / "hooks.py", to_uri(str(tmp_path / "user.judge"))
    async with connected() as (_, client):
        found = await client.open(user, 'code judge j { python "hooks.py:check" }\n')
        assert "python.missing" in [one["code"] for one in found["diagnostics"]]
        hooks.write_text("raise SystemExit('imported')\ndef check(reply): ...\n")
        since = len(client.received)
        await client.notify(
            "workspace/didChangeWatchedFiles", {"changes": [{"uri": to_uri(str(hooks)), "type": 1}]}
        )
        found = await client.published(user, 1, since)
        assert "python.missing" not in [one["code"] for one in found["diagnostics"]]


async def test_diagnostics_can_be_asked_for_instead(connected) -> None:
    async with connected(initializationOptions={"diagnostics": "pull"}) as (_, client):
        assert client.offered["diagnosticProvider"]["interFileDependencies"] is True
        await client.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": URI, "languageId": "judge", "version": 1, "text": TEXT}},
        )
        full = await client.request("textDocument/diagnostic", DOCUMENT)
        assert full["kind"] == "full"
        assert "name.unknown" in [one["code"] for one in full["items"]]
        again = await client.request(
            "textDocument/diagnostic", {**DOCUMENT, "previousResultId": full["resultId"]}
        )
        assert again["kind"] == "unchanged"
        await client.send(changing(URI, 2, replacing((0, 0), (0, 0), "\n")))
        moved = await client.request(
            "textDocument/diagnostic", {**DOCUMENT, "previousResultId": full["resultId"]}
        )
        assert moved["kind"] == "full"
        everything = await client.request("workspace/diagnostic", {"previousResultIds": []})
        assert [one["uri"] for one in everything["items"]] == [URI]
        assert [m for m in client.received if m.get("method") == "textDocument/publishDiagnostics"] == []


async def test_diagnostics_are_not_offered_twice(connected) -> None:
    async with connected() as (_, client):
        assert "diagnosticProvider" not in client.offered
        await client.open(URI, TEXT)
        assert (await client.request("textDocument/diagnostic", DOCUMENT))["kind"] == "full"


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 15), ("utf-16", 13), ("utf-32", 12)])
async def test_case_298_columns_are_counted_as_the_client_asked(
    connected, encoding: str, column: int
) -> None:
    async with connected({"general": {"positionEncodings": [encoding]}}) as (_, client):
        assert client.offered["positionEncoding"] == encoding
        found = await client.open(URI, 'judge x "😋" unknownKey {\n}\n')
        assert column in [one["range"]["start"]["character"] for one in found["diagnostics"]]


async def test_odd_line_ends_and_positions_past_the_end_do_no_harm(connected) -> None:
    async with connected() as (server, client):
        await client.open(URI, "# \u2028 \x85 \x0c\r# two\r\n# three")
        await client.change(
            URI, 2, replacing((1, 2), (1, 99), "2"), replacing((99, 0), (99, 0), '\nmodel small "a/b"')
        )
        [document] = server.session.documents
        assert document.text == '# \u2028 \x85 \x0c\r# 2\r\n# three\nmodel small "a/b"'


# --- requests --------------------------------------------------------------------------------------------------


async def test_what_is_offered_is_what_is_answered(connected) -> None:
    async with connected() as (_, client):
        offered = client.offered
        assert offered["textDocumentSync"]["change"] == 2
        assert offered["completionProvider"]["resolveProvider"] is True
        assert offered["renameProvider"] == {"prepareProvider": True}
        assert offered["semanticTokensProvider"]["full"] == {"delta": True}
        assert "executeCommandProvider" not in offered


async def test_hover_definition_references_and_highlights(connected) -> None:
    async with connected() as (_, client):
        await client.open(URI, TEXT)
        hover = await client.request("textDocument/hover", here("writer(topic)\n"))
        assert "agent writer" in hover["contents"]["value"]
        assert cut(TEXT, hover["range"]) == "writer"
        [place] = await client.request("textDocument/definition", here("writer(topic)\n"))
        assert (place["uri"], cut(TEXT, place["range"]), place["range"]["start"]["line"]) == (
            URI,
            "writer",
            4,
        )
        [place] = await client.request("textDocument/typeDefinition", here("offer\n"))
        assert cut(TEXT, place["range"]) == "Offer"
        asked = {**here("fair"), "context": {"includeDeclaration": True}}
        assert len(await client.request("textDocument/references", asked)) == 2
        marked = await client.request("textDocument/documentHighlight", here("offer = "))
        assert [one["kind"] for one in marked] == [3, 2]
        assert (
            await client.request("textDocument/hover", {**DOCUMENT, "position": {"line": 1, "character": 1}})
            is None
        )


async def test_completion_with_and_without_snippets(connected) -> None:
    for capabilities, expected in ((None, "writer(${1:topic})$0"), ({}, "writer")):
        async with connected(capabilities) as (_, client):
            await client.open(URI, TEXT)
            await client.change(URI, 2, replacing((7, 9), (7, 14), "wri"))
            found = await client.request(
                "textDocument/completion", {**DOCUMENT, "position": {"line": 7, "character": 12}}
            )
            item = next(one for one in found["items"] if one["label"] == "writer")
            assert item["textEdit"]["newText"] == expected
            assert item["textEdit"]["range"]["start"] == {"line": 7, "character": 9}
            resolved = await client.request("completionItem/resolve", item)
            text = resolved["documentation"]
            assert "Asks `smal`" in text["value"] if isinstance(text, dict) else "Asks smal" in text
            hover = await client.request("textDocument/hover", here("fair"))
            assert hover["contents"]["kind"] == ("markdown" if capabilities is None else "plaintext")
            assert ("```" in hover["contents"]["value"]) == (capabilities is None)


async def test_signature_help(connected) -> None:
    async with connected() as (_, client):
        await client.open(URI, TEXT)
        found = await client.request("textDocument/signatureHelp", here("writer(topic)\n", shift=8))
        assert found["signatures"][0]["label"] == "writer(topic: text) -> Offer"
        assert found["activeParameter"] == 0


async def test_rename_with_versions_and_its_refusal(connected) -> None:
    async with connected() as (_, client):
        await client.open(URI, TEXT, version=5)
        prepared = await client.request("textDocument/prepareRename", here("topic"))
        assert prepared["placeholder"] == "topic"
        edit = await client.request("textDocument/rename", {**here("fair"), "newName": "just"})
        [change] = edit["documentChanges"]
        assert change["textDocument"] == {"uri": URI, "version": 5}
        assert [one["newText"] for one in change["edits"]] == ["just", "just"]
        with pytest.raises(RefusedError, match="already") as caught:
            await client.request("textDocument/rename", {**here("fair"), "newName": "writer"})
        assert caught.value.code == -32803
    async with connected({}) as (_, client):
        await client.open(URI, TEXT)
        edit = await client.request("textDocument/rename", {**here("fair"), "newName": "just"})
        assert len(edit["changes"][URI]) == 2


async def test_rename_reaches_a_file_that_is_not_open(connected, tmp_path: Path) -> None:
    (tmp_path / "models.judge").write_text('model small "a/b"\n')
    (tmp_path / "other.judge").write_text('import "models.judge"\nagent o { model small  prompt "x" }\n')
    uri = to_uri(str(tmp_path / "main.judge"))
    text = 'import "models.judge"\nagent a { model small  prompt "x" }\n'
    async with connected(rootUri=to_uri(str(tmp_path))) as (_, client):
        await client.open(uri, text)
        symbols: list[object] = []
        while len(symbols) < 3:
            symbols = await client.request("workspace/symbol", {"query": ""})
        position = at(text, "small")
        edit = await client.request(
            "textDocument/rename", {"textDocument": {"uri": uri}, "position": position, "newName": "tiny"}
        )
        changed = {one["textDocument"]["uri"].rpartition("/")[2] for one in edit["documentChanges"]}
        assert changed == {"main.judge", "models.judge", "other.judge"}


async def test_quick_fixes_and_everything_at_once(connected) -> None:
    async with connected() as (_, client):
        await client.open(URI, TEXT)
        place = at(TEXT, "smal ")
        asked = {**DOCUMENT, "range": {"start": place, "end": place}, "context": {"diagnostics": []}}
        action, other = await client.request("textDocument/codeAction", asked)
        assert (other["title"], other.get("isPreferred")) == ("Declare the model `smal`", None)
        assert (action["kind"], action["isPreferred"]) == ("quickfix", True)
        assert action["diagnostics"][0]["code"] == "name.unknown"
        assert action["edit"]["documentChanges"][0]["edits"][0]["newText"] == "small"
        for only, kinds in (
            (["source.fixAll"], ["source.fixAll.judgeflow"]),
            (["source"], ["source.fixAll.judgeflow"]),
            (["refactor"], []),
            (["quickfix"], ["quickfix", "quickfix"]),
        ):
            found = await client.request(
                "textDocument/codeAction", {**asked, "context": {"diagnostics": [], "only": only}}
            )
            assert [one["kind"] for one in found] == kinds


async def test_refactorings_by_kind(connected) -> None:
    text = 'agent a { model "openai/gpt-6"  prompt "x" }\n'
    async with connected() as (_, client):
        await client.open(URI, text)
        place = at(text, "openai")
        asked = {**DOCUMENT, "range": {"start": place, "end": place}}
        for only, titles in (
            (["refactor"], ['Declare "openai/gpt-6" as a model of its own']),
            (["refactor.rewrite"], ['Declare "openai/gpt-6" as a model of its own']),
            (["refactor.extract"], []),
        ):
            found = await client.request(
                "textDocument/codeAction", {**asked, "context": {"diagnostics": [], "only": only}}
            )
            assert [one["title"] for one in found] == titles
        kinds = client.offered["codeActionProvider"]["codeActionKinds"]
        assert kinds == ["quickfix", "refactor.extract", "refactor.rewrite", "source.fixAll.judgeflow"]


async def test_a_fix_of_another_file_is_an_edit_of_that_file(connected, tmp_path: Path) -> None:
    models = 'model big "openai/b"\nmodel small "openai/s"\nmodel other "anthropic/c"\n'
    judges = tmp_path / "judges.judge"
    judges.write_text(models + 'judge right { model big  ask "Right?" }\n')
    text = 'import "judges.judge"\nagent a { model small  prompt "x"  judges [right] }\n'
    uri = to_uri(str(tmp_path / "main.judge"))
    async with connected() as (_, client):
        await client.open(uri, text)
        place = at(text, "right]")
        asked = {"range": {"start": place, "end": place}, "context": {"diagnostics": []}}
        found = await client.request("textDocument/codeAction", {"textDocument": {"uri": uri}, **asked})
        [fix] = [one for one in found if one["title"] == "Let `right` judge with `other`"]
        [change] = fix["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": to_uri(str(judges)), "version": None}
        assert change["edits"][0]["newText"] == "other"


async def test_symbols_as_a_tree_or_flat(connected) -> None:
    async with connected() as (_, client):
        await client.open(URI, TEXT)
        found = await client.request("textDocument/documentSymbol", DOCUMENT)
        assert [one["name"] for one in found] == ["small", "Offer", "fair", "writer", "f", "works"]
        assert found[1]["children"][0]["name"] == "salary"
    async with connected({}) as (_, client):
        await client.open(URI, TEXT)
        found = await client.request("textDocument/documentSymbol", DOCUMENT)
        assert found[0]["location"]["uri"] == URI


async def test_colours_whole_in_part_and_as_differences(connected) -> None:
    async with connected() as (_, client):
        await client.open(URI, TEXT)
        whole = await client.request("textDocument/semanticTokens/full", DOCUMENT)
        assert len(whole["data"]) % 5 == 0
        part = await client.request(
            "textDocument/semanticTokens/range",
            {**DOCUMENT, "range": {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 9}}},
        )
        assert 0 < len(part["data"]) < len(whole["data"])
        await client.change(URI, 2, replacing((6, 2), (6, 7), "offers"))
        delta = await client.request(
            "textDocument/semanticTokens/full/delta", {**DOCUMENT, "previousResultId": whole["resultId"]}
        )
        data = list(whole["data"])
        for edit in reversed(delta["edits"]):
            data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
        assert data == (await client.request("textDocument/semanticTokens/full", DOCUMENT))["data"]
        lost = await client.request(
            "textDocument/semanticTokens/full/delta", {**DOCUMENT, "previousResultId": "nonsense"}
        )
        assert lost["data"] == data


async def test_folds_selections_links_hints_and_lenses(connected) -> None:
    async with connected() as (_, client):
        text = TEXT + 'import "other.judge"\n'
        await client.open(URI, text)
        folds = await client.request("textDocument/foldingRange", DOCUMENT)
        assert [(one["startLine"], one["endLine"]) for one in folds] == [(5, 8)]
        [selection] = await client.request(
            "textDocument/selectionRange", {**DOCUMENT, "positions": [at(TEXT, "writer(topic)\n")]}
        )
        assert cut(text, selection["range"]) == "writer"
        assert cut(text, selection["parent"]["range"]) == "writer(topic)"
        [link] = await client.request("textDocument/documentLink", DOCUMENT)
        assert link["target"] == "file:///w/other.judge"
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        hints = await client.request("textDocument/inlayHint", {**DOCUMENT, "range": whole})
        assert [one["label"] for one in hints] == [": Offer"]
        lenses = await client.request("textDocument/codeLens", DOCUMENT)
        commands = {one["command"]["title"]: one["command"] for one in lenses}
        assert commands["▶ Run"]["arguments"] == [URI, "f", [{"name": "topic", "shape": "text"}]]
        assert commands["▶ Test"]["arguments"] == [URI, "works"]
        assert "1 agent uses this judge" in commands


async def test_the_call_hierarchy(connected) -> None:
    async with connected() as (_, client):
        await client.open(URI, TEXT)
        [item] = await client.request("textDocument/prepareCallHierarchy", here("writer(topic)\n"))
        assert item["name"] == "writer"
        [caller] = await client.request("callHierarchy/incomingCalls", {"item": item})
        assert caller["from"]["name"] == "f"
        called = await client.request("callHierarchy/outgoingCalls", {"item": item})
        assert [one["to"]["name"] for one in called] == ["fair"]


async def test_requests_about_a_text_that_is_not_open_are_answered(connected) -> None:
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    place = {**DOCUMENT, "position": {"line": 0, "character": 0}}
    async with connected() as (_, client):
        for method, params in (
            ("textDocument/hover", place),
            ("textDocument/completion", place),
            ("textDocument/definition", place),
            ("textDocument/references", {**place, "context": {"includeDeclaration": True}}),
            ("textDocument/rename", {**place, "newName": "x"}),
            ("textDocument/codeAction", {**DOCUMENT, "range": whole, "context": {"diagnostics": []}}),
            ("textDocument/documentSymbol", DOCUMENT),
            ("textDocument/semanticTokens/full", DOCUMENT),
            ("textDocument/inlayHint", {**DOCUMENT, "range": whole}),
            ("textDocument/codeLens", DOCUMENT),
        ):
            await client.request(method, params)
        assert [m for m in client.received if m.get("method") == "window/logMessage"] == []


# --- the connection --------------------------------------------------------------------------------------------


async def test_null_configuration_roots_and_options_are_taken(connected) -> None:
    async with connected(initializationOptions=None, workspaceFolders=None, rootPath=None) as (_, client):
        await client.notify("workspace/didChangeConfiguration", {"settings": None})
        await client.notify("$/setTrace", {"value": "off"})
        await client.notify("window/workDoneProgress/cancel", {"token": "x"})
        await client.open(URI, TEXT)
        await client.notify("textDocument/didSave", DOCUMENT)
        await client.request("textDocument/documentSymbol", DOCUMENT)
        assert [m for m in client.received if m.get("method") == "window/logMessage"] == []


async def test_a_change_of_a_text_that_is_not_open_is_logged(connected) -> None:
    async with connected() as (_, client):
        await client.send(changing(URI, 2, replacing((0, 0), (0, 0), "x")))
        log = await client.wait_for(lambda message: message.get("method") == "window/logMessage")
        assert "is not open" in log["params"]["message"]


async def test_a_text_in_no_file_is_served(connected) -> None:
    async with connected() as (_, client):
        found = await client.open("untitled:Untitled-1", TEXT)
        assert "name.unknown" in [one["code"] for one in found["diagnostics"]]


async def names(client: BareClient, count: int) -> set[str]:
    """The names in the workspace, once there are as many as expected."""
    found: list[dict[str, str]] = []
    while len(found) != count:
        found = await client.request("workspace/symbol", {"query": ""})
    return {one["name"] for one in found}


async def test_several_roots_that_come_and_go(connected, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "node_modules").mkdir(parents=True)
        (tmp_path / name / f"{name}.judge").write_text(f'model {name} "a/b"\n')
        (tmp_path / name / "node_modules" / "no.judge").write_text('model hidden "a/b"\n')
    one, two = ({"uri": to_uri(str(tmp_path / name)), "name": name} for name in ("one", "two"))
    async with connected(workspaceFolders=[one]) as (_, client):
        assert await names(client, 1) == {"one"}
        change = {"event": {"added": [two], "removed": []}}
        await client.notify("workspace/didChangeWorkspaceFolders", change)
        assert await names(client, 2) == {"one", "two"}
        change = {"event": {"added": [], "removed": [one]}}
        await client.notify("workspace/didChangeWorkspaceFolders", change)
        assert await names(client, 1) == {"two"}


async def test_a_file_that_comes_into_a_folder_is_part_of_the_workspace(connected, tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "first.judge").write_text("let first = 1\n")
    folder = {"uri": to_uri(str(tmp_path)), "name": "work"}
    async with connected(workspaceFolders=[folder]) as (_, client):
        assert await names(client, 1) == {"first"}
        paths = [tmp_path / "late.judge", tmp_path / "node_modules" / "other.judge"]
        for path in paths:
            path.write_text(f"let {path.stem} = 1\n")
        changes = [{"uri": to_uri(str(path)), "type": 1} for path in paths]
        await client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        assert await names(client, 2) == {"first", "late"}
        paths[0].unlink()
        await client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        assert await names(client, 1) == {"first"}


async def test_files_are_watched_where_the_client_can(connected) -> None:
    watching = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    async with connected(watching) as (_, client):
        asked = await client.wait_for(lambda message: message.get("method") == "client/registerCapability")
        [registration] = asked["params"]["registrations"]
        assert registration["method"] == "workspace/didChangeWatchedFiles"
        assert "**/*.judge" in [one["globPattern"] for one in registration["registerOptions"]["watchers"]]
        await client.send({"jsonrpc": "2.0", "id": asked["id"], "result": None})


async def test_opening_many_files_shows_how_far_it_is(connected, tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"m{number}.judge").write_text(f'model m{number} "a/b"\n')
    capabilities = {"window": {"workDoneProgress": True}}
    async with connected(capabilities, rootUri=to_uri(str(tmp_path))) as (_, client):
        asked = await client.wait_for(
            lambda message: message.get("method") == "window/workDoneProgress/create"
        )
        await client.send({"jsonrpc": "2.0", "id": asked["id"], "result": None})
        await client.wait_for(
            lambda m: m.get("method") == "$/progress" and m["params"]["value"]["kind"] == "end"
        )
        assert len(await names(client, 60)) == 60


async def test_a_request_is_not_answered_with_a_later_text(connected) -> None:
    async with connected() as (_, client):
        await client.open(URI, "type A { x: int }\n")
        first = client.asking("textDocument/documentSymbol", DOCUMENT)
        second = client.asking("textDocument/documentSymbol", DOCUMENT)
        await client.send(
            first, changing(URI, 2, replacing((0, 5), (0, 6), "B")), second, telling("$/nothing")
        )
        assert (await client.answer(first["id"]))["result"][0]["name"] == "A"
        assert (await client.answer(second["id"]))["result"][0]["name"] == "B"


async def test_formatting_whole_and_in_part(connected) -> None:
    text = "let a   = 1\n\nlet b   = 2\n"
    options = {"options": {"tabSize": 2, "insertSpaces": True}}
    async with connected() as (_, client):
        await client.open(URI, text)
        assert len(await client.request("textDocument/formatting", {**DOCUMENT, **options})) == 2
        first = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
        [edit] = await client.request("textDocument/rangeFormatting", {**DOCUMENT, **options, "range": first})
        assert edit["range"]["start"]["line"] == 0


async def test_formatting_on_type(connected) -> None:
    options = {"options": {"tabSize": 4, "insertSpaces": True}}
    async with connected() as (_, client):
        await client.open(URI, "agent a {\n\n}\n")
        assert client.offered["documentOnTypeFormattingProvider"]["firstTriggerCharacter"] == "}"
        place = {**DOCUMENT, **options, "position": {"line": 1, "character": 0}, "ch": "\n"}
        [edit] = await client.request("textDocument/onTypeFormatting", place)
        assert (edit["newText"], edit["range"]["start"]) == ("  ", {"line": 1, "character": 0})


async def test_a_key_stroke_does_not_wait_for_a_long_answer(connected) -> None:
    text = "".join(f'model m{number} "a/b"\n' for number in range(4000))
    async with connected() as (_, client):
        await client.open(URI, text)
        since = len(client.received)
        asked = client.asking("textDocument/semanticTokens/full", DOCUMENT)
        await client.send(asked, changing(URI, 2, replacing((0, 0), (0, 0), "#\n")))
        await client.published(URI, 2, since)
        answer = await client.answer(asked["id"])
        assert answer["error"]["code"] == -32801
        assert (await client.request("textDocument/semanticTokens/full", DOCUMENT))["data"]


async def test_a_key_stroke_does_not_wait_for_a_search_of_the_folder(connected, tmp_path: Path) -> None:
    for number in range(40):
        text = "".join(f'model m{number}_{other} "a/b"\n' for other in range(20))
        (tmp_path / f"m{number}.judge").write_text(text)
    async with connected(rootUri=to_uri(str(tmp_path))) as (_, client):
        await names(client, 800)
        await client.open(URI, TEXT)
        since = len(client.received)
        asked = client.asking("workspace/symbol", {"query": ""})
        await client.send(asked)
        await client.send(changing(URI, 2, replacing((0, 0), (0, 0), "#\n")))
        await client.published(URI, 2, since)
        assert not [one for one in client.received[since:] if one.get("id") == asked["id"]]
        assert len((await client.answer(asked["id"]))["result"]) > 800


async def test_a_long_answer_is_given_up_when_it_is_cancelled(connected) -> None:
    text = "".join(f'model m{number} "a/b"\n' for number in range(4000))
    async with connected() as (_, client):
        await client.open(URI, text)
        asked = client.asking("textDocument/documentSymbol", DOCUMENT)
        other = client.asking("textDocument/hover", {**DOCUMENT, "position": {"line": 0, "character": 1}})
        await client.send(asked, other)
        await client.send(telling("$/cancelRequest", {"id": asked["id"]}))
        assert (await client.answer(asked["id"]))["error"]["code"] == -32800


async def test_an_unknown_name_is_imported_from_a_file_of_the_folder(connected, tmp_path: Path) -> None:
    (tmp_path / "models.judge").write_text('model smart "a/b"\n')
    uri = to_uri(str(tmp_path / "main.judge"))
    text = 'agent a { model smart  prompt "x" }\n'
    async with connected(rootUri=to_uri(str(tmp_path))) as (_, client):
        await names(client, 1)
        await client.open(uri, text)
        place = at(text, "smart")
        asked = {"range": {"start": place, "end": place}, "context": {"diagnostics": []}}
        found = await client.request("textDocument/codeAction", {"textDocument": {"uri": uri}, **asked})
        assert found[0]["title"] == 'Import `smart` from "models.judge"'
