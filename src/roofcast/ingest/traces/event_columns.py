"""Cells of events as numbers, and columns of events that grow without end.

What no longer fits into memory goes to a temporary file. It has no name, so that nothing stays behind however the
process ends. Its folder is that of ``TMPDIR``.
"""

from __future__ import annotations

import math
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError
from roofcast.core.records import dataclass

BLOCK_ROWS = 1 << 15
"""Rows of single events that become columns at once."""
PART_ROWS = 1 << 17
"""Rows of a part on the disk, so that few have to be in memory to read them back."""
HELD_ROWS = 1 << 19
"""Rows of one kind of event that are kept in memory (a kernel takes 110 bytes)."""
MAX_ROWS = 2_000_000_000
"""Rows of one kind of event: positions stay below 2^31."""
LIMIT = 1 << 62
"""No time and no number of an event reaches this."""

T = TypeVar("T", np.int64, np.float64)

Block = dict[str, NDArray[Any]]

DTYPES: dict[str, type[np.generic]] = (
    dict.fromkeys(("regs", "smem", "bytes", "group"), np.float64)
    | dict.fromkeys(("kind", "way", "memory", "collective", "api"), np.uint8)
    | dict.fromkeys(("gx", "gy", "gz", "bx", "by", "bz", "device", "process", "name"), np.int32)
)
"""Columns that are no whole numbers of 64 bits: millions of rows should fit into memory."""


def dtype_of(name: str) -> np.dtype[Any]:
    """How a column is stored."""
    return np.dtype(DTYPES.get(name, np.int64))


@dataclass(frozen=True)
class Stored:
    """Rows in the file, column after column."""

    at: int
    rows: int
    first: int
    """Least start among them."""
    last: int
    """Greatest end."""


@dataclass
class Columns:
    """Rows that come one by one or in blocks."""

    names: tuple[str, ...]
    rows: list[tuple[float, ...]] = field(default_factory=list)
    held: list[Block] = field(default_factory=list)
    held_rows: int = 0
    stored: list[Stored] = field(default_factory=list)
    file: IO[bytes] | None = None

    def __len__(self) -> int:
        return sum(s.rows for s in self.stored) + self.held_rows + len(self.rows)

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: all rows; the file stays with this one."""
        blocks = list(self.blocks())
        rows = sum(len(block[self.names[0]]) for block in blocks)
        return {"names": self.names, "rows": [], "held": blocks, "held_rows": rows, "stored": [], "file": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the rows; what does not fit into memory goes to a file here too."""
        self.__dict__.update(state)
        if self.held_rows >= HELD_ROWS and "start" in self.names:
            self.store()

    def append(self, row: tuple[float, ...]) -> None:
        """One row, in the order of the names."""
        self.rows.append(row)
        if len(self.rows) >= BLOCK_ROWS:
            self.flush()

    def flush(self) -> None:
        """Move the single rows into a block."""
        if self.rows:
            self.extend(dict(zip(self.names, zip(*self.rows, strict=True), strict=True)))
            self.rows = []

    def extend(self, columns: Mapping[str, Any]) -> None:
        """Many rows at once; every name must be there."""
        block = {name: np.asarray(columns[name], dtype=dtype_of(name)) for name in self.names}
        self.held.append(block)
        self.held_rows += len(block[self.names[0]])
        if self.held_rows >= HELD_ROWS and "start" in self.names:
            self.store()
        if len(self) > MAX_ROWS:
            raise InputError(f"more than {MAX_ROWS:,} events: split the trace")

    def store(self) -> None:
        """Move what is held to the file."""
        if self.file is None:
            self.file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the columns
            weakref.finalize(self, self.file.close)
        whole = joined(self.held, self.names)
        self.held, self.held_rows = [], 0
        for at in range(0, len(whole["start"]), PART_ROWS):
            part = {name: whole[name][at : at + PART_ROWS] for name in self.names}
            size, first, last = len(part["start"]), int(part["start"].min()), int(part["end"].max())
            self.stored.append(Stored(self.file.seek(0, 2), size, first, last))
            for name in self.names:
                self.file.write(np.ascontiguousarray(part[name]).data)

    def blocks(
        self, names: Sequence[str] | None = None, begin: int | None = None, until: int | None = None
    ) -> Iterator[Block]:
        """The columns of the given names, block by block; only blocks that may hold rows between two times."""
        self.flush()
        names = names or self.names
        for part in self.stored:
            if (begin is None or part.last >= begin) and (until is None or part.first < until):
                yield {name: self.read(part, name) for name in names}
        for block in self.held:
            yield {name: block[name] for name in names}

    def read(self, part: Stored, name: str) -> NDArray[Any]:
        """One column of rows in the file."""
        if self.file is None:
            return np.zeros(0, dtype_of(name))
        before = sum(dtype_of(n).itemsize for n in self.names[: self.names.index(name)])
        self.file.seek(part.at + before * part.rows)
        data = self.file.read(part.rows * dtype_of(name).itemsize)
        return np.frombuffer(data, dtype_of(name))

    def finish(self) -> Block:
        """All rows as one array per name."""
        return joined(list(self.blocks()), self.names)


def joined(blocks: Sequence[Block], names: Sequence[str]) -> Block:
    """Blocks one after the other."""
    return {
        name: np.concatenate([b[name] for b in blocks]) if blocks else np.zeros(0, dtype_of(name)) for name in names
    }


def code_each(values: Sequence[Any], code: Callable[[Any], float], kind: type[T]) -> NDArray[T]:
    """(n,) what a function makes of each value; it is asked once per distinct one, in order of appearance."""
    known = {value: code(value) for value in dict.fromkeys(values)}
    return np.array([known[value] for value in values], dtype=kind)


def whole(found: Any, default: int) -> int:
    """A whole number of at most 62 bits from a number or a text of digits, else the default."""
    try:
        value = int(found)
    except (TypeError, ValueError, OverflowError):
        return default
    return value if abs(value) < LIMIT else default


def non_negative(found: Any) -> float:
    """A number that is not negative; NaN where it is none."""
    good = isinstance(found, (int, float)) and not isinstance(found, bool) and 0 <= found < 1e18
    return float(found) if good else math.nan


def positive(found: Any) -> float:
    """A number above zero; NaN where it is none."""
    value = non_negative(found)
    return value if value > 0 else math.nan
