"""Arguments of a call in a Triton kernel, read where its function needs them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.python_syntax import is_none, name_called
from roofcast_hull.source.triton_nodes import (
    Node,
)


@dataclass(frozen=True, slots=True)
class Arguments:
    """Those of one call, by their places and names."""

    call: ast.Call
    read: Callable[[ast.expr], Node]
    """What an expression is."""

    @property
    def line(self) -> int:
        """Of the call."""
        return self.call.lineno

    def find_written(self, place: int | None, name: str = "") -> ast.expr | None:
        """An argument as it is written; None where it is not given."""
        if place is not None and place < len(self.call.args):
            return self.call.args[place]
        return next((k.value for k in self.call.keywords if name and k.arg == name), None)

    def find(self, place: int | None, name: str = "") -> Node | None:
        """The value of an argument; None where it is not given, or none."""
        written = self.find_written(place, name)
        return None if written is None or is_none(written) else self.read(written)

    def take(self, place: int, name: str = "") -> Node:
        """The value of an argument that must be given.

        Raises
        ------
        SourceError : it is not.
        """
        written = self.find_written(place, name)
        if written is None:
            raise refuse(self.line, f"the call of '{one_line(name_called(self.call), 40)}' lacks an argument")
        return self.read(written)

    def values(self) -> list[Node]:
        """All that are given by their places."""
        return [self.read(a) for a in self.call.args]

    def items(self, place: int | None, name: str = "") -> tuple[Node, ...]:
        """The values of a tuple, or of a number as one of one."""
        written = self.find_written(place, name)
        return () if written is None else tuple(self.read(e) for e in getattr(written, "elts", [written]))

    def numbers(self, name: str) -> list[int]:
        """Whole numbers of a tuple; none where it is not given."""
        return [int(v.number or 0) for v in self.items(None, name)]

    def shape(self, place: int, name: str = "") -> tuple[int, ...]:
        """``(BLOCK_M, BLOCK_N)``.

        Raises
        ------
        SourceError : it is not known.
        """
        sizes = [v.number for v in self.items(place, name)]
        if not all(sizes):
            raise refuse(self.line, "a tensor's shape is no number")
        return tuple(int(s or 0) for s in sizes)

    def axis(self) -> int | None:
        """The dimension that a sum goes over; None for all."""
        axis = self.find(1, "axis")
        return None if axis is None else int(axis.number or 0)
