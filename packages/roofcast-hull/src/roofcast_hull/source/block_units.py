"""A block of threads as one unit of work: between barriers its threads are a loop, in any order.

For kernels whose threads compute together in shared memory what none of them computes alone. What a thread keeps from
one side of a barrier to the other has a place for each thread; sums over warps and blocks are loops over their threads.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roofcast_hull.source.c_idioms import REFERENCE, find_targets, list_declared, rename_all, rename_declared, returns
from roofcast_hull.source.c_nodes import copy_node, map_nodes
from roofcast_hull.source.c_statements import count_while, read_step
from roofcast_hull.source.c_tree import called, find_calls, find_names, has_kind, list_items, uncast
from roofcast_hull.source.c_words import OF_THREADS
from roofcast_hull.source.exchanges import BARRIERS, BLOCK_NAMES, LEAST, WARP_NAMES, halves
from roofcast_hull.source.plain_trees import find_writes, fold, list_turns, read_begun

AXES = "xyz"
WARP = 32
"""Threads of a warp."""
OF_WARPS = "warp_of_block"
"""Counter of the loop over warps."""
MOST_INLINED = 64
"""Calls whose function is put in place: recursion would not end."""
MOST_STATEMENTS = 3000
"""Statements that writing trees out may make."""


class NotWrittenError(Exception):
    """A kernel whose threads do not wait for each other in a way that loops say."""


def write_blocks(
    body: Any, functions: Mapping[str, Any], sizes: Mapping[str, int], known: Mapping[str, int], ast: Any
) -> Any | None:
    """The body of a kernel for whole blocks; None where its threads never wait, or in a way that is not followed.

    sizes : blockDim along each axis. known : numbers that the file says.
    """
    block = tuple(sizes.get(f"blockDim.{a}", 0) for a in AXES)
    if min(block) < 1 or math.prod(block) < 2:
        return None
    writer = BlockWriter(functions, block, known, ast)
    try:
        return writer.write(body)
    except NotWrittenError:
        return None


def replace_threads(node: Any, block: Sequence[int], ast: Any) -> Any:
    """``threadIdx.x`` as the counter of a loop, ``blockDim.x`` as a number."""

    def change(inside: Any) -> Any:
        if type(inside).__name__ != "StructRef" or type(inside.name).__name__ != "ID":
            return inside
        owner, axis = str(inside.name.name), str(inside.field.name)
        if owner == "threadIdx" and axis in AXES:
            return name_thread(axis, inside.coord, ast) if block[AXES.index(axis)] > 1 else zero(inside.coord, ast)
        if owner == "blockDim" and axis in AXES:
            return ast.Constant("int", str(block[AXES.index(axis)]), inside.coord)
        return inside

    return map_nodes(node, change)


def name_thread(axis: str, coord: Any, ast: Any) -> Any:
    """The counter of the loop over the threads along an axis."""
    return ast.ID(f"{OF_THREADS}{axis}", coord)


def zero(coord: Any, ast: Any) -> Any:
    """The number 0."""
    return ast.Constant("int", "0", coord)


class BlockWriter:
    """Rewrites the statements of one kernel."""

    def __init__(self, functions: Mapping[str, Any], block: Sequence[int], known: Mapping[str, int], ast: Any) -> None:
        self.functions, self.block, self.known, self.ast = functions, block, dict(known), ast
        self.axes = [a for a in "zyx" if block[AXES.index(a)] > 1]
        """Axes with several threads, the contiguous one last."""
        self.shared: set[str] = set()
        self.held: set[str] = set()
        """Arrays that the kernel declares."""
        self.dependent = {f"{OF_THREADS}{a}" for a in AXES}
        """Names whose value differs from thread to thread."""
        self.copied: dict[str, Any] = {}
        """Declarations that each loop over threads repeats: of an index or the like, which nothing changes."""
        self.kept: dict[str, Any] = {}
        """Names that have a place for each thread, with their declarations."""
        self.local: set[str] = set()
        """Variables that threads need on one side of a barrier alone."""
        self.guards: list[Any] = []
        """Conditions under which the threads of all loops are."""
        self.declared: list[Any] = []
        self.uniform: dict[str, Any] = {}
        """Whole numbers that are the same for all threads and never change, and what they are."""
        self.warps = 1
        self.made = self.statements = 0

    def write(self, body: Any) -> Any:
        """The whole kernel."""
        body = replace_threads(body, self.block, self.ast)
        functions = {n: replace_body(f, self.block, self.ast) for n, f in self.functions.items()}
        self.waiting = {n for n, f in functions.items() if has_waits(f.body)}
        for _ in range(3):
            self.waiting |= {n for n, f in functions.items() if find_calls(f.body) & self.waiting}
        self.functions = functions
        items = self.hoist(list_items(body))
        if not any(map(self.waits, items)):
            raise NotWrittenError
        items = self.rename_twice(items)
        calls = find_calls(self.ast.Compound(items))
        by_warps = not calls & {"__syncthreads", *BLOCK_NAMES} and not any(
            "static" in (d.storage or ()) for d in list_declared(self.ast.Compound(items))
        )
        warps = self.block[0] // WARP if by_warps and self.axes == ["x"] and self.block[0] % WARP == 0 else 0
        if warps > 1:
            # Nothing is shared beyond warps: each is a unit of its own.
            items = [self.count_lanes(item) for item in items]
            self.block, self.warps = (WARP, 1, 1), warps
        whole = self.ast.Compound(items, body.coord)
        for d in list_declared(whole):
            self.held |= {str(d.name)} if type(d.type).__name__ == "ArrayDecl" else set()
            if "static" in (d.storage or ()):
                self.shared.add(str(d.name))
        self.find_dependent(whole)
        self.sort_names(items, whole)
        written = self.block_of(items, {})
        written = [*self.declared, *written]
        if warps > 1:
            written = [self.count(OF_WARPS, warps, written, body.coord)]
        return self.ast.Compound(written, body.coord)

    def count_lanes(self, node: Any) -> Any:
        """A statement with the index of a thread as that of its warp and of its lane."""

        def change(inside: Any) -> Any:
            if inside.name != f"{OF_THREADS}x":
                return inside
            first = self.ast.BinaryOp("*", self.ast.Constant("int", str(WARP)), self.ast.ID(OF_WARPS), inside.coord)
            return self.ast.BinaryOp("+", first, inside, inside.coord)

        return map_plain(node, change)

    # ---- calls ----

    def hoist(self, items: Sequence[Any]) -> list[Any]:
        """Statements with calls of functions that wait put in place."""
        out: list[Any] = []
        for item in items:
            copied, kind = copy.copy(item), type(item).__name__
            for part in ("stmt", "iftrue", "iffalse"):
                inside = getattr(item, part, None)
                if inside is not None:
                    setattr(copied, part, self.ast.Compound(self.hoist(list_items(inside)), item.coord))
            if kind == "Compound":
                copied = self.ast.Compound(self.hoist(list_items(item)), item.coord)
            elif kind in ("Decl", "Assignment", "FuncCall") and find_calls(item) & self.waiting:
                copied = map_nodes(item, lambda node: self.call(node, out))
                if type(copied).__name__ == "EmptyStatement":
                    continue
            out.append(copied)
        return out

    def call(self, node: Any, before: list[Any]) -> Any:
        """What a call of a function that waits gives, its statements added to those before."""
        name = called(node)
        if name not in self.waiting:
            return node
        function = self.functions[name]
        items = list_items(function.body)
        last = items.pop() if items and type(items[-1]).__name__ == "Return" else None
        self.made += 1
        if any(map(returns, items)) or self.made > MOST_INLINED:
            raise NotWrittenError
        meaning: dict[str, Any] = {}
        changed = {d for item in items for d in find_targets(item)}
        parameters = getattr(function.decl.type.args, "params", None) or ()
        for parameter, argument in zip(parameters, list(node.args.exprs) if node.args else [], strict=False):
            label = str(parameter.name)
            simple = label not in changed and type(uncast(argument)).__name__ in ("ID", "Constant")
            if type(parameter.type).__name__ != "TypeDecl" or label.endswith(REFERENCE) or simple:
                meaning[label] = argument
                continue
            local = self.ast.ID(f"{label}__in{self.made}", node.coord)
            before.append(rename_declared(parameter, local.name, argument))
            meaning[label] = local
        names = {str(d.name) for item in items for d in list_declared(item)}
        meaning |= {n: self.ast.ID(f"{n}__in{self.made}", node.coord) for n in names}
        before += self.hoist([rename_all(copy.deepcopy(item), meaning) for item in items])
        if last is None or last.expr is None:
            return self.ast.EmptyStatement(node.coord)
        value = map_nodes(rename_all(copy.deepcopy(last.expr), meaning), lambda inside: self.call(inside, before))
        label = f"given__{self.made}"
        kind = copy.deepcopy(function.decl.type.type)
        if type(kind).__name__ != "TypeDecl":
            raise NotWrittenError
        kind.declname = label
        before.append(self.ast.Decl(label, [], [], [], [], kind, value, None, node.coord))
        return self.ast.ID(label, node.coord)

    def rename_twice(self, items: Sequence[Any]) -> list[Any]:
        """Statements in which no name is declared twice, but by loops for themselves."""
        seen: dict[str, int] = {}

        def rename(part: Sequence[Any]) -> list[Any]:
            out: list[Any] = []
            rest = list(part)
            while rest:
                item = rest.pop(0)
                if type(item).__name__ == "Decl" and item.name:
                    name = str(item.name)
                    seen[name] = seen.get(name, 0) + 1
                    if seen[name] > 1:
                        label = self.ast.ID(f"{name}__{seen[name]}", item.coord)
                        item, *rest = [rename_all(s, {name: label}) for s in (item, *rest)]
                copied = copy.copy(item)
                if type(item).__name__ == "Compound":
                    copied = self.ast.Compound(rename(list_items(item)), item.coord)
                for inner in ("stmt", "iftrue", "iffalse"):
                    inside = getattr(item, inner, None)
                    if inside is not None:
                        setattr(copied, inner, self.ast.Compound(rename(list_items(inside)), item.coord))
                out.append(copied)
            return out

        return rename(items)

    # ---- what names are ----

    def find_dependent(self, whole: Any) -> None:
        """Names that differ from thread to thread: computed from its index, or changed where threads part."""
        before = -1
        while before != len(self.dependent):
            before = len(self.dependent)
            self.spread(whole, parted=False)

    def spread(self, node: Any, *, parted: bool) -> None:
        """One turn of that. parted : whether a condition around depends on threads."""
        kind = type(node).__name__
        targets, value = self.find_written(node)
        if targets and (parted or find_names(value) & self.dependent):
            self.dependent |= targets - {""} - self.shared
        heads = {"If": ["cond"], "For": ["init", "cond", "next"]}.get(kind, [])
        decides = [h for n in heads if (h := getattr(node, n)) is not None]
        parted = parted or any(find_names(h) & self.dependent for h in decides)
        for _, child in node.children():
            self.spread(child, parted=parted)

    def find_written(self, node: Any) -> tuple[set[str], Any]:
        """Names that a statement gives values, and what they get."""
        begun = read_begun(node)
        if type(node).__name__ == "Decl" and type(node.type).__name__ == "PtrDecl" and node.init is not None:
            begun = str(node.name), node.init
        if begun is not None:
            return {begun[0]}, begun[1]
        if type(node).__name__ not in ("Assignment", "UnaryOp"):
            return set(), node
        place = getattr(node, "lvalue", None) or node.expr
        name = find_array(place)
        return {name} & (self.held if type(place).__name__ == "ArrayRef" else {name}), node

    def sort_names(self, items: Sequence[Any], whole: Any) -> None:
        """Which declarations of a level that waits are repeated, and which have a place for each thread."""
        for at, item in enumerate(items):
            kind = type(item).__name__
            if kind == "Decl" and str(item.name) not in self.shared and not self.stays(str(item.name), items[at + 1 :]):
                self.sort_name(item, whole)
            if self.waits(item):
                for part in ("stmt", "iftrue", "iffalse"):
                    if getattr(item, part, None) is not None:
                        self.sort_names(list_items(getattr(item, part)), whole)
                if kind == "Compound":
                    self.sort_names(list_items(item), whole)

    def stays(self, name: str, rest: Sequence[Any]) -> bool:
        """Whether a variable of a thread is only used before the next barrier."""
        run = next((n for n, s in enumerate(rest) if self.waits(s)), len(rest))
        if name not in self.dependent or any(name in find_names(s) for s in rest[run:]):
            return False
        self.local.add(name)
        return True

    def sort_name(self, item: Any, whole: Any) -> None:
        """The same of one declaration."""
        name = str(item.name)
        changed = find_writes(whole, name) - 1
        if name not in self.dependent and changed <= 0:
            if item.init is not None and type(item.type).__name__ == "TypeDecl" and is_whole(item):
                self.uniform[name] = item.init
            return
        loads = item.init is not None and (
            has_kind(item.init, "ArrayRef", "FuncCall") or "*" in {getattr(n, "op", "") for n in list_unary(item.init)}
        )
        pointer = type(item.type).__name__ == "PtrDecl"
        pure = item.init is not None and not changed and (not loads or pointer)
        if pure and (pointer or is_whole(item)):
            self.copied[name] = item
        elif pointer:
            raise NotWrittenError
        else:
            self.kept[name] = item
            self.dependent.add(name)

    # ---- statements ----

    def waits(self, node: Any) -> bool:
        """Whether threads wait for each other inside of a statement."""
        return has_waits(node) or self.is_locked(node)

    def is_locked(self, node: Any) -> bool:
        """Whether a condition holds statements that the threads of a warp do one after the other, all at once.

        Or a loop the steps of a tree.
        """
        if type(node).__name__ == "For":
            return halves(node) and any(
                find_array(s.lvalue) in self.shared & find_names(s.rvalue) for s in list_assignments(node.stmt)
            )
        if type(node).__name__ != "If" or not find_names(node.cond) & self.dependent:
            return False
        inside = [s for s in list_items(node.iftrue) if type(s).__name__ == "Assignment"]
        written = [find_array(s.lvalue) for s in inside]
        return any(written.count(w) > 1 for w in written if w in self.shared)

    def block_of(self, items: Sequence[Any], values: Mapping[str, int]) -> list[Any]:
        """Statements of whole blocks. values : whole numbers that are the same for all threads and known."""
        out: list[Any] = []
        run: list[Any] = []
        known = dict(values)

        def end() -> None:
            if run:
                out.extend(self.threads(run))
                run.clear()

        guards = len(self.guards)
        for item in items:
            kind = type(item).__name__
            summed = self.read_sum(item) if kind in ("Decl", "Assignment") else None
            if kind == "If" and item.iffalse is None and leaves(item.iftrue):
                if has_kind(item.cond, "ArrayRef", "FuncCall"):
                    raise NotWrittenError
                end()
                self.guards.append(negate(item.cond, self.ast))
            elif kind == "Decl" and self.declare(item, run, out):
                self.note_number(item, known)
            elif called(item) in BARRIERS:
                end()
            elif summed is not None:
                end()
                out += self.add_up(*summed)
            elif self.waits(item):
                end()
                out += self.control(item, known)
            else:
                run.append(item)
        end()
        del self.guards[guards:]
        return out

    def note_number(self, item: Any, known: dict[str, int]) -> None:
        """Remember the value of a whole number."""
        if (begun := read_begun(item)) and (number := fold(begun[1], {**self.known, **known})) is not None:
            known[begun[0]] = number

    def declare(self, item: Any, run: list[Any], out: list[Any]) -> bool:
        """Whether a declaration is dealt with: nothing of it is left in the run of threads."""
        name = str(item.name)
        if name in self.shared:
            declared = copy.copy(item)
            declared.storage = []
            self.declared.append(declared)
            return True
        if name in self.copied:
            return True
        if name in self.local:
            run.append(item)
            return True
        if name not in self.kept:
            out.append(item)
            return True
        kind = copy.deepcopy(item.type)
        for axis in self.axes[::-1]:
            kind = self.ast.ArrayDecl(kind, self.ast.Constant("int", str(self.block[AXES.index(axis)])), [])
        held = self.ast.Decl(name, [], [], [], [], kind, None, None, item.coord)
        strip_const(held.type)
        self.declared.append(held)
        if item.init is not None:
            if type(item.init).__name__ == "InitList":
                run += self.fill(item)
            else:
                if called(item.init) in WARP_NAMES | BLOCK_NAMES:
                    return False
                run.append(self.ast.Assignment("=", self.ast.ID(name, item.coord), item.init, item.coord))
        return True

    def fill(self, item: Any) -> list[Any]:
        """``float acc[4][4] = {0};`` as stores of its elements."""
        dims, kind = [], item.type
        while type(kind).__name__ == "ArrayDecl":
            size = fold(kind.dim, self.known)
            if size is None:
                raise NotWrittenError
            dims.append(size)
            kind = kind.type
        labels = [f"{item.name}__fill{n}" for n in range(len(dims))]
        place = self.ast.ID(str(item.name), item.coord)
        for label in labels:
            place = self.ast.ArrayRef(place, self.ast.ID(label, item.coord), item.coord)
        store: Any = self.ast.Assignment("=", place, self.ast.Constant("float", "0.0f"), item.coord)
        for label, size in zip(labels[::-1], dims[::-1], strict=True):
            store = self.count(label, size, [store], item.coord)
        return [store]

    def control(self, node: Any, known: Mapping[str, int]) -> list[Any]:
        """A loop, condition or block in which threads wait."""
        kind = type(node).__name__
        if kind == "Compound":
            return self.block_of(list_items(node), known)
        if kind == "If":
            return self.part(node, known)
        if kind == "While":
            node = self.count_halves(node, known)
            kind = type(node).__name__
        if kind != "For":
            raise NotWrittenError
        head = [h for h in (node.init, node.cond, node.next) if h is not None]
        if any(find_names(h) & self.dependent for h in head):
            raise NotWrittenError
        turns = list_turns(node, {**self.known, **known}, self.ast)
        if turns is not None:
            name, numbers = turns
            out: list[Any] = []
            tree = list_items(self.join_trees(node.stmt))
            for number in numbers:
                value = self.ast.Constant("int", str(number), node.coord)
                body = [rename_all(copy.deepcopy(s), {name: value}) for s in tree]
                out += self.block_of(body, {**known, name: number})
                self.statements += len(body)
                if self.statements > MOST_STATEMENTS:
                    raise NotWrittenError
            return out
        copied = copy.copy(node)
        copied.stmt = self.ast.Compound(self.block_of(list_items(node.stmt), known), node.coord)
        return [copied]

    def count_halves(self, node: Any, known: Mapping[str, int]) -> Any:
        """``while (s > 0) { ...; s /= 2; }`` as the loop that it is."""
        items = list_items(node.stmt)
        last = items[-1] if items else None
        name = str(getattr(getattr(last, "lvalue", None), "name", "")) if type(last).__name__ == "Assignment" else ""
        if name not in known or find_writes(self.ast.Compound(items[:-1], node.coord), name):
            raise NotWrittenError
        start = self.ast.Assignment(
            "=", self.ast.ID(name, node.coord), self.ast.Constant("int", str(known[name])), node.coord
        )
        return self.ast.For(start, node.cond, last, self.ast.Compound(items[:-1], node.coord), node.coord)

    def part(self, node: Any, known: Mapping[str, int]) -> list[Any]:
        """A condition in which threads wait."""
        if not find_names(node.cond) & self.dependent:
            copied = copy.copy(node)
            holds = fold(node.cond, {**self.known, **known})
            branches = [
                self.block_of(list_items(b), known) if b is not None else [] for b in (node.iftrue, node.iffalse)
            ]
            if holds is not None:
                return branches[0] if holds else branches[1]
            copied.iftrue = self.ast.Compound(branches[0], node.coord)
            copied.iffalse = self.ast.Compound(branches[1], node.coord) if branches[1] else None
            return [copied]
        if node.iffalse is not None:
            raise NotWrittenError
        self.guards.append(node.cond)
        items = list_items(node.iftrue)
        if self.is_locked(node) and not has_waits(node):
            items = list_items(self.join_trees(node.iftrue))
            out = [s for item in items for s in self.block_of([item], known)]
        else:
            out = self.block_of(items, known)
        self.guards.pop()
        return out

    # ---- threads ----

    def threads(self, run: Sequence[Any]) -> list[Any]:
        """Loops over the threads of a block around statements, or a loop that they share as it is."""
        coord = run[0].coord
        if len(run) == 1 and not self.guards and (shared := self.share(run[0])) is not None:
            return [shared]
        inside = [self.place(item) for item in self.stride(run)]
        guards = [self.place(g) for g in self.guards]
        names = set[str]().union(*(find_names(s) for s in (*inside, *guards)))
        for guard in guards[::-1]:
            inside = [self.ast.If(guard, self.ast.Compound(inside, coord), None, coord)]
        inside = [*self.repeat(names), *inside]
        for axis in self.axes[::-1]:
            inside = [self.count(f"{OF_THREADS}{axis}", self.block[AXES.index(axis)], inside, coord)]
        return inside

    def repeat(self, names: set[str]) -> list[Any]:
        """Declarations that some names need, in their order."""
        needed, new = set[str](), names & set(self.copied)
        while new:
            needed |= new
            new = {n for d in needed for n in find_names(self.copied[d].init)} & set(self.copied) - needed
        return [self.place(copy.deepcopy(d)) for n, d in self.copied.items() if n in needed]

    def place(self, node: Any) -> Any:
        """A statement in which what each thread keeps is an element."""

        def change(inside: Any) -> Any:
            if type(inside).__name__ != "ID" or str(inside.name) not in self.kept:
                return inside
            element = inside
            for axis in self.axes:
                element = self.ast.ArrayRef(element, name_thread(axis, inside.coord, self.ast), inside.coord)
            return element

        return map_plain(node, change)

    def count(self, name: str, size: int, inside: Sequence[Any], coord: Any) -> Any:
        """``for (int name = 0; name < size; name++)``."""
        counter = self.ast.ID(name, coord)
        kind = self.ast.TypeDecl(name, [], None, self.ast.IdentifierType(["int"]))
        init = self.ast.DeclList([self.ast.Decl(name, [], [], [], [], kind, zero(coord, self.ast), None, coord)], coord)
        ends = self.ast.BinaryOp("<", counter, self.ast.Constant("int", str(size), coord), coord)
        step = self.ast.UnaryOp("p++", counter, coord)
        return self.ast.For(init, ends, step, self.ast.Compound(list(inside), coord), coord)

    def share(self, node: Any) -> Any | None:
        """``for (i = threadIdx.x; i < n; i += blockDim.x)``, of which each turn is one thread's; None for others."""
        if type(node).__name__ != "For" or node.next is None:
            return None
        declared = type(node.init).__name__ == "DeclList" and len(node.init.decls) == 1
        begun = read_begun(node.init.decls[0] if declared else node.init)
        step = read_step(node.next, self.ast)
        if begun is None or step is None or step[0] != begun[0] or find_writes(node.stmt, begun[0]):
            return None
        threads = math.prod(self.block)
        if fold(self.resolve(step[1]), self.known) != threads or not self.is_flat(begun[1]):
            return None
        counters = {str(d.name) for d in list_declared(node)} | {begun[0]}
        inside = find_names(node.stmt) | find_names(node.cond)
        if inside & self.dependent - counters or inside & set(self.kept):
            return None
        copied, unit = copy.copy(node), self.ast.Constant("int", "1", node.coord)
        copied.init = copy.deepcopy(node.init)
        if declared:
            copied.init.decls[0].init = zero(node.coord, self.ast)
        else:
            copied.init.rvalue = zero(node.coord, self.ast)
        copied.next = self.ast.Assignment("+=", self.ast.ID(begun[0], node.coord), unit, node.coord)
        return copied

    def resolve(self, node: Any) -> Any:
        """An expression without the names that each loop repeats."""
        meaning = self.uniform | {n: d.init for n, d in self.copied.items()}
        for _ in range(len(meaning) + 1):
            names = find_names(node) & set(meaning)
            if not names:
                break
            node = rename_all(copy.deepcopy(node), {n: meaning[n] for n in names})
        return node

    def stride(self, items: Sequence[Any]) -> list[Any]:
        """Statements of a thread with loops that go on by many threads as loops over turns."""
        out: list[Any] = []
        starts: dict[str, Any] = {}
        for item in items:
            copied, kind = copy.copy(item), type(item).__name__
            for part in ("stmt", "iftrue", "iffalse"):
                inside = getattr(item, part, None)
                if inside is not None:
                    setattr(copied, part, self.ast.Compound(self.stride(list_items(inside)), item.coord))
            if kind == "Compound":
                copied = self.ast.Compound(self.stride(list_items(item)), item.coord)
            begun = read_begun(item)
            if begun is not None:
                starts[begun[0]] = begun[1]
            if kind == "While":
                copied = count_while(copied, self.ast) or copied
            out.append(self.count_turns(copied, starts) if type(copied).__name__ == "For" else copied)
        return out

    def count_turns(self, node: Any, starts: Mapping[str, Any]) -> Any:
        """``for (i = start; i < n; i += step)``, where threads start side by side, as a loop over its turns."""
        declared = type(node.init).__name__ == "DeclList" and len(node.init.decls) == 1
        begun = read_begun(node.init.decls[0] if declared else node.init)
        step = read_step(node.next, self.ast) if node.next is not None else None
        less = type(node.cond).__name__ == "BinaryOp" and node.cond.op == "<"
        if begun is None or step is None or step[0] != begun[0] or not less or find_writes(node.stmt, begun[0]):
            return node
        name, start, coord = begun[0], begun[1], node.coord
        if getattr(uncast(start), "name", "") == name:
            start = starts.get(name)
        by = fold(self.resolve(step[1]), self.known)
        if start is None or by is None or by < 2 or str(getattr(node.cond.left, "name", "")) != name:
            return node
        if not {"blockIdx"} & find_names(self.resolve(start)):
            return node
        end = fold(self.resolve(node.cond.right), self.known)
        if end is None or end < 1:
            return node
        turn = self.ast.ID(f"{name}__turn", coord)
        moved = self.ast.BinaryOp("*", self.ast.Constant("int", str(by), coord), turn, coord)
        place = self.ast.BinaryOp("+", start, moved, coord)
        body = [rename_all(copy.deepcopy(s), {name: place}) for s in list_items(node.stmt)]
        if end % by:
            inside = self.ast.BinaryOp("<", place, node.cond.right, coord)
            body = [self.ast.If(inside, self.ast.Compound(body, coord), None, coord)]
        return self.count(turn.name, -(-end // by), body, coord)

    def is_flat(self, node: Any) -> bool:
        """Whether an expression numbers the threads of a block, those along x first."""
        node = self.resolve(node)
        corners = [tuple(n - 1 for n in self.block), *(tuple(int(n > 1 and k == a) for k, n in enumerate(self.block))
                   for a in range(3)), (0, 0, 0)]  # fmt: skip
        for at in corners:
            values = {f"{OF_THREADS}{a}": n for a, n in zip(AXES, at, strict=True)}
            flat = at[0] + self.block[0] * (at[1] + self.block[1] * at[2])
            if any(fold(node, {**self.known, **values, OF_WARPS: w}) != flat for w in {0, self.warps - 1}):
                return False
        return True

    # ---- sums of threads ----

    def read_sum(self, node: Any) -> tuple[str, Any, Any] | None:
        """What ``v = __warp_sum(e)`` adds up and where it goes; None for other statements."""
        value = node.init if type(node).__name__ == "Decl" else node.rvalue if node.op == "=" else None
        value = uncast(value) if value is not None else None
        if value is None or called(value) not in WARP_NAMES | BLOCK_NAMES:
            return None
        target = self.ast.ID(str(node.name), node.coord) if type(node).__name__ == "Decl" else node.lvalue
        return called(value), target, value.args.exprs[0]

    def add_up(self, kind: str, target: Any, value: Any) -> list[Any]:
        """Loops that add up what the threads of each warp, or of the block, have, and give it to all of them."""
        threads, coord = math.prod(self.block), value.coord
        if self.axes != ["x"] or (kind in WARP_NAMES and threads % WARP):
            raise NotWrittenError
        width = WARP if kind in WARP_NAMES else threads
        self.made += 1
        total, warp, lane = (f"{n}__{self.made}" for n in ("total", "warp", "lane"))
        name = kind.rpartition("_")[2]

        def at(first: Any) -> Callable[[Any], Any]:
            place = first
            if width < threads:
                start = self.ast.BinaryOp("*", self.ast.Constant("int", str(width)), self.ast.ID(warp), coord)
                place = self.ast.BinaryOp("+", start, first, coord)
            return lambda node: rename_all(self.with_index(node), {f"{OF_THREADS}x": place})

        first, counter = at(zero(coord, self.ast)), at(self.ast.ID(lane, coord))
        real = self.ast.TypeDecl(total, [], None, self.ast.IdentifierType(["float"]))
        begins = self.ast.Decl(total, [], [], [], [], real, first(value), None, coord)
        sum_name = self.ast.ID(total, coord)
        step = self.ast.Assignment("=", sum_name, self.join(name, sum_name, counter(value)), coord)
        rest = self.count(lane, width, [step], coord)
        rest.init.decls[0].init = self.ast.Constant("int", "1", coord)
        give = self.count(lane, width, [self.ast.Assignment("=", counter(target), sum_name, coord)], coord)
        inside = [begins, rest, give]
        for guard in self.guards[::-1] if width < threads else ():
            # Warps that are not there add up nothing.
            inside = [self.ast.If(first(guard), self.ast.Compound(inside, coord), None, coord)]
        return [self.count(warp, threads // width, inside, coord)] if width < threads else inside

    def join(self, name: str, one: Any, other: Any) -> Any:
        """What a thread has, with what another one has."""
        both = self.ast.ExprList([one, other], one.coord)
        return self.ast.FuncCall(self.ast.ID(f"__joined_{name}", one.coord), both, one.coord)

    def join_trees(self, node: Any) -> Any:
        """A step of a tree, ``s[t] += s[t + 64]``, as what it is: no work on elements of arrays."""

        def change(inside: Any) -> Any:
            if type(inside).__name__ == "BinaryOp" and inside.op in ("<", ">", "<=", ">="):
                sides = [inside.left, inside.right][:: 1 if "<" in inside.op else -1]
                both = {find_array(uncast(s)) for s in sides}
                return self.join("less", *sides) if len(both) == 1 and both <= self.shared else inside
            if type(inside).__name__ != "Assignment" or type(inside.lvalue).__name__ != "ArrayRef":
                return inside
            value, name = inside.rvalue, "sum" if inside.op == "+=" else ""
            parts = [inside.lvalue, value] if name else list(value.args.exprs) if called(value) in LEAST else []
            name = name or LEAST.get(called(value), "")
            if type(value).__name__ == "BinaryOp" and value.op == "+" and inside.op == "=":
                parts, name = [value.left, value.right], "sum"
            same = {find_array(uncast(p)) for p in parts}
            if len(parts) != 2 or not name or same != {find_array(inside.lvalue)} or not same <= self.shared:
                return inside
            return self.ast.Assignment("=", inside.lvalue, self.join(name, *parts), inside.coord)

        return map_nodes(node, change)

    def with_index(self, node: Any) -> Any:
        """A value with everything that it is computed from spelled out by the counter of threads."""
        return self.place(self.resolve(copy.deepcopy(node)))


def negate(node: Any, ast: Any) -> Any:
    """The opposite of a condition on numbers."""
    opposite = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
    if type(node).__name__ == "BinaryOp" and node.op in opposite:
        return ast.BinaryOp(opposite[node.op], node.left, node.right, node.coord)
    if type(node).__name__ == "BinaryOp" and node.op == "||":
        return ast.BinaryOp("&&", negate(node.left, ast), negate(node.right, ast), node.coord)
    return ast.UnaryOp("!", node, node.coord)


def leaves(node: Any) -> bool:
    """Whether a statement only ends its thread."""
    items = list_items(node)
    return len(items) == 1 and type(items[0]).__name__ == "Return" and items[0].expr is None


def replace_body(function: Any, block: Sequence[int], ast: Any) -> Any:
    """A function with counters for its threads."""
    copied = copy.copy(function)
    copied.body = replace_threads(function.body, block, ast)
    return copied


def has_waits(node: Any) -> bool:
    """Whether a barrier, or a sum over threads, stands inside of a statement."""
    return bool(find_calls(node) & {*BARRIERS, *WARP_NAMES, *BLOCK_NAMES})


def find_array(node: Any) -> str:
    """The array that an element belongs to."""
    while type(node).__name__ == "ArrayRef":
        node = node.name
    return str(getattr(node, "name", ""))


def list_assignments(node: Any) -> list[Any]:
    """Assignments to elements inside of a statement."""
    itself = [node] if type(node).__name__ == "Assignment" and type(node.lvalue).__name__ == "ArrayRef" else []
    return [*itself, *(n for _, child in node.children() for n in list_assignments(child))]


def list_unary(node: Any) -> list[Any]:
    """Operations on one value inside an expression."""
    itself = [node] if type(node).__name__ == "UnaryOp" else []
    return [*itself, *(n for _, child in node.children() for n in list_unary(child))]


def is_whole(node: Any) -> bool:
    """Whether a declaration is of a whole number."""
    words = set(getattr(getattr(node.type, "type", None), "names", None) or ())
    return bool(words) and not words & {"float", "double", "half", "__half", "float2", "float4"}


def strip_const(node: Any) -> None:
    """Let what a declaration declares be changed."""
    while hasattr(node, "type"):
        if hasattr(node, "quals"):
            node.quals = []
        node = node.type


def map_plain(node: Any, change: Callable[[Any], Any]) -> Any:
    """A copy of a statement, names of members and functions as they are."""
    kind = type(node).__name__
    if kind == "ID":
        return change(node)
    own_name = {"StructRef": "field", "FuncCall": "name"}.get(kind)
    return copy_node(node, lambda inside: map_plain(inside, change), but=("type", own_name))
