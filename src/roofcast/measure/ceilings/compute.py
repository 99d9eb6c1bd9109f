"""Arithmetic and matrix products of own code: FLOP/s that stay in registers, or nearly so."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from roofcast.measure.ceilings.bench import BLOCK, Bench, Ceiling, summary
from roofcast.measure.ceilings.kernel_texts import available
from roofcast.measure.driver import Launch

INSTRUCTIONS = 128
"""In one round of a chain kernel."""
WARP = 32
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


MATRICES = {"product_fp32": ("flops_fp32:matmul", 128, 4), "product_fp64": ("flops_fp64:matmul", 64, 8)}
"""Kernel -> quantity, side of a tile, bytes of an element."""
MOST_SIDE, SIDE_QUICK = 4096, 2048


def chain(bench: Bench, one: Chain) -> Ceiling:
    """FLOP/s, OP/s or warp instructions/s of one kind of arithmetic."""
    kernel = bench.kernel("arithmetic", one.kernel)
    kind = one.constants if one.constants in ("f64", "f32") else "i32"
    m, s = CONSTANTS[one.constants]
    launch = bench.looped(kernel, ("", bench.results), (kind, m), (kind, s))
    amount = bench.grid * BLOCK * INSTRUCTIONS * one.per_instruction
    return bench.rate(one.quantity, launch, amount, f"eight chains of {one.what} per thread")


def clock(bench: Bench) -> Ceiling:
    """SM clock under FP32 load: clocks that the first block counts over the time of the launch."""
    kernel = bench.kernel("arithmetic", "clock_fp32")
    m, s = CONSTANTS["f32"]
    found = np.zeros(1, np.int64)
    with bench.memory(16) as (cycles,):

        def launch(rounds: int) -> Launch:
            arguments = (("", bench.results), ("f32", m), ("f32", s), ("i32", rounds), ("", cycles))
            return Launch(kernel, (bench.grid,), (BLOCK,), arguments)

        one = launch(bench.rounds(launch))
        conditions = bench.sample([one]).conditions
        rates = []
        for _ in range(bench.effort.repetitions):
            took = bench.once(one)
            bench.driver.download(cycles, found)
            rates.append(float(found[0]) / took if took > 0 else math.nan)
    return summary("clock:fp32", rates, "clocks counted by the SM over the time of FP32 chains", conditions)


def matrices(bench: Bench, name: str) -> Ceiling:
    """FLOP/s of a whole matrix product of own code."""
    quantity, tile, width = MATRICES[name]
    most = SIDE_QUICK if bench.effort.warm_up_s == 0 else MOST_SIDE
    n = max(tile, min(most, math.isqrt(bench.driver.free_bytes() // (8 * width))) // tile * tile)
    kernel = bench.kernel("products", name)
    with bench.memory(*(n * n * width,) * 3) as (a, b, c):
        for buffer in (a, b):
            bench.driver.upload(buffer, np.full(n * n, 0.5, np.float32 if width == 4 else np.float64))
        launch = Launch(kernel, (n // tile, n // tile), (BLOCK,), (("", a), ("", b), ("", c), ("i32", n)))
        return bench.stream(
            quantity, launch, 2.0 * n**3, f"product of {n} x {n} matrices, tiles of {tile} in registers"
        )


def steps(sm: int) -> list[tuple[str, Callable[[Bench], Ceiling]]]:
    """(what it is, measurement) of everything that an architecture has."""
    found: list[tuple[str, Callable[[Bench], Ceiling]]] = [("clock", clock)]
    found += [(c.quantity, lambda b, c=c: chain(b, c)) for c in CHAINS if available(c.kernel, sm)]  # type: ignore[misc]  # bound when made
    found += [(quantity, lambda b, n=name: matrices(b, n)) for name, (quantity, _, _) in MATRICES.items()]  # type: ignore[misc]  # bound when made
    return found
