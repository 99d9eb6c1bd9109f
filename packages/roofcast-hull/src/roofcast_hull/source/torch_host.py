"""Follows a Python file that computes with PyTorch: its statements, functions, classes and modules.

Beside what :class:`.Host` follows, ``None`` is a value of its own, functions are values that can be handed over, loops
whose turns are stated run to their end, and a function ends where it returns.
"""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

from roofcast_hull.source.host_objects import Instance, convert_module, forget, is_function, store
from roofcast_hull.source.numpy_values import BYTES, ELEMENTWISE, Tensor, UnknownError
from roofcast_hull.source.python_host import DEEPEST, MOST_ITEMS, OF_MODULES, TIMED, Host
from roofcast_hull.source.python_syntax import last_name, name_called
from roofcast_hull.source.torch_functions import (
    COMPUTED,
    NAMED_TYPES,
    NOTHING,
    OF_DEVICE,
    PROPERTIES,
    compare,
    is_kind,
    iterate,
    strip,
)
from roofcast_hull.source.torch_layers import LAYERS, call_layer, make_layer
from roofcast_hull.source.torch_values import MAKERS, ask_tensor, call_torch, make_tensor, narrow_real
from roofcast_hull.source.torch_views import slice_tensor, transpose

MOST_TURNS = 64
"""Turns of a loop that are followed; of one with more the first alone is."""
LEAST_LEFT = 10_000
"""Statements that are left for what follows, where loops go on."""
OF_TEXT = ("startswith", "endswith", "split", "lower", "upper", "strip", "replace", "format", "join", "removeprefix",
           "isdigit", "index", "count", "bit_length", "is_integer", "items", "keys", "values", "get",
           "copy")  # fmt: skip
"""Methods of texts, numbers, lists and dictionaries that are computed."""
SAME_CALL = (
    "compile",
    "jit",
    "script",
    "wraps",
    "allow_in_graph",
    "no_grad",
    "inference_mode",
    "disable",
    "checkpoint",
)
"""What gives the function that it is given."""


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
class TorchHost(Host):
    """Follows the statements of a file that computes with PyTorch."""

    real: ClassVar[str] = "float32"
    module: dict[str, Any] = field(default_factory=dict)
    """Names of the file."""
    usual: str = "float32"
    """Element type of tensors for which none is stated."""
    applied: list[tuple[Instance, Any]] = field(default_factory=list)
    """Contexts of ``autograd.Function.apply``, with its results."""

    # ---- statements ----

    def run(self, body: Sequence[ast.stmt], names: dict[str, Any]) -> Any:
        """Statements in their order; how they end before the last: a result, ``break`` or ``continue``."""
        for item in body:
            self.left -= 1
            if self.left < 0:
                return None
            ended = self.statement(item, names)
            if ended is not None:
                return ended
        return None

    def statement(self, item: ast.stmt, names: dict[str, Any]) -> Any:
        """One statement; how it ends those around it."""
        match item:
            case ast.Return():
                return Result(NOTHING if item.value is None else self.find(item.value, names))
            case ast.Break() | ast.Continue():
                return item
            case ast.Assign() | ast.Expr():
                value = self.find(item.value, names)
                for target in getattr(item, "targets", ()):
                    self.store(target, value, names)
            case ast.AnnAssign() if item.value is not None:
                self.store(item.target, self.find(item.value, names), names)
            case ast.FunctionDef():
                names[item.name] = item, names
            case ast.ClassDef():
                names[item.name] = item
            case _:
                return self.control(item, names)
        return None

    def control(self, item: ast.stmt, names: dict[str, Any]) -> Any:
        """A statement that holds others."""
        match item:
            case ast.For():
                return self.go_through(item, names)
            case ast.While():
                return self.repeat(item, names)
            case ast.With():
                for context in item.items:
                    value = self.find(context.context_expr, names)
                    if context.optional_vars is not None:
                        self.store(context.optional_vars, value, names)
                return self.run(item.body, names)
            case ast.Try():
                ended = self.run([*item.body, *item.orelse], names)
                return self.run(item.finalbody, names) or ended
            case ast.Match():
                return self.choose(item, names)
        return super().statement(item, names)

    def branch(self, item: ast.If, names: dict[str, Any]) -> Any:
        """What is not known is taken as met, unless it only ends there."""
        holds = self.find(item.test, names)
        if holds is not None and not isinstance(holds, Tensor):
            return self.run(item.body if holds else item.orelse, names)
        if any(isinstance(s, ast.Raise) for s in item.body):
            return self.run(item.orelse, names)
        before = len(self.launches)
        ended = self.run(item.body, names)
        if ended is not None and len(self.launches) == before:
            return self.run(item.orelse, names)
        return ended

    def choose(self, item: ast.Match, names: dict[str, Any]) -> Any:
        """``match``: the case of a written value, or the last one."""
        subject = self.find(item.subject, names)
        for case in item.cases:
            patterns = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
            values = [self.find(p.value, names) for p in patterns if isinstance(p, ast.MatchValue)]
            if (subject is not None and subject in values) or case is item.cases[-1]:
                return self.run(case.body, names)
        return None

    def go_through(self, item: ast.For, names: dict[str, Any]) -> Any:
        """``for``: all turns where they are stated and few, else the first."""
        turns: tuple[Any, ...] | None = None
        with suppress(UnknownError, TypeError):
            turns = iterate(self.find(item.iter, names))
        if turns is not None and not turns:
            return None
        known = turns is not None and len(turns) <= MOST_TURNS
        if not known:
            self.forget_changed(item, names)
        return self.turn(item, names, turns if turns is not None and known else ((turns or (None,))[0],))

    def turn(self, item: ast.For | ast.While, names: dict[str, Any], turns: Sequence[Any]) -> Any:
        """Turns of a loop. What later ones launch where the first did is noted once."""
        first: set[tuple[str, int]] | None = None
        for value in turns:
            if isinstance(item, ast.For):
                self.store(item.target, value, names)
            elif (holds := self.find(item.test, names)) is not None and not holds:
                break
            before = len(self.launches)
            ended = self.run(item.body, names)
            if first is not None:
                self.launches[before:] = [x for x in self.launches[before:] if (x.kernel, x.line) not in first]
            first = (first or set()) | {(x.kernel, x.line) for x in self.launches[before:] if x.grid is not None}
            if isinstance(ended, (Result, ast.Break)):
                return ended if isinstance(ended, Result) else None
            if self.left < LEAST_LEFT:
                break
        return None

    def repeat(self, item: ast.While, names: dict[str, Any]) -> Any:
        """``while``: as long as its condition is stated, else one turn."""
        known = self.find(item.test, names) is not None
        if not known:
            self.forget_changed(item, names)
        return self.turn(item, names, range(MOST_TURNS if known else 1))

    @staticmethod
    def forget_changed(item: ast.stmt, names: dict[str, Any]) -> None:
        """Names that the turns of a loop change, of which one is followed."""
        for node in ast.walk(item):
            if isinstance(node, ast.AugAssign):
                forget(node.target, names)

    def augment(self, item: ast.AugAssign, names: dict[str, Any]) -> None:
        """``x += 1``: tensors keep their shapes."""
        held = self.find(item.target, names)
        if not isinstance(held, Tensor):
            value = self.find(item.value, names)
            with suppress(UnknownError, TypeError, ValueError, ZeroDivisionError, OverflowError):
                self.store(item.target, self.calculate(item.op, held, value), names)
                return
            self.store(item.target, None, names)

    def store(self, target: ast.expr, value: Any, names: dict[str, Any]) -> None:
        """Give names, members and entries their values."""
        if isinstance(target, ast.Attribute):
            owner = self.find(target.value, names)
            if isinstance(owner, Instance):
                store(ast.Name(target.attr), value, owner.fields)
        elif isinstance(target, ast.Subscript):
            owner, key = self.find(target.value, names), self.find(target.slice, names)
            if isinstance(owner, dict) and isinstance(key, (str, int, float, tuple)):
                owner[key] = value
        elif isinstance(target, (ast.Tuple, ast.List)) and not any(isinstance(t, ast.Starred) for t in target.elts):
            parts: Sequence[Any] = ()
            with suppress(UnknownError):
                parts = iterate(value)
            several = len(parts) == len(target.elts)
            for at, inner in enumerate(target.elts):
                self.store(inner, parts[at] if several else None, names)
        else:
            store(target, value, names)

    # ---- values ----

    def value(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """The value of an expression.

        Raises
        ------
        UnknownError : the file does not state it.
        """
        match node:
            case ast.Constant(value=None):
                return NOTHING
            case ast.Tuple() | ast.List() | ast.Set():
                return tuple(self.spread(node.elts, names))
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self.comprehend(node, names)
            case ast.DictComp():
                pairs = ast.Tuple([node.key, node.value], ast.Load())
                return dict(self.comprehend(ast.ListComp(pairs, node.generators), names))
            case ast.Dict():
                return self.make_dictionary(node, names)
            case ast.Lambda():
                return node, names
            case ast.NamedExpr() if isinstance(names, dict):
                store(node.target, self.find(node.value, names), names)
                return self.value(node.target, names)
            case ast.JoinedStr():
                return self.spell_text(node, names)
            case ast.Starred():
                return self.value(node.value, names)
        return super().value(node, names)

    def make_dictionary(self, node: ast.Dict, names: Mapping[str, Any]) -> dict[Any, Any]:
        """``{"BLOCK": 128, **others}``."""
        entries: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                entries[self.value(key, names)] = self.find(value, names)
            elif isinstance(several := self.find(value, names), dict):
                entries |= several
        return entries

    def spell_text(self, node: ast.JoinedStr, names: Mapping[str, Any]) -> str:
        """``f"{name}_{size}"``."""
        parts = [self.find(p.value if isinstance(p, ast.FormattedValue) else p, names) for p in node.values]
        if not all(isinstance(p, (str, int, float)) for p in parts):
            raise UnknownError
        return "".join(map(str, parts))

    def comprehend(self, node: Any, names: Mapping[str, Any]) -> tuple[Any, ...]:
        """``[f(a, b) for a in (1, 2) for b in (3, 4) if a < b]``."""
        inside: list[dict[str, Any]] = [dict(names)]
        for generator in node.generators:
            following = []
            for around in inside:
                for value in iterate(self.value(generator.iter, around)):
                    names_of_turn = dict(around)
                    self.store(generator.target, value, names_of_turn)
                    if all(self.find(test, names_of_turn) in (None, True) for test in generator.ifs):
                        following.append(names_of_turn)
                    if len(following) > MOST_ITEMS:
                        raise UnknownError
            inside = following
        return tuple(self.find(node.elt, names_of_turn) for names_of_turn in inside)

    def find_name(self, name: str, names: Mapping[str, Any]) -> Any:
        """The value of a name: of a function, of the file, or of Python."""
        if name in names and names[name] is None:
            raise UnknownError
        if name in names:
            return names[name]
        if name in self.module:
            return self.module[name]
        if name in self.functions:
            return self.functions[name], self.module
        return "__main__" if name == "__name__" else super().find_name(name, names)

    def part(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """``x[0]``, ``x[:, :n]``, ``options["BLOCK"]``."""
        if not isinstance(node, ast.Subscript):
            raise UnknownError
        whole = self.value(node.value, names)
        if isinstance(whole, Tensor):
            return slice_tensor(whole, [strip(i) for i in self.list_items(node.slice, names)])
        if isinstance(node.slice, ast.Slice):
            ends = (node.slice.lower, node.slice.upper, node.slice.step)
            return whole[slice(*(None if e is None else strip(self.value(e, names)) for e in ends))]
        if isinstance(whole, Instance):
            whole = iterate(whole)
        if not isinstance(whole, (tuple, dict, str)):
            raise UnknownError
        return whole[self.value(node.slice, names)]

    def operation(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        """Signs between values: comparisons one after the other, ``in``, ``is``."""
        if isinstance(node, ast.Compare) and (
            len(node.ops) > 1 or isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Is, ast.IsNot))
        ):
            left = self.value(node.left, names)
            for op, item in zip(node.ops, node.comparators, strict=True):
                right = self.value(item, names)
                if not compare(op, left, right):
                    return False
                left = right
            return True
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
            return self.value(node.operand, names)
        return super().operation(node, names)

    def calculate(self, op: ast.operator, left: Any, right: Any) -> Any:
        """An operation of two values; texts, lists and dictionaries are joined."""
        if isinstance(left, str) and isinstance(right, str) and isinstance(op, ast.Add):
            return left + right
        if isinstance(left, dict) and isinstance(right, dict) and isinstance(op, ast.BitOr):
            return left | right
        if isinstance(left, ast.AST) or left is None or right is None:
            raise UnknownError
        return super().calculate(op, left, right)

    # ---- members ----

    def attribute(self, node: ast.Attribute, names: Mapping[str, Any]) -> Any:
        """``x.shape``, ``torch.float16``, ``self.weight``."""
        of_module = isinstance(node.value, ast.Name) and not self.has_value(node.value.id, names)
        if of_module and node.attr in NAMED_TYPES:
            return NAMED_TYPES[node.attr]
        if ast.unparse(node) == "torch.version.hip":
            return NOTHING
        if node.attr in BYTES and not isinstance(self.find(node.value, names), (Instance, dict, Tensor)):
            return node.attr
        if of_module:
            return super().attribute(node, names)
        try:
            owner = self.value(node.value, names)
        except (UnknownError, LookupError, AttributeError):
            if node.attr in PROPERTIES and node.attr.startswith(("multi", "num_sms", "max_shared")):
                return PROPERTIES[node.attr]
            raise
        return self.find_member(owner, node.attr, names)

    def has_value(self, name: str, names: Mapping[str, Any]) -> bool:
        """Whether a name is of the file, and no module's."""
        return any(name in several for several in (names, self.module, self.functions, self.classes, self.kernels))

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

    # ---- calls ----

    def call(self, node: ast.Call, names: Mapping[str, Any]) -> Any:
        """Functions and classes of the file, methods, what Python and Torch compute."""
        name = name_called(node)
        if name == "isinstance" and len(node.args) == 2:
            return is_kind(self.value(node.args[0], names), node.args[1])
        if name == "super" and not node.args:
            return node
        callee, owner = self.find_callee(node, names)
        given, named = self.spread(node.args, names), self.spread_named(node, names)
        if name in ("partial", "map") and given and given[0] is None and isinstance(node.args[0], ast.Attribute):
            given = [Builtin(node.args[0].attr), *given[1:]]
        if callee is not None:
            value = self.call_value(callee, given, named, node)
            if value is None:
                raise UnknownError
            return value
        return self.call_named(node, owner, given, named, names)

    def find_callee(self, node: ast.Call, names: Mapping[str, Any]) -> tuple[Any, Any]:
        """What is called, where it is the file's own, and what it is a method of."""
        function = node.func
        if not isinstance(function, ast.Attribute):
            callee = (
                self.find(function, names) if not isinstance(function, ast.Name) else self.find_own(function.id, names)
            )
            return (callee if self.is_callable(callee) else None), None
        if isinstance(function.value, ast.Call) and name_called(function.value) == "super":
            return self.find_super(function.attr, names), names.get("self")
        owner = self.find(function.value, names)
        if isinstance(owner, (Instance, ast.ClassDef, dict)):
            callee = None
            with suppress(UnknownError, LookupError):
                callee = self.find_member(owner, function.attr, names)
            return (callee if self.is_callable(callee) else None), owner
        if owner is None and function.attr in self.functions and ast.unparse(function).startswith("torch.ops."):
            return (self.functions[function.attr], self.module), None
        return None, owner

    def find_own(self, name: str, names: Mapping[str, Any]) -> Any:
        """What a name is that is called; None for what is not the file's."""
        return self.find_name(name, names) if self.has_value(name, names) and names.get(name, 0) is not None else None

    def find_super(self, name: str, names: Mapping[str, Any]) -> Any:
        """``super().method``: of the class above, where that is the file's."""
        kind, owner = names.get("__class__"), names.get("self")
        for above in self.list_kinds(kind)[1:] if isinstance(kind, ast.ClassDef) else ():
            method = self.find_method(above, name)
            if method is not None and isinstance(owner, Instance):
                return self.bind(owner, *method)
        return None

    def is_callable(self, value: Any) -> bool:
        """Whether a value is a function, a class, or an object that is called."""
        return is_function(value) or isinstance(value, (Partial, Bound, Builtin, Applied, ast.ClassDef, Instance))

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

    def call_named(
        self, node: ast.Call, owner: Any, given: Sequence[Any], named: Mapping[str, Any], names: Mapping[str, Any]
    ) -> Any:  # fmt: skip
        """What a function gives that is not the file's own, by its name.

        Raises
        ------
        UnknownError : that is not known.
        """
        name = name_called(node)
        if name in TIMED and given and self.is_callable(given[0]):
            return self.call_value(given[0], (), {}, node)
        if name in ("partial", "map", "filter", "reduce") and given and self.is_callable(given[0]):
            return Partial(given[0], tuple(given[1:]), named) if name == "partial" else self.map(name, given, node)
        if name in SAME_CALL and (held := given[0] if given else owner) is not None:
            return self.call_value(held, given[1:], {}, node) if name == "checkpoint" else held
        if name in OF_DEVICE and not isinstance(owner, (Tensor, Instance)):
            return OF_DEVICE[name]
        if name in ("getattr", "hasattr") and len(given) > 1:
            return self.ask_member(name, given, names)
        if name in ("append", "extend", "insert", "update", "setdefault", "register_buffer", "register_parameter"):
            return self.change(node, name, owner, given, named, names)
        if isinstance(owner, Instance):
            return self.ask_object(owner, name, given, named)
        if name == "field" and ("default" in named or "default_factory" in named):
            factory = named.get("default_factory")
            return self.call_value(factory, (), {}, node) if self.is_callable(factory) else named.get("default", ())
        return self.compute(name, owner, [strip(g) for g in given], {n: strip(v) for n, v in named.items()})

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

    def change(
        self, node: ast.Call, name: str, owner: Any, given: Sequence[Any], named: Mapping[str, Any], names: Any
    ) -> Any:  # fmt: skip
        """A method that changes a list, a dictionary or an object."""
        function = node.func
        if not isinstance(function, ast.Attribute) or not given:
            raise UnknownError
        if isinstance(owner, Instance) and name.startswith("register") and len(given) > 1:
            owner.fields[str(given[0])] = given[1]
        elif isinstance(owner, dict) and name == "update":
            owner |= {**(given[0] if isinstance(given[0], dict) else {}), **named}
        elif isinstance(owner, dict) and name == "setdefault":
            return owner.setdefault(*given)
        elif isinstance(owner, tuple):
            at = given[0] if name == "insert" else len(owner)
            added = iterate(given[0]) if name == "extend" else (given[-1],)
            self.store(function.value, (*owner[:at], *added, *owner[at:]), names)
        return NOTHING

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

    def compute(self, name: str, owner: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """What a function of Python or Torch gives. owner : what it is a method of."""
        tensors = isinstance(owner, Tensor) or (given and isinstance(given[0], Tensor))
        if isinstance(owner, (str, int, float, tuple, dict)) and name in OF_TEXT:
            value = getattr(owner, name)(*given)
            return (
                value
                if isinstance(value, (str, int, float, tuple, dict, Tensor, ast.AST)) or self.is_callable(value)
                else (NOTHING if value is None else tuple(value))
            )
        if name == "get" and ast_is_environment(owner):
            return given[1] if len(given) > 1 else NOTHING
        if (
            name in COMPUTED
            and (
                not tensors
                or name in ("len", "list", "tuple", "enumerate", "zip", "reversed", "is_tensor", "iter", "next")
            )
            and not isinstance(owner, Tensor)
        ):
            return COMPUTED[name](*given, **named)
        if name in LAYERS and not tensors:
            return make_layer(name, given, named)
        if name in ("add_argument", "parse_args", "parse_known_args"):
            return super().compute(name, owner, given, named)
        if name == "set_default_dtype" and given:
            self.usual = given[0]
            return NOTHING
        if name == "get_default_dtype":
            return self.usual
        if name in MAKERS:
            return make_tensor(name, given, named if MAKERS[name] else {"dtype": self.usual, **named})
        value = ask_tensor(owner, name, given, named) if isinstance(owner, Tensor) else call_torch(name, given, named)
        return narrow_real(value, [owner, *given], self.usual) if name in ELEMENTWISE else value

    def combine(self, op: ast.operator, left: Any, right: Any) -> Tensor:
        """An operation of tensors."""
        result: Tensor = narrow_real(super().combine(op, left, right), [left, right], self.usual)
        return result

    # ---- autograd ----

    def go_back(self) -> None:
        """The backward methods of what was applied, the last one first, with gradients as large as the results."""
        while self.applied:
            context, result = self.applied.pop()
            method = self.find_method(context.kind, "backward")
            results = result if isinstance(result, tuple) else (result,)
            if method is not None and all(r is None or r is NOTHING or isinstance(r, Tensor) for r in results):
                gradients = [Tensor(r.shape, r.dtype) if isinstance(r, Tensor) else NOTHING for r in results]
                self.enter_function(Bound(method[0], (context,), method[1]), gradients, {})


def ast_is_environment(owner: Any) -> bool:
    """Whether ``get`` is asked of what the file does not state: variables of the environment."""
    return owner is None
