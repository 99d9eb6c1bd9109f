"""Python in the words that its readers know: what is only spelled otherwise, and what only stops a program."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from roofcast_hull.source.list_arrays import write_lists
from roofcast_hull.source.name_versions import mark_exchanges, version_turns
from roofcast_hull.source.numba_arrays import write_loops
from roofcast_hull.source.python_parts import write_parts
from roofcast_hull.source.python_syntax import assigns

LIBRARIES = {"numpy": "np", "cupy": "np", "triton.language": "tl"}
"""Modules whose names files import one by one, and how readers call them."""
NUMBERS = (".pi", ".e", ".inf", ".nan", ".euler_gamma")
"""Members of NumPy that are numbers."""
COUNTING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def write_plainly(tree: ast.Module) -> ast.Module:
    """A file in place, with ``np.zeros`` for ``zeros`` of ``from numpy import zeros`` and the like."""
    named = {
        alias.asname or alias.name: f"{LIBRARIES[node.module or '']}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in LIBRARIES
        for alias in node.names
        if alias.name != "*"
    }
    stored = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    labels = {a.arg for n in ast.walk(tree) if isinstance(n, ast.arguments) for a in list_arguments(n)}
    functions = frozenset(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
    renamed = {n: w for n, w in find_renamed(tree).items() if stored[n] == 1 and n not in functions | {*named}}
    named, taken = named | renamed, {*stored} - {*renamed} | labels
    for node in ast.walk(tree):
        if isinstance(node, ast.For):
            node.body = list(go_on(node.body))
    Words({n: w for n, w in named.items() if n not in taken}, functions).visit(tree)
    write_lists(tree)
    write_parts(tree)
    for node in ast.walk(tree):
        device = isinstance(node, ast.FunctionDef) and re.search(
            r"cuda|triton", " ".join(map(ast.unparse, node.decorator_list))
        )
        if isinstance(node, ast.FunctionDef) and not device:
            Clamps(node).visit(node)
            version_turns(node)
            mark_exchanges(node)
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                setattr(node, field, list(count_whiles(block)))
    write_loops(tree)
    return ast.fix_missing_locations(tree)


def list_arguments(node: ast.arguments) -> list[ast.arg]:
    """All that a function is given."""
    return [*node.posonlyargs, *node.args, *node.kwonlyargs, *(a for a in (node.vararg, node.kwarg) if a is not None)]


def find_renamed(tree: ast.Module) -> dict[str, str]:
    r"""Names that statements of a file give members of NumPy that are no numbers: ``f32 = np.float32``.

    >>> find_renamed(ast.parse("import numpy as np\nU, root, turn = np.uint64, np.sqrt, np.pi"))
    {'U': 'np.uint64', 'root': 'np.sqrt'}
    """
    renamed = {}
    for item in (s for s in tree.body if isinstance(s, ast.Assign)):
        for target in item.targets:
            several = isinstance(target, ast.Tuple) and isinstance(item.value, ast.Tuple)
            pairs = zip(target.elts, item.value.elts, strict=False) if several else [(target, item.value)]  # type: ignore[attr-defined]
            for name, value in pairs:
                member = re.fullmatch(r"(?:np|numpy)((?:\.\w+)+)", ast.unparse(value))
                if isinstance(name, ast.Name) and member and member[1] not in NUMBERS:
                    renamed[name.id] = f"np{member[1]}"
    return renamed


class Words(ast.NodeTransformer):
    """Replaces one node at a time. named : what imported names are called. own : functions of the file."""

    def __init__(self, named: dict[str, str], own: frozenset[str]) -> None:
        self.named, self.own = named, own

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """An imported name as a member of its library."""
        if node.id not in self.named or not isinstance(node.ctx, ast.Load):
            return node
        library, *words = self.named[node.id].split(".")
        value: ast.expr = ast.Name(library, ast.Load())
        for word in words:
            value = ast.Attribute(value, word, ast.Load())
        return ast.copy_location(value, node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """``a[slice(1, n)]`` is ``a[1:n]``."""
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        plain = [self.open_slice(p) for p in parts]
        if isinstance(node.slice, ast.Tuple):
            node.slice.elts = plain
        else:
            node.slice = plain[0]
        return node

    def open_slice(self, node: ast.expr) -> ast.expr:
        """A call of ``slice`` as colons."""
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "slice"
        if not called or not isinstance(node, ast.Call) or node.keywords or not 1 <= len(node.args) <= 3:
            return node
        given = [None if isinstance(a, ast.Constant) and a.value is None else a for a in node.args]
        lower, upper, step = [None, given[0], None] if len(given) == 1 else [*given, None][:3]
        return ast.copy_location(ast.Slice(lower, upper, step), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """What the environment replaces has the value that it has without; ``int(8)`` is 8."""
        self.generic_visit(node)
        name = ast.unparse(node.func)
        if name in ("os.environ.get", "environ.get", "os.getenv", "getenv") and len(node.args) == 2:
            return node.args[1]
        if name == "int" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            value = node.args[0].value
            if type(value) is int or (isinstance(value, str) and value.strip().isdecimal()):
                return ast.copy_location(ast.Constant(int(value)), node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        """``for t in reversed(range(n))`` counts down."""
        self.generic_visit(node)
        outer, inner = node.iter, node.iter.args[0] if isinstance(node.iter, ast.Call) and node.iter.args else None
        if not isinstance(outer, ast.Call) or getattr(outer.func, "id", "") != "reversed" or len(outer.args) != 1:
            return node
        if not isinstance(inner, ast.Call) or getattr(inner.func, "id", "") != "range" or len(inner.args) > 2:
            return node
        first, end = inner.args if len(inner.args) == 2 else (ast.Constant(0), inner.args[0])
        ends = [
            ast.Constant(v.value - 1)
            if isinstance(v, ast.Constant) and isinstance(v.value, int)
            else ast.BinOp(v, ast.Sub(), ast.Constant(1))
            for v in (end, first)
        ]
        inner.args = [*ends, ast.Constant(-1)]
        node.iter = inner
        return node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """A branch that only raises is none of the work; of a condition that is a constant, one branch runs."""
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return (node.body if node.test.value else node.orelse) or ast.copy_location(ast.Pass(), node)
        if all(isinstance(s, ast.Raise) for s in node.body):
            return node.orelse or ast.copy_location(ast.Pass(), node)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Nor is a check, but for the functions of the file that it calls."""
        called = {getattr(n.func, "id", "") for n in ast.walk(node.test) if isinstance(n, ast.Call)}
        return node if called & self.own else ast.copy_location(ast.Pass(), node)


class Clamps(ast.NodeTransformer):
    """Writes ``if k < 0: k = 0`` as ``k = max(k, 0)`` of whole numbers. function : where they are."""

    def __init__(self, function: ast.FunctionDef) -> None:
        assigned = [n for n in ast.walk(function) if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
        self.whole = {
            n.targets[0].id for n in assigned  # type: ignore[attr-defined]
            if isinstance(n.value, ast.Call) and ast.unparse(n.value.func).rpartition(".")[2] in WHOLE
        }  # fmt: skip
        indices = [n.slice for n in ast.walk(function) if isinstance(n, ast.Subscript)]
        self.whole |= {n.id for i in indices for n in ast.walk(i) if isinstance(n, ast.Name)}

    def visit_If(self, node: ast.If) -> ast.AST:
        """Such a branch as an assignment."""
        self.generic_visit(node)
        test, item = node.test, node.body[0]
        if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and len(node.body) == 1 and not node.orelse):
            return node
        if not (isinstance(item, ast.Assign) and len(item.targets) == 1 and isinstance(item.targets[0], ast.Name)):
            return node
        sides, name = [test.left, test.comparators[0]], item.targets[0].id
        texts, least = [ast.unparse(s) for s in sides], isinstance(test.ops[0], (ast.Lt, ast.LtE))
        plain = least or isinstance(test.ops[0], (ast.Gt, ast.GtE))
        if name not in self.whole or not plain or name not in texts:
            return node
        other = texts[1 - texts.index(name)]
        # `if k >= n: k = n - 1` is a bound, too.
        if ast.unparse(item.value) not in (other, f"{other} - 1", f"{other} + 1"):
            return node
        function = "max" if least == (texts[0] == name) else "min"
        call = ast.Call(ast.Name(function, ast.Load()), [ast.Name(name, ast.Load()), item.value], [])
        return ast.copy_location(ast.Assign(item.targets, call), node)


WHOLE = ("int", "int32", "int64", "intp", "floor", "round", "rint")
"""Functions that make whole numbers of real ones."""
OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
}  # fmt: skip


def go_on(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a loop with ``if c: continue`` as a condition of those behind it."""
    for at, item in enumerate(block):
        skips = isinstance(item, ast.If) and len(item.body) == 1 and isinstance(item.body[0], ast.Continue)
        if isinstance(item, ast.If) and skips and not item.orelse and block[at + 1 :]:
            test = item.test
            if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in OPPOSITE:
                turned: ast.expr = ast.Compare(test.left, [OPPOSITE[type(test.ops[0])]()], test.comparators)
            else:
                turned = ast.UnaryOp(ast.Not(), test)
            rest = list(go_on(block[at + 1 :]))
            yield ast.copy_location(ast.If(ast.copy_location(turned, test), rest, []), item)
            return
        yield item


def count_whiles(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements with ``i = 0; while i < n: ...; i += 1`` as a loop over a range."""
    for at, item in enumerate(block):
        counted = count_while(item, block[:at]) if isinstance(item, ast.While) else None
        yield counted or item


def count_while(node: ast.While, before: list[ast.stmt]) -> ast.For | None:
    """A loop whose last statement steps its counter by a number, as one over a range; None for others.

    before : statements of the block that come before it.
    """
    test, last = node.test, node.body[-1]
    if not (isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and len(test.ops) == 1):
        return None
    name, op = test.left.id, test.ops[0]
    stepped = isinstance(last, ast.AugAssign) and isinstance(last.target, ast.Name) and last.target.id == name
    if not stepped or not isinstance(last, ast.AugAssign) or not isinstance(op, COUNTING) or node.orelse:
        return None
    up = isinstance(op, (ast.Lt, ast.LtE))
    step = last.value
    plain = isinstance(step, ast.Constant) and type(step.value) is int and step.value > 0
    if not plain or not isinstance(last.op, ast.Add if up else ast.Sub):
        return None
    inside = [n for s in node.body[:-1] for n in ast.walk(s)]
    stores = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound = {n.id for n in ast.walk(test.comparators[0]) if isinstance(n, ast.Name)}
    if stores & {name, *bound} or any(isinstance(n, (ast.Continue, ast.Break)) for n in inside):
        return None
    first = next((s for s in reversed(before) if assigns(s, name)), None)
    if not isinstance(first, ast.Assign) or not isinstance(first.targets[0], ast.Name):
        return None
    end = test.comparators[0]
    if isinstance(op, (ast.LtE, ast.GtE)):
        end = ast.BinOp(end, ast.Add() if up else ast.Sub(), ast.Constant(1))
    by = step if up else ast.UnaryOp(ast.USub(), step)
    call = ast.Call(ast.Name("range", ast.Load()), [first.value, end, by], [])
    body = node.body[:-1] or [ast.Pass()]
    return ast.copy_location(ast.For(ast.Name(name, ast.Store()), call, body, []), node)
