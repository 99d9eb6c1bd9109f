"""What warps and blocks add up by shuffles and unrolled trees, under one name for each: ``v = __block_sum(v)``.

The forms are those of books and libraries: loops of shuffles in the kernel or in functions that return what they give,
reductions of cooperative groups and of cub, a warp's results put into shared memory and added up by the first warp,
trees in shared memory whose last steps are written out.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_tree import are_alike, called, find_calls, find_names, list_items, uncast

WARP_NAMES = frozenset(["__warp_sum", "__warp_max", "__warp_min"])
BLOCK_NAMES = frozenset(["__block_sum", "__block_max", "__block_min"])
PAIRED = frozenset(
    {
        "__floats2half2_rn", "__floats2bfloat162_rn", "__halves2half2", "__halves2bfloat162", "make_half2",
        "make_bfloat162", "__lows2half2", "__highs2half2", "__lows2bfloat162", "__highs2bfloat162",
    }
)  # fmt: skip
"""Functions that put two numbers into one word: no operation, as casts are none."""
JOINED = frozenset(["__joined_sum", "__joined_max", "__joined_min", "__joined_less", *PAIRED])
"""What a thread adds to its own of what another has: the tree is no work of a class, whose sums are of all elements."""
LEAST = {"min": "min", "fmin": "min", "fminf": "min", "max": "max", "fmax": "max", "fmaxf": "max"}
BARRIERS = ("__syncthreads", "__syncwarp")
WARP = 32
"""Threads of a warp."""
SHUFFLES = ("__shfl_down", "__shfl_xor")
NO_SUMS = ("__shfl_up", "__shfl_sync", "__ballot", "__match")
"""What scans and broadcasts ask of others."""


def is_barrier(node: Any) -> bool:
    """Whether a statement only waits for the other threads of a block or warp."""
    return called(node) in BARRIERS


def plain_exchanges(body: Any, functions: Mapping[str, Any], threads: int, ast: Any) -> Any:
    """The body of a kernel with its sums over warps and blocks under their names. threads : of a block; 0 unknown."""
    exchanges = Exchanges(functions, threads, ast)
    return exchanges.block(body)


def halves(node: Any) -> bool:
    """Whether a loop's counter is halved, or doubled, in each turn."""
    step: Any = node.next if type(node).__name__ == "For" else None
    if type(step).__name__ != "Assignment":
        return False
    ops = (">>", "/", "<<", "*")
    return step.op in [f"{o}=" for o in ops] or (step.op == "=" and getattr(step.rvalue, "op", "") in ops)


def find_operation(node: Any) -> str:
    """What is done with the values that are exchanged."""
    names = find_calls(node)
    return next((LEAST[n] for n in sorted(names) if n in LEAST), "sum")


Place = tuple[str, tuple[str, ...]]
"""A shared array, and the indices of one of its elements that are numbers."""


class Exchanges:
    """Rewrites the statements of one kernel."""

    def __init__(self, functions: Mapping[str, Any], threads: int, ast: Any) -> None:
        self.functions, self.threads, self.ast = functions, threads, ast
        self.kinds = {n: k for n, f in functions.items() if (k := self.find_kind(f))}
        for _ in range(3):
            # Functions that only hand on to such a function.
            for name, function in functions.items():
                items = list_items(function.body)
                inside = items[-1].expr if items and type(items[-1]).__name__ == "Return" else None
                if name not in self.kinds and len(items) == 1 and (kind := self.kinds.get(called(inside))):
                    self.kinds[name] = kind

    def find_kind(self, function: Any) -> str:
        """The name of what a function adds up; '' for functions that do something else."""
        calls = find_calls(function.body)
        loops = [s for s in self.walk(function.body) if type(s).__name__ == "For" and halves(s)]
        exchanging = [s for s in loops if any(c.startswith(SHUFFLES) for c in find_calls(s))]
        returns = list_items(function.body) and type(list_items(function.body)[-1]).__name__ == "Return"
        if not exchanging or not returns or any(c.startswith(NO_SUMS) for c in calls):
            return ""
        return f"__{'block' if calls & set(BARRIERS) else 'warp'}_{find_operation(exchanging[0])}"

    def walk(self, node: Any) -> list[Any]:
        """Every node inside one."""
        return [node, *(n for _, child in node.children() for n in self.walk(child))]

    def name(self, kind: str) -> str:
        """A sum over a warp is one over the block where it has no other warp."""
        return kind.replace("__warp", "__block") if self.threads == WARP else kind

    def call(self, kind: str, value: Any) -> Any:
        """``__warp_sum(v)``."""
        name = self.ast.ID(self.name(kind), value.coord)
        return self.ast.FuncCall(name, self.ast.ExprList([value]), value.coord)

    def expression(self, node: Any) -> Any:
        """An expression with calls of such functions under their names."""
        copied = copy_node(node, self.expression, but=("type", "stmt", "iftrue", "iffalse", "block_items"))
        kind = self.kinds.get(called(copied))
        if kind is None or not copied.args:
            return copied
        given = [a for a in copied.args.exprs if self.is_value(a)]
        return self.call(kind, given[0]) if len(given) == 1 else copied

    def is_value(self, node: Any) -> bool:
        """Whether an argument is what is added up: no group of threads, operator or shared memory of the library."""
        node = uncast(node)
        kind = type(node).__name__
        if kind == "CompoundLiteral" or called(node).startswith("construct_"):
            return False
        return not (kind == "ID" and node.name in self.held)

    held: frozenset[str] = frozenset()
    """Names of structures and shared arrays of the kernel."""

    def block(self, node: Any) -> Any:
        """A block with everything under its name."""
        if not self.held:
            self.held = frozenset(
                str(d.name) for d in self.walk(node)
                if type(d).__name__ == "Decl" and (
                    "static" in (d.storage or ()) or self.is_structure(d)
                )
            )  # fmt: skip
        items = self.join_trees([s for item in list_items(node) for s in self.statement(item)])
        return self.ast.Compound(self.join_warps(items), node.coord)

    def is_structure(self, node: Any) -> bool:
        """Whether a variable is a structure without numbers, as groups of threads are."""
        words = getattr(getattr(getattr(node, "type", None), "type", None), "names", None) or []
        return any(w.startswith(("thread_block", "grid_group", "thread_group", "coalesced", "cuda_")) for w in words)

    def statement(self, node: Any) -> list[Any]:
        """The statements that one stands for."""
        kind = type(node).__name__
        if kind == "Compound":
            return [self.block(node)]
        if kind == "For" and (exchanges := self.read_exchange(node)):
            return exchanges
        copied = self.expression(node)
        for part in ("stmt", "iftrue", "iffalse"):
            inside = getattr(node, part, None)
            if inside is not None:
                setattr(copied, part, self.block(inside))
        return [copied]

    def read_exchange(self, node: Any) -> list[Any]:
        """``for (...) v += __shfl_down_sync(m, v, o)`` as ``v = __warp_sum(v)``, of each value; none of others."""
        items = [s for s in list_items(node.stmt) if not is_barrier(s)]
        calls = find_calls(node.stmt)
        if (
            not halves(node)
            or not any(c.startswith(SHUFFLES) for c in calls)
            or any(c.startswith(NO_SUMS) for c in calls)
        ):
            return []
        declared = {str(s.name): s for s in items if type(s).__name__ == "Decl"}
        steps = [s for s in items if type(s).__name__ != "Decl"]
        targets = [s.lvalue for s in steps if type(s).__name__ == "Assignment" and type(s.lvalue).__name__ == "ID"]
        names = [str(t.name) for t in targets]
        if len(targets) != len(steps) or len(set(names)) < len(names) or len(declared) > 1:
            return []
        for step, name in zip(steps, names, strict=True):
            shuffled = {n for s in (step, *declared.values()) for n in self.find_shuffled(s)}
            others = set(names) - {name} if len(steps) > 1 else set()
            if name not in shuffled or (find_names(step) | set(declared)) & others or (declared and len(steps) > 1):
                return []
        return [
            self.ast.Assignment("=", t, self.call(f"__warp_{find_operation(s)}", t), node.coord)
            for s, t in zip(steps if len(steps) > 1 else [node.stmt], targets, strict=True)
        ]

    def find_shuffled(self, node: Any) -> set[str]:
        """Names of the values that are exchanged."""
        calls = [n for n in self.walk(node) if called(n).startswith(SHUFFLES)]
        return {name for c in calls for name in find_names(c.args)}

    # ---- results of warps, added up by the first ----

    def join_warps(self, items: list[Any]) -> list[Any]:
        """Statements with a warp's results, put into shared memory and added up again, as sums of the block."""
        for at, item in enumerate(items):
            sums, between = self.read_sums(items[at:])
            end = at + len(sums) + len(between)
            if not sums or end >= len(items):
                continue
            held = self.read_stores(items[end], set(sums))
            rest = [s for s in items[end + 1 :] if not is_barrier(s)]
            if set(held.values()) != set(sums) or not rest:
                continue
            after = self.read_second(rest, held, sums)
            if after is not None:
                names = [self.ast.ID(value, item.coord) for value in sums]
                totals = [
                    self.ast.Assignment("=", n, self.call(k.replace("__warp", "__block"), n), item.coord)
                    for n, k in zip(names, sums.values(), strict=True)
                ]
                shared = {name for name, _ in held}
                before = [s for s in items[:at] if not (type(s).__name__ == "Decl" and s.name in shared)]
                return [*before, *between, *totals, *self.join_warps(after)]
        return items

    def read_sums(self, items: list[Any]) -> tuple[dict[str, str], list[Any]]:
        """What statements add up over a warp, one after the other, and the declarations between them."""
        sums, between = dict[str, str](), list[Any]()
        for item in items:
            kind, value = self.read_warp_sum(item)
            declares = bool(sums) and type(item).__name__ == "Decl" and not find_calls(item)
            if (not kind and not declares) or value in sums:
                break
            sums |= {value: kind} if kind else {}
            between += [item] if declares else []
        return sums, between

    def read_warp_sum(self, node: Any) -> tuple[str, str]:
        """``v = __warp_sum(v)``: what is added up, and its name; '' for other statements."""
        value: Any = node.rvalue if type(node).__name__ == "Assignment" and node.op == "=" else None
        plain = called(value) in WARP_NAMES and are_alike(node.lvalue, value.args.exprs[0])
        return (called(value), str(node.lvalue.name)) if plain and type(node.lvalue).__name__ == "ID" else ("", "")

    def read_stores(self, node: Any, values: set[str]) -> dict[Place, str]:
        """``if (lane == 0) { a[warp] = v; b[warp] = w; }``: where values are put; empty for other statements."""
        inside = list_items(node.iftrue) if type(node).__name__ == "If" and node.iffalse is None else []
        held = dict[Place, str]()
        for store in inside:
            place = self.read_place(store.lvalue) if type(store).__name__ == "Assignment" and store.op == "=" else None
            value = str(getattr(uncast(store.rvalue), "name", "")) if place is not None else ""
            if place is None or value not in values or place in held:
                return {}
            held[place] = value
        return held if len(set(held.values())) == len(held) else {}

    def read_place(self, node: Any) -> Place | None:
        """The shared array of an element, and its indices that are numbers; None for other expressions."""
        node = uncast(node)
        numbers = list[str]()
        is_element = type(node).__name__ == "ArrayRef"
        while type(node).__name__ == "ArrayRef":
            numbers += [str(node.subscript.value)] if type(node.subscript).__name__ == "Constant" else []
            node = node.name
        name = str(getattr(node, "name", ""))
        return (name, tuple(numbers)) if is_element and type(node).__name__ == "ID" and name in self.held else None

    def read_second(self, rest: list[Any], held: Mapping[Place, str], sums: Mapping[str, str]) -> list[Any] | None:
        """What follows the sums of the warps' results; None where they are not added up."""
        first = rest[0]
        if type(first).__name__ == "If" and first.iffalse is None:
            inside = [s for s in list_items(first.iftrue) if not is_barrier(s)]
            after = self.read_added(inside, held, sums)
            if after is None:
                return None
            first_thread = self.ast.BinaryOp("==", self.thread(first.coord), self.ast.Constant("int", "0"), first.coord)
            while len(after) == 1 and type(after[0]).__name__ == "If" and after[0].iffalse is None:
                after = list_items(after[0].iftrue)
            guarded = self.ast.If(first_thread, self.ast.Compound(after, first.coord), None, first.coord)
            return [*([guarded] if after else []), *rest[1:]]
        return self.read_added(rest, held, sums)

    def read_added(
        self, items: list[Any], held: Mapping[Place, str], sums: Mapping[str, str]
    ) -> list[Any] | None:  # fmt: skip
        """``v = lane < n ? shared[lane] : 0; v = __warp_sum(v); rest``: the rest, of the same names.

        So for each of several values, and where one thread adds up the warps' results in a loop.
        """
        loaded, started, added = dict[str, str](), set[str](), set[str]()
        at = 0
        while at < len(items) and added != set(sums):
            item = items[at]
            if type(item).__name__ == "If" and item.iffalse is None and len(list_items(item.iftrue)) == 1:
                item = list_items(item.iftrue)[0]
            kind, value = self.read_warp_sum(item)
            name, source = self.read_first_value(item)
            places = list({p for n in self.walk(source) if (p := self.read_place(n)) in held}) if name else []
            if kind and sums.get(loaded.get(value, "")) == kind:
                added.add(loaded[value])
            elif type(item).__name__ == "For" and (totals := self.read_loop(item, started, held, sums)):
                loaded |= totals
                added |= set(totals.values())
            elif len(places) == 1 and places[0] is not None and not kind:
                loaded[name] = held[places[0]]
                started.add(name)
            elif name and type(uncast(source)).__name__ in ("Constant", "UnaryOp"):
                started.add(name)
            else:
                return None
            at += 1
        if added != set(sums):
            return None
        rest = items[at:]
        for name, value in loaded.items():
            rest = rest if name == value else [self.rename(s, name, value) for s in rest]
        return rest

    @staticmethod
    def read_first_value(node: Any) -> tuple[str, Any]:
        """``float v = e`` or ``v = e``: the name and the value; '' for other statements."""
        if type(node).__name__ == "Decl" and node.init is not None:
            return str(node.name), node.init
        if type(node).__name__ == "Assignment" and node.op == "=" and type(node.lvalue).__name__ == "ID":
            return str(node.lvalue.name), node.rvalue
        return "", None

    def read_loop(
        self, node: Any, started: set[str], held: Mapping[Place, str], sums: Mapping[str, str]
    ) -> dict[str, str]:  # fmt: skip
        """``for (w = 0; w < warps; w++) { v += a[w]; u += b[w]; }``: names and what they add up; empty for others."""
        totals = dict[str, str]()
        for step in list_items(node.stmt):
            plain = type(step).__name__ == "Assignment" and type(step.lvalue).__name__ == "ID" and not halves(node)
            places = {p for n in self.walk(step.rvalue) if (p := self.read_place(n)) in held} if plain else set()
            if len(places) != 1 or (place := next(iter(places))) is None:
                return {}
            kind = sums[held[place]]
            adds = step.op == "+=" if kind.endswith("_sum") else step.op == "=" and find_operation(step) == kind[-3:]
            if not adds:
                return {}
            totals[str(step.lvalue.name)] = held[place]
        alike = len(set(totals.values())) == len(list_items(node.stmt))
        return totals if alike and set(totals) <= started else {}

    def rename(self, node: Any, name: str, value: str) -> Any:
        """A statement with another name in place of one."""
        if type(node).__name__ == "ID" and node.name == name:
            copied = copy.copy(node)
            copied.name = value
            return copied
        return copy_node(node, lambda inside: self.rename(inside, name, value))

    def thread(self, coord: Any) -> Any:
        """``threadIdx.x``."""
        return self.ast.StructRef(self.ast.ID("threadIdx", coord), ".", self.ast.ID("x", coord), coord)

    # ---- trees whose last steps are written out ----

    def join_trees(self, items: list[Any]) -> list[Any]:
        """Statements with a tree that goes on in steps that are written out as one loop down to 1."""
        out: list[Any] = []
        at = 0
        while at < len(items):
            run, end = list[Any](), at
            while end < len(items) and (called(items[end]) in BARRIERS or self.read_step(items[end]) is not None):
                run += [] if called(items[end]) in BARRIERS else [items[end]]
                end += 1
            names = {self.read_step(s) for s in run}
            if len(names) != 1 or None in names or (len(run) < 2 and self.count_steps(run[0]) < 2):
                out.append(items[at])
                at += 1
                continue
            out.append(self.make_tree(run[0]))
            at = end
        return out

    def list_steps(self, node: Any) -> list[Any]:
        """Assignments of a step, under conditions on the thread or in a loop that halves."""
        kind = type(node).__name__
        if kind == "Assignment":
            return [node]
        inside = list_items(node.iftrue) if kind == "If" and node.iffalse is None else []
        inside = list_items(node.stmt) if kind == "For" and halves(node) else inside
        inside = list_items(node) if kind == "Compound" else inside
        return [s for item in inside if called(item) not in BARRIERS for s in self.list_steps(item)]

    def count_steps(self, node: Any) -> int:
        """Steps in one statement; a loop has several."""
        return 2 if type(node).__name__ == "For" else len(self.list_steps(node))

    def read_step(self, node: Any) -> str | None:
        """The shared array that ``if (t < 64) s[t] += s[t + 64];`` halves; None for other statements."""
        if type(node).__name__ not in ("If", "For", "Compound"):
            return None
        inside = self.list_steps(node)
        names = {self.read_halving(s) for s in inside}
        everything = [n for n in self.walk(node) if type(n).__name__ in ("Assignment", "Decl", "FuncCall")]
        others = [n for n in everything if n not in inside and called(n) not in (*BARRIERS, *LEAST)]
        others = [
            n for n in others if not (type(node).__name__ == "For" and (n is node.next or n in list_declared(node)))
        ]
        return names.pop() if len(names) == 1 and not others else None

    def read_halving(self, node: Any) -> str | None:
        """The array of ``s[t] += s[t + k]``; None for other assignments."""
        if type(node.lvalue).__name__ != "ArrayRef":
            return None
        name = str(getattr(node.lvalue.name, "name", ""))
        reads = [n for n in self.walk(node.rvalue) if type(n).__name__ == "ArrayRef"]
        far = [n for n in reads if not are_alike(n, node.lvalue)]
        near = len(reads) - len(far)
        halved = (
            len(far) == 1
            and near == int(node.op == "=")
            and getattr(far[0].name, "name", "") == name
            and type(far[0].subscript).__name__ == "BinaryOp"
            and far[0].subscript.op == "+"
            and any(are_alike(node.lvalue.subscript, s) for s in (far[0].subscript.left, far[0].subscript.right))
        )
        return name if halved and name in self.held else None

    def make_tree(self, first: Any) -> Any:
        """The loop that a tree is, down to its last step."""
        if type(first).__name__ == "For":
            # To the last step, wherever its others end is: the others follow it.
            tree = copy.copy(first)
            counter = first.cond.left if type(first.cond).__name__ == "BinaryOp" else None
            if counter is not None:
                tree.cond = self.ast.BinaryOp(">", counter, self.ast.Constant("int", "0"), first.coord)
            return tree
        step = copy.deepcopy(self.list_steps(first)[0])
        counter = self.ast.ID("half__", first.coord)
        far = next(
            n for n in self.walk(step.rvalue) if type(n).__name__ == "ArrayRef" and not are_alike(n, step.lvalue)
        )
        far.subscript = self.ast.BinaryOp("+", step.lvalue.subscript, counter, first.coord)
        whole = self.ast.TypeDecl("half__", [], None, self.ast.IdentifierType(["int"]))
        half = self.ast.Constant("int", str(max(1, self.threads // 2)))
        declared = self.ast.Decl("half__", [], [], [], [], whole, half, None, first.coord)
        inside = self.ast.If(self.ast.BinaryOp("<", step.lvalue.subscript, counter, first.coord),
                             self.ast.Compound([step], first.coord), None, first.coord)  # fmt: skip
        return self.ast.For(
            self.ast.DeclList([declared], first.coord),
            self.ast.BinaryOp(">", counter, self.ast.Constant("int", "0"), first.coord),
            self.ast.Assignment(">>=", counter, self.ast.Constant("int", "1"), first.coord),
            self.ast.Compound([inside], first.coord), first.coord,
        )  # fmt: skip


def list_declared(node: Any) -> list[Any]:
    """Declarations of a loop's counter."""
    return list(node.init.decls) if type(getattr(node, "init", None)).__name__ == "DeclList" else []
