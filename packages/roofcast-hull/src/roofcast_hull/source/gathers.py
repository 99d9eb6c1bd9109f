"""Elements that data choose: whole rows, single elements, and what has read the choosing value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from roofcast_hull.source.c_tree import (
    find_terms,
)  # fmt: skip
from roofcast_hull.source.nest import Access, Affine, SourceError


class Gathers:
    """Reads elements of which data give the place."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.builder, self.ast, self.line = reader.builder, reader.ast, reader.line

    def count_linear(self, node: Any) -> int:
        """Operations of an index that only spell several dimensions as one: none where ``a[i * n + j]`` is ``a[i][j]``.

        The next place, ``i + 1``, is an operation in either spelling.
        """
        if type(node).__name__ == "BinaryOp" and node.op == "%":
            # A dimension of its own that turns around.
            turned = self.reader.value(node)
            return 0 if turned.reads else int(turned.operations)
        if type(node).__name__ != "BinaryOp" or node.op not in ("+", "*"):
            return 0
        assumed = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        for known, other in ((node.left, node.right), (node.right, node.left)):
            try:
                value = self.reader.affine(known)
            except SourceError:
                self.builder.routine.assumed, self.builder.sizes = assumed
                continue
            return self.count_linear(other) + int(bool(value.variables) or node.op == "*" or not value.constant)
        return sum(map(self.count_linear, (node.left, node.right))) + int(node.op == "+")

    def find_row(self, array: str, indices: Sequence[Any]) -> int:
        """Elements of the row that data chooses: ``v[id][k]`` with the sizes of ``v``, ``x[id * d + k]`` with d.

        1 where an index is of data alone, or counters reach beyond a row.
        """
        sizes = self.builder.routine.shapes.get(array, ())[1:]
        if len(indices) > 1:
            return math.prod(sizes) if len(sizes) == len(indices) - 1 and all(s > 0 for s in sizes) else 1
        width, beside = 1, Affine()
        for term, plus in find_terms(indices[0], ("+", "-"), True):
            known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
            try:
                beside = beside + self.reader.affine(term).times(1 if plus else -1)
                continue
            except SourceError:
                self.builder.routine.assumed, self.builder.sizes = known
            factors = (term.left, term.right) if type(term).__name__ == "BinaryOp" and term.op == "*" else ()
            for factor in factors:
                try:
                    value = self.reader.affine(factor)
                except SourceError:
                    self.builder.routine.assumed, self.builder.sizes = known
                    continue
                width = max(width, value.constant if not value.variables else 1)
        low, high = self.builder.range_of(beside)
        return width if low >= 0 and 0 < high < width else 1

    def is_loaded(self, name: str, *, plainly: bool = False) -> bool:
        """Whether a scalar keeps what its declaration reads from an array, plainly or computed: ``int id = ids[row]``.

        One that changes later may follow a chain, ``p = next[p]``, whose waits no amount of bytes tells.

        plainly : whether it is to be the element itself, or a place that a real number is rounded to: what whole
        numbers compute, ``(x + cx[k] + n) % n`` with a table of steps, may be no choice of data.
        """
        if name in self.builder.changed:
            return False
        values = [s for s in self.builder.routine.statements if s.target.array == name and not s.target.indices]
        taken = [s for s in values if any(r.indices or r.scattered for r in s.reads)]
        if any(not (plainly and (s.operations or len(s.reads) > 1)) for s in taken):
            return True
        return any(self.is_real(r.array, frozenset([name])) for s in values for r in s.reads if not r.indices)

    def is_real(self, name: str, past: frozenset[str]) -> bool:
        """Whether a scalar follows from a real number that is given, or follows from an element of an array."""
        if name in past or name in self.builder.changed:
            return False
        real = self.builder.routine.types.get(name, "").startswith(("fp", "bf"))
        values = [s for s in self.builder.routine.statements if s.target.array == name and not s.target.indices]
        reads = [r for s in values for r in s.reads]
        if real and (not values or any(r.indices or r.scattered for r in reads)):
            return True
        return any(self.is_real(r.array, past | {name}) for r in reads if not r.indices and not r.scattered)

    def follows_data(self, read: Access, past: frozenset[str] = frozenset()) -> bool:
        """Whether what is read depends on an element of an array, or on the turns before, by way of scalars too."""
        if read.indices or read.scattered or read.array in self.builder.changed:
            return True
        values = [s for s in self.builder.routine.statements if s.target.array == read.array and not s.target.indices]
        past |= {read.array}
        return any(self.follows_data(r, past) for s in values for r in s.reads if r.array not in past)
