r"""How many different places the blocks along one axis of a grid touch, by one thread of each of them.

Neighbours in a grid say how much of a tile the next block shares, but not that ``blockIdx.y / 8`` takes another row
only every eight blocks, nor that ``blockIdx.x % 64`` comes back. So one thread of each block runs beside those of the
others, as lanes that differ in their block's number alone:

.. math:: D = P / p

P : sectors that all of them touch. p : those that one touches. D : 1, blocks whose places differ. Of more blocks than
lanes some run that follow each other, and some that are spread: n of G equal places that are met by chance are
:math:`G (1 - (1 - 1/G)^n)` different ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roofcast_hull.emulated.threads import Threads
from roofcast_hull.emulated.traffic import Counts, Ints
from roofcast_hull.source.nest import SourceError

LANES = 1024
"""Blocks along an axis that run beside each other."""
MOST_STATEMENTS = 20_000
"""Of one block beyond which nothing is run beside it."""
CLEARLY = 0.3
"""Of the places that are expected: fewer say that places come back. Of threads every second may do nothing."""
DIVIDING = frozenset(["/", "%", ">>", "&", "^"])
"""Operators that give several blocks one index."""

Key = tuple[str, str]
"""(read, written or updated; array)."""


def divides_indices(function: Any, functions: Mapping[str, Sequence[Any]]) -> bool:
    """Whether a kernel, or what it may call, has operators that can give several blocks one index."""

    def has(node: Any) -> bool:
        if type(node).__name__ == "BinaryOp" and node.op in DIVIDING:
            return True
        return any(has(child) for _, child in node.children())

    return has(function.body) or any(has(f.body) for several in functions.values() for f in several)


@dataclass
class Row:
    """Different places of an array along one axis."""

    near: float = 1.0
    """Of all blocks, as those do that follow each other."""
    spread: float = math.inf
    """Of as many blocks as there are lanes, drawn from all; infinite where all run."""

    def find(self, by_neighbours: float, busy: float) -> float:
        """Places of all blocks. by_neighbours : those that neighbours tell, 0 where these share all. busy : of 1.

        Where neighbours share all, only the threads tell; else those say whether places come back. Blocks that do
        nothing, or go another way, take some of them: only clearly fewer places count.
        """
        drawn = LANES * busy
        expected = -self.near * math.expm1(drawn * math.log1p(-1 / self.near)) if self.near > 1 else 1.0
        places = find_places(self.spread, drawn) if self.spread < CLEARLY * expected else self.near
        return places if not by_neighbours or places < CLEARLY * busy * by_neighbours else by_neighbours


Rows = dict[Key, list[Row]]


def count_rows(
    make: Callable[[], tuple[Threads, Any, Mapping[str, Any]]], grid: Sequence[int], block: Sequence[int],
    middle: Sequence[int],
) -> Rows:  # fmt: skip
    """For each array that a thread touches its places along x, y and z.

    make : threads of a new block, the kernel and its arguments. middle : the block that others are compared with.
    """
    rows: Rows = {}
    probes = sorted({(0, 0, 0), tuple(b // 2 for b in block)})
    for probe in probes:
        threads, function, arguments = make()
        threads.places["threadIdx"] = dict(zip("xyz", probe, strict=True))
        single = count(threads, function, arguments, middle)
        for axis in (k for k in range(3) if grid[k] > 1):
            for key, row in measure_axis(threads, function, arguments, single, grid[axis], middle, axis).items():
                held = rows.setdefault(key, [Row(), Row(), Row()])
                if row.near >= held[axis].near:
                    held[axis] = row
    return rows


def measure_axis(
    threads: Threads, function: Any, arguments: Mapping[str, Any], single: Counts, blocks: int, middle: Sequence[int],
    axis: int,
) -> dict[Key, Row]:  # fmt: skip
    """Places of each array along an axis. single : what the thread of one block touches."""
    lanes = threads.lanes
    near = np.arange(lanes, dtype=np.int64) % blocks
    near += max(0, min(middle[axis] - lanes // 2, blocks - lanes))
    following = compare(count(threads, function, arguments, put(middle, axis, near)), single)
    if blocks <= lanes:
        return {key: Row(places) for key, places in following.items()}
    drawn = np.random.default_rng(0).choice(blocks, lanes, replace=False, shuffle=False).astype(np.int64)
    spread = compare(count(threads, function, arguments, put(middle, axis, drawn)), single)
    return {key: Row(places * blocks / lanes, spread[key]) for key, places in following.items()}


def count(threads: Threads, function: Any, arguments: Mapping[str, Any], at: Sequence[Any]) -> Counts:
    """What lanes touch. at : their blocks along x, y, z, numbers or one for each lane."""
    counts = threads.traffic.begin()
    threads.run_block(at, function, arguments)
    return counts


def put(middle: Sequence[int], axis: int, places: Ints) -> list[Any]:
    """A block with others along one axis."""
    at: list[Any] = list(middle)
    at[axis] = places
    return at


def compare(counts: Counts, single: Counts) -> dict[Key, float]:
    """How often lanes together touch what one of them does, of each array that it touches."""
    return {
        (kind, array): max(1.0, getattr(counts, kind).get(array, 0.0) / amount)
        for kind in ("read", "written", "updated") for array, amount in getattr(single, kind).items() if amount > 0
    }  # fmt: skip


def find_places(different: float, drawn: float) -> float:
    """G of which so many are different where some are drawn by chance: D = G (1 - (1 - 1/G)^n)."""
    low, high = max(1.0, different), 1e12
    while high > 1.001 * low:
        middle = math.sqrt(low * high)
        reached = middle * -math.expm1(drawn * math.log1p(-1 / middle)) if middle > 1 else 1.0
        low, high = (middle, high) if reached < different else (low, middle)
    return low if low > 1.002 * max(1.0, different) else different


def try_rows(
    make: Callable[[], tuple[Threads, Any, Mapping[str, Any]]], grid: Sequence[int], block: Sequence[int],
    middle: Sequence[int],
) -> Rows:  # fmt: skip
    """The same; nothing of kernels that cannot be run so."""
    try:
        return count_rows(make, grid, block, middle)
    except (SourceError, ArithmeticError, LookupError, TypeError, ValueError, MemoryError):
        return {}
