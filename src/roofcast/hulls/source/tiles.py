"""Loops cut into blocks for caches put together again, and loops in steps counted one by one."""

from __future__ import annotations

from dataclasses import replace

from roofcast.hulls.source.nest import Access, Affine, Loop, Routine, Statement


def untiled(routine: Routine) -> Routine:
    """The routine with ``for ii in steps of T: for i from ii to ii + T - 1`` as one loop over i."""
    cut = {pair for s in routine.statements for pair in pairs_of(s)}
    used = {
        v for s in routine.statements for a in (s.target, *s.reads) for i in a.indices for v in i.variables
    } | {v for s in routine.statements for c in s.congruences for v in c[0].variables}  # fmt: skip
    points = {outer: {i for o, i in cut if o == outer} for outer, _ in cut}
    found = {outer: inner for outer, inner in points.items() if outer not in used}
    for s in routine.statements:
        for loop in s.loops:
            for bound in (*loop.first, *loop.last):
                for name in bound.variables & set(found):
                    if loop.name not in found[name]:
                        del found[name]
    if not found:
        return routine
    return replace(routine, statements=[joined(s, found) for s in routine.statements])


def pairs_of(statement: Statement) -> list[tuple[str, str]]:
    """Block and point loops of a statement."""
    found = []
    for at, outer in enumerate(statement.loops):
        start = (Affine.of({outer.name: 1}),)
        for inner in statement.loops[at + 1 :]:
            ends = any(b - start[0] == Affine((), outer.step - 1) for b in inner.last)
            if outer.step > 1 and not outer.descends and inner.first == start and inner.step == 1 and ends:
                found.append((outer.name, inner.name))
    return found


def joined(statement: Statement, points: dict[str, set[str]]) -> Statement:
    """A statement without its block loops."""
    loops: list[Loop] = []
    bodies = list(statement.bodies[:1])
    blocks = {loop.name: loop for loop in statement.loops if loop.name in points}
    inside = {name for found in points.values() for name in found}
    for at, loop in enumerate(statement.loops):
        if loop.name in blocks:
            continue
        # Which child of its parent: the place of the block loop, where that is gone.
        bodies.append(statement.bodies[at + 1])
        if loop.name not in inside:
            loops.append(loop)
            continue
        block = next(b for b in blocks.values() if loop.name in points[b.name])
        last = tuple(b for b in loop.last if block.name not in b.variables)
        whole = last or tuple(b + Affine((), block.step - 1) for b in block.last)
        loops.append(replace(loop, first=block.first, last=clipped(whole, block)))
    return replace(statement, loops=tuple(loops), bodies=tuple(bodies[: len(loops) + 1]))


def clipped(last: tuple[Affine, ...], block: Loop) -> tuple[Affine, ...]:
    """Ends of the points, whole blocks at most."""
    if len(block.first) != 1 or len(block.last) != 1:
        return last
    reach = block.last[0] - block.first[0]
    if reach.variables:
        return last
    blocks = reach.constant // block.step + 1
    end = block.first[0] + Affine((), blocks * block.step - 1)
    return tuple(end if not (b - end).variables and (b - end).constant > 0 else b for b in last)


def unstrided(routine: Routine) -> Routine:
    """The routine with loops in steps as loops over whole numbers: ``by + u`` becomes ``8 * b + u``, a tile."""
    return replace(routine, statements=[counted(s) for s in routine.statements])


def counted(statement: Statement) -> Statement:
    """A statement whose loops all have step 1, where their first value is a number."""
    meaning: dict[str, Affine] = {}
    loops: list[Loop] = []
    for loop in statement.loops:
        first, last = (tuple(inserted(b, meaning) for b in bounds) for bounds in (loop.first, loop.last))
        plain = len(first) == len(last) == 1 and not first[0].variables and not last[0].variables
        if loop.step == 1 or not plain:
            loops.append(replace(loop, first=first, last=last))
            continue
        start = last[0] if loop.descends else first[0]
        trips = (last[0].constant - first[0].constant) // loop.step
        sign = -1 if loop.descends else 1
        meaning[loop.name] = start + Affine.of({loop.name: sign * loop.step})
        loops.append(replace(loop, first=(Affine(),), last=(Affine((), trips),), step=1, descends=False))
    if not meaning:
        return statement

    def placed(access: Access) -> Access:
        return replace(access, indices=tuple(inserted(i, meaning) for i in access.indices))

    congruences = tuple((inserted(v, meaning), m, r, e) for v, m, r, e in statement.congruences)
    return replace(
        statement, target=placed(statement.target), reads=tuple(map(placed, statement.reads)), loops=tuple(loops),
        congruences=congruences,
    )  # fmt: skip


def inserted(value: Affine, meaning: dict[str, Affine]) -> Affine:
    """An expression with counters replaced."""
    for name, other in meaning.items():
        factor = value.factor(name)
        if factor:
            value = Affine.of({n: f for n, f in value.factors if n != name}, value.constant) + other.times(factor)
    return value
