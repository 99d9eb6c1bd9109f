"""Arithmetic, matrix units and matrix products: FLOP/s that stay in registers, or nearly so."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from roofcast.measure.ceilings import wgmma
from roofcast.measure.ceilings.bench import BLOCK, Bench, Ceiling, available, summary
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


@dataclass(frozen=True, slots=True)
class Product:
    """A kernel of ``tensor.cu``: one instruction of a warp."""

    kernel: str
    quantity: str
    shape: tuple[int, int, int]
    shape_turing: tuple[int, int, int] | None = None

    def flops(self, sm: int) -> int:
        """FLOPs of one product."""
        m, n, k = self.shape_turing if sm < 80 and self.shape_turing else self.shape
        return 2 * m * n * k


PRODUCTS = (
    Product("mma_fp64", "flops_tensor_fp64:mma", (8, 8, 4)),
    Product("mma_fp64_wide", "flops_tensor_fp64:mma", (16, 8, 16)),
    Product("mma_tf32", "flops_tensor_tf32:mma", (16, 8, 8)),
    Product("mma_fp16", "flops_tensor_fp16:mma", (16, 8, 16), (16, 8, 8)),
    Product("mma_fp16_fp32", "flops_tensor_fp16:fp32_accumulate", (16, 8, 16), (16, 8, 8)),
    Product("mma_bf16", "flops_tensor_bf16:mma", (16, 8, 16)),
    Product("mma_fp8", "flops_tensor_fp8:mma", (16, 8, 32)),
    Product("mma_int8", "ops_tensor_int8:mma", (16, 8, 32), (8, 8, 16)),
)
PER_ROUND = 32
"""Products of one warp in one round."""
WIDE_QUANTITIES = {
    "wgmma_fp16": "flops_tensor_fp16:wgmma", "wgmma_bf16": "flops_tensor_bf16:wgmma",
    "wgmma_tf32": "flops_tensor_tf32:wgmma", "wgmma_fp8": "flops_tensor_fp8:wgmma",
    "wgmma_int8": "ops_tensor_int8:wgmma",
}  # fmt: skip
WARPGROUPS_PER_SM = 3
MATRICES = {"product_fp32": ("flops_fp32:matmul", 128, 4), "product_fp64": ("flops_fp64:matmul", 64, 8)}
"""Kernel -> quantity, side of a tile, bytes of an element."""
MOST_SIDE, SIDE_QUICK = 4096, 2048


def mma_is_slow(sm: int) -> bool:
    """Whether the matrix units have instructions (tcgen05) whose rate mma.sync does not reach."""
    return 100 <= sm < 120


def chain(bench: Bench, one: Chain) -> Ceiling:
    """FLOP/s, OP/s or warp instructions/s of one kind of arithmetic."""
    kernel = bench.kernel("arithmetic", one.kernel)
    kind = one.constants if one.constants in ("f64", "f32") else "i32"
    m, s = CONSTANTS[one.constants]

    def launch(rounds: int) -> Launch:
        return Launch(kernel, (bench.grid,), (BLOCK,), (("", bench.results), (kind, m), (kind, s), ("i32", rounds)))

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


def product(bench: Bench, one: Product) -> Ceiling:
    """FLOP/s of the matrix units through mma.sync."""
    kernel = bench.kernel("tensor", one.kernel)
    sm = bench.driver.info.sm
    kind, seed = ("f64", 1.0) if "fp64" in one.kernel else ("i32", 0)
    blocks = 4 * bench.driver.info.sm_count

    def launch(rounds: int) -> Launch:
        return Launch(kernel, (blocks,), (BLOCK,), (("", bench.results), (kind, seed), ("i32", rounds)))

    amount = blocks * BLOCK // WARP * PER_ROUND * one.flops(sm)
    found = bench.rate(one.quantity, launch, amount, "mma.sync from registers, eight products at once per warp")
    if not mma_is_slow(sm):
        return found
    return Ceiling(found.quantity, found.value, found.spread, found.repetitions, found.method, found.clock_hz,
                   found.clock_hz_dram, found.power_w, is_ceiling=False)  # fmt: skip


def wide_product(bench: Bench, one: wgmma.WideProduct) -> Ceiling:
    """FLOP/s of Hopper's warpgroup products."""
    if "wgmma" not in bench.texts:
        bench.use(wgmma.source())
        bench.texts.add("wgmma")
    kernel = bench.loaded[one.kernel]
    blocks = WARPGROUPS_PER_SM * bench.driver.info.sm_count

    def launch(rounds: int) -> Launch:
        return Launch(kernel, (blocks,), (wgmma.THREADS,), (("", bench.results), ("i32", rounds)))

    amount = blocks * wgmma.PER_ROUND * one.flops
    return bench.rate(WIDE_QUANTITIES[one.kernel], launch, amount, "wgmma from shared memory, three warpgroups per SM")


def matrices(bench: Bench, name: str) -> Ceiling:
    """FLOP/s of a whole matrix product of own code."""
    quantity, tile, width = MATRICES[name]
    most = SIDE_QUICK if bench.effort.hold_s == 0 else MOST_SIDE
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
    found += [(p.quantity, lambda b, p=p: product(b, p)) for p in PRODUCTS if available(p.kernel, sm)]  # type: ignore[misc]  # bound when made
    if sm == 90:
        found += [(WIDE_QUANTITIES[w.kernel], lambda b, w=w: wide_product(b, w)) for w in wgmma.PRODUCTS]  # type: ignore[misc]  # bound when made
    found += [(quantity, lambda b, n=name: matrices(b, n)) for name, (quantity, _, _) in MATRICES.items()]  # type: ignore[misc]  # bound when made
    return found
