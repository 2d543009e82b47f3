"""Cases, options and branches that are missing, or never reached."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ....dsl import ast
from ....dsl.check.base import CallableSurface
from ....dsl.diagnostics import Edit
from ....dsl.parse import Item
from ....dsl.shapes import Text
from ...tree import walk
from ..writing import before_line, closing_brace, into_block, without
from .place import Offer, Place

_ELSE = re.compile(r"\b(else)[ \t\r\n]+\Z")
_VERB = re.compile(r"[ \t]+(replies|decides|returns)\b")


def missing_cases(place: Place) -> Iterator[Offer]:
    """Every case that is missing, empty, as the help shows them."""
    switch = place.inside(ast.Switch)
    block = switch if switch is not None else place.node
    brace = closing_brace(place.text, block)
    lines = [line for line in place.lines if line.startswith("case ")]
    if brace is None or not lines:
        return
    if switch is not None and switch.uncertain is not None:
        brace = None
        edit = before_line(place.text, switch.uncertain.start, lines)
    else:
        edit = into_block(place.text, brace, lines)
    title = f"Add `{lines[0]}`" if len(lines) == 1 else f"Add the {len(lines)} missing cases"
    yield place.offer(title, edit)


def extra_case(place: Place) -> Iterator[Offer]:
    """A case that never applies, removed; or, of a choice, made an option."""
    case = next((one for one in reversed(place.path) if isinstance(one, ast.SwitchCase | ast.Case)), None)
    if case is None:
        return
    label = case.label.text if isinstance(case, ast.SwitchCase) else case.type.text
    yield place.offer(f"Remove the case `{label}`", without(place.text, case.start, case.end))
    switch = place.inside(ast.Switch)
    asked = switch.subject if switch is not None else None
    if (
        isinstance(case, ast.SwitchCase)
        and isinstance(asked, ast.Call)
        and "already" not in place.found.message
    ):
        choice = place.analysis.surface(asked.callee.text)
        if isinstance(choice, CallableSurface) and choice.kind == "choice" and label not in choice.options:
            title = f"Add the option `{label}` to `{choice.name}`"
            yield from place.offer_in(choice.name, title, _with_option, label)


def _with_option(item: Item, label: str) -> Iterator[Edit]:
    for node in walk(item.node) if item.node is not None else ():
        if isinstance(node, ast.Options):
            brace = closing_brace(item.text, node)
            if brace is not None:
                yield into_block(item.text, brace, [label])


def no_uncertain(place: Place) -> Iterator[Offer]:
    """An empty `uncertain` where a decision is the whole condition."""
    branch = place.inside(ast.If, ast.Switch)
    if isinstance(branch, ast.If) and branch.condition.start == place.start:
        end = branch.then.end
        yield place.offer("Add `uncertain { }`", Edit(end, end, " uncertain { }"))
    elif isinstance(branch, ast.Switch) and branch.subject.start == place.start:
        brace = closing_brace(place.text, branch)
        if brace is not None:
            yield place.offer("Add `uncertain { }`", into_block(place.text, brace, ["uncertain { }"]))


def never_uncertain(place: Place) -> Iterator[Offer]:
    """A bar that an answer can miss, or no branch for those that do."""
    branch = next((one for one in reversed(place.path) if isinstance(one, ast.Uncertain)), None)
    if branch is None:
        return
    asks = "has no confidence" in place.found.message
    if asks:
        yield place.offer("Write `uncertain below 0.8`", Edit(place.end, place.end, " below 0.8"))
        name = place.found.message.split("`")[1]
        title = f"Add `confidence at least 0.8` to `{name}`"
        yield from place.offer_in(name, title, _with_confidence)
    yield place.offer("Remove the branch", without(place.text, branch.start, branch.end))


def _with_confidence(item: Item, _: str) -> Iterator[Edit]:
    brace = closing_brace(item.text, item.node) if item.node is not None else None
    if brace is not None:
        yield into_block(item.text, brace, ["confidence at least 0.8"])


def unreachable(place: Place) -> Iterator[Offer]:
    """A statement, or a branch with the `else` before it."""
    word = _ELSE.search(place.text, 0, place.start)
    start = word.start(1) if word else place.start
    yield place.offer("Remove what never runs", without(place.text, start, place.end))


def unscripted(place: Place) -> Iterator[Offer]:
    """A line of script for what a test asks without one, with an answer that it may give."""
    brace = closing_brace(place.text, place.node)
    if not isinstance(place.node, ast.Test) or brace is None:
        return
    named = place.found.message.split("`")[1::2]
    wanted = named[:1] if place.found.severity == "error" else list(_with_judges(named, place))
    lines = [line for name in wanted if (line := _script(name, place))]
    if not lines:
        return
    title = f"Script `{wanted[0]}`" if len(lines) == 1 else f"Script all {len(lines)}"
    expect = next(iter(place.node.expects), None)
    if expect is not None and expect.start > place.start:
        edit = before_line(place.text, expect.start, lines)
    else:
        edit = into_block(place.text, brace, lines)
    yield place.offer(title, edit)


def _with_judges(names: Iterable[str], place: Place) -> Iterator[str]:
    """The names, each agent's judges behind it."""
    assert isinstance(place.node, ast.Test)
    told = {script.name.text for script in place.node.scripts}
    for name in names:
        surface = place.analysis.surface(name)
        judges = surface.judges if isinstance(surface, CallableSurface) else ()
        for one in (name, *judges):
            if one not in told:
                told.add(one)
                yield one


def wrong_verb(place: Place) -> Iterator[Offer]:
    """`decides` where a judge replies."""
    script = place.at(place.start, ast.Script)
    verb = _VERB.match(place.text, script.name.end) if script is not None else None
    wanted = place.found.help.removesuffix(" …").rpartition(" ")[2]
    if verb is not None and place.found.help.endswith(" …") and verb[1] != wanted:
        yield place.offer(f"Write `{wanted}`", Edit(verb.start(1), verb.end(1), wanted))


def _script(name: str, place: Place) -> str | None:
    found = place.analysis.surface(name)
    if not isinstance(found, CallableSurface):
        return None
    match found.kind, found.form:
        case "judge", "ask":
            return f'{name} replies "PASS"'
        case "judge", "rate":
            return f'{name} replies "0.9"'
        case "condition", _:
            return f"{name} decides 0.9"
        case "choice" | "scale", _ if found.options:
            return f'{name} decides "{found.options[0]}"'
        case "agent", _ if isinstance(found.result, Text):
            return f'{name} replies "…"'
    return None


def remove_script(place: Place) -> Iterator[Offer]:
    script = place.at(place.start, ast.Script)
    if script is not None:
        title = f"Remove the line for `{script.name.text}`"
        yield place.offer(title, without(place.text, script.start, script.end))
