"""Runs in one file that can be sent to somebody: nothing is fetched, and every value is there whole."""

from __future__ import annotations

from collections.abc import Iterable

from ..store.records import Tern
from ..store.scores import Label, Score
from .lists import runs_table
from .markup import Child, document, element
from .run_page import run_section
from .style import STYLE


def export_page(
    terns: Iterable[Tern], scores: Iterable[Score] = (), labels: Iterable[Label] = (), *, title: str = "Runs"
) -> str:
    """A list of the runs, where there are several, and each of them below it; newest first."""
    runs = list(terns)
    scored: dict[str, list[Score]] = {}
    labelled: dict[str, list[Label]] = {}
    for score in scores:
        scored.setdefault(score.run, []).append(score)
    for label in labels:
        labelled.setdefault(label.run, []).append(label)
    body: list[Child] = []
    if len(runs) != 1:
        body += [element("h1", title), runs_table(runs, lambda id: f"#run-{id}")]
    body += [run_section(run, scores=scored.get(run.id, ()), labels=labelled.get(run.id, ())) for run in runs]
    return document(f"{title} · jrun view", STYLE, *body)
