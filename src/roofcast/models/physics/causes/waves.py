r"""The last wave of blocks counts nearly whole where blocks wait for latency.

.. math:: W' = \lfloor W \rfloor + \min\left(\frac{W - \lfloor W \rfloor}{0.1}, 1\right), \quad W = \max(1, n / (S B))

W : waves of blocks one after the other. n : blocks of the grid. S : SMs. B : blocks resident on one. Latency takes
:math:`(W'_t / W'_s)^{0.78}` as long (:mod:`roofcast.models.physics.causes.latency`). Without it W' = W.

Reason: a block that waits does not end earlier because its SM is half empty ([NVIDIA2023], wave quantization: a wave of
one block may take as long as a full one). Blocks do not run in lock-step: those of a wave end over a tenth of its time,
and one more block starts where one has ended, so that it costs a block and no wave.
"""

from __future__ import annotations

from dataclasses import replace

from roofcast.core.properties import Property
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.sides import Side, started_waves
from roofcast.models.physics.stages import SIDES, Inputs


def count_started_waves(side: Side, _: Inputs) -> Side:
    """The side with the waves that start, for blocks that wait."""
    return replace(side, waves_waiting=started_waves(side.waves))


CAUSE = Cause(
    name="waves",
    sentence="the last wave of blocks counts nearly whole where blocks wait for latency",
    when="grid and resident blocks are known, and latency is a part of the time",
    corrects="one more wave on the target",
    taught_by="grid sizes of HeCBench and nca_nvprof",
    acts=(at(SIDES, count_started_waves),),
    properties=(Property.SMS,),
)
