"""Forecasts of a workload on the many processors of a space: the model itself, some processors at a time.

A design space is columns of processors (:meth:`roofcast.sweeps.space.Space.columns`): no processor is made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.sweeps.space import IntArray, Space
from roofcast.sweeps.workload import Workload

CELLS = 1 << 19
"""Kernels x processors at once: some 100 MB, whatever the size of the space."""

Every = tuple[NDArray[np.floating], NDArray[np.floating], NDArray[np.floating]]
"""Time, low and high of every kernel (rows) on every processor."""


@dataclass(frozen=True)
class Totals:
    """Weighted sums over kernels per processor, and each kernel's best processor of them."""

    time_s: FloatArray
    """(m,)"""
    low_s: FloatArray
    high_s: FloatArray
    best_s: FloatArray
    """(n,) s; infinite where there is no forecast."""
    best_at: IntArray
    """(n,) its position; -1 where there is none."""


def add_up(work: Workload, space: Space, levels: IntArray, every: Every | None = None) -> Totals:
    """Weighted sums over all kernels for each processor, and each kernel's best.

    levels : (axes, m). every : time, low and high, (n, m) each, filled with every forecast; NaN where there is none.
    """
    n, m = len(work), levels.shape[1]
    sums = np.zeros((3, m))
    best, best_at = np.full(n, np.inf), np.full(n, -1, dtype=np.intp)
    known = np.isfinite(work.at_base.factor)
    weights = np.where(known, work.weights, 0.0)[:, None]
    length = max(1, CELLS // max(n, 1))
    for start in range(0, m, length):
        part = slice(start, min(start + length, m))
        estimate = work.estimate(space.columns(levels[:, part]))
        for i, values in enumerate((estimate.time_s, estimate.time_low_s, estimate.time_high_s)):
            sums[i, part] = (weights * np.where(known[:, None], values, 0.0)).sum(axis=0)
            if every is not None:
                every[i][:, part] = values
        filled = np.where(np.isnan(estimate.time_s), np.inf, estimate.time_s)
        at = filled.argmin(axis=1)
        least = filled[np.arange(n), at]
        better = least < best
        best, best_at = np.where(better, least, best), np.where(better, at + start, best_at)
    return Totals(sums[0], sums[1], sums[2], best, best_at)
