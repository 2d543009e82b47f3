"""A figure as Mermaid, for pages that draw it themselves."""

from __future__ import annotations

from ...dsl.render import clean
from .figure import Figure, Kind, Node, connections, nodes
from .words import shortened

_SHAPES: dict[Kind, tuple[str, str]] = {
    "start": ("([", "])"),
    "end": ("([", "])"),
    "stop": ("([", "])"),
    "decision": ("{{", "}}"),
    "branch": ("{{", "}}"),
    "loop": ("{{", "}}"),
    "flow": ("[[", "]]"),
    "tool": ("[[", "]]"),
    "person": ("[/", "/]"),
    "fork": ("((", "))"),
    "join": ("((", "))"),
}
_STYLES: dict[Kind, str] = {
    "agent": "fill:#e8f1fb,stroke:#2b6cb0,color:#1a202c",
    "judge": "fill:#f3ecfb,stroke:#7b4bb7,color:#1a202c",
    "gate": "fill:#fdf1df,stroke:#b7791f,color:#1a202c",
    "decision": "fill:#e6f6f1,stroke:#23806a,color:#1a202c",
    "person": "fill:#fdeaf1,stroke:#b83267,color:#1a202c",
    "stop": "fill:#fdecea,stroke:#c53030,color:#1a202c",
}


def mermaid(figure: Figure) -> str:
    lines = ["flowchart TD"]
    shown = list(nodes(figure.steps))
    lines += (f"  {node.id}{_shape(node)}" for node in shown)
    for edge in connections(figure):
        label = f"|{_quoted(edge.label)}| " if edge.label else " "
        lines.append(f"  {edge.source} -->{label}{edge.target}")
    used = {node.kind for node in shown}
    lines += (f"  classDef {kind} {style}" for kind, style in _STYLES.items() if kind in used)
    lines += (f"  class {node.id} {node.kind}" for node in shown if node.kind in _STYLES)
    return "\n".join(lines) + "\n"


def _shape(node: Node) -> str:
    opening, closing = _SHAPES.get(node.kind, ("[", "]"))
    text = "<br/>".join(map(_escaped, (node.title, *node.details)))
    return f'{opening}"{text}"{closing}'


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """Mermaid reads `#name;` and `#number;` as characters; everything else it could take for markup is one of these."""
    return "".join(f"#{ord(char)};" if char in '"#<>&`{}[]\\' else char for char in clean(shortened(text)))
