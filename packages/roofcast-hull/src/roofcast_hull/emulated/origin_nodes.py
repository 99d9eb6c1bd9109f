"""Names of values that are followed: which instruction made each, and of which others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BASE = 1 << 40
"""Numbers from here on are names of nodes."""

Ints = NDArray[np.int64]


@dataclass(slots=True)
class Chunk:
    """Nodes that one instruction made, one for each lane, or one for all."""

    start: int
    count: int
    left: Any = None
    """Nodes that they join: one, or one of each; None of a loaded element."""
    right: Any = None
    each: float = 0.0
    """Operations of a node in one lane."""
    times: int = 1
    """Lanes that do them: of one node for all lanes those that run."""
    orders: bool = False
    """Whether it compares values, or takes one of them."""
    code: int = 0
    """Stands for the operation and numbers that are no data; negative where those differ between threads."""
    word: str = ""
    """What joins them, where the order does not matter, or :data:`PLACE`."""
    counts: bool = False
    """Whether it is a sum, product or quotient of whole numbers, as indices are."""
    real: bool = False
    """Whether it is a real number: whole numbers that are made of one are rounded."""
    begins: bool = False
    """Whether it is the first term of a sum, or the first of which the largest is taken."""
    scales: bool = False
    """Whether it is one of them, times or over a number that is no data."""
    array: str = ""
    """Of loaded elements: where from, and which."""
    elements: Any = None
    site: int = 0
    """The place in the code that loads them."""
    chosen: bool = False
    """Whether data say which."""
    origin: Any = None
    """What says which: one node, or one of each."""
    places: Any = None
    """Where data say which: numbers that are equal for equal elements that were chosen by equal data alone."""
    known: Any = None
    """(lanes,) the number of each thread that it is joined with."""
    ranges: tuple[tuple[Any, int], ...] = ()
    """Of loaded elements that one stands for: how far apart the others lie, and how many there are."""
    turns: int = 1
    """Of loops for which the one runs that made them."""
    whole: bool = False
    """Whether each element is a structure, of which any part may be loaded."""
    inside: Any = 0
    """B of that part from where the structure begins."""

    def find_operands(self, nodes: Ints) -> tuple[Ints, Ints] | None:
        """What some nodes join, 0 for numbers that are no data; None where another instruction made one of them."""
        inside = nodes - self.start
        if self.left is None or (inside < 0).any() or (inside >= self.count).any():
            return None
        left, right = (
            p[inside] if isinstance(p, np.ndarray) else np.full(len(nodes), p or 0) for p in (self.left, self.right)
        )
        return left, right
