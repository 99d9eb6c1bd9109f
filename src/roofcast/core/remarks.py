"""Remarks about kernels: texts that hold for the rows of a mask, turned into one tuple of texts per row."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from roofcast.core.records import dataclass


@dataclass
class Remarks:
    """Collects (rows, text) and gives each row its texts; a million rows cost one look-up each."""

    size: int
    entries: list[tuple[NDArray[np.bool_], str]] = field(default_factory=list)

    def add(self, rows: NDArray[np.bool_], text: str) -> None:
        """Attach a text to the rows of an (n,) mask; nothing where no row is set."""
        if rows.any():
            self.entries.append((np.broadcast_to(rows, (self.size,)), text))

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Per row, its texts in the order in which they were added."""
        if not self.entries:
            return ((),) * self.size
        packed = np.packbits(np.stack([mask for mask, _ in self.entries], axis=1), axis=1)
        # A row's bits as one number where 64 are enough: numbers are looked up faster than bytes.
        wide = np.zeros((self.size, -(-packed.shape[1] // 8) * 8), np.uint8)
        wide[:, : packed.shape[1]] = packed
        keys = wide.view(np.uint64)[:, 0].tolist() if wide.shape[1] == 8 else [bytes(row) for row in packed]
        first = dict(zip(reversed(keys), range(self.size - 1, -1, -1), strict=True))
        texts = {key: tuple(t for m, t in self.entries if m[i]) for key, i in first.items()}
        return tuple(map(texts.__getitem__, keys))


def encode(rows: Sequence[Hashable]) -> tuple[NDArray[np.intp], list[Any]]:
    """(n,) codes of rows, and the different rows in the order in which they appear.

    Tuples that are one object are looked at once: most tables say few different things of many kernels.

    >>> encode([("a",), (), ("a",)])
    (array([0, 1, 0]), [('a',), ()])
    """
    rows = rows if isinstance(rows, (list, tuple)) else list(rows)
    if not rows or not isinstance(rows[0], tuple):
        code = {row: i for i, row in enumerate(dict.fromkeys(rows))}
        return np.array([*map(code.__getitem__, rows)], np.intp), [*code]
    objects = [*map(id, rows)]
    code = {}
    of_object = {key: code.setdefault(row, len(code)) for key, row in dict(zip(objects, rows, strict=True)).items()}
    return np.array([*map(of_object.__getitem__, objects)], np.intp), [*code]


def encode_pairs(one: Sequence[Hashable], other: Sequence[Hashable]) -> tuple[NDArray[np.intp], list[tuple[Any, Any]]]:
    """The same of what stands side by side in two sequences."""
    (first, firsts), (second, seconds) = encode(one), encode(other)
    if len(firsts) == 1 or len(seconds) == 1:
        return first + second, [(a, b) for a in firsts for b in seconds]
    both, pairs = encode((first * len(seconds) + second).tolist())
    return both, [(firsts[p // len(seconds)], seconds[p % len(seconds)]) for p in pairs]


def join_rows(one: Sequence[tuple[str, ...]], other: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Per row, the texts of the one and of the other behind them; rows with equal texts share them.

    >>> join_rows([("a",), ()], [("b",), ()])
    (('a', 'b'), ())
    """
    codes, pairs = encode_pairs(one, other)
    if all(not b for _, b in pairs):
        return tuple(one)
    texts = [a + b for a, b in pairs]
    return tuple(map(texts.__getitem__, codes.tolist()))


class Later(Sequence[tuple[str, ...]]):
    """Texts per kernel that are put together when somebody reads them: of a few targets' many blocks one is read."""

    def __init__(self, make: Callable[[], Remarks]) -> None:
        """Texts that ``make`` will say."""
        self.make = make

    @cached_property
    def made(self) -> tuple[tuple[str, ...], ...]:
        """The texts."""
        return self.make().rows()

    def __len__(self) -> int:
        return len(self.made)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.made)

    @overload
    def __getitem__(self, place: int) -> tuple[str, ...]: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[tuple[str, ...], ...]: ...

    def __getitem__(self, place: int | slice) -> tuple[str, ...] | tuple[tuple[str, ...], ...]:
        return self.made[place]
