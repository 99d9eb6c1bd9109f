r"""An L2 with a clock of its own keeps its time at another SM clock.

.. math:: L' = L_1 + (L - L_1) \min(1, f / f_0)

L : SM cycles of an access to L2 at the boost clock f_0. L_1 : SM cycles of one to L1, which the request passes. L' : SM
cycles at the clock f.

Reason: a fixed time is fewer cycles of a slower clock, and only the way through the SM follows its clock. Atomics,
which wait for L2, follow the same clock. Reports that counted L2's cycles have 1.71 GHz on an H100 SXM5 and an H200 at
1.78 to 1.99 GHz, and on a GH200 locked at 1.53; on V100, RTX 2060 and 3070, A40, A100 and an H100 PCIe they have 0.92
to 1.0 times the SM clock, locked or not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.causes.latency import l1_latency, l2_latency
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import SIDES, Inputs


def kept_latency_cycles(latency_cycles: Values, clock_ratio: Values, own_share: Values) -> FloatArray:
    """Latency L' in SM cycles at another clock, where a part of it keeps its own time (the equation above).

    latency_cycles : (...) SM cycles at f_0. L. clock_ratio : (...) 1. f / f_0. own_share : (...) 1. (L - L_1) / L.

    >>> float(kept_latency_cycles(280.0, 0.5, 0.5))
    210.0
    """
    s = np.asarray(own_share, dtype=np.float64)
    return np.asarray(latency_cycles * (1.0 - s + s * np.minimum(clock_ratio, 1.0)))


def own_time_of_l2(p: Columns) -> FloatArray:
    """Share of the latency of L2 at boost that does not follow the SM clock."""
    supply = p.supply(Resource.BYTES_L2)
    own_clock = ~np.isnan(supply.per_s) & np.isnan(supply.clock_hz)
    return np.where(own_clock, np.clip(1.0 - l1_latency(p) / l2_latency(p), 0.0, 1.0), 0.0)


def keep_time_of_l2(side: Side, _: Inputs) -> Side:
    """The side with the SM cycles that L2 takes at its own clock."""
    machines = side.machines
    ratio = machines.clock_hz / machines.gather("clock_hz_boost")
    return replace(side, l2_stretch=kept_latency_cycles(side.l2_stretch, ratio, machines.gather(own_time_of_l2)))


CAUSE = Cause(
    name="l2_time",
    sentence="an L2 with a clock of its own keeps its time at another SM clock",
    when="L2 of source or target has its own clock (catalog), SMs run below boost, as profilers lock them",
    corrects="latency and atomics of profiles at the base clock",
    taught_by="L2 cycles in reports of six architectures; hecbench_ncu 13.6 to 13.4 %",
    acts=(at(SIDES, keep_time_of_l2),),
    properties=(Property.CLOCK, Property.LATENCY),
)
