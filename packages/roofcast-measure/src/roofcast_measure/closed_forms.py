"""Closed forms: the expressions in which a kernel's header states sizes, launches and amounts.

They are arithmetic over the size parameters and nothing else: no attributes, no calls beyond a short list, no code.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from functools import lru_cache

from roofcast.core.errors import InputError, one_line

Value = float | int
LONGEST = 2000
"""Characters of a formula."""
LARGEST_EXPONENT = 64
"""Exponents of a formula: a larger one makes a number that fills the memory."""

COSTS: dict[str, Value] = {"DIV32": 10, "SQRT32": 6, "DIV64": 15, "RCP64": 10, "SQRT64": 13}
"""FLOPs that the machine code spends in line on a division, a reciprocal and a root (sm_75 to sm_120, NVRTC 12.9)."""

FUNCTIONS: dict[str, Callable[..., Value]] = {
    "ceil": math.ceil, "floor": math.floor, "min": min, "max": max, "gcd": math.gcd, "sqrt": math.sqrt,
    "exp": math.exp, "log": math.log,
}  # fmt: skip
BINARY: dict[type[ast.operator], Callable[[Value, Value], Value]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a // b if isinstance(a, int) and isinstance(b, int) and a % b == 0 else a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}


@lru_cache(maxsize=4096)
def parse(text: str) -> ast.expr:
    """The tree of one expression."""
    try:
        if len(text) > LONGEST:
            raise ValueError("too long")
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"{one_line(text, 80)!r} is no closed form") from error


def evaluate(text: str | Value, sizes: Mapping[str, Value]) -> Value:
    """The value of an expression for given sizes; integers stay integers where they can.

    >>> evaluate("2 * n ** 3", {"n": 4}), evaluate("ceil(n / 256)", {"n": 1000}), evaluate("DIV32 + gcd(8, 32)", {})
    (128, 4, 18)
    """
    if isinstance(text, int | float):
        return text
    try:
        return value_of(parse(text), sizes)
    except (ArithmeticError, ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{one_line(text, 80)!r} has no value: {one_line(str(error), 80)}") from error


def value_of(node: ast.expr, sizes: Mapping[str, Value]) -> Value:
    """The value of one node of an expression."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id=name):
            size = sizes.get(name, COSTS.get(name))
            if size is None:
                raise InputError(f"{one_line(name, 40)!r} is no size here; sizes are {', '.join(sizes) or 'none'}")
            return size
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -value_of(inner, sizes)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            exponent = value_of(right, sizes)
            if abs(exponent) > LARGEST_EXPONENT:
                raise InputError(f"an exponent of {exponent} is too large for a closed form")
            power: Value = value_of(left, sizes) ** exponent
            return power
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in BINARY:
            return BINARY[type(operator)](value_of(left, sizes), value_of(right, sizes))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*(value_of(a, sizes) for a in arguments))
    raise InputError(f"a closed form holds numbers, sizes, + - * / // % ** and {', '.join(FUNCTIONS)}")
