r"""Blocks take time to start, and live for a load at least.

.. math:: C' = (C^4 + \tau^4)^{1/4}, \quad
    \tau = \frac{1}{f} \sqrt{\left(n \max(1, \frac{c}{S})\right)^2 + \left(W (L \, r + l)\right)^2}

C, C' : s, all roofs but DRAM's together. f : Hz, SM clock. n : blocks of the grid. S : SMs. c : ``start_cycles``, SM
cycles from one start on an SM to the next. W : waves of blocks, fractional, 0 where each SM has a block at most. L : SM
cycles of a load from idle DRAM. r : 1, B read from DRAM per thread, at most one. l : ``life_cycles``, what a block
takes beside it: its start, its addresses, its end. Between NVIDIA GPUs since Volta, where DRAM bytes were counted.

Reason: one unit hands out all blocks: the fastest of 440 kernels of HeCBench start 0.96 and 1.04 per clock on A100 and
H100, with one warp a block as with eight. Smaller GPUs are limited by their SMs: 0.69 on the 72 of an A10 and 0.655 on
the 68 of an RTX 3080, one per 104 clocks of each (Kepler's and Maxwell's start one per 50 to 57). The slots of a block
that waits for its only load are lost to others, which short blocks feel on GPUs of much bandwidth.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import is_since_volta
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values, or_zero
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.causes.latency import l2_latency
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.stages import BESIDE, OneSide


def starts_s(sm_count: Values, start_cycles: float, clock_hz: Values) -> FloatArray:
    """Seconds in which a GPU starts one block of many.

    sm_count : (...) 1. S. start_cycles : SM cycles. c. clock_hz : (...) Hz. f.

    >>> [float(starts_s(sms, 104.0, 1e9)) for sms in (52, 104, 132)]
    [2e-09, 1e-09, 1e-09]
    """
    return np.asarray(np.maximum(1.0, start_cycles / np.asarray(sm_count)) / clock_hz)


def loads_of_a_thread(k: Kernels) -> FloatArray:
    """(n, 1) r: B read from DRAM per thread, at most one."""
    read = k.amounts.get(Resource.BYTES_DRAM) * (1.0 - or_zero(k.amounts.bytes_dram_write_fraction))
    with quietly():
        return np.clip(or_zero(read[:, None] / (k.grid_blocks * k.block_threads)), 0.0, 1.0)


def start_blocks(together_s: FloatArray, read: OneSide) -> FloatArray:
    """(n, m) C': the seconds with the blocks' starts and lives.

    Powers of two as products: those of the roofs' norm would take a tenth of a forecast's time.
    """
    (k, c), side = (read.pair.k, read.pair.c), read.side
    alike = [s.machines.gather(is_since_volta) > 0 for s in (read.pair.source, read.pair.target)]
    known = (k.bytes_counted > 0) & (k.grid_blocks > 0) & alike[0] & alike[1]
    if not known.any():
        return together_s
    clock = side.machines.clock_hz
    far = (side.machines.gather(l2_latency) * side.l2_stretch + side.beyond_l2_cycles) / clock
    several = (k.grid_blocks > side.sm_count) & ~np.isnan(side.blocks_per_sm)
    lives = (loads_of_a_thread(k) * or_zero(far) + c.life_cycles / clock) * np.where(several, side.waves, 0.0)
    norm_s: FloatArray = np.square(lives, out=lives)
    norm_s = norm_s + np.square(k.grid_blocks * starts_s(side.sm_count, c.start_cycles, clock))
    np.square(norm_s, out=norm_s)
    norm_s = norm_s + np.square(np.square(together_s))
    np.power(norm_s, 0.25, out=norm_s)
    return norm_s if known.all() else np.where(known, norm_s, together_s)


CAUSE = Cause(
    name="starts",
    sentence="blocks take time to start, and live for a load at least",
    when="DRAM bytes were counted and the grid is known, between NVIDIA GPUs since Volta",
    corrects="launches of many short blocks, which gain little from more SMs or bandwidth",
    taught_by="440 kernels of HeCBench: morphology, conversion, langevin, blockexchange, gaussian",
    acts=(at(BESIDE, start_blocks),),
    properties=(Property.SMS, Property.CLOCK, Property.LATENCY),
    constants=(
        Constant("start_cycles", 104.0, 60.0, 200.0, "SM cycles from one start of a block to the next on an SM"),
        Constant("life_cycles", 300.0, 50.0, 1000.0, "SM cycles of a block beside its first load"),
    ),
)
