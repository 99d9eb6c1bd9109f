"""Machines: processors spread over the cells of an array, so that formulas see plain NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Domain, Processor
from roofcast.core.resource import FLOPS_TENSOR, Resource


@dataclass(frozen=True)
class Machines:
    """Which processor each cell runs on, and at which SM clock.

    index : (...) position in ``processors``, -1 where the processor is unknown.
    clock_hz : broadcastable to the result, Hz.
    """

    processors: tuple[Processor, ...]
    index: NDArray[np.intp]
    clock_hz: FloatArray

    @classmethod
    def of(
        cls, processors: Sequence[Processor], index: NDArray[np.intp] | None = None, clock_hz: FloatArray | None = None
    ) -> Machines:
        """Machines at the given clocks (default: boost); without an index, one cell per processor."""
        where = np.arange(len(processors), dtype=np.intp) if index is None else index
        boost = np.array([p.clock_hz_boost for p in processors] + [np.nan])
        return cls(tuple(processors), where, boost[where] if clock_hz is None else clock_hz)

    def gather(self, quantity: Callable[[Processor], float | None]) -> FloatArray:
        """Shape of ``index``: a quantity of each cell's processor, NaN where unknown."""
        values = [quantity(p) for p in self.processors]
        table = np.array([np.nan if v is None else float(v) for v in values] + [np.nan])
        return table[self.index]

    def rate(self, resource: Resource, variant: str | None = None) -> FloatArray:
        """Supply per second of a resource at each cell's clock; NaN where the catalog knows none."""
        found = [p.supply(resource, variant) for p in self.processors]
        per_s = np.array([np.nan if s is None else s.per_s for s in found] + [np.nan])[self.index]
        clock = np.array(
            [s.clock_hz if s is not None and s.domain is Domain.SM and s.clock_hz else np.nan for s in found] + [np.nan]
        )[self.index]
        limit = np.array([np.inf if s is None or s.limit_per_s is None else s.limit_per_s for s in found] + [np.inf])
        scaled = np.minimum(per_s * (self.clock_hz / clock), limit[self.index])
        return np.where(np.isnan(clock), per_s, scaled)

    def uncertainty(self, resource: Resource, variant: str | None = None) -> FloatArray:
        """Relative uncertainty of that supply (one standard deviation); NaN where unknown."""

        def of(p: Processor) -> float | None:
            s = p.supply(resource, variant)
            return None if s is None else s.relative_uncertainty

        return self.gather(of)


def column(machines: Machines) -> Machines:
    """Machines of n kernels, shaped (n, 1) so that they broadcast over targets."""
    return Machines(machines.processors, machines.index[:, None], np.asarray(machines.clock_hz)[:, None])


def positive(rate: FloatArray) -> FloatArray:
    """A supply or a time; NaN where it is not a positive finite number."""
    return np.where((rate > 0) & (rate < np.inf), rate, np.nan)


BOOST_SHARE = 0.97
"""Below this share of the boost clock no power limit holds a pipe back: theory applies."""


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


def likeness_to_amd(machines: Machines) -> FloatArray:
    """Shape of the machines' index: 1 for AMD's GPUs, 0 for NVIDIA's, between for others, which nobody measured."""
    return machines.gather(lambda p: {"AMD": 1.0, "NVIDIA": 0.0}.get(p.vendor, 0.5))


def has_variant(machines: Machines, resource: Resource, variant: str) -> FloatArray:
    """Shape of the machines' index: 1 where the catalog has a ceiling for this kind of access, else NaN."""
    key = f"{resource.value}:{variant}"
    return machines.gather(lambda p: 1.0 if key in p.variants else None)
