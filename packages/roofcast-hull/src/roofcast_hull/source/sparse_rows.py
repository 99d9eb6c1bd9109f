"""Loops over rows of sparse matrices, ``for (j = ptr[i]; j < ptr[i + 1]; j++)``: as long as rows are in the mean."""

from __future__ import annotations

import math
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.builder import (
    Condition,
    Value,
)  # fmt: skip
from roofcast_hull.source.c_statements import read_step
from roofcast_hull.source.c_tree import (
    find_indexed,
    uncast,
)  # fmt: skip
from roofcast_hull.source.found_class import LONGER
from roofcast_hull.source.nest import Access, Affine, SourceError, find_extreme, refuse


class SparseRows:
    """Reads loops whose bounds are elements of an array."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.builder, self.ast, self.line = reader.builder, reader.ast, reader.line

    def find_bound(self, node: Any) -> Access | None:
        """The element that a bound of a loop is, or that the scalar of its name was given; None for others."""
        node = uncast(node)
        if type(node).__name__ == "ID":
            taken = [s for s in self.builder.routine.statements if s.target.array == node.name and not s.target.indices]
            plain = taken and len(taken[-1].reads) == 1 and not taken[-1].operations
            return taken[-1].reads[0] if plain and str(node.name) in self.builder.assigned else None
        if type(node).__name__ != "ArrayRef":
            return None
        try:
            value = self.reader.value(node)
        except SourceError:
            return None
        return value.reads[0] if len(value.reads) == 1 and not value.reads[0].scattered else None

    def find_sparse_row(self, node: Any) -> tuple[str, Access, Access] | None:
        """Counter and bounds of ``for (j = ptr[i]; j < ptr[i + 1]; j++)``, a sparse row; None for others."""
        declared = node.init.decls[0] if type(node.init).__name__ == "DeclList" and len(node.init.decls) == 1 else None
        start = declared.init if declared is not None else getattr(node.init, "rvalue", None)
        name = str(declared.name if declared is not None else getattr(getattr(node.init, "lvalue", None), "name", ""))
        step = read_step(node.next, self.ast) if node.next is not None else None
        compared = type(node.cond).__name__ == "BinaryOp" and node.cond.op == "<"
        ends = compared and getattr(node.cond.left, "name", "") == name
        if start is None or not ends or step is None or getattr(step[1], "value", "") != "1":
            return None
        first, last = self.find_bound(start), self.find_bound(node.cond.right)
        if first is None or last is None or first.array != last.array or len(first.indices) != 1:
            return None
        neighbours = len(last.indices) == 1 and last.indices[0] - first.indices[0] == Affine((), 1)
        return (name, first, last) if neighbours and first.indices[0].variables else None

    def visit_sparse_row(self, node: Any, name: str, first: Access, last: Access) -> None:
        """A loop over a row of a sparse matrix: as many turns as rows have elements in the mean, by their arrays' size.

        Raises
        ------
        SourceError : nothing says how large an array of elements is.
        """
        line, routine = self.line(node), self.builder.routine
        loops = self.builder.restrict_loops()[0]
        low, high = (find_extreme(first.indices[0], loops, largest).constant for largest in (False, True))
        rows = max(1, high - low + 1)
        held = [self.find_held(a) for a in sorted(find_indexed(node.stmt, name))]
        known = [n for n in held if n]
        if not known:
            array = one_line(min(find_indexed(node.stmt, name), default=first.array), 40)
            why = f"the rows of '{first.array}' are as long as data says, whose size nothing states"
            raise refuse(line, f"{why}: give --size {array}=N")
        mean = max(1, round(min(known) / rows))
        routine.unchecked = "how long rows are comes from data"
        note = f"line {line}: rows of {mean} elements in the mean ({min(known)} in {rows} rows); {LONGER}"
        routine.notes = tuple(dict.fromkeys((*routine.notes, note)))
        before = self.builder.scope.get(name)
        with (
            self.builder.under(Condition(Value(0, [first, last]))),
            self.builder.loop(name, (Affine(),), (Affine((), mean - 1),), 1, line, False),
        ):
            self.builder.scope[name] = self.builder.scope[name] + (first.indices[0] - Affine((), low)).times(mean)
            self.reader.visit(node.stmt)
        self.builder.restore(name, before)

    def find_held(self, array: str) -> int:
        """Elements of an array, as it is allocated, declared or given; 0 where nothing says it."""
        routine = self.builder.routine
        shape = routine.shapes.get(array, ())
        declared = math.prod(shape) if shape and all(s > 0 for s in shape) else 0
        return self.builder.sizes.get(array, 0) or routine.count_allocated(array) or declared
