"""Counter files of AMD's profilers (CSV).

One row per dispatch, as rocprof, rocprofv2 and rocprof-compute print them, or a long table: ``counter_collection.csv``
of rocprofv3, and listings in the layout of an ncu CSV.
"""

from __future__ import annotations

import csv
import dataclasses
import itertools
import math
import re
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.records import dataclass
from roofcast.ingest.amd.amd_amounts import KIB, is_counter
from roofcast.ingest.amd.dispatches import (
    Dispatch,
    agents_beside,
    described,
    number,
    seconds,
    summed,
    system_beside,
    table_of,
    times_beside,
    with_times,
)
from roofcast.ingest.text.decoding import MAX_CELL_CHARS, head_text, is_text, open_text
from roofcast.ingest.text.files import OF_PASSES, pass_of
from roofcast.ingest.traces.csv import folded

MAX_COLUMNS = 20_000
"""Columns of a header beyond which the file is no table of counters."""
HEAD_LINES = 60
"""Lines at the start of a file in which the header is looked for."""
NANOSECOND_S = 1e-9
"""s in a nanosecond: a column without unit counts in these."""
COLLECTION = frozenset({"kernelname", "countername", "countervalue"})
LISTING = frozenset({"id", "kernelname", "metricname", "metricvalue"})
TIME_UNITS_S = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "nsecond": 1e-9, "usecond": 1e-6, "msecond": 1e-3}

Cells = list[str]


@dataclass(frozen=True)
class Header:
    """Where the values of a file stand."""

    at: Mapping[str, int]
    """Folded name -> column."""
    counters: Mapping[str, int]
    """Counter as printed -> column, in a file with one row per dispatch."""

    def cell(self, row: Cells, *names: str) -> str:
        """The cell under the first of the names that the header has; '' without."""
        for name in names:
            at = self.at.get(name)
            if at is not None:
                return row[at].strip() if at < len(row) else ""
        return ""

    @property
    def listing(self) -> bool:
        """Whether it is in the layout of an ncu CSV."""
        return not self.at.keys() >= COLLECTION

    def number(self, row: Cells) -> str:
        """What tells launches of a kernel apart."""
        return self.cell(row, "dispatchid", "index", "id", "correlationid")

    def dispatch(self, row: Cells, kernel: str) -> Dispatch:
        """A dispatch without counters yet."""
        # Ordinary and accumulation registers share one file.
        ordinary = number(self.cell(row, "archvgpr", "vgprcount", "vgpr", "archvgprcount"))
        extra = number(self.cell(row, "accumvgpr", "accumvgprcount"))
        span = seconds(self.cell(row, "starttimestamp", "beginns"), self.cell(row, "endtimestamp", "endns"))
        if math.isnan(span):
            span = number(self.cell(row, "durationns")) * NANOSECOND_S
        return Dispatch(
            kernel=kernel,
            number=number(self.number(row)),
            items=number(self.cell(row, "gridsize", "grd")),
            group=number(self.cell(row, "workgroupsize", "wgr")),
            vgprs=ordinary + extra if extra >= 0 else ordinary,
            lds_bytes=number(self.cell(row, "ldsperworkgroup", "ldsblocksize", "lds")),
            wave=number(self.cell(row, "wavesize")),
            time_s=span if 0 < span < 1e6 else math.nan,
        )


def header_of(cells: Cells, *tables: frozenset[str]) -> Header | None:
    """The header that cells are, with the columns of one of the tables; None where they are none."""
    if not 3 <= len(cells) <= MAX_COLUMNS:
        return None
    names = [c.strip().lstrip("\ufeff") for c in cells]
    at = {folded(name[:200])[0]: i for i, name in reversed(list(enumerate(names)))}
    if not any(needed <= at.keys() for needed in tables):
        return None
    counters = {name: i for i, name in reversed(list(enumerate(names))) if len(name) <= 200 and is_counter(name)}
    return Header(at, dict(sorted(counters.items(), key=lambda item: item[1])))


def rows_in_head(head: bytes) -> Iterator[Cells]:
    """The cells of the first lines of a text, up to where they are no CSV. Never raises."""
    if is_text(head):
        with suppress(csv.Error):
            yield from csv.reader(head_text(head).split("\n", HEAD_LINES)[:HEAD_LINES])


@contextmanager
def rows_of(stream: BinaryIO, name: str) -> Iterator[Iterator[Cells]]:
    """The cells of each line.

    Raises
    ------
    InputError : no CSV.
    """
    csv.field_size_limit(MAX_CELL_CHARS)
    text = open_text(stream)
    try:
        yield csv.reader(line.replace("\0", "") for line in text)
    except csv.Error as error:
        raise InputError(f"{one_line(name)}: damaged CSV: {one_line(str(error), 120)}") from error
    finally:
        text.detach()


@dataclass(frozen=True)
class WideFormat:
    """Counter files with one row per dispatch, as one tool writes them."""

    needed: frozenset[str]
    """Folded names of columns that must be there."""
    tool: str

    def recognises(self, head: bytes, name: str) -> bool:
        """Whether a header of such a file stands in the head."""
        return any((h := header_of(cells, self.needed)) is not None and h.counters for cells in rows_in_head(head))

    def read(self, stream: BinaryIO, name: str) -> KernelTable:
        """One row per dispatch."""
        with rows_of(stream, name) as rows:
            heads = (header_of(cells, self.needed) for cells in itertools.islice(rows, 1000))
            header = next((h for h in heads if h is not None and h.counters), None)
            if header is None:
                raise InputError(f"{one_line(name)}: no header of an AMD counter file with one row per dispatch")
            counters = {total: array("d") for total in summed(header.counters)}
            listed = list(dispatches(rows, header, counters))
        columns = {total: np.frombuffer(values, dtype=np.float64) for total, values in counters.items() if len(values)}
        return table_of(listed, name, self.tool, columns)


def dispatches(rows: Iterator[Cells], header: Header, counters: Mapping[str, array[float]]) -> Iterator[Dispatch]:
    """Rows as dispatches, their counters appended to columns; lines without a kernel are passed over."""
    groups = [(counters[t], [header.counters[p] for p in parts]) for t, parts in summed(header.counters).items()]
    for row in rows:
        kernel = header.cell(row, "kernelname")
        if not kernel or folded(kernel[:50])[0] == "kernelname":
            continue
        for values, places in groups:
            values.append(sum(number(row[i]) if i < len(row) else math.nan for i in places))
        yield header.dispatch(row, kernel)


class ComputeFormat(WideFormat):
    """``pmc_perf.csv`` of rocprof-compute (Omniperf) and rocprofv2, with the other files of its folder."""

    def with_company(self, table: KernelTable, path: Path) -> KernelTable:
        """The table with what ``sysinfo.csv`` (or agent lists) and ``timestamps.csv`` beside the file say."""
        system = system_beside(path.parent / "sysinfo.csv")
        for part in ("pmc_perf", "pmc-perf"):
            if part in path.name and not system.arch:
                system = system_beside(path.with_name(path.name.replace(part, "sysinfo")))
        if not system.arch:
            system = agents_beside(sorted(path.parent.glob("*agent_info.csv")))
        return described(with_times(table, times_beside([path.parent / "timestamps.csv"])), system)


compute = ComputeFormat(frozenset({"dispatchid", "kernelname"}), "rocprof-compute")
results = WideFormat(frozenset({"index", "kernelname"}), "rocprof")
"""``results.csv`` of the first rocprof."""


def recognises(head: bytes, name: str) -> bool:
    """Whether a header of such a table stands in the head; of a listing also that its metrics are AMD's."""
    header = None
    metrics: list[str] = []
    for cells in rows_in_head(head):
        header = header or header_of(cells, COLLECTION, LISTING)
        if header is not None and not header.listing:
            return True
        if header is not None:
            metrics.append(header.cell(cells, "metricname"))
    return any(is_counter(m) for m in metrics) and not any(re.match(r"[a-z0-9]+__[a-z]", m) for m in metrics)


def read(stream: BinaryIO, name: str) -> KernelTable:
    """One row per dispatch, in order of appearance."""
    with rows_of(stream, name) as lines:
        rows = list(gathered(lines))
    if not any(is_counter(key) for row in rows for key in row.counters):
        raise InputError(f"{one_line(name)}: no AMD counters in it")
    return table_of(rows, name, "rocprofv3")


def gathered(rows: Iterator[Cells]) -> Iterator[Dispatch]:
    """Dispatches with all their counters.

    A counter that a file prints again below another header belongs to another pass over the same kernels: the first is
    kept. Within one table the lines of a counter are instances of a unit, which are added up.
    """
    by_key: dict[tuple[str, ...], Dispatch] = {}
    passes: dict[tuple[tuple[str, ...], str], int] = {}
    header: Header | None = None
    table = 0
    for row in rows:
        candidate = header_of(row, COLLECTION, LISTING)
        if candidate is not None:
            header, table = candidate, table + 1
            continue
        if header is None or not (kernel := header.cell(row, "kernelname")):
            continue
        key = (kernel, *(header.cell(row, n) for n in ("processid", "agentid")), header.number(row))
        dispatch = by_key.get(key)
        if dispatch is None:
            dispatch = by_key[key] = header.dispatch(row, kernel)
        counter, value = measured(header, row)
        if counter == "time":
            dispatch.time_s = value if value > 0 else math.nan
        elif is_counter(counter) and passes.setdefault((key, counter), table) == table:
            dispatch.counters[counter] = dispatch.counters.get(counter, 0.0) + value
    yield from by_key.values()


def measured(header: Header, row: Cells) -> tuple[str, float]:
    """Name and value of the counter of a line; ``time`` in seconds."""
    if not header.listing:
        return header.cell(row, "countername"), number(header.cell(row, "countervalue"))
    name, unit = header.cell(row, "metricname"), header.cell(row, "metricunit").lower()
    value = number(header.cell(row, "metricvalue"))
    if name.lower() in ("time", "duration"):
        return "time", value * TIME_UNITS_S.get(unit, math.nan)
    if name.lower().replace("_", "") in ("fetchsize", "writesize") and unit in ("bytes", "byte", "b"):
        return name, value / KIB
    return name, value


def with_company(table: KernelTable, path: Path) -> KernelTable:
    """The table with the agents and kernel times of the same run, in files beside it (rocprofv3 names them alike)."""
    prefix = path.name.removesuffix(".gz").removesuffix("counter_collection.csv")
    same = prefix if prefix != path.name.removesuffix(".gz") else ""
    agents = [p for p in sorted(path.parent.glob("*agent_info.csv")) if p.name.startswith(same)]
    times = [p for p in sorted(path.parent.glob("*kernel_trace.csv")) if same and p.name == f"{same}kernel_trace.csv"]
    return described(with_passes(with_times(table, times_beside(times)), path), agents_beside(agents))


def with_passes(table: KernelTable, path: Path) -> KernelTable:
    """The table of a first pass with the counters of the later passes over the same kernels."""
    place = pass_of(path)
    if place is None or place.name != "pass_1":
        return table
    counters = dict(table.counters)
    for other in sorted(place.parent.glob("pass_*"), key=lambda p: (len(p.name), p.name)):
        files = sorted(other.rglob(OF_PASSES)) if other.is_dir() and other != place else []
        if len(files) != 1:
            continue
        try:
            with files[0].open("rb") as stream:
                later = read(stream, files[0].name)
        except (InputError, OSError):
            continue
        if list(later.strings("kernel")) == list(table.strings("kernel")):
            counters = {**later.counters, **counters}
    return dataclasses.replace(table, counters=counters)
