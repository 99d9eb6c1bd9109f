"""How what the roofs do not explain scales from the source to the target: by its own cause."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from roofcast.core.machines import Machines
from roofcast.core.processor import Processor
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.core.table import FloatArray
from roofcast.formulas.mechanistic_execution import geometric_mix
from roofcast.formulas.mechanistic_memory import (
    lone_sector_fraction,
    memory_latency_cycles,
    partial_write_fraction,
    random_dram_fraction,
)
from roofcast.models.mechanistic_constants import Constants
from roofcast.models.mechanistic_kernel import Kernels
from roofcast.models.mechanistic_roofs import Side, rate

FAR_L2 = 1.38
"""Mean latency over the near half's where L2 has two halves: near 213 / far 388 cycles on A100, 270 / 464 on H100
(the catalog's pointer chases), so half of all requests are 1.8 and 1.7 times as slow."""

MEMORY_SHARE_UNKNOWN = 0.5
"""Share of stalls taken for memory where none were counted."""

HIT_UNKNOWN = 0.5
ATOMIC_HITS = (0.4, 0.6)
"""Atomics on the same addresses hit in L2: below the first hit rate none are taken for such, above the second all."""


def scaling(
    k: Kernels,
    source: Side,
    target: Side,
    roofs_source: Mapping[Resource, FloatArray],
    execution: FloatArray,
    roof_ratio: FloatArray,
    c: Constants,
    off: Collection[str],
) -> FloatArray:
    """(n, m) factor on the unexplained seconds.

    execution : (n, 1) source seconds without the floor. roof_ratio : (n, m) all roofs of the target over the source's.
    """
    clock = source.machines.clock_hz / target.machines.clock_hz
    counted = k.stalls_counted > 0
    memory = np.where(counted, k.memory_share, MEMORY_SHARE_UNKNOWN)
    ratio = latency_s(k, target.machines) / latency_s(k, source.machines)
    ratio = np.where(np.isnan(ratio), clock, ratio)
    in_flight = np.power(target.waves / source.waves, c.wave_exponent)
    scale = in_flight * (memory * np.power(ratio, c.latency_exponent) + (1.0 - memory) * clock)
    machine = np.maximum(clock * source.sm_count / target.sm_count, few_blocks_clock(k, source, clock))
    whole = geometric_mix(machine, supply_ratio(k, source, target, Resource.INSTS_LSU, machine), c.load_store_share)
    scale = np.where(counted, scale, geometric_mix(scale, whole, c.machine_share))
    if "latency" in off:
        scale = np.where(np.isnan(roof_ratio), clock, roof_ratio)
    known = ~np.isnan(roof_ratio) & (roof_ratio > 0)
    compute = compute_share(roofs_source, execution, np.where(tensor_work(k), 1.0, c.overlap))
    memory_kept = np.where(k.bytes_counted > 0, c.efficiency_share_counted, c.efficiency_share)
    kept = c.efficiency_share_compute * compute + memory_kept * (1.0 - compute)
    kept = kept * explained(roofs_source, execution)
    near = c.near_roof_share * near_dram_roof(roofs_source, execution)
    stays = np.where(known, np.where(counted, near, np.where(k.time_alone > 0, 1.0, kept)), 0.0)
    scale = geometric_mix(scale, np.where(known, roof_ratio, 1.0), stays)
    if "throttle" not in off and k.queue_share.any():
        passes = supply_ratio(k, source, target, Resource.BYTES_L1, machine)
        scale = geometric_mix(scale, passes, c.queue_share * k.queue_share)
    if "throttle" not in off and k.throttle_share.any():
        scale = geometric_mix(scale, machine, c.throttle_share * k.throttle_share)
    if "random_dram" not in off:
        scale = geometric_mix(scale, *random_dram(k, source, target, roofs_source, execution, memory, c))
    if "atomics" not in off and k.atomic_fraction.any():
        scale = geometric_mix(scale, clock, contended(k, source, memory, c))
    return np.asarray(scale)


ROOFS_SAY_SOMETHING = 0.1
"""Below this share of the source time the roofs do not say what a kernel is limited by."""


def explained(roofs: Mapping[Resource, FloatArray], execution: FloatArray) -> FloatArray:
    """How far the roofs have a say: the slowest one's share of the source time, 1 from a tenth on."""
    slowest = np.zeros_like(execution)
    for seconds in roofs.values():
        slowest = np.fmax(slowest, seconds)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.nan_to_num(slowest / execution) / ROOFS_SAY_SOMETHING, 0.0, 1.0)


def tensor_work(k: Kernels) -> NDArray[np.bool_]:
    """(n, 1) kernels on tensor pipes: libraries', whose tiles fill a GPU to a like share wherever they run."""
    flops = [v for r, v in k.amounts.flops.items() if r in FLOPS_TENSOR]
    if not flops:
        return np.zeros_like(k.time_s, dtype=np.bool_)
    return np.asarray(np.sum(flops, axis=0)[:, None] > 0)


HALF_OF_DRAM = 0.5
"""Share of DRAM's rate from which requests begin to queue for the bus rather than to wait for the memory's latency."""


def near_dram_roof(roofs: Mapping[Resource, FloatArray], execution: FloatArray) -> FloatArray:
    """(n, 1) 0 up to half of DRAM's rate on the source, 1 at its roof.

    A loaded memory answers as fast as its bus, not as fast as an idle one: kernels that stream on a V100 gain on an
    A100 by the ratio of bandwidths within 6 % (Van Lanker 2024, Fig. 4), though the A100's idle latency is longer.
    """
    dram = roofs.get(Resource.BYTES_DRAM)
    if dram is None:
        return np.zeros_like(execution)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.nan_to_num(dram / execution)
    return np.asarray(np.clip((share - HALF_OF_DRAM) / (1.0 - HALF_OF_DRAM), 0.0, 1.0))


def compute_share(roofs: Mapping[Resource, FloatArray], like: FloatArray, p: FloatArray) -> FloatArray:
    """(n, 1) share of the roofs' p-norm that arithmetic pipes have.

    Not FP64: a source that has it for compatibility only says nothing about the efficiency on one that has it.
    """
    pipes, others = np.zeros_like(like), np.zeros_like(like)
    slowest = np.zeros_like(like)
    for seconds in roofs.values():
        slowest = np.fmax(slowest, seconds)
    unit = np.where(slowest > 0, slowest, 1.0)
    for resource, seconds in roofs.items():
        part = np.power(np.nan_to_num(seconds / unit), p)
        if resource.is_compute and resource is not Resource.FLOPS_FP64:
            pipes = pipes + part
        else:
            others = others + part
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(pipes / (pipes + others)))


def blind_ratio(source: Side, target: Side) -> FloatArray:
    """(n, m) seconds on the target over the source's for a kernel of which only the time is known.

    The geometric mean of memory-bound and compute-bound: a ratio between the two ends; NaN where one is unknown.
    """
    memory = rate(source.machines, Resource.BYTES_DRAM) / rate(target.machines, Resource.BYTES_DRAM)
    cores = [side.sm_count * side.machines.clock_hz for side in (source, target)]
    return np.asarray(np.sqrt(memory * cores[0] / cores[1]))


def few_blocks_clock(k: Kernels, source: Side, clock: FloatArray) -> FloatArray:
    """The clock ratio where SMs are idle, so that more SMs do not help; else 0."""
    with np.errstate(invalid="ignore"):
        return np.where(k.grid_blocks < source.sm_count, clock, 0.0)


def supply_ratio(k: Kernels, source: Side, target: Side, resource: Resource, machine: FloatArray) -> FloatArray:
    """(n, m) supply of the source over the target's; ``machine`` where SMs are idle or a supply is unknown."""
    ratio = rate(source.machines, resource) / rate(target.machines, resource)
    with np.errstate(invalid="ignore"):
        idle = k.grid_blocks < source.sm_count
    return np.where(np.isnan(ratio) | idle, machine, ratio)


def latency_s(k: Kernels, machines: Machines) -> FloatArray:
    """Mean seconds of a request that leaves the SM; NaN where the catalog has no latencies."""
    hit = np.where(np.isnan(k.l2_hit_fraction), HIT_UNKNOWN, np.clip(k.l2_hit_fraction, 0.0, 1.0))
    near, mean = machines.gather(lambda p: p.latency_cycles_l2), machines.gather(l2_latency)
    # Requests that miss have crossed to the far half as often as those that hit.
    dram = machines.gather(lambda p: p.latency_cycles_dram) + (mean - near)
    return np.asarray(memory_latency_cycles(hit, mean, dram) / machines.clock_hz)


def l2_latency(p: Processor) -> float | None:
    """Mean L2 latency in cycles, over both halves where there are two."""
    if p.latency_cycles_l2 is None:
        return None
    return p.latency_cycles_l2 * (FAR_L2 if (p.l2_partitions or 1) > 1 else 1.0)


def random_dram(
    k: Kernels,
    source: Side,
    target: Side,
    roofs_source: Mapping[Resource, FloatArray],
    execution: FloatArray,
    memory: FloatArray,
    c: Constants,
) -> tuple[FloatArray, FloatArray]:
    """Ratio of random-access rates, and the share of the unexplained seconds that follows it."""
    dram = roofs_source.get(Resource.BYTES_DRAM)
    share = np.zeros_like(execution)
    if dram is not None and (k.stalls_counted > 0).any():
        with np.errstate(divide="ignore", invalid="ignore"):
            busy = np.nan_to_num(dram / execution)
        sector = np.where(np.isnan(k.bytes_per_sector), 32.0, k.bytes_per_sector)
        hit = np.where(np.isnan(k.l2_hit_fraction), 1.0, k.l2_hit_fraction)
        write = np.nan_to_num(k.amounts.bytes_dram_write_fraction)[:, None]
        partial = partial_write_fraction(hit, write)
        found = random_dram_fraction(busy, lone_sector_fraction(sector), partial, memory)
        share = np.where(k.stalls_counted > 0, found, 0.0)

    def per_s(machines: Machines) -> FloatArray:
        stacked = machines.gather(lambda p: float(p.memory_type.upper().startswith("HBM")))
        return machines.rate(Resource.BYTES_DRAM) * np.where(stacked > 0, c.random_hbm, 1.0)

    ratio = per_s(source.machines) / per_s(target.machines)
    return np.where(np.isnan(ratio), 1.0, ratio), share


def contended(k: Kernels, source: Side, memory: FloatArray, c: Constants) -> FloatArray:
    """(n, 1) share of the unexplained seconds that is atomics waiting for each other on one address."""
    low, high = ATOMIC_HITS
    hits = np.clip((np.nan_to_num(k.l2_hit_fraction) - low) / (high - low), 0.0, 1.0)
    many = np.clip(k.atomic_fraction / c.atomic_least, 0.0, 1.0)
    with np.errstate(invalid="ignore"):
        return np.where(k.grid_blocks > source.sm_count, many * hits * memory, 0.0)
