"""`jrun new [NAME]`: a first file to start from, with scripted models, so that it runs at once."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import Any

TEMPLATE = """\
workflow {name} "Answers a question in one sentence" version "1"

# Put a real model here when you have a key, for instance "moonshotai/kimi-k2.6" with OPENROUTER_API_KEY.
model writer_model "script/a long answer goes back"

agent writer "Answers" {{
  model   writer_model
  prompt  "Answer the question in one sentence."
  judges  [one_sentence]
  retries 2
}}

code judge one_sentence(reply: text) "The answer is one sentence" {{
  require trim(reply) != "" else "Give an answer."
  require len(sentences(reply)) <= 1 else "Answer in one sentence."
}}

flow main(question: text) -> text {{
  answer = writer(question)
  return answer
}}

test "a long answer goes back" for main {{
  given  {{ question: "What are terns?" }}
  writer replies ["Terns are birds. They live at sea.", "Terns are seabirds."]
  expect result == "Terns are seabirds."
}}
"""


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "new",
        description="Writes NAME.judge, ready to run and to test.",
    )
    parser.add_argument("name", nargs="?", default="first", metavar="NAME")
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    path = Path(arguments.name if arguments.name.endswith(".judge") else f"{arguments.name}.judge")
    if not path.name.removesuffix(".judge").strip(".") or arguments.name.endswith(("/", os.sep)):
        print(f"jrun: {arguments.name!r} is no name for a file: write `jrun new first`", file=sys.stderr)
        return 2
    if not path.parent.is_dir():
        print(f"jrun: {path}: there is no folder {path.parent}", file=sys.stderr)
        return 2
    name = "".join(mark if mark.isalnum() and mark.isascii() else "_" for mark in path.stem).lower()
    if not name or not name[0].isalpha():
        name = f"flow_{name}"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(TEMPLATE.format(name=name))
    except FileExistsError:
        print(f"jrun: {path} exists already; choose another name", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"jrun: {path}: {error.strerror}", file=sys.stderr)
        return 2
    typed = shlex.quote(str(path))
    print(f'wrote {path}\n\n  jrun {typed} "What are terns?"\n  jrun test {typed}')
    return 0
