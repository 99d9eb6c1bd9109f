r"""Dependent instructions follow each other faster on later GPUs.

.. math:: f_s / f_t \to f_s / f_t \, (n_t / n_s)^{u}, \quad u = \max(1 - x / 0.5, 0)

f : Hz, SM clock. n : SM cycles between dependent instructions, :data:`ISSUE_CYCLES`. u : 1, share of the code that
waits for its own chain. x : 1, share of the source time that its slowest roof has.

Reason: code that no roof explains waits for its own results. Kernels with stall reasons show how long their warps wait
for what, and need no such guess.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns
from roofcast.core.properties import Property
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.stages import CLOCK, Unexplained

ISSUE_CYCLES: tuple[tuple[int, float], ...] = ((30, 18.0), (50, 9.0), (70, 6.0))
"""Cycles between dependent instructions below a compute capability, 4 above: Fermi 18, Kepler 9, Maxwell and Pascal 6
[Volkov2016], Volta on 4 [Jia2018]."""

ROOFS_RULE = 0.5
"""From this share of the source time on the roofs alone are what a kernel waits for."""


def issue_cycles(p: Columns) -> FloatArray:
    """Cycles between dependent instructions; NaN for other vendors' GPUs."""
    return p.told("architecture", cycles_of)


def cycles_of(architecture: str) -> float:
    """Cycles between dependent instructions of an architecture."""
    version = architecture.removeprefix("sm_")
    if version == architecture or not version.isdigit():
        return np.nan
    return next((cycles for below, cycles in ISSUE_CYCLES if int(version) < below), 4.0)


def wait_for_results(clock: FloatArray, s: Unexplained) -> FloatArray:
    """(n, m) ratio of the clocks, with the cycles of dependent instructions, for code without stall reasons."""
    if s.counted.all():
        return clock
    k, source, target = s.pair.k, s.pair.source, s.pair.target
    ratio = target.machines.gather(issue_cycles) / source.machines.gather(issue_cycles)
    chains = (k.insts_counted > 0) & (k.stalls_counted == 0)
    share = np.where(chains, np.maximum(1.0 - s.slowest / ROOFS_RULE, 0.0), 0.0)
    return np.asarray(clock * np.power(np.where(np.isnan(ratio), 1.0, ratio), share))


CAUSE = Cause(
    name="issue_latency",
    sentence="dependent instructions follow each other faster on later GPUs",
    when="instructions were counted, stall reasons not, and no roof has half of the time",
    corrects="generations, above all from Kepler and Maxwell",
    taught_by="Volkov 2016, Jia 2018; nca_nvprof 21.7 to 21.0 %",
    acts=(at(CLOCK, wait_for_results),),
    properties=(Property.OTHER,),
)
