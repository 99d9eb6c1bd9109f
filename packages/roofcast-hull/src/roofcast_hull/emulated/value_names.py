"""Numbers for what nodes stand for: equal for equal values of equal elements, whoever computes them."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]


def name_chunk(chunk: Any, rows: Bits) -> Bits:
    """The numbers of one instruction's nodes (:class:`.origins.Chunk`), sums in any order. rows : of all before."""
    if chunk.left is None:
        which = chunk.elements if chunk.places is None else chunk.places
        elements = np.atleast_1d(np.asarray(which, dtype=np.int64)).astype(np.uint64)
        parts = np.atleast_1d(np.asarray(chunk.inside, dtype=np.int64)).astype(np.uint64) << np.uint64(52)
        named = scramble((elements ^ parts) + np.uint64(zlib.crc32(chunk.array.encode()) << 20))
        for step, many in chunk.ranges:
            named = scramble(named + (np.asarray(step, dtype=np.int64) * 3 + many * 5).astype(np.uint64))
        return named
    first, second = (rows[np.atleast_1d(p)] for p in (chunk.left, chunk.right))
    code, three, five = (np.uint64(k) for k in (max(0, chunk.code), 3, 5))
    if chunk.word and chunk.code >= 0:
        single = (np.atleast_1d(chunk.left) == 0) | (np.atleast_1d(chunk.right) == 0)
        value: Bits = first + second + single.astype(np.uint64) * code
    else:
        mixed: Bits = first * three + second * five + code
        value = scramble(mixed)
    if chunk.code < 0:
        known = np.arange(chunk.count) if chunk.known is None else chunk.known
        value = scramble(value ^ scramble(known.astype(np.int64).astype(np.uint64)))
    return value


def scramble(values: Bits) -> Bits:
    """Numbers that look like random ones, equal for equal ones (Steele, Lea and Flood 2014)."""
    mixed = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
