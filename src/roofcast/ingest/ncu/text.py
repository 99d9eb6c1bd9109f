"""What ncu prints to the console: a line per launch, below it tables of metrics between rules of dashes.

Paragraphs of advice are skipped. The listing holds what its sections hold; the default set has neither FLOPs nor
bytes, and then they are absent here too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import field
from typing import BinaryIO

import numpy as np

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, Provenance
from roofcast.core.records import dataclass
from roofcast.ingest.ncu.launches import Launch, metric_name, table_of_launches
from roofcast.ingest.text.decoding import head_text, is_text, open_text
from roofcast.ingest.text.numbers import Evidence, Kind, decide, parse_number, settle
from roofcast.ingest.text.profiler_units import metric_factor

RULE = re.compile(r"^\s*-{3,}(?:\s+-{3,}){1,4}\s*$")
DASHES = re.compile(r"-+")
SECTION = re.compile(r"^\s*Section: (?P<name>.+?)\s*$")
ITEM = re.compile(r", (?P<key>Context|Stream|Device|CC|Invocations) (?P<value>[\w.]+)$")
DATE = re.compile(r", \d{4}-[A-Z][a-z]{2}-\d{1,2} \d{2}:\d{2}:\d{2}$")
SIZES = re.compile(r"\s*(?P<grid>\(\d+, ?\d+, ?\d+\))x(?P<block>\(\d+, ?\d+, ?\d+\))$")
MAX_LINE_CHARS = 2**20
"""Characters of a line that are searched; what follows is no kernel's name."""


def recognises(head: bytes, name: str) -> bool:
    """Whether a line of a launch stands in the head, and a section or a rule of dashes below it."""
    if not is_text(head):
        return False
    launch = False
    for line in head_text(head).split("\n"):
        if launch and (RULE.match(line) or SECTION.match(line)):
            return True
        launch = launch or parse_launch(line) is not None
    return False


def parse_launch(line: str) -> Launch | None:
    """The launch that a line announces; None where it announces none.

    >>> parse_launch("  scale(float *, int) (32, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.0")
    Launch(kernel='scale(float *, int)', grid='(32, 1, 1)', block='(256, 1, 1)', cc='8.0', gpu='', invocations=nan)
    >>> parse_launch("  scale, 2020-Oct-25 19:59:36, Context 1, Stream 7").kernel
    'scale'
    """
    # Cheap test first: this runs on every line of the program's output.
    if ", Context " not in line and ", Device " not in line and ", Invocations " not in line:
        return None
    rest = line.strip()[:MAX_LINE_CHARS]
    items: dict[str, str] = {}
    while match := ITEM.search(rest):
        items[match["key"]] = match["value"]
        rest = rest[: match.start()]
    rest = DATE.sub("", rest)
    sizes = SIZES.search(rest)
    kernel = rest[: sizes.start()] if sizes else rest
    if not items or not kernel or ("Context" not in items and sizes is None):
        return None
    count = parse_number(items.get("Invocations", ""))[0]
    grid, block = (sizes["grid"], sizes["block"]) if sizes else ("", "")
    return Launch(kernel, grid, block, items.get("CC", ""), "", count)


@dataclass
class Listing:
    """What was read so far."""

    launches: list[Launch] = field(default_factory=list)
    cells: list[tuple[int, str, str, float, Kind]] = field(default_factory=list)
    """Launch, metric, unit, value, kind of number."""

    def add(self, section: str, name: str, unit: str, value: str) -> None:
        """Take one line of a table."""
        number, kind = parse_number(value)
        if not math.isnan(number) and self.launches:
            self.cells.append((len(self.launches) - 1, metric_name(section, name, unit), unit, number, kind))

    def metrics(self) -> tuple[dict[str, FloatArray], str]:
        """Metric name -> (n,) values in base units, and a doubt about the locale."""
        kinds = np.array([c[4] for c in self.cells], dtype=np.uint8)
        evidence = Evidence()
        evidence.add(kinds)
        evidence.add_decimals(np.array([c[4] for c in self.cells if c[2] == "%"], dtype=np.uint8))
        decimal, note = decide(evidence, ambiguous_is_grouping=True)
        values = settle(np.array([c[3] for c in self.cells], dtype=np.float64), kinds, decimal)
        metrics: dict[str, FloatArray] = {}
        for (launch, name, unit, _, _), value in zip(self.cells, values, strict=True):
            column = metrics.setdefault(name, np.full(len(self.launches), np.nan))
            if np.isnan(column[launch]):
                column[launch] = value * metric_factor(name, unit)
        return metrics, note


def read(stream: BinaryIO, name: str) -> KernelTable:
    """All launches in file order."""
    text = open_text(stream)
    try:
        listing = read_lines(text)
    finally:
        text.detach()
    if not listing.launches:
        raise InputError(
            f"{one_line(name)}: not console text of ncu: no line such as 'kernel (64, 1, 1)x(256, 1, 1), Context 1, "
            "Stream 7, Device 0, CC 8.0'"
        )
    if not listing.cells:
        raise InputError(
            f"{one_line(name)}: the console text lists launches but no metrics: print with `ncu --csv --page raw`"
        )
    metrics, note = listing.metrics()
    return table_of_launches(listing.launches, metrics, Provenance(tool="Nsight Compute"), note)


def read_lines(lines: Iterator[str]) -> Listing:
    """Launches and their metrics from the lines of the text."""
    listing = Listing()
    section = ""
    columns: list[int] | None = None
    for raw in lines:
        line = raw.rstrip("\n").replace("\0", "")
        launch = parse_launch(line)
        if launch is not None:
            listing.launches.append(launch)
            section, columns = "", None
        elif match := SECTION.match(line):
            section, columns = match["name"], None
        elif RULE.match(line):
            columns = [m.start() for m in DASHES.finditer(line)]
        elif columns is not None:
            cells = split_at(line, columns)
            if cells is not None:
                listing.add(section, cells[0], cells[1], cells[-1])
            elif line.split()[:2] != ["Metric", "Name"]:
                columns = None
    return listing


def split_at(line: str, columns: list[int]) -> list[str] | None:
    """Name, unit and values of a table line by where the rule's columns start; None where the line is none.

    Units and values are set flush right, names flush left; a value is one word, so that the columns are read from
    the right and the rule only says whether there is a unit.
    """
    values = max(1, len(columns) - 2)
    words = line.split()
    if len(words) < 1 + values:
        return None
    if words[-1] == "n/a" and words[-2] == "(!)":
        words[-2:] = ["n/a"]
    tail, rest = words[len(words) - values :], line
    for word in reversed(tail):
        rest = rest[: rest.rfind(word)]
    if len(columns) < 3:
        return [rest.strip(), "", *tail]
    unit_from = columns[1]
    unit = rest[unit_from:].strip() if len(rest) > unit_from else ""
    name = rest[:unit_from].strip() if unit or len(rest) > unit_from else rest.strip()
    return [name, unit, *tail] if name and " " not in unit else None
