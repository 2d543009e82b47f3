"""From a checked program to its Plan: names resolved, files merged, defaults filled in, and plain data throughout."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from judgeflow.dsl.lower import lower
from judgeflow.dsl.parse import Module, parse
from judgeflow.dsl.plan import Plan
from judgeflow.dsl.shapes import ListOf, Literal, Record, Text, Union
from judgeflow.dsl.source import Source
from judgeflow.runtime.flow.versions import versions_of

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.judge"))


def module(text: str, path: str = "/flows/main.judge") -> Module:
    parsed = parse(Source(path, text))
    assert not parsed.diagnostics
    return parsed


def plan_of(text: str) -> Plan:
    return lower([module(text)])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_plan_is_plain_data_that_comes_back_the_same(path: Path) -> None:
    plan = lower([parse(Source(str(path), path.read_text(encoding="utf-8")))])
    assert msgspec.json.decode(msgspec.json.encode(plan), type=Plan) == plan


def test_files_are_merged_and_places_are_relative_to_the_file_that_is_run() -> None:
    main = module('import "shared/models.judge"\nagent a { model m  prompt "x" }', "/flows/main.judge")
    shared = module('model m "v/x"\ntool t(x: text) { python "t.py:f" }', "/flows/shared/models.judge")
    plan = lower([main, shared])
    assert plan.models["m"].slug == "v/x"
    assert plan.tools["t"].origin.file == "shared/models.judge"
    assert plan.tools["t"].python is not None
    assert plan.tools["t"].python.file == "shared/t.py"


def test_what_is_left_out_gets_its_default() -> None:
    plan = plan_of(
        'agent a { model "v/x"  prompt "p" }\njudge j { model "v/y"  rate quality }\n'
        "gate g(x) { scorers { length 1.. } }"
    )
    agent, judge, gate = plan.agents["a"], plan.judges["j"], plan.gates["g"]
    assert (agent.retries, agent.result, agent.params) == (1, Text(), ())
    assert judge.threshold is not None
    assert msgspec.structs.asdict(judge.threshold)["text"] == "0.7"
    assert (judge.form, judge.rubric, judge.params[0].name) == ("rate", "quality", "reply")
    assert (gate.combine, gate.unreadable, gate.scorers[0].high) == ("all", "pass", None)
    assert (plan.workflow, plan.version, plan.entry) == ("main", None, None)


def test_a_model_in_quotes_is_a_model_of_that_name() -> None:
    plan = plan_of('agent a { model "openai/gpt-6"  prompt "p" }')
    assert plan.models["openai/gpt-6"].slug == "openai/gpt-6"


def test_aliases_are_replaced_and_unions_are_flat() -> None:
    plan = plan_of(
        'type A { x: text }\ntype B { y: text }\ntype AB = A | B\ntype ABC = AB | C\ntype C { level: "low" | "high" }\n'
        'agent a -> ABC[] { model "v/x"  prompt "p" }'
    )
    assert plan.agents["a"].result == ListOf(Union((Record("A"), Record("B"), Record("C"))))
    assert plan.types["C"].fields[0].shape == Union((Literal("low"), Literal("high")))
    assert "AB" not in plan.types


@pytest.mark.parametrize(
    ("flows", "entry"),
    [(("main", "other"), "main"), (("only",), "only"), (("one", "two"), None)],
)
def test_the_entry_is_main_else_the_only_flow(flows: tuple[str, ...], entry: str | None) -> None:
    text = "\n".join(f"flow {name}(x: text) -> text {{ return x }}" for name in flows)
    assert plan_of(text).entry == entry


def test_a_profile_holds_what_differs_whole() -> None:
    plan = plan_of(
        'model big "v/big"\nmodel small "v/small"\nagent a { model big  prompt "p"  retries 3 }\n'
        'profile cheap { agent a { model small } model big "v/medium" }'
    )
    (changed,) = plan.profiles["cheap"].agents
    assert (changed.model, changed.retries) == ("small", 3)
    assert plan.profiles["cheap"].models[0].slug == "v/medium"


def test_a_profile_that_changes_only_a_slug_keeps_the_price_and_the_settings() -> None:
    plan = plan_of(
        'model big "v/big" via openrouter { price $1 in, $2 out  temperature 0.3  max_tokens 90  timeout 5s }\n'
        'agent a { model big  prompt "p" }\nprofile other { model big "v/other" }'
    )
    (changed,) = plan.profiles["other"].models
    assert changed == msgspec.structs.replace(plan.models["big"], slug="v/other")


BASE = 'agent a { model "v/x"  prompt "Answer." }\nflow main(q: text) -> text { return a(q) }'


def test_f18_versions_do_not_change_with_blank_lines_and_comments() -> None:
    moved = "# a comment\n\n\n" + BASE.replace("{ model", "{\n  model").replace('" }\nflow', '"\n}\nflow')
    assert versions_of(plan_of(BASE)) == versions_of(plan_of(moved))


def test_f18_a_changed_prompt_is_a_new_prompt_version_only() -> None:
    before, after = versions_of(plan_of(BASE)), versions_of(plan_of(BASE.replace("Answer.", "Answer!")))
    assert before.prompt != after.prompt
    assert before.model == after.model
    assert before.config != after.config


def test_f19_a_changed_model_is_a_new_model_version() -> None:
    before, after = versions_of(plan_of(BASE)), versions_of(plan_of(BASE.replace("v/x", "v/y")))
    assert before.prompt == after.prompt
    assert before.model != after.model


def test_f50_hashes_have_64_characters() -> None:
    versions = versions_of(plan_of(BASE))
    assert {len(text or "") for text in (versions.prompt, versions.model, versions.config)} == {64}
