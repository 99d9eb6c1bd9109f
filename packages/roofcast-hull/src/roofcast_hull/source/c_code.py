"""C: loops and assignments of one function, by pycparser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from roofcast_hull.source.builder import (
    REAL_NUMBERS,
    SHARED_WORK,
    Builder,
    Value,
)  # fmt: skip
from roofcast_hull.source.c_calls import Inliner
from roofcast_hull.source.c_conditions import Conditions
from roofcast_hull.source.c_declarations import Declarations
from roofcast_hull.source.c_idioms import list_declared
from roofcast_hull.source.c_indices import Indices
from roofcast_hull.source.c_places import Places
from roofcast_hull.source.c_pointers import Pointers
from roofcast_hull.source.c_ranges import Ranges
from roofcast_hull.source.c_statements import ALLOCATORS, SILENT, TIMERS, count_while, find_steps, read_step
from roofcast_hull.source.c_tree import (
    are_alike,
    called,
    describe,
    find_calls,
    find_names,
    find_terms,
    is_constant,
    is_no_work,
    join_elements,
    part_branches,
    read_absolute,
    read_integer,
    skips_iteration,
    spell_tree,
)  # fmt: skip
from roofcast_hull.source.c_words import ACCUMULATING, ARITHMETIC, ATOMICS, DEEPEST, STEPS
from roofcast_hull.source.gathers import Gathers
from roofcast_hull.source.handed_values import HandedValues
from roofcast_hull.source.nest import Access, Affine, Loop, SourceError, refuse
from roofcast_hull.source.sparse_rows import SparseRows


@dataclass(frozen=True, slots=True)
class Combination:
    """An expression that may accumulate."""

    kind: Literal["terms", "least", "choice"]
    """Terms of a chain of one operation; values of which the smallest or largest is taken; branches."""
    parts: Sequence[Any]
    added: Sequence[bool] = ()
    """Per term: whether it is added, not subtracted."""
    compared: Sequence[Any] = ()
    """What decides between the branches."""


class CReader:
    """Walks one function body."""

    ends_thread = False
    """Whether ``return`` ends one turn of the loops around, as in a kernel."""

    def __init__(self, builder: Builder, c_ast: Any, functions: Mapping[str, Any]) -> None:
        self.builder = builder
        self.ast = c_ast
        self.functions = functions
        """Functions of the file that a call can be replaced by."""
        self.declarations = Declarations(builder, self.affine)
        self.pointers = Pointers(builder, self.affine, c_ast)
        self.conditions, self.ranges, self.places = Conditions(self), Ranges(self), Places(self)
        self.indices, self.inliner, self.gathers = Indices(self), Inliner(self), Gathers(self)
        self.sparse, self.handed = SparseRows(self), HandedValues(self)
        self.silent: set[str] = set()
        """Scalars that only hold times and the like."""
        self.moving: set[str] = set()
        """Names that the loops around move by as much in each turn."""
        self.around = 0
        """Conditions around the innermost loop: its turns are all under them or none is."""
        self.first_loop = 0
        """Loops that are no statements: those over the threads of a kernel."""
        self.queues: dict[str, tuple[str, int, Loop]] = {}
        """Scalars that turns of a loop hand on: which scalar took the element, how far before, and the loop."""
        self.folded: dict[str, dict[str, tuple[Affine, ...]]] = {}
        """Names of the smallest ("min") or largest ("max") of several expressions of counters."""
        self.written_members: set[str] = set()
        """Members of structures that the routine assigns."""
        self.depth = 0
        self.calls = 0
        self.inlined = 0

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
        """A block; what comes after ``if (c) continue;`` runs where c does not hold."""
        opened = 0
        items = list(node.block_items or ())
        for at, item in enumerate(items):
            if self.builder.loops and (parted := part_branches(item, items[at + 1 :], self.ends_thread, self.ast)):
                self.visit(parted)
                break
            if (
                type(item).__name__ == "If"
                and item.iffalse is None
                and skips_iteration(item.iftrue, self.ends_thread)
                and self.builder.loops
            ):
                self.builder.conditions.append(self.conditions.condition(item.cond)[1])
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
        self.declarations.define_type(node)

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
        self.declarations.declare(node)
        if node.init is None or self.is_silent(str(node.name), node.init):
            return
        if type(node.type).__name__ == "PtrDecl":
            self.point_name(str(node.name), node.init)
        elif type(node.type).__name__ == "TypeDecl":
            self.pointers.places.pop(str(node.name), None)
            if self.is_guarded(node.init):
                self.choose(self.ast.ID(node.name, node.coord), node.init)
                return
            self.store(Access(node.name, (), self.line(node)), node.init, node.name, self.line(node))

    def is_guarded(self, node: Any) -> bool:
        """Whether an expression is ``i < n ? e : 0``: nothing is read outside of the counters' bounds."""
        if type(node).__name__ != "TernaryOp" or type(node.iffalse).__name__ != "Constant":
            return False
        return (
            self.conditions.comparisons(node.cond) is not None
            and not find_calls(node.cond)
            and self.is_data(node.iftrue)
        )

    def is_data(self, node: Any) -> bool:
        """Whether an expression names an element of an array."""
        return type(node).__name__ in ("ArrayRef", "UnaryOp") or any(self.is_data(c) for _, c in node.children())

    def choose(self, target: Any, node: Any) -> None:
        """``x = i < n ? e : 0`` as a first value, and another one where the condition holds."""
        self.visit_assignment(self.ast.Assignment("=", target, node.iffalse, node.coord))
        taken = self.ast.Assignment("=", target, node.iftrue, node.coord)
        self.visit_if(self.ast.If(node.cond, taken, None, node.coord))

    def is_silent(self, name: str, node: Any) -> bool:
        """Whether a scalar takes a time or the like, which is no data of the algorithm."""
        names = find_names(node)
        if names & self.silent or (find_calls(node) & TIMERS):
            self.silent.add(name)
            return True
        return False

    def point_name(self, name: str, node: Any) -> None:
        """``T *p = e``: memory of its own, or an element of an array."""
        while type(node).__name__ == "Cast":
            node = node.expr
        self.pointers.places.pop(name, None)
        if called(node) in ALLOCATORS or type(node).__name__ == "Constant":
            return
        array, indices = self.places.point(node)
        self.pointers.point(name, array, indices)

    def visit_id(self, node: Any) -> None:
        """``x;`` does nothing."""

    def visit_funccall(self, node: Any) -> None:
        """A call as a statement: output and timers are none of the algorithm's work; atomics update an element."""
        name, line = called(node), self.line(node)
        if name in SILENT or name in TIMERS:
            return
        arguments = node.args.exprs if node.args else []
        if name.startswith("atomic") and len(arguments) == 2:
            op = ATOMICS.get(name)
            element = self.ast.UnaryOp("*", arguments[0], node.coord)
            if op:
                self.visit_assignment(self.ast.Assignment(op, element, arguments[1], node.coord))
                return
            if name in ("atomicMax", "atomicMin"):
                least = self.ast.FuncCall(
                    self.ast.ID(name[6:].lower(), node.coord), self.ast.ExprList([element, arguments[1]]), node.coord
                )
                self.visit_assignment(self.ast.Assignment("=", element, least, node.coord))
                return
        raise refuse(line, f"{describe(node)} is not followed: classify the function that it names")

    def visit_while(self, node: Any) -> None:
        """A ``while`` that counts."""
        counted = count_while(node, self.ast)
        if counted is None:
            raise refuse(self.line(node), "a while loop whose end comes from data has no place in an affine loop nest")
        self.visit_for(counted)

    def visit_switch(self, node: Any) -> None:
        """One case or the other: each has classes of its own."""
        line = self.line(node)
        note = f"line {line}: of the cases one runs; the classes of all are listed"
        self.builder.routine.notes = tuple(dict.fromkeys((*self.builder.routine.notes, note)))
        for case in node.stmt.block_items or ():
            for item in getattr(case, "stmts", None) or ():
                self.visit(item)

    def visit_break(self, node: Any) -> None:
        """The end of a loop that data chooses."""
        raise refuse(self.line(node), "break: how often the loop runs depends on data")

    def visit_assignment(self, node: Any) -> None:
        """``x = e``, ``x += e``."""
        line = self.line(node)
        if type(node.rvalue).__name__ == "Assignment":
            self.visit_assignment(node.rvalue)
            node = self.ast.Assignment(node.op, node.lvalue, node.rvalue.lvalue, node.coord)
        scalar_name = node.lvalue.name if isinstance(node.lvalue, self.ast.ID) else ""
        if scalar_name and (self.takes_step(node) or self.is_silent(scalar_name, node.rvalue)):
            return
        if scalar_name and node.op == "=" and self.pointers.is_pointer(scalar_name):
            self.point_name(scalar_name, node.rvalue)
            return
        target, index_value = self.target(node.lvalue)
        name = node.lvalue.name if isinstance(node.lvalue, self.ast.ID) else ""
        op, rvalue = node.op, node.rvalue
        if (
            op == "="
            and target.scattered
            and isinstance(rvalue, self.ast.BinaryOp)
            and are_alike(rvalue.left, node.lvalue)
        ):
            op, rvalue = f"{rvalue.op}=", rvalue.right
        if op == "=":
            if name and self.is_guarded(rvalue):
                self.choose(node.lvalue, rvalue)
                return
            self.store(target, rvalue, name, line, index_value)
            return
        value = self.value(rvalue)
        reduces = op[:-1] in ACCUMULATING and not value.takes(target)
        if not target.indices:
            self.builder.scope.pop(name, None)
        value.add(index_value, Value(0, [target]))
        self.builder.assign(target, value, line, updates=True, reduces=reduces)

    def store(self, target: Access, node: Any, name: str, line: int, index_value: Value | None = None) -> None:
        """A plain assignment; integers that are affine in the loop variables are replaced where they are used."""
        if name and self.bind(target, node, line):
            return
        reduces = self.accumulates(node, target)
        self.builder.assign(target, self.value(node).add(index_value or Value()), line, updates=False, reduces=reduces)

    def is_reference(self, node: Any) -> bool:
        """Whether an expression may name a scalar or an element, and compute nothing."""
        return type(node).__name__ in ("ID", "ArrayRef", "StructRef", "UnaryOp")

    def combination(self, node: Any) -> Combination | None:
        """An expression whose parts may be what it is assigned to."""
        kind = type(node).__name__
        if kind == "Cast":
            return self.combination(node.expr)
        if kind == "BinaryOp" and node.op in ACCUMULATING:
            family = ("+", "-") if node.op in ("+", "-") else (node.op,)
            terms = find_terms(node, family, True)
            return Combination("terms", [term for term, _ in terms], [plus for _, plus in terms])
        if called(node).strip("fl") in ("min", "max"):
            return Combination("least", node.args.exprs if node.args else ())
        if kind == "TernaryOp" and type(node.cond).__name__ == "BinaryOp":
            decides = node.cond.op in ("<", ">", "<=", ">=")
            branches = (node.iftrue, node.iffalse) if decides else ()
            return Combination("choice", branches, compared=(node.cond.left, node.cond.right))
        return None

    def visit_unaryop(self, node: Any) -> None:
        """``x++`` as a statement."""
        if self.takes_step(node):
            return
        if node.op not in STEPS:
            raise refuse(self.line(node), f"the statement computes nothing that is kept ({node.op})")
        target, value = self.target(node.expr)
        if not target.indices:
            self.builder.scope.pop(target.array, None)
        value.add(Value(0, [target]))
        self.builder.assign(target, value, self.line(node), updates=True, reduces=True)

    def takes_step(self, node: Any) -> bool:
        """Move a pointer, or an integer that the loop around moves by as much in each turn; whether it was one."""
        step = read_step(node, self.ast)
        if step is None:
            return False
        name, line = step[0], self.line(node)
        free = self.pointers.is_pointer(name) and len(self.builder.loops) == self.first_loop
        if name not in self.moving and self.builder.loops and not free:
            if self.pointers.is_pointer(name):
                raise refuse(line, f"how far '{name}' moves depends on data, or on more than one statement of the loop")
            return False
        if len(self.builder.conditions) > self.around:
            raise refuse(line, f"'{name}' moves only where a condition holds")
        if name not in self.builder.scope and not self.pointers.is_pointer(name):
            return False
        return self.pointers.move(name, self.affine(step[1]))

    def visit_if(self, node: Any) -> None:
        """Conditions on counters choose iterations; where data decides, both branches count."""
        for branch, condition in zip((node.iftrue, node.iffalse), self.conditions.condition(node.cond), strict=True):
            if branch is not None:
                before = dict(self.builder.scope)
                with self.builder.under(condition):
                    self.visit(branch)
                if condition.of_data:
                    # Whether it has this value afterwards, data decide.
                    for name in [n for n, v in self.builder.scope.items() if before.get(n) != v]:
                        self.builder.scope.pop(name)

    def visit_for(self, node: Any) -> None:
        """A counted loop."""
        line = self.line(node)
        node = self.ranges.counted_down(node)
        if (rows := self.sparse.find_sparse_row(node)) is not None:
            self.sparse.visit_sparse_row(node, *rows)
            return
        name, first = self.ranges.start(node.init, line)
        step = self.ranges.step(node.next, name, line)
        bounds = self.ranges.bounds(node.cond, name, step > 0, line)
        low, high = (first, bounds) if step > 0 else (bounds, first)
        divisors = self.ranges.find_divisors(node.stmt, name)
        moves = {n: by for n, by in self.pointers.find_moves(node.stmt).items() if n != name}
        queues, declared = self.handed.find_queues(node.stmt), {str(d.name) for d in list_declared(node.stmt)}
        with self.builder.counted_loop(name, low, high, step, line, [] if moves else divisors):
            loop = self.builder.loops[-1]
            before, outer = self.pointers.enter(moves, loop), (self.moving, self.around)
            # What the body changes otherwise has another value in every turn than before the loop.
            for changed in set(find_steps(node.stmt, self.ast)) - set(before) - {name}:
                self.builder.scope.pop(changed, None)
                if changed in self.pointers.places and changed not in declared:
                    raise refuse(line, f"how far '{changed}' moves in a turn of this loop is not followed")
            self.moving, self.around = self.moving | set(before), len(self.builder.conditions)
            if queues:
                self.handed.visit_queue(node.stmt, queues, loop)
            else:
                self.visit(node.stmt)
            self.moving, self.around = outer
        self.pointers.leave(before, loop)

    def affine(self, node: Any) -> Affine:
        """An index or bound."""
        kind, line = type(node).__name__, self.line(node)
        if kind == "Known":
            known: Affine = node.value
            return known
        if kind == "Constant" and "int" in node.type:
            return Affine((), read_integer(str(node.value), line))
        if kind == "ID":
            return self.builder.size(str(node.name), line)
        if kind == "Cast":
            return self.affine(node.expr)
        if kind == "UnaryOp" and node.op in ("-", "+"):
            return self.affine(node.expr).times(-1 if node.op == "-" else 1)
        if kind == "BinaryOp" and node.op in ("+", "-", "*", "/", "%", "<<", ">>"):
            left, right = self.affine(node.left), self.affine(node.right)
            return self.builder.combine(left, right, str(node.op), line)
        if (inside := read_absolute(node)) is not None:
            return self.indices.absolute(inside, line)
        if kind == "TernaryOp":
            return self.indices.clamp(
                [self.indices.find_usual(node)] if self.indices.find_usual(node) else [node.iftrue, node.iffalse], node
            )
        if called(node).strip("fl").lower() in ("min", "max") and node.args:
            return self.indices.clamp(node.args.exprs, node)
        return self.indices.replaced(node)

    def value(self, node: Any) -> Value:
        """Operations and reads of an expression."""
        kind = type(node).__name__
        if kind in ("Constant", "Known"):
            return Value()
        if kind == "ID":
            return self.read_name(str(node.name), self.line(node))
        if kind in ("ArrayRef", "StructRef") or (kind == "UnaryOp" and node.op == "*"):
            return self.read_element(node)
        if kind == "BinaryOp" and node.op in ARITHMETIC:
            free = is_no_work(node) or node.op in ("&&", "||") or self.counts(node) or self.is_known(node)
            operations = 0 if free else 1
            return self.value(node.left).add(self.value(node.right), operations=operations)
        if kind == "UnaryOp" and node.op in ("-", "+", "!", "~"):
            # Of the signs only that of all bits is an instruction of its own, as other work on bits is.
            turns = node.op == "~" and not is_no_work(node.expr) and not self.is_known(node.expr)
            return self.value(node.expr).add(operations=int(turns))
        if kind == "Cast":
            return self.value(node.expr)
        if kind == "TernaryOp":
            return self.choice(node)
        if kind == "FuncCall":
            return self.inliner.call(node)
        raise refuse(self.line(node), f"{describe(node)} cannot be counted")

    def counts(self, node: Any) -> bool:
        """Whether an expression is made of counters and whole numbers alone, as an index is: no work on data."""
        kind = type(node).__name__
        if kind == "ID":
            meaning = self.builder.scope.get(str(node.name))
            return meaning is not None and bool(meaning.variables) and node.name not in self.builder.assigned
        if kind == "BinaryOp":
            sides = [s for s in (node.left, node.right) if type(s).__name__ != "Constant" or "int" not in s.type]
            return bool(sides) and node.op in "+-*" and all(map(self.counts, sides))
        return False

    def is_known(self, node: Any) -> bool:
        """Whether an expression is made of numbers and sizes alone: it is computed once, not for each element."""
        kind = type(node).__name__
        if kind == "ID":
            name, scope = str(node.name), self.builder.scope
            fixed = name in self.builder.sizes or (name in scope and not scope[name].variables)
            return name in REAL_NUMBERS or (fixed and name not in self.builder.assigned)
        if kind == "Cast" or (kind == "UnaryOp" and node.op in ("-", "+")):
            return self.is_known(node.expr)
        return is_constant(node) or (kind == "BinaryOp" and self.is_known(node.left) and self.is_known(node.right))

    def read_name(self, name: str, line: int) -> Value:
        """A scalar: what it holds is read where it is data of the algorithm."""
        known = name in self.builder.scope or name in self.builder.sizes
        if name in REAL_NUMBERS or (known and name not in self.builder.assigned):
            return Value()
        return Value(0, [self.handed.find_handed(name, line) or Access(name, (), line)])

    def choice(self, node: Any) -> Value:
        """``c ? a : b``: both branches count, but what the condition has computed already counts once."""
        counted = self.conditions.comparisons(node.cond) is not None
        if counted and (element := join_elements(node.cond, node.iftrue, node.iffalse, self.ast)) is not None:
            # An element that a border moves: ``i > 0 ? x[i - 1] : x[0]``.
            with suppress(SourceError):
                return self.read_element(element)
        # Of counters it is a border that no bound of a loop says.
        self.builder.routine.loose |= counted
        total = Value() if counted else self.value(node.cond)
        compared = (node.cond.left, node.cond.right) if type(node.cond).__name__ == "BinaryOp" else ()
        for branch in (node.iftrue, node.iffalse):
            # What is shared counts by its share wherever it stands.
            if called(branch) == SHARED_WORK or not any(are_alike(branch, c) for c in compared):
                total.add(self.value(branch))
        return total

    def target(self, node: Any) -> tuple[Access, Value]:
        """What an assignment writes; indices from data make it scattered, and are read."""
        array, indices = self.places.element(node)
        line = self.line(node)
        try:
            return Access(array, tuple(self.affine(i) for i in indices), line), Value()
        except SourceError:
            read = Value().add(*(self.value(i) for i in indices))
            if not any(self.gathers.follows_data(r) for r in read.reads):
                raise
            read.operations -= sum(map(self.gathers.count_linear, indices))
            return Access(array, (), line, True), read

    def read_element(self, node: Any) -> Value:
        """An element of an array; one that data chooses is gathered, and what chooses it is read."""
        array, indices = self.places.element(node)
        line = self.line(node)
        assumed = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        try:
            return Value(0, [Access(array, tuple(self.affine(i) for i in indices), line)])
        except SourceError:
            self.builder.routine.assumed, self.builder.sizes = assumed
            chosen = Value().add(*(self.value(i) for i in indices))
            read_here = any(r.indices or r.scattered for r in chosen.reads)
            reads = [r for r in chosen.reads if r.indices or r.scattered or r.array not in self.builder.scope]
            is_name = len(indices) == 1 and type(indices[0]).__name__ == "ID"
            loaded = reads and all(self.gathers.is_loaded(r.array, plainly=not is_name) for r in reads)
            if not read_here and not loaded:
                raise
            # Address arithmetic is no operation; what makes a place of data is.
            work = max(0.0, chosen.operations - sum(map(self.gathers.count_linear, indices)))
            words = " ".join(map(spell_tree, indices))
            return Value(work, [*reads, Access(array, (), line, True, self.gathers.find_row(array, indices), words)])

    def bind(self, target: Access, node: Any, line: int) -> bool:
        """Replace a scalar where it is used, if what it gets is affine in the loop variables."""
        try:
            self.folded.pop(target.array, None)
            self.builder.scope[target.array] = self.affine(node)
        except SourceError:
            self.builder.scope.pop(target.array, None)
            if target.array in self.builder.changed or not self.ranges.fold(target.array, node):
                return False
        # A data value too where it starts an accumulation: both uses stay possible.
        self.builder.assign(target, Value(), line, updates=False)
        return True

    def accumulates(self, node: Any, target: Access) -> bool:
        """Whether ``x = e`` adds to x, multiplies it, or takes the smaller or larger of it and something else."""
        combined = self.combination(node)
        if combined is None:
            conditional = any(c.value.takes(target) for c in self.builder.conditions)
            return conditional and not self.value(node).takes(target)
        is_target = [self.is_element(part, target) for part in combined.parts]
        if combined.kind == "terms":
            rest = [part for part, mine in zip(combined.parts, is_target, strict=True) if not mine]
            added = [plus for plus, mine in zip(combined.added, is_target, strict=True) if mine]
            return added == [True] and not any(self.value(t).takes(target) for t in rest)
        decided = combined.kind == "least" or any(self.is_element(c, target) for c in combined.compared)
        return is_target.count(True) == 1 and decided

    def is_element(self, node: Any, target: Access) -> bool:
        """Whether an expression is one element and nothing else."""
        if not self.is_reference(node):
            return False
        try:
            value = self.value(node)
        except SourceError:
            return False
        return value.operations == 0 and len(value.reads) == 1 and value.takes(target)
