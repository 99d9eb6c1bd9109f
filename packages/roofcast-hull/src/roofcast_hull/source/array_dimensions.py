"""What the indices of a group of accesses say of each dimension of their array, and the part of a class that it is."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from roofcast_hull.notation import Part, Pattern
from roofcast_hull.source.counting import count_iterations
from roofcast_hull.source.nest import Access, Affine, Loop, count_values, find_extreme, refuse

PART = 0.9
"""Share of a dimension below which what units take of it is a part of the array, as what they write is where they
read nothing around."""
WIDEST_WINDOW = 8
"""Steps from one unit's window to the next up to which a window wider than one step is a tile and its border."""


@dataclass(frozen=True, slots=True)
class Roles:
    """What each loop variable of a group is."""

    parallel: tuple[str, ...]
    """One value each per unit of work, in the order of the output's dimensions."""
    inner: frozenset[str]
    """Run through within a unit: reductions, and positions inside an output tile."""
    mirrored: frozenset[str] = frozenset()
    """Parallel variables that the output's indices count down."""
    averaged: tuple[tuple[str, int], ...] = ()
    """Iterations of loops whose number differs from step to step, on average."""
    summed: bool = False
    """Whether all units become single values: there is no order of outputs that the elements could lack."""
    launched: bool = False
    """Whether they are threads of a launch, which is held against the class."""
    bare: bool = False
    """Whether a unit's surrounding is left out where it takes whole dimensions beside it."""
    passes: bool = False
    """Whether statements are of whole arrays, which say what they read: elsewhere a border belongs to no unit."""


@dataclass
class Dimension:
    """One dimension of an array as a group of accesses uses it."""

    kind: str
    """unit (one parallel variable), block (several elements per value of one), all (an inner variable), or one of
    :data:`NO_EXTENT`."""
    variable: str = ""
    factor: int = 1
    reach: int = 1
    """Values that the inner variables of one access take."""
    size: int = 1
    places: list[tuple[int, int]] = field(default_factory=list)
    """Per access: the first and the last element that it touches, from the unit's own."""
    trips: int = 1
    """Values of the variable."""
    turns: str = ""
    """The counter that alone goes through all of the dimension."""
    entire: bool = False
    """Whether it does so whatever the unit: no triangle."""
    runs: list[tuple[int, int]] = field(default_factory=list)
    """First and last element of each run that an inner loop takes whatever the unit; empty where that is not known."""

    @property
    def span(self) -> int:
        """Elements that a unit touches, those between its first and its last."""
        return max(last for _, last in self.places) - min(first for first, _ in self.places) + 1


def read_dimension(index: Affine, loops: tuple[Loop, ...], roles: Roles, declared: int, line: int) -> Dimension:
    """What one index says of its dimension."""
    units = [v for v in index.variables if v in roles.parallel]
    inner = [v for v in index.variables if v in roles.inner]
    moving = Affine.of({v: index.factor(v) for v in inner}, 0)
    of_index = tuple(loop for loop in loops if loop.name in moving.variables)
    reach = count_values(moving, loops) if of_index else 1
    averaged = dict(roles.averaged)
    if any(v in averaged for v in inner):
        own_sizes = [averaged.get(v, count_values(Affine.of({v: 1}), loops)) for v in inner]
        reach = 1 + sum(abs(index.factor(v)) * (n - 1) for v, n in zip(inner, own_sizes, strict=True))
        declared = -1
    low = (
        find_extreme(moving, loops, False).constant
        if of_index and not find_extreme(moving, loops, False).variables
        else 0
    )
    offset = index.constant + low
    if len(units) > 1:
        # Diagonals of the units: each takes one element, which others along its diagonal take too.
        along = Affine.of({v: index.factor(v) for v in units})
        ends = [find_extreme(along, loops, largest) for largest in (False, True)]
        plain = all(abs(index.factor(v)) == 1 for v in units) and not any(v in averaged for v in units)
        if not plain or any(e.variables for e in ends):
            raise refuse(line, "an index adds two loop variables that run in parallel: no pattern of the notation")
        size = declared if declared > 0 else ends[1].constant - ends[0].constant + 1
        label = "+".join(f"{index.factor(v)}*{v}" for v in sorted(units))
        return Dimension("unit", label, 1, reach, size, [(offset, offset + reach - 1)])
    if units:
        factor = index.factor(units[0])
        loop = next(item for item in loops if item.name == units[0])
        factor *= loop.step
        count = count_values(Affine.of({units[0]: 1}), loops)
        trips = (count - 1) // loop.step + 1
        size = declared if declared > 0 else trips * abs(factor)
        if units[0] in averaged:
            size = averaged[units[0]] * abs(factor)
        kind = "unit" if abs(factor) == 1 else "block"
        trips = averaged.get(units[0], trips)
        return Dimension(kind, units[0], factor, reach, size, [(offset, offset + reach - 1)], trips)
    if inner:
        size = declared if declared > 0 and 2 * reach >= declared else reach
        plain = len(inner) == 1 and abs(index.factor(inner[0])) == 1 and index.constant == 0
        bounds = (end for loop in of_index for end in (*loop.first, *loop.last))
        fixed = not any(end.variables for end in bounds)
        entire = reach == size and fixed
        single = index.variables == set(inner) and len(inner) == 1 and abs(index.factor(inner[0])) == 1
        runs = [(offset, offset + reach - 1)] if fixed and single and declared > 0 and of_index[0].step == 1 else []
        return Dimension("all", "", 1, size, size, [(0, size - 1)], reach, inner[0] if plain else "", entire, runs)
    places = [(index.constant, index.constant)]
    return Dimension("step" if index.variables else "fixed", size=declared, places=places)


Shape = list[Dimension]
NO_EXTENT = ("fixed", "step", "diagonal")
"""Dimensions in which a unit touches one element: always the same, the step's, or what another dimension names."""


def find_shapes(
    accesses: Sequence[tuple[Access, tuple[Loop, ...]]], roles: Roles, declared: tuple[int, ...], sector: int,
    *, whole: bool = False,
) -> list[Shape]:  # fmt: skip
    """Accesses to one array, those that differ only by constants put together.

    sector : elements that memory moves at least. whole : whether others take what these leave of a dimension.
    """
    by_key: dict[tuple[tuple[str, str, int], ...], Shape] = {}
    for access, loops in accesses:
        sizes = declared if len(declared) == len(access.indices) else (-1,) * len(access.indices)
        shape = [read_dimension(i, loops, roles, s, access.line) for i, s in zip(access.indices, sizes, strict=True)]
        for at, d in enumerate(shape):
            if d.kind == "unit" and any(e.kind == "unit" and e.variable == d.variable for e in shape[:at]):
                # A diagonal has as many elements as one of its dimensions.
                shape[at] = Dimension("diagonal")
        if roles.launched:
            average_triangle(shape, access, loops, roles)
        # Rows of several steps, `2 * u[t] - u[t - 1]`, are read each.
        key = tuple((d.kind, d.variable, d.places[0][0] if d.kind == "step" else d.factor) for d in shape)
        if key in by_key:
            for mine, other in zip(by_key[key], shape, strict=True):
                mine.places += other.places
                mine.reach, mine.size = max(mine.reach, other.reach), max(mine.size, other.size)
                mine.runs = [*mine.runs, *other.runs] if mine.runs and other.runs else []
        else:
            by_key[key] = shape
    for dimensions in zip(*by_key.values(), strict=False):
        # `m = x[0]` before a loop from 1 on.
        single = [p for d in dimensions if d.kind == "fixed" for p in d.places]
        for d in dimensions:
            d.runs = [*d.runs, *single] if d.runs else []
    stretches = [math.prod(declared[at + 1 :]) for at in range(len(declared))]

    def complete(shape: Shape) -> Shape:
        known = [max(1, n) for n in stretches] if len(stretches) == len(shape) else [1] * len(shape)
        joined = [join_places(d, planes=n >= sector) for d, n in zip(shape, known, strict=True)]
        least = [-(-sector // n) for n in known]
        left = [leave_gaps(d, n) for d, n in zip(joined, least, strict=True)]
        return left if whole else [cut_ends(d, n) for d, n in zip(left, least, strict=True)]

    return drop_inside([complete(shape) for shape in drop_inside([*by_key.values()])])


def drop_inside(shapes: Sequence[Shape]) -> list[Shape]:
    """Shapes without those of single elements that others take, too."""
    return [s for s in shapes if not any(o is not s and is_inside(s, o) for o in shapes)]


def average_triangle(shape: Shape, access: Access, loops: tuple[Loop, ...], roles: Roles) -> None:
    """Let rows whose length follows from the unit that reads them be as long as they are in the mean.

    Of ``L[i][k]`` with k to i a unit reads its own row as far as the diagonal: half of the array is read in all. Of
    ``B[k][j]``, which other units read further, all is.
    """
    by_name = {loop.name: loop for loop in loops}
    units = {d.variable for d in shape if d.kind == "unit"}
    for index, d in zip(access.indices, shape, strict=True):
        loop = by_name.get(next(iter(index.variables), "")) if len(index.variables) == 1 else None
        if d.kind != "all" or loop is None or loop.name not in roles.inner or abs(index.factor(loop.name)) != 1:
            continue
        bounds = {v for b in (*loop.first, *loop.last) for v in b.variables}
        if not bounds or not bounds <= units:
            continue
        around = project_loops(loops, bounds)
        mean = max(1, round(count_iterations(project_loops(loops, bounds | {loop.name})) / count_iterations(around)))
        d.size = d.reach = d.trips = min(d.size, mean)
        d.places, d.turns = [(0, d.size - 1)], ""


def agree_on_turns(shapes: Sequence[Shape]) -> None:
    """Let dimensions that one counter goes through be as long as its turns where their arrays are not equally long."""
    several: dict[str, list[Dimension]] = {}
    for d in (d for shape in shapes for d in shape if d.turns):
        several.setdefault(d.turns, []).append(d)
    for dimensions in several.values():
        if len({d.size for d in dimensions}) > 1:
            for d in dimensions:
                d.size = d.reach = d.trips
                d.places = [(0, d.trips - 1)]


def join_places(dimension: Dimension, *, planes: bool) -> Dimension:
    """A dimension of a few named places as one that a unit touches all of, ``rgb[i][2]``, or those of, ``f[1] - f[3]``.

    planes : whether a sector or more lies between two places, so that memory moves no other ones along.
    """
    touched = {first for first, _ in dimension.places}
    if dimension.kind != "fixed" or len(touched) < 2:
        return dimension
    span = max(touched) - min(touched) + 1
    size = dimension.size if 0 < dimension.size <= 2 * len(touched) else span
    size = size if size <= 2 * len(touched) and not planes else len(touched)
    return replace(dimension, kind="all", size=size, reach=size)


def leave_gaps(dimension: Dimension, sector: int) -> Dimension:
    """A dimension without what lies between the elements of two units, where that is a sector or more: a column.

    sector : elements of the dimension that memory moves at least.
    """
    touched = {
        at for first, last in dimension.places for at in range(first, min(last, first + abs(dimension.factor)) + 1)
    }
    gap = abs(dimension.factor) - len(touched)
    if dimension.kind != "block" or gap < sector or dimension.span > abs(dimension.factor):
        return dimension
    sign = 1 if dimension.factor > 0 else -1
    kind, width = ("unit", 1) if len(touched) == 1 else ("block", len(touched))
    places, size = [(0, width - 1)], dimension.trips * width
    return replace(dimension, kind=kind, factor=sign * width, size=size, places=places, reach=width)


def cut_ends(dimension: Dimension, sector: int) -> Dimension:
    """A dimension of which inner loops take a part alone, whatever the unit: ``x[i, 51:-51].mean()``, as that part.

    sector : elements of the dimension that memory moves at least; less than one is not left out.
    """
    taken = len({at for first, last in dimension.runs for at in range(first, last + 1)})
    if dimension.kind != "all" or not taken or taken >= min(PART * dimension.size, dimension.size - sector + 1):
        return dimension
    return replace(dimension, size=taken, reach=taken, places=[(0, taken - 1)])


def is_inside(shape: Shape, other: Shape) -> bool:
    """Whether single elements of a row are among those of a unit that reads the whole row: its first one, or its own.

    Its own one of a triangle lies outside of what it reads there, and where all units read an array whole, none has a
    row of its own.
    """
    pairs = list(zip(shape, other, strict=True))
    of_unit = any(a.kind == "unit" and (a.variable, a.factor) == (b.variable, b.factor) for a, b in pairs)

    def is_single(a: Dimension, b: Dimension) -> bool:
        return b.kind == "all" and (a.kind == "fixed" or (a.kind == "unit" and of_unit and b.entire))

    return any(is_single(a, b) for a, b in pairs) and all(
        is_single(a, b) or (a.kind, a.variable, a.factor) == (b.kind, b.variable, b.factor) for a, b in pairs
    )


BORDER = 0.02
"""Share of a dimension's units above which the border around them counts."""


def fit_dimension(d: Dimension, roles: Roles, unit_sizes: Mapping[str, int]) -> None:
    """Let a dimension be as long as its units reach: all of it where one reaches further than they all lie apart."""
    apart = abs(d.factor)
    if d.kind == "unit" and d.span > unit_sizes.get(d.variable, d.span):
        # An inner loop goes further along it than all units: each unit reads about everything.
        d.kind, d.reach = "all", d.size
    elif is_window(d) and not roles.bare and d.span > d.trips * apart:
        d.kind, d.reach = "all", d.size
    elif is_window(d) and not roles.bare:
        # What windows reach in all: some elements of the last step may lie beyond its window.
        d.size = (d.trips - 1) * apart + d.span
    elif roles.passes and d.kind == "unit" and (border := find_border(d, unit_sizes)):
        d.size = unit_sizes[d.variable] + border
    elif d.kind in ("unit", "block") and d.variable in unit_sizes:
        d.size = unit_sizes[d.variable] * (apart if d.kind == "block" else 1)
    elif d.kind in ("unit", "block") and d.trips > 1 and d.trips * apart + d.span - 1 < PART * d.size:
        # Of what is added up a part: `x[:1000].sum()`.
        d.size = d.trips * apart + max(0, d.span - apart)


def find_border(d: Dimension, unit_sizes: Mapping[str, int]) -> int:
    """Elements that units inside of an array take beside their own, where they are many: ``x[30:] - x[:-30]``."""
    units, border = unit_sizes.get(d.variable, 0), d.span - 1
    wide = border > BORDER * units > 0 and units + border <= d.size
    return border if abs(d.factor) == 1 and wide else 0


def divide_dimension(d: Dimension, unit_sizes: Mapping[str, int]) -> Shape:
    """A dimension of parts of which units take an element each, ``z[i] * z[n + i]``, as two: parts, and units."""
    places, units = {first for first, _ in d.places}, unit_sizes.get(d.variable, d.trips)
    apart = min((b - a for a, b in itertools.pairwise(sorted(places))), default=0)
    single = d.kind == "unit" and abs(d.factor) == 1 and d.reach == 1 and units > 1
    if not single or apart < units or any(first != last for first, last in d.places):
        return [d]
    parts = Dimension("all", size=len(places), reach=len(places), places=[(0, len(places) - 1)])
    return [parts, replace(d, size=units, places=[(0, 0)])]


def make_input(shape: Shape, roles: Roles, unit_sizes: Mapping[str, int]) -> Part | None:
    """The part of a class that one shape is; None for single values.

    unit_sizes : output elements along each parallel variable: an input has as many, whatever its border adds.
    """
    shape[:] = [part for d in shape for part in divide_dimension(d, unit_sizes)]
    extended = [d for d in shape if d.kind not in NO_EXTENT]
    for d in extended:
        fit_dimension(d, roles, unit_sizes)
    if not extended:
        return None
    sizes = tuple(d.size for d in extended)
    if all(d.kind == "all" for d in extended):
        return Part(sizes, Pattern.FULL)
    around = any((d.kind == "unit" and d.span > 1) or is_window(d) for d in extended)
    around = around and not any(d.kind == "block" and not is_window(d) for d in extended)
    around = around and not roles.bare
    if not around and any(d.kind in ("block", "all") for d in extended):
        tile = tuple(abs(d.factor) if d.kind == "block" else d.size if d.kind == "all" else 1 for d in extended)
        whole = tuple(-(-s // t) * t for s, t in zip(sizes, tile, strict=True))
        return Part(whole, Pattern.TILE, tile)
    if any(d.span > 1 for d in extended):
        reach = [d.size if d.kind == "all" else min(d.span, d.size) for d in extended]
        while len(reach) > 1 and reach[0] == 1:
            reach.pop(0)
        return Part(sizes, Pattern.NEIGHBOURHOOD, tuple(reach))
    return Part(sizes, Pattern.ELEMENT, (), is_unordered(extended, roles))


def is_window(dimension: Dimension) -> bool:
    """Whether units some elements apart take more of a dimension than lies between two: ``a[2 * i + u]``, u to 5."""
    return dimension.kind == "block" and dimension.span > abs(dimension.factor)


def count_window(shapes: Sequence[Shape], parts: Sequence[Part | None]) -> int:
    """Elements of a unit's tile and of the border that it shares with its neighbours: ``a[2 * i + u]``, u to 5.

    0 where no two windows overlap, where one is too wide for a border, or where an array is read in several patterns.
    """
    if len(parts) != 1 or parts[0] is None or parts[0].pattern is not Pattern.TILE:
        return 0
    extended = [d for d in shapes[0] if d.kind not in NO_EXTENT]
    moving = [d for d in extended if d.kind in ("unit", "block")]
    if all(d.span <= abs(d.factor) for d in moving) or any(d.span > WIDEST_WINDOW * abs(d.factor) for d in moving):
        return 0
    return math.prod(max(d.span, abs(d.factor)) if d in moving else d.size for d in extended)


def is_unordered(kept: Shape, roles: Roles) -> bool:
    """Whether elements are read in another order than they are written: mirrored or transposed."""
    if roles.summed:
        return False
    order = [roles.parallel.index(d.variable) for d in kept if d.variable in roles.parallel]
    mirrored = any((d.factor < 0) != (d.variable in roles.mirrored) for d in kept)
    return mirrored or order != sorted(order)


def make_output(
    targets: Sequence[tuple[Access, tuple[Loop, ...]]], roles: Roles, declared: tuple[int, ...], sector: int,
    around: frozenset[str] = frozenset(), *, filled: bool = False,
) -> tuple[Part, dict[str, int]]:  # fmt: skip
    """The part of a class that the written array is, and its elements along each parallel variable.

    targets : what a unit writes of it: elements that differ by constants alone, with their loops. sector : elements
    that memory moves at least. around : variables along which units read around themselves. filled : whether other
    statements of a unit write what these leave of a dimension.
    """
    for access, _ in targets:
        if any(len(i.variables & set(roles.parallel)) > 1 for i in access.indices):
            raise refuse(
                access.line, "an index adds two loop variables that run in parallel: no pattern of the notation"
            )
    shapes = find_shapes(targets, roles, declared, sector, whole=filled)
    extended = [d for d in shapes[0] if d.kind not in NO_EXTENT]
    for d in extended if len(targets) == 1 else ():
        # Of `for (i = n / 2; i < n; i++) a[i] = ...` half of the array.
        if d.kind == "unit" and d.span == 1 and d.variable not in around and d.trips < PART * d.size:
            d.size = d.trips
    if not extended:
        return Part((1,), Pattern.SHARED), {}
    size = tuple(d.size for d in extended)
    units = {d.variable: d.size for d in extended if d.kind == "unit"}
    if any(d.kind in ("block", "all") or d.reach > 1 for d in extended):
        tile = tuple(abs(d.factor) if d.kind == "block" else d.size if d.kind == "all" else 1 for d in extended)
        whole = tuple(-(-s // t) * t for s, t in zip(size, tile, strict=True))
        return Part(whole, Pattern.TILE, tile), units
    return Part(size, Pattern.ELEMENT), units


def project_loops(loops: Sequence[Loop], kept: set[str] | frozenset[str]) -> tuple[Loop, ...]:
    """Some loops of a nest, their bounds without the counters of the others."""
    projected: list[Loop] = []
    for at, loop in enumerate(loops):
        if loop.name in kept:
            outer = tuple(loops[:at])
            first = tuple(find_extreme(b, outer, False, frozenset(kept)) for b in loop.first)
            last = tuple(find_extreme(b, outer, True, frozenset(kept)) for b in loop.last)
            projected.append(Loop(loop.name, first, last, loop.step, loop.line, loop.descends))
    return tuple(projected)
