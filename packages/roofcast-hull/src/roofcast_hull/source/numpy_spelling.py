"""Calls of NumPy as the operators and assignments that they are: ``np.add(a, b, out=c)`` is ``c[...] = a + b``."""

from __future__ import annotations

import ast
import copy
import itertools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from roofcast_hull.source.numpy_otherwise import fold_list, take_of_several, write_plain
from roofcast_hull.source.numpy_shapes import SCANS, SORTS, TRANSFORMS, find_called, fold_integer
from roofcast_hull.source.numpy_values import ELEMENTWISE
from roofcast_hull.source.python_names import ORIGIN, VIEWING

BINARY: dict[str, type[ast.operator]] = {
    "add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "divide": ast.Div, "true_divide": ast.Div,
    "power": ast.Pow, "float_power": ast.Pow, "mod": ast.Mod, "remainder": ast.Mod, "floor_divide": ast.FloorDiv,
    "bitwise_and": ast.BitAnd, "bitwise_or": ast.BitOr, "bitwise_xor": ast.BitXor, "left_shift": ast.LShift,
    "right_shift": ast.RShift,
}  # fmt: skip
COMPARED: dict[str, type[ast.cmpop]] = {
    "greater": ast.Gt, "less": ast.Lt, "greater_equal": ast.GtE, "less_equal": ast.LtE, "equal": ast.Eq,
    "not_equal": ast.NotEq, "logical_xor": ast.NotEq,
}  # fmt: skip
JOINED: dict[str, type[ast.boolop]] = {"logical_and": ast.And, "logical_or": ast.Or}
REDUCED = {
    "add": "sum",
    "multiply": "prod",
    "minimum": "min",
    "maximum": "max",
    "logical_or": "any",
    "logical_and": "all",
    # One operation for each element, whichever.
    "fmin": "min",
    "fmax": "max",
    "logaddexp": "max",
    "logaddexp2": "max",
    "hypot": "max",
    "subtract": "sum",
    "logical_xor": "any",
    "gcd": "max",
    "lcm": "max",
    "bitwise_and": "max",
    "bitwise_or": "max",
    "bitwise_xor": "max",
}
"""Functions of two arrays and what their ``reduce`` is called."""
MODULES = ("np", "numpy", "cp", "jnp", "xp")
"""Names under which files import NumPy, and what has its functions."""
SPREAD = ("gradient", "meshgrid", "divmod", "modf", "frexp")
"""Calls that give several arrays."""


def simplify(body: Iterable[ast.stmt]) -> list[ast.stmt]:
    """Statements with operators in place of calls."""
    return [s for item in body for s in simplify_statement(item)]


COMPARING: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
MOST_TURNS = 64
"""Turns of a list that is written by a loop, which are written out."""


def unroll(node: ast.ListComp | ast.GeneratorExp) -> ast.List | None:
    """``[np.roll(g, i) for i in (-1, 0, 1) if i]`` as the list that it is; None where the loops are over no numbers."""
    turns: list[dict[str, ast.expr]] = [{}]
    for loop in node.generators:
        given = list_numbers(loop.iter)
        names = [t.id for t in getattr(loop.target, "elts", [loop.target]) if isinstance(t, ast.Name)]
        if given is None or len(turns) * len(given) > MOST_TURNS:
            return None
        further: list[dict[str, ast.expr]] = []
        for turn, item in itertools.product(turns, given):
            values = item.elts if len(names) > 1 and isinstance(item, (ast.Tuple, ast.List)) else [item]
            if len(values) != len(names):
                return None
            further.append(turn | dict(zip(names, values, strict=True)))
        tests = [[fold_test(replace_names(c, turn)) for c in loop.ifs] for turn in further]
        if any(t is None for several in tests for t in several):
            return None
        turns = [turn for turn, several in zip(further, tests, strict=True) if all(several)]
    items = [replace_names(node.elt, turn) for turn in turns]
    return ast.fix_missing_locations(ast.copy_location(ast.List(items, ast.Load()), node)) if items else None


def list_numbers(node: ast.expr) -> list[ast.expr] | None:
    """What a loop over a written list, or a range of numbers, goes through; None for others."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return list(node.elts)
    if not isinstance(node, ast.Call) or find_called(node) != "range" or node.keywords:
        return None
    try:
        ends = [int(ast.literal_eval(a)) for a in node.args]
        numbers: list[ast.expr] = [ast.copy_location(ast.Constant(n), node) for n in range(*ends)[: MOST_TURNS + 1]]
    except (ValueError, TypeError):
        return None
    return numbers


def replace_names(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    """An expression with values in place of names."""

    class Values(ast.NodeTransformer):
        def visit_Name(self, item: ast.Name) -> ast.expr:
            """A name that has a value."""
            return copy.deepcopy(values[item.id]) if item.id in values else item

    return Values().visit(copy.deepcopy(node))  # type: ignore[no-any-return]


def fold_test(node: ast.expr) -> bool | None:
    """What a condition on written numbers is; None where others are in it."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = fold_test(node.operand)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        parts = [fold_test(v) for v in node.values]
        joined = all if isinstance(node.op, ast.And) else any
        return None if None in parts else joined(map(bool, parts))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARING:
        sides = [fold_value(n) for n in (node.left, node.comparators[0])]
        return None if None in sides else bool(COMPARING[type(node.ops[0])](*sides))
    value = fold_value(node)
    return None if value is None else bool(value)


def fold_value(node: ast.expr) -> Any:
    """A written number, or several; None for others."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return fold_integer(node, {})


def add_up(terms: Sequence[ast.expr], node: ast.Call) -> ast.expr:
    """Python's own sum of a written list, which begins with 0."""
    total: ast.expr = ast.Constant(0)
    for term in terms:
        total = ast.BinOp(total, ast.Add(), term)
    return ast.fix_missing_locations(ast.copy_location(total, node))


def simplify_statement(item: ast.stmt) -> list[ast.stmt]:
    """One statement, and what its calls write beside their value."""
    if isinstance(item, (ast.FunctionDef, ast.ClassDef)):
        return [item]
    item = copy.copy(item)
    for part in ("body", "orelse"):
        if isinstance(inner := getattr(item, part, None), list):
            setattr(item, part, simplify(inner))
    if not isinstance(item, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)) or item.value is None:
        return [item]
    factors = Factors()
    item.value = factors.visit(Operators().visit(copy.deepcopy(item.value)))
    before = [ast.fix_missing_locations(ast.copy_location(s, item)) for s in factors.before]
    for statement in before:
        vars(statement).update({n: v for n, v in vars(item).items() if n == ORIGIN})
    return [*before, *finish_statement(item)]


def count_in_bins(item: ast.Assign) -> list[ast.stmt]:
    """``h, edges = np.histogram(x, bins=64, range=(0, 1))`` as counts of equal bins; empty for other statements."""
    target, call = item.targets[0], item.value
    if len(item.targets) > 1:
        return []
    first_alone = isinstance(call, ast.Subscript) and isinstance(call.slice, ast.Constant) and call.slice.value == 0
    call = call.value if first_alone and isinstance(call, ast.Subscript) else call
    if not isinstance(call, ast.Call) or find_called(call) != "histogram" or not is_numpy(call) or not call.args:
        return []
    named = {k.arg: k.value for k in call.keywords}
    bins = named.get("bins", call.args[1] if len(call.args) > 1 else ast.Constant(10))
    span = named.get("range", call.args[2] if len(call.args) > 2 else None)
    targets = [target, None] if first_alone else list(getattr(target, "elts", ()))
    if len(targets) != 2 or isinstance(bins, (ast.List, ast.Call)) or "density" in named:
        return []
    source, text = ast.unparse(call.args[0]), ast.unparse
    ends = [f"least of line {item.lineno}", f"largest of line {item.lineno}"]
    parts = list(getattr(span, "elts", ())) or [
        ast.parse(f"np.{f}({source})", mode="eval").body for f in ("min", "max")
    ]
    # Real numbers, of which a difference is work, rather than of an index.
    parts = [
        ast.Constant(float(p.value)) if isinstance(p, ast.Constant) and isinstance(p.value, int) else p for p in parts
    ]
    statements: list[ast.stmt] = [ast.Assign([ast.Name(n, ast.Store())], p) for n, p in zip(ends, parts, strict=False)]
    low, high = (ast.Name(n, ast.Load()) for n in ends)
    scale = ast.BinOp(bins, ast.Div(), ast.BinOp(high, ast.Sub(), low))
    place = ast.BinOp(ast.BinOp(call.args[0], ast.Sub(), low), ast.Mult(), scale)
    options = [ast.keyword("minlength", bins), *(k for k in call.keywords if k.arg == "weights")]
    counted = ast.Call(ast.parse("np.bincount", mode="eval").body, [place], options)
    statements.append(ast.Assign([targets[0]], counted))  # type: ignore[list-item]
    if targets[1] is not None and ast.unparse(targets[1]) != "_":
        edges = ast.parse(f"np.linspace(0.0, 1.0, {text(bins)} + 1)", mode="eval").body
        statements.append(ast.Assign([targets[1]], edges))
    return [ast.fix_missing_locations(ast.copy_location(s, item)) for s in statements]


def split_values(item: ast.Assign) -> list[ast.stmt]:
    """``a, b = x[i], x[j]`` as an assignment each, where none needs what another one replaces; empty for others."""
    target, value = item.targets[0], item.value
    if len(item.targets) > 1 or not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return []
    names = [t.id for t in target.elts if isinstance(t, ast.Name)]
    read = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    if len(names) != len(value.elts) or len(names) != len(target.elts) or {*names} & read or len({*names}) < len(names):
        return []
    if all(isinstance(v, (ast.Constant, ast.Name)) for v in value.elts):
        return []
    pairs = zip(target.elts, value.elts, strict=True)
    return [s for t, v in pairs for s in finish_statement(ast.copy_location(ast.Assign([t], v), item))]


def finish_statement(item: ast.stmt) -> list[ast.stmt]:
    """A statement whose value is written in operators, and what its calls write beside that."""
    if isinstance(item, ast.Assign) and (several := count_in_bins(item) or split_values(item)):
        return several
    if isinstance(item, ast.Return) and item.value is not None:
        counts = ast.Name(f"counts of line {item.lineno}", ast.Store())
        held = ast.fix_missing_locations(ast.copy_location(ast.Assign([counts], item.value), item))
        if several := count_in_bins(held):
            back = ast.copy_location(ast.Return(ast.Name(counts.id, ast.Load())), item)
            return [*several, ast.fix_missing_locations(back)]
    if isinstance(item, (ast.Assign, ast.Return)) and (several := split_view(item)):
        return several
    if isinstance(item, ast.Expr) and isinstance(item.value, ast.Call):
        return [write_into(item.value) or item]
    if isinstance(item, ast.Assign) and isinstance(item.value, ast.Call):
        return spread_value(item, item.value)
    return [item]


PRODUCTS = frozenset(["dot", "matmul", "einsum", "inner", "tensordot"])
"""Calls that multiply arrays."""
FACTOR = "factor"
"""What the name of an array begins with that a product takes and that has none."""


class Factors(ast.NodeTransformer):
    """Gives what products of arrays take a name, where it is computed: ``x.T @ (p - y)``."""

    def __init__(self) -> None:
        self.before: list[ast.stmt] = []

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """``a @ b``."""
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            node.left, node.right = self.name(node.left), self.name(node.right)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """``np.dot(a, b)``."""
        self.generic_visit(node)
        if find_called(node) in PRODUCTS and is_numpy(node):
            node.args = [self.name(a) for a in node.args]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        """What a function computes stands where it is called."""
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        """What a loop computes stays inside of it."""
        return node

    def name(self, node: ast.expr) -> ast.expr:
        """A factor, the arrays in it that are computed by their names."""
        base = node
        while (inner := find_viewed(base)) is not None:
            base = inner
        signed = isinstance(base, ast.UnaryOp) and not isinstance(base.operand, ast.Constant)
        worked = isinstance(base, ast.BinOp) and not isinstance(base.op, ast.MatMult)
        called = isinstance(base, ast.Call) and find_called(base) in ELEMENTWISE
        if not (signed or worked or called) or fold_value(base) is not None:
            return node
        label = f"{FACTOR} {len(self.before) + 1} of line {base.lineno}"
        self.before.append(ast.Assign([ast.Name(label, ast.Store())], base))
        return Place(base, ast.Name(label, ast.Load())).visit(node)  # type: ignore[no-any-return]


STORED = (
    SCANS | SORTS | TRANSFORMS | {"dot", "matmul", "einsum", "tensordot", "stack", "concatenate", "vstack", "hstack"}
)
"""Calls whose value is stored as a whole."""


def split_view(item: ast.Assign | ast.Return) -> list[ast.stmt]:
    """``q = (x @ w).reshape(n, -1).T`` as a stored array and what it is seen as; empty for other statements.

    Where an array is only seen backwards, that is how it is stored.
    """
    target = item.targets[0] if isinstance(item, ast.Assign) else ast.Name("result")
    whole = item.value
    if whole is None or not isinstance(target, ast.Name) or (isinstance(item, ast.Assign) and len(item.targets) > 1):
        return []
    stored, steps = whole, list[ast.expr]()
    while (inner := find_viewed(stored)) is not None:
        steps.append(stored)
        stored = inner
    products = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.MatMult) for n in ast.walk(stored))
    named = isinstance(stored, ast.Call) and find_called(stored) in STORED
    if not steps or not (named or (products and isinstance(stored, ast.BinOp))):
        return []
    if all(is_flip(s) for s in steps):
        item.value = stored
        return [item]
    label = f"{target.id} before its view"
    first = ast.copy_location(ast.Assign([ast.Name(label, ast.Store())], stored), item)
    item.value = Place(stored, ast.Name(label, ast.Load())).visit(whole)
    return [ast.fix_missing_locations(s) for s in (first, item)]


def find_viewed(node: ast.expr) -> ast.expr | None:
    """What an expression is a view of, by ``.T``, slices and calls that move nothing; None for others."""
    if isinstance(node, ast.Attribute) and node.attr == "T":
        return node.value
    if isinstance(node, ast.Subscript):
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        plain = all(
            isinstance(i, (ast.Slice, ast.Constant, ast.UnaryOp)) or ast.unparse(i) == "np.newaxis" for i in items
        )
        return node.value if plain else None
    if not isinstance(node, ast.Call) or find_called(node) not in VIEWING:
        return None
    if is_numpy(node):
        return node.args[0] if node.args else None
    return node.func.value if isinstance(node.func, ast.Attribute) else None


def is_flip(node: ast.expr) -> bool:
    """Whether a view is all of an array, axes in their order: ``a[:, ::-1]``."""
    if isinstance(node, ast.Call):
        return find_called(node) in ("flip", "fliplr", "flipud")
    if not isinstance(node, ast.Subscript):
        return False
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    steps = [ast.unparse(i) for i in items]
    return "::-1" in steps and set(steps) <= {":", "::-1", "..."}


class Place(ast.NodeTransformer):
    """Puts a name in the place of one node."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        """A node of the tree."""
        return ast.copy_location(self.new, self.old) if node is self.old else self.generic_visit(node)


def write_into(call: ast.Call) -> ast.stmt | None:
    """``np.exp(x, out=y)``, ``np.copyto(y, x)``, ``y.fill(0)`` as an assignment to elements of y; None for others."""
    name = find_called(call)
    if (target := find_out(call)) is not None:
        return assign_elements(target, without_out(call), call)
    if name == "copyto" and len(call.args) == 2:
        return assign_elements(call.args[0], call.args[1], call)
    if name == "fill" and isinstance(call.func, ast.Attribute) and len(call.args) == 1:
        return assign_elements(call.func.value, call.args[0], call)
    return None


def find_out(call: ast.Call) -> ast.expr | None:
    """What a call writes its value into: ``out=y``, or the third argument of a function of two arrays."""
    named = next((k.value for k in call.keywords if k.arg == "out"), None)
    name = find_called(call)
    if isinstance(named, ast.Constant):
        return None
    if named is None and is_numpy(call) and len(call.args) == 3 and (name in BINARY or name in ("matmul", "dot")):
        return call.args[2]
    return named


def without_out(call: ast.Call) -> ast.expr:
    """The value of such a call."""
    arguments = call.args
    if not any(k.arg == "out" for k in call.keywords):
        arguments = arguments[:2]
    rest = ast.Call(call.func, arguments, [k for k in call.keywords if k.arg != "out"])
    return Operators().visit(ast.copy_location(rest, call))  # type: ignore[no-any-return]


def assign_elements(target: ast.expr, value: ast.expr, at: ast.expr) -> ast.Assign:
    """``target[...] = value``."""
    if not isinstance(target, ast.Subscript):
        target = ast.copy_location(ast.Subscript(target, ast.Constant(...), ast.Store()), at)
    target = copy.copy(target)
    target.ctx = ast.Store()
    return ast.fix_missing_locations(ast.copy_location(ast.Assign([target], value), at))


def spread_value(item: ast.Assign, call: ast.Call) -> list[ast.stmt]:
    """``gy, gx = np.gradient(z)`` as a value for each name; ``c = np.cross(a, b)`` as a stack."""
    target, name = item.targets[0], find_called(call)
    if (out := find_out(call)) is not None:
        return [assign_elements(out, without_out(call), call), replace_value(item, out)]
    if isinstance(target, ast.Tuple) and name in SPREAD and is_numpy(call):
        several = [spread_call(call, name, at, len(target.elts)) for at in range(len(target.elts))]
        item.value = ast.copy_location(ast.Tuple(several, ast.Load()), call)
    return [item]


def replace_value(item: ast.Assign, value: ast.expr) -> ast.Assign:
    """An assignment of what has been written."""
    read = copy.copy(value)
    if isinstance(read, (ast.Name, ast.Subscript, ast.Attribute)):
        read.ctx = ast.Load()
    return ast.copy_location(ast.Assign(item.targets, read), item)


def spread_call(call: ast.Call, name: str, at: int, several: int) -> ast.expr:
    """The call of one of several arrays."""
    if name == "gradient":
        keywords = [ast.keyword("axis", ast.copy_location(ast.Constant(at), call))]
        along = ast.Call(call.func, [call.args[0], *call.args[1 + at : 2 + at]], keywords)
        return ast.copy_location(along, call)
    if (part := take_of_several(call, name, at)) is not None:
        return ast.fix_missing_locations(ast.copy_location(part, call))
    if name == "meshgrid" and (spread := spread_mesh(call, at)) is not None:
        return spread
    place = ast.keyword("place", ast.copy_location(ast.Constant(at), call))
    return ast.copy_location(ast.Call(call.func, call.args, [*call.keywords, place]), call)


def spread_mesh(call: ast.Call, at: int) -> ast.expr | None:
    """One of the arrays of ``np.meshgrid(x, y)``: rows or columns that repeat a named array; None for others."""
    named = {k.arg: k.value for k in call.keywords}
    names = [a.id for a in call.args if isinstance(a, ast.Name)]
    order = named.pop("indexing", ast.Constant("xy"))
    if len(names) != len(call.args) or len(names) < 2 or named or not isinstance(order, ast.Constant):
        return None
    axes = list(range(len(names)))
    if order.value == "xy":
        axes[:2] = [1, 0]
    where = axes.index(at)
    index = ", ".join(":" if n == where else "None" for n in range(len(names)))
    shape = ", ".join(f"{names[n]}.size" for n in axes)
    written = ast.parse(f"np.broadcast_to({names[at]}[{index}], ({shape})).copy()", mode="eval").body
    return ast.fix_missing_locations(settle_lines(written, call))


def settle_lines(node: ast.expr, like: ast.expr) -> ast.expr:
    """An expression whose parts stand in the line of another one."""
    for inside in ast.walk(node):
        ast.copy_location(inside, like)
    return node


def write_reduction(call: ast.Call) -> ast.expr | None:
    """``np.minimum.reduce(a, axis=0)`` as ``np.min``; None for functions that no reduction is named for."""
    whose = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(whose, ast.Attribute) or getattr(whose.value, "id", "") not in MODULES or not call.args:
        return None
    name = REDUCED.get(whose.attr)
    named = {str(k.arg): k.value for k in call.keywords}

    def join(left: ast.expr, right: ast.expr) -> ast.expr:
        pair = ast.copy_location(ast.Call(whose, [left, right], []), call)
        return write_operator(pair, whose.attr) or pair

    if (folded := fold_list(call.args, named, join)) is not None:
        return ast.fix_missing_locations(ast.copy_location(folded, call))
    stated = len(call.args) > 1 or any(k.arg == "axis" for k in call.keywords)
    first = [] if stated else [ast.keyword("axis", ast.Constant(0))]
    if name is None:
        return None
    joined = ast.Call(ast.Attribute(whose.value, name, ast.Load()), call.args, [*call.keywords, *first])
    return ast.fix_missing_locations(ast.copy_location(joined, call))


def write_choice(call: ast.Call) -> ast.expr | None:
    """``np.select([c, d], [x, y], z)`` as choices, ``np.take(a, i, axis=1)`` as an index; None for others."""
    named = {k.arg: k.value for k in call.keywords}
    written: ast.expr
    if find_called(call) == "take":
        axis = named.get("axis", call.args[2] if len(call.args) > 2 else None)
        if len(call.args) < 2 or not isinstance(axis, ast.Constant) or axis.value not in (0, 1):
            return None
        whole = [ast.Slice()] if axis.value else []
        index = ast.Tuple([*whole, call.args[1]], ast.Load()) if whole else call.args[1]
        written = ast.Subscript(call.args[0], index, ast.Load())
    else:
        lists = [a for a in call.args[:2] if isinstance(a, (ast.List, ast.Tuple))]
        if len(lists) != 2 or len(lists[0].elts) != len(lists[1].elts):
            return None
        written = named.get("default", call.args[2] if len(call.args) > 2 else ast.Constant(0))
        for test, value in zip(lists[0].elts[::-1], lists[1].elts[::-1], strict=True):
            written = ast.Call(
                ast.Attribute(ast.Name("np", ast.Load()), "where", ast.Load()), [test, value, written], []
            )
    return ast.fix_missing_locations(ast.copy_location(written, call))


def spread_places(call: ast.Call) -> ast.expr:
    """Indices of ``x[np.ix_(i, j)]``: each along a dimension of its own."""
    places: list[ast.expr] = []
    for at, index in enumerate(call.args):
        items: list[ast.expr] = [ast.Slice() if n == at else ast.Constant(None) for n in range(len(call.args))]
        places.append(ast.Subscript(index, ast.Tuple(items, ast.Load()), ast.Load()))
    return ast.fix_missing_locations(settle_lines(ast.Tuple(places, ast.Load()), call))


def is_linear(call: ast.Call) -> bool:
    """Whether a function of NumPy's linear algebra is called that others stand for."""
    return isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value).partition(".")[2] == "linalg"


def is_numpy(call: ast.Call) -> bool:
    """Whether a function of NumPy itself is called."""
    return isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") in MODULES


FIRST_NAMES = ("a", "arr", "array", "m", "x")
"""What NumPy's functions of one array call it."""


def place_first(node: ast.Call) -> None:
    """Write ``np.max(a=x, axis=0)`` as ``np.max(x, axis=0)``."""
    given = next((k for k in node.keywords if k.arg in FIRST_NAMES), None)
    if given is not None and not node.args and is_numpy(node) and find_called(node) not in ("where", "select"):
        node.args = [given.value]
        node.keywords.remove(given)


def write_average(node: ast.Call, name: str) -> ast.expr | None:
    """``np.average(x, weights=w)`` as a quotient of sums, ``np.ptp(x)`` as the largest less the least.

    None of weights along an axis, whose dimensions say what they multiply.
    """

    def call(function: str, what: ast.expr) -> ast.Call:
        options = [k for k in node.keywords if k.arg in ("axis", "keepdims")]
        behind = [] if name == "average" else node.args[1:]
        axis = [ast.keyword("axis", node.args[1])] if name == "average" and len(node.args) > 1 else []
        whose = ast.Attribute(ast.Name("np", ast.Load()), function, ast.Load())
        return ast.Call(whose, [what, *behind], [*axis, *options])

    weights = next((k.value for k in node.keywords if k.arg == "weights"), None)
    value: ast.expr
    if name == "ptp":
        value = ast.BinOp(call("max", node.args[0]), ast.Sub(), call("min", node.args[0]))
    elif weights is None:
        value = call("mean", node.args[0])
    else:
        axis = next((k.value for k in node.keywords if k.arg == "axis"), node.args[1] if len(node.args) > 1 else None)
        if axis is not None:
            return None
        total = call("sum", ast.BinOp(node.args[0], ast.Mult(), weights))
        value = ast.BinOp(total, ast.Div(), ast.Call(total.func, [weights], []))
    return ast.fix_missing_locations(ast.copy_location(value, node))


def is_written(node: ast.expr) -> bool:
    """Whether a number is written."""
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


class Operators(ast.NodeTransformer):
    """Writes calls of NumPy as operators."""

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        """A list whose loop is over numbers."""
        return self.visit_generator(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        """Likewise."""
        return self.visit_generator(node)

    def visit_generator(self, node: ast.ListComp | ast.GeneratorExp) -> ast.expr:
        """Either of them."""
        written = unroll(node)
        if written is None:
            return node
        self.generic_visit(written)
        return written

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """``np.r_[0, x]`` and ``np.c_[x, y]`` as the calls that they are."""
        self.generic_visit(node)
        whose = node.value
        if isinstance(whose, ast.Call) and is_numpy(whose) and find_called(whose) in SPREAD:
            axes = [k for k in whose.keywords if k.arg == "axis"]
            number = fold_value(node.slice)
            return node if type(number) is not int or axes else spread_call(whose, find_called(whose), number, 0)
        if isinstance(node.slice, ast.Call) and is_numpy(node.slice) and find_called(node.slice) == "ix_":
            node.slice = spread_places(node.slice)
            return node
        if (
            not isinstance(whose, ast.Attribute)
            or whose.attr not in ("r_", "c_")
            or ast.unparse(whose.value) not in MODULES
        ):
            return node
        parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(isinstance(p, ast.Slice) for p in parts):
            return node
        items: list[ast.expr] = [ast.List([p], ast.Load()) if is_written(p) else p for p in parts]
        name = "concatenate" if whose.attr == "r_" else "column_stack"
        call = ast.Call(ast.Attribute(whose.value, name, ast.Load()), [ast.Tuple(items, ast.Load())], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """``np.add(a, b)``, ``np.logical_not(a)``, ``np.linalg.norm``."""
        self.generic_visit(node)
        place_first(node)
        name = find_called(node)
        if isinstance(node.func, ast.Name) and name == "sum" and len(node.args) == 1 and not node.keywords:
            terms = node.args[0].elts if isinstance(node.args[0], (ast.List, ast.Tuple)) else []
            return add_up(terms, node) if terms else node
        whose = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in FOLDED and isinstance(whose, ast.Call) and find_called(whose) in ("array", "stack"):
            plain = ast.copy_location(ast.Call(node.func, [whose, *node.args], node.keywords), node)
            if (folded := fold_arrays(plain, name)) is not None:
                return folded
        return write_otherwise(node, name) or write_operator(node, name) or node


def write_otherwise(node: ast.Call, name: str) -> ast.expr | None:
    """Calls that others stand for; None for those that stay."""
    if name == "reduce":
        return write_reduction(node)
    if not (is_numpy(node) or is_linear(node)) or not node.args:
        return None
    if (plain := write_plain(node, name)) is not None:
        return write_otherwise(plain, find_called(plain)) or plain if isinstance(plain, ast.Call) else plain
    if name in FOLDED and (folded := fold_arrays(node, name)) is not None:
        return folded
    if name in ("ptp", "average"):
        return write_average(node, name)
    return write_choice(node) if name in ("select", "take") else None


FOLDED: dict[str, str] = {
    "sum": "add", "max": "maximum", "min": "minimum", "amax": "maximum", "amin": "minimum", "prod": "multiply",
    "mean": "add", "any": "logical_or", "all": "logical_and",
}  # fmt: skip
"""Sums over a written list of arrays, and the functions of two arrays that they are made of."""


def fold_arrays(node: ast.Call, name: str) -> ast.expr | None:
    """``np.mean([a, b], axis=0)`` as sums of arrays; None for others."""
    named = {str(k.arg): k.value for k in node.keywords}
    if "axis" not in named and len(node.args) < 2:
        return None

    def join(left: ast.expr, right: ast.expr) -> ast.expr:
        function = ast.Attribute(ast.Name("np", ast.Load()), FOLDED[name], ast.Load())
        pair = ast.copy_location(ast.Call(function, [left, right], []), node)
        return write_operator(pair, FOLDED[name]) or pair

    folded = fold_list(node.args, named, join)
    if folded is not None and name == "mean":
        listed = node.args[0]
        while isinstance(listed, ast.Call):
            listed = listed.args[0]
        folded = ast.BinOp(folded, ast.Div(), ast.Constant(len(listed.elts)))  # type: ignore[attr-defined]
    return None if folded is None else ast.fix_missing_locations(settle_lines(folded, node))


def write_operator(node: ast.Call, name: str) -> ast.expr | None:
    """A call of a function as the operator that it is; None for others."""
    if not is_numpy(node) or any(k.arg in ("out", "where") for k in node.keywords):
        return None
    operator_of: ast.expr | None = None
    given = node.args
    if name in BINARY and len(given) == 2:
        operator_of = ast.BinOp(given[0], BINARY[name](), given[1])
    elif name in COMPARED and len(given) == 2:
        operator_of = ast.Compare(given[0], [COMPARED[name]()], [given[1]])
    elif name in JOINED and len(given) == 2:
        operator_of = ast.BoolOp(JOINED[name](), list(given))
    elif name == "negative" and len(given) == 1:
        operator_of = ast.UnaryOp(ast.USub(), given[0])
    elif name in ("logical_not", "invert") and len(given) == 1:
        operator_of = ast.UnaryOp(ast.Invert(), given[0])
    return None if operator_of is None else ast.copy_location(operator_of, node)
