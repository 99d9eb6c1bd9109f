"""Launches of Triton kernels that a Python file makes: grids, arguments and constants, as far as the file says them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.host_objects import Instance, is_function
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_values import Tensor, UnknownError
from roofcast_hull.source.python_syntax import name_called
from roofcast_hull.source.torch_functions import NOTHING, PROCESSORS, strip
from roofcast_hull.source.torch_host import TorchHost


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
    rows: Mapping[str, int] = field(default_factory=dict)
    """Arrays that say where rows begin, with the elements that rows are taken to have."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """``triton.Config``: constants that are tried, with warps and stages."""

    values: Mapping[str, Any]
    hook: Any = None
    """What is called with the arguments before the launch."""


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A tensor with the block that a kernel takes of it at once."""

    tensor: Tensor
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    block: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel as a value: a name for it, or what was compiled of it."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Launcher:
    """``kernel[grid]``."""

    kernel: str
    grid: Any


class TritonHost(TorchHost):
    """Follows the statements of a file that launches ``kernel[grid](...)``."""

    def find_name(self, name: str, names: Mapping[str, Any]) -> Any:
        """The value of a name, a kernel's too."""
        if name in self.kernels and name not in names and name not in self.module:
            return Kernel(name)
        return super().find_name(name, names)

    def part(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """``kernel[grid]``, and parts of other values."""
        if isinstance(node, ast.Subscript):
            whole = self.find(node.value, names)
            if isinstance(whole, Kernel):
                return Launcher(whole.name, self.find(node.slice, names))
        return super().part(node, names)

    def find_member(self, owner: Any, name: str, names: Mapping[str, Any]) -> Any:
        """A member of a value: of a configuration its constants; what a kernel is wrapped in gives the kernel."""
        if isinstance(owner, Configuration):
            return dict(owner.values) if name == "kwargs" else owner.values[name]
        if isinstance(owner, Kernel) and name in ("fn", "kernel"):
            return owner
        return super().find_member(owner, name, names)

    def call(self, node: ast.Call, names: Mapping[str, Any]) -> Any:
        """Launches, and other calls."""
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in ("run", "warmup"):
            owner = self.find(function.value, names)
            if isinstance(owner, Kernel):
                named = self.spread_named(node, names)
                if function.attr == "run":
                    self.record(
                        node, Launcher(owner.name, named.pop("grid", None)), self.spread(node.args, names), named
                    )
                return owner
        called = self.find(function, names) if isinstance(function, (ast.Subscript, ast.Name)) else None
        if isinstance(called, Launcher):
            self.record(node, called, self.spread(node.args, names), self.spread_named(node, names))
            return NOTHING
        if isinstance(called, Kernel):
            raise UnknownError
        return super().call(node, names)

    def compute(self, name: str, owner: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """What a function of Python, Torch or Triton gives."""
        if name == "Config":
            return make_configuration(given, named)
        if name == "Benchmark":
            return dict(named)
        if name in ("from_tensor", "TensorDescriptor"):
            return describe_tensor(name, given, named)
        if name in ("wrap_triton", "autotune", "capture_triton") and given and isinstance(given[0], Kernel):
            return given[0]
        return super().compute(name, owner, given, named)

    # ---- launches ----

    def record(self, node: ast.Call, launcher: Launcher, given: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Note ``kernel[grid](a, b, n, BLOCK=128)``."""
        kernel, arguments = self.kernels[launcher.kernel], self.kernels[launcher.kernel].args
        labels = [a.arg for a in (*arguments.args, *arguments.kwonlyargs)]
        values = self.name_arguments(arguments, given, named, self.module)
        known = {n: v for n, v in (values | dict(named)).items() if v is not None}
        notes = self.tune(kernel, named, known)
        if self.skips:
            notes += (f"line {node.lineno}: launched in a loop of the host code: one launch is a row",)
        shape, more = self.find_grid(launcher, known, kernel)
        warps, stages = (named.get(n, known.get(n)) for n in ("num_warps", "num_stages"))
        self.launches.append(
            TritonLaunch(
                launcher.kernel, node.lineno, shape, {n: pass_argument(known[n]) for n in labels if n in known},
                warps if isinstance(warps, int) else 4, stages if isinstance(stages, int) else 3,
                {n: v for n, v in self.module.items() if type(v) in (int, float, bool, str)},
                self.kernels, (*notes, *more),
            )
        )  # fmt: skip

    def find_grid(
        self, launcher: Launcher, known: dict[str, Any], kernel: ast.FunctionDef
    ) -> tuple[tuple[int, ...] | None, tuple[str, ...]]:
        """Programs along each axis, None where the file does not say them, and what is to be said of that."""
        shape = launcher.grid
        if self.is_callable(shape):
            shape = self.call_value(shape, [known] if takes_argument(shape) else [], {})
        shape = (shape,) if isinstance(shape, int) else shape
        if isinstance(shape, tuple) and shape and all(type(n) is int and n > 0 for n in shape):
            return shape, ()
        counted = {
            tuple(map(ast.unparse, n.args))
            for n in ast.walk(kernel)
            if isinstance(n, ast.Call) and name_called(n) == "num_programs"
        }
        if counted and counted <= {("0",), ()}:
            # Programs that share out the work among however many there are.
            number = PROCESSORS
            return (number,), (f"the file does not say how many programs share the work: {number} are taken",)
        return None, ()

    def tune(self, kernel: ast.FunctionDef, named: Mapping[str, Any], known: dict[str, Any]) -> tuple[str, ...]:
        """Constants that decorators give: the first configuration that is tried, and what follows from the others."""
        notes: tuple[str, ...] = ()
        for decorator in kernel.decorator_list:
            if not isinstance(decorator, ast.Call):
                continue
            options = self.spread_named(decorator, self.module)
            given = self.spread(decorator.args, self.module)
            first = given[0] if given else options.get("configs", options.get("values"))
            if name_called(decorator) == "heuristics" and isinstance(first, dict):
                for key, rule in first.items():
                    value = self.call_value(rule, [dict(known)], {}, decorator) if self.is_callable(rule) else None
                    known |= {} if value is None else {str(key): value}
            elif isinstance(first, tuple) and first and isinstance(first[0], Configuration):
                values = first[0].values
                known |= {n: v for n, v in values.items() if n not in named}
                if self.is_callable(first[0].hook):
                    self.call_value(first[0].hook, [known], {})
                text = ", ".join(f"{n}={v}" for n, v in values.items())
                notes += (f"autotuned: the first of {len(first)} configurations is read: {text}",)
        return notes

    def read_cases(self, function: ast.FunctionDef) -> dict[str, Any]:
        """Values of parameters: defaults, the first case of a test, the last size of a benchmark."""
        labels = [a.arg for a in (*function.args.args, *function.args.kwonlyargs)]
        cases = self.name_arguments(function.args, (), {}, self.module)
        for decorator in function.decorator_list:
            for call in (n for n in ast.walk(decorator) if isinstance(n, ast.Call)):
                given = self.spread(call.args, self.module)
                if name_called(call) == "parametrize" and len(given) > 1 and isinstance(given[1], tuple) and given[1]:
                    words = given[0].replace(" ", "").split(",") if isinstance(given[0], str) else given[0]
                    first = given[1][0] if len(words) > 1 else (given[1][0],)
                    cases |= dict(zip(words, first, strict=False)) if isinstance(first, tuple) else {}
                elif name_called(call) == "perf_report" and given:
                    several = given[0] if isinstance(given[0], tuple) else (given[0],)
                    cases |= read_benchmark(several[0]) if several and isinstance(several[0], dict) else {}
        return {n: v for n, v in cases.items() if v is not None and n in labels}


def read_benchmark(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Values of parameters at the last size of a benchmark, and of the line of Triton."""
    sizes, axes = stated.get("x_vals"), stated.get("x_names") or ()
    cases = dict(stated.get("args") or {})
    if isinstance(sizes, tuple) and sizes:
        last = sizes[-1] if isinstance(sizes[-1], tuple) else (sizes[-1],) * len(axes)
        cases |= dict(zip(axes, last, strict=False))
    cases[stated.get("line_arg") or ""] = find_line(stated.get("line_vals"))
    return cases


def find_line(values: Any) -> Any:
    """Of the lines of a benchmark's plot that of Triton."""
    texts = values if isinstance(values, tuple) else ()
    return next((v for v in texts if isinstance(v, str) and "triton" in v.lower()), "triton")


def takes_argument(grid: Any) -> bool:
    """Whether a grid is computed from the constants of the kernel."""
    return not is_function(grid) or bool(grid[0].args.args)


def pass_argument(value: Any) -> Any:
    """An argument as a kernel gets it: of a tensor that is repeated what is there once."""
    if isinstance(value, Tensor) and 0 in value.strides:
        axes = [n for n, s in enumerate(value.strides) if s]
        return Tensor(tuple(value.shape[n] for n in axes), value.dtype, tuple(value.strides[n] for n in axes))
    if isinstance(value, tuple):
        return tuple(map(pass_argument, value))
    if isinstance(value, Instance) and isinstance(value.fields.get("base"), Tensor):
        sizes = (value.fields.get(n) for n in ("shape", "strides", "block_shape"))
        return Descriptor(value.fields["base"], *(tuple(s) if isinstance(s, tuple) else () for s in sizes))
    return strip(value)


def describe_tensor(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Instance:
    """``TensorDescriptor.from_tensor(x, block_shape)``, ``TensorDescriptor(x, shape, strides, block_shape)``.

    Raises
    ------
    UnknownError : the tensor is not known.
    """
    labels = ("base", "block_shape") if name == "from_tensor" else ("base", "shape", "strides", "block_shape")
    fields = {
        **dict(zip(labels, given, strict=False)),
        **{("base" if n == "tensor" else n): v for n, v in named.items()},
    }
    base = fields.get("base")
    if not isinstance(base, Tensor):
        raise UnknownError
    fields.setdefault("shape", base.shape)
    fields.setdefault("strides", tuple(base.stride(n) for n in range(len(base.shape))))
    return Instance(ast.ClassDef(name, [], [], [], []), fields)


def make_configuration(given: Sequence[Any], named: Mapping[str, Any]) -> Configuration:
    """``triton.Config({"BLOCK": 128}, num_warps=8, num_stages=3)``.

    Raises
    ------
    UnknownError : its constants are not known.
    """
    constants = given[0] if given else named.get("kwargs")
    if not isinstance(constants, dict):
        raise UnknownError
    places = zip(("num_warps", "num_stages"), given[1:], strict=False)
    stated = {n: named[n] for n in ("num_warps", "num_stages") if n in named}
    return Configuration({**constants, **dict(places), **stated}, named.get("pre_hook"))


def is_kernel(function: ast.FunctionDef) -> bool:
    """Whether a function is compiled by Triton."""
    words = {n.attr for d in function.decorator_list for n in ast.walk(d) if isinstance(n, ast.Attribute)}
    words |= {n.id for d in function.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)}
    return "jit" in words and "triton" in words | {"triton" if "jit" in words else ""}


def find_triton(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Kernels of a file; empty where it does not import Triton."""
    imported = {a.name.partition(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    imported |= {(n.module or "").partition(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    if "triton" not in imported:
        return {}
    return {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and is_kernel(n)}


def find_triton_launches(tree: ast.Module) -> list[TritonLaunch]:
    """Launches of a file's kernels in their order: of what its statements run, else of its functions by themselves."""
    kernels = find_triton(tree)
    held = [n for n in tree.body if not isinstance(n, ast.FunctionDef) or n.name not in kernels]
    functions = {n.name: n for n in held if isinstance(n, ast.FunctionDef)}
    classes = {n.name: n for n in held if isinstance(n, ast.ClassDef)}
    host = TritonHost(kernels, functions, classes=classes)
    host.run([n for n in held if not isinstance(n, (ast.FunctionDef, ast.ClassDef))], host.module)
    host.go_back()
    launched = {x.kernel for x in host.launches}
    for function in functions.values():
        inner = TritonHost(kernels, functions, classes=classes, module=host.module)
        inner.run(function.body, inner.read_cases(function))
        inner.go_back()
        complete = {x.kernel for x in host.launches if x.grid is not None}
        # What it launches with sizes takes the place of what others launch without.
        better = {x.kernel for x in inner.launches if x.grid is not None} - complete - launched
        host.launches = [x for x in host.launches if x.kernel not in better]
        known = launched | {x.kernel for x in host.launches}
        host.launches += [x for x in inner.launches if x.kernel not in known]
    return host.launches


def find_pointers(function: ast.FunctionDef) -> set[str]:
    """Parameters to which a kernel adds where it loads and stores."""
    calls = (n for n in ast.walk(function) if isinstance(n, ast.Call) and name_called(n) in ("load", "store"))
    added = set[str]()
    for place in (c.args[0] for c in calls if c.args):
        first: ast.expr = place
        while isinstance(first, ast.BinOp):
            first = first.left
        added |= {first.id} if isinstance(first, ast.Name) else set()
    return added


def find_launch(
    tree: ast.Module, kernel: str, chosen: int = 0, sizes: Mapping[str, int] | None = None
) -> tuple[ast.FunctionDef, TritonLaunch]:
    """A kernel and one of its launches. sizes : numbers of the kernel that it leaves open, and of its grid.

    Raises
    ------
    SourceError : nothing in the file launches it with tensors and a grid that it states.
    """
    function = find_triton(tree)[kernel]
    launches = [x for x in find_triton_launches(tree) if x.kernel == kernel]
    if not launches:
        what = f"'{one_line(kernel, 40)}': nothing in the file launches it with tensors whose sizes it states"
        raise refuse(function.lineno, what)
    launch, sizes = launches[chosen], sizes or {}
    labels = [a.arg for a in (*function.args.args, *function.args.kwonlyargs)]
    lacking = [n for n in labels if n in sizes and not isinstance(launch.arguments.get(n), Tensor)]
    # A pointer has so many elements of 32 bits.
    pointers = find_pointers(function)
    stated = {n: Tensor((sizes[n],)) if n in pointers else launch.arguments.get(n, sizes[n]) for n in lacking}
    launch = replace(launch, arguments={**launch.arguments, **stated})
    if "gridDim.x" in sizes:
        launch = replace(launch, grid=tuple(sizes.get(f"gridDim.{a}", 1) for a in "xyz"))
    if launch.grid is None:
        asked = ",".join(f"{n}=N" for n in ("gridDim.x", *(n for n in labels if n not in launch.arguments)))
        why = f"the grid of the launch depends on what the file does not say: give --size {asked}"
        raise refuse(launch.line, why)
    return function, launch
