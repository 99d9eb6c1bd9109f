"""CSV of `nsys stats`: the GPU and API traces as a timeline; summaries of kernels (also rocprof's) as mean times."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.records import dataclass
from roofcast.core.timeline import Device, HostMemory, Process, RangeKind, Way, Work
from roofcast.core.unified_memory import PageTraffic
from roofcast.ingest.text.decoding import head_text, is_text
from roofcast.ingest.traces.csv import BLOCK_ROWS, BYTES, Block, Layout, blocks_of, head_header, header_of
from roofcast.ingest.traces.distinct_kernels import kernel_table_of
from roofcast.ingest.traces.event_names import api_of, collective_of, host_memory_of, way_of
from roofcast.ingest.traces.json_events import JsonEvents
from roofcast.ingest.traces.windows import Builder, Windows

LAYOUTS = (
    Layout("gpu", frozenset({"start", "duration", "grdx", "blkx", "name"})),
    Layout("api", frozenset({"start", "duration", "name", "corrid", "tid"})),
    Layout("nvtx", frozenset({"start", "end", "name", "rangeid", "tid"})),
    Layout("summary", frozenset({"totaltime", "instances", "avg", "name"})),
    Layout("summary", frozenset({"name", "calls", "totaldurationns", "averagens"})),
    Layout("other", frozenset({"totaltime", "numcalls", "name"})),
    Layout("moves", frozenset({"totaltime", "count", "operation"})),
    Layout("moves", frozenset({"totaltime", "operations", "operation"})),
    Layout("sizes", frozenset({"total", "count", "operation"})),
    Layout("sizes", frozenset({"total", "operations", "operation"})),
    Layout("faults", frozenset({"totalhtodmigrationsize", "totaldtohmigrationsize", "totalcpupagefaults"})),
)
PAGES_MOVED = "[CUDA Unified Memory memcpy"
MOST = 1e15
"""Faults or moves of any run; more is damage."""
DEVICE_NUMBER = re.compile(r"\s*\((\d+)\)\s*$")
SIZES = re.compile(r"^\s*(\d+)\D+(\d+)\D+(\d+)\s*$")
JSON_START = re.compile(r'\s*\[\s*\{\s*"(?:Start|Time) \(')
NO_SUMMARY = "a summary holds no timeline: give the trace (`nsys stats --report cuda_gpu_trace --format csv`)"


def recognises(head: bytes, name: str) -> bool:
    """Whether a header of `nsys stats` or of a rocprof summary stands in the head."""
    return head_header(head, LAYOUTS) is not None or is_json(head)


def is_json(head: bytes) -> bool:
    """Whether this is the output of `nsys stats --format json`."""
    return is_text(head) and JSON_START.match(head_text(head[:4096])) is not None


def holds_sums(stream: BinaryIO) -> bool:
    """Whether the file begins with a table of sums: no timeline follows from it. The stream is left at its start."""
    try:
        first = next(blocks_in(stream), None)
    finally:
        stream.seek(0)
    return first is not None and first.kind in SUMMARIES


def blocks_in(stream: BinaryIO) -> Iterator[Block]:
    """The lines below known headers, of CSV or of JSON."""
    head = stream.read(4096)
    stream.seek(0)
    yield from blocks_of_json(stream) if is_json(head) else blocks_of(stream, LAYOUTS)


def blocks_of_json(stream: BinaryIO) -> Iterator[Block]:
    """Blocks of the objects of `nsys stats --format json`: their keys are the header of the CSV."""
    rows: list[list[str]] = []
    keys: list[str] = []
    source = JsonEvents(stream)
    while source.peek() == "[":
        for row in source.events():
            row_keys = list(row)
            if row_keys != keys or len(rows) == BLOCK_ROWS:
                yield from block_of(keys, rows)
                keys, rows = row_keys, []
            rows.append(["" if v is None else str(v) for v in row.values()])
        yield from block_of(keys, rows)
        rows = []


def block_of(keys: list[str], rows: list[list[str]]) -> Iterator[Block]:
    """The rows as a block, where they are of a known table."""
    header = header_of(keys, LAYOUTS)
    if header is not None and rows:
        yield Block(header, rows)


def read(stream: BinaryIO, name: str) -> KernelTable:
    """One row per distinct kernel and geometry; of a summary one row per kernel with its mean time."""
    summary = Summary()
    for block in blocks_in(stream):
        if block.kind not in SUMMARIES:
            break
        SUMMARIES[block.kind](summary, block)
    if summary.kernels:
        return summary.table(name)
    return kernel_table_of(read_windows(stream, name))


def read_windows(stream: BinaryIO, name: str) -> Windows:
    """The timeline of a trace, in windows."""
    stream.seek(0)
    reading = Reading(Builder())
    file = one_line(name)
    kinds = set()
    try:
        for block in blocks_in(stream):
            kinds.add(block.kind)
            handler = HANDLERS.get(block.kind)
            if handler is not None:
                handler(reading, block)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    if not reading.works and kinds & set(SUMMARIES):
        raise InputError(f"{file}: {NO_SUMMARY}")
    if not reading.works and kinds:
        raise InputError(f"{file}: calls of the host alone: give the GPU's trace (cuda_gpu_trace) as well")
    notes = (reading.pages.describe(),) if reading.pages else ()
    return reading.builder.windows(name, Provenance(file=name, format="nsys-stats", tool="nsys stats", notes=notes))


@dataclass
class Summary:
    """Kernels with their mean times."""

    kernels: list[str] = field(default_factory=list)
    time_s: list[float] = field(default_factory=list)
    count: list[float] = field(default_factory=list)
    total_s: list[float] = field(default_factory=list)
    grid: list[tuple[int, ...]] = field(default_factory=list)
    block: list[tuple[int, ...]] = field(default_factory=list)
    moves: dict[Way, list[float]] = field(default_factory=dict)
    """Pages that unified memory moved: number, bytes, seconds."""
    cpu_faults: int = 0
    gpu_faults: int = 0

    def moved(self, way: Way) -> list[float]:
        """Number, bytes and seconds of pages that moved one way."""
        return self.moves.setdefault(way, [0.0, 0.0, 0.0])

    def take_moves(self, b: Block) -> None:
        """Seconds of pages that moved."""
        for name, seconds, count in zip(
            b.cells("operation"), b.nanoseconds("totaltime"), b.numbers("count", "operations"), strict=True
        ):
            if name.startswith(PAGES_MOVED) and seconds > 0 and count > 0:
                sums = self.moved(way_of(name[:200]))
                sums[0], sums[2] = sums[0] + float(count), sums[2] + 1e-9 * float(seconds)

    def take_sizes(self, b: Block) -> None:
        """Bytes of pages that moved."""
        for name, size in zip(b.cells("operation"), b.numbers("total", factors=BYTES), strict=True):
            if name.startswith(PAGES_MOVED) and size > 0:
                self.moved(way_of(name[:200]))[1] += float(size)

    def take_faults(self, b: Block) -> None:
        """Page faults; bytes where no other table has them."""
        for short, way in (("htod", Way.HOST_TO_DEVICE), ("dtoh", Way.DEVICE_TO_HOST)):
            column = f"total{short}migrationsize"
            size = float(np.nansum(b.numbers(column, factors=BYTES)))
            if size > 0 and not self.moved(way)[1]:
                self.moved(way)[1] = size
        self.cpu_faults += total_count(b.numbers("totalcpupagefaults"))
        self.gpu_faults += total_count(b.numbers("totalgpupagefaults"))

    def pages(self) -> PageTraffic:
        """What unified memory did."""
        traffic = PageTraffic()
        for way, (count, size, seconds) in self.moves.items():
            traffic.move(way, max(int(min(count, MOST)), 1 if size > 0 else 0), size, seconds)
        traffic.cpu_faults, traffic.gpu_faults = self.cpu_faults, self.gpu_faults
        return traffic

    def take(self, b: Block) -> None:
        """Some kernels."""
        rows = zip(
            b.cells("name"), b.nanoseconds("med", "avg", "averagens"), b.nanoseconds("totaltime", "totaldurationns"),
            b.numbers("instances", "calls"), b.cells("gridxyz"), b.cells("blockxyz"), strict=True,
        )  # fmt: skip
        for name, mean, total, count, grid, block in rows:
            if name and not name.startswith(("[CUDA mem", PAGES_MOVED)):
                self.kernels.append(name)
                self.time_s.append(mean * 1e-9 if mean > 0 else math.nan)
                self.total_s.append(total * 1e-9 if total > 0 else math.nan)
                self.count.append(float(count))
                self.grid.append(shape(grid))
                self.block.append(shape(block))

    def table(self, name: str) -> KernelTable:
        """The kernel table."""

        def product(sizes: list[tuple[int, ...]]) -> list[float]:
            return [float(math.prod(s)) if s else math.nan for s in sizes]

        count, total, printed = np.array(self.count), np.array(self.total_s), np.array(self.time_s)
        # The total is exact; the mean is printed with few digits, and a median times launches is no total.
        mean = np.where((total > 0) & (count > 0), total / np.where(count > 0, count, 1.0), printed)
        columns = {
            "launch": np.arange(len(self.kernels), dtype=np.float64), "time_s": mean,
            "launches": count, "time_total_s": total,
            "grid_blocks": np.array(product(self.grid)), "block_threads": np.array(product(self.block)),
        }  # fmt: skip
        pages = self.pages()
        whole = float(np.nansum(mean * count))
        if pages and whole > 0:
            # Faults are recorded only where asked for: without them the moves tell that kernels may have waited.
            waited = whole if pages.seconds_of(Way.HOST_TO_DEVICE) > 0 else pages.bound_stalls(whole)
            untimed = max(waited - pages.seconds_of(Way.HOST_TO_DEVICE), 0.0)
            sums = {
                "stall_s": waited, "s": pages.time_s, "untimed_s": untimed,
                "untimed_least_s": min(pages.bound_handling(), untimed),
            }  # fmt: skip
            columns |= {f"migration_{n}": mean * (s / whole) for n, s in sums.items()}
            if pages.resident_bytes > 0:
                columns["migration_resident_bytes"] = np.full(len(mean), pages.resident_bytes)
            if pages.bytes > 0:
                columns["migration_bytes"] = mean * (pages.bytes / whole)
        return KernelTable.from_columns(
            {
                "kernel": self.kernels,
                "grid": [str(s) if s else "" for s in self.grid],
                "block": [str(s) if s else "" for s in self.block],
            },
            {k: (v, Origin.COUNTED) for k, v in columns.items() if not np.isnan(v).all()},
            flags=[["mean of its launches"] if c > 1 else [] for c in self.count],
            provenance=Provenance(
                file=name, format="nsys-stats", tool="summary of a profiler", notes=(pages.describe(),) if pages else ()
            ),
        )


SUMMARIES: dict[str, Callable[[Summary, Block], None]] = {
    "summary": Summary.take, "moves": Summary.take_moves, "sizes": Summary.take_sizes, "faults": Summary.take_faults,
    "other": lambda summary, block: None,
}  # fmt: skip
"""Tables of sums, which may follow each other in one file."""


def total_count(values: NDArray[np.float64]) -> int:
    """A sum of counts; 0 without any."""
    return int(min(float(np.nansum(values)), MOST))


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
    pages: PageTraffic = field(default_factory=PageTraffic)

    def __post_init__(self) -> None:
        # GPU traces name no process, so that one is assumed.
        self.process = self.builder.process(0, Process())

    def device(self, label: str) -> int:
        """Position of a GPU, by a label such as "NVIDIA B200 (0)"."""
        match = DEVICE_NUMBER.search(label)
        number = int(match[1]) if match and len(match[1]) < 6 else 0
        return self.builder.device(label, Device(DEVICE_NUMBER.sub("", label.strip())[:200], number))


def take_gpu(r: Reading, b: Block) -> None:
    """Kernels, copies and memory sets."""
    names = b.cells("name")
    copy = np.array([n.startswith("[CUDA memcpy") for n in names])
    moved = np.array([n.startswith(PAGES_MOVED) for n in names])
    fill = np.array([n.startswith("[CUDA memset") for n in names])
    start = b.nanoseconds("start")
    grid = np.stack([b.whole(f"grd{axis}") for axis in "xyz"])
    block = np.stack([b.whole(f"blk{axis}") for axis in "xyz"])
    known = ((grid > 0) & (block > 0)).all(axis=0)
    grid, block = np.where(known, grid, -1), np.where(known, block, -1)
    memory = [f"{a} {c}" for a, c in zip(b.cells("srcmemkd"), b.cells("dstmemkd"), strict=True)]
    r.works += len(b)
    way = np.where(copy | moved, b.codes("name", code=lambda t: way_of(t[:200])), Way.UNKNOWN)
    seconds, sizes = 1e-9 * np.maximum(b.nanoseconds("duration"), 0), b.numbers("bytes", factors=BYTES)
    for place in np.unique(way[moved]).tolist():
        mine = moved & (way == place)
        r.pages.move(Way(place), int(mine.sum()), float(np.nansum(sizes[mine])), float(seconds[mine].sum()))
    r.builder.add_works({
        "kind": np.select([copy, fill, moved], [Work.COPY, Work.MEMSET, Work.MIGRATION], Work.KERNEL), "start": start,
        "end": start + b.nanoseconds("duration"), "name": b.codes("name", code=r.builder.name),
        "device": b.codes("device", code=r.device), "stream": b.whole("strm", "stream"),
        "process": np.full(len(b), r.process), "correlation": b.whole("corrid"),
        "gx": grid[0], "gy": grid[1], "gz": grid[2], "bx": block[0], "by": block[1], "bz": block[2],
        "regs": b.numbers("regtrd"), "bytes": sizes,
        "smem": b.numbers("stcsmem", factors=BYTES) + b.numbers("dymsmem", factors=BYTES),
        "way": way,
        "memory": np.where(copy, [host_memory_of(m) for m in memory], HostMemory.UNKNOWN),
        "collective": b.codes("name", code=collective_of),
    })  # fmt: skip


def take_api(r: Reading, b: Block) -> None:
    """Calls of the host."""
    start = b.nanoseconds("start")
    r.builder.add_calls({
        "api": b.codes("name", code=lambda t: api_of(t[:200])), "start": start,
        "end": start + b.nanoseconds("duration"), "name": b.codes("name", code=r.builder.name),
        "thread": b.whole("tid"), "process": np.full(len(b), r.process), "correlation": b.whole("corrid"),
    })  # fmt: skip


def take_nvtx(r: Reading, b: Block) -> None:
    """Ranges of the user."""
    r.builder.add_ranges({
        "kind": np.full(len(b), RangeKind.ANNOTATION), "start": b.nanoseconds("start"), "end": b.nanoseconds("end"),
        "name": b.codes("name", code=r.builder.name), "thread": b.whole("tid"),
        "process": np.full(len(b), r.process), "operator": np.full(len(b), -1),
    })  # fmt: skip


HANDLERS: dict[str, Callable[[Reading, Block], None]] = {
    "gpu": take_gpu,
    "api": take_api,
    "nvtx": take_nvtx,
}
