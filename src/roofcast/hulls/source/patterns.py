"""From the accesses of one group of statements to the parts of a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from roofcast.hulls.notation import Part, Pattern
from roofcast.hulls.source.nest import Access, Affine, Loop, extent, extreme, refuse


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


@dataclass
class Dimension:
    """One dimension of an array as a group of accesses uses it."""

    kind: str
    """unit (one parallel variable), block (several elements per value of one), all (an inner variable), fixed."""
    variable: str = ""
    factor: int = 1
    reach: int = 1
    """Values that the inner variables of one access take."""
    size: int = 1
    offsets: list[int] = field(default_factory=list)

    @property
    def span(self) -> int:
        """Elements that a unit touches."""
        return self.reach + max(self.offsets) - min(self.offsets)


def dimension(index: Affine, loops: tuple[Loop, ...], roles: Roles, declared: int, line: int) -> Dimension:
    """What one index says of its dimension."""
    units = [v for v in index.variables if v in roles.parallel]
    inner = [v for v in index.variables if v in roles.inner]
    if len(units) > 1:
        raise refuse(line, "an index adds two loop variables that run in parallel: no pattern of the notation")
    own = Affine.of({v: index.factor(v) for v in inner}, 0)
    kept = tuple(loop for loop in loops if loop.name in own.variables)
    reach = extent(own, loops) if kept else 1
    averaged = dict(roles.averaged)
    if any(v in averaged for v in inner):
        own_sizes = [averaged.get(v, extent(Affine.of({v: 1}), loops)) for v in inner]
        reach = 1 + sum(abs(index.factor(v)) * (n - 1) for v, n in zip(inner, own_sizes, strict=True))
        declared = -1
    low = extreme(own, loops, False).constant if kept and not extreme(own, loops, False).variables else 0
    offset = index.constant + low
    if units:
        factor = index.factor(units[0])
        loop = next(item for item in loops if item.name == units[0])
        factor *= loop.step
        count = extent(Affine.of({units[0]: 1}), loops)
        trips = (count - 1) // loop.step + 1
        size = declared if declared > 0 else trips * abs(factor)
        if units[0] in averaged:
            size = averaged[units[0]] * abs(factor)
        kind = "unit" if abs(factor) == 1 else "block"
        return Dimension(kind, units[0], factor, reach, size, [offset])
    if inner:
        size = declared if declared > 0 and 2 * reach >= declared else reach
        return Dimension("all", "", 1, size, size, [0])
    return Dimension("fixed")


Shape = list[Dimension]


def shapes_of(
    accesses: Sequence[tuple[Access, tuple[Loop, ...]]], roles: Roles, declared: tuple[int, ...]
) -> list[Shape]:
    """Accesses to one array, those that differ only by constants put together."""
    found: dict[tuple[tuple[str, str, int], ...], Shape] = {}
    for access, loops in accesses:
        sizes = declared if len(declared) == len(access.indices) else (-1,) * len(access.indices)
        shape = [dimension(i, loops, roles, s, access.line) for i, s in zip(access.indices, sizes, strict=True)]
        for at, d in enumerate(shape):
            if d.kind == "unit" and any(e.kind == "unit" and e.variable == d.variable for e in shape[:at]):
                # A diagonal has as many elements as one of its dimensions.
                shape[at] = Dimension("fixed")
        key = tuple((d.kind, d.variable, d.factor) for d in shape)
        if key in found:
            for mine, other in zip(found[key], shape, strict=True):
                mine.offsets += other.offsets
                mine.reach, mine.size = max(mine.reach, other.reach), max(mine.size, other.size)
        else:
            found[key] = shape
    return list(found.values())


def input_part(shape: Shape, roles: Roles, unit_sizes: Mapping[str, int]) -> Part | None:
    """The part of a class that one shape is; None for single values.

    unit_sizes : output elements along each parallel variable: an input has as many, whatever its border adds.
    """
    kept = [d for d in shape if d.kind != "fixed"]
    for d in kept:
        if d.kind in ("unit", "block") and d.variable in unit_sizes:
            d.size = unit_sizes[d.variable] * (abs(d.factor) if d.kind == "block" else 1)
    if not kept:
        return None
    sizes = tuple(d.size for d in kept)
    if all(d.kind == "all" for d in kept):
        return Part(sizes, Pattern.FULL)
    if any(d.kind in ("block", "all") for d in kept):
        tile = tuple(abs(d.factor) if d.kind == "block" else d.size if d.kind == "all" else 1 for d in kept)
        whole = tuple(-(-s // t) * t for s, t in zip(sizes, tile, strict=True))
        return Part(whole, Pattern.TILE, tile)
    if any(d.span > 1 for d in kept):
        reach = [min(d.span if d.kind == "unit" else d.size, d.size) for d in kept]
        while len(reach) > 1 and reach[0] == 1:
            reach.pop(0)
        return Part(sizes, Pattern.NEIGHBOURHOOD, tuple(reach))
    return Part(sizes, Pattern.ELEMENT, (), is_unordered(kept, roles))


def is_unordered(kept: Shape, roles: Roles) -> bool:
    """Whether elements are read in another order than they are written: mirrored or transposed."""
    order = [roles.parallel.index(d.variable) for d in kept]
    mirrored = any((d.factor < 0) != (d.variable in roles.mirrored) for d in kept)
    return mirrored or order != sorted(order)


def output_part(
    access: Access, loops: tuple[Loop, ...], roles: Roles, declared: tuple[int, ...]
) -> tuple[Part, dict[str, int]]:
    """The part of a class that the written array is, and its elements along each parallel variable."""
    if len(declared) != len(access.indices):
        declared = (-1,) * len(access.indices)
    shape = [dimension(i, loops, roles, s, access.line) for i, s in zip(access.indices, declared, strict=True)]
    kept = [d for d in shape if d.kind != "fixed"]
    if not kept:
        return Part((1,), Pattern.SHARED), {}
    size = tuple(d.size for d in kept)
    units = {d.variable: d.size for d in kept if d.kind == "unit"}
    if any(d.kind == "block" or d.span > 1 for d in kept):
        tile = tuple(abs(d.factor) if d.kind == "block" else d.size if d.kind == "all" else 1 for d in kept)
        whole = tuple(-(-s // t) * t for s, t in zip(size, tile, strict=True))
        return Part(whole, Pattern.TILE, tile), units
    return Part(size, Pattern.ELEMENT), units
