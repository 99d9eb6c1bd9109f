"""Nsight Compute CSV: ``--page raw`` (wide), ``--page details`` and ``--metrics`` (long), ``--print-summary``.

The file is read in blocks of whole lines, so that memory does not grow with its length beyond the values themselves.
One file may hold several CSVs one after the other, with the program's own output around them.
"""

from __future__ import annotations

import math
import re
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import BinaryIO

import numpy as np

from roofcast.core.table import FloatArray, KernelTable, Provenance
from roofcast.errors import InputError, one_line
from roofcast.ingest.csv_blocks import blocks
from roofcast.ingest.decoding import head_text, is_text
from roofcast.ingest.ncu_launches import Launch, metric_name, table_of_launches
from roofcast.ingest.ncu_layout import Layout, parse_header
from roofcast.ingest.ncu_rows import COUNT, IndexArray, Metric, Rows, as_index, parse_block, read_lines
from roofcast.ingest.numbers import Evidence, Kind, decide, parse_number, settle
from roofcast.ingest.profiler_units import ncu_unit_factor

HEADER_WORDS = (b"Kernel Name", b"Function Name", b"kernel name")
NCU_LINE = re.compile(r"^==(?:PROF|ERROR|WARNING)== ", re.MULTILINE)
ERROR_LINE = re.compile(rb"^==ERROR==\s*(.*)$", re.MULTILINE)
CONSOLE_SECTION = re.compile(r"^ +Section: ", re.MULTILINE)
PARALLEL = 2


def recognises(head: bytes, name: str) -> bool:
    """Whether an ncu header stands in the head, or lines that only ncu prints and no console listing."""
    if not is_text(head):
        return False
    text = head_text(head)
    lines = text.split("\n")
    if any("ernel name" in line.lower() or "unction name" in line.lower() for line in lines) and any(
        parse_header(line) for line in lines if "name" in line.lower()
    ):
        return True
    return bool(NCU_LINE.search(text)) and not CONSOLE_SECTION.search(text)


@dataclass
class Part:
    """A piece of one CSV: its number in the file, its layout, its lines."""

    number: int
    layout: Layout
    block: bytes

    def launch(self, cells: tuple[str, ...]) -> Launch:
        """The launch that identity cells name."""
        at = self.layout.places

        def cell(name: str) -> str:
            return sys.intern(cells[at[name]].strip()) if name in at else ""

        count = parse_number(cell("invocations"))[0] if "invocations" in at else math.nan
        return Launch(cell("kernel"), cell("grid"), cell("block"), cell("cc"), cell("gpu"), count)


@dataclass
class Noise:
    """What stands outside of CSVs, as far as it explains why there is nothing to read."""

    error: str = ""
    no_kernels: bool = False
    is_console: bool = False
    headers: int = 0

    def look_at(self, text: bytes) -> None:
        """Search a block for ncu's own messages."""
        if b"==" in text:
            found = ERROR_LINE.findall(text)
            if found and not self.error:
                self.error = found[0].decode("utf-8", "replace")
            self.error = "ERR_NVGPUCTRPERM" if b"ERR_NVGPUCTRPERM" in text else self.error
            self.no_kernels |= b"No kernels were profiled" in text
        self.is_console |= b"    Section: " in text


def read(stream: BinaryIO, name: str) -> KernelTable:
    """All launches in file order.

    Raises
    ------
    InputError : no ncu CSV, or one without launches; where ncu says why, the message says what to do.
    """
    noise = Noise()
    found = Collected()
    for part, rows in parse_parts(stream, name, noise):
        found.add(part, rows)
    if not found.launches:
        raise InputError(f"{one_line(name)}: {explain_nothing(noise)}")
    return found.table()


def explain_nothing(noise: Noise) -> str:
    """Why a file has no launches, and what to do."""
    if noise.error == "ERR_NVGPUCTRPERM":
        return (
            "ncu may not read the GPU's performance counters (ERR_NVGPUCTRPERM), so there is nothing to read: profile "
            "as administrator, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"
        )
    if noise.no_kernels:
        return "ncu says that no kernels were profiled: check the kernel filter and that the program launches kernels"
    if noise.error:
        return f"ncu stopped with an error and wrote no launches: {one_line(noise.error, 200)}"
    if noise.headers:
        return "the ncu CSV has a header but no launches: the profile was empty or the file is cut off"
    if noise.is_console:
        return "no ncu CSV but ncu's console text: read it as ncu-text, or print with --csv --page raw"
    return "not an ncu CSV: no header line with Kernel Name and metrics; make one with `ncu --csv --page raw`"


def parts(block: bytes, before: Part | None, noise: Noise) -> Iterator[Part]:
    """The CSVs of a block in pieces, each with its layout; ``before`` is the piece that the block continues."""
    layout = before.layout if before else None
    number, start = before.number if before else 0, 0
    for line_start, line_end in header_lines(block):
        found = parse_header(block[line_start:line_end].decode("utf-8", "replace"))
        if found is None:
            continue
        noise.look_at(block[max(start, line_start - 65536) : line_start])
        if layout is not None and line_start > start:
            yield Part(number, layout, block[start:line_start])
        layout, start, number = found, line_end + 1, number + 1
        noise.headers += 1
        layout = with_units(layout, block[start : start + 2**22])
    if layout is None:
        noise.look_at(block)
    else:
        noise.look_at(block[max(start, len(block) - 65536) :])
        yield Part(number, layout, block[start:])


def header_lines(block: bytes) -> list[tuple[int, int]]:
    """Start and end of each line that may be a header."""
    found: dict[int, int] = {}
    for word in HEADER_WORDS:
        at = block.find(word)
        while at >= 0:
            start = block.rfind(b"\n", 0, at) + 1
            end = block.find(b"\n", at)
            end = len(block) if end < 0 else end
            found[start] = end
            at = block.find(word, end)
    return sorted(found.items())


def with_units(layout: Layout, body: bytes) -> Layout:
    """The layout of a wide CSV with the units of the row below its header."""
    if layout.is_long:
        return layout
    for line in body.decode("utf-8", "replace").split("\n")[:4]:
        cells = next(read_lines([line], layout.delimiter), [])
        anchor = layout.identity.get("id", layout.identity.get("process", layout.identity["kernel"]))
        if len(cells) <= anchor or COUNT.fullmatch(cells[anchor]):
            continue
        units = tuple((i, m, cells[i] if i < len(cells) else "") for i, m, _ in layout.wide)
        return replace(layout, wide=units) if any(u for _, _, u in units) else layout
    return layout


@dataclass
class Pipeline:
    """Blocks being parsed, two at a time, because the fast path runs outside of the interpreter lock.

    A block is first taken to continue the CSV of the block before it. Only where lines of it are no rows is it
    searched for a header, and then the blocks after it are parsed again under that one.
    """

    pool: ThreadPoolExecutor
    noise: Noise
    known: dict[str, tuple[float, Kind]] = field(default_factory=dict)
    waiting: deque[tuple[Part, Future[Rows]]] = field(default_factory=deque)
    last: Part | None = None

    def put(self, block: bytes) -> None:
        """Start parsing the next block."""
        if self.last is not None:
            self.submit(Part(self.last.number, self.last.layout, block))
            return
        for part in parts(block, None, self.noise):
            self.submit(part)
            self.last = part

    def submit(self, part: Part) -> None:
        """Start parsing a part."""
        self.waiting.append((part, self.pool.submit(parse_block, part.block, part.layout, self.known)))

    def take(self) -> Iterator[tuple[Part, Rows]]:
        """The rows of the oldest block, awaited."""
        part, future = self.waiting.popleft()
        rows = future.result()
        pieces = list(parts(part.block, part, self.noise)) if rows.skipped else [part]
        if pieces[-1].number == part.number:
            yield part, rows
            return
        self.last = pieces[-1]
        for piece in pieces:
            yield piece, parse_block(piece.block, piece.layout, self.known)
        later = [p.block for p, _ in self.waiting]
        self.waiting.clear()
        for block in later:
            self.put(block)


def parse_parts(stream: BinaryIO, name: str, noise: Noise) -> Iterator[tuple[Part, Rows]]:
    """Rows of each part in file order."""
    with ThreadPoolExecutor(PARALLEL) as pool:
        line = Pipeline(pool, noise)
        for block in blocks(stream, name):
            line.put(block)
            while len(line.waiting) > PARALLEL:
                yield from line.take()
        while line.waiting:
            yield from line.take()


@dataclass
class Collected:
    """Everything read so far."""

    launches: list[Launch] = field(default_factory=list)
    index: dict[tuple[object, ...], int] = field(default_factory=dict)
    metrics: dict[Metric, int] = field(default_factory=dict)
    values: list[Rows] = field(default_factory=list)
    """Per part, its present values with positions in ``launches`` and ``metrics``."""
    gpus: dict[int, str] = field(default_factory=dict)

    def add(self, part: Part, rows: Rows) -> None:
        """Take the rows of the next part."""
        where = as_index([self.place(part, cells) for cells in rows.launches])
        codes = as_index([self.metrics.setdefault(m, len(self.metrics)) for m in rows.metrics])
        for launch, _, text in rows.texts:
            self.gpus.setdefault(int(where[launch]), text.strip())
        here = np.flatnonzero(~np.isnan(rows.values))
        launch_of, metric_of = where[rows.launch_of[here]], codes[rows.metric_of[here]]
        self.values.append(Rows([], launch_of, [], metric_of, rows.values[here], rows.kinds[here]))

    def place(self, part: Part, cells: tuple[str, ...]) -> int:
        """Position of the launch that the identity cells name; a row of a wide CSV is always a new one."""
        count = len(self.launches)
        key = (part.number, cells) if part.layout.is_long else (part.number, count)
        found = self.index.setdefault(key, count)
        if found == count:
            self.launches.append(part.launch(cells))
        return found

    def table(self) -> KernelTable:
        """The kernel table of all launches."""
        launch_of = np.concatenate([v.launch_of for v in self.values])
        metric_of = np.concatenate([v.metric_of for v in self.values])
        values = np.concatenate([v.values for v in self.values])
        kinds = np.concatenate([v.kinds for v in self.values])
        self.values.clear()
        evidence = Evidence()
        evidence.add(kinds)
        # A percentage of a thousand or more is none, so that its separator is the decimal one.
        percent = np.array([unit.strip() == "%" for _, _, unit in self.metrics], dtype=np.bool_)
        if len(percent):
            evidence.add_decimals(kinds[percent[metric_of]])
        decimal, note = decide(evidence, ambiguous_is_grouping=True)
        values = settle(values, kinds, decimal)
        metrics = self.spread(launch_of, metric_of, values)
        launches = [x._replace(gpu=x.gpu or self.gpus[i]) if i in self.gpus else x for i, x in enumerate(self.launches)]
        return table_of_launches(launches, metrics, Provenance(tool="Nsight Compute"), note)

    def spread(self, launch_of: IndexArray, metric_of: IndexArray, values: FloatArray) -> dict[str, FloatArray]:
        """Metric name -> (n,) values in base units; where a launch has a metric more than once, the first counts."""
        names = [metric_name(section, name.strip(), unit) for section, name, unit in self.metrics]
        rows = {name: row for row, name in enumerate(dict.fromkeys(names))}
        row_of = as_index([rows[name] for name in names])
        factor = np.array([ncu_unit_factor(unit) for _, _, unit in self.metrics], dtype=np.float64)
        matrix = np.full((len(rows), len(self.launches)), np.nan)
        cells = row_of[metric_of].astype(np.int64) * len(self.launches) + launch_of
        # Of several values for one cell the last one written stays, so they are written backwards.
        matrix.reshape(-1)[cells[::-1]] = (values * factor[metric_of])[::-1]
        return {name: matrix[row] for name, row in rows.items() if not np.isnan(matrix[row]).all()}
