"""Functions of Triton's language in CUDA."""

from __future__ import annotations

import ast
import math
from dataclasses import replace

from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_values import BYTES
from roofcast_hull.source.python_syntax import C_SIGNS, last_name, name_called, put_at
from roofcast_hull.source.triton_arguments import Arguments
from roofcast_hull.source.triton_host import TritonLaunch
from roofcast_hull.source.triton_language import RANDOM
from roofcast_hull.source.triton_nodes import (
    Nest,
    Node,
    broadcast,
    make_number,
    spread,
    take_along,
    transpose,
    write_update,
)
from roofcast_hull.source.triton_tiles import Tiles

MATRIX_BITS = {"float16": 16, "bfloat16": 17, "float32": 19, "float64": 64, "int8": 8, "uint8": 8, "float8": 9}
"""How the emulator names what matrix units multiply."""
WARPS_OF_GROUP = 4
"""Warps that multiply as one on GPUs that can (PTX: ``wgmma.m64nNkK``)."""
GROUP_ROWS = 64
"""Rows of such a product."""
GROUP_BITS = (8, 9, 16, 17, 19)
"""Types of such a product, by their bits."""
SUMS = {"sum": "+", "max": "fmaxf", "min": "fminf"}
MOST_PROGRAMS = 200_000
"""Programs of a grid of one axis whose numbers are known one by one."""
DRAW = "__philox"
DRAWING = f"__device__ float {DRAW}(int n) {{ __operations({RANDOM}); return 0.5f + 0.0f * n; }}"
"""A number of 0 to 1 by chance, as a function of C."""


class Functions(Tiles):
    """Writes calls. Each function has the name of the language's own behind ``do_``."""

    def __init__(self, launch: TritonLaunch, radix: tuple[int, ...] | None, *, uses_matrices: bool) -> None:
        super().__init__(launch, radix, uses_matrices=uses_matrices)
        self.helpers = dict(launch.helpers)
        """Functions that Triton compiles, by their names."""
        self.draws = False
        """Whether it draws numbers by chance."""

    def do_program_id(self, given: Arguments) -> Node:
        """``tl.program_id(0)``."""
        at = int(given.take(0, "axis").number or 0)
        label = self.number_digits(1, self.grid[0]) if self.radix else f"blockIdx.{'xyz'[at]}"
        flat = math.prod(self.grid) == self.grid[0] <= MOST_PROGRAMS
        return Node(lambda nest, at: label, (), programs=tuple(range(self.grid[0])) if flat else None,
                    top=self.grid[at] - 1)  # fmt: skip

    def do_num_programs(self, given: Arguments) -> Node:
        """``tl.num_programs(0)``."""
        return make_number(self.grid[int(given.take(0, "axis").number or 0)])

    def do_arange(self, given: Arguments) -> Node:
        """``tl.arange(0, BLOCK)``."""
        low, high = (int(v.number or 0) for v in given.values())
        return Node(lambda nest, at: f"({at[0]} + {low})" if low else at[0], (high - low,), top=high - 1)

    def do_zeros(self, given: Arguments) -> Node:
        """``tl.zeros((BLOCK,), tl.float32)``."""
        return self.fill(given.shape(0), make_number(0.0))

    def do_zeros_like(self, given: Arguments) -> Node:
        """``tl.zeros_like(x)``."""
        return self.fill(given.take(0).shape, make_number(0.0))

    def do_full(self, given: Arguments) -> Node:
        """``tl.full((BLOCK,), value, tl.float32)``."""
        return self.fill(given.shape(0), given.take(1))

    @staticmethod
    def fill(shape: tuple[int, ...], value: Node) -> Node:
        """A tensor of one value."""
        text = f"{float(value.number)}f" if value.number is not None else ""
        return Node(lambda nest, at: text or value.emit(nest, ()), shape, real=True)

    def do_float(self, given: Arguments) -> Node:
        """``float("inf")``."""
        negative = isinstance(given.call.args[0], ast.Constant) and str(given.call.args[0].value).startswith("-")
        return make_number(-1e30 if negative else 1e30)

    def do_cdiv(self, given: Arguments) -> Node:
        """A quotient that is rounded up."""
        a, b = given.values()[:2]
        return self.combine("/", self.combine("-", self.combine("+", a, b), make_number(1)), b)

    def do_load(self, given: Arguments) -> Node:
        """``tl.load(p + i, mask=m)``."""
        place, only = given.take(0), given.find(1, "mask")
        if not place.base:
            raise refuse(given.line, "what is loaded has no address")
        return self.load(place, self.limit(place, only, given))

    def limit(self, place: Node, only: Node | None, given: Arguments) -> Node | None:
        """The mask of a load or store, of a block pointer with the dimensions that it checks."""
        return only if place.block is None else self.bound_block(place, given.numbers("boundary_check"), only)

    def write_store(self, given: Arguments, name: str) -> None:
        """``tl.store(p + i, x, mask=m)``, ``tl.atomic_add(p + i, x)``."""
        place, value, only = given.take(0), given.take(1), given.find(2, "mask")
        if not place.base:
            raise refuse(given.line, "the place of a store is no address")
        atomic = "" if name == "store" else f"atomic{name[7:].capitalize()}"
        self.store(place, value, self.limit(place, only, given), atomic, given.call)

    def do_make_block_ptr(self, given: Arguments) -> Node:
        """``tl.make_block_ptr(base=p, shape=..., strides=..., offsets=..., block_shape=..., order=...)``."""
        base, sizes, strides, starts = (
            given.take(0, "base"), given.items(1, "shape"), given.items(2, "strides"), given.items(3, "offsets")
        )  # fmt: skip
        return self.point(base, (starts, sizes, strides), given.shape(4, "block_shape"))

    def do_advance(self, given: Arguments) -> Node:
        """``tl.advance(p, (0, BLOCK_K))``."""
        pointer = given.take(0)
        if pointer.block is None or pointer.loaded is None:
            raise refuse(given.line, "what is advanced is no block pointer")
        return self.shift_block(pointer, given.items(1))

    def do_where(self, given: Arguments) -> Node:
        """``tl.where(c, a, b)``."""
        test, yes, no = given.values()
        shape = broadcast(broadcast(test.shape, yes.shape), no.shape)

        def emit(nest: Nest, at: tuple[str, ...]) -> str:
            condition = spread(test, nest, at)
            if no.number is not None and condition in nest.guards:
                return spread(yes, nest, at)
            return f"({condition} ? {spread(yes, nest, at)} : {spread(no, nest, at)})"

        return Node(emit, shape, real=True)

    def do_clamp(self, given: Arguments) -> Node:
        """``tl.clamp(x, low, high)``."""
        value, low, high = given.values()[:3]
        return self.compute("minimum", [self.compute("maximum", [value, low]), high])

    def do_div_rn(self, given: Arguments) -> Node:
        """``tl.div_rn(a, b)``."""
        left, right = given.values()[:2]
        return self.combine("/", left, right, given.call)

    do_fdiv = do_div_rn

    def do_sigmoid(self, given: Arguments) -> Node:
        """``1 / (1 + exp(-x))``."""
        inner = given.take(0)
        return Node(lambda nest, at: f"(1.0f / (1.0f + expf(-{inner.emit(nest, at)})))", inner.shape, real=True)

    def do_trans(self, given: Arguments) -> Node:
        """A tile turned."""
        return transpose(given.take(0))

    def do_expand_dims(self, given: Arguments) -> Node:
        """``tl.expand_dims(x, 1)``."""
        value, at = given.take(0), given.axis() or 0
        at %= len(value.shape) + 1
        shape = (*value.shape[:at], 1, *value.shape[at:])
        return replace(value, emit=lambda nest, c: value.emit(nest, (*c[:at], *c[at + 1 :])), shape=shape, loaded=None)

    def do_rand(self, given: Arguments) -> Node:
        """``tl.rand(seed, offsets)``: a function of an element's number, Philox of ten rounds where it runs."""
        place = given.take(1)
        self.draws = True
        return Node(lambda nest, at: f"{DRAW}(1)", place.shape, real=True)

    do_randn = do_rand
    do_randint = do_rand

    def total(self, given: Arguments, name: str) -> Node:
        """``tl.sum(x, axis=0)``, ``tl.max(x)``."""
        if given.find_written(None, "return_indices") is not None:
            raise refuse(given.line, "an extreme with its place is two values: give each a name")
        return self.write_total(given.take(0), given.axis(), name, given.call)

    def write_total(self, inner: Node, axis: int | None, name: str, node: ast.AST) -> Node:
        """A sum or a maximum over a dimension, or over all: computed where it stands."""
        op = SUMS[name]
        start = "0.0f" if op == "+" else "-1e30f" if name == "max" else "1e30f"
        if len(inner.shape) <= 1 or axis is None:
            label = self.fresh(name)
            self.say(f"float {label} = {start};", node)

            def step(nest: Nest, at: tuple[str, ...]) -> str:
                return write_update(label, inner.emit(nest, at), op)

            self.nest(inner.shape, step)
            return Node(lambda nest, at: label, (), real=True)
        shape = tuple(s for n, s in enumerate(inner.shape) if n != axis % len(inner.shape))
        place, size = self.make_place(name, shape, start, node), inner.shape[axis]
        if axis % len(inner.shape) == len(inner.shape) - 1:
            # The threads of a program stand side by side along the last dimension, also where it is added up.
            def add(nest: Nest, at: tuple[str, ...]) -> str:
                return write_update(place.emit(nest, at[:-1]), inner.emit(nest, at), op)

            self.nest(inner.shape, add, node)
            return place
        self.nest(shape, lambda nest, at: self.write_sum(place.emit(nest, at), op, size, take_along(inner, at, axis)))
        return place

    def do_reduce(self, given: Arguments) -> Node:
        """``tl.reduce(x, axis=0, combine_fn=add)``."""
        name = {"+": "sum", "fmaxf": "max", "fminf": "min"}.get(self.find_combined(given), "")
        if not name:
            raise refuse(given.line, "what elements are combined by is no sum or extreme")
        return self.write_total(given.take(0, "input"), given.axis(), name, given.call)

    def find_combined(self, given: Arguments) -> str:
        """What a function of two values that is handed over computes: "+", "*", "fmaxf" or "fminf"."""
        function = given.find_written(2, "combine_fn")
        helper = self.helpers.get(last_name(function)) if function is not None else None
        last = helper.body[-1] if helper is not None else None
        value = last.value if isinstance(last, ast.Return) else None
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Mult)):
            return C_SIGNS[type(value.op)]
        if isinstance(value, ast.Call) and name_called(value) in ("maximum", "minimum", "max", "min"):
            return f"f{name_called(value)[:3]}f"
        raise refuse(given.line, "what elements are combined by is no sum, product or extreme")

    def do_softmax(self, given: Arguments) -> Node:
        """``tl.softmax(x)``: its rows or all of it, less the largest, over the sum."""
        text = "tl.exp({0} - tl.max({0}, axis=0)) / tl.sum(tl.exp({0} - tl.max({0}, axis=0)), axis=0)"
        whole = ast.parse(text.format(ast.unparse(given.call.args[0])), mode="eval").body
        return given.read(put_at(whole, given.call))

    def do_associative_scan(self, given: Arguments) -> Node:
        """``tl.associative_scan(x, 0, add)``."""
        return self.write_running(given.take(0), self.find_combined(given))

    def do_cumsum(self, given: Arguments) -> Node:
        """``tl.cumsum(x, axis=0)``."""
        return self.write_running(given.take(0), "+")

    def do_cumprod(self, given: Arguments) -> Node:
        """``tl.cumprod(x, axis=0)``."""
        return self.write_running(given.take(0), "*")

    @staticmethod
    def write_running(inner: Node, op: str) -> Node:
        """A value after the other along a dimension."""
        # Threads of a program add up by shuffles: twice as many operations as elements.
        sign = op if op in "+*" else "+"
        return Node(lambda nest, at: f"({inner.emit(nest, at)} {sign} 0.5f {sign} 0.5f)", inner.shape, real=True)

    def do_sort(self, given: Arguments) -> Node:
        """``tl.sort(x)``: a bitonic network, k (k + 1) / 2 steps of an element's comparison with another one."""
        inner = given.take(0)
        stages = max(1, math.ceil(math.log2(max(2, inner.shape[-1]))))
        text = "fminf({}, 0.5f)"
        steps = stages * (stages + 1) // 2

        def emit(nest: Nest, at: tuple[str, ...]) -> str:
            label = nest.fresh("k")
            step = f"{label} = {text.format(label)};"
            nest.lines.append(f"float {label} = {inner.emit(nest, at)}; for (int s = 0; s < {steps}; s++) {{ {step} }}")
            return label

        return Node(emit, inner.shape, real=True)

    def do_histogram(self, given: Arguments) -> Node:
        """``tl.histogram(x, BINS)``: a count for each value, which a program adds to the counts of all."""
        inner, bins = given.take(0), int(given.take(1).number or 0)
        if not bins:
            raise refuse(given.line, "how many values tl.histogram counts is no number")
        label = self.fresh("bins")
        self.say(f"__shared__ float {label}[{bins}];", given.call)
        self.nest(inner.shape, lambda nest, at: f"atomicAdd(&{label}[{inner.emit(nest, at)}], 1.0f);", given.call)
        return Node(lambda nest, at: f"{label}[{at[0]}]", (bins,), real=True)

    def do_dot(self, given: Arguments) -> Node:
        """A product of two tiles on matrix units, whose operands lie in shared memory.

        Each warp computes a part of the product: it reads the rows of the left tile and the columns of the right one
        that it needs, so that a tile is read as often as parts lie side by side.
        """
        left, right = (self.keep("tile", given.take(k), given.call) for k in (0, 1))
        if len(left.shape) != 2 or len(right.shape) != 2 or left.shape[1] != right.shape[0]:
            raise refuse(given.line, f"a product of tiles of {left.shape} and {right.shape}")
        (rows, inner), columns, warps = left.shape, right.shape[1], self.launch.warps
        kind = left.dtype or right.dtype or "float32"
        quick = given.find(None, "allow_tf32")
        exact = getattr(given.find_written(None, "input_precision"), "value", "") == "ieee" or (
            quick is not None and quick.number == 0
        )
        bits = 32 if exact and kind == "float32" else MATRIX_BITS.get(kind)
        if bits is None:
            raise refuse(given.line, f"a product of tiles of {kind}")
        down = 1
        while 2 * down <= warps and down * columns < warps // down * rows:
            down *= 2
        groups = warps // WARPS_OF_GROUP if bits in GROUP_BITS and rows >= GROUP_ROWS else 0
        groups_down = min(groups, rows // GROUP_ROWS)
        moved = saved = 0
        for tile, times, by_groups in (
            (left, warps // down, groups // max(1, groups_down)), (right, down, groups_down),
        ):  # fmt: skip
            label = tile.emit(Nest(self.fresh), ("0", "0"))
            if label in self.computed and tile is left:
                # Registers of a warp hold its own part.
                continue
            outside = self.depths.get(label, self.depth) < self.depth
            bytes_of_tile = math.prod(tile.shape) * BYTES[kind]
            moved += bytes_of_tile * (times + (0 if outside else 1))
            saved += bytes_of_tile * max(0, times - by_groups) if groups else 0
            self.place_tile(tile, label, kind, 1 if outside or not self.depth else self.launch.stages)
        products = rows * inner * columns // warps
        self.say(
            f"__matrix_multiply({products}, {bits}); __shared_traffic({moved // warps}, {saved // warps});", given.call
        )
        if (third := given.find(2, "acc")) is not None:
            return third
        label = self.fresh("product")
        self.depths[label] = self.depth
        self.say(f"float {label} = 0.0f;", given.call)
        return Node(lambda nest, at: label, (rows, columns), real=True)
