"""What nccl-tests and rccl-tests print: a line per size, with the times of a collective among all ranks.

Sizes are those of the group's buffer, as :mod:`roofcast.models.physics.link_times` takes them. Which collective it was
stands in the output of version 2.14 and later; before, only those of which the ratio of both bandwidths and the
reduction are like no other's can be told, or the name of the file says it.
"""

from __future__ import annotations

import math
import re
from dataclasses import field
from typing import BinaryIO

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.records import dataclass
from roofcast.ingest.text.decoding import head_text, is_text, open_text

PREFIX = re.compile(r"^\s*(?:\[[\d,]+\]<std(?:out|err)>:)?\s*")
"""What mpirun puts before a line."""
HEADER = re.compile(r"#\s+size\s+count\b.*\btime\s+algbw\s+busbw\b")
RANK = re.compile(r"#\s+Rank\s+(\d+)\b.*?\bon\s+(\S+)\s+device\s+\d+\s+\[[^\]]*\]\s+(.+?)\s*$")
STARTING = re.compile(r"#\s+Collective test starting:\s*(\w+)")
ROW = re.compile(r"(\d+)\s+(\d+)\s+(\w+)\s+(\w+)\s+(-?\d+)\s+(\S.*)$")
PLACES = {0: "", 4: "in place"}
"""First cell of a pair of columns -> where the result was written."""
NAMES = {
    "all_reduce": "all_reduce", "all_gather": "all_gather", "reduce_scatter": "reduce_scatter",
    "alltoall": "all_to_all", "broadcast": "broadcast", "reduce": "reduce", "sendrecv": "point_to_point",
}  # fmt: skip
LIKE = 0.02
"""How far a ratio of two printed bandwidths may be from the one that it stands for."""
MOST_ROWS = 100_000
"""Rows of a listing that are kept: tests double the size from row to row, so that real ones have dozens."""
MAX_LINE_CHARS = 4096
"""Characters of a line that are searched."""


def recognises(head: bytes, name: str) -> bool:
    """Whether the header of a table of nccl-tests stands in the head."""
    return is_text(head) and any(HEADER.search(line) for line in head_text(head).split("\n"))


@dataclass
class Listing:
    """What was read so far."""

    collective: str = ""
    gpus: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    tested: list[tuple[str, str, int, int, str, float, str]] = field(default_factory=list)
    """Collective, GPU, ranks, bytes, type, s, where the result was."""
    nodes: int = 1

    def take(self, line: str) -> None:
        """One line of the output."""
        line = PREFIX.sub("", line.rstrip())
        if (match := RANK.match(line)) is not None:
            if int(match[1]) == 0:
                self.gpus, self.hosts = [], set()
            self.gpus.append(match[3])
            self.hosts.add(match[2])
        elif (match := STARTING.match(line)) is not None:
            self.collective = find_collective(match[1])
        elif (match := ROW.match(line)) is not None and self.gpus:
            self.add(match)

    def add(self, found: re.Match[str]) -> None:
        """A line of times."""
        cells = found[6].split()
        size, ranks = int(found[1]), len(self.gpus)
        for first, place in PLACES.items():
            try:
                time_us, algorithm, bus = (float(c) for c in cells[first : first + 3])
            except ValueError:
                continue
            if not 0 < time_us < math.inf or not size or len(self.tested) >= MOST_ROWS:
                continue
            name = self.collective or tell_collective(found[4], int(found[5]), bus, algorithm, ranks)
            self.nodes = max(self.nodes, len(self.hosts))
            self.tested.append((name, self.gpus[0], ranks, size, found[3], time_us * 1e-6, place))


def find_collective(text: str) -> str:
    """The collective in the name of a program or file; '' where it names none.

    >>> find_collective("all_reduce_perf_mpi"), find_collective("alltoall_perf"), find_collective("output")
    ('all_reduce', 'all_to_all', '')
    """
    known = sorted(NAMES, key=len, reverse=True)
    return next((NAMES[n] for n in known if f"{n}_perf" in text.lower()), "")


def tell_collective(reduction: str, root: int, bus: float, algorithm: float, ranks: int) -> str:
    """The collective that a line's own numbers tell; ``other`` where they are those of several.

    >>> tell_collective("sum", -1, 420.42, 240.24, 8), tell_collective("none", -1, 300.0, 342.9, 8)
    ('all_reduce', 'other')
    """
    if not algorithm > 0 or not bus > 0:
        return "other"
    ratio, share = bus / algorithm, (ranks - 1) / ranks
    if reduction != "none" and root < 0:
        if abs(ratio / (2 * share) - 1) < LIKE and ranks > 1:
            return "all_reduce"
        return "reduce_scatter" if abs(ratio / share - 1) < LIKE else "other"
    if root >= 0:
        return "reduce" if reduction != "none" else "broadcast"
    return "other"


def read(stream: BinaryIO, name: str) -> KernelTable:
    """A row per line and place of the result, in file order."""
    listing = Listing(find_collective(name))
    headed = False
    lines = open_text(stream)
    try:
        for line in lines:
            headed = headed or HEADER.search(line) is not None
            listing.take(line[:MAX_LINE_CHARS])
    finally:
        lines.detach()
    if not headed:
        raise InputError(f"{one_line(name)}: no output of nccl-tests: no line '#  size  count  type ...'")
    rows = settle_names(listing.tested)
    if not rows:
        raise InputError(f"{one_line(name)}: no times of collectives: nccl-tests prints ranks and GPUs above them")
    notes = [f"nccl-tests among {listing.nodes} nodes: their network is in the times"] if listing.nodes > 1 else []
    if any(r[0] == "other" for r in rows):
        notes.append("which collective was tested is not said: name the file as its program, all_gather_perf.txt")
    config = [" ".join(filter(None, (f"{r[3]} B {r[4]} x {r[2]}", r[6]))) for r in rows]
    text = {"kernel": [f"NCCL {r[0]}" for r in rows], "config": config, "gpu": [r[1] for r in rows],
            "collective": [r[0] for r in rows]}  # fmt: skip
    numbers = {"launch": [float(i) for i in range(len(rows))], "time_s": [r[5] for r in rows],
               "bytes_collective": [float(r[3]) for r in rows],
               "gpus_collective": [float(r[2]) for r in rows]}  # fmt: skip
    origin = Provenance(file=name, format="nccl-tests", tool="nccl-tests", notes=tuple(notes))
    return KernelTable.from_columns(text, {k: (v, Origin.COUNTED) for k, v in numbers.items()}, provenance=origin)


def settle_names(
    tested: list[tuple[str, str, int, int, str, float, str]],
) -> list[tuple[str, str, int, int, str, float, str]]:
    """Small sizes print bandwidths of 0: a whole table is of the collective that its other lines tell."""
    known = {r[0] for r in tested} - {"other"}
    return [(next(iter(known)), *r[1:]) for r in tested] if len(known) == 1 else tested
