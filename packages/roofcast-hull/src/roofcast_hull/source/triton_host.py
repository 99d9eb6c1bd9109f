"""What a Python file says of its own calls: launches of Triton kernels, shapes and types of tensors and arrays.

The file's own functions are followed from its statements on, with a value for each number, tuple and tensor that it
states; what comes from elsewhere has none.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MOST_STATEMENTS = 20_000
"""Statements of the host that are followed, loops included."""
MOST_ITEMS = 1000
"""Of a list that is made by loops."""
DEEPEST = 8
"""Functions of the host that call each other, one inside the other."""
BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "int8": 1, "uint8": 1, "int16": 2, "int32": 4,
         "int64": 8, "bool": 1, "half": 2, "float": 4, "double": 8, "long": 8, "int": 4}  # fmt: skip
MAKERS = {"empty": "", "zeros": "", "ones": "", "rand": "", "randn": "", "full": "", "arange": "int64",
          "randint": "int64", "device_array": "",
          "pinned_array": "", "managed_array": "", "mapped_array": ""}  # fmt: skip
DRAWN = ("random", "random_sample", "standard_normal", "uniform", "normal", "linspace", "integers")
"""What NumPy makes beside these."""
LIKE = ("empty_like", "zeros_like", "ones_like", "rand_like", "randn_like", "full_like", "clone", "contiguous", "cuda",
        "copy", "asarray", "ascontiguousarray", "to_device",
        "device_array_like", "copy_to_host", "copy_to_device", "Parameter", "detach", "requires_grad_")  # fmt: skip
ELEMENTWISE = frozenset(
    "sin cos tan exp log sqrt abs absolute tanh arctan arcsin square sign log1p".split()  # noqa: SIM905
)
OPERATIONS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
PLAIN: dict[str, Callable[..., Any]] = {
    "min": min, "max": max, "int": int, "len": lambda x: x.shape[0] if isinstance(x, Tensor) else len(x), "abs": abs,
    "constexpr": lambda value: value,
    "cdiv": lambda a, b: -(-a // b), "ceil_div": lambda a, b: -(-a // b),
    "range": lambda *ends: tuple(range(*ends)[: MOST_ITEMS + 1]), "tuple": tuple, "list": tuple,
    "float": float, "ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "prod": math.prod,
    "next_power_of_2": lambda n: 1 << (int(n) - 1).bit_length(),
}  # fmt: skip
"""Functions of the host that are computed."""
LARGEST_POWER = 128
"""Exponents of host code: a larger one makes a number that fills the memory."""


class UnknownError(Exception):
    """A value that the file does not state."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """Shape and element type of a tensor, contiguous."""

    shape: tuple[int, ...]
    dtype: str = "float32"

    @property
    def elements(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    def stride(self, at: int) -> int:
        """Elements from one index of a dimension to the next."""
        at = at % len(self.shape)
        return math.prod(self.shape[at + 1 :])


@dataclass(frozen=True, slots=True)
class TritonLaunch:
    """One launch of a kernel, as far as the file says it."""

    kernel: str
    line: int
    grid: tuple[int, ...] | None
    arguments: Mapping[str, Any]
    """By the names of the kernel's parameters: numbers and tensors; what is not known is left out."""
    warps: int
    stages: int = 3
    """Turns of a loop whose loads are under way: Triton's own number where the file states none."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    """Numbers of the file, by their names."""
    helpers: Mapping[str, ast.FunctionDef] = field(default_factory=dict)
    """Functions that Triton compiles."""
    notes: tuple[str, ...] = ()
    block: tuple[int, ...] = ()
    """Threads of a block, where the launch states them."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """``triton.Config``: constants that are tried, with warps and stages."""

    values: Mapping[str, Any]


@dataclass(eq=False)
class Instance:
    """An object of a class of the file."""

    kind: ast.ClassDef
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """A method, and what it gets before its arguments: the object, or the context of ``autograd.Function.apply``."""

    function: ast.FunctionDef
    before: tuple[Any, ...]


@dataclass
class Host:
    """Follows the statements of a file."""

    kernels: Mapping[str, ast.FunctionDef]
    functions: Mapping[str, ast.FunctionDef]
    launches: list[TritonLaunch] = field(default_factory=list)
    left: int = MOST_STATEMENTS
    depth: int = 0
    calls: dict[str, list[tuple[int, dict[str, Any]]]] = field(default_factory=dict)
    """Of the file's own functions: lines, and the arguments that are known."""
    classes: Mapping[str, ast.ClassDef] = field(default_factory=dict)
    numpy: bool = False
    """Whether arrays are NumPy's: real numbers of 64 bits, and its functions."""

    def run(self, body: Sequence[ast.stmt], names: dict[str, Any]) -> Any:
        """Statements in their order; the value that one returns."""
        for item in body:
            self.left -= 1
            if self.left < 0:
                return None
            if isinstance(item, ast.Return):
                return self.find(item.value, names) if item.value is not None else None
            value = self.statement(item, names)
            if value is not None:
                return value
        return None

    def statement(self, item: ast.stmt, names: dict[str, Any]) -> Any:
        """One statement; what it returns."""
        match item:
            case ast.Assign() | ast.Expr():
                value = self.find(item.value, names)
                for target in getattr(item, "targets", ()):
                    store(target, value, names)
            case ast.AnnAssign() if item.value is not None:
                store(item.target, self.find(item.value, names), names)
            case ast.AugAssign():
                store(item.target, None, names)
            case ast.FunctionDef():
                names[item.name] = item, dict(names)
            case ast.If():
                # `if __name__ == "__main__"`, and whatever else is not known, is taken as met.
                holds = self.find(item.test, names)
                return self.run(item.body if holds is None or holds else item.orelse, names)
            case ast.For() | ast.While() | ast.With():
                for node in ast.walk(item):
                    if isinstance(node, ast.AugAssign):
                        store(node.target, None, names)
                self.run(item.body, names)
        return None

    def find(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """The value of an expression; None where it is not stated."""
        try:
            return self.value(node, names)
        except (UnknownError, TypeError, ValueError, ZeroDivisionError, OverflowError, LookupError, AttributeError):
            return None

    def value(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """The value of an expression.

        Raises
        ------
        UnknownError : the file does not state it.
        """
        match node:
            case ast.Constant():
                return node.value
            case ast.Name(id=name) if name in names or name == "__name__":
                return names.get(name, "__main__")
            case ast.Name(id=name) if name in self.classes:
                return self.classes[name]
            case ast.Tuple() | ast.List():
                return tuple(self.spread(node.elts, names))
            case ast.IfExp():
                return self.value(node.body if self.value(node.test, names) else node.orelse, names)
            case ast.Subscript():
                return self.part(node, names)
            case ast.Lambda() | ast.ListComp() | ast.GeneratorExp() | ast.Dict():
                return self.make(node, names)
            case ast.Attribute():
                return self.attribute(node, names)
            case ast.Call():
                return self.call(node, names)
        return self.operation(node, names)

    def spread(self, nodes: Sequence[ast.expr], names: Mapping[str, Any]) -> list[Any]:
        """Values of arguments or items, those behind a star one by one; none behind a star without value."""
        values: list[Any] = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                values.append(self.find(node, names))
                continue
            several = self.find(node.value, names)
            if not isinstance(several, tuple):
                return values
            values += several
        return values

    def spread_named(self, call: ast.Call, names: Mapping[str, Any]) -> dict[str, Any]:
        """Values of the named arguments of a call, those of ``**options`` too."""
        values: dict[str, Any] = {}
        for keyword in call.keywords:
            value = self.find(keyword.value, names)
            if keyword.arg:
                values[keyword.arg] = value
            elif isinstance(value, dict):
                values |= {n: v for n, v in value.items() if isinstance(n, str)}
        return values

    def make(self, node: ast.Lambda | ast.ListComp | ast.GeneratorExp | ast.Dict, names: Mapping[str, Any]) -> Any:
        """A function without a name, a list that loops make, a dictionary."""
        if isinstance(node, ast.Lambda):
            return node, dict(names)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.comprehend(node, names) if not self.numpy else self.part(node, names)
        pairs = zip(node.keys, node.values, strict=True)
        return {self.value(k, names): self.find(v, names) for k, v in pairs if k is not None}

    def part(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """``x[0]``, and lists that a loop over a range makes."""
        match node:
            case ast.ListComp(generators=[ast.comprehension(iter=ast.Call(func=ast.Name(id="range"), args=[count]))]):
                inside, length = self.find(node.elt, names), self.value(count, names)
                same = (
                    inside if isinstance(inside, Tensor) else Tensor((), "int64" if type(inside) is int else "float64")
                )
                return Tensor((int(length), *same.shape), same.dtype)
            case ast.Subscript():
                whole, at = self.value(node.value, names), self.value(node.slice, names)
                if isinstance(whole, Tensor):
                    return Tensor(whole.shape[1:], whole.dtype) if type(at) is int and whole.shape else None
                return whole[at]
        raise UnknownError

    def operation(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """Signs between values."""
        match node:
            case ast.UnaryOp(op=ast.USub()):
                return -self.value(node.operand, names)
            case ast.BinOp(op=ast.Pow()):
                base, power = self.value(node.left, names), self.value(node.right, names)
                if abs(power) > LARGEST_POWER:
                    raise UnknownError
                return base**power
            case ast.BinOp() if type(node.op) in OPERATIONS:
                left, right = self.value(node.left, names), self.value(node.right, names)
                if isinstance(left, Tensor) or isinstance(right, Tensor):
                    return left if isinstance(left, Tensor) and (left.shape or not isinstance(right, Tensor)) else right
                if isinstance(left, tuple) and isinstance(node.op, ast.Mult):
                    if len(left) * right <= MOST_ITEMS:
                        return left * right
                    return Tensor((len(left) * int(right),), "int64" if type(left[0]) is int else "float64")
                if isinstance(left, (str, bytes)) or isinstance(right, (str, bytes)):
                    raise UnknownError
                return OPERATIONS[type(node.op)](left, right)
            case ast.Compare(ops=[op], comparators=[right_side]) if type(op) in OPERATIONS:
                return OPERATIONS[type(op)](self.value(node.left, names), self.value(right_side, names))
        raise UnknownError

    def attribute(self, node: ast.Attribute, names: Mapping[str, Any]) -> Any:
        """``x.shape``, ``x.dtype``, ``torch.float16``."""
        if node.attr in BYTES:
            return node.attr
        owner = self.value(node.value, names)
        if isinstance(owner, Tensor):
            if node.attr == "T":
                return Tensor(owner.shape[::-1], owner.dtype) if self.numpy else None
            return {"shape": owner.shape, "dtype": owner.dtype, "ndim": len(owner.shape)}[node.attr]
        method = find_method(owner, node.attr)
        if method is None and isinstance(owner, Instance):
            return owner.fields[node.attr]
        if method is None:
            raise UnknownError
        return method

    def call(self, node: ast.Call, names: Mapping[str, Any]) -> Any:
        """Tensors that are made, sizes of them, functions of the file, launches."""
        if isinstance(node.func, ast.Subscript) and isinstance(node.func.value, ast.Name):
            if node.func.value.id in self.kernels:
                self.launch(node, node.func.value.id, node.func.slice, names)
            return None
        given, named = self.spread(node.args, names), self.spread_named(node, names)
        if isinstance(node.func, ast.Name) and node.func.id in self.functions and self.depth < DEEPEST:
            return self.follow(self.functions[node.func.id], given, named, names, node.lineno)
        name = name_called(node)
        owner = self.find(node.func.value, names) if isinstance(node.func, ast.Attribute) else None
        if self.depth < DEEPEST and (value := self.run_method(node, owner, given, named, names)) is not None:
            return value
        if name == "Config":
            return make_configuration(given, named)
        if name in PLAIN and not (given and isinstance(given[0], Tensor) and name != "len"):
            return PLAIN[name](*given)
        if name in MAKERS or (self.numpy and name in DRAWN):
            return (make_array if self.numpy else make_tensor)(name, given, named)
        tensor = owner if isinstance(owner, Tensor) else given[0] if given and isinstance(given[0], Tensor) else None
        if tensor is None:
            raise UnknownError
        if name == "astype" and given and given[0] in BYTES:
            return Tensor(tensor.shape, given[0])
        return tensor if name in ELEMENTWISE else ask_tensor(tensor, name, given, named)

    def run_method(
        self, node: ast.Call, owner: Any, given: Sequence[Any], named: Mapping[str, Any], names: Any
    ) -> Any:  # fmt: skip
        """What a call of a class, of an object or of one of their methods gives; None for other calls."""
        if isinstance(node.func, ast.Attribute):
            value: Any = find_method(owner, node.func.attr)
            value = owner.fields.get(node.func.attr) if value is None and isinstance(owner, Instance) else value
        else:
            value = self.find(node.func, names) if isinstance(node.func, (ast.Name, ast.Call)) else None
        if isinstance(value, ast.ClassDef):
            return self.make_instance(value, given, named, names, node.lineno)
        if isinstance(value, Instance):
            value = find_method(value, "__call__") or find_method(value, "forward")
        if not isinstance(value, Method):
            return None
        return self.follow(value.function, [*value.before, *given], named, names, node.lineno)

    def make_instance(
        self, kind: ast.ClassDef, given: Sequence[Any], named: Mapping[str, Any], names: Any, line: int
    ) -> Instance:
        """An object of a class of the file, made by its own method."""
        instance = Instance(kind)
        start = find_method(instance, "__init__")
        if start is not None:
            self.follow(start.function, [instance, *given], named, names, line)
        return instance

    def follow(
        self, function: ast.FunctionDef, given: Sequence[Any], named: Mapping[str, Any], names: Any, line: int = 0
    ) -> Any:
        """A function of the file."""
        labels = [a.arg for a in function.args.args]
        inner = {n: v for n, v in names.items() if n not in labels}
        defaults = dict(zip(labels[::-1], [self.find(d, names) for d in function.args.defaults[::-1]], strict=False))
        inner |= defaults | dict(zip(labels, given, strict=False)) | dict(named)
        if function.args.vararg is not None:
            inner[function.args.vararg.arg] = tuple(given[len(labels) :])
        if function.args.kwarg is not None:
            inner[function.args.kwarg.arg] = {n: v for n, v in named.items() if n not in labels}
        known = {n: inner[n] for n in labels if inner.get(n) is not None}
        self.calls.setdefault(function.name, []).append((line, known))
        self.depth += 1
        value = self.run(function.body, inner)
        self.depth -= 1
        return value

    def launch(self, node: ast.Call, kernel: str, grid: ast.expr, names: Mapping[str, Any]) -> None:
        """``kernel[grid](a, b, n, BLOCK=128)``."""
        arguments = self.kernels[kernel].args
        labels = [a.arg for a in arguments.args]
        values: dict[str, Any] = dict(
            zip(labels[::-1], (self.find(d, names) for d in arguments.defaults[::-1]), strict=False)
        )
        values |= dict(zip(labels, self.spread(node.args, names), strict=False))
        named = self.spread_named(node, names)
        values |= named
        known = {n: v for n, v in values.items() if v is not None}
        notes = self.tune(kernel, named, known, names)
        shape = self.find(grid, names)
        if shape is None and isinstance(grid, ast.Name) and grid.id in self.functions:
            shape = self.functions[grid.id], dict(names)
        if isinstance(shape, tuple) and shape and isinstance(shape[0], (ast.Lambda, ast.FunctionDef)):
            inner, around = shape
            inside = {**around, inner.args.args[0].arg: known} if inner.args.args else dict(around)
            shape = (
                self.run(inner.body, inside) if isinstance(inner, ast.FunctionDef) else self.find(inner.body, inside)
            )
        shape = (shape,) if isinstance(shape, int) else shape
        whole = isinstance(shape, tuple) and all(isinstance(n, int) and n > 0 for n in shape)
        warps, stages = (named.get(n, known.get(n)) for n in ("num_warps", "num_stages"))
        labels += [a.arg for a in arguments.kwonlyargs]
        known |= {n: None for n, v in values.items() if v is None and is_none(node, labels, n)}
        self.launches.append(
            TritonLaunch(
                kernel, node.lineno, shape if whole else None, {n: known[n] for n in labels if n in known},
                warps if isinstance(warps, int) else 4, stages if isinstance(stages, int) else 3,
                {n: v for n, v in names.items() if type(v) in (int, float, bool)}, self.kernels, notes,
            )
        )  # fmt: skip

    def tune(
        self, kernel: str, named: Mapping[str, Any], known: dict[str, Any], names: Mapping[str, Any]
    ) -> tuple[str, ...]:
        """Constants that decorators give: the first configuration that is tried, and what follows from the others."""
        notes: tuple[str, ...] = ()
        for decorator in self.kernels[kernel].decorator_list:
            if not isinstance(decorator, ast.Call):
                continue
            given = {k.arg: k.value for k in decorator.keywords if k.arg}
            first = decorator.args[0] if decorator.args else given.get("configs", given.get("values"))
            if first is None:
                continue
            if name_called(decorator) == "autotune":
                configurations = self.find(first, names)
                if (
                    isinstance(configurations, tuple)
                    and configurations
                    and isinstance(configurations[0], Configuration)
                ):
                    values = configurations[0].values
                    known |= {n: v for n, v in values.items() if n not in named}
                    text = ", ".join(f"{n}={v}" for n, v in values.items())
                    notes += (f"autotuned: the first of {len(configurations)} configurations is read: {text}",)
            elif name_called(decorator) == "heuristics" and isinstance(first, ast.Dict):
                for key, rule in zip(first.keys, first.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(rule, ast.Lambda) and rule.args.args:
                        value = self.find(rule.body, {**names, rule.args.args[0].arg: dict(known)})
                        known |= {} if value is None else {str(key.value): value}
        return notes

    def comprehend(self, node: ast.ListComp | ast.GeneratorExp, names: Mapping[str, Any]) -> tuple[Any, ...]:
        """``[f(a, b) for a in (1, 2) for b in (3, 4) if a < b]``."""
        inside = [dict(names)]
        for generator in node.generators:
            following = []
            for around in inside:
                for value in self.value(generator.iter, around):
                    names_of_turn = dict(around)
                    store(generator.target, value, names_of_turn)
                    if all(self.find(test, names_of_turn) in (None, True) for test in generator.ifs):
                        following.append(names_of_turn)
                    if len(following) > MOST_ITEMS:
                        raise UnknownError
            inside = following
        return tuple(self.find(node.elt, names_of_turn) for names_of_turn in inside)


def find_method(owner: Any, name: str) -> Method | None:
    """A method of an object, or of a class: ``Function.apply(x)`` is ``forward(ctx, x)``, others are static."""
    kind = owner.kind if isinstance(owner, Instance) else owner
    if not isinstance(kind, ast.ClassDef):
        return None
    methods = {n.name: n for n in kind.body if isinstance(n, ast.FunctionDef)}
    if isinstance(owner, Instance):
        return Method(methods[name], (owner,)) if name in methods else None
    before = (Instance(kind),) if name == "apply" else ()
    method = methods.get("forward" if name == "apply" else name)
    return Method(method, before) if method is not None else None


def name_called(node: ast.Call) -> str:
    """The last name of what is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def is_none(node: ast.Call, labels: Sequence[str], name: str) -> bool:
    """Whether a launch hands over ``None`` for a parameter."""
    given = dict(zip(labels, node.args, strict=False)) | {k.arg: k.value for k in node.keywords if k.arg}
    value = given.get(name)
    return isinstance(value, ast.Constant) and value.value is None


def store(target: ast.expr, value: Any, names: dict[str, Any]) -> None:
    """Give names their values; those of a tuple one each."""
    if isinstance(target, ast.Name):
        if value is None:
            names.pop(target.id, None)
        else:
            names[target.id] = value
    elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        owner = names.get(target.value.id)
        if isinstance(owner, Instance):
            store(ast.Name(target.attr), value, owner.fields)
    elif isinstance(target, (ast.Tuple, ast.List)):
        several = isinstance(value, tuple) and len(value) == len(target.elts)
        for at, item in enumerate(target.elts):
            store(item, value[at] if several else None, names)


def make_configuration(given: Sequence[Any], named: Mapping[str, Any]) -> Configuration:
    """``triton.Config({"BLOCK": 128}, num_warps=8, num_stages=3)``."""
    constants = given[0] if given else named.get("kwargs")
    if not isinstance(constants, dict):
        raise UnknownError
    places = zip(("num_warps", "num_stages"), given[1:], strict=False)
    stated = {n: named[n] for n in ("num_warps", "num_stages") if n in named}
    return Configuration({**constants, **dict(places), **stated})


def make_tensor(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``torch.empty(n, m, dtype=...)``."""
    sizes = named.get("size")
    if sizes is None:
        sizes = given[2] if name == "randint" and len(given) > 2 else given[1] if name == "randint" else given
        sizes = given[:1] if name in ("arange", "full") else sizes
    if len(sizes) == 1 and isinstance(sizes[0], tuple):
        sizes = sizes[0]
    if not all(isinstance(s, int) for s in sizes):
        raise UnknownError
    dtype = named.get("dtype") or MAKERS[name] or "float32"
    return Tensor(tuple(sizes), dtype)


def make_array(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``np.zeros((n, m), dtype=np.float32)``, ``rng.random((n, m))``, ``np.linspace(0, 1, n)``."""
    if "dtype" in named and named["dtype"] not in BYTES:
        raise UnknownError
    behind = next((g for g in given[1:] if isinstance(g, str) and g in BYTES), None)
    dtype = named.get("dtype") or behind or ("int64" if name in ("randint", "integers", "arange") else "float64")
    sizes: Any = named.get("size", named.get("shape"))
    if name == "arange" and given and all(isinstance(g, int) for g in given):
        sizes = len(range(*given[:3]))
    elif sizes is None and name in ("rand", "randn"):
        sizes = tuple(given)
    elif sizes is None:
        at = 2 if name in ("linspace", "randint", "integers", "uniform", "normal") else 0
        sizes = given[at] if len(given) > at else ()
    sizes = sizes if isinstance(sizes, tuple) else (sizes,)
    if not all(type(s) is int and s >= 0 for s in sizes):
        raise UnknownError
    return Tensor(sizes, dtype)


def ask_tensor(own: Tensor, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a method of a tensor, or a function that takes one, gives."""
    if name in LIKE:
        return Tensor(own.shape, named.get("dtype") or own.dtype)
    if name == "numel":
        return own.elements
    if name == "element_size":
        return BYTES[own.dtype]
    if name == "stride":
        return own.stride(given[0]) if given else tuple(own.stride(n) for n in range(len(own.shape)))
    if name == "size":
        return own.shape[given[0]] if given else own.shape
    if name in ("half", "float", "double"):
        return Tensor(own.shape, {"half": "float16", "float": "float32", "double": "float64"}[name])
    if name == "to":
        dtypes = [g for g in (*given, named.get("dtype")) if isinstance(g, str) and g in BYTES]
        return Tensor(own.shape, dtypes[0]) if dtypes else own
    if name in ("view", "reshape"):
        sizes = given[0] if len(given) == 1 and isinstance(given[0], tuple) else tuple(given)
        rest = own.elements // max(1, math.prod(s for s in sizes if s > 0))
        return Tensor(tuple(rest if s == -1 else s for s in sizes), own.dtype)
    if name == "flatten":
        return Tensor((own.elements,), own.dtype)
    raise UnknownError


def is_kernel(function: ast.FunctionDef) -> bool:
    """Whether a function is compiled by Triton."""
    words = {n.attr for d in function.decorator_list for n in ast.walk(d) if isinstance(n, ast.Attribute)}
    words |= {n.id for d in function.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)}
    return "jit" in words and "triton" in words | {"triton" if "jit" in words else ""}


def find_triton(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Kernels of a file; empty where it does not import Triton."""
    imported = {a.name.partition(".")[0] for n in tree.body if isinstance(n, ast.Import) for a in n.names}
    imported |= {(n.module or "").partition(".")[0] for n in tree.body if isinstance(n, ast.ImportFrom)}
    if "triton" not in imported:
        return {}
    return {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef) and is_kernel(n)}


def find_triton_launches(tree: ast.Module) -> list[TritonLaunch]:
    """Launches of a file's kernels in their order: of what its statements run, else of its functions by themselves."""
    kernels = find_triton(tree)
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name not in kernels}
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    host = Host(kernels, functions, classes=classes)
    names: dict[str, Any] = {}
    host.run([n for n in tree.body if not isinstance(n, (ast.FunctionDef, ast.ClassDef))], names)
    launched = {x.kernel for x in host.launches}
    for function in functions.values():
        inner = Host(kernels, functions, classes=classes)
        inner.run(function.body, dict(names))
        host.launches += [x for x in inner.launches if x.kernel not in launched]
        launched |= {x.kernel for x in inner.launches}
    return host.launches


def find_python_calls(tree: ast.Module) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    """Calls of a file's own functions by its statements, in their order: lines, and the arguments that are known."""
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    host = Host({}, functions, numpy=True)
    host.run([n for n in tree.body if not isinstance(n, (ast.FunctionDef, ast.ClassDef))], {})
    return host.calls
