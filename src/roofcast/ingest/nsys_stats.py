"""CSV of `nsys stats`: the GPU and API traces as a timeline; summaries of kernels (also rocprof's) as mean times."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.table import KernelTable, Provenance
from roofcast.core.timeline import Device, HostMemory, Process, RangeKind, Timeline, Way, Work
from roofcast.errors import InputError, one_line
from roofcast.ingest.timeline_build import Builder
from roofcast.ingest.timeline_csv import BYTES, Header, Layout, head_header, rows_of
from roofcast.ingest.timeline_names import api_of, collective_of, host_memory_of, way_of
from roofcast.ingest.timeline_table import kernel_table

LAYOUTS = (
    Layout("gpu", frozenset({"start", "duration", "grdx", "blkx", "name"})),
    Layout("api", frozenset({"start", "duration", "name", "corrid", "tid"})),
    Layout("nvtx", frozenset({"start", "end", "name", "rangeid", "tid"})),
    Layout("summary", frozenset({"totaltime", "instances", "avg", "name"})),
    Layout("summary", frozenset({"name", "calls", "totaldurationns", "averagens"})),
    Layout("other", frozenset({"totaltime", "numcalls", "name"})),
    Layout("other", frozenset({"totaltime", "count", "operation"})),
)
DEVICE_NUMBER = re.compile(r"\s*\((\d+)\)\s*$")
SIZES = re.compile(r"^\s*(\d+)\D+(\d+)\D+(\d+)\s*$")
NO_SUMMARY = "a summary holds no timeline: give the trace (`nsys stats --report cuda_gpu_trace --format csv`)"


def recognises(head: bytes, name: str) -> bool:
    """Whether a header of `nsys stats` or of a rocprof summary stands in the head."""
    return head_header(head, LAYOUTS) is not None


def read(stream: BinaryIO, name: str) -> KernelTable:
    """One row per distinct kernel and geometry; of a summary one row per kernel with its mean time.

    Raises
    ------
    InputError : neither a trace nor a summary of kernels.
    """
    summary = Summary()
    for header, cells in rows_of(stream, LAYOUTS):
        if header.kind != "summary":
            break
        summary.take(header, cells)
    if summary.kernels:
        return summary.table(name)
    return kernel_table(read_timeline(stream, name))


def read_timeline(stream: BinaryIO, name: str) -> Timeline:
    """The timeline of a trace.

    Raises
    ------
    InputError : a summary, or a trace without work of a GPU.
    """
    stream.seek(0)
    reading = Reading(Builder())
    shown = one_line(name)
    kinds = set()
    try:
        for header, cells in rows_of(stream, LAYOUTS):
            kinds.add(header.kind)
            handler = HANDLERS.get(header.kind)
            if handler is not None:
                handler(reading, header, cells)
    except InputError as error:
        raise InputError(f"{shown}: {error}") from None
    if not reading.works and kinds & {"summary", "other"}:
        raise InputError(f"{shown}: {NO_SUMMARY}")
    if not reading.works and kinds:
        raise InputError(f"{shown}: calls of the host alone: give the GPU's trace (cuda_gpu_trace) as well")
    return reading.builder.finish(name, Provenance(file=name, format="nsys-stats", tool="nsys stats"))


@dataclass
class Summary:
    """Kernels with their mean times."""

    kernels: list[str] = field(default_factory=list)
    time_s: list[float] = field(default_factory=list)
    count: list[float] = field(default_factory=list)
    total_s: list[float] = field(default_factory=list)
    grid: list[tuple[int, ...]] = field(default_factory=list)
    block: list[tuple[int, ...]] = field(default_factory=list)

    def take(self, h: Header, cells: list[str]) -> None:
        """One kernel."""
        name = h.cell(cells, "name")
        if not name or name.startswith("[CUDA mem"):
            return
        mean = h.nanoseconds(cells, "med", "avg", "averagens")
        total = h.nanoseconds(cells, "totaltime", "totaldurationns")
        self.kernels.append(name)
        self.time_s.append(mean * 1e-9 if mean > 0 else math.nan)
        self.total_s.append(total * 1e-9 if total > 0 else math.nan)
        self.count.append(h.number(cells, "instances", "calls"))
        self.grid.append(shape(h.cell(cells, "gridxyz")))
        self.block.append(shape(h.cell(cells, "blockxyz")))

    def table(self, name: str) -> KernelTable:
        """The kernel table."""

        def product(sizes: list[tuple[int, ...]]) -> list[float]:
            return [float(math.prod(s)) if s else math.nan for s in sizes]

        columns = {
            "launch": np.arange(len(self.kernels), dtype=np.float64), "time_s": np.array(self.time_s),
            "launches": np.array(self.count), "time_total_s": np.array(self.total_s),
            "grid_blocks": np.array(product(self.grid)), "block_threads": np.array(product(self.block)),
        }  # fmt: skip
        return KernelTable.from_columns(
            {
                "kernel": self.kernels,
                "grid": [str(s) if s else "" for s in self.grid],
                "block": [str(s) if s else "" for s in self.block],
            },
            {k: (v, Origin.COUNTED) for k, v in columns.items() if not np.isnan(v).all()},
            flags=[[f"mean or median of {c:.0f} launches"] if c > 1 else [] for c in self.count],
            provenance=Provenance(file=name, format="nsys-stats", tool="summary of a profiler"),
        )


def shape(text: str) -> tuple[int, ...]:
    """Three positive sizes from a text such as "  8    1    1"; none where they are not."""
    match = SIZES.match(text[:80])
    sizes = tuple(int(x) for x in match.groups()) if match else ()
    return sizes if sizes and min(sizes) > 0 and max(sizes) < 1 << 32 else ()


@dataclass
class Reading:
    """State while going through the lines."""

    builder: Builder
    works: int = 0

    def process(self, header: Header, cells: list[str]) -> int:
        """Position of the process of a line: GPU traces name none, so that one is assumed."""
        return self.builder.process(0, Process())


def take_gpu(r: Reading, h: Header, cells: list[str]) -> None:
    """A kernel, copy or memory set."""
    name, device = h.cell(cells, "name"), h.cell(cells, "device")
    match = DEVICE_NUMBER.search(device)
    number = int(match[1]) if match and len(match[1]) < 6 else 0
    start, duration = h.nanoseconds(cells, "start"), h.nanoseconds(cells, "duration")
    grid = [h.whole(cells, f"grd{axis}") for axis in "xyz"]
    block = [h.whole(cells, f"blk{axis}") for axis in "xyz"]
    if min(*grid, *block) < 1:
        grid, block = [-1] * 3, [-1] * 3
    memory = f"{h.cell(cells, 'srcmemkd')} {h.cell(cells, 'dstmemkd')}"
    is_copy, is_set = name.startswith("[CUDA memcpy"), name.startswith("[CUDA memset")
    r.works += 1
    r.builder.add_work(
        kind=Work.COPY if is_copy else Work.MEMSET if is_set else Work.KERNEL, start=start, end=start + duration,
        name=r.builder.name(name), device=r.builder.device(device, Device(DEVICE_NUMBER.sub("", device)[:200], number)),
        stream=h.whole(cells, "strm", "stream"), process=r.process(h, cells), correlation=h.whole(cells, "corrid"),
        gx=grid[0], gy=grid[1], gz=grid[2], bx=block[0], by=block[1], bz=block[2],
        regs=h.number(cells, "regtrd"), bytes=h.number(cells, "bytes", factors=BYTES),
        smem=h.number(cells, "stcsmem", factors=BYTES) + h.number(cells, "dymsmem", factors=BYTES),
        way=way_of(name[:200]) if is_copy else Way.UNKNOWN, collective=collective_of(name),
        memory=host_memory_of(memory) if is_copy else HostMemory.UNKNOWN,
    )  # fmt: skip


def take_api(r: Reading, h: Header, cells: list[str]) -> None:
    """A call of the host."""
    name = h.cell(cells, "name")
    start, duration = h.nanoseconds(cells, "start"), h.nanoseconds(cells, "duration")
    r.builder.add_call((api_of(name[:200]), start, start + duration, r.builder.name(name), h.whole(cells, "tid"),
                        r.process(h, cells), h.whole(cells, "corrid")))  # fmt: skip


def take_nvtx(r: Reading, h: Header, cells: list[str]) -> None:
    """A range of the user."""
    start, end = h.nanoseconds(cells, "start"), h.nanoseconds(cells, "end")
    name = r.builder.name(h.cell(cells, "name"))
    r.builder.add_range((RangeKind.ANNOTATION, start, end, name, h.whole(cells, "tid"), r.process(h, cells), -1))


HANDLERS: dict[str, Callable[[Reading, Header, list[str]], None]] = {
    "gpu": take_gpu,
    "api": take_api,
    "nvtx": take_nvtx,
}
