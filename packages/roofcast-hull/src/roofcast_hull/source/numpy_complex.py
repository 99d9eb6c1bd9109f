"""Complex numbers of NumPy as their two parts: arrays of pairs, of which operations are those of real numbers."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from roofcast_hull.emulated.value_types import DOUBLE, FLOAT, make_vector
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_code import Passing, Translator
from roofcast_hull.source.numpy_elements import Whole, spread_shapes
from roofcast_hull.source.numpy_shapes import MAKING, TRANSFORMS, find_called
from roofcast_hull.source.numpy_staged import stage
from roofcast_hull.source.numpy_types import infer_element
from roofcast_hull.source.python_names import VIEWING, find_base, target_name
from roofcast_hull.source.python_syntax import put_at

PARTS = ("x", "y")
"""Members of a pair: the real and the imaginary part."""
OF_PAIRS = ("abs", "absolute", "angle", "real", "imag")
"""Functions that give a real number for a complex one."""
SQUARES = "squares of a divisor"
"""The sum of squares by which a quotient divides: no array, but computed for each element of the quotient."""
Pair = tuple[ast.expr, ast.expr | None]
"""The real part of an expression, and the imaginary one; None of real numbers."""


def is_complex(code: Translator, node: ast.expr) -> bool:
    """Whether an expression is of complex numbers."""
    if isinstance(node, ast.Name):
        return node.id in code.complex
    if isinstance(node, ast.Constant):
        return isinstance(node.value, complex)
    if isinstance(node, ast.Attribute):
        return node.attr == "T" and is_complex(code, node.value)
    if isinstance(node, ast.Subscript):
        return is_complex(code, node.value)
    if isinstance(node, ast.Call):
        name = find_called(node)
        if name in OF_PAIRS or name in ("irfft", "len") or name in MAKING:
            return False
        given = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        return name in TRANSFORMS or any(is_complex(code, a) for a in given)
    several = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
    return isinstance(node, (ast.BinOp, ast.UnaryOp)) and any(is_complex(code, n) for n in several)


def read_pair(code: Translator, node: ast.expr) -> Whole | None:
    """``np.abs(z)``, ``z.real``: a real number of each complex one; None for other expressions."""
    if isinstance(node, ast.Call) and find_called(node) == SQUARES:
        *factors, shape = node.args
        return code.map(factors, partial(add_squares, code), node.lineno, ast.literal_eval(shape))
    if isinstance(node, ast.Attribute) and node.attr in ("real", "imag"):
        name, inner = node.attr, node.value
    elif isinstance(node, ast.Call) and find_called(node) in OF_PAIRS and node.args:
        name, inner = find_called(node), node.args[0]
    else:
        return None
    if not is_complex(code, inner):
        return None
    real, imaginary = split_parts(code, inner)
    if name in ("real", "imag"):
        part = real if name == "real" else imaginary
        count_uses(code, [] if part is None else [part])
        return code.whole(part if part is not None else ast.copy_location(ast.Constant(0.0), node))
    other = imaginary if imaginary is not None else put_at(ast.Constant(0.0), node)
    count_uses(code, [real, other])
    if name == "angle":
        return code.map([other, real], lambda y, x: code.terms.call("atan2", (y, x), node.lineno), node.lineno)
    return code.map([real, other], lambda x, y: code.terms.call("hypot", (x, y), node.lineno), node.lineno)


def add_squares(code: Translator, *factors: Any) -> Any:
    """Squares of two numbers, each of which is given twice, and their sum."""
    a, also_a, b, also_b = factors
    first, second = (code.terms.combine("*", x, y, 1) for x, y in ((a, also_a), (b, also_b)))
    return code.terms.combine("+", first, second, 1)


def name_pairs(code: Translator, name: str, node: ast.expr) -> bool:
    """A name for complex numbers that are computed, or for a part of some; whether it is one of them."""
    if is_complex(code, node) and not isinstance(node, (ast.Constant, ast.Name)):
        write_complex(code, name, node, node.lineno)
        return True
    if not is_part(code, node) or not (part := code.whole(node)).shape or part.computes:
        return False
    # Of each number one part, where it lies.
    code.remember(name, part.shape, infer_element(code, node))
    code.views[name] = part
    return True


def is_part(code: Translator, node: ast.expr) -> bool:
    """Whether an expression is a part of complex numbers: ``z.real``."""
    if isinstance(node, ast.Attribute):
        return node.attr in ("real", "imag") and is_complex(code, node.value)
    called = isinstance(node, ast.Call) and find_called(node) in ("real", "imag") and node.args
    return bool(called) and is_complex(code, node.args[0])  # type: ignore[attr-defined]


def write_complex(code: Translator, name: str, node: ast.expr, line: int) -> None:
    """``z = a * b``: both parts of each element by one unit."""
    parts = read_parts(code, node)
    shape = spread_shapes([p.shape for p in parts], line)
    if find_base(node):
        # Parts of the same array.
        remember_pairs(code, name, shape, find_bytes(code, node))
        for letter, part in zip(PARTS, parts, strict=True):
            code.views[f"{name}.{letter}"] = part
        return
    if not shape:
        raise refuse(line, "operations on single complex numbers of NumPy are not followed")
    remember_pairs(code, name, shape, max(find_bytes(code, node), 8))
    code.temporaries |= {name, *(f"{name}.{p}" for p in PARTS)}
    with code.counters(shape, line) as at:
        for letter, part in zip(PARTS, parts, strict=True):
            value = part.at(code.terms.narrow(at, part.shape))
            code.assign(code.terms.name(f"{name}.{letter}", at, line), "=", value, line)


def read_parts(code: Translator, node: ast.expr) -> list[Whole]:
    """Both parts of an expression; an imaginary one of real numbers is 0."""
    real, imaginary = split_parts(code, node)
    parts = [real, imaginary if imaginary is not None else put_at(ast.Constant(0.0), node)]
    count_uses(code, parts)
    return [code.whole(p) for p in parts]


def count_uses(code: Translator, nodes: Sequence[ast.expr]) -> None:
    """Tell how often expressions use each part of complex numbers that is computed once for them."""
    uses: Counter[str] = Counter()
    left = list(nodes)
    while left:
        for name in [n.id for n in ast.walk(left.pop()) if isinstance(n, ast.Name)]:
            of_pair = name in code.passing and name.rpartition(".")[0] in code.complex.passing
            if (of_pair or name in code.complex.repeated) and not uses[name]:
                left.append(code.passing[name].node if of_pair else code.complex.repeated[name][0])
            uses[name] += of_pair or name in code.complex.repeated
    for name, times in uses.items():
        if name in code.complex.repeated:
            code.complex.repeated[name] = code.complex.repeated[name][0], times
        elif times:
            code.passing[name] = replace(code.passing[name], uses=times, known={})


def repeat(code: Translator, part: ast.expr) -> ast.expr:
    """A part that several others take, by a name."""
    if not any(isinstance(n, (ast.BinOp, ast.UnaryOp, ast.Call)) for n in ast.walk(part)):
        return part
    label = f"repeated{len(code.complex.repeated)}"
    code.complex.repeated[label] = part, 1
    renamed: ast.expr = put_at(ast.Name(label, ast.Load()), part)
    return renamed


def let_pairs_pass(code: Translator, name: str, node: ast.expr) -> bool:
    """A name for complex numbers that one statement alone uses, whose units compute them; whether it is one."""
    if isinstance(node, ast.Name) or any(isinstance(n, ast.Call) and is_stored(code, n) for n in ast.walk(node)):
        return False
    real, imaginary = split_parts(code, node)
    shape = spread_shapes([code.whole(p).shape for p in (real, imaginary) if p is not None], node.lineno)
    if not shape or find_base(node) or imaginary is None:
        return False
    code.complex[name], code.complex.passing[name], code.shapes[name] = find_bytes(code, node), node, shape
    code.views.pop(name, None)
    for letter, part in zip(PARTS, (real, imaginary), strict=True):
        spread = put_at(ast.BinOp(part, ast.Add(), ast.Constant(0)), node) if isinstance(part, ast.Constant) else part
        code.passing[f"{name}.{letter}"], code.shapes[f"{name}.{letter}"] = Passing(spread, 1, {}), shape
    return True


def is_stored(code: Translator, call: ast.Call) -> bool:
    """Whether what a call gives is an array of its own: a transform, a sum."""
    return find_called(call) in TRANSFORMS or find_called(call) in ("sum", "mean")


def augment_pairs(code: Translator, node: ast.AugAssign) -> bool:
    """``z *= g``, ``z[i] += w`` of complex numbers: both parts of each element by one unit; whether it is one."""
    if not is_complex(code, node.target):
        return False
    targets, total = split_parts(code, node.target), put_at(ast.BinOp(node.target, node.op, node.value), node.target)
    places = [code.whole(t) for t in targets if t is not None]
    code.overwrite(frozenset(f"{n}.{p}" for n in code.list_overwritten(node.target) for p in PARTS))
    parts = read_parts(code, total)
    code.old = frozenset()
    with code.counters(places[0].shape, node.lineno) as at:
        for target, part in zip(places, parts, strict=True):
            code.assign(target.at(at), "=", part.at(code.terms.narrow(at, part.shape)), node.lineno)
    return True


def remember_pairs(code: Translator, name: str, shape: tuple[int, ...], size: int) -> None:
    """Remember an array of complex numbers, with bytes of each."""
    code.complex[name] = size
    code.shapes[name] = shape
    code.views.pop(name, None)
    pair = make_vector("double2", DOUBLE, 2) if size > 8 else make_vector("float2", FLOAT, 2)
    code.builder.routine.structures = {**code.builder.routine.structures, name: pair}
    for letter in PARTS:
        code.remember(f"{name}.{letter}", shape, "fp64" if size > 8 else "fp32")


def find_bytes(code: Translator, node: ast.expr) -> int:
    """Bytes of an element of what an expression computes."""
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in code.complex]
    return max((code.complex[n] for n in names), default=16)


def split_parts(code: Translator, node: ast.expr) -> Pair:
    """The parts of an expression.

    Raises
    ------
    SourceError : it computes what is not followed.
    """
    if not is_complex(code, node):
        return node, None
    if isinstance(node, ast.Constant) and isinstance(node.value, complex):
        return put_at(ast.Constant(node.value.real), node), put_at(ast.Constant(node.value.imag), node)
    if isinstance(node, ast.Name):
        if f"{node.id}.x" not in code.shapes:
            remember_pairs(code, node.id, code.shapes.get(node.id, ()), code.complex[node.id])
        real, imaginary = (put_at(ast.Name(f"{node.id}.{p}", ast.Load()), node) for p in PARTS)
        return real, imaginary
    if isinstance(node, ast.Call) and find_called(node) in TRANSFORMS:
        code.made += 1
        label = f"{find_called(node)}{code.made}"
        stage(code, label, node)
        return split_parts(code, put_at(ast.Name(label, ast.Load()), node))
    if isinstance(node, (ast.Subscript, ast.Attribute)):
        return tuple(replace_value(node, p) for p in split_parts(code, node.value))  # type: ignore[return-value]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return tuple(  # type: ignore[return-value]
            None if p is None else put_at(ast.UnaryOp(node.op, p), node) for p in split_parts(code, node.operand)
        )
    if isinstance(node, ast.BinOp):
        return split_operation(code, node)
    if isinstance(node, ast.Call):
        return split_call(code, node)
    raise refuse(node.lineno, "operations on complex numbers of NumPy are not followed")


def split_operation(code: Translator, node: ast.BinOp) -> Pair:
    """Sums, products, quotients and squares."""
    left, right = split_parts(code, node.left), split_parts(code, node.right)
    (a, b), (c, d) = left, right
    if isinstance(node.op, (ast.Add, ast.Sub)):
        return add(node, a, c) or a, add(node, b, d)
    if isinstance(node.op, ast.Mult) and (b is None or d is None):
        pair, by = (left, repeat(code, c)) if d is None else (right, repeat(code, a))
        return scale(node, pair[0], by), None if pair[1] is None else scale(node, pair[1], by)
    if isinstance(node.op, ast.Div) and d is None and b is not None:
        by = repeat(code, c)
        return a if is_zero(a) else join(a, ast.Div(), by, node), join(b, ast.Div(), by, node)
    if isinstance(node.op, ast.Div) and d is not None:
        return divide(code, left, (c, d), node)
    squared = isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant) and node.right.value == 2
    if b is not None and (isinstance(node.op, ast.Mult) or squared):
        return multiply(code, (a, b), (a, b) if squared or d is None else (c, d), node)
    raise refuse(node.lineno, "this operation on complex numbers of NumPy is not followed: write its parts")


def add(node: ast.BinOp, left: ast.expr | None, right: ast.expr | None) -> ast.expr | None:
    """The sum or difference of two parts, of which one may be none, or 0."""
    if left is None or is_zero(left):
        return negate(right) if right is not None and isinstance(node.op, ast.Sub) and not is_zero(right) else right
    return left if right is None or is_zero(right) else join(left, node.op, right, node)


def scale(node: ast.BinOp, part: ast.expr, by: ast.expr) -> ast.expr:
    """A part by a real number; 0 stays 0, and 1 is that number."""
    if isinstance(part, ast.Constant) and part.value in (0, 1):
        return by if part.value else part
    return join(part, ast.Mult(), by, node)


def is_zero(part: ast.expr) -> bool:
    """Whether a part is the number 0."""
    return isinstance(part, ast.Constant) and part.value == 0


def divide(code: Translator, pair: Pair, by: tuple[ast.expr, ast.expr], node: ast.BinOp) -> Pair:
    """(a + ib) / (c + id): six products and three sums, and two quotients by one sum of squares."""
    zero = put_at(ast.Constant(0.0), node)
    if is_zero(by[0]):
        # A quotient by an imaginary number: -i a / d.
        quotient = join(pair[0], ast.Div(), by[1], node)
        return zero if pair[1] is None else join(pair[1], ast.Div(), by[1], node), negate(quotient)
    a, c, d = (repeat(code, p) for p in (pair[0], *by))
    b = None if pair[1] is None else repeat(code, pair[1])
    shape = spread_shapes([code.whole(p).shape for p in (a, b, c, d) if p is not None], node.lineno)
    squares = ast.Call(ast.Name(SQUARES, ast.Load()), [c, c, d, d, ast.parse(repr(shape), mode="eval").body], [])
    square = repeat(code, put_at(squares, node))
    first, second = join(a, ast.Mult(), c, node), join(a, ast.Mult(), d, node)
    if b is None:
        return join(first, ast.Div(), square, node), negate(join(second, ast.Div(), square, node))
    real = join(first, ast.Add(), join(b, ast.Mult(), d, node), node)
    imaginary = join(join(b, ast.Mult(), c, node), ast.Sub(), second, node)
    return join(real, ast.Div(), square, node), join(imaginary, ast.Div(), square, node)


def multiply(
    code: Translator, left: tuple[ast.expr, ast.expr], right: tuple[ast.expr, ast.expr], node: ast.BinOp
) -> Pair:
    """Four products, a difference and a sum; two products by an imaginary number."""
    if is_zero(left[0]) or is_zero(right[0]):
        (_, b), (c, d) = (left, right) if is_zero(left[0]) else (right, left)
        plain = isinstance(b, ast.Constant) and b.value == 1
        scaled = [p if plain else join(p, ast.Mult(), b, node) for p in (d, c)]
        return negate(scaled[0]), scaled[1]
    a, b, c, d = (repeat(code, p) for p in (*left, *right))
    real = join(join(a, ast.Mult(), c, node), ast.Sub(), join(b, ast.Mult(), d, node), node)
    return real, join(join(a, ast.Mult(), d, node), ast.Add(), join(b, ast.Mult(), c, node), node)


def negate(part: ast.expr) -> ast.expr:
    """A part with the other sign."""
    negative: ast.expr = put_at(ast.UnaryOp(ast.USub(), part), part)
    return negative


def join(left: ast.expr, op: ast.operator, right: ast.expr, at: ast.expr) -> ast.expr:
    """An operation of two parts."""
    joined: ast.expr = put_at(ast.BinOp(copy.deepcopy(left), op, copy.deepcopy(right)), at)
    return joined


def split_call(code: Translator, node: ast.Call) -> Pair:
    """``np.conj(z)``, ``np.exp(1j * p)``, and views."""
    name = find_called(node)
    module = bool(node.args) and target_name(node.func) not in {*code.shapes, *code.complex}
    inner = node.args[0] if module or not isinstance(node.func, ast.Attribute) else node.func.value
    real, imaginary = split_parts(code, inner)
    if name in ("conj", "conjugate") and imaginary is not None:
        return real, put_at(ast.UnaryOp(ast.USub(), imaginary), node)
    if name == "exp" and imaginary is not None:
        functions = [ast.parse(f"np.{f}", mode="eval").body for f in ("cos", "sin")]
        sides = [put_at(ast.Call(f, [copy.deepcopy(imaginary)], []), node) for f in functions]
        if isinstance(real, ast.Constant):
            return sides[0], sides[1]
        grows = put_at(ast.Call(node.func, [real], []), node)
        both = [put_at(ast.BinOp(copy.deepcopy(grows), ast.Mult(), s), node) for s in sides]
        return both[0], both[1]
    if name in {*VIEWING, "fftshift", "ifftshift", "roll", "astype", "copy", "sum", "mean"}:
        parts: list[Any] = []
        for part in (real, imaginary):
            changed: Any = copy.deepcopy(node)
            if module:
                changed.args[0] = part
            else:
                changed.func.value = part
            parts.append(None if part is None else changed)
        return parts[0], parts[1]
    raise refuse(node.lineno, "this function of complex numbers of NumPy is not followed: write its parts")


def replace_value(node: ast.Subscript | ast.Attribute, part: ast.expr | None) -> ast.expr | None:
    """A view of one part."""
    if part is None:
        return None
    changed = copy.copy(node)
    changed.value = part
    return changed
