"""The threads of one block side by side: an interpreter of C in which every value is that of all lanes.

Conditions divide the lanes, as a GPU does; all warps go statement by statement, so that barriers are kept of
themselves. What data decide is not guessed: both branches count, and a loop whose turns only data know is refused.
Loops with many turns run a few of them, each for many (:mod:`.turns`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from roofcast_hull.emulated.calls import Calls
from roofcast_hull.emulated.device_memory import (
    DATA,
    KNOWN,
    UNSAID,
    Address,
    Number,
    Reference,
    Slot,
    Structure,
    make_held,
)  # fmt: skip
from roofcast_hull.emulated.lane_arithmetic import truth
from roofcast_hull.emulated.thread_state import (
    SEARCHED,
    Frame,
    Loop,
    Phase,
    Sides,
    Variable,
    line_of,
    make_lanes,
    name_method,
)  # fmt: skip
from roofcast_hull.emulated.turns import run_loop
from roofcast_hull.emulated.value_types import DYNAMIC, INT, LONG, Type
from roofcast_hull.source.c_idioms import REFERENCE
from roofcast_hull.source.c_tree import find_assigned
from roofcast_hull.source.nest import refuse

MOST_STATEMENTS = 400_000
"""Of all blocks of a kernel that run."""


class Threads(Calls):
    """A block, ready to run a kernel."""

    most_statements = MOST_STATEMENTS
    rest_ran = False
    """Whether the condition that ran last took what follows it for its other side."""

    def run_block(self, at: Sequence[int], function: Any, arguments: Mapping[str, Slot]) -> None:
        """Run a kernel on one block."""
        self.places["blockIdx"] = dict(zip("xyz", at, strict=True))
        self.shared, self.loaded, self.vectors = {}, {}, {}
        self.on, self.weight, self.phase, self.depth, self.nest = self.all, 1.0, Phase(), 0, None
        self.frame = Frame()
        self.whole_work.begin()
        for parameter in getattr(function.decl.type.args, "params", None) or ():
            name = str(parameter.name)
            if name in arguments:
                value = arguments[name]
                argument = Structure(value.t, dict(value.fields)) if isinstance(value, Structure) else value
                self.frame.names[name] = Variable(argument, value.t, self.all)  # type: ignore[union-attr]
        self.run(function.body)
        self.flush()
        every, keys = self.whole_work.count()
        self.traffic.counts.operations_from_none += every
        self.traffic.counts.operations_of_keys += keys

    def run(self, node: Any) -> None:
        """Run a statement in the lanes that are on."""
        if node is None or not self.on.count:
            return
        self.statements += 1
        if self.statements > self.most_statements:
            raise refuse(line_of(node), "the kernel is too long to be run here")
        method = getattr(self, name_method("run", type(node).__name__), None)
        if method is not None:
            method(node)
        elif type(node).__name__ not in ("EmptyStatement", "Pragma", "Typedef"):
            self.evaluate(node)

    def run_compound(self, node: Any) -> None:
        """A block; names that it declares end with it."""
        items = node.block_items or ()
        hidden = {n: self.frame.names.get(n) for i in items for n in declared(i)}
        for at, item in enumerate(items):
            if type(item).__name__ == "If" and item.iffalse is None and self.divides(item.iftrue):
                self.run_if(item, items[at + 1 :])
                if self.rest_ran:
                    break
            else:
                self.run(item)
            if not self.on.count:
                break
        for name, held in hidden.items():
            if held is not None:
                self.frame.names[name] = held

    def run_decllist(self, node: Any) -> None:
        """Several declarations."""
        for item in node.decls:
            self.run_decl(item)

    def run_decl(self, node: Any) -> None:
        """A declaration; ``static`` stands for shared memory."""
        if type(node.type).__name__ in ("FuncDecl", "Struct", "Enum"):
            return
        name = str(node.name)
        kind, dims, pointed = self.read_type(node.type)
        if "static" in (node.storage or ()):
            self.declare_shared(node, name, kind, dims)
            return
        if dims and not pointed:
            self.declare_array(node, name, kind, dims)
            return
        init = node.init
        if init is None:
            first: Slot = Number(0, LONG) if pointed else self.empty(kind)
        elif type(init).__name__ == "InitList":
            first = self.fill(kind, init)
        elif name.endswith(REFERENCE) and type(init).__name__ in ("ID", "ArrayRef", "StructRef", "UnaryOp"):
            place = self.place(init)
            self.frame.names[name] = Variable(
                place, Type(REFERENCE, 8) if isinstance(place, Address) else kind, self.on
            )
            return
        else:
            first = self.evaluate(init)
            if pointed and isinstance(first, Address) and kind is not DYNAMIC and kind.name != "void":
                first = Address(first.memory, first.at, kind, dims[1:], first.data, first.origin)
            elif not pointed and not isinstance(first, (Address, Reference)):
                first = self.coerce(first, kind)
        self.frame.names[name] = Variable(first, kind, self.on)
        if "const" in (node.quals or ()) and self.is_known(init):
            self.frame.known.add(name)
        else:
            self.frame.known.discard(name)

    def declare_shared(self, node: Any, name: str, kind: Type, dims: tuple[int, ...]) -> None:
        """Memory of the block, each once."""
        if name not in self.shared:
            held = make_held(name, kind, dims or (1,), self.lanes, shared=True)
            if held is None:
                raise refuse(line_of(node), f"'{name}' is larger than shared memory")
            self.shared[name] = held
        value = Address(self.shared[name], 0, kind, dims[1:])
        self.frame.names[name] = Variable(value, kind if dims else Type(REFERENCE, 8), self.all)

    def declare_array(self, node: Any, name: str, kind: Type, dims: tuple[int, ...]) -> None:
        """An array of each thread."""
        listed = node.init is not None and type(node.init).__name__ == "InitList"
        if dims[0] <= 0 and listed:
            dims = (len(node.init.exprs), *dims[1:])
        held = make_held(name, kind, dims, self.lanes, shared=False)
        if held is None:
            raise refuse(line_of(node), f"'{name}' is larger than a thread's memory")
        address = Address(held, 0, kind, dims[1:])
        self.frame.names[name] = Variable(address, kind, self.on)
        if listed:
            self.put_list(held, 0, kind, dims, list(node.init.exprs or ()))

    def divides(self, branch: Any) -> bool:
        """Whether what follows a branch is its other side where data decide: ``if (c) return a; return b;``."""
        last = find_last(branch)
        return type(last).__name__ == "Return" and last.expr is not None

    def count_made(self) -> int:
        """Instructions that made values which are followed: none here."""
        return 0

    def run_if(self, node: Any, rest: Sequence[Any] = ()) -> None:
        """A condition divides the lanes; one of data counts on both sides.

        rest : what follows, where it is the other side of a condition that data decide.
        """
        cond, self.rest_ran = node.cond, False
        if type(cond).__name__ == "BinaryOp" and cond.op == "&&" and node.iffalse is None and not rest:
            left = self.number(cond.left)
            if left.data < DATA and isinstance(truth(left.v), np.ndarray):
                # Lanes that leave it open ask the second, whatever data say to that.
                inner, outer = copy(node), copy(node)
                inner.cond, outer.cond, outer.iftrue = cond.right, cond.left, inner
                self.run_sides(outer, left, ())
                return
            asked = self.join(cond, left)
        else:
            asked = self.number(cond)
        self.rest_ran = bool(rest) and asked.data == DATA
        self.run_sides(node, asked, rest if self.rest_ran else ())
        self.rest_ran = bool(rest) and asked.data == DATA

    def run_sides(self, node: Any, asked: Number, rest: Sequence[Any]) -> None:
        """The sides of a condition. rest : the second where that is what follows."""
        a = truth(asked.v)
        before = self.on
        if asked.data == UNSAID:
            self.refuse_unsaid(node)
        if asked.data == DATA:
            self.run_both(node, a, rest)
            return
        if not isinstance(a, np.ndarray):
            self.run(node.iftrue if a else node.iffalse)
            return
        yes = before.mask & a
        if (yes == before.mask).all():
            self.run(node.iftrue)
            return
        no = before.mask & ~a
        outer, self.sides = self.sides, Sides()
        self.on = make_lanes(yes)
        if self.on.count:
            self.run(node.iftrue)
        after = self.on.mask
        self.on, self.sides.second = make_lanes(no), True
        self.run(node.iffalse)
        self.sides = outer
        self.merge(before, after | self.on.mask)

    def run_both(self, node: Any, a: Any, rest: Sequence[Any]) -> None:
        """A condition that data decide: all lanes take both sides, and nobody leaves by one of them."""
        if not self.traffic.of_elements and self.is_search(node):
            self.tell(node, f"data decide {SEARCHED}: half of the lanes either way")
            coin = np.random.default_rng(self.statements).random(self.lanes) < 0.5
            self.run_sides(node, Number(coin, INT), ())
            return
        # Of a class what stands under a condition counts each time; in a row, what hardly ever holds does not.
        equal = type(node.cond).__name__ == "BinaryOp" and node.cond.op == "=="
        rare = equal and node.iffalse is None and not self.traffic.of_elements
        if rare and not np.any(a):
            for statement in rest:
                self.run(statement)
            return
        branches = [b for b in (node.iftrue, node.iffalse) if b is not None]
        several = [[b] for b in branches if rest or not leaves(b) or self.divides(b)]
        self.run_each(node, [*several, rest] if rest else several)

    def is_search(self, node: Any) -> bool:
        """Whether both sides of a condition set what the loop around it asks, so that to run both ends it early."""
        loops = [loop for loop in self.frame.loops if loop.turns]
        sides = (node.iftrue, node.iffalse)
        return bool(loops) and all(s is not None and bool(find_assigned(s) & loops[-1].asked) for s in sides)

    def run_each(self, node: Any, several: Sequence[Sequence[Any]], *, cases: bool = False) -> None:
        """Statements of sides between which data decide: all lanes run each, and nobody leaves by one of them.

        cases : whether they are those of a ``switch``, which ``break`` ends.
        """
        before, outer, counted = self.on, self.sides, list[tuple[Any, Any, int]]()
        self.sides, decided = Sides(), self.decided
        self.decided |= frozenset(map(id, self.frame.names.values()))
        for statements in several:
            self.tell(node, "what data decide is counted as if it always happened")
            left = self.frame.left.copy() if self.frame.left is not None else None
            mark, self.last_sides = self.mark_work(), 1
            if cases:
                self.frame.loops.append(Loop())
            for statement in statements:
                self.run(statement)
            if cases:
                self.end_cases(self.frame.loops.pop())
            counted.append((mark, self.mark_work(), self.last_sides if is_chained(statements) else 1))
            self.frame.left = left
            self.on, self.sides.second = before, True
        self.sides, self.decided = outer, decided
        self.last_sides = self.average_work(counted)

    def end_cases(self, loop: Loop) -> None:
        """Loads of what is no loop, but ends at a ``break``, are those of what it stands in."""
        for key, value in loop.steps.items():
            (self.frame.loops[-1].steps if self.frame.loops else self.traffic.counts.steps)[key] += value

    def run_for(self, node: Any) -> None:
        """A loop with a counter."""
        hidden = {n: self.frame.names.get(n) for n in declared(node.init)} if node.init is not None else {}
        if node.init is not None:
            self.run(node.init)
        run_loop(self, node, node.cond, node.stmt, node.next)
        for name, held in hidden.items():
            if held is not None:
                self.frame.names[name] = held

    def run_while(self, node: Any) -> None:
        """A loop."""
        run_loop(self, node, node.cond, node.stmt, None)

    def run_dowhile(self, node: Any) -> None:
        """A loop that runs once at least."""
        run_loop(self, node, node.cond, node.stmt, None, first=True)

    def run_switch(self, node: Any) -> None:
        """One of several cases."""
        asked = self.number(node.cond)
        if asked.data == DATA:
            self.run_cases(node, asked)
            return
        before = self.on
        loop = Loop()
        self.frame.loops.append(loop)
        taken = np.zeros(self.lanes, dtype=bool)
        running = np.zeros(self.lanes, dtype=bool)
        for case in node.stmt.block_items or ():
            if type(case).__name__ == "Case":
                hit = np.broadcast_to(np.asarray(asked.v == self.number(case.expr).v), (self.lanes,)) & before.mask
            elif type(case).__name__ == "Default":
                hit = before.mask & ~taken
            else:
                continue
            taken |= hit
            running = (running | hit) & before.mask
            if loop.broke is not None:
                running &= ~loop.broke | hit
            if not running.any():
                continue
            self.on = make_lanes(running)
            for item in case.stmts or ():
                self.run(item)
            running = self.on.mask
        self.end_cases(self.frame.loops.pop())
        left = self.frame.left
        self.merge(before, before.mask & ~left if left is not None else before.mask)

    def run_cases(self, node: Any, asked: Number) -> None:
        """A ``switch`` of which data decide the case."""
        self.run_each(node, [statements for _, statements in list_cases(node)], cases=True)

    def run_break(self, node: Any) -> None:
        """Lanes leave the loop."""
        loop = self.frame.loops[-1]
        loop.broke = self.on.mask.copy() if loop.broke is None else loop.broke | self.on.mask
        self.on = self.none

    def run_continue(self, node: Any) -> None:
        """Lanes wait for the next turn."""
        loop = next((x for x in reversed(self.frame.loops) if x.turns), self.frame.loops[-1])
        loop.waiting = self.on.mask.copy() if loop.waiting is None else loop.waiting | self.on.mask
        self.on = self.none

    def run_return(self, node: Any) -> None:
        """Lanes leave the function."""
        frame = self.frame
        if node.expr is not None:
            listed = type(node.expr).__name__ == "CompoundLiteral" and frame.returns.members
            value = self.fill(frame.returns, node.expr.init) if listed else self.evaluate(node.expr)
            frame.result = (
                value
                if frame.result is None or type(frame.result) is not type(value)
                else self.choose(self.on.mask, value, frame.result, KNOWN, node)
            )
        frame.left = self.on.mask.copy() if frame.left is None else frame.left | self.on.mask
        self.on = self.none

    def run_goto(self, node: Any) -> None:
        """Not followed."""
        raise refuse(line_of(node), "goto is not followed")


def declared(node: Any) -> list[str]:
    """Names that a statement declares."""
    kind = type(node).__name__
    if kind == "Decl":
        return [str(node.name)]
    return [str(d.name) for d in node.decls] if kind == "DeclList" else []


def find_last(node: Any) -> Any:
    """The last statement of a branch."""
    items = list(node.block_items or ()) if type(node).__name__ == "Compound" else [node]
    return items[-1] if items else None


def is_chained(statements: Sequence[Any]) -> bool:
    """Whether the side of a condition is another condition: ``else if``, ``else x = c ? a : b``."""
    if len(statements) == 1 and type(statements[0]).__name__ == "Compound":
        statements = statements[0].block_items or ()
    if len(statements) != 1:
        return False
    [single] = statements
    value = {"Assignment": "rvalue", "Return": "expr"}.get(type(single).__name__, "")
    kind = type(getattr(single, value) if value else single).__name__
    return kind == "TernaryOp" if value else kind in ("If", "Switch")


def list_cases(node: Any) -> list[tuple[list[Any], list[Any]]]:
    """Labels of each case of a ``switch``, None for the default, and what it runs up to the ``break`` that ends it."""
    cases = [c for c in node.stmt.block_items or () if type(c).__name__ in ("Case", "Default")]
    several, labels = list[tuple[list[Any], list[Any]]](), list[Any]()
    for at, case in enumerate(cases):
        labels.append(getattr(case, "expr", None))
        if not case.stmts:
            continue
        statements = list[Any]()
        for following in cases[at:]:
            statements += following.stmts or ()
            if following.stmts and type(find_last(following.stmts[-1])).__name__ in ("Break", "Return", "Continue"):
                break
        several.append((labels, statements))
        labels = []
    return several


def leaves(node: Any) -> bool:
    """Whether a branch only leaves the loop or the function."""
    items = list(node.block_items or ()) if type(node).__name__ == "Compound" else [node]
    return bool(items) and type(items[-1]).__name__ in ("Return", "Break", "Continue") and len(items) <= 2
