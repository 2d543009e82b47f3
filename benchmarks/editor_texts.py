"""Long files in three languages, each with about as much to check per line."""

from __future__ import annotations

from itertools import count, islice
from typing import NamedTuple

from check_texts import BAML_HEAD, BAML_REST

Place = tuple[int, int]
"""A line and a column, from 0."""


class Typing(NamedTuple):
    """Keys to type at each of some places, from the middle of a file on."""

    what: str
    places: tuple[Place, ...]
    keys: str


class Sample(NamedTuple):
    text: str
    typings: tuple[Typing, ...]
    """The first is in a text, the others are in code."""


JUDGE_HEAD = """\
model small "openai/gpt-6-mini" { price $0.25 in, $2.00 out }
model kimi "moonshotai/kimi-k2.6" { price $1 in, $2 out }
"""
JUDGE = """
type Thing{0} {{
  title: text(1..120) "the title"
  url: text
  pay: int(0..)?
}}

code judge good_{0}(reply: Thing{0}) "It is good" {{
  require len(reply.title) > 3 else "a longer title"
  require reply.url starts with "https://" else "a link"
}}

agent finder_{0} -> Thing{0} "Finds" {{
  model small
  prompt \"\"\"
    Find one thing and only one.
    Say what it is, and where.
    \"\"\"
  judges [good_{0}]
  retries 2
}}

flow run_{0}(task: text) -> text {{
  thing = finder_{0}(task)
  if default(thing.pay, 0) > 10 {{ return thing.title }}
  return "{{{{ thing.url }}}} and {{{{ task }}}}"
}}
"""

PYTHON_HEAD = """\
from __future__ import annotations
import attrs
"""
PYTHON = '''
@attrs.frozen
class Thing{0}:
    """A thing."""
    title: str
    url: str
    pay: int | None = None


def good_{0}(reply: Thing{0}) -> str | None:
    """It is good."""
    if len(reply.title) <= 3:
        return "a longer title"
    if not reply.url.startswith("https://"):
        return "a link"
    return None


def finder_{0}(task: str) -> Thing{0}:
    """
    Find one thing and only one.
    Say what it is, and where.
    """
    return Thing{0}(task, task)


def run_{0}(task: str) -> str:
    thing = finder_{0}(task)
    if (thing.pay or 0) > 10:
        return thing.title
    return f"{{thing.url}} and {{task}}"
'''

BAML = (
    """
class Thing{0} {{
  title string @description("the title")
  url string
  pay int?
  @@assert(pays, {{{{ this.pay > 0 }}}})
}}
"""
    + BAML_REST
)


def judge_sample(lines: int) -> Sample:
    return _sample(
        JUDGE_HEAD, JUDGE, lines, Marks("Find one thing", "  thing = ", "finder_", "agent finder_")
    )


def python_sample(lines: int) -> Sample:
    return _sample(
        PYTHON_HEAD, PYTHON, lines, Marks("    Find one", "    thing = ", "finder_", "def finder_")
    )


def baml_sample(lines: int) -> Sample:
    return _sample(BAML_HEAD, BAML, lines, Marks("    Find one", "  url ", "str", "class Thing"))


class Marks(NamedTuple):
    """What stands where something is typed: in a text, before a name in the code, in that name, and in the name of a
    declaration."""

    text: str
    code: str
    name: str
    declared: str


def _sample(head: str, part: str, lines: int, marks: Marks) -> Sample:
    times = max(1, (lines - head.count("\n")) // part.count("\n"))
    text = head + "".join(part.format(number) for number in islice(count(), times))
    rows = text.split("\n")
    middle = len(rows) // 2

    def behind(wanted: str) -> tuple[Place, ...]:
        found = (number for number in range(middle, len(rows)) if wanted in rows[number])
        return tuple((number, rows[number].index(wanted) + len(wanted)) for number in found)

    def ends(wanted: str) -> tuple[Place, ...]:
        return tuple((line, len(rows[line])) for line, _ in behind(wanted))

    indent = " " * (len(marks.code) - len(marks.code.lstrip()))
    return Sample(
        text,
        (
            Typing("words in a text", ends(marks.text), " some word"),
            Typing("a word in code", behind(marks.code), "abcdefghij"),
            Typing("a name that is none", behind(f"{marks.code}{marks.name}"), "qwxyzjkvqw"),
            Typing("a declared name", behind(marks.declared), "abcdefghij"),
            Typing("a new line", ends(marks.code), f"\n{indent}other = len(task)"),
        ),
    )
