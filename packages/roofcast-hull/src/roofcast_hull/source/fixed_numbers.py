"""Numbers that a code names, and makes of numbers of the launch alone: these operations are no work on data.

Of ``const float keep = 1.f - decay; y[i] = keep * x[i] + (1.f - keep) * y[i];`` the first difference is made once for
everything: a class counts four operations. The second one stands in what each element computes, and counts there; so
does what an element, a counter of a loop or a thread's index enters. All that read or run a tree ask
:func:`is_of_launch`, so that they count alike.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from roofcast_hull.source.index_names import is_of_index, make_marked, walk_nodes

MARKED, LAUNCH = frozenset(["BinaryOp", "FuncCall"]), "the launch"
"""Nodes that are marked, and what the mark says."""
LITERALS = frozenset(["int", "float", "double", "char"])
"""Last words of the types of literals that are numbers."""
PLACES = frozenset(["threadIdx", "blockIdx"])
"""What no file declares and each thread has for itself."""
STEPS = frozenset(["++", "--", "p++", "p--", "&"])
"""Operators that give a name another value, or let others do it."""


def is_of_launch(node: Any) -> bool:
    """Whether an operation or a call makes a number that is named, of numbers of the launch alone."""
    kind = type(node).__name__
    return kind in MARKED and type(node) is make_marked(kind, LAUNCH)


def mark_fixed(tree: Any) -> Any:
    """A file in which operations that make such numbers are marked."""
    functions = {str(n.decl.name): n for n in tree.ext if type(n).__name__ == "FuncDef"}
    names = FixedNames(tree, functions)
    for name in functions:
        names.find(name)
    for value in names.values:
        for node in walk_nodes(value):
            if type(node).__name__ in MARKED and not is_of_index(node):
                node.__class__ = make_marked(type(node).__name__, LAUNCH)
    return tree


def is_fixed(node: Any, fixed: Collection[str], functions: Collection[str]) -> bool:
    """Whether an expression is made of numbers of the launch alone. fixed : names of such. functions : of the file."""
    kind = type(node).__name__
    if kind == "Constant":
        return str(node.type).rpartition(" ")[2] in LITERALS
    if kind == "ID":
        return str(node.name) in fixed
    if kind == "StructRef":
        return node.type == "." and type(node.name).__name__ == "ID" and str(node.name.name) in fixed
    if kind == "Cast":
        return is_fixed(node.expr, fixed, functions)
    if kind == "UnaryOp":
        return node.op in ("-", "+", "!", "~") and is_fixed(node.expr, fixed, functions)
    if kind in ("BinaryOp", "TernaryOp"):
        return all(is_fixed(child, fixed, functions) for _, child in node.children())
    if kind == "FuncCall":
        given = node.args.exprs if node.args else ()
        library = str(getattr(node.name, "name", "")) not in functions
        return library and bool(given) and all(is_fixed(a, fixed, functions) for a in given)
    return False


class FixedNames:
    """Names of numbers that are the same in every thread and every turn, function by function."""

    def __init__(self, tree: Any, functions: Mapping[str, Any]) -> None:
        self.functions = functions
        self.changed = {n: set(list_changed(f.body)) for n, f in functions.items()}
        self.calls: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        """Function -> those that call it, with the calls."""
        for name, function in functions.items():
            for node in walk_nodes(function.body):
                if type(node).__name__ == "FuncCall":
                    self.calls[str(getattr(node.name, "name", ""))].append((name, node))
        everywhere = set().union(*(c for n, c in self.changed.items() if n != "main"))
        self.outside = {
            str(n.name) for n in tree.ext
            if type(n).__name__ == "Decl" and type(n.type).__name__ == "TypeDecl" and str(n.name) not in everywhere
        }  # fmt: skip
        """Numbers of the file that no function but ``main`` changes."""
        self.declared = {str(n.name) for n in tree.ext if type(n).__name__ == "Decl"}
        self.found: dict[str, set[str]] = {}
        self.values: list[Any] = []
        """What names of such numbers are given."""

    def find(self, name: str) -> set[str]:
        """Such names of one function."""
        if name in self.found:
            return self.found[name]
        # Of functions that call each other none is known.
        self.found[name] = set()
        function, changed = self.functions[name], self.changed[name]
        parameters = [p for p in getattr(function.decl.type.args, "params", None) or () if type(p).__name__ == "Decl"]
        declared = [n for n in walk_nodes(function.body) if type(n).__name__ == "Decl"]
        often = Counter(str(d.name) for d in (*parameters, *declared))
        fixed = {n for n in self.outside if not often[n]}
        fixed |= self.find_stated(function) - {*often, *self.declared, *self.functions}
        for k, parameter in enumerate(parameters):
            label = str(parameter.name)
            if is_number(parameter) and label not in changed and often[label] == 1 and self.is_given_fixed(name, k):
                fixed.add(label)
        for item in declared:
            label = str(item.name)
            single = label not in changed and often[label] == 1 and item.init is not None
            if single and is_number(item) and is_fixed(item.init, fixed, self.functions):
                fixed.add(label)
                self.values.append(item.init)
        self.found[name] = fixed
        return fixed

    def find_stated(self, function: Any) -> set[str]:
        """Names that a function asks for as numbers; those that nothing declares are constants of the preprocessor."""
        return {str(n.name) for n in walk_nodes(function.body) if type(n).__name__ == "ID"} - PLACES

    def is_given_fixed(self, name: str, k: int) -> bool:
        """Whether all calls of a function in the file give a parameter a number of the launch. k : of the parameter."""
        declared = self.functions[name].decl.type
        is_void = "void" in getattr(getattr(declared.type, "type", None), "names", ())
        if not self.calls[name] and not is_void:
            # What takes numbers and makes one is a part of others, which name it otherwise.
            parameters = getattr(declared.args, "params", None) or ()
            return any(type(p).__name__ == "Decl" and type(p.type).__name__ != "TypeDecl" for p in parameters)
        for caller, call in self.calls[name]:
            given = list(call.args.exprs) if call.args else []
            if k >= len(given):
                return False
            # What a program's own statements call is a launch: each of them has its numbers.
            launched = is_void and caller == "main" and not has_element(given[k])
            if not launched and not is_fixed(given[k], self.find(caller), self.functions):
                return False
        return True


def is_number(node: Any) -> bool:
    """Whether a declaration is of one number or one structure, no array, no pointer and no reference."""
    return type(node.type).__name__ == "TypeDecl" and "static" not in (getattr(node, "storage", None) or ())


def has_element(node: Any) -> bool:
    """Whether an element of an array enters an expression."""
    return any(
        type(n).__name__ == "ArrayRef" or (type(n).__name__ == "UnaryOp" and n.op == "*") for n in walk_nodes(node)
    )


def list_changed(node: Any) -> Iterator[str]:
    """Names that get a value behind their declaration, or whose address is taken."""
    for inside in walk_nodes(node):
        kind = type(inside).__name__
        target: Any = inside.lvalue if kind == "Assignment" else None
        if kind == "UnaryOp" and inside.op in STEPS:
            target = inside.expr
        while type(target).__name__ in ("StructRef", "ArrayRef"):
            target = target.name
        if type(target).__name__ == "ID":
            yield str(target.name)
