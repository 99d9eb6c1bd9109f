r"""What units of work take of an array whose places go on by even steps, turn by turn.

A unit at turns t_k of its loops takes

.. math:: e = b + \sum_k s_k t_k + \sum_j r_j o_j, \quad 0 \le t_k < n_k, \quad 0 \le o_j < m_j,

b : the first element; s_k : how far a turn moves; r_j, m_j : strides and lengths of what one unit takes. Strides that
reach into each other lie in one dimension of the array, a larger one begins a new dimension: of r = 1, m = 3 and s = 1
it is a window of three elements, of r = 1, m = 8 and s = 8 tiles of eight. Where units' sets overlap along one
dimension the array is a neighbourhood, else it is in tiles; where no turn moves it all units take all of it.
Example: ``g += d[o][t] * x[c][t + k]`` over t < 2044, units (o, c, k): of d rows of 2044, of x, which has rows of 2048,
windows of 1x2044.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice, pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.source.footprint_rows import take_digits

Ints = NDArray[np.int64]
ALIKE = 0.5
"""Share of the units that take a whole set; others lie at borders."""
SECTOR = 32
"""Bytes that DRAM moves at least: what lies between elements of one moves with them."""
NEARLY = 0.9
"""Share of a row that units take, beyond which it is the whole row but for a border."""
MOST_WAYS = 64
"""Ways to divide the numbers of threads into turns that are tried."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Turns of one loop."""

    stride: int
    """Elements of an array from one turn to the next."""
    number: int
    turns: Ints
    """(units,) of the units whose sets are cut."""
    downward: bool = False


@dataclass(slots=True)
class Dimension:
    """One dimension of what units take together."""

    stride: int
    reach: int
    """Elements along it, from the first to the last that is taken."""
    extent: int = 1
    """Of those, from the first to the last of one unit."""
    step: int = 0
    """Between units that follow each other; 0 where no turn moves along it."""
    turns: int = 1

    @property
    def length(self) -> int:
        """Elements of a row at least: what windows take behind its end is at a border."""
        return min(self.reach, self.turns * self.step) if self.step else self.reach


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of an array and what one unit takes of it, outermost first."""

    sizes: tuple[int, ...]
    extents: tuple[int, ...]
    overlaps: bool
    moves: bool
    """Whether units take different parts at all."""

    def render(self) -> str:
        """The same as text of the notation."""
        sizes = "x".join(map(str, self.sizes))
        if not self.moves:
            return f"{math.prod(self.sizes)}|full"
        extents = list(self.extents)
        while self.overlaps and len(extents) > 1 and extents[0] == 1:
            extents.pop(0)
        widths = "x".join(map(str, extents))
        if self.overlaps:
            return f"{sizes}|neighbourhood({widths})"
        return f"{sizes}|element" if max(self.extents) == 1 else f"{sizes}|tile({widths})"


def list_turns(
    places: Ints, numbers: Sequence[int], block: Sequence[int], stated: Sequence[int]
) -> Iterator[tuple[Ints, tuple[int, ...]]]:  # fmt: skip
    """(turns, units) turns of loops that threads stand for, with how many there are of each, in several ways.

    First those along the axes of the grid, then blocks and their threads apart, then digits by stated lengths.

    places : (axes, units) of threads. numbers : of threads along each axis. block : threads of one. stated : numbers
    that may be lengths.
    """
    yield places, tuple(numbers)
    wide = np.array(block)[:, None]
    blocks = (-(-n // b) for n, b in zip(numbers, block, strict=True))
    yield np.concatenate([places % wide, places // wide]), (*block, *blocks)
    long = max(range(len(numbers)), key=lambda a: numbers[a])
    parts = [n for n in stated if 1 < n < numbers[long]]
    ways = chain(((p,) for p in parts), permutations(parts, 2))
    for inner in islice(ways, MOST_WAYS):
        outer = -(-numbers[long] // math.prod(inner))
        if outer < 2:
            continue
        digits = take_digits(places[long], (outer, *inner))
        rest = [a for a in range(len(numbers)) if a != long]
        yield np.concatenate([places[rest], digits]), (*(numbers[a] for a in rest), outer, *inner)


def fit_steps(
    turns: Ints, numbers: Sequence[int], sets: Sequence[Ints], size: int, *, whole_alone: bool = False,
    joins: bool = False, at_ends: NDArray[np.bool_] | None = None,
) -> Shape | None:  # fmt: skip
    """The shape of an array of which units take these sets; None where they do not go on by even steps.

    turns : (loops, units). numbers : of turns of each loop. size : bytes of an element. whole_alone : whether all
    units take as many elements, none of them less at a border. joins : whether turns of which one goes on where another
    one ends may be of one loop, as blocks and their threads are. at_ends : (units,) of which sets of other arrays are
    cut at ends of loops.
    """
    forms = Counter((s - s[0]).tobytes() for s in sets)
    form, often = forms.most_common(1)[0]
    if often < (1 if whole_alone else ALIKE) * len(sets):
        return None
    whole = np.array([(s - s[0]).tobytes() == form for s in sets])
    offsets = next(s - s[0] for s in sets if (s - s[0]).tobytes() == form)
    used = [k for k, t in enumerate(turns) if len(np.unique(t[whole])) > 1]
    matrix = np.concatenate([turns[used], np.ones((1, turns.shape[1]), dtype=np.int64)]).T
    inner = matrix[whole].astype(np.float64)
    if np.linalg.matrix_rank(inner - inner.mean(axis=0)) < len(used):
        return None
    starts = np.array([s[0] for s in sets], dtype=np.int64)
    strides = np.rint(np.linalg.lstsq(inner, starts[whole].astype(np.float64), rcond=None)[0][:-1]).astype(np.int64)
    moved = matrix[:, :-1] @ strides
    base = int(starts[whole][0] - moved[whole][0])
    if (starts[whole] != base + moved[whole]).any():
        return None
    progressions = find_progressions(offsets)
    if progressions is None:
        return None
    terms = [(abs(int(s)), numbers[k], True) for s, k in zip(strides, used, strict=True) if s]
    if at_ends is not None and not (~whole & ~at_ends).any():
        inside = all(np.isin(s, base + m + offsets).all() for s, m in zip(sets, moved.tolist(), strict=True))
        return lay_out(terms, progressions, size) if inside else None
    cut = np.flatnonzero(~whole)
    boxes = find_boxes([sets[u] - base - moved[u] for u in cut.tolist()], offsets, progressions)
    if boxes is None:
        return None
    axes = sorted(
        (Axis(abs(int(s)), numbers[k], turns[k][cut], int(s) < 0) for s, k in zip(strides, used, strict=True)),
        key=lambda a: (a.stride, a.number),
    )  # fmt: skip
    fitting = [
        lay_out([(a.stride, a.number, True) for a in joined if a.stride], progressions, size)
        for joined in (join_axes(axes) if joins else [axes])
        if all(are_cut_at_ends(joined, p, *b) for p, b in zip(progressions, boxes, strict=True))
    ]
    # Elements of several rows are no window with gaps of one row.
    dense = [s for s in fitting if s is not None and s.overlaps and math.prod(s.extents) == len(offsets)]
    return dense[0] if dense and fitting[0] is not None and fitting[0].overlaps else next(iter(fitting), None)


def find_boxes(
    sets: Sequence[Ints], offsets: Ints, progressions: Sequence[tuple[int, int]]
) -> list[tuple[Ints, Ints]] | None:  # fmt: skip
    """Of each progression (units,) the first and the last term that cut sets have; None where these are no boxes.

    sets : offsets of what units take, fewer than all.
    """
    counts = [n for n, _ in reversed(progressions)]
    low, high = (np.zeros((len(progressions), len(sets)), dtype=np.int64) for _ in range(2))
    for u, mine in enumerate(sets):
        if not len(mine) or not np.isin(mine, offsets).all():
            return None
        digits = np.stack(np.unravel_index(np.searchsorted(offsets, mine), counts or (1,)))[::-1]
        if counts:
            low[:, u], high[:, u] = digits.min(axis=1), digits.max(axis=1)
            if len(mine) != (high[:, u] - low[:, u] + 1).prod():
                return None
    return list(zip(low, high, strict=True))


def are_cut_at_ends(axes: Sequence[Axis], progression: tuple[int, int], low: Ints, high: Ints) -> bool:
    """Whether sets lack terms of one progression where they would reach behind the ends of a loop, not between.

    The first element that is left, turn times stride and term times stride, is one place for all; so is the last.
    Where no turn moves that array, units lie near the end of some loop.

    low, high : (units,) terms that are left.
    """
    count, stride = progression
    inside = [a for a in axes if 0 < a.stride <= stride < a.stride * a.number]
    moving = inside[-1:] or [a for a in axes if a.stride > stride][:1]
    for terms, end in ((low, 0), (high, count - 1)):
        cut = terms != end
        if not cut.any():
            continue
        places = [terms[cut] * stride + (-1 if a.downward else 1) * a.turns[cut] * a.stride for a in moving]
        if any(int(np.ptp(p)) < max(stride, moving[0].stride) for p in places):
            continue
        near = [np.minimum(a.turns, a.number - 1 - a.turns)[cut] < count for a in axes if not a.stride]
        if not near or not np.stack(near).any(axis=0).all():
            return False
    return True


def join_axes(axes: Sequence[Axis]) -> Iterator[Sequence[Axis]]:
    """The same with those of one loop as one, most of them joined first."""
    pairs = [k for k, (a, b) in enumerate(pairwise(axes)) if a.stride and b.stride == a.stride * a.number]
    for several in range(len(pairs), -1, -1):
        for chosen in combinations(pairs, several):
            joined = list[Axis]()
            for k, axis in enumerate(axes):
                if k - 1 in chosen:
                    inner = joined[-1]
                    turns = inner.turns + inner.number * axis.turns
                    joined[-1] = Axis(inner.stride, inner.number * axis.number, turns, inner.downward)
                else:
                    joined.append(axis)
            yield joined


def find_progressions(offsets: Ints) -> list[tuple[int, int]] | None:
    """(elements, stride) of nested progressions that a set is, innermost first; None where it is none."""
    held, levels = offsets, list[tuple[int, int]]()
    while len(held) > 1:
        stride = int(held[1] - held[0])
        breaks = np.flatnonzero(np.diff(held) != stride)
        count = int(breaks[0]) + 1 if len(breaks) else len(held)
        if len(held) % count:
            return None
        rows = held.reshape(-1, count)
        if (rows - rows[:, :1] != np.arange(count) * stride).any():
            return None
        levels.append((count, stride))
        held = rows[:, 0]
    return levels


def lay_out(moves: Sequence[tuple[int, int, bool]], progressions: Sequence[tuple[int, int]], size: int) -> Shape | None:
    """Dimensions of an array in which turns move by some strides and units take some progressions; None for none."""
    terms = sorted([*moves, *((stride, count, False) for count, stride in progressions)], key=lambda t: t[:2])
    if not terms:
        return None
    dimensions = list[Dimension]()
    skipped = terms[0][0]
    if skipped * size < SECTOR and skipped > 1:
        # What lies between is of the same sectors.
        return None
    for stride, count, of_units in terms:
        last = dimensions[-1] if dimensions else None
        if last is None or stride >= last.stride * last.length:
            if last is not None and stride % last.stride:
                return None
            last = Dimension(stride, 1)
            dimensions.append(last)
        elif stride % last.stride:
            return None
        step = stride // last.stride
        if of_units and last.turns > 1:
            return None
        last.reach += (count - 1) * step
        if of_units:
            last.step, last.turns = step, count
        else:
            last.extent += (count - 1) * step
    return measure(dimensions, size)


def measure(dimensions: Sequence[Dimension], size: int) -> Shape | None:
    """The shape that some dimensions are, innermost first; None for none."""
    for d in dimensions:
        if d.step < d.extent >= NEARLY * d.reach:
            # All units take it, but for a few elements at its ends.
            d.extent, d.turns, d.step = d.reach, 1, 0
    overlaps = any(d.turns > 1 and d.step < d.extent for d in dimensions)
    rows = [*(b.stride // a.stride for a, b in pairwise(dimensions)), dimensions[-1].reach]
    sizes = list[int]()
    for row, d in zip(rows, dimensions, strict=True):
        apart = d.turns > 1 and d.step > d.extent
        near_by = apart and (d.step - d.extent) * d.stride * size < SECTOR
        if near_by or (overlaps and (apart or (d.turns > 1 and d.step == d.extent > 1))):
            return None
        whole = not apart and d.reach >= NEARLY * row and (overlaps or row % d.extent == 0)
        sizes.append(row if whole else d.turns * d.extent if apart else d.reach)
    extents = [d.extent for d in dimensions]
    moves = any(d.turns > 1 for d in dimensions)
    return Shape(tuple(reversed(sizes)), tuple(reversed(extents)), overlaps, moves)


def read_turns(places: Ints, sizes: Sequence[int]) -> Ints:
    """(loops, units) turns from (3, units) places of threads. sizes : turns of loops, outermost first.

    Along x is the innermost loop, along y the next, along z all others.
    """
    if len(sizes) <= 3:
        return np.stack([places[len(sizes) - 1 - k] for k in range(len(sizes))])
    outer = take_digits(places[2], sizes[:-2])
    return np.concatenate([outer, places[1:2], places[:1]])
