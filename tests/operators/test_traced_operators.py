"""Amounts of operators as traces record them, against sums written out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.resource import Resource
from roofcast.core.timeline import Operator
from roofcast.operators.kernel_names import Operation
from roofcast.operators.traced_operators import (
    RECIPES,
    operation_of,
    shape_columns,
    traced_amounts,
    with_traced_amounts,
)

BF16, F32 = "c10::BFloat16", "float"


def amounts(name: str, *shapes: tuple[int, ...], dtype: str = F32, **more: tuple[object, ...]) -> tuple[float, float]:
    """FLOPs and least bytes."""
    kinds = tuple(dtype if s else "" for s in shapes)
    found = traced_amounts(Operator(name, shapes, kinds, **more))  # type: ignore[arg-type]  # fields by name
    assert found is not None
    return float(found.flops), float(found.bytes_compulsory)


@pytest.mark.parametrize(
    ("name", "shapes", "flops", "elements"),
    [
        ("aten::mm", ((64, 32), (32, 16)), 2 * 64 * 32 * 16, 64 * 32 + 32 * 16 + 64 * 16),
        ("aten::bmm", ((4, 64, 32), (4, 32, 16)), 2 * 4 * 64 * 32 * 16, 4 * (64 * 32 + 32 * 16 + 64 * 16)),
        ("aten::addmm", ((16,), (64, 32), (32, 16)), 2 * 64 * 32 * 16 + 64 * 16, 64 * 32 + 32 * 16 + 64 * 16 + 16),
        ("aten::linear", ((2, 32, 32), (16, 32), (16,)), 2 * 64 * 32 * 16 + 64 * 16, 64 * 32 + 512 + 1024 + 16),
        ("aten::mv", ((64, 32), (32,)), 2 * 64 * 32, 64 * 32 + 32 + 64),
        ("aten::matmul", ((2, 8, 32), (32, 16)), 2 * 16 * 32 * 16, 16 * 32 + 32 * 16 + 16 * 16),
    ],
)
def test_products(name: str, shapes: tuple[tuple[int, ...], ...], flops: float, elements: float) -> None:
    assert amounts(name, *shapes) == (flops, 4 * elements)


def test_convolutions_by_the_order_of_each_librarys_arguments() -> None:
    x, w = (8, 3, 224, 224), (64, 3, 7, 7)
    flops = 2 * 8 * 64 * 112 * 112 * 3 * 49
    for name, arguments in (
        ("aten::convolution", ("", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1")),
        ("aten::conv2d", ("", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "1")),
        ("aten::cudnn_convolution", ("", "", "[3, 3]", "[2, 2]", "[1, 1]", "1", "False", "False", "True")),
        ("aten::miopen_convolution", ("", "", "", "[3, 3]", "[2, 2]", "[1, 1]", "1", "False", "False")),
    ):
        shapes = (x, w, ()) if arguments[2] == "" else (x, w)
        assert amounts(name, *shapes, arguments=arguments)[0] == flops, name
    backward = ("", "", "", "[0]", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1", "[True, True, False]")
    assert amounts("aten::convolution_backward", (8, 64, 112, 112), x, w, arguments=backward)[0] == flops


def test_grouped_and_one_dimensional_convolutions() -> None:
    arguments = ("", "", "", "[1]", "[1]", "[1]", "64")
    assert amounts("aten::conv1d", (2, 64, 100), (64, 1, 3), arguments=arguments)[0] == 2 * 2 * 64 * 100 * 3


@pytest.mark.parametrize(
    ("name", "shape", "causal"),
    [
        ("aten::scaled_dot_product_attention", (2, 8, 128, 64), 5),
        ("aten::_scaled_dot_product_flash_attention", (2, 8, 128, 64), 4),
        ("aten::_scaled_dot_product_efficient_attention", (2, 8, 128, 64), 6),
        ("aten::_flash_attention_forward", (2, 128, 8, 64), 8),
    ],
)
def test_attention_by_the_layout_of_each_operator(name: str, shape: tuple[int, ...], causal: int) -> None:
    full = 4 * 2 * 8 * 128 * 128 * 64
    assert amounts(name, shape, shape, shape, dtype=BF16) == (full, 2 * 4 * 2 * 8 * 128 * 64)
    arguments = tuple("True" if i == causal else "" for i in range(10))
    half = amounts(name, shape, shape, shape, dtype=BF16, arguments=arguments)[0]
    assert half == pytest.approx(full * 129 / 256)


def test_elementwise_operators_read_broadcast_operands_once() -> None:
    assert amounts("aten::add", (64, 32), (64, 32)) == (64 * 32, 4 * 3 * 64 * 32)
    assert amounts("aten::add", (64, 32), (32,))[1] == 4 * (2 * 64 * 32 + 32)
    expanded = amounts("aten::add", (64, 32), (64, 32), strides=((32, 1), (0, 1)))
    assert expanded[1] == 4 * (2 * 64 * 32 + 32)


def test_copies_do_not_read_what_they_overwrite() -> None:
    found = traced_amounts(Operator("aten::copy_", ((1000,), (1000,)), (BF16, F32)))
    assert found is not None
    assert float(found.bytes_compulsory) == 1000 * (2 + 4)
    assert amounts("aten::fill_", (1000,), ())[1] == 4000


def test_the_element_type_of_lists_comes_from_the_kernel() -> None:
    operator = Operator("aten::cat", ((10, 8), (20, 8)), ("TensorList", "Scalar"))
    assert traced_amounts(operator) is None
    found = traced_amounts(operator, "fp16")
    assert found is not None
    assert float(found.bytes_compulsory) == 2 * 2 * 30 * 8


@pytest.mark.parametrize(
    "operator",
    [
        Operator("aten::mm"),
        Operator("aten::mm", ((3, 4), (5, 6)), (F32, F32)),
        Operator("aten::mm", ((3,),), (F32,)),
        Operator("aten::mm", ((0, 0), (0, 0)), (F32, F32)),
        Operator("aten::conv2d", ((1,), (2, 3)), (F32, F32), (), ("", "x", "[a]")),
        Operator("aten::_softmax", ((4, 4),), (F32,), (), ("", "99")),
        Operator("aten::bmm", ((2, 3, 4), (2, 4, 5)), ("strange", "type")),
        Operator("unheard::of", ((3, 4),), (F32,)),
        Operator("aten::_flash_attention_forward", ((1,), (2,), (3,)), (F32,) * 3),
    ],
)
def test_what_does_not_fit_gives_no_amounts(operator: Operator) -> None:
    assert traced_amounts(operator) is None


@pytest.mark.parametrize("name", sorted(RECIPES))
@pytest.mark.parametrize("shapes", [((8, 8),) * 3, ((2, 4, 8, 8),) * 4, ((7,), (3, 7)), ((1 << 40,) * 8,)])
def test_no_recipe_ever_fails(name: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    found = traced_amounts(Operator(f"aten::{name}_", shapes, (F32,) * len(shapes)))
    if found is not None:
        assert float(found.bytes_compulsory) > 0
        assert np.isfinite(float(found.flops))


def table(kernel: str, operator: Operator) -> KernelTable:
    cells = np.empty(1, dtype=np.object_)
    cells[0] = operator
    return KernelTable.from_columns(
        {"kernel": [kernel]}, {"time_s": ([1e-5], Origin.COUNTED)}, extra={"operator": cells}
    )


def test_a_table_takes_the_amounts_of_its_operators() -> None:
    product = Operator("aten::mm", ((64, 64), (64, 64)), (F32, F32))
    found, shaped = with_traced_amounts(table("ampere_sgemm_128x64_tn", product))
    assert shaped.tolist() == [True]
    assert found.column("flops_fp32").tolist() == [2 * 64**3]
    assert found.origin_of("bytes_compulsory").tolist() == [Origin.DERIVED]
    # FP32 products on tensor pipes are TF32: the kernel's name says so.
    tensor, _ = with_traced_amounts(table("cutlass_80_tensorop_s1688gemm_128x128_16x5_tn_align4", product))
    assert Resource.FLOPS_TENSOR_TF32.value in tensor.numeric
    # A product's work is not that of the element-wise kernel that follows it.
    assert not with_traced_amounts(table("void at::native::vectorized_elementwise_kernel<4>()", product))[1].any()


def test_kinds_of_operators() -> None:
    assert operation_of(Operator("aten::_softmax")) is Operation.SOFTMAX
    assert operation_of(Operator("triton_poi_fused_add_0")) is Operation.ELEMENTWISE
    assert operation_of(Operator("vllm::moe_forward")) is None


@pytest.mark.parametrize(
    ("name", "shapes", "expected"),
    [
        ("aten::mm", ((64, 32), (32, 16)), (64, 16, 32, 1)),
        ("aten::addmm", ((16,), (64, 32), (32, 16)), (64, 16, 32, 1)),
        ("aten::bmm", ((4, 64, 32), (4, 32, 16)), (64, 16, 32, 4)),
        ("aten::linear", ((2, 32, 32), (16, 32), (16,)), (64, 16, 32, 1)),
        ("aten::matmul", ((2, 8, 32), (32, 16)), (16, 16, 32, 1)),
    ],
)
def test_shapes_of_products_agree_with_their_work(
    name: str, shapes: tuple[tuple[int, ...], ...], expected: tuple[int, ...]
) -> None:
    operator = Operator(name, shapes, (F32,) * len(shapes))
    assert tuple(shape_columns(operator).values()) == expected
    m, n, k, batch = expected
    assert amounts(name, *shapes)[0] == pytest.approx(2 * m * n * k * batch, rel=0.05)


def test_shapes_of_row_operators() -> None:
    found = shape_columns(Operator("aten::_softmax", ((4, 8, 100),), (F32,), (), ("", "-1", "False")))
    assert found == {"shape_rows": 32}
    assert shape_columns(Operator("aten::add", ((4, 4), (4, 4)))) == {}
    assert shape_columns(Operator("aten::mm", ((4,), ()))) == {}
