from __future__ import annotations

from judgeflow.lsp.features.actions import fix_all, quick_fixes

TEXT = """\
model small "openai/gpt-6-mini" { price $1 in, $2 out }
agent writer { model smal  prompt "Write." }
agent critic { model smll  prompt "Pick." }
"""


def apply(text: str, edits) -> str:
    for edit in sorted(edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def test_a_finding_is_fixed_where_it_stands(scene) -> None:
    seen = scene(TEXT)
    at = TEXT.index("smal ")
    [fix] = quick_fixes(seen.analysis, at, at)
    assert fix.preferred
    assert fix.diagnostics[0].code == "name.unknown"
    assert apply(TEXT, fix.edits) == TEXT.replace("smal ", "small ")
    assert quick_fixes(seen.analysis, 0, 3) == []


def test_everything_with_one_fix_is_fixed_at_once(scene) -> None:
    action = fix_all(scene(TEXT).analysis)
    assert action is not None
    assert apply(TEXT, action.edits) == TEXT.replace("smal ", "small ").replace("smll", "small")
    assert fix_all(scene('model small "a/b"\n').analysis) is None
