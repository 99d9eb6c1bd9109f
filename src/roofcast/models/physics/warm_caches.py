"""Intervals that hold the run with warm caches, where the profiler flushed those it found.

Counted bytes are those of flushed caches; the application may leave them warm, and nobody knows. Only where a target's
cache holds some of what a kernel touches, or the profile states how much that is, is there another forecast.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, last_capacity_bytes
from roofcast.core.resource import Resource
from roofcast.core.results import PRODUCTION, Conditions
from roofcast.formulas.values import or_zero
from roofcast.models.physics.causes.cache import miss_fraction
from roofcast.models.physics.kernel_inputs import bytes_counted, in_state, touched_bytes


def hold_both(
    cells: NDArray[np.bool_], low_s: FloatArray, high_s: FloatArray, warm_low_s: FloatArray, warm_high_s: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """(n, m) s, the ends of intervals that hold both runs in some cells, and one elsewhere."""
    low, high = np.fmin(low_s, warm_low_s), np.fmax(high_s, warm_high_s)
    return (low, high) if cells.all() else (np.where(cells, low, low_s), np.where(cells, high, high_s))


def find_warm(kernels: KernelTable, conditions: Conditions, targets: Machines) -> NDArray[np.bool_] | None:
    """(n, 1) kernels that may find warm caches on the targets; None where that changes no forecast."""
    rows = may_be_warm(kernels, conditions, targets.columns)
    if not rows.any():
        return None
    largest = np.nanmax(targets.gather(last_capacity_bytes), initial=0.0)
    kept = miss_fraction(bytes_to_keep(kernels)[rows], largest) < 1.0
    if not kept.any() and not (touched_bytes(kernels)[rows] > 0).any():
        return None
    return np.asarray(rows[:, None])


def may_be_warm(kernels: KernelTable, conditions: Conditions, *processors: Columns) -> NDArray[np.bool_]:
    """(n,) kernels whose caches were flushed, which the application need not do, and that a cache could serve."""
    free = conditions.named == PRODUCTION and conditions.cache == "auto"
    flushed = in_state(kernels, "cold") > 0
    if not free or not flushed.any():
        return np.zeros(len(kernels), np.bool_)
    largest = max(float(or_zero(p.quantity(last_capacity_bytes)).max(initial=1.0)) for p in processors)
    with np.errstate(invalid="ignore"):
        return np.asarray(flushed & bytes_counted(kernels) & (miss_fraction(bytes_to_keep(kernels), largest) < 1.0))


def bytes_to_keep(kernels: KernelTable) -> FloatArray:
    """(n,) B that a cache must hold to serve a kernel: what it touches, else what it fetched."""
    touched = touched_bytes(kernels)
    return np.where(touched > 0, touched, kernels.column(Resource.BYTES_DRAM.value))
