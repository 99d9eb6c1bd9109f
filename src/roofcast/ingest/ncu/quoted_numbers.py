"""Many quoted numbers with decimal points at once, as Nsight Compute prints them: ``"5,318,969,728.00"``.

Polars reads the numbers once their commas are gone; NumPy proves before that the commas only group digits by three.
What is no such number (texts, other groupings) is read alone, by :func:`roofcast.ingest.text.numbers.parse_number`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from roofcast.ingest.text.numbers import FloatArray, Kind, KindArray, parse_number

ByteArray = NDArray[np.uint8]
BoolArray = NDArray[np.bool_]
Positions = NDArray[np.intp]

COMMA, POINT, QUOTE, LINE_FEED = b',."\n'
SAMPLE = 2000
"""Numbers at the start of a block that may show its locale."""
CHUNK = 2**18
"""Bytes that stay in a core's own cache while several passes go over them."""
PAD = 8
PASSED_OVER = b'\0,"'


def shows_point(texts: Iterable[str]) -> bool:
    """Whether one of some numbers can only be read with a decimal point."""
    return any(parse_number(text)[1] == Kind.DECIMAL_POINT for text in texts)


def points_only(shape: tuple[int, ...]) -> KindArray:
    """Kinds of numbers that all have decimal points, in the memory of one."""
    return np.broadcast_to(np.uint8(Kind.DECIMAL_POINT), shape)


def read_alone(values: FloatArray, which: Positions, cell: Callable[[int], str]) -> bool:
    """Read some numbers, given by their positions, one by one; whether none of them has a decimal comma.

    cell : text of a cell by its position, without quotes.
    """
    known: dict[str, tuple[float, Kind]] = {}
    for i in which.tolist():
        text = cell(i)
        found = known.get(text)
        if found is None:
            found = known[text] = parse_number(text)
        value, kind = found
        if kind == Kind.DECIMAL_COMMA:
            return False
        # A block with decimal points has grouping commas.
        values[i] = round(value * 1000) if kind == Kind.EITHER_COMMA else value
    return True


def parse_floats(lines: bytes, count: int) -> tuple[FloatArray, BoolArray] | None:
    """(n,) values of n lines, and which of them are no numbers; None where there are not n of them."""
    import polars as pl

    try:
        found = pl.read_csv(
            lines,
            has_header=False,
            schema={"cell": pl.Float64},
            separator="\x1f",
            quote_char=None,
            ignore_errors=True,
            truncate_ragged_lines=True,
        )["cell"]
    except pl.exceptions.PolarsError:
        return None
    if len(found) != count:
        return None
    values = found.to_numpy(writable=True)  # null becomes NaN
    return values, ~np.isfinite(values)


def padded(text: ByteArray, start: int) -> ByteArray:
    """A chunk of a text with the :data:`PAD` bytes on either side of it, zero outside of the text."""
    low, high = start - PAD, min(len(text), start + CHUNK) + PAD
    if low >= 0 and high <= len(text):
        return text[low:high]
    return np.concatenate((
        np.zeros(max(0, -low), np.uint8), text[max(0, low) : high], np.zeros(max(0, high - len(text)), np.uint8)
    ))  # fmt: skip


def wrong_in_chunk(data: ByteArray, size: int) -> BoolArray:
    """(size,) whether a byte is such a comma; ``data`` has :data:`PAD` bytes more on either side."""
    comma, quote = data == COMMA, data == QUOTE
    digit = data - np.uint8(ord("0")) < np.uint8(10)

    def at(mask: BoolArray, offset: int) -> BoolArray:
        return mask[PAD + offset : PAD + offset + size]

    is_comma = at(comma, 0).copy()
    # A group of digits starts behind a comma, or behind the quote and not with a zero.
    starts = comma.copy()
    starts[:-1] |= quote[:-1] & (data[1:] != ord("0"))
    before = at(starts, -4) & at(digit, -3)
    before |= at(starts, -3)
    before &= at(digit, -2)
    before |= at(starts, -2)
    before &= at(digit, -1)
    before &= at(digit, 1)
    before &= at(digit, 2)
    before &= at(digit, 3)
    # An exponent would show that the comma is the decimal one.
    stops = comma
    stops |= quote
    stops |= data == POINT
    before &= at(stops, 4)
    return is_comma > before
