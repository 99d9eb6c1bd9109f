"""The class of one group: its units of work, the pattern in which each touches arrays, steps, sizes, operations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from roofcast.core.errors import one_line
from roofcast_hull.bounds import DEFAULT_ELEMENT, ELEMENT_TYPES
from roofcast_hull.classes import find_family
from roofcast_hull.notation import AlgorithmClass, ClassTextError, Part, Pattern, parse_class
from roofcast_hull.source.array_dimensions import (
    Roles,
    Shape,
    agree_on_turns,
    count_window,
    find_shapes,
    make_input,
    make_output,
    project_loops,
)
from roofcast_hull.source.counting import count_iterations
from roofcast_hull.source.found_class import SECTOR
from roofcast_hull.source.groups import Group, Placed, find_moved, iterate_members
from roofcast_hull.source.index_planes import spread_reads, spread_target
from roofcast_hull.source.nest import Access, Affine, Loop, Routine, Statement, find_extreme, refuse
from roofcast_hull.source.parallel import Role
from roofcast_hull.source.thread_indices import WHOLE

SPARSE = 32
"""Elements of a neighbourhood per operation, above which a unit reads a few of those around it, not all."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A class with its operations."""

    found: AlgorithmClass
    complexity: float
    operations: float
    repetitions: int
    notes: tuple[str, ...] = ()
    note: str = ""
    """How the steps come about."""
    arrays: tuple[str, ...] = ()
    """Names of the arrays of the class, inputs first; empty where they are not known."""
    windows: tuple[tuple[str, int], ...] = ()
    """Arrays of whose tiles units read a border as well, with the elements that one reads in all."""
    stored: int | None = None
    """Elements that are stored where data say, where these may be fewer than the array has."""


@dataclass
class Work:
    """What the loops of a group are."""

    group: Group
    main: Statement
    parallel: list[str]
    inner: frozenset[str]
    steps: list[Loop]
    """Loops that repeat the class, outermost first."""
    walked: frozenset[str] = frozenset()
    """Inner loops whose iterations depend on each other."""
    averaged: dict[str, int] = field(default_factory=dict)
    repetitions: float = 1.0
    shared: bool = False
    """Reduces to single values."""
    names: dict[int, str] = field(default_factory=dict)
    """Array of each part, by the part's identity."""
    windows: dict[str, int] = field(default_factory=dict)
    """Elements of windows that overlap, by array."""


def classify_group(routine: Routine, group: Group) -> Outcome:
    """The class of a group."""
    main = group.main.statement
    if count_iterations(main.loops) < 1:
        raise refuse(main.line, f"the loops around {group.array} never run with these sizes")
    if any(p.statement.target.scattered for p in group.writes):
        return classify_histogram(routine, group)
    routine, group = spread_reads(*spread_target(routine, group))
    work = analyse_group(group, of_blocks=routine.of_blocks)
    repeated = find_repeated(work)
    if repeated and order_variables(main)[-1:] == [v for v in work.parallel if v in repeated][-1:]:
        tile_outputs(work, repeated)
    try:
        return classify_work(routine, work)
    except ClassTextError as error:
        for bare in (True, False):
            if not bare:
                tile_outputs(work, find_repeated(work))
            try:
                return classify_work(routine, work, bare=bare)
            except ClassTextError:
                continue
        raise refuse(main.line, f"no class of the notation: {error}") from error


def tile_outputs(work: Work, repeated: frozenset[str]) -> None:
    """Let a unit write several elements, all that come from the same input: they are its tile."""
    work.parallel = [v for v in work.parallel if v not in repeated]
    work.inner |= repeated


def find_repeated(work: Work) -> frozenset[str]:
    """Parallel loops whose counters no input names: all of them, where other loops are left."""
    every = [r for s in iterate_members(work.group) for r in s.reads]
    reads = [r for r in every if r.indices]
    if not reads or any(r.scattered for r in every) or work.shared or work.averaged:
        return frozenset()
    named = {v for r in reads for i in r.indices for v in i.variables}
    repeated = frozenset(v for v in work.parallel if v not in named)
    return repeated if len(repeated) < len(work.parallel) else frozenset()


def classify_work(routine: Routine, work: Work, *, bare: bool = False) -> Outcome:
    """The class of a group whose loops are known.

    bare : whether surroundings are left out where a unit takes whole dimensions beside them.

    Raises
    ------
    ClassTextError : the notation has none.
    """
    group, main = work.group, work.main
    mirrored = frozenset(v for i in main.target.indices for v, f in i.factors if f < 0)
    averaged, launched = tuple(work.averaged.items()), routine.launch is not None
    roles = Roles(tuple(work.parallel), work.inner, mirrored, averaged, work.shared, launched, bare, routine.of_passes)
    sums = {p.statement.target.array for p in group.writes}
    outputs, sizes = [Part((count_sums(group, t),), Pattern.SHARED) for t in sums], dict[str, int]()
    if not work.shared:
        outputs, around = [], find_around(group)
        for target in find_targets(group):
            shape = () if work.averaged else routine.shapes.get(target.array, ())
            sector = count_in_sector(routine, target.array)
            targets = list_targets(group, target)
            filled = sum(p.statement.target.array == target.array for p in group.writes) > len(targets)
            output, of_output = make_output(targets, roles, shape, sector, around, filled=filled)
            outputs.append(output)
            sizes |= of_output
    inputs, notes = find_inputs(routine, work, roles, sizes)
    if work.shared and inputs and is_added_up(work, inputs):
        # Of what becomes one value each element is a unit, whoever adds up rows of it first.
        names = [work.names.get(id(p), "") for p in inputs]
        inputs = [replace(p, pattern=Pattern.ELEMENT, extent=()) for p in inputs]
        work.names |= {id(p): name for p, name in zip(inputs, names, strict=True)}
    if has_fronts(work):
        notes = (f"the whole of it: {render_whole(routine, work, roles)}", *notes)
    return make_outcome(work, inputs, outputs, notes)


def count_sums(group: Group, array: str) -> int:
    """Elements of an array that a group adds to, each by its number: ``totals[0] += v.x; totals[1] += v.y;``."""
    targets = {p.statement.target.indices for p in group.writes if p.statement.target.array == array}
    return len(targets) if all(not i.variables for indices in targets for i in indices) else 1


def is_added_up(work: Work, inputs: Sequence[Part]) -> bool:
    """Whether a unit reads all of its tiles, which are alike: no operation is spared by stepping over elements."""
    members = iterate_members(work.group)
    operations = sum(s.operations * s.share * count_iterations(s.loops) for s in members)
    alike = len({(p.pattern, p.sizes, p.extent) for p in inputs}) == 1 and inputs[0].pattern is Pattern.TILE
    return alike and operations >= inputs[0].elements * len(inputs) * work.repetitions


def find_targets(group: Group) -> list[Access]:
    """What the statements of a group write, one access per array, the main one first."""
    by_array = {group.main.statement.target.array: group.main.statement.target}
    for p in sorted(group.writes, key=lambda p: (-count_iterations(p.statement.loops), p.statement.order)):
        by_array.setdefault(p.statement.target.array, p.statement.target)
    ordered = sorted(group.writes, key=lambda p: p.statement.order)
    return [by_array[name] for name in dict.fromkeys(p.statement.target.array for p in ordered)]


def find_around(group: Group) -> frozenset[str]:
    """Variables along which units read elsewhere than they write, ``a[i + 1]``, ``a[i + k]``, or write twice."""
    places = {(v, i) for p in group.writes for i in p.statement.target.indices for v in i.variables}
    reads = {(v, i) for s in iterate_members(group) for r in s.reads for i in r.indices for v in i.variables}
    once = {v for v, _ in places if sum(v == w for w, _ in places) == 1}
    return frozenset(v for v, _ in reads | places if v not in once or any(v == w for w, _ in reads - places))


def list_targets(group: Group, main: Access) -> list[tuple[Access, tuple[Loop, ...]]]:
    """A target and the other elements of its array that the same unit writes, with the loops of each."""
    loops = collect_loops(group)
    others = [p.statement for p in group.writes if p.statement.target.array == main.array]
    alike = [s for s in others if s.target != main and not s.target.scattered and is_of_same_unit(s.target, main)]
    return [(main, loops), *((s.target, merge_loops(s, loops)) for s in alike)]


def is_of_same_unit(target: Access, main: Access) -> bool:
    """Whether two targets differ by constants alone."""
    pairs = list(zip(target.indices, main.indices, strict=False))
    return len(target.indices) == len(main.indices) and all(not (a - b).variables for a, b in pairs)


def has_fronts(work: Work) -> bool:
    """Whether several loops together are cut into wavefronts."""
    wave = work.group.main.wave
    return wave is not None and len([v for v in work.parallel if v in wave.loops]) > 1


def render_whole(routine: Routine, work: Work, roles: Roles) -> str:
    """What the class would be if all wavefronts ran at once."""
    every = replace(work, averaged={})
    roles = replace(roles, averaged=())
    output, sizes = make_output(
        list_targets(work.group, work.main.target), roles, routine.shapes.get(work.main.target.array, ()),
        count_in_sector(routine, work.main.target.array), find_around(work.group),
    )  # fmt: skip
    inputs, _ = find_inputs(routine, every, roles, sizes)
    return str(AlgorithmClass(tuple(fit_part(p) for p in inputs), (output,)))


def analyse_group(group: Group, *, of_blocks: bool = False) -> Work:
    """Units, inner loops and steps of a group. of_blocks : whether units are blocks, with loops over their threads."""
    placed = group.main
    main = placed.statement
    tiles = find_tile_variables(main)
    units = {loop.name for loop in placed.units}
    parallel = [v for v in order_variables(main) if v in units and v not in tiles]
    roles = dict(zip((loop.name for loop in main.loops), placed.roles, strict=True))
    deepest = max((n for n, loop in enumerate(main.loops) if loop.name in parallel), default=-1)
    steps = [
        loop for n, loop in enumerate(main.loops)
        if (roles[loop.name] is Role.STEP and (n < deepest or not parallel or placed.wave))
        or (roles[loop.name] is Role.PARALLEL and loop.name not in find_moved(main))
    ]  # fmt: skip
    parallel = keep_own_rows(group, parallel)
    if of_blocks and group.feeds:
        around = [{loop.name for loop in p.statement.loops} for p in group.members]
        parallel = [v for v in parallel if all(v in loops for loops in around)]
    outside = {loop.name for loop in steps}
    walked = frozenset(n for n, r in roles.items() if r is Role.STEP and n not in outside)
    inner = frozenset(loop.name for loop in collect_loops(group)) - set(parallel) - outside
    work = Work(group, main, parallel, inner, steps, walked)
    if not parallel:
        reduced = [loop.name for loop in placed.reductions]
        if not reduced:
            raise refuse(
                main.line,
                f"serial: every iteration of {group.array} depends on the one before, nothing runs in parallel",
            )
        work.shared, work.parallel = True, reduced
        work.inner = inner - set(reduced)
    average_steps(work)
    return work


def keep_own_rows(group: Group, parallel: list[str]) -> list[str]:
    """Loops whose iterations are units of work: not those inside a unit that reduces its row to private values first.

    A softmax takes the largest element and the sum of a row before it writes the row: the row is the unit. So are the
    words that the rounds of a cipher mix, and the unknowns of a system, each of which follows from those before it.
    """
    main = group.main.statement
    walked = {
        x.name
        for f in group.feeds
        for x, r in zip(f.statement.loops, f.roles, strict=True)
        if r is Role.STEP and x.name in find_moved(f.statement)
    }
    if set(parallel) - walked:
        parallel = [v for v in parallel if v not in walked]
    for feed in group.feeds:
        turned = (Role.REDUCTION, Role.STEP) if feed.statement.target.indices else (Role.REDUCTION,)
        reduced = {x.name for x, r in zip(feed.statement.loops, feed.roles, strict=True) if r in turned}
        reduced -= {loop.name for loop in main.loops}
        around = {loop.name for loop in feed.statement.loops}
        rows = [v for v in parallel if v in around]
        named = {v for i in feed.statement.target.indices for v in i.variables}
        if reduced and rows and not named & {loop.name for loop in main.loops}:
            parallel = rows
    for row in (p.statement.loops for p in group.writes):
        # One value of each row, the sum of what is kept of it.
        sums = {x.name for f in group.feeds for x in f.reductions if f.statement.loops == main.loops}
        if len(row) < len(main.loops) and main.loops[: len(row)] == row and sums & set(parallel):
            parallel = [v for v in parallel if v not in sums]
    return parallel


def average_steps(work: Work) -> None:
    """Repetitions, and sizes per step where they differ from step to step."""
    placed, main = work.group.main, work.main
    names = {loop.name for loop in work.steps}
    work.repetitions = max(1.0, count_iterations(project_loops(main.loops, names)))
    wave = placed.wave
    if wave is not None:
        outer = [loop for loop in work.steps if loop.name not in wave.loops]
        work.repetitions = max(
            1.0, count_iterations(project_loops(main.loops, {loop.name for loop in outer})) * wave.steps
        )
    varying = find_dependent(collect_loops(work.group), names)
    if wave is None and not varying & (set(work.parallel) | work.inner):
        return
    units = count_units(work)
    scale_units(work, units / work.repetitions, varying | set(wave.loops if wave else ()))
    for statement in iterate_members(work.group):
        for at, loop in enumerate(statement.loops):
            if loop.name in work.inner and (loop.name in varying or wave is not None):
                before = count_iterations(statement.loops[:at])
                mean = count_iterations(statement.loops[: at + 1]) / before if before else 0.0
                known = work.averaged.get(loop.name, 0)
                work.averaged[loop.name] = max(known, round(mean), 1)


def count_units(work: Work) -> float:
    """Units of work of all steps together, each part of the array that statements of its own compute counted."""
    counters = {loop.name for loop in work.steps} | set(work.parallel)
    parts: dict[tuple[str, ...], float] = {}
    main = work.group.main
    for p in work.group.writes:
        if p is main or (p.wave is not None and not p.is_start):
            loops = project_loops(p.statement.loops, counters | find_moved(p.statement))
            bodies = ",".join(map(str, p.statement.bodies[: len(loops)]))
            key = (bodies,)
            parts[key] = max(parts.get(key, 0.0), count_iterations(loops))
    return sum(parts.values())


def scale_units(work: Work, per_step: float, varying: set[str]) -> None:
    """Sizes of the parallel loops: full where they do not vary, else alike, so that their product is right."""
    loops = {loop.name: loop for loop in collect_loops(work.group)}
    extents = {v: count_most(loops[v], tuple(loops.values())) for v in work.parallel}
    changing = [v for v in work.parallel if v in varying]
    fixed = math.prod(n for v, n in extents.items() if v not in changing)
    whole = math.prod(extents[v] for v in changing)
    factor = (max(1.0, per_step / fixed) / whole) ** (1 / len(changing)) if changing and whole else 1.0
    for v in work.parallel:
        work.averaged[v] = max(1, round(extents[v] * factor)) if v in changing else extents[v]


def count_most(loop: Loop, loops: tuple[Loop, ...]) -> int:
    """Most iterations that a loop has."""
    value = Affine.of({loop.name: 1})
    high, low = find_extreme(value, loops, True), find_extreme(value, loops, False)
    return max(1, (high.constant - low.constant) // loop.step + 1)


def find_dependent(loops: Sequence[Loop], names: set[str]) -> set[str]:
    """Loops whose bounds follow from counters, directly or through others."""
    dependent = set(names)
    for _ in loops:
        for loop in loops:
            if any(v in dependent for b in (*loop.first, *loop.last) for v in b.variables):
                dependent.add(loop.name)
    return dependent - names


def collect_loops(group: Group) -> tuple[Loop, ...]:
    """All loops of a group, those of the main statement first."""
    by_name: dict[str, Loop] = {}
    for statement in iterate_members(group):
        for loop in statement.loops:
            by_name.setdefault(loop.name, loop)
    return tuple(by_name.values())


def order_variables(main: Statement) -> list[str]:
    """Variables of the output's dimensions, in their order."""
    ordered: list[str] = []
    for index in main.target.indices:
        ordered += [v for v, _ in sorted(index.factors, key=lambda f: -abs(f[1])) if v not in ordered]
    return ordered


def find_tile_variables(main: Statement) -> set[str]:
    """Variables that run inside an output tile: of ``8 * b + u`` the u."""
    inside: set[str] = set()
    for index in main.target.indices:
        if len(index.factors) > 1:
            largest = max(abs(f) for _, f in index.factors)
            inside |= {v for v, f in index.factors if abs(f) < largest}
    return inside


Inputs = tuple[list[Part], tuple[str, ...]]


def find_inputs(routine: Routine, work: Work, roles: Roles, sizes: Mapping[str, int]) -> Inputs:
    """Parts of the arrays that a group reads; coefficients as many as a unit's surrounding are part of the function."""
    accesses = list_reads(routine, work)
    parts: list[Part] = []
    tables: list[tuple[str, Part]] = []
    notes: tuple[str, ...] = ()
    shapes_of: dict[str, list[Shape]] = {}
    for array, every in accesses.items():
        if not any(access.scattered for access, _ in every):
            declared = () if work.averaged else routine.shapes.get(array, ())
            shapes_of[array] = find_shapes(every, roles, declared, count_in_sector(routine, array))
    agree_on_turns([s for shapes in shapes_of.values() for s in shapes])
    for array, every in accesses.items():
        chosen = any(access.scattered for access, _ in every)
        plain = find_whole(routine, array, every, roles, sizes) if chosen else []
        reads_known = plain or every
        if plain:
            notes = (*notes, f"data chooses some elements of {one_line(array, 40)}, all of which are read anyway")
        if chosen and not plain:
            parts.append(make_gather(routine, array, reads_known, roles))
            work.names[id(parts[-1])] = array
            continue
        shape_known = () if work.averaged else routine.shapes.get(array, ())
        shapes = shapes_of.get(array) or find_shapes(reads_known, roles, shape_known, count_in_sector(routine, array))
        shaped = [make_input(shape, roles, sizes) for shape in shapes]
        work.windows[array] = count_window(shapes, shaped)
        whole = max((p for p in shaped if p and p.pattern is Pattern.FULL), key=lambda p: p.elements, default=None)
        for at, (shape, part) in enumerate(zip(shapes, shaped, strict=True)):
            # Rows of other steps are other elements of the array.
            label = f"{array}#{at}" if at and any(d.kind == "step" for d in shape) else array
            twice = roles.summed and any(p == part and work.names[id(p)] == array for p in parts)
            if part is not None and not twice and (part.pattern is not Pattern.FULL or part is whole):
                if part.pattern is Pattern.FULL:
                    tables.append((array, part))
                parts.append(part)
                work.names[id(part)] = label
    small = [(a, p) for a, p in tables if is_coefficients(p, parts)]
    notes += tuple(f"{one_line(a, 40)}: {p} holds coefficients of the function" for a, p in small)
    rest = [p for p in parts if not any(p is s for _, s in small)]
    return sorted(rest, key=lambda p: p.pattern is Pattern.FULL), notes


def list_reads(routine: Routine, work: Work) -> dict[str, list[tuple[Access, tuple[Loop, ...]]]]:
    """What a group reads of each array that is none of its own, with the loops around."""
    private = {p.statement.target.array for p in work.group.feeds}
    accesses: dict[str, list[tuple[Access, tuple[Loop, ...]]]] = {}
    for statement in sorted(iterate_members(work.group), key=lambda s: s.order):
        loops = merge_loops(statement, collect_loops(work.group))
        for read in statement.reads:
            held = read.array in private or read.array in routine.of_launch or is_own(routine, work, statement, read)
            if (read.indices or read.scattered) and not held:
                # What data chooses is read as often as its own statement runs.
                accesses.setdefault(read.array, []).append((read, statement.loops if read.scattered else loops))
    return accesses


def count_in_sector(routine: Routine, array: str) -> int:
    """Elements of an array in the 32 B that DRAM moves at least."""
    kind = routine.types.get(array, "")
    return max(1, SECTOR // ELEMENT_TYPES[kind if kind in ELEMENT_TYPES else DEFAULT_ELEMENT][0])


def find_whole(
    routine: Routine, array: str, found: Sequence[tuple[Access, tuple[Loop, ...]]], roles: Roles,
    sizes: Mapping[str, int],
) -> list[tuple[Access, tuple[Loop, ...]]]:  # fmt: skip
    """Accesses to an array that data does not choose, where they reach all of its elements; empty where they do not."""
    plain = [(a, loops) for a, loops in found if not a.scattered]
    if not plain:
        return []
    shapes = find_shapes(plain, roles, routine.shapes.get(array, ()), count_in_sector(routine, array))
    shaped = [make_input(shape, roles, sizes) for shape in shapes]
    widest = max((p for p in shaped if p is not None), key=lambda p: p.elements, default=None)
    gathered = math.prod(make_gather(routine, array, found, roles).extent)
    reach = 1 if widest is None else widest.elements if widest.pattern is Pattern.FULL else math.prod(widest.extent)
    whole = widest is not None and widest.elements >= find_elements(routine, array, plain[0][0].line)
    return plain if whole and gathered < reach else []


def make_gather(
    routine: Routine, array: str, accesses: Sequence[tuple[Access, tuple[Loop, ...]]], roles: Roles
) -> Part:
    """An array whose elements data chooses, with the number of them that a unit reads."""
    reads = 0
    names = (tuple(x.name.partition("#")[0] for x in loops) for _, loops in accesses)
    keys = [(a.chosen or id(a), a.scattered, n) for (a, _), n in zip(accesses, names, strict=True)]
    distinct = dict(zip(keys, accesses, strict=True))
    for access, loops in distinct.values():
        if not access.scattered:
            continue  # An element of its own: the array is there once.
        inside = [loop for loop in loops if loop.name in roles.inner]
        reads += max(1, round(count_iterations(project_loops(inside, roles.inner)))) if inside else 1
    elements, row = find_elements(routine, array, accesses[0][0].line), max(a.row for a, _ in accesses)
    sizes = (elements // row, row) if row > 1 and not elements % row else (elements,)
    return Part(sizes, Pattern.GATHER, (reads,) if reads > 1 else ())


def merge_loops(first: Statement, loops: tuple[Loop, ...]) -> tuple[Loop, ...]:
    """A statement's loops, then the others of its group."""
    names = {loop.name for loop in first.loops}
    return (*first.loops, *(loop for loop in loops if loop.name not in names))


def is_own(routine: Routine, work: Work, statement: Statement, read: Access) -> bool:
    """Whether a read finds what the same unit of work has computed before, which is no input.

    An accumulation into an array that a function is given starts from what is there, unless the function begins it.
    """
    if read.scattered:
        return statement.target.scattered and read == statement.target
    if work.shared and statement.updates and read == statement.target:
        return True
    writes = [p.statement for p in work.group.writes]
    writes = [s for s in writes if s.target.array == read.array]
    if not writes:
        return False
    if not any(read.indices == s.target.indices for s in writes):
        return walks(work, statement.target, read) or any(walks(work, s.target, read) for s in writes)
    if all(s.order > statement.order and s.loops == statement.loops for s in writes):
        return False  # Kept in a private value between: v = s[n] * d; s[n] = v.
    begun = any(not s.updates and not s.operations and not s.reads for s in writes)
    inside = any(loop.name in work.inner for loop in statement.loops)
    # What a unit adds to its own element again starts from what it has there; the first time says from what.
    again = any(s.target.indices == read.indices and s.order < statement.order for s in writes)
    earlier = again or any(not s.updates and s is not statement and s.order <= statement.order for s in writes)
    started = any(s.target.array == read.array and not s.updates for s in routine.statements)
    local = read.array not in routine.given
    if routine.of_passes and local and inside:
        # What only this group writes of what the function makes holds nothing else: `best = np.full(n, -1.0)`.
        begun |= all(s in writes for s in routine.statements if s.target.array == read.array)
    within = inside and not work.walked and (started or local)
    return begun or within or earlier


def walks(work: Work, target: Access, read: Access) -> bool:
    """Whether a read is of an element that the same unit came by before."""
    if len(target.indices) != len(read.indices) or target.array != read.array:
        return False
    pairs = zip(target.indices, read.indices, strict=True)
    steps = [(t, r - t) for t, r in pairs if r != t]
    return all(not gap.factors and t.variables and t.variables <= work.walked for t, gap in steps)


def is_local(part: Part) -> bool:
    """Whether units read a small surrounding of their own, which coefficients may go with."""
    if part.pattern is Pattern.NEIGHBOURHOOD:
        return True
    inside = part.pattern is Pattern.TILE and all(e < s for e, s in zip(part.extent, part.sizes, strict=True))
    # Runs of a flat array are rows, whatever goes with each of their elements.
    return inside and sum(e > 1 for e in part.extent) > 1


def is_coefficients(part: Part, parts: Sequence[Part]) -> bool:
    """Whether an array that every unit reads whole is part of the function: as many numbers as their surroundings."""
    reach = max((math.prod(p.extent) for p in parts if is_local(p)), default=0)
    return part.pattern is Pattern.FULL and part.elements <= reach


def classify_histogram(routine: Routine, group: Group) -> Outcome:
    """A write to an element that data chooses: one shared output."""
    main = next(p for p in group.writes if p.statement.target.scattered).statement
    placed = next(p for p in group.writes if p.statement is main)
    if Role.STEP in placed.roles and not main.reduces:
        raise refuse(main.line, f"serial: which elements of {group.array} are written depends on the iterations before")
    bins = find_elements(routine, main.target.array, main.line)
    notes: tuple[str, ...] = ()
    statements = [p.statement for p in group.members]
    used = {v for s in statements for a in s.reads for i in a.indices for v in i.variables}
    parallel = [loop.name for loop in main.loops if loop.name in used]
    steps = [loop for loop in main.loops if loop.name not in used]
    if not parallel:
        raise refuse(main.line, f"{group.array} is written where data says, but no loop reads that data")
    work = Work(group, main, parallel, frozenset(used - set(parallel)), steps, shared=True)
    work.repetitions = max(1.0, count_iterations(project_loops(main.loops, {loop.name for loop in steps})))
    # What data choose has no order that inputs could lack.
    roles = Roles(tuple(parallel), work.inner, summed=True)
    inputs, more = find_inputs(routine, work, roles, {})
    outcome = make_outcome(work, inputs, [Part((bins,), Pattern.SHARED)], notes + more)
    scattered = [s for s in statements if s.target.scattered and s.target.array == main.target.array]
    if any(s.updates or s.reduces for s in scattered):
        return outcome
    stored = sum(s.share * count_iterations(s.loops) for s in scattered) / work.repetitions
    return replace(outcome, stored=max(1, round(stored)))


def find_elements(routine: Routine, array: str, line: int) -> int:
    """Elements of an array whose places data chooses."""
    shape = routine.shapes.get(array, ())
    if shape and all(s > 0 for s in shape):
        return math.prod(shape)
    if held := routine.count_allocated(array):
        return held
    if (whole := array.partition(".")[0]) in routine.allocated:
        return max(1, int(routine.allocated[whole]))
    name = one_line(array, 40)
    raise refuse(line, f"data chooses the element of '{name}', whose size nothing states: give --size {name}=N")


def make_outcome(work: Work, inputs: list[Part], outputs: list[Part], notes: tuple[str, ...]) -> Outcome:
    """The class, checked by its own notation, with operations per application."""
    group, main, output = work.group, work.main, outputs[0]
    if not inputs and output.pattern is Pattern.SHARED:
        raise refuse(main.line, f"{group.array} reads no array: there is no class for that")
    algorithm = parse_class(str(AlgorithmClass(tuple(fit_part(p) for p in inputs), tuple(outputs))))
    # What a private value takes is there once, also where other work of single steps uses it.
    statements = {p.statement.order: p.statement for p in (*group.extra, *group.members)}.values()
    operations = sum(s.operations * s.share * count_iterations(s.loops) for s in statements)
    variables = find_family(algorithm).variables(algorithm)
    applications = variables.work_units * variables.applications_per_unit
    if output.pattern is Pattern.TILE and inputs and inputs[0].pattern is Pattern.ELEMENT:
        applications = output.elements
    complexity = operations / work.repetitions / applications
    widest = max((math.prod(p.extent) for p in algorithm.inputs if p.pattern is Pattern.NEIGHBOURHOOD), default=0)
    if widest > SPARSE * max(1.0, operations / work.repetitions / variables.work_units):
        why = f"{one_line(group.array, 40)} takes a few elements of the {widest} around each"
        raise refuse(main.line, f"{why}: no neighbourhood of the notation")
    names = (*(work.names.get(id(p), "") for p in inputs), *(t.array for t in find_targets(group)))
    times = max(1, round(work.repetitions))
    return Outcome(
        algorithm,
        complexity,
        operations,
        times,
        notes,
        render_steps(work),
        names,
        tuple((a, n) for a, n in work.windows.items() if n),
    )


def fit_part(part: Part) -> Part:
    """A part whose array is not smaller than what a unit touches of it."""
    if part.pattern is not Pattern.NEIGHBOURHOOD:
        return part
    lead = len(part.sizes) - len(part.extent)
    reach = tuple(min(e, s) for e, s in zip(part.extent, part.sizes[lead:], strict=True))
    return Part(part.sizes, part.pattern, reach)


def render_steps(work: Work) -> str:
    """Which loops run one step after the other."""
    wave = work.group.main.wave
    outer = [loop for loop in work.steps if is_step(work.group.main, loop)]
    if wave is not None and has_fronts(work):
        names = " and ".join(n.partition("#")[0] for n in wave.loops)
        if any(n.startswith(WHOLE) for n in wave.loops):
            raise refuse(
                work.main.line, f"threads along {names} would wait for each other, which those of a launch do not"
            )
        return (
            f"line {work.main.line}: iterations over {names} depend on each other: {wave.steps} wavefronts, "
            "of which the class shows an average one"
        )
    if not outer:
        return ""
    names = ", ".join(loop.name.partition("#")[0] for loop in outer)
    size = "; the class shows an average step" if work.averaged else ""
    return f"line {outer[0].line}: the loop over {names} runs one step after the other{size}"


def is_step(placed: Placed, loop: Loop) -> bool:
    """Whether a dependence makes a loop run step by step."""
    names = [item.name for item in placed.statement.loops]
    return loop.name in names and placed.roles[names.index(loop.name)] is Role.STEP


# From accesses to the parts of a class
