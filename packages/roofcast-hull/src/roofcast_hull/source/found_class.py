"""One class in a source: what it is of, and how it was checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from roofcast_hull.notation import AlgorithmClass, Pattern


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


def count_inside(found: AlgorithmClass) -> float:
    """Share of the elements whose neighbourhoods lie inside of their arrays."""
    shares = [
        math.prod(max(0, s - e + 1) / s for s, e in zip(p.sizes[::-1], p.extent[::-1], strict=False))
        for p in found.inputs if p.pattern is Pattern.NEIGHBOURHOOD
    ]  # fmt: skip
    return min(shares, default=1.0)
