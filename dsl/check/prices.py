"""`model.no-price`: where a cost limit stands, every model that may be called has a price."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from .. import ast
from ..diagnostics import Diagnostic, Label
from ..mentions import quoted_models
from ..prices import list_price
from .base import ModelSurface, Surface
from .document import Document
from .program import Placed

FREE = ("script", "echo", "local")
"""Vendors whose models cost nothing."""


class Unpriced(msgspec.Struct, frozen=True):
    """A model that something asks and that has no price; `declared` is False for a slug in quotes."""

    model: str
    declared: bool


def is_free(slug: str) -> bool:
    return slug.partition("/")[0] in FREE


def _is_name(model: str) -> bool:
    """A name that is not declared is reported as such; a slug in quotes holds more than a name could."""
    return model.isidentifier()


def unpriced(models: Iterable[str], find: Callable[[str], Surface | None]) -> tuple[Unpriced, ...]:
    """Those of the models, and of their fallbacks, whose price is unknown. `models` are names or slugs."""
    found: dict[str, Unpriced] = {}
    waiting = list(models)
    seen: set[str] = set()
    for model in waiting:
        if model in seen:
            continue
        seen.add(model)
        surface = find(model)
        if isinstance(surface, ModelSurface):
            waiting += surface.fallback
            priced = surface.priced or list_price(surface.slug, surface.via) is not None
            if not priced and not (surface.via is None and is_free(surface.slug)):
                found[model] = Unpriced(model, True)
        elif surface is None and not is_free(model) and not _is_name(model) and list_price(model) is None:
            found[model] = Unpriced(model, False)
    return tuple(found.values())


def price_findings(
    own: Document, imported: Sequence[Document], models: Sequence[Unpriced]
) -> Iterator[Placed]:
    """An error for every such model where a cost limit is in sight, else a hint at those that stand here."""
    limit = next((place for document in (own, *imported) if (place := _cost_limit(document, own))), None)
    for model in models:
        at = _place(own, model)
        if at is not None:
            index, node = at
            labels = () if limit is None else (_moved(limit, own.start(index)),)
            yield Placed(index, _diagnostic(model, node, labels, limit is not None))
        elif limit is not None and limit.path is None:
            yield from _at_limit(own, imported, model)


def _diagnostic(model: Unpriced, node: ast.Node, labels: tuple[Label, ...], limited: bool) -> Diagnostic:
    what = f"`{model.model}`" if model.declared else f'"{model.model}"'
    if model.declared:
        help = "Add `price $… in, $… out`: US dollars per million tokens."
    else:
        help = f'Declare it, with its price:\nmodel some_name "{model.model}" {{ price $… in, $… out }}'
    return Diagnostic(
        code="model.no-price",
        severity="error" if limited else "hint",
        message=f"{what} has no price, so a cost limit cannot count what it spends"
        if limited
        else f"{what} has no price, so its cost will be unknown",
        start=node.start,
        end=node.end,
        label="no price",
        labels=labels,
        help=help,
    )


def _place(own: Document, model: Unpriced) -> tuple[int, ast.Node] | None:
    """Where a model is declared in this file, or where its slug first stands in it."""
    if model.declared:
        index = next(own.entries.named(model.model), None)
        name = None if index is None or own.entries[index].broken else own.entries[index].name
        return None if index is None or name is None else (index, name)
    for index in own.entries.quoting(model.model):
        refs = quoted_models(own.entries[index].node)
        return index, next(ref for ref in refs if ref.text == model.model)
    return None


def _cost_limits(document: Document) -> Iterator[tuple[int, ast.Limit]]:
    """The first cost limit of each `limits`, with the place of that among the file's declarations."""
    for index in document.entries.of_kind(ast.LimitsDecl):
        node = document.entries[index].node
        if isinstance(node, ast.LimitsDecl):
            yield from [(index, limit) for limit in node.limits.items if limit.what == "cost"][:1]


def _cost_limit(document: Document, own: Document) -> Label | None:
    for index, limit in _cost_limits(document):
        offset = document.start(index)
        path = None if document is own else document.path
        return Label(limit.start + offset, limit.end + offset, "the limit that needs it", path)
    return None


def _moved(label: Label, offset: int) -> Label:
    return label if label.path is not None else Label(label.start - offset, label.end - offset, label.text)


def _at_limit(own: Document, imported: Sequence[Document], model: Unpriced) -> Iterator[Placed]:
    """A model of an imported file, reported at this file's limit."""
    for index, limit in _cost_limits(own):
        places = [found for document in imported if (found := _label(document, model)) is not None]
        yield Placed(index, _diagnostic(model, limit, tuple(places[:1]), True))
        return


def _label(document: Document, model: Unpriced) -> Label | None:
    place = _place(document, model)
    if place is None:
        return None
    index, node = place
    offset = document.start(index)
    return Label(node.start + offset, node.end + offset, "no price", document.path)
