"""Traces of AMD's profilers as CSV: rocprofv3 (kernels, copies, API, markers), rocprof, rocprof-compute timestamps.

Files with counters are of another reader. Grid sizes count work-items in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.records import dataclass
from roofcast.core.timeline import Device, Process, RangeKind, Way, Work
from roofcast.ingest.amd.dispatches import plain
from roofcast.ingest.traces.csv import Block, Layout, blocks_of, head_header, whole_in
from roofcast.ingest.traces.distinct_kernels import kernel_table_of
from roofcast.ingest.traces.event_names import api_of, collective_of, way_of
from roofcast.ingest.traces.windows import Builder, Windows

COUNTERS = frozenset({"countername", "countervalue"})
STAMPS = frozenset({"starttimestamp", "endtimestamp"})
LAYOUTS = (
    Layout("kernel", frozenset({"kernelname"}) | STAMPS, COUNTERS),
    Layout("kernel", frozenset({"kernelname", "beginns", "endns"}), COUNTERS),
    Layout("copy", frozenset({"direction"}) | STAMPS, COUNTERS),
    Layout("api", frozenset({"domain", "function", "threadid"}) | STAMPS, COUNTERS),
    Layout("agents", frozenset({"nodeid", "agenttype", "name"})),
)
COUNTER = re.compile(r"^(?:SQ|SQC|TCC|TCP|TA|TD|GRBM|GDS|SPI|CPC|CPF|RLC|UTCL|ATC|MC|EA)_|\[\d+\]$|_sum$|_avg$")
DERIVED = re.compile(
    r"^(?:Fetch_?Size|Write_?Size|(?:VALU|SALU|VFetch|SFetch|VWrite|LDS|GDS|Flat)|L2|Mem|Wavefronts|GPUBusy|Occupancy|"
    r"MeanOccupancy|VFetch|FETCH|WRITE|TOTAL|MAX_WAVE|LDSBank)", re.I,
)  # fmt: skip
HEAD_BYTES = 65536
"""B at the start of a file that decide whether it holds counters."""
OWN = frozenset({"LDS_Block_Size", "LDS_Per_Workgroup", "lds", "LDS_Block_Size_v", "Grid_Size", "LDS"})


def recognises(head: bytes, name: str) -> bool:
    """Whether a header of a trace without counters stands in the head."""
    header = head_header(head, LAYOUTS)
    return header is not None and not has_counters(head)


def has_counters(head: bytes) -> bool:
    """Whether a column of the header is a counter."""
    line = head.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    cells = [c.strip().strip('"') for c in line.split(",")]
    return any((COUNTER.search(c) or DERIVED.match(c)) and c not in OWN for c in cells)


def read(stream: BinaryIO, name: str) -> KernelTable:
    """One row per distinct kernel and geometry (see :func:`read_windows`)."""
    return kernel_table_of(read_windows(stream, name))


def read_windows(stream: BinaryIO, name: str) -> Windows:
    """The timeline of one file, in windows."""
    if has_counters(stream.read(HEAD_BYTES)):
        raise InputError(f"{one_line(name)}: counters of kernels, not a trace")
    stream.seek(0)
    return read_parts([(stream, name)], name)


def read_parts(parts: Sequence[tuple[BinaryIO, str]], name: str) -> Windows:
    """The timeline of several files of one run: kernels, copies, API calls, markers, agents."""
    reading = Reading(Builder())
    for stream, file in parts:
        reading.start(file)
        try:
            for block in blocks_of(stream, LAYOUTS):
                HANDLERS[block.kind](reading, block)
        except InputError as error:
            raise InputError(f"{one_line(file)}: {error}") from None
    reading.end()
    if reading.calls and not reading.works:
        raise InputError(f"{one_line(name)}: calls of the host alone: give the *_kernel_trace.csv of the run as well")
    notes = () if any(d.name for d in reading.builder.device_facts) else (UNNAMED,)
    return reading.builder.windows(name, Provenance(file=name, format="rocprof-trace", tool="rocprof", notes=notes))


UNNAMED = "the trace does not name its GPU: give --from GPU, or the *_agent_info.csv of the run as well"


@dataclass
class Reading:
    """State while going through the lines."""

    builder: Builder
    agents: dict[int, Device] = field(default_factory=dict)
    gpus: list[Device] = field(default_factory=list)
    labels: dict[int, str] = field(default_factory=dict)
    """Number of a device in the builder -> how the trace called it."""
    process: int = 0
    works: int = 0
    calls: int = 0

    def device(self, label: str) -> int:
        """Position of an agent, by a label such as "4", "Agent 4" or "GPU 3"."""
        label = label.strip()
        number = whole_in(label, 0)
        place = self.builder.device(label or number, Device(number=number))
        self.labels[place] = label
        return place

    def start(self, file: str) -> None:
        """Another file: rocprofv3 puts the number of the process before the name, and only there for kernels."""
        match = re.match(r"(\d{1,18})_", file)
        number = int(match[1]) if match else 0
        self.process = self.builder.process(number, Process(number))

    def end(self) -> None:
        """Name the devices where the agents are known."""
        alike = self.gpus[0] if len({g.name for g in self.gpus}) == 1 else None
        for place, label in self.labels.items():
            number = self.builder.device_facts[place].number
            by_type = label.upper().startswith("GPU") and number < len(self.gpus)
            agent = self.gpus[number] if by_type else self.agents.get(number, alike)
            if agent is not None:
                self.builder.device_facts[place] = Device(agent.name, number, agent.sm_count)


def take_kernels(r: Reading, b: Block) -> None:
    """Dispatches."""
    names = b.codes("kernelname", code=lambda text: r.builder.name(plain(text)))
    block = sizes(b, "workgroupsize", "wgr")
    items = sizes(b, "gridsize", "grd")
    known = ((items > 0) & (block > 0)).all(axis=0)
    grid = np.where(known, -(-items // np.maximum(block, 1)), -1)
    block = np.where(known, block, -1)
    r.works += len(b)
    r.builder.add_works({
        "kind": np.full(len(b), Work.KERNEL), "start": b.nanoseconds("starttimestamp", "beginns"),
        "end": b.nanoseconds("endtimestamp", "endns"), "name": names,
        "device": b.codes("agentid", "gpuid", code=r.device), "stream": b.whole("queueid", "streamid"),
        "process": np.full(len(b), r.process), "correlation": correlations(b),
        "gx": grid[0], "gy": grid[1], "gz": grid[2], "bx": block[0], "by": block[1], "bz": block[2],
        "regs": b.numbers("vgprcount", "archvgpr", "vgpr"),
        "smem": b.numbers("ldsblocksize", "groupsegmentsize", "ldsperworkgroup", "lds"),
        "collective": b.codes("kernelname", code=collective_of),
    })  # fmt: skip


def correlations(b: Block) -> NDArray[np.int64]:
    """(n,) numbers that tie work to its calls; older tools print 0 throughout, which ties nothing."""
    values = b.whole("correlationid")
    return np.where(values > 0, values, -1)


def sizes(b: Block, *names: str) -> NDArray[np.int64]:
    """(3, n) sizes, from three columns or from one product; -1 where there are none."""
    for name in names:
        if b.has(f"{name}x"):
            return np.stack([b.whole(f"{name}{axis}") for axis in "xyz"])
        if b.has(name):
            ones = np.ones(len(b), np.int64)
            return np.stack([b.whole(name), ones, ones])
    return np.full((3, len(b)), -1, np.int64)


def take_copies(r: Reading, b: Block) -> None:
    """Copies; rocprofv3 prints no sizes in its older versions."""
    way = b.codes("direction", code=way_of)
    from_device = way == Way.DEVICE_TO_HOST
    device = np.where(
        from_device, b.codes("sourceagentid", code=r.device), b.codes("destinationagentid", code=r.device)
    )
    r.works += len(b)
    r.builder.add_works({
        "kind": np.full(len(b), Work.COPY), "start": b.nanoseconds("starttimestamp"),
        "end": b.nanoseconds("endtimestamp"), "name": b.codes("direction", code=lambda t: r.builder.name(direction(t))),
        "way": way, "device": device, "stream": b.whole("streamid"), "process": np.full(len(b), r.process),
        "correlation": correlations(b), "bytes": b.numbers("size", "bytes", "copybytes"),
    })  # fmt: skip


def direction(text: str) -> str:
    """A copy's direction in words."""
    return f"copy {text.strip().removeprefix('MEMORY_COPY_').lower().replace('_', ' ')}"


def take_api(r: Reading, b: Block) -> None:
    """Calls of HIP, and markers of the user. HSA calls lie inside HIP calls and would count twice."""
    domain = np.array([d.upper() for d in b.cells("domain")], dtype=np.object_)
    marker = np.array(["MARKER" in d or "ROCTX" in d for d in domain])
    hip = np.array(["HIP" in d for d in domain]) & ~marker
    common: dict[str, NDArray[np.int64]] = {
        "start": b.nanoseconds("starttimestamp"), "end": b.nanoseconds("endtimestamp"),
        "name": b.codes("function", code=lambda text: r.builder.name(text.strip())), "thread": b.whole("threadid"),
        "process": np.full(len(b), r.process),
    }  # fmt: skip
    calls = common | {"api": b.codes("function", code=lambda t: api_of(t[:200])), "correlation": correlations(b)}
    spans = common | {"kind": np.full(len(b), RangeKind.ANNOTATION), "operator": np.full(len(b), -1)}
    r.calls += int(hip.sum())
    r.builder.add_calls({k: v[hip] for k, v in calls.items()})
    r.builder.add_ranges({k: v[marker] for k, v in spans.items()})


def take_agents(r: Reading, b: Block) -> None:
    """CPUs and GPUs of the machine."""
    kinds, names = b.cells("agenttype"), b.cells("name")
    products, numbers = b.cells("productname", "marketingname"), b.whole("nodeid")
    units = b.numbers("cucount")
    for i, kind in enumerate(kinds):
        if kind.strip().upper() == "GPU":
            number = int(numbers[i]) if numbers[i] >= 0 else len(r.gpus)
            device = Device((products[i].strip() or names[i].strip())[:200], number, float(units[i]))
            r.agents[number] = device
            r.gpus.append(device)


HANDLERS: dict[str, Callable[[Reading, Block], None]] = {
    "kernel": take_kernels,
    "copy": take_copies,
    "api": take_api,
    "agents": take_agents,
}
