from __future__ import annotations

import pytest

from judgeflow.lsp.features.definition import definition, type_definition

MODELS = (
    'model small "openai/gpt-6-mini"\ntype Offer { salary: int }\ntype Senior extends Offer { team: int }\n'
)
FILES = {"/w/models.judge": MODELS}


def places(seen, kind=definition) -> list[tuple[str, str]]:
    found = []
    for place in kind(seen.analysis, seen.offset, seen.analysis_of):
        analysis = seen.analysis_of(place.path)
        text = analysis.source.text if analysis else ""
        line = text.count("\n", 0, place.start) + 1
        found.append((f"{place.path.rpartition('/')[2]}:{line}", text[place.start : place.end]))
    return found


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("agent a {\n  model sm‸all\n}", ("models.judge:1", "small")),
        ("agent a {\n  model small‸\n}", ("models.judge:1", "small")),
        ("agent a -> Of‸fer { model small }", ("models.judge:2", "Offer")),
        ('code judge j(reply: Offer) { require re‸ply.salary > 0 else "x" }', ("main.judge:2", "reply")),
        ('code judge j(reply: Offer) { require reply.sal‸ary > 0 else "x" }', ("models.judge:2", "salary")),
        ('code judge j(reply: Senior) { require reply.sal‸ary > 0 else "x" }', ("models.judge:2", "salary")),
        (
            'code judge j(reply: Offer) {\n  let big = reply.salary > 9\n  require b‸ig else "x"\n}',
            ("main.judge:3", "big"),
        ),
        ("flow f(t: text) -> text {\n  x = upper(t)\n  return ‸x\n}", ("main.judge:3", "x")),
        ('let s = "x"\nagent a { model small  prompt "{{ ‸s }}" }', ("main.judge:2", "s")),
        (
            "agent a(who: text) { model small }\nflow f(t: text) -> text { return a(w‸ho: t) }",
            ("main.judge:2", "who"),
        ),
        (
            'flow f(who: text) -> text { return who }\ntest "t" for f { given { w‸ho: "x" }  expect true }',
            ("main.judge:2", "who"),
        ),
        (
            'choice team(x: text) { model small  ask "?"  options { a b } }\n'
            "flow f(t: text) -> text { switch team(t) { case ‸a { return t } case b { return t } } }",
            ("main.judge:2", "a"),
        ),
    ],
)
def test_a_name_leads_to_where_it_is_declared(scene, text: str, where: tuple[str, str]) -> None:
    assert places(scene('import "models.judge"\n' + text, FILES)) == [where]


def test_an_import_leads_to_its_file(scene) -> None:
    seen = scene('import "mod‸els.judge"\n', FILES)
    assert [place.path for place in definition(seen.analysis, seen.offset, seen.analysis_of)] == [
        "/w/models.judge"
    ]


def test_what_the_language_brings_leads_nowhere(scene) -> None:
    assert places(scene('code judge j { require l‸en(reply) > 0 else "x" }')) == []
    assert places(scene("agent‸ a { model small }")) == []
    assert places(scene("\n\n‸\n")) == []


def test_a_value_leads_to_its_type(scene) -> None:
    text = 'import "models.judge"\nagent a -> Offer[] { model small }\nflow f(t: text) {\n  x = a(t)\n  return ‸x\n}'
    assert places(scene(text, FILES), type_definition) == [("models.judge:2", "Offer")]


def test_names_of_another_declaration_are_not_mixed_up(scene) -> None:
    text = (
        'code judge a(reply: text) {\n  let n = 1\n  require n > 0 else "x"\n}\n'
        'code judge b(reply: text) {\n  let n = 2\n  require ‸n > 0 else "x"\n}\n'
    )
    assert places(scene(text)) == [("main.judge:6", "n")]
