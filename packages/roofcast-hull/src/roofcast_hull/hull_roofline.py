"""Primitives on a roofline, beside what the hull says of the same ones ([Nugteren2012] fig. 1).

The roofline shows operations per second over operational intensity, where neither the time nor the distance from the
roofs can be read off; beside it stand the times that hull and floors give each primitive, which is what a forecast is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.names import clipped
from roofcast.kit.output import empty_figure, prepare_log_axes, write_figure_file
from roofcast.kit.palette import BLUE, FAINT, INK, ORANGE, VIOLET
from roofcast_hull.application import Placed
from roofcast_hull.classes import find_family
from roofcast_hull.published import dram_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEIGHT_IN, WIDTH_IN, MARGIN_IN = 3.6, 9.6, 0.55
SPREAD = 4.0
"""Times the outermost primitive that the axes reach further."""


@dataclass(frozen=True, slots=True)
class Primitive:
    """One stage on one processor."""

    name: str
    intensity: float
    """Operations per byte that the memory must move at least."""
    slowest: float
    """Operations per second at the floor and at the hull."""
    fastest: float
    low_s: float
    high_s: float


def place_primitives(placed: Sequence[Placed], element_bytes: float) -> list[Primitive]:
    r"""Stages on a roofline.

    .. math:: I = \frac{w \, m \, c}{s \, d}, \qquad P = \frac{w \, m \, c}{t}

    w, m, c : units, applications per unit, complexity. d : elements moved once, s : bytes of one. t : hull or floor.
    """
    primitives = []
    for p in placed:
        variables = find_family(p.found).variables(p.found)
        complexity = max(p.time.complexity[1], 1e-3)
        operations = variables.work_units * variables.applications_per_unit * complexity * p.stage.repetitions
        moved = (p.found.elements_in + p.found.elements_out) * element_bytes * p.stage.repetitions
        ends = p.time.low_s, p.time.high_s
        primitives.append(
            Primitive(p.stage.name, operations / moved, operations / ends[1], operations / ends[0], *ends)
        )
    return primitives


def write_roofline_figure(path: str | Path, panels: Sequence[tuple[Processor, Sequence[Primitive]]]) -> None:
    """Draw a roofline and the hull's times for each processor, one below the other."""
    write_figure_file(path, lambda: draw_figure(panels))


def draw_figure(panels: Sequence[tuple[Processor, Sequence[Primitive]]]) -> Figure:
    """Two axes per processor."""
    height = HEIGHT_IN * len(panels)
    figure = empty_figure(WIDTH_IN, height)
    for n, (processor, primitives) in enumerate(panels):
        bottom = (HEIGHT_IN * (len(panels) - 1 - n) + MARGIN_IN) / height
        tall = (HEIGHT_IN - 2 * MARGIN_IN) / height
        draw_roofline(figure.add_axes((0.09, bottom, 0.38, tall)), processor, primitives)
        draw_times(figure.add_axes((0.66, bottom, 0.31, tall)), primitives)
    return figure


def draw_roofline(axes: Axes, processor: Processor, primitives: Sequence[Primitive]) -> None:
    """Roofs, and each primitive from its floor to its hull."""
    supply = processor.supply(Resource.FLOPS_FP32)
    memory = dram_rate(processor)
    peak = supply.at_clock(processor.clock_hz_boost) if supply is not None else max(p.fastest for p in primitives)
    intensities = [p.intensity for p in primitives]
    x = min(intensities) / SPREAD, max(*intensities, peak / memory) * SPREAD
    y = min(p.slowest for p in primitives) / SPREAD, peak * 2
    prepare_log_axes(axes, x, y, lambda v: format_quantity(v, "OP/s", 1))
    ridge = peak / memory
    axes.plot([x[0], ridge], [memory * x[0], peak], color=BLUE, linewidth=1.6)
    axes.plot([ridge, x[1]], [peak, peak], color=ORANGE, linewidth=1.6)
    names: dict[tuple[float, float], list[str]] = {}
    for n, p in enumerate(primitives):
        axes.plot([p.intensity] * 2, [p.slowest, p.fastest], color=VIOLET, linewidth=1.4, marker="_", markersize=6)
        names.setdefault((round(p.intensity, 6), float(f"{p.fastest:.2g}")), []).append(f"{n + 1}")
    for place, labels in names.items():
        axes.annotate(", ".join(labels), place, textcoords="offset points", xytext=(6, -3), fontsize=7, color=INK)
    axes.set_xlabel("operational intensity (operations per byte)", color=INK)
    axes.set_title(f"{clipped(processor.name, 40)}: roofline", loc="left", fontsize=9, color=INK)


def draw_times(axes: Axes, primitives: Sequence[Primitive]) -> None:
    """Hull to floor of each primitive: the time itself."""
    for n, p in enumerate(primitives):
        axes.plot(
            [p.low_s, p.high_s], [n, n], color=VIOLET, linewidth=4, solid_capstyle="butt", marker="|", markersize=7
        )
        axes.text(p.high_s * 1.08, n, format_quantity(p.high_s, "s"), fontsize=6.8, va="center", color=FAINT)
    axes.set_xscale("log")
    axes.set_xlim(min(p.low_s for p in primitives) / 1.5, max(p.high_s for p in primitives) * 3)
    axes.set_ylim(len(primitives) - 0.4, -0.6)
    axes.set_yticks(range(len(primitives)), [f"{n + 1}. {clipped(p.name, 26)}" for n, p in enumerate(primitives)])
    axes.xaxis.set_major_formatter(lambda v, _: format_quantity(v, "s", 1))
    axes.tick_params(labelsize=7, colors=INK, length=0)
    axes.grid(visible=True, axis="x", linewidth=0.4, alpha=0.5)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("execution time, hull to floor", color=INK)
    axes.set_title("boat hull", loc="left", fontsize=9, color=INK)
