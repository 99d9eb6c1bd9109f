"""What computes one array: statements of one nest, with the private values that they use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roofcast.algorithms.source.nest import Access, Affine, Loop, Routine, Statement, iterations


@dataclass(frozen=True, slots=True)
class Group:
    """What computes one array inside one outermost nest."""

    array: str
    writes: tuple[Statement, ...]
    feeds: tuple[Statement, ...]
    """Statements that compute private values which the writes use."""
    repeating: frozenset[str] = frozenset()
    """Loops around several nests, of which this is one."""
    cyclic: frozenset[str] = frozenset()
    """Loops around arrays that are computed from each other in turn."""

    @property
    def main(self) -> Statement:
        """The write that does most."""
        return max(
            self.writes, key=lambda s: (s.operations + len(s.reads) > 0, iterations(s.loops) * (1 + s.operations))
        )


def groups_of(routine: Routine) -> list[Group]:
    """Statements by nest and written array; private temporaries join those that use them."""
    nests: dict[tuple[int, ...], list[Statement]] = {}
    around: dict[tuple[int, ...], frozenset[str]] = {}
    for statement in routine.statements:
        key, depth = nest_key(statement, routine.statements)
        nests.setdefault(key, []).append(statement)
        around[key] = frozenset(loop.name for loop in statement.loops[:depth])
    read_later = {a.array for s in routine.statements for a in s.reads}
    groups = []
    for key, statements in nests.items():
        if not any(s.loops for s in statements):
            continue
        by_array: dict[str, list[Statement]] = {}
        for statement in statements:
            by_array.setdefault(statement.target.array, []).append(statement)
        private = {name: private_loops(written, around[key]) for name, written in by_array.items()}
        feeds = {n for n in by_array if is_feed(n, by_array, private[n])}
        for name, written in by_array.items():
            if name in feeds or not any(s.loops for s in written):
                continue
            if all(not s.operations and not s.reads for s in written) and (
                name in read_later and len(nests) + len(by_array) > 1
            ):
                # Setting an array to a constant before it is computed is part of computing it.
                continue
            used = fed_by(written, by_array, feeds)
            groups.append(aligned(Group(name, tuple(written), tuple(used), around[key], cycle_loops(name, by_array))))
    return groups


def nest_key(statement: Statement, everything: Sequence[Statement]) -> tuple[tuple[int, ...], int]:
    """Which nest a statement belongs to, and how many loops repeat it.

    The bodies of a loop whose counter moves nothing that is written are nests of their own: it repeats them.
    """
    depth = 0
    while depth < len(statement.loops):
        loop = statement.loops[depth]
        inside = [s for s in everything if depth < len(s.loops) and s.loops[depth].name == loop.name]
        moves = any(loop.name in i.variables for s in inside for i in s.target.indices)
        children = {s.bodies[: depth + 2] for s in inside}
        bare = any(len(s.loops) == depth + 1 for s in inside)
        if moves or bare or len(children) < 2:
            break
        depth += 1
    return (statement.bodies[: depth + 1] if statement.loops else (-1, *statement.bodies)), depth


def aligned(group: Group) -> Group:
    """The same counters for the same dimensions in all statements of a group: accesses become comparable."""
    main = group.main
    writes = tuple(s if s is main else like(s, main.target) for s in group.writes)
    feeds = list(group.feeds)
    for at, feed in enumerate(feeds):
        users = (main, *writes, *feeds[:at])
        read = next((a for s in users for a in s.reads if a.array == feed.target.array), None)
        feeds[at] = like(feed, read) if read is not None else feed
    return Group(group.array, writes, tuple(feeds), group.repeating, group.cyclic)


def like(statement: Statement, other: Access) -> Statement:
    """A statement whose target's counters have the names that another access of the array has."""
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
    return renamed(statement, names) if names else statement


def renamed(statement: Statement, names: Mapping[str, str]) -> Statement:
    """A statement with other names for its counters."""

    def expression(value: Affine) -> Affine:
        return Affine.of({names.get(n, n): f for n, f in value.factors}, value.constant)

    def access(a: Access) -> Access:
        return Access(a.array, tuple(expression(i) for i in a.indices), a.line, a.scattered)

    loops = tuple(
        Loop(
            names.get(item.name, item.name), tuple(expression(b) for b in item.first),
            tuple(expression(b) for b in item.last), item.step, item.line, item.descends,
        )
        for item in statement.loops
    )  # fmt: skip
    reads = tuple(access(a) for a in statement.reads)
    return Statement(
        access(statement.target),
        reads,
        statement.operations,
        statement.updates,
        loops,
        statement.line,
        statement.bodies,
    )


def private_loops(written: Sequence[Statement], around: frozenset[str]) -> tuple[str, ...]:
    """Loops in which an array (or scalar) starts anew."""
    starts = [s for s in written if not s.updates and not s.target.scattered]
    if not starts:
        return ()
    still = [{v for i in s.target.indices for v in i.variables} for s in written]
    moving = set().union(*still)
    return tuple(loop.name for loop in starts[0].loops if loop.name not in moving | around)


def is_feed(name: str, by_array: Mapping[str, list[Statement]], private: tuple[str, ...]) -> bool:
    """Whether an array only carries values from one statement to another of the same nest.

    A private array belongs to each iteration of its loops: those that use it write something else in each.
    """
    users = [
        s for other, written in by_array.items() if other != name for s in written
        if any(a.array == name for a in s.reads)
    ]  # fmt: skip
    if not private or not users or not by_array[name][0].target.indices:
        return bool(private and users)
    return any(set(private) <= {v for i in s.target.indices for v in i.variables} for s in users)


def cycle_loops(name: str, by_array: Mapping[str, list[Statement]]) -> frozenset[str]:
    """Loops around an array and others of its nest that are computed from it and that it is computed from."""
    sources = {a: {r.array for s in written for r in s.reads if r.array in by_array} for a, written in by_array.items()}

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        wanted = [start]
        while wanted:
            for other in sources[wanted.pop()] - found:
                found.add(other)
                wanted.append(other)
        return found

    partners = {other for other in reached(name) - {name} if name in reached(other)}
    around = [{loop.name for loop in s.loops} for a in (*partners, name) for s in by_array[a]]
    return frozenset(set.intersection(*around)) if partners else frozenset()


def carried(statements: Sequence[Statement]) -> frozenset[str]:
    """Innermost loops of scalars that are read before they are set: the value is that of the iteration before."""
    found: set[str] = set()
    for writer in statements:
        if writer.target.indices or writer.target.scattered or writer.updates or not writer.loops:
            continue
        loop = writer.loops[-1].name
        for reader in statements:
            earlier = reader.order < writer.order and any(item.name == loop for item in reader.loops)
            if earlier and any(a.array == writer.target.array for a in reader.reads):
                found.add(loop)
    return frozenset(found)


def fed_by(written: Sequence[Statement], by_array: Mapping[str, list[Statement]], feeds: set[str]) -> list[Statement]:
    """Statements of private values that a group uses, directly or through others."""
    wanted = [a.array for s in written for a in s.reads if a.array in feeds]
    seen: list[str] = []
    while wanted:
        name = wanted.pop()
        if name not in seen:
            seen.append(name)
            wanted += [a.array for s in by_array[name] for a in s.reads if a.array in feeds]
    return [s for name in seen for s in by_array[name]]
