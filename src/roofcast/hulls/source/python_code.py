"""Python: ``for i in range(...)`` over arrays with indices, by the standard library's parser."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from roofcast.core.errors import one_line
from roofcast.hulls.source.builder import (
    FUNCTIONS,
    Builder,
    Combination,
    Comparisons,
    Condition,
    Reader,
    Value,
    branch_on_counters,
    branch_on_data,
    compare,
    compare_remainder,
)  # fmt: skip
from roofcast.hulls.source.nest import Access, Affine, Routine, SourceError, refuse
from roofcast.hulls.source.numpy_code import Arrays
from roofcast.hulls.source.numpy_shapes import find_called
from roofcast.hulls.source.run_check import Machine
from roofcast.hulls.source.run_python import run_body

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=="}
ACCUMULATING = (ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
LEAST = ("min", "max", "minimum", "maximum", "fmin", "fmax")
CONVERSIONS = frozenset(["float", "int", "bool", "float16", "float32", "float64", "int8", "int32", "int64", "uint8"])
DEEPEST = 100
IGNORED = (ast.Pass, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Return, ast.Global, ast.Assert)


@dataclass(frozen=True, slots=True)
class Reading:
    """Statements as they were read, with the tree that they can be run from."""

    routine: Routine
    sizes: Mapping[str, int]
    body: Sequence[ast.stmt]

    def run(self) -> Machine:
        """Run them at their sizes."""
        whole = [name for name, kind in self.routine.types.items() if kind.startswith("int")]
        return run_body(self.body, self.sizes, self.routine.shapes, whole)


def read_python(text: str, sizes: Mapping[str, int], function: str | None = None) -> Reading:
    """The routine of one function, or of a file's own statements.

    Raises
    ------
    SourceError : no such function, a syntax error, or code that is not affine; with line and reason.
    """
    tree = parse(text)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    known = dict(sizes)
    for item in tree.body:
        remember_integers(item, known)
    if function is None and not functions:
        builder = Builder("module", known, find_assigned(tree.body))
        PythonReader(builder).block(tree.body)
        return Reading(builder.routine, dict(builder.sizes), tree.body)
    chosen = [f for f in functions if f.name == function] or ([] if function else functions[:1])
    if not chosen:
        names = ", ".join(one_line(f.name, 40) for f in functions) or "none"
        raise SourceError(f"no function {one_line(function or '', 60)!r}: the file has {names}")
    builder = Builder(chosen[0].name, known, find_assigned(chosen[0].body))
    reader = PythonReader(builder)
    reader.arrays.read_parameters(chosen[0].args, chosen[0].body)
    reader.block(chosen[0].body)
    return Reading(builder.routine, dict(builder.sizes), chosen[0].body)


def list_functions(text: str) -> list[str]:
    """Functions of a file, in the order of the code."""
    return [n.name for n in parse(text).body if isinstance(n, ast.FunctionDef)]


def parse(text: str) -> ast.Module:
    """The syntax tree of a file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = getattr(error, "msg", "") or str(error) or "nested too deeply"
        raise refuse(getattr(error, "lineno", None) or 1, f"not Python: {reason}") from error


def remember_integers(item: ast.stmt, known: dict[str, int]) -> None:
    """Add a constant integer of the file to the sizes."""
    if isinstance(item, ast.Assign) and isinstance(item.value, ast.Constant) and type(item.value.value) is int:
        for target in item.targets:
            if isinstance(target, ast.Name):
                known.setdefault(target.id, item.value.value)


def find_assigned(body: list[ast.stmt]) -> frozenset[str]:
    """Scalars that loops assign: data, not sizes."""
    loops = [n for s in body for n in ast.walk(s) if isinstance(n, ast.For)]
    return frozenset(
        t.id
        for loop in loops
        for n in ast.walk(loop)
        if isinstance(n, (ast.Assign, ast.AugAssign)) and not (isinstance(n, ast.Assign) and is_swap(n))
        for t in (n.targets if isinstance(n, ast.Assign) else [n.target])
        if isinstance(t, ast.Name)
    )


class PythonReader(Reader[ast.expr]):
    """Walks one function body."""

    def __init__(self, builder: Builder) -> None:
        super().__init__(builder)
        self.arrays = Arrays(self)

    def line(self, node: ast.expr) -> int:
        """Line of a node in the user's text."""
        return node.lineno

    def block(self, body: list[ast.stmt]) -> None:
        """Statements one after the other."""
        for statement in body:
            self.visit(statement)

    def visit(self, node: ast.stmt) -> None:
        """One statement."""
        if len(self.builder.loops) + len(self.builder.conditions) > DEEPEST:
            raise refuse(node.lineno, f"more than {DEEPEST} levels of nesting")
        if isinstance(node, ast.For):
            self.loop(node)
        elif isinstance(node, ast.Assign) and is_swap(node):
            # Two buffers that take turns are one in, one out of every step.
            return
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and len(find_targets(node)) == 1:
            if node.value is not None:
                self.assign(find_targets(node)[0], node.value, node.lineno)
        elif isinstance(node, ast.AugAssign):
            self.augment(node)
        elif isinstance(node, ast.If):
            self.branch(node)
        elif isinstance(node, ast.Return) and node.value is not None and not self.builder.loops:
            self.arrays.store_returned(node.value, node.lineno)
        elif self.computes(node):
            raise refuse(node.lineno, f"'{type(node).__name__.lower()}' has no place in an affine loop nest")

    def computes(self, node: ast.stmt) -> bool:
        """Whether a statement does more than document, import, define or end the function."""
        if isinstance(node, ast.Expr):
            return not isinstance(node.value, ast.Constant)
        return not isinstance(node, IGNORED) or (isinstance(node, ast.Return) and bool(self.builder.loops))

    def branch(self, node: ast.If) -> None:
        """Conditions on counters choose iterations; where data decides, both branches count."""
        for branch, condition in zip((node.body, node.orelse), self.condition(node.test), strict=True):
            with self.builder.under(condition):
                self.block(branch)

    def loop(self, node: ast.For) -> None:
        """``for i in range(first, last, step)``."""
        call = node.iter
        if not (
            isinstance(node.target, ast.Name)
            and isinstance(call, ast.Call)
            and find_called(call) in ("range", "prange")
            and 1 <= len(call.args) <= 3
            and not node.orelse
        ):
            raise refuse(node.lineno, "loops are written 'for i in range(...)'")
        step = self.affine(call.args[2]) if len(call.args) == 3 else Affine((), 1)
        if step.variables or step.constant == 0:
            raise refuse(node.lineno, "the step of a range must be a number")
        ascends = step.constant > 0
        which = ("max", "min") if ascends else ("min", "max")
        first = self.extremes(call.args[0], which[0]) if len(call.args) > 1 else (Affine(),)
        shift = Affine((), -1 if ascends else 1)
        end = tuple(b + shift for b in self.extremes(call.args[min(1, len(call.args) - 1)], which[1]))
        name, line = node.target.id, node.lineno
        low, high = (first, end) if ascends else (end, first)
        with self.builder.counted_loop(name, low, high, step.constant, line, self.find_divisors(node.body, name)):
            self.block(node.body)

    def extremes(self, node: ast.expr, which: str) -> tuple[Affine, ...]:
        """A bound that is affine, or the smaller (larger) of several."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == which:
            return tuple(b for a in node.args for b in self.extremes(a, which))
        return (self.affine(node),)

    def find_divisors(self, body: list[ast.stmt], name: str) -> list[int]:
        """Numbers that a counter is divided by in indices."""
        found = []
        for node in (n for s in body for n in ast.walk(s)):
            if is_division(node) and names_only(node.left, name):
                try:
                    by = self.affine(node.right)
                except SourceError:
                    continue
                if not by.variables and 1 < by.constant < 1 << 20:
                    found.append(by.constant)
        tests = {id(n) for s in body for i in ast.walk(s) if isinstance(i, ast.If) for n in ast.walk(i.test)}
        inside = [n for s in body for n in ast.walk(s) if id(n) in tests and isinstance(n, ast.BinOp)]
        return [] if inside and len(found) <= sum(map(is_division, inside)) else found

    def assign(self, target_node: ast.expr, value_node: ast.expr, line: int) -> None:
        """A plain assignment."""
        if isinstance(target_node, ast.Name) and self.bind(Access(target_node.id, (), line), value_node, line):
            return
        if self.arrays.is_whole(target_node, value_node):
            self.arrays.assign(target_node, value_node, line)
            return
        if isinstance(target_node, ast.Name):
            target, index = Access(target_node.id, (), line), Value()
        else:
            target, index = self.target(target_node)
        if target.scattered and isinstance(value_node, ast.BinOp) and are_alike(value_node.left, target_node):
            value = self.value(value_node.right).add(index, Value(0, [target]))
            self.builder.assign(target, value, line, updates=True, reduces=isinstance(value_node.op, ACCUMULATING))
            return
        reduces = self.accumulates(value_node, target)
        self.builder.assign(target, self.value(value_node).add(index), line, updates=False, reduces=reduces)

    def augment(self, node: ast.AugAssign) -> None:
        """``x += e``."""
        if self.arrays.is_whole(node.target, node.value):
            self.arrays.augment(node)
            return
        target, index = self.target(node.target)
        if not target.indices:
            self.builder.scope.pop(target.array, None)
        value = self.value(node.value)
        reduces = isinstance(node.op, ACCUMULATING) and not value.takes(target)
        value.add(index, Value(0, [target]))
        self.builder.assign(target, value, node.lineno, updates=True, reduces=reduces)

    def is_reference(self, node: ast.expr) -> bool:
        """Whether an expression names a scalar or an element, and computes nothing."""
        return isinstance(node, (ast.Name, ast.Subscript))

    def combination(self, node: ast.expr) -> Combination[ast.expr] | None:
        """An expression whose parts may be what it is assigned to."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ACCUMULATING):
            family = (ast.Add, ast.Sub) if isinstance(node.op, (ast.Add, ast.Sub)) else (type(node.op),)
            terms = find_terms(node, family, True)
            return Combination("terms", [term for term, _ in terms], [plus for _, plus in terms])
        if isinstance(node, ast.Call):
            return Combination("least", node.args if find_called(node) in LEAST else ())
        if isinstance(node, ast.IfExp) and isinstance(node.test, ast.Compare):
            compared = (node.test.left, *node.test.comparators)
            return Combination("choice", (node.body, node.orelse), compared=compared)
        return None

    def condition(self, node: ast.expr) -> tuple[Condition, Condition]:
        """What holds in the two branches of an ``if``."""
        found = self.comparisons(node)
        return branch_on_counters(found) if found is not None else branch_on_data(self.value(node))

    def comparisons(self, node: ast.expr) -> Comparisons | None:
        """A condition on counters as expressions that are 0 or more; None for any other."""
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            parts = [self.comparisons(v) for v in node.values]
            known = [p for p in parts if p is not None]
            remainders = [p[1] for p in known if p[1]]
            if len(known) < len(parts) or len(remainders) > 1:
                return None
            return [a for p in known for a in p[0]], next(iter(remainders), None)
        if not isinstance(node, ast.Compare):
            return None
        above: list[Affine] = []
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            try:
                if len(node.ops) == 1 and isinstance(op, (ast.Eq, ast.NotEq)) and is_remainder(left):
                    value, modulus, rest = (self.affine(n) for n in (left.left, left.right, right))
                    return compare_remainder(value, modulus, rest, isinstance(op, ast.Eq))
                end, start = self.affine(right), self.affine(left)
            except SourceError:
                return None
            if (made := compare(COMPARISONS.get(type(op), ""), start, end)) is None:
                return None
            above += made
            left = right
        return above, None

    def element(self, node: ast.expr) -> tuple[str, list[ast.expr]]:
        """Array name and indices of ``a[i][j]`` or ``a[i, j]``."""
        indices: list[ast.expr] = []
        while isinstance(node, ast.Subscript):
            part = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
            indices = part + indices
            node = node.value
        if isinstance(node, ast.Name):
            return node.id, indices
        raise refuse(node.lineno, "this is no array element with affine indices")

    def affine(self, node: ast.expr) -> Affine:
        """An index or bound."""
        if isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) < 2**62:
            return Affine((), node.value)
        if isinstance(node, ast.Name):
            if node.id in self.arrays.shapes:
                raise refuse(node.lineno, f"the array '{one_line(node.id, 40)}' is no index")
            return self.builder.size(node.id, node.lineno)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return self.affine(node.operand).times(-1 if isinstance(node.op, ast.USub) else 1)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            left, right = self.affine(node.left), self.affine(node.right)
            return self.builder.combine(left, right, OPERATORS[type(node.op)], node.lineno)
        found = self.size_asked(node)
        if found is not None:
            return found
        raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 60)}' in an index or bound is not affine")

    def size_asked(self, node: ast.expr) -> Affine | None:
        """``len(a)``, ``a.size``, ``a.shape[1]``, ``int(n)``; None for anything else."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
            if node.func.id == "len":
                return self.extent_of(node.args[0], 0, ast.unparse(node), node.lineno)
            if node.func.id == "int":
                return self.affine(node.args[0])
        if isinstance(node, ast.Attribute) and node.attr == "size":
            return self.extent_of(node.value, 0, ast.unparse(node), node.lineno)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            at = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if isinstance(at, int):
                return self.extent_of(node.value.value, at, ast.unparse(node), node.lineno)
        return None

    def extent_of(self, node: ast.expr, at: int, name: str, line: int) -> Affine:
        """A dimension of an array, where its shape is known."""
        shape = self.arrays.shapes.get(node.id, ()) if isinstance(node, ast.Name) else ()
        if -len(shape) <= at < len(shape):
            return Affine((), shape[at])
        return self.builder.size(name, line)

    def value(self, node: ast.expr) -> Value:
        """Operations and reads of an expression."""
        if isinstance(node, ast.Constant):
            return Value()
        if isinstance(node, ast.Name):
            known = node.id in self.builder.scope or node.id in self.builder.sizes
            plain = known and node.id not in self.builder.assigned
            return Value() if plain else Value(0, [Access(node.id, (), node.lineno)])
        if isinstance(node, ast.Subscript):
            return self.read_element(node)
        if isinstance(node, ast.BinOp):
            square = isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant)
            return self.value(node.left).add(Value() if square else self.value(node.right), operations=1)
        if isinstance(node, ast.UnaryOp):
            return self.value(node.operand)
        if isinstance(node, ast.BoolOp):
            return Value().add(*(self.value(v) for v in node.values), operations=len(node.values) - 1)
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
            return Value().add(*(self.value(v) for v in parts), operations=len(node.comparators))
        if isinstance(node, ast.IfExp):
            total = self.value(node.test)
            compared = [node.test.left, *node.test.comparators] if isinstance(node.test, ast.Compare) else []
            fresh = [b for b in (node.body, node.orelse) if not any(are_alike(b, c) for c in compared)]
            return total.add(*(self.value(b) for b in fresh))
        if isinstance(node, ast.Call):
            return self.call(node)
        raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 60)}' cannot be counted")

    def call(self, node: ast.Call) -> Value:
        """A function that counts as one operation; conversions count as none."""
        name = find_called(node)
        total = Value().add(*(self.value(a) for a in node.args))
        if name in CONVERSIONS:
            return total
        if name in FUNCTIONS:
            return total.add(operations=1)
        raise refuse(node.lineno, f"the call of '{one_line(name, 40)}' cannot be counted")


def find_targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    """What an assignment gives a value."""
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def is_swap(node: ast.Assign) -> bool:
    """Whether a statement is ``u, v = v, u``."""
    sides = [node.targets[0], node.value] if len(node.targets) == 1 else []
    names = [[e.id for e in s.elts if isinstance(e, ast.Name)] for s in sides if isinstance(s, ast.Tuple)]
    return len(names) == 2 and len(names[0]) == 2 and names[0] == names[1][::-1]


def are_alike(one: ast.expr, two: ast.expr) -> bool:
    """Whether two expressions are the same text."""
    return ast.unparse(one) == ast.unparse(two)


def names_only(node: ast.expr, name: str) -> bool:
    """Whether an expression names one variable and no other."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} == {name}


def find_terms(node: ast.expr, family: tuple[type, ...], plus: bool) -> list[tuple[ast.expr, bool]]:
    """Terms of a chain of one kind of operation, with their signs."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, family):
        return [(node, plus)]
    right = not plus if isinstance(node.op, ast.Sub) else plus
    return find_terms(node.left, family, plus) + find_terms(node.right, family, right)


def is_division(node: ast.AST) -> TypeGuard[ast.BinOp]:
    """Whether an expression is ``a // b`` or ``a % b``."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod))


def is_remainder(node: ast.expr) -> TypeGuard[ast.BinOp]:
    """Whether an expression is ``a % b``."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
