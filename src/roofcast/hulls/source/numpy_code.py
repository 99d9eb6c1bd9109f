"""Whole-array NumPy as the loops that it stands for: element-wise expressions, slices, products, reductions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from roofcast.core.errors import one_line
from roofcast.hulls.source.builder import FUNCTIONS, Reader, Value
from roofcast.hulls.source.nest import Access, Affine, SourceError, refuse
from roofcast.hulls.source.numpy_shapes import DTYPES, REDUCTIONS, find_called, infer_ranks, is_making, read_annotation

COUNTERS = "ijklmn"
VIEWS = ("transpose", "asarray", "ascontiguousarray", "astype", "array")
NO_WORK = frozenset(["where", "copy"])


Indices = Sequence[Affine]


@dataclass(frozen=True)
class Whole:
    """An array expression: its shape, and what one element of it takes."""

    shape: tuple[int, ...]
    at: Callable[[Indices], Value]


@dataclass(frozen=True)
class Reduction:
    """An array of sums: its shape, what is summed over, and what one term takes."""

    shape: tuple[int, ...]
    inner: tuple[int, ...]
    at: Callable[[Indices, Indices], Value]
    after: int
    """Operations per sum once it is complete."""


class Arrays:
    """The arrays of one function: their shapes, expressions over them, and assignments as loops over their elements."""

    def __init__(self, scalars: Reader[ast.expr]) -> None:
        self.scalars = scalars
        """Reads what is no whole array."""
        self.builder = scalars.builder
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.views: dict[str, Whole] = {}
        self.made = 0
        self.old: str = ""
        """Array that a statement overwrites: its right side sees the values from before."""

    def size(self, node: ast.expr) -> int:
        """One dimension of a shape."""
        found = self.scalars.affine(node)
        if found.variables or found.constant < 1:
            raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 40)}' is no size of an array")
        return found.constant

    def read_parameters(self, arguments: ast.arguments, body: Sequence[ast.stmt] = ()) -> None:
        """Shapes of a function's parameters: from annotations, defaults, or how they are used."""
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        defaults = dict(zip([a.arg for a in every[::-1]], arguments.defaults[::-1], strict=False))
        ranks = infer_ranks(body, {a.arg for a in every})
        for argument in every:
            name = argument.arg
            dimensions, element = read_annotation(argument.annotation)
            default = defaults.get(name)
            if dimensions:
                self.remember(
                    name, tuple(d if isinstance(d, int) else self.size_named(d, argument) for d in dimensions), element
                )
            elif default is not None and is_making(default):
                self.make(name, default)
            elif isinstance(default, ast.Constant) and type(default.value) is int:
                self.builder.sizes.setdefault(name, default.value)
            elif ranks.get(name) and not isinstance(default, ast.Constant):
                rank = ranks[name]
                labels = [f"{name}.shape[{d}]" for d in range(rank)] if rank > 1 else [f"len({name})"]
                self.remember(name, tuple(self.size_named(label, argument) for label in labels), element)

    def size_named(self, name: str, node: ast.arg) -> int:
        """A size by its name."""
        return max(1, self.builder.size(name, node.lineno).constant)

    def remember(self, name: str, shape: tuple[int, ...], element: str = "") -> None:
        """Remember an array."""
        self.shapes[name] = shape
        self.views.pop(name, None)
        self.builder.routine.shapes[name] = shape
        if element:
            self.builder.routine.types[name] = element

    def make(self, name: str, node: ast.expr) -> None:
        """``name = np.zeros((n, m))``."""
        assert isinstance(node, ast.Call)
        function = find_called(node)
        element = next((DTYPES[w] for w in DTYPES if any(w in ast.unparse(k.value) for k in node.keywords)), "")
        if function.endswith("_like"):
            whole = self.array(node.args[0])
            self.remember(name, whole.shape if whole else (), element)
            return
        if function in ("arange", "linspace"):
            at = 2 if function == "linspace" else 0 if len(node.args) == 1 else 1
            shape: tuple[int, ...] = (self.size(node.args[min(at, len(node.args) - 1)]),)
        elif function in ("rand", "randn"):
            shape = tuple(self.size(a) for a in node.args)
        elif node.args or any(k.arg == "shape" for k in node.keywords):
            size = node.args[0] if node.args else next(k.value for k in node.keywords if k.arg == "shape")
            if isinstance(size, ast.Attribute) and size.attr == "shape" and (whole := self.array(size.value)):
                shape = whole.shape
            else:
                shape = tuple(self.size(s) for s in (size.elts if isinstance(size, (ast.Tuple, ast.List)) else [size]))
        else:
            raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 60)}' has no shape")
        self.remember(name, shape, element)

    def is_whole(self, target: ast.expr, value: ast.expr) -> bool:
        """Whether an assignment is about whole arrays, not single elements."""
        if isinstance(target, ast.Tuple):
            return True
        return (
            self.has_array(value) or (isinstance(target, ast.Subscript) and self.rank(target) > 0) or is_making(value)
        )

    def has_array(self, node: ast.expr) -> bool:
        """Whether an expression works on whole arrays anywhere."""
        if isinstance(node, (ast.Name, ast.Subscript)):
            return self.rank(node) > 0
        if isinstance(node, ast.Attribute):
            return node.attr == "T" and self.has_array(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and self.has_array(node.func.value):
            return True
        return any(self.has_array(c) for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)) and not isinstance(
            node, (ast.Lambda, ast.ListComp, ast.GeneratorExp)
        )

    def rank(self, node: ast.expr) -> int:
        """Dimensions of a name or of what a subscript leaves of it; 0 where it is no known array."""
        if isinstance(node, ast.Name):
            view = self.views.get(node.id)
            return len(view.shape) if view else len(self.shapes.get(node.id, ()))
        if isinstance(node, ast.Attribute) and node.attr == "T":
            return self.rank(node.value)
        if not isinstance(node, ast.Subscript):
            return 0
        base = self.rank(node.value)
        items = index_items(node)
        taken = sum(1 for i in items if not isinstance(i, ast.Slice) and not is_new(i) and not is_rest(i))
        return max(0, base - taken + sum(map(is_new, items))) if base else 0

    def array(self, node: ast.expr) -> Whole | None:
        """An expression as a whole array; None for scalars."""
        if not self.has_array(node):
            return None
        if isinstance(node, ast.Name):
            return self.plain(node)
        if isinstance(node, ast.Subscript):
            return self.take(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        return self.operation(node)

    def operation(self, node: ast.expr) -> Whole | None:
        """Operators and ``.T``."""
        if isinstance(node, ast.Attribute) and node.attr == "T":
            return transpose(self.array(node.value))
        if isinstance(node, ast.UnaryOp):
            return self.array(node.operand)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return self.store(self.product(node.left, node.right, node.lineno), "product", node.lineno)
        if isinstance(node, ast.BinOp):
            square = isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant)
            return self.map([node.left] if square else [node.left, node.right], 1, node.lineno)
        if isinstance(node, ast.Compare):
            return self.map([node.left, *node.comparators], len(node.comparators), node.lineno)
        if isinstance(node, ast.IfExp):
            return self.map([node.test, node.body, node.orelse], 0, node.lineno)
        raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 60)}' cannot be counted")

    def plain(self, node: ast.Name) -> Whole:
        """A named array; primed where the statement overwrites it."""
        if node.id in self.views:
            return self.views[node.id]
        name, line = node.id + "'" * (node.id == self.old), node.lineno
        self.builder.routine.shapes.setdefault(name, self.shapes[node.id])
        return Whole(self.shapes[node.id], lambda at: Value(0, [Access(name, tuple(at), line)]))

    def take(self, node: ast.Subscript) -> Whole:
        """``a[1:-1, ::2, k, None]``."""
        base = self.array(node.value)
        if base is None:
            raise refuse(node.lineno, "this is no array element with affine indices")
        items = index_items(node)
        return take_slice(base, self.positions(base, items, node.lineno))

    def positions(self, base: Whole, items: list[ast.expr], line: int) -> list[tuple[Affine, int, int] | None]:
        """Per index: first element, step and count (0 for a single element); None for a new axis."""
        taken = sum(1 for i in items if not is_new(i) and not is_rest(i))
        if taken > len(base.shape):
            raise refuse(line, f"{taken} indices of an array of {len(base.shape)} dimensions")
        every = [i for i in items if not is_rest(i)] if any(map(is_rest, items)) else items
        if any(map(is_rest, items)):
            at = next(n for n, i in enumerate(items) if is_rest(i))
            every[at:at] = [ast.Slice()] * (len(base.shape) - taken)
        else:
            every = [*every, *[ast.Slice()] * (len(base.shape) - taken)]
        found: list[tuple[Affine, int, int] | None] = []
        axis = 0
        for item in every:
            if is_new(item):
                found.append(None)
                continue
            size = base.shape[axis]
            axis += 1
            if isinstance(item, ast.Slice):
                found.append(self.read_slice(item, size, line))
            elif self.has_array(item):
                raise refuse(line, "an index from data is not affine")
            else:
                single = self.scalars.affine(item)
                wrapped = single + Affine((), size) if not single.variables and single.constant < 0 else single
                found.append((wrapped, 1, 0))
        return found

    def read_slice(self, item: ast.Slice, size: int, line: int) -> tuple[Affine, int, int]:
        """First element, step and count of a slice."""
        step = self.scalars.affine(item.step) if item.step is not None else Affine((), 1)
        if step.variables or not step.constant:
            raise refuse(line, "the step of a slice must be a number")
        ends = []
        for bound, default in ((item.lower, 0), (item.upper, size)):
            value = self.scalars.affine(bound) if bound is not None else Affine((), default)
            ends.append(value + Affine((), size) if not value.variables and value.constant < 0 else value)
        if step.constant < 0:
            if item.lower is not None or item.upper is not None:
                raise refuse(line, "a slice that goes backwards must be of the whole array, a[::-1]")
            return Affine((), size - 1), step.constant, -(-size // -step.constant)
        length = ends[1] - ends[0]
        if length.variables:
            raise refuse(line, "a slice whose length differs from iteration to iteration: write it as a loop")
        count = -(-min(length.constant, size) // step.constant)
        if count < 1:
            raise refuse(line, "a slice without elements")
        return ends[0], step.constant, count

    def map(self, nodes: Sequence[ast.expr], operations: int, line: int) -> Whole:
        """An element-wise operation, shapes spread as NumPy does."""
        parts = [self.array(n) for n in nodes]
        scalars = [self.scalars.value(n) for n, p in zip(nodes, parts, strict=True) if p is None]
        wholes = [p for p in parts if p is not None]
        shape = spread_shapes([p.shape for p in wholes], line)

        def at(indices: Indices) -> Value:
            total = Value().add(*(Value(s.operations, list(s.reads)) for s in scalars))
            return total.add(*(p.at(narrow(indices, p.shape, shape)) for p in wholes), operations=operations)

        return Whole(shape, at)

    def call(self, node: ast.Call) -> Whole:
        """A NumPy function or method of an array."""
        name, line = find_called(node), node.lineno
        arguments = self.arguments(node)
        if name in REDUCTIONS:
            return self.store(self.reduce(name, arguments, node), name, line)
        if name in ("dot", "matmul", "inner"):
            return self.store(self.product(arguments[0], arguments[1], line), "product", line)
        if name == "outer":
            left, right = (self.array(a) for a in arguments[:2])
            if left is None or right is None:
                raise refuse(line, "the arguments of outer are arrays")
            return Whole((*left.shape, *right.shape), lambda at: left.at(at[:1]).add(right.at(at[1:]), operations=1))
        if name in VIEWS:
            whole = self.array(arguments[0])
            return transpose(whole) if name == "transpose" else require(whole, line)
        if name == "roll":
            return require(self.array(arguments[0]), line)
        if name == "diff" and (whole := self.array(arguments[0])):
            *lead, last = whole.shape
            return Whole(
                (*lead, max(1, last - 1)),
                lambda at: whole.at([*at[:-1], at[-1] + Affine((), 1)]).add(whole.at(at), operations=1),
            )
        if is_making(node):
            return Whole(next(w.shape for a in arguments if (w := self.array(a))), lambda _: Value())
        if name in NO_WORK or name in FUNCTIONS:
            return self.map(arguments, 0 if name in NO_WORK else 2 if name == "clip" else 1, line)
        raise refuse(line, f"the call of '{one_line(name, 40)}' cannot be counted")

    def arguments(self, node: ast.Call) -> list[ast.expr]:
        """Arguments of a function, or of a method with its array first."""
        method = isinstance(node.func, ast.Attribute) and self.has_array(node.func.value)
        return [*([node.func.value] if method and isinstance(node.func, ast.Attribute) else []), *node.args]

    def reduce(self, name: str, arguments: list[ast.expr], node: ast.Call) -> Reduction:
        """A sum or the like over all or some axes."""
        whole = require(self.array(arguments[0]), node.lineno)
        chosen = next((k.value for k in node.keywords if k.arg == "axis"), arguments[1] if len(arguments) > 1 else None)
        rank = len(whole.shape)
        axes = set(range(rank))
        if chosen is not None and not (isinstance(chosen, ast.Constant) and chosen.value is None):
            items = chosen.elts if isinstance(chosen, ast.Tuple) else [chosen]
            axes = {self.scalars.affine(i).constant % rank for i in items}
        kept = [a for a in range(rank) if a not in axes]
        keep = any(k.arg == "keepdims" and isinstance(k.value, ast.Constant) and k.value.value for k in node.keywords)
        order = sorted(axes)

        def at(indices: Indices, inner: Indices) -> Value:
            if keep:
                indices = [i for n, i in enumerate(indices) if n in kept]
            place = {**dict(zip(kept, indices, strict=True)), **dict(zip(order, inner, strict=True))}
            found = whole.at([place[a] for a in range(rank)])
            return found.add(operations=1) if name in ("norm", "var", "std") else found

        shape = tuple(1 if a in axes else n for a, n in enumerate(whole.shape)) if keep else tuple(
            whole.shape[a] for a in kept
        )  # fmt: skip
        return Reduction(shape, tuple(whole.shape[a] for a in order), at, int(name in ("mean", "norm", "var", "std")))

    def product(self, left_node: ast.expr, right_node: ast.expr, line: int) -> Reduction:
        """A product of matrices and vectors."""
        left, right = self.array(left_node), self.array(right_node)
        if left is None or right is None:
            raise refuse(line, "a product '@' of arrays whose shapes are not known: annotate them")
        inner = left.shape[-1]
        if inner != right.shape[-2 if len(right.shape) > 1 else 0]:
            raise refuse(line, f"a product of shapes {left.shape} and {right.shape}")
        batch, rows = left.shape[:-2], left.shape[-2:-1]
        columns = right.shape[-1:] if len(right.shape) > 1 else ()
        lead = len(batch) if len(right.shape) == len(left.shape) else 0

        def at(indices: Indices, summed: Indices) -> Value:
            front, rest = list(indices[: len(batch)]), list(indices[len(batch) :])
            one = left.at([*front, *rest[: len(rows)], summed[0]])
            two = right.at([*front[:lead], summed[0], *rest[len(rows) :]])
            return one.add(two, operations=1)

        return Reduction((*batch, *rows, *columns), (inner,), at, 0)

    def store(self, found: Reduction, name: str, line: int) -> Whole:
        """A reduction inside an expression: computed into an array of its own first."""
        self.made += 1
        own = f"{name}{self.made}"
        self.reduce_into(own, found, line)
        return Whole(found.shape, lambda at: Value(0, [Access(own, tuple(at), line)]))

    def reduce_into(self, name: str, found: Reduction, line: int) -> None:
        """The loops of a reduction."""
        self.remember(name, found.shape)
        with self.counters(found.shape, line) as outer:
            target = Access(name, tuple(outer), line)
            self.sum_into(target, found, outer, line, len(found.shape))

    def sum_into(self, target: Access, found: Reduction, outer: Indices, line: int, used: int = 0) -> None:
        """One element of a reduction, from its first value to what is done with its sum."""
        self.builder.assign(target, Value(), line, updates=False)
        self.accumulate(target, found, outer, line, used)
        if found.after:
            self.builder.assign(target, Value(found.after, [target]), line, updates=False)

    def accumulate(self, target: Access, found: Reduction, outer: Indices, line: int, used: int = 0) -> None:
        """The loops of one element of a reduction. used : loops around them, whose counters have names."""
        with self.counters(found.inner, line, used) as inner:
            value = found.at(outer, inner).add(Value(0, [target]))
            self.builder.assign(target, value, line, updates=True, reduces=True)

    @contextmanager
    def counters(self, shape: Sequence[int], line: int, used: int = 0) -> Iterator[list[Affine]]:
        """Loops over all elements of a shape."""
        with ExitStack() as stack:
            names = [f"{COUNTERS[(used + n) % len(COUNTERS)]} of line {line}" for n in range(len(shape))]
            for name, size in zip(names, shape, strict=True):
                stack.enter_context(self.builder.loop(name, (Affine(),), (Affine((), size - 1),), 1, line, False))
            yield [self.builder.scope[n] for n in names]

    def reduction(self, node: ast.expr) -> Reduction | None:
        """An expression that is a reduction or product as a whole."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return self.product(node.left, node.right, node.lineno)
        if isinstance(node, ast.Call):
            name = find_called(node)
            arguments = self.arguments(node)
            if name in REDUCTIONS and arguments and self.has_array(arguments[0]):
                return self.reduce(name, arguments, node)
            if name in ("dot", "matmul", "inner") and len(arguments) == 2:
                return self.product(arguments[0], arguments[1], node.lineno)
        return None

    def assign(self, target: ast.expr, node: ast.expr, line: int) -> None:
        """``c = a + b``, ``c[1:-1] = ...``, ``s = a.sum(axis=1)``."""
        if isinstance(target, ast.Tuple):
            self.unpack(target, node, line)
            return
        if isinstance(target, ast.Name):
            if is_making(node):
                self.make(target.id, node)
            elif (found := self.reduction(node)) is not None:
                self.reduce_into(target.id, found, line)
            elif is_view(node) and (view := self.array(node)) is not None:
                self.shapes[target.id], self.views[target.id] = view.shape, view
            else:
                self.old = target.id
                whole = self.array(node)
                self.old = ""
                if whole is None:
                    raise refuse(line, f"'{one_line(ast.unparse(node), 60)}' cannot be counted")
                self.remember(target.id, whole.shape)
                self.write(Whole(whole.shape, lambda at: Value(0, [Access(target.id, tuple(at), line)])), whole, line)
            return
        name = target_name(target)
        self.old = ""
        place = self.array(target) if self.rank(target) else None
        found = self.reduction(node)
        if place is None:
            if found is None or found.shape:
                raise refuse(line, f"an array in place of one element of '{one_line(name, 40)}'")
            # One element: y[i] = a[i] @ x.
            self.sum_into(self.scalars.value(target).reads[0], found, [], line)
            return
        self.old = name
        if found is not None and name not in {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}:
            self.into_slice(place, found, line)
        else:
            self.write(place, self.array_or_scalar(node), line)
        self.old = ""

    def into_slice(self, place: Whole, found: Reduction, line: int) -> None:
        """A reduction straight into the elements of a slice."""
        with self.counters(place.shape, line) as outer:
            target = place.at(outer).reads[0]
            self.builder.assign(target, Value(), line, updates=False)
            self.accumulate(target, found, narrow(outer, found.shape, place.shape), line, len(place.shape))

    def array_or_scalar(self, node: ast.expr) -> Whole:
        """An expression as an array; a scalar as one without dimensions."""
        whole = self.array(node)
        if whole is not None:
            return whole
        scalar = self.scalars.value(node)
        return Whole((), lambda _: Value(scalar.operations, list(scalar.reads)))

    def write(self, place: Whole, whole: Whole, line: int) -> None:
        """The loops of an element-wise assignment."""
        if whole.shape:
            spread_shapes([place.shape, whole.shape], line)
        with self.counters(place.shape, line) as at:
            value = whole.at(narrow(at, whole.shape, place.shape))
            self.builder.assign(place.at(at).reads[0], value, line, updates=False)

    def augment(self, node: ast.AugAssign) -> None:
        """``a += b``."""
        line = node.lineno
        found = self.reduction(node.value)
        if isinstance(node.target, ast.Name) and not self.rank(node.target):
            # A scalar that sums: its own loops.
            if found is None or found.shape:
                raise refuse(line, "an array added to one number")
            target = Access(node.target.id, (), line)
            self.builder.scope.pop(node.target.id, None)
            self.accumulate(target, found, [], line)
            return
        place = self.array(node.target)
        if place is None:
            raise refuse(line, f"'{one_line(ast.unparse(node), 60)}' cannot be counted")
        self.old = target_name(node.target)
        old = self.array(node.target)
        right = self.array_or_scalar(node.value)
        both = require(old, line)
        spread_shapes([place.shape, right.shape] if right.shape else [place.shape], line)
        total = Whole(
            place.shape, lambda at: both.at(at).add(right.at(narrow(at, right.shape, place.shape)), operations=1)
        )  # fmt: skip
        self.old = ""
        self.write(place, total, line)

    def unpack(self, target: ast.Tuple, node: ast.expr, line: int) -> None:
        """``n, m = a.shape``; ``a, b = x, y``."""
        names = [t.id for t in target.elts if isinstance(t, ast.Name)]
        if isinstance(node, ast.Attribute) and node.attr == "shape" and len(names) == len(target.elts):
            whole = self.array(node.value)
            for at, name in enumerate(names):
                label = f"{ast.unparse(node)}[{at}]"
                known = whole is not None and at < len(whole.shape)
                value = Affine((), whole.shape[at]) if known and whole else self.builder.size(label, line)
                self.builder.scope[name] = value
            return
        raise refuse(line, "several values assigned at once: write one assignment each")

    def store_returned(self, node: ast.expr, line: int) -> None:
        """What a function returns, where that is still to be computed."""
        items = node.elts if isinstance(node, ast.Tuple) else [node]
        for item in items:
            if not is_view(item) and self.has_array(item):
                self.assign(ast.Name("result", ast.Store()), item, line)


def require(whole: Whole | None, line: int) -> Whole:
    """An array, or a refusal."""
    if whole is None:
        raise refuse(line, "an array whose shape is not known: annotate it")
    return whole


def transpose(whole: Whole | None) -> Whole:
    """Axes in reverse."""
    if whole is None:
        raise SourceError("an array whose shape is not known: annotate it")
    return Whole(whole.shape[::-1], lambda at: whole.at(list(at)[::-1]))


def take_slice(base: Whole, positions: Sequence[tuple[Affine, int, int] | None]) -> Whole:
    """Part of an array."""
    shape = tuple(1 if p is None else p[2] for p in positions if p is None or p[2])

    def at(indices: Indices) -> Value:
        inner: list[Affine] = []
        rest = list(indices)
        for p in positions:
            if p is None:
                rest.pop(0)
            elif p[2]:
                inner.append(p[0] + rest.pop(0).times(p[1]))
            else:
                inner.append(p[0])
        return base.at(inner)

    return Whole(shape, at)


def spread_shapes(shapes: Sequence[tuple[int, ...]], line: int) -> tuple[int, ...]:
    """The shape that several shapes are spread to."""
    found: list[int] = []
    for at in range(1, max(map(len, shapes), default=0) + 1):
        sizes = {s[-at] for s in shapes if len(s) >= at} - {1}
        if len(sizes) > 1:
            raise refuse(line, f"shapes {' and '.join(map(str, shapes))} do not fit together")
        found.insert(0, sizes.pop() if sizes else 1)
    return tuple(found)


def narrow(indices: Indices, shape: tuple[int, ...], whole: tuple[int, ...]) -> list[Affine]:
    """Indices of an array that is spread to a larger shape."""
    own = list(indices)[len(whole) - len(shape) :] if len(whole) >= len(shape) else list(indices)
    return [
        i if n > 1 or w == 1 else Affine() for i, n, w in zip(own, shape, whole[len(whole) - len(shape) :], strict=True)
    ]


def is_new(node: ast.expr) -> bool:
    """``None`` or ``np.newaxis`` in an index."""
    return (isinstance(node, ast.Constant) and node.value is None) or (
        isinstance(node, ast.Attribute) and node.attr == "newaxis"
    )


def is_rest(node: ast.expr) -> bool:
    """``...`` in an index."""
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def is_view(node: ast.expr) -> bool:
    """Whether an expression only names (part of) an array."""
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "T"):
        node = node.value
    return isinstance(node, ast.Name)


def target_name(node: ast.expr) -> str:
    """The array that an assignment writes to."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def index_items(node: ast.Subscript) -> list[ast.expr]:
    """The indices between brackets."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
