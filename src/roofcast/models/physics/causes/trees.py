r"""Blocks that join a value per thread wait for their steps.

.. math:: \tau = W \,(L + 150 \log_2 n) / f

tau : s, joins the norm of the roofs. W : waves of blocks, fractional. L : SM cycles to load a value from DRAM. n :
threads of a block. f : Hz, SM clock. 150 : SM cycles of a step.

Reason: each step of a block's tree waits for the one before. Kernels that keep as many values in shared memory as they
have threads do that ([Harris2007]: log2(n) steps with a barrier each); counted kernels show their barriers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.properties import Property
from roofcast.formulas.values import Values, or_zero
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.kernel_inputs import CONSISTENT, Kernels
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import BLOCKS, OneSide, Pair

STEP_CYCLES = 150.0
"""Cycles of one step of a block's tree: two loads from shared memory, an addition, a store and a barrier among full
SMs. Sums of 256 values a block take 1,700 to 1,840 cycles a wave on an RTX 2080 Ti, a Titan V and an RTX 4070."""

VALUE_BYTES = (4.0, 8.0)
"""Shared memory per thread of blocks that join a value of each thread: FP32 or FP64."""


def tree_s(waves_run: Values, block_threads: Values, latency_dram_cycles: Values, clock_hz: Values) -> FloatArray:
    """Seconds in which waves of blocks each load a value per thread and join them in pairs (the equation above).

    waves_run : (...) 1. W. block_threads : (...) 1. n. latency_dram_cycles : (...) SM cycles. L.
    clock_hz : (...) Hz. f.

    >>> float(tree_s(2.0, 256.0, 600.0, 1e9))
    3.6e-06
    """
    steps = np.log2(np.asarray(block_threads, dtype=np.float64))
    return np.asarray(np.asarray(waves_run) * (latency_dram_cycles + STEP_CYCLES * steps) / np.asarray(clock_hz))


def wait_for_trees(terms: list[FloatArray], read: OneSide) -> list[FloatArray]:
    """The terms with the seconds of the blocks' trees, where there are any."""
    k = read.pair.k
    if not (joining := joins_values(read.pair)).any():
        return terms
    return [*terms, np.where(joining, or_zero(trees_s(k, read.side)), 0.0)]


def joins_values(pair: Pair) -> NDArray[np.bool_]:
    """(n, 1) kernels whose blocks each join a value per thread, where the source was slow enough for it."""
    k = pair.k
    with quietly():
        held = k.smem_bytes_per_block / k.block_threads
        one_each = (k.bytes_counted == 0) & np.isin(held, VALUE_BYTES) & (k.grid_blocks > pair.source.sm_count)
        return np.asarray(one_each & (trees_s(k, pair.source) <= CONSISTENT * pair.execution_s))


def trees_s(k: Kernels, side: Side) -> FloatArray:
    """(n, m) seconds of the blocks' trees; NaN where geometry or latency is unknown."""
    latency = side.machines.gather("latency_cycles_dram")
    with quietly():
        known = np.where(np.isnan(side.blocks_per_sm), np.nan, side.waves)
        return tree_s(known, k.block_threads, latency, side.machines.clock_hz)


CAUSE = Cause(
    name="trees",
    sentence="blocks that join a value per thread wait for their steps",
    when="4 or 8 bytes of shared memory per thread, more blocks than SMs, nothing counted",
    corrects="reductions in shared memory",
    taught_by="micro16 18.5 to 16.7 %; sums on RTX 2080 Ti, Titan V and RTX 4070",
    acts=(at(BLOCKS, wait_for_trees),),
    properties=(Property.SMS, Property.CLOCK, Property.LATENCY),
)
