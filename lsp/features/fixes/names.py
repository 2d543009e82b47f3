"""Names that are not known, not used, or have no value at their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....dsl import ast
from ....dsl.diagnostics import Edit
from ....dsl.graph import shown
from ...seen import look
from ..writing import newline_of
from .clauses import listed_twice, missing_tools
from .place import Offer, Place

MOST_FILES = 3
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_QUOTED = re.compile(r'"([^"]+)"')


def unknown_name(place: Place) -> Iterator[Offer]:
    """An import of a file of the workspace that declares it; a declaration to be filled in."""
    name = place.text[place.start : place.end]
    if not _WORD.fullmatch(name):
        return
    homes = [path for path in place.declaring(name) if path != place.analysis.path]
    for path in homes[:MOST_FILES]:
        written = shown(path, place.analysis.path)
        yield Offer(f'Import `{name}` from "{written}"', (_import(place, written),))
    yield from _declared(place, name)


def _import(place: Place, written: str) -> Edit:
    """Below the last import, else below the `workflow`, else at the top."""
    line, newline = f'import "{written}"', newline_of(place.analysis.source.text)
    heads = [item for item in place.analysis.module.items if isinstance(item.node, ast.Import | ast.Workflow)]
    imports = [item for item in heads if isinstance(item.node, ast.Import)]
    if imports or heads:
        last = (imports or heads)[-1]
        end = last.offset + len(last.text)
        return Edit(end, end, f"{newline if imports else newline * 2}{line}")
    return Edit(0, 0, f"{line}{newline}{newline}")


def _declared(place: Place, name: str) -> Iterator[Offer]:
    """What was meant is known from the place: a model, a judge."""
    found = next((found for node in reversed(place.path) if (found := _WANTED.get(type(node)))), None)
    if found is not None:
        kind, body = found
        newline = newline_of(place.analysis.source.text)
        text = f"{body.replace('NAME', name)}\n\n".replace("\n", newline)
        at = place.item.offset
        yield Offer(f"Declare the {kind} `{name}`", (Edit(at, at, text),))


_WANTED: dict[type, tuple[str, str]] = {
    ast.ModelRef: ("model", 'model NAME "vendor/NAME"'),
    ast.Use: ("judge", 'code judge NAME {\n  require len(reply) > 0 else "Say something."\n}'),
}
"""By the node that names it, what is declared and how it begins."""


def unused_name(place: Place) -> Iterator[Offer]:
    """The whole declaration taken out, with its comments and the empty lines after it."""
    text = place.analysis.source.text
    start, end = place.item.offset, place.item.offset + len(place.item.text)
    while text[end : end + 1] in ("\r", "\n", " ", "\t"):
        end += 1
    if end == len(text):
        while start and text[start - 1] in "\r\n":
            start -= 1
        end -= 1 if start else 0
    what = "import" if isinstance(place.node, ast.Import) else f"`{place.text[place.start : place.end]}`"
    yield Offer(f"Remove {'the ' if what == 'import' else ''}{what}", (Edit(start, end, ""),))


def twice(place: Place) -> Iterator[Offer]:
    if place.found.message.endswith("is listed twice"):
        yield from listed_twice(place)


def missing_argument(place: Place) -> Iterator[Offer]:
    """An argument whose name is also that of a value in sight."""
    call = next((one for one in reversed(place.path) if isinstance(one, ast.Call | ast.Use)), None)
    name = next(iter(re.findall(r"needs `(\w+)`", place.found.message)), None)
    if call is None or name is None:
        return
    seen = look(place.node, place.analysis)
    view = seen.view(call)
    if view is None and isinstance(call, ast.Use):
        sight = {param.name.text for param in getattr(place.node, "params", None) or ()}
    else:
        sight = set(view.env.names) if view is not None else set()
    if name not in sight:
        return
    added = f"{name}: {name}"
    if call.args:
        end = call.args[-1].end
        yield place.offer(f"Add `{added}`", Edit(end, end, f", {added}"))
    else:
        callee = call.callee if isinstance(call, ast.Call) else call.name
        yield place.offer(f"Add `{added}`", Edit(callee.end, call.end, f"({added})"))


def judge_arguments(place: Place) -> Iterator[Offer]:
    yield from missing_argument(place)
    yield from missing_tools(place)


def near_import(place: Place) -> Iterator[Offer]:
    meant = _QUOTED.search(place.found.help)
    if place.found.help.startswith("Did you mean") and meant is not None:
        yield place.offer(f"Write {meant[0]}", Edit(place.start, place.end, meant[0]))


def type_case(place: Place) -> Iterator[Offer]:
    """Here and wherever the file names it."""
    words = re.findall(r"`(\w+)`", place.found.message)
    written = place.text[place.start : place.end]
    if len(words) != 2 or words[1] != written:
        return
    yield place.offer(f"Write `{words[0]}`", Edit(place.start, place.end, words[0]))
