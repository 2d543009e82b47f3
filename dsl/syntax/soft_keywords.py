"""What a word can be: a keyword, a name, or either, between which the parser decides by what it can take."""

from __future__ import annotations

from .lexer import LINE_END, RESERVED, Vocabulary

_KEYWORD_BEFORE = {
    "approve": ("TEXT",),
    "best": ("of",),
    "compiles": ("TEXT",),
    "equals": ("TEXT",),
    "fails": ("with",),
    "length": ("NUMBER", "NEG", "MINUS", ".."),
    "race": ("{",),
    "regex": ("TEXT",),
    "schema": ("TEXT", "TYPENAME"),
}
"""Words that are a keyword before these only, where a name could stand as well."""
_NAME_BEFORE = {
    "given": ("replies", "decides", "returns", "."),
    "hidden": (":", ",", ")", "="),
    "loop": ("=", "TLP", "."),
    "parallel": ("=", "TLP", "."),
}
"""Words that are a name before these only."""


def readings_of(vocabulary: Vocabulary) -> dict[int, tuple[int, ...]]:
    """By a token's kind, the terminals that it may stand for, the most special first."""
    kinds = vocabulary.kinds
    name, word, environment = kinds["NAME"], kinds["WORD"], kinds["ENVNAME"]
    readings: dict[int, tuple[int, ...]] = {
        kind: (kind, word, environment) if text in RESERVED else (kind, name, word, environment)
        for text, kind in vocabulary.words.items()
    }
    readings[name] = (name, word, environment)
    readings[kinds["TYPENAME"]] = (kinds["TYPENAME"], word, environment)
    readings[kinds["MINUS"]] = (kinds["MINUS"], kinds["NEG"])
    return readings


def looks_of(ids: dict[str, int]) -> dict[int, tuple[bool, frozenset[int]]]:
    """By a keyword: whether it is one, if the next token is one of these."""
    return {
        ids[word]: (is_keyword, frozenset(ids[mark] for mark in marks))
        for is_keyword, words in ((True, _KEYWORD_BEFORE), (False, _NAME_BEFORE))
        for word, marks in words.items()
    }


def breaks_off(literals: dict[str, int], kinds: list[int], index: int, terminal: int) -> bool:
    """Whether a token that ends its line is really a keyword, `=` or `.` whose line must go on."""
    if terminal != kinds[index] % LINE_END:
        return False
    # What stands before the first token is the last one, the end, and none of these.
    if terminal == literals["with"]:
        return kinds[index - 1] not in (literals["starts"], literals["ends"])
    if terminal == literals["not"]:
        return kinds[index + 1] % LINE_END != literals["in"] and kinds[index - 1] != literals["is"]
    if terminal == literals["stop"]:
        return kinds[index - 1] != literals["cascade"]
    return True
