"""One block of a wide ncu CSV whose cells are all quoted, as ncu writes them, read as one long column of cells.

A thousand columns of a few rows each would cost more than their cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roofcast.ingest.ncu.layout import Layout
from roofcast.ingest.ncu.quoted_numbers import (
    CHUNK,
    LINE_FEED,
    PAD,
    PASSED_OVER,
    QUOTE,
    SAMPLE,
    padded,
    parse_floats,
    read_alone,
    shows_point,
    wrong_in_chunk,
)
from roofcast.ingest.text.numbers import FloatArray

ByteArray = NDArray[np.uint8]
BoolArray = NDArray[np.bool_]
Positions = NDArray[np.intp]


MIN_LOOPED_BYTES = 512


@dataclass
class Cells:
    """The cells of a block."""

    block: bytes
    is_end: BoolArray
    """Whether a byte is the delimiter or the line feed behind a cell."""

    @cached_property
    def ends(self) -> Positions:
        """Position of the byte behind each cell."""
        return np.flatnonzero(self.is_end)

    def cell(self, i: int) -> str:
        """What a cell holds."""
        start = int(self.ends[i - 1]) + 1 if i else 0
        return self.block[start + 1 : int(self.ends[i]) - 1].decode("utf-8", "replace")

    def not_empty(self, cells: Positions) -> Positions:
        """Those of some cells that hold something."""
        if not len(cells):
            return cells
        before = np.where(cells > 0, self.ends[cells - 1], -1)
        return cells[self.ends[cells] - before > len('"",')]


@dataclass
class WideBlock:
    """The rows of a wide CSV."""

    launches: list[tuple[str, ...]]
    values: FloatArray
    """(metrics, launches)."""
    cells: Cells


def wide_block(block: bytes, layout: Layout) -> WideBlock | None:
    """Rows of a block of whole lines.

    None where a cell is not quoted, a line has other columns than the header, or the numbers do not show that they
    have decimal points.
    """
    if not block.startswith(b'"') or not block.endswith(b'"\n'):
        return None
    data = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(data == LINE_FEED)
    wanted = [i for i, _, _ in layout.wide]
    first = block[: ends[0]].decode("utf-8", "replace").split(f'"{layout.delimiter}"')
    if len(first) != layout.columns or not shows_point(first[i].strip('"') for i in wanted[:SAMPLE]):
        return None
    if not (data[ends - 1] == QUOTE).all() or not (data[ends[:-1] + 1] == QUOTE).all():
        return None
    separated = separate(data, layout.delimiter, len(ends) * layout.columns)
    if separated is None or not has_columns(separated.is_end, ends, layout.columns):
        return None
    found = parse_floats(separated.lines, len(ends) * layout.columns)
    if found is None:
        return None
    values, odd = found
    cells = Cells(block, separated.is_end)
    launches, stops = identities(block, ends, layout)
    wrong = separated.wrong[separated.wrong >= stops[np.searchsorted(ends, separated.wrong)]]
    if len(wrong):
        odd[np.searchsorted(cells.ends, wrong)] = True
    numbers = np.zeros(layout.columns, np.bool_)
    numbers[wanted] = True
    odd.reshape(-1, layout.columns)[:, ~numbers] = False
    if not read_alone(values, cells.not_empty(np.flatnonzero(odd)), cells.cell):
        return None
    # Metrics stand in most files side by side; a slice of them needs no copy.
    side_by_side = len(wanted) == wanted[-1] - wanted[0] + 1
    here = slice(wanted[0], wanted[-1] + 1) if side_by_side else np.array(wanted, np.intp)
    return WideBlock(launches, values.reshape(-1, layout.columns)[:, here].T, cells)


@dataclass
class Separated:
    """A block with each cell on a line of its own."""

    lines: bytes
    """Without quotes and commas."""
    is_end: BoolArray
    """(n,) whether a byte of the block stands behind a cell."""
    wrong: Positions
    """Commas of the block that do not group digits by three."""


def separate(data: ByteArray, delimiter: str, count: int) -> Separated | None:
    """The cells of a block; None where the quotes are not those of ``count`` cells."""
    mark = np.uint8(ord(delimiter))
    is_end = np.empty(len(data), np.bool_)
    quotes = 0
    pieces, wrong = [], []
    for start in range(0, len(data), CHUNK):
        chunk = padded(data, start)
        size = len(chunk) - 2 * PAD
        quote = chunk == QUOTE
        between = chunk == mark
        between[1:-1] &= quote[:-2]
        between[1:-1] &= quote[2:]
        # No quote may both end a cell and start the next one.
        if (between[PAD:-PAD] & between[PAD + 2 : len(chunk) - PAD + 2]).any():
            return None
        text = chunk ^ (between.view(np.uint8) * (mark ^ np.uint8(LINE_FEED)))
        wrong.append(np.flatnonzero(wrong_in_chunk(text, size)) + start)
        quotes += int(np.count_nonzero(quote[PAD:-PAD]))
        text = text[PAD:-PAD]
        np.equal(text, LINE_FEED, out=is_end[start : start + size])
        pieces.append(text.tobytes().translate(None, PASSED_OVER))
    return Separated(b"".join(pieces), is_end, np.concatenate(wrong)) if quotes == 2 * count else None


def has_columns(is_end: BoolArray, ends: Positions, columns: int) -> bool:
    """Whether each line of a block, by where it ends, has as many cells as there are columns."""
    starts = np.concatenate((np.zeros(1, np.intp), ends[:-1] + 1))
    if len(is_end) < MIN_LOOPED_BYTES * len(ends):
        return bool((np.add.reduceat(is_end, starts, dtype=np.int64) == columns).all())
    return all(
        np.count_nonzero(is_end[a:b]) == columns for a, b in zip(starts.tolist(), (ends + 1).tolist(), strict=True)
    )


def identities(block: bytes, ends: Positions, layout: Layout) -> tuple[list[tuple[str, ...]], Positions]:
    """Cells that name the launch of each row, and where they end, as far as no metric stands among them."""
    order = [i for _, i in layout.identity_columns]
    before = min(order[-1] + 1, layout.wide[0][0])
    between = f'"{layout.delimiter}"'.encode()
    rows, stops = [], []
    start = 0
    for end in ends.tolist():
        cells = block[start + 1 : end - 1].split(between, order[-1] + 1)
        rows.append(tuple([cells[i].decode("utf-8", "replace") for i in order]))
        stops.append(start + sum(map(len, cells[:before])) + len(between) * before)
        start = end + 1
    return rows, np.array(stops, np.intp)
