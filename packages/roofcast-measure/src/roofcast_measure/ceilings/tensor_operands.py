"""Operands of matrix units: values as the bits of a type, placed as the instructions want them, and read back.

A rate counts only for a product that was computed: small random matrices go in, and what comes out is compared with
NumPy's product. All values are exact in every type (multiples of a half up to 2), so the comparison is equality.
Layouts: PTX ISA, matrix fragments of mma, and shared memory layout (K-major, no swizzle) of wgmma and tcgen05.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
WARP = 32
"""Lanes of a warp."""
ROW_BYTES = 32
"""One row of an operand in shared memory: every type has as many elements along k as fill it."""
GROUP = 8
"""Rows of a core matrix, each of 16 bytes."""
MOST, HALVES = 2.0, 9
SEED = 20260
"""Seed of the random operands: each run checks the same sums."""


@dataclass(frozen=True, slots=True)
class Format:
    """A type of elements."""

    bits: int
    """That one element takes in a register or in memory."""
    exponent: int = 0
    """Bits of a small float's exponent; 0 where NumPy has the type."""
    mantissa: int = 0


FORMATS: dict[str, Format] = {
    "fp64": Format(64), "tf32": Format(32), "fp16": Format(16), "bf16": Format(16), "int8": Format(8),
    "e4m3": Format(8, 4, 3), "e2m3": Format(8, 2, 3), "e2m1": Format(4, 2, 1),
}  # fmt: skip


def small_float(value: float, exponent: int, mantissa: int) -> int:
    """Bits of a float of few bits; the value must be exact in it.

    >>> small_float(1.5, 4, 3), small_float(-0.5, 2, 1), small_float(2.0, 2, 3)
    (60, 9, 16)
    """
    sign = int(value < 0) << (exponent + mantissa)
    size = abs(value)
    bias = 2 ** (exponent - 1) - 1
    power = max(int(np.floor(np.log2(size))) if size else 1 - bias, 1 - bias)
    digits = size / 2.0**power * 2**mantissa
    if digits != int(digits):
        raise ValueError(f"{value} is not exact")
    # A leading one carries into the exponent's field; without it the number is subnormal.
    return int(sign | ((power + bias - 1) << mantissa) + int(digits))


def encode(values: Matrix, kind: str) -> NDArray[np.uint64]:
    """Bits of each element."""
    form = FORMATS[kind]
    if form.exponent:
        table = {v: small_float(v, form.exponent, form.mantissa) for v in np.unique(values)}
        return np.array([table[v] for v in values.ravel()], np.uint64).reshape(values.shape)
    if kind == "int8":
        return values.astype(np.int8).view(np.uint8).astype(np.uint64)
    if kind == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint64)
    plain: dict[str, tuple[Any, Any]] = {
        "fp64": (np.float64, np.uint64), "tf32": (np.float32, np.uint32), "fp16": (np.float16, np.uint16),
    }  # fmt: skip
    number, bits = plain[kind]
    encoded: NDArray[np.uint64] = values.astype(number).view(bits).astype(np.uint64)
    return encoded


def matrices(m: int, n: int, k: int, kind: str) -> tuple[Matrix, Matrix]:
    """Random a (m x k) and b (k x n) whose sums are exact: multiples of a half up to 2, of one up to 4 in integers."""
    rng = np.random.default_rng(SEED)
    step = MOST if kind == "int8" else 1.0
    a, b = (step * (rng.integers(0, HALVES, shape) / 2 - MOST) for shape in ((m, k), (k, n)))
    return a, b


def load(m: int, n: int, k: int, kind: str, *, cancelling: bool = False) -> tuple[Matrix, Matrix]:
    """Random a and b that use all digits of their type, as a network's do: power follows the bits that change.

    cancelling : each sum is zero although the operands are not, for sums that would overflow (FP16).
    """
    rng = np.random.default_rng(SEED)
    form = FORMATS[kind]
    if kind == "int8":
        a, b = (rng.integers(-127, 128, shape).astype(np.float64) for shape in ((m, k), (k, n)))
    elif form.exponent:
        digits, powers = 2**form.mantissa, 2 ** min(form.exponent - 1, 2)
        a, b = (
            rng.choice((-1.0, 1.0), shape) * (1 + rng.integers(0, digits, shape) / digits)
            * 2.0 ** -rng.integers(0, powers, shape).astype(np.float64) * 2.0 ** (powers - 1)
            for shape in ((m, k), (k, n))
        )  # fmt: skip
    else:
        a, b = (rng.standard_normal(shape) for shape in ((m, k), (k, n)))
    if cancelling:
        a[:, 1::2] = a[:, 0::2]
        b[1::2] = -b[0::2]
    return a, b


def words(bits: NDArray[np.uint64], width: int) -> NDArray[np.uint32]:
    """Elements along the last axis, packed into words of 32 bits, the first lowest."""
    if width == 64:
        return np.ascontiguousarray(bits).view(np.uint32)
    per_word = 32 // width
    parts = bits.reshape(*bits.shape[:-1], -1, per_word)
    shifts = np.arange(per_word, dtype=np.uint64) * np.uint64(width)
    packed: NDArray[np.uint32] = (parts << shifts).sum(axis=-1, dtype=np.uint64).astype(np.uint32)
    return packed


def fragment(rows: Matrix, kind: str) -> NDArray[np.uint32]:
    """What each lane of a warp holds of an operand whose rows run along k.

    rows : (8 or 16, k): a, or the columns of b. Returns (words, 32): lane l has row l / 4 (and that plus 8), and the
    word l % 4 of each four along k.
    """
    width = FORMATS[kind].bits
    packed = words(encode(rows, kind), width)
    elements = max(1, width // 32)
    high, along = len(rows) // GROUP, packed.shape[1] // (4 * elements)
    # (row half, row of the group, step along k, word of the lane, part of a 64-bit element)
    parts = packed.reshape(high, GROUP, along, 4, elements)
    return parts.transpose(2, 0, 4, 1, 3).reshape(along * high * elements, WARP)


def core_matrices(rows: Matrix, kind: str) -> NDArray[np.uint32]:
    """An operand in shared memory: 8 rows of 16 bytes after one another, then the next 16 bytes, then the next rows."""
    bits = encode(rows, kind)
    lines = packed_6(bits) if kind == "e2m3" else words(bits, FORMATS[kind].bits)
    return lines.reshape(len(rows) // GROUP, GROUP, 2, 4).transpose(0, 2, 1, 3).reshape(-1)


def packed_6(bits: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Sixteen 6-bit elements in 12 bytes, and four bytes of nothing."""
    chunks = bits.reshape(len(bits), -1, 16)
    places = (chunks[..., None] >> np.arange(6, dtype=np.uint64) & np.uint64(1)).astype(np.uint8)
    places = places.reshape(len(bits), -1, 96)
    filled = np.zeros((len(bits), places.shape[1], 128), np.uint8)
    filled[..., :96] = places
    return np.packbits(filled, axis=-1, bitorder="little").view(np.uint32).reshape(len(bits), -1)


def sums_of_lanes(values: NDArray[Any], m: int) -> Matrix:
    """An m x 8 matrix from what the lanes hold of it: lane l has columns 2 (l % 4) and the next of row l / 4.

    values : (elements, 32).
    """
    return values.astype(np.float64).reshape(m // GROUP, 2, GROUP, 4).transpose(0, 2, 3, 1).reshape(m, 8)


def sums_of_warpgroup(values: NDArray[Any]) -> Matrix:
    """A 64 x n matrix from what the 128 threads of a warpgroup hold of it: warp w has rows 16 w to 16 w + 15.

    values : (n / 2, 128).
    """
    parts = values.astype(np.float64).reshape(-1, 2, 2, 4, GROUP, 4)  # column group, row half, column, warp, row, pair
    return parts.transpose(3, 1, 4, 0, 5, 2).reshape(64, -1)
