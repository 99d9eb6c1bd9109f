"""The view model of a hierarchical roofline: pure data that every renderer (text, SVG, HTML, CSV) draws from.

One panel per GPU: its roofs, and every kernel with one point per memory level. Nothing is dropped: a kernel that
cannot be placed is listed with the reason.
"""

from __future__ import annotations

import math

from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.quantities import exceeds, share_of
from roofcast.rooflines.panel_roofs import Roof
from roofcast.rooflines.side_panels import SidePanel
from roofcast.sass.hotspots import Place

NOT_HERE = "GPU not in the catalog"


@dataclass(frozen=True, slots=True)
class Point:
    """One kernel at one memory level."""

    level: Resource
    flops_per_byte: float
    """NaN for a kernel without FLOPs."""
    bytes_per_s: float
    bytes_per_s_ceiling: float
    """Kernel-specific (Eq. 6-8); NaN where the catalog lacks a level."""
    share_of_roof: float
    """Achieved over min(ceiling x intensity, compute ceiling); NaN where it is above one of them."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One kernel in one panel."""

    index: int
    name: str
    full_name: str
    file: str
    version: str
    """Label of the version that it belongs to."""
    time_s: float
    time_low_s: float
    time_high_s: float
    time_fraction: float
    flops_per_s: float
    """NaN without FLOPs or without a time."""
    precision: str
    flops_per_s_peak: float
    flops_per_s_mix: float
    flops_per_s_ceiling: float
    points: tuple[Point, ...]
    limit: str
    reason: str
    """Why the kernel has no place among the roofs, or no share of them; '' where it has both."""
    flags: tuple[str, ...] = ()
    launches: int = 1

    @property
    def time_total_s(self) -> float:
        """Seconds of all launches; the other times are of one."""
        return self.time_s * self.launches

    @property
    def exceeded(self) -> list[str]:
        """Ceilings that its rates contradict; then nobody knows what it reaches of the nearest."""
        over = [p.level.label for p in self.points if exceeds(p.bytes_per_s, p.bytes_per_s_ceiling)]
        return [*over, self.precision] if exceeds(self.flops_per_s, self.flops_per_s_ceiling) else over

    @property
    def best_share(self) -> float:
        """Share that the kernel reaches of the nearest of its ceilings; NaN without points or above a ceiling."""
        if self.exceeded:
            return math.nan
        return max((p.share_of_roof for p in self.points if math.isfinite(p.share_of_roof)), default=float("nan"))

    @property
    def is_placed(self) -> bool:
        """Whether it stands in the FLOP roofline."""
        return bool(self.points) and self.flops_per_s > 0

    @property
    def is_bandwidth_only(self) -> bool:
        """Whether it has bytes and a time but no FLOPs."""
        return bool(self.points) and not self.flops_per_s > 0


@dataclass(frozen=True, slots=True)
class Panel:
    """One GPU with its roofs and kernels."""

    processor: str
    role: str
    """source or target."""
    clock_hz: float
    clock_note: str
    memory: tuple[Roof, ...]
    compute: tuple[Roof, ...]
    marks: tuple[Mark, ...]
    """By time, longest first; kernels without a time last."""
    notes: tuple[str, ...] = ()
    beside: tuple[Roof, ...] = ()
    """The catalog's roofs where those above were measured on the very GPU of the profile."""
    moved: bool = False
    """Whether the kernels' GPU is shown under other conditions than it was measured under: forecasts as well."""

    @property
    def title(self) -> str:
        """GPU and clock."""
        clock = format_quantity(self.clock_hz, "Hz") if self.clock_hz > 0 else "clock unknown"
        return f"{self.processor}, {clock} ({self.clock_note})"


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a kernel; NaN where a value was not recorded."""

    label: str
    index: int
    time_s: float
    speedup: float
    """Time of the first version over this one's."""
    flops_per_s: float
    flops_per_byte: dict[Resource, float]
    warps_per_sm: float
    """Active warps per SM, mean."""
    regs_per_thread: float
    block_threads: float
    l1_hit_fraction: float
    l2_hit_fraction: float
    fma_fraction: float
    """FMA over all FP instructions of the main precision."""
    flops_per_s_peak: float
    flops_per_s_mix: float
    """Eq. 2 of Van Lanker: the mix of instructions over all precisions."""
    flops_per_s_fma: float
    """Peak x (1 + FMA share) / 2 (Yang)."""
    moved: tuple[str, ...]
    """What changed against the version before, largest first."""

    @property
    def share_of_mix(self) -> float:
        """Share of the peak that its instruction mix allows."""
        peak = self.flops_per_s_mix if self.flops_per_s_mix > 0 else self.flops_per_s_fma
        return share_of(self.flops_per_s, peak)

    @property
    def share_of_peak(self) -> float:
        """Share of the peak of its precision."""
        return share_of(self.flops_per_s, self.flops_per_s_peak)


@dataclass(frozen=True, slots=True)
class PlaceChange:
    """One place in a kernel's code, through the versions."""

    where: str
    versions: tuple[Place | None, ...]
    """None where a version lacks it, or its report holds no samples."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One kernel through its versions."""

    name: str
    gpu: str
    versions: tuple[Version, ...]
    time_fraction: float
    """Share of the first version's time among all kernels of that version."""
    places: tuple[PlaceChange, ...] = ()
    """Where its warps were sampled, where the reports say so."""


@dataclass(frozen=True, slots=True)
class RooflineView:
    """Everything that a roofline picture shows."""

    panels: tuple[Panel, ...]
    files: tuple[str, ...]
    joined: tuple[tuple[int, ...], ...] = ()
    """Kernel indices that are versions of the same kernel, in order."""
    notes: tuple[str, ...] = ()
    model: str = ""
    versions: tuple[str, ...] = ()
    """Labels of the versions, in order; '' or one where there is nothing to compare."""
    trajectories: tuple[Trajectory, ...] = ()
    """How the joined kernels moved, those with most time first."""
    conditions: str = ""
    """Of both sides, where GPUs are forecast for."""
    sides: tuple[SidePanel, ...] = ()
    """Rooflines of other kinds, drawn behind these."""
