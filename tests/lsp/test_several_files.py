"""A session with several files that import each other, on disk and open, against a fresh reading of the same texts."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from judgeflow.dsl.diagnostics import Diagnostic
from judgeflow.dsl.workspace.analysis import Analysis, Workspace
from judgeflow.lsp.features.definition import definition
from judgeflow.lsp.features.hover import hover
from judgeflow.lsp.features.references import home, references
from judgeflow.lsp.session import Session
from judgeflow.lsp.uris import to_uri
from judgeflow.lsp.wire import Change, Position, Range

FILES = {
    "/w/a.judge": """\
import "b.judge"
import "c.judge"

agent writer -> Job { model small  prompt "Hi {{ style }}"  judges [good] }

flow main(t: text) -> text {
  x = writer(t)
  publish(x.title)
  return x.title
}

test "a" for main {
  given { t: "x" }
  writer replies { title: "A" }
  expect result == "A"
}
""",
    "/w/b.judge": """\
import "d.judge"

model small "openai/gpt-6-mini" { price $0.25 in, $2.00 out }
let style = "plain"
tool find(q: text) -> text[] "finds" { python "h.py:find" }
""",
    "/w/c.judge": """\
import "d.judge"

judge good(reply: Job) {
  model other
  ask "ok? {{ reply.title }}"
}
model other "moonshotai/kimi-k2.6"

gate publish(input) { scorers { length 1..5000  contains "x" } }
""",
    "/w/d.judge": "# types\ntype Job { title: text  pay: int? }\nscorer short length 1..10\n",
    "/w/e.judge": 'import "a"\n\nsuite s for main { cases "x.jsonl" checks [short, good] }\n',
}
DISK = {
    **{path: text.encode() for path, text in FILES.items()},
    "/w/h.py": b"def find(q):\n    return [q]\n",
    "/w/x.jsonl": b'{"t": "a"}\n',
}
PIECES = (
    "\n", "\r\n", "  ", "}", "{", '"', '"""\n', "#", '#"""\n', "agent a {\n", "model small", "writer", "{{", "}}",
    "\ntype Offer { salary: int }\n", "x", 'import "d.judge"\n', '\nimport "a.judge"\n', 'import "b"\n', "😋",
    '\nimport "e.judge"\n', "good", "Job", "find(t)", "style", "publish", "\nlet x = 1\n", "e", "_", "(", ")", ":",
    "\nflow f(t: text) -> text {\n", "[", "]",
)  # fmt: skip


class Sitting:
    """One editor with a folder: what it was told last about each open text stands in `told`."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.disk = dict(DISK)
        encoding = self.rng.choice(("utf-8", "utf-16", "utf-32"))
        self.session = Session(self.reading(), encoding)
        self.session.enter("/w")
        for path in FILES:
            self.session.know(path)
        self.told: dict[str, tuple[Diagnostic, ...]] = {}
        self.version = 0

    def reading(self) -> Workspace:
        return Workspace(self.disk.get, self.disk.__contains__)

    def step(self) -> None:
        self.version += 1
        chance, open_ = self.rng.random(), [document.path for document in self.session.documents]
        closed = [path for path in FILES if path not in open_]
        if closed and (chance < 0.1 or not open_):
            path = self.rng.choice(closed)
            self.session.open(to_uri(path), self.version, FILES[path])
        elif chance < 0.15:
            path = self.rng.choice(open_)
            self.session.close(to_uri(path))
            self.told.pop(path, None)
        elif chance < 0.25:
            self.touch(self.rng.choice(sorted(DISK)))
        else:
            self.edit(self.rng.choice(open_))

    def touch(self, path: str) -> None:
        """A file goes, comes back or changes on disk."""
        self.disk.pop(path, None)
        if self.rng.random() < 0.6:
            at = self.rng.randrange(len(DISK[path]))
            extra = self.rng.choice((b"", self.rng.choice(PIECES).encode()))
            self.disk[path] = DISK[path][:at] + extra + DISK[path][at:]
        self.session.reread([path])

    def edit(self, path: str) -> None:
        document = self.session.documents.get(path)
        assert document is not None
        changes = []
        for _ in range(self.rng.choice((1, 1, 1, 3))):
            line = self.rng.randrange(document.line_count + 1)
            start = Position(line, self.rng.randrange(60))
            end = Position(line + self.rng.choice((0, 0, 1, 3)), self.rng.randrange(60))
            ranged = Range(start, end if self.rng.random() < 0.4 else start)
            text = self.rng.choice((*PIECES, "", ""))
            changes.append(Change(FILES[path]) if self.rng.random() < 0.1 else Change(text, ranged))
        self.session.change(to_uri(path), self.version, changes)

    def drain(self) -> None:
        while due := self.session.due():
            for document in due:
                found = self.session.news(document)
                if found is not None:
                    self.told[document.path] = found

    def check(self) -> None:
        texts = {document.path: document.text for document in self.session.documents}
        fresh = self.reading()
        for path, text in texts.items():
            fresh.update(path, text)
        for path in (*(path for path in FILES if path in self.disk), *texts):
            fresh.reach(path)
        for path, text in texts.items():
            kept, wanted = self.session.analysis_of(path), fresh.analyse(path)
            assert kept is not None
            assert kept.source.text == text
            assert self.told[path] == kept.diagnostics == wanted.diagnostics
            assert kept.names == wanted.names
            assert kept.reach == wanted.reach
            offset = self.rng.randrange(len(text) + 1)
            seeing = [fresh.analyse(one) for one in fresh.affected(home(wanted, offset) or "")]
            assert list(answers(kept, offset, self.session)) == list(
                answers(wanted, offset, Looking(fresh, seeing))
            )


class Looking:
    def __init__(self, workspace: Workspace, files: list[Analysis]) -> None:
        self.workspace = workspace
        self.files = files

    def analysis_of(self, path: str) -> Analysis | None:
        try:
            return self.workspace.analyse(path)
        except FileNotFoundError:
            return None

    def seeing(self, path: str) -> list[Analysis]:
        return [one for one in self.files if one.path != path]


def answers(analysis: Analysis, offset: int, around: Session | Looking) -> Iterator[object]:
    yield hover(analysis, offset, around.analysis_of)
    yield definition(analysis, offset, around.analysis_of)
    where = home(analysis, offset)
    others = [one for one in around.seeing(where) if one.path != analysis.path] if where else []
    found = references(analysis, offset, others, declaration=True)
    yield sorted((one.path, one.start, one.end) for one in found)


def sit(seed: int, steps: int) -> None:
    sitting = Sitting(seed)
    for _ in range(steps):
        sitting.step()
        if sitting.rng.random() < 0.6:
            sitting.drain()
            sitting.check()


@pytest.mark.parametrize("seed", range(3))
def test_files_that_import_each_other_are_known_as_a_fresh_reading_knows_them(seed: int) -> None:
    sit(seed, 20)


@pytest.mark.slow
def test_long_sessions_with_several_files_are_known_as_a_fresh_reading_knows_them() -> None:
    for seed in range(100, 150):
        sit(seed, 80)
