"""An application's time by kind of work, by operator, by named range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roofcast.applications.dependencies import Dependencies
from roofcast.applications.evidence import RunKernels
from roofcast.applications.replay import Replay, shifted
from roofcast.applications.result import NO_OPERATOR, PartTime, RangeTime
from roofcast.core.kernel_table import FloatArray, TextArray, as_text
from roofcast.core.timeline import Activities, Collective, Timeline, Way, Work

COPIES = {
    Way.HOST_TO_DEVICE: "copy host to device", Way.DEVICE_TO_HOST: "copy device to host",
    Way.DEVICE_TO_DEVICE: "copy on device", Way.PEER: "copy between devices",
}  # fmt: skip
KINDS = {Work.MEMSET: "memory set", Work.MIGRATION: "unified memory", Work.FAULT: "page faults",
         Work.GRAPH: "CUDA graph"}  # fmt: skip
OTHER = "other kernels"
COMMUNICATION = "collective"
MAX_RANGES = 200
"""Named ranges of a run that an answer keeps, the longest of them."""


class Labels(NamedTuple):
    """A text for each row."""

    texts: TextArray
    """Those that there are; one may stand more than once."""
    code: NDArray[np.intp]
    """(n,) which of them each row has."""

    def of_rows(self, rows: NDArray[np.bool_]) -> Labels:
        """The labels of some rows."""
        return Labels(self.texts, self.code[rows])

    def listed(self) -> TextArray:
        """(n,) the text of each row."""
        return np.asarray(self.texts[self.code], dtype=np.object_)


def classes_of(work: Activities, kernels: RunKernels) -> Labels:
    """(n,) kind of work of each activity."""
    of_rows = [str(o.value) if o is not None else OTHER for o in kernels.operation]
    names = [*of_rows, *COPIES.values(), *KINDS.values(), COMMUNICATION, "copy"]
    code = np.full(len(work), len(names) - 1, np.intp)
    code[kernels.launches] = kernels.row
    for i, way in enumerate(COPIES, len(of_rows)):
        code[(work.kind == Work.COPY) & (work.way == way)] = i
    for i, kind in enumerate(KINDS, len(of_rows) + len(COPIES)):
        code[work.kind == kind] = i
    code[work.collective != Collective.NONE] = len(names) - 2
    return Labels(as_text(names), code)


def parts(
    labels: Labels, source_s: FloatArray, time_s: FloatArray, low_s: FloatArray, high_s: FloatArray
) -> tuple[PartTime, ...]:
    """Sums per label, longest first; within a label errors go together, so low and high add up as they are."""
    names, inverse = distinct(labels)
    count = np.bincount(inverse, minlength=len(names))
    sums = [np.bincount(inverse, weights=v, minlength=len(names)) for v in (source_s, time_s, low_s, high_s)]
    times = [PartTime(str(n), int(count[i]), *(float(s[i]) for s in sums)) for i, n in enumerate(names)]
    return tuple(sorted(times, key=lambda p: -max(p.source_time_s, p.time_s)))


def distinct(labels: Labels) -> tuple[list[str], NDArray[np.intp]]:
    """The distinct texts in order of appearance, and (n,) which of them each is."""
    count = len(labels.code)
    first = np.full(len(labels.texts), count, np.intp)
    # The last of several rows for one place is kept: from behind, the first.
    first[labels.code[::-1]] = np.arange(count - 1, -1, -1)
    known: dict[str, int] = {}
    number = np.zeros(len(labels.texts), np.intp)
    for i in np.argsort(first, kind="stable")[: int((first < count).sum())].tolist():
        number[i] = known.setdefault(str(labels.texts[i]), len(known))
    return list(known), number[labels.code]


def operator_labels(timeline: Timeline) -> Labels:
    """(n,) name of the operator that launched each activity; :data:`NO_OPERATOR` where none is known."""
    names = as_text([*(o.name for o in timeline.operators), NO_OPERATOR])
    operator = timeline.activities.operator
    return Labels(names, np.where(operator >= 0, operator, len(names) - 1))


def range_times(timeline: Timeline, deps: Dependencies, after: Replay, duration_s: FloatArray) -> tuple[RangeTime, ...]:
    """Every name of a range with its time before and after, longest first.

    A range lasts from its start to the end of what it launched; runs of one name that overlap count once.
    """
    ranges, work = timeline.annotations(), timeline.activities
    if not len(ranges):
        return ()
    start, end = (shifted(t, ranges.process, deps, after) for t in (ranges.start_s, ranges.end_s))
    until_before, until_after = ranges.end_s.copy(), end.copy()
    device_before, device_after = np.zeros(len(ranges)), np.zeros(len(ranges))
    for p in np.unique(ranges.process).tolist():
        mine = np.flatnonzero(ranges.process == p)
        rows = np.flatnonzero((work.process == p) & ~np.isnan(deps.call_s))
        if not len(rows):
            continue
        rows = rows[np.argsort(deps.call_s[rows], kind="stable")]
        first, last = (np.searchsorted(deps.call_s[rows], t[mine]) for t in (ranges.start_s, ranges.end_s))
        device_before[mine] = between(work.duration_s[rows], first, last)
        device_after[mine] = between(duration_s[rows], first, last)
        some = last > first
        for until, ends in ((until_before, work.end_s), (until_after, after.end_s)):
            until[mine[some]] = np.maximum(until[mine[some]], latest(ends[rows], first[some], last[some]))
    names, inverse = distinct(Labels(timeline.names, ranges.name))
    order = np.argsort(inverse, kind="stable")
    times = []
    for name, rows in zip(names, np.split(order, np.cumsum(np.bincount(inverse))[:-1]), strict=True):
        before, later = (covered_s(a[rows], b[rows]) for a, b in ((ranges.start_s, until_before), (start, until_after)))
        devices = float(device_before[rows].sum()), float(device_after[rows].sum())
        times.append(RangeTime(name, len(rows), before, later, *devices))
    return tuple(sorted(times, key=lambda r: -r.source_time_s)[:MAX_RANGES])


def covered_s(start_s: FloatArray, end_s: FloatArray) -> float:
    """Seconds that at least one span covers."""
    if not len(start_s):
        return 0.0
    order = np.argsort(start_s, kind="stable")
    begin, finish = start_s[order], np.maximum.accumulate(end_s[order])
    return float(finish[-1] - begin[0] - np.maximum(begin[1:] - finish[:-1], 0.0).sum())


def between(values: FloatArray, first: NDArray[np.intp], last: NDArray[np.intp]) -> FloatArray:
    """(k,) sums of values[first:last]."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    return np.asarray(total[last] - total[first])


def latest(values: FloatArray, first: NDArray[np.intp], last: NDArray[np.intp]) -> FloatArray:
    """(k,) maxima of values[first:last], which are not empty."""
    if not len(first):
        return np.zeros(0)
    padded = np.append(values, -np.inf)
    return np.asarray(np.maximum.reduceat(padded, np.stack([first, last], axis=1).ravel())[::2])


def share(values: FloatArray, rows: Sequence[bool] | NDArray[np.bool_]) -> float:
    """Share of a sum that the given rows have."""
    total = float(values.sum())
    return float(values[np.asarray(rows)].sum()) / total if total > 0 else 0.0
