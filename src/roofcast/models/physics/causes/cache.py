r"""What the last cache before DRAM keeps of a stated working set.

.. math:: \tau_{DRAM} = \frac{V_{DRAM}}{P_{DRAM}} + \frac{V_{LLC}}{P_{LLC}}

V_DRAM : B that DRAM serves. V_LLC : B that a cache between L2 and DRAM serves (AMD's Infinity Cache). P : B/s.

**Counted bytes** V_s of the profiled GPU, with a working set w and capacities C_s and C_t of the last caches:

.. math:: V_t = V_c + (V_s - V_c) \frac{M_t}{M_s} \ (C_t \ge C_s), \qquad
    V_t = V_s + (V_{L2} - V_s) \left(1 - \frac{1 - M_t}{1 - M_s}\right) \ (C_t < C_s), \qquad M = \frac{w}{w + C}

V_c = min(w, V_s) : compulsory, a cache of any size fetches it once. V_L2 : B that L2 was asked for, the most that may
go to DRAM. M : share of the repeated requests that miss; its form is that of requests spread evenly over sets of all
sizes around w, and it gives every w a time of its own. What counts as a miss scales the latency likewise.

**Bytes of the algorithm** V: of a working set w below V the rest are repeats, of which the cache serves what it holds,

.. math:: V_{DRAM} = \min(V, w) + m \max(V - w, 0) \ \text{(cold)}, \qquad V_{DRAM} = m V \ \text{(warm)}, \qquad
    m = \mathrm{clip}((w / C - 0.9) / 0.3, 0, 1)

and with the capacity of L2 alone the share that goes beyond it.

Reason: a cyclic sweep over more than the capacity of a cache that replaces what was used longest ago misses always;
the ramp is the spread of real replacement around it. Counted DRAM bytes have it in them, as long as the run finds the
caches as the profile found them. Where it does not (``--cache``), they change by

.. math:: V_{warm} = m(w) \, (V_{cold} + D), \qquad D = \min(\delta C_s, \, V_w), \qquad V_{cold} = \max(V_{warm}, w)

D : B of lines that the run before left dirty: a flushed run ends before its last writes leave the cache, a run among
others writes back those of the one before it. delta : 0.3, share of the profiled cache that stays dirty (FDTD-2D and
GELU of an H100 and an H200: 0.17 to 0.42). V_w : B that the kernel writes, as DRAM counted them; where reads and writes
were not told apart, the bytes of L2 beyond those that DRAM's own reads take there, which are the most. From flushed
caches every byte of the working set comes from DRAM once, so that counted bytes with D are the most that w can be where
it is not stated. The other way round w must be stated. An L2 of two partitions keeps what SMs of both sides read twice:
C counts as 0.7 of it (an array of 0.70 of an H200's L2 is read again at 1.3 times the rate of DRAM, one of 0.84 of an
H100's at 1.0, weights of 0.65 of it at 1.4).

Counted bytes without a stated working set stay as they are: laws of the sectors' use and of the resident threads made
unseen programs worse, and even the target's own counted bytes in their place gain 0.3 points (docs/causes.md).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns, Machines, last_capacity_bytes
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values, or_zero
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import CACHES, Inputs, rows_of

FULL_AT, RAMP = 0.9, 0.3
"""Working set over capacity up to which a cache keeps all of it, and over how much more it loses the rest."""


def miss_fraction(working_set_bytes: Values, capacity_bytes: Values) -> FloatArray:
    """Share m of a repeated, streamed working set that a cache cannot keep (the equation above).

    working_set_bytes : (...) B. w. capacity_bytes : (...) B. C, > 0. NaN where one of them is unknown.

    >>> miss_fraction(np.array([0.5e6, 1.05e6, 4e6]), 1e6).round(2).tolist()
    [0.0, 0.5, 1.0]
    """
    with quietly():  # a GPU without such a cache has 0 B of it
        return np.clip((np.divide(working_set_bytes, capacity_bytes) - FULL_AT) / RAMP, 0.0, 1.0)


def keeps_some(working_set_bytes: Values, capacity_bytes: Values) -> NDArray[np.bool_]:
    """Whether a cache keeps a part of a repeated working set: m < 1."""
    return np.less(working_set_bytes, np.multiply(FULL_AT + RAMP, capacity_bytes))


def llc_fraction(working_set_bytes: FloatArray, warm: FloatArray, dram: FloatArray, machines: Machines) -> FloatArray:
    """Share of the bytes asked for that a cache behind L2 serves (AMD's Infinity Cache), in [0, 1].

    working_set_bytes, warm : (n, 1). dram : share that DRAM serves. Without such a cache, and cold: 0.
    """
    l2 = machines.gather(l2_before_another)
    beyond_l2 = np.where(warm > 0, or_zero(miss_fraction(working_set_bytes, l2)), 0.0)
    return np.asarray(np.maximum(beyond_l2 - dram, 0.0))


def l2_before_another(p: Columns) -> FloatArray:
    """B of L2 where another cache stands between it and DRAM; NaN elsewhere."""
    return np.where(p.number("capacity_bytes_llc") > 0, p.number("capacity_bytes_l2"), np.nan)


KEPT_TWICE = 0.7
"""Share of an L2 of two partitions that different bytes can fill."""
LEFT_DIRTY = 0.3
"""delta: share of the cache that a kernel's last writes fill when it ends."""
PASSES_OF_READS = 1.5
"""Bytes that L2 counts for one that DRAM reads, where half of the requests cross to the other partition."""


def held_bytes(p: Columns) -> FloatArray:
    """(p,) B of different data that the last cache before DRAM holds."""
    twice = (p.number("l2_partitions") > 1) & ~(p.number("capacity_bytes_llc") > 0)
    return last_capacity_bytes(p) * np.where(twice, KEPT_TWICE, 1.0)


def dirty_bytes(k: Kernels) -> FloatArray:
    """(n, 1) D: B that the run before left to be written back (equation above)."""
    counted, through = (k.amounts.get(r)[:, None] for r in (Resource.BYTES_DRAM, Resource.BYTES_L2))
    written = counted * k.amounts.bytes_dram_write_fraction[:, None]
    beyond = np.fmax(through / PASSES_OF_READS - counted, 0.0)
    return or_zero(np.fmin(LEFT_DIRTY * k.capacity_profiled_bytes, np.where(np.isnan(written), beyond, written)))


def moved_fraction(k: Kernels, machines: Machines) -> FloatArray:
    """DRAM bytes of a run over the counted ones, where it finds other caches than the profile did (equation above).

    1 where nothing tells the working set, and where the caches are the profile's.
    """
    counted = k.amounts.get(Resource.BYTES_DRAM)[:, None]
    known = k.working_set_bytes > 0
    dirty = dirty_bytes(k)
    touched = np.where(known, k.working_set_bytes, counted + dirty)
    with quietly():
        warmed = miss_fraction(touched, machines.gather(held_bytes)) * (1.0 + dirty / counted)
        warmed = warmed if np.isfinite(warmed).all() else np.nan_to_num(warmed, nan=1.0)
        cooled = np.where(known & (counted > 0), np.fmax(k.working_set_bytes / counted, 1.0), 1.0)
    to_warm = k.caches_moved > 0
    return warmed if to_warm.all() else np.where(to_warm, warmed, np.where(k.caches_moved < 0, cooled, 1.0))


def kept_fraction(k: Kernels, machines: Machines) -> FloatArray:
    """V_t / V_s of counted bytes with a stated working set (equation above); 1 where none is stated."""
    counted, through = (k.amounts.get(r)[:, None] for r in (Resource.BYTES_DRAM, Resource.BYTES_L2))
    n, rows = len(counted), np.flatnonzero(k.working_set_bytes[:, 0] > 0)
    if not len(rows):
        return np.ones((1, 1))
    w, counted, through, here, there = (
        rows_of(v, rows, n)
        for v in (
            k.working_set_bytes, counted, through, k.capacity_profiled_bytes, machines.gather(last_capacity_bytes),
        )
    )  # fmt: skip
    with quietly():
        misses = [w / (w + c) for c in (here, there)]
        once = np.fmin(w, counted)
        fewer = once + (counted - once) * misses[1] / misses[0]
        more = counted + np.fmax(through - counted, 0.0) * (1.0 - (1.0 - misses[1]) / (1.0 - misses[0]))
        moved_ratio = np.where(there >= here, fewer, more) / counted
    result = np.ones((n, moved_ratio.shape[1]))
    result[rows] = np.where(moved_ratio > 0, moved_ratio, 1.0)
    return result


def asked_fraction(k: Kernels, machines: Machines) -> FloatArray:
    """V_DRAM / V of the algorithm's bytes (equation above); 1 where no working set is stated."""
    if np.isnan(k.working_set_bytes).all():
        return np.ones((1, 1))
    cold = np.fmin(k.working_set_bytes / k.amounts.get(Resource.BYTES_DRAM)[:, None], 1.0)
    missed = miss_fraction(k.working_set_bytes, machines.gather(held_bytes))
    moved_ratio = np.where(k.warm > 0, missed, cold + (1.0 - cold) * missed)
    return np.where(np.isnan(moved_ratio), 1.0, moved_ratio)


def served_by_dram(k: Kernels, machines: Machines) -> FloatArray:
    """Bytes that DRAM serves on a GPU over the bytes that are known: counted ones, or the algorithm's."""
    counted, found_others = k.bytes_counted > 0, k.caches_moved != 0
    moved = np.ones((1, 1))
    if counted.any():
        moved = moved_fraction(k, machines) if found_others.any() else moved
        if not found_others.all():
            moved = np.where(found_others, moved, kept_fraction(k, machines))
        if counted.all():
            return moved
    with quietly():
        asked = asked_fraction(k, machines)
    return np.where(counted, moved, asked)


def serve_from_caches(side: Side, read: Inputs) -> Side:
    """The side with the shares that its caches serve."""
    k, served = read.k, served_by_dram(read.k, side.machines)
    counted = k.bytes_counted > 0
    behind_l2: FloatArray = np.zeros((1, 1))
    if not counted.all() and (k.warm > 0).any():
        behind_l2 = np.where(counted, 0.0, llc_fraction(k.working_set_bytes, k.warm, served, side.machines))
    missed = served if counted.all() else np.where(counted, served, 1.0)
    return replace(side, dram_share=served, llc_share=behind_l2, missed=missed)


CAUSE = Cause(
    name="cache",
    sentence="L2 capacity against the working set",
    when="the working set is stated, or the run finds other caches",
    corrects="data that only one GPU's cache holds",
    taught_by="micro16; decode attention of llm_ops",
    acts=(at(CACHES, serve_from_caches),),
    properties=(Property.L2_CAPACITY,),
)
