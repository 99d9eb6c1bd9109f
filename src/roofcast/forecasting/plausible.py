r"""What cannot be true of a profile: rates beyond what explains them, units off by thousands, pipes that a GPU lacks.

A rate is an amount over the measured time, its excess

.. math:: e = \frac{V}{T \, P}

V : amount. T : s. P : the highest rate that could explain it: of the pipe at boost, of tensor pipes for types that they
take, of the caches for what fits into them. Limits: 1.25 for pipes (boosted cards, counted idle lanes), 1.1 for DRAM.
Where e says how the contradiction ends (another pipe, another unit), that is said as the cure. Nothing is changed.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.errors import one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, columns_of, last_capacity_bytes
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.core.units import format_quantity
from roofcast.forecasting.sources import resolve_sources
from roofcast.formulas.values import combine
from roofcast.kit.quantities import count_of, format_percent
from roofcast.models.kernel_amounts import Amounts, amounts_of
from roofcast.models.physics.kernel_inputs import touched_bytes

IMPLAUSIBLE = "implausible: "
"""How a flag of this kind begins."""
PIPE_EXCESS, DRAM_EXCESS = 1.25, 1.1
CONVOLUTION = re.compile(r"conv|winograd|fft|wino", re.IGNORECASE)
WINOGRAD = 4.0
"""Multiplications that Winograd's F(4x4, 3x3) saves (A. Lavin, S. Gray, CVPR 2016): FLOPs of the direct form exceed."""
UNITS = (1e3, 1e6, 1e9)
FAR = 50.0
"""An excess from which a unit is the likelier explanation than a pipe."""
SECTOR_BYTES = 32.0
"""DRAM moves no less."""
TIMED_S = 5e-6
"""Kernels longer than this do more than a sector's work."""
IDLE = 300.0
"""All kernels of a file this many times slower than any of their roofs: another unit of time, if that explains all."""
ROOF_S = 20e-6
"""Seconds of a roof below which launches and latency explain a slow kernel."""

TENSORS: dict[Resource, tuple[Resource, ...]] = {
    Resource.FLOPS_FP64: (Resource.FLOPS_TENSOR_FP64,),
    Resource.FLOPS_FP32: (Resource.FLOPS_TENSOR_TF32, Resource.FLOPS_TENSOR_FP32),
    Resource.FLOPS_FP16: (Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_FP32),
    Resource.FLOPS_BF16: (Resource.FLOPS_TENSOR_BF16, Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_FP32),
    Resource.FLOPS_TENSOR_FP16: (Resource.FLOPS_FP16, Resource.FLOPS_FP32),
    Resource.FLOPS_TENSOR_BF16: (Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_FP32),
    Resource.FLOPS_TENSOR_TF32: (Resource.FLOPS_FP32,),
}
"""Pipes that do the same arithmetic, and those that libraries take where a GPU has no fast one of the type."""
NARROWER: dict[Resource, tuple[Resource, ...]] = {
    Resource.FLOPS_FP64: (Resource.FLOPS_FP32, Resource.FLOPS_TENSOR_FP16),
    Resource.FLOPS_FP32: (Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_TENSOR_FP8),
    Resource.FLOPS_FP16: (Resource.FLOPS_TENSOR_FP8,),
    Resource.FLOPS_BF16: (Resource.FLOPS_TENSOR_FP8,),
    Resource.FLOPS_TENSOR_FP64: (Resource.FLOPS_FP32, Resource.FLOPS_TENSOR_TF32),
    Resource.FLOPS_TENSOR_TF32: (Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_TENSOR_FP8),
    Resource.FLOPS_TENSOR_FP16: (Resource.FLOPS_TENSOR_FP8, Resource.FLOPS_TENSOR_FP4),
    Resource.FLOPS_TENSOR_BF16: (Resource.FLOPS_TENSOR_FP8, Resource.FLOPS_TENSOR_FP4),
    Resource.FLOPS_TENSOR_FP8: (Resource.FLOPS_TENSOR_FP4,),
}
"""Pipes that would explain a rate if the FLOPs were of another type."""
WIDER: dict[Resource, tuple[Resource, ...]] = {
    Resource.FLOPS_TENSOR_FP64: (Resource.FLOPS_FP64,),
    Resource.FLOPS_TENSOR_TF32: (Resource.FLOPS_FP32,),
    Resource.FLOPS_TENSOR_FP16: (Resource.FLOPS_FP16, Resource.FLOPS_FP32),
    Resource.FLOPS_TENSOR_BF16: (Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_FP32),
    Resource.FLOPS_TENSOR_FP8: (Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_FP32),
    Resource.FLOPS_TENSOR_FP4: (Resource.FLOPS_TENSOR_FP8, Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_FP32),
}
"""What a GPU without the pipe would take for it."""

EMULATED_NOWHERE = (Resource.FLOPS_TENSOR_FP8, Resource.FLOPS_TENSOR_FP4)
"""Types that no library computes without their pipe."""


@dataclass(frozen=True)
class Rates:
    """n kernels with what their GPUs could do at most; arrays (n,)."""

    kernels: KernelTable
    machines: Machines
    amounts: Amounts
    time_s: FloatArray

    def peak(self, resource: Resource) -> FloatArray:
        """Highest rate of a resource on each kernel's GPU, whatever the kind of access; NaN where it has none."""
        return self.machines.spread(highest(self.machines.columns, resource))

    def any_peak(self, resources: Sequence[Resource]) -> FloatArray:
        """The highest of several."""
        return combine(np.fmax, [self.peak(r) for r in resources])


def highest(p: Columns, resource: Resource) -> FloatArray:
    """(p,) highest rate of a resource: measured, theoretical, of any kind of access."""

    def of(processor: Processor) -> float:
        kinds = [s for key, s in processor.variants.items() if key.partition(":")[0] == resource.value]
        plain = processor.supplies.get(resource)
        return max((max(s.per_s, s.peak_per_s or 0.0) for s in (*kinds, *([plain] if plain else []))), default=np.nan)

    return np.asarray(p.each(of), dtype=np.float64)


@quietly(overflow=True)
def mark_implausible(kernels: KernelTable, processors: Sequence[Processor], index: NDArray[np.intp]) -> KernelTable:
    """The kernels with flags on what cannot be true; as they are where nothing is.

    kernels : with the amounts that the file states, none that an operator or a name tells.
    processors, index : their GPUs, (n,) position in them, -1 where unknown.
    """
    if not len(kernels) or not processors:
        return kernels
    time_s = np.where(kernels.column("time_s") > 0, kernels.column("time_s"), np.nan)
    r = Rates(kernels, Machines.of(processors, index), amounts_of(kernels), time_s)
    flags = list(kernels.flags)
    for rule in (beyond_pipes, beyond_dram, lacking_pipes, below_a_sector, slower_than_all_roofs):
        for row, text in rule(r):
            flags[row] = tuple(dict.fromkeys((*flags[row], IMPLAUSIBLE + text)))
    return dataclasses.replace(kernels, flags=tuple(flags))


def mark_stated(kernels: KernelTable) -> KernelTable:
    """The kernels of a file as it was read, with the same flags."""
    resolved = resolve_sources(kernels, None)
    return mark_implausible(kernels, resolved.processors, resolved.index)


def summarise_implausible(kernels: KernelTable) -> str:
    """One line on what cannot be true of a table; '' where nothing is."""
    texts = {i: text for i, flags in enumerate(kernels.flags) for text in flags if text.startswith(IMPLAUSIBLE)}
    if not texts:
        return ""
    row = next(iter(texts))
    named = one_line(str(kernels.strings("kernel")[row]), 60)
    reason = next(f for f in kernels.flags[row] if f.startswith(IMPLAUSIBLE)).removeprefix(IMPLAUSIBLE)
    return f"{IMPLAUSIBLE}{len(texts)} of {count_of(len(kernels), 'kernel')}; {named}: {reason}"


def beyond_pipes(r: Rates) -> Iterator[tuple[int, str]]:
    """FLOPs faster than their pipe, the tensor pipes of their type, and what a smarter convolution saves."""
    names = r.kernels.strings("kernel")
    for pipe in (*FLOPS_VECTOR, *FLOPS_TENSOR):
        if pipe not in r.amounts.flops:
            continue
        rate = r.amounts.flops[pipe] / r.time_s
        most, peaks = r.any_peak((pipe, *TENSORS.get(pipe, ()))), r.peak(pipe)
        for row in np.flatnonzero(rate > PIPE_EXCESS * most).tolist():
            explained = float(most[row]) * (WINOGRAD if CONVOLUTION.search(str(names[row])) else 1.0)
            if not rate[row] > PIPE_EXCESS * explained:
                continue
            peak = float(peaks[row]) if peaks[row] > 0 else explained
            yield row, f"{told_rate(rate[row], pipe, peak)}{cure_of_rate(r, row, pipe, float(rate[row]), peak)}"


def beyond_dram(r: Rates) -> Iterator[tuple[int, str]]:
    """Bytes faster than DRAM, less what the last cache could keep of them where they were not counted there."""
    moved = r.amounts.get(Resource.BYTES_DRAM)
    touched = touched_bytes(r.kernels)
    touched = np.where(touched > 0, np.minimum(touched, moved), moved)
    held = np.clip(np.nan_to_num(r.machines.gather(last_capacity_bytes)) / touched, 0.0, 1.0)
    counted = from_profiler(r.kernels)
    rate = moved * np.where(counted, 1.0, 1.0 - held) / r.time_s
    peak = r.peak(Resource.BYTES_DRAM)
    # What a cache serves, a cache must be fast enough for.
    from_cache = np.where(counted, 0.0, moved / r.time_s)
    caches = np.fmax(r.any_peak((Resource.BYTES_L2, Resource.BYTES_L1)), peak)
    for row in np.flatnonzero((rate > DRAM_EXCESS * peak) | (from_cache > PIPE_EXCESS * caches)).tolist():
        over = float(moved[row] / r.time_s[row])
        text = told_rate(over, Resource.BYTES_DRAM, float(peak[row]))
        yield row, f"{text}{cure_of_unit(over / float(peak[row]), 'bytes_dram')}"


def from_profiler(kernels: KernelTable) -> NDArray[np.bool_]:
    """(n,) rows of a profiler's own file."""
    profilers = ("ncu", "nvprof", "roc")
    of_file = np.array([p.format.startswith(profilers) for p in kernels.provenance] + [False], dtype=np.bool_)
    return np.asarray(of_file[kernels.files()])


def lacking_pipes(r: Rates) -> Iterator[tuple[int, str]]:
    """FLOPs of a tensor type on a GPU without that pipe; the catalog derives all that an architecture has."""
    known = r.machines.spread(r.machines.columns.told("vendor", lambda v: v in ("NVIDIA", "AMD"))) > 0
    for pipe in FLOPS_TENSOR:
        if pipe not in r.amounts.flops or pipe is Resource.FLOPS_TENSOR_FP32:
            continue
        used = r.amounts.flops[pipe] > 0
        if pipe not in EMULATED_NOWHERE:
            # Where only the precision was stated, libraries take another pipe for it.
            used &= ~(r.kernels.column("flops") > 0)
        for row in np.flatnonzero(used & known & np.isnan(r.peak(pipe))).tolist():
            gpu = r.machines.processors[int(r.machines.index[row])]
            other = next((w for w in WIDER[pipe] if gpu.supply(w) is not None), None)
            cure = f"; it takes {other.label} for it: give that precision" if other else ""
            yield row, f"FLOPs on {pipe.label}, a pipe that {gpu.name} lacks{cure}"


def below_a_sector(r: Rates) -> Iterator[tuple[int, str]]:
    """DRAM bytes of a long kernel that are less than one sector: another unit."""
    moved, peak = r.kernels.column(Resource.BYTES_DRAM.value), r.peak(Resource.BYTES_DRAM)
    for row in np.flatnonzero((moved > 0) & (moved < SECTOR_BYTES) & (r.time_s > TIMED_S)).tolist():
        share = float(moved[row] / r.time_s[row] / peak[row])
        unit = next((n for f, n in zip(UNITS, ("kB", "MB", "GB"), strict=True) if 1e-3 < share * f <= DRAM_EXCESS), "")
        cure = f"; in {unit} they would be plausible: give bytes" if unit else ""
        yield row, f"{moved[row]:.3g} bytes of DRAM in {format_quantity(r.time_s[row], 's')}{cure}"


def slower_than_all_roofs(r: Rates) -> Iterator[tuple[int, str]]:
    """Files whose every kernel is hundreds of times slower than its roofs, though long: another unit of time."""
    roof_s = np.zeros(len(r.kernels))
    for resource in (*FLOPS_VECTOR, *FLOPS_TENSOR, Resource.BYTES_DRAM):
        seconds = np.nan_to_num(r.amounts.get(resource) / r.peak(resource))
        roof_s = np.fmax(roof_s, seconds)
    files = r.kernels.files()
    # A profiler's own file has the units that it names.
    typed = np.array([p.format == "table" for p in r.kernels.provenance] + [False], dtype=np.bool_)[files]
    # np.unique of values alone brings masked arrays along.
    for file in np.flatnonzero(np.bincount(files[typed])).tolist():
        rows = np.flatnonzero((files == file) & (roof_s > 0) & (r.time_s > 0))
        slow = r.time_s[rows] / roof_s[rows]
        if not len(rows) or slow.min() < IDLE or np.median(roof_s[rows]) < ROOF_S:
            continue
        unit = next(
            (f for f in UNITS[:2] if slow.min() / f >= 1 / PIPE_EXCESS and np.median(slow) / f < IDLE / 10), 0.0
        )
        if unit:
            name = {1e3: "milliseconds", 1e6: "microseconds"}[unit]
            for row, s in zip(rows.tolist(), slow.tolist(), strict=True):
                yield (
                    row,
                    f"{s:,.0f} times slower than its roofs, as all of the file; time_s in {name} would explain it",
                )


def told_rate(per_s: float, resource: Resource, peak: float) -> str:
    """How far a rate is beyond what serves it."""
    unit = f"{resource.unit}/s"
    amounts = format_quantity(float(per_s), unit), format_quantity(peak, unit)
    return f"{amounts[0]} of {resource.label} are {per_s / peak:,.3g} times what it has ({amounts[1]})"


def cure_of_rate(r: Rates, row: int, pipe: Resource, per_s: float, peak: float) -> str:
    """How the contradiction would end, where it says so."""
    gpu = r.machines.processors[int(r.machines.index[row])]
    for other in NARROWER.get(pipe, ()):
        most = float(highest(columns_of([gpu]), other)[0])
        if most > 0 and per_s <= most:
            share = format_percent(per_s / most, 0)
            return f"; as {other.label} they would be {share} of the peak: give the precision that ran"
    return cure_of_unit(per_s / peak, pipe.value)


def cure_of_unit(excess: float, amount: str) -> str:
    """The unit that would explain an excess; '' where none would."""
    if excess < FAR:
        return ""
    factor = next((f for f in UNITS if 1e-3 < excess / f <= PIPE_EXCESS), 0.0)
    factor_text = {1e3: "1,000", 1e6: "1,000,000", 1e9: "1,000,000,000"}.get(factor)
    return (
        f"; a time {factor_text} times as long (or as much less {amount}) would be plausible: check the unit"
        if factor_text
        else ""
    )
