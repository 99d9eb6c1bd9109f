"""Values of a Triton kernel as expressions in C: numbers, and tensors with an expression for each element."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

COMPARED = ("<", "<=", ">", ">=", "==", "!=", "&&", "||")


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A value of a kernel: a number, or a tensor with an expression for each element."""

    emit: Callable[[Nest, tuple[str, ...]], str]
    """The expression of one element, by the counters of its dimensions."""
    shape: tuple[int, ...] = ()
    base: str = ""
    """Array that it points into."""
    number: float | None = None
    """Its value where it is a constant."""
    programs: tuple[int, ...] | None = None
    """Its value in each program, where it is a whole number that only the program decides."""
    real: bool = False
    top: int | None = None
    """The largest that a whole number of 0 or more can be."""
    dtype: str = ""
    """Type of its elements, where a load or a conversion says it."""
    loaded: tuple[Node, Node | None] | None = None
    """Address and mask, where it is what was loaded."""
    block: tuple[tuple[Node, ...], tuple[Node, ...], tuple[Node, ...]] | None = None
    """Offsets, sizes and strides of a block pointer's dimensions."""


@dataclass
class Nest:
    """Loops over the elements of tensors, and what is computed inside."""

    fresh: Callable[[str], str]
    guards: list[str] = field(default_factory=list)
    """Conditions on counters under which elements are loaded and stored."""
    lines: list[str] = field(default_factory=list)
    """Declarations in the innermost loop."""
    known: dict[tuple[object, tuple[str, ...]], str] = field(default_factory=dict)

    def guard(self, text: str) -> None:
        """Do it only where a condition holds."""
        if text not in self.guards:
            self.guards.append(text)

    def close(self, text: str) -> str:
        """A statement behind what is computed for it, under the guards."""
        inner = " ".join([*self.lines, text])
        return f"if ({' && '.join(f'({g})' for g in self.guards)}) {{ {inner} }}" if self.guards else inner


def make_number(value: float) -> Node:
    """A constant."""
    text = str(int(value)) if float(value).is_integer() and not isinstance(value, float) else f"{float(value)}f"
    return Node(lambda nest, at: text, (), number=value, real=isinstance(value, float))


def write_update(place: str, term: str, op: str) -> str:
    """The statement that adds a term to a place, or takes the larger or smaller one. op : "+", or a function of C."""
    return f"{place} += {term};" if op == "+" else f"{place} = {op}({place}, {term});"


def is_register(node: Node) -> bool:
    """Whether each element is a name, or a constant: nothing is loaded or computed."""
    trial = Nest(str)
    text = node.emit(trial, ("l",) * len(node.shape))
    return bool(re.fullmatch(r"[\w.]+", text)) and not trial.lines and not trial.guards


def is_loaded(text: str, nest: Nest) -> bool:
    """Whether an element is what was loaded, and nothing is computed."""
    return bool(re.fullmatch(r"\(*\w+\)*", text)) and len(nest.lines) <= 1


def write_index(at: Sequence[str]) -> str:
    """Counters as the index of an array."""
    return "".join(f"[{a}]" for a in at)


def spread(node: Node, nest: Nest, at: tuple[str, ...]) -> str:
    """An element of a value that is as large as a tensor beside it, or smaller."""
    return node.emit(nest, at[len(at) - len(node.shape) :])


def take_along(node: Node, at: tuple[str, ...], axis: int) -> Callable[[Nest, str], str]:
    """Elements of a tensor along a dimension that is added up."""
    where = axis % len(node.shape)
    return lambda nest, r: node.emit(nest, (*at[:where], r, *at[where:]))


def transpose(node: Node) -> Node:
    """A tile turned."""
    turned = node.loaded and (transpose(node.loaded[0]), node.loaded[1] and transpose(node.loaded[1]))
    return Node(
        lambda nest, at: node.emit(nest, at[::-1]), node.shape[::-1], node.base, real=node.real, dtype=node.dtype,
        loaded=turned,
    )  # fmt: skip


def broadcast(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of two tensors beside each other."""
    rank = max(len(one), len(other))
    pairs = zip((1,) * (rank - len(one)) + one, (1,) * (rank - len(other)) + other, strict=True)
    return tuple(max(a, b) for a, b in pairs)


def compute_sign(op: str, a: float, b: float) -> float:
    """An operation of two numbers, whole ones as Triton has them."""
    whole = isinstance(a, int) and isinstance(b, int)
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return int(a // b) if whole else a / b
        case "%":
            return a % b
        case "<<":
            return int(a) << min(int(b), 62)
        case ">>":
            return int(a) >> int(b)
    return float({"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}.get(op, False))


def fold(op: str, left: Node, right: Node) -> Node | None:
    """What an operation gives that computes nothing when the kernel runs; None for others."""
    if left.number is not None and right.number is not None and not (op in "/%" and not right.number):
        return make_number(compute_sign(op, left.number, right.number))
    if (op == "+" and left.number == 0) or (op == "*" and left.number == 1):
        return right
    if (op in "+-" and right.number == 0) or (op in "*/" and right.number == 1):
        return left
    top = find_top(left)
    if op == "%" and top is not None and right.programs is not None and top < min(right.programs):
        # `% M` keeps what goes beyond an array inside of it: nothing does.
        return left
    return None


def add_tops(op: str, left: Node, right: Node) -> int | None:
    """The largest that a sum or a product can be; None where that is not known."""
    first, second = find_top(left), find_top(right)
    return int(compute_sign(op, first, second)) if op in "+*" and first is not None and second is not None else None


def find_top(node: Node) -> int | None:
    """The largest that a value can be; None where that is not known."""
    if node.top is not None or node.real:
        return node.top
    if node.number is not None:
        return int(node.number)
    return max(node.programs) if node.programs is not None else None


def find_programs(node: Node) -> tuple[int, ...] | None:
    """What a whole number is in each program; one value where it is the same in all."""
    if node.shape or node.real:
        return None
    if node.number is not None:
        return (int(node.number),)
    return node.programs


def spread_programs(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two numbers, of as many programs each."""
    size = max(len(one), len(other))
    return (one * size if len(one) == 1 else one), (other * size if len(other) == 1 else other)


def grows_evenly(node: Node) -> bool:
    """Whether a number of programs grows by as much from each to the next."""
    values = node.programs or ()
    return len({b - a for a, b in itertools.pairwise(values)}) <= 1
