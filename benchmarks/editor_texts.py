"""Long files in three languages, each with about as much to check per line."""

from __future__ import annotations

from itertools import count, islice
from typing import NamedTuple

from check_texts import BAML_HEAD, BAML_REST

Place = tuple[int, int]
"""A line and a column, from 0."""


class Sample(NamedTuple):
    """A file and where to type, from its middle on: `prose` are places in texts, `code` in the code; at `unknown` a
    name can be misspelt, inside the name."""

    text: str
    prose: tuple[Place, ...]
    code: tuple[Place, ...]
    unknown: tuple[Place, ...]


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
    return _sample(JUDGE_HEAD, JUDGE, lines, "Find one thing", "  thing = ", "  thing = finder_")


def python_sample(lines: int) -> Sample:
    return _sample(PYTHON_HEAD, PYTHON, lines, "    Find one", "    thing = ", "    thing = finder_")


def baml_sample(lines: int) -> Sample:
    return _sample(BAML_HEAD, BAML, lines, "    Find one", "  url string", "(thing: Thing")


def _sample(head: str, part: str, lines: int, prose: str, code: str, name: str) -> Sample:
    times = max(1, (lines - head.count("\n")) // part.count("\n"))
    text = head + "".join(part.format(number) for number in islice(count(), times))
    rows = text.split("\n")
    middle = len(rows) // 2

    def places(wanted: str, *, behind: bool) -> tuple[Place, ...]:
        return tuple(
            (number, rows[number].index(wanted) + len(wanted) if behind else len(rows[number]))
            for number in range(middle, len(rows))
            if wanted in rows[number]
        )

    return Sample(text, places(prose, behind=False), places(code, behind=True), places(name, behind=True))
