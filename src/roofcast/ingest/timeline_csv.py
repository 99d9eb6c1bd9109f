"""CSV traces: which header stands above a line, and cells by the meaning of their column.

Profilers print one kind of event per file, several tables one after the other, or a table behind their own messages.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from roofcast.errors import InputError, one_line
from roofcast.ingest.decoding import MAX_CELL_CHARS, head_text, is_text, open_text

SECONDS = {"ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 10**9, "sec": 10**9}
"""Nanoseconds per unit."""
BYTES = {"B": 1.0, "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30,
         "bytes": 1.0}  # fmt: skip
UNIT = re.compile(r"^(.*?)\s*\(([^()]*)\)$")
WHOLE = re.compile(r"[+-]?\d+")
MAX_COLUMNS = 2000


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

    def cell(self, cells: list[str], *names: str) -> str:
        """The cell under the first of the names that the header has; '' without."""
        for name in names:
            at = self.at.get(name, -1)
            if 0 <= at < len(cells):
                return cells[at].strip()
        return ""

    def whole(self, cells: list[str], *names: str, default: int = -1) -> int:
        """A whole number, or the first one in a text such as "Agent 4"."""
        match = WHOLE.search(self.cell(cells, *names)[:64].replace(",", ""))
        value = int(match[0]) if match else default
        return value if abs(value) < 1 << 62 else default

    def number(self, cells: list[str], *names: str, factors: Mapping[str, float] | None = None) -> float:
        """A number that is not negative, in base units; NaN where there is none."""
        for name in names:
            if name in self.at:
                unit = self.units.get(name, "")
                try:
                    value = float(self.cell(cells, name).replace(",", ""))
                except ValueError:
                    return math.nan
                factor = (factors or {}).get(unit, 1.0)
                return value * factor if 0 <= value < 1e300 else math.nan
        return math.nan

    def nanoseconds(self, cells: list[str], *names: str) -> int:
        """A time; a hugely negative number where there is none, so that the event counts as damaged."""
        for name in names:
            if name in self.at:
                text = self.cell(cells, name)
                factor = SECONDS.get(self.units.get(name, "ns"), 1)
                try:
                    return int(text) * factor if text.isdigit() else round(float(text.replace(",", "")) * factor)
                except (ValueError, OverflowError):
                    return NO_TIME
        return NO_TIME


NO_TIME = -(1 << 63)


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


def rows_of(stream: BinaryIO, layouts: tuple[Layout, ...]) -> Iterator[tuple[Header, list[str]]]:
    """Every line below a known header, with that header.

    Raises
    ------
    InputError : a line is not CSV at all.
    """
    csv.field_size_limit(MAX_CELL_CHARS)
    text = open_text(stream)
    header: Header | None = None
    try:
        reader = csv.reader(line.replace("\0", "") for line in text)
        for cells in reader:
            # A header holds no number; every line below one does.
            if not any(cell.isdigit() for cell in cells):
                found = header_of(cells, layouts)
                if found is not None:
                    header = found
                    continue
            if header is not None and len(cells) > 1:
                yield header, cells
    except csv.Error as error:
        raise InputError(f"damaged CSV: {one_line(str(error), 120)}") from error
    finally:
        text.detach()


def head_header(head: bytes, layouts: tuple[Layout, ...]) -> Header | None:
    """The first known header among the first lines of a file."""
    if not is_text(head):
        return None
    lines = [line for line in head_text(head).split("\n", 60)[:60] if "," in line]
    try:
        for cells in csv.reader(lines):
            found = header_of(cells, layouts)
            if found is not None:
                return found
    except csv.Error:
        return None
    return None
