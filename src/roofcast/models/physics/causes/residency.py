r"""More resident warps hide more latency.

.. math:: s' = s \, (B_s / B_t)^{e}

s, s' : 1, factor on the seconds that SMs execute. B : blocks resident on an SM, no more than the grid gives it. e :
``residency``.

Reason: the warps of more blocks fill the slots in which others wait; below 1 as they share caches and queues.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.waterfall import Cause as Step
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import UNCOUNTED, Uncounted


def hide_by_residents(executed: FloatArray, read: Uncounted) -> FloatArray:
    """(n, m) factor with the warps that each side keeps resident; as it was where nothing says what limits them."""
    pair = read.scale.pair
    k = pair.k

    def blocks(side: Side) -> FloatArray:
        given = k.grid_blocks / side.sm_count
        return np.fmin(side.blocks_per_sm, np.where(given >= 1.0, given, np.where(np.isnan(given), np.inf, 1.0)))

    ratio = blocks(pair.source) / blocks(pair.target)
    unlimited = np.isnan(k.regs_per_thread) & np.isnan(k.smem_bytes_per_block)
    return np.asarray(executed * np.where(np.isnan(ratio) | unlimited, 1.0, np.power(ratio, pair.c.residency)))


CAUSE = Cause(
    name="residency",
    sentence="more resident warps hide more latency",
    when="no stall reasons; registers or shared memory of a block are known",
    corrects="kernels whose blocks fit better on the target's SMs",
    taught_by="kernel_tuner 14.1 to 13.5 %",
    acts=(at(UNCOUNTED, hide_by_residents),),
    steps=(Step.SMS,),
    constants=(
        Constant("residency", 0.5, 0.01, 1.2, "exponent of resident warps where latency is left: more hide more", 33),
    ),
)
