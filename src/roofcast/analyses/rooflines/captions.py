"""What a roofline says in words below its panels."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence

from roofcast.analyses.rooflines.view import NOT_HERE, Mark, Panel, RooflineView
from roofcast.core.units import format_quantity
from roofcast.kit.names import clipped


def clock_text(panel: Panel) -> str:
    """Clock at which the roofs are drawn."""
    return f"{panel.clock_hz / 1e9:.3g} GHz SM clock ({panel.clock_note})" if panel.clock_hz > 0 else panel.clock_note


def key_lines(
    panel: Panel, rank: Mapping[int, int], text: Mapping[int, str] | None = None, first: int = -1
) -> list[str]:
    """One line per labelled kernel, and what is said of the others.

    text : kernel index -> what stands on the picture in place of its number.
    first : kernel whose own ceilings are drawn; -1: number 1.
    """
    marks = [m for m in panel.marks if m.index in rank]
    shown = {i: (text or {}).get(i, str(n)) for i, n in rank.items()}
    lines = [
        f"{shown[m.index]}  {key_text(m, panel.role, m.index == first if first >= 0 else rank[m.index] == 1)}"
        for m in sorted(marks, key=lambda m: rank[m.index])
    ]
    others = [m for m in panel.marks if m.index not in rank and m.points]
    if others:
        share = sum(m.time_fraction for m in others if m.time_fraction > 0)
        lines.append(f"faint: {len(others)} more kernel{'s' * (len(others) > 1)}, {100 * share:.1f} % of the time")
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


def ceilings_text(ceilings: Mapping[str, float]) -> str:
    """What the dotted horizontal lines of kernel 1 are."""
    return ", ".join(f"{name} {format_quantity(value, 'FLOP/s')}" for name, value in ceilings.items())


def key_text(mark: Mark, role: str, first: bool = False) -> str:
    """Name, time and limit of one kernel."""
    share = f" ({100 * mark.time_fraction:.0f} %)" if mark.time_fraction > 0 else ""
    text = f"{clipped(mark.name, 46)}: {format_quantity(mark.time_s, 's')}{share}"
    if role == "target":
        low, high = (format_quantity(t, "s") for t in (mark.time_low_s, mark.time_high_s))
        return f"{text} [{low} … {high}]" + (f", limit {mark.limit}" if mark.limit else "")
    percent = "below 1" if mark.best_share < 0.005 else f"{100 * mark.best_share:.0f}"
    reached = f", reaches {percent} % of its ceiling" if math.isfinite(mark.best_share) else ""
    limit = f", limit {mark.limit}" if mark.limit else ""
    ceilings = ceilings_text(compute_ceilings(mark)) if first else ""
    return text + reached + limit + (f"; {ceilings}" if ceilings else "")


def note_lines(view: RooflineView) -> list[str]:
    """Files, model and notes, once each."""
    lines = []
    if view.files:
        lines.append("from " + clipped(", ".join(view.files), 200) + (f"; model {view.model}" if view.model else ""))
    # The panel of GPUs without roofs says its sentence itself.
    told = [f"{p.processor}: {'; '.join(p.notes)}" for p in view.panels if p.notes and p.clock_note != NOT_HERE]
    return [*lines, *dict.fromkeys(told), *view.notes]


def wrapped(lines: Sequence[str], width: int) -> list[str]:
    """Lines broken at spaces."""
    return [part for line in lines for part in textwrap.wrap(line, width) or [""]]
