"""How much work is in a piece of code that is run, and which terms an assignment accumulates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roofcast_hull.source.c_tree import are_alike, called, find_terms
from roofcast_hull.source.run_arithmetic import find_number
from roofcast_hull.source.run_check import StopError, Value
from roofcast_hull.source.run_frames import Expression, Frame, Pointer, Slot

ATOMICS = frozenset(f"atomic{kind}" for kind in ("Add", "Sub", "Max", "Min", "Or", "And"))
LEAST = ("min", "max", "fmin", "fmax", "fminf", "fmaxf")


def count_work(node: Any) -> int:
    """Operators and calls in a piece of code."""
    here = type(node).__name__ in ("BinaryOp", "FuncCall")
    return here + sum(count_work(child) for _, child in node.children())


def add_atomically(name: str, arguments: Sequence[Expression]) -> Expression:
    """An atomic update: an accumulation."""

    def run(frame: Frame) -> Slot:
        machine = frame.machine
        target, term = arguments[0](frame), find_number(arguments[1](frame))
        if not isinstance(target, Pointer):
            raise StopError("an atomic update of a number")
        before = machine.cell(target.array, target.at).value
        number = before.number + term.number if name == "atomicAdd" else max(before.number, term.number)
        result = machine.compute(number, Value(before.number, 0, True), term)
        machine.accumulate(target.array, target.at, result)
        return before

    return run


def find_term(node: Any) -> tuple[str, list[Any], int] | None:
    """Operator, terms and operations of an accumulation; None for other assignments."""
    lvalue, rvalue, op = node.lvalue, node.rvalue, str(node.op)[:-1]
    if op in ("+", "-", "*", "|", "&", "^"):
        return op, [rvalue], 1
    if op or contains(rvalue, lvalue) != 1:
        return None
    if called(rvalue) in LEAST and any(are_alike(a, lvalue) for a in rvalue.args.exprs):
        return called(rvalue), [a for a in rvalue.args.exprs if not are_alike(a, lvalue)], 1
    for family in (("+", "-"), ("*",)):
        if type(rvalue).__name__ == "BinaryOp" and rvalue.op in family:
            terms = find_terms(rvalue, family, True)
            is_target = [plus for term, plus in terms if are_alike(term, lvalue)]
            if is_target == [True]:
                return family[0], [t for t, _ in terms if not are_alike(t, lvalue)], len(terms) - 1
    return None


def is_linear(node: Any) -> bool:
    """Whether an expression is a row times its length: what is added to it is a place in the row."""
    return type(node).__name__ == "BinaryOp" and node.op == "*"


def contains(node: Any, wanted: Any) -> int:
    """How often an expression occurs inside another."""
    return int(are_alike(node, wanted)) + sum(contains(child, wanted) for _, child in node.children())
