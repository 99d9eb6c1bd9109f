"""Functions, classes and objects of a file that computes with PyTorch: their calls and members."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

from roofcast_hull.source.host_objects import Instance, convert_module, is_function
from roofcast_hull.source.numpy_values import BYTES, Tensor, UnknownError
from roofcast_hull.source.python_host import DEEPEST, OF_MODULES, Host
from roofcast_hull.source.python_syntax import last_name
from roofcast_hull.source.torch_functions import (
    NOTHING,
    iterate,
    strip,
)
from roofcast_hull.source.torch_layers import LAYERS, call_layer, make_layer
from roofcast_hull.source.torch_views import transpose


@dataclass(frozen=True, slots=True)
class Result:
    """What a function returned."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """A function with some of its arguments."""

    function: Any
    given: tuple[Any, ...]
    named: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A method, and what it gets before its arguments: the object, the class, or a context of ``autograd.Function``."""

    function: ast.FunctionDef
    before: tuple[Any, ...]
    kind: ast.ClassDef


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function of Torch as a value."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """``Function.apply`` of a class of ``autograd.Function``."""

    kind: ast.ClassDef


@dataclass
class TorchObjects(Host):
    """Follows calls of what the file defines: their statements :meth:`.Host.run` follows."""

    real: ClassVar[str] = "float32"
    module: dict[str, Any] = field(default_factory=dict)
    """Names of the file."""
    applied: list[tuple[Instance, Any]] = field(default_factory=list)
    """Contexts of ``autograd.Function.apply``, with its results."""

    # ---- members ----

    def find_member(self, owner: Any, name: str, names: Mapping[str, Any]) -> Any:
        """A member of a value.

        Raises
        ------
        UnknownError : it has none that is known.
        """
        if isinstance(owner, Tensor):
            return self.ask_attribute(owner, name)
        if isinstance(owner, dict):
            return owner[name]
        if isinstance(owner, Instance) and name in owner.fields:
            return owner.fields[name]
        if isinstance(owner, (Instance, ast.ClassDef)):
            return self.find_of_class(owner, name, names)
        if isinstance(owner, str) and owner in BYTES and name in ("itemsize", "is_floating_point"):
            return BYTES[owner] if name == "itemsize" else "float" in owner
        if name == "value" and isinstance(owner, (int, float, str)):
            return owner  # of tl.constexpr
        raise UnknownError

    def find_of_class(self, owner: Instance | ast.ClassDef, name: str, names: Mapping[str, Any]) -> Any:
        """A method, a property or a member that a class gives.

        Raises
        ------
        UnknownError : it has none that is known.
        """
        kind = owner.kind if isinstance(owner, Instance) else owner
        method = self.find_method(kind, name)
        if method is not None:
            return self.bind(owner, *method)
        if name == "apply" and owner is kind and self.find_method(kind, "forward"):
            return Applied(kind)
        for above in self.list_kinds(kind):
            if name in (members := self.read_members(above, {**self.module, **names})):
                return members[name]
        if name == "needs_input_grad":
            return (True,) * 32
        if name == "training":
            return True
        raise UnknownError

    def list_kinds(self, kind: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and those of the file that it is made of."""
        kinds = [kind]
        for above in kinds:
            names = [last_name(b) for b in above.bases]
            kinds += [self.classes[n] for n in names if n in self.classes and self.classes[n] not in kinds]
        return kinds

    def find_method(self, kind: ast.ClassDef, name: str) -> tuple[ast.FunctionDef, ast.ClassDef] | None:
        """A method of a class, and the class that has it."""
        for above in self.list_kinds(kind):
            for item in above.body:
                if isinstance(item, ast.FunctionDef) and item.name == name:
                    return item, above
        return None

    def bind(self, owner: Any, function: ast.FunctionDef, kind: ast.ClassDef) -> Any:
        """A method of an object or of a class; the value of a property."""
        words = {last_name(n) for n in function.decorator_list}
        if {"property", "cached_property"} & words and isinstance(owner, Instance):
            return self.enter_function(Bound(function, (owner,), kind), (), {})
        if "staticmethod" in words:
            return Bound(function, (), kind)
        if "classmethod" in words:
            return Bound(function, (owner.kind if isinstance(owner, Instance) else owner,), kind)
        return Bound(function, (owner,) if isinstance(owner, Instance) else (), kind)

    def ask_attribute(self, owner: Tensor, name: str) -> Any:
        """``x.shape``, ``x.T``, ``x.is_cuda``."""
        if name in ("T", "mT", "H"):
            return transpose(owner, -2, -1) if len(owner.shape) > 1 else owner
        if name in ("requires_grad", "is_leaf"):
            return True
        if name in ("itemsize", "nbytes"):
            return BYTES[owner.dtype] * (owner.elements if name == "nbytes" else 1)
        return "cuda" if name == "device" else super().ask_attribute(owner, name)

    def ask_member(self, name: str, given: Sequence[Any], names: Mapping[str, Any]) -> Any:
        """``getattr(x, "name", default)``, ``hasattr(x, "name")``."""
        if given[0] is None or not isinstance(given[1], str):
            raise UnknownError
        value = None
        with suppress(UnknownError, LookupError):
            value = self.find_member(given[0], given[1], names)
        if name == "hasattr":
            return value is not None
        if value is None and len(given) < 3:
            raise UnknownError
        return given[2] if value is None else value

    # ---- calls ----

    def is_callable(self, value: Any) -> bool:
        """Whether a value is a function, a class, or an object that is called."""
        return is_function(value) or isinstance(value, (Partial, Bound, Builtin, Applied, ast.ClassDef, Instance))

    def find_super(self, name: str, names: Mapping[str, Any]) -> Any:
        """``super().method``: of the class above, where that is the file's."""
        kind, owner = names.get("__class__"), names.get("self")
        for above in self.list_kinds(kind)[1:] if isinstance(kind, ast.ClassDef) else ():
            method = self.find_method(above, name)
            if method is not None and isinstance(owner, Instance):
                return self.bind(owner, *method)
        return None

    def call_value(
        self, callee: Any, given: Sequence[Any], named: Mapping[str, Any], node: ast.Call | None = None
    ) -> Any:
        """What a function, a class or an object gives; None where that is not known."""
        match callee:
            case Partial():
                return self.call_value(callee.function, [*callee.given, *given], {**callee.named, **named}, node)
            case Builtin():
                return self.compute(callee.name, None, [strip(g) for g in given], named)
            case ast.ClassDef():
                return self.make_object(callee, given, named, node)
            case Applied():
                return self.apply_function(callee.kind, given, named, node)
            case Instance():
                if "layer" in callee.fields:
                    return call_layer(callee, given)
                method = self.find_method(callee.kind, "__call__") or self.find_method(callee.kind, "forward")
                return self.call_value(self.bind(callee, *method), given, named, node) if method else None
        return self.enter_function(callee, given, named, getattr(node, "lineno", 0))

    def apply_function(
        self, kind: ast.ClassDef, given: Sequence[Any], named: Mapping[str, Any], node: ast.Call | None
    ) -> Any:
        """``Function.apply(x)``: ``forward`` with a context, which ``backward`` gets later."""
        context, line = Instance(kind), getattr(node, "lineno", 0)
        forward, setup = self.find_method(kind, "forward"), self.find_method(kind, "setup_context")
        if forward is None:
            return None
        before = () if setup else (context,)
        result = self.enter_function(Bound(forward[0], before, forward[1]), given, named, line)
        if setup is not None:
            self.enter_function(Bound(setup[0], (), setup[1]), [context, tuple(given), result], {}, line)
        self.applied.append((context, result))
        return result

    def enter_function(self, callee: Any, given: Sequence[Any], named: Mapping[str, Any], line: int = 0) -> Any:
        """What a function gives; None where that is not known."""
        if self.depth >= DEEPEST:
            return None
        function, around = (callee.function, self.module) if isinstance(callee, Bound) else callee
        given = [*callee.before, *given] if isinstance(callee, Bound) else given
        inner = dict(around) if around is not self.module else {}
        inner |= self.name_arguments(function.args, given, named, around)
        if isinstance(callee, Bound):
            inner["__class__"] = callee.kind
        self.depth += 1
        try:
            if isinstance(function, ast.Lambda):
                return self.find(function.body, inner)
            self.calls.setdefault(function.name, []).append((line, inner))
            ended = self.run(function.body, inner)
        finally:
            self.depth -= 1
        return ended.value if isinstance(ended, Result) else NOTHING

    def name_arguments(
        self, arguments: ast.arguments, given: Sequence[Any], named: Mapping[str, Any], around: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Values of a function's parameters; None for those that are not known."""
        labels = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        defaults = zip(labels[::-1], arguments.defaults[::-1], strict=False)
        inner: dict[str, Any] = dict.fromkeys(labels)
        inner |= {n: self.find(d, around) for n, d in defaults}
        inner |= {
            a.arg: None if d is None else self.find(d, around)
            for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        }
        inner |= dict(zip(labels, given, strict=False)) | {n: v for n, v in named.items() if n in inner}
        if arguments.vararg is not None:
            inner[arguments.vararg.arg] = tuple(given[len(labels) :])
        if arguments.kwarg is not None:
            inner[arguments.kwarg.arg] = {n: v for n, v in named.items() if n not in inner}
        return inner

    def map(self, name: str, given: Sequence[Any], node: ast.Call) -> Any:
        """``map(f, xs)``, ``filter(f, xs)``, ``reduce(f, xs)``."""
        if name == "reduce":
            parts = [*given[2:], *iterate(given[1])]
            return functools.reduce(lambda a, b: self.call_value(given[0], [a, b], {}, node), parts)
        turns = [iterate(g) for g in given[1:]]
        results = [(v, self.call_value(given[0], v, {}, node)) for v in zip(*turns, strict=False)]
        if name == "map":
            return tuple(r for _, r in results)
        return tuple(v[0] for v, r in results if r is None or r)

    # ---- objects ----

    def make_object(
        self, kind: ast.ClassDef, given: Sequence[Any], named: Mapping[str, Any], node: ast.Call | None
    ) -> Instance:
        """An object of a class of the file, made by its own method, or of its members in their order."""
        instance = Instance(kind)
        start = self.find_method(kind, "__init__")
        if start is not None:
            self.enter_function(Bound(start[0], (instance,), start[1]), given, named, getattr(node, "lineno", 0))
            return instance
        labels: list[str] = []
        for above in reversed(self.list_kinds(kind)):
            instance.fields |= {n: v for n, v in self.read_members(above, self.module).items() if v is not None}
            labels += [
                a.target.id for a in above.body if isinstance(a, ast.AnnAssign) and isinstance(a.target, ast.Name)
            ]
        stated = dict(zip(labels, given, strict=False)) | dict(named)
        instance.fields |= {n: v for n, v in stated.items() if v is not None}
        instance.fields = {
            n: instance.fields[n] for n in dict.fromkeys((*labels, *instance.fields)) if n in instance.fields
        }
        self.add_layer(instance, given, named)
        after = self.find_method(kind, "__post_init__")
        if after is not None:
            self.enter_function(Bound(after[0], (instance,), after[1]), (), {}, getattr(node, "lineno", 0))
        return instance

    def add_layer(self, instance: Instance, given: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Parameters of a module of Torch that a class of the file is made of."""
        for kind in self.list_kinds(instance.kind):
            for name in (last_name(b) for b in kind.bases):
                if name in LAYERS:
                    with suppress(UnknownError):
                        layer = make_layer(name, [strip(g) for g in given], {n: strip(v) for n, v in named.items()})
                        instance.fields |= {n: v for n, v in layer.fields.items() if n != "layer"}

    def ask_object(self, owner: Instance, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """What a method of a module, an optimizer or a context gives that the file does not define."""
        if name == "__init__":
            self.add_layer(owner, given, named)
            if len(given) > 1 and isinstance(given[1], dict):
                # Of an optimizer: parameters and options.
                several = given[0] if isinstance(given[0], tuple) else (given[0],)
                owner.fields |= {"param_groups": ({"params": several, **given[1]},), "state": defaultdict(dict)}
            return NOTHING
        if name == "save_for_backward":
            owner.fields["saved_tensors"] = tuple(given)
        elif name in OF_MODULES:
            return convert_module(owner, name, [strip(g) for g in (*given, *named.values())])
        elif name in ("parameters", "named_parameters"):
            return tuple(v for v in owner.fields.values() if isinstance(v, Tensor))
        else:
            raise UnknownError
        return NOTHING

    def go_back(self) -> None:
        """The backward methods of what was applied, the last one first, with gradients as large as the results."""
        while self.applied:
            context, result = self.applied.pop()
            method = self.find_method(context.kind, "backward")
            results = result if isinstance(result, tuple) else (result,)
            if method is not None and all(r is None or r is NOTHING or isinstance(r, Tensor) for r in results):
                gradients = [Tensor(r.shape, r.dtype) if isinstance(r, Tensor) else NOTHING for r in results]
                self.enter_function(Bound(method[0], (context,), method[1]), gradients, {})
