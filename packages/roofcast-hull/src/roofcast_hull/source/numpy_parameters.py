"""Arrays and numbers that a Python function is given: from its own file's call, annotations, defaults or use."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from roofcast_hull.source.numpy_code import Translator
from roofcast_hull.source.numpy_making import make_array
from roofcast_hull.source.numpy_shapes import DTYPES, infer_ranks, is_making, read_annotation
from roofcast_hull.source.numpy_staged import COMPLEX_BYTES
from roofcast_hull.source.numpy_values import BYTES, COMPLEX, Tensor

UNKNOWN_SIZE = 1 << 20
"""Of the dimensions of an array that is run without being declared."""


def read_call(code: Translator, line: int, stated: Mapping[str, Any], assigned: Collection[str]) -> tuple[str, ...]:
    """Shapes, types and numbers with which the file itself calls a function; what is said of them."""
    for name, value in stated.items():
        if isinstance(value, Tensor) and value.shape and min(value.shape) > 0:
            rank = len(value.shape)
            labels = [f"{name}.shape[{d}]" for d in range(rank)] if rank > 1 else [f"len({name})"]
            for label, size in zip(labels, value.shape, strict=True):
                code.builder.sizes.setdefault(label, size)
            element = {"bool": "int8", "float": "fp32", "half": "fp16"}.get(value.dtype, DTYPES.get(value.dtype, ""))
            code.masks |= {name} if value.dtype == "bool" else set()
            if value.dtype in COMPLEX:
                code.complex[name] = 2 * BYTES[COMPLEX[value.dtype]]
            code.stated[name] = tuple(labels), element
        elif isinstance(value, tuple) and value and all(isinstance(v, (int, float)) for v in value):
            # A list of numbers.
            code.builder.sizes.setdefault(f"len({name})", len(value))
            code.stated[name] = (f"len({name})",), ""
        elif isinstance(value, (Tensor, int, float)):
            code.stated[name] = (), ""
            if type(value) is int and name not in assigned:
                code.builder.sizes.setdefault(name, value)
            elif type(value) is float:
                code.builder.routine.types[name] = "fp64"
    return (f"sizes are those of the call in line {line}",) if code.stated and line else ()


def read_annotated(arguments: ast.arguments, sizes: Mapping[str, int]) -> dict[str, Tensor]:
    """Arrays that annotations give a function whole shapes of. sizes : of their names."""
    arrays: dict[str, Tensor] = {}
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        dimensions, element = read_annotation(argument.annotation)
        shape = [d if isinstance(d, int) else sizes.get(d) for d in dimensions]
        if shape and None not in shape:
            kind = next((n for n, t in DTYPES.items() if t == element and n in BYTES), "float64")
            arrays[argument.arg] = Tensor(tuple(s for s in shape if s is not None), kind)
    return arrays


def read_defaults(arguments: ast.arguments, outside: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    """Several numbers that parameters have where no call gives others: ``c=(0.5, 0.25)``.

    outside : what names of the file stand for.

    >>> read_defaults(ast.parse("def f(x, c=(1, -2), d=D): 0").body[0].args, {"D": (0.5, 1.5)})
    {'d': (0.5, 1.5), 'c': (1, -2)}
    """
    every = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(every[::-1], arguments.defaults[::-1], strict=False)]
    pairs += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    several: dict[str, tuple[float, ...]] = {}
    for argument, default in pairs:
        value = outside.get(default.id) if isinstance(default, ast.Name) else None
        with suppress(ValueError, TypeError):
            value = ast.literal_eval(default) if isinstance(default, (ast.Tuple, ast.List)) else value
        if isinstance(value, (tuple, list)) and value and all(type(v) in (int, float) for v in value):
            several[argument.arg] = tuple(value)
    return several


def find_masks(arguments: ast.arguments, stated: Mapping[str, Any]) -> set[str]:
    """Arrays of conditions that annotations state, ``m: 'bool[n]'``, or calls. stated : what functions are given."""
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    annotated = {a.arg for a in every if a.annotation and re.search(r"\bbool_?\[", ast.unparse(a.annotation))}
    return annotated | {n for n, v in stated.items() if isinstance(v, Tensor) and v.dtype == "bool"}


def read_parameters(code: Translator, arguments: ast.arguments, body: Sequence[ast.stmt]) -> None:
    """Shapes of a function's parameters: from annotations, defaults, or how they are used."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    code.masks |= find_masks(arguments, {})
    defaults = dict(zip([a.arg for a in every[::-1]], arguments.defaults[::-1], strict=False))
    ranks = infer_ranks(body, {a.arg for a in every})
    for name in code.stated.keys() - {a.arg for a in every}:
        # A member of an object, or an array of the file.
        remember_stated(code, name, "", arguments.args[0].lineno if arguments.args else 1)
    for argument in every:
        read_parameter(code, argument, defaults.get(argument.arg), ranks.get(argument.arg, 0))


def read_parameter(code: Translator, argument: ast.arg, default: ast.expr | None, rank: int) -> None:
    """The shape of one parameter. rank : dimensions that its use shows."""
    name, line = argument.arg, argument.lineno
    number = isinstance(argument.annotation, ast.Name) and argument.annotation.id in ("float", "int", "bool")
    if number and argument.annotation.id == "float":  # type: ignore[union-attr]
        code.builder.routine.types[name] = "fp64"
    dimensions, element = ([], "") if number else read_annotation(argument.annotation)
    if not dimensions and name in code.stated and not number:
        remember_stated(code, name, element, line)
    elif not dimensions and default is not None and is_making(default):
        make_array(code, name, default)
    elif not dimensions and isinstance(default, ast.Constant):
        if type(default.value) is int:
            code.builder.sizes.setdefault(name, default.value)
    elif not number:
        labels = [f"{name}.shape[{d}]" for d in range(rank)] if rank > 1 else [f"len({name})"] * rank
        sizes = [d if isinstance(d, int) else code.builder.size(d, line).constant for d in dimensions or labels]
        if sizes:
            code.remember(name, tuple(max(1, s) for s in sizes), element)
        stated = re.search(r"complex\d*", ast.unparse(argument.annotation)) if argument.annotation else None
        if stated and dimensions:
            code.complex[name] = COMPLEX_BYTES.get(stated[0], COMPLEX_BYTES["complex"])


def remember_stated(code: Translator, name: str, element: str, line: int) -> None:
    """Remember an array with the shape that the file's own call says."""
    labels, called_with = code.stated[name]
    sizes = [code.builder.size(label, line).constant for label in labels]
    if sizes:
        code.remember(name, tuple(max(1, s) for s in sizes), element or called_with)


def list_parameters(code: Translator, arguments: ast.arguments | None) -> list[Any]:
    """Declarations of what a function is given, for its execution, and arrays that it never writes."""
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs] if arguments else []
    unwritten = (n for n in code.every if n not in code.written or n in code.filled)
    names = dict.fromkeys([*(a.arg for a in given), *code.open, *unwritten])
    opened = {n: (1, *[UNKNOWN_SIZE] * (rank - 1)) for n, rank in code.open.items()}
    return [code.declare(n, code.every.get(n, opened.get(n, ()))) for n in names]
