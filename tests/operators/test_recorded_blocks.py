"""Rows, columns and sum of a product from the blocks of its launch."""

from __future__ import annotations

import math

import numpy as np
import pytest

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.forecasting.forecast import forecast
from roofcast.operators.recorded_blocks import ORDER_BY_BLOCKS, SHAPE, with_shapes_of_blocks

SIZES = [(29, 129, 68, 63), (12, 71, 207, 153), (65, 67, 988, 66), (610, 938, 136, 62)]
"""Batch, rows, sum and columns of recorded launches."""


def products(order: str, kernel: str = "maxwell_sgemm_128x64_nn", rows: int = 4) -> KernelTable:
    """Products whose columns M, N, K hold rows, columns and sum in an order ("mnk": as named)."""
    sizes = np.array([(*SIZES[i % 4][1:2], SIZES[i % 4][3], SIZES[i % 4][2]) for i in range(rows)], np.float64)
    batch = np.array([SIZES[i % 4][0] for i in range(rows)], np.float64)
    m, n, k = sizes.T
    grid = batch * [math.ceil(a / 64) * math.ceil(b / 128) for a, b in zip(m, n, strict=True)]
    named = {"M": m, "N": n, "K": k} if order == "mnk" else {"M": m, "N": k, "K": n}
    return KernelTable.from_columns(
        {"kernel": ["torch/bmm"] * rows, "gpu": ["Tesla P100-PCIE-16GB"] * rows},
        {"time_s": (np.full(rows, 1e-3), Origin.COUNTED), "grid_blocks": (grid, Origin.COUNTED),
         "flops": (2 * batch * m * n * k, Origin.DERIVED)},
        extra={**named, "B": batch, "cuda_kernel": np.array([kernel] * rows, dtype=np.object_)},
    )  # fmt: skip


def test_the_sum_stands_where_the_blocks_prove_it() -> None:
    found, changed = with_shapes_of_blocks(products("mkn"))
    assert changed.all()
    for i, (batch, m, k, n) in enumerate(SIZES):
        assert [found.column(name)[i] for name in SHAPE] == [m, n, k, batch]


@pytest.mark.parametrize("kernel", ["maxwell_sgemm_128x64_nn", "gemmSN_NN_kernel", ""])
def test_sizes_stay_as_named_where_blocks_agree_or_say_nothing(kernel: str) -> None:
    order = "mnk" if "sgemm" in kernel else "mkn"
    table = products(order, kernel)
    found, changed = with_shapes_of_blocks(table)
    assert not changed.any()
    assert found is table


def test_a_reader_is_told_and_the_forecast_follows() -> None:
    proven = forecast(products("mkn"), "A100", model="mechanistic")
    named = forecast(products("mnk"), "A100", model="mechanistic")
    assert all(ORDER_BY_BLOCKS in texts for texts in proven.estimate.assumed)
    assert not any(ORDER_BY_BLOCKS in texts for texts in named.estimate.assumed)
    np.testing.assert_array_equal(proven.estimate.time_s, named.estimate.time_s)
