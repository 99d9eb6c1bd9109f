"""Arithmetic that users write in files (areas, costs, limits): parsed, checked node by node, never executed as code."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import FloatArray
from roofcast.formulas.values import combine

BINARY: dict[type[ast.AST], Any] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Pow: np.power,
}  # fmt: skip
COMPARED: dict[type[ast.AST], Any] = {
    ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal, ast.Eq: np.equal,
}  # fmt: skip
FUNCTIONS: dict[str, Any] = {
    "min": np.minimum, "max": np.maximum, "sqrt": np.sqrt, "log": np.log, "exp": np.exp, "abs": np.abs,
    "ceil": np.ceil, "floor": np.floor,
}  # fmt: skip
TWO_ARGUMENTS = frozenset({"min", "max"})
LONGEST, DEEPEST = 2000, 60


class Expression:
    """A checked expression over named quantities.

    >>> Expression("2.5*sm + l2/1e6 <= 400", {"sm", "l2"})({"sm": np.array([100.0, 150.0]), "l2": np.array(5e7)})
    array([ True, False])
    """

    def __init__(self, text: str, names: Collection[str], *, condition: bool | None = None) -> None:
        """Parse; ``condition`` says whether a comparison is wanted (True), refused (False), or either (None)."""
        self.text = one_line(str(text), 200)
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
            raise RoofcastError(f"expression {self.text!r}: write arithmetic such as 2.5*sm + l2/1e6 <= 800")
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise RoofcastError(f"expression {self.text!r} is not arithmetic: {one_line(str(error), 80)}") from error
        self.names = frozenset(names)
        self.used: set[str] = set()
        self.check(self.tree, 0)
        self.is_condition = isinstance(self.tree, (ast.Compare, ast.BoolOp))
        if condition is not None and condition != self.is_condition:
            wanted = "a comparison, e.g. ... <= 800" if condition else "a number, not a comparison"
            raise RoofcastError(f"expression {self.text!r}: write {wanted}")

    def check(self, node: ast.AST, depth: int) -> None:
        """Refuse everything but numbers, known names, arithmetic and comparisons."""
        if depth > DEEPEST:
            raise RoofcastError(f"expression {self.text!r} is nested too deeply")
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool) or not isinstance(node.value, (int, float)) or not finite(node.value):
                raise RoofcastError(f"expression {self.text!r}: {one_line(repr(node.value), 40)} is no number")
            return
        if isinstance(node, ast.Name):
            if node.id not in self.names:
                raise RoofcastError(
                    f"expression {self.text!r}: no quantity {one_line(node.id, 40)!r}; there are "
                    f"{', '.join(sorted(self.names)) or 'none'}"
                )
            self.used.add(node.id)
            return
        if depth == 0 and isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            for value in node.values:
                self.check(value, 0)
            return
        for child in self.children(node, depth):
            self.check(child, depth + 1)

    def children(self, node: ast.AST, depth: int) -> list[ast.expr]:
        """Operands of arithmetic, of a call of a known function, or of a comparison at the top."""
        if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            return [node.left, node.right]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return [node.operand]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            count = 2 if node.func.id in TWO_ARGUMENTS else 1
            if node.keywords or len(node.args) != count:
                raise RoofcastError(f"expression {self.text!r}: {node.func.id} takes {count} argument(s)")
            return list(node.args)
        if depth == 0 and isinstance(node, ast.Compare) and all(type(o) in COMPARED for o in node.ops):
            return [node.left, *node.comparators]
        raise RoofcastError(
            f"expression {self.text!r}: only + - * / **, comparisons and {', '.join(FUNCTIONS)} are allowed"
        )

    def __call__(self, values: Mapping[str, FloatArray]) -> Any:
        """The expression's value; arrays broadcast."""
        with quietly(overflow=True):
            return self.value(self.tree, values)

    def value(self, node: ast.AST, values: Mapping[str, FloatArray]) -> Any:
        """One node's value."""
        if isinstance(node, ast.Constant):
            return float(node.value)  # type: ignore[arg-type]  # checked to be a number
        if isinstance(node, ast.Name):
            return values[node.id]
        if isinstance(node, ast.BinOp):
            return BINARY[type(node.op)](self.value(node.left, values), self.value(node.right, values))
        if isinstance(node, ast.UnaryOp):
            operand = self.value(node.operand, values)
            return np.negative(operand) if isinstance(node.op, ast.USub) else operand
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            return FUNCTIONS[name](*(self.value(a, values) for a in node.args))
        if isinstance(node, ast.BoolOp):
            return combine(np.logical_and, [self.value(v, values) for v in node.values])
        assert isinstance(node, ast.Compare)
        parts = [self.value(n, values) for n in (node.left, *node.comparators)]
        held = [COMPARED[type(o)](a, b) for o, a, b in zip(node.ops, parts[:-1], parts[1:], strict=True)]
        return combine(np.logical_and, held)


def finite(value: float) -> bool:
    """Whether a literal is a float of ordinary size."""
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
