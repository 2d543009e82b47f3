"""Every name in a declaration and what it stands for: the base of definition, references, rename and
highlights.

A `Target` says what a name stands for. Two names with the same target are the same thing, whatever file
they stand in. Names are resolved from the tree and the surfaces of what it mentions; fields, which need
shapes, are `fields.py`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple

from ..dsl import ast
from ..dsl.check.base import CallableSurface, TypeSurface
from ..dsl.check.surface import judge_form
from .shadows import Find, function_called, may_call, names_given
from .tree import children

Kind = Literal["declaration", "param", "local", "field", "option", "question", "builtin"]


class Target(NamedTuple):
    """`owner` is the declaration whose parameter, field, option or question this is. A local's owner also
    says where its scope begins, so that two of one name are told apart."""

    kind: Kind
    owner: str
    name: str


class Occurrence(NamedTuple):
    """Offsets in the declaration's text. `defines` marks the place where the thing is declared or first
    named."""

    start: int
    end: int
    target: Target
    defines: bool = False


Locals = Mapping[str, Target]


def declared(name: str) -> Target:
    return Target("declaration", "", name)


def name_of(node: ast.Declaration) -> str:
    """The name of a declaration, empty for one without (`limits`, `test`, …)."""
    name = getattr(node, "name", None)
    return name.text if isinstance(name, ast.Ident) else ""


def occurrences(node: ast.Declaration, find: Find) -> list[Occurrence]:
    """Every name of a declaration in the order of the text, the fields of values left out."""
    reader = _Reader(node, find)
    reader.declaration(node)
    return sorted(reader.found)


class _Reader:
    def __init__(self, node: ast.Declaration, find: Find) -> None:
        self.node = node
        self.find = find
        self.owner = name_of(node)
        self.calls = may_call(node)
        self.found: list[Occurrence] = []

    # --- adding --------------------------------------------------------------------------------------------

    def add(self, ident: ast.Node, target: Target, *, defines: bool = False, skip: int = 0) -> None:
        """`skip` is what stands before the name in its node."""
        start = ident.start + skip
        self.found.append(Occurrence(start, start + len(target.name), target, defines))

    def mention(self, ident: ast.Ident) -> None:
        """A declaration by its name; of a dotted one (`browse.open`) the first word."""
        self.add(ident, declared(ident.text.partition(".")[0]))

    def local(self, ident: ast.Ident, locals_: Locals, at: int) -> Locals:
        """A name for a value, in a scope that begins at an offset; the names from there on."""
        target = Target("local", f"{self.owner}@{at}", ident.text)
        self.add(ident, target, defines=True)
        return {**locals_, ident.text: target}

    # --- declarations --------------------------------------------------------------------------------------

    def declaration(self, node: ast.Declaration) -> None:
        if isinstance(node, ast.Workflow | ast.Import):
            return
        if isinstance(node, ast.Suite):
            self.mention(node.flow)
        name = getattr(node, "name", None)
        if isinstance(name, ast.Ident):
            self.add(name, declared(name.text), defines=True)
        given = {each: builtin(each) for each in names_given(node, self.find)}
        locals_ = {**given, **self.params(getattr(node, "params", None) or ())}
        match node:
            case ast.Flow():
                self.shape(node.shape)
                self.block(node.body, self.bindings(node.body, locals_))
            case ast.Judge():
                self.judge(node.clauses, self.judged(node, locals_))
            case ast.Type():
                self.type(node)
            case ast.Test():
                self.test(node, given)
            case ast.Model(via=ast.Ident() as via):
                self.add(via, declared(via.text) if self.find(via.text) else builtin(via.text))
                self.clauses(node.clauses, locals_)
            case _:
                for child in children(node):
                    if child is not name and not isinstance(child, ast.Param):
                        self.any(child, locals_)

    def override(self, node: ast.Override, locals_: Locals) -> None:
        self.mention(node.name)
        self.judge(node.clauses, {})

    def params(self, params: Iterable[ast.Param]) -> Locals:
        locals_: dict[str, Target] = {}
        for param in params:
            target = Target("param", self.owner, param.name.text)
            self.add(param.name, target, defines=True)
            self.shape(param.shape)
            if param.default is not None:
                self.any(param.default, {})
            locals_[param.name.text] = target
        return locals_

    def shape(self, node: ast.ShapeNode | None) -> None:
        if node is not None:
            self.any(node, {})

    def type(self, node: ast.Type) -> None:
        if node.extends is not None:
            self.mention(node.extends)
        for field in node.fields:
            self.add(field.name, Target("field", self.owner, field.name.text), defines=True)
            self.shape(field.shape)
        self.shape(node.alias)

    def test(self, node: ast.Test, given: Locals) -> None:
        self.mention(node.flow)
        for pair in node.given.pairs if node.given else ():
            key = pair.key
            quote = (key.end - key.start - len(key.text)) // 2
            self.add(key, Target("param", node.flow.text, key.text), skip=quote)
            self.any(pair.value, {})
        for script in node.scripts:
            self.mention(script.name)
            self.any(script.value, {})
            if script.when is not None:
                self.any(script.when, self.params_of(script.name.text))
        for expect in node.expects:
            if expect.condition is not None:
                self.any(expect.condition, given)

    def params_of(self, name: str) -> Locals:
        surface = self.find(name)
        if not isinstance(surface, CallableSurface):
            return {}
        return {param.name: Target("param", name, param.name) for param in surface.params}

    # --- judges --------------------------------------------------------------------------------------------

    def judged(self, node: ast.Judge, locals_: Locals) -> Locals:
        """What a judge's rules may name beside its parameters: the questions of its `decide`."""
        questions = [
            question
            for clause in node.clauses
            if isinstance(clause, ast.Clause) and isinstance(clause.value, ast.Questions)
            for question in clause.value.items
        ]
        if judge_form(node) != "decide":
            return locals_
        names = {
            question.name.text: Target("question", self.owner, question.name.text) for question in questions
        }
        return {**names, **locals_}

    def judge(self, clauses: Iterable[ast.JudgeClause], locals_: Locals, at: int = 0) -> None:
        """Rules in order, in a scope that begins at an offset: a `let` is known below it."""
        for clause in clauses:
            match clause:
                case ast.Let():
                    self.any(clause.value, locals_)
                    locals_ = self.local(clause.name, locals_, at)
                case ast.Case():
                    self.mention(clause.type)
                    self.judge(clause.rules, locals_, clause.start)
                case _:
                    self.any(clause, locals_)

    def clauses(self, clauses: Iterable[ast.Clause], locals_: Locals) -> None:
        for clause in clauses:
            self.any(clause, locals_)

    # --- flows ---------------------------------------------------------------------------------------------

    def bindings(self, body: Iterable[ast.Statement], locals_: Locals) -> Locals:
        """A flow's names. One that is bound again, on another path or in a loop, is still the same name."""
        names = dict(locals_)
        waiting: list[ast.Node] = list(body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Bind):
                names.setdefault(node.name.text, Target("local", f"{self.owner}@0", node.name.text))
            elif isinstance(
                node,
                ast.If
                | ast.Switch
                | ast.SwitchCase
                | ast.Uncertain
                | ast.Parallel
                | ast.Loop
                | ast.WithContext
                | ast.Block,
            ):
                waiting.extend(children(node))
        return names

    def block(self, body: Iterable[ast.Node], locals_: Locals) -> None:
        for statement in body:
            self.any(statement, locals_)

    # --- everything else -----------------------------------------------------------------------------------

    def any(self, node: ast.Node, locals_: Locals) -> None:
        """A part of a declaration, by its kind."""
        read = _READERS.get(type(node))
        if read is not None:
            read(self, node, locals_)
            return
        for child in children(node):
            if not isinstance(child, ast.Ident):
                self.any(child, locals_)

    def name(self, node: ast.Name, locals_: Locals) -> None:
        self.add(
            node, locals_.get(node.id) or (declared(node.id) if self.find(node.id) else builtin(node.id))
        )

    def call(self, node: ast.Call | ast.Use, locals_: Locals) -> None:
        callee = node.callee if isinstance(node, ast.Call) else node.name
        name = callee.text.partition(".")[0]
        if isinstance(node, ast.Call) and function_called(name, self.node, self.find, calls=self.calls):
            self.add(callee, builtin(callee.text))
        else:
            self.mention(callee)
        for arg in node.args:
            if arg.name is not None:
                self.add(arg.name, Target("param", name, arg.name.text))
            self.any(arg.value, locals_)

    def quantified(self, node: ast.Quantified, locals_: Locals) -> None:
        self.any(node.source, locals_)
        self.any(node.body, self.local(node.name, locals_, node.start))

    def comprehension(self, node: ast.Comprehension, locals_: Locals) -> None:
        self.any(node.source, locals_)
        inner = self.local(node.name, locals_, node.start)
        self.any(node.body, inner)
        if node.condition is not None:
            self.any(node.condition, inner)

    def each(self, node: ast.Each, locals_: Locals) -> None:
        self.any(node.source, locals_)
        self.any(node.body, self.local(node.name, locals_, node.start))

    def bind(self, node: ast.Bind, locals_: Locals) -> None:
        target = locals_.get(node.name.text) or Target("local", f"{self.owner}@0", node.name.text)
        self.add(node.name, target, defines=target.kind == "local")
        self.any(node.step, locals_)

    def best(self, node: ast.Best, locals_: Locals) -> None:
        for call in node.calls:
            self.any(call, locals_)
        self.mention(node.picker)
        if node.question is not None:
            self.any(node.question, locals_)

    def switch(self, node: ast.Switch, locals_: Locals) -> None:
        self.any(node.subject, locals_)
        asked = node.subject.callee.text if isinstance(node.subject, ast.Call) else ""
        for case in node.cases:
            if case.quoted:
                pass
            elif isinstance(self.find(case.label.text), TypeSurface):
                self.mention(case.label)
            elif asked:
                self.add(case.label, Target("option", asked, case.label.text))
            self.any(case.block, locals_)
        if node.uncertain is not None:
            self.any(node.uncertain, locals_)

    def option(self, node: ast.Option, locals_: Locals) -> None:
        self.add(node.name, Target("option", self.owner, node.name.text), defines=True)

    def question(self, node: ast.Question, locals_: Locals) -> None:
        self.add(node.name, Target("question", self.owner, node.name.text), defines=True)
        self.any(node.text, locals_)

    def type_ref(self, node: ast.TypeRef, locals_: Locals) -> None:
        self.add(node, declared(node.name))

    def is_(self, node: ast.Is, locals_: Locals) -> None:
        self.any(node.operand, locals_)
        self.mention(node.type)

    def model_ref(self, node: ast.ModelRef, locals_: Locals) -> None:
        if not node.quoted:
            self.add(node, declared(node.text))

    def clause(self, node: ast.Clause, locals_: Locals) -> None:
        if isinstance(node.value, ast.Names) and node.keyword == "secret":
            for name in node.value.items:
                self.add(name, Target("param", self.owner, name.text))
        elif not isinstance(node.value, ast.Ident):
            before, self.calls = self.calls, may_call(self.node, node.keyword)
            self.any(node.value, locals_)
            self.calls = before

    def names(self, node: ast.Names, locals_: Locals) -> None:
        for name in node.items:
            self.mention(name)

    def mcp(self, node: ast.Mcp, locals_: Locals) -> None:
        """The functions of a server are its own names."""

    def scorer_entry(self, node: ast.ScorerEntry, locals_: Locals) -> None:
        if isinstance(node.scorer, ast.Ident):
            self.mention(node.scorer)
        else:
            self.any(node.scorer, locals_)

    def ask(self, node: ast.Ask, locals_: Locals) -> None:
        self.mention(node.agent)
        self.any(node.question, locals_)


def builtin(name: str) -> Target:
    return Target("builtin", "", name)


_READERS: dict[type, Callable[..., None]] = {
    ast.Name: _Reader.name,
    ast.Call: _Reader.call,
    ast.Use: _Reader.call,
    ast.Quantified: _Reader.quantified,
    ast.Comprehension: _Reader.comprehension,
    ast.Each: _Reader.each,
    ast.Bind: _Reader.bind,
    ast.Best: _Reader.best,
    ast.Switch: _Reader.switch,
    ast.Option: _Reader.option,
    ast.Question: _Reader.question,
    ast.TypeRef: _Reader.type_ref,
    ast.Is: _Reader.is_,
    ast.ModelRef: _Reader.model_ref,
    ast.Clause: _Reader.clause,
    ast.Names: _Reader.names,
    ast.Mcp: _Reader.mcp,
    ast.ScorerEntry: _Reader.scorer_entry,
    ast.Ask: _Reader.ask,
    ast.Override: _Reader.override,
}
