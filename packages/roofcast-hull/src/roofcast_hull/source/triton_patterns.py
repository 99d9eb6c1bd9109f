"""What units of work take of an array along its dimensions, fitted to what some of them took."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roofcast_hull.source.triton_steps import Ints

PADDED = 1.01
"""Elements of whole tiles over those of an array whose last tile is a part of one."""
LEAST_RING = 8
"""Elements of a dimension whose ends may be neighbours."""
LEAST_ENLARGED = 8
"""Elements of a dimension that is enlarged."""
HOLES = 8
"""Of a dimension, the share that a neighbourhood with holes reaches over at most."""


@dataclass(frozen=True, slots=True)
class Digit:
    """``u // divisor % size`` of a unit's number."""

    divisor: int
    size: int


@dataclass(frozen=True, slots=True)
class Along:
    """What units take along one dimension of an array."""

    size: int
    """Elements of the dimension that units take at all."""
    extent: int
    """Elements that a unit takes."""
    digit: Digit | None
    """Which of them; None where all take the same."""
    overlaps: bool = False
    """Whether units beside each other take some of the same."""


def measure_part(along: Along) -> tuple[int, int, bool]:
    """What a unit takes along a dimension, whichever unit it is."""
    return along.size, along.extent, along.digit is None


@dataclass(frozen=True, slots=True)
class Fitted:
    """One array of a class."""

    array: str
    text: str
    elements: int


def is_star(forms: Sequence[Ints], shape: tuple[int, ...]) -> bool:
    """Whether what units take, with holes in its box, has one form where no border cuts it, and is small.

    Neighbours take what lies in the holes: a cross, a neighbourhood with steps.
    """
    largest = max(forms, key=lambda f: f.shape[1])
    reach = largest.max(axis=1) + 1
    whole = [f for f in forms if (f.max(axis=1) + 1 == reach).all()]
    narrow = all(r == 1 or r * HOLES <= n for r, n in zip(reach.tolist(), shape, strict=True))
    return narrow and all(f.shape == largest.shape and (f == largest).all() for f in whole)


def unwrap(at: Ints, shape: tuple[int, ...]) -> Ints:
    """Coordinates of elements, those before an array's end as before its beginning where a unit takes both.

    Neighbours of the first element of a row on a ring are its last and its second: -1 and 1.

    >>> unwrap(np.array([[0, 1, 63], [5, 5, 5]]), (64, 64)).tolist()
    [[-1, 0, 1], [5, 5, 5]]
    """
    moved = at
    for n, size in enumerate(shape):
        distinct = np.unique(at[n])
        if size < LEAST_RING or distinct[0] != 0 or distinct[-1] != size - 1:
            continue
        gap = int(np.argmax(np.diff(distinct)))
        if 2 * (distinct[gap + 1] - distinct[gap]) > size:
            moved = moved.copy() if moved is at else moved
            moved[n] = np.where(at[n] > distinct[gap], at[n] - size, at[n])
    return at if moved is at else moved[:, np.lexsort(moved[::-1])]


def fit_along(numbers: Ints, low: Ints, high: Ints, size: int, counts: tuple[int, ...]) -> Along | None:
    """What units take along one dimension; None where no pattern fits."""
    if (low == low[0]).all() and (high == high[0]).all():
        extent = int(high[0] - low[0]) + 1
        return Along(extent, extent, None)
    kinds, often = np.unique(high - low + 1, return_counts=True)
    for width in dict.fromkeys((int(kinds[np.argmax(often)]), int(kinds.max()))):
        if tile := fit_tile(numbers, low, high, (size, width), counts):
            return tile
    turns = [Digit(divisor, limit) for divisor, limit in list_turns(counts)]
    for fit, digit in itertools.product((fit_moving, fit_strided, fit_scaled), turns):
        if along := fit(numbers, low, high, size, digit):
            return along
    if any(grows(numbers, low, high, size, digit) for digit in turns):
        # As far as its own place: half of them in the mean.
        return Along(size, size, None)
    return None


def fit_tile(
    numbers: Ints, low: Ints, high: Ints, extent: tuple[int, int], counts: tuple[int, ...]
) -> Along | None:  # fmt: skip
    """Tiles along a dimension. extent : its elements, and those of a tile."""
    size, width = extent
    if (low % width).any() or (high != np.minimum(low + width, size) - 1).any():
        return None
    number = -(-size // width)
    for divisor in list_divisors(counts):
        reached = divisor * (number - 1) < math.prod(counts)
        if reached and (numbers // divisor % number == low // width).all():
            return Along(size, width, Digit(divisor, number))
    for divisor, limit in list_turns(counts):
        if limit * width <= size and (numbers // divisor % limit == low // width).all():
            return Along(limit * width, width, Digit(divisor, limit))
    return None


def fit_moving(numbers: Ints, low: Ints, high: Ints, size: int, digit: Digit) -> Along | None:
    """Elements around a place that moves by one from a unit to the next, cut off at borders."""
    place, lengths = numbers // digit.divisor % digit.size, high - low + 1
    most = int(lengths.max())
    if most == size:
        # What reaches from one end to the other is no neighbourhood: rows of a triangle.
        return None
    shifts = np.unique((low - place)[(lengths == most) & (low >= 0)])
    if len(shifts) != 1:
        return None
    first = place + int(shifts[0])
    cut = (low == np.maximum(first, 0)) & (high == np.minimum(first + most, size) - 1)
    # On a ring what lies behind one end is at the other one.
    turned = (lengths == most) & (low < 0) & ((low - first) % size == 0)
    if not (cut | turned).all():
        return None
    if most > 1:
        return Along(size, most, digit, overlaps=True)
    return Along(size if digit.size >= size - abs(int(shifts[0])) else digit.size, 1, digit)


def fit_strided(numbers: Ints, low: Ints, high: Ints, size: int, digit: Digit) -> Along | None:
    """Windows that overlap and begin several elements apart, cut off at borders."""
    place, lengths = numbers // digit.divisor % digit.size, high - low + 1
    most = int(lengths.max())
    whole = np.flatnonzero(lengths == most)
    first, last = whole[np.argmin(place[whole])], whole[np.argmax(place[whole])]
    apart = int(place[last] - place[first])
    step, rest = divmod(int(low[last] - low[first]), apart) if apart else (0, 1)
    if rest or not 1 < step < most < size:
        return None
    begins = step * (place - place[first]) + low[first]
    if (low != np.maximum(begins, 0)).any() or (high != np.minimum(begins + most, size) - 1).any():
        return None
    return Along(size, most, digit, overlaps=True)


def fit_scaled(numbers: Ints, low: Ints, high: Ints, size: int, digit: Digit) -> Along | None:
    """Elements around a place that moves by one every few units: an image that is enlarged, between its pixels."""
    several, rest = divmod(digit.size, size)
    if rest or several < 2 or size < LEAST_ENLARGED:
        return None
    place = numbers // digit.divisor % digit.size // several
    if (low < np.maximum(place - 1, 0)).any() or (high > np.minimum(place + 1, size - 1)).any():
        return None
    return Along(size, 3, Digit(digit.divisor * several, size), overlaps=True)


def grows(numbers: Ints, low: Ints, high: Ints, size: int, digit: Digit) -> bool:
    """Whether units take all elements up to a place that grows with a digit, or all from there on."""
    place = numbers // digit.divisor % digit.size
    order = np.argsort(place, kind="stable")
    ends = (low == 0).all() and (np.diff(high[order]) >= 0).all()
    ends = ends or ((high == size - 1).all() and (np.diff(low[order]) >= 0).all())
    several = np.unique(place)
    if not ends or len(several) < 3:
        return False
    return all(len(np.unique((high - low)[place == p])) == 1 for p in several)


def list_turns(counts: tuple[int, ...]) -> list[tuple[int, int]]:
    """Dimensions of units, and several of them as one: (divisor, size)."""
    ends = [(first, last) for first in range(len(counts)) for last in range(first, len(counts))]
    turns = {(math.prod(counts[last + 1 :]), math.prod(counts[first : last + 1])) for first, last in ends}
    return sorted(turns, key=lambda t: (t[1], t[0]))


def list_divisors(counts: tuple[int, ...]) -> list[int]:
    """Numbers of units that may take the same of a dimension, those of whole dimensions of units first."""
    after = [math.prod(counts[n + 1 :]) for n in range(len(counts))]
    parts = [a * k for a, count in zip(after, counts, strict=True) for k in divide(count)]
    return list(dict.fromkeys([*after, *parts]))


def divide(count: int) -> list[int]:
    """What divides a number, but for one, in order.

    >>> divide(12)
    [2, 3, 4, 6, 12]
    """
    small = [k for k in range(1, math.isqrt(count) + 1) if count % k == 0]
    return sorted({*small, *(count // k for k in small)} - {1})


def render(array: str, fitted: Sequence[Along]) -> Fitted:
    """An input as text."""
    sizes = [a.size for a in fitted]
    if all(a.digit is None or a.digit.size == 1 for a in fitted):
        # Arrays are as long as what is taken of them.
        return Fitted(array, f"{'x'.join(map(str, sizes))}|full", math.prod(sizes))
    ends = [-(-a.size // a.extent) * a.extent for a in fitted]
    if not any(a.overlaps for a in fitted) and math.prod(ends) <= PADDED * math.prod(sizes):
        # The last tile is a part of one.
        sizes = ends
    whole = "x".join(map(str, sizes))
    extents = "x".join(str(a.extent) for a in fitted)
    if any(a.overlaps for a in fitted):
        return Fitted(array, f"{whole}|neighbourhood({extents})", math.prod(sizes))
    if all(a.extent == 1 for a in fitted):
        steps = [a.digit.divisor for a in fitted if a.digit is not None and a.size > 1]
        unordered = len(set(steps)) > 1 and steps[-1] != min(steps)
        return Fitted(array, f"{'unordered ' if unordered else ''}{whole}|element", math.prod(sizes))
    return Fitted(array, f"{whole}|tile({extents})", math.prod(sizes))


def render_stored(array: str, shape: tuple[int, ...], extents: tuple[int, ...]) -> Fitted:
    """An output as text. extents : elements of a unit along each dimension; () where all units add to it."""
    whole = "x".join(map(str, shape))
    if not extents:
        return Fitted(array, f"{whole}|shared", math.prod(shape))
    if all(e == 1 for e in extents):
        return Fitted(array, f"{whole}|element", math.prod(shape))
    return Fitted(array, f"{whole}|tile({'x'.join(map(str, extents))})", math.prod(shape))


def widen(along: Sequence[Along], shape: tuple[int, ...], extents: tuple[int, ...]) -> tuple[int, ...]:
    """Extents of what is stored where several stored elements are the same one of the only input."""
    widened = list(extents)
    counts = [s // e for s, e in zip(shape, extents, strict=True)]
    for n in range(len(shape)):
        after = math.prod(counts[n + 1 :])
        for a in along:
            if a.digit is None or a.digit.divisor % after:
                continue
            part = a.digit.divisor // after
            if 1 < part < counts[n] and counts[n] == part * a.digit.size:
                widened[n] *= part
    return tuple(widened)
