"""The SM clock that most launches of a file share: by it a lock shows in files that do not say whether one was set.

A locked clock holds for all launches, however long: they stand within the jitter of the counter around one clock. Free
clocks follow each kernel's power; single ones may stand anywhere, at the base clock too.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable

COLUMN = "clock_hz_common"
JITTER = 0.005
"""1; launches at one clock were recorded within this share of each other."""
LAUNCHES_LEAST = 3
"""Launches that must share a clock; of a file with fewer all."""


def with_common_clock(kernels: KernelTable) -> KernelTable:
    """The rows of a file with the clock that most launches of their GPU share; as they are where all is said."""
    clock = kernels.column("clock_hz")
    silent = kernels.strings("clock_control") == ""
    if COLUMN in kernels.numeric or not (silent & (clock > 0)).any():
        return kernels
    common = np.full(len(kernels), np.nan)
    names, gpu = np.unique(kernels.strings("gpu").astype(str), return_inverse=True)
    for i in range(len(names)):
        common[gpu == i] = common_clock(clock[gpu == i])
    clocked = kernels.with_columns(**{COLUMN: (common, Origin.DERIVED)})
    return dataclasses.replace(kernels, numeric=clocked.numeric, origin=clocked.origin)


def common_clock(clock_hz: FloatArray) -> float:
    """Hz, middle of the clocks that most launches share; the lowest of several such, NaN where too few share one.

    >>> common_clock(np.array([1.590e9, 1.592e9, 1.98e9, 1.591e9, np.nan]))
    1591000000.0
    >>> common_clock(np.array([1.59e9, 1.71e9, 1.98e9]))
    nan
    """
    known = np.sort(clock_hz[clock_hz > 0])
    if not len(known):
        return float("nan")
    first = np.searchsorted(known, known * (1 - JITTER), "left")
    last = np.searchsorted(known, known * (1 + JITTER), "right")
    count = last - first
    most = int(np.argmax(count))
    if count[most] < min(LAUNCHES_LEAST, len(known)):
        return float("nan")
    return float(np.median(known[first[most] : last[most]]))
