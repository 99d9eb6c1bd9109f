"""Arrays of NumPy code as one element of them in C, and calls that only say where elements are: rolls, shapes."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from roofcast_hull.source.builder import SHARED_WORK
from roofcast_hull.source.nest import refuse


class Line(NamedTuple):
    """Where a node of the tree stands in the user's text."""

    line: int


@dataclass(frozen=True)
class Whole:
    """An expression: its shape (none of a number), and one element of it in C."""

    shape: tuple[int, ...]
    at: Callable[[Sequence[Any]], Any]
    computes: bool = False
    """Whether an element takes operations, which NumPy does once for it, however often it is used."""

    def rearrange(self, shape: Sequence[int], at: Callable[[Sequence[Any]], Any]) -> Whole:
        """The same elements at other places."""
        return Whole(tuple(shape), at, self.computes)


@dataclass(frozen=True)
class Terms:
    """Makes the expressions of C. c : pycparser's nodes."""

    c: Any

    def number(self, value: int) -> Any:
        """A constant."""
        return self.c.Constant("int", str(value), Line(1))

    def name(self, name: str, indices: Sequence[Any], line: int) -> Any:
        """A scalar, or an element of an array."""
        element = self.c.ID(name, Line(line))
        for index in indices:
            element = self.c.ArrayRef(element, index, Line(line))
        return element

    def call(self, name: str, arguments: Sequence[Any], line: int) -> Any:
        """A call of a function of the math library."""
        return self.c.FuncCall(self.c.ID(name, Line(line)), self.c.ExprList(list(arguments)), Line(line))

    def whole_number(self, value: Any, line: int) -> Any:
        """``int(x)``."""
        kind = self.c.TypeDecl(None, [], None, self.c.IdentifierType(["long"]))
        return self.c.Cast(self.c.Typename(None, [], None, kind), value, Line(line))

    def combine(self, sign: str, left: Any, right: Any, line: int) -> Any:
        """An operation."""
        return self.c.BinaryOp(sign, left, right, Line(line))

    def chain(self, sign: str, values: Sequence[Any], line: int) -> Any:
        """Several values with an operator between."""
        result = values[0]
        for value in values[1:]:
            result = self.combine(sign, result, value, line)
        return result

    def move(self, first: Any, step: int, index: Any, line: int) -> Any:
        """An index of a slice as one of its array."""
        if index is None:
            return first
        by = index if step == 1 else self.combine("*", index, self.number(step), line)
        return by if getattr(first, "value", "") == "0" else self.combine("+", by, first, line)

    def narrow(self, indices: Sequence[Any], shape: tuple[int, ...]) -> list[Any]:
        """Indices of an array that is spread to a larger shape."""
        inner = list(indices)[len(indices) - len(shape) :]
        return [i if n > 1 else self.number(0) for i, n in zip(inner, shape, strict=True)]

    def compute_once(self, part: Whole, element: Any, uses: int) -> Any:
        """An element that is used so many times over all its array, and computed as often as that has elements."""
        times = uses / max(1, math.prod(part.shape))
        if not part.computes or times <= 1:
            return element
        return self.call(SHARED_WORK, [self.c.Constant("double", repr(times), Line(1)), element], 1)


@dataclass(frozen=True)
class Request:
    """What a call asks of an array: arguments behind it, those with a name, and what whole number one of them is."""

    arguments: Sequence[ast.expr]
    named: Mapping[str, ast.expr]
    line: int
    constant: Callable[[ast.expr], int]
    list_sizes: Callable[[ast.expr], list[ast.expr]]
    """The numbers of a tuple, or of a name that stands for one."""

    def find(self, name: str, at: int) -> ast.expr | None:
        """An argument by its name or place; None where there is none, or ``None``."""
        chosen = self.named.get(name, self.arguments[at] if len(self.arguments) > at else None)
        return None if isinstance(chosen, ast.Constant) and chosen.value is None else chosen

    def find_numbers(self, name: str, at: int) -> list[int] | None:
        """Whole numbers of an argument, one or several; None where there is none."""
        chosen = self.find(name, at)
        return None if chosen is None else [self.constant(e) for e in self.list_sizes(chosen)]


def roll(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``np.roll(a, s, axis=k)``: indices that wrap around."""
    given, axes = asked.find_numbers("shift", 0), asked.find_numbers("axis", 1)
    if given is not None and axes is None and len(whole.shape) > 1:
        # All elements, one row behind the other.
        flat = roll(terms, ravel(terms, whole, asked), asked)
        return shape_anew(terms, flat, whole.shape, asked.line)
    if given is None:
        raise refuse(asked.line, "how far an array is rolled is no number")
    axes = axes or [0]
    given = given * len(axes) if len(given) == 1 else given
    shifts = {a % len(whole.shape): s for a, s in zip(axes, given, strict=False)}

    def at(indices: Sequence[Any]) -> Any:
        places = list(indices)
        for axis, shift in shifts.items():
            size = whole.shape[axis]
            moved = terms.combine("+", places[axis], terms.number((size - shift) % size), asked.line)
            places[axis] = terms.combine("%", moved, terms.number(size), asked.line)
        return whole.at(places)

    return whole.rearrange(whole.shape, at)


def shift_centre(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``np.fft.fftshift(a, axes)``: a roll by half of each axis."""
    chosen = asked.find_numbers("axes", 0)
    axes = {a % len(whole.shape) for a in chosen} if chosen else set(range(len(whole.shape)))

    def at(indices: Sequence[Any]) -> Any:
        places = list(indices)
        for axis in axes:
            size = whole.shape[axis]
            moved = terms.combine("+", places[axis], terms.number((size + 1) // 2), asked.line)
            places[axis] = terms.combine("%", moved, terms.number(size), asked.line)
        return whole.at(places)

    return whole.rearrange(whole.shape, at)


def insert(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``np.insert(x, 0, 0.0)``: one element more, which stands for its neighbour."""
    place = asked.find_numbers("obj", 0)
    values = asked.find("values", 1)
    if len(whole.shape) != 1 or place is None or len(place) != 1 or not is_number(values):
        raise refuse(asked.line, "'insert' of more than a number into a row is not followed: write np.concatenate")
    size, first = whole.shape[0], place[0] % (whole.shape[0] + 1)

    def at(indices: Sequence[Any]) -> Any:
        return whole.at([clamp(terms, indices[0], 0 if first == size else -1, size, asked.line)])

    return whole.rearrange((size + 1,), at)


def is_number(node: ast.expr | None) -> bool:
    """Whether an argument is a written number."""
    plain = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(plain, ast.Constant) and isinstance(plain.value, (int, float))


def flip_axes(terms: Terms, whole: Whole, axes: Sequence[int], line: int) -> Whole:
    """The last element of some axes first."""

    def at(indices: Sequence[Any]) -> Any:
        ends = [terms.combine("-", terms.number(n - 1), i, line) if a in axes else i
                for a, (i, n) in enumerate(zip(indices, whole.shape, strict=True))]  # fmt: skip
        return whole.at(ends)

    return whole.rearrange(whole.shape, at)


def flip(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``np.flip(a, axis)``."""
    axes = asked.find_numbers("axis", 0)
    rank = len(whole.shape)
    return flip_axes(terms, whole, [a % rank for a in axes] if axes else range(rank), asked.line)


def swap_axes(_: Terms, whole: Whole, asked: Request) -> Whole:
    """``a.swapaxes(0, 1)``."""
    first, second = (asked.constant(a) % len(whole.shape) for a in asked.arguments[:2])

    def swap(items: Sequence[Any]) -> list[Any]:
        swapped = list(items)
        swapped[first], swapped[second] = swapped[second], swapped[first]
        return swapped

    return whole.rearrange(tuple(swap(whole.shape)), lambda at: whole.at(swap(at)))


def order_axes(whole: Whole, axes: Sequence[int]) -> Whole:
    """Axes in another order."""

    def at(indices: Sequence[Any]) -> Any:
        places = dict(zip(axes, indices, strict=True))
        return whole.at([places[a] for a in range(len(axes))])

    return whole.rearrange(tuple(whole.shape[a] for a in axes), at)


def transpose(whole: Whole) -> Whole:
    """Axes in reverse."""
    return whole.rearrange(whole.shape[::-1], lambda at: whole.at(list(at)[::-1]))


def transpose_by(_: Terms, whole: Whole, asked: Request) -> Whole:
    """``a.transpose(0, 2, 1)``, ``np.transpose(a, (0, 2, 1))``, and all of them in reverse."""
    given = [e for a in asked.arguments for e in asked.list_sizes(a)] or asked.list_sizes(
        asked.named.get("axes", ast.Tuple([], ast.Load()))
    )
    if not given:
        return transpose(whole)
    axes = [asked.constant(g) % max(1, len(whole.shape)) for g in given]
    if sorted(axes) != list(range(len(whole.shape))):
        raise refuse(asked.line, f"axes {tuple(axes)} of an array of {len(whole.shape)} dimensions")
    return order_axes(whole, axes)


def move_axis(_: Terms, whole: Whole, asked: Request) -> Whole:
    """``np.moveaxis(a, 0, -1)``."""
    rank = len(whole.shape)
    source, target = (asked.constant(a) % rank for a in asked.arguments[:2])
    axes = [a for a in range(rank) if a != source]
    axes.insert(target, source)
    return order_axes(whole, axes)


def reshape(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``a.reshape(n, -1)``: dimensions that are split or joined."""
    sizes = [asked.constant(g) for a in asked.arguments for g in asked.list_sizes(a)]
    elements = math.prod(whole.shape)
    if -1 in sizes:
        sizes[sizes.index(-1)] = elements // max(1, math.prod(n for n in sizes if n > 0))
    if not whole.shape or math.prod(sizes) != elements:
        raise refuse(asked.line, f"an array of shape {whole.shape} in the shape {tuple(sizes)}")
    return shape_anew(terms, whole, sizes, asked.line)


def shape_anew(terms: Terms, whole: Whole, sizes: Sequence[int], line: int) -> Whole:
    """An array of as many elements in another shape."""
    return whole.rearrange(sizes, lambda at: whole.at(place(terms, at, sizes, whole.shape, line)))


def ravel(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``a.ravel()``."""
    return shape_anew(terms, whole, (math.prod(whole.shape),), asked.line)


def squeeze(terms: Terms, whole: Whole, _: Request) -> Whole:
    """``a.squeeze()``: without dimensions of one element."""
    axes = [a for a, n in enumerate(whole.shape) if n > 1]

    def at(indices: Sequence[Any]) -> Any:
        places = dict(zip(axes, indices, strict=True))
        return whole.at([places.get(a, terms.number(0)) for a in range(len(whole.shape))])

    return whole.rearrange(tuple(whole.shape[a] for a in axes), at)


def expand_dims(_: Terms, whole: Whole, asked: Request) -> Whole:
    """``np.expand_dims(a, k)``."""
    axis = (asked.find_numbers("axis", 0) or [0])[0] % (len(whole.shape) + 1)
    shape = (*whole.shape[:axis], 1, *whole.shape[axis:])
    return whole.rearrange(shape, lambda at: whole.at([*at[:axis], *at[axis + 1 :]]))


def broadcast(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``np.broadcast_to(a, (n, m))``: each element at several places."""
    shape = asked.find_numbers("shape", 0) or []
    if spread_shapes([whole.shape, tuple(shape)], asked.line) != tuple(shape):
        raise refuse(asked.line, f"an array of shape {whole.shape} in the shape {tuple(shape)}")
    return whole.rearrange(shape, lambda at: whole.at(terms.narrow(at, whole.shape)))


def place(terms: Terms, at: Sequence[Any], shape: Sequence[int], old: Sequence[int], line: int) -> list[Any]:
    """Indices of an element in the shape that it had: dimensions that hold as many elements belong together."""
    places: list[Any] = []
    new = list(zip(at, shape, strict=True))
    rest = list(old)
    while rest:
        group, joined = [rest.pop(0)], list[tuple[Any, int]]()
        while math.prod(n for _, n in joined) != math.prod(group):
            if math.prod(n for _, n in joined) < math.prod(group) and new:
                joined.append(new.pop(0))
            elif rest:
                group.append(rest.pop(0))
            else:
                raise refuse(line, f"an array of shape {tuple(old)} in the shape {tuple(shape)}")
        places += take_digits(terms, joined, group, line) or split_number(terms, joined, group, line)
    return places


def change(terms: Terms, sign: str, index: Any, number: int, line: int) -> Any:
    """An index times a number, divided by it, or what that leaves."""
    return index if sign in "*/" and number == 1 else terms.combine(sign, index, terms.number(number), line)


def split_number(terms: Terms, joined: Sequence[tuple[Any, int]], sizes: Sequence[int], line: int) -> list[Any]:
    """Indices in some dimensions of an element that has others in as many: quotients of its number among all."""
    flat: Any = terms.number(0)
    for n, (index, size) in enumerate(joined):
        flat = index if n == 0 else terms.combine("+", change(terms, "*", flat, size, line), index, line)
    places = []
    for n, size in enumerate(sizes):
        part = change(terms, "/", flat, math.prod(sizes[n + 1 :]), line)
        places.append(change(terms, "%", part, size, line) if n else part)
    return places


def take_digits(
    terms: Terms, joined: Sequence[tuple[Any, int]], sizes: Sequence[int], line: int
) -> list[Any] | None:  # fmt: skip
    """The same where each dimension is made of some of the others, or of parts of one: no sum is divided.

    ``a.reshape(-1, 3)`` of rows of 300 has its element ``(i, j)`` at ``(i / 100, i % 100 * 3 + j)``.
    """
    if len(joined) < 2 or len(sizes) < 2:
        return None
    strides = [math.prod(n for _, n in joined[k + 1 :]) for k in range(len(joined))]
    places = []
    for at, size in enumerate(sizes):
        inner = math.prod(sizes[at + 1 :])
        terms_of: list[Any] = []
        for (index, length), stride in zip(joined, strides, strict=True):
            if length == 1 or stride >= inner * size or stride * length <= inner:
                continue
            low, high = max(stride, inner), min(stride * length, inner * size)
            if low % stride or high % low or (stride * length) % low or low % inner:
                return None
            part = change(terms, "/", index, low // stride, line)
            if high < stride * length:
                part = change(terms, "%", part, high // low, line)
            terms_of.append(change(terms, "*", part, low // inner, line))
        places.append(terms.chain("+", terms_of, line) if terms_of else terms.number(0))
    return places


def rotate(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``np.rot90(a, k)``."""
    turns = (asked.find_numbers("k", 0) or [1])[0] % 4
    if turns == 2:
        return flip_axes(terms, whole, (0, 1), asked.line)
    if not turns:
        return whole
    turned = order_axes(whole, [1, 0, *range(2, len(whole.shape))])
    return flip_axes(terms, turned, (0,) if turns == 1 else (1,), asked.line)


def repeat(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``np.repeat(a, 2, axis=0)``: each element several times."""
    count, axes = asked.find_numbers("repeats", 0), asked.find_numbers("axis", 1)
    if axes is None:
        whole, axes = ravel(terms, whole, asked), [0]
    if count is None or len(count) != 1 or count[0] < 1:
        raise refuse(asked.line, "how often each element is repeated is no number")
    axis = axes[0] % len(whole.shape)
    shape = [n * count[0] if a == axis else n for a, n in enumerate(whole.shape)]

    def at(indices: Sequence[Any]) -> Any:
        divided = terms.combine("/", indices[axis], terms.number(count[0]), asked.line)
        return whole.at([*indices[:axis], divided, *indices[axis + 1 :]])

    return whole.rearrange(shape, at)


def tile(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``np.tile(a, (2, 3))``: the array several times side by side."""
    counts = asked.find_numbers("reps", 0) or [1]
    rank = max(len(counts), len(whole.shape))
    counts = [1] * (rank - len(counts)) + counts
    old = (1,) * (rank - len(whole.shape)) + whole.shape

    def at(indices: Sequence[Any]) -> Any:
        places = [
            terms.combine("%", i, terms.number(n), asked.line) if c > 1 and n > 1 else i if n > 1 else terms.number(0)
            for i, n, c in zip(indices, old, counts, strict=True)
        ]
        return whole.at(places[rank - len(whole.shape) :])

    return whole.rearrange([n * c for n, c in zip(old, counts, strict=True)], at)


def pad(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``np.pad(a, ((1, 1), (0, 0)))``: around an array, its nearest elements, or those of its other end."""
    chosen = asked.find("pad_width", 0)
    parts = [asked.list_sizes(e) for e in asked.list_sizes(chosen)] if chosen is not None else []
    numbers = [[asked.constant(e) for e in p] for p in parts]
    rank = len(whole.shape)
    if len(numbers) == 1:
        widths = [(numbers[0][0], numbers[0][-1])] * rank
    elif all(len(n) == 2 for n in numbers) and len(numbers) == rank:
        widths = [(n[0], n[1]) for n in numbers]
    elif len(numbers) == 2 and all(len(n) == 1 for n in numbers):
        widths = [(numbers[0][0], numbers[1][0])] * rank
    else:
        raise refuse(asked.line, "how much is added around an array is no number")
    mode = asked.find("mode", 1)
    wraps = isinstance(mode, ast.Constant) and mode.value == "wrap"

    def at(indices: Sequence[Any]) -> Any:
        places = []
        for index, size, (before, behind) in zip(indices, whole.shape, widths, strict=True):
            if wraps and before:
                index = terms.combine("+", index, terms.number(size - before), asked.line)  # noqa: PLW2901
                index = terms.combine("%", index, terms.number(size), asked.line)  # noqa: PLW2901
            elif before or behind:
                index = clamp(terms, index, -before, size, asked.line)  # noqa: PLW2901
            places.append(index)
        return whole.at(places)

    return whole.rearrange([n + a + b for n, (a, b) in zip(whole.shape, widths, strict=True)], at)


def clamp(terms: Terms, index: Any, by: int, size: int, line: int) -> Any:
    """An index that is moved, and kept inside of its dimension."""
    moved = (
        terms.move(terms.number(by), 1, index, line)
        if by >= 0
        else (terms.combine("-", index, terms.number(-by), line))
    )
    inside = terms.call("max", (moved, terms.number(0)), line) if by < 0 else moved
    return terms.call("min", (inside, terms.number(size - 1)), line)


def keep_triangle(terms: Terms, whole: Whole, asked: Request, lower: bool) -> Whole:
    """``np.tril(a, k)``, ``np.triu(a, k)``: zeros beside a triangle."""
    moved = (asked.find_numbers("k", 0) or [0])[0]

    def at(indices: Sequence[Any]) -> Any:
        row, column = indices[-2:]
        edge = terms.move(terms.number(moved), 1, row, asked.line)
        inside = terms.combine("<=" if lower else ">=", column, edge, asked.line)
        return terms.c.TernaryOp(inside, whole.at(indices), terms.number(0), Line(asked.line))

    return whole.rearrange(whole.shape, at)


def slope(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``np.gradient(a, axis=0)``: half the difference of the neighbours; at the ends, of the nearest."""
    axes = asked.find_numbers("axis", 1)
    if axes is None and len(whole.shape) > 1:
        raise refuse(asked.line, "a gradient of several dimensions gives an array for each: name them all")
    axis = (axes or [0])[0] % len(whole.shape)
    size = whole.shape[axis]

    def at(indices: Sequence[Any]) -> Any:
        sides = [
            whole.at([*indices[:axis], clamp(terms, indices[axis], by, size, asked.line), *indices[axis + 1 :]])
            for by in (1, -1)
        ]
        uses = 2 * math.prod(whole.shape)
        ahead, behind = (terms.compute_once(whole, s, uses) for s in sides)
        gap = terms.combine("-", ahead, behind, asked.line)
        return terms.combine("/", gap, terms.c.Constant("double", "2.0", Line(asked.line)), asked.line)

    return Whole(whole.shape, at, True)


def slide(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``sliding_window_view(a, w, axis)``: for each place the elements from it on."""
    sizes, axes = asked.find_numbers("window_shape", 0) or [], asked.find_numbers("axis", 1)
    rank = len(whole.shape)
    axes = [a % rank for a in axes] if axes else list(range(rank))
    if len(sizes) != len(axes) or any(not 0 < w <= whole.shape[a] for a, w in zip(axes, sizes, strict=True)):
        raise refuse(asked.line, "windows that are wider than their array, or of other dimensions")
    shape = list(whole.shape)
    for axis, width in zip(axes, sizes, strict=True):
        shape[axis] -= width - 1

    def at(indices: Sequence[Any]) -> Any:
        places = list(indices[:rank])
        for axis, inner in zip(axes, indices[rank:], strict=True):
            places[axis] = terms.combine("+", places[axis], inner, asked.line)
        return whole.at(places)

    return whole.rearrange([*shape, *sizes], at)


def stride(terms: Terms, whole: Whole, asked: Request) -> Whole:
    """``as_strided(a, shape, strides)``, where strides are sums of those of the array, each some times."""
    sizes, strides = asked.find_numbers("shape", 0), asked.find("strides", 1)
    steps = None if strides is None else list_steps(asked, strides, len(whole.shape))
    if sizes is None or steps is None or len(sizes) != len(steps):
        raise refuse(asked.line, "strides that are not those of the array, or of another one")
    for axis, size in enumerate(whole.shape):
        if sum((n - 1) * step.get(axis, 0) for n, step in zip(sizes, steps, strict=True)) >= size:
            raise refuse(asked.line, "strides that leave their array")

    def at(indices: Sequence[Any]) -> Any:
        places = []
        for axis in range(len(whole.shape)):
            place = terms.number(0)
            for index, step in zip(indices, steps, strict=True):
                if step.get(axis):
                    by = index if step[axis] == 1 else terms.combine("*", terms.number(step[axis]), index, asked.line)
                    place = terms.combine("+", place, by, asked.line)
            places.append(place)
        return whole.at(places)

    return whole.rearrange(sizes, at)


def list_steps(asked: Request, node: ast.expr, rank: int) -> list[dict[int, int]] | None:
    """How far each of several strides goes along each axis of an array; None where that is not known."""
    if isinstance(node, (ast.Tuple, ast.List)):
        steps = [read_step(asked, e, rank) for e in node.elts]
        return None if any(s is None for s in steps) else [s for s in steps if s is not None]
    if isinstance(node, ast.Attribute) and node.attr == "strides":
        return [{k: 1} for k in range(rank)]
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and node.slice.step is None:
        ends = (None if e is None else asked.constant(e) for e in (node.slice.lower, node.slice.upper))
        inner = list_steps(asked, node.value, rank)
        return None if inner is None else inner[slice(*ends)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        both = [list_steps(asked, n, rank) for n in (node.left, node.right)]
        return None if both[0] is None or both[1] is None else [*both[0], *both[1]]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        inner = list_steps(asked, node.left, rank)
        return None if inner is None else inner * asked.constant(node.right)
    return None


def read_step(asked: Request, node: ast.expr, rank: int) -> dict[int, int] | None:
    """How far a stride goes along each axis of an array; None where that is not known."""
    if isinstance(node, ast.Attribute) and node.attr == "itemsize":
        return {rank - 1: 1}
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "strides":
        return {asked.constant(node.slice) % rank: 1}
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
        left, right = (read_step(asked, n, rank) for n in (node.left, node.right))
        if isinstance(node.op, ast.Add) and left is not None and right is not None:
            return {k: left.get(k, 0) + right.get(k, 0) for k in {*left, *right}}
        step, by = (left, node.right) if left is not None else (right, node.left)
        if isinstance(node.op, ast.Mult) and step is not None and (left is None or right is None):
            return {k: n * asked.constant(by) for k, n in step.items()}
    return None


REARRANGED: dict[str, Callable[[Terms, Whole, Request], Whole]] = {
    "broadcast_to": broadcast, "roll": roll, "flip": flip, "swapaxes": swap_axes, "reshape": reshape, "ravel": ravel,
    "flatten": ravel,
    "squeeze": squeeze, "expand_dims": expand_dims, "transpose": transpose_by, "moveaxis": move_axis,
    "rot90": rotate, "repeat": repeat, "tile": tile, "pad": pad, "gradient": slope, "sliding_window_view": slide,
    "as_strided": stride, "fftshift": shift_centre, "ifftshift": shift_centre, "insert": insert,
    "tril": lambda terms, whole, asked: keep_triangle(terms, whole, asked, True),
    "triu": lambda terms, whole, asked: keep_triangle(terms, whole, asked, False),
    "fliplr": lambda terms, whole, asked: flip_axes(terms, whole, [1], asked.line),
    "flipud": lambda terms, whole, asked: flip_axes(terms, whole, [0], asked.line),
}  # fmt: skip
"""Calls that say where elements are, and what stands around and between them, by their names."""


def spread_shapes(shapes: Sequence[tuple[int, ...]], line: int) -> tuple[int, ...]:
    """The shape that several shapes are spread to."""
    spread: list[int] = []
    for at in range(1, max(map(len, shapes), default=0) + 1):
        sizes = {s[-at] for s in shapes if len(s) >= at} - {1}
        if len(sizes) > 1:
            raise refuse(line, f"shapes {' and '.join(map(str, shapes))} do not fit together")
        spread.insert(0, sizes.pop() if sizes else 1)
    return tuple(spread)
