"""A sweep with everything that is said about it: what the reports show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roofcast.analyses.sweeps.chunks import base_seconds
from roofcast.analyses.sweeps.reductions import Summary
from roofcast.analyses.sweeps.sensitivity import (
    Change,
    Elasticity,
    Indices,
    elasticities,
    limits_over,
    smallest_changes,
    sobol_indices,
)
from roofcast.analyses.sweeps.space import Space
from roofcast.analyses.sweeps.workload import Workload
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import columns_of
from roofcast.kit.quantities import format_percent


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
    indices: Indices | None
    notes: tuple[str, ...]

    def values(self, number: int) -> FloatArray:
        """(axes,) the values of a processor."""
        levels = self.space.levels_of(number, number + 1)[:, 0]
        return np.array([a.levels[i] for a, i in zip(self.space.axes, levels.tolist(), strict=True)])


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


def study(work: Workload, space: Space, summary: Summary, *, sensitivity: bool = False) -> Study:
    """What belongs to a sweep beside its reductions.

    sensitivity : also Sobol indices, which take a further few thousand processors.
    """
    base = base_seconds(work, space)
    notes = []
    missing = int((~np.isfinite(summary.best_s) & (work.weights > 0)).sum())
    if missing:
        notes.append(f"{missing} of {len(work)} kernels cannot be forecast and are left out")
    told = residual_note(work, space, base[0])
    notes += [told] if told else []
    if any(a.key == "power_cap" for a in space.axes):
        notes.append("power_cap moves the boost clock by (cap / board power)^(1/3) below the board's power (assumed)")
    return Study(
        work, space, summary, base, tuple(elasticities(work, space)), limits_over(work, space),
        tuple(smallest_changes(work, space)) if space.goal is not None else (),
        sobol_indices(work, space) if sensitivity else None, tuple(notes),
    )  # fmt: skip
