"""Gates that can never pass, and gates that always do.

The scorers' texts tell more than it seems: `contains "x"` and `not contains "x"` never hold at once,
`equals "PASS"` settles every other check of the same text. The best and the worst case over all that is
possible is compared with the bar, exactly.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from decimal import Context, Decimal

import msgspec

from .. import ast
from ..diagnostics import Label
from ..scorer_spec import DEFAULT_BAR
from .base import Report
from .clauses import Clauses, decimal, keyword_span
from .gate_weights import combine_of, entry_name, judge_of
from .names import listed, ticked
from .patterns import pattern_fault, pattern_finds

_EXACT = Context(prec=400)
_MATCHES_ALL = frozenset(("", ".*", "^", "$", "^.*", ".*$", "(?s).*", "(?s)^.*$"))
Key = tuple[Hashable, ...]


class Part(msgspec.Struct, frozen=True):
    """One scorer: the check that it is (`key` is equal for equal ones), whether it holds where that does
    not, and its weight."""

    entry: ast.ScorerEntry
    key: Key
    negated: bool
    weight: Decimal


def check_bounds(node: ast.Gate, found: Clauses, entries: Sequence[ast.ScorerEntry], report: Report) -> None:
    """Reports `gate.cannot-pass` and `gate.always-passes`."""
    passing = found.get("pass when")
    if passing is not None and isinstance(passing.value, ast.Bool) and passing.value.value:
        report.add(
            "gate.always-passes",
            passing,
            f"`{node.name.text}` passes always: `pass when true` holds for everything",
            label="nothing else is looked at",
            help="Write a condition that can fail, or remove the gate.",
        )
        return
    if not entries:
        return
    combine, judge = combine_of(found), judge_of(found)
    mode = combine.mode if combine is not None else "all"
    parts = [_part(entry, index, mode == "weighted") for index, entry in enumerate(entries)]
    total = _sum([part.weight for part in parts])
    worst, best = _extremes(parts)
    if mode == "weighted" and combine is not None:
        least = Decimal(DEFAULT_BAR) if combine.at_least is None else decimal(combine.at_least)
        extra = decimal(judge.weight) if judge is not None and judge.weight is not None else Decimal(0)
        bar = _EXACT.multiply(least, _EXACT.add(total, extra))
        best = _EXACT.add(best, extra)
        always, never = worst >= bar, best < bar
    elif mode == "any":
        always, never = worst >= 1, best < 1
    else:
        always, never = worst >= total, best < total or _lengths_clash(parts)
    never = never and passing is None and "ask" not in found and (judge is None or mode == "weighted")
    if always and (judge is None or not judge.always or mode == "weighted"):
        _report_always(node, found, parts, judge, report)
    elif never:
        _report_never(node, found, parts, mode, report)


def _sum(weights: Sequence[Decimal]) -> Decimal:
    total = Decimal(0)
    for weight in weights:
        total = _EXACT.add(total, weight)
    return total


# --- what is possible -------------------------------------------------------------------------------------


def _part(entry: ast.ScorerEntry, index: int, weighted: bool) -> Part:
    weight = decimal(entry.weight) if weighted and entry.weight is not None else Decimal(1)
    scorer = entry.scorer
    if isinstance(scorer, ast.Ident):
        return Part(entry, ("declared", scorer.text), entry.negated, weight)
    value = scorer.value
    key: Key
    match value:
        case ast.Bounds(low=low, high=high):
            key = ("length", low, high)
        case ast.TypeRef(name=name):
            key = ("schema", name)
        case ast.Text():
            plain = value.plain
            key = ("template", index) if plain is None else (scorer.kind, plain)
    return Part(entry, key, entry.negated, weight)


def _extremes(parts: Sequence[Part]) -> tuple[Decimal, Decimal]:
    """The least and the most weight that can hold at once, over every text that there may be."""
    texts = {part.key[1] for part in parts if part.key[0] == "equals"}
    worlds: list[Mapping[Key, bool]] = [{("equals", text): False for text in texts}]
    for text in texts:
        worlds.append(
            {part.key: known for part in parts if (known := _holds(part.key, str(text))) is not None}
        )
    found = [_extremes_in(parts, world) for world in worlds]
    return min(low for low, _ in found), max(high for _, high in found)


def _extremes_in(parts: Sequence[Part], world: Mapping[Key, bool]) -> tuple[Decimal, Decimal]:
    sides: dict[Key, list[Decimal]] = {}
    for part in parts:
        side = sides.setdefault(part.key, [Decimal(0), Decimal(0)])
        where = int(not part.negated)
        side[where] = _EXACT.add(side[where], part.weight)
    worst = best = Decimal(0)
    for key, (if_not, if_so) in sides.items():
        known = world.get(key, _always(key))
        low, high = (if_so, if_so) if known else (if_not, if_not)
        if known is None:
            low, high = min(if_not, if_so), max(if_not, if_so)
        worst, best = _EXACT.add(worst, low), _EXACT.add(best, high)
    return worst, best


def _always(key: Key) -> bool | None:
    """Whether a check holds for every text; None where it depends."""
    match key:
        case ("contains", ""):
            return True
        case ("regex", str(pattern)) if pattern in _MATCHES_ALL:
            return True
        case ("length", low, None) if low is None or Decimal(str(low)) <= 0:
            return True
    return None


def _holds(key: Key, text: str) -> bool | None:
    """Whether a check holds for one text; None where only a run can tell."""
    match key:
        case ("equals", value):
            return value == text
        case ("contains", str(value)):
            return value in text
        case ("length", low, high):
            size = len(text)
            return (low is None or size >= Decimal(str(low))) and (high is None or size <= Decimal(str(high)))
        case ("regex", str(pattern)) if pattern_fault(pattern) is None:
            return pattern_finds(pattern, text)
    return None


def _lengths_clash(parts: Sequence[Part]) -> bool:
    """Whether no text is long enough and short enough for all that must hold."""
    low, high = Decimal(0), Decimal("Infinity")
    for part in parts:
        if part.negated:
            continue
        match part.key:
            case ("length", least, most):
                low = max(low, Decimal(str(least))) if least is not None else low
                high = min(high, Decimal(str(most))) if most is not None else high
            case ("contains", str(value)):
                low = max(low, Decimal(len(value)))
    return low > high


# --- messages ---------------------------------------------------------------------------------------------


def _place(found: Clauses) -> tuple[int, int]:
    return keyword_span(found["combine"] if "combine" in found else found["scorers"])


def _report_always(
    node: ast.Gate, found: Clauses, parts: Sequence[Part], judge: ast.GateJudge | None, report: Report
) -> None:
    sure = [part for part in parts if _always(part.key) is not None and _always(part.key) is not part.negated]
    never_asked = " and nobody is ever asked" if judge is not None or "ask" in found else ""
    if sure:
        holds = "holds" if len(sure) == 1 else "hold"
        because = f": {listed(ticked(entry_name(part.entry) for part in sure))} {holds} for every text"
    else:
        because = ": whatever the text is, enough of its scorers hold"
    report.add(
        "gate.always-passes",
        _place(found),
        f"`{node.name.text}` passes always{never_asked}{because}",
        label="always reached",
        labels=tuple(Label(part.entry.start, part.entry.end, "always holds") for part in sure[:5]),
        help="Raise the bar, or remove what always holds.",
    )


def _report_never(node: ast.Gate, found: Clauses, parts: Sequence[Part], mode: str, report: Report) -> None:
    clashing = _clashing(parts)
    reason = {
        "all": "its scorers cannot all hold at once",
        "any": "none of its scorers can hold",
        "weighted": "even the best case stays below the bar",
    }[mode]
    report.add(
        "gate.cannot-pass",
        _place(found),
        f"`{node.name.text}` can never pass: {reason}",
        label="never reached",
        labels=tuple(Label(part.entry.start, part.entry.end, "not with the others") for part in clashing[:5]),
        help="Lower the bar, or change the scorers that exclude each other.",
    )


def _clashing(parts: Sequence[Part]) -> list[Part]:
    """The scorers that can never hold beside all others: where to look first."""
    texts = [str(part.key[1]) for part in parts if part.key[0] == "equals" and not part.negated]
    found = []
    for part in parts:
        opposed = any(other.key == part.key and other.negated is not part.negated for other in parts)
        settled = [_holds(part.key, text) for text in texts]
        excluded = any(known is not None and known is part.negated for known in settled)
        never = _always(part.key) is not None and _always(part.key) is part.negated
        if opposed or excluded or never:
            found.append(part)
    return found
