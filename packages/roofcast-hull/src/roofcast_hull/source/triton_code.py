"""Kernels in Triton as CUDA that loads, stores and computes what they do when they run: for rows, not for classes.

A block stands for each program, whose threads share the elements of its tensors. A tensor is an expression of its
lanes until something needs its elements: a store, a sum, or a variable that a loop changes. Lines of the text are those
of the user. Which class a kernel has, :mod:`.triton_units` says.
"""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_values import BYTES, Tensor
from roofcast_hull.source.python_syntax import C_SIGNS, is_none, last_name, name_arguments, name_called
from roofcast_hull.source.triton_arguments import Arguments
from roofcast_hull.source.triton_changes import assigned, find_carried, find_changes, read_update, write_out
from roofcast_hull.source.triton_expressions import CALLS, NoGridError, find_digit
from roofcast_hull.source.triton_functions import DRAWING, SUMS, Functions
from roofcast_hull.source.triton_host import TritonLaunch, find_launch
from roofcast_hull.source.triton_language import NOTHING
from roofcast_hull.source.triton_nodes import (
    Nest,
    Node,
    broadcast,
    grows_evenly,
    is_register,
    make_number,
    spread,
    take_along,
    transpose,
    write_update,
)
from roofcast_hull.source.triton_tiles import C_TYPES

DEEPEST = 8
"""Functions of a kernel inside each other."""
SAME = ("to", "cast", "multiple_of", "max_contiguous", "constexpr", "broadcast_to", "max_constancy")
"""Calls that compute nothing."""
PLACES = {"argmax": "max", "argmin": "min"}
"""Where the largest and smallest elements are: as many comparisons."""
STORES = ("store", "atomic_add", "atomic_max", "atomic_min")
"""Calls that write to memory."""


def write_cuda(tree: ast.Module, kernel: str, chosen: int | None = None, sizes: Mapping[str, int] | None = None) -> str:
    """A kernel and one of its launches in CUDA. chosen : which launch; the first where it is None.

    sizes : numbers of the kernel that the launch leaves open, and of its grid.

    Raises
    ------
    SourceError : nothing in the file launches it with sizes that it states, or it does more than is followed.
    """
    launched = find_launch(tree, kernel, chosen or 0, sizes)
    written = KernelWriter(*launched)
    try:
        return written.write()
    except NoGridError:
        return KernelWriter(*launched, find_radix(written)).write()


class KernelWriter(Functions):
    """Writes one kernel at one launch."""

    def __init__(
        self, function: ast.FunctionDef, launch: TritonLaunch, radix: tuple[int, ...] | None = None
    ) -> None:  # fmt: skip
        super().__init__(launch, radix, uses_matrices=calls_dot(function, launch.helpers))
        self.function = self.followed = function
        """followed : the function whose statements are read: the kernel, or one that it calls."""
        self.helpers.pop(function.name, None)
        self.names: dict[str, Node] = {}
        """What the names of the kernel stand for."""
        self.holding: frozenset[str] = frozenset()
        """Names of what loops around a statement change, which have a place."""
        self.texts: dict[str, str] = {}
        """Constants that are texts."""
        self.constants = {
            n: make_number(v if isinstance(v, float) else int(v))
            for n, v in launch.constants.items()
            if not isinstance(v, str)
        }
        """Numbers of the file."""
        self.inside = 0
        """Calls that are open."""

    def write(self) -> str:
        """The kernel, and a host that launches it."""
        parameters, given, arrays = [], [], []
        self.names |= self.constants
        for argument in self.function.args.args:
            name = argument.arg
            value = self.launch.arguments.get(name)
            if isinstance(value, Tensor):
                kind = C_TYPES[value.dtype]
                # A tile is loaded whole before anything of it is stored.
                parameters.append(f"{kind} *__restrict__ {name}")
                arrays.append(f"{kind} *{name}; cudaMalloc(&{name}, {value.elements} * sizeof({kind}));")
                given.append(name)
                self.names[name] = Node(lambda nest, at: "0", (), name)
            elif isinstance(value, bool) or (isinstance(value, int) and (is_constexpr(argument) or value == 1)):
                # A whole number that is 1 is a constant for Triton's compiler, too.
                self.names[name] = make_number(int(value))
            elif value is None and name in self.launch.arguments:
                self.names[name] = make_number(0)
            elif isinstance(value, int):
                parameters.append(f"int {name}")
                given.append(str(value))
                self.names[name] = self.name_number(name, (value,))
            else:
                # A number of the algorithm, or one that the file does not state.
                if isinstance(value, str):
                    self.texts[name] = value
                    continue
                parameters.append(f"float {name}")
                given.append("0.5f")
                self.names[name] = Node(lambda nest, at, own=name: own, (), real=True)  # type: ignore[misc]
        self.block(self.function.body)
        body = "".join(self.out)
        head = f"__global__ void {self.function.name}({', '.join(parameters)}) {{"
        shape = ", ".join(map(str, self.find_grid()))
        launch = f"{self.function.name}<<<dim3({shape}), {self.threads}>>>({', '.join(given)});"
        host = f"int main() {{ {' '.join(arrays)} {launch} }}"
        drawn = f"{DRAWING} " if self.draws else ""
        return f"{drawn}{head}{body}}} {host}\n"

    # ---- statements ----

    def block(self, body: Sequence[ast.stmt]) -> None:
        """Statements one after the other."""
        for item in body:
            self.statement(item)

    def statement(self, node: ast.stmt) -> None:
        """One statement."""
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Return(value=None):
                return
            case ast.Expr(value=ast.Call() as call):
                self.call_statement(call)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                self.assign(node)
            case ast.For(target=ast.Name(id=name)):
                self.loop(name, node)
            case ast.If():
                self.branch(node)
            case ast.While():
                raise refuse(node.lineno, "how often a while loop of a Triton kernel runs comes from data")
            case _:
                raise refuse(node.lineno, f"{type(node).__name__} in a Triton kernel is not followed")

    def branch(self, node: ast.If) -> None:
        """A condition of a whole program: known when it is compiled, or asked as it runs."""
        test = self.node(node.test)
        if test.number is not None:
            self.block(node.body if test.number else node.orelse)
            return
        if test.shape:
            raise refuse(node.lineno, "a condition is a tensor")
        nest = Nest(self.fresh)
        text = test.emit(nest, ())
        self.say(" ".join(nest.lines), node)
        if len(node.body) == 1 and isinstance(node.body[0], ast.Return) and not node.orelse:
            self.say(f"if ({text}) return;", node)
            return
        for body, head in ((node.body, f"if ({text}) {{"), (node.orelse, "else {")):
            if not body:
                continue
            names = dict(self.names)
            if changed := {n for item in body for n in assigned(item)} & set(names):
                raise refuse(node.lineno, f"'{min(changed)}' is changed where a condition of the program says so")
            self.say(head, node)
            self.block(body)
            self.say("}")
            self.names = names

    def assign(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        """Names that get a value."""
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call() as call):
                for target, node_of in zip(targets, self.call_several(call, len(targets)), strict=True):
                    self.bind(getattr(target, "id", "_"), node_of, node)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.bind(name, self.node(value), node)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                nodes = [self.node(v) for v in values]
                for target, node_of in zip(targets, nodes, strict=True):
                    self.bind(getattr(target, "id", "_"), node_of, node)
            case ast.AnnAssign(target=ast.Name(id=name)) if node.value is not None:
                self.bind(name, self.node(node.value), node)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=ast.Call(func=function) as value) if (
                self.uses_matrices and last_name(function) == "dot"
            ):
                self.bind(name, self.node(value), node)
            case ast.AugAssign(target=ast.Name(id=name)):
                self.bind(name, self.node(write_out(node)), node)
            case _:
                raise refuse(node.lineno, "what is assigned is no name")

    def call_several(self, call: ast.Call, several: int) -> list[Node]:
        """What a call gives: a function of the file with several values, or an extreme with its place."""
        name = name_called(call)
        if name in self.helpers:
            values = self.inline_all(self.helpers[name], call)
        elif name in ("max", "min") and any(k.arg == "return_indices" for k in call.keywords):
            keywords = [k for k in call.keywords if not k.arg or not k.arg.startswith("return_indices")]
            values = [self.node(ast.copy_location(ast.Call(call.func, call.args, keywords), call))] * 2
        else:
            values = []
        if len(values) != several:
            raise refuse(call.lineno, f"'{one_line(name, 40)}' does not give {several} values that are followed")
        return values

    def bind(self, name: str, value: Node, at: ast.AST) -> None:
        """Give a name its value; numbers of the algorithm are computed where they stand."""
        if self.uses_matrices and value.shape and value.real and not value.base:
            self.names[name] = self.keep(name, value, at)
            return
        if value.shape and value.real and not value.base and self.count_uses(name, at) > 1:
            value = self.remember(name, value, at)
        elif (
            self.radix is None
            and value.programs is not None
            and not value.shape
            and len(set(value.programs)) > 1
            and not grows_evenly(value)
        ):
            label = self.fresh(name)
            held, programs = label, value.programs
            self.names[name] = Node(lambda nest, at: self.name_place(held, programs), (), programs=programs)
            return
        self.names[name] = value

    def count_uses(self, name: str, at: ast.AST) -> int:
        """How often the function that is followed uses a name behind a statement."""
        line = getattr(at, "lineno", 0)
        loads = [n for n in ast.walk(self.followed) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        return sum(n.id == name and n.lineno > line for n in loads)

    def compute_once(self, label: str, value: Node, at: ast.Call) -> Node:
        """An argument of a function that is followed, computed before where the function uses it several times."""
        several = value.shape and value.real and not value.base and self.count_uses(label, self.followed) > 1
        return self.remember(label, value, at) if several else value

    def loop(self, name: str, node: ast.For) -> None:
        """``for k in range(0, n, BLOCK)``: what its body adds to is an array of the program's own."""
        call = node.iter
        if not isinstance(call, ast.Call) or name_called(call) not in ("range", "static_range", "tl.range"):
            raise refuse(node.lineno, "the loop goes over no range")
        bounds = [self.node(a) for a in call.args]
        start, stop, step = (
            (make_number(0), bounds[0], make_number(1)) if len(bounds) == 1 else (*bounds, make_number(1))[:3]
        )
        nest = Nest(self.fresh)
        first, last, by = (b.emit(nest, ()) for b in (start, stop, step))
        turn = self.fresh("turn")
        turns = last if (start.number, step.number) == (0, 1) else f"(({last}) - ({first}) + ({by}) - 1) / ({by})"
        head = f"int {turn} = 0; {turn} < {turns}; {turn}++"
        changed = find_changes(node)
        carried = find_carried(node.body)
        held = {n: self.names[n] for n in changed if n in self.names and n in carried}
        moved: dict[str, Node] = {}
        for label, value in held.items():
            item = changed[label]
            if value.base or (not value.real and isinstance(item, ast.AugAssign)):
                moved[label] = self.move_address(label, value, item, turn)
            elif label not in self.holding:
                self.names[label] = self.hold(label, value, node)
        self.names |= moved
        counter = self.name_number(turn, None)
        strides = start.number is None and not moved and bool(step.number and step.number > 0)
        if strides:
            # Programs that stay: each goes through every so-manieth of the rows.
            axis = next((a for a, n in zip("xyz", self.grid, strict=True) if step.number == n > 1), "")
            by = f"gridDim.{axis}" if axis and first == f"blockIdx.{axis}" else by
            head = f"int {turn} = {first}; {turn} < {last}; {turn} += {by}"
        self.say(f"for ({head}) {{", node)
        plain = strides or turns == last
        self.names[name] = counter if plain else self.combine("+", start, self.combine("*", counter, step))
        held_names = {n for n in held if n not in moved}
        around, self.holding = self.holding, self.holding | held_names
        self.depth += 1
        for inner in node.body:
            if assigned(inner) & set(moved):
                continue
            if held_names & assigned(inner) and not isinstance(inner, ast.For):
                self.accumulate(inner, held_names)
            else:
                self.statement(inner)
        self.depth -= 1
        self.holding = around
        self.say("}")
        for label in (*moved, name):
            self.names.pop(label, None)

    def move_address(self, label: str, value: Node, item: ast.Assign | ast.AugAssign, turn: str) -> Node:
        """``p += BLOCK * stride``, ``p = p + BLOCK * stride``, ``p = tl.advance(p, (0, BLOCK))``."""
        match item:
            case ast.AugAssign(op=ast.Add(), value=by):
                return self.move(value, self.node(by), turn)
            case ast.Assign(value=ast.BinOp(left=ast.Name(id=same), op=ast.Add(), right=by)) if same == label:
                return self.move(value, self.node(by), turn)
            case ast.Assign(value=ast.Call(func=function, args=[ast.Name(id=same), steps])) if (
                last_name(function) == "advance" and same == label and value.block is not None
            ):
                turns = self.name_number(turn, None)
                by_each = (self.node(e) for e in getattr(steps, "elts", [steps]))
                return self.shift_block(value, [self.combine("*", turns, b) for b in by_each])
        raise refuse(item.lineno, f"'{label}' moves by more than a sum")

    def move(self, value: Node, by: Node, turn: str) -> Node:
        """Where something that moves by as much in each turn of a loop stands in one of them."""
        return self.combine("+", value, self.combine("*", self.name_number(turn, None), by))

    def accumulate(self, node: ast.stmt, held: set[str]) -> None:
        """A statement of a loop that changes a value from turn to turn."""
        if self.uses_matrices:
            self.change(node)
            return
        target, value, op = read_update(node)
        if target in held and value is None and isinstance(node, (ast.Assign, ast.AugAssign)):
            self.replace_held(target, node)
            return
        if target not in held or value is None:
            raise refuse(node.lineno, "what a loop changes is no name")
        place_before = self.names[target]

        def update(nest: Nest, at: tuple[str, ...]) -> str:
            place = place_before.emit(nest, at)
            term = self.write_term(value, nest, at, place, op)
            if not term:
                return ""
            return write_update(place, term, op)

        self.nest(place_before.shape, update, node)

    def replace_held(self, target: str, node: ast.Assign | ast.AugAssign) -> None:
        """A value of the program's own that becomes another one, made of what it was."""
        before = self.names[target]
        after = self.node(write_out(node) if isinstance(node, ast.AugAssign) else node.value)
        if broadcast(before.shape, after.shape) != before.shape:
            raise refuse(node.lineno, f"'{target}' is changed from turn to turn by more than a sum or a maximum")
        self.nest(before.shape, lambda nest, at: f"{before.emit(nest, at)} = {spread(after, nest, at)};", node)

    def change(self, node: ast.stmt) -> None:
        """A value that a loop changes, in registers: whatever it becomes, it stays in its place."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                changed = self.node(value)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=ast.Call(func=function) as value) if (
                last_name(function) == "dot"
            ):
                # Matrix units add to what they are given.
                self.node(value)
                return
            case ast.AugAssign(target=ast.Name(id=name)):
                changed = self.node(write_out(node))
            case _:
                raise refuse(node.lineno, "what a loop changes is no name")
        before = self.names[name]
        if is_register(changed):
            return
        label = before.emit(Nest(self.fresh), ("0",) * len(before.shape))
        self.nest(before.shape, lambda nest, at: f"{label} = {spread(changed, nest, at)};", node)

    def write_term(self, value: ast.expr, nest: Nest, at: tuple[str, ...], place: str, op: str) -> str:
        """What is added to an element; a sum or a product of tiles adds each of its terms itself: '' then."""
        if isinstance(value, ast.Call) and SUMS.get(name_called(value)) == op:
            given = Arguments(value, self.node)
            inner, axis = given.take(0), given.axis()
            if axis is not None and len(inner.shape) > 1:
                nest.lines.append(self.write_sum(place, op, inner.shape[axis], take_along(inner, at, axis)))
                return ""
        return spread(self.node(value), nest, at)

    def call_statement(self, node: ast.Call) -> None:
        """A store, or an atomic sum."""
        name = name_called(node)
        if name in NOTHING or (name in self.helpers and self.inline_all(self.helpers[name], node) is not None):
            return
        if name not in STORES:
            raise refuse(node.lineno, f"the call of '{one_line(name, 40)}' is not followed")
        self.write_store(Arguments(node, self.node), name)

    # ---- values ----

    def node(self, node: ast.expr) -> Node:
        """The value of an expression."""
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                return make_number(value)
            case ast.Compare() | ast.UnaryOp(op=ast.Not()) if (known := self.ask(node)) is not None:
                return make_number(int(known))
            case ast.Name(id=name):
                if name not in self.names:
                    raise refuse(node.lineno, f"'{one_line(name, 40)}' has no value that is followed")
                return self.names[name]
            case ast.Subscript():
                return self.expand(node)
            case ast.IfExp(test=test, body=yes, orelse=no) if (known_test := self.node(test).number) is not None:
                return self.node(yes if known_test else no)
            case ast.Attribute(value=inner, attr="T"):
                return transpose(self.node(inner))
            case ast.Call():
                return self.call(node)
        return self.operation(node)

    def ask(self, node: ast.expr) -> bool | None:
        """``ACT == "relu"``, ``bias is None``, ``not CAUSAL``: what is known when the kernel is compiled, else None."""
        match node:
            case ast.Compare(left=one, ops=[ast.Eq() | ast.NotEq() as op], comparators=[other]):
                texts = self.find_text(one), self.find_text(other)
                return None if texts == (None, None) else (texts[0] == texts[1]) == isinstance(op, ast.Eq)
            case ast.Compare(left=one, ops=[ast.Is() | ast.IsNot() as op], comparators=[other]) if is_none(other):
                missing = isinstance(one, ast.Name) and self.launch.arguments.get(one.id, 0) is None
                return missing == isinstance(op, ast.Is)
            case ast.UnaryOp(operand=inner):
                value = self.node(inner).number
                return None if value is None else not value
        return None

    def find_text(self, node: ast.expr) -> str | None:
        """A text, written or a parameter; None for other values."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        return self.texts.get(node.id) if isinstance(node, ast.Name) else None

    def operation(self, node: ast.expr) -> Node:
        """Signs between values."""
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                value = self.node(inner)
                return (
                    make_number(-value.number) if value.number is not None else self.combine("-", make_number(0), value)
                )
            case ast.BinOp() if type(node.op) in C_SIGNS:
                return self.combine(C_SIGNS[type(node.op)], self.node(node.left), self.node(node.right), node)
            case ast.Compare(ops=[op]) if type(op) in C_SIGNS:
                return self.combine(C_SIGNS[type(op)], self.node(node.left), self.node(node.comparators[0]), node)
            case ast.BoolOp():
                joined, *rest = (self.node(v) for v in node.values)
                for part in rest:
                    joined = self.combine("&&" if isinstance(node.op, ast.And) else "||", joined, part)
                return joined
        raise refuse(node.lineno, f"{type(node).__name__} in a Triton kernel is not followed")

    def expand(self, node: ast.Subscript) -> Node:
        """``x[:, None]``."""
        value = self.node(node.value)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        sliced = [n for n, i in enumerate(items) if isinstance(i, ast.Slice)]
        if len(sliced) != len(value.shape) or not all(isinstance(i, ast.Slice) or is_none(i) for i in items):
            raise refuse(node.lineno, "an element of a tensor is not followed")
        sizes = iter(value.shape)
        shape = tuple(next(sizes) if n in sliced else 1 for n in range(len(items)))
        return Node(
            lambda nest, at: value.emit(nest, tuple(at[n] for n in sliced)),
            shape,
            value.base,
            None,
            value.programs,
            value.real,
        )

    def call(self, node: ast.Call) -> Node:
        """A function of the language."""
        name = name_called(node)
        if (owner := self.find_owner(node)) is not None and name != "to":
            node = ast.copy_location(
                ast.Call(ast.Attribute(ast.Name("tl", ast.Load()), name), [owner, *node.args], node.keywords), node
            )
        if PLACES.get(name, name) in SUMS and isinstance(node.func, ast.Attribute):
            return self.total(Arguments(node, self.node), PLACES.get(name, name))
        if name in SAME:
            method = isinstance(node.func, ast.Attribute) and name == "to"
            value = self.node(node.func.value if method else node.args[0])  # type: ignore[attr-defined]
            if name not in ("to", "cast"):
                return value if name != "broadcast_to" else replace(value, loaded=None)
            kinds = [*node.args[0 if method else 1 :], *(k.value for k in node.keywords if k.arg == "dtype")]
            return replace(value, dtype=self.find_dtype(kinds[0]) if kinds else value.dtype)
        if name in self.helpers:
            values = self.inline_all(self.helpers[name], node)
            if len(values) != 1:
                raise refuse(node.lineno, f"'{one_line(name, 40)}' gives {len(values) or 'no'} values, not one")
            return values[0]
        if name in ("min", "max") or name in CALLS:
            return self.compute(name, [self.node(a) for a in node.args])
        function: Callable[[Arguments], Node] | None = getattr(self, f"do_{name}", None)
        if function is None:
            raise refuse(node.lineno, f"the call of '{one_line(name, 40)}' in a Triton kernel is not followed")
        return function(Arguments(node, self.node))

    def find_owner(self, node: ast.Call) -> ast.expr | None:
        """The value whose method is called: ``x.sum(axis=0)``; None where a function of a module is."""
        if not isinstance(node.func, ast.Attribute):
            return None
        base: ast.expr = node.func.value
        while isinstance(base, ast.Attribute):
            base = base.value
        return None if isinstance(base, ast.Name) and base.id not in self.names else node.func.value

    def inline_all(self, function: ast.FunctionDef, node: ast.Call) -> list[Node]:
        """The values of such a function: its statements, with its parameters for the arguments."""
        if self.inside >= DEEPEST:
            raise refuse(node.lineno, "functions call each other too deeply")
        outer, texts = self.names, dict(self.texts)
        values: dict[str, Node] = {}
        for label, item in name_arguments(function, node).items():
            if isinstance(item, ast.Constant) and isinstance(item.value, str):
                self.texts[label] = item.value
            elif isinstance(item, ast.Name) and item.id in self.texts:
                self.texts[label] = self.texts[item.id]
            else:
                values[label] = self.node(item)
        outside, self.followed = self.followed, function
        self.names = {**self.constants, **{n: self.compute_once(n, v, node) for n, v in values.items()}}
        self.inside += 1
        results = self.run_helper(function.body)
        self.inside -= 1
        self.names, self.texts, self.followed = outer, texts, outside
        return results or []

    def run_helper(self, body: Sequence[ast.stmt]) -> list[Node] | None:
        """Statements of a function up to what it gives back; None where it goes on behind them."""
        for item in body:
            if isinstance(item, ast.Return):
                value = item.value
                items = value.elts if isinstance(value, ast.Tuple) else [value] if value is not None else []
                return [self.node(i) for i in items]
            if isinstance(item, ast.If) and any(isinstance(n, ast.Return) for n in ast.walk(item)):
                known = self.node(item.test).number
                if known is None:
                    raise refuse(item.lineno, "a function returns where a condition of the program says so")
                results = self.run_helper(item.body if known else item.orelse)
                if results is not None:
                    return results
                continue
            self.statement(item)
        return None

    def find_dtype(self, node: ast.expr) -> str:
        """``tl.float16``, ``c_ptr.dtype.element_ty``; '' where it is not known."""
        word = last_name(node)
        if word in BYTES or word.startswith("float8"):
            return "float8" if word.startswith("float8") else word
        for inner in ast.walk(node):
            name = inner.id if isinstance(inner, ast.Name) else ""
            tensor = self.launch.arguments.get(name)
            if isinstance(tensor, Tensor):
                return tensor.dtype
            if name in self.names and self.names[name].dtype:
                return self.names[name].dtype
        return ""


def find_radix(kernel: KernelWriter) -> tuple[int, ...]:
    """Sizes of up to three dimensions whose sums all places of a kernel's programs are; () where there are none."""
    programs, digits = kernel.grid[0], [find_digit(p) for p in kernel.places.values()]
    if math.prod(kernel.grid) != programs or None in digits:
        return ()
    ends = {1, programs} | {e for d in digits if d for e in (d[0], d[0] * d[1]) if e < programs}
    weights = sorted(ends)
    if len(weights) > 4 or any(b % a for a, b in itertools.pairwise(weights)):
        return ()
    return tuple(b // a for a, b in itertools.pairwise(weights))


def calls_dot(function: ast.FunctionDef, helpers: Mapping[str, ast.FunctionDef], depth: int = DEEPEST) -> bool:
    """Whether a kernel multiplies tiles, or a function that it calls does."""
    called = {name_called(n) for n in ast.walk(function) if isinstance(n, ast.Call)}
    return "dot" in called or (
        depth > 0 and any(calls_dot(helpers[n], helpers, depth - 1) for n in called & {*helpers})
    )


def is_constexpr(argument: ast.arg) -> bool:
    """Whether a parameter is a constant of the compiler."""
    return argument.annotation is not None and "constexpr" in ast.dump(argument.annotation)
