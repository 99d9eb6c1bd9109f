"""Building a timeline from events in any order: columns that grow, names that are stored once, links at the end.

Times are whole nanoseconds on the trace's own clock until the timeline is finished, so that none is rounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.table import Provenance, as_text
from roofcast.core.timeline import (
    Activities,
    Calls,
    Collective,
    Device,
    HostMemory,
    IntArray,
    Operator,
    Process,
    Ranges,
    Timeline,
    Waits,
    Way,
    Work,
)
from roofcast.errors import InputError, one_line
from roofcast.ingest.timeline_links import innermost_operators, link_calls, link_waits

BLOCK_ROWS = 1 << 15
MAX_NS = 1 << 62
MAX_SPAN_NS = 30 * 86400 * 10**9
"""A month: events further apart are not of one run; some tools mix clocks."""
MAX_NAME_CHARS = 1 << 16
MAX_ROWS = 200_000_000

WORK = ("kind", "start", "end", "name", "device", "stream", "process", "correlation", "gx", "gy", "gz", "bx", "by",
        "bz", "regs", "smem", "bytes", "way", "memory", "collective", "group", "graph")  # fmt: skip
WORK_DEFAULTS: dict[str, float] = dict.fromkeys(WORK, -1) | {
    "kind": Work.KERNEL, "regs": np.nan, "smem": np.nan, "bytes": np.nan, "way": Way.UNKNOWN, "group": np.nan,
    "memory": HostMemory.UNKNOWN, "collective": Collective.NONE,
}  # fmt: skip
CALLS = ("api", "start", "end", "name", "thread", "process", "correlation")
RANGES = ("kind", "start", "end", "name", "thread", "process", "operator")
WAITS = ("process", "correlation", "device", "stream", "record", "record_stream")
DTYPES: dict[str, type[np.generic]] = (
    dict.fromkeys(("regs", "smem", "bytes", "group"), np.float64)
    | dict.fromkeys(("way", "memory", "collective", "api"), np.uint8)
    | dict.fromkeys(("gx", "gy", "gz", "bx", "by", "bz", "device", "process", "name"), np.int32)
)
"""Columns that are no whole numbers of 64 bits: millions of rows should fit into memory."""


@dataclass
class Columns:
    """Rows that come one by one or in blocks, kept as arrays."""

    names: tuple[str, ...]
    rows: list[tuple[float, ...]] = field(default_factory=list)
    blocks: dict[str, list[NDArray[Any]]] = field(default_factory=dict)
    size: int = 0

    def append(self, row: tuple[float, ...]) -> None:
        """One row, in the order of the names."""
        self.rows.append(row)
        if len(self.rows) >= BLOCK_ROWS:
            self.flush()

    def flush(self) -> None:
        """Move the single rows into a block."""
        if self.rows:
            self.extend(dict(zip(self.names, zip(*self.rows, strict=True), strict=True)))
            self.rows = []

    def extend(self, columns: Mapping[str, Any]) -> None:
        """Many rows at once; every name must be there."""
        for name in self.names:
            self.blocks.setdefault(name, []).append(np.asarray(columns[name], dtype=DTYPES.get(name, np.int64)))
        self.size += len(self.blocks[self.names[0]][-1])
        if self.size > MAX_ROWS:
            raise InputError(f"more than {MAX_ROWS:,} events: split the trace")

    def finish(self) -> dict[str, NDArray[Any]]:
        """All rows as one array per name."""
        self.flush()
        found = {}
        for name in self.names:
            parts = self.blocks.pop(name, [])
            found[name] = np.concatenate(parts) if parts else np.zeros(0, DTYPES.get(name, np.int64))
        return found


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
        good = (start > -MAX_NS) & (end >= start)
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
        good = -MAX_NS < start <= end < MAX_NS
        self.damaged += not good
        return good

    def finish(self, what: str, provenance: Provenance) -> Timeline:
        """The timeline.

        Raises
        ------
        InputError : no work of a device was found.
        """
        work, calls, ranges, waits = (c.finish() for c in (self.work, self.calls, self.ranges, self.waits))
        if not len(work["start"]):
            raise InputError(f"{one_line(what)}: no kernel, copy or memory set of a GPU in it")
        notes = list(provenance.notes)
        strays = self.damaged
        around = int(np.median(work["start"]))
        for table in (work, calls, ranges):
            strays += keep_near(table, around)
        if not len(work["start"]):
            raise InputError(f"{one_line(what)}: none of its GPU work has usable times")
        if strays:
            notes.append(f"{strays} events without usable times were left out")
        starts = [t["start"].min() for t in (work, calls, ranges) if len(t["start"])]
        origin = int(min(starts))
        work, calls, ranges = (ordered(t) for t in (work, calls, ranges))
        made_calls = calls_of(calls, origin)
        made_ranges = ranges_of(ranges, origin)
        call = link_calls(work["process"], work["correlation"], work["start"], calls)
        operator, instance = innermost_operators(made_ranges, made_calls, call)
        provenance = Provenance(provenance.file, provenance.format, provenance.tool, provenance.sha256, tuple(notes))
        return Timeline(
            activities=activities_of(work, origin, call, operator, instance),
            calls=made_calls,
            ranges=made_ranges,
            waits=Waits(**link_waits(waits, calls)),
            names=as_text(self.names),
            operators=tuple(self.operators),
            devices=tuple(self.device_facts) or (Device(),),
            processes=tuple(self.process_facts) or (Process(),),
            origin_s=origin * 1e-9,
            provenance=(provenance,),
        )


def keep_near(table: dict[str, NDArray[Any]], around: int) -> int:
    """Drop rows that are no part of the run around a time, in place; how many there were."""
    start, end = table["start"], table["end"]
    good = (np.abs(start.astype(np.float64) - around) < MAX_SPAN_NS) & (end >= start)
    good &= end.astype(np.float64) - start < MAX_SPAN_NS
    lost = int((~good).sum())
    if lost:
        for name in table:
            table[name] = table[name][good]
    return lost


def ordered(table: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Rows in order of their start; of equal starts the longer first, so that what encloses comes first."""
    order = np.lexsort((-table["end"], table["start"]))
    for name in table:
        table[name] = table[name][order]
    return table


def seconds(table: Mapping[str, NDArray[Any]], name: str, origin: int) -> NDArray[np.float64]:
    """A column of nanoseconds as seconds from the origin."""
    return np.asarray((table[name] - origin) * 1e-9)


def calls_of(t: Mapping[str, NDArray[Any]], origin: int) -> Calls:
    """The host's calls."""
    return Calls(t["api"].astype(np.uint8), seconds(t, "start", origin), seconds(t, "end", origin), t["name"],
                 t["thread"], t["process"], t["correlation"])  # fmt: skip


def ranges_of(t: Mapping[str, NDArray[Any]], origin: int) -> Ranges:
    """The named spans."""
    return Ranges(t["kind"].astype(np.uint8), seconds(t, "start", origin), seconds(t, "end", origin), t["name"],
                  t["thread"], t["process"], t["operator"])  # fmt: skip


def activities_of(
    t: Mapping[str, NDArray[Any]], origin: int, call: IntArray, operator: IntArray, instance: IntArray
) -> Activities:
    """The devices' work."""
    return Activities(
        kind=t["kind"].astype(np.uint8), start_s=seconds(t, "start", origin), end_s=seconds(t, "end", origin),
        name=t["name"], device=t["device"], stream=t["stream"], process=t["process"], correlation=t["correlation"],
        grid=np.stack([t["gx"], t["gy"], t["gz"]], axis=1), block=np.stack([t["bx"], t["by"], t["bz"]], axis=1),
        regs=t["regs"], smem_bytes=t["smem"], bytes=t["bytes"], way=t["way"].astype(np.uint8),
        memory=t["memory"].astype(np.uint8), collective=t["collective"].astype(np.uint8), group_size=t["group"],
        graph=t["graph"], call=call, operator=operator, instance=instance,
    )  # fmt: skip
