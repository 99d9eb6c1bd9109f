r"""Nests of loops in a function of C as launches: turns of loops that do not wait for each other are threads.

A loop's turns are independent where what one turn leaves, no other one takes or leaves,

.. math:: W(t) \cap (R(u) \cup W(u)) = \emptyset \quad \forall t \neq u

W, R : elements that turns t and u write and read. Names and indices tell which loops may be so (:class:`LoopFacts`);
whether they are is seen where their turns run side by side (:mod:`.footprint_class`). Loops that only add up become
updates of memory, as threads make them; others stay loops of a thread, or of the host around several launches.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.emulated.calls import OWN
from roofcast_hull.emulated.kernel_text import TURNS, KernelText
from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_tree import called, find_names, has_kind, has_loop, list_items, uncast
from roofcast_hull.source.fixed_numbers import mark_fixed
from roofcast_hull.source.index_names import mark_indices, walk_nodes
from roofcast_hull.source.library_call import Staged
from roofcast_hull.source.loop_facts import LoopFacts, Update, count_steps, find_change, read_counter, read_header
from roofcast_hull.source.nest import SourceError, refuse
from roofcast_hull.source.nest_statements import Before, Statements, is_real, is_whole, line_of
from roofcast_hull.source.numbers_of_loops import count_turns, evaluate
from roofcast_hull.source.running_sums import find_running, read_sort
from roofcast_hull.source.untiled import join_tiles

WIDEST = {1: (256,), 2: (16, 16), 3: (16, 8, 1)}
"""Threads of a block along each axis, innermost first."""
NARROW = {1: (4,), 2: (4, 1), 3: (4, 1, 1)}
"""The same of nests whose turns do much."""
MOST_NUMBERS = 12
"""Of a file, beyond which those that no function holds are no sizes."""
MOST_NESTS = 12
"""Of one function."""
LARGEST_TRIANGLE = 4096
"""Turns of the loops around the innermost one of which turns are counted."""
LEAST_OF_BOX = 0.98
"""Share of a box of turns from which on it is no triangle."""
MOVES = ("++", "p++", "--", "p--")
MOST_OF_BLOCK = 512
"""Threads of a block that is made longer so that a grid has fewer."""
LONGEST_AXIS = 65535
"""Blocks along the second and third axis of a grid."""


@dataclass(frozen=True, slots=True)
class NestLaunch:
    """A nest of loops as a launch."""

    opened: KernelText
    line: int
    repetitions: int
    updated: frozenset[str]
    """Arrays and numbers that all of its threads add to."""
    steps: float
    """Statements of a thread."""
    turns: int = 0
    """Turns of a nest whose inner loops are as long as outer ones say, of a triangle; 0 for others."""
    serial: bool = False
    """Whether no loop inside of its turns has independent turns."""
    running: bool = False
    """Whether its turns are terms of a running sum."""
    order: tuple[str, Staged] | None = None
    """The array that a call puts in order instead."""
    made: frozenset[str] = frozenset()
    """Names of memory that the function makes itself, which holds a constant at first."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A loop of which each turn is a thread."""

    loop: Any
    name: str
    first: Any
    step: Any
    turns: int
    middle: int
    """Its counter half way."""
    changes: Mapping[str, Any]
    """Numbers and addresses that go on by as much in each turn."""


class Outliner(Statements):
    """Finds the nests of one function."""

    def __init__(self, tree: Any, function: Any, known: Mapping[str, int], allocated: Mapping[str, int]) -> None:
        super().__init__(tree, function, known, allocated)
        self.launches: list[NestLaunch] = []
        self.narrow, self.gathers = False, False

    def run(self, members: Sequence[Any] = (), *, narrow: bool = False, gathers: bool = False) -> list[NestLaunch]:
        """The nests of the function, in their order. members, narrow, gathers : see :func:`find_nests`.

        Raises
        ------
        SourceError : turns wait for each other, or numbers of turns are not known; with line and reason.
        """
        self.narrow, self.gathers = narrow, gathers
        self.read_file()
        for parameter in getattr(self.function.decl.type.args, "params", None) or ():
            if type(parameter).__name__ == "Decl" and parameter.name:
                self.declare_parameter(parameter)
        for member in members:
            self.declare_parameter(member)
        self.write_lengths([str(m.name) for m in members])
        self.walk(list_items(self.function.body), self.before, 0)
        if not self.launches:
            raise SourceError("no loop of it writes anything")
        return self.launches

    # Nests

    def walk_loop(self, node: Any, before: Before, depth: int) -> None:
        """A loop of the function: a nest, or one around several."""
        node = self.count_loop(node, before) or node
        facts = LoopFacts(node, self.functions, self.ast)
        if not facts.writes_arrays and not facts.assigned_outside:
            return
        if not facts.writes_arrays and not self.reads_arrays(node, before):
            # It makes numbers of numbers.
            self.forget(facts.assigned_outside, before)
            return
        joined = join_tiles(self.find_chain(node), before.known, self.ast)
        if joined is not node:
            node, facts = joined, LoopFacts(joined, self.functions, self.ast)
        chain = self.find_chain(node)
        kinds = [LoopFacts(loop, self.functions, self.ast).judge() for loop in chain]
        if len(chain) == 1 and kinds[0] != "adds" and self.run_on(node, before):
            return
        lanes = [k for k, kind in enumerate(kinds) if kind == "free"]
        adding = False
        if not lanes and "adds" in kinds and "waits" not in kinds[: kinds.index("adds") + 1]:
            lanes, adding = [k for k, kind in enumerate(kinds) if kind == "adds"], True
        if kinds[0] == "waits":
            self.repeat(node, before, depth)
            return
        if not lanes:
            raise refuse(line_of(node), "each turn of this loop waits for the one before")
        self.launch([c for k, c in enumerate(chain) if k in lanes], node, before, chain, adding=adding)

    def reads_arrays(self, node: Any, before: Before) -> bool:
        """Whether a loop asks for elements of arrays that are no constant tables, or calls functions that may."""
        tables = {
            str(d.name) for d in [*self.tree.ext, *before.statements, *walk_nodes(node)]
            if type(d).__name__ == "Decl" and type(d.type).__name__ == "ArrayDecl" and d.name not in before.parameters
        }  # fmt: skip
        for inside in walk_nodes(node):
            kind = type(inside).__name__
            if kind == "FuncCall" and called(inside) in self.functions:
                return True
            if kind == "ArrayRef" or (kind == "UnaryOp" and inside.op == "*"):
                root: Any = uncast(inside.name if kind == "ArrayRef" else inside.expr)
                while type(root).__name__ == "ArrayRef":
                    root = uncast(root.name)
                if type(root).__name__ != "ID" or str(root.name) not in tables:
                    return True
        return False

    def run_on(self, node: Any, before: Before) -> bool:
        """A loop whose turns go on from each other's sums; whether it is one."""
        terms = find_running(node, before.known, self.ast)
        if terms is None or LoopFacts(terms, self.functions, self.ast).judge() != "free":
            return False
        self.launch([terms], terms, before, [terms], adding=False)
        self.launches[-1] = replace(self.launches[-1], running=True)
        return True

    def put_in_order(self, node: Any, before: Before) -> None:
        """A call that puts an array in order.

        Raises
        ------
        SourceError : it is no whole array, or nothing says how many elements it has.
        """
        order = read_sort(node, before.parameters, before.known)
        if order is None:
            raise refuse(line_of(node), f"the call of '{called(node)}' is not followed")
        opened = KernelText(self.tree, self.function, {}, {}, {}, ())
        self.launches.append(NestLaunch(opened, line_of(node), before.repetitions, frozenset(), 0.0, order=order))

    def count_loop(self, node: Any, before: Before) -> Any | None:
        """``while (p != end)`` and ``while (n--)`` as a loop that counts its turns; None for others.

        What the condition asks of goes on by as much in each turn. ``do`` loops run once at least, as loops over arrays
        that hold something do.
        """
        if read_header(node, self.ast) is not None or node.cond is None:
            return None
        cond, items = node.cond, list_items(node.stmt)
        last = type(node).__name__ == "DoWhile"
        if last and any(n.op in ("p++", "p--") for n in walk_nodes(cond) if type(n).__name__ == "UnaryOp"):
            return None
        if type(node).__name__ == "For":
            begun = node.init.decls if type(node.init).__name__ == "DeclList" else [node.init] if node.init else []
            if has_kind(node.stmt, "Continue") or len(begun) > 1:
                return None
            self.walk(begun, before, 0)
            items = [*items, *(node.next.exprs if type(node.next).__name__ == "ExprList" else [node.next])]
        for moved in [n for n in walk_nodes(cond) if type(n).__name__ == "UnaryOp" and n.op in MOVES]:
            step = self.ast.UnaryOp(moved.op, moved.expr, cond.coord)
            items = [*items, step] if last else [step, *items]
            if last:
                cond = replace_node(cond, moved, moved.expr)
                continue
            early = self.ast.BinaryOp(moved.op[0], moved.expr, self.ast.Constant("int", "1", cond.coord), cond.coord)
            cond = replace_node(cond, moved, moved.expr if moved.op.startswith("p") else early)
        body = self.ast.Compound([i for i in items if i is not None], node.coord)
        places = self.find_places(before, find_names(cond))
        for name in find_names(cond) & set(places):
            parts = find_change(body, name, before.known, self.ast)
            by = [evaluate(s, before.known) for _, s in parts or ()]
            if not by or None in by:
                continue
            gap = sum(t * b for (t, _), b in zip(parts or (), by, strict=True) if b is not None)
            first, moves = (self.ast.Constant("int", str(v), node.coord) for v in (places[name], gap))
            turns = count_turns(cond, name, first, moves, places)
            if turns:
                self.made += 1
                counter = f"turn__{self.made}"
                many = self.ast.Constant("int", str(turns), node.coord)
                begin = self.ast.DeclList([self.whole(counter, self.ast.Constant("int", "0", node.coord))], node.coord)
                place = self.ast.ID(counter, node.coord)
                return self.ast.For(
                    begin, self.ast.BinaryOp("<", place, many, node.coord),
                    self.ast.UnaryOp("p++", place, node.coord), body, node.coord,
                )  # fmt: skip
        return None

    def find_places(self, before: Before, names: set[str]) -> dict[str, int]:
        """Whole numbers, and how far addresses of one array are from each other."""
        declared = {str(s.name): s for s in before.statements if type(s).__name__ == "Decl"}
        places, roots = dict(before.known), set[str]()
        for name in names - set(before.known):
            node, offset = self.ast.ID(name), 0
            while type(node).__name__ in ("ID", "BinaryOp"):
                if type(node).__name__ == "BinaryOp":
                    further = evaluate(node.right, before.known)
                    if node.op not in "+-" or further is None:
                        return places
                    offset, node = offset + (further if node.op == "+" else -further), uncast(node.left)
                elif str(node.name) in declared and declared[str(node.name)].init is not None:
                    node = uncast(declared[str(node.name)].init)
                else:
                    break
            roots.add(str(getattr(node, "name", "")))
            places[name] = offset
        return places if len(roots) <= 1 else dict(before.known)

    def repeat(self, node: Any, before: Before, depth: int) -> None:
        """A loop of the host around nests: they run with its counter half way."""
        if not any(has_loop(s) or self.calls_loop(s) for s in list_items(node.stmt)):
            raise refuse(line_of(node), "each turn of this loop waits for the one before")
        header = read_header(node, self.ast)
        inside = before.branch()
        if header is None:
            raise refuse(line_of(node), "how often this loop runs is not known")
        name, first, step = header
        turns = count_turns(node.cond, name, first, step, before.known)
        if turns is None or turns < 1:
            raise refuse(line_of(node), "how often this loop runs is not known")
        low, by = evaluate(first, before.known), evaluate(step, before.known)
        assert low is not None
        assert by is not None
        value = low + by * (turns // 2)
        inside.known[name] = value
        inside.statements.append(self.whole(name, self.ast.Constant("int", str(value), node.coord)))
        facts = LoopFacts(node, self.functions, self.ast)
        self.refuse_lost(node, facts)
        self.forget({n for n in facts.assigned if n != name}, inside)
        inside.repetitions *= turns
        self.walk(list_items(node.stmt), inside, depth)
        self.forget(set(facts.assigned), before)

    def refuse_lost(self, node: Any, facts: LoopFacts) -> None:
        """Refuse a loop around nests that only add up, whose turns store what these found: that would be lost.

        Raises
        ------
        SourceError : it is one.
        """
        loops = [n for n in walk_nodes(node.stmt) if type(n).__name__ in ("For", "While", "DoWhile")]
        in_loops = {id(n) for loop in loops for n in walk_nodes(loop)}
        outside = [w for w in facts.writes if w.root not in facts.declared]
        if outside and not any(id(w.node) in in_loops for w in outside) and not self.calls_loop(node.stmt):
            raise refuse(line_of(node), "each turn of this loop waits for the one before")

    def find_chain(self, node: Any) -> list[Any]:
        """Loops that hold nothing but each other and whole numbers, outermost first."""
        chain = [node]
        while True:
            items = [
                i for i in list_items(chain[-1].stmt)
                if type(i).__name__ not in ("EmptyStatement", "Pragma") and not is_plain_name(i)
            ]  # fmt: skip
            if len(items) != 1 or type(items[0]).__name__ not in ("For", "Compound"):
                return chain
            inner = items[0]
            while type(inner).__name__ == "Compound" and len(list_items(inner)) == 1:
                inner = list_items(inner)[0]
            if type(inner).__name__ != "For" or read_header(inner, self.ast) is None:
                return chain
            chain.append(inner)

    def launch(
        self, lanes: Sequence[Any], node: Any, before: Before, chain: Sequence[Any], *, adding: bool
    ) -> None:  # fmt: skip
        """A nest as a kernel, with a thread for each turn of some of its loops."""
        if len(self.launches) >= MOST_NESTS:
            raise refuse(line_of(node), f"more than {MOST_NESTS} nests")
        axes = self.find_axes(lanes, before, chain)
        facts = LoopFacts(node, self.functions, self.ast)
        updates = facts.find_updates(lanes) if adding else []
        sums = {u.name for u in updates if u.is_number}
        gathered = self.gather(chain, updates, before) if self.gathers else ([], [], [])
        body = self.build_body(chain, axes, updates, gathered)
        parameters, allocated = dict(before.parameters), dict(before.allocated)
        for name in sums:
            parameters[name], allocated[name] = self.point_to(name, node, before), 1
        dealt = self.find_dealt(body, lanes, before)
        parameters |= dealt
        used = find_names(body) | {n for s in before.statements for n in find_names(s)}
        used |= self.find_outside(used)
        listed = []
        for name, declared in parameters.items():
            if name in used or any(u.startswith(f"{name}.") for u in used):
                plain, count = self.size_array(declared, before.known)
                if count:
                    allocated[name] = count
                listed.append(plain)
        statements = [s for s in before.statements if getattr(s, "name", None) not in sums | set(dealt)]
        whole_body = self.ast.Compound([*statements, *list_items(body)], node.coord)
        self.append(node, whole_body, listed, before, allocated, axes, frozenset(u.name for u in updates))
        inner = [n for n in walk_nodes(lanes[-1].stmt) if type(n).__name__ == "For"]
        serial = len(lanes) == 1 and all(LoopFacts(n, self.functions, self.ast).judge() == "waits" for n in inner)
        self.launches[-1] = replace(self.launches[-1], serial=serial)
        self.forget(facts.assigned_outside, before)

    def find_dealt(self, body: Any, lanes: Sequence[Any], before: Before) -> dict[str, Any]:
        """Tables of numbers with a fraction of which turns take elements of their own: arrays as all others."""
        tables = {
            str(d.name): d for d in [*self.tree.ext, *before.statements]
            if type(d).__name__ == "Decl" and type(d.type).__name__ == "ArrayDecl" and d.init is not None
            and is_real(find_element(d.type))
        }  # fmt: skip
        follows = [LoopFacts(loop, self.functions, self.ast).follow(str(read_counter(loop)))[0] for loop in lanes]
        derived, places = set[str]().union(*follows), dict[str, list[bool]]()
        for node in walk_nodes(body):
            root, names = node, set[str]()
            while type(root).__name__ == "ArrayRef":
                names |= find_names(root.subscript)
                root = uncast(root.name)
            if type(node).__name__ == "ArrayRef" and getattr(root, "name", None) in tables:
                places.setdefault(str(root.name), []).append(bool(names & derived))
        dealt = {n: copy.copy(tables[n]) for n, several in places.items() if any(several)}
        for declared in dealt.values():
            declared.init, declared.storage, declared.quals = None, [], []
        return dealt

    def find_axes(self, lanes: Sequence[Any], before: Before, chain: Sequence[Any]) -> list[Axis]:
        """Loops of which each turn is a thread, outermost first.

        Raises
        ------
        SourceError : how often one runs is not known.
        """
        known, axes = dict(before.known), list[Axis]()
        for loop in chain:
            header = read_header(loop, self.ast)
            if header is None:
                raise refuse(line_of(loop), "how often this loop runs is not known")
            if loop not in lanes:
                continue
            name, first, step = header
            turns, middle = self.count_most(loop, header, known, axes)
            known[name] = middle
            for item in list_items(loop.stmt):
                if is_plain_name(item) and (number := evaluate(item.init, known)) is not None:
                    known[str(item.name)] = number
            axes.append(Axis(loop, name, first, step, turns, middle, self.find_changes(loop, name, known)))
        return axes

    def find_changes(self, loop: Any, counter: str, known: Mapping[str, int]) -> dict[str, Any]:
        """Numbers and addresses that each turn of a loop moves by as much, and how far."""
        changes = dict[str, Any]()
        for name in LoopFacts(loop, self.functions, self.ast).find_moving(counter):
            parts = find_change(loop.stmt, name, known, self.ast)
            if not parts:
                continue
            total: Any = None
            for factor, step in parts:
                times = self.ast.Constant("int", str(factor), loop.coord)
                part = self.ast.BinaryOp("*", times, step, loop.coord) if factor != 1 else step
                total = part if total is None else self.ast.BinaryOp("+", total, part, loop.coord)
            changes[name] = total
        return changes

    def point_to(self, name: str, node: Any, before: Before) -> Any:
        """A number that all threads add to as an address that they are given."""
        declared = before.parameters.get(name)
        if declared is None:
            declared = next((d for d in before.statements if getattr(d, "name", "") == name), None)
        if declared is None or type(declared.type).__name__ != "TypeDecl":
            raise refuse(line_of(node), f"what '{one_line(name, 40)}' is declared as is not followed")
        pointer = copy.copy(declared)
        pointer.init = None
        pointer.type = self.ast.PtrDecl([], declared.type, declared.coord)
        return pointer

    def find_outside(self, names: set[str]) -> set[str]:
        """What functions name that are called by some of these names, and those that they call."""
        reached, waiting = set[str](), names & set(self.functions)
        outside = set[str]()
        while waiting:
            function = waiting.pop()
            reached.add(function)
            outside |= find_names(self.functions[function].body)
            waiting |= outside & set(self.functions) - reached
        return outside

    def append(
        self, node: Any, body: Any, listed: list[Any], before: Before,
        allocated: Mapping[str, int], axes: Sequence[Axis], updated: frozenset[str],
    ) -> None:  # fmt: skip
        """Record a launch."""
        grid, block = self.shape([a.turns for a in axes])
        name = f"{self.function.decl.name}_{len(self.launches)}"
        void = self.ast.TypeDecl(name, [], None, self.ast.IdentifierType(["void"]))
        kind = self.ast.FuncDecl(self.ast.ParamList(listed, node.coord), void, node.coord)
        declaration = self.ast.Decl(name, [], [], [], [], kind, None, None, node.coord)
        kernel = self.ast.FuncDef(declaration, None, body, node.coord)
        tree = copy.copy(self.tree)
        names = {str(p.name) for p in listed}
        tree.ext = [*(i for i in self.tree.ext if i is not self.function and not is_listed(i, names)), kernel]
        tree = mark_fixed(mark_indices(tree))
        sizes = {n: v for n, v in before.known.items() if n in names or n not in before.parameters}
        sizes = self.leave_out(sizes) | {f"{TURNS}{a.name}": a.turns for a in axes}
        sizes |= {f"gridDim.{a}": n for a, n in zip("xyz", grid, strict=True)}
        sizes |= {f"blockDim.{a}": n for a, n in zip("xyz", block, strict=True)}
        held = {n: v for n, v in allocated.items() if n in names or n.partition(".")[0] in names}
        opened = KernelText(tree, kernel, sizes, held, {}, tuple(before.notes), of_nest=True)
        steps = count_steps(body, {**sizes, **{a.name: a.middle for a in axes}}, self.ast)
        turns = self.count_triangle(axes, before.known)
        self.launches.append(NestLaunch(opened, line_of(node), before.repetitions, updated, steps, turns))

    def count_triangle(self, axes: Sequence[Axis], known: Mapping[str, int]) -> int:
        """Turns of loops of which inner ones are as long as outer ones say; 0 where none is, or that is not known."""
        names = {a.name for a in axes}
        if not any((find_names(a.loop.cond) | find_names(a.first)) & names - {a.name} for a in axes[1:]):
            return 0
        many = int(LARGEST_TRIANGLE ** (1 / max(1, len(axes) - 1)))

        def count(rest: Sequence[Axis], inside: Mapping[str, int]) -> float | None:
            turns = count_turns(rest[0].loop.cond, rest[0].name, rest[0].first, rest[0].step, inside)
            first, step = evaluate(rest[0].first, inside), evaluate(rest[0].step, inside)
            if turns is None or first is None or step is None or len(rest) == 1:
                return turns
            # Of many turns those in the middle of equal parts: bounds are sums of counters.
            parts = min(turns, many)
            at = [(2 * k + 1) * turns // (2 * parts) for k in range(parts)]
            counts = [count(rest[1:], {**inside, rest[0].name: first + step * k}) for k in at]
            return None if None in counts else sum(c for c in counts if c is not None) * turns / max(1, parts)

        exact = count(axes, known)
        return round(exact) if exact and exact < LEAST_OF_BOX * math.prod(a.turns for a in axes) else 0

    def leave_out(self, known: Mapping[str, int]) -> dict[str, int]:
        """Numbers without those that functions do not hold, where there are many."""
        if len(set(known.values())) <= MOST_NUMBERS:
            return dict(known)
        bodies = [f for f in self.functions.values() if str(f.decl.name) != "main"]
        names = set[str]().union(*(find_names(f) for f in bodies))
        literals = {str(n.value) for f in bodies for n in walk_nodes(f) if type(n).__name__ == "Constant"}
        return {n: v for n, v in known.items() if n in names or str(v) in literals}

    def size_array(self, declared: Any, known: Mapping[str, int]) -> tuple[Any, int]:
        """A parameter with its dimensions as numbers, and its elements where these are known."""
        plain, dims, kind = copy.copy(declared), list[int | None](), self.open_type(declared.type)
        pointed = type(kind).__name__ == "PtrDecl"
        kind = kind.type if pointed else kind
        if type(kind).__name__ != "ArrayDecl":
            return plain, 0
        levels = []
        while type(kind).__name__ == "ArrayDecl":
            size = evaluate(kind.dim, known) if kind.dim is not None else None
            dims.append(size)
            levels.append(kind)
            kind = kind.type
        rebuilt: Any = kind
        for level, size in zip(reversed(levels), reversed(dims), strict=True):
            dim = level.dim if size is None else self.ast.Constant("int", str(size), declared.coord)
            rebuilt = self.ast.ArrayDecl(rebuilt, dim, [], declared.coord)
        plain.type = self.ast.PtrDecl([], rebuilt, declared.coord) if pointed else rebuilt
        return plain, 0 if pointed or None in dims else math.prod(d for d in dims if d is not None)

    def open_type(self, kind: Any) -> Any:
        """A type with the names of array types written out."""
        if type(kind).__name__ in ("PtrDecl", "ArrayDecl"):
            copied = copy.copy(kind)
            copied.type = self.open_type(kind.type)
            return copied
        names = list(getattr(getattr(kind, "type", None), "names", ()) or ())
        defined = {
            str(d.name): d.type for d in self.tree.ext
            if type(d).__name__ == "Typedef" and type(d.type).__name__ == "ArrayDecl"
        }  # fmt: skip
        named = [n for n in names if n in defined]
        return defined[named[0]] if named else kind

    def count_most(
        self, loop: Any, header: tuple[str, Any, Any], known: Mapping[str, int], axes: Sequence[Axis]
    ) -> tuple[int, int]:
        """Turns of a loop, the most where loops around it say how many; and its counter half way.

        Raises
        ------
        SourceError : they are not known.
        """
        name, first, step = header
        outer = {a.name: a for a in axes}
        asked = (find_names(loop.cond) | find_names(first)) & set(outer)
        most, low = 0, 0
        ways: list[dict[str, int]] = [dict(known)]
        for other in asked:
            start, by = evaluate(outer[other].first, known), evaluate(outer[other].step, known)
            if start is None or by is None:
                continue
            last = start + by * (outer[other].turns - 1)
            ways = [{**w, other: v} for w in ways for v in (start, last)]
        for way in ways:
            turns = count_turns(loop.cond, name, first, step, way)
            start, by = evaluate(first, way), evaluate(step, way)
            if turns is None or start is None or by is None:
                raise refuse(line_of(loop), "how often this loop runs is not known")
            if turns > most:
                most, low = turns, start + by * (turns // 2)
        if most < 1:
            raise refuse(line_of(loop), "this loop never runs")
        return most, low

    def shape(self, turns: Sequence[int]) -> tuple[list[int], list[int]]:
        """Blocks and threads along each axis. turns : of each loop, outermost first."""
        wide = (NARROW if self.narrow else WIDEST)[min(3, len(turns))]
        innermost = list(reversed(turns))
        axes = [*innermost[:2], math.prod(innermost[2:])] if len(turns) > 2 else innermost
        axes += [1] * (3 - len(axes))
        block = [fit_block(n, w) for n, w in zip(axes, (*wide, 1, 1), strict=False)]
        while -(-axes[1] // block[1]) > LONGEST_AXIS and math.prod(block) < MOST_OF_BLOCK:
            block[1] *= 2
        grid = [-(-n // b) for n, b in zip(axes, block, strict=True)]
        if max(grid[1:]) > LONGEST_AXIS:
            raise SourceError("its loops have more turns than a grid has blocks")
        return grid, block

    def gather(
        self, chain: Sequence[Any], updates: Sequence[Update], before: Before
    ) -> tuple[list[Any], list[Any], list[Update]]:
        """Sums of a turn's own for numbers that its inner loops add to: declarations, what adds them, the updates."""
        inner = [n for i in list_items(chain[-1].stmt) for n in walk_nodes(i) if type(n).__name__ == "For"]
        inside = {id(n) for loop in inner for n in walk_nodes(loop)}
        mine = [
            u for u in updates
            if u.is_number and u.atomic in ("atomicAdd", "atomicSub") and any(
                id(v.node) in inside for v in updates if v.name == u.name
            )
        ]  # fmt: skip
        first, last = list[Any](), list[Any]()
        for name in dict.fromkeys(u.name for u in mine):
            update = next(u for u in mine if u.name == name)
            pointer = self.point_to(name, update.node, before)
            kind, coord = copy.copy(pointer.type.type), update.node.coord
            kind.declname = f"{name}{OWN}"
            first.append(self.ast.Decl(kind.declname, [], [], [], [], kind, self.ast.Constant("int", "0", coord), None))
            place = self.ast.UnaryOp("&", self.ast.ArrayRef(update.place, self.ast.Constant("int", "0", coord)), coord)
            arguments = self.ast.ExprList([place, self.ast.ID(kind.declname, coord)], coord)
            last.append(self.ast.FuncCall(self.ast.ID("atomicAdd", coord), arguments, coord))
        return first, last, mine

    def build_body(
        self, chain: Sequence[Any], axes: Sequence[Axis], updates: Sequence[Update],
        gathered: tuple[Sequence[Any], Sequence[Any], Sequence[Update]],
    ) -> Any:  # fmt: skip
        """The statements of a thread. gathered : see :meth:`gather`."""
        first, last, mine = gathered
        left = [u for u in updates if u not in mine]
        statement = [
            rewrite_updates(rewrite_gathered(i, mine, self.ast), left, self.ast) for i in list_items(chain[-1].stmt)
        ]
        statement = [*first, *statement, *last]
        waits, places = False, self.place_axes(axes)
        lanes = {id(a.loop): a for a in axes}
        for loop in reversed(chain):
            numbers = [i for i in list_items(loop.stmt) if is_plain_name(i)] if loop is not chain[-1] else []
            statement = [*numbers, *statement]
            axis = lanes.get(id(loop))
            if axis is None:
                waits = waits or has_kind(self.ast.Compound(statement), "Continue")
                copied = copy.copy(loop)
                copied.stmt = self.ast.Compound(statement, loop.coord)
                statement = [copied]
                continue
            if not waits:
                statement = [end_turns(i, self.ast) for i in statement]
            turn, coord = places[axis.name], loop.coord
            value = self.ast.BinaryOp("+", axis.first, self.ast.BinaryOp("*", axis.step, turn, coord), coord)
            moves = [
                self.ast.Assignment("+=", self.ast.ID(n, coord), self.ast.BinaryOp("*", turn, by, coord), coord)
                for n, by in axis.changes.items()
            ]
            guarded = self.ast.If(loop.cond, self.ast.Compound(statement, coord), None, coord)
            statement = [self.whole(axis.name, value), *moves, guarded]
        return self.ast.Compound(statement, chain[0].coord)

    def place_axes(self, axes: Sequence[Axis]) -> dict[str, Any]:
        """The turn of each loop that a thread takes: along x the innermost, along y the next, along z all others."""
        innermost = list(reversed(axes))
        places = {a.name: self.index(axis) for a, axis in zip(innermost[:2], "xy", strict=False)}
        before = 1
        for a in innermost[2:]:
            turn = self.index("z")
            if before > 1:
                turn = self.ast.BinaryOp("/", turn, self.ast.Constant("int", str(before), turn.coord), turn.coord)
            if a is not innermost[-1]:
                turn = self.ast.BinaryOp("%", turn, self.ast.Constant("int", str(a.turns), turn.coord), turn.coord)
            places[a.name] = turn
            before *= a.turns
        return places

    def index(self, axis: str) -> Any:
        """``blockIdx.x * blockDim.x + threadIdx.x``."""
        block, threads, thread = (
            self.ast.StructRef(self.ast.ID(n), ".", self.ast.ID(axis)) for n in ("blockIdx", "blockDim", "threadIdx")
        )
        return self.ast.BinaryOp("+", self.ast.BinaryOp("*", block, threads), thread)


def rewrite_updates(node: Any, updates: Sequence[Update], ast: Any) -> Any:
    """A statement with what all threads add to as updates of memory."""
    known = {id(u.node): u for u in updates}

    def walk(inside: Any) -> Any:
        update = known.get(id(inside))
        if update is None:
            return copy_node(inside, walk)
        place = update.place
        if update.is_number:
            place = ast.ArrayRef(place, ast.Constant("int", "0", inside.coord), inside.coord)
        arguments = ast.ExprList([ast.UnaryOp("&", place, inside.coord), update.value], inside.coord)
        return ast.FuncCall(ast.ID(update.atomic, inside.coord), arguments, inside.coord)

    return walk(node)


def rewrite_gathered(node: Any, updates: Sequence[Update], ast: Any) -> Any:
    """A statement that adds to a sum of the turn's own."""
    known = {id(u.node): u for u in updates}

    def walk(inside: Any) -> Any:
        update = known.get(id(inside))
        if update is None:
            return inside if id(inside) in untouched else copy_node(inside, walk)
        sign = "+=" if update.atomic == "atomicAdd" else "-="
        return ast.Assignment(sign, ast.ID(f"{update.name}{OWN}", inside.coord), update.value, inside.coord)

    # What holds no such statement stays what it is: others are told by their nodes.
    untouched = {id(n) for n in walk_nodes(node) if not any(id(m) in known for m in walk_nodes(n))}
    return walk(node)


def replace_node(node: Any, old: Any, new: Any) -> Any:
    """A copy of a tree with another node in place of one."""
    return new if node is old else copy_node(node, lambda inside: replace_node(inside, old, new))


def end_turns(node: Any, ast: Any) -> Any:
    """A statement of a thread whose turn of a loop ends where it said so."""
    kind = type(node).__name__
    if kind == "Continue":
        return ast.Return(None, node.coord)
    if kind in ("For", "While", "DoWhile"):
        return node
    return copy_node(node, lambda inside: end_turns(inside, ast))


def is_plain_name(node: Any) -> bool:
    """Whether a statement only names a whole number, an address or an element, and computes nothing of data."""
    kind = type(getattr(node, "type", None)).__name__
    if type(node).__name__ != "Decl" or kind not in ("TypeDecl", "PtrDecl") or node.init is None:
        return False
    inside = list(walk_nodes(node.init))
    if any(type(n).__name__ in ("FuncCall", "Assignment", "TernaryOp", "InitList") for n in inside):
        return False
    if any(type(n).__name__ == "UnaryOp" and n.op in ("p++", "++", "--", "p--") for n in inside):
        return False
    loads = any(type(n).__name__ == "ArrayRef" or (type(n).__name__ == "UnaryOp" and n.op == "*") for n in inside)
    if kind == "TypeDecl" and is_whole(node.type) and not loads:
        return True
    return kind == "PtrDecl" or type(uncast(node.init)).__name__ in ("ArrayRef", "ID", "Constant")


def is_listed(node: Any, names: set[str]) -> bool:
    """Whether a nest is given what a file declares."""
    return type(node).__name__ == "Decl" and str(node.name) in names


def find_element(kind: Any) -> Any:
    """The type of the elements of an array."""
    while type(kind).__name__ == "ArrayDecl":
        kind = kind.type
    return kind


def fit_block(turns: int, wide: int) -> int:
    """Threads along an axis: as many as divide its turns, where some near do."""
    divisors = [d for d in range(max(1, wide // 4), 2 * wide + 1) if turns % d == 0]
    return min(divisors, key=lambda d: abs(math.log(d / wide))) if divisors else min(wide, turns)


def find_nests(
    tree: Any, function: Any, known: Mapping[str, int], allocated: Mapping[str, int], members: Sequence[Any] = (), *,
    narrow: bool = False, gathers: bool = False,
) -> list[NestLaunch]:  # fmt: skip
    """The nests of a function as launches, in the order of its code.

    members : further names that it is given. narrow : whether blocks have few turns. gathers : whether a turn adds up
    what its inner loops add to a number before it adds that.

    Raises
    ------
    SourceError : turns wait for each other, or how many there are is not known; with line and reason.
    """
    return Outliner(tree, function, known, allocated).run(members, narrow=narrow, gathers=gathers)
