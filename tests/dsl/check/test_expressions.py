from __future__ import annotations

import pytest

from judgeflow.dsl.check.builtins import JUDGE_FUNCTIONS
from judgeflow.dsl.check.env import Env
from judgeflow.dsl.shapes import Int, ListOf, Nullable, Record, Text, Variant

DECLARED = """\
type Job { title: text  url: text  pay: int? }
type JobReport { jobs: Job[](1..50) }
type Offer { salary: int }
type Refusal { why: text }
type Senior extends Job { team: int }
type Outcome = Offer | Refusal
tool get_order(id: text) -> Offer { python "shop.py:get_order" }
tool browse { mcp "browser" only [open, click] }
agent writer { model "v/m" }
agent translator(source: text, language: text = "German") -> Outcome[] { model "v/m" }
agent maybe(note: text?) { model "v/m" }
scale severity(about: text) { model "v/m"  ask "How severe?"  levels ["low", "high"] }
condition urgent(about: text) { model "v/m"  ask "Is it urgent?" }
judge correct(reply: text, bar: float) { model "v/m"  ask "?" }
let languages = ["German", "French"]
let bar = 0.8
"""
ENV = Env(
    {
        "report": Record("JobReport"),
        "outcome": Record("Outcome"),
        "outcomes": ListOf(Variant(("Offer", "Refusal"))),
        "senior": Record("Senior"),
        "name": Text(),
        "size": Int(),
        "pay": Nullable(Int()),
        "jobs": Nullable(ListOf(Record("Job"))),
    },
    functions=JUDGE_FUNCTIONS,
    calls_allowed=True,
)


@pytest.fixture
def declared(program):
    return program(DECLARED)


@pytest.mark.parametrize(
    ("written", "shape"),
    [
        ("report.jobs", "Job[]"),
        ("report.jobs[0].title", "text"),
        ("senior.title", "text"),
        ('[job.title for job in report.jobs if job.url starts with "https"]', "text[]"),
        ("if outcome is Offer then outcome.salary else outcome.why", "int | text"),
        ('if outcome is not Offer then outcome.why else ""', "text"),
        ("[item.value.salary for item in outcomes if item is Offer]", "int[]"),
        ("outcomes[0].value", "Offer | Refusal"),
        ("outcomes[0].variant", '"Offer" | "Refusal"'),
        ("pay != null and pay + 1 > 3", "bool"),
        ("pay == null or pay > 3 and pay * 2 < 9", "bool"),
        ("not (pay == null) and pay + 1 > 0", "bool"),
        ("default(pay, 0) + 1", "int"),
        ("report.jobs[0].pay", "int?"),
        ("report.jobs[0].pay == null or report.jobs[0].pay > 1", "bool"),
        ("every job in report.jobs: job.pay == null or job.pay + 1 > 2", "bool"),
        ("[job.pay + 1 for job in report.jobs if job.pay != null]", "int[]"),
        ('every job in jobs: job.title != ""', "bool"),
        ("size / 2", "float"),
        ("size * 2 - 1", "int"),
        ("1 + 0.5", "float"),
        ("$0.50 * 2", "money"),
        ('name + "!"', "text"),
        ('languages + ["Polish"]', "text[]"),
        ("bar", "float"),
        ('"{{ size }} of {{ len(report.jobs) }}"', "text"),
        ('"low"', '"low"'),
        ('if size > 1 then "low" else "high"', '"low" | "high"'),
        ("[1, 2.5]", "float[]"),
        ("[]", "anything[]"),
        ("{ a: 1 }.a", "int"),
        ("json(name).anything.at.all", "json"),
        ("first(report.jobs)", "Job?"),
        ("first(report.jobs).title", "text?"),
        ("sum([1, 2])", "int"),
        ("max(1, 2.5)", "float"),
        ("mean([1, 2])", "float?"),
        ("round(bar)", "int"),
        ("round(bar, 2)", "float"),
        ("sort(unique(languages))", "text[]"),
        ("flat([[1], [2]])", "int[]"),
        ('split(name, ",")', "text[]"),
        ("writer(name)", "text"),
        ("translator(name)", "(Offer | Refusal)[]"),
        ('translator(name, language: "Polish")[0].value', "Offer | Refusal"),
        ("severity(name).label", '"low" | "high"'),
        ("severity(name).levels", "text[]"),
        ("urgent(name).probability", "float"),
        ("urgent(name) and size > 1", "bool"),
        ('correct(name, 0.8, task: "x").passed', "bool"),
        ("browse.open(url: name)", "json"),
        ("calls(get_order)[0].output.salary", "int"),
        ('some call in calls(): call.status == "succeeded"', "bool"),
        ("name contains json(name)", "bool"),
        ("maybe(null)", "text"),
    ],
)
def test_an_expression_has_a_shape(declared, written, shape) -> None:
    found, findings = declared.infer(written, ENV)
    assert findings.short == []
    assert found == shape


@pytest.mark.parametrize(
    ("written", "code", "at", "message"),
    [
        ("report.jbos", "shape.no-field", "jbos", "JobReport has no field `jbos`"),
        ("report.jobs.title", "shape.no-field", "title", "A list (Job[]) has no field `title`"),
        ("name.length", "shape.no-field", "length", "A text has no field `length`"),
        ("outcome.salary", "shape.no-field", "salary", "Offer | Refusal has no field `salary`"),
        ("outcomes[0].salary", "shape.no-field", "salary", "Offer | Refusal has no field `salary`"),
        ("if outcome is Offer then outcome.why else 1", "shape.no-field", "why", "Offer has no field `why`"),
        (
            "urgent(name).chance",
            "shape.no-field",
            "chance",
            "The answer of a condition has no field `chance`",
        ),
        ("{ a: 1 }.b", "shape.no-field", "b", "An object has no field `b`"),
        ("nowhere", "name.unknown", "nowhere", "`nowhere` is not known here"),
        ("nowhere.field.other + 1", "name.unknown", "nowhere", "`nowhere` is not known here"),
        ("writr(name)", "name.unknown", "writr", "There is no function, agent or tool `writr`"),
        ("writer", "shape.mismatch", "writer", "`writer` is an agent, not a value"),
        ("size(1)", "shape.mismatch", "size", "`size` is a value and cannot be called"),
        ("pay + 1", "shape.mismatch", "pay", "`+` works on numbers"),
        ("name - 1", "shape.mismatch", "name", "`-` works on numbers"),
        ("-name", "shape.mismatch", "name", "`-` takes a number"),
        ("name == 3", "shape.mismatch", "name == 3", "text is never equal to int, so this is never true"),
        ("name != 3", "shape.mismatch", "name != 3", "text is never equal to int, so this is always true"),
        ("report.jobs > 1", "shape.mismatch", "report.jobs", "`>` compares numbers or texts"),
        (
            'size > "3"',
            "shape.mismatch",
            'size > "3"',
            '`>` compares two numbers or two texts, not int and "3"',
        ),
        ('severity(name).label == "hgih"', "shape.mismatch", '"hgih"', '"hgih" is none of "low" | "high"'),
        (
            'severity(name).label in ["low", "lwo"]',
            "shape.mismatch",
            '"lwo"',
            '"lwo" is none of "low" | "high"',
        ),
        (
            '["low", "lwo"] contains severity(name).label',
            "shape.mismatch",
            '"lwo"',
            '"lwo" is none of "low" | "high"',
        ),
        ("name contains size", "shape.mismatch", "size", "A text holds texts only, so `contains` needs one"),
        ("size in report.jobs", "shape.mismatch", "size", "The list holds Job, so int is never in it"),
        ("size contains 1", "shape.mismatch", "size", "`contains` looks into a text, a list or an object"),
        ('size starts with "1"', "shape.mismatch", "size", "`starts with` compares texts"),
        ("name and true", "shape.mismatch", "name", "A condition is true or false, but this is text"),
        ("not size", "shape.mismatch", "size", "A condition is true or false, but this is int"),
        (
            "if report.jobs then 1 else 2",
            "shape.mismatch",
            "report.jobs",
            "A condition is true or false, but this is Job[]",
        ),
        ("[word for word in name]", "shape.mismatch", "name", "`for` goes through a list, but this is text"),
        ("some x in size: x", "shape.mismatch", "size", "`some` goes through a list, but this is int"),
        ("report.jobs[0.5]", "shape.mismatch", "0.5", "A place in a list or a text is a whole number"),
        ("size[0]", "shape.mismatch", "size", "Only lists, texts and objects have places"),
        ("outcome is Job", "shape.mismatch", "Job", "This is never Job, so the test is never true"),
        (
            "outcome is Outcome",
            "shape.mismatch",
            "Outcome",
            "`Outcome` is a name for Offer | Refusal, and `is` asks for one type",
        ),
        ("outcome is Ofer", "name.unknown", "Ofer", "There is no type `Ofer`"),
        ("{ a: 1, a: 2 }", "name.duplicate", "a", "The key `a` stands twice in one object"),
        ('name matches r"(a"', "scorer.bad-pattern", 'r"(a"', "This pattern cannot be used: missing ): (a"),
        (
            "report.jobs.len()",
            "name.unknown",
            "report.jobs.len",
            "There are no methods, so `report.jobs.len` cannot be called",
        ),
        ("verdicts(writer)", "name.unknown", "verdicts", "`verdicts` stands in `expect` of a test only"),
        ("browse.opn(name)", "name.unknown", "browse.opn", "There is no function `browse.opn`"),
        (
            "browse(name)",
            "flow.wrong-arguments",
            "browse",
            "`browse` is an MCP server, and its functions are called by name",
        ),
        ('calls("get_order")', "shape.mismatch", '"get_order"', "`calls` takes the name of a tool"),
        (
            "calls(writer)",
            "shape.mismatch",
            "writer",
            "`calls` takes the name of a tool, and `writer` is an agent",
        ),
        ("calls(get_ordr)", "name.unknown", "get_ordr", "There is no tool `get_ordr`"),
        ('"{{ report.jbos }}"', "shape.no-field", "jbos", "JobReport has no field `jbos`"),
    ],
)
def test_one_mistake_is_reported_once_where_it_is(declared, written, code, at, message) -> None:
    only = declared.infer(written, ENV)[1].only
    assert (only.code, only.at, only.message) == (code, at, message)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("len()", "`len` takes 1 argument, and is given 0"),
        ('join(languages, ", ", 3)', "`join` takes 1 to 2 arguments, and is given 3"),
        ("today(1)", "`today` takes no arguments, and is given 1"),
        ("max()", "`max` takes at least 1, and is given 0"),
        ('split(name, by: ",")', "`split` takes its arguments by position, not by name"),
        ("writer()", "`writer` declares no parameters, so it takes one value, its task, and is given none"),
        ("writer(1, 2)", "`writer` declares no parameters, so it takes one value, its task, and is given 2"),
        (
            "writer(task: 1)",
            "`writer` declares no parameters, so it takes one value, its task, and is given one called `task`",
        ),
        ("translator()", "`translator` needs `source`, which is not given"),
        ('translator(name, "a", "b")', "`translator` takes 2 arguments, and is given more"),
        ('translator(name, langauge: "a")', "`translator` has no parameter `langauge`"),
        ("translator(name, source: name)", "`source` is given twice to `translator`"),
        (
            "translator(language: name, name)",
            "An argument by position comes after one by name in the call of `translator`",
        ),
        ("translator(size)", "`translator` takes text for `source`, but this is int"),
        ("correct(name)", "`correct` needs `bar`, which is not given"),
    ],
)
def test_arguments_are_held_against_the_signature(declared, written, message) -> None:
    only = declared.infer(written, ENV)[1].only
    assert (only.code, only.message) == ("flow.wrong-arguments", message)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("len(size)", "`len` takes a text, a list or an object, but this is int"),
        ("trim(pay)", "`trim` takes a text, but this is int?"),
        ("sum(languages)", "`sum` takes a list of numbers, but this is text[]"),
        ("max(1, name)", "`max` takes numbers, but this is text"),
        ("first(jobs)", "`first` takes a text or a list, but this may be null"),
        ("keys(name)", "`keys` takes an object, but this is text"),
    ],
)
def test_a_function_says_what_it_takes(declared, written, message) -> None:
    only = declared.infer(written, ENV)[1].only
    assert (only.code, only.message) == ("shape.mismatch", message)


@pytest.mark.parametrize(
    ("written", "help"),
    [
        ("report.jbos", "Did you mean `jobs`?"),
        (
            "report.jobs.title",
            "Its items have it: `[item.title for item in report.jobs]`, or `report.jobs[0].title`.",
        ),
        ("name.length", "Write `len(name)`."),
        ("outcome.salary", "Only Offer has it: ask `outcome is Offer` first."),
        ("outcomes[0].salary", "Only Offer has it: ask `x is Offer` first, then write `x.value.salary`."),
        ('name.includes("x")', "Write `name contains …`."),
        ("report.jobs.length()", "Write `len(report.jobs)`."),
        ("pay + 1", "It may be null: write `default(…, 0)`."),
        ("first(jobs)", "Say what stands for null, `default(…, [])`, or ask `!= null` first."),
        (
            "urgent(name).value and not severity(name)",
            'Compare it with something, as in `x != null` or `x == "yes"`.',
        ),
        ("[w for w in name]", 'Split it first: `words(x)`, `lines(x)`, `sentences(x)` or `split(x, ",")`.'),
        ("translator()", "It is declared as `translator(source: text, language: text = …)`."),
    ],
)
def test_the_help_shows_what_to_write(declared, written, help) -> None:
    assert declared.infer(written, ENV)[1].only.help == help


@pytest.mark.parametrize(
    ("written", "fixed"),
    [
        ("report.jbos", "report.jobs"),
        ("writr(name)", "writer(name)"),
        ('severity(name).label == "hgih"', 'severity(name).label == "high"'),
        ('translator(name, langauge: "a")', 'translator(name, language: "a")'),
        ("browse.opn(name)", "browse.open(name)"),
        ("reprt.jobs", "report.jobs"),
    ],
)
def test_a_slip_has_a_fix(declared, written, fixed) -> None:
    assert declared.infer(written, ENV)[1].only.fixed == f"let it = {fixed}"


def test_what_may_be_null_is_hinted_where_a_value_is_wanted(declared) -> None:
    only = declared.infer('writer(name) == "" or len(translator(first(languages))) > 0', ENV)[1].only
    assert (only.code, only.severity) == ("flow.wrong-arguments", "hint")
    assert only.message == "`translator` takes text for `source`, and this may be null"


def test_a_guess_is_a_name_of_the_right_kind(program) -> None:
    declared = program('agent writer { model "v/m" }\nlet writers = 3\n')
    assert declared.infer("writr", ENV)[1].only.help == "Did you mean `writers`?"
    assert declared.infer("writr(1)", ENV)[1].only.help == "Did you mean `writer`?"


def test_where_nothing_may_be_called_a_call_is_hidden(declared) -> None:
    only = declared.infer("len(writer(name)) > 1", Env({"name": Text()}, where="in a judge"))[1].only
    assert (only.code, only.at) == ("flow.hidden-call", "writer")
    assert only.message == "`writer` is an agent and may not be called in a judge"


def test_a_long_chain_of_tests_is_read_in_one_go(declared) -> None:
    chain = " and ".join(f"size > {number}" for number in range(180))
    assert declared.infer(chain, ENV)[0] == "bool"


def test_a_local_name_hides_a_constant(declared) -> None:
    assert declared.infer("bar", ENV.bind("bar", Text()))[0] == "text"


def test_binding_a_name_anew_forgets_what_was_known_of_its_fields() -> None:
    env = ENV.narrow("report.jobs", Text()).narrow("reporter.jobs", Int())
    anew = env.bind("report", Record("JobReport"))
    assert (anew.field("report.jobs"), anew.field("reporter.jobs")) == (None, Int())


def test_what_is_made_of_something_unknown_is_unknown(declared) -> None:
    shape, findings = declared.infer("trim(langu / age)", ENV)
    assert shape == "text"
    assert findings.short == [("name.unknown", "langu"), ("name.unknown", "age")]


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ('"Write about {topic}."', ["text.single-braces"]),
        ('"Write about ${topic} and {topic}."', ["text.single-braces"]),
        ('"Write about {topic.name}."', ["text.single-braces"]),
        ('"Write about {{ topic }}."', []),
        ('"Answer like {\\"topic\\": 1}, {other}, {run} and {{ topic }}."', []),
        ('r"Write about {topic}."', []),
    ],
)
def test_a_known_name_in_single_braces_is_a_hint(check, prompt: str, found: list[str]) -> None:
    text = f'model m "a/b"\nagent poet(topic: text) {{ model m  prompt {prompt} }}\n'
    assert [each.code for each in check(text).all] == found
