"""Words that are not what they should be: misspelt, reserved, or written like something else."""

from __future__ import annotations

import re

from .. import clauses
from ..declarations import DECLARATIONS
from ..diagnostics import Diagnostic
from ..suggest import closest
from ..syntax.lexer import PRIMITIVES, RESERVED
from .habits import DECLARATIONS as FOREIGN
from .mistake import Mistake, block_name, fix, found, one_of, spelt


def reread(mistake: Mistake) -> Diagnostic | None:
    """The word before was taken for a name, and is a misspelt keyword."""
    if mistake.repair is None or mistake.repair.what not in ("reread", "respell"):
        return None
    start, end = mistake.tokens.span(mistake.index - 1)
    word, meant = mistake.tokens.spelling(mistake.index - 1), mistake.repair.text
    meant = spelt(word, meant)
    in_flow = mistake.place.block in ("flow", "parallel", "switch")
    return mistake.error(
        "syntax.unknown-statement" if in_flow else "clause.unknown",
        f"There is no {'statement' if in_flow else 'clause'} `{word}`",
        span=(start, end),
        help=f"Did you mean `{meant}`?",
        fixes=fix(f"Write `{meant}`", start, end, meant),
    )


_DECLARATION_WORDS = "A declaration begins with a word such as `agent`, `judge`, `type` or `flow`."


def unknown_declaration(mistake: Mistake) -> Diagnostic | None:
    if len(mistake.stack.states) > 1 or mistake.in_template:
        return None
    word, (start, end) = mistake.spelling, mistake.span
    kinds = [known.keyword for known in DECLARATIONS if " " not in known.keyword]
    if mistake.is_a("}"):
        return mistake.error("syntax.unexpected", "This `}` closes nothing", label="no `{` is open here")
    if not mistake.is_word:
        message = f"I expected a declaration here, not {found(mistake)}"
        return mistake.error("syntax.unknown-declaration", message, help=_DECLARATION_WORDS)
    homes = clauses.homes(word)
    if homes:
        message = f"`{word}` belongs inside {one_of(map(block_name, homes))}, so it has to be indented"
        return mistake.error("syntax.unindented", message, label="only declarations start a line")
    meant = closest(word, kinds) if word not in FOREIGN else None
    if meant is None:
        message = f"There is no declaration `{word}`"
        advice = FOREIGN.get(word, _DECLARATION_WORDS)
        return mistake.error("syntax.unknown-declaration", message, help=advice)
    meant = spelt(word, meant)
    return mistake.error(
        "syntax.unknown-declaration",
        f"There is no declaration `{word}`",
        help=f"Did you mean `{meant}`?",
        fixes=fix(f"Write `{meant}`", start, end, meant),
    )


_OTHER_NAMES = {
    "always": "each_time",
    "as": "alias",
    "contains": "includes",
    "each": "every_one",
    "else": "otherwise",
    "ends": "finishes",
    "every": "each_one",
    "expect": "expected",
    "false": "no",
    "for": "purpose",
    "if": "condition_holds",
    "in": "inside",
    "is": "kind",
    "matches": "fits",
    "null": "nothing",
    "return": "result",
    "showing": "shown",
    "some": "any_one",
    "starts": "begins",
    "stop": "halt",
    "switch": "route",
    "then": "next_one",
    "true": "yes",
    "try": "attempt_it",
    "uncertain": "unsure",
    "weight": "share",
    "when": "moment",
    "with": "using",
}


def reserved(mistake: Mistake) -> Diagnostic | None:
    word, repair = mistake.spelling, mistake.repair
    if word not in RESERVED or not mistake.expects("NAME"):
        return None
    if repair is None or repair.what != "replace" or repair.terminal != mistake.grammar.kinds["NAME"]:
        return None
    other = _OTHER_NAMES.get(word, f"{word}_")
    return mistake.error(
        "name.reserved",
        f"`{word}` is a word of the language, so it cannot be a name",
        help=f"Choose another one, such as `{other}`.",
    )


_FOREIGN_SHAPES = {
    "string": "text",
    "str": "text",
    "char": "text",
    "integer": "int",
    "number": "float",
    "double": "float",
    "decimal": "float",
    "boolean": "bool",
    "object": "json",
    "dict": "json",
    "any": "json",
    "map": "json",
}


_NOTHING = {"null", "none", "nil", "void", "undefined"}


def shape_meant(word: str) -> str | None:
    """The shape that a word from another language, or a misspelt one, stands for."""
    return _FOREIGN_SHAPES.get(word.lower()) or closest(word, PRIMITIVES)


def wrong_case(mistake: Mistake) -> Diagnostic | None:
    """A type's name where a value's is wanted, or the reverse."""
    repair, kinds = mistake.repair, mistake.grammar.kinds
    if repair is None or repair.what != "replace" or not mistake.is_word:
        return None
    word, (start, end) = mistake.spelling, mistake.span
    if repair.terminal == kinds["PRIM"]:
        return mistake.error(
            "name.unknown",
            f"There is no shape `{word}`",
            span=(start, end),
            help=f"Did you mean `{repair.text}`?",
            fixes=fix(f"Write `{repair.text}`", start, end, repair.text),
        )
    if repair.terminal == kinds["NAME"]:
        other = snake_case(word)
        message = (
            f"`{word}` is written like a type; values, steps and declarations are written like `{other}`"
        )
    elif repair.terminal == kinds["TYPENAME"] and word.lower() in _NOTHING:
        return mistake.error(
            "name.unknown",
            f"There is no shape `{word}`",
            help="What may be absent or `null` has a `?` behind its shape, such as `text?`.",
        )
    elif repair.terminal == kinds["TYPENAME"]:
        other = pascal_case(word)
        message = f"A type's name begins with a capital letter: `{other}`, not `{word}`"
    else:
        return None
    return mistake.error("syntax.name-case", message, help=f"Write `{other}` here and wherever it is used.")


def snake_case(word: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", word).lower()


def pascal_case(word: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in word.split("_"))
