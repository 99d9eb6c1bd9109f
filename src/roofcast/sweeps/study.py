"""A sweep with everything that is said about it: what the reports show."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import columns_of
from roofcast.core.records import dataclass
from roofcast.kit.quantities import count_of, format_percent
from roofcast.sweeps.chunks import base_seconds
from roofcast.sweeps.designs import Power, estimate_power, find_axes_that_matter, keep_least_designs, levels_of
from roofcast.sweeps.reductions import Points, Summary, no_points
from roofcast.sweeps.sensitivity import Change, Elasticity, elasticities, limits_over, smallest_changes
from roofcast.sweeps.space import Space
from roofcast.sweeps.workload import Workload


@dataclass(frozen=True)
class Study:
    """A finished sweep."""

    work: Workload
    space: Space
    summary: Summary
    base_s: tuple[float, float, float]
    """Seconds of the base, low, high."""
    elasticities: tuple[Elasticity, ...]
    limits: dict[str, float]
    changes: tuple[Change, ...]
    notes: tuple[str, ...]
    axes: tuple[int, ...] = ()
    """Positions of the axes that matter."""
    fastest: Points = field(default_factory=no_points)
    """Of the fastest the least designs: none has more of something that matters and is no faster than another."""
    power: Power | None = None
    """Of those and of the front, in this order; None where the board's power is unknown."""

    @cached_property
    def drawn(self) -> dict[int, int]:
        """Number of a processor -> its place in ``power``."""
        numbers = [*self.fastest.number.tolist(), *self.summary.front.number.tolist()]
        return {n: k for k, n in enumerate(numbers)}

    def values(self, number: int) -> FloatArray:
        """(axes,) the values of a processor."""
        levels = self.space.levels_of(number, number + 1)[:, 0]
        return np.array([a.levels[i] for a, i in zip(self.space.axes, levels.tolist(), strict=True)])


POWER_NOTE = (
    "power: what a design would draw under these kernels, an estimate; where that is more than its board's power, the "
    "clock that the board can hold stands beside it, and times are too short"
)
RESIDUAL_SHOWN = 5e-4
"""Relative difference from which what the base's forecast has beside the physics is told."""


def residual_note(work: Workload, space: Space, base_s: float) -> str:
    """What the base's forecast has beside the physics, and where it goes; '' where both say the same."""
    total = float(np.nansum(work.weights * work.physics(columns_of([space.base])).time_s[:, 0]))
    if not total > 0 or abs(base_s / total - 1) < RESIDUAL_SHOWN:
        return ""
    beside = format_percent(base_s / total - 1, 1, signed=True)
    return (
        f"what `forecast` has for the base beside the physics ({beside} of the total) stays on every processor of the "
        "space, kernel by kernel"
    )


def study(work: Workload, space: Space, summary: Summary) -> Study:
    """What belongs to a sweep beside its reductions."""
    base = base_seconds(work, space)
    notes = []
    missing = int((~np.isfinite(summary.best_s) & (work.weights > 0)).sum())
    if missing:
        notes.append(f"{missing} of {count_of(len(work), 'kernel')} cannot be forecast and are left out")
    note = residual_note(work, space, base[0])
    notes += [note] if note else []
    if any(a.key == "power_cap" for a in space.axes):
        notes.append("power_cap moves the boost clock by (cap / board power)^(1/3) below the board's power (assumed)")
    axes = find_axes_that_matter(work, space)
    least = keep_least_designs(space, summary.fastest, axes)
    numbers = np.concatenate([least.number, summary.front.number])
    power = estimate_power(work, space, levels_of(space, numbers)) if space.base.tdp_w else None
    idle = [a.key for i, a in enumerate(space.axes) if i not in axes]
    notes += [f"no difference to the time, and not listed: {', '.join(idle)}"] * bool(idle)
    notes += [POWER_NOTE] if power is not None else []
    return Study(
        work, space, summary, base, tuple(elasticities(work, space)), limits_over(work, space),
        tuple(smallest_changes(work, space)) if space.goal is not None else (),
        tuple(notes), axes, least, power,
    )  # fmt: skip
