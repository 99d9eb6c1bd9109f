"""Follows a Python file that computes with PyTorch: its statements, functions, classes and modules.

Beside what :class:`.Host` follows, ``None`` is a value of its own, functions are values that can be handed over, loops
whose turns are stated run to their end, and a function ends where it returns.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from roofcast_hull.source.host_objects import Instance, forget, store
from roofcast_hull.source.numpy_values import BYTES, ELEMENTWISE, Tensor, UnknownError
from roofcast_hull.source.python_host import TIMED
from roofcast_hull.source.python_syntax import name_called
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
from roofcast_hull.source.torch_layers import LAYERS, make_layer
from roofcast_hull.source.torch_objects import Builtin, Partial, Result, TorchObjects
from roofcast_hull.source.torch_values import MAKERS, ask_tensor, call_torch, make_tensor, narrow_real
from roofcast_hull.source.torch_views import slice_tensor

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


@dataclass
class TorchHost(TorchObjects):
    """Follows the statements of a file that computes with PyTorch."""

    usual: str = "float32"
    """Element type of tensors for which none is stated."""

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

    def iterate(self, value: Any) -> Sequence[Any]:
        """What a loop over a value gives, turn by turn."""
        return iterate(value)

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
        if name == "get" and owner is None:
            # Of variables of the environment, which the file does not state.
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
