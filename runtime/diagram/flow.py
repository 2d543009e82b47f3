"""From a flow of a checked program to its figure."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from ...dsl import ast
from ...dsl.parse import Item, Module
from ...dsl.plan import Plan
from .describe import Describer
from .figure import Branch, Figure, Fork, Node, Step
from .words import one_line


def figure_of(plan: Plan, modules: Sequence[Module], flow: str) -> Figure:
    """The figure of a flow that the Plan has. What it calls is shown by name; other flows are not unfolded."""
    module, item, node = _declared(modules, flow)
    return _Sketch(plan, module, item).figure(node)


def _declared(modules: Sequence[Module], flow: str) -> tuple[Module, Item, ast.Flow]:
    return next(
        (module, item, item.node)
        for module in modules
        for item in module.items
        if isinstance(item.node, ast.Flow) and item.node.name.text == flow
    )


class _Sketch:
    """Numbers the nodes of one flow and reads its statements."""

    def __init__(self, plan: Plan, module: Module, item: Item) -> None:
        self.text = item.text
        self.describe = Describer(plan)
        self._position = module.source.position
        self._offset = item.offset
        self._ids = (f"n{number}" for number in itertools.count())

    def figure(self, flow: ast.Flow) -> Figure:
        description = flow.description.plain if flow.description else None
        given = ", ".join(param.name.text for param in flow.params)
        start = self.node("start", flow.name.text, (f"given {given}",) if given else (), flow)
        steps = [start, *self.block(flow.body)]
        if not self.ends(flow.body):
            steps.append(self.node("end", "done", (), flow))
        return Figure(flow.name.text, description, tuple(steps))

    def node(self, kind: Any, title: str, details: Sequence[str], at: ast.Node) -> Node:
        line, _ = self._position(self._offset + at.start)
        return Node(next(self._ids), kind, title, tuple(details), line)

    def written(self, node: ast.Node) -> str:
        return one_line(self.text[node.start : node.end])

    def asked(self, node: ast.Text) -> str:
        """A text as it reads, its templates as they are written."""
        parts = (part if isinstance(part, str) else f"{{{{ {self.written(part)} }}}}" for part in node.parts)
        return one_line("".join(parts))

    # statements

    def block(self, body: Sequence[ast.Statement]) -> list[Step]:
        return [step for statement in body for step in self.statement(statement)]

    def statement(self, node: ast.Statement) -> Iterator[Step]:
        match node:
            case ast.Bind():
                yield from self.step(node.step, node.name.text)
            case ast.Do():
                yield from self.step(node.step, None)
            case ast.Return():
                yield from self.calls(node.value)
                yield self.node("end", f"return {self.written(node.value)}", (), node)
            case ast.Stop():
                yield self.node("stop", "stop", (self.asked(node.reason),), node)
            case ast.If():
                yield from self.choice(node)
            case ast.Switch():
                yield from self.switch(node)
            case ast.Parallel():
                yield self.parallel(node)
            case ast.Loop():
                yield from self.loop(node)
            case ast.WithContext():
                yield from self.calls(node.value)
                yield from self.block(node.body.body)

    def ends(self, body: Sequence[ast.Statement]) -> bool:
        """Whether no statement after these would run."""
        return any(self._ends(statement) for statement in body)

    def _ends(self, node: ast.Statement) -> bool:
        match node:
            case ast.Return() | ast.Stop():
                return True
            case ast.If():
                rest = node.otherwise
                other = (
                    self._ends(rest) if isinstance(rest, ast.If) else self.ends(rest.body) if rest else False
                )
                unsure = node.uncertain is None or self.ends(node.uncertain.block.body)
                return self.ends(node.then.body) and other and unsure
            case ast.Switch():
                blocks = [case.block for case in node.cases]
                blocks += [node.uncertain.block] if node.uncertain else []
                return all(self.ends(block.body) for block in blocks)
            case ast.WithContext():
                return self.ends(node.body.body)
            case _:
                return False

    def choice(self, node: ast.If) -> Iterator[Step]:
        head = yield from self.head(node.condition)
        branches = [Branch("yes", tuple(self.block(node.then.body)))]
        if node.uncertain is not None:
            branches.append(self.unsure(node.uncertain))
        match node.otherwise:
            case ast.If():
                steps = tuple(self.choice(node.otherwise))
            case ast.Block():
                steps = tuple(self.block(node.otherwise.body))
            case _:
                steps = ()
        branches.append(Branch("no", steps))
        yield Fork(head, tuple(branches))

    def switch(self, node: ast.Switch) -> Iterator[Step]:
        head = yield from self.head(node.subject)
        branches = [Branch(case.label.text, tuple(self.block(case.block.body))) for case in node.cases]
        if node.uncertain is not None:
            branches.append(self.unsure(node.uncertain))
        yield Fork(head, tuple(branches))

    def unsure(self, node: ast.Uncertain) -> Branch:
        bar = f" below {node.below.text}" if node.below is not None else ""
        return Branch(f"uncertain{bar}", tuple(self.block(node.block.body)))

    def head(self, condition: ast.Expr) -> Generator[Step, None, Node]:
        """What a branch hangs on, as the head of a fork; calls that are no decision come before it."""
        found = list(self.costly(condition))
        if len(found) == 1 and self.describe.kind(found[0].callee.text) == "decision":
            details = self.describe.details(found[0].callee.text)
            return self.node("decision", self.written(condition), details, condition)
        yield from self.calls(condition)
        return self.node("branch", self.written(condition), (), condition)

    def parallel(self, node: ast.Parallel) -> Fork:
        branches = []
        for task in node.tasks:
            name = task.name.text if isinstance(task, ast.Bind) else None
            branches.append(Branch("", tuple(self.step(task.step, name))))
        return Fork(
            self.node("fork", "at once", (), node), tuple(branches), self.node("join", "all", (), node)
        )

    def loop(self, node: ast.Loop) -> Iterator[Step]:
        details = (f"at most {node.at_most.text} times",)
        if node.until is not None:
            yield from self.calls(node.until)
        title = f"until {self.written(node.until)}" if node.until is not None else "loop"
        head = self.node("loop", title, details, node)
        branches = [Branch("turn", tuple(self.block(node.body.body)), back=True)]
        if node.until is not None:
            branches.append(Branch("holds", ()))
        if node.otherwise is not None:
            spent = tuple(self.block(node.otherwise.body))
        elif node.until is not None:
            spent = (self.node("stop", "guarded", ("the turns are spent",), node),)
        else:
            spent = ()
        yield Fork(head, (*branches, Branch("spent", spent)))

    # steps

    def step(self, node: ast.Step, name: str | None) -> Iterator[Step]:
        match node:
            case ast.Try():
                yield from self.calls(node.call.args)
                yield self.call(node.call, name, "try, else" if node.otherwise else "try")
            case ast.Approve():
                yield self.node("person", _bound(name, "approve"), (self.asked(node.question),), node)
            case ast.Each():
                yield from self.calls(node.source)
                call = node.body.call if isinstance(node.body, ast.Try) else node.body
                many = f"each {node.name.text} in {self.written(node.source)}"
                yield self.call(call, name, many)
            case ast.Best():
                yield from self.best(node, name)
            case ast.Race():
                branches = tuple(Branch("", tuple(self.step(call, None))) for call in node.calls)
                first = self.node("join", _bound(name, "the first that succeeds"), (), node)
                yield Fork(self.node("fork", "race", (), node), branches, first)
            case ast.Call() if self.describe.kind(node.callee.text) is not None:
                yield from self.calls(node.args)
                ends = self.describe.kind(node.callee.text) == "gate"
                yield self.call(node, name, *(("a block ends the flow",) if ends else ()))
            case _:
                yield from self.calls(node)

    def best(self, node: ast.Best, name: str | None) -> Iterator[Step]:
        asked = (self.asked(node.question),) if node.question else ()
        if node.count is not None:
            yield self.call(node.calls[0], None, f"{node.count.text} times at once")
            yield self.node("judge", _bound(name, f"{node.picker.text} picks"), asked, node.picker)
            return
        branches = tuple(Branch("", tuple(self.step(call, None))) for call in node.calls)
        picker = self.node("judge", _bound(name, f"{node.picker.text} picks"), asked, node.picker)
        yield Fork(self.node("fork", "best of", (), node), branches, picker)

    def calls(self, node: Any) -> Iterator[Node]:
        """A node for every call of an expression that costs, in the order in which they run."""
        for call in self.costly(node):
            yield self.call(call, None)

    def costly(self, node: Any) -> Iterator[ast.Call]:
        if isinstance(node, tuple):
            for item in node:
                yield from self.costly(item)
        elif isinstance(node, ast.Node):
            for field in node.__struct_fields__:
                yield from self.costly(getattr(node, field))
            if isinstance(node, ast.Call) and self.describe.kind(node.callee.text) is not None:
                yield node

    def call(self, node: ast.Call, name: str | None, *more: str) -> Node:
        callee = node.callee.text
        details = (*more, *self.describe.details(callee))
        return self.node(self.describe.kind(callee), _bound(name, callee), details, node)


def _bound(name: str | None, what: str) -> str:
    return f"{name} = {what}" if name is not None else what
