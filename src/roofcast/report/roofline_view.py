"""The view model of a hierarchical roofline: pure data that every renderer (text, SVG, HTML, CSV) draws from.

One panel per GPU: its roofs, and every kernel with one point per memory level. Nothing is dropped: a kernel that
cannot be placed is listed with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from roofcast.core.forecast import Forecast
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.table import FloatArray, KernelTable
from roofcast.errors import one_line
from roofcast.report.names import SHORT_LIMIT, full_name, table_names
from roofcast.report.roofline_rates import LEVELS, PRECISIONS, Amounts, Rates, amounts_of, rates_of
from roofcast.report.roofline_roofs import (
    COMPUTE_SHARE,
    IndexArray,
    Roof,
    clock_kind,
    panel_clock,
    roof_notes,
    roofs_of,
)  # fmt: skip
from roofcast.units import format_quantity


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
    """Achieved over min(ceiling x intensity, compute ceiling)."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One kernel in one panel."""

    index: int
    name: str
    full_name: str
    file: str
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
    """Why the kernel has no place among the roofs; '' where it has one."""
    flags: tuple[str, ...] = ()

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

    @property
    def title(self) -> str:
        """GPU and clock."""
        clock = format_quantity(self.clock_hz, "Hz") if self.clock_hz > 0 else "clock unknown"
        return f"{self.processor}, {clock} ({self.clock_note})"


@dataclass(frozen=True, slots=True)
class RooflineView:
    """Everything that a roofline picture shows."""

    panels: tuple[Panel, ...]
    files: tuple[str, ...]
    joined: tuple[tuple[int, ...], ...] = ()
    """Kernel indices that are the same kernel in successive files, in order."""
    notes: tuple[str, ...] = ()
    model: str = ""
    legend: dict[str, str] = field(default_factory=dict)


def build_roofline(
    kernels: KernelTable,
    sources: Sequence[Processor | None],
    forecast: Forecast | None = None,
    target_clock_hz: FloatArray | None = None,
) -> RooflineView:
    """Everything that the roofline of a table shows: one panel per source GPU, then one per target.

    kernels : n launches.
    sources : n processors, None where the source GPU is unknown.
    forecast : forecasts of the same n kernels; its targets get panels with the projected points.
    target_clock_hz : (n, m) Hz of each kernel on each target; boost where not given.

    Raises
    ------
    ValueError : the number of sources or of forecast kernels is not n.
    """
    if len(sources) != len(kernels) or (forecast is not None and len(forecast.kernels) != len(kernels)):
        raise ValueError("sources and forecast must be of the same kernels")
    amounts, names = amounts_of(kernels), table_names(kernels, SHORT_LIMIT)
    panels = [
        source_panel(kernels, rows, processor, amounts, names) for processor, rows in by_processor(sources, kernels)
    ]
    if forecast is not None:
        for j, target in enumerate(forecast.targets):
            clock = np.full(len(kernels), target.clock_hz_boost) if target_clock_hz is None else target_clock_hz[:, j]
            panels.append(target_panel(kernels, forecast, j, clock, amounts, names))
    files = tuple(dict.fromkeys(one_line(str(f), 120) for f in file_names(kernels) if f))
    return RooflineView(
        tuple(panels), files, joined_kernels(kernels), view_notes(kernels, amounts), forecast.model if forecast else ""
    )


def by_processor(sources: Sequence[Processor | None], kernels: KernelTable) -> list[tuple[Processor | None, list[int]]]:
    """Rows of each source GPU, in order of appearance; unknown ones are kept apart by their printed name."""
    groups: dict[str, tuple[Processor | None, list[int]]] = {}
    for i, source in enumerate(sources):
        key = source.name if source else f"?{kernels.strings('gpu')[i]}"
        groups.setdefault(key, (source, []))[1].append(i)
    return list(groups.values())


def source_panel(
    kernels: KernelTable, rows: list[int], processor: Processor | None, amounts: Amounts, names: list[str]
) -> Panel:
    """The panel of the GPU that the kernels ran on."""
    index = np.asarray(rows, dtype=np.intp)
    time = kernels.column("time_s")
    recorded = kernels.column("clock_hz")
    if processor is None:
        printed = one_line(str(kernels.strings("gpu")[rows[0]]), 60) if rows else ""
        marks = [unplaced(kernels, i, names[i], time, "source GPU unknown: give --from GPU") for i in rows]
        return Panel(printed or "unknown GPU", "source", float("nan"), "not in the catalog", (), (), ordered(marks))
    clock = np.where(np.isnan(recorded), processor.clock_hz_boost, recorded)
    rates = rates_of(kernels, amounts, processor, clock)
    share = time_fractions(time, index)
    marks = [mark_of(kernels, i, names[i], amounts, rates, (time[i], np.nan, np.nan), share[i]) for i in rows]
    drawn, note = panel_clock(recorded[index], time[index], processor.clock_hz_boost)
    memory, compute = roofs_of(processor, drawn, kernels, amounts, index)
    return Panel(processor.name, "source", drawn, note, memory, compute, ordered(marks), roof_notes(memory, compute))


def target_panel(
    kernels: KernelTable, forecast: Forecast, j: int, clock: FloatArray, amounts: Amounts, names: list[str]
) -> Panel:
    """The panel of a forecast target, with the projected points and their intervals."""
    target, estimate = forecast.targets[j], forecast.estimate
    index = np.arange(len(kernels), dtype=np.intp)
    rates = rates_of(kernels, amounts, target, clock)
    time = estimate.time_s[:, j]
    share = time_fractions(time, index)
    limits = forecast.limits_target()[:, j]
    marks = []
    for i in range(len(kernels)):
        reason = str(estimate.reasons[i, j])
        if reason or not time[i] > 0:
            marks.append(unplaced(kernels, i, names[i], time, reason or "no forecast"))
            continue
        times = (time[i], estimate.time_low_s[i, j], estimate.time_high_s[i, j])
        limit = Resource(limits[i]).label if limits[i] else ""
        marks.append(mark_of(kernels, i, names[i], amounts, rates, times, share[i], limit))
    known = clock[np.isfinite(clock)]
    drawn = float(np.median(known)) if len(known) else target.clock_hz_boost
    asked = forecast.conditions.clock
    note = "clock asked for" if not isinstance(asked, str) else clock_kind(drawn, target)
    memory, compute = roofs_of(target, drawn, kernels, amounts, index)
    notes = (*(forecast.target_notes[j] if forecast.target_notes else ()), *roof_notes(memory, compute))
    return Panel(target.name, "target", drawn, note, memory, compute, ordered(marks), tuple(dict.fromkeys(notes)))


def mark_of(
    kernels: KernelTable,
    i: int,
    name: str,
    amounts: Amounts,
    rates: Rates,
    times: tuple[float, float, float],
    fraction: float,
    limit: str = "",
) -> Mark:
    """One kernel with its points, or with the reason why it has none."""
    time, low, high = (float(t) for t in times)
    flops, ceiling = float(amounts.flops[i]), float(rates.flops_per_s[i])
    achieved = flops / time if flops > 0 and time > 0 else float("nan")
    points = tuple(points_of(i, amounts, rates, time, flops, ceiling)) if time > 0 else ()
    reason = missing_reason(time, flops, points)
    return Mark(
        index=i, name=name, full_name=full_of(kernels, i), file=file_of(kernels, i), time_s=time, time_low_s=low,
        time_high_s=high, time_fraction=float(fraction), flops_per_s=achieved, precision=precision_of(amounts, i),
        flops_per_s_peak=float(rates.flops_per_s_peak[i]), flops_per_s_mix=float(rates.flops_per_s_mix[i]),
        flops_per_s_ceiling=ceiling, points=points, limit=limit or nearest_roof(points, achieved, ceiling, amounts, i),
        reason=reason, flags=kernels.flags[i],
    )  # fmt: skip


def points_of(i: int, amounts: Amounts, rates: Rates, time: float, flops: float, ceiling: float) -> list[Point]:
    """The kernel at each level whose bytes are known and not zero."""
    points = []
    for level in LEVELS:
        moved = float(amounts.bytes_traversing[level][i])
        if not moved > 0:
            continue
        bandwidth = float(rates.bytes_per_s[level][i])
        if flops > 0:
            intensity = flops / moved
            roof = np.fmin(bandwidth * intensity, ceiling)
            points.append(Point(level, intensity, moved / time, bandwidth, float(flops / time / roof)))
        else:
            points.append(Point(level, float("nan"), moved / time, bandwidth, moved / time / bandwidth))
    return points


def unplaced(kernels: KernelTable, i: int, name: str, time: FloatArray, reason: str) -> Mark:
    """A kernel that is listed but not drawn."""
    nan = float("nan")
    return Mark(
        i, name, full_of(kernels, i), file_of(kernels, i), float(time[i]), nan, nan, nan, nan, "", nan, nan, nan, (),
        "", one_line(reason, 300), kernels.flags[i],
    )  # fmt: skip


def missing_reason(time: float, flops: float, points: Sequence[Point]) -> str:
    """Why a kernel has no place in the FLOP roofline; '' where it has one."""
    if not time > 0:
        return "no time recorded"
    if not points:
        return "no bytes counted at any memory level"
    if np.isnan(flops):
        return "FLOPs not counted: shown by its bandwidth"
    return "" if flops > 0 else "no FLOPs: shown by its bandwidth"


def nearest_roof(points: Sequence[Point], achieved: float, ceiling: float, amounts: Amounts, i: int) -> str:
    """The roof that the kernel comes nearest to: its limit in this picture."""
    known = [p for p in points if np.isfinite(p.share_of_roof)]
    if not known:
        return ""
    best = max(known, key=lambda p: p.share_of_roof)
    if np.isfinite(achieved) and achieved / best.share_of_roof >= ceiling * (1 - 1e-9):
        return f"{precision_of(amounts, i)} compute"
    return best.level.label


def precision_of(amounts: Amounts, i: int) -> str:
    """The precisions with at least a twentieth of the kernel's FLOPs, largest first."""
    total = amounts.flops[i]
    if not total > 0:
        return ""
    shares = sorted(((float(v[i]) / total, r.label) for r, v in amounts.by_precision.items()), reverse=True)
    return " + ".join(label for share, label in shares if share >= COMPUTE_SHARE)


def time_fractions(time: FloatArray, rows: IndexArray) -> FloatArray:
    """(n,) share of the total time of the given rows; NaN without a time."""
    total = np.nansum(time[rows])
    return time / total if total > 0 else np.full(time.shape, np.nan)


def ordered(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """By time, longest first, unknown times last, file order among equals."""
    return tuple(sorted(marks, key=lambda m: (-m.time_s if m.time_s > 0 else 1.0, m.index)))


def file_names(kernels: KernelTable) -> list[str]:
    """Per kernel, the file that it was read from."""
    files = [str(f) for f in kernels.strings("source_file")]
    if not any(files) and len(kernels.provenance) == 1:
        return [kernels.provenance[0].file] * len(kernels)
    return files


def file_of(kernels: KernelTable, i: int) -> str:
    """File of one kernel, for display."""
    return one_line(str(kernels.strings("source_file")[i]), 120)


def full_of(kernels: KernelTable, i: int) -> str:
    """Full name of one kernel."""
    return full_name(str(kernels.strings("kernel")[i]), str(kernels.strings("kernel_mangled")[i]))


def joined_kernels(kernels: KernelTable) -> tuple[tuple[int, ...], ...]:
    """Kernels that occur in several files: the n-th launch of a name in each file, in the order of the files."""
    files = file_names(kernels)
    if len(set(files)) < 2:
        return ()
    seen: dict[tuple[str, str], int] = {}
    chains: dict[tuple[str, int], list[int]] = {}
    for i, name in enumerate(kernels.strings("kernel")):
        occurrence = seen.get((files[i], name), 0)
        seen[files[i], name] = occurrence + 1
        chains.setdefault((str(name), occurrence), []).append(i)
    return tuple(tuple(c) for c in chains.values() if len({files[i] for i in c}) > 1)


def view_notes(kernels: KernelTable, amounts: Amounts) -> tuple[str, ...]:
    """What holds for the whole picture."""
    notes = [note for p in kernels.provenance for note in p.notes]
    counted = np.isnan(np.stack([kernels.column(r.value) for r in PRECISIONS])).all(axis=0)
    unnamed = counted & ~np.isnan(kernels.column("flops")) & (kernels.strings("precision") == "")
    if unnamed.any():
        notes.append("FLOPs without a precision are taken to be FP32")
    if not amounts.fma_fraction and np.nansum(amounts.flops) > 0:
        notes.append("share of FMAs not counted: compute ceilings are those of FMAs only")
    return tuple(dict.fromkeys(one_line(n, 300) for n in notes))
