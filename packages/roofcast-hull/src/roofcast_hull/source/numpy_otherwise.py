"""Calls of NumPy as the expressions of other calls that they are: ``np.vecdot(a, b)``, ``np.divmod(a, b)[0]``."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping, Sequence

LETTERS = "abcdefghijklmnopqrstuvwxyz"
Named = Mapping[str, ast.expr]


def numpy(name: str, *given: ast.expr, **options: ast.expr) -> ast.Call:
    """A call of a function of NumPy."""
    whose = ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load())
    return ast.Call(whose, list(given), [ast.keyword(n, v) for n, v in options.items()])


def write_plain(node: ast.Call, name: str) -> ast.expr | None:
    """A call of NumPy as others that say the same; None for those that stay."""
    named = {str(k.arg): k.value for k in node.keywords}
    written = PLAIN[name](node.args, named) if name in PLAIN else None
    return None if written is None else ast.fix_missing_locations(ast.copy_location(written, node))


def take_options(named: Named, *names: str) -> dict[str, ast.expr]:
    """Some of the arguments that have names."""
    return {n: v for n, v in named.items() if n in names}


def add_products(given: Sequence[ast.expr], _: Named) -> ast.expr | None:
    """``np.vdot(a, b)``."""
    return numpy("sum", ast.BinOp(given[0], ast.Mult(), given[1])) if len(given) == 2 else None


def add_rows(given: Sequence[ast.expr], named: Named) -> ast.expr | None:
    """``np.vecdot(a, b)``."""
    axis = named.get("axis", ast.UnaryOp(ast.USub(), ast.Constant(1)))
    return numpy("sum", ast.BinOp(given[0], ast.Mult(), given[1]), axis=axis) if len(given) == 2 else None


def multiply_by(formula: str) -> Callable[[Sequence[ast.expr], Named], ast.expr | None]:
    """``np.matvec(a, x)`` and its kin."""

    def write(given: Sequence[ast.expr], named: Named) -> ast.expr | None:
        return None if named or len(given) != 2 else numpy("einsum", ast.Constant(formula), *given)

    return write


def contract_lists(given: Sequence[ast.expr], _: Named) -> ast.expr | None:
    """``np.einsum(a, [0, 1], b, [1, 2], [0, 2])`` with letters; None where letters are written."""
    if len(given) < 2 or isinstance(given[0], ast.Constant):
        return None
    arrays, lists = list(given[0 : len(given) - len(given) % 2 : 2]), list(given[1::2])
    result = given[-1] if len(given) % 2 else None
    words = [write_word(w) for w in (*lists, *([result] if result is not None else []))]
    if any(w is None for w in words):
        return None
    formula = ",".join(str(w) for w in words[: len(lists)]) + (f"->{words[-1]}" if result is not None else "")
    return numpy("einsum", ast.Constant(formula), *arrays)


def write_word(node: ast.expr) -> str | None:
    """Letters of a list of numbers; None of others."""
    items = node.elts if isinstance(node, (ast.List, ast.Tuple)) else None
    if items is None:
        return None
    numbers = [i.value if isinstance(i, ast.Constant) else None for i in items]
    if not all(n is Ellipsis or (type(n) is int and 0 <= n < len(LETTERS)) for n in numbers):
        return None
    return "".join("..." if n is Ellipsis else LETTERS[n] for n in numbers)  # type: ignore[index]


def choose(given: Sequence[ast.expr], _: Named) -> ast.expr | None:
    """``np.choose(c, [a, b])``: each element by a number."""
    items = given[1].elts if len(given) > 1 and isinstance(given[1], (ast.List, ast.Tuple)) else []
    if len(items) < 2:
        return None
    written = items[-1]
    for at in range(len(items) - 2, -1, -1):
        test = ast.Compare(copy.deepcopy(given[0]), [ast.Eq()], [ast.Constant(at)])
        written = numpy("where", test, items[at], written)
    return written


def add_where(name: str) -> Callable[[Sequence[ast.expr], Named], ast.expr | None]:
    """``np.sum(x, axis=1, where=m)``: what is left out is nothing."""

    def write(given: Sequence[ast.expr], named: Named) -> ast.expr | None:
        if "where" not in named or not given:
            return None
        chosen = numpy("where", named["where"], given[0], ast.Constant(0))
        options = take_options(named, "axis", "keepdims")
        total = numpy(name if name != "mean" else "sum", chosen, *given[1:], **options)
        if name != "mean":
            return total
        return ast.BinOp(total, ast.Div(), numpy("sum", copy.deepcopy(named["where"]), *given[1:], **options))

    return write


def find_piece(given: Sequence[ast.expr], _: Named) -> ast.expr | None:
    """``np.piecewise(x, [c, d], [f, g])`` as choices between what the functions give."""
    lists = [a.elts for a in given[1:3] if isinstance(a, (ast.List, ast.Tuple))]
    if len(lists) != 2 or not 0 <= len(lists[1]) - len(lists[0]) <= 1:
        return None
    values = [apply(f, given[0]) for f in lists[1]]
    written = values[len(lists[0])] if len(values) > len(lists[0]) else ast.Constant(0)
    for test, value in zip(lists[0][::-1], values[: len(lists[0])][::-1], strict=True):
        written = numpy("where", test, value, written)
    return written


def apply(function: ast.expr, given: ast.expr) -> ast.expr:
    """A function of one argument, a number, or a call of its name."""
    if isinstance(function, ast.Lambda) and len(function.args.args) == 1:
        name = function.args.args[0].arg

        class Given(ast.NodeTransformer):
            def visit_Name(self, item: ast.Name) -> ast.expr:
                """The argument."""
                return copy.deepcopy(given) if item.id == name else item

        return Given().visit(copy.deepcopy(function.body))  # type: ignore[no-any-return]
    constant = isinstance(function, (ast.Constant, ast.UnaryOp))
    return function if constant else ast.Call(function, [copy.deepcopy(given)], [])


def first_alone(name: str) -> Callable[[Sequence[ast.expr], Named], ast.expr | None]:
    """Functions of which the first argument alone counts: ``np.nan_to_num(x, nan=0.0)``."""
    return lambda given, named: numpy(name, given[0]) if len(given) > 1 or named else None


def stack_last(given: Sequence[ast.expr], _: Named) -> ast.expr | None:
    """``np.dstack([a, b])`` of images."""
    return numpy("stack", given[0], axis=ast.UnaryOp(ast.USub(), ast.Constant(1)))


def delete_end(given: Sequence[ast.expr], named: Named) -> ast.expr | None:
    """``np.delete(x, 0)``: all but one end."""
    axis = named.get("axis", given[2] if len(given) > 2 else ast.Constant(0))
    ends = {"0": ast.Slice(ast.Constant(1)), "-1": ast.Slice(None, ast.UnaryOp(ast.USub(), ast.Constant(1)))}
    end = ends.get(ast.unparse(given[1])) if len(given) > 1 else None
    if end is None or not isinstance(axis, ast.Constant) or type(axis.value) is not int or axis.value < 0:
        return None
    return ast.Subscript(given[0], ast.Tuple([*[ast.Slice()] * axis.value, end], ast.Load()), ast.Load())


def take_horner(given: Sequence[ast.expr], _: Named) -> ast.expr | None:
    """``np.polyval([a, b, c], x)``: from the highest power on."""
    items = given[0].elts if len(given) == 2 and isinstance(given[0], (ast.List, ast.Tuple)) else []
    if len(items) < 2:
        return None
    written = items[0]
    for item in items[1:]:
        written = ast.BinOp(ast.BinOp(written, ast.Mult(), copy.deepcopy(given[1])), ast.Add(), item)
    return written


def append_number(given: Sequence[ast.expr], named: Named) -> ast.expr | None:
    """``np.append(x, 0.0)``."""
    if len(given) != 2 or named:
        return None
    plain = given[1].operand if isinstance(given[1], ast.UnaryOp) else given[1]
    both = ast.Tuple([given[0], ast.List([given[1]], ast.Load())], ast.Load())
    return numpy("concatenate", both) if isinstance(plain, ast.Constant) else None


def compare_closely(given: Sequence[ast.expr], _: Named) -> ast.expr | None:
    """``np.isclose(a, b)``: the distance of two numbers against a share of one."""
    if len(given) < 2:
        return None
    gap = numpy("abs", ast.BinOp(given[0], ast.Sub(), given[1]))
    return ast.Compare(gap, [ast.LtE()], [ast.BinOp(ast.Constant(1e-5), ast.Mult(), numpy("abs", given[1]))])


def fold_list(
    given: Sequence[ast.expr], named: Named, join: Callable[[ast.expr, ast.expr], ast.expr]
) -> ast.expr | None:
    """``np.minimum.reduce([a, b, c])``, ``np.sum([a, b], axis=0)``: arrays of a written list, one after the other."""
    listed = given[0]
    while isinstance(listed, ast.Call) and getattr(listed.func, "attr", "") in ("array", "stack") and listed.args:
        listed = listed.args[0] if len(listed.args) == 1 and not listed.keywords else ast.Constant(0)
    items = listed.elts if isinstance(listed, (ast.List, ast.Tuple)) else []
    axis = named.get("axis", given[1] if len(given) > 1 else ast.Constant(0))
    if len(items) < 2 or any(isinstance(i, (ast.Constant, ast.List, ast.Tuple, ast.Starred)) for i in items):
        return None
    if ast.unparse(axis) != "0" or {*named} - {"axis"}:
        return None
    written = items[0]
    for item in items[1:]:
        written = join(written, item)
    return written


PLAIN: dict[str, Callable[[Sequence[ast.expr], Named], ast.expr | None]] = {
    "vdot": add_products, "vecdot": add_rows, "einsum": contract_lists, "choose": choose, "piecewise": find_piece,
    "matvec": multiply_by("...ij,...j->...i"), "vecmat": multiply_by("...i,...ij->...j"),
    "ediff1d": lambda given, named: numpy("diff", given[0]) if not named and len(given) == 1 else None,
    "vector_norm": lambda given, named: numpy("norm", *given, **named), "dstack": stack_last, "delete": delete_end,
    "polyval": take_horner, "append": append_number, "isclose": compare_closely,
    "permute_dims": lambda given, named: numpy("transpose", *given, **named),
    "concat": lambda given, named: numpy("concatenate", *given, **named),
    "positive": lambda given, _: given[0], "nan_to_num": first_alone("nan_to_num"),
    "astype": lambda given, _: ast.Call(ast.Attribute(given[0], "astype", ast.Load()), list(given[1:]), []),
    **{n: add_where(n) for n in ("sum", "mean", "count_nonzero")},
    "cumulative_sum": lambda given, named: numpy("cumsum", *given, **named),
    "cumulative_prod": lambda given, named: numpy("cumprod", *given, **named),
}  # fmt: skip
"""How calls are written, by their names: of arguments, and of those that have names."""


def take_of_several(call: ast.Call, name: str, at: int) -> ast.expr | None:
    """One of several arrays that a call gives: ``np.divmod(a, b)[0]``, ``np.gradient(z)[1]``; None of others."""
    if name == "divmod" and len(call.args) == 2:
        return ast.BinOp(call.args[0], ast.Mod() if at else ast.FloorDiv(), call.args[1])
    if name in ("modf", "frexp") and len(call.args) == 1:
        return numpy("trunc" if at and name == "modf" else "fabs", call.args[0])
    return None
