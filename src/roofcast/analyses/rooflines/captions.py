"""What a roofline says in words, the same in text, in pictures and on pages."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence

from roofcast.analyses.rooflines.panel_roofs import Roof
from roofcast.analyses.rooflines.view import NOT_HERE, Mark, Panel, PlaceChange, RooflineView, Trajectory, Version
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.names import clipped
from roofcast.kit.quantities import count_of, format_count, format_number, format_percent

LEVELS = (Resource.BYTES_L1, Resource.BYTES_L2, Resource.BYTES_DRAM)


def describe_clock(panel: Panel) -> str:
    """Clock at which the roofs are drawn."""
    return f"{panel.clock_hz / 1e9:.3g} GHz SM clock ({panel.clock_note})" if panel.clock_hz > 0 else panel.clock_note


def title_panel(panel: Panel) -> str:
    """Whose roofs, and whether the kernels ran there."""
    return f"{'measured on' if panel.role == 'source' and not panel.moved else 'forecast for'} {panel.processor}"


def label_roof(roof: Roof) -> str:
    """Name, rate and, where estimated, how uncertain."""
    doubt = f" (estimated ± {format_percent(roof.relative_uncertainty, 0)})" if roof.estimated else ""
    return f"{roof.label} {format_quantity(roof.per_s, roof.unit)}{doubt}"


def render_key(
    panel: Panel, rank: Mapping[int, int], text: Mapping[int, str] | None = None, first: int = -1
) -> list[str]:
    """One line per labelled kernel, and what is said of the others.

    text : kernel index -> what stands on the picture in place of its number.
    first : kernel whose own ceilings are drawn; -1: number 1.
    """
    marks = [m for m in panel.marks if m.index in rank]
    shown = {i: (text or {}).get(i, str(n)) for i, n in rank.items()}
    lines = [
        f"{shown[m.index]}  {describe_mark(m, panel.role, m.index == first if first >= 0 else rank[m.index] == 1)}"
        for m in sorted(marks, key=lambda m: rank[m.index])
    ]
    others = [m for m in panel.marks if m.index not in rank and m.points]
    if others:
        share = sum(m.time_fraction for m in others if m.time_fraction > 0)
        lines.append(f"faint: {count_of(len(others), 'more kernel')}, {format_percent(share, 1)} of the time")
    absent = [m for m in panel.marks if not m.points]
    for reason in dict.fromkeys(m.reason for m in absent):
        group = [m for m in absent if m.reason == reason]
        names = ", ".join(clipped(m.name, 30) for m in group[:2]) + (", …" if len(group) > 2 else "")
        lines.append(clipped(f"not drawn: {len(group)} kernel{'s' * (len(group) > 1)} ({names}): {reason}", 112))
    return lines


def compute_ceilings(mark: Mark) -> dict[str, float]:
    """Compute ceilings of a kernel that lie visibly below its peak (Eq. 2, Eq. 3)."""
    mix, lanes = mark.flops_per_s_mix, mark.flops_per_s_ceiling
    found = {"FMA mix": mix} if mix < 0.985 * mark.flops_per_s_peak else {}
    return found | ({"with idle lanes" if found else "idle lanes": lanes} if lanes < 0.985 * mix else {})


def describe_ceilings(ceilings: Mapping[str, float]) -> str:
    """What the dotted horizontal lines of kernel 1 are."""
    return ", ".join(f"{name} {format_quantity(value, 'FLOP/s')}" for name, value in ceilings.items())


def format_launches(mark: Mark) -> str:
    """The time of one launch, and of all where they are several."""
    one = format_quantity(mark.time_s, "s")
    return one if mark.launches == 1 else f"{mark.launches} × {one} = {format_quantity(mark.time_total_s, 's')}"


def describe_mark(mark: Mark, role: str, first: bool = False) -> str:
    """Name, time and limit of one kernel."""
    of_time = f" ({format_percent(mark.time_fraction, 0)})" if mark.time_fraction > 0 else ""
    text = f"{clipped(mark.name, 46)}: {format_launches(mark)}{of_time}"
    if role == "target":
        low, high = (format_quantity(t, "s") for t in (mark.time_low_s, mark.time_high_s))
        return f"{text} [{low} … {high}]" + (f", limit {mark.limit}" if mark.limit else "")
    share = "below 1 %" if mark.best_share < 0.005 else format_percent(mark.best_share, 0)
    reached = f", reaches {share} of its ceiling" if math.isfinite(mark.best_share) else ""
    limit = f", limit {mark.limit}" if mark.limit else ""
    ceilings = describe_ceilings(compute_ceilings(mark)) if first else ""
    return text + reached + limit + (f"; {ceilings}" if ceilings else "")


def list_notes(view: RooflineView) -> list[str]:
    """Files, model and notes, once each."""
    lines = []
    if view.files:
        lines.append("from " + clipped(", ".join(view.files), 200) + (f"; model {view.model}" if view.model else ""))
    # The panel of GPUs without roofs says its sentence itself.
    told = [f"{p.processor}: {'; '.join(p.notes)}" for p in view.panels if p.notes and p.clock_note != NOT_HERE]
    return [*lines, *([view.conditions] if view.conditions else []), *dict.fromkeys(told), *view.notes]


def wrap_lines(lines: Sequence[str], width: int) -> list[str]:
    """Lines broken at spaces."""
    return [part for line in lines for part in textwrap.wrap(line, width) or [""]]


def render_version_cells(v: Version) -> dict[str, str]:
    """Header -> cell."""
    return {
        "version": v.label,
        "time": format_quantity(v.time_s, "s") if v.time_s > 0 else "–",
        "speed-up": f"{v.speedup:.2f}×" if math.isfinite(v.speedup) else "–",
        "GFLOP/s": format_number(v.flops_per_s / 1e9),
        **{f"FLOP/B {r.label}": format_number(v.flops_per_byte.get(r, math.nan)) for r in LEVELS},
        "warps/SM": format_number(v.warps_per_sm),
        "regs": format_number(v.regs_per_thread),
        "L1 hits": format_percent(v.l1_hit_fraction, 0),
        "L2 hits": format_percent(v.l2_hit_fraction, 0),
        "FMA": format_percent(v.fma_fraction, 0),
        "own peak": format_quantity(v.flops_per_s_mix, "FLOP/s"),
        "of it": format_percent(v.share_of_mix, 0),
        "of peak": format_percent(v.share_of_peak, 0),
    }


def render_place_cells(change: PlaceChange) -> list[str]:
    """One row."""
    samples = [f"{p.samples:.0f}" if p is not None else "–" for p in change.versions]
    executed = [format_count(p.insts_executed) if p is not None else "–" for p in change.versions]
    stalls = list(dict.fromkeys(p.stall.replace("_", " ") for p in change.versions if p is not None and p.stall))
    return [change.where, *samples, *executed, " → ".join(stalls)]


PLACES_TITLE = "warps sampled and warp instructions executed, by source line or special function"


def head_places(trajectory: Trajectory) -> list[str]:
    """Heads of the columns of :func:`render_place_cells`."""
    labels = [v.label for v in trajectory.versions]
    return ["where", *(f"samples {n}" for n in labels), *(f"executed {n}" for n in labels), "waits for"]
