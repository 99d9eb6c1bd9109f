"""Conditions of C on counters, as expressions that are 0 or more where they hold; shares of turns for others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from roofcast_hull.source.builder import (
    Comparisons,
    Condition,
    branch_on_counters,
    branch_on_data,
    compare,
    compare_remainder,
)  # fmt: skip
from roofcast_hull.source.c_tree import (
    find_terms,
    uncast,
)  # fmt: skip
from roofcast_hull.source.counter_tests import COMPUTED, CounterTest, find_share
from roofcast_hull.source.nest import Affine, SourceError


class Conditions:
    """Reads what decides between branches."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.builder, self.ast, self.line = reader.builder, reader.ast, reader.line

    def condition(self, node: Any) -> tuple[Condition, Condition]:
        """What holds in the two branches of an ``if``."""
        comparisons = self.comparisons(node)
        if comparisons is not None:
            yes, no = branch_on_counters(comparisons)
            if comparisons[1] is None or (shares := self.share_turns(node)) is None:
                return yes, no
            if comparisons[0]:
                # The share is of all turns, those that bounds leave out too.
                return yes, shares[1]
            return tuple(replace(c, share=s.share, held=s.held) for c, s in zip((yes, no), shares, strict=True))  # type: ignore[return-value]
        if type(node).__name__ == "UnaryOp" and node.op == "!":
            yes, no = self.condition(node.expr)
            return no, yes
        if (outside := self.none_of(node)) is not None:
            return Condition(of_data=True), Condition(above=tuple(outside))
        if (mixed := self.split_condition(node)) is not None:
            return mixed
        if (shares := self.share_turns(node)) is not None:
            return shares
        return branch_on_data(self.reader.value(node))

    def split_condition(self, node: Any) -> tuple[Condition, Condition] | None:
        """``i < n && x[i] > t``: counters bound where data is asked; None where only one of both is there."""
        if type(node).__name__ != "BinaryOp" or node.op != "&&":
            return None
        terms = [term for term, _ in find_terms(node, ("&&",), True)]
        counted = [self.comparisons(term) for term in terms]
        above = [a for c in counted if c is not None and c[1] is None for a in c[0]]
        rest = [t for t, c in zip(terms, counted, strict=True) if c is None or c[1] is not None]
        if not above or not rest:
            return None
        data = rest[0]
        for term in rest[1:]:
            data = self.ast.BinaryOp("&&", data, term, node.coord)
        yes, no = self.condition(data)
        return replace(yes, above=(*yes.above, *above)), no if yes.of_data else Condition(of_data=True)

    def share_turns(self, node: Any) -> tuple[Condition, Condition] | None:
        """The two branches of an ``if`` on counters by the share of turns that each has; None where data decides."""
        known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        test = self.test_counters(node)
        around = [c.held for c in self.builder.conditions if c.held is not None]
        share = find_share(test, around, self.builder.loops) if test is not None else None
        if test is None or share is None:
            self.builder.routine.assumed, self.builder.sizes = known
            return None
        return Condition(share=share, held=(test, True)), Condition(share=1 - share, held=(test, False))

    def test_counters(self, node: Any) -> CounterTest | None:
        """An expression of counters as one that can be tried; None for data."""
        node = uncast(node)
        kind, op = type(node).__name__, str(getattr(node, "op", ""))
        if kind == "UnaryOp" and op == "!":
            inside = self.test_counters(node.expr)
            return inside and CounterTest(op="!", parts=(inside,))
        if kind == "BinaryOp" and op in COMPUTED and op not in ("+", "-", "*"):
            left, right = self.test_counters(node.left), self.test_counters(node.right)
            return CounterTest(op=op, parts=(left, right)) if left is not None and right is not None else None
        known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        try:
            return CounterTest(self.reader.affine(node))
        except SourceError:
            self.builder.routine.assumed, self.builder.sizes = known
        if kind != "BinaryOp" or op not in COMPUTED:
            return None
        left, right = self.test_counters(node.left), self.test_counters(node.right)
        return CounterTest(op=op, parts=(left, right)) if left is not None and right is not None else None

    def none_of(self, node: Any) -> list[Affine] | None:
        """What holds where none of several conditions on counters does; None for conditions on data."""
        if type(node).__name__ == "BinaryOp" and node.op == "||":
            left, right = self.none_of(node.left), self.none_of(node.right)
            return None if left is None or right is None else left + right
        comparisons = self.comparisons(node)
        if comparisons is None or comparisons[1] is not None:
            return None
        above = comparisons[0]
        if len(above) == 1:
            return [above[0].times(-1) + Affine((), -1)]
        if len(above) == 2 and above[0] == above[1].times(-1):
            # Not equal: a border where all counters lie on one side, else nothing that bounds them.
            low, high = self.builder.range_of(above[0])
            return [above[0] + Affine((), -1)] if low == 0 else [above[1] + Affine((), -1)] if high == 0 else []
        return None

    def comparisons(self, node: Any) -> Comparisons | None:
        """A condition on counters as expressions that are 0 or more; None for any other."""
        if type(node).__name__ != "BinaryOp":
            return None
        if node.op == "&&":
            left, right = self.comparisons(node.left), self.comparisons(node.right)
            if left is None or right is None or (left[1] and right[1]):
                return None
            return left[0] + right[0], left[1] or right[1]
        try:
            if node.op in ("==", "!=") and (asked := self.remainder(node.left)) is not None:
                return compare_remainder(*asked, self.reader.affine(node.right), node.op == "==")
            if (asked := self.remainder(node)) is not None:
                return compare_remainder(*asked, Affine(), False)
            end, start = self.reader.affine(node.right), self.reader.affine(node.left)
        except SourceError:
            return None
        if node.op == "!=":
            return [], None
        above = compare(node.op, start, end)
        return (above, None) if above is not None else None

    def remainder(self, node: Any) -> tuple[Affine, Affine] | None:
        """What a remainder is taken of, and by what: ``i % 2``, ``(i + j) & 1``; None for other expressions."""
        node = uncast(node)
        if type(node).__name__ != "BinaryOp" or node.op not in ("%", "&"):
            return None
        value, by = self.reader.affine(node.left), self.reader.affine(node.right)
        if node.op == "%":
            return value, by
        width = by.constant + 1
        return (value, Affine((), width)) if not by.variables and width > 1 and width & (width - 1) == 0 else None
