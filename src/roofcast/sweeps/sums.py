"""Forecasts of a workload on the many processors of a space: the model itself, some processors at a time.

A design space is columns of processors (:meth:`roofcast.sweeps.space.Space.columns`): no processor is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
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


CELLS_LEAST = 1 << 17
"""From which on processors that share values are forecast by themselves: a call costs as much as some 20,000 cells."""
ALIKE = ("l2", "sm", "clock")
"""Axes whose value is best shared, in order: with L2's capacity all that caches do is the same, then the waves."""


def parts_alike(space: Space, levels: IntArray, most: int, least: int) -> Iterator[IntArray]:
    """Positions of processors to be forecast together: such as share values, of which kernels then meet one.

    levels : (axes, m). most : processors of a part. least : mean size of what shares values, else fewer of them count.
    """
    m, keys = levels.shape[1], [a.key for a in space.axes]
    places = [keys.index(key) for key in ALIKE if key in keys]
    order, ends = np.arange(m), [m]
    for count in range(len(places), 0, -1):
        several = places[:count]
        number = np.ravel_multi_index([levels[i] for i in several], [space.shape[i] for i in several])
        sizes = np.unique(number, return_counts=True)[1]
        if m >= least * len(sizes):
            order, ends = np.argsort(number, kind="stable"), np.cumsum(sizes).tolist()
            break
    for start, end in pairwise([0, *ends]):
        yield from np.array_split(order[start:end], max(1, -(-(end - start) // most)))


def add_up(work: Workload, space: Space, levels: IntArray, every: Every | None = None) -> Totals:
    """Weighted sums over all kernels for each processor, and each kernel's best.

    levels : (axes, m). every : time, low and high, (n, m) each, filled with every forecast; NaN where there is none.
    """
    n, m = len(work), levels.shape[1]
    sums = np.zeros((3, m))
    best, best_at = np.full(n, np.inf), np.full(n, -1, dtype=np.intp)
    known = np.isfinite(work.at_base.factor)
    weights = np.where(known, work.weights, 0.0)[:, None]
    whole = known.all()
    for part in parts_alike(space, levels, max(1, CELLS // max(n, 1)), max(1, CELLS_LEAST // max(n, 1))):
        estimate = work.estimate(space.columns(levels[:, part]))
        for i, values in enumerate((estimate.time_s, estimate.time_low_s, estimate.time_high_s)):
            sums[i, part] = (weights * (values if whole else np.where(known[:, None], values, 0.0))).sum(axis=0)
            if every is not None:
                every[i][:, part] = values
        filled = np.where(np.isnan(estimate.time_s), np.inf, estimate.time_s)
        at = filled.argmin(axis=1)
        least = filled[np.arange(n), at]
        at = part[at]
        better = (least < best) | ((least == best) & (at < best_at))
        best, best_at = np.where(better, least, best), np.where(better, at, best_at)
    return Totals(sums[0], sums[1], sums[2], best, best_at)
