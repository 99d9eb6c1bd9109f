r"""Constant-cache misses follow the SM with most blocks.

.. math:: s' = s^{1 - u} \left(\frac{f_s}{f_t} \frac{b_t}{b_s}\right)^{u}

s, s' : 1, factor on the unexplained seconds. f : Hz, SM clock. b : blocks of the SM that has most of them. u : 1, share
of the warps' time that they wait for the constant cache.

Reason: each SM serves the misses of its own blocks one after the other, so that the busiest SM ends last.
"""

from __future__ import annotations

from roofcast.core.kernel_table import FloatArray
from roofcast.core.waterfall import Cause as Step
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.sides import busiest_blocks
from roofcast.models.physics.stages import WAITING, Scale, geometric_mix


def wait_for_constants(factor: FloatArray, s: Scale) -> FloatArray:
    """(n, m) s': the factor with the share that waits for the constant cache."""
    k = s.pair.k
    if not k.constant_share.any():
        return factor
    busiest = s.clock * busiest_blocks(k, s.pair.target) / busiest_blocks(k, s.pair.source)
    return geometric_mix(factor, busiest, k.constant_share)


CAUSE = Cause(
    name="constant",
    sentence="constant-cache misses follow the SM with most blocks",
    when="stall reasons name the constant cache",
    corrects="kernels with large tables of coefficients",
    taught_by="fhd of HeCBench; hecbench_ncu 13.5 to 13.4 %",
    acts=(at(WAITING, wait_for_constants),),
    steps=(Step.SMS, Step.CLOCK),
)
