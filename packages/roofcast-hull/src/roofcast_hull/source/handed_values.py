"""Scalars that hand on an element from turn to turn, ``behind = current; current = front;``: elements all the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from roofcast_hull.source.c_statements import read_copy
from roofcast_hull.source.c_tree import (
    uncast,
)  # fmt: skip
from roofcast_hull.source.nest import Access, Affine, Loop, refuse


class HandedValues:
    """Follows scalars that turns of a loop hand on."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.builder, self.ast, self.line = reader.builder, reader.ast, reader.line

    def find_queues(self, body: Any) -> dict[str, tuple[str, int]]:
        """Scalars that hand on an element from turn to turn: ``behind = current; current = front;`` ends a body.

        For each which scalar takes the element, and how many turns ago.
        """
        items = list(getattr(body, "block_items", None) or ())
        loads = {
            str(i.name) for i in items
            if type(i).__name__ == "Decl" and type(uncast(i.init)).__name__ in ("ArrayRef", "UnaryOp")
        }  # fmt: skip
        loads |= {
            str(i.lvalue.name) for i in items
            if type(i).__name__ == "Assignment" and i.op == "=" and type(i.lvalue).__name__ == "ID"
            and type(uncast(i.rvalue)).__name__ in ("ArrayRef", "UnaryOp")
        }  # fmt: skip
        copies: list[tuple[str, str]] = []
        while items and (pair := read_copy(items[-1])) is not None and type(items[-1]).__name__ == "Assignment":
            copies.insert(0, pair)
            items.pop()
        sources: dict[str, tuple[str, int]] = {}
        for target, source in reversed(copies):
            if source in loads:
                sources[target] = source, 1
            elif source in sources:
                sources[target] = sources[source][0], sources[source][1] + 1
            else:
                return {}
        ordered = all(s not in [t for t, _ in copies[:n]] for n, (_, s) in enumerate(copies))
        return sources if ordered else {}

    def visit_queue(self, body: Any, queues: Mapping[str, tuple[str, int]], loop: Loop) -> None:
        """A body in which scalars hold what turns before have read: those elements in place of them.

        Raises
        ------
        SourceError : what a scalar holds at first is another element than its turn before would have read.
        """
        statements, outer = self.builder.routine.statements, dict(self.reader.queues)
        first = {s.target.array: s for s in statements if s.target.array in queues and not s.target.indices}
        self.reader.queues |= {name: (source, ago * loop.step, loop) for name, (source, ago) in queues.items()}
        for item in list(body.block_items)[: -len(queues)]:
            self.reader.visit(item)
        for name, start in first.items():
            wanted = self.find_handed(name, self.line(body))
            begins = wanted and tuple(i.replaced(loop.name, loop.first[0]) for i in wanted.indices)
            if len(start.reads) != 1 or wanted is None or start.reads[0].indices != begins:
                raise refuse(start.line, f"'{name}' is handed on from turn to turn of the loop in line {loop.line}")
            statements.remove(start)
        self.reader.queues = outer

    def find_handed(self, name: str, line: int) -> Access | None:
        """The element that a scalar holds which turns of a loop hand on; None for other scalars."""
        if name not in self.reader.queues:
            return None
        source, ago, loop = self.reader.queues[name]
        taken = [s for s in self.builder.routine.statements if s.target.array == source and not s.target.indices]
        if not taken or len(taken[-1].reads) != 1 or taken[-1].operations:
            return None
        read = taken[-1].reads[0]
        before = Affine.of({loop.name: 1}, ago if loop.descends else -ago)
        element: Access | None = replace(
            read, indices=tuple(i.replaced(loop.name, before) for i in read.indices), line=line
        )
        return element
