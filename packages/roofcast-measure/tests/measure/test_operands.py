"""Operands of matrix units: bits, and places in registers and shared memory."""

from __future__ import annotations

import math

import numpy as np
import pytest

import matrix_oracle
from roofcast_measure.ceilings import tcgen05, tensor
from roofcast_measure.ceilings import tensor_operands as operands
from roofcast_measure.ceilings.tensor_operands import FORMATS, encode, matrices, small_float

NAMES = {"fp64": "f64", "tf32": "f32", "fp16": "f16", "bf16": "bf16", "int8": "s8"}


@pytest.mark.parametrize("kind", FORMATS)
def test_bits_mean_the_value(kind: str) -> None:
    values = np.arange(-4, 5) / (1 if kind == "int8" else 2)
    found = [matrix_oracle.decoded(int(b), NAMES.get(kind, kind)) for b in encode(values, kind)]
    assert found == values.tolist()


@pytest.mark.parametrize(("exponent", "mantissa"), [(4, 3), (2, 3), (2, 1), (3, 2), (5, 2)])
def test_small_floats_are_read_back(exponent: int, mantissa: int) -> None:
    kind = f"e{exponent}m{mantissa}"
    for bits in range(2 ** (exponent + mantissa + 1)):
        value = matrix_oracle.decoded(bits, kind)
        # Minus zero is zero.
        assert small_float(value, exponent, mantissa) == bits or (value == 0 and math.copysign(1, value) < 0)
    with pytest.raises(ValueError, match="not exact"):
        small_float(1.0 + 2.0**-9, exponent, mantissa)


def test_no_value_stands_in_two_places() -> None:
    rows = np.arange(16 * 16, dtype=np.float64).reshape(16, 16)
    assert sorted(operands.fragment(rows, "tf32").view(np.float32).ravel().tolist()) == sorted(rows.ravel().tolist())
    wide = np.arange(64 * 8, dtype=np.float64).reshape(64, 8)
    image = operands.core_matrices(wide, "tf32").view(np.float32)
    assert sorted(image.tolist()) == sorted(wide.ravel().tolist())
    assert image[:4].tolist() == [0, 1, 2, 3]
    assert image[32 : 32 + 4].tolist() == [4, 5, 6, 7], "the next 16 bytes along k are 128 bytes on"
    assert image[64 : 64 + 4].tolist() == [64, 65, 66, 67], "the next eight rows are 256 bytes on"


@pytest.mark.parametrize("kind", FORMATS)
def test_what_draws_power_uses_all_digits(kind: str) -> None:
    a, b = operands.load(16, 8, 64, kind, cancelling=True)
    assert abs(a @ b).max() < 1e-12
    assert (a != 0).mean() > 0.9
    a, b = operands.load(64, 64, 64, kind)
    assert (a @ b != 0).mean() > 0.9
    # Every digit is a coin.
    digits = FORMATS[kind].mantissa or {"tf32": 10, "fp16": 10, "bf16": 7, "int8": 6, "fp64": 40}[kind]
    found = operands.encode(a, kind)
    low = 13 if kind == "tf32" else 0
    shares = [float((found >> np.uint64(i + low) & np.uint64(1)).mean()) for i in range(digits)]
    assert all(0.4 < share < 0.6 for share in shares), shares
    a, b = matrices(16, 8, 64, kind)
    assert (a @ b != 0).mean() > 0.9
    if kind != "int8":
        assert abs(4 * tensor.SCALED * (a @ b)).max() < 2048 / 4, "exact in FP16"


def test_every_product_reaches_the_oracle_unchanged() -> None:
    for one in tensor.PRODUCTS:
        for sm in (75, 90):
            m, n, k = one.shape_on(sm)
            a, b = matrices(m, n, k, one.operands)
            words = tensor.registers(one, a, b)
            assert words.flags.c_contiguous, "a device takes memory as it lies"
            found = matrix_oracle.mma(one.kernel, words, sm, 1)
            for sums in tensor.sums_of_warps(found, one, m):
                np.testing.assert_array_equal(sums, 4 * (a @ b) * (2 if one.scales else 1))
    with pytest.raises(Exception, match=r"1 of 4 sums differ from the product \(\[1, 1\] is 4, not 5\)"):
        tensor.must_equal(np.array([[1, 2], [3, 4]]), np.array([[1.0, 2], [3, 5]]))


def test_descriptors_of_instructions() -> None:
    found = {p.kernel: p.descriptor for p in tcgen05.PRODUCTS}
    # N = 256 from bit 17, M = 128 from bit 24; types of sums, a and b from bits 4, 7 and 10
    size = 32 << 17 | 8 << 24
    assert found == {
        "tcgen05_fp16": size | 1 << 4, "tcgen05_bf16": size | 1 << 4 | 1 << 7 | 1 << 10,
        "tcgen05_tf32": size | 1 << 4 | 2 << 7 | 2 << 10, "tcgen05_fp8": size | 1 << 4,
        "tcgen05_fp6": size | 1 << 4 | 3 << 7 | 3 << 10, "tcgen05_int8": size | 2 << 4 | 1 << 7 | 1 << 10,
        "tcgen05_fp4": size | 1 << 7 | 1 << 10,
    }  # fmt: skip
