"""Performance of one kernel per version against the peak that each version's instructions allow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from roofcast.analyses.rooflines.drawing import INK
from roofcast.analyses.rooflines.trajectory import Trajectory
from roofcast.analyses.rooflines.trajectory_text import percent
from roofcast.core.units import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAR, CUSTOM = "#56B4E9", "#D55E00"
ONE_LINE = 5
"""Versions up to which time and share fit side by side above a bar."""
MAX_LABELS = 16
"""Versions from which the bars are too narrow for times."""


def is_drawable(trajectory: Trajectory) -> bool:
    """Whether at least two versions have a rate."""
    return sum(v.flops_per_s > 0 for v in trajectory.versions) >= 2


def draw_steps(axes: Axes, trajectory: Trajectory) -> None:
    """Bars of FLOP/s, the kernel's own peak per version, the peak of its precision, warps and registers below."""
    versions = [v for v in trajectory.versions if v.flops_per_s > 0]
    unit = 1e12 if max(v.flops_per_s for v in versions) >= 1e12 else 1e9
    own = [v.flops_per_s_mix / unit for v in versions]
    peaks = [v.flops_per_s_peak / unit for v in versions if v.flops_per_s_peak > 0]
    axes.bar(range(len(versions)), [v.flops_per_s / unit for v in versions], width=0.6, color=BAR, zorder=2)
    for n, (version, peak) in enumerate(zip(versions, own, strict=True)):
        if math.isfinite(peak):
            axes.plot([n - 0.38, n + 0.38], [peak, peak], color=CUSTOM, linewidth=1.6, zorder=3)
        share = [percent(version.share_of_mix)] if math.isfinite(version.share_of_mix) else []
        between = ", " if len(versions) <= ONE_LINE else "\n"
        shown = [format_quantity(version.time_s, "s"), *share] if len(versions) < MAX_LABELS else share
        text = between.join(shown)
        axes.text(n, version.flops_per_s / unit, text, ha="center", va="bottom", fontsize=7.2, color=INK, zorder=4)
    if peaks:
        axes.axhline(max(peaks), color=INK, linewidth=1.2, linestyle=(0, (5, 2.5)), zorder=1)
    highest = [*peaks, *(p for p in own if math.isfinite(p)), *(v.flops_per_s / unit for v in versions)]
    axes.set_ylim(0, 1.12 * max(highest))
    axes.set_xlim(-0.7, len(versions) - 0.3)
    axes.set_xticks(range(len(versions)), [tick_of(v.label, v.warps_per_sm, v.regs_per_thread) for v in versions])
    axes.tick_params(axis="x", labelsize=6.8, length=0)
    axes.set_ylabel(f"Performance ({'TFLOP/s' if unit == 1e12 else 'GFLOP/s'})", color=INK)
    axes.grid(True, axis="y", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)


def tick_of(label: str, warps: float, registers: float) -> str:
    """Version, warps per SM and registers per thread, one below the other."""
    lines = [label[:14]]
    if math.isfinite(warps):
        lines.append(f"{warps:.3g} warps")
    if math.isfinite(registers):
        lines.append(f"{registers:.0f} regs")
    return "\n".join(lines)


def steps_caption(trajectory: Trajectory) -> str:
    """What the marks of the picture are."""
    text = "orange: the version's own peak by its instruction mix (Eq. 2), and the share of it"
    if any(v.flops_per_s_peak > 0 for v in trajectory.versions):
        text += "; dashed: peak of its precision"
    return text
