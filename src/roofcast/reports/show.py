"""A forecast in text: every kernel, the total, what a reader must know; and why, cause by cause."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import one_line
from roofcast.core.markup import escape
from roofcast.core.properties import PROPERTIES
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.undecided import UNDECIDED
from roofcast.core.units import format_quantity
from roofcast.forecasting.forecasts import Forecast
from roofcast.forecasting.waterfall import Waterfall
from roofcast.kit.answer import NOTES_SHOWN, ROWS_SHOWN
from roofcast.kit.names import full_name, table_names
from roofcast.kit.quantities import (
    ABSENT,
    format_change,
    format_energy,
    format_factor,
    format_forecast,
    format_interval,
    format_percent,
    format_seconds,
    in_percent,
    label_limit,
    share_of,
)
from roofcast.kit.returned import MAX_ROWS, show_html
from roofcast.kit.table import Column, Table, cells, fitted, folded, pick_longest, rank_longest
from roofcast.models.kernel_amounts import is_from_code
from roofcast.reports.next_measurement import list_narrowings
from roofcast.reports.totals import group_by_gpu, sum_up
from roofcast.reports.verdict import list_notes, list_texts, state_forecast

LIMIT, LIMIT_NARROW, NOTES_MAX = 19, 12, 7
"""Columns of a limit, where there is room and where not; letters of a row that refer to notes."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Cell:
    """One kernel, or a sum, on one target."""

    time_s: float
    low_s: float
    high_s: float
    speedup: float
    limits: tuple[str | None, str | None] | None
    """On the source and there; None of sums and of what has no forecast."""
    said: str = ""
    """What stands in their place."""


@dataclass(frozen=True, slots=True)
class Line:
    """One kernel, or a sum; times are over all its launches."""

    name: str
    source: str
    launches: float
    each_s: float | None
    measured_s: float
    time_s: float
    cells: tuple[Cell, ...]
    share: float = math.nan
    notes: str = ""
    place: int = -1
    """Among the rows that are listed; -1 of sums."""


def select_longest(forecast: Forecast, top: int | None) -> Forecast:
    """The forecast of the kernels with most source time, in file order; all where no number is given."""
    return forecast if top is None else forecast.select(pick_longest(forecast.source_total_s, top))


def render_forecast(
    forecast: Forecast, width: int = 120, top: int | None = None, full_names: bool = False, notes: bool = False,
    explain: bool = False,
) -> str:  # fmt: skip
    """What the command prints: the table, and with ``explain`` where each of its rows comes from."""
    text = render_forecast_table(forecast, width, top, full_names, notes)
    return f"{text}\n\n{render_explanation(select_longest(forecast, top), width)}" if explain else text


def tabulate_longest(forecast: Forecast) -> Table:
    """The kernels with most time and the totals, for a notebook."""
    rows = rank_longest(forecast.source_total_s, MAX_ROWS)
    table = tabulate_forecast(forecast, rows, dict(enumerate(table_names(forecast.kernels))), {})
    return replace(table, pick=None)


def show_forecast_html(forecast: Forecast) -> str:
    """The verdict, :func:`tabulate_longest` and what is claimed, for a notebook; names are only ever text."""
    head = sum_up(forecast)
    note = f"{head.source}: {head.role}. {head.claim} Model: {head.model}."
    return f"<p>{escape(state_forecast(forecast).verdict)}</p>" + show_html(tabulate_longest(forecast), note)


def render_forecast_table(
    forecast: Forecast, width: int = 120, top: int | None = None, full_names: bool = False, notes: bool = False
) -> str:
    """The answer in one sentence; kernel, source time, and per target time, interval, speed-up and limit; notes.

    Rows are in the order of their source time. Where rows stand for several launches, all times but that of one launch
    on the source are sums over them, as the total is.

    width : columns to fill, at least 60.
    top : only the kernels with most source time (None: at most :data:`ROWS_SHOWN`); the rest is one row. The total is
        over all.
    notes : all that is to be said, not only what changes the answer most.
    """
    width = max(width, 60)
    rows = rank_longest(forecast.source_total_s, ROWS_SHOWN if top is None else top)
    every = list_notes(forecast, rows)
    numbered, references = number_notes(forecast, rows, every if notes else every[:NOTES_SHOWN])
    table = tabulate_forecast(forecast, rows, name_rows(forecast, rows, full_names), references)
    lines = [*textwrap.wrap(state_forecast(forecast).verdict, width), "", *table.lines(width), ""]
    for mark, text in numbered:
        lines += textwrap.wrap(text, width, initial_indent=f"{mark} ", subsequent_indent=" " * (len(mark) + 1))
    if not notes and len(every) > NOTES_SHOWN:
        lines.append(f"{len(every) - NOTES_SHOWN} more: --notes")
    return "\n".join(line.rstrip() for line in lines).rstrip()


def tabulate_forecast(
    forecast: Forecast, rows: Sequence[int], names: Mapping[int, str], references: Mapping[int, str],
    *, shares: bool = False,
) -> Table:  # fmt: skip
    """Some kernels, what the others take together, and the total: on the source and on each target.

    shares : add what part of the time each kernel takes.
    """
    counts = forecast.kernels.launches
    several, several_launches = len({s.name for s in forecast.sources if s}) > 1, bool((counts > 1).any())
    total = "total" if several_launches else "time"
    columns = [
        Column("kernel", attrgetter("name"), flexible=True),
        Column("source" if several else "", attrgetter("source")),
        Column("launches" if several_launches else "", attrgetter("launches"), lambda v: f"{v:.0f}"),
        Column("one launch" if several_launches else "", attrgetter("each_s"),
               lambda v: "" if v is None else format_seconds(v), spare=True),
        Column("" if forecast.on_source is None else "measured", attrgetter("measured_s"), format_seconds),
        Column(total if forecast.on_source is None else "source", attrgetter("time_s"), format_seconds),
        Column("share" if shares else "", attrgetter("share"), format_percent),
        *(c for j, t in enumerate(forecast.targets) for c in tabulate_target(j, one_line(t.name, 60), total)),
        Column("notes" if any(references.values()) else "", attrgetter("notes")),
    ]  # fmt: skip
    limits = forecast.limits_source(), forecast.limits_target()
    whole = float(np.nansum(forecast.source_total_s)) or math.nan
    lines = [describe_kernel(forecast, i, names[i], limits) for i in rows]
    lines = [replace(v, share=v.time_s / whole, notes=references.get(i, ""), place=k)
             for k, (i, v) in enumerate(zip(rows, lines, strict=True))]  # fmt: skip
    rest = sorted(set(range(len(forecast.kernels))).difference(rows))
    foot = [describe_sum(forecast.select(rest), label_rest(forecast, rest))] if rest else []
    foot += [
        describe_sum(forecast if len(of) == len(forecast.kernels) else forecast.select(of), f"total ({len(of)})", name)
        for name, of in group_by_gpu(forecast)
    ] if len(forecast.kernels) > 1 else []  # fmt: skip
    foot = [replace(v, share=v.time_s / whole) for v in foot]
    return Table(columns, lines, pick=attrgetter("place"), foot=foot)


def tabulate_target(j: int, name: str, total: str) -> list[Column]:
    """The columns of one target."""

    def render_limits(cell: Cell, width: int = LIMIT) -> str:
        return cell.said if cell.limits is None else format_limits(*cell.limits, width)

    return [
        Column(total, lambda line: line.cells[j].time_s, format_seconds, group=name),
        Column("interval", lambda line: (line.cells[j].low_s, line.cells[j].high_s), lambda v: format_interval(*v),
               right=False, group=name),
        Column("speed-up", lambda line: line.cells[j].speedup, format_factor, group=name),
        Column("limit", lambda line: line.cells[j], render_limits, right=False, group=name,
               narrow=lambda cell: fitted(render_limits(cell, LIMIT_NARROW), LIMIT_NARROW)),
    ]  # fmt: skip


def describe_kernel(
    forecast: Forecast, i: int, name: str, limits: tuple[list[str | None], NDArray[np.object_]]
) -> Line:
    """One kernel."""
    estimate, source, count = forecast.estimate, forecast.sources[i], float(forecast.kernels.launches[i])
    source_s = float(forecast.source_time_s[i])
    of_targets = []
    for j in range(len(forecast.targets)):
        time, low, high = (count * float(v[i, j]) for v in (estimate.time_s, estimate.time_low_s, estimate.time_high_s))
        # What is said below the table in full is said here in short.
        reason = one_line(str(estimate.reasons[i, j]) or "no forecast").partition(":")[0]
        speedup = source_s * count / time if time > 0 and source_s > 0 and estimate.pages is None else math.nan
        cell = Cell(time, low, high, speedup, (limits[0][i], limits[1][i, j]))
        if estimate.undecided[i, j]:
            cell = Cell(math.nan, low, high, math.nan, None, UNDECIDED)
        of_targets.append(
            cell if time > 0 else Cell(math.nan, math.nan, math.nan, math.nan, None, fitted(reason, LIMIT))
        )
    return Line(name, source.name if source else ABSENT, count, source_s, float(forecast.measured_time_s[i]) * count,
                source_s * count, tuple(of_targets))  # fmt: skip


def describe_sum(forecast: Forecast, label: str, gpu: str = "") -> Line:
    """Sums over the kernels that have a time and a forecast on each target. gpu : that all of them ran on."""
    source, launches = forecast.source_total_s, forecast.kernels.launches
    whole = float(np.nansum(source)) if np.isfinite(source).any() else math.nan
    of_targets = []
    for t in forecast.totals:
        missing = f"{t.kernels} of {t.kernels + t.kernels_left_out}" if t.kernels_left_out and t.kernels else ""
        times = (t.time_s, t.time_low_s, t.time_high_s, t.speedup) if t.kernels else (math.nan,) * 4
        if t.is_undecided:
            times, missing = (math.nan, t.time_low_s, t.time_high_s, math.nan), UNDECIDED
        of_targets.append(Cell(*times, None, missing))
    measured = float(np.nansum(forecast.measured_time_s * launches))
    return Line(label, gpu, float(launches.sum()), None, measured, whole, tuple(of_targets))


def number_notes(
    forecast: Forecast, rows: Sequence[int], notes: Sequence[tuple[str, bool]]
) -> tuple[list[tuple[str, str]], dict[int, str]]:
    """(mark, text) of notes, those of some kernels with a letter, and the letters that each row refers to."""
    lettered = [text for text, of_some in notes if of_some]
    letters = dict(zip(lettered, LETTERS, strict=False))
    references = {}
    for i in rows:
        wanted = [t for t in list_texts(forecast, i) if t in lettered]
        known = "".join(sorted(letters[t] for t in wanted if t in letters))
        full = len(known) == len(wanted) and len(known) <= NOTES_MAX
        references[i] = known if full else f"{known[: NOTES_MAX - 1]}+"
    lines = [(f"[{letters[text]}]" if text in letters else "-", text) for text, of_some in notes
            if not of_some or text in letters]  # fmt: skip
    left = len(lettered) - len(letters)
    return ([*lines, ("+", f"{left} more notes: --format json holds all of them")] if left else lines), references


def name_rows(forecast: Forecast, rows: Sequence[int], full_names: bool) -> dict[int, str]:
    """Name of each listed kernel."""
    kernels = forecast.kernels
    if not full_names:
        short = table_names(kernels)
        return {i: short[i] for i in rows}
    mangled = kernels.strings("kernel_mangled")
    return {i: full_name(str(kernels.strings("kernel")[i]), str(mangled[i])) for i in rows}


def format_limits(source: str | None, target: str | None, width: int = LIMIT) -> str:
    """Limit on the source and on the target, once where it is the same; only the target's where both do not fit.

    >>> format_limits("bytes_l1", "bytes_dram"), format_limits("bytes_l1", "bytes_dram", 6)
    ('L1 → DRAM', '→ DRAM')
    """
    there, here = label_limit(source), label_limit(target)
    if there == here:
        return here
    return next((t for t in (f"{there} → {here}", f"{there}→{here}") if cells(t) <= width), f"→ {here}")


def label_rest(forecast: Forecast, rest: Sequence[int]) -> str:
    """How many kernels are not listed, and how much of the time they are."""
    total = float(np.nansum(forecast.source_total_s))
    share = float(np.nansum(forecast.source_total_s[list(rest)])) / total if total > 0 else math.nan
    return f"… {len(rest)} more" + (f" ({format_percent(share)})" if total > 0 else "")


def render_explanation(forecast: Forecast, width: int = 120) -> str:
    """One block per kernel and target: seconds that each resource alone would need, and what follows from them.

    width : columns to fill.
    """
    chains = forecast.explain()
    narrowing = [*list_narrowings(forecast)]
    cells = ((i, j) for i in range(len(forecast.kernels)) for j in range(len(forecast.targets)))
    text = "\n\n".join("\n".join(explain_one(forecast, i, j, chains, narrowing[j][i], width)) for i, j in cells)
    return folded(text, width)


def explain_one(
    forecast: Forecast, i: int, j: int, chains: Waterfall, narrowing: Sequence[str], width: int
) -> Iterator[str]:
    """Lines of one kernel on one target. chains : waterfalls of all kernels. narrowing : what would narrow it."""
    estimate, target = forecast.estimate, forecast.targets[j]
    name = one_line(str(forecast.kernels.strings("kernel")[i]), 100)
    yield f"{name}: {name_origin(forecast, i)} -> {target.name} ({forecast.model})"
    reason = estimate.reasons[i, j]
    if reason:
        yield f"  no forecast: {reason}"
        return
    measured, source_s = forecast.measured_time_s[i], forecast.source_time_s[i]
    yield from (f"  {line}" for line in tabulate_resources(forecast, i, j).lines(width - 2))
    time, low, high = (float(a[i, j]) for a in (estimate.time_s, estimate.time_low_s, estimate.time_high_s))
    forecast_s = (
        f"forecast {format_forecast(time, low, high)} [{format_quantity(low, 's')} .. {format_quantity(high, 's')}]"
    )
    if measured > 0:
        under = f", {format_quantity(source_s, 's')} under the conditions of the forecast" if forecast.on_source else ""
        yield (
            f"  measured {format_quantity(measured, 's')}{under} -> {forecast_s}"
            + (f", speed-up {source_s / time:.2f}x" if estimate.pages is None and not estimate.undecided[i, j] else "")
        )
    else:
        yield f"  {forecast_s}"
    joules = [float(a[i, j]) for a in (forecast.energy.energy_j, forecast.energy.low_j, forecast.energy.high_j)]
    if energy := format_energy(*joules):
        yield f"  energy {energy} a launch, {format_quantity(joules[0] / time, 'W')} on average"
    yield from render_waterfall(chains, i, j, width)
    for text in (*(estimate.assumed[i] if estimate.assumed else ()), *forecast.notes(i, j)):
        yield f"  - {text}"
    yield from (f"  {text}" for text in narrowing)


def tabulate_resources(forecast: Forecast, i: int, j: int) -> Table:
    """Seconds that each resource alone would need; no share where that is more than the kernel took.

    Of a kernel that ran nowhere those on the target, the slowest first.
    """
    amounts, source_s = forecast.kernels.column, float(forecast.source_time_s[i])
    named = (
        Column("resource", lambda row: row[0].label),
        Column("amount", lambda row: format_quantity(float(amounts(row[0].value)[i]), row[0].unit), right=True),
    )
    if forecast.sources[i] is None:
        times = Column("target", lambda row: row[2], format_seconds)
        return Table((*named, times), rank_on_target(forecast, i, j))
    columns = (
        *named,
        Column("source", lambda row: row[1], format_seconds),
        Column("share", lambda row: share_of(row[1], source_s), in_percent(0)),
        Column("target", lambda row: row[2], format_seconds),
        Column("source/target", lambda row: row[1] / row[2] if row[2] > 0 else None, format_factor),
    )
    return Table(columns, list(list_resources(forecast, i, j)))


def name_origin(forecast: Forecast, i: int) -> str:
    """What the amounts of a kernel come from: its GPU, or its code."""
    if source := forecast.sources[i]:
        return source.name
    return "source code" if is_from_code(forecast.kernels)[i] else "unknown GPU"


def list_resources(forecast: Forecast, i: int, j: int) -> Iterator[tuple[Resource, float, float]]:
    """Resources that take any time, the slowest on the source first, with seconds on source and target."""
    seconds = {r: float(s[i]) for r, s in forecast.estimate.time_s_by_resource_source.items()}
    for resource in sorted(seconds, key=lambda r: -seconds[r]):
        if seconds[resource] > 0:
            yield resource, seconds[resource], tell_seconds(forecast, resource, i, j)


def rank_on_target(forecast: Forecast, i: int, j: int) -> list[tuple[Resource, float, float]]:
    """The same of what takes time on the target, the slowest there first, whatever the source."""
    seconds = {r: tell_seconds(forecast, r, i, j) for r in forecast.estimate.time_s_by_resource_target}
    return [(r, math.nan, seconds[r]) for r in sorted(seconds, key=lambda r: -seconds[r]) if seconds[r] > 0]


def tell_seconds(forecast: Forecast, resource: Resource, i: int, j: int) -> float:
    """Seconds that a resource of a target needs alone; NaN where that is unknown."""
    target = forecast.estimate.time_s_by_resource_target.get(resource)
    return math.nan if target is None else float(np.broadcast_to(target, forecast.estimate.time_s.shape)[i, j])


BAR = 36
"""Characters of the longest bar of ``--explain``."""
BEFORE_BAR = 56
"""Characters to the left of the bars."""
STEP_LEAST = 5e-4
"""Steps below this share of the longer end are not listed; their sum is."""
CAUSES_NAMED = 4
"""Causes of the model that are named below a step, those first that change the forecast most."""


def render_waterfall(chains: Waterfall, i: int, j: int, width: int) -> Iterator[str]:
    """Go from the source's seconds to the target's, one line per group of properties that moves them; the steps add up.

    Below each, the causes of the model behind it: forecast over the one without that cause.
    """
    levels, steps = chains.levels_s[i, j], chains.steps_s[i, j]
    if not np.isfinite(levels).all() or not (levels[-1] > 0):
        return
    ends = max(levels[0], levels[-1])
    large = np.abs(steps) >= STEP_LEAST * ends
    longest, room = float(levels.max()), max(8, min(BAR, width - BEFORE_BAR))
    yield "  from source to target, cause by cause:"
    first, last = (format_quantity(float(levels[k]), "s") for k in (0, -1))
    yield f"    {'measured':26}{'':>12} {first:>10}  {draw_bar(0.0, levels[0], longest, room)}"
    named = False
    for k in np.flatnonzero(large):
        change = format_change(float(steps[k]))
        after = format_quantity(float(levels[k + 1]), "s")
        drawn = draw_bar(float(levels[k]), float(levels[k + 1]), longest, room)
        yield f"    {PROPERTIES[k].label:26}{change:>12} {after:>10}  {drawn}".rstrip()
        behind = list(chains.causes_behind(PROPERTIES[k], i, j).items())[:CAUSES_NAMED]
        if behind:
            yield f"      by {', '.join(f'{name} (x {factor:.2f})' for name, factor in behind)}"
        named = named or bool(behind)
    rest = float(steps[~large].sum())
    if rest:
        yield f"    {'all others together':26}{format_change(rest):>12}"
    yield f"    {'forecast':26}{'':>12} {last:>10}  {draw_bar(0.0, levels[-1], longest, room)}"
    if named:
        yield "    by ...: causes behind a step (roofcast explain CAUSE), with the forecast over the forecast without"


def draw_bar(start: float, end: float, longest: float, room: int = BAR) -> str:
    """A bar from one level to another; a saving is drawn lighter."""
    low, high = (round(room * v / longest) for v in sorted((start, end)))
    return " " * low + ("░" if end < start else "█") * max(high - low, 1)
