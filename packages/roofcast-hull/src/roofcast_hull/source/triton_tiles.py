"""Where tensors of a Triton program live in CUDA: registers, shared memory, arrays that block pointers walk through."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Sequence

from roofcast_hull.source.host_numbers import UnknownNumberError, evaluate_number
from roofcast_hull.source.numpy_values import BYTES, Tensor
from roofcast_hull.source.triton_expressions import Expressions
from roofcast_hull.source.triton_host import TritonLaunch
from roofcast_hull.source.triton_nodes import (
    Nest,
    Node,
    broadcast,
    is_loaded,
    is_register,
    spread,
    write_index,
)

WIDE = 16
"""B that a thread loads at once at most."""
VECTORS = {1: "char", 2: "__half", 4: "float", 8: "float2", 16: "float4"}
"""Types of C by their bytes."""
C_TYPES = {"float16": "__half", "bfloat16": "__half", "float32": "float", "float64": "double", "int8": "char",
           "uint8": "unsigned char", "bool": "char", "int16": "short", "int32": "int", "int64": "long",
           "half": "__half", "float": "float", "double": "double", "int": "int", "long": "long",
           **dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"), "char")}  # fmt: skip
"""Types of C by the names of Torch and Triton."""


class Tiles(Expressions):
    """Writes what tensors are loaded from, held in and stored to."""

    def __init__(self, launch: TritonLaunch, radix: tuple[int, ...] | None, *, uses_matrices: bool) -> None:
        super().__init__(launch, radix, uses_matrices=uses_matrices)
        self.tiles: dict[str, str] = {}
        """Shared memory of operands of products, by their names."""
        self.depth = 0
        """Loops around."""
        self.computed: set[str] = set()
        """Names of tensors in registers that are no loads."""
        self.depths: dict[str, int] = {}
        """Names of tensors in registers -> loops around their first value."""

    def keep(self, name: str, value: Node, at: ast.AST) -> Node:
        """A tensor that the registers of a program hold: loaded or computed once, where it stands."""
        if is_register(value):
            return value
        label = self.fresh(name)
        self.say(f"float {label} = 0.0f;", at)
        self.depths[label] = self.depth
        if value.loaded is not None:
            self.fetch(value, label)
        else:
            self.computed.add(label)
            self.nest(value.shape, lambda nest, at: f"{label} = {value.emit(nest, at)};", at)
        return Node(lambda nest, at: label, value.shape, real=True, dtype=value.dtype)

    def fetch(self, value: Node, label: str) -> None:
        """Load a tile: threads side by side along what is contiguous, 16 bytes each where it is aligned to them."""
        assert value.loaded is not None
        place, only = value.loaded
        tensor = self.launch.arguments.get(place.base)
        size = BYTES[tensor.dtype] if isinstance(tensor, Tensor) else 4
        shape = place.shape
        axis = next((n for n in range(len(shape) - 1, -1, -1) if self.find_step(place, n) == 1), None)
        wide = math.gcd(WIDE // size, shape[axis]) if axis is not None else 1
        kind = VECTORS[wide * size]
        fewer = tuple(n // wide if k == axis else n for k, n in enumerate(shape))

        def load(nest: Nest, at: tuple[str, ...]) -> str:
            where = tuple(f"({c} * {wide})" if k == axis and wide > 1 else c for k, c in enumerate(at))
            if only is not None:
                nest.guard(spread(only, nest, where))
            element = f"(({kind} *){place.base})[({place.emit(nest, where)}) / {wide}]"
            if kind.startswith("float") and len(kind) > len("float"):
                vector = nest.fresh("v")
                return f"{kind} {vector} = {element}; {label} = {vector}.x;"
            return f"{label} = {element};"

        self.nest(fewer, load, fastest=axis)

    def find_step(self, place: Node, axis: int) -> int | None:
        """Elements from one index of a tile's dimension to the next; None where that is no number."""
        known = {n: v for n, v in self.launch.arguments.items() if isinstance(v, int)}
        ends = []
        for end in "01":
            at = tuple(end if n == axis else "0" for n in range(len(place.shape)))
            text = re.sub(r"blockIdx\.\w", "0", place.emit(Nest(self.fresh), at))
            text = re.sub(r"[A-Za-z_]\w*", lambda m: str(known.get(m[0], 0)), text)
            try:
                ends.append(evaluate_number(text, {}))
            except (UnknownNumberError, ArithmeticError, ValueError):
                return None
        step = ends[1] - ends[0]
        return int(step) if float(step).is_integer() else None

    def remember(self, name: str, value: Node, at: ast.AST) -> Node:
        """A tensor that is used several times: computed once for each element."""
        trial = Nest(self.fresh)
        if is_loaded(value.emit(trial, ("l",) * len(value.shape)), trial):
            return value
        identity = object()

        def once(nest: Nest, at: tuple[str, ...]) -> str:
            key = identity, at
            if key not in nest.known:
                text, held = value.emit(nest, at), nest.fresh(name)
                nest.lines.append(f"float {held} = {text};")
                nest.known[key] = held
            return nest.known[key]

        return Node(once, value.shape, real=True)

    def make_place(self, word: str, shape: tuple[int, ...], start: str, at: ast.AST) -> Node:
        """A tensor of the program's own, with a first value: a number of each thread where elements are threads'."""
        label = self.fresh(word)
        if self.uses_matrices:
            self.depths[label] = self.depth
            self.say(f"float {label} = {start};", at)
            return Node(lambda nest, at: label, shape, real=True)
        self.say(f"float {label}{write_index([str(n) for n in shape])};", at)
        self.nest(shape, lambda nest, at: f"{label}{write_index(at)} = {start};")
        return Node(lambda nest, at: label + write_index(at), shape, real=True)

    def hold(self, name: str, value: Node, at: ast.AST) -> Node:
        """A value that a loop changes, in a place of its own."""
        if self.uses_matrices and value.shape:
            label = self.fresh(name)
            self.say(f"float {label} = 0.0f;", at)
            if not is_register(value):
                self.nest(value.shape, lambda nest, at: f"{label} = {value.emit(nest, at)};")
            self.depths[label] = self.depth
            return Node(lambda nest, at: label, value.shape, real=True, dtype=value.dtype)
        label, nest = self.fresh(name), Nest(self.fresh)
        if not value.shape:
            text = value.emit(nest, ())
            self.say(" ".join([*nest.lines, f"float {label} = {text};"]), at)
            return Node(lambda nest, at: label, value.shape, real=True)
        self.say(f"float {label}{write_index([str(n) for n in value.shape])};", at)
        self.nest(value.shape, lambda nest, at: f"{label}{write_index(at)} = {value.emit(nest, at)};")
        return Node(lambda nest, at: label + write_index(at), value.shape, real=True)

    def place_tile(self, tile: Node, label: str, kind: str, stages: int) -> None:
        """Shared memory of an operand, of those of a loop for each stage of its pipeline."""
        if label in self.tiles:
            return
        self.tiles[label] = f"shared_{label}"
        self.say(f"__shared__ {C_TYPES.get(kind, 'char')} {self.tiles[label]}[{math.prod(tile.shape) * stages}];")

    def load(self, place: Node, only: Node | None) -> Node:
        """What lies at addresses: outside of its mask nothing is loaded."""
        tensor = self.launch.arguments.get(place.base)
        dtype = tensor.dtype if isinstance(tensor, Tensor) else ""
        whole = dtype.startswith(("int", "uint"))
        identity = object()

        def emit(nest: Nest, at: tuple[str, ...]) -> str:
            key = identity, at
            if key not in nest.known:
                if only is not None:
                    nest.guard(spread(only, nest, at))
                element = f"{place.base}[{place.emit(nest, at)}]"
                if whole:
                    return element
                label = nest.fresh("v")
                nest.lines.append(f"float {label} = {element};")
                nest.known[key] = label
            return nest.known[key]

        return Node(emit, place.shape, real=not whole, dtype=dtype, loaded=(place, only) if place.shape else None)

    def store(self, place: Node, value: Node, only: Node | None, atomic: str, at: ast.AST) -> None:
        """Give elements their values. atomic : CUDA's function of these and of what is there; "" where that goes."""

        def keep(nest: Nest, counters: tuple[str, ...]) -> str:
            if only is not None:
                nest.guard(spread(only, nest, counters))
            element = f"{place.base}[{spread(place, nest, counters)}]"
            if not atomic:
                return f"{element} = {spread(value, nest, counters)};"
            return f"{atomic}(&{element}, {spread(value, nest, counters)});"

        self.nest(broadcast(place.shape, value.shape), keep, at)

    def point(
        self, base: Node, block: tuple[tuple[Node, ...], tuple[Node, ...], tuple[Node, ...]], shape: tuple[int, ...]
    ) -> Node:
        """The addresses of a block pointer."""
        starts, _, strides = block
        total = Node(lambda nest, at: base.emit(nest, ()), ())
        for n, (start, stride) in enumerate(zip(starts, strides, strict=True)):
            counter = Node(lambda nest, at, n=n: at[n], shape)  # type: ignore[misc]
            total = self.combine("+", total, self.combine("*", self.combine("+", start, counter), stride))
        return Node(total.emit, shape, base.base, block=block, loaded=(base, None))

    def shift_block(self, pointer: Node, steps: Sequence[Node]) -> Node:
        """A block pointer some elements further."""
        assert pointer.block is not None
        assert pointer.loaded is not None
        starts, sizes, strides = pointer.block
        moved = tuple(self.combine("+", a, b) for a, b in zip(starts, steps, strict=True))
        return self.point(pointer.loaded[0], (moved, sizes, strides), pointer.shape)

    def bound_block(self, place: Node, axes: Sequence[int], only: Node | None) -> Node | None:
        """The mask of a block pointer: inside of the dimensions that it checks. only : what limits it besides."""
        assert place.block is not None
        starts, sizes, _ = place.block
        for n in axes:
            counter = Node(lambda nest, at, n=n: at[n], place.shape)  # type: ignore[misc]
            inside = self.combine("<", self.combine("+", starts[n], counter), sizes[n])
            only = inside if only is None else self.combine("&", only, inside)
        return only
