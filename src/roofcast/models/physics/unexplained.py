"""How what the roofs do not explain scales from the source to the target: by its own cause."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.formulas.mechanistic_execution import geometric_mix, mixed_instructions_s, whole_waves
from roofcast.models.physics.constants import Constants
from roofcast.models.physics.contention import in_the_way
from roofcast.models.physics.kernels import Kernels
from roofcast.models.physics.latency import latency_s
from roofcast.models.physics.roofs import Side, load_store_rate, rate

MEMORY_SHARE_UNKNOWN = 0.5
"""Share of stalls taken for memory where none were counted."""

FLOPS_PER_FMA = 2.0

LOAD_STORE_OF_UNKNOWN = 0.5
"""How far the load/store rate, and not arithmetic, rules code of which no instruction was counted: even odds."""

ISSUE_CYCLES: tuple[tuple[int, float], ...] = ((30, 18.0), (50, 9.0), (70, 6.0))
"""Cycles between dependent instructions below a compute capability, 4 above: Fermi 18, Kepler 9, Maxwell and Pascal 6
(V. Volkov, "Understanding latency hiding on GPUs", Berkeley 2016), Volta on 4 (Z. Jia et al., arXiv:1804.06826)."""


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
    slowest = slowest_share(roofs_source, execution)
    on_tensors = tensor_work(k)
    say = np.minimum(slowest / np.where(on_tensors, ROOFS_OF_LIBRARIES, ROOFS_SAY_SOMETHING), 1.0)
    if "issue_latency" not in off and not counted.all():
        clock = clock * issue_ratio(k, source, target, slowest)
    ratio = latency_s(k, target, off) / latency_s(k, source, off)
    ratio = np.where(np.isnan(ratio), clock, ratio)
    scale = in_flight(source, target, c, off) * (memory * np.power(ratio, c.latency_exponent) + (1.0 - memory) * clock)
    machine = machine_ratio(k, source, target, clock)
    if not counted.all():
        passes = supply_ratio(k, source, target, Resource.INSTS_LSU, machine)
        whole = geometric_mix(machine, passes, c.load_store_share)
        if "mix" not in off and (k.mix_unknown > 0).any():
            unknown = geometric_mix(mixed_ratio(k, source, target, machine), passes, LOAD_STORE_OF_UNKNOWN)
            whole = np.where(k.mix_unknown > 0, unknown, whole)
        if "residency" not in off:
            whole = whole * resident_ratio(k, source, target, c)
        share = np.where(k.bytes_counted > 0, c.machine_share, c.machine_share_uncounted)
        whole = geometric_mix(scale, whole, share)
        if "serial" not in off:
            nothing = np.where(k.bytes_counted > 0, np.maximum(1.0 - slowest / ROOFS_OF_LIBRARIES, 0.0), 0.0)
            whole = geometric_mix(whole, clock, nothing)
        scale = np.where(counted, scale, whole)
    if "constant" not in off and k.constant_share.any():
        scale = geometric_mix(scale, clock * busiest(k, target) / busiest(k, source), k.constant_share)
    if "latency" in off:
        scale = np.where(np.isnan(roof_ratio), clock, roof_ratio)
    known = ~np.isnan(roof_ratio) & (roof_ratio > 0)
    compute = compute_share(roofs_source, execution, np.where(on_tensors, 1.0, c.overlap))
    memory_kept = np.where(k.bytes_counted > 0, c.efficiency_share_counted, c.efficiency_share)
    kept = (c.efficiency_share_compute * compute + memory_kept * (1.0 - compute)) * say
    kept = np.maximum(kept, near_dram_roof(roofs_source, execution, *STREAMING))
    near = c.near_roof_share * near_dram_roof(roofs_source, execution)
    stays = np.where(known, np.where(counted, near, np.where(k.time_alone > 0, 1.0, kept)), 0.0)
    scale = geometric_mix(scale, np.where(known, roof_ratio, 1.0), stays)
    if "throttle" not in off and k.queue_share.any():
        passes = supply_ratio(k, source, target, Resource.BYTES_L1, machine)
        scale = geometric_mix(scale, passes, c.queue_share * k.queue_share)
    if "throttle" not in off and k.throttle_share.any():
        scale = geometric_mix(scale, machine, c.throttle_share * k.throttle_share)
    return np.asarray(in_the_way(scale, k, (source, target), roofs_source, execution, memory, c, off))


def in_flight(source: Side, target: Side, c: Constants, off: Collection[str]) -> FloatArray:
    """(n, m) factor on latency from the waves of blocks that follow each other."""
    if "waves" in off:
        return np.power(target.waves / source.waves, c.wave_exponent)
    return np.power(whole_waves(target.waves) / whole_waves(source.waves), c.wave_exponent)


def busiest(k: Kernels, side: Side) -> FloatArray:
    """Blocks of the SM that has most of them, at least 1."""
    found = whole_waves(k.grid_blocks / side.sm_count)
    return np.where(found >= 1.0, found, 1.0)


def resident_ratio(k: Kernels, source: Side, target: Side, c: Constants) -> FloatArray:
    """(n, m) factor from the warps that each side keeps resident; 1 where nothing says what limits them."""

    def blocks(side: Side) -> FloatArray:
        given = k.grid_blocks / side.sm_count
        return np.fmin(side.blocks_per_sm, np.where(given >= 1.0, given, np.where(np.isnan(given), np.inf, 1.0)))

    ratio = blocks(source) / blocks(target)
    unlimited = np.isnan(k.regs_per_thread) & np.isnan(k.smem_bytes_per_block)
    return np.where(np.isnan(ratio) | unlimited, 1.0, np.power(ratio, c.residency))


def issue_cycles(p: Processor) -> float | None:
    """Cycles between dependent instructions."""
    version = p.architecture.removeprefix("sm_")
    if version == p.architecture or not version.isdigit():
        return None
    return next((cycles for below, cycles in ISSUE_CYCLES if int(version) < below), 4.0)


def issue_ratio(k: Kernels, source: Side, target: Side, slowest: FloatArray) -> FloatArray:
    """(n, m) factor from the latency of dependent instructions, for code that its roofs leave unexplained.

    Of kernels without stall reasons: those with them show how long their warps wait for what.
    """
    ratio = target.machines.gather(issue_cycles) / source.machines.gather(issue_cycles)
    chains = (k.insts_counted > 0) & (k.stalls_counted == 0)
    share = np.where(chains, np.maximum(1.0 - slowest / ROOFS_RULE, 0.0), 0.0)
    return np.power(np.where(np.isnan(ratio), 1.0, ratio), share)


ROOFS_RULE = 0.5
"""From this share of the source time on the roofs alone are what a kernel waits for."""

ROOFS_SAY_SOMETHING, ROOFS_OF_LIBRARIES = 0.3, 0.1
"""Below this share of the source time the roofs do not say what a kernel is limited by; tensor pipes are used by
libraries, whose share is low where matrices are small."""


def slowest_share(roofs: Mapping[Resource, FloatArray], execution: FloatArray) -> FloatArray:
    """(n, 1) the slowest roof's share of the source time; 0 where no roof is known."""
    slowest = np.zeros_like(execution)
    for seconds in roofs.values():
        slowest = np.fmax(slowest, seconds)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = slowest / execution
    return np.where(share > 0, share, 0.0)


def tensor_work(k: Kernels) -> NDArray[np.bool_]:
    """(n, 1) kernels on tensor pipes: libraries', whose tiles fill a GPU to a like share wherever they run."""
    flops = [v for r, v in k.amounts.flops.items() if r in FLOPS_TENSOR]
    if not flops:
        return np.zeros_like(k.time_s, dtype=np.bool_)
    return np.asarray(np.sum(flops, axis=0)[:, None] > 0)


DRAM_QUEUES = 0.1
"""Share of DRAM's rate from which requests begin to queue for the bus rather than to wait for the memory's latency."""


STREAMING = (0.3, 0.9)
"""Shares of DRAM's rate from which a kernel begins to stream, and from which it does nothing else: what it leaves of
the rate, another bus leaves as well. Where no stall reasons tell better (docs/accuracy.md)."""


def near_dram_roof(
    roofs: Mapping[Resource, FloatArray], execution: FloatArray, low: float = DRAM_QUEUES, high: float = 1.0
) -> FloatArray:
    """(n, 1) 0 up to a low share of DRAM's rate on the source (default: a tenth), 1 from a high one (its roof).

    A loaded memory answers as fast as its bus, not as fast as an idle one: kernels that stream on a V100 gain on an
    A100 by the ratio of bandwidths within 6 % (Van Lanker 2024, Fig. 4), though the A100's idle latency is longer.
    """
    dram = roofs.get(Resource.BYTES_DRAM)
    if dram is None:
        return np.zeros_like(execution)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.nan_to_num(dram / execution)
    return np.asarray(np.clip((share - low) / (high - low), 0.0, 1.0))


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


def machine_ratio(k: Kernels, source: Side, target: Side, clock: FloatArray) -> FloatArray:
    """(n, m) SMs x clock of the source over the target's; where the source has idle SMs, the blocks of the target's
    busiest SM / clock: neither more SMs help nor fewer hurt while each block has its own.
    """
    with np.errstate(invalid="ignore"):
        idle = k.grid_blocks < source.sm_count
    return np.where(idle, clock * busiest(k, target), clock * source.sm_count / target.sm_count)


def mixed_ratio(k: Kernels, source: Side, target: Side, machine: FloatArray) -> FloatArray:
    """(n, m) arithmetic seconds on the target over the source's of a usual mix of integer and FP32 instructions.

    ``machine`` where SMs are idle (a block's own chain of instructions counts) or a rate is unknown.
    """
    ratio = mixed_instructions_s(*(pipes(target))) / mixed_instructions_s(*(pipes(source)))
    with np.errstate(invalid="ignore"):
        idle = k.grid_blocks < source.sm_count
    return np.where(np.isnan(ratio) | idle, machine, ratio)


def pipes(side: Side) -> tuple[FloatArray, FloatArray, FloatArray]:
    """FP32 instructions, integer instructions and issue slots per second, of single threads, in theory."""
    clock = side.machines.clock_hz / side.machines.gather(lambda p: p.clock_hz_boost)

    def of(resource: Resource) -> FloatArray:
        def peak(p: Processor) -> float | None:
            supply = p.supply(resource)
            return None if supply is None else supply.peak_per_s or supply.per_s

        return np.asarray(side.machines.gather(peak) * clock)

    lanes = side.machines.gather(lambda p: p.warp_size)
    return of(Resource.FLOPS_FP32) / FLOPS_PER_FMA, of(Resource.OPS_INT32), of(Resource.INSTS_ISSUED) * lanes


def supply_ratio(k: Kernels, source: Side, target: Side, resource: Resource, machine: FloatArray) -> FloatArray:
    """(n, m) supply of the source over the target's; ``machine`` where SMs are idle or a supply is unknown."""
    if resource is Resource.INSTS_LSU:
        ratio = load_store_rate(k, source) / load_store_rate(k, target)
    else:
        ratio = rate(source.machines, resource) / rate(target.machines, resource)
    with np.errstate(invalid="ignore"):
        idle = k.grid_blocks < source.sm_count
    return np.where(np.isnan(ratio) | idle, machine, ratio)
