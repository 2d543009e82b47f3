"""What a mistake of syntax is called, in the words of the person who made it: never a terminal, a state or a
stack."""

from __future__ import annotations

from .. import clauses
from ..declarations import declaration
from ..diagnostics import Diagnostic, Label
from ..suggest import closest
from ..syntax.lexer import LINE_END
from .foreign_shapes import foreign_shape
from .habits import habit
from .mistake import Mistake, block_name, fix, found, one_of, spelt, wanted
from .name_errors import reread, reserved, unknown_declaration, wrong_case
from .slips import slip


def complain(mistake: Mistake) -> Diagnostic:
    """The message for a mistake, from the first of these that knows it."""
    explanations = (
        _broken_line,
        reread,
        unknown_declaration,
        foreign_shape,
        habit,
        reserved,
        wrong_case,
        _taken_for_a_name,
        slip,
        _clause,
        _end,
        _missing_value,
        _repaired,
    )
    for explain in explanations:
        diagnostic = explain(mistake)
        if diagnostic is not None:
            return diagnostic
    return _unexpected(mistake)


# --- values that are not there ------------------------------------------------------------------------------


def _broken_line(mistake: Mistake) -> Diagnostic | None:
    """A keyword, `=` or `.` that ends its line."""
    tokens, index = mistake.tokens, mistake.index
    if tokens.kinds[index] < LINE_END:
        return None
    word = mistake.spelling
    clause = clauses.find(mistake.place.block, word) if mistake.place.between else None
    value = clause.value if clause else wanted(mistake.grammar, mistake.after(mistake.kind)) or "a value"
    start, end = tokens.span(index)[1], tokens.span(index + 1)[0]
    joins = mistake.repair is not None and "#" not in tokens.text[start:end]
    return mistake.error(
        "syntax.missing-value",
        f"I expected {value} after `{word}`, but the line ends there",
        label="what belongs to it stands on the same line",
        help=f"For example: {clause.example}" if clause else "",
        fixes=fix("Join the lines", start, end, " " if word != "." else "") if joins else (),
    )


def _missing_value(mistake: Mistake) -> Diagnostic | None:
    """Something stands behind a keyword or a mark that cannot, or nothing does."""
    place, before = mistake.place, mistake.place.before
    if not before and mistake.at_end and mistake.index and not mistake.in_template:
        before = mistake.tokens.spelling(mistake.index - 1)
    repair = mistake.repair
    misspelt = repair is not None and repair.what == "replace" and repair.text[:1].isalpha()
    if not before or misspelt or (repair is not None and repair.what == "insert"):
        return None
    clause = clauses.find(place.block, before) if place.clause == before else None
    value = clause.value if clause else wanted(mistake.grammar, place.expected)
    if not value:
        return None
    advice = mistake.example
    begins_clause = mistake.new_line and mistake.is_word
    if mistake.at_end or begins_clause or mistake.is_a("}", ")", "]"):
        span = mistake.tokens.span(mistake.index - 1)
        return mistake.error(
            "syntax.missing-value",
            f"I expected {value} after `{before}`",
            span=span,
            label="nothing follows",
            help=advice,
        )
    if clause:
        message = f"`{before}` takes {value}, not {found(mistake)}"
    else:
        message = f"I expected {value} after `{before}`, not {found(mistake)}"
    return mistake.error("syntax.unexpected", message, help=advice)


# --- clauses and statements ---------------------------------------------------------------------------------


def _clause(mistake: Mistake) -> Diagnostic | None:
    """A word where a clause or a statement could begin, that begins none here."""
    place, word = mistake.place, mistake.spelling
    if not place.between or not mistake.is_word:
        return None
    if place.block in ("flow", "parallel", "switch", "calls"):
        return _statement(mistake)
    here = [clause.keyword.split()[0] for clause in clauses.CLAUSES.get(place.block, ())]
    if not here:
        return None
    start, end = mistake.span
    name = block_name(place.block)
    meant = closest(word, here)
    if word == "unreadable" and place.block == "judge":
        message = "A judgement that cannot be read is a failed one in every judge: nothing lets it pass"
        return mistake.error("judge.fail-open", message, help="Remove it. A gate may say `unreadable`.")
    misplaced = _misplaced(mistake, word, mistake.span)
    if misplaced is not None:
        return misplaced
    if word in here:
        return mistake.error(
            "syntax.unexpected", f"I did not expect `{word}` here", help=_example(place.block, word)
        )
    if meant is not None:
        meant = spelt(word, meant)
        message = f"There is no clause `{word}` in {name}"
        fixes = fix(f"Write `{meant}`", start, end, meant)
        return mistake.error("clause.unknown", message, help=f"Did you mean `{meant}`?", fixes=fixes)
    if not mistake.new_line and place.clause and not _has_value(mistake):
        return None
    message = f"There is no clause `{word}` in {name}"
    return mistake.error(
        "clause.unknown", message, help=f"Here can stand {one_of(f'`{key}`' for key in here)}."
    )


def _misplaced(mistake: Mistake, word: str, span: tuple[int, int]) -> Diagnostic | None:
    """A clause of other blocks that stands in this one."""
    block = mistake.place.block
    here = [clause.keyword.split()[0] for clause in clauses.CLAUSES.get(block, ())]
    homes = [home for home in clauses.homes(word) if home != block]
    if not homes or word in here:
        return None
    message = f"`{word}` cannot stand in {block_name(block)}: it belongs to {one_of(map(block_name, homes))}"
    advice = f"Here can stand {one_of(f'`{key}`' for key in here)}."
    return mistake.error("clause.misplaced", message, span=span, help=advice)


def _taken_for_a_name(mistake: Mistake) -> Diagnostic | None:
    """A clause, a step or a declaration that cannot stand here begins the line: where a name could stand it was read as
    one, and the next word is the first that does not fit."""
    tokens, block, at = mistake.tokens, mistake.place.block, mistake.index - 1
    if mistake.new_line or at < 1 or not tokens.first_on_line(at):
        return None
    word, span = tokens.spelling(at), tokens.span(at)
    if block == "test" and mistake.expects("replies"):
        return _misplaced(mistake, word, span)
    if block in ("flow", "parallel") and mistake.expects("TLP") and not mistake.expects("and"):
        # `let` is told as a habit.
        known = declaration(word) if word != "let" else None
        if known is not None:
            return _declaration_inside(mistake, known.article, span)
        if block == "parallel" and word in ("loop", "parallel"):
            return _not_at_once(mistake, word, span)
    return None


def _has_value(mistake: Mistake) -> bool:
    """Whether a value follows the word on its line, as after a clause's keyword."""
    following = mistake.tokens.kinds[mistake.index + 1] % LINE_END
    values = ("TEXT", "NUMBER", "DURATION", "MONEY", "[", "{")
    return following in map(mistake.grammar.ids.__getitem__, values)


def _example(block: str, word: str) -> str:
    clause = clauses.find(block, word)
    return f"For example: {clause.example}" if clause else ""


def _statement(mistake: Mistake) -> Diagnostic | None:
    word, block = mistake.spelling, mistake.place.block
    known = declaration(word)
    if known is not None and mistake.new_line:
        return _declaration_inside(mistake, known.article, mistake.span)
    if block == "parallel":
        return _not_at_once(mistake, word, mistake.span)
    if block == "switch":
        message = f"I expected `case` here, not `{word}`"
        return mistake.error(
            "syntax.unexpected", message, help="For example: case billing { reply = biller(ticket) }"
        )
    return None


def _declaration_inside(mistake: Mistake, article: str, span: tuple[int, int]) -> Diagnostic:
    message = f"{article.capitalize()} cannot stand in {block_name(mistake.place.block)}"
    advice = "A declaration starts at the beginning of its line."
    return mistake.error("syntax.unexpected", message, span=span, help=advice)


def _not_at_once(mistake: Mistake, word: str, span: tuple[int, int]) -> Diagnostic:
    message = f"`{word}` cannot stand in `parallel`: only calls and bindings run at once"
    return mistake.error("syntax.unexpected", message, span=span, help="For example: de = translator(reply)")


# --- ends ---------------------------------------------------------------------------------------------------


def _end(mistake: Mistake) -> Diagnostic | None:
    """The declaration ends too early."""
    place = mistake.place
    if not mistake.at_end:
        return None
    if mistake.in_template and mistake.index == 0:
        start, end = mistake.span
        message = "There is nothing between `{{` and `}}`"
        return mistake.error(
            "syntax.missing-value", message, span=(start, end + 2), help="For braces as such, write \\{{."
        )
    opening = unclosed_brace(mistake)
    if opening is not None and (place.between or not place.before or place.before in "{[("):
        mark = mistake.tokens.text[opening[0]]
        message = f"This `{mark}` is never closed"
        end = mistake.span[0]
        where = "the template" if mistake.in_template else "the declaration"
        labels = (Label(end, end, f"{where} ends here"),)
        text = mistake.repair.text if mistake.repair is not None else ""
        last = mistake.tokens.span(mistake.index - 1)[1]
        fixes = fix(f"Insert `{text}`", last, last, text) if text in (")", "]") else ()
        return mistake.error(
            "syntax.unclosed", message, span=opening, label="opened here", labels=labels, fixes=fixes
        )
    if mistake.expects("{") and not mistake.expects("NUMBER") and not place.block:
        declared = declaration(mistake.tokens.spelling(0))
        name = declared.article if declared else "This declaration"
        span = mistake.tokens.span(mistake.index - 1)
        message = f"{name[0].upper()}{name[1:]} needs a block: I expected `{{` here"
        return mistake.error(
            "syntax.missing-block",
            message,
            span=span,
            help=f"For example: {declared.example}" if declared else "",
        )
    return None


def unclosed_brace(mistake: Mistake) -> tuple[int, int] | None:
    """The bracket that is most likely the one without a partner: one whose line is indented deeper than the
    `}` that the parser gave it, else the innermost that is open."""
    tokens, literals = mistake.tokens, mistake.grammar.tables.literals
    stack: list[int] = []
    for index in range(mistake.index):
        kind = tokens.kinds[index] % LINE_END
        if kind == literals["{"]:
            stack.append(index)
        elif kind == literals["}"] and stack:
            opener = stack.pop()
            if tokens.first_on_line(index) and tokens.indent(index) < tokens.indent(opener):
                return tokens.span(opener)
    return mistake.open_bracket()


# --- what the repair says -----------------------------------------------------------------------------------

_PARTNERS = {")": "(", "]": "[", "}": "{"}


def _repaired(mistake: Mistake) -> Diagnostic | None:
    repair = mistake.repair
    if repair is None:
        return None
    start, end = mistake.span
    text = repair.text
    before = mistake.tokens.span(mistake.index - 1)[1] if mistake.index else start
    if repair.what == "insert" and text in _PARTNERS:
        opening = mistake.open_bracket()
        if opening is not None and mistake.tokens.text[opening[0]] == _PARTNERS[text]:
            labels = (Label(before, before, f"I expected `{text}` here"),)
            message = f"This `{_PARTNERS[text]}` is never closed"
            return mistake.error(
                "syntax.unclosed",
                message,
                span=opening,
                labels=labels,
                fixes=fix(f"Insert `{text}`", before, before, text),
            )
    if repair.what == "insert" and text == "in" and mistake.expects("and"):
        return None  # Any operator may be missing between two values: which one, only the author knows.
    if repair.what == "insert":
        space = "" if text in ",:)]" else " "
        title = f"Insert `{text}`"
        message = f"I expected `{text}` before {found(mistake)}"
        return mistake.error("syntax.unexpected", message, fixes=fix(title, before, before, f"{space}{text}"))
    if repair.what == "replace" and text:
        message = f"I expected `{text}` here, not {found(mistake)}"
        advice = ""
        if text[0].isalpha():
            message = f"I did not expect `{mistake.spelling}` here"
            advice = f"Did you mean `{text}`?"
        fixes = fix(f"Write `{text}`", start, end, text)
        return mistake.error("syntax.unexpected", message, help=advice, fixes=fixes)
    return None


def _unexpected(mistake: Mistake) -> Diagnostic:
    what = wanted(mistake.grammar, mistake.place.expected - ({0} if mistake.in_template else set()))
    message = f"I did not expect {found(mistake)} here"
    if mistake.in_template and mistake.at_end:
        message = f"I expected {what or 'more'} before the `}}}}`"
        what = ""
    advice = "\n".join(part for part in (f"Here can stand {what}." if what else "", mistake.example) if part)
    return mistake.error("syntax.unexpected", message, help=advice)
