"""No reduction over a list of arrays: what is the same for all kernels is one row, and such a list is no array."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from sources import list_modules

ALONG = {"max", "min", "amax", "amin", "sum", "prod", "all", "any", "nanmax", "nanmin", "nansum", "nanprod", "nanmean"}
"""NumPy's functions that reduce along an axis; of a list without an axis they see numbers."""
LISTS = (ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.Lambda, ast.Module)


def lists_in(tree: ast.AST) -> set[str]:
    """Names that a function binds to a list that it writes out."""
    return {
        target.id
        for node in ast.walk(tree) if isinstance(node, ast.Assign) and is_list(node.value, set())
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip


def is_list(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is a list, as it stands or by its name; also one of two."""
    if isinstance(node, ast.BoolOp):
        return any(is_list(n, names) for n in node.values)
    return isinstance(node, LISTS) or (isinstance(node, ast.Name) and node.id in names)


def reductions(code: str) -> Iterator[str]:
    """Reductions over lists that are not numbers."""
    for tree in ast.walk(ast.parse(code)):
        if not isinstance(tree, FUNCTIONS):
            continue
        names = lists_in(tree)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
                continue
            of_operation = node.func.attr == "reduce" and isinstance(node.func.value, ast.Attribute)
            along = node.func.attr in ALONG and any(k.arg == "axis" for k in node.keywords)
            spread = isinstance(node.args[0], ast.Call) and ast.unparse(node.args[0].func) == "np.broadcast_arrays"
            if (of_operation or along) and (spread or is_list(node.args[0], names)):
                yield ast.unparse(node)


@pytest.mark.parametrize(
    "code",
    [
        "np.fmax.reduce([a, b])", "np.minimum.reduce((a, b))", "np.fmax.reduce([f(x) for x in y])",
        "np.max([a, b], axis=0)", "def f(v):\n    known = [g(x) for x in v] or [h]\n    return np.any(known, axis=0)",
        "np.logical_and.reduce(np.broadcast_arrays(*held))",
    ],
)  # fmt: skip
def test_the_reader_sees_reductions_over_lists(code: str) -> None:
    assert list(reductions(code))


@pytest.mark.parametrize(
    "code", ["np.max([1.0, 2.0])", "np.fmax.reduce(a)", "np.max(a, axis=0)", "np.nansum(a[b], axis=0)"]
)
def test_the_reader_leaves_arrays_alone(code: str) -> None:
    assert not list(reductions(code))


@pytest.mark.slow
def test_arrays_are_combined_by_one_function() -> None:
    found = {
        f"{place}: {text}"
        for place, path in list_modules().items()
        for text in reductions(path.read_text(encoding="utf-8"))
    }
    assert not found, "combine them: roofcast.formulas.values.combine"
