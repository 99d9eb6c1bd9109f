"""Which loops around each statement can run in parallel: loop distribution by levels, then wavefronts.

The levels are those of Allen and Kennedy ("Automatic translation of Fortran programs to vector form", 1987): statements
that depend on each other in a circle share a loop that runs step by step, where the circle is closed by a dependence
that this loop carries. Accumulations (``x += e``) do not count: a loop that carries nothing else is a reduction.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from roofcast_hull.source.nest import Affine, Routine, Statement
from roofcast_hull.source.polyhedra import Flow, Space, render_affine


class Role(StrEnum):
    """How the iterations of a loop relate for one statement."""

    PARALLEL = "parallel"
    REDUCTION = "reduction"
    STEP = "step"


@dataclass(frozen=True, slots=True)
class Edge:
    """One flow with the loops that carry it."""

    flow: Flow
    levels: frozenset[int]
    inside: bool
    """Some of it stays inside one iteration of all common loops."""

    def at(self, depth: int) -> bool:
        """Whether it orders anything from a level on."""
        return self.inside or any(level >= depth for level in self.levels)


@dataclass
class Plan:
    """Roles of all loops, and wavefronts."""

    roles: list[list[Role]]
    edges: list[Edge]
    waves: dict[int, Wave] = field(default_factory=dict)
    """Statement -> the wavefronts that it runs in."""


@dataclass(frozen=True, slots=True)
class Wave:
    """Iterations of loops that all depend on each other, run in groups that do not."""

    steps: int
    """Groups, one after the other."""
    loops: tuple[str, ...]
    """Loops whose iterations are grouped."""


def plan_loops(statements: Sequence[Statement]) -> Plan:
    """Roles of the loops around each statement."""
    space = Space(statements)
    flows = space.find_flows()

    def edges() -> list[Edge]:
        edges_of_level = []
        for flow in flows:
            if accumulates(statements, flow):
                continue
            levels, inside = space.find_carried(flow)
            edges_of_level.append(Edge(flow, frozenset(levels), inside))
        return edges_of_level

    guarded = space.guard(edges)
    plan = Plan([[Role.PARALLEL] * len(s.loops) for s in statements], guarded)
    distribute(statements, guarded, list(range(len(statements))), 0, plan)
    for at, s in enumerate(statements):
        reduced = find_reductions(statements, at)
        for level, loop in enumerate(s.loops):
            if loop.name in reduced and plan.roles[at][level] is Role.PARALLEL:
                plan.roles[at][level] = Role.REDUCTION
    space.guard(lambda: add_scans(space, plan, flows))
    space.guard(lambda: add_waves(space, plan))
    return plan


def order_passes(routine: Routine, plan: Plan) -> None:
    """Let loops around passes over whole arrays be steps where a pass takes what its array was in the turn before.

    ``x = x + dt * f(x)`` reads ``x'``, and ``out[t] = x`` what each turn makes of it; so do arrays that change places.
    """
    statements = routine.statements
    every = {loop.name for s in statements for loop in s.loops}
    carried = {(a, name) for a, base in routine.exchanged for name in every if name.partition("#")[0] == base}
    for k, s in enumerate(statements):
        moved = {v for i in s.target.indices for v in i.variables}
        before = any(r.array == f"{s.target.array}'" for r in s.reads)
        for level, loop in enumerate(s.loops):
            role = plan.roles[k][level]
            ordered = role is Role.STEP or (before and role is Role.PARALLEL)
            if ordered and moved and loop.name not in moved and level < len(s.loops) - 1:
                carried.add((s.target.array, loop.name))
    for k, s in enumerate(statements):
        names = {s.target.array, *(r.array.removesuffix("'") for r in s.reads)}
        for level, loop in enumerate(s.loops[:-1]):
            taken = {n for n in names if (n, loop.name) in carried}
            adds = plan.roles[k][level] is Role.REDUCTION and taken <= {s.target.array}
            if taken and not adds:
                # What adds up what each turn leaves, `w = w + v`, waits for it, too.
                plan.roles[k][level] = Role.STEP


def accumulates(statements: Sequence[Statement], flow: Flow) -> bool:
    """Whether a flow is an accumulation's own: from the statement to its next turn on the same element."""
    statement = statements[flow.sink]
    read = statement.reads[flow.read]
    return (
        flow.source == flow.sink
        and statement.reduces
        and read.array == statement.target.array
        and (read.indices == statement.target.indices or statement.target.scattered)
    )


def find_reductions(statements: Sequence[Statement], at: int) -> set[str]:
    """Loops that accumulate into one element: those that its indices do not name and that do not start it anew."""
    statement = statements[at]
    if not statement.reduces:
        return set()
    moved = {v for i in statement.target.indices for v in i.variables}
    begun = {
        loop.name
        for s in statements
        if s.target.array == statement.target.array and not s.updates and s.order < statement.order
        for loop in s.loops
    }
    return {loop.name for loop in statement.loops} - moved - begun


def add_scans(space: Space, plan: Plan, flows: Sequence[Flow]) -> None:
    """Steps where every value that a scalar takes on its way is used: a running sum, an average with memory.

    What an accumulation is in the end can be computed in any order; what it is after each iteration can not (unlike a
    recurrence in an array, whose values have a place each, so that what uses them may run afterwards).
    """
    statements = space.statements
    sources = {f.source for f in flows if f.source == f.sink}
    # A recurrence of several scalars that hand their values on.
    circles = find_circles(range(len(statements)), plan.edges)
    sources |= {k for c in circles if len(c) > 1 for k in c if not statements[k].target.indices}
    for flow in flows:
        source, sink = statements[flow.source], statements[flow.sink]
        if flow.source == flow.sink or flow.source not in sources or source.target.scattered:
            continue
        if sink.guarded and not (sink.target.indices or sink.target.scattered or sink.operations):
            # Where the largest element stands: kept beside the comparison that finds it.
            continue
        moved = {v for i in source.target.indices for v in i.variables}
        same = flow.relation
        for level in range(flow.common):
            recurs = plan.roles[flow.source][level] is not Role.PARALLEL
            if recurs and source.loops[level].name not in moved and not space.has_single_source(same, level):
                plan.roles[flow.source][level] = plan.roles[flow.sink][level] = Role.STEP
            same = same.equate(space.isl.dim_type.in_, level, space.isl.dim_type.out, level)
            if same.is_empty():
                break


def distribute(
    statements: Sequence[Statement], edges: Sequence[Edge], members: Sequence[int], depth: int, plan: Plan
) -> None:
    """Roles of the loops at one depth, then of those inside."""
    by_loop: dict[str, list[int]] = {}
    for k in members:
        if len(statements[k].loops) > depth:
            by_loop.setdefault(statements[k].loops[depth].name, []).append(k)
    for inside in by_loop.values():
        among = [e for e in edges if e.flow.source in inside and e.flow.sink in inside and e.at(depth)]
        for circle in find_circles(inside, among):
            inner_edges = [e for e in among if e.flow.source in circle and e.flow.sink in circle]
            stepwise = any(depth in e.levels for e in inner_edges)
            if stepwise:
                for k in circle:
                    plan.roles[k][depth] = Role.STEP
            distribute(statements, inner_edges, sorted(circle), depth + 1, plan)


def find_circles(nodes: Iterable[int], edges: Sequence[Edge]) -> list[set[int]]:
    """Strongly connected statements, in the order of their code."""
    after: dict[int, set[int]] = {n: set() for n in nodes}
    for e in edges:
        after[e.flow.source].add(e.flow.sink)

    def reached(start: int) -> set[int]:
        circles: set[int] = set()
        wanted = [start]
        while wanted:
            for other in after[wanted.pop()] - circles:
                circles.add(other)
                wanted.append(other)
        return circles

    beyond = {n: reached(n) for n in after}
    circles: list[set[int]] = []
    for n in after:
        if not any(n in circle for circle in circles):
            circles.append({n} | {m for m in beyond[n] if n in beyond[m]})
    return circles


def add_waves(space: Space, plan: Plan) -> None:
    """Wavefronts for arrays that no loop computes in parallel."""
    statements = space.statements
    tried: set[tuple[str, str]] = set()
    for at, s in enumerate(statements):
        roles = plan.roles[at]
        steps = [n for n, role in enumerate(roles) if role is Role.STEP]
        if Role.PARALLEL in roles or not steps or not s.target.indices or s.target.scattered:
            continue
        key = (s.target.array, s.loops[0].name)
        if key not in tried:
            tried.add(key)
            find_wave(space, plan, at)


@dataclass(frozen=True, slots=True)
class Front:
    """Statements of one array that may form wavefronts, and when each instance runs."""

    space: Space
    members: tuple[int, ...]
    times: dict[int, tuple[Affine, ...]]
    """Statement -> coordinates that the wavefronts are cut along."""
    outer: int
    """Loops outside, which stay steps."""


def find_wave(space: Space, plan: Plan, at: int) -> None:
    """The legal wavefront with the fewest steps, for the statements that depend on each other around one of them."""
    statements = space.statements
    main = statements[at]
    moved = [i for i in main.target.indices if i.variables]
    # Loops that no index names (time) stay outside, unless nothing else is left.
    named = {v for i in moved for v in i.variables}
    outer = 0
    while outer < len(main.loops) and main.loops[outer].name not in named:
        outer += 1
    if len(moved) < 2 and outer:
        outer -= 1
    elif len(moved) < 2:
        return
    group = [
        k for k, s in enumerate(statements)
        if len(s.loops) > outer and s.loops[: outer + 1] == main.loops[: outer + 1]
        and any(r is Role.STEP for r in plan.roles[k])
    ]  # fmt: skip
    times: dict[int, tuple[Affine, ...]] = {}
    for k in group:
        coordinates = find_coordinates(statements, k, main.target.array, group, outer, len(moved) < 2)
        if coordinates is None or len(coordinates) != len(main.target.indices) + (len(moved) < 2):
            return  # Also where another statement names rows of the array by one index.
        times[k] = coordinates
    front = Front(space, tuple(group), times, outer)
    edges = [e for e in plan.edges if e.flow.source in times and e.flow.sink in times]
    signs = [find_direction(main, i) for i in times[at]]
    best: tuple[int, tuple[int, ...]] | None = None
    for shape in list_directions(len(signs)):
        vector = tuple(s * v for s, v in zip(signs, shape, strict=True))
        if any(not is_ordered(front, e, vector) for e in edges):
            continue
        steps = count_waves(front, vector)
        if best is None or steps < best[0]:
            best = (steps, vector)
    if best is not None:
        adopt(front, plan, *best)


def find_coordinates(
    statements: Sequence[Statement], at: int, array: str, group: Sequence[int], outer: int, with_time: bool
) -> tuple[Affine, ...] | None:
    """The element that an instance is about: the one that it writes, or that its value goes into."""
    statement = statements[at]
    target = statement.target
    if target.array != array:
        users = [
            statements[k] for k in group
            if statements[k].target.array == array and any(r.array == target.array for r in statements[k].reads)
        ]  # fmt: skip
        names = {loop.name for loop in statement.loops}
        fitting = [u for u in users if all(i.variables <= names for i in u.target.indices)]
        if target.indices or not fitting:
            return None
        target = fitting[0].target
    indices = tuple(i for i in target.indices)
    return (Affine.of({statement.loops[outer].name: 1}), *indices) if with_time else indices


def find_direction(statement: Statement, index: Affine) -> int:
    """Whether a coordinate grows or falls while the code runs."""
    for loop in statement.loops:
        factor = index.factor(loop.name)
        if factor:
            return -1 if (factor < 0) != loop.descends else 1
    return 1


def list_directions(size: int) -> list[tuple[int, ...]]:
    """Directions to cut wavefronts along, for coordinates that grow."""
    plain = [tuple(int(n == k) for n in range(size)) for k in range(size)]
    mixed = [v for v in itertools.product((0, 1, 2), repeat=size) if sum(1 for x in v if x) > 1 and min(v) < 2]
    return [*plain, *sorted(mixed, key=sum), *([(4, 2, 1)] if size == 3 else [])] if size <= 3 else plain


def is_ordered(front: Front, edge: Edge, vector: Sequence[int]) -> bool:
    """Whether all flow of an edge goes from one wavefront to a later one, or stays with one element.

    A single element of a wavefront that the others wait for may run before them.
    """
    isl, flow = front.space.isl, edge.flow
    relation = flow.relation
    for level in range(min(front.outer, flow.common)):
        relation = relation.equate(isl.dim_type.in_, level, isl.dim_type.out, level)
    if relation.is_empty():
        return True
    names = relation.get_tuple_name(isl.dim_type.in_), relation.get_tuple_name(isl.dim_type.out)
    before, after = (
        map_waves(front, k, name, vector) for k, name in zip((flow.source, flow.sink), names, strict=True)
    )  # fmt: skip
    last = front.outer
    backward = relation.apply_domain(before).apply_range(after)
    order = isl.Constraint.inequality_alloc(isl.LocalSpace.from_space(backward.get_space()))
    order = order.set_coefficient_val(isl.dim_type.in_, last, 1).set_coefficient_val(isl.dim_type.out, last, -1)
    if not backward.add_constraint(order.set_constant_val(-1)).is_empty():
        return False
    same = relation.intersect(before.apply_range(after.reverse()))
    elements = map_elements(front, flow.source, names[0])
    moved = same.subtract(elements.apply_range(map_elements(front, flow.sink, names[1]).reverse()))
    if moved.is_empty():
        return True
    sources = moved.domain()
    return bool(before.intersect_domain(sources).reverse().apply_range(elements).is_single_valued())


def map_waves(front: Front, at: int, name: str, vector: Sequence[int]) -> Any:
    """Map from the instances of a statement to outer counters and wavefront."""
    total = Affine()
    for value, factor in zip(front.times[at], vector, strict=True):
        total = total + value.times(factor)
    return map_instances(front, at, name, [total])


def map_elements(front: Front, at: int, name: str) -> Any:
    """Map from the instances of a statement to outer counters and the element that they are about."""
    return map_instances(front, at, name, list(front.times[at]))


def map_instances(front: Front, at: int, name: str, values: Sequence[Affine]) -> Any:
    """Map from the instances of a statement to outer counters and affine values."""
    space = front.space
    names = space.counters(space.statements[at])
    counters = list(names.values())
    result = ", ".join([*counters[: front.outer], *(render_affine(v, names) for v in values)])
    return space.isl.Map.read_from_str(space.context, f"{{ {name}[{', '.join(counters)}] -> [{result}] }}")


def count_waves(front: Front, vector: Sequence[int]) -> int:
    """Wavefronts from the first to the last."""
    space = front.space
    ends: list[int] = []
    for at in front.members:
        instances = space.isl.Set.read_from_str(space.context, f"{{ {space.domain(at, f'S{at}')} }}")
        if instances.is_empty():
            continue
        reached = instances.apply(map_waves(front, at, f"S{at}", vector))
        ends += [int(b.to_python()) for b in (reached.dim_min_val(front.outer), reached.dim_max_val(front.outer))]
    return max(ends) - min(ends) + 1 if ends else 1


def adopt(front: Front, plan: Plan, steps: int, vector: Sequence[int]) -> None:
    """Make the loops of a front parallel, but for those that count its wavefronts."""
    for at in front.members:
        statement = front.space.statements[at]
        moved = [v for value in front.times[at] for v in value.variables]
        single = [v for value, factor in zip(front.times[at], vector, strict=True) if factor for v in value.variables]
        counted = set(single) if sum(1 for f in vector if f) == 1 else set()
        if len(set(moved) - counted) == 0:
            continue
        for level, loop in enumerate(statement.loops):
            if level >= front.outer and loop.name in moved:
                plan.roles[at][level] = Role.STEP if loop.name in counted else Role.PARALLEL
        plan.waves[at] = Wave(steps, tuple(dict.fromkeys(moved)))
