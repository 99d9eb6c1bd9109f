"""What computes one array: statements of one nest, with the private values that they use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from roofcast_hull.source.counting import count_iterations
from roofcast_hull.source.nest import Access, Affine, Loop, Routine, Statement
from roofcast_hull.source.parallel import Plan, Role, Wave


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement with what each of its loops is for it."""

    statement: Statement
    roles: tuple[Role, ...]
    wave: Wave | None = None

    @property
    def units(self) -> list[Loop]:
        """Parallel loops that the target's indices name."""
        moved = find_moved(self.statement)
        return [
            x for x, r in zip(self.statement.loops, self.roles, strict=True) if r is Role.PARALLEL and x.name in moved
        ]

    @property
    def reductions(self) -> list[Loop]:
        """Loops that accumulate."""
        return [x for x, r in zip(self.statement.loops, self.roles, strict=True) if r is Role.REDUCTION]

    @property
    def is_real(self) -> bool:
        """Whether there is anything to run in parallel: the others are work of one step."""
        return bool(self.units or self.reductions or self.statement.target.scattered)

    @property
    def is_start(self) -> bool:
        """Whether it only gives an array its first value."""
        return not self.statement.operations and not self.statement.reads


@dataclass(frozen=True, slots=True)
class Group:
    """What computes one array inside one nest."""

    array: str
    writes: tuple[Placed, ...]
    feeds: tuple[Placed, ...] = ()
    """Statements that compute private values which the writes use."""
    extra: tuple[Placed, ...] = ()
    """Work of single steps beside it."""

    @property
    def main(self) -> Placed:
        """The write that does most."""

        def rank(p: Placed) -> tuple[bool, bool, bool, float]:
            work = count_iterations(p.statement.loops) * (1 + p.statement.operations)
            return p.is_real, not p.is_start, not several or bool(p.units), work

        several = len({p.statement.target.array for p in self.writes}) > 1

        return max(self.writes, key=rank)

    @property
    def members(self) -> tuple[Placed, ...]:
        """Writes and feeds."""
        return (*self.writes, *self.feeds)


def find_moved(statement: Statement) -> frozenset[str]:
    """Counters that the target's indices name."""
    return frozenset(v for i in statement.target.indices for v in i.variables)


def find_groups(routine: Routine, plan: Plan) -> list[Group]:
    """Groups of a routine in the order of its code."""
    placed = [
        Placed(s, tuple(plan.roles[k]), plan.waves.get(k)) for k, s in enumerate(routine.statements)
    ]  # fmt: skip
    regions: dict[tuple[int, ...], list[Placed]] = {}
    for p in placed:
        if p.statement.loops:
            regions.setdefault(find_region(p, placed), []).append(p)
    groups: list[Group] = []
    for members in regions.values():
        groups += group_region(members)
    groups = join_temporaries(drop_starts(groups, routine), routine.temporaries)
    groups = attach_steps(groups)
    if not routine.of_blocks:
        groups = [align_counters(g) for g in groups]
    return count_feeds_once(join_outputs(groups, of_threads=not routine.of_passes))


def join_temporaries(groups: Sequence[Group], temporaries: frozenset[str]) -> list[Group]:
    """Groups with those whose arrays only one other one uses, element by element, put into that one.

    ``np.maximum(x @ w + b, 0)`` is one pass for the best code: a unit keeps what it has computed.
    """
    left = list(groups)
    joins = bool(temporaries)
    while joins:
        joins = False
        for at, group in enumerate(left):
            reads = [(g, a.array) for g in left if g is not group for p in g.members for a in p.statement.reads]
            users = list({id(g): g for g, array in reads if array == group.array}.values())
            writers = sum(group.array in {p.statement.target.array for p in g.writes} for g in left)
            if group.array in temporaries and writers == 1 and len(users) == 1 and is_kept(group, users[0]):
                user = left.index(users[0])
                feeds = (*group.feeds, *(f for f in users[0].feeds if f not in group.feeds))
                joined = replace(users[0], feeds=(*group.writes, *feeds), extra=(*group.extra, *users[0].extra))
                left[user] = align_counters(joined)
                del left[at]
                joins = True
                break
    return left


def is_kept(group: Group, user: Group) -> bool:
    """Whether units of one group take only the element that they would have computed in another one."""
    first, second = group.main, user.main
    if group is user or first.wave or second.wave or not first.units:
        return False
    for p in (first, second):
        counters = {x.name for x in (*p.units, *p.reductions)}
        if p.statement.target.scattered or any(x.name not in counters for x in p.statement.loops):
            return False
    extents: dict[str, Extent] = {x.name: (x.first, x.last, x.step) for x in (*first.units, *second.units)}
    reads = [a for p in user.members for a in p.statement.reads if a.array == group.array]
    extents |= {x.name: (x.first, x.last, x.step) for p in group.writes for x in p.statement.loops}
    units = {x.name for x in second.units}
    for read in reads:
        if read.scattered or read.variables != units:
            return False
        for p in group.writes:
            pairs = list(zip(p.statement.target.indices, read.indices, strict=False))
            if len(pairs) != len(read.indices) or not all(is_same_place(a, b, extents) for a, b in pairs):
                return False
    return bool(reads)


Extent = tuple[tuple[Affine, ...], tuple[Affine, ...], int]


def is_same_place(index: Affine, other: Affine, extents: Mapping[str, Extent]) -> bool:
    """Whether an index is a counter that another index is too, over the same turns; or both are the same number."""
    for name in index.variables | other.variables:
        first, last, _ = extents.get(name, ((), (), 1))
        if len(first) == len(last) == 1 and first == last:
            # A dimension of index element.
            index, other = index.replaced(name, first[0]), other.replaced(name, first[0])
    if index.variables or other.variables:
        names = [next(iter(i.variables), "") for i in (index, other)]
        plain = all(i == Affine.of({n: 1}) for i, n in zip((index, other), names, strict=True))
        return plain and extents.get(names[0]) is not None and extents.get(names[0]) == extents.get(names[1])
    return index == other


def count_feeds_once(groups: Sequence[Group]) -> list[Group]:
    """Groups in which work on private values that several use is that of the first."""
    seen, counted = set[int](), []
    for group in groups:
        feeds = tuple(
            replace(f, statement=replace(f.statement, operations=0)) if f.statement.order in seen else f
            for f in group.feeds
        )
        seen |= {f.statement.order for f in group.feeds}
        counted.append(replace(group, feeds=feeds))
    return counted


def join_outputs(groups: Sequence[Group], *, of_threads: bool) -> list[Group]:
    """Groups with those put together whose units of work compute an element of several arrays each.

    of_threads : whether a unit keeps what it wrote, as threads and turns of a loop do, unlike passes over arrays.
    """
    joined_groups: list[Group] = []
    for group in groups:
        joined = (
            n
            for n, g in enumerate(joined_groups)
            if is_same_unit(g, group, of_threads) or adds_up(g, group) or is_of_row(g, group) or is_of_row(group, g)
        )
        at = next(joined, None)
        if at is None:
            joined_groups.append(group)
            continue
        mine = joined_groups[at]
        joined_groups[at] = Group(
            f"{mine.array}, {group.array}", (*mine.writes, *group.writes),
            (*mine.feeds, *(f for f in group.feeds if f not in mine.feeds)),
            (*mine.extra, *(e for e in group.extra if e not in mine.extra)),
        )  # fmt: skip
    return joined_groups


OF_STATEMENT = " of line "
"""What stands in names of loops that go through arrays of one statement, which a unit of another one does not share."""


def is_same_unit(one: Group, other: Group, of_threads: bool) -> bool:
    """Whether two groups are dealt out over the same loops and neither reads what the other writes before.

    of_threads : whether one may read the very elements that its thread has written for the other.
    """
    first, second = one.main, other.main
    if first.statement.target.scattered or second.statement.target.scattered or first.wave or second.wave:
        return False
    if first.statement.loops != second.statement.loops or first.roles != second.roles:
        return False
    sums = first.statement.reduces and second.statement.reduces
    if find_moved(first.statement) != find_moved(second.statement) or not (first.units or sums):
        return False
    written = [{p.statement.target.array for p in g.writes} for g in (one, other)]
    read = [{a.array for p in g.members for a in p.statement.reads} for g in (one, other)]
    keeps = of_threads or all(OF_STATEMENT not in loop.name for loop in first.statement.loops)
    fresh = (written[0] & read[1]) - find_old_values(one, other) - find_own_values(one, other, keeps)
    early = (written[1] & read[0]) - find_old_values(other, one)
    return not written[0] & written[1] and not fresh and not early


def adds_up(one: Group, other: Group) -> bool:
    """Whether a group adds up, turn by turn, what the units of another one write: one pass over the arrays."""
    first, second = one.main, other.main
    if not first.units or first.wave or not second.statement.reduces or find_moved(second.statement):
        return False
    if first.statement.loops != second.statement.loops or first.statement.target.scattered:
        return False
    written = {p.statement.target.array: p.statement.target.indices for p in one.writes}
    reads = [a for p in other.members for a in p.statement.reads if a.indices]
    early = {a.array for p in one.members for a in p.statement.reads} & {p.statement.target.array for p in other.writes}
    read_back = [a for a in reads if a.array in written]
    return bool(read_back) and not early and all(a.indices == written[a.array] for a in read_back)


def is_of_row(one: Group, other: Group) -> bool:
    """Whether one value of each row is kept beside the elements of the row, both of the same sums over it.

    Or the one adds up what the others keep: ``s[n] = v; sum += v * c[n];``.
    """
    first, second = one.main.statement, other.main.statement
    shared = {f.statement.order for f in one.feeds if f.reductions} & {f.statement.order for f in other.feeds}
    if any(f.reductions for f in one.feeds):
        of_row = [f.statement for f in one.feeds if f.statement.loops == second.loops and f.statement.operations]
        shared |= {s.order for s in of_row} & {f.statement.order for f in other.feeds}
    inside = second.loops[: len(first.loops)] == first.loops and len(second.loops) > len(first.loops)
    written = {p.statement.target.array for p in one.writes}
    read = {a.array for p in other.members for a in p.statement.reads}
    plain = not (first.target.scattered or second.target.scattered or one.main.wave or other.main.wave)
    return bool(shared) and inside and plain and not written & read and find_moved(first) <= find_moved(second)


def find_own_values(one: Group, other: Group, of_threads: bool) -> set[str]:
    """Arrays of which ``other`` reads only elements that the same unit has written in ``one``, in a walk of its own.

    Of threads also where none walks: the very element.
    """
    units = {x.name for x in one.main.units}
    walks = any(r is Role.STEP for r in one.main.roles)
    arrays = set()
    for array, targets in list_written(one).items():
        reads = [a for q in other.members for a in q.statement.reads if a.array == array]
        if walks and any(all(not a.scattered and is_of_unit(a, t, units) for a in reads) for t, _ in targets):
            arrays.add(array)
        places = {t.indices for t, _ in targets}
        if of_threads and are_of_unit(targets, units) and all(not a.scattered and a.indices in places for a in reads):
            arrays.add(array)
    return arrays


Targets = list[tuple[Access, int]]


def list_written(group: Group) -> dict[str, Targets]:
    """Elements that a group writes, by array, with the place of each write in the code."""
    by_array: dict[str, Targets] = {}
    for p in group.writes:
        by_array.setdefault(p.statement.target.array, []).append((p.statement.target, p.statement.order))
    return by_array


def are_of_unit(targets: Targets, units: set[str]) -> bool:
    """Whether several elements that one unit writes are its own: no other unit writes any of them.

    They differ by constants, in dimensions that deal out units by less than the distance of two.
    """
    first = targets[0][0]
    if any(t.scattered or len(t.indices) != len(first.indices) for t, _ in targets):
        return len(targets) == 1
    gaps = [(a - b, b) for t, _ in targets for a, b in zip(t.indices, first.indices, strict=True)]
    return all(
        not gap.variables and all(abs(gap.constant) < abs(f) for v, f in index.factors if v in units)
        for gap, index in gaps
    )


def is_of_unit(read: Access, target: Access, units: set[str]) -> bool:
    """Whether two accesses are of the same unit, whichever of its elements they are."""
    if len(read.indices) != len(target.indices):
        return False
    return all(
        r == t if (r.variables | t.variables) & units else True
        for r, t in zip(read.indices, target.indices, strict=True)
    )


def find_old_values(one: Group, other: Group) -> set[str]:
    """Arrays of which ``other`` reads the elements that its unit will write in ``one``, before they are written."""
    arrays = set()
    units = {x.name for x in one.main.units}
    for array, targets in list_written(one).items():
        reads = [(a, q.statement.order) for q in other.members for a in q.statement.reads if a.array == array]
        first: dict[tuple[Affine, ...], int] = {}
        for target, order in targets:
            first[target.indices] = min(order, first.get(target.indices, order))
        early = all(not a.scattered and at < first.get(a.indices, -1) for a, at in reads)
        if early and are_of_unit(targets, units):
            arrays.add(array)
    return arrays


def find_region(own: Placed, everything: Sequence[Placed]) -> tuple[int, ...]:
    """Which nest a statement belongs to: the loops that only repeat others are outside of it."""
    depth = 0
    while depth < len(own.statement.loops) and repeats(own.statement.loops[depth], depth, everything):
        depth += 1
    return own.statement.bodies[: depth + 1]


def repeats(loop: Loop, depth: int, everything: Sequence[Placed]) -> bool:
    """Whether no statement inside a loop is dealt out over it, and several nests are inside."""
    inside = [p for p in everything if depth < len(p.statement.loops) and p.statement.loops[depth].name == loop.name]
    children = {p.statement.bodies[: depth + 2] for p in inside if len(p.statement.loops) > depth + 1}
    moves = any(loop.name in find_moved(p.statement) for p in inside)
    reduces = any(p.roles[depth] is Role.REDUCTION for p in inside)
    return not moves and not reduces and len(children) > 1


def group_region(members: Sequence[Placed]) -> list[Group]:
    """Groups of one nest by array, feeds joined to those that use them."""
    by_array: dict[str, list[Placed]] = {}
    for p in members:
        by_array.setdefault(p.statement.target.array, []).append(p)
    feeds = {name for name, written in by_array.items() if is_feed(name, written, members)}
    groups = []
    for name, written in by_array.items():
        if name in feeds:
            continue
        parts = split_by_steps(written)
        groups += [Group(name, tuple(part), tuple(find_feeds(part, by_array, feeds))) for part in parts]
    return groups


def split_by_steps(written: Sequence[Placed]) -> list[list[Placed]]:
    """Writes of one array by what runs in parallel: accumulations into other elements are a class of their own.

    Copies and constants go with what computes.
    """
    parts: dict[tuple[bool, ...], list[Placed]] = {}
    rest: list[Placed] = []
    for p in written:
        shared = p.statement.loops[0].name in {x.name for x in p.reductions}
        kind = (p.is_real, shared, bool(p.units))
        if p.statement.operations:
            parts.setdefault(kind, []).append(p)
        else:
            rest.append(p)
    writes = list(parts.values()) or [[]]
    real = next((part for part in writes if any(p.is_real for p in part)), writes[0])
    real += rest
    real.sort(key=lambda p: p.statement.order)
    return writes


def is_feed(name: str, written: Sequence[Placed], members: Sequence[Placed]) -> bool:
    """Whether an array only carries values from one statement to another of the same unit of work.

    It has no place of its own for each iteration of a parallel loop, and what uses it there writes one that has.
    """
    ordered = {
        loop.name for p in written for loop, role in zip(p.statement.loops, p.roles, strict=True)
        if role is not Role.PARALLEL or loop.name in find_moved(p.statement)
    }  # fmt: skip
    # Loops that deal out nothing (time steps) only repeat.
    dealt = {v for p in members for v in (*find_moved(p.statement), *find_scattered(p))}
    private = ({loop.name for p in written for loop in p.statement.loops} - ordered) & dealt
    users = [
        p for p in members
        if p.statement.target.array != name and any(a.array == name for a in p.statement.reads)
    ]  # fmt: skip
    return any(
        private & (find_moved(p.statement) | find_scattered(p)) for p in users
    ) or any(private and u.statement.target.array != name and private & find_private(u) for u in users)  # fmt: skip


def find_scattered(p: Placed) -> frozenset[str]:
    """Loops around a write whose element data chooses, or that accumulates over them: each iteration has its own."""
    if p.statement.target.scattered:
        return frozenset(loop.name for loop in p.statement.loops)
    return frozenset(loop.name for loop in p.reductions)


def find_private(p: Placed) -> frozenset[str]:
    """Parallel loops over which a target is private itself."""
    return frozenset(
        loop.name for loop, role in zip(p.statement.loops, p.roles, strict=True) if role is Role.PARALLEL
    ) - find_moved(p.statement)


def find_feeds(written: Sequence[Placed], by_array: Mapping[str, list[Placed]], feeds: set[str]) -> list[Placed]:
    """Statements of private values that writes use, directly or through others."""
    wanted = [a.array for p in written for a in p.statement.reads if a.array in feeds]
    seen: list[str] = []
    while wanted:
        name = wanted.pop()
        if name not in seen:
            seen.append(name)
            wanted += [a.array for p in by_array[name] for a in p.statement.reads if a.array in feeds]
    return [p for name in seen for p in by_array[name]]


def drop_starts(groups: Sequence[Group], routine: Routine) -> list[Group]:
    """Setting an array to a constant before it is computed is part of computing it."""
    read = {a.array for s in routine.statements for a in s.reads}
    computed = {g.array for g in groups if not all(p.is_start for p in g.writes)}
    several = len(groups) > 1
    return [
        g for g in groups
        if not all(p.is_start for p in g.writes) or not (several and (g.array in read or g.array in computed))
    ]  # fmt: skip


def attach_steps(groups: Sequence[Group]) -> list[Group]:
    """Work of single steps joined to what it follows, in the same outermost loop."""
    real = [g for g in groups if any(p.is_real for p in g.writes)]
    rest = [g for g in groups if g not in real]
    if not real:
        return list(groups)
    for g in rest:
        host = find_host(g, real)
        if host is None:
            real.append(g)
            continue
        at = real.index(host)
        named = g.array if takes_name(host, g) else host.array
        real[at] = replace(host, array=named, extra=(*host.extra, *g.members))
    return sorted(real, key=lambda g: g.main.statement.order)


def find_host(alone: Group, real: Sequence[Group]) -> Group | None:
    """The group that work of single steps goes with: one that it uses, one of its array, or the nearest."""
    outermost = {p.statement.loops[0].name for p in alone.writes}
    near = [g for g in real if any(p.statement.loops[0].name in outermost for p in g.writes)]
    read = {a.array for p in alone.writes for a in p.statement.reads}
    used = [g for g in near if takes_name(g, alone) and g.main.statement.target.array in read]
    same = [g for g in near if g.array == alone.array]
    order = alone.main.statement.order
    closest = sorted(near, key=lambda g: abs(g.main.statement.order - order))
    return next(iter([*used, *same, *closest]), None)


def takes_name(host: Group, alone: Group) -> bool:
    """Whether a scalar is accumulated for an array's element: the array is what is computed."""
    target = host.main.statement.target
    wanted = any(p.statement.target.indices and reads_array(p, target.array) for p in alone.writes)
    return not target.indices and not target.scattered and wanted


def reads_array(p: Placed, array: str) -> bool:
    """Whether a statement reads an array."""
    return any(a.array == array for a in p.statement.reads)


def align_counters(group: Group) -> Group:
    """The same counters for the same dimensions in all statements of a group: accesses become comparable."""
    main = group.main
    writes = tuple(p if p is main else rename_like(p, main.statement.target) for p in group.writes)
    names = {
        a.name: b.name
        for old, new in zip(group.writes, writes, strict=True)
        for a, b in zip(old.statement.loops, new.statement.loops, strict=True)
        if a.name != b.name
    }
    # Scalars have no indices to tell: their counters are those of the statements beside them.
    feeds = [rename_along(p, names) for p in group.feeds]
    users: list[tuple[Placed, Mapping[str, str]]] = [(p, {}) for p in (main, *writes)]
    waiting = list(range(len(feeds)))
    while waiting:
        reads = {at: find_read(feeds[at].statement.target.array, users) for at in waiting}
        # Of what only work that waits itself reads, names stay.
        at = next((n for n in waiting if reads[n] is not None), waiting[0])
        read, old = reads[at], feeds[at]
        if read is not None:
            feeds[at] = rename_like(old, read[0]) if read[0].indices else rename_along(old, read[1])
            feeds[at] = spread_reads(feeds[at], users)
        pairs = zip(old.statement.loops, feeds[at].statement.loops, strict=True)
        users.append((feeds[at], {a.name: b.name for a, b in pairs if a.name != b.name}))
        waiting.remove(at)
    return replace(group, writes=writes, feeds=tuple(feeds))


def spread_reads(feed: Placed, users: Sequence[tuple[Placed, Mapping[str, str]]]) -> Placed:
    """A private value with what it takes for each place beside its own at which others read it: ``t[j - 1] + t[j]``."""
    target, reads = feed.statement.target, feed.statement.reads
    asked = [a for p, _ in users for a in p.statement.reads if a.array == target.array]
    shifts = {find_shift(target, a) for a in asked}
    if shifts <= {(), None}:
        return feed
    spread = dict.fromkeys(shift_access(r, dict(s)) for s in sorted(s for s in shifts if s is not None) for r in reads)
    return replace(feed, statement=replace(feed.statement, reads=tuple(spread)))


def find_shift(target: Access, other: Access) -> tuple[tuple[str, int], ...] | None:
    """By how much counters are ahead at another place of an array; None where that is no step of each alone."""
    shift: dict[str, int] = {}
    for mine, theirs in zip(target.indices, other.indices, strict=False):
        beside = theirs.constant - mine.constant
        if mine.factors != theirs.factors or (beside and (len(mine.factors) != 1 or beside % mine.factors[0][1])):
            return None
        if beside:
            shift[mine.factors[0][0]] = beside // mine.factors[0][1]
    return tuple(sorted(shift.items()))


def shift_access(access: Access, shift: Mapping[str, int]) -> Access:
    """An access with its counters so much further."""
    return replace(
        access, indices=tuple(
            Affine.of(dict(i.factors), i.constant + sum(f * shift.get(n, 0) for n, f in i.factors))
            for i in access.indices
        ),
    )  # fmt: skip


def find_read(array: str, users: Sequence[tuple[Placed, Mapping[str, str]]]) -> tuple[Access, Mapping[str, str]] | None:
    """The first access of statements that reads an array, with the names that the statement's counters have got."""
    return next(((a, names) for p, names in users for a in p.statement.reads if a.array == array), None)


def rename_along(placed: Placed, names: Mapping[str, str]) -> Placed:
    """A statement with the names that counters of its loops have got elsewhere."""
    names_here = {loop.name for loop in placed.statement.loops}
    fitting = {a: b for a, b in names.items() if a in names_here and b not in names_here}
    return replace(placed, statement=rename_counters(placed.statement, fitting)) if fitting else placed


def rename_like(placed: Placed, other: Access) -> Placed:
    """A statement whose target's counters have the names that another access of the array has."""
    statement = placed.statement
    names: dict[str, str] = {}
    for mine, theirs in zip(statement.target.indices, other.indices, strict=False):
        pairs = zip(
            sorted(mine.factors, key=lambda f: -abs(f[1])),
            sorted(theirs.factors, key=lambda f: -abs(f[1])),
            strict=False,
        )
        names |= {m: t for (m, fm), (t, ft) in pairs if fm == ft and m != t}
    taken = {loop.name for loop in statement.loops}
    names = {m: t for m, t in names.items() if t not in taken}
    return replace(placed, statement=rename_counters(statement, names)) if names else placed


def rename_counters(statement: Statement, names: Mapping[str, str]) -> Statement:
    """A statement with other names for its counters."""

    def expression(value: Affine) -> Affine:
        return Affine.of({names.get(n, n): f for n, f in value.factors}, value.constant)

    def access(a: Access) -> Access:
        return replace(a, indices=tuple(expression(i) for i in a.indices))

    loops = tuple(
        replace(
            item, name=names.get(item.name, item.name), first=tuple(expression(b) for b in item.first),
            last=tuple(expression(b) for b in item.last),
        )
        for item in statement.loops
    )  # fmt: skip
    reads = tuple(access(a) for a in statement.reads)
    return replace(statement, target=access(statement.target), reads=reads, loops=loops)


def iterate_members(group: Group) -> Iterator[Statement]:
    """Statements of a group, the main one first."""
    main = group.main
    yield main.statement
    for p in group.members:
        if p is not main:
            yield p.statement
