"""Models and providers."""

from __future__ import annotations

from .. import ast
from ..suggest import closest
from .base import ModelSurface, NamedSurface, Related, Report, Scope
from .builtins import APIS, MODEL_KINDS, PROVIDERS
from .clauses import check_clauses
from .model_refs import check_model_ref
from .names import a, kind_of, listed, nearest, replace_fix, ticked
from .texts import check_plain, is_blank


def check_model(node: ast.Model, scope: Scope, report: Report) -> None:
    clauses = check_clauses("model", node.name, node.clauses, report)
    check_plain(node.slug, "a model's slug", report)
    if is_blank(node.slug):
        report.add(
            "clause.missing",
            node.slug,
            f"`{node.name.text}` names no model: its slug is blank",
            label="blank",
            help=f'model {node.name.text} "vendor/name"',
        )
    if node.via is not None:
        _check_via(node.via, scope, report)
    kind = clauses.get("kind")
    if kind is not None and isinstance(kind.value, ast.Ident):
        check_word(kind.value, MODEL_KINDS, "kind of model", "value.range", report)
    fallback = clauses.get("fallback")
    if fallback is not None and isinstance(fallback.value, ast.Models):
        decides = kind is not None and isinstance(kind.value, ast.Ident) and kind.value.text == "decision"
        _check_fallback(node, fallback.value, "decision" if decides else "chat", scope, report)


def check_provider(node: ast.Provider, scope: Scope, report: Report) -> None:
    clauses = check_clauses("provider", node.name, node.clauses, report)
    api = clauses.get("api")
    if api is not None and isinstance(api.value, ast.Ident):
        check_word(api.value, APIS, "interface", "model.unknown-provider", report)
    url = clauses.get("url")
    if url is not None and isinstance(url.value, ast.Text):
        _check_url(url.value, report)
    headers = clauses.get("headers")
    if headers is not None and isinstance(headers.value, ast.Headers):
        _check_headers(headers.value, report)


def check_word(word: ast.Ident, legal: tuple[str, ...], what: str, code: str, report: Report) -> None:
    """A word out of a closed list."""
    if word.text in legal:
        return
    guess = closest(word.text, legal)
    report.add(
        code,
        word,
        f"There is no {what} `{word.text}`",
        label=f"one of {listed(legal, 'or')}",
        help=f"Did you mean `{guess}`?" if guess else f"Write one of {listed(ticked(legal), 'or')}.",
        fixes=(replace_fix(word, guess),) if guess else (),
    )


def _check_via(via: ast.Ident, scope: Scope, report: Report) -> None:
    found = scope.find(via.text)
    if (isinstance(found, NamedSurface) and found.kind == "provider") or via.text in PROVIDERS:
        return
    guess = nearest(via.text, scope, frozenset({"provider"}), PROVIDERS)
    declare = f'provider {via.text} {{ api openai  url "https://…/v1"  key env {via.text.upper()}_API_KEY }}'
    report.add(
        "model.unknown-provider",
        via,
        f"There is no provider `{via.text}`"
        if found is None
        else f"`{via.text}` is {a(kind_of(found))}, not a provider",
        label="not declared" if found is None else "not a provider",
        related=() if found is None else (Related(via.text, "declared here"),),
        help=f"Did you mean `{guess}`?" if guess and found is None else f"Declare it:\n{declare}",
        fixes=(replace_fix(via, guess),) if guess and found is None else (),
    )


def _check_fallback(node: ast.Model, models: ast.Models, kind: str, scope: Scope, report: Report) -> None:
    seen: set[str] = set()
    for ref in models.items:
        if ref.text in seen or (not ref.quoted and ref.text == node.name.text):
            again = "twice" if ref.text in seen else "on itself"
            report.add(
                "name.duplicate",
                ref,
                f"`{node.name.text}` falls back {again}{f' on `{ref.text}`' if again == 'twice' else ''}",
                label="would fail the same way",
                help="Remove it.",
            )
            continue
        seen.add(ref.text)
        found = check_model_ref(ref, scope, report)
        if found is not None and found.kind != kind:
            _report_other_kind(node, ref, found, kind, report)


def _report_other_kind(
    node: ast.Model, ref: ast.ModelRef, found: ModelSurface, kind: str, report: Report
) -> None:
    quoted = " (a slug in quotes is one)" if ref.quoted else ""
    report.add(
        "model.wrong-kind",
        ref,
        f"`{node.name.text}` is a {kind} model and cannot fall back on {ref.text}, "
        f"a {found.kind} model{quoted}",
        label=f"a {found.kind} model",
        related=() if ref.quoted else (Related(ref.text, "declared here"),),
        help=f"Name a {kind} model, or say `kind` on both.",
    )


def _check_url(url: ast.Text, report: Report) -> None:
    plain = check_plain(url, "a URL", report)
    if plain is not None and not plain.startswith(("http://", "https://")):
        report.add(
            "value.range",
            url,
            "A URL starts with http:// or https://",
            label="which of the two?",
            help=f'url "https://{plain.strip().removeprefix("//") or "host/v1"}"',
        )


def _check_headers(headers: ast.Headers, report: Report) -> None:
    seen: set[str] = set()
    for header in headers.items:
        if isinstance(header.value, ast.Text):
            check_plain(header.value, "a header", report)
        if header.name.lower() in seen:
            message = f"The header `{header.name}` stands twice"
            report.add("name.duplicate", header, message, label="again", help="Remove one of the two.")
        seen.add(header.name.lower())
