"""Arrays that say where rows begin (``cu_seqlens``, ``indptr``): rows of Triton kernels as long as in the mean."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from roofcast_hull.source.numpy_values import Tensor
from roofcast_hull.source.python_syntax import name_called

if TYPE_CHECKING:
    from roofcast_hull.source.triton_host import TritonLaunch

LONGEST = 1 << 16
"""Elements of a row at most."""


def find_row_starts(function: ast.FunctionDef, launch: TritonLaunch) -> dict[str, int]:
    """Arrays of whole numbers of which a kernel loads an element and the next one, with the elements of a row.

    Of a row there are as many as the launch's arrays have for each: the first of them with a whole number of rows.
    """
    loads = [
        ast.unparse(n.args[0]) for n in ast.walk(function)
        if isinstance(n, ast.Call) and name_called(n) == "load" and n.args
    ]  # fmt: skip
    starts = {text.partition(" + ")[0] for text in loads if f"{text} + 1" in loads}
    tensors = {n: v for n, v in launch.arguments.items() if isinstance(v, Tensor)}
    lengths: dict[str, int] = {}
    for name in sorted(starts & {*tensors}):
        held = tensors[name]
        rows = held.elements - 1
        if len(held.shape) != 1 or not held.dtype.startswith("int") or rows < 1:
            continue
        several = [t.shape[0] for n, t in tensors.items() if n not in starts and t.shape]
        length = next((size // rows for size in several if size > rows and size % rows == 0), 0)
        if 0 < length <= LONGEST:
            lengths[name] = length
    return lengths
