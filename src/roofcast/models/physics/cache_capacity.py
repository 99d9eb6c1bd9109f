"""How much of a working set the last cache before DRAM keeps, for kernels whose DRAM traffic was not counted."""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines
from roofcast.formulas.mechanistic_memory import miss_fraction


def dram_fraction(working_set_bytes: FloatArray, warm: FloatArray, machines: Machines) -> FloatArray:
    """Share of the bytes asked for that DRAM serves, in [0, 1].

    working_set_bytes : (n, 1) B that repeated runs touch. warm : (n, 1) 1 where the caches hold the last run's data.
    machines : broadcasts with them. Cold caches, an unknown working set or an unknown capacity: 1.
    """
    capacity = machines.gather(lambda p: max(p.capacity_bytes_l2 or 0, p.capacity_bytes_llc or 0) or None)
    share = miss_fraction(working_set_bytes, capacity)
    return np.asarray(np.where((warm > 0) & ~np.isnan(share), share, 1.0))


def llc_fraction(working_set_bytes: FloatArray, warm: FloatArray, machines: Machines) -> FloatArray:
    """Share of the bytes asked for that a cache behind L2 serves (AMD's Infinity Cache), in [0, 1].

    Arguments as of :func:`dram_fraction`. Without such a cache, and cold: 0.
    """
    l2 = machines.gather(lambda p: p.capacity_bytes_l2 if p.capacity_bytes_llc else None)
    beyond_l2 = np.where(warm > 0, np.nan_to_num(miss_fraction(working_set_bytes, l2)), 0.0)
    return np.asarray(np.maximum(beyond_l2 - dram_fraction(working_set_bytes, warm, machines), 0.0))
