"""Slips with a name: what people write out of habit, what the layout rules refuse, what another language
would say."""

from __future__ import annotations

from .. import clauses
from ..declarations import declaration
from ..diagnostics import Diagnostic
from .mistake import Mistake, fix, found


def slip(mistake: Mistake) -> Diagnostic | None:
    for explain in (
        _assignment,
        _chain,
        _touching,
        _minus,
        _clause_mark,
        _separator,
        _secret,
        _unit,
        _no_reason,
        _foreign,
        _bare_value,
        _finished,
    ):
        diagnostic = explain(mistake)
        if diagnostic is not None:
            return diagnostic
    return None


def _assignment(mistake: Mistake) -> Diagnostic | None:
    if not mistake.is_a("=") or not mistake.expects("=="):
        return None
    start, end = mistake.span
    message = "`=` gives a name to a value; `==` compares two values"
    return mistake.error("syntax.unexpected", message, fixes=fix("Write `==`", start, end, "=="))


def _chain(mistake: Mistake) -> Diagnostic | None:
    comparisons = ("==", "!=", "<", "<=", ">", ">=", "in", "is", "contains", "starts", "ends", "matches")
    if not mistake.is_a(*comparisons) or mistake.expects(*comparisons) or not mistake.expects("and"):
        return None
    message = "Comparisons do not chain"
    return mistake.error("syntax.unexpected", message, help="Join two of them with `and`: a < b and b < c")


def _touching(mistake: Mistake) -> Diagnostic | None:
    """`f (x)`, `xs [0]`."""
    for mark, touching in (("(", "TLP"), ("[", "TLSQB")):
        if mistake.is_a(mark) and mistake.expects(touching):
            if mistake.new_line and mistake.expects(","):
                return None  # The next one of several: what is missing is the comma between them.
            start = mistake.tokens.span(mistake.index - 1)[1]
            end = mistake.span[0]
            use = "calls" if mark == "(" else "indexes"
            message = f"A `{mark}` touches what it {use}"
            fixes = (
                fix("Remove the white space", start, end, "")
                if "#" not in mistake.tokens.text[start:end]
                else ()
            )
            return mistake.error("syntax.unexpected", message, label="white space before it", fixes=fixes)
    return None


def _minus(mistake: Mistake) -> Diagnostic | None:
    if not mistake.is_a("NEG") or not mistake.expects("MINUS"):
        return None
    end = mistake.span[1]
    message = "A minus between two values has white space on both sides or on none"
    return mistake.error("syntax.unexpected", message, fixes=fix("Insert a space", end, end, " "))


def _clause_mark(mistake: Mistake) -> Diagnostic | None:
    """`model: small`, `model = small`."""
    place = mistake.place
    if (
        not mistake.is_a(":", "=")
        or place.clause != place.before
        or clauses.find(place.block, place.before) is None
    ):
        return None
    start, end = mistake.span
    message = f"A clause has no `{mistake.spelling}`: its value follows the keyword"
    clause = clauses.find(place.block, place.before)
    example = f"For example: {clause.example}" if clause else ""
    return mistake.error(
        "syntax.unexpected",
        message,
        help=example,
        fixes=fix(f"Remove the `{mistake.spelling}`", start, end, ""),
    )


def _separator(mistake: Mistake) -> Diagnostic | None:
    """A comma between fields, clauses, options or statements."""
    if not mistake.is_a(",") or not mistake.place.between:
        return None
    start, end = mistake.span
    what = {
        "type": "Fields",
        "options": "Options",
        "scorers": "Scorers",
        "decide": "Questions",
        "flow": "Statements",
    }
    subject = what.get(mistake.place.block, "Clauses")
    message = f"{subject} are not separated by commas; white space is enough"
    return mistake.error("syntax.unexpected", message, fixes=fix("Remove the `,`", start, end, ""))


def _secret(mistake: Mistake) -> Diagnostic | None:
    if mistake.place.block != "provider" or mistake.place.before != "key" or not mistake.is_a("TEXT"):
        return None
    message = "A key never stands in the file: `key` names the environment variable that holds it"
    return mistake.error("syntax.unexpected", message, help="For example: key env LOCAL_API_KEY")


def _unit(mistake: Mistake) -> Diagnostic | None:
    """`timeout 30`."""
    if not mistake.is_a("NUMBER") or not mistake.expects("DURATION") or mistake.expects("NUMBER"):
        return None
    end = mistake.span[1]
    message = f"A duration needs a unit: `{mistake.spelling}s` is {mistake.spelling} seconds"
    advice = "The units are ms, s, m, h and d."
    return mistake.error(
        "syntax.unexpected", message, label="no unit", help=advice, fixes=fix("Write seconds", end, end, "s")
    )


def _no_reason(mistake: Mistake) -> Diagnostic | None:
    """`require x` without its `else`."""
    place = mistake.place
    if place.clause != "require" or not mistake.expects("else") or place.bracket:
        return None
    if not (mistake.at_end or mistake.new_line or mistake.is_a("}")):
        return None
    span = mistake.tokens.span(mistake.index - 1)
    message = "A `require` says what to tell the model where it does not hold"
    advice = 'For example: require len(reply) > 0 else "Say something."'
    return mistake.error(
        "syntax.missing-value",
        message,
        span=span,
        label="I expected `else` and a reason after this",
        help=advice,
    )


_FOREIGN = {
    **dict.fromkeys(
        ("for", "foreach", "while", "repeat", "until"),
        "To go through a list: y = each x in xs: f(x). To repeat: loop at most 5 times until done { … }",
    ),
    **dict.fromkeys(("elif", "elsif", "elseif"), "Write `else if`."),
    **dict.fromkeys(
        ("await", "async"), "Calls wait for their answers by themselves; `parallel { … }` runs some at once."
    ),
    **dict.fromkeys(("const", "var"), "A name gets its value with `=` alone: x = f(y)"),
    "let": "Inside a flow a name gets its value with `=` alone: x = f(y)",
}


def _foreign(mistake: Mistake) -> Diagnostic | None:
    """A statement of another language."""
    place = mistake.place
    if place.block not in ("flow", "parallel") or place.bracket:
        return None
    for index in (mistake.index, mistake.index - 1):
        word = mistake.tokens.spelling(index)
        starts = index == mistake.index or (mistake.expects("TLP", ".") and not mistake.expects("and"))
        if word in _FOREIGN and starts:
            message = f"There is no statement `{word}`"
            span = mistake.tokens.span(index)
            return mistake.error("syntax.unknown-statement", message, span=span, help=_FOREIGN[word])
    return None


def _bare_value(mistake: Mistake) -> Diagnostic | None:
    """A name in a flow that is neither called nor bound."""
    place = mistake.place
    if (
        place.block not in ("flow", "parallel", "calls")
        or not mistake.expects("TLP")
        or not mistake.expects(".")
    ):
        return None
    if place.bracket or place.clause or mistake.expects("NUMBER") or mistake.expects("and"):
        return None
    start, end = mistake.tokens.span(mistake.index - 1)
    name = mistake.tokens.text[start:end]
    message = f"`{name}` alone is no step"
    advice = f"Call it, `{name}(…)`, or give it a value, `{name} = …`."
    return mistake.error("syntax.unknown-statement", message, span=(start, end), help=advice)


def _finished(mistake: Mistake) -> Diagnostic | None:
    """Something stands behind a declaration that is complete."""
    if mistake.place.expected != {0} or mistake.in_template:
        return None
    word = mistake.spelling
    if mistake.is_a("}"):
        return mistake.error("syntax.unexpected", "This `}` closes nothing", label="no `{` is open here")
    if declaration(word) is not None:
        message = "A declaration starts at the beginning of its line"
        return mistake.error("syntax.indented", message, label="this one does not")
    return mistake.error("syntax.unexpected", f"The declaration ends before {found(mistake)}")
