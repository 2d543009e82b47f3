"""`judge.wrong-reply`: the judge or the agent gets the shape that fits, as the help shows it."""

from __future__ import annotations

from collections.abc import Iterator

from ....dsl import ast
from ....dsl.diagnostics import Edit
from ....dsl.parse import Item, parse_chunk
from .place import Offer, Place


def wrong_reply(place: Place) -> Iterator[Offer]:
    for line in place.lines:
        head, _ = parse_chunk(f"{line} {{ }}")
        if isinstance(head, ast.Judge) and head.params and head.params[0].shape is not None:
            shape = head.params[0].shape
            wanted = line[shape.start : shape.end]
            title = f"Let `{head.name.text}` judge {wanted}"
            yield from place.offer_in(head.name.text, title, _judging, wanted)
        elif isinstance(head, ast.Agent) and head.shape is not None:
            wanted = line[head.shape.start : head.shape.end]
            title = f"Let `{head.name.text}` answer with {wanted}"
            yield from place.offer_in(head.name.text, title, _answering, wanted)


def _judging(item: Item, shape: str) -> Iterator[Edit]:
    judge = item.node
    if not isinstance(judge, ast.Judge):
        return
    if judge.params is None:
        yield Edit(judge.name.end, judge.name.end, f"(reply: {shape})")
    elif judge.params:
        first = judge.params[0]
        if first.shape is not None:
            yield Edit(first.shape.start, first.shape.end, shape)
        else:
            yield Edit(first.name.end, first.name.end, f": {shape}")


def _answering(item: Item, shape: str) -> Iterator[Edit]:
    agent = item.node
    if not isinstance(agent, ast.Agent):
        return
    if agent.shape is not None:
        yield Edit(agent.shape.start, agent.shape.end, shape)
        return
    end = agent.name.end
    if item.text.startswith("(", end):
        last = agent.params[-1].end if agent.params else end
        end = item.text.index(")", last) + 1
    yield Edit(end, end, f" -> {shape}")
