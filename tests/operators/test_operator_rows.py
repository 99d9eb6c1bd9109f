"""Which rows are library operators, what shape they have, and the amounts that follow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import roofcast
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.operators.amounts import gemm_amounts, softmax_amounts
from roofcast.operators.kernel_names import Operation, library_kernel
from roofcast.operators.operator_rows import (
    ATTENTION_WORDS,
    CODES,
    CONVOLUTION_LABELS,
    ELEMENTWISE_LABELS,
    EXPERT_WORDS,
    MATRIX_LABELS,
    NONE,
    NORM_LABELS,
    SOFTMAX_LABELS,
    codes_of,
    find_operators,
    operation_of_label,
    parse_shape,
    unrecognised_operators,
    with_shape_amounts,
)

LABELS = {
    "torch/linear": "gemm", "gemm/bfloat16": "gemm", "aten::addmm": "gemm", "eleuther/bmm": "gemm", "matmul": "gemm",
    "torch.softmax": "softmax", "aten::native_layer_norm": "normalisation", "torch/gelu": "elementwise",
    "attention_decode/kv=fp8": "attention", "attention_prefill_causal/kv=bfloat16": "attention",
    "moe_fused_bf16": "mixture_of_experts", "mla_gen_post_bf16": "mixture_of_experts",
}  # fmt: skip
NOT_LABELS = (
    "", "/", "matmul_naive", "micro16/matmul_tiled", "pmpp/softmax", "softmax", "vidur/attn_pre_proj", "relu",
    "kernel", "hotspot/gemmlike", "a/b/gemm",
)  # fmt: skip


@pytest.mark.parametrize(("label", "operation"), LABELS.items())
def test_labels_that_name_an_operator(label: str, operation: str) -> None:
    assert operation_of_label(label) == operation


@pytest.mark.parametrize("label", NOT_LABELS)
def test_labels_of_hand_written_kernels(label: str) -> None:
    assert operation_of_label(label) is None


@pytest.mark.parametrize(
    ("config", "shape"),
    [
        ("B=3;M=35;N=700;K=2048", (35, 700, 2048, 3)),
        ("ksweep;2304x4096x1536", (2304, 4096, 1536, np.nan)),
        ("16x1024x512x256", (1024, 512, 256, 16)),
        ("MWG=128;NWG=64;KWG=32", (np.nan,) * 4),
        ("n=1024;grid=128x128;block=8x8", (np.nan,) * 4),
        ("grid=(40,1,1);block=(256,1,1)", (np.nan,) * 4),
    ],
)
def test_shapes_in_configurations(config: str, shape: tuple[float, ...]) -> None:
    np.testing.assert_equal(parse_shape(config), shape)


def test_a_shape_whose_flops_are_others_is_none() -> None:
    flops = np.array([2.0 * 64 * 32 * 16, 4.0 * 64 * 32 * 16])
    rows = KernelTable.from_columns(
        {"kernel": ["torch/mm"] * 2, "config": ["M=64;N=32;K=16"] * 2},
        {"time_s": ([1e-3] * 2, Origin.COUNTED), "flops_fp32": (flops, Origin.DERIVED)},
    )
    found = find_operators(rows)
    assert found is not None
    np.testing.assert_equal(found.m, [64.0, np.nan])
    assert found.of(Operation.GEMM).all()


def test_the_kernel_beside_a_label_says_that_a_library_ran() -> None:
    names = np.array(["void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>", ""], object)
    rows = KernelTable.from_columns(
        {"kernel": ["step1", "step2"]}, {"time_s": ([1e-3] * 2, Origin.COUNTED)}, extra={"cuda_kernel": names}
    )
    found = find_operators(rows)
    assert found is not None
    assert found.of(Operation.ELEMENTWISE).tolist() == [True, False]


def test_the_last_part_of_a_label_names_a_call_but_no_kernel() -> None:
    names = ["suite/softmax", "suite/gemm_fp8", "suite/input_layernorm", "suite/my_softmax", "softmax"]
    text = {"kernel": names, "precision": ["fp16"] * 5}
    rows = KernelTable.from_columns(text, {"time_s": ([1e-3] * 5, Origin.COUNTED)})
    found = find_operators(rows)
    assert found is not None
    assert found.of(Operation.SOFTMAX).tolist() == [True, False, False, False, False]
    assert found.of(Operation.GEMM).tolist() == [False, True, False, False, False]
    assert found.of(Operation.NORMALISATION).tolist() == [False, False, True, False, False]
    assert find_operators(KernelTable.from_columns({"kernel": names}, {"time_s": ([1e-3] * 5, Origin.COUNTED)})) is None
    assert find_operators(rows.with_columns(block_threads=(np.full(5, 256.0), Origin.COUNTED))) is None


def test_a_table_without_library_kernels_is_left_as_it_is() -> None:
    rows = KernelTable.from_columns({"kernel": ["hotspot"]}, {"time_s": ([1e-3], Origin.COUNTED)})
    assert find_operators(rows) is None
    assert with_shape_amounts(rows) is rows


def test_a_table_of_operators_with_shapes_and_times_gets_amounts(tmp_path: Path) -> None:
    path = tmp_path / "operators.csv"
    path.write_text(
        "op,m,n,k,rows,cols,dtype,layout,gpu,time_us\n"
        "gemm,128,256,512,,,bf16,tn,A100,20\nlinear,64,64,64,,,,nn,A100,9\nsoftmax,,,,800,400,half,,A100,15\n"
        "mystery,1,2,3,4,5,fp32,,A100,7\n"
    )
    rows = with_shape_amounts(roofcast.read(path))
    assert rows.strings("kernel").tolist() == ["gemm", "linear", "softmax", "mystery"]
    assert rows.column("flops_tensor_bf16")[0] == 2.0 * 128 * 256 * 512
    assert rows.column("flops_fp32")[1] == 2.0 * 64**3
    assert rows.column("bytes_compulsory")[2] == float(softmax_amounts(800, 400, "fp16").bytes_compulsory)
    assert rows.column("shape_rows")[2] == 800
    assert np.isnan(rows.column("bytes_compulsory")[3])
    found = roofcast.forecast(rows, "H100")
    assert (found.estimate.time_s[:3] > 0).all()


def test_what_a_table_states_stays() -> None:
    stated = {"time_s": ([1e-3], Origin.COUNTED), "bytes_dram": ([123.0], Origin.COUNTED)}
    rows = KernelTable.from_columns({"kernel": ["torch/mm"], "config": ["M=64;N=32;K=16"]}, stated)
    assert with_shape_amounts(rows) is rows


def test_batches_of_columns() -> None:
    batch = np.array([2.0, 3.0])
    rows = KernelTable.from_columns(
        {"kernel": ["torch/bmm"] * 2}, {"time_s": ([1e-3] * 2, Origin.COUNTED)},
        extra={"M": np.array([8.0, 8.0]), "N": np.array([4.0, 4.0]), "K": np.array([2.0, 2.0]), "B": batch},
    )  # fmt: skip
    np.testing.assert_array_equal(with_shape_amounts(rows).column("flops_fp32"), gemm_amounts(8, 4, 2, batch).flops)


@pytest.mark.slow
def test_large_tables_keep_what_their_columns_say() -> None:
    count = 70_000
    ones = np.ones(count)
    rows = KernelTable.from_columns(
        {"kernel": ["step"] * count, "gpu": ["A100"] * count, "precision": ["bf16"] * count},
        {"time_s": (ones * 1e-3, Origin.COUNTED)},
        extra={"op": np.array(["matmul"] * count, object), "m": ones * 512, "n": ones * 768, "k": ones * 1024},
    )
    few = roofcast.forecast(rows.select(np.arange(3)), "H100", model="mechanistic").estimate.time_s
    many = roofcast.forecast(rows, "H100", model="mechanistic").estimate.time_s
    np.testing.assert_array_equal(many, np.broadcast_to(few[:1], many.shape))
    unknown = KernelTable.from_columns({"kernel": ["step"], "gpu": ["A100"]}, {"time_s": ([1e-3], Origin.COUNTED)})
    assert roofcast.forecast(unknown, "H100", model="mechanistic").estimate.time_s[0, 0] != few[0, 0]


def test_operators_that_no_model_knows_are_found() -> None:
    """By a library's label, by shape columns; not what was recognised, has counters or is somebody's own kernel."""
    names = ["torch/rope", "torch/softmax", "mine", "shaped", "torch/rope"]
    columns = {
        "time_s": np.full(5, 1e-3), "bytes_dram": np.array([*[np.nan] * 4, 1e9]),
        "m": np.array([np.nan, np.nan, np.nan, 64.0, np.nan]),
    }  # fmt: skip
    kernels = KernelTable(
        {n: columns[n] for n in ("time_s", "bytes_dram")}, {n: np.zeros(5, np.uint8) for n in ("time_s", "bytes_dram")},
        {"kernel": np.array(names, np.object_)}, extra=dict.fromkeys(("m", "n", "k"), columns["m"]),
    )  # fmt: skip
    found = unrecognised_operators(kernels, find_operators(kernels))
    assert found.tolist() == [True, False, False, True, False]


def test_the_search_before_the_rules_leaves_no_label_out() -> None:
    words = {*MATRIX_LABELS, *EXPERT_WORDS, *ATTENTION_WORDS, *ELEMENTWISE_LABELS, *SOFTMAX_LABELS, *NORM_LABELS,
             *CONVOLUTION_LABELS}  # fmt: skip
    forms = ("{}", "my_{}", "{}_proj", "aten::{}", "torch/{}", "op/{}", " {} ", "OP.{}.x")
    names = [form.format(word) for form in forms for word in sorted(words)]
    expected = [NONE if (o := operation_of_label(n)) is None else CODES.index(o) for n in names]
    labels = [n for n in names if n.startswith("op/") or library_kernel(n) is None]
    kept = [code for n, code in zip(names, expected, strict=True) if n in set(labels)]
    assert codes_of(labels).tolist() == kept
    assert len({*kept}) > 5
