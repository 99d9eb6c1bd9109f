"""The forecast of a whole run, and the summary of a recorded one: text, JSON, CSV, a page and its picture."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.applications.result import (
    PROFILED,
    ApplicationForecast,
    KernelTime,
    PartTime,
    RangeTime,
    Span,
    name_operators,
)
from roofcast.applications.run_summary import TimelineSummary
from roofcast.applications.run_view import (
    Recorded,
    Side,
    gather_run,
    list_lanes,
    list_sides,
    read_run_script,
    render_run_view,
)
from roofcast.core.errors import one_line
from roofcast.core.kernel_table import FloatArray
from roofcast.core.markup import escape
from roofcast.core.undecided import UNDECIDED
from roofcast.core.units import format_quantity
from roofcast.core.version import VERSION
from roofcast.forecasting.notes import SAME_CLOCK
from roofcast.kit.answer import (
    SHARE_LEAST,
    compare_times,
    describe_conditions,
    describe_promise,
    render_answer,
    summarise_rest,
)
from roofcast.kit.names import clipped, distinct, short_name
from roofcast.kit.page import Card, Lead, Page, Section, notes_section, provenance_section, render_page
from roofcast.kit.palette import GREY, INK, SERIES, WHITE
from roofcast.kit.quantities import (
    ABSENT,
    count_of,
    format_energy,
    format_forecast,
    format_interval,
    format_percent,
    format_seconds,
    format_speedup,
    format_total_speedup,
    in_percent,
    label_limit,
)
from roofcast.kit.returned import Statement
from roofcast.kit.table import Column, Table, make_plain

ROWS_SHOWN = 12
"""Rows of each table on a terminal."""


def render_app(
    forecasts: Sequence[ApplicationForecast], width: int, top: int | None = None, notes: bool = False
) -> str:
    """All targets, one after the other; several first in one table. notes : all of them, not the first few."""
    texts = [render_run(f, width, top or ROWS_SHOWN, notes) for f in forecasts]
    if len(texts) == 1:
        return texts[0]
    head = render_answer(state_run(find_best(forecasts)).verdict, [tabulate_targets(forecasts).lines(width)], [], width)
    return "\n\n".join(
        [head, *(f"{one_line(f.target.name)}:\n{text}" for f, text in zip(forecasts, texts, strict=True))]
    )


def tabulate_targets(forecasts: Sequence[ApplicationForecast]) -> Table:
    """One row per target (and run): what matters, the run, its kernels."""
    several = len({f.run for f in forecasts}) > 1
    columns = [
        Column("run", lambda f: one_line(f.run, 60)),
        Column("target", lambda f: one_line(f.target.name, 60), flexible=True),
        Column(describe_unit(forecasts), lambda f: f.answer.source_time_s, format_seconds),
        Column("forecast", lambda f: list_times(f.answer), show_time),
        Column("interval", lambda f: (f.answer.time_low_s, f.answer.time_high_s), show_interval),
        Column("speed-up", lambda f: list_times(f.answer), show_decided_speedup),
        Column("whole run", lambda f: None if f.is_part else (f.source_time_s, f.time_s),
               lambda times: ABSENT if times is None else format_speedup(*times)),
        Column("kernels", lambda f: (f.kernels_total.time_source_s, f.kernels_total.time_s), show_speedup),
    ]  # fmt: skip
    return Table(columns if several else columns[1:], forecasts)


def describe_unit(forecasts: Sequence[ApplicationForecast]) -> str:
    """What the times of the answer are of."""
    kinds = {f.part.kind if f.part else "" for f in forecasts}
    return {"steps": "one step", "range": "one run of it"}.get(kinds.pop(), "run") if len(kinds) == 1 else "run or step"


def state_run(f: ApplicationForecast) -> Statement:
    """What the forecast of a run says first: how long, how sure, and what of it no GPU makes faster."""
    span, kind = f.answer, f.part.kind if f.part else ""
    unit = {"steps": "one step of the run", "range": "one run of the range", "devices": "the devices' part of the run"}
    target = one_line(f.target.name, 80)
    subject = one_line(f"{unit.get(kind, 'the run')} recorded on {f.source_gpu}")
    promise = describe_promise(f.coverage, f.kernels_total.unclaimed_fraction)
    what, time = unit.get(kind, "the run"), format_seconds(span.time_s)
    if f.source_gpu == f.target.name and math.isclose(span.source_time_s, span.time_s):
        text = f"{what} takes {time} on {target}, where it was recorded"
    else:
        times = (span.source_time_s, span.time_s, span.time_low_s, span.time_high_s)
        ends = show_interval((span.time_low_s, span.time_high_s))
        took = ends if show_time(list_times(span)) == UNDECIDED else f"{time} ({ends})"
        text = (
            f"{what} takes {took} on {target} instead of "
            f"{format_seconds(span.source_time_s)} on {f.source_gpu}: {compare_times(*times)}"
        )
    name = str(f.conditions.get("name", ""))
    conditions = describe_conditions(
        f"{name}, with an estimate of what the profiler cost the host" if PROFILED in f.notes else name, promise
    )
    text = one_line(f"{text}; {tell_fixed(span)}{conditions}.", 600)
    return Statement(subject, text[0].upper() + text[1:], promise, f.target.name)


def tell_fixed(span: Span) -> str:
    """What is left on the target when all work of devices takes no time; devices may work meanwhile."""
    host = f"{format_seconds(span.fixed_time_s)} there ({show_share(span.fixed_time_s, span.time_s)} of it)"
    return f"the host alone would take {host}, whatever the GPU"


def find_best(forecasts: Sequence[ApplicationForecast]) -> ApplicationForecast:
    """The forecast that is named first: of the target with the greatest speed-up."""
    return max(forecasts, key=lambda f: f.answer.source_time_s / f.answer.time_s if f.answer.time_s > 0 else 0.0)


def list_run_notes(f: ApplicationForecast) -> list[str]:
    """Notes of a run, those of the usual case and how all is meant at last."""
    usual = [n for n in f.notes if n.endswith(SAME_CLOCK)]
    meant = f"{f.source_gpu} → {f.target.name}, model {f.model}"
    general = [f"{meant}; {f.conditions['text']}"] if f.conditions else [meant]
    return [one_line(n) for n in (*(n for n in f.notes if n not in usual), *usual, *general)]


def render_run(f: ApplicationForecast, width: int, top: int, notes: bool = False) -> str:
    """The answer in one sentence, kinds of work, ranges, operators, kernels, notes."""
    kernels, operators = Table(KERNELS, name_kernels(f.kernels[:top])).lines(width), name_operators(f.operators)
    blocks = [
        tabulate_parts("kind of work", f.classes, top).lines(width),
        tabulate_ranges(f, top).lines(width) if f.ranges else [],
        tabulate_parts("operator", operators, top).lines(width) if operators else [],
        [*kernels, *summarise_rest(len(f.kernels) - top, "row")],
    ]
    run = [clipped(one_line(f.run), width)] if f.run else []
    text = render_answer(state_run(f).verdict, blocks, [*list_run_notes(f), *list_spans(f)], width, every=notes)
    return "\n".join([*run, text])


def list_spans(f: ApplicationForecast) -> list[str]:
    """What the parts of the run take: the answer, the whole, the devices, the kernels."""
    claimed = f.coverage and f.kernels_total.unclaimed_fraction < SHARE_LEAST
    covered = f" ({format_percent(f.coverage, 0)})" if claimed else ""
    lines = []
    if f.part is not None:
        what = {"steps": "one step", "range": "one run of the range"}.get(f.part.kind, "the devices' part of the run")
        lines += [one_line(f.part.said), f"{what}: {describe_span(f.answer, covered)}"]
    if f.part is None or f.part.count > 1 or not f.is_part:
        whole = Span(f.source_time_s, f.time_s, f.time_low_s, f.time_high_s, f.fixed_time_s, f.bounds_s)
        name = "the whole run: " if f.part and not f.is_part else "all of them: " if f.part else ""
        lines.append(f"{name}{describe_span(whole, covered)}")
    busy = f"{format_seconds(f.busy_source_s)} ({show_share(f.busy_source_s, f.source_time_s)} of the run)"
    there = f"{format_seconds(f.busy_s)} ({show_share(f.busy_s, f.time_s)} of the run there)"
    lines.append(f"devices busy {busy} → {there}, beside the host")
    joules = f.energy_j
    if math.isfinite(joules[0]):
        watts = format_quantity(joules[0] / (f.devices * f.time_s), "W")
        lines.append(f"energy {format_energy(*joules)}, {watts} of a board on average")
    t = f.kernels_total
    if t.kernels:
        lines.append(
            f"{count_of(t.launches, 'launch', 'es')} of kernels: {format_seconds(t.time_source_s)} → "
            f"{format_forecast(t.time_s, t.time_low_s, t.time_high_s)}, {format_total_speedup(t)}; interval "
            f"{show_interval((t.time_low_s, t.time_high_s))}, outer bound "
            f"{show_interval((t.time_low_outer_s, t.time_high_outer_s))}"
        )
    return lines


def describe_span(span: Span, covered: str) -> str:
    """A time before and after, its interval, what of it is the host's, and the bounds where the trace leaves two."""
    text = (
        f"{format_seconds(span.source_time_s)} → {show_time(list_times(span))}, "
        f"{show_decided_speedup(list_times(span))}; interval{covered} "
        f"{show_interval((span.time_low_s, span.time_high_s))}; {tell_fixed(span)}"
    )
    ends = [format_seconds(b) for b in span.bounds_s]
    if ends and ends[0] != ends[-1]:
        text += f"; {ends[0]} or {ends[-1]}, as the trace does not tell whether the host waits for the devices"
    return text


Times = tuple[float, float, float, float]


def list_times(part: Span | PartTime | KernelTime | RangeTime) -> Times | None:
    """After and before, and the ends (of a range nobody knows them); None of a kernel without a recorded duration."""
    if isinstance(part, RangeTime):
        return part.time_s, part.source_time_s, math.nan, math.nan
    if isinstance(part, KernelTime) and not part.source_time_s:
        return None
    return part.time_s, part.source_time_s, part.time_low_s, part.time_high_s


def show_time(times: Times | None) -> str:
    """The forecast, or that its interval decides nothing."""
    return ABSENT if times is None else format_forecast(times[0], *times[2:])


def show_decided_speedup(times: Times | None) -> str:
    """How many times faster, where the interval decides it."""
    return ABSENT if times is None or show_time(times) == UNDECIDED else format_speedup(times[1], times[0])


def show_speedup(times: tuple[float, float]) -> str:
    """How many times faster."""
    return format_speedup(*times)


def show_interval(ends: tuple[float, float]) -> str:
    """Both ends of an interval."""
    return format_interval(*ends)


TIMES = (
    Column("time", lambda p: p.source_time_s, format_seconds),
    Column("forecast", list_times, show_time),
    Column("speed-up", list_times, show_decided_speedup),
)
LIMITS = (
    Column("limit", lambda k: k.limit_source, label_limit, right=False),
    Column("limit there", lambda k: k.limit_target, label_limit, right=False),
)


def tabulate_parts(what: str, parts: Sequence[PartTime], top: int) -> Table:
    """Parts of the devices' time before and after; the last row is their sum, of which the shares are."""
    whole, rest = add_up_parts(ALL_WORK, parts), parts[top:]
    before, after = whole.source_time_s, whole.time_s
    foot = [add_up_parts(f"… {len(rest)} more", rest)] if rest else []
    time, forecast, speedup = TIMES
    columns = (
        Column(what, lambda p: one_line(p.name, 200)),
        Column("count", lambda p: p.launches, str),
        time, Column("share", lambda p: share(p.source_time_s, before), in_percent()),
        forecast, Column("share there", lambda p: share(p.time_s, after), in_percent()),
        Column("interval", lambda p: (p.time_low_s, p.time_high_s), show_interval), speedup,
    )  # fmt: skip
    return Table(columns, parts[:top], foot=[*foot, whole] if len(parts) > 1 else ())


ALL_WORK = "all work of devices"


def add_up_parts(name: str, parts: Sequence[PartTime]) -> PartTime:
    """Parts as one, whose interval nothing here tells."""
    launches, source_s, time_s = (sum(getattr(p, k) for p in parts) for k in ("launches", "source_time_s", "time_s"))
    return PartTime(name, launches, source_s, time_s, math.nan, math.nan)


def tabulate_ranges(f: ApplicationForecast, top: int) -> Table:
    """Named ranges of the run before and after."""
    columns = (
        Column("range", lambda r: one_line(r.name, 200)), Column("runs", lambda r: r.runs, str), *TIMES,
        Column("devices", lambda r: r.source_device_s, format_seconds),
        Column("devices there", lambda r: r.device_s, format_seconds),
    )  # fmt: skip
    return Table(columns, f.ranges[:top])


def name_kernels(kernels: Sequence[KernelTime]) -> list[tuple[str, KernelTime]]:
    """Kernels with short names that differ."""
    return list(zip(distinct([short_name(k.name, 60) for k in kernels], 60), kernels, strict=True))


def of_kernel(column: Column) -> Column:
    """The same column of rows that also hold a name; a kernel without a recorded duration has no times."""
    return replace(column, value=lambda row: column.value(row[1]) or None)


KERNELS = (
    Column("kernel", lambda row: row[0]),
    Column("launches", lambda row: row[1].launches, str),
    Column("known by", lambda row: row[1].evidence),
    *map(of_kernel, TIMES),
)


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
    nouns = (("processes", "process", "processes"), ("streams", "stream", "streams"),
             ("kernels", "kernel launch", "kernel launches"),
             ("copies", "copy", "copies"), ("memory_sets", "memory set", "memory sets"),
             ("collectives", "collective", "collectives"), ("calls", "API call", "API calls"))  # fmt: skip
    counts = ", ".join(f"{values[key]} {noun if values[key] == 1 else many}" for key, noun, many in nouns)
    run = f"{format_seconds(s.time_s)} on {names}; {counts}"
    late = show_share(s.launch_bound_s, s.idle_s)
    busy = (
        f"devices busy {format_seconds(s.busy_s)} ({show_share(s.busy_s, s.time_s)}), idle between "
        f"{format_seconds(s.idle_s)}, of which {late} ended with a launch that came late (launch-bound "
        f"{show_share(s.launch_bound_s, s.time_s)} of the run)"
    )
    for text in (run, busy, f"work known from shapes: {format_percent(s.shapes_share, 0)} of the kernels' time"):
        yield from textwrap.wrap(text, width)
    yield ""
    total = sum(c.source_time_s for c in s.classes)
    of_all = Column("share", lambda c: share(c.source_time_s, total), in_percent())
    count = Column("count", lambda c: c.launches, str)
    yield from Table([Column("kind of work", lambda c: c.name), count, TIMES[0], of_all], s.classes[:top]).lines(width)
    if s.kernels:
        columns = [Column("kernel", lambda c: short_name(c.name, 80)), replace(count, head="launches"), TIMES[0]]
        yield from ["", *Table([*columns, of_all], s.kernels[:top]).lines(width)]
    if s.ranges:
        columns = [Column("range", lambda r: one_line(r.name, 200)), Column("runs", lambda r: r.runs, str), TIMES[0]]
        devices = Column("devices", lambda r: r.source_device_s, format_seconds)
        yield from ["", *Table([*columns, devices], s.ranges[:top]).lines(width)]
    path = (
        Column("critical path", itemgetter(0)), Column("time", itemgetter(1), format_seconds),
        Column("share", lambda part: share(part[1], s.time_s), in_percent()),
    )  # fmt: skip
    yield from ["", *Table(path, list(s.critical.items())[:top]).lines(width), ""]


def show_share(part: float, whole: float) -> str:
    """A share for people."""
    return format_percent(share(part, whole))


def share(part: float, whole: float) -> float:
    """A share; NaN of nothing."""
    return part / whole if whole > 0 else math.nan


PART_KEYS = tuple(f"part_{k}" for k in ("kind", "name", "count", "source_time_s", "time_s", "time_low_s", "time_high_s",
                                        "fixed_time_s"))  # fmt: skip
"""Of the part that matters: one step, one run of a range."""
CSV_KEYS = ("source_gpu", "target_gpu", "model", "coverage", "source_time_s", "time_s", "time_low_s", "time_high_s",
            "energy_j", "energy_low_j", "energy_high_j", "speedup", "fixed_time_s", "device_busy_source_s",
            "device_busy_s")  # fmt: skip


def record_runs(forecasts: Sequence[ApplicationForecast]) -> Any:
    """What JSON holds: one object for one target, a list of them for several."""
    records = [{"roofcast": VERSION} | state_run(f).record() | make_plain(f.record()) for f in forecasts]
    return records[0] if len(records) == 1 else records


def tabulate_totals(forecasts: Sequence[ApplicationForecast]) -> Table:
    """One row per target, for machines."""
    header = (*(("run",) if any(f.run for f in forecasts) else ()), *CSV_KEYS, *PART_KEYS)
    records = (make_plain(f.record()) for f in forecasts)
    rows = ({**{f"part_{k}": v for k, v in (record["part"] or {}).items()}, **record} for record in records)
    return Table.of_records({k: row.get(k) for k in header} for row in rows)


MAX_ROWS = 300
"""Kernels in the table of a page."""


def app_page(forecasts: Sequence[ApplicationForecast]) -> Page:
    """One page for all targets."""
    first = forecasts[0]
    unit = "" if first.part is None else f", {describe_unit(forecasts)}"
    cards = [Card(first.source_gpu + unit, format_seconds(first.answer.source_time_s), "measured", plain=True)]
    for f in forecasts:
        span = f.answer
        text = (
            f"{format_speedup(span.source_time_s, span.time_s)}; "
            f"interval {show_interval((span.time_low_s, span.time_high_s))}; {tell_fixed(span)}"
        )
        if f.part is not None and not f.is_part:
            whole = f"{format_seconds(f.source_time_s)} → {format_seconds(f.time_s)}"
            text += f"; the whole run {whole}, {format_speedup(f.source_time_s, f.time_s)}"
        cards.append(Card(f"{f.run}: {f.target.name}" if f.run else f.target.name, format_seconds(span.time_s), text))
    files = ", ".join(one_line(p.file, 120) for p in first.timeline.provenance)
    sections = [*live_sections(forecasts), *(s for f in forecasts for s in sections_of(f))]
    sections.append(provenance_section(first.timeline.provenance))
    parts = [one_line(f.part.said) for f in forecasts if f.part is not None]
    intro = (state_run(find_best(forecasts)).verdict, *dict.fromkeys(parts))
    title = f"The whole run elsewhere: {files}"
    return Page(title, tuple(cards), intro, tuple(sections), live=read_run_script(), lead=lead_run(forecasts))


def lead_run(forecasts: Sequence[ApplicationForecast]) -> Lead:
    """What stands above a run: the sentence of the fastest target, what its parts take, what is to be known of it."""
    best = find_best(forecasts)
    statement = state_run(best)
    return Lead(
        statement.verdict, "; ".join(list_spans(best)), "; ".join([statement.promise, *list_run_notes(best)[:2]])
    )


def live_sections(forecasts: Sequence[ApplicationForecast]) -> list[Section]:
    """A timeline per run: measured, and below it the forecast of each GPU."""
    runs: dict[str, list[ApplicationForecast]] = {}
    for f in forecasts:
        runs.setdefault(f.run, []).append(f.drawn or f)
    sections = []
    for run, same in runs.items():
        sentence = "Of this long run the part that is drawn." if any(f.drawn for f in forecasts) else ""
        live = render_run_view(gather_run(same[0], same), timeline_picture(same[0]))
        title = f"Timeline of {one_line(run, 80)}" if run else "Timeline"
        sections.append(Section(title, (sentence,) if sentence else (), live=live))
    return sections


def draw_beside(runs: Sequence[Recorded]) -> str:
    """Recorded runs below each other on one axis; who moves or zooms one moves them all."""
    longest = max(last - first for first, last in (r.timeline.span_s for r in runs))
    kinds = list(dict.fromkeys(c.name for r in runs for c in r.classes))
    views = (render_run_view(gather_run(r, until_s=longest, kinds=kinds), draw_run(r, list_sides(r))) for r in runs)
    return f'<div class="run-pair">{"".join(views)}</div>'


def frame_timeline(forecasts: Sequence[ApplicationForecast]) -> str:
    """The timelines as a page within a notebook's cell, which can neither see the notebook nor ask anybody."""
    page = Page("Timeline", sections=tuple(live_sections(forecasts)), live=read_run_script())
    return (
        '<iframe title="timeline of the run" sandbox="allow-scripts" width="100%" height="720" frameborder="0" '
        f'srcdoc="{escape(render_page(page))}"></iframe>'
    )


def sections_of(f: ApplicationForecast) -> list[Section]:
    """Everything about one target."""
    name = f.target.name
    dominates = tabulate_parts("kind of work", f.classes, MAX_ROWS)
    sections = [Section(f"What dominates before and after: {name}", table=dominates)]
    if f.ranges:
        sections.append(Section(f"Ranges on {name}", table=tabulate_ranges(f, MAX_ROWS)))
    if operators := name_operators(f.operators):
        sections.append(Section(f"Operators on {name}", table=tabulate_parts("operator", operators, MAX_ROWS)))
    kernels = Table(
        (*KERNELS, *map(of_kernel, LIMITS)),
        name_kernels(f.kernels[:MAX_ROWS]),
        hover=lambda row: one_line(row[1].name, 300),
    )
    sections.append(Section(f"Kernels on {name}", table=kernels))
    return [*sections, *notes_section([one_line(n) for n in f.notes], f"Notes on {name}")]


WIDTH, LEFT, LANE, TOP = 1160, 190, 20, 30


def timeline_picture(forecast: ApplicationForecast) -> str:
    """The picture as SVG text; every name in it is escaped."""
    return draw_run(forecast, list_sides(forecast, [forecast]))


def draw_run(run: Recorded, sides: Sequence[Side]) -> str:
    """Each side of a run as lanes below each other, as SVG text."""
    first, last = run.timeline.span_s
    until = max([last, *(first + s.time_s for s in sides)])
    kinds = [c.name for c in run.classes]
    colour = {name: SERIES[i] if i < len(SERIES) else GREY for i, name in enumerate(kinds)}
    lanes = list_lanes(run)
    labels = run.activity_class.astype(str)
    parts: list[str] = []
    y = TOP
    for side in sides:
        parts.append(text(0, y - 8, f"{side.title}, {format_quantity(side.time_s, 's')}", bold=True))
        for name, rows in lanes:
            parts.append(text(0, y + LANE - 6, name))
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT}" height="{LANE - 3}" fill="{GREY}22"/>')
            parts += boxes(labels[rows], side.start_s[rows] - first, side.end_s[rows] - first, until - first, y, colour)
            y += LANE
        parts.append(mark(side.time_s, until - first, y - LANE * len(lanes), y))
        y += TOP
    parts.append(axis(until - first, y - TOP + 12))
    legend, y = legend_of(kinds, colour, y + 12)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 10}" width="100%" role="img" '
        f'aria-label="the run before and after" font-size="12" fill="currentColor">'
    )
    return head + "".join(parts) + legend + "</svg>"


def style_alone(picture: str) -> str:
    """The picture as a file of its own: on paper, whatever the colours around it (an editor in the dark), in the page's
    type.
    """
    style = '<style>svg{font-family:system-ui,"DejaVu Sans",sans-serif}</style>'
    framed = picture.replace(f'viewBox="0 0 {WIDTH} ', f'viewBox="-14 -10 {WIDTH + 28} ', 1)
    paper = f'<rect x="-14" y="-10" width="100%" height="100%" fill="{WHITE}"/>'
    framed = framed.replace('fill="currentColor">', f'fill="currentColor" color="{INK}">{style}{paper}', 1)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{framed}'


def boxes(
    labels: NDArray[np.str_], start: FloatArray, end: FloatArray, until: float, y: int, colour: dict[str, str]
) -> list[str]:
    """Boxes of one lane: runs of pixel columns in which a kind of work was going on."""
    pixels = WIDTH - LEFT
    scale = pixels / until if until > 0 else 0.0
    elements = []
    for kind in np.unique(labels).tolist():
        rows = labels == kind
        begin = np.clip((start[rows] * scale).astype(np.int64), 0, pixels - 1)
        finish = np.clip((end[rows] * scale).astype(np.int64), 0, pixels - 1)
        steps = np.bincount(begin, minlength=pixels + 1) - np.bincount(finish + 1, minlength=pixels + 1)[: pixels + 1]
        inside = np.concatenate([[0], (np.cumsum(steps)[:pixels] > 0).astype(np.int64), [0]])
        edges = np.flatnonzero(np.diff(inside))
        fill = colour.get(str(kind), GREY)
        elements += [
            f'<rect x="{LEFT + a}" y="{y}" width="{b - a}" height="{LANE - 3}" fill="{fill}"><title>'
            f"{escape(str(kind))}</title></rect>"
            for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
        ]
    return elements


def mark(time: float, until: float, top: int, bottom: int) -> str:
    """A line where the run ends."""
    x = LEFT + (WIDTH - LEFT) * min(time / until, 1.0) if until > 0 else LEFT
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top - 4}" y2="{bottom}" stroke="currentColor" stroke-dasharray="3 3"/>'
    )


def axis(until: float, y: int) -> str:
    """Five times along the axis."""
    elements = []
    for i in range(6):
        anchor = "start" if i == 0 else "end" if i == 5 else "middle"
        x = LEFT + (WIDTH - LEFT) * i / 5
        elements.append(text(x, y, format_quantity(until * i / 5, "s") if i else "0", anchor=anchor))
    return "".join(elements)


def legend_of(kinds: list[str], colour: dict[str, str], y: int) -> tuple[str, int]:
    """The kinds of work with their colours, and where it ends."""
    elements, x = [], 0
    # What the palette has no colour for is grey together.
    for kind in kinds[: len(SERIES)] + ["others"] * (len(kinds) > len(SERIES)):
        if x > WIDTH - 180:
            x, y = 0, y + 18
        elements.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colour.get(kind, GREY)}"/>')
        elements.append(text(x + 17, y + 10, kind))
        x += 190
    return "".join(elements), y + 18


def text(x: float, y: float, words: str, *, anchor: str = "start", bold: bool = False) -> str:
    """One escaped line."""
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{weight}>{escape(one_line(words, 90))}</text>'
