"""Rows that code fills or reads as planes, ``v[16 i + j] = a[i][j]``: each counter as an index of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from roofcast_hull.source.groups import Group, Placed, iterate_members
from roofcast_hull.source.nest import Affine, Loop, Routine
from roofcast_hull.source.normal_form import is_counted


def spread_target(routine: Routine, group: Group) -> tuple[Routine, Group]:
    """A group that fills a row with elements of planes, ``v[16 i + j] = a[i][j]``, as if it filled planes, too.

    Only where each counter of the row is an index of its own in all that it reads: elsewhere a unit may be a tile of
    the row.
    """
    main = group.main
    indices = main.statement.target.indices
    alike = all(p.statement.target == main.statement.target for p in group.writes)
    if not alike or not any(len(i.factors) > 1 for i in indices):
        return routine, group
    reads = [r for s in iterate_members(group) for r in s.reads if r != main.statement.target]
    joined = {v for r in reads for i in r.indices if len(i.factors) > 1 for v in i.variables}
    named = {v for r in reads for i in r.indices for v in i.variables}
    loops = {loop.name: loop for loop in main.units if is_counted(loop) and loop.name in named - joined}
    shape: list[int] = [*routine.shapes.get(main.statement.target.array, ())]
    if len(shape) != len(indices):
        shape = [-1] * len(indices)
    spread: list[tuple[Affine, int]] = []
    for index, size in zip(indices, shape, strict=True):
        ordered = sorted(index.factors, key=lambda f: -f[1])
        counters = [loops.get(name) for name, _ in ordered]
        widths = [0 if loop is None else loop.last[0].constant + 1 for loop in counters]
        apart = [math.prod(widths[n + 1 :]) for n in range(len(widths))]
        dense = not index.constant and [f for _, f in ordered] == apart
        if len(ordered) < 2:
            spread.append((index, size))
        elif dense and all(widths):
            spread += [(Affine.of({name: 1}), width) for (name, _), width in zip(ordered, widths, strict=True)]
        else:
            return routine, group
    target = replace(main.statement.target, indices=tuple(index for index, _ in spread))

    def change(p: Placed) -> Placed:
        reads = tuple(target if r == main.statement.target else r for r in p.statement.reads)
        return replace(p, statement=replace(p.statement, target=target, reads=reads))

    shapes = routine.shapes | {target.array: tuple(size for _, size in spread)}
    return replace(routine, shapes=shapes), replace(group, writes=tuple(map(change, group.writes)))


def spread_reads(routine: Routine, group: Group) -> tuple[Routine, Group]:
    """A group that reads every so many rows, ``s[d] += a[365 y + d]``, as if rows lay in planes: ``a[y][d]``."""
    written = {p.statement.target.array for p in group.members}
    reads = [r for s in iterate_members(group) for r in s.reads if r.array not in written]
    units = {loop.name for p in group.members for loop in p.units}
    by_themselves = {v for i in group.main.statement.target.indices if len(i.factors) == 1 for v in i.variables}
    loops = {loop.name: loop for s in iterate_members(group) for loop in s.loops}
    shapes = dict(routine.shapes)
    apart: dict[tuple[str, Affine], tuple[Affine, ...]] = {}
    for array in dict.fromkeys(r.array for r in reads if r.indices and not r.scattered):
        places, shape = [r.indices for r in reads if r.array == array], shapes.get(array, ())
        if any(len(indices) != len(shape) for indices in places):
            continue
        sizes: list[int] = []
        for size, *several in zip(shape, *places, strict=True):
            strides = {index: find_strides(index, units, by_themselves, loops) for index in several}
            widths = {width for width, _ in strides.values() if width}
            parts = {i: pair if pair[0] else find_in_plane(i, loops, *widths) for i, pair in strides.items() if widths}
            if len(widths) == 1 and all(n for n, _ in parts.values()):
                width = widths.pop()
                sizes += [-(-size // width), width]
                apart |= {(array, index): pair for index, (_, pair) in parts.items()}
            else:
                sizes.append(size)
        shapes[array] = tuple(sizes)
    if not apart:
        return routine, group

    def change(p: Placed) -> Placed:
        reads = tuple(
            replace(r, indices=tuple(part for i in r.indices for part in apart.get((r.array, i), (i,))))
            for r in p.statement.reads
        )
        return replace(p, statement=replace(p.statement, reads=reads))

    changed = ([change(p) for p in several] for several in (group.writes, group.feeds, group.extra))
    writes, feeds, extra = map(tuple, changed)
    return replace(routine, shapes=shapes), replace(group, writes=writes, feeds=feeds, extra=extra)


def find_strides(
    index: Affine, units: set[str], by_themselves: set[str], loops: Mapping[str, Loop]
) -> tuple[int, tuple[Affine, ...]]:
    """Elements of a plane of an index ``365 y + d``, and the indices of the plane and in it; 0 of others."""
    ordered = sorted(index.factors, key=lambda f: -f[1])
    if len(ordered) != 2 or index.constant or ordered[1][1] != 1:
        return 0, ()
    (outer, width), (inner, _) = ordered
    strided = inner in units - {outer} and (outer not in units or {outer, inner} <= by_themselves)
    loop = loops.get(inner)
    if not strided or loop is None or not is_counted(loop) or loop.last[0].constant + 1 != width:
        return 0, ()
    return width, (Affine.of({outer: 1}), Affine.of({inner: 1}))


def find_in_plane(index: Affine, loops: Mapping[str, Loop], width: int, *_: int) -> tuple[int, tuple[Affine, ...]]:
    """The same of an index that is in one plane, ``d`` or ``d + 365``."""
    loop = loops.get(index.factors[0][0]) if [f for _, f in index.factors] == [1] else None
    if loop is None or not is_counted(loop) or loop.last[0].constant + 1 != width or index.constant % width:
        return 0, ()
    return width, (Affine((), index.constant // width), Affine.of({loop.name: 1}))
