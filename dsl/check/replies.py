"""`judge.wrong-reply`: what an agent answers against what its judge judges.

Both have one shape, one value or a list, and every type that the agent may answer with is one of the
judge's or extends one.
"""

from __future__ import annotations

import msgspec

from ..shapes import Json, ListOf, Record, Shape, Text, Unknown, Variant
from .arguments import signature_of
from .base import CallableSurface, Scope
from .fit import answered, describe, extends, fits, options_of, resolve, union, without_null
from .names import listed


class Wrong(msgspec.Struct, frozen=True):
    """What is wrong, a few words for the place, and what to write instead."""

    message: str
    label: str
    help: str


class Answer(msgspec.Struct, frozen=True):
    """Who gives what a judge judges. `verb` is what it does with it; `declare` shows how to change its
    shape."""

    name: str
    shape: Shape
    verb: str = "answers with"
    noun: str = "agent"
    declare: str = "agent {name} -> {shape}"


def wrong_reply(answer: Answer, judge: CallableSurface, scope: Scope) -> Wrong | None:
    """Why a judge does not fit what is answered, or None where it does."""
    if not judge.params:
        return None
    given, judged = resolve(answer.shape, scope), resolve(judge.params[0].shape, scope)
    given = without_null(given)
    if type(given) is Unknown or type(judged) is Unknown or type(judged) is Json:
        return None
    if type(given) is Record and given == judged:
        return None
    given_list, judged_list = isinstance(given, ListOf), isinstance(judged, ListOf)
    if given_list and not judged_list:
        return _list_against_value(answer, judge, judged)
    if judged_list and not given_list:
        return _value_against_list(answer, judge, judged)
    missing = _not_judged(_item(given, scope), _item(judged, scope), scope)
    if not missing:
        return None
    return _other_type(answer, judge, given, judged, missing)


def _item(shape: Shape, scope: Scope) -> Shape:
    """The shape that both sides have to agree on: of a list its items."""
    if isinstance(shape, ListOf):
        known = answered(shape, scope)
        item = known.item if isinstance(known, ListOf) else shape.item
        return union(iter(options_of(item))) if isinstance(item, Variant) else resolve(item, scope)
    return shape


def _not_judged(given: Shape, judged: Shape, scope: Scope) -> list[Shape]:
    if isinstance(given, Json):
        return [given]
    return [option for option in options_of(given) if not _is_judged(option, judged, scope)]


def _is_judged(option: Shape, judged: Shape, scope: Scope) -> bool:
    for case in options_of(judged):
        if isinstance(option, Record) and isinstance(case, Record):
            if extends(option.name, case.name, scope):
                return True
        elif isinstance(case, Json) or (not isinstance(option, Json) and fits(option, case, scope)):
            return True
    return False


def _list_against_value(answer: Answer, judge: CallableSurface, judged: Shape) -> Wrong:
    given = describe(answer.shape)
    return Wrong(
        f"`{answer.name}` {answer.verb} a list, {given}, but its judge `{judge.name}` judges one value, "
        f"{_shown(judge, judged)}",
        "judges one value, not a list",
        f"Let the judge judge the list:\n{judge_line(judge, given)}",
    )


def _value_against_list(answer: Answer, judge: CallableSurface, judged: Shape) -> Wrong:
    given = describe(answer.shape)
    return Wrong(
        f"`{answer.name}` {answer.verb} one value, {given}, but its judge `{judge.name}` judges a list, "
        f"{_shown(judge, judged)}",
        "judges a list, not one value",
        f"Let the judge judge one value, or make it a list:\n{judge_line(judge, given)}\n"
        f"{_declared(answer, _shown(judge, judged))}",
    )


def _other_type(
    answer: Answer, judge: CallableSurface, given: Shape, judged: Shape, missing: list[Shape]
) -> Wrong:
    written, shown = describe(answer.shape), _shown(judge, judged)
    inner = given.item if isinstance(given, ListOf) else given
    if len(missing) < len(options_of(inner)):
        names = listed([describe(shape) for shape in missing])
        them = union(iter((*options_of(_bare(judged)), *missing)))
        wide = describe(ListOf(them) if isinstance(judged, ListOf) else them)
        return Wrong(
            f"`{answer.name}` may answer with {names}, but its judge `{judge.name}` judges {shown} only: "
            f"it does not judge {names}",
            f"does not judge {names}",
            f"Let the judge judge {'it' if len(missing) == 1 else 'them'} too:\n{judge_line(judge, wide)}",
        )
    if isinstance(given, Text):
        return Wrong(
            f"`{answer.name}` {answer.verb} text, but its judge `{judge.name}` judges {shown}",
            f"judges {shown}, not text",
            f"Give the {answer.noun} that shape, or let the judge judge text:\n{_declared(answer, shown)}\n"
            f"{judge_line(judge, 'text')}",
        )
    return Wrong(
        f"`{answer.name}` {answer.verb} {written}, but its judge `{judge.name}` judges {shown}: "
        f"it does not judge {written}",
        f"judges {shown}, not {written}",
        f"Let the judge judge what is answered:\n{judge_line(judge, written)}",
    )


def _bare(shape: Shape) -> Shape:
    return shape.item if isinstance(shape, ListOf) else shape


def _shown(judge: CallableSurface, judged: Shape) -> str:
    """What a judge judges, as it was written where that is a name the user gave."""
    return describe(judge.params[0].shape) if judge.params else describe(judged)


def _declared(answer: Answer, shape: str) -> str:
    return answer.declare.format(name=answer.name, shape=shape)


def judge_line(judge: CallableSurface, shape: str) -> str:
    """The head of the judge with another shape to judge: the line to write."""
    return f"{'code ' if judge.code else ''}judge {signature_of(judge, shape)}"
