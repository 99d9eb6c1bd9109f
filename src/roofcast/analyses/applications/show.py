"""The forecast of a whole run, and the summary of a recorded one: text, JSON, CSV, a page and its picture."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.analyses.applications.measured import Comparison
from roofcast.analyses.applications.result import ApplicationForecast, PartTime
from roofcast.analyses.applications.run_cost import app_cost_lines, app_costs
from roofcast.analyses.applications.run_summary import TimelineSummary
from roofcast.core.errors import one_line
from roofcast.core.kernel_table import FloatArray
from roofcast.core.units import format_quantity
from roofcast.core.version import VERSION
from roofcast.kit.names import distinct, short_name
from roofcast.kit.output import chosen_format, deliver, text_width
from roofcast.kit.page import Card, Page, PageRow, Section, notes_section, provenance_section
from roofcast.kit.quantities import Rates, choose_runs, format_cost, format_percent, label_limit
from roofcast.kit.table import aligned, render_csv

ROWS_SHOWN = 12


def render_app(forecasts: Sequence[ApplicationForecast], width: int, top: int | None = None) -> str:
    """All targets, one after the other."""
    return "\n\n".join("\n".join(app_lines(f, width, top or ROWS_SHOWN)) for f in forecasts)


def app_lines(f: ApplicationForecast, width: int, top: int) -> Iterator[str]:
    """Total, fixed share, kinds of work, ranges, kernels, notes."""
    speed = f.source_time_s / f.time_s if f.time_s > 0 else float("nan")
    covered = f" ({format_percent(f.coverage, 0)})" if f.coverage else ""
    yield one_line(f"{f.source_gpu} → {f.target.name}, model {f.model}")
    yield (f"{seconds(f.source_time_s)} → {seconds(f.time_s)}, {speed:.2f}x; interval{covered} "
           f"{seconds(f.time_low_s)} … {seconds(f.time_high_s)}")  # fmt: skip
    yield (f"{seconds(f.fixed_time_s)} of it is the host's ({percent(f.fixed_time_s, f.time_s)}): no GPU makes that "
           "faster")  # fmt: skip
    yield (f"devices busy {seconds(f.busy_source_s)} ({percent(f.busy_source_s, f.source_time_s)} of the run) → "
           f"{seconds(f.busy_s)} ({percent(f.busy_s, f.time_s)})")  # fmt: skip
    yield from part_table("kind of work", f.classes, width, top)
    if f.ranges:
        yield ""
        rows = [[one_line(r.name, 200), str(r.runs), seconds(r.source_time_s), seconds(r.time_s),
                 ratio(r.source_time_s, r.time_s), seconds(r.source_device_s), seconds(r.device_s)]
                for r in f.ranges[:top]]  # fmt: skip
        columns = ("range", "runs", "time", "forecast", "speed-up", "devices", "forecast")
        yield from aligned(columns, rows, (False, *[True] * 6), width)
    if f.operators:
        yield from part_table("operator", f.operators, width, top)
    yield ""
    names = distinct([short_name(k.name, 60) for k in f.kernels[:top]], 60)
    rows = [[name, str(k.launches), k.evidence, seconds(k.source_time_s), seconds(k.time_s),
             ratio(k.source_time_s, k.time_s)] for name, k in zip(names, f.kernels, strict=False)]  # fmt: skip
    header = ("kernel", "launches", "known by", "time", "forecast", "speed-up")
    yield from aligned(header, rows, (False, True, False, True, True, True), width)
    if len(f.kernels) > top:
        yield f"and {len(f.kernels) - top} more kernels (--top, --format json)"
    yield ""
    for note in f.notes:
        yield from textwrap.wrap(f"- {one_line(note)}", width, subsequent_indent="  ")


def part_table(name: str, parts: Sequence[PartTime], width: int, top: int) -> Iterator[str]:
    """Parts of the devices' time before and after."""
    before, after = sum(p.source_time_s for p in parts), sum(p.time_s for p in parts)
    rows = [[one_line(p.name, 200), str(p.launches), seconds(p.source_time_s), percent(p.source_time_s, before),
             seconds(p.time_s), percent(p.time_s, after), f"{seconds(p.time_low_s)} … {seconds(p.time_high_s)}",
             ratio(p.source_time_s, p.time_s)] for p in parts[:top]]  # fmt: skip
    header = (name, "count", "time", "share", "forecast", "share", "interval", "speed-up")
    yield ""
    yield from aligned(header, rows, (False, *[True] * 7), width)


def render_comparison(c: Comparison, width: int, top: int | None = None) -> str:
    """A forecast beside a recording on the target."""
    lines: list[str] = []
    for title, parts in (("total", c.totals), ("kind of work", c.classes), ("operator", c.operators)):
        rows = [[one_line(d.name, 200), seconds(d.source_time_s), seconds(d.time_s), seconds(d.measured_s),
                 format_percent(d.error, 0, signed=True) if math.isfinite(d.error) else "–",
                 "–" if d.covered is None or not math.isfinite(d.time_s) else "yes" if d.covered else "no"]
                for d in parts[: top or ROWS_SHOWN]]  # fmt: skip
        if rows:
            header = (title, "source", "forecast", "measured", "error", "in the interval")
            lines += ["", *aligned(header, rows, (False, True, True, True, True, False), width)]
    return "\n".join(lines)


def render_summary(s: TimelineSummary, width: int, top: int | None = None) -> str:
    """What a recorded run spent its time on."""
    return "\n".join(summary_lines(s, width, top or ROWS_SHOWN))


def summary_lines(s: TimelineSummary, width: int, top: int) -> Iterator[str]:
    """Run, devices, idle time, kinds of work, ranges, critical path."""
    values = s.record()
    for p in s.timeline.provenance:
        yield from textwrap.wrap(one_line(f"{p.file}: {p.format}" + (f", {p.tool}" if p.tool else "")), width)
        for note in p.notes:
            yield from textwrap.wrap(f"  note: {one_line(note)}", width, subsequent_indent="  ")
    names = ", ".join(one_line(g or "GPU not named", 60) for g in values["gpus"])
    counts = (("processes", "processes"), ("streams", "streams"), ("kernels", "kernels"), ("copies", "copies"),
              ("memory_sets", "memory sets"), ("collectives", "collectives"), ("calls", "API calls"))  # fmt: skip
    told = ", ".join(f"{values[key]} {word if values[key] != 1 else one(word)}" for key, word in counts)
    run = f"{seconds(s.time_s)} on {names}; {told}"
    busy = (f"devices busy {seconds(s.busy_s)} ({percent(s.busy_s, s.time_s)}), idle between {seconds(s.idle_s)}, of "
           f"which {percent(s.launch_bound_s, s.idle_s)} ended with a launch that came late (launch-bound "
            f"{percent(s.launch_bound_s, s.time_s)} of the run)")  # fmt: skip
    for text in (run, busy, f"work known from shapes: {format_percent(s.shapes_share, 0)} of the kernels' time"):
        yield from textwrap.wrap(text, width)
    yield ""
    total = sum(c.source_time_s for c in s.classes)
    rows = [[c.name, str(c.launches), seconds(c.source_time_s), percent(c.source_time_s, total)]
            for c in s.classes[:top]]  # fmt: skip
    yield from aligned(("kind of work", "count", "time", "share"), rows, (False, True, True, True), width)
    if s.kernels:
        yield ""
        rows = [[short_name(c.name, 80), str(c.launches), seconds(c.source_time_s), percent(c.source_time_s, total)]
                for c in s.kernels[:top]]  # fmt: skip
        yield from aligned(("kernel", "launches", "time", "share"), rows, (False, True, True, True), width)
    if s.ranges:
        yield ""
        rows = [[one_line(r.name, 200), str(r.runs), seconds(r.source_time_s), seconds(r.source_device_s)]
                for r in s.ranges[:top]]  # fmt: skip
        yield from aligned(("range", "runs", "time", "devices"), rows, (False, True, True, True), width)
    yield ""
    rows = [[kind, seconds(t), percent(t, s.time_s)] for kind, t in list(s.critical.items())[:top]]
    yield from aligned(("critical path", "time", "share"), rows, (False, True, True), width)
    yield ""


def one(plural: str) -> str:
    """Singular of a noun that this page counts.

    >>> one("processes"), one("copies"), one("API calls")
    ('process', 'copy', 'API call')
    """
    return (
        plural.removesuffix("ies") + "y"
        if plural.endswith("ies")
        else plural.removesuffix("es" if plural.endswith("sses") else "s")
    )


def seconds(value: float) -> str:
    """A time for people."""
    return format_quantity(value, "s") if value > 0 else "0 s" if value == 0 else "–"


def percent(part: float, whole: float) -> str:
    """A share for people."""
    return format_percent(part / whole, 1) if whole > 0 else "–"


def ratio(before: float, after: float) -> str:
    """A speed-up for people."""
    return f"{before / after:.2f}x" if after > 0 and before > 0 else "–"


CSV_KEYS = ("source_gpu", "target_gpu", "model", "coverage", "source_time_s", "time_s", "time_low_s", "time_high_s",
            "speedup", "fixed_time_s", "device_busy_source_s", "device_busy_s")  # fmt: skip


def deliver_app(
    forecasts: Sequence[ApplicationForecast],
    form: str | None,
    output: str | None,
    top: int | None = None,
    measured: Comparison | None = None,
    rates: Rates | None = None,
) -> None:
    """Print or write forecasts, the first also beside a recording (see :func:`roofcast.kit.output.deliver`).

    rates : USD per hour by GPU; adds what a run costs.
    """

    def table() -> str:
        width = text_width(output)
        costs = [part for line in app_cost_lines(forecasts, rates or {}) for part in textwrap.wrap(line, width)]
        text = "\n".join([render_app(forecasts, width, top), *costs])
        return f"{text}\n{render_comparison(measured, text_width(output), top)}" if measured else text

    texts = {
        "table": table,
        "json": lambda: render_app_json(forecasts, measured, rates),
        "csv": lambda: render_app_csv(forecasts, rates),
    }
    deliver(chosen_format(form, output), output, texts)


def render_app_json(
    forecasts: Sequence[ApplicationForecast], measured: Comparison | None = None, rates: Rates | None = None
) -> str:
    """One object for one target, a list of them for several; with rates also ``cost_usd`` and ``source_cost_usd``."""
    records = [
        {"roofcast": VERSION} | finite(f.record()) | c for f, c in zip(forecasts, costs(forecasts, rates), strict=True)
    ]
    if measured:
        records[0]["measured"] = finite(measured.record())
    return json.dumps(records[0] if len(records) == 1 else records, indent=1, ensure_ascii=False)


def render_app_csv(forecasts: Sequence[ApplicationForecast], rates: Rates | None = None) -> str:
    """One line per target; with rates also ``cost_usd`` and ``source_cost_usd``."""
    told = costs(forecasts, rates)
    header = (*CSV_KEYS, *told[0])
    records = (finite(f.record()) | cost for f, cost in zip(forecasts, told, strict=True))
    return render_csv(header, ([record[k] for k in header] for record in records))


def costs(forecasts: Sequence[ApplicationForecast], rates: Rates | None) -> list[dict[str, float | None]]:
    """USD of one run per target, None without a rate; empty where no rates are given."""
    if not rates:
        return [{} for _ in forecasts]
    source, targets = app_costs(forecasts, rates)
    return [{"cost_usd": c.usd if c else None, "source_cost_usd": source.usd if source else None} for c in targets]


def finite(value: Any) -> Any:
    """The value with None for numbers that JSON cannot hold."""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


MAX_ROWS = 300


def app_page(forecasts: Sequence[ApplicationForecast], rates: Rates | None = None) -> Page:
    """One page for all targets. rates : USD per hour by GPU; the cards then say what a run costs."""
    first = forecasts[0]
    source, targets = app_costs(forecasts, rates or {})
    runs = choose_runs([source, *targets])
    said = "; ".join(t for t in ("measured", format_cost(source, runs)) if t)
    cards = [Card(first.source_gpu, seconds(first.source_time_s), said, plain=True)]
    for f, cost in zip(forecasts, targets, strict=True):
        text = (
            f"{ratio(f.source_time_s, f.time_s)}; interval {seconds(f.time_low_s)} … {seconds(f.time_high_s)}; "
            f"{percent(f.fixed_time_s, f.time_s)} of it is the host's"
        )
        text += f"; {format_cost(cost, runs)}" if cost else ""
        cards.append(Card(f.target.name, seconds(f.time_s), text))
    files = ", ".join(one_line(p.file, 120) for p in first.timeline.provenance)
    sections = [s for f in forecasts for s in sections_of(f)]
    sections.append(provenance_section(first.timeline.provenance))
    return Page(f"The whole run elsewhere: {files}", tuple(cards), (), tuple(sections))


def sections_of(f: ApplicationForecast) -> list[Section]:
    """Everything about one target."""
    name = f.target.name
    found = [Section(f"The run on {name}", picture=timeline_picture(f.drawn or f))]
    found.append(part_section(f"What dominates before and after: {name}", "kind of work", f.classes))
    if f.ranges:
        rows = tuple(
            PageRow((one_line(r.name, 200), str(r.runs), seconds(r.source_time_s), seconds(r.time_s),
                     ratio(r.source_time_s, r.time_s), seconds(r.source_device_s), seconds(r.device_s)),
                    (None, r.runs, r.source_time_s, r.time_s, None, r.source_device_s, r.device_s))
            for r in f.ranges[:MAX_ROWS]
        )  # fmt: skip
        columns = ("range", "runs", "time", "forecast", "speed-up", "devices", "devices, forecast")
        found.append(Section(f"Ranges on {name}", header=columns, right=(False, *[True] * 6), rows=rows))
    if f.operators:
        found.append(part_section(f"Operators on {name}", "operator", f.operators))
    rows = tuple(
        PageRow((short_name(k.name, 90), str(k.launches), k.evidence, seconds(k.source_time_s), seconds(k.time_s),
                 ratio(k.source_time_s, k.time_s), label_limit(k.limit_source), label_limit(k.limit_target)),
                (None, k.launches, None, k.source_time_s, k.time_s), one_line(k.name, 300))
        for k in f.kernels[:MAX_ROWS]
    )  # fmt: skip
    header = ("kernel", "launches", "known by", "time", "forecast", "speed-up", "limit", "limit there")
    right = (False, True, False, True, True, True, False, False)
    found.append(Section(f"Kernels on {name}", header=header, right=right, rows=rows))
    return [*found, *notes_section([one_line(n) for n in f.notes], f"Notes on {name}")]


def part_section(title: str, what: str, parts: Sequence[PartTime]) -> Section:
    """A table of parts of the devices' time."""
    before, after = sum(p.source_time_s for p in parts), sum(p.time_s for p in parts)
    rows = tuple(
        PageRow((one_line(p.name, 200), str(p.launches), seconds(p.source_time_s), percent(p.source_time_s, before),
                 seconds(p.time_s), percent(p.time_s, after), f"{seconds(p.time_low_s)} … {seconds(p.time_high_s)}",
                 ratio(p.source_time_s, p.time_s)),
                (None, p.launches, p.source_time_s, p.source_time_s, p.time_s, p.time_s))
        for p in parts[:MAX_ROWS]
    )  # fmt: skip
    header = (what, "count", "time", "share", "forecast", "share there", "interval", "speed-up")
    return Section(title, header=header, right=(False, *[True] * 7), rows=rows)


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
