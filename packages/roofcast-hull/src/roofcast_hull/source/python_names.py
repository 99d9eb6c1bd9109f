"""Names of Python code: which get values, which a function gives back."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from roofcast_hull.source.numpy_shapes import find_called

ORIGIN = "origin"
"""Attribute of statements: the identity of the outermost one that they were written out for."""


def find_returned(body: Sequence[ast.stmt]) -> set[str]:
    """Names of what a function gives back as it is, or a part of, and those of others that it gives values.

    body : its statements.
    """
    nodes = [n for s in body for n in ast.walk(s)]
    values = [n.value for n in nodes if isinstance(n, (ast.Return, ast.Yield)) and n.value is not None]
    items = [i for v in values for i in (v.elts if isinstance(v, (ast.Tuple, ast.List)) else [v])]
    names = {n.id for i in map(strip_shapes, items) if is_view(i) for n in ast.walk(i) if isinstance(n, ast.Name)}
    # What others may see: the file's own names, and members of objects.
    outside = {n for g in nodes if isinstance(g, ast.Global) for n in g.names}
    returns = [n for n in nodes if isinstance(n, ast.Return)]
    return names | outside | {"result"} | {name for node in returns for name, _ in list_results(node)}


def list_results(node: ast.Return) -> list[tuple[str, ast.expr]]:
    """What a function gives back, each with the name that it has where it is computed there.

    Another shape of what is computed is none of its own.
    """
    items = list_parts(node.value) if node.value else []
    return [(f"result {n}" if n > 1 else "result", strip_shapes(item)) for n, item in enumerate(items, 1)]


def list_parts(node: ast.expr) -> list[ast.expr]:
    """The items of tuples, lists and dictionaries, those inside of them one by one; else the expression itself."""
    if isinstance(node, ast.Dict):
        return [part for value in node.values for part in list_parts(value)]
    if isinstance(node, (ast.Tuple, ast.List)):
        return [part for item in node.elts for part in list_parts(item)]
    return [node]


def find_assigned(body: list[ast.stmt]) -> frozenset[str]:
    """Scalars that loops assign: data, not sizes."""
    inside = [n for s in body for loop in ast.walk(s) if isinstance(loop, (ast.For, ast.While)) for n in ast.walk(loop)]
    targets = [t for n in inside if isinstance(n, ast.Assign) for t in n.targets]
    targets += [n.target for n in inside if isinstance(n, ast.AugAssign)]
    stored = [n for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return frozenset(n.id for n in stored) | {name_value_before(n.id, n.lineno) for n in stored}


def find_assigned_once(body: Sequence[ast.stmt]) -> frozenset[str]:
    """Names that one statement alone gives a value: what they hold is what it says."""
    nodes = [n for s in body for n in ast.walk(s)]
    stored = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    summed = {n.target.id for n in nodes if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    return frozenset(n for n, times in stored.items() if times == 1) - summed


def name_value_before(name: str, line: int) -> str:
    """What holds the value of a name while others are computed that are assigned with it."""
    return f"{name} of line {line}"


def is_view(node: ast.expr) -> bool:
    """Whether an expression only names (part of) an array."""
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "T"):
        node = node.value
    return isinstance(node, ast.Name)


VIEWING = frozenset(
    ["asarray", "ascontiguousarray", "asanyarray", "reshape", "ravel", "transpose", "squeeze", "expand_dims", "view",
     "swapaxes", "moveaxis", "atleast_1d", "atleast_2d", "broadcast_to", "diagonal", "flip", "fliplr", "flipud",
     "rot90", "sliding_window_view", "as_strided"]
)  # fmt: skip
"""Calls whose value is (part of) an array in another shape or order, where no element moves."""

RESHAPING = ("reshape", "ravel", "flatten", "transpose", "squeeze", "expand_dims", "swapaxes", "moveaxis")
"""Calls whose value has all elements of an array, in another shape or order."""

LINEAR = ("ascontiguousarray", "reshape", "ravel", "view")
"""Those that copy an array whose elements do not lie side by side."""


def find_base(node: ast.expr) -> str:
    """The name of the array that an expression is a view of, by indices or calls; '' for others.

    >>> find_base(ast.parse("np.transpose(a[1:].reshape(4, -1))", mode="eval").body)
    'a'
    """
    while True:
        if isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "T"):
            node = node.value
        elif isinstance(node, ast.Call) and find_called(node) in VIEWING:
            whose = node.func.value if isinstance(node.func, ast.Attribute) else None
            module = whose is None or ast.unparse(whose) in ("np", "numpy", "cp", "xp", "np.lib.stride_tricks")
            if module and not node.args:
                return ""
            inside = node.args[0] if module else whose
            if find_called(node) in LINEAR and not isinstance(inside, (ast.Name, ast.Subscript)):
                return ""
            node = inside  # type: ignore[assignment]
        else:
            return node.id if isinstance(node, ast.Name) else ""


def strip_shapes(node: ast.expr) -> ast.expr:
    """What an expression shows in another shape or order: of ``(a @ b).reshape(n, -1).T`` the product.

    >>> ast.unparse(strip_shapes(ast.parse("np.transpose((a + b).reshape(4, -1))", mode="eval").body))
    'a + b'
    """
    while True:
        inside = node.value if isinstance(node, ast.Attribute) and node.attr == "T" else None
        if isinstance(node, ast.Call) and find_called(node) in RESHAPING and isinstance(node.func, ast.Attribute):
            module = ast.unparse(node.func.value) in ("np", "numpy", "cp", "xp")
            inside = node.func.value if not module else node.args[0] if node.args else None
        if inside is None:
            return node
        node = inside


def target_name(node: ast.expr) -> str:
    """The name that an element, a part or an attribute is of; '' for anything else."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
