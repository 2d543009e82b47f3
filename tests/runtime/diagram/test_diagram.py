"""A flow as a picture: what it shows, where it stands, and that no text of a file breaks it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from judgeflow.dsl.lower import lower
from judgeflow.dsl.passes import load
from judgeflow.runtime.diagram.arrange import Picture, Place, arrange
from judgeflow.runtime.diagram.figure import Branch, Figure, Fork, Kind, Node, Step, connections, nodes
from judgeflow.runtime.diagram.flow import figure_of
from judgeflow.runtime.diagram.mermaid import mermaid
from judgeflow.runtime.diagram.svg import svg

HERE = Path(__file__).parent
FILES = [HERE / "every_statement.judge", *sorted((HERE.parents[2] / "examples").glob("*.judge"))]


def figures(path: Path) -> list[Figure]:
    checked = load(str(path))
    plan = lower(checked.modules)
    return [figure_of(plan, checked.modules, flow) for flow in plan.flows]


def figure(body: str) -> Figure:
    text = f"""
model small "openai/gpt-6-mini"
model jev "typesafe/jev-1.13" {{ kind decision }}
agent writer {{ model small  prompt "Write." }}
agent poet {{ model small  prompt "Write." }}
condition urgent(ticket: text) {{ model jev  ask "Does it hurry?"  confidence at least 0.8 }}
gate api(draft: text) {{ scorers {{ length 1..500 }} judge writer "ok?" }}
flow main(topic: text) -> text {{
  {body}
}}
"""
    checked = load("main.judge", lambda path: text.encode() if path.endswith("main.judge") else None)
    assert not [found for found in checked.diagnostics if found.severity == "error"], checked.rendered()
    return figure_of(lower(checked.modules), checked.modules, "main")


def told(made: Figure) -> list[tuple[str, str, str]]:
    """The edges by what their ends are called."""
    titles = {node.id: node.title for node in nodes(made.steps)}
    return [(titles[edge.source], edge.label, titles[edge.target]) for edge in connections(made)]


def test_steps_follow_each_other_and_a_call_in_an_argument_comes_first() -> None:
    made = figure("a = writer(poet(topic))\n  return trim(writer(a))")
    assert told(made) == [
        ("main", "", "poet"),
        ("poet", "", "a = writer"),
        ("a = writer", "", "writer"),
        ("writer", "", "return trim(writer(a))"),
    ]


def test_a_branch_that_ends_leads_nowhere_and_an_unsure_answer_has_its_own() -> None:
    made = figure(
        'if urgent(topic) { stop "No {{ topic }}" }\n  uncertain below 0.9 { a = poet(topic) }\n  return topic'
    )
    assert told(made) == [
        ("main", "", "urgent(topic)"),
        ("urgent(topic)", "yes", "stop"),
        ("urgent(topic)", "uncertain below 0.9", "a = poet"),
        ("a = poet", "", "return topic"),
        ("urgent(topic)", "no", "return topic"),
    ]
    (stop,) = (node for node in nodes(made.steps) if node.kind == "stop")
    assert stop.details == ("No {{ topic }}",)


def test_a_loop_leads_back_and_what_is_spent_ends_the_flow() -> None:
    made = figure(
        "g = try api(topic)\n  loop at most 3 times until g.passed { g = try api(topic) }\n  return topic"
    )
    assert [edge.back for edge in connections(made)] == [False, False, False, True, False, False]
    assert told(made) == [
        ("main", "", "g = api"),
        ("g = api", "", "until g.passed"),
        ("until g.passed", "turn", "g = api"),
        ("g = api", "", "until g.passed"),
        ("until g.passed", "spent", "guarded"),
        ("until g.passed", "holds", "return topic"),
    ]


def test_a_gate_says_whether_its_block_ends_the_flow() -> None:
    made = figure("api(topic)\n  g = try api(topic)\n  return topic")
    gates = [node for node in nodes(made.steps) if node.kind == "gate"]
    assert [node.details[0] for node in gates] == ["a block ends the flow", "try"]


def test_what_runs_at_once_is_joined() -> None:
    made = figure("fast = race { writer(topic)  poet(topic) }\n  return fast")
    assert ("writer", "", "fast = the first that succeeds") in told(made)
    assert ("poet", "", "fast = the first that succeeds") in told(made)


def test_lines_of_the_file_are_kept() -> None:
    made = figure("a = writer(topic)\n  return a")
    assert [node.line for node in nodes(made.steps)] == [8, 9, 10]


def drawn_by_chance(seed: int) -> Figure:
    """A figure with forks in forks, loops and joins."""
    random, ids = Random(seed), itertools.count()

    def node(kind: Kind = "agent") -> Node:
        details = tuple("x" * random.randint(1, 30) for _ in range(random.randint(0, 3)))
        return Node(f"n{next(ids)}", kind, "title" * random.randint(1, 8), details)

    def steps(depth: int) -> tuple[Step, ...]:
        return tuple(
            fork(depth - 1) if depth and random.random() < 0.5 else node()
            for _ in range(random.randint(1, 4))
        )

    def fork(depth: int) -> Fork:
        head = node("branch")
        loop = random.random() < 0.3
        branches = [
            Branch("label" * random.randint(0, 3), steps(depth) if random.random() < 0.8 else ())
            for _ in range(random.randint(1, 4))
        ]
        if loop:
            branches.insert(0, Branch("turn", steps(depth), back=True))
        return Fork(head, tuple(branches), node("join") if random.random() < 0.3 else None)

    return Figure("chance", None, (node("start"), *steps(3)))


@pytest.mark.parametrize("seed", range(60))
def test_nothing_overlaps_in_figures_made_by_chance(seed: int) -> None:
    made = drawn_by_chance(seed)
    picture = arrange(made)
    for one, other in itertools.combinations(picture.places, 2):
        assert not _overlap(one, other)
    assert _crossings(made, picture) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_two_nodes_and_no_line_and_node_overlap(path: Path) -> None:
    for made in figures(path):
        picture = arrange(made)
        for one, other in itertools.combinations(picture.places, 2):
            assert not _overlap(one, other), (one.node.title, other.node.title)
        assert _crossings(made, picture) == []
        for place in picture.places:
            assert place.x - place.width / 2 >= 0
            assert place.x + place.width / 2 <= picture.width
            assert 0 <= place.top < place.bottom <= picture.height


def _overlap(one: Place, other: Place) -> bool:
    apart = (
        abs(one.x - other.x) >= (one.width + other.width) / 2
        or abs(one.y - other.y) >= (one.height + other.height) / 2
    )
    return not apart


def _crossings(made: Figure, picture: Picture) -> list[tuple[str, str]]:
    """Lines that run through a node which they do not connect."""
    found = []
    for edge, line in zip(connections(made), picture.lines, strict=True):
        for place in picture.places:
            if place.node.id in (edge.source, edge.target):
                continue
            if any(_through(place, start, end) for start, end in itertools.pairwise(line.points)):
                found.append((f"{edge.source} → {edge.target}", place.node.title))
    return found


def _through(place: Place, start: tuple[float, float], end: tuple[float, float]) -> bool:
    left, right = sorted((start[0], end[0]))
    top, bottom = sorted((start[1], end[1]))
    return (
        left < place.x + place.width / 2
        and right > place.x - place.width / 2
        and top < place.bottom
        and bottom > place.top
    )


def labels(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if "-->" in line]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_svg_is_well_formed_and_shows_every_node(path: Path) -> None:
    for made in figures(path):
        root = ElementTree.fromstring(svg(made))
        groups = root.findall("{http://www.w3.org/2000/svg}g")
        assert len(groups) == len(list(nodes(made.steps)))
        assert len(labels(mermaid(made).splitlines())) == len(connections(made))


def test_hostile_texts_stay_texts() -> None:
    made = figure('stop "</text><script>x</script> & \\"quoted\\" `\\u{1B}[31m` -->|a| ]]"')
    root = ElementTree.fromstring(svg(made))
    assert root.find(".//{http://www.w3.org/2000/svg}script") is None
    drawn = mermaid(made)
    assert "<script>" not in drawn
    assert "\x1b" not in svg(made)
    assert "\x1b" not in drawn
    assert drawn.count("-->") == len(connections(made))


def test_the_guide_shows_what_is_drawn(tmp_path: Path) -> None:
    guide = (HERE.parents[2] / "docs" / "guides" / "graph.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```judge[^\n]*\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    (shown,) = re.findall(r"^```mermaid\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    path = tmp_path / "answers.judge"
    path.write_text(program, encoding="utf-8")
    assert [mermaid(made) for made in figures(path)] == [shown]
