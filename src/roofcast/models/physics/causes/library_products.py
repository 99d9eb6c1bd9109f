r"""Libraries' matrix products: tiles, waves and power limits of each GPU.

.. math:: M = \left(\min_{tile, split} \Big(\tau_{pipe}^p + \tau_{L2}^p + \tau_{DRAM}^p\Big)^{q/p}
    + \Big(\frac{2 b m n k}{P_{sustained}}\Big)^q\right)^{1/q}

M : s without launch. tau : s of the tiles' waves on the pipe, of their panels from L2, and of DRAM, for the best of a
menu of tiles and splits of the sum (:mod:`roofcast.models.operators.products`). b, m, n, k : batch and shape. P :
FLOP/s under the power limit: measured, else what the board's watts leave beside idle power and clocked SMs over the
joules of a FLOP on its node (:func:`roofcast.models.power.product_limit`). p : 4 on tensor pipes, else 1.5. q :
``power_norm``.

Reason: libraries choose among compiled tiles by trying, and so does the model; a power limit bounds useful FLOPs only.
Before Volta cuBLAS takes narrow tiles for layers (operands that both run along the sum), which lose what they share in
L2 as operands outgrow it. The tile that a recorded name of the source tells explains no more than the menu's best: T/M
spreads by 0.19 to 0.53 with the menu and 0.21 to 0.50 with the name's tile on neusight's five GPUs, so it is not read.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import KernelTable
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.core.waterfall import Cause as Step
from roofcast.models.operators.products import peak_rate, product_s
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import carry_over, replace_rows
from roofcast.models.physics.stages import KEPT, OPERATORS, PRODUCT_S, Forecast, Kept, Products, Result
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import KERNEL_COLUMNS


def model_products(result: Result, read: Forecast) -> Result:
    """Forecasts, those of matrix products of known shape by their own model."""
    pair, rows, walk = read.pair, read.pair.operators, read.pair.walk
    if rows is None:
        return result
    shaped = rows.of(Operation.GEMM) & ~np.isnan(rows.m)
    transposed = find_transposed(pair.table)
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
            seconds = product_s(
                (m, n, k, batch), moved, pipe, machines, peak_rate(machines, pipe), own, transposed[chosen, None]
            )
            needs.append(walk.through(PRODUCT_S, seconds, Products(pipe, machines, n, k)))
        kept = walk.through(KEPT, Kept(Operation.GEMM, own.kept), pair)
        result = replace_rows(result, chosen, carry_over(tuple(needs), here, kept))
    return result


TRANSPOSED = re.compile(r"linear|addmm|_proj|_tn(?:_|$)", re.IGNORECASE)
"""Layers, whose weights stand as outputs by inputs, and what cuBLAS calls such a product."""


def find_transposed(table: KernelTable) -> NDArray[np.bool_]:
    """(n,) products whose operands both run along the sum, by the label or the recorded name of the kernel."""
    texts = [table.strings("kernel"), *(table.extra[c] for c in KERNEL_COLUMNS if c in table.extra)]
    found = np.zeros(len(table), np.bool_)
    for column in texts:
        known = {text: bool(TRANSPOSED.search(str(text))) for text in set(column.tolist())}
        found |= np.array([known[text] for text in column.tolist()], np.bool_)
    return found


CAUSE = Cause(
    name="library_products",
    sentence="libraries' matrix products: tiles, waves and power limits of each GPU",
    when="matrix products of a library whose shape is known, by the algorithm's amounts",
    corrects="tiles that fill one GPU only, power-limited cards",
    taught_by="llm_ops bf16 19.6 to 13.3, fp8 26.3 to 20.9 %; neusight linear 39.1 to 23.1; 164 rates of 50 cards: 8",
    acts=(at(OPERATORS, model_products),),
    steps=(Step.TENSOR, Step.PIPES, Step.SMS, Step.L2, Step.DRAM),
    levels=("tensor", "vector"),
    subject=Subject.OPERATOR,
)
