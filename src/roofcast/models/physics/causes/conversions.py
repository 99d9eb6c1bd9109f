r"""FP64 code fills few FP64 units with more than its FLOPs.

.. math:: \tau_{FP64}' = \tau_{FP64} \left(1 + \min\left(\alpha \, \frac{N - N_{64}}{N_{64}}, 2\right)\right), \qquad
    N_{64} = \frac{V_{64}}{32 \cdot 2 \cdot 0.66}

tau_FP64 : s, FP64 FLOPs over supply on the target. V_64 : FLOPs. N_64, N : warp instructions of FP64 arithmetic, and
all. alpha : ``fp64_of_others``. Only on a target that has FP64 units for compatibility only, from a source that has
more (one that has few shows them itself: :mod:`roofcast.models.physics.causes.fp64`).

Reason: conversions from and to FP64, comparisons, minima and maxima go through the FP64 pipe and are no FLOPs; what has
FP64 units executes them beside. On A10 and RTX 3080 the pipe takes 16 to 17 clocks per FP64 instruction of a warp where
those are most of the code, and 20 to 70 where they are a tenth of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import or_zero
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.causes.fp64 import few_fp64
from roofcast.models.physics.kernel_inputs import FLOPS_PER_WARP_FMA
from roofcast.models.physics.stages import ROOFS, Pair, Roofs

OTHERS_MOST = 2.0
"""FP64 instructions without FLOPs over those with: code that has next to no FP64 converts next to nothing."""


def convert_on_few_units(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs with the target's seconds of FP64 instructions that are no FLOPs."""
    key, k, c = Resource.FLOPS_FP64, pair.k, pair.c
    if key not in roofs.target:
        return roofs
    few = pair.target.machines.gather(few_fp64) > 0
    few = few & (pair.source.machines.gather(few_fp64) == 0)
    if not few.any():
        return roofs
    few = few & (k.insts_counted > 0)
    with quietly():
        counted = k.amounts.get(key)[:, None] / (FLOPS_PER_WARP_FMA * c.fp64_mix)
        others = np.clip(or_zero(c.fp64_of_others * (k.insts_warp / counted - 1.0)), 0.0, OTHERS_MOST)
    more = np.where(few, 1.0 + others, 1.0)
    return replace(roofs, target=roofs.target.times(key, more))


CAUSE = Cause(
    name="conversions",
    sentence="FP64 code fills few FP64 units with more than its FLOPs",
    when="FP64 FLOPs and instructions were counted on a GPU with FP64 units, and the target has few",
    corrects="FP64 code with conversions and comparisons, forecast too fast on GeForce, A10 and L40",
    taught_by="background-subtract, atomicPerf, multimaterial, interval, minisweep and d3q19-bgk of HeCBench",
    acts=(at(ROOFS, convert_on_few_units),),
    properties=(Property.FP64,),
    constants=(
        Constant("fp64_of_others", 0.04, 0.01, 0.2, "instructions without FP64 FLOPs that go through the FP64 pipe"),
    ),
)
