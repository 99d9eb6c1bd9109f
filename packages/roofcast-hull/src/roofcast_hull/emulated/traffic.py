r"""What the accesses of emulated threads move, counted as they happen.

A warp's access asks for distinct 32-byte sectors. L1 serves those that the block asked for before, where what it took
in since is no more than it holds; L2 serves the others:

.. math:: V_{L1} = 32 \sum_w s_w, \qquad V_{L2} = 32 \sum_w s_w^{new}

s_w : 1, distinct sectors of the access of warp w. New : not among the last sectors that fill the L1 of one block.
What no thread of the block had touched is the block's share of what DRAM moves. Where elements are asked for in place
of sectors, each counts for itself: what a class claims.
Every count is times the weight of the turn of a loop that it happens in: turns that are left out are like those seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roofcast.core.resource import Resource
from roofcast.sass.block_runs import Key, Place
from roofcast_hull.emulated.value_types import Type

WARP, SECTOR_BYTES, LINE_SECTORS = 32, 32, 4
LINE_BYTES = SECTOR_BYTES * LINE_SECTORS
MOST_JOINED, JOINED_SECTORS = 4, 24
"""Stores of a thread one after the other, the first of those that touch the same sectors, that become one, and sectors
of a warp's store beyond which none do. An H200 wrote members one by one (L2's counters): of 2, 3 and 4 members each
sector 1.0 to 1.4 times, of 6 2.8 to 3, of 8 bytes 4.3, of 8 words (32 sectors) 7.4; with a load between none joined."""
TABLE = 1 << 24
"""Sectors that are told apart: half a gigabyte of what few blocks touch."""
TABLE_OF_ELEMENTS = 1 << 26
"""The same of elements, which are more: six arrays of 24 MB met in the smaller table."""
BANKS, BANK_BYTES = 32, 4

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass
class LineCounts:
    """Of one block, or of all."""

    amounts: dict[Key, float] = field(default_factory=lambda: defaultdict(float))
    runs: dict[Place, float] = field(default_factory=lambda: defaultdict(float))
    """Line and column of a statement -> how often warps ran it."""
    lanes: dict[Place, float] = field(default_factory=lambda: defaultdict(float))
    """The same of lanes."""
    entered: dict[tuple[Place, float], float] = field(default_factory=lambda: defaultdict(float))
    """Loop, and turns after it was entered -> how often."""

    def add(self, other: LineCounts, share: float) -> None:
        """Add those of another one."""
        for mine, its in (
            (self.amounts, other.amounts), (self.runs, other.runs), (self.lanes, other.lanes),
            (self.entered, other.entered),
        ):  # fmt: skip
            for key, value in its.items():
                mine[key] += share * value  # type: ignore[index]


@dataclass
class Counts:
    """Of one block, or of several."""

    flops: dict[Resource, float] = field(default_factory=lambda: defaultdict(float))
    operations: float = 0.0
    """Of data, as classes count them: each function and each comparison is one."""
    operations_from_none: float = 0.0
    """Beside them those on whole numbers that no data enter and that end in results (:mod:`.whole_work`)."""
    operations_of_keys: float = 0.0
    """Those of them on numbers that are no indices."""
    sectors_l1: float = 0.0
    wavefronts_l1: float = 0.0
    """Times that L1's banks answer: lanes that ask one bank for different words wait for each other."""
    sectors_uncoalesced: float = 0.0
    """Sectors of warps' accesses beyond as many as the bytes of their lanes fill."""
    sectors_l2: float = 0.0
    over: float = 0.0
    """Those of them that the block had touched before."""
    apart: float = 0.0
    """Bytes that it took in between, summed over those."""
    stored_l2: float = 0.0
    """Those of them that are stores."""
    accesses: float = 0.0
    """Loads and stores of warps in memory."""
    shared: float = 0.0
    """Accesses of warps to shared memory, one for each time that lanes ask one bank for different words."""
    bank_conflicts: float = 0.0
    """Those of them beyond as many as the words fill."""
    shared_by_groups: float = 0.0
    """Bytes of them that are spared where four warps multiply as one."""
    atomics: float = 0.0
    constants: float = 0.0
    """Words of constant memory that accesses of warps take, of which lanes ask different ones."""
    turns: float = 0.0
    """Of all loops of all warps."""
    turns_rolled: float = 0.0
    """Those of them of loops that compilers do not unroll."""
    issued: float = 0.0
    """Instructions of warps in calls and divisions of whole numbers, beside accesses, other operations and turns."""
    flops_of_calls: float = 0.0
    """Operations of calls beyond the first of each."""
    serial: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """SM cycles that the updates of each array take, if all were of one element."""
    serial_lines: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Sectors of each array that warps update, times the elements of a line."""
    steps: dict[tuple[bool, frozenset[str]], float] = field(default_factory=lambda: defaultdict(float))
    """Waits for loads in turn, by whether they go beyond L1, and the arrays that the block then reads first."""
    read: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Sectors of each array that were read, each once."""
    written: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    updated: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Elements of each array that atomics updated, each once."""
    first: dict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    """(read, written or updated; array) of these as many as no block before touched."""
    asked: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Sectors of each array that L2 was asked to read."""
    scattered: set[str] = field(default_factory=set)
    """Arrays of which data choose the elements."""
    lines: LineCounts | None = None
    """What each line did, where that is noted."""


def fold(sectors: Ints, table: int) -> Ints:
    """Places of sectors in a table: neighbours stay neighbours, and regular strides do not meet."""
    places: Ints = (sectors + (sectors >> 24) * 7368787) % table
    return places


class Traffic:
    """Counts accesses; :meth:`begin` forgets what was seen.

    of_elements : whether each scalar is a place of its own, as classes count them, and not each sector.
    """

    def __init__(self, *, of_elements: bool = False) -> None:
        self.of_elements = of_elements
        self.table = TABLE_OF_ELEMENTS if of_elements else TABLE
        self.units: dict[str, int] = {}
        """Bytes of a scalar of each array, where they are told apart."""
        self.counts = Counts()
        self.room = 0.0
        self.updated: dict[str, int] = {}
        """Bytes of an element of each array that atomics update."""
        self.bases: dict[str, int] = {}
        self.at = 0
        # Pages of these that nothing touches take no memory.
        self.used = np.zeros(self.table, dtype=np.int64)
        """What L1 had taken in when a sector was asked for last."""
        self.read, self.written = (np.zeros(self.table, dtype=np.int32) for _ in range(2))
        """The last block that read and that wrote a sector."""
        self.block = self.first = 0
        """The block that runs, and the first of those whose sectors are told apart from new ones."""
        self.joining: dict[str, tuple[Ints, int]] = {}
        """Array -> sectors of the stores that no load came after, and how many they are."""
        self.filled = 0
        """Bytes that went into L1; those of the blocks before are far behind."""

    def begin(self, *, fresh: bool = True) -> Counts:
        """Start a block. fresh : what blocks before it touched is new again. Returns where it is counted."""
        self.counts = Counts()
        self.joining.clear()
        self.filled += int(self.room) + 1
        self.block += 1
        self.first = self.block if fresh else self.first
        return self.counts

    def locate(self, array: str, extent: float | None, kind: Type | None = None) -> int:
        """The first sector of an array. kind : of its elements, where the file says it."""
        if array not in self.bases:
            # Of members of several sizes each is as many places as it has of the smallest one.
            sizes = {size for _, size in kind.leaves.values()} if kind is not None and self.of_elements else set[int]()
            if kind is not None and (kind.is_packed or len(sizes) > 1):
                self.units[array] = kind.unit
            self.bases[array] = self.at
            self.at += int(extent or 1 << 28) // (1 if self.of_elements else SECTOR_BYTES) // 64 * 64 + 128
        return self.bases[array]

    def find_unit(self, array: str, scalar: int = 0) -> int:
        """Bytes of one place of an array. scalar : those of the scalar that is accessed."""
        if not self.of_elements:
            return SECTOR_BYTES
        return self.units.setdefault(array, max(1, scalar)) if scalar else self.units.get(array, 1)

    def load_one(self, array: str, base: int, offset: int, warps: float, weight: float) -> tuple[bool, bool]:
        """All lanes read one element."""
        self.counts.accesses += warps * weight
        self.counts.sectors_l1 += warps * weight
        self.counts.wavefronts_l1 += warps * weight
        return self.enter(array, np.array([base + offset // self.find_unit(array)], dtype=np.int64), weight)

    def split(self, offset: Ints, mask: Bools, array: str, base: int, weight: float, size: int = BANK_BYTES) -> Ints:
        """Count an access of each active lane; its sectors, those of a warp once. size : B that a lane takes."""
        sector = np.where(mask, offset // self.find_unit(array) + base, -1).reshape(-1, WARP)
        sector = np.sort(sector, axis=1)
        new = np.ones(sector.shape, dtype=bool)
        new[:, 1:] = sector[:, 1:] != sector[:, :-1]
        new &= sector >= 0
        many = float((sector[:, -1] >= 0).sum())
        self.counts.accesses += weight * many
        distinct: Ints = sector[new]
        if not self.of_elements:
            # Of neighbouring sectors each bank holds one word.
            close = len(distinct) <= LINE_SECTORS * many and size <= BANK_BYTES and is_close(sector)
            words = [offset + k for k in range(0, max(size, BANK_BYTES), BANK_BYTES)]
            self.counts.wavefronts_l1 += weight * (many if close else count_words(words, mask)[0])
            filled = np.ceil((sector >= 0).sum(axis=1) * (size / SECTOR_BYTES))
            self.counts.sectors_uncoalesced += weight * float(np.maximum(new.sum(axis=1) - filled, 0.0).sum())
        self.counts.sectors_l1 += weight * len(distinct)
        return distinct

    def enter(self, array: str, sectors: Ints, weight: float) -> tuple[bool, bool]:
        """Sectors that are read: whether L1 lacks some, and whether the block had touched none of those before."""
        at = fold(sectors, self.table)
        apart = self.filled - self.used[at]
        lost = apart > self.room
        self.used[at] = self.filled
        if not lost.any():
            return False, False
        missed, places = np.unique(at[lost], return_index=True)
        self.counts.sectors_l2 += weight * len(missed)
        self.counts.asked[array] += weight * len(missed)
        self.filled += len(missed) * SECTOR_BYTES
        self.used[missed] = self.filled
        # What the block wrote before does not come from DRAM.
        last = np.maximum(self.read[missed], self.written[missed])
        self.read[missed] = self.block
        new = last < self.block
        self.counts.over += weight * int((~new).sum())
        self.counts.apart += weight * float(apart[lost][places][~new].sum())
        self.counts.read[array] += weight * int(new.sum())
        self.counts.first["read", array] += weight * int((last < self.first).sum())
        return True, bool(new.any())

    def store(self, array: str, sectors: Ints, weight: float, warps: float = 1.0) -> None:
        """Sectors that some warps write; those of the store before become one with it (:data:`MOST_JOINED`)."""
        before, stores = self.joining.get(array, (sectors[:0], MOST_JOINED))
        same = 0 if self.of_elements else int(np.isin(sectors, before).sum())
        goes_on = 2 * same > len(sectors)
        self.joining[array] = (np.union1d(before, sectors), stores + 1) if goes_on else (sectors, 1)
        joins = goes_on and stores < MOST_JOINED and len(sectors) <= JOINED_SECTORS * warps
        new = len(sectors) - (same if joins else 0)
        self.counts.sectors_l2 += weight * new
        self.counts.stored_l2 += weight * new
        at = fold(sectors, self.table)
        if not (at[1:] > at[:-1]).all():
            at = np.unique(at)
        self.write("written", array, at, weight)

    def update(  # noqa: PLR0913 - what is known of an update
        self, array: str, elements: Ints, mask: Bools, base: int, weight: float, *, size: int, cycles: float,
        merged: bool, spread: float | None = None,
    ) -> None:  # fmt: skip
        """Atomic updates of memory.

        size : B of an element. cycles : of one after the other of the same element. merged : whether the compiler makes
        one of a warp's. spread : B of the array of which data choose elements, infinite where unknown.
        """
        self.updated[array] = size
        sorted_elements = np.sort(np.where(mask, elements, -1).reshape(-1, WARP), axis=1)
        new = np.ones(sorted_elements.shape, dtype=bool)
        new[:, 1:] = sorted_elements[:, 1:] != sorted_elements[:, :-1]
        new &= sorted_elements >= 0
        asked = sorted_elements[new]
        self.counts.atomics += weight * len(asked)
        self.counts.serial[array] += weight * cycles * (len(asked) if merged else int(mask.sum()))
        if spread is None:
            sectors = sorted_elements * size // SECTOR_BYTES
            touched = float(new[:, 0].sum() + ((sectors[:, 1:] != sectors[:, :-1]) & new[:, 1:]).sum())
        else:
            touched = count_touched(new.sum(axis=1), spread / SECTOR_BYTES)
        self.counts.serial_lines[array] += weight * LINE_BYTES / size * touched
        self.counts.accesses += weight * float((sorted_elements[:, -1] >= 0).sum())
        at = np.unique(fold(asked + (1 if self.of_elements else 8) * base, self.table))
        self.write("updated", array, at, weight)

    def write(self, kind: str, array: str, at: Ints, weight: float) -> None:
        """Places that a block writes, each once."""
        last = self.written[at]
        self.written[at] = self.block
        getattr(self.counts, kind)[array] += weight * int((last < self.block).sum())
        self.counts.first[kind, array] += weight * int((last < self.first).sum())

    def read_constants(self, offsets: Ints, mask: Bools, weight: float) -> None:
        """An access to constant memory, which hands out one word after the other."""
        words = np.sort(np.where(mask, offsets // BANK_BYTES, -1).reshape(-1, WARP), axis=1)
        new = np.ones(words.shape, dtype=bool)
        new[:, 1:] = words[:, 1:] != words[:, :-1]
        new &= words >= 0
        many = new.sum(axis=1)
        self.counts.constants += weight * float(many[many > 1].sum())

    def share(self, offsets: Sequence[Ints], mask: Bools, weight: float) -> None:
        """An access to shared memory: as often as the busiest bank is asked for different words.

        offsets : of the elements that one instruction takes for each lane, this one last; those before are counted.
        """
        passes, least = count_words(offsets, mask)
        before, least_before = count_words(offsets[:-1], mask) if len(offsets) > 1 else (0.0, 0.0)
        self.counts.shared += weight * (passes - before)
        self.counts.bank_conflicts += weight * (passes - before - (least - least_before))


def count_touched(chosen: Ints, places: float) -> float:
    """How many of some places choices by chance touch, summed over warps. chosen : of each warp.

    >>> count_touched(np.array([2, 1]), 4.0), count_touched(np.array([3]), np.inf)
    (2.75, 3.0)
    """
    if not np.isfinite(places):
        return float(chosen.sum())
    return float((places * (1.0 - (1.0 - 1.0 / max(1.0, places)) ** chosen)).sum())


def is_close(sectors: Ints) -> bool:
    """Whether each warp's sectors, sorted, lie within 128 bytes; -1 is none."""
    lowest = np.where(sectors < 0, sectors[:, -1:], sectors).min(axis=1)
    return bool((sectors[:, -1] - lowest < LINE_SECTORS).all())


def count_words(offsets: Sequence[Ints], mask: Bools) -> tuple[float, float]:
    """How often the busiest bank is asked for different words, over all warps; and how often if all banks shared them.

    offsets : B, of each lane; several where one instruction takes several words. mask : lanes that run.
    """
    words = [np.where(mask, at // BANK_BYTES, -1).reshape(-1, WARP) for at in offsets]
    word = np.sort(np.concatenate(words, axis=1), axis=1)
    new = np.ones(word.shape, dtype=bool)
    new[:, 1:] = word[:, 1:] != word[:, :-1]
    new &= word >= 0
    rows, _ = np.nonzero(new)
    load = np.bincount(rows * BANKS + word[new] % BANKS, minlength=len(word) * BANKS).reshape(-1, BANKS)
    return float(load.max(axis=1).sum()), float(np.ceil(new.sum(axis=1) / BANKS).sum())
