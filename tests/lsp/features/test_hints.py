"""Signature help, inlay hints, code lenses and the call hierarchy."""

from __future__ import annotations

import pytest

from judgeflow.lsp.features.hierarchy import incoming, member_at, outgoing
from judgeflow.lsp.features.hints import hints
from judgeflow.lsp.features.lenses import lenses
from judgeflow.lsp.features.signature import signature_help

BASE = """\
model small "openai/gpt-6-mini"
type Offer { salary: int }
judge fair(reply: Offer, bar: float, language: text = "en") { model small  rate "fair"  threshold 0.5 }
code judge short { require len(reply) < 400 else "Shorter." }
agent writer(topic: text, tone: text = "dry") -> Offer "Writes." { model small  judges [fair(0.5)]  retries 2 }
agent critic { model small  judges [short] }
gate good(draft) { scorers { length 1..9 }  ask critic "Good?" }
"""


@pytest.mark.parametrize(
    ("text", "label", "active"),
    [
        ("flow f(t: text) -> Offer { return writer(‸) }", "topic: text", 0),
        ("flow f(t: text) -> Offer { return writer(t, ‸) }", "tone: text = …", 1),
        ("flow f(t: text) -> Offer { return writer(tone: ‸) }", "tone: text = …", 1),
        ('flow f(t: text) -> text { return replace(t, "a", ‸) }', "new", 2),
        ("flow f(t: text) -> text { return upper(trim(‸)) }", "text", 0),
        ("agent a -> Offer { model small  judges [fair(‸)] }", "bar: float", 0),
        ("flow f(t: text) -> text { return text(max(1, 2, ‸)) }", "numbers", 0),
        ("flow f(t: text) -> Offer { return writer(trim(t)‸, t) }", "topic: text", 0),
        ("flow f(t: text) -> Offer { return writer(tone: t, ‸) }", "topic: text", 0),
        ('flow f(t: text) -> text { return "{{ replace(t, ‸ }}" }', "old", 1),
    ],
)
def test_the_argument_that_is_being_written(scene, text: str, label: str, active: int) -> None:
    seen = scene(BASE + text)
    found = signature_help(seen.analysis, seen.offset)
    assert found is not None
    assert found.active == active
    start, end = found.parameters[active]
    assert found.label[start:end] == label


def test_no_signature_outside_of_a_call(scene) -> None:
    seen = scene(BASE + "flow f(t: text) -> Offer { return ‸writer(t) }")
    assert signature_help(seen.analysis, seen.offset) is None
    seen = scene(BASE + "‸")
    assert signature_help(seen.analysis, seen.offset) is None


def shown(scene, text: str) -> list[tuple[str, str]]:
    seen = scene(BASE + text)
    found = hints(seen.analysis, 0, len(seen.text))
    return [(seen.text[: hint.offset].split()[-1].split("(")[0], hint.label) for hint in found]


def test_the_shape_of_every_step(scene) -> None:
    flow = """\
flow f(t: text) -> text {
  offer = writer(t)
  offers = each x in [t] at most 2 at once: writer(x)
  size = len(offers)
  if size > 3 { word = "big" } else { word = "small" }
  return word
}
"""
    found = shown(scene, flow)
    assert ("offer", ": Offer") in found
    assert ("offers", ": Offer[]") in found
    assert ("size", ": int") in found
    assert [name for name, _ in found].count("word") == 1


def test_judges_without_a_signature_and_gates(scene) -> None:
    found = shown(scene, "")
    assert ("short", "(reply: text)") in found
    assert ("good", " at most 2 model calls") in found
    assert not [label for name, label in found if name == "fair"]


def test_hints_of_a_stretch_only(scene) -> None:
    seen = scene(BASE + "flow f(t: text) -> Offer {\n  a = writer(t)\n  return a\n}\n")
    at = seen.text.index("  a = ")
    assert [hint.label for hint in hints(seen.analysis, at, at + 5)] == [": Offer"]


def test_lenses_to_run_to_test_and_of_users(scene) -> None:
    text = BASE + 'flow f(t: text) -> Offer { return writer(t) }\ntest "works" for f { expect true }\n'
    other = 'import "main.judge"\nagent second { model small  judges [short] }\n'
    seen = scene(text, {"/w/other.judge": other})
    found = {seen.text[one.start : one.end]: one for one in lenses(seen.analysis, seen.others())}
    assert found["f"][2:] == ("▶ Run", "judgeflow.run", "f", (("t", "text"),))
    assert (found['"works"'].title, found['"works"'].name) == ("▶ Test", "works")
    assert found["short"].title == "2 agents use this judge"
    assert found["fair"].title == "1 agent uses this judge"
    assert found["critic"].title == "1 flow or gate uses this agent"


def test_calls_are_followed_both_ways_across_files(scene) -> None:
    other = 'import "main.judge"\nflow g(t: text) -> Offer { return writer(t) }\n'
    text = BASE + "flow f(t: text) -> Offer { return wri‸ter(t) }\n"
    seen = scene(text, {"/w/other.judge": other})
    member = member_at(seen.analysis, seen.offset, seen.analysis_of)
    assert member is not None
    assert member.symbol.name == "writer"
    assert [relation.member.symbol.name for relation in outgoing("writer", seen.analysis)] == [
        "small",
        "fair",
    ]
    callers = incoming("writer", member.path, [seen.analysis, *seen.others()])
    assert [(one.member.path, one.member.symbol.name) for one in callers] == [
        ("/w/main.judge", "f"),
        ("/w/other.judge", "g"),
    ]
    assert [one.member.symbol.name for one in incoming("short", member.path, [seen.analysis])] == ["critic"]


def test_the_hint_of_a_gate_stands_behind_its_head(scene) -> None:
    text = 'gate plain(draft) "Costs {nothing}" {\n  scorers { length 1..9 }\n}\n'
    seen = scene(text)
    [hint] = hints(seen.analysis, 0, len(text))
    assert hint.label == " no model calls"
    assert text[: hint.offset] == 'gate plain(draft) "Costs {nothing}"'


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("flow f(t: text) -> int { return count(‸) }", "words: text"),
        ('code judge j { require count(‸) > 0 else "x" }', "in"),
    ],
)
def test_a_declaration_wins_over_a_function_of_its_name_where_it_may_be_called(
    scene, text: str, label: str
) -> None:
    seen = scene(BASE + 'tool count(words: text) -> int { python "a.py:count" }\n' + text)
    found = signature_help(seen.analysis, seen.offset)
    assert found is not None
    start, end = found.parameters[0]
    assert found.label[start:end] == label
