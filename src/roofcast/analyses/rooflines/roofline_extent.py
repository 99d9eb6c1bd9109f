"""Where the axes of a roofline begin and end, shared by all of its panels and renderers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roofcast.analyses.rooflines.view import RooflineView

MAX_DECADES = 8.0


@dataclass(frozen=True)
class Extent:
    """Limits in SI units: FLOP/B, FLOP/s, and B/s for the strip of kernels without FLOPs."""

    x: tuple[float, float]
    y: tuple[float, float]
    strip: tuple[float, float]

    @property
    def decades_x(self) -> float:
        """Decades of intensity."""
        return math.log10(self.x[1] / self.x[0])

    @property
    def decades_y(self) -> float:
        """Decades of performance."""
        return math.log10(self.y[1] / self.y[0])

    @property
    def unit(self) -> float:
        """FLOP/s of one unit of the axis."""
        return 1e12 if self.y[1] > 3e13 and self.y[0] >= 1e9 else 1e9

    @property
    def unit_name(self) -> str:
        """Unit of the axis."""
        return "TFLOP/s" if self.unit == 1e12 else "GFLOP/s"

    def clip(self, x: float, y: float) -> tuple[float, float]:
        """A point, moved to the frame where it lies outside."""
        return min(max(x, self.x[0]), self.x[1]), min(max(y, self.y[0]), self.y[1])

    def clip_strip(self, y: float) -> float:
        """A bandwidth, moved to the frame where it lies outside."""
        return min(max(y, self.strip[0]), self.strip[1])

    def fraction_x(self, x: float) -> float:
        """Position on the x axis, 0 to 1."""
        return math.log10(x / self.x[0]) / self.decades_x

    def fraction_y(self, y: float) -> float:
        """Position on the y axis, 0 to 1."""
        return math.log10(y / self.y[0]) / self.decades_y


def extent_of(view: RooflineView) -> Extent:
    """Limits that hold every kernel and every ridge, at most eight decades below the highest roof."""
    marks = [m for p in view.panels for m in p.marks if m.is_placed]
    compute = finite(r.per_s for p in view.panels for r in p.compute)
    ridges = finite(max(r.per_s for r in p.compute) / m.per_s for p in view.panels if p.compute for m in p.memory)
    intensity = finite(q.flops_per_byte for m in marks for q in m.points)
    rates = finite(m.flops_per_s for m in marks)
    ceilings = finite(m.flops_per_s_ceiling for m in marks)
    x_low = min([*intensity, 0.3]) / 3
    x_high = max([*(r * 4 for r in ridges), *(i * 3 for i in intensity), 30.0])
    y_high = max([*(c * 2.2 for c in compute), *(r * 2 for r in rates), 1e9])
    y_low = min([*(r / 4 for r in rates), *(c / 10 for c in ceilings), y_high / 1e3])
    slowest = finite(min(r.per_s for r in p.memory) for p in view.panels if p.memory)
    if slowest and not rates:
        y_low = min(y_low, x_low * min(slowest))
    moved = finite(q.bytes_per_s for p in view.panels for m in p.marks if m.is_bandwidth_only for q in m.points)
    memory = finite(r.per_s for p in view.panels for r in p.memory)
    strip_high = max([*memory, *moved, 1e9]) * 1.8
    strip_low = min([*moved, *memory, strip_high / 30]) / 2
    return Extent(
        (max(x_low, x_high / 10**MAX_DECADES), x_high),
        (max(y_low, y_high / 10**MAX_DECADES), y_high),
        (max(strip_low, strip_high / 10**MAX_DECADES), strip_high),
    )


def finite(values: Iterable[float]) -> list[float]:
    """The positive values that are physically possible."""
    return [v for v in values if 1e-30 < v < 1e30]


def heights_apart(values: Sequence[float], extent: Extent) -> list[float]:
    """Heights of the labels of ascending horizontal lines, moved up where two would touch."""
    heights: list[float] = []
    for value in values:
        height = value * 10 ** (0.006 * extent.decades_y)
        if heights:
            height = max(height, heights[-1] * 10 ** (0.036 * extent.decades_y))
        heights.append(height)
    return heights
