"""The timeline of `nvprof --print-gpu-trace --csv`: kernels, copies and memory sets, without calls of the host.

A file may hold several runs, whose clocks all begin at zero: they follow each other.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import Provenance
from roofcast.core.records import dataclass
from roofcast.core.timeline import Device, Process, Way, Work
from roofcast.core.unified_memory import PageTraffic
from roofcast.ingest.nvprof.csv import (
    BYTES,
    CORRELATION,
    CPU_FAULTS,
    MAX_LINE_CHARS,
    PAGES_MOVED,
    UNIFIED_MEMORY,
    Layout,
    device_name,
    is_units,
    rows_of,
    scaled,
)
from roofcast.ingest.text.decoding import open_text
from roofcast.ingest.traces.csv import Block, Header, folded
from roofcast.ingest.traces.event_names import collective_of, host_memory_of, way_of
from roofcast.ingest.traces.windows import NEVER, Builder, Windows

GAP_NS = 1_000_000
"""Between runs in one file."""


def read_windows(stream: BinaryIO, name: str) -> Windows:
    """The timeline of a GPU trace, in windows."""
    reading = Reading(Builder())
    text = open_text(stream)
    try:
        lines = (x.replace("\0", "")[:MAX_LINE_CHARS] for x in text if "," in x and not x.startswith("=="))
        for cells in rows_of(lines):
            reading.take(cells)
        reading.flush()
    finally:
        text.detach()
    if not reading.works:
        raise InputError(
            f"{one_line(name)}: nvprof output without times of launches: record `nvprof --print-gpu-trace --csv`"
        )
    notes = [f"{reading.runs} runs in one file: taken as one after the other"] if reading.runs > 1 else []
    notes += [reading.pages.describe()] if reading.pages else []
    return reading.builder.windows(name, Provenance(file=name, format="nvprof-csv", tool="nvprof", notes=tuple(notes)))


@dataclass
class Reading:
    """State while going through the lines."""

    builder: Builder
    layout: Layout | None = None
    units: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    works: int = 0
    runs: int = 0
    latest: int = 0
    pages: PageTraffic = field(default_factory=PageTraffic)

    def take(self, cells: list[str]) -> None:
        """The cells of one line."""
        # A script may have put a column of its own, with numbers, before the header as well.
        layout = Layout.of([c.strip() for c in cells]) if any(c.strip() == "Duration" for c in cells) else None
        if layout is not None:
            self.flush()
            self.layout, self.units = layout if layout.kind == "trace" and "Start" in layout.at else None, []
            self.runs += self.layout is not None
        elif self.layout is not None and not self.units and is_units(cells, self.layout):
            self.units = cells
        elif self.layout is not None and len(cells) > self.layout.offset + 3:
            self.rows.append(cells)

    def flush(self) -> None:
        """Hand the lines of one run to the builder."""
        if self.layout is None or not self.rows:
            return
        at = {folded(name)[0]: i for name, i in self.layout.at.items()}
        units = {n: self.units[i].strip() for n, i in at.items() if i < len(self.units)}
        b = Block(Header("trace", at, units), self.rows)
        self.rows = []
        names = [CORRELATION.sub("", n.strip()) for n in b.cells("name")]
        if any(n.startswith(CPU_FAULTS) for n in names):
            # What has no duration is counted and no work of the device.
            of_gpu = [i for i, n in enumerate(names) if not n.startswith(CPU_FAULTS)]
            self.pages.cpu_faults += len(names) - len(of_gpu)
            b, names = Block(b.header, [b.rows[i] for i in of_gpu]), [names[i] for i in of_gpu]
        start = b.nanoseconds("start")
        end = start + b.nanoseconds("duration")
        usable = (start >= 0) & (end >= start) & np.array([bool(n) for n in names], np.bool_)
        if usable.any():
            shift = self.latest + GAP_NS - int(start[usable].min()) if self.works else 0
            self.latest = int(end[usable].max()) + shift
            self.works += int(usable.sum())
            self.add(b, names, start + shift, np.where(usable, end + shift, NEVER))

    def add(self, b: Block, names: list[str], start: NDArray[np.int64], end: NDArray[np.int64]) -> None:
        """The work of one run."""
        copy, fill, moved, paged = (
            np.array([n.startswith(mark) for n in names], np.bool_)
            for mark in ("[CUDA memcpy", "[CUDA memset", PAGES_MOVED, UNIFIED_MEMORY)
        )
        grid = np.stack([b.whole(f"grid{axis}") for axis in "xyz"])
        block = np.stack([b.whole(f"block{axis}") for axis in "xyz"])
        known = ((grid > 0) & (block > 0)).all(axis=0)
        grid, block = np.where(known, grid, -1), np.where(known, block, -1)
        kinds = ((copy, Work.COPY), (fill, Work.MEMSET), (moved, Work.MIGRATION), (paged, Work.FAULT))
        kind = np.select([rows for rows, _ in kinds], [which for _, which in kinds], Work.KERNEL)
        paging = b.cells("unifiedmemory") if paged.any() else [""] * len(names)
        moved_bytes = np.array([scaled(cell, BYTES) for cell in paging], np.float64)
        way = np.where(copy | moved, b.codes("name", code=lambda t: way_of(t[:200])), 0)
        timed = end >= start
        # Take the pages that moved, with their bytes, and the faults of a run, with their number, into its sums.
        time_s = np.where(timed, 1e-9 * (end - start), 0.0)
        for place in np.unique(way[kind == Work.MIGRATION]).tolist():
            mine = (kind == Work.MIGRATION) & (way == place)
            self.pages.move(Way(place), int(mine.sum()), float(np.nansum(moved_bytes[mine])), float(time_s[mine].sum()))
        faults = kind == Work.FAULT
        self.pages.fault(
            int(faults.sum()), int(np.nansum(np.clip(moved_bytes[faults], 0, 2**31))), float(time_s[faults].sum())
        )
        sides = [f"{a} {c}" for a, c in zip(b.cells("srcmemtype"), b.cells("dstmemtype"), strict=True)]
        stream = b.whole("stream")
        self.builder.add_works({
            "kind": kind, "start": start, "end": end, "name": np.array([self.builder.name(n) for n in names]),
            "device": b.codes("device", code=self.device), "stream": np.where(stream < 1 << 31, stream, -1),
            "process": np.full(len(b), self.builder.process(0, Process())),
            "gx": grid[0], "gy": grid[1], "gz": grid[2], "bx": block[0], "by": block[1], "bz": block[2],
            "regs": b.numbers("registersperthread"),
            "bytes": np.where(moved, moved_bytes, b.numbers("size", factors=BYTES)),
            "smem": b.numbers("staticsmem", factors=BYTES) + b.numbers("dynamicsmem", factors=BYTES),
            "way": way,
            "collective": b.codes("name", code=collective_of), "memory": np.array([host_memory_of(t) for t in sides]),
        })  # fmt: skip

    def device(self, label: str) -> int:
        """Position of a GPU, by a label such as "Tesla K40c (0)"."""
        match = re.search(r"\((\d{1,6})\)\s*$", label)
        return self.builder.device(label, Device(device_name(label)[:200], int(match[1]) if match else 0))
