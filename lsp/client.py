"""What this client can take, read once from what it says when it connects."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import attrs
from lsprotocol import types
from pygls.capabilities import get_capability

from .positions import Encoding, choose_encoding
from .uris import to_path, to_uri

PAGES = Path(__file__).parent.parent / "dsl" / "explain"
"""A page for each diagnostic code, part of the package: opening one needs no network."""


@attrs.frozen
class Client:
    encoding: Encoding = "utf-16"
    related: bool = False
    """Shows the other places that a diagnostic names."""
    tags: bool = False
    """Fades what is unnecessary."""
    pages: bool = False
    """Links a diagnostic's code to its page."""
    snippets: bool = False
    """Inserts completions with places to fill in."""
    hierarchy: bool = False
    """Takes document symbols as a tree."""
    edits_with_versions: bool = False
    """Takes edits for a given version of a text."""
    watches: bool = False
    """Watches files when asked to."""
    progress: bool = False
    """Shows how far long work is."""
    configuration: bool = False
    pull: bool = False
    """Wants to ask for diagnostics instead of being sent them (`initializationOptions.diagnostics =
    "pull"`): an editor that is offered both shows every finding twice."""
    roots: tuple[str, ...] = ()
    """Paths of the workspace's folders."""

    def page(self, code: str) -> str | None:
        """The URI of a code's page."""
        return _page(code) if self.pages else None


@cache
def _page(code: str) -> str | None:
    path = PAGES / f"{code}.md"
    return to_uri(str(path)) if path.is_file() else None


def read_client(params: types.InitializeParams) -> Client:
    def can(capability: str) -> bool:
        return bool(get_capability(params.capabilities, capability))

    general = params.capabilities.general
    options = params.initialization_options
    folders = params.workspace_folders or ()
    roots = [folder.uri for folder in folders] or [uri for uri in (params.root_uri,) if uri]
    return Client(
        encoding=choose_encoding(general.position_encodings if general else None),
        related=can("text_document.publish_diagnostics.related_information"),
        tags=can("text_document.publish_diagnostics.tag_support"),
        pages=can("text_document.publish_diagnostics.code_description_support"),
        snippets=can("text_document.completion.completion_item.snippet_support"),
        hierarchy=can("text_document.document_symbol.hierarchical_document_symbol_support"),
        edits_with_versions=can("workspace.workspace_edit.document_changes"),
        watches=can("workspace.did_change_watched_files.dynamic_registration"),
        progress=can("window.work_done_progress"),
        configuration=can("workspace.configuration"),
        pull=isinstance(options, dict) and options.get("diagnostics") == "pull",
        roots=tuple(map(to_path, roots)) or ((params.root_path,) if params.root_path else ()),
    )
