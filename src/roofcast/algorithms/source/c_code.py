"""C: loops and assignments of one function, by pycparser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roofcast.algorithms.source.builder import FUNCTIONS, Builder, Value
from roofcast.algorithms.source.c_text import parsed, prepared
from roofcast.algorithms.source.nest import Access, Affine, Routine, SourceError, refuse
from roofcast.errors import MissingExtraError, one_line

ARITHMETIC = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||"}
DEEPEST = 200


def read_c(text: str, sizes: Mapping[str, int], function: str | None = None) -> Routine:
    """The routine of one function, or of bare statements.

    sizes : values of size names; ``#define`` gives others.

    Raises
    ------
    SourceError : no such function, a syntax error, or code that is not affine; with line and reason.
    MissingExtraError : pycparser is not installed.
    """
    try:
        from pycparser import c_ast
    except ImportError as error:
        raise MissingExtraError("reading C needs pycparser: pip install 'roofcast[source]'") from error
    plain, defined = prepared(text)
    tree = parsed(plain)
    functions = [n for n in tree.ext if isinstance(n, c_ast.FuncDef)]
    chosen = pick(functions, function)
    known = {**defined, **sizes}
    for item in tree.ext:
        constant(item, known)
    builder = Builder(chosen.decl.name, known, frozenset(assigned_names(chosen.body)))
    reader = Reader(builder, c_ast)
    for item in tree.ext:
        if isinstance(item, c_ast.Decl):
            reader.declare(item)
    for parameter in getattr(chosen.decl.type.args, "params", None) or ():
        if isinstance(parameter, c_ast.Decl):
            reader.declare(parameter)
    reader.visit(chosen.body)
    return builder.routine


def pick(functions: list[Any], name: str | None) -> Any:
    """The function of a name, else the first that loops."""
    for function in functions:
        if function.decl.name == name or (name is None and (len(functions) == 1 or has_loop(function))):
            return function
    known = ", ".join(one_line(f.decl.name, 40) for f in functions) or "none"
    raise SourceError(f"no function {one_line(name or '', 60)!r}: the file has {known}".replace(" ''", " with a loop"))


def has_loop(node: Any) -> bool:
    """Whether a for loop occurs in a node."""
    return type(node).__name__ == "For" or any(has_loop(child) for _, child in node.children())


def assigned_names(node: Any) -> set[str]:
    """Scalars that a body assigns, other than loop counters."""
    found: set[str] = set()
    for _, child in node.children():
        kind = type(child).__name__
        if kind == "For":
            found |= assigned_names(child.stmt)
            continue
        if kind == "Assignment" and type(child.lvalue).__name__ == "ID":
            found.add(child.lvalue.name)
        if kind == "UnaryOp" and child.op in ("++", "p++", "--", "p--") and type(child.expr).__name__ == "ID":
            found.add(child.expr.name)
        if kind == "Decl" and child.init is not None and type(child.type).__name__ == "TypeDecl":
            found.add(child.name)
        found |= assigned_names(child)
    return found


def constant(item: Any, known: dict[str, int]) -> None:
    """Add a constant integer of the file to the sizes."""
    init: Any = getattr(item, "init", None)
    if type(item).__name__ == "Decl" and type(init).__name__ == "Constant" and "int" in init.type:
        known.setdefault(item.name, int(str(init.value).rstrip("uUlL"), 0))


class Reader:
    """Walks one function body."""

    def __init__(self, builder: Builder, c_ast: Any) -> None:
        self.builder = builder
        self.ast = c_ast
        self.depth = 0

    def line(self, node: Any) -> int:
        """Line of a node in the user's text."""
        return int(node.coord.line) if getattr(node, "coord", None) else 1

    def visit(self, node: Any) -> None:
        """One statement."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise refuse(self.line(node), f"more than {DEEPEST} levels of nesting")
        handler = getattr(self, f"visit_{type(node).__name__.lower()}", None)
        if handler is None:
            raise refuse(self.line(node), f"{describe(node)} has no place in an affine loop nest")
        handler(node)
        self.depth -= 1

    def visit_compound(self, node: Any) -> None:
        """A block."""
        for item in node.block_items or ():
            self.visit(item)

    def visit_emptystatement(self, node: Any) -> None:
        """Nothing."""

    def visit_pragma(self, node: Any) -> None:
        """Directives do not change what is computed."""

    def visit_decllist(self, node: Any) -> None:
        """Several declarations."""
        for declaration in node.decls:
            self.visit(declaration)

    def visit_return(self, node: Any) -> None:
        """The end of the function, not of a loop."""
        if self.builder.loops:
            raise refuse(self.line(node), "return inside a loop: the number of iterations depends on data")

    def visit_decl(self, node: Any) -> None:
        """A declaration: sizes of an array, or the first value of a scalar."""
        self.declare(node)
        if node.init is not None and type(node.type).__name__ == "TypeDecl":
            self.store(Access(node.name, (), self.line(node)), node.init, node.name, self.line(node))

    def declare(self, node: Any) -> None:
        """Remember the sizes of an array."""
        sizes, kind = [], node.type
        while type(kind).__name__ in ("ArrayDecl", "PtrDecl"):
            if type(kind).__name__ == "PtrDecl":
                sizes.append(-1)
            else:
                sizes.append(self.size(kind.dim))
            kind = kind.type
        if sizes:
            self.builder.routine.shapes[node.name] = tuple(sizes)

    def size(self, node: Any) -> int:
        """A declared dimension; -1 where it is open or no number."""
        if node is None:
            return -1
        try:
            value = self.affine(node)
        except SourceError:
            return -1
        return value.constant if not value.variables and value.constant > 0 else -1

    def visit_assignment(self, node: Any) -> None:
        """``x = e``, ``x += e``."""
        line = self.line(node)
        target, index_value = self.target(node.lvalue)
        if node.op == "=":
            name = node.lvalue.name if isinstance(node.lvalue, self.ast.ID) else ""
            self.store(target, node.rvalue, name, line, index_value)
            return
        value = self.value(node.rvalue).add(index_value)
        self.builder.scope.pop(getattr(node.lvalue, "name", ""), None) if not target.indices else None
        self.builder.assign(target, value.add(Value(0, [target])), line, True)

    def store(self, target: Access, node: Any, name: str, line: int, index_value: Value | None = None) -> None:
        """A plain assignment; integers that are affine in the loop variables are replaced where they are used."""
        if name:
            try:
                self.builder.scope[name] = self.affine(node)
            except SourceError:
                self.builder.scope.pop(name, None)
            else:
                # A data value too where it starts an accumulation: both uses stay possible.
                self.builder.assign(target, Value(), line, False)
                return
        self.builder.assign(target, self.value(node).add(index_value or Value()), line, False)

    def visit_unaryop(self, node: Any) -> None:
        """``x++`` as a statement."""
        if node.op not in ("++", "p++", "--", "p--"):
            raise refuse(self.line(node), f"the statement computes nothing that is kept ({node.op})")
        target, value = self.target(node.expr)
        if not target.indices:
            self.builder.scope.pop(target.array, None)
        self.builder.assign(target, value.add(Value(0, [target])), self.line(node), True)

    def visit_if(self, node: Any) -> None:
        """Both branches count; the condition is part of their work where it reads data."""
        condition = self.value(node.cond)
        if not condition.reads:
            condition.operations = 0
        self.builder.guards.append(condition)
        for branch in (node.iftrue, node.iffalse):
            if branch is not None:
                self.visit(branch)
        self.builder.guards.pop()

    def visit_for(self, node: Any) -> None:
        """A counted loop."""
        line = self.line(node)
        name, first = self.start(node.init, line)
        step = self.step(node.next, name, line)
        bounds = self.bounds(node.cond, name, step > 0, line)
        low, high = ((first,), bounds) if step > 0 else (bounds, (first,))
        with self.builder.loop(name, low, high, abs(step), line, step < 0):
            self.visit(node.stmt)

    def start(self, node: Any, line: int) -> tuple[str, Affine]:
        """Counter and first value."""
        if isinstance(node, self.ast.DeclList) and len(node.decls) == 1 and node.decls[0].init is not None:
            return node.decls[0].name, self.affine(node.decls[0].init)
        if isinstance(node, self.ast.Assignment) and node.op == "=" and isinstance(node.lvalue, self.ast.ID):
            return node.lvalue.name, self.affine(node.rvalue)
        raise refuse(line, "the loop does not start with one counter, as in for (i = 0; ...")

    def step(self, node: Any, name: str, line: int) -> int:
        """Distance between iterations."""
        kind = type(node).__name__
        if kind == "UnaryOp" and getattr(node.expr, "name", "") == name and node.op.strip("p") in ("++", "--"):
            return 1 if "+" in node.op else -1
        if kind == "Assignment" and getattr(node.lvalue, "name", "") == name:
            if node.op in ("+=", "-="):
                change = self.affine(node.rvalue)
            elif node.op == "=":
                own = self.builder.scope.get(name)
                self.builder.scope[name] = Affine.of({"@": 1})
                change = self.affine(node.rvalue) - Affine.of({"@": 1})
                self.builder.scope.pop(name) if own is None else self.builder.scope.update({name: own})
            else:
                change = Affine()
            if not change.variables and change.constant:
                return -change.constant if node.op == "-=" else change.constant
        raise refuse(line, f"the counter '{name}' does not move by a constant step")

    def bounds(self, node: Any, name: str, ascends: bool, line: int) -> tuple[Affine, ...]:
        """Last values of the counter, inclusive."""
        if isinstance(node, self.ast.BinaryOp) and node.op == "&&":
            return (*self.bounds(node.left, name, ascends, line), *self.bounds(node.right, name, ascends, line))
        if isinstance(node, self.ast.BinaryOp):
            op, left, right = node.op, node.left, node.right
            if getattr(right, "name", "") == name:
                op, left, right = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op), right, left
            if getattr(left, "name", "") == name and op in (("<", "<=", "!=") if ascends else (">", ">=", "!=")):
                bound = self.affine(right)
                strict = op in ("<", ">", "!=")
                return (bound + Affine((), (-1 if ascends else 1) * strict),)
        raise refuse(line, f"the loop over '{name}' does not end at an affine bound")

    def target(self, node: Any) -> tuple[Access, Value]:
        """What an assignment writes; indices from data make it scattered, and are read."""
        array, indices = self.element(node)
        line = self.line(node)
        try:
            return Access(array, tuple(self.affine(i) for i in indices), line), Value()
        except SourceError:
            read = Value().add(*(self.value(i) for i in indices))
            if not read.reads:
                raise
            return Access(array, (), line, True), read

    def element(self, node: Any) -> tuple[str, list[Any]]:
        """Array name and index expressions of ``a[i][j]``, ``*(a + i)`` or a scalar."""
        indices: list[Any] = []
        while isinstance(node, self.ast.ArrayRef):
            indices.insert(0, node.subscript)
            node = node.name
        if isinstance(node, self.ast.ID):
            return str(node.name), indices
        if isinstance(node, self.ast.UnaryOp) and node.op == "*" and not indices:
            inner = node.expr
            if isinstance(inner, self.ast.ID):
                return str(inner.name), []
            if isinstance(inner, self.ast.BinaryOp) and inner.op == "+" and isinstance(inner.left, self.ast.ID):
                return str(inner.left.name), [inner.right]
        raise refuse(self.line(node), f"{describe(node)} is no array element with affine indices")

    def affine(self, node: Any) -> Affine:
        """An index or bound."""
        kind, line = type(node).__name__, self.line(node)
        if kind == "Constant" and "int" in node.type:
            return Affine((), int(str(node.value).rstrip("uUlL"), 0) if str(node.value)[:2] != "00" else 0)
        if kind == "ID":
            return self.builder.named(str(node.name), line)
        if kind == "Cast":
            return self.affine(node.expr)
        if kind == "UnaryOp" and node.op in ("-", "+"):
            return self.affine(node.expr).times(-1 if node.op == "-" else 1)
        if kind == "BinaryOp" and node.op in ("+", "-", "*", "/"):
            left, right = self.affine(node.left), self.affine(node.right)
            return combined(left, right, str(node.op), line)
        raise refuse(line, f"{describe(node)} in an index or bound is not affine")

    def value(self, node: Any) -> Value:
        """Operations and reads of an expression."""
        kind = type(node).__name__
        if kind == "Constant":
            return Value()
        if kind == "ID":
            name = str(node.name)
            if name in self.builder.scope and name not in self.builder.assigned:
                return Value()
            return Value(0, [Access(name, (), self.line(node))])
        if kind == "ArrayRef" or (kind == "UnaryOp" and node.op == "*"):
            array, indices = self.element(node)
            return Value(0, [Access(array, tuple(self.affine(i) for i in indices), self.line(node))])
        if kind == "BinaryOp" and node.op in ARITHMETIC:
            return self.value(node.left).add(self.value(node.right), operations=1)
        if kind == "UnaryOp" and node.op in ("-", "+", "!", "~"):
            return self.value(node.expr)
        if kind == "Cast":
            return self.value(node.expr)
        if kind == "TernaryOp":
            return self.value(node.cond).add(self.value(node.iftrue), self.value(node.iffalse))
        if kind == "FuncCall" and getattr(node.name, "name", "") in FUNCTIONS:
            arguments = node.args.exprs if node.args else ()
            return Value().add(*(self.value(a) for a in arguments), operations=1)
        raise refuse(self.line(node), f"{describe(node)} cannot be counted")


def combined(left: Affine, right: Affine, op: str, line: int) -> Affine:
    """Sum, difference, product or quotient of two affine expressions, where it is affine."""
    if op in ("+", "-"):
        return left + right if op == "+" else left - right
    if op == "*" and not (left.variables and right.variables):
        return left.times(right.constant) if not right.variables else right.times(left.constant)
    if op == "/" and not left.variables and not right.variables and right.constant:
        return Affine((), left.constant // right.constant)
    what = "a product of loop variables" if op == "*" else "a quotient of loop variables"
    raise refuse(line, f"{what} is not affine")


def describe(node: Any) -> str:
    """A node in words."""
    name = getattr(getattr(node, "name", None), "name", "")
    words = {
        "While": "a while loop", "DoWhile": "a do loop", "Goto": "goto", "Break": "break", "Continue": "continue",
        "Switch": "switch", "FuncCall": f"the call of '{one_line(str(name), 40)}'", "StructRef": "a structure member",
        "ArrayRef": "an index from data", "Label": "a label",
    }  # fmt: skip
    return words.get(type(node).__name__, f"'{type(node).__name__}'")
