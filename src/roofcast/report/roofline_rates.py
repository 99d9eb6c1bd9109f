"""What a roofline needs of every kernel on one processor, as arrays: amounts, ceilings, attainable rates.

The equations are those of :mod:`roofcast.formulas.roofline`; here stands only which column feeds which symbol.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from roofcast.core.machines import Machines
from roofcast.core.processor import Processor
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.core.table import FloatArray, KernelTable
from roofcast.formulas import roofline as formulas

LEVELS = (Resource.BYTES_L1, Resource.BYTES_L2, Resource.BYTES_DRAM)
PRECISIONS = (*FLOPS_VECTOR, *FLOPS_TENSOR)
BY_NAME = {
    "fp64": Resource.FLOPS_FP64, "fp32": Resource.FLOPS_FP32, "fp16": Resource.FLOPS_FP16, "bf16": Resource.FLOPS_BF16,
    "double": Resource.FLOPS_FP64, "single": Resource.FLOPS_FP32, "half": Resource.FLOPS_FP16,
    "tf32": Resource.FLOPS_TENSOR_TF32, "fp8": Resource.FLOPS_TENSOR_FP8, "fp4": Resource.FLOPS_TENSOR_FP4,
}  # fmt: skip
"""Precision column of a table -> the resource that its unsplit ``flops`` use."""


@dataclass(frozen=True)
class Amounts:
    """Work and traffic of n kernels, independent of any processor."""

    flops: FloatArray
    """(n,) FLOP, all precisions; NaN where none was counted."""
    by_precision: Mapping[Resource, FloatArray]
    """resource -> (n,) FLOP; 0 where other precisions were counted and this one was not."""
    bytes_traversing: Mapping[Resource, FloatArray]
    """level -> (n,) B. N+ of Eq. 10; shared memory counts to L1."""
    fma_fraction: Mapping[Resource, FloatArray]
    """resource -> (n,) 1; NaN where the instructions were not counted."""


@dataclass(frozen=True)
class Rates:
    """Ceilings of n kernels on one processor."""

    bytes_per_s: Mapping[Resource, FloatArray]
    """level -> (n,) B/s, the kernel-specific bandwidth ceiling (Eq. 6-8)."""
    flops_per_s_peak: FloatArray
    """(n,) FLOP/s of the kernel's precisions when every instruction is an FMA on full warps."""
    flops_per_s_mix: FloatArray
    """(n,) FLOP/s with the kernel's share of FMAs (Eq. 2)."""
    flops_per_s: FloatArray
    """(n,) FLOP/s, idle lanes included too (Eq. 3)."""


def amounts_of(kernels: KernelTable) -> Amounts:
    """FLOPs and bytes of each kernel as the roofline counts them."""
    split = {r: kernels.column(r.value) for r in PRECISIONS}
    half = split[Resource.FLOPS_FP16] - np.nan_to_num(kernels.column("flops_phantom_fp16"))
    split[Resource.FLOPS_FP16] = np.maximum(half, 0.0)
    stack = np.stack(list(split.values()))
    counted = ~np.isnan(stack).all(axis=0)
    unsplit = kernels.column("flops")
    named = [BY_NAME.get(str(p).strip().lower(), Resource.FLOPS_FP32) for p in kernels.strings("precision")]
    by_precision = {}
    for resource, values in split.items():
        alone = np.where([resource is n for n in named], unsplit, 0.0)
        by_precision[resource] = np.where(counted, np.nan_to_num(values), alone)
    flops = np.where(counted, np.nansum(stack, axis=0), unsplit)
    shared = shared_bytes(kernels)
    traversing = {level: kernels.column(level.value) for level in LEVELS}
    traversing[Resource.BYTES_L1] = traversing[Resource.BYTES_L1] + np.nan_to_num(shared)
    return Amounts(flops, by_precision, traversing, fma_fractions(kernels))


def shared_bytes(kernels: KernelTable) -> FloatArray:
    """(n,) useful shared-memory bytes; where only passes were counted, what they moved."""
    useful = kernels.column("bytes_shared_useful")
    return np.where(np.isnan(useful), kernels.column(Resource.BYTES_SHARED.value), useful)


def fma_fractions(kernels: KernelTable) -> dict[Resource, FloatArray]:
    """Resource -> (n,) share of FMAs among the floating-point instructions."""
    fractions = {}
    for resource in FLOPS_VECTOR:
        width = resource.value.removeprefix("flops_")
        if f"insts_{width}_fma" not in kernels.numeric:
            continue
        fused = kernels.column(f"insts_{width}_fma")
        plain = kernels.column(f"insts_{width}_add") + kernels.column(f"insts_{width}_mul")
        with np.errstate(divide="ignore", invalid="ignore"):
            fractions[resource] = fused / (fused + plain)
    return fractions


def rates_of(kernels: KernelTable, amounts: Amounts, processor: Processor, clock_hz: FloatArray) -> Rates:
    """Ceilings of each kernel on a processor at the given SM clocks.

    clock_hz : (n,) Hz.
    """
    machine = Machines.of([processor], np.zeros(len(kernels), dtype=np.intp), clock_hz)
    lanes = kernels.column("threads_per_inst") / processor.warp_size
    active = np.where(np.isnan(lanes), 1.0, np.clip(lanes, 0.0, 1.0))
    peak_s, mix_s, ceiling_s = (np.zeros(len(kernels)) for _ in range(3))
    for resource, flops in amounts.by_precision.items():
        peak = machine.rate(resource)
        plain = machine.rate(resource, "add_mul")
        plain = np.where(plain == peak, peak / 2, plain)
        share = amounts.fma_fraction.get(resource, np.full(len(kernels), np.nan))
        alpha = np.where(np.isnan(share), 1.0, share)
        mix = formulas.flops_per_s_of_mix(peak, plain, alpha, 1.0 - alpha)
        warps = mix if resource in FLOPS_TENSOR else formulas.flops_per_s_with_idle_lanes(mix, active)
        used = flops > 0
        for total, rate in ((peak_s, peak), (mix_s, mix), (ceiling_s, warps)):
            total[used] += flops[used] / rate[used]
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = [np.where(amounts.flops > 0, amounts.flops / t, np.nan) for t in (peak_s, mix_s, ceiling_s)]
    return Rates(bandwidth_ceilings(kernels, amounts, machine), rates[0], rates[1], rates[2])


def bandwidth_ceilings(kernels: KernelTable, amounts: Amounts, machine: Machines) -> dict[Resource, FloatArray]:
    """Level -> (n,) B/s for all data that traverse the level (Eq. 4-8); NaN where a level is absent."""
    below = [np.nan_to_num(kernels.column(r.value)) for r in (Resource.BYTES_L2, Resource.BYTES_DRAM)]
    l1_alone, l2, dram = (kernels.column(r.value) for r in LEVELS)
    hits = [formulas.bytes_hit(l1_alone, below[0]), formulas.bytes_hit(l2, below[1]), dram]
    bandwidths = [machine.rate(Resource.BYTES_L1), machine.rate(Resource.BYTES_L2), dram_bandwidth(kernels, machine)]
    times = [formulas.transfer_time_s(h, b) for h, b in zip(hits, bandwidths, strict=True)]
    shared = np.nan_to_num(shared_bytes(kernels))
    passes = kernels.column("shared_wavefronts")
    with np.errstate(divide="ignore", invalid="ignore"):
        useful = np.where(passes > 0, np.minimum(shared / passes, formulas.BYTES_PER_WAVEFRONT_MAX), np.nan)
    useful = np.where(np.isnan(useful) | (useful <= 0), formulas.BYTES_PER_WAVEFRONT_MAX, useful)
    shared_s = formulas.shared_transfer_time_s(shared, useful, machine.rate(Resource.BYTES_SHARED))
    shared_s = np.where(shared > 0, shared_s, 0.0)
    through_l1 = formulas.bytes_per_s_ceiling([hits[0], shared, *hits[1:]], [times[0], shared_s, *times[1:]])
    return {
        Resource.BYTES_L1: through_l1,
        Resource.BYTES_L2: formulas.bytes_per_s_ceiling(hits[1:], times[1:]),
        Resource.BYTES_DRAM: formulas.bytes_per_s_ceiling(hits[2:], times[2:]),
    }


def dram_bandwidth(kernels: KernelTable, machine: Machines) -> FloatArray:
    """(n,) B/s of DRAM for each kernel's mix of reads and writes (init, read, copy or triad)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        written = kernels.column("bytes_dram_write") / kernels.column("bytes_dram")
    kinds = [("init", written > 0.9), ("read", written < 0.1), ("copy", (written > 0.4) & (written <= 0.9))]
    rate = machine.rate(Resource.BYTES_DRAM, "triad")
    for variant, rows in kinds:
        rate = np.where(rows, machine.rate(Resource.BYTES_DRAM, variant), rate)
    return rate
