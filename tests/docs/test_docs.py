"""The documentation says what is true: its programs parse, check and pass, its scripts print what it shows.

What stands behind the language of a fenced block says what is done with it:

    judge                 parses
    judge check           has no errors; its `test` blocks pass
    judge check a.judge   the same, under that name, for the scripts of the page
    python a.py           is put beside the page's programs
    python run            runs beside them; a `text output` block right after it is what it prints
"""

from __future__ import annotations

import contextlib
import io
import re
import time
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from judgeflow.dsl.check.builtins import FUNCTIONS
from judgeflow.dsl.clauses import CLAUSES
from judgeflow.dsl.explain import codes, page, title
from judgeflow.dsl.parse import parse
from judgeflow.dsl.source import Source
from judgeflow.runtime.cli import VERBS
from judgeflow.runtime.program import load
from judgeflow.runtime.run import Stamp
from judgeflow.runtime.testing.blocks import run_block

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXPLAIN = ROOT / "dsl" / "explain"
PAGES = sorted(DOCS.rglob("*.md"))

_FENCED = re.compile(r"^```(.*)\n((?:(?!```).*\n)*)^```$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"\]\(([^()\s]+)\)")

AWAITED = {"editors.md"}
"""Pages that are linked already and are written with what they describe."""
ABBREVIATED = {"syntax.too-deep"}
"""Pages whose example is too long to be shown whole."""


@attrs.frozen
class Block:
    """A fenced block. `info` is what stands behind the opening fence, `line` where (from 1), `heading` above it."""

    page: Path
    line: int
    heading: str
    info: str
    text: str

    @property
    def words(self) -> list[str]:
        return self.info.split()

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(path: Path) -> Iterator[Block]:
    text = path.read_text(encoding="utf-8")
    for found in _FENCED.finditer(text):
        above = re.findall(r"^#+ (.+)$", text[: found.start()], re.MULTILINE)
        line = text.count("\n", 0, found.start()) + 1
        yield Block(path, line, above[-1] if above else "", found[1].strip(), found[2])


ALL = [block for path in [*PAGES, *sorted(EXPLAIN.glob("*.md"))] for block in blocks(path)]
PROGRAMS = [block for block in ALL if block.words[:1] == ["judge"] and block.page.stem not in ABBREVIATED]
CHECKED = [block for block in PROGRAMS if "check" in block.words]
SCRIPTS = [block for block in ALL if block.words == ["python", "run"]]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store of its own."""
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put_files(path: Path, folder: Path) -> None:
    """The files that a page names, in a folder."""
    for block in blocks(path):
        name = block.words[-1] if block.words else ""
        if name.endswith((".judge", ".py", ".json", ".jsonl")):
            (folder / name).write_text(block.text, encoding="utf-8")


@pytest.mark.parametrize("block", PROGRAMS, ids=str)
def test_every_judge_block_parses(block: Block) -> None:
    found = {each.code for each in parse(Source("page.judge", block.text)).diagnostics}
    # The page of a syntax error shows it under "Before", and nothing else is wrong there.
    allowed = {block.page.stem} if block.heading == "Before" else set()
    assert found <= allowed


@pytest.mark.parametrize("block", CHECKED, ids=str)
async def test_a_checked_block_has_no_errors_and_its_tests_pass(block: Block, store: Path) -> None:
    put_files(block.page, store)
    name = block.words[-1] if block.words[-1].endswith(".judge") else "page.judge"
    (store / name).write_text(block.text, encoding="utf-8")
    program = load(store / name)
    outcomes = [await run_block(program, test, Stamp(time.time)) for test in program.plan.tests]
    assert [outcome for outcome in outcomes if outcome.failures] == []


@pytest.mark.parametrize("block", SCRIPTS, ids=str)
def test_a_script_prints_what_is_shown(block: Block, store: Path) -> None:
    put_files(block.page, store)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.text, str(block), "exec"), {"__name__": "__main__"})
    everything = list(blocks(block.page))
    following = everything[everything.index(block) + 1 :][:1]
    shown = following[0].text if following and following[0].words == ["text", "output"] else ""
    assert printed.getvalue() == shown


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    text = _CODE.sub("", _FENCED.sub("", path.read_text(encoding="utf-8")))
    broken = []
    for link in _LINK.findall(text):
        target, _, anchor = link.partition("#")
        if target.startswith(("http:", "https:")) or target in AWAITED:
            continue
        file = (path.parent / target).resolve() if target else path
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(link)
    assert broken == []


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as they are made on the web."""
    text = _FENCED.sub("", path.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_guide_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = [str(path.relative_to(DOCS)) for path in PAGES if path.name != "README.md"]
    assert [name for name in pages if f"({name})" not in index] == []


def test_the_index_of_diagnostics_is_that_of_the_pages() -> None:
    text = (DOCS / "diagnostics.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[`(.+?)`\]\(\.\./dsl/explain/(.+?)\.md\) \| (.+?) \|$", text, re.MULTILINE)
    assert listed == [(code, code, title(page(code) or "")) for code in codes()]


def test_the_reference_mentions_every_clause_and_function() -> None:
    text = (DOCS / "language.md").read_text(encoding="utf-8")
    clauses = {clause.keyword for known in CLAUSES.values() for clause in known}
    assert [word for word in sorted(clauses) if f"`{word}" not in text] == []
    assert [name for name in FUNCTIONS if f"`{name}(" not in text] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_the_verbs_that_a_page_names_exist(path: Path) -> None:
    named = set(re.findall(r"(?:`|\$ )jrun ([a-z]+)(?![\w./])", path.read_text(encoding="utf-8")))
    assert named <= VERBS.keys()
