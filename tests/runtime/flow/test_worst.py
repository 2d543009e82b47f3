"""What a run may cost at most, from its Plan alone."""

from __future__ import annotations

import pytest

from judgeflow.runtime.flow.worst import worst_case

from ..helpers import program, unchecked

HEAD = """
model small "v/small" { price $1 in, $2 out  max_tokens 500 }
model jev "v/jev" { kind decision }
type Offer { salary: int }
tool ping { mcp "ping" only [now] }
agent writer(topic: text) { model small  retries 0 }
agent judged(topic: text) { model small  judges [good, short]  retries 2 }
agent finder -> Offer { model small  retries 0 }
agent user(topic: text) { model small  retries 0  tools [ping] }
judge good { model small  ask "Good? {{ reply }}" }
code judge short { require len(reply) < 9 else "long" }
condition urgent(text: text) { model jev  ask "Urgent?" }
gate checked(text) { judge writer "Good?" }
gate free(text) { scorers { length 1..3 } }
gate rated(text) { judge good }
flow twice(text: text) -> json { a = writer(text)  b = writer(text)  return a }
flow main(text: text) -> json { BODY }
"""


@pytest.mark.parametrize(
    ("body", "calls"),
    [
        ("return text", {}),
        ("a = writer(text)  return a", {"writer": 1}),
        ("a = judged(text)  return a", {"judged": 3, "good": 3}),
        ("a = finder(text)  return a", {"finder": 3}),
        ("a = user(text)  return a", {"user": 24}),
        ("a = urgent(text)  return a", {"urgent": 1}),
        ("a = try checked(text)  b = try free(text)  return a", {"writer": 1}),
        ("a = try rated(text)  return a", {"good": 1}),
        ("v = good(text)  return v", {"good": 1}),
        ("a = twice(text)  return a", {"writer": 2}),
        ('if text == "x" { a = writer(text) } else { a = twice(text) }  return a', {"writer": 2}),
        ('if urgent(text) { a = writer(text) } else { a = "b" }  return a', {"urgent": 1, "writer": 1}),
        ("loop at most 4 times { a = writer(text) }  return text", {"writer": 4}),
        (
            'loop at most 4 times until text == "x" { a = twice(text) } else { b = writer(text) }  return text',
            {"writer": 9},
        ),
        ("a = each t in [text, text, text]: writer(t)  return a", {"writer": 3}),
        ("a = best of 3: writer(text) picked by writer  return a", {"writer": 4}),
        (
            "a = best of { writer(text)  finder(text) } picked by writer  return text",
            {"writer": 3, "finder": 3},
        ),
        ("a = race { writer(text)  writer(text) }  return a", {"writer": 2}),
        ("parallel { a = writer(text)  b = urgent(text) }  return a", {"writer": 1, "urgent": 1}),
    ],
)
def test_the_most_calls_of_each_party(body: str, calls: dict[str, int]) -> None:
    worst = worst_case(program(HEAD.replace("BODY", body)).plan, "main")
    assert {party.name: party.calls for party in worst.parties} == calls
    assert worst.calls == sum(calls.values())
    assert worst.per_item == ()


def test_output_is_priced_and_unknown_where_a_price_or_a_length_is() -> None:
    worst = worst_case(program(HEAD.replace("BODY", "a = judged(text)  return a")).plan, "main")
    assert [(party.kind, party.name, party.output) for party in worst.parties] == [
        ("agent", "judged", "0.003"),
        ("judge", "good", "0.003"),
    ]
    assert worst.output == "0.006"
    assert worst_case(program(HEAD.replace("BODY", "a = urgent(text)  return a")).plan, "main").output is None


def test_items_that_nobody_has_counted_are_told() -> None:
    body = "a = each t in lines(text): writer(t)  return a"
    worst = worst_case(program(HEAD.replace("BODY", body)).plan, "main")
    assert (worst.calls, worst.per_item) == (1, ("t",))


def test_flows_in_a_circle_end() -> None:
    source = 'model m "v/m"\nagent a { model m  retries 0 }\nflow main(n: int) -> json { x = a("y")  return main(n) }'
    assert worst_case(unchecked(source).plan, "main").calls == 1
