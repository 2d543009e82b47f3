from __future__ import annotations

import pytest

TYPE = "type Order { status: text }\n"


@pytest.mark.parametrize(
    "text",
    [
        'tool get(id: text, limit: int = 8) -> Order[] "Finds" { python "shop.py:get"  timeout 10s  secret [id] }',
        'tool pager(message: text) { python "ops.py:page" }',
        'tool browse { mcp "npx -y @acme/browser" only [open, click]  timeout 30s }',
    ],
)
def test_a_sound_tool_is_accepted(check, text) -> None:
    assert check(f"{TYPE}{text}\n").short == []


@pytest.mark.parametrize(
    ("text", "code", "at", "message"),
    [
        ("tool it { }", "clause.missing", "it", "`it` has neither `python` nor `mcp`"),
        (
            'tool it { mcp "x"  python "a.py:b" }',
            "clause.misplaced",
            "python",
            "`it` takes `python` or `mcp`, not both",
        ),
        (
            'tool it { python "a.py:b"  timeout 0s }',
            "value.range",
            "0s",
            "`timeout` takes a time that is more than nothing",
        ),
        (
            'tool it(id: text) { python "a.py:b"  secret [idd] }',
            "name.unknown",
            "idd",
            "`it` has no parameter `idd`",
        ),
        (
            'tool it(id: text) { mcp "x" }',
            "clause.misplaced",
            "id: text",
            "`it` is an MCP server, whose functions have their own parameters and shapes",
        ),
        (
            'tool it { mcp "x"  secret [id] }',
            "clause.misplaced",
            "secret",
            "`it` is an MCP server, whose functions have their own parameters",
        ),
        ('tool it { mcp "x" only [a, a] }', "name.duplicate", "a", "`a` is listed twice"),
        ('tool it { mcp " " }', "value.range", '" "', "The command is blank"),
        (
            'tool it { python "{{ a }}.py:b" }',
            "text.not-a-template",
            "a",
            "The name of a Python function is not a template, so `{{ }}` cannot stand in it",
        ),
        ('tool it(o: Ordr) { python "a.py:b" }', "name.unknown", "Ordr", "There is no type `Ordr`"),
        (
            'tool it(a: int = "x") { python "a.py:b" }',
            "shape.mismatch",
            '"x"',
            '`a` is int, but its default is "x"',
        ),
    ],
)
def test_what_is_wrong_with_a_tool(check, text, code, at, message) -> None:
    only = check(f"{TYPE}{text}\n").only
    assert (only.code, only.at, only.message) == (code, at, message)


def test_a_default_may_be_null_where_the_parameter_may(check) -> None:
    assert check('tool it(a: int? = null, b: float = 1) { python "a.py:b" }\n').short == []
