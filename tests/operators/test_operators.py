"""Amounts of operators from shapes, against counting loops and public tables of measurements."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.resource import Resource
from roofcast.operators import amounts as op


def counted_pairs(queries: int, keys: int) -> int:
    """Pairs that a causal mask leaves, the last query seeing every key."""
    return sum(1 for i, j in itertools.product(range(queries), range(keys)) if j <= i + keys - queries)


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (4, 4), (3, 7), (7, 3), (1, 9)])
def test_a_causal_mask_leaves_the_pairs_that_a_loop_counts(queries: int, keys: int) -> None:
    found = op.attention_amounts(2, 3, queries, keys, 16, causal=True)
    assert float(found.flops) == 2 * 2 * 3 * counted_pairs(queries, keys) * 32


def test_a_convolution_is_what_a_loop_over_the_outputs_counts() -> None:
    macs = 0
    for out in range(0, 11 + 2 - 5 + 1, 2):
        macs += (9 + 2 * 2 - 3 + 1) * 5 * 3 if out + 5 <= 13 else 0
    found = op.convolution_amounts(2, 4, 11, 9, 6, 5, 3, "fp16", stride=2, padding=1, stride_w=1, padding_w=2, groups=2)
    assert float(found.flops) == 2 * 2 * 6 * (4 / 2) * macs
    assert found.pipe is Resource.FLOPS_TENSOR_FP16


def test_a_convolution_of_one_pixel_is_a_product_of_matrices() -> None:
    conv = op.convolution_amounts(8, 32, 1, 1, 64, 1, 1)
    gemm = op.gemm_amounts(8, 64, 32)
    assert float(conv.flops) == float(gemm.flops)
    assert float(conv.bytes_compulsory) == float(gemm.bytes_compulsory)


def test_arguments_broadcast_and_make_columns() -> None:
    found = op.gemm_amounts([16, 32], 64, 128, dtype="fp8")
    columns = found.columns()
    assert columns["flops_tensor_fp8"][0].tolist() == [2.0 * 16 * 64 * 128, 2.0 * 32 * 64 * 128]
    table = KernelTable.from_columns({"kernel": ["a", "b"]}, {"time_s": ([1e-3, 1e-3], Origin.COUNTED)})
    table = table.with_columns(**columns)
    assert table.origin_of("bytes_compulsory").tolist() == [Origin.DERIVED] * 2


def test_operators_off_the_matrix_compute_in_single_precision() -> None:
    assert op.softmax_amounts(4, 8, "fp16").pipe is Resource.FLOPS_FP32
    assert op.elementwise_amounts(4, "int64").pipe is Resource.FLOPS_FP32
    assert op.elementwise_amounts(4, "fp64").pipe is Resource.FLOPS_FP64


def test_an_unknown_type_is_named() -> None:
    with pytest.raises(InputError, match=r"'float7'"):
        op.gemm_amounts(1, 1, 1, dtype="float7")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "kernel", "shape"),
    [
        ("llm_ops/gemm_sglang0510.csv.gz", "gemm/bfloat16", ("m", "n", "k")),
        ("neusight/ops_fp32.csv.gz", "torch/bmm", ("M", "N", "K")),
    ],
)
def test_amounts_are_those_of_public_tables(data_dir: Path, file: str, kernel: str, shape: tuple[str, ...]) -> None:
    rows = pl.read_csv(data_dir / file, infer_schema_length=None).filter(pl.col("kernel") == kernel)
    rows = rows.sample(500, seed=1)
    m, n, k = (rows[c].to_numpy() for c in shape)
    batch = rows["B"].to_numpy() if "B" in rows.columns else 1
    found = op.gemm_amounts(m, n, k, batch, "bf16" if kernel.endswith("bfloat16") else "fp32")
    np.testing.assert_allclose(found.flops, rows["flops"].to_numpy(), rtol=1e-6)
    np.testing.assert_allclose(found.bytes_compulsory, rows["bytes_compulsory"].to_numpy(), rtol=1e-6)
