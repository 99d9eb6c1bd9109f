"""An interpreter of the Python loops that classes are read from, over the parsed tree; whole arrays are not run."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence

from roofcast.hulls.source.run_check import Machine, StopError, Value

LEAST = {"min": min, "max": max, "minimum": min, "maximum": max, "fmin": min, "fmax": max}
ACCUMULATING = (ast.Add, ast.Sub, ast.Mult)
MODULES = ("np", "numpy", "math")
CONVERSIONS = ("float", "int", "float32", "float64", "int32", "len")


class Interpreter:
    """One function over numbers and elements of arrays."""

    def __init__(self, machine: Machine, sizes: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.machine = machine
        self.sizes = dict(sizes)
        self.shapes = {name: tuple(shape) for name, shape in shapes.items() if shape and min(shape) > 0}
        self.counters: dict[str, Value] = {}
        self.scalars: dict[str, str] = {}
        self.buffers: dict[str, str] = {}
        """Which array a name stands for after buffers took turns."""

    def run_all(self, body: Sequence[ast.stmt]) -> None:
        """Statements one after the other."""
        for node in body:
            self.run(node)

    def run(self, node: ast.stmt) -> None:
        """One statement."""
        self.machine.step()
        if isinstance(node, ast.For):
            self.run_loop(node)
        elif isinstance(node, ast.If):
            found = self.evaluate(node.test)
            self.machine.guarded |= found.data
            self.run_all(node.body if found.number else node.orelse)
        elif isinstance(node, ast.AugAssign):
            self.update(node.target, type(node.op), [node.value], 1)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            self.assign(target, node.value)
        elif isinstance(node, ast.Return) and node.value is not None:
            if not isinstance(node.value, ast.Name):
                raise StopError("what is returned is not run")
        elif not isinstance(node, (ast.Pass, ast.Expr, ast.Import, ast.ImportFrom, ast.AnnAssign, ast.Return)):
            raise StopError(f"{type(node).__name__} is not run")

    def run_loop(self, node: ast.For) -> None:
        """``for i in range(...)``."""
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(node.target, ast.Name) and 1 <= len(call.args) <= 3):
            raise StopError("a loop that is not over a range is not run")
        for value in range(*(int(self.evaluate(a).number) for a in call.args)):
            self.counters[node.target.id] = Value(value)
            self.run_all(node.body)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        """``x = e``, accumulations and swaps of buffers included."""
        if isinstance(target, ast.Tuple):
            if not isinstance(value, ast.Tuple) or not all(
                isinstance(e, ast.Name) for e in (*target.elts, *value.elts)
            ):
                raise StopError("several values at once are not run")
            names = [(t.id, v.id) for t, v in zip(target.elts, value.elts, strict=True)
                     if isinstance(t, ast.Name) and isinstance(v, ast.Name)]  # fmt: skip
            now = {v: self.buffers.get(v, v) for _, v in names}
            self.buffers |= {t: now[v] for t, v in names}
            return
        term = self.find_term(target, value)
        if term is not None:
            self.update(target, *term)
            return
        found = self.evaluate(value)
        if isinstance(target, ast.Name):
            if found.data or target.id in self.scalars:
                key = self.scalar(target.id)
                self.machine.write(key, 0, found)
                self.machine.cells[key, 0].value = found
            else:
                self.counters[target.id] = found
            return
        self.machine.write(*self.place(target), found)

    def find_term(self, target: ast.expr, value: ast.expr) -> tuple[object, list[ast.expr], int] | None:
        """Operator and terms of ``x = x + e``; None for other assignments."""
        own = ast.unparse(target)
        if isinstance(value, ast.Call) and self.called(value) in LEAST:
            rest = [a for a in value.args if ast.unparse(a) != own]
            if len(rest) == len(value.args) - 1 and not any(own in ast.unparse(a) for a in rest):
                return LEAST[self.called(value)], rest, 1
        if isinstance(value, ast.BinOp) and isinstance(value.op, ACCUMULATING):
            if ast.unparse(value.left) == own and own not in ast.unparse(value.right):
                return type(value.op), [value.right], 1
            plain = not isinstance(value.op, ast.Sub)
            if plain and ast.unparse(value.right) == own and own not in ast.unparse(value.left):
                return type(value.op), [value.left], 1
        return None

    def update(self, target: ast.expr, op: object, terms: Sequence[ast.expr], operations: int) -> None:
        """Accumulate into a scalar or an element."""
        values = [self.evaluate(t) for t in terms]
        if isinstance(target, ast.Name):
            held = self.counters.get(target.id)
            if held is not None and not any(v.data for v in values) and isinstance(held.number, int):
                self.counters[target.id] = self.calculate(op, held, values[0])
                return
            array, at = self.scalar(target.id), 0
        else:
            array, at = self.place(target)
        before = self.machine.cell(array, at).value
        result = self.calculate(op, Value(before.number, 0, True), values[0])
        if op in (ast.Div, ast.FloorDiv, ast.Pow, ast.Mod):
            result = self.calculate(op, self.machine.read(array, at), values[0])
            self.machine.operations -= 1
            self.machine.write(array, at, result)
            return
        self.machine.accumulate(array, at, result)

    def calculate(self, op: object, left: Value, right: Value) -> Value:
        """An operation of two numbers."""
        a, b = left.number, right.number
        try:
            if op is ast.Add:
                number = a + b
            elif op is ast.Sub:
                number = a - b
            elif op is ast.Mult:
                number = a * b
            elif op is ast.Div:
                number = a / b
            elif op in (ast.FloorDiv, ast.Mod):
                number = a // b if op is ast.FloorDiv else a % b
            elif op is ast.Pow:
                number = float(abs(a)) ** min(abs(b), 4)
            elif callable(op) and op in LEAST.values():
                number = op(a, b)
            else:
                number = a
        except (ZeroDivisionError, OverflowError):
            number = 1.0
        return self.machine.compute(number if abs(number) < 1e30 else 1.0, left, right)

    def scalar(self, name: str) -> str:
        """The memory of a scalar."""
        if name not in self.scalars:
            key = self.scalars[name] = self.machine.make_private(name)
            held = self.counters.pop(name, None)
            if held is not None:
                self.machine.write(key, 0, held)
                self.machine.cells[key, 0].value = held
        return self.scalars[name]

    def place(self, node: ast.expr) -> tuple[str, int]:
        """Array and position of an element."""
        indices: list[ast.expr] = []
        while isinstance(node, ast.Subscript):
            part = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
            indices = part + indices
            node = node.value
        if not isinstance(node, ast.Name) or any(isinstance(i, ast.Slice) for i in indices):
            raise StopError("whole arrays are not run")
        array = self.buffers.get(node.id, node.id)
        shape = self.shapes.get(array, (1 << 20,) * len(indices))
        if len(indices) != len(shape):
            raise StopError("whole arrays are not run")
        at = 0
        for i, size in zip(indices, shape, strict=True):
            value = int(self.evaluate(i).number)
            at = at * size + (value if value >= 0 else value + size)
        return array, at

    def evaluate(self, node: ast.expr) -> Value:
        """An expression of numbers."""
        self.machine.step()
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return Value(node.value)
        if isinstance(node, ast.Name):
            return self.read_name(node.id)
        if isinstance(node, ast.Subscript):
            return self.machine.read(*self.place(node))
        if isinstance(node, ast.BinOp):
            return self.calculate(type(node.op), self.evaluate(node.left), self.evaluate(node.right))
        if isinstance(node, ast.UnaryOp):
            found = self.evaluate(node.operand)
            number = -found.number if isinstance(node.op, ast.USub) else found.number
            return Value(int(not number) if isinstance(node.op, ast.Not) else number, found.depth, found.data)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.compare(node)
        if isinstance(node, ast.IfExp):
            test = self.evaluate(node.test)
            self.machine.guarded |= test.data
            return self.evaluate(node.body if test.number else node.orelse)
        if isinstance(node, ast.Call):
            return self.call(node)
        raise StopError(f"{type(node).__name__} is not run")

    def call(self, node: ast.Call) -> Value:
        """A function of numbers."""
        if isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") not in MODULES:
            raise StopError("whole arrays are not run")
        values = [self.evaluate(a) for a in node.args]
        name = self.called(node)
        if name in LEAST:
            return self.machine.compute(LEAST[name](v.number for v in values), *values)
        function = getattr(math, name, None)
        try:
            number = float(function(*(v.number for v in values))) if callable(function) else values[0].number
        except (ValueError, TypeError, OverflowError, IndexError):
            number = 1.0
        return self.machine.compute(number, *values, operations=0 if name in CONVERSIONS else 1)

    def compare(self, node: ast.Compare) -> Value:
        """``a < b``."""
        left, right = self.evaluate(node.left), self.evaluate(node.comparators[0])
        a, b = left.number, right.number
        holds = {
            ast.Lt: a < b, ast.LtE: a <= b, ast.Gt: a > b, ast.GtE: a >= b, ast.Eq: a == b, ast.NotEq: a != b,
        }.get(type(node.ops[0]))  # fmt: skip
        if holds is None:
            raise StopError("such a comparison is not run")
        return self.machine.compute(int(holds), left, right)

    def read_name(self, name: str) -> Value:
        """A counter, a size, a scalar."""
        if name in self.scalars:
            return self.machine.read(self.scalars[name], 0)
        if name in self.counters:
            return self.counters[name]
        if name in self.sizes:
            return Value(self.sizes[name])
        if name in self.shapes:
            raise StopError("whole arrays are not run")
        return Value(0.75, 0, True)

    @staticmethod
    def called(node: ast.Call) -> str:
        """The last word of what is called."""
        return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def run_body(
    body: Sequence[ast.stmt], sizes: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]], whole: Sequence[str]
) -> Machine:
    """What statements do.

    whole : arrays of whole numbers.

    Raises
    ------
    StopError : it takes too many steps, or does what the interpreter does not know.
    """
    machine = Machine(whole=set(whole))
    try:
        Interpreter(machine, sizes, shapes).run_all(body)
    except (RecursionError, OverflowError, ValueError, KeyError, AttributeError, TypeError, IndexError) as error:
        raise StopError(f"{type(error).__name__} while it ran") from error
    return machine
