"""A run before and after as one picture: a lane per stream, colours by kind of work, one axis of time for both.

Drawn by pixels: however many kernels there are, a lane has at most one box per kind and pixel column.
"""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray

from roofcast.analyses.applications.result import ApplicationForecast
from roofcast.core.errors import one_line
from roofcast.core.kernel_table import FloatArray
from roofcast.core.units import format_quantity

WIDTH, LEFT, LANE, TOP = 1160, 190, 20, 30
MAX_LANES = 16
COLOURS = ("#2f6fb0", "#c8553d", "#2f7f4f", "#b58900", "#6b4fa0", "#1a8a9a", "#a0527d", "#7a6a53", "#5a7fd0", "#8a9a2f")
REST = "#7d8790"


def timeline_picture(forecast: ApplicationForecast) -> str:
    """The picture as SVG text; every name in it is escaped."""
    work, after = forecast.timeline.activities, forecast.replay
    first, last = forecast.timeline.span_s
    until = max(last, first + forecast.time_s)
    kinds = [c.name for c in forecast.classes]
    colour = {name: COLOURS[i] if i < len(COLOURS) else REST for i, name in enumerate(kinds)}
    lanes = lanes_of(forecast)
    labels = forecast.activity_class.astype(str)
    parts: list[str] = []
    y = TOP
    sides = (
        (f"measured: {forecast.source_gpu}", forecast.source_time_s, work.start_s, work.end_s),
        (f"forecast: {forecast.target.name}", forecast.time_s, after.start_s, after.end_s),
    )
    for title, time, start, end in sides:
        parts.append(text(0, y - 8, f"{title}, {format_quantity(time, 's')}", bold=True))
        for name, rows in lanes:
            parts.append(text(0, y + LANE - 6, name))
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT}" height="{LANE - 3}" fill="#7d879022"/>')
            parts += boxes(labels[rows], start[rows] - first, end[rows] - first, until - first, y, colour)
            y += LANE
        parts.append(mark(time, until - first, y - LANE * len(lanes), y))
        y += TOP
    parts.append(axis(until - first, y - TOP + 12))
    legend, y = legend_of(kinds, colour, y + 12)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 10}" width="100%" role="img" '
        f'aria-label="the run before and after" font-size="12" fill="currentColor">'
    )
    return head + "".join(parts) + legend + "</svg>"


def lanes_of(forecast: ApplicationForecast) -> list[tuple[str, NDArray[np.intp]]]:
    """Name and work of each stream that is drawn, busiest first, in order of devices."""
    work = forecast.timeline.activities
    keys = np.stack([work.process, work.device, work.stream], axis=1)
    distinct, inverse = np.unique(keys, axis=0, return_inverse=True)
    inverse = inverse.ravel()
    busy = np.bincount(inverse, weights=work.duration_s, minlength=len(distinct))
    chosen = sorted(np.argsort(-busy, kind="stable")[:MAX_LANES].tolist())
    several = len(forecast.timeline.processes) > 1
    found = []
    for i in chosen:
        process, device, stream = distinct[i].tolist()
        rank = forecast.timeline.processes[process].rank if several and process >= 0 else -1
        number = forecast.timeline.devices[device].number if 0 <= device < len(forecast.timeline.devices) else device
        name = (f"rank {rank}, " if rank >= 0 else "") + f"GPU {number}, stream {stream}"
        found.append((name, np.flatnonzero(inverse == i)))
    return found


def boxes(
    labels: NDArray[np.str_], start: FloatArray, end: FloatArray, until: float, y: int, colour: dict[str, str]
) -> list[str]:
    """Boxes of one lane: runs of pixel columns in which a kind of work was going on."""
    pixels = WIDTH - LEFT
    scale = pixels / until if until > 0 else 0.0
    found = []
    for kind in np.unique(labels).tolist():
        rows = labels == kind
        begin = np.clip((start[rows] * scale).astype(np.int64), 0, pixels - 1)
        finish = np.clip((end[rows] * scale).astype(np.int64), 0, pixels - 1)
        steps = np.bincount(begin, minlength=pixels + 1) - np.bincount(finish + 1, minlength=pixels + 1)[: pixels + 1]
        inside = np.concatenate([[0], (np.cumsum(steps)[:pixels] > 0).astype(np.int64), [0]])
        edges = np.flatnonzero(np.diff(inside))
        fill = colour.get(str(kind), REST)
        found += [
            f'<rect x="{LEFT + a}" y="{y}" width="{b - a}" height="{LANE - 3}" fill="{fill}"><title>'
            f"{escape(str(kind))}</title></rect>"
            for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
        ]
    return found


def mark(time: float, until: float, top: int, bottom: int) -> str:
    """A line where the run ends."""
    x = LEFT + (WIDTH - LEFT) * min(time / until, 1.0) if until > 0 else LEFT
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top - 4}" y2="{bottom}" stroke="currentColor" stroke-dasharray="3 3"/>'
    )


def axis(until: float, y: int) -> str:
    """Five times along the axis."""
    found = []
    for i in range(6):
        anchor = "start" if i == 0 else "end" if i == 5 else "middle"
        x = LEFT + (WIDTH - LEFT) * i / 5
        found.append(text(x, y, format_quantity(until * i / 5, "s") if i else "0", anchor=anchor))
    return "".join(found)


def legend_of(kinds: list[str], colour: dict[str, str], y: int) -> tuple[str, int]:
    """The kinds of work with their colours, and where it ends."""
    found, x = [], 0
    for kind in kinds[:24]:
        if x > WIDTH - 180:
            x, y = 0, y + 18
        found.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colour[kind]}"/>')
        found.append(text(x + 17, y + 10, kind))
        x += 190
    return "".join(found), y + 18


def text(x: float, y: float, words: str, *, anchor: str = "start", bold: bool = False) -> str:
    """One escaped line."""
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{weight}>{escape(one_line(words, 90))}</text>'
