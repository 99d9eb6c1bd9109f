"""Statements of Python as statements in C: loops, branches, assignments of numbers and of whole arrays."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import Affine, SourceError, refuse
from roofcast_hull.source.numpy_calls import refuse_function
from roofcast_hull.source.numpy_code import Passing, Translator, UsedByManyError
from roofcast_hull.source.numpy_complex import augment_pairs, is_complex, let_pairs_pass, name_pairs
from roofcast_hull.source.numpy_elements import Line, Whole, spread_shapes
from roofcast_hull.source.numpy_indexing import gathers, is_mask, split_array
from roofcast_hull.source.numpy_joining import JOINING, cross_vectors, join_arrays, lists_arrays
from roofcast_hull.source.numpy_making import make_array
from roofcast_hull.source.numpy_recurrences import find_overwritten
from roofcast_hull.source.numpy_shapes import find_called, find_element, is_making, list_literal
from roofcast_hull.source.numpy_spelling import fold_test, replace_names
from roofcast_hull.source.numpy_staged import find_staged_call, stage
from roofcast_hull.source.numpy_sums import choose_elements, find_reduction, reduce_into, sum_into
from roofcast_hull.source.numpy_turns import apply_along, list_turns, write_turns
from roofcast_hull.source.numpy_types import infer_element
from roofcast_hull.source.numpy_updates import count_places, update_at, write_masked
from roofcast_hull.source.python_names import (
    find_assigned,
    find_base,
    is_view,
    list_results,
    name_value_before,
    target_name,
)
from roofcast_hull.source.python_syntax import C_SIGNS

IGNORED = (ast.Pass, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Global, ast.Assert)
GENERATORS = ("default_rng", "RandomState", "seed", "manual_seed")
"""Calls whose work is none of the algorithm's."""
PRINTING = frozenset(["print", "perf_counter", "time"])
"""Calls that compute nothing."""
MOST_LISTED = 64
"""Numbers of a list whose loop is written out."""
DEEPEST = 100
"""Levels of loops."""


def visit_call(code: Translator, node: ast.stmt) -> bool:
    """``rng = default_rng()``, ``a.sort()``: whether a statement is such a call, which is no loop."""
    call = getattr(node, "value", None)
    if not isinstance(call, ast.Call) or find_called(call) in GENERATORS:
        return isinstance(call, ast.Call)
    if not isinstance(node, ast.Expr) or not find_staged_call(call, code.own):
        return False
    base = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(base, ast.Name) and base.id in code.shapes:
        stage(code, base.id, call)
    return True


def block(code: Translator, body: Sequence[ast.stmt], line: Line) -> Any:
    """Statements one after the other, as a block."""
    before, code.statements = code.statements, []
    for statement in body:
        visit(code, statement)
    statements, code.statements = code.statements, before
    return code.c.Compound(statements, line)


def visit(code: Translator, node: ast.stmt) -> None:
    """One statement; arrays that it would let pass, although many of its units use an element, stand before it."""
    store_used_by_many(code, lambda: write_statement(code, node))


def store_used_by_many(code: Translator, write: Callable[[], None]) -> None:
    """Do something, behind arrays that it would have many units compute."""
    while True:
        held = code.statements, code.before, code.old, code.inside
        statements, calls = len(code.statements), len(code.builder.routine.library)
        try:
            return write()
        except UsedByManyError as many:
            code.statements, code.before, code.old, code.inside = held
            del code.statements[statements:], code.builder.routine.library[calls:]
            for passing in code.passing.values():
                # What they have computed before stood in statements that are gone.
                passing.known.clear()
            name, node = code.take_out(many.name)
            store_used_by_many(code, partial(code.name_value, name, node, node.lineno))


def write_statement(code: Translator, node: ast.stmt) -> None:
    """One statement in C."""
    line = node.lineno
    if visit_call(code, node) or isinstance(getattr(node, "value", None), ast.Lambda) or hand_on(code, node):
        return
    if isinstance(node, (ast.For, ast.While)):
        visit_loop(code, node)
    elif isinstance(node, ast.If):
        visit_branch(code, node)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if node.value is not None:
                visit_assignment(code, target, node.value, line)
    elif isinstance(node, ast.AugAssign):
        augment(code, node)
    elif isinstance(node, ast.Return) and not code.builder.loops:
        return_arrays(code, node)
    elif not is_silent(code, node):
        raise refuse(line, f"'{type(node).__name__.lower()}' has no place in an affine loop nest")


def visit_branch(code: Translator, node: ast.If) -> None:
    """``if c:``; where numbers of a written list alone decide, what they choose."""
    known = find_branch(code, node)
    if known is not None:
        for statement in known:
            visit(code, statement)
        return
    test, place = code.scalar(node.test), Line(node.lineno)
    other = block(code, node.orelse, place) if node.orelse else None
    code.statements.append(code.c.If(test, block(code, node.body, place), other, place))


def hand_on(code: Translator, node: ast.stmt) -> bool:
    """``u = new`` of a loop that makes ``new`` again in its next turn: they change places; whether both are arrays."""
    if not isinstance(node, ast.Assign) or not getattr(node, "hands_on", False):
        return False
    names = [n.id for n in (node.targets[0], node.value) if isinstance(n, ast.Name)]
    if names[1] in code.passing and names[1] not in code.complex:
        visit_assignment(code, node.targets[0], code.take_out(names[1])[1], node.lineno)
        return True
    shapes = [code.shapes.get(n) for n in names]
    if not shapes[0] or shapes[0] != shapes[1] or any(n in code.views or n in code.complex for n in names):
        return False
    code.exchange(names, node.lineno)
    return True


def is_silent(code: Translator, node: ast.stmt) -> bool:
    """Whether a statement is none of the algorithm's work, or was an update that is written now."""
    value = getattr(node, "value", None)
    if isinstance(node, IGNORED) or isinstance(value, ast.Constant):
        return True
    if not isinstance(node, ast.Expr) or not isinstance(value, ast.Call):
        return False
    return find_called(value) in PRINTING or update_at(code, value)


def visit_while(code: Translator, node: ast.While) -> None:
    """``while i < n:``, where the body counts."""
    place = Line(node.lineno)
    for name in find_assigned([ast.For(ast.Name("_"), ast.Constant(0), node.body, [], lineno=node.lineno)]):
        code.builder.scope.pop(name, None)
    test = code.scalar(node.test)
    code.statements.append(code.c.While(test, block(code, node.body, place), place))


def visit_elements(code: Translator, node: ast.For) -> bool:
    """``for v in x:``, ``for i, v in enumerate(x):``, ``for a, b in zip(x, y):``; whether it is one of them."""
    call = node.iter
    name = find_called(call) if isinstance(call, ast.Call) else ""
    targets = list(node.target.elts) if isinstance(node.target, ast.Tuple) else [node.target]
    arrays: list[ast.expr] = [call]
    index = None
    if name == "enumerate" and isinstance(call, ast.Call) and len(call.args) == 1 and len(targets) == 2:
        index, targets, arrays = targets[0], targets[1:], [call.args[0]]
        several = call.args[0]
        if isinstance(several, ast.Call) and find_called(several) == "zip" and isinstance(targets[0], ast.Tuple):
            targets, arrays = list(targets[0].elts), list(several.args)
    elif name == "zip" and isinstance(call, ast.Call):
        arrays = list(call.args)
    listed = find_list(code, arrays[0]) if len(arrays) == 1 else None
    if listed is not None:
        return visit_list(code, node, listed, index)
    flat = name in ("ravel", "flatten", "reshape") and isinstance(call, ast.Call)
    if (name not in ("", "enumerate", "zip") and not flat) or len(targets) != len(arrays):
        return False
    if not all(isinstance(t, ast.Name) for t in targets) or (index is not None and not isinstance(index, ast.Name)):
        return False
    wholes = [code.whole(a) for a in arrays]
    if not all(w.shape for w in wholes):
        return False
    line = node.lineno
    counter = index.id if isinstance(index, ast.Name) else f"turn of line {line}"
    size = min(w.shape[0] for w in wholes)
    low, high = (Affine(),), (Affine((), size - 1),)
    held = dict(code.views), dict(code.shapes)
    with (
        code.builder.loop(counter, low, high, 1, line, False),
        code.loop(counter, code.terms.number(0), code.terms.number(size), 1, line),
    ):
        for target, whole in zip(targets, wholes, strict=True):
            name_part(code, str(getattr(target, "id", "")), whole, code.terms.name(counter, (), line))
        for statement in node.body:
            visit(code, statement)
    code.views, code.shapes = held
    return True


def find_list(code: Translator, node: ast.expr) -> list[ast.expr] | None:
    """Items of a list that is written, or of a name that stands for one; None for others."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return list(node.elts)
    if not isinstance(node, ast.Name):
        return None
    return code.lists.get(node.id, code.constants.get(node.id) if node.id not in code.shapes else None)


def name_part(code: Translator, name: str, whole: Whole, index: Any) -> None:
    """Let a name stand for an element, or a row, of an array."""
    code.shapes.pop(name, None)
    if whole.shape[1:]:
        code.shapes[name] = whole.shape[1:]
    code.views[name] = whole.rearrange(whole.shape[1:], lambda at: whole.at([index, *at]))


def visit_list(code: Translator, node: ast.For, items: Sequence[ast.expr], index: ast.expr | None) -> bool:
    """A loop over a list of numbers, or of tuples of them, turn by turn; whether it is one."""
    target = node.target.elts[1] if index is not None and isinstance(node.target, ast.Tuple) else node.target
    names = [t.id for t in (target.elts if isinstance(target, ast.Tuple) else [target]) if isinstance(t, ast.Name)]
    several = [i.elts if isinstance(i, (ast.Tuple, ast.List)) and len(names) > 1 else [i] for i in items]
    if len(items) > MOST_LISTED or any(len(values) != len(names) for values in several):
        return False
    counter = [index.id] if isinstance(index, ast.Name) else []
    for turn, values in enumerate(several):
        numbers = [ast.copy_location(ast.Constant(turn), node)] if counter else []
        for name, value in zip([*counter, *names], [*numbers, *values], strict=True):
            code.views[name], code.parts[name] = code.whole(value), value
        for statement in node.body:
            visit(code, statement)
    for name in [*counter, *names]:
        code.views.pop(name, None)
        code.parts.pop(name, None)
    return True


def find_branch(code: Translator, node: ast.If) -> list[ast.stmt] | None:
    """The statements of a branch that numbers of a written list alone decide; None of other branches."""
    names = {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
    numbers = {n: code.parts[n] for n in names if n in code.parts and n in code.views}
    if not names or names - {*numbers}:
        return None
    met = fold_test(replace_names(node.test, numbers))
    return None if met is None else node.body if met else node.orelse


def return_arrays(code: Translator, node: ast.Return) -> None:
    """What a function returns, where that is still to be computed from arrays."""
    for label, item in list_results(node):
        chosen = isinstance(item, ast.Subscript) and is_mask(code, item.slice)
        named = not is_view(item) or chosen or gathers(code, item)
        names = {n.id for n in ast.walk(item) if isinstance(n, ast.Name)} if named else set()
        if names & {*code.shapes, *code.views}:
            code.name_value(label, item, node.lineno)


def visit_loop(code: Translator, node: ast.For | ast.While) -> None:
    """``for i in range(first, last, step)``, and loops over elements or under a condition."""
    if isinstance(node, ast.While):
        visit_while(code, node)
        return
    call, line = node.iter, node.lineno
    if visit_elements(code, node):
        return
    if not (
        isinstance(node.target, ast.Name)
        and isinstance(call, ast.Call)
        and find_called(call) in ("range", "prange")
        and 1 <= len(call.args) <= 3
        and not node.orelse
    ):
        raise refuse(line, "loops are written 'for i in range(...)'")
    if len(code.builder.loops) > DEEPEST:
        raise refuse(line, f"more than {DEEPEST} levels of nesting")
    step = code.affine(call.args[2]) if len(call.args) == 3 else Affine((), 1)
    if step.variables or step.constant == 0:
        raise refuse(line, "the step of a range must be a number")
    first = code.scalar(call.args[0]) if len(call.args) > 1 else code.terms.number(0)
    end, up = code.scalar(call.args[min(1, len(call.args) - 1)]), step.constant > 0
    ends = find_ends(code, first, end, up=up)
    low, high = ends if up else ends[::-1]
    name = node.target.id
    with (
        code.builder.loop(name, low, high, abs(step.constant), line, not up),
        code.loop(name, first, end, step.constant, line),
    ):
        for statement in node.body:
            visit(code, statement)


def find_ends(code: Translator, first: Any, end: Any, *, up: bool) -> tuple[tuple[Affine, ...], tuple[Affine, ...]]:
    """First and last value of a range; 0 of a sparse row, whose reader finds its length.

    Raises
    ------
    SourceError : they are not affine.
    """
    shift = Affine((), -1 if up else 1)
    try:
        return code.reader.ranges.extremes(first, "max" if up else "min"), tuple(
            e + shift for e in code.reader.ranges.extremes(end, "min" if up else "max")
        )
    except SourceError:
        if not code.builder.loops or not all(is_from_data(code, n) for n in (first, end)):
            raise
        return (Affine(),), (Affine(),)


def is_from_data(code: Translator, node: Any) -> bool:
    """Whether a bound is an element of an array, or a scalar that loops give values."""
    return isinstance(node, code.c.ArrayRef) or (isinstance(node, code.c.ID) and node.name in code.builder.assigned)


def visit_assignment(code: Translator, target: ast.expr, node: ast.expr, line: int) -> None:
    """``x = e``, ``c = a + b``, ``c[1:-1] = ...``, ``s = a.sum(axis=1)``."""
    if isinstance(target, ast.Tuple):
        unpack(code, target, node, line)
    elif isinstance(target, ast.Name):
        spread_number(code, target.id, node)
        if (term := find_term(code, target, node)) is not None:
            augment(code, term)
        elif not let_pass(code, target.id, node):
            code.name_value(target.id, node, line)
    elif isinstance(target, ast.Subscript) and is_mask(code, target.slice):
        write_masked(code, target, node, line)
    else:
        place = code.whole(target)
        reduction = find_reduction(code, node)
        # One sum for all elements of a row is computed once.
        dealt = reduction is not None and math.prod(reduction.shape) == math.prod(place.shape)
        old = find_overwritten(code, target, [node]) if place.shape else frozenset[str]()
        if reduction is not None and dealt and not (old or code.list_overwritten(target)) & code.list_names(node):
            sum_into(code, place, reduction, line)
            return
        code.overwrite(old)
        code.write(place, code.whole(node), line)
        code.old = frozenset()


def spread_number(code: Translator, name: str, node: ast.expr) -> None:
    """A number that turns of a loop make an array of, ``y = 0.0``, ``y = y * x + k``, as one from the start."""
    first = code.numbered.get(name, [])
    if not first or not code.builder.loops or code.shapes.get(name) or name not in code.list_names(node):
        return
    if any(isinstance(n, ast.expr) and find_staged_call(n, code.own) for n in ast.walk(node)):
        return
    before = list(code.statements)
    shape, element = code.whole(node).shape, infer_element(code, node)
    code.statements = before
    if not shape:
        return
    for item in first:
        item.lvalue.name = f"{name} at first"
    code.types.pop(name, None)
    code.builder.scope.pop(name, None)
    code.builder.routine.types.pop(name, None)
    code.remember(name, shape, element)
    code.temporaries.add(name)


def find_term(code: Translator, target: ast.Name, node: ast.expr) -> ast.AugAssign | None:
    """``y = y + e`` of an array in a loop as the ``y += e`` that it comes to; None for others."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Add, ast.Sub)) or not code.builder.loops:
        return None
    name, shape = target.id, code.shapes.get(target.id, ())
    reads = isinstance(node.left, ast.Name) and node.left.id == name
    if not shape or name in code.views or not reads or name in code.list_names(node.right):
        return None
    if spread_shapes([shape, code.whole(node.right).shape], node.lineno) != shape:
        return None
    return ast.copy_location(ast.AugAssign(target, node.op, node.right), node)


def rotate_arrays(code: Translator, names: Sequence[str], nodes: Sequence[ast.expr], line: int) -> bool:
    """``new, old = f(new), new``: arrays that take each other's place, none of which is copied; whether it is so."""
    passed = [n.id for n in nodes if isinstance(n, ast.Name)]
    shapes = {code.shapes.get(n) for n in (*names, *passed)}
    owned = not any(n in code.views or n in code.passing for n in (*names, *passed))
    if not passed or len({*passed}) < len(passed) or len(shapes) > 1 or not shapes.pop() or not owned:
        return False
    if any(code.whole(n).shape != code.shapes[names[0]] for n in nodes):
        return False
    sources = []
    for name, node in zip(names, nodes, strict=True):
        sources.append(node.id if isinstance(node, ast.Name) else f"new {name} of line {line}")
        if not isinstance(node, ast.Name):
            code.name_value(sources[-1], node, line)
    places = {n: n for n in (*names, *sources)}
    for name, source in zip(names, sources, strict=True):
        held = places[source]
        if held != name:
            code.exchange((name, held), line)
            other = next(n for n, place in places.items() if place == name)
            places[source], places[other] = name, held
    return True


def assign_arrays(code: Translator, names: Sequence[str], nodes: Sequence[ast.expr], line: int) -> None:
    """``x, y = x * x - y * y, 2 * x * y``: all elements are computed from what the arrays held before."""
    code.overwrite(frozenset(n for n in names if code.shapes.get(n)))
    wholes = [code.whole(n) for n in nodes]
    elements = [infer_element(code, n) for n in nodes]
    code.old = frozenset()
    if len({w.shape for w in wholes}) > 1 or not wholes[0].shape:
        raise refuse(line, "several arrays of other shapes assigned at once: write one assignment each")
    for name, whole, element in zip(names, wholes, elements, strict=True):
        code.types.pop(name, None)
        code.remember(name, whole.shape, element)
    with code.counters(wholes[0].shape, line) as at:
        for name, whole in zip(names, wholes, strict=True):
            code.assign(code.terms.name(name, at, line), "=", whole.at(at), line)


def name_value(code: Translator, name: str, node: ast.expr, line: int) -> None:
    """A name for a number, a new array, or a part of one."""
    code.masks.discard(name)
    if is_mask(code, node):
        code.masks |= {name}
    if name_in_own_way(code, name, node):
        return
    if find_staged_call(node, code.own):
        stage(code, name, node)  # type: ignore[arg-type]
    elif is_making(node):
        make_array(code, name, node)
    elif (reduction := find_reduction(code, node)) is not None:
        code.temporaries.add(name)
        reduce_into(code, name, reduction, line, infer_element(code, node))
    elif (base := find_base(node)) and not gathers(code, node) and not converts(code, node):
        view, element = code.whole(node), infer_element(code, node)
        code.shapes[name], code.views[name], code.parts[name] = view.shape, view, node
        code.bases[name] = code.bases.get(base, base)
        code.types.pop(name, None)
        if element:
            code.types[name] = element
    else:
        code.overwrite(frozenset([name] if code.shapes.get(name) else ()))
        whole = code.whole(node)
        code.old = frozenset()
        if whole.shape:
            code.temporaries.add(name)
            element = infer_element(code, node)
            code.types.pop(name, None)
            code.remember(name, whole.shape, element)
        else:
            whole = name_number(code, name, node, whole.at([]))
        code.write(Whole(whole.shape, lambda at: code.terms.name(name, at, line)), whole, line)
        if not whole.shape:
            code.numbered.setdefault(name, []).append(code.statements[-1])


def name_in_own_way(code: Translator, name: str, node: ast.expr) -> bool:
    """Lists of numbers, and calls that fill an array part by part; whether it is one of them."""
    if shape := find_written(code, node):
        code.remember(name, shape, infer_element(code, node.args[0]))  # type: ignore[attr-defined]
        code.filled.add(name)
        return True
    if isinstance(node, (ast.List, ast.Tuple)) and all(isinstance(e, (ast.Constant, ast.UnaryOp)) for e in node.elts):
        code.lists[name] = list(node.elts)
        return True
    joins = lists_arrays(node) or (isinstance(node, ast.Call) and find_called(node) in (*JOINING, "bincount", "cross"))
    if joins and isinstance(node, ast.Call) and node.args:
        own_way = {"bincount": count_places, "cross": cross_vectors}
        own_way.get(find_called(node), join_arrays)(code, name, write_turns(code, node))
        return True
    if name in code.selected and (part := choose_elements(code, node, code.selected[name])) is not None:
        code.remember(name, part.shape, infer_element(code, node))
        code.views[name] = part
        return True
    if (loop := list_turns(code, name, node) or apply_along(code, name, node)) is not None:
        visit(code, loop)
        return True
    return not find_staged_call(node, code.own) and name_pairs(code, name, node)


def name_number(code: Translator, name: str, node: ast.expr, number: Any) -> Whole:
    """A name for a number: its type, and what it is where that is affine or a size."""
    code.builder.scope.pop(name, None)
    if not code.shapes.get(name):
        code.types[name] = infer_element(code, node)
        code.builder.routine.types.pop(name, None)
        if code.types[name].startswith("fp"):
            code.builder.routine.types[name] = code.types[name]
    with suppress(SourceError):
        code.builder.scope[name] = value = code.reader.affine(number)
        if name in code.once and not value.variables and value.constant >= 0 and not code.builder.loops:
            code.fixed[name] = value.constant
    return Whole((), lambda _: number)


def find_written(code: Translator, node: ast.expr) -> tuple[int, ...]:
    """The shape of ``np.array([[c, -s], [s, c]])``, a few numbers that names stand for; () of other expressions."""
    if not isinstance(node, ast.Call) or find_called(node) not in ("array", "asarray") or len(node.args) < 1:
        return ()
    if not isinstance(node.args[0], (ast.List, ast.Tuple)) or list_literal(node):
        return ()
    names = [n.id for n in ast.walk(node.args[0]) if isinstance(n, ast.Name) and n.id != "np"]
    if any(code.shapes.get(n) or n in code.views or n in code.lists or n in code.passing for n in names):
        return ()
    return measure(node.args[0])


def measure(node: ast.expr) -> tuple[int, ...]:
    """The shape of lists in lists; () where they differ in length."""
    if not isinstance(node, (ast.List, ast.Tuple)):
        return ()
    inner = {measure(e) for e in node.elts}
    return (len(node.elts), *inner.pop()) if len(inner) == 1 else ()


def converts(code: Translator, node: ast.expr) -> bool:
    """Whether a view has another type than its array, so that it is none; or is a number."""
    base = find_base(node)
    stated = [k.value for n in ast.walk(node) if isinstance(n, ast.Call) for k in n.keywords if k.arg == "dtype"]
    asked = [*stated, *(a for n in ast.walk(node) if is_cast(n) for a in n.args[1:])]  # type: ignore[attr-defined]
    other = find_element(asked) not in ("", code.types.get(base) or "fp64")
    return other or not code.whole(node).shape


def is_cast(node: ast.AST) -> bool:
    """Whether a node is ``np.asarray(a, np.float32)``."""
    return isinstance(node, ast.Call) and find_called(node) in ("asarray", "ascontiguousarray", "asanyarray")


def let_pass(code: Translator, name: str, node: ast.expr) -> bool:
    """A name for an array that one statement alone uses: nothing is computed yet; whether it is one."""
    code.passing.pop(name, None)
    code.complex.passing.pop(name, None)
    if id(node) not in code.uses:
        return False
    if isinstance(node, ast.Subscript) and (not gathers(code, node) or is_mask(code, node.slice)):
        return False
    if is_complex(code, node):
        return let_pairs_pass(code, name, node)
    if not (whole := code.whole(node)).shape:
        return False
    code.types.pop(name, None)
    code.views.pop(name, None)
    code.shapes[name] = whole.shape
    if element := infer_element(code, node):
        code.types[name] = element
    code.passing[name] = Passing(node, code.uses[id(node)], {})
    return True


def augment(code: Translator, node: ast.AugAssign) -> None:
    """``x += e``, ``a += b``."""
    if isinstance(node.target, ast.Subscript) and is_mask(code, node.target.slice) and type(node.op) in C_SIGNS:
        write_masked(code, node.target, node.value, node.lineno, f"{C_SIGNS[type(node.op)]}=")
        return
    if augment_pairs(code, node):
        return
    if isinstance(node.target, ast.Name):
        spread_number(code, node.target.id, ast.copy_location(ast.BinOp(node.target, node.op, node.value), node))
    line, place = node.lineno, code.whole(node.target)
    if isinstance(node.target, ast.Name):
        code.builder.scope.pop(node.target.id, None)
    if (
        isinstance(node.op, ast.Add)
        and (reduction := find_reduction(code, node.value)) is not None
        and reduction.name == "sum"
    ):
        if reduction.shape and not place.shape:
            raise refuse(line, "an array added to one number")
        sum_into(code, place, reduction, line, begins=False)
        return
    sign = C_SIGNS.get(type(node.op))
    reads_target = bool(code.list_overwritten(node.target) & code.list_names(node.value))
    # What a library has filled is read.
    filled = isinstance(node.target, ast.Name) and node.target.id in {c.array for c in code.builder.routine.library}
    if sign is None or (place.shape and (reads_target or filled or sign not in ("+", "-"))):
        code.overwrite(find_overwritten(code, node.target, [node.value]) if place.shape else frozenset())
        total = code.whole(ast.copy_location(ast.BinOp(node.target, node.op, node.value), node))
        code.old = frozenset()
        code.write(place, total, line)
    else:
        code.write(place, code.whole(node.value), line, f"{sign}=")


def unpack(code: Translator, target: ast.Tuple, node: ast.expr, line: int) -> None:
    """``n, m = a.shape``; ``u, v = v, u``: two buffers that take turns."""
    names = [t.id for t in target.elts if isinstance(t, ast.Name)]
    others = [e.id for e in node.elts if isinstance(e, ast.Name)] if isinstance(node, ast.Tuple) else []
    if len(names) == len(target.elts) == 2 and names == others[::-1]:
        code.exchange(names, line)
    elif isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == len(target.elts):
        assign_each(code, target.elts, node.elts, line)
    elif find_base(node) and code.whole(node).shape[:1] == (len(target.elts),):
        for at, item in enumerate(target.elts):
            part = ast.Subscript(node, ast.Constant(at), ast.Load())
            visit_assignment(code, item, ast.fix_missing_locations(ast.copy_location(part, node)), line)
    elif isinstance(node, ast.Attribute) and node.attr == "shape" and len(names) == len(target.elts):
        for at, name in enumerate(names):
            size = ast.copy_location(ast.Subscript(node, ast.Constant(at), ast.Load()), node)
            ast.fix_missing_locations(size)
            code.name_value(name, size, line)
    elif (parts := split_array(code, node)) is not None and len(parts) == len(target.elts):
        assign_each(code, target.elts, parts, line)
    else:
        if isinstance(node, ast.Call):
            refuse_function(node, find_called(node), len(node.args))
            raise refuse(line, f"several values of '{one_line(find_called(node), 40)}' at once are not followed")
        raise refuse(line, "several values assigned at once: write one assignment each")


def assign_each(code: Translator, targets: Sequence[ast.expr], nodes: Sequence[ast.expr], line: int) -> None:
    """``a, b = x + y, x - y``: all values are computed before any name has its own."""
    written = {target_name(t) for t in targets}
    later = [{n.id for n in ast.walk(v) if isinstance(n, ast.Name)} for v in nodes[1:]]
    if any(target_name(t) in used for at, t in enumerate(targets) for used in later[at:]):
        plain = all(isinstance(t, ast.Name) for t in targets)
        if plain and rotate_arrays(code, [target_name(t) for t in targets], nodes, line):
            return
        if plain and any(code.shapes.get(n) for n in written):
            assign_arrays(code, [target_name(t) for t in targets], nodes, line)
            return
        if not plain:
            raise refuse(line, "several values assigned at once, which need each other: write one assignment each")
        labels = [ast.copy_location(ast.Name(name_value_before(target_name(t), line), ast.Load()), t) for t in targets]
        for label, node in zip(labels, nodes, strict=True):
            visit_assignment(code, label, node, line)
        nodes = labels
    for target, node in zip(targets, nodes, strict=True):
        visit_assignment(code, target, node, line)
