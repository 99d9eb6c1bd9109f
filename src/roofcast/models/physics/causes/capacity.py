r"""Scattered accesses hit L2 by its share of what they touch.

.. math:: Q_s / Q_t \to Q_s / Q_t \, M^{v}, \quad M = \frac{1 - \min(h c, \max(h, 0.9))}{1 - h}

Q : random accesses per second (:mod:`roofcast.models.physics.causes.random_dram`). M : 1, misses of L2 on the target
over the source's. h : 1, hit rate on the source, at most 0.95 counts. c : 1, capacity of L2, target over source. v : 1,
share of the scattered seconds that goes beyond L2.

Reason: a uniformly random access hits by the share of the data that the cache holds (independent reference model, e.g.
A. Dan, D. Towsley, SIGMETRICS 1990).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.waterfall import Cause as Step
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.stages import SCATTERED, Scale, Scattered

HIT_MOST = 0.9
"""Hit rate that scattered accesses do not exceed: cold misses remain."""


def scattered_miss_ratio(hit_fraction: Values, capacity_ratio: Values) -> FloatArray:
    """L2 misses M on the target over the source's, for accesses scattered over more than either cache holds.

    hit_fraction : (...) 1. h on the source. capacity_ratio : (...) 1. c, target over source.
    scatter's reads of 80 MB hit 7 % on an A10 (6 MB) and 57 % on an A100 (40 MB): predicted 47 %.

    >>> scattered_miss_ratio(np.array([0.1, 0.5]), np.array([5.0, 0.5])).round(3).tolist()
    [0.556, 1.5]
    """
    h = np.clip(np.nan_to_num(np.asarray(hit_fraction, dtype=np.float64), nan=0.0), 0.0, 0.95)
    there = np.minimum(h * np.asarray(capacity_ratio), np.maximum(h, HIT_MOST))
    return np.asarray((1.0 - there) / (1.0 - h))


def hit_by_capacity(found: Scattered, s: Scale) -> Scattered:
    """Scattered accesses with the misses that the target's L2 leaves of them."""
    if not found.missing.any():
        return found
    here, there = (side.machines.gather("capacity_bytes_l2") for side in (s.pair.source, s.pair.target))
    missed = scattered_miss_ratio(s.pair.k.l2_hit_fraction, np.nan_to_num(there / here, nan=1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        of_share = np.clip(np.nan_to_num(found.missing / found.share), 0.0, 1.0)
    return replace(found, ratio=found.ratio * np.power(missed, of_share))


CAUSE = Cause(
    name="capacity",
    sentence="scattered accesses hit L2 by its share of what they touch",
    when="scattered accesses or atomics go beyond L2 (random_dram is on)",
    corrects="hash tables and graphs that a larger L2 holds more of",
    taught_by="scatter of HeCBench on A10 and A100; hecbench_ncu 13.6 to 13.4 %",
    acts=(at(SCATTERED, hit_by_capacity),),
    steps=(Step.L2_CAPACITY,),
)
