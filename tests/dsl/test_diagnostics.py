"""What a user sees, word for word: every source in `diagnostics/*.md` gives exactly the message below it.

A section is one program. A block ```` ```judge ```` is `main.judge`; ```` ```judge models.judge ```` or
```` ```python shop.py ```` is another file of it, and a third word names its encoding. The block
```` ```text ```` is everything that `jrun check main.judge` prints about `main.judge`. After a message has changed
on purpose, `python tests/dsl/test_diagnostics.py` writes the blocks anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgeflow.dsl.passes import check_again, open_workspace
from judgeflow.dsl.render import render

FOLDER = Path(__file__).parent / "diagnostics"
FENCE = re.compile(r"^```(\w+)(?: (\S+))?(?: (\S+))?\n(.*?)^```$", re.M | re.S)
MAIN = "main.judge"


class Example:
    """One program, what is printed about it, and where that stands in its page."""

    def __init__(self, page: Path, files: dict[str, bytes], printed: str, span: tuple[int, int]) -> None:
        self.page = page
        self.files = files
        self.printed = printed
        self.span = span


def examples(page: Path) -> Iterator[Example]:
    files: dict[str, bytes] = {}
    for fence in FENCE.finditer(page.read_text(encoding="utf-8")):
        language, name, encoding, text = fence.groups()
        if language == "text":
            yield Example(page, files, text, fence.span(4))
            files = {}
        else:
            files[name or MAIN] = text.encode(encoding or "utf-8")


def printed(files: dict[str, bytes]) -> str:
    workspace = open_workspace(files.get)
    findings, sources = check_again(workspace, [MAIN])
    return "\n\n".join(render(found, sources) for found in findings if found.path == MAIN) + "\n"


PAGES = sorted(FOLDER.glob("*.md"))
EXAMPLES = [
    pytest.param(example, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, example in enumerate(examples(page), 1)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_program_gets_exactly_this_message(example: Example) -> None:
    assert printed(example.files) == example.printed


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_page_shows_its_own_code_and_says_something_first(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.stem}\n\n")
    assert not text.split("\n\n")[1].startswith("```")
    shown = list(examples(page))
    assert shown
    assert all(f"[{page.stem}]" in example.printed for example in shown)


def write_anew(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for example in reversed(list(examples(page))):
        start, end = example.span
        text = text[:start] + printed(example.files) + text[end:]
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each in PAGES:
        write_anew(each)
