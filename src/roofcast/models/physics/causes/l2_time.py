r"""Hopper's L2 keeps a part of its own time at another SM clock.

.. math:: L' = L \,(1 - s + s \min(1, f / f_0))

L : SM cycles of an access to L2 at the boost clock f_0. L' : SM cycles at the clock f. s : share of that latency which
is not the SM clock's, 0.47 on Hopper, 0 elsewhere.

Reason: a fixed time is fewer cycles of a slower clock. Atomics, which wait for L2, follow the same clock.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns
from roofcast.core.waterfall import Cause as Step
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import SIDES, Inputs

OWN_TIME_OF_L2 = {"sm_90": 0.47}
"""Pointer chases of the catalog: Hopper's L2 answers after 265 / 477 cycles (near / far) at 1755 MHz (H100 PCIe) and
280 / 502 at 1980 MHz (GH200), so 66 of 142 ns are not the SM clock's. GA10x keeps none: locked at 885 and 1440 MHz, A10
and RTX 3080 differ by their clocks."""


def kept_latency_cycles(latency_cycles: Values, clock_ratio: Values, own_share: Values) -> FloatArray:
    """Latency L' in SM cycles at another clock, where a part of it keeps its own time (the equation above).

    latency_cycles : (...) SM cycles at f_0. L. clock_ratio : (...) 1. f / f_0. own_share : (...) 1. s.

    >>> float(kept_latency_cycles(280.0, 0.5, 0.5))
    210.0
    """
    s = np.asarray(own_share, dtype=np.float64)
    return np.asarray(latency_cycles * (1.0 - s + s * np.minimum(clock_ratio, 1.0)))


def own_time_of_l2(p: Columns) -> FloatArray:
    """Share of the latency of L2 at boost that does not follow the SM clock."""
    return p.told("architecture", lambda architecture: OWN_TIME_OF_L2.get(architecture, 0.0))


def keep_time_of_l2(side: Side, _: Inputs) -> Side:
    """The side with the cycles that L2 takes at its clock."""
    machines = side.machines
    ratio = machines.clock_hz / machines.gather("clock_hz_boost")
    return replace(side, l2_stretch=kept_latency_cycles(side.l2_stretch, ratio, machines.gather(own_time_of_l2)))


CAUSE = Cause(
    name="l2_time",
    sentence="Hopper's L2 keeps a part of its own time at another SM clock",
    when="source or target is a Hopper GPU at a clock below boost, as profilers lock it",
    corrects="latency and atomics of profiles at the base clock",
    taught_by="pointer chases of H100 PCIe and GH200; hecbench_ncu 13.6 to 13.4 %",
    acts=(at(SIDES, keep_time_of_l2),),
    steps=(Step.CLOCK, Step.LATENCY),
)
