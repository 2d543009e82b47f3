from __future__ import annotations

import pytest

MODELS = """\
model small "openai/gpt-6-mini"
model jev   "typesafe/jev-1.13" { kind decision }
"""
TYPES = """\
type Offer { salary: int }
type Refusal { why: text }
type Job { title: text }
type Outcome = Offer | Refusal
"""


def with_models(text: str) -> str:
    return f"{MODELS}{TYPES}{text}\n"


SOUND = [
    'code judge short { require len(reply) < 400 else "Shorter." }',
    'code judge fair(reply: Outcome) { case Offer { require reply.salary > 0 else "x" }  case Refusal { } }',
    'code judge one(reply: (Offer | Refusal)[]) { require some i in reply: i is Offer else "One offer." }',
    'code judge kind(reply: Outcome) { require variant == "Offer" else "An offer." }',
    'code judge narrow(reply: Outcome) { require variant is not Offer or reply.salary > 0 else "Pay." }',
    'code judge own(draft: Job) { require draft.title == reply.title else "Same." }',
    'code judge posted(reply: Job) { python "checks.py:posted" }',
    'judge correct { model small  ask "Task: {{ task }} Reply: {{ reply }}" }',
    'judge answered { model small  ask "PASS?"  require answer starts with "PASS" else answer }',
    'judge rated { model small  rate "clarity"  threshold 0.7 }',
    "judge rubric { model small  rate quality }",
    'judge barred(reply: text, bar: float = 0.8) { model small  rate "x"  require score >= bar else "x" }',
    'judge let_score { model small  rate "clarity"  let good = score > 0.7  require good else "Clearer." }',
    """judge grounded {
  model jev
  state { task: task, reply: reply }
  decide {
    true_to_it: condition "Every fact follows from {{ task }}"
    tone:       choice    "Whose tone is it?" { formal "…" casual }
    quality:    scale     "Overall" ["useless", "complete"]
  }
  require true_to_it.probability > 0.7 and quality.label != "useless" else "Better."
  require tone.choice == "formal" else "More formal."
  metrics { formal: tone.probabilities.formal, level: quality.level, attempt: attempt, tenant: run.tenant }
}""",
]


@pytest.mark.parametrize("text", SOUND)
def test_a04_a_sound_judge_is_accepted(check, text) -> None:
    assert check(with_models(text)).short == []


@pytest.mark.parametrize(
    ("text", "code", "at", "message"),
    [
        (
            'judge correct { ask "PASS?" }',
            "judge.no-model",
            "correct",
            "`correct` asks for an opinion, but it has no model",
        ),
        (
            'judge correct { model ""  ask "PASS?" }',
            "judge.no-model",
            '""',
            "`correct` asks for an opinion, but the slug of its model is blank",
        ),
        (
            'judge correct { model "  "  rate "clarity" }',
            "judge.no-model",
            '"  "',
            "`correct` rates, but the slug of its model is blank",
        ),
        (
            'judge correct { decide { a: condition "Is it?" }  require a.value else "No." }',
            "judge.no-model",
            "correct",
            "`correct` asks typed questions, but it has no model",
        ),
        (
            'judge short { require len(reply) < 400 else "Shorter." }',
            "judge.no-model",
            "short",
            "`short` is no code judge, but it has no model",
        ),
    ],
)
def test_a02_a03_u01_x23_a_judge_that_is_not_code_has_a_model(check, text, code, at, message) -> None:
    only = check(with_models(text)).only
    assert (only.code, only.at, only.message) == (code, at, message)


def test_rules_without_a_model_make_a_code_judge(check) -> None:
    only = check('judge short { require len(reply) < 400 else "Shorter." }\n').only
    assert only.fixed == 'code judge short { require len(reply) < 400 else "Shorter." }\n'


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        (
            'code judge short { model small  require len(reply) < 400 else "Shorter." }',
            "model",
            "`short` is a code judge, which calls no model, but it names a model",
        ),
        (
            'code judge short { rate "brevity" }',
            "rate",
            "`short` is a code judge, which calls no model, but it asks a model with `rate`",
        ),
        (
            'code judge short { model small  ask "PASS?" }',
            "model",
            "`short` is a code judge, which calls no model, but it names a model",
        ),
    ],
)
def test_a05_a06_a_code_judge_calls_no_model(check, text, at, message) -> None:
    only = check(with_models(text)).only
    assert (only.code, only.at, only.message) == ("judge.model-on-code-judge", at, message)


def test_a_code_judge_that_has_a_model_and_asks_it_loses_the_word_code(check) -> None:
    only = check(with_models('code judge short { model small  ask "PASS?" }')).only
    assert only.fixed == with_models('judge short { model small  ask "PASS?" }')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("code judge empty { }", "`empty` has no rule: it would accept every reply"),
        ("code judge lets { let a = len(reply) }", "`lets` has no rule: it would accept every reply"),
        (
            "code judge cases(reply: Outcome) { case Offer { }  case Refusal { } }",
            "`cases` has no rule: it would accept every reply",
        ),
        ("judge idle { model small }", "`idle` has a model, but nothing that it is asked"),
        (
            'judge asks { model jev  decide { a: condition "Is it?" } }',
            "`asks` asks questions, but no rule says which answers pass",
        ),
    ],
)
def test_a_judge_without_a_rule_decides_nothing(check, text, message) -> None:
    only = check(with_models(text)).only
    assert (only.code, only.message) == ("judge.no-rule", message)


def test_the_missing_rule_is_shown_with_the_judges_own_question(check) -> None:
    text = 'judge asks { model jev  decide { tone: choice "Whose?" { formal  casual } } }'
    assert check(with_models(text)).only.help == (
        'Add one:\nrequire tone.choice == "casual" else "What is wrong."'
    )


@pytest.mark.parametrize("reason", ['""', '"  "', "null", '"""\n  """'])
def test_a_blank_reason_teaches_nothing(check, reason) -> None:
    only = check(f"code judge short {{ require len(reply) < 400 else {reason} }}\n").only
    assert (only.code, only.at) == ("judge.no-reason", reason)
    assert only.message == "A rule that fails gives its reason to the agent, and this one is blank"


def test_a33_a_case_narrows_the_reply(check) -> None:
    text = """code judge fair(reply: Outcome) {
  case Offer { require reply.why == "" else "x" }
  case Refusal { require reply.why != "" else "x" }
}"""
    only = check(with_models(text)).only
    assert (only.code, only.at, only.message) == ("shape.no-field", "why", "Offer has no field `why`")


def test_a_case_narrows_the_parameter_under_its_own_name_too(check) -> None:
    text = """code judge fair(result: Outcome) {
  case Offer   { require result.salary > 0 and reply.salary > 0 else "x" }
  case Refusal { }
}"""
    assert check(with_models(text)).short == []


def test_a34_comparing_the_variant_does_not_narrow(check) -> None:
    text = 'code judge fair(reply: Outcome) { require variant == "Offer" and reply.salary > 0 else "x" }'
    only = check(with_models(text)).only
    assert (only.code, only.help) == ("shape.no-field", "Only Offer has it: ask `reply is Offer` first.")


def test_a35_a_list_of_unions_has_no_variant(check) -> None:
    text = 'code judge all(reply: (Offer | Refusal)[]) { require variant == "Offer" else "x" }'
    only = check(with_models(text)).only
    assert (only.code, only.at) == ("shape.no-field", "variant")
    assert only.message == "A judge of a list of Offer and Refusal has no `variant`: each item has its own"
    assert only.help == "Ask an item: `item is Offer`, or `item.variant`."


def test_a37_a_judge_knows_its_input_alone(check) -> None:
    text = 'code judge nosy { require context.tenant == "x" else "x" }'
    only = check(text + "\n").only
    assert (only.code, only.at) == ("name.unknown", "context")
    assert only.help == "Known here: `variant`, `task`, `attempt`, `run` and `reply`."


@pytest.mark.parametrize(
    ("cases", "code", "at", "message"),
    [
        (
            'case Offer { require reply.salary > 0 else "x" }',
            "judge.missing-case",
            "fair",
            "`fair` judges Offer | Refusal, but Refusal has no case",
        ),
        (
            'case Offer { require reply.salary > 0 else "x" }  case Refusal { }  case Job { }',
            "judge.extra-case",
            "Job",
            "`fair` never judges Job",
        ),
        (
            'case Offer { require reply.salary > 0 else "x" }  case Refusal { }  case Offer { }',
            "judge.extra-case",
            "Offer",
            "`Offer` has a case already",
        ),
        (
            'case Ofer { require reply.salary > 0 else "x" }  case Refusal { }',
            "judge.extra-case",
            "Ofer",
            "`fair` never judges Ofer",
        ),
    ],
)
def test_a_union_has_each_case_and_no_other(check, cases, code, at, message) -> None:
    only = check(with_models(f"code judge fair(reply: Outcome) {{ {cases} }}")).only
    assert (only.code, only.at, only.message) == (code, at, message)


def test_missing_cases_are_shown_as_they_are_written(check) -> None:
    text = 'code judge fair(reply: Offer | Refusal | Job) { case Job { require reply.title != "" else "x" } }'
    only = check(with_models(text)).only
    assert only.help == "Add them, empty if every such reply is fine:\ncase Offer { }\ncase Refusal { }"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("text", "`odd` judges text, which has no types to tell apart"),
        ("Offer[]", "A list has no one type, so a judge of a list has no cases"),
    ],
)
def test_what_has_no_types_has_no_cases(check, reply, message) -> None:
    only = check(
        with_models(f'code judge odd(reply: {reply}) {{ case Offer {{ require true else "x" }} }}')
    ).only
    assert (only.code, only.at, only.message) == ("judge.extra-case", "Offer", message)


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        (
            'judge wrong { model jev  ask "PASS?" }',
            "jev",
            "`wrong` asks for an opinion, which takes a chat model, but `jev` answers typed questions only",
        ),
        (
            'judge wrong { model jev  rate "clarity" }',
            "jev",
            "`wrong` rates, which takes a chat model, but `jev` answers typed questions only",
        ),
        (
            'judge wrong { model small  decide { a: condition "Is it?" }  require a.value else "x" }',
            "small",
            "`wrong` asks typed questions, which takes a decision model, but `small` is a chat model",
        ),
        (
            'judge wrong { model "v/m"  decide { a: condition "Is it?" }  require a.value else "x" }',
            '"v/m"',
            '`wrong` asks typed questions, which takes a decision model, but "v/m" is a chat model, '
            "as every slug in quotes is",
        ),
    ],
)
def test_a_model_is_asked_what_it_can_answer(check, text, at, message) -> None:
    only = check(with_models(text)).only
    assert (only.code, only.at, only.message) == ("model.wrong-kind", at, message)


def test_the_help_declares_the_decision_model(check) -> None:
    text = 'judge wrong { model "v/m"  decide { a: condition "Is it?" }  require a.value else "x" }'
    assert check(text + "\n").only.help == (
        'Declare it as one, and name it here:\nmodel decider "v/m" { kind decision }'
    )


@pytest.mark.parametrize(
    "rule",
    [
        'require default(score, 1) > 0.5 else "x"',
        'require score == null or score > 0.5 else "x"',
        'require null != score and score > 0.5 else "x"',
        'let sure = default(score, 1)  require sure > 0.5 else "x"',
    ],
)
def test_an_unreadable_rating_cannot_be_wished_into_a_pass(check, rule) -> None:
    only = check(with_models(f'judge useful {{ model small  rate "clarity"  {rule} }}')).only
    assert only.code == "judge.fail-open"
    assert only.message == (
        "A rating that cannot be read is a failed verdict, never a pass, and `score` is never null"
    )


def test_rules_that_never_look_at_the_score_let_every_rating_pass(check) -> None:
    only = check(
        with_models('judge useful { model small  rate "clarity"  require len(reply) > 3 else "x" }')
    ).only
    assert (only.code, only.at) == ("judge.fail-open", "rate")


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ('judge two { model small  ask "PASS?"  rate "clarity" }', "clause.misplaced", "rate"),
        ('judge two { model small  ask "PASS?"  ask "PASS?" }', "clause.duplicate", "ask"),
        ('judge bar { model small  ask "PASS?"  threshold 0.5 }', "clause.misplaced", "threshold"),
        (
            'judge bar { model small  rate "clarity"  threshold 0.5  require score > 0.5 else "x" }',
            "clause.misplaced",
            "threshold",
        ),
        ('judge seen { model small  ask "PASS?"  state { a: 1 } }', "clause.misplaced", "state"),
        (
            'code judge both { python "a.py:b"  require true else "x" }',
            "clause.misplaced",
            'require true else "x"',
        ),
        ('code judge both { python "a.py:b"  metrics { a: 1 } }', "clause.misplaced", "metrics"),
        ('judge high { model small  rate "clarity"  threshold 1.01 }', "value.range", "1.01"),
        ('judge low { model small  rate "clarity"  threshold -0.1 }', "value.range", "-0.1"),
        ("judge rubric { model small  rate qualty }", "name.unknown", "qualty"),
        ('judge blank { model small  ask " " }', "value.range", '" "'),
        ('judge blank { model small  rate "" }', "value.range", '""'),
        ('judge none { model jev  decide { }  require true else "x" }', "clause.missing", "decide"),
        ('judge early { model small  ask "{{ answer }}" }', "name.unknown", "answer"),
        ('code judge none() { require true else "x" }', "judge.wrong-arguments", "none"),
        (
            'code judge hid(reply: text, hidden key: text) { require key > "" else "x" }',
            "clause.misplaced",
            "hidden",
        ),
        ('code judge dup { let a = 1  let a = 2  require a > 1 else "x" }', "name.duplicate", "a"),
        ('code judge dup { let task = 1  require task > 1 else "x" }', "name.duplicate", "task"),
        ('judge unknown { model smal  ask "PASS?" }', "name.unknown", "smal"),
    ],
)
def test_what_would_have_no_effect_or_no_meaning_is_found(check, text, code, at) -> None:
    assert check(with_models(text)).short == [(code, at)]


@pytest.mark.parametrize("threshold", ["0", "1", "0.7", "1.0"])
def test_a65_x10_x11_a_threshold_lies_between_0_and_1_both_included(check, threshold) -> None:
    assert check(with_models(f'judge j {{ model small  rate "x"  threshold {threshold} }}')).short == []


@pytest.mark.parametrize(
    ("question", "code", "at"),
    [
        ('a: condition " "', "decision.blank", '" "'),
        ('a: choice "Whose?" { }', "decision.options", "{ }"),
        ('a: choice "Whose?" { x  x }', "decision.options", "x"),
        ('a: scale "How?" ["low"]', "decision.levels", '["low"]'),
        ('a: scale "How?" ["low", "low"]', "decision.levels", '"low"'),
        ('a: scale "How?" ["low", " high"]', "decision.levels", '" high"'),
        ('a: scale "How?" ["low", ""]', "decision.levels", '""'),
        ('a: condition "Is it?"  a: condition "Is it?"', "name.duplicate", "a"),
        ('reply: condition "Is it?"  a: condition "Is it?"', "name.duplicate", "reply"),
        ('a: condition "{{ nobody }}"', "name.unknown", "nobody"),
    ],
)
def test_u36_questions_are_sound(check, question, code, at) -> None:
    text = f'judge asks {{ model jev  decide {{ {question} }}  require a.confidence > 0.1 else "x" }}'
    assert check(with_models(text)).short == [(code, at)]


def test_u06_at_most_200_questions_in_one_call(check) -> None:
    questions = "  ".join(f'q{number}: condition "Is it?"' for number in range(201))
    text = f'judge asks {{ model jev  decide {{ {questions} }}  require q0.value else "x" }}'
    only = check(with_models(text)).only
    assert (only.code, only.message) == ("value.range", "One call asks at most 200 questions, not 201")


def test_a_judge_calls_nothing_that_costs(check) -> None:
    text = 'agent writer { model small }\ncode judge sly { require writer(reply) != "" else "x" }'
    only = check(with_models(text)).only
    assert (only.code, only.message) == (
        "flow.hidden-call",
        "`writer` is an agent and may not be called in a judge",
    )


def test_a_template_in_a_reason_is_checked_like_code(check) -> None:
    text = 'code judge titled(reply: Job) { require reply.title != "" else "No title: {{ reply.titel }}" }'
    only = check(with_models(text)).only
    assert (only.code, only.at, only.help) == ("shape.no-field", "titel", "Did you mean `title`?")
