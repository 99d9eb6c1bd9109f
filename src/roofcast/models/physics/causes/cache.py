r"""L2 capacity against the working set: how much of it the last cache before DRAM keeps.

.. math:: m = \mathrm{clip}((w / C - 0.9) / 0.3, 0, 1), \qquad
    \tau_{DRAM} = V \left(\frac{m}{P_{DRAM}} + \frac{\max(m_{L2} - m, 0)}{P_{LLC}}\right)

m : share of the bytes asked for that DRAM serves. w : B, working set that repeated runs touch. C : B, capacity of the
last cache (AMD's Infinity Cache, else L2). m_L2 : the same with the capacity of L2 alone. V : B asked for. P : B/s.

Reason: a cyclic sweep over more than the capacity of a cache that replaces what was used longest ago misses always;
the ramp is the spread of real replacement around it. Counted DRAM bytes have it in them, as long as the run finds the
caches as the profile found them. Where it does not, they change by

.. math:: V_{warm} = m(w) \, V_{cold}, \quad w \le V_{cold}, \qquad V_{cold} = \max(V_{warm}, w)

From flushed caches every byte of the working set comes from DRAM once, so that the counted bytes are its upper bound
where w is not stated; fewer than the cache holds were read once. The other way round w must be stated.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns, Machines, last_capacity_bytes
from roofcast.core.resource import Resource
from roofcast.core.waterfall import Cause as Step
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import SIDES, Inputs


def miss_fraction(working_set_bytes: Values, capacity_bytes: Values) -> FloatArray:
    """Share m of a repeated, streamed working set that a cache cannot keep (the equation above).

    working_set_bytes : (...) B. w. capacity_bytes : (...) B. C, > 0. NaN where one of them is unknown.

    >>> miss_fraction(np.array([0.5e6, 1.05e6, 4e6]), 1e6).round(2).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.clip((np.divide(working_set_bytes, capacity_bytes) - 0.9) / 0.3, 0.0, 1.0)


def dram_fraction(working_set_bytes: FloatArray, warm: FloatArray, machines: Machines) -> FloatArray:
    """Share of the bytes asked for that DRAM serves, in [0, 1].

    working_set_bytes : (n, 1) B that repeated runs touch. warm : (n, 1) 1 where the caches hold the last run's data.
    machines : broadcasts with them. Cold caches, an unknown working set or an unknown capacity: 1.
    """
    capacity = machines.gather(last_capacity_bytes)
    share = miss_fraction(working_set_bytes, capacity)
    return np.asarray(np.where((warm > 0) & ~np.isnan(share), share, 1.0))


def llc_fraction(working_set_bytes: FloatArray, warm: FloatArray, dram: FloatArray, machines: Machines) -> FloatArray:
    """Share of the bytes asked for that a cache behind L2 serves (AMD's Infinity Cache), in [0, 1].

    dram : share that DRAM serves; the other arguments as of :func:`dram_fraction`. Without such a cache, and cold: 0.
    """
    l2 = machines.gather(l2_before_another)
    beyond_l2 = np.where(warm > 0, np.nan_to_num(miss_fraction(working_set_bytes, l2)), 0.0)
    return np.asarray(np.maximum(beyond_l2 - dram, 0.0))


def l2_before_another(p: Columns) -> FloatArray:
    """B of L2 where another cache stands between it and DRAM; NaN elsewhere."""
    return np.where(p.number("capacity_bytes_llc") > 0, p.number("capacity_bytes_l2"), np.nan)


def moved_fraction(k: Kernels, machines: Machines) -> FloatArray:
    """DRAM bytes of a run over the counted ones, where it finds other caches than the profile did (equation above).

    1 where nothing tells the working set, and where the caches are the profile's.
    """
    counted = k.amounts.get(Resource.BYTES_DRAM)[:, None]
    known = k.working_set_bytes > 0
    warmed = dram_fraction(np.where(known, k.working_set_bytes, counted), np.ones_like(k.warm), machines)
    with np.errstate(divide="ignore", invalid="ignore"):
        cooled = np.where(known & (counted > 0), np.fmax(k.working_set_bytes / counted, 1.0), 1.0)
    return np.where(k.caches_moved > 0, warmed, np.where(k.caches_moved < 0, cooled, 1.0))


def serve_from_caches(side: Side, read: Inputs) -> Side:
    """The side with the shares that its caches serve, where DRAM bytes are the algorithm's or of other caches."""
    k, counted = read.k, read.k.bytes_counted > 0
    dram = dram_fraction(k.working_set_bytes, k.warm, side.machines)
    behind_l2 = llc_fraction(k.working_set_bytes, k.warm, dram, side.machines)
    dram, behind_l2 = np.where(counted, 1.0, dram), np.where(counted, 0.0, behind_l2)
    if not k.caches_moved.any():
        return replace(side, dram_share=dram, llc_share=behind_l2)
    moved = moved_fraction(k, side.machines)
    return replace(side, dram_share=np.where(counted, moved, dram), llc_share=behind_l2, missed=moved)


CAUSE = Cause(
    name="cache",
    sentence="L2 capacity against the working set",
    when="DRAM bytes are the algorithm's, the caches warm and the working set known; or counted with other caches",
    corrects="repeated launches whose data stay in one GPU's cache and not in the other's",
    taught_by="micro16 27.8 to 16.7 %; llm_ops 49 to 24 %, decode attention 86 to 33 %",
    acts=(at(SIDES, serve_from_caches),),
    steps=(Step.L2_CAPACITY,),
)
