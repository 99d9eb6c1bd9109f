r"""Constant-cache misses follow the SM with most blocks.

.. math:: s' = s^{1 - u} \left(\frac{f_s}{f_t} \frac{b_t}{b_s}\right)^{u}

s, s' : 1, factor on the unexplained seconds. f : Hz, SM clock. b : blocks of the SM that has most of them. u : 1, share
of the warps' time that they wait for the constant cache.

Reason: NVIDIA's CUDA C++ Programming Guide (compute capabilities) has one constant cache in each SM, which all of its
units share: it serves the misses of its own blocks one after the other, so that the busiest SM ends last. fhd of
HeCBench, four fifths of whose time are such misses, takes 1400 to 1570 clocks per block of the busiest SM on A10,
RTX 3080 and A100 (Hopper holds what it asks for: 470).
"""

from __future__ import annotations

from roofcast.core.kernel_table import FloatArray
from roofcast.core.waterfall import Cause as Step
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.stages import FOLLOWING, Scale, mix_logs


def wait_for_constants(factor: FloatArray, s: Scale) -> FloatArray:
    """(n, m) ln s': the factor with the share that waits for the constant cache."""
    k, source, target = s.pair.k, s.pair.source, s.pair.target
    if not k.constant_share.any():
        return factor
    clock = source.machines.clock_hz / target.machines.clock_hz
    ratio = clock * target.busiest_blocks / source.busiest_blocks
    return mix_logs(factor, ratio, k.constant_share)


CAUSE = Cause(
    name="constant",
    sentence="constant-cache misses follow the SM with most blocks",
    when="stall reasons name the constant cache",
    corrects="kernels with large tables of coefficients",
    taught_by="NVIDIA's CUDA C++ Programming Guide; fhd of HeCBench",
    acts=(at(FOLLOWING, wait_for_constants),),
    steps=(Step.SMS, Step.CLOCK),
)
