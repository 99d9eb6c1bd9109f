"""Pointers of C: which array a name stands for, from which element on, and how far each turn of a loop moves it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from roofcast_hull.source.builder import Builder
from roofcast_hull.source.c_statements import find_steps, read_step
from roofcast_hull.source.nest import Affine, Loop, SourceError


class Known:
    """An index whose value is known where it stands, as a node of the tree."""

    __slots__ = ("coord", "value")
    attr_names = ()

    def __init__(self, value: Affine, coord: Any = None) -> None:
        self.value, self.coord = value, coord

    def children(self) -> tuple[()]:
        """None: it is a leaf."""
        return ()


@dataclass(frozen=True, slots=True)
class Place:
    """An element of an array: where a pointer points."""

    array: str
    indices: tuple[Affine, ...]

    def moved(self, by: Affine) -> Place:
        """Elements further on."""
        return Place(self.array, (*self.indices[:-1], self.indices[-1] + by))


class Pointers:
    """The pointers of one function that stand inside arrays of others."""

    def __init__(self, builder: Builder, affine: Callable[[Any], Affine], ast: Any) -> None:
        self.builder, self.affine, self.ast = builder, affine, ast
        self.places: dict[str, Place] = {}

    def rank(self, array: str) -> int:
        """Dimensions of an array; 1 where nothing declares them."""
        return max(1, len(self.builder.routine.shapes.get(array, ())))

    def is_pointer(self, name: str) -> bool:
        """Whether a name is one of a place, or of an array that the function is given."""
        return name in self.places or bool(self.builder.routine.shapes.get(name))

    def resolve(self, name: str, indices: list[Any], line: Any) -> tuple[str, list[Any]]:
        """Array and indices of what a name with indices stands for."""
        place = self.places.get(name)
        if place is None:
            return name, indices
        inside = [Known(i, line) for i in place.indices]
        if indices and inside and len(inside) + len(indices) > self.rank(place.array):
            first = self.ast.BinaryOp("+", inside[-1], indices[0], getattr(indices[0], "coord", None))
            return place.array, [*inside[:-1], first, *indices[1:]]
        return place.array, [*inside, *indices]

    def point(self, name: str, array: str, indices: list[Any]) -> None:
        """Let a name stand for an element.

        Raises
        ------
        SourceError : data says which.
        """
        place = tuple(self.affine(i) for i in indices)
        if not place and self.rank(array) == 1:
            place = (Affine(),)
        self.places[name] = Place(array, place)

    def move(self, name: str, by: Affine) -> bool:
        """Move a pointer or an integer whose value is known; whether it was one."""
        if name in self.builder.scope:
            self.builder.scope[name] = self.builder.scope[name] + by
            return True
        if name in self.places or self.is_pointer(name):
            self.places[name] = self.places.get(name, Place(name, (Affine(),))).moved(by)
            return True
        return False

    def find_moves(self, body: Any) -> dict[str, Affine]:
        """How far one turn of a loop moves each name that it moves once, by a constant, whatever the data.

        Inner loops move by what one turn of theirs does, times their turns.
        """
        items = list(body.block_items or ()) if type(body).__name__ == "Compound" else [body]
        everything = find_steps(body, self.ast)
        moves: dict[str, Affine] = {}
        for item in items:
            if type(item).__name__ == "For" and (turns := self.count_turns(item)):
                inside = self.find_moves(item.stmt).items()
                moves |= {n: by.times(turns) for n, by in inside if everything[n] == 1}
                continue
            step = read_step(item, self.ast)
            if step is None or everything[step[0]] != 1:
                continue
            known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
            try:
                by = self.affine(step[1])
            except SourceError:
                self.builder.routine.assumed, self.builder.sizes = known
                continue
            if not by.variables:
                moves[step[0]] = by
        return moves

    def count_turns(self, node: Any) -> int:
        """Turns of ``for (i = a; i < b; i++)`` between two numbers; 0 for other loops."""
        declared = node.init.decls[0] if type(node.init).__name__ == "DeclList" and len(node.init.decls) == 1 else None
        start = declared.init if declared is not None else getattr(node.init, "rvalue", None)
        step = read_step(node.next, self.ast) if node.next is not None else None
        if start is None or step is None or type(node.cond).__name__ != "BinaryOp" or node.cond.op not in ("<", "<="):
            return 0
        known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        try:
            first, last, by = (self.affine(n) for n in (start, node.cond.right, step[1]))
        except SourceError:
            self.builder.routine.assumed, self.builder.sizes = known
            return 0
        if self.builder.routine.assumed != known[0]:
            # Bounds are counters that are not open yet.
            self.builder.routine.assumed, self.builder.sizes = known
            return 0
        if getattr(node.cond.left, "name", "") != step[0] or by != Affine((), 1) or (last - first).variables:
            return 0
        turns: int = (last - first).constant + int(node.cond.op == "<=")
        return max(0, turns)

    def enter(self, moves: dict[str, Affine], loop: Loop) -> dict[str, tuple[Affine, Affine]]:
        """Let names that a loop moves stand where they are in each of its turns; where they were before, and the step.

        Only names that are pointers, or integers with a known value.
        """
        before: dict[str, tuple[Affine, Affine]] = {}
        starts = loop.last if loop.descends else loop.first
        if len(starts) != 1:
            return {}
        turn = Affine.of({loop.name: -1 if loop.descends else 1}) - starts[0].times(-1 if loop.descends else 1)
        for name, by in moves.items():
            known = name in self.builder.scope or self.is_pointer(name)
            if not known or by.constant % loop.step:
                continue
            distance = turn.times(by.constant // loop.step)
            before[name] = (distance, by)
            self.move(name, distance)
        return before

    def leave(self, before: dict[str, tuple[Affine, Affine]], loop: Loop) -> None:
        """Let names stand where a loop leaves them; those of which that is not known are forgotten."""
        for name, (distance, by) in before.items():
            self.move(name, distance.times(-1) - by)
            if len(loop.first) == len(loop.last) == 1 and loop.step == 1:
                turns = loop.last[0] - loop.first[0] + Affine((), 1)
                self.move(name, turns.times(by.constant))
            elif name in self.builder.scope:
                del self.builder.scope[name]
