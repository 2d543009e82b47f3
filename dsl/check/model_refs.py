"""Models where they are mentioned: declared ones by name, others by a slug in quotes."""

from __future__ import annotations

from .. import ast
from .base import ModelSurface, Related, Report, Scope
from .names import report_not_a


def check_model_ref(ref: ast.ModelRef, scope: Scope, report: Report) -> ModelSurface | None:
    """The model that is meant; None, and a finding, where there is none. A slug in quotes is a chat model."""
    if ref.quoted:
        return ModelSurface(ref.text, ref.text)
    found = scope.find(ref.text)
    if isinstance(found, ModelSurface):
        return found
    ident = ast.Ident(ref.start, ref.end, ref.text)
    help = f'Declare it: `model {ref.text} "vendor/name"`, or write a slug in quotes.'
    report_not_a(ident, "model", found, scope, report, help=help)
    return None


def is_blank(ref: ast.ModelRef) -> bool:
    return ref.quoted and not ref.text.strip()


def check_kind(ref: ast.ModelRef, model: ModelSurface, wanted: str, because: str, report: Report) -> None:
    """`model.wrong-kind` where a chat model should be a decision model, or the other way round. `because`
    says what it is asked for: "`useful` rates"."""
    if model.kind == wanted:
        return
    related = () if ref.quoted else (Related(ref.text, f"a {model.kind} model"),)
    if wanted == "chat":
        help = (
            "Name a chat model. A decision model stands in `decide` judges, conditions, choices and scales."
        )
        does = "answers typed questions only"
    elif ref.quoted:
        help = f'Declare it as one, and name it here:\nmodel decider "{ref.text}" {{ kind decision }}'
        does = "is a chat model, as every slug in quotes is"
    else:
        line = f'model {ref.text} "{model.slug}" {{ kind decision }}'
        help = f"If it can decide, say so where it is declared:\n{line}"
        does = "is a chat model"
    name = f'"{ref.text}"' if ref.quoted else f"`{ref.text}`"
    report.add(
        "model.wrong-kind",
        ref,
        f"{because}, which takes a {wanted} model, but {name} {does}",
        label=f"a {model.kind} model",
        related=related,
        help=help,
    )
