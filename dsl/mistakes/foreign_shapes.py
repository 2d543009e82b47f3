"""Lists, options and what may be absent, as the types of other languages write them."""

from __future__ import annotations

import re

from ..diagnostics import Diagnostic
from ..syntax.lexer import PRIMITIVES
from .mistake import Mistake, fix
from .name_errors import shape_meant

_LISTS = frozenset({"list", "array", "sequence", "set", "tuple", "vector", "iterable"})
_ABSENT = frozenset({"optional", "maybe", "option", "nullable"})
_TEXTS = frozenset({"enum", "literal", "union", "oneof", "one_of"})
_WORDS = _LISTS | _ABSENT | _TEXTS
_OF = re.compile(
    r"(?P<outer>\w+)[ \t]*(?:<(?P<a>[^<>\r\n]*)>|\[(?P<b>[^\[\]\r\n]*)\]|\((?P<c>[^()\r\n]*)\)|of[ \t]+(?P<d>\w+))"
)
_ITEMS = re.compile(r"\[[ \t]*(?P<inner>\w+)[ \t]*\]")
_TEXT_LIST = re.compile(r'"[^"]*"(?:[ \t]*,[ \t]*"[^"]*")*')


def foreign_shape(mistake: Mistake) -> Diagnostic | None:
    """`list<text>`, `List[str]`, `[text]`, `list of text`, `Optional[text]`, `enum("a", "b")`, or `list` alone."""
    start = _beginning(mistake)
    if start is None:
        return None
    text = mistake.tokens.text
    items, whole = _ITEMS.match(text, start), _OF.match(text, start)
    if items is not None:
        return _complaint(mistake, "A list", (start, items.end()), f"{_shape(items['inner'])}[]")
    if whole is not None and whole["outer"].lower() in _WORDS:
        inner = next(found for found in (whole["a"], whole["b"], whole["c"], whole["d"]) if found is not None)
        return _of(mistake, whole["outer"].lower(), inner.strip(), (start, whole.end()))
    if mistake.is_word and mistake.spelling in _LISTS:
        return _complaint(mistake, "A list", mistake.span, "text[]", certain=False)
    return None


def _beginning(mistake: Mistake) -> int | None:
    """Where the shape begins: here, or with the word before, which was taken for a type's name."""
    if mistake.expects("PRIM"):
        return mistake.span[0]
    if mistake.index and mistake.spelling in ("[", "<", "("):
        before = mistake.tokens.span(mistake.index - 1)
        if mistake.tokens.text[slice(*before)].lower() in _WORDS:
            return before[0]
    return None


def _of(mistake: Mistake, outer: str, inner: str, span: tuple[int, int]) -> Diagnostic | None:
    if outer in _TEXTS:
        if _TEXT_LIST.fullmatch(inner) is None:
            return None
        options = re.sub(r'"[ \t]*,[ \t]*"', '" | "', inner)
        return _complaint(mistake, "A choice of texts", span, options)
    if not inner.isidentifier():
        return None
    mark, what = ("[]", "A list") if outer in _LISTS else ("?", "What may be absent")
    return _complaint(mistake, what, span, f"{_shape(inner)}{mark}")


def _shape(word: str) -> str:
    """The shape that a word stands for, in this language or in another."""
    return word if word in PRIMITIVES or word[0].isupper() else shape_meant(word) or word


def _complaint(
    mistake: Mistake, what: str, span: tuple[int, int], shape: str, *, certain: bool = True
) -> Diagnostic:
    example = shape if certain else f"{shape}` or `Job[]"
    return mistake.error(
        "syntax.unexpected",
        f"{what} is written `{example}`",
        span=span,
        help="" if certain else "What is in the list stands before the `[]`.",
        fixes=fix(f"Write `{shape}`", *span, shape) if certain else (),
    )
