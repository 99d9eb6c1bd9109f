"""One block of an ncu CSV whose cells are all quoted, as ncu writes them, read from the positions of its cells.

The quickest path: passes over bytes that NumPy makes at memory speed and outside of the interpreter lock. It takes
only blocks in which every quote is the start or the end of a cell as far as the row is read, and gives None for all
others; these go the ways of :mod:`roofcast.ingest.ncu_rows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.ingest.ncu_layout import Layout
from roofcast.ingest.numbers import FloatArray, Kind, KindArray, parse_numbers, parse_quoted

ByteArray = NDArray[np.uint8]
Positions = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

QUOTE, LINE_FEED = ord('"'), ord("\n")
MAX_GATHERED_BYTES = 16 * 2**20
"""One very long name must not make the width of all rows."""
SAMPLE = 2000
"""Numbers at the start of a block that may show its locale."""


@dataclass
class QuotedCells:
    """Where the cells of a block are; quotes included."""

    block: bytes
    data: ByteArray
    starts: Positions
    ends: Positions
    first: Positions
    """Position in ``starts`` of each row's first cell."""
    counts: Positions
    """Cells of each row."""
    is_exact: bool
    """Whether no cell holds a quote inside."""

    def text(self, cell: int) -> str:
        """What a cell holds."""
        found = self.block[self.starts[cell] + 1 : self.ends[cell] - 1]
        return found.decode("utf-8", "replace").replace('""', '"')

    def gather(self, cells: Positions, after: int = 0) -> tuple[ByteArray, BoolArray] | None:
        """(n, width) bytes of cells and ``after`` bytes more, zero behind their ends, and which are theirs."""
        lengths = self.ends[cells] - self.starts[cells] + after
        width = -(-int(lengths.max(initial=1)) // 8) * 8
        if width * len(cells) > MAX_GATHERED_BYTES:
            return None
        padded = np.concatenate((self.data, np.zeros(width + 8, np.uint8)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, width)
        mine = np.arange(width) < lengths[:, None]
        return windows[self.starts[cells]] * mine, mine


def find_cells(block: bytes, delimiter: str) -> QuotedCells | None:
    """The cells of a block; None where a line is no row of quoted cells."""
    data = np.frombuffer(block, np.uint8)
    quotes = data == QUOTE
    limits = data == LINE_FEED
    limits[1:-1] |= quotes[:-2] & (data[1:-1] == ord(delimiter)) & quotes[2:]
    ends = np.flatnonzero(limits)
    if not block.endswith(b"\n"):
        ends = np.append(ends, len(block))
    ends_line = np.ones(len(ends), np.bool_)
    ends_line[:-1] = data[ends[:-1]] == LINE_FEED
    last = np.flatnonzero(ends_line)
    starts = np.empty_like(ends)
    starts[0], starts[1:] = 0, ends[:-1] + 1
    # Rows of metrics may end in a delimiter, where only rows of rules have all the columns.
    trailing = data[ends[last] - 1] == ord(delimiter)
    ends[last[trailing]] -= 1
    if (ends - starts).min() < len('""') or not quotes[ends[last] - 1].all():
        return None
    first = np.concatenate((np.zeros(1, np.intp), last[:-1] + 1))
    if not quotes[starts[first]].all():
        return None
    is_exact = int(np.count_nonzero(quotes)) == 2 * len(ends)
    return QuotedCells(block, data, starts, ends, first, np.diff(last, prepend=-1), is_exact)


@dataclass
class LongCells:
    """The rows of a long CSV that hold metrics."""

    cells: QuotedCells
    starts: BoolArray
    """(n,) whether a row is the first of its launch."""
    launches: list[tuple[str, ...]]
    metrics: list[tuple[str, ...]]
    metric_of: Positions
    values: FloatArray
    kinds: KindArray
    value_cells: Positions


def long_cells(block: bytes, layout: Layout, columns: Sequence[int], key: Sequence[int]) -> LongCells | None:
    """Rows of a long CSV.

    columns : positions of the cells that name a launch; key : of those by which launches differ.
    """
    cells = find_cells(block, layout.delimiter)
    parts = [i for i in (layout.section, layout.metric, layout.unit) if i >= 0]
    needed = max(*columns, *parts, layout.value)
    if cells is None or cells.counts.min() <= needed or not (cells.is_exact or is_exact_until(cells, needed)):
        return None
    metric = cells.first + layout.metric
    # Rows of rules have no metric.
    rows = cells.first[cells.ends[metric] - cells.starts[metric] > len('""')]
    starts = changes(cells, rows, key)
    coded = None if starts is None else codes_of(cells, rows, parts)
    found = None if coded is None else values_of(cells, rows + layout.value)
    if starts is None or coded is None or found is None:
        return None
    metric_of, leads = coded
    launches = [tuple(cells.text(row + i) for i in columns) for row in rows[starts].tolist()]
    metrics = [tuple(cells.text(row + i) for i in parts) for row in leads.tolist()]
    return LongCells(cells, starts, launches, metrics, metric_of, *found, rows + layout.value)


def is_exact_until(cells: QuotedCells, column: int) -> bool:
    """Whether no cell of a row up to a column holds a quote inside."""
    at = np.flatnonzero(cells.data == QUOTE)
    until = np.searchsorted(at, cells.ends[cells.first + column])
    return bool((until - np.searchsorted(at, cells.starts[cells.first]) == 2 * (column + 1)).all())


def changes(cells: QuotedCells, rows: Positions, columns: Sequence[int]) -> BoolArray | None:
    """Whether each row differs from the one before it in one of some columns; so does the first."""
    found = np.zeros(len(rows), np.bool_)
    found[:1] = True
    for column in columns:
        gathered = cells.gather(rows + column)
        if gathered is None:
            return None
        words = gathered[0].view(np.uint64)
        found[1:] |= (words[1:] != words[:-1]).any(axis=1)
    return found


def codes_of(cells: QuotedCells, rows: Positions, columns: Sequence[int]) -> tuple[Positions, Positions] | None:
    """Number of each row's contents of some columns, in order of appearance, and the first row of each."""
    found = [g[0].view(np.uint64) for column in columns if (g := cells.gather(rows + column)) is not None]
    if len(found) < len(columns):
        return None
    words = np.concatenate(found, axis=1)
    factors = np.random.default_rng(0).integers(2**63, size=words.shape[1], dtype=np.uint64) | np.uint64(1)
    mixed = words ^ (words >> np.uint64(29))
    _, leads, codes = np.unique((mixed * factors).sum(axis=1, dtype=np.uint64), return_index=True, return_inverse=True)
    # Two contents of one hash are not told apart by it.
    if not (words == words[leads[codes]]).all():
        return None
    order = np.argsort(leads)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[codes], rows[leads[order]]


def values_of(cells: QuotedCells, at: Positions) -> tuple[FloatArray, KindArray] | None:
    """(n,) numbers in cells, with their kinds."""
    gathered = cells.gather(at, after=1)
    if gathered is None or not shows_point(cells, at):
        return None
    text, mine = gathered
    text[np.arange(len(at)), cells.ends[at] - cells.starts[at]] = LINE_FEED
    found = parse_quoted(text[mine], len(at))
    return None if found is None else with_rest(cells, at, *found)


def shows_point(cells: QuotedCells, at: Positions) -> bool:
    """Whether a number among the first ones can only be read with a decimal point."""
    for start in range(0, min(SAMPLE, len(at)), 50):
        _, kinds = parse_numbers([cells.text(cell) for cell in at[start : start + 50].tolist()], {})
        if (kinds == Kind.DECIMAL_POINT).any():
            return True
    return False


def with_rest(
    cells: QuotedCells, at: Positions, values: FloatArray, odd: BoolArray
) -> tuple[FloatArray, KindArray] | None:
    """The numbers with the odd ones read one by one; None where one of these has a decimal comma."""
    kinds = np.full(len(values), int(Kind.DECIMAL_POINT), np.uint8)
    rest = np.flatnonzero(odd)
    if len(rest):
        values[rest], kinds[rest] = parse_numbers([cells.text(cell) for cell in at[rest].tolist()], {})
        ambiguous = kinds == Kind.EITHER_COMMA
        # A block with decimal points has grouping commas.
        values[ambiguous] = np.rint(values[ambiguous] * 1000)
        kinds[kinds >= Kind.EITHER_POINT] = Kind.DECIMAL_POINT
        if (kinds == Kind.DECIMAL_COMMA).any():
            return None
    return values, kinds


@dataclass
class WideCells:
    """The rows of a wide CSV."""

    cells: QuotedCells
    launches: list[tuple[str, ...]]
    values: FloatArray
    """(metrics, launches)."""
    kinds: KindArray


def wide_cells(block: bytes, layout: Layout, columns: Sequence[int]) -> WideCells | None:
    """Rows of a wide CSV; ``columns`` are the positions of the cells that name a launch."""
    cells = find_cells(block, layout.delimiter)
    if cells is None or not cells.is_exact or not (cells.counts == layout.columns).all():
        return None
    wanted = np.array([i for i, _, _ in layout.wide], np.intp)
    if not shows_point(cells, wanted):
        return None
    text = cells.data.copy()
    text[cells.ends[cells.ends < len(text)]] = LINE_FEED
    found = parse_quoted(text, len(cells.ends))
    if found is None:
        return None
    shape = len(cells.first), layout.columns
    # Metrics stand in most files side by side; a slice of them needs no copy.
    side_by_side = len(wanted) == wanted[-1] - wanted[0] + 1
    here = slice(int(wanted[0]), int(wanted[-1]) + 1) if side_by_side else wanted
    at = np.arange(len(cells.ends)).reshape(shape)[:, here].ravel()
    values, odd = found
    settled = with_rest(cells, at, values.reshape(shape)[:, here].ravel(), odd.reshape(shape)[:, here].ravel())
    if settled is None:
        return None
    launches = [tuple(cells.text(row + i) for i in columns) for row in cells.first.tolist()]
    shape = len(cells.first), len(wanted)
    return WideCells(cells, launches, settled[0].reshape(shape).T, settled[1].reshape(shape).T)
