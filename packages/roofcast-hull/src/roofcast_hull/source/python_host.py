"""What a Python file says of its own calls: shapes and types of arrays, and the arguments of its functions.

The file's own functions are followed from its statements on, with a value for each number, tuple and array that it
states; what comes from elsewhere has none.
"""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

from roofcast_hull.source.host_objects import (
    OF_VECTORS,
    PLACES,
    Instance,
    Method,
    convert_module,
    find_method,
    forget,
    holds_arrays,
    is_function,
    make_array,
    store,
)
from roofcast_hull.source.numpy_values import (
    BYTES,
    COMPLEX,
    CONSTANTS,
    SPELLED,
    Tensor,
    UnknownError,
    ask_function,
    combine,
    compute,
    multiply_matrices,
    take,
)
from roofcast_hull.source.plain_functions import MOST_ITEMS, compute_plain, find_function
from roofcast_hull.source.python_syntax import name_called
from roofcast_hull.source.torch_values import MAKERS, ask_tensor, call_torch

MOST_STATEMENTS = 20_000
"""Statements of the host that are followed, loops included."""
MOST_ARRAYS = 64
"""Arrays of a list that keep a shape each; turns of a loop that fills one."""
DEEPEST = 8
"""Functions of the host that call each other, one inside the other."""
OPERATIONS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
}  # fmt: skip
TIMED = ("do_bench", "do_bench_cudagraph", "Timer", "timeit", "benchmark")
"""What calls the function that it is given."""
LARGEST_POWER = 128
"""Exponents of host code: a larger one makes a number that fills the memory."""


@dataclass
class Host:
    """Follows the statements of a file."""

    kernels: Mapping[str, ast.FunctionDef]
    functions: Mapping[str, ast.FunctionDef]
    launches: list[Any] = field(default_factory=list)
    left: int = MOST_STATEMENTS
    real: ClassVar[str] = "float64"
    """Type of quotients of whole numbers."""
    depth: int = 0
    calls: dict[str, list[tuple[int, dict[str, Any]]]] = field(default_factory=dict)
    """Of the file's own functions: lines, and the arguments that are known."""
    classes: Mapping[str, ast.ClassDef] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    """What the file takes options of its command line for, where nobody gives them."""
    skips: int = 0
    """Loops around a statement of which the first turn alone is followed."""

    def run(self, body: Sequence[ast.stmt], names: dict[str, Any]) -> Any:
        """Statements in their order; the value that one returns."""
        for item in body:
            self.left -= 1
            if self.left < 0:
                return None
            if isinstance(item, ast.Return):
                return self.find(item.value, names) if item.value is not None else None
            value = self.statement(item, names)
            if value is not None:
                return value
        return None

    def statement(self, item: ast.stmt, names: dict[str, Any]) -> Any:
        """One statement; what it returns."""
        match item:
            case ast.Assign() | ast.Expr():
                value = self.find(item.value, names)
                for target in getattr(item, "targets", ()):
                    store(target, value, names)
            case ast.AnnAssign() if item.value is not None:
                store(item.target, self.find(item.value, names), names)
            case ast.AugAssign():
                self.augment(item, names)
            case ast.FunctionDef():
                names[item.name] = item, dict(names)
            case ast.If():
                return self.branch(item, names)
            case ast.Assert():
                self.find(item.test, names)
            case ast.For() | ast.While() | ast.With():
                return self.enter(item, names)
            case ast.Try():
                return self.run([*item.body, *item.orelse, *item.finalbody], names)
        return None

    def branch(self, item: ast.If, names: dict[str, Any]) -> Any:
        """``if __name__ == "__main__"``, and whatever else is not known, is taken as met, unless it only ends there."""
        holds = self.decide_test(item.test, names)
        before = len(self.launches)
        value = self.run(item.body if holds is None or holds else item.orelse, names)
        if holds is None and value is not None and len(self.launches) == before and self.kernels:
            return self.run(item.orelse, names)
        return value

    def decide_test(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """What a condition is; None where data decide."""
        value = self.find(node, names)
        return None if isinstance(value, Tensor) and self.real == "float64" else value

    def enter(self, item: ast.For | ast.While | ast.With, names: dict[str, Any]) -> Any:
        """The first turn of a loop; over a written list with its first value. What it returns."""
        if isinstance(item, ast.For) and (turns := self.list_turns(item, names)):
            for value in turns:
                store(item.target, value, names)
                self.run(item.body, names)
            return None
        for node in ast.walk(item):
            if isinstance(node, ast.AugAssign):
                self.lose(node.target, names)
        if isinstance(item, ast.For):
            store(item.target, self.find_first(item.iter, names), names)
        elif isinstance(item, ast.With):
            for context in item.items:
                self.find(context.context_expr, names)
        skips = not isinstance(item, ast.With)
        before = dict(names)
        self.skips += skips
        value = self.run(item.body, names)
        self.skips -= skips
        if skips and not self.kernels:
            self.lose_turned(before, names)
            if isinstance(item, ast.For):
                self.grow(item, before, names)
        return value

    def grow(self, item: ast.For, before: Mapping[str, Any], names: dict[str, Any]) -> None:
        """Lists that each turn of a loop adds an item to: as many items as it has turns."""
        called = [n for s in item.body for n in ast.walk(s) if isinstance(n, ast.Call) and name_called(n) == "append"]
        lists = Counter(n.func.value.id for n in called if isinstance(n.func, ast.Attribute)
                        and isinstance(n.func.value, ast.Name))  # fmt: skip
        for statement in item.body:
            call = statement.value if isinstance(statement, ast.Expr) else None
            owner = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
            if call not in called or not isinstance(call, ast.Call) or not isinstance(owner, ast.Name):
                continue
            held, turns = before.get(owner.id), self.count_turns(item.iter, names)
            if lists[owner.id] == 1 and isinstance(held, tuple) and call.args and turns:
                same = measure_item(self.find(call.args[0], names))
                names[owner.id] = Tensor((len(held) + turns, *same.shape), same.dtype)

    def count_turns(self, node: ast.expr, names: Mapping[str, Any]) -> int:
        """Turns of a loop; 0 where they are not known."""
        if isinstance(node, ast.Call) and name_called(node) in ("range", "prange"):
            ends = [self.find(a, names) for a in node.args]
            return len(range(*ends)) if all(type(e) is int for e in ends) and 0 not in ends[2:] else 0
        with suppress(UnknownError, TypeError, ValueError, ZeroDivisionError, LookupError, AttributeError):
            return self.find_turn(node, names)[1]
        return 0

    @staticmethod
    def lose_turned(before: Mapping[str, Any], names: dict[str, Any]) -> None:
        """Numbers, and shapes, that the first turn of a loop changed, are others behind its last one."""
        for name, value in before.items():
            now = names.get(name)
            if type(value) in (int, float) and type(now) in (int, float) and now != value:
                names[name] = Tensor((), "float64" if float in (type(value), type(now)) else "int64")
            elif isinstance(value, Tensor) and isinstance(now, Tensor) and value.shape != now.shape:
                del names[name]

    def list_turns(self, item: ast.For, names: Mapping[str, Any]) -> tuple[Any, ...]:
        """What a loop that fills a list gives its name turn by turn; empty for others."""
        called = (n for s in item.body for n in ast.walk(s) if isinstance(n, ast.Call))
        if self.skips or not any(name_called(n) == "append" for n in called):
            return ()
        turns = self.find(item.iter, names)
        return turns if isinstance(turns, tuple) and len(turns) <= MOST_ARRAYS else ()

    def find_first(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """What a loop gives its name in the first turn; None where that is not stated, or a count of turns."""
        if isinstance(node, ast.Call) and name_called(node) in ("range", "prange") and not self.kernels:
            return Tensor((), "int64") if self.real == "float64" else None
        with suppress(UnknownError, TypeError, ValueError, ZeroDivisionError, LookupError, AttributeError):
            return self.find_turn(node, names)[0]
        return None

    def augment(self, item: ast.AugAssign, names: dict[str, Any]) -> None:
        """``x += 1``: arrays keep their shapes."""
        held = names.get(item.target.id) if isinstance(item.target, ast.Name) else None
        if isinstance(item.target, ast.Name) and not (isinstance(held, Tensor) and (held.shape or self.kernels)):
            value = ast.BinOp(ast.Name(item.target.id, ast.Load()), item.op, item.value)
            result = self.find(ast.fix_missing_locations(ast.copy_location(value, item)), names)
            if result is None:
                self.lose(item.target, names)
            else:
                store(item.target, result, names)
            return
        if not self.kernels:
            self.find(item.value, names)
        if not isinstance(item.target, ast.Subscript):
            forget(item.target, names)

    def lose(self, target: ast.expr, names: dict[str, Any]) -> None:
        """A value that is no longer known: of NumPy a real number stays some real number."""
        held = names.get(target.id) if isinstance(target, ast.Name) else None
        if type(held) in (int, float) and self.real == "float64" and not self.kernels:
            store(target, Tensor((), self.real if type(held) is float else "int64"), names)
        else:
            forget(target, names)

    def find(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """The value of an expression; None where it is not stated."""
        try:
            return self.value(node, names)
        except (UnknownError, TypeError, ValueError, ZeroDivisionError, OverflowError, LookupError, AttributeError):
            return None

    def value(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """The value of an expression.

        Raises
        ------
        UnknownError : the file does not state it.
        """
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self.find_name(node.id, names)
            case ast.Tuple() | ast.List():
                return tuple(self.spread(node.elts, names))
            case ast.IfExp():
                return self.value(node.body if self.value(node.test, names) else node.orelse, names)
            case ast.Subscript():
                return self.part(node, names)
            case ast.Lambda() | ast.ListComp() | ast.GeneratorExp() | ast.Dict():
                return self.make(node, names)
            case ast.Attribute():
                return self.attribute(node, names)
            case ast.Call():
                return self.call(node, names)
        return self.operation(node, names)

    def find_name(self, name: str, names: Mapping[str, Any]) -> Any:
        """The value of a name, a class of the file, or a type of Python's own."""
        if name in names or name == "__name__":
            return names.get(name, "__main__")
        if name in self.classes:
            return self.classes[name]
        if name not in ("float", "int", "bool", "complex"):
            raise UnknownError
        return SPELLED.get(name, name)

    def spread(self, nodes: Sequence[ast.expr], names: Mapping[str, Any]) -> list[Any]:
        """Values of arguments or items, those behind a star one by one; none behind a star without value."""
        values: list[Any] = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                values.append(self.find(node, names))
                continue
            several = self.find(node.value, names)
            if isinstance(several, Tensor) and several.shape and several.shape[0] <= MOST_ARRAYS:
                several = (Tensor(several.shape[1:], several.dtype),) * several.shape[0]
            if not isinstance(several, tuple):
                return values
            values += several
        return values

    def spread_named(self, call: ast.Call, names: Mapping[str, Any]) -> dict[str, Any]:
        """Values of the named arguments of a call, those of ``**options`` too."""
        values: dict[str, Any] = {}
        for keyword in call.keywords:
            value = self.find(keyword.value, names)
            if keyword.arg:
                values[keyword.arg] = value
            elif isinstance(value, dict):
                values |= {n: v for n, v in value.items() if isinstance(n, str)}
        return values

    def make(self, node: ast.Lambda | ast.ListComp | ast.GeneratorExp | ast.Dict, names: Mapping[str, Any]) -> Any:
        """A function without a name, a list that loops make, a dictionary."""
        if isinstance(node, ast.Lambda):
            return node, dict(names)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.part(node, names) if isinstance(node, ast.ListComp) else self.comprehend(node, names)
        pairs = zip(node.keys, node.values, strict=True)
        return {self.value(k, names): self.find(v, names) for k, v in pairs if k is not None}

    def part(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """``x[0]``, and lists that a loop over a range makes."""
        if isinstance(node, ast.ListComp):
            items: tuple[Any, ...] = ()
            with suppress(UnknownError, TypeError, ValueError):
                items = self.comprehend(node, names)
            if 0 < len(items) <= MOST_ARRAYS and all(map(holds_arrays, items)):
                return items
        match node:
            case ast.ListComp(generators=[_, _, *_]) if not any(g.ifs for g in node.generators):
                return self.measure_flat(node, names)
            case ast.ListComp(generators=[ast.comprehension(iter=ast.Call(func=ast.Name(id="range"), args=[count]))]):
                around = dict(names)
                store(node.generators[0].target, 0, around)
                same = measure_item(self.find(node.elt, around))
                return Tensor((int(self.value(count, names)), *same.shape), same.dtype)
            case ast.ListComp(generators=[ast.comprehension(target=target, iter=several)]):
                item, length = self.find_turn(several, names)
                around = dict(names)
                store(target, item, around)
                same = measure_item(self.find(node.elt, around))
                return Tensor((length, *same.shape), same.dtype)
            case ast.Subscript():
                if isinstance(node.value, ast.Attribute) and node.value.attr == "mgrid":
                    sizes = tuple(len(range(*s.indices(s.stop))) for s in self.list_items(node.slice, names))
                    return Tensor((len(sizes), *sizes), "int64")
                whole = self.value(node.value, names)
                if isinstance(whole, Tensor):
                    return take(whole, self.list_items(node.slice, names))
                if isinstance(node.slice, ast.Slice):
                    return whole[self.list_items(node.slice, names)[0]]
                return whole[self.value(node.slice, names)]
        raise UnknownError

    def measure_flat(self, node: ast.ListComp, names: Mapping[str, Any]) -> Tensor:
        """``[p for row in image for p in row]``: as many items as all turns together.

        Raises
        ------
        UnknownError : the file does not state it.
        """
        around, length = dict(names), 1
        for generator in node.generators:
            if isinstance(generator.iter, ast.Call) and name_called(generator.iter) == "range":
                turns = range(*(int(self.value(a, around)) for a in generator.iter.args))
                item, count = (turns[0], len(turns)) if turns else (None, 0)
            else:
                item, count = self.find_turn(generator.iter, around)
            store(generator.target, item, around)
            length *= count
        same = measure_item(self.find(node.elt, around))
        return Tensor((length, *same.shape), same.dtype)

    def find_turn(self, node: ast.expr, names: Mapping[str, Any]) -> tuple[Any, int]:
        """What a loop over an array, a list or several of them gives its name in the first turn, and how many it has.

        Raises
        ------
        UnknownError : the file does not state it.
        """
        if isinstance(node, ast.Call) and name_called(node) in ("enumerate", "zip") and node.args:
            parts = [self.find_turn(a, names) for a in node.args]
            several = tuple(p[0] for p in parts)
            return (0, *several) if name_called(node) == "enumerate" else several, min(p[1] for p in parts)
        whole = self.value(node, names)
        if isinstance(whole, Tensor) and whole.shape:
            return Tensor(whole.shape[1:], whole.dtype), whole.shape[0]
        if isinstance(whole, tuple) and whole:
            return whole[0], len(whole)
        raise UnknownError

    def list_items(self, node: ast.expr, names: Mapping[str, Any]) -> list[Any]:
        """``1:-1, None, k`` of an index: slices, ``None``, ``...``, numbers and arrays."""
        items: list[Any] = []
        for item in node.elts if isinstance(node, ast.Tuple) else [node]:
            if isinstance(item, ast.Slice) and (width := self.find_width(item, names)) is not None:
                items.append(slice(0, width))
            elif isinstance(item, ast.Slice):
                ends = (item.lower, item.upper, item.step)
                items.append(slice(*(None if e is None else self.value(e, names) for e in ends)))
            elif isinstance(item, ast.Attribute) and item.attr == "newaxis":
                items.append(None)
            else:
                items.append(self.value(item, names))
        return items

    def find_width(self, part: ast.Slice, names: Mapping[str, Any]) -> int | None:
        """Elements of ``k:k + n``, whatever ``k`` is; None of other slices."""
        end = part.upper
        if part.lower is None or part.step is not None or not isinstance(end, ast.BinOp):
            return None
        first = ast.unparse(part.lower)
        pairs = [(end.left, end.right), (end.right, end.left)] if isinstance(end.op, ast.Add) else []
        for side, more in pairs:
            if ast.unparse(side) == first and isinstance(self.find(part.lower, names), Tensor):
                width = self.find(more, names)
                return width if type(width) is int and width > 0 else None
        return None

    def operation(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """Signs between values."""
        match node:
            case ast.UnaryOp(op=ast.USub() | ast.Invert()):
                inner = self.value(node.operand, names)
                return inner if isinstance(inner, Tensor) else -inner if isinstance(node.op, ast.USub) else ~inner
            case ast.BinOp():
                return self.calculate(node.op, self.value(node.left, names), self.value(node.right, names))
            case ast.Compare(ops=[op], comparators=[right_side]) if type(op) in OPERATIONS:
                sides = self.value(node.left, names), self.value(right_side, names)
                if any(isinstance(s, Tensor) for s in sides):
                    return combine(sides, "bool")
                return OPERATIONS[type(op)](*sides)
        return self.decide(node, names)

    def decide(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """``not x``, ``a and b``, ``x is None``."""
        match node:
            case ast.UnaryOp(op=ast.Not()):
                return not self.value(node.operand, names)
            case ast.BoolOp():
                return self.join(node, names)
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
                value = self.find(left, names)
                if value is None and not (isinstance(left, ast.Name) and left.id in names):
                    raise UnknownError
                return (value is None) is isinstance(op, ast.Is)
        for inner in ast.iter_child_nodes(node):
            # What it is computed from may launch kernels.
            item = inner.value if isinstance(inner, ast.FormattedValue) else inner
            if isinstance(item, ast.expr):
                self.find(item, names)
        raise UnknownError

    def join(self, node: ast.BoolOp, names: Mapping[str, Any]) -> Any:
        """``a and b``: as Python has it; an unknown part leaves it unknown unless another one decides."""
        ends, unknown = isinstance(node.op, ast.Or), False
        value: Any = None
        for part in node.values:
            value = self.find(part, names)
            if value is None:
                unknown = True
            elif isinstance(value, Tensor) or bool(value) is ends:
                return value
        if unknown:
            raise UnknownError
        return value

    def calculate(self, op: ast.operator, left: Any, right: Any) -> Any:
        """An operation of two values."""
        if isinstance(left, Tensor) or isinstance(right, Tensor):
            return self.combine(op, left, right)
        if isinstance(op, ast.Pow):
            if abs(right) > LARGEST_POWER:
                raise UnknownError
            return left**right
        if isinstance(left, tuple) and isinstance(op, ast.Mult):
            if len(left) * right <= MOST_ITEMS:
                return left * right
            return Tensor((len(left) * int(right),), "int64" if type(left[0]) is int else "float64")
        if isinstance(left, (str, bytes)) or isinstance(right, (str, bytes)) or type(op) not in OPERATIONS:
            raise UnknownError
        return OPERATIONS[type(op)](left, right)

    def combine(self, op: ast.operator, left: Any, right: Any) -> Tensor:
        """An operation of arrays: whole numbers of NumPy are divided as real ones."""
        if isinstance(op, ast.MatMult):
            return multiply_matrices(left, right)
        both = combine([left, right])
        if isinstance(op, ast.Div) and not both.dtype.startswith(("float", "bfloat", "half", "double", "complex")):
            return Tensor(both.shape, self.real)
        return both

    def attribute(self, node: ast.Attribute, names: Mapping[str, Any]) -> Any:
        """``x.shape``, ``x.dtype``, ``torch.float16``."""
        if node.attr in BYTES or node.attr in COMPLEX:
            return node.attr
        if isinstance(node.value, ast.Name) and node.value.id not in names and node.value.id not in self.classes:
            # Of a module: what it gives without being asked.
            module = {"argv": ("prog",)} | CONSTANTS | SPELLED
            return module[node.attr]
        owner = self.value(node.value, names)
        if isinstance(owner, Tensor):
            return self.ask_attribute(owner, node.attr)
        if isinstance(owner, Instance) and node.attr in owner.fields:
            return owner.fields[node.attr]
        if isinstance(owner, Instance) and (value := self.find_member(owner.kind, node.attr, names)) is not None:
            return value
        method = find_method(owner, node.attr)
        if method is None and isinstance(owner, ast.ClassDef):
            return self.find_member(owner, node.attr, names)
        if method is None:
            raise UnknownError
        return method

    def ask_attribute(self, owner: Tensor, name: str) -> Any:
        """``x.shape``, ``x.T``, ``x.is_cuda``."""
        if name in ("T", "mT"):
            return Tensor(owner.shape[::-1], owner.dtype)
        if name in ("size", "real", "imag", "flat"):
            part = Tensor(owner.shape, COMPLEX.get(owner.dtype, owner.dtype))
            return owner.elements if name == "size" else part
        known = {"shape": owner.shape, "dtype": owner.dtype, "ndim": len(owner.shape), "data": owner, "grad": owner,
                 "is_cuda": True, "values": owner, "indices": Tensor(owner.shape, "int64")}  # fmt: skip
        return known[name]

    def find_default(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """What a member is unless it is given: ``field(default_factory=lambda: np.zeros(4))``, too."""
        if not isinstance(node, ast.Call) or name_called(node) != "field":
            return self.find(node, names)
        options = {k.arg: k.value for k in node.keywords}
        if "default" in options:
            return self.find(options["default"], names)
        factory = options.get("default_factory")
        call = ast.Call(factory, [], []) if isinstance(factory, (ast.Name, ast.Attribute)) else None
        if isinstance(factory, ast.Lambda):
            return self.find(factory.body, names)
        return None if call is None else self.find(ast.copy_location(call, node), names)

    def find_member(self, kind: ast.ClassDef, name: str, names: Mapping[str, Any]) -> Any:
        """What a class, or one that it is made from, gives a member where it stands; None of others."""
        members = self.read_members(kind, names)
        if name in members:
            return members[name]
        bases = (self.classes.get(b.id) for b in kind.bases if isinstance(b, ast.Name))
        values = (self.find_member(b, name, names) for b in bases if b is not None and b is not kind)
        return next((v for v in values if v is not None), None)

    def read_members(self, kind: ast.ClassDef, names: Mapping[str, Any]) -> dict[str, Any]:
        """Values that a class gives its members where it stands: ``n: int = 100``."""
        members: dict[str, Any] = {}
        for item in kind.body:
            if isinstance(item, (ast.Assign, ast.AnnAssign)):
                value = self.find_default(item.value, {**names, **members}) if item.value is not None else None
                for target in item.targets if isinstance(item, ast.Assign) else [item.target]:
                    store(target, value, members)
        return members

    def call(self, node: ast.Call, names: Mapping[str, Any]) -> Any:
        """Tensors that are made, sizes of them, functions of the file, launches."""
        if isinstance(node.func, ast.Subscript) and isinstance(node.func.value, ast.Name):
            if node.func.value.id in self.kernels:
                self.launch(node, node.func.value.id, node.func.slice, names)
            return None
        given, named = self.spread(node.args, names), self.spread_named(node, names)
        if isinstance(node.func, ast.Name) and node.func.id in self.functions and self.depth < DEEPEST:
            return self.follow(self.functions[node.func.id], given, named, names, node.lineno)
        name = name_called(node)
        if name == "filter" and len(given) == 2 and isinstance(given[1], tuple):
            return tuple(v for v in given[1] if self.apply(node.args[0], v, names) not in (False, 0))
        if name in TIMED and given and is_function(given[0]):
            return self.call_own(given[0], [])
        if (
            name == "append"
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and given
        ):
            held = names.get(node.func.value.id)
            if isinstance(held, tuple) and isinstance(names, dict):
                store(node.func.value, None if self.skips else (*held, given[0]), names)
            return None
        function = find_function(node)
        if function:
            return ask_function(function, name, given, named)
        owner = self.find(node.func.value, names) if isinstance(node.func, ast.Attribute) else None
        if self.depth < DEEPEST and (value := self.run_method(node, owner, given, named, names)) is not None:
            return value
        return self.compute(name, owner, given, named)

    def apply(self, function: ast.expr, value: Any, names: Mapping[str, Any]) -> Any:
        """What a function that is handed over gives of a value; None where it is not followed."""
        if isinstance(function, ast.Name) and function.id in self.functions and self.depth < DEEPEST:
            return self.follow(self.functions[function.id], [value], {}, names, function.lineno)
        called = self.find(function, names)
        return self.call_own(called, [value]) if is_function(called) and self.depth < DEEPEST else None

    def call_own(self, function: tuple[Any, dict[str, Any]], given: Sequence[Any]) -> Any:
        """What a function that stands inside another one gives."""
        node, around = function
        inner = {**around, **dict(zip([a.arg for a in node.args.args], given, strict=False))}
        self.depth += 1
        value = self.find(node.body, inner) if isinstance(node, ast.Lambda) else self.run(node.body, inner)
        self.depth -= 1
        return value

    def compute(self, name: str, owner: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """What a function of Python, NumPy or Torch gives. owner : what it is a method of."""
        with suppress(UnknownError):
            return compute_plain(name, owner, given)
        if name == "add_argument":
            return self.note_option(given, named)
        if name in ("parse_args", "parse_known_args"):
            options = Instance(ast.ClassDef(name, [], [], [], []), dict(self.options))
            return options if name == "parse_args" else (options, ())
        drawn = name in PLACES and (name in (*OF_VECTORS, "choice") or not (given and isinstance(given[0], Tensor)))
        if name in MAKERS or drawn:
            return make_array(name, given, named)
        with suppress(UnknownError):
            return compute(name, [owner, *given] if isinstance(owner, Tensor) else given, named)
        if isinstance(owner, Tensor):
            return ask_tensor(owner, name, given, named)
        return call_torch(name, given, named)

    def note_option(self, given: Sequence[Any], named: Mapping[str, Any]) -> None:
        """``parser.add_argument("-n", "--size", type=int, default=512)``: what it is where nobody gives it."""
        labels = [g for g in given if isinstance(g, str)]
        label = next((g for g in labels if g.startswith("--")), labels[0] if labels else "")
        value = named.get("default", False if named.get("action") == "store_true" else None)
        name = named.get("dest") or label.lstrip("-").replace("-", "_")
        if value is not None:
            self.options[name] = value

    def run_method(
        self, node: ast.Call, owner: Any, given: Sequence[Any], named: Mapping[str, Any], names: Any
    ) -> Any:  # fmt: skip
        """What a call of a class, of an object or of one of their methods gives; None for other calls."""
        if isinstance(node.func, ast.Attribute):
            value: Any = find_method(owner, node.func.attr)
            value = owner.fields.get(node.func.attr) if value is None and isinstance(owner, Instance) else value
        else:
            value = self.find(node.func, names) if isinstance(node.func, (ast.Name, ast.Call)) else None
        if isinstance(value, ast.ClassDef):
            return self.make_instance(value, given, named, names, node.lineno)
        if isinstance(value, Instance):
            value = find_method(value, "__call__") or find_method(value, "forward")
        if value is None and isinstance(owner, Instance) and name_called(node) in OF_MODULES:
            return convert_module(owner, name_called(node), given)
        if not isinstance(value, Method):
            return None
        return self.follow(value.function, [*value.before, *given], named, names, node.lineno)

    def make_instance(
        self, kind: ast.ClassDef, given: Sequence[Any], named: Mapping[str, Any], names: Any, line: int
    ) -> Instance:
        """An object of a class of the file, made by its own method."""
        instance = Instance(kind)
        start = find_method(instance, "__init__")
        if start is not None:
            self.follow(start.function, [instance, *given], named, names, line)
        else:
            # A class of data: members in their order.
            instance.fields |= {n: v for n, v in self.read_members(kind, names).items() if v is not None}
            labels = [a.target.id for a in kind.body if isinstance(a, ast.AnnAssign) and isinstance(a.target, ast.Name)]
            stated = dict(zip(labels, given, strict=False)) | dict(named)
            instance.fields |= {n: v for n, v in stated.items() if v is not None}
        for item in kind.body:
            if isinstance(item, ast.FunctionDef) and any("property" in ast.unparse(d) for d in item.decorator_list):
                store(ast.Name(item.name), self.run(item.body, {**names, "self": instance}), instance.fields)
        return instance

    def follow(
        self, function: ast.FunctionDef, given: Sequence[Any], named: Mapping[str, Any], names: Any, line: int = 0
    ) -> Any:
        """A function of the file."""
        labels = [a.arg for a in function.args.args]
        inner = {n: v for n, v in names.items() if n not in labels}
        defaults = dict(zip(labels[::-1], [self.find(d, names) for d in function.args.defaults[::-1]], strict=False))
        inner |= defaults | dict(zip(labels, given, strict=False)) | dict(named)
        if function.args.vararg is not None:
            inner[function.args.vararg.arg] = tuple(given[len(labels) :])
        if function.args.kwarg is not None:
            inner[function.args.kwarg.arg] = {n: v for n, v in named.items() if n not in labels}
        known = {n: inner[n] for n in labels if inner.get(n) is not None}
        self.calls.setdefault(function.name, []).append((line, known))
        self.depth += 1
        value = self.run(function.body, inner)
        self.depth -= 1
        return value

    def launch(self, node: ast.Call, kernel: str, grid: ast.expr, names: Mapping[str, Any]) -> None:
        """A launch of a kernel: those who follow kernels note it."""

    def iterate(self, value: Any) -> Sequence[Any]:
        """What a loop over a value gives, turn by turn."""
        items: Sequence[Any] = value
        return items

    def store(self, target: ast.expr, value: Any, names: dict[str, Any]) -> None:
        """Give names their values."""
        store(target, value, names)

    def comprehend(
        self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, names: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        """``[f(a, b) for a in (1, 2) for b in (3, 4) if a < b]``."""
        inside = [dict(names)]
        for generator in node.generators:
            following = []
            for around in inside:
                for value in self.iterate(self.value(generator.iter, around)):
                    names_of_turn = dict(around)
                    self.store(generator.target, value, names_of_turn)
                    if all(self.find(test, names_of_turn) in (None, True) for test in generator.ifs):
                        following.append(names_of_turn)
                    if len(following) > MOST_ITEMS:
                        raise UnknownError
            inside = following
        return tuple(self.find(node.elt, names_of_turn) for names_of_turn in inside)


def measure_item(item: Any) -> Tensor:
    """What each item of a list is: an array, a point of several numbers, or a number."""
    if isinstance(item, Tensor):
        return item
    if (
        isinstance(item, tuple)
        and item
        and not any(isinstance(v, (tuple, str)) or getattr(v, "shape", ()) for v in item)
    ):
        return Tensor((len(item),), "int64" if all(type(v) is int for v in item) else "float64")
    return Tensor((), "int64" if type(item) is int else "float64")


OF_MODULES = ("cuda", "half", "float", "double", "bfloat16", "to", "eval", "train", "requires_grad_", "compile")
"""Methods of ``nn.Module`` that give the module."""


def find_python_calls(tree: ast.Module) -> tuple[dict[str, list[tuple[int, dict[str, Any]]]], dict[str, Any]]:
    """Calls of a file's own functions by its statements, in their order: lines, and the arguments that are known.

    With the values of the file's own names. What its statements do not call, other functions of the file may, where
    they need no arguments themselves.
    """
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    host = Host({}, functions, classes=classes)
    names: dict[str, Any] = {}
    host.run([n for n in tree.body if not isinstance(n, (ast.FunctionDef, ast.ClassDef))], names)
    calls = dict(host.calls)
    for function in functions.values():
        if function.name not in calls and len(function.args.args) == len(function.args.defaults):
            inner = Host({}, functions, classes=classes)
            inner.follow(function, [], {}, names, function.lineno)
            calls |= {n: c for n, c in inner.calls.items() if n not in calls}
    return calls, names


def follow_body(
    tree: ast.Module, body: Sequence[ast.stmt], stated: Mapping[str, Any]
) -> tuple[dict[str, Any], Callable[[ast.expr], Any]]:
    """What names stand for behind some statements, and what finds the value of an expression there.

    stated : what names stand for before them.
    """
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    host = Host({}, functions, classes={n.name: n for n in tree.body if isinstance(n, ast.ClassDef)})
    names = dict(stated)
    host.run(body, names)
    return names, lambda node: host.find(node, names)
