"""Python: ``for i in range(...)`` over arrays with indices, by the standard library's parser."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping

from roofcast.algorithms.source.builder import FUNCTIONS, Builder, Value
from roofcast.algorithms.source.c_code import combined
from roofcast.algorithms.source.nest import Access, Affine, Routine, SourceError, refuse
from roofcast.errors import one_line

OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/"}
DEEPEST = 100
IGNORED = (ast.Pass, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Return)


def read_python(text: str, sizes: Mapping[str, int], function: str | None = None) -> Routine:
    """The routine of one function, or of a file's own statements.

    Raises
    ------
    SourceError : no such function, a syntax error, or code that is not affine; with line and reason.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = getattr(error, "msg", "") or str(error) or "nested too deeply"
        raise refuse(getattr(error, "lineno", None) or 1, f"not Python: {reason}") from error
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    body: list[ast.stmt]
    if function is None and not functions:
        name, body = "module", tree.body
    else:
        chosen = [f for f in functions if f.name == function] or ([] if function else functions[:1])
        if not chosen:
            known = ", ".join(one_line(f.name, 40) for f in functions) or "none"
            raise SourceError(f"no function {one_line(function or '', 60)!r}: the file has {known}")
        name, body = chosen[0].name, chosen[0].body
    loops = [n for s in body for n in ast.walk(s) if isinstance(n, ast.For)]
    assigned = {
        t.id
        for loop in loops
        for n in ast.walk(loop)
        if isinstance(n, (ast.Assign, ast.AugAssign))
        for t in (n.targets if isinstance(n, ast.Assign) else [n.target])
        if isinstance(t, ast.Name)
    }
    known_sizes = dict(sizes)
    for item in tree.body:
        if isinstance(item, ast.Assign) and isinstance(item.value, ast.Constant) and isinstance(item.value.value, int):
            for target in item.targets:
                if isinstance(target, ast.Name):
                    known_sizes.setdefault(target.id, item.value.value)
    reader = Reader(Builder(name, known_sizes, frozenset(assigned)))
    reader.block(body)
    return reader.builder.routine


class Reader:
    """Walks one function body."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def block(self, body: list[ast.stmt]) -> None:
        """Statements one after the other."""
        for statement in body:
            self.visit(statement)

    def visit(self, node: ast.stmt) -> None:
        """One statement."""
        if len(self.builder.loops) + len(self.builder.guards) > DEEPEST:
            raise refuse(node.lineno, f"more than {DEEPEST} levels of nesting")
        if isinstance(node, ast.For):
            self.loop(node)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            self.assign(node.targets[0], node.value, node.lineno)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, node.value, node.lineno)
        elif isinstance(node, ast.AugAssign):
            target, index = self.target(node.target)
            if not target.indices:
                self.builder.scope.pop(target.array, None)
            value = self.value(node.value).add(index, Value(0, [target]))
            self.builder.assign(target, value, node.lineno, True)
        elif isinstance(node, ast.If):
            self.branch(node)
        elif self.computes(node):
            raise refuse(node.lineno, f"'{type(node).__name__.lower()}' has no place in an affine loop nest")

    def computes(self, node: ast.stmt) -> bool:
        """Whether a statement does more than document, import, define or end the function."""
        if isinstance(node, ast.Expr):
            return not isinstance(node.value, ast.Constant)
        return not isinstance(node, IGNORED) or (isinstance(node, ast.Return) and bool(self.builder.loops))

    def branch(self, node: ast.If) -> None:
        """Both branches count; the condition where it reads data."""
        condition = self.value(node.test)
        if not condition.reads:
            condition.operations = 0
        self.builder.guards.append(condition)
        self.block(node.body)
        self.block(node.orelse)
        self.builder.guards.pop()

    def loop(self, node: ast.For) -> None:
        """``for i in range(first, last, step)``."""
        call = node.iter
        if not (
            isinstance(node.target, ast.Name)
            and isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id in ("range", "prange")
            and 1 <= len(call.args) <= 3
            and not node.orelse
        ):
            raise refuse(node.lineno, "loops are written 'for i in range(...)'")
        values = [self.affine(a) for a in call.args]
        first, last = (Affine(), values[0]) if len(values) == 1 else (values[0], values[1])
        step = values[2] if len(values) == 3 else Affine((), 1)
        if step.variables or step.constant == 0:
            raise refuse(node.lineno, "the step of a range must be a number")
        ascends = step.constant > 0
        end = last + Affine((), -1 if ascends else 1)
        low, high = ((first,), (end,)) if ascends else ((end,), (first,))
        with self.builder.loop(node.target.id, low, high, abs(step.constant), node.lineno, not ascends):
            self.block(node.body)

    def assign(self, target_node: ast.expr, value_node: ast.expr, line: int) -> None:
        """A plain assignment."""
        if isinstance(target_node, ast.Name):
            target = Access(target_node.id, (), line)
            try:
                self.builder.scope[target_node.id] = self.affine(value_node)
            except SourceError:
                self.builder.scope.pop(target_node.id, None)
                if not self.builder.loops and self.is_making(value_node):
                    return
                self.builder.assign(target, self.value(value_node), line, False)
            else:
                self.builder.assign(target, Value(), line, False)
            return
        target, index = self.target(target_node)
        self.builder.assign(target, self.value(value_node).add(index), line, False)

    def is_making(self, node: ast.expr) -> bool:
        """Whether a value outside all loops makes an array or asks for a size, as ``np.zeros(n)`` and ``len(a)`` do."""
        return isinstance(node, (ast.Call, ast.Subscript, ast.Attribute, ast.List, ast.ListComp))

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

    def target(self, node: ast.expr) -> tuple[Access, Value]:
        """What an assignment writes; indices from data make it scattered."""
        array, indices = self.element(node)
        try:
            return Access(array, tuple(self.affine(i) for i in indices), node.lineno), Value()
        except SourceError:
            read = Value().add(*(self.value(i) for i in indices))
            if not read.reads:
                raise
            return Access(array, (), node.lineno, True), read

    def affine(self, node: ast.expr) -> Affine:
        """An index or bound."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
            return Affine((), node.value)
        if isinstance(node, ast.Name):
            return self.builder.named(node.id, node.lineno)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return self.affine(node.operand).times(-1 if isinstance(node.op, ast.USub) else 1)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            left, right = self.affine(node.left), self.affine(node.right)
            return combined(left, right, OPERATORS[type(node.op)], node.lineno)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            return self.builder.named(ast.unparse(node), node.lineno)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return self.builder.named(ast.unparse(node), node.lineno)
        raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 60)}' in an index or bound is not affine")

    def value(self, node: ast.expr) -> Value:
        """Operations and reads of an expression."""
        if isinstance(node, ast.Constant):
            return Value()
        if isinstance(node, ast.Name):
            known = node.id in self.builder.scope and node.id not in self.builder.assigned
            return Value() if known else Value(0, [Access(node.id, (), node.lineno)])
        if isinstance(node, ast.Subscript):
            array, indices = self.element(node)
            return Value(0, [Access(array, tuple(self.affine(i) for i in indices), node.lineno)])
        if isinstance(node, ast.BinOp):
            return self.value(node.left).add(self.value(node.right), operations=1)
        if isinstance(node, ast.UnaryOp):
            return self.value(node.operand)
        if isinstance(node, ast.BoolOp):
            return Value().add(*(self.value(v) for v in node.values), operations=len(node.values) - 1)
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
            return Value().add(*(self.value(v) for v in parts), operations=len(node.comparators))
        if isinstance(node, ast.IfExp):
            return self.value(node.test).add(self.value(node.body), self.value(node.orelse))
        if isinstance(node, ast.Call):
            return self.call(node)
        raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 60)}' cannot be counted")

    def call(self, node: ast.Call) -> Value:
        """A function that counts as one operation; conversions count as none."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        total = Value().add(*(self.value(a) for a in node.args))
        if name in ("float", "int", "float32", "float64", "int32"):
            return total
        if name in FUNCTIONS:
            return total.add(operations=1)
        raise refuse(node.lineno, f"the call of '{one_line(name, 40)}' cannot be counted")
