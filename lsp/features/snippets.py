"""What is inserted for a declaration or a clause, with places to fill in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...dsl.clauses import Clause

_ESCAPED = re.compile(r"([\\$}])")

DECLARATIONS: dict[str, str] = {
    "workflow": 'workflow ${1:name} "${2:what it does}"',
    "import": 'import "${1:models.judge}"',
    "let": "let ${1:name} = ${0}",
    "provider": 'provider ${1:name} {\n  api ${2:openai}\n  url "${3:http://localhost:8000/v1}"\n}',
    "model": 'model ${1:name} "${2:vendor/model}"',
    "type": "type ${1:Name} {\n  ${2:field}: ${3:text}\n}",
    "tool": (
        'tool ${1:name}(${2:id: text}) -> ${3:json} "${4:what it does}" {\n'
        '  python "${5:tools.py}:${1:name}"\n}'
    ),
    "agent": 'agent ${1:name} "${2:what it does}" {\n  model ${3:small}\n  prompt """\n    ${0}\n    """\n}',
    "judge": 'judge ${1:name} {\n  model ${2:small}\n  ask """\n    ${0}\n    """\n}',
    "code judge": (
        "code judge ${1:name}(${2:reply}: ${3:text}) {\n"
        '  require ${4:len(reply) > 0} else "${0:say something}"\n}'
    ),
    "scorer": "scorer ${1:name} ${2|contains,equals,regex,schema,length,compiles|} ${0}",
    "gate": "gate ${1:name}(${2:input}) {\n  scorers {\n    ${0}\n  }\n}",
    "condition": 'condition ${1:name}(${2:item}: ${3:text}) {\n  model ${4:small}\n  ask "${0}"\n}',
    "choice": (
        'choice ${1:name}(${2:item}: ${3:text}) {\n  model ${4:small}\n  ask "${5}"\n  options { ${0} }\n}'
    ),
    "scale": (
        'scale ${1:name}(${2:item}: ${3:text}) {\n  model ${4:small}\n  ask "${5}"\n'
        '  levels ["${6:low}", "${7:high}"]\n}'
    ),
    "context": "context { ${1:key}: ${0} }",
    "limits": "limits {\n  cost \\$${1:0.50} per run\n}",
    "memory": "memory {\n  history ${1:10}\n}",
    "flow": "flow ${1:main}(${2:task}: ${3:text}) -> ${4:text} {\n  ${0}\n}",
    "profile": "profile ${1:name} {\n  ${0}\n}",
    "suite": 'suite ${1:name} for ${2:main} {\n  cases "${3:cases.jsonl}"\n  checks [${0}]\n}',
    "test": 'test "${1:what happens}" for ${2:main} {\n  given { ${3:task}: "${4}" }\n  expect ${0}\n}',
}
"""By keyword, as in `clauses.DECLARATIONS`."""

STATEMENTS: dict[str, str] = {
    "return": "return ${0}",
    "stop": 'stop "${0:why}"',
    "if": "if ${1:condition} {\n  ${0}\n}",
    "switch": "switch ${1:value} {\n  case ${2:option} { ${0} }\n}",
    "parallel": "parallel {\n  ${0}\n}",
    "loop": "loop at most ${1:3} times until ${2:done} {\n  ${0}\n}",
    "with": "with context { ${1:key}: ${2:value} } {\n  ${0}\n}",
    "approve": 'approve "${1:Go on?}"',
    "try": "try ${0}",
    "each": "each ${1:item} in ${2:items} at most ${3:8} at once: ${0}",
    "best": "best of ${1:3}: ${2:call} picked by ${0:agent}",
    "race": "race {\n  ${0}\n}",
    "case": "case ${1:option} { ${0} }",
    "uncertain": "uncertain {\n  ${0}\n}",
    "else": "else {\n  ${0}\n}",
}
"""Statements and steps of a flow, by their first word."""

CASES = {"case": 'case ${1:Type} {\n  require ${2:condition} else "${0:why}"\n}'}
"""What reads otherwise in a judge."""


def escape(text: str) -> str:
    """A text that a snippet inserts as it is."""
    return _ESCAPED.sub(r"\\\1", text) if _ESCAPED.search(text) else text


def clause_snippet(clause: Clause, block: str) -> str:
    """A clause with its example's value to be overwritten; blocks and texts are opened."""
    if block == "judge" and clause.keyword in CASES:
        return CASES[clause.keyword]
    if clause.keyword in ("prompt", "ask") and block in ("agent", "judge"):
        return f'{clause.keyword} """\n  ${{0}}\n  """'
    if clause.keyword == "require":
        return 'require ${1:condition} else "${0:why}"'
    rest = clause.example.removeprefix(clause.keyword).strip()
    first = rest[:1]
    if first == "{":
        return f"{clause.keyword} {{\n  ${{0}}\n}}"
    if first in '["' and rest[-1:] in ']"' and rest.count(first) < 3:
        return f"{clause.keyword} {first}${{0:{escape(rest[1:-1])}}}{rest[-1]}"
    return f"{clause.keyword} ${{0:{escape(rest)}}}"


def call_snippet(name: str, params: Iterable[str]) -> str:
    """A call with its required arguments to be filled in."""
    places = ", ".join(f"${{{index}:{param}}}" for index, param in enumerate(params, 1))
    return f"{name}({places})$0"
