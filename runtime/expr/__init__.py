"""Expressions and templates, compiled once to closures and evaluated many times: pure, total and bounded."""

from .compiler import Compiler, Evaluate
from .errors import ExpressionError
from .scope import Scope
from .values import Record, to_json, to_text, type_name

__all__ = ["Compiler", "Evaluate", "ExpressionError", "Record", "Scope", "to_json", "to_text", "type_name"]
