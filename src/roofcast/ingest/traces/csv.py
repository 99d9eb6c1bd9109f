"""CSV traces: which header stands above a line, and cells by the meaning of their column.

Profilers print one kind of event per file, several tables one after the other, or a table behind their own messages.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import LARGEST, FloatArray
from roofcast.core.records import dataclass
from roofcast.ingest.text.decoding import MAX_CELL_CHARS, head_text, is_text, open_text
from roofcast.ingest.traces.event_columns import LIMIT, T, code_each

SECONDS = {"ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 10**9, "sec": 10**9}
"""Nanoseconds per unit."""
BYTES = {"B": 1.0, "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30,
         "bytes": 1.0}  # fmt: skip
UNIT = re.compile(r"^(.*?)\s*\(([^()]*)\)$")
WHOLE = re.compile(r"[+-]?\d+")
MAX_COLUMNS = 2000
"""Columns of a header beyond which the file is no trace."""
BLOCK_ROWS = 1 << 14
"""Rows that become columns at once."""


@dataclass(frozen=True)
class Layout:
    """What identifies one table, and where its values stand."""

    kind: str
    needed: frozenset[str]
    """Folded header cells that must all be there."""
    refused: frozenset[str] = frozenset()
    """Folded header cells that must not be there."""


@dataclass(frozen=True)
class Header:
    """A header that was found."""

    kind: str
    at: Mapping[str, int]
    """Folded name without unit -> column."""
    units: Mapping[str, str]
    """Folded name -> unit, where the header has one."""


@dataclass
class Block:
    """Lines below one header, as columns."""

    header: Header
    rows: list[list[str]]

    def __post_init__(self) -> None:
        width = max(self.header.at.values()) + 1
        rows = [r if len(r) >= width else [*r, *[""] * (width - len(r))] for r in self.rows]
        self.columns = list(zip(*rows, strict=False)) or [()] * width

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def kind(self) -> str:
        """Kind of the table."""
        return self.header.kind

    def has(self, name: str) -> bool:
        """Whether the header has a column."""
        return name in self.header.at

    def cells(self, *names: str) -> tuple[str, ...]:
        """The cells under the first of the names that the header has; '' throughout without."""
        for name in names:
            if name in self.header.at:
                return self.columns[self.header.at[name]]
        return ("",) * len(self)

    def whole(self, *names: str, default: int = -1) -> NDArray[np.int64]:
        """(n,) whole numbers, or the first ones in texts such as "Agent 4"."""
        cells = self.cells(*names)
        quick = as_numbers(cells, np.int64)
        if quick is not None and (not len(quick) or int(np.abs(quick).max()) < LIMIT):
            return quick
        return code_each(cells, lambda text: whole_in(text, default), np.int64)

    def numbers(self, *names: str, factors: Mapping[str, float] | None = None) -> FloatArray:
        """(n,) numbers that are not negative, in base units; NaN where there are none."""
        name = next((n for n in names if n in self.header.at), "")
        cells = self.cells(*names)
        quick = as_numbers(cells, np.float64)
        values = code_each(cells, number_in, np.float64) if quick is None else quick
        factor = (factors or {}).get(self.header.units.get(name, ""), 1.0)
        return factor * np.where((values >= 0) & (values <= LARGEST), values, np.nan)

    def nanoseconds(self, *names: str) -> NDArray[np.int64]:
        """(n,) times; hugely negative where there are none, so that the event counts as damaged."""
        name = next((n for n in names if n in self.header.at), "")
        factor = SECONDS.get(self.header.units.get(name, "ns"), 1)
        cells = self.cells(*names)
        quick = as_numbers(cells, np.int64)
        if quick is not None and (not len(quick) or int(np.abs(quick).max()) < LIMIT // factor):
            return quick * factor
        return code_each(cells, lambda text: time_in(text, factor), np.int64)

    def codes(self, *names: str, code: Callable[[str], int]) -> NDArray[np.int64]:
        """(n,) what a function makes of each cell; it is asked once per distinct text."""
        return code_each(self.cells(*names), code, np.int64)


NO_TIME = -LIMIT
SHORT = 32
"""Longest text of a number that is converted in one go."""


def as_numbers(cells: tuple[str, ...], kind: type[T]) -> NDArray[T] | None:
    """(n,) numbers at once; None where any cell is none."""
    if max(map(len, cells), default=0) > SHORT:
        return None
    try:
        return np.array(cells, dtype=np.str_).astype(kind)
    except (ValueError, OverflowError):
        return None


def whole_in(text: str, default: int) -> int:
    """The first whole number in a text."""
    match = WHOLE.search(text[:64].replace(",", ""))
    value = int(match[0]) if match else default
    return value if abs(value) < LIMIT else default


def number_in(text: str) -> float:
    """A number; NaN where there is none."""
    try:
        return float(text[:64].replace(",", ""))
    except ValueError:
        return math.nan


def time_in(text: str, factor: int) -> int:
    """A time in nanoseconds."""
    try:
        value = round(float(text[:64].replace(",", "")) * factor)
    except (ValueError, OverflowError):
        return NO_TIME
    return value if abs(value) < LIMIT else NO_TIME


@lru_cache(maxsize=4096)
def folded(cell: str) -> tuple[str, str]:
    """A header cell in lower case without blanks and signs, and its unit.

    >>> folded("Start (ns)"), folded("gpu-id"), folded("Grid_Size_X"), folded("Time (%)")
    (('start', 'ns'), ('gpuid', ''), ('gridsizex', ''), ('time', '%'))
    """
    match = UNIT.match(cell.strip())
    name, unit = (match[1], match[2]) if match else (cell.strip(), "")
    return re.sub(r"[^a-z0-9]", "", name.lower()), unit


def header_of(cells: list[str], layouts: tuple[Layout, ...]) -> Header | None:
    """The header that cells are; None where they are none."""
    if not 2 <= len(cells) <= MAX_COLUMNS:
        return None
    parts = [folded(c[:200]) for c in cells]
    names = {name: i for i, (name, _) in reversed(list(enumerate(parts)))}
    for layout in layouts:
        if layout.needed <= names.keys() and not layout.refused & names.keys():
            return Header(layout.kind, names, {name: unit for name, unit in parts if unit})
    return None


def blocks_of(stream: BinaryIO, layouts: tuple[Layout, ...]) -> Iterator[Block]:
    """The lines below known headers, some thousand at a time."""
    csv.field_size_limit(MAX_CELL_CHARS)
    text = open_text(stream)
    header: Header | None = None
    rows: list[list[str]] = []
    try:
        for cells in rows_of_text(text):
            # A header holds no number; every line below one does.
            if not any(cell.isdigit() for cell in cells):
                known = header_of(cells, layouts)
                if known is not None:
                    if header is not None and rows:
                        yield Block(header, rows)
                    header, rows = known, []
                    continue
            if header is not None and len(cells) > 1:
                rows.append(cells)
                if len(rows) == BLOCK_ROWS:
                    yield Block(header, rows)
                    rows = []
        if header is not None and rows:
            yield Block(header, rows)
    except csv.Error as error:
        raise InputError(f"damaged CSV: {one_line(str(error), 120)}") from error
    finally:
        text.detach()


def rows_of_text(text: io.TextIOWrapper) -> Iterator[list[str]]:
    """The cells of each line; tabs separate them where the first lines have more tabs than commas."""
    lines = (line.replace("\0", "") for line in text)
    first = list(islice(lines, 20))
    tabs = sum(line.count("\t") for line in first) > sum(line.count(",") for line in first)
    return csv.reader(chain(first, lines), delimiter="\t" if tabs else ",")


def head_header(head: bytes, layouts: tuple[Layout, ...]) -> Header | None:
    """The first known header among the first lines of a file."""
    if not is_text(head):
        return None
    lines = head_text(head).split("\n", 60)[:60]
    try:
        for delimiter in ",\t":
            for cells in csv.reader((x for x in lines if delimiter in x), delimiter=delimiter):
                header = header_of(cells, layouts)
                if header is not None:
                    return header
    except csv.Error:
        return None
    return None
