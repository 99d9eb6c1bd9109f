r"""The last wave of blocks counts whole where blocks wait for latency.

.. math:: W' = \lceil W \rceil, \quad W = \max(1, n / (S B))

W : waves of blocks one after the other. n : blocks of the grid. S : SMs. B : blocks resident on one. Latency takes
:math:`(W'_t / W'_s)^{0.78}` as long (:mod:`roofcast.models.physics.causes.latency`).

Reason: a block that waits does not end earlier because its SM is half empty. Without it W' = W.
"""

from __future__ import annotations

from dataclasses import replace

from roofcast.core.waterfall import Cause as Step
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.sides import Side, whole_waves
from roofcast.models.physics.stages import SIDES, Inputs


def count_waves_whole(side: Side, _: Inputs) -> Side:
    """The side with the waves that start, for blocks that wait."""
    return replace(side, waves_waiting=whole_waves(side.waves))


CAUSE = Cause(
    name="waves",
    sentence="the last wave of blocks counts whole where blocks wait for latency",
    when="grid and resident blocks are known, and latency is a part of the time",
    corrects="jumps of the time where one more wave begins",
    taught_by="nca_nvprof 22.8 to 21.0 %, hecbench_ncu 13.6 to 13.4 %",
    acts=(at(SIDES, count_waves_whole),),
    steps=(Step.SMS,),
)
