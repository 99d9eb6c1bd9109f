"""C expressions: indices that are affine, and values with the operations and reads that they take."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from roofcast.core.errors import one_line
from roofcast.hulls.source.builder import FUNCTIONS, Builder, Value
from roofcast.hulls.source.nest import Access, Affine, SourceError, refuse

ARITHMETIC = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||"}
DEEPEST_CALLS = 8
WORDS = {
    "While": "a while loop", "DoWhile": "a do loop", "Goto": "goto", "Break": "break", "Continue": "continue",
    "Switch": "switch", "StructRef": "a structure member", "ArrayRef": "an index from data", "Label": "a label",
}  # fmt: skip


class Values:
    """Reads expressions of one function."""

    def __init__(self, builder: Builder, c_ast: Any, functions: Mapping[str, Any]) -> None:
        self.builder = builder
        self.ast = c_ast
        self.functions = functions
        self.types: dict[str, str] = {}
        self.structures: dict[str, tuple[Any, ...]] = {}
        self.structured: set[str] = set()
        self.depth = 0
        self.calls = 0

    def line(self, node: Any) -> int:
        """Line of a node in the user's text."""
        return int(node.coord.line) if getattr(node, "coord", None) else 1

    def element(self, node: Any) -> tuple[str, list[Any]]:
        """Array name and index expressions of ``a[i][j]``, ``*(a + i)`` or a scalar."""
        indices: list[Any] = []
        members = ""
        while isinstance(node, (self.ast.ArrayRef, self.ast.StructRef)):
            if isinstance(node, self.ast.ArrayRef):
                indices.insert(0, node.subscript)
            else:
                # Each member is an array of its own: p[i].x is p.x[i].
                members = f".{node.field.name}{members}"
            node = node.name
        while isinstance(node, self.ast.Cast):
            node = node.expr
        if isinstance(node, self.ast.ID):
            self.check_structure(str(node.name), members, self.line(node))
            return f"{node.name}{members}", indices
        if isinstance(node, self.ast.BinaryOp) and node.op == "+" and indices and not members:
            # (a + i)[j]
            array, inner = self.pointed(node)
            return array, [self.ast.BinaryOp("+", inner[0], indices[0], node.coord), *indices[1:]]
        if isinstance(node, self.ast.UnaryOp) and node.op == "*" and not members:
            array, inner = self.pointed(node.expr)
            return array, [*inner, *indices]
        raise refuse(self.line(node), f"{describe(node)} is no array element with affine indices")

    def check_structure(self, name: str, members: str, line: int) -> None:
        """Refuse what members as arrays of their own cannot say: lists that are walked, whole structures."""
        if members and name in self.builder.assigned:
            raise refuse(line, f"'{name}' is moved: which element '{name}{members}' is comes from data")
        if not members and name in self.structured:
            raise refuse(line, f"'{name}' is used as a whole structure: write its members")

    def pointed(self, node: Any) -> tuple[str, list[Any]]:
        """Array and index of a pointer: ``a``, ``a + i``, ``*(a + i) + j``."""
        if isinstance(node, self.ast.ID):
            return str(node.name), []
        if isinstance(node, self.ast.BinaryOp) and node.op in ("+", "-"):
            for base, offset in ((node.left, node.right), (node.right, node.left)):
                if node.op == "-" and base is node.right:
                    continue
                if self.is_pointer(base):
                    array, inner = self.pointed(base)
                    minus = self.ast.UnaryOp("-", offset, node.coord) if node.op == "-" else offset
                    if type(base).__name__ == "BinaryOp" and inner:
                        return array, [*inner[:-1], self.ast.BinaryOp("+", inner[-1], minus, node.coord)]
                    return array, [*inner, minus]
        if isinstance(node, self.ast.UnaryOp) and node.op == "*":
            return self.pointed(node.expr)
        if isinstance(node, self.ast.ArrayRef):
            return self.element(node)
        raise refuse(self.line(node), f"{describe(node)} is no array element with affine indices")

    def is_pointer(self, node: Any) -> bool:
        """Whether an expression is an array, or starts with one."""
        if isinstance(node, self.ast.ID):
            name = str(node.name)
            known = name in self.builder.scope or name in self.builder.sizes
            return bool(self.builder.routine.shapes.get(name)) or not known
        if isinstance(node, self.ast.BinaryOp) and node.op in ("+", "-"):
            return self.is_pointer(node.left) or (node.op == "+" and self.is_pointer(node.right))
        return isinstance(node, self.ast.UnaryOp) and node.op == "*" and self.is_pointer(node.expr)

    def affine(self, node: Any) -> Affine:
        """An index or bound."""
        kind, line = type(node).__name__, self.line(node)
        if kind == "Constant" and "int" in node.type:
            return Affine((), integer(str(node.value), line))
        if kind == "ID":
            return self.builder.named(str(node.name), line)
        if kind == "Cast":
            return self.affine(node.expr)
        if kind == "UnaryOp" and node.op in ("-", "+"):
            return self.affine(node.expr).times(-1 if node.op == "-" else 1)
        if kind == "BinaryOp" and node.op in ("+", "-", "*", "/", "%", "<<", ">>"):
            left, right = self.affine(node.left), self.affine(node.right)
            return self.builder.combined(left, right, str(node.op), line)
        if kind == "TernaryOp":
            return self.clamped([node.iftrue, node.iffalse], node)
        if (
            kind == "FuncCall"
            and str(getattr(node.name, "name", "")).strip("fl").lower() in ("min", "max")
            and node.args
        ):
            return self.clamped(node.args.exprs, node)
        raise refuse(line, f"{describe(node)} in an index or bound is not affine")

    def clamped(self, nodes: Any, node: Any) -> Affine:
        """An index kept inside an array, ``i > 0 ? i - 1 : 0``: the neighbours are those of the inside."""
        found = [self.affine(n) for n in nodes]
        moving = [f for f in found if f.variables]
        if len(moving) != 1:
            raise refuse(self.line(node), f"{describe(node)} in an index or bound is not affine")
        return moving[0]

    def value(self, node: Any) -> Value:
        """Operations and reads of an expression."""
        kind = type(node).__name__
        if kind == "Constant":
            return Value()
        if kind == "ID":
            name = str(node.name)
            known = name in self.builder.scope or name in self.builder.sizes
            if known and name not in self.builder.assigned:
                return Value()
            return Value(0, [Access(name, (), self.line(node))])
        if kind in ("ArrayRef", "StructRef") or (kind == "UnaryOp" and node.op == "*"):
            array, indices = self.element(node)
            return Value(0, [Access(array, tuple(self.affine(i) for i in indices), self.line(node))])
        if kind == "BinaryOp" and node.op in ARITHMETIC:
            return self.value(node.left).add(self.value(node.right), operations=1)
        if kind == "UnaryOp" and node.op in ("-", "+", "!", "~"):
            return self.value(node.expr)
        if kind == "Cast":
            return self.value(node.expr)
        if kind == "TernaryOp":
            return self.choice(node)
        if kind == "FuncCall":
            return self.call(node)
        raise refuse(self.line(node), f"{describe(node)} cannot be counted")

    def choice(self, node: Any) -> Value:
        """``c ? a : b``: both branches count, but what the condition has computed already counts once."""
        total = self.value(node.cond)
        compared = (node.cond.left, node.cond.right) if type(node.cond).__name__ == "BinaryOp" else ()
        for branch in (node.iftrue, node.iffalse):
            if not any(alike(branch, c) for c in compared):
                total.add(self.value(branch))
        return total

    def call(self, node: Any) -> Value:
        """A function that counts as one operation, or one of the file that only returns an expression."""
        name = str(getattr(node.name, "name", ""))
        arguments = node.args.exprs if node.args else ()
        if name in self.functions:
            return self.inlined(self.functions[name], arguments, self.line(node))
        if name in FUNCTIONS:
            operations = 2 if name.startswith("fma") and not name.startswith("fmax") else 1
            return Value().add(*(self.value(a) for a in arguments), operations=operations)
        raise refuse(self.line(node), f"{describe(node)} cannot be counted")

    def inlined(self, function: Any, arguments: Any, line: int) -> Value:
        """The body of a small function in place of its call; each argument counts once."""
        self.calls += 1
        if self.calls > DEEPEST_CALLS:
            raise refuse(line, "functions that call each other more deeply than can be followed")
        parameters = getattr(function.decl.type.args, "params", None) or ()
        total, meaning = Value(), dict[str, Any]()
        for parameter, argument in zip(parameters, arguments, strict=False):
            if type(argument).__name__ in ("ID", "Constant") or self.is_index(argument):
                meaning[str(parameter.name)] = argument
            else:
                total.add(self.value(argument))
                meaning[str(parameter.name)] = self.ast.Constant("double", "0")
        total.add(self.body_value(function.body, meaning))
        self.calls -= 1
        return total

    def is_index(self, node: Any) -> bool:
        """Whether an argument is affine in the counters."""
        known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        try:
            self.affine(node)
        except SourceError:
            return False
        finally:
            self.builder.routine.assumed, self.builder.sizes = known
        return True

    def body_value(self, node: Any, meaning: dict[str, Any]) -> Value:
        """Work of a small function's statements: declarations, conditions, and what it returns."""
        total = Value()
        for item in (node.block_items or ()) if type(node).__name__ == "Compound" else (node,):
            kind = type(item).__name__
            if kind == "Return" and item.expr is not None:
                total.add(self.value(substituted(item.expr, meaning)))
            elif kind == "Decl" and item.init is not None:
                total.add(self.value(substituted(item.init, meaning)))
                meaning[str(item.name)] = self.ast.Constant("double", "0")
            elif kind == "If":
                total.add(self.value(substituted(item.cond, meaning)))
                for branch in (item.iftrue, item.iffalse):
                    if branch is not None:
                        total.add(self.body_value(branch, dict(meaning)))
            elif kind == "Compound":
                total.add(self.body_value(item, dict(meaning)))
            elif kind not in ("Decl", "EmptyStatement", "Pragma"):
                raise refuse(self.line(item), f"{describe(item)} in a function that is called from a loop")
        return total


def integer(text: str, line: int) -> int:
    """An integer constant of C."""
    digits = text.rstrip("uUlL").lower()
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    try:
        value = int(digits, 8) if octal else int(digits, 0)
    except ValueError as error:
        raise refuse(line, f"{one_line(text, 30)!r} is no whole number") from error
    if abs(value) > 2**62:
        raise refuse(line, "an index or bound is larger than any array")
    return value


def substituted(node: Any, meaning: Mapping[str, Any]) -> Any:
    """A copy of an expression with names replaced."""
    if type(node).__name__ == "ID":
        return meaning.get(str(node.name), node)
    made = copy.copy(node)
    for name in node.__slots__:
        value = getattr(node, name, None)
        if hasattr(value, "children"):
            setattr(made, name, substituted(value, meaning))
        elif isinstance(value, list):
            setattr(made, name, [substituted(v, meaning) if hasattr(v, "children") else v for v in value])
    return made


def alike(one: Any, two: Any) -> bool:
    """Whether two expressions are the same text, whatever their blanks and parentheses."""
    if type(one) is not type(two):
        return False
    if any(getattr(one, n, None) != getattr(two, n, None) for n in one.attr_names):
        return False
    pairs = one.children(), two.children()
    return len(pairs[0]) == len(pairs[1]) and all(alike(a, b) for (_, a), (_, b) in zip(*pairs, strict=True))


def inlined_functions(functions: list[Any], chosen: Any) -> dict[str, Any]:
    """Functions of a file that a call can be replaced by."""
    return {f.decl.name: f for f in functions if f is not chosen and not has_loop(f)}


def has_loop(node: Any) -> bool:
    """Whether a for loop occurs in a node."""
    return type(node).__name__ == "For" or any(has_loop(child) for _, child in node.children())


def describe(node: Any) -> str:
    """A node in words."""
    kind = type(node).__name__
    if kind == "FuncCall":
        return f"the call of '{one_line(str(getattr(getattr(node, 'name', None), 'name', '')), 40)}'"
    return WORDS.get(kind, f"'{kind}'")
