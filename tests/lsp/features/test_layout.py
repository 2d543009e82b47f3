"""Folding, selection ranges, document links and formatting edits."""

from __future__ import annotations

import random
from itertools import pairwise

from judgeflow.dsl.diagnostics import Edit
from judgeflow.dsl.format import format_source
from judgeflow.dsl.syntax.chunks import split
from judgeflow.dsl.workspace.analysis import Analysis
from judgeflow.lsp.features.folding import Fold, folds, import_folds
from judgeflow.lsp.features.formatting import format_edits, line_edits, within
from judgeflow.lsp.features.links import links
from judgeflow.lsp.features.selection import selections

TEXT = '''\
import "shared/a.judge"
import "b.judge"

# one
# two
agent writer {
  model small
  prompt """
    Write.
    """
}

flow f(t: text) -> text {
  if len(t) > 3 {
    return t
  }
  return writer(t)
}
'''


def folds_of(analysis: Analysis) -> list[Fold]:
    return [*(fold for item in analysis.module.items for fold in folds(item)), *import_folds(analysis)]


def test_declarations_blocks_texts_comments_and_imports_fold(scene) -> None:
    seen = scene(TEXT)
    found = [(seen.text[fold.start : fold.end].split("\n")[0], fold.kind) for fold in folds_of(seen.analysis)]
    several = [
        one
        for fold, one in zip(folds_of(seen.analysis), found, strict=True)
        if "\n" in seen.text[fold.start : fold.end]
    ]
    assert several == [
        ("# one", "comment"),
        ("agent writer {", "region"),
        ('"""', "region"),
        ("flow f(t: text) -> text {", "region"),
        ("{", "region"),
        ('import "shared/a.judge"', "imports"),
    ]


def test_a_selection_grows_until_it_is_the_whole_text(scene) -> None:
    seen = scene('flow f(t: text) -> text {\n  return "a {{ up‸per(t) }}"\n}\n')
    grown = [seen.text[start:end] for start, end in selections(seen.analysis, seen.offset)]
    assert grown[0] == "upper"
    assert "upper(t)" in grown
    assert '"a {{ upper(t) }}"' in grown
    assert 'return "a {{ upper(t) }}"' in grown
    assert grown[-1] == seen.text
    assert all(len(inner) < len(outer) for inner, outer in pairwise(grown))


def test_a_selection_in_a_text_takes_its_inside_first(scene) -> None:
    seen = scene('agent a {\n  model small\n  prompt "Write wel‸l."\n}\n')
    grown = [seen.text[start:end] for start, end in selections(seen.analysis, seen.offset)]
    assert grown[:2] == ["Write well.", '"Write well."']


def test_a_selection_outside_of_everything(scene) -> None:
    seen = scene("\n‸\n")
    assert selections(seen.analysis, seen.offset) == [(0, 2)]


def test_files_are_linked_where_they_are_named(scene) -> None:
    text = (
        'import "shared/a.judge"\n'
        'tool t(x: text) -> text { python "tools/web.py:fetch" }\n'
        'code judge j { python "checks.py:posted" }\n'
        'suite s for f { cases "golden.jsonl"  labels "../labels.jsonl" }\n'
    )
    seen = scene(text)
    found = [one for item in seen.analysis.module.items for one in links(item)]
    assert [seen.text[one.start : one.end] for one in found] == [one.written for one in found]
    assert [one.written for one in found] == [
        "shared/a.judge",
        "tools/web.py",
        "checks.py",
        "golden.jsonl",
        "../labels.jsonl",
    ]


def formatting(text: str) -> list[Edit]:
    return [edit for edits in format_edits(text, split(text)) for edit in edits]


def apply(text: str, edits) -> str:
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def test_formatting_edits_turn_the_old_text_into_the_new_one() -> None:
    rng = random.Random(5)
    for _ in range(40):
        lines = TEXT.splitlines(keepends=True)
        for _ in range(rng.randrange(6)):
            at = rng.randrange(len(lines))
            lines[at] = rng.choice(["", "  " + lines[at], lines[at].strip() + "\n", "\n\n", lines[at] * 2])
        new = "".join(lines)
        assert apply(TEXT, list(line_edits(TEXT, new, 0))) == new


def test_formatting_edits_leave_alone_what_stays() -> None:
    edits = list(line_edits(TEXT, TEXT.replace("  model small", "    model small"), 0))
    assert [(TEXT[edit.start : edit.end], edit.text) for edit in edits] == [
        ("  model small\n", "    model small\n")
    ]
    assert list(line_edits(TEXT, TEXT, 0)) == []
    assert within(edits, 0, 3) == []
    assert within(edits, 0, len(TEXT)) == edits


def test_the_edits_of_a_file_make_it_what_the_command_makes_it() -> None:
    rng = random.Random(6)
    for _ in range(60):
        lines = TEXT.splitlines()
        for _ in range(rng.randrange(6)):
            at = rng.randrange(len(lines))
            lines[at] = rng.choice(["", f"  {lines[at]}", lines[at].strip(), f"{lines[at]}  ", "\n"])
        text = "\n".join(lines)
        assert apply(text, formatting(text)) == format_source(text)
    assert apply("\n\n", formatting("\n\n")) == format_source("\n\n") == ""


def test_a_file_is_laid_out_and_keeps_its_line_ends() -> None:
    messy = 'agent a {\n      model small\n  prompt   "x"\n}\n'
    neat = apply(messy, formatting(messy))
    assert neat == 'agent a {\n  model  small\n  prompt "x"\n}\n'
    windows = messy.replace("\n", "\r\n")
    assert apply(windows, formatting(windows)) == neat.replace("\n", "\r\n")
    assert formatting(neat) == []
