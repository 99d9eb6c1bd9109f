"""Where the warps of each version were sampled and what they executed there (Yang 2020, Figures 2, 4 and 7)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from roofcast.analyses.rooflines.trajectory import PlaceChange, Trajectory
from roofcast.analyses.rooflines.view import RooflineView
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.units import format_quantity
from roofcast.kit.table import aligned
from roofcast.sass.embedded_code import rows_of_reports
from roofcast.sass.hotspots import Place, hot_places

MAX_PLACES = 8


def with_places(view: RooflineView, kernels: KernelTable) -> RooflineView:
    """The view, its trajectories with the places of their versions where the reports hold samples and code.

    kernels : the table that the view was built from.
    """
    wanted = {v.index for t in view.trajectories for v in t.versions}
    found: dict[int, tuple[Place, ...]] = {}
    for source, rows in rows_of_reports(kernels):
        launches = {row: int(kernels.column("launch")[row]) for row in rows if row in wanted}
        if not launches:
            continue
        try:
            places = hot_places(source.path, set(launches.values()))
        except InputError:  # moved or changed since it was read: the rest of the picture stands without it
            continue
        found |= {row: places[launch] for row, launch in launches.items() if launch in places}
    if not found:
        return view
    trajectories = tuple(dataclasses.replace(t, places=changes_of(t, found)) for t in view.trajectories)
    return dataclasses.replace(view, trajectories=trajectories)


def changes_of(trajectory: Trajectory, places: dict[int, tuple[Place, ...]]) -> tuple[PlaceChange, ...]:
    """Places of one kernel through its versions, most samples in any version first."""
    by_version = [{p.where: p for p in places.get(v.index, ())} for v in trajectory.versions]
    if sum(bool(b) for b in by_version) < 2:
        return ()
    names = list(dict.fromkeys(name for b in by_version for name in b))
    found = [PlaceChange(name, tuple(b.get(name) for b in by_version)) for name in names]
    found.sort(key=lambda c: -max(p.samples for p in c.versions if p is not None))
    return tuple(found[:MAX_PLACES])


def place_lines(trajectory: Trajectory, width: int) -> Iterator[str]:
    """A table of samples and executed warp instructions per place and version."""
    if not trajectory.places:
        return
    labels = [v.label for v in trajectory.versions]
    header = ["where", *(f"samples {n}" for n in labels), *(f"executed {n}" for n in labels), "waits for"]
    rows = [cells_of(change) for change in trajectory.places]
    lines = aligned(header, rows, [False, *[True] * (len(header) - 2), False], width)
    yield "  warps sampled and warp instructions executed, by source line or special function"
    yield from (f"  {line}" for line in lines)


def cells_of(change: PlaceChange) -> list[str]:
    """One row."""
    samples = [f"{p.samples:.0f}" if p is not None else "–" for p in change.versions]
    executed = [count(p.insts_executed) if p is not None else "–" for p in change.versions]
    stalls = list(dict.fromkeys(p.stall.replace("_", " ") for p in change.versions if p is not None and p.stall))
    return [change.where, *samples, *executed, " → ".join(stalls)]


def count(value: float) -> str:
    """A number of instructions with a prefix."""
    # "#" stands in for a unit, so that large counts get a prefix.
    return format_quantity(value, "#").removesuffix("#").strip()
