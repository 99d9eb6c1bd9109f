r"""Constant-cache misses follow the SM with most blocks.

.. math:: s' = s^{1 - u} \left(\frac{f_s}{f_t} \frac{b_t}{b_s}\right)^{u} \left(1 - v + v \frac{m_t}{m_s}\right)

s, s' : 1, factor on the unexplained seconds. f : Hz, SM clock. b : blocks of the SM that has most of them. u : 1, share
of the warps' time that they wait for the constant cache. v : 1, the part of u beyond the 2500 SM cycles that a warp
waits at most for constants which nobody has asked for yet. m : 1, what a miss takes: 0.26 on Hopper, 1 elsewhere.

Reason: NVIDIA's CUDA C++ Programming Guide (compute capabilities) has one constant cache in each SM, which all of its
units share: it serves the misses of its own blocks one after the other, so that the busiest SM ends last. fhd of
HeCBench, four fifths of whose time are such misses, takes 1400 to 1570 clocks per block of the busiest SM on A10,
RTX 3080 and A100. Each launch of HeCBench misses its first constants: of 148 kernels whose warps wait 300 to 2000
cycles for them on an A10, the median takes 1.12 of these cycles on an A100 and 0.26 on an H100. What Hopper saves there
in short kernels other waits of the start take; in those that miss all along (fhd, 1.9 million cycles) it remains.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns
from roofcast.core.properties import Property
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.stages import FOLLOWING, Factor, Follows, Pair, Scale, follow, wholly

MISS_OF_HOPPER = 0.26
"""Cycles of a miss over those on Ampere: stall reasons of 148 kernels of HeCBench, none of which misses all along."""

COLD_CYCLES = 2500.0
"""What a warp waits at most for first misses: 2151 in the longest of 406 kernels on an A10."""


def miss_cost(p: Columns) -> FloatArray:
    """m: cycles of a constant-cache miss, over those on Ampere."""
    return p.told("architecture", lambda architecture: MISS_OF_HOPPER if architecture == "sm_90" else 1.0)


def wait_for_constants(factor: Factor, s: Scale) -> Factor:
    """s': the factor with the share that waits for the constant cache."""
    k = s.pair.k
    if not k.constant_share.any():
        return factor
    busiest, misses = s.pair.once("constants", lambda: read_constants(s.pair))
    return [*follow(factor, busiest, k.constant_share), misses]


def read_constants(pair: Pair) -> tuple[Follows, Follows]:
    """What wholly follows the SM with most blocks, and what follows the cost of misses that last."""
    k, source, target = pair.k, pair.source, pair.target
    clock = source.machines.clock_hz / target.machines.clock_hz
    lasting = k.constant_share * np.maximum(1.0 - COLD_CYCLES / np.maximum(k.constant_cycles, COLD_CYCLES), 0.0)
    cost = target.machines.gather(miss_cost) / source.machines.gather(miss_cost)
    # Of next to none do misses last; elsewhere they cost what they cost.
    ratio = 1.0 + lasting * (cost - 1.0) if (cost != 1.0).any() and lasting.any() else np.ones((1, 1))
    misses = Follows((lasting > 0).astype(np.float64), ratio)
    return wholly(clock / source.busiest_blocks * target.busiest_blocks), misses


CAUSE = Cause(
    name="constant",
    sentence="constant-cache misses follow the SM with most blocks",
    when="stall reasons name the constant cache",
    corrects="kernels with large tables of coefficients",
    taught_by="NVIDIA's CUDA C++ Programming Guide; stalls of 148 kernels of HeCBench, fhd",
    acts=(at(FOLLOWING, wait_for_constants),),
    properties=(Property.SMS, Property.CLOCK),
)
