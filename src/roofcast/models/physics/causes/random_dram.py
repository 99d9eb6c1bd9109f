r"""Scattered DRAM accesses follow their own rate.

.. math:: s' = s^{1 - u} \Big(\frac{Q_s}{Q_t}\Big)^{u}, \qquad
    u = m \, \max(d \, l, \min(1, d / 0.2) \, w), \qquad Q = P_{DRAM} \cdot \{1.5 \text{ on HBM}, 1 \text{ else}\} / M

s, s' : 1, factor on the unexplained seconds. Q : random accesses per second up to a factor, P_DRAM : B/s. m : 1, share
of the warps' time that they wait for memory. d : 1, share of the source time that DRAM's roof has. l : 1, share of the
bytes of loads that come along unused. w : 1, share of the writes that change a part of a sector only, as hit rates of
L2 show it in one of two ways (:func:`partial_write_fraction`, :func:`lone_store_fraction`). Scattered
atomics count like partial writes: :math:`u = m \, n \sqrt{1 - h} \min(1, d / 0.2)`, n : 1, how many they are, h : hit
rate of L2. M : 1, misses of L2 over those of the source (:func:`scattered_miss_ratio`; of a stated working set what its
own cause says).

Reason: what each access opens alone is limited by channels and banks, of which a stack of HBM has more per byte/s than
GDDR: 80 channels for 1.56 TB/s of HBM2 (A100), 160 for 3.35 of HBM3 (H100) are 51 and 48 per TB/s, 24 for 0.6 of GDDR6
(A10) and 20 for 0.76 of GDDR6X (RTX 3080) 40 and 26 (JEDEC JESD235, JESD238, JESD250). Partial writes turn DRAM around
for each access, so that they rule from little traffic on. Few blocks wait for each access on its own: no bank is busy
with others.
A uniformly random access hits L2 by the share of the data that it holds (independent reference model [Dan1990]). Where
most accesses hit, neighbours do, which any cache holds.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines, has_stacked_memory
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values, or_else, or_zero
from roofcast.models.physics.cause import Cause, Constant, Constants, at
from roofcast.models.physics.causes.atomics import serial_share
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import FOLLOWING, SCATTERED, Factor, Scale, follow, wholly

BUSY_DRAM = 0.2
"""Share of DRAM's rate from which scattered atomics are limited by it."""
WRITES_COUNT = 0.1
"""Share of DRAM's bytes from which writes say how they are made."""
HIT_MOST = 0.8
"""Hit rate that scattered accesses do not exceed, as cold misses remain: scatter's 40 MB hit 73 % in 40 MB."""
BY_CAPACITY = (0.3, 0.5)
"""Up to the first hit rate all hits are those of random accesses, above the second none: code that streams through as
much as it reads and writes has half, as whole sectors are written into L2."""


def lone_sector_fraction(bytes_per_sector: Values) -> FloatArray:
    r"""Share l of the bytes of global loads that come along unused: sectors of which little is wanted.

    .. math:: l = 1 - b / 32

    bytes_per_sector : (...) B. b, useful bytes per 32-byte sector, in (0, 32].
    Source: sectors as in NVIDIA's Nsight Compute memory tables.

    >>> lone_sector_fraction(np.array([32.0, 8.0])).tolist()
    [0.0, 0.75]
    """
    return np.asarray(1.0 - np.clip(np.asarray(bytes_per_sector, dtype=np.float64) / 32.0, 0.0, 1.0))


def partial_write_fraction(l2_hit_fraction: Values, write_fraction: Values) -> FloatArray:
    r"""Share w of the writes that must first fetch what they change: scattered stores and atomics.

    .. math:: w = 1 - \min(1, h / v)

    l2_hit_fraction : (...) 1. h. write_fraction : (...) 1. v, share of DRAM bytes that are writes.
    Source: writes of whole sectors hit in L2 by definition, so a hit rate below the write share shows partial ones.
    Below a tenth of writes the comparison says nothing: 0.

    >>> partial_write_fraction(np.array([0.5, 0.1, 0.0]), np.array([0.4, 0.4, 0.0])).tolist()
    [0.0, 0.75, 0.0]
    """
    w = np.asarray(write_fraction, dtype=np.float64)
    with quietly():
        hit = np.where(w >= 0.1, np.clip(l2_hit_fraction / w, 0.0, 1.0), 1.0)
    return np.asarray(1.0 - hit)


def lone_store_fraction(
    read_bytes: Values, write_bytes: Values, hit: Values, read_hit: Values, write_hit: Values, used_fraction: Values
) -> FloatArray:
    r"""Share w of the stores that reach DRAM alone, each in a sector of which it changes a part.

    .. math:: w = \mathrm{clip}\left(\frac{e - b}{1 - b}, 0, 1\right), \qquad
        e = \frac{V_w}{V_r} \left(\frac{1 - h_r}{\rho} + 1 - h_w\right), \qquad
        \rho = \frac{h - h_r}{h_w - h}

    read_bytes, write_bytes : (...) B. V_r and V_w, of DRAM. hit, read_hit, write_hit : (...) 1. h, h_r and h_w, of L2.
    used_fraction : (...) 1. b, share of a sector that a store changes. e : sectors that DRAM writes for one that a
    store sent to L2. rho : stores over loads at L2, as the three hit rates have it. 0 where one of them is unknown.

    Reason: what L2 holds until a sector is whole is written once, e = b; what it must give away before is written store
    by store, e = 1. DRAM reads what loads miss, and what writes that miss must fetch.

    A thread per address that fills its sector later (quicksort on an RTX 3080), and a transpose whose rows meet in L2:

    >>> lone_store_fraction([67e6, 1e9], [108e6, 1e9], [0.667, 0.78], 0.0, 1.0, [0.4, 0.25]).round(2).tolist()
    [0.67, 0.04]
    """
    h, r, w, b = (np.asarray(v, dtype=np.float64) for v in (hit, read_hit, write_hit, used_fraction))
    with quietly():
        more = np.where((w > r + 0.02) & (h > r), np.fmax(h - r, 0.0) / np.fmax(w - h, 1e-3), np.nan)
        sent = np.divide(write_bytes, read_bytes) * (np.fmax(1.0 - r, 0.01) / more + 1.0 - w)
        lone = np.clip((sent - b) / (1.0 - b), 0.0, 1.0)
    return np.asarray(np.where(b < 0.9, or_zero(lone), 0.0))


def random_dram_fraction(dram_share: Values, lone: Values, partial: Values, stall: Values) -> FloatArray:
    """Share u of the unexplained time that follows the rate of random DRAM accesses (the equation above).

    dram_share : (...) 1. d. lone, partial : (...) 1. l and w. stall : (...) 1. m. Fitted on hecbench_ncu.

    >>> random_dram_fraction(np.array([0.25, 0.25]), [1.0, 0.0], [0.0, 1.0], 0.8).tolist()
    [0.2, 0.8]
    """
    d = np.clip(np.asarray(dram_share, dtype=np.float64), 0.0, 1.0)
    rule = np.maximum(d * np.asarray(lone), np.minimum(1.0, d / 0.2) * np.asarray(partial))
    return np.asarray(rule * np.asarray(stall))


def find_partial_writes(k: Kernels) -> FloatArray:
    """(n, 1) w of kernels: the larger of what the two ways see, as either sees parts of sectors only."""
    written = or_zero(k.amounts.bytes_dram_write_fraction)[:, None]
    hit = np.where(np.isnan(k.l2_hit_fraction), 1.0, np.clip(k.l2_hit_fraction, 0.0, 1.0))
    return np.asarray(np.maximum(partial_write_fraction(hit, written), find_lone_stores(k)))


def find_lone_stores(k: Kernels) -> FloatArray:
    """(n, 1) share of the stores of kernels that reach DRAM alone; next to no writes count for next to nothing."""
    written = or_zero(k.amounts.bytes_dram_write_fraction)[:, None]
    used = np.where(k.bytes_per_sector_store > 0, np.fmin(k.bytes_per_sector_store / 32.0, 1.0), 1.0)
    lone = lone_store_fraction(
        1.0 - written, written, k.l2_hit_fraction, k.l2_read_hit_fraction, k.l2_write_hit_fraction, used
    )
    return np.asarray(lone * np.minimum(1.0, written / WRITES_COUNT))


def scattered_miss_ratio(hit_fraction: Values, capacity_ratio: Values) -> FloatArray:
    r"""L2 misses M on the target over the source's, for accesses scattered over more than either cache holds.

    .. math:: M = \frac{1 - \min(h' c, \max(h', 0.8))}{1 - h'}, \qquad
        h' = h \, \mathrm{clip}\left(\frac{0.5 - h}{0.2}, 0, 1\right)

    hit_fraction : (...) 1. h on the source; NaN gives 1. capacity_ratio : (...) 1. c, target over source.
    scatter's atomics on 40 MB hit 6.6 % on an A10 (6 MB) and 73 % on an A100 (40 MB): here 44 %.

    >>> scattered_miss_ratio(np.array([0.1, 0.2, 0.7]), np.array([5.0, 0.5, 5.0])).round(3).tolist()
    [0.556, 1.125, 1.0]
    """
    h, (low, high) = or_zero(np.asarray(hit_fraction, dtype=np.float64)), BY_CAPACITY
    h = np.clip(h, 0.0, 1.0) * np.clip((high - h) / (high - low), 0.0, 1.0)
    if not (moved := h > 0).any():
        return np.ones_like(h)
    # Of most kernels no hit is one of random accesses.
    rows = moved.any(axis=1) if h.ndim == 2 and h.shape[1] == 1 and not moved.all() else ...
    h, ratio = h[rows], np.asarray(capacity_ratio)
    there = np.minimum(h * (ratio[rows] if ratio.ndim == 2 and len(ratio) > 1 else ratio), np.maximum(h, HIT_MOST))
    miss_ratio = (1.0 - there) / (1.0 - h)
    if rows is ...:
        return np.asarray(miss_ratio)
    result = np.ones((len(moved), miss_ratio.shape[1]))
    result[rows] = miss_ratio
    return result


def miss_by_capacity(k: Kernels, source: Side, target: Side) -> FloatArray:
    """(n, m) M of kernels. Stores that reach DRAM alone hit L2 when they come and leave it all the same."""
    sizes = target.machines.gather("capacity_bytes_l2") / source.machines.gather("capacity_bytes_l2")
    lone = find_lone_stores(k)
    hit = np.where(lone > 0.0, (1.0 - lone) * k.l2_hit_fraction + lone * k.l2_read_hit_fraction, k.l2_hit_fraction)
    missed = scattered_miss_ratio(hit, or_else(sizes, 1.0))
    stated = k.working_set_bytes > 0
    return np.where(stated, target.missed / source.missed, missed) if stated.any() else missed


def random_rate(machines: Machines, c: Constants) -> FloatArray:
    """Q: random accesses per second, up to a factor that all GPUs share."""
    stacked = machines.gather(has_stacked_memory)
    return np.asarray(machines.rate(Resource.BYTES_DRAM) * np.where(stacked > 0, c.random_hbm, 1.0))


def follow_random_rate(factor: Factor, s: Scale) -> Factor:
    """s': the factor with the share that scattered accesses have."""
    if s.roofs_source.get(Resource.BYTES_DRAM) is None or not s.counted.any():
        return factor
    share = s.pair.once("random accesses", lambda: share_of_random_accesses(s))
    if not share.any():
        return factor
    if (s.pair.k.working_set_bytes > 0).any():
        return follow(factor, random_ratio(s), share)
    return follow(factor, s.pair.once("random rates", lambda: wholly(random_ratio(s))), share)


def random_ratio(s: Scale) -> FloatArray:
    """Random accesses that the target needs over its rate, over the same of the source."""
    pair = s.pair
    ratio = random_rate(pair.source.machines, pair.c) / random_rate(pair.target.machines, pair.c)
    ratio = np.where(np.isnan(ratio), 1.0, ratio) * miss_by_capacity(pair.k, pair.source, pair.target)
    return pair.walk.through(SCATTERED, ratio, s)


def share_of_random_accesses(s: Scale) -> FloatArray:
    """(n, 1) u: share of the unexplained seconds that follows the rate of random accesses."""
    k, c, source = s.pair.k, s.pair.c, s.pair.source
    dram = s.roofs_source[Resource.BYTES_DRAM]
    with quietly():
        busy = or_zero(dram / s.pair.execution_s)
    sector = np.where(np.isnan(k.bytes_per_sector), 32.0, k.bytes_per_sector)
    hit = np.where(np.isnan(k.l2_hit_fraction), 1.0, np.clip(k.l2_hit_fraction, 0.0, 1.0))
    partial = find_partial_writes(k)
    share = random_dram_fraction(busy, lone_sector_fraction(sector), partial, s.memory)
    if not np.isnan(k.atomics).all():
        with quietly():
            many = np.clip(or_zero(k.atomics / k.insts_warp) / c.atomic_least, 0.0, 1.0)
        spread = many * (1.0 - k.atomics_in_shared) * (1.0 - serial_share(s)) * s.memory * np.sqrt(1.0 - hit)
        share = np.maximum(share, spread * np.minimum(1.0, busy / BUSY_DRAM))
    with quietly():
        return np.where(s.counted & ~(k.grid_blocks < source.sm_count), share, 0.0)


CAUSE = Cause(
    name="random_dram",
    sentence="scattered DRAM accesses follow their own rate",
    when="stall reasons were counted, as many blocks as SMs, and sectors or writes are partial",
    corrects="gather, scatter, hashing and partitioning between HBM and GDDR, small and large L2",
    taught_by="scatter, rainflow, quicksort, remap and ten more programs of HeCBench; JEDEC's channel counts",
    acts=(at(FOLLOWING, follow_random_rate),),
    properties=(Property.DRAM, Property.L2_CAPACITY),
    constants=(
        Constant("random_hbm", 1.5, 1.0, 3.0, "random accesses per byte/s of an HBM stack over GDDR: more channels"),
    ),
)
