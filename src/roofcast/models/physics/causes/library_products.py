r"""Libraries' matrix products: tiles, waves and power limits of each GPU.

.. math:: M = \left(\min_{tile, split} \Big(\tau_{pipe}^2 + \tau_{L2}^2 + \tau_{DRAM}^2\Big)^{q/2}
    + \Big(\frac{2 b m n k}{P_{sustained}}\Big)^q\right)^{1/q}, \quad
    \tau_{pipe} = w \Big(\frac{\tau_{tile}}{split} + \frac{c_t}{f}\Big) + \frac{c_0}{f}, \quad
    w = \max\Big(\Big\lceil \frac{tiles \cdot split}{S} \Big\rceil, r^g\Big)

M : s without launch. tau : s of the tiles' waves on the pipe, of their panels from L2, and of DRAM, for the best of a
menu of tiles and splits of the sum (:mod:`roofcast.models.operators.products`). b, m, n, k : batch and shape. S : SMs.
r : tiles that an SM holds at a time, g : ``crowding``. c_t, c_0 : ``tile_cycles``, ``start_cycles``. P : FLOP/s under
the power limit: measured, else what the board's watts leave beside idle power and clocked SMs over the joules of a
FLOP on its node (:func:`roofcast.models.power.product_limit`). q : ``power_norm``.

Reason: libraries choose among compiled tiles by trying, and so does the model; the SM with most tiles ends last; a
power limit bounds useful FLOPs only. cuBLAS has one tile for batches of FP32 products on an architecture, and before
Volta takes narrow tiles for layers (operands that both run along the sum), which lose what they share in L2 as rows
grow long. Which size is the sum's, the blocks of recorded launches prove (:mod:`roofcast.operators.recorded_blocks`).
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, rate
from roofcast.core.properties import Property
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.models.operators.products import peak_rate, product_s
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import carry_over, kept_share, replace_rows
from roofcast.models.physics.stages import KEPT, OPERATORS, PRODUCT_S, Kept, PairRoofs, Products, Result
from roofcast.operators.kernel_names import Operation, library_kernel
from roofcast.operators.operator_rows import KERNEL_COLUMNS


def model_products(result: Result, read: PairRoofs) -> Result:
    """Forecasts, those of matrix products of known shape by their own model."""
    pair, rows, walk = read.pair, read.pair.operators, read.pair.walk
    if rows is None:
        return result
    shaped = rows.of(Operation.GEMM) & ~np.isnan(rows.m)
    transposed, called = find_transposed(pair.table), find_calls(pair.table)
    for pipe, flops in pair.k.amounts.flops.items():
        chosen = np.flatnonzero(shaped & (flops > 0))
        if not len(chosen):
            continue
        m, n, k, batch = (v[chosen, None] for v in (rows.m, rows.n, rows.k, rows.batch))
        moved = pair.k.amounts.get(Resource.BYTES_DRAM)[chosen, None]
        here = pair.rows(chosen)
        constants = pair.levels.tensor if pipe in FLOPS_TENSOR else pair.levels.vector
        needs = []
        for machines in (here.source.machines, here.target.machines):
            seconds = product_s(
                (m, n, k, batch), moved, pipe, machines, peak_rate(machines, pipe), constants, transposed[chosen, None]
            )
            seconds = seconds + quantise_s(called[chosen], m, k, pipe, machines)
            needs.append(walk.through(PRODUCT_S, seconds, Products(pipe, machines, n, k)))
        share = walk.through(KEPT, Kept(Operation.GEMM, constants.kept), pair)
        times = carry_over(tuple(needs), here, share, constants.floor_share)
        result = replace_rows(result, chosen, times, needs[0], kept_share(here, share))
    return result


QUANTISED_BYTES, QUANTISE_S = 3.2, 3.5e-6
"""Bytes of DRAM per element of activations (2 read, 1 written) and s of a second kernel of a call in FP8: 2 us of
launch and as much to fill the GPU. llm_ops: with 32 columns FP8 takes 2.3 to 2.8 times as long as 16 bits."""


def quantise_s(
    called: NDArray[np.bool_], m: FloatArray, k: FloatArray, pipe: Resource, machines: Machines
) -> FloatArray:
    """(r, 1) or (r, m) s to make FP8 of the activations, m x k, in front of a product.

    called : (r,) rows that time an operator and not a kernel.
    """
    if pipe is not Resource.FLOPS_TENSOR_FP8:
        return np.zeros((1, 1))
    more = QUANTISED_BYTES * m * k / rate(machines, Resource.BYTES_DRAM) + QUANTISE_S
    return np.where(called[:, None], more, 0.0)


def find_calls(table: KernelTable) -> NDArray[np.bool_]:
    """(n,) rows whose name is an operator's and no library kernel's."""
    names = table.strings("kernel")
    known = {name: library_kernel(str(name)) is None for name in set(names.tolist())}
    return np.array([known[name] for name in names.tolist()], np.bool_)


TRANSPOSED = re.compile(r"linear|addmm|_proj|_tn(?:_|$)", re.IGNORECASE)
"""Layers, whose weights stand as outputs by inputs, and what cuBLAS calls such a product."""


def find_transposed(table: KernelTable) -> NDArray[np.bool_]:
    """(n,) products whose operands both run along the sum, by the label or the recorded name of the kernel."""
    texts = [table.strings("kernel"), *(table.extra[c] for c in KERNEL_COLUMNS if c in table.extra)]
    transposed = np.zeros(len(table), np.bool_)
    for column in texts:
        known = {text: bool(TRANSPOSED.search(str(text))) for text in set(column.tolist())}
        transposed |= np.array([known[text] for text in column.tolist()], np.bool_)
    return transposed


CAUSE = Cause(
    name="library_products",
    sentence="libraries' matrix products: tiles, waves and power limits of each GPU",
    when="matrix products of a library whose shape is known, by the algorithm's amounts",
    corrects="tiles that fill one GPU only, power-limited cards",
    taught_by="llm_ops bf16 19.6 to 10.0, fp8 26.3 to 19.3 %; neusight bmm 22.0 to 13.7, linear 39.1 to 17.3",
    acts=(at(OPERATORS, model_products),),
    properties=(Property.TENSOR, Property.PIPES, Property.SMS, Property.L2, Property.DRAM),
    levels=("tensor", "vector"),
    subject=Subject.OPERATOR,
)
