"""HTML whose texts cannot break out: a plain text is escaped wherever it is put, and only elements are markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_EMPTY = frozenset(("meta", "input", "br"))


class Markup(str):
    """A piece of HTML that may stand as it is. Made by `element` and `joined` alone."""

    __slots__ = ()


NOTHING = Markup("")
Child = Markup | str | None


def element(tag: str, /, *children: Child, **attributes: str | bool | None) -> Markup:
    """`<tag …>children</tag>`. Attributes: `class_` is `class`, `True` stands without a value, None is left out."""
    given = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escaped(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if tag in _EMPTY:
        return Markup(f"<{tag}{given}>")
    return Markup(f"<{tag}{given}>{joined(children)}</{tag}>")


def joined(children: Iterable[Child]) -> Markup:
    """Children in their order, plain texts escaped."""
    return Markup(
        "".join(
            child if isinstance(child, Markup) else escaped(child) for child in children if child is not None
        )
    )


def escaped(text: str) -> str:
    """A text in which nothing is markup; characters that HTML cannot hold become U+FFFD."""
    return html.escape(_UNSHOWN.sub("\ufffd", text))


def document(title: str, style: str, *body: Child) -> str:
    """A whole page. It fetches nothing and runs nothing, and says so to the browser."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        Markup(f"<style>{style}</style>"),
    )
    return f"<!doctype html>\n{element('html', head, element('body', *body), lang='en')}\n"
