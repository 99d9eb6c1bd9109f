r"""How long the rows of an array are of which units of work take overlapping sets, from where those sets are cut.

Unit u lies at place p(u), the element that it writes, in an array of sizes d_0 x ... x d_k; its set is s(u) = p(u) + o
for o of a set O of offsets that all share. Sizes are those that the file says, by which O is the smallest box

.. math:: \prod_k e_k \to min, \quad e_k = \max_{o \in O} c_k(o) - \min_{o \in O} c_k(o) + 1,

c_k : digits of an offset, the nearest to 0. Of several such sizes those are right for which sets are cut, bent or
absent where a box would cross the end of a row, and nowhere else. Where that leaves several it is refused.
Example: offsets -1, 0, 1 in 640x320 elements lie in rows of 320 where the unit at 320 takes 320, 321 and 639.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.source.nest import SourceError

Ints = NDArray[np.int64]
USUAL = 0.2
"""Share of the units that take an offset that belongs to the set."""
WHOLE = 0.5
"""Share of the units whose sets are whole: the others lie at borders."""
MOST_SIZES = 4_000
"""Ways to divide an array into rows that are tried."""


@dataclass(frozen=True, slots=True)
class Window:
    """What units take of one array, from where they are."""

    offsets: Ints
    """(offsets,) of the elements that units take usually."""
    places: Ints
    """(units,)."""
    whole: NDArray[np.bool_]
    """(units,) whether a unit takes as many of them as most do, and no others."""
    each: Sequence[Ints] = ()
    """Of each unit the offsets that it takes itself: some of them where places differ, as on a chequered grid."""


def find_window(places: Ints, sets: Sequence[Ints]) -> Window:
    """The offsets at which units take elements.

    Raises
    ------
    SourceError : they differ from one unit to the next.
    """
    offsets = [s - p for p, s in zip(places.tolist(), sets, strict=True)]
    every, counts = np.unique(np.concatenate(offsets), return_counts=True)
    usual = every[counts >= USUAL * len(sets)]
    often = Counter(map(len, offsets)).most_common(1)[0][0]
    whole = np.array([len(e) == often and bool(np.isin(e, usual).all()) for e in offsets])
    if not len(usual) or np.count_nonzero(whole) < WHOLE * len(sets):
        raise SourceError("what its results take differs from one to the next")
    return Window(usual, places, whole, offsets)


def list_sizes(
    count: int, numbers: Sequence[int], most: int = 4, *, counts: bool = False
) -> Iterator[tuple[int, ...]]:  # fmt: skip
    """Sizes of an array of so many elements, each a number of the file or a product of two; of few dimensions first.

    counts : whether the outermost may be another one, a number of images that nothing names.
    """
    stated = {n for n in numbers if 1 < n <= count} | {a * b for a, b in combinations(numbers, 2) if a * b <= count}
    parts = sorted(n for n in stated if count % n == 0)
    yield (count,)
    tried = 0
    for dimensions in range(2, most + 1):
        for inner in combinations_of(parts, dimensions - 1, count):
            outer = count // math.prod(inner)
            if outer > 1 and (counts or outer in stated):
                tried += 1
                yield (outer, *inner)
            if tried > MOST_SIZES:
                raise SourceError("the file says too many numbers that may be rows")


def combinations_of(parts: Sequence[int], several: int, count: int) -> Iterator[tuple[int, ...]]:
    """Several factors of a number in any order."""
    if several == 0:
        yield ()
        return
    for part in parts:
        if count % part == 0:
            for others in combinations_of(parts, several - 1, count // part):
                yield (part, *others)


def take_digits(values: Ints, sizes: Sequence[int]) -> Ints:
    """(dimensions, values) digits of places in an array."""
    digits, held = [], values
    for size in reversed(sizes[1:]):
        digits.append(held % size)
        held = held // size
    return np.stack([held, *reversed(digits)])


def measure_box(offsets: Ints, sizes: Sequence[int], *, dense: bool = True) -> tuple[Ints, Ints] | None:
    """Least and largest digits of offsets, the nearest to 0; None where they are wider than half of a row.

    dense : whether None, too, where most places between them are left out: such elements are of several rows.
    """
    digits, held = [], offsets
    for size in reversed(sizes[1:]):
        digit = (held + size // 2) % size - size // 2
        digits.append(digit)
        held = (held - digit) // size
    every = np.stack([held, *reversed(digits)])
    low, high = every.min(axis=1), every.max(axis=1)
    if any(2 * (h - b) >= s for b, h, s in zip(low.tolist(), high.tolist(), sizes, strict=True)):
        return None
    for d, b, h in zip(every, low.tolist(), high.tolist(), strict=True):
        if dense and 2 * len(np.unique(d)) <= h - b:
            return None
    return low, high


def is_cut_at_rows(window: Window, sizes: Sequence[int], holes: Ints, *, known: bool) -> bool:
    """Whether sets are whole inside of an array of some sizes, and are not where their box crosses the end of a row.

    known : whether the sizes are the array's own, so that no unit need lie at the end of a row. holes : places that
    have no unit, between others.
    """
    box = measure_box(window.offsets, sizes)
    if box is None:
        return False
    low, high = box
    digits, ends = take_digits(window.places, sizes), np.array(sizes)[:, None]
    crosses, absent = (
        (d + low[:, None] < 0) | (d + high[:, None] >= ends) for d in (digits, take_digits(holes, sizes))
    )  # fmt: skip
    if not absent.any(axis=0).all():
        return False
    if (~crosses.any(axis=0) & ~window.whole).any():
        return False
    for unit in np.flatnonzero(crosses[1:].any(axis=0) & window.whole).tolist():
        taken = measure_box(window.each[unit], sizes, dense=False)
        place = digits[1:, unit]
        if taken is None or (place + taken[0][1:] < 0).any() or (place + taken[1][1:] >= ends[1:, 0]).any():
            return False
    if known:
        return True
    # Rows that no set crosses, though it reaches beyond them, are seen by its other rows.
    seen = [bool(c.any()) or h == b or bool((high[:k] > low[:k]).any()) for k, (c, b, h) in enumerate(
        zip(np.concatenate([crosses, absent], axis=1), low.tolist(), high.tolist(), strict=True)
    ) if k]  # fmt: skip
    return all(seen)


def find_sizes(
    windows: Sequence[Window], count: int, numbers: Sequence[int], known: Sequence[tuple[int, ...]], holes: Ints,
    literals: Sequence[int] = (),
) -> tuple[int, ...]:  # fmt: skip
    """The sizes of arrays that units of work take overlapping sets of.

    known : sizes of arrays and of the launch. holes : places between others that have no unit. literals : numbers of
    the kernel's own text, which are asked where the file's fit nothing, with any number of rows.

    Raises
    ------
    SourceError : none fit, or several do.
    """
    left, through = list[tuple[int, ...]](), list[tuple[int, ...]]()
    for stated, counts in ((numbers, False), (numbers, True), (literals, True)):
        fitting: dict[tuple[int, ...], int] = {}
        for sizes in dict.fromkeys([*known, *list_sizes(count, stated, counts=counts)]):
            boxes = [measure_box(w.offsets, sizes) for w in windows]
            if all(b is not None for b in boxes):
                fitting[sizes] = math.prod(int((h - b + 1).prod()) for b, h in boxes)  # type: ignore[misc]
        least = min(fitting.values(), default=0)
        tight = [s for s, volume in fitting.items() if volume == least]
        left = [s for s in tight if all(is_cut_at_rows(w, s, holes, known=s in known) for w in windows)]
        for sizes in known:
            if sizes in left:
                return sizes
        left = [s for s in left if len(s) == min(map(len, left)) or not divides_rows(windows, s)]
        if left:
            break
        through = through or [s for s in tight if len(s) > 1] or find_strides(windows, count, stated)
    around = all(w.whole.all() and w.offsets[0] < 0 < w.offsets[-1] for w in windows)
    if not left and len(through) == 1 and around:
        # One loop goes over all rows, through their ends: of all that the file says this alone leaves few places out.
        return through[0]
    if len(left) != 1:
        raise SourceError(f"what its results take lies in {'rows of several lengths' if left else 'no rows'}")
    return left[0]


def find_strides(windows: Sequence[Window], count: int, numbers: Sequence[int]) -> list[tuple[int, ...]]:
    """Sizes by which steps to neighbours that the file says are one along each dimension; empty where they are not."""
    common = set[int].intersection(*({int(o) for o in w.offsets} for w in windows))
    strides = [1, *sorted(n for n in set(numbers) if n > 1 and {n, -n} <= common), count]
    sizes = [b // a for a, b in pairwise(strides)]
    exact = len(sizes) > 1 and all(b % a == 0 for a, b in pairwise(strides))
    fitting = tuple(reversed(sizes))
    return [fitting] if exact and all(measure_box(w.offsets, fitting) is not None for w in windows) else []


def divides_rows(windows: Sequence[Window], sizes: Sequence[int]) -> bool:
    """Whether sizes divide rows in which all units take one element: they say no more than the whole row."""
    boxes = [measure_box(w.offsets, sizes) for w in windows]
    return all((high[-2:] == low[-2:]).all() for low, high in (b for b in boxes if b is not None))


@dataclass(frozen=True, slots=True)
class Order:
    """The order in which units take single elements: by digits of their places."""

    sizes: tuple[int, ...]
    """Of the elements that are taken, outermost first."""
    keeps: bool
    """Whether digits stay in their order: units that follow each other take the same element or later ones."""


def list_orders(
    places: Ints, taken: Ints, count: int, number: int, numbers: Sequence[int], known: Sequence[tuple[int, ...]]
) -> list[Order]:  # fmt: skip
    """How units at places take one element each, by the fewest sizes that the file says.

    Element = base + sum over digits c_k of the place of stride s_k; digits that change nothing have stride 0.
    """
    orders: dict[tuple[int, ...], Order] = {}
    fewest = 0
    for sizes in dict.fromkeys([*known, *list_sizes(number, numbers, 5, counts=True)]):
        if fewest and len(sizes) > fewest:
            if sizes in known:
                continue
            break
        digits = take_digits(places, sizes)
        matrix = np.concatenate([digits, np.ones((1, len(places)))]).T.astype(np.float64)
        if np.linalg.matrix_rank(matrix - matrix.mean(axis=0)) < sum(s > 1 for s in sizes):
            continue
        strides = np.rint(np.linalg.lstsq(matrix, taken.astype(np.float64), rcond=None)[0])[:-1].astype(np.int64)
        base = taken - strides @ digits
        if (base != base[0]).any():
            continue
        order = read_order(sizes, strides.tolist(), int(base[0]), count)
        if order is not None:
            fewest = len(sizes)
            orders[order.sizes] = order
    return list(orders.values())


def read_order(sizes: Sequence[int], strides: Sequence[int], base: int, count: int) -> Order | None:
    """The sizes of what is taken, by strides of digits; None where that is not a whole array."""
    used = sorted(((abs(s), k) for k, s in enumerate(strides) if s), reverse=True)
    expected = 1
    for stride, k in reversed(used):
        if stride != expected:
            return None
        expected *= sizes[k]
    least = base + sum((sizes[k] - 1) * strides[k] for _, k in used if strides[k] < 0)
    if expected != count or least:
        return None
    keeps = [k for _, k in used] == sorted(k for _, k in used) and all(strides[k] > 0 for _, k in used)
    return Order(tuple(sizes[k] for _, k in used), keeps)
