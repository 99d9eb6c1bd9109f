"""The kernels of a run in windows as one table: one row per distinct kernel, geometry, shapes and GPU."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable, concatenate
from roofcast.core.timeline import Timeline
from roofcast.ingest.traces.kernels import (
    OPERATOR,
    DistinctKernels,
    distinct_kernels,
    flags_of,
    kernel_table,
    longest_of_each,
)
from roofcast.ingest.traces.windows import Windows


def kernel_table_of(windows: Windows) -> KernelTable:
    """One row per distinct kernel of a run (see :func:`roofcast.ingest.traces.kernels.kernel_table`).

    Raises
    ------
    InputError : the run has no kernels.
    """
    if len(windows) == 1:
        return kernel_table(windows.whole())
    gathered = Gathered()
    last: Timeline | None = None
    for timeline in windows:
        last = timeline
        gathered.take(timeline)
    return gathered.table() if gathered.tables or last is None else kernel_table(last)


@dataclass
class Gathered:
    """Distinct kernels of the windows so far."""

    known: dict[bytes, int] = field(default_factory=dict)
    """What tells a kernel apart -> its row."""
    tables: list[KernelTable] = field(default_factory=list)
    """Kernels that a window was the first to show."""
    times: list[NDArray[np.uint64]] = field(default_factory=list)
    """Row and duration of each launch in one number: sorting them gives medians without further room."""
    total_s: FloatArray = field(default_factory=lambda: np.zeros(0))

    def take(self, timeline: Timeline) -> None:
        """The kernels of one window."""
        if not len(timeline.kernels()):
            return
        found = distinct_kernels(timeline, longest_of_each(timeline))
        place, new = self.places(found)
        if new:
            chosen = found.table.select(new)
            operators = chosen.extra.get(OPERATOR, np.full(len(new), None, np.object_))
            self.tables.append(dataclasses.replace(chosen, extra={OPERATOR: operators}))
        duration = timeline.activities.duration_s[found.launches]
        row = place[found.row]
        grown = np.zeros(len(self.known))
        grown[: len(self.total_s)] = self.total_s
        self.total_s = grown + np.bincount(row, weights=duration, minlength=len(grown))
        bits = duration.astype(np.float32).view(np.uint32)
        self.times.append((row.astype(np.uint64) << np.uint64(32)) | bits.astype(np.uint64))

    def places(self, found: DistinctKernels) -> tuple[NDArray[np.int64], list[int]]:
        """Row of each kernel of a window among those of the run, and which are new."""
        places, new = [], []
        for i, key in enumerate(np.ascontiguousarray(found.keys)):
            text, size = key.tobytes(), len(self.known)
            places.append(self.known.setdefault(text, size))
            if len(self.known) > size:
                new.append(i)
        return np.array(places, np.int64), new

    def table(self) -> KernelTable:
        """The table of the run."""
        table = concatenate(self.tables)
        median, count = self.medians(len(table))
        numeric = {
            "launch": np.arange(len(table), dtype=np.float64), "time_s": np.where(median > 0, median, np.nan),
            "launches": count, "time_total_s": self.total_s,
        }  # fmt: skip
        table = table.with_columns(**{k: (v, Origin.COUNTED) for k, v in numeric.items()})
        extra = table.extra if any(o is not None for o in table.extra[OPERATOR]) else {}
        provenance = self.tables[0].provenance
        return dataclasses.replace(table, extra=extra, flags=flags_of(count), provenance=provenance)

    def medians(self, size: int) -> tuple[FloatArray, FloatArray]:
        """(n,) median duration and number of launches of each row."""
        codes = np.empty(sum(len(t) for t in self.times), np.uint64)
        at = 0
        for part in self.emptied():
            codes[at : at + len(part)] = part
            at += len(part)
        codes.sort()
        edges = np.searchsorted(codes, np.arange(size + 1, dtype=np.uint64) << np.uint64(32))
        count = np.diff(edges)
        low, high = edges[:-1] + (count - 1) // 2, edges[:-1] + count // 2
        middle = [(codes[i] & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.float32) for i in (low, high)]
        return 0.5 * (middle[0].astype(np.float64) + middle[1]), count.astype(np.float64)

    def emptied(self) -> Iterator[NDArray[np.uint64]]:
        """The launches part by part, each forgotten when the next is asked for."""
        while self.times:
            yield self.times.pop()
