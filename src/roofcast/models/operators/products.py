"""Seconds of a library's matrix product on one side: the best of a menu of tiles, as libraries choose them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns, Machines, last_capacity_bytes, rate
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.formulas.values import combine
from roofcast.models.operators.levels import ProductConstants
from roofcast.models.operators.operator_times import outgrown_fraction, tile_efficiency, wave_bytes
from roofcast.models.power import product_limit
from roofcast.models.promises import sms_as_sold

SPLITS = (1, 4, 16)
WHOLE_SUMS = frozenset({Resource.FLOPS_TENSOR_FP8})
"""Pipes whose kernels do not split sums: with few tiles and long sums FP8 takes 1.3 to 2 times as long as a split would
(llm_ops, H100 and L40S)."""
BYTES_PER_SUM = 2.4
"""Traffic of one partial sum: 4 bytes written and read, mostly within L2."""
RESIDENT_ELEMENTS = 128 * 128
"""Sums that the registers of an SM hold at a time."""
RESIDENT_MOST = 4.0
"""Tiles on an SM at a time: registers hold about 128 x 128 sums, and small tiles still need shared memory."""
SMALLEST, RESIDENT_SMALLEST = (16, 16), 32.0
"""Batches of products of a few rows and columns run one warp each on tensor pipes, as many as an SM holds blocks (H100,
37,632 products of 8 x 8 x 64: 41 us). AMD's libraries have no such kernels."""

BATCHED_TILES: tuple[tuple[int, tuple[tuple[int, int], ...]], ...] = (
    (90, ((128, 128), (32, 32))), (80, ((128, 128),)), (70, ((64, 64), (128, 32), (32, 128), (64, 128))),
    (0, ((64, 128),)),
)  # fmt: skip
"""cuBLAS's tiles of batched FP32 products, from an architecture on: whatever their shape, and never with split sums. By
the recorded names and grids of 94,000 launches on five GPUs, 99.7 % of all (neusight). Hopper's has one for products of
a few rows and columns (16 x 16 x 16 and 27 x 27 x 64 on an H100; hopper_torch)."""
SMALL, RESIDENT_SMALL = (32, 32), 16.0
"""Blocks of such batches that an SM holds: one starts while others compute (16 x 16 x 16, 4,096 times: 12 us)."""
TRANSPOSED_TILES = ((64, 64), (128, 32), (32, 128))
"""What cuBLAS takes before Volta where both operands run along the sum (names with ``_tn``: layers of PyTorch)."""
DRIFT = 1400.0, 60.0
"""Length of the sum from which, and times which up to, tiles of one wave cease to share what they read from L2, there:
a step of the sum asks for one sector of each of thousands of rows, each in a page of its own once rows are long (P100:
1.5 times the pipe's time up to 4,096, 4 times at 32,768, however many rows and columns there are; neusight)."""
SCATTERED = 3.4
"""Times as long DRAM takes there for what L2 does not keep, for the same reason."""

VOLTA, WITH_WIDE_LOADS = 70, 61
"""First architecture without those; the one before for which cuBLAS has kernels of layers that load 16 bytes a lane
(``sgemm_128x128x8_NT_vec``)."""

BYTES_OF_PIPE: dict[Resource, float] = {
    Resource.FLOPS_FP64: 8.0,
    Resource.FLOPS_TENSOR_FP64: 8.0,
    Resource.FLOPS_FP32: 4.0,
    Resource.FLOPS_TENSOR_FP32: 4.0,
    Resource.FLOPS_TENSOR_TF32: 4.0,
    Resource.FLOPS_TENSOR_FP8: 1.0,
    Resource.OPS_TENSOR_INT8: 1.0,
    Resource.FLOPS_TENSOR_FP4: 0.5,
}
"""Bytes of an operand; 2 on the other pipes."""

SINGLE_PRECISION = (Resource.FLOPS_FP32, Resource.FLOPS_TENSOR_FP32)
"""Units that make products in FP32."""

Shape = tuple[FloatArray, ...]


def product_s(
    shape: Shape, bytes_moved: FloatArray, pipe: Resource, machines: Machines, peak_per_s: FloatArray,
    c: ProductConstants, transposed: NDArray[np.bool_],
) -> FloatArray:  # fmt: skip
    """Seconds of products without launch.

    shape : m, n, k, batch, (n, 1) each. bytes_moved : (n, 1) B, compulsory. machines, peak_per_s : broadcast with them.
    transposed : (n, 1) products whose operands both run along the sum.
    NaN where a rate is unknown.
    """
    m, n, k, batch = shape
    size = BYTES_OF_PIPE.get(pipe, 2.0)
    sms = machines.gather("sm_count")
    as_sold = machines.gather(sms_as_sold)
    dram = rate(machines, Resource.BYTES_DRAM)
    panels = rate(machines, Resource.BYTES_L2) * c.l2
    panels = np.where(np.isnan(panels), np.inf, panels)
    capacity = machines.gather(last_capacity_bytes)
    again = np.nan_to_num(outgrown_fraction(bytes_moved, capacity)) * c.rereads / dram
    kind = machines.gather(generation)
    aligned = (np.mod(m, 4.0) == 0) & (np.mod(n, 4.0) == 0) & (np.mod(k, 4.0) == 0)
    old = transposed & (kind > 0) & (kind < VOLTA) & ~(aligned & (kind == WITH_WIDE_LOADS))
    drifted = np.clip(np.log(k / DRIFT[0]) / np.log(DRIFT[1]), 0.0, 1.0)
    several = (batch > 1.0) & (kind > 0)
    batched = several & (pipe is Resource.FLOPS_FP32)
    few = several & (np.minimum(m, n) <= SMALLEST[0]) & ~batched
    start = c.start_cycles / machines.clock_hz
    bus = bytes_moved / dram
    sums = batch * m * n * BYTES_PER_SUM / dram
    best = np.full(np.broadcast_shapes(bus.shape, sms.shape), np.inf)
    for rows, columns in (*c.tiles, SMALLEST) if few.any() else c.tiles:
        down, across = np.ceil(m / rows), np.ceil(n / columns)
        tiles = down * across * batch
        least = (rows, columns) == SMALLEST
        resident = min(max(1.0, RESIDENT_ELEMENTS / (rows * columns)), RESIDENT_SMALLEST if least else RESIDENT_MOST)
        beside = np.where(batched & ((rows, columns) == SMALL), RESIDENT_SMALL, resident if least else 1.0)
        tile_s = c.tile_cycles / machines.clock_hz / beside
        pipe_wave_s = (
            2.0 * rows * columns * k * sms / (peak_per_s * c.pipe * tile_efficiency(rows, columns, c.overhead))
        )
        l2 = np.square(tiles * k * ((rows + columns) * size) / panels)
        wave_across = np.minimum(sms * resident, across)
        wave_down = np.clip(sms * resident / wave_across, 1.0, down)
        reread = wave_bytes(tiles, k, rows, columns, wave_down, wave_across, size)
        barred = ~few if least else batched & ~is_batched_tile(kind, (rows, columns), np.maximum(m, n))
        if old.any():
            lone_bytes = wave_bytes(tiles, k, rows, columns, 1.0, 1.0, size)
            apart = SCATTERED * np.power(reread, 1.0 - drifted) * np.power(lone_bytes, drifted)
            reread = np.where(old, apart, reread)
            barred = barred | (old & ((rows, columns) not in TRANSPOSED_TILES))
        reread = reread * again
        for split in (1,) if pipe in WHOLE_SUMS else SPLITS:
            # An SM with most tiles ends last; with few, small tiles leave some of its schedulers without a warp.
            waves = np.maximum(np.ceil(tiles * (split / sms)), resident**c.crowding)
            pipe_s = waves * (pipe_wave_s / split + tile_s) + start + (c.split_s if split > 1 else 0.0)
            # What a lone SM draws is its own: more SMs beside it do not lessen it.
            drawn = np.minimum(1.0, tiles * (split * c.lone_sm) / as_sold)
            bus_s = np.maximum((bus + (split * sums if split > 1 else 0.0)) / drawn, reread)
            squared_s = np.square(pipe_s) + l2 + np.square(bus_s)
            best = np.minimum(best, np.where(barred | (batched & (split > 1)), np.inf, squared_s))
    limit = 2.0 * batch * m * n * k / sustained_rate(machines, pipe)
    q = c.power_norm
    return np.asarray(np.power(np.power(best, q / 2.0) + np.power(limit, q), 1.0 / q))


def is_batched_tile(kind: FloatArray, tile: tuple[int, int], longest: FloatArray) -> NDArray[np.bool_]:
    """Where a tile is among those of batched FP32 products. kind : number of the architecture. longest : of m and n."""
    menu = [np.asarray(tile in tiles and (tile != SMALL or longest <= SMALL[0])) for _, tiles in BATCHED_TILES]
    return np.asarray(np.select([kind >= oldest for oldest, _ in BATCHED_TILES], menu, False), np.bool_)


def generation(p: Columns) -> FloatArray:
    """Number of an NVIDIA architecture, 90 for sm_90; 0 for other vendors'."""
    number = p.told("architecture", lambda a: float(d) if (d := a.removeprefix("sm_")).isdigit() else 0.0)
    return np.where(p.told("vendor", lambda vendor: vendor == "NVIDIA") > 0, number, 0.0)


def sustained_rate(machines: Machines, pipe: Resource) -> FloatArray:
    """FLOP/s that libraries' products sustain in a precision: in FP32 on matrix units where a GPU has such (AMD's)."""
    units = SINGLE_PRECISION if pipe in SINGLE_PRECISION else (pipe,)
    return combine(np.fmax, [within_power(machines, unit) for unit in units])


def within_power(machines: Machines, unit: Resource) -> FloatArray:
    """FLOP/s of a unit, at most what the board's power leaves it, or what products were measured to sustain."""
    peak_per_s = rate(machines, unit)
    if unit is not Resource.FLOPS_FP32 and unit not in FLOPS_TENSOR:
        return peak_per_s
    columns = machines.columns
    limit = columns.once(("product limit", unit), lambda: product_limit(columns, unit))
    measured = columns.supply(unit, "matmul")
    if unit is Resource.FLOPS_FP32 and measured.own.any():
        limit = np.where(measured.own, measured.per_s, limit)
    return np.fmin(peak_per_s, np.where(np.isnan(peak_per_s), np.nan, machines.spread(limit)))


def peak_rate(machines: Machines, resource: Resource) -> FloatArray:
    """FLOP/s that clock and units allow, whatever the power limit; at least the sustained rate."""
    boost = machines.gather("clock_hz_boost")
    units = SINGLE_PRECISION if resource in SINGLE_PRECISION else (resource,)
    peak = combine(np.fmax, [machines.columns.supply(unit).theory_per_s for unit in units])
    return np.asarray(np.fmax(machines.spread(peak) * machines.clock_hz / boost, sustained_rate(machines, resource)))
