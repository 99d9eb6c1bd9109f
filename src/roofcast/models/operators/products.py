"""Seconds of a library's matrix product on one side: the best of a menu of tiles, as libraries choose them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns, Machines, last_capacity_bytes, likeness_to_amd, rate
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.models.operators.levels import ProductConstants
from roofcast.models.operators.operator_times import outgrown_fraction, tile_efficiency, tile_waves, wave_bytes
from roofcast.models.power import product_limit
from roofcast.models.promises import sms_as_sold

SPLITS = (1, 4, 16)
BYTES_PER_SUM = 2.4
"""Traffic of one partial sum: 4 bytes written and read, mostly within L2."""
RESIDENT_ELEMENTS = 128 * 128
RESIDENT_MOST = 4.0
"""Tiles on an SM at a time: registers hold about 128 x 128 sums, and small tiles still need shared memory."""
SMALLEST, RESIDENT_SMALLEST = (16, 16), 32.0
"""Batches of products of a few rows and columns run one warp each, as many as an SM holds blocks (H100, 37,632 products
of 8 x 8 x 64: 41 us). AMD's libraries have no such kernels."""

TRANSPOSED_TILES = ((64, 64), (32, 128))
"""What cuBLAS takes before Volta where both operands run along the sum (names with ``_tn``: layers of PyTorch)."""
DRIFT = 3.0, 1000.0
"""Operands over L2's capacity between which tiles of one wave cease to share what they read from it, there: P100 and P4
lose a factor of two while bytes grow so far, as if every tile read its panels from DRAM (neusight's linear layers)."""
SCATTERED = 2.5
"""Times as long DRAM takes there for what L2 does not keep: a step of the sum asks for one sector of each of thousands
of rows (P100's layers reach a third of the rate of others where a wave spans 16,384 rows, whatever their length)."""

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
    aligned = (np.mod(m, 4.0) == 0) & (np.mod(n, 4.0) == 0) & (np.mod(k, 4.0) == 0)
    old = transposed & (machines.gather(before_volta) > 0) & ~(aligned & (machines.gather(has_wide_loads) > 0))
    drifted = np.clip(np.log(bytes_moved / capacity / DRIFT[0]) / np.log(DRIFT[1] / DRIFT[0]), 0.0, 1.0)
    start = c.start_cycles / machines.clock_hz
    bus = bytes_moved / dram
    sums = batch * m * n * BYTES_PER_SUM / dram
    best = np.full(np.broadcast_shapes(bus.shape, sms.shape), np.inf)
    few = (np.minimum(m, n) <= SMALLEST[0]) & (batch > 1.0)
    small = few & (likeness_to_amd(machines) < 1)
    for rows, columns in (*c.tiles, SMALLEST) if np.any(small) else c.tiles:
        down, across = np.ceil(m / rows), np.ceil(n / columns)
        tiles = down * across * batch
        most = RESIDENT_SMALLEST if (rows, columns) == SMALLEST else RESIDENT_MOST
        resident = min(max(1.0, RESIDENT_ELEMENTS / (rows * columns)), most)
        one = 2.0 * rows * columns * k * sms / (peak_per_s * c.pipe * tile_efficiency(rows, columns, c.overhead))
        l2 = power(tiles * k * ((rows + columns) * size) / panels, c)
        wave_across = np.minimum(sms * resident, across)
        wave_down = np.clip(sms * resident / wave_across, 1.0, down)
        reread = wave_bytes(tiles, k, rows, columns, wave_down, wave_across, size)
        if old.any():
            alone = wave_bytes(tiles, k, rows, columns, 1.0, 1.0, size)
            apart = SCATTERED * np.power(reread, 1.0 - drifted) * np.power(alone, drifted)
            reread = np.where(old, apart, reread)
        reread = reread * again
        for split in SPLITS:
            waves, rounds = tile_waves(tiles * split / sms, resident, c.sharpness)
            pipe_s = waves * (one / split) + start * rounds + (c.split_s if split > 1 else 0.0)
            # What a lone SM draws is its own: more SMs beside it do not lessen it.
            drawn = np.minimum(1.0, tiles * (split * c.lone_sm) / as_sold)
            bus_s = np.maximum((bus + (split * sums if split > 1 else 0.0)) / drawn, reread)
            found = power(pipe_s, c) + l2 + power(bus_s, c)
            if (rows, columns) not in TRANSPOSED_TILES and old.any():
                found = np.where(old, np.inf, found)
            if (rows, columns) == SMALLEST:
                found = np.where(small, found, np.inf)
            best = np.minimum(best, found)
    tiled = np.sqrt(np.sqrt(best)) if c.fourth_power else np.square(np.cbrt(best))
    limit = 2.0 * batch * m * n * k / sustained_rate(machines, pipe)
    q = c.power_norm
    return np.asarray(np.power(np.power(tiled, q) + np.power(limit, q), 1.0 / q))


def has_wide_loads(p: Columns) -> FloatArray:
    """(p,) 1 for GPUs for which cuBLAS has kernels of layers that load 16 bytes a lane (``sgemm_128x128x8_NT_vec``)."""
    return p.told("architecture", lambda a: a == "sm_61")


def before_volta(p: Columns) -> FloatArray:
    """(p,) 1 for NVIDIA's GPUs before Volta."""

    def older(architecture: str) -> bool:
        version = architecture.removeprefix("sm_")
        return version.isdigit() and int(version) < 70

    return p.told("architecture", older)


def sustained_rate(machines: Machines, pipe: Resource) -> FloatArray:
    """FLOP/s that libraries' products sustain in a precision: in FP32 on matrix units where a GPU has such (AMD's)."""
    units = SINGLE_PRECISION if pipe in SINGLE_PRECISION else (pipe,)
    return np.asarray(np.fmax.reduce([within_power(machines, unit) for unit in units]))


def within_power(machines: Machines, unit: Resource) -> FloatArray:
    """FLOP/s of a unit, at most what the board's power leaves it, or what products were measured to sustain."""
    found = rate(machines, unit)
    if unit is not Resource.FLOPS_FP32 and unit not in FLOPS_TENSOR:
        return found
    columns = machines.columns
    limit = columns.once(("product limit", unit), lambda: product_limit(columns, unit))
    measured = columns.supply(unit, "matmul")
    if unit is Resource.FLOPS_FP32 and measured.own.any():
        limit = np.where(measured.own, measured.per_s, limit)
    return np.fmin(found, np.where(np.isnan(found), np.nan, machines.spread(limit)))


def peak_rate(machines: Machines, resource: Resource) -> FloatArray:
    """FLOP/s that clock and units allow, whatever the power limit; at least the sustained rate."""
    boost = machines.gather("clock_hz_boost")
    units = SINGLE_PRECISION if resource in SINGLE_PRECISION else (resource,)
    peak = np.fmax.reduce([machines.columns.supply(unit).theory_per_s for unit in units])
    return np.asarray(np.fmax(machines.spread(peak) * machines.clock_hz / boost, sustained_rate(machines, resource)))


def power(seconds: FloatArray, c: ProductConstants) -> FloatArray:
    """Seconds to the power of the norm over pipe, L2 and DRAM: 4 or 1.5, both cheap."""
    return np.square(np.square(seconds)) if c.fourth_power else seconds * np.sqrt(seconds)
