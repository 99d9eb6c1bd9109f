"""Accesses that get in each other's way: scattered over DRAM, or all on one address."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines
from roofcast.core.resource import Resource
from roofcast.formulas.mechanistic_execution import geometric_mix, serial_fraction
from roofcast.formulas.mechanistic_memory import (
    lone_sector_fraction,
    partial_write_fraction,
    random_dram_fraction,
    scattered_miss_ratio,
)
from roofcast.models.physics.constants import Constants
from roofcast.models.physics.kernels import Kernels
from roofcast.models.physics.latency import l2_cycles
from roofcast.models.physics.roofs import Side

COUNTER_BYTES = 4.0
"""Of each element that is counted."""
ONE_PER_CLOCK = (0.7, 0.85, 1.2, 1.4)
"""Elements counted per clock of the whole GPU: between the inner two surely one counter after another."""

BUSY_DRAM = 0.2
"""Share of DRAM's rate from which scattered atomics are limited by it."""

SECTOR_BYTES, TIMES_TOUCHED = 32.0, 1e4
"""A working set of one sector that is touched so often is one address that everybody waits for."""


def in_the_way(
    scale: FloatArray,
    k: Kernels,
    sides: tuple[Side, Side],
    roofs_source: Mapping[Resource, FloatArray],
    execution: FloatArray,
    memory: FloatArray,
    c: Constants,
    off: Collection[str],
) -> FloatArray:
    """(n, m) ``scale`` with the shares of the unexplained seconds that scattered and serial accesses have.

    memory : (n, 1) share of the warps' time that they wait for memory.
    """
    source, target = sides
    # Atomics wait for L2, whose clock is not all the SMs'.
    clock = source.machines.clock_hz / target.machines.clock_hz * l2_cycles(target, off) / l2_cycles(source, off)
    serial = serial_atomics(k, source, execution)
    if "random_dram" not in off:
        ratio, share = random_dram(k, sides, roofs_source, execution, (memory, serial), c, off)
        if share.any():
            scale = geometric_mix(scale, ratio, share)
    if "atomics" not in off:
        if (one := on_one_sector(k)).any():
            scale = np.where(one, clock, scale)
        if serial.any():
            scale = geometric_mix(scale, clock, serial)
        if k.counting.any():
            scale = geometric_mix(scale, clock, one_after_another(k, source, execution))
        if k.atomic_fraction.any():
            scale = geometric_mix(scale, clock, contended(k, source, memory, c))
    return scale


def serial_atomics(k: Kernels, source: Side, execution: FloatArray) -> FloatArray:
    """(n, 1) share of the unexplained seconds in which atomics wait for each other on one address."""
    if np.isnan(k.atomics).all():
        return np.zeros_like(execution)
    with np.errstate(divide="ignore", invalid="ignore"):
        return serial_fraction(k.atomics / (execution * source.machines.clock_hz))


def one_after_another(k: Kernels, source: Side, execution: FloatArray) -> FloatArray:
    """(n, 1) how surely a kernel that counts elements in global memory counts one per clock, on the whole GPU.

    Counters of a few kilobytes lie in one slice of L2, which serves one request per clock: a histogram of 512 bins in
    PMPP's measurements takes 0.98 to 1.06 clocks per element on GPUs of 14 to 68 SMs.
    """
    elements = k.amounts.get(Resource.BYTES_DRAM)[:, None] / COUNTER_BYTES
    with np.errstate(divide="ignore", invalid="ignore"):
        per_clock = np.nan_to_num(elements / (execution * source.machines.clock_hz), posinf=0.0)
    none, least, most, all_apart = ONE_PER_CLOCK
    up = np.clip((per_clock - none) / (least - none), 0.0, 1.0)
    down = np.clip((all_apart - per_clock) / (all_apart - most), 0.0, 1.0)
    return np.where((k.counting > 0) & (k.bytes_counted == 0), up * down, 0.0)


def on_one_sector(k: Kernels) -> NDArray[np.bool_]:
    """(n, 1) where all bytes that the algorithm names go to one sector."""
    asked = k.amounts.get(Resource.BYTES_DRAM)[:, None]
    with np.errstate(invalid="ignore"):
        few = (k.working_set_bytes > 0) & (k.working_set_bytes <= SECTOR_BYTES)
        return np.asarray(few & (asked > TIMES_TOUCHED * k.working_set_bytes) & (k.bytes_counted == 0))


def random_dram(
    k: Kernels,
    sides: tuple[Side, Side],
    roofs_source: Mapping[Resource, FloatArray],
    execution: FloatArray,
    waits: tuple[FloatArray, FloatArray],
    c: Constants,
    off: Collection[str],
) -> tuple[FloatArray, FloatArray]:
    """Seconds of random accesses on the target over the source's, and the unexplained share that follows them.

    waits : (n, 1) shares of time in which warps wait for memory, and atomics for each other.
    """
    ratio = random_rate(sides[0].machines, c) / random_rate(sides[1].machines, c)
    ratio = np.where(np.isnan(ratio), 1.0, ratio)
    dram = roofs_source.get(Resource.BYTES_DRAM)
    if dram is None or not (k.stalls_counted > 0).any():
        return ratio, np.zeros_like(execution)
    memory, serial = waits
    with np.errstate(divide="ignore", invalid="ignore"):
        busy = np.nan_to_num(dram / execution)
    sector = np.where(np.isnan(k.bytes_per_sector), 32.0, k.bytes_per_sector)
    hit = np.where(np.isnan(k.l2_hit_fraction), 1.0, np.clip(k.l2_hit_fraction, 0.0, 1.0))
    write = np.nan_to_num(k.amounts.bytes_dram_write_fraction)[:, None]
    partial = partial_write_fraction(hit, write)
    share = random_dram_fraction(busy, lone_sector_fraction(sector), partial, memory)
    scattered = np.minimum(1.0, busy / BUSY_DRAM) * partial * memory
    if not np.isnan(k.atomics).all():
        with np.errstate(divide="ignore", invalid="ignore"):
            many = np.clip(np.nan_to_num(k.atomics / k.insts_warp) / c.atomic_least, 0.0, 1.0)
        spread = many * (1.0 - k.atomics_in_shared) * (1.0 - serial) * memory * np.sqrt(1.0 - hit)
        atomics = spread * np.minimum(1.0, busy / BUSY_DRAM)
        share, scattered = np.maximum(share, atomics), np.maximum(scattered, atomics)
    # Few blocks wait for each access on its own: no bus and no bank is busy with others.
    with np.errstate(invalid="ignore"):
        crowded = (k.stalls_counted > 0) & ~(k.grid_blocks < sides[0].sm_count)
    share, scattered = np.where(crowded, share, 0.0), np.where(crowded, scattered, 0.0)
    if "capacity" not in off and scattered.any():
        capacity = [side.machines.gather(lambda p: p.capacity_bytes_l2) for side in sides]
        missed = scattered_miss_ratio(k.l2_hit_fraction, np.nan_to_num(capacity[1] / capacity[0], nan=1.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            of_share = np.clip(np.nan_to_num(scattered / share), 0.0, 1.0)
        ratio = ratio * np.power(missed, of_share)
    return ratio, share


def random_rate(machines: Machines, c: Constants) -> FloatArray:
    """Random accesses per second, up to a factor that all GPUs share."""
    stacked = machines.gather(lambda p: float(p.memory_type.upper().startswith("HBM")))
    return np.asarray(machines.rate(Resource.BYTES_DRAM) * np.where(stacked > 0, c.random_hbm, 1.0))


ATOMIC_HITS = (0.4, 0.6)
"""Atomics on the same addresses hit in L2: below the first hit rate none are taken for such, above the second all."""


def contended(k: Kernels, source: Side, memory: FloatArray, c: Constants) -> FloatArray:
    """(n, 1) share of the unexplained seconds that is atomics waiting for each other on few addresses."""
    low, high = ATOMIC_HITS
    hits = np.clip((np.nan_to_num(k.l2_hit_fraction) - low) / (high - low), 0.0, 1.0)
    many = np.clip(k.atomic_fraction / c.atomic_least, 0.0, 1.0)
    with np.errstate(invalid="ignore"):
        return np.where(k.grid_blocks > source.sm_count, many * hits * memory, 0.0)
