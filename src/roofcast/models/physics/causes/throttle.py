r"""Stalls on the queue to L1 follow its rate.

.. math:: s' = s^{1 - u} (P_s / P_t)^{u}

s, s' : 1, factor on the unexplained seconds. u : share of the warps' time that they wait for the queue of local and
global accesses. P : B/s of L1.

Reason: a full queue empties at the rate of what stands behind it, and not after a latency. NVIDIA's Nsight Compute
documentation (Kernel Profiling Guide, warp stall reasons) has LG throttle as "waiting for the L1 instruction queue for
local and global (LG) memory operations to be not full", from instructions issued too frequently.
"""

from __future__ import annotations

from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.stages import FOLLOWING, Factor, Scale, follow, wholly
from roofcast.models.physics.unexplained import supply_ratio


def follow_queue(factor: Factor, s: Scale) -> Factor:
    """s': the factor with the share that waits for the queue."""
    waits = s.pair.k.queue_share
    if not waits.any():
        return factor
    return follow(factor, s.pair.once("queue", lambda: wholly(supply_ratio(s, Resource.BYTES_L1))), waits)


CAUSE = Cause(
    name="throttle",
    sentence="stalls on the queue to L1 follow its rate",
    when="stall reasons name the queue (lg_throttle)",
    corrects="kernels of many narrow accesses",
    taught_by="Nsight Compute's documentation; tissue, cbsfil and rainflow of HeCBench",
    acts=(at(FOLLOWING, follow_queue),),
    properties=(Property.L1,),
)
