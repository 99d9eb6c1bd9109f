"""Columns of plain tables straight from the pages of an SQLite file, as arrays: no object for a cell.

The layout is that of https://www.sqlite.org/fileformat2.html, sections 1.3 (header), 1.6 (pages of trees) and 2.1
(records). Whatever is less plain than a row on one page whose record names every column (:class:`NotPlainError`) is
left to SQLite itself, and so is everything that looks damaged: it knows what to say of it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.records import dataclass

MAGIC = b"SQLite format 3\0"
LEAF, INTERIOR = 13, 5
"""Types of a table's pages."""
UTF8 = 1
"""Number of the encoding in the header; texts of others are left to SQLite."""
BLOCK_BYTES = 1 << 22
"""B of pages that become arrays at once: some ten thousand rows."""
MAX_LEVELS = 20
"""Depth of a tree; SQLite's own bound."""
LONGEST_NUMBER = 9
"""B of a number of variable length at most."""
NULL, FLOAT, ZERO, ONE, TEXTS = 0, 7, 8, 9, 12
"""Types of cells in a record; from :data:`TEXTS` on blobs (even) and texts (odd) with their lengths."""
SIZES = np.array([0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0, *(n // 2 for n in range(128 - TEXTS))], np.int64)
"""B of a cell of each type that takes one byte itself."""
SHIFTS = np.array([0, 56, 48, 40, 32, 16, 0, 0, 0, 0], np.int64)
"""Bits that eight bytes hold beside a number of each type."""

EIGHT: np.dtype[Any] = np.dtype(">i8")
FORMS: dict[int, np.dtype[Any]] = {1: np.dtype(">i1"), 2: np.dtype(">i2"), 4: np.dtype(">i4"), 6: EIGHT}
"""Type of a cell -> form of the number in it, where NumPy has one so long."""

Ints = NDArray[np.int64]


class NotPlainError(Exception):
    """Pages that SQLite itself has to read."""


@dataclass(eq=False)
class PageColumn(Sequence[Any]):
    """A column of a block of rows; as a sequence, the cells as SQLite hands them out."""

    data: NDArray[np.uint8]
    """Bytes of the pages."""
    at: Ints
    """(n,) where each cell begins among them."""
    kind: Ints
    """(n,) type of each cell."""

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, index: Any) -> Any:
        return self.cells[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.cells)

    @cached_property
    def is_whole(self) -> NDArray[np.bool_]:
        """(n,) which cells are whole numbers."""
        return np.asarray((self.kind >= 1) & (self.kind <= ONE) & (self.kind != FLOAT))

    @property
    def is_text(self) -> NDArray[np.bool_]:
        """(n,) which cells are texts."""
        return np.asarray((self.kind >= TEXTS) & (self.kind & 1 == 1))

    @property
    def is_plain(self) -> bool:
        """Whether no cell is anything but a whole number or nothing."""
        return bool((self.is_whole | (self.kind == NULL)).all())

    @cached_property
    def whole(self) -> Ints:
        """(n,) the whole numbers; 0 where a cell is none."""
        if len(self.kind) and (self.kind == self.kind[0]).all():
            kind = int(self.kind[0])
            if kind in (NULL, FLOAT, ZERO, ONE) or kind >= TEXTS:
                return np.full(len(self.kind), int(kind == ONE), np.int64)
            if (form := FORMS.get(kind)) is not None:
                return self.read_as(form)
            return np.asarray(self.bits >> SHIFTS[kind])
        values = self.bits >> SHIFTS[np.minimum(self.kind, ONE)]
        values[~self.is_whole] = 0
        values[self.kind >= ZERO] = (self.kind == ONE)[self.kind >= ZERO]
        return values

    @property
    def bits(self) -> Ints:
        """(n,) the eight bytes from where each cell begins, as a number."""
        return self.read_as(EIGHT)

    def read_as(self, form: np.dtype[Any]) -> Ints:
        """(n,) the numbers of a form that begin where each cell does."""
        numbers = np.ndarray((len(self.data) + 1 - form.itemsize,), form, self.data, strides=(1,))
        return numbers[self.at].astype(np.int64)

    @property
    def words(self) -> list[Ints]:
        """Columns (n,) of numbers that are all alike where two texts are: type with length, then eight bytes each."""
        size = (self.kind - TEXTS) // 2
        words = [self.kind]
        for begin in range(0, int(size.max(initial=0)), 8):
            rows, word = np.flatnonzero(size > begin), np.zeros(len(self), np.int64)
            bits = PageColumn(self.data, self.at[rows] + begin, self.kind[rows]).bits
            word[rows] = bits >> np.maximum(8 * (8 + begin - size[rows]), 0)
            words.append(word)
        return words

    def bytes_of(self, rows: NDArray[np.intp]) -> list[bytes]:
        """The bytes of texts and blobs."""
        data, begin = self.data.tobytes(), self.at[rows]
        ends = begin + (self.kind[rows] - TEXTS) // 2
        return [data[a:b] for a, b in zip(begin.tolist(), ends.tolist(), strict=True)]

    @cached_property
    def cells(self) -> list[Any]:
        """The cells as SQLite hands them out."""
        result: list[Any] = self.whole.tolist()
        for i in np.flatnonzero(self.kind == NULL).tolist():
            result[i] = None
        numbers = np.flatnonzero(self.kind == FLOAT)
        for i, value in zip(numbers.tolist(), self.bits[numbers].view(np.float64).tolist(), strict=True):
            # SQLite has no such number: it reads one as nothing.
            result[i] = None if math.isnan(value) else value
        texts = np.flatnonzero(self.kind >= TEXTS)
        for i, kind, content in zip(texts.tolist(), self.kind[texts].tolist(), self.bytes_of(texts), strict=True):
            result[i] = content.decode("utf-8", "replace") if kind & 1 else content
        return result


@dataclass
class Pages:
    """The pages of an SQLite file."""

    file: IO[bytes]
    size: int
    """B of a page."""
    usable: int
    """B of a page that tables use."""
    count: int

    @classmethod
    def of(cls, file: IO[bytes]) -> Pages:
        """The pages of an open file."""
        file.seek(0)
        head = file.read(100)
        if len(head) < 100 or head[:16] != MAGIC or struct.unpack(">I", head[56:60])[0] != UTF8:
            raise NotPlainError
        size = struct.unpack(">H", head[16:18])[0]
        size = 1 << 16 if size == 1 else size
        if size < 512 or size & (size - 1) or size - head[20] < 480:
            raise NotPlainError
        return cls(file, size, size - head[20], file.seek(0, 2) // size)

    def read(self, numbers: Ints) -> NDArray[np.uint8]:
        """(n, bytes) pages; numbers count from 1."""
        if len(numbers) and (numbers.min() < 1 or numbers.max() > self.count):
            raise NotPlainError
        # Neighbours are read together.
        edges = np.flatnonzero(np.diff(numbers) != 1) + 1
        parts = []
        for run in np.split(numbers, edges):
            self.file.seek((int(run[0]) - 1) * self.size)
            parts.append(self.file.read(len(run) * self.size))
        data = np.frombuffer(b"".join(parts), np.uint8)
        if len(data) != len(numbers) * self.size:
            raise NotPlainError
        return data.reshape(len(numbers), self.size)

    def leaves(self, root: int) -> Ints:
        """Numbers of the pages with a table's rows, in order."""
        level, seen = np.array([root], np.int64), 0
        for _ in range(MAX_LEVELS):
            kind = self.read(level[:1])[0, 0]
            if kind == LEAF:
                return level
            if kind != INTERIOR:
                raise NotPlainError
            parts = (self.read(level[at : at + 256]) for at in range(0, len(level), 256))
            level = np.concatenate([self.children(page) for part in parts for page in part])
            seen += len(level)
            if seen > self.count or (np.diff(np.sort(level)) == 0).any():
                raise NotPlainError
        raise NotPlainError

    def children(self, page: NDArray[np.uint8]) -> Ints:
        """Pages below a page that holds none but such references, in order."""
        cells = int(page[3]) << 8 | int(page[4])
        if page[0] != INTERIOR or 12 + 2 * cells > self.usable:
            raise NotPlainError
        at = np.append(page[12 : 12 + 2 * cells].view(">u2").astype(np.int64), 8)
        if (at > self.usable - 4).any():
            raise NotPlainError
        return page[at[:, None] + np.arange(4)].view(">u4").ravel().astype(np.int64)

    def blocks(self, root: int, columns: int, wanted: Sequence[int]) -> Iterator[list[PageColumn]]:
        """The wanted columns of a table in blocks of rows. columns : how many a record has.

        Raises
        ------
        NotPlainError : SQLite has to read what follows.
        """
        leaves, step = self.leaves(root), max(BLOCK_BYTES // self.size, 1)
        for first in range(0, len(leaves), step):
            block = self.columns_of(self.read(leaves[first : first + step]), columns, wanted)
            if len(block[0]):
                yield block

    def columns_of(self, pages: NDArray[np.uint8], columns: int, wanted: Sequence[int]) -> list[PageColumn]:
        """The wanted columns of the rows of some pages."""
        data = np.concatenate([pages.ravel(), np.zeros((columns + 4) * LONGEST_NUMBER, np.uint8)])
        cell, page_end = self.cells_of(pages, data)
        payload, at = read_numbers(data, cell)
        at = read_numbers(data, at)[1]
        record_end = at + payload
        head, type_at = read_numbers(data, at)
        cell_at = head_end = at + head
        # Longer records go on on pages of their own.
        if (payload > self.usable - 35).any() or (record_end > page_end).any() or (head_end > record_end).any():
            raise NotPlainError
        if (head == columns + 1).all():
            # A byte for each type: those of a row are taken together.
            types = np.ndarray((len(data) - columns, columns), np.uint8, data, strides=(1, 1))[type_at]
            if not (types & 0x80).any():
                return place_cells(data, [*np.ascontiguousarray(types.T)], cell_at, record_end, wanted)
        kinds = []
        for _ in range(columns):
            kind, type_at = read_numbers(data, type_at)
            kinds.append(kind)
        if (type_at != head_end).any():
            raise NotPlainError
        return place_cells(data, kinds, cell_at, record_end, wanted)

    def cells_of(self, pages: NDArray[np.uint8], data: NDArray[np.uint8]) -> tuple[Ints, Ints]:
        """(rows,) where each row begins among the bytes of some pages, and where its page ends."""
        count = pages[:, 3].astype(np.int64) << 8 | pages[:, 4]
        if (pages[:, 0] != LEAF).any() or (8 + 2 * count > self.usable).any():
            raise NotPlainError
        begin = np.repeat(np.arange(len(pages)) * self.size, count)
        number = np.arange(len(begin)) - np.repeat(np.cumsum(count) - count, count)
        pointer = begin + 8 + 2 * number
        offset = data[pointer].astype(np.int64) << 8 | data[pointer + 1]
        if (offset < 8 + 2 * np.repeat(count, count)).any() or (offset >= self.usable).any():
            raise NotPlainError
        return begin + offset, begin + self.usable


def place_cells(
    data: NDArray[np.uint8], kinds: Sequence[NDArray[np.integer[Any]]], first: Ints, record_end: Ints,
    wanted: Sequence[int],
) -> list[PageColumn]:  # fmt: skip
    """The wanted columns of rows.

    kinds : per column, type of each row's cell. first : (rows,) where a row's cells begin.

    Raises
    ------
    NotPlainError : the cells do not end where their records do.
    """
    at, beyond = first, 0
    chosen: dict[int, PageColumn] = {}
    for column, kind in enumerate(kinds):
        if column in wanted:
            chosen[column] = PageColumn(data, at + beyond, kind.astype(np.int64))
        # Where all rows have one type, their cells are as long.
        if len(kind) and (kind == kind[0]).all():
            beyond += int(sizes_of(kind[:1])[0])
        else:
            at = at + sizes_of(kind)
    if (at + beyond != record_end).any():
        raise NotPlainError
    return [chosen[column] for column in wanted]


def read_numbers(data: NDArray[np.uint8], at: Ints) -> tuple[Ints, Ints]:
    """(n,) numbers of variable length, and where each ends: seven bits a byte, the highest says whether more follow."""
    byte, end = data[at], at + 1
    rows = np.flatnonzero(byte & 0x80)
    value = byte.astype(np.int64)
    if not len(rows):
        return value, end
    value &= 0x7F
    for _ in range(LONGEST_NUMBER - 2):
        byte = data[end[rows]]
        value[rows] = value[rows] << 7 | byte & 0x7F
        end[rows] += 1
        rows = rows[byte >= 0x80]
        if not len(rows):
            return value, end
    raise NotPlainError


def sizes_of(kind: NDArray[np.integer[Any]]) -> Ints:
    """(...) B of cells of the given types."""
    most = int(kind.max(initial=0))
    if most < TEXTS - 2:
        return np.asarray(SIZES[kind])
    if ((kind == TEXTS - 2) | (kind == TEXTS - 1)).any():
        raise NotPlainError
    if most < len(SIZES):
        return np.asarray(SIZES[kind])
    return np.where(kind < TEXTS, SIZES[np.minimum(kind, TEXTS - 1)], (kind - TEXTS) >> 1)
