"""What a file suggests while names are typed, turned into other kinds and brought in by imports: what a fresh look
would suggest."""

from __future__ import annotations

import random

import pytest

from judgeflow.dsl.workspace.analysis import Analysis, Workspace

STEMS = (
    "writer",
    "Writer",
    "write_all",
    "rater",
    "rate",
    "finder_1",
    "finder_2",
    "finder_12",
    "summary",
    "main",
)
HEADS = (
    'agent {0} {{ model "script/a"  prompt "Do it." }}',
    'code judge {0} {{ require true else "no" }}',
    "flow {0}(x: text) -> text {{ return x }}",
    'tool {0}(x: text) -> text {{ python "t.py:{0}" }}',
    "type T{0} {{ a: text }}",
    "let {0} = 1",
)
USES = (
    "flow use_{1}(x: text) -> text {{ a = {0}(x)  return a }}",
    'agent use_{1} {{ model "script/a"  prompt "x"  judges [{0}] }}',
    'agent use_{1} {{ model "script/a"  prompt "x"  tools [{0}] }}',
)


def changed(files: dict[str, list[str]], rng: random.Random) -> str:
    """The name of a file that has one declaration more, less, or of another name."""
    name = rng.choice(list(files))
    lines = files[name]
    match rng.randrange(5):
        case 0:
            lines.append(rng.choice(HEADS).format(rng.choice(STEMS)))
        case 1:
            word = rng.choice(STEMS)
            at = rng.randrange(len(word))
            lines.append(
                rng.choice(USES).format(word[:at] + rng.choice("abz_1") + word[at + 1 :], rng.randrange(9))
            )
        case 2 if len(lines) > 3:
            del lines[rng.randrange(2, len(lines))]
        case 3:
            lines[0], lines[1] = lines[1], lines[0]
        case _:
            at = rng.randrange(2, len(lines)) if len(lines) > 2 else 0
            lines[at] = lines[at].replace(rng.choice("aeirt"), rng.choice(("", "e", "x", "ri")), 1)
    return name


def texts_of(files: dict[str, list[str]]) -> dict[str, str]:
    return {name: "\n".join(lines) + "\n" for name, lines in files.items()}


def fresh(texts: dict[str, str], path: str) -> Analysis:
    new = Workspace(lambda name: None)
    for name, text in texts.items():
        new.update(name, text)
    return new.analyse(path)


@pytest.mark.parametrize("seed", range(12))
def test_as_names_come_and_go_the_suggestions_are_those_of_a_fresh_look(seed: int) -> None:
    rng = random.Random(seed)
    files = {
        "main.judge": ['import "one.judge"', 'import "two.judge"', USES[0].format("writr", 1)],
        "one.judge": ["", "", HEADS[0].format("writer")],
        "two.judge": ["", "", HEADS[1].format("rater")],
    }
    known = Workspace(lambda name: None)
    for name, text in texts_of(files).items():
        known.update(name, text)
    suggested = 0
    for step in range(60):
        name = changed(files, rng)
        texts = texts_of(files)
        known.update(name, texts[name])
        if rng.random() < 0.6:
            found, expected = known.analyse("main.judge"), fresh(texts, "main.judge")
            assert found.diagnostics == expected.diagnostics, f"step {step}"
            suggested += sum("Did you mean" in each.help for each in found.diagnostics)
    assert suggested
