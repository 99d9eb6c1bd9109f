"""Whole-array NumPy as loops in C: what is known of the arrays, and the loops that are open."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.builder import Builder
from roofcast_hull.source.c_code import CReader
from roofcast_hull.source.nest import Affine, refuse
from roofcast_hull.source.numpy_elements import Line, Request, Terms, Whole, spread_shapes
from roofcast_hull.source.numpy_shapes import find_called
from roofcast_hull.source.passing_arrays import count_loads, find_passing, find_selected, is_joined
from roofcast_hull.source.python_names import find_assigned_once, target_name
from roofcast_hull.source.run_frames import HOLD

C_TYPES = {"fp64": "double", "fp32": "float", "fp16": "half", "int64": "long", "int32": "int", "int16": "short",
           "int8": "char"}  # fmt: skip
NAMES = {
    "maximum": "fmax", "minimum": "fmin", "amax": "fmax", "amin": "fmin", "argmax": "fmax", "argmin": "fmin",
    "nanmax": "fmax", "nanmin": "fmin", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "around": "round", "fix": "trunc",
    "logaddexp": "hypot", "logaddexp2": "hypot", "heaviside": "hypot", "nextafter": "hypot", "ldexp": "hypot",
    "gcd": "hypot", "lcm": "hypot", "nan_to_num": "fabs", "sinc": "fabs", "i0": "fabs", "spacing": "fabs",
    "bitwise_count": "fabs", "real_if_close": "fabs", "invert": "fabs",
    "degrees": "fabs", "radians": "fabs", "deg2rad": "fabs", "rad2deg": "fabs",
}  # fmt: skip
COUNTERS = "ijklmn"


@dataclass(frozen=True)
class Passing:
    """An array that one statement alone uses: its expression, uses there, and what it is where that overwrites one."""

    node: ast.expr
    uses: int
    known: dict[frozenset[str], Whole]


class Complex(dict[str, int]):
    """Arrays of complex numbers, with the bytes of an element."""

    def __init__(self) -> None:
        super().__init__()
        self.passing: dict[str, ast.expr] = {}
        """Those that one statement alone uses, with what they are; their parts pass."""
        self.repeated: dict[str, tuple[ast.expr, int]] = {}
        """Names of parts that stand in an expression so many times, and are computed once."""


@dataclass(frozen=True)
class Loops:
    """Loops of one statement around a place in it."""

    turns: int = 1
    """Elements of them all."""
    count: int = 0
    sums: int = 0
    """Those of them that add up."""
    units: frozenset[str] = frozenset()
    """Counters of those of them whose turns are units: of more than one turn, and none that adds up."""
    nest: tuple[int, ...] = ()
    """Their numbers."""


class UsedByManyError(Exception):
    """Many units of a statement use an element of an array that it would compute. name : the array."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Translator:
    """What is known of the arrays of one function, and the statements in C that are made of it."""

    own: frozenset[str] = frozenset()
    """Functions of the file."""
    old: frozenset[str] = frozenset()
    """Arrays that a statement overwrites: its right side sees the values from before."""
    holds: bool = False
    """Whether statements are only run, and say when those arrays are as they were before."""
    alone: bool = False
    """Whether a unit computes all that its element takes, rather than take what is the same for several."""
    joined: frozenset[int] = frozenset()
    """Arrays beside each other that one statement alone uses, which would compute them."""
    apart: bool = False
    """Whether parts of arrays, or diagonals, are arrays of their own."""
    read_once: frozenset[str] = frozenset()
    """Names that are read in one place alone."""
    once: frozenset[str] = frozenset()
    """Names that one statement alone gives a value."""

    def __init__(
        self, builder: Builder, c_ast: Any, read: Callable[[Translator, ast.expr], Whole],
        name: Callable[[Translator, str, ast.expr, int], None],
    ) -> None:  # fmt: skip
        self.builder, self.c, self.terms = builder, c_ast, Terms(c_ast)
        self.whole: Callable[[ast.expr], Whole] = partial(read, self)
        """Reads an expression over numbers and arrays."""
        self.name_value: Callable[[str, ast.expr, int], None] = partial(name, self)
        """Gives a name a value, in a line."""
        self.constants: dict[str, list[ast.expr]] = {}
        """Names of several numbers."""
        self.reader = CReader(builder, c_ast, {})
        """Tells sizes and integers that are affine in the counters of the loops around."""
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.every: dict[str, tuple[int, ...]] = {}
        """Shapes of all arrays there are, also of those that statements overwrite as they were before."""
        self.types: dict[str, str] = {}
        self.stated: dict[str, tuple[tuple[str, ...], str]] = {}
        """What the file calls the function with: names of the sizes of each array and its type; none of a number."""
        self.views: dict[str, Whole] = {}
        self.bases: dict[str, str] = {}
        """Names of views -> arrays that they are parts of."""
        self.parts: dict[str, ast.expr] = {}
        """Names of views -> what they are parts of, as it is written."""
        self.selected: dict[str, int] = {}
        """Names of elements that a condition chooses, which sums alone take, with how often."""
        self.open: dict[str, int] = {}
        """Dimensions of arrays that nothing declares."""
        self.written: set[str] = set()
        self.statements: list[Any] = []
        self.filled: set[str] = set()
        """Arrays that hold something before the first statement that writes into them."""
        self.masks: set[str] = set()
        """Names of arrays of conditions."""
        self.temporaries: set[str] = set()
        """Whole arrays that expressions make."""
        self.lists: dict[str, list[ast.expr]] = {}
        """Names of lists of numbers."""
        self.numbered: dict[str, list[Any]] = {}
        """Names of numbers, with the statements that give them values."""
        self.made = 0
        self.fixed: dict[str, int] = {}
        """Whole numbers that one statement alone gives a name, and what they are."""
        self.complex = Complex()
        self.passing: dict[str, Passing] = {}
        """Names of arrays that one statement alone uses, which computes their elements where it needs them."""
        self.uses: dict[int, int] = {}
        """Assignments of such arrays, by their places in the tree: uses in that statement."""
        self.inside = Loops()
        """Loops that are open inside a statement."""
        self.numbers = itertools.count(1)
        self.before: list[Any] = []
        """What a statement needs before its loops."""

    def learn(self, body: Sequence[ast.stmt], returned: set[str]) -> None:
        """Learn from all statements how names are used. returned : those that a function gives back as they are."""
        self.uses = find_passing(body, returned)
        self.joined = frozenset(find_passing(body, returned, is_joined))
        self.selected = find_selected(body)
        self.once = find_assigned_once(body)
        self.read_once = frozenset(n for n, times in count_loads(body).items() if times == 1)

    def remember(self, name: str, shape: tuple[int, ...], element: str = "") -> None:
        """Remember an array."""
        self.shapes[name] = self.every[name] = shape
        self.views.pop(name, None)
        if element:
            self.types[name] = element

    def exchange(self, names: Sequence[str], line: int) -> None:
        """Let two arrays change places."""
        loops = {loop.name.partition("#")[0] for loop in self.builder.loops[-1:]}
        self.builder.routine.exchanged |= {(n, loop) for n in names for loop in loops}
        self.statements.append(self.terms.call("swap", [self.terms.name(n, (), line) for n in names], line))

    def take_out(self, name: str) -> tuple[str, ast.expr]:
        """Let an array pass no more: its name, and what it is; of a part of complex numbers all of these."""
        base = name if name in self.complex.passing else name.rpartition(".")[0]
        if base not in self.complex.passing:
            return name, self.passing.pop(name).node
        for part in [n for n in self.passing if n.rpartition(".")[0] == base]:
            self.passing.pop(part)
        return base, self.complex.passing.pop(base)

    def declare(self, name: str, shape: tuple[int, ...]) -> Any:
        """The declaration of an array or a scalar in C."""
        element = self.types.get(name, "")
        word = C_TYPES.get(element, "double") if shape or element or name not in self.builder.sizes else "int"
        kind = self.c.TypeDecl(name, [], None, self.c.IdentifierType([word]))
        for size in shape[::-1]:
            kind = self.c.ArrayDecl(kind, self.c.Constant("int", str(size)), [])
        return self.c.Decl(name, [], [], [], [], kind, None, None)

    def spread(self, nodes: Iterable[ast.expr]) -> Iterator[ast.expr]:
        """Arguments, those of a name with a star one by one."""
        for node in nodes:
            if isinstance(node, ast.Starred):
                yield from self.list_sizes(node.value)
            else:
                yield node

    def list_sizes(self, node: ast.expr) -> list[ast.expr]:
        """The dimensions of a shape."""
        if isinstance(node, ast.Name) and node.id in self.constants:
            return self.constants[node.id]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [self.list_sizes(n) for n in (node.left, node.right)]
            if any(p != [n] for p, n in zip(parts, (node.left, node.right), strict=True)):
                return [*parts[0], *parts[1]]
        if (shape := self.find_shape(node)) is not None:
            return [ast.copy_location(ast.Constant(size), node) for size in shape]
        return list(node.elts) if isinstance(node, (ast.Tuple, ast.List)) else [node]

    def find_shape(self, node: ast.expr) -> tuple[int, ...] | None:
        """The sizes that ``a.shape``, ``a.shape[:2]`` and ``np.shape(a)`` stand for; None for others."""
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            shape = self.find_shape(node.value)
            ends = (node.slice.lower, node.slice.upper, node.slice.step)
            first, last, step = (None if e is None else self.affine(e).constant for e in ends)
            return None if shape is None else shape[first:last:step]
        if isinstance(node, ast.Call) and find_called(node) == "shape" and len(node.args) == 1:
            return self.whole(node.args[0]).shape
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            return self.whole(node.value).shape
        return None

    def size(self, node: ast.expr) -> int:
        """One dimension of a shape."""
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value.is_integer():
            return max(1, int(node.value))
        value = self.affine(node)
        if value.variables or value.constant < 1:
            raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 40)}' is no size of an array")
        return value.constant

    def affine(self, node: ast.expr) -> Affine:
        """An integer that is affine in the counters."""
        return self.reader.affine(self.scalar(node))

    def array(self, name: str, shape: tuple[int, ...], line: int) -> Whole:
        """A named array; primed where the statement overwrites it."""
        if name in self.complex:
            raise refuse(line, f"'{one_line(name, 40)}': operations on complex numbers of NumPy are not followed")
        if name in self.old:
            self.types[f"{name}'"] = self.types.get(name, "")
            name += "'"
        if shape:
            self.every.setdefault(name, shape)
        return Whole(shape, lambda at: self.terms.name(name, at, line))

    def take_diagonal(self, node: ast.expr, axes: Sequence[int]) -> Whole:
        """Elements of an array with the same place along some axes, behind its other axes.

        Of an array that nothing else reads they are an array of their own: all of it that moves.
        """
        whole, line = self.whole(node), node.lineno
        rank = len(whole.shape)
        shape = (*(n for a, n in enumerate(whole.shape) if a not in axes), min(whole.shape[a] for a in axes))
        name = node.id if isinstance(node, ast.Name) else ""
        given = name in self.shapes and not (name in self.views or name in self.passing or name in self.complex)
        if given and name in self.read_once and name not in self.written and name not in self.temporaries:
            self.apart = True
            label = f"{name}, diagonal"
            self.types[label] = self.types.get(name, "")
            return self.array(label, shape, line)

        def at(indices: Sequence[Any]) -> Any:
            rest = iter(indices[:-1])
            return whole.at([indices[-1] if a in axes else next(rest) for a in range(rank)])

        return whole.rearrange(shape, at)

    def scalar(self, node: ast.expr) -> Any:
        """An expression that is a number."""
        whole = self.whole(node)
        if whole.shape:
            raise refuse(node.lineno, f"the array '{one_line(ast.unparse(node), 40)}' is no number")
        return whole.at([])

    def prime(self, element: Any) -> Any:
        """An element of a part of an array, as it was before the statement."""
        root = element
        while isinstance(root, self.c.ArrayRef):
            root = root.name
        if isinstance(root, self.c.ID) and root.name in self.every and not root.name.endswith("'"):
            self.types[f"{root.name}'"] = self.types.get(root.name, "")
            self.every.setdefault(f"{root.name}'", self.every[root.name])
            root.name += "'"
        return element

    def overwrite(self, names: frozenset[str]) -> None:
        """Begin a statement that overwrites some arrays."""
        self.old = names
        if self.holds:
            for name in sorted(n for n in names if self.shapes.get(n) and n not in self.views):
                held = [self.terms.name(n, (), 1) for n in (f"{name}'", name)]
                self.types[f"{name}'"] = self.types.get(name, "")
                self.every.setdefault(f"{name}'", self.shapes[name])
                self.statements.append(self.terms.call(HOLD, held, 1))

    def list_overwritten(self, target: ast.expr) -> frozenset[str]:
        """Names of the array that a statement overwrites, and of the one that it is a part of."""
        name = target_name(target)
        return frozenset([name, self.bases.get(name, name)])

    def map(self, nodes: Iterable[ast.expr], make: Callable[..., Any], line: int, over: tuple[int, ...] = ()) -> Whole:
        """An operation on each element, shapes spread as NumPy does. over : a shape that it is spread over besides."""
        parts = [self.whole(n) for n in nodes]
        shape = spread_shapes([over, *(p.shape for p in parts)], line)
        size = 0 if self.alone else math.prod(shape)
        return Whole(
            shape,
            lambda at: make(*(self.terms.compute_once(p, p.at(self.terms.narrow(at, p.shape)), size) for p in parts)),
            True,
        )

    def request(self, node: ast.Call, arguments: Sequence[ast.expr]) -> Request:
        """What a call asks of an array, besides it."""
        named = {k.arg: k.value for k in node.keywords if k.arg}
        return Request(arguments, named, node.lineno, lambda item: self.affine(item).constant, self.list_sizes)

    def find_axis(self, node: ast.Call, arguments: Sequence[ast.expr], at: int) -> int | None:
        """The axis that a call names, behind so many arguments; None where it names none."""
        chosen = next(
            (k.value for k in node.keywords if k.arg == "axis"), arguments[at] if len(arguments) > at else None
        )
        if chosen is None or (isinstance(chosen, ast.Constant) and chosen.value is None):
            return None
        return self.affine(chosen).constant

    def arguments(self, node: ast.Call) -> list[ast.expr]:
        """Arguments of a function, or of a method with its array first."""
        if isinstance(node.func, ast.Attribute):
            base = target_name(node.func.value)
            if not base or base in self.shapes or base in self.views:
                return [node.func.value, *node.args]
        return node.args

    def size_asked(self, node: ast.expr) -> Any:
        """``len(a)``, ``a.size``, ``a.shape[1]``; None for anything else."""
        if isinstance(node, ast.Call) and find_called(node) == "len" and len(node.args) == 1:
            array, at = node.args[0], 0
        elif isinstance(node, ast.Attribute) and node.attr == "size":
            array, at = node.value, 0
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "shape"
            and isinstance(node.slice, (ast.Constant, ast.UnaryOp))
        ):
            array, at = node.value.value, self.affine(node.slice).constant
        else:
            return None
        shape = self.shapes.get(array.id, ()) if isinstance(array, ast.Name) else ()
        if -len(shape) <= at < len(shape):
            return self.terms.number(shape[at])
        return self.terms.name(ast.unparse(node), (), node.lineno)

    def assign(self, target: Any, sign: str, value: Any, line: int) -> None:
        """An assignment in C."""
        name = target
        while isinstance(name, self.c.ArrayRef):
            name = name.name
        self.written.add(name.name)
        self.statements.append(self.c.Assignment(sign, target, value, Line(line)))

    @contextmanager
    def counters(self, shape: Sequence[int], line: int, *, sums: bool = False) -> Iterator[list[Any]]:
        """Loops over all elements of a shape. sums : whether they add up."""
        held = self.inside
        used = held.count
        letters = [(at % len(COUNTERS), at // len(COUNTERS)) for at in range(used, used + len(shape))]
        names = [f"{COUNTERS[letter]}{round_ or ''} of line {line}" for letter, round_ in letters]
        before = self.before
        if not used:
            self.before = []
        units = set() if sums else {n for n, size in zip(names, shape, strict=True) if size > 1}
        self.inside = Loops(
            held.turns * math.prod(shape), used + len(shape), held.sums + (len(shape) if sums else 0),
            held.units | units, (*held.nest, next(self.numbers)),
        )  # fmt: skip
        with ExitStack() as stack:
            for name, size in zip(names, shape, strict=True):
                stack.enter_context(self.loop(name, self.terms.number(0), self.terms.number(size), 1, line))
            yield [self.terms.name(n, (), line) for n in names]
        self.inside = held
        if not used:
            loops = self.statements[-1:] if shape else []
            self.statements = [*self.statements[: len(self.statements) - len(loops)], *self.before, *loops]
            self.before = before

    @contextmanager
    def loop(self, name: str, first: Any, end: Any, step: int, line: int) -> Iterator[None]:
        """Statements made meanwhile stand in a loop."""
        before, self.statements = self.statements, []
        yield
        place, counter = Line(line), self.terms.name(name, (), line)
        start = self.c.Assignment("=", counter, first, place)
        goes_on = self.c.BinaryOp("<" if step > 0 else ">", counter, end, place)
        moves = self.c.Assignment("+=", counter, self.terms.number(step), place)
        body = self.c.Compound(self.statements, place)
        self.statements = [*before, self.c.For(start, goes_on, moves, body, place)]

    def write(self, place: Whole, whole: Whole, line: int, sign: str = "=") -> None:
        """The loops of an element-wise assignment."""
        if whole.shape and spread_shapes([place.shape, whole.shape], line) != place.shape:
            raise refuse(line, f"an array of shape {whole.shape} in place of {place.shape or 'one element'}")
        with self.counters(place.shape, line) as at:
            self.assign(place.at(at), sign, whole.at(self.terms.narrow(at, whole.shape)), line)

    def list_names(self, node: ast.expr) -> set[str]:
        """Names of an expression, and of arrays that only pass through it."""
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        names |= {self.bases[n] for n in names if n in self.bases}
        return names.union(*(self.list_names(self.passing[n].node) for n in names if n in self.passing))
