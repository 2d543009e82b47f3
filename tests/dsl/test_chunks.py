"""A file is split at column 0, and what is broken in one declaration stays in it."""

import random

import pytest

from judgeflow.dsl.declarations import DECLARATIONS as KINDS
from judgeflow.dsl.syntax.chunks import DECLARATIONS, Chunk, after_inner, resplit, split


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in split(text)]


ONE = 'agent one {\n  model a\n  prompt "x"\n}'
TWO = "flow two(x: text) -> text {\n  return one(x)\n}"


def test_declarations_part_at_column_0() -> None:
    assert pieces(f"{ONE}\n\n{TWO}\nlet c = 1\nlet d = 2\n") == [ONE, TWO, "let c = 1", "let d = 2"]


def test_every_kind_of_declaration_starts_a_chunk() -> None:
    heads = {kind.example.split("\n")[0] for kind in KINDS}
    assert sorted(pieces("\n".join(sorted(heads)))) == sorted(heads)
    assert {kind.keyword.split()[0] for kind in KINDS} == set(DECLARATIONS)


def test_comments_belong_to_the_declaration_that_follows() -> None:
    assert pieces(f"# file\n\n# one\n{ONE}\n# two\n{TWO}\n# end\n") == [
        f"# file\n\n# one\n{ONE}",
        f"# two\n{TWO}",
        "# end",
    ]


def test_a_comment_at_column_0_in_a_block_stays_in_it() -> None:
    text = "agent one {\n# why\n  model a\n# more\n}"
    assert pieces(f"{text}\n# two\n{TWO}") == [text, f"# two\n{TWO}"]


def test_an_empty_file_and_blank_lines_have_no_chunks() -> None:
    assert pieces("") == pieces("\n \n\t\n") == []


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_newline_style_splits(newline: str) -> None:
    text = f"{ONE}\n\n# two\n{TWO}\n".replace("\n", newline)
    assert pieces(text) == [ONE.replace("\n", newline), f"# two\n{TWO}".replace("\n", newline)]


@pytest.mark.parametrize(
    "broken",
    [
        'agent one {\n  prompt "open\n  model a\n}',
        'agent one {\n  prompt """\n    open\n}',
        "agent one {\n  tools [a, b\n}",
        "agent one {\n  model a",
        "flow one( {",
        'agent one {\n  prompt "{{ open"\n}',
    ],
)
def test_an_open_quote_or_bracket_does_not_reach_the_neighbours(broken: str) -> None:
    assert pieces(f"let a = 1\n{broken}\n{TWO}\n") == ["let a = 1", broken, TWO]


def test_unindented_text_stays_with_its_text_block() -> None:
    prose = 'Find jobs.\nlet me know\n{\n  "a": 1\n}\nmodel answers are short'
    text = f'agent one {{\n  prompt """\n{prose}\n  """\n}}'
    assert pieces(f"{text}\n{TWO}") == [text, TWO]


def test_an_unindented_clause_stays_in_its_block() -> None:
    text = 'agent one {\nmodel a\n  prompt "x"\nretries 3\n}'
    assert pieces(f"{text}\n{TWO}") == [text, TWO]


def test_unindented_words_behind_what_is_closed_are_a_chunk_of_their_own() -> None:
    assert pieces("let a = 1\nwords") == ["let a = 1", "words"]
    assert pieces("agent one {\n  tools [a\n}\nwords") == ["agent one {\n  tools [a\n}", "words"]
    assert pieces("agent one {\nretries x {\n}") == ["agent one {\nretries x {\n}"]


def test_a_misspelt_declaration_is_a_chunk_of_its_own() -> None:
    assert pieces(f"let a = 1\nagnet one {{\n  model a\n}}\n{TWO}") == [
        "let a = 1",
        "agnet one {\n  model a\n}",
        TWO,
    ]
    assert pieces("agent one {\n  model a\nflwo two {\n}\n") == ["agent one {\n  model a", "flwo two {\n}"]


def test_an_indented_first_declaration_is_not_lost() -> None:
    assert pieces("\n  let a = 1\nlet b = 2") == ["  let a = 1", "let b = 2"]


def test_white_space_between_chunks_belongs_to_none() -> None:
    text = f"\n\n{ONE}  \n\n\n{TWO}\n\n"
    assert split(text) == [(2, 2 + len(ONE)), (text.index("flow"), text.index("flow") + len(TWO))]


LINES = [
    "agent a {", "  model x", "}", "let b = 1", "# note", "", '  prompt """', '  """', "  } else {",
    "words without sense",
    "type T = A | B", "flow f(x: text) {", "agnet z {", "]", "  # inner", 'model m "a/b"', "test",
]  # fmt: skip


def touched(chunks: list[Chunk], start: int) -> int:
    return sum(end < start for _, end in chunks)


@pytest.mark.parametrize("seed", range(40))
def test_an_edit_resplits_to_what_a_whole_split_gives(seed: int) -> None:
    rng = random.Random(seed)
    text = "\n".join(rng.choice(LINES) for _ in range(60))
    chunks = split(text)
    for _ in range(20):
        start = rng.randrange(len(text) + 1)
        old_end = min(len(text), start + rng.choice([0, 0, 1, 5, 40]))
        inserted = rng.choice(
            ["", "\n", "x", '"""', "\n}\n", "\nagent n {\n  model x\n}\n", "\n" + rng.choice(LINES) + "\n"]
        )
        text = text[:start] + inserted + text[old_end:]
        new_end = start + len(inserted)
        first, last, new = resplit(text, chunks, touched(chunks, start), old_end, new_end)
        moved = new_end - old_end
        chunks = [*chunks[:first], *new, *((a + moved, b + moved) for a, b in chunks[last:])]
        assert chunks == split(text)


@pytest.mark.parametrize(
    ("text", "inserted"),
    [
        pytest.param("let b = 1\nflow f( {\n# the last\n", "words", id="behind the comments at the end"),
        pytest.param("let b = 1\nflow f( {\nagent a  ", "words", id="behind an unfinished head line"),
    ],
)
def test_what_is_typed_behind_the_last_declaration_may_join_it_to_the_one_before(
    text: str, inserted: str
) -> None:
    chunks = split(text)
    after = text + inserted
    first, last, new = resplit(after, chunks, touched(chunks, len(text)), len(text), len(after))
    assert [*chunks[:first], *new, *chunks[last:]] == split(after)


def test_an_edit_in_a_long_file_touches_its_neighbours_only() -> None:
    text = f"{ONE}\n\n" * 1000
    at = text.index("model", len(text) // 2)
    changed = text[:at] + "x" + text[at:]
    chunks = split(text)
    first, last, new = resplit(changed, chunks, touched(chunks, at), at, at + 1)
    assert last - first <= 4
    assert len(new) == last - first


INNER = ["x", " ", "# ", "if y", "\\", "'", "{", '"', "\n", "\r", ")", "", ""]


@pytest.mark.parametrize("seed", range(40))
def test_an_inner_edit_changes_the_length_of_its_chunk_alone(seed: int) -> None:
    rng = random.Random(seed)
    end = rng.choice(["\n", "\r\n", "\r"])
    found = 0
    for _ in range(400):
        old = end.join(rng.choice(LINES) for _ in range(rng.randrange(1, 12)))
        chunks = split(old)
        if not chunks:
            continue
        begin, finish = rng.choice(chunks)
        start = rng.randrange(begin, finish)
        old_end = min(len(old), start + rng.choice([0, 0, 1, 3]))
        inserted = rng.choice(INNER)
        new = old[:start] + inserted + old[old_end:]
        inner = after_inner(old[begin:finish], start - begin, old_end - begin, inserted)
        if inner is not None:
            assert inner == old[begin:start] + inserted + old[old_end:finish]
            moved = len(inserted) - (old_end - start)
            found += 1
            assert split(new) == [(a + moved * (a > start), b + moved * (b > start)) for a, b in chunks]
    assert found > 5


def test_typing_a_word_into_a_statement_or_a_text_is_an_inner_edit() -> None:
    text = 'agent a {\n  prompt """\n    Find one.\n    """\n  model x\n}'
    for place in ("one", "model", " a {"):
        at = text.index(place) + 2
        assert after_inner(text, at, at, "y") == f"{text[:at]}y{text[at:]}"
    at = text.index("model")
    assert after_inner(text, at + 1, at + 2, "") == text.replace("model", "mdel")
    assert after_inner(text, at, at, "y") is None
    assert after_inner(text, 1, 2, "") is None
