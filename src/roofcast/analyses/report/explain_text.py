"""Why a forecast is what it is: seconds per resource on both sides, and the way from source to target, in text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from roofcast.core.errors import one_line
from roofcast.core.resource import Resource
from roofcast.core.results import Forecast
from roofcast.core.units import format_quantity
from roofcast.core.waterfall import CAUSES, Waterfall
from roofcast.kit.quantities import format_change, format_percent
from roofcast.kit.table import folded


def render_explanation(forecast: Forecast, width: int = 120) -> str:
    """One block per kernel and target: seconds that each resource alone would need, and what follows from them.

    width : columns to fill.
    """
    chains = forecast.explain()
    cells = ((i, j) for i in range(len(forecast.kernels)) for j in range(len(forecast.targets)))
    text = "\n\n".join("\n".join(explain_one(forecast, i, j, chains, width)) for i, j in cells)
    return folded(text, width)


def explain_one(forecast: Forecast, i: int, j: int, chains: Waterfall, width: int) -> Iterator[str]:
    """Lines of one kernel on one target. chains : waterfalls of all kernels."""
    estimate, target = forecast.estimate, forecast.targets[j]
    source = forecast.sources[i]
    name = one_line(str(forecast.kernels.strings("kernel")[i]), 100)
    yield f"{name}: {source.name if source else 'unknown GPU'} -> {target.name} ({forecast.model})"
    reason = estimate.reasons[i, j]
    if reason:
        yield f"  no forecast: {reason}"
        return
    yield f"  {'resource':18} {'amount':>12} {'source':>10} {'share':>7} {'target':>10} {'source/target':>14}"
    measured = forecast.kernels.column("time_s")[i]
    for resource, there, here in resource_seconds(forecast, i, j):
        amount = format_quantity(float(forecast.kernels.column(resource.value)[i]), resource.unit)
        ratio = f"{there / here:.2f}x" if here > 0 else "–"
        share = format_percent(there / measured, 0)
        yield (
            f"  {resource.label:18} {amount:>12} {format_quantity(there, 's'):>10} {share:>7} "
            f"{format_quantity(here, 's'):>10} {ratio:>14}"
        )
    time, low, high = (float(a[i, j]) for a in (estimate.time_s, estimate.time_low_s, estimate.time_high_s))
    yield (
        f"  measured {format_quantity(measured, 's')} -> forecast {format_quantity(time, 's')} "
        f"[{format_quantity(low, 's')} .. {format_quantity(high, 's')}], speed-up {measured / time:.2f}x"
    )
    yield from waterfall_lines(chains, i, j, width)
    for text in (*(estimate.assumed[i] if estimate.assumed else ()), *forecast.notes(i, j)):
        yield f"  - {text}"


def resource_seconds(forecast: Forecast, i: int, j: int) -> Iterator[tuple[Resource, float, float]]:
    """Resources that take any time, the slowest on the source first, with seconds on source and target."""
    estimate = forecast.estimate
    rows = []
    for resource, seconds in estimate.time_s_by_resource_source.items():
        target = estimate.time_s_by_resource_target.get(resource)
        there = float(seconds[i])
        here = float(np.broadcast_to(target, estimate.time_s.shape)[i, j]) if target is not None else float("nan")
        if there > 0:
            rows.append((resource, there, here))
    yield from sorted(rows, key=lambda row: -row[1])


BAR = 36
BEFORE_BAR = 56
STEP_LEAST = 5e-4
"""Steps below this share of the longer end are not listed; their sum is."""


def waterfall_lines(chains: Waterfall, i: int, j: int, width: int) -> Iterator[str]:
    """From the source's seconds to the target's, one line per cause that moves them; the steps add up."""
    levels, steps = chains.levels_s[i, j], chains.steps_s[i, j]
    if not np.isfinite(levels).all() or not (levels[-1] > 0):
        return
    ends = max(levels[0], levels[-1])
    shown = np.abs(steps) >= STEP_LEAST * ends
    longest, room = float(levels.max()), max(8, min(BAR, width - BEFORE_BAR))
    yield "  from source to target, cause by cause:"
    first, last = (format_quantity(float(levels[k]), "s") for k in (0, -1))
    yield f"    {'measured':26}{'':>12} {first:>10}  {bar(0.0, levels[0], longest, room)}"
    for k in np.flatnonzero(shown):
        change = format_change(float(steps[k]))
        after = format_quantity(float(levels[k + 1]), "s")
        drawn = bar(float(levels[k]), float(levels[k + 1]), longest, room)
        yield f"    {CAUSES[k].label:26}{change:>12} {after:>10}  {drawn}".rstrip()
    rest = float(steps[~shown].sum())
    if rest:
        yield f"    {'all others together':26}{format_change(rest):>12}"
    yield f"    {'forecast':26}{'':>12} {last:>10}  {bar(0.0, levels[-1], longest, room)}"


def bar(start: float, end: float, longest: float, room: int = BAR) -> str:
    """A bar from one level to another; a saving is drawn lighter."""
    low, high = (round(room * v / longest) for v in sorted((start, end)))
    return " " * low + ("░" if end < start else "█") * max(high - low, 1)
