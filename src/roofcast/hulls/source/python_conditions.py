"""Python conditions: what an ``if`` says of the counters of the loops around it."""

from __future__ import annotations

import ast

from roofcast.hulls.source.builder import Condition, Value
from roofcast.hulls.source.nest import Affine, SourceError
from roofcast.hulls.source.numpy_assign import Assignments

COMPARISONS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=="}


class Conditions(Assignments):
    """Reads conditions of one function."""

    def condition(self, node: ast.expr) -> tuple[Condition, Condition]:
        """What holds in the two branches of an ``if``."""
        found = self.comparisons(node)
        if found is not None:
            above, congruence = found
            opposite = (above[0].times(-1) + Affine((), -1),) if len(above) == 1 and congruence is None else ()
            other = (*congruence[:3], not congruence[3]) if congruence and not above else None
            simple = bool(opposite) or other is not None
            return (
                Condition(above=tuple(above), congruence=congruence),
                Condition(above=opposite, congruence=other, of_data=not simple),
            )
        value = self.value(node)
        if not value.reads:
            value.operations = 0
        return Condition(value, of_data=True), Condition(Value(0, value.reads), of_data=True)

    def comparisons(self, node: ast.expr) -> tuple[list[Affine], tuple[Affine, int, int, bool] | None] | None:
        """A condition on counters as expressions that are 0 or more; None for any other."""
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            parts = [self.comparisons(v) for v in node.values]
            known = [p for p in parts if p is not None]
            remainders = [p[1] for p in known if p[1]]
            if len(known) < len(parts) or len(remainders) > 1:
                return None
            return [a for p in known for a in p[0]], next(iter(remainders), None)
        if not isinstance(node, ast.Compare):
            return None
        above: list[Affine] = []
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            if len(node.ops) == 1 and isinstance(op, (ast.Eq, ast.NotEq)) and is_remainder(left):
                return self.remainder(left, right, isinstance(op, ast.Eq))
            try:
                gap = self.affine(right) - self.affine(left)
            except SourceError:
                return None
            one = Affine((), -1)
            made = {
                "<": [gap + one], "<=": [gap], ">": [gap.times(-1) + one], ">=": [gap.times(-1)],
                "==": [gap, gap.times(-1)],
            }.get(COMPARISONS.get(type(op), ""))  # fmt: skip
            if made is None:
                return None
            above += made
            left = right
        return above, None

    def remainder(
        self, left: ast.expr, right: ast.expr, equal: bool
    ) -> tuple[list[Affine], tuple[Affine, int, int, bool]] | None:
        """``(i + j) % 2 == 0``."""
        assert isinstance(left, ast.BinOp)
        try:
            value, modulus, rest = (self.affine(n) for n in (left.left, left.right, right))
        except SourceError:
            return None
        if modulus.variables or rest.variables or modulus.constant < 2:
            return None
        return [], (value, modulus.constant, rest.constant, equal)


def is_remainder(node: ast.expr) -> bool:
    """Whether an expression is ``a % b``."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
