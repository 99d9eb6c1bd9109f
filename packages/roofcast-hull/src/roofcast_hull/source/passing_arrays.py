"""Arrays of NumPy code that one statement alone uses: it computes their elements where it needs them.

``d = a - b; return (d * d).sum(axis=1)`` is one pass for the best code: each element of ``d`` is used by one unit
alone, or by neighbours, and is never stored. What a product of matrices, a sort or an index takes is an array of its
own.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from roofcast_hull.source.numpy_shapes import MAKING, REDUCTIONS, SCANS, SORTS, TRANSFORMS, find_called
from roofcast_hull.source.own_functions import INNER
from roofcast_hull.source.python_names import ORIGIN, find_base
from roofcast_hull.source.python_syntax import is_none

ASKED = frozenset(["shape", "size", "dtype", "ndim", "nbytes", "itemsize"])
"""Attributes that say something of an array without its elements."""
LIBRARY = frozenset(
    ["dot", "matmul", "inner", "outer", "einsum", "tensordot", "vdot", "convolve", "correlate", "at", "searchsorted",
     "bincount", "histogram", "take", "interp", "stack", "concatenate", "vstack", "hstack", "column_stack", "print",
     "percentile", "median", "quantile", "unique", "meshgrid", "append", "accumulate"]
) | SCANS | SORTS | TRANSFORMS | MAKING  # fmt: skip
"""Calls that take arrays as they lie in memory, or read an element for several of their results."""
MODULES = frozenset(["np", "numpy", "math", "cp", "scipy", "xp"])
"""Names of modules, of which no array is a part."""
SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)
MULTIPLIED = frozenset(["dot", "matmul", "inner", "einsum"])
"""Products, which store what several of their results use, and compute what one alone does."""
CENTRED = frozenset(["var", "std", "nanvar", "nanstd"])
"""Sums of which a unit that adds up a row reads its elements twice: for the mean first."""


def find_passing(
    body: Sequence[ast.stmt], returned: set[str], computes: Callable[[ast.expr], bool] | None = None
) -> dict[int, int]:  # fmt: skip
    """Values of such assignments, by their identity, with how often the one statement uses them.

    returned : names that a function gives back as they are. computes : which values are looked at; None for those that
    may stand in another expression.
    """
    computes = computes or is_computed
    stores, loads = count_stores(body), count_loads(body)
    aliases = find_aliases(body)
    uses: dict[int, int] = {}
    for block in walk_blocks(body):
        for at, item in enumerate(block):
            if not isinstance(item, ast.Assign) or len(item.targets) != 1 or not isinstance(item.targets[0], ast.Name):
                continue
            name = item.targets[0].id
            if stores.get(name) != 1 or name in returned or not computes(item.value):
                continue
            after = [(n, s) for n, s in enumerate(block) if n > at and name in count_loads([s])]
            if len(after) != 1 or count_loads([after[0][1]])[name] != loads.get(name):
                continue
            where, consumer = after[0]
            # A unit computes all of a cross product, which sums of its rows take.
            across = any(isinstance(n, ast.Call) and find_called(n) == "cross" for n in ast.walk(item.value))
            times = count_uses(consumer, name, summed=across)
            if is_joined(item.value) and any(is_product(n) and reads(n, name) for n in ast.walk(consumer)):
                # What a product takes lies in memory.
                continue
            if times and not are_changed(item.value, block[at + 1 : where], aliases):
                uses[id(item.value)] = times
    return uses


def are_changed(node: ast.expr, between: Sequence[ast.stmt], aliases: Mapping[str, set[str]]) -> bool:
    """Whether statements change what an expression reads. aliases : names that stand for parts of others.

    A name for a part of an array changes nothing of it.
    """
    read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    others = {other for n in read for other in aliases.get(n, ())} - read
    naming = [s for s in between if isinstance(s, ast.Assign) and all(isinstance(t, ast.Name) for t in s.targets)]
    inside = [s for s in between if not any(s is n for n in naming)]
    return bool(read & set(count_stores(between)) or others & set(count_stores(inside)))


def find_shared(body: Sequence[ast.stmt]) -> set[str]:
    """Names that several statements read, or an index takes: arrays of those names are stored.

    What a function that is written out does with what it is given is one statement: that which calls it.
    """
    readers: dict[str, set[int]] = {}
    for item in (s for b in walk_blocks(body) for s in b if isinstance(s, SIMPLE)):
        for name in count_loads([item]):
            readers.setdefault(name, set()).add(id(item) if INNER in name else vars(item).get(ORIGIN, id(item)))
    taken = {
        n.id for s in body for i in ast.walk(s) if isinstance(i, ast.Subscript)
        for n in ast.walk(i.slice) if isinstance(n, ast.Name)
    }  # fmt: skip
    return taken | {name for name, several in readers.items() if len(several) > 1}


def walk_blocks(body: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
    """A list of statements, and those inside of it."""
    yield body
    for item in body:
        for inner in (getattr(item, "body", None), getattr(item, "orelse", None)):
            if isinstance(inner, list) and not isinstance(item, (ast.FunctionDef, ast.ClassDef)):
                yield from walk_blocks(inner)


def is_computed(node: ast.expr) -> bool:
    """Whether a value is an expression of arrays that may stand in another one."""
    listed = isinstance(node, ast.Call) and any(isinstance(a, (ast.List, ast.Tuple)) for a in node.args[:1])
    if not isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Call, ast.Compare, ast.Subscript)) or listed:
        return False
    if isinstance(node, ast.Call) and find_called(node) == "arange" and not node.keywords:
        # Whole numbers that places alone say.
        return not any(isinstance(n, ast.Constant) and isinstance(n.value, float) for n in ast.walk(node))
    stored = LIBRARY - {"dot", "matmul", "einsum", "outer"}
    return not any(isinstance(n, ast.Call) and find_called(n) in stored for n in ast.walk(node))


def is_joined(node: ast.expr) -> bool:
    """Whether a value puts arrays beside each other."""
    return isinstance(node, ast.Call) and find_called(node) in ("concatenate", "hstack", "vstack", "column_stack")


def count_stores(body: Sequence[ast.stmt]) -> dict[str, int]:
    """How often statements give a name, or elements of it, a value."""
    targets = (t for s in body for n in ast.walk(s) for t in find_targets(n))
    return dict(Counter(name for t in targets for name in name_targets(t)))


def find_targets(node: ast.AST) -> list[ast.expr]:
    """What a node of the tree gives a value."""
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
        return [node.target]
    if isinstance(node, ast.keyword) and node.arg == "out":
        return [node.value]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        # `x.sort()`, `rng.shuffle(x)`
        return [node.value.func, *node.value.args]
    return []


def name_targets(node: ast.AST) -> Iterator[str]:
    """Names of which (an element of) each gets a value."""
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
    for item in getattr(node, "elts", ()):
        yield from name_targets(item)


def count_loads(body: Sequence[ast.stmt]) -> dict[str, int]:
    """How often statements read a name, but for what only asks for its shape or type."""
    counts: dict[str, int] = {}
    for item in body:
        asked = {id(n.value) for n in ast.walk(item) if isinstance(n, ast.Attribute) and n.attr in ASKED} | {
            id(a) for n in ast.walk(item) if isinstance(n, ast.Call) and find_called(n) == "len" for a in n.args
        }
        for node in ast.walk(item):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in asked:
                counts[node.id] = counts.get(node.id, 0) + 1
    return counts


def find_aliases(body: Sequence[ast.stmt]) -> dict[str, set[str]]:
    """Names that may stand for (part of) others."""
    aliases: dict[str, set[str]] = {}
    for node in (n for s in body for n in ast.walk(s)):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            base: ast.AST = node.value
            while isinstance(base, (ast.Subscript, ast.Attribute, ast.Call)):
                base = base.func if isinstance(base, ast.Call) else base.value
            name = find_base(node.value) or (base.id if isinstance(base, ast.Name) and base.id not in MODULES else "")
            if name:
                aliases.setdefault(node.targets[0].id, set()).add(name)
                aliases.setdefault(name, set()).add(node.targets[0].id)
    return aliases


def count_uses(consumer: ast.stmt, name: str, *, summed: bool = False) -> int:
    """Uses of a name in a simple statement that adds its elements up once at most; 0 where others are among them.

    summed : whether sums alone are to use it.
    """
    if not isinstance(consumer, (ast.Assign, ast.AugAssign, ast.Return, ast.AnnAssign)) or consumer.value is None:
        return 0
    if isinstance(consumer, ast.Assign) and find_base(consumer.value):
        # A view of it, which others use.
        return 0
    targets = consumer.targets if isinstance(consumer, ast.Assign) else []
    if any(reads(t, name) for t in targets):
        return 0
    value: ast.AST = consumer.value
    if isinstance(consumer, ast.Return) and isinstance(value, ast.Tuple):
        # Of several results one uses it.
        using = [e for e in value.elts if reads(e, name)]
        value = using[0] if len(using) == 1 else value
    sums = find_sums(value, name, 0)
    # Variances of rows, as a statement of their own, subtract means, for which they add up all elements before.
    twice = isinstance(value, ast.Call) and find_called(value) in CENTRED and (value.keywords or len(value.args) > 1)
    added = sums is not None and all(s > 0 for s in sums)
    alike = sums is not None and (added or (len(set(sums)) == 1 and not summed))
    return len(sums or ()) * (2 if twice else 1) if alike else 0


def find_sums(node: ast.AST, name: str, inside: int) -> list[int] | None:
    """For each use of a name, the sum that adds it up (0 for none, below that one of all elements, a product, a scan).

    None where something else takes the array.

    inside : the sum around the node.
    """
    if isinstance(node, ast.Name):
        return [inside] if node.id == name else []
    if not reads(node, name) or (isinstance(node, ast.Attribute) and node.attr in ASKED):
        return []
    if takes_whole(node, name):
        return None
    if isinstance(node, ast.Call) and find_called(node) == "len":
        return []
    inside = inside or number_sum(node)
    uses: list[int] = []
    for child in ast.iter_child_nodes(node):
        below = find_sums(child, name, inside)
        if below is None:
            return None
        uses += below
    return uses


def number_sum(node: ast.AST) -> int:
    """A number of a node that adds elements up; 0 for none, below that of all elements, a product or a scan.

    Sums of rows are of one loop over them, sums of all elements each of its own.
    """
    if isinstance(node, ast.Call) and find_called(node) in REDUCTIONS:
        of_rows = any(k.arg == "axis" and not is_none(k.value) for k in node.keywords)
        method = isinstance(node.func, ast.Attribute) and find_base(node.func.value) not in MODULES
        return id(node) if of_rows or len(node.args) > (0 if method else 1) else -id(node)
    return -id(node) if is_product(node) else 0


def is_product(node: ast.AST) -> bool:
    """Whether a node is a product of arrays, a scan or a transform."""
    called = isinstance(node, ast.Call) and find_called(node) in SCANS | TRANSFORMS | MULTIPLIED
    return called or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult))


def reads(node: ast.AST, name: str) -> bool:
    """Whether an expression reads a name."""
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in ast.walk(node))


def takes_whole(node: ast.AST, name: str) -> bool:
    """Whether a node takes arrays as they lie in memory, one of them by this name as an index or inside of it."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Dict, ast.Lambda, ast.ListComp, ast.GeneratorExp)):
        return True
    if isinstance(node, ast.Subscript):
        return reads(node.slice, name)
    if isinstance(node, ast.Call) and find_called(node) == "bincount" and node.args:
        # Of what it adds up each of its turns takes an element.
        return reads(node.args[0], name)
    return isinstance(node, ast.Call) and find_called(node) in LIBRARY - SCANS - TRANSFORMS - MULTIPLIED


def find_selected(body: Sequence[ast.stmt]) -> dict[str, int]:
    """Names of elements that a condition chooses, which sums alone take, with how often: ``q = p[p > 0]``.

    How many they are is known to data alone; in a sum those that are left out are nothing.
    """
    nodes = [n for s in body for n in ast.walk(s)]
    stored = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    chosen = {
        s.targets[0].id for s in body if isinstance(s, ast.Assign) and len(s.targets) == 1
        and isinstance(s.targets[0], ast.Name) and isinstance(s.value, ast.Subscript) and stored[s.targets[0].id] == 1
    }  # fmt: skip
    read = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in chosen)
    taken: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    inside: set[int] = set()
    for call in (n for n in nodes if isinstance(n, ast.Call) and id(n) not in inside):
        name = find_called(call)
        axes = [k.value for k in call.keywords if k.arg == "axis"]
        if name == "len":
            asked.update(n.id for n in ast.walk(call) if isinstance(n, ast.Name))
        elif name in REDUCTIONS - {"argmax", "argmin", "norm"} and all(is_first(a) for a in axes):
            inside |= {id(n) for n in ast.walk(call)}
            taken.update(n.id for n in ast.walk(call) if isinstance(n, ast.Name))
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == "size" and isinstance(node.value, ast.Name):
            asked[node.value.id] += 1
    return {n: taken[n] for n in chosen if taken[n] and taken[n] + asked[n] == read[n]}


def is_first(axis: ast.expr) -> bool:
    """Whether an axis is the first, or none."""
    return isinstance(axis, ast.Constant) and axis.value in (0, None)
