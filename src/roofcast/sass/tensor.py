"""Tensor instructions: operations per warp instruction from the shape, type and sparsity bits.

Work is 2 M N K. Sparse instructions (``.SP``) are counted with their full K, as vendors do. Shapes that stand in a
descriptor instead of the instruction (tcgen05 on sm_100) cannot be told from the code; they count nothing here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofcast.core.resource import Resource

if TYPE_CHECKING:
    from roofcast.sass.opcodes import Code, Floats

# Bits of the upper half, as (bit 14, bit 11) for HMMA: 16x8xK.
HMMA_K = {(0, 0): 8, (0, 1): 16, (1, 0): 4, (1, 1): 32}
# IMMA: (bit 22, bit 21, bit 11) -> M, K.
IMMA_MK = {
    (0, 0, 0): (8, 16), (0, 0, 1): (8, 32), (0, 1, 0): (8, 32), (0, 1, 1): (8, 32),
    (1, 0, 0): (16, 16), (1, 0, 1): (16, 32), (1, 1, 0): (16, 64), (1, 1, 1): (16, 128),
}  # fmt: skip
HGMMA_TYPE = {
    0: (Resource.FLOPS_TENSOR_FP16, 16),
    1: (Resource.FLOPS_TENSOR_BF16, 16),
    2: (Resource.FLOPS_TENSOR_TF32, 8),
    3: (Resource.FLOPS_TENSOR_FP16, 16),
}


IGMMA_N = (8, 16, 24, *range(32, 257, 16))
"""N by a third of its field, which also tells dense, sparse and binary apart."""


def bits(word: int, *positions: int) -> tuple[int, ...]:
    """Single bits of a word."""
    return tuple(word >> p & 1 for p in positions)


def tensor_ops(code: Code) -> dict[Resource, Floats]:
    """Resource -> (n,) operations of one execution by one warp."""
    from roofcast.sass.opcodes import TENSOR

    found: dict[Resource, Floats] = {}
    names = code.name
    for index in np.flatnonzero(code.is_one_of(*TENSOR)):
        resource, ops = tensor_op(str(names[index]), int(code.low[index]), int(code.high[index]), code.sm)
        if ops:
            found.setdefault(resource, np.zeros(len(code)))[index] = ops
    return found


def tensor_op(name: str, low: int, high: int, sm: int) -> tuple[Resource, int]:
    """Resource and operations per warp of one tensor instruction."""
    if name == "HMMA":
        return hmma(low, high, sm)
    if name == "IMMA":
        m, k = IMMA_MK[bits(high, 22, 21, 11)]  # type: ignore[index]  # three bits are always one of the eight keys
        return Resource.OPS_TENSOR_INT8, 2 * m * 8 * k
    if name == "DMMA":
        m, k = ((8, 4), (16, 4), (16, 8), (16, 16))[high >> 12 & 3]
        return Resource.FLOPS_TENSOR_FP64, 2 * m * 8 * k
    if name == "QMMA":
        return Resource.FLOPS_TENSOR_FP8, 2 * 16 * 8 * (64 if high >> 16 & 1 else 32 if high >> 11 & 1 else 16)
    if name == "OMMA":
        return Resource.FLOPS_TENSOR_FP4, 2 * 16 * 8 * (128 if high >> 16 & 1 else 64)
    if name in ("HGMMA", "IGMMA", "QGMMA"):
        return warp_group(name, low, high)
    # BMMA, BGMMA: binary operations are no arithmetic of any supply; UTCMMA: the descriptor holds the shape.
    return Resource.OPS_TENSOR_INT8, 0


def hmma(low: int, high: int, sm: int) -> tuple[Resource, int]:
    """Half-precision family: 16x8xK, or Volta's 8x8x4 in two (FP16 sums) or four steps (FP32 sums)."""
    if low & 0x1FF == 0x36 and sm < 80:
        has_wide_sums = bool(high >> 12 & 1)
        return Resource.FLOPS_TENSOR_FP16, 512 if has_wide_sums else 1024
    kind = Resource.FLOPS_TENSOR_FP16
    if high >> 19 & 1:
        kind = Resource.FLOPS_TENSOR_TF32
    elif high >> 18 & 1:
        kind = Resource.FLOPS_TENSOR_BF16
    return kind, 2 * 16 * 8 * HMMA_K[bits(high, 14, 11)]  # type: ignore[index]  # two bits are always a key


def warp_group(name: str, low: int, high: int) -> tuple[Resource, int]:
    """Hopper's 64xNxK by a group of four warps; each warp's share."""
    n = ((low >> 53 & 0x1F) + 1) * 8
    kind, k = HGMMA_TYPE[high >> 12 & 3]
    if name == "IGMMA":
        kind, k = Resource.OPS_TENSOR_INT8, 32
        n = IGMMA_N[min((low >> 53 & 0x3F) // 3, len(IGMMA_N) - 1)]
    elif name == "QGMMA":
        kind, k = Resource.FLOPS_TENSOR_FP8, 32
    if high >> 9 & 1:
        k *= 2
    return kind, 2 * 64 * n * k // 4
