"""Which board a bare name means: the usual one, unless what its rows reached is beyond it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roofcast.catalog import Match, library
from roofcast.catalog.finding import Recorded, candidates, capability, number, whole
from roofcast.core.columns import Origin
from roofcast.core.errors import one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.models.physics.kernel_inputs import bytes_counted, touched_bytes

BEYOND = 1.1
"""A rate over a board's peak that no error of counting or timing explains."""
CLOCK_BEYOND = {"datacentre": 1.02}
"""Datacentre cards end at their boost clock; others exceed what is printed on their box by up to an eighth."""
CLOCK_BEYOND_OTHERS = 1.15
"""1; clock over the rated boost that boards of all other segments reach."""
MOST_ROWS = 0.9
"""Share of the rows that may lie below what counts as reached: a few damaged rows name no board."""
RATES = (Resource.FLOPS_FP64, Resource.FLOPS_FP32)
"""Counts that no other pipe serves."""


@dataclass(frozen=True)
class Reached:
    """What the rows of one GPU reached; NaN where nothing tells."""

    clock_hz: float
    per_s: dict[Resource, float]

    def beyond(self, p: Processor) -> str:
        """What of it a processor cannot; '' where nothing speaks against it."""
        most = CLOCK_BEYOND.get(p.segment, CLOCK_BEYOND_OTHERS) * max(p.clock_hz_boost, p.clock_hz_sustained or 0.0)
        if self.clock_hz > most:
            return (
                f"{format_quantity(self.clock_hz, 'Hz')} of SM clock (it has {format_quantity(p.clock_hz_boost, 'Hz')})"
            )
        for resource, per_s in self.per_s.items():
            supply = p.supply(resource)
            peak = max(supply.peak_per_s or 0.0, supply.per_s) if supply else 0.0
            if peak and per_s > BEYOND * peak:
                unit = f"{resource.unit}/s"
                return f"{format_quantity(per_s, unit)} of {resource.label} (it has {format_quantity(peak, unit)})"
        return ""


def most_of(values: FloatArray) -> float:
    """What all but a few reach at most."""
    known = values[np.isfinite(values) & (values > 0)]
    return float(np.quantile(known, MOST_ROWS, method="lower")) if len(known) else float("nan")


CACHE_MOST = 3e8
"""B that the largest last-level cache of any GPU keeps."""


def bytes_from_dram(kernels: KernelTable) -> FloatArray:
    """(n,) B that DRAM served at least: counted, else what a kernel touches beyond any cache."""
    counted = np.where(bytes_counted(kernels), kernels.column(Resource.BYTES_DRAM.value), np.nan)
    beyond = touched_bytes(kernels) - CACHE_MOST
    return np.where(np.isnan(counted), np.where(beyond > 0, beyond, np.nan), counted)


@np.errstate(divide="ignore", invalid="ignore")
def reached_by(kernels: KernelTable) -> Reached:
    """What rows of one GPU reached."""
    time_s = np.where(kernels.column("time_s") > 0, kernels.column("time_s"), np.nan)
    per_s = {Resource.BYTES_DRAM: most_of(bytes_from_dram(kernels) / time_s)}
    for resource in RATES:
        counted = kernels.origin_of(resource.value) == Origin.COUNTED
        per_s[resource] = most_of(np.where(counted, kernels.column(resource.value), np.nan) / time_s)
    return Reached(most_of(kernels.column("clock_hz")), per_s)


def fitting_board(
    name: str, match: Match, kernels: KernelTable, record: tuple[str | None, float | None, float | None] | None = None
) -> Match:
    """The match of a name, or another board of that name where its rows reached what the match's cannot.

    record : compute capability, SMs and bytes of memory that the file states, which leave fewer boards to choose from.
    """
    recorded = Recorded(capability(record[0]), whole(record[1]), number(record[2])) if record else Recorded()
    entries = library.index()["entries"]
    keys = [k for k in candidates(name.strip()) if not recorded.misfits(entries[k])]
    if len(keys) < 2 or match.processor.key not in keys:
        return match
    reached = reached_by(kernels)
    why = reached.beyond(match.processor)
    fitting = [p for k in keys if not reached.beyond(p := library.processor(k))] if why else []
    if not fitting:
        return match
    least = min(fitting, key=lambda p: p.rate(Resource.BYTES_DRAM))
    said = f"{one_line(name)!r}: took {least.name}, not {match.processor.name}: the kernels reach {why}"
    return Match(least, (said,))
