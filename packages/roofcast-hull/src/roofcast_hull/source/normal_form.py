"""A routine in the form that classes are read from: no loops in blocks or steps, no dimensions put into one index."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

from roofcast_hull.source.nest import Access, Affine, Loop, Routine, Statement, count_values, find_extreme

Use = tuple[Affine, tuple[Loop, ...]]


WIDEST_TILE = 256
"""Turns of a sum that may reach beyond the end of an array: those of a tile, the last of which is padded."""
PADDING, PADDING_SHARE = 16, 0.02
"""Elements, and share of a row, that a border may leave out; more of them are padding, which is not moved."""
HANGING = 4
"""Part of a dimension that the threads of its last block may reach beyond it."""


def normalise(routine: Routine, *, every_dimension: bool = False) -> Routine:
    """The routine with statements numbered, whole loops in steps of one, and the dimensions and sizes of its arrays.

    every_dimension : whether an index that combines several counters has a dimension for each where their widths divide
    each other, as in arrays whose dimensions are exchanged; else positions inside tiles stay together.
    """
    read = {a.array for s in routine.statements for a in s.reads}
    # Integers that stand where they are used are no values of their own.
    dead = [s for s in routine.statements if not (s.target.indices or s.target.scattered or s.reads or s.operations)]
    unused = {id(s) for s in dead if s.target.array not in read}
    used = [s for s in routine.statements if id(s) not in unused]
    statements = [replace(s, order=n, loops=tuple(map(tighten, leave_idle(s.loops)))) for n, s in enumerate(used)]
    routine = join_blocks(replace(routine, statements=statements))
    routine = join_strips(
        replace(routine, statements=[count_steps(s, bool(routine.strips)) for s in routine.statements])
    )
    split = split_indices(routine, every_dimension)
    split = replace(split, statements=[stay_inside(s, split) for s in split.statements])
    return find_sizes(split, {a for a, shape in split.shapes.items() if shape != routine.shapes.get(a)})


def stay_inside(statement: Statement, routine: Routine) -> Statement:
    """A statement whose loops that add up end where the arrays do that the file allocates.

    A tile that is padded with zeros has turns that read nothing: the condition stands where it was filled.
    """
    ends: dict[str, int] = {}
    moved = {v for i in statement.target.indices for v in i.variables}
    loops = {x.name: x for x in statement.loops if x.name not in moved and x.step == 1}
    for read in statement.reads if statement.reduces else ():
        held = routine.allocated.get(read.array, 0) if "." not in read.array and not read.scattered else 0
        rows = math.prod(n for n in routine.shapes.get(read.array, ())[1:])
        sizes = (held // rows, *routine.shapes[read.array][1:]) if held and rows > 0 and not held % rows else ()
        for index, size in zip(read.indices, sizes, strict=False):
            loop = loops.get(next(iter(index.variables), ""))
            if loop is None or index != Affine.of({loop.name: 1}, index.constant) or len(sizes) != len(read.indices):
                continue
            beyond = find_extreme(index, statement.loops, True) - Affine((), size - 1)
            if not beyond.variables and 0 < beyond.constant < min(WIDEST_TILE, size):
                ends[loop.name] = min(size - 1 - index.constant, ends.get(loop.name, size))
    cut = {n: (Affine((), last),) for n, last in ends.items()}
    return replace(statement, loops=tuple(replace(x, last=cut.get(x.name, x.last)) for x in statement.loops))


def join_blocks(routine: Routine) -> Routine:
    """The routine with ``for ii in steps of T: for i from ii to ii + T - 1`` as one loop over i."""
    cut = {pair for s in routine.statements for pair in find_blocks(s)}
    used = {
        v for s in routine.statements for a in (s.target, *s.reads) for i in a.indices for v in i.variables
    } | {v for s in routine.statements for c in s.congruences for v in c[0].variables}  # fmt: skip
    points = {outer: {i for o, i in cut if o == outer} for outer, _ in cut}
    joinable = {outer: inner for outer, inner in points.items() if outer not in used}
    for s in routine.statements:
        for loop in s.loops:
            for bound in (*loop.first, *loop.last):
                for name in bound.variables & set(joinable):
                    if loop.name not in joinable[name]:
                        del joinable[name]
    if not joinable:
        return routine
    return replace(routine, statements=[join_statement(s, joinable) for s in routine.statements])


def find_blocks(statement: Statement) -> list[tuple[str, str]]:
    """Block and point loops of a statement."""
    pairs = []
    for at, outer in enumerate(statement.loops):
        start = (Affine.of({outer.name: 1}),)
        for inner in statement.loops[at + 1 :]:
            ends = any(b - start[0] == Affine((), outer.step - 1) for b in inner.last)
            if outer.step > 1 and not outer.descends and inner.first == start and inner.step == 1 and ends:
                pairs.append((outer.name, inner.name))
    return pairs


def join_statement(statement: Statement, points: dict[str, set[str]]) -> Statement:
    """A statement without its block loops."""
    loops: list[Loop] = []
    bodies = list(statement.bodies[:1])
    blocks = {loop.name: loop for loop in statement.loops if loop.name in points}
    inside = {name for inner_names in points.values() for name in inner_names}
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
        loops.append(replace(loop, first=block.first, last=clip_ends(whole, block)))
    return replace(statement, loops=tuple(loops), bodies=tuple(bodies[: len(loops) + 1]))


def clip_ends(last: tuple[Affine, ...], block: Loop) -> tuple[Affine, ...]:
    """Ends of the points, whole blocks at most."""
    if len(block.first) != 1 or len(block.last) != 1:
        return last
    reach = block.last[0] - block.first[0]
    if reach.variables:
        return last
    blocks = reach.constant // block.step + 1
    end = block.first[0] + Affine((), blocks * block.step - 1)
    return tuple(end if not (b - end).variables and (b - end).constant > 0 else b for b in last)


def count_steps(statement: Statement, shifts: bool = False) -> Statement:
    """A statement whose loops all have step 1, where their first value is a number: ``by + u`` becomes ``8 b + u``.

    shifts : whether loops that start at other numbers start at 0 too.
    """
    meaning: dict[str, Affine] = {}
    loops: list[Loop] = []
    for loop in statement.loops:
        first, last = (tuple(replace_counters(b, meaning) for b in bounds) for bounds in (loop.first, loop.last))
        plain = len(first) == len(last) == 1 and not first[0].variables and not last[0].variables
        if plain and loop.step == 1 and shifts and first[0].constant and not loop.descends:
            meaning[loop.name] = first[0] + Affine.of({loop.name: 1})
            loops.append(replace(loop, first=(Affine(),), last=(last[0] - first[0],)))
            continue
        if (dealt := deal_turns(loop, first, last, loops)) is not None:
            meaning[loop.name], turns = dealt
            loops.append(turns)
            continue
        if loop.step == 1 and is_window(first, last):
            # `for (h = 2 y; h < 2 y + 3; h++)` is three turns from `2 y` on.
            meaning[loop.name] = first[0] + Affine.of({loop.name: 1})
            loops.append(replace(loop, first=(Affine(),), last=(last[0] - first[0],)))
            continue
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

    def count(access: Access) -> Access:
        return replace(access, indices=tuple(replace_counters(i, meaning) for i in access.indices))

    congruences = tuple((replace_counters(v, meaning), m, r, e) for v, m, r, e in statement.congruences)
    return replace(
        statement, target=count(statement.target), reads=tuple(map(count, statement.reads)), loops=tuple(loops),
        congruences=congruences,
    )  # fmt: skip


def is_window(first: tuple[Affine, ...], last: tuple[Affine, ...]) -> bool:
    """Whether a loop begins where other counters say, and has as many turns wherever that is."""
    return len(first) == len(last) == 1 and bool(first[0].variables) and not (last[0] - first[0]).variables


def deal_turns(
    loop: Loop, first: tuple[Affine, ...], last: tuple[Affine, ...], around: list[Loop]
) -> tuple[Affine, Loop] | None:  # fmt: skip
    """What the counter of a loop whose turns are dealt out is, and the loop over turns: ``t + 256 k``, t below 256.

    None for other loops, and where the last turns are not whole.
    """
    counters = first[0].variables if len(first) == len(last) == 1 and not last[0].variables else frozenset()
    outer = next((x for x in around if counters == {x.name} and first[0].factor(x.name) == 1), None)
    if outer is None or loop.step == 1 or loop.descends or not is_counted(outer) or find_width(outer) != loop.step:
        return None
    turns, rest = divmod(last[0].constant - first[0].constant + 1, loop.step)
    if rest or turns < 1:
        return None
    return first[0] + Affine.of({loop.name: loop.step}), replace(
        loop, first=(Affine(),), last=(Affine((), turns - 1),), step=1
    )


def join_strips(routine: Routine) -> Routine:
    """The routine of a kernel with one loop for two that are only used together, as ``16 m + k``: blocks of threads.

    Only strips as wide as a block, and tiles of what is added up: elsewhere such an index may be a row and a column.
    """
    widths, joins = set(routine.strips), True
    while joins:
        joins = False
        pairs = dict.fromkeys(
            p
            for s in routine.statements
            for p in find_strips(s)
            if find_width(p[1]) in widths or is_of_block(*p) or is_summed_over(routine, *p)
        )
        for outer, inner in pairs:
            used = any(
                i.factor(inner.name) for s in routine.statements for a in (s.target, *s.reads) for i in a.indices
            )
            if used and all(has_strip(s, outer, inner) for s in routine.statements):
                routine = replace(routine, statements=[join_strip(s, outer, inner) for s in routine.statements])
                if not outer.name.startswith("blockIdx"):
                    widths.add(find_width(outer) * find_width(inner))
                joins = True
                break
    return routine


def find_strips(statement: Statement) -> list[tuple[Loop, Loop]]:
    """Pairs of loops of which the second counts from 0 to a number."""
    return [
        (outer, inner)
        for outer in statement.loops
        for inner in statement.loops
        if outer is not inner
        and not inner.name.startswith(("blockIdx", "gridIdx"))
        and is_counted(outer)
        and is_counted(inner)
        and find_width(inner) > 1
    ]


def is_summed_over(routine: Routine, outer: Loop, inner: Loop) -> bool:
    """Whether a kernel writes nothing that has a place for each turn of two loops: their order is none."""
    names = {outer.name, inner.name}
    around = [s for s in routine.statements if names <= {x.name for x in s.loops}]
    return routine.launch is not None and not any(names & s.target.variables for s in around)


def is_of_block(outer: Loop, inner: Loop) -> bool:
    """Whether loops are those over the blocks of an axis, and over their threads along it, all or some of them."""
    return (
        outer.name.startswith("blockIdx")
        and inner.name.startswith("threadIdx")
        and outer.name.partition("#")[0][-1] == inner.name.partition("#")[0][-1]
    )


def leave_idle(loops: tuple[Loop, ...]) -> tuple[Loop, ...]:
    """Loops without the last turns in which a loop inside has none: rows of a divided index behind its end."""
    ends = {
        b.factors[0][0]: b.constant // -b.factors[0][1]
        for loop in loops if len(loop.last) > 1 and loop.first == (Affine(),)
        for b in loop.last if len(b.factors) == 1 and b.factors[0][1] < -1 and b.constant >= 0
    }  # fmt: skip
    if not ends:
        return loops
    return tuple(replace(x, last=(*x.last, Affine((), ends[x.name]))) if x.name in ends else x for x in loops)


def tighten(loop: Loop) -> Loop:
    """A loop whose ends that are numbers are the smallest of them."""
    numbers = [b.constant for b in loop.last if not b.variables]
    if len(numbers) < 2:
        return loop
    return replace(loop, last=(Affine((), min(numbers)), *(b for b in loop.last if b.variables)))


def is_counted(loop: Loop) -> bool:
    """Whether a loop counts up from 0, the bounds of conditions aside."""
    return loop.first[0] == Affine() and loop.step == 1 and not loop.descends and not loop.last[0].variables


def find_width(loop: Loop) -> int:
    """Turns of a loop that counts from 0."""
    return loop.last[0].constant + 1


def has_strip(statement: Statement, outer: Loop, inner: Loop) -> bool:
    """Whether a statement uses both loops, and only as one counter, or neither."""
    names = {loop.name: loop for loop in statement.loops}
    mine = names.get(outer.name), names.get(inner.name)
    if mine == (None, None):
        return True
    if mine[0] is None or mine[1] is None or find_width(mine[1]) != find_width(inner) or not is_counted(mine[1]):
        return False
    if not is_counted(mine[0]) or len(mine[0].last) > 1 or len(mine[0].first) > 1:
        return False
    width = find_width(inner)
    uses = [i for a in (statement.target, *statement.reads) for i in a.indices]
    uses += [c[0] for c in statement.congruences]
    uses += [b for x in statement.loops if x.name not in (outer.name, inner.name) for b in (*x.first, *x.last)]
    limits = (*mine[1].first[1:], *mine[1].last[1:])
    return all(i.factor(outer.name) == width * i.factor(inner.name) for i in uses) and all(
        b.factor(outer.name) == -width for b in limits
    )


def join_strip(statement: Statement, outer: Loop, inner: Loop) -> Statement:
    """A statement with the two loops of a strip as one, where the outer one stood."""
    by_name = {loop.name: loop for loop in statement.loops}
    if inner.name not in by_name:
        return statement

    def join(value: Affine) -> Affine:
        return Affine.of({n: f for n, f in value.factors if n != outer.name}, value.constant)

    def access(a: Access) -> Access:
        return replace(a, indices=tuple(map(join, a.indices)))

    end = Affine((), find_width(by_name[outer.name]) * find_width(inner) - 1)
    # What conditions say of the counter of the strip holds for both.
    strip = Affine.of({outer.name: find_width(inner)})
    lowest, limits = (tuple(b + strip for b in x[1:]) for x in (by_name[inner.name].first, by_name[inner.name].last))
    numbers = [b.constant for b in (end, *limits) if not b.variables]
    last = (Affine((), min(numbers)), *(b for b in limits if b.variables))
    low = (Affine((), max([0, *(b.constant for b in lowest if not b.variables)])), *(b for b in lowest if b.variables))
    loops: list[Loop] = []
    bodies = list(statement.bodies[:1])
    for at, loop in enumerate(statement.loops):
        if loop.name == inner.name:
            continue
        bodies.append(statement.bodies[at + 1])
        if loop.name == outer.name:
            loops.append(replace(by_name[inner.name], first=low, last=last))
        else:
            first, rest = tuple(map(join, loop.first)), tuple(map(join, loop.last))
            loops.append(replace(loop, first=first, last=rest))
    return replace(
        statement, target=access(statement.target), reads=tuple(map(access, statement.reads)), loops=tuple(loops),
        bodies=tuple(bodies), congruences=tuple((join(v), m, r, e) for v, m, r, e in statement.congruences),
    )  # fmt: skip


def replace_counters(value: Affine, meaning: dict[str, Affine]) -> Affine:
    """An expression with counters replaced."""
    for name, other in meaning.items():
        value = value.replaced(name, other)
    return value


def split_indices(routine: Routine, every_dimension: bool = False) -> Routine:
    """The routine with two and more indices where one index combines several counters."""
    uses: dict[str, list[Use]] = {}
    several: set[str] = set()
    for s in routine.statements:
        for access in (s.target, *s.reads):
            if len(access.indices) == 1:
                uses.setdefault(access.array, []).append((access.indices[0], s.loops))
            elif access.indices or access.scattered:
                several.add(access.array)
    stated = routine.divisors
    sizes = (*(b // a for a, b in zip(stated[::-1][1:], stated[::-1], strict=False)), *stated[:1])
    widths: dict[str, tuple[int, ...]] = {}
    hanging = max(routine.strips, default=1) - 1
    for a, use in uses.items():
        divided = bool(stated) and all(is_width(i, loops, w) for i, loops in use for w in stated)
        divided = divided and all(is_single(p) for i, _ in use for p in split_index(i, sizes))
        every = find_all_widths(use) if every_dimension or is_nested(use) else ()
        inner = every or (sizes if divided else find_widths(use, hanging=hanging))
        if a not in several and inner:
            widths[a] = inner
    if not widths:
        return routine

    def access_of(access: Access) -> Access:
        if access.array not in widths or len(access.indices) != 1:
            return access
        return replace(access, indices=split_index(access.indices[0], widths[access.array]))

    statements = [
        replace(s, target=access_of(s.target), reads=tuple(access_of(r) for r in s.reads)) for s in routine.statements
    ]
    shapes = routine.shapes | {a: (-1, *inner) for a, inner in widths.items()}
    return replace(routine, statements=statements, shapes=shapes)


def is_single(index: Affine) -> bool:
    """Whether at most one part of the index of a thread is in one dimension."""
    return sum(name.startswith("gridIdx") for name in index.variables) < 2


def is_nested(uses: list[Use]) -> bool:
    """Whether three counters or more follow each other in an index as their loops do: no positions in tiles then.

    Of ``a[(2 y + i) w + 2 x + j]`` the loop over i is inside that over x.
    """
    several = [(index, loops) for index, loops in uses if len(index.factors) > 2]
    for index, loops in several:
        places = {loop.name: n for n, loop in enumerate(loops)}
        order = [places.get(n, -1) for n, _ in sorted(index.factors, key=lambda f: -abs(f[1]))]
        if order != sorted(order):
            return False
    return bool(several)


def find_all_widths(uses: list[Use]) -> tuple[int, ...]:
    """Sizes of all dimensions but the first where each counter has one of its own; empty where they have not."""
    factors = {abs(f) for index, _ in uses for _, f in index.factors if abs(f) > 1}
    scales = sorted(factors | find_planes(uses, factors))
    chain = all(b % a == 0 for a, b in pairwise(scales))
    if not chain or not all(is_width(i, loops, w) for i, loops in uses for w in scales):
        return ()
    return (*(b // a for a, b in zip(scales[::-1][1:], scales[::-1], strict=False)), *scales[:1])


def find_widths(uses: list[Use], tiled: bool = False, hanging: int = 0) -> tuple[int, ...]:
    """Sizes of all dimensions but the first, outermost first; empty where the array has one dimension.

    tiled : whether rows hold tiles: positions inside them are no dimension of their own. hanging : threads of the last
    block that may lie beyond a row.
    """
    if not any(len(index.factors) > 1 for index, _ in uses):
        return () if tiled else find_parts(uses)
    factors = {abs(f) for index, _ in uses for _, f in index.factors if abs(f) > 1}
    # Of tiles the rows lie closer than their units: in[2 r w + 2 c + w] has rows of w.
    offsets = {abs(index.constant) for index, _ in uses} if min(factors, default=1) > 1 and len(factors) > 1 else set()
    options = sorted(
        factors | find_planes(uses, factors) | {o for o in offsets if o > 1 and any(f % o == 0 for f in factors)}
    )
    fitting = [w for w in options if all(is_width(index, loops, w, hanging) for index, loops in uses)]
    if tiled:
        fitting = [w for w in fitting if any(len({f for _, f in i.factors if 0 < abs(f) < w}) > 1 for i, _ in uses)]
    if not fitting:
        return ()

    def balance(width: int) -> int:
        return max(abs(sum(1 if abs(f) >= width else -1 for _, f in index.factors)) for index, _ in uses)

    width = min(fitting, key=lambda w: (balance(w), w))
    # Positions inside a tile on the last dimension: those on the others are of the same kind, not dimensions more.
    tiled = tiled or any(len({abs(f) for _, f in split_index(index, (width,))[1].factors}) > 1 for index, _ in uses)
    rest = find_widths([(split_index(index, (width,))[0], loops) for index, loops in uses], tiled, hanging)
    return (*rest, width)


def find_planes(uses: list[Use], scales: set[int]) -> set[int]:
    """Elements of each part of a row that holds several, one behind the other.

    Of ``a[r w + t]`` and ``a[r w + t + h]``, t below h, they are h. Empty where rows hold none.
    """
    width = min((abs(index.constant) for index, _ in uses if index.constant), default=0)
    if width < 2 or any(index.constant % width or index.constant < 0 for index, _ in uses):
        return set()
    if width in scales or any(s % width for s in scales if s > width) or not any(s > width for s in scales):
        return set()
    for index, loops in uses:
        low = Affine.of({n: f for n, f in index.factors if abs(f) < width})
        ends = find_extreme(low, loops, False), find_extreme(low, loops, True)
        if ends != (Affine(), Affine((), width - 1)):
            return set()
    return {width}


def find_parts(uses: list[Use]) -> tuple[int, ...]:
    """Elements of each part of an array that holds several, one behind the other: ``x[i]`` and ``x[i + n]``, i below n.

    Empty where it holds one.
    """
    ends: set[int] = set()
    for index, loops in uses:
        if len(index.factors) != 1 or index.factors[0][1] != 1:
            return ()
        moving = Affine.of(dict(index.factors))
        low, high = find_extreme(moving, loops, False), find_extreme(moving, loops, True)
        if low != Affine() or high.variables:
            return ()
        ends.add(high.constant + 1)
    width = max(ends)
    offsets = {index.constant for index, _ in uses}
    whole = len(ends) == 1 and width > 1 and max(offsets) >= width and all(o >= 0 and o % width == 0 for o in offsets)
    return (width,) if whole else ()


def is_width(index: Affine, loops: tuple[Loop, ...], width: int, hanging: int = 0) -> bool:
    """Whether an index is a row times a width plus a column inside it; offsets may reach over the border.

    hanging : elements that the last block reaches beyond a row, which conditions keep from doing anything.
    """
    high = [(n, f) for n, f in index.factors if abs(f) >= width]
    low = Affine.of({n: f for n, f in index.factors if abs(f) < width})
    if any(f % width for _, f in high):
        return False
    least, most = find_extreme(low, loops, False), find_extreme(low, loops, True)
    if least.variables or most.variables:
        return False
    column = index.constant - width * round(index.constant / width)
    span = most.constant - least.constant
    wide = 2 * span + 2 >= width or not low.factors or not high
    # Neighbours of the elements on the border, which code keeps inside by conditions or clamped indices.
    widest = max((count_values(Affine.of({n: f}), loops) for n, f in low.factors), default=1)
    hangs = span < width + min(hanging, width // HANGING)
    inside = hangs or (widest <= width and 2 * span < 3 * width)
    return inside and abs(column) <= width // 2 and wide


def split_index(index: Affine, widths: tuple[int, ...]) -> tuple[Affine, ...]:
    """One index as several."""
    parts: list[Affine] = []
    for width in reversed(widths):
        low = [f for _, f in index.factors if abs(f) < width]
        # Counted from the end of a row, ``a[y w + w - 1 - x]``, a column lies before its constant; alone it is one.
        row = index.constant // width if not low or max(low) < 0 else round(index.constant / width)
        parts.insert(0, Affine.of({n: f for n, f in index.factors if abs(f) < width}, index.constant - row * width))
        index = Affine.of({n: f // width for n, f in index.factors if abs(f) >= width}, row)
    return (index, *parts)


def find_sizes(routine: Routine, split: set[str]) -> Routine:
    """Sizes of arrays that nothing declares, from the largest index used; unknown where an index is negative.

    split : arrays whose rows were found from how they are used: they may be padded.
    """
    least: dict[tuple[str, int], tuple[int, int]] = {}
    ranks: dict[str, int] = {}
    for s in routine.statements:
        for access in (s.target, *s.reads):
            ranks[access.array] = max(ranks.get(access.array, 0), len(access.indices))
            for at, index in enumerate(access.indices):
                low, high = find_extreme(index, s.loops, False), find_extreme(index, s.loops, True)
                before = least.get((access.array, at), (0, 0))
                least[access.array, at] = (min(before[0], low.constant), max(before[1], high.constant))
    shapes = dict(routine.shapes)
    for array, rank in ranks.items():
        declared = shapes.get(array, ())
        if declared and not rank:
            continue
        known = declared if len(declared) == rank else (-1,) * rank
        ranges = [least.get((array, at), (0, 0)) for at in range(rank)]
        if array in split:
            known = tuple(
                high + 1 if low == 0 and k > 0 and k - high - 1 > max(PADDING, PADDING_SHARE * k) else k
                for k, (low, high) in zip(known, ranges, strict=True)
            )
        shapes[array] = tuple(
            k if k > 0 else (high + 1 if low == 0 else -1) for k, (low, high) in zip(known, ranges, strict=True)
        )
    return replace(routine, shapes=shapes)
