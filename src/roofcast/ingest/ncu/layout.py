"""What the columns of an ncu CSV are, from its header line, in every version and form."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from roofcast.core.records import dataclass
from roofcast.ingest.text.lines import split_header

IDENTITY: dict[str, tuple[str, ...]] = {
    "id": ("id", "action id", "result id"),
    "process": ("process id",),
    "kernel": ("kernel name", "function name", "demangled name"),
    "context": ("context", "context id"),
    "stream": ("stream", "stream id"),
    "block": ("block size",),
    "grid": ("grid size",),
    "device": ("device", "device id"),
    "cc": ("cc", "compute capability"),
    "invocations": ("invocations",),
    "gpu": ("device name",),
}
"""What names a launch -> headers of its column, in lower case."""

KEPT = ("kernel", "grid", "block", "cc", "gpu", "invocations")
"""What is kept of the identity, in the order of ``ncu_launches.Launch``."""

METRIC = ("metric name",)
UNIT = ("metric unit",)
SECTION = ("section name",)
# The summary over launches (--print-summary) has three values; the mean stands for a launch.
VALUE = ("metric value", "average", "metric average", "avg")
NEVER_KEPT = ("host name", "process name", "process", "kernel time", "time", "api call id", "host", "session")
"""Columns about people, machines and moments: never read."""

NVTX = re.compile(r"domain:(?:push/pop|start/stop)_range")
"""In the headers of columns of NVTX ranges."""
BRACKETED = re.compile(r"^(?P<name>\S+)\s*[\[(](?P<unit>[^\])]*)[\])]$")
COUNT = re.compile(r"[0-9]+(\.0)?")
COUNTS = re.compile(r"[0-9]+(?:\.0)?(?:\n[0-9]+(?:\.0)?)*")


@dataclass(frozen=True)
class Layout:
    """Columns of one CSV: which identify the launch, and where metrics stand."""

    delimiter: str
    columns: int
    identity: dict[str, int]
    """Name of :data:`IDENTITY` -> position."""
    metric: int = -1
    unit: int = -1
    value: int = -1
    section: int = -1
    wide: tuple[tuple[int, str, str], ...] = ()
    """Position, metric name and unit of each metric column, where each metric has a column of its own."""

    @property
    def is_long(self) -> bool:
        """Whether each row is one metric of a launch, rather than one launch."""
        return self.metric >= 0

    @cached_property
    def identity_columns(self) -> list[tuple[str, int]]:
        """Names and positions of the columns that tell launches apart, by position.

        The ID counts the launches of a process over all its contexts, streams and devices.
        """
        redundant = ("context", "stream", "device") if "id" in self.identity else ()
        return sorted(((k, i) for k, i in self.identity.items() if k not in redundant), key=lambda item: item[1])

    @cached_property
    def key_columns(self) -> list[int]:
        """Positions of the columns of which one differs between two launches."""
        by_number = {"id", "process"} <= set(self.identity)
        enough = ("id", "process") if by_number else ("id", "kernel") if "id" in self.identity else tuple(self.identity)
        return [self.identity[key] for key in enough if key in self.identity]

    @cached_property
    def pick(self) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
        """Takes :data:`KEPT` out of the cells of :attr:`identity_columns` followed by one empty cell."""
        at = {name: position for position, (name, _) in enumerate(self.identity_columns)}
        return itemgetter(*(at.get(name, -1) for name in KEPT))


def parse_header(line: str) -> Layout | None:
    """Layout of a header line; None where the line is none. Text before ``"ID"`` in the line is skipped.

    >>> layout = parse_header('"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"')
    >>> layout.is_long, layout.identity, layout.value
    (True, {'id': 0, 'process': 1, 'kernel': 2}, 5)
    """
    text = line.strip().lstrip("\ufeff")
    # The program's last line may lack its end, so that the header follows on the same line.
    quoted = re.search(r'"(?:ID|Process ID)"\s*[,;\t|]', text)
    cells, delimiter = split_header(text[quoted.start() :] if quoted else text)
    names = [" ".join(c.lower().split()) for c in cells]
    identity = {
        key: names.index(header) for key, wanted in IDENTITY.items() if (header := first_of(wanted, names)) is not None
    }
    if "kernel" not in identity:
        return None
    metric, value = position(METRIC, names), position(VALUE, names)
    if metric >= 0 and value >= 0:
        unit, section = position(UNIT, names), position(SECTION, names)
        return Layout(delimiter, len(cells), identity, metric, unit, value, section)
    wide = wide_columns(cells, names, identity)
    # A table that happens to have a kernel column is read by the table reader.
    if "id" not in identity or not ("process" in identity or "context" in identity) or not wide:
        return None
    return Layout(delimiter, len(cells), identity, wide=wide)


def wide_columns(cells: list[str], names: list[str], identity: dict[str, int]) -> tuple[tuple[int, str, str], ...]:
    """Metric columns of a wide CSV: all that neither identify the launch nor are never kept."""
    taken = set(identity.values())
    columns = []
    for index, (cell, name) in enumerate(zip(cells, names, strict=True)):
        if index in taken or not name or name in NEVER_KEPT or NVTX.search(name):
            continue
        match = BRACKETED.match(cell)
        columns.append((index, match["name"], match["unit"]) if match else (index, cell, ""))
    # Without a single metric name this is some other table.
    return tuple(columns) if any(re.search(r"[a-z0-9]__[a-z]", n) for _, n, _ in columns) else ()


def first_of(wanted: tuple[str, ...], names: list[str]) -> str | None:
    """The first wanted header that is there."""
    return next((w for w in wanted if w in names), None)


def position(wanted: tuple[str, ...], names: list[str]) -> int:
    """Position of the first wanted header that is there; -1 without."""
    header = first_of(wanted, names)
    return -1 if header is None else names.index(header)


def are_launches(cells: list[tuple[str, ...]], layout: Layout) -> NDArray[np.bool_]:
    """(n,) whether the cells of n rows name a launch: its number, and a kernel.

    cells : of each row, in the order of ``Layout.identity_columns``.
    """
    at = {name: position for position, (name, _) in enumerate(layout.identity_columns)}
    kernels = list(map(itemgetter(at["kernel"]), cells))
    anchor = at.get("id", at.get("process"))
    numbers = [] if anchor is None else list(map(itemgetter(anchor), cells))
    # One long text is tested much quicker than many short ones.
    if all(kernels) and (anchor is None or COUNTS.fullmatch("\n".join(numbers))):
        return np.ones(len(cells), np.bool_)
    named = np.array([bool(kernel) for kernel in kernels], np.bool_)
    return named & [COUNT.fullmatch(number) is not None for number in numbers] if numbers else named
