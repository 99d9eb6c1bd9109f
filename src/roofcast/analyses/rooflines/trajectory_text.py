"""Trajectories as aligned text: one table per kernel, one row per version."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence

from roofcast.analyses.rooflines.trajectory import Trajectory, Version
from roofcast.analyses.rooflines.trajectory_places import place_lines
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.table import aligned

LEVELS = (Resource.BYTES_L1, Resource.BYTES_L2, Resource.BYTES_DRAM)


def trajectory_lines(trajectories: Sequence[Trajectory], width: int, top: int | None = None) -> Iterator[str]:
    """Tables of the kernels with most time; what is left out is counted.

    width : columns to fill.
    """
    shown = trajectories if top is None else trajectories[:top]
    for n, trajectory in enumerate(shown):
        if n:
            yield ""
        yield from table_of(trajectory, width)
        yield from place_lines(trajectory, width - 2)
    if len(shown) < len(trajectories):
        rest = len(trajectories) - len(shown)
        yield f"… and {rest} more kernel{'s' * (rest != 1)} with several versions (--top {len(trajectories)})"


def table_of(trajectory: Trajectory, width: int) -> Iterator[str]:
    """One kernel; columns that no version has are left out."""
    versions = trajectory.versions
    share = f", {100 * trajectory.time_fraction:.1f} % of the time at first" if trajectory.time_fraction > 0 else ""
    yield from textwrap.wrap(f"{trajectory.name} on {trajectory.gpu}{share}", width)
    cells = [columns_of(v) for v in versions]
    names = [name for name in cells[0] if any(c[name] != "–" for c in cells)]
    rows = [[c[name] for name in names] for c in cells]
    lines = aligned(names, rows, [name != "version" for name in names], width, stacked=False)
    narrow = len(lines[1]) > width
    if narrow:
        short = [name.removeprefix("FLOP/B ") for name in names]
        lines = aligned(short, rows, [name != "version" for name in names], width)
    yield from lines
    if narrow and short != names:
        yield "  L1, L2, DRAM in FLOP/B"
    for version in versions:
        if version.moved:
            text = f"{version.label}: {'; '.join(version.moved)}"
            yield from textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="    ")


def columns_of(v: Version) -> dict[str, str]:
    """Header -> cell."""
    return {
        "version": v.label,
        "time": format_quantity(v.time_s, "s") if v.time_s > 0 else "–",
        "speed-up": f"{v.speedup:.2f}×" if math.isfinite(v.speedup) else "–",
        "GFLOP/s": number(v.flops_per_s / 1e9),
        **{f"FLOP/B {r.label}": number(v.flops_per_byte.get(r, math.nan)) for r in LEVELS},
        "warps/SM": number(v.warps_per_sm),
        "regs": number(v.regs_per_thread),
        "L1 hits": percent(v.l1_hit_fraction),
        "L2 hits": percent(v.l2_hit_fraction),
        "FMA": percent(v.fma_fraction),
        "own peak": format_quantity(v.flops_per_s_mix, "FLOP/s"),
        "of it": percent(v.share_of_mix),
        "of peak": percent(v.share_of_peak),
    }


def number(value: float) -> str:
    """Three digits, all digits of large values.

    >>> number(3683.2), number(8.571), number(float("nan"))
    ('3683', '8.57', '–')
    """
    if not math.isfinite(value):
        return "–"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def percent(fraction: float) -> str:
    """A share without decimals.

    >>> percent(0.583), percent(float("nan"))
    ('58 %', '–')
    """
    return f"{100 * fraction:.0f} %" if math.isfinite(fraction) else "–"
