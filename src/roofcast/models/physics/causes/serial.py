r"""Profiled kernels that no roof explains follow the clock alone.

.. math:: s' = s^{1 - u} (f_s / f_t)^{u}, \quad u = \max(1 - x / 0.1, 0)

s, s' : 1, factor on the unexplained seconds. f : Hz, SM clock. x : 1, share of the source time that its slowest roof
has.

Reason: code that uses a hundredth of every unit is a chain of instructions; neither SMs nor memory hurry it.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.waterfall import Cause as Step
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.stages import WAITING, Scale, geometric_mix
from roofcast.models.physics.unexplained import ROOFS_OF_LIBRARIES


def follow_the_clock(factor: FloatArray, s: Scale) -> FloatArray:
    """(n, m) s': the factor of profiled kernels without stall reasons, by the clock where no roof says anything."""
    if s.counted.all():
        return factor
    nothing = np.where(s.pair.k.bytes_counted > 0, np.maximum(1.0 - s.slowest / ROOFS_OF_LIBRARIES, 0.0), 0.0)
    return np.where(s.counted, factor, geometric_mix(factor, s.clock, nothing))


CAUSE = Cause(
    name="serial",
    sentence="profiled kernels that no roof explains follow the clock alone",
    when="bytes were counted, stall reasons not, and every roof is below a tenth of the time",
    corrects="kernels of one chain of instructions, which gain nothing from more SMs",
    taught_by="hecbench_ncu 14.2 to 13.4 %",
    acts=(at(WAITING, follow_the_clock),),
    steps=(Step.CLOCK,),
)
