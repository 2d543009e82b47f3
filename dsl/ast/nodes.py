"""What every node of the tree has."""

from __future__ import annotations

import msgspec


class Node(msgspec.Struct, frozen=True, tag_field="node", gc=False):
    start: int
    end: int


class Ident(Node, tag="ident", frozen=True):
    """A name where it is declared or mentioned, dotted where the language allows it (`browse.open`)."""

    text: str
