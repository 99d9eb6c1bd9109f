"""From events in any order to the timelines of a run: columns that grow, links, windows of time.

Times are whole nanoseconds on the trace's own clock until a timeline is made, so that none is rounded. A long run comes
in parts: each window of time becomes a timeline of its own, so that memory does not grow with the run. Windows end
where the run is quiet. A piece of work belongs to the window in which it starts, with the call that launched it and the
operator around that call; ranges that reach over the end of a window are cut there.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import Provenance, TextArray, as_text
from roofcast.core.records import dataclass
from roofcast.core.timeline import (
    Activities,
    Api,
    Calls,
    Collective,
    Device,
    HostMemory,
    IntArray,
    Operator,
    Process,
    RangeKind,
    Ranges,
    Timeline,
    Waits,
    Way,
    Work,
)
from roofcast.ingest.traces.event_columns import BLOCK_ROWS, Block, Columns, dtype_of, joined

EVER = 1 << 62
"""ns; every time of an event lies between minus this and this."""
NEVER = -(1 << 61)
"""The end of an event that has none, so that the event counts as damaged."""
MAX_NAME_CHARS = 1 << 16
"""Characters of a name that are kept."""

WORK = ("kind", "start", "end", "name", "device", "stream", "process", "correlation", "gx", "gy", "gz", "bx", "by",
        "bz", "regs", "smem", "bytes", "way", "memory", "collective", "group", "meeting", "graph")  # fmt: skip
WORK_DEFAULTS: dict[str, float] = dict.fromkeys(WORK, -1) | {
    "kind": Work.KERNEL, "regs": np.nan, "smem": np.nan, "bytes": np.nan, "way": Way.UNKNOWN, "group": np.nan,
    "memory": HostMemory.UNKNOWN, "collective": Collective.NONE,
}  # fmt: skip
CALLS = ("api", "start", "end", "name", "thread", "process", "correlation")
RANGES = ("kind", "start", "end", "name", "thread", "process", "operator")
TIMES = ("start", "end")
WAITS = ("process", "correlation", "device", "stream", "record", "record_stream")


@dataclass
class Repeats:
    """Rows of which few differ in more than times and numbers: each stands once, and rows as references to it."""

    columns: Columns
    rows: list[tuple[float, ...]] = field(default_factory=list)
    start_us: array[float] = field(default_factory=lambda: array("d"))
    length_us: array[float] = field(default_factory=lambda: array("d"))
    number: array[int] = field(default_factory=lambda: array("q"))
    damaged: int = 0
    """Events that were left out because they hold no times."""

    def add(self, row: tuple[float, ...], start_us: float, length_us: float, number: int) -> None:
        """A row with times and number of its own."""
        self.rows.append(row)
        self.start_us.append(start_us)
        self.length_us.append(length_us)
        self.number.append(number)
        if len(self.rows) >= BLOCK_ROWS:
            self.flush()

    def flush(self) -> None:
        """Move the rows with times into the columns."""
        if not self.rows:
            return
        distinct = {id(row): row for row in self.rows}
        place = {key: i for i, key in enumerate(distinct)}
        which = np.array([place[id(row)] for row in self.rows], np.intp)
        start, length = (np.rint(np.array(us) * 1e3) for us in (self.start_us, self.length_us))
        good = (np.abs(start) < EVER) & (length >= 0) & (start + length < EVER)
        self.damaged += int((~good).sum())
        whole, which = start[good].astype(np.int64), which[good]
        moved = {
            "start": whole,
            "end": whole + length[good].astype(np.int64),
            "correlation": np.array(self.number)[good],
        }
        names = self.columns.names
        once = zip(names, zip(*distinct.values(), strict=True), strict=True)
        block = {name: np.asarray(values, dtype_of(name))[which] for name, values in once if name not in moved}
        self.columns.extend(block | {name: values for name, values in moved.items() if name in names})
        self.rows, self.start_us, self.length_us, self.number = [], array("d"), array("d"), array("q")


@dataclass
class Builder:
    """A timeline in the making."""

    work: Columns = field(default_factory=lambda: Columns(WORK))
    calls: Columns = field(default_factory=lambda: Columns(CALLS))
    ranges: Columns = field(default_factory=lambda: Columns(RANGES))
    waits: Columns = field(default_factory=lambda: Columns(WAITS))
    names: dict[str, int] = field(default_factory=dict)
    operators: dict[Operator, int] = field(default_factory=dict)
    devices: dict[object, int] = field(default_factory=dict)
    device_facts: list[Device] = field(default_factory=list)
    processes: dict[object, int] = field(default_factory=dict)
    process_facts: list[Process] = field(default_factory=list)
    damaged: int = 0
    """Events that were left out because they hold no times."""

    def name(self, text: str) -> int:
        """Position of a name."""
        return self.names.setdefault(text[:MAX_NAME_CHARS], len(self.names))

    def operator(self, found: Operator) -> int:
        """Position of an operator with its shapes."""
        return self.operators.setdefault(found, len(self.operators))

    def device(self, key: object, facts: Device) -> int:
        """Position of a device; the first facts count."""
        if key not in self.devices:
            self.devices[key] = len(self.device_facts)
            self.device_facts.append(facts)
        return self.devices[key]

    def process(self, key: object, facts: Process) -> int:
        """Position of a process."""
        if key not in self.processes:
            self.processes[key] = len(self.process_facts)
            self.process_facts.append(facts)
        return self.processes[key]

    def add_work(self, **values: float) -> None:
        """One piece of work of a device; names of :data:`WORK`."""
        if self.has_times(values["start"], values["end"]):
            merged = WORK_DEFAULTS | values
            self.work.append(tuple(merged[n] for n in WORK))

    def add_work_block(self, size: int, columns: Mapping[str, Any]) -> None:
        """Many pieces of work; absent columns take their defaults."""
        self.work.extend({n: columns.get(n, np.full(size, WORK_DEFAULTS[n])) for n in WORK})

    def add_works(self, columns: dict[str, Any]) -> None:
        """Many pieces of work; rows without times count as damaged."""
        good = self.timed(columns)
        self.add_work_block(int(good.sum()), {n: np.asarray(v)[good] for n, v in columns.items()})

    def add_calls(self, columns: dict[str, Any]) -> None:
        """Many calls; every name of :data:`CALLS`."""
        good = self.timed(columns)
        self.calls.extend({n: np.asarray(v)[good] for n, v in columns.items()})

    def add_ranges(self, columns: dict[str, Any]) -> None:
        """Many named spans; every name of :data:`RANGES`."""
        good = self.timed(columns)
        self.ranges.extend({n: np.asarray(v)[good] for n, v in columns.items()})

    def timed(self, columns: dict[str, Any]) -> NDArray[np.bool_]:
        """(n,) which rows hold times."""
        start, end = columns["start"], columns["end"]
        good = (start > -EVER) & (end >= start)
        self.damaged += int((~good).sum())
        return np.asarray(good)

    def add_call(self, row: tuple[int, ...]) -> None:
        """One call of the host, in the order of :data:`CALLS`."""
        if self.has_times(row[1], row[2]):
            self.calls.append(row)

    def add_range(self, row: tuple[int, ...]) -> None:
        """One named span, in the order of :data:`RANGES`."""
        if self.has_times(row[1], row[2]):
            self.ranges.append(row)

    def has_times(self, start: float, end: float) -> bool:
        """Whether both are times; else the event counts as damaged."""
        good = -EVER < start <= end < EVER
        self.damaged += not good
        return good

    def windows(self, what: str, provenance: Provenance) -> Windows:
        """The timeline, in parts where it is long."""
        if not len(self.work):
            raise InputError(f"{one_line(what)}: no kernel, copy or memory set of a GPU in it")
        starts = np.concatenate([b["start"] for b in self.work.blocks(("start",))])
        starts.partition(len(starts) // 2)
        whole = Windows(self, provenance, 0, int(starts[len(starts) // 2]), 0)
        del starts
        whole.look_over(what)
        return whole


def link_calls(
    process: IntArray, correlation: IntArray, start: IntArray, calls: Mapping[str, NDArray[Any]]
) -> IntArray:
    """(n,) position of the call with the same correlation number in the same process; -1 where there is none.

    calls : columns in order of their start. Of several calls with one number the last that began before the work.
    """
    result = np.full(len(process), -1, np.int64)
    number = np.concatenate([correlation, calls["correlation"]])
    if not len(calls["start"]) or not (correlation >= 0).any():
        return result
    owner = np.concatenate([process, calls["process"]])
    owners, least = int(owner.max()) + 2, int(number.min())
    if (int(number.max()) - least + 1) * owners < EVER:
        code = number - least
    else:
        code = np.unique(number, return_inverse=True)[1].astype(np.int64)
    key = code * owners + owner
    of_work, of_call = key[: len(process)], key[len(process) :]
    # Calls that say what they launch come before others with their number (a runtime call and its driver call).
    useful = np.isin(calls["api"], (Api.LAUNCH, Api.COPY))
    order = np.lexsort((useful, of_call))
    last = np.searchsorted(of_call[order], of_work, side="right") - 1
    nearest = order[np.maximum(last, 0)]
    good = (last >= 0) & (of_call[nearest] == of_work) & (correlation >= 0)
    result[good] = nearest[good]
    return result


def innermost_operators(ranges: Ranges, calls: Calls, call: IntArray) -> tuple[IntArray, IntArray]:
    """(n,) operator and its run that each piece of work was launched in; -1 where there is none.

    Of nested operators the innermost with shapes counts, else the innermost.
    """
    operator = np.full(len(calls) + 1, -1, np.int64)
    instance = np.full(len(calls) + 1, -1, np.int64)
    rows = np.flatnonzero((ranges.kind == RangeKind.OPERATOR) & (ranges.operator >= 0))
    launches = np.zeros(len(calls), np.bool_)
    launches[call[call >= 0]] = True
    launching = np.flatnonzero(launches)
    if len(rows) and len(launching):
        for thread in np.unique(calls.thread[launching]).tolist():
            mine = launching[calls.thread[launching] == thread]
            inside = rows[ranges.thread[rows] == thread]
            if len(inside):
                within = enclosing(ranges.start_s[inside], ranges.end_s[inside], calls.start_s[mine])
                hit = within >= 0
                instance[mine[hit]] = inside[within[hit]]
                operator[mine[hit]] = ranges.operator[inside[within[hit]]]
    return operator[call], instance[call]


def enclosing(start: NDArray[np.float64], end: NDArray[np.float64], at: NDArray[np.float64]) -> IntArray:
    """(m,) position of the innermost nested span around each time; -1 where there is none.

    start, end : (n,) spans that nest, in order of their start. at : (m,) times in order.

    >>> enclosing(np.array([0.0, 1.0, 5.0]), np.array([9.0, 2.0, 6.0]), np.array([1.5, 3.0, 9.5])).tolist()
    [1, 0, -1]
    """
    result = np.full(len(at), -1, np.int64)
    starts, ends = start.tolist(), end.tolist()
    open_spans: list[int] = []
    position = 0
    for i, time in enumerate(at.tolist()):
        while position < len(starts) and starts[position] <= time:
            while open_spans and ends[open_spans[-1]] <= starts[position]:
                open_spans.pop()
            open_spans.append(position)
            position += 1
        while open_spans and ends[open_spans[-1]] < time:
            open_spans.pop()
        if open_spans:
            result[i] = open_spans[-1]
    return result


def link_waits(waits: Mapping[str, NDArray[Any]], calls: Mapping[str, NDArray[Any]]) -> dict[str, IntArray]:
    """Columns of :class:`roofcast.core.timeline.Waits` with positions of calls; waits without calls are dropped."""
    start = np.zeros(len(waits["stream"]), np.int64)
    call = link_calls(waits["process"], waits["correlation"], start, calls)
    record = link_calls(waits["process"], waits["record"], start, calls)
    good = (call >= 0) & (record >= 0)
    return {
        "call": call[good],
        "device": waits["device"][good],
        "stream": waits["stream"][good],
        "record_call": record[good],
        "record_stream": waits["record_stream"][good],
    }


WINDOW_ROWS = 800_000
"""Kernels, copies, calls and ranges of one window: some 400 MB while it is worked on."""
MAX_SPAN_NS = 30 * 86400 * 10**9
"""A month: events further apart are not of one run; some tools mix clocks."""
SAMPLES = 1_000_000
"""Starts per kind of event among which the ends of windows are chosen."""


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

    def look_over(self, what: str) -> None:
        """Count what is usable, and choose where windows end."""
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
            self.provenance = replace(p, notes=notes)
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
        calls = self.starting(self.builder.calls, begin, until, margin, work["correlation"])
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
        part = self.between(first, last)
        return part if len(part.kernels()) else timeline

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
        parts = []
        for block in columns.blocks(begin=begin if margin is None else margin, until=until):
            start = block["start"]
            rows = near(block, self.around) & (start < until)
            early = rows & (start < begin)
            if wanted is not None and margin is not None and early.any():
                early &= (start >= margin) & (block["correlation"] >= 0)
                early[early] = np.isin(block["correlation"][early], wanted)
                rows &= early | (start >= begin)
            else:
                rows &= start >= begin
            parts.append({name: values[rows] for name, values in block.items()})
        return joined(parts, columns.names)

    def running(self, begin: int, until: int, since: int) -> Block:
        """Ranges that run in a window: those of the user cut to it, operators from before it where calls need them."""
        parts = []
        for block in self.builder.ranges.blocks(begin=since, until=until):
            start, end, named = block["start"], block["end"], block["kind"] == RangeKind.ANNOTATION
            rows = near(block, self.around) & (start < until)
            rows &= np.where(named, (end > begin) | (start >= begin), (end >= since) | (start >= begin))
            part = {name: values[rows] for name, values in block.items()}
            named = named[rows]
            part["start"] = np.where(named, np.maximum(part["start"], begin), part["start"])
            part["end"] = np.where(named, np.minimum(part["end"], until), part["end"])
            parts.append(part)
        return joined(parts, self.builder.ranges.names)


def quiet_times(starts: IntArray, count: int) -> tuple[int, ...]:
    """Where to end windows: near each ``count``-th part of the sorted starts, at the longest pause there."""
    times = []
    reach = max(len(starts) // (8 * count), 1)
    for k in range(1, count):
        middle = k * len(starts) // count
        nearby = starts[max(middle - reach, 0) : middle + reach]
        times.append(int(nearby[1 + int(np.argmax(np.diff(nearby)))] if len(nearby) > 1 else nearby[0]))
    return tuple(sorted(set(times)))


def near(table: Block, around: int) -> NDArray[np.bool_]:
    """(n,) rows that are part of the run around a time."""
    start, end = table["start"], table["end"]
    good = (start > around - MAX_SPAN_NS) & (start < around + MAX_SPAN_NS)
    return np.asarray(good & (end >= start) & (end - start < MAX_SPAN_NS))


def ordered(table: Block) -> Block:
    """Rows in order of their start; of equal starts the longer first, so that what encloses comes first."""
    if (table["start"][1:] > table["start"][:-1]).all():
        return table
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
        collective=t["collective"], group_size=t["group"], meeting=t["meeting"], graph=t["graph"], call=call,
        operator=operator, instance=instance,
    )  # fmt: skip


def rows_of(parts: Sequence[Windows]) -> int:
    """Events in all of them."""
    return sum(p.rows for p in parts)
