"""Counters of loops in C: first values, steps, last values, what they are divided by."""

from __future__ import annotations

import copy
from typing import Any

from roofcast_hull.source.c_tree import (
    are_alike,
    called,
    find_names,
    read_absolute,
)  # fmt: skip
from roofcast_hull.source.c_words import OF_THREADS
from roofcast_hull.source.nest import Affine, SourceError, refuse


class Ranges:
    """Reads the headers of loops."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.builder, self.ast, self.line = reader.builder, reader.ast, reader.line

    def find_divisors(self, node: Any, name: str) -> list[int]:
        """Numbers that a counter is divided by in indices."""
        if node is None:
            return []
        kind = type(node).__name__
        divisors = (
            [] if kind != "If" else self.find_divisors(node.iftrue, name) + self.find_divisors(node.iffalse, name)
        )
        if kind == "If":
            return divisors
        divided = find_names(node.left) if kind == "BinaryOp" and node.op in ("/", "%", ">>") else set[str]()
        if divided == {name} or (name in divided and name.startswith(OF_THREADS)):
            try:
                by = self.reader.affine(node.right)
            except SourceError:
                by = Affine()
            if not by.variables and 0 < by.constant < 1 << 20:
                by_number = by.constant if node.op != ">>" else 1 << min(by.constant, 20)
                # What is left of a quotient is divided where the quotient is: `i / 64 % 128` is divided by 8192.
                quotient = type(node.left).__name__ == "BinaryOp" and node.left.op in ("/", ">>")
                inside = self.find_divisors(node.left, name) if quotient else []
                divisors.append(by_number * (inside[0] if inside else 1))
        for _, child in node.children():
            divisors += self.find_divisors(child, name)
        return [f for f in divisors if f > 1]

    def start(self, node: Any, line: int) -> tuple[str, tuple[Affine, ...]]:
        """Counter and first value (the largest of several)."""
        if isinstance(node, self.ast.DeclList) and len(node.decls) == 1 and node.decls[0].init is not None:
            return node.decls[0].name, self.extremes(node.decls[0].init, "max")
        if isinstance(node, self.ast.Assignment) and node.op == "=" and isinstance(node.lvalue, self.ast.ID):
            return node.lvalue.name, self.extremes(node.rvalue, "max")
        raise refuse(line, "the loop does not start with one counter, as in for (i = 0; ...")

    def step(self, node: Any, name: str, line: int) -> int:
        """Distance between iterations."""
        kind = type(node).__name__
        if kind == "UnaryOp" and getattr(node.expr, "name", "") == name and node.op.strip("p") in ("++", "--"):
            return 1 if "+" in node.op else -1
        if kind == "Assignment" and getattr(node.lvalue, "name", "") == name:
            change = Affine()
            if node.op in ("+=", "-="):
                change = self.reader.affine(node.rvalue)
            elif node.op == "=":
                before = self.builder.scope.get(name)
                self.builder.scope[name] = Affine.of({"@": 1})
                try:
                    change = self.reader.affine(node.rvalue) - Affine.of({"@": 1})
                finally:
                    self.builder.restore(name, before)
            if not change.variables and change.constant:
                return -change.constant if node.op == "-=" else change.constant
        raise refuse(line, f"the counter '{name}' does not move by a constant step")

    def bounds(self, node: Any, name: str, ascends: bool, line: int) -> tuple[Affine, ...]:
        """Last values of the counter, inclusive."""
        if isinstance(node, self.ast.BinaryOp) and node.op == "&&":
            return (*self.bounds(node.left, name, ascends, line), *self.bounds(node.right, name, ascends, line))
        if isinstance(node, self.ast.BinaryOp):
            op, left, right = node.op, node.left, node.right
            if getattr(right, "name", "") == name:
                op, left, right = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op), right, left
            if type(left).__name__ == "BinaryOp" and left.op in ("+", "-") and getattr(left.left, "name", "") == name:
                # `i + 1 < n` is `i < n - 1`.
                left, right = left.left, self.ast.BinaryOp("-+"[left.op == "-"], right, left.right, left.coord)
            if getattr(left, "name", "") == name and op in (("<", "<=", "!=") if ascends else (">", ">=", "!=")):
                strict = op in ("<", ">", "!=")
                shift = Affine((), (-1 if ascends else 1) * strict)
                return tuple(b + shift for b in self.extremes(right, "min" if ascends else "max"))
        raise refuse(line, f"the loop over '{name}' does not end at an affine bound")

    def counted_down(self, node: Any) -> Any:
        """``for (i = n; i-- > 0;)``, as unsigned counters are counted down, with its step where others have it."""
        cond = node.cond
        left: Any = cond.left if type(cond).__name__ == "BinaryOp" and cond.op in (">", "!=") else None
        if node.next is not None or type(left).__name__ != "UnaryOp" or left.op != "p--":
            return node
        unit = self.ast.Constant("int", "1", node.coord)
        init = copy.deepcopy(node.init)
        if isinstance(init, self.ast.DeclList) and len(init.decls) == 1 and init.decls[0].init is not None:
            init.decls[0].init = self.ast.BinaryOp("-", init.decls[0].init, unit, node.coord)
        elif isinstance(init, self.ast.Assignment):
            init.rvalue = self.ast.BinaryOp("-", init.rvalue, unit, node.coord)
        above = self.ast.BinaryOp(">=", left.expr, cond.right, node.coord)
        return self.ast.For(init, above, self.ast.UnaryOp("p--", left.expr, node.coord), node.stmt, node.coord)

    def extremes(self, node: Any, which: str) -> tuple[Affine, ...]:
        """A bound that is affine, or the smaller (larger) of several."""
        kind = type(node).__name__
        if kind == "TernaryOp" and type(node.cond).__name__ == "BinaryOp" and node.cond.op in ("<", "<=", ">", ">="):
            less = node.cond.op in ("<", "<=")
            same = are_alike(node.cond.left, node.iftrue) and are_alike(node.cond.right, node.iffalse)
            swapped = are_alike(node.cond.left, node.iffalse) and are_alike(node.cond.right, node.iftrue)
            if (same or swapped) and (less == same) == (which == "min"):
                return (*self.extremes(node.iftrue, which), *self.extremes(node.iffalse, which))
        if called(node).strip("fl").lower() == which and node.args:
            return tuple(b for a in node.args.exprs for b in self.extremes(a, which))
        if kind == "ID" and which in (held := self.reader.folded.get(str(node.name), {})):
            ends: tuple[Affine, ...] = held[which]
            return ends
        other = "min" if which == "max" else "max"
        if (inside := read_absolute(node)) is not None and which == "max":
            return (*self.extremes(inside, which), *(b.times(-1) for b in self.extremes(inside, other)))
        if kind == "Cast":
            return self.extremes(node.expr, which)
        if kind == "UnaryOp" and node.op == "-":
            return tuple(b.times(-1) for b in self.extremes(node.expr, other))
        if kind == "BinaryOp" and node.op in ("+", "-"):
            right = self.extremes(node.right, which if node.op == "+" else other)
            signed = [b if node.op == "+" else b.times(-1) for b in right]
            return tuple(dict.fromkeys(a + b for a in self.extremes(node.left, which) for b in signed))
        return (self.reader.affine(node),)

    def fold(self, name: str, node: Any) -> bool:
        """Remember a name for the smaller or larger of several expressions of counters, ``2 - abs(dy)``; whether it is.

        It bounds loops; where it stands in an index, which of them it is is open.
        """
        known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        for which in ("min", "max"):
            try:
                bounds = self.extremes(node, which)
            except SourceError:
                self.builder.routine.assumed, self.builder.sizes = known[0].copy(), known[1].copy()
                continue
            self.reader.folded[name] = {which: bounds}
            return True
        return False
