"""Nsight Compute CSV: ``--page raw`` (wide), ``--page details`` and ``--metrics`` (long), ``--print-summary``.

The file is read in blocks of whole lines, so that memory does not grow with its length beyond the values themselves.
One file may hold several CSVs one after the other, with the program's own output around them.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field, replace
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, Provenance
from roofcast.core.records import dataclass
from roofcast.ingest.ncu.launches import Identities, metric_name, table_of_identities
from roofcast.ingest.ncu.layout import COUNT, KEPT, Layout, parse_header
from roofcast.ingest.ncu.rows import IndexArray, Metric, Rows, as_index, parse_block
from roofcast.ingest.text.decoding import head_text, is_text
from roofcast.ingest.text.lines import blocks, read_lines
from roofcast.ingest.text.numbers import Evidence, Kind, decide, parse_number, settle
from roofcast.ingest.text.profiler_units import metric_factor

HEADER_WORDS = (b"Kernel Name", b"Function Name", b"kernel name")
NCU_LINE = re.compile(r"^==(?:PROF|ERROR|WARNING)== ", re.MULTILINE)
ERROR_LINE = re.compile(rb"^==ERROR==\s*(.*)$", re.MULTILINE)
CONSOLE_SECTION = re.compile(r"^ +Section: ", re.MULTILINE)
PARALLEL = 2
"""Blocks in work at a time; a block of a wide CSV takes some 100 MB."""


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
    """Whole lines."""


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
            errors = ERROR_LINE.findall(text)
            if errors and not self.error:
                self.error = errors[0].decode("utf-8", "replace")
            self.error = "ERR_NVGPUCTRPERM" if b"ERR_NVGPUCTRPERM" in text else self.error
            self.no_kernels |= b"No kernels were profiled" in text
        self.is_console |= b"    Section: " in text


def read(stream: BinaryIO, name: str) -> KernelTable:
    """All launches in file order."""
    noise = Noise()
    collected = Collected()
    for part, rows in parse_parts(stream, name, noise):
        collected.add(part, rows)
    if not collected.launches:
        raise InputError(f"{one_line(name)}: {explain_nothing(noise)}")
    return collected.table()


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
        header = parse_header(block[line_start:line_end].decode("utf-8", "replace"))
        if header is None:
            continue
        noise.look_at(block[max(start, line_start - 65536) : line_start])
        if layout is not None and line_start > start:
            yield Part(number, layout, block[start:line_start])
        layout, start, number = header, line_end + 1, number + 1
        noise.headers += 1
        layout, length = with_units(layout, block[start : start + 2**22])
        start += length
    if layout is None:
        noise.look_at(block)
    else:
        noise.look_at(block[max(start, len(block) - 65536) :])
        yield Part(number, layout, block[start:])


def header_lines(block: bytes) -> list[tuple[int, int]]:
    """Start and end of each line that may be a header."""
    ends: dict[int, int] = {}
    for word in HEADER_WORDS:
        at = block.find(word)
        while at >= 0:
            start = block.rfind(b"\n", 0, at) + 1
            end = block.find(b"\n", at)
            end = len(block) if end < 0 else end
            ends[start] = end
            at = block.find(word, end)
    return sorted(ends.items())


def with_units(layout: Layout, body: bytes) -> tuple[Layout, int]:
    """The layout of a wide CSV with the units of the row below its header, and the length up to that row's end."""
    end = 0
    for line in [] if layout.is_long else body.split(b"\n")[:4]:
        end += len(line) + 1
        cells = next(read_lines([line.decode("utf-8", "replace")], layout.delimiter), [])
        anchor = layout.identity.get("id", layout.identity.get("process", layout.identity["kernel"]))
        if len(cells) <= anchor or COUNT.fullmatch(cells[anchor]):
            continue
        units = tuple((i, m, cells[i] if i < len(cells) else "") for i, m, _ in layout.wide)
        if any(u for _, _, u in units):
            return replace(layout, wide=units), end
        break
    return layout, 0


@dataclass
class Pipeline:
    """Blocks being parsed, a few at a time, because the fast path runs outside of the interpreter lock.

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
            del block
            while len(line.waiting) > PARALLEL:
                yield from line.take()
        while line.waiting:
            yield from line.take()


@dataclass
class Piece:
    """The values of one part, with positions in the whole file."""

    rows: Rows
    launches: IndexArray
    """Position of each launch of the part."""
    metrics: IndexArray

    @property
    def metric_of(self) -> IndexArray:
        """Shape of the values, or broadcastable to it: position of each value's metric."""
        return self.metrics[:, None] if self.rows.metric_of is None else self.metrics[self.rows.metric_of]

    @property
    def launch_of(self) -> IndexArray:
        """The same of each value's launch."""
        return self.launches[None, :] if self.rows.launch_of is None else self.launches[self.rows.launch_of]


@dataclass
class Collected:
    """Everything read so far."""

    launches: list[tuple[str, ...]] = field(default_factory=list)
    """What ``Layout.pick`` keeps of the identity of each."""
    index: dict[tuple[str, ...], int] = field(default_factory=dict)
    """Identity cells -> launch, of the CSV that is being read."""
    number: int = 0
    metrics: dict[Metric, int] = field(default_factory=dict)
    pieces: list[Piece] = field(default_factory=list)
    gpus: dict[int, str] = field(default_factory=dict)

    def add(self, part: Part, rows: Rows) -> None:
        """Take the rows of the next part."""
        where = self.place_all(part, rows.launches)
        codes = as_index([self.metrics.setdefault(m, len(self.metrics)) for m in rows.metrics])
        for launch, _, text in rows.texts:
            self.gpus.setdefault(int(where[launch]), text.strip())
        rows.launches = []
        self.pieces.append(Piece(rows, where, codes))

    def place_all(self, part: Part, launches: list[tuple[str, ...]]) -> IndexArray:
        """Position of each launch; a row of a wide CSV is always a new one."""
        pick = part.layout.pick
        first = len(self.launches)
        if not part.layout.is_long:
            self.launches.extend([pick((*cells, "")) for cells in launches])
            return np.arange(first, len(self.launches), dtype=np.int32)
        if part.number != self.number:
            self.index, self.number = {}, part.number
        where = []
        for cells in launches:
            position = self.index.setdefault(cells, first)
            if position == first:
                self.launches.append(pick((*cells, "")))
                first += 1
            where.append(position)
        return as_index(where)

    def table(self) -> KernelTable:
        """The kernel table of all launches."""
        evidence = Evidence()
        # A percentage of a thousand or more is none, so that its separator is the decimal one.
        percent = np.array([unit.strip() == "%" for _, _, unit in self.metrics], dtype=np.bool_)
        for piece in self.pieces:
            kinds = piece.rows.kinds
            evidence.add(kinds.ravel())
            of_percent = percent[piece.metrics]
            if of_percent.any():
                chosen = of_percent if piece.rows.metric_of is None else of_percent[piece.rows.metric_of]
                evidence.add_decimals(kinds[chosen].ravel())
        decimal, note = decide(evidence, ambiguous_is_grouping=True)
        metrics = self.spread(decimal)
        return table_of_identities(self.identities(), metrics, Provenance(tool="Nsight Compute"), note)

    def identities(self) -> Identities:
        """Identities of the launches."""
        kernel, grid, block, cc, gpu, printed = ([x[i] for x in self.launches] for i in range(len(KEPT)))
        for row, name in self.gpus.items():
            gpu[row] = gpu[row] or name
        counts = [parse_number(text)[0] for text in printed] if any(printed) else []
        return Identities(kernel, grid, block, cc, gpu, counts)

    def covered(self, count: int, row_of: IndexArray) -> NDArray[np.bool_]:
        """(n,) whether a launch has all of ``count`` metrics from rows of a wide CSV, so that none need be absent."""
        full = np.zeros(len(self.launches), np.bool_)
        for piece in self.pieces:
            if piece.rows.launch_of is None and len(np.unique(row_of[piece.metrics])) == count == len(piece.metrics):
                full[piece.launches] = True
        return full

    def spread(self, decimal: str) -> dict[str, FloatArray]:
        """Metric name -> (n,) values in base units; where a launch has a metric more than once, the first counts."""
        names = [metric_name(section, name.strip(), unit) for section, name, unit in self.metrics]
        rows = {name: row for row, name in enumerate(dict.fromkeys(names))}
        row_of = as_index([rows[name] for name in names])
        factor = np.array([metric_factor(n, unit) for n, (_, _, unit) in zip(names, self.metrics, strict=True)])
        matrix = np.empty((len(rows), len(self.launches)))
        matrix[:, ~self.covered(len(rows), row_of)] = np.nan
        # Of several values for one cell the last one written stays, so they are written backwards.
        while self.pieces:
            piece = self.pieces.pop()
            values = settle(piece.rows.values, piece.rows.kinds, decimal) * factor[piece.metric_of]
            if piece.rows.launch_of is None:
                first = int(piece.launches[0]) if len(piece.launches) else 0
                into = row_of[piece.metrics]
                if len(np.unique(into)) == len(into):
                    matrix[into, first : first + values.shape[1]] = values
                    continue
                for metric, column in zip(piece.metrics[::-1], values[::-1], strict=True):
                    cells = matrix[row_of[metric], first : first + len(column)]
                    np.copyto(cells, column, where=~np.isnan(column))
                continue
            here = np.flatnonzero(~np.isnan(values))[::-1]
            flat = row_of[piece.metric_of[here]].astype(np.int64) * len(self.launches) + piece.launch_of[here]
            matrix.reshape(-1)[flat] = values[here]
        return {name: matrix[row] for name, row in rows.items() if not np.isnan(matrix[row]).all()}
