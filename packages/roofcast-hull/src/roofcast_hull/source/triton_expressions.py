"""Expressions in CUDA of what a Triton program computes, and dimensions of the grid that its whole numbers are."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from roofcast_hull.source.nest import SourceError, refuse
from roofcast_hull.source.triton_host import TritonLaunch
from roofcast_hull.source.triton_loops import Loops
from roofcast_hull.source.triton_nodes import (
    COMPARED,
    Nest,
    Node,
    add_tops,
    broadcast,
    compute_sign,
    find_programs,
    fold,
    make_number,
    spread,
    spread_programs,
)

CALLS = {"exp": "expf", "exp2": "exp2f", "log": "logf", "log2": "log2f", "sqrt": "sqrtf", "sqrt_rn": "sqrtf",
         "rsqrt": "rsqrtf", "sin": "sinf", "cos": "cosf", "abs": "fabsf", "maximum": "fmaxf", "minimum": "fminf",
         "erf": "erff", "tanh": "tanhf", "floor": "floorf", "ceil": "ceilf", "fma": "fmaf", "pow": "powf",
         "log1p": "log1pf", "expm1": "expm1f", "tan": "tanf", "fast_expf": "expf", "fast_logf": "logf"}  # fmt: skip
"""Functions of elements, as C calls them."""


class NoGridError(SourceError):
    """What programs work on is no grid of places."""


class Expressions(Loops):
    """Writes operations of numbers and tensors.

    radix : sizes of the dimensions that a program's number is divided into, the fastest first; () where it is divided
    as it stands; None where what programs work on are the dimensions.
    """

    def __init__(self, launch: TritonLaunch, radix: tuple[int, ...] | None, *, uses_matrices: bool) -> None:
        super().__init__(launch, uses_matrices=uses_matrices)
        self.radix = radix
        self.grid = (*(launch.grid or ()), 1, 1)[:3]
        self.places: dict[str, tuple[int, ...]] = {}
        """Whole numbers that the program's index decides other than by products and sums, by their names in C."""

    def name_number(self, name: str, programs: tuple[int, ...] | None) -> Node:
        """A whole number that has a name."""
        return Node(lambda nest, at: name, (), programs=programs)

    def combine(self, op: str, left: Node, right: Node, at: ast.AST | None = None) -> Node:
        """An operation of two values, element by element."""
        if left.base or right.base:
            pointer, by = (left, right) if left.base else (right, left)
            if op not in "+-" or by.base:
                raise refuse(getattr(at, "lineno", 1), "addresses are only moved")
            if op == "+" and not pointer.shape and pointer.emit(Nest(self.fresh), ()) == "0":
                # From the start of an array: no addition, where the place is an element's value.
                return Node(by.emit, by.shape, pointer.base)
            inner = self.combine(op, Node(pointer.emit, pointer.shape), by)
            return Node(inner.emit, inner.shape, pointer.base)
        if op in "&|" and left.number is None and right.number is None:
            op = op * 2
        if (folded := fold(op, left, right)) is not None:
            return folded
        sides = [find_programs(left), find_programs(right)]
        programs = None
        if sides[0] is not None and sides[1] is not None and op not in COMPARED:
            pairs = zip(*spread_programs(sides[0], sides[1]), strict=True)
            programs = tuple(int(compute_sign(op, a, b)) for a, b in pairs)
            if self.radix and op in "/%" and (digit := find_digit(programs)) is not None:
                label = self.number_digits(*digit)
                return Node(lambda nest, at: label, (), programs=programs)

        def emit(nest: Nest, at: tuple[str, ...]) -> str:
            return f"({spread(left, nest, at)} {op} {spread(right, nest, at)})"

        combined = Node(
            emit, broadcast(left.shape, right.shape), real=(left.real or right.real) and op not in COMPARED,
            programs=programs, top=add_tops(op, left, right),
        )  # fmt: skip
        return self.settle(combined)

    def settle(self, value: Node) -> Node:
        """A number of the algorithm that the whole program shares: computed once, where it stands."""
        if value.shape or value.base or not value.real or value.number is not None:
            return value
        nest = Nest(self.fresh)
        label = self.fresh("s")
        text = value.emit(nest, ())
        guards = " && ".join(f"({g})" for g in nest.guards)
        chosen = f"({guards}) ? {text} : 0.0f" if guards else text
        self.say(f"{' '.join(nest.lines)} float {label} = {chosen};")
        return Node(lambda nest, at: label, (), real=True)

    def compute(self, name: str, given: Sequence[Node]) -> Node:
        """A function of elements, one operation each."""
        if all(g.number is not None for g in given) and name in ("min", "max"):
            return make_number({"min": min, "max": max}[name](g.number for g in given if g.number is not None))
        sides = [find_programs(g) for g in given]
        programs = None
        if name in ("min", "max", "minimum", "maximum") and all(s is not None for s in sides):
            choose = {"min": min, "max": max}[name[:3]]
            pairs = zip(*spread_programs(*(s for s in sides if s is not None)), strict=True)
            programs = tuple(choose(a, b) for a, b in pairs)
        label = CALLS.get(name, {"min": "min", "max": "max"}.get(name, name))
        shape: tuple[int, ...] = ()
        for g in given:
            shape = broadcast(shape, g.shape)
        real = name not in ("min", "max") or any(g.real for g in given)
        call = Node(
            lambda nest, at: f"{label}({', '.join(spread(g, nest, at) for g in given)})", shape, real=real,
            programs=programs,
        )  # fmt: skip
        return self.settle(call)

    def number_digits(self, divisor: int, size: int) -> str:
        """``program / divisor % size`` from the dimensions of the grid."""
        weight, digits = 1, list[str]()
        for axis, extent in zip("xyz", self.radix or (), strict=False):
            if divisor <= weight < divisor * size:
                digits.append(f"blockIdx.{axis} * {weight // divisor}" if weight > divisor else f"blockIdx.{axis}")
            weight *= extent
        return f"({' + '.join(digits[::-1])})" if len(digits) > 1 else "".join(digits) or "0"

    def name_place(self, label: str, programs: tuple[int, ...]) -> str:
        """A whole number of a program that is no sum of its indices: a dimension of the grid."""
        for n, values in enumerate(self.places.values()):
            if values == programs:
                return f"blockIdx.{'yx'[n]}"
        self.places[label] = programs
        return f"blockIdx.{'yx'[(len(self.places) - 1) % 2]}"

    def find_grid(self) -> tuple[int, ...]:
        """Blocks of the launch; two numbers that number all programs are two of its dimensions.

        Raises
        ------
        NoGridError : what programs work on is no grid of places.
        """
        if self.radix:
            return (*self.radix, 1, 1)[:3]
        if not self.places:
            return self.grid
        values = list(self.places.values())
        sizes = [max(v) + 1 for v in values]
        several = len({tuple(p) for p in zip(*values, strict=True)})
        if (
            len(values) > 2
            or math.prod(self.grid) != self.grid[0]
            or several != self.grid[0]
            or math.prod(sizes) != several
        ):
            raise NoGridError("which tile a program works on is no grid of tiles")
        # The last one is contiguous.
        return tuple([*sizes[::-1], 1, 1][:3])


def find_digit(values: Sequence[int]) -> tuple[int, int] | None:
    """Divisor and size with which numbers are ``k / divisor % size`` for k = 0, 1, ...; None for others.

    >>> find_digit([0, 0, 1, 1, 0, 0, 1, 1])
    (2, 2)
    """
    divisor = next((k for k, v in enumerate(values) if v), 0)
    size = max(values, default=0) + 1
    agrees = divisor and all(v == k // divisor % size for k, v in enumerate(values))
    return (divisor, size) if agrees else None
