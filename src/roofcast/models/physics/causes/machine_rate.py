r"""Code without stall reasons follows SMs x clock and the load/store rate as well as latency.

.. math:: s' = s^{1 - u} \big(M^{1 - v} P^{v}\big)^{u}, \quad M = \frac{S_s f_s}{S_t f_t}, \quad
    u = u_0 \,(0.6 + 0.4 \min(I, 1))

s, s' : 1, factor on the unexplained seconds. M : SMs x clock, source over target; where the source has idle SMs, the
blocks of the busiest SM / clock. P : load/store passes per second, source over target. u_0 : ``machine_share`` (with
counted bytes) or ``machine_share_uncounted``. I : FLOP/B, intensity at DRAM where its bytes were counted, else 1.
v : ``load_store_share``.

Reason: without stall reasons nobody knows whether warps wait for memory or for their turn on the SM: even odds between
the two, more for the SM where the bytes are the algorithm's and most accesses are hidden in it, less where counted
bytes show that the code does little with them: it waits for memory.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import finite_or
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.stages import UNCOUNTED, WAITING, Factor, Follows, Scale, Uncounted, follow, mix_factors
from roofcast.models.physics.unexplained import supply_ratio

LOW_INTENSITY = 0.6
"""Share of u_0 that is left to code without any FLOPs."""


def intensity(k: Kernels) -> FloatArray:
    """(n, 1) FLOP per byte of DRAM; 1 where either is unknown."""
    flops = k.amounts.flops_total[:, None]
    with quietly():
        return finite_or(flops / k.amounts.get(Resource.BYTES_DRAM)[:, None], 1.0)


def follow_the_machine(factor: Factor, s: Scale) -> Factor:
    """s': the factor of kernels without stall reasons, between latency and what SMs execute."""
    if s.counted.all():
        return factor
    k, c = s.pair.k, s.pair.c
    passes = supply_ratio(s, Resource.INSTS_LSU)
    whole = np.ones_like(s.pair.time_s)
    executed = follow([Follows(whole, s.machine)], passes, c.load_store_share * whole)
    executed = s.pair.walk.through(UNCOUNTED, executed, Uncounted(s, passes))
    counted = c.machine_share * (LOW_INTENSITY + (1.0 - LOW_INTENSITY) * np.minimum(intensity(k), 1.0))
    share = np.where(k.bytes_counted > 0, counted, c.machine_share_uncounted)
    return mix_factors(factor, executed, np.where(s.counted, 0.0, share))


CAUSE = Cause(
    name="machine_rate",
    sentence="code without stall reasons follows SMs x clock and the load/store rate as well as latency",
    when="no stall reasons were counted",
    corrects="profiles with few counters or none",
    taught_by="kernel_tuner, micro16, pmpp_nvbench, nca_nvprof; softmax and norms",
    acts=(at(WAITING, follow_the_machine),),
    properties=(Property.SMS, Property.CLOCK, Property.L1),
    constants=(
        Constant("machine_share", 0.3, 0.01, 1.0, "without stall counters: how far SMs x clock, not latency, rules"),
        Constant("machine_share_uncounted", 0.8, 0.01, 1.0, "the same where the bytes are the algorithm's"),
        Constant("load_store_share", 0.75, 0.05, 1.0, "how far that is the load/store rate and not SMs x clock"),
    ),
)
