"""The timeline of `nvprof --print-gpu-trace --csv`: kernels, copies and memory sets, without calls of the host.

A file may hold several runs, whose clocks all begin at zero: they follow each other.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import BinaryIO

from roofcast.core.table import Provenance
from roofcast.core.timeline import Device, Process, Timeline, Work
from roofcast.errors import InputError, one_line
from roofcast.ingest.decoding import open_text
from roofcast.ingest.numbers import parse_number
from roofcast.ingest.nvprof_csv import (
    BYTES,
    CORRELATION,
    MAX_LINE_CHARS,
    SECONDS,
    Layout,
    device_name,
    is_units,
    rows_of,
    scaled,
    sizes,
)
from roofcast.ingest.timeline_build import Builder
from roofcast.ingest.timeline_names import collective_of, host_memory_of, way_of

GAP_NS = 1_000_000
"""Between runs in one file."""


def read_timeline(stream: BinaryIO, name: str) -> Timeline:
    """The timeline of a GPU trace.

    Raises
    ------
    InputError : no GPU trace of nvprof.
    """
    reading = Reading(Builder())
    text = open_text(stream)
    try:
        for line in text:
            if "," in line and not line.startswith("=="):
                cells = next(rows_of([line.rstrip("\n").replace("\0", "")[:MAX_LINE_CHARS]]), [])
                reading.take(cells)
    finally:
        text.detach()
    if not reading.works:
        raise InputError(
            f"{one_line(name)}: nvprof output without times of launches: record `nvprof --print-gpu-trace --csv`"
        )
    notes = (f"{reading.runs} runs in one file: taken as one after the other",) if reading.runs > 1 else ()
    return reading.builder.finish(name, Provenance(file=name, format="nvprof-csv", tool="nvprof", notes=notes))


@dataclass
class Reading:
    """State while going through the lines."""

    builder: Builder
    layout: Layout | None = None
    units: list[str] = field(default_factory=list)
    works: int = 0
    runs: int = 0
    shift: int | None = None
    """What is added to the times of the current run."""
    latest: int = 0

    def take(self, cells: list[str]) -> None:
        """The cells of one line."""
        layout = Layout.of([c.strip() for c in cells])
        if layout is not None:
            self.layout, self.units = layout if layout.kind == "trace" and "Start" in layout.at else None, []
            self.runs += self.layout is not None
            self.shift = None
        elif self.layout is not None and not self.units and is_units(cells, self.layout):
            self.units = cells
        elif self.layout is not None and len(cells) > self.layout.offset + 3:
            self.add(cells)

    def cell(self, cells: list[str], name: str) -> str:
        """The cell under a header; '' without."""
        at = self.layout.at.get(name, -1) if self.layout else -1
        return cells[at].strip() if 0 <= at < len(cells) else ""

    def quantity(self, cells: list[str], name: str, factors: dict[str, float]) -> float:
        """A number in base units; NaN without."""
        at = self.layout.at.get(name, -1) if self.layout else -1
        return scaled(self.cell(cells, name), factors, self.units[at].strip() if 0 <= at < len(self.units) else "")

    def add(self, cells: list[str]) -> None:
        """One piece of work."""
        name = CORRELATION.sub("", self.cell(cells, "Name"))
        start, duration = self.quantity(cells, "Start", SECONDS), self.quantity(cells, "Duration", SECONDS)
        if not name or math.isnan(start + duration) or not 0 <= start + duration < 1e9:
            return
        begin = round(start * 1e9)
        if self.shift is None:
            self.shift = self.latest + GAP_NS - begin if self.works else 0
        begin += self.shift
        end = begin + round(duration * 1e9)
        self.latest = max(self.latest, end)
        self.works += 1
        grid = sizes(self.cell(cells, f"Grid {axis}") for axis in "XYZ") or (-1, -1, -1)
        block = sizes(self.cell(cells, f"Block {axis}") for axis in "XYZ") or (-1, -1, -1)
        is_copy, is_set = name.startswith("[CUDA memcpy"), name.startswith("[CUDA memset")
        moved = name.startswith("[Unified Memory")
        kind = Work.COPY if is_copy else Work.MEMSET if is_set else Work.MIGRATION if moved else Work.KERNEL
        device = self.cell(cells, "Device")
        stream = parse_number(self.cell(cells, "Stream"))[0]
        number = re.search(r"\((\d{1,6})\)\s*$", device)
        self.builder.add_work(
            kind=kind, start=begin, end=end, name=self.builder.name(name),
            device=self.builder.device(device, Device(device_name(device)[:200], int(number[1]) if number else 0)),
            stream=int(stream) if 0 <= stream < 1 << 31 else -1, process=self.builder.process(0, Process()),
            gx=grid[0], gy=grid[1], gz=grid[2], bx=block[0], by=block[1], bz=block[2],
            regs=parse_number(self.cell(cells, "Registers Per Thread"))[0], bytes=self.quantity(cells, "Size", BYTES),
            smem=self.quantity(cells, "Static SMem", BYTES) + self.quantity(cells, "Dynamic SMem", BYTES),
            way=way_of(name[:200]) if is_copy or moved else 0, collective=collective_of(name),
            memory=host_memory_of(f"{self.cell(cells, 'SrcMemType')} {self.cell(cells, 'DstMemType')}"),
        )  # fmt: skip
