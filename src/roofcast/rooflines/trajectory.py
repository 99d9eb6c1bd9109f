"""How a kernel moved through its versions: time, rates, intensities, occupancy, and the peak that fits its code.

C. Yang: 8 Steps to 3.7 TFLOP/s on NVIDIA V100 GPU. arXiv:2008.11326 (Table I, and Section III for the peak that a
kernel's share of fused multiply-adds allows); Eq. 2 of Van Lanker et al. (Euro-Par 2024).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping

import numpy as np

from roofcast.core.errors import InputError
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.formulas.roofline import flops_per_s_with_fma_fraction
from roofcast.kit.names import full_name, short_name
from roofcast.kit.quantities import format_percent
from roofcast.rooflines.versions import chain_versions, label_versions
from roofcast.rooflines.view import Mark, PlaceChange, RooflineView, Trajectory, Version
from roofcast.sass.embedded_code import rows_of_reports
from roofcast.sass.hotspots import Place, hot_places

MOVED_RATIO = 1.05
"""Amounts that changed by less are not named."""
MOVED_SHARE = 0.03
"""1; a share that moved by less is not named between two versions."""
MAX_MOVED = 4
"""Amounts named between two versions."""
AMOUNTS = (
    "insts_special", "flops_fp64", "flops_fp32", "flops_fp16", "bytes_local", "bytes_l1", "bytes_shared", "bytes_l2",
    "bytes_dram", "insts_issued", "shared_bank_conflicts", "sectors_uncoalesced",
)  # fmt: skip
FRACTIONS = ("l1_hit_fraction", "l2_hit_fraction")
SETTINGS = ("regs_per_thread", "block_threads", "grid_blocks", "smem_bytes_per_block")
LABELS = {
    "bytes_local": "local memory (spills)", "shared_bank_conflicts": "bank conflicts",
    "sectors_uncoalesced": "excess sectors", "l1_hit_fraction": "L1 hits", "l2_hit_fraction": "L2 hits",
    "regs_per_thread": "registers", "block_threads": "threads per block", "grid_blocks": "blocks",
    "smem_bytes_per_block": "shared memory per block",
}  # fmt: skip


def build_trajectories(
    kernels: KernelTable, view: RooflineView, processors: Mapping[str, Processor] | None = None
) -> tuple[Trajectory, ...]:
    """The kernels that occur in several versions, those with most time first.

    kernels : the table that the view was built from.
    processors : GPU name -> processor, for warps per SM (default: not shown).
    """
    marks = {m.index: (m, p.processor) for p in view.panels if p.role == "source" for m in p.marks}
    labels = label_versions(kernels)
    trajectories = []
    for chain in chain_versions(kernels):
        rows = [i for i in chain if i in marks]
        if len(rows) < 2:
            continue
        first, gpu = marks[rows[0]]
        same = [i for i in range(len(kernels)) if labels[i] == labels[rows[0]]]
        total = float(np.nansum((kernels.column("time_s") * kernels.launches)[same]))
        share = first.time_total_s / total if total > 0 and first.time_s > 0 else math.nan
        name = short_name(full_name(*(str(kernels.strings(c)[rows[0]]) for c in ("kernel", "kernel_mangled"))))
        versions: list[Version] = []
        for i in rows:
            processor = (processors or {}).get(marks[i][1])
            before = rows[len(versions) - 1] if versions else None
            versions.append(build_version(kernels, i, marks[i][0], labels[i], first.time_s, processor, before))
        trajectories.append(Trajectory(name, gpu, tuple(versions), share))
    return tuple(sorted(trajectories, key=lambda t: -max((v.time_s for v in t.versions if v.time_s > 0), default=0.0)))


def build_version(
    kernels: KernelTable, i: int, mark: Mark, label: str, first_s: float, processor: Processor | None,
    before: int | None,
) -> Version:  # fmt: skip
    """One version with what moved since the one before."""
    value = read_cells(kernels, i)
    most = (processor.max_warps_per_sm if processor else None) or math.nan
    alpha = find_fma_fraction(kernels, i, mark.precision)
    return Version(
        label=label,
        index=i,
        time_s=mark.time_s,
        speedup=first_s / mark.time_s if mark.time_s > 0 and first_s > 0 else math.nan,
        flops_per_s=mark.flops_per_s,
        flops_per_byte={p.level: p.flops_per_byte for p in mark.points},
        warps_per_sm=value("occupancy_fraction") * most,
        regs_per_thread=value("regs_per_thread"),
        block_threads=value("block_threads"),
        l1_hit_fraction=value("l1_hit_fraction"),
        l2_hit_fraction=value("l2_hit_fraction"),
        fma_fraction=alpha,
        flops_per_s_peak=mark.flops_per_s_peak,
        flops_per_s_mix=mark.flops_per_s_mix,
        flops_per_s_fma=float(flops_per_s_with_fma_fraction(mark.flops_per_s_peak, alpha)),
        moved=describe_moves(kernels, before, i) if before is not None else (),
    )


def read_cells(kernels: KernelTable, i: int) -> Callable[[str], float]:
    """Reads cells of one row as floats."""
    return lambda name: float(kernels.column(name)[i])


def find_fma_fraction(kernels: KernelTable, i: int, precision: str) -> float:
    """FMA over all FP instructions of the first named precision; NaN where they were not counted.

    Yang 2020: dfma / (dmul + dadd + dfma).
    """
    names = {r.label: r.value.removeprefix("flops_") for r in Resource if r.value.startswith("flops_fp")}
    name = names.get(precision.partition(" + ")[0])
    if name is None:
        return math.nan
    add, mul, fma = (float(kernels.column(f"insts_{name}_{kind}")[i]) for kind in ("add", "mul", "fma"))
    total = add + mul + fma
    return fma / total if total > 0 else math.nan


def describe_moves(kernels: KernelTable, a: int, b: int) -> tuple[str, ...]:
    """What changed from row a to row b, in words, the largest changes first."""
    moves: list[tuple[float, str]] = []
    for name in AMOUNTS:
        size, text = describe_move(kernels.column(name), a, b, name)
        if text:
            moves.append((size, text))
    for name in FRACTIONS:
        old, new = kernels.column(name)[[a, b]]
        if abs(new - old) >= MOVED_SHARE:
            moves.append(
                (
                    abs(new - old) * 2,
                    f"{LABELS[name]} {format_percent(old, 0).removesuffix(' %')} → {format_percent(new, 0)}",
                )
            )
    moves.sort(key=lambda m: -m[0])
    settings = []
    for name in SETTINGS:
        old, new = kernels.column(name)[[a, b]]
        if np.isfinite(old) and np.isfinite(new) and old != new:
            settings.append(f"{LABELS[name]} {old:g} → {new:g}")
    return (*settings, *(text for _, text in moves[:MAX_MOVED]))


def describe_move(column: FloatArray, a: int, b: int, name: str) -> tuple[float, str]:
    """Size and text of an amount's change; ('' , 0) where it hardly moved."""
    old, new = float(column[a]), float(column[b])
    if not (np.isfinite(old) and np.isfinite(new)) or max(old, new) <= 0:
        return 0.0, ""
    size = abs(math.log(new / old)) if min(old, new) > 0 else 3.0
    if size < math.log(MOVED_RATIO):
        return 0.0, ""
    known = {r.value: r for r in Resource}
    resource = known.get(name)
    label = LABELS[name] if resource is None else resource.label
    unit = ("B" if name.startswith("bytes") else "") if resource is None else resource.unit
    text = (
        format_percent(new / old - 1, 0, signed=True)
        if old > 0
        else f"0 → {format_quantity(new, unit) if unit else f'{new:g}'}"
    )
    return size, f"{label} {text}"


MAX_PLACES = 8
"""Kernels whose way over the versions is told in words."""


def add_places(view: RooflineView, kernels: KernelTable) -> RooflineView:
    """The view, its trajectories with the places of their versions where the reports hold samples and code.

    kernels : the table that the view was built from.
    """
    wanted = {v.index for t in view.trajectories for v in t.versions}
    by_row: dict[int, tuple[Place, ...]] = {}
    for source, rows in rows_of_reports(kernels):
        launches = {row: int(kernels.column("launch")[row]) for row in rows if row in wanted}
        if not launches:
            continue
        try:
            places = hot_places(source.path, set(launches.values()))
        except InputError:  # moved or changed since it was read: the rest of the picture stands without it
            continue
        by_row |= {row: places[launch] for row, launch in launches.items() if launch in places}
    if not by_row:
        return view
    trajectories = tuple(dataclasses.replace(t, places=follow_places(t, by_row)) for t in view.trajectories)
    return dataclasses.replace(view, trajectories=trajectories)


def follow_places(trajectory: Trajectory, places: dict[int, tuple[Place, ...]]) -> tuple[PlaceChange, ...]:
    """Places of one kernel through its versions, most samples in any version first."""
    by_version = [{p.where: p for p in places.get(v.index, ())} for v in trajectory.versions]
    if sum(bool(b) for b in by_version) < 2:
        return ()
    names = list(dict.fromkeys(name for b in by_version for name in b))
    changes = [PlaceChange(name, tuple(b.get(name) for b in by_version)) for name in names]
    changes.sort(key=lambda c: -max(p.samples for p in c.versions if p is not None))
    return tuple(changes[:MAX_PLACES])
