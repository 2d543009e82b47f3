"""Folding, selection ranges, document links and formatting edits."""

from __future__ import annotations

import random
from itertools import pairwise

from judgeflow.lsp.features.folding import folds
from judgeflow.lsp.features.formatting import edits_between, format_edits, within
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


def test_declarations_blocks_texts_comments_and_imports_fold(scene) -> None:
    seen = scene(TEXT)
    found = [(seen.text[fold.start : fold.end].split("\n")[0], fold.kind) for fold in folds(seen.analysis)]
    several = [
        one
        for fold, one in zip(list(folds(seen.analysis)), found, strict=True)
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
    assert [(seen.text[one.start : one.end], one.path) for one in links(seen.analysis)] == [
        ("shared/a.judge", "/w/shared/a.judge"),
        ("tools/web.py", "/w/tools/web.py"),
        ("checks.py", "/w/checks.py"),
        ("golden.jsonl", "/w/golden.jsonl"),
        ("../labels.jsonl", "/labels.jsonl"),
    ]


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
        assert apply(TEXT, edits_between(TEXT, new)) == new


def test_formatting_edits_leave_alone_what_stays() -> None:
    edits = edits_between(TEXT, TEXT.replace("  model small", "    model small"))
    assert [(TEXT[edit.start : edit.end], edit.text) for edit in edits] == [
        ("  model small\n", "    model small\n")
    ]
    assert edits_between(TEXT, TEXT) == []
    assert within(edits, 0, 3) == []
    assert within(edits, 0, len(TEXT)) == edits


def test_a_file_is_laid_out_and_keeps_its_line_ends() -> None:
    messy = 'agent a {\n      model small\n  prompt   "x"\n}\n'
    neat = apply(messy, format_edits(messy))
    assert neat == 'agent a {\n  model  small\n  prompt "x"\n}\n'
    windows = messy.replace("\n", "\r\n")
    assert apply(windows, format_edits(windows)) == neat.replace("\n", "\r\n")
    assert format_edits(neat) == []
