"""One block of a long ncu CSV as ncu writes it, read from where its lines and their last cells are.

A launch has a line per metric, and all its lines start with the same cells. So only the first line of each launch
goes through a CSV parser; of the others only the metric's cells and the number behind them are looked at, by passes
over bytes that NumPy makes at memory speed and outside of the interpreter lock. A block is taken only where every
line is proven to be such a line; all others go the ways of :mod:`roofcast.ingest.ncu_rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roofcast.ingest.ncu_layout import Layout
from roofcast.ingest.numbers import FloatArray
from roofcast.ingest.quoted_numbers import LINE_FEED, QUOTE, SAMPLE, line_ends, parse_lines, read_alone, shows_point

if TYPE_CHECKING:
    import polars

ByteArray = NDArray[np.uint8]
Words = NDArray[np.uint64]
Positions = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

HEAD = 32
"""Bytes at the start of a line in which the numbers of its launch and process stand."""
TAIL = 32
"""Bytes at the end of a line in which its number stands."""
MAX_METRIC_BYTES = 512
SLOTS = 2**16


@dataclass
class Tokens:
    """The texts of the numbers of a block."""

    block: bytes
    starts: Positions
    ends: Positions

    def cell(self, i: int) -> str:
        """Text of a number by its row."""
        return self.block[self.starts[i] : self.ends[i]].decode("utf-8", "replace")


@dataclass
class LongBlock:
    """The rows of a long CSV that hold metrics."""

    launches: list[tuple[str, ...]]
    starts: BoolArray
    """(n,) whether a row is the first of its launch."""
    metrics: list[list[str]]
    """Section, name and unit, as far as the CSV has them."""
    metric_of: Positions
    values: FloatArray
    tokens: Tokens


def windows(data: ByteArray, width: int, at: Positions) -> ByteArray:
    """(n, width) bytes from n positions on."""
    return np.lib.stride_tricks.sliding_window_view(data, width)[at]


def differs(rows: ByteArray) -> BoolArray:
    """(n,) whether each row of bytes differs from the one before it; so does the first."""
    words = rows.view(np.uint64)
    found = np.ones(len(words), np.bool_)
    found[1:] = words[1:, 0] != words[:-1, 0]
    for column in range(1, words.shape[1]):
        found[1:] |= words[1:, column] != words[:-1, column]
    return found


def has_order(layout: Layout) -> bool:
    """Whether the identity comes first, then section, metric, unit and value side by side."""
    cells = [i for i in (layout.section, layout.metric, layout.unit, layout.value) if i >= 0]
    return cells == list(range(cells[0], cells[0] + len(cells))) and max(layout.identity.values()) < cells[0]


def long_block(block: bytes, layout: Layout) -> LongBlock | None:
    """Rows of a block of whole lines; None where it is not proven to hold such lines only."""
    if not has_order(layout) or not {"id", "process"} <= set(layout.identity) or max(layout.key_columns) > 1:
        return None
    data = np.frombuffer(block, np.uint8)
    ends = line_ends(data)
    starts = np.empty_like(ends)
    starts[:1], starts[1:] = 0, ends[:-1] + 1
    if not len(ends) or ends[-1] != len(data) - 1 or (ends - starts).min() < HEAD + TAIL:
        return None
    if layout.columns > layout.value + 1:
        trimmed = without_rules(block, layout, starts, ends)
        if trimmed is None:
            return None
        starts, ends = trimmed
    if not len(ends) or not (data[starts] == QUOTE).all() or not (data[ends - 1] == QUOTE).all():
        return None
    is_new = differs(windows(data, HEAD, starts))
    first = first_lines(block, layout, starts[is_new], ends[is_new])
    if first is None:
        return None
    launches, lengths = first
    at = starts + lengths[np.cumsum(is_new) - 1]
    if (at + TAIL > ends).any() or (at - HEAD < starts).any() or not (data[at] == QUOTE).all():
        return None
    if not starts_alike(block, starts, at, is_new):
        return None
    return with_values(block, data, layout, launches, is_new, at, ends)


def starts_alike(block: bytes, starts: Positions, at: Positions, is_new: BoolArray) -> bool:
    """Whether all lines of a launch have the same bytes from ``starts`` to ``at``."""
    data = np.frombuffer(block, np.uint8)
    sizes = at - starts
    head = int(sizes.min()) // 8 * 8
    tail = min(-(-(int(sizes.max()) - head) // 8) * 8, head)
    for width, where in ((head, starts), (tail, at - tail)):
        if width and (differs(windows(data, width, where)) & ~is_new).any():
            return False
    longer = np.flatnonzero((sizes > head + tail) & ~is_new)
    return all(block[starts[i] : at[i]] == block[starts[i - 1] : at[i - 1]] for i in longer.tolist())


def without_rules(
    block: bytes, layout: Layout, starts: Positions, ends: Positions
) -> tuple[Positions, Positions] | None:
    """Starts and ends of the lines of metrics, which end in a delimiter where only rules have all the columns."""
    data = np.frombuffer(block, np.uint8)
    is_short = data[ends - 1] == ord(layout.delimiter)
    full = np.flatnonzero(~is_short)
    if len(full):
        lines = b"".join([block[a : b + 1] for a, b in zip(starts[full].tolist(), ends[full].tolist(), strict=True)])
        cells = read_strings(lines, layout, [layout.metric])
        if cells is None or cells.height != len(full) or (cells.to_series().str.len_bytes() > 0).any():
            return None
    return starts[is_short], ends[is_short] - 1


def read_strings(lines: bytes, layout: Layout, columns: list[int]) -> polars.DataFrame | None:
    """Some cells of lines as strings, in columns named by position; None where the lines are no CSV."""
    import polars as pl

    header = layout.delimiter.join(map(str, range(layout.columns))).encode() + b"\n"
    try:
        return pl.read_csv(
            header + lines,
            infer_schema=False,
            columns=[str(i) for i in columns],
            separator=layout.delimiter,
            truncate_ragged_lines=True,
            encoding="utf8" if lines.isascii() else "utf8-lossy",
        )
    except pl.exceptions.PolarsError:
        return None


def first_lines(
    block: bytes, layout: Layout, starts: Positions, ends: Positions
) -> tuple[list[tuple[str, ...]], Positions] | None:
    """Identity cells of each launch, and the bytes before its metric's cells."""
    import polars as pl

    lines = b"".join([block[a:b] + b"\n" for a, b in zip(starts.tolist(), ends.tolist(), strict=True)])
    cells = layout.value + 1
    if lines.count(b'"') != 2 * cells * len(starts):
        return None
    before = max(layout.identity.values()) + 1
    frame = read_strings(lines, layout, list(range(before)))
    if frame is None or frame.height != len(starts):
        return None
    found = frame.select(
        pl.sum_horizontal(pl.all().str.len_bytes().cast(pl.Int64)).alias("length"),
        *(pl.col(str(i)).fill_null("") for _, i in layout.identity_columns),
    )
    return found.drop("length").rows(), found["length"].to_numpy() + len('"",') * before


def with_values(
    block: bytes,
    data: ByteArray,
    layout: Layout,
    launches: list[tuple[str, ...]],
    is_new: BoolArray,
    at: Positions,
    ends: Positions,
) -> LongBlock | None:
    """The rows with their metrics and numbers, where each ends in a short cell behind the metric's cells.

    at, ends : (n,) where the metric's cells start and where the line ends.
    """
    tail = windows(data, TAIL, ends - (TAIL - 1))  # up to what stands behind the closing quote
    opens = (tail[:, :-3] == ord(layout.delimiter)) & (tail[:, 1:-2] == QUOTE)
    last = TAIL - 3 - opens[:, ::-1].argmax(axis=1)
    opening = ends - (TAIL - 1) + last
    if not (tail[np.arange(len(last)), last] == QUOTE).all() or (opening - 1 <= at).any():
        return None
    tail *= np.arange(TAIL) >= last[:, None]
    tail[:, -1] = LINE_FEED
    if np.count_nonzero(tail == QUOTE) != 2 * len(tail):
        return None
    tokens = Tokens(block, opening + 1, ends - 1)
    found = parse_lines(tail.ravel(), len(at)) if shows_point(map(tokens.cell, range(min(SAMPLE, len(at))))) else None
    coded = metrics_of(data, at, opening - 1)
    if found is None or coded is None:
        return None
    values, odd = found
    codes, leads = coded
    metrics = [metric_cells(block[at[i] : opening[i] - 1], layout) for i in leads.tolist()]
    whole = [cells for cells in metrics if cells is not None]
    filled = np.flatnonzero(odd & (tokens.ends > tokens.starts))
    if len(whole) < len(metrics) or not read_alone(values, filled, tokens.cell):
        return None
    return LongBlock(launches, is_new, whole, codes, values, tokens)


def metrics_of(data: ByteArray, at: Positions, ends: Positions) -> tuple[Positions, Positions] | None:
    """Number of each row's metric cells in order of appearance, and the first row of each; None where too long."""
    sizes = ends - at
    count = -(-int(sizes.max()) // 8)
    if count * 8 > MAX_METRIC_BYTES or at[-1] + count * 8 > len(data):
        data = np.concatenate((data, np.zeros(MAX_METRIC_BYTES, np.uint8)))
    if count * 8 > MAX_METRIC_BYTES:
        return None
    words = windows(data, count * 8, at).view(np.uint64)
    full, rest = np.divmod(sizes, 8)
    keep = np.array([(1 << 8 * n) - 1 for n in range(8)], np.uint64)[rest]
    mixed = sizes.astype(np.uint64)
    for column in range(count):
        word = words[:, column]
        word *= full >= column
        np.bitwise_and(word, keep, out=word, where=full == column)
        mixed ^= word
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return leads_of(words, mixed)


def leads_of(words: Words, mixed: Words) -> tuple[Positions, Positions] | None:
    """Number of each row of words in order of appearance, and the first row of each; ``mixed`` is a hash of them."""
    rows = np.arange(len(words))
    slots = (mixed % np.uint64(SLOTS)).astype(np.intp)
    first = np.empty(SLOTS, np.intp)
    first[slots[::-1]] = rows[::-1]
    lead = first[slots]
    # Two metrics of one slot are not told apart by it.
    if not (mixed[lead] == mixed).all() or not (words[lead] == words).all():
        return None
    leads = np.flatnonzero(lead == rows)
    rank = np.empty(len(words), np.intp)
    rank[leads] = np.arange(len(leads))
    return rank[lead], leads


def metric_cells(cells: bytes, layout: Layout) -> list[str] | None:
    """Section, name and unit, as far as the CSV has them; None where the cells are others."""
    count = layout.value - min(i for i in (layout.section, layout.metric) if i >= 0)
    text = cells.decode("utf-8", "replace")
    found = text[1:-1].split(f'"{layout.delimiter}"')
    is_whole = len(text) > 1 and text[0] == text[-1] == '"' and len(found) == count
    return found if is_whole and not any('"' in cell for cell in found) else None
