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
    windows: tuple[tuple[str, int], ...] = ()
    """Arrays of whose tiles a unit reads a border that its neighbours read too, with the elements of both."""


MEMBERS = "xyzw"
"""Members of a short vector."""


def join_members(found: Found) -> Found:
    """A class that moves short vectors and computes nothing, with each of them as one element.

    Where all members go the same way, ``out[k] = in[i]`` of ``float4`` is one array in and one out.
    """
    sides = found.found.inputs, found.found.outputs
    if found.operations or found.no_class or len(found.arrays) != sum(map(len, sides)) or not found.bytes_each:
        return found
    named = list(zip(found.arrays, (*sides[0], *sides[1]), found.bytes_each, strict=True))
    joined: list[list[tuple[str, Part, int]]] = []
    for side in (named[: len(sides[0])], named[len(sides[0]) :]):
        by_base: dict[str, list[tuple[str, Part, int]]] = {}
        for array, part, size in side:
            base, _, member = array.rpartition(".")
            by_base.setdefault(base, []).append((member, part, size))
        for members in by_base.values():
            words = "".join(m for m, *_ in members)
            if len(words) < 2 or words != MEMBERS[: len(words)] or any(p != members[0][1] for _, p, _ in members):
                return found
        joined.append([(b, m[0][1], sum(size for *_, size in m)) for b, m in by_base.items()])
    inputs, outputs = (tuple(p for _, p, _ in side) for side in joined)
    both = [*joined[0], *joined[1]]
    mean = sum(p.elements * size for _, p, size in both) / sum(p.elements for _, p, _ in both)
    return replace(
        found, name=", ".join(b for b, *_ in joined[1]), found=AlgorithmClass(inputs, outputs), element_bytes=mean,
        arrays=tuple(b for b, *_ in both), bytes_each=tuple(size for *_, size in both),
    )  # fmt: skip


def count_inside(found: AlgorithmClass) -> float:
    """Share of the elements whose neighbourhoods lie inside of their arrays."""
    shares = [
        math.prod(max(0, s - e + 1) / s for s, e in zip(p.sizes[::-1], p.extent[::-1], strict=False))
        for p in found.inputs if p.pattern is Pattern.NEIGHBOURHOOD
    ]  # fmt: skip
    return min(shares, default=1.0)
