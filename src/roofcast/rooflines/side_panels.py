r"""Two more rooflines beside the usual one: of instructions, and of energy.

Instructions (Ding and Williams 2019, PMBS):

.. math:: P = \min\left(P_{issue}, \; B_{level} \, I_{level}\right), \quad I_{level} = N / Q_{level}

P : warp instructions/s. N : warp instructions. Q : transactions of a level; B : its transactions/s. Unlike the paper a
transaction is a sector of 32 B at every level, as Nsight Compute counts bytes, so that a perfect access of one warp to
4-byte elements has 4 in L1 too.

Energy (Choi, Bedard, Fowler and Vuduc 2013, IPDPS):

.. math:: \frac{W}{E} = \frac{1}{\epsilon_{flop} + \epsilon_{mem} / I + \pi_0 / \min(P, B \, I)}

W/E : FLOP/J. I : FLOP/B at DRAM. :math:`\epsilon` : J of a FLOP and of a byte from DRAM, :math:`\pi_0` : W of the idle
board, all of :mod:`roofcast.models.power`; P, B : FLOP/s of the precision with most work, B/s of DRAM. Reason: each is
paid however busy the other is, so that this roof is a curve. A kernel lies at its FLOPs over the joules that the
forecast says for its own GPU: below the curve by what its instructions, caches and idle time take.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import columns_of
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import LABELS, Resource
from roofcast.kit.names import clipped, table_names
from roofcast.models.power import FITTED, PICO, idle_w, joules_scale, memory_scale
from roofcast.rooflines.versions import chain_versions, label_versions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from roofcast.forecasting.forecasts import Forecast

SECTOR_BYTES = 32.0
"""B of a sector, which the instruction roofline counts as one transaction (Ding and Williams 2019)."""
LEVELS = (Resource.BYTES_L1, Resource.BYTES_L2, Resource.BYTES_DRAM)
PRECISIONS = (Resource.FLOPS_FP64, Resource.FLOPS_FP32, Resource.FLOPS_FP16)
MOST_POINTS, MARGIN = 12, 3.0


@dataclass(frozen=True, slots=True)
class Curve:
    """A roof."""

    label: str
    x: FloatArray
    y: FloatArray
    resource: str
    """Whose colour it has."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A kernel at one level."""

    label: str
    x: float
    y: float
    resource: str
    row: int
    """Which kernel it is."""


@dataclass(frozen=True, slots=True)
class SidePanel:
    """One roofline of another kind, of one GPU."""

    title: str
    x_name: str
    y_name: str
    curves: tuple[Curve, ...]
    spots: tuple[Spot, ...]
    chains: tuple[tuple[int, ...], ...] = ()
    """Kernels that are versions of one, in their order."""
    missing: str = ""
    """Why there are no kernels on it."""


def build_side_panels(found: Forecast, asked: str) -> tuple[SidePanel, ...]:
    """The panels of the first GPU that kernels were measured on.

    found : forecast of the kernels for that GPU. asked : ``instructions``, ``energy``, or both.

    Raises
    ------
    InputError : another word, or no GPU is known.
    """
    names = [n.strip() for n in asked.split(",") if n.strip()]
    if unknown := [n for n in names if n not in PANELS]:
        raise InputError(f"no panel {one_line(unknown[0], 40)!r}: use {' or '.join(PANELS)}")
    gpu = next((s for s in found.sources if s is not None), None)
    if gpu is None:
        raise InputError("source GPU unknown: give --from GPU")
    rows = [i for i, s in enumerate(found.sources) if s is not None and s.name == gpu.name]
    order = sorted(rows, key=lambda i: -float(np.nan_to_num(found.time_total_s[i, 0])))[:MOST_POINTS]
    return tuple(PANELS[name](found, gpu, sorted(order)) for name in names)


def name_rows(kernels: KernelTable, rows: Sequence[int]) -> dict[int, str]:
    """Row -> its version, else its name."""
    labels, names = label_versions(kernels), table_names(kernels, 24)
    several = len({labels[i] for i in rows}) > 1
    return {i: clipped(labels[i], 12) if several and labels[i] else names[i] for i in rows}


def build_instructions(found: Forecast, gpu: Processor, rows: Sequence[int]) -> SidePanel:
    """Warp instructions against those for each sector of 32 B."""
    kernels = found.kernels
    names, counted = name_rows(kernels, rows), kernels.column("insts_issued")
    executed, time = kernels.column("insts_executed"), kernels.column("time_s")
    insts = np.where(executed > 0, executed, counted)
    spots = tuple(
        Spot(names[i], float(insts[i] / (moved / SECTOR_BYTES)), float(insts[i] / time[i]), level.value, i)
        for i in rows for level in LEVELS
        if insts[i] > 0 and time[i] > 0 and (moved := float(kernels.column(level.value)[i])) > 0
    )  # fmt: skip
    most = gpu.rate(Resource.INSTS_ISSUED)
    rates = {level: gpu.rate(level) / SECTOR_BYTES for level in LEVELS if gpu.rate(level) > 0}
    x = span([s.x for s in spots] + [most / r for r in rates.values() if most > 0])
    curves = [Curve(LABELS[level], x, np.fmin(r * x, most), level.value) for level, r in rates.items()]
    if most > 0:
        curves.append(Curve("issue", x, np.full_like(x, most), Resource.INSTS_ISSUED.value))
    missing = "" if spots else "no kernel has instructions and bytes counted"
    return SidePanel(f"instructions on {gpu.name}", "Warp instructions per sector of 32 B", "Warp instructions/s",
                     tuple(curves), spots, chain_versions(kernels), missing)  # fmt: skip


def build_energy(found: Forecast, gpu: Processor, rows: Sequence[int]) -> SidePanel:
    """FLOPs for each joule against FLOPs for each byte from DRAM."""
    kernels = found.kernels
    names, energy = name_rows(kernels, rows), found.energy.energy_j[:, 0]
    flops = {r: np.nan_to_num(kernels.column(r.value)) for r in PRECISIONS}
    precision = max(PRECISIONS, key=lambda r: float(sum(flops[r][i] for i in rows)))
    whole, moved = np.sum(list(flops.values()), axis=0), kernels.column("bytes_dram")
    spots = tuple(
        Spot(names[i], float(whole[i] / moved[i]), float(whole[i] / energy[i]), Resource.BYTES_DRAM.value, i)
        for i in rows if whole[i] > 0 and moved[i] > 0 and energy[i] > 0
    )  # fmt: skip
    peak, bandwidth = gpu.rate(precision), gpu.rate(Resource.BYTES_DRAM)
    x = span([s.x for s in spots] + [v for v in (peak / bandwidth,) if v > 0])
    y = flops_per_j(x, gpu, precision)
    curves = [Curve(f"{LABELS[precision]} and DRAM", x, y, precision.value)] if np.isfinite(y).any() else []
    missing = "" if spots else "no kernel has FLOPs, DRAM bytes and energy"
    missing = missing if curves else "the board power of this GPU is not known"
    return SidePanel(f"energy on {gpu.name}", "Operational intensity at DRAM (FLOP/B)", "FLOP/J", tuple(curves), spots,
                     chain_versions(kernels), missing)  # fmt: skip


def flops_per_j(intensity: FloatArray, gpu: Processor, precision: Resource) -> FloatArray:
    """(k,) FLOP/J at most, by the equation above; NaN where the board power is not known.

    intensity : (k,) FLOP/B.
    """
    p = columns_of([gpu])
    scale = float(joules_scale(p)[0])
    flop = PICO * scale * FITTED.of(precision)
    byte = PICO * FITTED.gddr5 * float(memory_scale(p)[0])
    rate = np.fmin(gpu.rate(precision), gpu.rate(Resource.BYTES_DRAM) * intensity)
    return np.asarray(1.0 / (flop + byte / intensity + float(idle_w(p)[0]) / rate))


def span(values: Sequence[float]) -> FloatArray:
    """(k,) a grid over the values and some beyond."""
    known = [v for v in values if v > 0 and math.isfinite(v)] or [1.0]
    return np.geomspace(min(known) / MARGIN, max(known) * MARGIN, 200)


PANELS: dict[str, Callable[[Forecast, Processor, Sequence[int]], SidePanel]] = {
    "instructions": build_instructions, "energy": build_energy,
}  # fmt: skip
"""Word of ``--panels`` -> what builds it."""


def draw_side_panel(axes: Axes, panel: SidePanel) -> None:
    """Roofs and kernels; the points of one level joined in the order of their versions."""
    from roofcast.core.units import format_quantity
    from roofcast.kit.output import prepare_log_axes
    from roofcast.kit.palette import FAINT, INK, RESOURCES

    values = [float(v) for c in panel.curves for v in (c.y.min(), c.y.max())] + [s.y for s in panel.spots]
    x = panel.curves[0].x if panel.curves else span([s.x for s in panel.spots])
    y = span(values)
    prepare_log_axes(axes, (float(x[0]), float(x[-1])), (float(y[0]), float(y[-1])),
                     lambda v: format_quantity(v, "B").removesuffix("B").strip())  # fmt: skip
    axes.set_xlabel(panel.x_name, color=INK)
    axes.set_ylabel(panel.y_name, color=INK)
    for curve in panel.curves:
        colour = RESOURCES.get(curve.resource, INK)
        axes.plot(curve.x, curve.y, color=colour, linewidth=1.3, label=curve.label)
    for resource in dict.fromkeys(s.resource for s in panel.spots):
        colour = RESOURCES.get(resource, INK)
        level = [s for s in panel.spots if s.resource == resource]
        there = {s.row: s for s in level}
        for chain in panel.chains:
            for first, second in pairwise(there[i] for i in chain if i in there):
                axes.plot([first.x, second.x], [first.y, second.y], color=colour, linewidth=0.6, alpha=0.5)
        axes.plot([s.x for s in level], [s.y for s in level], "o", markersize=3.5, color=colour)
    last = panel.spots[-1].resource if panel.spots else ""
    for n, s in enumerate(s for s in panel.spots if s.resource == last):
        # Neighbours stand above and below their points, so that labels of close versions can be told apart.
        # Towards the middle: a name at the right edge would leave the picture.
        is_right = math.log(s.x / x[0]) > 0.7 * math.log(x[-1] / x[0])
        axes.annotate(
            s.label, (s.x, s.y), (-3 if is_right else 3, 4 if n % 2 else -9), textcoords="offset points", fontsize=7,
            color=INK, ha="right" if is_right else "left",
        )  # fmt: skip
    if panel.missing:
        axes.text(0.5, 0.5, panel.missing, transform=axes.transAxes, ha="center", color=FAINT)
    axes.legend(loc="lower right", fontsize=7, frameon=False, labelcolor=INK)
