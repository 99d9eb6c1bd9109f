"""What statements of a Triton kernel change: names that loops carry from turn to turn, and how."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from roofcast_hull.source.python_syntax import name_called, put_at


def find_changes(node: ast.stmt) -> dict[str, ast.Assign | ast.AugAssign]:
    """Names that a loop gives values, and where."""
    changes: dict[str, ast.Assign | ast.AugAssign] = {}
    for item in ast.walk(node):
        if isinstance(item, (ast.Assign, ast.AugAssign)):
            targets = item.targets if isinstance(item, ast.Assign) else [item.target]
            changes |= {t.id: item for t in targets if isinstance(t, ast.Name)}
    return changes


def find_carried(body: Sequence[ast.stmt]) -> set[str]:
    """Names that a loop's body reads before it gives them a value."""
    known, carried = set[str](), set[str]()
    for item in body:
        read = {n.id for n in ast.walk(item) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        read |= {n.target.id for n in ast.walk(item) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
        carried |= read - known
        known |= assigned(item)
    return carried


def assigned(node: ast.stmt) -> set[str]:
    """Names that a statement gives a value."""
    targets = [t for s in ast.walk(node) if isinstance(s, ast.Assign) for t in s.targets]
    targets += [s.target for s in ast.walk(node) if isinstance(s, ast.AugAssign)]
    return {t.id for t in targets if isinstance(t, ast.Name)}


def write_out(node: ast.AugAssign) -> ast.expr:
    """``x + e`` of ``x += e``."""
    name = node.target.id if isinstance(node.target, ast.Name) else ""
    whole = ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value)
    return put_at(whole, node)


def read_update(node: ast.stmt) -> tuple[str, ast.expr | None, str]:
    """``x += e``, ``x = x + e``, ``x = tl.maximum(x, e)``, ``x = tl.dot(a, b, x)``: what changes, by what, and how."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name):
        return node.target.id, node.value, "+"
    name = re.sub(r"\W", "", ast.unparse(node.targets[0])) if isinstance(node, ast.Assign) else ""
    value = getattr(node, "value", None)
    parts: list[ast.expr] = []
    op = ""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        parts, op = [value.left, value.right], "+"
    elif (
        isinstance(value, ast.Call)
        and name_called(value) in ("maximum", "minimum", "max", "min")
        and len(value.args) == 2
    ):
        parts, op = list(value.args), {"ma": "fmaxf", "mi": "fminf"}[name_called(value)[:2]]
    elif isinstance(value, ast.Call) and name_called(value) == "dot":
        third = (
            value.args[2] if len(value.args) > 2 else next((k.value for k in value.keywords if k.arg == "acc"), None)
        )
        return (name, value, "dot") if getattr(third, "id", "") == name else (name, None, "")
    rest = [p for p in parts if getattr(p, "id", "") != name]
    return (name, rest[0], op) if len(rest) == 1 and len(parts) == 2 else (name, None, "")
