"""Measurements that cannot be: a time that does not move with the size, a rate above a roof.

These are the faults of the report whose kernels the suite repeats: one of its GPUs shows the same time from 256 x 256
to 2048 x 2048 points, and FLOP rates above three times the card's peak. A row that fails is refused: it is in no table.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast_measure.driver import DeviceInfo

WORK_STEP = 4.0
"""Sizes whose work differs by this factor must differ in time ..."""
STEP_OF_ONE = 15.0
"""... or of which one amount grows by this factor while none shrinks ..."""
GROWTH_LEAST = 1.3
"""... by this one, even where a device is far from full."""
FLOORS = 10.0
"""Launches shorter than so many launch floors may take the same time."""
SOUND_S = 20e-6
"""Shorter ones may too, where the floor is not known."""
EXCESS_COMPUTE = 1.25
"""Real clocks may exceed the rated boost clock by this, not by more."""
EXCESS_DRAM = 1.10
"""1; rates over DRAM's rated peak up to which they are plausible."""
CACHES_TO_EXCEED = 8.0
"""Sizes of L2 beyond which all compulsory bytes must cross the DRAM interface."""
WORK = (
    "flops_fp32", "flops_fp64", "bytes_l1", "bytes_l2", "bytes_shared", "bytes_compulsory", "atomics_l2",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a row is not to be believed."""

    row: int
    reason: str


def refusals(
    kernels: KernelTable, roofs: Mapping[Resource, float], capacity_bytes_l2: float = np.inf, floor_s: float = np.nan
) -> list[Refusal]:
    """Every row that cannot be, each once.

    roofs : peak per second of resources, as :func:`roofs_of` gives them; missing ones are not checked.
    capacity_bytes_l2 : last cache of the GPU. floor_s : seconds of an empty launch.
    """
    reasons: dict[int, str] = {}
    for refusal in (*above_a_roof(kernels, roofs, capacity_bytes_l2), *not_moving(kernels, floor_s)):
        reasons.setdefault(refusal.row, refusal.reason)
    return [Refusal(row, reason) for row, reason in sorted(reasons.items())]


def above_a_roof(kernels: KernelTable, roofs: Mapping[Resource, float], capacity_bytes_l2: float) -> Iterator[Refusal]:
    """Rates that the hardware does not have."""
    time_s = kernels.column("time_s")
    for resource, peak in roofs.items():
        is_dram = resource is Resource.BYTES_DRAM
        amount = certain_dram_bytes(kernels, capacity_bytes_l2) if is_dram else kernels.column(resource.value)
        with quietly():
            ratio = amount / time_s / peak
        for row in np.flatnonzero(ratio > (EXCESS_DRAM if is_dram else EXCESS_COMPUTE)):
            yield Refusal(int(row), f"{ratio[row]:.2f} times the {resource.label} peak of the GPU")


def certain_dram_bytes(kernels: KernelTable, capacity_bytes_l2: float) -> FloatArray:
    """(n,) bytes that must have crossed the DRAM interface: reads of a cold run, and all where no cache is near.

    What a kernel writes may still be in the last cache when it ends.
    """
    least = kernels.column("bytes_compulsory")
    cold = np.array([state == "cold" for state in kernels.strings("cache_state")], dtype=np.bool_)
    read = np.where(cold, np.nan_to_num(kernels.column("bytes_dram_read")), 0.0)
    return np.asarray(np.where(least > CACHES_TO_EXCEED * capacity_bytes_l2, least, read))


def not_moving(kernels: KernelTable, floor_s: float) -> Iterator[Refusal]:
    """Sizes that change the work and leave the time."""
    time_s, config = kernels.column("time_s"), kernels.strings("config")
    sound = max(SOUND_S, FLOORS * floor_s) if np.isfinite(floor_s) else SOUND_S
    groups: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(zip(*(kernels.strings(n) for n in ("kernel", "gpu", "cache_state")), strict=True)):
        groups.setdefault(key, []).append(row)
    for rows in groups.values():
        for small, large in itertools.permutations(rows, 2):
            growth = time_s[large] / time_s[small]
            if time_s[large] > sound and growth < GROWTH_LEAST and (work := grown_work(kernels, small, large)):
                yield Refusal(large, f"{work:.3g} times the work of {config[small]} in {growth:.2f} times its time")
                yield Refusal(small, f"{config[large]} does {work:.3g} times its work in {growth:.2f} times its time")


def grown_work(kernels: KernelTable, small: int, large: int) -> float:
    """Growth of the work from one row to another, where that must be seen in the time; else 0.

    All that both have grows by ``WORK_STEP``; or one amount grows by ``STEP_OF_ONE`` while none shrinks (a stride).
    """
    ratios = [
        float(values[large] / values[small])
        for name in WORK
        if (values := kernels.column(name))[small] > 0 and values[large] > 0
    ]
    least, most = min(ratios, default=0.0), max(ratios, default=0.0)
    if least >= WORK_STEP:
        return least
    return most if least >= 1.0 and most >= STEP_OF_ONE else 0.0


def roofs_of(info: DeviceInfo, processor: Processor | None) -> dict[Resource, float]:
    """Peaks per second: the catalog's theoretical ones, else what the driver states of the memory."""
    peaks: dict[Resource, float] = {}
    for resource in (Resource.FLOPS_FP32, Resource.FLOPS_FP64, Resource.BYTES_SHARED, Resource.BYTES_DRAM):
        supply = processor.supply(resource) if processor is not None else None
        if supply is not None:
            peaks[resource] = max(supply.per_s, supply.peak_per_s or 0.0)
    if np.isfinite(info.bytes_per_s_dram_peak) and info.bytes_per_s_dram_peak > 0:
        peaks[Resource.BYTES_DRAM] = max(peaks.get(Resource.BYTES_DRAM, 0.0), info.bytes_per_s_dram_peak)
    return peaks


def without(kernels: KernelTable, refused: Sequence[Refusal]) -> KernelTable:
    """The rows that stay."""
    keep = np.ones(len(kernels), np.bool_)
    keep[[r.row for r in refused]] = False
    return kernels.select(keep)
