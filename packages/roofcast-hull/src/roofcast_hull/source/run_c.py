"""An interpreter of the C that classes are read from, CUDA kernels included, over the parsed tree."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roofcast_hull.source.builder import PAIRS
from roofcast_hull.source.c_declarations import ELEMENT_TYPES
from roofcast_hull.source.c_statements import ALLOCATORS, SILENT, STEPS, SWAPS, TIMERS
from roofcast_hull.source.c_tree import are_alike, called, find_calls, find_terms, is_constant, read_integer
from roofcast_hull.source.run_check import Machine, StopError, Value

Running = Generator[None, None, None]
"""Statements under way; stops at every barrier of a block of threads."""
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "&": operator.and_, "|": operator.or_,
    "^": operator.xor,
}  # fmt: skip
ATOMICS = frozenset(f"atomic{kind}" for kind in ("Add", "Sub", "Max", "Min", "Or", "And"))
LEAST = ("min", "max", "fmin", "fmax", "fminf", "fmaxf")
WHOLE_TYPES = frozenset(w for w, kind in ELEMENT_TYPES.items() if kind.startswith("int"))
DEEPEST = 40
"""Calls that are open at once."""
TOGETHER = ("__shfl", "__ballot", "__reduce", "__any", "__all", "__match", "__syncthreads_")
"""Beginnings of what a thread asks the others of its warp or block."""
LARGEST_BLOCK = 4096
"""Threads of a block that is run: GPUs have 1024 at most."""
SAMPLED = 4
"""Threads that run where few do."""
HEAP = "heap"
"""Memory that has no name yet."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """An element of an array, or a row of one: dimensions that are still to be indexed."""

    array: str
    at: int = 0
    dims: tuple[int, ...] = ()
    """Sizes of the dimensions behind the next one."""


Slot = Value | Pointer


class LeaveError(Exception):
    """break, continue or return on its way out."""

    def __init__(self, kind: str, value: Slot | None = None) -> None:
        super().__init__(kind)
        self.kind, self.value = kind, value


class Interpreter:
    """One function with its variables."""

    def __init__(
        self, machine: Machine, functions: Mapping[str, Any], sizes: Mapping[str, int],
        shared: dict[str, Slot] | None = None,
    ) -> None:  # fmt: skip
        self.machine = machine
        self.functions = functions
        self.sizes = dict(sizes)
        self.shared = shared
        """Arrays in the shared memory of a block of threads; None where no kernel runs."""
        self.names: dict[str, Slot] = {}
        self.scalars: dict[str, str] = {}
        """Scalars that live in memory, so that accumulations into them are seen: name to array."""
        self.depth = 0

    # ---- names and memory ----

    def declare(self, node: Any, *, given: bool = False) -> None:
        """A parameter or a variable; values that nobody gives are made up."""
        dims, kind = [], node.type
        while type(kind).__name__ in ("ArrayDecl", "PtrDecl"):
            dim = getattr(kind, "dim", None)
            dims.append(int(self.value(dim).number) if dim is not None else -1)
            kind = kind.type
        words = list(getattr(getattr(kind, "type", None), "names", None) or ())
        name, whole = str(node.name), bool(set(words) & WHOLE_TYPES) and not {"float", "double"} & set(words)
        if dims:
            array = name
            if not given:
                array = self.machine.make_private(name)
            if whole:
                self.machine.whole.add(array)
            self.names[name] = Pointer(array, 0, tuple(dims[1:]))
        elif given:
            known = self.sizes.get(name)
            self.names[name] = Value(known if known is not None else (3 if whole else 0.75), 0, not whole)

    def place(self, node: Any) -> tuple[str, int]:
        """Array and index of something that can be assigned."""
        kind = type(node).__name__
        if kind == "StructRef":
            array, at = self.place(node.name)
            return f"{array}.{node.field.name}", at
        if kind == "ID":
            pointer = self.names.get(str(node.name))
            if isinstance(pointer, Pointer):
                return pointer.array, pointer.at
            return self.scalar(str(node.name)), 0
        if kind == "UnaryOp" and node.op == "*":
            pointer = self.evaluate(node.expr)
        elif kind == "ArrayRef":
            base = self.find_base(node.name)
            pointer = self.index(base, self.evaluate_index(node.subscript))
        elif kind == "Cast":
            return self.place(node.expr)
        else:
            raise StopError(f"{kind} is not run")
        if not isinstance(pointer, Pointer):
            raise StopError("a number is used as an address")
        return pointer.array, pointer.at

    @staticmethod
    def index(base: Slot, by: Slot) -> Pointer:
        """``a[i]``: a row, or an element."""
        if isinstance(by, Pointer):
            base, by = by, base
        if not isinstance(base, Pointer) or isinstance(by, Pointer):
            raise StopError("a number is indexed")
        if any(d < 0 for d in base.dims):
            raise StopError("an array of unknown width is indexed")
        return Pointer(base.array, base.at + int(by.number) * math.prod(base.dims), base.dims)

    def scalar(self, name: str) -> str:
        """The memory of a scalar."""
        if name not in self.scalars:
            array = self.scalars[name] = self.machine.make_private(name)
            value = self.names.pop(name, None)
            if isinstance(value, Value):
                self.put(array, value)
        return self.scalars[name]

    def put(self, array: str, value: Value) -> None:
        """Give a scalar in memory a value; one that is no data stays none."""
        self.machine.write(array, 0, value)
        self.machine.cells[array, 0].value = value

    # ---- expressions ----

    def value(self, node: Any) -> Value:
        """An expression as a number."""
        value = self.evaluate(node)
        if isinstance(value, Pointer):
            raise StopError("an address is used as a number")
        return value

    def evaluate(self, node: Any) -> Slot:
        """An expression."""
        self.machine.step()
        handler = getattr(self, f"evaluate_{type(node).__name__.lower()}", None)
        if handler is None:
            raise StopError(f"{type(node).__name__} is not run")
        value: Slot = handler(node)
        return value

    def evaluate_constant(self, node: Any) -> Slot:
        """A number."""
        text = str(node.value)
        if node.type in ("string", "char"):
            return Value(ord(text[1]) if node.type == "char" and len(text) == 3 else 0)
        if "int" in node.type:
            return Value(read_integer(text, 1))
        return Value(float(text.rstrip("fFlLhH")), 0, False)

    def evaluate_id(self, node: Any) -> Slot:
        """A name."""
        name = str(node.name)
        if name in self.scalars:
            cell = self.machine.cell(self.scalars[name], 0)
            return cell.read()
        value = self.names.get(name)
        if value is None:
            return Value(self.sizes.get(name, 0))
        return value

    def evaluate_arrayref(self, node: Any) -> Slot:
        """An element, or a row where dimensions are left."""
        base, by = self.find_base(node.name), self.evaluate_index(node.subscript)
        pointer = self.index(base, by)
        if pointer.dims:
            return Pointer(pointer.array, pointer.at, pointer.dims[1:])
        return self.machine.read(pointer.array, pointer.at)

    def evaluate_index(self, node: Any) -> Slot:
        """An index; where ``i * n + j`` spells two dimensions as one, it computes nothing."""
        if type(node).__name__ != "BinaryOp" or node.op not in ("+", "*"):
            return self.evaluate(node)
        self.machine.step()
        left, right = self.evaluate_index(node.left), self.evaluate_index(node.right)
        pairs = ((node.left, left), (node.right, right))
        known = [(n, v) for n, v in pairs if isinstance(v, Value) and not v.data]
        spells = node.op == "*" or any(not is_constant(n) or not v.number for n, v in known)
        before = self.machine.operations
        value = self.add(left, right) if node.op == "+" else self.apply("*", self.number(left), self.number(right))
        if (known and spells) or is_linear(node.left) or is_linear(node.right):
            self.machine.operations = before
        return value

    def find_base(self, node: Any) -> Slot:
        """What is indexed: an array, or what a member of a structure leads to, an array of its own."""
        if type(node).__name__ != "StructRef" or f"{getattr(node.name, 'name', '')}.{node.field.name}" in self.sizes:
            return self.evaluate(node)
        name = str(getattr(node.name, "name", "")) if type(node.name).__name__ == "ID" else ""
        if name and not isinstance(self.names.get(name), Pointer) and name not in self.scalars:
            # A structure that the function is given: all threads read the same.
            return Pointer(f"{name}.{node.field.name}")
        array, at = self.place(node)
        return Pointer(f"{array}@{at}" if at else array)

    def evaluate_structref(self, node: Any) -> Slot:
        """A member, or an index of a thread."""
        name = f"{getattr(node.name, 'name', '')}.{node.field.name}"
        if name in self.sizes or node.field.name in self.sizes:
            return Value(self.sizes[name if name in self.sizes else node.field.name])
        array, at = self.place(node)
        return self.machine.read(array, at)

    def evaluate_cast(self, node: Any) -> Slot:
        """A conversion."""
        value = self.evaluate(node.expr)
        words = getattr(getattr(getattr(node.to_type, "type", None), "type", None), "names", None) or ()
        if isinstance(value, Value) and set(words) & WHOLE_TYPES and not {"float", "double"} & set(words):
            return Value(int(value.number), value.depth, value.data, value.sources)
        return value

    def evaluate_unaryop(self, node: Any) -> Slot:
        """``-x``, ``!x``, ``*p``, ``&a[i]``, ``sizeof``, steps."""
        if node.op == "&":
            array, at = self.place(node.expr)
            return Pointer(array, at)
        if node.op == "sizeof":
            return Value(1)
        if node.op in STEPS:
            if type(node.expr).__name__ != "ID":
                # An element that counts: an accumulation.
                array, at = self.place(node.expr)
                held = self.machine.cell(array, at).value
                term = Value(held.number + STEPS[node.op], 0, True)
                self.machine.accumulate(array, at, self.machine.compute(term.number, term))
                return held
            before = self.evaluate(node.expr)
            self.store(node.expr, self.add(before, Value(STEPS[node.op])))
            return before if node.op.startswith("p") else self.evaluate(node.expr)
        operand = self.evaluate(node.expr)
        if isinstance(operand, Pointer):
            if node.op != "*":
                raise StopError("an address is used as a number")
            return self.machine.read(operand.array, operand.at)
        if node.op == "*":
            return operand
        x = operand.number
        number = {"-": -x, "+": x, "!": int(not x), "~": ~int(x)}[node.op]
        return Value(number, operand.depth, operand.data, operand.sources)

    def add(self, left: Slot, right: Slot, op: str = "+") -> Slot:
        """``a + b`` of numbers, or an address further on."""
        if isinstance(right, Pointer) and op == "+":
            left, right = right, left
        if isinstance(left, Pointer):
            if isinstance(right, Pointer):
                return Value(left.at - right.at)
            by = int(right.number) * max(1, math.prod(left.dims))
            return Pointer(left.array, left.at + (by if op == "+" else -by), left.dims)
        if isinstance(right, Pointer):
            raise StopError("an address is used as a number")
        return self.apply(op, left, right)

    def apply(self, op: str, left: Value, right: Value) -> Value:
        """An operation of two numbers."""
        a, b = left.number, right.number
        whole = isinstance(a, int) and isinstance(b, int)
        if op in ("/", "%"):
            if not b:
                b = 1
            number: Any = (int(a / b) if op == "/" else a - b * int(a / b)) if whole else (
                a / b if op == "/" else math.fmod(a, b)
            )  # fmt: skip
        elif op in ("<<", ">>"):
            by = min(max(int(b), 0), 62)
            number = int(a) << by if op == "<<" else int(a) >> by
        else:
            a, b = (int(a), int(b)) if op in ("&", "|", "^") else (a, b)
            number = ARITHMETIC[op](a, b)
        return self.machine.compute(tame(number), left, right)

    def evaluate_binaryop(self, node: Any) -> Slot:
        """Two operands; ``&&`` and ``||`` do not look at the second where the first decides."""
        if is_constant(node):
            operations = self.machine.operations
            result = self.combine(node)
            self.machine.operations = operations
            return result if isinstance(result, Pointer) else Value(result.number)
        return self.combine(node)

    def combine(self, node: Any) -> Slot:
        """Two operands that are computed when the code runs."""
        left = self.evaluate(node.left)
        if node.op in ("&&", "||"):
            first = self.number(left)
            decided = bool(first.number) == (node.op == "||")
            if decided:
                return Value(int(bool(first.number)), first.depth, first.data)
            second = self.value(node.right)
            # Both sides have been counted; which of them decides is no work of its own.
            return self.machine.compute(int(bool(second.number)), first, second, operations=0)
        right = self.evaluate(node.right)
        if node.op in ("+", "-"):
            return self.add(left, right, node.op)
        if isinstance(left, Pointer) and isinstance(right, Pointer):
            return Value(int(ARITHMETIC[node.op](left.at, right.at)))
        return self.apply(node.op, self.number(left), self.number(right))

    @staticmethod
    def number(held: Slot) -> Value:
        """A slot that holds a number."""
        if isinstance(held, Pointer):
            return Value(1)
        return held

    def evaluate_ternaryop(self, node: Any) -> Slot:
        """``c ? a : b``."""
        return self.evaluate(node.iftrue if self.holds(node.cond) else node.iffalse)

    def evaluate_assignment(self, node: Any) -> Slot:
        """An assignment inside an expression."""
        self.assign(node)
        return self.evaluate(node.lvalue)

    def evaluate_exprlist(self, node: Any) -> Slot:
        """Several expressions: the last one counts."""
        value: Slot = Value(0)
        for item in node.exprs:
            value = self.evaluate(item)
        return value

    def evaluate_funccall(self, node: Any) -> Slot:
        """A function of the file, or of the math library."""
        name = called(node)
        arguments = list(node.args.exprs) if node.args else []
        if name in ALLOCATORS:
            return Pointer(HEAP)
        if name in SILENT or name in TIMERS:
            return Value(0.0 if name in TIMERS else 0)
        if name in ATOMICS:
            return self.add_atomically(name, arguments)
        if name in self.functions:
            return self.call(self.functions[name], [self.evaluate(a) for a in arguments])
        values = [self.value(a) for a in arguments]
        fused = name.startswith("fma") and not name.startswith("fmax")
        operations = (2 if name in PAIRS else 1) * (2 if fused or name == "__hfma2" else 1)
        return self.machine.compute(call_library(name, [v.number for v in values]), *values, operations=operations)

    def add_atomically(self, name: str, arguments: Sequence[Any]) -> Slot:
        """An atomic update: an accumulation."""
        target = self.evaluate(arguments[0])
        term = self.value(arguments[1])
        if not isinstance(target, Pointer):
            raise StopError("an atomic update of a number")
        before = self.machine.cell(target.array, target.at).value
        number = before.number + term.number if name == "atomicAdd" else max(before.number, term.number)
        result = self.machine.compute(number, Value(before.number, 0, True), term)
        self.machine.accumulate(target.array, target.at, result)
        return before

    def call(self, function: Any, arguments: Sequence[Slot]) -> Slot:
        """Run a function of the file."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise StopError("functions call each other too deeply")
        outer = self.names, self.scalars
        self.names, self.scalars = {}, {}
        parameters = getattr(function.decl.type.args, "params", None) or ()
        for parameter, argument in zip(parameters, arguments, strict=False):
            self.names[str(parameter.name)] = argument
        result: Slot = Value(0)
        try:
            for _ in self.run(function.body):
                pass
        except LeaveError as left:
            result = left.value if left.value is not None else Value(0)
        self.names, self.scalars = outer
        self.depth -= 1
        return result

    def holds(self, node: Any) -> bool:
        """Whether a condition holds."""
        condition = self.number(self.evaluate(node))
        self.machine.guarded |= condition.data
        return bool(condition.number)

    # ---- statements ----

    def store(self, node: Any, value: Slot) -> None:
        """Give a variable or an element a value."""
        if type(node).__name__ == "ID":
            name = str(node.name)
            held = self.names.get(name)
            if isinstance(value, Pointer) and value.array == HEAP:
                value = Pointer(name, 0, held.dims if isinstance(held, Pointer) else ())
            if isinstance(value, Pointer) or isinstance(held, Pointer):
                self.scalars.pop(name, None)
                self.names[name] = value
                return
            if name not in self.scalars and not value.data:
                self.names[name] = value
                return
            self.put(self.scalar(name), value)
            return
        array, at = self.place(node)
        self.machine.write(array, at, self.number(value))

    def assign(self, node: Any) -> None:
        """``x = e``, ``x += e``."""
        op = str(node.op)[:-1]
        term = self.find_term(node)
        if term is not None:
            self.accumulate(node.lvalue, *term)
            return
        if not op:
            self.store(node.lvalue, self.evaluate(node.rvalue))
            return
        before, by = self.evaluate(node.lvalue), self.evaluate(node.rvalue)
        after = self.add(before, by, op) if op in "+-" else self.apply(op, self.number(before), self.number(by))
        self.store(node.lvalue, after)

    def find_term(self, node: Any) -> tuple[str, list[Any], int] | None:
        """Operator, terms and operations of an accumulation into data; None for other assignments."""
        lvalue, rvalue, op = node.lvalue, node.rvalue, str(node.op)[:-1]
        if type(lvalue).__name__ == "ID":
            held = self.names.get(str(lvalue.name))
            if isinstance(held, Pointer) or (
                isinstance(held, Value) and not held.data and isinstance(held.number, int)
            ):
                return None
        if op in ("+", "-", "*", "|", "&", "^"):
            return op, [rvalue], 1
        if op or contains(rvalue, lvalue) != 1:
            return None
        if called(rvalue) in LEAST and any(are_alike(a, lvalue) for a in rvalue.args.exprs):
            return called(rvalue), [a for a in rvalue.args.exprs if not are_alike(a, lvalue)], 1
        for family in (("+", "-"), ("*",)):
            if type(rvalue).__name__ == "BinaryOp" and rvalue.op in family:
                terms = find_terms(rvalue, family, True)
                is_target = [plus for term, plus in terms if are_alike(term, lvalue)]
                if is_target == [True]:
                    return family[0], [t for t, _ in terms if not are_alike(t, lvalue)], len(terms) - 1
        return None

    def accumulate(self, node: Any, op: str, terms: Sequence[Any], operations: int) -> None:
        """Add terms to an element in any order."""
        values = [self.value(t) for t in terms]
        if type(node).__name__ == "ID":
            array, at = self.scalar(str(node.name)), 0
        else:
            array, at = self.place(node)
        before = self.machine.cell(array, at).value
        number = before.number
        for v in values:
            number = call_library(op, [number, v.number]) if op in LEAST else {
                "+": number + v.number, "-": number - v.number, "*": number * v.number,
            }.get(op, number)  # fmt: skip
        known = Value(before.number, 0, True)
        result = self.machine.compute(tame(number), known, *values, operations=operations)
        # Whoever reads the element waits for the last addition: it counts there.
        self.machine.accumulate(array, at, Value(result.number, result.depth - 1, True, result.sources))

    def run(self, node: Any) -> Running:
        """Run a statement; every barrier is a stop."""
        self.machine.step()
        handler = getattr(self, f"run_{type(node).__name__.lower()}", None)
        if handler is not None:
            yield from handler(node)
        elif type(node).__name__ == "Assignment":
            self.assign(node)
        elif type(node).__name__ == "FuncCall" and called(node) in ("__syncthreads", "__syncwarp"):
            yield
        elif type(node).__name__ == "FuncCall" and called(node) in SWAPS and node.args:
            a, b = node.args.exprs
            first, second = self.evaluate(a), self.evaluate(b)
            self.store(a, second)
            self.store(b, first)
        elif type(node).__name__ not in ("EmptyStatement", "Pragma", "Typedef"):
            self.evaluate(node)

    def run_compound(self, node: Any) -> Running:
        """A block."""
        for item in node.block_items or ():
            yield from self.run(item)

    def run_decllist(self, node: Any) -> Running:
        """Several declarations."""
        for item in node.decls:
            yield from self.run_decl(item)

    def run_decl(self, node: Any) -> Running:
        """A declaration with its first value; shared memory belongs to the block, not to the thread."""
        name = str(node.name)
        if "static" in (node.storage or ()) and self.shared is not None:
            if name not in self.shared:
                self.declare(node)
                self.shared[name] = self.names[name]
            self.names[name] = self.shared[name]
            return
        if "static" in (node.storage or ()) and name in self.names:
            return
        self.scalars.pop(name, None)
        self.names.pop(name, None)
        self.declare(node)
        if node.init is not None and type(node.init).__name__ != "InitList":
            value = self.evaluate(node.init)
            if isinstance(value, Value) and type(node.type).__name__ == "TypeDecl":
                words = set(getattr(node.type.type, "names", None) or ())
                if words & {"float", "double"}:
                    value = Value(float(value.number), value.depth, True, value.sources)
            if isinstance(value, Pointer) and value.array == HEAP:
                held = self.names.get(name)
                value = Pointer(name, 0, held.dims if isinstance(held, Pointer) else ())
            if isinstance(value, Value) and value.data:
                self.put(self.scalar(name), value)
            else:
                self.names[name] = value
        yield from ()

    def run_for(self, node: Any) -> Running:
        """A counted loop."""
        if node.init is not None:
            yield from self.run(node.init)
        yield from self.run_while(node)

    def run_while(self, node: Any) -> Running:
        """A loop; whether it goes on is no branch of the algorithm."""
        following = getattr(node, "next", None)
        while node.cond is None or self.number(self.evaluate(node.cond)).number:
            try:
                yield from self.run(node.stmt)
            except LeaveError as left:
                if left.kind == "break":
                    break
                if left.kind != "continue":
                    raise
            if following is not None:
                yield from self.run(following)

    def run_if(self, node: Any) -> Running:
        """A condition."""
        branch = node.iftrue if self.holds(node.cond) else node.iffalse
        if branch is not None:
            yield from self.run(branch)

    def run_switch(self, node: Any) -> Running:
        """Every case: the classes of all are listed."""
        for case in node.stmt.block_items or ():
            for item in getattr(case, "stmts", None) or ():
                if type(item).__name__ != "Break":
                    yield from self.run(item)

    def run_break(self, node: Any) -> Running:
        """The end of a loop."""
        raise LeaveError("break")
        yield

    def run_continue(self, node: Any) -> Running:
        """The next turn."""
        raise LeaveError("continue")
        yield

    def run_return(self, node: Any) -> Running:
        """The end of the function."""
        value = self.evaluate(node.expr) if node.expr is not None else None
        raise LeaveError("return", value)
        yield


def is_linear(node: Any) -> bool:
    """Whether an expression is a row times its length: what is added to it is a place in the row."""
    return type(node).__name__ == "BinaryOp" and node.op == "*"


def contains(node: Any, wanted: Any) -> int:
    """How often an expression occurs inside another."""
    return int(are_alike(node, wanted)) + sum(contains(child, wanted) for _, child in node.children())


def tame(number: float) -> float:
    """A number that stays small: only which way branches go depends on it."""
    if isinstance(number, bool):
        return int(number)
    if isinstance(number, int):
        return number if abs(number) < 1 << 62 else 1
    return number if math.isfinite(number) and abs(number) < 1e30 else 1.0


def call_library(name: str, values: Sequence[float]) -> float:
    """A function of the math library; one that is not known gives a number near its argument."""
    plain = name.rstrip("f") if name not in ("erf",) else name
    if plain in ("max", "fmax", "min", "fmin"):
        return max(values) if "max" in plain else min(values)
    function: Callable[..., float] | None = getattr(math, plain, None)
    try:
        return tame(float(function(*values))) if function is not None else float(values[0] if values else 1.0)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        return 1.0


def run_function(
    tree: Any, function: Any, functions: Mapping[str, Any], sizes: Mapping[str, int], launch: Mapping[str, int] | None,
    *, sampled: bool = False, named: frozenset[str] = frozenset(),
) -> Machine:  # fmt: skip
    """What a function does at given sizes, for every thread of a launch where it is a kernel, or for a few.

    named : arrays of its classes.
    """
    machine = Machine(named=named)
    interpreter = Interpreter(machine, functions, sizes)
    declare_file(interpreter, tree, sizes)
    for parameter in getattr(function.decl.type.args, "params", None) or ():
        if type(parameter).__name__ == "Decl" and parameter.name:
            interpreter.declare(parameter, given=True)
    try:
        if launch is not None:
            run_kernel(machine, interpreter, function, launch, sampled=sampled)
        else:
            for _ in interpreter.run(function.body):
                pass
    except LeaveError:
        pass
    except (RecursionError, OverflowError, ValueError, KeyError, AttributeError, TypeError, IndexError) as error:
        # Whatever a tree holds that these few pages do not know.
        raise StopError(f"{type(error).__name__} while it ran") from error
    return machine


def declare_file(interpreter: Interpreter, tree: Any, sizes: Mapping[str, int]) -> None:
    """What stands outside of functions; constants of the file are sizes, which may have other values here."""
    for item in tree.ext:
        kind = type(item.type).__name__ if type(item).__name__ == "Decl" else ""
        if kind not in ("TypeDecl", "ArrayDecl", "PtrDecl") or (kind == "TypeDecl" and str(item.name) in sizes):
            continue
        interpreter.declare(item, given=True)
        if item.init is not None and kind == "TypeDecl":
            interpreter.names[str(item.name)] = interpreter.evaluate(item.init)


def run_kernel(
    machine: Machine, interpreter: Interpreter, function: Any, grid: Mapping[str, int], *, sampled: bool = False
) -> None:
    """All threads of a launch, block by block, barrier by barrier.

    grid : gridDim and blockDim along each axis. sampled : only threads amid the block amid the grid, away from borders.
    """
    counts = {f"{kind}.{a}": grid.get(f"{kind}.{a}", 1) for kind in ("gridDim", "blockDim") for a in "xyz"}
    given = dict(interpreter.names)
    bodies = [function.body, *(f.body for f in interpreter.functions.values())]
    together = any(name.startswith(TOGETHER) for body in bodies for name in find_calls(body))
    block_count, thread_count = (math.prod(counts[f"{k}.{a}"] for a in "xyz") for k in ("gridDim", "blockDim"))
    middle, half, most = (block_count // 2, thread_count // 2, SAMPLED) if sampled else (0, 0, LARGEST_BLOCK)
    if thread_count > LARGEST_BLOCK:
        raise StopError(f"blocks of {thread_count} threads")
    every = list(list_indices(counts, "blockDim", "threadIdx", half, most))
    for block in list_indices(counts, "gridDim", "blockIdx", middle, 1 if sampled else block_count):
        threads: list[Running] = []
        shared: dict[str, Slot] = {}
        for thread in every:
            runner = Interpreter(
                machine, interpreter.functions, {**interpreter.sizes, **counts, **block, **thread}, shared
            )
            runner.names = dict(given)
            threads.append(runner.run(function.body))
        waiting = [t for t in threads if goes_on(t, machine)]
        together |= bool(waiting)
        while waiting:
            waiting = [t for t in waiting if goes_on(t, machine)]
    machine.touched = None
    if together:
        machine.most_of_thread = 0


def list_indices(counts: Mapping[str, int], of: str, name: str, first: int, most: int) -> Iterator[dict[str, int]]:
    """Values of the three indices, from one place of their order on; a grid may have billions."""
    width, height, depth = (counts[f"{of}.{axis}"] for axis in "xyz")
    for at in range(first, min(first + most, width * height * depth)):
        yield {f"{name}.x": at % width, f"{name}.y": at // width % height, f"{name}.z": at // (width * height)}


def goes_on(thread: Running, machine: Machine) -> bool:
    """Run a thread to its next barrier; whether it came to one."""
    machine.touched = set()
    try:
        next(thread)
    except (StopIteration, LeaveError):
        return False
    finally:
        machine.most_of_thread = max(machine.most_of_thread, len(machine.touched))
    return True
