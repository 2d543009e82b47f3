"""`jrun label`: what a person thinks of past answers, with a key press each."""

from __future__ import annotations

import argparse
import getpass
import sys
from typing import TYPE_CHECKING, Any, TextIO

from .eval_arguments import count
from .keys import read_key, single_keys
from .runs import add_filters, answering, filter_of, read_store, width_of
from .store_file import store_file
from .wrong_use import WrongUse

if TYPE_CHECKING:
    from ..store.records import TernHead
    from ..store.scores import Said
    from ..store.terns import Store

DESCRIPTION = """\
Shows past answers one by one, oldest first, and keeps what you say of each:

  p  pass: the answer is good enough        n  write a note, then press p or f
  f  fail: it is not                        u  take the last label back
  s  skip it for now                        q  stop (what you said is kept)

What a judge has said is not shown, so that it sways nobody. `jrun calibrate` holds a judge against these labels.
"""
KEYS = "[p]ass  [f]ail  [s]kip  [n]ote  [u]ndo  [q]uit"
ENOUGH = 20
"""Labels below which a comparison with a judge says little."""
_SAID: dict[str, Said] = {"p": "pass", "f": "fail"}


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "label",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_filters(parser, default=None, statuses=False)
    parser.add_argument("--limit", type=count, metavar="N", help="at most the N newest that are not labelled")
    parser.add_argument("--by", metavar="NAME", help="who labels; your user name if not said")
    parser.set_defaults(handler=handle, status=None)


def handle(arguments: argparse.Namespace) -> int:
    return answering("label", lambda: _label(arguments, sys.stdin, sys.stdout))


def _label(arguments: argparse.Namespace, keys: TextIO, out: TextIO) -> None:
    import msgspec  # noqa: PLC0415

    from ..evaluate.versions import unknown_version  # noqa: PLC0415
    from ..store.scores import unlabelled  # noqa: PLC0415
    from ..store.terns import Store  # noqa: PLC0415

    query = filter_of(arguments, most=None)
    by = _labeller(arguments.by)
    with read_store() as found:
        if found is None:
            raise WrongUse(f"there is nothing to label yet: no runs in {store_file()}")
        if query.version is not None:
            wrong = unknown_version(found, query.version, query.tenant)
            if wrong is not None:
                raise WrongUse(wrong)
        heads = unlabelled(found, by, query)
        answered = msgspec.structs.replace(query, status="answered", limit=None)
        some = bool(heads) or found.count_terns(answered) > 0
    if not heads:
        why = f"every answered run that fits has a label by {by}" if some else "no answered run fits"
        out.write(f"nothing to label: {why}\n")
        return
    with Store.open(store_file()) as store, single_keys(keys):
        _Session(store, heads, by, arguments.tenant, keys, out).run()


def _labeller(name: str | None) -> str:
    if name is not None:
        return name
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


class _Session:
    """One sitting: where it is, and what was said."""

    def __init__(
        self, store: Store, heads: tuple[TernHead, ...], by: str, tenant: str, keys: TextIO, out: TextIO
    ) -> None:
        self._store = store
        self._heads = heads
        self._by = by
        self._tenant = tenant
        self._keys = keys
        self._out = out
        self._at = 0
        self._note: str | None = None
        self._labelled: list[int] = []

    def run(self) -> None:
        try:
            while self._at < len(self._heads) and self._one():
                pass
        except KeyboardInterrupt:
            self._out.write("\n")
        self._sum_up()

    def _one(self) -> bool:
        """Shows one answer and waits for what is said of it; False: stop."""
        self._show(self._heads[self._at])
        while True:
            self._out.write(f"{KEYS} ")
            self._out.flush()
            key = self._next_key()
            if key in _SAID:
                self._keep(_SAID[key])
                return True
            if key in ("q", "", "\x04"):
                self._out.write("\n")
                return False
            if key == "s":
                self._next("skipped")
                return True
            if key == "u":
                return self._undo()
            if key == "n":
                self._note = self._read_note()
            else:
                self._out.write(f"{key!r} is none of these\n")

    def _next_key(self) -> str:
        while (key := read_key(self._keys)) in ("\n", "\r", " "):
            pass
        return key.lower()

    def _show(self, head: TernHead) -> None:
        from ..report.text import moment, wrapped  # noqa: PLC0415

        width = width_of(self._out)
        self._out.write(
            f"\n{self._at + 1} of {len(self._heads)}   {head.id[:8]}  {head.flow}  {moment(head.started)}\n"
        )
        for label, value in (("task", head.task), ("answer", head.answer)):
            for at, line in enumerate(wrapped(value, width - 10)):
                self._out.write(f"  {'' if at else label:<8}{line}".rstrip() + "\n")

    def _keep(self, said: Said) -> None:
        from ..store.clock import timestamp  # noqa: PLC0415
        from ..store.scores import Label, put_label  # noqa: PLC0415

        label = Label(
            run=self._heads[self._at].id,
            label=said,
            labeller=self._by,
            note=self._note,
            labelled=timestamp(self._store.now()),
        )
        put_label(self._store, label, tenant=self._tenant)
        self._labelled.append(self._at)
        self._next(said)

    def _next(self, said: str) -> None:
        self._out.write(f"{said}\n")
        self._at += 1
        self._note = None

    def _undo(self) -> bool:
        from ..store.scores import remove_label  # noqa: PLC0415

        if not self._labelled:
            self._out.write("nothing to take back\n")
            return True
        self._at = self._labelled.pop()
        self._note = None
        remove_label(self._store, self._heads[self._at].id, self._by)
        self._out.write("taken back\n")
        return True

    def _read_note(self) -> str:
        """A line, shown as it is typed."""
        self._out.write("\nnote: ")
        self._out.flush()
        text = ""
        while (key := read_key(self._keys)) not in ("\n", "\r", ""):
            erased = key in ("\x7f", "\b")
            text = text[:-1] if erased else text + key
            if self._keys.isatty():
                self._out.write("\b \b" if erased else key)
                self._out.flush()
        self._out.write("\n")
        return text.strip()

    def _sum_up(self) -> None:
        from ..store.query import TernFilter  # noqa: PLC0415
        from ..store.scores import labels  # noqa: PLC0415

        mine = [
            one for one in labels(self._store, TernFilter(tenant=self._tenant)) if one.labeller == self._by
        ]
        passed = sum(label.label == "pass" for label in mine)
        whose = f" by {self._by}" if self._by else ""
        self._out.write(
            f"{len(self._labelled)} labelled now; in all {len(mine)}{whose}: {passed} pass, {len(mine) - passed} fail\n"
        )
        if len(mine) < ENOUGH:
            self._out.write(
                f"{ENOUGH - len(mine)} more and `jrun calibrate FILE` can say something about a judge\n"
            )
