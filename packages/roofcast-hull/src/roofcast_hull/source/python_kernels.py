"""Kernels that a Python file writes, of Triton or of ``numba.cuda``, in CUDA."""

from __future__ import annotations

import ast

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.numba_code import find_numba, find_numba_launches, write_numba
from roofcast_hull.source.triton_code import write_cuda
from roofcast_hull.source.triton_host import TritonLaunch, find_triton, find_triton_launches


def find_kernels(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Kernels of a file by their names."""
    return find_triton(tree) or find_numba(tree)


def list_launched(tree: ast.Module) -> list[str]:
    """Kernels of a file that are no functions of others: those that are launched, or that no kernel calls."""
    kernels = find_kernels(tree)
    launched = {x.kernel for x in find_launches(tree)}
    called = {
        n.id for f in kernels.values() for c in ast.walk(f) if isinstance(c, ast.Call)
        for n in (c.func, *c.args, *(k.value for k in c.keywords)) if isinstance(n, ast.Name)
    }  # fmt: skip
    return [n for n in kernels if n in launched or n not in called]


def is_triton(tree: ast.Module, kernel: str) -> bool:
    """Whether programs of a kernel work on tensors, and not its threads on numbers."""
    return kernel in find_triton(tree)


def find_launches(tree: ast.Module) -> list[TritonLaunch]:
    """Launches of a file's kernels in their order."""
    return find_triton_launches(tree) if find_triton(tree) else find_numba_launches(tree)


def write_kernel(tree: ast.Module, kernel: str, chosen: int | None = None) -> str:
    """A kernel and one of its launches in CUDA; see :func:`.triton_code.write_cuda`.

    Raises
    ------
    SourceError : the file has no such kernel or no launch of it, or it does more than is followed.
    """
    if kernel not in find_kernels(tree):
        raise SourceError(f"no kernel '{one_line(kernel, 40)}'")
    if is_triton(tree, kernel):
        return write_cuda(tree, kernel, chosen)
    return write_numba(tree, kernel, chosen)
