"""One slip of one character anywhere in a real program: no crash, and hardly ever more than two causes reported."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from judgeflow.dsl.diagnostics import Diagnostic
from judgeflow.dsl.workspace.analysis import Workspace

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.judge"))
MUTATIONS = 400
_TYPED = "abcXYZ019_ \n\t{}[]()\"'`.,:;=<>|?!#-+*/%$\\é\u2028😀"
_QUOTED = re.compile(r"`([^`]+)`")


def mutated(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    match chance.randrange(3):
        case 0:
            return text[:at] + text[at + 1 :]
        case 1:
            return text[:at] + chance.choice(_TYPED) + text[at:]
        case _:
            return text[:at] + chance.choice(_TYPED) + text[at + 1 :]


def analysed(path: Path, text: str) -> Sequence[Diagnostic]:
    def read(name: str) -> bytes | None:
        file = EXAMPLES / Path(name).name
        return file.read_bytes() if file.is_file() else None

    workspace = Workspace(read)
    workspace.update(str(path), text)
    return [found for found in workspace.analyse(str(path)).diagnostics if found.severity == "error"]


def causes(found: Sequence[Diagnostic], text: str) -> int:
    """Findings, those about one name counted once."""
    seen: set[object] = set()
    for each in found:
        name = text[each.start : each.end]
        quoted = _QUOTED.search(each.message)
        seen.add((each.code, name or (quoted[1] if quoted else each.start)))
    return len(seen)


@pytest.mark.slow
def test_four_hundred_slips_of_one_character_have_two_causes_at_most_in_95_of_100() -> None:
    chance = random.Random(20260301)
    many = []
    for number in range(MUTATIONS):
        path = PROGRAMS[number % len(PROGRAMS)]
        text = mutated(path.read_text(encoding="utf-8"), chance)
        found = analysed(path, text)
        if causes(found, text) > 2:
            many.append((path.name, [f"{each.code}: {each.message}" for each in found]))
    assert len(many) <= MUTATIONS * 0.05, many


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_examples_have_no_error(path: Path) -> None:
    assert analysed(path, path.read_text(encoding="utf-8")) == []
