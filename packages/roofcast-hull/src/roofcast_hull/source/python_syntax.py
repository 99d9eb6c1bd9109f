"""Words of Python as all of its readers meet them: signs between values, the last names of what is called, ``None``."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, TypeVar

Node = TypeVar("Node", bound=ast.AST)
OPERATIONS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
"""What signs between two values compute."""
C_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "/", ast.Mod: "%", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.And: "&&", ast.Or: "||", ast.Not: "!",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
"""Signs as C writes them."""


def last_name(node: ast.AST | None) -> str:
    """The last name of ``tl.math.exp``; "" of what has none."""
    return node.attr if isinstance(node, ast.Attribute) else str(getattr(node, "id", ""))


def name_called(node: ast.Call) -> str:
    """The last name of what is called."""
    return last_name(node.func)


def is_none(node: ast.expr) -> bool:
    """Whether an argument or an index is ``None``."""
    return isinstance(node, ast.Constant) and node.value is None


def put_at(node: Node, at: ast.AST) -> Node:
    """A node in the line of another one."""
    return ast.fix_missing_locations(ast.copy_location(node, at))


def assigns(item: ast.AST, name: str) -> bool:
    """Whether a statement gives a name a value."""
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(item))


def name_arguments(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr]:
    """What a call gives a function's parameters, as it is written; of those that it does not give their defaults."""
    labels = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    defaults = dict(zip(labels[::-1], function.args.defaults[::-1], strict=False))
    return {
        **defaults,
        **dict(zip(labels, call.args, strict=False)),
        **{k.arg: k.value for k in call.keywords if k.arg},
    }
