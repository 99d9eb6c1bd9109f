"""Steps of a program on tensors, and what its stored elements follow from: elements of arrays, by how much work."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]


Ints = NDArray[np.int64]


Back = Callable[[Bools], Bools]
"""Wanted lanes of a result, one row for each question -> lanes of an operand."""


@dataclass(slots=True)
class Step:
    """One operation on tensors."""

    shape: tuple[int, ...]
    inputs: tuple[tuple[int, Back], ...] = ()
    operations: float = 0.0
    """Of one lane of the result."""
    live: Bools | None = None
    """Lanes that follow from what was loaded; None for all."""
    counted: Bools | None = None
    """Lanes whose operations count; None for those that live."""
    lost: Bools | None = None
    """Lanes that are infinite, whatever is added to them: what a row is filled up with where its largest is sought."""
    count: Callable[[Bools], NDArray[np.float64]] | None = None
    """Operations of wanted lanes, where they are not as many for each."""
    array: str = ""
    offsets: Ints | None = None
    """Elements of an array that it loads; None with an array: data choose them."""
    staged: str = ""
    """What its lanes compute together: running sums ("scan"), an order ("sort"), sums of products ("product")."""


@dataclass(slots=True)
class Stored:
    """What one statement stored once."""

    array: str
    elements: Ints
    """Of the lanes that are stored, in their order."""
    lanes: Ints
    """Their numbers in the tensor."""
    step: int
    shape: tuple[int, ...]
    added: bool = False
    chosen: bool = False
    """Whether data choose the elements, which are none then."""


@dataclass
class Trace:
    """What one program did."""

    program: tuple[int, int, int]
    steps: list[Step] = field(default_factory=list)
    stores: list[Stored] = field(default_factory=list)
    chosen: bool = False
    """Whether data decide which lanes are loaded or stored."""
    bounded: bool = False
    """Whether data may end a loop before the bound to which it was run."""
    binned: bool = False
    """Whether it counts how often values are there: data choose the places."""


def fill(values: Bools, shape: tuple[int, ...]) -> Bools:
    """An array repeated to a shape."""
    return values if values.shape == shape else np.broadcast_to(values, shape)


def weigh(step: Step) -> float:
    """Operations of all lanes of a step."""
    return float(np.sum(count_step(step, np.ones((1, *step.shape), dtype=bool))))


@dataclass(slots=True)
class Answer:
    """What wanted lanes follow from, one row for each question."""

    taken: list[dict[str, Ints]]
    """Elements of each array."""
    chosen: list[dict[str, int]]
    """Arrays of which data choose elements, with how many lanes take one."""
    operations: NDArray[np.float64]


def find_stages(trace: Trace, stored: Stored) -> set[str]:
    """What lanes compute together of which each stored lane takes its own: "scan", "sort"."""
    stages: set[str] = set()
    lanes, open_steps, seen = math.prod(stored.shape), [stored.step], set[int]()
    while open_steps:
        at = open_steps.pop()
        step = trace.steps[at] if at >= 0 and at not in seen else None
        seen.add(at)
        if step is None or step.array or math.prod(step.shape) != lanes:
            continue
        if step.staged:
            stages.add(step.staged)
        else:
            open_steps += [source for source, _ in step.inputs]
    return stages - {"product"}


def sort_distinct(elements: Ints) -> Ints:
    """Elements in order, each once; np.unique takes a hundred times as long for some hundred thousand."""
    ordered = np.sort(elements)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def count_step(step: Step, wanted: Bools) -> Any:
    """Operations of a step for the wanted lanes of each question."""
    if step.count is not None:
        return step.count(wanted)
    if not step.operations:
        return 0.0
    limits = step.counted if step.counted is not None else step.live
    counted = wanted if limits is None else wanted & limits
    return step.operations * counted.reshape(len(wanted), -1).sum(axis=1)


def note_taken(
    step: Step, lanes: Bools, taken: Sequence[dict[str, list[Ints]]], chosen: Sequence[dict[str, int]]
) -> None:  # fmt: skip
    """Note what each question's lanes of a load take."""
    for k in np.flatnonzero(lanes.reshape(len(lanes), -1).any(axis=1)).tolist():
        if step.offsets is None:
            chosen[k][step.array] = chosen[k].get(step.array, 0) + int(lanes[k].sum())
        else:
            taken[k].setdefault(step.array, []).append(step.offsets[lanes[k]])


def follow(trace: Trace, questions: Sequence[Mapping[int, Ints]]) -> Answer:
    """What stored elements follow from. questions : stores (by their numbers) -> positions among their lanes."""
    number = len(questions)
    wanted: dict[int, Bools] = {}
    for k, asked in enumerate(questions):
        for store, positions in asked.items():
            stored = trace.stores[store]
            asked_lanes = wanted.setdefault(stored.step, np.zeros((number, *stored.shape), dtype=bool))
            asked_lanes.reshape(number, -1)[k, stored.lanes[positions]] = True
    taken: list[dict[str, list[Ints]]] = [{} for _ in questions]
    chosen: list[dict[str, int]] = [{} for _ in questions]
    operations = np.zeros(number)
    # Of what decides addresses alone elements are taken, and no operations counted.
    addressed: dict[int, Bools] = {}
    for at in range(len(trace.steps) - 1, -1, -1):
        step = trace.steps[at]
        for lanes, is_work in ((wanted.pop(at, None), True), (addressed.pop(at, None), False)):
            if lanes is None:
                continue
            mine = lanes if not step.array or step.live is None else lanes & step.live
            if step.array:
                note_taken(step, mine, taken, chosen)
            elif is_work:
                operations += count_step(step, mine)
            onward = wanted if is_work and not step.array else addressed
            for source, back in step.inputs:
                before = fill(back(mine), (number, *trace.steps[source].shape))
                onward[source] = before | onward[source] if source in onward else before
    unique = [
        {a: sort_distinct(np.concatenate([p.reshape(-1) for p in parts])) for a, parts in t.items()} for t in taken
    ]
    return Answer(unique, chosen, operations)
