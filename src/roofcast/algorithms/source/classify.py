"""From a routine to its classes: one per array that a loop nest writes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofcast.algorithms.notation import AlgorithmClass, ClassTextError, Part, Pattern, parse_class
from roofcast.algorithms.registry import family_of
from roofcast.algorithms.source.dependence import conflict
from roofcast.algorithms.source.flat import unflattened
from roofcast.algorithms.source.groups import Group, carried, groups_of
from roofcast.algorithms.source.nest import (
    Access,
    Loop,
    Routine,
    SourceError,
    Statement,
    extreme,
    iterations,
    refuse,
)
from roofcast.algorithms.source.patterns import Roles, input_part, output_part, shapes_of
from roofcast.errors import InputError, one_line

BINS_ASSUMED = 256


@dataclass(frozen=True, slots=True)
class Found:
    """One class in a source."""

    name: str
    """Array that it computes."""
    line: int
    found: AlgorithmClass
    complexity: float
    """Operations of one application of the class's function."""
    operations: float
    """Operations of all repetitions together."""
    repetitions: int
    notes: tuple[str, ...] = ()


def classify_source(path: str, sizes: Mapping[str, int] | None = None) -> list[Found]:
    """Classes of ``kernel.c``, ``kernel.c:function`` or ``kernel.py:function``.

    Raises
    ------
    InputError : the file cannot be read, or is neither C nor Python.
    SourceError : code without a class, with line and reason.
    MissingExtraError : C without pycparser.
    """
    name, _, function = path.rpartition(":") if not Path(path).is_file() and ":" in path else (path, "", "")
    try:
        text = Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{one_line(name, 120)}: {error.strerror}") from error
    except (UnicodeDecodeError, ValueError) as error:
        raise InputError(f"{one_line(name, 120)}: not a text file in UTF-8") from error
    language = {".py": "python"}.get(Path(name).suffix.lower(), "c")
    try:
        return classify_text(text, language, sizes, function or None)
    except SourceError as error:
        raise SourceError(f"{one_line(Path(name).name, 80)}: {error}") from error


def classify_text(
    text: str, language: str = "c", sizes: Mapping[str, int] | None = None, function: str | None = None
) -> list[Found]:
    r"""Classes of a source text; see :func:`classify_source`.

    >>> code = "for i in range(64):\n    b[i] = 2 * a[i] + 5"
    >>> [(str(f.found), f.complexity) for f in classify_text(code, "python")]
    [('64|element → 64|element', 2.0)]
    """
    try:
        return classify(read(text, language, sizes or {}, function))
    except RecursionError as error:
        raise refuse(1, "an expression is nested too deeply") from error


def read(text: str, language: str, sizes: Mapping[str, int], function: str | None) -> Routine:
    """The routine of a text, by the front end of its language."""
    if language == "python":
        from roofcast.algorithms.source.python_code import read_python

        return read_python(text, sizes, function)
    from roofcast.algorithms.source.c_code import read_c

    return read_c(text, sizes, function)


def classify(routine: Routine) -> list[Found]:
    """Classes of a routine in the order of its code."""
    routine = with_sizes(unflattened(routine))
    groups = list(groups_of(routine))
    if not groups:
        raise SourceError(f"{one_line(routine.name, 60)}: no loop writes anything")
    found = [classify_group(routine, g) for g in groups]
    assumed = tuple(f"{one_line(n, 40)} taken as {v} (--size {one_line(n, 40)}=N)" for n, v in routine.assumed.items())
    return [Found(f.name, f.line, f.found, f.complexity, f.operations, f.repetitions, f.notes + assumed) for f in found]


def with_sizes(routine: Routine) -> Routine:
    """Sizes of arrays that nothing declares, from the largest index used; unknown where an index is negative."""
    least: dict[tuple[str, int], tuple[int, int]] = {}
    ranks: dict[str, int] = {}
    for s in routine.statements:
        for access in (s.target, *s.reads):
            ranks[access.array] = max(ranks.get(access.array, 0), len(access.indices))
            for at, index in enumerate(access.indices):
                low, high = extreme(index, s.loops, False), extreme(index, s.loops, True)
                before = least.get((access.array, at), (0, 0))
                least[access.array, at] = (min(before[0], low.constant), max(before[1], high.constant))
    shapes = dict(routine.shapes)
    for array, rank in ranks.items():
        declared = shapes.get(array, ())
        if declared and not rank:
            continue
        known = declared if len(declared) == rank else (-1,) * rank
        ranges = [least.get((array, at), (0, 0)) for at in range(rank)]
        shapes[array] = tuple(
            k if k > 0 else (high + 1 if low == 0 else -1) for k, (low, high) in zip(known, ranges, strict=True)
        )
    return Routine(routine.name, routine.statements, shapes, routine.assumed)


def classify_group(routine: Routine, group: Group) -> Found:
    """The class of one group."""
    main = group.main
    if iterations(main.loops) < 1:
        raise refuse(main.line, f"the loops around {group.array} never run with these sizes")
    statements = (*group.writes, *group.feeds)
    loops = merged_loops(main, statements)
    scattered = any(s.target.scattered for s in group.writes)
    if scattered:
        return histogram(routine, group, main, statements)
    own = {v for i in main.target.indices for v in i.variables}
    tiles = tile_variables(main)
    parallel = [v for v in order_of(main) if v not in tiles]
    used = {v for s in statements for a in s.reads for i in a.indices for v in i.variables} | own
    steps = group.repeating | (group.cyclic - own) | carried(statements)
    sequential = [loop.name for loop in main.loops if loop.name in steps and loop.name in used]
    parallel = [v for v in parallel if v not in sequential]
    while True:
        depends = first_conflict(group, main, loops, frozenset(sequential))
        if not depends:
            break
        sequential.append(depends)
        parallel = [v for v in parallel if v != depends]
    names = [loop.name for loop in loops]
    inner = [n for n in names if n in used and n not in parallel and n not in sequential]
    repeated = [loop for loop in main.loops if loop.name in sequential or loop.name not in used]
    notes = tuple(
        f"line {loop.line}: the loop over {loop.name.partition('#')[0]} runs one step after the other"
        for loop in main.loops
        if loop.name in sequential and loop.name not in group.repeating
    )
    reduces = not parallel
    if reduces:
        parallel, inner = [n for n in inner if n not in tiles], [n for n in inner if n in tiles]
    if not parallel:
        raise refuse(main.line, f"every iteration of {group.array} depends on the one before: nothing runs in parallel")
    mirrored = frozenset(v for i in main.target.indices for v, f in i.factors if f < 0)
    roles = Roles(tuple(parallel), frozenset(inner), mirrored)
    output, sizes = Part((1,), Pattern.SHARED), dict[str, int]()
    if not reduces:
        output, sizes = output_part(main.target, loops, roles, routine.shapes.get(group.array, ()))
    fed = {s.target.array for s in group.feeds}
    inputs, more = inputs_of(routine, group, statements, roles, fed, sizes)
    return finished(group, main, statements, inputs, output, repeated, notes + more)


def order_of(main: Statement) -> list[str]:
    """Variables of the output's dimensions, in their order."""
    found: list[str] = []
    for index in main.target.indices:
        found += [v for v, _ in sorted(index.factors, key=lambda f: -abs(f[1])) if v not in found]
    return found


def tile_variables(main: Statement) -> set[str]:
    """Variables that run inside an output tile: of ``8 * b + u`` the u."""
    found: set[str] = set()
    for index in main.target.indices:
        if len(index.factors) > 1:
            largest = max(abs(f) for _, f in index.factors)
            found |= {v for v, f in index.factors if abs(f) < largest}
    return found


def merged_loops(main: Statement, statements: Sequence[Statement]) -> tuple[Loop, ...]:
    """All loops of a group, those of the main statement first."""
    found: dict[str, Loop] = {}
    for statement in (main, *statements):
        for loop in statement.loops:
            found.setdefault(loop.name, loop)
    return tuple(found.values())


def first_conflict(group: Group, main: Statement, loops: tuple[Loop, ...], fixed: frozenset[str]) -> str:
    """The outermost variable over which a read of the written array makes iterations depend; '' for none."""
    fed_arrays = {s.target.array for s in group.feeds if s.target.indices}
    for statement in (*group.writes, *group.feeds):
        if statement.target.array in fed_arrays:
            # Read into a private array first: a copy from before this iteration's writes.
            continue
        writes = [s.target for s in group.writes if s.operations or s.reads]
        for read in statement.reads:
            if read.array != group.array or not read.indices:
                continue
            if any(read.indices == w.indices for w in writes):
                continue
            around = merged_loops(main, (statement,))
            names = conflict(main.target, read, around, fixed)
            if names:
                return names[0]
    del loops
    return ""


Inputs = tuple[list[Part], tuple[str, ...]]


def inputs_of(
    routine: Routine,
    group: Group,
    statements: Sequence[Statement],
    roles: Roles,
    private: set[str],
    sizes: Mapping[str, int],
) -> Inputs:
    """Parts of the arrays that a group reads; coefficients as many as a unit's surrounding are part of the function."""
    accesses: dict[str, list[tuple[Access, tuple[Loop, ...]]]] = {}
    begun = any(not s.updates and not s.operations and not s.reads for s in group.writes)
    for statement in statements:
        for read in statement.reads:
            own = read.array == group.array and any(read.indices == s.target.indices for s in group.writes)
            reduced = own and (begun or set(inner_of(statement, roles)) & set(roles.inner))
            if read.array in private or not read.indices or (own and (reduced or own_is_begun(group, statement))):
                continue
            accesses.setdefault(read.array, []).append((read, merged_loops(statement, statements)))
    parts: list[Part] = []
    tables: list[tuple[str, Part]] = []
    for array, found in accesses.items():
        for shape in shapes_of(found, roles, routine.shapes.get(array, ())):
            part = input_part(shape, roles, sizes)
            if part is not None:
                if part.pattern is Pattern.FULL:
                    tables.append((array, part))
                parts.append(part)
    reach = max((math.prod(p.extent) for p in parts if is_local(p)), default=0)
    small = [(a, p) for a, p in tables if p.elements <= reach]
    notes = tuple(f"{one_line(a, 40)}: {p} holds coefficients of the function" for a, p in small)
    kept = [p for p in parts if not any(p is s for _, s in small)]
    return sorted(kept, key=lambda p: p.pattern is Pattern.FULL), notes


def is_local(part: Part) -> bool:
    """Whether units read a small surrounding of their own, which coefficients may go with."""
    if part.pattern is Pattern.NEIGHBOURHOOD:
        return True
    return part.pattern is Pattern.TILE and all(e < s for e, s in zip(part.extent, part.sizes, strict=True))


def inner_of(statement: Statement, roles: Roles) -> list[str]:
    """Inner loops that a statement stands in."""
    return [loop.name for loop in statement.loops if loop.name in roles.inner]


def own_is_begun(group: Group, statement: Statement) -> bool:
    """Whether an earlier write of the group gave the element its value."""
    return any(not s.updates and s is not statement and s.line <= statement.line for s in group.writes)


def histogram(routine: Routine, group: Group, main: Statement, statements: Sequence[Statement]) -> Found:
    """A write to an element that data chooses: one shared output."""
    shape = routine.shapes.get(group.array, ())
    known = [s for s in shape if s > 0]
    bins = 1
    for size in known:
        bins *= size
    notes: tuple[str, ...] = ()
    if len(known) != max(len(shape), 1):
        bins = BINS_ASSUMED
        notes = (f"{one_line(group.array, 40)}: {BINS_ASSUMED} elements assumed; declare its size",)
    used = {v for s in statements for a in s.reads for i in a.indices for v in i.variables}
    parallel = tuple(loop.name for loop in main.loops if loop.name in used)
    repeated = [loop for loop in main.loops if loop.name not in used]
    if not parallel:
        raise refuse(main.line, f"{group.array} is written where data says, but no loop reads that data")
    inner = frozenset(used - set(parallel))
    roles = Roles(parallel, inner)
    feeds = {s.target.array for s in group.feeds} | {group.array}
    inputs, more = inputs_of(routine, group, statements, roles, feeds, {})
    return finished(group, main, statements, inputs, Part((bins,), Pattern.SHARED), repeated, notes + more)


def finished(
    group: Group, main: Statement, statements: Sequence[Statement], inputs: list[Part], output: Part,
    repeated: Sequence[Loop], notes: tuple[str, ...],
) -> Found:  # fmt: skip
    """The class, checked by its own notation, with operations per application."""
    if not inputs:
        if output.pattern is Pattern.SHARED:
            raise refuse(main.line, f"{group.array} reads no array: there is no class for that")
        inputs = [Part(output.sizes, Pattern.ELEMENT)]
        notes = (*notes, f"{one_line(group.array, 40)} reads no array: counted as element to element")
    text = str(AlgorithmClass(tuple(inputs), (output,)))
    try:
        found = parse_class(text)
    except ClassTextError as error:
        raise refuse(main.line, f"no class of the notation: {error}") from error
    repetitions = 1.0
    for loop in repeated:
        repetitions *= max(1.0, mean_trips(loop, main.loops))
    operations = sum(s.operations * iterations(s.loops) for s in statements)
    variables = family_of(found).variables(found)
    applications = variables.work_units * variables.applications_per_unit
    if output.pattern is Pattern.TILE and inputs[0].pattern is Pattern.ELEMENT:
        applications = output.elements
    count = max(1, round(repetitions))
    return Found(group.array, main.line, found, operations / repetitions / applications, operations, count, notes)


def mean_trips(loop: Loop, loops: tuple[Loop, ...]) -> float:
    """Iterations of a loop, averaged over those outside it."""
    at = next(i for i, item in enumerate(loops) if item.name == loop.name)
    outside = iterations(loops[:at])
    return iterations(loops[: at + 1]) / outside if outside else 0.0
