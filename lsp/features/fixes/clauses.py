"""Clauses that are missing, too many, or in the wrong place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....dsl import ast
from ....dsl.diagnostics import Edit
from ..writing import before_line, closing_brace, into_block, without, without_item
from .models import declared_models
from .place import Offer, Place

_WEIGHT = re.compile(r"[ \t]*\bweight[ \t]+\Z")
_UNREADABLE = re.compile(r"unreadable[ \t]+\w+")
_QUOTED = re.compile(r"`([^`]+)`")


def duplicate_clause(place: Place) -> Iterator[Offer]:
    yield from _one_of_two(place, ast.Clause, ast.Script)


def misplaced_clause(place: Place) -> Iterator[Offer]:
    if place.found.labels:
        yield from _one_of_two(place, ast.Clause)
    else:
        yield from remove_clause(place)


def _one_of_two(place: Place, *kinds: type[ast.Clause] | type[ast.Script]) -> Iterator[Offer]:
    """Keep the second of two, or the first."""
    words = place.text[place.start : place.end].split(maxsplit=1)[0]
    starts = [place.start, *(label.start - place.item.offset for label in place.found.labels[:1])]
    for start in starts:
        clause = place.at(start, *kinds)
        if clause is not None:
            written = place.text[start : start + len(words)] or words
            which = "this" if start == place.start else "the other"
            noun = f"`{written}`" if written != words or len(starts) == 1 else f"{which} `{written}`"
            yield place.offer(f"Remove {noun}", without(place.text, clause.start, clause.end))


def remove_clause(place: Place) -> Iterator[Offer]:
    clause = place.at(place.start, ast.Clause)
    if clause is not None:
        yield place.offer(f"Remove `{clause.keyword}`", without(place.text, clause.start, clause.end))


def missing_clause(place: Place) -> Iterator[Offer]:
    """What the help shows, with the models that are declared in the place of its example's."""
    brace = _block_end(place)
    if brace is None:
        return
    one_of = place.found.help.startswith("Add one of")
    lines = [line for line in place.lines if line and "…" not in line]
    for choice in [[line] for line in lines] if one_of else [lines]:
        for added in _with_models(place, choice):
            title = "Add " + " and ".join(f"`{line}`" for line in added)
            yield place.offer(title, into_block(place.text, brace, added))


def _with_models(place: Place, lines: list[str]) -> Iterator[list[str]]:
    if not any(line.startswith("model ") for line in lines):
        if lines:
            yield lines
        return
    kind = "decision" if isinstance(place.node, ast.Decision) else "chat"
    for model in declared_models(place, kind):
        yield [f"model {model}" if line.startswith("model ") else line for line in lines]


def _block_end(place: Place) -> int | None:
    block = place.inside(ast.Override) or place.node
    return closing_brace(place.text, block)


def no_model(place: Place) -> Iterator[Offer]:
    """A judge that needs a model: one of another vendor than its agents' comes first."""
    brace = closing_brace(place.text, place.node)
    ref = place.at(place.start, ast.ModelRef)
    decides = any(
        isinstance(clause, ast.Clause) and clause.keyword == "decide"
        for clause in getattr(place.node, "clauses", ())
    )
    if place.found.fixes:
        return
    for model in declared_models(place, "decision" if decides else "chat", judge=place.node):
        if ref is not None:
            yield place.offer(f"Use `{model}`", Edit(ref.start, ref.end, model))
        elif brace is not None:
            edit = into_block(place.text, brace, [f"model {model}"])
            yield place.offer(f"Add `model {model}`", edit)


def unreadable(place: Place) -> Iterator[Offer]:
    brace = closing_brace(place.text, place.node)
    for word in ("block", "pass") if brace is not None else ():
        line = f"unreadable {word}"
        yield place.offer(f"Add `{line}`", into_block(place.text, brace or 0, [line]))


def add_shown_line(place: Place) -> Iterator[Offer]:
    """The line that the help shows."""
    brace = closing_brace(place.text, place.node)
    lines = [line for line in place.lines if line and "…" not in line]
    if brace is not None and lines:
        yield place.offer(f"Add `{lines[0]}`", into_block(place.text, brace, lines[:1]))


def fails_open(place: Place) -> Iterator[Offer]:
    """A rating that would pass unread: see the four ways in `explain judge.fail-open`."""
    brace = closing_brace(place.text, place.node)
    call = place.at(place.start, ast.Call)
    if call is not None and call.callee.text == "default" and call.args:
        rated = place.written(call.args[0].value)
        yield place.offer(f"Write `{rated}` alone", Edit(call.start, call.end, rated))
    elif place.found.help.startswith("Add a bar") and brace is not None:
        rule = 'require score >= 0.7 else "The score is below 0.7."'
        yield place.offer(f"Add `{rule}`", into_block(place.text, brace, [rule]))
    elif place.text.startswith("unreadable", place.start):
        word = _UNREADABLE.match(place.text, place.start)
        end = word.end() if word else place.end
        if isinstance(place.node, ast.Gate):
            yield place.offer("Write `unreadable block`", Edit(place.start, end, "unreadable block"))
        yield place.offer("Remove `unreadable pass`", without(place.text, place.start, end))


def gate_weights(place: Place) -> Iterator[Offer]:
    """A weight to each that has none; or, where weights count for nothing, a bar, or no weights."""
    brace = closing_brace(place.text, place.node)
    labels = [
        (label.start - place.item.offset, label.end - place.item.offset) for label in place.found.labels
    ]
    if place.found.label == "no weight":
        ends = [place.end, *(end for (_, end), label in _labelled(place) if "no weight" in label)]
        yield place.offer("Add `weight 0.2`", *(Edit(end, end, " weight 0.2") for end in ends))
    elif place.found.label == "has no effect":
        if brace is not None:
            line = "combine weighted at least 0.7"
            yield place.offer(f"Add `{line}`", into_block(place.text, brace, [line]))
        spans = [(place.start, place.end), *labels]
        yield place.offer("Remove the weights", *(_without_weight(place.text, *span) for span in spans))
    else:
        yield place.offer("Write `0.2`", Edit(place.start, place.end, "0.2"))


def _labelled(place: Place) -> Iterator[tuple[tuple[int, int], str]]:
    for label in place.found.labels:
        yield (label.start - place.item.offset, label.end - place.item.offset), label.text


def _without_weight(text: str, start: int, end: int) -> Edit:
    match = _WEIGHT.search(text, 0, start)
    return Edit(match.start() if match else start, end, "")


def jury(place: Place) -> Iterator[Offer]:
    """One model is no jury, none is one twice, and an even one may be divided."""
    models = place.inside(ast.Models)
    if models is None:
        yield from remove_clause(place)
    elif place.start > models.start:
        yield from listed_twice(place)
    elif len(models.items) == 1 or not place.found.message.startswith(str(len(models.items))):
        for model in models.items:
            written = place.written(model)
            yield place.offer(f"Use {written} alone", Edit(models.start, models.end, written))
    else:
        yield place.offer("Add `agree all`", Edit(models.end, models.end, "  agree all"))


def listed_twice(place: Place) -> Iterator[Offer]:
    """An item of a list that should not be in it."""
    within = place.inside(ast.Uses, ast.Names, ast.Models, ast.Texts)
    use = place.at(place.start, ast.Use)
    if within is not None and within is not place.node:
        end = use.end if use is not None else place.end
        title = f"Remove `{place.text[place.start : end]}`"
        yield place.offer(title, without_item(place.text, place.start, end))


def option_twice(place: Place) -> Iterator[Offer]:
    if not place.found.labels:
        return
    option = place.at(place.start, ast.Option)
    if option is not None:
        title = f"Remove this `{option.name.text}`"
        yield place.offer(title, without(place.text, option.start, option.end))
    else:
        yield from listed_twice(place)


def missing_tools(place: Place) -> Iterator[Offer]:
    """The tools whose calls a judge reads, given to the agent."""
    shown = next((found for found in _QUOTED.findall(place.found.help) if found.startswith("tools [")), None)
    if shown is None or not isinstance(place.node, ast.Agent):
        return
    clause = next((one for one in place.node.clauses if one.keyword == "tools"), None)
    brace = closing_brace(place.text, place.node)
    if clause is not None:
        yield place.offer(f"Write `{shown}`", Edit(clause.start, clause.end, shown))
    elif brace is not None:
        judges = next((one for one in place.node.clauses if one.keyword == "judges"), None)
        edit = (
            before_line(place.text, judges.start, [shown])
            if judges is not None
            else into_block(place.text, brace, [shown])
        )
        yield place.offer(f"Add `{shown}`", edit)
