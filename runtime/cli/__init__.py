"""The command `jrun`. Each verb is a module of its own, imported only when it is asked for.

`jrun FILE.judge …` is `jrun run FILE.judge …`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..version import __version__
from .streams import is_full, lead_nowhere, prepare_streams

if TYPE_CHECKING:
    import argparse

GROUPS: dict[str, dict[str, str]] = {
    "running": {
        "run": "run a flow of a file (the word `run` may be left out)",
        "batch": "run a flow over many tasks at once",
        "resume": "go on with a run that waits for a person, was stopped or was killed",
        "rerun": "run a past run's input again under today's file",
    },
    "before a token is spent": {
        "check": "find what is wrong",
        "explain": "what a diagnostic means and how to fix it",
        "fmt": "lay files out in the one canonical way",
        "test": "run the test blocks of a file, with scripted models",
        "graph": "draw a flow as SVG or Mermaid",
        "describe": "a file's versions, agents and judges, and what a run costs at most",
    },
    "past runs": {
        "runs": "list, export and prune them",
        "show": "one run as a tree",
        "threads": "list conversations, or show one",
        "view": "look at runs in a browser, or write them as one HTML file",
    },
    "is it any good?": {
        "eval": "judge past runs, or run a suite's cases and check the answers",
        "replay": "run old tasks under today's file: before and after",
        "compare": "hold profiles or files against each other over the same cases",
        "label": "say of past answers whether they are good enough, with a key press",
        "golden": "make cases for a suite from past runs",
        "calibrate": "hold a judge against human labels",
    },
    "set up": {
        "new": "write a first file to start from",
        "doctor": "look for keys, services and the store",
        "lsp": "serve an editor over standard input and output",
        "completion": "print what a shell needs to complete verbs, options and files",
    },
}
"""What each verb does, in the groups in which they are shown. A verb is the module of its name."""

VERBS = {verb: does for group in GROUPS.values() for verb, does in group.items()}

USAGE = """\
jrun: run `.judge` files, the agents in them and the judges that check them

  jrun FILE.judge [TASK]      run its flow; the answer is on standard output
  jrun VERB --help            more about a verb

"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one verb and gives the exit code: 0 answered, 1 failed, 2 wrong use, 3 errors in the file, 4 not good
    enough, 5 paused, 6 a limit is spent, 130 interrupted."""
    words = list(sys.argv[1:] if argv is None else argv)
    prepare_streams()
    code = 0
    try:
        code = _answer(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output went away (`jrun runs | head`): nothing is wrong on this side.
        lead_nowhere(sys.stdout)
    except OSError as error:
        if not is_full(error, sys.stdout):
            raise
        print(f"jrun: standard output cannot be written: {error.strerror}", file=sys.stderr)
        lead_nowhere(sys.stdout)
        return 1
    return code


def _answer(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(help_text(), end="")
        return 0 if words else 2
    if words[0] == "--version":
        print(f"jrun {__version__}")
        return 0
    return _dispatch(words)


def help_text() -> str:
    width = max(map(len, VERBS))
    parts = [
        f"{title}\n" + "".join(f"  {verb:<{width}}  {does}\n" for verb, does in group.items())
        for title, group in GROUPS.items()
    ]
    return USAGE + "\n".join(parts)


def _dispatch(words: list[str]) -> int:
    verb = words[0]
    if verb not in VERBS:
        if not verb.endswith(".judge") and not verb.startswith("-"):
            return _unknown(verb)
        verb = "run"
        words = ["run", *words]
    return _run_verb(verb, words)


def _run_verb(verb: str, words: list[str]) -> int:
    from .loading import loading  # noqa: PLC0415

    with loading():
        import argparse  # noqa: PLC0415  # ten milliseconds that `--help` and `--version` do not need
        from importlib import import_module  # noqa: PLC0415

        module = import_module(f".{verb}", __name__)
    parser = argparse.ArgumentParser(prog="jrun")
    verbs = parser.add_subparsers(metavar="VERB")
    module.add_parser(verbs)
    try:
        arguments = _arguments(verbs.choices[verb], words[1:])
        return int(arguments.handler(arguments))
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2


def _arguments(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
    """What stands without an option may stand anywhere: `jrun FILE --flow two TASK`."""
    try:
        return parser.parse_intermixed_args(words)
    except TypeError:
        # A verb with verbs of its own (`runs export`) takes them first.
        return parser.parse_args(words)


def _unknown(word: str) -> int:
    from ...dsl.suggest import closest  # noqa: PLC0415

    near = closest(word, tuple(VERBS))
    hint = (
        f" Did you mean `jrun {near}`?"
        if near
        else " A file ends in `.judge`; `jrun --help` lists the verbs."
    )
    print(f"jrun: there is no verb `{word}`.{hint}", file=sys.stderr)
    return 2
