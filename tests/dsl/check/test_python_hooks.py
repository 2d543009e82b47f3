"""Python hooks: found and held against what names them, by reading the file and never by importing it."""

from __future__ import annotations

import pytest

from judgeflow.dsl.check.python_source import read_python
from judgeflow.dsl.diagnostics import Diagnostic
from judgeflow.dsl.workspace.analysis import Workspace

AROUND = """
tool search(query: text) -> json { python "hooks.py:search" }
agent writer { model "script/a"  prompt "Write."  judges [posted]  tools [get_order, search] }
flow main(task: text) -> text { return writer(task) }
"""
SEARCH = "\ndef search(query): ...\n"


def findings(text: str, python: str) -> list[Diagnostic]:
    files = {"hooks.py": (python + SEARCH).encode()}
    workspace = Workspace(files.get)
    workspace.update("main.judge", text + AROUND)
    return [found for found in workspace.analyse("main.judge").diagnostics if found.start < len(text)]


def tool(python: str, params: str = "id: text, limit: int = 3") -> list[Diagnostic]:
    text = f'tool get_order({params}) -> json {{ python "hooks.py:get_order" }}\n'
    text += 'code judge posted { require len(calls(get_order)) > 0 else "Look." }\n'
    return findings(text, python)


def judge(python: str, head: str = "code judge posted") -> list[Diagnostic]:
    model = "" if "code" in head else 'model "script/j"  '
    text = f'{head} {{ {model}python "hooks.py:posted" }}\ntool get_order(id: text) {{ python "hooks.py:get" }}\n'
    return findings(text, python + "\ndef get(id): ...")


@pytest.mark.parametrize(
    "python",
    [
        "def get_order(id, limit): ...",
        "async def get_order(id, limit=3): ...",
        "def get_order(*, id, limit): ...",
        "def get_order(id, **rest): ...",
        "def get_order(id, limit, verbose=False): ...",
        "from shop import get_order",
        "import shop as get_order",
        "get_order = make('order')",
        "get_order: object = make('order')",
        "@cached\ndef get_order(anything): ...",
        "class get_order: ...",
        "try:\n    from fast import get_order\nexcept ImportError:\n    def get_order(id, limit): ...",
        "if True:\n    def get_order(id, limit): ...",
    ],
)
def test_a_tools_function_is_called_with_its_parameters_by_name(python: str) -> None:
    assert tool(python) == []


@pytest.mark.parametrize(
    ("python", "label"),
    [
        ("def get_order(id): ...", "it has no `limit`"),
        ("def get_order(order_id, limit): ...", "it has no `id`, and nothing fills its `order_id`"),
        ("def get_order(id, limit, key): ...", "nothing fills its `key`"),
        ("def get_order(id, limit, *, key): ...", "nothing fills its `key`"),
        ("def get_order(id, /, limit): ...", "it has no `id`, and nothing fills its `id`"),
        ("def get_order(): ...", "it has no `id` and `limit`"),
    ],
)
def test_a_function_that_takes_something_else_is_found(python: str, label: str) -> None:
    (found,) = tool(python)
    assert (found.code, found.label) == ("python.signature", label)


@pytest.mark.parametrize(
    ("python", "message"),
    [
        ("def getorder(id): ...", "hooks.py has no function `get_order`"),
        ("class Shop:\n    def get_order(self, id, limit): ...", "hooks.py has no function `get_order`"),
        ("def get_order(:", "hooks.py cannot be read as Python: line 1: invalid syntax"),
        ("\0", "hooks.py cannot be read as Python"),
    ],
)
def test_a_function_that_is_not_there_is_found(python: str, message: str) -> None:
    found = tool(python)[0]
    assert found.code == "python.missing"
    assert found.message.startswith(message)


def test_a_slip_in_a_functions_name_can_be_fixed() -> None:
    text = 'tool get_order(id: text) { python "hooks.py:getorder" }\n'
    (found,) = findings(text + 'code judge posted { require true else "x" }\n', "def get_order(id): ...")
    (edit,) = found.fixes[0].edits
    assert text[: edit.start] + edit.text + text[edit.end :] == text.replace("getorder", "get_order")


def test_a_missing_file_and_a_name_without_a_function_are_found() -> None:
    text = 'tool get_order(id: text) { python "nowhere.py:f" }\ncode judge posted { python "hooks.py" }\n'
    assert [found.code for found in findings(text, "")] == ["python.missing", "python.missing"]


@pytest.mark.parametrize(
    "python",
    [
        "def posted(input): ...",
        "async def posted(anything, *, run, search): ...",
        "def posted(input, verbose=False, *, run=None): ...",
        "def posted(input, *, unknown=None): ...",
        "def posted(*args): ...",
        "from checks import posted",
    ],
)
def test_a_judges_function_takes_one_input_and_what_it_asks_for_by_name(python: str) -> None:
    assert judge(python) == []


@pytest.mark.parametrize(
    ("python", "code"),
    [
        ("def posted(): ...", "python.signature"),
        ("def posted(input, search): ...", "python.signature"),
        ("def posted(input, *, serach): ...", "python.signature"),
        ("def posted(input, *, writer): ...", "python.signature"),
        ("def posted(input, *, model): ...", "judge.model-on-code-judge"),
    ],
)
def test_a31_what_nothing_provides_is_found(python: str, code: str) -> None:
    (found,) = judge(python)
    assert found.code == code


def test_a07_only_a_code_judge_may_not_ask_for_the_model() -> None:
    assert judge("def posted(input, *, model): ...", "judge posted") == []


def test_a_judges_further_parameters_are_provided() -> None:
    text = 'code judge posted(reply: text, bar: float = 0.5) { python "hooks.py:posted" }\n'
    text += 'tool get_order(id: text) { python "hooks.py:get" }\n'
    python = "def posted(input, *, bar): ...\ndef get(id): ..."
    assert findings(text, python) == []


def test_a_tool_that_only_a_hook_uses_is_used() -> None:
    text = (
        'tool lookup(id: text) { python "hooks.py:lookup" }\n'
        'code judge posted { python "hooks.py:posted" }\n'
        'tool get_order(id: text) { python "hooks.py:lookup" }\n'
    )
    assert findings(text, "def lookup(id): ...\ndef posted(input, *, lookup): ...") == []


def test_i01_the_file_is_never_run() -> None:
    assert tool("raise SystemExit('imported')\ndef get_order(id, limit): ...") == []


def test_what_is_known_of_a_function_is_kept_for_the_runtime() -> None:
    workspace = Workspace({"hooks.py": b"async def posted(input, *, run): ..."}.get)
    workspace.update("main.judge", 'code judge posted { python "hooks.py:posted" }\n')
    hook = workspace.analyse("main.judge").hook("posted")
    assert hook is not None
    assert (hook.is_async, hook.parameters, hook.injected) == (True, ("input",), ("run",))


def test_deeply_nested_python_is_a_problem_and_no_crash() -> None:
    assert read_python(b"x = " + b"(" * 5000 + b")" * 5000).problem
