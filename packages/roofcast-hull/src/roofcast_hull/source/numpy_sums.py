"""Sums, means and products of NumPy arrays, and the loops that add them up."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roofcast_hull.source.builder import SHARED_WORK
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_code import NAMES, Loops, Translator, UsedByManyError
from roofcast_hull.source.numpy_conditions import TIMES
from roofcast_hull.source.numpy_elements import Line, Whole, transpose
from roofcast_hull.source.numpy_indexing import is_mask
from roofcast_hull.source.numpy_shapes import REDUCTIONS, find_called, is_choice
from roofcast_hull.source.python_syntax import is_none


@dataclass(frozen=True)
class Reduction:
    """An array of sums: its shape, what is summed over, one term, how it is added, and what is done with a sum."""

    shape: tuple[int, ...]
    inner: tuple[int, ...]
    at: Callable[[Sequence[Any], Sequence[Any]], Any]
    name: str = "sum"
    shares: bool = False
    """Whether several of its sums read the same elements, as products of matrices do: a call of a library."""


def defer(code: Translator, name: str, found: Reduction, line: int, element: str) -> Whole:
    """An array of sums inside an expression: each sum is computed by the unit that uses it, where it is one alone.

    Otherwise, and where several sums read the same elements and are added up themselves (which are calls of a
    library), the array is computed before the statement's loops.
    """
    stored: list[bool] = []
    inside: dict[tuple[tuple[int, ...], str], str] = {}

    def at(indices: Sequence[Any]) -> Any:
        if not stored and takes_each_once(code, found, indices):
            key = code.inside.nest, " ".join(str(getattr(i, "name", "")) for i in indices)
            if key not in inside:
                code.made += 1
                inside[key] = f"{name} {code.made}"
                code.builder.assigned |= {inside[key]}
                target = Whole((), lambda _: code.terms.name(inside[key], (), line))
                centred = found.name in ("var", "std") and bool(found.shape)

                def term(_: Sequence[Any], inner: Sequence[Any]) -> Any:
                    element = found.at(indices, inner)
                    return square_gap(code, element, line) if centred else element

                sum_into(code, target, replace(found, shape=(), at=term), line)
            return code.terms.name(inside[key], (), line)
        if not stored:
            stored.append(True)
            store_before(code, name, found, line, element)
        return code.terms.name(name, indices, line)

    return Whole(found.shape, at)


def takes_each_once(code: Translator, found: Reduction, indices: Sequence[Any]) -> bool:
    """Whether the loops that are open use each sum of an array once."""
    names = [str(i.name) for i in indices if type(i).__name__ == "ID"]
    plain = all(type(i).__name__ in ("ID", "Constant") for i in indices) and len(set(names)) == len(names)
    return plain and code.inside.turns == math.prod(found.shape) and not (found.shares and code.inside.sums)


def store_before(code: Translator, name: str, found: Reduction, line: int, element: str) -> None:
    """Compute an array of sums before the loops of the statement that is open."""
    outer, code.statements = code.statements, []
    held, code.inside = code.inside, Loops()
    code.temporaries.add(name)
    reduce_into(code, name, found, line, element)
    code.inside = held
    sums, code.statements = code.statements, outer
    (code.before if code.inside.count else code.statements).extend(sums)


def find_reduction(code: Translator, node: ast.expr) -> Reduction | None:
    """An expression that is a sum or a product as a whole; None for others."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return multiply_matrices(code, node.left, node.right, node.lineno)
    if isinstance(node, ast.Call):
        arguments = code.arguments(node)
        if find_called(node) in ("dot", "matmul", "inner") and len(arguments) == 2:
            return multiply_matrices(code, arguments[0], arguments[1], node.lineno, find_called(node))
        if find_called(node) in ("convolve", "correlate") and len(arguments) in (2, 3):
            return convolve(code, node, arguments)
        if find_called(node) in ("trapezoid", "trapz") and arguments:
            return add_trapezoids(code, arguments, node)
        if find_called(node) in ("tensordot", "trace") and arguments:
            return contract_axes(code, find_called(node), arguments, node)
        if find_called(node) == "einsum" and len(node.args) > 1:
            return contract(code, node)
        if find_called(node) in REDUCTIONS and arguments and not is_choice(node):
            return reduce_axes(code, find_called(node), arguments, node)
    return None


def reduce_axes(code: Translator, name: str, arguments: list[ast.expr], node: ast.Call) -> Reduction | None:
    """A sum or the like over all or some axes; None of plain numbers."""
    whole = choose_elements(code, arguments[0]) or code.whole(arguments[0])
    if name.startswith("nan"):
        name = name.removeprefix("nan")
        whole = leave_out_nan(code, whole, name, node.lineno) if name not in ("max", "min") else whole
    rank = len(whole.shape)
    if not rank:
        return None
    if any(k.arg == "where" for k in node.keywords):
        raise refuse(node.lineno, f"'where=' of '{name}' is not followed: write it out")
    given = {k.arg: k.value for k in node.keywords}
    chosen = given.get("axis", arguments[1] if len(arguments) > 1 else None)
    axes = list(range(rank))
    if chosen is not None and not (isinstance(chosen, ast.Constant) and chosen.value is None):
        items = chosen.elts if isinstance(chosen, ast.Tuple) else [chosen]
        axes = sorted({code.affine(i).constant % rank for i in items})
    keep = isinstance(k := given.get("keepdims"), ast.Constant) and bool(k.value)

    shape = tuple(1 if a in axes else n for a, n in enumerate(whole.shape) if keep or a not in axes)

    def at(indices: Sequence[Any], inner: Sequence[Any]) -> Any:
        outer = iter(indices)
        summed = dict(zip(axes, inner, strict=True))
        # A kept axis of length one has an index too, which is not used.
        places = [(a, next(outer) if keep or a not in summed else None) for a in range(rank)]
        element = whole.at([summed.get(a, i) for a, i in places])
        if name in ("var", "std") and not shape:
            return square_gap(code, element, node.lineno)
        return code.terms.call("pow", (element, code.terms.number(2)), node.lineno) if name == "norm" else element

    return Reduction(shape, tuple(whole.shape[a] for a in axes), at, name)


def leave_out_nan(code: Translator, whole: Whole, name: str, line: int) -> Whole:
    """Elements, those that are no numbers as nothing; of a mean how many are left is added up, too."""

    def chosen(at: Sequence[Any]) -> Any:
        element = whole.at(at)
        test = code.c.BinaryOp(">", element, code.c.Constant("double", "1e300", Line(line)), Line(line))
        if name in ("mean", "var", "std"):
            test = code.terms.call(SHARED_WORK, [code.c.Constant("double", "0.5", Line(line)), test], line)
        return code.c.TernaryOp(test, code.terms.number(0), element, Line(line))

    return Whole(whole.shape, chosen, True)


def choose_elements(code: Translator, node: ast.expr, uses: int = 1) -> Whole | None:
    """``a[mask]`` inside of a sum: all elements, those that the mask leaves out as nothing; None for others.

    uses : of each element, of which each asks for the mask; both are computed once.
    """
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Tuple) or not is_mask(code, node.slice):
        return None
    base, mask, line = code.whole(node.value), code.whole(node.slice), node.lineno
    rank, share = len(mask.shape), uses / getattr(node, TIMES, 1)
    if base.shape[:rank] != mask.shape or not rank:
        return None

    def chosen(at: Sequence[Any]) -> Any:
        test = mask.at(at[:rank])
        if share != 1 or len(base.shape) > rank:
            times = repr(share * math.prod(base.shape) / math.prod(mask.shape))
            test = code.terms.call(SHARED_WORK, [code.c.Constant("double", times, Line(line)), test], line)
        element = code.terms.compute_once(base, base.at(at), uses * math.prod(base.shape))
        return code.c.TernaryOp(test, element, code.terms.number(0), Line(line))

    return Whole(base.shape, chosen, True)


def convolve(code: Translator, node: ast.Call, arguments: Sequence[ast.expr]) -> Reduction:
    """``np.convolve(x, k, mode="valid")``: at the ends of other modes, the nearest elements in place of none."""
    line, name = node.lineno, find_called(node)
    stated = next((k.value for k in node.keywords if k.arg == "mode"), arguments[2] if len(arguments) > 2 else None)
    usual = "full" if name == "convolve" else "valid"
    mode = stated.value if isinstance(stated, ast.Constant) else usual if stated is None else ""
    long, short = (code.whole(a) for a in arguments[:2])
    if len(long.shape) != 1 or len(short.shape) != 1 or mode not in ("valid", "same", "full"):
        raise refuse(line, f"the call of '{name}' cannot be counted")
    size, reach = long.shape[0], short.shape[0]
    length = {"valid": max(1, size - reach + 1), "same": size, "full": size + reach - 1}[str(mode)]
    before = {"valid": 0, "same": (reach - 1) // 2, "full": reach - 1}[str(mode)]

    def at(indices: Sequence[Any], inner: Sequence[Any]) -> Any:
        place = code.c.BinaryOp("+", indices[0], inner[0], Line(line))
        if before:
            moved = code.c.BinaryOp("-", place, code.terms.number(before), Line(line))
            place = code.terms.call(
                "min",
                (code.terms.call("max", (moved, code.terms.number(0)), line), code.terms.number(size - 1)),
                line,
            )
        other = inner[0]
        if name == "convolve":
            other = code.c.BinaryOp("-", code.terms.number(reach - 1), inner[0], Line(line))
        terms = (long, place), (short, other)
        return code.c.BinaryOp(
            "*", *(code.terms.compute_once(w, w.at([i]), length * reach) for w, i in terms), Line(line)
        )

    return Reduction((length,), (reach,), at, shares=True)


def contract(code: Translator, node: ast.Call) -> Reduction:
    """``np.einsum("bij,bjk->bik", a, b)``; letters that the result lacks are summed over."""
    line = node.lineno
    formula = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
    wholes = [code.whole(a) for a in node.args[1:]]
    inputs, arrow, result = write_letters(str(formula), [len(w.shape) for w in wholes])
    letters = inputs.split(",")
    plain = arrow and all(w.isalpha() or not w for w in (*letters, result)) and len(letters) == len(wholes)
    if not plain or any(len(w) != len(x.shape) for w, x in zip(letters, wholes, strict=True)):
        raise refuse(line, "einsum with other than written letters, as in 'ij,jk->ik', is not followed")
    for n, word in enumerate(letters):
        twice = [a for a in word if word.count(a) > 1]
        if len({*twice}) == 1:
            # What is read of such an array is a diagonal of it.
            axes = [k for k, a in enumerate(word) if a == twice[0]]
            wholes[n] = code.take_diagonal(node.args[1 + n], axes)
            letters[n] = "".join(a for a in word if a != twice[0]) + twice[0]
    sizes = {a: n for w, x in zip(letters, wholes, strict=True) for a, n in zip(w, x.shape, strict=True)}
    for word, argument in zip(letters, node.args[1:], strict=True):
        store_factor(code, argument, math.prod(n for a, n in sizes.items() if a in result and a not in word))
    summed = [a for a in sizes if a not in result]

    def at(indices: Sequence[Any], inner: Sequence[Any]) -> Any:
        places = dict(zip((*result, *summed), (*indices, *inner), strict=True))
        terms = [(x, x.at([places[a] for a in w])) for w, x in zip(letters, wholes, strict=True)]
        size = math.prod(sizes.values())
        return code.terms.chain("*", [code.terms.compute_once(x, element, size) for x, element in terms], line)

    if not set(result) <= set(sizes):
        raise refuse(line, "einsum with a letter in its result that no array has")
    # Elements that several results take are those that lack a letter of theirs.
    shared = any(set(result) - set(w) for w in letters)
    return Reduction(tuple(sizes[a] for a in result), tuple(sizes[a] for a in summed), at, shares=shared)


def write_letters(formula: str, ranks: Sequence[int]) -> tuple[str, str, str]:
    """What einsum sums up, an arrow, and the result, with letters in place of ``...`` and the result that it implies.

    >>> write_letters("...ij,...jk->...ik", [3, 3]), write_letters("ij,jk", [2, 2])
    (('Aij,Ajk', '->', 'Aik'), ('ij,jk', '->', 'ik'))
    """
    plain = formula.replace(" ", "")
    inputs = plain.partition("->")[0].split(",")
    wide = max((r - len(w) + 3 for w, r in zip(inputs, ranks, strict=False) if "..." in w), default=0)
    inputs = [w.replace("...", "ABCDEFGH"[wide - (r - len(w) + 3) : wide]) for w, r in zip(inputs, ranks, strict=False)]
    every = "".join(inputs)
    implied = "".join(sorted(a for a in set(every) if every.count(a) == 1 or a in "ABCDEFGH"))
    result = plain.partition("->")[2].replace("...", "ABCDEFGH"[:wide]) if "->" in plain else implied
    return ",".join(inputs), "->", result


def contract_axes(code: Translator, name: str, arguments: list[ast.expr], node: ast.Call) -> Reduction:
    """``np.tensordot(a, b, axes=1)``, ``np.trace(a)`` as sums over letters."""
    several = arguments[:1] if name == "trace" else arguments[:2]
    ranks = [len(code.whole(a).shape) for a in several]
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    if name == "trace":
        named = {k.arg: k.value for k in node.keywords}
        given = [named.get("axis1", ast.Constant(0)), named.get("axis2", ast.Constant(1))]
        axes = [code.affine(ast.copy_location(n, node)).constant % ranks[0] for n in given]
        if len(arguments) > 1 or not {*named} <= {"axis1", "axis2"} or axes[0] == axes[1]:
            raise refuse(node.lineno, "a trace beside the diagonal is not followed")
        word = ["z" if a in axes else next(letters) for a in range(ranks[0])]
        formula = f"{''.join(word)}->{''.join(a for a in word if a != 'z')}"
    else:
        left, right = ([next(letters) for _ in range(n)] for n in ranks)
        for first, second in zip(*list_contracted(code, arguments, node, ranks), strict=True):
            right[second] = left[first]
        result = [a for a in (*left, *right) if (a in left) != (a in right)]
        formula = f"{''.join(left)},{''.join(right)}->{''.join(result)}"
    call = ast.Call(node.func, [ast.Constant(formula), *several], [])
    return contract(code, ast.fix_missing_locations(ast.copy_location(call, node)))


def add_trapezoids(code: Translator, arguments: list[ast.expr], node: ast.Call) -> Reduction:
    """``np.trapezoid(y, x, axis=-1)``: half the sum of two neighbours, times the step between them, all added up."""
    named = {k.arg: k.value for k in node.keywords}
    places = named.get("x", arguments[1] if len(arguments) > 1 else None)
    whole, line = code.whole(arguments[0]), node.lineno
    steps = None if places is None or is_none(places) else code.whole(places)
    chosen = code.find_axis(node, arguments, 3)
    if not whole.shape or (steps is not None and len(steps.shape) not in (1, len(whole.shape))):
        raise refuse(line, "an integral of what is no array")
    axis = (-1 if chosen is None else chosen) % len(whole.shape)
    length = max(1, whole.shape[axis] - 1)

    def at(indices: Sequence[Any], inner: Sequence[Any]) -> Any:
        ahead = code.c.BinaryOp("+", inner[0], code.terms.number(1), Line(line))
        both = [[*indices[:axis], i, *indices[axis:]] for i in (inner[0], ahead)]
        sides = [code.terms.compute_once(whole, whole.at(b), 2 * math.prod(whole.shape)) for b in both]
        both_sides = code.terms.chain("+", sides, line)
        half = code.terms.chain("*", [code.c.Constant("double", "0.5", Line(line)), both_sides], line)
        if steps is None:
            return code.terms.chain("*", [half, code.c.Constant("double", "0.1", Line(line))], line)
        ends = [steps.at([b[axis]] if len(steps.shape) == 1 else b) for b in both[::-1]]
        gap = code.terms.chain("-", ends, line)
        uses = length if len(steps.shape) > 1 else math.prod(whole.shape) // whole.shape[axis] * length
        once = Whole((length,), lambda _: gap, True)
        return code.terms.chain("*", [half, code.terms.compute_once(once, gap, uses)], line)

    shape = tuple(n for a, n in enumerate(whole.shape) if a != axis)
    return Reduction(shape, (length,), at)


def list_contracted(
    code: Translator, arguments: list[ast.expr], node: ast.Call, ranks: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Axes of both arrays that ``np.tensordot`` sums over."""
    named = {k.arg: k.value for k in node.keywords}
    axes = named.get("axes", arguments[2] if len(arguments) > 2 else ast.Constant(2))
    if not isinstance(axes, (ast.Tuple, ast.List)):
        number = code.affine(axes).constant
        return list(range(ranks[0] - number, ranks[0])), list(range(number))
    first, second = (
        [code.affine(i).constant % n for i in code.list_sizes(side)] for side, n in zip(axes.elts, ranks, strict=True)
    )
    return first, second


def store_factor(code: Translator, node: ast.expr, uses: int) -> None:
    """Have an array stored that a product of matrices takes, or of which it uses each element several times.

    Raises
    ------
    UsedByManyError : it is not stored yet.
    """
    for name in [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in code.passing]:
        if uses > 1 and code.whole(code.passing[name].node).computes:
            raise UsedByManyError(name)


def choose_factors(code: Translator, left: ast.expr, right: ast.expr) -> tuple[Whole, Whole] | None:
    """Two vectors of a product of which one condition chooses elements; None of others."""
    if not (isinstance(left, ast.Subscript) and isinstance(right, ast.Subscript)):
        return None
    if ast.dump(left.slice) != ast.dump(right.slice) or not is_mask(code, left.slice):
        return None
    sides = choose_elements(code, left), choose_elements(code, right)
    plain = [s for s in sides if s is not None and len(s.shape) == 1]
    return (plain[0], plain[1]) if len(plain) == 2 else None


def multiply_matrices(
    code: Translator, left_node: ast.expr, right_node: ast.expr, line: int, name: str = ""
) -> Reduction:
    """A product of matrices and vectors. name : of the function that is called."""
    left, right = choose_factors(code, left_node, right_node) or (code.whole(left_node), code.whole(right_node))
    if name == "inner" and len(right.shape) == 2:
        right = transpose(right)
    if not left.shape or not right.shape:
        raise refuse(line, "a product '@' of arrays whose shapes are not known: annotate them")
    if left.shape[-1] != right.shape[-2 if len(right.shape) > 1 else 0]:
        raise refuse(line, f"a product of shapes {left.shape} and {right.shape}")
    batch, rows = left.shape[:-2], left.shape[-2:-1]
    for node in (left_node, right_node):
        # Of two vectors it is a sum.
        store_factor(code, node, max(len(left.shape), len(right.shape)))
    columns = right.shape[-1:] if len(right.shape) > 1 else ()
    lead = len(batch) if len(right.shape) == len(left.shape) else 0

    def at(indices: Sequence[Any], summed: Sequence[Any]) -> Any:
        front, rest = list(indices[: len(batch)]), list(indices[len(batch) :])
        first = left.at([*front, *rest[: len(rows)], summed[0]])
        two = right.at([*front[:lead], summed[0], *rest[len(rows) :]])
        sides = code.terms.compute_once(left, first, size), code.terms.compute_once(right, two, size)
        return code.c.BinaryOp("*", *sides, Line(line))

    shape = (*batch, *rows, *columns)
    size = math.prod(shape) * left.shape[-1]
    return Reduction(shape, left.shape[-1:], at, shares=True)


def reduce_into(code: Translator, name: str, found: Reduction, line: int, element: str = "") -> None:
    """The loops of a reduction, into an array of its own."""
    code.types.pop(name, None)
    code.remember(name, found.shape, element)
    if not found.shape:
        code.shapes.pop(name), code.every.pop(name)
        # A number that data give, no size.
        code.builder.assigned |= {name}
        code.builder.scope.pop(name, None)
    sum_into(code, Whole(found.shape, lambda at: code.terms.name(name, at, line)), found, line)


def sum_into(code: Translator, place: Whole, found: Reduction, line: int, *, begins: bool = True) -> None:
    """The loops of a reduction: each sum from its first value to what is done with it."""
    with code.counters(place.shape, line) as outer:
        target = place.at(outer)
        if begins:
            code.assign(target, "=", code.terms.number(0), line)
        centred = found.name in ("var", "std") and bool(place.shape)
        terms = subtract_mean(code, found, outer, line) if centred else found
        with code.counters(found.inner, line, sums=True) as inner:
            term = terms.at(code.terms.narrow(outer, found.shape), inner)
            plain = NAMES.get(found.name) or {"max": "fmax", "min": "fmin"}.get(found.name)
            value = code.terms.call(plain, (target, term), line) if plain else term
            if not found.inner and not plain and begins:
                code.statements.pop()
                code.assign(target, "=", term, line)
                return
            code.assign(target, "=" if plain else "*=" if found.name == "prod" else "+=", value, line)
        if found.name in ("mean", "norm", "var", "std") and begins:
            done = {
                "mean": code.c.BinaryOp("/", target, code.terms.number(max(1, math.prod(found.inner))), Line(line))
            }.get(found.name, code.terms.call("sqrt", (target,), line))
            code.assign(target, "=", done, line)


def square_gap(code: Translator, element: Any, line: int) -> Any:
    """What a variance adds up of an element: its square without the mean, of which it was a term before."""
    mean = code.terms.call("fabs", [code.c.Constant("double", "0.25", Line(line))], line)
    return code.terms.call("pow", (code.c.BinaryOp("-", element, mean, Line(line)), code.terms.number(2)), line)


def subtract_mean(code: Translator, found: Reduction, outer: Sequence[Any], line: int) -> Reduction:
    """Squares of what is left of elements without their mean, which is added up first."""
    code.made += 1
    label = f"mean{code.made}"
    code.builder.assigned |= {label}
    mean = code.terms.name(label, (), line)
    plain = replace(found, shape=(), name="mean", at=lambda _, inner: found.at(outer, inner))
    sum_into(code, Whole((), lambda _: mean), plain, line)

    def square(indices: Sequence[Any], inner: Sequence[Any]) -> Any:
        gap = code.c.BinaryOp("-", found.at(indices, inner), mean, Line(line))
        return code.terms.call("pow", (gap, code.terms.number(2)), line)

    return replace(found, at=square)


def is_sum(node: ast.expr) -> bool:
    """Whether an expression calls a sum, rather than being a product."""
    return isinstance(node, ast.Call) and find_called(node) in REDUCTIONS
