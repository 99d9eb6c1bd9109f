"""Whole-array NumPy run on small arrays by NumPy itself, with what each element was computed from.

The reader writes NumPy as loops in C, and classifies those. This is another way from the same statements to what their
results follow from, which knows nothing of loops: an element that the C computes from other elements than NumPy does
refutes the reading. Elements of an array have a number of bits each, one for each element of what the function is
given, so that operations of arrays are operations of bits.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.source.numpy_shapes import find_called
from roofcast_hull.source.python_names import is_view, list_results
from roofcast_hull.source.python_syntax import OPERATIONS
from roofcast_hull.source.run_check import Machine, StopError, name_base

if TYPE_CHECKING:
    from roofcast_hull.source.c_files import Reading

MOST_ELEMENTS = 4_000_000
"""Elements of all arrays that are computed."""
OF_STATEMENT = 200
"""Elements that take as long as a statement by itself."""
MOST_GIVEN = 6000
"""Elements of what a function is given."""
MOST_BITS = 64
"""Bits of a number that shifts or powers may have."""
TOLERATED = 0.3
"""Of what an element follows from, the share that may differ: ends of arrays, which the C takes for what is beside."""
MOST_APART = 0.5
"""Share of an array's elements that may follow from others: borders of small arrays are wide."""
NOTHING = 0
"""Bits of what follows from nothing that is given."""
MODULES = ("np", "numpy", "math", "np.linalg", "numpy.linalg", "np.lib.stride_tricks")
ELEMENTWISE = frozenset(
    ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "sin", "cos", "tan", "arcsin", "arccos",
     "arctan", "arctan2", "sinh", "cosh", "tanh", "abs", "absolute", "fabs", "sign", "floor", "ceil", "round", "rint",
     "around", "trunc", "maximum", "minimum", "fmax", "fmin", "power", "add", "subtract", "multiply", "divide", "mod",
     "hypot", "square", "reciprocal", "where", "clip", "logical_and", "logical_or", "logical_not", "logical_xor",
     "isnan", "isinf", "isfinite", "greater", "less", "greater_equal", "less_equal", "equal", "not_equal", "negative",
     "deg2rad", "rad2deg", "radians", "degrees", "copysign", "floor_divide", "true_divide", "nan_to_num", "heaviside",
     "bitwise_and", "bitwise_or", "bitwise_xor", "logaddexp", "fmod", "signbit", "conj", "real", "imag"]
)  # fmt: skip
SUMMED = frozenset(["sum", "mean", "max", "min", "amax", "amin", "prod", "any", "all", "std", "var", "median", "argmax",
                    "argmin", "ptp", "nansum", "nanmean", "nanmax", "nanmin", "count_nonzero", "norm"])  # fmt: skip
RUNNING = frozenset(["cumsum", "cumprod"])
MOVED = frozenset(
    ["reshape", "ravel", "flatten", "transpose", "swapaxes", "moveaxis", "squeeze", "expand_dims", "roll", "flip",
     "fliplr", "flipud", "rot90", "repeat", "tile", "broadcast_to", "diagonal", "copy", "take", "atleast_1d",
     "atleast_2d", "sliding_window_view"]
)  # fmt: skip
"""Functions that put elements elsewhere, and do nothing to them."""
JOINED = frozenset(["concatenate", "stack", "vstack", "hstack", "column_stack", "dstack"])
MADE = frozenset(["zeros", "ones", "empty", "full", "arange", "linspace", "eye", "identity", "indices"])
METHODS = frozenset(
    ["reshape", "transpose", "flatten", "copy", "diagonal", "squeeze", "repeat", "take", "ravel", "swapaxes"]
)
"""Those of them that arrays have as methods, with the same arguments."""
LIKE = frozenset(["zeros_like", "ones_like", "empty_like", "full_like"])
VIEWS = frozenset(["asarray", "ascontiguousarray"])
CASTS = VIEWS | {"array", "astype", "float64", "float32", "int64", "int32", "float", "int"}
CONTROL = (ast.For, ast.While, ast.If, ast.Return, ast.Break, ast.Continue)
SILENT = (ast.Pass, ast.Assert, ast.Import, ast.ImportFrom, ast.FunctionDef)
UNARY: dict[type[ast.AST], Callable[..., Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert
}  # fmt: skip
NONE = np.frompyfunc(lambda _: NOTHING, 1, 1)


class UnknownError(Exception):
    """Something that is not run here."""


@dataclass(slots=True)
class Traced:
    """An array, or a number that was computed from arrays."""

    values: Any
    sources: NDArray[np.object_]
    """Bits of the elements that each element was computed from."""


class LeaveError(Exception):
    """A function, a loop or a turn ends. kind : by which statement."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def give(value: Any) -> Traced:
    """A value as an array that follows from nothing."""
    if isinstance(value, Traced):
        return value
    array = np.asarray(value)
    if array.dtype == object:
        raise UnknownError
    return Traced(array, np.full(array.shape, NOTHING, dtype=object))


def compute_number(op: ast.AST, left: Any, right: Any) -> Any:
    """An operation of numbers; none that makes one of more digits than a size has."""
    if not all(isinstance(v, (int, float)) for v in (left, right)):
        raise UnknownError
    if isinstance(op, (ast.Pow, ast.LShift)) and abs(right) > MOST_BITS:
        raise UnknownError
    value = OPERATIONS[type(op)](left, right)
    if isinstance(value, complex) or (isinstance(value, int) and value.bit_length() > MOST_BITS * MOST_BITS):
        raise UnknownError
    return value


def join(parts: Sequence[NDArray[np.object_]], shape: tuple[int, ...]) -> NDArray[np.object_]:
    """What elements of an operation follow from, spread to a shape."""
    joined: Any = np.full(shape, NOTHING, dtype=object)
    for part in parts:
        joined = np.bitwise_or(joined, np.broadcast_to(part, shape))
    return np.asarray(joined, dtype=object).reshape(shape)


def merge(sources: NDArray[np.object_], axes: tuple[int, ...], *, keep: bool = False) -> NDArray[np.object_]:
    """What sums over some axes follow from."""
    joined: Any = sources
    for axis in sorted(axes, reverse=True):
        joined = np.asarray(np.bitwise_or.reduce(joined, axis=axis), dtype=object)
        joined = np.expand_dims(joined, axis) if keep else joined
    return np.asarray(joined, dtype=object)


class Run:
    """Statements of a function, run with the arrays that it is given."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.left = MOST_ELEMENTS

    # ---- statements ----

    def block(self, body: Sequence[ast.stmt]) -> None:
        """Statements one after the other."""
        for item in body:
            self.spend((OF_STATEMENT,))
            self.statement(item)

    def statement(self, item: ast.stmt) -> None:
        """One statement."""
        if isinstance(item, (ast.Assign, ast.AnnAssign)):
            if item.value is not None:
                value = self.value(item.value)
                if getattr(item, "hands_on", False) and isinstance(item.value, ast.Name):
                    # Arrays that change places, as of C.
                    held = getattr(item.targets[0] if isinstance(item, ast.Assign) else item.target, "id", "")
                    self.names[item.value.id] = self.names.get(held, value)
                for target in item.targets if isinstance(item, ast.Assign) else [item.target]:
                    self.store(target, value)
        elif isinstance(item, ast.AugAssign):
            self.augment(item)
        elif isinstance(item, ast.Expr):
            if isinstance(item.value, ast.Call):
                self.call_alone(item.value)
        elif isinstance(item, CONTROL):
            self.control(item)
        elif not isinstance(item, SILENT):
            raise UnknownError(type(item).__name__)

    def control(self, item: ast.stmt) -> None:
        """A statement that says which others run."""
        match item:
            case ast.For():
                for turn in self.list_turns(item.iter):
                    self.store(item.target, turn)
                    if self.ends(item.body):
                        break
            case ast.While():
                while self.test(item.test):
                    if self.ends(item.body):
                        break
            case ast.If():
                self.block(item.body if self.test(item.test) else item.orelse)
            case ast.Return():
                self.give_back(item)
                raise LeaveError("return")
            case _:
                raise LeaveError("break" if isinstance(item, ast.Break) else "continue")

    def ends(self, body: Sequence[ast.stmt]) -> bool:
        """Run a turn of a loop; whether it is the last."""
        try:
            self.block(body)
        except LeaveError as left:
            if left.kind == "return":
                raise
            return left.kind == "break"
        return False

    def give_back(self, item: ast.Return) -> None:
        """What a function returns that is computed there, by the name that the reader gives it."""
        for name, value in list_results(item):
            if not is_view(value):
                self.names[name] = self.value(value)

    def augment(self, item: ast.AugAssign) -> None:
        """``a += b``, in place of arrays."""
        held = self.value(item.target)
        result = self.combine(item.op, held, self.value(item.value))
        if isinstance(held, Traced) and isinstance(item.target, ast.Name) and held.values.shape:
            result = give(result)
            held.values[...], held.sources[...] = result.values, result.sources
            return
        self.store(item.target, result)

    def list_turns(self, node: ast.expr) -> Iterable[Any]:
        """What a loop goes over."""
        if isinstance(node, ast.Call) and find_called(node) in ("range", "prange"):
            return range(*(self.whole_number(a) for a in node.args))
        if isinstance(node, ast.Call) and find_called(node) == "enumerate" and len(node.args) == 1:
            return enumerate(self.list_turns(node.args[0]))
        if isinstance(node, ast.Call) and find_called(node) == "zip":
            return zip(*(self.list_turns(a) for a in node.args), strict=False)
        value = self.value(node)
        if isinstance(value, (tuple, list)):
            return value
        array = give(value)
        return [Traced(v, np.asarray(s, dtype=object)) for v, s in zip(array.values, array.sources, strict=True)]

    def test(self, node: ast.expr) -> bool:
        """A condition that no data decide."""
        value = self.value(node)
        if isinstance(value, Traced) and value.sources.any():
            raise UnknownError
        return bool(value.values if isinstance(value, Traced) else value)

    def store(self, target: ast.expr, value: Any) -> None:
        """Give a name, or elements, a value."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Subscript):
            held, given = self.value(target.value), give(value)
            if not isinstance(held, Traced):
                raise UnknownError
            place, chosen = self.place(target.slice, held)
            held.values[place] = given.values
            sources = given.sources
            if chosen:
                sources = join([sources, np.full((), chosen, dtype=object)], sources.shape)
            held.sources[place] = sources
        elif isinstance(target, (ast.Tuple, ast.List)):
            several = value if isinstance(value, (tuple, list)) else list(self.split(give(value)))
            if len(several) != len(target.elts):
                raise UnknownError
            for part, inner in zip(target.elts, several, strict=True):
                self.store(part, inner)
        else:
            raise UnknownError

    @staticmethod
    def split(array: Traced) -> Iterable[Traced]:
        """Rows of an array."""
        return (Traced(array.values[k], np.asarray(array.sources[k], dtype=object)) for k in range(len(array.values)))

    def call_alone(self, node: ast.Call) -> None:
        """``np.add.at(a, i, x)``; what is printed is nothing."""
        name = find_called(node)
        if name == "print":
            return
        if name != "at" or len(node.args) != 3:
            raise UnknownError
        held, terms = self.value(node.args[0]), give(self.value(node.args[2]))
        place, _ = self.place(node.args[1], held)
        numbers = np.arange(held.values.size).reshape(held.values.shape)[place]
        where = np.broadcast_to(numbers, np.broadcast_shapes(numbers.shape, terms.values.shape))
        flat = held.sources.reshape(-1)
        for k, bits in zip(where.reshape(-1).tolist(), join([terms.sources], where.shape).reshape(-1), strict=True):
            flat[k] |= bits
        np.add.at(held.values, place, terms.values)

    # ---- expressions ----

    def value(self, node: ast.expr) -> Any:
        """The value of an expression."""
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                if node.id not in self.names:
                    raise UnknownError(node.id)
                return self.names[node.id]
            case ast.Tuple() | ast.List():
                return tuple(self.value(e) for e in node.elts)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Subscript():
                return self.part(node)
            case ast.Call():
                return self.call(node)
        return self.operation(node)

    def operation(self, node: ast.expr) -> Any:
        """Signs between values."""
        match node:
            case ast.BinOp(op=ast.MatMult()):
                return self.multiply(give(self.value(node.left)), give(self.value(node.right)))
            case ast.BinOp():
                return self.combine(node.op, self.value(node.left), self.value(node.right))
            case ast.UnaryOp():
                return self.sign(node)
            case ast.Compare():
                return self.compare(node)
            case ast.BoolOp():
                values = [self.test(v) for v in node.values]
                return all(values) if isinstance(node.op, ast.And) else any(values)
            case ast.IfExp():
                return self.value(node.body if self.test(node.test) else node.orelse)
        raise UnknownError(type(node).__name__)

    def attribute(self, node: ast.Attribute) -> Any:
        """``a.shape``, ``a.T``, ``np.pi``."""
        if isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy", "math"):
            if node.attr in ("pi", "e", "inf", "nan"):
                return getattr(math, node.attr)
            if node.attr == "newaxis":
                return None
            return node.attr
        held = self.value(node.value)
        if not isinstance(held, Traced):
            raise UnknownError
        if node.attr in ("shape", "size", "ndim"):
            return getattr(held.values, node.attr)
        if node.attr == "dtype":
            return node.attr
        if node.attr == "T":
            return Traced(held.values.T, held.sources.T)
        raise UnknownError

    def whole_number(self, node: ast.expr) -> int:
        """A whole number that no data decide."""
        value = self.value(node)
        if isinstance(value, Traced):
            if value.sources.any() or value.values.shape:
                raise UnknownError
            value = value.values
        return operator.index(value.item() if isinstance(value, (np.ndarray, np.generic)) else value)

    def place(self, node: ast.expr, held: Traced) -> tuple[Any, int]:
        """An index of an array, and bits of what it follows from; of an array of conditions all of them.

        Raises
        ------
        StopError : a slice lies outside of the array, which is smaller than it is; NumPy cuts it off, C does not.
        """
        items = node.elts if isinstance(node, ast.Tuple) else [node]
        places, bits = list[Any](), NOTHING
        for at, item in enumerate(items):
            if isinstance(item, ast.Slice):
                ends = [None if e is None else self.whole_number(e) for e in (item.lower, item.upper, item.step)]
                places.append(slice(*ends))
                size = dict(enumerate(held.values.shape)).get(at, 0)
                if size and any(e is not None and abs(e) > size + size // 2 for e in ends[:2]):
                    raise StopError("at small sizes a slice leaves its array")
                continue
            value = self.value(item)
            if isinstance(value, Traced):
                if value.values.dtype == bool:
                    for more in value.sources.reshape(-1).tolist():
                        bits |= more
                value = value.values
            places.append(value)
        return (tuple(places) if isinstance(node, ast.Tuple) else places[0]), bits

    def part(self, node: ast.Subscript) -> Any:
        """``a[1:-1, k]``, ``a[i]``: what places are chosen by is no part of a value, as of C; conditions are."""
        held = self.value(node.value)
        if isinstance(held, (tuple, list)):
            return held[self.whole_number(node.slice)]
        if not isinstance(held, Traced):
            raise UnknownError
        place, bits = self.place(node.slice, held)
        values, sources = held.values[place], np.asarray(held.sources[place], dtype=object)
        if bits:
            sources = join([sources, np.full((), bits, dtype=object)], sources.shape)
        return Traced(values, sources)

    def combine(self, op: ast.AST, left: Any, right: Any) -> Any:
        """An operation, element by element."""
        if not isinstance(left, Traced) and not isinstance(right, Traced):
            return compute_number(op, left, right)
        parts = [give(left), give(right)]
        self.spend(np.broadcast_shapes(*(p.values.shape for p in parts)))
        return self.make(OPERATIONS[type(op)](*(p.values for p in parts)), parts)

    def spend(self, shape: Sequence[int]) -> None:
        """Refuse arrays that take too long."""
        self.left -= math.prod(shape)
        if self.left < 0:
            raise UnknownError

    @staticmethod
    def make(values: Any, parts: Sequence[Traced]) -> Traced:
        """An array that an operation of others gives."""
        array = np.asarray(values)
        return Traced(array, join([p.sources for p in parts], array.shape))

    def sign(self, node: ast.UnaryOp) -> Any:
        """``-a``, ``~mask``, ``not x``."""
        if isinstance(node.op, ast.Not):
            return not self.test(node.operand)
        value = self.value(node.operand)
        act = UNARY[type(node.op)]
        return Traced(act(value.values), value.sources) if isinstance(value, Traced) else act(value)

    def compare(self, node: ast.Compare) -> Any:
        """``a < b < c``."""
        if any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            same = self.value(node.left) is self.value(node.comparators[0])
            return same is isinstance(node.ops[0], ast.Is)
        left, result = self.value(node.left), None
        for op, item in zip(node.ops, node.comparators, strict=True):
            right = self.value(item)
            part = self.combine(op, left, right)
            result = part if result is None else self.combine(ast.BitAnd(), result, part)
            left = right
        return result

    # ---- functions ----

    def call(self, node: ast.Call) -> Any:
        """A function of NumPy, or a method of an array."""
        name, function = find_called(node), node.func
        whose = (
            [function.value]
            if isinstance(function, ast.Attribute) and ast.unparse(function.value) not in MODULES
            else []
        )
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise UnknownError
        given = [self.value(a) for a in (*whose, *(node.args if name != "astype" else ()))]
        named = {str(k.arg): self.value(k.value) for k in node.keywords if k.arg not in ("dtype", "order")}
        if any(isinstance(v, Traced) and v.sources.any() for v in named.values()):
            raise UnknownError
        return self.compute(name, given, named, node)

    def compute(self, name: str, given: list[Any], named: dict[str, Any], node: ast.Call) -> Any:
        """What a function gives."""
        if name == "len":
            return len(given[0].values if isinstance(given[0], Traced) else given[0])
        if name in CASTS:
            return self.convert(name, given[0], "int" in ast.unparse(node.args[-1]) if node.args else False)
        if name in ELEMENTWISE and not named:
            parts = [give(g) for g in given]
            self.spend(np.broadcast_shapes(*(p.values.shape for p in parts)))
            if name == "where" and not parts[0].sources.any():
                return self.choose(*parts)
            return self.make(getattr(np, name)(*(p.values for p in parts)), parts)
        if name == "einsum":
            return self.contract(given[0], [give(g) for g in given[1:]])
        if name in SUMMED:
            return self.add_up(name, give(given[0]), given[1:], named)
        if name in MOVED or name in JOINED:
            return self.move(name, given, named)
        if name in MADE:
            self.spend([n for g in given for n in (g if isinstance(g, tuple) else (g,)) if type(n) is int and n > 1])
            return give(getattr(np, name)(*given, **named))
        if name in LIKE:
            shape = give(given[0]).values.shape
            return give(np.full(shape, give(given[1]).values) if name == "full_like" else np.zeros(shape))
        return self.compute_more(name, given, named)

    def convert(self, name: str, given: Any, whole: bool) -> Traced:
        """Another type, or a copy. whole : whether numbers lose their fractions."""
        array = self.stack(given) if isinstance(given, tuple) else give(given)
        whole = name.startswith("int") or (name == "astype" and whole)
        if name in VIEWS and not whole:
            return array
        return Traced(array.values.astype(np.int64) if whole else array.values.copy(), array.sources.copy())

    def move(self, name: str, given: list[Any], named: dict[str, Any]) -> Traced:
        """Elements at other places, and arrays side by side."""
        plain = [give(g) if isinstance(g, Traced) else g for g in given[1:]]
        if any(isinstance(g, Traced) and g.sources.any() for g in plain):
            raise UnknownError(name)
        others = [g.values if isinstance(g, Traced) else g for g in plain]
        if name in ("repeat", "tile", "broadcast_to"):
            self.spend([n for g in others for n in (g if isinstance(g, tuple) else (g,)) if type(n) is int and n > 1])
        act = np.lib.stride_tricks.sliding_window_view if name == "sliding_window_view" else getattr(np, name, None)
        if name in JOINED:
            parts = [give(g) for g in given[0]]
            sides: list[Any] = [[p.values for p in parts], [p.sources for p in parts]]
        else:
            array = give(given[0])
            sides = [array.values, array.sources]
        if name in METHODS:
            return Traced(*(getattr(s, name)(*others, **named) for s in sides))
        if act is None:
            raise UnknownError(name)
        return Traced(*(act(s, *others, **named) for s in sides))

    @staticmethod
    def choose(test: Traced, yes: Traced, no: Traced) -> Traced:
        """``np.where`` of what no data decide."""
        values = np.where(test.values, yes.values, no.values)
        spread = (np.broadcast_to(p, values.shape) for p in (test.values, yes.sources, no.sources))
        return Traced(values, np.asarray(np.where(*spread), dtype=object))

    def compute_more(self, name: str, given: list[Any], named: dict[str, Any]) -> Any:
        """Functions that take several elements for one."""
        array = give(given[0])
        if name in ("dot", "matmul"):
            return self.multiply(array, give(given[1]))
        if name == "outer":
            first, second = (Traced(g.values.reshape(-1), g.sources.reshape(-1)) for g in map(give, given[:2]))
            values = np.outer(first.values, second.values)
            return Traced(values, join([first.sources[:, None], second.sources[None, :]], values.shape))
        if name in RUNNING:
            axis = named.get("axis", given[1] if len(given) > 1 else None)
            flat = Traced(array.values.reshape(-1), array.sources.reshape(-1)) if axis is None else array
            at = 0 if axis is None else axis
            return Traced(getattr(np, name)(flat.values, axis=at), np.bitwise_or.accumulate(flat.sources, axis=at))
        if name == "diff" and len(given) == 1 and set(named) <= {"axis", "n", "prepend", "append"}:
            return self.subtract_next(array, named)
        if name == "diag" and len(given) == 1:
            diagonal = np.diag(array.sources) if array.values.ndim == 2 else np.where(
                np.eye(len(array.values), dtype=bool), array.sources[None, :], NOTHING
            )  # fmt: skip
            return Traced(np.diag(array.values), np.asarray(diagonal, dtype=object))
        if name in ("tril", "triu") and len(given) == 1:
            inside = getattr(np, name)(np.ones(array.values.shape[-2:], dtype=bool))
            return Traced(getattr(np, name)(array.values), np.where(inside, array.sources, NOTHING))
        raise UnknownError(name)

    @staticmethod
    def subtract_next(array: Traced, named: Mapping[str, Any]) -> Traced:
        """``np.diff``; what is put at an end follows from nothing, if it is a number."""
        axis, times = named.get("axis", -1), named.get("n", 1)
        shape = list(array.values.shape)
        parts = [array]
        for at, name in ((0, "prepend"), (1, "append")):
            if named.get(name) is not None:
                more = give(named[name])
                shape[axis] = more.values.shape[axis] if more.values.ndim else 1
                spread = (np.broadcast_to(v, tuple(shape)) for v in (more.values, more.sources))
                parts.insert(at * len(parts), Traced(*spread))
        values, sources = (
            np.concatenate(v, axis=axis) for v in zip(*((p.values, p.sources) for p in parts), strict=True)
        )
        for _ in range(times):
            ends = [np.take(sources, range(k, k + sources.shape[axis] - 1), axis=axis) for k in (0, 1)]
            values, sources = np.diff(values, axis=axis), join(ends, ends[0].shape)
        return Traced(values, sources)

    def stack(self, parts: Sequence[Any]) -> Traced:
        """``np.array([a, b])``."""
        several = [self.stack(p) if isinstance(p, tuple) else give(p) for p in parts]
        return Traced(np.stack([p.values for p in several]), np.stack([p.sources for p in several]))

    def add_up(self, name: str, array: Traced, given: Sequence[Any], named: Mapping[str, Any]) -> Traced:
        """Sums, extremes and the like over axes."""
        options = {n: v for n, v in named.items() if n in ("axis", "keepdims", "ddof")}
        if len(options) < len(named) or len(given) > 1:
            raise UnknownError
        if given:
            options["axis"] = given[0]
        axis = options.get("axis")
        every = range(array.values.ndim)
        axes = tuple(every) if axis is None else tuple(
            a % array.values.ndim for a in (axis if isinstance(axis, tuple) else (axis,))
        )  # fmt: skip
        function = np.linalg.norm if name == "norm" else getattr(np, name)
        values = np.asarray(function(array.values, **options))
        self.spend(array.values.shape)
        sources = merge(array.sources, axes, keep=bool(options.get("keepdims")))
        return Traced(values, sources.reshape(values.shape))

    def contract(self, formula: str, parts: Sequence[Traced]) -> Traced:
        """``np.einsum("ij,jk->ik", a, b)``: each sum follows from what has its letters."""
        inputs, arrow, result = formula.replace(" ", "").partition("->")
        words = inputs.split(",")
        if not arrow or "." in formula or any(len({*w}) < len(w) for w in words):
            raise UnknownError("einsum")
        sizes = {a: n for w, p in zip(words, parts, strict=True) for a, n in zip(w, p.values.shape, strict=True)}
        self.spend(list(sizes.values()))
        values = np.asarray(np.einsum(formula, *(p.values for p in parts)))
        sources = []
        for word, part in zip(words, parts, strict=True):
            merged = merge(part.sources, tuple(n for n, a in enumerate(word) if a not in result))
            left = [a for a in word if a in result]
            ordered = merged.transpose([left.index(a) for a in result if a in left])
            sources.append(ordered[tuple(slice(None) if a in left else None for a in result)])
        return Traced(values, join(sources, values.shape))

    def multiply(self, left: Traced, right: Traced) -> Traced:
        """A product of matrices and vectors: each sum follows from a row and a column."""
        self.spend((*left.values.shape, *right.values.shape[-1:]))
        values = np.asarray(left.values @ right.values)
        rows = merge(left.sources, (left.sources.ndim - 1,))
        columns = merge(right.sources, (max(0, right.sources.ndim - 2),))
        if left.values.ndim > 1 and right.values.ndim > 1:
            rows, columns = rows[..., :, None], columns[..., None, :]
        return Traced(values, join([rows, columns], values.shape))


def run_whole(
    body: Sequence[ast.stmt],
    shapes: Mapping[str, tuple[int, ...]],
    numbers: Mapping[str, Any],
    kinds: Mapping[str, str],
) -> tuple[dict[str, Traced], list[tuple[str, int]]]:
    """Names of arrays as a function leaves them, and the element that each bit stands for.

    shapes : of the arrays that it is given, by their names. numbers : that it is given. kinds : of arrays that are no
    real numbers.

    Raises
    ------
    UnknownError : it does what is not run here.
    """
    names, bits = dict(numbers), list[tuple[str, int]]()
    for name, shape in shapes.items():
        size = math.prod(shape)
        if len(bits) + size > MOST_GIVEN:
            raise UnknownError
        noise = np.array([zlib.crc32(f"{name}:{k}".encode()) % 1000 for k in range(size)])
        kind = kinds.get(name, "")
        values = (noise % 8).astype(kind) if kind else 0.5 + noise / 1000
        sources = np.array([1 << (len(bits) + k) for k in range(size)], dtype=object)
        names[name] = Traced(values.reshape(shape), sources.reshape(shape))
        bits += [(name, k) for k in range(size)]
    run = Run(names)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            run.block(body)
    except LeaveError:
        pass
    except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UnknownError from error
    return {n: v for n, v in names.items() if isinstance(v, Traced)}, bits


def refute_reading(
    body: Sequence[ast.stmt], shapes: Mapping[str, tuple[int, ...]], numbers: Mapping[str, Any],
    kinds: Mapping[str, str], reading: Reading,
) -> str | None:  # fmt: skip
    """What the C that was made of some statements computes otherwise than NumPy does; None where it is not known.

    Raises
    ------
    StopError : the C cannot be run.
    """
    given = {n: 0.75 for n in list_scalars(reading) if n not in shapes}
    try:
        arrays, bits = run_whole(body, shapes, {**given, **numbers}, kinds)
    except UnknownError:
        return None
    exchanged = frozenset(n for n, _ in reading.routine.exchanged)
    return compare_sources(reading.run(named=frozenset(shapes), through=True), arrays, bits, exchanged)


def list_scalars(reading: Reading) -> list[str]:
    """Parameters that no size states: real numbers."""
    parameters = getattr(reading.function.decl.type.args, "params", None) or ()
    return [str(p.name) for p in parameters if type(p.type).__name__ == "TypeDecl"]


def compare_sources(
    machine: Machine, arrays: Mapping[str, Traced], bits: Sequence[tuple[str, int]],
    exchanged: frozenset[str] = frozenset(),
) -> str | None:  # fmt: skip
    """An array that the C computes from other elements than NumPy does; None where there is none.

    machine : a run of the C that was followed back to what the function is given. exchanged : arrays that change
    places, whose memory has the name of one of them in the end.
    """
    number = {key: 1 << k for k, key in enumerate(bits)}
    written: dict[str, dict[int, int]] = {}
    for array, at in machine.written:
        name = name_base(array)
        if name in arrays:
            sources = machine.cells[array, at].read().sources
            written.setdefault(name, {})[at] = sum(number.get((name_base(a), k), 0) for a, k in {*sources})
    for name, elements in written.items():
        others = sorted(exchanged & {*arrays}) if name in exchanged else [name]
        memories = [arrays[n].sources.reshape(-1) for n in others]
        apart = [
            sum(differs(bits_c, int(flat[at]), machine.guarded) for at, bits_c in elements.items())
            for flat in memories
            if len(flat) > max(elements)
        ]
        if apart and min(apart) > MOST_APART * len(elements):
            return f"computes '{name}' from other elements than NumPy does"
    return None


def differs(ours: int, theirs: int, guarded: bool) -> bool:
    """Whether an element follows from other elements. guarded : whether data left out some that it follows from."""
    extra, missing = (ours & ~theirs).bit_count(), 0 if guarded else (theirs & ~ours).bit_count()
    return extra + missing > TOLERATED * max(ours.bit_count(), theirs.bit_count())
