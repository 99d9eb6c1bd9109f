"""What the report says in numbers: headline, kernel table and limits, as plain texts and numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from roofcast.analyses.report.cost import costs_of
from roofcast.analyses.report.totals import COUNTED_ONCE, each_work_once
from roofcast.core.errors import one_line
from roofcast.core.kernel_table import FloatArray
from roofcast.core.resource import Resource
from roofcast.core.results import Forecast
from roofcast.core.units import format_quantity
from roofcast.kit.names import table_names
from roofcast.kit.quantities import Rates, choose_runs, format_cost, format_interval, format_percent, format_speedup

MAX_CELLS = 7000
"""Kernels x GPUs that the page lists: beyond that it would grow past a few megabytes."""
MIN_ROWS = 20
RARE = 0.2
"""Share of the kernels up to which a flag marks them in the table."""
UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Total:
    """Sum over the kernels of one target."""

    name: str
    time: str
    interval: str
    speedup: str
    counted: str
    """'' where every kernel has a time on both sides, else how many have."""
    source_time: str
    """Time on the source of the kernels that are counted."""
    slower: bool
    cost: str = ""
    """'' without a rate."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The answer, before any detail."""

    source: str
    source_time: str
    kernels: int
    claim: str
    totals: tuple[Total, ...]
    model: str
    source_cost: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One kernel on one target."""

    time_s: float | None
    time: str
    interval: str
    speedup_value: float | None
    speedup: str
    limit: str
    reason: str


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel."""

    index: int
    name: str
    source: str
    time_s: float | None
    time: str
    share_value: float | None
    share: str
    limit: str
    cells: tuple[Cell, ...]
    flagged: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """Share of the time that one resource limits."""

    css: str
    label: str
    x: float
    width: float
    percent: str


@dataclass(frozen=True, slots=True)
class LimitBar:
    """One GPU's time by limit."""

    name: str
    role: str
    time: str
    segments: tuple[Segment, ...]


def listed_rows(forecast: Forecast) -> list[int]:
    """Kernels that the page lists, in file order: all, or those with most time where there are very many."""
    n = len(forecast.kernels)
    room = max(MIN_ROWS, MAX_CELLS // (len(forecast.targets) + 1))
    if n <= room:
        return list(range(n))
    time = forecast.kernels.column("time_s")
    order = np.argsort(-np.where(np.isnan(time), -1.0, time), kind="stable")
    return sorted(int(i) for i in order[:room])


def headline(forecast: Forecast, rates: Rates | None = None) -> Headline:
    """Where the kernels ran, where they would run, the totals, and what they cost at the rates given."""
    whole, forecast = forecast, each_work_once(forecast)
    names = list(dict.fromkeys(s.name if s else "a GPU that is not known" for s in forecast.sources))
    time = forecast.kernels.column("time_s")
    total = float(np.nansum(time)) if np.isfinite(time).any() else float("nan")
    coverage = forecast.estimate.coverage
    claim = (
        f"Each kernel's interval claims to hold {format_percent(coverage, 0)} of measured times."
        if coverage
        else "This model's intervals claim no coverage."
    )
    if len(forecast.kernels) > 1:
        claim += " The total's interval adds the bounds, as if every kernel erred the same way: an outer bound."
    if forecast is not whole:
        claim += f" {COUNTED_ONCE}"
    source_cost, costs = costs_of(forecast, rates or {})
    runs = choose_runs([source_cost, *costs])
    totals = [replace(total_of(forecast, j), cost=format_cost(c, runs)) for j, c in enumerate(costs)]
    return Headline(
        source=", ".join(names[:3]) + (", …" if len(names) > 3 else ""),
        source_time=format_quantity(total, "s"),
        kernels=len(forecast.kernels),
        claim=claim,
        totals=tuple(totals),
        model=forecast.model,
        source_cost=format_cost(source_cost, runs),
    )


def total_of(forecast: Forecast, j: int) -> Total:
    """Sums over the kernels that have a time on both sides."""
    source, estimate = forecast.kernels.column("time_s"), forecast.estimate
    both = (estimate.time_s[:, j] > 0) & (source > 0)
    name = one_line(forecast.targets[j].name, 160)
    if not both.any():
        return Total(name, "–", "", "", "no kernel could be forecast; the table says why", "–", False)
    time, low, high = (float(a[both, j].sum()) for a in (estimate.time_s, estimate.time_low_s, estimate.time_high_s))
    before = float(source[both].sum())
    counted = "" if both.all() else f"{int(both.sum())} of {len(both)} kernels; the others could not be forecast"
    return Total(
        name, format_quantity(time, "s"), format_interval(low, high), format_speedup(before, time), counted,
        format_quantity(before, "s"), time > before,
    )  # fmt: skip


def table_rows(forecast: Forecast) -> list[Row]:
    """One row per kernel, in file order."""
    kernels, estimate = forecast.kernels, forecast.estimate
    names, time = table_names(kernels), kernels.column("time_s")
    total = float(np.nansum(time))
    share = time / total if total > 0 else np.full(time.shape, np.nan)
    there, here, speedup = forecast.limits_source(), forecast.limits_target(), forecast.speedup()
    # What is said of many kernels stands under the data quality; a mark on each would tell nobody anything.
    counts = Counter(flag for flags in kernels.flags for flag in set(flags))
    rare = {flag for flag, count in counts.items() if count <= max(1, RARE * len(kernels))}
    rows = []
    for i, name in enumerate(names):
        cells = []
        for j in range(len(forecast.targets)):
            seconds = finite(estimate.time_s[i, j])
            low, high = float(estimate.time_low_s[i, j]), float(estimate.time_high_s[i, j])
            cells.append(
                Cell(
                    time_s=seconds,
                    time=format_quantity(seconds, "s"),
                    interval=format_interval(low, high),
                    speedup_value=finite(speedup[i, j]),
                    speedup=format_speedup(float(time[i]), seconds if seconds is not None else float("nan")),
                    limit=label(here[i, j]),
                    reason="" if seconds is not None else one_line(str(estimate.reasons[i, j]) or "no forecast", 200),
                )
            )
        source = forecast.sources[i]
        rows.append(
            Row(
                index=i, name=name, source=source.name if source else UNKNOWN, time_s=finite(time[i]),
                time=format_quantity(finite(time[i]), "s"), share_value=finite(share[i]),
                share=format_percent(share[i]),
                limit=label(there[i]), cells=tuple(cells), flagged=bool(rare.intersection(kernels.flags[i])),
            )
        )  # fmt: skip
    return rows


def limit_bars(forecast: Forecast) -> list[LimitBar]:
    """Time by limiting resource, on the source and on each target, over the kernels that have both times."""
    forecast = each_work_once(forecast)
    estimate, time = forecast.estimate, forecast.kernels.column("time_s")
    here = forecast.limits_target()
    any_target = (estimate.time_s > 0).any(axis=1) & (time > 0) if len(forecast.targets) else time > 0
    names = list(dict.fromkeys(s.name if s else UNKNOWN for s in forecast.sources))
    bars = [limit_bar(", ".join(names[:2]), "measured", np.where(any_target, time, 0.0), forecast.limits_source())]
    for j, target in enumerate(forecast.targets):
        seconds = np.where((estimate.time_s[:, j] > 0) & (time > 0), estimate.time_s[:, j], 0.0)
        bars.append(limit_bar(target.name, "forecast", seconds, list(here[:, j])))
    return [b for b in bars if b.segments]


def limit_bar(name: str, role: str, seconds: FloatArray, limits: list[str | None]) -> LimitBar:
    """One stacked bar, largest share first, in per cent of its width."""
    sums: dict[str | None, float] = {}
    for limit, value in zip(limits, seconds.tolist(), strict=True):
        sums[limit] = sums.get(limit, 0.0) + value
    total, left, segments = sum(sums.values()), 0.0, []
    for limit, value in sorted(sums.items(), key=lambda item: -item[1]):
        if not value > 0:
            continue
        width = 100 * value / total
        segments.append(Segment(css_of(limit), label(limit), left, width, format_percent(value / total)))
        left += width
    return LimitBar(one_line(name, 160), role, format_quantity(total, "s"), tuple(segments))


def css_of(limit: str | None) -> str:
    """Style class of a resource: memory levels have a colour each, pipes share one by kind."""
    if not limit:
        return "other"
    resource = Resource(limit)
    if resource in (Resource.BYTES_L1, Resource.BYTES_SHARED, Resource.BYTES_L2, Resource.BYTES_DRAM):
        return resource.value
    return "pipe" if resource.is_compute else "issue" if resource.value.startswith("insts_") else "other"


def label(limit: str | None) -> str:
    """Name of a resource for people."""
    return Resource(limit).label if limit else UNKNOWN


def finite(value: float) -> float | None:
    """The value as a float that JSON and attributes can hold; None where absent."""
    return float(f"{value:.6g}") if np.isfinite(value) else None
