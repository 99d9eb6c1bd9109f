"""A long run in parts: each window of time becomes a timeline of its own, so that memory does not grow with the run.

Windows end where the run is quiet. A piece of work belongs to the window in which it starts, with the call that
launched it and the operator around that call; ranges that reach over the end of a window are cut there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import Provenance, TextArray, as_text
from roofcast.core.timeline import (
    Activities,
    Calls,
    Device,
    IntArray,
    Operator,
    Process,
    RangeKind,
    Ranges,
    Timeline,
    Waits,
)
from roofcast.ingest.traces.event_columns import Block, Columns, joined
from roofcast.ingest.traces.timeline_links import innermost_operators, link_calls, link_waits

if TYPE_CHECKING:
    from roofcast.ingest.traces.timeline_build import Builder

WINDOW_ROWS = 800_000
"""Kernels, copies, calls and ranges of one window: some 400 MB while it is worked on."""
MAX_SPAN_NS = 30 * 86400 * 10**9
"""A month: events further apart are not of one run; some tools mix clocks."""
EVER = 1 << 62
SAMPLES = 1_000_000
"""Starts per kind of event among which the ends of windows are chosen."""
TIMES = ("start", "end")


def unchanged(timeline: Timeline) -> Timeline:
    """The timeline as it is."""
    return timeline


@dataclass
class Windows:
    """The timelines of one file's windows, in order; each is made when it is asked for."""

    builder: Builder
    provenance: Provenance
    origin: int
    """Nanoseconds of the first event."""
    around: int
    """A time in the middle of the run; what is a month away is no part of it."""
    rows: int
    cuts: tuple[int, ...] = ()
    """Nanoseconds between one window and the next."""
    runs: dict[str, int] = field(default_factory=dict)
    """Name of a range of the user -> how often it began, however many windows it reaches over."""
    mend: Callable[[Timeline], Timeline] = unchanged
    """What the format still does to each timeline."""

    @classmethod
    def of(cls, builder: Builder, what: str, provenance: Provenance) -> Windows:
        """Look over the events of a builder that has them all.

        Raises
        ------
        InputError : no work of a device was found.
        """
        if not len(builder.work):
            raise InputError(f"{one_line(what)}: no kernel, copy or memory set of a GPU in it")
        starts = np.concatenate([b["start"] for b in builder.work.blocks(("start",))])
        starts.partition(len(starts) // 2)
        found = cls(builder, provenance, 0, int(starts[len(starts) // 2]), 0)
        del starts
        found.look_over(what)
        return found

    def look_over(self, what: str) -> None:
        """Count what is usable, and choose where windows end.

        Raises
        ------
        InputError : none of the work has usable times.
        """
        strays = self.builder.damaged
        origin, samples = EVER, []
        for columns in (self.builder.work, self.builder.calls, self.builder.ranges):
            step = 1 + len(columns) // SAMPLES
            usable = 0
            for block in columns.blocks(TIMES):
                good = block["start"][near(block, self.around)]
                strays += len(block["start"]) - len(good)
                usable += len(good)
                origin = min(origin, int(good.min(initial=EVER)))
                samples.append(good[::step].copy())
            self.rows += usable
            if columns is self.builder.work and not usable:
                raise InputError(f"{one_line(what)}: none of its GPU work has usable times")
        self.origin = origin
        if strays:
            p = self.provenance
            notes = (*p.notes, f"{strays} events without usable times were left out")
            self.provenance = Provenance(p.file, p.format, p.tool, p.sha256, notes)
        count = -(-self.rows // WINDOW_ROWS)
        if count > 1:
            self.cuts = quiet_times(np.sort(np.concatenate(samples)), count)
            self.runs = self.runs_of_ranges()

    def runs_of_ranges(self) -> dict[str, int]:
        """Name of a range of the user -> how often it began."""
        names = list(self.builder.names)
        count = np.zeros(len(names), np.int64)
        for block in self.builder.ranges.blocks(("kind", "name", *TIMES)):
            named = block["name"][(block["kind"] == RangeKind.ANNOTATION) & near(block, self.around)]
            count += np.bincount(named, minlength=len(names))
        return {names[i]: int(count[i]) for i in np.flatnonzero(count).tolist()}

    def __len__(self) -> int:
        return len(self.cuts) + 1

    def __iter__(self) -> Iterator[Timeline]:
        limits = (-EVER, *self.cuts, EVER)
        for i, (begin, until) in enumerate(pairwise(limits)):
            yield self.between(begin, until, limits[max(i - 1, 0)])

    def whole(self) -> Timeline:
        """The run as one timeline, however long it is."""
        return self.between(-EVER, EVER)

    def between(self, begin: int, until: int, margin: int = -EVER) -> Timeline:
        """The timeline of a window, from ``begin`` to before ``until``; its calls since ``margin`` (all in ns)."""
        work = self.starting(self.builder.work, begin, until)
        calls = self.starting(self.builder.calls, begin, until, margin, np.unique(work["correlation"]))
        ranges = self.running(begin, until, min(int(calls["start"].min(initial=EVER)), begin))
        work, calls, ranges = (ordered(t) for t in (work, calls, ranges))
        made_calls, made_ranges = calls_of(calls, self.origin), ranges_of(ranges, self.origin)
        call = link_calls(work["process"], work["correlation"], work["start"], calls)
        operator, instance = innermost_operators(made_ranges, made_calls, call)
        names, operators = self.shared
        timeline = Timeline(
            activities=activities_of(work, self.origin, call, operator, instance),
            calls=made_calls, ranges=made_ranges, waits=Waits(**link_waits(self.waits, calls)), names=names,
            operators=operators, devices=tuple(self.builder.device_facts) or (Device(),),
            processes=tuple(self.builder.process_facts) or (Process(),), origin_s=self.origin * 1e-9,
            provenance=(self.provenance,),
        )  # fmt: skip
        return self.mend(timeline)

    def excerpt(self, timeline: Timeline, count: int) -> Timeline:
        """A part of a window with so many pieces of work, from its first kernel on."""
        start = timeline.activities.start_s
        begin = int(timeline.kernels()[0])
        until = min(begin + count, len(start) - 1)
        first, last = (self.origin + round(float(start[i]) * 1e9) for i in (begin, until))
        found = self.between(first, last)
        return found if len(found.kernels()) else timeline

    def nothing(self) -> Timeline:
        """A timeline without events: devices, processes and where it comes from."""
        return self.between(EVER - 1, EVER, EVER - 1)

    @cached_property
    def shared(self) -> tuple[TextArray, tuple[Operator, ...]]:
        """Names and operators, which all windows have in common."""
        return as_text(self.builder.names), tuple(self.builder.operators)

    @cached_property
    def waits(self) -> Block:
        """All records of streams that wait for events."""
        return self.builder.waits.finish()

    def starting(
        self, columns: Columns, begin: int, until: int, margin: int | None = None, wanted: IntArray | None = None
    ) -> Block:
        """Rows that start in a window; of those since ``margin`` also what launched wanted work."""
        found = []
        for block in columns.blocks(begin=begin if margin is None else margin, until=until):
            start = block["start"]
            rows = near(block, self.around) & (start < until)
            early = rows & (start < begin)
            if wanted is not None and margin is not None and early.any():
                early &= (start >= margin) & (block["correlation"] >= 0) & np.isin(block["correlation"], wanted)
                rows &= early | (start >= begin)
            else:
                rows &= start >= begin
            found.append({name: values[rows] for name, values in block.items()})
        return joined(found, columns.names)

    def running(self, begin: int, until: int, since: int) -> Block:
        """Ranges that run in a window: those of the user cut to it, operators from before it where calls need them."""
        found = []
        for block in self.builder.ranges.blocks(begin=since, until=until):
            start, end, named = block["start"], block["end"], block["kind"] == RangeKind.ANNOTATION
            rows = near(block, self.around) & (start < until)
            rows &= np.where(named, (end > begin) | (start >= begin), (end >= since) | (start >= begin))
            part = {name: values[rows] for name, values in block.items()}
            named = named[rows]
            part["start"] = np.where(named, np.maximum(part["start"], begin), part["start"])
            part["end"] = np.where(named, np.minimum(part["end"], until), part["end"])
            found.append(part)
        return joined(found, self.builder.ranges.names)


class OneWindow(Windows):
    """A timeline that is there already."""

    def __init__(self, timeline: Timeline) -> None:
        from roofcast.ingest.traces.timeline_build import Builder

        rows = len(timeline.activities) + len(timeline.calls) + len(timeline.ranges)
        super().__init__(Builder(), timeline.provenance[0], round(timeline.origin_s * 1e9), 0, rows)
        self.timeline = timeline

    def __iter__(self) -> Iterator[Timeline]:
        yield self.timeline

    def whole(self) -> Timeline:
        """The timeline."""
        return self.timeline


def quiet_times(starts: IntArray, count: int) -> tuple[int, ...]:
    """Where to end windows: near each ``count``-th part of the sorted starts, at the longest pause there."""
    found = []
    reach = max(len(starts) // (8 * count), 1)
    for k in range(1, count):
        middle = k * len(starts) // count
        nearby = starts[max(middle - reach, 0) : middle + reach]
        found.append(int(nearby[1 + int(np.argmax(np.diff(nearby)))] if len(nearby) > 1 else nearby[0]))
    return tuple(sorted(set(found)))


def near(table: Block, around: int) -> NDArray[np.bool_]:
    """(n,) rows that are part of the run around a time."""
    start, end = table["start"], table["end"]
    good = (start > around - MAX_SPAN_NS) & (start < around + MAX_SPAN_NS)
    return np.asarray(good & (end >= start) & (end - start < MAX_SPAN_NS))


def ordered(table: Block) -> Block:
    """Rows in order of their start; of equal starts the longer first, so that what encloses comes first."""
    order = np.lexsort((-table["end"], table["start"]))
    for name in table:
        table[name] = table[name][order]
    return table


def seconds(table: Block, name: str, origin: int) -> NDArray[np.float64]:
    """A column of nanoseconds as seconds from the origin."""
    return np.asarray((table[name] - origin) * 1e-9)


def calls_of(t: Block, origin: int) -> Calls:
    """The host's calls."""
    return Calls(t["api"], seconds(t, "start", origin), seconds(t, "end", origin), t["name"], t["thread"], t["process"],
                 t["correlation"])  # fmt: skip


def ranges_of(t: Block, origin: int) -> Ranges:
    """The named spans."""
    return Ranges(t["kind"], seconds(t, "start", origin), seconds(t, "end", origin), t["name"], t["thread"],
                  t["process"], t["operator"])  # fmt: skip


def activities_of(t: Block, origin: int, call: IntArray, operator: IntArray, instance: IntArray) -> Activities:
    """The devices' work."""
    return Activities(
        kind=t["kind"], start_s=seconds(t, "start", origin), end_s=seconds(t, "end", origin),
        name=t["name"], device=t["device"], stream=t["stream"], process=t["process"], correlation=t["correlation"],
        grid=np.stack([t["gx"], t["gy"], t["gz"]], axis=1), block=np.stack([t["bx"], t["by"], t["bz"]], axis=1),
        regs=t["regs"], smem_bytes=t["smem"], bytes=t["bytes"], way=t["way"], memory=t["memory"],
        collective=t["collective"], group_size=t["group"], graph=t["graph"], call=call, operator=operator,
        instance=instance,
    )  # fmt: skip


def rows_of(parts: Sequence[Windows]) -> int:
    """Events in all of them."""
    return sum(p.rows for p in parts)
