"""The mechanistic model's roofs: what each side supplies to a kernel, and the seconds that each resource needs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines
from roofcast.core.processor import Processor
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.formulas.mechanistic_execution import device_floor_s, fill_fraction, mixed_rate, waves
from roofcast.formulas.occupancy import SmLimits, residency
from roofcast.models.operators.vendors import likeness_to_amd
from roofcast.models.physics.cache_capacity import dram_fraction, llc_fraction
from roofcast.models.physics.constants import Constants
from roofcast.models.physics.kernels import BYTES_PER_PASS, Kernels
from roofcast.models.supplies import has_variant

BOOST_SHARE = 0.97
"""Below this share of the boost clock no power limit holds a pipe back: theory applies."""

FEW_FP64 = 1 / 16
"""A GPU whose FP64 rate is below this share of its FP32 rate has FP64 units for compatibility only."""

BESIDE_THE_SMS = frozenset({Resource.BYTES_DRAM, Resource.BYTES_LLC, Resource.BYTES_HOST_LINK, Resource.ATOMICS_L2})


@dataclass(frozen=True)
class Side:
    """One side of the forecast; arrays broadcast to (n, m)."""

    machines: Machines
    """At the clocks that the SMs really run at."""
    fill: FloatArray
    waves: FloatArray
    blocks_per_sm: FloatArray
    floor_s: FloatArray
    few_fp64_units: FloatArray
    sm_count: FloatArray
    dram_share: FloatArray
    """Share of the bytes asked for that DRAM serves."""
    llc_share: FloatArray
    """Share that a cache between L2 and DRAM serves."""


def sm_limits(machines: Machines) -> SmLimits:
    """Limits per SM of each cell's processor."""

    def of(name: str) -> FloatArray:
        return machines.gather(lambda p: getattr(p, name))

    return SmLimits(
        max_blocks=of("max_blocks_per_sm"),
        max_warps=machines.gather(max_warps),
        regs=of("regs_per_sm"),
        smem_bytes=of("smem_per_sm_bytes"),
        warp_size=of("warp_size"),
        reg_granularity=of("reg_alloc_granularity"),
        subpartitions=of("subpartitions_per_sm"),
        smem_granularity_bytes=of("smem_alloc_granularity_bytes"),
        smem_reserved_bytes_per_block=of("smem_reserved_per_block_bytes"),
    )


def max_warps(p: Processor) -> float | None:
    """Warps that an SM holds."""
    return p.max_warps_per_sm or (p.max_threads_per_sm // p.warp_size if p.max_threads_per_sm else None)


def few_fp64(p: Processor) -> float:
    """1 where a GPU has FP64 units for compatibility only."""
    fp64, fp32 = p.supply(Resource.FLOPS_FP64), p.supply(Resource.FLOPS_FP32)
    if fp64 is None or fp32 is None:
        return 0.0
    return float((fp64.peak_per_s or fp64.per_s) < FEW_FP64 * (fp32.peak_per_s or fp32.per_s))


def side_of(k: Kernels, machines: Machines, c: Constants, off: Collection[str]) -> Side:
    """What one side offers each kernel."""
    sm_count = machines.gather(lambda p: p.sm_count)
    machines = machines if "real_clock" in off else at_real_clock(machines)
    with np.errstate(divide="ignore", invalid="ignore"):
        held = residency(k.block_threads, k.regs_per_thread, k.smem_bytes_per_block, sm_limits(machines)).blocks
        blocks = np.where(held >= 1, held, 1.0)
        fill = fill_fraction(k.grid_blocks, sm_count, c.uneven_waves)
    if "few_blocks" in off:
        fill = np.ones_like(fill)
    fixed = c.floor_s + likeness_to_amd(machines) * c.floor_amd_s
    share = dram_fraction(k.working_set_bytes, k.warm, machines)
    share = np.where(k.bytes_counted > 0, 1.0, share) if "cache" not in off else np.ones_like(share)
    behind_l2 = llc_fraction(k.working_set_bytes, k.warm, machines)
    behind_l2 = np.where(k.bytes_counted > 0, 0.0, behind_l2) if "cache" not in off else np.zeros_like(share)
    return Side(
        machines=machines,
        fill=fill,
        waves=waves(k.grid_blocks, sm_count, blocks),
        blocks_per_sm=np.where(np.isnan(held), np.nan, blocks),
        floor_s=device_floor_s(fixed, c.floor_cycles, machines.clock_hz),
        few_fp64_units=machines.gather(few_fp64),
        sm_count=sm_count,
        dram_share=share,
        llc_share=behind_l2,
    )


def rate(machines: Machines, resource: Resource) -> FloatArray:
    """Supply per second: sustained at boost, theoretical below it; NaN where unknown or 0."""
    sustained = machines.rate(resource)

    def over(p: Processor) -> float | None:
        supply = p.supply(resource)
        return None if supply is None or not supply.peak_per_s else supply.peak_per_s / supply.per_s

    if resource.is_compute and resource not in FLOPS_TENSOR:
        boost = machines.gather(lambda p: p.clock_hz_boost)
        peak = sustained * machines.gather(over)
        with np.errstate(invalid="ignore"):
            held = (machines.clock_hz < BOOST_SHARE * boost) & ~np.isnan(peak)
        sustained = np.where(held, peak, sustained)
    return np.where(sustained > 0, sustained, np.nan)


GAIN_MOST = 1.12
"""Cards of one model differ: what one measurement shows beyond this is that card's."""

GAIN_OF_CONSUMER_CARDS = 1.067
"""Where none was measured: the mean of the measured GeForce cards since Maxwell (the catalog's class estimate)."""


def clock_gain(machines: Machines) -> FloatArray:
    """Real SM clock over the rated boost clock, at least 1; 1 for runs at other clocks.

    The catalog has a sustained clock above boost where measured FP32 rates exceed the theory of the boost clock (2080
    Ti: 16.9 of 13.4 TFLOP/s). Sustained clocks below it are power limits, which only dense arithmetic meets.
    """

    def of(p: Processor) -> float:
        if p.clock_hz_sustained is None:
            return GAIN_OF_CONSUMER_CARDS if exceeds_its_rating(p) else 1.0
        return min(max(p.clock_hz_sustained / p.clock_hz_boost, 1.0), GAIN_MOST)

    gain = np.nan_to_num(machines.gather(of), nan=1.0)
    boost = machines.gather(lambda p: p.clock_hz_boost)
    with np.errstate(invalid="ignore"):
        return np.where(machines.clock_hz < BOOST_SHARE * boost, 1.0, gain)


def exceeds_its_rating(p: Processor) -> bool:
    """Desktop GeForce cards with GPU Boost 2 and later, cooled to run above the boost clock on their box.

    Titans are rated higher for the same chips and cooler: measured FP32 rates are 0.92 (V) and 0.93 (X) of theory.
    """
    version = p.architecture.removeprefix("sm_")
    return p.segment == "consumer" and version.isdigit() and int(version) >= 50 and "TITAN" not in p.name.upper()


def at_real_clock(machines: Machines) -> Machines:
    """Machines at the clocks that their SMs really run at."""
    if not any(exceeds_its_rating(p) or (p.clock_hz_sustained or 0.0) > p.clock_hz_boost for p in machines.processors):
        return machines
    return replace(machines, clock_hz=machines.clock_hz * clock_gain(machines))


L2_PORT_BYTES_PER_CYCLE = 64.0
"""What one SM can take from L2 per clock (NVIDIA's A100 white paper: 5120 B/clk over 80 ports of 64 B)."""


def port_rate(side: Side) -> FloatArray:
    """L2 bytes per second that all SMs together can take; a few of them share less than L2 can give."""
    return np.asarray(L2_PORT_BYTES_PER_CYCLE * side.sm_count * side.machines.clock_hz)


def load_store_rate(k: Kernels, side: Side) -> FloatArray:
    """Load/store passes per second of each kernel's mix of full and half-width passes.

    The plain rate for both where the catalog has no other for half-width ones.
    """
    half = side.machines.rate(Resource.INSTS_LSU, "narrow")
    return mixed_rate(rate(side.machines, Resource.INSTS_LSU), np.where(half > 0, half, np.nan), k.full_fraction)


SHARED_BYTES_PER_CYCLE = 128.0
"""A pass counts as 128 bytes. Kepler's banks give 256, but only to accesses of eight bytes a lane."""


def supply(k: Kernels, side: Side, resource: Resource, c: Constants) -> FloatArray:
    """Amount per second that a side gives each kernel, headroom included."""
    factor = headrooms(c).get(resource, 1.0)
    if resource is Resource.INSTS_LSU:
        return load_store_rate(k, side)
    found = rate(side.machines, resource) * factor
    if resource is Resource.FLOPS_TENSOR_FP32:
        return np.where(np.isnan(found), rate(side.machines, Resource.FLOPS_FP32), found)
    if resource is Resource.BYTES_SHARED:
        return np.fmin(found, factor * SHARED_BYTES_PER_CYCLE * side.sm_count * side.machines.clock_hz)
    if resource is Resource.BYTES_L2 and (k.bytes_counted == 0).any():
        return np.where(k.bytes_counted > 0, found, found / factor * c.l2_cached)
    return found


def supplies(
    k: Kernels, sides: tuple[Side, Side], resource: Resource, amount: FloatArray, c: Constants
) -> list[FloatArray]:
    """Amount per second that either side gives each kernel; in FP32 with packed instructions where it uses them.

    Compilers pack two operations into one instruction (MI200) only where the code asks for it, and no counter tells.
    A kernel that exceeded what single ones can do on the source does tell.
    """
    rates = [supply(k, side, resource, c) for side in sides]
    if resource is not Resource.FLOPS_FP32:
        return rates
    has = [~np.isnan(has_variant(side.machines, resource, "packed")) for side in sides]
    uses = has[0] & (amount > k.time_s * rate(sides[0].machines, resource))
    if not uses.any():
        return rates
    more = [side.machines.rate(resource, "packed") / side.machines.rate(resource) for side in sides]
    return [np.where(uses & h, r * m, r) for r, m, h in zip(rates, more, has, strict=True)]


def headrooms(c: Constants) -> dict[Resource, float]:
    """Factor on each supply."""
    return {
        Resource.FLOPS_FP64: c.fp64_mix,
        Resource.FLOPS_FP32: c.fp32_mix,
        Resource.OPS_INT32: c.integer_headroom,
        Resource.INSTS_ISSUED: 1.0 / c.issue_replays,
        Resource.BYTES_L2: c.l2_headroom,
        Resource.BYTES_SHARED: c.shared_headroom,
    }


def roof_seconds(
    k: Kernels, source: Side, target: Side, c: Constants, off: Collection[str]
) -> tuple[dict[Resource, FloatArray], dict[Resource, FloatArray]]:
    """Seconds per resource on both sides; a resource counts only where both supplies are known."""
    amounts = {r: v[:, None] for r, v in k.amounts.by_resource.items()}
    if not np.isnan(k.insts_warp).all():
        amounts[Resource.INSTS_ISSUED] = k.insts_warp
    if not np.isnan(k.insts_lsu).all():
        amounts[Resource.INSTS_LSU] = k.insts_lsu
    if not np.isnan(k.shared_passes).all():
        known = amounts.get(Resource.BYTES_SHARED, np.nan)
        amounts[Resource.BYTES_SHARED] = np.fmax(known, BYTES_PER_PASS * k.shared_passes)
    if "pipes" in off:
        amounts = {r: v for r, v in amounts.items() if r.value.startswith("flops") or r is Resource.BYTES_DRAM}
    roofs: tuple[dict[Resource, FloatArray], dict[Resource, FloatArray]] = ({}, {})
    for resource, amount in amounts.items():
        rates = supplies(k, (source, target), resource, amount, c)
        if np.isnan(rates[0]).all() or np.isnan(rates[1]).all():
            continue
        missing = np.isnan(rates[0]) | np.isnan(rates[1])
        some = bool(missing.any())
        for found, side, per_s in zip(roofs, (source, target), rates, strict=True):
            if resource is Resource.BYTES_L2:
                seconds = amount / np.minimum(per_s, port_rate(side) * side.fill)
            else:
                seconds = amount / (per_s if resource in BESIDE_THE_SMS else per_s * side.fill)
            if resource is Resource.BYTES_DRAM:
                seconds = seconds * side.dram_share + llc_seconds(amount, side)
            found[resource] = np.where(missing, np.nan, seconds) if some else seconds
    return with_cached_bytes(k, roofs, source, target, c)


def llc_seconds(amount: FloatArray, side: Side) -> FloatArray:
    """Seconds of the bytes that a cache between L2 and DRAM serves: they come the same way, only faster."""
    if not (side.llc_share > 0).any():
        return np.zeros(1)
    return np.nan_to_num(amount * side.llc_share / rate(side.machines, Resource.BYTES_LLC))


def with_cached_bytes(
    k: Kernels,
    roofs: tuple[dict[Resource, FloatArray], dict[Resource, FloatArray]],
    source: Side,
    target: Side,
    c: Constants,
) -> tuple[dict[Resource, FloatArray], dict[Resource, FloatArray]]:
    """Bytes that only the algorithm names go through L2 as well, whoever serves them."""
    dram = k.amounts.by_resource.get(Resource.BYTES_DRAM)
    if dram is None or Resource.BYTES_L2 in k.amounts.by_resource or not (k.bytes_counted == 0).any():
        return roofs
    moved = np.where(k.bytes_counted > 0, np.nan, dram[:, None])
    for found, side in zip(roofs, (source, target), strict=True):
        found[Resource.BYTES_L2] = moved / (rate(side.machines, Resource.BYTES_L2) * c.l2_cached)
    return roofs
