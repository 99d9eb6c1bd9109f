"""Kernels in Triton as CUDA that loads, stores and computes what they do when they run: for rows, not for classes.

A block stands for each program, whose threads share the elements of its tensors. A tensor is an expression of its
lanes until something needs its elements: a store, a sum, or a variable that a loop changes. Lines of the text are those
of the user. Which class a kernel has, :mod:`.triton_units` says.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from roofcast.core.errors import one_line
from roofcast_hull.source.host_numbers import UnknownNumberError, evaluate_number
from roofcast_hull.source.nest import SourceError, refuse
from roofcast_hull.source.numpy_values import BYTES, Tensor
from roofcast_hull.source.triton_host import TritonLaunch, find_launch
from roofcast_hull.source.triton_language import NOTHING, tail
from roofcast_hull.source.triton_nodes import (
    COMPARED,
    Nest,
    Node,
    add_tops,
    along,
    broadcast,
    evaluate,
    fold,
    index,
    is_loaded,
    is_plain,
    is_register,
    known_programs,
    number,
    spread,
    spread_programs,
    transpose,
)
from roofcast_hull.source.user_lines import UserLines

WIDE = 16
"""B that a thread loads at once at most."""
VECTORS = {1: "char", 2: "__half", 4: "float", 8: "float2", 16: "float4"}
"""Types of C by their bytes."""
MATRIX_BITS = {"float16": 16, "bfloat16": 17, "float32": 19, "float64": 64, "int8": 8, "uint8": 8, "float8": 9}
"""How the emulator names what matrix units multiply."""
WARPS_OF_GROUP, GROUP_ROWS, GROUP_BITS = 4, 64, (8, 9, 16, 17, 19)
"""Warps that multiply as one on GPUs that can (PTX: ``wgmma.m64nNkK``), rows of such a product, types that have it."""
DEEPEST = 8
"""Functions of a kernel inside each other."""
C_TYPES = {"float16": "__half", "bfloat16": "__half", "float32": "float", "float64": "double", "int8": "char",
           "uint8": "unsigned char", "bool": "char", "int16": "short", "int32": "int", "int64": "long",
           "half": "__half", "float": "float", "double": "double", "int": "int", "long": "long",
           **dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"), "char")}  # fmt: skip
SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "/", ast.Mod: "%", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
CALLS = {"exp": "expf", "exp2": "exp2f", "log": "logf", "log2": "log2f", "sqrt": "sqrtf", "sqrt_rn": "sqrtf",
         "rsqrt": "rsqrtf", "sin": "sinf", "cos": "cosf", "abs": "fabsf", "maximum": "fmaxf", "minimum": "fminf",
         "erf": "erff", "tanh": "tanhf", "floor": "floorf", "ceil": "ceilf", "fma": "fmaf", "pow": "powf",
         "log1p": "log1pf", "expm1": "expm1f", "tan": "tanf", "fast_expf": "expf", "fast_logf": "logf"}  # fmt: skip
SAME = ("to", "cast", "multiple_of", "max_contiguous", "constexpr", "broadcast_to", "max_constancy")
"""Calls that compute nothing."""
SUMS = {"sum": "+", "max": "fmaxf", "min": "fminf"}
PLACES = {"argmax": "max", "argmin": "min"}
"""Where the largest and smallest elements are: as many comparisons."""
MODULES = ("tl", "triton", "libdevice", "math", "language", "core", "extra", "cuda", "torch")
"""Names that functions are called by, rather than values."""
MOST_PROGRAMS = 200_000
"""Programs of a grid of one axis whose numbers are known one by one."""
WARP = 32
"""Threads of a warp."""
DRAW = "__philox"
DRAWING = f"__device__ float {DRAW}(int n) {{ __operations(120); return 0.5f + 0.0f * n; }}"
"""Ten rounds of two wide products, four exclusive ors and two sums, and a number of 0 to 1."""


class NoGridError(SourceError):
    """What programs work on is no grid of places."""


def write_cuda(tree: ast.Module, kernel: str, chosen: int | None = None, sizes: Mapping[str, int] | None = None) -> str:
    """A kernel and one of its launches in CUDA. chosen : which launch; the first where it is None.

    sizes : numbers of the kernel that the launch leaves open, and of its grid.

    Raises
    ------
    SourceError : nothing in the file launches it with sizes that it states, or it does more than is followed.
    """
    launched = find_launch(tree, kernel, chosen or 0, sizes)
    written = Kernel(*launched)
    try:
        return written.write()
    except NoGridError:
        return Kernel(*launched, find_radix(written)).write()


class Kernel(UserLines):
    """One kernel at one launch."""

    def __init__(
        self, function: ast.FunctionDef, launch: TritonLaunch, radix: tuple[int, ...] | None = None
    ) -> None:  # fmt: skip
        self.function, self.launch, self.radix = function, launch, radix
        """radix : sizes of the dimensions that a program's number is divided into, the fastest first; () where it is
        divided as it stands; None where what programs work on are the dimensions."""
        self.followed = function
        """The function whose statements are read: the kernel, or one that it calls."""
        self.grid = (*(launch.grid or ()), 1, 1)[:3]
        self.names: dict[str, Node] = {}
        """What the names of the kernel stand for."""
        self.out: list[str] = [""]
        self.line = 1
        self.counter = itertools.count(1)
        self.uses_matrices = calls_dot(function, launch.helpers)
        """Whether tensors live in registers that matrix units share: each has a name, and no places of its own."""
        self.tiles: dict[str, str] = {}
        """Shared memory of operands of products, by their names."""
        self.depth = 0
        """Loops around."""
        self.computed: set[str] = set()
        """Names of tensors in registers that are no loads."""
        self.holding: frozenset[str] = frozenset()
        """Names of what loops around a statement change, which have a place."""
        self.depths: dict[str, int] = {}
        """Names of tensors in registers -> loops around their first value."""
        self.texts: dict[str, str] = {}
        """Constants that are texts."""
        self.helpers = {n: f for n, f in launch.helpers.items() if n != function.name}
        """Functions that Triton compiles, by their names."""
        self.constants = {
            n: number(v if isinstance(v, float) else int(v))
            for n, v in launch.constants.items()
            if not isinstance(v, str)
        }
        """Numbers of the file."""
        self.inside = 0
        """Calls that are open."""
        self.places: dict[str, tuple[int, ...]] = {}
        """Whole numbers that the program's index decides other than by products and sums, by their names in C."""
        self.draws = False
        """Whether it draws numbers by chance."""

    # ---- text ----

    def fresh(self, word: str) -> str:
        """A name of its own."""
        return f"{word}_{next(self.counter)}"

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
                self.names[name] = number(int(value))
            elif value is None and name in self.launch.arguments:
                self.names[name] = number(0)
            elif isinstance(value, int):
                parameters.append(f"int {name}")
                given.append(str(value))
                self.names[name] = self.scalar(name, (value,))
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
        threads = self.launch.warps * WARP
        head = f"__global__ void {self.function.name}({', '.join(parameters)}) {{"
        shape = ", ".join(map(str, self.find_grid()))
        launch = f"{self.function.name}<<<dim3({shape}), {threads}>>>({', '.join(given)});"
        host = f"int main() {{ {' '.join(arrays)} {launch} }}"
        drawn = f"{DRAWING} " if self.draws else ""
        return f"{drawn}{head}{body}}} {host}\n"

    def find_grid(self) -> tuple[int, ...]:
        """Blocks of the launch; two numbers that number all programs are two of its dimensions.

        Raises
        ------
        NoGridError : what programs work on is no grid of places.
        """
        if self.radix:
            return (*self.radix, 1, 1)[:3]
        if not self.places:
            return self.grid
        values = list(self.places.values())
        sizes = [max(v) + 1 for v in values]
        several = len({tuple(p) for p in zip(*values, strict=True)})
        if (
            len(values) > 2
            or math.prod(self.grid) != self.grid[0]
            or several != self.grid[0]
            or math.prod(sizes) != several
        ):
            raise NoGridError(f"line {self.function.lineno}: which tile a program works on is no grid of tiles")
        # The last one is contiguous.
        return tuple([*sizes[::-1], 1, 1][:3])

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
                self.uses_matrices and tail(function) == "dot"
            ):
                self.bind(name, self.node(value), node)
            case ast.AugAssign(target=ast.Name(id=name)):
                whole = ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value)
                self.bind(name, self.node(ast.fix_missing_locations(ast.copy_location(whole, node))), node)
            case _:
                raise refuse(node.lineno, "what is assigned is no name")

    def call_several(self, call: ast.Call, several: int) -> list[Node]:
        """What a call gives: a function of the file with several values, or an extreme with its place."""
        name = tail(call.func)
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

    def settle(self, value: Node) -> Node:
        """A number of the algorithm that the whole program shares: computed once, where it stands."""
        if value.shape or value.base or not value.real or value.number is not None:
            return value
        nest = Nest(self.fresh)
        label = self.fresh("s")
        text = value.emit(nest, ())
        guards = " && ".join(f"({g})" for g in nest.guards)
        chosen = f"({guards}) ? {text} : 0.0f" if guards else text
        self.say(f"{' '.join(nest.lines)} float {label} = {chosen};")
        return Node(lambda nest, at: label, (), real=True)

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
            and not is_plain(value)
        ):
            label = self.fresh(name)
            held, programs = label, value.programs
            self.names[name] = Node(lambda nest, at: self.place(held, programs), (), programs=programs)
            return
        self.names[name] = value

    def keep(self, name: str, value: Node, at: ast.AST) -> Node:
        """A tensor that the registers of a program hold: loaded or computed once, where it stands."""
        if is_register(value):
            return value
        label = self.fresh(name)
        self.say(f"float {label} = 0.0f;", at)
        self.depths[label] = self.depth
        if value.loaded is not None:
            self.fetch(value, label)
        else:
            self.computed.add(label)
            self.nest(value.shape, lambda nest, at: f"{label} = {value.emit(nest, at)};", at)
        return Node(lambda nest, at: label, value.shape, real=True, dtype=value.dtype)

    def fetch(self, value: Node, label: str) -> None:
        """Load a tile: threads side by side along what is contiguous, 16 bytes each where it is aligned to them."""
        assert value.loaded is not None
        place, only = value.loaded
        tensor = self.launch.arguments.get(place.base)
        size = BYTES[tensor.dtype] if isinstance(tensor, Tensor) else 4
        shape = place.shape
        axis = next((n for n in range(len(shape) - 1, -1, -1) if self.find_step(place, n) == 1), None)
        wide = math.gcd(WIDE // size, shape[axis]) if axis is not None else 1
        kind = VECTORS[wide * size]
        fewer = tuple(n // wide if k == axis else n for k, n in enumerate(shape))

        def load(nest: Nest, at: tuple[str, ...]) -> str:
            where = tuple(f"({c} * {wide})" if k == axis and wide > 1 else c for k, c in enumerate(at))
            if only is not None:
                nest.guard(spread(only, nest, where))
            element = f"(({kind} *){place.base})[({place.emit(nest, where)}) / {wide}]"
            if kind.startswith("float") and len(kind) > len("float"):
                vector = nest.fresh("v")
                return f"{kind} {vector} = {element}; {label} = {vector}.x;"
            return f"{label} = {element};"

        self.nest(fewer, load, fastest=axis)

    def find_step(self, place: Node, axis: int) -> int | None:
        """Elements from one index of a tile's dimension to the next; None where that is no number."""
        known = {n: v for n, v in self.launch.arguments.items() if isinstance(v, int)}
        ends = []
        for end in "01":
            at = tuple(end if n == axis else "0" for n in range(len(place.shape)))
            text = re.sub(r"blockIdx\.\w", "0", place.emit(Nest(self.fresh), at))
            text = re.sub(r"[A-Za-z_]\w*", lambda m: str(known.get(m[0], 0)), text)
            try:
                ends.append(evaluate_number(text, {}))
            except (UnknownNumberError, ArithmeticError, ValueError):
                return None
        step = ends[1] - ends[0]
        return int(step) if float(step).is_integer() else None

    def count_uses(self, name: str, at: ast.AST) -> int:
        """How often the function that is followed uses a name behind a statement."""
        line = getattr(at, "lineno", 0)
        loads = [n for n in ast.walk(self.followed) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        return sum(n.id == name and n.lineno > line for n in loads)

    def compute_once(self, label: str, value: Node, at: ast.Call) -> Node:
        """An argument of a function that is followed, computed before where the function uses it several times."""
        several = value.shape and value.real and not value.base and self.count_uses(label, self.followed) > 1
        return self.remember(label, value, at) if several else value

    def remember(self, name: str, value: Node, at: ast.AST) -> Node:
        """A tensor that is used several times: computed once for each element."""
        trial = Nest(self.fresh)
        if is_loaded(value.emit(trial, ("l",) * len(value.shape)), trial):
            return value
        identity = object()

        def once(nest: Nest, at: tuple[str, ...]) -> str:
            key = identity, at
            if key not in nest.known:
                text, held = value.emit(nest, at), nest.fresh(name)
                nest.lines.append(f"float {held} = {text};")
                nest.known[key] = held
            return nest.known[key]

        return Node(once, value.shape, real=True)

    def place(self, label: str, programs: tuple[int, ...]) -> str:
        """A whole number of a program that is no sum of its indices: a dimension of the grid."""
        for n, values in enumerate(self.places.values()):
            if values == programs:
                return f"blockIdx.{'yx'[n]}"
        self.places[label] = programs
        return f"blockIdx.{'yx'[(len(self.places) - 1) % 2]}"

    def loop(self, name: str, node: ast.For) -> None:
        """``for k in range(0, n, BLOCK)``: what its body adds to is an array of the program's own."""
        call = node.iter
        if not isinstance(call, ast.Call) or tail(call.func) not in ("range", "static_range", "tl.range"):
            raise refuse(node.lineno, "the loop goes over no range")
        bounds = [self.node(a) for a in call.args]
        start, stop, step = (number(0), bounds[0], number(1)) if len(bounds) == 1 else (*bounds, number(1))[:3]
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
                self.hold(label, value, node)
        self.names |= moved
        counter = self.scalar(turn, None)
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
                tail(function) == "advance" and same == label and value.block is not None
            ):
                by_each = [self.node(e) for e in getattr(steps, "elts", [steps])]
                turns = self.scalar(turn, None)
                return self.shift_block(value, [self.combine("*", turns, b) for b in by_each])
        raise refuse(item.lineno, f"'{label}' moves by more than a sum")

    def move(self, value: Node, by: Node, turn: str) -> Node:
        """Where something that moves by as much in each turn of a loop stands in one of them."""
        return self.combine("+", value, self.combine("*", self.scalar(turn, None), by))

    def hold(self, name: str, value: Node, at: ast.AST) -> None:
        """Give a value that a loop changes a place of its own."""
        if self.uses_matrices and value.shape:
            text = "0.0f"
            label = self.fresh(name)
            self.say(f"float {label} = {text};", at)
            if not is_register(value):
                self.nest(value.shape, lambda nest, at: f"{label} = {value.emit(nest, at)};")
            self.depths[label] = self.depth
            self.names[name] = Node(lambda nest, at: label, value.shape, real=True, dtype=value.dtype)
            return
        label, nest = self.fresh(name), Nest(self.fresh)
        if not value.shape:
            text = value.emit(nest, ())
            self.say(" ".join([*nest.lines, f"float {label} = {text};"]), at)
            self.names[name] = Node(lambda nest, at: label, value.shape, real=True)
            return
        self.say(f"float {label}{index([str(n) for n in value.shape])};", at)
        self.nest(value.shape, lambda nest, at: f"{label}{index(at)} = {value.emit(nest, at)};")
        self.names[name] = Node(lambda nest, at: label + index(at), value.shape, real=True)

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
            term = self.term(value, nest, at, place, op)
            if not term:
                return ""
            return f"{place} += {term};" if op == "+" else f"{place} = {op}({place}, {term});"

        self.nest(place_before.shape, update, node)

    def replace_held(self, target: str, node: ast.Assign | ast.AugAssign) -> None:
        """A value of the program's own that becomes another one, made of what it was."""
        before, written = self.names[target], node.value
        if isinstance(node, ast.AugAssign):
            whole = ast.BinOp(ast.Name(target, ast.Load()), node.op, node.value)
            written = ast.fix_missing_locations(ast.copy_location(whole, node))
        after = self.node(written)
        if broadcast(before.shape, after.shape) != before.shape:
            raise refuse(node.lineno, f"'{target}' is changed from turn to turn by more than a sum or a maximum")
        self.nest(before.shape, lambda nest, at: f"{before.emit(nest, at)} = {spread(after, nest, at)};", node)

    def change(self, node: ast.stmt) -> None:
        """A value that a loop changes, in registers: whatever it becomes, it stays in its place."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                changed = self.node(value)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=ast.Call(func=function) as value) if (
                tail(function) == "dot"
            ):
                # Matrix units add to what they are given.
                self.node(value)
                return
            case ast.AugAssign(target=ast.Name(id=name)):
                whole = ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value)
                changed = self.node(ast.fix_missing_locations(ast.copy_location(whole, node)))
            case _:
                raise refuse(node.lineno, "what a loop changes is no name")
        before = self.names[name]
        if is_register(changed):
            return
        label = before.emit(Nest(self.fresh), ("0",) * len(before.shape))
        self.nest(before.shape, lambda nest, at: f"{label} = {spread(changed, nest, at)};", node)

    def term(self, value: ast.expr, nest: Nest, at: tuple[str, ...], place: str, op: str) -> str:
        """What is added to an element; a sum or a product of tiles adds each of its terms itself: '' then."""
        if isinstance(value, ast.Call) and SUMS.get(tail(value.func)) == op:
            inner, axis = self.node(value.args[0]), self.find_axis(value)
            if axis is not None and len(inner.shape) > 1:
                nest.lines.append(self.write_sum(place, op, inner.shape[axis], along(inner, at, axis)))
                return ""
        return spread(self.node(value), nest, at)

    def call_statement(self, node: ast.Call) -> None:
        """A store, or an atomic sum."""
        name = tail(node.func)
        if name in NOTHING or (name in self.helpers and self.inline_all(self.helpers[name], node) is not None):
            return
        if name not in ("store", "atomic_add", "atomic_max", "atomic_min"):
            raise refuse(node.lineno, f"the call of '{one_line(name, 40)}' is not followed")
        place = self.node(node.args[0])
        value = self.node(node.args[1])
        mask = node.args[2] if len(node.args) > 2 else next((k.value for k in node.keywords if k.arg == "mask"), None)
        only = self.node(mask) if mask is not None else None
        if not place.base:
            raise refuse(node.lineno, "the place of a store is no address")
        if place.block is not None:
            only = self.bound_block(place, node, only)
        shape = broadcast(place.shape, value.shape)

        def keep(nest: Nest, at: tuple[str, ...]) -> str:
            if only is not None:
                nest.guard(spread(only, nest, at))
            element = f"{place.base}[{spread(place, nest, at)}]"
            if name == "store":
                return f"{element} = {spread(value, nest, at)};"
            return f"atomic{name[7:].capitalize()}(&{element}, {spread(value, nest, at)});"

        self.nest(shape, keep, node)

    def nest(
        self, shape: Sequence[int], inside: Callable[[Nest, tuple[str, ...]], str], at: ast.AST | None = None,
        fastest: int | None = None,
    ) -> None:  # fmt: skip
        """Loops over the elements of a tensor; of a number, what one thread does.

        fastest : dimension along which threads stand side by side; the last where it is None.
        """
        counters = tuple(self.fresh("l") for _ in shape)
        nest = Nest(self.fresh)
        text = inside(nest, counters)
        inner = " ".join([*nest.lines, text])
        if nest.guards:
            inner = f"if ({' && '.join(f'({g})' for g in nest.guards)}) {{ {inner} }}"
        flat = len(shape) > 1 and shape[-1] < self.launch.warps * WARP
        if (self.uses_matrices or flat) and shape:
            self.say(self.share(inner, shape, counters, len(shape) - 1 if fastest is None else fastest), at)
            return
        if not shape:
            inner = f"if (threadIdx.x == 0) {{ {inner} }}"
        for n in range(len(shape) - 1, -1, -1):
            inner = f"{self.head(counters[n], shape[n], n == len(shape) - 1)} {{ {inner} }}"
        self.say(inner, at)

    def share(self, inner: str, shape: Sequence[int], counters: Sequence[str], fastest: int) -> str:
        """A loop in which the threads of a program share all elements of a tensor."""
        element, before = self.fresh("e"), 1
        parts = []
        for n in (fastest, *(n for n in range(len(shape) - 1, -1, -1) if n != fastest)):
            quotient = f"{element} / {before}" if before > 1 else element
            before *= shape[n]
            parts.append(f"int {counters[n]} = {quotient} % {shape[n]};")
        head = f"for (int {element} = threadIdx.x; {element} < {before}; {element} += {self.launch.warps * WARP})"
        return f"{head} {{ {' '.join(parts)} {inner} }}"

    def head(self, counter: str, size: int, innermost: bool = True) -> str:
        """A loop over a dimension; the threads of a program share the contiguous one."""
        if innermost:
            return f"for (int {counter} = threadIdx.x; {counter} < {size}; {counter} += {self.launch.warps * WARP})"
        return f"for (int {counter} = 0; {counter} < {size}; {counter}++)"

    def write_sum(self, place: str, op: str, size: int, term: Callable[[Nest, str], str]) -> str:
        """A loop that adds up over a dimension, into a place."""
        counter, inner = self.fresh("r"), Nest(self.fresh)
        text = term(inner, counter)
        step = f"{place} += {text};" if op == "+" else f"{place} = {op}({place}, {text});"
        body = " ".join([*inner.lines, step])
        if inner.guards:
            body = f"if ({' && '.join(f'({g})' for g in inner.guards)}) {{ {body} }}"
        return f"for (int {counter} = 0; {counter} < {size}; {counter}++) {{ {body} }}"

    # ---- values ----

    def scalar(self, name: str, programs: tuple[int, ...] | None) -> Node:
        """A whole number that has a name."""
        return Node(lambda nest, at: name, (), programs=programs)

    def node(self, node: ast.expr) -> Node:
        """The value of an expression."""
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                return number(value)
            case ast.Compare() | ast.UnaryOp(op=ast.Not()) if (known := self.ask(node)) is not None:
                return number(int(known))
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
                return number(-value.number) if value.number is not None else self.combine("-", number(0), value)
            case ast.BinOp() if type(node.op) in SIGNS:
                return self.combine(SIGNS[type(node.op)], self.node(node.left), self.node(node.right), node)
            case ast.Compare(ops=[op]) if type(op) in SIGNS:
                return self.combine(SIGNS[type(op)], self.node(node.left), self.node(node.comparators[0]), node)
            case ast.BoolOp():
                joined, *rest = (self.node(v) for v in node.values)
                for part in rest:
                    joined = self.combine("&&" if isinstance(node.op, ast.And) else "||", joined, part)
                return joined
        raise refuse(node.lineno, f"{type(node).__name__} in a Triton kernel is not followed")

    def combine(self, op: str, left: Node, right: Node, at: ast.AST | None = None) -> Node:
        """An operation of two values, element by element."""
        if left.base or right.base:
            pointer, by = (left, right) if left.base else (right, left)
            if op not in "+-" or by.base:
                raise refuse(getattr(at, "lineno", 1), "addresses are only moved")
            if op == "+" and not pointer.shape and pointer.emit(Nest(self.fresh), ()) == "0":
                # From the start of an array: no addition, where the place is an element's value.
                return Node(by.emit, by.shape, pointer.base)
            inner = self.combine(op, Node(pointer.emit, pointer.shape), by)
            return Node(inner.emit, inner.shape, pointer.base)
        if op in "&|" and left.number is None and right.number is None:
            op = op * 2
        if (folded := fold(op, left, right)) is not None:
            return folded
        sides = [known_programs(left, self.grid), known_programs(right, self.grid)]
        programs = None
        if sides[0] is not None and sides[1] is not None and op not in COMPARED:
            pairs = zip(*spread_programs(sides[0], sides[1]), strict=True)
            programs = tuple(int(evaluate(op, a, b)) for a, b in pairs)
            if self.radix and op in "/%" and (digit := find_digit(programs)) is not None:
                label = self.number_digits(*digit)
                return Node(lambda nest, at: label, (), programs=programs)

        def emit(nest: Nest, at: tuple[str, ...]) -> str:
            return f"({spread(left, nest, at)} {op} {spread(right, nest, at)})"

        combined = Node(
            emit, broadcast(left.shape, right.shape), real=(left.real or right.real) and op not in COMPARED,
            programs=programs, top=add_tops(op, left, right),
        )  # fmt: skip
        return self.settle(combined)

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
        name = tail(node.func)
        if (owner := self.find_owner(node)) is not None and name != "to":
            node = ast.copy_location(
                ast.Call(ast.Attribute(ast.Name("tl", ast.Load()), name), [owner, *node.args], node.keywords), node
            )
        if PLACES.get(name, name) in SUMS and isinstance(node.func, ast.Attribute):
            return self.sum(node, PLACES.get(name, name))
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
        own_way: dict[str, Callable[[ast.Call], Node]] = {
            "program_id": self.program, "num_programs": self.program, "arange": self.arange, "zeros": self.fill,
            "full": self.fill, "zeros_like": self.fill, "load": self.load, "cdiv": self.cdiv, "where": self.where,
            "sigmoid": self.sigmoid, "dot": self.dot, "trans": self.trans, "float": self.infinity,
            "make_block_ptr": self.make_block, "advance": self.advance, "cumsum": self.running, "cumprod": self.running,
            "rand": self.draw, "randn": self.draw,
            "associative_scan": self.running, "reduce": self.reduce, "histogram": self.count_bins, "randint": self.draw,
            "clamp": self.clamp, "div_rn": self.divide, "fdiv": self.divide,
            "sort": self.order, "expand_dims": self.expand_dims, "softmax": self.softmax,
        }  # fmt: skip
        if name not in own_way:
            raise refuse(node.lineno, f"the call of '{one_line(name, 40)}' in a Triton kernel is not followed")
        return own_way[name](node)

    def find_owner(self, node: ast.Call) -> ast.expr | None:
        """The value whose method is called: ``x.sum(axis=0)``; None where a function of a module is."""
        if not isinstance(node.func, ast.Attribute):
            return None
        base: ast.expr = node.func.value
        while isinstance(base, ast.Attribute):
            base = base.value
        return None if isinstance(base, ast.Name) and base.id not in self.names else node.func.value

    def reduce(self, node: ast.Call) -> Node:
        """``tl.reduce(x, axis=0, combine_fn=add)``."""
        given = dict(zip(("input", "axis", "combine_fn"), node.args, strict=False))
        given |= {k.arg: k.value for k in node.keywords if k.arg}
        name = {"+": "sum", "fmaxf": "max", "fminf": "min"}.get(self.find_combined(given["combine_fn"], node), "")
        if not name:
            raise refuse(node.lineno, "what elements are combined by is no sum or extreme")
        whole = ast.Call(ast.Attribute(ast.Name("tl", ast.Load()), name), [given["input"], given["axis"]], [])
        return self.sum(ast.fix_missing_locations(ast.copy_location(whole, node)), name)

    def find_combined(self, function: ast.expr, node: ast.Call) -> str:
        """What a function of two values that is handed over computes: "+", "*", "fmaxf" or "fminf"."""
        helper = self.helpers.get(tail(function))
        last = helper.body[-1] if helper is not None else None
        value = last.value if isinstance(last, ast.Return) else None
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Mult)):
            return SIGNS[type(value.op)]
        if isinstance(value, ast.Call) and tail(value.func) in ("maximum", "minimum", "max", "min"):
            return f"f{tail(value.func)[:3]}f"
        raise refuse(node.lineno, "what elements are combined by is no sum, product or extreme")

    def clamp(self, node: ast.Call) -> Node:
        """``tl.clamp(x, low, high)``."""
        value, low, high = (self.node(a) for a in node.args[:3])
        return self.compute("minimum", [self.compute("maximum", [value, low]), high])

    def divide(self, node: ast.Call) -> Node:
        """``tl.div_rn(a, b)``."""
        left, right = (self.node(a) for a in node.args[:2])
        return self.combine("/", left, right, node)

    def count_bins(self, node: ast.Call) -> Node:
        """``tl.histogram(x, BINS)``: a count for each value, which a program adds to the counts of all."""
        inner, bins = self.node(node.args[0]), int(self.node(node.args[1]).number or 0)
        if not bins:
            raise refuse(node.lineno, "how many values tl.histogram counts is no number")
        label = self.fresh("bins")
        self.say(f"__shared__ float {label}[{bins}];", node)
        self.nest(inner.shape, lambda nest, at: f"atomicAdd(&{label}[{inner.emit(nest, at)}], 1.0f);", node)
        return Node(lambda nest, at: f"{label}[{at[0]}]", (bins,), real=True)

    def program(self, node: ast.Call) -> Node:
        """``tl.program_id(0)``, ``tl.num_programs(0)``."""
        at = int(self.node(node.args[0] if node.args else node.keywords[0].value).number or 0)
        if tail(node.func) == "num_programs":
            return number(self.grid[at])
        label = self.number_digits(1, self.grid[0]) if self.radix else f"blockIdx.{'xyz'[at]}"
        flat = math.prod(self.grid) == self.grid[0] <= MOST_PROGRAMS
        return Node(lambda nest, at: label, (), programs=tuple(range(self.grid[0])) if flat else None,
                    top=self.grid[at] - 1)  # fmt: skip

    def number_digits(self, divisor: int, size: int) -> str:
        """``program / divisor % size`` from the dimensions of the grid."""
        weight, digits = 1, list[str]()
        for axis, extent in zip("xyz", self.radix or (), strict=False):
            if divisor <= weight < divisor * size:
                digits.append(f"blockIdx.{axis} * {weight // divisor}" if weight > divisor else f"blockIdx.{axis}")
            weight *= extent
        return f"({' + '.join(digits[::-1])})" if len(digits) > 1 else "".join(digits) or "0"

    def draw(self, node: ast.Call) -> Node:
        """``tl.rand(seed, offsets)``: a function of an element's number, Philox of ten rounds where it runs."""
        place = self.node(node.args[1])
        self.draws = True
        return Node(lambda nest, at: f"{DRAW}(1)", place.shape, real=True)

    def arange(self, node: ast.Call) -> Node:
        """``tl.arange(0, BLOCK)``."""
        low, high = (int(self.node(a).number or 0) for a in node.args)
        return Node(lambda nest, at: f"({at[0]} + {low})" if low else at[0], (high - low,), top=high - 1)

    def fill(self, node: ast.Call) -> Node:
        """``tl.zeros((BLOCK,), tl.float32)``."""
        like = tail(node.func) == "zeros_like"
        shape = self.node(node.args[0]).shape if like else self.find_shape(node.args[0])
        value = self.node(node.args[1]) if tail(node.func) == "full" else number(0.0)
        text = f"{float(value.number)}f" if value.number is not None else ""
        return Node(lambda nest, at: text or value.emit(nest, ()), shape, real=True)

    def cdiv(self, node: ast.Call) -> Node:
        """A quotient that is rounded up."""
        a, b = (self.node(x) for x in node.args[:2])
        return self.combine("/", self.combine("-", self.combine("+", a, b), number(1)), b)

    def infinity(self, node: ast.Call) -> Node:
        """``float("inf")``."""
        negative = isinstance(node.args[0], ast.Constant) and str(node.args[0].value).startswith("-")
        return number(-1e30 if negative else 1e30)

    def compute(self, name: str, given: Sequence[Node]) -> Node:
        """A function of elements, one operation each."""
        if all(g.number is not None for g in given) and name in ("min", "max"):
            return number({"min": min, "max": max}[name](g.number for g in given if g.number is not None))
        sides = [known_programs(g, self.grid) for g in given]
        programs = None
        if name in ("min", "max", "minimum", "maximum") and all(s is not None for s in sides):
            choose = {"min": min, "max": max}[name[:3]]
            pairs = zip(*spread_programs(*(s for s in sides if s is not None)), strict=True)
            programs = tuple(choose(a, b) for a, b in pairs)
        label = CALLS.get(name, {"min": "min", "max": "max"}.get(name, name))
        shape: tuple[int, ...] = ()
        for g in given:
            shape = broadcast(shape, g.shape)
        real = name not in ("min", "max") or any(g.real for g in given)
        call = Node(
            lambda nest, at: f"{label}({', '.join(spread(g, nest, at) for g in given)})", shape, real=real,
            programs=programs,
        )  # fmt: skip
        return self.settle(call)

    def load(self, node: ast.Call) -> Node:
        """``tl.load(p + i, mask=m)``: outside of its mask nothing is loaded."""
        place = self.node(node.args[0])
        mask = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "mask"), None)
        only = self.node(mask) if mask is not None else None
        if not place.base:
            raise refuse(node.lineno, "what is loaded has no address")
        kind = self.launch.arguments.get(place.base)
        whole = isinstance(kind, Tensor) and kind.dtype.startswith(("int", "uint"))
        dtype = kind.dtype if isinstance(kind, Tensor) else ""
        if place.block is not None:
            only = self.bound_block(place, node, only)
        identity = object()

        def emit(nest: Nest, at: tuple[str, ...]) -> str:
            key = identity, at
            if key not in nest.known:
                if only is not None:
                    nest.guard(spread(only, nest, at))
                element = f"{place.base}[{place.emit(nest, at)}]"
                if whole:
                    return element
                label = nest.fresh("v")
                nest.lines.append(f"float {label} = {element};")
                nest.known[key] = label
            return nest.known[key]

        return Node(emit, place.shape, real=not whole, dtype=dtype, loaded=(place, only) if place.shape else None)

    def where(self, node: ast.Call) -> Node:
        """``tl.where(c, a, b)``."""
        test, yes, no = (self.node(a) for a in node.args)
        shape = broadcast(broadcast(test.shape, yes.shape), no.shape)

        def emit(nest: Nest, at: tuple[str, ...]) -> str:
            condition = spread(test, nest, at)
            if no.number is not None and condition in nest.guards:
                return spread(yes, nest, at)
            return f"({condition} ? {spread(yes, nest, at)} : {spread(no, nest, at)})"

        return Node(emit, shape, real=True)

    def sigmoid(self, node: ast.Call) -> Node:
        """``1 / (1 + exp(-x))``."""
        inner = self.node(node.args[0])
        return Node(lambda nest, at: f"(1.0f / (1.0f + expf(-{inner.emit(nest, at)})))", inner.shape, real=True)

    def trans(self, node: ast.Call) -> Node:
        """A tile turned."""
        return transpose(self.node(node.args[0]))

    def expand_dims(self, node: ast.Call) -> Node:
        """``tl.expand_dims(x, 1)``."""
        value, at = self.node(node.args[0]), self.find_axis(node) or 0
        at %= len(value.shape) + 1
        shape = (*value.shape[:at], 1, *value.shape[at:])
        return replace(value, emit=lambda nest, c: value.emit(nest, (*c[:at], *c[at + 1 :])), shape=shape, loaded=None)

    def softmax(self, node: ast.Call) -> Node:
        """``tl.softmax(x)``: its rows or all of it, less the largest, over the sum."""
        text = "tl.exp({0} - tl.max({0}, axis=0)) / tl.sum(tl.exp({0} - tl.max({0}, axis=0)), axis=0)"
        whole = ast.parse(text.format(ast.unparse(node.args[0])), mode="eval").body
        return self.node(ast.fix_missing_locations(ast.copy_location(whole, node)))

    def running(self, node: ast.Call) -> Node:
        """``tl.cumsum(x, axis=0)``: a value after the other along a dimension."""
        inner = self.node(node.args[0])
        op = {"cumprod": "*", "cumsum": "+"}.get(tail(node.func), "")
        if not op:
            functions = [*node.args[2:], *(k.value for k in node.keywords if k.arg == "combine_fn")]
            op = self.find_combined(functions[0], node)
        # Threads of a program add up by shuffles: twice as many operations as elements.
        sign = op if op in "+*" else "+"
        return Node(lambda nest, at: f"({inner.emit(nest, at)} {sign} 0.5f {sign} 0.5f)", inner.shape, real=True)

    def order(self, node: ast.Call) -> Node:
        """``tl.sort(x)``: a bitonic network, k (k + 1) / 2 steps of an element's comparison with another one."""
        inner = self.node(node.args[0])
        stages = max(1, math.ceil(math.log2(max(2, inner.shape[-1]))))
        text = "fminf({}, 0.5f)"
        steps = stages * (stages + 1) // 2

        def emit(nest: Nest, at: tuple[str, ...]) -> str:
            label = nest.fresh("k")
            step = f"{label} = {text.format(label)};"
            nest.lines.append(f"float {label} = {inner.emit(nest, at)}; for (int s = 0; s < {steps}; s++) {{ {step} }}")
            return label

        return Node(emit, inner.shape, real=True)

    def make_block(self, node: ast.Call) -> Node:
        """``tl.make_block_ptr(base=p, shape=..., strides=..., offsets=..., block_shape=..., order=...)``."""
        names = ("base", "shape", "strides", "offsets", "block_shape", "order")
        given = dict(zip(names, node.args, strict=False)) | {k.arg: k.value for k in node.keywords if k.arg}
        base = self.node(given["base"])
        sizes, strides, starts = (
            tuple(self.node(e) for e in getattr(given[n], "elts", [given[n]])) for n in ("shape", "strides", "offsets")
        )
        return self.point(base, (starts, sizes, strides), self.find_shape(given["block_shape"]))

    def point(
        self, base: Node, block: tuple[tuple[Node, ...], tuple[Node, ...], tuple[Node, ...]], shape: tuple[int, ...]
    ) -> Node:
        """The addresses of a block pointer."""
        starts, _, strides = block
        total = Node(lambda nest, at: base.emit(nest, ()), ())
        for n, (start, stride) in enumerate(zip(starts, strides, strict=True)):
            counter = Node(lambda nest, at, n=n: at[n], shape)  # type: ignore[misc]
            total = self.combine("+", total, self.combine("*", self.combine("+", start, counter), stride))
        return Node(total.emit, shape, base.base, block=block, loaded=(base, None))

    def advance(self, node: ast.Call) -> Node:
        """``tl.advance(p, (0, BLOCK_K))``."""
        pointer = self.node(node.args[0])
        if pointer.block is None or pointer.loaded is None:
            raise refuse(node.lineno, "what is advanced is no block pointer")
        steps = [self.node(e) for e in getattr(node.args[1], "elts", [node.args[1]])]
        return self.shift_block(pointer, steps)

    def shift_block(self, pointer: Node, steps: Sequence[Node]) -> Node:
        """A block pointer some elements further."""
        assert pointer.block is not None
        assert pointer.loaded is not None
        starts, sizes, strides = pointer.block
        moved = tuple(self.combine("+", a, b) for a, b in zip(starts, steps, strict=True))
        return self.point(pointer.loaded[0], (moved, sizes, strides), pointer.shape)

    def bound_block(self, place: Node, node: ast.Call, only: Node | None) -> Node | None:
        """The mask of a block pointer: inside of the dimensions that it checks."""
        asked = next((k.value for k in node.keywords if k.arg == "boundary_check"), None)
        if asked is None:
            return only
        assert place.block is not None
        starts, sizes, _ = place.block
        for item in getattr(asked, "elts", [asked]):
            n = int(self.node(item).number or 0)
            counter = Node(lambda nest, at, n=n: at[n], place.shape)  # type: ignore[misc]
            inside = self.combine("<", self.combine("+", starts[n], counter), sizes[n])
            only = inside if only is None else self.combine("&", only, inside)
        return only

    def inline_all(self, function: ast.FunctionDef, node: ast.Call) -> list[Node]:
        """The values of such a function: its statements, with its parameters for the arguments."""
        if self.inside >= DEEPEST:
            raise refuse(node.lineno, "functions call each other too deeply")
        labels = [a.arg for a in function.args.args]
        defaults = dict(zip(labels[::-1], function.args.defaults[::-1], strict=False))
        written = {**defaults, **dict(zip(labels, node.args, strict=False))}
        written |= {k.arg: k.value for k in node.keywords if k.arg}
        outer, texts = self.names, dict(self.texts)
        values: dict[str, Node] = {}
        for label, item in written.items():
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
        word = tail(node)
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

    def dot(self, node: ast.Call) -> Node:
        """A product of two tiles on matrix units, whose operands lie in shared memory.

        Each warp computes a part of the product: it reads the rows of the left tile and the columns of the right one
        that it needs, so that a tile is read as often as parts lie side by side.
        """
        given = {k.arg: k.value for k in node.keywords if k.arg}
        left, right = (self.keep("tile", self.node(a), node) for a in node.args[:2])
        if len(left.shape) != 2 or len(right.shape) != 2 or left.shape[1] != right.shape[0]:
            raise refuse(node.lineno, f"a product of tiles of {left.shape} and {right.shape}")
        (rows, inner), columns, warps = left.shape, right.shape[1], self.launch.warps
        kind = left.dtype or right.dtype or "float32"
        exact = getattr(given.get("input_precision"), "value", "") == "ieee" or (
            "allow_tf32" in given and self.node(given["allow_tf32"]).number == 0
        )
        bits = 32 if exact and kind == "float32" else MATRIX_BITS.get(kind)
        if bits is None:
            raise refuse(node.lineno, f"a product of tiles of {kind}")
        down = 1
        while 2 * down <= warps and down * columns < warps // down * rows:
            down *= 2
        groups = warps // WARPS_OF_GROUP if bits in GROUP_BITS and rows >= GROUP_ROWS else 0
        groups_down = min(groups, rows // GROUP_ROWS)
        moved = saved = 0
        for tile, times, by_groups in (
            (left, warps // down, groups // max(1, groups_down)), (right, down, groups_down),
        ):  # fmt: skip
            label = tile.emit(Nest(self.fresh), ("0", "0"))
            if label in self.computed and tile is left:
                # Registers of a warp hold its own part.
                continue
            outside = self.depths.get(label, self.depth) < self.depth
            bytes_of_tile = math.prod(tile.shape) * BYTES[kind]
            moved += bytes_of_tile * (times + (0 if outside else 1))
            saved += bytes_of_tile * max(0, times - by_groups) if groups else 0
            self.place_tile(tile, label, kind, 1 if outside or not self.depth else self.launch.stages)
        products = rows * inner * columns // warps
        self.say(f"__matrix_multiply({products}, {bits}); __shared_traffic({moved // warps}, {saved // warps});", node)
        third = node.args[2] if len(node.args) > 2 else given.get("acc")
        if third is not None and not is_none(third):
            return self.node(third)
        label = self.fresh("product")
        self.depths[label] = self.depth
        self.say(f"float {label} = 0.0f;", node)
        return Node(lambda nest, at: label, (rows, columns), real=True)

    def place_tile(self, tile: Node, label: str, kind: str, stages: int) -> None:
        """Shared memory of an operand, of those of a loop for each stage of its pipeline."""
        if label in self.tiles:
            return
        self.tiles[label] = f"shared_{label}"
        self.say(f"__shared__ {C_TYPES.get(kind, 'char')} {self.tiles[label]}[{math.prod(tile.shape) * stages}];")

    def make_place(self, word: str, shape: tuple[int, ...], start: str, at: ast.AST) -> Node:
        """A tensor of the program's own, with a first value: a number of each thread where elements are threads'."""
        label = self.fresh(word)
        if self.uses_matrices:
            self.depths[label] = self.depth
            self.say(f"float {label} = {start};", at)
            return Node(lambda nest, at: label, shape, real=True)
        self.say(f"float {label}{index([str(n) for n in shape])};", at)
        self.nest(shape, lambda nest, at: f"{label}{index(at)} = {start};")
        return Node(lambda nest, at: label + index(at), shape, real=True)

    def find_axis(self, node: ast.Call) -> int | None:
        """The dimension that a sum goes over; None for all."""
        given = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "axis"), None)
        return int(self.node(given).number or 0) if given is not None and not is_none(given) else None

    def sum(self, node: ast.Call, name: str) -> Node:
        """A sum or a maximum over a dimension: computed where it stands."""
        if any(k.arg == "return_indices" for k in node.keywords):
            raise refuse(node.lineno, "an extreme with its place is two values: give each a name")
        inner, axis, op = self.node(node.args[0]), self.find_axis(node), SUMS[name]
        start = "0.0f" if op == "+" else "-1e30f" if name == "max" else "1e30f"
        if len(inner.shape) <= 1 or axis is None:
            label = self.fresh(name)
            self.say(f"float {label} = {start};", node)

            def step(nest: Nest, at: tuple[str, ...]) -> str:
                term = inner.emit(nest, at)
                return f"{label} += {term};" if op == "+" else f"{label} = {op}({label}, {term});"

            self.nest(inner.shape, step)
            return Node(lambda nest, at: label, (), real=True)
        shape = tuple(s for n, s in enumerate(inner.shape) if n != axis % len(inner.shape))
        place, size = self.make_place(name, shape, start, node), inner.shape[axis]
        if axis % len(inner.shape) == len(inner.shape) - 1:
            # The threads of a program stand side by side along the last dimension, also where it is added up.
            def add(nest: Nest, at: tuple[str, ...]) -> str:
                element, term = place.emit(nest, at[:-1]), inner.emit(nest, at)
                return f"{element} += {term};" if op == "+" else f"{element} = {op}({element}, {term});"

            self.nest(inner.shape, add, node)
            return place
        self.nest(shape, lambda nest, at: self.write_sum(place.emit(nest, at), op, size, along(inner, at, axis)))
        return place

    def find_shape(self, node: ast.expr) -> tuple[int, ...]:
        """``(BLOCK_M, BLOCK_N)``."""
        items = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
        sizes = [self.node(i).number for i in items]
        if not all(sizes):
            raise refuse(node.lineno, "a tensor's shape is no number")
        return tuple(int(s or 0) for s in sizes)


def find_digit(values: Sequence[int]) -> tuple[int, int] | None:
    """Divisor and size with which numbers are ``k / divisor % size`` for k = 0, 1, ...; None for others.

    >>> find_digit([0, 0, 1, 1, 0, 0, 1, 1])
    (2, 2)
    """
    divisor = next((k for k, v in enumerate(values) if v), 0)
    size = max(values, default=0) + 1
    agrees = divisor and all(v == k // divisor % size for k, v in enumerate(values))
    return (divisor, size) if agrees else None


def find_radix(kernel: Kernel) -> tuple[int, ...]:
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
    called = {tail(n.func) for n in ast.walk(function) if isinstance(n, ast.Call)}
    return "dot" in called or (
        depth > 0 and any(calls_dot(helpers[n], helpers, depth - 1) for n in called & {*helpers})
    )


def find_changes(node: ast.stmt) -> dict[str, ast.Assign | ast.AugAssign]:
    """Names that a loop gives values, and where."""
    changes: dict[str, ast.Assign | ast.AugAssign] = {}
    for item in ast.walk(node):
        if isinstance(item, (ast.Assign, ast.AugAssign)):
            targets = item.targets if isinstance(item, ast.Assign) else [item.target]
            changes |= {t.id: item for t in targets if isinstance(t, ast.Name)}
    return changes


def find_carried(body: Sequence[ast.stmt]) -> set[str]:
    """Names that a loop's body reads before it gives them a value."""
    known, carried = set[str](), set[str]()
    for item in body:
        read = {n.id for n in ast.walk(item) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        read |= {n.target.id for n in ast.walk(item) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
        carried |= read - known
        known |= assigned(item)
    return carried


def is_constexpr(argument: ast.arg) -> bool:
    """Whether a parameter is a constant of the compiler."""
    return argument.annotation is not None and "constexpr" in ast.dump(argument.annotation)


def is_none(node: ast.expr) -> bool:
    """Whether an index is ``None``."""
    return isinstance(node, ast.Constant) and node.value is None


def assigned(node: ast.stmt) -> set[str]:
    """Names that a statement gives a value."""
    targets = [t for s in ast.walk(node) if isinstance(s, ast.Assign) for t in s.targets]
    targets += [s.target for s in ast.walk(node) if isinstance(s, ast.AugAssign)]
    return {t.id for t in targets if isinstance(t, ast.Name)}


def read_update(node: ast.stmt) -> tuple[str, ast.expr | None, str]:
    """``x += e``, ``x = x + e``, ``x = tl.maximum(x, e)``, ``x = tl.dot(a, b, x)``: what changes, by what, and how."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name):
        return node.target.id, node.value, "+"
    name = re.sub(r"\W", "", ast.unparse(node.targets[0])) if isinstance(node, ast.Assign) else ""
    value = getattr(node, "value", None)
    parts: list[ast.expr] = []
    op = ""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        parts, op = [value.left, value.right], "+"
    elif (
        isinstance(value, ast.Call)
        and tail(value.func) in ("maximum", "minimum", "max", "min")
        and len(value.args) == 2
    ):
        parts, op = list(value.args), {"ma": "fmaxf", "mi": "fminf"}[tail(value.func)[:2]]
    elif isinstance(value, ast.Call) and tail(value.func) == "dot":
        third = (
            value.args[2] if len(value.args) > 2 else next((k.value for k in value.keywords if k.arg == "acc"), None)
        )
        return (name, value, "dot") if getattr(third, "id", "") == name else (name, None, "")
    rest = [p for p in parts if getattr(p, "id", "") != name]
    return (name, rest[0], op) if len(rest) == 1 and len(parts) == 2 else (name, None, "")
