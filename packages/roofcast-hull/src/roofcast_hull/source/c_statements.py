"""Statements of C in the plain forms that loops are read from: steps of their own, no swaps, no `while` that counts."""

from __future__ import annotations

import copy
from typing import Any

from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_tree import called

SILENT_WORDS = """printf fprintf puts putchar fputs fflush perror free srand srandom exit assert abort gettimeofday
    clock_gettime time omp_set_num_threads __syncthreads __syncwarp cudaFree cudaDeviceSynchronize hipFree
    hipDeviceSynchronize"""
SILENT = frozenset(SILENT_WORDS.split())
"""Calls whose work is none of the algorithm's."""
TIMER_WORDS = "clock time omp_get_wtime gettimeofday clock_gettime mach_absolute_time rand random getpid"
TIMERS = frozenset(TIMER_WORDS.split())
ALLOCATOR_WORDS = "malloc calloc realloc aligned_alloc _mm_malloc alloca fftw_malloc"
ALLOCATORS = frozenset(ALLOCATOR_WORDS.split())
SWAPS = frozenset(("swap", "std_swap", "SWAP"))
STEPS = {"p++": 1, "++": 1, "p--": -1, "--": -1}


def simplify(node: Any, ast: Any) -> Any:
    """A statement with everything inside it in plain forms; the tree that was given stays as it is."""
    kind = type(node).__name__
    if kind == "Compound":
        items = [s for item in drop_swaps(node.block_items or ()) for s in split_steps(item, ast)]
        return ast.Compound([simplify(s, ast) for s in items], node.coord)
    copied = copy.copy(node)
    if kind == "For":
        copied.stmt = simplify(wrap(node.stmt, ast), ast)
        starts, others = split_starts(node, ast)
        if type(node.next).__name__ == "ExprList":
            first, *more = node.next.exprs
            copied.next = first
            copied.stmt.block_items = [*copied.stmt.block_items, *more]
        if others and (counted := count_turns(node, starts, others, ast)) is not None:
            return simplify(counted, ast)
        if others:
            copied.init = starts
            return ast.Compound([*others, copied], node.coord)
    elif kind in ("While", "DoWhile"):
        copied.stmt = simplify(wrap(node.stmt, ast), ast)
    elif kind == "If":
        copied.iftrue = simplify(wrap(node.iftrue, ast), ast)
        copied.iffalse = simplify(wrap(node.iffalse, ast), ast) if node.iffalse is not None else None
    elif kind == "Switch":
        copied.stmt = simplify(node.stmt, ast)
    elif kind in ("Case", "Default"):
        stmts = [s for item in drop_swaps(node.stmts or ()) for s in split_steps(item, ast)]
        copied.stmts = [simplify(s, ast) for s in stmts if type(s).__name__ != "Break"]
    return copied


def split_starts(node: Any, ast: Any) -> tuple[Any, list[Any]]:
    """The start of a loop's own counter, and those of the others, ``for (i = 0, j = 4; i < n; i++, j += 2)``."""
    declared = type(node.init).__name__ == "DeclList"
    starts = node.init.decls if declared else node.init.exprs if type(node.init).__name__ == "ExprList" else []
    if len(starts) < 2 or type(node.cond).__name__ != "BinaryOp":
        return node.init, []
    sides = {getattr(node.cond.left, "name", None), getattr(node.cond.right, "name", None)}
    labels = [s.name if declared else getattr(getattr(s, "lvalue", None), "name", None) for s in starts]
    counted = [s for s, n in zip(starts, labels, strict=True) if n in sides]
    first = type(node.next).__name__ == "ExprList" and node.next.exprs[0]
    moved = getattr(getattr(first, "lvalue", None) or getattr(first, "expr", None), "name", None)
    if len(counted) != 1 or (first and moved not in sides):
        return node.init, []
    return (ast.DeclList(counted, node.coord) if declared else counted[0]), [s for s in starts if s is not counted[0]]


def count_turns(node: Any, start: Any, others: list[Any], ast: Any) -> Any | None:
    """``for (i = 0, t = 0; i < n; i += 64, t++)`` as a loop over t in which i is 64 t; None for other loops."""
    steps = [read_step(s, ast) for s in node.next.exprs] if type(node.next).__name__ == "ExprList" else []
    declared = type(start).__name__ == "DeclList" and type(others[0]).__name__ == "Decl"
    if len(others) != 1 or len(steps) != 2 or not declared or node.cond.op != "<":
        return None
    counter_start, beside = start.decls[0], others[0]
    distances = {s[0]: s[1] for s in steps if s}
    by, unit = distances.get(counter_start.name), getattr(distances.get(beside.name), "value", "")
    if (
        by is None
        or unit != "1"
        or getattr(by, "value", "") == "1"
        or getattr(node.cond.left, "name", "") != counter_start.name
    ):
        return None

    def both(op: str, left: Any, right: Any) -> Any:
        return ast.BinaryOp(op, left, right, node.coord)

    counter = ast.ID(beside.name, node.coord)
    reach = both(
        "-", both("+", both("-", node.cond.right, counter_start.init), by), ast.Constant("int", "1", node.coord)
    )
    place = copy.copy(counter_start)
    place.init = both("+", counter_start.init, both("*", by, both("-", counter, beside.init)))
    ends = both("<", counter, both("+", beside.init, both("/", reach, by)))
    body = ast.Compound([place, *(wrap(node.stmt, ast).block_items or ())], node.coord)
    return ast.For(ast.DeclList([beside], node.coord), ends, ast.UnaryOp("p++", counter, node.coord), body, node.coord)


def wrap(node: Any, ast: Any) -> Any:
    """A statement as a block."""
    return node if type(node).__name__ == "Compound" else ast.Compound([node] if node else [], node and node.coord)


def drop_swaps(items: Any) -> list[Any]:
    """Statements without ``t = a; a = b; b = t;``: two buffers that take turns are one in, one out of every step."""
    remaining: list[Any] = []
    rest = list(items)
    while rest:
        three = [read_copy(item) for item in rest[:3]]
        if len(three) == 3 and all(three):
            (t, a), (first, b), (second, last) = (pair for pair in three if pair)
            if (first, second, last) == (a, b, t):
                rest = rest[3:]
                continue
        item = rest.pop(0)
        if called(item) not in SWAPS:
            remaining.append(item)
    return remaining


def read_copy(node: Any) -> tuple[str, str] | None:
    """Target and source of ``a = b`` between names; None for other statements."""
    kind = type(node).__name__
    if kind == "Decl" and type(node.init).__name__ == "ID":
        return str(node.name), str(node.init.name)
    if kind == "Assignment" and node.op == "=" and {type(node.lvalue).__name__, type(node.rvalue).__name__} == {"ID"}:
        return str(node.lvalue.name), str(node.rvalue.name)
    return None


def split_steps(node: Any, ast: Any) -> list[Any]:
    """A statement with the steps inside its expressions, ``*p++ = *q++``, as statements before or after it."""
    if type(node).__name__ not in ("Assignment", "Decl", "FuncCall"):
        return [node]
    before: list[Any] = []
    after: list[Any] = []
    plain = take_steps(node, ast, before, after)
    return [*before, plain, *after]


def take_steps(node: Any, ast: Any, before: list[Any], after: list[Any]) -> Any:
    """A copy of an expression whose steps of names are taken out."""
    if type(node).__name__ == "UnaryOp" and node.op in STEPS and type(node.expr).__name__ == "ID":
        (after if node.op.startswith("p") else before).append(node)
        return node.expr
    return copy_node(node, lambda inside: take_steps(inside, ast, before, after))


def read_step(node: Any, ast: Any) -> tuple[str, Any] | None:
    """Name and distance of a statement that only moves a name, ``p++`` or ``i += 4``; None for others."""
    kind = type(node).__name__
    if kind == "UnaryOp" and node.op in STEPS and type(node.expr).__name__ == "ID":
        return str(node.expr.name), ast.Constant("int", str(STEPS[node.op]), node.coord)
    if kind != "Assignment" or type(node.lvalue).__name__ != "ID":
        return None
    name, value = str(node.lvalue.name), node.rvalue
    if node.op == "=" and type(value).__name__ == "BinaryOp" and value.op in ("+", "-"):
        is_own = getattr(value.left, "name", None) == name
        return (name, value.right if value.op == "+" else ast.UnaryOp("-", value.right, node.coord)) if is_own else None
    if node.op in ("+=", "-="):
        return name, value if node.op == "+=" else ast.UnaryOp("-", value, node.coord)
    return None


def find_steps(node: Any, ast: Any) -> dict[str, int]:
    """How often each name is assigned or moved anywhere inside a statement."""
    counts: dict[str, int] = {}
    kind = type(node).__name__
    step = read_step(node, ast)
    target = getattr(getattr(node, "lvalue", None), "name", None) if kind == "Assignment" else None
    name = step[0] if step else target if type(getattr(node, "lvalue", None)).__name__ == "ID" else None
    if kind == "Decl":
        name = str(node.name)
    if name:
        counts[name] = 1
    for _, child in node.children():
        for other, times in find_steps(child, ast).items():
            counts[other] = counts.get(other, 0) + times
    return counts


def count_while(node: Any, ast: Any) -> Any | None:
    """A ``while`` that counts as the ``for`` that it is; None where its end comes from data.

    ``while (n--) ...``, ``while (n-- > 0) ...``, and ``while (i < n) { ...; i += c; }``.
    """
    cond, body = node.cond, node.stmt
    down = cond
    if type(cond).__name__ == "BinaryOp" and cond.op in (">", "!=") and getattr(cond.right, "value", "") == "0":
        down = cond.left
    coord = node.coord
    if type(down).__name__ == "UnaryOp" and down.op == "p--" and type(down.expr).__name__ == "ID":
        if find_steps(body, ast).get(down.expr.name):
            return None
        unit = ast.Constant("int", "1", coord)
        first = ast.Assignment("=", down.expr, ast.BinaryOp("-", down.expr, unit, coord), coord)
        ends = ast.BinaryOp(">=", down.expr, ast.Constant("int", "0", coord), coord)
        return ast.For(first, ends, ast.UnaryOp("p--", down.expr, coord), body, coord)
    items = list(body.block_items or ())
    last = read_step(items[-1], ast) if items else None
    sides = (cond.left, cond.right) if type(cond).__name__ == "BinaryOp" else ()
    counter = next((s for s in sides if last and getattr(s, "name", None) == last[0]), None)
    if counter is None or last is None or find_steps(ast.Compound(items[:-1], coord), ast).get(last[0]):
        return None
    start = ast.Assignment("=", counter, counter, coord)
    return ast.For(start, cond, items[-1], ast.Compound(items[:-1], coord), coord)
