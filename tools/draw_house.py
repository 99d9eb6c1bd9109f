"""Draw the rooms of the package and what imports what, from the code itself: docs/architecture.svg.

python tools/draw_house.py [FILE.svg]

A room stands above all rooms that it imports. An arrow that a longer way implies is left out of the picture (and
counted in its caption), as is the package's own face.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "roofcast"
WIDTH, BOX, ROW, GAP = 1120, 46, 92, 14
Graph = dict[str, set[str]]


def read_rooms(source: Path = SOURCE) -> tuple[Graph, dict[str, str]]:
    """Room -> rooms that it imports, and room -> the first line that it says of itself."""
    imports: Graph = defaultdict(set)
    says: dict[str, str] = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        room = parts[0]
        if room in ("__init__", "__main__"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if parts in ((room,), (room, "__init__")):
            says[room] = (ast.get_docstring(tree) or "").partition("\n")[0].rstrip(".").replace("`", "")
        imports[room] |= set()
        for node in ast.walk(tree):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                names = [f"{node.module}.{a.name}" for a in node.names]
            imports[room] |= {n.split(".")[1] for n in names if n.startswith("roofcast.")} - {room}
    return {room: targets & imports.keys() for room, targets in imports.items()}, says


def find_floors(graph: Graph) -> dict[str, int]:
    """Room -> floor: the ground imports nothing.

    Raises
    ------
    SystemExit : rooms import each other in a circle.
    """
    floors: dict[str, int] = {}
    while len(floors) < len(graph):
        ready = [r for r in graph if r not in floors and graph[r] <= floors.keys()]
        if not ready:
            sys.exit(f"rooms in a circle: {', '.join(sorted(graph.keys() - floors.keys()))}")
        floors |= {r: 1 + max((floors[t] for t in graph[r]), default=0) for r in ready}
    return floors


def drop_implied(graph: Graph) -> Graph:
    """Arrows that no longer way implies."""

    def reach(room: str) -> set[str]:
        return graph[room].union(*(reach(t) for t in graph[room]))

    return {room: {t for t in ts if not any(t in reach(o) for o in ts - {t})} for room, ts in graph.items()}


def wrap(text: str, width: int) -> list[str]:
    """At most two lines of about ``width`` characters."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines if len(lines) <= 2 else [lines[0], f"{lines[1][: width - 1]}…"]


def draw(graph: Graph, says: dict[str, str]) -> str:
    """The picture as SVG; the same code gives the same text."""
    floors = find_floors(graph)
    top = max(floors.values())
    rows = [sorted(r for r, f in floors.items() if f == floor) for floor in range(top, 0, -1)]
    place: dict[str, tuple[float, float, float]] = {}
    for i, row in enumerate(rows):
        width = min(330.0, (WIDTH - GAP * (len(row) + 1)) / len(row))
        # Neighbouring floors lean to alternate sides, so that arrows between single rooms do not lie on each other.
        spare = WIDTH - len(row) * width - (len(row) + 1) * GAP
        left = spare / 2 + (spare / 4 if i % 2 else -spare / 4) + GAP
        for j, room in enumerate(row):
            place[room] = (left + j * (width + GAP), 56 + i * ROW, width)
    arrows = sum(len(t) for t in graph.values())
    shown = drop_implied(graph)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {70 + len(rows) * ROW}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="12">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#5f7488"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{70 + len(rows) * ROW}" fill="#ffffff"/>',
        f'<text x="{GAP}" y="24" font-size="17" font-weight="bold" fill="#1d2b36">roofcast: {len(graph)} rooms on '
        f"{top} floors</text>",
        f'<text x="{GAP}" y="42" fill="#5f7488">a room stands above all that it imports; {arrows} arrows, those that '
        f"a longer way implies ({arrows - sum(len(t) for t in shown.values())}) are not drawn; none runs up</text>",
    ]
    for room in sorted(shown):
        x, y, w = place[room]
        for target in sorted(shown[room]):
            tx, ty, tw = place[target]
            x1, y1, x2, y2 = x + w / 2, y + BOX, tx + tw / 2, ty - 2
            bend = (y2 - y1) / 2
            out.append(
                f'<path d="M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}" '
                'fill="none" stroke="#9fb3c4" stroke-width="1.3" marker-end="url(#tip)"/>'
            )
    for room, (x, y, w) in sorted(place.items()):
        out.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{w:.0f}" height="{BOX}" rx="4" fill="#e8f0f7" stroke="#34495e"/>'
            f'<text x="{x + 8:.0f}" y="{y + 15:.0f}" font-weight="bold" fill="#1d2b36">{room}</text>'
        )
        out += [
            f'<text x="{x + 8:.0f}" y="{y + 28 + 12 * i:.0f}" font-size="10" fill="#44596b">{escape(line)}</text>'
            for i, line in enumerate(wrap(says.get(room, ""), int(w / 5.7)))
        ]
    return "\n".join([*out, "</svg>\n"])


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "architecture.svg"
    target.write_text(draw(*read_rooms()), encoding="utf-8")
