"""Indices of C that are affine but for a border, or spelled otherwise: clamps, members of structures."""

from __future__ import annotations

from typing import Any

from roofcast_hull.source.builder import (
    compare,
)  # fmt: skip
from roofcast_hull.source.c_tree import (
    called,
    describe,
)  # fmt: skip
from roofcast_hull.source.c_words import BORDER, BORDER_SHARE
from roofcast_hull.source.nest import Affine, SourceError, refuse


class Indices:
    """Reads indices that are not plainly affine."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.builder, self.ast, self.line = reader.builder, reader.ast, reader.line

    def absolute(self, node: Any, line: int) -> Affine:
        """An absolute value of an expression of counters that never changes its sign."""
        value = self.reader.affine(node)
        low, high = self.builder.range_of(value)
        if low < 0 < high:
            raise refuse(line, "an absolute value of loop variables is not affine")
        index: Affine = value if low >= 0 else value.times(-1)
        return index

    def replaced(self, node: Any) -> Affine:
        """What a small function returns, or a member of a structure that is a size."""
        if called(node) in self.reader.functions:
            returned: Affine = self.reader.affine(self.reader.inliner.replace_call(node))
            return returned
        if type(node).__name__ == "StructRef" and (name := self.find_member(node)):
            size: Affine = self.builder.size(name, self.line(node))
            return size
        raise refuse(self.line(node), f"{describe(node)} in an index or bound is not affine")

    def find_member(self, node: Any) -> str:
        """A member of a structure that is a size, ``m->stride``, by its whole name or its last; '' for others."""
        path = [str(node.field.name)]
        inside = node.name
        while type(inside).__name__ == "StructRef":
            path.insert(0, str(inside.field.name))
            inside = inside.name
        name = ".".join([str(getattr(inside, "name", "")), *path])
        kind = self.builder.routine.types.get(name, "")
        shape = self.builder.routine.shapes.get(name, ())
        if type(inside).__name__ != "ID" or not kind.startswith("int") or any(s != -1 for s in shape):
            return ""
        if name in self.reader.written_members:
            return ""
        return name if name in self.builder.sizes else path[-1]

    def find_usual(self, node: Any) -> Any:
        """The branch of ``c ? a : b`` that all but a border of the counters take; None where neither is that."""
        condition = node.cond
        if type(condition).__name__ != "BinaryOp":
            return None
        op, usual, rare = condition.op, node.iftrue, node.iffalse
        if op in ("==", "!="):
            op, usual, rare = ("==", rare, usual) if op == "==" else ("==", usual, rare)
        try:
            gap = self.reader.affine(condition.right) - self.reader.affine(condition.left)
        except SourceError:
            return None
        if not gap.variables:
            return None
        low, high = self.builder.range_of(gap)
        border = max(BORDER, BORDER_SHARE * (high - low + 1))
        if op == "==":
            return usual if high - low + 1 > 2 * BORDER else None
        above = compare(op, self.reader.affine(condition.left), self.reader.affine(condition.right))
        if not above:
            return None
        low, high = self.builder.range_of(above[0])
        if -low <= border < high:
            return usual
        return rare if high < border <= -low else None

    def clamp(self, nodes: Any, node: Any) -> Affine:
        """An index kept inside an array, ``i > 0 ? i - 1 : 0``: the neighbours are those of the inside."""
        choices = [self.reader.affine(n) for n in nodes]
        moving = [f for f in choices if f.variables]
        if len(moving) != 1:
            raise refuse(self.line(node), f"{describe(node)} in an index or bound is not affine")
        index: Affine = moving[0]
        return index
