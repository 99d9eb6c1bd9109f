r"""DRAM keeps its own time at another SM clock.

.. math:: L_{beyond}' = L_{beyond} \, f / f_0

L_beyond : SM cycles from L2 to DRAM and back at the boost clock f_0, as the catalog has them. f : Hz, the SM clock.

Reason: DRAM and its controller have clocks of their own; only the way to L2 is the SMs'.
"""

from __future__ import annotations

from dataclasses import replace

from roofcast.core.properties import Property
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import SIDES, Inputs


def keep_time_of_dram(side: Side, _: Inputs) -> Side:
    """The side with the SM cycles that DRAM's own time is at its clock."""
    boost = side.machines.gather("clock_hz_boost")
    return replace(side, beyond_l2_cycles=side.beyond_l2_cycles * side.machines.clock_hz / boost)


CAUSE = Cause(
    name="dram_time",
    sentence="DRAM keeps its own time at another SM clock",
    when="requests miss in L2 and the SM clock is not the boost clock",
    corrects="latency-bound kernels between clock settings",
    taught_by="dvfs_hkbu (clock settings of one GPU); kernel_tuner 13.6 to 13.5 %",
    acts=(at(SIDES, keep_time_of_dram),),
    properties=(Property.CLOCK, Property.LATENCY),
)
