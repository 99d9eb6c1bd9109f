"""What threads of a block do together in the plain form that loops are read from, and statements in place of calls.

Each form does what the code does, in another order: sums of a block by a tree are sums of its threads; counters of a
block that are added to those of the launch are counted there at once.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_tree import are_alike, called, find_calls, find_names, list_items, substitute, uncast
from roofcast_hull.source.exchanges import BARRIERS, BLOCK_NAMES, WARP_NAMES, is_barrier, plain_exchanges

REFERENCE = "__by_reference"
"""At the end of the name of a parameter that C++ hands over by reference."""
MOST_INLINED = 64
"""Calls whose function is put in place: recursion would not end."""
LEAST = ("min", "max", "fmin", "fmax", "fminf", "fmaxf")
ATOMIC_OF = {"atomicAdd": ("+",), "atomicMax": ("max", "fmax", "fmaxf"), "atomicMin": ("min", "fmin", "fminf")}
"""What each atomic update does with the value of a block."""
BITS = frozenset(["__float_as_int", "__float_as_uint", "__double_as_longlong", "__int_as_float"])


def rewrite_kernel(body: Any, functions: Mapping[str, Any], ast: Any, threads: int = 0) -> Any:
    """The body of a kernel with calls of procedures, trees of sums and counters of blocks in plain form.

    threads : of a block; 0 where nothing states them.
    """
    body = plain_exchanges(Inliner(functions, ast).block(body), functions, threads, ast)
    shared = {str(d.name) for d in list_declared(body) if "static" in (d.storage or ())}
    body = part_trees(body, shared, ast)
    for name in sorted(shared):
        body = drop_tree(body, name, ast) or body
        body = drop_counters(body, name) or body
    return body


def list_declared(node: Any) -> Iterator[Any]:
    """Declarations of variables inside a statement."""
    if type(node).__name__ == "Decl":
        yield node
    for _, child in node.children():
        yield from list_declared(child)


def list_counters(node: Any) -> Iterator[Any]:
    """Declarations of the counters of loops inside a statement."""
    if type(node).__name__ == "For" and type(node.init).__name__ == "DeclList":
        yield from node.init.decls
    for _, child in node.children():
        yield from list_counters(child)


def read_shared(node: Any, name: str) -> Any | None:
    """Index of an element of an array; None for anything else."""
    node = uncast(node)
    is_element = type(node).__name__ == "ArrayRef" and getattr(node.name, "name", None) == name
    return node.subscript if is_element else None


class Inliner:
    """Puts the statements of functions that return nothing in place of their calls."""

    def __init__(self, functions: Mapping[str, Any], ast: Any) -> None:
        self.functions, self.ast, self.made = functions, ast, 0

    def block(self, node: Any) -> Any:
        """A statement with the calls inside it replaced."""
        kind = type(node).__name__
        if kind == "Compound":
            return self.ast.Compound([s for item in list_items(node) for s in self.statement(item)], node.coord)
        copied = copy.copy(node)
        for name in ("stmt", "iftrue", "iffalse"):
            inside = getattr(node, name, None)
            if inside is not None:
                statements = self.statement(inside)
                setattr(
                    copied, name, statements[0] if len(statements) == 1 else self.ast.Compound(statements, node.coord)
                )
        return copied

    def statement(self, node: Any) -> list[Any]:
        """The statements that one stands for."""
        function = self.functions.get(called(node))
        if function is None or self.made >= MOST_INLINED:
            return [self.block(node)]
        items = list_items(function.body)
        if items and type(items[-1]).__name__ == "Return" and items[-1].expr is None:
            items = items[:-1]
        items = self.go_around(items)
        if any(returns(item) for item in items):
            return [node]
        self.made += 1
        arguments = list(node.args.exprs) if node.args else []
        parameters = getattr(function.decl.type.args, "params", None) or ()
        meaning: dict[str, Any] = {}
        before: list[Any] = []
        changed = {d for item in items for d in find_targets(item)}
        for parameter, argument in zip(parameters, arguments, strict=False):
            name = str(parameter.name)
            pointed = type(parameter.type).__name__ != "TypeDecl" or name.endswith(REFERENCE)
            if pointed or (name not in changed and type(argument).__name__ in ("ID", "Constant")):
                meaning[name] = argument
            else:
                local = self.ast.ID(f"{name}__{self.made}", node.coord)
                before.append(rename_declared(parameter, local.name, argument))
                meaning[name] = local
        local_names = {str(d.name) for item in items for d in list_declared(item)}
        meaning |= {n: self.ast.ID(f"{n}__{self.made}", node.coord) for n in local_names}
        renamed = [rename_all(item, meaning) for item in items]
        return [s for item in (*before, *renamed) for s in self.statement(item)]

    def go_around(self, items: list[Any]) -> list[Any]:
        """Statements with what follows ``if (c) return;`` under the contrary."""
        for at, item in enumerate(items):
            leaves = type(item).__name__ == "If" and item.iffalse is None and list_items(item.iftrue)
            if leaves and len(leaves) == 1 and type(leaves[0]).__name__ == "Return" and leaves[0].expr is None:
                rest = self.ast.Compound(self.go_around(items[at + 1 :]), item.coord)
                return [*items[:at], self.ast.If(self.ast.UnaryOp("!", item.cond, item.coord), rest, None, item.coord)]
        return items


def returns(node: Any) -> bool:
    """Whether a statement may leave its function."""
    return type(node).__name__ == "Return" or any(returns(child) for _, child in node.children())


def find_targets(node: Any) -> set[str]:
    """Names that a statement assigns."""
    kind = type(node).__name__
    names = set[str]()
    if kind == "Assignment":
        names = {str(getattr(node.lvalue, "name", ""))}
    elif kind == "UnaryOp" and node.op in ("++", "p++", "--", "p--"):
        names = {str(getattr(node.expr, "name", ""))}
    return names.union(*(find_targets(child) for _, child in node.children()))


def rename_declared(node: Any, name: str, value: Any) -> Any:
    """A declaration under another name, with another first value."""
    declaration = copy.deepcopy(node)
    declaration.name, declaration.init = name, value
    kind = declaration.type
    while type(kind).__name__ in ("PtrDecl", "ArrayDecl"):
        kind = kind.type
    kind.declname = name
    return declaration


def rename_all(node: Any, meaning: Mapping[str, Any]) -> Any:
    """A statement with names replaced, those that it declares too; ``*&x`` is x."""
    kind = type(node).__name__
    if kind == "ID":
        return meaning.get(str(node.name), node)
    if kind == "UnaryOp" and node.op == "*":
        inside = rename_all(node.expr, meaning)
        if type(inside).__name__ == "UnaryOp" and inside.op == "&":
            return inside.expr
    if kind in ("StructRef", "FuncCall"):
        copied, part = copy.copy(node), "name" if kind == "StructRef" else "args"
        inside = getattr(node, part)
        setattr(copied, part, inside and rename_all(inside, meaning))
        return copied
    if kind == "Decl" and str(node.name) in meaning:
        value = rename_all(node.init, meaning) if node.init is not None else None
        return rename_declared(node, str(meaning[str(node.name)].name), value)
    return copy_node(node, lambda inside: rename_all(inside, meaning))


def read_tree(node: Any, name: str) -> str | None:
    """Operator of a loop that adds up an array by halves, ``if (t < s) a[t] += a[t + s]``; None for other loops."""
    kind = type(node).__name__
    if kind not in ("For", "While"):
        return None
    work = [s for s in list_items(node.stmt) if not is_barrier(s)]
    if kind == "While" and len(work) == 2:
        work = work[:1]  # i /= 2
    inside = list_items(work[0].iftrue) if len(work) == 1 and type(work[0]).__name__ == "If" else []
    if len(inside) != 1 or type(inside[0]).__name__ != "Assignment" or work[0].iffalse is not None:
        return None
    step = inside[0]
    index, value, op = read_shared(step.lvalue, name), step.rvalue, step.op[:-1]
    if index is None or not halves(node):
        return None
    if not op:
        parts = list(value.args.exprs) if called(value) in LEAST and value.args else []
        if type(value).__name__ == "BinaryOp" and value.op in ("+", "*"):
            parts, op = [value.left, value.right], value.op
        elif len(parts) == 2:
            op = called(value)
        mine = [p for p in parts if are_alike(uncast(p), step.lvalue)]
        others = [p for p in parts if p not in mine]
        value = others[0] if len(mine) == 1 and others else None
    other = read_shared(value, name) if value is not None else None
    reaches = other is not None and type(other).__name__ == "BinaryOp" and other.op == "+"
    if other is None or not reaches or not op:
        return None
    return op if any(are_alike(index, side) for side in (other.left, other.right)) else None


def part_trees(body: Any, shared: set[str], ast: Any) -> Any:
    """A body in which a loop that adds up several arrays side by side is a loop for each, and what follows likewise."""
    parted: list[Any] = []
    several = False
    for item in list_items(body):
        parts = part_tree(item, shared, ast)
        several |= bool(parts)
        ends = part_ends(item, shared, ast) if several else []
        parted += parts or ends or [item]
    return ast.Compound(parted, body.coord) if several else body


def part_tree(node: Any, shared: set[str], ast: Any) -> list[Any]:
    """A tree of each array that a loop adds up by halves; empty where it is none of several arrays."""
    if type(node).__name__ not in ("For", "While"):
        return []
    items = list_items(node.stmt)
    work = [n for n, s in enumerate(items) if type(s).__name__ == "If" and s.iffalse is None]
    inside = list_items(items[work[0]].iftrue) if len(work) == 1 else []
    if len(inside) < 2:
        return []
    loops = []
    for step in inside:
        loop, choice = copy.copy(node), copy.copy(items[work[0]])
        choice.iftrue = ast.Compound([step], node.coord)
        loop.stmt = ast.Compound([*items[: work[0]], choice, *items[work[0] + 1 :]], node.coord)
        loops.append(loop)
    arrays = [{name for name in shared if read_tree(loop, name)} for loop in loops]
    touched = [shared & find_names(step) for step in inside]
    apart = all(len(a) == 1 and a == t for a, t in zip(arrays, touched, strict=True))
    return loops if apart and len(set.union(*arrays)) == len(loops) else []


def part_ends(node: Any, shared: set[str], ast: Any) -> list[Any]:
    """``if (t == 0) { a[b] = s1[0]; c[b] = s2[0]; }`` as one ``if`` for each; empty for other statements."""
    inside = list_items(node.iftrue) if type(node).__name__ == "If" and node.iffalse is None else []
    results = [
        s.rvalue if type(s).__name__ == "Assignment" else s.args.exprs[-1] if called(s) in ATOMIC_OF else None
        for s in inside
    ]
    plain = len(inside) > 1 and all(any(read_shared(r, name) is not None for name in shared) for r in results)
    if not plain or {t for s in inside for t in find_targets(s)} & find_names(node.cond):
        return []
    return [ast.If(node.cond, ast.Compound([s], node.coord), None, node.coord) for s in inside]


def halves(node: Any) -> bool:
    """Whether a loop's counter is halved in each turn."""
    step = node.next if type(node).__name__ == "For" else list_items(node.stmt)[-1]
    if type(step).__name__ != "Assignment":
        return False
    return step.op in (">>=", "/=") or (step.op == "=" and getattr(step.rvalue, "op", "") in (">>", "/"))


def drop_tree(body: Any, name: str, ast: Any) -> Any | None:
    """A body in which each thread adds its value to the result of its block itself; None where no tree is followed.

    ``s[t] = e; tree of s; if (t == 0) out[b] = s[0];`` becomes ``out[b] += e``.
    """
    items = list_items(body)
    trees = [(n, op) for n, item in enumerate(items) if (op := read_tree(item, name))]
    if len(trees) != 1:
        return None
    at, op = trees[0]
    stores = [n for n, s in enumerate(items[:at]) if type(s).__name__ == "Assignment" and read_shared(s.lvalue, name)]
    ends = [n for n, s in enumerate(items[at + 1 :], at + 1) if name in find_names(s)]
    if len(stores) != 1 or len(ends) != 1 or items[stores[0]].op != "=":
        return None
    end = items[ends[0]]
    inside = list_items(end.iftrue) if type(end).__name__ == "If" and end.iffalse is None else []
    first = type(getattr(end, "cond", None)).__name__ == "BinaryOp" and end.cond.op in ("==", "<")
    if len(inside) != 1 or not first:
        return None
    value, left = items[stores[0]].rvalue, inside[0]
    zero = "0"
    if op in ATOMIC_OF.get(called(left) or "", ()):
        parts = list(left.args.exprs)
        # Real numbers are compared by their bits, as integers.
        inside_bits = called(parts[1]) in BITS and parts[1].args
        taken = parts[1].args.exprs[0] if inside_bits else parts[1]
        index = read_shared(unscale(taken, name) if op == "+" else taken, name)
        result: Any = ast.FuncCall(left.name, ast.ExprList([parts[0], value]), left.coord)
    elif type(left).__name__ == "Assignment" and left.op == "=":
        index = read_shared(unscale(left.rvalue, name) if op == "+" else left.rvalue, name)
        result = ast.Assignment(f"{op}=", left.lvalue, value, left.coord)
        if op in LEAST:
            least = ast.FuncCall(ast.ID(op, left.coord), ast.ExprList([left.lvalue, value]), left.coord)
            result = ast.Assignment("=", left.lvalue, least, left.coord)
    else:
        return None
    if getattr(index, "value", None) != zero:
        return None
    dropped = {*stores, at, ends[0]}
    declared = {n for n, s in enumerate(items) if type(s).__name__ == "Decl" and s.name == name}
    rest = [s for n, s in enumerate(items) if n not in dropped | declared and not is_barrier(s)]
    if any(name in find_names(s) for s in rest):
        return None
    place = sum(1 for n in range(stores[0]) if n not in dropped | declared and not is_barrier(items[n]))
    return ast.Compound([*rest[:place], result, *rest[place:]], body.coord)


def unscale(node: Any, name: str) -> Any:
    """What a block scales once it has added it up: ``s[0]`` of ``s[0] / n`` and of ``s[0] * scale``."""
    node = uncast(node)
    if type(node).__name__ != "BinaryOp" or node.op not in ("*", "/"):
        return node
    sides = [(node.left, node.right), (node.right, node.left)] if node.op == "*" else [(node.left, node.right)]
    return next((unscale(a, name) for a, b in sides if name in find_names(a) and name not in find_names(b)), node)


def find_only(node: Any) -> Any | None:
    """The only statement inside of loops and conditions; None where there are several."""
    while type(node).__name__ in ("For", "If", "Compound"):
        inside = list_items(node.iftrue if type(node).__name__ == "If" else getattr(node, "stmt", node))
        if len(inside) != 1 or getattr(node, "iffalse", None) is not None:
            return None
        node = inside[0]
    return node


def drop_counters(body: Any, name: str) -> Any | None:
    """A body that counts in the array of the launch, not in one of the block first; None where it does something else.

    ``s[t] = 0; ... atomicAdd(&s[k], 1); ... atomicAdd(&all[t], s[t]);`` becomes ``atomicAdd(&all[k], 1)``.
    """
    items = list_items(body)
    starts = [s for s in items if (inner := find_only(s)) is not None and type(inner).__name__ == "Assignment"
              and read_shared(inner.lvalue, name) is not None]  # fmt: skip
    ends = [s for s in items if (inner := find_only(s)) is not None and called(inner) == "atomicAdd"
            and read_shared(inner.args.exprs[1], name) is not None]  # fmt: skip
    if len(starts) != 1 or len(ends) != 1:
        return None
    start: Any = find_only(starts[0])
    end: Any = find_only(ends[0])
    if getattr(start.rvalue, "value", None) != "0" or start.op != "=":
        return None
    target = end.args.exprs[0]
    element: Any = target.expr if type(target).__name__ == "UnaryOp" and target.op == "&" else None
    places: list[Any] = [read_shared(end.args.exprs[1], name), read_shared(start.lvalue, name)]
    alike = type(element).__name__ == "ArrayRef" and all(
        are_alike(element.subscript, p) or (type(p).__name__ == "ID" and type(element.subscript).__name__ == "ID")
        for p in places
    )
    if not alike:
        return None
    rest = [s for s in items if s is not starts[0] and s is not ends[0] and not is_barrier(s)]
    rest = [s for s in rest if not (type(s).__name__ == "Decl" and s.name == name)]
    copied = copy.copy(body)
    copied.block_items = [substitute(s, {name: element.name}) for s in rest]
    return copied


def find_block_sums(functions: Mapping[str, Any]) -> set[str]:
    """Functions that add up over a block what each thread has: by shuffles, then shared memory between the warps."""
    warps = {n for n, f in functions.items() if adds_up(f.body)}
    names = set[str]()
    for name, function in functions.items():
        calls = find_calls(function.body)
        shuffles = any(c.startswith("__shfl") for c in calls) or bool(calls & warps)
        shared = any("static" in (d.storage or ()) for d in list_declared(function.body))
        parameters = getattr(function.decl.type.args, "params", None) or ()
        plain = all(type(p.type).__name__ == "TypeDecl" for p in parameters)
        if shuffles and shared and plain and calls & set(BARRIERS):
            names.add(name)
    return names


def is_exchange(node: Any) -> bool:
    """Whether a statement is a loop that adds up over a warp by shuffles."""
    if type(node).__name__ != "For" or not halves(node):
        return False
    inside = list_items(node.stmt)
    return all(any(c.startswith("__shfl") for c in find_calls(s)) for s in inside)


def spread_sums(body: Any, functions: Mapping[str, Any], ast: Any) -> Any | None:
    """A body in which each thread adds its value to the result of its block itself; None where blocks do other work.

    ``v = block_sum(v); if (threadIdx.x == 0) out[b] = v;`` becomes ``out[b] += v``.
    """
    block_sums = find_block_sums(functions)
    sums = block_sums | BLOCK_NAMES | WARP_NAMES
    spread = SpreadSums(sums, ("_sum", *(n[-4:] for n in block_sums)), ast)
    spread.own = {str(d.name) for d in list_declared(body) if is_thread(d.init)}
    rest = spread.block(list_items(body), {})
    if rest is None or not spread.found or find_calls(ast.Compound(rest)) & sums:
        return None
    return ast.Compound(rest, body.coord)


@dataclass
class SpreadSums:
    """Statements in which each thread adds to the result of its block what it would have handed to a sum."""

    sums: set[str]
    """Functions that add up over warps and blocks."""
    endings: tuple[str, ...]
    """How the names of those end that add, rather than take the largest."""
    ast: Any
    own: set[str] = field(default_factory=set)
    """Names of a thread's index."""
    found: bool = False

    def block(self, items: list[Any], around: Mapping[str, Any]) -> list[Any] | None:
        """Statements of a block; None where blocks do other work. around : sums that are known before it."""
        given, rest = dict(around), list[Any]()
        for item in items:
            kind = type(item).__name__
            value = item.init if kind == "Decl" else item.rvalue if kind == "Assignment" and item.op == "=" else None
            if value is not None and called(value) in self.sums:
                if not called(value).endswith(self.endings):
                    return None
                name = str(item.name) if kind == "Decl" else str(getattr(item.lvalue, "name", ""))
                given[name], self.found = value.args.exprs[0], True
            elif kind == "Compound":
                # Of a loop that was written out, each turn.
                inside = self.block(list_items(item), given)
                if inside is None:
                    return None
                rest.append(self.ast.Compound(inside, item.coord))
            elif not given or is_barrier(item):
                rest.append(item)
            elif last := add_results(item, given, self.own, self.ast):
                rest += last
            else:
                return None
        return rest


def add_results(node: Any, given: Mapping[str, Any], own: set[str], ast: Any) -> list[Any]:
    """``if (threadIdx.x == 0) { out[b] = v; more[b] = w; }`` as what every thread adds; none for other statements."""
    inside = list_items(node.iftrue) if type(node).__name__ == "If" and node.iffalse is None else []
    first = type(getattr(node, "cond", None)).__name__ == "BinaryOp" and node.cond.op == "=="
    if not first or getattr(node.cond.right, "value", "") != "0":
        return []
    left = uncast(node.cond.left)
    lane = type(left).__name__ == "BinaryOp" and left.op in ("%", "&") and all(called(s) == "atomicAdd" for s in inside)
    if not (is_thread(left.left if lane else left) or str(getattr(left.left if lane else left, "name", "")) in own):
        return []
    added = [add_result(s, given, ast) for s in inside]
    return [] if None in added else added


def add_result(store: Any, given: Mapping[str, Any], ast: Any) -> Any | None:
    """``out[b] = v;`` of one thread as what every thread adds; None for other statements."""
    if called(store) == "atomicAdd":
        parts = list(store.args.exprs)
        value = find_sum(parts[1], given)
        return None if value is None else ast.FuncCall(store.name, ast.ExprList([parts[0], value]), store.coord)
    if type(store).__name__ != "Assignment" or store.op != "=":
        return None
    value = find_sum(store.rvalue, given)
    return None if value is None else ast.Assignment("+=", store.lvalue, value, store.coord)


def find_sum(node: Any, given: Mapping[str, Any]) -> Any | None:
    """What is added up to a sum that a node names, or to one that it scales: a block does that once."""
    node = uncast(node)
    if type(node).__name__ == "BinaryOp" and node.op in ("*", "/"):
        sides = [(node.left, node.right), (node.right, node.left)] if node.op == "*" else [(node.left, node.right)]
        scaled = [find_sum(a, given) for a, b in sides if find_names(a) & set(given) and not find_names(b) & set(given)]
        return scaled[0] if scaled else None
    return given.get(str(getattr(node, "name", "")))


def share_rows(
    body: Any,
    ast: Any,
    threads: int,
    functions: Mapping[str, Any] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Any | None:
    """A body in which a block of one thread does what all its threads do together; None where they do not share loops.

    They go through rows from ``threadIdx.x`` in steps of a block, put what each has found into shared memory, and take
    the result of a tree from there.
    threads : of a block. functions : of the file, some of which may add up over a block. sizes : numbers with a name.
    """
    items = list_items(body)
    sums = (find_block_sums(functions or {}) | BLOCK_NAMES) & find_calls(body)
    held = [d for d in list_declared(body) if "static" in (d.storage or ())]
    shared = {str(d.name) for d in held if type(d.type).__name__ == "ArrayDecl"}
    trees = [n for n, s in enumerate(items) if any(read_tree(s, name) for name in shared)]
    row_loops = not trees and not sums and all(is_of_rows(s) for s in items)
    added = {name for name in shared if any(read_tree(s, name) for s in items)}
    if not (trees and added == shared) and not (sums and not shared) and not row_loops:
        return None
    counters = {str(d.name) for d in list_counters(body)}
    thread_names = {str(d.name) for d in list_declared(body) if is_thread(d.init)} - counters
    rest = [s for n, s in enumerate(items) if n not in trees and not is_barrier(s)]
    widths = {str(threads), *(n for n, v in (sizes or {}).items() if v == threads)}
    sharing = Sharing(frozenset(added), thread_names, widths, ast, frozenset(sums))
    statements = [sharing.rewrite(s) for s in rest if not (type(s).__name__ == "Decl" and s.name in thread_names)]
    if (sums or row_loops) and not sharing.strided:
        return None
    return ast.Compound(statements, body.coord) if sharing.works else None


def is_of_rows(node: Any) -> bool:
    """Whether a statement is one that every thread of a block may do for all: no other threads are asked."""
    return not any(c.startswith(("__shfl", "atomic", "__ballot", "__any", "__all")) for c in find_calls(node))


def is_thread(node: Any) -> bool:
    """Whether an expression is ``threadIdx.x``."""
    node = uncast(node)
    fields = [getattr(getattr(node, part, None), "name", "") for part in ("name", "field")]
    return type(node).__name__ == "StructRef" and fields == ["threadIdx", "x"]


class Sharing:
    """Statements of a block of threads as those of one, as long as ``works`` holds."""

    def __init__(
        self, shared: frozenset[str], own: set[str], widths: set[str], ast: Any, sums: frozenset[str] = frozenset()
    ) -> None:
        self.shared, self.own, self.widths, self.ast, self.sums = shared, own, widths, ast, sums
        """Arrays of sums, names of a thread's index, how the threads of a block are spelled, functions that add up."""
        self.strided = False
        """Whether a loop goes through a row in steps of a block."""
        self.works = True

    def is_own(self, node: Any) -> bool:
        """Whether an expression is the index of a thread in its block."""
        return is_thread(node) or str(getattr(uncast(node), "name", "")) in self.own

    def drop_sum(self, node: Any) -> Any | None:
        """What adding up over a block is for its only thread; None for everything else."""
        if called(node) in self.sums:
            return self.rewrite(node.args.exprs[0])
        is_sum = type(node).__name__ == "Assignment" and called(node.rvalue) in self.sums
        if is_sum and are_alike(node.lvalue, node.rvalue.args.exprs[0]):
            return self.ast.EmptyStatement(node.coord)
        return None

    def declare(self, node: Any) -> Any:
        """What a block shares, as a scalar of its only thread."""
        declaration = copy.copy(node)
        if type(node.type).__name__ == "ArrayDecl" and str(node.name) not in self.shared:
            return declaration
        declaration.storage = []
        if str(node.name) not in self.shared:
            return declaration
        inner = node.type.type
        label = f"{node.name}__block"
        scalar = self.ast.TypeDecl(label, [], None, inner.type) if hasattr(inner, "type") else inner
        return self.ast.Decl(label, [], [], [], [], scalar, None, None, node.coord)

    def rewrite(self, node: Any) -> Any:
        """A copy of a node for the only thread of a block."""
        kind = type(node).__name__
        if self.is_own(node):
            self.works = False
            return node
        if type(node).__name__ == "ArrayRef" and (name := str(getattr(node.name, "name", ""))) in self.shared:
            self.works &= self.is_own(node.subscript) or getattr(node.subscript, "value", None) == "0"
            return self.ast.ID(f"{name}__block", node.coord)
        if kind == "Decl" and "static" in (node.storage or ()):
            return self.declare(node)
        zero = self.ast.Constant("int", "0", getattr(node, "coord", None))
        copied = copy.copy(node)
        if kind == "For" and (strided := self.stride(node)) is not None:
            self.strided = True
            copied.init, copied.next = strided
            copied.cond, copied.stmt = self.rewrite(node.cond), self.rewrite(node.stmt)
            return copied
        if (dropped := self.drop_sum(node)) is not None:
            return dropped
        if kind == "If" and type(node.cond).__name__ == "BinaryOp" and self.is_own(node.cond.left):
            copied.cond = self.ast.BinaryOp(node.cond.op, zero, self.rewrite(node.cond.right), node.coord)
            copied.iftrue = self.rewrite(node.iftrue)
            copied.iffalse = self.rewrite(node.iffalse) if node.iffalse is not None else None
            return copied
        return copy_node(node, self.rewrite, but=())

    def stride(self, node: Any) -> tuple[Any, Any] | None:
        """Start and step, for one thread, of a loop from a thread's index in steps of a block; None for others."""
        declared = node.init.decls[0] if type(node.init).__name__ == "DeclList" and len(node.init.decls) == 1 else None
        start = declared.init if declared is not None else getattr(node.init, "rvalue", None)
        step: Any = getattr(node.next, "rvalue", None) if getattr(node.next, "op", "") == "+=" else None
        step = uncast(step) if step is not None else None
        whole = type(step).__name__ == "StructRef" and [step.name.name, step.field.name] == ["blockDim", "x"]
        steps = whole or str(getattr(step, "value", getattr(step, "name", ""))) in self.widths
        if start is None or not self.is_own(start) or not steps:
            return None
        zero, unit = (self.ast.Constant("int", n, node.coord) for n in "01")
        init = copy.deepcopy(node.init)
        if declared is not None:
            init.decls[0].init = zero
        else:
            init.rvalue = zero
        following = copy.copy(node.next)
        following.rvalue = unit
        return init, following


def share_warps(body: Any, functions: Mapping[str, Any], ast: Any) -> Any | None:
    """A body in which one thread does what the 32 of a warp do together; None where warps share nothing.

    They go through rows from ``threadIdx.x % 32`` in steps of 32, and add up by shuffles what each has found. Blocks
    have one thread for each of their warps then.
    """
    sums = {n for n, f in functions.items() if adds_up(f.body)} | WARP_NAMES
    calls = find_calls(body)
    if not (calls & sums or any(c.startswith("__shfl") for c in calls)):
        return None
    sharing = WarpSharing(sums, ast)
    rewritten = sharing.rewrite(body)
    return rewritten if sharing.works and not any(c.startswith("__shfl") for c in find_calls(rewritten)) else None


def adds_up(body: Any) -> bool:
    """Whether a function does nothing but shuffles, and returns what they give."""
    shuffles = any(c.startswith("__shfl") for c in find_calls(body))
    has_no_static = not any("static" in (d.storage or ()) for d in list_declared(body))
    return shuffles and has_no_static and all(type(s).__name__ in ("For", "Return", "Pragma") for s in list_items(body))


class WarpSharing:
    """Statements of a warp as those of one thread, as long as ``works`` holds."""

    def __init__(self, sums: set[str], ast: Any) -> None:
        self.sums, self.ast = sums, ast
        """Functions that add up over a warp what each lane has."""
        self.threads: dict[str, Any] = {}
        """Names of a thread's index, in its block or in the grid, and what they stand for."""
        self.lanes: set[str] = set()
        self.works = True

    def is_index(self, node: Any) -> bool:
        """Whether an expression counts threads: ``threadIdx.x``, ``blockDim.x``, or the index in the whole grid."""
        node = uncast(node)
        if is_thread(node) or str(getattr(node, "name", "")) in self.threads:
            return True
        if type(node).__name__ == "StructRef":
            return [getattr(node.name, "name", ""), node.field.name] == ["blockDim", "x"]
        if type(node).__name__ != "BinaryOp" or node.op != "+":
            return False
        sides = [uncast(node.left), uncast(node.right)]
        blocks = [s for s in sides if type(s).__name__ == "BinaryOp" and s.op == "*"]
        plain = [{getattr(getattr(x, "name", None), "name", "") for x in (b.left, b.right)} for b in blocks]
        return plain == [{"blockIdx", "blockDim"}] and any(is_thread(s) for s in sides)

    def spell_index(self, node: Any) -> Any:
        """An index of threads without the names that stand for it."""
        label = str(getattr(uncast(node), "name", "")) if type(uncast(node)).__name__ == "ID" else ""
        return self.spell_index(self.threads[label]) if label in self.threads else node

    def divides(self, node: Any) -> str:
        """``/`` of an index of threads over 32, ``%`` of its rest, '' for other expressions."""
        if type(node).__name__ != "BinaryOp" or not self.is_index(node.left):
            return ""
        return {("/", "32"): "/", (">>", "5"): "/", ("%", "32"): "%", ("&", "31"): "%"}.get(
            (node.op, str(getattr(node.right, "value", ""))), ""
        )

    def rewrite(self, node: Any) -> Any:
        """A copy of a node for the only thread of a warp."""
        kind = type(node).__name__
        if kind == "Compound":
            statements = [s for s in list_items(node) if not self.is_dropped(s)]
            return self.ast.Compound([self.rewrite(s) for s in statements], node.coord)
        part = self.divides(node)
        if part or (kind == "ID" and str(node.name) in self.lanes):
            # The index of a warp is that of its only thread.
            return self.spell_index(node.left) if part == "/" else self.ast.Constant("int", "0", node.coord)
        if self.is_index(node):
            self.works = False
            return node
        if called(node) in self.sums:
            return self.rewrite(node.args.exprs[0])
        if kind == "BinaryOp" and node.op == "+":
            # The start of a row, and the lane beside it.
            sides = [self.rewrite(s) for s in (node.left, node.right)]
            rest = [s for s in sides if getattr(s, "value", "") != "0"]
            return rest[0] if len(rest) == 1 else self.ast.BinaryOp("+", *sides, node.coord)
        copied = copy.copy(node)
        if kind == "For" and (strided := self.stride(node)) is not None:
            copied.next = strided
            copied.init, copied.cond, copied.stmt = (self.rewrite(p) for p in (node.init, node.cond, node.stmt))
            return copied
        return copy_node(node, self.rewrite, but=())

    def is_dropped(self, node: Any) -> bool:
        """Whether a statement names a lane or a thread, or adds up over a warp what one thread now has."""
        kind = type(node).__name__
        if kind == "Decl" and node.init is not None and type(node.type).__name__ == "TypeDecl":
            if self.divides(uncast(node.init)) == "%":
                self.lanes.add(str(node.name))
                return True
            if self.is_index(node.init):
                self.threads[str(node.name)] = node.init
                return True
        if kind == "For":
            return is_exchange(node) and all(type(s).__name__ == "Assignment" for s in list_items(node.stmt))
        if kind == "Assignment" and node.op == "=" and called(node.rvalue) in self.sums:
            return are_alike(node.lvalue, node.rvalue.args.exprs[0])
        return False

    def stride(self, node: Any) -> Any | None:
        """The step, for one thread, of a loop from a lane in steps of 32; None for others."""
        declared = node.init.decls[0] if type(node.init).__name__ == "DeclList" and len(node.init.decls) == 1 else None
        start = uncast(declared.init if declared is not None else getattr(node.init, "rvalue", None))
        added = [uncast(start.left), uncast(start.right)] if getattr(start, "op", "") == "+" else [start]
        lane = [s for s in added if str(getattr(s, "name", "")) in self.lanes or self.divides(s) == "%"]
        if len(lane) != 1 or getattr(node.next, "op", "") != "+=" or getattr(node.next.rvalue, "value", "") != "32":
            return None
        following = copy.copy(node.next)
        following.rvalue = self.ast.Constant("int", "1", node.coord)
        return following
