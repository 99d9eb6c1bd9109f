"""Several timelines of one distributed run as one: a process per rank, clocks aligned where ranks met."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError
from roofcast.core.kernel_table import as_text
from roofcast.core.timeline import Activities, Calls, Collective, Ranges, Timeline, Waits

SHIFTED = {"process", "device", "name", "call", "operator", "instance", "record_call"}


def together(timelines: Sequence[Timeline]) -> Timeline:
    """One timeline of all ranks.

    Raises
    ------
    InputError : no timeline was given.
    """
    if not timelines:
        raise InputError("nothing to read: give at least one trace")
    if len(timelines) == 1:
        return timelines[0]
    zero = common_zero(timelines)
    offsets: dict[str, list[int]] = {k: [0] for k in SHIFTED}
    for t in timelines:
        calls = len(t.calls)
        sizes = {"process": len(t.processes), "device": len(t.devices), "name": len(t.names), "call": calls,
                 "operator": len(t.operators), "instance": len(t.ranges), "record_call": calls}  # fmt: skip
        for key, values in offsets.items():
            values.append(values[-1] + sizes[key])
    # Calls and ranges are in order of their start in the whole, and what points at them follows.
    calls, call_place = joined(Calls, [t.calls for t in timelines], offsets, zero)
    ranges, range_place = joined(Ranges, [t.ranges for t in timelines], offsets, zero)
    places = {"call": call_place, "instance": range_place, "record_call": call_place}
    work, _ = joined(Activities, [t.activities for t in timelines], offsets, zero, places)
    waits, _ = joined(Waits, [t.waits for t in timelines], offsets, zero, places)
    processes = tuple(
        dataclasses.replace(p, rank=p.rank if p.rank >= 0 else i) for i, t in enumerate(timelines) for p in t.processes
    )
    return Timeline(
        activities=work, calls=calls, ranges=ranges, waits=waits,
        names=as_text([n for t in timelines for n in t.names]),
        operators=tuple(o for t in timelines for o in t.operators),
        devices=tuple(d for t in timelines for d in t.devices), processes=processes,
        origin_s=timelines[0].origin_s, provenance=tuple(p for t in timelines for p in t.provenance),
    )  # fmt: skip


def joined(
    kind: Any, parts: Sequence[Any], offsets: dict[str, list[int]], zero: list[float],
    places: dict[str, NDArray[np.int64]] | None = None,
) -> tuple[Any, NDArray[np.int64]]:  # fmt: skip
    """Columns of all parts in order of their start, and the new place of each old row."""
    columns: dict[str, NDArray[Any]] = {}
    for field in dataclasses.fields(kind):
        name = field.name
        cells = []
        for i, part in enumerate(parts):
            values = getattr(part, name)
            if name in SHIFTED:
                moved = values + offsets[name][i]
                place = (places or {}).get(name)
                if place is not None and len(place):
                    moved = place[np.clip(moved, 0, len(place) - 1)]
                values = np.where(values >= 0, moved, -1)
            elif name in ("start_s", "end_s"):
                values = values + zero[i]
            cells.append(values)
        columns[name] = np.concatenate(cells)
    size = len(next(iter(columns.values())))
    order = np.lexsort((np.arange(size), columns["start_s"])) if "start_s" in columns else np.arange(size)
    place = np.empty(size, np.int64)
    place[order] = np.arange(size)
    return kind(**{k: v[order] for k, v in columns.items()}), place


def common_zero(timelines: Sequence[Timeline]) -> list[float]:
    """Seconds to add to each timeline's times, so that collectives of all ranks end together.

    Without common collectives the clocks of the files count where they agree to a minute, else all start at zero.
    """
    origins = [t.origin_s for t in timelines]
    same_clock = max(origins) - min(origins) < 60
    shift = [o - min(origins) if same_clock else 0.0 for o in origins]
    for kind in Collective:
        if kind in (Collective.NONE, Collective.POINT_TO_POINT):
            continue
        ends = [t.activities.end_s[t.activities.collective == kind] for t in timelines]
        if len(ends[0]) and len({len(e) for e in ends}) == 1:
            shift = [float(np.median(ends[0] - e)) for e in ends]
            break
    least = min(shift)
    return [s - least for s in shift]
