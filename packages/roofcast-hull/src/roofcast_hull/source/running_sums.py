"""Loops whose turns go on from each other's sums, and calls that put arrays in order: scans and sorts of whole arrays.

``s += x[i]; y[i] = s`` is a running sum: of each turn its own term is computed apart, what turns share is one scan.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from roofcast_hull.notation import AlgorithmClass, Part, Pattern
from roofcast_hull.source.c_declarations import ELEMENT_TYPES
from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_tree import are_alike, find_names, find_terms, has_loop, list_items, uncast
from roofcast_hull.source.found_class import Found, pair_parts
from roofcast_hull.source.host_numbers import find_type_bytes
from roofcast_hull.source.index_names import walk_nodes
from roofcast_hull.source.library_call import Staged
from roofcast_hull.source.loop_facts import LoopFacts, find_declared, is_private, read_header, read_update
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.numbers_of_loops import evaluate

SORTS = {"sort": 2, "stable_sort": 2, "qsort": 4}
"""Calls that put an array in order, and how many arguments they have."""
TERM = "term_of_"
"""How names of the terms of running sums begin."""


def read_sort(call: Any, parameters: Mapping[str, Any], known: Mapping[str, int]) -> tuple[str, Staged] | None:
    """(array, call) of a sort of a whole array; None where its elements, or how many there are, are not known."""
    name = str(getattr(call.name, "name", ""))
    given = list(call.args.exprs) if call.args else []
    if len(given) != SORTS[name]:
        return None
    first, last = (uncast(a) for a in given[:2])
    count = evaluate(last, known) if name == "qsort" else None
    if type(last).__name__ == "BinaryOp" and last.op == "+" and are_alike(uncast(last.left), first):
        count = evaluate(last.right, known)
    declared = parameters.get(str(getattr(first, "name", ""))) if type(first).__name__ == "ID" else None
    kind: Any = getattr(declared, "type", None)
    words = getattr(getattr(getattr(kind, "type", None), "type", None), "names", None) or ()
    element = next((ELEMENT_TYPES[w] for w in words if w in ELEMENT_TYPES), "")
    if type(kind).__name__ not in ("PtrDecl", "ArrayDecl") or not element or not count or count < 2:
        return None
    size = float(find_type_bytes(" ".join(words)) or 4)
    return str(first.name), Staged(Pattern.SORT, (count,), (), element, size, size, 1.0, element)


def find_running(node: Any, known: Mapping[str, int], ast: Any) -> Any | None:
    """A loop that adds up as it goes, with the terms of its turns in place of its sums; None for others."""
    header = read_header(node, ast)
    if header is None or has_loop(node.stmt):
        return None
    facts = LoopFacts(node.stmt, {}, ast)
    moving = LoopFacts(node, {}, ast).find_moving(header[0])
    sums = [
        n for n in facts.assigned_outside - {header[0]} - moving if not is_private(node.stmt, n, ast)
    ]  # fmt: skip
    if len(sums) == 1:
        return write_terms(node, sums[0], facts, ast)
    return write_elements(node, header, known, ast) if not sums else None


def write_terms(node: Any, name: str, facts: LoopFacts, ast: Any) -> Any | None:
    """The same of a number that each turn adds to, and that a turn stores."""
    updates = [(n, read_update(n, ast)) for n in facts.assigned.get(name, ())]
    items = list_items(node.stmt)
    if len(updates) != 1 or updates[0][1] is None or not any(i is updates[0][0] for i in items):
        return None
    statement, (place, value, _) = updates[0][0], updates[0][1]
    if getattr(place, "name", None) != name or name in find_names(value):
        return None
    term = ast.ID(f"{TERM}{name}", node.coord)
    kind = ast.TypeDecl(term.name, [], None, ast.IdentifierType(["double"]))
    declared = ast.Decl(term.name, [], [], [], [], kind, value, None, node.coord)

    def change(inside: Any) -> Any:
        if type(inside).__name__ == "ID" and inside.name == name:
            return term
        return copy_node(inside, change)

    rest = [change(i) for i in items if i is not statement]
    first = not find_names(value) & find_declared(node.stmt)
    at = 0 if first else next(k for k, i in enumerate(items) if i is statement)
    copied = copy.copy(node)
    copied.stmt = ast.Compound([*rest[:at], declared, *rest[at:]], node.coord)
    return copied


def write_elements(node: Any, header: tuple[str, Any, Any], known: Mapping[str, int], ast: Any) -> Any | None:
    """The same of an array of which each element goes on from the one before: ``a[i] = a[i - 1] + x[i]``."""
    items = list_items(node.stmt)
    stores = [i for i in items if type(i).__name__ == "Assignment" and type(uncast(i.lvalue)).__name__ == "ArrayRef"]
    if len(stores) != 1 or stores[0].op not in ("=", "+="):
        return None
    store = stores[0]
    place, step = uncast(store.lvalue), evaluate(header[2], known)
    terms = find_terms(store.rvalue, ("+", "-"), True)
    before = [
        k for k, (t, plus) in enumerate(terms)
        if plus and step is not None and is_before(uncast(t), place, header[0], step, known)
    ]  # fmt: skip
    array = str(getattr(place.name, "name", ""))
    rest = [(t, plus) for k, (t, plus) in enumerate(terms) if k not in before]
    if store.op == "+=":
        rest.append((place, True))
    uses = sum(1 for n in walk_nodes(node.stmt) if type(n).__name__ == "ID" and n.name == array)
    expected = 2 + sum(are_alike(uncast(t), place) for t, _ in rest) - (store.op == "+=")
    if len(before) != 1 or not rest or not rest[0][1] or uses != expected:
        return None
    whole = rest[0][0]
    for term, plus in rest[1:]:
        whole = ast.BinaryOp("+" if plus else "-", whole, term, node.coord)
    copied = copy.copy(node)
    own_terms = ast.Assignment("=", store.lvalue, whole, store.coord)
    copied.stmt = ast.Compound([own_terms if i is store else i for i in items], node.coord)
    return copied


def is_before(node: Any, place: Any, counter: str, step: int, known: Mapping[str, int]) -> bool:
    """Whether an element is the one that the turn before wrote at a place."""
    if type(node).__name__ != "ArrayRef" or not are_alike(node.name, place.name):
        return False
    gaps = set[int | None]()
    for at in (100, 101):
        ends = [evaluate(n.subscript, {**known, counter: at}) for n in (place, node)]
        gaps.add(None if None in ends else (ends[0] or 0) - (ends[1] or 0))
    moved = [evaluate(place.subscript, {**known, counter: at}) for at in (100, 100 + step)]
    return len(gaps) == 1 and None not in (*gaps, *moved) and gaps == {(moved[1] or 0) - (moved[0] or 0)} != {0}


def make_scan(found: Found) -> Found:
    """The class of terms of a running sum as that of the sums.

    Raises
    ------
    SourceError : turns take more than an element of an array, or leave several.
    """
    inputs, outputs = pair_parts(found)
    plain = all(p.pattern is Pattern.ELEMENT for _, p, _ in (*inputs, *outputs))
    sizes = {p.elements for _, p, _ in (*inputs, *outputs)}
    if not inputs or not plain or len(sizes) != 1 or len(outputs) != 1:
        raise SourceError("each turn of its loop waits for the one before")
    [count] = sizes
    whole = AlgorithmClass(
        tuple(Part((count,), Pattern.FULL) for _ in inputs), (Part((count,), Pattern.SCAN),)
    )  # fmt: skip
    operations = found.operations + count * found.repetitions
    return replace(found, found=whole, operations=operations, complexity=operations / count / found.repetitions)
