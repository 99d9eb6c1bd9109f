r"""Every pipe apart, not one compute roof.

.. math:: C = \Big(\sum_r \tau_r^p\Big)^{1/p}, \quad r \in \{\text{FLOPs by precision, integers, issue slots,
    load/store passes, shared memory, L1, L2, DRAM}\}

C : s, all roofs together. tau_r : s, amount of a resource over its supply. p : ``overlap``. Without it r are the FLOPs
and DRAM alone, as in the textbook roofline.

Reason: a kernel waits for the unit that it keeps busy, and load/store or issue slots are busy long before arithmetic
is.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.kernel_inputs import BYTES_PER_PASS
from roofcast.models.physics.stages import AMOUNTS, AmountsByResource, Inputs


def add_pipes(amounts: AmountsByResource, read: Inputs) -> AmountsByResource:
    """Amounts with issue slots, load/store passes, and shared-memory passes x 128 bytes, where they are known."""
    k, with_pipes = read.k, dict(amounts)
    if not np.isnan(k.insts_warp).all():
        with_pipes[Resource.INSTS_ISSUED] = k.insts_warp
    if not np.isnan(k.insts_lsu).all():
        with_pipes[Resource.INSTS_LSU] = k.insts_lsu
    if not np.isnan(k.shared_passes).all():
        known = with_pipes.get(Resource.BYTES_SHARED, np.nan)
        with_pipes[Resource.BYTES_SHARED] = np.fmax(known, BYTES_PER_PASS * k.shared_passes)
    return with_pipes


def keep_flops_and_dram(amounts: AmountsByResource, _: Inputs) -> AmountsByResource:
    """The amounts of the textbook roofline."""
    return {r: v for r, v in amounts.items() if r.value.startswith("flops") or r is Resource.BYTES_DRAM}


CAUSE = Cause(
    name="pipes",
    sentence="every pipe apart, not one compute roof",
    when="always",
    corrects="kernels whose limit is load/store, issue, shared memory, L1 or L2",
    taught_by="kernel_tuner 28.5 to 13.5 %, micro16 24.0 to 16.7 %, hecbench_ncu 14.8 to 13.4 %",
    acts=(at(AMOUNTS, add_pipes), at(AMOUNTS, keep_flops_and_dram, without=True)),
    properties=(Property.PIPES, Property.FP64, Property.TENSOR, Property.L1, Property.L2),
)
