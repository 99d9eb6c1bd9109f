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


def find_warm(kernels: KernelTable, conditions: Conditions, targets: Machines) -> NDArray[np.intp]:
    """(r,) kernels that may find warm caches on the targets, where that changes their forecasts."""
    rows = may_be_warm(kernels, conditions, targets.columns)
    if rows.any():
        largest = np.nanmax(targets.gather(last_capacity_bytes), initial=0.0)
        rows &= (miss_fraction(bytes_to_keep(kernels), largest) < 1.0) | (touched_bytes(kernels) > 0)
    return np.flatnonzero(rows)


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
