"""Long distributed runs in windows: all ranks are cut where the same collective ends, and put together part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from roofcast.analyses.applications.ranks import together
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import Provenance
from roofcast.core.timeline import Collective, IntArray, Timeline
from roofcast.ingest.traces import windows
from roofcast.ingest.traces.windows import EVER, Windows, near, rows_of

SECOND_NS = 10**9
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
        """Of the first rank."""
        return self.ranks[0].provenance

    @property
    def runs(self) -> dict[str, int]:
        """Name of a range of the user -> how often it began, over all ranks."""
        found: dict[str, int] = {}
        for rank in self.ranks:
            for name, count in rank.runs_of_ranges().items():
                found[name] = found.get(name, 0) + count
        return found

    def __len__(self) -> int:
        return len(self.limits[0]) - 1

    def __iter__(self) -> Iterator[Timeline]:
        for i in range(len(self)):
            yield together(
                [
                    rank.between(limits[i], limits[i + 1], limits[max(i - 1, 0)])
                    for rank, limits in zip(self.ranks, self.limits, strict=True)
                ]
            )

    def whole(self) -> Timeline:
        """The run as one timeline, however long it is."""
        return together([rank.whole() for rank in self.ranks])

    def excerpt(self, timeline: Timeline, count: int) -> Timeline:
        """A part of a window with about that many pieces of work; the window itself where that has no kernels."""
        if len(timeline.activities) <= count:
            return timeline
        first, last = timeline.span_s
        span = int((last - first) * 1e9 * count / len(timeline.activities)) + 1
        begins = [max(limits[1] - span, -EVER) for limits in self.limits]
        pairs = zip(self.ranks, begins, strict=True)
        found = together([rank.between(begin, begin + span) for rank, begin in pairs])
        return found if len(found.kernels()) else timeline


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
    found = [np.zeros((2, 0), np.int64)]
    for block in rank.builder.work.blocks(("start", "end", "collective")):
        rows = near(block, rank.around) & (block["collective"] == kind)
        found.append(np.stack([block["start"][rows], block["end"][rows]]))
    start, end = np.concatenate(found, axis=1)
    return np.asarray(end[np.argsort(start, kind="stable")])


def cuts_at_times(ranks: Sequence[Windows], count: int) -> list[list[int]]:
    """Cuts at the same times: of the common clock where the ranks have one, else since each one's start."""
    origins = [rank.origin for rank in ranks]
    zero = [min(origins)] * len(ranks) if max(origins) - min(origins) < SAME_CLOCK_NS else origins
    span = max(int(rank.around - z) for rank, z in zip(ranks, zero, strict=True)) * 2
    return [[z + k * span // count for k in range(1, count)] for z in zero]
