"""`jrun completion SHELL`: what a shell needs to complete verbs, options and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from . import VERBS

_BASH = """\
_jrun() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} verb=${{COMP_WORDS[1]}} words=
  case "$verb" in
{cases}
    *) words="{run}" ;;
  esac
  if [[ $COMP_CWORD -eq 1 && $word != -* ]]; then words="{verbs}"; fi
  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -X '!*.judge' -- "$word") $(compgen -d -- "$word"))
}}
complete -o filenames -F _jrun jrun
"""

_ZSH = """\
#compdef jrun
autoload -U +X bashcompinit && bashcompinit
"""


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "completion",
        description="Print a script that completes verbs, options and .judge files.",
        epilog="bash  source <(jrun completion bash)\nzsh   source <(jrun completion zsh)\n"
        "fish  jrun completion fish | source",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=tuple(_SCRIPTS))
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    print(_SCRIPTS[arguments.shell](dict(_options())), end="")
    return 0


def _options() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each verb and its long options, as its own parser has them."""
    for verb in VERBS:
        subparsers = argparse.ArgumentParser().add_subparsers()
        import_module(f".{verb}", __package__).add_parser(subparsers)
        actions = subparsers.choices[verb]._actions  # argparse lists options nowhere else
        yield verb, tuple(name for action in actions for name in action.option_strings if name[:2] == "--")


def _bash(options: Mapping[str, tuple[str, ...]]) -> str:
    cases = "\n".join(f'    {verb}) words="{" ".join(names)}" ;;' for verb, names in options.items())
    return _BASH.format(cases=cases, verbs=" ".join(options), run=" ".join(options["run"]))


def _zsh(options: Mapping[str, tuple[str, ...]]) -> str:
    return _ZSH + _bash(options)


def _fish(options: Mapping[str, tuple[str, ...]]) -> str:
    first = "complete -c jrun -n __fish_use_subcommand"
    verbs = [f"{first} -a {verb} -d {_quoted(does)}" for verb, does in VERBS.items()]
    names = [
        f"complete -c jrun -n '__fish_seen_subcommand_from {verb}' -l {name[2:]}"
        for verb, taken in options.items()
        for name in taken
    ]
    return "\n".join([*verbs, *names, ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
