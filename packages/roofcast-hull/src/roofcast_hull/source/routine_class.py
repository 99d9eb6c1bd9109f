"""Classes of a routine that a front end read: one per array that a loop nest writes."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from roofcast.core.errors import one_line
from roofcast_hull.bounds import DEFAULT_ELEMENT, ELEMENT_TYPES, LARGEST_COMPLEXITY
from roofcast_hull.notation import AlgorithmClass, Part, Pattern
from roofcast_hull.source.found_class import (
    Found,
    find_mean,
    join_sum,
    join_two,
)
from roofcast_hull.source.group_class import Outcome, classify_group
from roofcast_hull.source.groups import Group, find_groups
from roofcast_hull.source.nest import Routine, SourceError, refuse
from roofcast_hull.source.normal_form import normalise
from roofcast_hull.source.numpy_staged import record_staged
from roofcast_hull.source.parallel import order_passes, plan_loops

MODULE = "module"
"""Name of the statements of a file of Python outside of its functions."""


def classify(routine: Routine) -> list[Found]:
    """Classes of a routine in the order of its code."""
    try:
        return classify_normal(normalise(routine))
    except SourceError:
        if others := classify_dimensions(routine):
            return others
        raise


def classify_dimensions(routine: Routine) -> list[Found]:
    """Classes where positions inside tiles are dimensions of their own, as in arrays whose dimensions are exchanged.

    Empty where there are no such positions, or no classes.
    """
    every = normalise(routine, every_dimension=True)
    if every.shapes == normalise(routine).shapes:
        return []
    try:
        return classify_normal(every)
    except SourceError:
        return []


def classify_normal(routine: Routine) -> list[Found]:
    """Classes of a routine in its normal form."""
    named = [
        record_staged(c.call, c.array, c.line, c.repetitions, render_assumed(routine)) for c in routine.library
    ]  # fmt: skip
    if not any(s.loops for s in routine.statements):
        if named:
            return named
        if routine.name == MODULE:
            raise SourceError("the file has no function and no loop")
        if routine.of_passes:
            raise SourceError(
                f"{one_line(routine.name, 60)}: makes no array that is known: call it on arrays of known sizes"
            )
        raise SourceError(f"{one_line(routine.name, 60)}: no loop writes anything")
    plan = plan_loops(routine.statements)
    if routine.of_passes:
        order_passes(routine, plan)
    groups = find_groups(routine, plan)
    computed = {p.statement.target.array for g in groups for p in g.members}
    for p in (p for g in groups for p in g.extra):
        target = p.statement.target
        if target.array not in computed and p.statement.guarded and (target.indices or target.scattered):
            order = f"which elements of {one_line(target.array, 40)} are written depends on the iterations before"
            raise refuse(p.statement.line, f"serial: {order}")
    assumed = render_assumed(routine)
    groups = sorted(groups, key=partial(find_line, routine))
    groups = follow_data(groups) if routine.of_passes else groups
    classes = [record_class(routine, g, assumed) for g in groups]
    if routine.launch is None and not routine.of_passes:
        classes = join_rows(classes, groups)
    behind = len(classes)
    for call in reversed(named):
        # Before what uses its array in the same line, which is of the same statement, and before later calls.
        users = (n for n, f in enumerate(classes) if f.line > call.line or takes(f, call.name))
        behind = min(behind, next(users, len(classes)))
        classes.insert(behind, call)
    return classes


def follow_data(groups: Sequence[Group]) -> list[Group]:
    """Passes with each behind those before it whose arrays it takes, wherever what it computes itself begins."""
    ordered: list[Group] = []
    waiting = list(groups)
    while waiting:
        ready = (g for g in waiting if not any(h is not g and feeds(h, g) for h in waiting))
        ordered.append(next(ready, waiting[0]))
        waiting.remove(ordered[-1])
    return ordered


def feeds(group: Group, user: Group) -> bool:
    """Whether a group, before the main statement of another one, writes an array that that one reads."""
    if group.main.statement.order >= user.main.statement.order:
        return False
    return bool({p.statement.target.array for p in group.writes} & {
        a.array for p in user.members for a in p.statement.reads
    })  # fmt: skip


def join_rows(classes: Sequence[Found], groups: Sequence[Group]) -> list[Found]:
    """Classes of loops inside of one loop, as one class where a turn of that loop is a unit of all of them.

    Of ``for i: { s = sum(a[i]); mean[i] = s; for j: b[i][j] = a[i][j] - mean[i]; }`` rows are the units.
    """
    joined, last = [classes[0]], groups[0]
    for other, group in zip(classes[1:], groups[1:], strict=True):
        whole = join_two(joined[-1], other) if share_turns(last, group) else None
        if whole is None and adds_beside(last, group):
            whole = join_sum(joined[-1], other)
        elif whole is None and adds_beside(group, last):
            whole = join_sum(other, joined[-1])
        joined[-1:] = [whole] if whole is not None else [joined[-1], other]
        last = group
    return joined


def adds_beside(one: Group, other: Group) -> bool:
    """Whether a group adds up in all turns of the loops that deal out the units of another one."""
    first, second = one.main, other.main
    units = {x.name for x in first.units}
    return bool(units) and not second.units and units <= {x.name for x in second.reductions}


def share_turns(one: Group, other: Group) -> bool:
    """Whether the units of two groups are dealt out by the same loops around both."""
    pairs = zip(one.main.statement.loops, other.main.statement.loops, strict=False)
    common = {a.name for a, b in itertools.takewhile(lambda p: p[0] == p[1], pairs)}
    first, second = ({x.name for x in g.main.units} & common for g in (one, other))
    return bool(first) and first == second


def find_line(routine: Routine, group: Group) -> int:
    """The line where a group begins; of whole arrays, where the first of what it computes stands."""
    return min(p.statement.line for p in (group.members if routine.of_passes else [group.main]))


def takes(found: Found, array: str) -> bool:
    """Whether a class reads an array, or a part of its complex numbers."""
    return any(a == array or a.startswith(f"{array}.") for a in reads_of(found))


def reads_of(found: Found) -> tuple[str, ...]:
    """Arrays that a class takes."""
    return found.arrays[: len(found.found.inputs)]


def render_assumed(routine: Routine) -> tuple[str, ...]:
    """Sizes that nothing states, as notes."""
    return tuple(f"{one_line(n, 40)} taken as {v} (--size {one_line(n, 40)}=N)" for n, v in routine.assumed.items())


def record_class(routine: Routine, group: Group, assumed: tuple[str, ...]) -> Found:
    """The class of one group, with its operations."""
    outcome = classify_group(routine, group)
    if outcome.complexity > LARGEST_COMPLEXITY:
        line = group.main.statement.line
        raise refuse(line, f"{outcome.complexity:.3g} operations for each unit: more than any machine does")
    known = (outcome.note,) if outcome.note else ()
    element = find_element(routine, group)
    element_bytes = find_bytes(routine, outcome, element)
    return Found(
        group.array, group.main.statement.line, spell_single(outcome.found), outcome.complexity, outcome.operations,
        outcome.repetitions, element, find_mean_bytes(outcome, element, element_bytes),
        (*known, *outcome.notes, *routine.notes, *assumed),
        arrays=outcome.arrays if element_bytes else (), bytes_each=element_bytes, windows=outcome.windows,
    )  # fmt: skip


def spell_single(algorithm: AlgorithmClass) -> AlgorithmClass:
    """A class whose tiles of one element are elements: a sum that keeps its axis is one for each row."""

    def spell(part: Part) -> Part:
        single = part.pattern is Pattern.TILE and math.prod(part.extent) == 1
        return replace(part, pattern=Pattern.ELEMENT, extent=()) if single else part

    return AlgorithmClass(tuple(map(spell, algorithm.inputs)), tuple(map(spell, algorithm.outputs)))


def find_bytes(routine: Routine, outcome: Outcome, element: str | None) -> tuple[int, ...]:
    """Bytes of an element of each array of a class; empty where the arrays are not known."""
    if len(outcome.found.inputs) + len(outcome.found.outputs) != len(outcome.arrays):
        return ()
    usual = ELEMENT_TYPES[element or DEFAULT_ELEMENT][0]
    types = [routine.types.get(a.partition("#")[0], "") for a in outcome.arrays]
    return tuple(ELEMENT_TYPES[t][0] if t in ELEMENT_TYPES else usual for t in types)


def find_mean_bytes(outcome: Outcome, element: str | None, element_bytes: Sequence[int]) -> float | None:
    """Bytes of an element in the mean over the arrays of a class; None where all are of its element type.

    An array that a unit reads in two patterns (its own element, and every other one) moves once.
    """
    if not element_bytes:
        return None
    usual = ELEMENT_TYPES[element or DEFAULT_ELEMENT][0]
    named = list(zip(outcome.arrays, (*outcome.found.inputs, *outcome.found.outputs), element_bytes, strict=True))
    sides = named[: len(outcome.found.inputs)], named[len(outcome.found.inputs) :]
    once = all(len({a for a, *_ in side}) == len(side) for side in sides)
    mean = None if set(element_bytes) <= {usual} and once else find_mean(*sides)
    written = outcome.found.outputs[0]
    if outcome.stored is None or outcome.stored >= written.elements:
        return mean
    # Of an array that is stored where data say no more moves than is stored.
    whole = outcome.found.elements_in + outcome.found.elements_out
    return (mean or usual) - (written.elements - outcome.stored) * element_bytes[-1] / whole


def find_element(routine: Routine, group: Group) -> str | None:
    """Type of most elements that a group touches, where the source declares it."""
    arrays = [a.array for p in group.members for a in (p.statement.target, *p.statement.reads)]
    types = Counter(routine.types[a] for a in arrays if a in routine.types and routine.shapes.get(a))
    stated = routine.types.get(group.array) if routine.shapes.get(group.array) else None
    return stated or (types.most_common(1)[0][0] if types else None)
