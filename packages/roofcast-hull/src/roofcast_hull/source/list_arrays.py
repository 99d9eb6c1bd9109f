"""Lists of numbers that plain Python fills, as the arrays that they are: ``[0.0] * n``, comprehensions, ``append``.

Python repeats a list where NumPy would multiply each element, so ``[0.0] * n`` has n elements. What a loop appends once
in each turn is an element of that turn; a list of such lists is an array of rows.
"""

from __future__ import annotations

import ast
import copy
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from roofcast_hull.source.numpy_spelling import MODULES, replace_names
from roofcast_hull.source.python_lists import replace_in
from roofcast_hull.source.python_syntax import assigns

LIBRARIES = frozenset(["numpy", "cupy", "torch", "triton", "jax", "numba", "tensorflow"])
"""Modules in whose files lists may hold arrays."""
Node = TypeVar("Node", bound=ast.AST)
SUMS = {"sum": 0.0, "max": -math.inf, "min": math.inf}
"""What adds up or compares what a loop computes, and what it starts from."""
MADE, COUNTER = "values of line", "turn of line"


def write_lists(tree: ast.Module) -> None:
    """Write the lists of a file, in place, as arrays."""
    imported = {a.name.partition(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    imported |= {(n.module or "").partition(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    # A part of a file names its modules alone.
    of_arrays = imported & LIBRARIES or any(isinstance(n, ast.Name) and n.id in MODULES for n in ast.walk(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and (whole := write_repeated(node.value)) is not None:
            node.value = ast.copy_location(whole, node.value)
        elif isinstance(node, ast.Assign) and (copied := find_copied(node.value)) is not None:
            node.value = place_at(ast.Call(ast.Attribute(copied, "copy", ast.Load()), [], []), node.value)
    if of_arrays:
        return
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.args.args:
            body = Loops().block(function.body)
            function.body = [Lengths(find_lists(body)).visit(s) for s in body]


def write_repeated(node: ast.expr) -> ast.Call | None:
    """``[0.0] * n`` and ``[[0.0] * m for _ in range(n)]`` as arrays of one number; None for others."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        sides = (node.left, node.right) if isinstance(node.left, ast.List) else (node.right, node.left)
        listed, times = sides
        if isinstance(listed, ast.List) and len(listed.elts) == 1 and not isinstance(times, (ast.List, ast.Tuple)):
            return fill([times], listed.elts[0]) if is_number(listed.elts[0]) else None
    if isinstance(node, ast.ListComp) and len(node.generators) == 1 and not node.generators[0].ifs:
        turn = node.generators[0]
        count = count_turns(turn.iter)
        names = {n.id for n in ast.walk(turn.target) if isinstance(n, ast.Name)}
        if count is None or any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(node.elt)):
            return None
        if is_number(node.elt):
            return fill([count], node.elt)
        inside = write_repeated(node.elt)
        if inside is not None:
            shape = inside.args[0].elts if isinstance(inside.args[0], ast.Tuple) else [inside.args[0]]
            return fill([count, *shape], inside.args[1])
    return None


def find_copied(node: ast.expr) -> ast.expr | None:
    """What ``[row[:] for row in x]`` or ``copy.deepcopy(x)`` is a copy of; None for others."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("copy.deepcopy", "deepcopy") and len(node.args) == 1:
        return node.args[0]
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "list" and len(node.args) == 1:
        return node.args[0] if isinstance(node.args[0], ast.Name) else None
    if not isinstance(node, ast.ListComp) or len(node.generators) != 1 or node.generators[0].ifs:
        return None
    turn = node.generators[0]
    if not isinstance(turn.target, ast.Name) or not isinstance(turn.iter, (ast.Name, ast.Attribute)):
        return None
    row = turn.target.id
    return turn.iter if ast.unparse(node.elt) in (f"{row}[:]", f"list({row})", f"{row}.copy()") else None


def is_number(node: ast.expr) -> bool:
    """Whether a number is written: ``0.0``, ``-1``, ``math.inf``, ``float("inf")``."""
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant)
    if isinstance(node, ast.Attribute):
        return ast.unparse(node) in ("math.inf", "math.nan", "np.inf", "np.nan")
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float, complex))


def count_turns(node: ast.expr) -> ast.expr | None:
    """How many turns a loop over a range, a list or several of them has; None where that is not written."""
    if isinstance(node, (ast.Name, ast.Subscript, ast.Attribute)):
        return call("len", [copy.deepcopy(node)])
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords or not node.args:
        return None
    if node.func.id == "range" and len(node.args) == 1:
        return copy.deepcopy(node.args[0])
    if node.func.id == "range" and len(node.args) == 2:
        return ast.BinOp(copy.deepcopy(node.args[1]), ast.Sub(), copy.deepcopy(node.args[0]))
    return count_turns(node.args[0]) if node.func.id in ("enumerate", "zip") else None


class Loops:
    """Writes what one function's lists are filled with as loops over the elements of arrays."""

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements one after the other."""
        written = [s for item in body for s in self.statement(item)]
        for at, item in enumerate(written):
            if isinstance(item, ast.Assign) and is_empty_list(item):
                written = self.take_appended(written, at, item)
        return [s for item in written for s in (*self.sums_before(item), count_loop(item))]

    def sums_before(self, item: ast.stmt) -> list[ast.stmt]:
        """``sum(a * b for a, b in zip(x, y))`` as a loop in front of a statement, and its name in place of it."""
        if not isinstance(item, (ast.Assign, ast.AugAssign, ast.Return, ast.Expr)):
            return []
        sums = Sums(self.block)
        sums.visit(item)
        return [place_at(s, item) for s in sums.before]

    def statement(self, item: ast.stmt) -> list[ast.stmt]:
        """One statement: lists that it makes are loops before it."""
        for field in ("body", "orelse"):
            if isinstance(getattr(item, field, None), list):
                setattr(item, field, self.block(getattr(item, field)))
        if (row := find_appended_list(item)) is not None:
            # A list that is made where it is appended has a name of its own.
            label = f"{MADE} {item.lineno}"
            appended = copy.deepcopy(item)
            appended.value.args[0] = ast.copy_location(ast.Name(label, ast.Load()), row)  # type: ignore[attr-defined]
            written = self.write_list(label, row, item)
            return [*written, appended] if written else [item]
        if isinstance(item, ast.Assign) and len(item.targets) == 1 and isinstance(item.targets[0], ast.Name):
            return self.write_list(item.targets[0].id, item.value, item) or [item]
        if isinstance(item, ast.Return) and item.value is not None:
            parts = item.value.elts if isinstance(item.value, ast.Tuple) else [item.value]
            before: list[ast.stmt] = []
            for at, part in enumerate(parts):
                name = f"{MADE} {item.lineno}.{at + 1}" if at else f"{MADE} {item.lineno}"
                if loops := self.write_list(name, part, item):
                    before += loops
                    parts[at] = ast.copy_location(ast.Name(name, ast.Load()), part)
            if not isinstance(item.value, ast.Tuple):
                item.value = parts[0]
            return [*before, item]
        return [item]

    def write_list(self, name: str, node: ast.expr, at: ast.stmt) -> list[ast.stmt]:
        """A comprehension as the loops that fill an array; empty for other expressions."""
        turns, inside = list[ast.comprehension](), node
        while isinstance(inside, ast.ListComp):
            if len(inside.generators) != 1 or inside.generators[0].ifs:
                return []
            turns.append(inside.generators[0])
            inside = inside.elt
        if not turns or any(count_turns(t.iter) is None for t in turns) or not is_scalar(inside):
            return []
        headers = [write_header(t.target, t.iter, f"{COUNTER} {at.lineno}.{k}") for k, t in enumerate(turns)]
        place: ast.expr = ast.Name(name, ast.Load())
        values: dict[str, ast.expr] = {}
        first_of: dict[str, ast.expr] = {}
        shape: list[ast.expr] = []
        heads = []
        for header in headers:
            if header is None:
                return []
            counter, ends, start, items = header
            heads.append((counter, [replace_names(e, first_of) for e in ends]))
            index: ast.expr = ast.Name(counter, ast.Load())
            index = ast.BinOp(index, ast.Sub(), start) if start is not None else index
            place = ast.Subscript(place, index, ast.Load())
            shape += [replace_names(c, first_of) for c in [count_turns(turns[len(shape)].iter)] if c is not None]
            values |= {n: replace_names(v, values) for n, v in items.items()}
            first_of |= {n: replace_names(v, {**first_of, counter: ast.Constant(0)}) for n, v in items.items()}
        assert isinstance(place, ast.Subscript)
        place.ctx = ast.Store()
        body = self.block([place_at(ast.Assign([place], replace_names(inside, values)), at)])
        for counter, ends in reversed(heads):
            body = [ast.For(ast.Name(counter, ast.Store()), call("range", ends), body, [])]
        first = ast.Assign([ast.Name(name, ast.Store())], make_empty(shape))
        return [place_at(s, at) for s in (first, *body)]

    def take_appended(self, body: list[ast.stmt], at: int, item: ast.Assign) -> list[ast.stmt]:
        """``x = []`` and the loop behind it that appends once a turn, as an array and its elements."""
        name = item.targets[0].id  # type: ignore[attr-defined]
        users = [s for s in body[at + 1 :] if mentions(s, name)]
        loop = users[0] if users else None
        if not isinstance(loop, ast.For) or loop.orelse or any(is_appended(s, name) for s in users[1:]):
            return body
        appended = [s for s in loop.body if is_appended(s, name, directly=True)]
        count = count_turns(loop.iter)
        others = [s for s in loop.body if mentions(s, name)]
        leaves = any(isinstance(n, (ast.Break, ast.Continue, ast.Return)) for s in loop.body for n in ast.walk(s))
        if len(appended) != 1 or len(others) != 1 or count is None or leaves:
            return body
        header = write_header(loop.target, loop.iter, f"{COUNTER} {loop.lineno}")
        value: ast.expr = appended[0].value.args[0]  # type: ignore[attr-defined]
        if header is None or any(assigns(s, n) for n in header[3] for s in loop.body):
            return body
        counter, ends, start, items = header
        index: ast.expr = ast.Name(counter, ast.Load())
        index = ast.BinOp(index, ast.Sub(), start) if start is not None else index
        place = ast.Subscript(ast.Name(name, ast.Load()), index, ast.Store())
        shape, inside = [count], list(loop.body)
        where = inside.index(appended[0])
        row = find_row(inside[:where], value)
        if row is not None:
            # A list that each turn makes is a row, which the turn fills in its place.
            creation, rows = row
            first_of = {n: replace_names(v, {counter: ast.Constant(0)}) for n, v in items.items()}
            shape += [replace_names(n, first_of) for n in rows]
            element = copy.copy(place)
            element.ctx = ast.Load()
            label = value.id  # type: ignore[attr-defined]
            inside = [replace_in(s, {label: element}) for s in inside if s is not creation and s is not appended[0]]
        elif is_scalar(value) or isinstance(value, ast.Name):
            inside[where] = place_at(ast.Assign([place], value), appended[0])
        else:
            return body
        turns = [replace_in(s, items) for s in inside]
        whole = ast.For(ast.Name(counter, ast.Store()), call("range", ends), turns, [])
        first = ast.Assign(item.targets, make_empty(shape))
        changed = {id(item): place_at(first, item), id(loop): place_at(whole, loop)}
        return [changed.get(id(s), s) for s in body]


class Lengths(ast.NodeTransformer):
    """Writes lengths of lists by what they are made with: ``len(x[0])`` is ``x.shape[1]``.

    lists : shapes of the lists that the function makes.
    """

    def __init__(self, lists: Mapping[str, Sequence[ast.expr]]) -> None:
        self.lists = lists

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """One call."""
        self.generic_visit(node)
        if len(node.args) != 1 or ast.unparse(node.func) != "len":
            return node
        base, depth = node.args[0], 0
        while isinstance(base, ast.Subscript) and not isinstance(base.slice, (ast.Slice, ast.Tuple)):
            base, depth = base.value, depth + 1
        if not isinstance(base, ast.Name):
            return node
        shape = self.lists.get(base.id, ())
        if depth < len(shape):
            return self.visit(place_at(copy.deepcopy(shape[depth]), node))  # type: ignore[no-any-return]
        whole = ast.Attribute(base, "shape", ast.Load())
        return place_at(ast.Subscript(whole, ast.Constant(depth), ast.Load()), node) if depth else node


def find_lists(body: Sequence[ast.stmt]) -> dict[str, list[ast.expr]]:
    """Shapes of the lists that a function makes, of those that it makes once."""
    shapes: dict[str, list[ast.expr]] = {}
    often = Counter(n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    for node in (n for s in body for n in ast.walk(s) if isinstance(n, ast.Assign)):
        target, value = node.targets[0], node.value
        makes = isinstance(value, ast.Call) and ast.unparse(value.func) in ("np.empty", "np.full")
        if makes and isinstance(value, ast.Call) and isinstance(target, ast.Name) and often[target.id] == 1:
            shape = value.args[0]
            shapes[target.id] = list(shape.elts) if isinstance(shape, ast.Tuple) else [shape]
    return shapes


class Sums(ast.NodeTransformer):
    """Gives sums and extremes of what loops compute a name. block : how statements of such a loop are written."""

    def __init__(self, block: Callable[[list[ast.stmt]], list[ast.stmt]]) -> None:
        self.block = block
        self.before: list[ast.stmt] = []

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        """What a function computes stands where it is called."""
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        """What a loop computes stays inside of it."""
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        """Likewise."""
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """What a condition may not ask for."""
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """One call."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        listed = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if name not in SUMS or not isinstance(listed, (ast.GeneratorExp, ast.ListComp)) or not is_scalar(listed.elt):
            self.generic_visit(node)
            return node
        label = f"{name} {len(self.before) + 1} of line {node.lineno}.{node.col_offset}"
        held = ast.Name(label, ast.Load())
        target = ast.Name(label, ast.Store())
        change: ast.stmt = ast.AugAssign(target, ast.Add(), listed.elt)
        if name != "sum":
            change = ast.Assign([target], call(name, [held, listed.elt]))
        body = [change]
        for turn in reversed(listed.generators):
            for test in turn.ifs:
                body = [ast.If(test, body, [])]
            body = [ast.For(turn.target, turn.iter, body, [])]
        whole = [place_at(s, node) for s in (ast.Assign([target], ast.Constant(SUMS[name])), *body)]
        self.before += self.block(whole)
        return ast.copy_location(held, node)


def count_loop(item: ast.stmt) -> ast.stmt:
    """A loop over lists as one that counts; other statements as they are."""
    if not isinstance(item, ast.For) or item.orelse:
        return item
    header = write_header(item.target, item.iter, f"{COUNTER} {item.lineno}.{item.col_offset}")
    if header is None or not header[3] or any(assigns(s, n) for n in header[3] for s in item.body):
        return item
    counter, ends, _, items = header
    body = [replace_in(s, items) for s in item.body]
    return place_at(ast.For(ast.Name(counter, ast.Store()), call("range", ends), body, []), item)


def write_header(
    target: ast.expr, node: ast.expr, label: str
) -> tuple[str, list[ast.expr], ast.expr | None, dict[str, ast.expr]] | None:
    """A loop over a range or over lists as one that counts; None for others.

    Returns its counter, the ends of its range, where that starts if not at 0, and what stands for names of items.
    """
    called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    count = count_turns(node)
    if count is None:
        return None
    if isinstance(node, ast.Call) and called == "range":
        start = copy.deepcopy(node.args[0]) if len(node.args) == 2 else None
        named = isinstance(target, ast.Name)
        return (target.id, [copy.deepcopy(a) for a in node.args], start, {}) if named else None  # type: ignore[attr-defined]
    if isinstance(node, ast.Call) and called == "enumerate":
        pair = list(target.elts) if isinstance(target, ast.Tuple) else []
        if len(node.args) != 1 or len(pair) != 2 or not isinstance(pair[0], ast.Name):
            return None
        inner = write_header(pair[1], node.args[0], pair[0].id)
        return inner if inner is None or inner[2] is None else None
    place = ast.Name(label, ast.Load())
    if isinstance(node, ast.Call):
        pairs = list(zip(target.elts, node.args, strict=False)) if isinstance(target, ast.Tuple) else []
        whole = len(pairs) == len(node.args)
    else:
        pairs, whole = [(target, node)], True
    items: dict[str, ast.expr] = {}
    for part, listed in pairs:
        bound = bind_item(part, listed, place)
        if bound is None:
            return None
        items |= bound
    return (label, [count], None, items) if whole and items else None


def bind_item(target: ast.expr, listed: ast.expr, place: ast.expr) -> dict[str, ast.expr] | None:
    """What a turn takes of a list, a number or a point: ``x``, or ``x, y``; None where it is written otherwise."""
    if not isinstance(listed, (ast.Name, ast.Subscript, ast.Attribute)):
        return None
    item = ast.Subscript(copy.deepcopy(listed), copy.deepcopy(place), ast.Load())
    if isinstance(target, ast.Name):
        return {target.id: item}
    names = [t.id for t in target.elts if isinstance(t, ast.Name)] if isinstance(target, ast.Tuple) else []
    if not isinstance(target, ast.Tuple) or len(names) != len(target.elts):
        return None
    return {n: ast.Subscript(copy.deepcopy(item), ast.Constant(k), ast.Load()) for k, n in enumerate(names)}


def find_row(body: Sequence[ast.stmt], value: ast.expr) -> tuple[ast.stmt, list[ast.expr]] | None:
    """Where a turn makes the array that it appends, and how long that is; None for numbers and for other arrays."""
    if not isinstance(value, ast.Name):
        return None
    creations = [s for s in body if assigns(s, value.id)]
    call_of = creations[0].value if len(creations) == 1 and isinstance(creations[0], ast.Assign) else None
    if not isinstance(call_of, ast.Call) or ast.unparse(call_of.func) not in ("np.empty", "np.full"):
        return None
    if ast.unparse(call_of.func) == "np.full":
        return None
    shape = call_of.args[0]
    return creations[0], list(shape.elts) if isinstance(shape, ast.Tuple) else [shape]


def is_empty_list(item: ast.Assign) -> bool:
    """``x = []``."""
    plain = len(item.targets) == 1 and isinstance(item.targets[0], ast.Name)
    return plain and isinstance(item.value, ast.List) and not item.value.elts


def is_appended(item: ast.stmt, name: str, *, directly: bool = False) -> bool:
    """Whether a statement appends to a list. directly : whether it does nothing else."""
    nodes: Iterator[ast.AST] | list[ast.AST] = ast.walk(item)
    if directly:
        nodes = [item.value] if isinstance(item, ast.Expr) else []
    return any(isinstance(n, ast.Call) and ast.unparse(n.func) == f"{name}.append" and len(n.args) == 1 for n in nodes)


def find_appended_list(item: ast.stmt) -> ast.ListComp | None:
    """The comprehension in ``x.append([v / s for v in row])``; None for other statements."""
    inside = item.value if isinstance(item, ast.Expr) else None
    whole = isinstance(inside, ast.Call) and isinstance(inside.func, ast.Attribute) and inside.func.attr == "append"
    value = inside.args[0] if whole and isinstance(inside, ast.Call) and len(inside.args) == 1 else None
    return value if isinstance(value, ast.ListComp) else None


def mentions(item: ast.stmt, name: str) -> bool:
    """Whether a statement has a name."""
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(item))


def is_scalar(node: ast.expr) -> bool:
    """Whether an item is a number as far as it is written: no list, no text, no tuple."""
    several = (ast.List, ast.ListComp, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr, ast.Lambda)
    texts = isinstance(node, ast.Constant) and not isinstance(node.value, (int, float, complex))
    return not isinstance(node, several) and not texts


def fill(shape: Sequence[ast.expr], value: ast.expr) -> ast.Call:
    """``np.full((n, m), value)``."""
    return numpy("full", shape, [copy.deepcopy(value)])


def make_empty(shape: Sequence[ast.expr]) -> ast.Call:
    """``np.empty((n, m))``."""
    return numpy("empty", shape, [])


def numpy(name: str, shape: Sequence[ast.expr], behind: Sequence[ast.expr]) -> ast.Call:
    """A call that makes an array."""
    where = ast.Tuple(list(shape), ast.Load()) if len(shape) > 1 else shape[0]
    return ast.Call(ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load()), [where, *behind], [])


def call(name: str, given: Sequence[ast.expr]) -> ast.Call:
    """``len(x)``, ``range(n)``."""
    return ast.Call(ast.Name(name, ast.Load()), list(given), [])


def place_at(item: Node, at: ast.AST) -> Node:
    """A statement or an expression that stands in the line of another one."""
    for node in ast.walk(item):
        if not hasattr(node, "lineno"):
            ast.copy_location(node, at)
    return item
