"""Flows: what has a value where, what runs at all, what may be called where, and what comes out."""

from __future__ import annotations

from textwrap import indent

import pytest

from judgeflow.dsl import ast
from judgeflow.dsl.check.base import CallableSurface, Report, Scope, Surface
from judgeflow.dsl.check.flows import check_flow
from judgeflow.dsl.diagnostics import Diagnostic
from judgeflow.dsl.parse import parse
from judgeflow.dsl.shapes import Text
from judgeflow.dsl.source import Source
from judgeflow.dsl.workspace.analysis import Workspace

AROUND = """
model small "script/a"
model jev "script/b" { kind decision }
type Ticket { id: text  title: text  customer: text?  tags: text[] }
type Offer { salary: int }
type Refusal { why: text }
type Outcome = Offer | Refusal
type Level = "low" | "high"
agent writer(task: text) { model small  prompt "Write." }
agent critic { model small  prompt "Pick." }
agent recruiter -> Outcome { model small  prompt "Decide." }
agent recruiters -> Outcome[] { model small  prompt "Decide." }
agent leveller -> Level { model small  prompt "Say." }
tool pager(message: text) { python "ops.py:page" }
code judge short { require len(reply) < 400 else "Shorter." }
gate fine(input) { scorers { contains "ok" } }
condition urgent(ticket: Ticket) { model jev  ask "Urgent?"  confidence at least 0.8 }
condition angry(ticket: Ticket) { model jev  ask "Angry?" }
choice team(ticket: Ticket) { model jev  ask "Whose?"  options { billing  technical } }
choice desk(ticket: Ticket) { model jev  ask "Whose?"  options { billing  technical }  confidence at least 0.7 }
scale risk(answer: text) { model jev  ask "Risky?"  levels ["low", "very high"] }
let later = "Later."
"""


def findings(flow: str) -> list[Diagnostic]:
    """What is wrong with the flows of a text, as errors."""
    workspace = Workspace(lambda path: b"def page(message): ..." if path == "ops.py" else None)
    workspace.update("main.judge", flow + AROUND)
    found = workspace.analyse("main.judge").diagnostics
    return [each for each in found if each.start < len(flow) and each.severity == "error"]


def codes(flow: str) -> list[str]:
    return [found.code for found in findings(flow)]


def body(statements: str, params: str = "ticket: Ticket, task: text") -> str:
    return f"flow main({params}) -> text {{\n{indent(statements, '  ')}\n}}\n"


# --- values on all paths, on some, and on none -------------------------------------------------------------


@pytest.mark.parametrize(
    "statements",
    [
        "if len(task) > 1 { x = task } else { x = later }\nreturn x",
        "if len(task) > 1 { x = task } else { return later }\nreturn x",
        'if len(task) > 1 { x = task } else { stop "no" }\nreturn x',
        'if len(task) > 1 { x = task } else if len(task) > 2 { x = later } else { x = "" }\nreturn x',
        'if urgent(ticket) { x = task } uncertain { x = later } else { x = "" }\nreturn x',
        "switch team(ticket) { case billing { x = task } case technical { x = later } }\nreturn x",
        "switch desk(ticket) { case billing { x = task } case technical { x = later } uncertain { return task } }\n"
        "return x",
        'parallel { x = writer(task)  y = writer(later) }\nreturn "{{ x }}{{ y }}"',
        "x = task\nloop at most 3 times until len(x) > 9 { x = writer(x) }\nreturn x",
        "loop at most 3 times { x = writer(task) }\nreturn x",
        'with context { tenant: "a" } { x = writer(task) }\nreturn x',
        "x = 1\nx = writer(task)\nreturn x",
    ],
)
def test_a_name_bound_on_every_path_that_goes_on_is_bound_after(statements: str) -> None:
    assert codes(body(statements)) == []


@pytest.mark.parametrize(
    "statements",
    [
        "if len(task) > 1 { x = task }\nreturn x",
        "if len(task) > 1 { x = task } else { y = task }\nreturn x",
        "if urgent(ticket) { x = task } uncertain { } else { x = later }\nreturn x",
        "switch team(ticket) { case billing { x = task } case technical { } }\nreturn x",
        "loop at most 3 times until len(task) > 9 { x = writer(task) }\nreturn x",
        "loop at most 3 times until len(x) > 9 { x = writer(task) }\nreturn task",
        "y = x\nx = task\nreturn y",
        "parallel { x = writer(task)  y = writer(x) }\nreturn y",
        'if len(task) > 1 { x = task }\nif len(task) > 2 { x = later }\nreturn "{{ x }} {{ x }}"',
    ],
)
def test_u54_a_name_that_may_have_no_value_is_reported_once(statements: str) -> None:
    assert codes(body(statements)) == ["flow.unbound"]


def test_the_second_use_of_an_unbound_name_is_not_another_cause() -> None:
    text = body('if len(task) > 1 { x = task }\ny = writer(x)\nreturn "{{ x }}{{ y }}"')
    (found,) = findings(text)
    assert text[found.start : found.end] == "x"
    assert text[found.labels[0].start : found.labels[0].end] == "x"


def test_a_parameter_of_a_constant_hides_nothing_and_an_unknown_name_stays_unknown() -> None:
    assert codes(body("return nothing")) == ["name.unknown"]
    assert codes(body("later = task\nreturn later")) == []


def test_a_constant_may_be_read_before_a_flow_binds_its_name() -> None:
    assert codes(body("x = later\nlater = x\nreturn later")) == []


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("return task\nwriter(task)", "flow.unreachable"),
        ("stop \"no\"\nreturn task", "flow.unreachable"),
        ("if angry(ticket) { return task } else { stop \"no\" }\nreturn later", "flow.unreachable"),
        ("switch team(ticket) { case billing { return task } case technical { return later } }\nreturn task",
         "flow.unreachable"),
        ("with context { a: 1 } { return task }\nreturn later", "flow.unreachable"),
        ("loop at most 2 times { pager(task) } else { stop \"no\" }\nreturn task", "flow.unreachable"),
        ("writer(task)", "flow.no-return"),
        ("if angry(ticket) { return task }", "flow.no-return"),
        ("loop at most 2 times until angry(ticket).value { return task }", "flow.no-return"),
        ("if urgent(ticket) { return task } uncertain { } else { return later }", "flow.no-return"),
        ("parallel { x = writer(task)  x = writer(later) }\nreturn x", "flow.race-binding"),
    ],
)  # fmt: skip
def test_what_never_runs_and_what_never_answers(statements: str, expected: str) -> None:
    found = [code for code in codes(body(statements)) if code != "flow.hidden-call"]
    assert found == [expected]


def test_a_flow_without_a_shape_needs_no_return() -> None:
    assert codes("flow main(task: text) { pager(task) }\n") == []


@pytest.mark.parametrize("head", ["loop at most 2 times {", "loop at most 2 times until task == later {"])
def test_loops_in_loops_are_not_walked_twice_as_often_for_each_of_them(head: str) -> None:
    assert look_ups(head, depth=24) <= 5 * look_ups(head, depth=12)


def look_ups(head: str, depth: int) -> int:
    """How often a check of loops in loops asks what a name stands for."""
    text = body(f"{head}\n" * depth + "x = writer(task)\n" + "}\n" * depth + "return task", "task: text")
    [item] = parse(Source("main.judge", text)).items
    asked: list[str] = []

    def find(name: str) -> Surface | None:
        asked.append(name)
        return CallableSurface("agent", "writer", (), Text()) if name == "writer" else None

    assert isinstance(item.node, ast.Flow)
    check_flow(item.node, Scope(find, tuple), Report())
    return len(asked)


def test_a_loop_that_stops_when_its_turns_are_spent_needs_no_return_there() -> None:
    assert (
        codes(
            body(
                'loop at most 2 times until len(task) > 3 { task = writer(task) } else { stop "no" }\nreturn task'
            )
        )
        == []
    )


@pytest.mark.parametrize(
    ("statements", "params", "label"),
    [
        ("return len(task)", "task: text", "this is int"),
        ("return ticket", "ticket: Ticket", "this is Ticket"),
        ("return recruiter(task)", "task: text", "this is Offer | Refusal"),
    ],
)
def test_a_flow_returns_what_it_promises(statements: str, params: str, label: str) -> None:
    (found,) = findings(body(statements, params))
    assert (found.code, found.label) == ("shape.mismatch", label)


# --- narrowing ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statements",
    [
        "a = recruiter(task)\nif a is Offer { return text(a.salary) }\nreturn a.why",
        "a = recruiter(task)\nif a is Refusal { stop a.why_ }".replace(
            " stop a.why_ ", ' stop "{{ a.why }}" '
        )
        + "\nreturn text(a.salary)",
        "a = recruiter(task)\nswitch a { case Offer { return text(a.salary) } case Refusal { return a.why } }",
        "a = try writer(task)\nif a.ok { return a.value }\nreturn a.reason",
        "a = try writer(task)\nif not a.ok { return a.reason }\nreturn a.value",
        "a = try writer(task)\nif a.ok and len(a.value) > 3 { return a.value }\nreturn later",
        "a = try writer(task)\nloop at most 3 times until a.ok { a = try writer(task) }\nreturn a.value",
        "if ticket.customer == null { return later }\nreturn ticket.customer",
        "found = try fine(task)\nif found.passed { return found.report }\nreturn later",
    ],
)
def test_what_a_branch_knows_holds_in_it_and_after_it(statements: str) -> None:
    assert codes(body(statements)) == []


@pytest.mark.parametrize(
    "statements",
    [
        "a = recruiter(task)\nreturn a.why",
        "a = recruiter(task)\nif a is Offer { return a.why }\nreturn later",
        "a = recruiter(task)\nswitch a { case Offer { return a.why } case Refusal { return a.why } }",
    ],
)
def test_a_field_of_one_type_is_not_there_before_it_is_known(statements: str) -> None:
    assert codes(body(statements)) == ["shape.no-field"]


def test_a_later_value_takes_back_what_was_known() -> None:
    text = "a = recruiter(task)\nif a is Offer { a = recruiter(task)  return text(a.salary) }\nreturn later"
    assert codes(body(text)) == ["shape.no-field"]


# --- decisions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("if urgent(ticket) { return task } return later", ["decision.no-uncertain"]),
        ("if urgent(ticket) { return task } uncertain { return task } return later", []),
        ("if urgent(ticket) { return task } uncertain below 0.9 { return task } return later", []),
        ("if angry(ticket) { return task } return later", []),
        ("if angry(ticket) { return task } uncertain { return task } return later", ["decision.uncertain-unreachable"]),
        ("if angry(ticket) { return task } uncertain below 0.7 { return task } return later", []),
        ("if angry(ticket) { return task } uncertain below 1.7 { return task } return later", ["decision.confidence"]),
        ("if angry(ticket) { return task } uncertain below 0 { return task } return later",
         ["decision.uncertain-unreachable"]),
        ("if len(task) > 1 { return task } uncertain { return task } return later", ["decision.uncertain-unreachable"]),
        ("if not urgent(ticket) { return task } return later", ["decision.no-uncertain"]),
        ("if urgent(ticket) and len(task) > 1 { return task } return later", ["decision.no-uncertain"]),
        ("sure = urgent(ticket)\nif sure.value { return task } return later", []),
        ("sure = urgent(ticket)\nif sure { return task } return later", ["shape.mismatch"]),
        ("if team(ticket) { return task } return later", ["shape.mismatch"]),
        ("if risk(task) { return task } return later", ["shape.mismatch"]),
        ("if urgent(ticket) { return text(decision.confidence) } uncertain { return text(decision.minimum) }\n"
         "return task", []),
        ("if angry(ticket) { x = 1 }\nreturn text(decision.confidence)", ["name.unknown"]),
        ("if angry(ticket) { if task == later { x = 1 }\nreturn text(decision.confidence) }\nreturn task", []),
        ("if angry(ticket) { loop at most 2 times { x = decision.confidence }\n"
         "return text(decision.confidence) }\nreturn task", []),
        ("if angry(ticket) { if urgent(ticket) { } uncertain { return text(decision.minimum) }\n"
         "return text(decision.minimum) }\nreturn task", ["shape.no-field"]),
        ("if urgent(ticket) { return task } uncertain { } else if angry(ticket) { return later }\nreturn later", []),
    ],
)  # fmt: skip
def test_a58_a59_a60_a_confidence_and_an_uncertain_branch_belong_together(
    statements: str, expected: list[str]
) -> None:
    assert codes(body(statements)) == expected


@pytest.mark.parametrize(
    ("switch", "expected"),
    [
        ("switch team(ticket) { case billing { } case technical { } }", []),
        ("switch team(ticket) { case billing { } }", ["switch.missing-case"]),
        ("switch team(ticket) { case billing { } case technical { } case account { } }", ["switch.extra-case"]),
        ("switch team(ticket) { case billing { } case billing { } case technical { } }", ["switch.extra-case"]),
        ('switch team(ticket) { case "billing" { } case technical { } }', ["switch.extra-case"]),
        ("switch team(ticket).choice { case \"billing\" { } case \"technical\" { } }", []),
        ("switch desk(ticket) { case billing { } case technical { } }", ["decision.no-uncertain"]),
        ("switch desk(ticket) { case billing { } case technical { } uncertain { } }", []),
        ("switch team(ticket) { case billing { } case technical { } uncertain { } }",
         ["decision.uncertain-unreachable"]),
        ("switch team(ticket) { case billing { } case technical { } uncertain below 0.5 { } }", []),
        ('switch risk(task) { case "low" { } case "very high" { } }', []),
        ('switch risk(task).label { case "low" { } }', ["switch.missing-case"]),
        ("switch risk(task).label { case low { } case \"very high\" { } }", ["switch.extra-case"]),
        ("switch recruiter(task) { case Offer { } case Refusal { } }", []),
        ("switch recruiter(task) { case Offer { } }", ["switch.missing-case"]),
        ("switch recruiter(task) { case Offer { } case Refusal { } case Ticket { } }", ["switch.extra-case"]),
        ('switch leveller(task) { case "low" { } case "high" { } }', []),
        ('switch leveller(task) { case "low" { } case "higher" { } case "high" { } }', ["switch.extra-case"]),
        ("switch task { case \"a\" { } }", ["shape.mismatch"]),
        ("switch angry(ticket) { case yes { } }", ["shape.mismatch"]),
        ("switch ticket.customer { case \"a\" { } }", ["shape.mismatch"]),
        ("switch len(task) > 1 { case yes { } } ", ["shape.mismatch"]),
        ("switch recruiter(task) { case Offer { } case Refusal { } uncertain { } }",
         ["decision.uncertain-unreachable"]),
    ],
)  # fmt: skip
def test_a54_a55_a56_a_switch_has_a_case_for_everything_and_nothing_else(
    switch: str, expected: list[str]
) -> None:
    assert codes(body(f"{switch}\nreturn task")) == expected


def test_a_missing_case_names_all_of_them_and_shows_the_lines_to_write() -> None:
    (found,) = findings(body("switch risk(task).label { }\nreturn task"))
    assert found.message == "`low` and `very high` have no case in this `switch`"
    assert found.help.endswith('case "low" { }\ncase "very high" { }')


def test_a_slip_in_a_case_can_be_fixed() -> None:
    text = body("switch team(ticket) { case biling { } case technical { } }\nreturn task")
    found = next(one for one in findings(text) if one.code == "switch.extra-case")
    (edit,) = found.fixes[0].edits
    assert text[edit.start : edit.end] == "biling"
    assert findings(text[: edit.start] + edit.text + text[edit.end :]) == []


def test_a_slip_of_an_option_that_has_its_case_is_not_replaced_by_it() -> None:
    text = body("switch team(ticket) { case biling { } case billing { } case technical { } }\nreturn task")
    (found,) = findings(text)
    assert found.help == "Did you mean `billing`?"
    assert found.fixes == ()


# --- steps -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statements",
    [
        "xs = each t in ticket.tags: writer(t)\nreturn xs[0]",
        'xs = each t in ticket.tags at most 8 at once: try writer(t) else later\nreturn join(xs, " ")',
        'x = best of 3: writer(task) picked by critic "Which?"\nreturn x',
        "x = best of { writer(task) writer(later) } picked by critic\nreturn x",
        "x = race { writer(task) writer(later) }\nreturn x",
        'yes = approve "Go?" showing ticket\nif yes { return task }\nreturn later',
        'approve "Go on with {{ task }}?"\nreturn task',
        "verdict = short(task)\nif verdict.passed { return task }\nreturn later",
        "fine(task)\nreturn task",
        "x = try writer(task) else later\nreturn x",
        "x = writer(writer(task))\nreturn x",
        "x = if len(task) > 1 then task else later\nreturn x",
        "d = recruiters(task)\nxs = [x.value.salary for x in d if x is Offer]\nreturn text(sum(xs))",
        'return "{{ run.id }} {{ run.flow }}"',
    ],
)
def test_steps_give_what_they_say(statements: str) -> None:
    assert codes(body(statements)) == []


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("xs = each t in task: writer(t)\nreturn task", "shape.mismatch"),
        ("xs = each t in ticket.tags at most 0 at once: writer(t)\nreturn task", "value.range"),
        ("xs = each t in ticket.tags: writer(u)\nreturn task", "name.unknown"),
        ("xs = each t in ticket.tags: writer(t)\nreturn t", "name.unknown"),
        ("xs = each t in ticket.tags: writer(t)\nreturn xs", "shape.mismatch"),
        ("x = best of 1: writer(task) picked by critic\nreturn x", "value.range"),
        ("x = best of 2.5: writer(task) picked by critic\nreturn x", "value.range"),
        ("x = best of 21: writer(task) picked by critic\nreturn x", "value.range"),
        ("x = best of { writer(task) } picked by critic\nreturn x", "clause.missing"),
        ("x = best of 3: writer(task) picked by fine\nreturn x", "flow.wrong-arguments"),
        ("x = best of 3: writer(task) picked by critics\nreturn x", "name.unknown"),
        ("x = race { }\nreturn task", "clause.missing"),
        ("loop at most 0 times { pager(task) }\nreturn task", "value.range"),
        ("loop at most 1.5 times { pager(task) }\nreturn task", "value.range"),
        ("loop at most 2 times until len(task) { pager(task) }\nreturn task", "shape.mismatch"),
        ('x = approve "Go?"\nreturn x', "shape.mismatch"),
        ("x = try writer(task)\nreturn x", "shape.mismatch"),
        ("x = writer()\nreturn x", "flow.wrong-arguments"),
        ("x = writer(task, later)\nreturn x", "flow.wrong-arguments"),
        ("x = writer(ticket)\nreturn x", "flow.wrong-arguments"),
        ("x = wrtier(task)\nreturn task", "name.unknown"),
        ('stop "{{ nobody }}"', "name.unknown"),
        ('stop ""', "value.range"),
        ('stop " \\n "', "value.range"),
        ('approve ""\nreturn task', "value.range"),
        ("with context { a: nobody } { }\nreturn task", "name.unknown"),
        ("return task.title", "shape.no-field"),
    ],
)
def test_steps_that_cannot_be(statements: str, expected: str) -> None:
    assert codes(body(statements)) == [expected]


# --- calls that cost ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statements", "place"),
    [
        ('return "{{ writer(task) }}"', "in a template"),
        ('stop "{{ writer(task) }}"', "in a template"),
        ('x = approve "{{ writer(task) }}"\nreturn task', "in a template"),
        ("xs = [writer(t) for t in ticket.tags]\nreturn xs[0]", "in a comprehension"),
        ("xs = [t for t in split(writer(task))]\nreturn xs[0]", "in a comprehension"),
        ('x = some t in ticket.tags: writer(t) == "a"\nreturn task', "in `some`"),
        ('x = every t in ticket.tags: writer(t) == "a"\nreturn task', "in `every`"),
        ("x = if len(task) > 1 then writer(task) else later\nreturn x", "after `then`"),
        ("x = if len(task) > 1 then later else writer(task)\nreturn x", "after `else`"),
        ('if len(task) > 1 and writer(task) == "a" { }\nreturn task', "right of `and`"),
        ('if len(task) > 1 or writer(task) == "a" { }\nreturn task', "right of `or`"),
        ("x = try writer(task) else writer(later)\nreturn x", "after `else`"),
        ('loop at most 3 times until writer(task) == "a" { }\nreturn task',
         "in `until`, which is read before every turn"),
        ("if len(task) > 1 and angry(ticket).value { }\nreturn task", "right of `and`"),
    ],
)  # fmt: skip
def test_a_call_that_would_not_run_exactly_once_is_hidden(statements: str, place: str) -> None:
    (found,) = findings(body(statements))
    assert found.code == "flow.hidden-call"
    assert found.message.endswith(f"may not be called {place}")


@pytest.mark.parametrize(
    "statements",
    [
        'if writer(task) == "a" and len(task) > 1 { }\nreturn task',
        'x = if writer(task) == "a" then task else later\nreturn x',
        "return writer(writer(task))",
        "x = { a: writer(task), b: [writer(later)] }\nreturn x.a",
        "xs = each t in split(writer(task)): writer(t)\nreturn xs[0]",
        'x = "a" in writer(task)\nreturn task',
    ],
)
def test_a_call_that_runs_exactly_once_is_fine(statements: str) -> None:
    assert codes(body(statements)) == []


# --- recursion ---------------------------------------------------------------------------------------------


def test_a_circle_of_flows_is_reported_once_with_its_way() -> None:
    text = (
        "flow c(x: text) -> text { return a(x) }\n"
        "flow a(x: text) -> text { return b(x) }\n"
        "flow b(x: text) -> text { return c(x) }\n"
        "flow main(x: text) -> text { return a(x) }\n"
    )
    (found,) = findings(text)
    assert found.code == "flow.recursive"
    assert found.message.endswith("`a` → `b` → `c` → `a`")
    assert len(found.labels) == 2


def test_a_circle_through_the_context_of_a_decision_is_one_too() -> None:
    text = (
        "flow look(x: text) -> text { if odd(x) { return x } return later }\n"
        'condition odd(x: text) { model jev  ask "Odd?"  context { seen: look(x) } }\n'
    )
    assert "flow.recursive" in codes(text)


def test_calling_one_flow_twice_is_no_circle() -> None:
    assert (
        codes("flow main(x: text) -> text { return a(a(x)) }\nflow a(x: text) -> text { return x }\n") == []
    )
