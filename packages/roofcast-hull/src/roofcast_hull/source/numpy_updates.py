"""Elements of NumPy arrays that data choose, as they get values: ``np.add.at``, ``bincount``, ``a[mask] = e``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_code import Translator
from roofcast_hull.source.numpy_elements import Line, Whole, spread_shapes
from roofcast_hull.source.numpy_indexing import choose_place
from roofcast_hull.source.numpy_shapes import find_called
from roofcast_hull.source.python_names import target_name


def update_at(code: Translator, node: ast.Call) -> bool:
    """``np.add.at(out, places, terms)``; whether it was one."""
    sign = {"add": "+=", "subtract": "-=", "multiply": "*="}.get(
        node.func.value.attr if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Attribute)
        else "", ""
    )  # fmt: skip
    if find_called(node) != "at" or not sign or len(node.args) != 3:
        return False
    line = node.lineno
    several = isinstance(node.args[1], ast.Tuple)
    places = [code.whole(e) for e in (node.args[1].elts if several else [node.args[1]])]  # type: ignore[attr-defined]
    update_places(code, code.whole(node.args[0]), places, code.whole(node.args[2]), sign, line)
    return True


def update_places(code: Translator, out: Whole, places: Sequence[Whole], terms: Whole, sign: str, line: int) -> None:
    """Add terms to elements, or rows, that arrays of indices choose."""
    chosen = spread_shapes([p.shape for p in places], line)
    shape = (*chosen, *out.shape[len(places) :])
    if len(out.shape) < len(places) or not chosen or spread_shapes([shape, terms.shape], line) != shape:
        raise refuse(line, "an update of places that are no elements or rows")
    narrow = code.terms.narrow
    with code.counters(shape, line) as at:
        where = [choose_place(code, p, at[: len(chosen)], line) for p in places]
        code.assign(out.at([*where, *at[len(chosen) :]]), sign, terms.at(narrow(at, terms.shape)), line)


def write_masked(code: Translator, target: ast.Subscript, node: ast.expr, line: int, sign: str = "=") -> None:
    """``a[a < 0] = e``, ``a[mask] *= e``: elements that a condition chooses, each by its own."""
    place, mask = code.whole(target.value), code.whole(target.slice)
    while isinstance(node, ast.Subscript) and ast.dump(node.slice) == ast.dump(target.slice):
        node = node.value
    value = code.whole(node)
    if mask.shape != place.shape or spread_shapes([place.shape, value.shape], line) != place.shape:
        raise refuse(line, "how many elements a condition chooses comes from data")
    if target_name(target) in code.written and sign == "=":
        # What was written before stays where the condition does not hold.
        with code.counters(place.shape, line) as at:
            element = value.at(code.terms.narrow(at, value.shape))
            code.assign(place.at(at), "=", code.c.TernaryOp(mask.at(at), element, place.at(at), Line(line)), line)
        return
    with code.counters(place.shape, line) as at:
        outer, code.statements = code.statements, []
        code.assign(place.at(at), sign, value.at(code.terms.narrow(at, value.shape)), line)
        inside = code.c.Compound(code.statements, Line(line))
        code.statements = [*outer, code.c.If(mask.at(at), inside, None, Line(line))]


def count_places(code: Translator, name: str, node: ast.Call) -> None:
    """``h = np.bincount(x, weights=w, minlength=256)``."""
    named = {k.arg: k.value for k in node.keywords if k.arg}
    least = named.get("minlength", node.args[2] if len(node.args) > 2 else None)
    if least is None:
        raise refuse(node.lineno, "how many places 'bincount' counts in comes from data: give it a minlength")
    weights = named.get("weights", node.args[1] if len(node.args) > 1 else None)
    code.remember(name, (code.size(least),), "int64" if weights is None else "fp64")
    code.filled.add(name)
    terms = code.whole(weights) if weights is not None else Whole((), lambda _: code.terms.number(1))
    place = code.array(name, code.shapes[name], node.lineno)
    update_places(code, place, [code.whole(node.args[0])], terms, "+=", node.lineno)
