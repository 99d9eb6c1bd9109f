"""What a GPU offers to a kernel: one side of a forecast, before any cause has touched it."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns, Machines
from roofcast.core.records import dataclass
from roofcast.formulas.occupancy import SmLimits, resident_blocks
from roofcast.formulas.values import Values
from roofcast.models.physics.kernel_inputs import Kernels, number_blocks


@dataclass(frozen=True)
class Side:
    """One side of the forecast; arrays broadcast to (n, m)."""

    machines: Machines
    """At the clocks that the SMs really run at."""
    sm_count: FloatArray
    blocks_per_sm: FloatArray
    """Resident blocks of the kernel; NaN where geometry or limits are unknown."""
    busiest_blocks: FloatArray
    """Blocks of the SM that has most of them, at least 1; NaN counts as 1."""
    waves: FloatArray
    """Waves of blocks one after the other, fractional, at least 1."""
    waves_waiting: FloatArray
    """The same for blocks that wait for latency."""
    fill: FloatArray
    """Share of the SMs' work that the grid can use."""
    dram_share: FloatArray
    """Share of the bytes asked for that DRAM serves."""
    llc_share: FloatArray
    """Share that a cache between L2 and DRAM serves."""
    missed: FloatArray
    """L2 misses over those that were counted: 1 but where the run finds other caches than the profile did."""
    l1_share: FloatArray
    """Share of the requests that L1 answers."""
    l2_hits: FloatArray
    """Hits of L2 over those that were counted."""
    l2_stretch: FloatArray
    """SM cycles that L2 takes for what takes it one at boost."""
    beyond_l2_cycles: FloatArray
    """SM cycles from L2 to DRAM and back."""
    floor_s: FloatArray
    """s that a launch of nothing takes on the device."""


def measure_side(k: Kernels, machines: Machines) -> Side:
    """One side as it is without causes: full SMs, no caches, latencies in cycles of any clock, no floor."""
    sm_count = machines.gather("sm_count")
    held = held_blocks(k, machines)
    with quietly():
        blocks = np.where(held >= 1, held, 1.0)
    ones, none = np.ones((1, 1)), np.zeros((1, 1))
    fractional = waves(k.grid_blocks, sm_count, blocks)
    near = machines.gather("latency_cycles_l2")
    return Side(
        machines=machines,
        sm_count=sm_count,
        blocks_per_sm=np.where(np.isnan(held), np.nan, blocks),
        busiest_blocks=busiest_blocks(k.grid_blocks, sm_count),
        waves=fractional,
        waves_waiting=fractional,
        fill=ones,
        dram_share=ones,
        llc_share=none,
        missed=ones,
        l1_share=none,
        l2_hits=ones,
        l2_stretch=ones,
        beyond_l2_cycles=machines.gather("latency_cycles_dram") - near,
        floor_s=none,
    )


def held_blocks(k: Kernels, machines: Machines) -> FloatArray:
    """(n, m) blocks of each kernel that an SM holds, counted once for each kind of block on each kind of SM."""
    if machines.index.shape[0] != 1 or k.regs_per_thread.shape[1] > 1:
        return resident_blocks(k.block_threads, k.regs_per_thread, k.smem_bytes_per_block, limits_per_sm(machines))[0]
    kind = machines.spread(machines.columns.once("kinds of SM", lambda: number_sms(machines.columns)), -1)[0]
    _, columns, sm_of = np.unique(kind, return_index=True, return_inverse=True)
    _, rows, block_of = np.unique(k.shape[:, 0], return_index=True, return_inverse=True)
    limits = limits_per_sm(machines.cells(machines.index[:, columns], machines.clock_hz))
    blocks = (k.block_threads[rows], k.regs_per_thread[rows], k.smem_bytes_per_block[rows])
    resident = np.broadcast_to(resident_blocks(*blocks, limits)[0], (len(rows), len(columns)))
    return resident.take(sm_of.ravel(), axis=1).take(block_of.ravel(), axis=0)


def number_sms(p: Columns) -> NDArray[np.intp]:
    """(p,) a number for each different set of limits per SM."""
    every = limits_per_sm(Machines(p, np.arange(len(p), dtype=np.intp), np.zeros(())))
    return number_blocks(*(v for f in fields(every) if np.ndim(v := getattr(every, f.name)) == 1))


def limits_per_sm(machines: Machines) -> SmLimits:
    """Limits per SM of each cell's processor."""
    of = machines.gather
    return SmLimits(
        max_blocks=of("max_blocks_per_sm"),
        max_warps=machines.gather(max_warps),
        regs=of("regs_per_sm"),
        smem_bytes=of("smem_per_sm_bytes"),
        warp_size=of("warp_size"),
        reg_granularity=of("reg_alloc_granularity"),
        subpartitions=of("subpartitions_per_sm"),
        smem_granularity_bytes=of("smem_alloc_granularity_bytes"),
        smem_reserved_bytes_per_block=of("smem_reserved_per_block_bytes"),
    )


def max_warps(p: Columns) -> FloatArray:
    """Warps that an SM holds."""
    known = p.number("max_warps_per_sm")
    by_threads = np.floor(p.number("max_threads_per_sm") / p.number("warp_size"))
    return np.where(known > 0, known, np.where(by_threads > 0, by_threads, np.nan))


def busiest_blocks(grid_blocks: FloatArray, sm_count: FloatArray) -> FloatArray:
    r"""Blocks of the SM that has most of them, at least 1.

    .. math:: b = \max(1, W'(n / S))

    grid_blocks : (...) 1. n. sm_count : (...) 1. S. W' : :func:`started_waves`.
    """
    return started_waves(np.fmax(grid_blocks / sm_count, 1.0))


def waves(grid_blocks: Values, sm_count: Values, blocks_per_sm: Values) -> FloatArray:
    r"""Waves of blocks that run one after the other, at least 1.

    .. math:: W = \max(1, n / (S B))

    grid_blocks : (...) 1. n. sm_count : (...) 1. S. blocks_per_sm : (...) 1. B, resident blocks. NaN gives 1.
    Source: counting (fractional: blocks start as others end).

    >>> waves(np.array([100.0, 4320.0]), 108, 10).tolist()
    [1.0, 4.0]
    """
    return np.fmax(np.divide(grid_blocks, np.multiply(sm_count, blocks_per_sm)), 1.0)


SPREAD_OF_BLOCKS = 0.1
"""Share of a wave in which its blocks end one after the other: the next ones start there, not all at once."""


def started_waves(fractional: Values) -> FloatArray:
    r"""Waves that start, the last one counted whole but for what it fits in while the one before it ends.

    .. math:: W' = \lfloor W \rfloor + \min\left(\frac{W - \lfloor W \rfloor}{0.1}, 1\right) \ \text{for}\ W > 1

    fractional : (...) 1. W, from :func:`waves`.
    Source: counting; a block that waits does not end earlier because its SM is half empty, but blocks do not run in
    lock-step either: one more of them finds a place that is just free.

    >>> started_waves(np.array([0.5, 1.0, 1.02, 1.3, 2.0])).round(6).tolist()
    [0.5, 1.0, 1.2, 2.0, 2.0]
    """
    # A hair below a whole number is that number: quotients of counts are not exact.
    w = np.asarray(fractional, dtype=np.float64)
    whole = np.atleast_1d(w + 1e-9)
    np.floor(whole, out=whole)
    begun = w - whole
    begun /= SPREAD_OF_BLOCKS
    np.clip(begun, 0.0, 1.0, out=begun)
    begun += whole
    return begun.reshape(w.shape) if np.min(w, initial=1.0) >= 1.0 else np.where(w > 1.0, begun, w).reshape(w.shape)
