r"""Requests that L1 serves answer as fast everywhere.

.. math:: L = h_1 L_{L1} + (1 - h_1) L_{beyond}

L : SM cycles, mean latency of any request. h_1 : share of the requests that L1 answers. L_L1, L_beyond : SM cycles of
an answer by L1, and of one from beyond it (:mod:`roofcast.models.physics.causes.latency`).

Reason: expectation over the two outcomes; L1 answers after 28 to 39 cycles on all GPUs since 2014, whatever their L2.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.waterfall import Cause as Step
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import SIDES, Inputs


def serve_from_l1(side: Side, read: Inputs) -> Side:
    """The side with the requests that L1 answers: as many as on the source; none where they were not counted."""
    return replace(side, l1_share=np.clip(np.nan_to_num(read.k.l1_hit_fraction, nan=0.0), 0.0, 1.0))


CAUSE = Cause(
    name="l1_hits",
    sentence="requests that L1 serves answer as fast everywhere",
    when="hit rates of L1 were counted",
    corrects="kernels that wait for L1, which would follow the latency of L2 and DRAM",
    taught_by="hecbench_ncu 13.6 to 13.4 %",
    acts=(at(SIDES, serve_from_l1),),
    steps=(Step.LATENCY,),
)
