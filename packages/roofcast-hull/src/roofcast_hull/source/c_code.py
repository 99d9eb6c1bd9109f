"""C: loops and assignments of one function, by pycparser."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from roofcast.core.errors import one_line
from roofcast_hull.source.builder import (
    CONVERSION,
    FUNCTIONS,
    PACKED,
    REAL_NUMBERS,
    SHARED_WORK,
    Builder,
    Comparisons,
    Condition,
    Value,
    branch_on_counters,
    branch_on_data,
    compare,
    compare_remainder,
)  # fmt: skip
from roofcast_hull.source.c_declarations import Declarations
from roofcast_hull.source.c_idioms import list_declared
from roofcast_hull.source.c_pointers import Known, Pointers
from roofcast_hull.source.c_statements import ALLOCATORS, SILENT, TIMERS, count_while, find_steps, read_copy, read_step
from roofcast_hull.source.c_tree import (
    DATA,
    are_alike,
    called,
    describe,
    find_calls,
    find_indexed,
    find_names,
    find_terms,
    is_constant,
    is_no_work,
    read_absolute,
    read_integer,
    returned,
    skips_iteration,
    spell_tree,
    substitute,
    uncast,
)  # fmt: skip
from roofcast_hull.source.counter_tests import COMPUTED, CounterTest, find_share
from roofcast_hull.source.exchanges import JOINED
from roofcast_hull.source.nest import Access, Affine, Loop, SourceError, find_extreme, refuse

DEEPEST = 200
"""Levels of nesting, far from Python's own limit of recursion."""
DEEPEST_CALLS = 8
"""Functions that call each other, one inside the other, of which the bodies are read in place."""
ATOMICS = {"atomicAdd": "+=", "atomicSub": "-=", "atomicOr": "|=", "atomicAnd": "&=", "atomicXor": "^="}
MOST_CALLS = 10_000
"""Calls in indices that are replaced by what they return."""
ARITHMETIC = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||"}
ACCUMULATING = ("+", "-", "*", "&", "|", "^")
BORDER, BORDER_SHARE = 4, 0.02
"""Values of a counter, and share of them, that are a border: what an index is there does not make another class."""
STEPS = ("++", "p++", "--", "p--")
OF_THREADS = "thread_"
"""Counters of loops over the threads of a block."""


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
        for item in node.block_items or ():
            if (
                type(item).__name__ == "If"
                and item.iffalse is None
                and skips_iteration(item.iftrue, self.ends_thread)
                and self.builder.loops
            ):
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
        return self.comparisons(node.cond) is not None and not find_calls(node.cond) and self.is_data(node.iftrue)

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
        array, indices = self.point(node)
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
        for branch, condition in zip((node.iftrue, node.iffalse), self.condition(node.cond), strict=True):
            if branch is not None:
                with self.builder.under(condition):
                    self.visit(branch)

    def visit_for(self, node: Any) -> None:
        """A counted loop."""
        line = self.line(node)
        node = self.counted_down(node)
        if (rows := self.find_sparse_row(node)) is not None:
            self.visit_sparse_row(node, *rows)
            return
        name, first = self.start(node.init, line)
        step = self.step(node.next, name, line)
        bounds = self.bounds(node.cond, name, step > 0, line)
        low, high = (first, bounds) if step > 0 else (bounds, first)
        divisors = self.find_divisors(node.stmt, name)
        moves = {n: by for n, by in self.pointers.find_moves(node.stmt).items() if n != name}
        queues, declared = self.find_queues(node.stmt), {str(d.name) for d in list_declared(node.stmt)}
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
                self.visit_queue(node.stmt, queues, loop)
            else:
                self.visit(node.stmt)
            self.moving, self.around = outer
        self.pointers.leave(before, loop)

    def find_bound(self, node: Any) -> Access | None:
        """The element that a bound of a loop is, or that the scalar of its name was given; None for others."""
        node = uncast(node)
        if type(node).__name__ == "ID":
            taken = [s for s in self.builder.routine.statements if s.target.array == node.name and not s.target.indices]
            plain = taken and len(taken[-1].reads) == 1 and not taken[-1].operations
            return taken[-1].reads[0] if plain and str(node.name) in self.builder.assigned else None
        if type(node).__name__ != "ArrayRef":
            return None
        try:
            value = self.value(node)
        except SourceError:
            return None
        return value.reads[0] if len(value.reads) == 1 and not value.reads[0].scattered else None

    def find_sparse_row(self, node: Any) -> tuple[str, Access, Access] | None:
        """Counter and bounds of ``for (j = ptr[i]; j < ptr[i + 1]; j++)``, a sparse row; None for others."""
        declared = node.init.decls[0] if type(node.init).__name__ == "DeclList" and len(node.init.decls) == 1 else None
        start = declared.init if declared is not None else getattr(node.init, "rvalue", None)
        name = str(declared.name if declared is not None else getattr(getattr(node.init, "lvalue", None), "name", ""))
        step = read_step(node.next, self.ast) if node.next is not None else None
        compared = type(node.cond).__name__ == "BinaryOp" and node.cond.op == "<"
        ends = compared and getattr(node.cond.left, "name", "") == name
        if start is None or not ends or step is None or getattr(step[1], "value", "") != "1":
            return None
        first, last = self.find_bound(start), self.find_bound(node.cond.right)
        if first is None or last is None or first.array != last.array or len(first.indices) != 1:
            return None
        neighbours = len(last.indices) == 1 and last.indices[0] - first.indices[0] == Affine((), 1)
        return (name, first, last) if neighbours and first.indices[0].variables else None

    def visit_sparse_row(self, node: Any, name: str, first: Access, last: Access) -> None:
        """A loop over a row of a sparse matrix: as many turns as rows have elements in the mean, by their arrays' size.

        Raises
        ------
        SourceError : nothing says how large an array of elements is.
        """
        line, routine = self.line(node), self.builder.routine
        loops = self.builder.restrict_loops()[0]
        low, high = (find_extreme(first.indices[0], loops, largest).constant for largest in (False, True))
        rows = max(1, high - low + 1)
        held = [self.find_held(a) for a in sorted(find_indexed(node.stmt, name))]
        known = [n for n in held if n]
        if not known:
            array = one_line(min(find_indexed(node.stmt, name), default=first.array), 40)
            why = f"the rows of '{first.array}' are as long as data says, whose size nothing states"
            raise refuse(line, f"{why}: give --size {array}=N")
        mean = max(1, round(min(known) / rows))
        routine.unchecked = "how long rows are comes from data"
        note = f"line {line}: rows of {mean} elements in the mean ({min(known)} in {rows} rows); one may be longer"
        routine.notes = tuple(dict.fromkeys((*routine.notes, note)))
        before = self.builder.scope.get(name)
        with (
            self.builder.under(Condition(Value(0, [first, last]))),
            self.builder.loop(name, (Affine(),), (Affine((), mean - 1),), 1, line, False),
        ):
            self.builder.scope[name] = self.builder.scope[name] + (first.indices[0] - Affine((), low)).times(mean)
            self.visit(node.stmt)
        self.builder.restore(name, before)

    def find_held(self, array: str) -> int:
        """Elements of an array, as it is allocated, declared or given; 0 where nothing says it."""
        routine = self.builder.routine
        shape = routine.shapes.get(array, ())
        declared = math.prod(shape) if shape and all(s > 0 for s in shape) else 0
        return self.builder.sizes.get(array, 0) or routine.allocated.get(array, 0) or declared

    def find_queues(self, body: Any) -> dict[str, tuple[str, int]]:
        """Scalars that hand on an element from turn to turn: ``behind = current; current = front;`` ends a body.

        For each which scalar takes the element, and how many turns ago.
        """
        items = list(getattr(body, "block_items", None) or ())
        loads = {
            str(i.name) for i in items
            if type(i).__name__ == "Decl" and type(uncast(i.init)).__name__ in ("ArrayRef", "UnaryOp")
        }  # fmt: skip
        loads |= {
            str(i.lvalue.name) for i in items
            if type(i).__name__ == "Assignment" and i.op == "=" and type(i.lvalue).__name__ == "ID"
            and type(uncast(i.rvalue)).__name__ in ("ArrayRef", "UnaryOp")
        }  # fmt: skip
        copies: list[tuple[str, str]] = []
        while items and (pair := read_copy(items[-1])) is not None and type(items[-1]).__name__ == "Assignment":
            copies.insert(0, pair)
            items.pop()
        sources: dict[str, tuple[str, int]] = {}
        for target, source in reversed(copies):
            if source in loads:
                sources[target] = source, 1
            elif source in sources:
                sources[target] = sources[source][0], sources[source][1] + 1
            else:
                return {}
        ordered = all(s not in [t for t, _ in copies[:n]] for n, (_, s) in enumerate(copies))
        return sources if ordered else {}

    def visit_queue(self, body: Any, queues: Mapping[str, tuple[str, int]], loop: Loop) -> None:
        """A body in which scalars hold what turns before have read: those elements in place of them.

        Raises
        ------
        SourceError : what a scalar holds at first is another element than its turn before would have read.
        """
        statements, outer = self.builder.routine.statements, dict(self.queues)
        first = {s.target.array: s for s in statements if s.target.array in queues and not s.target.indices}
        self.queues |= {name: (source, ago * loop.step, loop) for name, (source, ago) in queues.items()}
        for item in list(body.block_items)[: -len(queues)]:
            self.visit(item)
        for name, start in first.items():
            wanted = self.find_handed(name, self.line(body))
            begins = wanted and tuple(i.replaced(loop.name, loop.first[0]) for i in wanted.indices)
            if len(start.reads) != 1 or wanted is None or start.reads[0].indices != begins:
                raise refuse(start.line, f"'{name}' is handed on from turn to turn of the loop in line {loop.line}")
            statements.remove(start)
        self.queues = outer

    def find_handed(self, name: str, line: int) -> Access | None:
        """The element that a scalar holds which turns of a loop hand on; None for other scalars."""
        if name not in self.queues:
            return None
        source, ago, loop = self.queues[name]
        taken = [s for s in self.builder.routine.statements if s.target.array == source and not s.target.indices]
        if not taken or len(taken[-1].reads) != 1 or taken[-1].operations:
            return None
        read = taken[-1].reads[0]
        before = Affine.of({loop.name: 1}, ago if loop.descends else -ago)
        return replace(read, indices=tuple(i.replaced(loop.name, before) for i in read.indices), line=line)

    def find_divisors(self, node: Any, name: str) -> list[int]:
        """Numbers that a counter is divided by in indices."""
        if node is None:
            return []
        kind = type(node).__name__
        divisors = (
            [] if kind != "If" else self.find_divisors(node.iftrue, name) + self.find_divisors(node.iffalse, name)
        )
        if kind == "If":
            return divisors
        divided = find_names(node.left) if kind == "BinaryOp" and node.op in ("/", "%", ">>") else set[str]()
        if divided == {name} or (name in divided and name.startswith(OF_THREADS)):
            try:
                by = self.affine(node.right)
            except SourceError:
                by = Affine()
            if not by.variables and 0 < by.constant < 1 << 20:
                divisors.append(by.constant if node.op != ">>" else 1 << min(by.constant, 20))
        for _, child in node.children():
            divisors += self.find_divisors(child, name)
        return [f for f in divisors if f > 1]

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
                before = self.builder.scope.get(name)
                self.builder.scope[name] = Affine.of({"@": 1})
                try:
                    change = self.affine(node.rvalue) - Affine.of({"@": 1})
                finally:
                    self.builder.restore(name, before)
            if not change.variables and change.constant:
                return -change.constant if node.op == "-=" else change.constant
        raise refuse(line, f"the counter '{name}' does not move by a constant step")

    def condition(self, node: Any) -> tuple[Condition, Condition]:
        """What holds in the two branches of an ``if``."""
        comparisons = self.comparisons(node)
        if comparisons is not None:
            yes, no = branch_on_counters(comparisons)
            if comparisons[1] is None or (shares := self.share_turns(node)) is None:
                return yes, no
            if comparisons[0]:
                # The share is of all turns, those that bounds leave out too.
                return yes, shares[1]
            return tuple(replace(c, share=s.share, held=s.held) for c, s in zip((yes, no), shares, strict=True))  # type: ignore[return-value]
        if type(node).__name__ == "UnaryOp" and node.op == "!":
            yes, no = self.condition(node.expr)
            return no, yes
        if (outside := self.none_of(node)) is not None:
            return Condition(of_data=True), Condition(above=tuple(outside))
        if (mixed := self.split_condition(node)) is not None:
            return mixed
        if (shares := self.share_turns(node)) is not None:
            return shares
        return branch_on_data(self.value(node))

    def split_condition(self, node: Any) -> tuple[Condition, Condition] | None:
        """``i < n && x[i] > t``: counters bound where data is asked; None where only one of both is there."""
        if type(node).__name__ != "BinaryOp" or node.op != "&&":
            return None
        terms = [term for term, _ in find_terms(node, ("&&",), True)]
        counted = [self.comparisons(term) for term in terms]
        above = [a for c in counted if c is not None and c[1] is None for a in c[0]]
        rest = [t for t, c in zip(terms, counted, strict=True) if c is None or c[1] is not None]
        if not above or not rest:
            return None
        data = rest[0]
        for term in rest[1:]:
            data = self.ast.BinaryOp("&&", data, term, node.coord)
        yes, no = self.condition(data)
        return replace(yes, above=(*yes.above, *above)), no if yes.of_data else Condition(of_data=True)

    def share_turns(self, node: Any) -> tuple[Condition, Condition] | None:
        """The two branches of an ``if`` on counters by the share of turns that each has; None where data decides."""
        known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        test = self.test_counters(node)
        around = [c.held for c in self.builder.conditions if c.held is not None]
        share = find_share(test, around, self.builder.loops) if test is not None else None
        if test is None or share is None:
            self.builder.routine.assumed, self.builder.sizes = known
            return None
        return Condition(share=share, held=(test, True)), Condition(share=1 - share, held=(test, False))

    def test_counters(self, node: Any) -> CounterTest | None:
        """An expression of counters as one that can be tried; None for data."""
        node = uncast(node)
        kind, op = type(node).__name__, str(getattr(node, "op", ""))
        if kind == "UnaryOp" and op == "!":
            inside = self.test_counters(node.expr)
            return inside and CounterTest(op="!", parts=(inside,))
        if kind == "BinaryOp" and op in COMPUTED and op not in ("+", "-", "*"):
            left, right = self.test_counters(node.left), self.test_counters(node.right)
            return CounterTest(op=op, parts=(left, right)) if left is not None and right is not None else None
        known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        try:
            return CounterTest(self.affine(node))
        except SourceError:
            self.builder.routine.assumed, self.builder.sizes = known
        if kind != "BinaryOp" or op not in COMPUTED:
            return None
        left, right = self.test_counters(node.left), self.test_counters(node.right)
        return CounterTest(op=op, parts=(left, right)) if left is not None and right is not None else None

    def none_of(self, node: Any) -> list[Affine] | None:
        """What holds where none of several conditions on counters does; None for conditions on data."""
        if type(node).__name__ == "BinaryOp" and node.op == "||":
            left, right = self.none_of(node.left), self.none_of(node.right)
            return None if left is None or right is None else left + right
        comparisons = self.comparisons(node)
        if comparisons is None or comparisons[1] is not None:
            return None
        above = comparisons[0]
        if len(above) == 1:
            return [above[0].times(-1) + Affine((), -1)]
        if len(above) == 2 and above[0] == above[1].times(-1):
            # Not equal: a border where all counters lie on one side, else nothing that bounds them.
            low, high = self.builder.range_of(above[0])
            return [above[0] + Affine((), -1)] if low == 0 else [above[1] + Affine((), -1)] if high == 0 else []
        return None

    def comparisons(self, node: Any) -> Comparisons | None:
        """A condition on counters as expressions that are 0 or more; None for any other."""
        if type(node).__name__ != "BinaryOp":
            return None
        if node.op == "&&":
            left, right = self.comparisons(node.left), self.comparisons(node.right)
            if left is None or right is None or (left[1] and right[1]):
                return None
            return left[0] + right[0], left[1] or right[1]
        try:
            if node.op in ("==", "!=") and (asked := self.remainder(node.left)) is not None:
                return compare_remainder(*asked, self.affine(node.right), node.op == "==")
            if (asked := self.remainder(node)) is not None:
                return compare_remainder(*asked, Affine(), False)
            end, start = self.affine(node.right), self.affine(node.left)
        except SourceError:
            return None
        if node.op == "!=":
            return [], None
        above = compare(node.op, start, end)
        return (above, None) if above is not None else None

    def remainder(self, node: Any) -> tuple[Affine, Affine] | None:
        """What a remainder is taken of, and by what: ``i % 2``, ``(i + j) & 1``; None for other expressions."""
        node = uncast(node)
        if type(node).__name__ != "BinaryOp" or node.op not in ("%", "&"):
            return None
        value, by = self.affine(node.left), self.affine(node.right)
        if node.op == "%":
            return value, by
        width = by.constant + 1
        return (value, Affine((), width)) if not by.variables and width > 1 and width & (width - 1) == 0 else None

    def bounds(self, node: Any, name: str, ascends: bool, line: int) -> tuple[Affine, ...]:
        """Last values of the counter, inclusive."""
        if isinstance(node, self.ast.BinaryOp) and node.op == "&&":
            return (*self.bounds(node.left, name, ascends, line), *self.bounds(node.right, name, ascends, line))
        if isinstance(node, self.ast.BinaryOp):
            op, left, right = node.op, node.left, node.right
            if getattr(right, "name", "") == name:
                op, left, right = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op), right, left
            if type(left).__name__ == "BinaryOp" and left.op in ("+", "-") and getattr(left.left, "name", "") == name:
                # `i + 1 < n` is `i < n - 1`.
                left, right = left.left, self.ast.BinaryOp("-+"[left.op == "-"], right, left.right, left.coord)
            if getattr(left, "name", "") == name and op in (("<", "<=", "!=") if ascends else (">", ">=", "!=")):
                strict = op in ("<", ">", "!=")
                shift = Affine((), (-1 if ascends else 1) * strict)
                return tuple(b + shift for b in self.extremes(right, "min" if ascends else "max"))
        raise refuse(line, f"the loop over '{name}' does not end at an affine bound")

    def counted_down(self, node: Any) -> Any:
        """``for (i = n; i-- > 0;)``, as unsigned counters are counted down, with its step where others have it."""
        cond = node.cond
        left: Any = cond.left if type(cond).__name__ == "BinaryOp" and cond.op in (">", "!=") else None
        if node.next is not None or type(left).__name__ != "UnaryOp" or left.op != "p--":
            return node
        unit = self.ast.Constant("int", "1", node.coord)
        init = copy.deepcopy(node.init)
        if isinstance(init, self.ast.DeclList) and len(init.decls) == 1 and init.decls[0].init is not None:
            init.decls[0].init = self.ast.BinaryOp("-", init.decls[0].init, unit, node.coord)
        elif isinstance(init, self.ast.Assignment):
            init.rvalue = self.ast.BinaryOp("-", init.rvalue, unit, node.coord)
        above = self.ast.BinaryOp(">=", left.expr, cond.right, node.coord)
        return self.ast.For(init, above, self.ast.UnaryOp("p--", left.expr, node.coord), node.stmt, node.coord)

    def extremes(self, node: Any, which: str) -> tuple[Affine, ...]:
        """A bound that is affine, or the smaller (larger) of several."""
        kind = type(node).__name__
        if kind == "TernaryOp" and type(node.cond).__name__ == "BinaryOp" and node.cond.op in ("<", "<=", ">", ">="):
            less = node.cond.op in ("<", "<=")
            same = are_alike(node.cond.left, node.iftrue) and are_alike(node.cond.right, node.iffalse)
            swapped = are_alike(node.cond.left, node.iffalse) and are_alike(node.cond.right, node.iftrue)
            if (same or swapped) and (less == same) == (which == "min"):
                return (*self.extremes(node.iftrue, which), *self.extremes(node.iffalse, which))
        if called(node).strip("fl").lower() == which and node.args:
            return tuple(b for a in node.args.exprs for b in self.extremes(a, which))
        if kind == "ID" and which in (held := self.folded.get(str(node.name), {})):
            return held[which]
        other = "min" if which == "max" else "max"
        if (inside := read_absolute(node)) is not None and which == "max":
            return (*self.extremes(inside, which), *(b.times(-1) for b in self.extremes(inside, other)))
        if kind == "Cast":
            return self.extremes(node.expr, which)
        if kind == "UnaryOp" and node.op == "-":
            return tuple(b.times(-1) for b in self.extremes(node.expr, other))
        if kind == "BinaryOp" and node.op in ("+", "-"):
            right = self.extremes(node.right, which if node.op == "+" else other)
            signed = [b if node.op == "+" else b.times(-1) for b in right]
            return tuple(dict.fromkeys(a + b for a in self.extremes(node.left, which) for b in signed))
        return (self.affine(node),)

    def fold(self, name: str, node: Any) -> bool:
        """Remember a name for the smaller or larger of several expressions of counters, ``2 - abs(dy)``; whether it is.

        It bounds loops; where it stands in an index, which of them it is is open.
        """
        known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        for which in ("min", "max"):
            try:
                bounds = self.extremes(node, which)
            except SourceError:
                self.builder.routine.assumed, self.builder.sizes = known[0].copy(), known[1].copy()
                continue
            self.folded[name] = {which: bounds}
            return True
        return False

    def element(self, node: Any) -> tuple[str, list[Any]]:
        """Array name and index expressions of ``a[i][j]``, ``*(a + i)`` or a scalar."""
        indices: list[Any] = []
        members = ""
        while isinstance(node, (self.ast.ArrayRef, self.ast.StructRef)):
            if isinstance(node, self.ast.ArrayRef):
                indices.insert(0, node.subscript)
            else:
                # Each member is an array of its own: p[i].x is p.x[i].
                members = f".{node.field.name}{members}"
            node = node.name
        while isinstance(node, self.ast.Cast):
            node = node.expr
        if isinstance(node, self.ast.ID):
            self.check_structure(str(node.name), members, self.line(node))
            if str(node.name) in self.pointers.places:
                array, place = self.pointers.resolve(str(node.name), indices, node.coord)
                return f"{array}{members}", place
            return f"{node.name}{members}", indices
        if isinstance(node, self.ast.BinaryOp) and node.op == "+" and indices and not members:
            # (a + i)[j]
            array, inner = self.point(node)
            return array, [self.ast.BinaryOp("+", inner[0], indices[0], node.coord), *indices[1:]]
        if isinstance(node, self.ast.UnaryOp) and node.op == "*" and not members:
            array, inner = self.point(node.expr)
            if not inner and not indices and self.pointers.is_pointer(array):
                return array, [Known(Affine(), node.coord)]
            return array, [*inner, *indices]
        raise refuse(self.line(node), f"{describe(node)} is no array element with affine indices")

    def check_structure(self, name: str, members: str, line: int) -> None:
        """Refuse what members as arrays of their own cannot say: lists that are walked, whole structures."""
        if members and name in self.builder.assigned:
            raise refuse(line, f"'{name}' is moved: which element '{name}{members}' is comes from data")
        if not members and name in self.declarations.structured:
            raise refuse(line, f"'{name}' is used as a whole structure: write its members")

    def point(self, node: Any) -> tuple[str, list[Any]]:
        """Array and index of a pointer: ``a``, ``a + i``, ``*(a + i) + j``."""
        if isinstance(node, self.ast.ID):
            return self.pointers.resolve(str(node.name), [], node.coord)
        if isinstance(node, self.ast.Cast):
            return self.point(node.expr)
        if called(node) in self.functions:
            return self.point(self.replace_call(node))
        if isinstance(node, self.ast.UnaryOp) and node.op == "&":
            return self.element(node.expr)
        if isinstance(node, self.ast.UnaryOp) and node.op == "*":
            return self.point(node.expr)
        if isinstance(node, self.ast.BinaryOp) and node.op in ("+", "-"):
            return self.point_further(node)
        if isinstance(node, (self.ast.ArrayRef, self.ast.StructRef)):
            return self.element(node)
        raise refuse(self.line(node), f"{describe(node)} is no array element with affine indices")

    def point_further(self, node: Any) -> tuple[str, list[Any]]:
        """Array and index of ``a + i``, ``i + a``, ``a - i``."""
        bases = [(node.left, node.right)] if node.op == "-" else [(node.left, node.right), (node.right, node.left)]
        for base, offset in bases:
            if self.is_pointer(base):
                array, inner = self.point(base)
                by = self.ast.UnaryOp("-", offset, node.coord) if node.op == "-" else offset
                if inner and (type(base).__name__ == "BinaryOp" or len(inner) == self.pointers.rank(array)):
                    return array, [*inner[:-1], self.ast.BinaryOp("+", inner[-1], by, node.coord)]
                return array, [*inner, by]
        raise refuse(self.line(node), f"{describe(node)} is no array element with affine indices")

    def is_pointer(self, node: Any) -> bool:
        """Whether an expression is an array, or starts with one."""
        if isinstance(node, self.ast.ID):
            name = str(node.name)
            known = name in self.builder.scope or name in self.builder.sizes
            return bool(self.builder.routine.shapes.get(name)) or not known
        if isinstance(node, self.ast.StructRef):
            return bool(self.builder.routine.shapes.get(self.find_path(node)))
        if isinstance(node, self.ast.BinaryOp) and node.op in ("+", "-"):
            return self.is_pointer(node.left) or (node.op == "+" and self.is_pointer(node.right))
        return isinstance(node, self.ast.UnaryOp) and node.op == "*" and self.is_pointer(node.expr)

    def find_path(self, node: Any) -> str:
        """``a.b.c`` of members of a structure that is held by value; '' for other expressions."""
        if isinstance(node, self.ast.StructRef):
            inside = self.find_path(node.name)
            return f"{inside}.{node.field.name}" if inside else ""
        return str(node.name) if isinstance(node, self.ast.ID) else ""

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
            return self.absolute(inside, line)
        if kind == "TernaryOp":
            return self.clamp([self.find_usual(node)] if self.find_usual(node) else [node.iftrue, node.iffalse], node)
        if called(node).strip("fl").lower() in ("min", "max") and node.args:
            return self.clamp(node.args.exprs, node)
        return self.replaced(node)

    def absolute(self, node: Any, line: int) -> Affine:
        """An absolute value of an expression of counters that never changes its sign."""
        value = self.affine(node)
        low, high = self.builder.range_of(value)
        if low < 0 < high:
            raise refuse(line, "an absolute value of loop variables is not affine")
        return value if low >= 0 else value.times(-1)

    def replaced(self, node: Any) -> Affine:
        """What a small function returns, or a member of a structure that is a size."""
        if called(node) in self.functions:
            return self.affine(self.replace_call(node))
        if type(node).__name__ == "StructRef" and (name := self.find_member(node)):
            return self.builder.size(name, self.line(node))
        raise refuse(self.line(node), f"{describe(node)} in an index or bound is not affine")

    def find_member(self, node: Any) -> str:
        """A member of a structure that is a size, ``m->stride``, by its whole name or its last; '' for others."""
        path = [str(node.field.name)]
        inside = node.name
        while type(inside).__name__ == "StructRef":
            path.insert(0, str(inside.field.name))
            inside = inside.name
        name = ".".join([str(getattr(inside, "name", "")), *path])
        kind = self.builder.routine.types.get(name, "")
        shape = self.builder.routine.shapes.get(name, ())
        if type(inside).__name__ != "ID" or not kind.startswith("int") or any(s != -1 for s in shape):
            return ""
        if name in self.written_members:
            return ""
        return name if name in self.builder.sizes else path[-1]

    def find_usual(self, node: Any) -> Any:
        """The branch of ``c ? a : b`` that all but a border of the counters take; None where neither is that."""
        condition = node.cond
        if type(condition).__name__ != "BinaryOp":
            return None
        op, usual, rare = condition.op, node.iftrue, node.iffalse
        if op in ("==", "!="):
            op, usual, rare = ("==", rare, usual) if op == "==" else ("==", usual, rare)
        try:
            gap = self.affine(condition.right) - self.affine(condition.left)
        except SourceError:
            return None
        if not gap.variables:
            return None
        low, high = self.builder.range_of(gap)
        border = max(BORDER, BORDER_SHARE * (high - low + 1))
        if op == "==":
            return usual if high - low + 1 > 2 * BORDER else None
        above = compare(op, self.affine(condition.left), self.affine(condition.right))
        if not above:
            return None
        low, high = self.builder.range_of(above[0])
        if -low <= border < high:
            return usual
        return rare if high < border <= -low else None

    def clamp(self, nodes: Any, node: Any) -> Affine:
        """An index kept inside an array, ``i > 0 ? i - 1 : 0``: the neighbours are those of the inside."""
        choices = [self.affine(n) for n in nodes]
        moving = [f for f in choices if f.variables]
        if len(moving) != 1:
            raise refuse(self.line(node), f"{describe(node)} in an index or bound is not affine")
        return moving[0]

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
            return self.value(node.expr)
        if kind == "Cast":
            return self.value(node.expr)
        if kind == "TernaryOp":
            return self.choice(node)
        if kind == "FuncCall":
            return self.call(node)
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
        if kind == "UnaryOp" and node.op in ("-", "+"):
            return self.is_known(node.expr)
        return is_constant(node) or (kind == "BinaryOp" and self.is_known(node.left) and self.is_known(node.right))

    def read_name(self, name: str, line: int) -> Value:
        """A scalar: what it holds is read where it is data of the algorithm."""
        known = name in self.builder.scope or name in self.builder.sizes
        if name in REAL_NUMBERS or (known and name not in self.builder.assigned):
            return Value()
        return Value(0, [self.find_handed(name, line) or Access(name, (), line)])

    def choice(self, node: Any) -> Value:
        """``c ? a : b``: both branches count, but what the condition has computed already counts once."""
        counted = self.comparisons(node.cond) is not None
        # Of counters it is a border that no bound of a loop says.
        self.builder.routine.loose |= counted
        total = Value() if counted else self.value(node.cond)
        compared = (node.cond.left, node.cond.right) if type(node.cond).__name__ == "BinaryOp" else ()
        for branch in (node.iftrue, node.iffalse):
            if not any(are_alike(branch, c) for c in compared):
                total.add(self.value(branch))
        return total

    def call(self, node: Any) -> Value:
        """A function that counts as one operation, or one of the file that only returns an expression."""
        name = called(node)
        arguments: Sequence[Any] = node.args.exprs if node.args else ()
        if name in self.functions:
            return self.inline(self.functions[name], arguments, self.line(node))
        if name == SHARED_WORK:
            value = self.value(arguments[1])
            return Value(value.operations / float(arguments[0].value), value.reads)
        if name in JOINED:
            return Value().add(*(self.value(a) for a in arguments))
        if CONVERSION.fullmatch(name) and len(arguments) == 1:
            return self.value(arguments[0])
        if name in PACKED:
            return Value().add(*(self.value(a) for a in arguments), operations=PACKED[name])
        if name in FUNCTIONS:
            operations = 2 if name.startswith("fma") and not name.startswith("fmax") else 1
            return Value().add(*(self.value(a) for a in arguments), operations=operations)
        loop = self.builder.looping.get(name)
        why = "" if loop is None else f": data decide how often its loop in line {loop} runs"
        raise refuse(self.line(node), f"{describe(node)} cannot be counted{why}")

    def replace_call(self, node: Any) -> Any:
        """The expression that a small function of the file returns: conditions with a return each are choices."""
        function = self.functions[called(node)]
        parameters = getattr(function.decl.type.args, "params", None) or ()
        arguments = node.args.exprs if node.args else ()
        result = returned(list(function.body.block_items or ()), dict[str, Any](), self.ast)
        self.calls += 1
        if result is None or self.calls > MOST_CALLS:
            raise refuse(self.line(node), f"{describe(node)} in an index or bound is not affine")
        meaning = {str(p.name): a for p, a in zip(parameters, arguments, strict=False)}
        return substitute(result, meaning)

    def inline(self, function: Any, arguments: Any, line: int) -> Value:
        """The body of a small function in place of its call; each argument counts once."""
        if self.inlined >= DEEPEST_CALLS:
            raise refuse(line, "functions that call each other more deeply than can be followed")
        parameters = getattr(function.decl.type.args, "params", None) or ()
        total, meaning = Value(), dict[str, Any]()
        for parameter, argument in zip(parameters, arguments, strict=False):
            if type(argument).__name__ in ("ID", "Constant") or self.is_index(argument):
                meaning[str(parameter.name)] = argument
            else:
                total.add(self.value(argument))
                meaning[str(parameter.name)] = self.ast.Constant(DATA, "0")
        self.inlined += 1
        try:
            total.add(self.body_value(function.body, meaning))
        finally:
            self.inlined -= 1
        return total

    def is_index(self, node: Any) -> bool:
        """Whether an argument is affine in the counters."""
        known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        try:
            self.affine(node)
        except SourceError:
            return False
        finally:
            self.builder.routine.assumed, self.builder.sizes = known
        return True

    def body_value(self, node: Any, meaning: dict[str, Any]) -> Value:
        """Work of a small function's statements: declarations, conditions, and what it returns."""
        total = Value()
        for item in (node.block_items or ()) if type(node).__name__ == "Compound" else (node,):
            kind = type(item).__name__
            if kind == "Return" and item.expr is not None:
                total.add(self.value(substitute(item.expr, meaning)))
            elif kind == "Decl" and item.init is not None:
                total.add(self.value(substitute(item.init, meaning)))
                meaning[str(item.name)] = self.ast.Constant(DATA, "0")
            elif kind == "If":
                total.add(self.value(substitute(item.cond, meaning)))
                for branch in (item.iftrue, item.iffalse):
                    if branch is not None:
                        total.add(self.body_value(branch, dict(meaning)))
            elif kind == "Compound":
                total.add(self.body_value(item, dict(meaning)))
            elif kind == "Assignment" and type(item.lvalue).__name__ == "ID":
                total.add(self.value(substitute(item.rvalue, meaning)), operations=int(item.op != "="))
                meaning[str(item.lvalue.name)] = self.ast.Constant(DATA, "0")
            elif kind not in ("Decl", "EmptyStatement", "Pragma"):
                raise refuse(self.line(item), f"{describe(item)} in a function that is called from a loop")
        return total

    def target(self, node: Any) -> tuple[Access, Value]:
        """What an assignment writes; indices from data make it scattered, and are read."""
        array, indices = self.element(node)
        line = self.line(node)
        try:
            return Access(array, tuple(self.affine(i) for i in indices), line), Value()
        except SourceError:
            read = Value().add(*(self.value(i) for i in indices))
            if not any(self.follows_data(r) for r in read.reads):
                raise
            read.operations -= sum(map(self.count_linear, indices))
            return Access(array, (), line, True), read

    def count_linear(self, node: Any) -> int:
        """Operations of an index that only spell several dimensions as one: none where ``a[i * n + j]`` is ``a[i][j]``.

        The next place, ``i + 1``, is an operation in either spelling.
        """
        if type(node).__name__ != "BinaryOp" or node.op not in ("+", "*"):
            return 0
        assumed = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        for known, other in ((node.left, node.right), (node.right, node.left)):
            try:
                value = self.affine(known)
            except SourceError:
                self.builder.routine.assumed, self.builder.sizes = assumed
                continue
            return self.count_linear(other) + int(bool(value.variables) or node.op == "*" or not value.constant)
        return sum(map(self.count_linear, (node.left, node.right))) + int(node.op == "+")

    def read_element(self, node: Any) -> Value:
        """An element of an array; one that data chooses is gathered, and what chooses it is read."""
        array, indices = self.element(node)
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
            if not read_here and not (reads and all(self.is_loaded(r.array, plainly=not is_name) for r in reads)):
                raise
            # Address arithmetic is no operation.
            words = " ".join(map(spell_tree, indices))
            return Value(0, [*reads, Access(array, (), line, True, self.find_row(array, indices), words)])

    def find_row(self, array: str, indices: Sequence[Any]) -> int:
        """Elements of the row that data chooses: ``v[id][k]`` with the sizes of ``v``, ``x[id * d + k]`` with d.

        1 where an index is of data alone, or counters reach beyond a row.
        """
        sizes = self.builder.routine.shapes.get(array, ())[1:]
        if len(indices) > 1:
            return math.prod(sizes) if len(sizes) == len(indices) - 1 and all(s > 0 for s in sizes) else 1
        width, beside = 1, Affine()
        for term, plus in find_terms(indices[0], ("+", "-"), True):
            known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
            try:
                beside = beside + self.affine(term).times(1 if plus else -1)
                continue
            except SourceError:
                self.builder.routine.assumed, self.builder.sizes = known
            factors = (term.left, term.right) if type(term).__name__ == "BinaryOp" and term.op == "*" else ()
            for factor in factors:
                try:
                    value = self.affine(factor)
                except SourceError:
                    self.builder.routine.assumed, self.builder.sizes = known
                    continue
                width = max(width, value.constant if not value.variables else 1)
        low, high = self.builder.range_of(beside)
        return width if low >= 0 and 0 < high < width else 1

    def is_loaded(self, name: str, *, plainly: bool = False) -> bool:
        """Whether a scalar keeps what its declaration reads from an array, plainly or computed: ``int id = ids[row]``.

        One that changes later may follow a chain, ``p = next[p]``, whose waits no amount of bytes tells.
        """
        return name not in self.builder.changed and any(
            s.target.array == name and not s.target.indices and any(r.indices or r.scattered for r in s.reads)
            and not (plainly and (s.operations or len(s.reads) > 1))
            for s in self.builder.routine.statements
        )  # fmt: skip

    def follows_data(self, read: Access, past: frozenset[str] = frozenset()) -> bool:
        """Whether what is read depends on an element of an array, or on the turns before, by way of scalars too."""
        if read.indices or read.scattered or read.array in self.builder.changed:
            return True
        values = [s for s in self.builder.routine.statements if s.target.array == read.array and not s.target.indices]
        past |= {read.array}
        return any(self.follows_data(r, past) for s in values for r in s.reads if r.array not in past)

    def bind(self, target: Access, node: Any, line: int) -> bool:
        """Replace a scalar where it is used, if what it gets is affine in the loop variables."""
        try:
            self.folded.pop(target.array, None)
            self.builder.scope[target.array] = self.affine(node)
        except SourceError:
            self.builder.scope.pop(target.array, None)
            if target.array in self.builder.changed or not self.fold(target.array, node):
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
