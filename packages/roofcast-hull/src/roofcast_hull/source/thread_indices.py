"""What a kernel does with the indices of its threads: dimensions that they are divided into, limits, names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_tree import find_assigned, find_calls, find_names, find_terms, substitute, uncast
from roofcast_hull.source.nest import Affine

AXES = ("x", "y", "z")
WHOLE = "gridIdx"
"""Name of the index in the whole grid: ``gridIdx.x`` is ``blockIdx.x * blockDim.x + threadIdx.x``."""
SPECIAL = ("threadIdx", "blockIdx", "blockDim", "gridDim", WHOLE)
"""What tells threads and blocks apart."""
EXTENTS = {
    "x": "n N width w W cols columns nx NX size length count num total numElements",
    "y": "height h H rows ny NY m M n N size",
    "z": "depth d D nz NZ layers n N size",
}
"""Parameters that say how far an axis reaches, where no condition does."""


def find_divided(node: Any, name: str) -> Iterator[Any]:
    """What a counter is divided by."""
    if type(node).__name__ == "BinaryOp" and node.op in ("/", "%") and getattr(uncast(node.left), "name", "") == name:
        yield node.right
    for _, child in node.children():
        yield from find_divided(child, name)


def map_divided(node: Any, change: Callable[[Any], Any]) -> Any:
    """A copy of a tree, each node changed before what is inside it; what was changed stays as it is."""
    changed = change(node)
    if changed is not node:
        return changed
    return copy_node(node, lambda inside: map_divided(inside, change))


def split_threads(place: Affine, wanted: Affine, threads: set[str]) -> Iterator[tuple[Affine, Affine]]:
    """Both indices as rows and columns where one index holds two axes: ``16 ty + tx``."""
    by_factor = sorted((abs(f), v) for v, f in place.factors if v in threads)
    if len(by_factor) < 2 or by_factor[-1][0] <= 1:
        yield place, wanted
        return
    width = by_factor[-1][0]
    for high in (True, False):
        scale = width if high else 1
        yield tuple(
            Affine.of(
                {n: f // scale for n, f in i.factors if (f % width == 0) == high},
                i.constant // width if high else i.constant % width,
            )
            for i in (place, wanted)
        )  # type: ignore[misc]


def replace_all(value: Affine, meaning: Mapping[str, Affine]) -> Affine:
    """An expression with several counters replaced at once."""
    replaced = Affine.of({n: f for n, f in value.factors if n not in meaning}, value.constant)
    for name, factor in value.factors:
        if name in meaning:
            replaced = replaced + meaning[name].times(factor)
    return replaced


def join_axis(node: Any, axis: str, threads: int, find_number: Callable[[Any], int | None]) -> Any:
    """A copy with ``blockIdx.x * blockDim.x + threadIdx.x`` as one counter."""
    if type(node).__name__ == "BinaryOp" and node.op in ("+", "-"):
        terms = find_terms(node, ("+", "-"), True)
        thread = [t for t, plus in terms if plus and read_field(t) == f"threadIdx.{axis}"]
        block = [t for t, plus in terms if plus and takes_blocks(t, axis, threads, find_number)]
        if len(thread) == len(block) == 1:
            copied: Any = type(uncast(thread[0]).name)(f"{WHOLE}.{axis}", node.coord)
            for term, plus in terms:
                if term is not thread[0] and term is not block[0]:
                    rest = join_axis(term, axis, threads, find_number)
                    copied = type(node)("+" if plus else "-", copied, rest, node.coord)
            return copied
    return copy_node(node, lambda inside: join_axis(inside, axis, threads, find_number), but=())


def read_field(node: Any) -> str:
    """``threadIdx.x`` of a node that is only this, a cast around it or not; '' for others."""
    node = uncast(node)
    return f"{getattr(node.name, 'name', '')}.{node.field.name}" if type(node).__name__ == "StructRef" else ""


def takes_blocks(node: Any, axis: str, threads: int, find_number: Callable[[Any], int | None]) -> bool:
    """Whether a term is the block's index times the threads of a block."""
    node = uncast(node)
    if type(node).__name__ != "BinaryOp" or node.op != "*":
        return False
    for block, size in ((node.left, node.right), (node.right, node.left)):
        if read_field(block) == f"blockIdx.{axis}":
            return read_field(size) == f"blockDim.{axis}" or find_number(size) == threads
    return False


def find_dimensions(body: Any, name: str, find_number: Callable[[Any], int | None]) -> list[int]:
    """Numbers that an index is divided by, the smallest first; empty where they are no sizes of dimensions."""
    divisions = Divisions(name, find_number)
    divisions.walk(body)
    widths = sorted(divisions.found)
    return widths if all(b % a == 0 for a, b in pairwise(widths)) else []


class Divisions:
    """What the index of a thread is divided by, conditions aside, where a remainder only chooses iterations."""

    def __init__(self, name: str, find_number: Callable[[Any], int | None]) -> None:
        self.find_number = find_number
        self.scales = {name: 1}
        """Names that are quotients of the index, or remainders of them, and of which number."""
        self.found: set[int] = set()

    def divide(self, node: Any) -> int:
        """The number that an expression is the index divided by, with or without a remainder; 0 for others."""
        node = uncast(node)
        kind = type(node).__name__
        if kind == "ID":
            return self.scales.get(str(node.name), 0)
        if kind != "BinaryOp" or node.op not in ("/", "%"):
            return 0
        by, divided = self.find_number(node.right), self.divide(node.left)
        if not divided or by is None or by < 2:
            return 0
        self.found.add(divided * by)
        # What is left of a quotient is divided where the quotient is: `i / W % (H r) / r` is `i / (W r) % H`.
        return divided * by if node.op == "/" else divided

    def walk(self, node: Any) -> None:
        """A statement with everything in it."""
        kind = type(node).__name__
        for part, child in node.children():
            for inside in list_indices_of(child) if kind in ("If", "TernaryOp") and part == "cond" else [child]:
                self.walk(inside)
        value = node.init if kind == "Decl" else node.rvalue if kind == "Assignment" and node.op == "=" else None
        label = str(node.name) if kind == "Decl" else str(getattr(getattr(node, "lvalue", None), "name", ""))
        scale = self.divide(value if value is not None else node)
        if scale and value is not None:
            self.scales[label] = scale


def list_indices_of(node: Any) -> Iterator[Any]:
    """Indices of the elements inside a node."""
    if type(node).__name__ == "ArrayRef":
        yield node.subscript
    for _, child in node.children():
        yield from list_indices_of(child)


def find_constants(body: Any) -> dict[str, Any]:
    """What a kernel declares once, of sizes and other such names alone, ``int w = width - 2;``."""
    items = list(body.block_items or ()) if type(body).__name__ == "Compound" else []
    changed = find_assigned(body, declared=False)
    constants: dict[str, Any] = {}
    for item in items:
        plain = type(item).__name__ == "Decl" and type(item.type).__name__ == "TypeDecl" and item.init is not None
        if plain and item.name not in changed and not find_fields(item.init) and not find_calls(item.init):
            constants[str(item.name)] = substitute(item.init, constants)
    return constants


def find_fields(node: Any) -> set[str]:
    """``threadIdx.x`` and the like inside a node."""
    names = set[str]()
    if type(node).__name__ == "StructRef" and type(node.name).__name__ == "ID":
        names = {f"{node.name.name}.{node.field.name}"}
    return names.union(*(find_fields(child) for _, child in node.children()))


def find_block_sizes(node: Any, find_number: Callable[[Any], int | None]) -> Iterator[tuple[str, int]]:
    """What blocks are multiplied by where that is a number: ``blockIdx.x * 16``."""
    if type(node).__name__ == "BinaryOp" and node.op == "*":
        for block, other in ((node.left, node.right), (node.right, node.left)):
            fields = find_fields(block) if type(block).__name__ == "StructRef" else set()
            size = find_number(other) if any(f.startswith("blockIdx") for f in fields) else None
            if size is not None and size > 0:
                yield next(iter(fields))[-1], size
    for _, child in node.children():
        yield from find_block_sizes(child, find_number)


def find_limit(body: Any, axis: str, find_number: Callable[[Any], int | None]) -> int | None:
    """What the index along an axis is compared with: ``if (i < n)``, ``if (i >= n) return``; None where nothing is."""
    indices = {n for n, fields in list_indices(body) if f"blockIdx.{axis}" in fields}
    limits = [
        find_number(right)
        for left, op, right in list_comparisons(body)
        if op in ("<", ">=", "<=", ">") and (find_names(left) & indices or f"blockIdx.{axis}" in find_fields(left))
    ]  # fmt: skip
    return max((n for n in limits if n is not None and n > 0), default=None)


def list_indices(node: Any) -> list[tuple[str, set[str]]]:
    """Names that are given values of thread and block indices, by way of other names too, and which."""
    given = [(name, find_fields(value), find_names(value)) for name, value in list_values(node)]
    known: dict[str, set[str]] = {}
    for name, fields, _ in given:
        known.setdefault(name, set()).update(fields)
    for _ in given:
        before = sum(map(len, known.values()))
        for name, _, names in given:
            known[name].update(*(known[n] for n in names & set(known)))
        if sum(map(len, known.values())) == before:
            break
    return list(known.items())


def list_values(node: Any) -> Iterator[tuple[str, Any]]:
    """Names and what they are given."""
    kind = type(node).__name__
    if kind == "Decl" and node.init is not None:
        yield str(node.name), node.init
    if kind == "Assignment" and node.op == "=" and type(node.lvalue).__name__ == "ID":
        yield str(node.lvalue.name), node.rvalue
    for _, child in node.children():
        yield from list_values(child)


def list_comparisons(node: Any) -> Iterator[tuple[Any, str, Any]]:
    """Comparisons inside a node."""
    if type(node).__name__ == "BinaryOp" and node.op in ("<", "<=", ">", ">="):
        yield node.left, node.op, node.right
    for _, child in node.children():
        yield from list_comparisons(child)
