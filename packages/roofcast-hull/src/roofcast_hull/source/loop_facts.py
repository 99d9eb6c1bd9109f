"""What names and indices say of a loop: whether its turns may be independent, only add up, or wait for each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roofcast_hull.source.c_idioms import REFERENCE
from roofcast_hull.source.c_statements import read_step
from roofcast_hull.source.c_tree import are_alike, called, find_names, find_terms, list_items, uncast
from roofcast_hull.source.index_names import walk_nodes
from roofcast_hull.source.numbers_of_loops import count_turns, evaluate

ADDED = {"+=": "atomicAdd", "-=": "atomicSub", "|=": "atomicOr", "&=": "atomicAnd", "^=": "atomicXor"}
"""Assignments that add to what is there, and the update of memory that does the same."""
ATOMICS = {"+": "atomicAdd", "-": "atomicSub", "|": "atomicOr", "&": "atomicAnd", "^": "atomicXor"}
EXTREMES = {
    "fmax": "atomicMax", "fmaxf": "atomicMax", "max": "atomicMax", "MAX": "atomicMax", "fmin": "atomicMin",
    "fminf": "atomicMin", "min": "atomicMin", "MIN": "atomicMin",
}  # fmt: skip
REAL = frozenset(["float", "double", "half", "__half", "_Float16"])
MOST_PASSES = 6
"""Assignments of names from each other that are followed."""


@dataclass(frozen=True, slots=True)
class Update:
    """A statement that adds to what is there."""

    name: str
    """The array, or the number."""
    node: Any
    place: Any
    value: Any
    atomic: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class Write:
    """A statement that writes an element."""

    root: str
    names: frozenset[str]
    """Of its indices."""
    chosen: bool
    """Whether an array's element says which."""
    node: Any
    update: Update | None


def read_update(node: Any, ast: Any) -> tuple[Any, Any, str] | None:
    """(place, value, atomic) of a statement that adds to what is there; None for others."""
    kind = type(node).__name__
    if kind == "UnaryOp" and node.op in ("++", "p++", "--", "p--"):
        sign = "atomicAdd" if "+" in node.op else "atomicSub"
        return node.expr, ast.Constant("int", "1", node.coord), sign
    if kind == "If" and node.iffalse is None:
        return read_guarded(node)
    if kind != "Assignment":
        return None
    if node.op in ADDED:
        return node.lvalue, node.rvalue, ADDED[node.op]
    return read_joined(node, uncast(node.rvalue)) if node.op == "=" else None


def read_joined(node: Any, value: Any) -> tuple[Any, Any, str] | None:
    """``s = s + e``, ``s = fmax(s, e)``, ``s = e > s ? e : s``."""
    if type(value).__name__ == "TernaryOp":
        return read_choice(node.lvalue, value)
    if called(value) in EXTREMES and value.args and len(value.args.exprs) == 2:
        pair, atomic = [uncast(e) for e in value.args.exprs], EXTREMES[called(value)]
    elif type(value).__name__ == "BinaryOp" and value.op in ATOMICS:
        pair, atomic = [value.left, value.right], ATOMICS[value.op]
    else:
        return None
    if are_alike(pair[0], node.lvalue):
        return node.lvalue, pair[1], atomic
    if atomic != "atomicSub" and are_alike(pair[1], node.lvalue):
        return node.lvalue, pair[0], atomic
    return read_chain(node, value) if type(value).__name__ == "BinaryOp" else None


def read_chain(node: Any, value: Any) -> tuple[Any, Any, str] | None:
    """``s = s + a + b``: what is added is the rest of the chain."""
    terms = find_terms(value, ("+", "-"), True)
    mine = [k for k, (t, plus) in enumerate(terms) if plus and are_alike(t, node.lvalue)]
    if len(mine) != 1 or len(terms) < 2:
        return None
    rest = [t for k, t in enumerate(terms) if k != mine[0]]
    whole = rest[0][0]
    kind = type(value)
    for term, plus in rest[1:]:
        whole = kind("+" if plus else "-", whole, term, node.coord)
    return node.lvalue, whole, "atomicAdd"


def read_choice(place: Any, value: Any) -> tuple[Any, Any, str] | None:
    """``s = e > s ? e : s``."""
    cond = uncast(value.cond)
    if type(cond).__name__ != "BinaryOp" or cond.op not in ("<", "<=", ">", ">="):
        return None
    yes, no = uncast(value.iftrue), uncast(value.iffalse)
    if are_alike(yes, place):
        taken, stays = no, yes
    elif are_alike(no, place):
        taken, stays = yes, no
    else:
        return None
    if not (
        (are_alike(cond.left, taken) and are_alike(cond.right, stays))
        or (are_alike(cond.left, stays) and are_alike(cond.right, taken))
    ):
        return None
    greater = cond.op in (">", ">=")
    return place, taken, "atomicMax" if are_alike(cond.left, yes) == greater else "atomicMin"


def read_guarded(node: Any) -> tuple[Any, Any, str] | None:
    """``if (e > s) s = e;``."""
    items, cond = list_items(node.iftrue), uncast(node.cond)
    if len(items) != 1 or type(items[0]).__name__ != "Assignment" or items[0].op != "=":
        return None
    place, value = items[0].lvalue, items[0].rvalue
    if type(cond).__name__ != "BinaryOp" or cond.op not in ("<", "<=", ">", ">="):
        return None
    larger = cond.op in (">", ">=")
    if are_alike(cond.left, value) and are_alike(cond.right, place):
        return place, value, "atomicMax" if larger else "atomicMin"
    if are_alike(cond.right, value) and are_alike(cond.left, place):
        return place, value, "atomicMin" if larger else "atomicMax"
    return None


def find_declared(node: Any) -> set[str]:
    """Names that are declared inside of a node."""
    return {str(n.name) for n in walk_nodes(node) if type(n).__name__ == "Decl" and n.name}


class LoopFacts:
    """What is written inside of a statement, and how."""

    def __init__(
        self, node: Any, functions: Mapping[str, Any], ast: Any, called_by: dict[str, LoopFacts | None] | None = None
    ) -> None:
        """Functions that it calls are read once. called_by : those that were, None while one is."""
        self.node, self.functions, self.ast = node, functions, ast
        self.called_by = {} if called_by is None else called_by
        self.declared: dict[str, Any] = {
            str(n.name): n for n in walk_nodes(node) if type(n).__name__ == "Decl" and n.name
        }  # fmt: skip
        self.assigned: dict[str, list[Any]] = {}
        self.writes: list[Write] = []
        self.counters: set[str] = set()
        self.updates: set[int] = set()
        self.collect(node)
        self.assigned_outside = {n for n in self.assigned if n not in self.declared}
        self.writes_arrays = any(w.root not in self.declared for w in self.writes)

    def collect(self, node: Any) -> None:
        """Assignments and writes of a statement."""
        kind = type(node).__name__
        if kind == "For":
            for name in self.read_started(node.init):
                self.counters.add(name)
                self.assigned.setdefault(name, []).append(node)
        if kind in ("If", "Assignment", "UnaryOp"):
            update = read_update(node, self.ast) if id(node) not in self.updates else None
            target = None
            if update is not None:
                target = update[0]
                if kind == "If":
                    self.updates |= {id(n) for n in walk_nodes(node)}
            elif kind == "Assignment" and id(node) not in self.updates:
                target = node.lvalue
            if target is not None:
                self.write(target, node, update)
        if kind == "FuncCall" and called(node) in self.functions:
            self.call(node)
        for _, child in node.children():
            self.collect(child)

    @staticmethod
    def read_started(init: Any) -> list[str]:
        """Names that a loop begins with."""
        if type(init).__name__ == "DeclList":
            return [str(d.name) for d in init.decls]
        every = init.exprs if type(init).__name__ == "ExprList" else [init]
        return [
            str(a.lvalue.name) for a in every
            if type(a).__name__ == "Assignment" and type(a.lvalue).__name__ == "ID"
        ]  # fmt: skip

    def write(self, target: Any, node: Any, update: tuple[Any, Any, str] | None) -> None:
        """One place that is written."""
        target = uncast(target)
        if type(target).__name__ == "ID":
            name = str(target.name)
            self.assigned.setdefault(name, []).append(node)
            return
        root, names, chosen = self.find_root(target)
        if not root:
            return
        if root in self.declared and type(self.declared[root].type).__name__ != "PtrDecl":
            return
        whole = None
        if update is not None:
            whole = Update(root, node, update[0], update[1], update[2], False)
        member = type(target).__name__ == "StructRef" and type(target.name).__name__ == "ID" and target.type == "."
        if member:
            self.assigned.setdefault(root, []).append(node)
            return
        self.writes.append(Write(root, frozenset(names), chosen, node, whole))

    def find_root(self, node: Any) -> tuple[str, set[str], bool]:
        """(array, names of indices, whether an array's element is among them) of an lvalue."""
        names, chosen = set[str](), False
        node = uncast(node)
        while True:
            kind = type(node).__name__
            if kind == "ArrayRef":
                names |= find_names(node.subscript)
                chosen |= self.is_of_data(node.subscript)
                node = uncast(node.name)
            elif kind == "StructRef":
                node = uncast(node.name)
            elif kind == "UnaryOp" and node.op in ("*", "&", "p++", "++", "--", "p--"):
                if "+" in node.op or "-" in node.op:
                    names |= find_names(node.expr)
                node = uncast(node.expr)
            elif kind == "BinaryOp":
                names |= find_names(node.right)
                chosen |= self.is_of_data(node.right)
                node = uncast(node.left)
            elif kind == "ID":
                name = str(node.name)
                declared = self.declared.get(name)
                if declared is not None and type(declared.type).__name__ == "PtrDecl" and declared.init is not None:
                    node = uncast(declared.init)
                    if find_names(node) != {name}:
                        continue
                return name, names, chosen
            else:
                return "", names, chosen

    def is_of_data(self, node: Any) -> bool:
        """Whether an array's element, or a number with a fraction, is in an expression."""
        for inside in walk_nodes(node):
            kind = type(inside).__name__
            if kind == "ArrayRef" or (kind == "UnaryOp" and inside.op == "*"):
                return True
            if kind == "ID" and is_real_number(self.declared.get(str(inside.name))):
                return True
        return False

    def call(self, node: Any) -> None:
        """Arrays that a function of the file writes by way of what it is given."""
        function, name = self.functions[called(node)], called(node)
        if name not in self.called_by:
            self.called_by[name] = None
            self.called_by[name] = LoopFacts(function.body, self.functions, self.ast, self.called_by)
        inside = self.called_by[name]
        if inside is None:
            return
        written = {w.root for w in inside.writes} | set(inside.assigned)
        parameters = getattr(function.decl.type.args, "params", None) or ()
        for parameter, handed in zip(parameters, node.args.exprs if node.args else (), strict=False):
            referred = str(getattr(parameter, "name", "")).endswith(REFERENCE)
            pointed = type(getattr(parameter, "type", None)).__name__ in ("PtrDecl", "ArrayDecl")
            if not (pointed or referred) or str(parameter.name) not in written:
                continue
            value = uncast(handed)
            if referred and type(value).__name__ == "ID":
                self.assigned.setdefault(str(value.name), []).append(node)
                continue
            if type(value).__name__ == "UnaryOp" and value.op == "&" and type(uncast(value.expr)).__name__ == "ID":
                self.assigned.setdefault(str(uncast(value.expr).name), []).append(node)
                continue
            root, names, chosen = self.find_root(value)
            if root and (root not in self.declared or type(self.declared[root].type).__name__ == "PtrDecl"):
                self.writes.append(Write(root, frozenset(names), chosen, node, None))
        for write in inside.writes:
            own_names = {str(p.name) for p in parameters if getattr(p, "name", None)}
            if write.root not in own_names:
                self.writes.append(Write(write.root, frozenset(), False, node, None))

    # One loop

    def judge(self) -> str:
        """Say ``free`` where a loop's turns may be independent, ``adds`` where they only add up, else ``waits``."""
        header = read_header(self.node, self.ast)
        if header is None or ends_early(self.node.stmt):
            return "waits"
        counter = header[0]
        derived, chosen = self.follow(counter)
        moving = self.find_moving(counter)
        verdict = "free"
        for write in self.writes:
            if write.root in self.declared and type(self.declared[write.root].type).__name__ != "PtrDecl":
                continue
            has_own = bool((write.names | {write.root}) & derived)
            by_data = write.chosen or bool(write.names & chosen)
            if has_own and not (by_data and write.update is not None):
                continue
            if write.update is None or self.is_read_elsewhere(write.root):
                return "waits"
            verdict = "adds"
        inside = LoopFacts(self.node.stmt, self.functions, self.ast)
        for name in inside.assigned_outside:
            if name == counter or name in moving or is_private(self.node.stmt, name, self.ast):
                continue
            if self.find_sums(name) is None:
                return "waits"
            verdict = "adds"
        return verdict

    def follow(self, counter: str) -> tuple[set[str], set[str]]:
        """Names that follow from a counter, and those of them that arrays' elements are part of."""
        derived, chosen = {counter, *self.find_moving(counter)}, set[str]()
        for _ in range(MOST_PASSES):
            before = len(derived) + len(chosen)
            for node in walk_nodes(self.node):
                name, value = read_assigned(node)
                if not name or name == counter or value is None:
                    continue
                names = find_names(value)
                if names & derived:
                    derived.add(name)
                if self.is_of_data(value) or names & chosen:
                    chosen.add(name)
            if len(derived) + len(chosen) == before:
                break
        return derived, chosen

    def find_moving(self, counter: str) -> set[str]:
        """Numbers and addresses that each turn moves by as much."""
        inside = LoopFacts(self.node.stmt, self.functions, self.ast)
        moving = set[str]()
        for name in inside.assigned_outside - {counter}:
            if is_private(self.node.stmt, name, self.ast):
                continue
            steps = [by for _, by in find_change(self.node.stmt, name, None, self.ast) or ()]
            changed = find_changed(self.node) | set(self.declared)
            if steps and not any(find_names(s) & changed or self.is_of_data(s) for s in steps):
                moving.add(name)
        return moving

    def find_sums(self, name: str) -> list[Update] | None:
        """Statements that add to a number, where nothing else asks for it; None for others."""
        updates, used, statements = list[Update](), 0, find_statements(self.node)
        for node in self.assigned.get(name, ()):
            update = read_update(node, self.ast)
            if update is None or getattr(update[0], "name", None) != name or id(node) not in statements:
                return None
            if name in find_names(update[1]):
                return None
            updates.append(Update(name, node, update[0], update[1], update[2], True))
            used += sum(1 for n in walk_nodes(node) if type(n).__name__ == "ID" and n.name == name)
        total = sum(1 for n in walk_nodes(self.node) if type(n).__name__ == "ID" and n.name == name)
        return updates if updates and used == total else None

    def is_read_elsewhere(self, root: str) -> bool:
        """Whether an array is used other than by what adds to it."""
        if any(w.update and root in find_names(w.update.value) for w in self.writes if w.root == root):
            return True
        inside = {id(n) for w in self.writes if w.root == root and w.update for n in walk_nodes(w.node)}
        return any(
            type(n).__name__ == "ID" and n.name == root and id(n) not in inside for n in walk_nodes(self.node)
        )  # fmt: skip

    def find_updates(self, lanes: Any) -> list[Update]:
        """What turns of some loops add to, where they do not have an element each."""
        updates = list[Update]()
        follows = [LoopFacts(loop, self.functions, self.ast).follow(str(read_counter(loop))) for loop in lanes]
        for write in self.writes:
            if write.update is None:
                continue
            by_data = write.chosen or any(write.names & chosen for _, chosen in follows)
            if by_data or not all((write.names | {write.root}) & derived for derived, _ in follows):
                updates.append(write.update)
        inside = LoopFacts(self.node.stmt, self.functions, self.ast)
        counters = {str(read_counter(loop)) for loop in lanes}
        moving = set[str]().union(*(LoopFacts(x, self.functions, self.ast).find_moving("") for x in lanes))
        for name in inside.assigned_outside - counters - moving:
            if not is_private(self.node.stmt, name, self.ast):
                updates += self.find_sums(name) or []
        return updates


def read_header(node: Any, ast: Any) -> tuple[str, Any, Any] | None:
    """(counter, first value, step) of a loop that counts; None for others."""
    if type(node).__name__ != "For" or node.cond is None:
        return None
    moved = node.next
    if type(moved).__name__ == "ExprList":
        return None
    step = read_step(moved, ast) if moved is not None else None
    if step is None or find_names(step[1]) & {step[0]}:
        return None
    init = node.init
    if type(init).__name__ == "DeclList":
        if len(init.decls) != 1:
            return None
        name, first = str(init.decls[0].name), init.decls[0].init
    elif type(init).__name__ == "Assignment" and type(init.lvalue).__name__ == "ID" and init.op == "=":
        name, first = str(init.lvalue.name), init.rvalue
    elif init is None and type(uncast(node.cond)).__name__ == "BinaryOp":
        return None
    else:
        return None
    if name != step[0] or first is None:
        return None
    facts = LoopFacts(node.stmt, {}, ast)
    return None if name in facts.assigned else (name, first, step[1])


def read_counter(loop: Any) -> str | None:
    """The counter of a loop."""
    names = LoopFacts.read_started(loop.init)
    return names[0] if names else None


def read_assigned(node: Any) -> tuple[str, Any]:
    """(name, value) of a statement that gives a name a value; '' for others."""
    kind = type(node).__name__
    if kind == "Decl" and node.init is not None:
        return str(node.name), node.init
    if kind == "Assignment" and type(node.lvalue).__name__ == "ID":
        return str(node.lvalue.name), node.rvalue
    return "", None


def is_real_number(node: Any) -> bool:
    """Whether a name is declared as a number with a fraction."""
    kind = getattr(node, "type", None)
    return type(kind).__name__ == "TypeDecl" and bool(
        set(getattr(getattr(kind, "type", None), "names", ()) or ()) & REAL
    )


def is_private(body: Any, name: str, ast: Any) -> bool:
    """Whether each turn of a loop gives a number its value before it asks for it."""
    for item in list_items(body):
        if not any(type(n).__name__ == "ID" and n.name == name for n in walk_nodes(item)):
            continue
        kind = type(item).__name__
        if kind == "Assignment" and getattr(item.lvalue, "name", None) == name:
            return bool(item.op == "=" and name not in find_names(item.rvalue))
        if kind == "For":
            if name in LoopFacts.read_started(item.init):
                return True
            asked = find_names(item.cond) if item.cond is not None else set()
            return name not in asked and is_private(item.stmt, name, ast)
        if kind == "Compound":
            return is_private(item, name, ast)
        if kind == "If":
            both = item.iftrue is not None and item.iffalse is not None
            return (
                both and name not in find_names(item.cond)
                and is_private(item.iftrue, name, ast) and is_private(item.iffalse, name, ast)
            )  # fmt: skip
        return bool(kind == "FuncCall" and takes_address(item, name))
    return False


def takes_address(node: Any, name: str) -> bool:
    """Whether a call is given the address of a name, to write there."""
    return any(
        type(uncast(e)).__name__ == "UnaryOp" and uncast(e).op == "&" and getattr(uncast(e).expr, "name", None) == name
        for e in (node.args.exprs if node.args else ())
    )


def ends_early(node: Any, *, inner: bool = False) -> bool:
    """Whether something ends a loop, or its function, before its counter does."""
    kind = type(node).__name__
    if kind in ("Return", "Goto"):
        return True
    if kind == "Break":
        return not inner
    inside = inner or kind in ("For", "While", "DoWhile", "Switch")
    return any(ends_early(child, inner=inside) for _, child in node.children())


def find_change(node: Any, name: str, known: Mapping[str, int] | None, ast: Any) -> list[tuple[int, Any]] | None:
    """(times, how far) of the steps by which a statement moves a name, always alike; None for others.

    known : whole numbers, which say how often inner loops run; None where that does not matter.
    """
    kind = type(node).__name__
    step = read_step(node, ast)
    if step is not None and step[0] == name:
        return [(1, step[1])]
    if kind == "Assignment" and getattr(node.lvalue, "name", None) == name and type(node.lvalue).__name__ == "ID":
        return None
    if kind in ("If", "TernaryOp", "While", "DoWhile", "Switch") or getattr(node, "op", "") in ("&&", "||"):
        return None if name in find_changed(node) else []
    if kind == "For" and name in find_changed(node):
        header = read_header(node, ast) if not ends_early(node.stmt) else None
        inside = find_change(node.stmt, name, known, ast) if header is not None else None
        turns = 1 if known is None or header is None else count_turns(node.cond, *header, known)
        return None if inside is None or not turns else [(turns * times, by) for times, by in inside]
    parts, goes_on = list[tuple[int, Any]](), False
    for _, child in node.children():
        inner = find_change(child, name, known, ast)
        if inner is None or (inner and goes_on):
            return None
        parts += inner
        # What stands behind `if (c) continue;` moves in some turns alone.
        goes_on |= goes_to_next(child)
    return parts


def goes_to_next(node: Any) -> bool:
    """Whether something ends a turn of the loop around it before its last statement."""
    kind = type(node).__name__
    return kind == "Continue" or (
        kind not in ("For", "While", "DoWhile") and any(goes_to_next(child) for _, child in node.children())
    )


def find_statements(node: Any) -> set[int]:
    """Identities of the nodes that are statements, no parts of expressions."""
    statements = set[int]()
    for inside in walk_nodes(node):
        kind = type(inside).__name__
        if kind == "Compound":
            statements |= {id(i) for i in list_items(inside)}
        elif kind in ("For", "While", "DoWhile"):
            statements.add(id(inside.stmt))
        elif kind == "If":
            statements |= {id(inside.iftrue), id(inside.iffalse)}
    return statements


def find_changed(node: Any) -> set[str]:
    """Names that are assigned or moved anywhere inside."""
    names = set[str]()
    for inside in walk_nodes(node):
        target = inside.lvalue if type(inside).__name__ == "Assignment" else None
        if type(inside).__name__ == "UnaryOp" and inside.op in ("++", "p++", "--", "p--"):
            target = inside.expr
        if target is not None and type(target).__name__ == "ID":
            names.add(str(target.name))
    return names


def count_steps(node: Any, known: Mapping[str, int], ast: Any) -> float:
    """Statements that run, of a loop whose end is not known those of one turn."""
    kind = type(node).__name__
    if kind == "For":
        header = read_header(node, ast)
        turns = count_turns(node.cond, *header, known) if header is not None else None
        inside = dict(known)
        if header is not None and (low := evaluate(header[1], known)) is not None:
            inside[header[0]] = low
        return (1 if turns is None else turns) * (1 + count_steps(node.stmt, inside, ast))
    if kind in ("Compound", "If", "Switch", "While", "DoWhile", "Case", "Default"):
        inner = [c for n, c in node.children() if not n.startswith("cond")]
        return 1 + sum(count_steps(c, known, ast) for c in inner)
    return 1
