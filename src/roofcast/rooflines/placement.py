"""Where every kernel of a table stands under the roofs of its own GPU and of targets."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.changes import AmountChanges
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import PRODUCTION, Conditions
from roofcast.forecasting.clocks import SourceClocks
from roofcast.forecasting.conditions import describe_measured
from roofcast.forecasting.forecast import forecast as forecast_kernels
from roofcast.forecasting.forecasts import Forecast
from roofcast.forecasting.plausible import IMPLAUSIBLE
from roofcast.forecasting.prepared import Prepared
from roofcast.forecasting.sources import resolve_sources
from roofcast.kit.names import SHORT_LIMIT, full_name, table_names
from roofcast.kit.quantities import share_of
from roofcast.models.kernel_amounts import NO_SOURCE, Amounts, amounts_of
from roofcast.models.physics.model import dram_bytes_factor
from roofcast.models.published.van_lanker import Ceilings, ceilings_of
from roofcast.rooflines.panel_roofs import (
    COMPUTE_SHARE,
    PRECISIONS,
    IndexArray,
    find_catalog_roofs,
    find_panel_clock,
    find_roofs,
    name_clock,
    note_catalog,
    note_roofs,
    use_measured_ceilings,
)
from roofcast.rooflines.side_panels import build_side_panels
from roofcast.rooflines.trajectory import add_places, build_trajectories
from roofcast.rooflines.versions import chain_versions, label_versions, list_source_files
from roofcast.rooflines.view import NOT_HERE, Mark, Panel, Point, RooflineView

LARGEST = 1e30
"""Amounts beyond this are damaged data, and would overflow."""
WHY_ABOVE = "a cache served part of the bytes, or amounts, time or ceiling are not what they say"


@dataclass(frozen=True)
class Drawing:
    """What all panels of one view are made from."""

    kernels: KernelTable
    names: list[str]
    full_names: list[str]
    files: list[str]
    versions: list[str]
    time_s: FloatArray
    """(n,) s; NaN where absent or impossible."""
    amounts: Amounts
    flops: FloatArray
    """(n,) FLOP; NaN where none were counted, 0 where the counters say so."""


@dataclass(frozen=True)
class Here:
    """What the panels of the kernels' own GPUs are made from."""

    clocks: SourceClocks
    ceilings: Ceilings
    limits: list[str]
    """Per kernel, what limits it; '' where nobody says."""
    moved: Prepared | None = None
    """Where panels show the run under other conditions than it was measured."""

    def describe_measured(self, index: NDArray[np.intp]) -> str:
        """How some kernels were measured, where that is not what their panel shows; '' else."""
        if self.moved is None:
            return ""
        rows = np.zeros(len(self.moved.kernels), dtype=bool)
        rows[index] = True
        return describe_measured(self.moved.kernels, self.moved.clocks, rows & self.moved.moved)


# Damaged data may overflow or divide by zero: such kernels are listed with a reason, not drawn.
@quietly(overflow=True)
def build_roofline(
    kernels: KernelTable,
    sources: Sequence[Processor | None],
    forecast: Forecast | None = None,
    *,
    on_targets: bool = True,
    prepared: Prepared | None = None,
) -> RooflineView:
    """Everything that the roofline of a table shows: one panel per source GPU, then one per target.

    kernels : n launches.
    sources : n processors, None where the source GPU is unknown; those of the forecast, perhaps with other ceilings.
    forecast : forecasts of the same n kernels: what limits each, and, ``on_targets``, panels with the projected points.
    prepared : what they rest on, clocks above all; by default the forecast's. Without one there are no roofs.
    """
    if len(sources) != len(kernels) or (forecast is not None and len(forecast.kernels) != len(kernels)):
        raise ValueError("sources and forecast must be of the same kernels")
    amounts = amounts_of(kernels)
    counted = ~np.isnan(np.stack([kernels.column(c) for c in (*(r.value for r in PRECISIONS), "flops")])).all(axis=0)
    projected = forecast if forecast is not None and on_targets else None
    moved = projected is not None and projected.on_source is not None
    possible = np.isfinite(time := kernels.column("time_s") if projected is None else projected.source_time_s) & (
        time > 0
    )
    drawing = Drawing(
        kernels,
        table_names(kernels, SHORT_LIMIT),
        list_full_names(kernels),
        [one_line(str(f), 120) for f in kernels.strings("source_file")],
        label_versions(kernels),
        np.where(possible, time, np.nan),
        amounts,
        np.where(counted, amounts.flops_total, np.nan),
    )
    processors = tuple({p.name: p for p in sources if p}.values())
    ready: Prepared | None = prepared or (forecast.prepared if forecast is not None else None)
    here = None
    if ready is not None and processors and len(kernels):
        position = {p.name: i for i, p in enumerate(processors)}
        index = np.array([position[p.name] if p else -1 for p in sources], dtype=np.intp)
        clocks = ready.asked if moved else ready.clocks
        machines = Machines(columns_of(processors), index, clocks.clock_hz)
        limits = [""] * len(kernels) if forecast is None else name_resources(forecast.limits_source())
        here = Here(clocks, ceilings_of(kernels, amounts, machines), limits, ready if moved else None)
    panels = [build_source_panel(drawing, p, rows, here) for p, rows in group_by_processor(sources)]
    if forecast is not None and ready is not None and on_targets and len(kernels):
        clock_hz = ready.machines_there(forecast.targets)[0].clock_hz
        panels += [build_target_panel(drawing, forecast, j, clock_hz[:, j]) for j in range(len(forecast.targets))]
    files = tuple(dict.fromkeys(one_line(f, 120) for f in list_source_files(kernels) if f))
    model = forecast.model if forecast and on_targets else ""
    versions = tuple(dict.fromkeys(drawing.versions))
    chains = chain_versions(kernels)
    conditions = "" if projected is None else str(projected.conditions_told.get("text", ""))
    view = RooflineView(tuple(panels), files, chains, list_view_notes(drawing), model, versions, conditions=conditions)
    if not chains:
        return view
    return dataclasses.replace(view, trajectories=build_trajectories(kernels, view, {p.name: p for p in processors}))


def view_roofline(
    kernels: KernelTable,
    targets: Sequence[str | Processor] = (),
    source: str | Processor | None = None,
    model: str | None = None,
    sass: str = "auto",
    target_sass: str | None = None,
    *,
    conditions: str | Conditions = PRODUCTION,
    together: bool = False,
) -> RooflineView:
    """The roofline of a table on its own GPU, and on targets where some are given.

    Amounts and limits are those of the forecast, so that both say the same of a kernel. Arguments as those of
    :func:`roofcast.forecasting.forecast.forecast`.
    """
    # Without targets a forecast for the own GPU tells what limits there; none is known to forecast for otherwise.
    asked = targets or resolve_sources(kernels, source).processors[:1]
    timed = bool(np.isfinite(kernels.column("time_s")).any())
    if asked:
        result = forecast_kernels(
            kernels, asked, source=source, model=model, conditions=conditions, sass=sass,
            target_sass=target_sass, together=together,
        )  # fmt: skip
        kernels = result.kernels
        view = build_roofline(kernels, use_measured_ceilings(kernels, result.sources), result, on_targets=bool(targets))
        if not timed:
            # Rows of source code, say: their times there are forecasts like those on other GPUs.
            view = dataclasses.replace(view, panels=tuple(dataclasses.replace(p, moved=True) for p in view.panels))
    else:
        view = build_roofline(kernels, [None] * len(kernels))
    if not view.trajectories:
        return view
    return add_places(view, kernels)


def add_side_panels(
    view: RooflineView, kernels: KernelTable, panels: str, source: str | Processor | None = None,
    model: str | None = None, conditions: str | Conditions = PRODUCTION,
) -> RooflineView:  # fmt: skip
    """The view with rooflines of other kinds, of the first GPU that the kernels were measured on.

    panels : ``instructions``, ``energy``, or both.

    Raises
    ------
    InputError : another word, or no GPU is known.
    """
    first = resolve_sources(kernels, source).processors[:1]
    if not first:
        raise InputError("source GPU unknown: give --from GPU")
    forecast = forecast_kernels(kernels, first, source=source, model=model, conditions=conditions)
    return dataclasses.replace(view, sides=build_side_panels(forecast, panels))


def group_by_processor(sources: Sequence[Processor | None]) -> list[tuple[Processor | None, list[int]]]:
    """Rows of each source GPU, in order of appearance; those without one are together at the end."""
    groups: dict[str, tuple[Processor | None, list[int]]] = {}
    lost: list[int] = []
    for i, source in enumerate(sources):
        (groups.setdefault(source.name, (source, []))[1] if source else lost).append(i)
    return [*groups.values(), *([(None, lost)] if lost else [])]


def describe_lost_gpus(printed: Sequence[str]) -> tuple[str, str]:
    """Name of the panel of kernels whose GPU the catalog lacks, and the sentence that says what to do.

    >>> [describe_lost_gpus(names)[0] for names in (["Foo 1", "Foo 2", "Foo 1"], ["Foo 1"], [""])]
    ['2 GPUs that are not in the catalog', 'Foo 1', 'unknown GPU']
    """
    names = [one_line(name, 60) for name in dict.fromkeys(printed) if name]
    count = f"{len(printed)} kernel{'s' * (len(printed) != 1)}"
    if not names:
        return "unknown GPU", f"no roofs: the file does not say on which GPU its {count} ran; --from GPU says it"
    listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    sentence = (
        f"no roofs: {count} ran on {listed}, not in the catalog; --from names a GPU or an entry of your own (.toml)"
    )
    return names[0] if len(names) == 1 else f"{len(names)} GPUs that are not in the catalog", sentence


def build_source_panel(drawing: Drawing, processor: Processor | None, rows: list[int], here: Here | None) -> Panel:
    """The panel of a GPU that kernels ran on."""
    index = np.asarray(rows, dtype=np.intp)
    time = drawing.time_s
    if processor is None or here is None:
        marks = [list_unplaced(drawing, i, time, NO_SOURCE) for i in rows]
        name, sentence = describe_lost_gpus([str(drawing.kernels.strings("gpu")[i]) for i in rows])
        return Panel(name, "source", float("nan"), NOT_HERE, (), (), order_marks(marks), (sentence,))
    share = share_time(time * drawing.kernels.launches, index, drawing.versions)
    clocks = here.clocks
    marks = [place_mark(drawing, i, here.ceilings, (time[i], np.nan, np.nan), share[i], here.limits[i]) for i in rows]
    drawn, spread = find_panel_clock(clocks.clock_hz[index], time[index])
    assumed = [text for mask, text in clocks.remarks.entries if mask[index].any()]
    known = np.isfinite(drawing.kernels.column("clock_hz")[index]).any()
    measured = here.describe_measured(index)
    note = spread or (
        f"forecast; measured {measured}"
        if measured
        else "recorded"
        if known
        else f"{name_clock(drawn, processor)}; not recorded"
    )
    memory, compute = find_roofs(processor, drawn, drawing.kernels, drawing.amounts, index)
    beside = find_catalog_roofs(processor, (*memory, *compute), drawn)
    notes = (*assumed, *note_catalog(beside), *note_roofs(memory, compute))
    return Panel(
        processor.name, "source", drawn, note, memory, compute, order_marks(marks), notes, beside, bool(measured)
    )  # fmt: skip


def build_target_panel(drawing: Drawing, forecast: Forecast, j: int, clock_hz: FloatArray) -> Panel:
    """The panel of a forecast target, with the projected points and their intervals."""
    target, estimate, n = forecast.targets[j], forecast.estimate, len(drawing.kernels)
    index = np.arange(n, dtype=np.intp)
    machines = Machines(columns_of([target]), np.zeros(n, dtype=np.intp), clock_hz)
    drawing = move_to_target(drawing, forecast, j, machines)
    there = ceilings_of(drawing.kernels, drawing.amounts, machines)
    time = np.where(np.isfinite(estimate.time_s[:, j]), estimate.time_s[:, j], np.nan)
    share = share_time(time * drawing.kernels.launches, index, drawing.versions)
    limits = forecast.limits_target()[:, j]
    marks = []
    for i in range(n):
        if not time[i] > 0:
            marks.append(list_unplaced(drawing, i, time, str(estimate.reasons[i, j]) or "no forecast"))
            continue
        times = (time[i], estimate.time_low_s[i, j], estimate.time_high_s[i, j])
        marks.append(place_mark(drawing, i, there, times, share[i], Resource(limits[i]).label if limits[i] else ""))
    drawn, spread = find_panel_clock(clock_hz, time)
    drawn = drawn if drawn > 0 else target.clock_hz_boost
    memory, compute = find_roofs(target, drawn, drawing.kernels, drawing.amounts, index)
    target_notes = forecast.target_notes[j] if forecast.target_notes else ()
    notes = tuple(dict.fromkeys((*target_notes, *note_roofs(memory, compute))))
    note = spread or name_clock(drawn, target)
    return Panel(target.name, "target", drawn, note, memory, compute, order_marks(marks), notes)


def move_to_target(drawing: Drawing, forecast: Forecast, j: int, machines: Machines) -> Drawing:
    """The amounts of the kernels on a target: DRAM bytes by what its caches keep, and what its own code does."""
    ready = forecast.prepared
    if not isinstance(ready, Prepared):
        return drawing
    here = Machines(columns_of(ready.sources), ready.index, ready.clocks.clock_hz)
    on_target = Machines(machines.columns, machines.index[:, None], machines.clock_hz[:, None])
    changes = AmountChanges() if ready.changes is None else ready.changes.columns([j])
    moved = {r: changes.on_target(r, v[:, None])[:, 0] for r, v in drawing.amounts.by_resource.items()}
    if (dram := moved.get(Resource.BYTES_DRAM)) is not None:
        factor = dram_bytes_factor(drawing.kernels, here, on_target, forecast.conditions)[:, 0]
        moved[Resource.BYTES_DRAM] = dram * factor
    flops = {r: np.nan_to_num(moved[r]) for r in drawing.amounts.flops}
    amounts = dataclasses.replace(drawing.amounts, by_resource=moved, flops=flops)
    return dataclasses.replace(
        drawing, amounts=amounts, flops=np.where(np.isnan(drawing.flops), np.nan, amounts.flops_total)
    )


def place_mark(
    drawing: Drawing, i: int, ceilings: Ceilings, times: tuple[float, float, float], fraction: float, limit: str
) -> Mark:
    """One kernel with its points, or with the reason why it has none."""
    time, low, high = (float(t) for t in times)
    flops = float(drawing.flops[i]) if drawing.flops[i] < LARGEST else float("nan")
    # Who computes faster than products sustain was not held by the board's power, which data and mix decide: theory is
    # the roof then.
    compute = ceilings
    if ceilings.theory is not None and time > 0 and flops / time > ceilings.flops_per_s[i]:
        compute = ceilings.theory
    ceiling = float(compute.flops_per_s[i])
    points = place_points(drawing, i, ceilings, ceiling, time, flops) if 0 < time < LARGEST else ()
    mark = Mark(
        index=i,
        name=drawing.names[i],
        full_name=drawing.full_names[i],
        file=drawing.files[i],
        version=drawing.versions[i],
        time_s=time,
        time_low_s=low,
        time_high_s=high,
        time_fraction=float(fraction),
        flops_per_s=flops / time if flops > 0 and time > 0 else float("nan"),
        precision=name_precisions(drawing.amounts, i),
        flops_per_s_peak=float(compute.flops_per_s_peak[i]),
        flops_per_s_mix=float(compute.flops_per_s_mix[i]),
        flops_per_s_ceiling=ceiling,
        points=points,
        limit=limit,
        reason=explain_missing(time, flops, points),
        flags=tuple(one_line(f) for f in drawing.kernels.flags[i]),
        launches=round(float(drawing.kernels.launches[i])),
    )
    if not (over := mark.exceeded):
        return mark
    why = f"rates above the ceilings of {' and '.join(over)} have no share of them: {WHY_ABOVE}"
    return dataclasses.replace(mark, reason=f"{IMPLAUSIBLE}{why}")


def place_points(
    drawing: Drawing, i: int, ceilings: Ceilings, compute_per_s: float, time: float, flops: float
) -> tuple[Point, ...]:
    """The kernel at each level that was counted and that some bytes traverse.

    A level that moves bytes faster than streams sustain there has its theoretical roof. compute_per_s : FLOP/s ceiling.
    """
    points = []
    for level, traversing in ceilings.bytes_traversing.items():
        moved = float(traversing[i])
        if not 0 < moved < LARGEST or np.isnan(drawing.amounts.get(level)[i]):
            continue
        bandwidth = float(ceilings.bytes_per_s[level][i])
        if ceilings.theory is not None and moved / time > bandwidth:
            bandwidth = float(ceilings.theory.bytes_per_s[level][i])
        if flops > 0:
            roof = float(np.fmin(bandwidth * flops / moved, compute_per_s))
            points.append(Point(level, flops / moved, moved / time, bandwidth, share_of(flops / time, roof)))
        else:
            points.append(Point(level, float("nan"), moved / time, bandwidth, share_of(moved / time, bandwidth)))
    return tuple(points)


def list_unplaced(drawing: Drawing, i: int, time: FloatArray, reason: str) -> Mark:
    """A kernel that is listed but not drawn."""
    nan, kernels = float("nan"), drawing.kernels
    return Mark(
        i, drawing.names[i], drawing.full_names[i], drawing.files[i], drawing.versions[i], float(time[i]), nan, nan,
        nan, nan, "", nan, nan, nan, (), "", one_line(reason, 300), tuple(one_line(f) for f in kernels.flags[i]),
    )  # fmt: skip


def explain_missing(time: float, flops: float, points: Sequence[Point]) -> str:
    """Why a kernel has no place in the FLOP roofline; '' where it has one."""
    if not time > 0:
        return "no time recorded"
    if not points:
        return "no bytes counted at any memory level"
    if np.isnan(flops):
        return "FLOPs not counted: shown by its bandwidth"
    return "" if flops > 0 else "no FLOPs: shown by its bandwidth"


def name_resources(names: Iterable[str | None]) -> list[str]:
    """Names of resources for people; '' where none is known."""
    return [Resource(name).label if name else "" for name in names]


def name_precisions(amounts: Amounts, i: int) -> str:
    """The precisions with at least a twentieth of the kernel's FLOPs, largest first."""
    total = amounts.flops_total[i]
    if not total > 0:
        return ""
    shares = sorted(((float(v[i]) / total, r.label) for r, v in amounts.flops.items()), reverse=True)
    return " + ".join(label for share, label in shares if share >= COMPUTE_SHARE)


def share_time(time: FloatArray, rows: IndexArray, versions: Sequence[str]) -> FloatArray:
    """(n,) share of the time of the given rows, each version's for itself; NaN without a time."""
    _, group = np.unique(np.asarray(versions, dtype=np.str_), return_inverse=True)
    total = np.zeros(group.max(initial=0) + 1)
    np.add.at(total, group[rows], np.nan_to_num(time[rows]))
    whole = total[group]
    return np.where(whole > 0, time / np.where(whole > 0, whole, 1.0), np.nan)


def order_marks(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Order marks by time, longest first, unknown times last, file order among equals."""
    return tuple(sorted(marks, key=lambda m: (-m.time_total_s if m.time_s > 0 else 1.0, m.index)))


def list_full_names(kernels: KernelTable) -> list[str]:
    """Full name of each kernel."""
    pairs = zip(kernels.strings("kernel"), kernels.strings("kernel_mangled"), strict=True)
    return [full_name(str(name), str(mangled)) for name, mangled in pairs]


def list_view_notes(drawing: Drawing) -> tuple[str, ...]:
    """What holds for the whole picture: notes of the files, and what was assumed of any kernel."""
    notes = [note for p in drawing.kernels.provenance for note in p.notes]
    remarks = [text for rows, text in drawing.amounts.remarks.entries if np.any(rows)]
    return tuple(dict.fromkeys(one_line(n, 300) for n in (*notes, *(f"assumed: {r}" for r in remarks))))
