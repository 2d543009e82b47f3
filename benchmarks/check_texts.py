"""Files for `check.py`, in two languages, declaration for declaration: a type that refers to the one before, what
judges or sorts it, a model's prompt, and a test. `plain` leaves out the references and the tests."""

from __future__ import annotations

JUDGE_HEAD = """\
model small "openai/gpt-6-mini" { price $0.25 in, $2.00 out }
"""
JUDGE_TYPE = """
type Thing{0} {{
  title: text(1..120) "the title"
  url:   text
  pay:   int(0..)?
  {2}
}}
"""
JUDGE_REST = """
code judge good_{0}(reply: Thing{0}) "It is good" {{
  require len(reply.title) > 3              else "a longer title"
  require reply.url starts with "https://"  else "a link"
}}

agent finder_{0}(task: text) -> Thing{0} "Finds" {{
  model  small
  prompt \"\"\"
    Find one thing and only one.
    Say what it is, and where.
    {{{{ task }}}}
    \"\"\"
  judges [good_{0}]
}}

flow run_{0}(task: text) -> text {{
  thing = finder_{0}(task)
  return "{{{{ thing.title }}}}: {{{{ thing.url }}}}"
}}
"""
JUDGE_TEST = """
test "finds {0}" for run_{0} {{
  given {{ task: "one" }}
  finder_{0} replies {{ title: "A thing", url: "https://example.org" }}
  expect result contains "https"
}}
"""

BAML_HEAD = """\
client<llm> Small {
  provider openai
  options {
    model "gpt-6-mini"
    api_key env.OPENAI_API_KEY
  }
}
"""
BAML_TYPE = """
class Thing{0} {{
  title string @description("the title") @assert(long, {{{{ this|length > 3 }}}})
  url string
  pay int?
  {2}
}}
"""
BAML_REST = """
enum Kind{0} {{
  Good
  Bad
}}

function Finder{0}(task: string) -> Thing{0} {{
  client Small
  prompt #"
    Find one thing and only one.
    Say what it is, and where.
    {{{{ task }}}}
    {{{{ ctx.output_format }}}}
  "#
}}

function Rate{0}(thing: Thing{0}) -> Kind{0} {{
  client Small
  prompt #"
    Is it good? {{{{ thing.url }}}}
    {{{{ ctx.output_format }}}}
  "#
}}
"""
BAML_TEST = """
test Finds{0} {{
  functions [Finder{0}]
  args {{
    task "one"
  }}
}}
"""


def judge_text(lines: int, *, plain: bool = False) -> str:
    parts = (JUDGE_TYPE, JUDGE_REST, "" if plain else JUDGE_TEST)
    return _text(JUDGE_HEAD, parts, "" if plain else "other: Thing{1}?", lines)


def baml_text(lines: int, *, plain: bool = False) -> str:
    parts = (BAML_TYPE, BAML_REST, "" if plain else BAML_TEST)
    return _text(BAML_HEAD, parts, "" if plain else "other Thing{1}?", lines)


def _text(head: str, parts: tuple[str, ...], reference: str, lines: int) -> str:
    """As many whole sets of declarations as fit; the first thing refers to itself."""
    size = "".join(parts).count("\n")
    sets = max(1, (lines - head.count("\n")) // size)
    written = [head]
    for number in range(sets):
        before = max(0, number - 1)
        other = reference.format(number, before)
        written += (part.format(number, before, other) for part in parts)
    return "".join(written)
