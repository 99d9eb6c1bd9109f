"""Limits that the amounts do not name but the source time implies: FP64 side work, operand loads, half-used sectors."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.formulas.mechanistic_execution import overlapped_s
from roofcast.models.physics.constants import Constants
from roofcast.models.physics.kernels import FLOPS_PER_WARP_FMA, Kernels
from roofcast.models.physics.roofs import Side, load_store_rate

Roofs = dict[Resource, FloatArray]

LOADS_PER_FMA = 2.0
"""Scalar code loads both factors of each product."""

REGISTERS_OF_TILES = 48.0
"""Code that keeps a tile of operands in registers, to load them once for many products, needs more of them."""

CONSISTENT = 1.2
"""An amount may explain the source time, and a margin for its supply, but not more."""


def implied(
    k: Kernels,
    roofs: tuple[Roofs, Roofs],
    source: Side,
    target: Side,
    execution: FloatArray,
    c: Constants,
    off: Collection[str],
) -> tuple[Roofs, Roofs]:
    """Roofs of both sides with what the source time says beside the amounts. execution : (n, 1) source seconds."""
    if "in_flight" not in off:
        roofs = with_bytes_in_flight(k, roofs, source, target, execution, c)
    if "sectors" not in off:
        roofs = with_whole_sectors(k, roofs, execution)
    if "operands" not in off:
        roofs = with_operand_loads(k, roofs, source, target, execution)
    return roofs


def with_bytes_in_flight(
    k: Kernels, roofs: tuple[Roofs, Roofs], source: Side, target: Side, execution: FloatArray, c: Constants
) -> tuple[Roofs, Roofs]:
    """DRAM seconds with Little's law: what few threads ask for at a time does not fill a fast memory.

    The source shows how much a thread asks for at least; less than a usual amount only where it had no reason to
    show more. Writes do not wait.
    """
    key = Resource.BYTES_DRAM
    here, there = roofs
    if key not in here or not (k.bytes_counted > 0).any() or np.isnan(k.grid_blocks).all():
        return roofs
    read = k.amounts.get(key)[:, None] * (1.0 - np.nan_to_num(k.amounts.bytes_dram_write_fraction)[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        # Seconds for the bytes if each thread asks for one at a time.
        single = [read * latency / threads for latency, threads in (in_flight(k, s) for s in (source, target))]
        own = np.fmax(single[0] / execution * c.in_flight_hidden, c.in_flight_bytes)
        known = (k.bytes_counted > 0) & (single[0] > 0) & (single[1] > 0)
        starved = [
            overlapped_s([side[key], one / own], c.in_flight_norm) / side[key]
            for side, one in zip(roofs, single, strict=True)
        ]
        busy = np.clip((here[key] / execution - DRAM_BUSY) / (DRAM_FULL - DRAM_BUSY), 0.0, 1.0)
        factor = np.where(known, np.maximum(starved[1] / starved[0], 1.0) ** np.nan_to_num(busy), 1.0)
    return here, there | {key: there[key] * factor}


DRAM_BUSY, DRAM_FULL = 0.5, 0.8
"""Share of DRAM's rate on the source from which its bus, and not the requests in flight, may have been the limit."""


def in_flight(k: Kernels, side: Side) -> tuple[FloatArray, FloatArray]:
    """Seconds of an access to an idle DRAM, and threads that the GPU holds at a time."""
    blocks = np.fmin(side.blocks_per_sm * side.sm_count, k.grid_blocks)
    near = side.machines.gather(lambda p: p.latency_cycles_l2)
    far = side.machines.gather(lambda p: p.latency_cycles_dram)
    # DRAM itself keeps its own time; the catalog's cycles are those of a boost clock.
    boost = side.machines.gather(lambda p: p.clock_hz_boost)
    latency = near / side.machines.clock_hz + (far - near) / boost
    return latency, blocks * k.block_threads


def with_whole_sectors(k: Kernels, roofs: tuple[Roofs, Roofs], execution: FloatArray) -> tuple[Roofs, Roofs]:
    """L2 bytes that the algorithm names, in whole sectors where its access pattern leaves parts of them unused.

    Not where the source was faster than that: then the pattern's name promises worse than it does.
    """
    found = roofs[0].get(Resource.BYTES_L2)
    if found is None or not (named := (k.bytes_counted == 0) & (k.sector_excess > 1.0)).any():
        return roofs
    with np.errstate(divide="ignore", invalid="ignore"):
        possible = named & (found * k.sector_excess <= CONSISTENT * execution)
    factor = np.where(possible, k.sector_excess, 1.0)
    here, there = roofs
    key = Resource.BYTES_L2
    return here | {key: here[key] * factor}, there | {key: there[key] * factor}


def with_operand_loads(
    k: Kernels, roofs: tuple[Roofs, Roofs], source: Side, target: Side, execution: FloatArray
) -> tuple[Roofs, Roofs]:
    """Load/store passes of scalar FP32 code of which no instructions were counted: two per multiply-add.

    Only where the source was slow enough to have made them, and where there are too few registers for tiles.
    """
    flops = k.amounts.flops.get(Resource.FLOPS_FP32)
    if flops is None:
        return roofs
    tensor = sum((v for r, v in k.amounts.flops.items() if r in FLOPS_TENSOR), np.zeros(len(flops)))
    with np.errstate(invalid="ignore"):
        scalar = (k.insts_counted == 0) & (k.regs_per_thread <= REGISTERS_OF_TILES) & (tensor[:, None] == 0)
    if not scalar.any():
        return roofs
    passes = LOADS_PER_FMA * flops[:, None] / FLOPS_PER_WARP_FMA
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = [passes / (load_store_rate(k, side) * side.fill) for side in (source, target)]
        share = needed[0] / execution
        made = scalar & (share <= CONSISTENT) & ~np.isnan(needed[1])
        least = np.where(share > 1.0, 1.0 / share, 1.0)
    key = Resource.INSTS_LSU
    result = []
    for known, seconds in zip(roofs, needed, strict=True):
        before = known.get(key, np.full_like(seconds, np.nan))
        result.append(known | {key: np.where(made, np.fmax(before, seconds * least), before)})
    return result[0], result[1]


def hidden_fp64(
    k: Kernels, roofs: Mapping[Resource, FloatArray], source: Side, execution: FloatArray, c: Constants
) -> FloatArray:
    """(n, 1) 1 where the source's few FP64 units are the limit, though the FLOP count does not say so.

    Conversions, comparisons and special functions use the pipe and are no FLOPs; warps that wait for it show it.
    """
    fp64 = roofs.get(Resource.FLOPS_FP64)
    if fp64 is None:
        return np.zeros_like(execution)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.nan_to_num(fp64 / execution)
    seen = (share > c.fp64_share_least) & (k.pipe_share > c.fp64_stall_least)
    found = np.where(k.stalls_counted > 0, seen, share > c.fp64_share_uncounted)
    return np.where(source.few_fp64_units > 0, found, False).astype(np.float64)


def rest_beside_fp64(k: Kernels, c: Constants) -> FloatArray:
    """(n, 1) share of the source time that is left to other causes where FP64 was the hidden limit."""
    return np.where(k.stalls_counted > 0, c.fp64_rest * (1.0 - k.pipe_share), c.fp64_rest_uncounted)


def recalibrated(roofs_s: Roofs, roofs_t: Roofs, hidden: FloatArray, execution: FloatArray) -> tuple[Roofs, Roofs]:
    """Roofs with the FP64 amount that the source time implies where FP64 is the hidden limit."""
    fp64 = roofs_s.get(Resource.FLOPS_FP64)
    if fp64 is None or not hidden.any():
        return roofs_s, roofs_t
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(hidden > 0, np.maximum(execution / fp64, 1.0), 1.0)
    key = Resource.FLOPS_FP64
    return roofs_s | {key: fp64 * factor}, roofs_t | {key: roofs_t[key] * factor}
