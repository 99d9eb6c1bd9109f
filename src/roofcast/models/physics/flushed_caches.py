"""Intervals that hold the run with flushed caches as well, where production is forecast from such a profile.

A run in production finds what the launches before it left (:func:`roofcast.models.physics.kernel_inputs.as_run`). How
much of a kernel's data other kernels have driven out meanwhile nobody knows: at most all of it, as the profiler did.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import KernelTable
from roofcast.core.results import PRODUCTION, Conditions
from roofcast.models.physics.kernel_inputs import is_flushed


def find_flushed(kernels: KernelTable, conditions: Conditions) -> NDArray[np.intp]:
    """(r,) kernels that were counted from flushed caches and are forecast in those of production, as nobody said."""
    return np.flatnonzero(warmed(kernels, conditions)) if conditions.cache == "auto" else np.zeros(0, np.intp)


def warmed(kernels: KernelTable, conditions: Conditions) -> NDArray[np.bool_]:
    """(n,) kernels that were counted from flushed caches and run in warm ones."""
    if conditions.cache == "cold" or (conditions.cache == "auto" and conditions.named != PRODUCTION):
        return np.zeros(len(kernels), np.bool_)
    return is_flushed(kernels)
