from __future__ import annotations

from judgeflow.dsl.workspace.analysis import Analysis
from judgeflow.lsp.features.symbols import Symbol, closest_first, matching_symbols, symbol_of

TEXT = """\
import "models.judge"
# what is offered
type Offer { salary: int "a year"  title: text }
code judge fair(reply: Offer) "Is it fair?" { require reply.salary > 0 else "x" }
model small "openai/gpt-6-mini"
choice team(x: text) { model small  ask "?"  options { a "A" b } }
limits { cost $1 per run }
profile cheap { agent writer { model small } }
test "it works" for f { expect true }
"""


def document_symbols(analysis: Analysis) -> list[Symbol]:
    return [found for item in analysis.module.items if (found := symbol_of(item)) is not None]


def test_every_declaration_is_in_the_outline_with_its_parts(scene) -> None:
    found = document_symbols(scene(TEXT).analysis)
    assert [(one.name, one.kind, one.detail) for one in found] == [
        ("models.judge", "import", "import"),
        ("Offer", "type", "type"),
        ("fair", "judge", "code judge: Is it fair?"),
        ("small", "model", "model openai/gpt-6-mini"),
        ("team", "decision", "choice"),
        ("limits", "limits", "limits"),
        ("cheap", "profile", "profile"),
        ("it works", "test", "test"),
    ]
    assert [child.name for child in found[1].children] == ["salary", "title"]
    assert [child.name for child in found[4].children] == ["a", "b"]
    assert [child.name for child in found[6].children] == ["writer"]


def test_a_symbols_name_is_inside_of_the_symbol(scene) -> None:
    def check(symbols) -> int:
        count = 0
        for one in symbols:
            assert one.start <= one.name_start <= one.name_end <= one.end
            assert one.name_start < one.name_end
            count += 1 + check(one.children)
        return count

    assert check(document_symbols(scene(TEXT).analysis)) == 13


def test_a_broken_declaration_does_not_hide_the_others(scene) -> None:
    names = [one.name for one in document_symbols(scene("agent {{{\n" + TEXT).analysis)]
    assert {"Offer", "fair", "it works"} <= set(names)


def test_the_workspace_is_searched_by_letters_in_order(scene) -> None:
    seen = scene(
        'model small "a/b"\nagent smart_writer { model small }\njudge rewriter { model small  rate "x" }\n'
    )

    def names(query: str) -> list[str]:
        found = matching_symbols([seen.analysis.module], query)
        return [one.symbol.name for one in closest_first(found)]

    assert names("sm") == ["small", "smart_writer"]
    assert names("writer") == ["rewriter", "smart_writer"]
    assert names("swr") == ["smart_writer"]
    assert names("") == ["small", "rewriter", "smart_writer"]
    assert names("zz") == []
