"""The forecast of an application, and the summary of a timeline, as text."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence

from roofcast.analyses.applications.measured import Comparison
from roofcast.analyses.applications.result import ApplicationForecast, PartTime
from roofcast.analyses.applications.summary import TimelineSummary
from roofcast.core.errors import one_line
from roofcast.core.units import format_quantity
from roofcast.kit.names import distinct, short_name
from roofcast.kit.table import aligned

TOP = 12


def render_app(forecasts: Sequence[ApplicationForecast], width: int, top: int | None = None) -> str:
    """All targets, one after the other."""
    return "\n\n".join("\n".join(app_lines(f, width, top or TOP)) for f in forecasts)


def app_lines(f: ApplicationForecast, width: int, top: int) -> Iterator[str]:
    """Total, fixed share, kinds of work, ranges, kernels, notes."""
    speed = f.source_time_s / f.time_s if f.time_s > 0 else float("nan")
    covered = f" ({100 * f.coverage:.0f} %)" if f.coverage else ""
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
                 f"{100 * d.error:+.0f} %" if math.isfinite(d.error) else "–",
                 "–" if d.covered is None or not math.isfinite(d.time_s) else "yes" if d.covered else "no"]
                for d in parts[: top or TOP]]  # fmt: skip
        if rows:
            header = (title, "source", "forecast", "measured", "error", "in the interval")
            lines += ["", *aligned(header, rows, (False, True, True, True, True, False), width)]
    return "\n".join(lines)


def render_summary(s: TimelineSummary, width: int, top: int | None = None) -> str:
    """What a recorded run spent its time on."""
    return "\n".join(summary_lines(s, width, top or TOP))


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
    for text in (run, busy, f"work known from shapes: {100 * s.shapes_share:.0f} % of the kernels' time"):
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
    return f"{100 * part / whole:.1f} %" if whole > 0 else "–"


def ratio(before: float, after: float) -> str:
    """A speed-up for people."""
    return f"{before / after:.2f}x" if after > 0 and before > 0 else "–"
