"""What matrix instructions compute, element by element as the PTX ISA places them in registers and shared memory.

Written from the tables of the ISA, one index at a time; the package packs whole arrays. Both must agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Place = Callable[[int, int, int], tuple[int, int]]
"""(element, lane // 4, lane % 4) -> (row, column)"""


def low(i: int, per: int) -> bool:
    """Elements of a that lie in rows 0 to 7: every second group of ``per``."""
    return i // per % 2 == 0


SHAPES: dict[str, tuple[tuple[int, int, int], int, int, Place, Place]] = {
    # name: (m, n, k), elements of a, of b, place in a, place in b (row along k)
    "k4 f64": ((8, 8, 4), 1, 1, lambda i, g, t: (g, t), lambda i, g, t: (t, g)),
    "k16 f64": ((16, 8, 16), 8, 4, lambda i, g, t: (g + 8 * (i % 2), t + i // 2 * 4), lambda i, g, t: (t + 4 * i, g)),
    "k8 tf32": (
        (16, 8, 8), 4, 2, lambda i, g, t: (g if i in (0, 2) else g + 8, t if i in (0, 1) else t + 4),
        lambda i, g, t: (t + 4 * i, g),
    ),
    "k8 f16": (
        (16, 8, 8), 4, 2, lambda i, g, t: (g if i < 2 else g + 8, t * 2 + (i & 1)),
        lambda i, g, t: (t * 2 + i, g),
    ),
    "k16 f16": (
        (16, 8, 16), 8, 4,
        lambda i, g, t: (g if low(i, 2) else g + 8, t * 2 + (i & 1) + (8 if i >= 4 else 0)),
        lambda i, g, t: (t * 2 + (i & 1) + (8 if i >= 2 else 0), g),
    ),
    "k16 8bit": ((8, 8, 16), 4, 4, lambda i, g, t: (g, t * 4 + i), lambda i, g, t: (t * 4 + i, g)),
    "k32 8bit": (
        (16, 8, 32), 16, 8,
        lambda i, g, t: (g if low(i, 4) else g + 8, t * 4 + (i & 3) + (16 if i >= 8 else 0)),
        lambda i, g, t: (t * 4 + (i & 3) + (16 if i >= 4 else 0), g),
    ),
    "k64 4bit": (
        (16, 8, 64), 32, 16,
        lambda i, g, t: (g if low(i, 8) else g + 8, t * 8 + (i & 7) + (32 if i >= 16 else 0)),
        lambda i, g, t: (t * 8 + (i & 7) + (32 if i >= 8 else 0), g),
    ),
}  # fmt: skip
# kernel: (shape, shape on 7.5, bits of an element, type, type of a sum, scale)
KERNELS: dict[str, tuple[str, str, int, str, str, float]] = {
    "mma_fp64": ("k4 f64", "", 64, "f64", "float64", 1), "mma_fp64_wide": ("k16 f64", "", 64, "f64", "float64", 1),
    "mma_tf32": ("k8 tf32", "", 32, "f32", "float32", 1), "mma_fp16": ("k16 f16", "k8 f16", 16, "f16", "float16", 1),
    "mma_fp16_fp32": ("k16 f16", "k8 f16", 16, "f16", "float32", 1),
    "mma_bf16": ("k16 f16", "", 16, "bf16", "float32", 1), "mma_int8": ("k32 8bit", "k16 8bit", 8, "s8", "int32", 1),
    "mma_fp8": ("k32 8bit", "", 8, "e4m3", "float16", 1), "mma_fp8_fp32": ("k32 8bit", "", 8, "e4m3", "float32", 1),
    "mma_fp6": ("k32 8bit", "", 8, "e2m3", "float32", 1), "mma_mxfp8": ("k32 8bit", "", 8, "e4m3", "float32", 2),
    "mma_fp4": ("k64 4bit", "", 4, "e2m1", "float32", 2),
}  # fmt: skip
TILE_TYPES = {"fp16": ("f16", 16), "bf16": ("bf16", 16), "tf32": ("f32", 32), "fp8": ("e4m3", 8), "fp6": ("e2m3", 6),
              "int8": ("s8", 8), "fp4": ("e2m1", 4)}  # fmt: skip


def decoded(bits: int, kind: str) -> float:
    """The value of an element."""
    if kind in ("f64", "f32", "f16"):
        width = int(kind[1:])
        raw = np.array([bits], f"u{width // 8}").view(f"f{width // 8}")
        return float(raw[0])
    if kind == "bf16":
        return float(np.array([bits << 16], np.uint32).view(np.float32)[0])
    if kind == "s8":
        return float(bits - 256 if bits >= 128 else bits)
    exponent_bits, mantissa_bits = int(kind[1]), int(kind[3])
    sign: float = -1.0 if bits >> (exponent_bits + mantissa_bits) & 1 else 1.0
    exponent = bits >> mantissa_bits & (2**exponent_bits - 1)
    fraction = (bits & (2**mantissa_bits - 1)) / 2**mantissa_bits
    bias = 2 ** (exponent_bits - 1) - 1
    return float(sign * (fraction * 2.0 ** (1 - bias) if exponent == 0 else (1 + fraction) * 2.0 ** (exponent - bias)))


def decoded_all(stored: NDArray[Any], kind: str) -> NDArray[np.float64]:
    """Values of whole arrays of plain types, as a library reads them."""
    if kind == "bf16":
        return (stored.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    number = {"fp64": np.float64, "tf32": np.float32, "fp16": np.float16, "int8": np.int8}[kind]
    return stored.view(number).astype(np.float64)


def element(words: NDArray[np.uint32], i: int, bits: int) -> int:
    """Element i of the registers of one lane, lowest bits first."""
    whole = sum(int(w) << (32 * n) for n, w in enumerate(words))
    return int(whole >> (i * bits) & (2**bits - 1))


def mma(kernel: str, operands: NDArray[np.uint32], sm: int, rounds: int) -> NDArray[Any]:
    """What a block of 256 threads writes: ``operands`` words x 32 lanes, a first."""
    shape, turing, bits, kind, sums, scale = KERNELS[kernel]
    (m, n, k), count_a, count_b, place_a, place_b = SHAPES[turing if sm < 80 and turing else shape]
    a, b = np.full((m, k), np.nan), np.full((k, n), np.nan)
    lanes = operands.reshape(-1, 32)
    words_a = max(1, count_a * bits // 32)
    first_b = words_a + (scale != 1)
    for lane in range(32):
        g, t = lane // 4, lane % 4
        for i in range(count_a):
            a[place_a(i, g, t)] = decoded(element(lanes[:words_a, lane], i, bits), kind)
        for i in range(count_b):
            b[place_b(i, g, t)] = decoded(element(lanes[first_b:, lane], i, bits), kind)
    c = 4.0 * rounds * scale * (a @ b)
    found: NDArray[Any] = np.zeros((m // 4, 256))
    for thread in range(256):
        g, t = thread % 32 // 4, thread % 4
        for i in range(m // 4):
            found[i, thread] = c[g if i < 2 else g + 8, t * 2 + (i & 1)]
    if sums == "float16":
        found = found.reshape(-1, 2, 256).transpose(0, 2, 1)
    return found.astype(sums).ravel()


def tile(kernel: str, operands: NDArray[np.uint32], rounds: int) -> NDArray[Any]:
    """What wgmma (64 x 256) or tcgen05 (128 x 256) writes for operands in shared memory, K-major, no swizzle."""
    rows = 64 if kernel.startswith("wgmma") else 128
    kind, bits = TILE_TYPES[kernel.rpartition("_")[2]]
    image = operands.view(np.uint8)
    per_chunk = 16 if bits == 6 else 128 // bits

    def matrix(first: int, count: int) -> NDArray[np.float64]:
        found = np.zeros((count, 2 * per_chunk))
        for row in range(count):
            for chunk in range(2):
                at = first + row // 8 * 256 + chunk * 128 + row % 8 * 16
                whole = int.from_bytes(image[at : at + 16].tobytes(), "little")
                for i in range(per_chunk):
                    found[row, chunk * per_chunk + i] = decoded(whole >> (i * bits) & (2**bits - 1), kind)
        return found

    per_round, scale = (4, 1) if rows == 64 else (8, 2 if kernel == "tcgen05_fp4" else 1)
    c = per_round * rounds * scale * (matrix(0, rows) @ matrix(rows * 32, 256).T)
    value = np.int32 if kind == "s8" else np.float32
    if rows == 128:
        return c.astype(value).ravel()
    found = np.zeros((128, 128))
    for thread in range(128):
        warp, g, t = thread // 32, thread % 32 // 4, thread % 4
        for i in range(128):
            found[i, thread] = c[warp * 16 + g + (8 if i & 2 else 0), i // 4 * 8 + t * 2 + (i & 1)]
    return found.astype(value).ravel()
