"""Building a timeline from events in any order: columns that grow, names that are stored once, links at the end.

Times are whole nanoseconds on the trace's own clock until the timeline is finished, so that none is rounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import Provenance
from roofcast.core.timeline import Collective, Device, HostMemory, Operator, Process, Timeline, Way, Work
from roofcast.ingest.traces.event_columns import Columns
from roofcast.ingest.traces.windows import Windows

MAX_NS = 1 << 62
MAX_NAME_CHARS = 1 << 16

WORK = ("kind", "start", "end", "name", "device", "stream", "process", "correlation", "gx", "gy", "gz", "bx", "by",
        "bz", "regs", "smem", "bytes", "way", "memory", "collective", "group", "graph")  # fmt: skip
WORK_DEFAULTS: dict[str, float] = dict.fromkeys(WORK, -1) | {
    "kind": Work.KERNEL, "regs": np.nan, "smem": np.nan, "bytes": np.nan, "way": Way.UNKNOWN, "group": np.nan,
    "memory": HostMemory.UNKNOWN, "collective": Collective.NONE,
}  # fmt: skip
CALLS = ("api", "start", "end", "name", "thread", "process", "correlation")
RANGES = ("kind", "start", "end", "name", "thread", "process", "operator")
WAITS = ("process", "correlation", "device", "stream", "record", "record_stream")


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

    def windows(self, what: str, provenance: Provenance) -> Windows:
        """The timeline, in parts where it is long.

        Raises
        ------
        InputError : no work of a device was found.
        """
        return Windows.of(self, what, provenance)

    def finish(self, what: str, provenance: Provenance) -> Timeline:
        """The whole timeline.

        Raises
        ------
        InputError : no work of a device was found.
        """
        return self.windows(what, provenance).whole()
