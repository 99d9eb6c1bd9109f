"""Addresses of rows, ``double **a``, as arrays of rows: ``a[i][j]`` is in a row as long as loops go along it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from roofcast_hull.source.c_tree import uncast
from roofcast_hull.source.index_names import walk_nodes
from roofcast_hull.source.loop_facts import read_header
from roofcast_hull.source.numbers_of_loops import count_turns, evaluate
from roofcast_hull.source.opened_structures import declare_rows, list_declared, list_levels, write_declarations

NEAR = 8
"""Elements that a row may have behind those that loops come to, where the file says such a number."""


def open_pointers(
    tree: Any, function: Any, members: Sequence[Any], known: Mapping[str, int], ast: Any
) -> tuple[list[Any], dict[str, int]]:  # fmt: skip
    """Write addresses of rows as arrays of rows, in place, where it is known how far loops go along them.

    members : names that the function is given beside its parameters; they are returned with their types, and how long
    rows are. known : whole numbers.
    """
    changed, lengths = dict[str, Any](), dict[str, int]()
    for declared in list_declared(tree, function, members):
        levels = list_levels(getattr(declared, "type", None))
        kinds = [type(x).__name__ for x in levels]
        if kinds != ["PtrDecl", "PtrDecl", "TypeDecl"] or not getattr(declared, "name", None):
            continue
        long = measure_rows(function.body, str(declared.name), known, ast)
        if long:
            row = ast.ArrayDecl(levels[-1], ast.Constant("int", str(long), declared.coord), [], declared.coord)
            changed[str(declared.name)] = declare_rows(declared, [levels[0], levels[-1]], row)
            lengths[str(declared.name)] = long
    return write_declarations(tree, function, members, changed), lengths


def measure_rows(body: Any, name: str, known: Mapping[str, int], ast: Any) -> int:
    """Elements of the rows that an address leads to; 0 where that is not known, or they are used otherwise."""
    rows = {
        str(d.name) for d in walk_nodes(body)
        if type(d).__name__ == "Decl" and type(d.type).__name__ == "PtrDecl" and is_row(d.init, name)
    }  # fmt: skip
    ends, rest = list[int | None](), 0
    for node, inside in walk_turns(body, dict(known), ast):
        if type(node).__name__ == "ArrayRef":
            base = uncast(node.name)
            if is_row(base, name) or (type(base).__name__ == "ID" and base.name in rows):
                reached = [evaluate(node.subscript, way) for way in inside]
                ends.append(None if None in reached else max(r for r in reached if r is not None))
        rest += type(node).__name__ == "ID" and node.name == name
    used = sum(1 for n in walk_nodes(body) if is_row(n, name))
    if not ends or None in ends or used != rest:
        return 0
    long = 1 + max(e for e in ends if e is not None)
    stated = [v for v in known.values() if long <= v <= long + NEAR]
    return min(stated, default=long)


def is_row(node: Any, name: str) -> bool:
    """Whether an expression is ``a[i]`` of an address of rows."""
    node = uncast(node) if node is not None else None
    return type(node).__name__ == "ArrayRef" and getattr(uncast(node.name), "name", None) == name


def walk_turns(
    node: Any, known: Mapping[str, int], ast: Any, ways: Sequence[Mapping[str, int]] = ()
) -> Iterator[tuple[Any, Sequence[Mapping[str, int]]]]:  # fmt: skip
    """Nodes inside of a statement, each with the numbers that are known there, counters at either of their ends."""
    ways = list(ways) or [dict(known)]
    yield node, ways
    if type(node).__name__ == "For" and (header := read_header(node, ast)) is not None:
        ends = list[Mapping[str, int]]()
        for way in ways:
            turns = count_turns(node.cond, *header, way)
            first, step = evaluate(header[1], way), evaluate(header[2], way)
            if turns and first is not None and step is not None:
                ends += [{**way, header[0]: v} for v in {first, first + step * (turns - 1)}]
        ways = ends[-16:] or ways
    for _, child in node.children():
        yield from walk_turns(child, known, ast, ways)
        if type(child).__name__ == "Decl" and child.init is not None and type(child.type).__name__ == "TypeDecl":
            values = [evaluate(child.init, way) for way in ways]
            ways = [{**w, str(child.name): v} if v is not None else w for w, v in zip(ways, values, strict=True)]
