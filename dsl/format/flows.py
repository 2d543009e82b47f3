"""Statements and steps of a flow."""

from __future__ import annotations

from collections.abc import Sequence

from .. import ast
from .expressions import Printer
from .writer import WIDTH, Writer


def write_body(writer: Writer, printer: Printer, body: Sequence[ast.Statement]) -> None:
    for statement in body:
        write_statement(writer, printer, statement)


def write_statement(writer: Writer, printer: Printer, node: ast.Statement) -> None:
    match node:
        case ast.If():
            _write_if(writer, printer, node, "if")
        case ast.Switch():
            _write_switch(writer, printer, node)
        case ast.Parallel():
            writer.open("parallel {", node.start, node.start + 8)
            write_body(writer, printer, node.tasks)
            writer.close(node.end)
        case ast.Loop():
            _write_loop(writer, printer, node)
        case ast.WithContext():
            value = printer.expr(node.value, writer.indent)
            _write_block(writer, printer, f"with context {value}", node.start, node.body, node.end)
        case _:
            writer.line(simple(printer, node, writer.indent), node.start, node.end)


def simple(printer: Printer, node: ast.Bind | ast.Do | ast.Return | ast.Stop, indent: str) -> str:
    """A statement without a block."""
    match node:
        case ast.Bind():
            return f"{node.name.text} = {step(printer, node.step, indent)}"
        case ast.Do():
            return step(printer, node.step, indent)
        case ast.Return():
            return f"return {printer.expr(node.value, indent)}"
        case ast.Stop():
            return f"stop {printer.literal(node.reason, indent)}"


def step(printer: Printer, node: ast.Step, indent: str) -> str:
    match node:
        case ast.Try():
            otherwise = f" else {printer.expr(node.otherwise, indent)}" if node.otherwise is not None else ""
            return f"try {printer.expr(node.call, indent)}{otherwise}"
        case ast.Approve():
            showing = f" showing {printer.expr(node.showing, indent)}" if node.showing is not None else ""
            return f"approve {printer.literal(node.question, indent)}{showing}"
        case ast.Each():
            bound = f" at most {printer.slice(node.at_most)} at once" if node.at_most is not None else ""
            source = printer.expr(node.source, indent, tail=False)
            return f"each {node.name.text} in {source}{bound}: {step(printer, node.body, indent)}"
        case ast.Best():
            question = f" {printer.literal(node.question, indent)}" if node.question is not None else ""
            picked = f" picked by {node.picker.text}{question}"
            if node.count is not None:
                return f"best of {printer.slice(node.count)}: {step(printer, node.calls[0], indent)}{picked}"
            return f"best of {_calls(printer, node.calls, indent)}{picked}"
        case ast.Race():
            return f"race {_calls(printer, node.calls, indent)}"
        case _:
            return printer.expr(node, indent)


def _calls(printer: Printer, calls: Sequence[ast.Call], indent: str) -> str:
    flat = "  ".join(printer.expr(call, indent) for call in calls)
    if len(indent) + len(flat) <= WIDTH - 30 and "\n" not in flat:
        return f"{{ {flat} }}"
    inner = indent + "  "
    lines = "".join(f"{inner}{printer.expr(call, inner)}\n" for call in calls)
    return f"{{\n{lines}{indent}}}"


def _one_line(
    writer: Writer, printer: Printer, head: str, block: ast.Block, start: int, end: int
) -> str | None:
    """`head { statement }` where that was written on one line, holds one statement at the most, and fits."""
    if len(block.body) > 1 or writer.has_comment(start, end) or "\n" in writer.text[start:end]:
        return None
    if not block.body:
        return f"{head} {{ }}"
    (only,) = block.body
    if isinstance(only, ast.If | ast.Switch | ast.Parallel | ast.Loop | ast.WithContext):
        return None
    written = f"{head} {{ {simple(printer, only, writer.indent)} }}"
    return written if "\n" not in written and len(writer.indent) + len(written) <= WIDTH else None


def _write_block(writer: Writer, printer: Printer, head: str, start: int, block: ast.Block, end: int) -> None:
    flat = _one_line(writer, printer, head, block, start, end)
    if flat is not None:
        writer.line(flat, start, end)
        return
    writer.open(f"{head} {{", start, block.start + 1)
    write_body(writer, printer, block.body)
    writer.close(end)


def _write_if(writer: Writer, printer: Printer, node: ast.If, word: str) -> None:
    """The branches of one `if`: each on its own lines, its closing brace before the next word."""
    head = f"if {printer.expr(node.condition, writer.indent)}"
    branches: list[tuple[str, int, ast.Block]] = [(head, node.start, node.then)]
    current = node
    while True:
        if current.uncertain is not None:
            branches.append(
                (_uncertain(printer, current.uncertain), current.uncertain.start, current.uncertain.block)
            )
        otherwise = current.otherwise
        if isinstance(otherwise, ast.If):
            condition = printer.expr(otherwise.condition, writer.indent)
            branches.append((f"else if {condition}", otherwise.start, otherwise.then))
            current = otherwise
            continue
        if otherwise is not None:
            branches.append(("else", otherwise.start, otherwise))
        break
    _write_branches(writer, printer, branches, node)


def _write_branches(
    writer: Writer, printer: Printer, branches: Sequence[tuple[str, int, ast.Block]], node: ast.Statement
) -> None:
    flat = [_one_line(writer, printer, head, block, start, block.end) for head, start, block in branches]
    if all(line is not None for line in flat) and not writer.has_comment(node.start, node.end):
        for line, (_, start, block) in zip(flat, branches, strict=True):
            writer.line(line or "", start, block.end)
        return
    for at, (head, start, block) in enumerate(branches):
        if at == 0:
            writer.open(f"{head} {{", start, block.start + 1)
        else:
            writer.reopen(f"}} {head} {{", start, block.start + 1)
        write_body(writer, printer, block.body)
    writer.close(node.end)


def _uncertain(printer: Printer, node: ast.Uncertain) -> str:
    return "uncertain" + (f" below {printer.slice(node.below)}" if node.below is not None else "")


def _write_switch(writer: Writer, printer: Printer, node: ast.Switch) -> None:
    subject = printer.expr(node.subject, writer.indent)
    first = node.cases[0].start if node.cases else node.end
    writer.open(f"switch {subject} {{", node.start, min(node.subject.end, first))
    cases: list[tuple[str, int, ast.Block]] = [
        (f"case {_label(case)}", case.start, case.block) for case in node.cases
    ]
    if node.uncertain is not None:
        cases.append((_uncertain(printer, node.uncertain), node.uncertain.start, node.uncertain.block))
    width = max((len(head) for head, _, _ in cases), default=0)
    flat = [
        _one_line(writer, printer, head.ljust(width), block, start, block.end) for head, start, block in cases
    ]
    for (head, start, block), line in zip(cases, flat, strict=True):
        if line is not None:
            writer.line(line, start, block.end)
        else:
            _write_block(writer, printer, head, start, block, block.end)
    writer.close(node.end)


def _label(case: ast.SwitchCase) -> str:
    return f'"{case.label.text}"' if case.quoted else case.label.text


def _write_loop(writer: Writer, printer: Printer, node: ast.Loop) -> None:
    until = f" until {printer.expr(node.until, writer.indent)}" if node.until is not None else ""
    head = f"loop at most {printer.slice(node.at_most)} times{until}"
    writer.open(f"{head} {{", node.start, node.body.start + 1)
    write_body(writer, printer, node.body.body)
    if node.otherwise is None:
        writer.close(node.end)
        return
    flat = _one_line(writer, printer, "else", node.otherwise, node.otherwise.start, node.otherwise.end)
    if flat is not None:
        writer.close(node.end, f"}} {flat}")
        return
    writer.reopen("} else {", node.otherwise.start, node.otherwise.start + 1)
    write_body(writer, printer, node.otherwise.body)
    writer.close(node.end)
