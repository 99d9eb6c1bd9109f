"""Calls in expressions of C: functions that count as one operation, or whose body stands in their place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roofcast_hull.source.builder import (
    CONVERSION,
    FUNCTIONS,
    PACKED,
    SHARED_WORK,
    Value,
)  # fmt: skip
from roofcast_hull.source.c_tree import (
    DATA,
    called,
    describe,
    returned,
    substitute,
)  # fmt: skip
from roofcast_hull.source.c_words import DEEPEST_CALLS, MOST_CALLS
from roofcast_hull.source.exchanges import JOINED
from roofcast_hull.source.fixed_numbers import is_of_launch
from roofcast_hull.source.nest import SourceError, refuse


class Inliner:
    """Reads calls that give a value."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.builder, self.ast, self.line = reader.builder, reader.ast, reader.line

    def call(self, node: Any) -> Value:
        """A function that counts as one operation, or one of the file that only returns an expression."""
        name = called(node)
        arguments: Sequence[Any] = node.args.exprs if node.args else ()
        if is_of_launch(node):
            return Value().add(*(self.reader.value(a) for a in arguments))
        if name in self.reader.functions:
            return self.inline(self.reader.functions[name], arguments, self.line(node))
        if name == SHARED_WORK:
            shared = self.reader.value(arguments[1])
            return Value(shared.operations / float(arguments[0].value), shared.reads)
        if name in JOINED:
            return Value().add(*(self.reader.value(a) for a in arguments))
        if CONVERSION.fullmatch(name) and len(arguments) == 1:
            value: Value = self.reader.value(arguments[0])
            return value
        if name in PACKED:
            return Value().add(*(self.reader.value(a) for a in arguments), operations=PACKED[name])
        if name in FUNCTIONS:
            operations = 2 if name.startswith("fma") and not name.startswith("fmax") else 1
            return Value().add(*(self.reader.value(a) for a in arguments), operations=operations)
        loop = self.builder.looping.get(name)
        why = "" if loop is None else f": data decide how often its loop in line {loop} runs"
        raise refuse(self.line(node), f"{describe(node)} cannot be counted{why}")

    def replace_call(self, node: Any) -> Any:
        """The expression that a small function of the file returns: conditions with a return each are choices."""
        function = self.reader.functions[called(node)]
        parameters = getattr(function.decl.type.args, "params", None) or ()
        arguments = node.args.exprs if node.args else ()
        result = returned(list(function.body.block_items or ()), dict[str, Any](), self.ast)
        self.reader.calls += 1
        if result is None or self.reader.calls > MOST_CALLS:
            raise refuse(self.line(node), f"{describe(node)} in an index or bound is not affine")
        meaning = {str(p.name): a for p, a in zip(parameters, arguments, strict=False)}
        return substitute(result, meaning)

    def inline(self, function: Any, arguments: Any, line: int) -> Value:
        """The body of a small function in place of its call; each argument counts once."""
        if self.reader.inlined >= DEEPEST_CALLS:
            raise refuse(line, "functions that call each other more deeply than can be followed")
        parameters = getattr(function.decl.type.args, "params", None) or ()
        total, meaning = Value(), dict[str, Any]()
        for parameter, argument in zip(parameters, arguments, strict=False):
            if type(argument).__name__ in ("ID", "Constant") or self.is_index(argument):
                meaning[str(parameter.name)] = argument
            else:
                total.add(self.reader.value(argument))
                meaning[str(parameter.name)] = self.ast.Constant(DATA, "0")
        self.reader.inlined += 1
        try:
            total.add(self.body_value(function.body, meaning))
        finally:
            self.reader.inlined -= 1
        return total

    def is_index(self, node: Any) -> bool:
        """Whether an argument is affine in the counters."""
        known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        try:
            self.reader.affine(node)
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
                total.add(self.reader.value(substitute(item.expr, meaning)))
            elif kind == "Decl" and item.init is not None:
                self.name_value(str(item.name), item.init, meaning, total)
            elif kind == "If":
                total.add(self.condition_value(item, meaning))
            elif kind == "Compound":
                total.add(self.body_value(item, dict(meaning)))
            elif kind == "Assignment" and type(item.lvalue).__name__ == "ID" and item.op == "=":
                self.name_value(str(item.lvalue.name), item.rvalue, meaning, total)
            elif kind == "Assignment" and type(item.lvalue).__name__ == "ID":
                total.add(self.reader.value(substitute(item.rvalue, meaning)), operations=1)
                meaning[str(item.lvalue.name)] = self.ast.Constant(DATA, "0")
            elif kind not in ("Decl", "EmptyStatement", "Pragma"):
                raise refuse(self.line(item), f"{describe(item)} in a function that is called from a loop")
        return total

    def condition_value(self, item: Any, meaning: dict[str, Any]) -> Value:
        """Work of a condition, which counters alone make none, and of both branches."""
        condition = substitute(item.cond, meaning)
        total = Value() if self.is_of_counters(condition) else self.reader.value(condition)
        for branch in (item.iftrue, item.iffalse):
            if branch is not None:
                total.add(self.body_value(branch, dict(meaning)))
        return total

    def is_of_counters(self, node: Any) -> bool:
        """Whether a condition compares affine expressions of the counters alone."""
        if type(node).__name__ == "UnaryOp" and node.op == "!":
            return self.is_of_counters(node.expr)
        if type(node).__name__ != "BinaryOp":
            return False
        sides = (node.left, node.right)
        if node.op in ("&&", "||"):
            return all(map(self.is_of_counters, sides))
        return node.op in ("<", "<=", ">", ">=", "==", "!=") and all(is_whole(s) and self.is_index(s) for s in sides)

    def name_value(self, name: str, node: Any, meaning: dict[str, Any], total: Value) -> None:
        """Give a name of a small function a value: a place stays one, ``y = min(max(y, 0), h - 1)``."""
        value = substitute(node, meaning)
        if is_whole(value) and self.is_index(value):
            meaning[name] = value
            return
        total.add(self.reader.value(value))
        meaning[name] = self.ast.Constant(DATA, "0")


def is_whole(node: Any) -> bool:
    """Whether an expression holds no number with a fraction, and none that data give."""
    if type(node).__name__ == "Constant":
        return "int" in str(node.type)
    return type(node).__name__ != "ArrayRef" and all(is_whole(child) for _, child in node.children())
