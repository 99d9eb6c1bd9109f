"""C conditions: what an ``if`` says of the counters around it, and where loops end."""

from __future__ import annotations

import copy
from typing import Any

from roofcast.hulls.source.builder import Condition, Value
from roofcast.hulls.source.c_values import Values, alike
from roofcast.hulls.source.nest import Affine, SourceError, refuse


class Conditions(Values):
    """Reads conditions of one function."""

    def condition(self, node: Any) -> tuple[Condition, Condition]:
        """What holds in the two branches of an ``if``."""
        found = self.comparisons(node)
        if found is not None:
            above, congruence = found
            # Not all of several conditions: the iterations left are no simple range.
            opposite = (above[0].times(-1) + Affine((), -1),) if len(above) == 1 and congruence is None else ()
            other = differing(congruence) if congruence and not above else None
            simple = bool(opposite) or other is not None
            return (
                Condition(above=tuple(above), congruence=congruence),
                Condition(above=opposite, congruence=other, of_data=not simple),
            )
        if type(node).__name__ == "UnaryOp" and node.op == "!":
            yes, no = self.condition(node.expr)
            return no, yes
        if (outside := self.none_of(node)) is not None:
            return Condition(of_data=True), Condition(above=tuple(outside))
        value = self.value(node)
        if not value.reads:
            value.operations = 0
        return Condition(value, of_data=True), Condition(Value(0, value.reads), of_data=True)

    def none_of(self, node: Any) -> list[Affine] | None:
        """What holds where none of several conditions on counters does; None for conditions on data."""
        if type(node).__name__ == "BinaryOp" and node.op == "||":
            left, right = self.none_of(node.left), self.none_of(node.right)
            return None if left is None or right is None else left + right
        found = self.comparisons(node)
        if found is None or found[1] is not None:
            return None
        above = found[0]
        if len(above) == 1:
            return [above[0].times(-1) + Affine((), -1)]
        if len(above) == 2 and above[0] == above[1].times(-1):
            # Not equal: a border where all counters lie on one side, else nothing that bounds them.
            low, high = self.builder.range_of(above[0])
            return [above[0] + Affine((), -1)] if low == 0 else [above[1] + Affine((), -1)] if high == 0 else []
        return None

    def comparisons(self, node: Any) -> tuple[list[Affine], tuple[Affine, int, int, bool] | None] | None:
        """A condition on counters as expressions that are 0 or more; None for any other."""
        if type(node).__name__ != "BinaryOp":
            return None
        if node.op == "&&":
            left, right = self.comparisons(node.left), self.comparisons(node.right)
            if left is None or right is None or (left[1] and right[1]):
                return None
            return left[0] + right[0], left[1] or right[1]
        try:
            if node.op in ("==", "!=") and type(node.left).__name__ == "BinaryOp" and node.left.op == "%":
                value, modulus, rest = (self.affine(n) for n in (node.left.left, node.left.right, node.right))
                if modulus.variables or rest.variables or modulus.constant < 2:
                    return None
                return [], (value, modulus.constant, rest.constant, node.op == "==")
            gap = self.affine(node.right) - self.affine(node.left)
        except SourceError:
            return None
        one = Affine((), -1)
        made = {
            "<": [gap + one], "<=": [gap], ">": [gap.times(-1) + one], ">=": [gap.times(-1)],
            "==": [gap, gap.times(-1)],
        }.get(node.op)  # fmt: skip
        if made is None and node.op == "!=":
            return [], None
        return (made, None) if made is not None else None

    def bounds(self, node: Any, name: str, ascends: bool, line: int) -> tuple[Affine, ...]:
        """Last values of the counter, inclusive."""
        if isinstance(node, self.ast.BinaryOp) and node.op == "&&":
            return (*self.bounds(node.left, name, ascends, line), *self.bounds(node.right, name, ascends, line))
        if isinstance(node, self.ast.BinaryOp):
            op, left, right = node.op, node.left, node.right
            if getattr(right, "name", "") == name:
                op, left, right = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op), right, left
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
        one = self.ast.Constant("int", "1", node.coord)
        init = copy.deepcopy(node.init)
        if isinstance(init, self.ast.DeclList) and len(init.decls) == 1 and init.decls[0].init is not None:
            init.decls[0].init = self.ast.BinaryOp("-", init.decls[0].init, one, node.coord)
        elif isinstance(init, self.ast.Assignment):
            init.rvalue = self.ast.BinaryOp("-", init.rvalue, one, node.coord)
        above = self.ast.BinaryOp(">=", left.expr, cond.right, node.coord)
        return self.ast.For(init, above, self.ast.UnaryOp("p--", left.expr, node.coord), node.stmt, node.coord)

    def extremes(self, node: Any, which: str) -> tuple[Affine, ...]:
        """A bound that is affine, or the smaller (larger) of several."""
        kind = type(node).__name__
        if kind == "TernaryOp" and type(node.cond).__name__ == "BinaryOp" and node.cond.op in ("<", "<=", ">", ">="):
            less = node.cond.op in ("<", "<=")
            same = alike(node.cond.left, node.iftrue) and alike(node.cond.right, node.iffalse)
            swapped = alike(node.cond.left, node.iffalse) and alike(node.cond.right, node.iftrue)
            if (same or swapped) and (less == same) == (which == "min"):
                return (*self.extremes(node.iftrue, which), *self.extremes(node.iffalse, which))
        if kind == "FuncCall" and str(getattr(node.name, "name", "")).strip("fl").lower() == which and node.args:
            return tuple(b for a in node.args.exprs for b in self.extremes(a, which))
        return (self.affine(node),)


def differing(found: tuple[Affine, int, int, bool]) -> tuple[Affine, int, int, bool]:
    """The opposite of a condition on a remainder."""
    value, modulus, remainder, equal = found
    return value, modulus, remainder, not equal


def skips(node: Any) -> bool:
    """Whether a branch only goes on to the next iteration."""
    items: list[Any] = list(node.block_items or ()) if type(node).__name__ == "Compound" else [node]
    return len(items) == 1 and type(items[0]).__name__ == "Continue"


def names(node: Any) -> set[str]:
    """Names in an expression."""
    if type(node).__name__ == "ID":
        return {node.name}
    return {n for _, child in node.children() for n in names(child)}
