r"""Scalar code loads two operands per multiply-add.

.. math:: \tau_{LSU} = \frac{2 F / 64}{P_{LSU} \, F_{fill}}

tau_LSU : s of the load/store units. F : FP32 FLOPs, 64 in a multiply-add of a warp. P_LSU : passes per second.
F_fill : share of the SMs that the grid uses. Where the source was faster than that, its own time stands.

Reason: code without a tile of operands in registers loads both factors of each product, and a load/store unit serves a
quarter to a half of the lanes that arithmetic does: it is the limit long before the FLOPs are.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.properties import Property
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.kernel_inputs import CONSISTENT, FLOPS_PER_WARP_FMA
from roofcast.models.physics.resource_seconds import load_store_rate
from roofcast.models.physics.stages import ROOFS, Pair, Roofs

LOADS_PER_FMA = 2.0
"""Scalar code loads both factors of each product."""

REGISTERS_OF_TILES = 48.0
"""Code that keeps a tile of operands in registers, to load them once for many products, needs more of them."""


def load_operands(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs with load/store passes of scalar FP32 code of which no instructions were counted: two per multiply-add.

    Only where the source was slow enough to have made them, which takes the share of SMs that the grid uses, and where
    there are too few registers for tiles.
    """
    k = pair.k
    flops = k.amounts.flops.get(Resource.FLOPS_FP32)
    if flops is None:
        return roofs
    tensor = sum((v for r, v in k.amounts.flops.items() if r in FLOPS_TENSOR), np.zeros(len(flops)))
    with quietly():
        scalar = (k.insts_counted == 0) & (k.regs_per_thread <= REGISTERS_OF_TILES) & (tensor[:, None] == 0)
        scalar &= k.grid_blocks > 0
    if not scalar.any():
        return roofs
    passes = LOADS_PER_FMA * flops[:, None] / FLOPS_PER_WARP_FMA
    with quietly():
        needed = [passes / (load_store_rate(k, side) * side.fill) for side in (pair.source, pair.target)]
        share = needed[0] / pair.execution_s
        loaded = scalar & (share <= CONSISTENT) & ~np.isnan(needed[1])
        least = np.where(share > 1.0, 1.0 / share, 1.0)
    key = Resource.INSTS_LSU
    if not loaded.any():
        return roofs
    here, there = (
        np.fmax(known.get(key, np.full((1, 1), np.nan)), seconds * least)
        for known, seconds in zip((roofs.source, roofs.target), needed, strict=True)
    )
    loaded_source = loaded[:, :1] if (loaded == loaded[:, :1]).all() else loaded
    return roofs.put(key, loaded_source, here, loaded, there)


CAUSE = Cause(
    name="operands",
    sentence="scalar code loads two operands per multiply-add",
    when="FP32 FLOPs without counted instructions, a known grid, at most 48 registers a thread, no tensor pipe",
    corrects="hand-written products and filters, limited by load/store",
    taught_by="micro16 23.1 / 19.8 to 16.7 / 12.3 %",
    acts=(at(ROOFS, load_operands),),
    properties=(Property.L1,),
)
