"""What this client can take, read once from what it says when it connects."""

from __future__ import annotations

from collections.abc import Sequence
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
    indents_snippets: bool = False
    """Indents the lines of what is inserted like the line that it is inserted into."""
    markdown_hover: bool = False
    markdown_items: bool = False
    """Shows Markdown in hovers, and in what documents a completion."""
    link_tooltips: bool = False
    hierarchy: bool = False
    """Takes document symbols as a tree."""
    edits_with_versions: bool = False
    """Takes edits for a given version of a text."""
    watches: bool = False
    """Watches files when asked to."""
    progress: bool = False
    """Shows how far long work is."""
    pull: bool = False
    """Wants to ask for diagnostics instead of being sent them (`initializationOptions.diagnostics =
    "pull"`): an editor that is offered both shows every finding twice."""
    parent: int | None = None
    """The process that started this server, where it says so."""
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
        indents_snippets=types.InsertTextMode.AdjustIndentation
        in _values(params, "completion.completion_item.insert_text_mode_support.value_set"),
        markdown_hover=types.MarkupKind.Markdown in _values(params, "hover.content_format"),
        markdown_items=types.MarkupKind.Markdown
        in _values(params, "completion.completion_item.documentation_format"),
        link_tooltips=can("text_document.document_link.tooltip_support"),
        hierarchy=can("text_document.document_symbol.hierarchical_document_symbol_support"),
        edits_with_versions=can("workspace.workspace_edit.document_changes"),
        watches=can("workspace.did_change_watched_files.dynamic_registration"),
        progress=can("window.work_done_progress"),
        pull=isinstance(options, dict) and options.get("diagnostics") == "pull",
        parent=params.process_id,
        roots=tuple(map(to_path, roots)) or ((params.root_path,) if params.root_path else ()),
    )


def _values(params: types.InitializeParams, capability: str) -> Sequence[object]:
    return get_capability(params.capabilities, f"text_document.{capability}") or ()
