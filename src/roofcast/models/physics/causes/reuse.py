r"""Caches hit by the logarithm of what they hold.

.. math:: h' = \min\left(h \left(1 + \rho \ln\frac{C}{C_0}\right), \frac{1 + h}{2}\right)

h, h' : 1, share of the requests that a cache answered where they were counted, and on a side. C_0, C : B, capacity of
that cache there and here: of L1, and of the last cache before DRAM where the kernel moved more DRAM bytes than the
smaller of the two holds (what fits in both hits in both). rho : ``reuse``, 0 for L2 of a stated working set, of which
the cause ``cache`` says more. At least half of the misses stay: data that is read once misses everywhere.

Reason: the bytes between two uses of an address have no scale of their own over many kernels, so that each factor of
capacity finds as many uses again (reuse distances [Mattson1970]). Requests that hit wait for the nearer memory
(:mod:`roofcast.models.physics.causes.latency`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import last_capacity_bytes
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import SIDES, Inputs


def hits_at_capacity(hit_fraction: Values, capacity_ratio: Values, reuse: float) -> FloatArray:
    """Share h' of the requests that a cache of another capacity answers (the equation above); NaN of it gives h.

    hit_fraction : (...) 1. h. capacity_ratio : (...) 1. C / C_0. reuse : 1. rho.

    >>> hits_at_capacity(np.array([0.5, 0.5, 0.96]), np.array([8.0, 0.125, 8.0]), 0.065).round(3).tolist()
    [0.568, 0.432, 0.98]
    """
    h = np.asarray(hit_fraction, dtype=np.float64)
    hits = h * growth_of_hits(capacity_ratio, reuse)
    return np.minimum(hits, (1.0 + h) / 2.0, out=hits if hits.shape else None)


def growth_of_hits(capacity_ratio: Values, reuse: float) -> FloatArray:
    """1 + rho ln(C / C_0), at least 0; 1 where a capacity is unknown."""
    with quietly():
        more = np.log(capacity_ratio)
    return np.maximum(1.0 + reuse * np.where(np.isfinite(more), more, 0.0), 0.0)


def reuse_by_capacity(side: Side, read: Inputs) -> Side:
    """The side with the hits of caches of its size."""
    k, reuse = read.k, read.c.reuse
    hit = np.clip(k.l2_hit_fraction, 0.0, 1.0)
    moved = np.where((k.bytes_counted > 0) & ~(k.working_set_bytes > 0), k.amounts.get(Resource.BYTES_DRAM)[:, None], 0)
    if not (side.l1_share > 0).any() and not ((hit > 0) & (moved > 0)).any():
        return side
    l1 = hits_at_capacity(side.l1_share, side.machines.gather("capacity_bytes_l1") / k.l1_profiled_bytes, reuse)
    here, there = k.capacity_profiled_bytes, side.machines.gather(last_capacity_bytes)
    with quietly():
        # As a product: to choose cell by cell takes ten times as long.
        l2 = (moved > np.minimum(here, there)) * (growth_of_hits(there / here, reuse) - 1.0)
        l2 += 1.0
        # Over the hits that were counted.
        np.minimum(l2, (1.0 + hit) / 2.0 / hit, out=l2)
    return replace(side, l1_share=l1, l2_hits=l2 if (l2 > 0).all() else np.where(l2 > 0, l2, 1.0))


CAUSE = Cause(
    name="reuse",
    sentence="caches hit by the logarithm of what they hold",
    when="hit rates were counted; of L2 where DRAM moved more than the smaller cache holds",
    corrects="kernels that wait for memory, between caches of unlike size",
    taught_by="L1 hit rates of HeCBench on four GPUs, fitted without any time; matrix-rotate, hellinger, perplexity",
    acts=(at(SIDES, reuse_by_capacity),),
    properties=(Property.L2_CAPACITY, Property.L1),
    constants=(
        Constant(
            "reuse", 0.065, 0.02, 0.15,
            "hits that a factor e of capacity adds, over those there: 0.05 to 0.07 in the counters of L1",
        ),
    ),
)  # fmt: skip
