"""Traces of AMD's profilers as CSV: rocprofv3 (kernels, copies, API, markers), rocprof, rocprof-compute timestamps.

Files with counters are of another reader. Grid sizes count work-items in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from roofcast.core.table import KernelTable, Provenance
from roofcast.core.timeline import Device, Process, RangeKind, Timeline, Work
from roofcast.errors import InputError, one_line
from roofcast.ingest.timeline_build import Builder
from roofcast.ingest.timeline_csv import Header, Layout, head_header, rows_of
from roofcast.ingest.timeline_names import api_of, collective_of, way_of
from roofcast.ingest.timeline_table import kernel_table

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
OWN = frozenset({"LDS_Block_Size", "LDS_Per_Workgroup", "lds", "LDS_Block_Size_v", "Grid_Size", "LDS"})


def recognises(head: bytes, name: str) -> bool:
    """Whether a header of a trace without counters stands in the head."""
    found = head_header(head, LAYOUTS)
    return found is not None and not has_counters(head)


def has_counters(head: bytes) -> bool:
    """Whether a column of the header is a counter."""
    line = head.split(b"\n", 1)[0].decode("utf-8", "replace")
    cells = [c.strip().strip('"') for c in line.split(",")]
    return any((COUNTER.search(c) or DERIVED.match(c)) and c not in OWN for c in cells)


def read(stream: BinaryIO, name: str) -> KernelTable:
    """One row per distinct kernel and geometry (see :func:`read_timeline`)."""
    return kernel_table(read_timeline(stream, name))


def read_timeline(stream: BinaryIO, name: str) -> Timeline:
    """The timeline of one file.

    Raises
    ------
    InputError : no trace of AMD's profilers, or one without work of a GPU.
    """
    return read_parts([(stream, name)], name)


def read_parts(parts: Sequence[tuple[BinaryIO, str]], name: str) -> Timeline:
    """The timeline of several files of one run: kernels, copies, API calls, markers, agents.

    Raises
    ------
    InputError : none of them is a trace, or none has work of a GPU.
    """
    reading = Reading(Builder())
    for stream, file in parts:
        reading.start(file)
        try:
            for header, cells in rows_of(stream, LAYOUTS):
                HANDLERS[header.kind](reading, header, cells)
        except InputError as error:
            raise InputError(f"{one_line(file)}: {error}") from None
    reading.end()
    if reading.calls and not reading.works:
        raise InputError(f"{one_line(name)}: calls of the host alone: give the *_kernel_trace.csv of the run as well")
    notes = () if any(d.name for d in reading.builder.device_facts) else (UNNAMED,)
    return reading.builder.finish(name, Provenance(file=name, format="rocprof-trace", tool="rocprof", notes=notes))


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

    def device(self, label: str, number: int) -> int:
        """Position of an agent."""
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
            found = self.gpus[number] if by_type else self.agents.get(number, alike)
            if found is not None:
                self.builder.device_facts[place] = Device(found.name, number, found.sm_count)


def take_kernel(r: Reading, h: Header, cells: list[str]) -> None:
    """A dispatch."""
    name = h.cell(cells, "kernelname").removesuffix(" [clone .kd]").removesuffix(".kd").removesuffix(" (.kd)")
    block = sizes(h, cells, "workgroupsize", "wgr")
    items = sizes(h, cells, "gridsize", "grd")
    grid = [-(-i // b) if i > 0 and b > 0 else -1 for i, b in zip(items, block, strict=True)]
    known = min(*grid, *block) > 0
    number = h.whole(cells, "agentid", "gpuid", default=0)
    gx, gy, gz, bx, by, bz = (*grid, *block) if known else (-1,) * 6
    r.works += 1
    r.builder.add_work(
        kind=Work.KERNEL, start=h.nanoseconds(cells, "starttimestamp", "beginns"),
        end=h.nanoseconds(cells, "endtimestamp", "endns"), name=r.builder.name(name),
        device=r.device(h.cell(cells, "agentid", "gpuid"), number), stream=h.whole(cells, "queueid", "streamid"),
        process=r.process, correlation=correlation(h, cells), gx=gx, gy=gy, gz=gz, bx=bx, by=by, bz=bz,
        regs=h.number(cells, "vgprcount", "archvgpr", "vgpr"), collective=collective_of(name),
        smem=h.number(cells, "ldsblocksize", "groupsegmentsize", "ldsperworkgroup", "lds"),
    )  # fmt: skip


def correlation(h: Header, cells: list[str]) -> int:
    """The number that ties work to its call; older tools print 0 throughout, which ties nothing."""
    return h.whole(cells, "correlationid") or -1


def sizes(h: Header, cells: list[str], *names: str) -> list[int]:
    """Three sizes, from three columns or from one product; -1 where there are none."""
    for name in names:
        if f"{name}x" in h.at:
            return [h.whole(cells, f"{name}{axis}") for axis in "xyz"]
        if name in h.at:
            found = h.whole(cells, name)
            return [found, 1, 1] if found > 0 else [-1, -1, -1]
    return [-1, -1, -1]


def take_copy(r: Reading, h: Header, cells: list[str]) -> None:
    """A copy; rocprofv3 prints no sizes in its older versions."""
    direction = h.cell(cells, "direction")
    source, target = h.cell(cells, "sourceagentid"), h.cell(cells, "destinationagentid")
    way = way_of(direction)
    label = source if way.name == "DEVICE_TO_HOST" else target
    number = h.whole(cells, "sourceagentid" if way.name == "DEVICE_TO_HOST" else "destinationagentid", default=0)
    r.works += 1
    r.builder.add_work(
        kind=Work.COPY, start=h.nanoseconds(cells, "starttimestamp"), end=h.nanoseconds(cells, "endtimestamp"),
        name=r.builder.name(f"copy {direction.removeprefix('MEMORY_COPY_').lower().replace('_', ' ')}"), way=way,
        device=r.device(label, number), stream=h.whole(cells, "streamid"), process=r.process,
        correlation=correlation(h, cells), bytes=h.number(cells, "size", "bytes", "copybytes"),
    )  # fmt: skip


def take_api(r: Reading, h: Header, cells: list[str]) -> None:
    """A call of HIP, or a marker of the user."""
    domain, function = h.cell(cells, "domain").upper(), h.cell(cells, "function")
    start, end = h.nanoseconds(cells, "starttimestamp"), h.nanoseconds(cells, "endtimestamp")
    thread, process = h.whole(cells, "threadid"), r.process
    if "MARKER" in domain or "ROCTX" in domain:
        r.builder.add_range((RangeKind.ANNOTATION, start, end, r.builder.name(function), thread, process, -1))
    elif "HIP" in domain:
        # HSA calls lie inside HIP calls and would count twice.
        r.calls += 1
        number = correlation(h, cells)
        r.builder.add_call((api_of(function[:200]), start, end, r.builder.name(function), thread, process, number))


def take_agent(r: Reading, h: Header, cells: list[str]) -> None:
    """A CPU or GPU of the machine."""
    if h.cell(cells, "agenttype").upper() == "GPU":
        name = h.cell(cells, "productname", "marketingname") or h.cell(cells, "name")
        number = h.whole(cells, "nodeid", default=len(r.gpus))
        device = Device(name[:200], number, h.number(cells, "cucount"))
        r.agents[number] = device
        r.gpus.append(device)


HANDLERS: dict[str, Callable[[Reading, Header, list[str]], None]] = {
    "kernel": take_kernel,
    "copy": take_copy,
    "api": take_api,
    "agents": take_agent,
}
