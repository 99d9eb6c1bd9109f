"""One class in a source: what it is of, and how it was checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from roofcast_hull.notation import AlgorithmClass, Part, Pattern


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
    element: str | None = None
    """Element type that the source declares."""
    element_bytes: float | None = None
    """Bytes of an element in the mean over the arrays, where the source declares types of different size."""
    notes: tuple[str, ...] = ()
    checked: str = ""
    """What the check by execution says: at how many sizes it ran, or why it did not."""
    checked_at: tuple[Mapping[str, int], ...] = ()
    """Sizes at which it ran and agreed; of a launch, how many blocks followed from them."""
    function: str = ""
    """Function that it is of, where all of a file are listed."""
    no_class: str = ""
    """Why no class fits: :attr:`found` then stands for counted bytes and operations (:mod:`.counted`)."""
    arrays: tuple[str, ...] = ()
    """Names of the arrays of the class, inputs first; empty where they are not known."""
    bytes_each: tuple[int, ...] = ()
    """Bytes of an element of each of them."""
    apart: AlgorithmClass | None = None
    """The class with each member of structures as an array of its own, where :attr:`found` has them together."""
    windows: tuple[tuple[str, int], ...] = ()
    """Arrays of whose tiles a unit reads a border that its neighbours read too, with the elements of both."""


STAGES = (2, 4, 8, 16)
"""Elements of one unit of a stage of an order or a transform."""
MEMBERS = "xyzw"
"""Members of a short vector."""


def join_members(found: Found, structures: Mapping[str, int]) -> Found:
    """A class that moves short vectors or structures, with each of them as one element.

    Where the members of one go the same way, ``out[k] = f(in[i])`` of ``float4`` is one array in and one out. Of
    vectors all members are read, used or not: they share a sector; written are those that the code names.

    structures : arrays of structures, with the members of those of short vectors (0 for others).
    """
    sides = found.found.inputs, found.found.outputs
    if not structures or found.no_class or len(found.arrays) != sum(map(len, sides)) or not found.bytes_each:
        return found
    named = list(zip(found.arrays, (*sides[0], *sides[1]), found.bytes_each, strict=True))
    joined: list[list[tuple[str, Part, int]]] = []
    for reads in (True, False):
        by_base: dict[tuple[str, Part], list[tuple[str, Part, int]]] = {}
        for array, part, size in named[: len(sides[0])] if reads else named[len(sides[0]) :]:
            base, _, _ = array.partition(".")
            by_base.setdefault((base if base in structures else array, part), []).append((array, part, size))
        all_names: dict[str, set[str]] = {}
        for (base, _), members in by_base.items():
            all_names.setdefault(base, set()).update(m for m, *_ in members)
        joined.append([])
        for (base, part), members in by_base.items():
            names = {m for m, *_ in members}
            whole = any({m for m, *_ in v} == all_names[base] for (b, _), v in by_base.items() if b == base)
            alike = base not in names and (structures[base] or whole)
            if not alike or len(names) < len(members) or part.pattern is Pattern.SHARED:
                joined[-1] += members
                continue
            size = sum(size for *_, size in members)
            if reads and len(members) < structures[base]:
                size = size // len(members) * structures[base]
            joined[-1].append((base, part, size))
    if [a for side in joined for a, *_ in side] == list(found.arrays):
        return found
    inputs, outputs = (tuple(p for _, p, _ in side) for side in joined)
    both = [*joined[0], *joined[1]]
    moved: dict[tuple[bool, str], int] = {}
    for at, (base, part, size) in enumerate(both):
        key = (at < len(inputs), base)
        moved[key] = max(moved.get(key, 0), part.elements * size)
    mean = sum(moved.values()) / sum(p.elements for _, p, _ in both)
    return replace(
        found, name=", ".join(b for b, *_ in joined[1]), found=AlgorithmClass(inputs, outputs), element_bytes=mean,
        arrays=tuple(b for b, *_ in both), bytes_each=tuple(size for *_, size in both), apart=found.found,
    )  # fmt: skip


def join_stage(found: Found) -> Found:
    """A stage of an order or a transform: units that mix 2 to 16 elements, a power of two apart, as ``N|tile(2)``."""
    parts = (*found.found.inputs, *found.found.outputs)
    part = parts[0]
    apart = (
        part.pattern is Pattern.TILE
        and len(part.sizes) == len(part.extent) == 2
        and part.extent[1] == 1 < part.sizes[1]
    )
    if not apart or any(p != part for p in parts) or part.extent[0] not in STAGES or part.sizes[0] <= part.extent[0]:
        return found
    if any(s & (s - 1) for s in part.sizes):
        return found
    flat = Part((part.elements,), Pattern.TILE, (part.extent[0],))
    joined = AlgorithmClass(tuple(flat for _ in found.found.inputs), tuple(flat for _ in found.found.outputs))
    return replace(found, found=joined)


def count_inside(found: AlgorithmClass) -> float:
    """Share of the elements whose neighbourhoods lie inside of their arrays."""
    shares = [
        math.prod(max(0, s - e + 1) / s for s, e in zip(p.sizes[::-1], p.extent[::-1], strict=False))
        for p in found.inputs if p.pattern is Pattern.NEIGHBOURHOOD
    ]  # fmt: skip
    return min(shares, default=1.0)
