"""C: loops and assignments of one function, by pycparser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roofcast.core.errors import MissingExtraError, one_line
from roofcast.hulls.source.builder import Builder, Value, lowest_common_multiple
from roofcast.hulls.source.c_conditions import Conditions, names, skips
from roofcast.hulls.source.c_structures import structure_name, structure_of
from roofcast.hulls.source.c_text import parsed, prepared
from roofcast.hulls.source.c_values import alike, describe, has_loop, inlined_functions
from roofcast.hulls.source.nest import Access, Affine, Routine, SourceError, refuse

DEEPEST = 200
DEEPEST_MEMBER = 3
"""Structures inside structures that are followed: lists point at themselves."""
ELEMENT_TYPES = {
    "float": "fp32", "double": "fp64", "half": "fp16", "__half": "fp16", "_Float16": "fp16", "char": "int8",
    "int8_t": "int8", "uint8_t": "int8", "uchar": "int8", "bool": "int8", "_Bool": "int8", "short": "int16",
    "int16_t": "int16", "uint16_t": "int16", "ushort": "int16", "int": "int32", "int32_t": "int32",
    "uint32_t": "int32", "uint": "int32", "unsigned": "int32", "long": "int64", "int64_t": "int64",
    "uint64_t": "int64", "size_t": "int64", "ssize_t": "int64", "ptrdiff_t": "int64",
}  # fmt: skip


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
    plain, defined = prepared(text, sizes)
    tree = parsed(plain, function)
    functions = [n for n in tree.ext if isinstance(n, c_ast.FuncDef)]
    chosen = pick(functions, function)
    builder = Builder(chosen.decl.name, {**defined, **sizes}, frozenset(assigned_names(chosen.body)))
    reader = Reader(builder, c_ast, inlined_functions(functions, chosen))
    for item in tree.ext:
        reader.structures |= structure_of(item)
        if isinstance(item, c_ast.Typedef):
            reader.define_type(item)
        elif isinstance(item, c_ast.Decl):
            reader.enumerate(item.type)
            reader.constant(item)
            reader.declare(item)
    for parameter in getattr(chosen.decl.type.args, "params", None) or ():
        if isinstance(parameter, c_ast.Decl):
            reader.declare(parameter)
    for parameter in chosen.param_decls or ():
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


def assigned_names(node: Any) -> set[str]:
    """Scalars that a body assigns, other than loop counters."""
    kind = type(node).__name__
    if kind == "For":
        return assigned_names(node.stmt)
    found: set[str] = set()
    if kind == "Assignment" and type(node.lvalue).__name__ == "ID":
        found.add(node.lvalue.name)
    if kind == "UnaryOp" and node.op in ("++", "p++", "--", "p--") and type(node.expr).__name__ == "ID":
        found.add(node.expr.name)
    if kind == "Decl" and node.init is not None and type(node.type).__name__ == "TypeDecl":
        found.add(node.name)
    for _, child in node.children():
        found |= assigned_names(child)
    return found


class Reader(Conditions):
    """Walks one function body."""

    def constant(self, item: Any) -> None:
        """Add a constant integer of the file to the sizes."""
        if item.init is not None and type(item.type).__name__ == "TypeDecl" and item.name not in self.builder.sizes:
            try:
                value = self.affine(item.init)
            except SourceError:
                return
            if not value.variables:
                self.builder.sizes[item.name] = value.constant

    def enumerate(self, kind: Any) -> None:
        """Add the names of an enumeration to the sizes."""
        following = 0
        for item in getattr(getattr(kind, "values", None), "enumerators", None) or ():
            if item.value is not None:
                try:
                    following = self.affine(item.value).constant
                except SourceError:
                    return
            self.builder.sizes.setdefault(item.name, following)
            following += 1

    def define_type(self, item: Any) -> None:
        """Remember what a typedef stands for."""
        words = getattr(getattr(item.type, "type", None), "names", None)
        if words and item.name not in ELEMENT_TYPES:
            self.types[item.name] = self.element_type(words)

    def element_type(self, words: list[str]) -> str:
        """Element type of a declaration's words; '' where it is none that settings know."""
        if "long" in words and "double" in words:
            return "fp64"
        for word in words:
            if self.types.get(word):
                return self.types[word]
        ranked = [w for w in ("double", "float", "char", "short", "long") if w in words]
        return next((ELEMENT_TYPES[w] for w in (*ranked, *words) if w in ELEMENT_TYPES), "")

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
        """A block; what comes after ``if (c) continue;`` runs where c does not hold."""
        opened = 0
        for item in node.block_items or ():
            if type(item).__name__ == "If" and item.iffalse is None and skips(item.iftrue) and self.builder.loops:
                self.builder.conditions.append(self.condition(item.cond)[1])
                opened += 1
                continue
            self.visit(item)
        for _ in range(opened):
            self.builder.conditions.pop()

    def visit_emptystatement(self, node: Any) -> None:
        """Nothing."""

    def visit_pragma(self, node: Any) -> None:
        """Directives do not change what is computed."""

    def visit_typedef(self, node: Any) -> None:
        """A name for a type."""
        self.define_type(node)

    def visit_exprlist(self, node: Any) -> None:
        """Several expressions with commas between."""
        for item in node.exprs:
            self.visit(item)

    def visit_cast(self, node: Any) -> None:
        """``(void)x``: says that a parameter is not used."""
        if type(node.expr).__name__ not in ("ID", "Constant"):
            raise refuse(self.line(node), "the statement computes nothing that is kept")

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

    def declare(self, node: Any, outer: str = "", around: tuple[int, ...] = ()) -> None:
        """Remember type and sizes of an array, and those of the members of structures."""
        sizes, kind = list(around), node.type
        while type(kind).__name__ in ("ArrayDecl", "PtrDecl"):
            sizes.append(self.size(kind.dim) if type(kind).__name__ == "ArrayDecl" else -1)
            kind = kind.type
        words = getattr(getattr(kind, "type", None), "names", None)
        element = self.element_type(words) if words else ""
        name = f"{outer}{node.name}"
        if element:
            self.builder.routine.types[name] = element
        if sizes:
            self.builder.routine.shapes[name] = tuple(sizes)
        if outer.count(".") < DEEPEST_MEMBER:
            for member in self.structures.get(structure_name(getattr(kind, "type", None)), ()):
                self.structured.add(name)
                self.declare(member, f"{name}.", tuple(sizes))

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
        if type(node.rvalue).__name__ == "Assignment":
            self.visit_assignment(node.rvalue)
            node = self.ast.Assignment(node.op, node.lvalue, node.rvalue.lvalue, node.coord)
        target, index_value = self.target(node.lvalue)
        name = node.lvalue.name if isinstance(node.lvalue, self.ast.ID) else ""
        op, rvalue = node.op, node.rvalue
        if op == "=" and target.scattered and isinstance(rvalue, self.ast.BinaryOp) and alike(rvalue.left, node.lvalue):
            op, rvalue = f"{rvalue.op}=", rvalue.right
        if op == "=":
            self.store(target, rvalue, name, line, index_value)
            return
        value = self.value(rvalue)
        reduces = op[:-1] in ("+", "-", "*", "&", "|", "^") and not reads(value, target)
        if not target.indices:
            self.builder.scope.pop(name, None)
        self.builder.assign(
            target, value.add(index_value, Value(0, [target])), line, updates=True, reduces=reduces
        )  # fmt: skip

    def store(self, target: Access, node: Any, name: str, line: int, index_value: Value | None = None) -> None:
        """A plain assignment; integers that are affine in the loop variables are replaced where they are used."""
        if name:
            try:
                self.builder.scope[name] = self.affine(node)
            except SourceError:
                self.builder.scope.pop(name, None)
            else:
                # A data value too where it starts an accumulation: both uses stay possible.
                self.builder.assign(target, Value(), line, updates=False)
                return
        reduces = self.accumulates(node, target)
        self.builder.assign(target, self.value(node).add(index_value or Value()), line, updates=False, reduces=reduces)

    def accumulates(self, node: Any, target: Access) -> bool:
        """Whether ``x = e`` adds to x, multiplies it, or takes the smaller or larger of it and something else."""
        kind = type(node).__name__
        if kind == "Cast":
            return self.accumulates(node.expr, target)
        if kind == "BinaryOp" and node.op in ("+", "-", "*", "&", "|", "^"):
            family = ("+", "-") if node.op in ("+", "-") else (node.op,)
            terms = self.terms(node, family, True)
            own = [plus for term, plus in terms if self.is_element(term, target)]
            rest = [term for term, _ in terms if not self.is_element(term, target)]
            return own == [True] and not any(reads(self.value(t), target) for t in rest)
        if kind == "FuncCall" and str(getattr(node.name, "name", "")).strip("fl") in ("min", "max"):
            values = node.args.exprs if node.args else []
            return [self.is_element(v, target) for v in values].count(True) == 1
        if kind == "TernaryOp" and type(node.cond).__name__ == "BinaryOp":
            branches = [self.is_element(b, target) for b in (node.iftrue, node.iffalse)]
            compared = any(self.is_element(s, target) for s in (node.cond.left, node.cond.right))
            return branches.count(True) == 1 and compared and node.cond.op in ("<", ">", "<=", ">=")
        return any(reads(c.value, target) for c in self.builder.conditions) and not reads(self.value(node), target)

    def terms(self, node: Any, family: tuple[str, ...], plus: bool) -> list[tuple[Any, bool]]:
        """Terms of a chain of one kind of operation, with their signs."""
        if type(node).__name__ != "BinaryOp" or node.op not in family:
            return [(node, plus)]
        right = plus if node.op != "-" else not plus
        return self.terms(node.left, family, plus) + self.terms(node.right, family, right)

    def is_element(self, node: Any, target: Access) -> bool:
        """Whether an expression is one element and nothing else."""
        if type(node).__name__ not in ("ID", "ArrayRef", "StructRef", "UnaryOp"):
            return False
        try:
            found = self.value(node)
        except SourceError:
            return False
        return found.operations == 0 and len(found.reads) == 1 and reads(found, target)

    def visit_unaryop(self, node: Any) -> None:
        """``x++`` as a statement."""
        if node.op not in ("++", "p++", "--", "p--"):
            raise refuse(self.line(node), f"the statement computes nothing that is kept ({node.op})")
        target, value = self.target(node.expr)
        if not target.indices:
            self.builder.scope.pop(target.array, None)
        value.add(Value(0, [target]))
        self.builder.assign(target, value, self.line(node), updates=True, reduces=True)

    def visit_if(self, node: Any) -> None:
        """Conditions on counters choose iterations; where data decides, both branches count."""
        conditions = self.builder.conditions
        yes, no = self.condition(node.cond)
        for branch, condition in ((node.iftrue, yes), (node.iffalse, no)):
            if branch is not None:
                conditions.append(condition)
                self.visit(branch)
                conditions.pop()

    def visit_for(self, node: Any) -> None:
        """A counted loop."""
        line = self.line(node)
        node = self.counted_down(node)
        name, first = self.start(node.init, line)
        step = self.step(node.next, name, line)
        bounds = self.bounds(node.cond, name, step > 0, line)
        low, high = (first, bounds) if step > 0 else (bounds, first)
        width = lowest_common_multiple(self.divisors(node.stmt, name))
        plain = step == 1 and first == (Affine(),) and len(high) == 1 and not high[0].variables
        if width and plain and high[0].constant >= width:
            with self.builder.strips(name, high[0], width, line):
                self.visit(node.stmt)
            return
        with self.builder.loop(name, low, high, abs(step), line, step < 0):
            self.visit(node.stmt)

    def divisors(self, node: Any, name: str) -> list[int]:
        """Numbers that a counter is divided by in indices."""
        if node is None:
            return []
        kind = type(node).__name__
        found = [] if kind != "If" else self.divisors(node.iftrue, name) + self.divisors(node.iffalse, name)
        if kind == "If":
            return found
        if kind == "BinaryOp" and node.op in ("/", "%", ">>") and names(node.left) == {name}:
            try:
                by = self.affine(node.right)
            except SourceError:
                by = Affine()
            if not by.variables and 0 < by.constant < 1 << 20:
                found.append(by.constant if node.op != ">>" else 1 << min(by.constant, 20))
        for _, child in node.children():
            found += self.divisors(child, name)
        return [f for f in found if f > 1]

    def start(self, node: Any, line: int) -> tuple[str, tuple[Affine, ...]]:
        """Counter and first value (the largest of several)."""
        if isinstance(node, self.ast.DeclList) and len(node.decls) == 1 and node.decls[0].init is not None:
            return node.decls[0].name, self.extremes(node.decls[0].init, "max")
        if isinstance(node, self.ast.Assignment) and node.op == "=" and isinstance(node.lvalue, self.ast.ID):
            return node.lvalue.name, self.extremes(node.rvalue, "max")
        raise refuse(line, "the loop does not start with one counter, as in for (i = 0; ...")

    def step(self, node: Any, name: str, line: int) -> int:
        """Distance between iterations."""
        kind = type(node).__name__
        if kind == "UnaryOp" and getattr(node.expr, "name", "") == name and node.op.strip("p") in ("++", "--"):
            return 1 if "+" in node.op else -1
        if kind == "Assignment" and getattr(node.lvalue, "name", "") == name:
            change = Affine()
            if node.op in ("+=", "-="):
                change = self.affine(node.rvalue)
            elif node.op == "=":
                own = self.builder.scope.get(name)
                self.builder.scope[name] = Affine.of({"@": 1})
                try:
                    change = self.affine(node.rvalue) - Affine.of({"@": 1})
                finally:
                    self.builder.restored(name, own)
            if not change.variables and change.constant:
                return -change.constant if node.op == "-=" else change.constant
        raise refuse(line, f"the counter '{name}' does not move by a constant step")

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


def reads(value: Value, target: Access) -> bool:
    """Whether an expression reads the element that is written."""
    return any(r.array == target.array and r.indices == target.indices for r in value.reads)
