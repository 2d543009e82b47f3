"""Constants: a value that stands in the file, made of literals and other constants."""

from __future__ import annotations

from .. import ast
from ..mentions import mentions
from .base import Report, Scope
from .env import Absent, Env
from .expressions import infer


def check_constant(node: ast.Constant, scope: Scope, report: Report) -> None:
    name = node.name.text
    absent = {}
    if name in mentions(node):
        message = f"`{name}` is made of itself"
        absent[name] = Absent("name.unknown", message, "Write its value out.")
    infer(node.value, Env(where="in a constant", absent=absent), scope, report)
