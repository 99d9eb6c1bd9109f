"""Matrix units by type: mma.sync, wgmma (compute capability 9.0), tcgen05 (10).

None of these is timed before it has computed: every kernel writes its sums, and they must equal NumPy's product.
Instructions of 9.0 and 10 are told by descriptors what their operands look like; one that were wrong would still give a
rate, but of something else. Then the reason stands in the place of a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast_measure.ceilings import tcgen05, wgmma
from roofcast_measure.ceilings.bench import BLOCK, Bench, Ceiling
from roofcast_measure.ceilings.kernel_texts import available
from roofcast_measure.ceilings.tensor_operands import (
    WARP,
    Matrix,
    core_matrices,
    fragment,
    load,
    matrices,
    sums_of_lanes,
    sums_of_warpgroup,
)
from roofcast_measure.driver import Launch, Source, in_order

PER_ACCUMULATOR = 4
"""Products into the same sums in one round of mma.sync."""
ACCUMULATORS = 8
"""Sets of sums of a warp: so many products are independent of each other."""
WARPGROUPS_PER_SM = 3
"""Blocks of one warpgroup that an SM runs at once."""
SCALES: dict[str, tuple[int, int]] = {"e4m3": (0x40404040, 0x38383838), "e8m0": (0x80808080, 0x7F7F7F7F)}
"""Scales 2 of a and 1 of b, four of a type in a word."""
SCALED = 2.0
"""1; factor of a product whose operands have the :data:`SCALES`."""


@dataclass(frozen=True, slots=True)
class Product:
    """A kernel of ``tensor.cu``: one instruction of a warp."""

    kernel: str
    quantity: str
    shape: tuple[int, int, int]
    operands: str
    """Type of both, a key of :data:`~roofcast_measure.ceilings.tensor_operands.FORMATS`."""
    sums: str
    """NumPy's type of what a thread writes; float16: two in a word."""
    shape_turing: tuple[int, int, int] | None = None
    scales: str = ""
    """Type of the scales, where operands have some."""

    def shape_on(self, sm: int) -> tuple[int, int, int]:
        """m, n, k."""
        return self.shape_turing if sm < 80 and self.shape_turing else self.shape

    def flops(self, sm: int) -> int:
        """FLOPs of one product."""
        m, n, k = self.shape_on(sm)
        return 2 * m * n * k


PRODUCTS = (
    Product("mma_fp64", "flops_tensor_fp64:mma", (8, 8, 4), "fp64", "float64"),
    Product("mma_fp64_wide", "flops_tensor_fp64:mma", (16, 8, 16), "fp64", "float64"),
    Product("mma_tf32", "flops_tensor_tf32:mma", (16, 8, 8), "tf32", "float32"),
    Product("mma_fp16", "flops_tensor_fp16:mma", (16, 8, 16), "fp16", "float16", (16, 8, 8)),
    Product("mma_fp16_fp32", "flops_tensor_fp16:fp32_accumulate", (16, 8, 16), "fp16", "float32", (16, 8, 8)),
    Product("mma_bf16", "flops_tensor_bf16:mma", (16, 8, 16), "bf16", "float32"),
    Product("mma_int8", "ops_tensor_int8:mma", (16, 8, 32), "int8", "int32", (8, 8, 16)),
    Product("mma_fp8", "flops_tensor_fp8:mma", (16, 8, 32), "e4m3", "float16"),
    Product("mma_fp8_fp32", "flops_tensor_fp8:fp32_accumulate", (16, 8, 32), "e4m3", "float32"),
    Product("mma_fp6", "flops_tensor_fp8:fp6", (16, 8, 32), "e2m3", "float32"),
    Product("mma_mxfp8", "flops_tensor_fp8:block_scaled", (16, 8, 32), "e4m3", "float32", scales="e8m0"),
    Product("mma_fp4", "flops_tensor_fp4:block_scaled", (16, 8, 64), "e2m1", "float32", scales="e4m3"),
)
PER_ROUND = PER_ACCUMULATOR * ACCUMULATORS
"""Products of one warp in one round."""
WIDE_QUANTITIES = {
    "wgmma_fp16": "flops_tensor_fp16:wgmma", "wgmma_bf16": "flops_tensor_bf16:wgmma",
    "wgmma_tf32": "flops_tensor_tf32:wgmma", "wgmma_fp8": "flops_tensor_fp8:wgmma",
    "wgmma_int8": "ops_tensor_int8:wgmma", "tcgen05_fp16": "flops_tensor_fp16:tcgen05",
    "tcgen05_bf16": "flops_tensor_bf16:tcgen05", "tcgen05_tf32": "flops_tensor_tf32:tcgen05",
    "tcgen05_fp8": "flops_tensor_fp8:tcgen05", "tcgen05_fp6": "flops_tensor_fp8:fp6",
    "tcgen05_int8": "ops_tensor_int8:tcgen05", "tcgen05_fp4": "flops_tensor_fp4:tcgen05",
}  # fmt: skip
WIDE_OPERANDS = {"fp16": "fp16", "bf16": "bf16", "tf32": "tf32", "fp8": "e4m3", "fp6": "e2m3", "int8": "int8",
                 "fp4": "e2m1"}  # fmt: skip
"""End of a kernel's name -> type of its operands."""


def has_tcgen05(quantity: str, sm: int) -> bool:
    """Whether an architecture has faster instructions than mma.sync for the type of a quantity.

    >>> has_tcgen05("flops_tensor_fp16:fp32_accumulate", 100), has_tcgen05("flops_tensor_fp64:mma", 100)
    (True, False)
    """
    head = quantity.partition(":")[0]
    return any(WIDE_QUANTITIES[p.kernel].startswith(f"{head}:") for p in tcgen05.PRODUCTS if tcgen05.available(p, sm))


def registers(one: Product, a: Matrix, b: Matrix) -> NDArray[np.uint32]:
    """Operands as ``tensor.cu`` reads them: words of a, then of b, each of all lanes."""
    scales = SCALES.get(one.scales)
    parts = []
    for number, rows in enumerate((a, b.T)):
        parts.append(fragment(rows, one.operands))
        if scales is not None:
            parts.append(np.full((1, WARP), scales[number], np.uint32))
    # Parts may be views of transposed arrays, and then so is their concatenation.
    return in_order(np.concatenate(parts))


def tiles(kernel: str, scales: str, a: Matrix, b: Matrix) -> NDArray[np.uint32]:
    """Operands as wgmma and tcgen05 read them from shared memory, and a word of scales for each."""
    kind = WIDE_OPERANDS[kernel.rpartition("_")[2]]
    ends = [np.array(SCALES[scales], np.uint32)] if scales else []
    return np.concatenate([core_matrices(a, kind), core_matrices(b.T, kind), *ends])


def written(bench: Bench, launch: Launch, count: int, kind: Any) -> NDArray[Any]:
    """The first values of ``bench.results`` after one launch into cleared memory."""
    values = np.zeros(count, kind)
    bench.driver.upload(bench.results, np.zeros(values.nbytes, np.uint8))
    bench.once(launch)
    bench.driver.download(bench.results, values)
    return values


def must_equal(found: NDArray[Any], expected: Matrix) -> None:
    """Refuse a kernel whose sums are not the product."""
    wrong = np.argwhere(found != expected)
    if len(wrong):
        row, column = (int(i) for i in wrong[0])
        first = f"[{row}, {column}] is {found[row, column]:g}, not {expected[row, column]:g}"
        share = f"{len(wrong)} of {expected.size} sums differ from the product"
        raise RoofcastError(f"{share} ({first}): the instruction does not do what is assumed of it")


def product(bench: Bench, one: Product) -> Ceiling:
    """FLOP/s of the matrix units through mma.sync."""
    sm = bench.driver.info.sm
    m, n, k = one.shape_on(sm)
    kernel = bench.kernel("tensor", one.kernel)
    blocks = 4 * bench.driver.info.sm_count
    small = matrices(m, n, k, one.operands)
    dense = load(m, n, k, one.operands, cancelling=one.sums == "float16")
    data = [registers(one, *small), registers(one, *dense)]
    with bench.memory(data[0].nbytes) as (operands,):
        launch = bench.looped(kernel, ("", bench.results), ("", operands), blocks=blocks)
        bench.driver.upload(operands, data[0])
        a, b = small
        expected = PER_ACCUMULATOR * (a @ b) * (SCALED if one.scales else 1.0)
        for sums in sums_of_warps(written(bench, launch(1), *size_of(one, m)), one, m):
            must_equal(sums, expected)
        bench.driver.upload(operands, data[1])
        amount = blocks * BLOCK // WARP * PER_ROUND * one.flops(sm)
        method = "mma.sync from registers, eight products at once per warp, random operands, result checked"
        ceiling = bench.rate(one.quantity, launch, amount, method)
    return replace(ceiling, is_ceiling=not has_tcgen05(one.quantity, sm))


def size_of(one: Product, m: int) -> tuple[int, Any]:
    """(values, type) that a block writes: m x 8 sums per warp."""
    return m * 8 * (BLOCK // WARP), np.dtype(one.sums)


def sums_of_warps(values: NDArray[Any], one: Product, m: int) -> list[Matrix]:
    """What each warp of a block wrote, as matrices."""
    if one.sums == "float16":  # two neighbours of a row in a word
        values = values.reshape(-1, BLOCK, 2).transpose(0, 2, 1)
    by_warp = values.reshape(-1, BLOCK // WARP, WARP)
    return [sums_of_lanes(by_warp[:, w], m) for w in range(BLOCK // WARP)]


@dataclass(frozen=True, slots=True)
class Wide:
    """A product whose operands stand in shared memory."""

    kernel: str
    shape: tuple[int, int, int]
    per_round: int
    threads: int
    blocks_per_sm: int
    integer: bool
    scales: str
    text: Callable[[], Source]
    sums: Callable[[NDArray[Any]], Matrix]
    method: str


def wide_products(sm: int) -> list[Wide]:
    """The products that an architecture has with operands in shared memory."""
    hopper = [
        Wide(p.kernel, (wgmma.ROWS, wgmma.COLUMNS, p.k), wgmma.PER_ROUND, wgmma.THREADS, WARPGROUPS_PER_SM,
             p.accumulator == "int", "", wgmma.source, lambda v: sums_of_warpgroup(v.reshape(-1, wgmma.THREADS)),
             "wgmma from shared memory, three warpgroups per SM")
        for p in wgmma.PRODUCTS if sm == 90
    ]  # fmt: skip
    blackwell = [
        Wide(p.kernel, (tcgen05.ROWS, tcgen05.COLUMNS, p.k), tcgen05.PER_ROUND, tcgen05.THREADS, 1, p.integer,
             "e4m3" if p.scale_format is not None else "", lambda: tcgen05.source(sm),
             lambda v: v.reshape(tcgen05.ROWS, tcgen05.COLUMNS).astype(np.float64),
             "tcgen05 (128 x 256, one block) from shared memory")
        for p in tcgen05.PRODUCTS if tcgen05.available(p, sm)
    ]  # fmt: skip
    return hopper + blackwell


def wide_product(bench: Bench, one: Wide) -> Ceiling:
    """FLOP/s of instructions that read operands from shared memory."""
    m, n, k = one.shape
    kernel = bench.kernel(one.text(), one.kernel)
    blocks = one.blocks_per_sm * bench.driver.info.sm_count
    kind = WIDE_OPERANDS[one.kernel.rpartition("_")[2]]
    a, b = matrices(m, n, k, kind)
    with bench.memory(tiles(one.kernel, one.scales, a, b).nbytes) as (operands,):
        launch = bench.looped(kernel, ("", bench.results), ("", operands), blocks=blocks, threads=one.threads)
        bench.driver.upload(operands, tiles(one.kernel, one.scales, a, b))
        sums = one.sums(written(bench, launch(1), m * n, np.int32 if one.integer else np.float32))
        must_equal(sums, one.per_round * (a @ b) * (SCALED if one.scales else 1.0))
        bench.driver.upload(operands, tiles(one.kernel, one.scales, *load(m, n, k, kind)))
        amount = float(blocks * one.per_round * 2 * m * n * k)
        return bench.rate(WIDE_QUANTITIES[one.kernel], launch, amount, f"{one.method}, random operands, result checked")


def steps(sm: int) -> list[tuple[str, Callable[[Bench], Ceiling]]]:
    """(what it is, measurement) of every type that an architecture multiplies; the plainest instructions first."""
    measurements: list[tuple[str, Callable[[Bench], Ceiling]]] = []
    measurements += [(p.quantity, lambda b, p=p: product(b, p)) for p in PRODUCTS if available(p.kernel, sm)]  # type: ignore[misc]  # bound when made
    measurements += [(WIDE_QUANTITIES[w.kernel], lambda b, w=w: wide_product(b, w)) for w in wide_products(sm)]  # type: ignore[misc]  # bound when made
    return measurements
