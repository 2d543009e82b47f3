"""What every reading agrees on about characters: blanks, words, emphasis, and the pairs that wrap a value."""

from __future__ import annotations

import unicodedata
from typing import Literal

BLANKS = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff\u200b\u2060"
)
"""Unicode White_Space and the three invisible characters that models leave around words. `str.strip()` would differ:
it also takes U+001C to U+001F, and none of the invisible ones."""

LINE_BLANKS = BLANKS.replace("\n", "").replace("\r", "")
EMPHASIS = "*_`"
LABEL_COLONS = ":\uff1a"
HYPHENS = "-\u2010\u2011\u00ad\u200c\u200d"
"""Characters that join two words into one: hyphens, and the invisible joiners that act like one."""
APOSTROPHES = "'\u2019\u02bc\uff07"

Verdict = Literal["pass", "block"]
VERDICT_WORDS: dict[str, Verdict] = {
    "pass": "pass",
    "passed": "pass",
    "ok": "pass",
    "block": "block",
    "blocked": "block",
    "fail": "block",
    "failed": "block",
    "stop": "block",
    "reject": "block",
    "rejected": "block",
    "halt": "block",
}
"""One list for JSON and for markers."""

QUOTE_PAIRS = (
    ('"', '"'),
    ("'", "'"),
    ("\u201c", "\u201d"),
    ("\u2018", "\u2019"),
    ("\u201e", "\u201c"),
    ("\u201e", "\u201d"),
    ("\u201a", "\u2018"),
    ("\u201a", "\u2019"),
    ("\u201d", "\u201d"),
    ("\u2019", "\u2019"),
    ("\u00ab", "\u00bb"),
    ("\u00bb", "\u00ab"),
    ("\u2039", "\u203a"),
    ("\u203a", "\u2039"),
)


def strip_blanks(text: str) -> str:
    return text.strip(BLANKS)


def is_word(char: str) -> bool:
    """Whether a character belongs to a word: a letter, a digit or a mark of any script. `_` is emphasis, not a word."""
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def joins_before(text: str, position: int) -> bool:
    """Whether the word that starts at `position` is only the rest of a longer one: `PRE-VERDICT`, `my_verdict`."""
    return _joined(text, position - 1, -1)


def joins_after(text: str, position: int) -> bool:
    """Whether the word that ends before `position` goes on: `PASSED`, `OK-ish`, `PASS**ED**`."""
    return _joined(text, position, 1)


def _joined(text: str, position: int, step: int) -> bool:
    position = _past_emphasis(text, position, step)
    if not 0 <= position < len(text):
        return False
    if text[position] in HYPHENS or text[position] in APOSTROPHES:
        position = _past_emphasis(text, position + step, step)
        if not 0 <= position < len(text):
            return False
    return is_word(text[position])


def _past_emphasis(text: str, position: int, step: int) -> int:
    while 0 <= position < len(text) and text[position] in EMPHASIS:
        position += step
    return position


def one_line_end(text: str) -> str:
    """The text with every line ended by a line feed alone."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
