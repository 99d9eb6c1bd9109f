"""What the rules look at, and what they say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property

import numpy as np

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.forecasting.forecasts import Forecast
from roofcast.formulas.occupancy import Residency
from roofcast.kit.table import rank_longest
from roofcast.models.published.resident_blocks import residency_on

MAX_ROWS = 400
"""Only the rows with most time are looked at: advice on the rest would save nothing."""


@dataclass(frozen=True, slots=True)
class SpecialShare:
    """One long-latency function in a kernel's machine code, with what its execution counts say."""

    operation: str
    """``div.f64``, ``pow.f64`` ..."""
    where: str
    executed_fraction: float
    """Share of the kernel's thread instructions."""
    flops_fraction: float
    """Share of the FLOPs of its precision; 0 where it has none."""
    is_subroutine: bool = False
    """Whether all of this code is the function's; in line, its blocks hold other work too."""
    is_condition: bool = False
    """Whether a root's result is only compared."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """What one rule says about one launch. Nothing is said without evidence."""

    row: int
    what: str
    evidence: tuple[str, ...]
    remedy: str
    relief: Mapping[str, float] = field(default_factory=dict)
    """Supply or field of the GPU -> factor. To need half of a resource is to have twice its supply: so the model is
    asked about the cured kernel by asking it about the same kernel on a GPU with that much more."""
    saved_bound_s: float = math.nan
    """What the cure would save at most, if nothing else changed; no model is asked."""
    where: str = ""
    waiting: float = 0.0
    """Share of what no resource explains that leaves with the cure: instructions that are gone are not waited for."""
    cost_s: float = 0.0
    """What the cure itself takes, in seconds of one launch: the gain is less by it."""
    removed_s: float = 0.0
    """Seconds of a launch that leave whatever the rest takes: the forecast, where ``saved_bound_s`` is the most."""
    kept_s: float = 0.0
    """Seconds that such a launch takes at least: what is above them can leave."""
    beside: int = -1
    """The row that the cure changes too; -1 where it is about this kernel alone."""
    holds: float = 1.0
    """Times the registers and shared memory of a block that the cure takes at worst: it costs resident blocks."""


@dataclass(frozen=True)
class Case:
    """Kernels, their forecast on the GPU that the advice is for, and what the machine code says."""

    kernels: KernelTable
    forecast: Forecast
    """Onto one target."""
    special: Mapping[int, tuple[SpecialShare, ...]] = field(default_factory=dict)
    """Row -> functions found in its code."""

    @property
    def target(self) -> Processor:
        """The GPU that the advice is for."""
        return self.forecast.targets[0]

    @cached_property
    def time_s(self) -> FloatArray:
        """(n,) seconds of one launch on the target; NaN where not forecast."""
        return self.forecast.estimate.time_s[:, 0]

    @cached_property
    def total_s(self) -> FloatArray:
        """(n,) seconds of all launches of each row."""
        return self.forecast.time_total_s[:, 0]

    @cached_property
    def rows(self) -> list[int]:
        """Rows to look at: those with a time, longest in all their launches first.

        Collectives are left out: their few blocks and short times are as the links want them.
        """
        order = rank_longest(self.total_s, MAX_ROWS)
        collective = self.kernels.strings("collective") != ""
        return [i for i in order if self.time_s[i] > 0 and not collective[i]]

    def __iter__(self) -> Iterator[int]:
        return iter(self.rows)

    @cached_property
    def residency(self) -> Residency:
        """Blocks of each kernel that an SM of the target holds, and what limits them; shapes (n, 1)."""
        return residency_on(self.kernels, Machines.of([self.target], np.zeros((1, 1), np.intp),
                                                      np.full((len(self.kernels), 1), np.nan)))  # fmt: skip

    @property
    def resident_blocks(self) -> FloatArray:
        """(n,) blocks that an SM of the target holds."""
        return self.residency.blocks[:, 0]

    def get(self, name: str, row: int) -> float:
        """A value of a launch; NaN where absent."""
        return float(self.kernels.column(name)[row])

    def warp_size(self, row: int) -> int:
        """Lanes of a warp where the launch was measured."""
        source = self.forecast.sources[row]
        return source.warp_size if source else 32

    def busy_fraction(self, resource: Resource, row: int) -> float:
        """Seconds that a resource alone needs on the target, over the kernel's, at most 1; NaN where not known."""
        seconds = self.forecast.estimate.time_s_by_resource_target.get(resource)
        if seconds is None:
            return math.nan
        share = np.broadcast_to(seconds, self.forecast.estimate.time_s.shape)[row, 0] / self.time_s[row]
        # Supplies are sustained ones: who beats them needs the resource all the time, not longer.
        return float(np.minimum(share, 1.0))

    def busiest_fraction(self, row: int) -> float:
        """Share of the time that the busiest resource explains; 1 where none is known: then nothing is said to wait."""
        return max((b for r in Resource if (b := self.busy_fraction(r, row)) > 0), default=1.0)

    def stall_fraction(self, row: int, *reasons: str) -> float:
        """Share of a warp's waiting between instructions that has these reasons; NaN where not counted."""
        total = self.get("warp_latency_cycles_per_inst", row)
        parts = [self.get(f"stall_{reason}_per_inst", row) for reason in reasons]
        return float(np.nansum(parts) / total) if total > 0 and np.isfinite(parts).any() else math.nan


def amount(value: float, unit: str = "") -> str:
    """A large count or work with its prefix.

    >>> amount(1.92e9), amount(16384, "FLOP"), amount(12)
    ('1.92 G', '16.4 kFLOP', '12')
    """
    if not unit and abs(value) < 1000:
        return f"{value:.3g}"
    # A count has no unit, but wants the prefixes of one.
    return format_quantity(value, unit or "B").removesuffix("" if unit else "B")
