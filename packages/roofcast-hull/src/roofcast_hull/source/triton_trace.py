"""Programs of a Triton kernel run one by one: which elements each stored one follows from, and by how many operations.

Whole numbers that the launch decides (program ids, offsets, masks) are computed as arrays; what is loaded has no value.
Each operation on it is a step of a trace, which says how wanted lanes of its result go back to lanes of its operands.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import SourceError, refuse
from roofcast_hull.source.numpy_values import BYTES, Tensor
from roofcast_hull.source.torch_views import is_dense
from roofcast_hull.source.triton_host import Descriptor, TritonLaunch
from roofcast_hull.source.triton_steps import Back, Bools, Ints, Step, Stored, Trace, fill, weigh
from roofcast_hull.source.triton_values import (
    EXACT,
    LARGE,
    Block,
    Kind,
    Pointer,
    Value,
    broadcast,
    compute_exact,
    is_data,
    is_known,
    is_whole,
    measure,
    narrow,
)

MOST_STEPS = 60_000
"""Operations on tensors that one program does."""
MOST_LANES = 60_000_000
"""Elements of all tensors of one program."""
LARGEST_POWER = 1024
"""Of two: larger numbers would fill the memory."""
DEEPEST = 12
"""Functions of a kernel inside each other."""
RANDOM = 120
"""Operations of Philox: ten rounds of two wide products, four exclusive ors and two sums, for a number of 0 to 1."""
SIGNS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.Pow: operator.pow,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
ADDED = (ast.Add, ast.Sub)
ARITHMETIC = (*ADDED, ast.Mult, ast.Div, ast.Pow)
SAME = ("multiple_of", "max_contiguous", "constexpr", "max_constancy")
"""Calls that give their argument."""
NOTHING = ("static_assert", "static_print", "device_print", "debug_barrier", "assume", "device_assert")
ELEMENTWISE = {
    **dict.fromkeys(
        ("exp", "exp2", "log", "log2", "sqrt", "sqrt_rn", "rsqrt", "sin", "cos", "abs", "erf", "tanh", "floor", "ceil",
         "pow", "div_rn", "fdiv", "fast_expf", "fast_dividef", "tan", "atan", "asin", "acos", "sinh", "cosh", "log1p",
         "expm1", "fabs", "umulhi", "rint", "round", "llrint", "nearbyint", "trunc", "isnan", "popc", "clz", "cbrt",
         "atan2", "fmod", "lgamma", "erfinv", "copysign", "maximum", "minimum"), 1.0),
    "fma": 2.0, "clamp": 2.0, "sigmoid": 4.0,
}  # fmt: skip
"""Functions of elements, with their operations."""
SUMS = ("sum", "max", "min", "argmax", "argmin", "xor_sum")
PLAIN: dict[str, Callable[..., Any]] = {
    "min": np.minimum, "max": np.maximum, "minimum": np.minimum, "maximum": np.maximum, "abs": np.abs,
}  # fmt: skip


@dataclass(slots=True)
class Arm:
    """One of two arms that data choose: what it made of names, did, stored and returned."""

    names: dict[str, Any]
    steps: range
    stores: Sequence[Stored]
    work: float
    returned: Any = None
    ends: bool = False


class ReturnError(Exception):
    """A function ends."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class BreakError(Exception):
    """A loop ends."""


class ContinueError(Exception):
    """A turn ends."""


class Program:
    """One program of a launch."""

    def __init__(
        self, function: ast.FunctionDef, launch: TritonLaunch, program: tuple[int, int, int],
        apart: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self.function, self.launch, self.apart = function, launch, apart
        self.trace = Trace(program)
        self.grid = (*(launch.grid or ()), 1, 1)[:3]
        self.depth, self.lanes, self.left = 0, 0, 50 * MOST_STEPS
        self.constants: dict[str, Any] = {n: name_kind(v) for n, v in launch.constants.items()}
        self.names: dict[str, Any] = {}
        self.written: dict[str, list[Ints]] = {}
        self.body: Sequence[ast.stmt] = function.body
        """Of the function that runs."""
        self.under: list[Value] = []
        """Conditions on data under which statements run."""
        self.overwritten: set[str] = set()
        """Arrays of which data chose the elements that it wrote."""
        self.line = function.lineno

    def run(self) -> Trace:
        """Run it.

        Raises
        ------
        SourceError : it does what is not followed, or data decide how often it does it.
        """
        for argument in (*self.function.args.args, *self.function.args.kwonlyargs):
            value = self.launch.arguments.get(argument.arg, Value(()))
            self.names[argument.arg] = Pointer(argument.arg) if isinstance(value, Tensor) else name_kind(value)
            if isinstance(value, Descriptor):
                starts = (0,) * len(value.shape)
                self.names[argument.arg] = Block(
                    Pointer(argument.arg), value.shape, value.strides, starts, value.block, whole=True
                )
        try:
            self.block(self.function.body)
        except ReturnError:
            pass
        except (BreakError, ContinueError, TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
            raise refuse(self.line, f"what its programs do is not followed ({type(error).__name__})") from error
        return self.trace

    # ---- statements ----

    def block(self, body: Sequence[ast.stmt]) -> None:
        """Statements one after the other."""
        for n, item in enumerate(body):
            self.left -= 1
            if self.left < 0:
                raise refuse(item.lineno, "its programs take too long to be run")
            self.line = item.lineno
            if isinstance(item, ast.If) and body is self.body and any(isinstance(s, ast.Return) for s in item.body):
                test = self.value(item.test)
                if is_data(test):
                    # What follows is the other arm.
                    self.divide(test, item.body, [*item.orelse, *body[n + 1 :]], item)
                    return
                self.block(item.body if self.decide(item.test, "a branch", test) else item.orelse)
            else:
                self.statement(item)

    def statement(self, node: ast.stmt) -> None:
        """One statement."""
        match node:
            case ast.Pass():
                return
            case ast.Expr():
                self.value(node.value)
            case ast.Return():
                raise ReturnError(None if node.value is None else self.value(node.value))
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=held), op=ast.Add(), right=term)
            ) if name == held:
                self.names[name] = self.add_to(ast.Add(), self.names[name], self.value(term))
            case ast.Assign():
                value = self.value(node.value)
                for target in node.targets:
                    self.store_name(target, value)
            case ast.AnnAssign():
                if node.value is not None:
                    self.store_name(node.target, self.value(node.value))
            case ast.AugAssign(target=ast.Name(id=name)):
                self.names[name] = self.add_to(node.op, self.names[name], self.value(node.value))
            case _:
                self.control(node)

    def add_to(self, op: ast.operator, left: Any, right: Any) -> Any:
        """``acc += e``: of a sum or a product of tiles that is added, no operation more than it has terms."""
        joined = self.combine(op, left, right)
        is_total = isinstance(op, ast.Add) and isinstance(right, Value) and right.total
        if is_total and isinstance(joined, Value) and joined.step >= 0:
            self.trace.steps[joined.step].operations = 0.0
        return joined

    def control(self, node: ast.stmt) -> None:
        """A statement that decides which others run."""
        match node:
            case ast.For(target=ast.Name(id=name)):
                self.loop(name, node)
            case ast.While():
                self.repeat(node)
            case ast.If():
                self.branch(node)
            case ast.Break():
                raise BreakError
            case ast.Continue():
                raise ContinueError
            case ast.Assert():
                return
            case _:
                raise refuse(node.lineno, f"{type(node).__name__} in a Triton kernel is not followed")

    def store_name(self, target: ast.expr, value: Any) -> None:
        """Give names their values."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, tuple):
            for item, part in zip(target.elts, value, strict=True):
                self.store_name(item, part)
        else:
            raise refuse(target.lineno, "what is assigned is no name")

    def loop(self, name: str, node: ast.For) -> None:
        """``for k in range(0, n, BLOCK)``."""
        if not isinstance(node.iter, ast.Call) or tail(node.iter.func) not in ("range", "static_range"):
            raise refuse(node.lineno, "the loop goes over no range")
        ends = [self.value(a) for a in node.iter.args]
        if not all(is_known(e) for e in ends):
            kind = "data decide" if any(isinstance(e, Value) and e.step >= 0 for e in ends) else "the file does not say"
            raise refuse(node.lineno, f"{kind} how often the loop over '{one_line(name, 40)}' runs")
        for k in range(*(int(e) for e in ends)):
            self.names[name] = k
            try:
                self.block(node.body)
            except ContinueError:
                continue
            except BreakError:
                break

    def repeat(self, node: ast.While) -> None:
        """``while k < n``."""
        while self.goes_on(node.test):
            try:
                self.block(node.body)
            except ContinueError:
                continue
            except BreakError:
                break

    def goes_on(self, test: ast.expr) -> bool:
        """Whether a loop goes on: to the bound that the code sets, where data may end it before.

        Raises
        ------
        SourceError : data alone say how long it goes on.
        """
        parts, known = list_parts(test), False
        if len(parts) > 1:
            values = [self.value(p) for p in parts]
            known = any(is_known(v) for v in values)
            if any(is_known(v) and not np.all(v) for v in values):
                return False
            if known and any(is_data(v) for v in values):
                self.trace.bounded = self.trace.chosen = True
                return True
        return self.decide(test, "how often a while loop runs")

    def branch(self, node: ast.If) -> None:
        """A branch that the launch decides; of one that data decide both arms, of which the heavier one counts."""
        test = self.value(node.test)
        if is_data(test) and any(isinstance(s, ast.Break) for s in (*node.body[:1], *node.orelse[:1])):
            # As far as the loop goes.
            self.trace.bounded = self.trace.chosen = True
            self.block(node.orelse if isinstance(node.body[0], ast.Break) else node.body)
        elif is_data(test):
            self.divide(test, node.body, node.orelse, node)
        else:
            self.block(node.body if self.decide(node.test, "a branch", test) else node.orelse)

    def divide(self, test: Value, yes: Sequence[ast.stmt], no: Sequence[ast.stmt], node: ast.If) -> None:
        """Two arms that data choose: names are what either makes them, and the operations of the heavier one count.

        What both store the heavier one stores.
        """
        self.trace.chosen = True
        if [type(s) for s in yes] == [ast.Return] and node.body[0] is yes[0] and not self.depth and no == node.orelse:
            # The program ends in the midst of loops: what follows is done as if it did not.
            self.under.append(test)
            return
        before, steps, arms = dict(self.names), self.trace.steps, list[Arm]()
        written, both_wrote = self.written, dict[str, list[Ints]]()
        self.under.append(test)
        for body in (yes, no):
            self.names, first, stores = dict(before), len(steps), len(self.trace.stores)
            self.written = {a: list(e) for a, e in written.items()}
            arm = Arm({}, range(0), (), 0.0)
            try:
                self.block(body)
            except ReturnError as end:
                arm.returned, arm.ends = end.value, True
            except (BreakError, ContinueError) as error:
                raise refuse(node.lineno, "data decide whether a loop ends") from error
            arm.names, arm.steps, arm.stores = self.names, range(first, len(steps)), self.trace.stores[stores:]
            both_wrote |= {a: [*both_wrote.get(a, []), *e] for a, e in self.written.items()}
            arm.work = sum(weigh(s) for s in steps[first:])
            arms.append(arm)
        self.under.pop()
        self.written = both_wrote
        light, heavy = sorted(arms, key=lambda a: (a.work, sum(len(s.lanes) for s in a.stores)))
        for k in light.steps:
            steps[k].operations, steps[k].count = 0.0, None
        both = {s.array for s in light.stores} & {s.array for s in heavy.stores}
        self.trace.stores = [
            s for s in self.trace.stores if not (s.array in both and any(s is x for x in light.stores))
        ]
        first_arm, second_arm = arms
        if (first_arm.ends and second_arm.ends) or (first_arm.ends and no != node.orelse):
            raise ReturnError(self.merge(test, first_arm.returned, second_arm.returned))
        if first_arm.ends or second_arm.ends:
            raise refuse(node.lineno, "data decide whether a function ends")
        self.names = {n: self.merge(test, v, second_arm.names.get(n, v)) for n, v in first_arm.names.items()}
        self.names |= {n: v for n, v in second_arm.names.items() if n not in first_arm.names}

    def merge(self, test: Value, yes: Any, no: Any) -> Any:
        """What is one of two values, as data decide."""
        if yes is no:
            return yes
        if isinstance(yes, tuple) and isinstance(no, tuple) and len(yes) == len(no):
            return tuple(self.merge(test, a, b) for a, b in zip(yes, no, strict=True))
        if not all(isinstance(v, Value) or is_known(v) for v in (yes, no)):
            raise refuse(self.line, "data decide which of two addresses a name is")
        return self.do_where(test, yes, no)

    def decide(self, node: ast.expr, what: str, value: Any = None) -> bool:
        """A condition that the launch decides. value : what it is, where that is known."""
        value = self.value(node) if value is None else value
        if isinstance(value, Value):
            kind = "data decide" if value.step >= 0 else "the file does not say"
            raise refuse(
                node.lineno, f"{kind} {what} of a loop or of a program" if what == "a branch" else f"{kind} {what}"
            )
        return bool(value)

    # ---- values ----

    def value(self, node: ast.expr) -> Any:
        """The value of an expression."""
        match node:
            case ast.Constant():
                return node.value
            case ast.Name(id=name):
                return self.find_name(name)
            case ast.Tuple() | ast.List():
                return tuple(self.value(e) for e in node.elts)
            case ast.Subscript():
                return self.index(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Call():
                return self.call(node)
        return self.operation(node)

    def find_name(self, name: str) -> Any:
        """The value of a name."""
        if name in self.names:
            return self.names[name]
        if name in self.constants:
            return self.constants[name]
        if name in BYTES:
            return Kind(name)
        raise refuse(self.line, f"'{one_line(name, 40)}' has no value that is followed")

    def operation(self, node: ast.expr) -> Any:
        """Signs between values."""
        match node:
            case ast.BinOp():
                return self.combine(node.op, self.value(node.left), self.value(node.right))
            case ast.UnaryOp():
                return self.sign(node.op, self.value(node.operand))
            case ast.Compare():
                return self.compare(node)
            case ast.BoolOp():
                return self.join(node)
            case ast.IfExp():
                test = self.value(node.test)
                if is_data(test):
                    return self.merge(test, self.value(node.body), self.value(node.orelse))
                return self.value(node.body if self.decide(node.test, "a branch", test) else node.orelse)
        raise refuse(node.lineno, f"{type(node).__name__} in a Triton kernel is not followed")

    def join(self, node: ast.BoolOp) -> Any:
        """``a and b``."""
        both = isinstance(node.op, ast.And)
        value: Any = both
        for item in node.values:
            part = self.value(item)
            if isinstance(value, Value) or isinstance(part, (Value, np.ndarray)):
                value = self.combine(ast.BitAnd() if both else ast.BitOr(), value, part)
            elif bool(part) is not both:
                return part
            else:
                value = part
        return value

    def sign(self, op: ast.unaryop, value: Any) -> Any:
        """``-x``, ``not x``, ``~x``."""
        if isinstance(value, Value):
            negated = isinstance(op, ast.USub)
            return (
                self.compute(1.0 if negated else 0.0, [value], value.dtype) if not isinstance(op, ast.UAdd) else value
            )
        match op:
            case ast.Not():
                return not value
            case ast.USub():
                return -value
            case ast.Invert():
                return not value if isinstance(value, bool) else ~value
        return value

    def compare(self, node: ast.Compare) -> Any:
        """``a < b``, ``x is None``."""
        left, result = self.value(node.left), None
        for op, item in zip(node.ops, node.comparators, strict=True):
            right = self.value(item)
            if isinstance(op, (ast.Is, ast.IsNot)):
                part: Any = (left is right) is isinstance(op, ast.Is)
            elif isinstance(op, (ast.In, ast.NotIn)):
                part = (left in right) is isinstance(op, ast.In)
            else:
                part = self.combine(op, left, right)
            result = part if result is None else self.combine(ast.BitAnd(), result, part)
            left = right
        return result

    def combine(self, op: ast.AST, left: Any, right: Any) -> Any:
        """An operation of two values, element by element."""
        if isinstance(left, Pointer) or isinstance(right, Pointer):
            return self.move(op, left, right)
        if isinstance(left, (Kind, str, type(None))) or isinstance(right, (Kind, str, type(None))):
            return SIGNS[type(op)](left, right)
        if is_known(left) and is_known(right):
            if makes_real(op, left, right):
                # What a lane's place alone makes is computed for each.
                return self.compute(1.0, [left, right], "float32")
            if (
                isinstance(op, (ast.BitAnd, ast.BitOr))
                and isinstance(left, (int, bool))
                and isinstance(right, (int, bool))
            ):
                return SIGNS[type(op)](left, right)
            self.limit(broadcast(measure(left), measure(right)))
            if isinstance(op, (ast.Pow, ast.LShift)) and isinstance(right, int) and right > LARGEST_POWER:
                raise refuse(self.line, f"a number of the kernel is larger than 2^{LARGEST_POWER}")
            with np.errstate(all="ignore"):
                return SIGNS[type(op)](left, right)
        weight = 1.0
        # Lanes that begin with nothing and add up parts of a sum, whose last step then is no further work.
        partial = isinstance(op, ast.Add) and any(
            v.partial if isinstance(v, Value) else isinstance(v, np.ndarray) and v.dtype.kind == "f" and not v.any()
            for v in (left, right)
        )
        bound = None
        if isinstance(op, ast.BitAnd):
            parts = [p for v in (left, right) if (p := self.find_bound(v)) is not None]
            bound = parts[0] & parts[-1] if parts else None
            weight = 0.0 if any(v.dtype == "bool" for v in (left, right) if isinstance(v, Value)) else weight
        dtype = "bool" if isinstance(op, COMPARED) else self.find_kind([left, right])
        if isinstance(op, (ast.BitAnd, ast.BitOr)) and "bool" in [
            v.dtype for v in (left, right) if isinstance(v, Value)
        ]:
            dtype, weight = "bool", 0.0
        if isinstance(op, ast.Div) and dtype.startswith(("int", "uint")):
            dtype = "float32"
        summed = isinstance(op, (ast.Add, ast.Sub, ast.Mult))
        value = self.compute(weight, [left, right], dtype, added=isinstance(op, ADDED), summed=summed)
        return Value(
            value.shape, value.step, bound, dtype, partial, exact=compute_exact(SIGNS[type(op)], [left, right])
        )

    @staticmethod
    def find_bound(value: Any) -> Bools | None:
        """Where a condition may be met; None for everywhere."""
        if isinstance(value, Value):
            return value.bound
        return np.asarray(value, dtype=bool) if isinstance(value, np.ndarray) and value.dtype.kind == "b" else None

    @staticmethod
    def find_kind(values: Sequence[Any]) -> str:
        """The type of what is computed from some values: the widest real one of them."""
        kinds = [v.dtype for v in values if isinstance(v, Value) and v.dtype]
        real = [k for k in kinds if not k.startswith(("int", "uint", "bool"))]
        return max(real or kinds, key=lambda k: BYTES.get(k, 0), default="")

    def move(self, op: ast.AST, left: Any, right: Any) -> Pointer:
        """Addresses further on."""
        pointer, by = (left, right) if isinstance(left, Pointer) else (right, left)
        if not isinstance(op, ADDED) or isinstance(by, Pointer):
            raise refuse(self.line, "addresses are only moved")
        # What data choose is not counted as work.
        weight = [pointer.offsets, by]
        if any(isinstance(v, Value) for v in weight):
            return Pointer(pointer.array, self.compute(0.0, weight, "int64"))
        return Pointer(pointer.array, SIGNS[type(op)](pointer.offsets, by))

    def compute(
        self, operations: float, values: Sequence[Any], dtype: str = "", *, added: bool = False,
        shape: tuple[int, ...] | None = None, summed: bool = False,
    ) -> Value:  # fmt: skip
        """A step of which each lane follows from the same lanes of its operands.

        added : whether what was not loaded adds nothing: the sum is as the other operand. summed : whether it is a sum.
        """
        full = broadcast(*(measure(v) for v in values)) if shape is None else shape
        inputs, lives = [], list[Bools | None]()
        lost: Any = np.zeros((), dtype=bool)
        for v in values:
            if isinstance(v, Value) and v.step >= 0:
                inputs.append((v.step, narrow(v.shape)))
                lives.append(self.trace.steps[v.step].live)
                infinite = self.trace.steps[v.step].lost
                lost = lost if infinite is None or not summed else lost | infinite
        counted = live = None
        dead = [x for x in lives if x is not None]
        if dead:
            joined = dead[0]
            for x in dead[1:]:
                joined = joined & x
            counted = fill(joined, full)
            live = counted
            if added:
                some = np.zeros((), dtype=bool) if len(dead) == len(lives) else np.ones((), dtype=bool)
                for x in dead:
                    some = some | x
                live = fill(some & ~lost, full)
        step = Step(full, tuple(inputs), operations, live, counted, fill(lost, full) if lost.any() else None)
        return Value(full, self.add(step), dtype=dtype)

    def add(self, step: Step) -> int:
        """A step more."""
        self.lanes += math.prod(step.shape)
        if len(self.trace.steps) >= MOST_STEPS or self.lanes > MOST_LANES:
            raise refuse(self.line, "its programs do too much to be followed")
        self.trace.steps.append(step)
        return len(self.trace.steps) - 1

    def limit(self, shape: tuple[int, ...]) -> None:
        """Refuse a tensor that is too large to be followed."""
        if math.prod(shape) > MOST_LANES:
            raise refuse(self.line, f"a tensor of {math.prod(shape):.3g} elements is more than a program holds")

    def view(self, value: Any, forward: Callable[[Any], Any], back: Back) -> Any:
        """Lanes in another order or shape."""
        if isinstance(value, Pointer):
            return Pointer(value.array, self.view(value.offsets, forward, back))
        if not isinstance(value, Value):
            return forward(np.asarray(value))
        shape = forward(np.empty(value.shape, dtype=bool)).shape
        if value.step < 0:
            return Value(shape, -1, dtype=value.dtype)
        live = self.trace.steps[value.step].live
        step = Step(shape, ((value.step, back),), 0.0, None if live is None else forward(live))
        bound = None if value.bound is None else forward(fill(value.bound, value.shape))
        return Value(shape, self.add(step), bound, value.dtype)

    def reshape(self, value: Any, shape: tuple[int, ...]) -> Any:
        """``x.reshape(shape)``."""
        old = measure(value)
        return self.view(value, lambda x: np.reshape(x, shape), lambda w: w.reshape(len(w), *old))

    def permute(self, value: Any, order: Sequence[int]) -> Any:
        """``tl.permute(x, order)``."""
        inverse = [0, *(int(k) + 1 for k in np.argsort(order))]
        return self.view(value, lambda x: np.transpose(x, order), lambda w: np.transpose(w, inverse))

    def index(self, node: ast.Subscript) -> Any:
        """``x[:, None]``, ``shape[0]``."""
        value = self.value(node.value)
        if isinstance(value, tuple):
            return value[self.value(node.slice)]
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        shape, sizes = list[int](), list(measure(value))
        for item in items:
            if isinstance(item, ast.Slice):
                shape.append(sizes.pop(0))
            elif isinstance(item, ast.Constant) and item.value is None:
                shape.append(1)
            else:
                raise refuse(node.lineno, "an element of a tensor is not followed")
        return self.reshape(value, tuple(shape + sizes))

    def attribute(self, node: ast.Attribute) -> Any:
        """``tl.float32``, ``x.T``, ``p.dtype.element_ty``."""
        if node.attr in BYTES or node.attr.startswith(("float8", "uint")):
            return Kind(node.attr)
        if isinstance(node.value, ast.Name) and node.value.id not in self.names:
            raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 40)}' has no value that is followed")
        value = self.value(node.value)
        match node.attr:
            case "T":
                return self.permute(value, range(len(measure(value)))[::-1])
            case "shape":
                return measure(value)
            case "dtype" if isinstance(value, (Pointer, Block)):
                pointer = value if isinstance(value, Pointer) else value.base
                tensor = self.find_tensor(pointer.array)
                return Kind(tensor.dtype)
            case "dtype":
                return Kind(value.dtype if isinstance(value, Value) else "int32")
            case "element_ty" | "value" | "type" | "scalar":
                return value
        raise refuse(node.lineno, f"'{one_line(node.attr, 40)}' of a value is not followed")

    # ---- calls ----

    def call(self, node: ast.Call) -> Any:
        """A function of the language, or of the file."""
        name = tail(node.func)
        if name in NOTHING:
            return None
        if isinstance(node.func, ast.Name) and name in self.launch.helpers and name not in self.names:
            return self.inline(self.launch.helpers[name], node)
        given = [
            self.value(a.value if isinstance(a, ast.Starred) else a)
            for a in node.args
            if name not in ("associative_scan", "reduce")
        ]
        named = {k.arg: self.value(k.value) for k in node.keywords if k.arg and k.arg != "combine_fn"}
        if isinstance(node.func, ast.Attribute) and not self.is_module(node.func.value):
            given.insert(0, self.value(node.func.value))
        if name in ("associative_scan", "reduce"):
            return self.fold(node, name)
        return self.apply(name, given, named)

    def is_module(self, node: ast.expr) -> bool:
        """Whether a name is a module: ``tl``, ``tl.math``."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id not in self.names

    def apply(self, name: str, given: list[Any], named: dict[str, Any]) -> Any:
        """What a function of the language gives."""
        if name in SAME:
            return given[0]
        if name in PLAIN and all(is_known(g) for g in given) and len(given) == 2:
            whole = PLAIN[name](*given)
            return whole if whole.shape else whole.item()
        if name in ("min", "max") and len(given) == 2 and not isinstance(given[1], int):
            return self.compute(1.0, given, self.find_kind(given))
        if name in SUMS:
            return self.sum(name, given, named)
        if name in ELEMENTWISE:
            real = self.find_kind(given)
            added = name in ("maximum", "minimum")
            computed = self.compute(ELEMENTWISE[name], given[:3], real or "float32", added=added)
            return replace(computed, exact=compute_exact(EXACT[name], given)) if name in EXACT else computed
        function: Callable[..., Any] | None = getattr(self, f"do_{name}", None)
        if function is None:
            raise refuse(self.line, f"the call of '{one_line(name, 40)}' in a Triton kernel is not followed")
        return function(*given, **named)

    def inline(self, function: ast.FunctionDef, node: ast.Call) -> Any:
        """A function of the file that Triton compiles too."""
        if self.depth >= DEEPEST:
            raise refuse(node.lineno, "functions call each other too deeply")
        labels = [a.arg for a in (*function.args.args, *function.args.kwonlyargs)]
        given = [self.value(a) for a in node.args]
        defaults = dict(zip([a.arg for a in function.args.args][::-1], function.args.defaults[::-1], strict=False))
        inner = {n: self.value(d) for n, d in defaults.items()}
        inner |= dict(zip(labels, given, strict=False)) | {k.arg: self.value(k.value) for k in node.keywords if k.arg}
        return self.enter(function, inner)

    def enter(self, function: ast.FunctionDef, inner: dict[str, Any]) -> Any:
        """What a function gives with some names."""
        outer, self.names = self.names, inner
        body, self.body = self.body, function.body
        self.depth += 1
        try:
            self.block(function.body)
            value = None
        except ReturnError as end:
            value = end.value
        self.depth -= 1
        self.names, self.body = outer, body
        return value

    def fold(self, node: ast.Call, name: str) -> Any:
        """``tl.reduce(x, axis, f)``, ``tl.associative_scan(x, axis, f)``."""
        keys = {k.arg: k.value for k in node.keywords if k.arg}
        written = dict(zip(("input", "axis", "combine_fn"), node.args, strict=False)) | keys
        value, axis = self.value(written["input"]), self.value(written["axis"])
        combining = self.launch.helpers.get(tail(written["combine_fn"]))
        several = value if isinstance(value, tuple) else (value,)
        if combining is None:
            raise refuse(node.lineno, "what it is combined by is not followed")
        before = len(self.trace.steps)
        ones = [
            Value((), self.add(Step(())), dtype=v.dtype if isinstance(v, Value) else "") for v in (*several, *several)
        ]
        self.enter(combining, dict(zip([a.arg for a in combining.args.args], ones, strict=False)))
        work = sum(s.operations for s in self.trace.steps[before:])
        del self.trace.steps[before:]
        together = self.reduce(several, axis, work) if name == "reduce" else self.scan(several, axis, work)
        if not isinstance(value, tuple):
            return together
        # Whichever of the results is wanted, all of them are computed.
        return tuple(self.compute(0.0, [together], self.find_kind([v])) for v in several)

    def scan(self, values: Sequence[Any], axis: int, work: float, *, reverse: bool = False) -> Value:
        """Running sums of one or several tensors."""
        shape = measure(values[0])
        at = axis % len(shape)
        self.trace.ordered.add(("scan", self.line))

        def back(wanted: Bools) -> Bools:
            turned = wanted if reverse else np.flip(wanted, at + 1)
            summed = np.logical_or.accumulate(turned, axis=at + 1)
            return summed if reverse else np.flip(summed, at + 1)

        inputs = tuple((v.step, back) for v in values if isinstance(v, Value) and v.step >= 0)
        lives = [self.trace.steps[s].live for s, _ in inputs]
        step = Step(shape, inputs, work, lives[0] if lives else None)

        def count(wanted: Bools) -> NDArray[np.float64]:
            inner = back(wanted) if step.live is None else back(wanted) & step.live
            return np.asarray(inner.reshape(len(wanted), -1).sum(axis=1) * work)

        step.count = count
        return Value(shape, self.add(step), dtype=self.find_kind(values))

    def reduce(self, values: Sequence[Any], axis: int | None, work: float, keep: bool = False) -> Value:
        """A sum or the like over a dimension, or over all."""
        shape = broadcast(*(measure(v) for v in values))
        axes = tuple(range(len(shape))) if axis is None else (axis % len(shape),)
        left = tuple(1 if n in axes else s for n, s in enumerate(shape))

        def back(wanted: Bools) -> Bools:
            return fill(wanted.reshape(len(wanted), *left), (len(wanted), *shape))

        inputs = tuple((v.step, back) for v in values if isinstance(v, Value) and v.step >= 0)
        lives = [self.trace.steps[s].live for s, _ in inputs]
        live = None if not lives or lives[0] is None else fill(lives[0], shape)

        def count(wanted: Bools) -> NDArray[np.float64]:
            inner = back(wanted) if live is None else back(wanted) & live
            return np.asarray(inner.reshape(len(wanted), -1).sum(axis=1) * work)

        result = left if keep else tuple(s for n, s in enumerate(shape) if n not in axes)
        step = Step(result, inputs, work, None if live is None else live.any(axis=axes).reshape(result), count=count)
        return Value(result, self.add(step), dtype=self.find_kind(values))

    def sum(self, name: str, given: list[Any], named: dict[str, Any]) -> Any:
        """``tl.sum(x, axis=0)``."""
        axis = named.get("axis", given[1] if len(given) > 1 else None)
        value = given[0]
        if is_known(value):
            value = self.compute(0.0, [value], "int32") if measure(value) else value
        if not measure(value):
            return value
        begun = name == "sum" and isinstance(value, Value) and value.partial
        result = self.reduce([value], axis, 0.0 if begun else 1.0, bool(named.get("keep_dims")))
        if named.get("return_indices"):
            return result, self.compute(0.0, [result], "int32")
        dtype = "int32" if name.startswith("arg") else result.dtype
        return Value(result.shape, result.step, dtype=dtype, total=name == "sum")

    # Each has the name of the language's own function.

    def do_program_id(self, axis: int = 0) -> int:
        """Number of this program."""
        return self.trace.program[axis]

    def do_num_programs(self, axis: int = 0) -> int:
        """Programs of the launch."""
        return int(self.grid[axis])

    def do_arange(self, start: int, end: int) -> Ints:
        """Numbers one after the other."""
        self.limit((end - start,))
        return np.arange(start, end)

    def do_zeros(self, shape: Any, dtype: Any = None) -> Any:
        """A tensor of zeros."""
        return self.do_full(shape, 0.0, dtype)

    def do_full(self, shape: Any, value: Any, dtype: Any = None) -> Any:
        """A tensor of one value."""
        shape = shape if isinstance(shape, tuple) else (shape,)
        self.limit(shape)
        if isinstance(value, Value):
            return self.compute(0.0, [value], value.dtype, shape=shape)
        whole = isinstance(dtype, Kind) and dtype.name.startswith(("int", "uint", "bool"))
        return np.full(shape, value, dtype=np.int64 if whole else np.float64)

    def do_zeros_like(self, value: Any, **_: Any) -> Any:
        """A tensor of zeros, as large as another."""
        return np.zeros(measure(value))

    def do_full_like(self, value: Any, filled: Any, **_: Any) -> Any:
        """A tensor of one value, as large as another."""
        return self.do_full(measure(value), filled)

    def do_float(self, text: Any) -> Any:
        """``float("inf")``."""
        return float(text)

    def do_int(self, value: Any) -> Any:
        """``int(x)``."""
        return int(value)

    def do_len(self, value: Any) -> int:
        """``len(x)``."""
        return len(value)

    def do_cdiv(self, a: Any, b: Any) -> Any:
        """A quotient that is rounded up."""
        if is_known(a) and is_known(b):
            return -(-a // b)
        return self.compute(0.0, [a, b], "int32")

    def do_next_power_of_2(self, n: Any) -> int:
        """The power of two that holds a number."""
        return 1 << (int(n) - 1).bit_length()

    def do_to(self, value: Any, dtype: Any = None, **_: Any) -> Any:
        """A conversion."""
        kind = dtype.name if isinstance(dtype, Kind) else ""
        if isinstance(value, Value):
            if value.exact is not None and kind.startswith(("int", "uint")):
                return np.asarray(value.exact).astype(np.int64)
            return Value(value.shape, value.step, value.bound, kind or value.dtype, exact=value.exact)
        real = kind.startswith(("float", "bfloat"))
        if real and measure(value) and is_whole(value):
            return replace(self.compute(0.0, [value], kind), exact=np.asarray(value, dtype=np.float64))
        return float(value) if real and not measure(value) and is_known(value) else value

    do_cast = do_to

    def do_broadcast_to(self, value: Any, *shape: Any, **named: Any) -> Any:
        """A tensor that is repeated."""
        sizes = named.get("shape", shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape)
        if isinstance(value, Pointer):
            return Pointer(value.array, self.do_broadcast_to(value.offsets, sizes))
        if isinstance(value, Value):
            return self.compute(0.0, [value], value.dtype, shape=tuple(sizes))
        return np.broadcast_to(np.asarray(value), sizes)

    def do_broadcast(self, one: Any, other: Any) -> tuple[Any, Any]:
        """Two tensors of the same shape."""
        shape = broadcast(measure(one), measure(other))
        return self.do_broadcast_to(one, shape), self.do_broadcast_to(other, shape)

    def do_expand_dims(self, value: Any, axis: Any) -> Any:
        """A dimension of one element more."""
        shape = list(measure(value))
        for at in axis if isinstance(axis, tuple) else (axis,):
            shape.insert(at % (len(shape) + 1), 1)
        return self.reshape(value, tuple(shape))

    def do_reshape(self, value: Any, *shape: Any, **_: Any) -> Any:
        """The same lanes in another shape."""
        return self.reshape(value, tuple(shape[0]) if isinstance(shape[0], tuple) else shape)

    do_view = do_reshape

    def do_ravel(self, value: Any, **_: Any) -> Any:
        """The same lanes in a row."""
        return self.reshape(value, (math.prod(measure(value)),))

    def do_trans(self, value: Any, *order: Any) -> Any:
        """A tile turned."""
        axes = order[0] if order and isinstance(order[0], tuple) else order
        return self.permute(value, axes or range(len(measure(value)))[::-1])

    do_permute = do_trans

    def do_flip(self, value: Any, dim: int = -1) -> Any:
        """Lanes in the other order."""
        at = dim % len(measure(value))
        return self.view(value, lambda x: np.flip(x, at), lambda w: np.flip(w, at + 1))

    def do_join(self, one: Any, other: Any) -> Any:
        """Two tensors along a new last dimension."""
        shape = (*broadcast(measure(one), measure(other)), 2)
        inputs = tuple(
            (v.step, lambda w, k=k: w[..., k])
            for k, v in enumerate((one, other))
            if isinstance(v, Value) and v.step >= 0
        )
        return Value(shape, self.add(Step(shape, inputs)), dtype=self.find_kind([one, other]))

    def do_interleave(self, one: Any, other: Any) -> Any:
        """Lanes of two tensors in turns."""
        joined = self.do_join(one, other)
        return self.reshape(joined, (*joined.shape[:-2], joined.shape[-2] * 2))

    def do_split(self, value: Any) -> tuple[Any, Any]:
        """Both halves of a last dimension of two."""

        def half(k: int) -> Any:
            def back(wanted: Bools) -> Bools:
                both = np.zeros((*wanted.shape, 2), dtype=bool)
                both[..., k] = wanted
                return both

            return self.view(value, lambda x: x[..., k], back)

        return half(0), half(1)

    def do_where(self, test: Any, yes: Any, no: Any) -> Any:
        """``tl.where(c, a, b)``."""
        if isinstance(yes, Pointer) or isinstance(no, Pointer):
            raise refuse(self.line, "an address that a condition chooses is not followed")
        test = test.exact if isinstance(test, Value) and test.exact is not None else test
        values = (test, yes, no)
        if all(is_known(v) for v in values):
            return np.where(*values)
        shape = broadcast(*(measure(v) for v in values))
        dtype = self.find_kind([yes, no]) or "float32"
        if not is_known(test):
            return self.compute(0.0, values, dtype, added=True)
        met = fill(np.asarray(test, dtype=bool), shape)
        inputs, live = [], np.zeros(shape, dtype=bool)
        for v, mine in ((yes, met), (no, ~met)):
            if isinstance(v, Value) and v.step >= 0:
                there = self.trace.steps[v.step].live
                live = live | (mine if there is None else mine & there)
                inputs.append((v.step, lambda w, m=mine, s=v.shape: narrow(s)(w & m)))
        lost = ~met if isinstance(no, float) and abs(no) > LARGE and not met.all() else None
        step = Step(shape, tuple(inputs), 0.0, None if live.all() else live, lost=lost)
        return Value(shape, self.add(step), dtype=dtype)

    def do_softmax(self, value: Any, dim: Any = None, **_: Any) -> Any:
        """Exponentials over their sum."""
        at = 0 if dim is None else dim
        z = self.compute(1.0, [self.compute(1.0, [value, self.reduce([value], at, 1.0, keep=True)])], "float32")
        return self.compute(1.0, [z, self.reduce([z], at, 1.0, keep=True)], "float32")

    def do_cumsum(self, value: Any, axis: int = 0, reverse: bool = False, **_: Any) -> Any:
        """Running sums."""
        return self.scan([value], axis, 1.0, reverse=reverse)

    do_cumprod = do_cumsum

    def do_sort(self, value: Any, dim: int = -1, **_: Any) -> Any:
        """Elements in order, each compared with the logarithm of their number of others."""
        at = dim % len(measure(value))
        size = measure(value)[at]
        self.trace.ordered.add(("sort", self.line))
        stages = max(1, math.ceil(math.log2(max(2, size))))

        def back(wanted: Bools) -> Bools:
            return fill(np.asarray(wanted.any(axis=at + 1, keepdims=True)), wanted.shape)

        step = Step(value.shape, ((value.step, back),), float(stages))
        step.count = lambda w: back(w).reshape(len(w), -1).sum(axis=1) * step.operations
        return Value(value.shape, self.add(step), dtype=value.dtype)

    def do_histogram(self, value: Any, bins: Any, mask: Any = None, **_: Any) -> Value:
        """How often each value is there."""
        self.trace.binned = True
        several = tuple(v for v in (value, mask) if isinstance(v, Value) and v.step >= 0)
        live = self.find_mask(mask, measure(value))
        valid = [live, *(self.trace.steps[v.step].live for v in several)]
        lanes = np.ones(measure(value), dtype=bool)
        for some in valid:
            lanes = lanes if some is None else lanes & some

        def back(wanted: Bools) -> Bools:
            asked = wanted.any(axis=1).reshape(-1, *(1 for _ in lanes.shape))
            return np.asarray(asked & lanes)

        step = Step((int(bins),), tuple((v.step, back) for v in several))
        step.count = lambda w: back(w).reshape(len(w), -1).sum(axis=1).astype(np.float64)
        return Value((int(bins),), self.add(step), dtype="int32", total=True)

    def do_rand(self, seed: Any, place: Any, **_: Any) -> Value:
        """Numbers by chance."""
        return Value(measure(place), self.add(Step(measure(place), (), RANDOM)), dtype="float32")

    do_randn = do_rand
    do_randint = do_rand

    def do_dot(self, left: Any, right: Any, acc: Any = None, **named: Any) -> Any:
        """A product of tiles; of nothing with anything, nothing."""
        a, b = measure(left), measure(right)
        acc = named.get("acc", acc)
        shape = (*a[:-1], b[-1])
        if acc is None and any(is_known(v) and not np.any(v) for v in (left, right)):
            return np.zeros(shape)
        lives = [self.trace.steps[v.step].live if isinstance(v, Value) and v.step >= 0 else None for v in (left, right)]
        rows = np.ones(a, dtype=bool) if lives[0] is None else fill(lives[0], a)
        columns = np.ones(b, dtype=bool) if lives[1] is None else fill(lives[1], b)
        terms = rows.astype(np.float64) @ columns.astype(np.float64)

        # Where one operand is nothing, at a border, the other one is taken as well.
        def of_left(wanted: Bools) -> Bools:
            inner = fill(np.expand_dims(columns.any(axis=-1), -2), a)
            return np.asarray(wanted.any(axis=-1, keepdims=True) & inner)

        def of_right(wanted: Bools) -> Bools:
            inner = fill(np.expand_dims(rows.any(axis=-2), -1), b)
            return np.asarray(wanted.any(axis=-2, keepdims=True) & inner)

        backs = zip((left, right), (of_left, of_right), strict=True)
        inputs: list[tuple[int, Back]] = [(v.step, b) for v, b in backs if isinstance(v, Value) and v.step >= 0]
        if isinstance(acc, Value) and acc.step >= 0:
            inputs.append((acc.step, narrow(acc.shape)))
        live = None if (terms > 0).all() or acc is not None else terms > 0
        step = Step(shape, tuple(inputs), 2.0, live)
        step.count = lambda w: (w * (2.0 * terms)).reshape(len(w), -1).sum(axis=1)
        return Value(shape, self.add(step), dtype="float32", total=acc is None)

    def do_swizzle2d(self, i: int, j: int, size_i: int, size_j: int, size_g: int) -> tuple[int, int]:
        """Tiles in groups of rows."""
        number, group = i * size_j + j, size_g * size_j
        first = number // group * size_g
        rows = min(size_i - first, size_g)
        inside = number % group
        return first + inside % rows, inside // rows

    # ---- memory ----

    def do_make_block_ptr(
        self, base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any = None
    ) -> Block:
        """A block pointer."""
        return Block(base, tuple(shape), tuple(strides), tuple(offsets), tuple(block_shape))

    def do_make_tensor_descriptor(self, base: Any, shape: Any, strides: Any, block_shape: Any, **_: Any) -> Block:
        """A descriptor of a tensor."""
        return Block(base, tuple(shape), tuple(strides), (0,) * len(shape), tuple(block_shape), whole=True)

    def do_advance(self, block: Block, steps: Any) -> Block:
        """A block pointer some elements further."""
        starts = tuple(self.combine(ast.Add(), a, b) for a, b in zip(block.starts, steps, strict=True))
        return Block(block.base, block.sizes, block.strides, starts, block.shape, block.whole)

    def point(self, block: Block, checked: Any) -> tuple[Pointer, Any]:
        """Addresses of a block, and the mask of the dimensions that are checked."""
        offsets: Any = block.base.offsets
        mask: Any = True
        named = checked if isinstance(checked, tuple) else () if checked is None else (checked,)
        axes = range(len(block.shape)) if block.whole else [int(c) for c in named]
        for n, (size, stride, start) in enumerate(zip(block.sizes, block.strides, block.starts, strict=True)):
            along = np.arange(block.shape[n]).reshape([-1 if k == n else 1 for k in range(len(block.shape))])
            place = self.combine(ast.Add(), along, start)
            offsets = self.combine(ast.Add(), offsets, self.combine(ast.Mult(), place, stride))
            if n in axes:
                inside = self.combine(
                    ast.BitAnd(), self.combine(ast.Lt(), place, size), self.combine(ast.GtE(), place, 0)
                )
                mask = inside if mask is True else self.combine(ast.BitAnd(), mask, inside)
        return Pointer(block.base.array, offsets), None if mask is True else mask

    def do_load(self, pointer: Any, mask: Any = None, other: Any = None, boundary_check: Any = None, **_: Any) -> Any:
        """What lies at addresses; outside of a mask nothing is loaded."""
        pointer, mask = self.resolve(pointer, mask, boundary_check)
        tensor = self.find_tensor(pointer.array)
        if pointer.array in self.launch.rows and is_known(pointer.offsets):
            # Where rows begin that are all as long as in the mean.
            return np.asarray(pointer.offsets) * self.launch.rows[pointer.array]
        inputs = [(v.step, narrow(v.shape)) for v in (pointer.offsets, mask) if isinstance(v, Value) and v.step >= 0]
        shape = pointer.shape
        step = Step(shape, tuple(inputs), 0.0, self.find_mask(mask, shape), array=pointer.array)
        if pointer.array in self.apart:
            step.array = f"{pointer.array}#{self.line}"
        if isinstance(other, float) and abs(other) > LARGE and step.live is not None:
            step.lost = ~step.live
        if is_known(pointer.offsets) and pointer.array not in self.overwritten:
            step.offsets = number_elements(tensor, np.broadcast_to(np.asarray(pointer.offsets, dtype=np.int64), shape))
            for elements in self.written.get(pointer.array, ()):
                taken = step.offsets if step.live is None else step.offsets[step.live]
                if len(elements) and np.isin(taken, elements).any():
                    raise refuse(self.line, f"a program reads what it wrote to '{one_line(pointer.array, 40)}'")
        elif pointer.array in self.written:
            raise refuse(self.line, f"a program reads what it wrote to '{one_line(pointer.array, 40)}'")
        return Value(shape, self.add(step), dtype=tensor.dtype)

    def resolve(self, pointer: Any, mask: Any, checked: Any) -> tuple[Pointer, Any]:
        """What a load is given as addresses and a mask, those of a block."""
        if isinstance(pointer, Block):
            if isinstance(mask, tuple):
                pointer, mask = self.do_advance(pointer, mask), None
            pointer, inside = self.point(pointer, checked)
            mask = inside if inside is not None else mask
        if not isinstance(pointer, Pointer):
            raise refuse(self.line, "what is loaded has no address")
        return pointer, mask

    def find_tensor(self, array: str) -> Tensor:
        """The tensor that a kernel gets as an array."""
        value = self.launch.arguments[array]
        return value.tensor if isinstance(value, Descriptor) else value

    def find_mask(self, mask: Any, shape: tuple[int, ...]) -> Bools | None:
        """Lanes under a mask; None for all."""
        if mask is None:
            return None
        if isinstance(mask, Value) and mask.exact is not None:
            mask = mask.exact
        elif isinstance(mask, Value):
            self.trace.chosen = True
            mask = mask.bound
            if mask is None:
                return None
        lanes = fill(np.asarray(mask, dtype=bool), shape)
        return None if lanes.all() else lanes

    def do_store(
        self, pointer: Any, value: Any, mask: Any = None, boundary_check: Any = None, *, added: bool = False, **_: Any
    ) -> None:
        """Elements that get values."""
        if isinstance(pointer, Block):
            if isinstance(value, tuple):
                pointer, value, mask = self.do_advance(pointer, value), mask, None
            pointer, inside = self.point(pointer, boundary_check)
            mask = inside if inside is not None else mask
        if not isinstance(pointer, Pointer):
            raise refuse(self.line, "the place of a store is no address")
        chosen = not is_known(pointer.offsets)
        if chosen and not added:
            raise refuse(self.line, f"data decide where it writes in '{one_line(pointer.array, 40)}'")
        shape = broadcast(pointer.shape, measure(value))
        given = [v for v in (value, mask, pointer.offsets, *self.under) if isinstance(v, Value) and v.step >= 0]
        step = self.add(Step(shape, tuple((v.step, narrow(v.shape)) for v in given)))
        lanes = self.find_mask(mask, shape)
        numbers = np.arange(math.prod(shape)) if lanes is None else np.flatnonzero(lanes)
        if added and not (isinstance(value, Value) and value.total):
            # A sum that is added to what is there has as many operations as terms.
            self.trace.steps[step].operations = 1.0
        offsets = np.zeros(0, dtype=np.int64)
        if chosen:
            self.overwritten.add(pointer.array)
        else:
            offsets = np.broadcast_to(np.asarray(pointer.offsets, dtype=np.int64), shape).reshape(-1)[numbers]
            offsets = number_elements(self.find_tensor(pointer.array), offsets)
        self.trace.stores.append(Stored(pointer.array, offsets, numbers, step, shape, added, chosen))
        self.written.setdefault(pointer.array, []).append(offsets)

    def do_atomic_add(self, pointer: Any, value: Any, mask: Any = None, **_: Any) -> Value:
        """Elements that something is added to."""
        self.do_store(pointer, value, mask, added=True)
        return Value(measure(pointer), self.add(Step(measure(pointer))))

    def do_atomic_cas(self, *_: Any, **__: Any) -> Any:
        """A lock."""
        raise refuse(self.line, "programs wait for each other by a lock: which one goes first is not known")

    do_atomic_xchg = do_atomic_cas
    do_atomic_max = do_atomic_add
    do_atomic_min = do_atomic_add


def name_kind(value: Any) -> Any:
    """A value of the host as the kernel gets it: an element type for its name."""
    return Kind(value) if isinstance(value, str) and value in BYTES else value


def makes_real(op: ast.AST, left: Any, right: Any) -> bool:
    """Whether an operation of what is known makes real numbers that differ from lane to lane."""
    if isinstance(op, ast.Div) and is_whole(left) and is_whole(right):
        return bool(measure(left) or measure(right))
    return isinstance(op, ARITHMETIC) and any(map(varies, (left, right))) and any(map(is_real, (left, right)))


def varies(value: Any) -> bool:
    """Whether lanes of what is known have several values."""
    return isinstance(value, np.ndarray) and value.size > 1 and bool((value != value.flat[0]).any())


def is_real(value: Any) -> bool:
    """Whether what is known is a real number, or lanes of them."""
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


def list_parts(test: ast.expr) -> list[ast.expr]:
    """Conditions that must all be met: ``a and b``, ``(a) & (b)``."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [p for v in test.values for p in list_parts(v)]
    if isinstance(test, ast.BinOp) and isinstance(test.op, ast.BitAnd):
        return [*list_parts(test.left), *list_parts(test.right)]
    return [test]


def tail(node: ast.expr) -> str:
    """The last name of ``tl.math.exp``."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def number_elements(tensor: Tensor, offsets: Ints) -> Ints:
    """Numbers of a view's elements, in the order in which they lie, from their addresses; -1 outside of it.

    >>> number_elements(Tensor((2, 3), "float32", (8, 1)), np.array([0, 2, 8, 10, 3])).tolist()
    [0, 2, 3, 5, -1]
    """
    if not tensor.strides or is_dense(tensor):
        return offsets
    number, rest = np.zeros_like(offsets), offsets
    inside = offsets >= 0
    for n in sorted(range(len(tensor.shape)), key=lambda n: (-tensor.stride(n), n)):
        if tensor.shape[n] == 1:
            continue
        at, rest = np.divmod(rest, max(1, tensor.stride(n)))
        inside &= at < tensor.shape[n]
        number = number * tensor.shape[n] + at
    return np.where(inside & (rest == 0), number, -1)


def name_whole(array: str) -> str:
    """The array that a load takes, where its loads are told apart by their lines."""
    return array.partition("#")[0]


def run_program(
    function: ast.FunctionDef, launch: TritonLaunch, program: tuple[int, int, int], apart: frozenset[str] = frozenset()
) -> Trace:
    """One program of a launch. apart : arrays of which loads are told apart by their lines.

    Raises
    ------
    SourceError : it does what is not followed, or data decide how often it does it.
    """
    try:
        return Program(function, launch, program, apart).run()
    except RecursionError as error:
        raise SourceError("functions call each other too deeply") from error
