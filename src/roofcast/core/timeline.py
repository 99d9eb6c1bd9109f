"""Timeline: what a whole application did on hosts and devices, as columns.

Times are seconds from the start of the timeline. Indices are -1 and floats NaN where something is absent.
"""

from __future__ import annotations

import dataclasses
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from roofcast.core.equality import Alike
from roofcast.core.kernel_table import FloatArray, Provenance, TextArray
from roofcast.core.records import dataclass

IntArray = NDArray[np.int64]
CodeArray = NDArray[np.uint8]


class Work(IntEnum):
    """What a device was busy with."""

    KERNEL = 0
    COPY = 1
    MEMSET = 2
    GRAPH = 3
    """A CUDA graph as a whole, where its kernels were not recorded."""
    MIGRATION = 4
    """Pages that unified memory moved."""
    FAULT = 5
    """Page faults of the GPU on unified memory, while the host's driver handles them."""


class Way(IntEnum):
    """From where to where a copy went."""

    UNKNOWN = 0
    HOST_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    DEVICE_TO_DEVICE = 3
    PEER = 4
    HOST_TO_HOST = 5


class HostMemory(IntEnum):
    """How the host's side of a copy was allocated."""

    UNKNOWN = 0
    PAGEABLE = 1
    PINNED = 2
    MANAGED = 3


class Collective(IntEnum):
    """What several devices did together."""

    NONE = 0
    ALL_REDUCE = 1
    ALL_GATHER = 2
    REDUCE_SCATTER = 3
    ALL_TO_ALL = 4
    BROADCAST = 5
    REDUCE = 6
    POINT_TO_POINT = 7
    OTHER = 8


class Api(IntEnum):
    """What a call of the host asked for."""

    LAUNCH = 0
    COPY = 1
    SYNCHRONISE = 2
    RECORD = 3
    """Record an event on a stream."""
    WAIT = 4
    """Let a stream wait for an event: the host does not wait."""
    OTHER = 5


class RangeKind(IntEnum):
    """Who named a span of host time."""

    ANNOTATION = 0
    """The user: NVTX, ROCTX, record_function."""
    OPERATOR = 1
    """The framework: one operator of PyTorch."""


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU as the trace describes it."""

    name: str = ""
    number: int = 0
    """As the trace numbers it."""
    sm_count: float = float("nan")
    capacity_bytes_dram: float = float("nan")
    compute_capability: str = ""


@dataclass(frozen=True, slots=True)
class Process:
    """A process of the application; one rank of a distributed one."""

    number: int = 0
    rank: int = -1


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator of a framework with the shapes of its inputs."""

    name: str
    shapes: tuple[tuple[int, ...], ...] = ()
    dtypes: tuple[str, ...] = ()
    strides: tuple[tuple[int, ...], ...] = ()
    arguments: tuple[str, ...] = ()
    """Inputs that are no tensors, as text; '' for tensors."""


@dataclass(frozen=True)
class Activities:
    """(n,) columns: one row per piece of work on a device, in order of its start."""

    kind: CodeArray
    start_s: FloatArray
    end_s: FloatArray
    name: IntArray
    """Position in :attr:`Timeline.names`."""
    device: IntArray
    stream: IntArray
    process: IntArray
    correlation: IntArray
    grid: IntArray
    """(n, 3) blocks."""
    block: IntArray
    """(n, 3) threads."""
    regs: FloatArray
    smem_bytes: FloatArray
    bytes: FloatArray
    """Moved by a copy, written by a memory set, per rank in a collective."""
    way: CodeArray
    memory: CodeArray
    collective: CodeArray
    group_size: FloatArray
    """Devices in the collective."""
    meeting: IntArray
    """A number that the parts of one collective share on all ranks (communicator and sequence); -1 unknown."""
    graph: IntArray
    """Node of a CUDA graph; -1 for work that was launched alone."""
    call: IntArray
    """Position of the call that launched it."""
    operator: IntArray
    """Position in :attr:`Timeline.operators` of the innermost operator with shapes that launched it."""
    instance: IntArray
    """Position in :attr:`Timeline.ranges` of that operator's run."""

    def __len__(self) -> int:
        return len(self.start_s)

    @property
    def duration_s(self) -> FloatArray:
        """(n,) seconds."""
        return np.asarray(self.end_s - self.start_s)


@dataclass(frozen=True)
class Calls:
    """(n,) columns: calls of the GPU's API by the host, in order of their start."""

    api: CodeArray
    start_s: FloatArray
    end_s: FloatArray
    name: IntArray
    thread: IntArray
    process: IntArray
    correlation: IntArray

    def __len__(self) -> int:
        return len(self.start_s)


@dataclass(frozen=True)
class Ranges:
    """(n,) columns: named spans of host time, in order of their start."""

    kind: CodeArray
    start_s: FloatArray
    end_s: FloatArray
    name: IntArray
    thread: IntArray
    process: IntArray
    operator: IntArray

    def __len__(self) -> int:
        return len(self.start_s)


@dataclass(frozen=True)
class Waits:
    """(n,) columns: streams told to wait for an event that was recorded on another stream."""

    call: IntArray
    """The call that made the stream wait."""
    device: IntArray
    stream: IntArray
    record_call: IntArray
    """The call that recorded the event."""
    record_stream: IntArray

    def __len__(self) -> int:
        return len(self.call)


@dataclass(frozen=True, eq=False)
class Timeline(Alike):
    """An application as its profiler saw it."""

    activities: Activities
    calls: Calls
    ranges: Ranges
    waits: Waits
    names: TextArray
    operators: tuple[Operator, ...] = ()
    devices: tuple[Device, ...] = ()
    processes: tuple[Process, ...] = ()
    origin_s: float = 0.0
    """Where zero is on the trace's own clock."""
    provenance: tuple[Provenance, ...] = ()

    @property
    def span_s(self) -> tuple[float, float]:
        """First start and last end of anything that hosts and devices did; (0, 0) where nothing was."""
        parts = [p for p in (self.activities, self.calls, self.ranges) if len(p)]
        if not parts:
            return 0.0, 0.0
        return min(float(p.start_s.min()) for p in parts), max(float(p.end_s.max()) for p in parts)

    def annotations(self) -> Ranges:
        """The ranges that the user named."""
        return rows_of_ranges(self.ranges, np.flatnonzero(self.ranges.kind == RangeKind.ANNOTATION))

    def kernels(self) -> NDArray[np.intp]:
        """Positions of the kernels (and unresolved graphs) among the activities."""
        kind = self.activities.kind
        return np.flatnonzero((kind == Work.KERNEL) | (kind == Work.GRAPH))

    def with_notes(self, *notes: str) -> Timeline:
        """A copy that says more about its files."""
        if not notes or not self.provenance:
            return self
        last = self.provenance[-1]
        noted = dataclasses.replace(last, notes=tuple(dict.fromkeys((*last.notes, *notes))))
        return dataclasses.replace(self, provenance=(*self.provenance[:-1], noted))


def rows_of_ranges(ranges: Ranges, rows: NDArray[np.intp]) -> Ranges:
    """The given rows, in the given order."""
    return Ranges(**{f.name: getattr(ranges, f.name)[rows] for f in dataclasses.fields(Ranges)})
