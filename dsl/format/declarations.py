"""Declarations: one line where they were written on one and fit, else a header and a clause a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ast
from .clauses import check, clause_text, rule_text, write_clauses
from .expressions import Printer
from .flows import simple, write_body
from .writer import WIDTH, Writer


def write_declaration(writer: Writer, printer: Printer, node: ast.Declaration) -> None:
    flat = one_line(writer, printer, node)
    if flat is not None:
        writer.line(flat, node.start, node.end)
        return
    match node:
        case ast.Constant():
            writer.line(f"let {node.name.text} = {printer.expr(node.value, '')}", node.start, node.end)
        case ast.Type() if node.alias is not None:
            writer.line(_alias(printer, node), node.start, node.end)
        case ast.Type():
            writer.open(f"{_head(printer, node)} {{", node.start, _head_end(node))
            _write_fields(writer, printer, node.fields)
            writer.close(node.end)
        case ast.Context():
            writer.line(f"context {printer.expr(node.value, '')}", node.start, node.end)
        case ast.LimitsDecl():
            writer.open("limits {", node.start, node.start + 6)
            for limit in node.limits.items:
                writer.line(
                    f"{limit.what} {printer.slice(limit.amount)} per {limit.per}", limit.start, limit.end
                )
            writer.close(node.end)
        case ast.Flow():
            writer.open(f"{_head(printer, node)} {{", node.start, _head_end(node))
            write_body(writer, printer, node.body)
            writer.close(node.end)
        case ast.Profile():
            writer.open(f"{_head(printer, node)} {{", node.start, _head_end(node))
            for override in node.overrides:
                _write_override(writer, printer, override)
            writer.close(node.end)
        case ast.Test():
            _write_test(writer, printer, node)
        case _:
            clauses: Any = getattr(node, "clauses", ())
            writer.open(f"{_head(printer, node)} {{", node.start, _head_end(node))
            write_clauses(writer, printer, clauses)
            writer.close(node.end)


def one_line(writer: Writer, printer: Printer, node: ast.Declaration) -> str | None:
    """The declaration on one line, where it was on one line and fits."""
    source = printer.slice(node)
    if "\n" in source or "\r" in source or writer.has_comment(node.start, node.end):
        return None
    written = _flat(printer, node)
    return written if written is not None and "\n" not in written and len(written) <= WIDTH else None


def _flat(printer: Printer, node: ast.Declaration) -> str | None:  # noqa: PLR0912  # one arm per kind
    match node:
        case ast.Workflow() | ast.Import() | ast.Scorer():
            return _head(printer, node)
        case ast.Constant():
            return f"let {node.name.text} = {printer.expr(node.value, '')}"
        case ast.Context():
            return f"context {printer.expr(node.value, '')}"
        case ast.Type() if node.alias is not None:
            return _alias(printer, node)
        case ast.Type():
            inner = "  ".join(_field(printer, field) for field in node.fields)
        case ast.LimitsDecl():
            items = node.limits.items
            inner = "  ".join(f"{item.what} {printer.slice(item.amount)} per {item.per}" for item in items)
        case ast.Flow():
            if any(
                isinstance(s, ast.If | ast.Switch | ast.Parallel | ast.Loop | ast.WithContext)
                for s in node.body
            ):
                return None
            inner = "  ".join(simple(printer, s, "") for s in node.body)  # type: ignore[arg-type]
        case ast.Model() if not node.clauses and printer.slice(node)[-1] != "}":
            return _head(printer, node)
        case ast.Profile():
            inner = "  ".join(_override(printer, override) or "\n" for override in node.overrides)
        case ast.Test():
            inner = "  ".join(text for _, text in _test_parts(printer, node, "", {}))
        case _:
            parts = [_flat_clause(printer, clause) for clause in node.clauses]
            if None in parts:
                return None
            inner = "  ".join(part for part in parts if part is not None)
    return f"{_head(printer, node)} {{ {inner} }}" if inner else f"{_head(printer, node)} {{ }}"


def _flat_clause(printer: Printer, clause: ast.JudgeClause) -> str | None:
    if isinstance(clause, ast.Clause):
        return clause_text(printer, clause, "")
    if isinstance(clause, ast.Case):
        inner = "  ".join(rule_text(printer, rule, "") for rule in clause.rules)
        return f"case {clause.type.text} {{ {inner} }}"
    return rule_text(printer, clause, "")


def _head(printer: Printer, node: Any) -> str:  # noqa: PLR0912  # one arm per kind of declaration
    """Everything before the body."""
    described = (
        f" {printer.slice(node.description)}" if getattr(node, "description", None) is not None else ""
    )
    match node:
        case ast.Workflow():
            version = f" version {printer.slice(node.version)}" if node.version is not None else ""
            return f"workflow {node.name.text}{described}{version}"
        case ast.Import():
            return f"import {printer.slice(node.path)}"
        case ast.Provider():
            return f"provider {node.name.text}"
        case ast.Model():
            via = f" via {node.via.text}" if node.via is not None else ""
            return f"model {node.name.text} {printer.slice(node.slug)}{via}"
        case ast.Type():
            extends = f" extends {node.extends.text}" if node.extends is not None else ""
            return f"type {node.name.text}{extends}{described}"
        case ast.Scorer():
            return f"scorer {node.name.text} {'not ' if node.negated else ''}{check(printer, node.check, '')}"
        case ast.Suite():
            return f"suite {node.name.text} for {node.flow.text}{described}"
        case ast.Test():
            return f"test {printer.slice(node.name)} for {node.flow.text}"
        case ast.Memory():
            return "memory"
        case ast.LimitsDecl():
            return "limits"
        case ast.Profile():
            return f"profile {node.name.text}{described}"
        case ast.Judge():
            params = f"({printer.params(node.params)})" if node.params is not None else ""
            return f"{'code ' if node.code else ''}judge {node.name.text}{params}{described}"
        case _:
            return _callable_head(printer, node, described)


def _callable_head(printer: Printer, node: Any, described: str) -> str:
    word = node.kind if isinstance(node, ast.Decision) else type(node).__name__.lower()
    bare = isinstance(node, ast.Agent | ast.Tool | ast.Gate)
    params = f"({printer.params(node.params)})" if node.params or not bare else ""
    shape = getattr(node, "shape", None)
    returns = f" -> {printer.shape(shape)}" if shape is not None else ""
    return f"{word} {node.name.text}{params}{returns}{described}"


def _head_end(node: Any) -> int:
    """Where the head's last part ends, for the comments that may stand behind its brace."""
    ends: list[int] = [node.start]
    for name in ("name", "description", "shape", "extends", "flow", "via", "slug"):
        part = getattr(node, name, None)
        if isinstance(part, ast.Node):
            ends.append(part.end)
    ends += [param.end for param in getattr(node, "params", None) or ()]
    return max(ends)


def _alias(printer: Printer, node: ast.Type) -> str:
    assert node.alias is not None
    described = f" {printer.slice(node.description)}" if node.description is not None else ""
    return f"type {node.name.text}{described} = {printer.shape(node.alias)}"


def _field(printer: Printer, node: ast.TypeField, name: int = 0, shape: int = 0) -> str:
    label = f"{node.name.text}:".ljust(name)
    written = printer.shape(node.shape) + ("?" if node.optional else "")
    if node.description is None:
        return f"{label} {written}"
    return f"{label} {written.ljust(shape)} {' ' if shape else ''}{printer.slice(node.description)}"


def _write_fields(writer: Writer, printer: Printer, fields: Sequence[ast.TypeField]) -> None:
    names = max((len(field.name.text) + 1 for field in fields), default=0)
    shapes = max((len(printer.shape(field.shape)) + field.optional for field in fields), default=0)
    for field in fields:
        writer.line(_field(printer, field, names, min(shapes, 40)), field.start, field.end)


def _override(printer: Printer, node: ast.Override) -> str | None:
    if node.kind == "model":
        return f"model {node.name.text} {printer.slice(node.slug)}" if node.slug is not None else None
    parts = [_flat_clause(printer, clause) for clause in node.clauses]
    if None in parts:
        return None
    inner = "  ".join(part for part in parts if part is not None)
    return f"{node.kind} {node.name.text} {{ {inner} }}"


def _write_override(writer: Writer, printer: Printer, node: ast.Override) -> None:
    flat = _override(printer, node)
    short = flat is not None and "\n" not in flat and "\n" not in printer.slice(node)
    if flat is not None and short and len(writer.indent) + len(flat) <= WIDTH:
        writer.line(flat, node.start, node.end)
        return
    writer.open(f"{node.kind} {node.name.text} {{", node.start, node.name.end)
    write_clauses(writer, printer, node.clauses)
    writer.close(node.end)


def _write_test(writer: Writer, printer: Printer, node: ast.Test) -> None:
    writer.open(f"{_head(printer, node)} {{", node.start, node.flow.end)
    names = [len(script.name.text) for script in node.scripts]
    words = [5] if node.given is not None else []
    widths = {"name": max([*names, *words, 6 if node.expects else 0], default=0)}
    for part, text in _test_parts(printer, node, writer.indent, widths):
        writer.line(text, part.start, part.end)
    writer.close(node.end)


def _test_parts(
    printer: Printer, node: ast.Test, indent: str, widths: dict[str, int]
) -> list[tuple[ast.Node, str]]:
    """What stands in a test, in the order of the text."""
    width = widths.get("name", 0)
    parts: list[tuple[ast.Node, str]] = []
    if node.given is not None:
        start = printer.text.rfind("given", 0, node.given.start)
        place = ast.Ident(start, node.given.end, "given")
        parts.append((place, f"{'given'.ljust(width)} {printer.expr(node.given, indent)}"))
    for script in node.scripts:
        when = f" when {printer.expr(script.when, indent)}" if script.when is not None else ""
        value = printer.expr(script.value, indent)
        parts.append((script, f"{script.name.text.ljust(width)} {script.verb} {value}{when}"))
    for expect in node.expects:
        if expect.condition is not None:
            parts.append((expect, f"{'expect'.ljust(width)} {printer.expr(expect.condition, indent)}"))
        elif expect.code is not None:
            parts.append((expect, f"{'expect'.ljust(width)} fails with {printer.slice(expect.code)}"))
    return sorted(parts, key=lambda part: part[0].start)
