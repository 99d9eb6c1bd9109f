"""Several timelines of one distributed run as one: a process per rank, clocks aligned where ranks met.

Long runs go in windows: all ranks are cut where the same collective ends, and put together part by part.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError
from roofcast.core.kernel_table import Provenance, as_text
from roofcast.core.timeline import Activities, Calls, Collective, IntArray, Ranges, Timeline, Waits
from roofcast.ingest.traces import windows
from roofcast.ingest.traces.windows import EVER, Windows, near, rows_of

SHIFTED = {"process", "device", "name", "call", "operator", "instance", "record_call"}


def join_ranks(timelines: Sequence[Timeline]) -> Timeline:
    """One timeline of all ranks."""
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
    calls, call_place = join_columns(Calls, [t.calls for t in timelines], offsets, zero)
    ranges, range_place = join_columns(Ranges, [t.ranges for t in timelines], offsets, zero)
    places = {"call": call_place, "instance": range_place, "record_call": call_place}
    work, _ = join_columns(Activities, [t.activities for t in timelines], offsets, zero, places)
    waits, _ = join_columns(Waits, [t.waits for t in timelines], offsets, zero, places)
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


def join_columns(
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
    shift = meet(timelines) or shift
    least = min(shift)
    return [s - least for s in shift]


def meet(timelines: Sequence[Timeline]) -> list[float]:
    """Seconds to add so that collectives of the same communicator and sequence end together; none where a rank
    shares none with the first.
    """
    ends = []
    for t in timelines:
        work = t.activities
        named = np.flatnonzero(work.meeting >= 0)
        numbers, first, count = np.unique(work.meeting[named], return_index=True, return_counts=True)
        ends.append(dict(zip(numbers[count == 1].tolist(), work.end_s[named[first[count == 1]]].tolist(), strict=True)))
    shifts = []
    for mine in ends:
        both = ends[0].keys() & mine.keys()
        if not both:
            return []
        shifts.append(float(np.median([ends[0][k] - mine[k] for k in both])))
    return shifts


SECOND_NS = 10**9
"""ns in a second."""
SAME_CLOCK_NS = 60 * SECOND_NS


class RankWindows:
    """The windows of a run of several ranks; each is one timeline of all of them."""

    def __init__(self, ranks: Sequence[Windows]) -> None:
        if not ranks:
            raise InputError("nothing to read: give at least one trace")
        self.ranks = list(ranks)
        self.limits = limits_of(self.ranks, -(-rows_of(ranks) // windows.WINDOW_ROWS))
        """Per rank, nanoseconds between its windows."""

    @property
    def provenance(self) -> Provenance:
        """The first rank's stands for all of them."""
        return self.ranks[0].provenance

    @property
    def runs(self) -> dict[str, int]:
        """Name of a range of the user -> how often it began, over all ranks."""
        counts: dict[str, int] = {}
        for rank in self.ranks:
            for name, count in rank.runs_of_ranges().items():
                counts[name] = counts.get(name, 0) + count
        return counts

    def __len__(self) -> int:
        return len(self.limits[0]) - 1

    def __iter__(self) -> Iterator[Timeline]:
        for i in range(len(self)):
            yield join_ranks(
                [
                    rank.between(limits[i], limits[i + 1], limits[max(i - 1, 0)])
                    for rank, limits in zip(self.ranks, self.limits, strict=True)
                ]
            )

    def whole(self) -> Timeline:
        """The run as one timeline, however long it is."""
        return join_ranks([rank.whole() for rank in self.ranks])

    def excerpt(self, timeline: Timeline, count: int) -> Timeline:
        """A part of a window with about that many pieces of work; the window itself where that has no kernels."""
        if len(timeline.activities) <= count:
            return timeline
        first, last = timeline.span_s
        span = int((last - first) * 1e9 * count / len(timeline.activities)) + 1
        begins = [max(limits[1] - span, -EVER) for limits in self.limits]
        pairs = zip(self.ranks, begins, strict=True)
        joined = join_ranks([rank.between(begin, begin + span) for rank, begin in pairs])
        return joined if len(joined.kernels()) else timeline


def limits_of(ranks: Sequence[Windows], count: int) -> list[tuple[int, ...]]:
    """Per rank, where its windows begin and end: at the same collectives, else at the same times of aligned clocks."""
    inner = cuts_at_collectives(ranks, count) or cuts_at_times(ranks, count)
    return [(-EVER, *cuts, EVER) for cuts in inner]


def cuts_at_collectives(ranks: Sequence[Windows], count: int) -> list[list[int]]:
    """Cuts after the same collective in all ranks; none where they have no kind of them in common."""
    for kind in Collective:
        if kind in (Collective.NONE, Collective.POINT_TO_POINT):
            continue
        ends = [ends_of(rank, kind) for rank in ranks]
        if len(ends[0]) >= count and len({len(e) for e in ends}) == 1:
            chosen = sorted({k * len(ends[0]) // count for k in range(1, count)} - {0})
            cuts = [(e[np.array(chosen, np.int64) - 1] + 1).tolist() for e in ends]
            if all(b > a for cut in cuts for a, b in pairwise(cut)):
                return cuts
    return []


def ends_of(rank: Windows, kind: Collective) -> IntArray:
    """When each collective of a kind ended, in order of their starts."""
    spans = [np.zeros((2, 0), np.int64)]
    for block in rank.builder.work.blocks(("start", "end", "collective")):
        rows = near(block, rank.around) & (block["collective"] == kind)
        spans.append(np.stack([block["start"][rows], block["end"][rows]]))
    start, end = np.concatenate(spans, axis=1)
    return np.asarray(end[np.argsort(start, kind="stable")])


def cuts_at_times(ranks: Sequence[Windows], count: int) -> list[list[int]]:
    """Cuts at the same times: of the common clock where the ranks have one, else since each one's start."""
    origins = [rank.origin for rank in ranks]
    zero = [min(origins)] * len(ranks) if max(origins) - min(origins) < SAME_CLOCK_NS else origins
    span = max(int(rank.around - z) for rank, z in zip(ranks, zero, strict=True)) * 2
    return [[z + k * span // count for k in range(1, count)] for z in zero]
