"""What a roofline says in words, the same in text, in pictures and on pages."""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from roofcast.core.errors import one_line
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.names import clipped
from roofcast.kit.quantities import (
    ABSENT,
    count_kernels,
    count_of,
    format_count,
    format_factor,
    format_interval,
    format_number,
    format_percent,
    format_seconds,
    in_percent,
    in_unit,
)
from roofcast.kit.table import Column, Table
from roofcast.rooflines.panel_roofs import Roof
from roofcast.rooflines.view import NOT_HERE, Mark, Panel, PlaceChange, RooflineView, Trajectory, Version
from roofcast.sass.hotspots import Place

LEVELS = (Resource.BYTES_L1, Resource.BYTES_L2, Resource.BYTES_DRAM)


def write_roofline_verdict(view: RooflineView) -> str:
    """One sentence: how many kernels, where, and what limits most of their time."""
    if not view.panels:
        return "No kernels."
    panel = view.panels[0]
    # Each version's shares are of its own time: they are told apart, never added.
    taken: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for m in sorted(panel.marks, key=lambda m: m.index):
        if m.limit and m.time_fraction > 0:
            taken[m.version][m.limit] += m.time_fraction
    counted = count_kernels((m.full_name for m in panel.marks), sum(m.launches for m in panel.marks))
    text = f"{counted} on {panel.processor}"
    most = [(version, *max(shares.items(), key=lambda s: s[1])) for version, shares in taken.items()]
    if not most:
        how = "no work was counted (`roofcast inspect FILE` says how to count it)"
        return f"{text}: none stands under the roofs, as {how}."
    ends = [most[0], *most[1:][-1:]]
    limits = [f"{limit} limits {format_percent(share)} of the time" for _, limit, share in ends]
    if len(ends) > 1:
        limits = [
            f"{sentence} of {one_line(version, 40)}" for sentence, (version, *_) in zip(limits, ends, strict=True)
        ]
    return f"{text}: {', '.join(limits)}."


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
    labels = {i: (text or {}).get(i, str(n)) for i, n in rank.items()}
    lines = [
        f"{labels[m.index]}  {describe_mark(m, panel.role, m.index == first if first >= 0 else rank[m.index] == 1)}"
        for m in sorted(marks, key=lambda m: rank[m.index])
    ]
    others = [m for m in panel.marks if m.index not in rank and m.points]
    if others:
        share = format_share(others)
        of_time = f", {share} of the time" if share else ""
        lines.append(f"faint: {count_of(len(others), 'more kernel')}{of_time}")
    absent = [m for m in panel.marks if not m.points]
    for reason in dict.fromkeys(m.reason for m in absent):
        group = [m for m in absent if m.reason == reason]
        names = ", ".join(clipped(m.name, 30) for m in group[:2]) + (", …" if len(group) > 2 else "")
        lines.append(clipped(f"not drawn: {len(group)} kernel{'s' * (len(group) > 1)} ({names}): {reason}", 112))
    return lines


def format_share(marks: Sequence[Mark]) -> str:
    """What kernels of one version take of its time; '' of several versions, whose shares are of different wholes."""
    if len({m.version for m in marks}) > 1:
        return ""
    return format_percent(sum(m.time_fraction for m in marks if m.time_fraction > 0))


def compute_ceilings(mark: Mark) -> dict[str, float]:
    """Compute ceilings of a kernel that lie visibly below its peak (Eq. 2, Eq. 3)."""
    mix, lanes = mark.flops_per_s_mix, mark.flops_per_s_ceiling
    ceilings = {"FMA mix": mix} if mix < 0.985 * mark.flops_per_s_peak else {}
    return ceilings | ({"with idle lanes" if ceilings else "idle lanes": lanes} if lanes < 0.985 * mix else {})


def describe_ceilings(ceilings: Mapping[str, float]) -> str:
    """What the dotted horizontal lines of kernel 1 are."""
    return ", ".join(f"{name} {format_quantity(value, 'FLOP/s')}" for name, value in ceilings.items())


def format_launches(mark: Mark) -> str:
    """The time of one launch, and of all where they are several."""
    single = format_quantity(mark.time_s, "s")
    return single if mark.launches == 1 else f"{mark.launches} × {single} = {format_quantity(mark.time_total_s, 's')}"


def describe_mark(mark: Mark, role: str, first: bool = False) -> str:
    """Name, time and limit of one kernel."""
    of_time = f" ({format_percent(mark.time_fraction, 0)})" if mark.time_fraction > 0 else ""
    text = f"{clipped(mark.name, 46)}: {format_launches(mark)}{of_time}"
    if role == "target":
        interval = format_interval(mark.time_low_s, mark.time_high_s)
        return f"{text} [{interval}]" + (f", limit {mark.limit}" if mark.limit else "")
    share = "below 1 %" if mark.best_share < 0.005 else format_percent(mark.best_share, 0)
    reached = f", reaches {share} of its ceiling" if math.isfinite(mark.best_share) else ""
    if over := mark.exceeded:
        reached = f", implausible: above the {' and '.join(over)} ceiling"
    limit = f", limit {mark.limit}" if mark.limit else ""
    ceilings = describe_ceilings(compute_ceilings(mark)) if first else ""
    return text + reached + limit + (f"; {ceilings}" if ceilings else "")


def list_notes(view: RooflineView) -> list[str]:
    """Files, model and notes, once each."""
    lines = []
    if view.files:
        lines.append("from " + clipped(", ".join(view.files), 200) + (f"; model {view.model}" if view.model else ""))
    # The panel of GPUs without roofs says its sentence itself.
    of_panels = [f"{p.processor}: {'; '.join(p.notes)}" for p in view.panels if p.notes and p.clock_note != NOT_HERE]
    return [*lines, *([view.conditions] if view.conditions else []), *dict.fromkeys(of_panels), *view.notes]


def wrap_lines(lines: Sequence[str], width: int) -> list[str]:
    """Lines broken at spaces."""
    return [part for line in lines for part in textwrap.wrap(line, width) or [""]]


def tabulate_versions(trajectory: Trajectory, *, narrow: bool = False) -> Table:
    """The versions of one kernel; columns that none of them has are left out. narrow : shorter headings."""

    def level(r: Resource) -> Column:
        head = r.label if narrow else f"FLOP/B {r.label}"
        return Column(head, lambda v: v.flops_per_byte.get(r, math.nan), format_number, optional=True)

    def column(head: str, value: Callable[[Version], float], show: Callable[[float], str]) -> Column:
        return Column(head, value, show, optional=True)

    columns = (
        Column("version", lambda v: v.label),
        column("time", lambda v: v.time_s if v.time_s > 0 else math.nan, format_seconds),
        column("speed-up", lambda v: v.speedup, format_factor),
        column("GFLOP/s", lambda v: v.flops_per_s / 1e9, format_number),
        *map(level, LEVELS),
        column("warps/SM", lambda v: v.warps_per_sm, format_number),
        column("regs", lambda v: v.regs_per_thread, format_number),
        column("L1 hits", lambda v: v.l1_hit_fraction, in_percent(0)),
        column("L2 hits", lambda v: v.l2_hit_fraction, in_percent(0)),
        column("FMA", lambda v: v.fma_fraction, in_percent(0)),
        column("own peak", lambda v: v.flops_per_s_mix, in_unit("FLOP/s")),
        column("of it", lambda v: v.share_of_mix, in_percent(0)),
        column("of peak", lambda v: v.share_of_peak, in_percent(0)),
    )
    return Table(columns, trajectory.versions)


PLACES_TITLE = "warps sampled and warp instructions executed, by source line or special function"


def tabulate_places(trajectory: Trajectory) -> Table:
    """Samples and executed warp instructions per place and version, and what the warps wait for."""

    def counts(what: str, k: int, value: Callable[[Place], float], show: Callable[[float], str]) -> Column:
        of = f"{what} {trajectory.versions[k].label}"
        return Column(of, lambda c: c.versions[k] and value(c.versions[k]), lambda v: ABSENT if v is None else show(v))

    every = range(len(trajectory.versions))
    columns = (
        Column("where", lambda c: c.where),
        *(counts("samples", k, lambda p: p.samples, lambda v: f"{v:.0f}") for k in every),
        *(counts("executed", k, lambda p: p.insts_executed, format_count) for k in every),
        Column("waits for", describe_stalls),
    )
    return Table(columns, trajectory.places)


def describe_stalls(change: PlaceChange) -> str:
    """What the warps wait for at one place, version by version."""
    return " → ".join(dict.fromkeys(p.stall.replace("_", " ") for p in change.versions if p is not None and p.stall))
