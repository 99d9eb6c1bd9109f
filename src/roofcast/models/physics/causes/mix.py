r"""Code of which nothing was counted mixes accesses, integers and floats.

.. math:: s = (t_t / t_s)^{1/2} P^{1/2}, \quad
    t = \max\left(\frac{1}{P_{fp}}, \frac{0.36}{P_{int}}, \frac{1.36}{P_{issue}}\right)

s : 1, factor on the seconds that SMs execute. P : load/store passes per second, source over target. t : s per
floating-point instruction of code with a usual share of integers. P_fp, P_int, P_issue : 1/s, instructions of single
threads. Where the source has idle SMs or a rate is unknown, SMs x clock takes the place of t.

Reason: even odds between accesses and arithmetic, and 36 integer instructions beside 100 floating-point ones
[Turing2018].
"""

from __future__ import annotations

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import UNCOUNTED, Factor, Follows, Scale, Uncounted, follow, mix_factors

FLOPS_PER_FMA = 2.0
"""FLOPs of a fused multiply-add."""

LOAD_STORE_OF_UNKNOWN = 0.5
"""How far the load/store rate, and not arithmetic, rules code of which no instruction was counted: even odds."""

INTEGERS_PER_FLOAT = 0.36
"""Integer instructions beside each floating-point one ([Turing2018]: 36 per 100)."""


def mixed_instructions_s(fp32_per_s: Values, int32_per_s: Values, issued_per_s: Values) -> FloatArray:
    """Seconds t per floating-point instruction of code with a usual share of integer ones (the equation above).

    fp32_per_s, int32_per_s, issued_per_s : (...) 1/s, instructions of single threads; NaN where one is unknown.

    >>> [float(mixed_instructions_s(fp, 64.0, 128.0).round(5)) for fp in (64.0, 128.0)]
    [0.01562, 0.01062]
    """
    float_s, int_s = 1.0 / np.asarray(fp32_per_s), INTEGERS_PER_FLOAT / np.asarray(int32_per_s)
    return np.asarray(np.maximum(np.maximum(float_s, int_s), (1.0 + INTEGERS_PER_FLOAT) / np.asarray(issued_per_s)))


def mix_instructions(executed: Factor, read: Uncounted) -> Factor:
    """The factor on the seconds that SMs execute, of unknown code by a usual mix of instructions."""
    k = read.scale.pair.k
    if not (k.mix_unknown > 0).any():
        return executed
    whole = np.ones_like(k.mix_unknown)
    usual = follow([Follows(whole, mixed_ratio(read.scale))], read.passes, LOAD_STORE_OF_UNKNOWN * whole)
    return mix_factors(executed, usual, (k.mix_unknown > 0).astype(np.float64))


def mixed_ratio(s: Scale) -> FloatArray:
    """(n, m) t of the target over the source's."""
    source, target = s.pair.source, s.pair.target
    ratio = mixed_instructions_s(*threads_per_s(target)) / mixed_instructions_s(*threads_per_s(source))
    with quietly():
        # A block's own chain of instructions counts where SMs are idle.
        idle = s.pair.k.grid_blocks < source.sm_count
    return np.where(np.isnan(ratio) | idle, s.machine, ratio)


def threads_per_s(side: Side) -> tuple[FloatArray, FloatArray, FloatArray]:
    """FP32 instructions, integer instructions and issue slots per second, of single threads, in theory."""
    clock = side.machines.clock_hz / side.machines.gather("clock_hz_boost")

    def of(resource: Resource) -> FloatArray:
        machines = side.machines
        return np.asarray(machines.spread(machines.columns.supply(resource).theory_per_s) * clock)

    lanes = side.machines.gather("warp_size")
    return of(Resource.FLOPS_FP32) / FLOPS_PER_FMA, of(Resource.OPS_INT32), of(Resource.INSTS_ISSUED) * lanes


CAUSE = Cause(
    name="mix",
    sentence="code of which nothing was counted mixes accesses, integers and floats",
    when="neither instructions nor accesses counted, no library's tensor work",
    corrects="hand-written kernels without counters",
    taught_by="micro16 18.2 to 16.7 %, pmpp_nvbench's median 7.8 to 6.7 %; Turing white paper",
    acts=(at(UNCOUNTED, mix_instructions),),
    properties=(Property.PIPES, Property.L1),
)
