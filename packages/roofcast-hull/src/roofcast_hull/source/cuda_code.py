"""CUDA and HIP kernels: the grid and the blocks as loops, shared memory as the place of copies.

A thread runs the body once for each value of ``blockIdx`` and ``threadIdx``; which elements it works on is affine in
them. What a kernel copies into shared memory it reads from there as from the array it was copied from: blocking, not
another computation. Shared memory that holds computed values (trees of partial sums), warp intrinsics and templates are
refused by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.builder import Builder, Condition, Value
from roofcast_hull.source.c_code import CReader
from roofcast_hull.source.c_statements import read_step
from roofcast_hull.source.c_tree import called, find_calls, find_names, substitute, uncast
from roofcast_hull.source.nest import Access, Affine, Routine, SourceError, find_extreme, refuse
from roofcast_hull.source.thread_indices import (
    AXES,
    EXTENTS,
    SPECIAL,
    WHOLE,
    find_block_sizes,
    find_constants,
    find_dimensions,
    find_divided,
    find_fields,
    find_limit,
    join_axis,
    map_divided,
    replace_all,
    split_threads,
)

PURE = ("min", "max", "fminf", "fmaxf", "abs", "fabsf")
"""Functions that keep an index inside an array."""
MAKER = "@"
"""Before the counters of the thread that made a copy: another one than the thread that reads it."""
BLOCKS = {1: (256,), 2: (16, 16), 3: (8, 8, 4)}
"""Threads of a block along each axis, where nothing states them."""
INTRINSICS = (
    "__shfl", "__ballot", "__any", "__all", "__match", "__reduce", "__activemask", "wmma", "nvcuda", "asm", "__warp_",
    "__block_",
)  # fmt: skip
BOUNDS = r"(?:__launch_bounds__\s*\([^)]*\)\s*)?"
KERNEL = re.compile(rf"__global__\s+{BOUNDS}(?:\w+[\s*]+)+?{BOUNDS}(?!__launch_bounds__)(\w+)\s*\(")
TEMPLATE = re.compile(r"template\s*<[^<>]*>\s*((?:\w+[\s*]+)*?)(\w+)\s*\(")


def find_kernels(text: str) -> dict[str, bool]:
    """Kernels of a file, and whether each is a template."""
    templates = {m[2] for m in TEMPLATE.finditer(text)}
    return {m[1]: m[1] in templates for m in KERNEL.finditer(text)}


def read_kernel(chosen: Any, builder: Builder, ast: Any, functions: Mapping[str, Any], body: Any, tree: Any) -> Routine:
    """The routine of one kernel, all threads of the grid as loops."""
    reader = KernelReader(builder, ast, functions)
    reader.declarations.read_file(tree)
    reader.declarations.find_single(body)
    for parameter in getattr(chosen.decl.type.args, "params", None) or ():
        reader.declarations.declare(parameter)
    shapes = builder.routine.shapes
    builder.routine.of_launch = frozenset(
        n for n, dims in shapes.items() if "." in n and n.partition(".")[0] not in shapes and all(d > 0 for d in dims)
    )
    if named := sorted(n for n in find_calls(body) if n.startswith(INTRINSICS)):
        what = "exchanges values between threads" if not named[0].startswith("asm") else "is assembly"
        raise refuse(reader.line(chosen), f"'{one_line(named[0], 40)}' {what}: not followed")
    reader.visit(reader.open_grid(chosen, body))
    builder.routine.launch = {n: v for n, v in builder.sizes.items() if n.startswith(("gridDim.", "blockDim."))}
    return builder.routine


@dataclass(frozen=True, slots=True)
class Copy:
    """An element of shared memory, and the element of an array that it is a copy of."""

    place: Access
    source: Access
    fixed: tuple[tuple[str, int], ...] = ()
    """Counters of threads that make it, where a condition says which: ``threadIdx.x == 0``."""

    @property
    def made(self) -> Copy:
        """The same, of those threads alone."""
        meaning = {v: Affine((), n) for v, n in self.fixed}
        place, source = (
            replace(a, indices=tuple(replace_all(i, meaning) for i in a.indices)) for a in (self.place, self.source)
        )
        return Copy(place, source, self.fixed)


class KernelReader(CReader):
    """Walks the body of a kernel."""

    ends_thread = True

    def __init__(self, builder: Builder, ast: Any, functions: Mapping[str, Any]) -> None:
        super().__init__(builder, ast, functions)
        self.given: set[str] = set()
        """Scalars that the kernel is given."""
        self.threads: set[str] = set()
        """Counters of the threads of a block."""
        self.copies: dict[str, list[Copy]] = {}
        """Of shared arrays, and of members of their elements."""
        self.grouped = False
        """Whether blocks have results of their own: loops over the whole grid then are loops of each thread."""
        self.constants: dict[str, Any] = {}
        """Names that the kernel gives a value of sizes, once."""

    def open_grid(self, chosen: Any, body: Any) -> Any:
        """Open the loops over blocks, then over threads, the contiguous axis innermost; the body to be read in them.

        An axis along which the kernel only uses the index in the whole grid is one loop.
        """
        params = getattr(chosen.decl.type.args, "params", None) or ()
        self.constants = find_constants(body)
        self.given = {str(p.name) for p in params if type(p.type).__name__ == "TypeDecl"}
        used = [a for a in AXES if any(f"{i}.{a}" in find_fields(body) for i in ("threadIdx", "blockIdx"))]
        if not used and any(c.startswith("atomic") for c in find_calls(body)):
            raise refuse(self.line(chosen), "data decide which thread does what: they take their work by atomics")
        if not used:
            raise refuse(self.line(chosen), "the kernel uses no thread index: every thread does the same")
        axes = AXES[: AXES.index(used[-1]) + 1]
        stated = dict(find_block_sizes(body, self.find_number))
        sizes, blocks, assumed = self.builder.sizes, dict[str, int](), []
        for at, a in enumerate(axes):
            known = sizes.get(f"blockDim.{a}", stated.get(a))
            blocks[a] = known or BLOCKS[len(axes)][at]
            if known is None:
                assumed.append(f"blockDim.{a}")
            sizes[f"blockDim.{a}"] = blocks[a]
        self.grouped = self.has_results(body, axes, blocks)
        grid = {a: self.count_blocks(a, blocks[a], chosen, body) for a in axes}
        whole = dict[str, int]()
        for a in axes:
            joined = join_axis(body, a, blocks[a], self.find_number)
            joins = not {f"threadIdx.{a}", f"blockIdx.{a}"} & find_fields(joined)
            if joins and find_fields(joined) != find_fields(body):
                body, whole[a] = joined, grid[a] * blocks[a]
            sizes[f"gridDim.{a}"] = grid[a]
        over = [(WHOLE, a, whole[a]) if a in whole else ("blockIdx", a, grid[a]) for a in axes[::-1]]
        over += [("threadIdx", a, blocks[a]) for a in axes[::-1] if a not in whole]
        for index, a, count in over:
            if count == 1 and index != WHOLE:
                self.builder.scope[f"{index}.{a}"] = Affine()
                continue
            widths = find_dimensions(body, f"{WHOLE}.{a}", self.find_number) if index == WHOLE else []
            # Divided by as much as it is or more, an index gives 0: that is no dimension.
            widths = [w for w in widths if w < count] if count in widths else widths
            if widths and count >= widths[-1]:
                self.open_dimensions(f"{index}.{a}", count, blocks[a], widths, self.line(chosen))
                continue
            last = (Affine((), count - 1),)
            unique = self.builder.open_loop(f"{index}.{a}", (Affine(),), last, 1, self.line(chosen), False)
            self.threads |= {unique} if index == "threadIdx" else set()
            self.builder.scope[f"{index}.{a}"] = Affine.of({unique: 1})
        self.first_loop = len(self.builder.loops)
        self.builder.routine.strips = frozenset(n for a, n in blocks.items() if a not in whole)
        shape = (
            " x ".join(str(grid[a]) for a in axes),
            " x ".join(str(self.builder.launched.get(a, blocks[a])) for a in axes),
        )
        is_single = math.prod(grid[a] for a in axes) == 1
        note = f"launch of {shape[0]} block{'s' * (not is_single)} of {shape[1]} threads"
        more = f" ({', '.join(assumed)} assumed: --size {assumed[0]}=N)" if assumed else ""
        self.builder.routine.notes = (*self.builder.routine.notes, note + more)
        return body

    def open_dimensions(self, name: str, count: int, threads: int, widths: Sequence[int], line: int) -> None:
        """Open a loop for each dimension that a kernel divides one index into: ``w + W (h + H c)``.

        count : threads along the axis; those of the last block beyond the array do nothing.
        """
        outermost = count // widths[-1] + (count % widths[-1] >= threads)
        sizes = [outermost, *(widths[n] // widths[n - 1] for n in range(len(widths) - 1, 0, -1)), widths[0]]
        scales = [*widths[::-1], 1]
        self.builder.routine.loose |= outermost * widths[-1] > count + threads
        self.builder.routine.divisors = tuple(widths)
        place = Affine()
        for size, scale in zip(sizes, scales, strict=True):
            unique = self.builder.open_loop(f"{name}/{scale}", (Affine(),), (Affine((), size - 1),), 1, line, False)
            place = place + Affine.of({unique: scale})
        self.builder.scope[name] = place

    def count_blocks(self, axis: str, threads: int, chosen: Any, body: Any) -> int:
        """Blocks along an axis: as stated, as many as a condition or a parameter asks for, else refused."""
        sizes = self.builder.sizes
        extent = find_limit(body, axis, self.find_number)
        if (stated := sizes.get(f"gridDim.{axis}")) is not None:
            # Threads that go on by the whole grid share the turns of their loop.
            strides = f"gridDim.{axis}" in find_fields(body) and extent is not None and not self.grouped
            blocks = max(stated, -(-(extent or 0) // threads)) if strides else stated
            # What stands outside of loops over the whole grid runs once for a thread, not for an element.
            self.builder.share *= stated / blocks
            return blocks
        if extent is None:
            fitting = [n for n in EXTENTS[axis].split() if n in self.given]
            if not fitting:
                raise refuse(self.line(chosen), f"nothing says how many blocks run: give --size gridDim.{axis}=N")
            extent = self.builder.size(fitting[0], self.line(chosen)).constant
        return max(1, -(-extent // threads))

    def has_results(self, body: Any, axes: Sequence[str], blocks: Mapping[str, int]) -> bool:
        """Whether an element is written for each block of a launch that the file states, after loops over all of it."""
        if axes != ("x",) or not self.builder.sizes.get("gridDim.x"):
            return False
        left = find_fields(join_axis(body, "x", blocks["x"], self.find_number))
        return "gridDim.x" in left and "blockIdx.x" in left

    def find_number(self, node: Any) -> int | None:
        """An expression of sizes as a number; None for what depends on threads, or is not known yet."""
        names = find_names(node)
        if names & set(self.constants):
            node = substitute(node, self.constants)
            names = find_names(node)
        fields = find_fields(node)
        members = {
            f.partition(".")[0] for f in fields if f in self.builder.sizes and f.partition(".")[0] not in SPECIAL
        }
        names -= {part for f in fields for part in f.split(".")}
        if {f.partition(".")[0] for f in fields} - members or not names <= (self.given | set(self.builder.sizes)):
            return None
        try:
            expression = self.affine(node)
        except SourceError:
            return None
        return None if expression.variables else expression.constant

    def visit_decl(self, node: Any) -> None:
        """``static`` stands for ``__shared__``; first values of a thread's own array come with its code."""
        if "static" in (node.storage or ()) and type(node.type).__name__ == "ArrayDecl":
            self.copies[str(node.name)] = []
        elif type(node.init).__name__ == "InitList":
            self.builder.routine.of_launch |= {str(node.name)}
        super().visit_decl(node)

    def visit_return(self, node: Any) -> None:
        """The end of one thread."""
        if self.builder.conditions:
            raise refuse(self.line(node), "return inside a condition with more than it: how far a thread gets is open")

    def affine(self, node: Any) -> Affine:
        """An index or bound; threads and blocks are counters."""
        if type(node).__name__ == "StructRef":
            name = f"{getattr(node.name, 'name', '')}.{node.field.name}"
            if name in self.builder.scope or name in self.builder.sizes:
                return self.builder.size(name, self.line(node))
        return super().affine(node)

    def value(self, node: Any) -> Value:
        """Operations and reads; thread and block indices cost nothing."""
        if type(node).__name__ == "StructRef" and f"{getattr(node.name, 'name', '')}.{node.field.name}" in {
            *self.builder.scope, *self.builder.sizes,
        }:  # fmt: skip
            return Value()
        return super().value(node)

    def visit_for(self, node: Any) -> None:
        """A loop; one that goes on by the whole grid deals out its turns to all threads."""
        if (rows := self.deal_rows(node)) is not None:
            self.visit(rows)
            return
        name = self.find_strided(node)
        if name is not None and self.grouped:
            self.visit_turns(node, name)
            return
        if name is not None:
            before, share = self.builder.scope.get(name), self.builder.share
            if node.init is not None:
                self.builder.scope[name] = self.ranges.start(node.init, self.line(node))[1][0]
            self.builder.share = 1.0
            with self.builder.under(self.conditions.condition(node.cond)[0]):
                self.visit(node.stmt)
            self.builder.share = share
            self.builder.restore(name, before)
            return
        super().visit_for(node)

    def deal_rows(self, node: Any) -> Any | None:
        """A loop that deals out the elements of a tile to the threads of a block, as loops over its rows and columns.

        Of ``for (i = tid; i < 18 * 20; i += 256) tile[i / 20][i % 20] = a[...]``; None for other loops.
        """
        step = read_step(node.next, self.ast) if node.next is not None else None
        if step is None or type(node.cond).__name__ != "BinaryOp" or node.cond.op != "<":
            return None
        name, threads = step[0], math.prod(self.builder.sizes.get(f"blockDim.{a}", 1) for a in AXES)
        divisors = {self.find_number(d) for d in find_divided(node.stmt, name)}
        end, width = self.find_number(node.cond.right), divisors.pop() if len(divisors) == 1 else None
        ends = getattr(node.cond.left, "name", "") == name and end is not None and width is not None and width > 1
        if not ends or self.find_number(step[1]) != threads or end % width or not self.fills_shared(node.stmt):  # type: ignore[operator]
            return None
        known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        try:
            start = (
                self.ranges.start(node.init, self.line(node))[1][0]
                if node.init is not None
                else self.builder.scope[name]
            )
        except (SourceError, KeyError):
            self.builder.routine.assumed, self.builder.sizes = known
            return None
        if not start.variables <= self.threads or self.builder.range_of(start) != (0, threads - 1):
            return None
        row, column = (self.ast.ID(f"{name}__{of}", node.coord) for of in ("row", "column"))

        def change(inside: Any) -> Any:
            kind = type(inside).__name__
            if kind == "BinaryOp" and inside.op in ("/", "%") and getattr(uncast(inside.left), "name", "") == name:
                return row if inside.op == "/" else column
            if kind == "ID" and inside.name == name:
                whole = self.ast.BinaryOp("*", row, self.ast.Constant("int", str(width)), node.coord)
                return self.ast.BinaryOp("+", whole, column, node.coord)
            return inside

        body = map_divided(node.stmt, change)
        for counter, count in ((column, width), (row, end // width)):  # type: ignore[operator]
            first = self.ast.Assignment("=", counter, self.ast.Constant("int", "0"), node.coord)
            last = self.ast.BinaryOp("<", counter, self.ast.Constant("int", str(count)), node.coord)
            body = self.ast.For(first, last, self.ast.UnaryOp("p++", counter, node.coord), body, node.coord)
        return body

    def fills_shared(self, node: Any) -> bool:
        """Whether the only elements that a statement writes are of shared memory."""
        kind = type(node).__name__
        if kind == "Assignment" and type(node.lvalue).__name__ != "ID":
            return self.shared_array(node.lvalue) is not None
        if kind in ("FuncCall", "For", "While", "DoWhile") and not (kind == "FuncCall" and called(node) in PURE):
            return False
        return all(self.fills_shared(child) for _, child in node.children())

    def visit_turns(self, node: Any, name: str) -> None:
        """A loop that goes on by the whole grid: as many turns for each thread as the grid needs for all."""
        line = self.line(node)
        start = self.ranges.start(node.init, line)[1][0] if node.init is not None else self.builder.scope.get(name)
        step = self.affine(read_step(node.next, self.ast)[1])  # type: ignore[index]
        bounds = self.ranges.bounds(node.cond, name, True, line)
        if start is None or step.variables or step.constant < 1 or len(bounds) != 1 or bounds[0].variables:
            raise refuse(line, f"how often the loop over '{one_line(name, 40)}' runs depends on data")
        turns = (bounds[0].constant - find_extreme(start, tuple(self.builder.loops), False).constant) // step.constant
        before = self.builder.scope.get(name)
        with self.builder.loop(f"{name}/", (Affine(),), (Affine((), max(0, turns)),), 1, line, False):
            self.builder.scope[name] = start + self.builder.scope[f"{name}/"].times(step.constant)
            most = find_extreme(self.builder.scope[name], tuple(self.builder.loops), True).constant
            inside = () if most <= bounds[0].constant else (bounds[0] - self.builder.scope[name],)
            with self.builder.under(Condition(above=inside)):
                self.visit(node.stmt)
        self.builder.restore(name, before)

    def find_strided(self, node: Any) -> str | None:
        """The counter of a loop whose turns lie as many threads apart as the grid has; None for other loops."""
        step = read_step(node.next, self.ast) if node.next is not None else None
        if step is None:
            return None
        if any(n.startswith("gridDim") for n in find_fields(step[1])):
            return step[0]
        stride = self.builder.scope.get(getattr(step[1], "name", ""))
        sizes = self.builder.sizes
        whole = sizes.get("gridDim.x", 0) * sizes.get("blockDim.x", 0)
        return step[0] if stride == Affine((), whole) else None

    def visit_assignment(self, node: Any) -> None:
        """An assignment; copies into shared memory are remembered, not done."""
        array = self.shared_array(node.lvalue)
        if array is None:
            super().visit_assignment(node)
            return
        line = self.line(node)
        target, _ = self.target(node.lvalue)
        rvalue = node.rvalue
        branches = (rvalue.iftrue, rvalue.iffalse) if type(rvalue).__name__ == "TernaryOp" else (rvalue,)
        variable_branches = [b for b in map(uncast, branches) if type(b).__name__ != "Constant"]
        if not variable_branches:
            return
        value = self.value(variable_branches[0])
        plain = node.op == "=" and len(variable_branches) == 1 and not value.operations and len(value.reads) == 1
        if not plain or target.scattered or value.reads[0].scattered or not value.reads[0].indices:
            raise refuse(line, f"'{array}' in shared memory holds computed values, step by step: not followed")
        self.copies.setdefault(array, []).append(Copy(target, value.reads[0], tuple(self.find_fixed())))

    def find_fixed(self) -> Iterator[tuple[str, int]]:
        """Counters of threads that the conditions around leave one value, and it."""
        above = [value for c in self.builder.conditions for value in c.above]
        for value in above:
            names = value.variables & self.threads
            if value.times(-1) in above and len(value.factors) == len(names) == 1 and value.factors[0][1] == 1:
                yield value.factors[0][0], -value.constant

    def drop_borders(self, copies: Sequence[Copy]) -> list[Copy]:
        """Copies without those that another one goes on to: of a border that few threads make."""
        wider: list[Copy] = []
        for copied in copies:
            if not any(self.goes_on(k, copied) for k in wider):
                wider = [*(k for k in wider if not self.goes_on(copied, k)), copied]
        return wider

    def goes_on(self, one: Copy, other: Copy) -> bool:
        """Whether one copy, made by threads beyond the block's, would be another."""
        border = other.made
        source = self.follow(border.place, one) if other.fixed else None
        return source is not None and (source.array, source.indices) == (border.source.array, border.source.indices)

    def shared_array(self, node: Any) -> str | None:
        """The shared array that an element belongs to, or the member of its elements; None for others."""
        member = ""
        while type(node).__name__ in ("ArrayRef", "StructRef"):
            member = f".{node.field.name}{member}" if type(node).__name__ == "StructRef" else member
            node = node.name
        name = str(getattr(node, "name", ""))
        return f"{name}{member}" if type(node).__name__ == "ID" and name in self.copies else None

    def read_element(self, node: Any) -> Value:
        """An element; of shared memory the one that was copied there."""
        value = super().read_element(node)
        array = self.shared_array(node)
        if array is None or not value.reads or value.reads[-1].scattered:
            return value
        read = value.reads[-1]
        sources = {self.follow(read, copy) for copy in self.copies.get(array, ())}
        if len(sources) > 1:
            sources = {self.follow(read, copy) for copy in self.drop_borders(self.copies.get(array, ()))}
        if len(sources) != 1 or None in sources:
            raise refuse(
                read.line, f"which element '{one_line(array, 40)}' in shared memory is a copy of is not affine"
            )
        return Value(0, [s for s in sources if s is not None])

    def follow(self, read: Access, copy: Copy) -> Access | None:
        """The element whose copy is read: of the thread, and the turn of its loop, that made it.

        Index t' of that thread solves ``place(t') = read``, one axis per dimension of the shared array.
        """
        opened = {loop.name for loop in self.builder.loops}
        every = {v for i in (*copy.place.indices, *copy.source.indices) for v in i.variables}
        makers_of = {v: Affine.of({MAKER + v: 1}) for v in every if v in self.threads or v not in opened}
        makers = {MAKER + v for v in self.threads}
        meaning: dict[str, Affine] = {}
        for index, wanted in zip(copy.place.indices, read.indices, strict=True):
            for written, asked in split_threads(replace_all(index, makers_of), wanted, makers):
                unknowns = sorted((v for v in written.variables if v.startswith(MAKER)), key=lambda v: v not in makers)
                if not unknowns:
                    continue
                unknown = next((v for v in unknowns if abs(written.factor(v)) == 1), None)
                if unknown is None:
                    return None
                factor = written.factor(unknown)
                meaning[unknown] = (asked - written + Affine.of({unknown: factor})).times(factor)
        indices = tuple(replace_all(replace_all(i, makers_of), meaning) for i in copy.source.indices)
        left = {v for i in indices for v in i.variables if v.startswith(MAKER)}
        if left - makers:
            return None  # The turn of a loop that has ended.
        indices = tuple(replace_all(i, {v: Affine.of({v[len(MAKER) :]: 1}) for v in left}) for i in indices)
        return replace(copy.source, indices=indices, line=read.line)
