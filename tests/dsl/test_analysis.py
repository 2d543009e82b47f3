"""The workspace: edits cost what they change, and what it says is what a fresh look would say."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from judgeflow.dsl.check.document import difference
from judgeflow.dsl.diagnostics import Diagnostic, Edit
from judgeflow.dsl.workspace import kept
from judgeflow.dsl.workspace.analysis import Analysis, Workspace

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.judge"))
MODELS = 'model small "script/a"\n'
MAIN = """import "models.judge"

agent writer { model small  prompt "Write." }

flow main(x: text) -> text { return writer(x) }
"""


def workspace(**files: str) -> Workspace:
    """A workspace over texts; `__` in a name is a dot."""
    named = {name.replace("__", "."): text.encode() for name, text in files.items()}
    return Workspace(named.get)


def codes(analysis: Analysis) -> list[str]:
    return [found.code for found in analysis.diagnostics if found.severity != "hint"]


def first_error(analysis: Analysis) -> Diagnostic:
    return next(found for found in analysis.diagnostics if found.severity == "error")


def fresh(path: str, texts: dict[str, str], *, reading: str | None = None) -> Analysis:
    """A file as a workspace sees it that has never seen another text; with `reading`, that file is known to it."""
    new = Workspace(lambda name: texts[name].encode() if name in texts else None)
    if reading is not None:
        new.reach(reading)
    for name, text in texts.items():
        new.update(name, text)
    return new.analyse(path)


# --- an edited text is like a new one ----------------------------------------------------------------------


def mutated(text: str, random_: random.Random) -> str:
    """The text after one edit such as people make."""
    at = random_.randrange(len(text) + 1)
    kind = random_.randrange(5)
    if kind == 0:
        return text[:at] + random_.choice("abc\n{}\"[( ='#é") + text[at:]
    if kind == 1:
        return text[:at] + text[at + random_.randrange(1, 4) :]
    if kind == 2:
        end = min(len(text), at + random_.randrange(200))
        return text[:at] + text[end:]
    if kind == 3:
        start = random_.randrange(len(text) + 1)
        return text[:at] + text[start : start + random_.randrange(300)] + text[at:]
    return (
        text[:at]
        + random_.choice(["\nflow extra(x: text) -> text { return x }\n", "writer", "\r\n"])
        + text[at:]
    )


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_after_any_edits_the_findings_are_those_of_a_fresh_look(path: Path) -> None:
    random_ = random.Random(path.stem)
    text = path.read_text(encoding="utf-8")
    known = Workspace(lambda name: None)
    for step in range(12):
        known.update("main.judge", text)
        found = known.analyse("main.judge")
        expected = fresh("main.judge", {"main.judge": text})
        assert found.diagnostics == expected.diagnostics, f"step {step}"
        assert [item.offset for item in found.module.items] == [item.offset for item in expected.module.items]
        text = mutated(text, random_) if step != 6 else path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("abc", "abc", (3, 3, 3)),
        ("", "abc", (0, 0, 3)),
        ("abc", "", (0, 3, 0)),
        ("abc", "abxc", (2, 2, 3)),
        ("abc", "ac", (1, 2, 1)),
        ("aaa", "aaaa", (3, 3, 4)),
        ("abc", "xyz", (0, 3, 3)),
        ("one two three", "one 2 three", (4, 7, 5)),
    ],
)
def test_the_difference_of_two_texts_is_the_smallest_edit(
    old: str, new: str, expected: tuple[int, int, int]
) -> None:
    start, end, new_end = expected
    assert difference(old, new) == Edit(start, end, new[start:new_end])


LIBRARY = """model small "vendor/unpriced"
agent writer(task: text) { model small  prompt "Write." }
type Job { title: text }
limits { cost $1 per run }
"""
USER = """import "library.judge"

flow main(x: text) -> text { return writer(x) }
let spare = "x"
agent other(job: Job) { model "vendor/none"  prompt "{{ job.title }}" }
"""


@pytest.mark.parametrize("seed", range(10))
def test_after_edits_in_files_that_import_each_other_the_findings_are_those_of_a_fresh_look(
    seed: int,
) -> None:
    random_ = random.Random(seed)
    known = Workspace(lambda name: None)
    texts = {"user.judge": USER, "library.judge": LIBRARY, "more.judge": 'import "user.judge"\n'}
    for name, text in texts.items():
        known.update(name, text)
    for step in range(25):
        name = random_.choice(list(texts))
        texts[name] = mutated(texts[name], random_)
        known.update(name, texts[name])
        if random_.random() < 0.6:
            for path in texts:
                found, expected = known.analyse(path), fresh(path, texts, reading="more.judge")
                assert found.diagnostics == expected.diagnostics, f"step {step}, {path}"
                assert found.names == expected.names


def test_which_of_two_imports_comes_first_decides_what_a_name_in_both_stands_for() -> None:
    texts = {
        "one.judge": "let low = 1\nflow one(x: text) -> text { return x }\n",
        "two.judge": 'let low = "a"\nflow two(x: text) -> text { return x }\n',
    }
    main = 'let twice = low + 1\ntest "t" for nothing { expect result == 1 }\n'
    known = Workspace(lambda name: None)
    for name, text in texts.items():
        known.update(name, text)
    found = []
    for first, second in (("one", "two"), ("two", "one"), ("one", "two")):
        texts["main.judge"] = f'import "{first}.judge"\nimport "{second}.judge"\n{main}'
        known.update("main.judge", texts["main.judge"])
        found.append(known.analyse("main.judge").diagnostics)
        assert found[-1] == fresh("main.judge", texts).diagnostics
    assert found[0] != found[1]


def test_a_syntax_error_silences_what_is_said_of_names_that_nothing_uses() -> None:
    text = (
        'let spare = 1\nflow main(x: text) -> text { return x }\nagent a { model "script/a"  prompt "x" }\n'
    )
    known = workspace(main__judge=text)
    assert "name.unused" in {found.code for found in known.analyse("main.judge").diagnostics}
    known.update("main.judge", text.replace('prompt "x"', 'prompt "x'))
    assert "name.unused" not in {found.code for found in known.analyse("main.judge").diagnostics}


def test_what_imports_a_file_over_another_that_is_to_be_read_again_is_affected() -> None:
    files = {"a.judge": b'import "b.judge"\n', "b.judge": b'import "c.judge"\n', "c.judge": b"let x = 1\n"}
    known = Workspace(files.get)
    known.analyse("a.judge")
    assert known.affected("c.judge") == ("c.judge", "b.judge", "a.judge")
    known.forget("b.judge")
    assert known.affected("c.judge") == ("c.judge", "b.judge", "a.judge")
    files["b.judge"] = b"let y = 1\n"
    known.forget("b.judge")
    assert known.affected("c.judge") == ("c.judge",)


def test_what_imports_a_file_without_its_ending_is_affected_by_it() -> None:
    known = Workspace(lambda name: None)
    known.update("main.judge", 'import "models"\n')
    assert "models.judge" not in first_error(known.analyse("main.judge")).help
    known.update("models.judge", MODELS)
    assert known.affected("models.judge") == ("models.judge", "main.judge")
    assert "models.judge" in first_error(known.analyse("main.judge")).help


# --- what is looked at again -------------------------------------------------------------------------------


class Counting:
    """Counts the declarations that are checked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.checked: list[str] = []
        check = kept.check_declaration

        def counted(node: object, *rest: object) -> object:
            self.checked.append(type(node).__name__)
            return check(node, *rest)  # type: ignore[arg-type]

        monkeypatch.setattr(kept, "check_declaration", counted)

    def taken(self) -> list[str]:
        found, self.checked = sorted(self.checked), []
        return found


SMALL = """\
model small "script/a"
type Job { title: text }
agent writer(task: text) { model small  prompt "Write." }
agent other(job: Job) { model small  prompt "Write." }
flow main(x: text) -> text { return writer(x) }
flow aside(x: Job) -> text { return other(x) }
"""


def test_a_change_inside_one_declaration_checks_that_one(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Counting(monkeypatch)
    known = workspace(main__judge=SMALL)
    known.analyse("main.judge")
    assert len(counting.taken()) == 6
    known.update("main.judge", SMALL.replace("Write.", "Write well.", 1))
    known.analyse("main.judge")
    assert counting.taken() == ["Agent"]


def test_a_change_of_what_is_offered_checks_those_that_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Counting(monkeypatch)
    known = workspace(main__judge=SMALL)
    known.analyse("main.judge")
    counting.taken()
    known.update("main.judge", SMALL.replace("writer(task: text)", "writer(task: int)"))
    assert codes(known.analyse("main.judge")) == ["flow.wrong-arguments"]
    assert counting.taken() == ["Agent", "Flow"]


def test_moving_everything_checks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Counting(monkeypatch)
    known = workspace(main__judge=SMALL)
    known.analyse("main.judge")
    counting.taken()
    known.update("main.judge", "\n\n" + SMALL)
    known.analyse("main.judge")
    assert counting.taken() == []


def test_an_unknown_name_is_looked_at_again_when_names_come_and_go() -> None:
    known = workspace(main__judge=SMALL.replace("return writer(x)", "return wrter(x)"))
    assert "writer" in first_error(known.analyse("main.judge")).help
    known.update(
        "main.judge",
        SMALL.replace("return writer(x)", "return wrter(x)").replace("agent writer", "agent poet"),
    )
    assert "writer" not in first_error(known.analyse("main.judge")).help


# --- imports -----------------------------------------------------------------------------------------------


def test_names_of_imported_files_are_in_sight_and_those_of_importers_are_not() -> None:
    known = workspace(main__judge=MAIN, models__judge=MODELS)
    analysis = known.analyse("main.judge")
    assert codes(analysis) == []
    assert analysis.names == ("writer", "main", "small")
    assert analysis.surface("small") is not None
    assert known.analyse("models.judge").surface("writer") is None


def test_imports_are_followed_from_folder_to_folder() -> None:
    files = {
        "flows/main.judge": b'import "../shared/agents.judge"\nflow main(x: text) -> text { return writer(x) }\n',
        "shared/agents.judge": b'import "models.judge"\nagent writer { model small  prompt "Write." }\n',
        "shared/models.judge": MODELS.encode(),
    }
    analysis = Workspace(files.get).analyse("flows/main.judge")
    assert codes(analysis) == []
    assert analysis.reach.files == tuple(files)
    place = analysis.declaration("small")
    assert place is not None
    assert place[0] == "shared/models.judge"


def test_a_changed_import_rechecks_its_users() -> None:
    known = workspace(main__judge=MAIN, models__judge=MODELS)
    assert codes(known.analyse("main.judge")) == []
    known.update("models.judge", 'model tiny "script/a"\n')
    assert known.affected("models.judge") == ("models.judge", "main.judge")
    assert codes(known.analyse("main.judge")) == ["name.unknown"]
    known.forget("models.judge")
    assert codes(known.analyse("main.judge")) == []


def test_a_missing_import_is_one_cause_and_hides_what_follows_from_it() -> None:
    known = workspace(main__judge=MAIN)
    assert codes(known.analyse("main.judge")) == ["import.missing"]
    assert known.affected("models.judge") == ("main.judge",)
    known.update("models.judge", MODELS)
    assert codes(known.analyse("main.judge")) == []


def test_an_import_that_is_no_utf8_is_one_cause_too() -> None:
    known = Workspace({"main.judge": MAIN.encode(), "models.judge": b"model small \xff"}.get)
    assert codes(known.analyse("main.judge")) == []
    assert codes(known.analyse("models.judge")) == ["syntax.encoding"]


def test_a_file_that_was_no_utf8_is_read_anew_when_an_editor_opens_it() -> None:
    known = Workspace({"main.judge": b'let city = "Z\xfcrich"\n'}.get)
    assert codes(known.analyse("main.judge")) == ["syntax.encoding"]
    known.update("main.judge", 'let city = "Z\ufffdrich"\n')
    assert codes(known.analyse("main.judge")) == []
    assert known.analyse("main.judge").names == ("city",)


def test_a_circle_of_imports_is_found_in_every_file_of_it() -> None:
    known = workspace(
        a__judge='import "b.judge"\n', b__judge='import "c.judge"\n', c__judge='import "b.judge"\n'
    )
    assert codes(known.analyse("a.judge")) == []
    assert codes(known.analyse("b.judge")) == ["import.cycle"]
    assert codes(known.analyse("c.judge")) == ["import.cycle"]


def test_a_file_that_imports_itself_says_so() -> None:
    (found,) = workspace(a__judge='import "./a.judge"\n').analyse("a.judge").diagnostics
    assert (found.code, found.message) == ("import.cycle", "This file imports itself")


def test_a_name_clash_across_files_names_both_places() -> None:
    known = workspace(main__judge=MAIN + MODELS, models__judge=MODELS)
    (found,) = known.analyse("main.judge").diagnostics
    assert found.code == "name.duplicate"
    assert found.labels[0].path == "models.judge"
    assert codes(known.analyse("models.judge")) == []


def test_imported_files_that_clash_are_reported_where_they_meet() -> None:
    known = workspace(
        main__judge='import "a.judge"\nimport "b.judge"\nflow main(x: text) -> text { return x }\n',
        a__judge=MODELS,
        b__judge=MODELS,
    )
    (found,) = [each for each in known.analyse("main.judge").diagnostics if each.severity == "error"]
    assert found.code == "name.duplicate"
    assert [label.path for label in found.labels] == ["a.judge", "b.judge"]


def test_a_file_reached_on_two_ways_does_not_clash_with_itself() -> None:
    known = workspace(
        main__judge='import "a.judge"\nimport "b.judge"\n',
        a__judge='import "m.judge"\n',
        b__judge='import "m.judge"\n',
        m__judge=MODELS,
    )
    assert codes(known.analyse("main.judge")) == []


@pytest.mark.parametrize("path", ["/p/main.judge", "p/main.judge", "./p/main.judge"])
def test_one_file_has_one_path_however_it_is_spelled(path: str) -> None:
    known = Workspace(lambda name: None)
    known.update(path, 'import "models.judge"\n' + MODELS)
    known.update(path.replace("main", "../p/models"), "")
    assert codes(known.analyse(path.replace("/p/", "/x/../p/"))) == []


# --- what is hidden, what is hinted ------------------------------------------------------------------------


def test_a_declaration_with_a_syntax_error_says_that_and_nothing_else() -> None:
    text = SMALL.replace(
        'agent writer(task: text) { model small  prompt "Write." }',
        "agent writer(task: text) { modle small }",
    )
    found = codes(workspace(main__judge=text).analyse("main.judge"))
    assert found == ["clause.unknown"]


def test_uses_of_a_type_with_a_syntax_error_are_left_alone() -> None:
    text = (
        SMALL.replace("{ title: text }", "{ title: txet }")
        + 'code judge j(reply: Job) { require reply.pay > 0 else "x" }\n'
    )
    assert "shape.no-field" not in codes(workspace(main__judge=text).analyse("main.judge"))


def hints(text: str, **files: str) -> list[str]:
    known = workspace(main__judge=text, **files)
    for name in files:
        known.analyse(name.replace("__", "."))
    return [found.message for found in known.analyse("main.judge").diagnostics if found.severity == "hint"]


def test_a_name_that_nothing_mentions_is_a_hint() -> None:
    assert hints(SMALL + 'let spare = "x"\n') == ["Nothing uses `spare`"]
    assert hints(SMALL + 'let spare = "x"\nflow other_flow(x: text) -> text { return spare }\n') == []


def test_a_library_is_not_told_that_its_names_are_unused() -> None:
    assert hints(MODELS) == []
    assert hints(SMALL + 'let spare = "x"\n', user__judge='import "main.judge"\n') == []


def test_an_import_that_nothing_uses_is_a_hint_unless_it_works_by_being_there() -> None:
    flow = 'import "more.judge"\nflow main(x: text) -> text { return x }\n'
    assert hints(flow, more__judge=MODELS) == ["Nothing from more.judge is used here"]
    assert hints(flow, more__judge="limits { calls 3 per run }\n") == []
    assert hints(flow, more__judge="flow more(x: text) -> text { return x }\n") == []


# --- other files -------------------------------------------------------------------------------------------


def test_a_python_file_that_changes_is_read_again() -> None:
    files = {"main.judge": b'tool t(id: text) { python "t.py:t" }\n', "t.py": b"def t(id): ..."}
    known = Workspace(files.get)
    assert codes(known.analyse("main.judge")) == []
    files["t.py"] = b"def t(key): ..."
    known.forget("t.py")
    assert known.affected("t.py") == ("main.judge",)
    assert codes(known.analyse("main.judge")) == ["python.signature"]


def test_a_file_that_is_not_there_is_an_error_of_the_caller() -> None:
    with pytest.raises(FileNotFoundError):
        workspace().analyse("main.judge")


def test_an_analysis_stays_as_it_was_when_the_text_goes_on() -> None:
    known = workspace(main__judge=SMALL)
    before = known.analyse("main.judge")
    known.update("main.judge", "")
    assert known.analyse("main.judge").names == ()
    assert before.surface("writer") is not None
    assert before.source.text == SMALL
    assert len(before.module.items) == 6


def test_positions_in_other_declarations_follow_when_these_move() -> None:
    text = SMALL.replace("return writer(x)", "return writer(1)")
    known = workspace(main__judge=text)
    known.analyse("main.judge")
    known.update("main.judge", "# a comment\n\n" + text)
    (found,) = known.analyse("main.judge").diagnostics
    label = found.labels[0]
    assert known.analyse("main.judge").source.text[label.start : label.end] == "writer"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('import ""\n', ["value.range"]),
        ('import "{{ x }}.judge"\n', ["text.not-a-template"]),
        ('import "models.py"\n', ["import.missing"]),
        ('import "nothing.judge"\n', ["import.missing"]),
        ('import "models.judge"\nimport "./models.judge"\n', ["name.duplicate"]),
        ('import "a.judge"\nimport "models.judge"\n', []),
    ],
)
def test_an_import_names_a_file_once(text: str, expected: list[str]) -> None:
    known = workspace(
        main__judge=text,
        models__judge=MODELS,
        models__py='model x "script/a"\n',
        a__judge='import "models.judge"\n',
    )
    assert codes(known.analyse("main.judge")) == expected
