r"""Scattered accesses hit L2 by its share of what they touch.

.. math:: \frac{Q_s}{Q_t} \to \frac{Q_s}{Q_t} \, M, \qquad M = \frac{1 - \min(h' c, \max(h', 0.8))}{1 - h'}, \qquad
    h' = h \, \mathrm{clip}\left(\frac{0.5 - h}{0.2}, 0, 1\right)

Q : random accesses per second (:mod:`roofcast.models.physics.causes.random_dram`). M : 1, misses of L2 on the target
over the source's; of a stated working set what its own cause says. h : 1, hit rate of L2 on the source. c : 1, capacity
of L2, target over source.

Reason: a uniformly random access hits by the share of the data that the cache holds (independent reference model, e.g.
A. Dan, D. Towsley, SIGMETRICS 1990). Where most accesses hit, neighbours do, which any cache holds.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.properties import Property
from roofcast.formulas.values import Values, or_zero
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.stages import SCATTERED, Scale

HIT_MOST = 0.8
"""Hit rate that scattered accesses do not exceed, as cold misses remain: scatter's 40 MB hit 73 % in 40 MB."""
BY_CAPACITY = (0.3, 0.5)
"""Up to the first hit rate all hits are those of random accesses, above the second none: code that streams through as
much as it reads and writes has half, as whole sectors are written into L2."""


def scattered_miss_ratio(hit_fraction: Values, capacity_ratio: Values) -> FloatArray:
    """L2 misses M on the target over the source's, for accesses scattered over more than either cache holds.

    hit_fraction : (...) 1. h on the source; NaN gives 1. capacity_ratio : (...) 1. c, target over source.
    scatter's atomics on 40 MB hit 6.6 % on an A10 (6 MB) and 73 % on an A100 (40 MB): here 44 %.

    >>> scattered_miss_ratio(np.array([0.1, 0.2, 0.7]), np.array([5.0, 0.5, 5.0])).round(3).tolist()
    [0.556, 1.125, 1.0]
    """
    h, (low, high) = or_zero(np.asarray(hit_fraction, dtype=np.float64)), BY_CAPACITY
    h = np.clip(h, 0.0, 1.0) * np.clip((high - h) / (high - low), 0.0, 1.0)
    there = np.minimum(h * np.asarray(capacity_ratio), np.maximum(h, HIT_MOST))
    return np.asarray((1.0 - there) / (1.0 - h))


def hit_by_capacity(ratio: FloatArray, s: Scale) -> FloatArray:
    """(n, m) random accesses per second, source over target, with the misses that the target's L2 leaves."""
    k, here, there = s.pair.k, s.pair.source, s.pair.target
    sizes = there.machines.gather("capacity_bytes_l2") / here.machines.gather("capacity_bytes_l2")
    missed = scattered_miss_ratio(k.l2_hit_fraction, np.nan_to_num(sizes, nan=1.0))
    return np.asarray(ratio * np.where(k.working_set_bytes > 0, there.missed / here.missed, missed))


CAUSE = Cause(
    name="capacity",
    sentence="scattered accesses hit L2 by its share of what they touch",
    when="random_dram applies and less than half of the accesses hit L2",
    corrects="scattered accesses that a larger L2 holds more of",
    taught_by="scatter, rainflow, linearprobing, particle-diffusion and compute-score of HeCBench on four GPUs",
    acts=(at(SCATTERED, hit_by_capacity),),
    properties=(Property.L2_CAPACITY,),
)
