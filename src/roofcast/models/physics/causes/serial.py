r"""Profiled kernels that no roof explains follow the clock alone, by even odds.

.. math:: s' = s^{1 - u} (f_s / f_t)^{u}, \quad u = \tfrac{1}{2} \max(1 - x / 0.1, 0)

s, s' : 1, factor on the unexplained seconds. f : Hz, SM clock. x : 1, share of the source time that its slowest roof
has.

Reason: code that uses a hundredth of every unit is a chain of instructions, or one long block among many short ones:
neither SMs nor memory hurry it. Or it waits for memory in many blocks, which no counter but stall reasons would tell:
even odds.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.properties import Property
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.stages import WAITING, Factor, Scale, follow
from roofcast.models.physics.unexplained import ROOFS_OF_LIBRARIES

EVEN_ODDS = 0.5
"""1; how far a kernel that no roof explains follows the clock where nothing was counted: even odds."""


def follow_the_clock(factor: Factor, s: Scale) -> Factor:
    """s': the factor of profiled kernels without stall reasons, by the clock where no roof says anything."""
    nothing = np.maximum(1.0 - s.slowest / ROOFS_OF_LIBRARIES, 0.0) * (s.pair.k.bytes_counted > 0) * ~s.counted
    return follow(factor, s.clock, EVEN_ODDS * nothing)


CAUSE = Cause(
    name="serial",
    sentence="profiled kernels that no roof explains follow the clock alone, by even odds",
    when="bytes were counted, stall reasons not, and every roof is below a tenth of the time",
    corrects="kernels of one chain of instructions",
    taught_by="22 programs of HeCBench without stall reasons",
    acts=(at(WAITING, follow_the_clock),),
    properties=(Property.CLOCK,),
)
