"""What every check works with: what a name stands for, and where findings go.

A declaration is checked alone. It reads other declarations only through `Scope.find`, which answers with a `Surface`:
everything of a declaration that others may depend on, without positions. The names that a check asked for are kept,
so its findings stay valid as long as the declaration's own text and those surfaces are the same. That is what lets the
editor re-check one declaration per keystroke.

Offsets in findings are relative to the declaration's chunk. A place in another declaration is given by that
declaration's name (`Related`) and turned into a position when the findings are assembled, since it may have moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from .. import ast
from ..diagnostics import Diagnostic, Fix, Label, Severity
from ..near_words import Index
from ..shapes import CallableKind, ParamInfo, Shape, TypeInfo
from ..suggest import Names

if TYPE_CHECKING:
    from .env import Env


class ModelSurface(msgspec.Struct, frozen=True):
    """A declared model, or a slug in quotes made one (`name` is then the slug)."""

    name: str
    slug: str
    kind: str = "chat"
    """`chat` or `decision`."""
    via: str | None = None
    priced: bool = False
    fallback: tuple[str, ...] = ()
    """Names or slugs, as written."""

    @property
    def family(self) -> str | None:
        """The vendor prefix; None for a slug without `/` and for `script/`, `echo/` and `local/`."""
        vendor, slash, _ = self.slug.partition("/")
        return vendor if slash and vendor not in ("script", "echo", "local") else None


class QuestionSurface(msgspec.Struct, frozen=True):
    """A question of a `decide` judge; `options` are a choice's options or a scale's levels."""

    name: str
    kind: str
    options: tuple[str, ...] = ()


class CallableSurface(msgspec.Struct, frozen=True):
    """Everything callable: agents, judges, gates, tools, flows, conditions, choices and scales."""

    kind: CallableKind
    name: str
    params: tuple[ParamInfo, ...]
    """Of a judge: the first is what is judged."""
    result: Shape
    description: str | None = None
    models: tuple[str, ...] = ()
    """Names or slugs of the models that it calls itself, as written, the first the one it prefers."""
    judges: tuple[str, ...] = ()
    """The judges that an agent lists."""
    calls: tuple[str, ...] = ()
    """The callables that a flow or gate mentions in its body."""
    options: tuple[str, ...] = ()
    """A choice's options or a scale's levels."""
    confident: bool = False
    """A decision with `confidence at least`: its uses in `if` and `switch` need `uncertain`."""
    code: bool = False
    """A code judge."""
    form: str = ""
    """A judge's form: code, python, ask, rate or decide."""
    questions: tuple[QuestionSurface, ...] = ()
    """What a judge with `decide` asks."""
    functions: tuple[str, ...] = ()
    """An MCP tool's functions (`only [open, click]`), or `*` where it names none."""


class TypeSurface(msgspec.Struct, frozen=True):
    """A record (`info`) or a name for a shape (`alias`)."""

    name: str
    info: TypeInfo | None = None
    alias: Shape | None = None


class ConstantSurface(msgspec.Struct, frozen=True):
    """`mentions` are the names that may stand for other constants in its value."""

    name: str
    shape: Shape
    mentions: tuple[str, ...] = ()


class NamedSurface(msgspec.Struct, frozen=True):
    """A provider, scorer or profile: only its name and kind matter to others."""

    kind: str
    name: str


class SuiteSurface(NamedSurface, frozen=True):
    """A suite: `checks` are the names of its judges and scorers."""

    flow: str = ""
    checks: tuple[str, ...] = ()


Surface = ModelSurface | CallableSurface | TypeSurface | ConstantSurface | NamedSurface


class Related(msgspec.Struct, frozen=True):
    """A label at the name of another declaration."""

    name: str
    text: str


class Finding(msgspec.Struct, frozen=True):
    """`diagnostic` is relative to the chunk that was checked; `related` are labels in other declarations."""

    diagnostic: Diagnostic
    related: tuple[Related, ...] = ()


class Scope:
    """What the names of one file mean: its own declarations and those of every file that it imports."""

    def __init__(self, find: Callable[[str], Surface | None], names: Callable[[], Iterable[str]]) -> None:
        self._find = find
        self._names = names
        self.asked: dict[str, Surface | None] = {}
        self.asked_names = False

    def find(self, name: str) -> Surface | None:
        """The declaration of that name, or None. What was asked is remembered in `asked`."""
        surface = self._find(name)
        self.asked[name] = surface
        return surface

    def names(self) -> Iterable[str]:
        """Every name in scope, for did-you-mean. A check that calls this depends on all of them."""
        self.asked_names = True
        return self._names()

    def callables(self, kind: CallableKind) -> Iterator[str]:
        """The names of the agents, flows, … of a kind, in order. A check that calls this depends on all names and their
        kinds, and not on what else is known of each."""
        for name in self.names():
            found = self._find(name)
            if type(found) is CallableSurface and found.kind == kind:
                yield name

    def names_of(self, kinds: frozenset[str], kind_of: Callable[[Surface], str]) -> Index:
        """Those of declarations of some kinds. A check that calls this depends on all names and their kinds."""
        names = self.names()
        known = names if isinstance(names, Names) else Names(names)
        return known.only(
            kinds, lambda name: (found := self._find(name)) is not None and kind_of(found) in kinds
        )


class Report:
    """Collects the findings of one declaration. `witness` is told of every expression that is looked at, with what it
    may mention and its shape: that is how an editor learns what may be written somewhere."""

    def __init__(self, witness: Callable[[ast.Expr, Env, Shape], None] | None = None) -> None:
        self.witness = witness
        self.findings: list[Finding] = []

    def add(
        self,
        code: str,
        at: ast.Node | tuple[int, int],
        message: str,
        *,
        label: str = "",
        labels: tuple[Label, ...] = (),
        related: tuple[Related, ...] = (),
        help: str = "",
        fixes: tuple[Fix, ...] = (),
        severity: Severity = "error",
    ) -> None:
        start, end = at if isinstance(at, tuple) else (at.start, at.end)
        self.findings.append(
            Finding(
                Diagnostic(
                    code=code,
                    severity=severity,
                    message=message,
                    start=start,
                    end=end,
                    label=label,
                    labels=labels,
                    help=help,
                    fixes=fixes,
                ),
                related,
            )
        )
