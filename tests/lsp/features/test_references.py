from __future__ import annotations

import pytest

from judgeflow.dsl.diagnostics import Edit
from judgeflow.lsp.features.references import (
    RenameError,
    highlights,
    references,
    renamable,
    rename,
)

MODELS = 'model small "openai/gpt-6-mini"\ntype Offer { salary: int }\n'
MAIN = """\
import "models.judge"
code judge paid(reply: Offer, least: int) { require reply.salary > least else "more than {{ least }}" }
agent writer -> Offer { model small  judges [paid(least: 3)] }
flow f(topic: text) -> text {
  offer = writer(topic)
  if offer.salary > 3 { return "{{ topic }}: {{ offer.salary }}" }
  return topic
}
test "t" for f {
  given { topic: "x" }
  writer replies { salary: 4 }
  expect result == "x"
}
"""
OTHER = 'import "main.judge"\nflow g(x: text) -> Offer { return writer(x) }\n'


def cursor(text: str, needle: str, nth: int = 0) -> str:
    at = -1
    for _ in range(nth + 1):
        at = text.index(needle, at + 1)
    return f"{text[:at]}‸{text[at:]}"


def renamed(seen, new: str) -> dict[str, str]:
    edits = rename(seen.analysis, seen.offset, new, seen.others())
    texts = {}
    for path, found in edits.items():
        analysis = seen.analysis_of(path)
        text = analysis.source.text if analysis else ""
        for edit in sorted(found, key=lambda edit: -edit.start):
            assert isinstance(edit, Edit)
            text = text[: edit.start] + edit.text + text[edit.end :]
        texts[path.rpartition("/")[2]] = text
    return texts


@pytest.fixture
def files() -> dict[str, str]:
    return {"/w/models.judge": MODELS, "/w/other.judge": OTHER}


def test_every_mention_is_found_across_files(scene, files) -> None:
    seen = scene(cursor(MAIN, "writer"), files)
    found = references(seen.analysis, seen.offset, seen.others(), declaration=True)
    assert sorted(one.path for one in found) == ["/w/main.judge"] * 3 + ["/w/other.judge"]
    assert sum(one.defines for one in found) == 1
    assert len(references(seen.analysis, seen.offset, seen.others(), declaration=False)) == 3


def test_a_name_is_changed_everywhere(scene, files) -> None:
    texts = renamed(scene(cursor(MAIN, "writer"), files), "author")
    assert texts["main.judge"] == MAIN.replace("writer", "author")
    assert texts["other.judge"] == OTHER.replace("writer", "author")


def test_a_parameter_is_changed_in_templates_arguments_and_tests(scene, files) -> None:
    assert renamed(scene(cursor(MAIN, "topic"), files), "theme")["main.judge"] == MAIN.replace(
        "topic", "theme"
    )
    assert renamed(scene(cursor(MAIN, "least"), files), "floor")["main.judge"] == MAIN.replace(
        "least", "floor"
    )


def test_a_field_is_changed_where_its_type_is_known(scene, files) -> None:
    seen = scene(cursor(MAIN, "salary"), files)
    texts = renamed(seen, "pay")
    assert texts["main.judge"] == MAIN.replace(".salary", ".pay").replace("{ salary", "{ pay")


def test_a_local_name_is_changed_in_its_declaration_alone(scene, files) -> None:
    text = MAIN + "flow h(topic: text) -> text {\n  offer = topic\n  return offer\n}\n"
    changed = renamed(scene(cursor(text, "offer", 0), files), "deal")["main.judge"]
    assert changed.count("deal") == 3
    assert "  offer = topic\n  return offer\n" in changed


def test_an_option_is_changed_in_its_cases(scene) -> None:
    text = (
        'model m "a/b" { kind decision }\n'
        'choice team(x: text) { model m  ask "?"  options { billing technical } }\n'
        'flow f(t: text) -> text { switch team(t) { case billing { return "a" } case technical { return "b" } } }\n'
    )
    assert renamed(scene(cursor(text, "billing")), "money")["main.judge"] == text.replace("billing", "money")


@pytest.mark.parametrize(
    ("needle", "new", "why"),
    [
        ("writer", "paid", "already"),
        ("writer", "Writer", "snake_case"),
        ("writer", "every", "word of the language"),
        ("writer", "len", "function of the language"),
        ("writer", "a b", "snake_case"),
        ("Offer", "offer", "PascalCase"),
        ("import", "x", "no name here"),
    ],
)
def test_a_change_that_would_break_the_file_is_refused(scene, files, needle: str, new: str, why: str) -> None:
    seen = scene(cursor(MAIN, needle), files)
    with pytest.raises(RenameError, match=why):
        rename(seen.analysis, seen.offset, new, seen.others())


def test_prepare_tells_what_can_be_renamed(scene, files) -> None:
    seen = scene(cursor(MAIN, "writer"), files)
    named = renamable(seen.analysis, seen.offset)
    assert named is not None
    assert seen.text[named.start : named.end] == "writer"
    builtin = scene('code judge j { require l‸en(reply) > 0 else "x" }')
    assert renamable(builtin.analysis, builtin.offset) is None


def test_highlights_tell_reading_from_declaring(scene, files) -> None:
    seen = scene(cursor(MAIN, "offer = "), files)
    assert [
        (seen.text[one.start : one.end], one.writes) for one in highlights(seen.analysis, seen.offset)
    ] == [
        ("offer", True),
        ("offer", False),
        ("offer", False),
    ]
    builtin = scene('code judge j { require l‸en(reply) > len(task) else "x" }')
    assert len(highlights(builtin.analysis, builtin.offset)) == 2


SCRIPTED = """\
type Base { id: text }
type Offer extends Base { salary: int  perks: Perk[] }
type Perk { what: text }
type Refusal { why: text }
model small "acme/small"
choice team(offer: Offer) { model small  ask "Whose?"  options { billing "Money"  sales } }
tool look(id: text) -> Base { python "x.py:look" }
agent writer(offer: Offer) -> Offer | Refusal { model small  tools [look] }
judge fine(reply: Offer) {
  model small
  decide { tone: choice "Whose?" { formal  casual } }
  require tone.choice == "formal" else "No."
}
flow main(offer: Offer) -> Offer {
  x = writer({ id: "1", salary: 3, perks: [{ what: "car" }] })
  return { "id": "2", salary: 4, perks: [] }
}
test "all" for main {
  given { offer: { id: "1", salary: 2, perks: [{ "what": "bike" }] } }
  writer replies [{ call: "look", input: { id: "1" } }, { variant: "Refusal", value: { why: "So." } }]
  writer replies { id: "1", salary: 5, perks: [] } when offer.salary == 1
  look returns { id: "3" }
  team decides "sales"
  team decides { billing: 0.5, "sales": 0.5 } when offer.id == "x"
  fine decides { tone: { formal: 1, casual: 0 } }
  expect result.id == "2"
}
"""


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("salary", 6),
        ("what: text", 3),
        ("why", 2),
        ("Refusal", 3),
        ("id: text }", 8),
        ("id: text) ->", 2),
        ("look", 4),
        ("sales", 3),
        ("tone", 3),
        ("offer: Offer) -> Offer {", 2),
    ],
)
def test_a_name_is_changed_in_values_that_are_written_out(scene, name: str, places: int) -> None:
    word = name.partition(":")[0]
    new = "Changed" if word[0].isupper() else "changed"
    seen = scene(cursor(SCRIPTED, name))
    after = renamed(seen, new)["main.judge"]
    assert after.count(new) == places
    fresh = scene(after)
    assert len(fresh.analysis.diagnostics) == len(seen.analysis.diagnostics)
    back = rename(fresh.analysis, after.index(new), word, ())
    assert len(back["/w/main.judge"]) == places


def test_the_reply_of_a_judge_without_parameters_has_no_declaration_to_change(scene) -> None:
    text = """\
judge fine { model "acme/small"  ask "{{ reply }}" }
agent a { model "acme/other"  judges [fine] }
flow main(x: text) -> text { return a(x) }
test "t" for main {
  fine replies "PASS" when re‸ply == "No."
  expect result == "x"
}
"""
    seen = scene(text)
    assert renamable(seen.analysis, seen.offset) is None


CLASHING = """\
type Offer { salary: int  title: text }
agent writer(topic: text, tone: text = "dry") -> Offer { model "a/b"  prompt "{{ topic }} of {{ task }}" }
choice team(x: text) { model "a/b"  ask "Whose?"  options { billing  sales } }
code judge short(reply: text) { let most = 3  require len(reply) < most else "x" }
flow main(t: text, u: text) -> text {
  offer = writer(topic: t)
  both = [one.title for one in [offer] if one != offer]
  more = [two for two in both]
  return join(both, u)
}
"""


@pytest.mark.parametrize(
    ("old", "new", "free"),
    [
        ("offer =", "t", False),
        ("offer =", "both", False),
        ("offer =", "writer", False),
        ("offer =", "join", False),
        ("offer =", "topic", True),
        ("offer =", "one", False),
        ("offer =", "two", True),
        ("one.title", "two", True),
        ("one.title", "offer", False),
        ("t: text, u", "u", False),
        ("t: text, u", "offer", False),
        ("topic: text", "tone", False),
        ("topic: text", "task", False),
        ("topic: text", "t", True),
        ("writer", "offer", False),
        ("writer", "topic", False),
        ("most", "reply", False),
        ("most", "len", False),
        ("salary", "title", False),
        ("salary", "topic", True),
        ("billing", "sales", False),
    ],
)
def test_a_name_that_stands_for_something_else_there_is_refused(
    scene, old: str, new: str, free: bool
) -> None:
    seen = scene(cursor(CLASHING, old))
    if not free:
        with pytest.raises(RenameError, match="already"):
            rename(seen.analysis, seen.offset, new, ())
        return
    before = [found.code for found in seen.analysis.diagnostics]
    assert [found.code for found in scene(renamed(seen, new)["main.judge"]).analysis.diagnostics] == before
