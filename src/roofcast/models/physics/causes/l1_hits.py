r"""Requests that L1 serves answer as fast everywhere, where L1 holds what is loaded.

.. math:: L = h_1 L_{L1} + (1 - h_1) L_{beyond}, \qquad V_{L2}' = \max(V_{L1}, V_{L2}) \ \text{past L1}

L : SM cycles, mean latency of any request. h_1 : share of the requests that L1 answers; 0 on GPUs whose loads from
global memory do not stay in L1. L_L1, L_beyond : SM cycles of an answer by L1, and of one from beyond it
(:mod:`roofcast.models.physics.causes.latency`). V_L1, V_L2 : B through L1 and asked of L2 on the source; the target's
L2 then serves what L1 did.

Reason: expectation over the two outcomes; L1 answers after 28 to 39 cycles on all GPUs since 2014, whatever their L2.
By default Kepler and Maxwell keep loads from global memory in L2 only (NVIDIA, Kepler Tuning Guide; [Maxwell2024]
section 4.2.1); GP102 to GP108 do as Maxwell, GP100, Volta and later keep them in L1 (Pascal and Volta Tuning Guides).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import or_zero
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import ROOFS, SIDES, Inputs, Pair, Roofs

PAST_L1 = frozenset({"sm_30", "sm_32", "sm_35", "sm_37", "sm_50", "sm_52", "sm_53", "sm_61", "sm_62"})
"""Kepler, Maxwell and GP10x: loads from global memory are cached in L2 only, unless the code asks for more."""


def keeps_loads(p: Columns) -> FloatArray:
    """1 where L1 keeps what is loaded from global memory, else 0."""
    return p.told("architecture", lambda architecture: architecture not in PAST_L1)


def serve_from_l1(side: Side, read: Inputs) -> Side:
    """The side with the requests that L1 answers: as many as on the source; none where they were not counted."""
    hits = np.clip(or_zero(read.k.l1_hit_fraction), 0.0, 1.0)
    keeps = side.machines.gather(keeps_loads)
    return replace(side, l1_share=hits if (keeps == 1.0).all() else hits * keeps)


def load_past_l1(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs whose L2 serves on the target what L1 served on the source, where that one's L1 keeps no loads."""
    key, amounts = Resource.BYTES_L2, pair.k.amounts
    past = (pair.source.machines.gather(keeps_loads) > 0) & (pair.target.machines.gather(keeps_loads) == 0)
    if key not in roofs.target or not past.any():
        return roofs
    with quietly():
        more = np.fmax((amounts.get(Resource.BYTES_L1) / amounts.get(key))[:, None], 1.0)
    more = np.where(past & np.isfinite(more), more, 1.0)
    return replace(roofs, target=roofs.target.times(key, more))


CAUSE = Cause(
    name="l1_hits",
    sentence="requests that L1 serves answer as fast everywhere, where L1 keeps what is loaded",
    when="hit rates of L1 were counted, or bytes through L1 and a target of Kepler, Maxwell or GP10x",
    corrects="kernels that wait for L1",
    taught_by="24 programs of HeCBench; NVIDIA's tuning guides",
    acts=(at(SIDES, serve_from_l1), at(ROOFS, load_past_l1)),
    properties=(Property.LATENCY, Property.L2),
)
