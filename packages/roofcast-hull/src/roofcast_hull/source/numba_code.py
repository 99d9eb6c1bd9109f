"""Kernels of ``numba.cuda`` as the CUDA that they stand for: indices, shared arrays, barriers and atomics by name.

Arrays are contiguous, with the shapes and types that the file's own statements give them; lines are those of the user.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_values import Tensor
from roofcast_hull.source.python_host import Host
from roofcast_hull.source.python_syntax import C_SIGNS, last_name, name_called, put_at
from roofcast_hull.source.triton_host import TritonLaunch
from roofcast_hull.source.user_lines import UserLines

C_TYPES = {"float16": "__half", "float32": "float", "float64": "double", "int8": "char", "uint8": "unsigned char",
           "bool": "char", "int16": "short", "int32": "int", "int64": "long"}  # fmt: skip
SPECIAL = ("threadIdx", "blockIdx", "blockDim", "gridDim")
AXES = "xyz"
CASTS = {"float16": "float", "float32": "float", "float64": "double", "float": "double", "int": "int", "int8": "int",
         "uint8": "int", "int16": "int", "int32": "int", "uint32": "int", "int64": "long",
         "uint64": "long"}  # fmt: skip
MATHEMATICS = {"sqrt": "sqrt", "exp": "exp", "log": "log", "log2": "log2", "log10": "log10", "sin": "sin", "cos": "cos",
               "tan": "tan", "tanh": "tanh", "atan": "atan", "atan2": "atan2", "asin": "asin",
               "acos": "acos",
               "erf": "erf", "fabs": "fabs", "floor": "floor", "ceil": "ceil", "pow": "pow", "hypot": "hypot",
               "fma": "fma", "rsqrt": "rsqrt", "expm1": "expm1", "log1p": "log1p", "abs": "fabs"}  # fmt: skip
SHUFFLES = ("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync")
SILENT = ("print",)
WAITS = {"syncthreads": "__syncthreads();", "syncwarp": "__syncwarp();", "threadfence": ""}


def find_numba(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Kernels of a file; empty where it does not import Numba."""
    imported = {a.name.partition(".")[0] for n in tree.body if isinstance(n, ast.Import) for a in n.names}
    imported |= {(n.module or "").partition(".")[0] for n in tree.body if isinstance(n, ast.ImportFrom)}
    if "numba" not in imported:
        return {}
    return {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef) and is_compiled(n) and not is_device(n)}


def is_compiled(function: ast.FunctionDef) -> bool:
    """Whether a function is compiled for GPUs: ``@cuda.jit``, with or without arguments."""
    named = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
    return any(isinstance(d, ast.Attribute) and d.attr == "jit" and last_name(d.value) == "cuda" for d in named)


def is_device(function: ast.FunctionDef) -> bool:
    """Whether kernels call it: ``@cuda.jit(device=True)``."""
    given = [k for d in function.decorator_list if isinstance(d, ast.Call) for k in d.keywords]
    return any(k.arg == "device" and getattr(k.value, "value", False) for k in given)


def find_numba_launches(tree: ast.Module) -> list[TritonLaunch]:
    """Launches of a file's kernels in their order, with grid and block."""
    kernels = find_numba(tree)
    compiled = {n.name for n in tree.body if isinstance(n, ast.FunctionDef) and is_compiled(n)}
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name not in compiled}
    host = NumbaHost(kernels, functions)
    names: dict[str, object] = {}
    host.run([n for n in tree.body if not isinstance(n, (ast.FunctionDef, ast.ClassDef))], names)
    launched = {x.kernel for x in host.launches}
    for function in functions.values():
        inner = NumbaHost(kernels, functions)
        inner.run(function.body, dict(names))
        host.launches += [x for x in inner.launches if x.kernel not in launched]
        launched |= {x.kernel for x in inner.launches}
    return host.launches


class NumbaHost(Host):
    """Follows the statements of a file that launches ``kernel[blocks, threads](...)``."""

    def launch(self, node: ast.Call, kernel: str, grid: ast.expr, names: Mapping[str, object]) -> None:
        """One launch."""
        labels = [a.arg for a in self.kernels[kernel].args.args]
        shapes = [self.find(e, names) for e in grid.elts[:2]] if isinstance(grid, ast.Tuple) else []
        shapes = [(s,) if isinstance(s, int) else s for s in shapes]
        whole = len(shapes) == 2 and all(
            isinstance(s, tuple) and all(isinstance(n, int) and n > 0 for n in s) for s in shapes
        )
        values = dict(zip(labels, (self.find(a, names) for a in node.args), strict=False))
        numbers = {n: v for n, v in names.items() if type(v) in (int, float, bool)}
        self.launches.append(
            TritonLaunch(
                kernel, node.lineno, tuple(shapes[0]) if whole else None,
                {n: v for n, v in values.items() if v is not None}, 1, constants=numbers,
                block=tuple(shapes[1]) if whole else (),
            )
        )  # fmt: skip


def write_numba(tree: ast.Module, kernel: str, chosen: int | None = None) -> str:
    """A kernel and one of its launches in CUDA.

    Raises
    ------
    SourceError : nothing in the file launches it with arrays that it states, or it does more than is followed.
    """
    function = find_numba(tree)[kernel]
    mine = [x for x in find_numba_launches(tree) if x.kernel == kernel]
    if not mine or mine[chosen or 0].grid is None:
        why = "nothing in the file launches it with blocks and threads that it states"
        raise refuse(function.lineno, f"'{one_line(kernel, 40)}': {why}")
    launch = mine[chosen or 0]
    helpers = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef) and is_compiled(n) and is_device(n)}
    constants = {
        t.id: s.value for s in tree.body if isinstance(s, ast.Assign) for t in s.targets if isinstance(t, ast.Name)
    }
    return Writer(function, launch, helpers, constants).write()


@dataclass
class Writer(UserLines):
    """Writes one kernel at one launch."""

    function: ast.FunctionDef
    launch: TritonLaunch
    helpers: Mapping[str, ast.FunctionDef]
    constants: Mapping[str, ast.expr]
    """What names of the file stand for."""
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    """Types of the elements of arrays, and of numbers."""
    out: list[str] = field(default_factory=list)
    line: int = 1
    declared: set[str] = field(default_factory=set)

    def write(self) -> str:
        """The kernel, and a host that launches it."""
        parameters, given, arrays = [], [], []
        for argument in self.function.args.args:
            name, value = argument.arg, self.launch.arguments.get(argument.arg)
            if isinstance(value, Tensor):
                kind = C_TYPES.get(value.dtype)
                if kind is None:
                    raise refuse(self.function.lineno, f"an array of {one_line(value.dtype, 20)} is not followed")
                self.shapes[name], self.kinds[name] = value.shape, kind
                parameters.append(f"{kind} *{name}")
                arrays.append(f"{kind} *{name}; cudaMalloc(&{name}, {value.elements} * sizeof({kind}));")
                given.append(name)
            else:
                kind = "int" if type(value) is int else "double"
                self.kinds[name] = kind
                parameters.append(f"{kind} {name}")
                given.append(str(value) if type(value) is int else "0.5")
        self.declared |= set(self.kinds)
        head = f"__global__ void {self.function.name}({', '.join(parameters)}) {{"
        for name in self.list_crossing():
            self.out.append(f"{self.guess(name)} {name}; ")
        self.block(self.function.body)
        body = "".join(self.out)
        grid, block = (", ".join(map(str, s)) for s in (self.launch.grid or (1,), self.launch.block))
        launch = f"{self.function.name}<<<dim3({grid}), dim3({block})>>>({', '.join(given)});"
        return f"{head}{body}}} int main() {{ {' '.join(arrays)} {launch} }}\n"

    # ---- names ----

    def list_crossing(self) -> list[str]:
        """Names that get their first value in a block inside of the one that uses them."""
        crossing: list[str] = []

        def walk(body: Sequence[ast.stmt], known: set[str]) -> None:
            inside = set(known)
            for at, item in enumerate(body):
                parts = [getattr(item, p) for p in ("body", "orelse") if getattr(item, p, None)]
                for part in parts:
                    new = {n for s in part for n in list_stored(s)} - inside
                    used = {n.id for s in body[at + 1 :] for n in ast.walk(s) if isinstance(n, ast.Name)}
                    elsewhere = {n for other in parts if other is not part for s in other for n in list_stored(s)}
                    crossing.extend(n for n in sorted(new & (used | elsewhere)) if n not in crossing)
                    walk(part, inside | set(crossing))
                inside |= set(list_stored(item)) if not parts else set()

        walk(self.function.body, set(self.kinds))
        counters = {
            n.target.id for n in ast.walk(self.function) if isinstance(n, ast.For) and isinstance(n.target, ast.Name)
        }
        names = [n for n in crossing if n not in counters]
        self.declared |= set(names)
        return names

    def guess(self, name: str) -> str:
        """The type of a number, by what it is given first."""
        if name not in self.kinds:
            values = [
                n.value for n in ast.walk(self.function) if isinstance(n, ast.Assign)
                and any(isinstance(t, ast.Name) and t.id == name for t in n.targets)
            ]  # fmt: skip
            self.kinds[name] = self.kind(values[0]) if values else "int"
        return self.kinds[name]

    def kind(self, node: ast.expr) -> str:
        """The type of an expression."""
        match node:
            case ast.Constant(value=value):
                return "double" if isinstance(value, float) else "int"
            case ast.Name(id=name):
                known = self.kinds.get(name)
                return known or (self.kind(self.constants[name]) if name in self.constants else "int")
            case ast.Subscript(value=ast.Name(id=name)) if name in self.shapes:
                return self.kinds[name]
            case ast.BinOp(left=left, right=right):
                widest = self.widest(left, right)
                return "double" if widest == "int" and isinstance(node.op, ast.Div) else widest
            case ast.IfExp():
                return self.widest(node.body, node.orelse)
            case ast.UnaryOp(operand=inner):
                return self.kind(inner)
            case ast.Call():
                return self.kind_of_call(node)
        return "int"

    def widest(self, *nodes: ast.expr) -> str:
        """The type of several values together: that of real numbers where one is real."""
        kinds = {self.kind(n) for n in nodes}
        return next((k for k in ("double", "float", "__half") if k in kinds), "int")

    def kind_of_call(self, node: ast.Call) -> str:
        """The type of what a call gives."""
        name = name_called(node)
        if name in SHUFFLES and len(node.args) > 1:
            return self.kind(node.args[1])
        if name in ("min", "max", "abs"):
            return self.widest(*node.args)
        real = name in MATHEMATICS or name in self.helpers
        return CASTS.get(name, "double" if real else "int")

    # ---- statements ----

    def block(self, body: Sequence[ast.stmt]) -> None:
        """Statements one after the other."""
        outer = set(self.declared)
        for item in body:
            self.statement(item)
        self.declared = outer

    def statement(self, node: ast.stmt) -> None:
        """One statement."""
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return
            case ast.Return(value=None) | ast.Break() | ast.Continue():
                self.say(f"{type(node).__name__.lower()};", node)
            case ast.Expr(value=ast.Call() as call):
                self.call_statement(call)
            case ast.Assign(targets=[target], value=value):
                self.assign(target, value, node)
            case ast.AnnAssign(target=ast.Name() as target, value=value) if value is not None:
                self.assign(target, value, node)
            case ast.AugAssign():
                self.augment(node)
            case ast.If() | ast.While(orelse=[]):
                self.branch(node)
            case ast.For(target=ast.Name(id=name), iter=ast.Call() as call, orelse=[]) if name_called(call) == "range":
                self.loop(name, call, node)
            case _:
                raise refuse(node.lineno, f"{type(node).__name__} in a kernel of numba.cuda is not followed")

    def augment(self, node: ast.AugAssign) -> None:
        """``x += e``; ``x /= e``, ``x //= e`` and ``x **= e`` as what they are."""
        if isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Pow)):
            whole = ast.BinOp(copy_of(node.target), node.op, node.value)
            self.assign(node.target, put_at(whole, node), node)
            return
        self.say(f"{self.text(node.target)} {C_SIGNS[type(node.op)]}= {self.text(node.value)};", node)

    def branch(self, node: ast.If | ast.While) -> None:
        """A condition, or a loop under one."""
        self.say(f"{type(node).__name__.lower()} ({self.text(node.test)}) {{", node)
        self.block(node.body)
        self.say("}")
        if node.orelse:
            self.say("else {")
            self.block(node.orelse)
            self.say("}")

    def loop(self, name: str, call: ast.Call, node: ast.For) -> None:
        """``for k in range(a, b, s)``."""
        bounds = [self.text(a) for a in call.args]
        first, last, step = ("0", bounds[0], "1") if len(bounds) == 1 else (*bounds, "1")[:3]
        down = step.startswith(("-", "(-"))
        self.kinds[name] = "int"
        sign = ">" if down else "<"
        self.say(f"for (int {name} = {first}; {name} {sign} {last}; {name} += {step}) {{", node)
        self.block(node.body)
        self.say("}")

    def call_statement(self, node: ast.Call) -> None:
        """A barrier, or an atomic update."""
        name = name_called(node)
        if name in SILENT:
            return
        if name in WAITS:
            self.say(WAITS[name], node)
            return
        if isinstance(node.func, ast.Attribute) and last_name(node.func.value) == "atomic" and len(node.args) == 3:
            array, at, value = node.args
            element = ast.copy_location(ast.Subscript(array, at, ast.Load()), node)
            self.say(f"atomic{name.capitalize()}(&{self.text(element)}, {self.text(value)});", node)
            return
        raise refuse(node.lineno, f"the call of '{one_line(name, 40)}' in a kernel of numba.cuda is not followed")

    def assign(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> None:
        """``x = e``, ``i, j = cuda.grid(2)``, ``s = cuda.shared.array(...)``, ``a[i] = e``."""
        if isinstance(target, ast.Tuple):
            if isinstance(value, ast.Call) and name_called(value) in ("grid", "gridsize"):
                parts = [index_of(name_called(value), a) for a in AXES[: len(target.elts)]]
            elif isinstance(value, ast.Attribute) and value.attr == "shape" and last_name(value.value) in self.shapes:
                parts = [str(n) for n in self.shapes[last_name(value.value)]]
            elif isinstance(value, ast.Tuple):
                parts = [self.text(v) for v in value.elts]
                if {n.id for v in value.elts for n in ast.walk(v) if isinstance(n, ast.Name)} & set(list_stored(node)):
                    raise refuse(node.lineno, "several values assigned at once: write one assignment each")
            else:
                raise refuse(node.lineno, "several values assigned at once: write one assignment each")
            values = value.elts if isinstance(value, ast.Tuple) else [ast.Constant(0)] * len(parts)
            for item, part, of in zip(target.elts, parts, values, strict=True):
                self.store(item, part, self.kind(of), node)
            return
        if isinstance(value, ast.Call) and name_called(value) == "array" and isinstance(target, ast.Name):
            self.make(target.id, value, node)
            return
        self.store(target, self.text(value), self.kind(value), node)

    def store(self, target: ast.expr, text: str, kind: str, node: ast.stmt) -> None:
        """A value for a name or an element."""
        if isinstance(target, ast.Name) and target.id not in self.declared:
            self.declared.add(target.id)
            self.kinds[target.id] = self.guess(target.id) if target.id in self.kinds else kind
            self.say(f"{self.kinds[target.id]} {target.id} = {text};", node)
            return
        self.say(f"{self.text(target)} = {text};", node)

    def make(self, name: str, node: ast.Call, at: ast.stmt) -> None:
        """``cuda.shared.array((16, 16), float32)``, ``cuda.local.array(8, float32)``."""
        given = {k.arg: k.value for k in node.keywords}
        shape, dtype = given.get("shape", node.args[0] if node.args else None), given.get("dtype")
        dtype = dtype or (
            node.args[1 if "shape" not in given else 0] if len(node.args) > ("shape" not in given) else None
        )
        kind = C_TYPES.get(last_name(dtype)) if dtype is not None else None
        items = shape.elts if isinstance(shape, ast.Tuple) else [shape] if shape is not None else []
        if isinstance(shape, ast.Name) and isinstance(self.constants.get(shape.id), ast.Tuple):
            items = self.constants[shape.id].elts  # type: ignore[attr-defined]
        sizes = [self.number(i) for i in items]
        if kind is None or not sizes or None in sizes:
            raise refuse(at.lineno, f"the shape or type of '{one_line(name, 40)}' is not stated")
        if sizes == [0]:
            sizes = [math.prod(self.launch.block)]
        where = "__shared__ " if isinstance(node.func, ast.Attribute) and last_name(node.func.value) == "shared" else ""
        self.shapes[name], self.kinds[name] = tuple(s for s in sizes if s is not None), f"{kind}"
        self.held.add(name)
        self.declared.add(name)
        self.say(f"{where}{kind} {name}{''.join(f'[{s}]' for s in sizes)};", at)

    held: set[str] = field(default_factory=set)
    """Arrays of the kernel's own."""

    def number(self, node: ast.expr | None) -> int | None:
        """A whole number that the file states; None for others."""
        if isinstance(node, ast.Name):
            value = self.launch.constants.get(node.id)
            return value if type(value) is int else self.number(self.constants.get(node.id))
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int else None
        if isinstance(node, ast.BinOp) and type(node.op) in (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv):
            left, right = self.number(node.left), self.number(node.right)
            if left is None or right is None or (isinstance(node.op, ast.FloorDiv) and not right):
                return None
            return {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}.get(
                type(node.op), left // (right or 1)
            )
        return None

    # ---- expressions ----

    def text(self, node: ast.expr) -> str:
        """An expression in C."""
        match node:
            case ast.Constant(value=int() | float() as value):
                return repr(int(value) if isinstance(value, bool) else value)
            case ast.Name(id=name):
                return self.name(name, node)
            case ast.Subscript():
                return self.element(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Call():
                return self.call(node)
        return self.operation(node)

    def operation(self, node: ast.expr) -> str:
        """Signs between values."""
        match node:
            case ast.BinOp(op=ast.Pow(), left=left, right=right):
                squared = isinstance(right, ast.Constant) and right.value == 2
                base = self.text(left)
                return f"({base} * {base})" if squared else f"pow({base}, {self.text(right)})"
            case ast.BinOp(op=op, left=left, right=right) if type(op) in C_SIGNS:
                cast = "(double)" if isinstance(op, ast.Div) and self.widest(left, right) == "int" else ""
                return f"({cast}{self.text(left)} {C_SIGNS[type(op)]} {self.text(right)})"
            case ast.UnaryOp(op=op, operand=inner):
                return f"({C_SIGNS[type(op)]}{self.text(inner)})"
            case ast.Compare() if all(type(op) in C_SIGNS for op in node.ops):
                sides = [self.text(n) for n in (node.left, *node.comparators)]
                pairs = zip(sides, node.ops, sides[1:], strict=False)
                return f"({' && '.join(f'({a} {C_SIGNS[type(op)]} {b})' for a, op, b in pairs)})"
            case ast.BoolOp(op=op, values=values):
                return f"({(' && ' if isinstance(op, ast.And) else ' || ').join(self.text(v) for v in values)})"
            case ast.IfExp():
                return f"({self.text(node.test)} ? {self.text(node.body)} : {self.text(node.orelse)})"
        raise refuse(node.lineno, f"{type(node).__name__} in a kernel of numba.cuda is not followed")

    def name(self, name: str, node: ast.expr) -> str:
        """A number: of the kernel, or of the file."""
        if name in self.declared or name in self.kinds:
            return name
        value = self.launch.constants.get(name)
        if value is not None:
            return repr(int(value) if isinstance(value, bool) else value)
        if name in self.constants:
            return self.text(self.constants[name])
        raise refuse(node.lineno, f"'{one_line(name, 40)}' has no value that is followed")

    def attribute(self, node: ast.Attribute) -> str:
        """``cuda.threadIdx.x``, ``a.size``, ``math.pi``."""
        if last_name(node.value) in SPECIAL:
            return f"{last_name(node.value)}.{node.attr}"
        if node.attr == "size" and last_name(node.value) in self.shapes:
            return str(math.prod(self.shapes[last_name(node.value)]))
        if node.attr in ("laneid", "warpsize"):
            return "(threadIdx.x % 32)" if node.attr == "laneid" else "32"
        if node.attr in ("pi", "e", "inf", "nan"):
            return repr({"pi": math.pi, "e": math.e}.get(node.attr, 1e30))
        raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 40)}' in a kernel of numba.cuda is not followed")

    def element(self, node: ast.Subscript) -> str:
        """``a[i, j]``, ``a[i][j]``, ``a.shape[0]``."""
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            shape, at = self.shapes.get(last_name(node.value.value), ()), self.number(node.slice)
            if at is not None and -len(shape) <= at < len(shape):
                return str(shape[at])
        indices: list[ast.expr] = []
        base: ast.expr = node
        while isinstance(base, ast.Subscript):
            indices = [*(base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]), *indices]
            base = base.value
        name = last_name(base)
        shape = self.shapes.get(name, ())
        if (
            not isinstance(base, ast.Name)
            or len(indices) != len(shape)
            or any(isinstance(i, ast.Slice) for i in indices)
        ):
            what = one_line(ast.unparse(node), 40)
            raise refuse(node.lineno, f"'{what}' is no element of an array whose shape the file states")
        texts = [self.text(i) for i in indices]
        if name in self.held:
            return name + "".join(f"[{t}]" for t in texts)
        flat = texts[0]
        for text, size in zip(texts[1:], shape[1:], strict=True):
            flat = f"({flat}) * {size} + {text}"
        return f"{name}[{flat}]"

    def call(self, node: ast.Call) -> str:
        """A function of CUDA, of mathematics, or of the file."""
        name, given = name_called(node), [self.text(a) for a in node.args if not isinstance(a, ast.Starred)]
        if name in ("grid", "gridsize"):
            return index_of(name, "x")
        if name in CASTS:
            return f"(({CASTS[name]}){given[0]})"
        if name == "len" and last_name(node.args[0]) in self.shapes:
            return str(self.shapes[last_name(node.args[0])][0])
        if name in ("min", "max"):
            real = {self.kind(a) for a in node.args} & {"float", "double"}
            joined = given[0]
            for other in given[1:]:
                joined = f"{'f' if real else ''}{name}({joined}, {other})"
            return joined
        if name in SHUFFLES:
            return f"__{name}({', '.join(given)})"
        if name in self.helpers:
            return self.inline(self.helpers[name], node)
        if name in MATHEMATICS:
            return f"{MATHEMATICS[name]}({', '.join(given)})"
        raise refuse(node.lineno, f"the call of '{one_line(name, 40)}' in a kernel of numba.cuda is not followed")

    def inline(self, function: ast.FunctionDef, node: ast.Call) -> str:
        """What a function of the file gives: its only statement returns it."""
        body = [s for s in function.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        meaning = dict(zip((a.arg for a in function.args.args), node.args, strict=False))
        for item in body[:-1]:
            if not (isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name)):
                raise refuse(item.lineno, f"'{one_line(function.name, 40)}' does more than compute one value")
            meaning[item.targets[0].id] = Replace(meaning).visit(copy_of(item.value))
        last = body[-1] if body else None
        if not isinstance(last, ast.Return) or last.value is None:
            raise refuse(function.lineno, f"'{one_line(function.name, 40)}' does more than compute one value")
        return f"({self.text(Replace(meaning).visit(copy_of(last.value)))})"


class Replace(ast.NodeTransformer):
    """Names as what they stand for."""

    def __init__(self, meaning: Mapping[str, ast.expr]) -> None:
        self.meaning = dict(meaning)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """One name."""
        return self.meaning.get(node.id, node)


def copy_of(node: ast.expr) -> ast.expr:
    """Another tree of an expression."""
    return ast.copy_location(ast.parse(ast.unparse(node), mode="eval").body, node)


def index_of(name: str, axis: str) -> str:
    """``cuda.grid`` or ``cuda.gridsize`` along an axis."""
    if name == "gridsize":
        return f"gridDim.{axis} * blockDim.{axis}"
    return f"blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}"


def list_stored(node: ast.AST) -> list[str]:
    """Names that a statement gives values."""
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
