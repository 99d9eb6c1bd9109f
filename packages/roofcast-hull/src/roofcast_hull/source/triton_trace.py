"""Programs of a Triton kernel run one by one: which elements each stored one follows from, and by how many operations.

Whole numbers that the launch decides (program ids, offsets, masks) are computed as arrays; what is loaded has no value.
Each operation on it is a step of a trace, which says how wanted lanes of its result go back to lanes of its operands.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import SourceError, refuse
from roofcast_hull.source.numpy_values import BYTES, Tensor
from roofcast_hull.source.python_syntax import is_none, last_name, name_arguments, name_called
from roofcast_hull.source.triton_host import Descriptor, TritonLaunch
from roofcast_hull.source.triton_language import NOTHING, Language
from roofcast_hull.source.triton_steps import Ints, Step, Stored, Trace, weigh
from roofcast_hull.source.triton_values import (
    Block,
    Kind,
    Pointer,
    Value,
    find_kind,
    is_data,
    is_known,
    measure,
)

DEEPEST = 12
"""Functions of a kernel inside each other."""
MOST_STATEMENTS = 3_000_000
"""Statements that one program runs."""


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


class Program(Language):
    """One program of a launch."""

    def __init__(
        self, function: ast.FunctionDef, launch: TritonLaunch, program: tuple[int, int, int],
        apart: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        super().__init__(launch, program, function.lineno, apart)
        self.function = function
        self.depth, self.left = 0, MOST_STATEMENTS
        """depth : functions that are open. left : statements that it may still run."""
        self.constants: dict[str, Any] = {n: name_kind(v) for n, v in launch.constants.items()}
        self.names: dict[str, Any] = {}
        self.body: Sequence[ast.stmt] = function.body
        """Of the function that runs."""

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
        if not isinstance(node.iter, ast.Call) or name_called(node.iter) not in ("range", "static_range"):
            raise refuse(node.lineno, "the loop goes over no range")
        ends = [self.value(a) for a in node.iter.args]
        if not all(is_known(e) for e in ends):
            kind = "data decide" if any(isinstance(e, Value) and e.step >= 0 for e in ends) else "the file does not say"
            raise refuse(node.lineno, f"{kind} how often the loop over '{one_line(name, 40)}' runs")
        for k in range(*(int(e) for e in ends)):
            self.names[name] = k
            if not self.turn(node.body):
                break

    def repeat(self, node: ast.While) -> None:
        """``while k < n``."""
        while self.goes_on(node.test) and self.turn(node.body):
            pass

    def turn(self, body: Sequence[ast.stmt]) -> bool:
        """One turn of a loop; whether another one may follow."""
        try:
            self.block(body)
        except ContinueError:
            return True
        except BreakError:
            return False
        return True

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
            elif is_none(item):
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
        name = name_called(node)
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

    def inline(self, function: ast.FunctionDef, node: ast.Call) -> Any:
        """A function of the file that Triton compiles too."""
        if self.depth >= DEEPEST:
            raise refuse(node.lineno, "functions call each other too deeply")
        return self.enter(function, {n: self.value(e) for n, e in name_arguments(function, node).items()})

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
        combining = self.launch.helpers.get(last_name(written["combine_fn"]))
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
        return tuple(self.compute(0.0, [together], find_kind([v])) for v in several)


def name_kind(value: Any) -> Any:
    """A value of the host as the kernel gets it: an element type for its name."""
    return Kind(value) if isinstance(value, str) and value in BYTES else value


def list_parts(test: ast.expr) -> list[ast.expr]:
    """Conditions that must all be met: ``a and b``, ``(a) & (b)``."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [p for v in test.values for p in list_parts(v)]
    if isinstance(test, ast.BinOp) and isinstance(test.op, ast.BitAnd):
        return [*list_parts(test.left), *list_parts(test.right)]
    return [test]


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
