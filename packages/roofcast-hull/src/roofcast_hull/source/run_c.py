"""An interpreter of the C that classes are read from, CUDA kernels included, over the parsed tree.

Each statement and expression of the tree is made into a Python function once, which all threads and turns call.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from roofcast_hull.source.builder import CONVERSION, PACKED, REAL_NUMBERS, SHARED_WORK
from roofcast_hull.source.c_declarations import ELEMENT_TYPES
from roofcast_hull.source.c_statements import ALLOCATORS, SILENT, STEPS, SWAPS, TIMERS
from roofcast_hull.source.c_tree import (
    LARGEST_LITERAL,
    called,
    find_names,
    is_constant,
    is_no_work,
    is_of_names,
    read_integer,
    spell_path,
    uncast,
)
from roofcast_hull.source.exchanges import JOINED, is_barrier
from roofcast_hull.source.fixed_numbers import is_of_launch
from roofcast_hull.source.index_names import is_of_index
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.run_arithmetic import (
    ARITHMETIC,
    add,
    call_library,
    convert_by,
    find_number,
    move_pointer,
    operate,
    read_number,
    share_work,
    tame,
)
from roofcast_hull.source.run_barriers import waits
from roofcast_hull.source.run_check import Cell, StopError, Value
from roofcast_hull.source.run_frames import HEAP, HOLD, Action, Expression, Frame, LeaveError, Pointer, Running, Slot
from roofcast_hull.source.run_work import ATOMICS, LEAST, add_atomically, count_work, find_term, is_linear

WHOLE_TYPES = frozenset(w for w, kind in ELEMENT_TYPES.items() if kind.startswith("int"))


Place = Callable[[Frame], tuple[str, int]]
Made = TypeVar("Made")


class Code:
    """Functions for the statements and expressions of one file, made when they are first needed."""

    def __init__(self, functions: Mapping[str, Any]) -> None:
        self.functions = functions
        self.rows: dict[str, tuple[int, ...]] = {}
        """Sizes of members of structures that are arrays, and lie side by side where their structures do."""
        self.actions: dict[int, Action] = {}
        """Of statements, by what identifies their node."""
        self.steps = 0
        """Expressions that a statement evaluates each time, as far as it has been made."""

    def price(self, make: Callable[[Any], Made], node: Any) -> tuple[Made, int]:
        """What a maker makes of a node, and the expressions that it evaluates each time: the caller counts them."""
        before, self.steps = self.steps, 0
        try:
            return make(node), self.steps
        finally:
            self.steps = before

    def branch(self, node: Any) -> Expression:
        """An expression that is not always evaluated: it counts its own steps."""
        inside, steps = self.price(self.expression, node)

        def run(frame: Frame) -> Slot:
            frame.machine.count(steps)
            return inside(frame)

        return run

    # ---- names and memory ----

    def declare(self, node: Any, *, given: bool = False) -> Action:
        """A parameter or a variable; values that nobody gives are made up."""
        dims: list[Expression | None] = []
        kind = node.type
        while type(kind).__name__ in ("ArrayDecl", "PtrDecl"):
            dim = getattr(kind, "dim", None)
            dims.append(self.expression(dim) if dim is not None else None)
            kind = kind.type
        words = list(getattr(getattr(kind, "type", None), "names", None) or ())
        name, whole = str(node.name), bool(set(words) & WHOLE_TYPES) and not {"float", "double"} & set(words)

        def run(frame: Frame) -> None:
            machine = frame.machine
            if dims:
                sizes = [-1 if d is None else int(find_number(d(frame)).number) for d in dims]
                array = name if given else machine.make_private(name)
                if whole:
                    machine.whole.add(array)
                frame.names[name] = Pointer(array, 0, tuple(sizes[1:]))
            elif given:
                known = frame.sizes.get(name)
                frame.names[name] = Value(known if known is not None else (3 if whole else 0.75), 0, not whole)

        return run

    def place(self, node: Any) -> Place:
        """Array and index of something that can be assigned."""
        kind = type(node).__name__
        if kind == "StructRef":
            return self.place_member(node)
        if kind == "ID":
            return place_name(str(node.name))
        if kind == "Cast":
            return self.place(node.expr)
        if kind == "UnaryOp" and node.op == "*":
            pointed = self.expression(node.expr)
        elif kind == "ArrayRef":
            base, by = self.base(node.name), self.index(node.subscript)

            def pointed(frame: Frame) -> Slot:
                return move_pointer(base(frame), by(frame))
        else:
            return stop(f"{kind} is not run")

        def find(frame: Frame) -> tuple[str, int]:
            pointer = pointed(frame)
            if not isinstance(pointer, Pointer):
                raise StopError("a number is used as an address")
            return pointer.array, pointer.at

        return find

    def place_member(self, node: Any) -> Place:
        """A member of a structure, in an array of its own."""
        outer, field = self.place(node.name), str(node.field.name)

        def find(frame: Frame) -> tuple[str, int]:
            array, at = outer(frame)
            return f"{array}.{field}", at

        return find

    def base(self, node: Any) -> Expression:
        """What is indexed: an array, or what a member of a structure leads to, an array of its own."""
        if type(node).__name__ != "StructRef":
            return self.expression(node)
        whole = self.branch(node)
        name = str(getattr(node.name, "name", "")) if type(node.name).__name__ == "ID" else ""
        member, place = spell_path(node), self.place(node)

        def find(frame: Frame) -> Slot:
            if member in frame.sizes:
                return whole(frame)
            if name and not isinstance(frame.names.get(name), Pointer) and name not in frame.scalars:
                # A structure that the function is given: all threads read the same.
                return Pointer(f"{name}.{node.field.name}")
            array, at = place(frame)
            if dims := self.rows.get(str(node.field.name)):
                return Pointer(array, at * math.prod(dims), dims[1:])
            return Pointer(f"{array}@{at}" if at else array)

        return find

    # ---- expressions ----

    def expression(self, node: Any) -> Expression:
        """An expression."""
        self.steps += 1
        maker = getattr(self, f"make_{type(node).__name__.lower()}", None)
        if maker is None:
            return stop(f"{type(node).__name__} is not run")
        expression: Expression = maker(node)
        return expression

    def make_constant(self, node: Any) -> Expression:
        """A number."""
        text = str(node.value)
        try:
            if node.type in ("string", "char"):
                value = Value(ord(text[1]) if node.type == "char" and len(text) == 3 else 0)
            elif "int" in node.type:
                value = Value(read_integer(text, 1, LARGEST_LITERAL))
            else:
                value = Value(float(text.rstrip("fFlLhH")), 0, False)
        except (SourceError, ValueError):
            return stop(f"{text} is no number")
        return lambda _: value

    def make_id(self, node: Any) -> Expression:
        """A name."""
        name = str(node.name)

        def read(frame: Frame) -> Slot:
            array = frame.scalars.get(name)
            if array is not None:
                return frame.machine.read(array, 0)
            value = frame.names.get(name)
            return Value(frame.sizes.get(name, 0)) if value is None else value

        return read

    def make_arrayref(self, node: Any) -> Expression:
        """An element, or a row where dimensions are left."""
        base, by = self.base(node.name), self.index(node.subscript)

        def read(frame: Frame) -> Slot:
            pointer = move_pointer(base(frame), by(frame))
            if pointer.dims:
                return Pointer(pointer.array, pointer.at, pointer.dims[1:])
            return frame.machine.read(pointer.array, pointer.at)

        return read

    def index(self, node: Any) -> Expression:
        """An index; where ``i * n + j`` spells two dimensions as one, it computes nothing."""
        if type(node).__name__ != "BinaryOp" or node.op not in ("+", "*"):
            return self.expression(node)
        self.steps += 1
        left, right, product = self.index(node.left), self.index(node.right), node.op == "*"
        constants = is_constant(node.left), is_constant(node.right)
        linear = is_linear(node.left) or is_linear(node.right) or is_of_index(node)
        multiply = operate("*")

        def compute(frame: Frame) -> Slot:
            a, b, machine = left(frame), right(frame), frame.machine
            before = machine.operations
            value = multiply(machine, read_number(a), read_number(b)) if product else add(machine, a, b)
            if machine.operations != before and (
                linear
                or any(
                    isinstance(v, Value) and not v.data and (product or not constant or not v.number)
                    for v, constant in zip((a, b), constants, strict=True)
                )
            ):
                machine.operations = before
            return value

        return compute

    def index_later(self, node: Any) -> Expression:
        """An index beside an address, ``a + i * n``, made when it is first asked for: most sums have no address."""
        indices: list[Expression] = []

        def compute(frame: Frame) -> Slot:
            if not indices:
                indices.append(self.price(self.index, node)[0])
            return indices[0](frame)

        return compute

    def make_structref(self, node: Any) -> Expression:
        """A member, or an index of a thread."""
        field = str(node.field.name)
        name, (place, steps) = spell_path(node), self.price(self.place, node)

        def read(frame: Frame) -> Slot:
            sizes = frame.sizes
            if name in sizes or field in sizes:
                return Value(sizes[name if name in sizes else field])
            frame.machine.count(steps)
            return frame.machine.read(*place(frame))

        return read

    def make_cast(self, node: Any) -> Expression:
        """A conversion."""
        words = set(getattr(getattr(getattr(node.to_type, "type", None), "type", None), "names", None) or ())
        inside = self.expression(node.expr)
        if not words & WHOLE_TYPES or {"float", "double"} & words:
            return inside

        def convert(frame: Frame) -> Slot:
            value = inside(frame)
            if isinstance(value, Value):
                return Value(int(value.number), value.depth, value.data, value.sources)
            return value

        return convert

    def make_unaryop(self, node: Any) -> Expression:
        """``-x``, ``!x``, ``*p``, ``&a[i]``, ``sizeof``, steps."""
        if node.op == "&":
            place = self.place(node.expr)
            return lambda frame: Pointer(*place(frame))
        if node.op == "sizeof":
            return lambda _: Value(1)
        if node.op in STEPS:
            return self.step(node) if type(node.expr).__name__ == "ID" else self.step_element(node)
        inside, op = self.expression(node.expr), str(node.op)
        signs: dict[str, Callable[[Any], Any]] = {
            "-": operator.neg, "+": lambda x: x, "!": lambda x: int(not x), "~": lambda x: ~int(x),
        }  # fmt: skip
        sign = signs.get(op)

        def compute(frame: Frame) -> Slot:
            operand = inside(frame)
            if isinstance(operand, Pointer):
                if op != "*":
                    raise StopError("an address is used as a number")
                return frame.machine.read(operand.array, operand.at)
            if op == "*":
                return operand
            if sign is None:
                raise StopError(f"{op} is not run")
            if op == "~" and operand.data:
                return frame.machine.compute(sign(operand.number), operand)
            return Value(sign(operand.number), operand.depth, operand.data, operand.sources)

        return compute

    def step(self, node: Any) -> Expression:
        """``i++`` of a variable."""
        read, name, later = self.expression(node.expr), str(node.expr.name), node.op.startswith("p")
        by = Value(STEPS[node.op])

        def compute(frame: Frame) -> Slot:
            before = read(frame)
            frame.store_name(name, add(frame.machine, before, by))
            return before if later else read(frame)

        return compute

    def step_element(self, node: Any) -> Expression:
        """``a[i]++``, an element that counts: an accumulation."""
        place, by = self.place(node.expr), STEPS[node.op]

        def compute(frame: Frame) -> Slot:
            (array, at), machine = place(frame), frame.machine
            held = machine.cell(array, at).value
            term = Value(held.number + by, 0, True)
            machine.accumulate(array, at, machine.compute(term.number, term))
            return held

        return compute

    def make_binaryop(self, node: Any) -> Expression:
        """Two operands; ``&&`` and ``||`` do not look at the second where the first decides."""
        combine = self.choose(node) if node.op in ("&&", "||") else self.combine(node)
        of_index = is_of_index(node)
        if not is_no_work(node):
            return combine if not is_of_names(node) else self.compute_once(combine, find_names(node))

        def fold(frame: Frame) -> Slot:
            operations = frame.machine.operations
            result = combine(frame)
            frame.machine.operations = operations
            return result if of_index or isinstance(result, Pointer) else Value(result.number)

        return fold

    def compute_once(self, combine: Expression, names: set[str]) -> Expression:
        """An expression of names: where all are sizes it is computed once, not for each element."""
        names = names - REAL_NUMBERS

        def compute(frame: Frame) -> Slot:
            operations = frame.machine.operations
            result = combine(frame)
            if isinstance(result, Pointer) or any(n not in frame.sizes or n in frame.scalars for n in names):
                return result
            frame.machine.operations = operations
            return Value(result.number)

        return compute

    def choose(self, node: Any) -> Expression:
        """``a && b``, ``a || b``."""
        left, right, decides = self.expression(node.left), self.branch(node.right), node.op == "||"

        def compute(frame: Frame) -> Slot:
            first = read_number(left(frame))
            if bool(first.number) == decides:
                return Value(int(bool(first.number)), first.depth, first.data)
            second = find_number(right(frame))
            # Both sides have been counted; which of them decides is no work of its own.
            return frame.machine.compute(int(bool(second.number)), first, second, operations=0)

        return compute

    def combine(self, node: Any) -> Expression:
        """Two operands that are computed when the code runs."""
        left, right, op = self.expression(node.left), self.expression(node.right), str(node.op)
        if op in ("+", "-"):
            offset = self.index_later(node.right)

            def move(frame: Frame) -> Slot:
                base = left(frame)
                return add(frame.machine, base, (offset if isinstance(base, Pointer) else right)(frame), op)

            return move
        apply = operate(op)

        def compute(frame: Frame) -> Slot:
            a, b = left(frame), right(frame)
            if isinstance(a, Pointer) and isinstance(b, Pointer):
                return Value(int(ARITHMETIC[op](a.at, b.at)))
            return apply(frame.machine, read_number(a), read_number(b))

        return compute

    def make_ternaryop(self, node: Any) -> Expression:
        """``c ? a : b``."""
        holds, yes, no = self.condition(node.cond), self.branch(node.iftrue), self.branch(node.iffalse)
        return lambda frame: yes(frame) if holds(frame) else no(frame)

    def make_assignment(self, node: Any) -> Expression:
        """An assignment inside an expression."""
        assign, read = self.assignment(node), self.expression(node.lvalue)

        def run(frame: Frame) -> Slot:
            assign(frame)
            return read(frame)

        return run

    def make_exprlist(self, node: Any) -> Expression:
        """Several expressions: the last one counts."""
        items = [self.expression(item) for item in node.exprs]

        def run(frame: Frame) -> Slot:
            value: Slot = Value(0)
            for item in items:
                value = item(frame)
            return value

        return run

    def make_funccall(self, node: Any) -> Expression:
        """A function of the file, or of the math library."""
        name, nodes = called(node), list(node.args.exprs) if node.args else []
        if name in ALLOCATORS:
            return lambda _: Pointer(HEAP)
        if name in SILENT or name in TIMERS:
            return lambda _: Value(0.0 if name in TIMERS else 0)
        arguments = [self.expression(a) for a in nodes]
        if name == SHARED_WORK:
            return share_work(float(nodes[0].value), arguments[1])
        if name in ATOMICS:
            return add_atomically(name, arguments)
        if name in self.functions:
            function = self.functions[name]
            return lambda frame: frame.call(function, [a(frame) for a in arguments])
        if CONVERSION.fullmatch(name) and len(arguments) == 1:
            return convert_by(name, arguments[0])
        fused = name.startswith("fma") and not name.startswith("fmax")
        operations = PACKED.get(name, 2 if fused else 1)
        operations, fixed = 0 if name in JOINED else operations, is_of_launch(node)

        def compute(frame: Frame) -> Slot:
            values = [find_number(a(frame)) for a in arguments]
            number = call_library(name, [v.number for v in values])
            return Value(number) if fixed else frame.machine.compute(number, *values, operations=operations)

        return compute

    def condition(self, node: Any, body: Any = None, other: Any = None) -> Callable[[Frame], bool]:
        """Whether a condition holds.

        body, other : what runs where it does and where it does not. Where all guards are to be met, data that decide
        between two branches choose the one with more work, and those that a branch hangs on choose it.
        """
        test = self.expression(node)
        works = body is not None and (not only_leaves(body) if other is None else count_work(body) >= count_work(other))
        skips = other is not None and not works
        sides = [getattr(node, side, None) for side in ("left", "right")]
        differ = getattr(node, "op", "") == "!=" and other is None and all(type(s).__name__ == "ID" for s in sides)

        def holds(frame: Frame) -> bool:
            value, machine = read_number(test(frame)), frame.machine
            machine.guarded |= value.data
            machine.apart += differ
            machine.alike += differ and not value.number
            if machine.meets_guards and value.data and (works or skips):
                return works
            return bool(value.number)

        return holds

    # ---- assignments ----

    def store(self, node: Any) -> Callable[[Frame, Slot], None]:
        """Gives a variable or an element a value."""
        if type(node).__name__ == "ID":
            name = str(node.name)
            return lambda frame, value: frame.store_name(name, value)
        place = self.place(node)

        def write(frame: Frame, value: Slot) -> None:
            array, at = place(frame)
            frame.machine.write(array, at, read_number(value))

        return write

    def assignment(self, node: Any) -> Action:
        """``x = e``, ``x += e``."""
        term = find_term(node)
        assign, steps = self.price(self.plain_assignment, node)
        if term is None:
            self.steps += steps
            return assign
        name = str(node.lvalue.name) if type(node.lvalue).__name__ == "ID" else ""
        accumulate, steps_added = self.price(lambda item: self.accumulation(item, *term), node.lvalue)

        def run(frame: Frame) -> None:
            held = frame.names.get(name) if name else None
            if held is not None and (isinstance(held, Pointer) or (not held.data and isinstance(held.number, int))):
                frame.machine.count(steps)
                assign(frame)
            else:
                frame.machine.count(steps_added)
                accumulate(frame)

        return run

    def plain_assignment(self, node: Any) -> Action:
        """An assignment that is no accumulation of data."""
        op, store, right = str(node.op)[:-1], self.store(node.lvalue), self.expression(node.rvalue)
        if not op:
            return lambda frame: store(frame, right(frame))
        left, apply = self.expression(node.lvalue), operate(op)

        def run(frame: Frame) -> None:
            before, by = left(frame), right(frame)
            if op in "+-":
                store(frame, add(frame.machine, before, by, op))
            else:
                store(frame, apply(frame.machine, read_number(before), read_number(by)))

        return run

    def accumulation(self, node: Any, op: str, nodes: Sequence[Any], operations: int) -> Action:
        """Adds terms to an element in any order."""
        terms = [self.expression(t) for t in nodes]
        place = self.place(node) if type(node).__name__ != "ID" else None
        name = str(node.name) if place is None else ""
        combine: Callable[[Any, Any], Any] = ARITHMETIC[op] if op in ("+", "-", "*") else lambda a, _: a
        if op in LEAST:
            combine = lambda a, b: call_library(op, [a, b])  # noqa: E731

        def run(frame: Frame) -> None:
            machine = frame.machine
            values = [find_number(t(frame)) for t in terms]
            array, at = place(frame) if place is not None else (frame.scalar(name), 0)
            number = before = machine.cell(array, at).value.number
            for v in values:
                number = combine(number, v.number)
            result = machine.compute(tame(number), Value(before, 0, True), *values, operations=operations)
            # Whoever reads the element waits for the last addition: it counts there.
            machine.accumulate(array, at, Value(result.number, result.depth - 1, True, result.sources))

        return run

    # ---- statements ----

    def statement(self, node: Any) -> Action:
        """A statement, barriers left out."""
        key = id(node)
        if key not in self.actions:
            inside, steps = self.price(self.make_statement, node)
            self.actions[key] = count_first(inside, steps + 1)
        return self.actions[key]

    def make_statement(self, node: Any) -> Action:
        """The same, without its steps."""
        kind = type(node).__name__
        maker = getattr(self, f"run_{kind.lower()}", None)
        if maker is not None:
            action: Action = maker(node)
            return action
        if kind == "Assignment":
            return self.assignment(node)
        if is_barrier(node) or kind in ("EmptyStatement", "Pragma", "Typedef"):
            return do_nothing
        if kind == "FuncCall" and called(node) in SWAPS and node.args:
            return self.swap(*node.args.exprs)
        if kind == "FuncCall" and called(node) == HOLD:
            return self.hold(*node.args.exprs)
        evaluate = self.expression(node)

        def run(frame: Frame) -> None:
            evaluate(frame)

        return run

    def steps_of(self, node: Any) -> Callable[[Frame], Running]:
        """A statement that stops at every barrier."""
        if is_barrier(node):
            return wait
        if waits(node):
            kind = type(node).__name__
            maker = getattr(self, f"steps_{kind.lower()}", None)
            if maker is None:
                return stop(f"{kind} with a barrier is not run")
            steps: Callable[[Frame], Running] = maker(node)
            return steps
        plain = self.statement(node)

        def run(frame: Frame) -> Running:
            plain(frame)
            yield from ()

        return run

    def steps_compound(self, node: Any) -> Callable[[Frame], Running]:
        """A block that stops at every barrier."""
        items = [(waits(i), self.steps_of(i) if waits(i) else self.statement(i)) for i in node.block_items or ()]

        def run(frame: Frame) -> Running:
            frame.machine.count(1)
            for stops, item in items:
                if stops:
                    yield from item(frame)  # type: ignore[misc]
                else:
                    item(frame)

        return run

    def steps_if(self, node: Any) -> Callable[[Frame], Running]:
        """A condition with barriers in its branches."""
        holds, steps = self.price(lambda item: self.condition(item.cond, item.iftrue, item.iffalse), node)
        yes, no = (self.steps_of(b) if b is not None else None for b in (node.iftrue, node.iffalse))

        def run(frame: Frame) -> Running:
            frame.machine.count(steps + 1)
            branch = yes if holds(frame) else no
            if branch is not None:
                yield from branch(frame)

        return run

    def swap(self, one: Any, two: Any) -> Action:
        """Two variables take each other's values."""
        (read_one, read_two), (store_one, store_two) = map(self.expression, (one, two)), map(self.store, (one, two))

        def run(frame: Frame) -> None:
            first, second = read_one(frame), read_two(frame)
            store_one(frame, second)
            store_two(frame, first)

        return run

    def hold(self, kept_in: Any, array: Any) -> Action:
        """Memory as it is before a statement, under a name of its own."""
        places = [self.expression(n) for n in (kept_in, array)]

        def run(frame: Frame) -> None:
            target, source = (p(frame) for p in places)
            if isinstance(target, Pointer) and isinstance(source, Pointer):
                cells = frame.machine.cells
                frame.machine.held[target.array] = source.array
                held = [(k, Cell(c.read())) for (name, k), c in cells.items() if name == source.array]
                cells.update({(target.array, k): cell for k, cell in held})

        return run

    def run_compound(self, node: Any) -> Action:
        """A block."""
        items = [self.statement(i) for i in node.block_items or ()]

        def run(frame: Frame) -> None:
            for item in items:
                item(frame)

        return run

    def run_decllist(self, node: Any) -> Action:
        """Several declarations."""
        items = [self.run_decl(item) for item in node.decls]

        def run(frame: Frame) -> None:
            for item in items:
                item(frame)

        return run

    def run_decl(self, node: Any) -> Action:
        """A declaration with its first value; shared memory belongs to the block, not to the thread."""
        name, is_static, declare = str(node.name), "static" in (node.storage or ()), self.declare(node)
        first = self.expression(node.init) if node.init is not None and type(node.init).__name__ != "InitList" else None
        if type(node.type).__name__ == "PtrDecl" and type(uncast(node.init)).__name__ == "StructRef":
            # A member that leads to an array is an address.
            first = self.base(uncast(node.init))
        words = set(getattr(getattr(node.type, "type", None), "names", None) or ())
        real = type(node.type).__name__ == "TypeDecl" and bool(words & {"float", "double"})

        def run(frame: Frame) -> None:
            if is_static and frame.shared is not None:
                if name not in frame.shared:
                    declare(frame)
                    frame.shared[name] = frame.names[name]
                frame.names[name] = frame.shared[name]
                return
            if is_static and name in frame.names:
                return
            frame.scalars.pop(name, None)
            frame.names.pop(name, None)
            declare(frame)
            if first is None:
                return
            value = first(frame)
            if isinstance(value, Pointer):
                held = frame.names.get(name)
                dims = held.dims if isinstance(held, Pointer) else ()
                frame.names[name] = Pointer(name, 0, dims) if value.array == HEAP else value
                return
            if real:
                value = Value(float(value.number), value.depth, True, value.sources)
            if value.data:
                frame.put(frame.scalar(name), value)
            else:
                frame.names[name] = value

        return run

    def run_for(self, node: Any) -> Action:
        """A counted loop; whether it goes on is no branch of the algorithm."""
        begins = self.statement(node.init) if getattr(node, "init", None) is not None else do_nothing
        goes_on, follows = self.turn(node)
        body = self.statement(node.stmt)

        def run(frame: Frame) -> None:
            begins(frame)
            while goes_on(frame):
                try:
                    body(frame)
                except LeaveError as left:
                    if left.kind == "break":
                        break
                    if left.kind != "continue":
                        raise
                follows(frame)

        return run

    run_while = run_for

    def turn(self, node: Any) -> tuple[Callable[[Frame], bool], Action]:
        """Whether a loop goes on, and what follows each turn."""
        following = getattr(node, "next", None)
        follows = self.statement(following) if following is not None else do_nothing
        if node.cond is None:
            return (lambda _: True), follows
        test = self.branch(node.cond)
        return (lambda frame: bool(read_number(test(frame)).number)), follows

    def steps_for(self, node: Any) -> Callable[[Frame], Running]:
        """A loop that stops at every barrier."""
        begins = self.statement(node.init) if getattr(node, "init", None) is not None else do_nothing
        goes_on, follows = self.turn(node)
        body = self.steps_of(node.stmt)

        def run(frame: Frame) -> Running:
            frame.machine.count(1)
            begins(frame)
            while goes_on(frame):
                try:
                    yield from body(frame)
                except LeaveError as left:
                    if left.kind == "break":
                        break
                    if left.kind != "continue":
                        raise
                follows(frame)

        return run

    steps_while = steps_for

    def run_if(self, node: Any) -> Action:
        """A condition."""
        holds = self.condition(node.cond, node.iftrue, node.iffalse)
        yes, no = (self.statement(b) if b is not None else do_nothing for b in (node.iftrue, node.iffalse))

        def run(frame: Frame) -> None:
            (yes if holds(frame) else no)(frame)

        return run

    def run_switch(self, node: Any) -> Action:
        """Every case: the classes of all are listed."""
        cases = [getattr(case, "stmts", None) or () for case in node.stmt.block_items or ()]
        items = [self.statement(i) for case in cases for i in case if type(i).__name__ != "Break"]

        def run(frame: Frame) -> None:
            for item in items:
                item(frame)

        return run

    def run_break(self, node: Any) -> Action:
        """The end of a loop."""
        return leave("break")

    def run_continue(self, node: Any) -> Action:
        """The next turn."""
        return leave("continue")

    def run_return(self, node: Any) -> Action:
        """The end of the function."""
        return leave("return", self.expression(node.expr) if node.expr is not None else None)


def leave(kind: str, value: Expression | None = None) -> Action:
    """A statement that leaves a loop or a function."""

    def run(frame: Frame) -> None:
        raise LeaveError(kind, value(frame) if value is not None else None)

    return run


def count_first(action: Action, steps: int) -> Action:
    """A statement that counts its steps before it runs."""

    def run(frame: Frame) -> None:
        frame.machine.count(steps)
        action(frame)

    return run


def wait(frame: Frame) -> Running:
    """A barrier."""
    frame.machine.count(1)
    yield


def do_nothing(_: Frame) -> None:
    """A statement without effect."""


def stop(why: str) -> Callable[[Frame], Any]:
    """What is not run, where it comes to run."""

    def run(_: Frame) -> Any:
        raise StopError(why)

    return run


def only_leaves(node: Any) -> bool:
    """Whether a branch does nothing but leave a loop or the function."""
    items = list(node.block_items or ()) if type(node).__name__ == "Compound" else [node]
    return bool(items) and type(items[-1]).__name__ in ("Break", "Continue", "Return")


def place_name(name: str) -> Place:
    """The first element of an array, or the memory of a scalar."""

    def find(frame: Frame) -> tuple[str, int]:
        pointer = frame.names.get(name)
        if isinstance(pointer, Pointer):
            return pointer.array, pointer.at
        return frame.scalar(name), 0

    return find
