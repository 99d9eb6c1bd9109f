"""Arithmetic that stays in registers, and matrix products: the library's where a cuBLAS is, and of own code."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast_measure.ceilings.bench import BLOCK, Bench, Ceiling, summary
from roofcast_measure.ceilings.cublas import TYPES, Library, Type, quantity_of
from roofcast_measure.ceilings.kernel_texts import available
from roofcast_measure.ceilings.tensor_operands import FORMATS, encode, load, matrices
from roofcast_measure.driver import Buffer, Launch

INSTRUCTIONS = 128
"""In one round of a chain kernel."""
WARP = 32
"""Lanes of a warp."""
CLOCK_THREADS = 1024
"""Of the block that loads an SM alone: the most that a block has."""
CONSTANTS: dict[str, tuple[float, float]] = {
    "f64": (1.000000001, 1e-9), "f32": (1.0000001, 1e-7), "i32": (3, 7),
    "fp16": (0x3C003C00, 0x00010001), "bf16": (0x3F803F80, 0x00010001),
}  # fmt: skip
"""Factor and summand; packed types as their bits (factor 1): values neither overflow nor vanish."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A kernel of ``arithmetic.cu``."""

    kernel: str
    quantity: str
    constants: str
    per_instruction: float
    """Amount that one instruction of one thread is."""
    what: str


CHAINS = (
    Chain("fma_fp64", "flops_fp64:fma", "f64", 2, "fused multiply-adds"),
    Chain("add_mul_fp64", "flops_fp64:add_mul", "f64", 1, "additions and multiplications"),
    Chain("fma_fp32", "flops_fp32:fma", "f32", 2, "fused multiply-adds"),
    Chain("add_mul_fp32", "flops_fp32:add_mul", "f32", 1, "additions and multiplications"),
    Chain("fma_fp16", "flops_fp16:fma", "fp16", 4, "packed fused multiply-adds"),
    Chain("add_mul_fp16", "flops_fp16:add_mul", "fp16", 2, "packed additions and multiplications"),
    Chain("fma_bf16", "flops_bf16:fma", "bf16", 4, "packed fused multiply-adds"),
    Chain("add_mul_bf16", "flops_bf16:add_mul", "bf16", 2, "packed additions and multiplications"),
    Chain("add_int32", "ops_int32:add", "i32", 1, "additions"),
    Chain("mul_int32", "ops_int32:mul", "i32", 1, "multiplications"),
    Chain("mad_int32", "ops_int32:mad", "i32", 2, "multiply-adds"),
    Chain("special_fp32", "insts_special", "f32", 1 / WARP, "reciprocal square roots"),
)


MATRICES = {"product_fp32": ("flops_fp32:matmul_own", 128, 4), "product_fp64": ("flops_fp64:matmul_own", 64, 8)}
"""Kernel -> quantity, side of a tile, bytes of an element."""
MOST_SIDE, SIDE_QUICK = 4096, 2048
LIBRARY_SIDE, LIBRARY_SIDE_QUICK, SIDE_CHECKED = 8192, 4096, 64
TILE_ROWS = 512
"""Rows of random numbers that are made; the others repeat them."""
NEAR = 0.01
"""Relative to the largest sum: sums are rounded to the type of the result, of which BF16 has eight bits."""
ABSENT = (
    "cuBLAS is not here (it comes with PyTorch, nvidia-cublas or a CUDA toolkit): flops_fp32:matmul_own is our own "
    "product, about two thirds of the library's"
)


def chain(bench: Bench, one: Chain) -> Ceiling:
    """FLOP/s, OP/s or warp instructions/s of one kind of arithmetic."""
    kernel = bench.kernel("arithmetic", one.kernel)
    kind = one.constants if one.constants in ("f64", "f32") else "i32"
    m, s = CONSTANTS[one.constants]
    launch = bench.looped(kernel, ("", bench.results), (kind, m), (kind, s))
    amount = bench.grid * BLOCK * INSTRUCTIONS * one.per_instruction
    return bench.rate(one.quantity, launch, amount, f"eight chains of {one.what} per thread")


def clock(bench: Bench) -> Ceiling:
    """SM clock under FP32 load: the most clocks that a block counts, each alone on its SM, over the launch's time."""
    kernel = bench.kernel("arithmetic", "clock_fp32")
    m, s = CONSTANTS["f32"]
    counts = np.zeros(bench.driver.info.sm_count, np.int64)
    with bench.memory(counts.nbytes) as (cycles,):

        def launch(rounds: int) -> Launch:
            arguments = (("", bench.results), ("f32", m), ("f32", s), ("i32", rounds), ("", cycles))
            return Launch(kernel, (len(counts),), (CLOCK_THREADS,), arguments)

        timed = launch(bench.rounds(launch))
        conditions = bench.sample([timed]).conditions
        rates = []
        for _ in range(bench.effort.repetitions):
            took = bench.once(timed)
            bench.driver.download(cycles, counts)
            rates.append(float(counts.max()) / took if took > 0 else math.nan)
    method = "clocks counted by the SM, one block on each, over the time of FP32 chains"
    return summary("clock:fp32", rates, method, conditions)


def own_product(bench: Bench, name: str) -> Ceiling:
    """FLOP/s of a whole matrix product of own code."""
    quantity, tile, width = MATRICES[name]
    most = SIDE_QUICK if bench.effort.warm_up_s == 0 else MOST_SIDE
    n = max(tile, min(most, math.isqrt(bench.driver.free_bytes() // (8 * width))) // tile * tile)
    kernel = bench.kernel("products", name)
    with bench.memory(*(n * n * width,) * 3) as (a, b, c):
        for buffer in (a, b):
            random = np.random.default_rng(n).standard_normal(n * tile)
            for at in range(0, n * n * width, n * tile * width):
                bench.driver.upload(buffer, random.astype(np.float32 if width == 4 else np.float64), at)
        launch = Launch(kernel, (n // tile, n // tile), (BLOCK,), (("", a), ("", b), ("", c), ("i32", n)))
        return bench.stream(
            quantity, launch, 2.0 * n**3, f"own product of random {n} x {n} matrices, tiles of {tile} in registers"
        )


@dataclass(frozen=True, slots=True)
class Repeated:
    """So many calls as one piece of work."""

    multiply: Callable[[], None]
    count: int

    def run(self) -> None:
        """Queue them."""
        for _ in range(self.count):
            self.multiply()

    def close(self) -> None:
        """Nothing was prepared."""


def library_product(bench: Bench, one: Type) -> Ceiling | None:
    """FLOP/s of the library's product of large random matrices; None, for all but the first type, without a library."""
    library = bench.host.library()
    if library is None:
        if one is TYPES[0]:
            raise RoofcastError(ABSENT)
        return None
    check(bench, library, one)
    width = FORMATS[one.operands].bits // 8
    most = LIBRARY_SIDE_QUICK if bench.effort.warm_up_s == 0 else LIBRARY_SIDE
    sums = np.dtype(one.sums).itemsize
    room = bench.driver.free_bytes() // (2 * (2 * width + sums))
    n = int(min(most, np.sqrt(room))) // SIDE_CHECKED * SIDE_CHECKED
    with bench.memory(n * n * width, n * n * width, n * n * sums) as (a, b, c):
        few = min(n, TILE_ROWS)
        rows, columns = load(few, few, n, one.operands)
        for buffer, values in ((a, rows), (b, columns.T)):
            fill(bench, buffer, stored(values, one.operands))
        quantity = quantity_of(one, bench.driver.info.sm)
        method = f"{library.name}, product of random {n} x {n} matrices"
        return bench.both(
            quantity, lambda count: Repeated(lambda: library.multiply(one, n, a, b, c), count), 2.0 * n**3, method
        )


def fill(bench: Bench, buffer: Buffer, block: NDArray[Any]) -> None:
    """Put a block into a buffer again and again."""
    for at in range(0, buffer.size_bytes, block.nbytes):
        left = (buffer.size_bytes - at) // block.itemsize
        bench.driver.upload(buffer, block.reshape(-1)[:left], at)


def stored(values: NDArray[np.float64], kind: str) -> NDArray[Any]:
    """Elements as they lie in memory."""
    return encode(np.ascontiguousarray(values), kind).astype(f"u{FORMATS[kind].bits // 8}")


def check(bench: Bench, library: Library, one: Type) -> None:
    """Refuse a library whose product is none: a wrong number of a type would still give a rate."""
    n = SIDE_CHECKED
    a, b = matrices(n, n, n, one.operands)
    given = [stored(x, one.operands) for x in (a, b.T)]
    product = np.zeros((n, n), one.sums)
    with bench.memory(given[0].nbytes, given[1].nbytes, product.nbytes) as buffers:
        for buffer, values in zip(buffers[:2], given, strict=True):
            bench.driver.upload(buffer, values)
        library.multiply(one, n, buffers[0], buffers[1], buffers[2])
        bench.driver.download(buffers[2], product)
    numbers = (
        (product.astype(np.uint32) << 16).view(np.float32) if one.sums is np.uint16 else product.astype(np.float64)
    )
    expected = (a @ b).T
    if not abs(numbers - expected).max() <= NEAR * abs(expected).max():
        raise RoofcastError(f"{library.name}'s product differs from NumPy's: not timed")


def steps(sm: int) -> list[tuple[str, Callable[[Bench], Ceiling | None]]]:
    """(what it is, measurement) of everything that an architecture has."""
    measurements: list[tuple[str, Callable[[Bench], Ceiling | None]]] = [("clock", clock)]
    measurements += [(c.quantity, lambda b, c=c: chain(b, c)) for c in CHAINS if available(c.kernel, sm)]  # type: ignore[misc]  # bound when made
    measurements += [(quantity_of(t, sm), lambda b, t=t: library_product(b, t)) for t in TYPES if sm >= t.oldest_sm]  # type: ignore[misc]  # bound when made
    measurements += [(quantity, lambda b, n=name: own_product(b, n)) for name, (quantity, _, _) in MATRICES.items()]  # type: ignore[misc]  # bound when made
    return measurements
