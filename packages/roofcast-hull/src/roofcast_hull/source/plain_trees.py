"""Trees of loops that are not plain yet: names that are read and stored, and turns that can be written out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from roofcast_hull.source.c_nodes import map_nodes
from roofcast_hull.source.c_tree import (
    LARGEST_LITERAL,
    find_names,
    has_kind,
    list_items,
    read_integer,
    substitute,
    uncast,
)
from roofcast_hull.source.thread_indices import find_fields

MOST_TURNS = 32
"""Turns of a loop that is written out."""
MOST_COLOURS = 4
"""Elements of a grid's colours: red and black, and those of two dimensions."""
MOST_WRITTEN = 2000
"""Statements that writing loops out may make."""
THREAD = ("threadIdx", "blockIdx", "blockDim", "gridDim")
LOADS = ("__ldg", "__ldcs", "__ldcg", "__ldca", "__ldlu", "__ldcv")
"""Loads that say how long a line is wanted."""
STORES = ("__stcs", "__stcg", "__stwt", "__stwb")
"""Stores that say so."""
GROWING = ("*=", "/=", "<<=", ">>=")


def find_loaded(node: Any) -> set[str]:
    """Scalars that are declared with an element of an array: ``int id = ids[row];``."""
    names = set[str]()
    if type(node).__name__ == "Decl" and type(node.type).__name__ == "TypeDecl":
        value = uncast(node.init)
        is_element = type(value).__name__ == "ArrayRef" or (type(value).__name__ == "UnaryOp" and value.op == "*")
        names = {str(node.name)} if is_element else names
    return names.union(*(find_loaded(child) for _, child in node.children()))


def find_stored(node: Any) -> set[str]:
    """Arrays of which a statement assigns elements."""
    names = set[str]()
    place: Any = node.lvalue if type(node).__name__ == "Assignment" else None
    if type(place).__name__ == "StructRef" and type(place.name).__name__ == "ID":
        names.add(f"{place.name.name}.{place.field.name}")
    while type(place).__name__ in ("ArrayRef", "StructRef"):
        place = place.name
    if place is not None:
        names |= find_names(place)
    return names.union(*(find_stored(child) for _, child in node.children()))


def ends_function(node: Any) -> bool:
    """Whether a branch ends with a return of nothing."""
    items = list_items(node)
    return bool(items) and type(items[-1]).__name__ == "Return" and items[-1].expr is None


def has_name(node: Any) -> bool:
    """Whether an expression is a name or a member."""
    return type(node).__name__ in ("ID", "StructRef")


def has_step(node: Any, name: str) -> bool:
    """Whether a statement moves a name by 1, itself or inside an expression."""
    if type(node).__name__ == "UnaryOp" and node.op in ("p++", "++") and getattr(node.expr, "name", None) == name:
        return True
    return any(has_step(child, name) for _, child in node.children())


def read_unit(node: Any) -> int:
    """A step of one element up or down; 0 for others."""
    if type(node).__name__ == "UnaryOp" and node.op == "-":
        return -read_unit(node.expr)
    text = str(getattr(node, "value", ""))
    return {"1": 1, "-1": -1}.get(text, 0)


def read_begun(node: Any) -> tuple[str, Any] | None:
    """The name that a statement gives a value, and the value; None for other statements."""
    if type(node).__name__ == "Decl" and node.init is not None and type(node.type).__name__ == "TypeDecl":
        return str(node.name), node.init
    plain = type(node).__name__ == "Assignment" and node.op == "=" and type(node.lvalue).__name__ == "ID"
    return (str(node.lvalue.name), node.rvalue) if plain else None


def read_remainder(node: Any) -> int:
    """The number of ``e % 2`` and of ``e & 1``; 0 for others."""
    value = str(getattr(getattr(node, "right", None), "value", ""))
    if getattr(node, "op", "") == "%" and value.isdigit():
        return int(value)
    return 2 if getattr(node, "op", "") == "&" and value == "1" else 0


def find_lines(node: Any, name: str) -> set[int]:
    """Lines in which a name stands."""
    lines = {int(node.coord.line)} if type(node).__name__ == "ID" and node.name == name else set[int]()
    return lines.union(*(find_lines(child, name) for _, child in node.children()))


def find_pointed(node: Any) -> str:
    """The type that a pointer of a cast leads to, in words; '' for other casts."""
    kind: Any = getattr(node, "type", None)
    if type(kind).__name__ != "PtrDecl":
        return ""
    return " ".join(getattr(getattr(kind.type, "type", None), "names", None) or ())


def write_out(body: Any, sizes: Mapping[str, int], ast: Any) -> Any:
    """A body in which short loops whose counter grows or shrinks by a factor are written turn by turn."""
    statements_written = 0

    def change(node: Any) -> Any:
        nonlocal statements_written
        turns = list_turns(node, sizes, ast) if type(node).__name__ == "For" else None
        if turns is None or has_kind(node.stmt, "Break", "Continue", "For", "While", "DoWhile"):
            return node
        name, values = turns
        statements_written += len(values) * count_statements(node.stmt)
        if statements_written > MOST_WRITTEN:
            return node
        written = [
            substitute(copy.deepcopy(node.stmt), {name: ast.Constant("int", str(v), node.coord)}) for v in values
        ]
        return ast.Compound([w if type(w).__name__ == "Compound" else ast.Compound([w], node.coord) for w in written],
                            node.coord)  # fmt: skip

    return map_nodes(body, change)


def count_statements(node: Any) -> int:
    """Statements inside one."""
    return 1 + sum(count_statements(child) for _, child in node.children() if has_kind(child, "Compound", "Assignment"))


def list_turns(node: Any, sizes: Mapping[str, int], ast: Any) -> tuple[str, list[int]] | None:
    """Counter and values of a loop that multiplies its counter; None for other loops."""
    declared = type(node.init).__name__ == "DeclList" and len(node.init.decls) == 1
    given = node.init.decls[0] if declared else node.init
    name = str(given.name if declared else getattr(getattr(given, "lvalue", None), "name", ""))
    start = fold(given.init if declared else getattr(given, "rvalue", None), sizes)
    step = node.next
    if type(step).__name__ != "Assignment" or getattr(step.lvalue, "name", None) != name or start is None:
        return None
    op, by = step.op, step.rvalue
    if op == "=" and type(by).__name__ == "BinaryOp" and getattr(by.left, "name", None) == name:
        op, by = f"{by.op}=", by.right
    if op not in GROWING or (factor := fold(by, sizes)) is None or find_writes(node.stmt, name):
        return None
    values: list[int] = []
    value = start
    while (goes_on := fold(node.cond, {**sizes, name: value})) is not None and goes_on:
        values.append(value)
        following = apply(op[:-1], value, factor)
        if following is None or following == value or len(values) > MOST_TURNS:
            return None
        value = following
    return (name, values) if goes_on is not None and values else None


def fold(node: Any, known: Mapping[str, int]) -> int | None:
    """A whole number that an expression of known names is; None for others."""
    if node is None:
        return None
    node = uncast(node)
    kind = type(node).__name__
    if kind == "Constant" and "int" in node.type:
        return read_integer(str(node.value), 1, LARGEST_LITERAL)
    if kind == "ID":
        return known.get(str(node.name))
    if kind == "StructRef":
        return known.get(f"{getattr(node.name, 'name', '')}.{node.field.name}")
    if kind == "UnaryOp" and node.op == "-":
        inside = fold(node.expr, known)
        return None if inside is None else -inside
    if kind != "BinaryOp":
        return None
    left, right = fold(node.left, known), fold(node.right, known)
    return None if left is None or right is None else apply(node.op, left, right)


def apply(op: str, left: int, right: int) -> int | None:
    """An operation on whole numbers; None where it has no result."""
    if op in ("/", "%") and not right:
        return None
    if op in ("<<", ">>") and not 0 <= right < 62:
        return None
    operations: dict[str, Callable[[], int]] = {
        "+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right,
        "/": lambda: int(left / right), "%": lambda: left - right * int(left / right), "<<": lambda: left << right,
        ">>": lambda: left >> right, "<": lambda: int(left < right), "<=": lambda: int(left <= right),
        ">": lambda: int(left > right), ">=": lambda: int(left >= right), "!=": lambda: int(left != right),
        "==": lambda: int(left == right), "&&": lambda: int(bool(left and right)),
        "||": lambda: int(bool(left or right)),
    }  # fmt: skip
    operation = operations.get(op)
    return operation() if operation is not None and max(abs(left), abs(right)) < 1 << 62 else None


def drop_unused(body: Any, ast: Any) -> Any:
    """A body without scalars that nothing uses any more."""
    items = list_items(body)
    for at, item in enumerate(items):
        plain = type(item).__name__ == "Decl" and type(item.type).__name__ == "TypeDecl" and item.init is not None
        if not plain or has_kind(item.init, "FuncCall", "Assignment", "ArrayRef"):
            continue
        rest = ast.Compound(items[at + 1 :], body.coord)
        if str(item.name) not in find_names(rest):
            return drop_unused(ast.Compound([*items[:at], *items[at + 1 :]], body.coord), ast)
    return body


def fold_axes(body: Any, launch: Mapping[str, int], ast: Any) -> Any:
    """A body in which indices along axes of extent 1 are 0, and sums and products with them are what is left."""
    single = {f"{k}.{a}" for k, of in (("threadIdx", "blockDim"), ("blockIdx", "gridDim")) for a in "yz"
              if launch.get(f"{of}.{a}") == 1}  # fmt: skip
    extents = {f"{of}.{a}" for of in ("blockDim", "gridDim") for a in "yz" if launch.get(f"{of}.{a}") == 1}
    block = {"blockDim.x": launch["blockDim.x"]} if launch.get("blockDim.x") else {}
    if not single:
        return body

    def change(node: Any) -> Any:
        kind = type(node).__name__
        name = f"{getattr(node.name, 'name', '')}.{node.field.name}" if kind == "StructRef" else ""
        if name in single or name in extents:
            return ast.Constant("int", str(int(name in extents)), node.coord)
        if kind != "BinaryOp":
            return node
        if (
            node.op == "/"
            and any(f.startswith("blockDim.") for f in find_fields(node))
            and (whole := fold(node, block)) is not None
        ):
            # Warps of a block.
            return ast.Constant("int", str(whole), node.coord)
        left, right = getattr(node.left, "value", None), getattr(node.right, "value", None)
        if node.op == "*" and "0" in (left, right) and type(node.left).__name__ != "Cast":
            return ast.Constant("int", "0", node.coord)
        if node.op in ("+", "*"):
            neutral = "0" if node.op == "+" else "1"
            if right == neutral:
                return node.left
            if left == neutral:
                return node.right
        return node

    return map_nodes(body, change)


def find_writes(node: Any, name: str) -> int:
    """How often a statement assigns a name, moves it, or takes its address."""
    kind, count = type(node).__name__, 0
    if kind == "Assignment":
        count = int(getattr(node.lvalue, "name", None) == name and type(node.lvalue).__name__ == "ID")
    elif kind == "UnaryOp" and node.op in ("++", "p++", "--", "p--", "&"):
        count = int(getattr(node.expr, "name", None) == name and type(node.expr).__name__ == "ID")
    elif kind == "Decl":
        count = int(str(node.name) == name)
    return count + sum(find_writes(child, name) for _, child in node.children())
