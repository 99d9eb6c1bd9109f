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
                total.add(self.reader.value(substitute(item.init, meaning)))
                meaning[str(item.name)] = self.ast.Constant(DATA, "0")
            elif kind == "If":
                total.add(self.reader.value(substitute(item.cond, meaning)))
                for branch in (item.iftrue, item.iffalse):
                    if branch is not None:
                        total.add(self.body_value(branch, dict(meaning)))
            elif kind == "Compound":
                total.add(self.body_value(item, dict(meaning)))
            elif kind == "Assignment" and type(item.lvalue).__name__ == "ID":
                total.add(self.reader.value(substitute(item.rvalue, meaning)), operations=int(item.op != "="))
                meaning[str(item.lvalue.name)] = self.ast.Constant(DATA, "0")
            elif kind not in ("Decl", "EmptyStatement", "Pragma"):
                raise refuse(self.line(item), f"{describe(item)} in a function that is called from a loop")
        return total
