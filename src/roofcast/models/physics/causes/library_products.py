r"""Libraries' matrix products: tiles, waves and power limits of each GPU.

.. math:: M = \left(\min_{tile, split} \Big(\tau_{pipe}^p + \tau_{L2}^p + \tau_{DRAM}^p\Big)^{q/p}
    + \Big(\frac{2 b m n k}{P_{sustained}}\Big)^q\right)^{1/q}

M : s without launch. tau : s of the tiles' waves on the pipe, of their panels from L2, and of DRAM, for the best of a
menu of tiles and splits of the sum (:mod:`roofcast.models.operators.products`). b, m, n, k : batch and shape. P :
FLOP/s under the power limit. p : 4 on tensor pipes, else 1.5. q : ``power_norm``.

Reason: libraries choose among compiled tiles by trying, and so does the model; a power limit bounds useful FLOPs only.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.core.waterfall import Cause as Step
from roofcast.models.operators.products import peak_rate, product_s
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import carry_over, replace_rows
from roofcast.models.physics.stages import KEPT, OPERATORS, PRODUCT_S, Forecast, Kept, Products, Result
from roofcast.operators.kernel_names import Operation


def model_products(result: Result, read: Forecast) -> Result:
    """Forecasts, those of matrix products of known shape by their own model."""
    pair, rows, walk = read.pair, read.pair.operators, read.pair.walk
    if rows is None:
        return result
    shaped = rows.of(Operation.GEMM) & ~np.isnan(rows.m)
    for pipe, flops in pair.k.amounts.flops.items():
        chosen = np.flatnonzero(shaped & (flops > 0))
        if not len(chosen):
            continue
        m, n, k, batch = (v[chosen, None] for v in (rows.m, rows.n, rows.k, rows.batch))
        moved = pair.k.amounts.get(Resource.BYTES_DRAM)[chosen, None]
        here = pair.rows(chosen)
        own = pair.levels.tensor if pipe in FLOPS_TENSOR else pair.levels.vector
        needs = []
        for machines in (here.source.machines, here.target.machines):
            seconds = product_s((m, n, k, batch), moved, pipe, machines, peak_rate(machines, pipe), own)
            needs.append(walk.through(PRODUCT_S, seconds, Products(pipe, machines, n, k)))
        kept = walk.through(KEPT, Kept(Operation.GEMM, own.kept), pair)
        result = replace_rows(result, chosen, carry_over(tuple(needs), here, kept))
    return result


CAUSE = Cause(
    name="library_products",
    sentence="libraries' matrix products: tiles, waves and power limits of each GPU",
    when="matrix products of a library whose shape is known, by the algorithm's amounts",
    corrects="products whose tiles fill one GPU and not the other, and power-limited cards",
    taught_by="llm_ops bf16 19.6 to 13.3 %, fp8 26.3 to 20.9 %; neusight linear 39.1 to 23.8 %; deepbench",
    acts=(at(OPERATORS, model_products),),
    steps=(Step.TENSOR, Step.PIPES, Step.SMS, Step.L2, Step.DRAM),
    levels=("tensor", "vector"),
    subject=Subject.OPERATOR,
)
