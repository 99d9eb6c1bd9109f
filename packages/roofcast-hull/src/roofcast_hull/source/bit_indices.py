"""Indices that are put together from bits, as the sums and quotients that they are: ``(t >> k) << (k + 1) | t & mask``.

Of whole numbers that follow from threads, counters and sizes alone, with b a power of two:
x & (b - 1) is x % b, x >> k is x / b, x << k is x * b, and x | y or x ^ y is x + y where no bit can be set in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roofcast_hull.source.c_tree import called, uncast
from roofcast_hull.source.thread_indices import find_fields

EVERY = (1 << 63) - 1
"""Bits that may be set in a number of which nothing is known."""
WHOLE = {"int", "unsigned", "long", "short", "char", "size_t", "signed"}
MOST_SHIFTED = 40
"""Bits that sizes are shifted by at most: no array has more elements."""
SPELLED = ("&", "|", "^", ">>", "<<")
SHARED = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})


def spell_bits(function: Any, known: Mapping[str, int], ast: Any) -> None:
    """Write the indices of a function in place. known : sizes."""
    if has_bits(function.body):
        Speller(function, known, ast).spell(function.body)


def has_bits(node: Any) -> bool:
    """Whether bits of anything are named."""
    named = type(node).__name__ == "BinaryOp" and node.op in SPELLED
    return named or any(has_bits(child) for _, child in node.children())


class Speller:
    """Knows which names of a function are indices, and which of their bits may be set."""

    def __init__(self, function: Any, known: Mapping[str, int], ast: Any) -> None:
        self.known, self.ast = known, ast
        self.given: dict[str, list[Any]] = {}
        """What each name is given, anywhere; None for what is not followed."""
        self.bits: dict[str, int] = {}
        for p in getattr(function.decl.type.args, "params", None) or ():
            if type(p).__name__ == "Decl" and self.is_whole(p) and p.name in known:
                self.given[str(p.name)] = []
        self.collect(function.body)
        indices = set(self.given)
        while left := {n for n in indices if not all(self.is_index(v, indices) for v in self.given[n])}:
            indices -= left
        self.indices = indices

    @staticmethod
    def is_whole(node: Any) -> bool:
        """Whether a declaration is of a whole number."""
        words = getattr(getattr(getattr(node, "type", None), "type", None), "names", None) or ()
        return type(node.type).__name__ == "TypeDecl" and bool(WHOLE & set(words) or any("int" in w for w in words))

    def collect(self, node: Any) -> None:
        """Note what names are given."""
        kind = type(node).__name__
        if kind == "Decl" and self.is_whole(node):
            self.given.setdefault(str(node.name), []).extend([node.init] if node.init is not None else [])
        elif kind == "Assignment" and type(node.lvalue).__name__ == "ID":
            self.given.setdefault(str(node.lvalue.name), [None]).extend([node.rvalue, node.rvalue])
        elif kind == "UnaryOp" and node.op in ("++", "--", "p++", "p--", "&") and type(node.expr).__name__ == "ID":
            step = None if node.op == "&" else self.ast.Constant("int", "1")
            self.given.setdefault(str(node.expr.name), [None]).extend([step, step])
        for _, child in node.children():
            self.collect(child)

    def is_index(self, node: Any, indices: set[str]) -> bool:
        """Whether an expression follows from indices and sizes alone."""
        kind = type(node).__name__
        if kind == "ID":
            return node.name in indices or node.name in self.known
        if kind == "Constant":
            return "int" in node.type
        if kind == "StructRef":
            return getattr(node.name, "name", "") in SHARED or next(iter(find_fields(node)), "") in self.known
        if kind == "Cast":
            return self.is_whole(node.to_type) and self.is_index(node.expr, indices)
        if kind == "UnaryOp" and node.op in ("-", "+", "~"):
            return self.is_index(node.expr, indices)
        if kind == "BinaryOp":
            return self.is_index(node.left, indices) and self.is_index(node.right, indices)
        return (kind == "FuncCall" and called(node) in ("min", "max") and self.is_index(node.args, indices)) or (
            kind in ("TernaryOp", "ExprList") and all(self.is_index(c, indices) for _, c in node.children())
        )

    def number(self, node: Any) -> int | None:
        """What an expression of sizes is; None for others."""
        node = uncast(node)
        kind = type(node).__name__
        if kind == "Constant" and "int" in node.type:
            return int(str(node.value).rstrip("uUlL"), 0)
        if kind == "ID":
            if node.name in self.known and not self.given.get(str(node.name)):
                return self.known[node.name]
            values = self.given.get(str(node.name), [])
            return self.number(values[0]) if len(values) == 1 and node.name in self.indices else None
        if kind == "StructRef":
            return self.known.get(next(iter(find_fields(node)), ""))
        if kind == "UnaryOp" and node.op in ("-", "~") and (value := self.number(node.expr)) is not None:
            return -value if node.op == "-" else ~value
        if kind != "BinaryOp":
            return None
        left, right = self.number(node.left), self.number(node.right)
        if left is None or right is None or (node.op in ("<<", ">>") and not 0 <= right < MOST_SHIFTED):
            return None
        if node.op in ("<<", ">>"):
            return left << right if node.op == "<<" else left >> right
        signs = {
            "+": left + right, "-": left - right, "*": left * right, "&": left & right, "|": left | right,
            "^": left ^ right,
        }  # fmt: skip
        return signs.get(node.op)

    def find_bits(self, node: Any) -> int:
        """Bits that may be set in an expression that is spelled already."""
        node = uncast(node)
        value = self.number(node)
        if value is not None:
            return value if value >= 0 else EVERY
        kind = type(node).__name__
        if kind == "ID" and len(self.given.get(str(node.name), ())) == 1:
            if node.name not in self.bits:
                self.bits[str(node.name)] = EVERY
                self.bits[str(node.name)] = self.find_bits(self.given[str(node.name)][0])
            return self.bits[str(node.name)]
        if kind != "BinaryOp":
            return EVERY
        right = self.number(node.right)
        if node.op == "%" and right is not None and right > 0 and not right & (right - 1):
            return right - 1
        if node.op == "*" and right is not None and right > 0:
            low = (right & -right).bit_length() - 1
            whole = self.find_bits(node.left)
            return (whole << low) & EVERY if not right & (right - 1) else EVERY >> low << low
        if node.op == "/" and right is not None and right > 0 and not right & (right - 1):
            return self.find_bits(node.left) >> (right.bit_length() - 1)
        if node.op == "+":
            left_bits, right_bits = self.find_bits(node.left), self.find_bits(node.right)
            if not left_bits & right_bits:
                return left_bits | right_bits
        return EVERY

    def spell(self, node: Any) -> Any:
        """A node with the indices in it spelled."""
        for name in node.__slots__:
            part = getattr(node, name, None)
            if isinstance(part, list):
                part[:] = [self.spell(p) if hasattr(p, "children") else p for p in part]
            elif hasattr(part, "children") and hasattr(part, "__slots__"):
                setattr(node, name, self.spell(part))
        if type(node).__name__ == "Decl" and len(self.given.get(str(node.name), ())) == 1:
            self.given[str(node.name)] = [node.init]
        if type(node).__name__ != "BinaryOp" or node.op not in SPELLED or not self.is_index(node, self.indices):
            return node
        return self.spell_one(node) or node

    def spell_one(self, node: Any) -> Any:
        """One operation on bits; None where it is none of those that are sums or quotients."""
        left, right, at = node.left, node.right, node.coord
        value = self.number(right)
        if node.op in ("<<", ">>"):
            plain = value is not None and 0 <= value < MOST_SHIFTED and self.number(node) is None
            return (
                self.make("*" if node.op == "<<" else "/", left, 1 << value, at)
                if plain and value is not None
                else None
            )
        if value is None and self.number(left) is not None:
            left, right, value = right, left, self.number(left)
        if node.op == "&":
            if value is not None and value > 0 and not value & (value + 1):
                return self.make("%", self.raise_above(left, value + 1, at), value + 1, at)
            if value is not None and value < 0 and not -value & (-value - 1):
                return self.make("*", self.make("/", left, -value, at), -value, at)
            return None
        if self.find_bits(left) & self.find_bits(right):
            return None
        return self.ast.BinaryOp("+", left, right, at)

    def raise_above(self, node: Any, by: int, at: Any) -> Any:
        """An index that a difference may let be below 0, raised above it: remainders keep."""
        plain = uncast(node)
        if type(plain).__name__ == "BinaryOp" and plain.op == "-":
            return self.ast.BinaryOp("+", node, self.ast.Constant("int", str(by)), at)
        return node

    def make(self, op: str, left: Any, by: int, at: Any) -> Any:
        """An operation with a number."""
        return self.ast.BinaryOp(op, left, self.ast.Constant("int", str(by)), at)
