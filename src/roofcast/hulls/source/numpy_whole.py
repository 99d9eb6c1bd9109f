"""Array expressions: shape, and what one element takes; slices, transposes and spreading."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roofcast.hulls.source.builder import Value
from roofcast.hulls.source.nest import Affine, SourceError, refuse

Indices = Sequence[Affine]


@dataclass(frozen=True)
class Whole:
    """An array expression: its shape, and what one element of it takes."""

    shape: tuple[int, ...]
    at: Callable[[Indices], Value]


@dataclass(frozen=True)
class Reduction:
    """An array of sums: its shape, what is summed over, and what one term takes."""

    shape: tuple[int, ...]
    inner: tuple[int, ...]
    at: Callable[[Indices, Indices], Value]
    after: int
    """Operations per sum once it is complete."""


def needed(whole: Whole | None, line: int) -> Whole:
    """An array, or a refusal."""
    if whole is None:
        raise refuse(line, "an array whose shape is not known: annotate it")
    return whole


def transposed(whole: Whole | None) -> Whole:
    """Axes in reverse."""
    if whole is None:
        raise SourceError("an array whose shape is not known: annotate it")
    return Whole(whole.shape[::-1], lambda at: whole.at(list(at)[::-1]))


def sliced(base: Whole, positions: Sequence[tuple[Affine, int, int] | None]) -> Whole:
    """Part of an array."""
    shape = tuple(1 if p is None else p[2] for p in positions if p is None or p[2])

    def at(indices: Indices) -> Value:
        inner: list[Affine] = []
        rest = list(indices)
        for p in positions:
            if p is None:
                rest.pop(0)
            elif p[2]:
                inner.append(p[0] + rest.pop(0).times(p[1]))
            else:
                inner.append(p[0])
        return base.at(inner)

    return Whole(shape, at)


def spread(shapes: Sequence[tuple[int, ...]], line: int) -> tuple[int, ...]:
    """The shape that several shapes are spread to."""
    found: list[int] = []
    for at in range(1, max(map(len, shapes), default=0) + 1):
        sizes = {s[-at] for s in shapes if len(s) >= at} - {1}
        if len(sizes) > 1:
            raise refuse(line, f"shapes {' and '.join(map(str, shapes))} do not fit together")
        found.insert(0, sizes.pop() if sizes else 1)
    return tuple(found)


def narrowed(indices: Indices, shape: tuple[int, ...], whole: tuple[int, ...]) -> list[Affine]:
    """Indices of an array that is spread to a larger shape."""
    own = list(indices)[len(whole) - len(shape) :] if len(whole) >= len(shape) else list(indices)
    return [
        i if n > 1 or w == 1 else Affine() for i, n, w in zip(own, shape, whole[len(whole) - len(shape) :], strict=True)
    ]


def is_new(node: ast.expr) -> bool:
    """``None`` or ``np.newaxis`` in an index."""
    return (isinstance(node, ast.Constant) and node.value is None) or (
        isinstance(node, ast.Attribute) and node.attr == "newaxis"
    )


def is_rest(node: ast.expr) -> bool:
    """``...`` in an index."""
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def is_view(node: ast.expr) -> bool:
    """Whether an expression only names (part of) an array."""
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "T"):
        node = node.value
    return isinstance(node, ast.Name)


def target_name(node: ast.expr) -> str:
    """The array that an assignment writes to."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
