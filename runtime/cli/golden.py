"""`jrun golden add`: cases for a suite from past runs."""

from __future__ import annotations

import argparse
import codecs
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...dsl.files import read_bytes
from .eval_arguments import count
from .runs import add_filters, answering, filter_of, read_store
from .store_file import store_file
from .wrong_use import WrongUse

if TYPE_CHECKING:
    from ..store.records import TernHead
    from ..store.terns import Store

FILE = "golden.jsonl"
DESCRIPTION = f"""\
Adds past runs to a file of cases, one JSON object a line: id, input, answer and, where a person has labelled the run,
label. A suite names the file: suite golden for FLOW {{ cases "{FILE}"  checks [...] }}

What stands in the file stays as it is, and an input that is there already is not added again.
"""


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("golden", description="Cases for a suite, from past runs.")
    actions = parser.add_subparsers(metavar="add", required=True)
    add = actions.add_parser(
        "add",
        help="add past runs to a file of cases",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add.add_argument("file", nargs="?", default=FILE, metavar="FILE.jsonl", help=f"{FILE} if not said")
    add.add_argument("--from-last", type=count, metavar="N", help="the newest N answered runs that fit")
    add.add_argument("--run", action="append", default=[], metavar="ID", help="this run; repeat for more")
    add.add_argument(
        "--expect-answer", action="store_true", help="the answers are right: keep each as what is expected"
    )
    add.add_argument("--labelled", action="store_true", help="only runs that a person has labelled")
    add_filters(add, default=None, statuses=False)
    add.set_defaults(handler=handle, status=None, limit=None)


def handle(arguments: argparse.Namespace) -> int:
    return answering("golden add", lambda: _add(arguments))


def _add(arguments: argparse.Namespace) -> None:
    if arguments.from_last is None and not arguments.run:
        raise WrongUse("say which runs: --from-last 20, or --run ID")
    path = Path(arguments.file)
    if path.suffix.lower() != ".jsonl":
        raise WrongUse(f"{path}: cases are added to a file of JSON lines; name it {path.stem}.jsonl")
    with read_store() as store:
        if store is None:
            raise WrongUse(f"there are no runs yet in {store_file()}")
        heads = _chosen(store, arguments)
        labels = _labels(store, arguments.tenant)
    if arguments.labelled:
        heads = [head for head in heads if head.id in labels]
    old = _read(path)
    seen, ids = _known(old)
    lines: list[bytes] = []
    for head in heads:
        key = _key(_input(head))
        if key not in seen:
            seen.add(key)
            name = head.id if head.id[:8] in ids else head.id[:8]
            ids.add(name)
            lines.append(_case(name, head, labels.get(head.id), expected=arguments.expect_answer))
    _append(path, old, lines)
    known = len(heads) - len(lines)
    there = f"; {known} {'is' if known == 1 else 'are'} there already" if known else ""
    print(f"{len(lines)} case{'' if len(lines) == 1 else 's'} added to {path}{there}", file=sys.stderr)
    flows = sorted({head.flow for head in heads})
    if len(flows) > 1:
        print(
            f"they are of the flows {', '.join(flows)}, and a suite is of one: --flow NAME", file=sys.stderr
        )


def _chosen(store: Store, arguments: argparse.Namespace) -> list[TernHead]:
    """The runs that were named, then the newest that fit, oldest first; no replay and no run of an evaluation."""
    named: list[TernHead] = [store.get(run, tenant=arguments.tenant) for run in arguments.run]
    if arguments.from_last is None:
        return named
    import msgspec  # noqa: PLC0415

    from ..evaluate.versions import unknown_version  # noqa: PLC0415

    if arguments.version is not None:
        wrong = unknown_version(store, arguments.version, arguments.tenant)
        if wrong is not None:
            raise WrongUse(wrong)
    query = msgspec.structs.replace(filter_of(arguments, most=None), status="answered")
    own = [head for head in store.list_terns(query) if head.replay_of is None and head.evaluation is None]
    return [*named, *reversed(own[: arguments.from_last])]


def _labels(store: Store, tenant: str) -> dict[str, str]:
    """What people said of each run; nothing of one on which they differ."""
    from ..store.query import TernFilter  # noqa: PLC0415
    from ..store.scores import labels  # noqa: PLC0415

    said: dict[str, set[str]] = {}
    for label in labels(store, TernFilter(tenant=tenant)):
        said.setdefault(label.run, set()).add(label.label)
    return {run: words.pop() for run, words in said.items() if len(words) == 1}


def _input(head: TernHead) -> object:
    """What the run was asked, as a case says it: a flow that takes nothing is asked nothing by name."""
    return {} if head.task is None else head.task


def _case(name: str, head: TernHead, label: str | None, *, expected: bool) -> bytes:
    import msgspec  # noqa: PLC0415

    case: dict[str, object] = {"id": name, "input": _input(head)}
    if expected:
        case["expected"] = head.answer
    case["answer"] = head.answer
    if label is not None:
        case["label"] = label
    return msgspec.json.encode(case) + b"\n"


def _read(path: Path) -> bytes:
    try:
        return read_bytes(str(path))
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror or error}; choose another file") from None


def _known(data: bytes) -> tuple[set[str], set[str]]:
    """The inputs and the ids that a file has. A line that cannot be read is named and left as it is."""
    import msgspec  # noqa: PLC0415

    found: set[str] = set()
    ids: set[str] = set()
    for number, line in enumerate(data.removeprefix(codecs.BOM_UTF8).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            case = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
            print(f"jrun golden add: line {number} is not JSON; it is left as it is", file=sys.stderr)
            continue
        if isinstance(case, dict):
            found.add(_key(case.get("input", case.get("task"))))
            ids.add(str(case.get("id")))
    return found, ids


def _key(value: object) -> str:
    import msgspec  # noqa: PLC0415

    return msgspec.json.encode(value, order="deterministic").decode()


def _append(path: Path, old: bytes, lines: list[bytes]) -> None:
    if not lines:
        return
    # A last line that was torn off must not swallow the first new one.
    gap = b"\n" if old and not old.endswith(b"\n") else b""
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
            file.write(gap + b"".join(lines))
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror or error}; choose another file") from None
