"""Clauses and rules, each as one line or a block of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ast
from .expressions import Printer
from .writer import WIDTH, Writer

_MOST_ALIGNED = 10
"""A longer keyword (`confidence at least`) does not push its neighbours' values away."""
_SPELLED = {"confidence": "confidence at least", "compact": "compact every"}


def keyword(clause: ast.Clause) -> str:
    return _SPELLED.get(clause.keyword, clause.keyword)


def write_clauses(writer: Writer, printer: Printer, clauses: Sequence[ast.JudgeClause]) -> None:
    """The clauses of a block; the values of neighbours stand in one column."""
    for run in _runs(writer, clauses):
        words = [len(keyword(clause)) for clause in run if isinstance(clause, ast.Clause)]
        width = max((length for length in words if length <= _MOST_ALIGNED), default=0)
        for clause in run:
            if isinstance(clause, ast.Clause):
                write_clause(writer, printer, clause, width)
            else:
                write_rule(writer, printer, clause)


def write_clause(writer: Writer, printer: Printer, clause: ast.Clause, width: int) -> None:
    word = keyword(clause)
    value: Any = clause.value
    match value:
        case ast.ScorerEntries():
            writer.open("scorers {", clause.start, clause.start + 7)
            for entry in value.items:
                writer.line(scorer_entry(printer, entry, writer.indent), entry.start, entry.end)
            writer.close(clause.end)
        case ast.Questions():
            writer.open("decide {", clause.start, clause.start + 6)
            for question in value.items:
                writer.line(_question(printer, question, writer.indent), question.start, question.end)
            writer.close(clause.end)
        case ast.Limits():
            writer.open("limits {", clause.start, clause.start + 6)
            for limit in value.items:
                writer.line(
                    f"{limit.what} {printer.slice(limit.amount)} per {limit.per}", limit.start, limit.end
                )
            writer.close(clause.end)
        case ast.Options() if len(value.items) > 1 and not _fits(printer, value, writer, width):
            writer.open(f"{word.ljust(width)} {{", clause.start, value.start + 1)
            name_width = max(len(option.name.text) for option in value.items)
            for option in value.items:
                writer.line(_option(printer, option, name_width), option.start, option.end)
            writer.close(clause.end)
        case _:
            written = clause_value(printer, value, writer.indent)
            writer.line(f"{word.ljust(width)} {written}".rstrip(), clause.start, clause.end)


def clause_text(printer: Printer, clause: ast.Clause, indent: str) -> str | None:
    """A clause on one line, or None where it needs a block or several lines."""
    value: Any = clause.value
    if isinstance(value, ast.ScorerEntries):
        inner = "  ".join(scorer_entry(printer, entry, indent) for entry in value.items)
        written = f"scorers {{ {inner} }}"
    elif isinstance(value, ast.Questions):
        inner = "  ".join(_question(printer, question, indent) for question in value.items)
        written = f"decide {{ {inner} }}"
    elif isinstance(value, ast.Limits):
        inner = "  ".join(f"{li.what} {printer.slice(li.amount)} per {li.per}" for li in value.items)
        written = f"limits {{ {inner} }}"
    else:
        written = f"{keyword(clause)} {clause_value(printer, value, indent)}"
    return None if "\n" in written else written


def clause_value(printer: Printer, value: Any, indent: str) -> str:  # noqa: PLR0912  # one arm per kind of value
    match value:
        case ast.Text():
            return printer.literal(value, indent)
        case ast.Ident():
            return value.text
        case ast.ModelRef():
            return printer.slice(value)
        case ast.Models():
            return f"[{', '.join(printer.slice(item) for item in value.items)}]"
        case ast.Names():
            return f"[{', '.join(item.text for item in value.items)}]"
        case ast.Uses():
            return f"[{', '.join(use(printer, item, indent) for item in value.items)}]"
        case ast.Env():
            return f"env {value.name}"
        case ast.Headers():
            headers = ", ".join(_header(printer, item, indent) for item in value.items)
            return f"{{ {headers} }}" if headers else "{}"
        case ast.Price():
            return f"{printer.slice(value.input)} in, {printer.slice(value.output)} out"
        case ast.Mcp():
            only = f" only [{', '.join(item.text for item in value.only.items)}]" if value.only else ""
            return printer.literal(value.command, indent) + only
        case ast.Options():
            return f"{{ {'  '.join(_option(printer, option, 0) for option in value.items)} }}"
        case ast.Texts():
            return f"[{', '.join(printer.literal(item, indent) for item in value.items)}]"
        case ast.Cache():
            return f"{printer.slice(value.ttl)} by {printer.expr(value.key, indent)}"
        case ast.Compact():
            numbers = f"{printer.slice(value.every)} keep {printer.slice(value.keep)}"
            return f"{numbers} with {printer.slice(value.model)}"
        case ast.Combine():
            bar = f" at least {printer.slice(value.at_least)}" if value.at_least is not None else ""
            return value.mode + bar
        case ast.Ask():
            return f"{value.agent.text} {printer.literal(value.question, indent)}"
        case ast.GateJudge():
            return _gate_judge(printer, value, indent)
        case _:
            return printer.expr(value, indent)


def use(printer: Printer, node: ast.Use, indent: str) -> str:
    return node.name.text + (printer.arguments(node.args, indent) if node.args else "")


def check(printer: Printer, node: ast.Check, indent: str) -> str:
    match node.value:
        case ast.TypeRef():
            return f"{node.kind} {node.value.name}"
        case ast.Bounds():
            return f"{node.kind} {printer.slice_bounds(node.value)}"
        case _:
            return f"{node.kind} {printer.literal(node.value, indent)}"


def scorer_entry(printer: Printer, node: ast.ScorerEntry, indent: str) -> str:
    scorer = node.scorer.text if isinstance(node.scorer, ast.Ident) else check(printer, node.scorer, indent)
    alias = f" as {node.alias.text}" if node.alias is not None else ""
    weight = f" weight {printer.slice(node.weight)}" if node.weight is not None else ""
    return f"{'not ' if node.negated else ''}{scorer}{alias}{weight}"


def rule_text(printer: Printer, rule: ast.Let | ast.Require, indent: str) -> str:
    if isinstance(rule, ast.Let):
        return f"let {rule.name.text} = {printer.expr(rule.value, indent)}"
    condition = printer.expr(rule.condition, indent)
    reason = printer.expr(rule.reason, indent)
    if "\n" in condition or len(indent) + len(condition) + len(reason) > WIDTH - 15:
        return f"require {condition}\n{indent}else {reason}"
    return f"require {condition} else {reason}"


def write_rule(writer: Writer, printer: Printer, rule: ast.Let | ast.Require | ast.Case) -> None:
    if not isinstance(rule, ast.Case):
        writer.line(rule_text(printer, rule, writer.indent), rule.start, rule.end)
        return
    inside = [rule_text(printer, part, writer.indent) for part in rule.rules]
    flat = f"case {rule.type.text} {{ {'  '.join(inside)} }}" if inside else f"case {rule.type.text} {{ }}"
    one_line = len(inside) <= 1 and "\n" not in flat and len(writer.indent) + len(flat) <= WIDTH
    if one_line and not writer.has_comment(rule.start, rule.end):
        writer.line(flat, rule.start, rule.end)
        return
    writer.open(f"case {rule.type.text} {{", rule.start, rule.type.end)
    for part in rule.rules:
        write_rule(writer, printer, part)
    writer.close(rule.end)


def _runs(writer: Writer, clauses: Sequence[ast.JudgeClause]) -> list[list[ast.JudgeClause]]:
    """Neighbours whose values are aligned: plain clauses with nothing between them; each rule stands alone."""
    runs: list[list[ast.JudgeClause]] = []
    for clause in clauses:
        last = runs[-1][-1] if runs else None
        if (
            isinstance(clause, ast.Clause)
            and isinstance(last, ast.Clause)
            and not _is_block(clause)
            and not _is_block(last)
            and writer.text.count("\n", last.end, clause.start) <= 1
        ):
            runs[-1].append(clause)
        else:
            runs.append([clause])
    return runs


def _is_block(clause: ast.Clause) -> bool:
    return isinstance(clause.value, ast.ScorerEntries | ast.Questions | ast.Limits)


def _fits(printer: Printer, value: ast.Options, writer: Writer, width: int) -> bool:
    written = clause_value(printer, value, writer.indent)
    room = len(writer.indent) + width + 1 + len(written) <= WIDTH
    return room and "\n" not in written and not writer.has_comment(value.start, value.end)


def _option(printer: Printer, node: ast.Option, width: int) -> str:
    described = f" {printer.slice(node.description)}" if node.description is not None else ""
    return f"{node.name.text.ljust(width) if described else node.name.text}{described}"


def _question(printer: Printer, node: ast.Question, indent: str) -> str:
    offered = f" {clause_value(printer, node.options, indent)}" if node.options is not None else ""
    return f"{node.name.text}: {node.kind} {printer.literal(node.text, indent)}{offered}"


def _header(printer: Printer, node: ast.Header, indent: str) -> str:
    name = printer.text[node.start : node.value.start].split(":")[0].strip()
    return f"{name}: {clause_value(printer, node.value, indent)}"


def _gate_judge(printer: Printer, node: ast.GateJudge, indent: str) -> str:
    question = f" {printer.literal(node.question, indent)}" if node.question is not None else ""
    weight = f" weight {printer.slice(node.weight)}" if node.weight is not None else ""
    return f"{'always ' if node.always else ''}{use(printer, node.use, indent)}{question}{weight}"
