"""A figure as SVG that stands on its own: no font, no script and nothing from elsewhere."""

from __future__ import annotations

from xml.sax.saxutils import escape

from ...dsl.render import clean
from .arrange import Line, Place, arrange
from .figure import Figure, Kind
from .words import shortened

_CAPTIONS: dict[Kind, str] = {
    "agent": "agent", "judge": "judge", "gate": "gate", "tool": "tool", "decision": "decision", "flow": "flow",
    "person": "person", "branch": "if", "loop": "loop",
}  # fmt: skip

_STYLE = """\
svg { color-scheme: light dark; background: var(--page);
  --page: #ffffff; --ink: #1b2330; --soft: #5d6878; --line: #8a94a3; --fill: #f5f7fa;
  --agent: #2b6cb0; --judge: #7b4bb7; --gate: #b06a00; --decision: #1b7a63; --person: #b83267; --stop: #c02f2f; }
@media (prefers-color-scheme: dark) { svg { --page: #14181f; --ink: #e8ecf2; --soft: #a3adbb; --line: #6b7685;
  --fill: #1d232c; --agent: #6aaef2; --judge: #bd94f0; --gate: #e9ad55; --decision: #5cc7aa; --person: #f284ae;
  --stop: #f58080; } }
text { font-family: ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; fill: var(--ink);
  text-anchor: middle; }
.title { font-size: 13px; font-weight: 600; } .detail, .label { font-size: 11.5px; fill: var(--soft); }
.caption { font-size: 9px; letter-spacing: .08em; text-transform: uppercase; fill: var(--kind, var(--soft)); }
.label { text-anchor: start; } .box { fill: var(--fill); stroke: var(--kind, var(--line)); stroke-width: 1.4; }
.side { stroke: var(--kind, var(--line)); stroke-width: 1.4; }
.edge { fill: none; stroke: var(--line); stroke-width: 1.4; } .tip { fill: var(--line); }
.agent { --kind: var(--agent); } .judge { --kind: var(--judge); } .gate { --kind: var(--gate); }
.decision { --kind: var(--decision); } .person { --kind: var(--person); } .stop { --kind: var(--stop); }
"""

_TIP = (
    '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path class="tip" d="M0 0 L8 4 L0 8 z"/></marker>'
)


def svg(figure: Figure) -> str:
    picture = arrange(figure)
    width, height = round(picture.width), round(picture.height)
    title = _text(f"{figure.name}: {figure.description}" if figure.description else figure.name)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" aria-label="{_attribute(title)}">',
        f"<title>{title}</title>",
        f"<style>\n{_STYLE}</style>",
        f"<defs>{_TIP}</defs>",
        *map(_line, picture.lines),
        *map(_place, picture.places),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _line(line: Line) -> str:
    path = f'<path class="edge" marker-end="url(#tip)" d="{_rounded(line.points)}"/>'
    if not line.label:
        return path
    x, y = line.at
    return f'{path}<text class="label" x="{x:g}" y="{y:g}">{_text(line.label)}</text>'


def _rounded(points: tuple[tuple[float, float], ...], radius: float = 8) -> str:
    """A path through the points whose corners are round."""
    parts = ["M{:g} {:g}".format(*points[0])]
    for before, at, after in zip(points, points[1:], points[2:], strict=False):
        near, far = _toward(at, before, radius), _toward(at, after, radius)
        parts.append("L{:g} {:g} Q{:g} {:g} {:g} {:g}".format(*near, *at, *far))
    parts.append("L{:g} {:g}".format(*points[-1]))
    return " ".join(parts)


def _toward(start: tuple[float, float], end: tuple[float, float], most: float) -> tuple[float, float]:
    """The point that lies `most` pixels on the way from one point to another, or half of a shorter way."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = abs(across) + abs(down)
    share = min(most, length / 2) / length if length else 0.0
    return start[0] + across * share, start[1] + down * share


def _place(place: Place) -> str:
    node = place.node
    title = _text(" · ".join((node.title, *node.details)))
    parts = [f'<g class="{node.kind}"><title>{title} (line {node.line})</title>', _shape(place)]
    caption = _CAPTIONS.get(node.kind)
    y = place.top + (14 if caption else 0)
    if caption:
        parts.append(f'<text class="caption" x="{place.x:g}" y="{y + 1:g}">{caption}</text>')
    small = place.height < 30
    style = "detail" if small else "title"
    y = place.y + 4 if small else y + (16 if caption else 21)
    parts.append(f'<text class="{style}" x="{place.x:g}" y="{y:g}">{_text(shortened(node.title))}</text>')
    for at, detail in enumerate(node.details, 1):
        line = _text(shortened(detail))
        parts.append(f'<text class="detail" x="{place.x:g}" y="{y + 15 * at:g}">{line}</text>')
    return "".join([*parts, "</g>"])


def _shape(place: Place) -> str:
    left, right = place.x - place.width / 2, place.x + place.width / 2
    match place.node.kind:
        case "decision" | "branch" | "loop":
            slant = 18
            corners = [
                (left + slant, place.top), (right - slant, place.top), (right, place.y),
                (right - slant, place.bottom), (left + slant, place.bottom), (left, place.y),
            ]  # fmt: skip
            return f'<polygon class="box" points="{_points(corners)}"/>'
        case "gate":
            cut = 10
            corners = [
                (left + cut, place.top), (right - cut, place.top), (right, place.top + cut),
                (right, place.bottom - cut), (right - cut, place.bottom), (left + cut, place.bottom),
                (left, place.bottom - cut), (left, place.top + cut),
            ]  # fmt: skip
            return f'<polygon class="box" points="{_points(corners)}"/>'
        case "start" | "end" | "stop" | "fork" | "join":
            return _rectangle(place, min(place.height, 34) / 2)
        case "flow" | "tool":
            sides = "".join(
                f'<line class="side" x1="{x:g}" y1="{place.top:g}" x2="{x:g}" y2="{place.bottom:g}"/>'
                for x in (left + 7, right - 7)
            )
            return _rectangle(place, 2) + sides
        case _:
            return _rectangle(place, 8)


def _rectangle(place: Place, radius: float) -> str:
    return (
        f'<rect class="box" x="{place.x - place.width / 2:g}" y="{place.top:g}" width="{place.width:g}"'
        f' height="{place.height:g}" rx="{radius:g}"/>'
    )


def _points(corners: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in corners)


def _text(text: str) -> str:
    return escape(clean(text))


def _attribute(escaped: str) -> str:
    return escaped.replace('"', "&quot;")
