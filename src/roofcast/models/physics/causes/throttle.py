r"""Stalls on queues follow SMs x clock.

.. math:: s' = s^{1 - u} (P_s / P_t)^{u}, \qquad s'' = s'^{1 - v} M^{v}

s, s', s'' : 1, factor on the unexplained seconds. u : ``queue_share`` x share of the warps' time that they wait for the
queue to L1. P : B/s of L1. v : ``throttle_share`` x share that they wait for another queue or for a slot of the SM.
M : SMs x clock, source over target.

Reason: a full queue empties at the rate of what stands behind it, which is the SM's, and not after a latency.
"""

from __future__ import annotations

from roofcast.core.kernel_table import FloatArray
from roofcast.core.resource import Resource
from roofcast.core.waterfall import Cause as Step
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.stages import FOLLOWING, Scale, geometric_mix
from roofcast.models.physics.unexplained import supply_ratio


def follow_queues(factor: FloatArray, s: Scale) -> FloatArray:
    """(n, m) s'': the factor with the shares that wait for queues."""
    k, c = s.pair.k, s.pair.c
    if k.queue_share.any():
        factor = geometric_mix(factor, supply_ratio(s, Resource.BYTES_L1), c.queue_share * k.queue_share)
    if k.throttle_share.any():
        factor = geometric_mix(factor, s.machine, c.throttle_share * k.throttle_share)
    return factor


CAUSE = Cause(
    name="throttle",
    sentence="stalls on queues follow SMs x clock",
    when="stall reasons name a queue (lg_throttle, tex_throttle, not_selected)",
    corrects="kernels of many narrow accesses",
    taught_by="hecbench_ncu 13.7 to 13.4 %",
    acts=(at(FOLLOWING, follow_queues),),
    steps=(Step.SMS, Step.CLOCK, Step.L1),
    constants=(
        Constant("queue_share", 0.95, 0.05, 1.0, "how much of stalls on the queue to L1 is L1's rate", 19),
        Constant("throttle_share", 0.5, 0.05, 1.0, "how much of throttle stalls is a rate (SMs x clock)", 20),
    ),
)
