"""Memory causes of the mechanistic model: cache capacity, latency, scatter.

[Fits] are the project's own cross-validated fits on public measurements (docs/accuracy.md).
"""

from __future__ import annotations

import numpy as np

from roofcast.formulas.values import FloatArray, Values


def miss_fraction(working_set_bytes: Values, capacity_bytes: Values) -> FloatArray:
    r"""Share of a repeated, streamed working set that a cache cannot keep.

    .. math:: m = \mathrm{clip}((w / C - 0.9) / 0.3, 0, 1)

    working_set_bytes : (...) B. w. capacity_bytes : (...) B. C, > 0. NaN where one of them is unknown.
    Source: [Fits] on repeated launches; a cyclic sweep over more than the capacity of a cache with least-recently-used
    replacement misses always, the ramp is the spread of real replacement around it.

    >>> miss_fraction(np.array([0.5e6, 1.05e6, 4e6]), 1e6).round(2).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.clip((np.divide(working_set_bytes, capacity_bytes) - 0.9) / 0.3, 0.0, 1.0)


def memory_latency_cycles(
    l2_hit_fraction: Values, latency_l2_cycles: Values, latency_dram_cycles: Values
) -> FloatArray:
    r"""Mean latency of a request that leaves the SM.

    .. math:: L = h L_{L2} + (1 - h) L_{DRAM}

    l2_hit_fraction : (...) 1. h. latency_l2_cycles, latency_dram_cycles : (...) SM cycles.
    Source: expectation over the two outcomes; latencies are the catalog's measurements by pointer chase.

    >>> float(memory_latency_cycles(0.5, 200.0, 600.0))
    400.0
    """
    h = np.asarray(l2_hit_fraction, dtype=np.float64)
    return np.asarray(h * latency_l2_cycles + (1 - h) * latency_dram_cycles)


def request_latency_cycles(
    l1_hit_fraction: Values, latency_l1_cycles: Values, latency_beyond_cycles: Values
) -> FloatArray:
    r"""Mean latency of any request, those that L1 serves included.

    .. math:: L = h_1 L_{L1} + (1 - h_1) L_{beyond}

    l1_hit_fraction : (...) 1. h_1; NaN counts as none. latency_l1_cycles : (...) SM cycles.
    latency_beyond_cycles : (...) SM cycles, from :func:`memory_latency_cycles`.
    Source: expectation over the two outcomes.

    >>> request_latency_cycles(np.array([0.9, np.nan]), 30.0, 430.0).tolist()
    [70.0, 430.0]
    """
    h = np.clip(np.nan_to_num(np.asarray(l1_hit_fraction, dtype=np.float64), nan=0.0), 0.0, 1.0)
    return np.asarray(h * latency_l1_cycles + (1 - h) * latency_beyond_cycles)


def kept_latency_cycles(latency_cycles: Values, clock_ratio: Values, own_share: Values) -> FloatArray:
    r"""Latency in SM cycles at another clock, where a part of it keeps its own time.

    .. math:: L' = L \,(1 - s + s \min(1, f / f_0))

    latency_cycles : (...) SM cycles at f_0. L. clock_ratio : (...) 1. f / f_0. own_share : (...) 1. s.
    Source: a fixed time is fewer cycles of a slower clock.

    >>> float(kept_latency_cycles(280.0, 0.5, 0.5))
    210.0
    """
    s = np.asarray(own_share, dtype=np.float64)
    return np.asarray(latency_cycles * (1.0 - s + s * np.minimum(clock_ratio, 1.0)))


HIT_MOST = 0.9
"""Hit rate that scattered accesses do not exceed: cold misses remain."""


def scattered_miss_ratio(hit_fraction: Values, capacity_ratio: Values) -> FloatArray:
    r"""L2 misses on the target over the source's for accesses scattered over more than either cache holds.

    .. math:: M = \frac{1 - \min(h c, \max(h, 0.9))}{1 - h}

    hit_fraction : (...) 1. h on the source, at most 0.95 counts. capacity_ratio : (...) 1. c, target over source.
    A uniformly random access hits by the share of the data that the cache holds.
    Source: independent reference model, e.g. A. Dan, D. Towsley, SIGMETRICS 1990; scatter's reads of 80 MB hit 7 % on
    an A10 (6 MB) and 57 % on an A100 (40 MB): predicted 47 %.

    >>> scattered_miss_ratio(np.array([0.1, 0.5]), np.array([5.0, 0.5])).round(3).tolist()
    [0.556, 1.5]
    """
    h = np.clip(np.nan_to_num(np.asarray(hit_fraction, dtype=np.float64), nan=0.0), 0.0, 0.95)
    there = np.minimum(h * np.asarray(capacity_ratio), np.maximum(h, HIT_MOST))
    return np.asarray((1.0 - there) / (1.0 - h))


def sector_excess(bytes_per_sector_load: Values, bytes_per_sector_store: Values) -> FloatArray:
    r"""Bytes that move per byte asked for, half of them loads and half stores.

    .. math:: x = \tfrac{1}{2} (32 / b_l + 32 / b_s)

    bytes_per_sector_load, bytes_per_sector_store : (...) B; NaN counts as 32.
    Source: caches move whole sectors of 32 bytes.

    >>> float(sector_excess(32.0, 4.0)), float(sector_excess(np.nan, np.nan))
    (4.5, 1.0)
    """
    load, store = (
        np.nan_to_num(32.0 / np.asarray(b, dtype=np.float64), nan=1.0, posinf=1.0)
        for b in (bytes_per_sector_load, bytes_per_sector_store)
    )
    return np.asarray(0.5 * (load + store))


def lone_sector_fraction(bytes_per_sector: Values) -> FloatArray:
    r"""Share of the bytes of global loads that come along unused: sectors of which little is wanted.

    .. math:: s = 1 - b / 32

    bytes_per_sector : (...) B. b, useful bytes per 32-byte sector, in (0, 32].
    Source: sectors as in NVIDIA's Nsight Compute memory tables.

    >>> lone_sector_fraction(np.array([32.0, 8.0])).tolist()
    [0.0, 0.75]
    """
    return np.asarray(1.0 - np.clip(np.asarray(bytes_per_sector, dtype=np.float64) / 32.0, 0.0, 1.0))


def partial_write_fraction(l2_hit_fraction: Values, write_fraction: Values) -> FloatArray:
    r"""Share of the writes that must first fetch what they change: scattered stores and atomics.

    .. math:: s = 1 - \min(1, h / w)

    l2_hit_fraction : (...) 1. h. write_fraction : (...) 1. w, share of DRAM bytes that are writes.
    Source: writes of whole sectors hit in L2 by definition, so a hit rate below the write share shows partial ones.
    Below a tenth of writes the comparison says nothing: 0.

    >>> partial_write_fraction(np.array([0.5, 0.1, 0.0]), np.array([0.4, 0.4, 0.0])).tolist()
    [0.0, 0.75, 0.0]
    """
    w = np.asarray(write_fraction, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = np.where(w >= 0.1, np.clip(l2_hit_fraction / w, 0.0, 1.0), 1.0)
    return np.asarray(1.0 - hit)


def random_dram_fraction(dram_share: Values, lone: Values, partial: Values, stall: Values) -> FloatArray:
    r"""Share of the unexplained time that follows the rate of random DRAM accesses.

    .. math:: u = m \, \max(d \, s_{lone}, \min(1, d / 0.2) \, s_{partial})

    dram_share : (...) 1. d, seconds of the DRAM roof over seconds measured. lone, partial : (...) 1, see above.
    stall : (...) 1. m, share of the warps' time spent waiting for memory.
    Source: [Fits]: partial writes turn DRAM around for each access, so that they rule from little traffic on.

    >>> random_dram_fraction(np.array([0.25, 0.25]), [1.0, 0.0], [0.0, 1.0], 0.8).tolist()
    [0.2, 0.8]
    """
    d = np.clip(np.asarray(dram_share, dtype=np.float64), 0.0, 1.0)
    rule = np.maximum(d * np.asarray(lone), np.minimum(1.0, d / 0.2) * np.asarray(partial))
    return np.asarray(rule * np.asarray(stall))
