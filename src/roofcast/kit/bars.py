"""A picture of one number per row: bars with intervals, those that matter most first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from roofcast.core.errors import RoofcastError
from roofcast.core.records import dataclass
from roofcast.core.units import format_quantity
from roofcast.kit.names import clipped
from roofcast.kit.output import Picture, empty_figure
from roofcast.kit.palette import BLUE, INK
from roofcast.kit.quantities import format_percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 30
"""Bars of a picture; the rest is in the table."""
NAME_MOST = 60
"""Characters of a name beside its bar."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One row."""

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan


class BarPicture(Picture):
    """The first bars that have a value. unit : of the values; %: shares."""

    def __init__(self, title: str, unit: str, bars: Sequence[Bar]) -> None:
        known = [b for b in bars if math.isfinite(b.value)]
        if not known:
            raise RoofcastError(f"nothing to draw: {title} is known of no row")
        self.title, self.unit, self.bars, self.left = title, unit, known[:MOST], len(known) - MOST
        super().__init__(self.draw_bars)

    def show_value(self, value: float) -> str:
        """A value on the axis or beside its bar."""
        if self.unit == "%":
            return format_percent(value, 0, signed=True)
        return format_quantity(value, self.unit) if value else "0"

    def draw_bars(self) -> Figure:
        """The figure."""
        from matplotlib.ticker import MaxNLocator

        figure = empty_figure(7.2, 0.9 + 0.24 * len(self.bars))
        axes = figure.add_subplot()
        values = [b.value for b in self.bars]
        axes.barh(range(len(values)), values, color=BLUE, height=0.62)
        for k, bar in enumerate(self.bars):
            end = bar.high if math.isfinite(bar.high) else max(bar.value, 0.0)
            if math.isfinite(bar.low) and math.isfinite(bar.high):
                axes.plot([bar.low, bar.high], [k, k], color=INK, linewidth=1.0, marker="|", markersize=5)
            axes.annotate(self.show_value(bar.value), (end, k), (4, 0), textcoords="offset points", va="center")
        axes.set_yticks(range(len(values)), [clipped(b.name, NAME_MOST) for b in self.bars])
        axes.invert_yaxis()
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.xaxis.set_major_formatter(lambda v, _: self.show_value(v))
        axes.margins(x=0.16)
        if min(values) >= 0:
            axes.set_xlim(left=0)
        more = f" (the first {MOST} of {MOST + self.left})" if self.left > 0 else ""
        axes.set_title(f"{self.title}{more}", loc="left")
        figure.tight_layout()
        return figure
