"""Structures by value as their members: ``float3``, complex numbers, and the functions that take and return them.

A structure that a function holds becomes a scalar for each member, a store of one a store of each member, and a call of
a function with structures the statements of that function. Elements of arrays keep their form, ``p[i].x``: the reader
and the interpreter take each member as an array of its own.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roofcast_hull.emulated.value_types import Type, Types
from roofcast_hull.source.c_declarations import collect_structures, name_structure
from roofcast_hull.source.c_idioms import REFERENCE, find_targets, list_declared, rename_all, returns
from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_tree import (
    are_alike,
    called,
    find_calls,
    find_names,
    has_kind,
    has_loop,
    list_items,
    uncast,
)
from roofcast_hull.source.methods import OPERATORS

SCALARS = {
    "char": "char", "uchar": "unsigned char", "short": "short", "ushort": "unsigned short", "int": "int",
    "uint": "unsigned int", "float": "float", "double": "double", "long": "long", "longlong": "long",
}  # fmt: skip
VECTORS = {f"{short}{n}": (scalar, "xyzw"[:n]) for short, scalar in SCALARS.items() for n in (2, 3, 4)}
"""CUDA's short vectors: type and names of their members."""
OF_PAIR = {"__float22half2_rn": "__floats2half2_rn", "__float22bfloat162_rn": "__floats2bfloat162_rn"}
"""Functions that make a word of a structure of two numbers, and those that make it of the numbers."""
PAIRS_OF = {"__half22float2": "float2", "__bfloat1622float2": "float2"}
"""Calls that take a pair of numbers of 16 bits apart."""
MOST_INLINED = 400
"""Calls of methods that are put in place: recursion would not end."""
Path = tuple[str, ...]
"""Names of a member in a structure, and in the structures inside it."""


class NotSplitError(Exception):
    """A structure is used in a way that is not followed; the reader then says so of the statement."""


def declare_vectors(text: str) -> str:
    """Definitions, on no line of their own, of the vectors that a text names."""
    used = [n for n in VECTORS if re.search(rf"\b(?:make_)?{n}\b", text)]
    return " ".join(f"typedef struct {{ {VECTORS[n][0]} {', '.join(VECTORS[n][1])}; }} {n};" for n in used) + " "


def split_structures(tree: Any, chosen: Any, ast: Any) -> dict[str, Type]:
    """Write the body of a function, in place, without structures of its own and without calls that take some.

    Returned are its arrays of structures, with the layout of these.
    """
    structures = collect_structures(tree)
    overloads: dict[str, list[Any]] = {}
    for item in tree.ext:
        if type(item).__name__ == "FuncDef" and item is not chosen:
            overloads.setdefault(str(item.decl.name), []).append(item)
    if not structures and not any(is_sum(f) for same in overloads.values() for f in same):
        return {}
    splitter = Splitter(structures, overloads, ast)
    for item in tree.ext:
        if type(item).__name__ == "Decl" and type(item.type).__name__ in ("PtrDecl", "ArrayDecl"):
            splitter.learn(item)
    for parameter in getattr(chosen.decl.type.args, "params", None) or ():
        splitter.learn(parameter)
    arrays = dict(splitter.arrays) | splitter.list_led()
    chosen.body = ast.Compound(splitter.block(list_items(chosen.body)), chosen.body.coord)
    types = Types(tree)
    return {a: types.of_words([k]) for a, k in arrays.items() if splitter.is_plain(k)}


def find_type(node: Any) -> tuple[Any, bool]:
    """What a declaration declares at its end, and whether through pointers or arrays."""
    kind, pointed = node, False
    while type(kind).__name__ in ("PtrDecl", "ArrayDecl"):
        kind, pointed = kind.type, True
    return getattr(kind, "type", None), pointed


@dataclass
class Splitter:
    """Walks the statements of one function."""

    members: Mapping[str, tuple[Any, ...]]
    """Declarations of the members of each structure."""
    functions: Mapping[str, Sequence[Any]]
    """Functions of the file, those of one name together."""
    ast: Any
    names: dict[str, str] = field(default_factory=dict)
    """Structures that the function holds, and of which type."""
    arrays: dict[str, str] = field(default_factory=dict)
    """Arrays and pointers to structures."""
    made: int = 0

    # ---- what is declared ----

    def paths(self, kind: str) -> list[tuple[Path, Any]]:
        """Members of a structure that are scalars, with their types, those of structures inside it too."""
        paths: list[tuple[Path, Any]] = []
        for member in self.members[kind]:
            inside, pointed = find_type(member.type)
            inner = name_structure(inside)
            if pointed or type(member.type).__name__ != "TypeDecl":
                raise NotSplitError
            name = str(member.name)
            if inner in self.members:
                paths += [((name, *path), leaf) for path, leaf in self.paths(inner)]
            else:
                paths.append(((name,), member))
        return paths

    def is_plain(self, kind: str) -> bool:
        """Whether a structure holds numbers alone."""
        try:
            return bool(self.paths(kind))
        except NotSplitError:
            return False

    def learn(self, node: Any) -> str:
        """Remember what a declaration says; the type of a structure by value, '' for everything else."""
        inside, pointed = find_type(node.type)
        kind = name_structure(inside)
        name = str(node.name)
        self.names.pop(name, None)
        self.arrays.pop(name, None)
        if kind not in self.members:
            return ""
        (self.arrays if pointed else self.names)[name] = kind
        return "" if pointed else kind

    def list_led(self) -> dict[str, str]:
        """Arrays of structures that members of what the function holds lead to, ``v.data``, and of which type."""
        led = {}
        for name, kind in (self.names | self.arrays).items():
            for member in self.members[kind]:
                inside, pointed = find_type(member.type)
                if pointed and name_structure(inside) in self.members:
                    led[f"{name}.{member.name}"] = name_structure(inside)
        return led

    def find_kind(self, node: Any) -> str:
        """The structure that an expression is; '' for scalars."""
        node = uncast(node)
        kind = type(node).__name__
        if kind == "ID":
            return self.names.get(str(node.name), "")
        if kind in ("ArrayRef", "UnaryOp") and (kind == "ArrayRef" or node.op == "*"):
            base = node.name if kind == "ArrayRef" else node.expr
            while type(uncast(base)).__name__ in ("ArrayRef", "BinaryOp", "UnaryOp"):
                base = uncast(base)
                base = getattr(base, "name", None) or getattr(base, "left", None) or base.expr
            if type(uncast(base)).__name__ == "StructRef":
                return self.find_pointed(uncast(base))
            return self.arrays.get(str(getattr(uncast(base), "name", "")), "")
        if kind == "StructRef":
            outer = self.find_kind(node.name) if node.type == "." else ""
            inside = next((m for m in self.members.get(outer, ()) if m.name == node.field.name), None)
            structure = name_structure(find_type(inside.type)[0]) if inside is not None else ""
            return structure if structure in self.members else ""
        if kind == "TernaryOp":
            return self.find_kind(node.iftrue)
        if kind == "CompoundLiteral":
            structure = name_structure(find_type(node.type.type)[0])
            return structure if structure in self.members else ""
        vector = PAIRS_OF.get(called(node)) or called(node).removeprefix("make_")
        if kind == "FuncCall" and vector in VECTORS and called(node) not in self.functions:
            return vector
        function = self.find_function(node)
        if function is None:
            return ""
        structure = name_structure(find_type(function.decl.type.type)[0])
        return structure if structure in self.members and type(function.decl.type.type).__name__ == "TypeDecl" else ""

    def leads(self, node: Any) -> bool:
        """Whether a member of a structure that the function holds is a pointer or an array."""
        members = self.members.get(self.names.get(str(node.name.name), ""), ())
        return any(m.name == node.field.name and find_type(m.type)[1] for m in members)

    def find_pointed(self, node: Any) -> str:
        """The structure that a member leads to, ``v.data``; '' for other members."""
        name = str(getattr(node.name, "name", ""))
        outer = self.names.get(name) or self.arrays.get(name) or ""
        inside = next((m for m in self.members.get(outer, ()) if m.name == node.field.name), None)
        structure = name_structure(find_type(inside.type)[0]) if inside is not None else ""
        return structure if structure in self.members else ""

    def find_function(self, node: Any) -> Any | None:
        """The function of the file that a call, or an operator of structures, stands for."""
        kind = type(node).__name__
        if kind == "FuncCall":
            name, given = called(node), list(node.args.exprs) if node.args else []
        elif kind == "BinaryOp" and node.op in OPERATORS and OPERATORS[node.op] in self.functions:
            name, given = OPERATORS[node.op], [node.left, node.right]
        else:
            return None
        kinds = [self.find_kind(a) for a in given]
        if kind == "BinaryOp" and not any(kinds):
            return None
        for function in self.functions.get(name, ()):
            wanted = [self.take_kind(p) for p in self.list_parameters(function)]
            if wanted == kinds:
                return function
        return None

    def list_parameters(self, function: Any) -> list[Any]:
        """Parameters of a function that have a name."""
        parameters = getattr(function.decl.type.args, "params", None) or ()
        return [p for p in parameters if getattr(p, "name", None)]

    def take_kind(self, parameter: Any) -> str:
        """The structure that a parameter takes by value or by reference; '' for scalars and pointers."""
        inside, pointed = find_type(parameter.type)
        kind = name_structure(inside)
        return kind if kind in self.members and not pointed else ""

    # ---- statements ----

    def block(self, items: Sequence[Any]) -> list[Any]:
        """Statements in place of others; one that is not followed stays."""
        statements: list[Any] = []
        for item in items:
            known = dict(self.names), dict(self.arrays)
            try:
                statements += self.statement(item)
            except NotSplitError:
                self.names, self.arrays = known
                statements.append(item)
        return statements

    def wrap(self, node: Any) -> Any:
        """A statement that is one again."""
        if node is None:
            return None
        return self.ast.Compound(self.block(list_items(node)), node.coord)

    def statement(self, node: Any) -> list[Any]:
        """The statements that one stands for."""
        kind = type(node).__name__
        before: list[Any] = []
        if kind == "Compound":
            return [self.wrap(node)]
        if kind == "Decl":
            return self.declare(node)
        if kind == "Assignment":
            return self.assign(node)
        copied = copy.copy(node)
        if kind == "If":
            copied.cond = self.flatten(node.cond, before)
            copied.iftrue, copied.iffalse = self.wrap(node.iftrue), self.wrap(node.iffalse)
        elif kind in ("For", "While", "DoWhile"):
            copied.stmt = self.wrap(node.stmt)
        elif kind == "Return" and node.expr is not None:
            copied.expr = self.flatten(node.expr, before)
        elif kind == "FuncCall":
            function = self.find_function(node)
            given = list(node.args.exprs) if node.args else []
            held = any(getattr(getattr(a, "expr", None), "name", "") in self.names for a in given)
            if function is not None and (held or any(map(self.take_kind, self.list_parameters(function)))):
                self.call(function, list(node.args.exprs if node.args else ()), before)
                return before
            copied.args = self.flatten(node.args, before) if node.args else None
        return [*before, copied]

    def declare(self, node: Any) -> list[Any]:
        """``float3 d = minus(a, b);``, or any other declaration."""
        before: list[Any] = []
        value = node.init
        kind, pointed = name_structure(find_type(node.type)[0]), type(node.type).__name__ != "TypeDecl"
        if kind not in self.members or pointed:
            if pointed or value is None:
                self.learn(node)
                return [node]
            declaration = copy.copy(node)
            declaration.init = self.flatten(value, before)
            self.learn(node)
            return [*before, declaration]
        parts = self.parts(value, kind, before) if value is not None else [None] * len(self.paths(kind))
        self.learn(node)
        name = str(node.name)
        return [*before, *self.declare_parts(name, kind, parts)]

    def declare_parts(self, name: str, kind: str, parts: Sequence[Any]) -> list[Any]:
        """A scalar for each member."""
        scalars = []
        for (path, member), part in zip(self.paths(kind), parts, strict=True):
            declared = copy.deepcopy(member)
            declared.name = declared.type.declname = "_".join((name, *path))
            declared.init, declared.quals = part, []
            declared.type.quals = []
            scalars.append(declared)
        return scalars

    def assign(self, node: Any) -> list[Any]:
        """A store of a structure, or of a scalar."""
        before: list[Any] = []
        kind = self.find_kind(node.lvalue)
        if not kind:
            copied = copy.copy(node)
            if type(node.rvalue).__name__ == "Assignment":
                last = self.ast.Assignment(node.op, node.lvalue, node.rvalue.lvalue, node.coord)
                return [*self.assign(node.rvalue), *self.assign(last)]
            copied.lvalue, copied.rvalue = self.flatten(node.lvalue, before), self.flatten(node.rvalue, before)
            return [*before, copied]
        value = node.rvalue
        if node.op != "=":
            value = self.ast.BinaryOp(node.op[:-1], node.lvalue, value, node.coord)
        targets = self.parts(node.lvalue, kind, before)
        label = str(node.lvalue.name) if type(node.lvalue).__name__ == "ID" else ""
        parts = self.parts(value, kind, before, label)
        labels = [str(t.name) for t in targets] if label else []
        crossed = any(find_names(p) & (set(labels) - {n}) for n, p in zip(labels, parts, strict=False))
        if crossed:
            self.made += 1
            held = f"{label}__{self.made}"
            before += self.declare_parts(held, kind, parts)
            parts = [self.ast.ID("_".join((held, *path)), node.coord) for path, _ in self.paths(kind)]
        stores = [
            self.ast.Assignment("=", target, part, node.coord)
            for target, part in zip(targets, parts, strict=True) if not are_alike(target, part)
        ]  # fmt: skip
        return [*before, *stores]

    # ---- expressions ----

    def parts(self, node: Any, kind: str, before: list[Any], own: str = "") -> list[Any]:
        """Each scalar of a structure; what has to run first is added to the statements before.

        own : the structure that it is stored in, which a function that returns its argument changes in place.
        """
        node = uncast(node)
        what = type(node).__name__
        if what == "CompoundLiteral":
            return self.parts(node.init, kind, before)
        if what == "InitList":
            return self.list_parts(node, kind, before)
        if what == "ID" and self.names.get(str(node.name)) == kind:
            return [self.ast.ID("_".join((str(node.name), *path)), node.coord) for path, _ in self.paths(kind)]
        if what == "TernaryOp":
            cond = self.flatten(node.cond, before)
            yes, no = self.parts(node.iftrue, kind, before), self.parts(node.iffalse, kind, before)
            return [self.ast.TernaryOp(cond, a, b, node.coord) for a, b in zip(yes, no, strict=True)]
        function = self.find_function(node)
        scalars: list[Any] = []
        if function is not None:
            given = [node.left, node.right] if what == "BinaryOp" else list(node.args.exprs if node.args else ())
            scalars = self.call(function, given, before, own)
        elif called(node) in PAIRS_OF and node.args:
            # Both numbers of a pair are what is read: no work on data.
            scalars = [self.flatten(node.args.exprs[0], before)] * 2
        elif what == "FuncCall" and called(node).startswith("make_"):
            scalars = [self.flatten(v, before) for v in (node.args.exprs if node.args else ())]
        elif what in ("ArrayRef", "UnaryOp", "StructRef") and self.find_kind(node) == kind:
            scalars = self.element_parts(node, kind, before)
        if len(scalars) != len(self.paths(kind)):
            raise NotSplitError
        return scalars

    def element_parts(self, node: Any, kind: str, before: list[Any]) -> list[Any]:
        """Members of an element of an array."""
        place = self.flatten(node, before) if type(node).__name__ != "StructRef" else node
        scalars = []
        for path, _ in self.paths(kind):
            leaf = place
            for name in path:
                leaf = self.ast.StructRef(leaf, ".", self.ast.ID(name), node.coord)
            scalars.append(self.flatten(leaf, before))
        return scalars

    def list_parts(self, node: Any, kind: str, before: list[Any]) -> list[Any]:
        """Scalars of ``{a, b}``; members that it leaves out are 0."""
        items = list(node.exprs)
        if any(type(i).__name__ == "NamedInitializer" for i in items):
            named = {str(i.name[0].name): i.expr for i in items if type(i).__name__ == "NamedInitializer"}
            items = [named.get(str(m.name)) for m in self.members[kind]]
        scalars: list[Any] = []
        for at, member in enumerate(self.members[kind]):
            inner = name_structure(find_type(member.type)[0])
            item = items[at] if at < len(items) else None
            if inner in self.members:
                scalars += self.parts(item if item is not None else self.ast.InitList([]), inner, before)
            else:
                scalars.append(self.flatten(item, before) if item is not None else self.ast.Constant("float", "0.0f"))
        return scalars

    def flatten(self, node: Any, before: list[Any]) -> Any:
        """A scalar expression without structures in it."""
        kind = type(node).__name__
        if kind == "StructRef" and (member := self.flatten_member(node, before)) is not None:
            return member
        function = self.find_function(node)
        takes = function is not None and any(map(self.take_kind, self.list_parameters(function)))
        if function is not None and (kind == "BinaryOp" or takes or is_sum(function)):
            given = [node.left, node.right] if kind == "BinaryOp" else list(node.args.exprs if node.args else ())
            scalars = self.call(function, given, before)
            if len(scalars) != 1:
                raise NotSplitError
            return scalars[0]
        if kind == "ID" and str(node.name) in self.names:
            raise NotSplitError
        if called(node) in OF_PAIR and node.args and (whole := self.find_kind(node.args.exprs[0])):
            numbers = self.ast.ExprList(self.parts(node.args.exprs[0], whole, before), node.coord)
            return self.ast.FuncCall(self.ast.ID(OF_PAIR[called(node)], node.coord), numbers, node.coord)
        return copy_node(node, lambda inside: self.flatten(inside, before), but=("field", "to_type", "type"))

    def flatten_member(self, node: Any, before: list[Any]) -> Any | None:
        """A member of a structure that the function holds, or that a call returns; None for members of elements."""
        inner = node.name
        if type(inner).__name__ == "ID" and node.type == "." and self.leads(node):
            return node
        if node.type == "->" and type(uncast(inner)).__name__ == "UnaryOp" and uncast(inner).op == "&":
            return self.flatten(self.ast.StructRef(uncast(inner).expr, ".", node.field, node.coord), before)
        path: list[str] = [str(node.field.name)]
        while type(inner).__name__ == "StructRef" and inner.type == ".":
            path.insert(0, str(inner.field.name))
            inner = inner.name
        whole = self.find_kind(inner) if type(uncast(inner)).__name__ not in ("ArrayRef", "UnaryOp") else ""
        if not whole:
            return None
        held = dict(zip([p for p, _ in self.paths(whole)], self.parts(inner, whole, before), strict=True))
        if tuple(path) not in held:
            raise NotSplitError
        return held[tuple(path)]

    def call(self, function: Any, given: Sequence[Any], before: list[Any], own: str = "") -> list[Any]:
        """What a function returns, its statements added to those before.

        Raises
        ------
        NotSplitError : it returns from several places, or calls more than can be followed.
        """
        items = list_items(function.body)
        last = items.pop() if items and type(items[-1]).__name__ == "Return" else None
        self.made += 1
        if any(map(returns, items)) or self.made > MOST_INLINED:
            raise NotSplitError
        suffix = f"__{self.made}"
        changed = {name for item in items for name in find_changed(item)}
        meaning: dict[str, Any] = {}
        known = dict(self.names)
        result = find_type(function.decl.type.type)[0]
        returned = last.expr if last is not None else None
        held = next((i for i in items if type(i).__name__ == "Decl" and i.name == getattr(returned, "name", "")), None)
        if held is not None and held is items[-1] and held.init is not None:
            # `T c = e; return c;` returns e.
            returned = held.init
            items.pop()
        for parameter, argument in zip(self.list_parameters(function), given, strict=True):
            name, kind = str(parameter.name), self.take_kind(parameter)
            simple = type(uncast(argument)).__name__ in ("ID", "Constant")
            referred = name.endswith(REFERENCE) and (simple or name in changed)
            used = own and sum(own in find_names(a) for a in given) == 1
            stays = bool(used) and str(getattr(argument, "name", "")) == own and getattr(returned, "name", "") == name
            if find_type(parameter.type)[1] or referred or (simple and (name not in changed or stays)):
                meaning[name] = argument
                continue
            label = f"{name}{suffix}"
            meaning[name] = self.ast.ID(label, function.coord)
            if kind:
                before += self.declare_parts(label, kind, self.parts(argument, kind, before))
                self.names[label] = kind
            else:
                declared = copy.deepcopy(parameter)
                declared.name = declared.type.declname = label
                declared.init, declared.quals, declared.type.quals = self.flatten(argument, before), [], []
                before.append(declared)
        own_names = {str(d.name) for item in items for d in list_declared(item)}
        meaning |= {n: self.ast.ID(f"{n}{suffix}", function.coord) for n in own_names}
        for item in items:
            before += self.statement(rename_all(copy.deepcopy(item), meaning))
        scalars: list[Any] = []
        if returned is not None:
            kind = name_structure(result)
            value = rename_all(copy.deepcopy(returned), meaning)
            scalars = self.parts(value, kind, before) if kind in self.members else [self.flatten(value, before)]
        self.names = {**self.names, **known}
        return scalars


def is_sum(function: Any) -> bool:
    """Whether a function loops and then returns a number, by its own: ``for (...) s += a[k]; return s;``."""
    items = list_items(function.body)
    last: Any = items[-1] if items else None
    plain = type(last).__name__ == "Return" and last.expr is not None and not any(map(returns, items[:-1]))
    if not plain or not has_loop(function.body) or has_kind(function.body, "While", "DoWhile", "Break", "Goto"):
        return False
    asks = any(c.startswith(("__", "atomic")) for c in find_calls(function.body))
    return not asks and not any("static" in (d.storage or ()) for d in list_declared(function.body))


def find_changed(node: Any) -> set[str]:
    """Names that a statement assigns, those of which it assigns a member too."""
    names = find_targets(node)
    if type(node).__name__ == "Assignment":
        place = node.lvalue
        while type(place).__name__ in ("StructRef", "ArrayRef"):
            place = place.name
        names |= {str(getattr(place, "name", ""))}
    return names.union(*(find_changed(child) for _, child in node.children()))
