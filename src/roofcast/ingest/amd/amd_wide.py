"""AMD counter files with one row per dispatch and one column per counter, as three tools print them."""

from __future__ import annotations

import csv
import itertools
import math
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.ingest.amd.amd_amounts import is_counter
from roofcast.ingest.amd.dispatches import Dispatch, number, seconds, summed, table_of
from roofcast.ingest.text.decoding import MAX_CELL_CHARS, head_text, is_text, open_text
from roofcast.ingest.traces.csv import folded

MAX_COLUMNS = 20_000
HEAD_LINES = 30
NANOSECOND_S = 1e-9

Cells = list[str]


@dataclass(frozen=True)
class WideHeader:
    """Where the values of a wide file stand."""

    at: Mapping[str, int]
    """Folded name -> column."""
    counters: Mapping[str, int]
    """Counter as printed -> column."""

    def cell(self, row: Cells, *names: str) -> str:
        """The cell under the first of the names that the header has; '' without."""
        for name in names:
            at = self.at.get(name)
            if at is not None:
                return row[at] if at < len(row) else ""
        return ""


def wide_header(cells: Cells, needed: frozenset[str]) -> WideHeader | None:
    """The header that cells are; None where they are none, or one without counters."""
    if not 3 <= len(cells) <= MAX_COLUMNS:
        return None
    names = [c.strip() for c in cells]
    at: dict[str, int] = {}
    for i, name in enumerate(names):
        at.setdefault(folded(name[:200])[0], i)
    if not needed <= at.keys():
        return None
    counters: dict[str, int] = {}
    for i, name in enumerate(names):
        if len(name) <= 200 and is_counter(name):
            counters.setdefault(name, i)
    return WideHeader(at, counters) if counters else None


def recognised_wide(head: bytes, needed: frozenset[str]) -> bool:
    """Whether a header of such a file stands among the first lines. Never raises."""
    if not is_text(head):
        return False
    lines = head_text(head).split("\n", HEAD_LINES)[:HEAD_LINES]
    try:
        return any(wide_header(cells, needed) is not None for cells in csv.reader(lines))
    except csv.Error:
        return False


def read_wide(stream: BinaryIO, name: str, needed: frozenset[str], tool: str) -> KernelTable:
    """The kernel table of a wide file, in file order.

    Raises
    ------
    InputError : no header of such a file, a damaged one, or one without dispatches.
    """
    csv.field_size_limit(MAX_CELL_CHARS)
    text = open_text(stream)
    try:
        rows = csv.reader(line.replace("\0", "") for line in text)
        header = next((h for cells in itertools.islice(rows, 1000) if (h := wide_header(cells, needed))), None)
        if header is None:
            raise InputError(f"{one_line(name)}: no header of an AMD counter file with one row per dispatch")
        counters = {total: array("d") for total in summed(header.counters)}
        found = list(dispatches(rows, header, counters))
    except csv.Error as error:
        raise InputError(f"{one_line(name)}: damaged CSV: {one_line(str(error), 120)}") from error
    finally:
        text.detach()
    columns = {total: np.frombuffer(values, dtype=np.float64) for total, values in counters.items() if len(values)}
    return table_of(found, name, tool, columns)


def dispatches(rows: Iterator[Cells], header: WideHeader, counters: Mapping[str, array[float]]) -> Iterator[Dispatch]:
    """Rows as dispatches, their counters appended to columns; lines without a kernel are passed over."""
    groups = [(counters[t], [header.counters[p] for p in parts]) for t, parts in summed(header.counters).items()]
    for row in rows:
        kernel = header.cell(row, "kernelname").strip()
        if not kernel or folded(kernel[:50])[0] == "kernelname":
            continue
        for values, places in groups:
            values.append(sum(number(row[i]) if i < len(row) else math.nan for i in places))
        yield Dispatch(
            kernel=kernel,
            number=number(header.cell(row, "dispatchid", "index")),
            items=number(header.cell(row, "gridsize", "grd")),
            group=number(header.cell(row, "workgroupsize", "wgr")),
            vgprs=registers(header, row),
            lds_bytes=number(header.cell(row, "ldsperworkgroup", "ldsblocksize", "lds")),
            wave=number(header.cell(row, "wavesize")),
            time_s=duration(header, row),
        )


def registers(header: WideHeader, row: Cells) -> float:
    """Vector registers per lane: ordinary and accumulation ones share one file."""
    ordinary = number(header.cell(row, "archvgpr", "vgprcount", "vgpr"))
    extra = number(header.cell(row, "accumvgpr", "accumvgprcount"))
    return ordinary + extra if extra >= 0 else ordinary


def duration(header: WideHeader, row: Cells) -> float:
    """Seconds of a dispatch."""
    span = seconds(header.cell(row, "starttimestamp", "beginns"), header.cell(row, "endtimestamp", "endns"))
    if math.isnan(span):
        span = number(header.cell(row, "durationns")) * NANOSECOND_S
    return span if 0 < span < 1e6 else math.nan
