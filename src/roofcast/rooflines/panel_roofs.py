"""The roofs of one processor, from the catalog or measured beside the profile, and their clock."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import UnknownProcessorError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.processor import Kind, Processor, Supply
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.core.units import format_quantity
from roofcast.ingest.amd.dispatches import SOURCE, ceilings_beside
from roofcast.kit.quantities import format_percent
from roofcast.models.kernel_amounts import Amounts
from roofcast.models.published.van_lanker import LEVELS

IndexArray = NDArray[np.intp]
PRECISIONS = (*FLOPS_VECTOR, *FLOPS_TENSOR)

COMPUTE_SHARE = 0.05
"""A precision gets its own roof when it does at least this share of all FLOPs, or of those of one kernel in five."""


@dataclass(frozen=True, slots=True)
class Roof:
    """One ceiling of a processor, at the panel's clock."""

    resource: Resource
    label: str
    per_s: float
    """B/s or FLOP/s that kernels can sustain."""
    peak_per_s: float | None
    kind: Kind
    relative_uncertainty: float
    source: str

    @property
    def estimated(self) -> bool:
        """Whether nobody measured or specified it."""
        return self.kind is Kind.ESTIMATED

    @property
    def unit(self) -> str:
        """Unit of its rate."""
        return "B/s" if self.is_memory else "FLOP/s"

    @property
    def is_memory(self) -> bool:
        """Whether it is a bandwidth."""
        return self.resource.is_memory


def find_roofs(
    processor: Processor, clock_hz: float, kernels: KernelTable, amounts: Amounts, rows: IndexArray
) -> tuple[tuple[Roof, ...], tuple[Roof, ...]]:
    """Memory roofs that the catalog knows, and compute roofs of the precisions that matter to these kernels."""
    levels = [*LEVELS]
    if np.nansum(kernels.column(Resource.BYTES_SHARED.value)[rows]) > 0:
        levels.insert(0, Resource.BYTES_SHARED)
    memory = [r for r in (find_roof(processor, level, clock_hz) for level in levels) if r]
    compute = [r for r in (find_roof(processor, p, clock_hz) for p in choose_precisions(amounts, rows)) if r]
    return tuple(memory), tuple(compute)


def choose_precisions(amounts: Amounts, rows: IndexArray) -> list[Resource]:
    """Precisions with a good share of all FLOPs, or of the FLOPs of many kernels; FP64 and FP32 where none has any."""
    all_flops = amounts.flops_total[rows]
    chosen = []
    for resource, work in amounts.flops.items():
        flops = work[rows]
        strong = flops >= COMPUTE_SHARE * all_flops
        common = (strong & (flops > 0)).sum() > 0.2 * len(rows)
        if flops.sum() > 0 and (flops.sum() >= COMPUTE_SHARE * all_flops.sum() or common):
            chosen.append(resource)
    return chosen or [Resource.FLOPS_FP64, Resource.FLOPS_FP32]


def find_roof(processor: Processor, resource: Resource, clock_hz: float) -> Roof | None:
    """One roof at an SM clock; None where the catalog does not know it."""
    supply = processor.supply(resource)
    if supply is None or not supply.per_s > 0:
        return None
    per_s = supply.at_clock(clock_hz)
    peak = None if supply.peak_per_s is None else supply.peak_per_s * per_s / supply.per_s
    return Roof(
        resource, resource.label, per_s, peak, supply.kind, supply.relative_uncertainty, one_line(supply.source, 200)
    )


def note_roofs(memory: Sequence[Roof], compute: Sequence[Roof]) -> tuple[str, ...]:
    """What is estimated, and which levels the catalog lacks."""
    notes = [
        f"{r.label} roof estimated ± {format_percent(r.relative_uncertainty, 0)}"
        for r in (*memory, *compute)
        if r.estimated
    ]
    absent = [level.label for level in LEVELS if level not in {r.resource for r in memory}]
    return (*notes, *([f"no {', '.join(absent)} roof: the catalog has no figure"] if absent else []))


def find_panel_clock(clock_hz: FloatArray, time: FloatArray) -> tuple[float, str]:
    """SM clock at which the roofs are drawn (median over the time spent), and what to say where launches differ."""
    known = np.isfinite(clock_hz) & (clock_hz > 0)
    if not known.any():
        return float("nan"), ""
    clocks, weights = clock_hz[known], np.where(time[known] > 0, time[known], 0.0) + 1e-30
    order = np.argsort(clocks)
    cumulative = np.cumsum(weights[order])
    drawn = float(clocks[order][np.searchsorted(cumulative, cumulative[-1] / 2)])
    if clocks.max() - clocks.min() <= 0.02 * drawn:
        return drawn, ""
    return drawn, f"median of {clocks.min() / 1e9:.2f} to {clocks.max() / 1e9:.2f} GHz"


def name_clock(clock_hz: float, processor: Processor) -> str:
    """Name of a clock of a processor."""
    for name, value in (
        ("boost clock", processor.clock_hz_boost),
        ("base clock", processor.clock_hz_base),
        ("sustained clock", processor.clock_hz_sustained),
    ):
        if value and abs(clock_hz / value - 1) < 0.005:
            return name
    return f"{clock_hz / processor.clock_hz_boost:.2f} of boost"


def use_measured_ceilings(kernels: KernelTable, sources: Sequence[Processor | None]) -> list[Processor | None]:
    """The source GPUs, each with the ceilings that lie beside the profile of its kernels, where there are any."""
    paths = {p.path for p in kernels.provenance if p.path and p.format == "rocprof-compute"}
    measured = [beside for path in sorted(paths) if (beside := ceilings_beside(path))]
    if not measured:
        return list(sources)
    known: dict[str, Processor] = {}
    result: list[Processor | None] = []
    for source in sources:
        if source is None or source.vendor != "AMD":
            result.append(source)
            continue
        if source.name not in known:
            known[source.name] = replace_ceilings(source, measured[0])
        result.append(known[source.name])
    return result


def replace_ceilings(processor: Processor, ceilings: Mapping[Resource, Supply]) -> Processor:
    """A processor with measured supplies in place of its own; kinds of access of these are no longer told apart."""
    variants = {k: v for k, v in processor.variants.items() if Resource(k.partition(":")[0]) not in ceilings}
    return dataclasses.replace(processor, supplies={**processor.supplies, **ceilings}, variants=variants)


def find_catalog_roofs(processor: Processor, drawn: Sequence[Roof], clock_hz: float) -> tuple[Roof, ...]:
    """The catalog's roofs of the resources whose drawn roofs were measured beside the profile."""
    from roofcast.catalog import gpu

    measured = [r.resource for r in drawn if r.source == SOURCE]
    if not measured:
        return ()
    try:
        original = gpu(processor.key)
    except UnknownProcessorError:
        return ()
    return tuple(r for r in (find_roof(original, m, clock_hz) for m in measured) if r)


def note_catalog(beside: Sequence[Roof]) -> tuple[str, ...]:
    """What the catalog says of the same roofs."""
    if not beside:
        return ()
    texts = [f"{r.label} {format_quantity(r.per_s, r.unit)}" for r in beside]
    return (f"roofs measured on this very GPU (roofline.csv of rocprof-compute); the catalog has {', '.join(texts)}",)
